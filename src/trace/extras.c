/*
 * What is no slice, made ready for use: flows numbered, samples of counters by
 * time, async events paired.
 */
#include <stdlib.h>

#include "base/duration.h"
#include "base/memory.h"
#include "trace/finish.h"

static void make_relative(struct side_list *list, int64_t origin_ns)
{
    for (size_t i = 0; i < list->count; i++)
        list->items[i].ts_ns = ns_sub(list->items[i].ts_ns, origin_ns);
}

static int compare_times(const struct side_event *x, const struct side_event *y)
{
    if (x->ts_ns != y->ts_ns)
        return x->ts_ns < y->ts_ns ? -1 : 1;
    return x->byte < y->byte ? -1 : x->byte > y->byte;
}

static int by_time(const void *a, const void *b)
{
    return compare_times(a, b);
}

static int by_key(const void *a, const void *b)
{
    const struct side_event *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return compare_times(x, y);
}

static int by_label_and_key(const void *a, const void *b)
{
    const struct side_event *x = a, *y = b;
    if (x->label != y->label)
        return x->label < y->label ? -1 : 1;
    return by_key(a, b);
}

static void sort_list(struct side_list *list, int (*compare)(const void *, const void *))
{
    array_sort(list->items, list->count, sizeof *list->items, compare);
}

static uint32_t file_of(const struct trace *t, const struct side_event *event)
{
    return t->processes[t->source_process[event->track]].file;
}

/* Flows are joined by file, category, name and id: a number for each such key, in
 * place of the id. Sorted by key, then time. */
static void number_flows(struct trace *t)
{
    struct side_list *flows = &t->flows;
    sort_list(flows, by_label_and_key);
    uint32_t next = 0;
    for (size_t i = 0; i < flows->count;) {
        size_t end = i + 1;
        while (end < flows->count && flows->items[end].label == flows->items[i].label &&
               flows->items[end].key == flows->items[i].key)
            end++;
        uint32_t base = next;
        for (; i < end; i++) {
            /* The same id in several ranks means nothing. */
            uint32_t key = base + file_of(t, &flows->items[i]);
            flows->items[i].key = key;
            if (key >= next)
                next = key + 1;
        }
    }
    if (t->file_count > 1)
        sort_list(flows, by_key);
}

static int by_series(const void *a, const void *b)
{
    const struct raw_sample *x = a, *y = b;
    if (x->series != y->series)
        return x->series < y->series ? -1 : 1;
    return x->ts_ns < y->ts_ns ? -1 : x->ts_ns > y->ts_ns;
}

static int by_counter(const void *a, const void *b)
{
    const struct counter_series *x = a, *y = b;
    return x->counter < y->counter ? -1 : x->counter > y->counter;
}

/* Each counter's series one behind the other, each series' samples by time. */
static void sort_counters(struct builder *b)
{
    struct trace *t = b->t;
    array_sort(b->samples, b->sample_count, sizeof *b->samples, by_series);
    t->samples = xreallocarray(NULL, b->sample_count + 1, sizeof *t->samples);
    t->sample_count = b->sample_count;
    for (size_t i = 0; i < b->sample_count; i++) {
        const struct raw_sample *raw = &b->samples[i];
        struct counter_series *s = &t->series[raw->series];
        if (s->count++ == 0) {
            s->first = i;
            s->min = s->max = raw->value;
        }
        if (raw->value < s->min)
            s->min = raw->value;
        if (raw->value > s->max)
            s->max = raw->value;
        t->samples[i] = (struct counter_sample){ns_sub(raw->ts_ns, t->origin_ns), raw->value};
    }
    array_sort(t->series, t->series_count, sizeof *t->series, by_counter);
    for (uint32_t i = 0; i < t->series_count; i++) {
        struct counter *c = &t->counters[t->series[i].counter];
        if (c->series_count++ == 0)
            c->first_series = i;
    }
}

static void add_span(struct trace *t, size_t *capacity, const struct side_event *begin,
                     const struct side_event *end)
{
    struct async_span span = {
        .start_ns = begin->ts_ns,
        .dur_ns = end ? ns_sub(end->ts_ns, begin->ts_ns) : ns_sub(t->end_ns, begin->ts_ns),
        .process = t->source_process[begin->track],
        .label = begin->label,
        .open = end == NULL,
        .byte = begin->byte,
        .end_byte = end ? end->byte : UINT64_MAX,
    };
    if (span.dur_ns < 0)
        span.dur_ns = 0;
    ARRAY_PUSH(t->async_spans, t->async_span_count, *capacity, span);
    t->async_pairs += end != NULL;
    t->async_open += end == NULL;
}

/* The events of one key, by time: an `e` closes the innermost open `b` of its name,
 * any if it has none. Open begins wait in open[]; a closed one leaves a hole. */
