/*
 * The lines of the timeline: processes, tracks with their lanes, async spans, counters.
 * First which there are, then how each is drawn.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/duration.h"
#include "base/memory.h"
#include "view/view.h"

static void add_line(struct viewer *v, enum row_kind kind, uint32_t process, uint32_t track,
                     uint32_t lane)
{
    size_t count = v->line_count;
    ARRAY_PUSH(v->lines, count, v->line_capacity, (struct row){kind, process, track, lane});
    v->line_count++;
}

/* True if one of the slices that filter and categories leave lies in the window. */
static bool any_visible(const struct viewer *v, uint32_t track)
{
    const struct lane_slices *list = v->visible;
    uint32_t lanes = index_lanes(v->ix, track);
    for (uint32_t lane = 0; lane < lanes; lane++) {
        size_t low = list->first[list->row[track] + lane], high;
        size_t end = high = list->first[list->row[track] + lane + 1];
        while (low < high) { /* in a lane slices end in order, too */
            size_t middle = low + (high - low) / 2;
            if (trace_end_ns(v->t, list->slices[middle]) <= v->from_ns)
                low = middle + 1;
            else
                high = middle;
        }
        if (low < end && v->t->start_ns[list->slices[low]] < v->to_ns)
            return true;
    }
    return false;
}

bool rows_visible_track(const struct viewer *v, uint32_t track)
{
    const struct track *tr = &v->t->tracks[track];
    if (!v->hide_empty)
        return true;
    /* Hidden are tracks without anything to see in the window. */
    if (tr->count == 0)
        return false;
    return v->visible ? any_visible(v, track)
                      : index_overlap(v->ix, track, tr->first, v->from_ns, v->to_ns) != TRACE_NONE;
}

static void add_track(struct viewer *v, uint32_t process, uint32_t track)
{
    uint32_t lanes = v->folded[track] ? 1 : index_lanes(v->ix, track);
    /* A track may have nothing but instants and open begins. */
    for (uint32_t lane = 0; lane < lanes || lane == 0; lane++)
        add_line(v, ROW_LANE, process, track, lane);
}

/* Async spans and counters of a process. */
static void add_others(struct viewer *v, uint32_t process)
{
    for (uint32_t depth = 0; depth < v->prepared->async_depths[process]; depth++)
        add_line(v, ROW_ASYNC, process, TRACE_NONE, depth);
    for (uint32_t i = 0; i < v->t->series_count; i++)
        if (v->t->counters[v->t->series[i].counter].process == process && v->t->series[i].count > 0)
            add_line(v, ROW_COUNTER, process, TRACE_NONE, i);
}

/* What has slices comes first, then what has only instants or the like. */
static bool process_has_slices(const struct viewer *v, uint32_t process)
{
    const struct process *p = &v->t->processes[process];
    for (uint32_t k = p->first_track; k < p->first_track + p->track_count; k++)
        if (v->t->tracks[k].count > 0)
            return true;
    return false;
}

static bool track_has_slices(const struct viewer *v, uint32_t track)
{
    return v->t->tracks[track].count > 0;
}

/* True if line `a` stands before `b`, or is it. */
static bool not_behind(const struct viewer *v, const struct row *a, const struct row *b)
{
    if (a->process != b->process) {
        bool first = process_has_slices(v, a->process), second = process_has_slices(v, b->process);
        return first != second ? first : a->process < b->process;
    }
    if (a->kind != b->kind)
        return a->kind < b->kind;
    if (a->kind == ROW_LANE && a->track != b->track) {
        bool first = track_has_slices(v, a->track), second = track_has_slices(v, b->track);
        return first != second ? first : a->track < b->track;
    }
    return a->lane <= b->lane;
}

void rows_go_to(struct viewer *v, const struct row *row)
{
    v->cursor_line = 0;
    for (uint32_t i = 0; i < v->line_count; i++)
        if (not_behind(v, &v->lines[i], row))
            v->cursor_line = i;
    rows_scroll_to_cursor(v);
}

static void add_process(struct viewer *v, uint32_t process)
{
    const struct process *p = &v->t->processes[process];
    uint32_t head = v->line_count;
    add_line(v, ROW_PROCESS, process, TRACE_NONE, 0);
    for (int without = 0; without < 2; without++)
        for (uint32_t k = p->first_track; k < p->first_track + p->track_count; k++)
            if (track_has_slices(v, k) == !without && rows_visible_track(v, k))
                add_track(v, process, k);
    if (!v->hide_empty)
        add_others(v, process);
    if (v->line_count == head + 1) /* an empty process */
        v->line_count = head;
}

