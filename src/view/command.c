#include "view/command.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "query/times.h"
#include "report/export.h"

void view_say(struct viewer *v, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(v->message, sizeof v->message, format, args);
    va_end(args);
    v->message_is_error = false;
}

void view_complain(struct viewer *v, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(v->message, sizeof v->message, format, args);
    va_end(args);
    v->message_is_error = true;
}

/* Commands that cannot fail are made of a plain function. */
#define PLAIN(name, ...)                                                        \
    static bool name(struct viewer *v, const char *argument, struct error *err) \
    {                                                                           \
        (void)argument;                                                         \
        (void)err;                                                              \
        __VA_ARGS__;                                                            \
        return true;                                                            \
    }

static struct table *table_of(struct viewer *v)
{
    return v->tables[v->table];
}

static void move_lines(struct viewer *v, int64_t lines)
{
    struct table *table = table_of(v);
    uint32_t before = v->pane == PANE_TABLE ? table_cursor(table) : v->cursor_line;
    if (v->pane == PANE_TABLE)
        table_move(table, lines);
    else
        jump_line(v, lines);
    if ((v->pane == PANE_TABLE ? table_cursor(table) : v->cursor_line) == before)
        view_complain(v, lines < 0 ? "this is the first line" : "this is the last line");
}

static int64_t page(const struct viewer *v)
{
    int height = v->pane == PANE_TABLE ? v->layout.table_height - 1 : v->layout.rows_height;
    return height > 2 ? height - 1 : 1;
}

PLAIN(pan_left, zoom_pan_share(v, -10))
PLAIN(pan_right, zoom_pan_share(v, 10))
PLAIN(page_left, zoom_pan_share(v, -100))
PLAIN(page_right, zoom_pan_share(v, 100))
PLAIN(zoom_in, zoom_by(v, true))
PLAIN(zoom_out, zoom_by(v, false))
PLAIN(line_down, move_lines(v, 1))
PLAIN(line_up, move_lines(v, -1))
PLAIN(page_down, move_lines(v, page(v)))
PLAIN(page_up, move_lines(v, -page(v)))
PLAIN(first_line, move_lines(v, INT32_MIN))
PLAIN(last_line, move_lines(v, INT32_MAX))
PLAIN(next_slice, jump_slice(v, true))
PLAIN(previous_slice, jump_slice(v, false))
PLAIN(next_gap, jump_gap(v, true))
PLAIN(previous_gap, jump_gap(v, false))
PLAIN(next_match, search_step(v, true))
PLAIN(previous_match, search_step(v, false))
PLAIN(link_back, jump_link(v, false))
PLAIN(link_forward, jump_link(v, true))
PLAIN(redraw, v->wish = VIEWER_REDRAW)
PLAIN(suspend, v->wish = VIEWER_SUSPEND)
PLAIN(quit, v->wish = VIEWER_QUIT)
PLAIN(reload, v->wish = VIEWER_RELOAD)

static bool next_iteration(struct viewer *v, const char *argument, struct error *err)
{
    (void)argument;
    (void)err;
    jump_iteration(v, true);
    return true;
}

static bool previous_iteration(struct viewer *v, const char *argument, struct error *err)
{
    (void)argument;
    (void)err;
    jump_iteration(v, false);
    return true;
}

static bool goto_iteration(struct viewer *v, const char *argument, struct error *err)
{
    int64_t from, to;
    links_prepare(v);
    if (!iterations_window(v->t, v->iterations, argument, &from, &to, err))
        return false;
    for (uint32_t i = 0; i < v->iterations->count; i++) {
        if (v->iterations->items[i].start_ns == from) {
            jump_to_iteration(v, i);
            break;
        }
    }
    return true;
}

static bool back(struct viewer *v, const char *argument, struct error *err)
{
    (void)argument;
    (void)err;
    if (!jump_back(v))
        view_complain(v, "there is nowhere to go back to");
    return true;
}

