/*
 * Queries against the simplest possible programs, on random traces.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "query/gaps.h"
#include "query/iterations.h"
#include "query/launches.h"
#include "query/match.h"
#include "query/slices.h"
#include "query/summary.h"
#include "query/times.h"
#include "query/union.h"
#include "test_support.h"
#include "trace/load.h"

/* A trace of random slices on host and device tracks. */
static struct trace *random_trace(struct random *r, int slices)
{
    static const char *const cats[] = {"kernel", "gpu_memcpy", "cpu_op", "cuda_runtime",
                                       "user_annotation"};
    struct text text = {0};
    struct error err = {0};
    text_putc(&text, '[');
    for (int i = 0; i < slices; i++) {
        int cat = (int)random_below(r, 5);
        bool device = cat < 2;
        text_printf(&text, "%s{\"ph\":\"X\",\"cat\":\"%s\",\"pid\":%d,\"tid\":%d,", i ? "," : "",
                    cats[cat], device ? (int)random_below(r, 2) : 100, (int)random_below(r, 2));
        if (cat == 4)
            text_printf(&text, "\"name\":\"ProfilerStep#%d\",", (int)random_below(r, 9));
        else
            text_printf(&text, "\"name\":\"n%d_%d\",", cat, (int)random_below(r, 6));
        text_printf(&text, "\"ts\":%d,\"dur\":%d,\"args\":{\"correlation\":%d}}",
                    (int)random_below(r, 400), random_chance(r, 10) ? 0 : (int)random_below(r, 60),
                    (int)random_below(r, 12));
    }
    text_putc(&text, ']');
    struct trace *t = trace_from_text(text.data, text.len, &err);
    ck_assert_msg(t != NULL, "%s", err.message);
    text_free(&text);
    return t;
}

