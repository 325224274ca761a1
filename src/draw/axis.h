/*
 * The time axis: ticks on round numbers.
 */
#ifndef SPYTOP_DRAW_AXIS_H
#define SPYTOP_DRAW_AXIS_H

#include "draw/grid.h"
#include "draw/scale.h"

/* Labels at 1, 2 or 5 times a power of ten of the unit that suits the window; times
 * are shown less `zero_ns` (so that an axis can count from anywhere). Exact down to
 * single nanoseconds. */
void axis_draw(struct grid *g, int y, const struct scale *s, int64_t zero_ns, struct style style);

/* The distance between ticks for a window: at least `cols` columns apart. */
int64_t axis_step_ns(const struct scale *s, int cols);

#endif
