/*
 * -r gaps: when devices were idle, and why.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "query/gaps.h"
#include "query/iterations.h"
#include "query/launches.h"
#include "report/context.h"

enum { DEFAULT_TOP = 10 };

/* What the answer needs besides the gaps. */
struct gaps_report {
    struct report *r;
    struct gaps *gaps;
    struct iterations *iterations;
    struct launches *launches;
    uint32_t *row_of; /* per line of the sheet: the row and which of its gaps */
    size_t *gap_of;
};

/* Why a device waited. After the idle time breakdown of Holistic Trace Analysis: the
 * host had not launched the next one when the last one ended (host_wait); else the
 * device itself was late, by little (kernel_wait) or for another reason. */
enum { KERNEL_WAIT_NS = 30000 };
static const char *cause_of(const struct gaps_report *g, const struct gap *gap)
{
    uint32_t call = launches_call(g->launches, gap->after);
    if (call != TRACE_NONE && g->r->t->start_ns[call] >= gap->start_ns)
        return "host_wait";
    if (gap->dur_ns < KERNEL_WAIT_NS)
        return "kernel_wait";
    return call == TRACE_NONE ? "unknown" : "other";
}

static void json_name_of(struct json *j, const char *key, const struct trace *t, uint32_t slice)
{
    size_t len;
    const char *name = trace_name(t, slice, &len);
    json_key_text(j, key, name, len);
}

static void json_gap(const struct gaps_report *g, struct json *j, const struct gap *gap)
{
    const struct trace *t = g->r->t;
    uint32_t iteration = iterations_at(g->iterations, TRACE_NONE, gap->start_ns);
    json_begin_object(j);
    json_key_int(j, "start_ns", gap->start_ns);
    json_key_int(j, "dur_ns", gap->dur_ns);
    json_name_of(j, "before", t, gap->before);
    json_name_of(j, "after", t, gap->after);
    if (iteration == TRACE_NONE) {
        json_key(j, "iteration");
        json_null(j);
    } else {
        json_name_of(j, "iteration", t, g->iterations->items[iteration].slice);
    }
    json_key_string(j, "cause", cause_of(g, gap));
    json_end_object(j);
}

static void json_categories(const struct gaps_report *g, struct json *j, const struct gap_row *row)
{
    const struct trace *t = g->r->t;
    json_key(j, "busy_by_category_ns");
    json_begin_object(j);
    for (uint32_t i = 0; i < g->gaps->category_count; i++) {
        size_t len;
        const char *name = intern_text(t->names, t->categories[i].text, &len);
        if (row->busy_by_category_ns[i] == 0)
            continue;
        json_text(j, name, len);
        putc(':', j->out);
        j->comma = false;
        json_int(j, row->busy_by_category_ns[i]);
    }
    json_end_object(j);
}

static void json_row(const struct gaps_report *g, struct json *j, const struct gap_row *row)
{
    const struct trace *t = g->r->t;
    const char *pid = trace_id(t, t->processes[row->process].pid);
    json_begin_object(j);
    json_key_string(j, "device", pid);
    json_key_string(j, "pid", pid);
    json_key(j, "tid");
    if (row->track == TRACE_NONE)
        json_null(j);
    else
        json_string_z(j, trace_id(t, t->tracks[row->track].tid));
    json_key_int(j, "span_ns", row->span_ns);
    json_key_int(j, "busy_ns", row->busy_ns);
    json_key_int(j, "idle_ns", row->idle_ns);
    json_categories(g, j, row);
    json_key_uint(j, "gaps", row->gap_count);
    json_key(j, "largest");
    json_begin_array(j);
    for (size_t i = 0; i < row->largest_count; i++)
        json_gap(g, j, &row->largest[i]);
    json_end_array(j);
    json_end_object(j);
}

static void write_json(const struct gaps_report *g)
{
    struct json j = {.out = g->r->out};
    json_begin_object(&j);
    json_key_string(&j, "format", "spytop-gaps-1");
    json_key_string(&j, "by", g->r->request->by_track ? "track" : "device");
    json_key(&j, "rows");
    json_begin_array(&j);
    for (uint32_t i = 0; i < g->gaps->row_count; i++)
        json_row(g, &j, &g->gaps->rows[i]);
    json_end_array(&j);
    json_end_object(&j);
    putc('\n', g->r->out);
}

