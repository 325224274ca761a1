/*
 * The viewer on a real terminal.
 */
#ifndef SPYTOP_TERM_SESSION_H
#define SPYTOP_TERM_SESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct session_setup {
    const char *const *paths;
    size_t path_count;
    unsigned threads;               /* 0: as many as are useful */
    const char *iteration_pattern;  /* NULL: none */
    const char *window, *iteration; /* what to show first; NULL: the focus */
    bool ascii, mono, mouse;
};

/* Loads the traces while the screen shows how far that is, then shows them until the
 * user quits. False and an error if the terminal cannot do it or the traces cannot be
 * loaded. Signals that end the program are raised again once the terminal is as it
 * was. */
bool session_run(const struct session_setup *setup, struct error *err);

/* Puts the terminal back as it was, if it is in use; safe in a signal handler and at
 * any time. */
void term_restore(void);

#endif
