/*
 * From bytes to events: walks a trace file of any form (object, array, one event a
 * line, several in a row), hands out every event that can be read and says what is
 * wrong and where. After damage it goes on at the next intact event.
 */
#ifndef SPYTOP_SCAN_SCANNER_H
#define SPYTOP_SCAN_SCANNER_H

#include "scan/event.h"

/* Who gets the results. All calls come from scan_text()'s thread, in file order. */
struct scan_sink {
    void *context;

    /* One event; its tokens point into a buffer that is valid during the call.
     * `byte` is the offset of its `{`. Flaws were reported by damage() before. */
    void (*event)(void *context, const struct event *ev, uint64_t byte);

    void (*damage)(void *context, enum damage_kind kind, uint64_t byte);

    /* A top-level member other than traceEvents. `value` is its text, as long as
     * the call. */
    void (*member)(void *context, const struct token *key, const struct token *value,
                   uint64_t key_byte, uint64_t byte);

    /* After each block: how much text was read. False stops the scan. NULL: none. */
    bool (*progress)(void *context, uint64_t text_bytes);
};

/* Where the bytes come from: as input_read(). */
struct scan_source {
    size_t (*read)(void *context, void *buffer, size_t size);
    void *context;
    size_t block;                  /* bytes asked for at a time; 0: a good size */
    const struct run_supply *runs; /* what was scanned ahead (scan/run.h); NULL: nothing */
};

struct scan_result {
    uint64_t events;     /* handed out */
    uint64_t text_bytes; /* read */
    bool stopped;        /* by progress() */
    bool has_array;      /* an array for events was seen */
};

struct scan_result scan_text(const struct scan_source *source, const struct scan_sink *sink);

#endif
