#include "trace/builder.h"

#include <stdlib.h>

#include "base/memory.h"
#include "scan/number.h"
#include "trace/category.h"
#include "trace/finish.h"

enum { ID_MISSING = 1, PHASES_MAX = 256 };

void builder_init(struct builder *b)
{
    memset(b, 0, sizeof *b);
    b->t = xcalloc(1, sizeof *b->t);
    b->t->names = intern_new();
    b->t->ids = intern_new();
    intern_add(b->t->ids, "", 1); /* one NUL: the id that is not there */
    b->source_keys = intern_new();
    b->process_keys = intern_new();
    b->counter_keys = intern_new();
    b->series_keys = intern_new();
    b->label_keys = intern_new();
    b->category_keys = intern_new();
    /* Every intern table begins with the empty string: ids of keys count from 1. */
    category_add(b, "", 0);
}

void builder_free(struct builder *b)
{
    struct columns *c = &b->slices;
    free(c->ts_ns);
    free(c->dur_ns);
    free(c->label);
    free(c->source);
    free(c->correlation);
    free(c->byte);
    free(b->begins.items);
    free(b->ends.items);
    intern_free(b->source_keys);
    intern_free(b->process_keys);
    intern_free(b->counter_keys);
    intern_free(b->series_keys);
    intern_free(b->label_keys);
    intern_free(b->category_keys);
    free(b->sources);
    free(b->thread_namings);
    free(b->processes);
    free(b->label_of_name);
    free(b->samples);
    text_free(&b->scratch);
}

void side_list_add(struct side_list *list, const struct side_event *event)
{
    ARRAY_PUSH(list->items, list->count, list->capacity, *event);
}

static bool is_text(const struct token *token)
{
    return token->type == TOKEN_STRING || token->type == TOKEN_ESCAPED;
}

static bool is_missing(const struct token *token)
{
    return token->type == TOKEN_NONE || token->type == TOKEN_NULL;
}

/* The text of a token, decoded where it must be. Valid until the next call. */
static const char *token_text(struct builder *b, const struct token *token, size_t *len)
{
    if (token->type != TOKEN_ESCAPED) {
        *len = is_missing(token) ? 0 : token->len;
        return *len ? token->p : "";
    }
    text_clear(&b->scratch);
    token_decode(token, &b->scratch);
    *len = b->scratch.len;
    return *len ? b->scratch.data : "";
}

uint32_t builder_name(struct builder *b, const struct token *token)
{
    size_t len;
    const char *text = token_text(b, token, &len);
    return intern_add(b->t->names, text, len);
}

/* The canonical text of an integer: no plus, no leading zeros, no -0. */
static bool canonical_integer(const char *p, size_t len, char out[48], size_t *out_len)
{
    const char *end = p + len;
    bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    if (p == end || end - p > 40)
        return false;
    for (const char *c = p; c < end; c++)
        if (*c < '0' || *c > '9')
            return false;
    while (end - p > 1 && *p == '0')
        p++;
    if (*p == '0')
        negative = false;
    out[0] = '-';
    memcpy(out + negative, p, (size_t)(end - p));
    *out_len = (size_t)(end - p) + negative;
    return true;
}

uint32_t builder_id(struct builder *b, const struct token *token)
{
    char digits[48];
    size_t len, digits_len;
    if (is_missing(token))
        return ID_MISSING;
    const char *text = token_text(b, token, &len);
    if (canonical_integer(text, len, digits, &digits_len))
        return intern_add(b->t->ids, digits, digits_len);
    return intern_add(b->t->ids, text, len);
}

static uint32_t find_process(struct builder *b, uint32_t pid)
{
    uint32_t key[2] = {b->file, pid};
    uint32_t id = intern_add(b->process_keys, (const char *)key, sizeof key) - 1;
    if (id == b->process_count) {
        struct source_process process = {.file = b->file, .pid = pid};
        ARRAY_PUSH(b->processes, b->process_count, b->process_capacity, process);
    }
    return id;
}

