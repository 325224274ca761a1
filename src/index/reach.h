/*
 * The interval tree of a track: which slices reach a time.
 *
 * A slice is taken to occupy the nanoseconds from its start to its last one, both
 * included; a slice without length occupies the one it lies at. So the half-open
 * rules (touching slices do not overlap, a zero-length slice at an end is outside)
 * are plain comparisons, and nothing overflows.
 *
 * The tree is implicit: the largest last nanosecond of every 16 slices, of every
 * 16 of those blocks, and so on, level after level in one array. The slices
 * themselves are the lowest level and are read in the trace's columns.
 */
#ifndef SPYTOP_INDEX_REACH_H
#define SPYTOP_INDEX_REACH_H

#include <stddef.h>
#include <stdint.h>

/* Entries of one level that share an entry of the next. */
enum { BLOCK_BITS = 4, BLOCK = 1 << BLOCK_BITS };
/* Enough levels, slices included, for 2^32 slices. */
enum { BLOCK_LEVELS = 9 };

/* The columns of one track. Slices are counted from the track's first. */
struct track_slices {
    const int64_t *start, *dur;
    uint32_t count;
};

/* The last nanosecond that a slice occupies. */
static inline int64_t last_ns(int64_t start, int64_t dur)
{
    return start + dur - (dur > 0);
}
static inline int64_t slice_last(const struct track_slices *s, size_t slice)
{
    return last_ns(s->start[slice], s->dur[slice]);
}

/* The tree's size (in int64_t; 0 for up to 16 slices), and filling it. */
size_t reach_size(uint32_t count);
void reach_build(int64_t *tree, const struct track_slices *s);

/* The first slice at or after `from` that occupies a time at or after `time`;
 * s->count where there is none. O(log n). */
uint32_t reach_first(const int64_t *tree, const struct track_slices *s, uint32_t from,
                     int64_t time);

/* The last slice before `before` that does; UINT32_MAX where there is none. */
uint32_t reach_last_before(const int64_t *tree, const struct track_slices *s, uint32_t before,
                           int64_t time);

#endif
