/*
 * Processes and tracks, in display order: by sort index, then by id.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "scan/number.h"
#include "trace/finish.h"

/* A process or a track with what it is ordered by. */
struct entry {
    uint32_t number; /* in the builder */
    uint32_t group;  /* file, or the process in display order */
    int64_t sort_index;
    bool numeric;
    int64_t id_number;
    const char *id;
};

static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->sort_index != y->sort_index)
        return x->sort_index < y->sort_index ? -1 : 1;
    if (x->numeric != y->numeric)
        return x->numeric ? -1 : 1;
    if (x->numeric && x->id_number != y->id_number)
        return x->id_number < y->id_number ? -1 : 1;
    int order = x->numeric ? 0 : strcmp(x->id, y->id);
    return order ? order : (x->number < y->number ? -1 : x->number > y->number);
}

static struct entry make_entry(const struct builder *b, uint32_t number, uint32_t group,
                               uint32_t id, int64_t sort_index)
{
    struct entry e = {.number = number, .group = group, .sort_index = sort_index};
    size_t len;
    e.id = intern_text(b->t->ids, id, &len);
    e.numeric = number_integer(e.id, len, &e.id_number) == NUMBER_OK;
    return e;
}

/* What there is on each source. */
struct content {
    bool device, other, host; /* slices of device categories; wrappers; anything else */
    bool drawn;
};

static struct content *look_at_sources(const struct builder *b)
{
    const struct trace *t = b->t;
    const struct columns *c = &b->slices;
    struct content *contents = xcalloc(t->source_count + 1, sizeof *contents);
    for (size_t i = 0; i < c->count; i++) {
        struct content *content = &contents[c->source[i]];
        const struct category *category = &t->categories[t->labels[c->label[i]].category];
        content->drawn = true;
        if (category->device)
            content->device = true;
        else if (category->class == CATEGORY_WRAPPER)
            content->other = true;
        else
            content->host = true;
    }
    for (size_t i = 0; i < t->open_begin_count; i++)
        contents[t->open_begins[i].track].drawn = true;
    for (size_t i = 0; i < t->instants.count; i++)
        contents[t->instants.items[i].track].drawn = true;
    return contents;
}

static void add_processes(struct builder *b)
{
    struct trace *t = b->t;
    struct entry *order = xreallocarray(NULL, b->process_count, sizeof *order);
    for (uint32_t i = 0; i < b->process_count; i++) {
        const struct source_process *p = &b->processes[i];
        order[i] = make_entry(b, i, p->file, p->pid, p->naming.sort_index);
    }
    array_sort(order, b->process_count, sizeof *order, compare_entries);
    t->processes = xcalloc(b->process_count, sizeof *t->processes);
    t->process_count = (uint32_t)b->process_count;
    /* From the builder's number to the display order, for a moment in first_track. */
    uint32_t *place = xreallocarray(NULL, b->process_count, sizeof *place);
    for (uint32_t i = 0; i < t->process_count; i++) {
        const struct source_process *p = &b->processes[order[i].number];
        place[order[i].number] = i;
        t->processes[i] = (struct process){
            .file = p->file,
            .pid = p->pid,
            .name = p->naming.name,
            .labels = p->naming.labels,
            .sort_index = p->naming.sort_index,
        };
    }
    t->source_process = xreallocarray(NULL, t->source_count, sizeof *t->source_process);
    for (uint32_t i = 0; i < t->source_count; i++)
        t->source_process[i] = place[b->sources[i].process];
    for (uint32_t i = 0; i < t->counter_count; i++)
        t->counters[i].process = place[t->counters[i].process];
    free(place);
    free(order);
}

static void add_tracks(struct builder *b, const struct content *contents)
{
    struct trace *t = b->t;
    struct entry *order = xreallocarray(NULL, t->source_count, sizeof *order);
    uint32_t count = 0;
    for (uint32_t i = 0; i < t->source_count; i++)
        if (contents[i].drawn)
            order[count++] = make_entry(b, i, t->source_process[i], b->sources[i].tid,
                                        b->thread_namings[i].sort_index);
    array_sort(order, count, sizeof *order, compare_entries);
    t->tracks = xcalloc(count, sizeof *t->tracks);
    t->track_count = count;
    t->source_track = xreallocarray(NULL, t->source_count, sizeof *t->source_track);
    memset(t->source_track, 0xff, t->source_count * sizeof *t->source_track);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t source = order[i].number;
        const struct content *content = &contents[source];
        t->source_track[source] = i;
        t->tracks[i] = (struct track){
            .process = order[i].group,
            .tid = b->sources[source].tid,
            .name = b->thread_namings[source].name,
            .sort_index = order[i].sort_index,
            .kind = content->device                    ? TRACK_DEVICE
                    : content->other && !content->host ? TRACK_OTHER
                                                       : TRACK_HOST,
        };
        struct process *process = &t->processes[order[i].group];
        if (process->track_count++ == 0)
            process->first_track = i;
    }
    free(order);
}

void finish_tracks(struct builder *b)
{
    if (b->t->source_count == 0)
        return;
    struct content *contents = look_at_sources(b);
    add_processes(b);
    add_tracks(b, contents);
    free(contents);
}
