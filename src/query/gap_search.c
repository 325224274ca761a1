/*
 * The next and the previous idle gap from a time on: walks the device slices in
 * start order near that time, never the whole trace.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "query/gaps.h"

/* The device tracks asked about, and on each the next slice in start order. */
struct walker {
    const struct trace *t;
    const struct index *ix;
    uint32_t *tracks, *next;
    uint32_t count;
};

static void open_walker(struct walker *w, const struct trace *t, const struct index *ix,
                        uint32_t process, uint32_t track)
{
    const struct process *p = &t->processes[process];
    *w = (struct walker){.t = t, .ix = ix};
    w->tracks = xreallocarray(NULL, (size_t)p->track_count + 1, sizeof *w->tracks);
    w->next = xreallocarray(NULL, (size_t)p->track_count + 1, sizeof *w->next);
    for (uint32_t k = p->first_track; k < p->first_track + p->track_count; k++)
        if (t->tracks[k].kind == TRACK_DEVICE && (track == TRACE_NONE || track == k))
            w->tracks[w->count++] = k;
}

static void close_walker(struct walker *w)
{
    free(w->tracks);
    free(w->next);
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

/* The slice that starts next on any of the tracks, and steps over it. */
static uint32_t take_next(struct walker *w)
{
    uint32_t best = TRACE_NONE, from = 0;
    for (uint32_t i = 0; i < w->count; i++) {
        while (w->next[i] < track_end(w, i) && !counts(w->t, w->next[i]))
            w->next[i]++;
        if (w->next[i] == track_end(w, i))
            continue;
        if (best == TRACE_NONE || w->t->start_ns[w->next[i]] < w->t->start_ns[best]) {
            best = w->next[i];
            from = i;
        }
    }
    if (best != TRACE_NONE)
        w->next[from]++;
    return best;
}

/* Of the slices that start at or before a time the one that ends last; every track's
 * `next` is put behind that time. Uses the interval trees: what overlaps the time,
 * else the last before it. */
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

bool gap_next(const struct trace *t, const struct index *ix, uint32_t process, uint32_t track,
              int64_t at_ns, int64_t least_ns, struct gap *gap)
{
    struct walker w;
    open_walker(&w, t, ix, process, track);
    int64_t end = INT64_MIN;
    bool found = false;
    uint32_t before = covered_until(&w, at_ns, &end), slice;
    while (!found && (slice = take_next(&w)) != TRACE_NONE) {
        int64_t start = t->start_ns[slice];
        if (before != TRACE_NONE && start > end && end > at_ns && start - end >= least_ns) {
            *gap = (struct gap){end, start - end, before, slice};
            found = true;
        }
        if (before == TRACE_NONE || trace_end_ns(t, slice) > end) {
            end = trace_end_ns(t, slice);
            before = slice;
        }
    }
    close_walker(&w);
    return found;
}

/* The last start before a time on any track, where something ends no later than
 * it. */
static uint32_t last_before(struct walker *w, int64_t at_ns)
{
    const struct trace *t = w->t;
    uint32_t best = TRACE_NONE;
    for (uint32_t i = 0; i < w->count; i++) {
        uint32_t first = t->tracks[w->tracks[i]].first;
        uint32_t slice = index_start_at(w->ix, w->tracks[i], at_ns);
        while (slice > first && !counts(t, slice - 1))
            slice--;
        if (slice > first && (best == TRACE_NONE || t->start_ns[slice - 1] > t->start_ns[best]))
            best = slice - 1;
    }
    return best;
}

/* The latest end of the slices that start before a time. */
static uint32_t latest_end_before(struct walker *w, int64_t at_ns, int64_t *end_ns)
{
    const struct trace *t = w->t;
    /* Something may still be open at that time; else it is the one whose end is
     * last, which need not be the last to start. */
    uint32_t last = TRACE_NONE;
    for (uint32_t i = 0; i < w->count; i++) {
        uint32_t k = w->tracks[i];
        for (uint32_t lane = 0; lane < index_lanes(w->ix, k); lane++) {
            uint32_t at = index_lane_find(w->ix, k, lane, at_ns);
            uint32_t n = index_lane_count(w->ix, k, lane);
            /* The one at `at` ends after the time: it counts if it starts before. */
            for (uint32_t back = 0; back < 2; back++) {
                uint32_t position = at + 1 - back;
                if (position == 0 || position > n)
                    continue;
                uint32_t slice = index_lane_slice(w->ix, k, lane, position - 1);
                for (uint32_t p = position - 1; !counts(t, slice) && p > 0; p--)
                    slice = index_lane_slice(w->ix, k, lane, p - 1);
                if (!counts(t, slice) || t->start_ns[slice] >= at_ns)
                    continue;
                if (last == TRACE_NONE || trace_end_ns(t, slice) > *end_ns) {
                    last = slice;
                    *end_ns = trace_end_ns(t, slice);
                }
            }
        }
    }
    return last;
}

bool gap_previous(const struct trace *t, const struct index *ix, uint32_t process, uint32_t track,
                  int64_t at_ns, int64_t least_ns, struct gap *gap)
{
    struct walker w;
    open_walker(&w, t, ix, process, track);
    bool found = false;
    uint32_t after;
    while (!found && (after = last_before(&w, at_ns)) != TRACE_NONE) {
        int64_t start = t->start_ns[after], end = INT64_MIN;
        uint32_t before = latest_end_before(&w, start, &end);
        if (before == TRACE_NONE)
            break;
        if (end < start && start - end >= least_ns) {
            *gap = (struct gap){end, start - end, before, after};
            found = true;
        }
        at_ns = start;
    }
    close_walker(&w);
    return found;
}
