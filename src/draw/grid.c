#include "draw/grid.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"

void grid_resize(struct grid *g, int cols, int rows)
{
    g->cells = xreallocarray(g->cells, (size_t)cols * (size_t)rows + 1, sizeof *g->cells);
    g->cols = cols;
    g->rows = rows;
    grid_clear(g);
}

void grid_free(struct grid *g)
{
    free(g->cells);
    *g = (struct grid){0};
}

void grid_clear(struct grid *g)
{
    size_t count = (size_t)g->cols * (size_t)g->rows;
    for (size_t i = 0; i < count; i++)
        g->cells[i] = (struct cell){.code = ' '};
    g->cursor_x = g->cursor_y = -1;
}

static struct cell *cell_at(struct grid *g, int x, int y)
{
    if (x < 0 || y < 0 || x >= g->cols || y >= g->rows)
        return NULL;
    return &g->cells[(size_t)y * (size_t)g->cols + (size_t)x];
}

/* A cell is overwritten: the other half of a wide character there goes too. */
static void break_wide(struct grid *g, int x, int y)
{
    struct cell *c = cell_at(g, x, y), *other;
    if (c && c->code == CELL_CONTINUED && (other = cell_at(g, x - 1, y)) != NULL)
        other->code = ' ';
    other = cell_at(g, x + 1, y);
    if (other && other->code == CELL_CONTINUED)
        other->code = ' ';
}

static void set_cell(struct grid *g, int x, int y, uint32_t code, struct style style)
{
    struct cell *c = cell_at(g, x, y);
    if (!c)
        return;
    break_wide(g, x, y);
    *c = (struct cell){code, style.role, style.color, style.flags, 0};
}

void grid_put(struct grid *g, int x, int y, uint32_t code, struct style style)
{
    if (code < 0x20 || (code >= 0x7f && code < 0xa0))
        code = utf8_visible((int32_t)code);
    int width = utf8_width(code);
    bool stands_for = g->ascii && code > 0x7e;
    if (stands_for)
        code = '?';
    if (width == 2 && x + 1 >= g->cols) {
        code = stands_for ? code : ' ';
        width = 1;
    }
    set_cell(g, x, y, code, style);
    if (width == 2)
        set_cell(g, x + 1, y, stands_for ? ' ' : CELL_CONTINUED, style);
}

/* Draws the characters whose columns lie in [from, to) of the text at x. */
static int draw_part(struct grid *g, int x, int y, int from, int to, const char *text, size_t len,
                     struct style style)
{
    const char *p = text, *end = text + len;
    int at = 0;
    while (p < end && at < to) {
        int32_t code;
        p += utf8_decode(p, end, &code);
        uint32_t visible = utf8_visible(code);
        int width = utf8_width(visible);
        if (width == 0)
            continue;
        if (at >= from && at + width <= to)
            grid_put(g, x + at - from, y, visible, style);
        else if (at + width > from)
            for (int i = at < from ? from : at; i < at + width && i < to; i++)
                grid_put(g, x + i - from, y, ' ', style);
        at += width;
    }
    return (at < to ? at : to) - from;
}

int grid_text(struct grid *g, int x, int y, int width, const char *text, size_t len,
              struct style style)
{
    return width > 0 ? draw_part(g, x, y, 0, width, text, len, style) : 0;
}

int grid_text_middle(struct grid *g, int x, int y, int width, const char *text, size_t len,
                     struct style style)
{
    if (width <= 0)
        return 0;
    /* Nothing longer than the screen is measured: names may have megabytes. */
    enum { LONGEST = 1 << 16 };
    if (len > LONGEST)
        len = LONGEST;
    int columns = (int)utf8_columns(text, len);
    if (columns <= width)
        return draw_part(g, x, y, 0, columns, text, len, style);
    if (width < 6)
        return draw_part(g, x, y, 0, width, text, len, style);
    int tail = (width - 1) / 2, head = width - 1 - tail;
    draw_part(g, x, y, 0, head, text, len, style);
    grid_put(g, x + head, y, g->ascii ? '~' : 0x2026, style);
    draw_part(g, x + head + 1, y, columns - tail, columns, text, len, style);
    return width;
}

int grid_printf(struct grid *g, int x, int y, int width, struct style style, const char *format,
                ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (len < 0)
        return 0;
    return grid_text(g, x, y, width, text, strlen(text), style);
}

void grid_fill(struct grid *g, int x, int y, int width, struct style style)
{
    for (int i = 0; i < width; i++)
        set_cell(g, x + i, y, ' ', style);
}

static uint32_t text_code(const struct grid *g, const struct cell *c)
{
    if (c->role != STYLE_BAR || c->code != ' ')
        return c->code;
    if (c->flags & CELL_DIM)
        return g->ascii ? '=' : 0x2592;
    return g->ascii ? '#' : 0x2588;
}

void grid_to_text(const struct grid *g, struct text *out)
{
    for (int y = 0; y < g->rows; y++) {
        const struct cell *row = &g->cells[(size_t)y * (size_t)g->cols];
        int end = g->cols;
        while (end > 0 && text_code(g, &row[end - 1]) == ' ')
            end--;
        for (int x = 0; x < end; x++) {
            char bytes[4];
            uint32_t code = text_code(g, &row[x]);
            if (code != CELL_CONTINUED)
                text_add(out, bytes, (size_t)utf8_encode(code, bytes));
        }
        text_putc(out, '\n');
    }
}
