/*
 * The next and the previous idle gap from a time on: walks the device slices in
 * start order near that time, never the whole trace.
 */
#include <stdlib.h>

#include "base/duration.h"
#include "base/memory.h"
#include "query/gaps.h"

/* The device tracks asked about, and on each the next slice in start order that counts.
 * Those that have one left are in a heap, by its start. */
struct walker {
    const struct trace *t;
    const struct index *ix;
    uint32_t *tracks, *next;
    uint32_t count;
    uint32_t *heap, heap_count; /* places in tracks and next */
};

static void open_walker(struct walker *w, const struct trace *t, const struct index *ix,
                        uint32_t process, uint32_t track)
{
    const struct process *p = &t->processes[process];
    size_t room = (size_t)p->track_count + 1;
    *w = (struct walker){.t = t, .ix = ix};
    w->tracks = xreallocarray(NULL, room, sizeof *w->tracks);
    w->next = xreallocarray(NULL, room, sizeof *w->next);
    w->heap = xreallocarray(NULL, room, sizeof *w->heap);
    for (uint32_t k = p->first_track; k < p->first_track + p->track_count; k++)
        if (t->tracks[k].kind == TRACK_DEVICE && (track == TRACE_NONE || track == k))
            w->tracks[w->count++] = k;
}

static void close_walker(struct walker *w)
{
    free(w->tracks);
    free(w->next);
    free(w->heap);
}

static bool counts(const struct trace *t, uint32_t slice)
{
    return trace_category(t, slice)->device && t->dur_ns[slice] > 0;
}

static uint32_t track_end(const struct walker *w, uint32_t i)
{
    const struct track *track = &w->t->tracks[w->tracks[i]];
    return track->first + track->count;
}

/* Passes over what does not count; false at the end of the track. */
static bool find_next(struct walker *w, uint32_t i)
{
    while (w->next[i] < track_end(w, i) && !counts(w->t, w->next[i]))
        w->next[i]++;
    return w->next[i] < track_end(w, i);
}

static bool comes_first(const struct walker *w, uint32_t a, uint32_t b)
{
    return w->t->start_ns[w->next[w->heap[a]]] < w->t->start_ns[w->next[w->heap[b]]];
}

static void sink(struct walker *w, uint32_t at)
{
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= w->heap_count)
            return;
        if (child + 1 < w->heap_count && comes_first(w, child + 1, child))
            child++;
        if (!comes_first(w, child, at))
            return;
        uint32_t other = w->heap[at];
        w->heap[at] = w->heap[child];
        w->heap[child] = other;
        at = child;
    }
}

static void make_heap(struct walker *w)
{
    w->heap_count = 0;
    for (uint32_t i = 0; i < w->count; i++)
        if (find_next(w, i))
            w->heap[w->heap_count++] = i;
    for (uint32_t at = w->heap_count / 2; at > 0; at--)
        sink(w, at - 1);
}

/* The slice that starts next on any of the tracks, and steps over it. */
static uint32_t take_next(struct walker *w)
{
    if (w->heap_count == 0)
        return TRACE_NONE;
    uint32_t i = w->heap[0], slice = w->next[i]++;
    if (!find_next(w, i))
        w->heap[0] = w->heap[--w->heap_count];
    sink(w, 0);
    return slice;
}

/* Of the slices that are open at a time the one that ends last, or TRACE_NONE; every
 * track's `next` is put behind that time. */
static uint32_t covered_until(struct walker *w, int64_t at_ns, int64_t *end_ns)
{
    const struct trace *t = w->t;
    uint32_t last = TRACE_NONE;
    for (uint32_t i = 0; i < w->count; i++) {
        uint32_t k = w->tracks[i], first = t->tracks[k].first;
        w->next[i] = at_ns == INT64_MAX ? track_end(w, i) : index_start_at(w->ix, k, at_ns + 1);
        uint32_t slice = first;
        int64_t to = at_ns == INT64_MAX ? at_ns : at_ns + 1;
        while ((slice = index_overlap(w->ix, k, slice, at_ns, to)) != TRACE_NONE) {
            if (counts(t, slice) && (last == TRACE_NONE || trace_end_ns(t, slice) > *end_ns)) {
                last = slice;
                *end_ns = trace_end_ns(t, slice);
            }
            slice++;
        }
    }
    return last;
}

