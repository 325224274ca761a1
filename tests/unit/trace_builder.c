#include "trace_builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct made_item {
    int64_t start_ns, dur_ns;
    uint32_t track, label, correlation, order;
};

struct made {
    struct trace *t;
    struct made_item *items;
    size_t item_count, item_capacity;
    size_t process_capacity, track_capacity, category_capacity, label_capacity;
};

struct made *made_new(void)
{
    struct made *m = xcalloc(1, sizeof *m);
    m->t = xcalloc(1, sizeof *m->t);
    m->t->names = intern_new();
    m->t->ids = intern_new();
    return m;
}

uint32_t made_process(struct made *m, uint32_t file, const char *pid)
{
    struct trace *t = m->t;
    size_t count = t->process_count;
    struct process added = {
        .file = file,
        .pid = intern_add(t->ids, pid, strlen(pid)),
        .first_track = t->track_count,
    };
    ARRAY_PUSH(t->processes, count, m->process_capacity, added);
    if (t->file_count <= file)
        t->file_count = (size_t)file + 1;
    return t->process_count++;
}

uint32_t made_track(struct made *m, const char *tid, enum track_kind kind)
{
    struct trace *t = m->t;
    size_t count = t->track_count;
    struct track added = {
        .process = t->process_count - 1,
        .tid = intern_add(t->ids, tid, strlen(tid)),
        .kind = kind,
    };
    ARRAY_PUSH(t->tracks, count, m->track_capacity, added);
    t->processes[t->process_count - 1].track_count++;
    return t->track_count++;
}

/* The classes that matter to queries; aliases are the loader's business. */
static enum category_class class_of(const char *text)
{
    static const struct {
        const char *text;
        enum category_class class;
    } classes[] = {
        {"kernel", CATEGORY_KERNEL},
        {"gpu_memcpy", CATEGORY_MEMCPY},
        {"gpu_memset", CATEGORY_MEMSET},
        {"cpu_op", CATEGORY_CPU_OP},
        {"cuda_runtime", CATEGORY_RUNTIME},
        {"privateuse1_runtime", CATEGORY_RUNTIME},
        {"cuda_driver", CATEGORY_DRIVER},
        {"user_annotation", CATEGORY_ANNOTATION},
        {"gpu_user_annotation", CATEGORY_GPU_ANNOTATION},
        {"Trace", CATEGORY_WRAPPER},
    };
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (strcmp(text, classes[i].text) == 0)
            return classes[i].class;
    return CATEGORY_OTHER;
}

static uint32_t add_category(struct made *m, const char *text)
{
    struct trace *t = m->t;
    char canonical[64];
    uint32_t name = intern_add(t->names, text, strlen(text));
    for (uint32_t i = 0; i < t->category_count; i++)
        if (t->categories[i].text == name)
            return i;
    category_canonical(text, strlen(text), canonical, sizeof canonical);
    struct category added = {
        .text = name,
        .canonical = intern_add(t->names, canonical, strlen(canonical)),
        .class = class_of(text),
    };
    added.device = added.class == CATEGORY_KERNEL || added.class == CATEGORY_MEMCPY ||
                   added.class == CATEGORY_MEMSET;
    size_t count = t->category_count;
    ARRAY_PUSH(t->categories, count, m->category_capacity, added);
    return t->category_count++;
}

static uint32_t add_label(struct made *m, uint32_t category, const char *name, size_t len)
{
    struct trace *t = m->t;
    struct label added = {intern_add(t->names, name, len), category};
    for (uint32_t i = 0; i < t->label_count; i++)
        if (t->labels[i].name == added.name && t->labels[i].category == category)
            return i;
    size_t count = t->label_count;
    ARRAY_PUSH(t->labels, count, m->label_capacity, added);
    return t->label_count++;
}

