#include "index/track_index.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Lanes that hold fewer slices than this on average have their beginnings
 * searched instead of stored: a list of beginnings would cost more than it is
 * worth where there are nearly as many lanes as slices. */
enum { SLICES_PER_LANE = 8 };

/* Sums are sampled at every 16th place of the list. */
enum { SAMPLE = 16 };

/* Bytes that a number up to `largest` takes. */
static uint8_t width_of(uint32_t largest)
{
    uint8_t width = 0;
    for (; largest > 0; largest >>= 8)
        width++;
    return width;
}

static void pack(uint8_t *out, unsigned width, const uint32_t *in, size_t count)
{
    switch (width) {
    case 0:
        break;
    case 1:
        for (size_t i = 0; i < count; i++)
            out[i] = (uint8_t)in[i];
        break;
    case 2:
        for (size_t i = 0; i < count; i++) {
            uint16_t value = (uint16_t)in[i];
            memcpy(out + 2 * i, &value, 2);
        }
        break;
    case 3:
        for (size_t i = 0; i < count; i++) {
            out[3 * i] = (uint8_t)in[i];
            out[3 * i + 1] = (uint8_t)(in[i] >> 8);
            out[3 * i + 2] = (uint8_t)(in[i] >> 16);
        }
        break;
    default:
        memcpy(out, in, 4 * count);
    }
}

static uint32_t unpack(const uint8_t *in, unsigned width, size_t at)
{
    uint16_t two;
    uint32_t four;
    switch (width) {
    case 0:
        return 0;
    case 1:
        return in[at];
    case 2:
        memcpy(&two, in + 2 * at, 2);
        return two;
    case 3:
        return in[3 * at] | (uint32_t)in[3 * at + 1] << 8 | (uint32_t)in[3 * at + 2] << 16;
    default:
        memcpy(&four, in + 4 * at, 4);
        return four;
    }
}

/* Turns what the lanes hold into where they begin and what is before them. */
static void sum_up_lanes(struct nesting *n)
{
    size_t place = 0;
    uint64_t busy = 0;
    for (uint32_t lane = 0; lane < n->lanes; lane++) {
        struct lane_tally here = n->tally[lane];
        n->tally[lane] = (struct lane_tally){.busy = busy, .count = place};
        place += here.count;
        busy += here.busy;
    }
}

/* Fills the list and the sums, moving each lane's tally on from its beginning. */
static void fill_list(uint32_t *list, uint64_t *busy, const struct track_slices *s,
                      struct nesting *n)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        struct lane_tally *tally = &n->tally[n->lane[i]];
        size_t place = tally->count++;
        list[place] = i;
        if (place % SAMPLE == 0 && place > 0)
            busy[place / SAMPLE - 1] = tally->busy;
        tally->busy += (uint64_t)s->dur[i];
        total += (uint64_t)s->dur[i];
    }
    if (s->count % SAMPLE == 0 && s->count > 0)
        busy[s->count / SAMPLE - 1] = total;
}

/* The sums where the list is the track's own order. */
static void fill_sums(uint64_t *busy, const struct track_slices *s)
{
    uint64_t sum = 0;
    for (size_t sample = 0; sample < s->count / SAMPLE; sample++) {
        for (size_t i = sample * SAMPLE; i < (sample + 1) * SAMPLE; i++)
            sum += (uint64_t)s->dur[i];
        busy[sample] = sum;
    }
}

/* Takes a part of the block, or NULL if it is empty. */
static void *take(uint8_t **rest, size_t bytes)
{
    void *part = bytes > 0 ? *rest : NULL;
    *rest += bytes;
    return part;
}

void track_index_build(struct track_index *ti, const struct track_slices *s, bool device,
                       struct nesting *scratch)
{
    if (device)
        nesting_device(scratch, s);
    else
        nesting_host(scratch, s);

    *ti = (struct track_index){
        .lanes = scratch->lanes,
        .levels = scratch->levels,
        .depth_is_lane = scratch->depth_is_lane,
        .overlap = scratch->overlap,
    };
    /* With as many lanes as slices, the i-th slice has the i-th lane: none was
     * used again, and a new lane is the next number. */
    bool listed = scratch->lanes > 1 && scratch->lanes < s->count;
    if (listed)
        ti->lane_width = width_of(scratch->lanes - 1);
    if (!scratch->depth_is_lane && !scratch->flat)
        ti->depth_width = width_of(scratch->levels - 1);
    bool beginnings = listed && scratch->lanes <= s->count / SLICES_PER_LANE;

