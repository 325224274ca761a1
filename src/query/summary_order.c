/*
 * The order of a summary's rows.
 */
#include <stdlib.h>
#include <string.h>

#include "query/summary.h"

struct order {
    enum summary_sort key;
    bool reverse;
};

static int64_t value_of(const struct summary_row *row, enum summary_sort key)
{
    switch (key) {
    case SORT_COUNT:
        return row->count;
    case SORT_MEAN:
        return row->mean_ps;
    case SORT_MAX:
        return row->max_ns;
    case SORT_P95:
        return row->p95_ns;
    case SORT_SELF:
        return row->self_ns;
    case SORT_WINDOW:
        return row->window_ns;
    case SORT_MIN:
        return row->min_ns;
    case SORT_P50:
        return row->p50_ns;
    case SORT_P99:
        return row->p99_ns;
    case SORT_TOTAL:
    case SORT_NAME:
    default:
        return row->total_ns;
    }
}

static int by_text(const struct summary_row *x, const struct summary_row *y)
{
    int order = strcmp(x->text, y->text);
    if (order)
        return order;
    if (x->category != y->category)
        return x->category < y->category ? -1 : 1;
    return x->name < y->name ? -1 : x->name > y->name;
}

static int compare(const void *a, const void *b, void *context)
{
    const struct order *order = context;
    const struct summary_row *x = a, *y = b;
    int result = 0;
    if (order->key != SORT_NAME) {
        int64_t p = value_of(x, order->key), q = value_of(y, order->key);
        result = p > q ? -1 : p < q;
    } else {
        result = strcmp(x->text, y->text);
    }
    if (order->reverse)
        result = -result;
    return result ? result : by_text(x, y);
}

/* Merge sort: qsort_r() differs between systems. */
static void merge_sort(struct summary_row *rows, struct summary_row *spare, size_t n,
                       struct order *order)
{
    if (n < 2)
        return;
    size_t middle = n / 2, i = 0, k = middle, out = 0;
    merge_sort(rows, spare, middle, order);
    merge_sort(rows + middle, spare, n - middle, order);
    memcpy(spare, rows, middle * sizeof *rows);
    while (i < middle && k < n)
        rows[out++] = compare(&rows[k], &spare[i], order) < 0 ? rows[k++] : spare[i++];
    memcpy(rows + out, spare + i, (middle - i) * sizeof *rows);
}

void summary_order(struct summary *s, enum summary_sort key, bool reverse)
{
    struct order order = {key, reverse};
    struct summary_row *spare = calloc((size_t)s->row_count / 2 + 1, sizeof *spare);
    if (!spare)
        return; /* then they stay as they are */
    merge_sort(s->rows, spare, s->row_count, &order);
    free(spare);
}