static bool undo(struct viewer *v, const char *argument, struct error *err)
{
    (void)argument;
    (void)err;
    if (!zoom_undo(v))
        view_complain(v, "no earlier window");
    return true;
}

static bool redo(struct viewer *v, const char *argument, struct error *err)
{
    (void)argument;
    (void)err;
    if (!zoom_redo(v))
        view_complain(v, "no later window");
    return true;
}

static void show_all_of(struct viewer *v, int64_t from, int64_t to, const char *what)
{
    int64_t before_from = v->from_ns, before_to = v->to_ns;
    zoom_set(v, from, to);
    if (v->from_ns == before_from && v->to_ns == before_to)
        view_complain(v, "this is %s", what);
}

PLAIN(whole, show_all_of(v, v->prepared->first_ns, v->prepared->end_ns, "the whole trace"))
PLAIN(focus, show_all_of(v, v->t->focus_start_ns, v->t->focus_end_ns, "the bulk of the slices"))

/* The range, else the selected slice; again: the whole trace. */
static bool fit(struct viewer *v, const char *argument, struct error *err)
{
    int was = v->fitted;
    if (was || (!v->has_range && v->slice == TRACE_NONE))
        return whole(v, argument, err);
    if (v->has_range) {
        show_all_of(v, v->range_from, v->range_to, "the range");
    } else {
        int64_t dur = v->t->dur_ns[v->slice], air = dur / 20 + 1;
        show_all_of(v, ns_sub(v->t->start_ns[v->slice], air),
                    ns_add(trace_end_ns(v->t, v->slice), air), "the slice");
    }
    v->fitted = 1;
    return true;
}

static void go_to_target(struct viewer *v, struct table_target target)
{
    if (target.has_place) {
        int64_t air = (target.to_ns - target.from_ns) / 20 + 1;
        jump_remember(v);
        v->slice = target.slice;
        if (target.slice != TRACE_NONE)
            rows_show_slice(v, target.slice);
        zoom_set(v, ns_sub(target.from_ns, air), ns_add(target.to_ns, air));
        v->cursor_ns = target.from_ns;
        view_changed(v);
    } else if (target.slice != TRACE_NONE) {
        char text[DURATION_TEXT], name[160];
        size_t len;
        jump_select(v, target.slice, true);
        const char *full = trace_name(v->t, target.slice, &len);
        utf8_make_safe(name, sizeof name, full, len);
        view_say(v, "%s  %s", name, duration_text(text, v->t->dur_ns[target.slice]));
    } else {
        view_complain(v, "nothing to go to on this line");
    }
}

/* From where it was begun to the cursor. */
static void keep_range(struct viewer *v)
{
    int64_t from = v->range_from, to = v->cursor_ns;
    v->ranging = false;
    v->has_range = from != to;
    v->range_from = from < to ? from : to;
    v->range_to = from < to ? to : from;
    view_changed(v);
}

static bool enter(struct viewer *v, const char *argument, struct error *err)
{
    (void)argument;
    (void)err;
    if (v->pane == PANE_TABLE) {
        go_to_target(v, table_enter(table_of(v)));
        return true;
    }
    if (v->ranging) {
        keep_range(v);
        return true;
    }
    if (v->slice == TRACE_NONE)
        v->slice = jump_slice_at_cursor(v);
    if (v->slice == TRACE_NONE) {
        view_complain(v, "no slice under the cursor (. and , step to the next and previous)");
        return true;
    }
    int64_t air = v->t->dur_ns[v->slice] / 20 + 1;
    jump_remember(v);
    rows_show_slice(v, v->slice);
    show_all_of(v, ns_sub(v->t->start_ns[v->slice], air), ns_add(trace_end_ns(v->t, v->slice), air),
                "the slice");
    v->cursor_ns = v->t->start_ns[v->slice];
    zoom_hold_cursor(v);
    view_changed(v);
    return true;
}

