/*
 * From files to a trace.
 */
#ifndef SPYTOP_TRACE_LOAD_H
#define SPYTOP_TRACE_LOAD_H

#include "base/error.h"
#include "trace/trace.h"

struct load_progress {
    uint64_t bytes_done, bytes_total; /* of the files on disk; total 0: unknown */
    uint64_t text_bytes;              /* unpacked so far */
    uint64_t events;
};

struct load_options {
    unsigned threads; /* 0: as many as this process may use */
    size_t chunk;     /* bytes a thread scans at a time; 0: a good size */
    /* Called every few megabytes, from the calling thread; returning false stops
     * the load: the trace then holds what was read and says `cancelled`. */
    bool (*progress)(void *context, const struct load_progress *progress);
    void *context;
};

/* Loads the files as ranks of one run. NULL and an error (file or nothing usable
 * in it: not a trace, empty, ...) if no file could be used; damage that was
 * recovered from is in trace->damage. Release with trace_free(). */
struct trace *trace_load(const char *const *paths, size_t count, const struct load_options *options,
                         struct error *err);

/* For tests: a trace from text in memory, as if it were the file "memory". */
struct trace *trace_from_text(const char *text, size_t len, struct error *err);

/* Fills line and column of every place of damage that has none yet, by reading
 * the files again up to the last place. */
void trace_locate_damage(struct trace *t);

#endif
