#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

#include "base/duration.h"

static void free_file(struct trace_file *file)
{
    for (size_t i = 0; i < file->member_count; i++)
        free(file->members[i].key);
    free(file->members);
    free(file->path);
    if (file->in)
        input_close(file->in);
}

static void free_side_lists(struct trace *t)
{
    free(t->flows.items);
    free(t->instants.items);
    free(t->counter_events.items);
    free(t->async.items);
    free(t->metadata.items);
    free(t->others.items);
}

void trace_free(struct trace *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->file_count; i++)
        free_file(&t->files[i]);
    free(t->files);
    if (t->names)
        intern_free(t->names);
    if (t->ids)
        intern_free(t->ids);
    free(t->start_ns);
    free(t->dur_ns);
    free(t->label);
    free(t->correlation);
    free(t->byte);
    free(t->slice_ends);
    free(t->labels);
    free(t->categories);
    free(t->processes);
    free(t->tracks);
    free(t->source_track);
    free(t->source_process);
    free_side_lists(t);
    free(t->open_begins);
    free(t->counters);
    free(t->series);
    free(t->samples);
    free(t->async_spans);
    free(t->phases);
    free(t->category_events);
    damage_free(&t->damage);
    free(t);
}

const char *trace_name(const struct trace *t, uint32_t slice, size_t *len)
{
    return intern_text(t->names, t->labels[t->label[slice]].name, len);
}

const struct category *trace_category(const struct trace *t, uint32_t slice)
{
    return &t->categories[t->labels[t->label[slice]].category];
}

uint32_t trace_track_of(const struct trace *t, uint32_t slice)
{
    /* The last track whose first slice is not behind this one; tracks without slices
     * share their `first` with the next one, which is then found. */
    uint32_t low = 0, high = t->track_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (t->tracks[middle].first <= slice)
            low = middle;
        else
            high = middle;
    }
    while (t->tracks[low].count == 0 && low > 0)
        low--;
    return low;
}

const struct trace_file *trace_file_of(const struct trace *t, uint32_t slice)
{
    return &t->files[t->processes[t->tracks[trace_track_of(t, slice)].process].file];
}

const char *trace_id(const struct trace *t, uint32_t id)
{
    return id == TRACE_NONE ? "" : intern_text(t->ids, id, NULL);
}

bool trace_id_missing(uint32_t id)
{
    return id == 1;
}

uint64_t trace_end_byte(const struct trace *t, uint32_t slice)
{
    size_t low = 0, high = t->slice_end_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (t->slice_ends[middle].slice < slice)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < t->slice_end_count && t->slice_ends[low].slice == slice)
        return t->slice_ends[low].byte;
    return UINT64_MAX;
}

/* Times this far from zero can only count from 1970. */
static const int64_t EPOCH_NS = INT64_C(1000000000000000) * 1000;

bool trace_wall_clock(const struct trace *t, int64_t ts_ns, int64_t *wall_ns)
{
    int64_t clock = ns_add(t->origin_ns, ts_ns);
    if (t->file_count > 0 && t->files[0].has_base_time)
        return !__builtin_add_overflow(clock, t->files[0].base_time_ns, wall_ns);
    *wall_ns = clock;
    return t->origin_ns > EPOCH_NS;
}
