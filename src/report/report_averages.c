/*
 * -r averages: host operators as key_averages() of PyTorch's profiler lists them, with
 * the device time of the kernels that they launched.
 */
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/memory.h"
#include "query/launches.h"
#include "report/context.h"

static const struct sheet_column columns[] = {
    {"name", "name", CELL_TEXT},      {"count", "calls", CELL_COUNT},
    {"self_ns", "self", CELL_NS},     {"self_share", "self", CELL_SHARE},
    {"total_ns", "total", CELL_NS},   {"mean_ns", "mean", CELL_PS},
    {"device_ns", "device", CELL_NS}, {"device_share", "device", CELL_SHARE},
};

struct averages {
    const struct report *r;
    const struct summary *ops;
    int64_t *device_ns; /* per name: of the kernels launched within */
    int64_t device_total_ns, self_total_ns;
};

static void fill_row(void *context, uint64_t index, struct sheet_cell *cells)
{
    const struct averages *a = context;
    const struct summary_row *row = &a->ops->rows[index];
    int64_t device = a->device_ns[row->name];
    cells[0] = report_name_cell(a->r->t, row->name);
    cells[1] = sheet_number_cell(row->count);
    cells[2] = sheet_number_cell(row->self_ns);
    cells[3].share = a->self_total_ns ? (double)row->self_ns / (double)a->self_total_ns : 0;
    cells[4] = sheet_number_cell(row->total_ns);
    cells[5] = sheet_number_cell(row->mean_ps);
    cells[6] = sheet_number_cell(device);
    cells[7].share = a->device_total_ns ? (double)device / (double)a->device_total_ns : 0;
}

/* Every operator around the launching call gets the kernel's time: once for each
 * name, however often it nests in itself. */
static void charge_ops(struct averages *a, const struct launches *launches, uint32_t kernel)
{
    enum { NESTED = 256 };
    const struct trace *t = a->r->t;
    uint32_t names[NESTED], count = 0, op = launches_call(launches, kernel);
    a->device_total_ns = ns_add(a->device_total_ns, t->dur_ns[kernel]);
    if (op == TRACE_NONE)
        return;
    while ((op = launches_op(t, a->r->ix, op)) != TRACE_NONE && count < NESTED) {
        uint32_t name = t->labels[t->label[op]].name;
        bool charged = false;
        for (uint32_t i = 0; i < count; i++)
            charged |= names[i] == name;
        if (charged)
            continue;
        names[count++] = name;
        a->device_ns[name] = ns_add(a->device_ns[name], t->dur_ns[kernel]);
    }
}

static void write_all(const struct report *r, const struct averages *a, const struct sheet *sheet)
{
    if (r->request->format == FORMAT_JSON) {
        struct json j = {.out = r->out};
        json_begin_object(&j);
        json_key_string(&j, "format", "spytop-averages-1");
        report_json_window(r, &j);
        json_key(&j, "rows");
        sheet_json(&j, sheet);
        json_key(&j, "total");
        json_begin_object(&j);
        json_key_int(&j, "self_ns", a->self_total_ns);
        json_key_int(&j, "device_ns", a->device_total_ns);
        json_end_object(&j);
        json_end_object(&j);
        putc('\n', r->out);
    } else if (r->request->format == FORMAT_CSV) {
        sheet_csv(r->out, sheet);
    } else {
        char self[DURATION_TEXT], device[DURATION_TEXT];
        sheet_text(r->out, sheet, r->request->width, report_text_rows(r));
        fprintf(r->out, "self time total %s, device time total %s\n",
                duration_text(self, a->self_total_ns), duration_text(device, a->device_total_ns));
    }
}

bool report_averages(struct report *r, struct error *err)
{
    (void)err;
    const struct trace *t = r->t;
    if (!r->request->categories)
        selection_categories(&r->sel, t, "cpu_op");
    struct summary *ops = summary_compute(t, r->ix, &r->sel, BY_NAME);
    struct launches *launches = launches_build(t, r->ix);
    struct averages a = {.r = r, .ops = ops};
    a.device_ns = xcalloc((size_t)intern_count(t->names) + 1, sizeof *a.device_ns);
    for (uint32_t i = 0; i < t->slice_count; i++)
        if (trace_category(t, i)->class == CATEGORY_KERNEL &&
            index_in_window(t, i, r->sel.from_ns, r->sel.to_ns))
            charge_ops(&a, launches, i);
    for (uint32_t i = 0; i < ops->row_count; i++)
        a.self_total_ns = ns_add(a.self_total_ns, ops->rows[i].self_ns);
    summary_order(ops, SORT_SELF, false);
    uint64_t rows = ops->row_count;
    if (r->request->format != FORMAT_TEXT)
        rows = report_limit(r, rows);
    struct sheet sheet = {
        .columns = columns,
        .column_count = sizeof columns / sizeof *columns,
        .row_count = rows,
        .row = fill_row,
        .context = &a,
    };
    write_all(r, &a, &sheet);
    free(a.device_ns);
    launches_free(launches);
    summary_free(ops);
    return true;
}
