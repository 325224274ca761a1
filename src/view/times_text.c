/*
 * Times as the user wants to see them (`T`).
 */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "base/duration.h"
#include "view/view.h"

const char *time_text(const struct viewer *v, int64_t ns, char out[TIME_TEXT])
{
    char text[DURATION_TEXT];
    int64_t wall;
    struct tm utc;
    switch (v->time_mode) {
    case TIME_WINDOW:
        snprintf(out, TIME_TEXT, "+%s", duration_text(text, ns_sub(ns, v->from_ns)));
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
        snprintf(out, TIME_TEXT, "%s", duration_text(text, ns));
        break;
    }
    return out;
}
