#include "view/table.h"

#include <inttypes.h>
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
    for (int c = 0; c < TABLE_COLUMNS; c++) {
        table->column_x[c] = table->column_end[c] = -1;
        table->divisor[c] = 1;
        table->unit[c] = "ns";
    }
    return table;
}

static void free_flags(struct table *table)
{
    free(table->names);
    free(table->matches);
    free(table->categories_off);
    table->names = table->matches = table->categories_off = NULL;
}

static void free_state(struct table *table)
{
    if (table->state)
        table->model->free(table);
    table->state = NULL;
}

void table_free(struct table *table)
{
    if (!table)
        return;
    free_state(table);
    free_flags(table);
    free(table);
}

/* ------------------------------------------------------------------------ */
/* What it is about */

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

static bool same_filter(const struct table *table, const struct table_context *c)
{
    return table->context.by == c->by && table->context.family == c->family &&
           same_flags(table->names, c->names, intern_count(c->t->names)) &&
           same_flags(table->categories_off, c->categories_off, c->t->category_count);
}

static bool same_search(const struct table *table, const struct table_context *c)
{
    return !table->model->wants_matches ||
           same_flags(table->matches, c->matches, intern_count(c->t->names));
}

static bool same_place(const struct table *table, const struct table_context *c)
{
    const struct table_context *old = &table->context;
    if (table->model->wants_scope && (old->from_ns != c->from_ns || old->to_ns != c->to_ns))
        return false;
    return !table->model->wants_slice || old->slice == c->slice;
}

static void take_context(struct table *table, const struct table_context *c)
{
    size_t names = intern_count(c->t->names);
    free_flags(table);
    table->names = copy_flags(c->names, names);
    table->matches = copy_flags(c->matches, names);
    table->categories_off = copy_flags(c->categories_off, c->t->category_count);
    table->context = *c;
    table->context.names = table->names;
    table->context.matches = table->matches;
    table->context.categories_off = table->categories_off;
}

/* The cursor stays with its row, where somebody put it there. */
static void follow_cursor(struct table *table)
{
    if (table->following || !table->model->key || table->cursor >= table_rows(table))
        return;
    table->following = table->cursor > 0 || table->entering;
    table->follow = table->model->key(table, table->cursor);
}

void table_update(struct table *table, const struct table_context *c)
{
    const struct table_context *old = &table->context;
    bool same_trace = table->ready && old->t == c->t && old->ix == c->ix &&
                      old->iterations == c->iterations && old->launches == c->launches;
    if (same_trace && old->ascii == c->ascii && same_filter(table, c) && same_search(table, c) &&
        same_place(table, c)) {
        table->context.slice = c->slice;
        return;
    }
    if (!same_trace) { /* the old rows may speak of a trace that is gone */
        free_state(table);
        table->stale = false;
    }
    if (!same_trace || !same_search(table, c) || table->model->wants_slice) {
        table->cursor = table->top = 0;
        table->following = table->entering = false;
    }
    /* Enter goes on through the instances it began with, also when going to one of
     * them has moved the window. */
    if (!table->ready || !same_filter(table, c) || c->slice != table->entered_slice)
        table->entering = false;
    follow_cursor(table);
    take_context(table, c);
    table->ready = true;
    table->model->start(table);
    table->pending = true;
    table->aside = false;
    /* One slice is quickly told, and keys typed ahead want to scroll in it. */
    if (table->model->wants_slice)
        table_work(table);
}

bool *table_labels(const struct table *table)
{
    const struct table_context *c = &table->context;
    bool *labels = xmalloc((size_t)c->t->label_count + 1);
    for (uint32_t i = 0; i < c->t->label_count; i++) {
        const struct label *label = &c->t->labels[i];
        labels[i] = !(c->names && !c->names[label->name]) &&
                    !(c->categories_off && c->categories_off[label->category]);
    }
    return labels;
}

uint32_t table_scan_next(struct table_scan *scan, const struct table_context *c, int64_t from_ns,
                         int64_t to_ns)
{
    for (; scan->track < c->t->track_count; scan->track++, scan->begun = false) {
        const struct track *track = &c->t->tracks[scan->track];
        if (track->count == 0)
            continue;
        if (!scan->begun) {
            scan->begun = true;
            scan->slice = track->first;
            scan->inside = index_start_at(c->ix, scan->track, from_ns);
            scan->end = to_ns == INT64_MAX ? track->first + track->count
                                           : index_start_at(c->ix, scan->track, to_ns);
        }
        if (scan->slice < scan->inside) {
            uint32_t slice = index_overlap(c->ix, scan->track, scan->slice, from_ns, to_ns);
            scan->slice = slice < scan->inside ? slice : scan->inside;
        }
        if (scan->slice < scan->end)
            return scan->slice++;
    }
    return TRACE_NONE;
}

