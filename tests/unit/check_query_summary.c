/*
 * Summaries against a slow program that follows the rules word by word.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "query/summary.h"
#include "trace_builder.h"

/* The last nanosecond a slice occupies. */
static int64_t last_of(const struct trace *t, uint32_t slice)
{
    return t->dur_ns[slice] > 0 ? trace_end_ns(t, slice) - 1 : t->start_ns[slice];
}

/* The innermost slice that contains it whole: the last before it, in the order of the
 * track, that does not end before it. */
static uint32_t slow_parent(const struct trace *t, uint32_t slice)
{
    const struct track *track = &t->tracks[trace_track_of(t, slice)];
    if (track->kind == TRACK_DEVICE)
        return TRACE_NONE;
    for (uint32_t i = slice; i > track->first; i--)
        if (last_of(t, i - 1) >= last_of(t, slice))
            return i - 1;
    return TRACE_NONE;
}

static bool slow_in_window(const struct trace *t, const struct selection *sel, uint32_t i)
{
    int64_t start = t->start_ns[i], end = trace_end_ns(t, i);
    if (start == end)
        return sel->from_ns <= start && start < sel->to_ns;
    return start < sel->to_ns && end > sel->from_ns;
}

static bool slow_chosen(const struct trace *t, const struct selection *sel, uint32_t i)
{
    const struct label *label = &t->labels[t->label[i]];
    if (sel->categories && !sel->categories[label->category])
        return false;
    if (sel->names && !sel->names[label->name])
        return false;
    return slow_in_window(t, sel, i);
}

static int64_t slow_clipped(const struct trace *t, const struct selection *sel, uint32_t i)
{
    int64_t from = t->start_ns[i] > sel->from_ns ? t->start_ns[i] : sel->from_ns;
    int64_t to = trace_end_ns(t, i) < sel->to_ns ? trace_end_ns(t, i) : sel->to_ns;
    return to > from ? to - from : 0;
}

/* Does slice i belong to the row? */
static bool slow_belongs(const struct trace *t, const struct summary_row *row, enum summary_by by,
                         uint32_t i)
{
    const struct label *label = &t->labels[t->label[i]];
    uint32_t canonical = t->categories[label->category].canonical;
    size_t len;
    const char *name = intern_text(t->names, label->name, &len);
    switch (by) {
    case BY_NAME:
        return label->name == row->name && canonical == t->categories[row->category].canonical;
    case BY_STEM:
        len = name_stem(name, len);
        return strlen(row->text) == len && memcmp(name, row->text, len) == 0;
    case BY_CATEGORY:
        return canonical == t->categories[row->category].canonical;
    case BY_TRACK:
    default:
        return trace_track_of(t, i) == row->name;
    }
}

static int compare_ns(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* What is left of the children's time is found the other way round: from the child. */
static int64_t slow_children(const struct trace *t, const struct selection *sel, uint32_t parent)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < t->slice_count; i++)
        if (slow_in_window(t, sel, i) && slow_parent(t, i) == parent)
            sum += t->dur_ns[i];
    return sum;
}

static void check_row(const struct trace *t, const struct selection *sel, enum summary_by by,
                      const struct summary_row *row, const int64_t *children)
{
    int64_t *values = xreallocarray(NULL, (size_t)t->slice_count + 1, sizeof *values);
    int64_t total = 0, self = 0, window = 0;
    uint32_t n = 0, slowest = TRACE_NONE;
    bool mixed = false;
    for (uint32_t i = 0; i < t->slice_count; i++) {
        if (!slow_chosen(t, sel, i) || !slow_belongs(t, row, by, i))
            continue;
        values[n++] = t->dur_ns[i];
        total += t->dur_ns[i];
        self += t->dur_ns[i] - children[i];
        window += slow_clipped(t, sel, i);
        mixed |= trace_category(t, i)->canonical != t->categories[row->category].canonical;
        if (slowest == TRACE_NONE || t->dur_ns[i] > t->dur_ns[slowest])
            slowest = i;
    }
    ck_assert_uint_gt(n, 0);
    qsort(values, n, sizeof *values, compare_ns);
    SAME(row->count, n);
    SAME(row->total_ns, total);
    SAME(row->self_ns, self);
    SAME(row->window_ns, window);
    SAME(row->min_ns, values[0]);
    SAME(row->max_ns, values[n - 1]);
    SAME(row->p50_ns, values[(50 * n + 99) / 100 - 1]);
    SAME(row->p95_ns, values[(95 * n + 99) / 100 - 1]);
    SAME(row->p99_ns, values[(99 * n + 99) / 100 - 1]);
    SAME(row->mean_ps, (total * 2000 + n) / (2 * (int64_t)n));
    SAME(row->slowest, slowest);
    SAME(row->mixed, mixed);
    free(values);
}

