/*
 * Iterations and their figures, against programs that look at every slice.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "query/iterations.h"
#include "query/launches.h"
#include "trace_builder.h"

static uint32_t file_of(const struct trace *t, uint32_t slice)
{
    return t->processes[t->tracks[trace_track_of(t, slice)].process].file;
}

/* "ProfilerStep#", "iteration_" or "iteration ", then digits and nothing else. */
static bool slow_is_iteration(const struct trace *t, uint32_t slice)
{
    static const char *const starts[] = {"ProfilerStep#", "iteration_", "iteration "};
    enum category_class class = trace_category(t, slice)->class;
    const char *name = trace_name(t, slice, NULL);
    for (int i = 0; i < 3; i++) {
        size_t len = strlen(starts[i]);
        if (strncmp(name, starts[i], len) == 0 && name[len] &&
            strspn(name + len, "0123456789") == strlen(name + len))
            return class == CATEGORY_ANNOTATION || (class == CATEGORY_CPU_OP && i == 0);
    }
    return false;
}

/* Which device slices a figure is about. */
struct slow {
    const struct trace *t;
    const struct launches *launches; /* NULL: of the slices in the interval */
    uint32_t file;
    bool kernels; /* or all device slices */
    int64_t from, to;
};

static bool slow_counts(const struct slow *s, uint32_t i)
{
    const struct category *c = trace_category(s->t, i);
    if (!(s->kernels ? c->class == CATEGORY_KERNEL : c->device) || file_of(s->t, i) != s->file)
        return false;
    if (!s->launches)
        return true;
    uint32_t call = launches_call(s->launches, i);
    return call != TRACE_NONE && s->t->start_ns[call] >= s->from && s->t->start_ns[call] < s->to;
}

static int64_t slow_busy(const struct slow *s)
{
    int64_t busy = 0, end = s->launches ? s->t->last_end_ns : s->to;
    bool *on = xcalloc((size_t)s->t->last_end_ns + 1, sizeof *on);
    for (uint32_t i = 0; i < s->t->slice_count; i++)
        for (int64_t at = s->t->start_ns[i]; slow_counts(s, i) && at < trace_end_ns(s->t, i); at++)
            on[at] = true;
    for (int64_t at = s->launches ? 0 : s->from; at < end; at++)
        busy += on[at];
    free(on);
    return busy;
}

static void check_figures(const struct trace *t, const struct launches *l,
                          const struct iteration *it)
{
    struct slow s = {.t = t, .file = file_of(t, it->slice), .kernels = true};
    uint32_t kernels = 0;
    int64_t total = 0;
    s.from = it->start_ns;
    s.to = it->start_ns + it->dur_ns;
    for (uint32_t i = 0; i < t->slice_count; i++) {
        if (slow_counts(&s, i) && t->start_ns[i] >= s.from && t->start_ns[i] < s.to) {
            kernels++;
            total += t->dur_ns[i];
        }
    }
    SAME(it->kernels, kernels);
    SAME(it->kernel_ns, total);
    SAME(it->kernel_busy_ns, slow_busy(&s));
    s.kernels = false;
    SAME(it->device_busy_ns, slow_busy(&s));
    s.kernels = true;
    s.launches = l;
    uint32_t launched = 0;
    for (uint32_t i = 0; i < t->slice_count; i++)
        launched += slow_counts(&s, i);
    SAME(it->launched_kernels, launched);
    SAME(it->launched_kernel_busy_ns, slow_busy(&s));
}

/* ------------------------------------------------------------------------ */

static int compare_ns(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* Halves are rounded up. */
static int64_t slow_median(int64_t *values, size_t n)
{
    qsort(values, n, sizeof *values, compare_ns);
    size_t middle = n / 2;
    return n % 2 ? values[middle] : (values[middle - 1] + values[middle] + 1) / 2;
}

static void check_family(const struct iterations *list, uint32_t family)
{
    const struct iteration_family *f = &list->families[family];
    int64_t *values = xreallocarray(NULL, (size_t)list->count + 1, sizeof *values);
    uint32_t n = 0, outliers = 0;
    for (uint32_t i = 0; i < list->count; i++)
        if (list->items[i].family == family)
            values[n++] = list->items[i].dur_ns;
    ck_assert_uint_eq(f->count, n);
    ck_assert(family == 0 || n <= list->families[family - 1].count);
    int64_t middle = slow_median(values, n);
    ck_assert_int_eq(f->median_dur_ns, middle);
    for (uint32_t i = 0; i < n; i++)
        values[i] = llabs(values[i] - middle);
    int64_t deviation = slow_median(values, n);
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->items[i].family != family)
            continue;
        int64_t distance = llabs(list->items[i].dur_ns - middle);
        if (distance > 3 * deviation && 10 * distance > middle)
            ck_assert_uint_eq(f->outliers[outliers++], i);
    }
    ck_assert_uint_eq(f->outlier_count, outliers);
    free(values);
}

