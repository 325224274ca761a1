/*
 * Collects events in file order, in columns; finish.h makes a trace of them.
 */
#ifndef SPYTOP_TRACE_BUILDER_H
#define SPYTOP_TRACE_BUILDER_H

#include "scan/event.h"
#include "trace/trace.h"

/* What process_name and its kin said about a process or a thread. */
struct naming {
    uint32_t name, labels; /* in trace->names */
    int64_t sort_index;
    bool has_name, has_labels, has_sort_index; /* was said at all; the last one wins */
};

/* A distinct (file, pid, tid), in order of appearance. */
struct source {
    uint32_t process; /* in builder->processes */
    uint32_t tid;
};
struct source_process {
    uint32_t file, pid;
    struct naming naming;
};

/* Slices in file order. */
struct columns {
    size_t count, capacity;
    int64_t *ts_ns, *dur_ns; /* on the file's clock */
    uint32_t *label, *source, *correlation;
    uint64_t *byte;
};

struct raw_sample {
    int64_t ts_ns;
    double value;
    uint32_t series;
};

/* Answers of the last lookups, so that events much like those before cost little. */
enum { RECENT = 64 };
struct recent_source {
    char text[48];
    uint8_t pid_len, tid_len, pid_type, tid_type;
    uint32_t file, source;
};
struct recent_category {
    char text[30];
    uint8_t len, known;
    uint32_t id;
};

struct builder {
    struct trace *t; /* names, ids, labels, categories, counts and side lists go there at once */
    uint32_t file;   /* events come from this one now */

    struct columns slices;
    struct side_list begins, ends;

    struct intern *source_keys, *process_keys, *counter_keys, *series_keys, *label_keys,
        *category_keys;
    struct source *sources;
    struct naming *thread_namings; /* per source */
    size_t source_capacity, thread_naming_capacity;
    struct source_process *processes;
    size_t process_capacity, process_count;
    size_t label_capacity, category_capacity, category_events_capacity, phase_capacity;
    size_t counter_capacity, series_capacity;

    uint32_t *label_of_name; /* per name: the label it had last, or TRACE_NONE */
    size_t label_of_name_count;

    struct raw_sample *samples;
    size_t sample_count, sample_capacity;

    bool any_time;
    int64_t first_ns, last_ns; /* of all usable events but M */

    struct text scratch;
    struct recent_source recent_sources[RECENT];
    struct recent_category recent_categories[RECENT];
};

/* A builder for an empty trace, which it creates. */
void builder_init(struct builder *b);
void builder_free(struct builder *b); /* not the trace */

/* Takes in an event. Every event is counted; what cannot be used is noted in the
 * trace's damage. */
void builder_event(struct builder *b, const struct event *ev, uint64_t byte);

/* Adds what another builder has collected, as if its events had come after this
 * one's: the result does not depend on how the events were divided. The other
 * builder's trace is released with it by builder_discard(). */
void builder_merge(struct builder *b, const struct builder *later);
void builder_discard(struct builder *b);

/* The source of a (pid, tid) of the current file. */
uint32_t builder_source(struct builder *b, const struct token *pid, const struct token *tid);

/* The id of an id's token: numbers and strings of digits are the same; other
 * strings are themselves; null and nothing are missing. */
uint32_t builder_id(struct builder *b, const struct token *token);

/* The id in trace->names of a token's text. */
uint32_t builder_name(struct builder *b, const struct token *token);

/* The label of a name and a category. */
uint32_t builder_label(struct builder *b, uint32_t name, uint32_t category);

/* The source of ids that are already known (a process of the current file). */
uint32_t builder_source_of_ids(struct builder *b, uint32_t pid, uint32_t tid);

/* The counter of (process, name, id), and its series for an args key. */
uint32_t builder_counter_of(struct builder *b, uint32_t process, uint32_t name, uint32_t id);
uint32_t builder_series_of(struct builder *b, uint32_t counter, uint32_t key);

/* Adds to the count of a phase. */
void builder_count_phase(struct builder *b, const char *text, size_t len, uint64_t count);

/* Notes the first and last time. */
void builder_saw_time(struct builder *b, int64_t ts_ns);

/* Adds to a side list. */
void side_list_add(struct side_list *list, const struct side_event *event);

/* builder_extras.c: events that are no slices. */
void builder_metadata(struct builder *b, const struct event *ev, uint64_t byte);
void builder_counter(struct builder *b, const struct event *ev, struct side_event *side);
void builder_flow(struct builder *b, const struct event *ev, struct side_event *side);
void builder_async(struct builder *b, const struct event *ev, struct side_event *side);

#endif
