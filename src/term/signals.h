/*
 * Signals: those that end the program are noted and raised again once the terminal is
 * as it was; crashes put it back on the spot.
 */
#ifndef SPYTOP_TERM_SIGNALS_H
#define SPYTOP_TERM_SIGNALS_H

#include <stdbool.h>

/* Installs the handlers; a byte arrives on the returned descriptor whenever a signal
 * has. -1 on failure. */
int signals_open(void);
void signals_close(void);

/* Empties the pipe. */
void signals_drain(void);

/* The number of the signal that wants the program to end, 0 if none does. */
int signals_end(void);

/* True once after the terminal changed its size, or the program was continued. */
bool signals_resized(void);
bool signals_continued(void);

/* Wakes whoever waits for the pipe; safe in any thread. */
void signals_wake(void);

/* Ends the program by a signal, as if nobody had caught it. */
void signals_raise(int number);

/* Stops the program as Ctrl-Z does; returns when it is continued. */
void signals_stop(void);

#endif
