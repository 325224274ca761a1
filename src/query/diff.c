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

/* Rows of one text (in several categories, say) meet under its number. */
static void add_side(struct diff *d, size_t *capacity, struct intern *texts,
                     const struct summary *s, bool other)
{
    for (uint32_t i = 0; i < s->row_count; i++) {
        const struct summary_row *row = &s->rows[i];
        uint32_t number = intern_add(texts, row->text, strlen(row->text));
        while (d->row_count <= number) {
            size_t count = d->row_count;
            ARRAY_PUSH(d->rows, count, *capacity, (struct diff_row){.name = NULL});
            d->row_count++;
        }
        struct diff_row *joined = &d->rows[number];
        joined->name = row->text;
        joined->name_len = strlen(row->text);
        if (other)
            joined->other = row;
        else
            joined->base = row;
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
    add_side(d, &capacity, texts, d->base, false);
    add_side(d, &capacity, texts, d->other, true);
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
