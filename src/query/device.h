/*
 * When the device slices of a file or process were busy.
 */
#ifndef SPYTOP_QUERY_DEVICE_H
#define SPYTOP_QUERY_DEVICE_H

#include "query/union.h"
#include "trace/trace.h"

/* The slices of certain categories on the device tracks of a file, by start. */
struct device_slices {
    uint32_t *slices;
    size_t count, capacity;
};

/* Adds the slices of the chosen categories (a bool for each) that lie on tracks of
 * file `file` (TRACE_NONE: any), in start order. Release with free(list->slices). */
void device_slices_find(const struct trace *t, uint32_t file, const bool *categories,
                        struct device_slices *list);

/* The union of their intervals, united (query/union.h). */
void device_slices_union(const struct trace *t, const struct device_slices *list,
                         struct interval_list *united);

#endif
