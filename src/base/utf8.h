/*
 * Text from a trace is hostile: it may hold control bytes, escape sequences,
 * bytes that are no UTF-8 and characters that reorder the line. These calls
 * read it, measure it and make it harmless.
 */
#ifndef SPYTOP_BASE_UTF8_H
#define SPYTOP_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UTF8_NUL_TERMINATED ((size_t)-1)

/* Decodes one character at p (p < end). Returns the bytes consumed (1 to 4)
 * and stores the code point. A byte that begins no valid sequence (overlong,
 * surrogate, above U+10FFFF, cut) is consumed alone and yields -1. */
int utf8_decode(const char *p, const char *end, int32_t *code);

/* Encodes `code` (0..0x10FFFF) into out[4]; returns the bytes written. */
int utf8_encode(uint32_t code, char out[4]);

/* True if the len bytes at p are valid UTF-8. */
bool utf8_valid(const char *p, size_t len);

/* Columns a code point takes on a terminal: 0 (combining, zero width), 1 or 2.
 * Independent of the locale. Control characters count 1: they are never drawn
 * as such. */
int utf8_width(uint32_t code);

/* The harmless stand-in for a code point: itself where it can be shown;
 * U+2400+n for C0 controls, U+2421 for DEL, U+FFFD for C1 controls,
 * bidirectional and other invisible format controls, line separators,
 * non-characters, and for a negative `code` (an invalid byte). */
uint32_t utf8_visible(int32_t code);

/* Copies `len` bytes of text (or up to its NUL, with UTF8_NUL_TERMINATED) into
 * out[size] with every character replaced by its utf8_visible() form, cut at a
 * character boundary where it does not fit, always NUL-terminated. Returns the
 * bytes written, without the NUL. */
size_t utf8_make_safe(char *out, size_t size, const char *text, size_t len);

/* Sum of utf8_width() over the visible forms of the text. */
size_t utf8_columns(const char *text, size_t len);

#endif
