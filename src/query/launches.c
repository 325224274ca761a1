#include "query/launches.h"

#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/memory.h"
#include "query/flows.h"
#include "query/summary.h"

/* A device slice and the call that launched it. */
struct link {
    uint32_t slice, call;
};

struct launches {
    const struct trace *t;
    struct link *by_slice; /* by device slice */
    size_t count, capacity;
    struct link *by_call; /* by call, then start of the device slice */
    uint32_t *kernels;    /* the device slices in the order of by_call */
    uint32_t *orphans;    /* launching calls with a correlation that no device slice has */
    size_t orphan_count, orphan_capacity;
};

/* What a call's name says of it: what starts device work comes before what may, and
 * that before what waits, records or frees. Several share a correlation. */
enum call_rank { CALL_LAUNCH, CALL_OTHER, CALL_WAIT };

/* A slice with its correlation, in its file. */
struct correlated {
    uint32_t file, correlation;
    enum call_rank rank;
    uint32_t slice;
    int64_t start_ns;
};

struct correlated_list {
    struct correlated *items;
    size_t count, capacity;
};

static bool is_call(enum category_class class)
{
    return class == CATEGORY_RUNTIME || class == CATEGORY_DRIVER;
}

static bool has_word(const char *name, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strstr(name, words[i]))
            return true;
    return false;
}

static enum call_rank rank_of_name(const char *name)
{
    static const char *const waits[] = {"Wait",     "Synchronize", "Query",  "Record",   "Parse",
                                        "Callback", "Roundtrip",   "Verify", "(Release)"};
    static const char *const launches[] = {"Launch", "Submit", "Memcpy", "Memset", "Transfer"};
    if (has_word(name, waits, sizeof waits / sizeof *waits))
        return CALL_WAIT;
    return has_word(name, launches, sizeof launches / sizeof *launches) ? CALL_LAUNCH : CALL_OTHER;
}

static uint32_t file_of(const struct trace *t, uint32_t track)
{
    return t->processes[t->tracks[track].process].file;
}

/* Per label the rank of its name, where it is one of a call. */
static enum call_rank *rank_labels(const struct trace *t)
{
    enum call_rank *ranks = xcalloc((size_t)t->label_count + 1, sizeof *ranks);
    for (uint32_t i = 0; i < t->label_count; i++)
        if (is_call(t->categories[t->labels[i].category].class))
            ranks[i] = rank_of_name(intern_text(t->names, t->labels[i].name, NULL));
    return ranks;
}

static void collect(const struct trace *t, struct correlated_list *calls,
                    struct correlated_list *devices)
{
    enum call_rank *ranks = rank_labels(t);
    for (uint32_t k = 0; k < t->track_count; k++) {
        uint32_t file = file_of(t, k);
        for (uint32_t i = t->tracks[k].first; i < t->tracks[k].first + t->tracks[k].count; i++) {
            if (!t->correlation[i])
                continue;
            const struct category *c = trace_category(t, i);
            struct correlated added = {file, t->correlation[i], CALL_OTHER, i, t->start_ns[i]};
            if (c->device) {
                ARRAY_PUSH(devices->items, devices->count, devices->capacity, added);
            } else if (is_call(c->class) && t->tracks[k].kind != TRACK_DEVICE) {
                added.rank = ranks[t->label[i]];
                ARRAY_PUSH(calls->items, calls->count, calls->capacity, added);
            }
        }
    }
    free(ranks);
}

static int by_correlation(const void *a, const void *b)
{
    const struct correlated *x = a, *y = b;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    if (x->correlation != y->correlation)
        return x->correlation < y->correlation ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return x->slice < y->slice ? -1 : x->slice > y->slice;
}

static int compare_keys(const struct correlated *x, const struct correlated *y)
{
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    return x->correlation < y->correlation ? -1 : x->correlation > y->correlation;
}

