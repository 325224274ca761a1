#include "scan/window.h"

#include <stdlib.h>

#include "base/memory.h"

/* Large enough that a read costs little, small enough to stay in the cache. */
enum { DEFAULT_BLOCK = 512 * 1024 };

void window_open(struct window *w, const struct scan_source *source)
{
    w->source = source;
    w->block = source->block ? source->block : DEFAULT_BLOCK;
    w->capacity = w->block * 2 + SCAN_PADDING;
    w->buffer = xmalloc(w->capacity);
    memset(w->buffer, 0, SCAN_PADDING);
    w->p = w->end = w->buffer;
    w->base = 0;
    w->eof = false;
}

void window_close(struct window *w)
{
    free(w->buffer);
    w->buffer = NULL;
}

bool window_more(struct window *w, const char *keep, ptrdiff_t *shift)
{
    size_t kept = (size_t)(w->end - keep), ahead = (size_t)(w->p - keep);
    *shift = 0;
    if (w->eof || kept >= WINDOW_MAX)
        return false;
    size_t need = kept + w->block + SCAN_PADDING;
    const char *old = keep;
    w->base += (uint64_t)(keep - w->buffer);
    if (need > w->capacity) {
        /* Doubling: a value that is looked at again after each growth costs in
         * sum no more than twice its length. */
        size_t capacity = kept * 2 + w->block + SCAN_PADDING;
        char *grown = xmalloc(capacity);
        memcpy(grown, keep, kept);
        free(w->buffer);
        w->buffer = grown;
        w->capacity = capacity;
    } else {
        memmove(w->buffer, keep, kept);
    }
    *shift = (ptrdiff_t)((uintptr_t)w->buffer - (uintptr_t)old);
    w->p = w->buffer + ahead;
    /* A value larger than a block is read in steps of its own size. */
    size_t room = w->capacity - SCAN_PADDING - kept;
    size_t want = kept > w->block && room > w->block ? room : w->block;
    size_t got = 0;
    while (got < want && !w->eof) {
        size_t n = w->source->read(w->source->context, w->buffer + kept + got, want - got);
        w->eof = n == 0;
        got += n;
    }
    w->end = w->buffer + kept + got;
    memset(w->buffer + kept + got, 0, SCAN_PADDING);
    return got > 0;
}

void window_jump(struct window *w, uint64_t offset)
{
    if (offset <= window_offset(w, w->end)) {
        w->p = w->buffer + (offset - w->base);
        return;
    }
    w->base = offset;
    w->p = w->end = w->buffer;
    w->eof = false;
    memset(w->buffer, 0, SCAN_PADDING);
}
