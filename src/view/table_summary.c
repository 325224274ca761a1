/*
 * The tables Kernels and Ops: durations by name.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/memory.h"
#include "view/table_model.h"

enum column { NAME, COUNT, TOTAL, SHARE, SELF, MEAN, P50, P95, MAX, MIN, P99, WINDOW, COLUMNS };

/* Kernels have no children, so their own time says nothing new. */
enum { NEVER = 99 };

#define SUMMARY_COLUMNS(first, self, can_self)                  \
    {first, 16, 0, COLUMN_TEXT, true, true, true},              \
        {"count", 7, 1, COLUMN_COUNT, true, false, false},      \
        {"total", 8, 2, COLUMN_TIME, true, false, false},       \
        {"share", 7, 3, COLUMN_NUMBER, true, false, false},     \
        {"self", 8, self, COLUMN_TIME, can_self, false, false}, \
        {"mean", 8, 4, COLUMN_TIME, true, false, false},        \
        {"p50", 8, 7, COLUMN_TIME, true, false, false},         \
        {"p95", 8, 6, COLUMN_TIME, true, false, false},         \
        {"max", 8, 5, COLUMN_TIME, true, false, false},         \
        {"min", 8, 8, COLUMN_TIME, true, false, false},         \
        {"p99", 8, 9, COLUMN_TIME, true, false, false},         \
        {"in window", 10, 10, COLUMN_TIME, true, false, false},

static const struct table_column kernel_columns[COLUMNS] = {
    SUMMARY_COLUMNS("kernel", NEVER, false)};
static const struct table_column op_columns[COLUMNS] = {SUMMARY_COLUMNS("operator", 2, true)};

/* How many slices are looked at before somebody may have pressed a key; how many
 * instances of a row Enter goes through. */
enum { PIECE = 60000, INSTANCES = 4096, BINS = 30 };

struct instance {
    int64_t dur_ns;
    uint32_t slice;
};

/* How the durations of a row are spread, between its shortest and its longest. */
struct histogram {
    bool begun, done;
    uint64_t key; /* of the row */
    bool *labels; /* per label: instances of it */
    struct table_scan scan;
    uint32_t bins[BINS];
};

struct state {
    struct summary *summary;
    struct summary_job *job;
    enum summary_by by; /* of the summary */

    /* The scope in which Enter was pressed first, and the instances there of its row,
     * slowest first: looked for when it is pressed again. */
    int64_t from_ns, to_ns;
    struct instance *instances;
    size_t instance_count, instance_capacity;

    struct histogram histogram;
};

static struct state *state_of(const struct table *table)
{
    return table->state;
}

static enum summary_sort sort_of(int column)
{
    /* A share is a part of the times in the window. */
    static const enum summary_sort sorts[COLUMNS] = {
        SORT_NAME, SORT_COUNT, SORT_TOTAL, SORT_WINDOW, SORT_SELF, SORT_MEAN,
        SORT_P50,  SORT_P95,   SORT_MAX,   SORT_MIN,    SORT_P99,  SORT_WINDOW};
    return sorts[column];
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
    struct selection sel = make_selection(table);
    s->job = summary_start(table->context.t, table->context.ix, &sel, table->context.by);
    selection_free(&sel);
}

static void sort(struct table *table)
{
    struct state *s = state_of(table);
    if (s->summary)
        summary_order(s->summary, sort_of(table->sort_column), table->reverse);
}

static bool fill_histogram(struct table *table, uint32_t budget);

static bool work(struct table *table)
{
    struct state *s = state_of(table);
    if (!s->job)
        return fill_histogram(table, PIECE);
    if (!summary_step(s->job, PIECE))
        return true;
    summary_free(s->summary);
    s->summary = summary_take(s->job);
    s->job = NULL;
    s->by = table->context.by;
    s->histogram.begun = false;
    table->published = true;
    sort(table);
    return false;
}

static double progress(const struct table *table)
{
    const struct state *s = state_of(table);
    return s->job ? summary_progress(s->job) : 1;
}

static uint32_t rows(const struct table *table)
{
    const struct state *s = state_of(table);
    return s->summary ? s->summary->row_count : 0;
}

static const struct summary_row *row_at(const struct table *table, uint32_t row)
{
    return &state_of(table)->summary->rows[row];
}

/* The row's text, which may hold NULs. (Texts of stems end at the first.) */
static const char *row_text(const struct table *table, uint32_t row, size_t *len)
{
    const struct summary_row *r = row_at(table, row);
    if (state_of(table)->by == BY_NAME)
        return intern_text(table->context.t->names, r->name, len);
    *len = strlen(r->text);
    return r->text;
}

static uint64_t key(const struct table *table, uint32_t row)
{
    size_t len;
    const char *text = row_text(table, row, &len);
    uint64_t hash = 0xcbf29ce484222325u ^ state_of(table)->by; /* FNV-1a */
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
    return hash;
}

