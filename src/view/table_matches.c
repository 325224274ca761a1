/*
 * The table Matches: the slices that the search finds in the scope.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "view/table_model.h"

enum column { NAME, START, DURATION, CATEGORY, TRACK, COLUMNS };

static const struct table_column columns[COLUMNS] = {
    {"match", 16, 0, false},    {"start", 12, 1, true},  {"duration", 10, 2, true},
    {"category", 16, 3, false}, {"track", 16, 4, false},
};

/* As many as anybody pages through; a piece of work. */
enum { MATCHES_MAX = 100000, PIECE = 100000 };

struct state {
    uint32_t *slices;
    size_t count, capacity;
    uint32_t track, slice; /* where the collecting is */
};

/* What array_sort() has to know: there is only one thread that sorts tables. */
struct keyed {
    int64_t key;
    uint32_t slice;
};

static struct state *state_of(const struct table *table)
{
    return table->state;
}

static int by_key(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->slice < y->slice ? -1 : x->slice > y->slice;
}

static void sort(struct table *table)
{
    struct state *s = state_of(table);
    const struct trace *t = table->context.t;
    struct keyed *keyed = xreallocarray(NULL, s->count + 1, sizeof *keyed);
    for (size_t i = 0; i < s->count; i++) {
        uint32_t slice = s->slices[i];
        int64_t key = table->sort_column == DURATION ? -t->dur_ns[slice] : t->start_ns[slice];
        keyed[i] = (struct keyed){table->reverse ? ~key : key, slice};
    }
    array_sort(keyed, s->count, sizeof *keyed, by_key);
    for (size_t i = 0; i < s->count; i++)
        s->slices[i] = keyed[i].slice;
    free(keyed);
}

static void start(struct table *table)
{
    if (!table->state)
        table->state = xcalloc(1, sizeof(struct state));
    struct state *s = state_of(table);
    s->count = 0;
    s->track = s->slice = 0;
}

static bool work(struct table *table)
{
    struct state *s = state_of(table);
    const struct table_context *c = &table->context;
    uint32_t budget = PIECE;
    if (!c->matches)
        return false;
    for (; s->track < c->t->track_count; s->track++) {
        if (s->slice < c->t->tracks[s->track].first)
            s->slice = c->t->tracks[s->track].first;
        while (s->count < MATCHES_MAX) {
            if (budget-- == 0)
                return true;
            uint32_t slice = index_overlap(c->ix, s->track, s->slice, c->from_ns, c->to_ns);
            if (slice == TRACE_NONE)
                break;
            if (c->matches[c->t->labels[c->t->label[slice]].name] && table_takes(table, slice))
                ARRAY_PUSH(s->slices, s->count, s->capacity, slice);
            s->slice = slice + 1;
        }
    }
    sort(table);
    return false;
}

static uint32_t rows(const struct table *table)
{
    return table->state && !table->pending ? (uint32_t)state_of(table)->count : 0;
}

static void cell(struct table *table, uint32_t row, int column, struct text *out, int *flags)
{
    const struct trace *t = table->context.t;
    uint32_t slice = state_of(table)->slices[row], track;
    (void)flags;
    switch ((enum column)column) {
    case NAME:
        table_put_name(out, t, slice);
        break;
    case START:
        table_put_time(out, t->start_ns[slice]);
        break;
    case DURATION:
        table_put_time(out, t->dur_ns[slice]);
        break;
    case CATEGORY:
        text_puts(out, intern_text(t->names, trace_category(t, slice)->text, NULL));
        break;
    case TRACK:
        track = trace_track_of(t, slice);
        if (t->tracks[track].name)
            text_puts(out, intern_text(t->names, t->tracks[track].name, NULL));
        else
            text_puts(out, trace_id(t, t->tracks[track].tid));
        break;
    case COLUMNS:
        break;
    }
}

static struct table_target enter(struct table *table, uint32_t row, uint32_t times)
{
    (void)times;
    return (struct table_target){.slice = state_of(table)->slices[row]};
}

static void free_state(struct table *table)
{
    if (table->state)
        free(state_of(table)->slices);
    free(table->state);
}

const struct table_model table_matches_model = {
    .columns = columns,
    .column_count = COLUMNS,
    .first_sort = START,
    .wants_scope = true,
    .start = start,
    .work = work,
    .rows = rows,
    .cell = cell,
    .sort = sort,
    .enter = enter,
    .free = free_state,
};
