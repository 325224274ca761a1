/*
 * The tables of the lower pane: what they show, apart from how it is drawn.
 */
#ifndef SPYTOP_VIEW_TABLE_H
#define SPYTOP_VIEW_TABLE_H

#include "draw/grid.h"
#include "index/index.h"
#include "query/gaps.h"
#include "query/iterations.h"
#include "query/launches.h"
#include "query/summary.h"

enum table_kind {
    TABLE_KERNELS,
    TABLE_OPS,
    TABLE_ITERATIONS,
    TABLE_GAPS,
    TABLE_EVENT,
    TABLE_MATCHES,
    TABLE_COUNT
};

/* What the tables are about; owned by the viewer, valid during a call. */
struct table_context {
    const struct trace *t;
    const struct index *ix;
    const struct iterations *iterations; /* never NULL once a trace is there */
    const struct launches *launches;     /* likewise */
    int64_t from_ns, to_ns;              /* the window, range, iteration or whole trace (`W`) */
    uint32_t family;                     /* of iterations to list; TRACE_NONE: all */
    uint32_t slice;                      /* the selected one, or TRACE_NONE */
    const bool *names;                   /* the filter `\`: per name id, or NULL */
    const bool *matches;                 /* the search: per name id, or NULL */
    const bool *categories_off;          /* categories switched off (`C`): per category, or NULL */
    enum summary_by by;                  /* group names by name, stem or category (`y`) */
    bool ascii;
};

struct table;

struct table *table_new(enum table_kind kind);
void table_free(struct table *table);

/* "Kernels". */
const char *table_title(enum table_kind kind);

/* Says that the context changed (window, filter, selection): what is shown is
 * marked as old and computed anew by table_work(); a new request drops a running
 * one. The context is copied, its bitmaps too. Cheap; call it on every change. */
void table_update(struct table *table, const struct table_context *context);

/* Does a piece of the computation (a few milliseconds); true: there is more. */
bool table_work(struct table *table);
bool table_pending(const struct table *table);

/* Rows now; the cursor's row; the first row shown. */
uint32_t table_rows(const struct table *table);
uint32_t table_cursor(const struct table *table);
void table_move(struct table *table, int64_t rows); /* by so many rows; clamped */
void table_move_to(struct table *table, uint32_t row);

/* `t`: the next column to sort by; `r`: the other way round; a click on the head at
 * column x of the last drawing. The name of the sort column. */
void table_sort_next(struct table *table);
void table_sort_reverse(struct table *table);
bool table_sort_at(struct table *table, int x);
const char *table_sort_name(const struct table *table);

/* Enter on the cursor's row: the slice to go to: the slowest instance first, called
 * again for the same row the next slower one, and so on round. TRACE_NONE where the
 * row has none; then *from_ns, *to_ns (a gap's place) are set if *has_place. */
struct table_target {
    uint32_t slice;
    bool has_place;
    int64_t from_ns, to_ns;
};
struct table_target table_enter(struct table *table);

/* Draws heads and rows into the rectangle; scrolls so that the cursor is seen.
 * `active`: the pane has the focus. */
void table_draw(struct table *table, struct grid *g, int x, int y, int cols, int rows, bool active);

/* The row that a click at grid line `grid_y` of the last drawing means. */
bool table_row_at(const struct table *table, int grid_y, uint32_t *row);

#endif
