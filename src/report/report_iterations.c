/*
 * -r iterations: every iteration with what the devices did in it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "query/launches.h"
#include "report/context.h"

static const struct sheet_column columns[] = {
    {"name", "name", CELL_TEXT},
    {"family", NULL, CELL_TEXT},
    {"number", NULL, CELL_COUNT},
    {"pid", "pid", CELL_TEXT},
    {"tid", NULL, CELL_TEXT},
    {"start_ns", "start", CELL_NS},
    {"dur_ns", "duration", CELL_NS},
    {"kernels", "kernels", CELL_COUNT},
    {"kernel_ns", "kernel", CELL_NS},
    {"kernel_busy_ns", "kernel busy", CELL_NS},
    {"device_busy_ns", "device busy", CELL_NS},
    {"launched_kernels", "launched", CELL_COUNT},
    {"launched_kernel_busy_ns", "launched busy", CELL_NS},
};

struct iterations_sheet {
    const struct report *r;
    const struct iterations *list;
    const uint32_t *chosen;
};

static void fill_row(void *context, uint64_t index, struct sheet_cell *cells)
{
    const struct iterations_sheet *sheet = context;
    const struct trace *t = sheet->r->t;
    const struct iteration *it = &sheet->list->items[sheet->chosen[index]];
    const struct track *track = &t->tracks[trace_track_of(t, it->slice)];
    const char *family = sheet->list->families[it->family].name;
    cells[0] = report_name_cell(t, t->labels[t->label[it->slice]].name);
    cells[1] = sheet_text_cell(family, strlen(family));
    cells[2] = it->number < 0 ? sheet_null_cell() : sheet_number_cell(it->number);
    cells[3] = report_id_cell(t, t->processes[track->process].pid);
    cells[4] = report_id_cell(t, track->tid);
    cells[5] = sheet_number_cell(it->start_ns);
    cells[6] = sheet_number_cell(it->dur_ns);
    cells[7] = sheet_number_cell(it->kernels);
    cells[8] = sheet_number_cell(it->kernel_ns);
    cells[9] = sheet_number_cell(it->kernel_busy_ns);
    cells[10] = sheet_number_cell(it->device_busy_ns);
    bool links = sheet->list->has_launches;
    cells[11] = links ? sheet_number_cell(it->launched_kernels) : sheet_null_cell();
    cells[12] = links ? sheet_number_cell(it->launched_kernel_busy_ns) : sheet_null_cell();
}

static void json_families(const struct report *r, const struct iterations *list, struct json *j)
{
    json_key(j, "families");
    json_begin_array(j);
    for (uint32_t i = 0; i < list->family_count; i++) {
        const struct iteration_family *f = &list->families[i];
        json_begin_object(j);
        json_key_string(j, "family", f->name);
        json_key_uint(j, "count", f->count);
        json_key_int(j, "median_dur_ns", f->median_dur_ns);
        json_key(j, "outliers");
        json_begin_array(j);
        for (uint32_t k = 0; k < f->outlier_count; k++) {
            size_t len;
            const char *name = trace_name(r->t, list->items[f->outliers[k]].slice, &len);
            json_text(j, name, len);
        }
        json_end_array(j);
        json_end_object(j);
    }
    json_end_array(j);
}

static void text_families(const struct report *r, const struct iterations *list)
{
    for (uint32_t i = 0; i < list->family_count; i++) {
        const struct iteration_family *f = &list->families[i];
        char name[128], median[DURATION_TEXT];
        utf8_make_safe(name, sizeof name, f->name, UTF8_NUL_TERMINATED);
        fprintf(r->out, "%s: %u, median %s", name, f->count,
                duration_text(median, f->median_dur_ns));
        for (uint32_t k = 0; k < f->outlier_count && k < 8; k++) {
            size_t len;
            const char *outlier = trace_name(r->t, list->items[f->outliers[k]].slice, &len);
            utf8_make_safe(name, sizeof name, outlier, len);
            fprintf(r->out, "%s%s", k ? ", " : ", outliers: ", name);
        }
        if (f->outlier_count > 8)
            fprintf(r->out, " and %u more", f->outlier_count - 8);
        putc('\n', r->out);
    }
}

/* Those in the window (and of the names asked for). */
static uint32_t choose(const struct report *r, const struct iterations *list, uint32_t *chosen)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const struct label *label = &r->t->labels[r->t->label[list->items[i].slice]];
        if (index_in_window(r->t, list->items[i].slice, r->sel.from_ns, r->sel.to_ns) &&
            (!r->sel.names || r->sel.names[label->name]))
            chosen[count++] = i;
    }
    return count;
}

static void write_all(struct report *r, const struct iterations *list, const struct sheet *sheet)
{
    if (r->request->format == FORMAT_JSON) {
        struct json j = {.out = r->out};
        json_begin_object(&j);
        json_key_string(&j, "format", "spytop-iterations-1");
        json_key(&j, "iterations");
        sheet_json(&j, sheet);
        json_families(r, list, &j);
        json_end_object(&j);
        putc('\n', r->out);
    } else if (r->request->format == FORMAT_CSV) {
        sheet_csv(r->out, sheet);
    } else {
        sheet_text(r->out, sheet, r->request->width, report_text_rows(r));
        text_families(r, list);
    }
}

bool report_iterations(struct report *r, struct error *err)
{
    struct launches *launches = launches_build(r->t, r->ix);
    struct iterations *list =
        iterations_find(r->t, r->ix, launches, r->request->iteration_pattern, err);
    launches_free(launches);
    if (!list)
        return false;
    uint32_t *chosen = xreallocarray(NULL, (size_t)list->count + 1, sizeof *chosen);
    struct iterations_sheet context = {r, list, chosen};
    uint64_t rows = choose(r, list, chosen);
    if (r->request->format != FORMAT_TEXT)
        rows = report_limit(r, rows);
    struct sheet sheet = {
        .columns = columns,
        .column_count = sizeof columns / sizeof *columns,
        .row_count = rows,
        .row = fill_row,
        .context = &context,
    };
    write_all(r, list, &sheet);
    free(chosen);
    iterations_free(list);
    return true;
}
