/*
 * Two traces side by side: what became slower.
 */
#ifndef SPYTOP_QUERY_DIFF_H
#define SPYTOP_QUERY_DIFF_H

#include "query/summary.h"

/* A name with its rows in both traces; either may be NULL. Where a trace has the name in
 * several categories they are one row (with the percentiles of the largest part). */
struct diff_row {
    const char *name; /* belongs to one of the summaries' traces; unsafe text */
    size_t name_len;
    struct summary_row *base, *other;
    int64_t delta_ns; /* total in the other one less total in the base */
};

struct diff {
    struct summary *base, *other;
    struct diff_row *rows; /* largest change first */
    uint32_t row_count;
};

/* Joins the summaries of two traces by the text of their rows (by name or stem). The
 * selections belong to the traces. Release with diff_free(). */
struct diff *diff_compute(const struct trace *base, const struct index *base_ix,
                          const struct selection *base_sel, const struct trace *other,
                          const struct index *other_ix, const struct selection *other_sel,
                          enum summary_by by);
void diff_free(struct diff *d);

#endif