static bool switch_pane(struct viewer *v, const char *argument, struct error *err)
{
    (void)argument;
    (void)err;
    if (v->layout.tabs_y < 0)
        view_complain(v, "the table needs a larger screen");
    else
        v->pane = v->pane == PANE_TIMELINE ? PANE_TABLE : PANE_TIMELINE;
    return true;
}

static bool show_table(struct viewer *v, enum table_kind kind)
{
    /* The number of the table that is shown steps into it. */
    if (v->table == kind && v->layout.tabs_y >= 0) {
        if (v->pane == PANE_TABLE)
            view_say(v, "this is the table %s", table_title(kind));
        v->pane = PANE_TABLE;
    }
    v->table = kind;
    screen_layout(v);
    rows_scroll_to_cursor(v);
    view_changed(v);
    return true;
}

static bool choose_table(struct viewer *v, const char *argument, struct error *err)
{
    for (int k = 0; k < TABLE_COUNT; k++) {
        char number[2] = {(char)('1' + k), 0};
        if (strcasecmp(argument, table_title((enum table_kind)k)) == 0 ||
            strcmp(argument, number) == 0)
            return show_table(v, (enum table_kind)k);
    }
    return error_set(err, ERROR_USAGE, "no table '%s'", argument);
}

#define TABLE_COMMAND(name, kind)                                               \
    static bool name(struct viewer *v, const char *argument, struct error *err) \
    {                                                                           \
        (void)argument;                                                         \
        (void)err;                                                              \
        return show_table(v, kind);                                             \
    }
TABLE_COMMAND(table_1, TABLE_KERNELS)
TABLE_COMMAND(table_2, TABLE_OPS)
TABLE_COMMAND(table_3, TABLE_ITERATIONS)
TABLE_COMMAND(table_4, TABLE_GAPS)
TABLE_COMMAND(table_5, TABLE_EVENT)
TABLE_COMMAND(table_6, TABLE_MATCHES)

static bool choose_family(struct viewer *v, const char *argument, struct error *err)
{
    (void)argument;
    (void)err;
    links_prepare(v);
    const struct iterations *list = v->iterations;
    char name[128];
    if (list->family_count == 0) {
        view_complain(v, "the trace has no iterations");
        return true;
    }
    v->family = v->family == TRACE_NONE ? 0 : v->family + 1;
    if (v->family >= list->family_count)
        v->family = TRACE_NONE;
    view_changed(v);
    if (v->family == TRACE_NONE) {
        view_say(v, "iterations of all families");
    } else {
        utf8_make_safe(name, sizeof name, list->families[v->family].name, UTF8_NUL_TERMINATED);
        view_say(v, "iterations: %s (%u)", name, list->families[v->family].count);
    }
    return true;
}

static bool open_search(struct viewer *v, const char *argument, struct error *err)
{
    if (*argument) {
        if (!search_set(v, argument, err))
            return false;
        search_step(v, true);
        if (v->message_is_error)
            return error_set(err, ERROR_DATA, "%s", v->message);
        return true;
    }
    search_begin(v);
    prompt_open(&v->prompt, PROMPT_SEARCH, "");
    return true;
}

static bool open_filter(struct viewer *v, const char *argument, struct error *err)
{
    if (*argument)
        return search_filter(v, strcmp(argument, "-") == 0 ? "" : argument, err);
    prompt_open(&v->prompt, PROMPT_FILTER, v->filter ? v->filter : "");
    return true;
}

PLAIN(open_command, prompt_open(&v->prompt, PROMPT_COMMAND, ""))

static bool go_to(struct viewer *v, const char *argument, struct error *err)
{
    return view_go(v, argument, err);
}

