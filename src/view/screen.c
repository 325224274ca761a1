/*
 * The screen: where things are, and what is drawn there.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "draw/axis.h"
#include "view/view.h"

void screen_layout(struct viewer *v)
{
    struct layout *l = &v->layout;
    *l = (struct layout){.title_y = 0, .overview_y = -1, .tabs_y = -1};
    l->too_small = v->cols < 40 || v->rows < 8;
    l->label_width = v->cols / 6;
    l->label_width = l->label_width < 8 ? 8 : l->label_width > 28 ? 28 : l->label_width;
    l->message_y = v->rows - 1;
    int y = 1;
    if (v->cols >= 60 && v->rows >= 16)
        l->overview_y = y++;
    l->status_y = y++;
    l->axis_y = y++;
    l->rows_y = y;
    int left = l->message_y - y;
    /* An event has many lines that belong together, so it gets more. */
    if (v->rows >= 12) {
        l->table_height = left / (v->rows >= 16 && v->table == TABLE_EVENT ? 2 : 3);
        l->tabs_y = l->message_y - l->table_height - 1;
        l->table_y = l->tabs_y + 1;
    }
    l->rows_height = (l->tabs_y >= 0 ? l->tabs_y : l->message_y) - l->rows_y;
}

struct scale screen_scale(const struct viewer *v)
{
    int cols = v->cols - v->layout.label_width;
    return (struct scale){v->from_ns, v->to_ns, v->layout.label_width, cols > 1 ? cols : 1};
}

static struct style style(enum style_role role)
{
    return (struct style){(uint8_t)role, 0, 0};
}

static const char *count_text(uint64_t count, char out[32])
{
    if (count >= 10000000)
        snprintf(out, 32, "%.1f M", (double)count / 1e6);
    else if (count >= 1000000)
        snprintf(out, 32, "%.2f M", (double)count / 1e6);
    else
        snprintf(out, 32, "%" PRIu64, count);
    return out;
}

static unsigned warning_kinds(const struct trace *t)
{
    unsigned count = 0;
    for (int kind = 0; kind < DAMAGE_KIND_COUNT; kind++)
        count += t->damage.counts[kind] > 0;
    return count;
}

/* Draws an item of a line unless it would be cut: nothing is shown in part. Returns the
 * column behind it, or `end` (nothing more fits) if it was left out. */
static int put_item(struct grid *g, int x, int y, int end, const char *text, struct style st)
{
    if (x >= end || (int)utf8_columns(text, strlen(text)) > end - x)
        return end;
    return x + grid_text(g, x, y, end - x, text, strlen(text), st);
}

static void draw_title(struct viewer *v, struct grid *g)
{
    char fact[64], count[32], span[DURATION_TEXT], right[64] = "? help";
    int y = v->layout.title_y;
    struct style st = style(STYLE_TITLE);
    grid_fill(g, 0, y, v->cols, st);
    unsigned kinds = warning_kinds(v->t);
    if (kinds)
        snprintf(right, sizeof right, "%u warning%s (!)   ? help", kinds, kinds == 1 ? "" : "s");
    int end = v->cols - (int)strlen(right) - 2;
    grid_text(g, end + 1, y, v->cols - end - 2, right, strlen(right),
              style(kinds ? STYLE_WARNING : STYLE_TITLE));
    /* The name matters more than the numbers. */
    int room = end - 1 < 40 ? end - 1 : (end - 1) / 2;
    int x = 1 + grid_text_middle(g, 1, y, room, v->title, strlen(v->title), st);
    snprintf(fact, sizeof fact, "  %s events", count_text(v->t->event_count, count));
    x = put_item(g, x, y, end, fact, st);
    snprintf(fact, sizeof fact, "  %u track%s", v->t->track_count,
             v->t->track_count == 1 ? "" : "s");
    x = put_item(g, x, y, end, fact, st);
    snprintf(fact, sizeof fact, "  %s",
             duration_text(span, ns_sub(v->t->last_end_ns, v->t->first_start_ns)));
    put_item(g, x, y, end, fact, st);
}

/* How busy the devices were in a part of the trace, 0 to 1; without devices the hosts. */
static double overview_share(const struct viewer *v, int64_t from, int64_t to)
{
    double sum = 0, share;
    int devices = 0;
    for (uint32_t p = 0; p < v->t->process_count; p++) {
        if (!busy_share(v, p, from, to, &share))
            continue;
        sum += share;
        devices++;
    }
    if (devices > 0 || to <= from)
        return devices > 0 ? sum / devices : 0;
    for (uint32_t k = 0; k < v->t->track_count; k++) {
        if (v->t->tracks[k].kind != TRACK_HOST || v->t->tracks[k].count == 0)
            continue;
        share = (double)index_lane_busy(v->ix, k, 0, from, to) / (double)(to - from);
        sum = share > sum ? share : sum;
    }
    return sum;
}

