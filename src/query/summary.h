/*
 * Statistics of durations, grouped by name, stem, category or track.
 */
#ifndef SPYTOP_QUERY_SUMMARY_H
#define SPYTOP_QUERY_SUMMARY_H

#include "query/select.h"

enum summary_by { BY_NAME, BY_STEM, BY_CATEGORY, BY_TRACK };
enum summary_sort {
    SORT_TOTAL,
    SORT_COUNT,
    SORT_MEAN,
    SORT_MAX,
    SORT_P95,
    SORT_NAME,
    /* further columns of the viewer's tables */
    SORT_SELF,
    SORT_WINDOW,
    SORT_MIN,
    SORT_P50,
    SORT_P99
};

struct summary_row {
    uint32_t name;     /* BY_NAME: id in trace->names; BY_TRACK: the track; else see text */
    uint32_t category; /* category id; of the first slice where a row mixes several */
    bool mixed;        /* the row holds slices of several categories */
    const char *text;  /* what to show for the row, owned by the summary; unsafe text */
    uint32_t count;
    /* self: total less the durations of direct children on the same track (in a window:
     * of those that are in it); device slices have none. */
    int64_t total_ns, self_ns, window_ns;
    int64_t min_ns, max_ns, p50_ns, p95_ns, p99_ns;
    /* The mean in picoseconds, rounded half up: three decimals of ns. Held at INT64_MAX. */
    int64_t mean_ps;
    double share;     /* window_ns as part of the sum of all rows' window_ns, 0 to 1 */
    uint32_t slowest; /* the longest slice (the first of equals) */
};

struct summary {
    struct summary_row *rows;
    uint32_t row_count;
    uint64_t count; /* totals over all rows */
    int64_t total_ns, window_ns;
    int64_t busy_ns;         /* union of all the chosen slices' intervals, clipped to the window */
    struct text_list *texts; /* private */
};

/* Work that can be done in pieces, so that a key press never waits for a table
 * over millions of slices. summary_start() copies the selection. summary_step()
 * looks at about `budget` more slices and says whether the work is done; then
 * summary_take() sorts and hands out the result. */
struct summary_job;
struct summary_job *summary_start(const struct trace *t, const struct index *ix,
                                  const struct selection *sel, enum summary_by by);
bool summary_step(struct summary_job *job, uint32_t budget);
double summary_progress(const struct summary_job *job); /* 0 to 1 */
struct summary *summary_take(struct summary_job *job);  /* the job is released */
void summary_cancel(struct summary_job *job);           /* NULL allowed */

/* All at once. Release with summary_free() (NULL allowed). */
struct summary *summary_compute(const struct trace *t, const struct index *ix,
                                const struct selection *sel, enum summary_by by);
void summary_free(struct summary *s);

/* Sorts the rows: largest first (names: alphabetically), ties by name; `reverse`
 * turns it round. */
void summary_order(struct summary *s, enum summary_sort key, bool reverse);

/* The name without a trailing "#N" or "_N" instance number and without the
 * 16-character key of spyre_kernel_v1_<summary>_<key>. Returns the length of the
 * stem, a prefix of the name. */
size_t name_stem(const char *name, size_t len);

/* The mean of `count` > 0 durations in picoseconds, rounded half up; held at INT64_MAX. */
int64_t summary_mean_ps(int64_t total_ns, uint32_t count);

/* Nearest rank: number ceil(p*n/100) of n > 0 sorted values. */
int64_t percentile_ns(const int64_t *sorted, size_t n, unsigned p);

#endif
