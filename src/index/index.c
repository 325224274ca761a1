#include "index/index.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/cores.h"
#include "base/memory.h"
#include "index/track_index.h"

struct index {
    const struct trace *trace;
    struct track_index *tracks; /* one for each of the trace's */
    uint32_t track_count;
};

/* A track, and its slices as the rest of the index counts them: from 0. */
struct place {
    const struct track_index *ti;
    struct track_slices slices;
    uint32_t first;
};

static struct track_slices slices_of(const struct trace *t, uint32_t track)
{
    /* A trace without slices may have no columns. */
    static const int64_t NOTHING;
    if (t->tracks[track].count == 0)
        return (struct track_slices){.start = &NOTHING, .dur = &NOTHING};
    uint32_t first = t->tracks[track].first;
    return (struct track_slices){
        .start = t->start_ns + first,
        .dur = t->dur_ns + first,
        .count = t->tracks[track].count,
    };
}

static struct place place_of(const struct index *ix, uint32_t track)
{
    return (struct place){
        .ti = &ix->tracks[track],
        .slices = slices_of(ix->trace, track),
        .first = ix->trace->tracks[track].first,
    };
}

/* ------------------------------------------------------------------------
 * Building: every thread takes the largest track that is left, and writes to
 * nothing but that track's index. */

struct job {
    struct index *ix;
    const uint32_t *order; /* tracks with slices, largest first */
    uint32_t order_count;
    atomic_uint_fast32_t next;
};

/* More threads than this are not worth their start, per slice and track. */
enum { SLICES_PER_THREAD = 30000 };

static void *work(void *argument)
{
    struct job *job = argument;
    const struct trace *t = job->ix->trace;
    struct nesting scratch = {0};
    for (;;) {
        uint_fast32_t at = atomic_fetch_add_explicit(&job->next, 1, memory_order_relaxed);
        if (at >= job->order_count)
            break;
        uint32_t track = job->order[at];
        struct track_slices slices = slices_of(t, track);
        bool device = t->tracks[track].kind == TRACK_DEVICE;
        track_index_build(&job->ix->tracks[track], &slices, device, &scratch);
    }
    nesting_free(&scratch);
    return NULL;
}

static int larger_first(const void *left, const void *right, void *tracks)
{
    const struct track *all = tracks;
    uint32_t a = *(const uint32_t *)left;
    uint32_t b = *(const uint32_t *)right;
    if (all[a].count != all[b].count)
        return all[a].count > all[b].count ? -1 : 1;
    return a < b ? -1 : a > b;
}

static unsigned threads_for(const struct job *job, unsigned threads)
{
    unsigned limit = job->ix->trace->slice_count / SLICES_PER_THREAD + 1;
    if (threads == 0)
        threads = cores_usable();
    if (threads > limit)
        threads = limit;
    return threads < job->order_count ? threads : job->order_count;
}

/* This thread works too, so it does not matter if others cannot be had. */
static void run(struct job *job, unsigned threads)
{
    if (threads < 2) {
        work(job);
        return;
    }
    pthread_t *others = xmalloc((threads - 1) * sizeof *others);
    unsigned started = 0;
    while (started < threads - 1 && pthread_create(&others[started], NULL, work, job) == 0)
        started++;
    work(job);
    for (unsigned i = 0; i < started; i++)
        pthread_join(others[i], NULL);
    free(others);
}

struct index *index_build(const struct trace *t, unsigned threads)
{
    struct index *ix = xmalloc(sizeof *ix);
    *ix = (struct index){
        .trace = t,
        .tracks = xcalloc(t->track_count, sizeof *ix->tracks),
        .track_count = t->track_count,
    };

    uint32_t *order = xmalloc(t->track_count * sizeof *order);
    struct job job = {.ix = ix, .order = order};
    for (uint32_t track = 0; track < t->track_count; track++)
        if (t->tracks[track].count > 0)
            order[job.order_count++] = track;
    if (job.order_count > 1)
        qsort_r(order, job.order_count, sizeof *order, larger_first, t->tracks);
    run(&job, threads_for(&job, threads));
    free(order);
    return ix;
}

void index_free(struct index *ix)
{
    if (!ix)
        return;
    for (uint32_t track = 0; track < ix->track_count; track++)
        track_index_free(&ix->tracks[track]);
    free(ix->tracks);
    free(ix);
}