uint32_t builder_source_of_ids(struct builder *b, uint32_t pid, uint32_t tid)
{
    uint32_t key[2] = {find_process(b, pid), tid};
    uint32_t id = intern_add(b->source_keys, (const char *)key, sizeof key) - 1;
    if (id == b->t->source_count) {
        size_t count = id, naming_count = id;
        ARRAY_PUSH(b->sources, count, b->source_capacity, (struct source){key[0], tid});
        ARRAY_PUSH(b->thread_namings, naming_count, b->thread_naming_capacity, (struct naming){0});
        b->t->source_count++;
    }
    return id;
}

uint32_t builder_source(struct builder *b, const struct token *pid, const struct token *tid)
{
    size_t len = (size_t)pid->len + tid->len;
    if (len > sizeof b->recent_sources[0].text)
        return builder_source_of_ids(b, builder_id(b, pid), builder_id(b, tid));
    unsigned hash = pid->len * 7u + tid->len;
    if (pid->len)
        hash += (unsigned char)pid->p[pid->len - 1];
    if (tid->len)
        hash = hash * 31u + (unsigned char)tid->p[tid->len - 1] +
               (unsigned char)tid->p[tid->len / 2] * 5u;
    struct recent_source *r = &b->recent_sources[hash % RECENT];
    if (r->file == b->file + 1 && r->pid_len == pid->len && r->tid_len == tid->len &&
        r->pid_type == pid->type && r->tid_type == tid->type &&
        memcmp(r->text, pid->p ? pid->p : "", pid->len) == 0 &&
        memcmp(r->text + pid->len, tid->p ? tid->p : "", tid->len) == 0)
        return r->source;
    uint32_t source = builder_source_of_ids(b, builder_id(b, pid), builder_id(b, tid));
    if (pid->len)
        memcpy(r->text, pid->p, pid->len);
    if (tid->len)
        memcpy(r->text + pid->len, tid->p, tid->len);
    r->pid_len = (uint8_t)pid->len;
    r->tid_len = (uint8_t)tid->len;
    r->pid_type = (uint8_t)pid->type;
    r->tid_type = (uint8_t)tid->type;
    r->file = b->file + 1;
    r->source = source;
    return source;
}

static uint32_t event_category(struct builder *b, const struct token *cat)
{
    if (is_missing(cat))
        return 0;
    if (cat->type == TOKEN_STRING && cat->len > 0 &&
        cat->len <= sizeof b->recent_categories[0].text) {
        unsigned hash =
            (unsigned char)cat->p[0] + cat->len * 5u + (unsigned char)cat->p[cat->len - 1] * 3u;
        struct recent_category *r = &b->recent_categories[hash % RECENT];
        if (r->known && r->len == cat->len && memcmp(r->text, cat->p, cat->len) == 0)
            return r->id;
        r->id = category_add(b, cat->p, cat->len);
        memcpy(r->text, cat->p, cat->len);
        r->len = (uint8_t)cat->len;
        r->known = 1;
        return r->id;
    }
    size_t len;
    const char *text = token_text(b, cat, &len);
    return category_add(b, text, len);
}

uint32_t builder_label(struct builder *b, uint32_t name, uint32_t category)
{
    struct trace *t = b->t;
    if (name >= b->label_of_name_count) {
        size_t count = name + 1024 + b->label_of_name_count / 2;
        b->label_of_name = xreallocarray(b->label_of_name, count, sizeof *b->label_of_name);
        memset(b->label_of_name + b->label_of_name_count, 0xff,
               (count - b->label_of_name_count) * sizeof *b->label_of_name);
        b->label_of_name_count = count;
    }
    uint32_t label = b->label_of_name[name];
    if (label != TRACE_NONE && t->labels[label].category == category)
        return label;
    struct label key = {name, category};
    label = intern_add(b->label_keys, (const char *)&key, sizeof key) - 1;
    if (label == t->label_count) {
        size_t count = label;
        ARRAY_PUSH(t->labels, count, b->label_capacity, key);
        t->label_count++;
    }
    b->label_of_name[name] = label;
    return label;
}

/* Equal correlations get equal tokens: the number itself plus one where it is small,
 * else the id of its text with the highest bit set. Zero is none. */
