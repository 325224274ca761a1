/*
 * Which slices a question is about: a window, categories, names.
 */
#ifndef SPYTOP_QUERY_SELECT_H
#define SPYTOP_QUERY_SELECT_H

#include "base/error.h"
#include "index/index.h"
#include "trace/trace.h"

/* A window and, per category and per name, whether it is meant. Starts with
 * selection_init(), released with selection_free(). */
struct selection {
    int64_t from_ns, to_ns; /* [from, to); INT64_MIN and INT64_MAX: the whole trace */
    bool *categories;       /* per trace->categories; NULL: all */
    bool *names;            /* per id of trace->names; NULL: all */
};

void selection_init(struct selection *sel);
void selection_free(struct selection *sel);

/* Categories from a comma separated list; "all" for every one. A name that no
 * slice has chooses nothing, which is no error. */
void selection_categories(struct selection *sel, const struct trace *t, const char *list);

/* Only slices whose name matches: POSIX extended, ignoring case unless the
 * pattern has an upper-case letter. False and an error for a bad pattern. */
bool selection_match(struct selection *sel, const struct trace *t, const char *regex,
                     struct error *err);

/* True if the slice is one of the categories and names (the window is not looked
 * at). */
bool selection_has(const struct selection *sel, const struct trace *t, uint32_t slice);

/* True if the slice is wholly meant: selection_has() and in the window. */
bool selection_takes(const struct selection *sel, const struct trace *t, uint32_t slice);

#endif
