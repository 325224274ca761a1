/*
 * Selecting, searching and listing slices, against programs that look at all of them.
 */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "query/match.h"
#include "query/slices.h"
#include "trace_builder.h"

static struct random_shape random_shape(struct random *r)
{
    return (struct random_shape){
        .slices = 1 + (unsigned)random_below(r, 150),
        .files = 1 + (unsigned)random_below(r, 2),
        .hosts = 1 + (unsigned)random_below(r, 3),
        .devices = 1,
        .streams = 1 + (unsigned)random_below(r, 3),
        .span_ns = random_between(r, 5, 200),
        .longest_ns = random_between(r, 1, 40),
        .names = 1 + (unsigned)random_below(r, 8),
        .crossing = random_chance(r, 50),
    };
}

static bool slow_before(const struct trace *t, uint32_t a, uint32_t b)
{
    int64_t x = t->start_ns[a], y = t->start_ns[b];
    return x != y ? x < y : a < b;
}

static bool slow_hit(const struct trace *t, const bool *names, const bool *hidden, uint32_t i)
{
    return names[t->labels[t->label[i]].name] && (!hidden || !hidden[trace_track_of(t, i)]);
}

static uint32_t slow_search(const struct trace *t, const bool *names, const bool *hidden,
                            uint32_t from, int64_t at, bool next)
{
    uint32_t best = TRACE_NONE;
    for (uint32_t i = 0; i < t->slice_count; i++) {
        if (!slow_hit(t, names, hidden, i))
            continue;
        bool beyond = from != TRACE_NONE
                          ? (next ? slow_before(t, from, i) : slow_before(t, i, from))
                          : (next ? t->start_ns[i] >= at : t->start_ns[i] < at);
        if (beyond &&
            (best == TRACE_NONE || (next ? slow_before(t, i, best) : slow_before(t, best, i))))
            best = i;
    }
    return best;
}

START_TEST(test_search)
{
    struct random r = random_seed((uint64_t)_i + 2000);
    struct random_shape shape = random_shape(&r);
    struct trace *t = random_trace(&r, &shape);
    struct index *ix = index_build(t, 1);
    struct error err = {0};
    bool *names = match_names(t, "[13]$|kernel", &err);
    bool *hidden = xcalloc((size_t)t->track_count + 1, sizeof *hidden);
    for (uint32_t k = 0; k < t->track_count; k++)
        hidden[k] = random_chance(&r, 30);
    for (int round = 0; round < 2; round++) {
        const bool *hide = round ? hidden : NULL;
        for (uint32_t i = 0; i < t->slice_count; i++) {
            SAME(match_next(t, ix, names, hide, i, 0), slow_search(t, names, hide, i, 0, true));
            SAME(match_previous(t, ix, names, hide, i, 0),
                 slow_search(t, names, hide, i, 0, false));
        }
        for (int64_t at = -2; at < t->last_end_ns + 2; at++) {
            SAME(match_next(t, ix, names, hide, TRACE_NONE, at),
                 slow_search(t, names, hide, TRACE_NONE, at, true));
            SAME(match_previous(t, ix, names, hide, TRACE_NONE, at),
                 slow_search(t, names, hide, TRACE_NONE, at, false));
        }
    }
    for (uint32_t slice = 0; slice <= t->slice_count; slice++) {
        uint32_t at = slice < t->slice_count ? slice : TRACE_NONE, before, n = 0, ahead = 0;
        for (uint32_t i = 0; i < t->slice_count; i++) {
            n += slow_hit(t, names, NULL, i);
            ahead += at != TRACE_NONE && slow_hit(t, names, NULL, i) && slow_before(t, i, at);
        }
        SAME(match_count(t, names, at, &before), n);
        SAME(before, ahead);
    }
    free(hidden);
    free(names);
    index_free(ix);
    trace_free(t);
}
END_TEST

/* ------------------------------------------------------------------------ */

struct order {
    const struct trace *t;
    bool by_dur;
};

