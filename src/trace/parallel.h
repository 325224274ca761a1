/*
 * Loading with several threads: one reads (and unpacks) the text in chunks, others
 * scan each chunk from a guessed event on, and the scanner proper takes over what
 * they found where it arrives at exactly their first byte. A wrong guess costs time,
 * never correctness: the result is that of one thread, bit for bit.
 */
#ifndef SPYTOP_TRACE_PARALLEL_H
#define SPYTOP_TRACE_PARALLEL_H

#include "input/input.h"
#include "scan/run.h"
#include "trace/builder.h"

struct parallel;

/* Starts to read the input and to scan it ahead with `threads` threads; `chunk` is
 * the size of the pieces, 0 for a good one. Runs that are taken go to `builder`.
 * NULL, with the input untouched, if the threads cannot be had. */
struct parallel *parallel_start(struct input *in, struct builder *builder, unsigned threads,
                                size_t chunk);

/* What scan_text() reads from. Valid until parallel_end(). */
const struct scan_source *parallel_source(const struct parallel *p);

/* Bytes of the file that the reader has used up to the place where scan_text() is. */
uint64_t parallel_consumed(const struct parallel *p);

/* Stops the threads, wherever they are, and releases everything. */
void parallel_end(struct parallel *p);

#endif