void rows_build(struct viewer *v)
{
    struct row at = v->line_count ? v->lines[v->cursor_line] : (struct row){.kind = ROW_PROCESS};
    v->line_count = 0;
    for (int without = 0; without < 2; without++)
        for (uint32_t p = 0; p < v->t->process_count; p++)
            if (process_has_slices(v, p) == !without)
                add_process(v, p);
    rows_go_to(v, &at);
}

void rows_scroll_to_cursor(struct viewer *v)
{
    uint32_t height = v->layout.rows_height > 0 ? (uint32_t)v->layout.rows_height : 1;
    if (v->cursor_line < v->top_line)
        v->top_line = v->cursor_line;
    if (v->cursor_line >= v->top_line + height)
        v->top_line = v->cursor_line - height + 1;
    if (v->line_count <= height)
        v->top_line = 0;
    else if (v->top_line > v->line_count - height)
        v->top_line = v->line_count - height;
}

const struct row *rows_cursor(const struct viewer *v)
{
    return v->cursor_line < v->line_count ? &v->lines[v->cursor_line] : NULL;
}

uint32_t rows_track(const struct viewer *v)
{
    const struct row *row = rows_cursor(v);
    return row && row->kind == ROW_LANE ? row->track : TRACE_NONE;
}

void rows_show_slice(struct viewer *v, uint32_t slice)
{
    uint32_t track = trace_track_of(v->t, slice), lane = index_lane(v->ix, slice);
    bool found = false;
    for (int tries = 0; tries < 2 && !found; tries++) {
        for (uint32_t i = 0; i < v->line_count && !found; i++) {
            const struct row *row = &v->lines[i];
            if (row->kind != ROW_LANE || row->track != track || row->lane != lane)
                continue;
            v->cursor_line = i;
            found = true;
        }
        if (!found) {
            v->folded[track] = false;
            rows_build(v);
        }
    }
    rows_scroll_to_cursor(v);
}

/* ------------------------------------------------------------------------ */
/* Drawing */

static struct style style(enum style_role role)
{
    return (struct style){(uint8_t)role, 0, 0};
}

static struct cell *cell_of(struct grid *g, int x, int y)
{
    return &g->cells[(size_t)y * (size_t)g->cols + (size_t)x];
}

static bool is_blank(struct grid *g, int x, int y)
{
    const struct cell *c = cell_of(g, x, y);
    return c->code == ' ' && c->role == STYLE_NORMAL;
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
    const char *pid = trace_id(v->t, p->pid);
    if (!*pid)
        text_puts(out, len ? "" : "(no pid)");
    else if (strcmp(name, pid) != 0)
        text_printf(out, "%s%s", len ? " " : "pid ", pid);
}

static void draw_process(struct viewer *v, struct grid *g, const struct row *row, int y,
                         bool cursor)
{
    struct text title = {0};
    struct style st = {STYLE_PROCESS, 0, cursor ? CELL_REVERSE : 0};
    double share;
    int room = v->cols - 2;
    grid_fill(g, 0, y, v->cols, st);
    if (busy_share(v, row->process, v->from_ns, v->to_ns, &share)) {
        char text[48];
        int len = snprintf(text, sizeof text, "busy %.1f %%", share * 100);
        grid_text(g, v->cols - len - 1, y, len, text, (size_t)len, st);
        room -= len + 2;
    }
    process_title(v, row->process, &title);
    grid_text_middle(g, 1, y, room, title.len ? title.data : "", title.len, st);
    text_free(&title);
}

static const char *track_title(const struct viewer *v, uint32_t track)
{
    const struct track *tr = &v->t->tracks[track];
    const char *name = intern_text(v->t->names, tr->name, NULL);
    for (const char *p = name; *p; p++)
        if (*p != ' ')
            return name;
    const char *tid = trace_id(v->t, tr->tid);
    return *tid ? tid : "(no tid)";
}

/* "name key" of a counter's series; the key is left out where it says nothing. */
static void series_title(const struct viewer *v, uint32_t series, struct text *out)
{
    const struct counter_series *s = &v->t->series[series];
    const struct counter *c = &v->t->counters[s->counter];
    size_t len;
    const char *name = intern_text(v->t->names, c->name, &len);
    text_add(out, name, len);
    const char *key = intern_text(v->t->names, s->key, &len);
    if (c->series_count > 1) {
        text_putc(out, ' ');
        text_add(out, key, len);
    }
}

