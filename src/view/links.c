/*
 * What is worked out once for a trace: links between host and device, iterations, busy
 * times, and where things lie that are no slices.
 */
#include <stdlib.h>

#include "base/duration.h"
#include "base/memory.h"
#include "view/view.h"

void links_prepare(struct viewer *v)
{
    struct error err = {0};
    if (v->links_ready)
        return;
    if (!v->launches)
        v->launches = launches_build(v->t, v->ix);
    v->iterations = iterations_find(v->t, v->ix, v->launches, v->setup.iteration_pattern, &err);
    if (!v->iterations) /* the pattern was checked before; then without it */
        v->iterations = iterations_find(v->t, v->ix, v->launches, NULL, &err);
    /* Nested families (a step around each iteration) are walked one at a time. */
    if (v->family == TRACE_NONE && v->iterations->family_count > 0)
        v->family = 0;
    v->links_ready = true;
}

/* The union of all slices on a process's device tracks. */
static void unite_process(const struct trace *t, uint32_t process, struct interval_list *busy)
{
    const struct process *p = &t->processes[process];
    for (uint32_t k = p->first_track; k < p->first_track + p->track_count; k++) {
        const struct track *track = &t->tracks[k];
        if (track->kind != TRACK_DEVICE)
            continue;
        for (uint32_t i = track->first; i < track->first + track->count; i++)
            if (t->dur_ns[i] > 0)
                interval_add(busy, t->start_ns[i], trace_end_ns(t, i));
    }
    interval_unite(busy);
}

static void sort_instants(const struct trace *t, struct prepared *p)
{
    const struct side_list *list = &t->instants;
    size_t *first = xcalloc((size_t)t->track_count + 2, sizeof *first);
    p->instants = xreallocarray(NULL, list->count + 1, sizeof *p->instants);
    for (size_t i = 0; i < list->count; i++) {
        uint32_t track = t->source_track[list->items[i].track];
        if (track < t->track_count)
            first[track + 1]++;
    }
    for (uint32_t k = 0; k < t->track_count; k++)
        first[k + 1] += first[k];
    size_t *next = xreallocarray(NULL, (size_t)t->track_count + 1, sizeof *next);
    for (uint32_t k = 0; k < t->track_count; k++)
        next[k] = first[k];
    for (size_t i = 0; i < list->count; i++) { /* the list is by time */
        uint32_t track = t->source_track[list->items[i].track];
        if (track < t->track_count)
            p->instants[next[track]++] = list->items[i].ts_ns;
    }
    free(next);
    p->instant_first = first;
}

static void sort_async_spans(const struct trace *t, struct prepared *p)
{
    p->async_depths = xcalloc((size_t)t->process_count + 1, sizeof *p->async_depths);
    p->async_row = xcalloc((size_t)t->process_count + 2, sizeof *p->async_row);
    for (size_t i = 0; i < t->async_span_count; i++) {
        const struct async_span *span = &t->async_spans[i];
        if (span->depth >= p->async_depths[span->process])
            p->async_depths[span->process] = span->depth + 1;
    }
    for (uint32_t k = 0; k < t->process_count; k++)
        p->async_row[k + 1] = p->async_row[k] + p->async_depths[k];
    uint32_t rows = p->async_row[t->process_count];
    uint32_t *first = xcalloc((size_t)rows + 2, sizeof *first);
    uint32_t *next = xcalloc((size_t)rows + 2, sizeof *next);
    p->async_spans = xreallocarray(NULL, t->async_span_count + 1, sizeof *p->async_spans);
    for (size_t i = 0; i < t->async_span_count; i++)
        first[p->async_row[t->async_spans[i].process] + t->async_spans[i].depth + 1]++;
    for (uint32_t row = 0; row < rows; row++) {
        first[row + 1] += first[row];
        next[row + 1] = first[row + 1];
    }
    for (size_t i = 0; i < t->async_span_count; i++) /* by start, within a process */
        p->async_spans[next[p->async_row[t->async_spans[i].process] + t->async_spans[i].depth]++] =
            (uint32_t)i;
    free(next);
    p->async_first = first;
}

