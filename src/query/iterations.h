/*
 * Iterations: ProfilerStep#N, iteration_N and what else counts as one.
 */
#ifndef SPYTOP_QUERY_ITERATIONS_H
#define SPYTOP_QUERY_ITERATIONS_H

#include "query/select.h"

struct iteration {
    uint32_t slice;
    uint32_t family; /* index in families */
    int64_t number;  /* N; -1 where the pattern gave none */
    int64_t start_ns, dur_ns;
    uint32_t kernels;                       /* that start in it */
    int64_t kernel_ns;                      /* their durations */
    int64_t kernel_busy_ns, device_busy_ns; /* unions, clipped to it */
    uint32_t launched_kernels;              /* whose launching call starts in it */
    int64_t launched_kernel_busy_ns;        /* union of theirs, not clipped */
};

/* Iterations of the same kind: "ProfilerStep", "iteration", ... */
struct iteration_family {
    char *name; /* the iteration's name without its number; unsafe text */
    uint32_t count;
    int64_t median_dur_ns;
    uint32_t *outliers; /* indices of iterations; see iteration_is_outlier() */
    uint32_t outlier_count;
};

struct iterations {
    struct iteration *items; /* by start; repeats kept */
    uint32_t count;
    struct iteration_family *families; /* largest count first */
    uint32_t family_count;
    bool has_launches; /* the trace links kernels to launching calls */
    int64_t *ends_ns;  /* private */
};

struct launches; /* query/launches.h */

/* Finds and measures the iterations of the trace. `pattern` (NULL: none) is a
 * further POSIX extended regex for names of annotations; its first group is the
 * number. `launches` may be NULL: the launched_* figures are then not computed.
 * NULL and an error for a bad pattern. Release with iterations_free(). */
struct iterations *iterations_find(const struct trace *t, const struct index *ix,
                                   const struct launches *launches, const char *pattern,
                                   struct error *err);
void iterations_free(struct iterations *list);

/* The iteration (of `family`, or of any: TRACE_NONE) that a time lies in (the
 * innermost), or TRACE_NONE. */
uint32_t iterations_at(const struct iterations *list, uint32_t family, int64_t at_ns);

/* The window of -i/--iteration=TEXT: a name, N for the N-th (from 0, in time
 * order, of the largest family), or A..B of either. */
bool iterations_window(const struct trace *t, const struct iterations *list, const char *text,
                       int64_t *from_ns, int64_t *to_ns, struct error *err);

#endif
