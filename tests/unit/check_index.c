#include "index/index.h"

#include <stdlib.h>

#include "base/duration.h"
#include "base/memory.h"
#include "test_support.h"

/* ------------------------------------------------------------------------
 * Traces made by hand: only what the index reads. */

static const int64_t EARLIEST = INT64_MIN / 2;

/* As in test_support.h, but without a ck_assert, which costs a system call. */
static uint64_t below(struct random *r, uint64_t limit)
{
    return (random_next(r) >> 1) % limit;
}
static int64_t between(struct random *r, int64_t low, int64_t high)
{
    uint64_t span = (uint64_t)high - (uint64_t)low;
    uint64_t step = span == UINT64_MAX ? random_next(r) : random_next(r) % (span + 1);
    return (int64_t)((uint64_t)low + step);
}
static bool chance(struct random *r, unsigned percent)
{
    return below(r, 100) < percent;
}

struct slice {
    int64_t start, dur;
    uint32_t order;
};

struct made {
    struct trace trace;
    size_t track_capacity, slice_capacity, dur_capacity;
};

static int track_order(const void *left, const void *right)
{
    const struct slice *a = left;
    const struct slice *b = right;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->dur != b->dur)
        return a->dur > b->dur ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static void add_track(struct made *m, enum track_kind kind, struct slice *slices, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        slices[i].order = i;
    if (count > 0)
        qsort(slices, count, sizeof *slices, track_order);

    struct trace *t = &m->trace;
    size_t need = (size_t)t->slice_count + count;
    t->start_ns = array_reserve(t->start_ns, &m->slice_capacity, need, sizeof *t->start_ns);
    t->dur_ns = array_reserve(t->dur_ns, &m->dur_capacity, need, sizeof *t->dur_ns);
    size_t tracks = t->track_count;
    struct track track = {.kind = kind, .first = t->slice_count, .count = count};
    ARRAY_PUSH(t->tracks, tracks, m->track_capacity, track);
    t->track_count = (uint32_t)tracks;
    for (uint32_t i = 0; i < count; i++) {
        t->start_ns[t->slice_count] = slices[i].start;
        t->dur_ns[t->slice_count] = slices[i].dur;
        t->slice_count++;
    }
}

static void unmake(struct made *m)
{
    free(m->trace.start_ns);
    free(m->trace.dur_ns);
    free(m->trace.tracks);
}

/* ------------------------------------------------------------------------
 * Shapes of tracks */

enum shape {
    DENSE,
    NESTED,
    CROSSING,
    IDENTICAL,
    INSTANTS,
    TOUCHING,
    FAR,
    WIDE,
    STAIRS,
    PAIRS,
    SHAPES
};

/* Fills slices[at..end) with slices inside [from, to), each around the next few. */
static void fill_nested(struct random *r, struct slice *slices, uint32_t at, uint32_t end,
                        int64_t from, int64_t to)
{
    while (at < end) {
        int64_t start = between(r, from, to);
        int64_t stop = between(r, start, to);
        slices[at++] = (struct slice){.start = start, .dur = stop - start};
        uint32_t inside = (uint32_t)below(r, end - at + 1);
        if (stop > start)
            fill_nested(r, slices, at, at + inside, start, stop);
        else
            inside = 0;
        at += inside;
        from = stop;
    }
}

static struct slice random_slice(struct random *r, enum shape shape, uint32_t i, uint32_t count)
{
    int64_t n = count;
    int64_t start;
    int64_t end;
    switch (shape) {
    case CROSSING:
        return (struct slice){.start = 3 * (int64_t)i, .dur = between(r, 0, 40)};
    case IDENTICAL:
        return (struct slice){.start = 10 * between(r, 0, 3), .dur = 10 * between(r, 0, 2)};
    case INSTANTS:
        return (struct slice){.start = between(r, 0, n / 2 + 1),
                              .dur = chance(r, 80) ? 0 : between(r, 1, 5)};
    case TOUCHING:
        return (struct slice){.start = 5 * (int64_t)i,
                              .dur = chance(r, 85) ? 5 : 5 * between(r, 0, 8)};
    case FAR:
        start = chance(r, 20) ? EARLIEST : between(r, EARLIEST, INT64_MAX);
        end = chance(r, 20) ? INT64_MAX : between(r, start, INT64_MAX);
        if (start < 0 && end > INT64_MAX + start) /* a length, too, must fit */
            end = INT64_MAX + start;
        return (struct slice){.start = start, .dur = end - start};
    case WIDE:
        return (struct slice){.start = between(r, 0, 10), .dur = 10 * n - between(r, 0, 10)};
    case STAIRS:
        return (struct slice){.start = i, .dur = n / 3 + (int64_t)(i % 7 == 0)};
    case PAIRS:
        return (struct slice){.start = 10 * (int64_t)(i / 2) + i % 2, .dur = between(r, 3, 8)};
    default:
        return (struct slice){.start = between(r, 0, n / 4 + 1), .dur = between(r, 0, 12)};
    }
}

