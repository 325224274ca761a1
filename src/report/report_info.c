/*
 * -r info: what is in the trace.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/duration.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "query/flows.h"
#include "query/iterations.h"
#include "report/context.h"

static const char *packing_name(enum input_packing packing)
{
    return packing == INPUT_GZIP ? "gzip" : packing == INPUT_ZIP ? "zip" : "none";
}

static const char *kind_name(enum track_kind kind)
{
    return kind == TRACK_DEVICE ? "device" : kind == TRACK_HOST ? "host" : "other";
}

static void json_files(const struct trace *t, struct json *j)
{
    json_key(j, "files");
    json_begin_array(j);
    for (size_t i = 0; i < t->file_count; i++) {
        const struct trace_file *f = &t->files[i];
        json_begin_object(j);
        json_key_string(j, "path", f->path);
        json_key_uint(j, "bytes", f->file_bytes);
        json_key_uint(j, "unpacked_bytes", f->text_bytes);
        json_key_string(j, "compression", packing_name(f->packing));
        json_key(j, "rank");
        if (f->rank < 0)
            json_null(j);
        else
            json_int(j, f->rank);
        json_key_int(j, "shift_ns", f->shift_ns);
        json_end_object(j);
    }
    json_end_array(j);
}

static void json_times(const struct trace *t, struct json *j)
{
    char origin[DURATION_TEXT];
    json_key_string(j, "origin_us", duration_us(origin, t->origin_ns));
    json_key(j, "base_time_ns");
    if (t->files[0].has_base_time)
        json_int(j, t->files[0].base_time_ns);
    else
        json_null(j);
    json_key_int(j, "span_ns", ns_sub(t->last_end_ns, t->first_start_ns));
}

static void json_counts(const struct trace *t, struct json *j)
{
    json_key(j, "events");
    json_begin_object(j);
    json_key_uint(j, "total", t->event_count);
    json_key(j, "by_phase");
    json_begin_object(j);
    for (size_t i = 0; i < t->phase_count; i++) {
        json_string_z(j, t->phases[i].text);
        putc(':', j->out);
        j->comma = false;
        json_uint(j, t->phases[i].count);
    }
    json_end_object(j);
    json_key(j, "by_category");
    json_begin_object(j);
    for (uint32_t i = 0; i < t->category_count; i++) {
        size_t len;
        const char *name = intern_text(t->names, t->categories[i].text, &len);
        if (t->category_events[i] == 0)
            continue;
        json_text(j, name, len);
        putc(':', j->out);
        j->comma = false;
        json_uint(j, t->category_events[i]);
    }
    json_end_object(j);
    json_end_object(j);
    json_key(j, "slices");
    json_begin_object(j);
    json_key_uint(j, "count", t->slice_count);
    json_key_int(j, "first_start_ns", t->first_start_ns);
    json_key_int(j, "last_end_ns", t->last_end_ns);
    json_key_uint(j, "unmatched_begin", t->open_begin_count);
    json_key_uint(j, "unmatched_end", t->unmatched_ends);
    json_end_object(j);
}

static void json_name(struct json *j, const char *key, const struct trace *t, uint32_t name)
{
    size_t len;
    const char *text = intern_text(t->names, name, &len);
    json_key_text(j, key, text, len);
}

static void json_tracks(const struct trace *t, const struct index *ix, struct json *j)
{
    json_key(j, "tracks");
    json_begin_array(j);
    for (uint32_t i = 0; i < t->track_count; i++) {
        const struct track *track = &t->tracks[i];
        const struct process *process = &t->processes[track->process];
        if (track->count == 0)
            continue;
        json_begin_object(j);
        json_key_string(j, "pid", trace_id(t, process->pid));
        json_key_string(j, "tid", trace_id(t, track->tid));
        json_name(j, "process", t, process->name);
        json_name(j, "thread", t, track->name);
        json_key_string(j, "kind", kind_name(track->kind));
        json_key(j, "device");
        if (track->kind == TRACK_DEVICE)
            json_string_z(j, trace_id(t, process->pid));
        else
            json_null(j);
        json_key_uint(j, "slices", track->count);
        json_key_uint(j, "lanes", index_lanes(ix, i));
        json_key_uint(j, "max_depth", index_max_depth(ix, i));
        json_name(j, "labels", t, process->labels);
        json_key_uint(j, "file", process->file);
        json_end_object(j);
    }
    json_end_array(j);
}

static void json_counters(const struct trace *t, struct json *j)
{
    json_key(j, "counters");
    json_begin_array(j);
    for (uint32_t i = 0; i < t->counter_count; i++) {
        const struct counter *c = &t->counters[i];
        json_begin_object(j);
        json_key_string(j, "pid", trace_id(t, t->processes[c->process].pid));
        json_name(j, "name", t, c->name);
        json_key(j, "id");
        if (c->id == TRACE_NONE)
            json_null(j);
        else
            json_string_z(j, trace_id(t, c->id));
        json_key(j, "series");
        json_begin_array(j);
        for (uint32_t k = 0; k < c->series_count; k++) {
            size_t len;
            const char *key = intern_text(t->names, t->series[c->first_series + k].key, &len);
            json_text(j, key, len);
        }
        json_end_array(j);
        json_key_uint(j, "samples", c->samples);
        json_end_object(j);
    }
    json_end_array(j);
}

static void json_rest(const struct trace *t, struct json *j)
{
    uint64_t complete, dangling;
    flows_count(t, &complete, &dangling);
    json_key(j, "async");
    json_begin_object(j);
    json_key_uint(j, "pairs", t->async_pairs);
    json_key_uint(j, "open", t->async_open);
    json_end_object(j);
    json_key_uint(j, "instants", t->instants.count);
    json_key(j, "flows");
    json_begin_object(j);
    json_key_uint(j, "complete", complete);
    json_key_uint(j, "dangling", dangling);
    json_end_object(j);
}

static void json_iterations(const struct trace *t, const struct iterations *list, struct json *j)
{
    json_key(j, "iterations");
    json_begin_array(j);
    for (uint32_t i = 0; i < list->count; i++) {
        size_t len;
        const char *name = trace_name(t, list->items[i].slice, &len);
        json_text(j, name, len);
    }
    json_end_array(j);
    json_key(j, "focus");
    json_begin_object(j);
    json_key_int(j, "start_ns", t->focus_start_ns);
    json_key_int(j, "end_ns", t->focus_end_ns);
    json_end_object(j);
}

static void json_place(struct json *j, const struct damage_place *place)
{
    if (place && place->line > 0) {
        json_key_uint(j, "line", place->line);
        json_key_uint(j, "column", place->column);
    } else {
        json_key(j, "line");
        json_null(j);
        json_key(j, "column");
        json_null(j);
    }
    json_key(j, "byte");
    if (place && place->byte != DAMAGE_NO_PLACE)
        json_uint(j, place->byte);
    else
        json_null(j);
}

static void json_warnings(const struct trace *t, struct json *j)
{
    json_key(j, "warnings");
    json_begin_array(j);
    for (int kind = 0; kind < DAMAGE_KIND_COUNT; kind++) {
        if (t->damage.counts[kind] == 0)
            continue;
        json_begin_object(j);
        json_key_string(j, "kind", damage_name((enum damage_kind)kind));
        json_key_uint(j, "count", t->damage.counts[kind]);
        json_place(j, damage_first(&t->damage, (enum damage_kind)kind));
        json_key_string(j, "message", damage_text((enum damage_kind)kind));
        json_key(j, "places");
        json_begin_array(j);
        for (size_t i = 0; i < t->damage.place_count; i++) {
            const struct damage_place *place = &t->damage.places[i];
            if ((int)place->kind != kind)
                continue;
            json_begin_object(j);
            json_key_uint(j, "file", place->file);
            json_place(j, place);
            json_end_object(j);
        }
        json_end_array(j);
        json_end_object(j);
    }
    json_end_array(j);
}

static void write_json(const struct report *r, const struct iterations *list)
{
    const struct trace *t = r->t;
    struct json j = {.out = r->out};
    json_begin_object(&j);
    json_key_string(&j, "format", "spytop-info-1");
    json_files(t, &j);
    json_times(t, &j);
    json_counts(t, &j);
    json_tracks(t, r->ix, &j);
    json_counters(t, &j);
    json_rest(t, &j);
    json_iterations(t, list, &j);
    json_warnings(t, &j);
    json_key(&j, "acelyzer");
    json_begin_object(&j);
    json_key(&j, "processed");
    json_bool(&j, t->processed_by_acelyzer);
    json_key(&j, "enriched");
    json_bool(&j, t->enriched);
    json_end_object(&j);
    json_end_object(&j);
    putc('\n', r->out);
}

static const struct sheet_column track_columns[] = {
    {"process", "process", CELL_TEXT}, {"pid", NULL, CELL_TEXT},
    {"tid", "tid", CELL_TEXT},         {"thread", "thread", CELL_TEXT},
    {"kind", "kind", CELL_TEXT},       {"slices", "slices", CELL_COUNT},
    {"lanes", "lanes", CELL_COUNT},    {"max_depth", "depth", CELL_COUNT},
};

struct tracks_sheet {
    const struct report *r;
    uint32_t *tracks;
    char title[256];
};

static void fill_track(void *context, uint64_t index, struct sheet_cell *cells)
{
    struct tracks_sheet *sheet = context;
    const struct trace *t = sheet->r->t;
    uint32_t track = sheet->tracks[index];
    const struct track *tr = &t->tracks[track];
    const char *kind = kind_name(tr->kind);
    report_process_title(t, tr->process, sheet->title, sizeof sheet->title);
    cells[0] = sheet_text_cell(sheet->title, strlen(sheet->title));
    cells[1] = report_id_cell(t, t->processes[tr->process].pid);
    cells[2] = report_id_cell(t, tr->tid);
    cells[3] = report_name_cell(t, tr->name);
    cells[4] = sheet_text_cell(kind, strlen(kind));
    cells[5] = sheet_number_cell(tr->count);
    cells[6] = sheet_number_cell(index_lanes(sheet->r->ix, track));
    cells[7] = sheet_number_cell(index_max_depth(sheet->r->ix, track));
}

static void write_tracks(const struct report *r)
{
    struct tracks_sheet context = {.r = r};
    uint64_t count = 0;
    context.tracks = xreallocarray(NULL, (size_t)r->t->track_count + 1, sizeof *context.tracks);
    for (uint32_t i = 0; i < r->t->track_count; i++)
        if (r->t->tracks[i].count)
            context.tracks[count++] = i;
    struct sheet sheet = {
        .columns = track_columns,
        .column_count = sizeof track_columns / sizeof *track_columns,
        .row_count = count,
        .row = fill_track,
        .context = &context,
    };
    if (r->request->format == FORMAT_CSV)
        sheet_csv(r->out, &sheet);
    else
        sheet_text(r->out, &sheet, r->request->width,
                   r->request->top >= 0 ? (uint64_t)r->request->top : 0);
    free(context.tracks);
}

static void text_file(const struct report *r, const struct trace_file *f)
{
    char path[512];
    utf8_make_safe(path, sizeof path, f->path, UTF8_NUL_TERMINATED);
    fprintf(r->out, "file        %s, %.1f MB", path, (double)f->file_bytes / 1e6);
    if (f->packing != INPUT_NONE)
        fprintf(r->out, " (%s, %.1f MB unpacked)", packing_name(f->packing),
                (double)f->text_bytes / 1e6);
    if (f->rank >= 0)
        fprintf(r->out, ", rank %" PRId64, f->rank);
    putc('\n', r->out);
}

static void text_wall_clock(const struct report *r)
{
    int64_t wall;
    struct tm utc;
    char date[64];
    if (!trace_wall_clock(r->t, r->t->first_start_ns, &wall))
        return;
    int64_t below = wall % 1000000000;
    time_t seconds = (time_t)(wall / 1000000000 - (below < 0));
    if (below < 0)
        below += 1000000000;
    if (gmtime_r(&seconds, &utc) && strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &utc))
        fprintf(r->out, "first slice %s.%09" PRId64 "Z\n", date, below);
}

static void text_events(const struct report *r)
{
    const struct trace *t = r->t;
    fprintf(r->out, "events      %" PRIu64 ":", t->event_count);
    for (size_t i = 0; i < t->phase_count; i++) {
        char phase[64];
        utf8_make_safe(phase, sizeof phase, t->phases[i].text, UTF8_NUL_TERMINATED);
        fprintf(r->out, "%s %" PRIu64 " %s", i ? "," : "", t->phases[i].count,
                *phase ? phase : "without phase");
    }
    fprintf(r->out, "\nslices      %u", t->slice_count);
    if (t->open_begin_count || t->unmatched_ends)
        fprintf(r->out, " (%zu begins without an end, %" PRIu64 " ends without a begin)",
                t->open_begin_count, t->unmatched_ends);
    fputs("\ncategories ", r->out);
    for (uint32_t i = 0, shown = 0; i < t->category_count; i++) {
        char name[128];
        size_t len;
        const char *text = intern_text(t->names, t->categories[i].text, &len);
        if (t->category_events[i] == 0)
            continue;
        utf8_make_safe(name, sizeof name, text, len);
        fprintf(r->out, "%s %s %" PRIu64, shown++ ? "," : "", *name ? name : "none",
                t->category_events[i]);
    }
    putc('\n', r->out);
}

static void text_extras(const struct report *r)
{
    const struct trace *t = r->t;
    uint64_t complete, dangling;
    flows_count(t, &complete, &dangling);
    if (t->flows.count)
        fprintf(r->out, "flows       %" PRIu64 " complete, %" PRIu64 " dangling\n", complete,
                dangling);
    if (t->instants.count)
        fprintf(r->out, "instants    %zu\n", t->instants.count);
    if (t->counter_count)
        fprintf(r->out, "counters    %u with %u series\n", t->counter_count, t->series_count);
    if (t->async_pairs || t->async_open)
        fprintf(r->out, "async       %" PRIu64 " pairs, %" PRIu64 " open\n", t->async_pairs,
                t->async_open);
    if (t->processed_by_acelyzer)
        fprintf(r->out, "acelyzer    processed, %s\n",
                t->enriched ? "enriched" : "nothing added beyond the input");
}

static void text_iterations(const struct report *r, const struct iterations *list)
{
    for (uint32_t i = 0; i < list->family_count; i++) {
        char name[128], median[DURATION_TEXT];
        const struct iteration_family *f = &list->families[i];
        utf8_make_safe(name, sizeof name, f->name, UTF8_NUL_TERMINATED);
        fprintf(r->out, "%s %u of %s, median %s\n", i ? "           " : "iterations ", f->count,
                name, duration_text(median, f->median_dur_ns));
    }
}

static void text_warnings(const struct report *r)
{
    for (int kind = 0; kind < DAMAGE_KIND_COUNT; kind++) {
        const struct damage *d = &r->t->damage;
        if (d->counts[kind] == 0)
            continue;
        const struct damage_place *place = damage_first(d, (enum damage_kind)kind);
        fprintf(r->out, "warning     %s: %s, %" PRIu64 " time%s",
                damage_name((enum damage_kind)kind), damage_text((enum damage_kind)kind),
                d->counts[kind], d->counts[kind] == 1 ? "" : "s");
        if (place && place->line)
            fprintf(r->out, " (line %" PRIu64 ", column %" PRIu64 ", byte %" PRIu64 ")",
                    place->line, place->column, place->byte);
        putc('\n', r->out);
    }
}

static void write_text(const struct report *r, const struct iterations *list)
{
    char span[DURATION_TEXT], origin[DURATION_TEXT];
    const struct trace *t = r->t;
    for (size_t i = 0; i < t->file_count; i++)
        text_file(r, &t->files[i]);
    fprintf(r->out, "span        %s from ts %s us\n",
            duration_text(span, ns_sub(t->last_end_ns, t->first_start_ns)),
            duration_us(origin, t->origin_ns));
    text_wall_clock(r);
    text_events(r);
    text_extras(r);
    text_iterations(r, list);
    text_warnings(r);
    putc('\n', r->out);
    write_tracks(r);
}

bool report_info(struct report *r, struct error *err)
{
    struct iterations *list =
        iterations_find(r->t, r->ix, NULL, r->request->iteration_pattern, err);
    if (!list)
        return false;
    if (r->request->format == FORMAT_JSON)
        write_json(r, list);
    else if (r->request->format == FORMAT_CSV)
        write_tracks(r);
    else
        write_text(r, list);
    iterations_free(list);
    return true;
}
