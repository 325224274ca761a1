/*
 * Times and windows on the command line and at the viewer's prompt.
 */
#ifndef SPYTOP_QUERY_TIMES_H
#define SPYTOP_QUERY_TIMES_H

#include "base/error.h"
#include "trace/trace.h"

/* NUMBER[ns|us|ms|s] from the origin on, microseconds without a unit; @NUMBER[unit] on
 * the file's own clock. The result counts from the origin. */
bool time_parse(const struct trace *t, const char *text, size_t len, int64_t *ns);

/* FROM..TO; a side that is left out is INT64_MIN or INT64_MAX. */
bool window_parse(const struct trace *t, const char *text, int64_t *from_ns, int64_t *to_ns,
                  struct error *err);

#endif
