/*
 * The tables Kernels and Ops: durations by name.
 */
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/memory.h"
#include "view/table_model.h"

enum column { NAME, COUNT, TOTAL, SHARE, SELF, MEAN, P50, P95, MAX, MIN, P99, WINDOW, COLUMNS };

#define SUMMARY_COLUMNS(first, self)                                                             \
    {first, 16, 0, true}, {"count", 8, 1, true}, {"total", 9, 2, true}, {"share", 7, 3, false},  \
        {"self", 9, self, true}, {"mean", 9, 4, true}, {"p50", 9, 7, true}, {"p95", 9, 6, true}, \
        {"max", 9, 5, true}, {"min", 9, 8, true}, {"p99", 9, 9, true},                           \
        {"in window", 10, 10, true},

static const struct table_column kernel_columns[] = {SUMMARY_COLUMNS("kernel", 99)};
static const struct table_column op_columns[] = {SUMMARY_COLUMNS("operator", 2)};

/* How many slices are looked at before somebody may have pressed a key. */
enum { PIECE = 60000, INSTANCES = 1000 };

struct state {
    struct summary *summary;
    struct summary_job *job;
    /* The instances of the row that Enter was pressed on, slowest first. */
    uint32_t *instances;
    uint32_t instance_count, instance_row;
};

static struct state *state_of(const struct table *table)
{
    return table->state;
}

static enum summary_sort sort_of(int column)
{
    static const enum summary_sort sorts[COLUMNS] = {
        SORT_NAME, SORT_COUNT, SORT_TOTAL, SORT_TOTAL, SORT_SELF, SORT_MEAN,
        SORT_P50,  SORT_P95,   SORT_MAX,   SORT_MIN,   SORT_P99,  SORT_WINDOW};
    return sorts[column];
}

static void forget_instances(struct state *s)
{
    free(s->instances);
    s->instances = NULL;
    s->instance_row = UINT32_MAX;
}

static bool is_meant(const struct table *table, const struct category *c)
{
    return table->kind == TABLE_KERNELS ? c->class == CATEGORY_KERNEL : c->class == CATEGORY_CPU_OP;
}

/* What the table is about as a selection; its arrays are the caller's to free. */
static struct selection make_selection(const struct table *table)
{
    const struct table_context *c = &table->context;
    struct selection sel;
    selection_init(&sel);
    sel.from_ns = c->from_ns;
    sel.to_ns = c->to_ns;
    sel.categories = xcalloc((size_t)c->t->category_count + 1, sizeof *sel.categories);
    for (uint32_t i = 0; i < c->t->category_count; i++)
        sel.categories[i] =
            is_meant(table, &c->t->categories[i]) && !(c->categories_off && c->categories_off[i]);
    if (c->names) {
        size_t names = intern_count(c->t->names);
        sel.names = xmalloc(names + 1);
        memcpy(sel.names, c->names, names);
    }
    return sel;
}

static void start(struct table *table)
{
    if (!table->state)
        table->state = xcalloc(1, sizeof(struct state));
    struct state *s = state_of(table);
    summary_cancel(s->job);
    forget_instances(s);
    struct selection sel = make_selection(table);
    s->job = summary_start(table->context.t, table->context.ix, &sel, table->context.by);
    selection_free(&sel);
}

static void sort(struct table *table)
{
    struct state *s = state_of(table);
    forget_instances(s);
    if (s->summary)
        summary_order(s->summary, sort_of(table->sort_column), table->reverse);
}

static bool work(struct table *table)
{
    struct state *s = state_of(table);
    if (!s->job)
        return false;
    if (!summary_step(s->job, PIECE))
        return true;
    summary_free(s->summary);
    s->summary = summary_take(s->job);
    s->job = NULL;
    sort(table);
    return false;
}

static uint32_t rows(const struct table *table)
{
    const struct state *s = state_of(table);
    return s && s->summary ? s->summary->row_count : 0;
}

