/*
 * Times as the user wants to see them (`T`).
 */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "base/duration.h"
#include "view/view.h"

/* As exact as the window needs: its ends are to be told apart, and neighbouring columns,
 * in a unit that suits its end. */
static void time_in_window(const struct viewer *v, int64_t ns, int64_t zero_ns,
                           char out[TIME_TEXT - 1])
{
    char text[DURATION_TEXT];
    const char *unit;
    int64_t last = ns_sub(v->to_ns, zero_ns), first = ns_sub(v->from_ns, zero_ns);
    if (last < 0 || (first < 0 && ns_sub(0, first) > last))
        last = ns_sub(0, first);
    int64_t divisor = duration_unit(last, &unit), cell = ns_sub(v->to_ns, v->from_ns) / 500;
    int decimals = 0;
    for (int64_t step = divisor; step > 1 && (step > cell || decimals < 3); step /= 10)
        decimals++;
    snprintf(out, TIME_TEXT - 1, "%s %s", duration_in(text, ns_sub(ns, zero_ns), divisor, decimals),
             unit);
}

const char *time_text(const struct viewer *v, int64_t ns, char out[TIME_TEXT])
{
    char text[DURATION_TEXT];
    int64_t wall;
    struct tm utc;
    switch (v->time_mode) {
    case TIME_WINDOW:
        time_in_window(v, ns, v->from_ns, out + 1);
        *out = '+';
        break;
    case TIME_FILE:
        snprintf(out, TIME_TEXT, "@%s", duration_us(text, ns_add(ns, v->t->origin_ns)));
        break;
    case TIME_WALL:
        if (trace_wall_clock(v->t, ns, &wall)) {
            int64_t below = wall % 1000000000;
            time_t seconds = (time_t)(wall / 1000000000 - (below < 0));
            if (below < 0)
                below += 1000000000;
            if (gmtime_r(&seconds, &utc)) {
                snprintf(out, TIME_TEXT, "%02d:%02d:%02d.%09" PRId64, utc.tm_hour, utc.tm_min,
                         utc.tm_sec, below);
                break;
            }
        }
        /* fall through */
    case TIME_START:
    default:
        time_in_window(v, ns, 0, out);
        break;
    }
    return out;
}