static int64_t value(const struct table *table, uint32_t row, int column)
{
    const struct summary_row *r = row_at(table, row);
    switch ((enum column)column) {
    case COUNT:
        return r->count;
    case TOTAL:
        return r->total_ns;
    case SELF:
        return r->self_ns;
    case MEAN:
        return ns_add(r->mean_ps, 500) / 1000;
    case P50:
        return r->p50_ns;
    case P95:
        return r->p95_ns;
    case MAX:
        return r->max_ns;
    case MIN:
        return r->min_ns;
    case P99:
        return r->p99_ns;
    case WINDOW:
        return r->window_ns;
    case NAME:
    case SHARE:
    case COLUMNS:
    default:
        return TABLE_NO_VALUE;
    }
}

static void cell(struct table *table, uint32_t row, int column, struct text *out, int *flags)
{
    (void)flags;
    if (column == SHARE)
        text_printf(out, "%.1f %%", row_at(table, row)->share * 100);
    if (column != NAME)
        return;
    size_t len;
    const char *text = row_text(table, row, &len);
    if (len)
        text_add(out, text, len);
    else
        text_puts(out, "(no name)");
}

/* ------------------------------------------------------------------------ */
/* The instances of a row */

/* True if the stems are the same as far as a summary's text tells them. */
static bool same_stem(const char *name, size_t len, const char *stem)
{
    size_t stem_len = strlen(stem), own = strnlen(name, name_stem(name, len));
    return own == stem_len && memcmp(name, stem, own) == 0;
}

static bool label_belongs(const struct table *table, const struct summary_row *row,
                          const struct label *label)
{
    const struct trace *t = table->context.t;
    size_t len;
    const char *name;
    switch (state_of(table)->by) {
    case BY_STEM:
        name = intern_text(t->names, label->name, &len);
        return same_stem(name, len, row->text);
    case BY_CATEGORY:
        return t->categories[label->category].canonical == row->name;
    case BY_TRACK:
        return true;
    case BY_NAME:
    default:
        return label->name == row->name;
    }
}

static bool *instance_labels(const struct table *table, const struct summary_row *row)
{
    const struct trace *t = table->context.t;
    bool *labels = table_labels(table);
    for (uint32_t i = 0; i < t->label_count; i++)
        labels[i] = labels[i] && is_meant(table, &t->categories[t->labels[i].category]) &&
                    label_belongs(table, row, &t->labels[i]);
    return labels;
}

/* Of equals the first one comes first, as with a summary's `slowest`. */
static int slowest_first(const void *a, const void *b)
{
    const struct instance *x = a, *y = b;
    if (x->dur_ns != y->dur_ns)
        return x->dur_ns > y->dur_ns ? -1 : 1;
    return x->slice < y->slice ? -1 : x->slice > y->slice;
}

static void sort_instances(struct state *s)
{
    array_sort(s->instances, s->instance_count, sizeof *s->instances, slowest_first);
    if (s->instance_count > INSTANCES)
        s->instance_count = INSTANCES;
}

/* The slowest of them: what is no faster than those found so far is kept, until there
 * are twice as many as wanted. */
static void find_instances(struct table *table, const struct summary_row *row)
{
    struct state *s = state_of(table);
    const struct trace *t = table->context.t;
    bool *labels = instance_labels(table, row);
    bool by_track = s->by == BY_TRACK;
    struct table_scan scan = {0};
    struct instance last = {-1, 0};
    uint32_t slice;
    s->instance_count = 0;
    while ((slice = table_scan_next(&scan, &table->context, s->from_ns, s->to_ns)) != TRACE_NONE) {
        struct instance found = {t->dur_ns[slice], slice};
        if (!labels[t->label[slice]] || (by_track && scan.track != row->name) ||
            slowest_first(&found, &last) > 0)
            continue;
        ARRAY_PUSH(s->instances, s->instance_count, s->instance_capacity, found);
        if (s->instance_count == 2 * (size_t)INSTANCES) {
            sort_instances(s);
            last = s->instances[INSTANCES - 1];
        }
    }
    sort_instances(s);
    free(labels);
}

static struct table_target enter(struct table *table, uint32_t row, uint32_t times)
{
    struct table_target target = {.slice = TRACE_NONE};
    struct state *s = state_of(table);
    const struct summary_row *r = row_at(table, row);
    if (times == 0) { /* known already */
        s->from_ns = table->context.from_ns;
        s->to_ns = table->context.to_ns;
        s->instance_count = 0;
        target.slice = r->slowest;
        return target;
    }
    if (s->instance_count == 0)
        find_instances(table, r);
    if (s->instance_count > 0)
        target.slice = s->instances[times % s->instance_count].slice;
    return target;
}

/* ------------------------------------------------------------------------ */
/* The picture */

static bool is_wide(const struct summary_row *row)
{
    return (double)row->max_ns + 1 >= 8 * ((double)row->min_ns + 1);
}