static int slow_order(const void *a, const void *b, void *context)
{
    const struct order *o = context;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    int64_t starts = o->t->start_ns[x] - o->t->start_ns[y];
    int64_t durs = o->t->dur_ns[y] - o->t->dur_ns[x];
    int64_t first = o->by_dur ? durs : starts, second = o->by_dur ? starts : durs;
    if (first || second)
        return (first ? first : second) < 0 ? -1 : 1;
    return x < y ? -1 : x > y;
}

START_TEST(test_slices)
{
    struct random r = random_seed((uint64_t)_i + 3000);
    struct random_shape shape = random_shape(&r);
    if (_i % 10 == 0)
        shape.slices = 5000; /* more than are kept in hand */
    struct trace *t = random_trace(&r, &shape);
    struct index *ix = index_build(t, 1);
    struct error err = {0};
    uint32_t *expected = xreallocarray(NULL, (size_t)t->slice_count + 1, sizeof *expected);
    for (int round = 0; round < 8; round++) {
        struct selection sel;
        struct order order = {t, round & 1};
        uint32_t n = 0, *slices, top = (uint32_t)random_below(&r, 30);
        selection_init(&sel);
        if (round & 2) {
            sel.from_ns = random_between(&r, 0, t->last_end_ns);
            sel.to_ns = random_between(&r, sel.from_ns, t->last_end_ns + 1);
        }
        if (round & 4)
            ck_assert(selection_match(&sel, t, "op_|dev", &err));
        for (uint32_t i = 0; i < t->slice_count; i++)
            if (selection_takes(&sel, t, i))
                expected[n++] = i;
        qsort_r(expected, n, sizeof *expected, slow_order, &order);
        n = top && n > top ? top : n;
        SAME(slices_list(t, ix, &sel, order.by_dur ? SLICES_BY_DUR : SLICES_BY_START, top, &slices),
             n);
        for (uint32_t i = 0; i < n; i++)
            SAME(slices[i], expected[i]);
        free(slices);
        selection_free(&sel);
    }
    free(expected);
    index_free(ix);
    trace_free(t);
}
END_TEST

/* ------------------------------------------------------------------------
 * Names */

static struct trace *trace_of_name(const char *name, size_t len)
{
    struct made *m = made_new();
    made_process(m, 0, "1");
    made_slice_named(m, made_track(m, "1", TRACK_HOST), "cpu_op", name, len, 0, 1, 0);
    return made_trace(m);
}

/* 1 or 0: matches or not; -1: a bad pattern. */
static int matches(const char *name, size_t len, const char *regex)
{
    struct trace *t = trace_of_name(name, len);
    struct error err = {0};
    uint32_t before;
    bool *names = match_names(t, regex, &err);
    int result = names ? (int)match_count(t, names, TRACE_NONE, &before) : -1;
    ck_assert(names || (err.kind == ERROR_USAGE && err.message[0]));
    free(names);
    trace_free(t);
    return result;
}