/* The whole trace: from the first to the end of the last of all that is drawn. */
static void find_bounds(const struct trace *t, struct prepared *p)
{
    int64_t first = INT64_MAX, end = INT64_MIN;
    if (t->slice_count > 0) {
        first = t->first_start_ns;
        end = t->last_end_ns;
    }
    for (size_t i = 0; i < t->async_span_count; i++) {
        const struct async_span *span = &t->async_spans[i];
        first = span->start_ns < first ? span->start_ns : first;
        int64_t span_end = ns_add(span->start_ns, span->dur_ns);
        end = span_end > end ? span_end : end;
    }
    for (size_t i = 0; i < t->sample_count; i++) {
        first = t->samples[i].ts_ns < first ? t->samples[i].ts_ns : first;
        end = t->samples[i].ts_ns > end ? t->samples[i].ts_ns : end;
    }
    for (size_t i = 0; i < t->open_begin_count; i++) {
        first = t->open_begins[i].start_ns < first ? t->open_begins[i].start_ns : first;
        end = t->open_begins[i].start_ns > end ? t->open_begins[i].start_ns : end;
    }
    if (t->instants.count > 0) { /* by time */
        int64_t at = t->instants.items[0].ts_ns;
        first = at < first ? at : first;
        at = t->instants.items[t->instants.count - 1].ts_ns;
        end = at > end ? at : end;
    }
    p->first_ns = first > end ? 0 : first;
    p->end_ns = ns_add(first > end ? 0 : end, end > p->first_ns ? 0 : 1);
    if (p->end_ns == p->first_ns) /* at the end of all times */
        p->first_ns--;
}

struct prepared *prepare_trace(const struct trace *t)
{
    struct prepared *p = xcalloc(1, sizeof *p);
    p->process_count = t->process_count;
    p->busy = xcalloc((size_t)t->process_count + 1, sizeof *p->busy);
    p->busy_sums = xcalloc((size_t)t->process_count + 1, sizeof *p->busy_sums);
    for (uint32_t k = 0; k < t->process_count; k++) {
        unite_process(t, k, &p->busy[k]);
        p->busy_sums[k] = interval_sums(&p->busy[k]);
    }
    find_bounds(t, p);
    sort_instants(t, p);
    sort_async_spans(t, p);
    p->open_first = xreallocarray(NULL, (size_t)t->track_count + 1, sizeof *p->open_first);
    for (uint32_t k = 0; k < t->track_count; k++)
        p->open_first[k] = TRACE_NONE;
    for (size_t i = t->open_begin_count; i-- > 0;)
        if (t->open_begins[i].track < t->track_count)
            p->open_first[t->open_begins[i].track] = (uint32_t)i;
    return p;
}

void prepared_free(struct prepared *p)
{
    if (!p)
        return;
    for (uint32_t k = 0; k < p->process_count; k++) {
        interval_free(&p->busy[k]);
        free(p->busy_sums[k]);
    }
    free(p->busy);
    free(p->busy_sums);
    free(p->instants);
    free(p->instant_first);
    free(p->async_spans);
    free(p->async_first);
    free(p->async_depths);
    free(p->async_row);
    free(p->open_first);
    free(p);
}

bool busy_share(const struct viewer *v, uint32_t process, int64_t from_ns, int64_t to_ns,
                double *share)
{
    const struct prepared *p = v->prepared;
    if (!p || p->busy[process].count == 0 || to_ns <= from_ns)
        return false;
    int64_t busy = interval_length_in(&p->busy[process], p->busy_sums[process], from_ns, to_ns);
    *share = (double)busy / (double)ns_sub(to_ns, from_ns);
    return true;
}
