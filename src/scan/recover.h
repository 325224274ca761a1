/*
 * Where to go on after damage: the next place that looks like the beginning of an
 * event and can be read as one.
 */
#ifndef SPYTOP_SCAN_RECOVER_H
#define SPYTOP_SCAN_RECOVER_H

#include "scan/window.h"

enum recover_result {
    RECOVER_EVENT,     /* w->p is at an event, which was read into *ev */
    RECOVER_CONTAINER, /* w->p is at an object that holds traceEvents */
    RECOVER_ARRAY_END, /* w->p is at the `]` that ends the events */
    RECOVER_END,       /* nothing more in the text */
    RECOVER_STOPPED
};

/* Searches from w->p on. What looks like an event but cannot be read is reported
 * as damage to the sink. `array_end`: a `]` that ends the array of events may be
 * found too. Linear in the length of the text. */
enum recover_result recover(struct window *w, const struct scan_sink *sink, bool array_end,
                            struct event *ev);

/* True if the `{` at `brace` looks like the beginning of an event; `text` is the first
 * byte that may be looked at. */
bool may_begin_event(const char *text, const char *brace, const char *end);

/* True if an event has what an event needs, and is no other object. */
bool is_whole_event(const struct event *ev);

/* True if the len bytes are a key that events have ("ph", "name", "ts", ...). */
bool is_event_key(const char *key, size_t len);

#endif