size_t index_bytes(const struct index *ix)
{
    size_t bytes = sizeof *ix + ix->track_count * sizeof *ix->tracks;
    for (uint32_t track = 0; track < ix->track_count; track++)
        bytes += ix->tracks[track].bytes;
    return bytes;
}

/* ------------------------------------------------------------------------
 * Nesting */

uint32_t index_lanes(const struct index *ix, uint32_t track)
{
    return ix->tracks[track].lanes;
}

uint32_t index_max_depth(const struct index *ix, uint32_t track)
{
    return ix->tracks[track].levels;
}

bool index_has_overlap(const struct index *ix, uint32_t track)
{
    return ix->tracks[track].overlap;
}

uint32_t index_depth(const struct index *ix, uint32_t slice)
{
    struct place p = place_of(ix, trace_track_of(ix->trace, slice));
    return track_index_depth(p.ti, slice - p.first);
}

uint32_t index_lane(const struct index *ix, uint32_t slice)
{
    struct place p = place_of(ix, trace_track_of(ix->trace, slice));
    return track_index_lane(p.ti, slice - p.first);
}

/* As an answer: a slice of the trace, TRACE_NONE for UINT32_MAX. */
static uint32_t answer(const struct place *p, uint32_t slice)
{
    return slice == UINT32_MAX ? TRACE_NONE : p->first + slice;
}

uint32_t index_parent(const struct index *ix, uint32_t slice)
{
    uint32_t track = trace_track_of(ix->trace, slice);
    if (ix->trace->tracks[track].kind == TRACK_DEVICE)
        return TRACE_NONE;
    struct place p = place_of(ix, track);
    uint32_t i = slice - p.first;
    /* The last one before it that reaches as far contains it. */
    return answer(&p, reach_last_before(p.ti->reach, &p.slices, i, slice_last(&p.slices, i)));
}

/* ------------------------------------------------------------------------
 * Windows and times */

bool index_in_window(const struct trace *t, uint32_t slice, int64_t from_ns, int64_t to_ns)
{
    int64_t start = t->start_ns[slice];
    return start < to_ns && last_ns(start, t->dur_ns[slice]) >= from_ns;
}