static void check_at(const struct iterations *list, int64_t end)
{
    for (int64_t at = -2; at < end + 2; at++) {
        for (uint32_t family = 0; family <= list->family_count; family++) {
            bool any = family == list->family_count;
            uint32_t expected = TRACE_NONE;
            for (uint32_t i = 0; i < list->count; i++) {
                const struct iteration *it = &list->items[i];
                if ((any || it->family == family) && it->start_ns <= at &&
                    at < it->start_ns + it->dur_ns)
                    expected = i;
            }
            SAME(iterations_at(list, any ? TRACE_NONE : family, at), expected);
        }
    }
}

START_TEST(test_figures)
{
    struct random r = random_seed((uint64_t)_i + 1000);
    struct random_shape shape = {
        .slices = 1 + (unsigned)random_below(&r, 150),
        .files = 1 + (unsigned)random_below(&r, 3),
        .hosts = 1 + (unsigned)random_below(&r, 2),
        .devices = 1 + (unsigned)random_below(&r, 2),
        .streams = 1 + (unsigned)random_below(&r, 2),
        .span_ns = random_between(&r, 5, 300),
        .longest_ns = random_between(&r, 1, 80),
        .names = 1 + (unsigned)random_below(&r, 20),
        .crossing = random_chance(&r, 70),
    };
    struct trace *t = random_trace(&r, &shape);
    struct index *ix = index_build(t, 1);
    struct launches *l = launches_build(t, ix);
    struct error err = {0};
    struct iterations *list = iterations_find(t, ix, l, NULL, &err);
    uint32_t expected = 0;
    for (uint32_t i = 0; i < t->slice_count; i++) {
        uint32_t listed = 0;
        for (uint32_t k = 0; k < list->count; k++)
            listed += list->items[k].slice == i;
        SAME(listed, slow_is_iteration(t, i));
        expected += slow_is_iteration(t, i);
    }
    ck_assert_uint_eq(list->count, expected);
    ck_assert(list->has_launches == launches_any(l));
    for (uint32_t i = 0; i < list->count; i++) {
        const struct iteration *it = &list->items[i];
        const char *name = trace_name(t, it->slice, NULL);
        const char *family = list->families[it->family].name;
        SAME(it->start_ns, t->start_ns[it->slice]);
        SAME(it->dur_ns, t->dur_ns[it->slice]);
        ck_assert(i == 0 || it->start_ns >= list->items[i - 1].start_ns);
        ck_assert(strncmp(name, family, strlen(family)) == 0);
        SAME(it->number, atoll(name + strlen(family) + 1));
        check_figures(t, l, it);
    }
    for (uint32_t i = 0; i < list->family_count; i++)
        check_family(list, i);
    check_at(list, t->last_end_ns);
    iterations_free(list);
    launches_free(l);
    index_free(ix);
    trace_free(t);
}
END_TEST

/* ------------------------------------------------------------------------
 * By hand */

struct opened {
    struct trace *t;
    struct index *ix;
    struct iterations *list;
};

static struct opened open_made(struct made *m, const char *pattern)
{
    struct error err = {0};
    struct opened o = {.t = made_trace(m)};
    o.ix = index_build(o.t, 1);
    o.list = iterations_find(o.t, o.ix, NULL, pattern, &err);
    ck_assert_msg(o.list != NULL, "%s", err.message);
    return o;
}

static void close_opened(struct opened *o)
{
    iterations_free(o->list);
    index_free(o->ix);
    trace_free(o->t);
}

