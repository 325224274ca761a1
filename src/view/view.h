/*
 * The viewer's state, and what its parts call of each other. A key becomes a command,
 * a command changes the state, the state is drawn; only these files know the struct.
 */
#ifndef SPYTOP_VIEW_VIEW_H
#define SPYTOP_VIEW_VIEW_H

#include "base/text.h"
#include "draw/bars.h"
#include "query/gaps.h"
#include "query/iterations.h"
#include "query/launches.h"
#include "query/union.h"
#include "view/prompt.h"
#include "view/table.h"
#include "view/viewer.h"

/* A line of the timeline. */
enum row_kind { ROW_PROCESS, ROW_LANE, ROW_ASYNC, ROW_COUNTER };
struct row {
    enum row_kind kind;
    uint32_t process, track; /* only lanes have a track */
    uint32_t lane;           /* of the track; of async spans: their depth; a counter's series */
};

/* What is worked out of a trace once, so that drawing can look it up (links.c). */
struct prepared {
    int64_t first_ns, end_ns; /* of all that is drawn; first < end */
    uint32_t process_count;
    struct interval_list *busy; /* per process: when its device worked */
    int64_t **busy_sums;        /* for interval_length_in() */
    /* Instants by track and time: those of track k begin at instant_first[k]. */
    int64_t *instants;
    size_t *instant_first;
    /* Async spans by process, depth and start: those of a process have async_depths[p]
     * rows, the first of which is row async_row[p]; row i begins at async_first[i]. */
    uint32_t *async_spans, *async_first, *async_depths, *async_row;
    uint32_t *open_first; /* per track: its first begin without end, or TRACE_NONE */
};

/* Where things are on the screen; a height of 0 is not shown. */
struct layout {
    bool too_small;
    int title_y, overview_y, status_y, axis_y; /* -1: not shown */
    int rows_y, rows_height;
    int label_width; /* the timeline begins behind it */
    int tabs_y;      /* the line above the table, -1 */
    int table_y, table_height;
    int message_y;
};

enum pane { PANE_TIMELINE, PANE_TABLE };
enum overlay { OVERLAY_NONE, OVERLAY_HELP, OVERLAY_WARNINGS, OVERLAY_CATEGORIES };
enum scope { SCOPE_WINDOW, SCOPE_ITERATION, SCOPE_TRACE };
enum time_mode { TIME_START, TIME_WINDOW, TIME_FILE, TIME_WALL };

struct place { /* to come back to */
    int64_t from_ns, to_ns, cursor_ns;
    uint32_t slice, top_line;
    struct row row;
};

enum { PLACES = 100, MARKS = 26 };
struct places {
    struct place items[PLACES];
    int count;
};

struct viewer {
    struct viewer_setup setup;
    char *title;
    int cols, rows;
    enum viewer_wish wish;
    char message[512];
    bool message_is_error;

    /* Before there is a trace. */
    struct load_progress progress;
    double load_seconds;

    const struct trace *t;
    const struct index *ix;
    struct launches *launches;
    struct iterations *iterations;
    bool links_ready; /* launches and iterations were computed */
    struct prepared *prepared;

    /* Where we are. */
    int64_t from_ns, to_ns; /* from < to */
    int64_t cursor_ns;
    uint32_t slice;    /* selected, or TRACE_NONE */
    struct row *lines; /* of the timeline, in order */
    uint32_t line_count;
    size_t line_capacity;
    uint32_t top_line, cursor_line;
    bool *folded; /* per track */
    bool hide_empty;
    enum pane pane;
    enum table_kind table;
    struct table *tables[TABLE_COUNT];
    enum scope scope;
    enum time_mode time_mode;
    bool color_by_name;
    enum summary_by by;
    uint32_t family; /* of iterations, TRACE_NONE: all */
    int fitted;      /* what `f` did last */

    /* Search and filter. */
    char *search, *filter;
    bool *matches, *filter_names;
    uint32_t match_total, match_before;
    bool match_counted;
    bool *categories_off;
    struct lane_slices *found;   /* what the search matches; NULL: nothing, or not yet known */
    struct lane_slices *visible; /* what filter and categories leave; likewise */
    struct lane_job *found_job, *visible_job;
    struct place before_search; /* while a search is typed: where it began */
    char *search_before;        /* what was searched for */
    bool *folded_before;        /* and what was folded */

    bool marked[MARKS];
    int64_t marks[MARKS];
    int last_mark;
    uint32_t pending; /* 'm' or '\'': a letter is awaited */
    bool ranging, has_range;
    int64_t range_from, range_to;
    struct places undo, redo, jumps;

