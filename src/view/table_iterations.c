/*
 * The table Iterations.
 */
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/memory.h"
#include "view/table_model.h"

enum column { NAME, START, DURATION, CHANGE, PICTURE, KERNELS, BUSY, DEVICE, LAUNCHED, COLUMNS };

static const struct table_column columns[COLUMNS] = {
    {"iteration", 16, 0, true},   {"start", 11, 4, true},
    {"duration", 10, 1, true},    {"to median", 10, 2, true},
    {"", 12, 7, false},           {"kernels", 8, 3, true},
    {"kernel busy", 12, 5, true}, {"device busy", 12, 6, false},
    {"launched", 9, 8, false},
};

struct state {
    uint32_t *order;
    uint32_t count;
};

static struct state *state_of(const struct table *table)
{
    return table->state;
}

static const struct iteration *item(const struct table *table, uint32_t row)
{
    return &table->context.iterations->items[state_of(table)->order[row]];
}

static int64_t median_of(const struct table *table, const struct iteration *it)
{
    return table->context.iterations->families[it->family].median_dur_ns;
}

static double busy_share(const struct iteration *it)
{
    return it->dur_ns ? (double)it->kernel_busy_ns / (double)it->dur_ns : 0;
}

/* Smaller: further up. */
static double sort_key(const struct table *table, const struct iteration *it)
{
    switch (table->sort_column) {
    case DURATION:
        return -(double)it->dur_ns;
    case CHANGE:
        return -(double)(it->dur_ns - median_of(table, it));
    case KERNELS:
        return -(double)it->kernels;
    case BUSY:
        return -busy_share(it);
    default:
        return (double)it->start_ns;
    }
}

static bool comes_before(const struct table *table, uint32_t a, uint32_t b)
{
    const struct iteration *x = &table->context.iterations->items[a];
    const struct iteration *y = &table->context.iterations->items[b];
    double p = sort_key(table, x), q = sort_key(table, y);
    if (p != q)
        return table->reverse ? p > q : p < q;
    return a < b;
}

/* Heap sort: thousands of iterations, no context for array_sort(). */
static void sift(const struct table *table, uint32_t *order, uint32_t i, uint32_t n)
{
    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child >= n)
            return;
        if (child + 1 < n && comes_before(table, order[child], order[child + 1]))
            child++;
        if (!comes_before(table, order[i], order[child]))
            return;
        uint32_t other = order[i];
        order[i] = order[child];
        order[child] = other;
        i = child;
    }
}

static void sort(struct table *table)
{
    struct state *s = state_of(table);
    for (uint32_t i = s->count / 2; i > 0; i--)
        sift(table, s->order, i - 1, s->count);
    for (uint32_t n = s->count; n > 1; n--) {
        uint32_t other = s->order[0];
        s->order[0] = s->order[n - 1];
        s->order[n - 1] = other;
        sift(table, s->order, 0, n - 1);
    }
}

static void start(struct table *table)
{
    if (!table->state)
        table->state = xcalloc(1, sizeof(struct state));
    struct state *s = state_of(table);
    const struct iterations *list = table->context.iterations;
    free(s->order);
    s->order = xreallocarray(NULL, (size_t)list->count + 1, sizeof *s->order);
    s->count = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const struct label *label =
            &table->context.t->labels[table->context.t->label[list->items[i].slice]];
        if (table->context.family != TRACE_NONE && list->items[i].family != table->context.family)
            continue;
        if (!table->names || table->names[label->name])
            s->order[s->count++] = i;
    }
    sort(table);
}

static bool work(struct table *table)
{
    (void)table;
    return false;
}

static uint32_t rows(const struct table *table)
{
    return table->state ? state_of(table)->count : 0;
}

static bool is_outlier(const struct table *table, uint32_t row)
{
    const struct iteration *it = item(table, row);
    const struct iteration_family *f = &table->context.iterations->families[it->family];
    for (uint32_t i = 0; i < f->outlier_count; i++)
        if (&table->context.iterations->items[f->outliers[i]] == it)
            return true;
    return false;
}

/* How far from the median, as a bar to the left (faster) or right of a middle line. */
static void put_picture(const struct table *table, const struct iteration *it, struct text *out)
{
    enum { SIDE = 5 };
    int64_t median = median_of(table, it);
    double change = median ? (double)(it->dur_ns - median) / (double)median : 0;
    int cells = (int)(change * 10 + (change < 0 ? -0.5 : 0.5)); /* a cell is ten percent */
    cells = cells > SIDE ? SIDE : cells < -SIDE ? -SIDE : cells;
    const char *full = table->context.ascii ? "#" : "\xe2\x96\x88";
    for (int i = -SIDE; i < 0; i++)
        text_puts(out, i >= cells ? full : " ");
    text_puts(out, table->context.ascii ? "|" : "\xe2\x94\x82");
    for (int i = 1; i <= SIDE; i++)
        text_puts(out, i <= cells ? full : " ");
}

static void cell(struct table *table, uint32_t row, int column, struct text *out, int *flags)
{
    const struct iteration *it = item(table, row);
    int64_t median = median_of(table, it);
    switch ((enum column)column) {
    case NAME:
        table_put_name(out, table->context.t, it->slice);
        if (is_outlier(table, row)) {
            text_puts(out, " !");
            *flags |= CELL_BOLD;
        }
        break;
    case START:
        table_put_time(out, it->start_ns);
        break;
    case DURATION:
        table_put_time(out, it->dur_ns);
        break;
    case CHANGE:
        if (median)
            text_printf(out, "%+.1f %%", 100.0 * (double)(it->dur_ns - median) / (double)median);
        break;
    case PICTURE:
        put_picture(table, it, out);
        break;
    case KERNELS:
        text_printf(out, "%u", it->kernels);
        break;
    case BUSY:
        text_printf(out, "%.1f %%", 100 * busy_share(it));
        break;
    case DEVICE:
        text_printf(out, "%.1f %%",
                    it->dur_ns ? 100.0 * (double)it->device_busy_ns / (double)it->dur_ns : 0.0);
        break;
    case LAUNCHED:
        if (table->context.iterations->has_launches)
            text_printf(out, "%u", it->launched_kernels);
        break;
    case COLUMNS:
        break;
    }
}

static struct table_target enter(struct table *table, uint32_t row, uint32_t times)
{
    const struct iteration *it = item(table, row);
    (void)times;
    return (struct table_target){
        .slice = it->slice,
        .has_place = true,
        .from_ns = it->start_ns,
        .to_ns = it->start_ns + it->dur_ns,
    };
}

static void free_state(struct table *table)
{
    if (table->state)
        free(state_of(table)->order);
    free(table->state);
}

const struct table_model table_iterations_model = {
    .columns = columns,
    .column_count = COLUMNS,
    .first_sort = START,
    .start = start,
    .work = work,
    .rows = rows,
    .cell = cell,
    .sort = sort,
    .enter = enter,
    .free = free_state,
};
