#include "query/diff.h"

#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/memory.h"

static int64_t size_of(int64_t ns)
{
    return ns == INT64_MIN ? INT64_MAX : ns < 0 ? -ns : ns;
}

static int by_change(const void *a, const void *b)
{
    const struct diff_row *x = a, *y = b;
    int64_t p = size_of(x->delta_ns), q = size_of(y->delta_ns);
    if (p != q)
        return p > q ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* The name of a row with all its bytes: a name may hold NULs. */
static const char *row_name(const struct trace *t, enum summary_by by,
                            const struct summary_row *row, size_t *len)
{
    if (by == BY_NAME)
        return intern_text(t->names, row->name, len);
    *len = strlen(row->text);
    return row->text;
}

/* Adds a row of the same name, but of another category. */
static void merge_row(struct summary_row *into, const struct summary_row *row)
{
    into->total_ns = ns_add(into->total_ns, row->total_ns);
    into->self_ns = ns_add(into->self_ns, row->self_ns);
    into->window_ns = ns_add(into->window_ns, row->window_ns);
    into->count += row->count;
    into->share += row->share;
    into->mixed = true;
    if (row->min_ns < into->min_ns)
        into->min_ns = row->min_ns;
    if (row->max_ns > into->max_ns) {
        into->max_ns = row->max_ns;
        into->slowest = row->slowest;
    }
    into->mean_ps = summary_mean_ps(into->total_ns, into->count);
}

/* One side of the join, while it is made. */
struct side {
    const struct trace *t;
    struct summary *summary;
    enum summary_by by;
    bool other;
};

/* Rows of one name meet under its number. */
static void add_side(struct diff *d, size_t *capacity, struct intern *texts,
                     const struct side *side)
{
    for (uint32_t i = 0; i < side->summary->row_count; i++) {
        struct summary_row *row = &side->summary->rows[i];
        size_t len;
        const char *name = row_name(side->t, side->by, row, &len);
        uint32_t number = intern_add(texts, name, len);
        while (d->row_count <= number) {
            size_t count = d->row_count;
            ARRAY_PUSH(d->rows, count, *capacity, (struct diff_row){.name = NULL});
            d->row_count++;
        }
        struct diff_row *joined = &d->rows[number];
        struct summary_row **place = side->other ? &joined->other : &joined->base;
        joined->name = name;
        joined->name_len = len;
        if (*place)
            merge_row(*place, row);
        else
            *place = row;
    }
}

struct diff *diff_compute(const struct trace *base, const struct index *base_ix,
                          const struct selection *base_sel, const struct trace *other,
                          const struct index *other_ix, const struct selection *other_sel,
                          enum summary_by by)
{
    struct diff *d = xcalloc(1, sizeof *d);
    size_t capacity = 0;
    struct intern *texts = intern_new();
    d->base = summary_compute(base, base_ix, base_sel, by);
    d->other = summary_compute(other, other_ix, other_sel, by);
    struct side sides[] = {{base, d->base, by, false}, {other, d->other, by, true}};
    add_side(d, &capacity, texts, &sides[0]);
    add_side(d, &capacity, texts, &sides[1]);
    intern_free(texts);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < d->row_count; i++) {
        struct diff_row *row = &d->rows[i];
        if (!row->base && !row->other)
            continue; /* the empty text, which has a number but no row */
        row->delta_ns =
            ns_sub(row->other ? row->other->total_ns : 0, row->base ? row->base->total_ns : 0);
        d->rows[kept++] = *row;
    }
    d->row_count = kept;
    if (kept > 1)
        array_sort(d->rows, kept, sizeof *d->rows, by_change);
    return d;
}

void diff_free(struct diff *d)
{
    if (!d)
        return;
    summary_free(d->base);
    summary_free(d->other);
    free(d->rows);
    free(d);
}
