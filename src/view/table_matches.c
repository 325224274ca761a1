/*
 * The table Matches: the slices that the search finds in the scope.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "view/table_model.h"

enum column { NAME, START, DURATION, CATEGORY, TRACK, COLUMNS };

static const struct table_column columns[COLUMNS] = {
    {"match", 16, 0, COLUMN_TEXT, false, false, true},
    {"start", 12, 1, COLUMN_TIME, true, true, false},
    {"duration", 10, 2, COLUMN_TIME, true, false, false},
    {"category", 16, 3, COLUMN_TEXT, false, false, false},
    {"track", 16, 4, COLUMN_TEXT, false, false, false},
};

/* As many as anybody pages through: the first ones in the order of the table. A piece
 * of work. */
enum { MATCHES_MAX = 20000, PIECE = 100000 };

struct match {
    int64_t key; /* smaller: further up */
    uint32_t slice;
};

struct matches {
    struct match *items;
    size_t count, capacity;
    uint64_t total; /* with those that were not kept */
};

struct state {
    struct matches shown, found;
    bool *labels; /* per label: meant */
    struct table_scan scan;
    bool cut; /* something found was not kept */
};

static struct state *state_of(const struct table *table)
{
    return table->state;
}

static int by_key(const void *a, const void *b)
{
    const struct match *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->slice < y->slice ? -1 : x->slice > y->slice;
}

static int64_t sort_key(const struct table *table, uint32_t slice)
{
    const struct trace *t = table->context.t;
    int64_t key = table->sort_column == DURATION ? -t->dur_ns[slice] : t->start_ns[slice];
    return table->reverse ? -1 - key : key; /* no overflow */
}

static void start(struct table *table)
{
    if (!table->state)
        table->state = xcalloc(1, sizeof(struct state));
    struct state *s = state_of(table);
    const struct table_context *c = &table->context;
    s->found.count = 0;
    s->found.total = 0;
    s->cut = false;
    s->scan = (struct table_scan){0};
    free(s->labels);
    s->labels = table_labels(table);
    for (uint32_t i = 0; i < c->t->label_count; i++)
        s->labels[i] = s->labels[i] && c->matches && c->matches[c->t->labels[i].name];
}

static void trim(struct state *s)
{
    array_sort(s->found.items, s->found.count, sizeof *s->found.items, by_key);
    s->cut |= s->found.count > MATCHES_MAX;
    if (s->found.count > MATCHES_MAX)
        s->found.count = MATCHES_MAX;
}

static void add_match(struct table *table, uint32_t slice)
{
    struct state *s = state_of(table);
    struct match m = {sort_key(table, slice), slice};
    s->found.total++;
    if (s->cut && by_key(&m, &s->found.items[MATCHES_MAX - 1]) > 0)
        return; /* behind all that are kept */
    ARRAY_PUSH(s->found.items, s->found.count, s->found.capacity, m);
    if (s->found.count == 2 * (size_t)MATCHES_MAX)
        trim(s);
}

/* What was found so far is what is shown from now on. */
static void publish(struct table *table)
{
    struct state *s = state_of(table);
    trim(s);
    s->shown.count = 0;
    for (size_t i = 0; i < s->found.count; i++)
        ARRAY_PUSH(s->shown.items, s->shown.count, s->shown.capacity, s->found.items[i]);
    s->shown.total = s->found.total;
    table->published = true;
}

static bool work(struct table *table)
{
    struct state *s = state_of(table);
    const struct table_context *c = &table->context;
    uint64_t before = s->found.total;
    uint32_t slice = TRACE_NONE;
    for (uint32_t budget = PIECE; c->matches && budget > 0; budget--) {
        slice = table_scan_next(&s->scan, c, c->from_ns, c->to_ns);
        if (slice == TRACE_NONE)
            break;
        if (s->labels[c->t->label[slice]])
            add_match(table, slice);
    }
    if (slice == TRACE_NONE || s->found.total != before)
        publish(table);
    return slice != TRACE_NONE;
}

static double progress(const struct table *table)
{
    const struct trace *t = table->context.t;
    return t->slice_count ? (double)state_of(table)->scan.slice / t->slice_count : 1;
}

static void sort(struct table *table)
{
    struct state *s = state_of(table);
    if (table->pending || s->cut) { /* others may come first in the new order */
        start(table);
        table->pending = true;
        return;
    }
    for (size_t i = 0; i < s->found.count; i++)
        s->found.items[i].key = sort_key(table, s->found.items[i].slice);
    publish(table);
}

static uint64_t more(const struct state *s)
{
    return s->shown.total - s->shown.count;
}

/* The last row says how many are not listed. */
static uint32_t rows(const struct table *table)
{
    const struct state *s = state_of(table);
    return (uint32_t)s->shown.count + (more(s) > 0);
}

static bool is_more(const struct table *table, uint32_t row)
{
    return row >= state_of(table)->shown.count;
}

static uint32_t slice_at(const struct table *table, uint32_t row)
{
    return state_of(table)->shown.items[row].slice;
}

static uint64_t key(const struct table *table, uint32_t row)
{
    return is_more(table, row) ? TRACE_NONE : slice_at(table, row);
}

static int64_t value(const struct table *table, uint32_t row, int column)
{
    const struct trace *t = table->context.t;
    if (is_more(table, row))
        return TABLE_NO_VALUE;
    if (column == START)
        return t->start_ns[slice_at(table, row)];
    return column == DURATION ? t->dur_ns[slice_at(table, row)] : TABLE_NO_VALUE;
}

static void put_text(struct text *out, const struct intern *texts, uint32_t id)
{
    size_t len;
    const char *text = intern_text(texts, id, &len);
    text_add(out, text, len);
}

static void cell(struct table *table, uint32_t row, int column, struct text *out, int *flags)
{
    const struct trace *t = table->context.t;
    if (is_more(table, row)) {
        *flags |= CELL_DIM;
        if (column == NAME)
            text_printf(out, "%s and %" PRIu64 " more",
                        table->context.ascii ? "..." : "\xe2\x80\xa6", more(state_of(table)));
        return;
    }
    uint32_t slice = slice_at(table, row);
    if (column == NAME)
        table_put_name(out, t, slice);
    else if (column == CATEGORY)
        put_text(out, t->names, trace_category(t, slice)->text);
    if (column != TRACK)
        return;
    const struct track *track = &t->tracks[trace_track_of(t, slice)];
    if (track->name)
        put_text(out, t->names, track->name);
    else
        text_puts(out, trace_id(t, track->tid));
}

static struct table_target enter(struct table *table, uint32_t row, uint32_t times)
{
    (void)times;
    return (struct table_target){.slice = is_more(table, row) ? TRACE_NONE : slice_at(table, row)};
}

static void free_state(struct table *table)
{
    struct state *s = state_of(table);
    free(s->shown.items);
    free(s->found.items);
    free(s->labels);
    free(s);
}

const struct table_model table_matches_model = {
    .columns = columns,
    .column_count = COLUMNS,
    .first_sort = START,
    .wants_scope = true,
    .wants_matches = true,
    .has_head = true,
    .start = start,
    .work = work,
    .progress = progress,
    .rows = rows,
    .key = key,
    .value = value,
    .cell = cell,
    .sort = sort,
    .enter = enter,
    .free = free_state,
};