START_TEST(test_patterns)
{
    static const struct {
        const char *name, *regex;
        int result;
    } cases[] = {
        {"sim_GEMM_bf16", "gemm", 1},
        {"sim_GEMM_bf16", "Gemm", 0},
        {"sim_GEMM_bf16", "GEMM", 1},
        {"sim_gemm", "[A-Z]", 0},
        {"aten::mm", "^aten::(mm|bmm)$", 1},
        {"a.b*c[d](e)^f$g|h", "a\\.b\\*c\\[d\\]\\(e\\)\\^f\\$g\\|h", 1},
        {"anything", "", 1},
        {"", "", 1},
        {"", "^$", 1},
        {"", ".", 0},
        {"x", "(", -1},
        {"x", "[", -1},
        {"x", "*", 0}, /* left to the C library: no error is enough */
        {"x", "a{2", -1},
        {"x", "\\", -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int result = matches(cases[i].name, strlen(cases[i].name), cases[i].regex);
        ck_assert_msg(result == cases[i].result || strcmp(cases[i].regex, "*") == 0, "%s: %d",
                      cases[i].regex, result);
    }
}
END_TEST

/* Names and patterns that are no text in the locale, and very long ones. */
START_TEST(test_hostile_names)
{
    static const char *const locales[] = {"C", "C.UTF-8"};
    enum { LONG = 1 << 16 };
    char *name = xmalloc(LONG + 1);
    memset(name, 'x', LONG);
    memcpy(name + LONG - 6, "gemm\xff", 6);
    name[LONG] = '\0';
    if (!setlocale(LC_ALL, locales[_i])) {
        free(name);
        return;
    }
    ck_assert_int_eq(matches("a\xff\xfe"
                             "gemm\xc3",
                             8, "gemm"),
                     1);
    ck_assert_int_eq(matches("\xed\xa0\x80 gemm", 8, "gemm$"), 1);
    ck_assert_int_eq(matches(name, LONG, "gemm"), 1);
    ck_assert_int_eq(matches(name, LONG, "y"), 0);
    ck_assert_int_eq(matches(name, LONG, "^(x+)+gemm"), 1);
    /* Up to the NUL. */
    ck_assert_int_eq(matches("ab\0cd", 5, "ab"), 1);
    ck_assert_int_eq(matches("ab\0cd", 5, "cd"), 0);
    /* Any answer will do, but there must be one. */
    matches("a\xff", 2, "\xff");
    matches("a\xff", 2, "[\xff]");
    matches("caf\xc3\xa9", 5, "\xc3");
    setlocale(LC_ALL, "C");
    free(name);
}
END_TEST

START_TEST(test_categories)
{
    static const struct {
        const char *list;
        bool kernel, op;
    } cases[] = {
        {"kernel", true, false},       {"KERNEL", true, false},   {"Operator", false, true},
        {"kernel,cpu_op", true, true}, {",kernel,", true, false}, {"", false, false},
        {"no_such", false, false},     {"all", true, true},       {"no_such,all", true, true},
        {"kern", false, false},
    };
    struct made *m = made_new();
    made_process(m, 0, "1");
    made_slice(m, made_track(m, "1", TRACK_HOST), "cpu_op", "op", 0, 1, 0);
    made_slice(m, made_track(m, "2", TRACK_DEVICE), "kernel", "k", 0, 1, 0);
    struct trace *t = made_trace(m);
    struct selection sel;
    selection_init(&sel);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        selection_categories(&sel, t, cases[i].list);
        ck_assert_msg(selection_has(&sel, t, 0) == cases[i].op, "%s", cases[i].list);
        ck_assert_msg(selection_has(&sel, t, 1) == cases[i].kernel, "%s", cases[i].list);
    }
    selection_free(&sel);
    selection_free(&sel);
    trace_free(t);
}
END_TEST

START_TEST(test_nothing)
{
    struct trace *t = made_trace(made_new());
    struct index *ix = index_build(t, 1);
    struct error err = {0};
    struct selection sel;
    uint32_t *slices, before;
    selection_init(&sel);
    bool *names = match_names(t, "x", &err);
    ck_assert_uint_eq(match_next(t, ix, names, NULL, TRACE_NONE, INT64_MIN), TRACE_NONE);
    ck_assert_uint_eq(match_previous(t, ix, names, NULL, TRACE_NONE, INT64_MAX), TRACE_NONE);
    ck_assert_uint_eq(match_count(t, names, TRACE_NONE, &before), 0);
    free(names);
    ck_assert_uint_eq(slices_list(t, ix, &sel, SLICES_BY_START, 0, &slices), 0);
    free(slices);
    ck_assert_uint_eq(slices_list(t, ix, &sel, SLICES_BY_DUR, 5, &slices), 0);
    free(slices);
    index_free(ix);
    trace_free(t);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("query_match");
    TCase *tc = tcase_create("match");
    tcase_set_timeout(tc, 0);
    tcase_add_loop_test(tc, test_search, 0, 50);
    tcase_add_loop_test(tc, test_slices, 0, 60);
    tcase_add_test(tc, test_patterns);
    tcase_add_loop_test(tc, test_hostile_names, 0, 2);
    tcase_add_test(tc, test_categories);
    tcase_add_test(tc, test_nothing);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
