/*
 * A window of a trace as a trace of its own.
 */
#ifndef SPYTOP_REPORT_EXPORT_H
#define SPYTOP_REPORT_EXPORT_H

#include "index/index.h"

struct export_result {
    uint64_t slices, events, bytes; /* what was written */
};

struct export_options {
    bool force; /* replace an existing file */
    /* Called now and then; false stops it, leaving no file. */
    bool (*progress)(void *context, uint64_t done, uint64_t total);
    void *context;
};

/* Writes the window [from, to) to `path` (gzip where it ends in .gz; "-" is
 * standard output): written beside the target and renamed into place, so the
 * target is complete or untouched. Refuses the source itself. The source's own
 * bytes are kept, except for events that are no valid JSON: those are written
 * anew with the same meaning. False and an error on failure. */
bool export_window(const struct trace *t, const struct index *ix, int64_t from_ns, int64_t to_ns,
                   const char *path, const struct export_options *options,
                   struct export_result *result, struct error *err);

#endif
