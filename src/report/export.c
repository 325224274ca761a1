#include "report/export.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "query/flows.h"
#include "report/output_file.h"
#include "trace/source.h"

/* Where the events to be written are, in the order of the file. */
struct places {
    uint64_t *bytes;
    size_t count, capacity;
};

static void add_place(struct places *p, uint64_t byte)
{
    if (byte != UINT64_MAX)
        ARRAY_PUSH(p->bytes, p->count, p->capacity, byte);
}

static int compare_places(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void sort_places(struct places *p)
{
    size_t kept = 0;
    array_sort(p->bytes, p->count, sizeof *p->bytes, compare_places);
    for (size_t i = 0; i < p->count; i++)
        if (i == 0 || p->bytes[i] != p->bytes[i - 1])
            p->bytes[kept++] = p->bytes[i];
    p->count = kept;
}

/* What is exported of which trace. */
struct job {
    const struct trace *t;
    const struct index *ix;
    int64_t from_ns, to_ns;
    struct places places;
    uint64_t slices;
};

static bool in_window(const struct job *job, int64_t ts_ns)
{
    return ts_ns >= job->from_ns && ts_ns < job->to_ns;
}

static void add_slices(struct job *job)
{
    const struct trace *t = job->t;
    for (uint32_t k = 0; k < t->track_count; k++) {
        uint32_t slice = t->tracks[k].first;
        while ((slice = index_overlap(job->ix, k, slice, job->from_ns, job->to_ns)) != TRACE_NONE) {
            add_place(&job->places, t->byte[slice]);
            add_place(&job->places, trace_end_byte(t, slice));
            job->slices++;
            slice++;
        }
    }
    /* A begin without an end lasts to the end of its track. */
    for (size_t i = 0; i < t->open_begin_count; i++)
        if (t->open_begins[i].start_ns < job->to_ns)
            add_place(&job->places, t->open_begins[i].byte);
}

static void add_list(struct job *job, const struct side_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (in_window(job, list->items[i].ts_ns))
            add_place(&job->places, list->items[i].byte);
}

static void add_async(struct job *job)
{
    const struct trace *t = job->t;
    add_list(job, &t->async);
    for (size_t i = 0; i < t->async_span_count; i++) {
        const struct async_span *span = &t->async_spans[i];
        if (span->start_ns < job->to_ns && span->start_ns + span->dur_ns > job->from_ns) {
            add_place(&job->places, span->byte);
            add_place(&job->places, span->end_byte);
        }
    }
}

static void add_flows(struct job *job)
{
    const struct trace *t = job->t;
    for (size_t i = 0; i < t->flows.count; i++) {
        const struct side_event *flow = &t->flows.items[i];
        if (!in_window(job, flow->ts_ns)) {
            uint32_t slice = flow_slice(t, job->ix, flow);
            if (slice == TRACE_NONE || !index_in_window(t, slice, job->from_ns, job->to_ns))
                continue;
        }
        add_place(&job->places, flow->byte);
    }
}

static void find_places(struct job *job)
{
    const struct trace *t = job->t;
    add_slices(job);
    add_list(job, &t->instants);
    add_list(job, &t->counter_events);
    add_list(job, &t->others);
    add_async(job);
    add_flows(job);
    for (size_t i = 0; i < t->metadata.count; i++)
        add_place(&job->places, t->metadata.items[i].byte);
    sort_places(&job->places);
}

static void puts_to(struct output_file *out, const char *text)
{
    output_write(out, text, strlen(text));
}

/* The last of several members with one key counts. */
static bool is_superseded(const struct trace_file *file, size_t i)
{
    for (size_t k = i + 1; k < file->member_count; k++)
        if (strcmp(file->members[k].key, file->members[i].key) == 0)
            return true;
    return strcmp(file->members[i].key, "traceEvents") == 0;
}

/* Members [first, end) of the file, each followed or preceded by a comma. */
static bool write_members(const struct trace *t, size_t first, size_t end, bool before_events,
                          struct output_file *out, struct error *err)
{
    const struct trace_file *file = &t->files[0];
    struct text raw = {0}, strict = {0};
    bool good = true;
    for (size_t i = first; i < end && good; i++) {
        const struct top_member *m = &file->members[i];
        if (is_superseded(file, i))
            continue;
        text_clear(&strict);
        good = trace_read_span(t, 0, m->key_byte, m->key_len, &raw) &&
               json_make_strict(raw.data, raw.len, &strict);
        text_puts(&strict, ": ");
        good = good && trace_read_span(t, 0, m->byte, m->len, &raw) &&
               json_make_strict(raw.data, raw.len, &strict);
        if (!good) {
            error_set(err, ERROR_IO, "%s: can no longer be read", file->path);
            break;
        }
        puts_to(out, before_events ? "  " : ",\n  ");
        output_write(out, strict.data, strict.len);
        if (before_events)
            puts_to(out, ",\n");
    }
    text_free(&raw);
    text_free(&strict);
    return good;
}

static bool write_event(struct event_reader *r, uint64_t byte, struct text *strict,
                        struct output_file *out, struct error *err)
{
    if (!event_reader_read(r, byte))
        return error_set(err, ERROR_IO, "%s: can no longer be read", r->t->files[r->file].path);
    if (r->strict) {
        output_write(out, r->event, r->len);
        return true;
    }
    text_clear(strict);
    if (!json_make_strict(r->event, r->len, strict))
        return error_set(err, ERROR_DATA, "%s: an event cannot be written as valid JSON",
                         r->t->files[r->file].path);
    output_write(out, strict->data, strict->len);
    return true;
}

static bool write_events(const struct job *job, const struct export_options *options,
                         struct output_file *out, struct error *err)
{
    struct event_reader reader;
    struct text strict = {0};
    bool good = true;
    event_reader_init(&reader, job->t, 0);
    puts_to(out, "  \"traceEvents\": [\n");
    for (size_t i = 0; i < job->places.count && good && !output_failed(out); i++) {
        puts_to(out, i == 0 ? "  " : ",\n  ");
        good = write_event(&reader, job->places.bytes[i], &strict, out, err);
        if (options->progress && i % 4096 == 0 &&
            !options->progress(options->context, i, job->places.count))
            good = error_set(err, ERROR_CANCELLED, "the export was stopped");
    }
    puts_to(out, "\n  ]");
    event_reader_free(&reader);
    text_free(&strict);
    return good;
}

static bool write_trace(const struct job *job, const struct export_options *options,
                        struct output_file *out, struct error *err)
{
    /* Members keep their place before or behind the events. */
    const struct trace_file *file = &job->t->files[0];
    uint64_t first_event = UINT64_MAX;
    if (job->t->metadata.count || job->places.count)
        first_event = job->places.count ? job->places.bytes[0] : 0;
    size_t before = 0;
    while (before < file->member_count && file->members[before].byte < first_event)
        before++;
    puts_to(out, "{\n");
    if (!write_members(job->t, 0, before, true, out, err) ||
        !write_events(job, options, out, err) ||
        !write_members(job->t, before, file->member_count, false, out, err))
        return false;
    puts_to(out, "\n}\n");
    return true;
}

static bool ends_with_gz(const char *path)
{
    size_t len = strlen(path);
    return len > 3 && strcmp(path + len - 3, ".gz") == 0;
}

static bool check_target(const struct trace *t, const char *path, struct error *err)
{
    if (t->file_count != 1)
        return error_set(err, ERROR_USAGE, "only one trace at a time can be exported");
    if (strcmp(path, "-") != 0 && input_is_file(t->files[0].in, path))
        return error_set(err, ERROR_IO, "%s: is the trace itself and is left as it is", path);
    return true;
}

bool export_window(const struct trace *t, const struct index *ix, int64_t from_ns, int64_t to_ns,
                   const char *path, const struct export_options *options,
                   struct export_result *result, struct error *err)
{
    struct job job = {.t = t, .ix = ix, .from_ns = from_ns, .to_ns = to_ns};
    if (!check_target(t, path, err))
        return false;
    struct output_file *out = output_open(path, options->force, ends_with_gz(path), err);
    if (!out)
        return false;
    find_places(&job);
    bool good = write_trace(&job, options, out, err);
    *result = (struct export_result){job.slices, job.places.count, output_bytes(out)};
    free(job.places.bytes);
    if (good)
        return output_close(out, err);
    output_cancel(out);
    return false;
}