/* Where a duration belongs: in steps of equal ratio where they are far apart. */
static int bin_of(const struct summary_row *row, int64_t dur_ns)
{
    double low = (double)row->min_ns + 1, high = (double)row->max_ns + 1, at = (double)dur_ns + 1;
    double part = is_wide(row) ? log(at / low) / log(high / low)
                  : high > low ? (at - low) / (high - low)
                               : 0.5;
    int bin = (int)(part * BINS);
    return bin < 0 ? 0 : bin >= BINS ? BINS - 1 : bin;
}

/* Looks at about `budget` slices more; true: there are more. */
static bool fill_histogram(struct table *table, uint32_t budget)
{
    struct state *s = state_of(table);
    struct histogram *h = &s->histogram;
    const struct table_context *c = &table->context;
    if (!h->begun || h->done || table->cursor >= rows(table) || key(table, table->cursor) != h->key)
        return false;
    const struct summary_row *row = row_at(table, table->cursor);
    for (; budget > 0; budget--) {
        uint32_t slice = table_scan_next(&h->scan, c, c->from_ns, c->to_ns);
        if (slice == TRACE_NONE) {
            h->done = true;
            return false;
        }
        if (h->labels[c->t->label[slice]])
            h->bins[bin_of(row, c->t->dur_ns[slice])]++;
    }
    return true;
}

static void begin_histogram(struct table *table)
{
    enum { AT_ONCE = 300000 };
    struct histogram *h = &state_of(table)->histogram;
    uint64_t row = key(table, table->cursor);
    table->aside = true; /* the rows are what they should be */
    if (h->begun && h->key == row) {
        table->pending |= !h->done;
        return;
    }
    free(h->labels);
    *h = (struct histogram){.begun = true, .key = row};
    h->labels = instance_labels(table, row_at(table, table->cursor));
    table->pending = fill_histogram(table, AT_ONCE);
}

/* Eighths of a bar's height that are in the row `above` rows from its foot. */
static uint32_t bar_glyph(uint32_t eighths, int above, bool ascii)
{
    int left = (int)eighths - above * 8;
    if (left <= 0)
        return ' ';
    if (ascii)
        return left >= 4 || above == 0 ? '#' : ' ';
    return left >= 8 ? 0x2588 : 0x2580 + (uint32_t)left;
}

static void draw_bars(const struct histogram *h, struct grid *g, int x, int y, int rows_high)
{
    uint32_t most = 1;
    struct style style = {STYLE_OVERVIEW, 0, 0};
    for (int i = 0; i < BINS; i++)
        most = h->bins[i] > most ? h->bins[i] : most;
    for (int i = 0; i < BINS; i++) {
        uint64_t full = (uint64_t)rows_high * 8;
        uint32_t eighths = (uint32_t)(h->bins[i] * full / most);
        if (h->bins[i] > 0 && eighths == 0)
            eighths = 1; /* one of a million can be seen */
        for (int above = 0; above < rows_high; above++)
            grid_put(g, x + i, y + rows_high - 1 - above, bar_glyph(eighths, above, g->ascii),
                     style);
    }
}

static void picture(struct table *table, struct grid *g, int x, int y, int cols, int lines)
{
    enum { HIGHEST = 8 };
    const struct histogram *h = &state_of(table)->histogram;
    const struct summary_row *row = row_at(table, table->cursor);
    struct style dim = {STYLE_DIM, 0, 0};
    char low[DURATION_TEXT], high[DURATION_TEXT];
    if (!state_of(table)->job)
        begin_histogram(table);
    if (!h->done || h->key != key(table, table->cursor) || cols < BINS)
        return;
    int high_rows = lines - 2 < HIGHEST ? lines - 2 : HIGHEST;
    bool ratio = is_wide(row);
    grid_printf(g, x, y, cols, dim, "%u by duration%s", row->count, ratio ? ", log scale" : "");
    draw_bars(h, g, x, y + 1, high_rows);
    duration_text(low, row->min_ns);
    duration_text(high, row->max_ns);
    grid_printf(g, x, y + 1 + high_rows, cols, dim, "%-*s%s", BINS - (int)strlen(high), low, high);
}

static void free_state(struct table *table)
{
    struct state *s = state_of(table);
    summary_cancel(s->job);
    summary_free(s->summary);
    free(s->instances);
    free(s->histogram.labels);
    free(s);
}

#define SUMMARY_MODEL(columns_of)                                                                 \
    {                                                                                             \
        .columns = columns_of, .column_count = COLUMNS, .first_sort = TOTAL, .wants_scope = true, \
        .has_head = true, .start = start, .work = work, .progress = progress, .rows = rows,       \
        .key = key, .value = value, .cell = cell, .sort = sort, .enter = enter,                   \
        .picture = picture, .free = free_state,                                                   \
    }

const struct table_model table_kernels_model = SUMMARY_MODEL(kernel_columns);
const struct table_model table_ops_model = SUMMARY_MODEL(op_columns);