/* Order of a union's parts: start, longer first, slice. */
static bool is_before(const struct trace *t, uint32_t a, uint32_t b)
{
    if (b == TRACE_NONE || t->start_ns[a] != t->start_ns[b])
        return b == TRACE_NONE || t->start_ns[a] < t->start_ns[b];
    return t->dur_ns[a] != t->dur_ns[b] ? t->dur_ns[a] > t->dur_ns[b] : a < b;
}

/* Where several slices end or begin at a side of the gap, the first of them: the same
 * that gaps_find() names. */
static void choose_sides(struct walker *w, struct gap *gap)
{
    const struct trace *t = w->t;
    int64_t end = t->start_ns[gap->after];
    for (uint32_t i = 0; i < w->count; i++) {
        uint32_t slice = t->tracks[w->tracks[i]].first;
        while ((slice = index_overlap(w->ix, w->tracks[i], slice, gap->start_ns - 1,
                                      gap->start_ns)) != TRACE_NONE) {
            if (counts(t, slice) && trace_end_ns(t, slice) == gap->start_ns &&
                is_before(t, slice, gap->before))
                gap->before = slice;
            slice++;
        }
        slice = index_start_at(w->ix, w->tracks[i], end);
        for (; slice < track_end(w, i) && t->start_ns[slice] == end; slice++)
            if (counts(t, slice) && is_before(t, slice, gap->after))
                gap->after = slice;
    }
}

/* Walks from gap to gap, beginning at a time that may lie in one: that one is passed
 * over, for its begin is not known. What ends at `until_ns` or later is not looked at. */
struct gap_walk {
    struct walker w;
    int64_t end_ns;  /* how far the union reaches */
    uint32_t before; /* the slice that ends there */
};

static void begin_walk(struct gap_walk *walk, int64_t at_ns)
{
    walk->end_ns = INT64_MIN;
    walk->before = covered_until(&walk->w, at_ns, &walk->end_ns);
    make_heap(&walk->w);
}

static bool walk_to_gap(struct gap_walk *walk, int64_t least_ns, int64_t until_ns, struct gap *gap)
{
    const struct trace *t = walk->w.t;
    uint32_t slice;
    while ((slice = take_next(&walk->w)) != TRACE_NONE) {
        int64_t start = t->start_ns[slice], idle = ns_sub(start, walk->end_ns);
        if (start >= until_ns)
            return false;
        bool found = walk->before != TRACE_NONE && start > walk->end_ns && idle >= least_ns;
        if (found)
            *gap = (struct gap){walk->end_ns, idle, walk->before, slice};
        if (walk->before == TRACE_NONE || trace_end_ns(t, slice) > walk->end_ns) {
            walk->end_ns = trace_end_ns(t, slice);
            walk->before = slice;
        }
        if (found)
            return true;
    }
    return false;
}

bool gap_next(const struct trace *t, const struct index *ix, uint32_t process, uint32_t track,
              int64_t at_ns, int64_t least_ns, struct gap *gap)
{
    struct gap_walk walk;
    open_walker(&walk.w, t, ix, process, track);
    begin_walk(&walk, at_ns);
    bool found = walk_to_gap(&walk, least_ns, INT64_MAX, gap);
    if (found)
        choose_sides(&walk.w, gap);
    close_walker(&walk.w);
    return found;
}

/* The first start on any of the tracks. */
static int64_t first_start(const struct walker *w)
{
    int64_t first = INT64_MAX;
    for (uint32_t i = 0; i < w->count; i++)
        if (w->t->tracks[w->tracks[i]].start_ns < first)
            first = w->t->tracks[w->tracks[i]].start_ns;
    return first;
}

/* Gaps are found forwards: in a stretch before the time, and as long as there is none
 * in a longer one. */
bool gap_previous(const struct trace *t, const struct index *ix, uint32_t process, uint32_t track,
                  int64_t at_ns, int64_t least_ns, struct gap *gap)
{
    enum { FIRST_STRETCH = 1000, GROWTH = 4 };
    struct gap_walk walk;
    struct gap next;
    bool found = false;
    open_walker(&walk.w, t, ix, process, track);
    int64_t from = at_ns, first = first_start(&walk.w), stretch = FIRST_STRETCH;
    while (!found && from > first) {
        from = ns_sub(at_ns, stretch);
        if (from < first || stretch > INT64_MAX / GROWTH)
            from = first;
        stretch *= from > first ? GROWTH : 1;
        begin_walk(&walk, from);
        while (walk_to_gap(&walk, least_ns, at_ns, &next)) {
            *gap = next;
            found = true;
        }
    }
    if (found)
        choose_sides(&walk.w, gap);
    close_walker(&walk.w);
    return found;
}
