/*
 * The table Gaps: when devices were idle, in the scope.
 *
 * The answer of gaps_find() in pieces: the slices of a device's tracks are merged by
 * start, and where one starts after the latest end so far there is a hole. Filters and
 * switched off categories do not count here: a device that works on something hidden
 * is not idle.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/duration.h"
#include "base/memory.h"
#include "view/table_model.h"

enum column { START, DURATION, DEVICE, BEFORE, AFTER, ITERATION, COLUMNS };

static const struct table_column columns[COLUMNS] = {
    {"start", 12, 2, COLUMN_TIME, true, true, false},
    {"idle", 10, 1, COLUMN_TIME, true, false, false},
    {"device", 8, 6, COLUMN_TEXT, false, false, false},
    {"before", 14, 3, COLUMN_TEXT, false, false, true},
    {"after", 14, 0, COLUMN_TEXT, false, false, true},
    {"iteration", 14, 4, COLUMN_TEXT, false, false, false},
};

/* As many gaps as anybody pages through: the first ones in the order of the table.
 * How many steps a piece of work has. */
enum { GAPS_MAX = 10000, PIECE = 100000 };

struct line {
    int64_t key; /* smaller: further up */
    struct gap gap;
    uint32_t process;
};

struct lines {
    struct line *items;
    size_t count, capacity;
    uint64_t total; /* with those that were not kept */
};

/* A track of the device and what comes next on it. */
struct head {
    uint32_t slice, end;
};

struct state {
    struct lines shown, found;
    bool cut; /* something found was not kept */

    uint32_t process;
    bool begun; /* that process */
    struct head *heads;
    size_t head_count, head_capacity;
    uint32_t before; /* the slice that ends last of those seen, and when */
    int64_t end_ns;
    uint64_t seen;
};

static struct state *state_of(const struct table *table)
{
    return table->state;
}

static int by_key(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (x->gap.start_ns != y->gap.start_ns)
        return x->gap.start_ns < y->gap.start_ns ? -1 : 1;
    return x->process < y->process ? -1 : x->process > y->process;
}

static int64_t sort_key(const struct table *table, const struct gap *gap)
{
    int64_t key = table->sort_column == START ? gap->start_ns : -gap->dur_ns;
    return table->reverse ? -1 - key : key; /* no overflow */
}

static void trim(struct state *s)
{
    array_sort(s->found.items, s->found.count, sizeof *s->found.items, by_key);
    s->cut |= s->found.count > GAPS_MAX;
    if (s->found.count > GAPS_MAX)
        s->found.count = GAPS_MAX;
}

static void add_gap(struct table *table, const struct gap *gap)
{
    struct state *s = state_of(table);
    struct line line = {sort_key(table, gap), *gap, s->process};
    s->found.total++;
    if (s->cut && by_key(&line, &s->found.items[GAPS_MAX - 1]) > 0)
        return; /* behind all that are kept */
    ARRAY_PUSH(s->found.items, s->found.count, s->found.capacity, line);
    if (s->found.count == 2 * (size_t)GAPS_MAX)
        trim(s);
}

/* ------------------------------------------------------------------------ */
/* The walk over a device */

static int64_t clipped_end(const struct table *table, uint32_t slice)
{
    int64_t end = trace_end_ns(table->context.t, slice);
    return end < table->context.to_ns ? end : table->context.to_ns;
}

static bool counts(const struct trace *t, uint32_t slice)
{
    return t->dur_ns[slice] > 0 && trace_category(t, slice)->device;
}

/* What is running as the window begins: of all tracks the slice that ends last. */
static void take_running(struct table *table, uint32_t track)
{
    struct state *s = state_of(table);
    const struct table_context *c = &table->context;
    const struct trace *t = c->t;
    uint32_t slice = t->tracks[track].first;
    while ((slice = index_overlap(c->ix, track, slice, c->from_ns, c->to_ns)) != TRACE_NONE &&
           t->start_ns[slice] <= c->from_ns) {
        int64_t end = clipped_end(table, slice);
        if (counts(t, slice) && (s->before == TRACE_NONE || end > s->end_ns ||
                                 (end == s->end_ns && slice < s->before))) {
            s->before = slice;
            s->end_ns = end;
        }
        slice++;
    }
}

static void begin_process(struct table *table)
{
    struct state *s = state_of(table);
    const struct table_context *c = &table->context;
    const struct process *p = &c->t->processes[s->process];
    s->begun = true;
    s->before = TRACE_NONE;
    s->end_ns = INT64_MIN;
    s->head_count = 0;
    for (uint32_t k = p->first_track; k < p->first_track + p->track_count; k++) {
        const struct track *track = &c->t->tracks[k];
        if (track->kind != TRACK_DEVICE || track->count == 0)
            continue;
        take_running(table, k);
        struct head head = {
            .slice = index_start_at(c->ix, k, ns_add(c->from_ns, c->from_ns > INT64_MIN)),
            .end = c->to_ns == INT64_MAX ? track->first + track->count
                                         : index_start_at(c->ix, k, c->to_ns),
        };
        ARRAY_PUSH(s->heads, s->head_count, s->head_capacity, head);
    }
}

/* True if slice a comes before b: earlier, longer, first in the trace. */
static bool comes_before(const struct table *table, uint32_t a, uint32_t b)
{
    const struct trace *t = table->context.t;
    if (t->start_ns[a] != t->start_ns[b])
        return t->start_ns[a] < t->start_ns[b];
    int64_t end_a = clipped_end(table, a), end_b = clipped_end(table, b);
    return end_a != end_b ? end_a > end_b : a < b;
}

