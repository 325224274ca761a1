#include "view/viewer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/duration.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "query/match.h"
#include "view/command.h"

struct viewer *viewer_new(const struct viewer_setup *setup)
{
    struct viewer *v = xcalloc(1, sizeof *v);
    v->setup = *setup;
    const char *slash = setup->title ? strrchr(setup->title, '/') : NULL;
    v->title = xstrdup(slash && slash[1] ? slash + 1 : setup->title ? setup->title : "");
    v->slice = v->family = TRACE_NONE;
    v->drag_x = -1;
    for (int k = 0; k < TABLE_COUNT; k++)
        v->tables[k] = table_new((enum table_kind)k);
    viewer_resize(v, setup->cols, setup->rows);
    return v;
}

/* Everything that belongs to a trace. */
static void forget_trace(struct viewer *v)
{
    launches_free(v->launches);
    iterations_free(v->iterations);
    v->launches = NULL;
    v->iterations = NULL;
    v->links_ready = false;
    prepared_free(v->prepared);
    v->prepared = NULL;
    search_forget(v);
    free(v->folded);
    free(v->matches);
    free(v->filter_names);
    free(v->categories_off);
    v->folded = v->matches = v->filter_names = v->categories_off = NULL;
    v->line_count = 0;
    v->undo.count = v->redo.count = v->jumps.count = 0;
    v->slice = v->family = TRACE_NONE;
    v->overview_cols = v->overview_done = 0;
    for (int k = 0; k < TABLE_COUNT; k++) {
        table_free(v->tables[k]);
        v->tables[k] = table_new((enum table_kind)k);
    }
}

void viewer_free(struct viewer *v)
{
    if (!v)
        return;
    forget_trace(v);
    for (int k = 0; k < TABLE_COUNT; k++)
        table_free(v->tables[k]);
    prompt_free(&v->prompt);
    free(v->lines);
    free(v->search);
    free(v->filter);
    free(v->search_before);
    free(v->folded_before);
    free(v->overview);
    free(v->export_path);
    free(v->title);
    free(v);
}

void viewer_progress(struct viewer *v, const struct load_progress *progress, double seconds)
{
    v->progress = *progress;
    v->load_seconds = seconds;
}

static bool has_kernels(const struct viewer *v, uint32_t track)
{
    const struct track *tr = &v->t->tracks[track];
    for (uint32_t i = tr->first; i < tr->first + tr->count && i < tr->first + 1000; i++)
        if (trace_category(v->t, i)->class == CATEGORY_KERNEL)
            return true;
    return false;
}

/* Unfolds a track if its lanes do not push anything off the screen. */
static void unfold_if_it_fits(struct viewer *v, uint32_t track, uint32_t *lines)
{
    uint32_t lanes = index_lanes(v->ix, track);
    if (lanes > 1 && *lines + lanes - 1 > (uint32_t)v->layout.rows_height)
        return;
    v->folded[track] = false;
    *lines += lanes > 1 ? lanes - 1 : 0;
}

/* At first all tracks should be in sight that have slices. What room is left goes to
 * kernels, then to the host's stacks, then to other tracks. */
static void fold_at_first(struct viewer *v)
{
    uint32_t lines = 0, last_process = TRACE_NONE;
    for (uint32_t k = 0; k < v->t->track_count; k++) {
        v->folded[k] = true;
        if (v->t->tracks[k].count == 0)
            continue;
        lines += v->t->tracks[k].process != last_process ? 2 : 1;
        last_process = v->t->tracks[k].process;
    }
    for (int turn = 0; turn < 3; turn++)
        for (uint32_t k = 0; k < v->t->track_count; k++)
            if (turn == 2 || (turn == 1 && v->t->tracks[k].kind == TRACK_HOST) ||
                (turn == 0 && v->t->tracks[k].kind == TRACK_DEVICE && has_kernels(v, k)))
                if (v->folded[k])
                    unfold_if_it_fits(v, k, &lines);
    rows_build(v);
}

