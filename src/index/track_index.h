/*
 * What the index keeps of one track, and the answers about its lanes. Slices are
 * counted from the track's first.
 *
 * Nothing is stored that follows from something else: a track with one lane, or
 * with a lane for every slice, needs neither the lanes nor their lists. Numbers
 * take as many bytes as the largest of them needs.
 */
#ifndef SPYTOP_INDEX_TRACK_INDEX_H
#define SPYTOP_INDEX_TRACK_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "index/nesting.h"
#include "index/reach.h"

struct track_index {
    void *block;  /* the one allocation that all arrays are in */
    size_t bytes; /* its size */

    const int64_t *reach; /* see reach.h */
    /* The slices of lane 0, then those of lane 1, ...; NULL: as on the track. */
    const uint32_t *list;
    const uint64_t *busy;       /* sums of durations before list[16], list[32], ... mod 2^64 */
    const uint32_t *lane_first; /* where a lane begins in the list; NULL: to be searched */
    const uint8_t *lane;        /* of each slice, lane_width bytes each */
    const uint8_t *depth;       /* likewise */

    uint32_t lanes;
    uint32_t levels; /* largest depth + 1 */
    uint8_t lane_width, depth_width;
    bool depth_is_lane;
    bool overlap;
};

/* Fills a track's index; `scratch` is memory that tracks can share, one after
 * another. Release with track_index_free(). */
void track_index_build(struct track_index *ti, const struct track_slices *s, bool device,
                       struct nesting *scratch);
void track_index_free(struct track_index *ti);

uint32_t track_index_lane(const struct track_index *ti, uint32_t slice);
uint32_t track_index_depth(const struct track_index *ti, uint32_t slice);

/* A lane's part of the list: [begin, end); empty for a lane that is not there. */
struct lane_range {
    uint32_t begin, end;
};
struct lane_range track_index_range(const struct track_index *ti, const struct track_slices *s,
                                    uint32_t lane);

/* The slice at a place of the list. */
static inline uint32_t track_index_at(const struct track_index *ti, uint32_t place)
{
    return ti->list ? ti->list[place] : place;
}

/* The first place of a range whose slice is `slice` or later; its end if none. */
uint32_t track_index_place(const struct track_index *ti, struct lane_range range, uint32_t slice);

/* The sum of the durations of the slices in a range, modulo 2^64. */
uint64_t track_index_sum(const struct track_index *ti, const struct track_slices *s,
                         struct lane_range range);

#endif