/* How many of the calls, in start order, start before a time, or no later. */
static size_t count_before(const struct correlated *calls, size_t n, int64_t at, bool or_at)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (calls[middle].start_ns < at || (or_at && calls[middle].start_ns == at))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Of calls in start order the one that launched what starts at a time: the last to
 * start no later (of several at once the first), or the first of all. */
static const struct correlated *latest_before(const struct correlated *calls, size_t n, int64_t at)
{
    size_t before = count_before(calls, n, at, true);
    return before ? &calls[count_before(calls, before, calls[before - 1].start_ns, false)] : calls;
}

/* What has no device slice of its correlation, though it was meant to start work. One
 * submission may consist of several calls: those that launch stand for it. */
static void note_orphans(struct launches *l, const struct correlated *calls, size_t n)
{
    static const char *const launch[] = {"aunch"}, *const submit[] = {"Submit"};
    size_t before = l->orphan_count;
    for (int pass = 0; pass < 2 && l->orphan_count == before; pass++)
        for (size_t i = 0; i < n; i++)
            if (has_word(trace_name(l->t, calls[i].slice, NULL), pass ? submit : launch, 1))
                ARRAY_PUSH(l->orphans, l->orphan_count, l->orphan_capacity, calls[i].slice);
}

static void sort_correlated(struct correlated_list *list)
{
    for (size_t i = 1; i < list->count; i++) {
        if (by_correlation(&list->items[i - 1], &list->items[i]) > 0) {
            array_sort(list->items, list->count, sizeof *list->items, by_correlation);
            return;
        }
    }
}

static void join(struct launches *l, struct correlated_list *calls, struct correlated_list *devices)
{
    sort_correlated(calls);
    sort_correlated(devices);
    size_t d = 0;
    for (size_t i = 0; i < calls->count;) {
        const struct correlated *group = &calls->items[i];
        size_t n = 1, best = 1;
        while (i + n < calls->count && compare_keys(group, group + n) == 0)
            n++;
        while (best < n && group[best].rank == group->rank)
            best++;
        while (d < devices->count && compare_keys(&devices->items[d], group) < 0)
            d++;
        if (d == devices->count || compare_keys(&devices->items[d], group) != 0)
            note_orphans(l, group, n);
        for (; d < devices->count && compare_keys(&devices->items[d], group) == 0; d++) {
            const struct correlated *device = &devices->items[d];
            struct link link = {device->slice, latest_before(group, best, device->start_ns)->slice};
            ARRAY_PUSH(l->by_slice, l->count, l->capacity, link);
        }
        i += n;
    }
}

static int by_slice(const void *a, const void *b)
{
    const struct link *x = a, *y = b;
    return x->slice < y->slice ? -1 : x->slice > y->slice;
}

static uint32_t find_call(const struct launches *l, uint32_t slice, size_t count)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (l->by_slice[middle].slice < slice)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && l->by_slice[low].slice == slice ? l->by_slice[low].call : TRACE_NONE;
}

/* Flow events join what has no correlation. */
struct flow_join {
    struct launches *l;
    const struct index *ix;
    size_t correlated; /* links by correlation, sorted */
};

static void join_flow(void *context, const struct side_event *start, const struct side_event *end)
{
    struct flow_join *join = context;
    const struct trace *t = join->l->t;
    uint32_t device = flow_slice(t, join->ix, end);
    if (device == TRACE_NONE || !trace_category(t, device)->device ||
        find_call(join->l, device, join->correlated) != TRACE_NONE)
        return;
    uint32_t call = flow_slice(t, join->ix, start);
    if (call == TRACE_NONE || trace_category(t, call)->device)
        return;
    ARRAY_PUSH(join->l->by_slice, join->l->count, join->l->capacity, (struct link){device, call});
}

/* Is call `a` a better one for the slice than `b`? The same rule as for calls of one
 * correlation. */
