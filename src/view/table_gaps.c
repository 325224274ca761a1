/*
 * The table Gaps: when devices were idle, in the scope.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "view/table_model.h"

enum column { BEFORE, AFTER, START, DURATION, DEVICE, COLUMNS };

static const struct table_column columns[COLUMNS] = {
    {"after", 14, 0, false}, {"before", 24, 4, false}, {"start", 12, 2, true},
    {"idle", 10, 1, true},   {"device", 8, 3, false},
};

/* As many gaps as anybody pages through. */
enum { GAPS_MAX = 1000 };

struct line {
    struct gap gap;
    uint32_t process;
};

struct state {
    struct line *lines;
    size_t count, capacity;
};

static struct state *state_of(const struct table *table)
{
    return table->state;
}

static int by_start(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    return x->gap.start_ns < y->gap.start_ns ? -1 : x->gap.start_ns > y->gap.start_ns;
}

static int by_length(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    if (x->gap.dur_ns != y->gap.dur_ns)
        return x->gap.dur_ns > y->gap.dur_ns ? -1 : 1;
    return by_start(a, b);
}

static void sort(struct table *table)
{
    struct state *s = state_of(table);
    array_sort(s->lines, s->count, sizeof *s->lines,
               table->sort_column == START ? by_start : by_length);
    for (size_t i = 0; table->reverse && i < s->count / 2; i++) {
        struct line other = s->lines[i];
        s->lines[i] = s->lines[s->count - 1 - i];
        s->lines[s->count - 1 - i] = other;
    }
}

static void start(struct table *table)
{
    if (!table->state)
        table->state = xcalloc(1, sizeof(struct state));
}

static bool work(struct table *table)
{
    struct state *s = state_of(table);
    const struct table_context *c = &table->context;
    struct selection sel;
    selection_init(&sel);
    sel.from_ns = c->from_ns;
    sel.to_ns = c->to_ns;
    struct gaps *gaps = gaps_find(c->t, c->ix, &sel, false, GAPS_MAX);
    s->count = 0;
    for (uint32_t i = 0; i < gaps->row_count; i++)
        for (size_t k = 0; k < gaps->rows[i].largest_count; k++)
            ARRAY_PUSH(s->lines, s->count, s->capacity,
                       (struct line){gaps->rows[i].largest[k], gaps->rows[i].process});
    gaps_free(gaps);
    sort(table);
    return false;
}

static uint32_t rows(const struct table *table)
{
    return table->state ? (uint32_t)state_of(table)->count : 0;
}

static void cell(struct table *table, uint32_t row, int column, struct text *out, int *flags)
{
    const struct line *line = &state_of(table)->lines[row];
    const struct trace *t = table->context.t;
    (void)flags;
    switch ((enum column)column) {
    case BEFORE:
        table_put_name(out, t, line->gap.before);
        break;
    case AFTER:
        table_put_name(out, t, line->gap.after);
        break;
    case START:
        table_put_time(out, line->gap.start_ns);
        break;
    case DURATION:
        table_put_time(out, line->gap.dur_ns);
        break;
    case DEVICE:
        text_puts(out, trace_id(t, t->processes[line->process].pid));
        break;
    case COLUMNS:
        break;
    }
}

static struct table_target enter(struct table *table, uint32_t row, uint32_t times)
{
    const struct gap *gap = &state_of(table)->lines[row].gap;
    (void)times;
    return (struct table_target){
        .slice = gap->after,
        .has_place = true,
        .from_ns = gap->start_ns,
        .to_ns = gap->start_ns + gap->dur_ns,
    };
}

static void free_state(struct table *table)
{
    if (table->state)
        free(state_of(table)->lines);
    free(table->state);
}

const struct table_model table_gaps_model = {
    .columns = columns,
    .column_count = COLUMNS,
    .first_sort = DURATION,
    .wants_scope = true,
    .start = start,
    .work = work,
    .rows = rows,
    .cell = cell,
    .sort = sort,
    .enter = enter,
    .free = free_state,
};
