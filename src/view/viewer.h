/*
 * The interactive viewer without a terminal: keys and commands in, a grid of
 * cells out. src/term feeds it from a real terminal, view/script.h from a file.
 */
#ifndef SPYTOP_VIEW_VIEWER_H
#define SPYTOP_VIEW_VIEWER_H

#include "base/error.h"
#include "draw/grid.h"
#include "index/index.h"
#include "trace/load.h"
#include "view/key.h"

struct viewer;

struct viewer_setup {
    bool ascii;                    /* no blocks, no ellipsis: ASCII only */
    bool mono;                     /* no colour: flags must tell everything */
    const char *iteration_pattern; /* NULL: none */
    const char *title;             /* the file's (or folder's) name */
    int cols, rows;
};

/* A viewer without a trace: it shows the progress of a load. Release with
 * viewer_free(), which does not release the trace. */
struct viewer *viewer_new(const struct viewer_setup *setup);
void viewer_free(struct viewer *v);

/* Shows how far a load is (bytes, MB/s, events, time left). */
void viewer_progress(struct viewer *v, const struct load_progress *progress, double seconds);

/* Gives it the trace (and index), or another one after `R`: the view stays where it
 * was as far as possible. Both must stay until viewer_free() or the next call. */
void viewer_show(struct viewer *v, const struct trace *t, const struct index *ix);

/* Shows a window; open sides (INT64_MIN, INT64_MAX) are the ends of the trace. */
void viewer_set_window(struct viewer *v, int64_t from_ns, int64_t to_ns);

/* A one-line message for the user, replaced by the next one. */
void viewer_message(struct viewer *v, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void viewer_resize(struct viewer *v, int cols, int rows);
void viewer_key(struct viewer *v, uint32_t key);
void viewer_mouse(struct viewer *v, const struct mouse_event *event);

/* Runs a named command with its arguments, as `:` and scripts do. False and an
 * error if there is none of that name or it failed. */
bool viewer_command(struct viewer *v, const char *line, struct error *err);

/* Draws everything into the grid (which is resized to the viewer's size). The cost
 * depends on the size of the screen, not of the trace. */
void viewer_draw(struct viewer *v, struct grid *g);

/* Tables over many slices are computed a piece at a time while nobody presses a
 * key: does one piece (some milliseconds) and says whether there is more to do. */
bool viewer_work(struct viewer *v);

/* What the viewer wants from its caller; reading it resets it to VIEWER_NOTHING. */
enum viewer_wish {
    VIEWER_NOTHING,
    VIEWER_QUIT,
    VIEWER_SUSPEND,  /* Ctrl-Z */
    VIEWER_REDRAW,   /* Ctrl-L: paint everything anew */
    VIEWER_RELOAD,   /* R */
    VIEWER_STOP_LOAD /* Esc or Ctrl-C during a load: show what there is */
};
enum viewer_wish viewer_wish(struct viewer *v);

#endif
