/*
 * From what a builder has collected to a trace: pairs joined, tracks in display
 * order, slices sorted.
 */
#ifndef SPYTOP_TRACE_FINISH_H
#define SPYTOP_TRACE_FINISH_H

#include "trace/builder.h"

/* Finishes the builder's trace; the builder's columns are used up. */
void builder_finish(struct builder *b);

/* The steps, in this order. */

/* pairs.c: B and E events become slices; what fits nothing is counted. */
void finish_pairs(struct builder *b);

/* tracks.c: processes and tracks in display order; trace->source_track. */
void finish_tracks(struct builder *b);

/* order.c: the slices' columns, sorted by track, start, longer first, file order. */
void finish_order(struct builder *b);

/* extras.c: flows numbered, counters' samples by time, async events paired, side
 * lists by time. */
void finish_extras(struct builder *b);

/* focus.c: where the bulk of the slices is, and what lies far outside. */
void finish_focus(struct trace *t);

/* Adds a slice to the builder's columns, or makes room for more. */
void columns_reserve(struct columns *c, size_t more);
void columns_add(struct columns *c, int64_t ts_ns, int64_t dur_ns, uint32_t label, uint32_t source,
                 uint32_t correlation, uint64_t byte);

#endif
