/*
 * Which call launched which device slice, and which slices flows connect, against
 * programs that try everything.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "query/flows.h"
#include "query/launches.h"
#include "query/summary.h"
#include "trace_builder.h"

/* ------------------------------------------------------------------------
 * Slow programs */

static uint32_t file_of(const struct trace *t, uint32_t slice)
{
    return t->processes[t->tracks[trace_track_of(t, slice)].process].file;
}

static bool on_device(const struct trace *t, uint32_t slice)
{
    return t->tracks[trace_track_of(t, slice)].kind == TRACK_DEVICE;
}

static int slow_rank(const struct trace *t, uint32_t call)
{
    const char *name = trace_name(t, call, NULL);
    if (strstr(name, "Wait") || strstr(name, "Synchronize"))
        return 2;
    return strstr(name, "Launch") || strstr(name, "Submit") ? 0 : 1;
}

/* Is call a better than b for what starts at a time? */
static bool slow_better(const struct trace *t, int64_t at, uint32_t a, uint32_t b)
{
    int64_t x = t->start_ns[a], y = t->start_ns[b];
    if (x <= at && y <= at)
        return x > y || (x == y && a < b);
    if (x > at && y > at)
        return x < y || (x == y && a < b);
    return x <= at;
}

static uint32_t slow_flow_slice(const struct trace *t, const struct side_event *flow)
{
    const struct track *track = &t->tracks[t->source_track[flow->track]];
    uint32_t found = TRACE_NONE;
    for (uint32_t i = track->first; i < track->first + track->count; i++) {
        if (flow->phase == 'f' && !flow->enclosing) {
            if (t->start_ns[i] >= flow->ts_ns)
                return i;
            continue;
        }
        if (t->start_ns[i] == flow->ts_ns)
            return i;
        if (t->start_ns[i] < flow->ts_ns && flow->ts_ns < trace_end_ns(t, i))
            found = i;
    }
    return found;
}

/* The start that an end belongs to: the last of its key before it. */
static const struct side_event *slow_flow_start(const struct trace *t, size_t end)
{
    for (size_t i = end; i > 0; i--) {
        const struct side_event *flow = &t->flows.items[i - 1];
        if (flow->key != t->flows.items[end].key)
            return NULL;
        if (flow->phase == 's')
            return flow;
    }
    return NULL;
}

static uint32_t slow_call_by_flow(const struct trace *t, uint32_t device)
{
    uint32_t best = TRACE_NONE;
    for (size_t i = 0; i < t->flows.count; i++) {
        const struct side_event *end = &t->flows.items[i];
        if (end->phase == 's' || slow_flow_slice(t, end) != device)
            continue;
        const struct side_event *start = slow_flow_start(t, i);
        uint32_t call = start ? slow_flow_slice(t, start) : TRACE_NONE;
        if (call == TRACE_NONE || trace_category(t, call)->device)
            continue;
        if (best == TRACE_NONE || slow_better(t, t->start_ns[device], call, best))
            best = call;
    }
    return best;
}

static uint32_t slow_call(const struct trace *t, uint32_t device)
{
    uint32_t best = TRACE_NONE;
    if (!trace_category(t, device)->device)
        return TRACE_NONE;
    for (uint32_t i = 0; i < t->slice_count && t->correlation[device]; i++) {
        enum category_class class = trace_category(t, i)->class;
        if ((class != CATEGORY_RUNTIME && class != CATEGORY_DRIVER) || on_device(t, i) ||
            t->correlation[i] != t->correlation[device] || file_of(t, i) != file_of(t, device))
            continue;
        if (best == TRACE_NONE || slow_rank(t, i) < slow_rank(t, best) ||
            (slow_rank(t, i) == slow_rank(t, best) && slow_better(t, t->start_ns[device], i, best)))
            best = i;
    }
    return best != TRACE_NONE ? best : slow_call_by_flow(t, device);
}

/* ------------------------------------------------------------------------ */

static void check_kernels(const struct trace *t, const struct launches *l, uint32_t call)
{
    const uint32_t *kernels;
    uint32_t n = launches_kernels(l, call, &kernels), expected = 0;
    for (uint32_t i = 0; i < t->slice_count; i++)
        expected += launches_call(l, i) == call;
    SAME(n, expected);
    for (uint32_t i = 0; i < n; i++) {
        SAME(launches_call(l, kernels[i]), call);
        if (i > 0)
            ck_assert(t->start_ns[kernels[i - 1]] <= t->start_ns[kernels[i]] &&
                      kernels[i - 1] != kernels[i]);
    }
}