static struct slice *random_slices(struct random *r, enum shape shape, uint32_t count)
{
    struct slice *slices = xcalloc(count, sizeof *slices);
    if (shape == NESTED)
        fill_nested(r, slices, 0, count, 0, 20 * (int64_t)count);
    else
        for (uint32_t i = 0; i < count; i++)
            slices[i] = random_slice(r, shape, i, count);
    return slices;
}

/* ------------------------------------------------------------------------
 * The same answers by looking at everything. Slices are those of the trace. */

static int64_t start_of(const struct trace *t, uint32_t slice)
{
    return t->start_ns[slice];
}
static int64_t end_of(const struct trace *t, uint32_t slice)
{
    return t->start_ns[slice] + t->dur_ns[slice];
}
static bool is_instant(const struct trace *t, uint32_t slice)
{
    return t->dur_ns[slice] == 0;
}

/* The earlier slice (in track order) contains the later one whole. */
static bool contains(const struct trace *t, uint32_t earlier, uint32_t later)
{
    if (is_instant(t, earlier))
        return is_instant(t, later) && start_of(t, earlier) == start_of(t, later);
    return end_of(t, earlier) >= end_of(t, later) && end_of(t, earlier) > start_of(t, later);
}

static bool open_at(const struct trace *t, uint32_t slice, int64_t at)
{
    return is_instant(t, slice) ? start_of(t, slice) == at
                                : start_of(t, slice) <= at && at < end_of(t, slice);
}

static bool in_window(const struct trace *t, uint32_t slice, int64_t from, int64_t to)
{
    if (is_instant(t, slice))
        return from <= start_of(t, slice) && start_of(t, slice) < to;
    return start_of(t, slice) < to && end_of(t, slice) > from;
}

static uint32_t plain_parent(const struct trace *t, const struct track *track, uint32_t slice)
{
    if (track->kind == TRACK_DEVICE)
        return TRACE_NONE;
    for (uint32_t p = slice; p-- > track->first;)
        if (contains(t, p, slice))
            return p;
    return TRACE_NONE;
}

/* Slices share time: more than 0 of it, or one is an instant that the other,
 * which started first, takes up too. */
static bool plain_overlap(const struct trace *t, uint32_t earlier, uint32_t later)
{
    return end_of(t, earlier) > start_of(t, later) && !is_instant(t, later);
}
static bool plain_conflict(const struct trace *t, uint32_t earlier, uint32_t later)
{
    return open_at(t, earlier, start_of(t, later));
}

struct plain {
    uint32_t *depth, *lane, *parent; /* by slice of the trace */
    uint32_t lanes, levels;          /* of the track */
    bool overlap;
};

static uint32_t plain_lane(const struct trace *t, const struct plain *p, const struct track *track,
                           uint32_t slice)
{
    uint32_t lane = p->parent[slice] == TRACE_NONE ? 0 : p->lane[p->parent[slice]] + 1;
    for (uint32_t q = track->first; q < slice;) {
        if (p->lane[q] == lane && plain_conflict(t, q, slice)) {
            lane++;
            q = track->first;
        } else {
            q++;
        }
    }
    return lane;
}