static void pair_key(struct trace *t, const struct side_event *events, size_t n, size_t *capacity,
                     const struct side_event **open)
{
    size_t depth = 0;
    for (size_t i = 0; i < n; i++) {
        if (events[i].phase == 'b') {
            open[depth++] = &events[i];
        } else if (events[i].phase == 'e') {
            uint32_t name = t->labels[events[i].label].name;
            size_t k = depth;
            while (k > 0 && (!open[k - 1] || (name && t->labels[open[k - 1]->label].name != name)))
                k--;
            if (k == 0)
                continue;
            add_span(t, capacity, open[k - 1], &events[i]);
            open[k - 1] = NULL;
            while (depth > 0 && !open[depth - 1])
                depth--;
        }
    }
    for (size_t k = 0; k < depth; k++)
        if (open[k])
            add_span(t, capacity, open[k], NULL);
}

static int by_process(const void *a, const void *b)
{
    const struct async_span *x = a, *y = b;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    if (x->dur_ns != y->dur_ns)
        return x->dur_ns > y->dur_ns ? -1 : 1;
    return x->byte < y->byte ? -1 : x->byte > y->byte;
}

/* A row for each span of a process: one that is free again, else a new one. `ends`
 * is a heap of (end, row), the earliest end on top. */
struct row_end {
    int64_t end_ns;
    uint32_t row;
};

static bool row_before(const struct row_end *x, const struct row_end *y)
{
    return x->end_ns != y->end_ns ? x->end_ns < y->end_ns : x->row < y->row;
}

static void sift_down(struct row_end *heap, size_t n)
{
    for (size_t i = 0;;) {
        size_t child = 2 * i + 1;
        if (child >= n)
            return;
        if (child + 1 < n && row_before(&heap[child + 1], &heap[child]))
            child++;
        if (!row_before(&heap[child], &heap[i]))
            return;
        struct row_end other = heap[i];
        heap[i] = heap[child];
        heap[child] = other;
        i = child;
    }
}

static void sift_up(struct row_end *heap, size_t i)
{
    for (; i > 0 && row_before(&heap[i], &heap[(i - 1) / 2]); i = (i - 1) / 2) {
        struct row_end other = heap[i];
        heap[i] = heap[(i - 1) / 2];
        heap[(i - 1) / 2] = other;
    }
}

static void assign_rows(struct trace *t)
{
    struct row_end *heap = xreallocarray(NULL, t->async_span_count + 1, sizeof *heap);
    size_t n = 0;
    for (size_t i = 0; i < t->async_span_count; i++) {
        struct async_span *span = &t->async_spans[i];
        int64_t end = ns_add(span->start_ns, span->dur_ns);
        if (i > 0 && span->process != t->async_spans[i - 1].process)
            n = 0;
        if (n > 0 && heap[0].end_ns <= span->start_ns) {
            span->depth = heap[0].row;
            heap[0].end_ns = end;
            sift_down(heap, n);
        } else {
            span->depth = (uint32_t)n;
            heap[n] = (struct row_end){end, span->depth};
            sift_up(heap, n++);
        }
    }
    free(heap);
}

static void pair_async(struct trace *t)
{
    struct side_list *list = &t->async;
    size_t capacity = 0;
    if (list->count == 0)
        return;
    sort_list(list, by_key);
    const struct side_event **open = xreallocarray(NULL, list->count, sizeof *open);
    for (size_t i = 0; i < list->count;) {
        size_t end = i + 1;
        while (end < list->count && list->items[end].key == list->items[i].key)
            end++;
        pair_key(t, list->items + i, end - i, &capacity, open);
        i = end;
    }
    free(open);
    array_sort(t->async_spans, t->async_span_count, sizeof *t->async_spans, by_process);
    assign_rows(t);
}

static int by_track(const void *a, const void *b)
{
    const struct open_begin *x = a, *y = b;
    if (x->track != y->track)
        return x->track < y->track ? -1 : 1;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return x->byte < y->byte ? -1 : x->byte > y->byte;
}

static void place_open_begins(struct trace *t)
{
    for (size_t i = 0; i < t->open_begin_count; i++) {
        struct open_begin *open = &t->open_begins[i];
        open->start_ns = ns_sub(open->start_ns, t->origin_ns);
        open->track = t->source_track[open->track];
    }
    array_sort(t->open_begins, t->open_begin_count, sizeof *t->open_begins, by_track);
}

void finish_extras(struct builder *b)
{
    struct trace *t = b->t;
    struct side_list *lists[] = {&t->flows, &t->instants, &t->counter_events, &t->async,
                                 &t->others};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        make_relative(lists[i], t->origin_ns);
    number_flows(t);
    sort_list(&t->instants, by_time);
    sort_list(&t->counter_events, by_time);
    sort_list(&t->others, by_time);
    sort_counters(b);
    pair_async(t);
    place_open_begins(t);
}
