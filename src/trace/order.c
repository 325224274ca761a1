/*
 * The slices' columns in their final order: by track, start, longer first, file
 * order. Traces are mostly in order already, so a natural merge sort of indices
 * per track finds little to do; then one column after the other is moved, so that
 * no more than one exists twice.
 */
#include <stdlib.h>

#include "base/duration.h"
#include "base/memory.h"
#include "trace/finish.h"

static bool before(const struct columns *c, uint32_t a, uint32_t b)
{
    if (c->ts_ns[a] != c->ts_ns[b])
        return c->ts_ns[a] < c->ts_ns[b];
    if (c->dur_ns[a] != c->dur_ns[b])
        return c->dur_ns[a] > c->dur_ns[b];
    return c->byte[a] < c->byte[b];
}

/* Merges order[0..middle) and order[middle..n), both sorted, with the help of
 * spare[n]. */
static void merge(const struct columns *c, uint32_t *order, size_t middle, size_t n,
                  uint32_t *spare)
{
    size_t left = 0, right = middle, out = left;
    memcpy(spare, order, middle * sizeof *order);
    while (left < middle && right < n)
        order[out++] = before(c, order[right], spare[left]) ? order[right++] : spare[left++];
    memcpy(order + out, spare + left, (middle - left) * sizeof *order);
}

/* The length of the run that begins the array; a descending one is turned round. */
static size_t run_length(const struct columns *c, uint32_t *order, size_t n)
{
    size_t len = 1;
    if (n < 2)
        return n;
    if (before(c, order[1], order[0])) {
        while (len < n && before(c, order[len], order[len - 1]))
            len++;
        for (size_t i = 0; i < len / 2; i++) {
            uint32_t other = order[i];
            order[i] = order[len - 1 - i];
            order[len - 1 - i] = other;
        }
        return len;
    }
    while (len < n && !before(c, order[len], order[len - 1]))
        len++;
    return len;
}

/* Short runs are made this long by insertion. */
enum { SHORTEST_RUN = 32, RUN_STACK = 64 };

static size_t extend_run(const struct columns *c, uint32_t *order, size_t len, size_t n)
{
    size_t want = n < SHORTEST_RUN ? n : SHORTEST_RUN;
    for (; len < want; len++) {
        uint32_t slice = order[len];
        size_t at = len;
        for (; at > 0 && before(c, slice, order[at - 1]); at--)
            order[at] = order[at - 1];
        order[at] = slice;
    }
    return len;
}

/* Natural merge sort. Runs wait on a stack and are merged while the one below is
 * not more than twice as long: the stack stays O(log n) deep and the work O(n log
 * runs). */
static void sort_track(const struct columns *c, uint32_t *order, size_t n, uint32_t *spare)
{
    size_t starts[RUN_STACK + 1], depth = 0, at = 0;
    while (at < n) {
        size_t len = run_length(c, order + at, n - at);
        len = extend_run(c, order + at, len, n - at);
        starts[depth++] = at;
        at += len;
        while (depth > 1 &&
               (starts[depth - 1] - starts[depth - 2] <= 2 * (at - starts[depth - 1]) ||
                depth == RUN_STACK)) {
            depth--;
            merge(c, order + starts[depth - 1], starts[depth] - starts[depth - 1],
                  at - starts[depth - 1], spare);
        }
    }
    for (; depth > 1; depth--)
        merge(c, order + starts[depth - 2], starts[depth - 1] - starts[depth - 2],
              n - starts[depth - 2], spare);
}

/* Slices grouped by track, in file order: the places for a counting sort. */
static uint32_t *group_by_track(struct builder *b)
{
    struct trace *t = b->t;
    const struct columns *c = &b->slices;
    uint32_t *order = xreallocarray(NULL, c->count + 1, sizeof *order);
    uint32_t *next = xcalloc((size_t)t->track_count + 1, sizeof *next);
    for (size_t i = 0; i < c->count; i++)
        t->tracks[t->source_track[c->source[i]]].count++;
    uint32_t first = 0;
    for (uint32_t k = 0; k < t->track_count; k++) {
        t->tracks[k].first = next[k] = first;
        first += t->tracks[k].count;
    }
    for (size_t i = 0; i < c->count; i++)
        order[next[t->source_track[c->source[i]]]++] = (uint32_t)i;
    free(next);
    return order;
}