static struct plain plain_track(const struct trace *t, const struct track *track)
{
    struct plain p = {.depth = xcalloc(t->slice_count, sizeof *p.depth),
                      .lane = xcalloc(t->slice_count, sizeof *p.lane),
                      .parent = xcalloc(t->slice_count, sizeof *p.parent)};
    for (uint32_t s = track->first; s < track->first + track->count; s++) {
        p.parent[s] = plain_parent(t, track, s);
        p.depth[s] = p.parent[s] == TRACE_NONE ? 0 : p.depth[p.parent[s]] + 1;
        p.lane[s] = plain_lane(t, &p, track, s);
        p.lanes = p.lane[s] + 1 > p.lanes ? p.lane[s] + 1 : p.lanes;
        p.levels = p.depth[s] + 1 > p.levels ? p.depth[s] + 1 : p.levels;
        for (uint32_t q = track->first; q < s; q++)
            if (plain_overlap(t, q, s) && (track->kind == TRACK_DEVICE || !contains(t, q, s)))
                p.overlap = true;
    }
    return p;
}

static void plain_free(struct plain *p)
{
    free(p->depth);
    free(p->lane);
    free(p->parent);
}

/* ------------------------------------------------------------------------
 * Comparing. ck_assert is too slow for millions of comparisons. */

static void same(const char *what, int64_t at, int64_t got, int64_t want)
{
    if (got != want)
        ck_abort_msg("%s at %lld: got %lld, want %lld", what, (long long)at, (long long)got,
                     (long long)want);
}

/* A time at which something happens on the track, one beside it, or any. */
static int64_t some_time(struct random *r, const struct trace *t, const struct track *track)
{
    if (track->count == 0 || chance(r, 4))
        return chance(r, 50)   ? INT64_MIN
               : chance(r, 50) ? INT64_MAX
                               : between(r, INT64_MIN, INT64_MAX);
    uint32_t slice = track->first + (uint32_t)below(r, track->count);
    int64_t at = chance(r, 50) ? start_of(t, slice) : end_of(t, slice);
    return ns_add(at, between(r, -2, 2));
}

static void compare_window(const struct index *ix, const struct trace *t, uint32_t track,
                           int64_t from, int64_t to)
{
    const struct track *k = &t->tracks[track];
    uint32_t next = index_overlap(ix, track, k->first, from, to);
    for (uint32_t s = k->first; s < k->first + k->count; s++) {
        bool inside = in_window(t, s, from, to);
        same("index_in_window", s, index_in_window(t, s, from, to), inside);
        if (!inside)
            continue;
        same("index_overlap", from, next, s);
        next = index_overlap(ix, track, s + 1, from, to);
    }
    same("end of index_overlap", from, next, TRACE_NONE);
}

static void compare_time(const struct index *ix, const struct trace *t, uint32_t track, int64_t at)
{
    const struct track *k = &t->tracks[track];
    uint32_t end = k->first + k->count;
    uint32_t start_at = end;
    uint32_t stab = TRACE_NONE;
    for (uint32_t s = k->first; s < end; s++) {
        if (open_at(t, s, at))
            stab = s;
        if (start_at == end && start_of(t, s) >= at)
            start_at = s;
    }
    same("index_start_at", at, index_start_at(ix, track, at), start_at);
    same("index_stab", at, index_stab(ix, track, at), stab);
}