void made_slice_named(struct made *m, uint32_t track, const char *category, const char *name,
                      size_t len, int64_t start_ns, int64_t dur_ns, uint32_t correlation)
{
    struct made_item added = {
        .start_ns = start_ns,
        .dur_ns = dur_ns,
        .track = track,
        .label = add_label(m, add_category(m, category), name, len),
        .correlation = correlation,
        .order = (uint32_t)m->item_count,
    };
    ARRAY_PUSH(m->items, m->item_count, m->item_capacity, added);
}

void made_slice(struct made *m, uint32_t track, const char *category, const char *name,
                int64_t start_ns, int64_t dur_ns, uint32_t correlation)
{
    made_slice_named(m, track, category, name, strlen(name), start_ns, dur_ns, correlation);
}

void made_flow(struct made *m, uint32_t track, char phase, uint32_t key, int64_t ts_ns,
               bool enclosing)
{
    struct side_list *flows = &m->t->flows;
    struct side_event added = {
        .ts_ns = ts_ns,
        .byte = flows->count,
        .track = track,
        .key = key,
        .phase = phase,
        .enclosing = enclosing,
    };
    ARRAY_PUSH(flows->items, flows->count, flows->capacity, added);
}

static int item_order(const void *a, const void *b)
{
    const struct made_item *x = a, *y = b;
    if (x->track != y->track)
        return x->track < y->track ? -1 : 1;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    if (x->dur_ns != y->dur_ns)
        return x->dur_ns > y->dur_ns ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static int flow_order(const void *a, const void *b)
{
    const struct side_event *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (x->ts_ns != y->ts_ns)
        return x->ts_ns < y->ts_ns ? -1 : 1;
    return x->byte < y->byte ? -1 : x->byte > y->byte;
}

static void add_columns(struct made *m)
{
    struct trace *t = m->t;
    size_t n = m->item_count;
    array_sort(m->items, n, sizeof *m->items, item_order);
    t->slice_count = (uint32_t)n;
    t->start_ns = xcalloc(n + 1, sizeof *t->start_ns);
    t->dur_ns = xcalloc(n + 1, sizeof *t->dur_ns);
    t->label = xcalloc(n + 1, sizeof *t->label);
    t->correlation = xcalloc(n + 1, sizeof *t->correlation);
    t->byte = xcalloc(n + 1, sizeof *t->byte);
    for (size_t i = 0; i < n; i++) {
        const struct made_item *item = &m->items[i];
        t->start_ns[i] = item->start_ns;
        t->dur_ns[i] = item->dur_ns;
        t->label[i] = item->label;
        t->correlation[i] = item->correlation;
        t->tracks[item->track].count++;
    }
}

static void add_extents(struct trace *t)
{
    uint32_t first = 0;
    for (uint32_t k = 0; k < t->track_count; k++) {
        struct track *track = &t->tracks[k];
        track->first = first;
        first += track->count;
        for (uint32_t i = track->first; i < first; i++) {
            int64_t start = t->start_ns[i], end = trace_end_ns(t, i);
            if (i == track->first || end > track->end_ns)
                track->end_ns = end;
            if (i == 0 || start < t->first_start_ns)
                t->first_start_ns = start;
            if (i == 0 || end > t->last_end_ns)
                t->last_end_ns = end;
        }
        track->start_ns = track->count ? t->start_ns[track->first] : 0;
    }
    t->end_ns = t->last_end_ns;
}

struct trace *made_trace(struct made *m)
{
    struct trace *t = m->t;
    add_columns(m);
    add_extents(t);
    t->files = xcalloc(t->file_count + 1, sizeof *t->files);
    /* Tracks are their own sources. */
    t->source_count = t->track_count;
    t->source_track = xcalloc((size_t)t->source_count + 1, sizeof *t->source_track);
    t->source_process = xcalloc((size_t)t->source_count + 1, sizeof *t->source_process);
    for (uint32_t i = 0; i < t->source_count; i++) {
        t->source_track[i] = i;
        t->source_process[i] = t->tracks[i].process;
    }
    array_sort(t->flows.items, t->flows.count, sizeof *t->flows.items, flow_order);
    free(m->items);
    free(m);
    return t;
}

/* ------------------------------------------------------------------------ */

static uint32_t below(struct random *r, uint64_t limit)
{
    return (uint32_t)random_below(r, limit);
}

static void add_tracks(struct made *m, const struct random_shape *shape)
{
    char text[32];
    for (unsigned file = 0; file < shape->files; file++) {
        for (unsigned device = 0; device < shape->devices; device++) {
            snprintf(text, sizeof text, "%u", device);
            made_process(m, file, text);
            for (unsigned stream = 0; stream < shape->streams; stream++) {
                snprintf(text, sizeof text, "%u", stream);
                made_track(m, text, TRACK_DEVICE);
            }
        }
        snprintf(text, sizeof text, "%u", 1000 + file);
        made_process(m, file, text);
        for (unsigned host = 0; host < shape->hosts; host++) {
            snprintf(text, sizeof text, "%u", 1000 + host);
            made_track(m, text, TRACK_HOST);
        }
    }
}

static void random_device_slice(struct random *r, struct made *m, const struct random_shape *shape,
                                uint32_t track, int64_t start, int64_t dur)
{
    static const char *const categories[] = {"kernel", "kernel", "gpu_memcpy", "gpu_memset",
                                             "gpu_user_annotation"};
    char name[40];
    uint32_t kind = below(r, sizeof categories / sizeof *categories);
    snprintf(name, sizeof name, "%s_%u", kind == 4 ? "iteration" : "dev", below(r, shape->names));
    made_slice(m, track, categories[kind], name, start, dur, below(r, shape->slices));
    if (random_chance(r, 20))
        made_flow(m, track, 'f', below(r, shape->slices), start, true);
}

static void random_host_slice(struct random *r, struct made *m, const struct random_shape *shape,
                              uint32_t track, int64_t start, int64_t dur)
{
    static const char *const calls[] = {"cudaLaunchKernel", "aiuSubmitToHardware",
                                        "cudaStreamSynchronize", "aiuScheduleWait"};
    static const char *const steps[] = {"ProfilerStep#", "iteration_", "iteration ", "other_"};
    char name[40];
    switch (below(r, 3)) {
    case 0:
        made_slice(m, track, "cuda_runtime", calls[below(r, 4)], start, dur,
                   below(r, shape->slices));
        if (random_chance(r, 20))
            made_flow(m, track, 's', below(r, shape->slices), start, false);
        break;
    case 1:
        snprintf(name, sizeof name, "%s%u", steps[below(r, 4)], below(r, shape->names));
        made_slice(m, track, random_chance(r, 80) ? "user_annotation" : "cpu_op", name, start, dur,
                   0);
        break;
    default:
        snprintf(name, sizeof name, "op_%u", below(r, shape->names));
        made_slice(m, track, "cpu_op", name, start, dur, 0);
    }
}

/* Slices that nest: each lies in the middle of one of a few levels. */
static void nested_times(struct random *r, const struct random_shape *shape, int64_t *start,
                         int64_t *dur)
{
    int64_t from = 0, to = shape->span_ns;
    for (uint32_t level = 1 + below(r, 5); level > 0 && to - from > 1; level--) {
        int64_t parts = 2, at = (int64_t)below(r, 2), len = (to - from) / parts;
        from += at * len;
        to = from + len;
    }
    *start = from;
    *dur = to - from;
}

struct trace *random_trace(struct random *r, const struct random_shape *shape)
{
    struct made *m = made_new();
    add_tracks(m, shape);
    for (unsigned i = 0; i < shape->slices; i++) {
        uint32_t track = below(r, m->t->track_count);
        bool device = m->t->tracks[track].kind == TRACK_DEVICE;
        int64_t start = random_between(r, 0, shape->span_ns);
        int64_t dur = random_chance(r, 10) ? 0 : random_between(r, 0, shape->longest_ns);
        if (!device && !shape->crossing)
            nested_times(r, shape, &start, &dur);
        if (device)
            random_device_slice(r, m, shape, track, start, dur);
        else
            random_host_slice(r, m, shape, track, start, dur);
    }
    return made_trace(m);
}