/* The next slice of all the device's tracks, which is stepped over; TRACE_NONE at
 * their ends. */
static uint32_t take_next(struct table *table)
{
    struct state *s = state_of(table);
    struct head *best = NULL;
    for (size_t i = 0; i < s->head_count; i++)
        if (s->heads[i].slice < s->heads[i].end &&
            (!best || comes_before(table, s->heads[i].slice, best->slice)))
            best = &s->heads[i];
    s->seen += best != NULL;
    return best ? best->slice++ : TRACE_NONE;
}

static void take_slice(struct table *table, uint32_t slice)
{
    struct state *s = state_of(table);
    const struct trace *t = table->context.t;
    int64_t end = clipped_end(table, slice);
    if (!counts(t, slice))
        return;
    if (s->before != TRACE_NONE && t->start_ns[slice] > s->end_ns) {
        struct gap gap = {s->end_ns, t->start_ns[slice] - s->end_ns, s->before, slice};
        add_gap(table, &gap);
    }
    if (s->before == TRACE_NONE || end > s->end_ns) {
        s->end_ns = end;
        s->before = slice;
    }
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

static void start(struct table *table)
{
    if (!table->state)
        table->state = xcalloc(1, sizeof(struct state));
    struct state *s = state_of(table);
    s->found.count = 0;
    s->found.total = s->seen = 0;
    s->cut = s->begun = false;
    s->process = 0;
}

static bool work(struct table *table)
{
    struct state *s = state_of(table);
    int64_t budget = PIECE;
    for (; s->process < table->context.t->process_count; s->process++, s->begun = false) {
        if (!s->begun)
            begin_process(table);
        uint32_t slice;
        while ((slice = take_next(table)) != TRACE_NONE) {
            take_slice(table, slice);
            budget -= (int64_t)s->head_count;
            if (budget <= 0)
                return true;
        }
    }
    publish(table);
    return false;
}

static double progress(const struct table *table)
{
    const struct trace *t = table->context.t;
    return t->slice_count ? (double)state_of(table)->seen / t->slice_count : 1;
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
        s->found.items[i].key = sort_key(table, &s->found.items[i].gap);
    publish(table);
}

/* ------------------------------------------------------------------------ */
/* Rows */

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

static const struct line *line_at(const struct table *table, uint32_t row)
{
    return &state_of(table)->shown.items[row];
}

/* Nothing else of its device begins with the slice behind the gap. */
static uint64_t key(const struct table *table, uint32_t row)
{
    return is_more(table, row) ? TRACE_NONE : line_at(table, row)->gap.after;
}

static int64_t value(const struct table *table, uint32_t row, int column)
{
    if (is_more(table, row))
        return TABLE_NO_VALUE;
    if (column == START)
        return line_at(table, row)->gap.start_ns;
    return column == DURATION ? line_at(table, row)->gap.dur_ns : TABLE_NO_VALUE;
}

static void put_iteration(const struct table *table, const struct gap *gap, struct text *out)
{
    const struct iterations *list = table->context.iterations;
    uint32_t at = list ? iterations_at(list, table->context.family, gap->start_ns) : TRACE_NONE;
    if (at != TRACE_NONE)
        table_put_name(out, table->context.t, list->items[at].slice);
}

static void put_device(const struct trace *t, const struct process *p, struct text *out)
{
    size_t len = 0;
    if (p->labels) {
        const char *labels = intern_text(t->names, p->labels, &len);
        text_add(out, labels, len);
    } else {
        text_puts(out, trace_id(t, p->pid));
    }
}

static void cell(struct table *table, uint32_t row, int column, struct text *out, int *flags)
{
    const struct trace *t = table->context.t;
    if (is_more(table, row)) {
        *flags |= CELL_DIM;
        if (column == AFTER)
            text_printf(out, "%s and %" PRIu64 " more",
                        table->context.ascii ? "..." : "\xe2\x80\xa6", more(state_of(table)));
        return;
    }
    const struct line *line = line_at(table, row);
    switch ((enum column)column) {
    case DEVICE:
        put_device(t, &t->processes[line->process], out);
        break;
    case BEFORE:
        table_put_name(out, t, line->gap.before);
        break;
    case AFTER:
        table_put_name(out, t, line->gap.after);
        break;
    case ITERATION:
        put_iteration(table, &line->gap, out);
        break;
    case START:
    case DURATION:
    case COLUMNS:
    default:
        break;
    }
}

static struct table_target enter(struct table *table, uint32_t row, uint32_t times)
{
    (void)times;
    if (is_more(table, row))
        return (struct table_target){.slice = TRACE_NONE};
    const struct gap *gap = &line_at(table, row)->gap;
    return (struct table_target){
        .slice = gap->after,
        .has_place = true,
        .from_ns = gap->start_ns,
        .to_ns = gap->start_ns + gap->dur_ns,
    };
}

static void free_state(struct table *table)
{
    struct state *s = state_of(table);
    free(s->shown.items);
    free(s->found.items);
    free(s->heads);
    free(s);
}

const struct table_model table_gaps_model = {
    .columns = columns,
    .column_count = COLUMNS,
    .first_sort = DURATION,
    .wants_scope = true,
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