/* The first slice of the track that starts at or after `at`, or after it. */
static uint32_t first_from(const struct track_slices *s, int64_t at, bool after)
{
    uint32_t low = 0;
    uint32_t high = s->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (s->start[middle] < at || (after && s->start[middle] == at))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t index_overlap(const struct index *ix, uint32_t track, uint32_t slice, int64_t from_ns,
                       int64_t to_ns)
{
    struct place p = place_of(ix, track);
    uint32_t from = slice > p.first ? slice - p.first : 0;
    uint32_t i = reach_first(p.ti->reach, &p.slices, from, from_ns);
    /* All that come later start later. */
    if (i == p.slices.count || p.slices.start[i] >= to_ns)
        return TRACE_NONE;
    return p.first + i;
}

uint32_t index_start_at(const struct index *ix, uint32_t track, int64_t at_ns)
{
    struct place p = place_of(ix, track);
    return p.first + first_from(&p.slices, at_ns, false);
}

uint32_t index_stab(const struct index *ix, uint32_t track, int64_t at_ns)
{
    struct place p = place_of(ix, track);
    uint32_t end = first_from(&p.slices, at_ns, true);
    return answer(&p, reach_last_before(p.ti->reach, &p.slices, end, at_ns));
}

/* ------------------------------------------------------------------------
 * Lanes: a lane's slices are disjoint, so their ends are in order as well. */

uint32_t index_lane_count(const struct index *ix, uint32_t track, uint32_t lane)
{
    struct place p = place_of(ix, track);
    struct lane_range range = track_index_range(p.ti, &p.slices, lane);
    return range.end - range.begin;
}

uint32_t index_lane_slice(const struct index *ix, uint32_t track, uint32_t lane, uint32_t position)
{
    struct place p = place_of(ix, track);
    struct lane_range range = track_index_range(p.ti, &p.slices, lane);
    if (position >= range.end - range.begin)
        return TRACE_NONE;
    return p.first + track_index_at(p.ti, range.begin + position);
}

/* The first place of the lane whose slice occupies a time at or after `at`. */
static uint32_t lane_reach(const struct place *p, struct lane_range range, int64_t at)
{
    /* Of those that started before, only the last can. Slices are in start
     * order, so the search for a time is one for a number in the list. */
    uint32_t place = track_index_place(p->ti, range, first_from(&p->slices, at, false));
    if (place > range.begin && slice_last(&p->slices, track_index_at(p->ti, place - 1)) >= at)
        place--;
    return place;
}

uint32_t index_lane_find(const struct index *ix, uint32_t track, uint32_t lane, int64_t at_ns)
{
    struct place p = place_of(ix, track);
    struct lane_range range = track_index_range(p.ti, &p.slices, lane);
    return lane_reach(&p, range, at_ns) - range.begin;
}

uint32_t index_lane_at(const struct index *ix, uint32_t track, uint32_t lane, int64_t at_ns)
{
    struct place p = place_of(ix, track);
    struct lane_range range = track_index_range(p.ti, &p.slices, lane);
    uint32_t place = lane_reach(&p, range, at_ns);
    if (place == range.end)
        return TRACE_NONE;
    uint32_t slice = track_index_at(p.ti, place);
    return p.slices.start[slice] <= at_ns ? p.first + slice : TRACE_NONE;
}

/* The part of [from, to) that the slices of a range, not empty, cover: all that
 * overlap it. */
static int64_t range_busy(const struct place *p, struct lane_range range, int64_t from_ns,
                          int64_t to_ns)
{
    /* Only the first can begin before the interval, only the last end after it.
     * The true sum fits 64 bits without a sign, so sums modulo 2^64 are exact. */
    uint64_t busy = track_index_sum(p->ti, &p->slices, range);
    uint32_t head = track_index_at(p->ti, range.begin);
    uint32_t tail = track_index_at(p->ti, range.end - 1);
    int64_t end = p->slices.start[tail] + p->slices.dur[tail];
    if (p->slices.start[head] < from_ns)
        busy -= (uint64_t)from_ns - (uint64_t)p->slices.start[head];
    if (end > to_ns)
        busy -= (uint64_t)end - (uint64_t)to_ns;
    return busy > INT64_MAX ? INT64_MAX : (int64_t)busy;
}

int64_t index_lane_busy(const struct index *ix, uint32_t track, uint32_t lane, int64_t from_ns,
                        int64_t to_ns)
{
    if (from_ns >= to_ns)
        return 0;
    struct place p = place_of(ix, track);
    struct lane_range range = track_index_range(p.ti, &p.slices, lane);
    range.begin = lane_reach(&p, range, from_ns);
    range.end = track_index_place(p.ti, range, first_from(&p.slices, to_ns, false));
    if (range.begin >= range.end)
        return 0;

    return range_busy(&p, range, from_ns, to_ns);
}

/* The first place from range.begin on whose slice starts at or after a time: in
 * growing steps, as it is near. */
static uint32_t near_start(const struct place *p, struct lane_range range, int64_t at_ns)
{
    uint32_t step = 1, low = range.begin, high = range.begin;
    while (high < range.end && p->slices.start[track_index_at(p->ti, high)] < at_ns) {
        low = high + 1;
        high = range.end - high > step ? high + step : range.end;
        step *= 2;
    }
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (p->slices.start[track_index_at(p->ti, middle)] < at_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t index_lane_sweep(const struct index *ix, uint32_t track, uint32_t lane, uint32_t position,
                          int64_t from_ns, int64_t to_ns, int64_t *busy_ns)
{
    struct place p = place_of(ix, track);
    struct lane_range range = track_index_range(p.ti, &p.slices, lane);
    uint32_t first = range.begin;
    range.begin += position;
    range.end = near_start(&p, range, to_ns);
    *busy_ns =
        from_ns < to_ns && range.begin < range.end ? range_busy(&p, range, from_ns, to_ns) : 0;
    uint32_t next = range.end;
    if (next > range.begin && slice_last(&p.slices, track_index_at(p.ti, next - 1)) >= to_ns)
        next--;
    return next - first;
}

static uint32_t lane_neighbour(const struct index *ix, uint32_t slice, bool next)
{
    struct place p = place_of(ix, trace_track_of(ix->trace, slice));
    uint32_t lane = track_index_lane(p.ti, slice - p.first);
    struct lane_range range = track_index_range(p.ti, &p.slices, lane);
    uint32_t place = track_index_place(p.ti, range, slice - p.first);
    if (next ? place + 1 >= range.end : place == range.begin)
        return TRACE_NONE;
    return p.first + track_index_at(p.ti, next ? place + 1 : place - 1);
}

uint32_t index_lane_next(const struct index *ix, uint32_t slice)
{
    return lane_neighbour(ix, slice, true);
}

uint32_t index_lane_previous(const struct index *ix, uint32_t slice)
{
    return lane_neighbour(ix, slice, false);
}