/* The union nanosecond by nanosecond: times are small. */
static int64_t slow_busy(const struct trace *t, const struct selection *sel, int64_t end)
{
    bool *on = xcalloc((size_t)end + 1, sizeof *on);
    int64_t busy = 0;
    for (uint32_t i = 0; i < t->slice_count; i++)
        for (int64_t at = t->start_ns[i]; slow_chosen(t, sel, i) && at < trace_end_ns(t, i); at++)
            on[at] = true;
    for (int64_t at = 0; at < end; at++)
        busy += on[at] && at >= sel->from_ns && at < sel->to_ns;
    free(on);
    return busy;
}

static struct selection random_selection(struct random *r, const struct trace *t)
{
    static const char *const lists[] = {"all", "kernel", "cpu_op,user_annotation",
                                        "kernel,gpu_memcpy,cuda_runtime", "no_such"};
    struct selection sel;
    struct error err = {0};
    selection_init(&sel);
    if (random_chance(r, 60))
        sel.from_ns = random_between(r, -5, t->last_end_ns);
    if (random_chance(r, 60))
        sel.to_ns = random_between(r, sel.from_ns > 0 ? sel.from_ns : 0, t->last_end_ns + 5);
    selection_categories(&sel, t, lists[random_below(r, 5)]);
    if (random_chance(r, 30))
        ck_assert(selection_match(&sel, t, "[02468]$", &err));
    return sel;
}

static struct summary *in_pieces(struct random *r, const struct trace *t, const struct index *ix,
                                 const struct selection *sel, enum summary_by by)
{
    struct summary_job *job = summary_start(t, ix, sel, by);
    double before = 0;
    while (!summary_step(job, (uint32_t)random_below(r, 50))) {
        double now = summary_progress(job);
        ck_assert(now >= before && now <= 1);
        before = now;
    }
    return summary_take(job);
}

static void check_summary(const struct trace *t, const struct selection *sel,
                          const struct summary *s, enum summary_by by, const int64_t *children)
{
    uint64_t count = 0;
    int64_t total = 0, window = 0;
    for (uint32_t i = 0; i < t->slice_count; i++) {
        if (!slow_chosen(t, sel, i))
            continue;
        count++;
        total += t->dur_ns[i];
        window += slow_clipped(t, sel, i);
    }
    SAME(s->count, count);
    SAME(s->total_ns, total);
    SAME(s->window_ns, window);
    SAME(s->busy_ns, slow_busy(t, sel, t->last_end_ns));
    uint64_t rows = 0;
    for (uint32_t i = 0; i < s->row_count; i++) {
        const struct summary_row *row = &s->rows[i];
        double share = window ? (double)row->window_ns / (double)window : 0;
        check_row(t, sel, by, row, children);
        ck_assert(row->share > share - 1e-12 && row->share < share + 1e-12);
        ck_assert(i == 0 || row->total_ns <= s->rows[i - 1].total_ns);
        rows += row->count;
    }
    SAME(rows, count); /* so that there is no row too many or too few */
}

START_TEST(test_rows)
{
    static const enum summary_by keys[] = {BY_NAME, BY_STEM, BY_CATEGORY, BY_TRACK};
    struct random r = random_seed((uint64_t)_i);
    struct random_shape shape = {
        .slices = 1 + (unsigned)random_below(&r, 120),
        .files = 1 + (unsigned)random_below(&r, 2),
        .hosts = 1 + (unsigned)random_below(&r, 3),
        .devices = (unsigned)random_below(&r, 3),
        .streams = 1 + (unsigned)random_below(&r, 2),
        .span_ns = random_between(&r, 5, 400),
        .longest_ns = random_between(&r, 1, 60),
        .names = 1 + (unsigned)random_below(&r, 12),
        .crossing = random_chance(&r, 50),
    };
    struct trace *t = random_trace(&r, &shape);
    struct index *ix = index_build(t, 1);
    for (unsigned round = 0; round < 6; round++) {
        struct selection sel = random_selection(&r, t);
        int64_t *children = xcalloc((size_t)t->slice_count + 1, sizeof *children);
        for (uint32_t i = 0; i < t->slice_count; i++)
            children[i] = slow_children(t, &sel, i);
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
            struct summary *whole = summary_compute(t, ix, &sel, keys[k]);
            struct summary *pieces = in_pieces(&r, t, ix, &sel, keys[k]);
            check_summary(t, &sel, whole, keys[k], children);
            check_summary(t, &sel, pieces, keys[k], children);
            SAME(whole->row_count, pieces->row_count);
            for (uint32_t i = 0; i < whole->row_count; i++)
                ck_assert_str_eq(whole->rows[i].text, pieces->rows[i].text);
            summary_free(whole);
            summary_free(pieces);
        }
        free(children);
        selection_free(&sel);
    }
    index_free(ix);
    trace_free(t);
}
END_TEST