static void step(struct made *m, const char *category, const char *name, int64_t start, int64_t dur)
{
    made_slice(m, 0, category, name, start, dur, 0);
}

START_TEST(test_names)
{
    static const struct {
        const char *category, *name;
        const char *family; /* NULL: no iteration */
        int64_t number;
    } names[] = {
        {"user_annotation", "ProfilerStep#0", "ProfilerStep", 0},
        {"user_annotation", "ProfilerStep#007", "ProfilerStep", 7},
        {"cpu_op", "ProfilerStep#3", "ProfilerStep", 3},
        {"Operator", "ProfilerStep#4", NULL, 0}, /* the builder knows no aliases */
        {"user_annotation", "iteration_12", "iteration", 12},
        {"user_annotation", "iteration 13", "iteration", 13},
        {"user_annotation", "iteration_99999999999999999999", "iteration", -1},
        {"cpu_op", "iteration_5", NULL, 0},
        {"gpu_user_annotation", "iteration_6", NULL, 0},
        {"user_annotation", "iteration_", NULL, 0},
        {"user_annotation", "iteration", NULL, 0},
        {"user_annotation", "iteration_7x", NULL, 0},
        {"user_annotation", "iteration_-1", NULL, 0},
        {"user_annotation", "my_iteration_7", NULL, 0},
        {"user_annotation", "ProfilerStep*", NULL, 0},
        {"user_annotation", "profilerstep#1", NULL, 0},
        {"user_annotation", "", NULL, 0},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct made *m = made_new();
        made_process(m, 0, "1");
        made_track(m, "1", TRACK_HOST);
        step(m, names[i].category, names[i].name, 0, 10);
        struct opened o = open_made(m, NULL);
        ck_assert_msg(o.list->count == (names[i].family != NULL), "%s", names[i].name);
        if (names[i].family) {
            ck_assert_str_eq(o.list->families[0].name, names[i].family);
            ck_assert_int_eq(o.list->items[0].number, names[i].number);
        }
        close_opened(&o);
    }
}
END_TEST

START_TEST(test_pattern)
{
    struct error err = {0};
    struct made *m = made_new();
    made_process(m, 0, "1");
    made_track(m, "1", TRACK_HOST);
    step(m, "user_annotation", "decode step 3 of 9", 0, 10);
    step(m, "user_annotation", "decode step 4 of 9", 20, 10);
    step(m, "user_annotation", "prefill", 40, 10);
    step(m, "user_annotation", "ProfilerStep#5", 60, 10);
    struct opened o = open_made(m, "^decode step ([0-9]+)|prefill");
    ck_assert_uint_eq(o.list->count, 4);
    ck_assert_str_eq(o.list->families[0].name, "decode step");
    ck_assert_uint_eq(o.list->families[0].count, 2);
    ck_assert_int_eq(o.list->items[1].number, 4);
    ck_assert_int_eq(o.list->items[2].number, -1);
    ck_assert_str_eq(o.list->families[o.list->items[2].family].name, "prefill");
    ck_assert_int_eq(o.list->items[3].number, 5);
    ck_assert_ptr_null(iterations_find(o.t, o.ix, NULL, "(", &err));
    ck_assert_int_eq(err.kind, ERROR_USAGE);
    close_opened(&o);
}
END_TEST