static int compare_ns(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static void check_latencies(const struct trace *t, const struct launches *l,
                            const struct selection *sel)
{
    struct launch_summary *s = launches_summary(t, l, sel);
    int64_t *values = xreallocarray(NULL, (size_t)t->slice_count + 1, sizeof *values);
    uint64_t orphans = 0, linked = 0, listed = 0;
    for (uint32_t i = 0; i < t->slice_count; i++) {
        bool device = trace_category(t, i)->device && selection_takes(sel, t, i);
        int64_t ns = 0;
        bool link = launches_latency_ns(t, l, i, &ns);
        ck_assert(!link || ns == t->start_ns[i] - t->start_ns[launches_call(l, i)]);
        linked += device && link;
        orphans += device && !link && trace_category(t, i)->class == CATEGORY_KERNEL;
    }
    for (uint32_t i = 0; i < s->row_count; i++) {
        const struct launch_row *row = &s->rows[i];
        int64_t total = 0;
        size_t n = 0;
        for (uint32_t k = 0; k < t->slice_count; k++)
            if (trace_category(t, k)->device && selection_takes(sel, t, k) &&
                t->labels[t->label[k]].name == row->name &&
                launches_latency_ns(t, l, k, &values[n]))
                total += values[n++];
        qsort(values, n, sizeof *values, compare_ns);
        SAME(row->count, n);
        SAME(row->min_ns, values[0]);
        SAME(row->p50_ns, percentile_ns(values, n, 50));
        SAME(row->p95_ns, percentile_ns(values, n, 95));
        SAME(row->max_ns, values[n - 1]);
        double mean = (double)total * 1000 / (double)n;
        ck_assert((double)row->mean_ps >= mean - 0.51 && (double)row->mean_ps <= mean + 0.51);
        listed += n;
    }
    SAME(s->orphan_kernels, orphans);
    SAME(listed, linked);
    launch_summary_free(s);
    free(values);
}

static struct random_shape random_shape(struct random *r)
{
    return (struct random_shape){
        .slices = 2 + (unsigned)random_below(r, 120),
        .files = 1 + (unsigned)random_below(r, 3),
        .hosts = 1 + (unsigned)random_below(r, 2),
        .devices = 1 + (unsigned)random_below(r, 2),
        .streams = 1,
        .span_ns = random_between(r, 5, 300),
        .longest_ns = random_between(r, 1, 60),
        .names = 4,
        .crossing = random_chance(r, 50),
    };
}

START_TEST(test_links)
{
    struct random r = random_seed((uint64_t)_i + 400);
    struct random_shape shape = random_shape(&r);
    struct trace *t = random_trace(&r, &shape);
    /* Few distinct numbers, so that many share one. */
    for (uint32_t i = 0; i < t->slice_count; i++)
        t->correlation[i] %= shape.slices / 8 + 2;
    struct index *ix = index_build(t, 1);
    struct launches *l = launches_build(t, ix);
    struct selection sel;
    selection_init(&sel);
    bool any = false;
    for (uint32_t i = 0; i < t->slice_count; i++) {
        uint32_t call = slow_call(t, i);
        SAME(launches_call(l, i), call);
        any |= call != TRACE_NONE;
        check_kernels(t, l, i);
    }
    SAME(launches_any(l), any);
    check_latencies(t, l, &sel);
    selection_categories(&sel, t, "kernel");
    sel.from_ns = 20;
    check_latencies(t, l, &sel);
    selection_free(&sel);
    launches_free(l);
    index_free(ix);
    trace_free(t);
}
END_TEST

/* What random_trace() does not make: steps, ends that do not enclose. */
static struct trace *flow_trace(struct random *r, const struct random_shape *shape)
{
    static const char phases[] = "stff";
    struct trace *t = random_trace(r, shape);
    for (size_t i = 0; i < t->flows.count; i++) {
        struct side_event *flow = &t->flows.items[i];
        flow->key %= 6;
        flow->phase = phases[random_below(r, 4)];
        flow->enclosing = random_chance(r, 50);
        flow->ts_ns += random_chance(r, 50) ? 0 : random_between(r, -9, 9);
        flow->byte = i;
    }
    /* In order again: by key, then time, then place. */
    for (size_t i = 1; i < t->flows.count; i++) {
        struct side_event flow = t->flows.items[i];
        size_t k = i;
        for (; k > 0; k--) {
            const struct side_event *other = &t->flows.items[k - 1];
            if (other->key < flow.key || (other->key == flow.key && other->ts_ns <= flow.ts_ns))
                break;
            t->flows.items[k] = *other;
        }
        t->flows.items[k] = flow;
    }
    return t;
}

struct visits {
    const struct trace *t;
    size_t count;
};

static void visit(void *context, const struct side_event *start, const struct side_event *end)
{
    struct visits *v = context;
    ck_assert(start->phase == 's' && end->phase != 's');
    ck_assert_ptr_eq(slow_flow_start(v->t, (size_t)(end - v->t->flows.items)), start);
    v->count++;
}

START_TEST(test_flows)
{
    struct random r = random_seed((uint64_t)_i + 600);
    struct random_shape shape = random_shape(&r);
    struct trace *t = flow_trace(&r, &shape);
    struct index *ix = index_build(t, 1);
    struct visits v = {t, 0};
    size_t ends = 0, starts = 0, orphans = 0;
    uint64_t complete, dangling, with_end = 0;
    for (size_t i = 0; i < t->flows.count; i++) {
        const struct side_event *flow = &t->flows.items[i];
        SAME(flow_slice(t, ix, flow), slow_flow_slice(t, flow));
        starts += flow->phase == 's';
        ends += flow->phase != 's' && slow_flow_start(t, i) != NULL;
        /* Chains without a start: counted at the first of their key. */
        orphans += flow->phase != 's' && (i == 0 || t->flows.items[i - 1].key != flow->key);
        bool end = false;
        for (size_t k = i + 1; flow->phase == 's' && k < t->flows.count; k++)
            end |= t->flows.items[k].phase == 'f' && slow_flow_start(t, k) == flow;
        with_end += end;
    }
    flows_each(t, visit, &v);
    ck_assert_uint_eq(v.count, ends);
    flows_count(t, &complete, &dangling);
    ck_assert_uint_eq(complete, with_end);
    ck_assert_uint_eq(dangling, starts - with_end + orphans);
    for (uint32_t i = 0; i < t->slice_count; i++)
        t->correlation[i] = 0;
    struct launches *l = launches_build(t, ix);
    for (uint32_t i = 0; i < t->slice_count; i++)
        SAME(launches_call(l, i), slow_call(t, i));
    launches_free(l);
    index_free(ix);
    trace_free(t);
}
END_TEST

/* ------------------------------------------------------------------------
 * By hand */

START_TEST(test_orphans)
{
    struct made *m = made_new();
    made_process(m, 0, "0");
    uint32_t device = made_track(m, "0", TRACK_DEVICE);
    made_process(m, 0, "1");
    uint32_t host = made_track(m, "1", TRACK_HOST);
    made_process(m, 1, "0");
    uint32_t other = made_track(m, "0", TRACK_DEVICE);
    made_slice(m, host, "cuda_runtime", "cudaLaunchKernel", 0, 1, 1);
    made_slice(m, device, "kernel", "k", 5, 1, 1);
    /* Launched and submitted, but never run: one launch. */
    made_slice(m, host, "privateuse1_runtime", "aiuLaunchControlBlocks", 10, 1, 2);
    made_slice(m, host, "privateuse1_runtime", "aiuSubmitToHardware", 12, 1, 2);
    made_slice(m, host, "privateuse1_runtime", "aiuScheduleWait", 14, 1, 2);
    /* Only submitted. */
    made_slice(m, host, "privateuse1_runtime", "aiuSubmitToHardware", 20, 1, 3);
    /* No launch, no correlation. */
    made_slice(m, host, "cuda_runtime", "cudaDeviceSynchronize", 30, 1, 4);
    made_slice(m, host, "cuda_runtime", "cudaLaunchKernel", 40, 1, 0);
    /* Its kernel is known by a flow. */
    made_slice(m, host, "cuda_runtime", "cudaLaunchKernel", 50, 1, 5);
    made_slice(m, device, "kernel", "k", 55, 1, 0);
    made_flow(m, host, 's', 9, 50, false);
    made_flow(m, device, 'f', 9, 55, true);
    /* Another rank's numbers mean nothing here. */
    made_slice(m, other, "kernel", "k", 60, 1, 2);
    struct trace *t = made_trace(m);
    struct index *ix = index_build(t, 1);
    struct launches *l = launches_build(t, ix);
    struct selection sel;
    selection_init(&sel);
    struct launch_summary *s = launches_summary(t, l, &sel);
    ck_assert_uint_eq(s->orphan_launches, 2);
    ck_assert_uint_eq(s->orphan_kernels, 1);
    ck_assert_uint_eq(s->row_count, 1);
    ck_assert_int_eq(s->rows[0].mean_ps, 5000);
    launch_summary_free(s);
    sel.from_ns = 15;
    sel.to_ns = 30;
    s = launches_summary(t, l, &sel);
    ck_assert_uint_eq(s->orphan_launches, 1);
    ck_assert_uint_eq(s->orphan_kernels, 0);
    launch_summary_free(s);
    launches_free(l);
    index_free(ix);
    trace_free(t);
}
END_TEST

START_TEST(test_ops)
{
    struct made *m = made_new();
    made_process(m, 0, "1");
    uint32_t host = made_track(m, "1", TRACK_HOST);
    made_slice(m, host, "user_annotation", "ProfilerStep#1", 0, 100, 0);
    made_slice(m, host, "cpu_op", "outer", 10, 50, 0);
    made_slice(m, host, "cpu_op", "inner", 20, 20, 0);
    made_slice(m, host, "user_annotation", "mark", 22, 10, 0);
    made_slice(m, host, "cuda_runtime", "cudaLaunchKernel", 25, 3, 1);
    made_slice(m, host, "cuda_runtime", "cudaLaunchKernel", 70, 3, 2);
    struct trace *t = made_trace(m);
    struct index *ix = index_build(t, 1);
    uint32_t op = launches_op(t, ix, 4);
    ck_assert_str_eq(trace_name(t, op, NULL), "inner");
    op = launches_op(t, ix, op);
    ck_assert_str_eq(trace_name(t, op, NULL), "outer");
    ck_assert_uint_eq(launches_op(t, ix, op), TRACE_NONE);
    ck_assert_uint_eq(launches_op(t, ix, 5), TRACE_NONE);
    index_free(ix);
    trace_free(t);
}
END_TEST

/* All of one number, all at one time: still not everything against everything. */
START_TEST(test_one_number)
{
    enum { COUNT = 60000 };
    struct made *m = made_new();
    made_process(m, 0, "0");
    uint32_t device = made_track(m, "0", TRACK_DEVICE);
    made_process(m, 0, "1");
    uint32_t host = made_track(m, "1", TRACK_HOST);
    for (int i = 0; i < COUNT; i++) {
        made_slice(m, host, "cuda_runtime", "cudaLaunchKernel", i / 2 * (_i ? 10 : 0), 0, 1);
        made_slice(m, device, "kernel", "k", i * (_i ? 5 : 0), 0, 1);
    }
    struct trace *t = made_trace(m);
    struct index *ix = index_build(t, 1);
    struct launches *l = launches_build(t, ix);
    for (uint32_t i = 0; i < COUNT; i += 1000) {
        uint32_t call = launches_call(l, i);
        ck_assert(call >= COUNT && t->start_ns[call] <= t->start_ns[i]);
        ck_assert(t->start_ns[i] - t->start_ns[call] < 10);
    }
    launches_free(l);
    index_free(ix);
    trace_free(t);
}
END_TEST

START_TEST(test_nothing)
{
    struct trace *t = made_trace(made_new());
    struct index *ix = index_build(t, 1);
    struct launches *l = launches_build(t, ix);
    struct selection sel;
    uint64_t complete, dangling;
    selection_init(&sel);
    ck_assert(!launches_any(l));
    struct launch_summary *s = launches_summary(t, l, &sel);
    ck_assert_uint_eq(s->row_count, 0);
    launch_summary_free(s);
    launch_summary_free(NULL);
    flows_count(t, &complete, &dangling);
    ck_assert(complete == 0 && dangling == 0);
    launches_free(l);
    launches_free(NULL);
    index_free(ix);
    trace_free(t);
}
END_TEST

/* A clock that runs from end to end: no latency overflows. */
START_TEST(test_far_launch)
{
    struct made *m = made_new();
    made_process(m, 0, "0");
    made_slice(m, made_track(m, "0", TRACK_DEVICE), "kernel", "k", INT64_MAX - 1, 1, 1);
    made_process(m, 0, "1");
    made_slice(m, made_track(m, "1", TRACK_HOST), "cuda_runtime", "cudaLaunchKernel", INT64_MIN + 1,
               1, 1);
    struct trace *t = made_trace(m);
    struct index *ix = index_build(t, 1);
    struct launches *l = launches_build(t, ix);
    struct selection sel;
    selection_init(&sel);
    struct launch_summary *s = launches_summary(t, l, &sel);
    ck_assert_int_eq(s->rows[0].max_ns, INT64_MAX);
    ck_assert_int_eq(s->rows[0].mean_ps, INT64_MAX);
    launch_summary_free(s);
    launches_free(l);
    index_free(ix);
    trace_free(t);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("query_launches");
    TCase *tc = tcase_create("launches");
    tcase_set_timeout(tc, 0);
    tcase_add_loop_test(tc, test_links, 0, 80);
    tcase_add_loop_test(tc, test_flows, 0, 80);
    tcase_add_test(tc, test_orphans);
    tcase_add_test(tc, test_ops);
    tcase_add_loop_test(tc, test_one_number, 0, 2);
    tcase_add_test(tc, test_nothing);
    tcase_add_test(tc, test_far_launch);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
