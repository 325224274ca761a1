/*
 * Flow events: which slices they connect.
 */
#ifndef SPYTOP_QUERY_FLOWS_H
#define SPYTOP_QUERY_FLOWS_H

#include "index/index.h"
#include "trace/trace.h"

/* The slice a flow event belongs to, or TRACE_NONE: a start or step, and an end with
 * bp "e", to the slice open at its time on its track (the one that starts there, if
 * one does); any other end to the next slice that starts. */
uint32_t flow_slice(const struct trace *t, const struct index *ix, const struct side_event *flow);

/* How many chains of flow events (of one category, name and id, from one start to the
 * next) are complete, having a start and an end, and how many are not. */
void flows_count(const struct trace *t, uint64_t *complete, uint64_t *dangling);

/* Calls `visit` for every start and each of the ends that follow it in time before the
 * next start of the same key. */
void flows_each(const struct trace *t,
                void (*visit)(void *context, const struct side_event *start,
                              const struct side_event *end),
                void *context);

#endif
