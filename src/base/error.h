/*
 * What went wrong, as data. A function that can fail takes a `struct error *`
 * from its caller and fills it; nothing below main.c prints.
 */
#ifndef SPYTOP_BASE_ERROR_H
#define SPYTOP_BASE_ERROR_H

#include <stdbool.h>
#include <stdint.h>

enum error_kind {
    ERROR_NONE = 0,
    ERROR_IO,        /* a file could not be opened, read or written */
    ERROR_DATA,      /* the content is of no use (not a trace, no event, ...) */
    ERROR_USAGE,     /* the request itself is wrong (bad option, bad time, bad regex) */
    ERROR_CANCELLED, /* the user stopped it */
};

struct error {
    enum error_kind kind;
    char message[480]; /* one line, no trailing newline, safe to print */
};

/* Fills `err` (which may be NULL) unless it already holds an error: the first
 * cause is the one worth telling. Control bytes in the result (a hostile file
 * name, say) are replaced. Always returns false, for `return error_set(...)`. */
bool error_set(struct error *err, enum error_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Forgets what `err` holds. */
void error_clear(struct error *err);

#endif