/* Rows so large that they are not sorted but searched for their percentiles. */
START_TEST(test_large_rows)
{
    struct random r = random_seed((uint64_t)_i + 77);
    struct made *m = made_new();
    made_process(m, 0, "0");
    uint32_t track = made_track(m, "0", TRACK_DEVICE);
    uint32_t n = 5000 + (uint32_t)random_below(&r, 20000);
    int64_t *values = xreallocarray(NULL, n, sizeof *values);
    for (uint32_t i = 0; i < n; i++) {
        /* All equal, few distinct, sorted, reversed, saw, any. */
        int64_t dur = _i == 0   ? 7
                      : _i == 1 ? (int64_t)random_below(&r, 3)
                      : _i == 2 ? (int64_t)i
                      : _i == 3 ? (int64_t)(n - i)
                      : _i == 4 ? (int64_t)(i % 100)
                                : random_between(&r, 0, INT32_MAX);
        values[i] = dur;
        made_slice(m, track, "kernel", "k", 10 * (int64_t)i, dur, 0);
    }
    struct trace *t = made_trace(m);
    struct index *ix = index_build(t, 1);
    struct selection sel;
    selection_init(&sel);
    qsort(values, n, sizeof *values, compare_ns);
    for (uint32_t budget = 100; budget < 100000; budget *= 10) {
        struct summary_job *job = summary_start(t, ix, &sel, BY_NAME);
        while (!summary_step(job, budget))
            continue;
        struct summary *s = summary_take(job);
        ck_assert_uint_eq(s->row_count, 1);
        ck_assert_int_eq(s->rows[0].min_ns, values[0]);
        ck_assert_int_eq(s->rows[0].p50_ns, percentile_ns(values, n, 50));
        ck_assert_int_eq(s->rows[0].p95_ns, percentile_ns(values, n, 95));
        ck_assert_int_eq(s->rows[0].p99_ns, percentile_ns(values, n, 99));
        ck_assert_int_eq(s->rows[0].max_ns, values[n - 1]);
        summary_free(s);
    }
    free(values);
    index_free(ix);
    trace_free(t);
}
END_TEST

START_TEST(test_percentiles)
{
    int64_t values[1000];
    for (int64_t i = 0; i < 1000; i++)
        values[i] = i + 1;
    for (size_t n = 1; n <= 1000; n++)
        for (unsigned p = 1; p <= 100; p++)
            SAME(percentile_ns(values, n, p), (int64_t)((p * n + 99) / 100));
}
END_TEST

static struct trace *one_slice(int64_t start, int64_t dur, unsigned copies)
{
    struct made *m = made_new();
    char tid[16];
    made_process(m, 0, "0");
    for (unsigned i = 0; i < copies; i++) {
        snprintf(tid, sizeof tid, "%u", i);
        made_slice(m, made_track(m, tid, TRACK_DEVICE), "kernel", "k", start, dur, 0);
    }
    return made_trace(m);
}

static struct summary *summary_of(const struct trace *t, int64_t from, int64_t to)
{
    struct index *ix = index_build(t, 1);
    struct selection sel;
    selection_init(&sel);
    sel.from_ns = from;
    sel.to_ns = to;
    struct summary *s = summary_compute(t, ix, &sel, BY_NAME);
    index_free(ix);
    return s;
}