static bool is_better(const struct trace *t, uint32_t slice, uint32_t a, uint32_t b)
{
    int64_t start = t->start_ns[slice], x = t->start_ns[a], y = t->start_ns[b];
    if ((x <= start) != (y <= start))
        return x <= start;
    if (x != y)
        return x <= start ? x > y : x < y;
    return a < b;
}

/* Several flows may end at one slice. */
static void drop_doubles(struct launches *l)
{
    size_t kept = 0;
    for (size_t i = 0; i < l->count; i++) {
        const struct link *link = &l->by_slice[i];
        if (kept == 0 || l->by_slice[kept - 1].slice != link->slice)
            l->by_slice[kept++] = *link;
        else if (is_better(l->t, link->slice, link->call, l->by_slice[kept - 1].call))
            l->by_slice[kept - 1].call = link->call;
    }
    l->count = kept;
}

/* A link with the start of its device slice, for sorting by call. */
struct timed {
    uint32_t call, slice;
    int64_t start_ns;
};

static int by_call(const void *a, const void *b)
{
    const struct timed *x = a, *y = b;
    if (x->call != y->call)
        return x->call < y->call ? -1 : 1;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return x->slice < y->slice ? -1 : x->slice > y->slice;
}

static void index_by_call(struct launches *l)
{
    struct timed *timed = xreallocarray(NULL, l->count + 1, sizeof *timed);
    for (size_t i = 0; i < l->count; i++)
        timed[i] = (struct timed){l->by_slice[i].call, l->by_slice[i].slice,
                                  l->t->start_ns[l->by_slice[i].slice]};
    array_sort(timed, l->count, sizeof *timed, by_call);
    l->by_call = xreallocarray(NULL, l->count + 1, sizeof *l->by_call);
    l->kernels = xreallocarray(NULL, l->count + 1, sizeof *l->kernels);
    for (size_t i = 0; i < l->count; i++) {
        l->by_call[i] = (struct link){timed[i].slice, timed[i].call};
        l->kernels[i] = timed[i].slice;
    }
    free(timed);
}

struct launches *launches_build(const struct trace *t, const struct index *ix)
{
    struct launches *l = xcalloc(1, sizeof *l);
    struct correlated_list calls = {0}, devices = {0};
    l->t = t;
    collect(t, &calls, &devices);
    join(l, &calls, &devices);
    free(calls.items);
    free(devices.items);
    array_sort(l->by_slice, l->count, sizeof *l->by_slice, by_slice);
    struct flow_join flow = {l, ix, l->count};
    flows_each(t, join_flow, &flow);
    array_sort(l->by_slice, l->count, sizeof *l->by_slice, by_slice);
    drop_doubles(l);
    index_by_call(l);
    return l;
}

void launches_free(struct launches *l)
{
    if (!l)
        return;
    free(l->by_slice);
    free(l->by_call);
    free(l->kernels);
    free(l->orphans);
    free(l);
}

bool launches_any(const struct launches *l)
{
    return l->count > 0;
}

uint32_t launches_call(const struct launches *l, uint32_t device_slice)
{
    return find_call(l, device_slice, l->count);
}

uint32_t launches_op(const struct trace *t, const struct index *ix, uint32_t call)
{
    uint32_t op = call;
    while ((op = index_parent(ix, op)) != TRACE_NONE)
        if (trace_category(t, op)->class == CATEGORY_CPU_OP)
            return op;
    return TRACE_NONE;
}

uint32_t launches_kernels(const struct launches *l, uint32_t call, const uint32_t **slices)
{
    size_t low = 0, high = l->count, end;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (l->by_call[middle].call < call)
            low = middle + 1;
        else
            high = middle;
    }
    for (end = low; end < l->count && l->by_call[end].call == call; end++)
        continue;
    *slices = l->kernels + low;
    return (uint32_t)(end - low);
}

