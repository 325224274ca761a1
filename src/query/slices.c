#include "query/slices.h"

#include <stdlib.h>

#include "base/memory.h"

struct keyed {
    int64_t start_ns, dur_ns;
    uint32_t slice;
};

static int by_start(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    if (x->dur_ns != y->dur_ns)
        return x->dur_ns > y->dur_ns ? -1 : 1;
    return x->slice < y->slice ? -1 : x->slice > y->slice;
}

static int by_dur(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    if (x->dur_ns != y->dur_ns)
        return x->dur_ns > y->dur_ns ? -1 : 1;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return x->slice < y->slice ? -1 : x->slice > y->slice;
}

uint32_t slices_list(const struct trace *t, const struct index *ix, const struct selection *sel,
                     enum slice_sort sort, uint32_t top, uint32_t **slices)
{
    size_t count = 0, capacity = 0;
    struct keyed *items = array_reserve(NULL, &capacity, 256, sizeof *items);
    int (*compare)(const void *, const void *) = sort == SLICES_BY_DUR ? by_dur : by_start;
    for (uint32_t k = 0; k < t->track_count; k++) {
        uint32_t slice = t->tracks[k].first;
        while ((slice = index_overlap(ix, k, slice, sel->from_ns, sel->to_ns)) != TRACE_NONE) {
            if (selection_has(sel, t, slice)) {
                struct keyed added = {t->start_ns[slice], t->dur_ns[slice], slice};
                ARRAY_PUSH(items, count, capacity, added);
            }
            slice++;
            /* With a limit no more than twice as many are kept in hand. */
            if (top && count >= 2 * (size_t)top + 1024) {
                array_sort(items, count, sizeof *items, compare);
                count = top;
            }
        }
    }
    array_sort(items, count, sizeof *items, compare);
    if (top && count > top)
        count = top;
    *slices = xreallocarray(NULL, count + 1, sizeof **slices);
    for (size_t i = 0; items && i < count; i++)
        (*slices)[i] = items[i].slice;
    free(items);
    return (uint32_t)count;
}