static bool set_mark(struct viewer *v, const char *argument, struct error *err)
{
    (void)err;
    if (*argument >= 'a' && *argument <= 'z') {
        char text[DURATION_TEXT];
        int last = v->last_mark;
        v->last_mark = *argument - 'a';
        v->marked[v->last_mark] = true;
        v->marks[v->last_mark] = v->cursor_ns;
        if (last == v->last_mark || !v->marked[last])
            view_say(v, "mark %c set", *argument);
        else
            view_say(v, "mark %c set, %s from mark %c", *argument,
                     duration_text(text, ns_sub(v->cursor_ns, v->marks[last])), 'a' + last);
        return true;
    }
    v->pending = 'm';
    view_say(v, "mark: a letter (a to z) names it");
    return true;
}

static bool go_to_mark(struct viewer *v, const char *argument, struct error *err)
{
    char text[DURATION_TEXT];
    (void)err;
    if (*argument >= 'a' && *argument <= 'z') {
        int i = *argument - 'a';
        if (!v->marked[i]) {
            view_complain(v, "no mark %c", *argument);
            return true;
        }
        int64_t from = v->cursor_ns;
        jump_remember(v);
        zoom_show_time(v, v->marks[i]);
        view_say(v, "mark %c, %s from where the cursor was", *argument,
                 duration_text(text, ns_sub(v->marks[i], from)));
        return true;
    }
    v->pending = '\'';
    view_say(v, "go to mark: which letter?");
    return true;
}

static bool toggle_range(struct viewer *v, const char *argument, struct error *err)
{
    (void)argument;
    (void)err;
    if (v->ranging)
        return enter(v, "", err);
    v->ranging = true;
    v->has_range = false;
    v->range_from = v->cursor_ns;
    v->pane = PANE_TIMELINE;
    view_say(v, "range: move the cursor, v or Enter keeps it, Esc drops it");
    view_changed(v);
    return true;
}

/* The cursor by a cell or more. */
static void move_cursor(struct viewer *v, int cells)
{
    struct scale s = screen_scale(v);
    int64_t column = scale_column(&s, v->cursor_ns) + cells;
    if (column < 0 || column >= s.cols) { /* the window goes along */
        zoom_pan_share(v, cells < 0 ? -10 : 10);
        s = screen_scale(v);
        column = scale_column(&s, v->cursor_ns) + cells;
    }
    column = column < 0 ? 0 : column >= s.cols ? s.cols - 1 : column;
    v->cursor_ns = scale_time(&s, (int)column);
    if (v->cursor_ns >= v->to_ns)
        v->cursor_ns = v->to_ns - 1;
    uint32_t slice = jump_slice_at_cursor(v);
    if (slice != v->slice) {
        v->slice = slice;
        view_changed(v);
    }
}

PLAIN(cursor_left, move_cursor(v, -1))
PLAIN(cursor_right, move_cursor(v, 1))

static bool escape(struct viewer *v, const char *argument, struct error *err)
{
    (void)argument;
    (void)err;
    if (v->ranging || v->has_range) {
        v->ranging = v->has_range = false;
        view_changed(v);
    } else if (v->pane == PANE_TABLE) {
        v->pane = PANE_TIMELINE;
    } else if (v->search) {
        struct error none = {0};
        search_set(v, "", &none);
    }
    return true;
}

void view_default_export(const struct viewer *v, char *out, size_t size)
{
    const char *slash = strrchr(v->t->files[0].path, '/');
    const char *base = slash ? slash + 1 : v->t->files[0].path;
    int len = (int)strcspn(base, ".");
    char part[64] = "window";
    if (v->links_ready) {
        uint32_t at = iterations_at(v->iterations, v->family, v->cursor_ns);
        if (at != TRACE_NONE) {
            const struct iteration *it = &v->iterations->items[at];
            /* The window is about that iteration. */
            if (v->from_ns >= ns_sub(it->start_ns, it->dur_ns / 10 + 1) &&
                v->to_ns <= ns_add(it->start_ns, it->dur_ns + it->dur_ns / 10 + 1)) {
                size_t n;
                const char *name = trace_name(v->t, it->slice, &n);
                size_t k = 0;
                for (size_t i = 0; i < n && k + 1 < sizeof part; i++)
                    if ((name[i] >= '0' && name[i] <= '9') || (name[i] >= 'a' && name[i] <= 'z') ||
                        (name[i] >= 'A' && name[i] <= 'Z') || name[i] == '_')
                        part[k++] = name[i];
                part[k] = '\0';
            }
        }
    }
    snprintf(out, size, "%.*s.%s.json", len > 0 && len < 200 ? len : 5, len > 0 ? base : "trace",
             part);
}

