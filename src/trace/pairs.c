/*
 * Begin and end events: an end closes the innermost open begin of its name on its
 * track, or the innermost of all if it has no name (contract: pairs may overlap
 * without nesting).
 */
#include <stdlib.h>

#include "base/memory.h"
#include "trace/finish.h"

/* B and E events by source, time and file order. */
static int compare_halves(const void *a, const void *b)
{
    const struct side_event *x = *(const struct side_event *const *)a;
    const struct side_event *y = *(const struct side_event *const *)b;
    if (x->track != y->track)
        return x->track < y->track ? -1 : 1;
    if (x->ts_ns != y->ts_ns)
        return x->ts_ns < y->ts_ns ? -1 : 1;
    return x->byte < y->byte ? -1 : x->byte > y->byte;
}

/* The begins of the current track that are open: a list from the outermost to the
 * innermost, and for each name a list of its own. Indices into `nodes`. */
struct node {
    const struct side_event *begin;
    uint32_t previous, next; /* among all open ones */
    uint32_t same;           /* the next outer one of the same name */
};

struct pairing {
    struct builder *b;
    struct node *nodes;
    size_t node_count, node_capacity;
    uint32_t innermost;
    uint32_t *of_name; /* per name: the innermost open begin */
    size_t slice_end_capacity, open_capacity;
};

static uint32_t name_of(const struct pairing *p, const struct side_event *event)
{
    return p->b->t->labels[event->label].name;
}

static void note(struct pairing *p, enum damage_kind kind, const struct side_event *event)
{
    const struct builder *b = p->b;
    damage_add(&b->t->damage, kind, b->processes[b->sources[event->track].process].file,
               event->byte);
}

static void open_begin(struct pairing *p, const struct side_event *begin)
{
    uint32_t name = name_of(p, begin), node = (uint32_t)p->node_count;
    struct node added = {begin, p->innermost, TRACE_NONE, p->of_name[name]};
    ARRAY_PUSH(p->nodes, p->node_count, p->node_capacity, added);
    if (p->innermost != TRACE_NONE)
        p->nodes[p->innermost].next = node;
    p->innermost = node;
    p->of_name[name] = node;
}

/* Takes a begin, the innermost of its name, off both lists. */
static void close_node(struct pairing *p, uint32_t node)
{
    if (!p->nodes)
        return;
    struct node *n = &p->nodes[node];
    p->of_name[name_of(p, n->begin)] = n->same;
    if (n->previous != TRACE_NONE)
        p->nodes[n->previous].next = n->next;
    if (n->next != TRACE_NONE)
        p->nodes[n->next].previous = n->previous;
    else
        p->innermost = n->previous;
}

static void add_pair(struct pairing *p, const struct side_event *begin,
                     const struct side_event *end)
{
    struct trace *t = p->b->t;
    int64_t dur_ns;
    if (__builtin_sub_overflow(end->ts_ns, begin->ts_ns, &dur_ns)) {
        note(p, DAMAGE_OUT_OF_RANGE, begin);
        return;
    }
    /* The category of either half counts. */
    uint32_t label = begin->label;
    if (t->labels[label].category == 0)
        label = builder_label(p->b, t->labels[label].name, t->labels[end->label].category);
    /* Until the slices are sorted, a pair is known by its place in file order. */
    struct slice_end added = {(uint32_t)p->b->slices.count, end->byte};
    ARRAY_PUSH(t->slice_ends, t->slice_end_count, p->slice_end_capacity, added);
    columns_add(&p->b->slices, begin->ts_ns, dur_ns, label, begin->track,
                begin->key ? begin->key : end->key, begin->byte);
}

static void end_begin(struct pairing *p, const struct side_event *end)
{
    struct trace *t = p->b->t;
    uint32_t name = name_of(p, end);
    uint32_t node = name ? p->of_name[name] : p->innermost;
    if (node == TRACE_NONE || !p->nodes) {
        t->unmatched_ends++;
        note(p, DAMAGE_UNMATCHED_END, end);
        side_list_add(&t->others, end);
        return;
    }
    close_node(p, node);
    add_pair(p, p->nodes[node].begin, end);
}

/* What is open at the end of a track stays open. */
static void end_track(struct pairing *p)
{
    struct trace *t = p->b->t;
    uint32_t node = p->innermost, first = node;
    while (node != TRACE_NONE) {
        first = node;
        p->of_name[name_of(p, p->nodes[node].begin)] = TRACE_NONE;
        node = p->nodes[node].previous;
    }
    for (node = first; p->nodes && node != TRACE_NONE; node = p->nodes[node].next) {
        const struct side_event *begin = p->nodes[node].begin;
        struct open_begin open = {begin->ts_ns, begin->byte, begin->track, begin->label};
        ARRAY_PUSH(t->open_begins, t->open_begin_count, p->open_capacity, open);
        note(p, DAMAGE_UNMATCHED_BEGIN, begin);
    }
    p->node_count = 0;
    p->innermost = TRACE_NONE;
}

void finish_pairs(struct builder *b)
{
    size_t count = b->begins.count + b->ends.count, n = 0;
    if (count == 0)
        return;
    const struct side_event **halves = xreallocarray(NULL, count, sizeof *halves);
    for (size_t i = 0; i < b->begins.count; i++)
        halves[n++] = &b->begins.items[i];
    for (size_t i = 0; i < b->ends.count; i++)
        halves[n++] = &b->ends.items[i];
    array_sort(halves, count, sizeof *halves, compare_halves);

    struct pairing p = {.b = b, .innermost = TRACE_NONE};
    uint32_t names = intern_count(b->t->names);
    p.of_name = xreallocarray(NULL, names, sizeof *p.of_name);
    memset(p.of_name, 0xff, names * sizeof *p.of_name);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && halves[i]->track != halves[i - 1]->track)
            end_track(&p);
        if (halves[i]->phase == 'B')
            open_begin(&p, halves[i]);
        else
            end_begin(&p, halves[i]);
    }
    end_track(&p);
    free(p.nodes);
    free(p.of_name);
    free(halves);
}
