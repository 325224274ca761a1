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
    if (v->cols >= 60 && v->rows >= 16) {
        l->table_height = left * 2 / 5;
        l->tabs_y = l->message_y - l->table_height - 1;
        l->table_y = l->tabs_y + 1;
    } else if (v->rows >= 12 && v->cols >= 40) {
        l->table_height = left / 3;
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

static void draw_title(struct viewer *v, struct grid *g)
{
    char facts[160], count[32], span[DURATION_TEXT], right[64] = "? help";
    int y = v->layout.title_y;
    grid_fill(g, 0, y, v->cols, style(STYLE_TITLE));
    int facts_len = snprintf(facts, sizeof facts, "  %s events  %u tracks  %s",
                             count_text(v->t->event_count, count), v->t->track_count,
                             duration_text(span, ns_sub(v->t->last_end_ns, v->t->first_start_ns)));
    unsigned kinds = warning_kinds(v->t);
    if (kinds)
        snprintf(right, sizeof right, "%u warning%s (!)   ? help", kinds, kinds == 1 ? "" : "s");
    int right_len = (int)strlen(right), room = v->cols - right_len - 2;
    int name_room = room - facts_len - 1;
    if (name_room < 16) /* the name matters more than the numbers */
        name_room = room - 1 > 16 ? 16 : room - 1;
    int x =
        1 + grid_text_middle(g, 1, y, name_room, v->title, strlen(v->title), style(STYLE_TITLE));
    grid_text(g, x, y, room - x, facts, (size_t)facts_len, style(STYLE_TITLE));
    grid_text(g, v->cols - right_len - 1, y, right_len, right, (size_t)right_len,
              style(kinds ? STYLE_WARNING : STYLE_TITLE));
}

/* The share of the device's time, in eighths, of a column of the overview. */
static uint8_t overview_column(const struct viewer *v, int column)
{
    struct scale s = {v->t->first_start_ns, v->t->end_ns, 0, v->overview_cols};
    if (s.to_ns <= s.from_ns)
        return 0;
    int64_t from = scale_time(&s, column), to = scale_time(&s, column + 1), busy = 0;
    bool device = false;
    for (uint32_t k = 0; k < v->t->track_count; k++)
        device |= v->t->tracks[k].kind == TRACK_DEVICE;
    for (uint32_t k = 0; k < v->t->track_count; k++) {
        const struct track *track = &v->t->tracks[k];
        if (track->count == 0 || (track->kind == TRACK_DEVICE) != device ||
            track->kind == TRACK_OTHER)
            continue;
        int64_t most = 0;
        uint32_t lanes = index_lanes(v->ix, k);
        for (uint32_t lane = 0; lane < lanes && lane < 8; lane++) {
            int64_t part = index_lane_busy(v->ix, k, lane, from, to);
            most = part > most ? part : most;
        }
        busy = most > busy ? most : busy;
    }
    int64_t width = to - from;
    int eighths = width > 0 ? (int)(((__int128)busy * 8 + width / 2) / width) : 0;
    return (uint8_t)(eighths > 8 ? 8 : eighths == 0 && busy > 0 ? 1 : eighths);
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
    struct scale s = {v->t->first_start_ns, v->t->end_ns, 0, v->cols};
    if (s.to_ns <= s.from_ns)
        return;
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

static void draw_status(struct viewer *v, struct grid *g)
{
    char line[512], from[TIME_TEXT], to[TIME_TEXT], cursor[TIME_TEXT], span[DURATION_TEXT];
    int y = v->layout.status_y, x = 1;
    grid_fill(g, 0, y, v->cols, style(STYLE_STATUS));
    if (v->links_ready && v->iterations->count > 0) {
        uint32_t at = iterations_at(v->iterations, v->family, v->cursor_ns);
        if (at != TRACE_NONE) {
            const struct iteration *it = &v->iterations->items[at];
            uint32_t number = 0, total = 0;
            for (uint32_t i = 0; i < v->iterations->count && i < 100000; i++) {
                total += v->iterations->items[i].family == it->family;
                number += i <= at && v->iterations->items[i].family == it->family;
            }
            size_t len;
            const char *name = trace_name(v->t, it->slice, &len);
            x += grid_text_middle(g, x, y, 24, name, len,
                                  (struct style){STYLE_STATUS, 0, CELL_BOLD});
            x += grid_printf(g, x, y, v->cols - x, style(STYLE_STATUS), "  %u/%u  ", number, total);
        }
    }
    snprintf(line, sizeof line, "%s %s %s  (%s)   ", time_text(v, v->from_ns, from),
             g->ascii ? ".." : "\xe2\x80\xa6", time_text(v, v->to_ns, to),
             duration_text(span, v->to_ns - v->from_ns));
    x += grid_text(g, x, y, v->cols - x, line, strlen(line), style(STYLE_STATUS));
    snprintf(line, sizeof line, "cursor %s  ", time_text(v, v->cursor_ns, cursor));
    x += grid_text(g, x, y, v->cols - x, line, strlen(line), style(STYLE_STATUS));
    if (v->slice != TRACE_NONE && v->cols - x > 12) {
        size_t len;
        const char *name = trace_name(v->t, v->slice, &len);
        duration_text(span, v->t->dur_ns[v->slice]);
        int room = v->cols - x - (int)strlen(span) - 2;
        x += grid_text_middle(g, x, y, room, name, len, (struct style){STYLE_STATUS, 0, CELL_BOLD});
        grid_printf(g, x, y, v->cols - x, style(STYLE_STATUS), " %s", span);
    }
}

/* What a process is called: its labels (AIU 0) or name, and its pid. */
static void process_title(const struct viewer *v, uint32_t process, struct text *out)
{
    const struct process *p = &v->t->processes[process];
    const struct trace_file *file = &v->t->files[p->file];
    size_t len;
    const char *labels = intern_text(v->t->names, p->labels, &len);
    if (v->t->file_count > 1) {
        if (file->rank >= 0)
            text_printf(out, "rank %" PRId64 " ", file->rank);
        else
            text_printf(out, "#%u ", p->file);
    }
    if (len > 0 && strcmp(labels, "CPU") != 0) {
        text_add(out, labels, len);
        return;
    }
    const char *name = intern_text(v->t->names, p->name, &len);
    text_add(out, name, len);
    if (strcmp(name, trace_id(v->t, p->pid)) != 0)
        text_printf(out, "%s%s", len ? " " : "pid ", trace_id(v->t, p->pid));
}

static const char *track_title(const struct viewer *v, uint32_t track)
{
    const struct track *tr = &v->t->tracks[track];
    const char *name = intern_text(v->t->names, tr->name, NULL);
    for (const char *p = name; *p; p++)
        if (*p != ' ')
            return name;
    return trace_id(v->t, tr->tid);
}

/* How much of the window a device was busy; false where that takes too long to say. */
static bool device_busy(const struct viewer *v, uint32_t process, double *share)
{
    const struct process *p = &v->t->processes[process];
    uint32_t lanes = 0, track = TRACE_NONE;
    for (uint32_t k = p->first_track; k < p->first_track + p->track_count; k++) {
        if (v->t->tracks[k].kind != TRACK_DEVICE || v->t->tracks[k].count == 0)
            continue;
        lanes += index_lanes(v->ix, k);
        track = k;
    }
    if (lanes == 0)
        return false;
    int64_t busy = 0, most = 0;
    for (uint32_t k = p->first_track; k < p->first_track + p->track_count; k++) {
        if (v->t->tracks[k].kind != TRACK_DEVICE || v->t->tracks[k].count == 0)
            continue;
        uint32_t count = index_lanes(v->ix, k);
        for (uint32_t lane = 0; lane < count && lane < 16; lane++) {
            int64_t part = index_lane_busy(v->ix, k, lane, v->from_ns, v->to_ns);
            busy = ns_add(busy, part);
            most = part > most ? part : most;
        }
    }
    (void)track;
    /* Exact for one lane; with several the busiest one is a lower bound. */
    *share = (double)(lanes == 1 ? busy : most) / (double)(v->to_ns - v->from_ns);
    return true;
}

static void draw_process(struct viewer *v, struct grid *g, const struct row *row, int y,
                         bool cursor)
{
    struct text title = {0};
    struct style st = {STYLE_PROCESS, 0, cursor ? CELL_REVERSE : 0};
    double share;
    grid_fill(g, 0, y, v->cols, st);
    process_title(v, row->process, &title);
    grid_text_middle(g, 1, y, v->cols - 2, title.len ? title.data : "", title.len, st);
    text_free(&title);
    if (device_busy(v, row->process, &share)) {
        char text[48];
        int len = snprintf(text, sizeof text, " busy %.1f %%", share * 100);
        grid_text(g, v->cols - len - 1, y, len, text, (size_t)len, st);
    }
}

static void draw_label(struct viewer *v, struct grid *g, const struct row *row, int y, bool cursor)
{
    int width = v->layout.label_width - 1;
    struct style st = {STYLE_LABEL, 0, cursor ? CELL_REVERSE : 0};
    grid_fill(g, 0, y, width, st);
    if (row->lane == 0) {
        uint32_t lanes = index_lanes(v->ix, row->track);
        bool folded = v->folded[row->track];
        if (lanes > 1)
            grid_put(g, 1, y, g->ascii ? (folded ? '+' : '-') : (folded ? 0x25b8 : 0x25be), st);
        const char *title = track_title(v, row->track);
        grid_text_middle(g, 3, y, width - 3, title, strlen(title), st);
    }
    grid_put(g, width, y, g->ascii ? '|' : 0x2502, style(STYLE_AXIS));
}

static void draw_instants(struct viewer *v, struct grid *g, const struct scale *s, uint32_t track,
                          int y)
{
    /* Few, and only what lies in the window: found by their time. */
    const struct side_list *list = &v->t->instants;
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list->items[middle].ts_ns < s->from_ns)
            low = middle + 1;
        else
            high = middle;
    }
    enum { MOST = 4000 };
    for (size_t i = low, n = 0; i < list->count && list->items[i].ts_ns < s->to_ns && n < MOST;
         i++, n++) {
        if (v->t->source_track[list->items[i].track] != track)
            continue;
        int x = s->x0 + (int)scale_column(s, list->items[i].ts_ns);
        const struct cell *c = &g->cells[(size_t)y * (size_t)g->cols + (size_t)x];
        if (c->code == ' ' && c->role == STYLE_NORMAL)
            grid_put(g, x, y, g->ascii ? 'v' : 0x25be, style(STYLE_MARK));
    }
}