static void export_span(const struct viewer *v, int64_t *from, int64_t *to)
{
    *from = v->has_range ? v->range_from : v->from_ns;
    *to = v->has_range ? v->range_to : v->to_ns;
}

bool view_export(struct viewer *v, const char *path, bool force, struct error *err)
{
    struct export_options options = {.force = force};
    struct export_result result;
    char name[256], size[32];
    int64_t from, to;
    export_span(v, &from, &to);
    if (!export_window(v->t, v->ix, from, to, path, &options, &result, err))
        return false;
    utf8_make_safe(name, sizeof name, path, UTF8_NUL_TERMINATED);
    snprintf(size, sizeof size, "%.1f %s",
             (double)result.bytes / (result.bytes > 1000000 ? 1e6 : 1e3),
             result.bytes > 1000000 ? "MB" : "kB");
    view_say(v, "wrote %s: %llu slices, %llu events, %s", name, (unsigned long long)result.slices,
             (unsigned long long)result.events, size);
    return true;
}

static bool export_command(struct viewer *v, const char *argument, struct error *err)
{
    char name[300];
    if (*argument)
        return view_export(v, argument, false, err);
    view_default_export(v, name, sizeof name);
    prompt_open(&v->prompt, PROMPT_EXPORT, name);
    return true;
}

static bool fold(struct viewer *v, const char *argument, struct error *err)
{
    (void)argument;
    (void)err;
    uint32_t track = rows_track(v);
    if (track == TRACE_NONE) {
        view_complain(v, "no track on this line");
    } else if (index_lanes(v->ix, track) < 2) {
        view_complain(v, "this track has one line only");
    } else {
        v->folded[track] = !v->folded[track];
        rows_build(v);
    }
    return true;
}

static bool fold_all(struct viewer *v, const char *argument, struct error *err)
{
    (void)argument;
    (void)err;
    bool any_open = false;
    for (uint32_t k = 0; k < v->t->track_count; k++)
        any_open |= v->t->tracks[k].count && index_lanes(v->ix, k) > 1 && !v->folded[k];
    for (uint32_t k = 0; k < v->t->track_count; k++)
        v->folded[k] = any_open;
    rows_build(v);
    return true;
}

static bool hide_rows(struct viewer *v, const char *argument, struct error *err)
{
    (void)argument;
    (void)err;
    v->hide_empty = !v->hide_empty;
    rows_build(v);
    view_say(v,
             v->hide_empty ? "rows without slices in the window are hidden" : "all rows are shown");
    return true;
}

/* By the next column, or by the one named. */
static bool sort(struct viewer *v, const char *argument, struct error *err)
{
    enum { COLUMNS = 30 };
    struct table *table = table_of(v);
    char before[64];
    snprintf(before, sizeof before, "%s", table_sort_name(table));
    if (!*before) {
        view_complain(v, "this table is in a fixed order");
    } else if (!*argument) {
        table_sort_next(table);
        if (strcmp(before, table_sort_name(table)) == 0)
            view_complain(v, "this table has one order only (r reverses it)");
    } else {
        for (int i = 0; i < COLUMNS && strcasecmp(table_sort_name(table), argument) != 0; i++)
            table_sort_next(table);
        if (strcasecmp(table_sort_name(table), argument) != 0)
            return error_set(err, ERROR_USAGE, "this table has no column '%s'", argument);
    }
    return true;
}