/* ------------------------------------------------------------------------ */
/* Work, units */

/* Text as `value` is shown in the column. */
static const char *value_text(const struct table *table, int c, int64_t value,
                              char out[DURATION_TEXT + 8])
{
    const struct table_column *column = &table->model->columns[c];
    char number[DURATION_TEXT];
    if (column->kind == COLUMN_COUNT) {
        snprintf(out, DURATION_TEXT + 8, "%" PRId64, value);
        return out;
    }
    /* To the microsecond at least: next to what takes seconds the rest shows, too. */
    int decimals = table->divisor[c] == 1 ? 0 : table->divisor[c] == 1000000000 ? 6 : 3;
    snprintf(out, DURATION_TEXT + 8, "%s %s",
             duration_in(number, value, table->divisor[c], decimals), table->unit[c]);
    return out;
}

/* Chooses the unit of every column by its largest value, and its width. */
static void measure(struct table *table)
{
    const struct table_model *m = table->model;
    uint32_t rows = table_rows(table);
    char text[DURATION_TEXT + 8];
    for (int c = 0; c < m->column_count; c++) {
        int64_t largest = 0, smallest = 0;
        if (m->columns[c].kind < COLUMN_COUNT)
            continue;
        for (uint32_t i = 0; i < rows; i++) {
            int64_t value = m->value(table, i, c);
            if (value == TABLE_NO_VALUE)
                continue;
            largest = value > largest ? value : largest;
            smallest = value < smallest ? value : smallest;
        }
        int64_t widest = smallest < -largest ? -(smallest + 1) : largest;
        table->divisor[c] = duration_unit(widest, &table->unit[c]);
        size_t low = strlen(value_text(table, c, smallest, text));
        size_t high = strlen(value_text(table, c, largest, text));
        table->needed[c] = (int)(low > high ? low : high);
    }
}

/* The rows are others now: the cursor goes to where its row is. */
static void take_rows(struct table *table)
{
    uint32_t rows = table_rows(table);
    table->published = false;
    measure(table);
    for (uint32_t i = 0; table->following && i < rows; i++) {
        if (table->model->key(table, i) != table->follow)
            continue;
        uint32_t below = table->cursor > table->top ? table->cursor - table->top : 0;
        table->cursor = i;
        table->top = i > below ? i - below : 0; /* on the same line of the screen */
        break;
    }
    if (!table->pending)
        table->following = false;
    if (table->cursor >= rows)
        table->cursor = rows ? rows - 1 : 0;
}

bool table_work(struct table *table)
{
    if (!table->pending)
        return false;
    table->pending = table->model->work(table);
    table->stale = table->pending && !table->aside;
    if (table->published || !table->pending)
        take_rows(table);
    return table->pending;
}

bool table_pending(const struct table *table)
{
    return table->pending;
}

uint32_t table_rows(const struct table *table)
{
    return table->state ? table->model->rows(table) : 0;
}

/* ------------------------------------------------------------------------ */
/* Cursor, order, Enter */

uint32_t table_cursor(const struct table *table)
{
    return table->cursor;
}

void table_move(struct table *table, int64_t rows)
{
    int64_t row = ns_add(table->cursor, rows);
    table_move_to(table, row < 0 ? 0 : row > UINT32_MAX ? UINT32_MAX : (uint32_t)row);
}

void table_move_to(struct table *table, uint32_t row)
{
    uint32_t rows = table_rows(table);
    row = row < rows ? row : rows ? rows - 1 : 0;
    if (row != table->cursor)
        table->following = table->entering = false;
    table->cursor = row;
}

static void sort_again(struct table *table)
{
    table->cursor = table->top = 0;
    table->following = table->entering = false;
    if (table->state && table->model->sort)
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
        if (table->column_x[c] < 0 || x < table->column_x[c] || x >= table->column_end[c] ||
            !table->model->columns[c].sortable)
            continue;
        table->reverse = table->sort_column == c && !table->reverse;
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
    uint64_t key = table->model->key(table, table->cursor);
    if (!table->entering || table->entered_key != key)
        table->entered = 0;
    table->entering = true;
    table->entered_key = key;
    struct table_target target = table->model->enter(table, table->cursor, table->entered++);
    table->entered_slice = target.slice;
    return target;
}

void table_put_name(struct text *out, const struct trace *t, uint32_t slice)
{
    size_t len;
    const char *name = trace_name(t, slice, &len);
    if (len)
        text_add(out, name, len);
    else
        text_puts(out, "(no name)");
}

/* ------------------------------------------------------------------------ */
/* Drawing */

