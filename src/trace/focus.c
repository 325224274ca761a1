/*
 * One garbage time must not squash the view: where is the bulk of the slices, and
 * which few lie so far outside that they stretch the span a thousandfold?
 */
#include <stdlib.h>

#include "base/duration.h"
#include "base/memory.h"
#include "trace/finish.h"

/* At most this part of the slices (or so many) are outliers; they must stretch the
 * span by STRETCH; more slices than SAMPLES are judged by a sample of them. */
enum { OUTLIER_PERCENT = 1, OUTLIERS_OF_FEW = 3, STRETCH = 1000, SAMPLES = 4096 };

/* A slice around the bulk (a step, the whole recording) is no outlier unless it
 * lasts longer than anybody records. */
static const int64_t LONGEST_WRAPPER_NS = INT64_C(30) * 24 * 3600 * 1000000000;

static int compare_ns(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* A span that leaves the most extreme starts and ends out. False if there are too
 * few slices to say. */
static bool typical_span(const struct trace *t, int64_t *from_ns, int64_t *to_ns)
{
    uint32_t step = t->slice_count / SAMPLES + 1, n = 0;
    int64_t *starts = xreallocarray(NULL, SAMPLES + 1, sizeof *starts);
    int64_t *ends = xreallocarray(NULL, SAMPLES + 1, sizeof *ends);
    for (uint64_t i = 0; i < t->slice_count; i += step, n++) {
        starts[n] = t->start_ns[i];
        ends[n] = trace_end_ns(t, (uint32_t)i);
    }
    uint32_t extremes = n * OUTLIER_PERCENT / 100;
    if (extremes < OUTLIERS_OF_FEW)
        extremes = OUTLIERS_OF_FEW;
    if (extremes > (n - 1) / 4)
        extremes = (n - 1) / 4;
    if (extremes > 0) {
        array_sort(starts, n, sizeof *starts, compare_ns);
        array_sort(ends, n, sizeof *ends, compare_ns);
        *from_ns = starts[extremes];
        *to_ns = ends[n - 1 - extremes];
        if (*to_ns <= *from_ns)
            *to_ns = ns_add(*from_ns, 1);
    }
    free(starts);
    free(ends);
    return extremes > 0;
}

/* Widens the span by the slices around it. */
static void add_wrappers(const struct trace *t, int64_t *from_ns, int64_t *to_ns)
{
    int64_t from = *from_ns, to = *to_ns;
    for (uint32_t i = 0; i < t->slice_count; i++) {
        int64_t start = t->start_ns[i], end = trace_end_ns(t, i);
        if (start > from || end < to || t->dur_ns[i] > LONGEST_WRAPPER_NS)
            continue;
        *from_ns = start < *from_ns ? start : *from_ns;
        *to_ns = end > *to_ns ? end : *to_ns;
    }
}

static void report(struct trace *t, uint32_t slice, int64_t width)
{
    enum damage_kind kind =
        t->dur_ns[slice] > width ? DAMAGE_OUTLIER_DURATION : DAMAGE_OUTLIER_TIMESTAMP;
    uint32_t track = trace_track_of(t, slice);
    damage_add(&t->damage, kind, t->processes[t->tracks[track].process].file, t->byte[slice]);
}

void finish_focus(struct trace *t)
{
    int64_t from, to;
    t->focus_start_ns = t->first_start_ns;
    t->focus_end_ns = t->last_end_ns;
    if (t->slice_count == 0) {
        t->focus_end_ns = t->end_ns;
        return;
    }
    if (!typical_span(t, &from, &to))
        return;
    add_wrappers(t, &from, &to);
    /* What lies a tenth of the stretch outside is suspect; if the rest then fills
     * less than 1/STRETCH of the whole, the suspects are outliers. */
    int64_t width = to - from;
    int64_t margin = width > INT64_MAX / (STRETCH / 10) ? INT64_MAX : width * (STRETCH / 10);
    int64_t low = ns_sub(from, margin), high = ns_add(to, margin);
    int64_t start = INT64_MAX, end = INT64_MIN;
    uint64_t outside = 0;
    for (uint32_t i = 0; i < t->slice_count; i++) {
        if (t->start_ns[i] < low || trace_end_ns(t, i) > high) {
            outside++;
            continue;
        }
        start = t->start_ns[i] < start ? t->start_ns[i] : start;
        end = trace_end_ns(t, i) > end ? trace_end_ns(t, i) : end;
    }
    if (outside == 0 || start >= end)
        return;
    if (outside > OUTLIERS_OF_FEW && outside > (uint64_t)t->slice_count * OUTLIER_PERCENT / 100)
        return;
    if (ns_sub(t->last_end_ns, t->first_start_ns) / STRETCH < end - start)
        return;
    t->focus_start_ns = start;
    t->focus_end_ns = end;
    for (uint32_t i = 0; i < t->slice_count; i++)
        if (t->start_ns[i] < low || trace_end_ns(t, i) > high)
            report(t, i, margin);
}
