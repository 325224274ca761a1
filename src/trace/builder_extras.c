/* Events that are no slices: names of rows, counters, flows, async events. */
#include <stdlib.h>

#include "base/memory.h"
#include "scan/number.h"
#include "trace/builder.h"

static bool name_is(const struct event *ev, const char *name)
{
    return token_is(&ev->name, name);
}

static bool read_index(const struct token *args, int64_t *index)
{
    struct token value = object_member(args, "sort_index");
    if (value.type != TOKEN_NUMBER && value.type != TOKEN_STRING)
        return false;
    return number_integer(value.p, value.len, index) <= NUMBER_ODD;
}

void builder_metadata(struct builder *b, const struct event *ev, uint64_t byte)
{
    struct side_event side = {.byte = byte, .phase = 'M', .key = TRACE_NONE};
    /* Post-processors drop the tid of an M event where it was 0. */
    static const struct token zero = {"0", 1, TOKEN_NUMBER};
    bool has_tid = ev->tid.type != TOKEN_NONE && ev->tid.type != TOKEN_NULL;
    uint32_t source = builder_source(b, &ev->pid, has_tid ? &ev->tid : &zero);
    side.track = source;
    side_list_add(&b->t->metadata, &side);

    struct naming *thread = &b->thread_namings[source];
    struct naming *process = &b->processes[b->sources[source].process].naming;
    struct token value;
    if (name_is(ev, "process_name")) {
        value = object_member(&ev->args, "name");
        process->name = builder_name(b, &value);
        process->has_name = true;
    } else if (name_is(ev, "process_labels") || name_is(ev, "process_label")) {
        value = object_member(&ev->args, "labels");
        if (value.type == TOKEN_NONE)
            value = object_member(&ev->args, "label");
        process->labels = builder_name(b, &value);
        process->has_labels = true;
    } else if (name_is(ev, "process_sort_index")) {
        process->has_sort_index |= read_index(&ev->args, &process->sort_index);
    } else if (name_is(ev, "thread_name")) {
        value = object_member(&ev->args, "name");
        thread->name = builder_name(b, &value);
        thread->has_name = true;
    } else if (name_is(ev, "thread_sort_index")) {
        thread->has_sort_index |= read_index(&ev->args, &thread->sort_index);
    }
}

static void add_id_text(struct builder *b, uint32_t id, struct text *key)
{
    size_t len;
    const char *text = intern_text(b->t->ids, id, &len);
    text_add(key, text, len);
    text_putc(key, '\0');
}

/* The number of a key made of the id of an event (`id`, else id2) and what it is
 * unique in: the whole file or, for id2.local, its process. Made of texts, not of
 * numbers, so that it is the same in every builder. */
static uint32_t event_key(struct builder *b, const struct event *ev, uint32_t process,
                          const char *kind, size_t kind_len)
{
    struct text key = {0};
    struct token local = object_member(&ev->id2, "local");
    struct token global = object_member(&ev->id2, "global");
    text_add(&key, kind, kind_len);
    text_printf(&key, "%cfile %u", '\0', b->file);
    if (local.type != TOKEN_NONE) {
        text_puts(&key, " process ");
        add_id_text(b, b->processes[process].pid, &key);
        add_id_text(b, builder_id(b, &local), &key);
    } else {
        text_puts(&key, " id ");
        add_id_text(b, builder_id(b, global.type != TOKEN_NONE ? &global : &ev->id), &key);
    }
    uint32_t number = intern_add(b->t->ids, key.data, key.len);
    text_free(&key);
    return number;
}

void builder_flow(struct builder *b, const struct event *ev, struct side_event *side)
{
    /* Numbers as they are, everything else by its number in a table; number_flows()
     * joins (file, category, name, id) to one key later, without a table. */
    int64_t number;
    if (ev->id.type == TOKEN_NUMBER && ev->id2.type == TOKEN_NONE &&
        number_integer(ev->id.p, ev->id.len, &number) == NUMBER_OK && number >= 0 &&
        number <= INT32_MAX) {
        side->key = (uint32_t)number;
    } else {
        side->key = event_key(b, ev, b->sources[side->track].process, "flow", 4) | 0x80000000u;
    }
    side->enclosing = token_is(&ev->bp, "e");
    side_list_add(&b->t->flows, side);
}

void builder_async(struct builder *b, const struct event *ev, struct side_event *side)
{
    const struct trace *t = b->t;
    size_t len;
    const char *category =
        intern_text(t->names, t->categories[t->labels[side->label].category].text, &len);
    side->key = event_key(b, ev, b->sources[side->track].process, category, len);
    side_list_add(&b->t->async, side);
}

uint32_t builder_counter_of(struct builder *b, uint32_t process, uint32_t name, uint32_t id)
{
    struct trace *t = b->t;
    uint32_t key[3] = {process, name, id};
    uint32_t counter = intern_add(b->counter_keys, (const char *)key, sizeof key) - 1;
    if (counter == t->counter_count) {
        size_t count = counter;
        struct counter added = {.process = process, .name = name, .id = id};
        ARRAY_PUSH(t->counters, count, b->counter_capacity, added);
        t->counter_count++;
    }
    return counter;
}

uint32_t builder_series_of(struct builder *b, uint32_t counter, uint32_t key)
{
    struct trace *t = b->t;
    uint32_t parts[2] = {counter, key};
    uint32_t series = intern_add(b->series_keys, (const char *)parts, sizeof parts) - 1;
    if (series == t->series_count) {
        size_t count = series;
        struct counter_series added = {.counter = counter, .key = key};
        ARRAY_PUSH(t->series, count, b->series_capacity, added);
        t->series_count++;
    }
    return series;
}

static bool counter_value(const struct token *value, double *number)
{
    char text[64];
    if ((value->type != TOKEN_NUMBER && value->type != TOKEN_STRING) || value->len == 0 ||
        value->len >= sizeof text)
        return false;
    memcpy(text, value->p, value->len);
    text[value->len] = '\0';
    char *end;
    *number = strtod(text, &end);
    return *end == '\0' && *number - *number == 0; /* finite */
}

/* What acelyzer adds to a trace (not what it only derives from it). */
static bool is_enrichment(const struct token *name)
{
    return token_is(name, "PT Active") || token_is(name, "Power") ||
           token_is(name, "ConcurrentPreps") ||
           (name->len >= 2 && name->p[0] == 'B' && name->p[1] == 'W');
}

void builder_counter(struct builder *b, const struct event *ev, struct side_event *side)
{
    struct trace *t = b->t;
    uint32_t name = t->labels[side->label].name;
    bool has_id = ev->id.type != TOKEN_NONE && ev->id.type != TOKEN_NULL;
    uint32_t counter = builder_counter_of(b, b->sources[side->track].process, name,
                                          has_id ? builder_id(b, &ev->id) : TRACE_NONE);
    t->counters[counter].samples++;
    side->key = counter;
    side_list_add(&t->counter_events, side);
    if (ev->name.type == TOKEN_STRING && is_enrichment(&ev->name))
        t->enriched = true;

    struct token key, value;
    const char *cursor = NULL;
    double number;
    if (ev->args.type != TOKEN_OBJECT)
        return;
    while (object_next(&ev->args, &cursor, &key, &value)) {
        if (!counter_value(&value, &number))
            continue;
        uint32_t series = builder_series_of(b, counter, builder_name(b, &key));
        struct raw_sample sample = {side->ts_ns, number, series};
        ARRAY_PUSH(b->samples, b->sample_count, b->sample_capacity, sample);
    }
}
