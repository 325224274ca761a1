/*
 * What is wrong with a file, as data: kinds, counts and places.
 */
#ifndef SPYTOP_SCAN_DAMAGE_H
#define SPYTOP_SCAN_DAMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kinds, in the order in which they are listed. The text is the `kind` of
 * JSON reports and what a warning says; %s-free, lower case. */
#define DAMAGE_KINDS(X)                                                                            \
    X(EMPTY_FILE, "empty_file", "the file is empty")                                               \
    X(NOT_JSON, "not_json", "this is not JSON")                                                    \
    X(NOT_A_TRACE, "not_a_trace", "no trace events were found in this file")                       \
    X(NO_EVENTS, "no_events", "the trace holds no events with a duration")                         \
    X(READ_ERROR, "read_error", "the file could not be read further")                              \
    X(CHANGED_ON_DISK, "changed_on_disk", "the file changed while it was read")                    \
    X(WRONG_EXTENSION, "wrong_extension", "the file's name does not match its content")            \
    X(ENCODING, "encoding", "the text is not UTF-8 and was converted")                             \
    X(BOM, "bom", "a byte order mark was skipped")                                                 \
    X(GZIP_TRUNCATED, "gzip_truncated", "the compressed data is cut off")                          \
    X(GZIP_CRC, "gzip_crc", "the checksum of the compressed data is wrong")                        \
    X(GZIP_TRAILING_GARBAGE, "gzip_trailing_garbage", "bytes after the compressed data skipped")   \
    X(TRUNCATED, "truncated", "the file is cut off; the last event is incomplete")                 \
    X(MISSING_BRACKET, "missing_bracket", "a closing or opening bracket is missing")               \
    X(TRAILING_DATA, "trailing_data", "there is more after the end of the trace")                  \
    X(NESTED_TRACE, "nested_trace", "a traceEvents array inside another was read as well")         \
    X(TOO_DEEP, "too_deep", "values nested too deeply; the event is left out")                     \
    X(BAD_EVENT, "bad_event", "a damaged event is left out")                                       \
    X(UNESCAPED_QUOTE, "unescaped_quote", "an unescaped quote in a string; the event is left out") \
    X(BAD_ESCAPE, "bad_escape", "a bad escape in a string is taken as text")                       \
    X(CONTROL_CHAR, "control_char", "a raw control character in a string")                         \
    X(INVALID_UTF8, "invalid_utf8", "bytes that are not UTF-8 in a string")                        \
    X(BAD_NUMBER, "bad_number", "a number that is not valid JSON")                                 \
    X(NONFINITE_NUMBER, "nonfinite_number", "a number that is not finite")                         \
    X(MISSING_COMMA, "missing_comma", "a comma is missing")                                        \
    X(EXTRA_COMMA, "extra_comma", "a comma too many")                                              \
    X(DUPLICATE_KEY, "duplicate_key", "a key stands twice in one event; the last one counts")      \
    X(OUT_OF_RANGE, "out_of_range", "a time beyond 63 bits of nanoseconds; the event is left out") \
    X(NEGATIVE_DUR, "negative_dur", "a negative duration is taken as 0")                           \
    X(UNMATCHED_BEGIN, "unmatched_begin", "a begin event without an end")                          \
    X(UNMATCHED_END, "unmatched_end", "an end event without a begin")                              \
    X(UNKNOWN_PHASE, "unknown_phase", "events of an unknown phase are only counted")               \
    X(OVERLAP, "overlap", "slices of one track overlap without nesting")                           \
    X(OUTLIER_TIMESTAMP, "outlier_timestamp", "a time far from all others")                        \
    X(OUTLIER_DURATION, "outlier_duration", "a duration far beyond all others")

enum damage_kind {
#define X(id, name, text) DAMAGE_##id,
    DAMAGE_KINDS(X)
#undef X
        DAMAGE_KIND_COUNT
};

/* "bad_event"; "a damaged event is left out". */
const char *damage_name(enum damage_kind kind);
const char *damage_text(enum damage_kind kind);

/* One place. `byte` is the 0-based offset in the unpacked text of file `file`
 * (an index into the trace's files), or DAMAGE_NO_PLACE; line and column are
 * 1-based, 0 until they were looked up (columns count bytes). */
#define DAMAGE_NO_PLACE UINT64_MAX
struct damage_place {
    enum damage_kind kind;
    uint32_t file;
    uint64_t byte, line, column;
};

/* All damage of a load: how often each kind occurred, and the first places of
 * each (at most DAMAGE_PLACES_PER_KIND, in order of occurrence). Starts as
 * {0}. */
enum { DAMAGE_PLACES_PER_KIND = 200 };
struct damage {
    uint64_t counts[DAMAGE_KIND_COUNT];
    struct damage_place *places;
    size_t place_count, place_capacity;
};

void damage_add(struct damage *damage, enum damage_kind kind, uint32_t file, uint64_t byte);
/* Adds what `later` holds, as if it had occurred after. */
void damage_merge(struct damage *damage, const struct damage *later);
void damage_free(struct damage *damage);

/* The first place of a kind, or NULL where it did not occur. */
const struct damage_place *damage_first(const struct damage *damage, enum damage_kind kind);

#endif