static uint32_t correlation_token(struct builder *b, const struct token *token)
{
    int64_t value;
    if (token->type == TOKEN_NONE || token->type == TOKEN_NULL)
        return 0;
    if (number_integer(token->p, token->len, &value) == NUMBER_OK) {
        if (value == 0)
            return 0;
        if (value > 0 && value < INT32_MAX)
            return (uint32_t)value;
    }
    return builder_id(b, token) | 0x80000000u;
}

static void note(struct builder *b, enum damage_kind kind, uint64_t byte)
{
    damage_add(&b->t->damage, kind, b->file, byte);
}

/* A time of the event; false if it has none that can be used. */
static bool read_time(struct builder *b, const struct token *token, uint64_t byte, int64_t *ns)
{
    if (token->type != TOKEN_NUMBER && !is_text(token))
        return false;
    size_t len;
    const char *text = token_text(b, token, &len);
    switch (number_time_ns(text, len, ns)) {
    case NUMBER_OK:
        return true;
    case NUMBER_ODD:
        if (is_text(token))
            note(b, DAMAGE_BAD_NUMBER, byte);
        return true;
    case NUMBER_RANGE:
        note(b, DAMAGE_OUT_OF_RANGE, byte);
        return false;
    case NUMBER_BAD:
        break;
    }
    return false;
}

void columns_reserve(struct columns *c, size_t more)
{
    if (c->count + more <= c->capacity)
        return;
    c->capacity += c->capacity / 2;
    if (c->capacity < c->count + more)
        c->capacity = c->count + more + 4096;
    c->ts_ns = xreallocarray(c->ts_ns, c->capacity, sizeof *c->ts_ns);
    c->dur_ns = xreallocarray(c->dur_ns, c->capacity, sizeof *c->dur_ns);
    c->label = xreallocarray(c->label, c->capacity, sizeof *c->label);
    c->source = xreallocarray(c->source, c->capacity, sizeof *c->source);
    c->correlation = xreallocarray(c->correlation, c->capacity, sizeof *c->correlation);
    c->byte = xreallocarray(c->byte, c->capacity, sizeof *c->byte);
}

void columns_add(struct columns *c, int64_t ts_ns, int64_t dur_ns, uint32_t label, uint32_t source,
                 uint32_t correlation, uint64_t byte)
{
    if (c->count == c->capacity)
        columns_reserve(c, 1);
    size_t i = c->count++;
    c->ts_ns[i] = ts_ns;
    c->dur_ns[i] = dur_ns;
    c->label[i] = label;
    c->source[i] = source;
    c->correlation[i] = correlation;
    c->byte[i] = byte;
}

static uint32_t event_label(struct builder *b, const struct event *ev, uint32_t category)
{
    const struct token *name = is_text(&ev->orig_name) ? &ev->orig_name : &ev->name;
    return builder_label(b, builder_name(b, name), category);
}

void builder_saw_time(struct builder *b, int64_t ts_ns)
{
    if (!b->any_time || ts_ns < b->first_ns)
        b->first_ns = ts_ns;
    if (!b->any_time || ts_ns > b->last_ns)
        b->last_ns = ts_ns;
    b->any_time = true;
}

static void add_slice(struct builder *b, const struct event *ev, uint64_t byte, int64_t ts_ns,
                      uint32_t category)
{
    int64_t dur_ns = 0, end_ns;
    uint64_t range_before = b->t->damage.counts[DAMAGE_OUT_OF_RANGE];
    if (!is_missing(&ev->dur) && !read_time(b, &ev->dur, byte, &dur_ns)) {
        if (b->t->damage.counts[DAMAGE_OUT_OF_RANGE] != range_before)
            return;
        note(b, DAMAGE_BAD_NUMBER, byte);
        dur_ns = 0;
    }
    if (dur_ns < 0) {
        note(b, DAMAGE_NEGATIVE_DUR, byte);
        dur_ns = 0;
    }
    if (__builtin_add_overflow(ts_ns, dur_ns, &end_ns)) {
        note(b, DAMAGE_OUT_OF_RANGE, byte);
        return;
    }
    if (b->slices.count == TRACE_NONE - 1)
        return; /* builder_event() counted it; trace_load() says that there are too many */
    builder_saw_time(b, ts_ns);
    b->t->enriched |= ev->enriched;
    columns_add(&b->slices, ts_ns, dur_ns, event_label(b, ev, category),
                builder_source(b, &ev->pid, &ev->tid), correlation_token(b, &ev->correlation),
                byte);
}

