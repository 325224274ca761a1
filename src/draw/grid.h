/*
 * What the screen shows, as data: one code point and one style per cell. The
 * viewer draws into a grid, tests compare grids as text, src/term copies what
 * changed to the terminal.
 */
#ifndef SPYTOP_DRAW_GRID_H
#define SPYTOP_DRAW_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* What a cell is, not how it looks: src/term maps roles to colours or attributes
 * once. The slice colours (COLOR_...) are used for bars: the cell's background is
 * the colour, its text is drawn in a contrasting colour. */
enum style_role {
    STYLE_NORMAL = 0,
    STYLE_TITLE,  /* top line */
    STYLE_STATUS, /* status line */
    STYLE_AXIS,
    STYLE_LABEL,   /* track names */
    STYLE_PROCESS, /* process rows */
    STYLE_DIM,
    STYLE_WARNING,
    STYLE_ERROR,
    STYLE_HEADING, /* table heads */
    STYLE_TAB,
    STYLE_TAB_ACTIVE,
    STYLE_ROW_SELECTED, /* the line of a table the cursor is on */
    STYLE_KEY,          /* a key in help or hints */
    STYLE_PROMPT,
    STYLE_OVERVIEW,
    STYLE_WINDOW_MARK, /* the window in the overview, a range */
    STYLE_CURSOR,      /* the time cursor's column */
    STYLE_MARK,
    STYLE_BAR, /* a slice: see `color` */
    STYLE_ROLE_COUNT
};

enum bar_color {
    COLOR_NONE = 0,
    COLOR_ANNOTATION,
    COLOR_OP,
    COLOR_RUNTIME,
    COLOR_DRIVER,
    COLOR_KERNEL,
    COLOR_COPY,
    COLOR_MEMSET,
    COLOR_PYTHON,
    COLOR_WRAPPER,
    COLOR_OTHER,
    COLOR_BY_NAME_0, /* eight more, for colouring by name */
    COLOR_BY_NAME_7 = COLOR_BY_NAME_0 + 7,
    COLOR_COUNT
};

/* Flags of a cell, on top of its role. */
enum {
    CELL_BOLD = 1,
    CELL_REVERSE = 2,
    CELL_UNDERLINE = 4,
    CELL_SELECTED = 8, /* the selected slice */
    CELL_MATCH = 16,   /* a slice that the search matches */
    CELL_DIM = 32,     /* a slice that the filter hides, or shading below half */
    CELL_EDGE = 64,    /* a bar's edge: the glyph is drawn in the bar's colour on the normal
                          background instead of the other way round */
};

/* The right half of a wide character. */
#define CELL_CONTINUED 0xFFFFFFFFu

struct cell {
    uint32_t code; /* ' ' where nothing is; CELL_CONTINUED behind a wide character */
    uint8_t role, color, flags;
    uint8_t spare;
};

struct grid {
    int cols, rows;
    struct cell *cells;     /* rows * cols */
    int cursor_x, cursor_y; /* where the terminal's cursor belongs; -1: hidden */
    bool ascii;             /* only ASCII code points may be used */
};

/* Sets the size (contents are lost) and blanks; the grid starts as {0}. */
void grid_resize(struct grid *g, int cols, int rows);
void grid_free(struct grid *g);
void grid_clear(struct grid *g);

/* A style to draw with. */
struct style {
    uint8_t role, color, flags;
};

/* Draws one code point; outside of the grid nothing happens. */
void grid_put(struct grid *g, int x, int y, uint32_t code, struct style style);

/* Draws text from x on, at most `width` columns, with every character made
 * harmless (utf8_visible) and cut (no ellipsis) at the width; combining characters
 * are dropped. Returns the columns used. Text from a trace may be given as is. */
int grid_text(struct grid *g, int x, int y, int width, const char *text, size_t len,
              struct style style);

/* Likewise; text longer than the width is shortened in the middle, so that both
 * ends can be read ("spyre_ker…_silu"; "~" in ASCII). */
int grid_text_middle(struct grid *g, int x, int y, int width, const char *text, size_t len,
                     struct style style);

/* printf into the grid; for text that is not from a trace. */
int grid_printf(struct grid *g, int x, int y, int width, struct style style, const char *format,
                ...) __attribute__((format(printf, 6, 7)));

/* Blanks `width` cells with a style. */
void grid_fill(struct grid *g, int x, int y, int width, struct style style);

/* The grid as UTF-8 text, one line a row, trailing blanks cut. In text, a bar is
 * shown by its letters only where it has a name; so that a test can see bars,
 * blank bar cells come out as U+2588 ('#' in an ASCII grid), CELL_DIM ones as
 * U+2592 ('='). */
void grid_to_text(const struct grid *g, struct text *out);

#endif