static uint8_t overview_column(const struct viewer *v, int column)
{
    struct scale s = {v->prepared->first_ns, v->prepared->end_ns, 0, v->overview_cols};
    double share = overview_share(v, scale_time(&s, column), scale_time(&s, column + 1));
    int eighths = (int)(share * 8 + 0.5);
    return (uint8_t)(eighths > 8 ? 8 : eighths == 0 && share > 0 ? 1 : eighths);
}

bool screen_work(struct viewer *v)
{
    enum { PIECE = 16 };
    if (v->layout.overview_y < 0 || v->overview_done == v->cols)
        return false;
    if (v->overview_cols != v->cols) {
        v->overview = xrealloc(v->overview, (size_t)v->cols + 1);
        memset(v->overview, 0, (size_t)v->cols + 1);
        v->overview_cols = v->cols;
        v->overview_done = 0;
    }
    for (int i = 0; i < PIECE && v->overview_done < v->cols; i++, v->overview_done++)
        v->overview[v->overview_done] = overview_column(v, v->overview_done);
    return v->overview_done < v->cols;
}

static void draw_overview(struct viewer *v, struct grid *g)
{
    static const char ascii[] = " .:-=+*##";
    int y = v->layout.overview_y;
    struct scale s = {v->prepared->first_ns, v->prepared->end_ns, 0, v->cols};
    int64_t first = scale_column(&s, v->from_ns), last = scale_column(&s, v->to_ns - 1);
    for (int x = 0; x < v->cols; x++) {
        int eighths = v->overview_cols == v->cols && x < v->overview_done ? v->overview[x] : 0;
        bool inside = x >= first && x <= last;
        struct style st = style(inside ? STYLE_WINDOW_MARK : STYLE_OVERVIEW);
        uint32_t code = g->ascii      ? (uint32_t)ascii[eighths]
                        : eighths > 0 ? (uint32_t)(0x2580 + eighths)
                                      : ' ';
        grid_put(g, x, y, code, st);
    }
    /* The window is marked by more than colour. */
    struct style mark = {STYLE_WINDOW_MARK, 0, CELL_BOLD};
    if (first >= 0 && first < v->cols && (first > 0 || last < v->cols - 1)) {
        grid_put(g, (int)first, y, '[', mark);
        if (last > first && last < v->cols)
            grid_put(g, (int)last, y, ']', mark);
    }
}

/* "ProfilerStep#3  4/10": the iteration at the cursor. */
static int draw_iteration(struct viewer *v, struct grid *g, int x, int y)
{
    if (!v->links_ready || v->iterations->count == 0)
        return x;
    uint32_t at = iterations_at(v->iterations, v->family, v->cursor_ns);
    if (at == TRACE_NONE)
        return x;
    const struct iteration *it = &v->iterations->items[at];
    uint32_t number = 0, total = 0;
    for (uint32_t i = 0; i < v->iterations->count && i < 100000; i++) {
        total += v->iterations->items[i].family == it->family;
        number += i <= at && v->iterations->items[i].family == it->family;
    }
    size_t len;
    const char *name = trace_name(v->t, it->slice, &len);
    x += grid_text_middle(g, x, y, v->cols < 80 ? 14 : 24, name, len,
                          (struct style){STYLE_STATUS, 0, CELL_BOLD});
    return x + grid_printf(g, x, y, v->cols - x, style(STYLE_STATUS), "  %u/%u  ", number, total);
}

/* The selected slice where the cursor is at it, else the one on the cursor's line. */
static uint32_t under_cursor(const struct viewer *v)
{
    if (v->slice != TRACE_NONE && v->t->start_ns[v->slice] <= v->cursor_ns &&
        v->cursor_ns <= trace_end_ns(v->t, v->slice))
        return v->slice;
    return jump_slice_at_cursor(v);
}

static void draw_status(struct viewer *v, struct grid *g)
{
    char item[3 * TIME_TEXT], from[TIME_TEXT], to[TIME_TEXT], span[DURATION_TEXT];
    int y = v->layout.status_y, end = v->cols;
    struct style st = style(STYLE_STATUS);
    grid_fill(g, 0, y, v->cols, st);
    int x = draw_iteration(v, g, 1, y);
    snprintf(item, sizeof item, "%s %s %s", time_text(v, v->from_ns, from),
             g->ascii ? ".." : "\xe2\x80\xa6", time_text(v, v->to_ns, to));
    x = put_item(g, x, y, end, item, st);
    snprintf(item, sizeof item, "  (%s)", duration_text(span, v->to_ns - v->from_ns));
    x = put_item(g, x, y, end, item, st);
    snprintf(item, sizeof item, "   cursor %s", time_text(v, v->cursor_ns, from));
    x = put_item(g, x, y, end, item, st);
    const struct async_span *async = rows_async_at_cursor(v);
    uint32_t slice = under_cursor(v);
    size_t len;
    const char *name;
    if (async)
        name = intern_text(v->t->names, v->t->labels[async->label].name, &len);
    else if (slice != TRACE_NONE)
        name = trace_name(v->t, slice, &len);
    else
        return;
    duration_text(span, async ? async->dur_ns : v->t->dur_ns[slice]);
    int room = end - x - 2 - (int)strlen(span) - 1;
    if (room < 8)
        return;
    name = bar_name(name, len, room, &len);
    x += 2;
    x += grid_text_middle(g, x, y, room, name, len, (struct style){STYLE_STATUS, 0, CELL_BOLD});
    grid_printf(g, x, y, end - x, st, " %s", span);
}