bool launches_latency_ns(const struct trace *t, const struct launches *l, uint32_t device_slice,
                         int64_t *latency_ns)
{
    uint32_t call = launches_call(l, device_slice);
    if (call == TRACE_NONE)
        return false;
    *latency_ns = ns_sub(t->start_ns[device_slice], t->start_ns[call]);
    return true;
}

struct latency {
    uint32_t name;
    int64_t ns;
};

static int by_name_and_latency(const void *a, const void *b)
{
    const struct latency *x = a, *y = b;
    if (x->name != y->name)
        return x->name < y->name ? -1 : 1;
    return x->ns < y->ns ? -1 : x->ns > y->ns;
}

/* Sorted latencies of one name. */
static struct launch_row make_row(const struct latency *items, size_t n, int64_t *total)
{
    struct launch_row row = {.name = items[0].name, .count = (uint32_t)n};
    int64_t *values = xreallocarray(NULL, n, sizeof *values);
    *total = 0;
    for (size_t i = 0; i < n; i++) {
        values[i] = items[i].ns;
        *total = ns_add(*total, items[i].ns);
    }
    row.min_ns = values[0];
    row.p50_ns = percentile_ns(values, n, 50);
    row.p95_ns = percentile_ns(values, n, 95);
    row.max_ns = values[n - 1];
    /* Rounded half away from zero. */
    __int128 doubled = (__int128)*total * 2000;
    __int128 count = (__int128)n;
    __int128 mean = (doubled + (doubled < 0 ? -count : count)) / (2 * count);
    row.mean_ps = mean > INT64_MAX ? INT64_MAX : mean < INT64_MIN ? INT64_MIN : (int64_t)mean;
    free(values);
    return row;
}

struct ranked {
    struct launch_row row;
    int64_t total;
};

static int by_total(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->total != y->total)
        return x->total > y->total ? -1 : 1;
    return x->row.name < y->row.name ? -1 : x->row.name > y->row.name;
}

static void fill_rows(struct launch_summary *s, struct latency *items, size_t n)
{
    struct ranked *ranked = NULL;
    size_t count = 0, capacity = 0;
    array_sort(items, n, sizeof *items, by_name_and_latency);
    for (size_t i = 0; i < n;) {
        size_t end = i + 1;
        while (end < n && items[end].name == items[i].name)
            end++;
        struct ranked added;
        added.row = make_row(items + i, end - i, &added.total);
        ARRAY_PUSH(ranked, count, capacity, added);
        i = end;
    }
    array_sort(ranked, count, sizeof *ranked, by_total);
    s->rows = xcalloc(count + 1, sizeof *s->rows);
    s->row_count = (uint32_t)count;
    for (size_t i = 0; i < count; i++)
        s->rows[i] = ranked[i].row;
    free(ranked);
}

struct launch_summary *launches_summary(const struct trace *t, const struct launches *l,
                                        const struct selection *sel)
{
    struct launch_summary *s = xcalloc(1, sizeof *s);
    struct latency *items = NULL;
    size_t count = 0, capacity = 0;
    for (uint32_t i = 0; i < t->slice_count; i++) {
        const struct category *c = trace_category(t, i);
        if (!c->device || !selection_takes(sel, t, i))
            continue;
        struct latency added = {t->labels[t->label[i]].name, 0};
        if (launches_latency_ns(t, l, i, &added.ns))
            ARRAY_PUSH(items, count, capacity, added);
        else
            s->orphan_kernels += c->class == CATEGORY_KERNEL;
    }
    fill_rows(s, items, count);
    free(items);
    for (size_t i = 0; i < l->orphan_count; i++) {
        const uint32_t *by_flow;
        s->orphan_launches += launches_kernels(l, l->orphans[i], &by_flow) == 0 &&
                              index_in_window(t, l->orphans[i], sel->from_ns, sel->to_ns);
    }
    return s;
}

void launch_summary_free(struct launch_summary *s)
{
    if (!s)
        return;
    free(s->rows);
    free(s);
}
