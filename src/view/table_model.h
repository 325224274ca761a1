/*
 * What the tables have in common (table.c) and what each of them does (the others):
 * private to these files.
 */
#ifndef SPYTOP_VIEW_TABLE_MODEL_H
#define SPYTOP_VIEW_TABLE_MODEL_H

#include "base/text.h"
#include "view/table.h"

enum column_kind {
    COLUMN_TEXT,   /* left aligned, shortened in the middle */
    COLUMN_NUMBER, /* right aligned, the model makes the text */
    COLUMN_COUNT,  /* the rest from value(): a number */
    COLUMN_TIME,   /* in the unit of the column */
};

struct table_column {
    const char *title;
    int width;    /* columns needed, the mark of the sort column included */
    int priority; /* smaller: goes last when there is no room; 0: never */
    enum column_kind kind;
    bool sortable;
    bool ascending; /* sorted by it, the smallest comes first */
    bool grows;     /* shares what is left */
};

enum {
    TABLE_COLUMNS = 14,
    TABLE_MUST = 5 /* up to this priority columns come before long names */
};

/* What value() says where a row has none. */
#define TABLE_NO_VALUE INT64_MIN

struct table_model {
    const struct table_column *columns;
    int column_count;
    int first_sort;                /* the column sorted by at first, -1: none */
    bool wants_scope, wants_slice; /* what of the context it depends on */
    bool wants_matches;
    bool has_head; /* a line of titles, and a cursor; else it is a text to scroll */

    /* A new question: drop what is running, begin. The old rows stay until the new
     * ones are ready. */
    void (*start)(struct table *table);
    /* A piece; true: more to do. Sets table->published when there are new rows. */
    bool (*work)(struct table *table);
    double (*progress)(const struct table *table); /* 0 to 1; NULL: unknown */
    uint32_t (*rows)(const struct table *table);
    /* Tells rows apart, also those of different answers: so the cursor stays where it
     * is when the window moves. */
    uint64_t (*key)(const struct table *table, uint32_t row);
    int64_t (*value)(const struct table *table, uint32_t row, int column);
    /* The text of a cell; flags for its style. */
    void (*cell)(struct table *table, uint32_t row, int column, struct text *out, int *flags);
    void (*sort)(struct table *table); /* NULL: cannot */
    struct table_target (*enter)(struct table *table, uint32_t row, uint32_t times);
    /* A text is broken into lines of this width. */
    void (*wrap)(struct table *table, int cols);
    /* A picture of the cursor's row beside the rows, where there is room. May set
     * `pending`: then work() goes on with it. */
    void (*picture)(struct table *table, struct grid *g, int x, int y, int cols, int rows);
    void (*free)(struct table *table);
};

struct table {
    enum table_kind kind;
    const struct table_model *model;
    struct table_context context; /* with bitmaps of its own */
    bool *names, *matches, *categories_off;
    bool ready;     /* the context is set */
    bool pending;   /* there is work to do */
    bool stale;     /* and it takes so long that the rows are drawn as old ones */
    bool aside;     /* by the model: that work is not on the rows */
    bool published; /* by the model: the rows are others now */
    uint32_t cursor, top;
    int sort_column;
    bool reverse;
    void *state; /* the model's; NULL before the first start() */

    /* The row that the cursor follows through new answers. */
    bool following;
    uint64_t follow;

    /* Enter was pressed on that row so many times, and went to that slice. */
    bool entering;
    uint64_t entered_key;
    uint32_t entered, entered_slice;

    /* Per column, of all rows: the unit, and the width that its values need. */
    int64_t divisor[TABLE_COLUMNS];
    const char *unit[TABLE_COLUMNS];
    int needed[TABLE_COLUMNS];

    /* Of the last drawing. */
    int drawn_y, drawn_rows;
    int column_x[TABLE_COLUMNS], column_end[TABLE_COLUMNS]; /* -1: not shown */
};

extern const struct table_model table_kernels_model, table_ops_model, table_iterations_model,
    table_gaps_model, table_matches_model, table_event_model;

/* The name of a slice into the cell. */
void table_put_name(struct text *out, const struct trace *t, uint32_t slice);

/* Per label of the trace, whether the filter and the categories leave it; a model
 * takes away more. Release with free(). */
bool *table_labels(const struct table *table);

/* Goes over the slices of a window, track by track. Starts as {0}. */
struct table_scan {
    uint32_t track, slice;
    uint32_t inside, end; /* of the track: the slices that start in the window */
    bool begun;           /* this track */
};
/* The next one, or TRACE_NONE. Cheap: only what began before the window is searched. */
uint32_t table_scan_next(struct table_scan *scan, const struct table_context *c, int64_t from_ns,
                         int64_t to_ns);

#endif
