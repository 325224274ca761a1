/*
 * When devices were busy, and the holes between.
 */
#ifndef SPYTOP_QUERY_GAPS_H
#define SPYTOP_QUERY_GAPS_H

#include "query/select.h"

struct gap {
    int64_t start_ns, dur_ns;
    uint32_t before, after; /* the slices at its sides */
};

struct gap_row {
    uint32_t process;
    uint32_t track;  /* TRACE_NONE when by device */
    int64_t span_ns; /* first start to last end (clipped to the window) */
    int64_t busy_ns; /* union of device slices */
    int64_t idle_ns;
    int64_t *busy_by_category_ns; /* per trace category: union of that category */
    uint64_t gap_count;
    struct gap *largest; /* longest first, ties by start */
    size_t largest_count;
};

struct gaps {
    struct gap_row *rows;
    uint32_t row_count;
    uint32_t category_count;
};

/* Gaps of every device (by_track: of every device track) within the selection's
 * window, the `top` largest of each (0: all). The selection's categories apply
 * where it has any, else all device slices count. Release with gaps_free(). */
struct gaps *gaps_find(const struct trace *t, const struct index *ix, const struct selection *sel,
                       bool by_track, size_t top);
void gaps_free(struct gaps *g);

/* The next hole of a device's (of a track's, if `track` is not TRACE_NONE) union
 * that starts after (previous: ends before) `at_ns` and is at least `least_ns`
 * long. False where there is none. */
bool gap_next(const struct trace *t, const struct index *ix, uint32_t process, uint32_t track,
              int64_t at_ns, int64_t least_ns, struct gap *gap);
bool gap_previous(const struct trace *t, const struct index *ix, uint32_t process, uint32_t track,
                  int64_t at_ns, int64_t least_ns, struct gap *gap);

#endif