/* Columns of the whole timeline: cursor, marks, range. */
static void draw_columns(struct viewer *v, struct grid *g)
{
    struct scale s = screen_scale(v);
    int64_t from = v->range_from, to = v->range_to;
    if (v->ranging) {
        from = v->range_from < v->cursor_ns ? v->range_from : v->cursor_ns;
        to = v->range_from < v->cursor_ns ? v->cursor_ns : v->range_from;
    }
    for (int i = 0; i < MARKS; i++) {
        if (!v->marked[i] || v->marks[i] < v->from_ns || v->marks[i] >= v->to_ns)
            continue;
        int x = s.x0 + (int)scale_column(&s, v->marks[i]);
        grid_put(g, x, v->layout.axis_y, (uint32_t)('a' + i), style(STYLE_MARK));
    }
    if (v->ranging || v->has_range) {
        int first = (int)scale_column(&s, from < s.from_ns ? s.from_ns : from);
        int last = (int)scale_column(&s, to > s.to_ns ? s.to_ns : to);
        for (int x = first; x <= last && x < s.cols; x++) {
            if (from > s.to_ns || to < s.from_ns)
                break;
            struct cell *c =
                &g->cells[(size_t)v->layout.axis_y * (size_t)g->cols + (size_t)(s.x0 + x)];
            c->role = STYLE_WINDOW_MARK;
            c->flags |= CELL_REVERSE;
        }
    }
    int x = s.x0 + (int)scale_column(&s, v->cursor_ns);
    if (x >= s.x0 && x < v->cols) {
        for (int i = -1; i < v->layout.rows_height; i++) {
            struct cell *c =
                &g->cells[(size_t)(v->layout.rows_y + i) * (size_t)g->cols + (size_t)x];
            if (c->code == ' ' && c->role == STYLE_NORMAL)
                c->code = g->ascii ? ':' : 0x2506;
            if (c->role == STYLE_NORMAL || c->role == STYLE_AXIS)
                c->role = STYLE_CURSOR;
        }
    }
}

int screen_tab_width(enum table_kind kind)
{
    return (int)strlen(table_title(kind)) + 4;
}

static void draw_tabs(struct viewer *v, struct grid *g)
{
    static const char *const scopes[] = {"window", "iteration", "trace"};
    int y = v->layout.tabs_y, x = 1;
    grid_fill(g, 0, y, v->cols, style(STYLE_TAB));
    for (int k = 0; k < TABLE_COUNT; k++) {
        bool active = k == (int)v->table;
        struct style st = {(uint8_t)(active ? STYLE_TAB_ACTIVE : STYLE_TAB), 0,
                           (uint8_t)(active && v->pane == PANE_TABLE ? CELL_BOLD : 0)};
        char tab[32];
        snprintf(tab, sizeof tab, active ? "[%d %s]" : " %d %s ", k + 1,
                 table_title((enum table_kind)k));
        x = put_item(g, x, y, v->cols, tab, st);
    }
    const struct table *table = v->tables[v->table];
    char text[96];
    const char *sort = table_sort_name(table);
    int len = snprintf(text, sizeof text, "%s%s%s%s ", v->has_range ? "range" : scopes[v->scope],
                       *sort ? ", by " : "", sort, table_pending(table) ? ", computing" : "");
    if (x + len < v->cols)
        grid_text(g, v->cols - len, y, len, text, (size_t)len, style(STYLE_TAB));
}

static const char *const prompt_labels[PROMPT_KINDS] = {"", "/", "\\", ":", "export to: ", ""};

/* So that nobody misses what he switched off. */
static int draw_categories_off(const struct viewer *v, struct grid *g, int x, int y)
{
    uint32_t off = 0;
    for (uint32_t i = 0; i < v->t->category_count; i++)
        off += v->categories_off[i];
    if (off > 0)
        x += 3 + grid_printf(g, x, y, v->cols - x, style(STYLE_WARNING), "%u %s off (C)", off,
                             off == 1 ? "category" : "categories");
    return x;
}

