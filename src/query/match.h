/*
 * Regular expressions over the names of a trace, and the search for slices.
 */
#ifndef SPYTOP_QUERY_MATCH_H
#define SPYTOP_QUERY_MATCH_H

#include "query/select.h"

/* Per id of trace->names: does the name match? (POSIX extended, ignoring case
 * unless the pattern has an upper-case letter; names are matched up to their
 * first NUL; an empty pattern matches everything.) Release with free(). NULL and
 * an error for a bad pattern. Only names that slices use are tried. */
bool *match_names(const struct trace *t, const char *regex, struct error *err);

/* The nearest slice with a matching name after (before) the given one in time:
 * order is start, then slice index. `from` may be TRACE_NONE: then the first after
 * (last before) `at_ns`. `hidden` (NULL or per track) leaves tracks out. TRACE_NONE
 * where there is none. Cost O(tracks * (log n + distance to the hit)). */
uint32_t match_next(const struct trace *t, const struct index *ix, const bool *names,
                    const bool *hidden, uint32_t from, int64_t at_ns);
uint32_t match_previous(const struct trace *t, const struct index *ix, const bool *names,
                        const bool *hidden, uint32_t from, int64_t at_ns);

/* How many slices match, and how many of them come before `slice` in the order of
 * match_next(): for "12 of 480". O(n). */
uint32_t match_count(const struct trace *t, const bool *names, uint32_t slice, uint32_t *before);

#endif