/* One lane, whose slices by brute force are lane[0..count), at some times. */
static void compare_lane(const struct index *ix, const struct trace *t, uint32_t track,
                         uint32_t lane, const uint32_t *slices, uint32_t count, struct random *r)
{
    same("index_lane_count", lane, index_lane_count(ix, track, lane), count);
    for (uint32_t i = 0; i < count; i++) {
        same("index_lane_slice", i, index_lane_slice(ix, track, lane, i), slices[i]);
        same("index_lane_next", i, index_lane_next(ix, slices[i]),
             i + 1 < count ? slices[i + 1] : TRACE_NONE);
        same("index_lane_previous", i, index_lane_previous(ix, slices[i]),
             i > 0 ? slices[i - 1] : TRACE_NONE);
    }
    same("beyond the lane", lane, index_lane_slice(ix, track, lane, count), TRACE_NONE);

    for (int round = 0; round < 6; round++) {
        int64_t from = round == 0 ? INT64_MIN : some_time(r, t, &t->tracks[track]);
        int64_t to = round == 0 ? INT64_MAX : some_time(r, t, &t->tracks[track]);
        uint32_t find = count;
        uint32_t at = TRACE_NONE;
        uint64_t busy = 0; /* slices are disjoint: it fits */
        for (uint32_t i = 0; i < count; i++) {
            int64_t start = start_of(t, slices[i]);
            int64_t end = end_of(t, slices[i]);
            if (find == count && (is_instant(t, slices[i]) ? start >= from : end > from))
                find = i;
            if (open_at(t, slices[i], from)) {
                same("slices open at once in a lane", from, at, TRACE_NONE);
                at = slices[i];
            }
            start = start > from ? start : from;
            end = end < to ? end : to;
            busy += start < end ? (uint64_t)end - (uint64_t)start : 0;
        }
        int64_t held = busy > INT64_MAX ? INT64_MAX : (int64_t)busy;
        same("index_lane_find", from, index_lane_find(ix, track, lane, from), find);
        same("index_lane_at", from, index_lane_at(ix, track, lane, from), at);
        int64_t swept;
        uint32_t after = index_lane_sweep(ix, track, lane, index_lane_find(ix, track, lane, from),
                                          from, to, &swept);
        if (from < to) {
            same("sweep", from, swept, index_lane_busy(ix, track, lane, from, to));
            same("sweep to", to, after, index_lane_find(ix, track, lane, to));
        }
        same("index_lane_busy", from, index_lane_busy(ix, track, lane, from, to), held);
    }
}

static void compare_track(const struct index *ix, const struct trace *t, uint32_t track,
                          struct random *r)
{
    const struct track *k = &t->tracks[track];
    struct plain p = plain_track(t, k);
    same("index_lanes", track, index_lanes(ix, track), p.lanes);
    same("index_max_depth", track, index_max_depth(ix, track), p.levels);
    same("index_has_overlap", track, index_has_overlap(ix, track), p.overlap);
    for (uint32_t s = k->first; s < k->first + k->count; s++) {
        same("index_parent", s, index_parent(ix, s), p.parent[s]);
        same("index_depth", s, index_depth(ix, s), p.depth[s]);
        same("index_lane", s, index_lane(ix, s), p.lane[s]);
    }

    uint32_t *slices = xcalloc(k->count, sizeof *slices);
    for (uint32_t lane = 0; lane < p.lanes; lane++) {
        uint32_t count = 0;
        for (uint32_t s = k->first; s < k->first + k->count; s++)
            if (p.lane[s] == lane)
                slices[count++] = s;
        compare_lane(ix, t, track, lane, slices, count, r);
    }
    compare_lane(ix, t, track, p.lanes, slices, 0, r);
    free(slices);

    for (int round = 0; round < 20; round++) {
        int64_t from = some_time(r, t, k);
        compare_window(ix, t, track, from, some_time(r, t, k));
        compare_time(ix, t, track, from);
    }
    plain_free(&p);
}

/* ------------------------------------------------------------------------
 * Tests */

static const enum track_kind KINDS[] = {TRACK_HOST, TRACK_DEVICE, TRACK_OTHER};

START_TEST(test_shapes)
{
    enum shape shape = (enum shape)_i;
    struct random r = random_seed(100 + (uint64_t)_i);
    /* Around the sizes at which the tree gets a level more, and in between. */
    static const uint32_t SIZES[] = {0, 1, 2, 15, 16, 17, 31, 255, 256, 257, 272, 600};
    for (int round = 0; round < 60; round++) {
        struct made m = {0};
        for (int track = 0; track < 4; track++) {
            uint32_t count = chance(&r, 40) ? SIZES[below(&r, sizeof SIZES / sizeof *SIZES)]
                                            : (uint32_t)below(&r, chance(&r, 80) ? 40 : 300);
            struct slice *slices = random_slices(&r, shape, count);
            add_track(&m, KINDS[below(&r, 3)], slices, count);
            free(slices);
        }
        const struct trace *t = &m.trace;
        struct index *ix = index_build(t, 1);
        for (uint32_t track = 0; track < t->track_count; track++)
            compare_track(ix, t, track, &r);
        index_free(ix);
        unmake(&m);
    }
}
END_TEST

