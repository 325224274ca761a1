#include "index/lane_tree.h"

#include <stdlib.h>

#include "base/memory.h"

void lane_tree_clear(struct lane_tree *t)
{
    for (unsigned k = 0; k < BLOCK_LEVELS; k++)
        t->level[k].count = 0;
    t->levels = 1;
}

void lane_tree_free(struct lane_tree *t)
{
    for (unsigned k = 0; k < BLOCK_LEVELS; k++)
        free(t->level[k].last);
    *t = (struct lane_tree){0};
}

/* The smallest of a block of the level. */
static int64_t block_min(const struct lane_level *level, size_t block)
{
    size_t begin = block * BLOCK;
    size_t end = begin + BLOCK < level->count ? begin + BLOCK : level->count;
    int64_t min = INT64_MAX;
    for (size_t i = begin; i < end; i++)
        min = level->last[i] < min ? level->last[i] : min;
    return min;
}

void lane_tree_append(struct lane_tree *t, int64_t last)
{
    size_t at = t->level[0].count;
    ARRAY_PUSH(t->level[0].last, t->level[0].count, t->level[0].capacity, last);
    for (unsigned k = 1; k < t->levels; k++) {
        struct lane_level *level = &t->level[k];
        at >>= BLOCK_BITS;
        if (at == level->count)
            ARRAY_PUSH(level->last, level->count, level->capacity, last);
        else if (last < level->last[at])
            level->last[at] = last;
    }

    /* The top level has outgrown a block: it gets a level above it. */
    const struct lane_level *top = &t->level[t->levels - 1];
    if (top->count > BLOCK) {
        struct lane_level *level = &t->level[t->levels++];
        ARRAY_PUSH(level->last, level->count, level->capacity, block_min(top, 0));
        ARRAY_PUSH(level->last, level->count, level->capacity, block_min(top, 1));
    }
}

/* A lane is now occupied longer: up to `last`. */
static void occupy(struct lane_tree *t, size_t lane, int64_t last)
{
    int64_t old = t->level[0].last[lane];
    t->level[0].last[lane] = last;
    for (unsigned k = 1; k < t->levels; k++) {
        lane >>= BLOCK_BITS;
        /* Values only grow: a block changes only if this was its smallest. */
        if (t->level[k].last[lane] != old)
            return;
        t->level[k].last[lane] = block_min(&t->level[k - 1], lane);
        if (t->level[k].last[lane] == old)
            return;
    }
}

/* The first lane at or after `from` that is free at `start`, else the number of
 * lanes. */
static size_t first_free(const struct lane_tree *t, size_t from, int64_t start)
{
    size_t at = from;
    unsigned k = 0;
    for (;;) {
        const struct lane_level *level = &t->level[k];
        size_t end = (at | (BLOCK - 1)) + 1;
        if (end > level->count)
            end = level->count;
        while (at < end && level->last[at] >= start)
            at++;
        if (at < end) {
            if (k == 0)
                return at;
            k--; /* this block has a free lane: down into it */
            at <<= BLOCK_BITS;
        } else if (end == level->count) {
            return t->level[0].count;
        } else {
            k++;
            at >>= BLOCK_BITS;
        }
    }
}

uint32_t lane_tree_place(struct lane_tree *t, size_t from, int64_t start, int64_t last)
{
    size_t lane = first_free(t, from, start);
    if (lane == t->level[0].count)
        lane_tree_append(t, last);
    else
        occupy(t, lane, last);
    return (uint32_t)lane;
}
