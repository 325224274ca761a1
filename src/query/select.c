#include "query/select.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "query/match.h"

void selection_init(struct selection *sel)
{
    *sel = (struct selection){.from_ns = INT64_MIN, .to_ns = INT64_MAX};
}

void selection_free(struct selection *sel)
{
    free(sel->categories);
    free(sel->names);
    sel->categories = sel->names = NULL;
}

void selection_categories(struct selection *sel, const struct trace *t, const char *list)
{
    free(sel->categories);
    sel->categories = NULL;
    bool *chosen = xcalloc((size_t)t->category_count + 1, sizeof *chosen);
    const char *p = list;
    for (;;) {
        size_t len = strcspn(p, ",");
        char *word = xstrndup(p, len);
        bool all = strcmp(word, "all") == 0;
        trace_match_category(t, word, chosen);
        free(word);
        if (all) {
            free(chosen);
            return;
        }
        if (p[len] == '\0')
            break;
        p += len + 1;
    }
    sel->categories = chosen;
}

bool selection_match(struct selection *sel, const struct trace *t, const char *regex,
                     struct error *err)
{
    bool *names = match_names(t, regex, err);
    if (!names)
        return false;
    free(sel->names);
    sel->names = names;
    return true;
}

bool selection_has(const struct selection *sel, const struct trace *t, uint32_t slice)
{
    const struct label *label = &t->labels[t->label[slice]];
    return (!sel->categories || sel->categories[label->category]) &&
           (!sel->names || sel->names[label->name]);
}

bool selection_takes(const struct selection *sel, const struct trace *t, uint32_t slice)
{
    return selection_has(sel, t, slice) && index_in_window(t, slice, sel->from_ns, sel->to_ns);
}