static bool sort_reverse(struct viewer *v, const char *argument, struct error *err)
{
    (void)argument;
    (void)err;
    if (*table_sort_name(table_of(v)))
        table_sort_reverse(table_of(v));
    else
        view_complain(v, "this table is in a fixed order");
    return true;
}

static bool group_names(struct viewer *v, const char *argument, struct error *err)
{
    static const char *const said[] = {"full names", "names without instance numbers and keys",
                                       "categories"};
    (void)argument;
    (void)err;
    v->by = v->by == BY_NAME ? BY_STEM : v->by == BY_STEM ? BY_CATEGORY : BY_NAME;
    view_say(v, "tables group by %s", said[v->by]);
    view_changed(v);
    return true;
}

static bool color_mode(struct viewer *v, const char *argument, struct error *err)
{
    (void)argument;
    (void)err;
    v->color_by_name = !v->color_by_name;
    view_say(v, v->color_by_name ? "colours by name" : "colours by category");
    return true;
}

static bool time_mode(struct viewer *v, const char *argument, struct error *err)
{
    static const char *const said[] = {"since the start", "since the window's start",
                                       "on the file's clock", "as wall clock (UTC)"};
    int64_t wall;
    (void)argument;
    (void)err;
    v->time_mode = (enum time_mode)((v->time_mode + 1) % 4);
    if (v->time_mode == TIME_WALL && !trace_wall_clock(v->t, 0, &wall))
        v->time_mode = TIME_START;
    view_say(v, "times %s", said[v->time_mode]);
    return true;
}

static bool table_scope(struct viewer *v, const char *argument, struct error *err)
{
    static const char *const said[] = {"the window", "the iteration at the cursor",
                                       "the whole trace"};
    (void)argument;
    (void)err;
    v->scope = (enum scope)((v->scope + 1) % 3);
    view_say(v, "tables are about %s", said[v->scope]);
    view_changed(v);
    return true;
}

static void open_overlay(struct viewer *v, enum overlay overlay)
{
    v->overlay = overlay;
    v->overlay_top = v->overlay_cursor = 0;
}

PLAIN(help, open_overlay(v, OVERLAY_HELP))
PLAIN(categories, open_overlay(v, OVERLAY_CATEGORIES))

static bool warnings(struct viewer *v, const char *argument, struct error *err)
{
    (void)argument;
    (void)err;
    open_overlay(v, OVERLAY_WARNINGS);
    return true;
}

PLAIN(picture, view_complain(v, "pictures of the screen come with a later version"))
PLAIN(source, view_complain(v, "opening source lines comes with a later version"))