static void draw_message(struct viewer *v, struct grid *g)
{
    int y = v->layout.message_y;
    if (v->prompt.kind != PROMPT_NONE && v->prompt.kind != PROMPT_CONFIRM) {
        prompt_draw(&v->prompt, g, y, prompt_labels[v->prompt.kind]);
        return;
    }
    grid_fill(g, 0, y, v->cols, style(STYLE_NORMAL));
    if (*v->message) {
        grid_text(g, 1, y, v->cols - 1, v->message, strlen(v->message),
                  style(v->message_is_error ? STYLE_ERROR : STYLE_NORMAL));
        return;
    }
    int x = 1;
    if (v->search) {
        x += grid_text(g, x, y, 1, "/", 1, style(STYLE_DIM));
        x += grid_text_middle(g, x, y, 30, v->search, strlen(v->search), style(STYLE_DIM));
        if (v->match_counted)
            x += grid_printf(g, x, y, v->cols - x, style(STYLE_DIM), "  %u of %u",
                             v->slice == TRACE_NONE ? 0 : v->match_before + 1, v->match_total);
        x += 3;
    }
    if (v->filter) {
        x += grid_text(g, x, y, 7, "filter ", 7, style(STYLE_WARNING));
        x += 2 + grid_text_middle(g, x, y, 30, v->filter, strlen(v->filter), style(STYLE_WARNING));
    }
    if (v->categories_off)
        x = draw_categories_off(v, g, x, y);
    static const char *const hints[] = {"? help",       "   q quit",   "   ] [ iterations",
                                        "   / search",  "   + - zoom", "   e unfold",
                                        "   Tab table", "   x export"};
    for (size_t i = 0; x < v->cols && !v->search && !v->filter && i < sizeof hints / sizeof *hints;
         i++)
        x = put_item(g, x, y, v->cols, hints[i], style(STYLE_DIM));
}

static void draw_loading(struct viewer *v, struct grid *g)
{
    const struct load_progress *p = &v->progress;
    int y = v->rows / 2 - 1, width = v->cols - 8;
    char count[32];
    grid_text_middle(g, 4, y - 2, width, v->title, strlen(v->title),
                     (struct style){STYLE_TITLE, 0, CELL_BOLD});
    double share = p->bytes_total ? (double)p->bytes_done / (double)p->bytes_total : 0;
    int full = (int)(share * width);
    for (int x = 0; p->bytes_total && x < width; x++)
        grid_put(g, 4 + x, y, x < full ? (g->ascii ? '#' : 0x2588) : (g->ascii ? '.' : 0x2591),
                 style(STYLE_OVERVIEW));
    double rate = v->load_seconds > 0 ? (double)p->text_bytes / 1e6 / v->load_seconds : 0;
    int x = 4 + grid_printf(g, 4, y + 1, width, style(STYLE_NORMAL),
                            "reading: %.1f MB, %.0f MB/s, %s events", (double)p->text_bytes / 1e6,
                            rate, count_text(p->events, count));
    if (share > 0.01)
        grid_printf(g, x, y + 1, v->cols - x, style(STYLE_NORMAL), ", %.0f %%, %.0f s left",
                    share * 100, v->load_seconds * (1 - share) / share);
    grid_printf(g, 4, y + 3, width, style(STYLE_DIM), "Esc shows what has been read, q quits");
}

void screen_draw(struct viewer *v, struct grid *g)
{
    if (g->cols != v->cols || g->rows != v->rows)
        grid_resize(g, v->cols, v->rows);
    g->ascii = v->setup.ascii;
    grid_clear(g);
    if (v->layout.too_small) {
        grid_printf(g, 0, 0, v->cols, style(STYLE_WARNING), "%dx%d is too small: 40x8 at least",
                    v->cols, v->rows);
        return;
    }
    if (!v->t) {
        draw_loading(v, g);
        return;
    }
    draw_title(v, g);
    if (v->overlay != OVERLAY_NONE) {
        overlay_draw(v, g);
        return;
    }
    if (v->layout.overview_y >= 0)
        draw_overview(v, g);
    draw_status(v, g);
    struct scale s = screen_scale(v);
    int64_t zero = v->time_mode == TIME_WINDOW ? v->from_ns
                   : v->time_mode == TIME_FILE ? ns_sub(0, v->t->origin_ns)
                                               : 0;
    grid_fill(g, 0, v->layout.axis_y, v->layout.label_width, style(STYLE_AXIS));
    axis_draw(g, v->layout.axis_y, &s, zero, style(STYLE_AXIS));
    rows_draw(v, g);
    draw_columns(v, g);
    if (v->layout.tabs_y >= 0) {
        draw_tabs(v, g);
        table_draw(v->tables[v->table], g, 0, v->layout.table_y, v->cols, v->layout.table_height,
                   v->pane == PANE_TABLE);
    }
    draw_message(v, g);
}