    size_t reach_bytes = reach_size(s->count) * sizeof *ti->reach;
    size_t busy_bytes = s->count / SAMPLE * sizeof *ti->busy;
    size_t list_bytes = listed ? s->count * sizeof *ti->list : 0;
    size_t first_bytes = beginnings ? scratch->lanes * sizeof *ti->lane_first : 0;
    size_t lane_bytes = (size_t)s->count * ti->lane_width;
    size_t depth_bytes = (size_t)s->count * ti->depth_width;
    ti->bytes = reach_bytes + busy_bytes + list_bytes + first_bytes + lane_bytes + depth_bytes;
    if (ti->bytes == 0)
        return;
    ti->block = xmalloc(ti->bytes);

    uint8_t *rest = ti->block;
    int64_t *reach = take(&rest, reach_bytes);
    uint64_t *busy = take(&rest, busy_bytes);
    uint32_t *list = take(&rest, list_bytes);
    uint32_t *first = take(&rest, first_bytes);
    uint8_t *lane = take(&rest, lane_bytes);
    uint8_t *depth = take(&rest, depth_bytes);

    reach_build(reach, s);
    pack(lane, ti->lane_width, scratch->lane, s->count);
    pack(depth, ti->depth_width, scratch->depth, s->count);
    if (listed) {
        sum_up_lanes(scratch);
        for (uint32_t k = 0; beginnings && k < scratch->lanes; k++)
            first[k] = (uint32_t)scratch->tally[k].count;
        fill_list(list, busy, s, scratch);
    } else {
        fill_sums(busy, s);
    }
    ti->reach = reach;
    ti->busy = busy;
    ti->list = list;
    ti->lane_first = first;
    ti->lane = lane;
    ti->depth = depth;
}

void track_index_free(struct track_index *ti)
{
    free(ti->block);
    *ti = (struct track_index){0};
}

uint32_t track_index_lane(const struct track_index *ti, uint32_t slice)
{
    if (!ti->list && ti->lanes > 1)
        return slice;
    return unpack(ti->lane, ti->lane_width, slice);
}

uint32_t track_index_depth(const struct track_index *ti, uint32_t slice)
{
    if (ti->depth_is_lane)
        return track_index_lane(ti, slice);
    return unpack(ti->depth, ti->depth_width, slice);
}

/* The first place in the list of a slice in this lane or a later one. */
static uint32_t lane_begin(const struct track_index *ti, const struct track_slices *s,
                           uint32_t lane)
{
    if (lane >= ti->lanes)
        return s->count;
    if (!ti->list)
        return lane; /* the only lane, or one slice in each */
    if (ti->lane_first)
        return ti->lane_first[lane];
    uint32_t low = 0;
    uint32_t high = s->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (unpack(ti->lane, ti->lane_width, ti->list[middle]) < lane)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct lane_range track_index_range(const struct track_index *ti, const struct track_slices *s,
                                    uint32_t lane)
{
    if (lane >= ti->lanes)
        return (struct lane_range){s->count, s->count};
    return (struct lane_range){lane_begin(ti, s, lane), lane_begin(ti, s, lane + 1)};
}

uint32_t track_index_place(const struct track_index *ti, struct lane_range range, uint32_t slice)
{
    if (!ti->list) {
        if (slice <= range.begin)
            return range.begin;
        return slice < range.end ? slice : range.end;
    }
    while (range.begin < range.end) {
        uint32_t middle = range.begin + (range.end - range.begin) / 2;
        if (ti->list[middle] < slice)
            range.begin = middle + 1;
        else
            range.end = middle;
    }
    return range.begin;
}

static uint64_t sum_of(const struct track_index *ti, const struct track_slices *s, size_t begin,
                       size_t end)
{
    uint64_t sum = 0;
    for (size_t place = begin; place < end; place++)
        sum += (uint64_t)s->dur[track_index_at(ti, (uint32_t)place)];
    return sum;
}

uint64_t track_index_sum(const struct track_index *ti, const struct track_slices *s,
                         struct lane_range range)
{
    size_t first = (range.begin + (size_t)SAMPLE - 1) / SAMPLE;
    size_t last = range.end / SAMPLE;
    if (first >= last)
        return sum_of(ti, s, range.begin, range.end);
    uint64_t before = first > 0 ? ti->busy[first - 1] : 0;
    return sum_of(ti, s, range.begin, first * SAMPLE) + (ti->busy[last - 1] - before) +
           sum_of(ti, s, last * SAMPLE, range.end);
}