const struct command commands[] = {
    {"pan-left", "h a Left", "", "Time", "pan a tenth of the window to the left", pan_left},
    {"pan-right", "l d Right", "", "Time", "pan to the right", pan_right},
    {"page-left", "H", "", "Time", "pan a whole window to the left", page_left},
    {"page-right", "L", "", "Time", "pan a whole window to the right", page_right},
    {"cursor-left", "S-Left", "", "Time", "move the time cursor a cell to the left", cursor_left},
    {"cursor-right", "S-Right", "", "Time", "move the time cursor a cell to the right",
     cursor_right},
    {"zoom-in", "+ w i =", "", "Time", "zoom in at the cursor", zoom_in},
    {"zoom-out", "- s o", "", "Time", "zoom out", zoom_out},
    {"fit", "f z", "", "Time", "fit the range, else the slice; again: the whole trace", fit},
    {"whole", "0", "", "Time", "the whole trace", whole},
    {"focus", "F", "", "Time", "where the bulk of the slices is", focus},
    {"undo", "u", "", "Time", "the window before", undo},
    {"redo", "U", "", "Time", "the window after an undo", redo},
    {"goto", "", "TIME", "Time", "go to a time, iteration or mark", go_to},
    {"command", ":", "", "Time", "type a time (813.2ms, @TS), an iteration or a command",
     open_command},
    {"time-mode", "T", "", "Time", "times since start, since window, file clock, wall clock",
     time_mode},

    {"down", "j Down", "", "Rows", "next row or table line", line_down},
    {"up", "k Up", "", "Rows", "previous row or table line", line_up},
    {"page-down", "PageDown C-f Space", "", "Rows", "a page down", page_down},
    {"page-up", "PageUp C-b", "", "Rows", "a page up", page_up},
    {"first", "g Home", "", "Rows", "first row or line", first_line},
    {"last", "G End", "", "Rows", "last row or line", last_line},
    {"fold", "e", "", "Rows", "fold or unfold this track", fold},
    {"fold-all", "E", "", "Rows", "fold or unfold all tracks", fold_all},
    {"hide-empty", "Z", "", "Rows", "hide rows without slices in the window", hide_rows},

    {"next-slice", ".", "", "Slices", "next slice on this row", next_slice},
    {"previous-slice", ",", "", "Slices", "previous slice on this row", previous_slice},
    {"enter", "Enter", "", "Slices", "zoom to the slice; table: go to the slowest, then the next",
     enter},
    {"link-back", "<", "", "Slices", "from a kernel to its launching call, from a call to its op",
     link_back},
    {"link-forward", ">", "", "Slices", "from a call or op to its kernel", link_forward},
    {"back", "b", "", "Slices", "back to where the last jump began", back},
    {"next-iteration", "]", "", "Slices", "next iteration", next_iteration},
    {"previous-iteration", "[", "", "Slices", "previous iteration", previous_iteration},
    {"goto-iteration", "", "NAME|N", "Slices", "go to an iteration by name or number",
     goto_iteration},
    {"family", "I", "", "Slices", "which family of iterations ] and [ walk", choose_family},
    {"next-gap", "}", "", "Slices", "next idle gap of the device", next_gap},
    {"previous-gap", "{", "", "Slices", "previous idle gap of the device", previous_gap},
    {"search", "/", "[REGEX]", "Slices", "search names (regex)", open_search},
    {"filter", "\\", "[REGEX]", "Slices", "only slices whose name matches are drawn and counted",
     open_filter},
    {"next-match", "n", "", "Slices", "next match", next_match},
    {"previous-match", "N", "", "Slices", "previous match", previous_match},
    {"mark", "m", "[LETTER]", "Slices", "set a mark (a letter follows)", set_mark},
    {"goto-mark", "'", "[LETTER]", "Slices", "go to a mark, and say how far it is", go_to_mark},
    {"range", "v", "", "Slices", "begin a range; v or Enter keeps it, Esc drops it", toggle_range},
    {"color-mode", "c", "", "Slices", "colour by category or by name", color_mode},
    {"categories", "C", "", "Slices", "categories: list with counts, on and off", categories},

    {"pane", "Tab S-Tab", "", "Tables", "between timeline and table", switch_pane},
    {"kernels", "1", "", "Tables", "table of kernels", table_1},
    {"ops", "2", "", "Tables", "table of operators", table_2},
    {"iterations", "3", "", "Tables", "table of iterations", table_3},
    {"gaps", "4", "", "Tables", "table of idle gaps", table_4},
    {"event", "5", "", "Tables", "the selected slice with its arguments", table_5},
    {"matches", "6", "", "Tables", "table of matches", table_6},
    {"table", "", "NAME", "Tables", "show a table by its name", choose_table},
    {"scope", "W", "", "Tables", "tables about window, iteration, whole trace", table_scope},
    {"sort", "t", "[COLUMN]", "Tables", "sort by the next column", sort},
    {"reverse", "r", "", "Tables", "sort the other way round", sort_reverse},
    {"group", "y", "", "Tables", "group names: full, stem, category", group_names},

    {"export", "x", "[FILE]", "Program", "write the range or window as a trace", export_command},
    {"picture", "P", "", "Program", "a picture of the screen (in a later version)", picture},
    {"source", "O", "", "Program", "the source line of a kernel (in a later version)", source},
    {"warnings", "!", "", "Program", "warnings with their places", warnings},
    {"reload", "R", "", "Program", "load the trace again", reload},
    {"help", "? F1", "", "Program", "this help", help},
    {"redraw", "C-l", "", "Program", "draw everything again", redraw},
    {"suspend", "C-z", "", "Program", "suspend", suspend},
    {"escape", "Esc", "", "Program", "leave range, table or search", escape},
    {"quit", "q", "", "Program", "quit", quit},
};
const int command_count = sizeof commands / sizeof *commands;

