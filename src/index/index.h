/*
 * Answers about intervals in O(log n): what overlaps a window, what is open at a
 * time, who is next, in which lane a slice is drawn and how busy a lane is.
 *
 * Per track an implicit interval tree (the maximum end of every 16, 256, ...
 * slices in start order), lanes in which slices are disjoint, and running sums
 * of the busy time of every lane. A track's slices keep the order they have in
 * the trace: start, longer first, file order.
 */
#ifndef SPYTOP_INDEX_INDEX_H
#define SPYTOP_INDEX_INDEX_H

#include "trace/trace.h"

struct index;

/* Indexes all tracks of the trace, which must outlive the index. `threads`: how
 * many to use, 0 for as many as there are cores. Release with index_free(). */
struct index *index_build(const struct trace *t, unsigned threads);
void index_free(struct index *ix);

/* Bytes held. */
size_t index_bytes(const struct index *ix);

/* Lanes of a track (1 at least where it has slices), and how many levels deep it
 * nests: the largest depth + 1, so 1 where nothing nests. Both 0 without slices. */
uint32_t index_lanes(const struct index *ix, uint32_t track);
uint32_t index_max_depth(const struct index *ix, uint32_t track);

/* True if slices of the track overlap, by more than 0, without nesting (device
 * rows: at all). */
bool index_has_overlap(const struct index *ix, uint32_t track);

/* A slice nests in the innermost slice that contains it whole: the last one before
 * it, in track order, that does not end before it ends. All is half open: a slice
 * without length at the end of another is outside; several at one time nest in
 * file order, as equal slices do.
 *
 * Depth: its parent's + 1, 0 without parent (device rows: always 0). Lane: on which
 * line of the track it is drawn; the first after its parent's that is free over its
 * whole length. A slice without length takes up the instant it lies at. So the
 * slices of a lane have distinct starts, and no time has two of them. Where nothing
 * crosses, depth and lane are equal. */
uint32_t index_depth(const struct index *ix, uint32_t slice);
uint32_t index_lane(const struct index *ix, uint32_t slice);

/* The slice a slice nests in, or TRACE_NONE (device rows: always). O(log n). */
uint32_t index_parent(const struct index *ix, uint32_t slice);

/* True if a slice is in the window [from, to): starts before `to` and ends after
 * `from`; if it has no length, from <= start < to. */
bool index_in_window(const struct trace *t, uint32_t slice, int64_t from_ns, int64_t to_ns);

/* The first slice of the track at or after `slice` (which may be the track's
 * end) in the window, or TRACE_NONE. Start with the track's first slice and go
 * on with result + 1: visits the slices of the window in track order, O(log n)
 * each and skipping over what is not in it. */
uint32_t index_overlap(const struct index *ix, uint32_t track, uint32_t slice, int64_t from_ns,
                       int64_t to_ns);

/* The first slice of the track that starts at or after `at_ns`; the track's end
 * (first + count) where there is none. */
uint32_t index_start_at(const struct index *ix, uint32_t track, int64_t at_ns);

/* The innermost slice open at a time on the track (the last in track order of
 * those with start <= at < end, or start == at without length), or TRACE_NONE. */
uint32_t index_stab(const struct index *ix, uint32_t track, int64_t at_ns);

/* Lanes. In a lane slices are disjoint and in start order; positions count from
 * 0. A lane or position that is not there: no slices, TRACE_NONE. */
uint32_t index_lane_count(const struct index *ix, uint32_t track, uint32_t lane);
uint32_t index_lane_slice(const struct index *ix, uint32_t track, uint32_t lane, uint32_t position);

/* The position of the first slice of the lane that ends after `at_ns` (or, without
 * length, lies at or after it); index_lane_count() where there is none. */
uint32_t index_lane_find(const struct index *ix, uint32_t track, uint32_t lane, int64_t at_ns);

/* The slice of the lane that is open at a time, or TRACE_NONE. */
uint32_t index_lane_at(const struct index *ix, uint32_t track, uint32_t lane, int64_t at_ns);

/* Nanoseconds of [from, to) that the slices of a lane cover: O(log n). */
int64_t index_lane_busy(const struct index *ix, uint32_t track, uint32_t lane, int64_t from_ns,
                        int64_t to_ns);

/* Both at once for a walk from one interval to the next: `position` is what
 * index_lane_find() says of `from_ns`; *busy_ns is index_lane_busy() of [from, to) and
 * the result is index_lane_find() of `to_ns`. The cost depends on how many slices lie
 * between (its logarithm), not on the lane. */
uint32_t index_lane_sweep(const struct index *ix, uint32_t track, uint32_t lane, uint32_t position,
                          int64_t from_ns, int64_t to_ns, int64_t *busy_ns);

/* The neighbour of a slice in its lane, or TRACE_NONE. */
uint32_t index_lane_next(const struct index *ix, uint32_t slice);
uint32_t index_lane_previous(const struct index *ix, uint32_t slice);

#endif