START_TEST(test_windows)
{
    static const struct {
        const char *text;
        int64_t from, to; /* from -1: an error */
    } cases[] = {
        {"0", 100, 110},
        {"2", 300, 310},
        {"3", -1, 0},
        {"ProfilerStep#12", 200, 210},
        {"0..2", 100, 310},
        {"ProfilerStep#11..1", 100, 210},
        {"1..1", 200, 210},
        {"2..0", -1, 0},
        {"iteration 0", 105, 107},
        {"", -1, 0},
        {"..", -1, 0},
        {"0..", -1, 0},
        {"..1", -1, 0},
        {"x", -1, 0},
        {"-1", -1, 0},
        {"99999999999999999999", -1, 0},
        {"0..9", -1, 0},
        {"a..b", 500, 510},
    };
    struct made *m = made_new();
    made_process(m, 0, "1");
    made_track(m, "1", TRACK_HOST);
    step(m, "user_annotation", "ProfilerStep#13", 300, 10);
    step(m, "user_annotation", "ProfilerStep#11", 100, 10);
    step(m, "user_annotation", "ProfilerStep#12", 200, 10);
    step(m, "user_annotation", "iteration 0", 105, 2);
    step(m, "user_annotation", "a..b", 500, 10);
    struct opened o = open_made(m, "a[.][.]b");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error err = {0};
        int64_t from = 0, to = 0;
        bool found = iterations_window(o.t, o.list, cases[i].text, &from, &to, &err);
        ck_assert_msg(found == (cases[i].from >= 0), "%s", cases[i].text);
        ck_assert(found || err.kind == ERROR_USAGE);
        ck_assert(!found || (from == cases[i].from && to == cases[i].to));
    }
    close_opened(&o);
    o = open_made(made_new(), NULL);
    struct error err = {0};
    int64_t from, to;
    ck_assert(!iterations_window(o.t, o.list, "0", &from, &to, &err));
    ck_assert_uint_eq(iterations_at(o.list, TRACE_NONE, 0), TRACE_NONE);
    close_opened(&o);
    iterations_free(NULL);
}
END_TEST

/* A kernel of centuries in one iteration must not spoil the sums of the others. */
START_TEST(test_far_kernels)
{
    struct made *m = made_new();
    made_process(m, 0, "1");
    made_track(m, "1", TRACK_HOST);
    made_process(m, 0, "0");
    for (int i = 0; i < 3; i++)
        made_track(m, (const char *const[]){"0", "1", "2"}[i], TRACK_DEVICE);
    step(m, "user_annotation", "iteration_0", 0, 10);
    step(m, "user_annotation", "iteration_1", 100, 10);
    step(m, "user_annotation", "iteration_2", INT64_MAX - 10, 10);
    made_slice(m, 1, "kernel", "k", 1, INT64_MAX - 1, 0);
    made_slice(m, 2, "kernel", "k", 1, INT64_MAX - 1, 0);
    made_slice(m, 3, "kernel", "k", 101, 5, 0);
    struct opened o = open_made(m, NULL);
    ck_assert_int_eq(o.list->items[0].kernel_ns, INT64_MAX);
    ck_assert_int_eq(o.list->items[0].kernel_busy_ns, 9);
    ck_assert_int_eq(o.list->items[1].kernel_ns, 5);
    ck_assert_int_eq(o.list->items[1].kernel_busy_ns, 10);
    ck_assert_int_eq(o.list->items[2].kernel_busy_ns, 10);
    ck_assert_uint_eq(iterations_at(o.list, TRACE_NONE, INT64_MAX - 1), 2);
    close_opened(&o);
}
END_TEST

/* Every annotation a family of its own, all within one that spans them. */
START_TEST(test_many_families)
{
    enum { COUNT = 50000 };
    struct made *m = made_new();
    char name[32];
    made_process(m, 0, "1");
    made_track(m, "1", TRACK_HOST);
    step(m, "user_annotation", "all", 0, 10 * COUNT + 100);
    for (int i = 0; i < 2000; i++) {
        snprintf(name, sizeof name, "name %c%d", 'a' + i % 26, i);
        step(m, "user_annotation", name, 10 * i, 5);
    }
    for (int i = 2000; i < COUNT; i++)
        step(m, "user_annotation", "iteration_1", 10 * i, 5);
    struct opened o = open_made(m, ".*");
    ck_assert_uint_eq(o.list->count, COUNT + 1);
    ck_assert_uint_eq(o.list->family_count, 2002);
    ck_assert_str_eq(o.list->families[0].name, "iteration");
    ck_assert_uint_eq(iterations_at(o.list, TRACE_NONE, 10 * COUNT + 50), 0);
    ck_assert_uint_eq(iterations_at(o.list, TRACE_NONE, 10 * COUNT + 100), TRACE_NONE);
    close_opened(&o);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("query_iterations");
    TCase *tc = tcase_create("iterations");
    tcase_set_timeout(tc, 0);
    tcase_add_loop_test(tc, test_figures, 0, 80);
    tcase_add_test(tc, test_names);
    tcase_add_test(tc, test_pattern);
    tcase_add_test(tc, test_windows);
    tcase_add_test(tc, test_far_kernels);
    tcase_add_test(tc, test_many_families);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
