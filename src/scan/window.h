/*
 * The part of the text that is in memory: blocks are read behind one another into
 * one buffer, what is still needed moves to its front.
 */
#ifndef SPYTOP_SCAN_WINDOW_H
#define SPYTOP_SCAN_WINDOW_H

#include "scan/scanner.h"

/* A value that does not fit in this much is damage: nobody writes such events, and
 * an unclosed bracket must not take all memory. */
#define WINDOW_MAX ((size_t)256 << 20)

struct window {
    const struct scan_source *source;
    char *buffer;
    size_t capacity, block;
    const char *p, *end; /* what is not yet scanned; SCAN_PADDING zeros follow */
    uint64_t base;       /* offset in the text of buffer[0] */
    bool eof;            /* nothing follows `end` */
};

void window_open(struct window *w, const struct scan_source *source);
void window_close(struct window *w);

/* The offset in the text of a byte in the window. */
static inline uint64_t window_offset(const struct window *w, const char *at)
{
    return w->base + (uint64_t)(at - w->buffer);
}

/* Reads another block; everything from `keep` on (keep <= p) stays in memory, and
 * pointers into it move by the returned distance through *shift. False, with
 * nothing changed, at the end of the text or if the kept part is as large as may
 * be. */
bool window_more(struct window *w, const char *keep, ptrdiff_t *shift);

/* Goes on at an offset at or behind p, from where the source now delivers unless the
 * window holds that place already. */
void window_jump(struct window *w, uint64_t offset);

#endif
