#include "report/sheet.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/utf8.h"

struct sheet_cell sheet_text_cell(const char *text, size_t len)
{
    return (struct sheet_cell){.text = text, .len = len};
}

struct sheet_cell sheet_number_cell(int64_t number)
{
    return (struct sheet_cell){.number = number};
}

struct sheet_cell sheet_null_cell(void)
{
    return (struct sheet_cell){.null = true};
}

static void get_row(const struct sheet *s, uint64_t row, struct sheet_cell *cells)
{
    memset(cells, 0, sizeof *cells * SHEET_COLUMNS);
    s->row(s->context, row, cells);
}

/* Rows other than the sum. */
static uint64_t data_rows(const struct sheet *s)
{
    return s->row_count - (s->total && s->row_count > 0);
}

static void json_cell(struct json *j, const struct sheet_column *column,
                      const struct sheet_cell *cell)
{
    json_key(j, column->key);
    if (cell->null) {
        json_null(j);
        return;
    }
    switch (column->kind) {
    case CELL_TEXT:
        json_text(j, cell->text ? cell->text : "", cell->len);
        break;
    case CELL_COUNT:
    case CELL_NS:
        json_int(j, cell->number);
        break;
    case CELL_PS:
        json_decimal3(j, cell->number);
        break;
    case CELL_SHARE:
        json_share(j, cell->share);
        break;
    }
}

void sheet_json(struct json *j, const struct sheet *sheet)
{
    struct sheet_cell cells[SHEET_COLUMNS];
    json_begin_array(j);
    for (uint64_t r = 0; r < data_rows(sheet); r++) {
        get_row(sheet, r, cells);
        json_begin_object(j);
        for (int c = 0; c < sheet->column_count; c++)
            json_cell(j, &sheet->columns[c], &cells[c]);
        json_end_object(j);
    }
    json_end_array(j);
}

/* Quoted where it must be; control characters in their visible form, so that a
 * terminal can stand it. */
static void csv_text(FILE *out, const char *text, size_t len)
{
    const char *p = text, *end = text + len;
    bool quote = memchr(text, '"', len) || memchr(text, ',', len) ||
                 (len > 0 && (text[0] == ' ' || text[len - 1] == ' '));
    if (quote)
        putc('"', out);
    while (p < end) {
        char bytes[4];
        int32_t code;
        p += utf8_decode(p, end, &code);
        if (code == '"')
            putc('"', out);
        size_t n = (size_t)utf8_encode(utf8_visible(code), bytes);
        fwrite(bytes, 1, n, out);
    }
    if (quote)
        putc('"', out);
}

static void csv_cell(FILE *out, const struct sheet_column *column, const struct sheet_cell *cell)
{
    struct json plain = {.out = out};
    if (cell->null)
        return;
    switch (column->kind) {
    case CELL_TEXT:
        csv_text(out, cell->text ? cell->text : "", cell->len);
        break;
    case CELL_COUNT:
    case CELL_NS:
        fprintf(out, "%" PRId64, cell->number);
        break;
    case CELL_PS:
        json_decimal3(&plain, cell->number);
        break;
    case CELL_SHARE:
        json_share(&plain, cell->share);
        break;
    }
}

void sheet_csv(FILE *out, const struct sheet *sheet)
{
    struct sheet_cell cells[SHEET_COLUMNS];
    for (int c = 0; c < sheet->column_count; c++)
        fprintf(out, "%s%s", c ? "," : "", sheet->columns[c].key);
    fputs("\r\n", out);
    for (uint64_t r = 0; r < data_rows(sheet) && !ferror(out); r++) {
        get_row(sheet, r, cells);
        for (int c = 0; c < sheet->column_count; c++) {
            if (c)
                putc(',', out);
            csv_cell(out, &sheet->columns[c], &cells[c]);
        }
        fputs("\r\n", out);
    }
}

/* Text: how a column is shown. */
struct layout {
    int64_t divisor; /* of times */
    const char *unit;
    int decimals;
    int width;
    bool shown;
};

enum { CELL_MAX = 64 };

