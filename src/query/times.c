#include "query/times.h"

#include <string.h>

#include "base/duration.h"

bool time_parse(const struct trace *t, const char *text, size_t len, int64_t *ns)
{
    bool clock = len > 0 && *text == '@';
    if (!duration_parse(text + clock, len - clock, ns))
        return false;
    if (clock)
        *ns = ns_sub(*ns, t->origin_ns);
    return true;
}

bool window_parse(const struct trace *t, const char *text, int64_t *from_ns, int64_t *to_ns,
                  struct error *err)
{
    const char *dots = strstr(text, "..");
    /* "1...2" is 1. and .2 to some and an error to us. */
    if (!dots || dots[2] == '.')
        return error_set(err, ERROR_USAGE, "bad window '%s': it takes FROM..TO", text);
    *from_ns = INT64_MIN;
    *to_ns = INT64_MAX;
    if (dots > text && !time_parse(t, text, (size_t)(dots - text), from_ns))
        return error_set(err, ERROR_USAGE, "bad time '%.*s' in window '%s'", (int)(dots - text),
                         text, text);
    if (dots[2] && !time_parse(t, dots + 2, strlen(dots + 2), to_ns))
        return error_set(err, ERROR_USAGE, "bad time '%s' in window '%s'", dots + 2, text);
    if (*from_ns > *to_ns)
        return error_set(err, ERROR_USAGE, "window '%s' ends before it begins", text);
    return true;
}