    struct prompt prompt;
    enum overlay overlay;
    int overlay_top, overlay_cursor;
    char *export_path; /* waits for a yes to replace it */

    struct layout layout;
    uint8_t *overview; /* eighths per column */
    int overview_cols, overview_done;
    int drag_x; /* where a drag began, -1 */
};

/* rows.c */
void rows_build(struct viewer *v);
void rows_draw(struct viewer *v, struct grid *g);
const struct async_span *rows_async_at_cursor(const struct viewer *v); /* NULL: none */
bool rows_visible_track(const struct viewer *v, uint32_t track);
void rows_go_to(struct viewer *v, const struct row *row); /* or to the nearest before it */
void rows_show_slice(struct viewer *v, uint32_t slice);   /* unfolds, moves the cursor line */
void rows_scroll_to_cursor(struct viewer *v);
const struct row *rows_cursor(const struct viewer *v); /* NULL without rows */
uint32_t rows_track(const struct viewer *v);           /* of the cursor, or TRACE_NONE */

/* zoom.c */
void zoom_set(struct viewer *v, int64_t from_ns, int64_t to_ns);   /* remembers for undo */
void zoom_place(struct viewer *v, int64_t from_ns, int64_t to_ns); /* does not */
void zoom_by(struct viewer *v, bool in);
void zoom_pan(struct viewer *v, int64_t delta_ns);
void zoom_pan_share(struct viewer *v, int percent);
bool zoom_undo(struct viewer *v);
bool zoom_redo(struct viewer *v);
void zoom_hold_cursor(struct viewer *v);              /* in the window */
void zoom_show_time(struct viewer *v, int64_t at_ns); /* moves the window if need be */
void zoom_show_span(struct viewer *v, int64_t from_ns, int64_t to_ns);

/* jump.c */
void jump_select(struct viewer *v, uint32_t slice, bool remember);
struct place jump_here(const struct viewer *v);
void jump_to_place(struct viewer *v, struct place place, bool undoable);
void jump_remember(struct viewer *v);
bool jump_back(struct viewer *v);
void jump_slice(struct viewer *v, bool next);
void jump_iteration(struct viewer *v, bool next);
void jump_to_iteration(struct viewer *v, uint32_t iteration);
void jump_gap(struct viewer *v, bool next);
void jump_link(struct viewer *v, bool forward);
void jump_line(struct viewer *v, int64_t lines);
uint32_t jump_slice_at_cursor(const struct viewer *v); /* on its line, or TRACE_NONE */

/* search.c */
bool search_set(struct viewer *v, const char *pattern, struct error *err); /* "" clears */
bool search_filter(struct viewer *v, const char *pattern, struct error *err);
void search_step(struct viewer *v, bool next);
void search_begin(struct viewer *v);                      /* a search is going to be typed */
void search_typed(struct viewer *v, const char *pattern); /* shows the first match so far */
void search_cancel(struct viewer *v);                     /* back to before */
void search_forget(struct viewer *v);                     /* another trace */
void search_visible_changed(struct viewer *v);            /* filter or categories */
bool search_work(struct viewer *v);                       /* a piece; true: there is more */

/* command.c */
bool command_key(struct viewer *v, uint32_t key); /* false: no such key */
void view_say(struct viewer *v, const char *format, ...) __attribute__((format(printf, 2, 3)));
void view_complain(struct viewer *v, const char *format, ...) __attribute__((format(printf, 2, 3)));
void view_changed(struct viewer *v); /* tables are about something else now */
bool view_go(struct viewer *v, const char *text, struct error *err); /* `:` */
bool view_export(struct viewer *v, const char *path, bool force, struct error *err);
void view_default_export(const struct viewer *v, char *out, size_t size);

/* links.c */
void links_prepare(struct viewer *v); /* launches and iterations */
struct prepared *prepare_trace(const struct trace *t);
void prepared_free(struct prepared *p);
/* The part of [from, to) in which a device was busy, 0 to 1; false for a process that
 * is no device. */
bool busy_share(const struct viewer *v, uint32_t process, int64_t from_ns, int64_t to_ns,
                double *share);

/* times_text.c */
enum { TIME_TEXT = 64 };
const char *time_text(const struct viewer *v, int64_t ns, char out[TIME_TEXT]);

/* overlay.c */
bool overlay_key(struct viewer *v, uint32_t key);
void overlay_draw(struct viewer *v, struct grid *g);

/* screen.c */
void screen_layout(struct viewer *v);
void screen_draw(struct viewer *v, struct grid *g);
struct scale screen_scale(const struct viewer *v);
bool screen_work(struct viewer *v);         /* a piece of the overview */
int screen_tab_width(enum table_kind kind); /* columns of a table's tab */

#endif
