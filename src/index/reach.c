#include "index/reach.h"

/* Where the levels of a tree are. Level 0 is the slices, which are not in it. */
struct shape {
    const int64_t *level[BLOCK_LEVELS];
    size_t count[BLOCK_LEVELS];
    unsigned top;
};

static size_t blocks_of(size_t count)
{
    return (count + BLOCK - 1) >> BLOCK_BITS;
}

/* A level of 16 or fewer entries is searched as it is, so it is the last. */
size_t reach_size(uint32_t count)
{
    size_t size = 0;
    for (size_t n = count; n > BLOCK;) {
        n = blocks_of(n);
        size += n;
    }
    return size;
}

static void shape_of(struct shape *shape, const int64_t *tree, uint32_t count)
{
    shape->level[0] = NULL;
    shape->count[0] = count;
    shape->top = 0;
    while (shape->count[shape->top] > BLOCK) {
        size_t blocks = blocks_of(shape->count[shape->top]);
        shape->top++;
        shape->level[shape->top] = tree;
        shape->count[shape->top] = blocks;
        tree += blocks;
    }
}

void reach_build(int64_t *tree, const struct track_slices *s)
{
    if (s->count <= BLOCK)
        return;
    size_t blocks = blocks_of(s->count);
    for (size_t block = 0; block < blocks; block++) {
        size_t begin = block * BLOCK;
        size_t end = begin + BLOCK < s->count ? begin + BLOCK : s->count;
        int64_t max = INT64_MIN;
        for (size_t i = begin; i < end; i++) {
            int64_t last = slice_last(s, i);
            max = last > max ? last : max;
        }
        tree[block] = max;
    }

    while (blocks > BLOCK) {
        int64_t *above = tree + blocks;
        size_t count = blocks;
        blocks = blocks_of(count);
        for (size_t block = 0; block < blocks; block++) {
            size_t begin = block * BLOCK;
            size_t end = begin + BLOCK < count ? begin + BLOCK : count;
            int64_t max = INT64_MIN;
            for (size_t i = begin; i < end; i++)
                max = tree[i] > max ? tree[i] : max;
            above[block] = max;
        }
        tree = above;
    }
}

/* The first slice of [begin, end) that reaches the time, else `end`. */
static size_t scan_slices(const struct track_slices *s, size_t begin, size_t end, int64_t time)
{
    while (begin < end && slice_last(s, begin) < time)
        begin++;
    return begin;
}

/* The end of the last one that does, else `begin`. */
static size_t scan_slices_back(const struct track_slices *s, size_t begin, size_t end, int64_t time)
{
    while (end > begin && slice_last(s, end - 1) < time)
        end--;
    return end;
}

static size_t block_end(size_t at, size_t count)
{
    size_t end = (at | (BLOCK - 1)) + 1;
    return end < count ? end : count;
}

uint32_t reach_first(const int64_t *tree, const struct track_slices *s, uint32_t from, int64_t time)
{
    if (from >= s->count)
        return s->count;
    size_t end = block_end(from, s->count);
    size_t at = scan_slices(s, from, end, time);
    if (at < end || end == s->count)
        return (uint32_t)at;

    /* Up, each level from where the one below ended, until a block reaches the
     * time; then down into it. `at` is at the beginning of a block of the level
     * below on the way up, and one of its entries reaches the time on the way
     * down. */
    struct shape shape;
    shape_of(&shape, tree, s->count);
    unsigned level;
    for (level = 1; level <= shape.top; level++) {
        at >>= BLOCK_BITS;
        end = block_end(at, shape.count[level]);
        const int64_t *last = shape.level[level];
        while (at < end && last[at] < time)
            at++;
        if (at < end)
            break;
        if (end == shape.count[level])
            return s->count;
    }
    while (--level > 0) {
        const int64_t *last = shape.level[level];
        at <<= BLOCK_BITS;
        while (last[at] < time)
            at++;
    }
    at <<= BLOCK_BITS;
    return (uint32_t)scan_slices(s, at, block_end(at, s->count), time);
}

uint32_t reach_last_before(const int64_t *tree, const struct track_slices *s, uint32_t before,
                           int64_t time)
{
    if (before == 0)
        return UINT32_MAX;
    /* `at` is the end of what is left to search, as in [begin, at). */
    size_t begin = (size_t)(before - 1) & ~(size_t)(BLOCK - 1);
    size_t at = scan_slices_back(s, begin, before, time);
    if (at > begin)
        return (uint32_t)(at - 1);
    if (begin == 0)
        return UINT32_MAX;

    struct shape shape;
    shape_of(&shape, tree, s->count);
    unsigned level;
    for (level = 1; level <= shape.top; level++) {
        at >>= BLOCK_BITS;
        begin = (at - 1) & ~(size_t)(BLOCK - 1);
        const int64_t *last = shape.level[level];
        while (at > begin && last[at - 1] < time)
            at--;
        if (at > begin)
            break;
        if (begin == 0)
            return UINT32_MAX;
    }
    /* Down again: this block is before the one that `before` is in, so it is full. */
    while (--level > 0) {
        const int64_t *last = shape.level[level];
        at <<= BLOCK_BITS;
        while (last[at - 1] < time)
            at--;
    }
    at <<= BLOCK_BITS;
    return (uint32_t)(scan_slices_back(s, at - BLOCK, at, time) - 1);
}
