#include "view/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "view/table_model.h"

static const struct table_model *const models[TABLE_COUNT] = {
    &table_kernels_model, &table_ops_model,   &table_iterations_model,
    &table_gaps_model,    &table_event_model, &table_matches_model,
};

const char *table_title(enum table_kind kind)
{
    static const char *const titles[] = {"Kernels", "Ops",   "Iterations",
                                         "Gaps",    "Event", "Matches"};
    return titles[kind];
}

struct table *table_new(enum table_kind kind)
{
    struct table *table = xcalloc(1, sizeof *table);
    table->kind = kind;
    table->model = models[kind];
    table->sort_column = table->model->first_sort;
    table->entered_row = UINT32_MAX;
    return table;
}

static void free_flags(struct table *table)
{
    free(table->names);
    free(table->matches);
    free(table->categories_off);
    table->names = table->matches = table->categories_off = NULL;
}

void table_free(struct table *table)
{
    if (!table)
        return;
    table->model->free(table);
    free_flags(table);
    free(table);
}

static bool *copy_flags(const bool *flags, size_t count)
{
    if (!flags)
        return NULL;
    bool *copy = xmalloc(count + 1);
    memcpy(copy, flags, count);
    return copy;
}

static bool same_flags(const bool *a, const bool *b, size_t count)
{
    return (!a && !b) || (a && b && memcmp(a, b, count) == 0);
}

/* True if a new context asks nothing new of this table. */
static bool same_question(const struct table *table, const struct table_context *c)
{
    const struct table_context *old = &table->context;
    size_t names = intern_count(c->t->names);
    if (!table->ready || old->t != c->t || old->iterations != c->iterations || old->by != c->by ||
        old->family != c->family || old->ascii != c->ascii)
        return false;
    if (table->model->wants_scope && (old->from_ns != c->from_ns || old->to_ns != c->to_ns))
        return false;
    if (table->model->wants_slice && old->slice != c->slice)
        return false;
    return same_flags(table->names, c->names, names) &&
           same_flags(table->matches, c->matches, names) &&
           same_flags(table->categories_off, c->categories_off, c->t->category_count);
}

void table_update(struct table *table, const struct table_context *context)
{
    if (same_question(table, context))
        return;
    bool other_trace = table->context.t != context->t;
    size_t names = intern_count(context->t->names);
    free_flags(table);
    table->names = copy_flags(context->names, names);
    table->matches = copy_flags(context->matches, names);
    table->categories_off = copy_flags(context->categories_off, context->t->category_count);
    table->context = *context;
    table->context.names = table->names;
    table->context.matches = table->matches;
    table->context.categories_off = table->categories_off;
    if (other_trace || table->model->wants_slice)
        table->cursor = table->top = 0;
    table->ready = true;
    table->entered_row = UINT32_MAX;
    table->model->start(table);
    table->pending = true;
    /* One slice is quickly told, and keys typed ahead want to scroll in it. */
    if (table->model->wants_slice)
        table_work(table);
}

bool table_work(struct table *table)
{
    if (!table->pending)
        return false;
    table->pending = table->model->work(table);
    if (!table->pending)
        table_move(table, 0);
    return table->pending;
}

bool table_pending(const struct table *table)
{
    return table->pending;
}

uint32_t table_rows(const struct table *table)
{
    return table->ready ? table->model->rows(table) : 0;
}

uint32_t table_cursor(const struct table *table)
{
    return table->cursor;
}

void table_move(struct table *table, int64_t rows)
{
    int64_t last = (int64_t)table_rows(table) - 1, row = (int64_t)table->cursor + rows;
    if (row > last)
        row = last;
    table->cursor = row < 0 ? 0 : (uint32_t)row;
}

void table_move_to(struct table *table, uint32_t row)
{
    table->cursor = row;
    table_move(table, 0);
}

