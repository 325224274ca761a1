/*
 * Traces made by hand, slice by slice, with no file behind them: for tests that
 * want exact times, also such as no file could hold.
 */
#ifndef SPYTOP_TESTS_TRACE_BUILDER_H
#define SPYTOP_TESTS_TRACE_BUILDER_H

#include "test_support.h"
#include "trace/trace.h"

struct made; /* a trace in the making */

struct made *made_new(void);

/* A process of a file (0, 1, ...), and a track of the process that was added last.
 * What comes first is displayed first. Both return their index. */
uint32_t made_process(struct made *m, uint32_t file, const char *pid);
uint32_t made_track(struct made *m, const char *tid, enum track_kind kind);

/* A slice of a track; slices may come in any order. A correlation of 0 is none. */
void made_slice(struct made *m, uint32_t track, const char *category, const char *name,
                int64_t start_ns, int64_t dur_ns, uint32_t correlation);
/* The same for names that hold NULs. */
void made_slice_named(struct made *m, uint32_t track, const char *category, const char *name,
                      size_t len, int64_t start_ns, int64_t dur_ns, uint32_t correlation);

/* A flow event, phase s, t or f; equal keys belong together. */
void made_flow(struct made *m, uint32_t track, char phase, uint32_t key, int64_t ts_ns,
               bool enclosing);

/* The finished trace, to be released with trace_free(); `m` is gone. */
struct trace *made_trace(struct made *m);

/* What random_trace() makes. Times are small numbers, so that much coincides. */
struct random_shape {
    unsigned slices;
    unsigned files, hosts, devices; /* devices per file, hosts threads per file */
    unsigned streams;               /* per device */
    int64_t span_ns, longest_ns;
    unsigned names; /* per category */
    bool crossing;  /* host slices that overlap without nesting */
};

/* As ck_assert_int_eq(), without its system call for every comparison: for loops. */
#define SAME(a, b)                                          \
    do {                                                    \
        if ((a) != (b))                                     \
            ck_assert_int_eq((intmax_t)(a), (intmax_t)(b)); \
    } while (0)

/* Kernels, copies, memsets, operators, calls and annotations; links between calls and
 * device slices by correlation, some by flow. */
struct trace *random_trace(struct random *r, const struct random_shape *shape);

#endif
