/*
 * Which lane is free: the leftmost of many in O(log lanes).
 *
 * Of each lane the last occupied nanosecond is kept, and above them the smallest
 * of every 16 lanes, of every 16 of those, and so on. Slices come in start order,
 * so a lane is free for a slice if what was put there last ends before its start.
 */
#ifndef SPYTOP_INDEX_LANE_TREE_H
#define SPYTOP_INDEX_LANE_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "index/reach.h"

struct lane_tree {
    struct lane_level {
        int64_t *last;
        size_t count, capacity;
    } level[BLOCK_LEVELS]; /* level 0: the lanes */
    unsigned levels;
};

/* A zeroed tree is ready for lane_tree_clear(), which leaves it without lanes but
 * with its memory; lane_tree_free() releases that. */
void lane_tree_clear(struct lane_tree *t);
void lane_tree_free(struct lane_tree *t);

/* Adds a lane that is occupied up to `last`. */
void lane_tree_append(struct lane_tree *t, int64_t last);

/* Puts a slice that occupies [start, last] in the first free lane at or after
 * `from`, a new one if need be, and returns that lane. `from` is at most the
 * number of lanes. */
uint32_t lane_tree_place(struct lane_tree *t, size_t from, int64_t start, int64_t last);

#endif
