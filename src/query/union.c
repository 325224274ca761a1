#include "query/union.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/duration.h"
#include "base/memory.h"

void interval_add(struct interval_list *list, int64_t start_ns, int64_t end_ns)
{
    if (list->count > 0) {
        struct interval *last = &list->items[list->count - 1];
        if (start_ns >= last->start_ns && start_ns <= last->end_ns) {
            if (end_ns > last->end_ns)
                last->end_ns = end_ns;
            return;
        }
    }
    ARRAY_PUSH(list->items, list->count, list->capacity, (struct interval){start_ns, end_ns});
}

static int by_start(const void *a, const void *b)
{
    const struct interval *x = a, *y = b;
    return x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

static bool in_order(const struct interval_list *list)
{
    for (size_t i = 1; i < list->count; i++)
        if (list->items[i].start_ns < list->items[i - 1].start_ns)
            return false;
    return true;
}

void interval_unite(struct interval_list *list)
{
    if (!in_order(list))
        array_sort(list->items, list->count, sizeof *list->items, by_start);
    size_t count = list->count;
    list->count = 0;
    for (size_t i = 0; i < count; i++)
        interval_add(list, list->items[i].start_ns, list->items[i].end_ns);
}

int64_t interval_length(const struct interval_list *list)
{
    int64_t sum = 0;
    for (size_t i = 0; i < list->count; i++)
        sum = ns_add(sum, ns_sub(list->items[i].end_ns, list->items[i].start_ns));
    return sum;
}

/* Sums of lengths fit 64 bits without a sign, so differences of sums modulo 2^64 are
 * exact, whatever is summed before. */
int64_t *interval_sums(const struct interval_list *list)
{
    int64_t *sums = xreallocarray(NULL, list->count + 1, sizeof *sums);
    uint64_t sum = 0;
    sums[0] = 0;
    for (size_t i = 0; i < list->count; i++) {
        sum += (uint64_t)list->items[i].end_ns - (uint64_t)list->items[i].start_ns;
        sums[i + 1] = (int64_t)sum;
    }
    return sums;
}

/* The first interval that ends after a time. */
static size_t find_interval(const struct interval_list *list, int64_t at_ns)
{
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list->items[middle].end_ns <= at_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int64_t interval_length_in(const struct interval_list *list, const int64_t *sums, int64_t from_ns,
                           int64_t to_ns)
{
    if (from_ns >= to_ns)
        return 0;
    size_t first = find_interval(list, from_ns), end = find_interval(list, to_ns);
    /* `end` may begin before `to` and reach beyond it. */
    uint64_t length = (uint64_t)sums[end] - (uint64_t)sums[first];
    if (first < list->count && list->items[first].start_ns < from_ns)
        length -= (uint64_t)from_ns - (uint64_t)list->items[first].start_ns;
    if (end < list->count && list->items[end].start_ns < to_ns)
        length += (uint64_t)to_ns - (uint64_t)list->items[end].start_ns;
    return length > INT64_MAX ? INT64_MAX : (int64_t)length;
}

void interval_free(struct interval_list *list)
{
    free(list->items);
    *list = (struct interval_list){0};
}
