/*
 * A run of intact events, one comma between two of them, scanned without knowing
 * what stands before: what threads do ahead of the scanner. The scanner takes a run
 * over if it arrives at exactly its first byte inside of an array of events.
 */
#ifndef SPYTOP_SCAN_RUN_H
#define SPYTOP_SCAN_RUN_H

#include "scan/scanner.h"

struct run {
    const char *start, *end; /* from the first event's `{` to behind the last one's `}` */
    uint64_t events;
};

/* Looks for the first event in the text and reads on as long as everything is in
 * order; an event that is not whole in the text ends the run. `base` is the offset of
 * `text` in the whole text. Behind `end` there must be SCAN_PADDING zero bytes. False
 * if no event was found. */
bool scan_run(const char *text, const char *end, uint64_t base, const struct scan_sink *sink,
              struct run *run);

/* What a scanner is told of runs that are ready. */
struct run_supply {
    void *context;
    /* True if a run begins at exactly this byte. Otherwise none begins before *until:
     * no need to ask earlier. Waits until it is known. `byte` never goes back. */
    bool (*find)(void *context, uint64_t byte, uint64_t *until);
    /* Takes the run that find() has found: its events go to whoever wants them.
     * Returns the offset of the byte behind it and the number of its events. The
     * source then delivers from there. */
    uint64_t (*take)(void *context, uint64_t *events);
};

#endif