/* The label of a line; the topmost line of the screen names its track even if that
 * began further up. */
static void draw_label(struct viewer *v, struct grid *g, const struct row *row, int y, bool cursor)
{
    int width = v->layout.label_width - 1;
    struct style st = {STYLE_LABEL, 0, cursor ? CELL_REVERSE : 0};
    struct text title = {0};
    bool named = row->lane == 0 || y == v->layout.rows_y;
    grid_fill(g, 0, y, width, st);
    if (row->kind == ROW_COUNTER) {
        series_title(v, row->lane, &title);
    } else if (row->kind == ROW_ASYNC && named) {
        text_puts(&title, "async");
    } else if (row->kind == ROW_LANE && named) {
        bool folded = v->folded[row->track];
        if (index_lanes(v->ix, row->track) > 1)
            grid_put(g, 1, y, g->ascii ? (folded ? '+' : '-') : (folded ? 0x25b8 : 0x25be), st);
        text_puts(&title, track_title(v, row->track));
    }
    grid_text_middle(g, 3, y, width - 3, title.len ? title.data : "", title.len, st);
    text_free(&title);
    grid_put(g, width, y, g->ascii ? '|' : 0x2502, style(STYLE_AXIS));
}

/* A mark in every column that has an instant, where nothing else is. */
static void draw_instants(const struct viewer *v, struct grid *g, const struct scale *s,
                          uint32_t track, int y)
{
    const int64_t *at = v->prepared->instants;
    size_t low = v->prepared->instant_first[track], end = v->prepared->instant_first[track + 1];
    for (int column = 0; column < s->cols && low < end; column++) {
        size_t high = end;
        int64_t from = scale_time(s, column);
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (at[middle] < from)
                low = middle + 1;
            else
                high = middle;
        }
        if (low == end || at[low] >= s->to_ns)
            break;
        column = (int)scale_column(s, at[low]);
        if (is_blank(g, s->x0 + column, y))
            grid_put(g, s->x0 + column, y, g->ascii ? 'v' : 0x25be, style(STYLE_MARK));
    }
}

/* A begin without an end lasts to the end of its track. Those after the track's first
 * one lie in the same dots. */
static void draw_open_begin(const struct viewer *v, struct grid *g, const struct scale *s,
                            uint32_t track, int y)
{
    uint32_t at = v->prepared->open_first[track];
    if (at == TRACE_NONE || v->t->open_begins[at].start_ns >= s->to_ns)
        return;
    const struct open_begin *open = &v->t->open_begins[at];
    int64_t end = v->t->tracks[track].end_ns;
    if (end <= open->start_ns)
        end = ns_add(open->start_ns, 1);
    int64_t first = scale_column(s, open->start_ns), last = scale_column(s, end - 1), x;
    size_t len;
    const char *name = intern_text(v->t->names, v->t->labels[open->label].name, &len);
    first = first < 0 ? 0 : first;
    for (x = first; x <= last && x < s->cols && is_blank(g, s->x0 + (int)x, y); x++)
        grid_put(g, s->x0 + (int)x, y, g->ascii ? '.' : 0x22ef, style(STYLE_DIM));
    if (x - first > 4) /* its name, where there is room before the first slice */
        grid_text_middle(g, s->x0 + (int)first, y, (int)(x - first) - 1, name, len,
                         style(STYLE_DIM));
    for (; x <= last && x < s->cols; x++)
        if (is_blank(g, s->x0 + (int)x, y))
            grid_put(g, s->x0 + (int)x, y, g->ascii ? '.' : 0x22ef, style(STYLE_DIM));
}