uint32_t key_code(const char *name, size_t len)
{
    static const struct {
        const char *name;
        uint32_t code;
    } names[] = {
        {"Enter", KEY_CODE_ENTER},
        {"Tab", KEY_CODE_TAB},
        {"S-Tab", KEY_CODE_BACKTAB},
        {"Esc", KEY_CODE_ESCAPE},
        {"Space", ' '},
        {"Left", KEY_CODE_LEFT},
        {"Right", KEY_CODE_RIGHT},
        {"Up", KEY_CODE_UP},
        {"Down", KEY_CODE_DOWN},
        {"PageUp", KEY_CODE_PAGE_UP},
        {"PageDown", KEY_CODE_PAGE_DOWN},
        {"Home", KEY_CODE_HOME},
        {"End", KEY_CODE_END},
        {"Delete", KEY_CODE_DELETE},
        {"Backspace", KEY_CODE_BACKSPACE},
        {"S-Left", KEY_CODE_SHIFT_LEFT},
        {"S-Right", KEY_CODE_SHIFT_RIGHT},
        {"F1", KEY_CODE_F1},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i].name) == len && memcmp(names[i].name, name, len) == 0)
            return names[i].code;
    if (len == 3 && name[0] == 'C' && name[1] == '-' && name[2] >= 'a' && name[2] <= 'z')
        return (uint32_t)(name[2] - 'a' + 1);
    int32_t code;
    if (len > 0 && (size_t)utf8_decode(name, name + len, &code) == len && code > 0)
        return (uint32_t)code;
    return 0;
}

static bool has_key(const struct command *command, uint32_t key)
{
    for (const char *p = command->keys; *p;) {
        size_t len = strcspn(p, " ");
        if (key_code(p, len) == key)
            return true;
        p += len;
        p += *p == ' ';
    }
    return false;
}

bool command_key(struct viewer *v, uint32_t key)
{
    struct error err = {0};
    for (int i = 0; i < command_count; i++) {
        if (!has_key(&commands[i], key))
            continue;
        if (!commands[i].run(v, "", &err))
            view_complain(v, "%s", err.message);
        return true;
    }
    return false;
}

bool command_run(struct viewer *v, const char *line, struct error *err)
{
    while (*line == ' ')
        line++;
    size_t len = strcspn(line, " ");
    const char *argument = line + len;
    while (*argument == ' ')
        argument++;
    for (int i = 0; i < command_count; i++)
        if (strlen(commands[i].name) == len && memcmp(commands[i].name, line, len) == 0)
            return commands[i].run(v, argument, err);
    return error_set(err, ERROR_USAGE, "no command '%.*s'", (int)len, line);
}

bool view_go(struct viewer *v, const char *text, struct error *err)
{
    int64_t at, from, to;
    struct error none = {0};
    while (*text == ' ')
        text++;
    if (time_parse(v->t, text, strlen(text), &at)) {
        jump_remember(v);
        zoom_show_time(v, at);
        view_changed(v);
        return true;
    }
    links_prepare(v);
    if (iterations_window(v->t, v->iterations, text, &from, &to, &none))
        return goto_iteration(v, text, err);
    return command_run(v, text, err);
}
