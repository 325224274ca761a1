#include "query/gaps.h"

#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/memory.h"
#include "query/device.h"

/* Device slices that count: of the selection's categories, else of device ones. */
static bool counts(const struct trace *t, const struct selection *sel, uint32_t slice)
{
    const struct label *label = &t->labels[t->label[slice]];
    if (sel->categories ? !sel->categories[label->category]
                        : !t->categories[label->category].device)
        return false;
    if (sel->names && !sel->names[label->name])
        return false;
    return index_in_window(t, slice, sel->from_ns, sel->to_ns);
}

/* The slices of the tracks [first, end) that count, by start. */
struct entry {
    int64_t start_ns, end_ns; /* clipped to the window */
    uint32_t slice;
};
struct entries {
    struct entry *items;
    size_t count, capacity;
};

static int by_start(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    if (x->end_ns != y->end_ns)
        return x->end_ns > y->end_ns ? -1 : 1;
    return x->slice < y->slice ? -1 : x->slice > y->slice;
}

static void collect(const struct trace *t, const struct index *ix, const struct selection *sel,
                    uint32_t track, struct entries *entries)
{
    uint32_t slice = t->tracks[track].first;
    while ((slice = index_overlap(ix, track, slice, sel->from_ns, sel->to_ns)) != TRACE_NONE) {
        if (counts(t, sel, slice)) {
            struct entry e = {t->start_ns[slice], trace_end_ns(t, slice), slice};
            if (e.start_ns < sel->from_ns)
                e.start_ns = sel->from_ns;
            if (e.end_ns > sel->to_ns)
                e.end_ns = sel->to_ns;
            ARRAY_PUSH(entries->items, entries->count, entries->capacity, e);
        }
        slice++;
    }
}

static bool longer(const struct gap *a, const struct gap *b)
{
    return a->dur_ns != b->dur_ns ? a->dur_ns > b->dur_ns : a->start_ns < b->start_ns;
}

static int by_length(const void *a, const void *b)
{
    const struct gap *x = a, *y = b;
    return longer(x, y) ? -1 : longer(y, x);
}

/* The largest gaps: a heap with the shortest on top, or all of them. */
static void keep_gap(struct gap_row *row, size_t *capacity, const struct gap *gap, size_t top)
{
    if (top == 0 || row->largest_count < top) {
        ARRAY_PUSH(row->largest, row->largest_count, *capacity, *gap);
        if (top == 0)
            return;
        for (size_t i = row->largest_count - 1;
             i > 0 && longer(&row->largest[(i - 1) / 2], &row->largest[i]); i = (i - 1) / 2) {
            struct gap other = row->largest[i];
            row->largest[i] = row->largest[(i - 1) / 2];
            row->largest[(i - 1) / 2] = other;
        }
        return;
    }
    if (!longer(gap, &row->largest[0]))
        return;
    row->largest[0] = *gap;
    for (size_t i = 0;;) {
        size_t child = 2 * i + 1;
        if (child >= row->largest_count)
            return;
        if (child + 1 < row->largest_count &&
            longer(&row->largest[child], &row->largest[child + 1]))
            child++;
        if (!longer(&row->largest[i], &row->largest[child]))
            return;
        struct gap other = row->largest[i];
        row->largest[i] = row->largest[child];
        row->largest[child] = other;
        i = child;
    }
}

/* Busy time, gaps and the largest of them. */
static void walk(struct gap_row *row, const struct entries *entries, size_t top)
{
    size_t capacity = 0;
    int64_t end = 0;
    uint32_t before = TRACE_NONE;
    for (size_t i = 0; i < entries->count; i++) {
        const struct entry *e = &entries->items[i];
        if (e->end_ns <= e->start_ns)
            continue; /* nothing in a union */
        if (before == TRACE_NONE) {
            row->busy_ns = e->end_ns - e->start_ns;
        } else if (e->start_ns > end) {
            struct gap gap = {end, ns_sub(e->start_ns, end), before, e->slice};
            row->gap_count++;
            row->idle_ns = ns_add(row->idle_ns, gap.dur_ns);
            keep_gap(row, &capacity, &gap, top);
            row->busy_ns = ns_add(row->busy_ns, e->end_ns - e->start_ns);
        } else if (e->end_ns > end) {
            row->busy_ns = ns_add(row->busy_ns, e->end_ns - end);
        }
        if (before == TRACE_NONE || e->end_ns > end) {
            end = e->end_ns;
            before = e->slice;
        }
    }
    array_sort(row->largest, row->largest_count, sizeof *row->largest, by_length);
}

static void find_span(struct gap_row *row, const struct entries *entries)
{
    int64_t end = INT64_MIN;
    for (size_t i = 0; i < entries->count; i++)
        if (entries->items[i].end_ns > end)
            end = entries->items[i].end_ns;
    if (entries->count)
        row->span_ns = ns_sub(end, entries->items[0].start_ns);
}

static void by_category(const struct trace *t, struct gap_row *row, const struct entries *entries)
{
    struct interval_list *lists = xcalloc((size_t)t->category_count + 1, sizeof *lists);
    row->busy_by_category_ns =
        xcalloc((size_t)t->category_count + 1, sizeof *row->busy_by_category_ns);
    for (size_t i = 0; i < entries->count; i++) {
        const struct entry *e = &entries->items[i];
        if (e->end_ns > e->start_ns)
            interval_add(&lists[t->labels[t->label[e->slice]].category], e->start_ns, e->end_ns);
    }
    for (uint32_t i = 0; i < t->category_count; i++) {
        interval_unite(&lists[i]);
        row->busy_by_category_ns[i] = interval_length(&lists[i]);
        interval_free(&lists[i]);
    }
    free(lists);
}

static void add_row(struct gaps *g, size_t *capacity, const struct trace *t,
                    struct entries *entries, uint32_t process, uint32_t track, size_t top)
{
    if (entries->count == 0)
        return;
    struct gap_row row = {.process = process, .track = track};
    array_sort(entries->items, entries->count, sizeof *entries->items, by_start);
    find_span(&row, entries);
    walk(&row, entries, top);
    row.idle_ns = ns_sub(row.span_ns, row.busy_ns);
    by_category(t, &row, entries);
    size_t count = g->row_count;
    ARRAY_PUSH(g->rows, count, *capacity, row);
    g->row_count++;
    entries->count = 0;
}

struct gaps *gaps_find(const struct trace *t, const struct index *ix, const struct selection *sel,
                       bool by_track, size_t top)
{
    struct gaps *g = xcalloc(1, sizeof *g);
    struct entries entries = {0};
    size_t capacity = 0;
    g->category_count = t->category_count;
    for (uint32_t p = 0; p < t->process_count; p++) {
        const struct process *process = &t->processes[p];
        for (uint32_t k = process->first_track; k < process->first_track + process->track_count;
             k++) {
            if (t->tracks[k].kind != TRACK_DEVICE)
                continue;
            collect(t, ix, sel, k, &entries);
            if (by_track)
                add_row(g, &capacity, t, &entries, p, k, top);
        }
        if (!by_track)
            add_row(g, &capacity, t, &entries, p, TRACE_NONE, top);
    }
    free(entries.items);
    return g;
}

void gaps_free(struct gaps *g)
{
    if (!g)
        return;
    for (uint32_t i = 0; i < g->row_count; i++) {
        free(g->rows[i].busy_by_category_ns);
        free(g->rows[i].largest);
    }
    free(g->rows);
    free(g);
}
