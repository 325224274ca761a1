/*
 * -r launches: how long after its launching call each kernel began.
 */
#include "query/launches.h"
#include "report/context.h"

static const struct sheet_column columns[] = {
    {"name", "name", CELL_TEXT},  {"count", "count", CELL_COUNT}, {"min_ns", "min", CELL_NS},
    {"mean_ns", "mean", CELL_PS}, {"p50_ns", "p50", CELL_NS},     {"p95_ns", "p95", CELL_NS},
    {"max_ns", "max", CELL_NS},
};

struct launches_sheet {
    const struct report *r;
    const struct launch_summary *s;
};

static void fill_row(void *context, uint64_t index, struct sheet_cell *cells)
{
    const struct launches_sheet *sheet = context;
    const struct launch_row *row = &sheet->s->rows[index];
    cells[0] = report_name_cell(sheet->r->t, row->name);
    cells[1] = sheet_number_cell(row->count);
    cells[2] = sheet_number_cell(row->min_ns);
    cells[3] = sheet_number_cell(row->mean_ps);
    cells[4] = sheet_number_cell(row->p50_ns);
    cells[5] = sheet_number_cell(row->p95_ns);
    cells[6] = sheet_number_cell(row->max_ns);
}

static void write_all(const struct report *r, const struct launch_summary *s,
                      const struct sheet *sheet)
{
    if (r->request->format == FORMAT_JSON) {
        struct json j = {.out = r->out};
        json_begin_object(&j);
        json_key_string(&j, "format", "spytop-launches-1");
        json_key(&j, "rows");
        sheet_json(&j, sheet);
        json_key_uint(&j, "orphan_kernels", s->orphan_kernels);
        json_key_uint(&j, "orphan_launches", s->orphan_launches);
        json_end_object(&j);
        putc('\n', r->out);
    } else if (r->request->format == FORMAT_CSV) {
        sheet_csv(r->out, sheet);
    } else {
        sheet_text(r->out, sheet, r->request->width, report_text_rows(r));
        fprintf(r->out, "%llu kernels without a call, %llu calls without a kernel\n",
                (unsigned long long)s->orphan_kernels, (unsigned long long)s->orphan_launches);
    }
}

bool report_launches(struct report *r, struct error *err)
{
    (void)err;
    if (!r->request->categories)
        selection_categories(&r->sel, r->t, "kernel");
    struct launches *launches = launches_build(r->t, r->ix);
    struct launch_summary *s = launches_summary(r->t, launches, &r->sel);
    struct launches_sheet context = {r, s};
    uint64_t rows = s->row_count;
    if (r->request->format != FORMAT_TEXT)
        rows = report_limit(r, rows);
    struct sheet sheet = {
        .columns = columns,
        .column_count = sizeof columns / sizeof *columns,
        .row_count = rows,
        .row = fill_row,
        .context = &context,
    };
    write_all(r, s, &sheet);
    launch_summary_free(s);
    launches_free(launches);
    return true;
}
