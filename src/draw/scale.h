/*
 * Between times and columns of the screen.
 */
#ifndef SPYTOP_DRAW_SCALE_H
#define SPYTOP_DRAW_SCALE_H

#include <stdint.h>

/* `cols` columns from column x0 on show [from_ns, to_ns), from < to. */
struct scale {
    int64_t from_ns, to_ns;
    int x0, cols;
};

/* The first time of a column (0 to cols) of the scale. */
int64_t scale_time(const struct scale *s, int column);

/* Where a time lies, in eighths of a column from the left edge; may lie outside. */
int64_t scale_eighths(const struct scale *s, int64_t at_ns);

/* The column of a time, not clipped. */
int64_t scale_column(const struct scale *s, int64_t at_ns);

#endif