static const char *number_text(char out[CELL_MAX], const struct sheet_column *column,
                               const struct layout *l, const struct sheet_cell *cell)
{
    char time[DURATION_TEXT];
    if (cell->null)
        return "-";
    switch (column->kind) {
    case CELL_NS:
        return strcpy(out, duration_in(time, cell->number, l->divisor, l->decimals));
    case CELL_PS:
        /* Half away from zero, like everything. */
        return strcpy(out,
                      duration_in(time, ns_add(cell->number, cell->number < 0 ? -500 : 500) / 1000,
                                  l->divisor, l->decimals));
    case CELL_SHARE:
        snprintf(out, CELL_MAX, "%.1f %%", cell->share * 100);
        return out;
    case CELL_COUNT:
    case CELL_TEXT:
    default:
        snprintf(out, CELL_MAX, "%" PRId64, cell->number);
        return out;
    }
}

static int cell_columns(const struct sheet_column *column, const struct layout *l,
                        const struct sheet_cell *cell)
{
    char out[CELL_MAX];
    if (column->kind == CELL_TEXT)
        return cell->text ? (int)utf8_columns(cell->text, cell->len) : cell->null;
    return (int)strlen(number_text(out, column, l, cell));
}

static int64_t size_of(int64_t ns)
{
    return ns == INT64_MIN ? INT64_MAX : ns < 0 ? -ns : ns;
}

static void choose_units(const struct sheet *s, uint64_t rows, struct layout *layouts)
{
    struct sheet_cell cells[SHEET_COLUMNS];
    int64_t largest[SHEET_COLUMNS] = {0};
    for (uint64_t r = 0; r < rows; r++) {
        get_row(s, r, cells);
        for (int c = 0; c < s->column_count; c++) {
            int64_t value =
                s->columns[c].kind == CELL_PS ? cells[c].number / 1000 : cells[c].number;
            if (size_of(value) > largest[c])
                largest[c] = size_of(value);
        }
    }
    for (int c = 0; c < s->column_count; c++) {
        struct layout *l = &layouts[c];
        l->divisor = duration_unit(largest[c], &l->unit);
        l->decimals = l->divisor == 1 ? 0 : 3;
        l->shown = s->columns[c].title != NULL;
    }
}

static int title_columns(const struct sheet_column *column, const struct layout *l)
{
    bool time = column->kind == CELL_NS || column->kind == CELL_PS;
    return (int)strlen(column->title) + (time ? (int)strlen(l->unit) + 1 : 0);
}

static void measure(const struct sheet *s, uint64_t rows, struct layout *layouts)
{
    struct sheet_cell cells[SHEET_COLUMNS];
    for (int c = 0; c < s->column_count; c++)
        if (layouts[c].shown)
            layouts[c].width = title_columns(&s->columns[c], &layouts[c]);
    for (uint64_t r = 0; r < rows; r++) {
        get_row(s, r, cells);
        for (int c = 0; c < s->column_count; c++) {
            if (!layouts[c].shown)
                continue;
            int columns = cell_columns(&s->columns[c], &layouts[c], &cells[c]);
            if (columns > layouts[c].width)
                layouts[c].width = columns;
        }
    }
}

static int total_width(const struct sheet *s, const struct layout *layouts)
{
    int sum = -2;
    for (int c = 0; c < s->column_count; c++)
        if (layouts[c].shown)
            sum += layouts[c].width + 2;
    return sum;
}

/* Makes it fit: the longest text column first, then columns from the right go. */
static void fit(const struct sheet *s, struct layout *layouts, int width)
{
    enum { SHORTEST = 24 };
    for (;;) {
        int over = total_width(s, layouts) - width, longest = -1, last = -1;
        if (width <= 0 || over <= 0)
            return;
        for (int c = 0; c < s->column_count; c++) {
            if (!layouts[c].shown)
                continue;
            last = c;
            if (s->columns[c].kind == CELL_TEXT && layouts[c].width > SHORTEST &&
                (longest < 0 || layouts[c].width > layouts[longest].width))
                longest = c;
        }
        if (longest >= 0) {
            int less = layouts[longest].width - over;
            layouts[longest].width = less < SHORTEST ? SHORTEST : less;
        } else if (last > 0) {
            layouts[last].shown = false;
        } else {
            return;
        }
    }
}

