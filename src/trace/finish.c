#include "trace/finish.h"

#include "base/duration.h"

/* The first and last time of the slices, on the file's clock until now. */
static void find_extent(struct trace *t)
{
    for (uint32_t i = 0; i < t->slice_count; i++) {
        int64_t end = trace_end_ns(t, i);
        if (i == 0 || t->start_ns[i] < t->first_start_ns)
            t->first_start_ns = t->start_ns[i];
        if (i == 0 || end > t->last_end_ns)
            t->last_end_ns = end;
    }
}

void builder_finish(struct builder *b)
{
    struct trace *t = b->t;
    t->origin_ns = b->any_time ? b->first_ns : 0;
    t->end_ns = b->any_time ? ns_sub(b->last_ns, t->origin_ns) : 0;
    finish_pairs(b);
    finish_tracks(b);
    finish_order(b);
    finish_extras(b);
    find_extent(t);
    if (t->slice_count)
        t->end_ns = t->last_end_ns;
    finish_focus(t);
}
