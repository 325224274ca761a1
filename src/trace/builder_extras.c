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
    } else if (name_is(ev, "process_labels") || name_is(ev, "process_label")) {
        value = object_member(&ev->args, "labels");
        if (value.type == TOKEN_NONE)
            value = object_member(&ev->args, "label");
        process->labels = builder_name(b, &value);
    } else if (name_is(ev, "process_sort_index")) {
        read_index(&ev->args, &process->sort_index);
    } else if (name_is(ev, "thread_name")) {
        value = object_member(&ev->args, "name");
        thread->name = builder_name(b, &value);
    } else if (name_is(ev, "thread_sort_index")) {
        read_index(&ev->args, &thread->sort_index);
    }
}

/* Adds the id of an event (`id`, else id2) to a key, with what it is unique in: the
 * whole trace or, for id2.local, in its process. */
static void add_event_id(struct builder *b, const struct event *ev, uint32_t process,
                         struct text *key)
{
    uint32_t parts[2] = {TRACE_NONE, 0};
    struct token local = object_member(&ev->id2, "local");
    struct token global = object_member(&ev->id2, "global");
    if (local.type != TOKEN_NONE) {
        parts[0] = process;
        parts[1] = builder_id(b, &local);
    } else {
        parts[1] = builder_id(b, global.type != TOKEN_NONE ? &global : &ev->id);
    }
    text_add(key, parts, sizeof parts);
}

/* The number of a key made of several parts. */
static uint32_t key_number(struct builder *b, struct text *key)
{
    text_puts(key, "key");
    uint32_t id = intern_add(b->t->ids, key->data, key->len);
    text_free(key);
    return id;
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
        struct text key = {0};
        add_event_id(b, ev, b->sources[side->track].process, &key);
        side->key = key_number(b, &key) | 0x80000000u;
    }
    side->enclosing = token_is(&ev->bp, "e");
    side_list_add(&b->t->flows, side);
}

void builder_async(struct builder *b, const struct event *ev, struct side_event *side)
{
    struct text key = {0};
    uint32_t category = b->t->labels[side->label].category;
    text_putc(&key, 'A');
    text_add(&key, &category, sizeof category);
    text_add(&key, &b->file, sizeof b->file);
    add_event_id(b, ev, b->sources[side->track].process, &key);
    side->key = key_number(b, &key);
    side_list_add(&b->t->async, side);
}

static uint32_t find_counter(struct builder *b, const struct event *ev, uint32_t process,
                             uint32_t name)
{
    struct trace *t = b->t;
    bool has_id = ev->id.type != TOKEN_NONE && ev->id.type != TOKEN_NULL;
    uint32_t key[3] = {process, name, has_id ? builder_id(b, &ev->id) : TRACE_NONE};
    uint32_t counter = intern_add(b->counter_keys, (const char *)key, sizeof key) - 1;
    if (counter == t->counter_count) {
        size_t count = counter;
        struct counter added = {.process = process, .name = name, .id = key[2]};
        ARRAY_PUSH(t->counters, count, b->counter_capacity, added);
        t->counter_count++;
    }
    return counter;
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
    uint32_t counter = find_counter(b, ev, b->sources[side->track].process, name);
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
        uint32_t parts[2] = {counter, builder_name(b, &key)};
        uint32_t series = intern_add(b->series_keys, (const char *)parts, sizeof parts) - 1;
        if (series == t->series_count) {
            size_t count = series;
            struct counter_series added = {.counter = counter, .key = parts[1]};
            ARRAY_PUSH(t->series, count, b->series_capacity, added);
            t->series_count++;
        }
        struct raw_sample sample = {side->ts_ns, number, series};
        ARRAY_PUSH(b->samples, b->sample_count, b->sample_capacity, sample);
    }
}