/* Begins without an end last to the end of their track. */
static void draw_open_begins(struct viewer *v, struct grid *g, const struct scale *s,
                             uint32_t track, int y)
{
    for (size_t i = 0; i < v->t->open_begin_count; i++) {
        const struct open_begin *open = &v->t->open_begins[i];
        if (open->track != track || open->start_ns >= s->to_ns)
            continue;
        int64_t end = v->t->tracks[track].end_ns;
        int first = (int)scale_column(s, open->start_ns < s->from_ns ? s->from_ns : open->start_ns);
        int64_t last = scale_column(s, end < s->to_ns ? end : s->to_ns);
        for (int x = first; x <= last && x < s->cols; x++) {
            const struct cell *c = &g->cells[(size_t)y * (size_t)g->cols + (size_t)(s->x0 + x)];
            if (c->code == ' ' && c->role == STYLE_NORMAL)
                grid_put(g, s->x0 + x, y, g->ascii ? '.' : 0x22ef, style(STYLE_DIM));
        }
    }
}

static void draw_rows(struct viewer *v, struct grid *g)
{
    struct scale s = screen_scale(v);
    struct bar_look look = {
        .selected = v->slice,
        .matches = v->matches,
        .filter = v->filter_names,
        .categories_off = v->categories_off,
        .by_name = v->color_by_name,
    };
    for (int i = 0; i < v->layout.rows_height; i++) {
        uint32_t line = v->top_line + (uint32_t)i;
        int y = v->layout.rows_y + i;
        if (line >= v->line_count)
            break;
        const struct row *row = &v->lines[line];
        bool cursor = line == v->cursor_line && v->pane == PANE_TIMELINE;
        if (row->kind == ROW_PROCESS) {
            draw_process(v, g, row, y, cursor);
            continue;
        }
        draw_label(v, g, row, y, cursor);
        bars_draw(g, y, &s, v->t, v->ix, row->track, row->lane, &look);
        if (row->lane == 0) {
            draw_instants(v, g, &s, row->track, y);
            if (v->t->open_begin_count)
                draw_open_begins(v, g, &s, row->track, y);
        }
    }
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

static void draw_tabs(struct viewer *v, struct grid *g)
{
    static const char *const scopes[] = {"window", "iteration", "trace"};
    int y = v->layout.tabs_y, x = 1;
    grid_fill(g, 0, y, v->cols, style(STYLE_TAB));
    for (int k = 0; k < TABLE_COUNT; k++) {
        bool active = k == (int)v->table;
        struct style st = {(uint8_t)(active ? STYLE_TAB_ACTIVE : STYLE_TAB), 0,
                           (uint8_t)(active && v->pane == PANE_TABLE ? CELL_BOLD : 0)};
        x += grid_printf(g, x, y, v->cols - x, st, active ? "[%d %s]" : " %d %s ", k + 1,
                         table_title((enum table_kind)k));
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
        x += 2;
    }
    if (v->filter) {
        x += grid_text(g, x, y, 7, "filter ", 7, style(STYLE_WARNING));
        grid_text_middle(g, x, y, 30, v->filter, strlen(v->filter), style(STYLE_WARNING));
    }
    if (x == 1)
        grid_printf(g, x, y, v->cols - x, style(STYLE_DIM),
                    "? help   ] [ iterations   / search   + - zoom   Tab table   q quit");
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
    int64_t zero = v->time_mode == TIME_WINDOW ? v->from_ns : 0;
    grid_fill(g, 0, v->layout.axis_y, v->layout.label_width, style(STYLE_AXIS));
    axis_draw(g, v->layout.axis_y, &s, zero, style(STYLE_AXIS));
    draw_rows(v, g);
    draw_columns(v, g);
    if (v->layout.tabs_y >= 0) {
        draw_tabs(v, g);
        table_draw(v->tables[v->table], g, 0, v->layout.table_y, v->cols, v->layout.table_height,
                   v->pane == PANE_TABLE);
    }
    draw_message(v, g);
}