/* CSV and text: devices, then the gaps of all of them. */
static const struct sheet_column device_columns[] = {
    {"device", "device", CELL_TEXT}, {"pid", NULL, CELL_TEXT},
    {"tid", "tid", CELL_TEXT},       {"span_ns", "span", CELL_NS},
    {"busy_ns", "busy", CELL_NS},    {"idle_ns", "idle", CELL_NS},
    {"gaps", "gaps", CELL_COUNT},    {"busy_share", "busy", CELL_SHARE},
};
static const struct sheet_column gap_columns[] = {
    {"device", "device", CELL_TEXT}, {"start_ns", "start", CELL_NS},  {"dur_ns", "idle", CELL_NS},
    {"cause", "cause", CELL_TEXT},   {"before", "before", CELL_TEXT}, {"after", "after", CELL_TEXT},
};

static void fill_device(void *context, uint64_t index, struct sheet_cell *cells)
{
    const struct gaps_report *g = context;
    const struct trace *t = g->r->t;
    const struct gap_row *row = &g->gaps->rows[index];
    cells[0] = cells[1] = report_id_cell(t, t->processes[row->process].pid);
    if (row->track == TRACE_NONE)
        cells[2] = sheet_null_cell();
    else
        cells[2] = report_id_cell(t, t->tracks[row->track].tid);
    cells[3] = sheet_number_cell(row->span_ns);
    cells[4] = sheet_number_cell(row->busy_ns);
    cells[5] = sheet_number_cell(row->idle_ns);
    cells[6] = sheet_number_cell((int64_t)row->gap_count);
    cells[7].share = row->span_ns ? (double)row->busy_ns / (double)row->span_ns : 0;
}

static void fill_gap(void *context, uint64_t index, struct sheet_cell *cells)
{
    const struct gaps_report *g = context;
    const struct trace *t = g->r->t;
    const struct gap_row *row = &g->gaps->rows[g->row_of[index]];
    const struct gap *gap = &row->largest[g->gap_of[index]];
    const char *cause = cause_of(g, gap);
    cells[0] = report_id_cell(t, t->processes[row->process].pid);
    cells[1] = sheet_number_cell(gap->start_ns);
    cells[2] = sheet_number_cell(gap->dur_ns);
    cells[3] = sheet_text_cell(cause, strlen(cause));
    cells[4] = report_name_cell(t, t->labels[t->label[gap->before]].name);
    cells[5] = report_name_cell(t, t->labels[t->label[gap->after]].name);
}

static void write_text(struct gaps_report *g, const struct sheet *devices)
{
    struct report *r = g->r;
    uint64_t lines = 0;
    for (uint32_t i = 0; i < g->gaps->row_count; i++)
        lines += g->gaps->rows[i].largest_count;
    g->row_of = xreallocarray(NULL, lines + 1, sizeof *g->row_of);
    g->gap_of = xreallocarray(NULL, lines + 1, sizeof *g->gap_of);
    lines = 0;
    for (uint32_t i = 0; i < g->gaps->row_count; i++) {
        for (size_t k = 0; k < g->gaps->rows[i].largest_count; k++) {
            g->row_of[lines] = i;
            g->gap_of[lines++] = k;
        }
    }
    struct sheet gaps = {
        .columns = gap_columns,
        .column_count = sizeof gap_columns / sizeof *gap_columns,
        .row_count = lines,
        .row = fill_gap,
        .context = g,
    };
    sheet_text(r->out, devices, r->request->width, 0);
    if (lines > 0) {
        fputs("\nlargest gaps\n", r->out);
        sheet_text(r->out, &gaps, r->request->width, 0);
    }
    free(g->row_of);
    free(g->gap_of);
}

bool report_gaps(struct report *r, struct error *err)
{
    struct gaps_report g = {.r = r};
    size_t top = r->request->top < 0 ? DEFAULT_TOP : (size_t)r->request->top;
    g.launches = launches_build(r->t, r->ix);
    g.iterations = iterations_find(r->t, r->ix, NULL, r->request->iteration_pattern, err);
    if (!g.iterations) {
        launches_free(g.launches);
        return false;
    }
    g.gaps = gaps_find(r->t, r->ix, &r->sel, r->request->by_track, top ? top : 1);
    for (uint32_t i = 0; top == 0 && i < g.gaps->row_count; i++)
        g.gaps->rows[i].largest_count = 0;
    struct sheet devices = {
        .columns = device_columns,
        .column_count = sizeof device_columns / sizeof *device_columns,
        .row_count = g.gaps->row_count,
        .row = fill_device,
        .context = &g,
    };
    if (r->request->format == FORMAT_JSON)
        write_json(&g);
    else if (r->request->format == FORMAT_CSV)
        sheet_csv(r->out, &devices);
    else
        write_text(&g, &devices);
    gaps_free(g.gaps);
    iterations_free(g.iterations);
    launches_free(g.launches);
    return true;
}