static void cell(struct table *table, uint32_t row, int column, struct text *out, int *flags)
{
    const struct summary_row *r = &state_of(table)->summary->rows[row];
    char text[DURATION_TEXT];
    (void)flags;
    switch ((enum column)column) {
    case NAME:
        text_puts(out, r->text);
        break;
    case COUNT:
        text_printf(out, "%u", r->count);
        break;
    case TOTAL:
        table_put_time(out, r->total_ns);
        break;
    case SHARE:
        text_printf(out, "%.1f %%", r->share * 100);
        break;
    case SELF:
        table_put_time(out, r->self_ns);
        break;
    case MEAN:
        text_puts(out, duration_text(text, (r->mean_ps + 500) / 1000));
        break;
    case P50:
        table_put_time(out, r->p50_ns);
        break;
    case P95:
        table_put_time(out, r->p95_ns);
        break;
    case MAX:
        table_put_time(out, r->max_ns);
        break;
    case MIN:
        table_put_time(out, r->min_ns);
        break;
    case P99:
        table_put_time(out, r->p99_ns);
        break;
    case WINDOW:
        table_put_time(out, r->window_ns);
        break;
    case COLUMNS:
        break;
    }
}

/* True if a slice belongs to the row. */
static bool belongs(const struct table *table, const struct summary_row *row, uint32_t slice)
{
    const struct trace *t = table->context.t;
    const struct category *c = trace_category(t, slice);
    if (!is_meant(table, c) || !table_takes(table, slice))
        return false;
    size_t len, row_len = strlen(row->text);
    switch (table->context.by) {
    case BY_STEM: {
        const char *name = trace_name(t, slice, &len);
        len = name_stem(name, len);
        return len == row_len && memcmp(name, row->text, len) == 0;
    }
    case BY_CATEGORY:
        return c->canonical == row->name;
    case BY_TRACK:
        return trace_track_of(t, slice) == row->name;
    case BY_NAME:
    default:
        return t->labels[t->label[slice]].name == row->name;
    }
}

struct instance {
    int64_t dur_ns, start_ns;
    uint32_t slice;
};

static int slowest_first(const void *a, const void *b)
{
    const struct instance *x = a, *y = b;
    if (x->dur_ns != y->dur_ns)
        return x->dur_ns > y->dur_ns ? -1 : 1;
    return x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

static void find_instances(struct table *table, uint32_t row)
{
    struct state *s = state_of(table);
    const struct table_context *c = &table->context;
    struct instance *items = NULL;
    size_t count = 0, capacity = 0;
    forget_instances(s);
    for (uint32_t k = 0; k < c->t->track_count; k++) {
        uint32_t slice = c->t->tracks[k].first;
        while ((slice = index_overlap(c->ix, k, slice, c->from_ns, c->to_ns)) != TRACE_NONE) {
            if (belongs(table, &s->summary->rows[row], slice)) {
                struct instance added = {c->t->dur_ns[slice], c->t->start_ns[slice], slice};
                ARRAY_PUSH(items, count, capacity, added);
                if (count == 2 * INSTANCES) {
                    array_sort(items, count, sizeof *items, slowest_first);
                    count = INSTANCES;
                }
            }
            slice++;
        }
    }
    array_sort(items, count, sizeof *items, slowest_first);
    if (count > INSTANCES)
        count = INSTANCES;
    s->instances = xreallocarray(NULL, count + 1, sizeof *s->instances);
    for (size_t i = 0; i < count; i++)
        s->instances[i] = items[i].slice;
    s->instance_count = (uint32_t)count;
    s->instance_row = row;
    free(items);
}

static struct table_target enter(struct table *table, uint32_t row, uint32_t times)
{
    struct table_target target = {.slice = TRACE_NONE};
    struct state *s = state_of(table);
    if (times == 0) { /* known already */
        target.slice = s->summary->rows[row].slowest;
        return target;
    }
    if (s->instance_row != row)
        find_instances(table, row);
    if (s->instance_count > 0)
        target.slice = s->instances[times % s->instance_count];
    return target;
}

static void free_state(struct table *table)
{
    struct state *s = state_of(table);
    if (!s)
        return;
    summary_cancel(s->job);
    summary_free(s->summary);
    forget_instances(s);
    free(s);
}

#define SUMMARY_MODEL(columns_of)                                                                 \
    {                                                                                             \
        .columns = columns_of, .column_count = COLUMNS, .first_sort = TOTAL, .wants_scope = true, \
        .start = start, .work = work, .rows = rows, .cell = cell, .sort = sort, .enter = enter,   \
        .free = free_state                                                                        \
    }

const struct table_model table_kernels_model = SUMMARY_MODEL(kernel_columns);
const struct table_model table_ops_model = SUMMARY_MODEL(op_columns);
