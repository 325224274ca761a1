/*
 * A slice nests in the last slice before it, in track order, that contains it
 * whole: whose last nanosecond is not before its own (see reach.h; the start is
 * not after its own by the order).
 *
 * To find it a stack is enough, although slices cross. When s comes, what ends
 * before s ends is popped. That loses nothing: a later slice that a popped one
 * contains is also contained by s, which reaches further and is the later of the
 * two. So the ends on the stack never grow towards the top, what is on top after
 * the popping is the parent of s, and the height of the stack is the depth of s.
 *
 * As long as nothing crosses, the lane of a slice is its depth: all that is in
 * this lane is over when the slice starts. Then the stack is all that is needed;
 * what was last put at each height also says how far the lane of that number is
 * occupied, and the first slice that crosses goes on from there with a tree of
 * lanes.
 */
#include "index/nesting.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void nesting_free(struct nesting *n)
{
    free(n->lane);
    free(n->depth);
    free(n->tally);
    free(n->open);
    lane_tree_free(&n->tree);
    *n = (struct nesting){0};
}

static void begin_track(struct nesting *n, uint32_t count)
{
    n->lane = array_reserve(n->lane, &n->lane_capacity, count, sizeof *n->lane);
    n->lanes = 0;
    n->levels = 0;
    n->depth_is_lane = false;
    n->flat = false;
    n->overlap = false;
}

/* Makes room for the lane, which is new if it is n->lanes. */
static inline void count_in_lane(struct nesting *n, uint32_t lane, int64_t dur)
{
    if (lane == n->lanes) {
        n->lanes++;
        n->tally = array_reserve(n->tally, &n->tally_capacity, n->lanes, sizeof *n->tally);
        n->tally[lane] = (struct lane_tally){0};
    }
    n->tally[lane].busy += (uint64_t)dur;
    n->tally[lane].count++;
}

/* Walks until a slice crosses another. Returns that slice (s->count if there is
 * none) and the height of the stack before it came. */
static uint32_t walk_nested(struct nesting *n, const struct track_slices *s, uint32_t *stack_height)
{
    uint32_t height = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        int64_t start = s->start[i];
        int64_t last = last_ns(start, s->dur[i]);
        uint32_t parent = height;
        while (parent > 0 && n->open[parent - 1].last < last) {
            if (n->open[parent - 1].last >= start) {
                *stack_height = height;
                return i;
            }
            parent--;
        }
        if (parent == n->open_capacity)
            n->open =
                array_reserve(n->open, &n->open_capacity, (size_t)parent + 1, sizeof *n->open);
        n->open[parent] = (struct open_slice){last, parent};
        n->lane[i] = parent;
        count_in_lane(n, parent, s->dur[i]);
        height = parent + 1;
    }
    *stack_height = height;
    return s->count;
}

static void walk_crossing(struct nesting *n, const struct track_slices *s, uint32_t from,
                          uint32_t height)
{
    lane_tree_clear(&n->tree);
    for (uint32_t lane = 0; lane < n->lanes; lane++)
        lane_tree_append(&n->tree, n->open[lane].last);
    n->depth = array_reserve(n->depth, &n->depth_capacity, s->count, sizeof *n->depth);
    memcpy(n->depth, n->lane, from * sizeof *n->depth);

    for (uint32_t i = from; i < s->count; i++) {
        int64_t last = last_ns(s->start[i], s->dur[i]);
        while (height > 0 && n->open[height - 1].last < last)
            height--;
        size_t below = height > 0 ? (size_t)n->open[height - 1].lane + 1 : 0;
        uint32_t lane = lane_tree_place(&n->tree, below, s->start[i], last);
        if (height == n->open_capacity)
            n->open =
                array_reserve(n->open, &n->open_capacity, (size_t)height + 1, sizeof *n->open);
        n->open[height] = (struct open_slice){last, lane};
        n->lane[i] = lane;
        n->depth[i] = height;
        count_in_lane(n, lane, s->dur[i]);
        height++;
        if (height > n->levels)
            n->levels = height;
    }
}

void nesting_host(struct nesting *n, const struct track_slices *s)
{
    begin_track(n, s->count);
    uint32_t height;
    uint32_t crossing = walk_nested(n, s, &height);
    n->levels = n->lanes;
    n->depth_is_lane = crossing == s->count;
    n->overlap = !n->depth_is_lane;
    if (n->overlap)
        walk_crossing(n, s, crossing, height);
}

void nesting_device(struct nesting *n, const struct track_slices *s)
{
    begin_track(n, s->count);
    lane_tree_clear(&n->tree);
    int64_t busy_until = INT64_MIN;
    for (uint32_t i = 0; i < s->count; i++) {
        int64_t start = s->start[i];
        int64_t dur = s->dur[i];
        if (dur > 0) {
            n->overlap |= start < busy_until;
            busy_until = start + dur > busy_until ? start + dur : busy_until;
        }
        uint32_t lane = lane_tree_place(&n->tree, 0, start, last_ns(start, dur));
        n->lane[i] = lane;
        count_in_lane(n, lane, dur);
    }
    n->flat = true;
    n->levels = s->count > 0;
}
