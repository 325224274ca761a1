/*
 * -r diff: two traces, by name or stem.
 */
#include "base/duration.h"
#include "query/diff.h"
#include "report/context.h"

static const struct sheet_column columns[] = {
    {"name", "name", CELL_TEXT},
    {"base_count", "base", CELL_COUNT},
    {"new_count", "new", CELL_COUNT},
    {"base_total_ns", "base total", CELL_NS},
    {"new_total_ns", "new total", CELL_NS},
    {"delta_total_ns", "change", CELL_NS},
    {"base_mean_ns", "base mean", CELL_PS},
    {"new_mean_ns", "new mean", CELL_PS},
};

static void fill_row(void *context, uint64_t index, struct sheet_cell *cells)
{
    const struct diff *d = context;
    const struct diff_row *row = &d->rows[index];
    const struct summary_row *base = row->base, *other = row->other;
    cells[0] = sheet_text_cell(row->name, row->name_len);
    cells[1] = sheet_number_cell(base ? base->count : 0);
    cells[2] = sheet_number_cell(other ? other->count : 0);
    cells[3] = sheet_number_cell(base ? base->total_ns : 0);
    cells[4] = sheet_number_cell(other ? other->total_ns : 0);
    cells[5] = sheet_number_cell(row->delta_ns);
    cells[6] = base ? sheet_number_cell(base->mean_ps) : sheet_null_cell();
    cells[7] = other ? sheet_number_cell(other->mean_ps) : sheet_null_cell();
}

static void json_total(const struct diff *d, struct json *j)
{
    json_key(j, "total");
    json_begin_object(j);
    json_key_uint(j, "base_count", d->base->count);
    json_key_uint(j, "new_count", d->other->count);
    json_key_int(j, "base_total_ns", d->base->total_ns);
    json_key_int(j, "new_total_ns", d->other->total_ns);
    json_key_int(j, "delta_total_ns", ns_sub(d->other->total_ns, d->base->total_ns));
    json_end_object(j);
}

static void write_all(const struct report *r, const struct diff *d, const struct sheet *sheet)
{
    if (r->request->format == FORMAT_JSON) {
        struct json j = {.out = r->out};
        json_begin_object(&j);
        json_key_string(&j, "format", "spytop-diff-1");
        json_key_string(&j, "by", r->request->by == BY_STEM ? "stem" : "name");
        json_key(&j, "rows");
        sheet_json(&j, sheet);
        json_total(d, &j);
        json_end_object(&j);
        putc('\n', r->out);
    } else if (r->request->format == FORMAT_CSV) {
        sheet_csv(r->out, sheet);
    } else {
        char base[DURATION_TEXT], other[DURATION_TEXT], delta[DURATION_TEXT];
        sheet_text(r->out, sheet, r->request->width, report_text_rows(r));
        fprintf(r->out, "total %s, new %s, change %s\n", duration_text(base, d->base->total_ns),
                duration_text(other, d->other->total_ns),
                duration_text(delta, ns_sub(d->other->total_ns, d->base->total_ns)));
    }
}

bool report_diff(struct report *r, const struct trace *other, const struct index *other_ix,
                 struct error *err)
{
    struct selection sel;
    const struct report_request *request = r->request;
    const char *categories = request->categories ? request->categories : "kernel";
    selection_init(&sel);
    sel.from_ns = r->sel.from_ns;
    sel.to_ns = r->sel.to_ns;
    selection_categories(&r->sel, r->t, categories);
    selection_categories(&sel, other, categories);
    if (request->match && !selection_match(&sel, other, request->match, err)) {
        selection_free(&sel);
        return false;
    }
    struct diff *d = diff_compute(r->t, r->ix, &r->sel, other, other_ix, &sel, request->by);
    uint64_t rows = d->row_count;
    if (request->format != FORMAT_TEXT)
        rows = report_limit(r, rows);
    struct sheet sheet = {
        .columns = columns,
        .column_count = sizeof columns / sizeof *columns,
        .row_count = rows,
        .row = fill_row,
        .context = d,
    };
    write_all(r, d, &sheet);
    diff_free(d);
    selection_free(&sel);
    return true;
}
