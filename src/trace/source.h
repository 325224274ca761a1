/*
 * The text an event was read from, for whoever wants all of it: the event pane,
 * the export.
 */
#ifndef SPYTOP_TRACE_SOURCE_H
#define SPYTOP_TRACE_SOURCE_H

#include "base/text.h"
#include "trace/trace.h"

/* Replaces `out` by the bytes of the event whose `{` is at `byte` of the file, as
 * they stand there. False if they can no longer be read as an event (the file
 * changed). Not to be called from two threads at once. */
bool trace_read_event(const struct trace *t, uint32_t file, uint64_t byte, struct text *out);

/* Reads many events of a file, best in the order of their bytes: a block of the text
 * is kept. Starts with event_reader_init(), released with event_reader_free(). */
struct event_reader {
    const struct trace *t;
    uint32_t file;
    struct text block;
    uint64_t base;     /* where the block is in the text */
    const char *event; /* the last one read; valid until the next call */
    size_t len;
    bool strict; /* it is valid JSON as it stands */
};
void event_reader_init(struct event_reader *r, const struct trace *t, uint32_t file);
void event_reader_free(struct event_reader *r);
bool event_reader_read(struct event_reader *r, uint64_t byte);

/* Likewise the value of a top-level member or any other span. */
bool trace_read_span(const struct trace *t, uint32_t file, uint64_t byte, uint64_t len,
                     struct text *out);

/* Appends the event (or any JSON value) as strictly valid JSON with the same
 * meaning: bad escapes become text, raw control characters are escaped, invalid
 * UTF-8 becomes U+FFFD, NaN and Infinity become strings, broken numbers too, stray
 * commas go. The bytes of what is valid stay as they are. False, with nothing
 * appended, if it cannot be read even so. */
bool json_make_strict(const char *text, size_t len, struct text *out);

/* True if these bytes are one strictly valid JSON value in valid UTF-8. */
bool json_is_strict(const char *text, size_t len);

#endif