/* The first row with kernels, else the first with slices. */
static void choose_first_line(struct viewer *v)
{
    v->cursor_line = 0;
    for (uint32_t i = 0; i < v->line_count; i++) {
        const struct row *row = &v->lines[i];
        if (row->kind != ROW_LANE)
            continue;
        if (v->cursor_line == 0)
            v->cursor_line = i;
        if (v->t->tracks[row->track].kind == TRACK_DEVICE && has_kernels(v, row->track)) {
            v->cursor_line = i;
            break;
        }
    }
    v->top_line = 0;
    rows_scroll_to_cursor(v);
    /* Below it there is more of interest than above. */
    if (v->top_line > 0) {
        v->top_line = v->cursor_line - (uint32_t)v->layout.rows_height / 3;
        rows_scroll_to_cursor(v);
    }
}

void viewer_show(struct viewer *v, const struct trace *t, const struct index *ix)
{
    bool again = v->t != NULL;
    int64_t from = v->from_ns, to = v->to_ns, cursor = v->cursor_ns;
    struct error ignored = {0};
    forget_trace(v);
    v->t = t;
    v->ix = ix;
    v->folded = xcalloc((size_t)t->track_count + 1, sizeof *v->folded);
    v->prepared = prepare_trace(t);
    fold_at_first(v);
    if (!again) {
        choose_first_line(v);
        zoom_place(v, t->focus_start_ns, t->focus_end_ns);
        v->cursor_ns = v->from_ns;
    } else {
        zoom_place(v, from, to);
        zoom_show_time(v, cursor);
        rows_scroll_to_cursor(v);
        char *search = v->search, *filter = v->filter;
        v->search = v->filter = NULL;
        if (search)
            search_set(v, search, &ignored);
        if (filter)
            search_filter(v, filter, &ignored);
        free(search);
        free(filter);
    }
    if (t->cancelled)
        view_complain(v, "the load was stopped: this is what had been read");
    view_changed(v);
}

void viewer_set_window(struct viewer *v, int64_t from_ns, int64_t to_ns)
{
    if (!v->t)
        return;
    zoom_place(v, from_ns == INT64_MIN ? v->prepared->first_ns : from_ns,
               to_ns == INT64_MAX ? v->prepared->end_ns : to_ns);
    v->cursor_ns = v->from_ns;
}

void viewer_message(struct viewer *v, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(v->message, sizeof v->message, format, args);
    va_end(args);
    v->message_is_error = true;
}

void viewer_resize(struct viewer *v, int cols, int rows)
{
    v->cols = cols < 1 ? 1 : cols > 10000 ? 10000 : cols;
    v->rows = rows < 1 ? 1 : rows > 10000 ? 10000 : rows;
    screen_layout(v);
    if (v->layout.tabs_y < 0)
        v->pane = PANE_TIMELINE;
    if (v->t) {
        zoom_place(v, v->from_ns, v->to_ns);
        rows_scroll_to_cursor(v);
    }
}

/* The span that tables are about. */
static void scope_span(struct viewer *v, int64_t *from, int64_t *to)
{
    *from = v->from_ns;
    *to = v->to_ns;
    if (v->has_range) {
        *from = v->range_from;
        *to = v->range_to;
    } else if (v->scope == SCOPE_TRACE) {
        *from = INT64_MIN;
        *to = INT64_MAX;
    } else if (v->scope == SCOPE_ITERATION) {
        uint32_t at = iterations_at(v->iterations, v->family, v->cursor_ns);
        if (at == TRACE_NONE)
            return;
        *from = v->iterations->items[at].start_ns;
        *to = ns_add(*from, v->iterations->items[at].dur_ns);
    }
}

void view_changed(struct viewer *v)
{
    if (!v->t || !v->links_ready)
        return;
    struct table_context context = {
        .t = v->t,
        .ix = v->ix,
        .iterations = v->iterations,
        .launches = v->launches,
        .family = v->family,
        .slice = v->slice,
        .names = v->filter_names,
        .matches = v->matches,
        .categories_off = v->categories_off,
        .by = v->by,
        .ascii = v->setup.ascii,
    };
    scope_span(v, &context.from_ns, &context.to_ns);
    table_update(v->tables[v->table], &context);
}

