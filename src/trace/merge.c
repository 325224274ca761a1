/*
 * One builder's events behind another's: everything that has a number is looked up
 * again, in the order of its first appearance, so that the numbers come out as if
 * all events had gone through one builder.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "trace/builder.h"
#include "trace/category.h"
#include "trace/finish.h"

/* The later builder's numbers in the earlier one. */
struct maps {
    uint32_t *names, *ids, *categories, *labels, *processes, *sources, *counters, *series;
};

static uint32_t *map_strings(const struct intern *from, struct intern *to)
{
    uint32_t n = intern_count(from);
    uint32_t *map = xreallocarray(NULL, n, sizeof *map);
    for (uint32_t i = 0; i < n; i++) {
        size_t len;
        const char *text = intern_text(from, i, &len);
        map[i] = intern_add(to, text, len);
    }
    return map;
}

static uint32_t *new_map(size_t n)
{
    return xreallocarray(NULL, n + 1, sizeof(uint32_t));
}

static void merge_naming(struct naming *to, const struct naming *from, const uint32_t *names)
{
    if (from->has_name)
        to->name = names[from->name];
    if (from->has_labels)
        to->labels = names[from->labels];
    if (from->has_sort_index)
        to->sort_index = from->sort_index;
    to->has_name |= from->has_name;
    to->has_labels |= from->has_labels;
    to->has_sort_index |= from->has_sort_index;
}

static void map_categories(struct builder *b, const struct builder *later, struct maps *m)
{
    const struct trace *t = later->t;
    m->categories = new_map(t->category_count);
    for (uint32_t i = 0; i < t->category_count; i++) {
        size_t len;
        const char *text = intern_text(t->names, t->categories[i].text, &len);
        m->categories[i] = category_add(b, text, len);
        b->t->category_events[m->categories[i]] += t->category_events[i];
    }
    m->labels = new_map(t->label_count);
    for (uint32_t i = 0; i < t->label_count; i++)
        m->labels[i] =
            builder_label(b, m->names[t->labels[i].name], m->categories[t->labels[i].category]);
}

static void map_sources(struct builder *b, const struct builder *later, struct maps *m)
{
    const struct trace *t = later->t;
    m->sources = new_map(t->source_count);
    m->processes = new_map(later->process_count);
    for (uint32_t i = 0; i < t->source_count; i++) {
        const struct source *s = &later->sources[i];
        uint32_t pid = m->ids[later->processes[s->process].pid];
        m->sources[i] = builder_source_of_ids(b, pid, m->ids[s->tid]);
        m->processes[s->process] = b->sources[m->sources[i]].process;
        merge_naming(&b->thread_namings[m->sources[i]], &later->thread_namings[i], m->names);
    }
    for (size_t i = 0; i < later->process_count; i++)
        merge_naming(&b->processes[m->processes[i]].naming, &later->processes[i].naming, m->names);
}

static void map_counters(struct builder *b, const struct builder *later, struct maps *m)
{
    const struct trace *t = later->t;
    m->counters = new_map(t->counter_count);
    for (uint32_t i = 0; i < t->counter_count; i++) {
        const struct counter *c = &t->counters[i];
        uint32_t id = c->id == TRACE_NONE ? TRACE_NONE : m->ids[c->id];
        m->counters[i] = builder_counter_of(b, m->processes[c->process], m->names[c->name], id);
        b->t->counters[m->counters[i]].samples += c->samples;
    }
    m->series = new_map(t->series_count);
    for (uint32_t i = 0; i < t->series_count; i++)
        m->series[i] =
            builder_series_of(b, m->counters[t->series[i].counter], m->names[t->series[i].key]);
}

/* Tokens of correlations and flows: numbers are themselves, others are ids. */
static uint32_t map_token(const struct maps *m, uint32_t token)
{
    return token & 0x80000000u ? m->ids[token & 0x7fffffffu] | 0x80000000u : token;
}

enum key_kind { KEY_NONE, KEY_TOKEN, KEY_ID, KEY_COUNTER };

static void merge_list(struct side_list *to, const struct side_list *from, const struct maps *m,
                       enum key_kind kind)
{
    for (size_t i = 0; i < from->count; i++) {
        struct side_event e = from->items[i];
        e.track = m->sources[e.track];
        if (e.phase != 'M')
            e.label = m->labels[e.label];
        if (kind == KEY_TOKEN)
            e.key = map_token(m, e.key);
        else if (kind == KEY_ID)
            e.key = m->ids[e.key];
        else if (kind == KEY_COUNTER)
            e.key = m->counters[e.key];
        side_list_add(to, &e);
    }
}

static void merge_slices(struct builder *b, const struct builder *later, const struct maps *m)
{
    const struct columns *c = &later->slices;
    columns_reserve(&b->slices, c->count);
    struct columns *to = &b->slices;
    size_t n = c->count, at = to->count;
    if (n > TRACE_NONE - 1 - at)
        n = TRACE_NONE - 1 - at;
    if (n == 0)
        return;
    memcpy(to->ts_ns + at, c->ts_ns, n * sizeof *c->ts_ns);
    memcpy(to->dur_ns + at, c->dur_ns, n * sizeof *c->dur_ns);
    memcpy(to->byte + at, c->byte, n * sizeof *c->byte);
    for (size_t i = 0; i < n; i++) {
        to->label[at + i] = m->labels[c->label[i]];
        to->source[at + i] = m->sources[c->source[i]];
        to->correlation[at + i] = map_token(m, c->correlation[i]);
    }
    to->count += n;
}

static void merge_samples(struct builder *b, const struct builder *later, const struct maps *m)
{
    for (size_t i = 0; i < later->sample_count; i++) {
        struct raw_sample sample = later->samples[i];
        sample.series = m->series[sample.series];
        ARRAY_PUSH(b->samples, b->sample_count, b->sample_capacity, sample);
    }
}

void builder_merge(struct builder *b, const struct builder *later)
{
    struct trace *t = b->t;
    const struct trace *from = later->t;
    struct maps m = {0};
    m.names = map_strings(from->names, t->names);
    m.ids = map_strings(from->ids, t->ids);
    map_categories(b, later, &m);
    map_sources(b, later, &m);
    map_counters(b, later, &m);
    for (size_t i = 0; i < from->phase_count; i++)
        builder_count_phase(b, from->phases[i].text, strlen(from->phases[i].text),
                            from->phases[i].count);
    merge_slices(b, later, &m);
    merge_list(&b->begins, &later->begins, &m, KEY_TOKEN);
    merge_list(&b->ends, &later->ends, &m, KEY_TOKEN);
    merge_list(&t->flows, &from->flows, &m, KEY_TOKEN);
    merge_list(&t->instants, &from->instants, &m, KEY_NONE);
    merge_list(&t->counter_events, &from->counter_events, &m, KEY_COUNTER);
    merge_list(&t->async, &from->async, &m, KEY_ID);
    merge_list(&t->metadata, &from->metadata, &m, KEY_NONE);
    merge_list(&t->others, &from->others, &m, KEY_NONE);
    merge_samples(b, later, &m);
    damage_merge(&t->damage, &from->damage);
    t->event_count += from->event_count;
    t->enriched |= from->enriched;
    if (later->any_time) {
        builder_saw_time(b, later->first_ns);
        builder_saw_time(b, later->last_ns);
    }
    uint32_t *maps[] = {m.names,     m.ids,     m.categories, m.labels,
                        m.processes, m.sources, m.counters,   m.series};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        free(maps[i]);
}

void builder_discard(struct builder *b)
{
    struct trace *t = b->t;
    builder_free(b);
    trace_free(t);
}
