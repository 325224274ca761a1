/*
 * -r slices: the slices themselves.
 */
#include <stdlib.h>

#include "query/slices.h"
#include "report/context.h"

static const struct sheet_column columns[] = {
    {"name", "name", CELL_TEXT},    {"category", "category", CELL_TEXT},
    {"pid", "pid", CELL_TEXT},      {"tid", "tid", CELL_TEXT},
    {"start_ns", "start", CELL_NS}, {"dur_ns", "duration", CELL_NS},
    {"depth", "depth", CELL_COUNT}, {"lane", "lane", CELL_COUNT},
};

struct slices_sheet {
    const struct report *r;
    uint32_t *slices;
};

static void fill_row(void *context, uint64_t index, struct sheet_cell *cells)
{
    const struct slices_sheet *sheet = context;
    const struct trace *t = sheet->r->t;
    uint32_t slice = sheet->slices[index];
    const struct track *track = &t->tracks[trace_track_of(t, slice)];
    cells[0] = report_name_cell(t, t->labels[t->label[slice]].name);
    cells[1] = report_name_cell(t, trace_category(t, slice)->text);
    cells[2] = report_id_cell(t, t->processes[track->process].pid);
    cells[3] = report_id_cell(t, track->tid);
    cells[4] = sheet_number_cell(t->start_ns[slice]);
    cells[5] = sheet_number_cell(t->dur_ns[slice]);
    cells[6] = sheet_number_cell(index_depth(sheet->r->ix, slice));
    cells[7] = sheet_number_cell(index_lane(sheet->r->ix, slice));
}

bool report_slices(struct report *r, struct error *err)
{
    (void)err;
    struct slices_sheet context = {.r = r};
    uint64_t top = r->request->format == FORMAT_TEXT ? report_text_rows(r) : 0;
    if (r->request->top >= 0)
        top = (uint64_t)r->request->top;
    enum slice_sort sort = r->request->sort_by_dur ? SLICES_BY_DUR : SLICES_BY_START;
    /* -n 0 asks for none, which is no limit for slices_list(). */
    uint32_t count = 0;
    if (r->request->top != 0)
        count = slices_list(r->t, r->ix, &r->sel, sort,
                            top < UINT32_MAX ? (uint32_t)top : UINT32_MAX, &context.slices);
    struct sheet sheet = {
        .columns = columns,
        .column_count = sizeof columns / sizeof *columns,
        .row_count = count,
        .row = fill_row,
        .context = &context,
    };
    if (r->request->format == FORMAT_JSON) {
        struct json j = {.out = r->out};
        json_begin_object(&j);
        json_key_string(&j, "format", "spytop-slices-1");
        report_json_window(r, &j);
        json_key(&j, "slices");
        sheet_json(&j, &sheet);
        json_end_object(&j);
        putc('\n', r->out);
    } else if (r->request->format == FORMAT_CSV) {
        sheet_csv(r->out, &sheet);
    } else {
        sheet_text(r->out, &sheet, r->request->width, 0);
    }
    free(context.slices);
    return true;
}
