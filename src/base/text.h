/*
 * A growing byte buffer for output: reports, exports, messages.
 */
#ifndef SPYTOP_BASE_TEXT_H
#define SPYTOP_BASE_TEXT_H

#include <stddef.h>

/* Starts as {0}; `data` is NUL-terminated once anything was added. */
struct text {
    char *data;
    size_t len, capacity;
};

void text_add(struct text *t, const void *bytes, size_t len);
void text_puts(struct text *t, const char *s);
void text_putc(struct text *t, char c);
void text_printf(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_clear(struct text *t); /* keeps the memory */
void text_free(struct text *t);

#endif
