#include "trace/source.h"

#include <stdlib.h>

#include "base/memory.h"
#include "scan/event.h"
#include "scan/window.h"

/* Most events are shorter; longer ones are read again in larger steps. Many events
 * are read in larger blocks. */
enum { FIRST_READ = 4096, BLOCK_READ = 256 * 1024 };

/* Makes `out` hold up to `size` bytes of the text at `byte`, followed by zeros. */
static size_t read_padded(const struct trace *t, uint32_t file, uint64_t byte, size_t size,
                          struct text *out)
{
    out->len = 0;
    if (out->capacity < size + SCAN_PADDING) {
        out->data = xrealloc(out->data, size + SCAN_PADDING);
        out->capacity = size + SCAN_PADDING;
    }
    size_t got = 0;
    while (got < size) {
        size_t n = input_read_at(t->files[file].in, byte + got, out->data + got, size - got);
        if (n == 0)
            break;
        got += n;
    }
    memset(out->data + got, 0, SCAN_PADDING);
    out->len = got;
    return got;
}

/* Reads the event at the beginning of what `out` holds; MORE if it does not end
 * there. */
static enum event_result parse_at(const char *p, const char *end, struct event *ev)
{
    return p < end && *p == '{' ? event_parse(p, end, EVENT_DEPTH, ev) : EVENT_DAMAGED;
}

bool trace_read_event(const struct trace *t, uint32_t file, uint64_t byte, struct text *out)
{
    struct event ev;
    for (size_t size = FIRST_READ; size <= WINDOW_MAX; size *= 4) {
        size_t got = read_padded(t, file, byte, size, out);
        enum event_result result = parse_at(out->data, out->data + got, &ev);
        if (result == EVENT_OK) {
            out->len = (size_t)(ev.end - ev.start);
            memset(out->data + out->len, 0, SCAN_PADDING);
            return true;
        }
        if (result != EVENT_MORE || got < size)
            break;
    }
    out->len = 0;
    return false;
}

void event_reader_init(struct event_reader *r, const struct trace *t, uint32_t file)
{
    *r = (struct event_reader){.t = t, .file = file};
}

void event_reader_free(struct event_reader *r)
{
    text_free(&r->block);
}

/* Half of a surrogate pair is allowed by the grammar, but readers refuse it; this
 * only says that there may be one. */
static bool may_have_surrogate(const char *p, size_t len)
{
    return memmem(p, len, "\\ud", 3) || memmem(p, len, "\\uD", 3);
}

static bool take_event(struct event_reader *r, const struct event *ev)
{
    r->event = ev->start;
    r->len = (size_t)(ev->end - ev->start);
    r->strict = true;
    for (int i = 0; i < ev->flaw_count; i++)
        r->strict &= ev->flaws[i].kind == DAMAGE_DUPLICATE_KEY;
    if (r->strict && may_have_surrogate(r->event, r->len))
        r->strict = json_is_strict(r->event, r->len);
    return true;
}

bool event_reader_read(struct event_reader *r, uint64_t byte)
{
    struct event ev;
    if (r->block.data && byte >= r->base && byte < r->base + r->block.len) {
        const char *end = r->block.data + r->block.len;
        if (parse_at(r->block.data + (byte - r->base), end, &ev) == EVENT_OK)
            return take_event(r, &ev);
    }
    for (size_t size = BLOCK_READ; size <= WINDOW_MAX; size *= 4) {
        size_t got = read_padded(r->t, r->file, byte, size, &r->block);
        r->base = byte;
        enum event_result result = parse_at(r->block.data, r->block.data + got, &ev);
        if (result == EVENT_OK)
            return take_event(r, &ev);
        if (result != EVENT_MORE || got < size)
            break;
    }
    r->block.len = 0;
    return false;
}

bool trace_read_span(const struct trace *t, uint32_t file, uint64_t byte, uint64_t len,
                     struct text *out)
{
    if (len > WINDOW_MAX || read_padded(t, file, byte, (size_t)len, out) != len) {
        out->len = 0;
        return false;
    }
    return true;
}