static void sort_tracks(struct builder *b, uint32_t *order)
{
    const struct trace *t = b->t;
    const struct columns *c = &b->slices;
    uint32_t *spare = NULL;
    size_t spare_size = 0;
    for (uint32_t k = 0; k < t->track_count; k++) {
        uint32_t *slices = order + t->tracks[k].first;
        size_t n = t->tracks[k].count, sorted = 1;
        while (sorted < n && !before(c, slices[sorted], slices[sorted - 1]))
            sorted++;
        if (sorted >= n)
            continue;
        if (n > spare_size) {
            free(spare);
            spare_size = n;
            spare = xreallocarray(NULL, spare_size, sizeof *spare);
        }
        sort_track(c, slices, n, spare);
    }
    free(spare);
}

static void move_column_8(void **column, const uint32_t *order, size_t n)
{
    const uint64_t *from = *column;
    uint64_t *to = xreallocarray(NULL, n + 1, sizeof *to);
    for (size_t i = 0; i < n; i++)
        to[i] = from[order[i]];
    free(*column);
    *column = to;
}

static void move_column_4(void **column, const uint32_t *order, size_t n)
{
    const uint32_t *from = *column;
    uint32_t *to = xreallocarray(NULL, n + 1, sizeof *to);
    for (size_t i = 0; i < n; i++)
        to[i] = from[order[i]];
    free(*column);
    *column = to;
}

/* Times count from the origin; the end of a slice must not overflow even where the
 * file's times are at both ends of the range. */
static void make_relative(struct trace *t)
{
    for (uint32_t i = 0; i < t->slice_count; i++) {
        int64_t start = ns_sub(t->start_ns[i], t->origin_ns);
        if (start > INT64_MAX - t->dur_ns[i])
            start = INT64_MAX - t->dur_ns[i];
        t->start_ns[i] = start;
    }
}

static void find_track_extents(struct trace *t)
{
    for (uint32_t k = 0; k < t->track_count; k++) {
        struct track *track = &t->tracks[k];
        for (uint32_t i = track->first; i < track->first + track->count; i++) {
            int64_t end = trace_end_ns(t, i);
            if (i == track->first || end > track->end_ns)
                track->end_ns = end;
        }
        if (track->count)
            track->start_ns = t->start_ns[track->first];
    }
}

static int compare_slice_ends(const void *a, const void *b)
{
    const struct slice_end *x = a, *y = b;
    return x->slice < y->slice ? -1 : x->slice > y->slice;
}

/* Pairs know their slice by its place in file order: the new place. */
static void renumber_slice_ends(struct trace *t, const uint32_t *order, size_t n)
{
    if (t->slice_end_count == 0)
        return;
    uint32_t *place = xreallocarray(NULL, n, sizeof *place);
    for (size_t i = 0; i < n; i++)
        place[order[i]] = (uint32_t)i;
    for (size_t i = 0; i < t->slice_end_count; i++)
        t->slice_ends[i].slice = place[t->slice_ends[i].slice];
    free(place);
    array_sort(t->slice_ends, t->slice_end_count, sizeof *t->slice_ends, compare_slice_ends);
}

void finish_order(struct builder *b)
{
    struct trace *t = b->t;
    struct columns *c = &b->slices;
    size_t n = c->count;
    t->slice_count = (uint32_t)n;
    uint32_t *order = group_by_track(b);
    free(c->source);
    c->source = NULL;
    sort_tracks(b, order);
    move_column_8((void **)&c->ts_ns, order, n);
    move_column_8((void **)&c->dur_ns, order, n);
    move_column_8((void **)&c->byte, order, n);
    move_column_4((void **)&c->label, order, n);
    move_column_4((void **)&c->correlation, order, n);
    renumber_slice_ends(t, order, n);
    free(order);
    t->start_ns = c->ts_ns;
    t->dur_ns = c->dur_ns;
    t->byte = c->byte;
    t->label = c->label;
    t->correlation = c->correlation;
    *c = (struct columns){0};
    make_relative(t);
    find_track_extents(t);
}
