/*
 * The length of the union of intervals: busy time.
 */
#ifndef SPYTOP_QUERY_UNION_H
#define SPYTOP_QUERY_UNION_H

#include <stddef.h>
#include <stdint.h>

/* Starts as {0}. */
struct interval {
    int64_t start_ns, end_ns;
};
struct interval_list {
    struct interval *items;
    size_t count, capacity;
};

/* Adds an interval; one that touches or overlaps the last one, and does not begin
 * before it, is joined with it. */
void interval_add(struct interval_list *list, int64_t start_ns, int64_t end_ns);

/* Sorts and joins: afterwards the intervals are disjoint, not touching, in order. */
void interval_unite(struct interval_list *list);

/* The sum of the lengths (of a united list: the length of the union). */
int64_t interval_length(const struct interval_list *list);

/* The length within [from, to) of a united list, in O(log n) by running sums:
 * interval_sums() makes them (modulo 2^64; release with free()). */
int64_t *interval_sums(const struct interval_list *list);
int64_t interval_length_in(const struct interval_list *list, const int64_t *sums, int64_t from_ns,
                           int64_t to_ns);

void interval_free(struct interval_list *list);

#endif
