/*
 * The terminal as curses sees it: from cells to the screen.
 */
#ifndef SPYTOP_TERM_PAINTER_H
#define SPYTOP_TERM_PAINTER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "draw/grid.h"

/* Takes over the terminal: keys from `key_fd`, pictures to standard output. False and
 * an error if there is none or it cannot place its cursor. */
bool painter_open(int key_fd, bool mono, bool mouse, struct error *err);
void painter_close(void);

/* The terminal's size now. */
void painter_size(int *cols, int *rows);

/* Tells curses of a new size. */
void painter_resize(int cols, int rows);

/* True if the terminal shows UTF-8; true if it has no colours (or none are wanted). */
bool painter_utf8(void);
bool painter_mono(void);

/* Brings the screen to what the grid holds; sends what differs. `again`: everything. */
void painter_draw(const struct grid *g, bool again);

/* For Ctrl-Z and its like: out of the way, and back. */
void painter_leave(void);
void painter_return(void);

/* The next key, or -1 if none waits; KEY codes of view/key.h. A mouse event yields
 * PAINTER_MOUSE and fills *event; the end of the input PAINTER_GONE. */
enum { PAINTER_NONE = -1, PAINTER_MOUSE = -2, PAINTER_GONE = -3, PAINTER_RESIZE = -4 };
struct mouse_event;
long painter_key(struct mouse_event *event);

/* What has to be written to put the terminal back, for a signal handler: valid from
 * painter_open() on. */
extern struct painter_restore {
    char bytes[256];
    size_t len;
} painter_restore;

#endif