/* The first of a row's async spans that ends after a time. */
static uint32_t find_async(const struct viewer *v, uint32_t low, uint32_t high, int64_t at_ns)
{
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct async_span *span = &v->t->async_spans[v->prepared->async_spans[middle]];
        if (ns_add(span->start_ns, span->dur_ns) <= at_ns && span->start_ns < at_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct async_span *rows_async_at_cursor(const struct viewer *v)
{
    const struct row *row = rows_cursor(v);
    if (!row || row->kind != ROW_ASYNC)
        return NULL;
    uint32_t line = v->prepared->async_row[row->process] + row->lane;
    uint32_t end = v->prepared->async_first[line + 1];
    uint32_t at = find_async(v, v->prepared->async_first[line], end, ns_add(v->cursor_ns, 1));
    if (at == end)
        return NULL;
    const struct async_span *span = &v->t->async_spans[v->prepared->async_spans[at]];
    return span->start_ns <= v->cursor_ns ? span : NULL;
}

static void draw_async(const struct viewer *v, struct grid *g, const struct scale *s,
                       const struct row *row, int y)
{
    const struct prepared *p = v->prepared;
    uint32_t line = p->async_row[row->process] + row->lane;
    uint32_t end = p->async_first[line + 1];
    uint32_t at = find_async(v, p->async_first[line], end, s->from_ns);
    while (at < end) {
        const struct async_span *span = &v->t->async_spans[p->async_spans[at]];
        const struct label *label = &v->t->labels[span->label];
        if (span->start_ns >= s->to_ns)
            break;
        struct style st = {STYLE_BAR, bar_color(v->t, span->label, v->color_by_name), 0};
        if (v->matches && v->matches[label->name])
            st.flags |= CELL_MATCH;
        if ((v->filter_names && !v->filter_names[label->name]) ||
            (v->categories_off && v->categories_off[label->category]))
            st = (struct style){STYLE_BAR, COLOR_NONE, CELL_DIM};
        size_t len;
        const char *name = intern_text(v->t->names, label->name, &len);
        int behind =
            bar_draw(g, y, s, span->start_ns, ns_add(span->start_ns, span->dur_ns), name, len, st);
        if (behind >= s->cols)
            break;
        /* Further ones in the same cells would not be seen. */
        uint32_t next = find_async(v, at + 1, end, scale_time(s, behind));
        if (next > at + 1 &&
            scale_column(s, v->t->async_spans[p->async_spans[at + 1]].start_ns) >= behind)
            next = at + 1;
        at = next;
    }
}

/* The value of a series at a time (that of the last sample before), false before all. */
static bool sample_at(const struct trace *t, const struct counter_series *series, int64_t at_ns,
                      double *value)
{
    size_t low = series->first, high = series->first + series->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (t->samples[middle].ts_ns <= at_ns)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == series->first)
        return false;
    *value = t->samples[low - 1].value;
    return true;
}

static void draw_counter(const struct viewer *v, struct grid *g, const struct scale *s,
                         const struct row *row, int y)
{
    static const char ascii[] = "_.:-=+*##";
    const struct counter_series *series = &v->t->series[row->lane];
    double low = series->min < 0 ? series->min : 0, high = series->max, value;
    for (int column = 0; column < s->cols; column++) {
        if (!sample_at(v->t, series, scale_time(s, column + 1) - 1, &value))
            continue;
        double part = high > low ? (value - low) / (high - low) : 0;
        int eighths = part >= 1 ? 8 : part > 0 ? (int)(part * 8 + 0.5) : 0;
        if (eighths == 0 && part > 0)
            eighths = 1;
        uint32_t code = g->ascii       ? (uint32_t)ascii[eighths]
                        : eighths == 0 ? (uint32_t)'_'
                                       : (uint32_t)(0x2580 + eighths);
        grid_put(g, s->x0 + column, y, code, style(STYLE_OVERVIEW));
    }
    if (sample_at(v->t, series, v->cursor_ns, &value)) {
        char text[48];
        int len = snprintf(text, sizeof text, " %.6g ", value);
        grid_text(g, v->cols - len, y, len, text, (size_t)len, style(STYLE_NORMAL));
    }
}

static void draw_lane(const struct viewer *v, struct grid *g, const struct scale *s,
                      const struct row *row, int y)
{
    struct bar_look look = {
        .selected = v->slice,
        .matches = v->matches,
        .filter = v->filter_names,
        .categories_off = v->categories_off,
        .by_name = v->color_by_name,
        .found = v->found,
        .visible = v->visible,
    };
    bars_draw(g, y, s, v->t, v->ix, row->track, row->lane, &look);
    if (row->lane == 0) {
        draw_instants(v, g, s, row->track, y);
        draw_open_begin(v, g, s, row->track, y);
    }
}

void rows_draw(struct viewer *v, struct grid *g)
{
    struct scale s = screen_scale(v);
    if (v->line_count == 0)
        grid_printf(g, 1, v->layout.rows_y, v->cols - 1, style(STYLE_DIM), "%s",
                    v->hide_empty ? "nothing in this window (Z shows all rows)"
                                  : "no slices, async spans or counters in this trace");
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
        if (row->kind == ROW_LANE)
            draw_lane(v, g, &s, row, y);
        else if (row->kind == ROW_ASYNC)
            draw_async(v, g, &s, row, y);
        else
            draw_counter(v, g, &s, row, y);
    }
}
