/*
 * The table Iterations: how long each took beside the others of its family.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "view/table_model.h"

enum column { NAME, START, DURATION, CHANGE, PICTURE, KERNELS, BUSY, DEVICE, LAUNCHED, COLUMNS };

static const struct table_column columns[COLUMNS] = {
    {"iteration", 16, 0, COLUMN_TEXT, true, true, true},
    {"start", 11, 4, COLUMN_TIME, true, true, false},
    {"duration", 10, 1, COLUMN_TIME, true, false, false},
    {"to median", 10, 2, COLUMN_NUMBER, true, false, false},
    {"", 11, 5, COLUMN_TEXT, false, false, false},
    {"kernels", 8, 3, COLUMN_COUNT, true, false, false},
    {"busy", 7, 5, COLUMN_NUMBER, true, false, false},
    {"device busy", 12, 7, COLUMN_NUMBER, true, false, false},
    {"launched", 9, 8, COLUMN_COUNT, true, false, false},
};

/* An iteration in the order of the table. */
struct place {
    double key; /* smaller: further up */
    uint32_t iteration;
};

struct state {
    struct place *places;
    size_t count;
    bool *outliers; /* per iteration */
};

static struct state *state_of(const struct table *table)
{
    return table->state;
}

static const struct iteration *item(const struct table *table, uint32_t row)
{
    return &table->context.iterations->items[state_of(table)->places[row].iteration];
}

static int64_t median_of(const struct table *table, const struct iteration *it)
{
    return table->context.iterations->families[it->family].median_dur_ns;
}

/* What part of the iteration `ns` is. */
static double part(const struct iteration *it, int64_t ns)
{
    return it->dur_ns ? (double)ns / (double)it->dur_ns : 0;
}

/* How much longer it took than its like, as part of what they take. */
static double change(const struct table *table, const struct iteration *it)
{
    double median = (double)median_of(table, it);
    return median > 0 ? ((double)it->dur_ns - median) / median : 0;
}

static double sort_key(const struct table *table, uint32_t iteration)
{
    const struct iteration *it = &table->context.iterations->items[iteration];
    switch ((enum column)table->sort_column) {
    case DURATION:
        return -(double)it->dur_ns;
    case CHANGE:
        return -change(table, it);
    case KERNELS:
        return -(double)it->kernels;
    case BUSY:
        return -part(it, it->kernel_busy_ns);
    case DEVICE:
        return -part(it, it->device_busy_ns);
    case LAUNCHED:
        return -(double)it->launched_kernels;
    case NAME: /* by family, then by number */
        return (double)it->family * 1e12 + (double)it->number;
    case START:
    case PICTURE:
    case COLUMNS:
    default:
        return (double)iteration; /* they are listed by start */
    }
}

static int by_key(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->iteration < y->iteration ? -1 : x->iteration > y->iteration;
}

static void sort(struct table *table)
{
    struct state *s = state_of(table);
    for (size_t i = 0; i < s->count; i++) {
        double key = sort_key(table, s->places[i].iteration);
        s->places[i].key = table->reverse ? -key : key;
    }
    array_sort(s->places, s->count, sizeof *s->places, by_key);
}

static void start(struct table *table)
{
    if (!table->state)
        table->state = xcalloc(1, sizeof(struct state));
}

static bool work(struct table *table)
{
    struct state *s = state_of(table);
    const struct iterations *list = table->context.iterations;
    table->published = true;
    s->count = 0;
    if (!list)
        return false;
    s->places = xreallocarray(s->places, (size_t)list->count + 1, sizeof *s->places);
    free(s->outliers);
    s->outliers = xcalloc((size_t)list->count + 1, sizeof *s->outliers);
    for (uint32_t f = 0; f < list->family_count; f++)
        for (uint32_t i = 0; i < list->families[f].outlier_count; i++)
            s->outliers[list->families[f].outliers[i]] = true;
    bool *labels = table_labels(table);
    uint32_t family = table->context.family;
    for (uint32_t i = 0; i < list->count; i++)
        if ((family == TRACE_NONE || list->items[i].family == family) &&
            labels[table->context.t->label[list->items[i].slice]])
            s->places[s->count++].iteration = i;
    free(labels);
    sort(table);
    return false;
}

static uint32_t rows(const struct table *table)
{
    return (uint32_t)state_of(table)->count;
}

static uint64_t key(const struct table *table, uint32_t row)
{
    return item(table, row)->slice;
}

/* How far from the median, as a bar to the left (faster) or right of a middle line. */
static void put_picture(const struct table *table, const struct iteration *it, struct text *out)
{
    enum { SIDE = 5 };
    double tenths = change(table, it) * 10;
    int cells = tenths > SIDE    ? SIDE
                : tenths < -SIDE ? -SIDE
                                 : (int)(tenths + (tenths < 0 ? -0.5 : 0.5));
    const char *full = table->context.ascii ? "#" : "\xe2\x96\x88";
    for (int i = -SIDE; i < 0; i++)
        text_puts(out, i >= cells ? full : " ");
    text_puts(out, table->context.ascii ? "|" : "\xe2\x94\x82");
    for (int i = 1; i <= SIDE; i++)
        text_puts(out, i <= cells ? full : " ");
}

static void put_change(double part_of_median, struct text *out)
{
    double percent = part_of_median * 100;
    if (percent < 100000)
        text_printf(out, "%+.1f %%", percent);
    else
        text_printf(out, "%+.1g %%", percent);
}

static int64_t value(const struct table *table, uint32_t row, int column)
{
    const struct iteration *it = item(table, row);
    switch ((enum column)column) {
    case START:
        return it->start_ns;
    case DURATION:
        return it->dur_ns;
    case KERNELS:
        return it->kernels;
    case LAUNCHED:
        return table->context.iterations->has_launches ? it->launched_kernels : TABLE_NO_VALUE;
    case NAME:
    case CHANGE:
    case PICTURE:
    case BUSY:
    case DEVICE:
    case COLUMNS:
    default:
        return TABLE_NO_VALUE;
    }
}

static void cell(struct table *table, uint32_t row, int column, struct text *out, int *flags)
{
    const struct iteration *it = item(table, row);
    bool outlier = state_of(table)->outliers[state_of(table)->places[row].iteration];
    if (outlier)
        *flags |= CELL_BOLD;
    switch ((enum column)column) {
    case NAME:
        table_put_name(out, table->context.t, it->slice);
        if (outlier)
            text_puts(out, " !");
        break;
    case CHANGE:
        put_change(change(table, it), out);
        break;
    case PICTURE:
        put_picture(table, it, out);
        break;
    case BUSY:
        text_printf(out, "%.1f %%", 100 * part(it, it->kernel_busy_ns));
        break;
    case DEVICE:
        text_printf(out, "%.1f %%", 100 * part(it, it->device_busy_ns));
        break;
    case START:
    case DURATION:
    case KERNELS:
    case LAUNCHED:
    case COLUMNS:
    default:
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
    free(state_of(table)->places);
    free(state_of(table)->outliers);
    free(table->state);
}

const struct table_model table_iterations_model = {
    .columns = columns,
    .column_count = COLUMNS,
    .first_sort = START,
    .has_head = true,
    .start = start,
    .work = work,
    .rows = rows,
    .key = key,
    .value = value,
    .cell = cell,
    .sort = sort,
    .enter = enter,
    .free = free_state,
};