/* Every slice of up to five in a few nanoseconds: all the ties there are. */
START_TEST(test_all_small_ones)
{
    struct random r = random_seed(7);
    for (int round = 0; round < 20000; round++) {
        struct slice slices[5];
        uint32_t count = 1 + (uint32_t)below(&r, 5);
        for (uint32_t i = 0; i < count; i++)
            slices[i] = (struct slice){.start = between(&r, 0, 4), .dur = between(&r, 0, 4)};
        struct made m = {0};
        add_track(&m, KINDS[round % 2], slices, count);
        const struct trace *t = &m.trace;
        struct index *ix = index_build(t, 1);
        compare_track(ix, t, 0, &r);
        index_free(ix);
        unmake(&m);
    }
}
END_TEST

START_TEST(test_rules)
{
    struct slice slices[] = {
        {.start = 0, .dur = 100}, {.start = 10, .dur = 40},  {.start = 10, .dur = 40},
        {.start = 40, .dur = 80}, {.start = 45, .dur = 5},   {.start = 60, .dur = 0},
        {.start = 60, .dur = 0},  {.start = 120, .dur = 0},  {.start = 120, .dur = 0},
        {.start = 130, .dur = 5}, {.start = 135, .dur = 10},
    };
    static const uint32_t DEPTH[] = {0, 1, 2, 0, 1, 1, 2, 0, 1, 0, 0};
    static const uint32_t LANE[] = {0, 1, 2, 3, 4, 4, 5, 0, 1, 0, 0};
    uint32_t count = sizeof slices / sizeof *slices;
    struct made m = {0};
    add_track(&m, TRACK_HOST, slices, count);
    struct index *ix = index_build(&m.trace, 0);
    for (uint32_t i = 0; i < count; i++) {
        ck_assert_uint_eq(index_depth(ix, i), DEPTH[i]);
        ck_assert_uint_eq(index_lane(ix, i), LANE[i]);
    }
    ck_assert_uint_eq(index_max_depth(ix, 0), 3);
    ck_assert_uint_eq(index_lanes(ix, 0), 6);
    ck_assert(index_has_overlap(ix, 0));
    ck_assert_int_eq(index_lane_busy(ix, 0, 0, 50, 132), 52);
    index_free(ix);
    unmake(&m);
}
END_TEST

START_TEST(test_empty)
{
    struct made m = {0};
    struct index *ix = index_build(&m.trace, 0);
    ck_assert_uint_gt(index_bytes(ix), 0);
    index_free(ix);
    index_free(NULL);
    unmake(&m);
}
END_TEST

/* A track as they are: a call tree whose slices nest, and some that cross. */
static struct slice *call_tree(struct random *r, uint32_t count, unsigned crossing_percent)
{
    enum { DEEPEST = 12 };
    struct slice *slices = xcalloc(count, sizeof *slices);
    int64_t ends[DEEPEST];
    uint32_t depth = 0;
    int64_t now = 0;
    for (uint32_t i = 0; i < count; i++) {
        now += between(r, 0, 20);
        while (depth > 0 && ends[depth - 1] <= now)
            depth--;
        int64_t left = depth > 0 ? ends[depth - 1] - now : 1000000;
        int64_t dur = between(r, left / 8, left * 7 / 8);
        if (chance(r, crossing_percent))
            dur = between(r, left, left + 200);
        slices[i] = (struct slice){.start = now, .dur = dur};
        if (depth < DEEPEST)
            ends[depth++] = now + dur;
        else
            now += dur;
    }
    return slices;
}

/* All of a big track against checks of O(n log n), some of it against all. */
static void check_big(const struct index *ix, const struct trace *t, uint32_t track,
                      struct random *r)
{
    const struct track *k = &t->tracks[track];
    uint32_t lanes = index_lanes(ix, track);
    int64_t *until = xcalloc(lanes, sizeof *until); /* end of the last slice of a lane */
    int64_t *busy = xcalloc(lanes, sizeof *busy);
    uint32_t *count = xcalloc(lanes, sizeof *count);
    int64_t from = some_time(r, t, k);
    int64_t to = some_time(r, t, k);
    uint32_t next = index_overlap(ix, track, k->first, from, to);

