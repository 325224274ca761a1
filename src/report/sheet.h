/*
 * The main table of a report, in each of its formats, from one description: columns,
 * and a call that fills in a row.
 */
#ifndef SPYTOP_REPORT_SHEET_H
#define SPYTOP_REPORT_SHEET_H

#include <stdio.h>

#include "report/json.h"
#include "report/report.h"

enum cell_kind {
    CELL_TEXT,
    CELL_COUNT,
    CELL_NS,    /* text: in a unit chosen for the column */
    CELL_PS,    /* a mean: picoseconds, three decimals of ns */
    CELL_SHARE, /* 0 to 1; text: percent */
};

struct sheet_column {
    const char *key;   /* in JSON and CSV */
    const char *title; /* in text; NULL: not shown there */
    enum cell_kind kind;
};

struct sheet_cell {
    const char *text;
    size_t len;
    int64_t number;
    double share;
    bool null;
};

struct sheet {
    const struct sheet_column *columns;
    int column_count;
    uint64_t row_count;
    /* Fills in the cells of a row; they are zeroed before. Called more than once for
     * a row, in any order. Text must stay valid until the next call. */
    void (*row)(void *context, uint64_t row, struct sheet_cell *cells);
    void *context;
    bool total; /* the last row is a sum: set apart in text, left out elsewhere */
};

enum { SHEET_COLUMNS = 24 };

/* The rows as an array of objects. */
void sheet_json(struct json *j, const struct sheet *sheet);

/* RFC 4180, with a header row. */
void sheet_csv(FILE *out, const struct sheet *sheet);

/* Aligned columns; the first one is shortened where the width (0: unlimited) asks for
 * it, columns from the right go if that is not enough. At most `rows` rows (0: all);
 * the rest is counted in a line. */
void sheet_text(FILE *out, const struct sheet *sheet, int width, uint64_t rows);

/* Cells. */
struct sheet_cell sheet_text_cell(const char *text, size_t len);
struct sheet_cell sheet_number_cell(int64_t number);
struct sheet_cell sheet_null_cell(void);

#endif
