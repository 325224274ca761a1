/*
 * One trace event (or any JSON value) in memory: checked to its last byte, the few
 * fields that a timeline needs taken out, everything else skipped.
 */
#ifndef SPYTOP_SCAN_EVENT_H
#define SPYTOP_SCAN_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "scan/bytes.h"
#include "scan/damage.h"

enum token_type {
    TOKEN_NONE = 0, /* the event has no such key */
    TOKEN_STRING,   /* p, len: what is between the quotes */
    TOKEN_ESCAPED,  /* likewise, with escapes in it: see string_decode() */
    TOKEN_NUMBER,   /* the digits as they stand */
    TOKEN_NULL,
    TOKEN_WORD,   /* true, false, NaN, inf, ... */
    TOKEN_OBJECT, /* with its brackets */
    TOKEN_ARRAY,
};

struct token {
    const char *p;
    uint32_t len;
    enum token_type type;
};

/* What was forgiven in an event: kinds and the first place of each. */
enum { EVENT_FLAWS = 12 };
struct flaw {
    enum damage_kind kind;
    const char *at;
};

struct event {
    const char *start, *end; /* `{` and behind `}` */
    struct token ph, cat, name, pid, tid, ts, dur, id, id2, bp, scope, args;
    struct token correlation, orig_name; /* of args */
    bool enriched;                       /* args has user_cat or pt_active */
    bool empty;                          /* {} */
    struct flaw flaws[EVENT_FLAWS];
    int flaw_count;

    /* Where the reading ended if it did not succeed, and why. */
    const char *stop;
    enum damage_kind why;
};

enum event_result {
    EVENT_OK,
    EVENT_MORE,    /* the text ends before the value does */
    EVENT_DAMAGED, /* see ev->why and ev->stop */
    EVENT_NESTED,  /* an object with a "traceEvents" key; ev->stop is that key's quote */
};

/* Nesting that is still read; deeper is TOO_DEEP. While searching for the next
 * intact event after damage a small limit keeps the search linear. */
enum { EVENT_DEPTH = 100000, EVENT_DEPTH_SEARCH = 32 };

/* Writers put the same keys in the same order with the same white space between
 * them. This remembers what stood between two values the last times: where it
 * stands there again, one comparison replaces reading it. Starts as {0}. */
enum { EVENT_JOINTS = 64, JOINT_MAX = 32 };
struct joint {
    char bytes[JOINT_MAX]; /* `,\n    "name": `, from the end of a value to the next one */
    uint32_t mask;         /* a bit for each byte of it; 0: nothing is known */
    uint8_t len, level, key_at, key_len;
    uint16_t field; /* where in struct event the value goes; 0: nowhere */
};
struct event_memory {
    struct joint joints[EVENT_JOINTS];
    uint8_t next[EVENT_JOINTS + 4]; /* what followed each joint, and each `{` by its level */
};

/* event_parse() for many events one after the other. */
enum event_result event_parse_next(const char *p, const char *end, struct event *ev,
                                   struct event_memory *memory);

/* Reads the object that begins at p (*p is '{'). Behind `end` there must be
 * SCAN_PADDING zero bytes. On success *ev is filled; tokens point into the text. */
enum event_result event_parse(const char *p, const char *end, unsigned depth_limit,
                              struct event *ev);

/* Skips any JSON value that begins at p; ev->start and ev->end tell where it is,
 * flaws are noted, no fields are taken. */
enum event_result value_skip(const char *p, const char *end, struct event *ev);

/* The member `key` of an object's text (a TOKEN_OBJECT), of type TOKEN_NONE where
 * it has none. The object must have been read by event_parse() before. The last of
 * several counts. */
struct token object_member(const struct token *object, const char *key);

/* Walks the members of an object: start with *cursor = NULL; false at the end. */
bool object_next(const struct token *object, const char **cursor, struct token *key,
                 struct token *value);

/* Appends what a string token stands for: escapes resolved (surrogate pairs too, a
 * lone surrogate is U+FFFD), bad escapes as they stand, all other bytes kept. For
 * tokens of other types the text itself. */
void token_decode(const struct token *token, struct text *out);

/* True if the token is a string (or word) of exactly these bytes. */
bool token_is(const struct token *token, const char *text);

#endif