static int column_need(const struct table *table, int c)
{
    int width = table->model->columns[c].width;
    return table->needed[c] > width ? table->needed[c] : width;
}

enum { LONGER_NAMES = 8, WIDE = 120, PRIORITIES = 20 };

/* Which columns fit, most important first; the one that is sorted by among them.
 * Returns what is left; *all: none is missing that should be there. */
static int choose_columns(const struct table *table, int cols, int gap, bool *shown, bool *all)
{
    const struct table_model *m = table->model;
    int used = -gap;
    memset(shown, 0, TABLE_COLUMNS * sizeof *shown);
    *all = true;
    for (int priority = 0; priority <= PRIORITIES; priority++) {
        for (int c = 0; c < m->column_count; c++) {
            int own = m->columns[c].priority;
            if (own > 0) /* the sorted one first */
                own = c == table->sort_column ? 1 : own + 1;
            int need = column_need(table, c) + gap;
            bool must = own <= TABLE_MUST + 1 || cols >= WIDE;
            if (own != priority)
                continue;
            shown[c] = priority == 0 || used + need + (must ? 0 : LONGER_NAMES) <= cols;
            *all &= shown[c] || !must;
            used += shown[c] ? need : 0;
        }
    }
    return cols - used;
}

static void place_columns(struct table *table, int x, int cols)
{
    const struct table_model *m = table->model;
    bool shown[TABLE_COLUMNS], all;
    int gap = 2, growing = 0, at = x;
    int left = choose_columns(table, cols, gap, shown, &all);
    if (!all || (cols >= WIDE && left < 2 * LONGER_NAMES)) /* closer, so that more can be read */
        left = choose_columns(table, cols, gap = 1, shown, &all);
    for (int c = 0; c < m->column_count; c++)
        growing += shown[c] && m->columns[c].grows;
    for (int c = 0; c < m->column_count; c++) {
        if (!shown[c] || at >= x + cols)
            continue;
        int width = column_need(table, c);
        if (m->columns[c].grows && left > 0) {
            int more = left / growing--;
            left -= more;
            width += more;
        }
        if (width > x + cols - at)
            width = x + cols - at;
        table->column_x[c] = at;
        table->column_end[c] = at + width;
        at += width + gap;
    }
}

static void put_title(const struct table *table, int c, bool ascii, struct text *out)
{
    const struct table_column *column = &table->model->columns[c];
    bool up = column->ascending != table->reverse;
    text_puts(out, column->title);
    if (c == table->sort_column && table->model->sort)
        text_puts(out, ascii ? (up ? "^" : "v") : (up ? "\xe2\x96\xb4" : "\xe2\x96\xbe"));
}

/* "… (computing 37 %)" behind the title of the names, as far as there is room. */
static void put_progress(const struct table *table, int room, bool ascii, struct text *out)
{
    enum { LONG_FORM = 21 };
    int percent = table->model->progress ? (int)(table->model->progress(table) * 100) : 0;
    text_printf(out, room > LONG_FORM ? " %s (computing %d %%)" : " %s %d %%",
                ascii ? "..." : "\xe2\x80\xa6", percent);
}

static void draw_head(const struct table *table, struct grid *g, int x, int y, int cols)
{
    const struct table_model *m = table->model;
    struct style style = {STYLE_HEADING, 0, 0};
    struct text title = {0};
    bool told = !table->stale;
    grid_fill(g, x, y, cols, style);
    for (int c = 0; c < m->column_count; c++) {
        int at = table->column_x[c], width = table->column_end[c] - at;
        if (at < 0)
            continue;
        text_clear(&title);
        put_title(table, c, g->ascii, &title);
        int columns = (int)utf8_columns(title.data, title.len);
        if (m->columns[c].grows && !told) {
            put_progress(table, width - columns, g->ascii, &title);
            told = true;
        }
        if (m->columns[c].kind != COLUMN_TEXT && columns < width)
            at += width - columns;
        grid_text(g, at, y, table->column_end[c] - at, title.data, title.len, style);
    }
    text_free(&title);
}

static void draw_cell(struct table *table, struct grid *g, int y, uint32_t row, int c,
                      struct style style, struct text *cell)
{
    const struct table_column *column = &table->model->columns[c];
    int flags = 0, at = table->column_x[c], width = table->column_end[c] - at;
    char value[DURATION_TEXT + 8];
    text_clear(cell);
    table->model->cell(table, row, c, cell, &flags);
    if (column->kind >= COLUMN_COUNT) {
        int64_t number = table->model->value(table, row, c);
        if (number != TABLE_NO_VALUE)
            text_puts(cell, value_text(table, c, number, value));
    }
    style.flags = (uint8_t)(style.flags | flags);
    if (!cell->len)
        return;
    if (column->kind == COLUMN_TEXT && table->model->has_head) {
        grid_text_middle(g, at, y, width, cell->data, cell->len, style);
    } else if (column->kind == COLUMN_TEXT) {
        grid_text(g, at, y, width, cell->data, cell->len, style);
    } else {
        int columns = (int)utf8_columns(cell->data, cell->len);
        at += columns < width ? width - columns : 0;
        grid_text(g, at, y, table->column_end[c] - at, cell->data, cell->len, style);
    }
}

