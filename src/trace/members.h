/*
 * What the top-level members of a trace say about it.
 */
#ifndef SPYTOP_TRACE_MEMBERS_H
#define SPYTOP_TRACE_MEMBERS_H

#include "scan/event.h"
#include "trace/trace.h"

/* Notes where a member is and takes from it what is of use: baseTimeNanoseconds,
 * the rank of distributedInfo, whether acelyzer wrote the file. */
void member_add(struct trace *t, struct trace_file *file, const struct token *key,
                const struct token *value, uint64_t key_byte, uint64_t byte);

#endif
