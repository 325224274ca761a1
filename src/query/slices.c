#include "query/slices.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct chosen {
    uint32_t *slices;
    size_t count, capacity;
};

/* Where the slices of each track begin among the chosen ones. */
struct runs {
    size_t *starts;
    size_t count, capacity;
};

static bool is_whole(const struct selection *sel)
{
    return sel->from_ns == INT64_MIN && sel->to_ns == INT64_MAX;
}

/* The first slice of the track at or after `slice` that is meant, or TRACE_NONE. */
static uint32_t next_meant(const struct trace *t, const struct index *ix,
                           const struct selection *sel, uint32_t track, uint32_t slice)
{
    uint32_t end = t->tracks[track].first + t->tracks[track].count;
    bool whole = is_whole(sel);
    for (; slice < end; slice++) {
        if (!whole &&
            (slice = index_overlap(ix, track, slice, sel->from_ns, sel->to_ns)) == TRACE_NONE)
            break;
        if (selection_has(sel, t, slice))
            return slice;
    }
    return TRACE_NONE;
}

/* ------------------------------------------------------------------------
 * By start: a track's slices are in order, so tracks are merged. */

static bool starts_before(const struct trace *t, uint32_t a, uint32_t b)
{
    if (t->start_ns[a] != t->start_ns[b])
        return t->start_ns[a] < t->start_ns[b];
    if (t->dur_ns[a] != t->dur_ns[b])
        return t->dur_ns[a] > t->dur_ns[b];
    return a < b;
}

/* Merges the runs [from, middle) and [middle, end). */
static void merge_two(const struct trace *t, uint32_t *slices, size_t from, size_t middle,
                      size_t end, uint32_t *spare)
{
    size_t left = 0, left_end = middle - from, right = middle, out = from;
    memcpy(spare, slices + from, left_end * sizeof *spare);
    while (left < left_end && right < end)
        slices[out++] =
            starts_before(t, slices[right], spare[left]) ? slices[right++] : spare[left++];
    memcpy(slices + out, spare + left, (left_end - left) * sizeof *spare);
}

/* Neighbouring runs are merged until there is one. */
static void merge_runs(const struct trace *t, struct chosen *list, struct runs *runs)
{
    uint32_t *spare = xreallocarray(NULL, list->count + 1, sizeof *spare);
    while (runs->count > 1) {
        size_t kept = 0;
        for (size_t i = 0; i < runs->count; i += 2) {
            size_t end = i + 2 < runs->count ? runs->starts[i + 2] : list->count;
            if (i + 1 < runs->count)
                merge_two(t, list->slices, runs->starts[i], runs->starts[i + 1], end, spare);
            runs->starts[kept++] = runs->starts[i];
        }
        runs->count = kept;
    }
    free(spare);
}

static void list_by_start(const struct trace *t, const struct index *ix,
                          const struct selection *sel, uint32_t top, struct chosen *list)
{
    struct runs runs = {0};
    for (uint32_t k = 0; k < t->track_count; k++) {
        size_t start = list->count;
        uint32_t slice = t->tracks[k].first;
        while ((!top || list->count - start < top) &&
               (slice = next_meant(t, ix, sel, k, slice)) != TRACE_NONE) {
            ARRAY_PUSH(list->slices, list->count, list->capacity, slice);
            slice++;
        }
        if (list->count > start)
            ARRAY_PUSH(runs.starts, runs.count, runs.capacity, start);
    }
    merge_runs(t, list, &runs);
    free(runs.starts);
}

/* ------------------------------------------------------------------------
 * By duration */

struct keyed {
    int64_t start_ns, dur_ns;
    uint32_t slice;
};

static int longest_first(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    if (x->dur_ns != y->dur_ns)
        return x->dur_ns > y->dur_ns ? -1 : 1;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return x->slice < y->slice ? -1 : x->slice > y->slice;
}

static void list_by_dur(const struct trace *t, const struct index *ix, const struct selection *sel,
                        uint32_t top, struct chosen *list)
{
    struct keyed *items = NULL;
    size_t count = 0, capacity = 0, room = 2 * (size_t)top + 1024;
    int64_t least = INT64_MIN; /* what is shorter is not among the longest */
    for (uint32_t k = 0; k < t->track_count; k++) {
        uint32_t slice = t->tracks[k].first;
        for (; (slice = next_meant(t, ix, sel, k, slice)) != TRACE_NONE; slice++) {
            if (t->dur_ns[slice] < least)
                continue;
            struct keyed added = {t->start_ns[slice], t->dur_ns[slice], slice};
            ARRAY_PUSH(items, count, capacity, added);
            /* With a limit no more than about twice as many are kept in hand. */
            if (top && count == room) {
                array_sort(items, count, sizeof *items, longest_first);
                count = top;
                least = items[count - 1].dur_ns;
            }
        }
    }
    array_sort(items, count, sizeof *items, longest_first);
    list->slices = xreallocarray(NULL, count + 1, sizeof *list->slices);
    for (size_t i = 0; items && i < count; i++)
        list->slices[i] = items[i].slice;
    list->count = count;
    free(items);
}

uint32_t slices_list(const struct trace *t, const struct index *ix, const struct selection *sel,
                     enum slice_sort sort, uint32_t top, uint32_t **slices)
{
    struct chosen list = {0};
    if (sort == SLICES_BY_DUR)
        list_by_dur(t, ix, sel, top, &list);
    else
        list_by_start(t, ix, sel, top, &list);
    if (top && list.count > top)
        list.count = top;
    *slices = list.slices ? list.slices : xmalloc(sizeof **slices);
    return (uint32_t)list.count;
}