void builder_count_phase(struct builder *b, const char *text, size_t len, uint64_t count)
{
    struct trace *t = b->t;
    if (len >= sizeof t->phases->text)
        len = sizeof t->phases->text - 1;
    for (size_t i = 0; i < t->phase_count; i++) {
        struct phase_count *p = &t->phases[i];
        if (memcmp(p->text, text, len) == 0 && p->text[len] == '\0') {
            p->count += count;
            return;
        }
    }
    /* A hostile file must not make this list long: the rest counts as its last. */
    if (t->phase_count == PHASES_MAX) {
        t->phases[PHASES_MAX - 1].count += count;
        return;
    }
    struct phase_count added = {.count = count};
    memcpy(added.text, text, len);
    ARRAY_PUSH(t->phases, t->phase_count, b->phase_capacity, added);
}

/* Counts the phase as it stands in the file; returns its letter, 0 for none. */
static char count_phase(struct builder *b, const struct token *ph)
{
    size_t len;
    const char *text = token_text(b, ph, &len);
    builder_count_phase(b, text, len, 1);
    return len ? text[0] : 0;
}

/* Events with a time that are no X. */
static void add_side(struct builder *b, const struct event *ev, uint64_t byte, char phase,
                     int64_t ts_ns, uint32_t category)
{
    struct trace *t = b->t;
    struct side_event side = {.ts_ns = ts_ns, .byte = byte, .phase = phase, .key = TRACE_NONE};
    side.track = builder_source(b, &ev->pid, &ev->tid);
    side.label = event_label(b, ev, category);
    builder_saw_time(b, ts_ns);
    switch (phase) {
    case 'B':
        side.key = correlation_token(b, &ev->correlation);
        t->enriched |= ev->enriched;
        side_list_add(&b->begins, &side);
        break;
    case 'E':
        side.key = correlation_token(b, &ev->correlation);
        side_list_add(&b->ends, &side);
        break;
    case 's':
    case 't':
    case 'f':
        builder_flow(b, ev, &side);
        break;
    case 'i':
    case 'I':
    case 'R':
        side.scope = is_text(&ev->scope) && ev->scope.len ? ev->scope.p[0] : 't';
        side_list_add(&t->instants, &side);
        break;
    case 'C':
        builder_counter(b, ev, &side);
        break;
    case 'b':
    case 'n':
    case 'e':
        builder_async(b, ev, &side);
        break;
    default:
        side_list_add(&t->others, &side);
        break;
    }
}

void builder_event(struct builder *b, const struct event *ev, uint64_t byte)
{
    struct trace *t = b->t;
    int64_t ts_ns;
    t->event_count++;
    char phase = count_phase(b, &ev->ph);
    uint32_t category = event_category(b, &ev->cat);
    t->category_events[category]++;
    if (phase == 'M') {
        builder_metadata(b, ev, byte);
        return;
    }
    if (phase == 0) {
        if (!ev->empty)
            note(b, DAMAGE_BAD_EVENT, byte);
        return;
    }
    if (!strchr("XBEstfiIRCbneSTpFNODPvVrac()(,)", phase))
        note(b, DAMAGE_UNKNOWN_PHASE, byte);
    uint64_t range_before = t->damage.counts[DAMAGE_OUT_OF_RANGE];
    if (!read_time(b, &ev->ts, byte, &ts_ns)) {
        if (t->damage.counts[DAMAGE_OUT_OF_RANGE] == range_before && strchr("XBE", phase))
            note(b, DAMAGE_BAD_EVENT, byte);
        return;
    }
    if (phase == 'X')
        add_slice(b, ev, byte, ts_ns, category);
    else
        add_side(b, ev, byte, phase, ts_ns, category);
}
