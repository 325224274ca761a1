#include "trace/source.h"

#include <stdlib.h>

#include "base/memory.h"
#include "scan/event.h"
#include "scan/window.h"

/* Most events are shorter; longer ones are read again in larger steps. */
enum { FIRST_READ = 4096 };

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

bool trace_read_event(const struct trace *t, uint32_t file, uint64_t byte, struct text *out)
{
    struct event ev;
    for (size_t size = FIRST_READ; size <= WINDOW_MAX; size *= 4) {
        size_t got = read_padded(t, file, byte, size, out);
        if (got == 0 || out->data[0] != '{')
            break;
        enum event_result result = event_parse(out->data, out->data + got, EVENT_DEPTH, &ev);
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

bool trace_read_span(const struct trace *t, uint32_t file, uint64_t byte, uint64_t len,
                     struct text *out)
{
    if (len > WINDOW_MAX || read_padded(t, file, byte, (size_t)len, out) != len) {
        out->len = 0;
        return false;
    }
    return true;
}