bool viewer_work(struct viewer *v)
{
    if (!v->t || v->layout.too_small)
        return false;
    if (screen_work(v))
        return true;
    if (!v->launches) { /* two pieces: either may take a while */
        v->launches = launches_build(v->t, v->ix);
        return true;
    }
    if (!v->links_ready) {
        links_prepare(v);
        view_changed(v);
        return true;
    }
    view_changed(v);
    if (table_pending(v->tables[v->table])) {
        table_work(v->tables[v->table]);
        return true;
    }
    return search_work(v);
}

static void run_prompt(struct viewer *v, enum prompt_kind kind, const char *text)
{
    struct error err = {0};
    bool good = true;
    if (kind == PROMPT_SEARCH)
        search_cancel(v);
    if (kind == PROMPT_SEARCH && !*text && v->search) {
        search_step(v, true); /* an empty search repeats the last one */
    } else if (kind == PROMPT_SEARCH) {
        good = search_set(v, text, &err);
        if (good && *text)
            search_step(v, true); /* from where the search was begun */
    } else if (kind == PROMPT_FILTER) {
        good = search_filter(v, text, &err);
    } else if (kind == PROMPT_COMMAND && *text) {
        good = view_go(v, text, &err);
    } else if (kind == PROMPT_EXPORT && *text) {
        struct stat st;
        bool exists = stat(text, &st) == 0 && S_ISREG(st.st_mode);
        if (exists && !input_is_file(v->t->files[0].in, text)) {
            char name[200];
            free(v->export_path);
            v->export_path = xstrdup(text);
            prompt_open(&v->prompt, PROMPT_CONFIRM, "");
            utf8_make_safe(name, sizeof name, text, UTF8_NUL_TERMINATED);
            view_complain(v, "%s exists: replace it? (y/n)", name);
            return;
        }
        good = view_export(v, text, false, &err);
    }
    if (!good)
        view_complain(v, "%s", err.message);
}

static void confirm_key(struct viewer *v, uint32_t key)
{
    struct error err = {0};
    prompt_close(&v->prompt, false);
    if (key != 'y' && key != 'Y')
        view_say(v, "not written");
    else if (!view_export(v, v->export_path, true, &err))
        view_complain(v, "%s", err.message);
}

static void prompt_key_pressed(struct viewer *v, uint32_t key)
{
    enum prompt_kind kind = v->prompt.kind;
    char text[PROMPT_MAX + 1];
    if (kind == PROMPT_CONFIRM) {
        confirm_key(v, key);
        return;
    }
    switch (prompt_key(&v->prompt, key)) {
    case PROMPT_DONE:
        memcpy(text, v->prompt.text, sizeof text);
        prompt_close(&v->prompt, true);
        run_prompt(v, kind, text);
        break;
    case PROMPT_CANCELLED:
        prompt_close(&v->prompt, false);
        if (kind == PROMPT_SEARCH)
            search_cancel(v);
        break;
    case PROMPT_EDITED:
        if (kind == PROMPT_SEARCH)
            search_typed(v, v->prompt.text);
        break;
    case PROMPT_IGNORED:
        break;
    }
}

static void load_key(struct viewer *v, uint32_t key)
{
    if (key == 'q')
        v->wish = VIEWER_QUIT;
    else if (key == KEY_CODE_ESCAPE || key == 3)
        v->wish = VIEWER_STOP_LOAD;
    else if (key == 26)
        v->wish = VIEWER_SUSPEND;
    else if (key == 12)
        v->wish = VIEWER_REDRAW;
}

static void pending_key(struct viewer *v, uint32_t key)
{
    struct error err = {0};
    char letter[2] = {(char)key, 0};
    bool mark = v->pending == 'm';
    v->pending = 0;
    *v->message = '\0';
    if (key >= 'a' && key <= 'z')
        command_run(v,
                    mark ? (char[]){'m', 'a', 'r', 'k', ' ', letter[0], 0}
                         : (char[]){'g', 'o', 't', 'o', '-', 'm', 'a', 'r', 'k', ' ', letter[0], 0},
                    &err);
    else if (key != KEY_CODE_ESCAPE)
        view_complain(v, "marks are named by a letter from a to z");
}

