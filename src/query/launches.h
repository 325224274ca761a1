/*
 * From a kernel to the host call that launched it, and back: by equal
 * args.correlation, else by flow events.
 */
#ifndef SPYTOP_QUERY_LAUNCHES_H
#define SPYTOP_QUERY_LAUNCHES_H

#include "query/select.h"

struct launches;

/* Joins all launch calls and device slices. Release with launches_free(). */
struct launches *launches_build(const struct trace *t, const struct index *ix);
void launches_free(struct launches *l);

/* True if there is any link. */
bool launches_any(const struct launches *l);

/* The host call that launched a device slice, or TRACE_NONE. Where several calls
 * share the correlation: the last one that starts before the device slice, a
 * launch or submit rather than a wait. */
uint32_t launches_call(const struct launches *l, uint32_t device_slice);

/* The cpu_op around a host call, or TRACE_NONE. */
uint32_t launches_op(const struct trace *t, const struct index *ix, uint32_t call);

/* The device slices a host call launched, in start order: their number; the
 * array belongs to `l`. */
uint32_t launches_kernels(const struct launches *l, uint32_t call, const uint32_t **slices);

/* Launch latency of a device slice: its start less the start of its call (the
 * time since the host asked for it). */
bool launches_latency_ns(const struct trace *t, const struct launches *l, uint32_t device_slice,
                         int64_t *latency_ns);

/* The statistics of -r launches: per kernel name, latency of its instances. */
struct launch_row {
    uint32_t name;
    uint32_t count;
    int64_t min_ns, p50_ns, p95_ns, max_ns, mean_ps;
};
struct launch_summary {
    struct launch_row *rows; /* largest total latency first */
    uint32_t row_count;
    uint64_t orphan_kernels, orphan_launches;
};
struct launch_summary *launches_summary(const struct trace *t, const struct launches *l,
                                        const struct selection *sel);
void launch_summary_free(struct launch_summary *s);

#endif