    for (uint32_t s = k->first; s < k->first + k->count; s++) {
        uint32_t lane = index_lane(ix, s);
        uint32_t parent = index_parent(ix, s);
        uint32_t least = 0;
        ck_assert(lane < lanes);
        if (parent != TRACE_NONE) {
            if (!contains(t, parent, s) || index_lane(ix, parent) >= lane)
                ck_abort_msg("parent of %u", s);
            least = index_lane(ix, parent) + 1;
        }
        same("depth", s, index_depth(ix, s),
             parent == TRACE_NONE ? 0 : index_depth(ix, parent) + 1);
        if (below(r, k->count) < 300) {
            same("parent", s, parent, plain_parent(t, k, s));
            for (uint32_t free_lane = least; free_lane < lane; free_lane++)
                if (count[free_lane] == 0 || until[free_lane] < start_of(t, s))
                    ck_abort_msg("slice %u has a later lane than it could", s);
        }
        if (count[lane] > 0 && until[lane] > start_of(t, s))
            ck_abort_msg("slice %u overlaps in its lane", s);
        same("lane slice", s, index_lane_slice(ix, track, lane, count[lane]), s);
        until[lane] = end_of(t, s);
        count[lane]++;
        if (in_window(t, s, from, to)) {
            same("overlap", s, next, s);
            next = index_overlap(ix, track, s + 1, from, to);
            int64_t begin = start_of(t, s) > from ? start_of(t, s) : from;
            int64_t end = end_of(t, s) < to ? end_of(t, s) : to;
            busy[lane] += end > begin ? end - begin : 0;
        }
    }
    for (uint32_t lane = 0; lane < lanes; lane++) {
        same("count", lane, index_lane_count(ix, track, lane), count[lane]);
        same("busy", lane, index_lane_busy(ix, track, lane, from, to), busy[lane]);
    }
    for (int round = 0; round < 40; round++)
        compare_time(ix, t, track, some_time(r, t, k));
    free(until);
    free(busy);
    free(count);
}

START_TEST(test_big)
{
    static const unsigned PERCENT[] = {0, 1, 30};
    struct random r = random_seed(300 + (uint64_t)_i);
    uint32_t size = 300000;
    struct slice *slices = call_tree(&r, size, PERCENT[_i]);
    struct made m = {0};
    add_track(&m, TRACK_HOST, slices, size);
    add_track(&m, TRACK_DEVICE, slices, size);
    free(slices);
    const struct trace *t = &m.trace;
    struct index *ix = index_build(t, 1);
    check_big(ix, t, 0, &r);
    ck_assert_int_eq(index_has_overlap(ix, 0), PERCENT[_i] > 0);
    /* 4 for the list, 1 or 2 each for lane and depth, 1.1 for the samples */
    ck_assert_uint_le(index_bytes(ix), (size_t)(PERCENT[_i] > 0 ? 9 : 7) * 2 * size);
    index_free(ix);
    unmake(&m);
}
END_TEST

/* A hundred thousand levels; as many slices at once; pairs that share lanes. */
START_TEST(test_extremes)
{
    enum { COUNT = 100000 };
    struct slice *slices = xcalloc(COUNT, sizeof *slices);
    struct made m = {0};
    for (int64_t i = 0; i < COUNT; i++)
        slices[i] = (struct slice){.start = i, .dur = 2 * (COUNT - i)};
    add_track(&m, TRACK_HOST, slices, COUNT);
    for (int64_t i = 0; i < COUNT; i++)
        slices[i] = (struct slice){.start = i, .dur = COUNT};
    add_track(&m, TRACK_HOST, slices, COUNT);
    for (int64_t i = 0; i < COUNT; i++)
        slices[i] = (struct slice){.start = i, .dur = COUNT * 3 / 4};
    add_track(&m, TRACK_DEVICE, slices, COUNT);
    /* Deep, and crossed near the beginning so that depth is no lane. */
    for (int64_t i = 0; i < COUNT; i++)
        slices[i] = (struct slice){.start = i, .dur = 3 * COUNT - 2 * i};
    slices[1].dur = 4 * COUNT;
    add_track(&m, TRACK_HOST, slices, COUNT);
    free(slices);

    const struct trace *t = &m.trace;
    struct index *ix = index_build(t, 2);
    for (uint32_t i = 0; i < COUNT; i++) {
        same("deep", i, index_depth(ix, i), i);
        same("deep", i, index_lane(ix, i), i);
        same("at once", i, index_depth(ix, COUNT + i), 0);
        same("at once", i, index_lane(ix, COUNT + i), i);
        same("device", i, index_lane(ix, 2 * COUNT + i), i % (COUNT * 3 / 4));
        same("crossed", i, index_depth(ix, 3 * COUNT + i), i > 0 ? i - 1 : 0);
        same("crossed", i, index_lane(ix, 3 * COUNT + i), i);
    }
    ck_assert_uint_eq(index_max_depth(ix, 0), COUNT);
    ck_assert_uint_eq(index_lanes(ix, 1), COUNT);
    ck_assert_int_eq(index_lane_busy(ix, 2, 10, 100, 2 * COUNT), COUNT * 3 / 2 - 90);
    /* Two with a lane for each slice, one with lanes and a list, one with depths. */
    ck_assert_uint_le(index_bytes(ix), (size_t)15 * COUNT);
    index_free(ix);
    unmake(&m);
}
END_TEST