void viewer_key(struct viewer *v, uint32_t key)
{
    if (!v->t) {
        load_key(v, key);
        return;
    }
    if (v->prompt.kind != PROMPT_NONE) {
        prompt_key_pressed(v, key);
        return;
    }
    *v->message = '\0';
    if (v->pending) {
        pending_key(v, key);
        return;
    }
    if (v->overlay != OVERLAY_NONE) {
        overlay_key(v, key);
        return;
    }
    if (key == 3) { /* Ctrl-C */
        view_say(v, "q quits");
        return;
    }
    if (!command_key(v, key)) {
        char name[8] = "";
        if (key > 0x20 && key < 0x110000 && key != 0x7f)
            name[utf8_encode(utf8_visible((int32_t)key), name)] = '\0';
        view_complain(v, "%s%sdoes nothing; ? shows the keys", *name ? name : "that key", " ");
    }
}

/* ------------------------------------------------------------------------ */
/* The mouse */

/* `again`: the second click of a double one. True if a slice was meant. */
static bool click_timeline(struct viewer *v, const struct mouse_event *e, bool again)
{
    struct scale s = screen_scale(v);
    uint32_t line = v->top_line + (uint32_t)(e->y - v->layout.rows_y);
    if (line >= v->line_count)
        return false;
    v->pane = PANE_TIMELINE;
    v->cursor_line = line;
    const struct row *row = &v->lines[line];
    if (e->x < v->layout.label_width) {
        if (!again && row->kind == ROW_LANE && index_lanes(v->ix, row->track) > 1) {
            v->folded[row->track] = !v->folded[row->track];
            rows_build(v);
        }
        return false;
    }
    v->cursor_ns = scale_time(&s, e->x - s.x0);
    if (v->cursor_ns >= v->to_ns)
        v->cursor_ns = v->to_ns - 1;
    v->slice = row->kind == ROW_LANE ? index_lane_at(v->ix, row->track, row->lane, v->cursor_ns)
                                     : TRACE_NONE;
    if (v->slice == TRACE_NONE && row->kind == ROW_LANE) { /* a slice within the cell */
        uint32_t at = index_lane_find(v->ix, row->track, row->lane, v->cursor_ns);
        if (at < index_lane_count(v->ix, row->track, row->lane)) {
            uint32_t slice = index_lane_slice(v->ix, row->track, row->lane, at);
            if (v->t->start_ns[slice] < scale_time(&s, e->x - s.x0 + 1))
                v->slice = slice;
        }
    }
    view_changed(v);
    return v->slice != TRACE_NONE;
}

static void click_overview(struct viewer *v, int x)
{
    struct scale s = {v->prepared->first_ns, v->prepared->end_ns, 0, v->cols};
    int64_t span = v->to_ns - v->from_ns;
    int64_t middle = scale_time(&s, x);
    zoom_set(v, ns_sub(middle, span / 2), ns_add(ns_sub(middle, span / 2), span));
}

static void wheel(struct viewer *v, const struct mouse_event *e)
{
    bool up = e->kind == MOUSE_WHEEL_UP;
    if (e->control) {
        struct scale s = screen_scale(v);
        if (e->x >= s.x0)
            v->cursor_ns = scale_time(&s, e->x - s.x0);
        zoom_by(v, up);
    } else if (e->shift) {
        zoom_pan_share(v, up ? -10 : 10);
    } else if (v->layout.tabs_y >= 0 && e->y >= v->layout.tabs_y) {
        table_move(v->tables[v->table], up ? -3 : 3);
    } else {
        int64_t top = (int64_t)v->top_line + (up ? -3 : 3);
        int64_t most = (int64_t)v->line_count - v->layout.rows_height;
        top = top > most ? most : top;
        v->top_line = top < 0 ? 0 : (uint32_t)top;
        if (v->cursor_line < v->top_line)
            v->cursor_line = v->top_line;
        else if (v->cursor_line >= v->top_line + (uint32_t)v->layout.rows_height)
            v->cursor_line = v->top_line + (uint32_t)v->layout.rows_height - 1;
    }
}