static void sort_again(struct table *table)
{
    table->cursor = table->top = 0;
    table->entered_row = UINT32_MAX;
    if (table->ready && table->model->sort)
        table->model->sort(table);
}

void table_sort_next(struct table *table)
{
    const struct table_model *m = table->model;
    for (int i = 1; i <= m->column_count && table->sort_column >= 0; i++) {
        int column = (table->sort_column + i) % m->column_count;
        if (m->columns[column].sortable) {
            table->sort_column = column;
            break;
        }
    }
    table->reverse = false;
    sort_again(table);
}

void table_sort_reverse(struct table *table)
{
    table->reverse = !table->reverse;
    sort_again(table);
}

bool table_sort_at(struct table *table, int x)
{
    for (int c = 0; c < table->model->column_count; c++) {
        if (x < table->column_x[c] || x >= table->column_end[c] ||
            !table->model->columns[c].sortable)
            continue;
        if (table->sort_column == c)
            table->reverse = !table->reverse;
        else
            table->reverse = false;
        table->sort_column = c;
        sort_again(table);
        return true;
    }
    return false;
}

const char *table_sort_name(const struct table *table)
{
    return table->sort_column >= 0 ? table->model->columns[table->sort_column].title : "";
}

struct table_target table_enter(struct table *table)
{
    struct table_target none = {.slice = TRACE_NONE};
    if (table->cursor >= table_rows(table) || !table->model->enter)
        return none;
    if (table->entered_row != table->cursor) {
        table->entered_row = table->cursor;
        table->entered = 0;
    }
    return table->model->enter(table, table->cursor, table->entered++);
}

bool table_takes(const struct table *table, uint32_t slice)
{
    const struct table_context *c = &table->context;
    const struct label *label = &c->t->labels[c->t->label[slice]];
    if ((c->names && !c->names[label->name]) ||
        (c->categories_off && c->categories_off[label->category]))
        return false;
    return index_in_window(c->t, slice, c->from_ns, c->to_ns);
}

void table_put_time(struct text *out, int64_t ns)
{
    char text[DURATION_TEXT];
    text_puts(out, duration_text(text, ns));
}

void table_put_name(struct text *out, const struct trace *t, uint32_t slice)
{
    size_t len;
    const char *name = trace_name(t, slice, &len);
    text_add(out, name, len);
}

/* Which columns fit, and where they are: the first one takes what is left. */
static void place_columns(struct table *table, int x, int cols)
{
    const struct table_model *m = table->model;
    bool shown[TABLE_COLUMNS] = {true};
    int used = m->columns[0].width;
    for (int priority = 0; priority <= 20; priority++) {
        for (int c = 1; c < m->column_count; c++) {
            if (m->columns[c].priority != priority || used + m->columns[c].width + 1 > cols)
                continue;
            shown[c] = true;
            used += m->columns[c].width + 1;
        }
    }
    int at = x + m->columns[0].width + (cols > used ? cols - used : 0);
    if (at > x + cols)
        at = x + cols;
    table->column_x[0] = x;
    table->column_end[0] = at;
    for (int c = 1; c < m->column_count; c++) {
        table->column_x[c] = table->column_end[c] = -1;
        if (!shown[c])
            continue;
        table->column_x[c] = at + 1;
        at += m->columns[c].width + 1;
        table->column_end[c] = at;
    }
}

static void draw_head(struct table *table, struct grid *g, int x, int y, int cols)
{
    const struct table_model *m = table->model;
    struct style style = {STYLE_HEADING, 0, 0};
    grid_fill(g, x, y, cols, style);
    for (int c = 0; c < m->column_count; c++) {
        if (table->column_x[c] < 0)
            continue;
        char title[64];
        const char *mark = "";
        if (c == table->sort_column && m->sort)
            mark = g->ascii ? (table->reverse ? "^" : "v")
                            : (table->reverse ? "\xe2\x96\xb4" : "\xe2\x96\xbe");
        snprintf(title, sizeof title, "%s%s", m->columns[c].title, mark);
        int width = table->column_end[c] - table->column_x[c];
        int columns = (int)utf8_columns(title, strlen(title));
        int at = table->column_x[c] + (c > 0 && columns < width ? width - columns : 0);
        grid_text(g, at, y, table->column_end[c] - at, title, strlen(title), style);
    }
}

