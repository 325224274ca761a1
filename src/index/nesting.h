/*
 * Depth and lane of every slice of a track, in one walk over it.
 */
#ifndef SPYTOP_INDEX_NESTING_H
#define SPYTOP_INDEX_NESTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "index/lane_tree.h"
#include "index/reach.h"

/* What a lane holds. */
struct lane_tally {
    uint64_t busy; /* sum of the durations, modulo 2^64 */
    size_t count;
};

/* A slice that may contain later ones. */
struct open_slice {
    int64_t last;
    uint32_t lane;
};

/* The result of a walk, and the memory for it, used for one track after another.
 * Zeroed it is ready; nesting_free() releases its memory. */
struct nesting {
    uint32_t *lane;  /* of each slice */
    uint32_t *depth; /* likewise, unless depth_is_lane or flat */
    size_t lane_capacity, depth_capacity;
    struct lane_tally *tally; /* of each lane */
    size_t tally_capacity;

    uint32_t lanes;
    uint32_t levels;    /* largest depth + 1; 0 without slices */
    bool depth_is_lane; /* nothing crosses: a slice's lane is its depth */
    bool flat;          /* a device row: all depths are 0 */
    bool overlap;       /* slices overlap by more than 0 without nesting */

    struct open_slice *open; /* scratch: the stack of open slices */
    size_t open_capacity;
    struct lane_tree tree; /* scratch */
};

void nesting_host(struct nesting *n, const struct track_slices *s);
void nesting_device(struct nesting *n, const struct track_slices *s);
void nesting_free(struct nesting *n);

#endif
