#include "query/flows.h"

uint32_t flow_slice(const struct trace *t, const struct index *ix, const struct side_event *flow)
{
    uint32_t track = t->source_track[flow->track];
    if (track == TRACE_NONE || t->tracks[track].count == 0)
        return TRACE_NONE;
    uint32_t next = index_start_at(ix, track, flow->ts_ns);
    uint32_t end = t->tracks[track].first + t->tracks[track].count;
    if (flow->phase == 'f' && !flow->enclosing)
        return next < end ? next : TRACE_NONE;
    if (next < end && t->start_ns[next] == flow->ts_ns)
        return next;
    return index_stab(ix, track, flow->ts_ns);
}

/* Flows are sorted by key, then time (trace/extras.c): a chain goes from one start to
 * the next of the same key. */
static size_t chain_end(const struct side_list *flows, size_t i)
{
    size_t end = i + 1;
    while (end < flows->count && flows->items[end].key == flows->items[i].key &&
           flows->items[end].phase != 's')
        end++;
    return end;
}

void flows_count(const struct trace *t, uint64_t *complete, uint64_t *dangling)
{
    const struct side_list *flows = &t->flows;
    *complete = *dangling = 0;
    for (size_t i = 0; i < flows->count;) {
        size_t end = chain_end(flows, i);
        bool has_end = false;
        for (size_t k = i; k < end; k++)
            has_end |= flows->items[k].phase == 'f';
        if (has_end && flows->items[i].phase == 's')
            ++*complete;
        else
            ++*dangling;
        i = end;
    }
}

void flows_each(const struct trace *t,
                void (*visit)(void *context, const struct side_event *start,
                              const struct side_event *end),
                void *context)
{
    const struct side_list *flows = &t->flows;
    for (size_t i = 0; i < flows->count;) {
        size_t end = chain_end(flows, i);
        if (flows->items[i].phase == 's')
            for (size_t k = i + 1; k < end; k++)
                visit(context, &flows->items[i], &flows->items[k]);
        i = end;
    }
}