START_TEST(test_no_slices)
{
    struct trace *t = made_trace(made_new());
    struct summary *s = summary_of(t, INT64_MIN, INT64_MAX);
    ck_assert_uint_eq(s->row_count, 0);
    ck_assert_uint_eq(s->count, 0);
    ck_assert_int_eq(s->busy_ns, 0);
    summary_order(s, SORT_NAME, true);
    summary_free(s);
    trace_free(t);
    /* Cancelled at once, and half way. */
    t = one_slice(0, 5, 20);
    struct index *ix = index_build(t, 1);
    struct selection sel;
    selection_init(&sel);
    summary_cancel(NULL);
    summary_cancel(summary_start(t, ix, &sel, BY_STEM));
    struct summary_job *job = summary_start(t, ix, &sel, BY_STEM);
    ck_assert(!summary_step(job, 3));
    summary_cancel(job);
    index_free(ix);
    trace_free(t);
}
END_TEST

START_TEST(test_windows)
{
    static const struct {
        int64_t start, dur, from, to;
        uint32_t count;
        int64_t window;
    } cases[] = {
        {10, 5, 10, 15, 1, 5},    {10, 5, 15, 20, 0, 0},   {10, 5, 0, 10, 0, 0},
        {10, 5, 14, 20, 1, 1},    {10, 5, 0, 11, 1, 1},    {10, 5, 12, 12, 1, 0},
        {10, 0, 10, 11, 1, 0},    {10, 0, 9, 10, 0, 0},    {10, 0, 11, 20, 0, 0},
        {-50, 20, -40, 0, 1, 10}, {-50, 20, -30, 0, 0, 0}, {-50, 0, -50, -49, 1, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trace *t = one_slice(cases[i].start, cases[i].dur, 1);
        struct summary *s = summary_of(t, cases[i].from, cases[i].to);
        ck_assert_uint_eq(s->count, cases[i].count);
        ck_assert_int_eq(s->window_ns, cases[i].window);
        ck_assert_int_eq(s->busy_ns, cases[i].window);
        ck_assert_int_eq(s->total_ns, cases[i].count ? cases[i].dur : 0);
        summary_free(s);
        trace_free(t);
    }
}
END_TEST

/* Sums stop at the end of the range, and no figure turns negative. */
START_TEST(test_extremes)
{
    struct trace *t = one_slice(0, INT64_MAX, 3);
    struct summary *s = summary_of(t, INT64_MIN, INT64_MAX);
    ck_assert_int_eq(s->rows[0].total_ns, INT64_MAX);
    ck_assert_int_eq(s->rows[0].window_ns, INT64_MAX);
    ck_assert_int_eq(s->rows[0].mean_ps, INT64_MAX);
    ck_assert_int_eq(s->rows[0].max_ns, INT64_MAX);
    ck_assert_int_eq(s->busy_ns, INT64_MAX);
    summary_free(s);
    trace_free(t);
    t = one_slice(INT64_MIN + 1, INT64_MAX, 2);
    s = summary_of(t, INT64_MIN, INT64_MAX);
    ck_assert_int_eq(s->busy_ns, INT64_MAX);
    summary_free(s);
    s = summary_of(t, -10, 10);
    ck_assert_int_eq(s->busy_ns, 10);
    ck_assert_int_eq(s->window_ns, 20);
    summary_free(s);
    trace_free(t);
}
END_TEST

/* A span around the whole recording is in no sum unless one asks for it. */
START_TEST(test_wrappers)
{
    struct made *m = made_new();
    made_process(m, 0, "Spans");
    made_slice(m, made_track(m, "PyTorch Profiler", TRACK_OTHER), "Trace", "PyTorch Profiler (0)",
               0, 1000, 0);
    made_process(m, 0, "1");
    made_slice(m, made_track(m, "1", TRACK_HOST), "cpu_op", "op", 10, 20, 0);
    struct trace *t = made_trace(m);
    struct index *ix = index_build(t, 1);
    struct selection sel;
    selection_init(&sel);
    selection_categories(&sel, t, "all");
    struct summary *s = summary_compute(t, ix, &sel, BY_NAME);
    ck_assert_uint_eq(s->row_count, 1);
    ck_assert_int_eq(s->busy_ns, 20);
    ck_assert_int_eq(s->total_ns, 20);
    summary_free(s);
    selection_categories(&sel, t, "trace");
    s = summary_compute(t, ix, &sel, BY_NAME);
    ck_assert_uint_eq(s->row_count, 1);
    ck_assert_int_eq(s->total_ns, 1000);
    summary_free(s);
    selection_free(&sel);
    index_free(ix);
    trace_free(t);
}
END_TEST

/* The same name in two categories is two rows, in two spellings of one it is one. */
START_TEST(test_categories)
{
    struct made *m = made_new();
    made_process(m, 0, "1");
    uint32_t track = made_track(m, "1", TRACK_HOST);
    made_slice(m, track, "cpu_op", "a", 0, 5, 0);
    made_slice(m, track, "user_annotation", "a", 10, 7, 0);
    made_slice(m, track, "CPU_OP", "a", 20, 9, 0);
    made_slice(m, track, "Operator", "a", 30, 9, 0);
    struct trace *t = made_trace(m);
    struct summary *s = summary_of(t, INT64_MIN, INT64_MAX);
    ck_assert_uint_eq(s->row_count, 2);
    ck_assert_uint_eq(s->rows[0].count, 3);
    ck_assert_int_eq(s->rows[0].total_ns, 23);
    ck_assert_int_eq(s->rows[1].total_ns, 7);
    summary_free(s);
    trace_free(t);
}
END_TEST

START_TEST(test_order)
{
    struct random r = random_seed(4);
    struct random_shape shape = {.slices = 300,
                                 .files = 1,
                                 .hosts = 2,
                                 .devices = 1,
                                 .streams = 1,
                                 .span_ns = 300,
                                 .longest_ns = 9,
                                 .names = 20,
                                 .crossing = true};
    struct trace *t = random_trace(&r, &shape);
    struct summary *s = summary_of(t, INT64_MIN, INT64_MAX);
    for (int reverse = 0; reverse < 2; reverse++) {
        summary_order(s, SORT_P95, reverse);
        for (uint32_t i = 1; i < s->row_count; i++) {
            const struct summary_row *a = &s->rows[i - 1], *b = &s->rows[i];
            ck_assert(reverse ? a->p95_ns <= b->p95_ns : a->p95_ns >= b->p95_ns);
            ck_assert(a->p95_ns != b->p95_ns || strcmp(a->text, b->text) <= 0);
        }
        summary_order(s, SORT_NAME, reverse);
        for (uint32_t i = 1; i < s->row_count; i++) {
            int order = strcmp(s->rows[i - 1].text, s->rows[i].text);
            ck_assert(reverse ? order >= 0 : order <= 0);
        }
    }
    summary_free(s);
    trace_free(t);
}
END_TEST

START_TEST(test_stems)
{
    static const char *const pairs[][2] = {
        {"spyre_kernel_v1_fused_mm_k7q2v4xnm5ahzt3c#3", "spyre_kernel_v1_fused_mm"},
        {"spyre_kernel_v1_fused_mm_k7q2v4xnm5ahzt3c", "spyre_kernel_v1_fused_mm"},
        {"spyre_kernel_v1_fused_mm_K7Q2V4XNM5AHZT3C#3",
         "spyre_kernel_v1_fused_mm_K7Q2V4XNM5AHZT3C"},
        {"spyre_kernel_v1_k7q2v4xnm5ahzt3c", "spyre_kernel_v1"},
        {"spyre_kernel_v1_mm_2222222222222222", "spyre_kernel_v1_mm"},
        {"other_k7q2v4xnm5ahzt3c#12", "other_k7q2v4xnm5ahzt3c"},
        {"sdsc_fused_add_0", "sdsc_fused_add"},
        {"a_1_2", "a_1"},
        {"iteration_10", "iteration"},
        {"ProfilerStep#12", "ProfilerStep"},
        {"gemm_128x64", "gemm_128x64"},
        {"x#", "x#"},
        {"x_", "x_"},
        {"#4", "#4"},
        {"7", "7"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        ck_assert_msg(name_stem(pairs[i][0], strlen(pairs[i][0])) == strlen(pairs[i][1]), "%s",
                      pairs[i][0]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("query_summary");
    TCase *tc = tcase_create("summary");
    tcase_set_timeout(tc, 0);
    tcase_add_loop_test(tc, test_rows, 0, 60);
    tcase_add_loop_test(tc, test_large_rows, 0, 6);
    tcase_add_test(tc, test_percentiles);
    tcase_add_test(tc, test_no_slices);
    tcase_add_test(tc, test_windows);
    tcase_add_test(tc, test_extremes);
    tcase_add_test(tc, test_wrappers);
    tcase_add_test(tc, test_categories);
    tcase_add_test(tc, test_order);
    tcase_add_test(tc, test_stems);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
