/*
 * -r summary: statistics of durations by name, stem, category or track.
 */
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "report/context.h"

static const struct sheet_column columns[] = {
    {"name", "name", CELL_TEXT},    {"category", NULL, CELL_TEXT}, {"count", "count", CELL_COUNT},
    {"total_ns", "total", CELL_NS}, {"self_ns", "self", CELL_NS},  {"window_ns", "window", CELL_NS},
    {"share", "share", CELL_SHARE}, {"min_ns", "min", CELL_NS},    {"mean_ns", "mean", CELL_PS},
    {"p50_ns", "p50", CELL_NS},     {"p95_ns", "p95", CELL_NS},    {"p99_ns", "p99", CELL_NS},
    {"max_ns", "max", CELL_NS},
};

struct summary_sheet {
    const struct report *r;
    const struct summary *s;
    uint64_t data_rows;
    char track_name[256];
};

/* Tracks have no name that tells them apart: process and thread. */
static struct sheet_cell track_cell(struct summary_sheet *sheet, uint32_t track)
{
    const struct trace *t = sheet->r->t;
    char process[160];
    report_process_title(t, t->tracks[track].process, process, sizeof process);
    const char *thread = intern_text(t->names, t->tracks[track].name, NULL);
    snprintf(sheet->track_name, sizeof sheet->track_name, "%s / %s%.60s", process,
             *thread ? "" : "tid ", *thread ? thread : trace_id(t, t->tracks[track].tid));
    return sheet_text_cell(sheet->track_name, strlen(sheet->track_name));
}

static struct sheet_cell name_cell(struct summary_sheet *sheet, const struct summary_row *row)
{
    const struct trace *t = sheet->r->t;
    switch (sheet->r->request->by) {
    case BY_NAME:
        return report_name_cell(t, row->name);
    case BY_TRACK:
        return track_cell(sheet, row->name);
    case BY_STEM:
    case BY_CATEGORY:
    default:
        return sheet_text_cell(row->text, strlen(row->text));
    }
}

static void total_row(const struct summary *s, struct sheet_cell *cells)
{
    cells[0] = sheet_text_cell("total", 5);
    cells[2] = sheet_number_cell((int64_t)s->count);
    cells[3] = sheet_number_cell(s->total_ns);
    cells[4] = sheet_null_cell();
    cells[5] = sheet_number_cell(s->window_ns);
    cells[6] = sheet_null_cell();
    for (int c = 7; c <= 12; c++)
        cells[c] = sheet_null_cell();
}

static void fill_row(void *context, uint64_t index, struct sheet_cell *cells)
{
    struct summary_sheet *sheet = context;
    if (index == sheet->data_rows) {
        total_row(sheet->s, cells);
        return;
    }
    const struct summary_row *row = &sheet->s->rows[index];
    const struct trace *t = sheet->r->t;
    cells[0] = name_cell(sheet, row);
    cells[1] = row->mixed ? sheet_text_cell("", 0)
                          : report_name_cell(t, t->categories[row->category].text);
    cells[2] = sheet_number_cell(row->count);
    cells[3] = sheet_number_cell(row->total_ns);
    cells[4] = sheet_number_cell(row->self_ns);
    cells[5] = sheet_number_cell(row->window_ns);
    cells[6].share = row->share;
    cells[7] = sheet_number_cell(row->min_ns);
    cells[8] = sheet_number_cell(row->mean_ps);
    cells[9] = sheet_number_cell(row->p50_ns);
    cells[10] = sheet_number_cell(row->p95_ns);
    cells[11] = sheet_number_cell(row->p99_ns);
    cells[12] = sheet_number_cell(row->max_ns);
}

static void json_categories(struct report *r, struct json *j)
{
    const char *list = r->request->categories ? r->request->categories : "kernel";
    json_key(j, "category");
    json_begin_array(j);
    for (const char *p = list;; p++) {
        size_t len = strcspn(p, ",");
        json_text(j, p, len);
        p += len;
        if (*p == '\0')
            break;
    }
    json_end_array(j);
}

static void write_json(struct report *r, const struct summary *s, const struct sheet *sheet)
{
    static const char *const by[] = {"name", "stem", "category", "track"};
    struct json j = {.out = r->out};
    json_begin_object(&j);
    json_key_string(&j, "format", "spytop-summary-1");
    report_json_window(r, &j);
    json_categories(r, &j);
    json_key_string(&j, "by", by[r->request->by]);
    json_key(&j, "rows");
    sheet_json(&j, sheet);
    json_key(&j, "total");
    json_begin_object(&j);
    json_key_uint(&j, "count", s->count);
    json_key_int(&j, "total_ns", s->total_ns);
    json_key_int(&j, "window_ns", s->window_ns);
    json_key_int(&j, "busy_ns", s->busy_ns);
    json_end_object(&j);
    json_end_object(&j);
    putc('\n', r->out);
}

static void write_text(struct report *r, const struct summary *s, const struct sheet *sheet)
{
    char busy[DURATION_TEXT], span[DURATION_TEXT];
    int64_t from, to;
    report_window(r, &from, &to);
    sheet_text(r->out, sheet, r->request->width, report_text_rows(r));
    fprintf(r->out, "busy %s of %s\n", duration_text(busy, s->busy_ns),
            duration_text(span, ns_sub(to, from)));
}

bool report_summary(struct report *r, struct error *err)
{
    (void)err;
    if (!r->request->categories)
        selection_categories(&r->sel, r->t, "kernel");
    struct summary *s = summary_compute(r->t, r->ix, &r->sel, r->request->by);
    summary_order(s, r->request->sort, false);
    struct summary_sheet context = {.r = r, .s = s, .data_rows = s->row_count};
    bool text = r->request->format == FORMAT_TEXT;
    if (!text)
        context.data_rows = report_limit(r, s->row_count);
    struct sheet sheet = {
        .columns = columns,
        .column_count = sizeof columns / sizeof *columns,
        .row_count = context.data_rows + 1,
        .row = fill_row,
        .context = &context,
        .total = true,
    };
    if (r->request->format == FORMAT_JSON)
        write_json(r, s, &sheet);
    else if (r->request->format == FORMAT_CSV)
        sheet_csv(r->out, &sheet);
    else
        write_text(r, s, &sheet);
    summary_free(s);
    return true;
}