static int compare_ns(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* The union's length of the chosen slices within a window, microsecond by
 * microsecond: all times are whole ones. */
static int64_t slow_busy(const struct trace *t, const struct selection *sel)
{
    int64_t busy = 0;
    for (int64_t at = 0; at < 600000; at += 1000) {
        bool on = false;
        for (uint32_t i = 0; i < t->slice_count && !on; i++)
            on = selection_takes(sel, t, i) && t->start_ns[i] <= at && at < trace_end_ns(t, i);
        busy += on && at >= sel->from_ns && at < sel->to_ns ? 1000 : 0;
    }
    return busy;
}

static void check_row(const struct trace *t, const struct index *ix, const struct selection *sel,
                      const struct summary_row *row)
{
    int64_t values[500] = {0}, total = 0, self = 0, window = 0;
    size_t n = 0;
    for (uint32_t i = 0; i < t->slice_count; i++) {
        if (!selection_takes(sel, t, i) || t->labels[t->label[i]].name != row->name ||
            t->labels[t->label[i]].category != row->category)
            continue;
        int64_t from = t->start_ns[i] > sel->from_ns ? t->start_ns[i] : sel->from_ns;
        int64_t to = trace_end_ns(t, i) < sel->to_ns ? trace_end_ns(t, i) : sel->to_ns;
        values[n++] = t->dur_ns[i];
        total += t->dur_ns[i];
        self += t->dur_ns[i];
        window += to > from ? to - from : 0;
        if (t->tracks[trace_track_of(t, i)].kind == TRACK_DEVICE)
            continue;
        for (uint32_t k = 0; k < t->slice_count; k++)
            if (index_in_window(t, k, sel->from_ns, sel->to_ns) &&
                trace_track_of(t, k) == trace_track_of(t, i) && index_parent(ix, k) == i)
                self -= t->dur_ns[k];
    }
    if (n == 0)
        ck_abort();
    qsort(values, n, sizeof *values, compare_ns);
    ck_assert_uint_eq(row->count, n);
    ck_assert_int_eq(row->total_ns, total);
    ck_assert_int_eq(row->self_ns, self);
    ck_assert_int_eq(row->window_ns, window);
    ck_assert_int_eq(row->min_ns, values[0]);
    ck_assert_int_eq(row->max_ns, values[n - 1]);
    ck_assert_int_eq(row->p50_ns, values[(50 * n + 99) / 100 - 1]);
    ck_assert_int_eq(row->p95_ns, values[(95 * n + 99) / 100 - 1]);
    ck_assert_int_eq(row->p99_ns, values[(99 * n + 99) / 100 - 1]);
    ck_assert_int_eq(row->mean_ps, (total * 2000 + (int64_t)n) / (2 * (int64_t)n));
}

START_TEST(test_summary)
{
    struct random r = random_seed((uint64_t)_i + 1);
    struct trace *t = random_trace(&r, 1 + (int)random_below(&r, 200));
    struct index *ix = index_build(t, 1);
    for (int round = 0; round < 4; round++) {
        struct selection sel;
        selection_init(&sel);
        if (round & 1) {
            sel.from_ns = (int64_t)random_below(&r, 300) * 1000;
            sel.to_ns = sel.from_ns + 1000 + (int64_t)random_below(&r, 200) * 1000;
        }
        selection_categories(&sel, t, round & 2 ? "kernel,cpu_op" : "all");
        struct summary *s = summary_compute(t, ix, &sel, BY_NAME);
        uint64_t count = 0;
        for (uint32_t i = 0; i < s->row_count; i++) {
            check_row(t, ix, &sel, &s->rows[i]);
            count += s->rows[i].count;
            ck_assert(i == 0 || s->rows[i].total_ns <= s->rows[i - 1].total_ns);
        }
        uint64_t expected = 0;
        for (uint32_t i = 0; i < t->slice_count; i++)
            expected += selection_takes(&sel, t, i);
        ck_assert_uint_eq(count, expected);
        ck_assert_uint_eq(s->count, expected);
        ck_assert_int_eq(s->busy_ns, slow_busy(t, &sel));
        summary_free(s);
        /* In pieces the same. */
        struct summary_job *job = summary_start(t, ix, &sel, BY_STEM);
        while (!summary_step(job, 3))
            ck_assert(summary_progress(job) <= 1);
        s = summary_take(job);
        struct summary *whole = summary_compute(t, ix, &sel, BY_STEM);
        ck_assert_uint_eq(s->row_count, whole->row_count);
        ck_assert_int_eq(s->busy_ns, whole->busy_ns);
        for (uint32_t i = 0; i < s->row_count; i++)
            ck_assert(strcmp(s->rows[i].text, whole->rows[i].text) == 0 &&
                      s->rows[i].total_ns == whole->rows[i].total_ns);
        summary_free(s);
        summary_free(whole);
        selection_free(&sel);
    }
    index_free(ix);
    trace_free(t);
}
END_TEST

/* Holes of the union, microsecond by microsecond. */
static size_t slow_gaps(const struct trace *t, uint32_t process, struct gap *gaps)
{
    bool busy[600] = {false};
    size_t n = 0;
    int last = -1;
    for (uint32_t i = 0; i < t->slice_count; i++)
        if (trace_category(t, i)->device && t->tracks[trace_track_of(t, i)].process == process)
            for (int64_t at = t->start_ns[i]; at < trace_end_ns(t, i); at += 1000)
                busy[at / 1000] = true;
    for (int at = 0; at < 600; at++) {
        if (!busy[at])
            continue;
        if (last >= 0 && at > last + 1)
            gaps[n++] =
                (struct gap){.start_ns = (last + 1) * 1000, .dur_ns = (at - last - 1) * 1000};
        last = at;
    }
    return n;
}

START_TEST(test_gaps)
{
    struct random r = random_seed((uint64_t)_i + 300);
    struct trace *t = random_trace(&r, 5 + (int)random_below(&r, 40));
    struct index *ix = index_build(t, 1);
    struct selection sel;
    selection_init(&sel);
    struct gaps *g = gaps_find(t, ix, &sel, false, 0);
    for (uint32_t i = 0; i < g->row_count; i++) {
        struct gap expected[300];
        size_t n = slow_gaps(t, g->rows[i].process, expected);
        int64_t idle = 0;
        ck_assert_uint_eq(g->rows[i].gap_count, n);
        ck_assert_uint_eq(g->rows[i].largest_count, n);
        for (size_t k = 0; k < n; k++) {
            bool found = false;
            idle += expected[k].dur_ns;
            for (size_t m = 0; m < n; m++)
                found |= g->rows[i].largest[m].start_ns == expected[k].start_ns &&
                         g->rows[i].largest[m].dur_ns == expected[k].dur_ns;
            ck_assert(found);
        }
        /* A zero-length slice at an end widens the span, not the gaps. */
        ck_assert_int_ge(g->rows[i].idle_ns, idle);
        ck_assert_int_eq(g->rows[i].span_ns, g->rows[i].busy_ns + g->rows[i].idle_ns);
        /* Walking from gap to gap visits all of them, there and back. */
        struct gap gap;
        int64_t at = -1;
        for (size_t k = 0; k < n; k++) {
            ck_assert(gap_next(t, ix, g->rows[i].process, TRACE_NONE, at, 1, &gap));
            ck_assert_int_eq(gap.start_ns, expected[k].start_ns);
            ck_assert_int_eq(gap.dur_ns, expected[k].dur_ns);
            at = gap.start_ns;
        }
        ck_assert(!gap_next(t, ix, g->rows[i].process, TRACE_NONE, at, 1, &gap));
        at = 600000;
        for (size_t k = n; k > 0; k--) {
            ck_assert(gap_previous(t, ix, g->rows[i].process, TRACE_NONE, at, 1, &gap));
            ck_assert_int_eq(gap.start_ns, expected[k - 1].start_ns);
            at = gap.start_ns;
        }
    }
    gaps_free(g);
    index_free(ix);
    trace_free(t);
}
END_TEST

START_TEST(test_iterations)
{
    struct random r = random_seed((uint64_t)_i + 500);
    struct trace *t = random_trace(&r, 120);
    struct index *ix = index_build(t, 1);
    struct error err = {0};
    struct launches *launches = launches_build(t, ix);
    struct iterations *list = iterations_find(t, ix, launches, NULL, &err);
    uint32_t expected = 0;
    for (uint32_t i = 0; i < t->slice_count; i++)
        expected += trace_category(t, i)->class == CATEGORY_ANNOTATION;
    ck_assert_uint_eq(list->count, expected);
    for (uint32_t k = 0; k < list->count; k++) {
        const struct iteration *it = &list->items[k];
        struct selection sel;
        selection_init(&sel);
        sel.from_ns = it->start_ns;
        sel.to_ns = it->start_ns + it->dur_ns;
        selection_categories(&sel, t, "kernel");
        uint32_t kernels = 0, launched = 0;
        for (uint32_t i = 0; i < t->slice_count; i++) {
            uint32_t call;
            if (trace_category(t, i)->class != CATEGORY_KERNEL)
                continue;
            kernels += t->start_ns[i] >= sel.from_ns && t->start_ns[i] < sel.to_ns;
            call = launches_call(launches, i);
            launched += call != TRACE_NONE && t->start_ns[call] >= sel.from_ns &&
                        t->start_ns[call] < sel.to_ns;
        }
        ck_assert(k == 0 || it->start_ns >= list->items[k - 1].start_ns);
        ck_assert_uint_eq(it->kernels, kernels);
        ck_assert_uint_eq(it->launched_kernels, launched);
        if (it->dur_ns > 0)
            ck_assert_int_eq(it->kernel_busy_ns, slow_busy(t, &sel));
        selection_free(&sel);
    }
    iterations_free(list);
    launches_free(launches);
    index_free(ix);
    trace_free(t);
}
END_TEST

START_TEST(test_matches)
{
    struct random r = random_seed((uint64_t)_i + 700);
    struct trace *t = random_trace(&r, 80);
    struct index *ix = index_build(t, 1);
    struct error err = {0};
    bool *names = match_names(t, "_[12]$", &err);
    uint32_t before, total = match_count(t, names, TRACE_NONE, &before), seen = 0;
    uint32_t slice = match_next(t, ix, names, NULL, TRACE_NONE, INT64_MIN), last = TRACE_NONE;
    for (; slice != TRACE_NONE; slice = match_next(t, ix, names, NULL, slice, 0)) {
        ck_assert_uint_eq(match_count(t, names, slice, &before), total);
        ck_assert_uint_eq(before, seen);
        if (last != TRACE_NONE)
            ck_assert_uint_eq(match_previous(t, ix, names, NULL, slice, 0), last);
        last = slice;
        seen++;
    }
    ck_assert_uint_eq(seen, total);
    ck_assert_uint_eq(match_previous(t, ix, names, NULL, TRACE_NONE, INT64_MAX), last);
    free(names);
    ck_assert_ptr_null(match_names(t, "(", &err));
    ck_assert_int_eq(err.kind, ERROR_USAGE);
    names = match_names(t, "PROFILER", &err);
    ck_assert_uint_eq(match_count(t, names, TRACE_NONE, &before), 0);
    free(names);
    index_free(ix);
    trace_free(t);
}
END_TEST

START_TEST(test_slices_top)
{
    struct random r = random_seed(9);
    struct trace *t = random_trace(&r, 200);
    struct index *ix = index_build(t, 1);
    struct selection sel;
    uint32_t *all, *top;
    selection_init(&sel);
    uint32_t n = slices_list(t, ix, &sel, SLICES_BY_DUR, 0, &all);
    ck_assert_uint_eq(n, t->slice_count);
    ck_assert_uint_eq(slices_list(t, ix, &sel, SLICES_BY_DUR, 7, &top), 7);
    for (int i = 0; i < 7; i++)
        ck_assert_uint_eq(top[i], all[i]);
    free(all);
    free(top);
    index_free(ix);
    trace_free(t);
}
END_TEST

START_TEST(test_stems)
{
    static const char *const pairs[][2] = {
        {"spyre_kernel_v1_fused_mm_k7q2v4xnm5ahzt3c#3", "spyre_kernel_v1_fused_mm"},
        {"spyre_kernel_v1_fused_mm_k7q2v4xnm5ahzt3c", "spyre_kernel_v1_fused_mm"},
        {"sdsc_fused_add_0", "sdsc_fused_add"},
        {"ProfilerStep#12", "ProfilerStep"},
        {"aten::mm", "aten::mm"},
        {"_7", "_7"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        ck_assert_uint_eq(name_stem(pairs[i][0], strlen(pairs[i][0])), strlen(pairs[i][1]));
}
END_TEST

START_TEST(test_launch_choice)
{
    struct error err = {0};
    static const char text[] =
        "[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"op\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":20}"
        ","
        "{\"ph\":\"X\",\"cat\":\"privateuse1_runtime\",\"name\":\"aiuLaunchControlBlocks\",\"pid\":"
        "1,"
        "\"tid\":1,\"ts\":5,\"dur\":2,\"args\":{\"correlation\":7}},"
        "{\"ph\":\"X\",\"cat\":\"privateuse1_runtime\",\"name\":\"aiuSubmitToHardware\",\"pid\":1,"
        "\"tid\":1,\"ts\":8,\"dur\":2,\"args\":{\"correlation\":7}},"
        "{\"ph\":\"X\",\"cat\":\"privateuse1_runtime\",\"name\":\"aiuScheduleWait\",\"pid\":1,"
        "\"tid\":1,\"ts\":11,\"dur\":2,\"args\":{\"correlation\":7}},"
        "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":0,\"ts\":30,\"dur\":2,"
        "\"args\":{\"correlation\":7}},"
        "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"flow\",\"pid\":0,\"tid\":0,\"ts\":40,\"dur\":"
        "2},"
        "{\"ph\":\"s\",\"cat\":\"ac2g\",\"name\":\"ac2g\",\"id\":3,\"pid\":1,\"tid\":1,\"ts\":6},"
        "{\"ph\":\"f\",\"bp\":\"e\",\"cat\":\"ac2g\",\"name\":\"ac2g\",\"id\":3,\"pid\":0,\"tid\":"
        "0,"
        "\"ts\":40}]";
    struct trace *t = trace_from_text(text, strlen(text), &err);
    struct index *ix = index_build(t, 1);
    struct launches *l = launches_build(t, ix);
    uint32_t kernel = 0, flow = 1;
    int64_t latency;
    ck_assert_str_eq(trace_name(t, kernel, NULL), "k");
    ck_assert_str_eq(trace_name(t, launches_call(l, kernel), NULL), "aiuSubmitToHardware");
    ck_assert_str_eq(trace_name(t, launches_op(t, ix, launches_call(l, kernel)), NULL), "op");
    ck_assert(launches_latency_ns(t, l, kernel, &latency) && latency == 22000);
    ck_assert_str_eq(trace_name(t, launches_call(l, flow), NULL), "aiuLaunchControlBlocks");
    launches_free(l);
    index_free(ix);
    trace_free(t);
}
END_TEST

START_TEST(test_windows)
{
    struct error err = {0};
    struct trace *t = trace_from_text("[{\"ph\":\"X\",\"ts\":1000,\"dur\":5}]", 30, &err);
    int64_t from, to;
    ck_assert(window_parse(t, "1ms..2ms", &from, &to, &err) && from == 1000000 && to == 2000000);
    ck_assert(window_parse(t, "@1001..", &from, &to, &err) && from == 1000 && to == INT64_MAX);
    ck_assert(window_parse(t, "..2.5", &from, &to, &err) && from == INT64_MIN && to == 2500);
    ck_assert(!window_parse(t, "5..2", &from, &to, &err));
    ck_assert(!window_parse(t, "5", &from, &to, &err));
    ck_assert(!window_parse(t, "a..b", &from, &to, &err));
    trace_free(t);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("query");
    TCase *tc = tcase_create("query");
    tcase_set_timeout(tc, 0);
    tcase_add_loop_test(tc, test_summary, 0, 60);
    tcase_add_loop_test(tc, test_gaps, 0, 60);
    tcase_add_loop_test(tc, test_iterations, 0, 30);
    tcase_add_loop_test(tc, test_matches, 0, 20);
    tcase_add_test(tc, test_slices_top);
    tcase_add_test(tc, test_stems);
    tcase_add_test(tc, test_launch_choice);
    tcase_add_test(tc, test_windows);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
