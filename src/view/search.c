/*
 * Search and filter by names.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "query/match.h"
#include "view/view.h"

static bool set_pattern(struct viewer *v, const char *pattern, char **text, bool **names,
                        struct error *err)
{
    bool *matches = NULL;
    if (*pattern) {
        matches = match_names(v->t, pattern, err);
        if (!matches)
            return false;
    }
    free(*text);
    free(*names);
    *text = *pattern ? xstrdup(pattern) : NULL;
    *names = matches;
    view_changed(v);
    return true;
}

bool search_set(struct viewer *v, const char *pattern, struct error *err)
{
    v->match_counted = false;
    return set_pattern(v, pattern, &v->search, &v->matches, err);
}

bool search_filter(struct viewer *v, const char *pattern, struct error *err)
{
    return set_pattern(v, pattern, &v->filter, &v->filter_names, err);
}

void search_step(struct viewer *v, bool next)
{
    if (!v->matches) {
        view_complain(v, "no search yet: / begins one");
        return;
    }
    /* From the selected slice on, if the cursor still is at it. */
    uint32_t from = v->slice;
    if (from != TRACE_NONE &&
        (v->cursor_ns < v->t->start_ns[from] || v->cursor_ns > trace_end_ns(v->t, from)))
        from = TRACE_NONE;
    uint32_t found = next ? match_next(v->t, v->ix, v->matches, NULL, from, v->cursor_ns)
                          : match_previous(v->t, v->ix, v->matches, NULL, from, v->cursor_ns);
    if (found == TRACE_NONE) {
        /* Round, as in less. */
        found = next ? match_next(v->t, v->ix, v->matches, NULL, TRACE_NONE, INT64_MIN)
                     : match_previous(v->t, v->ix, v->matches, NULL, TRACE_NONE, INT64_MAX);
        if (found != TRACE_NONE)
            view_say(v, next ? "search began again at the start" : "search began again at the end");
    }
    if (found == TRACE_NONE) {
        view_complain(v, "nothing matches '%s'", v->search);
        return;
    }
    jump_select(v, found, true);
    v->match_counted = false;
}
