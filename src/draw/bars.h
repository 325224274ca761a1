/*
 * A lane of slices as bars in a row of cells.
 */
#ifndef SPYTOP_DRAW_BARS_H
#define SPYTOP_DRAW_BARS_H

#include "draw/grid.h"
#include "draw/scale.h"
#include "index/index.h"

/* What marks slices out. */
struct bar_look {
    uint32_t selected;          /* a slice, or TRACE_NONE */
    const bool *matches;        /* per name: found by the search, or NULL */
    const bool *filter;         /* per name: not hidden, or NULL */
    const bool *categories_off; /* per category: hidden, or NULL */
    bool by_name;               /* colours by name, not by category */
};

/* Draws a lane in row y. Costs O(columns log n), whatever is in the lane: where
 * several slices share a column the column shows how busy it is, and nothing is ever
 * too short to be seen. */
void bars_draw(struct grid *g, int y, const struct scale *s, const struct trace *t,
               const struct index *ix, uint32_t track, uint32_t lane, const struct bar_look *look);

/* The colour of a slice. */
uint8_t bar_color(const struct trace *t, uint32_t slice, bool by_name);

#endif