static void pad(FILE *out, int count)
{
    for (int i = 0; i < count; i++)
        putc(' ', out);
}

/* Writes the characters of a text whose columns lie in [from, to). */
static void write_part(FILE *out, const char *text, size_t len, int from, int to)
{
    const char *p = text, *end = text + len;
    int x = 0;
    while (p < end) {
        char bytes[4];
        int32_t code;
        p += utf8_decode(p, end, &code);
        uint32_t visible = utf8_visible(code);
        int width = utf8_width(visible);
        size_t n = (size_t)utf8_encode(visible, bytes);
        if (x >= from && x + width <= to)
            fwrite(bytes, 1, n, out);
        else if (x < to && x + width > from)
            pad(out, (x + width < to ? x + width : to) - (x > from ? x : from));
        x += width;
    }
}

/* Left-aligned, shortened in the middle. */
static void text_cell(FILE *out, const struct sheet_cell *cell, int width, bool last)
{
    const char *text = cell->text ? cell->text : cell->null ? "-" : "";
    size_t len = cell->text ? cell->len : strlen(text);
    int columns = (int)utf8_columns(text, len);
    if (columns <= width) {
        write_part(out, text, len, 0, columns);
        if (!last)
            pad(out, width - columns);
        return;
    }
    int tail = (width - 2) / 2, head = width - 2 - tail;
    write_part(out, text, len, 0, head);
    fputs("..", out);
    write_part(out, text, len, columns - tail, columns);
}

static int last_shown(const struct sheet *s, const struct layout *layouts)
{
    int last = 0;
    for (int c = 0; c < s->column_count; c++)
        if (layouts[c].shown)
            last = c;
    return last;
}

static void write_titles(FILE *out, const struct sheet *s, const struct layout *layouts)
{
    int last = last_shown(s, layouts);
    for (int c = 0; c <= last; c++) {
        const struct sheet_column *column = &s->columns[c];
        const struct layout *l = &layouts[c];
        if (!l->shown)
            continue;
        int blank = l->width - title_columns(column, l);
        bool time = column->kind == CELL_NS || column->kind == CELL_PS;
        if (column->kind != CELL_TEXT)
            pad(out, blank);
        fputs(column->title, out);
        if (time)
            fprintf(out, " %s", l->unit);
        if (column->kind == CELL_TEXT && c < last)
            pad(out, blank);
        if (c < last)
            fputs("  ", out);
    }
    putc('\n', out);
}

static void write_row(FILE *out, const struct sheet *s, const struct layout *layouts, uint64_t row)
{
    struct sheet_cell cells[SHEET_COLUMNS];
    char text[CELL_MAX];
    int last = last_shown(s, layouts);
    get_row(s, row, cells);
    for (int c = 0; c <= last; c++) {
        const struct layout *l = &layouts[c];
        if (!l->shown)
            continue;
        if (s->columns[c].kind == CELL_TEXT) {
            text_cell(out, &cells[c], l->width, c == last);
        } else {
            const char *number = number_text(text, &s->columns[c], l, &cells[c]);
            pad(out, l->width - (int)strlen(number));
            fputs(number, out);
        }
        if (c < last)
            fputs("  ", out);
    }
    putc('\n', out);
}

void sheet_text(FILE *out, const struct sheet *sheet, int width, uint64_t rows)
{
    struct layout layouts[SHEET_COLUMNS] = {0};
    uint64_t data = data_rows(sheet), shown = rows && rows < data ? rows : data;
    choose_units(sheet, sheet->row_count, layouts);
    measure(sheet, sheet->row_count, layouts);
    fit(sheet, layouts, width);
    write_titles(out, sheet, layouts);
    for (uint64_t r = 0; r < shown && !ferror(out); r++)
        write_row(out, sheet, layouts, r);
    if (shown < data)
        fprintf(out, "... and %" PRIu64 " more (-n %" PRIu64 " shows all)\n", data - shown, data);
    if (sheet->total && sheet->row_count > 0)
        write_row(out, sheet, layouts, sheet->row_count - 1);
}