static void draw_row(struct table *table, struct grid *g, int x, int y, int cols, uint32_t row,
                     bool active)
{
    struct text cell = {0};
    bool cursor = row == table->cursor && table->kind != TABLE_EVENT;
    struct style style = {STYLE_NORMAL, 0, 0};
    if (cursor && active)
        style.role = STYLE_ROW_SELECTED;
    else if (cursor)
        style.flags = CELL_BOLD;
    if (table->pending)
        style.flags |= CELL_DIM;
    grid_fill(g, x, y, cols, style);
    for (int c = 0; c < table->model->column_count; c++) {
        if (table->column_x[c] < 0)
            continue;
        int flags = 0;
        text_clear(&cell);
        table->model->cell(table, row, c, &cell, &flags);
        struct style own = {style.role, style.color, (uint8_t)(style.flags | flags)};
        int width = table->column_end[c] - table->column_x[c], at = table->column_x[c];
        const char *text = cell.len ? cell.data : "";
        if (c > 0) {
            int columns = (int)utf8_columns(text, cell.len);
            at += columns < width ? width - columns : 0;
            grid_text(g, at, y, table->column_end[c] - at, text, cell.len, own);
        } else if (table->kind == TABLE_EVENT) {
            grid_text(g, at, y, width, text, cell.len, own);
        } else {
            grid_text_middle(g, at, y, width, text, cell.len, own);
        }
    }
    text_free(&cell);
}

static void draw_empty(const struct table *table, struct grid *g, int x, int y, int cols)
{
    static const char *const nothing[TABLE_COUNT] = {
        "no kernels here", "no operators here",          "no iterations here",
        "no idle gaps",    "no slice is selected (. ,)", "no search yet: / begins one",
    };
    const char *text = table->pending ? "computing..." : nothing[table->kind];
    grid_text(g, x + 1, y, cols - 1, text, strlen(text), (struct style){STYLE_DIM, 0, 0});
}

void table_draw(struct table *table, struct grid *g, int x, int y, int cols, int rows, bool active)
{
    bool head = table->kind != TABLE_EVENT;
    int body = rows - head;
    if (rows <= 0)
        return;
    place_columns(table, x, cols);
    if (head)
        draw_head(table, g, x, y, cols);
    table->drawn_x = x;
    table->drawn_y = y + head;
    table->drawn_rows = body;
    uint32_t count = table_rows(table);
    if (table->cursor < table->top)
        table->top = table->cursor;
    if (body > 0 && table->cursor >= table->top + (uint32_t)body)
        table->top = table->cursor - (uint32_t)body + 1;
    if (table->kind == TABLE_EVENT) { /* a text: the cursor is its first line */
        table->top = table->cursor;
        if (count > (uint32_t)(body > 0 ? body : 0) && table->top > count - (uint32_t)body)
            table->cursor = table->top = count - (uint32_t)body;
        else if (count <= (uint32_t)(body > 0 ? body : 0))
            table->cursor = table->top = 0;
    }
    if (count == 0 && body > 0)
        draw_empty(table, g, x, y + head, cols);
    for (int i = 0; i < body && table->top + (uint32_t)i < count; i++)
        draw_row(table, g, x, y + head + i, cols, table->top + (uint32_t)i, active);
}

bool table_row_at(const struct table *table, int grid_y, uint32_t *row)
{
    if (grid_y < table->drawn_y || grid_y >= table->drawn_y + table->drawn_rows)
        return false;
    *row = table->top + (uint32_t)(grid_y - table->drawn_y);
    return *row < table_rows(table);
}
