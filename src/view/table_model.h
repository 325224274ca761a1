/*
 * What the tables have in common (table.c) and what each of them does (the others):
 * private to these files.
 */
#ifndef SPYTOP_VIEW_TABLE_MODEL_H
#define SPYTOP_VIEW_TABLE_MODEL_H

#include "base/text.h"
#include "view/table.h"

struct table_column {
    const char *title;
    int width;    /* columns needed; the first one gets what is left, this at least */
    int priority; /* smaller: goes last when there is no room */
    bool sortable;
};

enum { TABLE_COLUMNS = 14 };

struct table_model {
    const struct table_column *columns;
    int column_count;
    int first_sort;                /* the column sorted by at first, -1: none */
    bool wants_scope, wants_slice; /* what of the context it depends on */

    /* A new question: drop what is running, begin. The old rows may stay until the new
     * ones are ready. */
    void (*start)(struct table *table);
    bool (*work)(struct table *table); /* true: more to do */
    uint32_t (*rows)(const struct table *table);
    /* The text of a cell; flags for its style. */
    void (*cell)(struct table *table, uint32_t row, int column, struct text *out, int *flags);
    void (*sort)(struct table *table); /* NULL: cannot */
    struct table_target (*enter)(struct table *table, uint32_t row, uint32_t times);
    void (*free)(struct table *table);
};

struct table {
    enum table_kind kind;
    const struct table_model *model;
    struct table_context context; /* with bitmaps of its own */
    bool *names, *matches, *categories_off;
    bool ready; /* the context is set */
    bool pending;
    uint32_t cursor, top;
    int sort_column;
    bool reverse;
    uint32_t entered_row, entered; /* how often Enter was pressed on that row */
    void *state;                   /* the model's */

    /* Of the last drawing. */
    int drawn_x, drawn_y, drawn_rows;
    int column_x[TABLE_COLUMNS], column_end[TABLE_COLUMNS];
};

extern const struct table_model table_kernels_model, table_ops_model, table_iterations_model,
    table_gaps_model, table_matches_model, table_event_model;

/* True if the slice is in the context's window and not filtered away. */
bool table_takes(const struct table *table, uint32_t slice);

/* "1.234 ms" into the cell. */
void table_put_time(struct text *out, int64_t ns);
void table_put_name(struct text *out, const struct trace *t, uint32_t slice);

#endif