static void click_tab(struct viewer *v, int x)
{
    struct error err = {0};
    int at = 1;
    for (int k = 0; k < TABLE_COUNT; k++) {
        int end = at + screen_tab_width((enum table_kind)k);
        if (x >= at && x < end) {
            char line[] = "table 0";
            line[sizeof line - 2] = (char)('1' + k);
            command_run(v, line, &err);
        }
        at = end;
    }
}

/* True if a row was meant. */
static bool click_table(struct viewer *v, const struct mouse_event *e, bool again)
{
    struct table *table = v->tables[v->table];
    uint32_t row;
    v->pane = PANE_TABLE;
    if (e->y == v->layout.table_y && v->table != TABLE_EVENT) {
        if (!again)
            table_sort_at(table, e->x);
        return false;
    }
    if (!table_row_at(table, e->y, &row))
        return false;
    table_move_to(table, row);
    return true;
}

/* True if what was clicked at can be entered. */
static bool press(struct viewer *v, const struct mouse_event *e, bool again)
{
    const struct layout *l = &v->layout;
    v->drag_x = -1;
    if (l->overview_y >= 0 && e->y == l->overview_y) {
        click_overview(v, e->x);
    } else if (e->y >= l->rows_y && e->y < l->rows_y + l->rows_height) {
        bool slice = click_timeline(v, e, again);
        if (e->x >= l->label_width)
            v->drag_x = e->x;
        return slice;
    } else if (l->tabs_y >= 0 && e->y == l->tabs_y) {
        click_tab(v, e->x);
    } else if (l->tabs_y >= 0 && e->y >= l->table_y && e->y < l->message_y) {
        return click_table(v, e, again);
    }
    return false;
}

static void drag(struct viewer *v, const struct mouse_event *e)
{
    struct scale s = screen_scale(v);
    if (v->layout.overview_y >= 0 && e->y == v->layout.overview_y && v->drag_x < 0) {
        click_overview(v, e->x);
        return;
    }
    if (v->drag_x < 0 || e->x < s.x0 || e->x == v->drag_x)
        return;
    int first = v->drag_x < e->x ? v->drag_x : e->x, last = v->drag_x < e->x ? e->x : v->drag_x;
    v->has_range = true;
    v->ranging = false;
    v->range_from = scale_time(&s, first - s.x0);
    v->range_to = scale_time(&s, last - s.x0 + 1);
    view_changed(v);
}

void viewer_mouse(struct viewer *v, const struct mouse_event *e)
{
    struct error err = {0};
    if (!v->t || v->overlay != OVERLAY_NONE || v->prompt.kind != PROMPT_NONE || e->x < 0 ||
        e->y < 0 || e->x >= v->cols || e->y >= v->rows || v->layout.too_small)
        return;
    *v->message = '\0';
    switch (e->kind) {
    case MOUSE_WHEEL_UP:
    case MOUSE_WHEEL_DOWN:
        wheel(v, e);
        break;
    case MOUSE_PRESS:
        press(v, e, false);
        break;
    case MOUSE_DRAG:
        drag(v, e);
        break;
    case MOUSE_DOUBLE:
        if (press(v, e, true))
            command_run(v, "enter", &err);
        v->drag_x = -1;
        break;
    case MOUSE_RELEASE:
        v->drag_x = -1;
        break;
    }
}

bool viewer_command(struct viewer *v, const char *line, struct error *err)
{
    *v->message = '\0';
    v->message_is_error = false;
    if (!v->t)
        return error_set(err, ERROR_USAGE, "there is no trace yet");
    return command_run(v, line, err);
}

void viewer_draw(struct viewer *v, struct grid *g)
{
    screen_draw(v, g);
}

enum viewer_wish viewer_wish(struct viewer *v)
{
    enum viewer_wish wish = v->wish;
    v->wish = VIEWER_NOTHING;
    return wish;
}
