/*
 * -r breakdown: of each iteration (or of the window) how much time went where. Time
 * in which several things happened counts for the first of kernel, copy, memset,
 * communication, runtime call, operator; the rest is other: the roles and their order
 * are those of the TensorBoard profiler's step time breakdown.
 */
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/memory.h"
#include "query/iterations.h"
#include "query/union.h"
#include "report/context.h"

enum role { ROLE_KERNEL, ROLE_COPY, ROLE_MEMSET, ROLE_COMMUNICATION, ROLE_RUNTIME, ROLE_OP, ROLES };

static const struct sheet_column columns[] = {
    {"name", "iteration", CELL_TEXT},      {"start_ns", "start", CELL_NS},
    {"dur_ns", "duration", CELL_NS},       {"kernel_ns", "kernel", CELL_NS},
    {"copy_ns", "copy", CELL_NS},          {"memset_ns", "memset", CELL_NS},
    {"communication_ns", "comm", CELL_NS}, {"runtime_ns", "runtime", CELL_NS},
    {"cpu_op_ns", "cpu op", CELL_NS},      {"other_ns", "other", CELL_NS},
};

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static bool is_communication(const char *name)
{
    return starts_with(name, "nccl") || starts_with(name, "gloo:") || starts_with(name, "aiuComms");
}

static int role_of(const struct trace *t, uint32_t slice)
{
    switch (trace_category(t, slice)->class) {
    case CATEGORY_KERNEL:
        return ROLE_KERNEL;
    case CATEGORY_MEMCPY:
        return ROLE_COPY;
    case CATEGORY_MEMSET:
        return ROLE_MEMSET;
    case CATEGORY_RUNTIME:
    case CATEGORY_DRIVER:
        return is_communication(trace_name(t, slice, NULL)) ? ROLE_COMMUNICATION : ROLE_RUNTIME;
    case CATEGORY_CPU_OP:
        return is_communication(trace_name(t, slice, NULL)) ? ROLE_COMMUNICATION : ROLE_OP;
    default:
        return -1;
    }
}

/* For every role the union of itself and all before it: what a role adds to the one
 * before is its own share. */
struct breakdown {
    const struct report *r;
    struct interval_list upto[ROLES];
    int64_t *sums[ROLES];
    const struct iterations *list;
    const uint32_t *chosen; /* iterations; NULL: one row for the window */
};

static void build(struct breakdown *b)
{
    const struct trace *t = b->r->t;
    for (uint32_t i = 0; i < t->slice_count; i++) {
        int role = role_of(t, i);
        if (role >= 0 && t->dur_ns[i] > 0 &&
            index_in_window(t, i, b->r->sel.from_ns, b->r->sel.to_ns))
            interval_add(&b->upto[role], t->start_ns[i], trace_end_ns(t, i));
    }
    for (int role = 0; role < ROLES; role++) {
        for (size_t i = 0; role > 0 && i < b->upto[role - 1].count; i++) {
            const struct interval *interval = &b->upto[role - 1].items[i];
            interval_add(&b->upto[role], interval->start_ns, interval->end_ns);
        }
        interval_unite(&b->upto[role]);
        b->sums[role] = interval_sums(&b->upto[role]);
    }
}

static void fill_row(void *context, uint64_t index, struct sheet_cell *cells)
{
    const struct breakdown *b = context;
    int64_t from, to, before = 0;
    if (b->chosen) {
        const struct iteration *it = &b->list->items[b->chosen[index]];
        from = it->start_ns;
        to = it->start_ns + it->dur_ns;
        cells[0] = report_name_cell(b->r->t, b->r->t->labels[b->r->t->label[it->slice]].name);
    } else {
        report_window(b->r, &from, &to);
        cells[0] = sheet_text_cell("window", 6);
    }
    cells[1] = sheet_number_cell(from);
    cells[2] = sheet_number_cell(ns_sub(to, from));
    for (int role = 0; role < ROLES; role++) {
        int64_t upto = interval_length_in(&b->upto[role], b->sums[role], from, to);
        cells[3 + role] = sheet_number_cell(upto - before);
        before = upto;
    }
    cells[9] = sheet_number_cell(ns_sub(to, from) - before);
}

static void write_all(const struct report *r, const struct sheet *sheet)
{
    if (r->request->format == FORMAT_JSON) {
        struct json j = {.out = r->out};
        json_begin_object(&j);
        json_key_string(&j, "format", "spytop-breakdown-1");
        report_json_window(r, &j);
        json_key(&j, "rows");
        sheet_json(&j, sheet);
        json_end_object(&j);
        putc('\n', r->out);
    } else if (r->request->format == FORMAT_CSV) {
        sheet_csv(r->out, sheet);
    } else {
        sheet_text(r->out, sheet, r->request->width, report_text_rows(r));
    }
}

bool report_breakdown(struct report *r, struct error *err)
{
    struct breakdown b = {.r = r};
    struct iterations *list =
        iterations_find(r->t, r->ix, NULL, r->request->iteration_pattern, err);
    if (!list)
        return false;
    uint32_t *chosen = xreallocarray(NULL, (size_t)list->count + 1, sizeof *chosen);
    uint64_t rows = 0;
    /* Nested families would count twice: the largest one only. */
    for (uint32_t i = 0; i < list->count; i++)
        if (list->items[i].family == 0 &&
            index_in_window(r->t, list->items[i].slice, r->sel.from_ns, r->sel.to_ns))
            chosen[rows++] = i;
    b.list = list;
    b.chosen = rows ? chosen : NULL;
    build(&b);
    struct sheet sheet = {
        .columns = columns,
        .column_count = sizeof columns / sizeof *columns,
        .row_count = rows ? rows : 1,
        .row = fill_row,
        .context = &b,
    };
    if (r->request->format != FORMAT_TEXT)
        sheet.row_count = report_limit(r, sheet.row_count);
    write_all(r, &sheet);
    for (int role = 0; role < ROLES; role++) {
        interval_free(&b.upto[role]);
        free(b.sums[role]);
    }
    free(chosen);
    iterations_free(list);
    return true;
}
