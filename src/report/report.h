/*
 * Answers for scripts and people without the viewer: JSON, CSV and aligned text.
 * What is in them is promised (man page, "REPORTS").
 */
#ifndef SPYTOP_REPORT_REPORT_H
#define SPYTOP_REPORT_REPORT_H

#include <stdio.h>

#include "query/iterations.h"
#include "query/summary.h"

enum report_kind {
    REPORT_INFO,
    REPORT_SUMMARY,
    REPORT_ITERATIONS,
    REPORT_GAPS,
    REPORT_SLICES,
    REPORT_LAUNCHES,
    REPORT_BREAKDOWN,
    REPORT_AVERAGES,
    REPORT_DIFF
};
enum report_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV };

struct report_request {
    enum report_kind kind;
    enum report_format format;
    int64_t from_ns, to_ns;        /* window; INT64_MIN, INT64_MAX: open */
    const char *categories;        /* NULL: the report's default */
    const char *match;             /* NULL: all names */
    const char *iteration_pattern; /* NULL: none */
    enum summary_by by;
    bool by_track; /* gaps */
    enum summary_sort sort;
    bool sort_by_dur;  /* slices */
    int64_t top;       /* -1: the report's default */
    int width, height; /* of the terminal it goes to; 0: unlimited */
    bool color;
};

/* Writes the report of trace `t` (REPORT_DIFF: of base `t` and new `other`) to
 * `out` (the caller checks ferror()). False and an error if the request cannot be
 * answered (a bad pattern, say); nothing was written then. */
bool report_write(FILE *out, const struct trace *t, const struct index *ix,
                  const struct trace *other, const struct index *other_ix,
                  const struct report_request *request, struct error *err);

#endif