static void draw_row(struct table *table, struct grid *g, int x, int y, int cols, uint32_t row,
                     bool active, struct text *cell)
{
    struct style style = {STYLE_NORMAL, 0, 0};
    if (table->model->has_head && row == table->cursor) {
        style.role = active ? STYLE_ROW_SELECTED : STYLE_NORMAL;
        style.flags = active ? 0 : CELL_BOLD;
    }
    if (table->stale)
        style.flags |= CELL_DIM;
    grid_fill(g, x, y, cols, style);
    for (int c = 0; c < table->model->column_count; c++)
        if (table->column_x[c] >= 0)
            draw_cell(table, g, y, row, c, style, cell);
}

static void draw_empty(const struct table *table, struct grid *g, int x, int y, int cols)
{
    static const char *const nothing[TABLE_COUNT] = {
        "no kernels here", "no operators here",          "no iterations in this trace",
        "no idle gaps",    "no slice is selected (. ,)", "no search yet: / begins one",
    };
    const struct table_context *c = &table->context;
    bool filtered = table->ready && (c->names || c->categories_off) && table->kind != TABLE_GAPS &&
                    table->kind != TABLE_EVENT;
    const char *text = nothing[table->kind];
    if (table->pending || !table->ready)
        text = g->ascii ? "computing..." : "computing\xe2\x80\xa6";
    else if (table->kind == TABLE_MATCHES && c->matches)
        text = "no match here";
    grid_printf(g, x + 1, y, cols - 1, (struct style){STYLE_DIM, 0, 0}, "%s%s", text,
                filtered && !table->pending ? " (some names or categories are hidden)" : "");
}

/* Which row is the first to be seen. */
static void scroll(struct table *table, uint32_t body)
{
    uint32_t count = table_rows(table), last = count > body ? count - body : 0;
    if (!table->model->has_head) { /* a text: the cursor is its first line */
        if (table->cursor > last)
            table->cursor = last;
        table->top = table->cursor;
        return;
    }
    if (table->top > last)
        table->top = last;
    if (table->cursor < table->top)
        table->top = table->cursor;
    else if (body > 0 && table->cursor - table->top >= body)
        table->top = table->cursor - body + 1;
}

/* From how many columns on a picture is drawn beside the rows, and how wide. */
enum { WITH_PICTURE = 160, PICTURE = 30 };

void table_draw(struct table *table, struct grid *g, int x, int y, int cols, int rows, bool active)
{
    int head = table->model->has_head ? 1 : 0;
    int body = rows > head ? rows - head : 0;
    struct text cell = {0};
    table->drawn_y = y + head;
    table->drawn_rows = body;
    for (int c = 0; c < TABLE_COLUMNS; c++)
        table->column_x[c] = table->column_end[c] = -1;
    if (rows <= 0 || cols <= 0)
        return;
    if (table->state && table->model->wrap)
        table->model->wrap(table, cols);
    uint32_t count = table_rows(table);
    bool picture = table->model->picture && cols >= WITH_PICTURE && body >= 3 && count > 0;
    int width = picture ? cols - PICTURE - 2 : cols;
    place_columns(table, x, width);
    if (head > 0)
        draw_head(table, g, x, y, cols);
    scroll(table, (uint32_t)body);
    for (int i = 0; i < body; i++) {
        grid_fill(g, x, y + head + i, cols, (struct style){STYLE_NORMAL, 0, 0});
        if (table->top + (uint32_t)i < count)
            draw_row(table, g, x, y + head + i, width, table->top + (uint32_t)i, active, &cell);
    }
    if (picture)
        table->model->picture(table, g, x + cols - PICTURE, y + head, PICTURE, body);
    if (count == 0 && body > 0)
        draw_empty(table, g, x, y + head, cols);
    text_free(&cell);
}

bool table_row_at(const struct table *table, int grid_y, uint32_t *row)
{
    if (grid_y < table->drawn_y || grid_y >= table->drawn_y + table->drawn_rows)
        return false;
    *row = table->top + (uint32_t)(grid_y - table->drawn_y);
    return *row < table_rows(table);
}