/* Many small tracks cost little. */
START_TEST(test_small_tracks)
{
    struct random r = random_seed(11);
    struct made m = {0};
    for (int track = 0; track < 3000; track++) {
        uint32_t count = (uint32_t)below(&r, 12);
        struct slice *slices = random_slices(&r, track % 2 ? NESTED : DENSE, count);
        add_track(&m, KINDS[track % 3], slices, count);
        free(slices);
    }
    const struct trace *t = &m.trace;
    struct index *ix = index_build(t, 4);
    ck_assert_uint_le(index_bytes(ix), 3000 * 150);
    for (uint32_t track = 0; track < t->track_count; track += 17)
        compare_track(ix, t, track, &r);
    index_free(ix);
    unmake(&m);
}
END_TEST

/* Any number of threads gives the same index. */
START_TEST(test_threads)
{
    struct random r = random_seed(13);
    struct made m = {0};
    for (int track = 0; track < 40; track++) {
        uint32_t count = (uint32_t)below(&r, 8000);
        struct slice *slices = track % 3 == 0
                                   ? call_tree(&r, count, 5)
                                   : random_slices(&r, (enum shape)(track % SHAPES), count);
        add_track(&m, KINDS[track % 3], slices, count);
        free(slices);
    }
    const struct trace *t = &m.trace;
    struct index *one = index_build(t, 1);
    struct index *four = index_build(t, 4);
    struct index *all = index_build(t, 0);
    ck_assert_uint_eq(index_bytes(one), index_bytes(four));
    ck_assert_uint_eq(index_bytes(one), index_bytes(all));
    for (uint32_t track = 0; track < t->track_count; track++) {
        ck_assert_uint_eq(index_lanes(one, track), index_lanes(four, track));
        ck_assert_uint_eq(index_max_depth(one, track), index_max_depth(four, track));
        int64_t from = some_time(&r, t, &t->tracks[track]);
        int64_t to = some_time(&r, t, &t->tracks[track]);
        for (uint32_t lane = 0; lane < index_lanes(one, track) && lane < 50; lane++)
            same("busy", lane, index_lane_busy(four, track, lane, from, to),
                 index_lane_busy(one, track, lane, from, to));
    }
    for (uint32_t s = 0; s < t->slice_count; s++) {
        same("depth", s, index_depth(four, s), index_depth(one, s));
        same("lane", s, index_lane(four, s), index_lane(one, s));
        same("parent", s, index_parent(four, s), index_parent(one, s));
        same("next", s, index_lane_next(all, s), index_lane_next(one, s));
    }
    index_free(one);
    index_free(four);
    index_free(all);
    unmake(&m);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("index");
    TCase *tc = tcase_create("index");
    tcase_set_timeout(tc, 0);
    tcase_add_test(tc, test_empty);
    tcase_add_test(tc, test_rules);
    tcase_add_test(tc, test_all_small_ones);
    tcase_add_loop_test(tc, test_shapes, 0, SHAPES);
    tcase_add_loop_test(tc, test_big, 0, 3);
    tcase_add_test(tc, test_extremes);
    tcase_add_test(tc, test_small_tracks);
    tcase_add_test(tc, test_threads);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
