/*
 * A lane of slices as bars in a row of cells.
 */
#ifndef SPYTOP_DRAW_BARS_H
#define SPYTOP_DRAW_BARS_H

#include "draw/grid.h"
#include "draw/scale.h"
#include "index/index.h"

/* Some of the slices of a trace, by track, lane and start: those of a lane begin at
 * first[row[track] + lane]. So a column that stands for thousands of slices can tell
 * whether one of these is among them. */
struct lane_slices {
    uint32_t *slices;
    size_t *first;
    uint32_t *row;
};

/* What marks slices out. */
struct bar_look {
    uint32_t selected;          /* a slice, or TRACE_NONE */
    const bool *matches;        /* per name: found by the search, or NULL */
    const bool *filter;         /* per name: not hidden, or NULL */
    const bool *categories_off; /* per category: hidden, or NULL */
    bool by_name;               /* colours by name, not by category */
    /* The slices that `matches` marks, and those that are not hidden; NULL: not known,
     * columns with many slices then show the first one's. */
    const struct lane_slices *found, *visible;
};

/* Draws a lane in row y. Costs O(columns log n), whatever is in the lane: where
 * several slices share a column the column shows how busy it is, and nothing is ever
 * too short to be seen. */
void bars_draw(struct grid *g, int y, const struct scale *s, const struct trace *t,
               const struct index *ix, uint32_t track, uint32_t lane, const struct bar_look *look);

/* The colour of what has a label. */
uint8_t bar_color(const struct trace *t, uint32_t label, bool by_name);

/* One bar with its name; shorter than a cell, it is a thin block. Returns the column
 * behind it, counted from the scale's first. */
int bar_draw(struct grid *g, int y, const struct scale *s, int64_t start_ns, int64_t end_ns,
             const char *name, size_t len, struct style style);

/* A name that may not fit in `room` columns: what tells it from others, without the prefix
 * and the key of a compiled kernel. Not cut further: that is grid_text_middle()'s. */
const char *bar_name(const char *name, size_t len, int room, size_t *short_len);

#endif
