/*
 * Two traces side by side, against a join that looks at every slice.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "query/diff.h"
#include "trace_builder.h"

struct sum {
    uint32_t count;
    int64_t total;
};

static struct sum slow_sum(const struct trace *t, const struct selection *sel, enum summary_by by,
                           const char *name, size_t len)
{
    struct sum sum = {0, 0};
    for (uint32_t i = 0; i < t->slice_count; i++) {
        size_t other_len;
        const char *other = trace_name(t, i, &other_len);
        if (by == BY_STEM)
            other_len = name_stem(other, other_len);
        if (!selection_takes(sel, t, i) || other_len != len || memcmp(other, name, len) != 0)
            continue;
        sum.count++;
        sum.total += t->dur_ns[i];
    }
    return sum;
}

static void check_side(const struct summary_row *row, struct sum expected)
{
    SAME(row ? row->count : 0, expected.count);
    SAME(row ? row->total_ns : 0, expected.total);
    if (row)
        SAME(row->mean_ps, summary_mean_ps(expected.total, expected.count));
}

START_TEST(test_join)
{
    struct random r = random_seed((uint64_t)_i + 5000);
    struct random_shape shape = {
        .slices = (unsigned)random_below(&r, 80),
        .files = 1,
        .hosts = 2,
        .devices = 1,
        .streams = 1,
        .span_ns = 300,
        .longest_ns = 50,
        .names = 12,
        .crossing = true,
    };
    struct trace *a = random_trace(&r, &shape), *b = random_trace(&r, &shape);
    struct index *a_ix = index_build(a, 1), *b_ix = index_build(b, 1);
    struct selection a_sel, b_sel;
    enum summary_by by = random_chance(&r, 50) ? BY_NAME : BY_STEM;
    uint64_t a_count = 0, b_count = 0;
    selection_init(&a_sel);
    selection_init(&b_sel);
    selection_categories(&a_sel, a, _i & 1 ? "all" : "kernel,cpu_op");
    selection_categories(&b_sel, b, _i & 1 ? "all" : "kernel,cpu_op");
    b_sel.from_ns = random_between(&r, 0, 100);
    struct diff *d = diff_compute(a, a_ix, &a_sel, b, b_ix, &b_sel, by);
    for (uint32_t i = 0; i < d->row_count; i++) {
        const struct diff_row *row = &d->rows[i];
        struct sum old = slow_sum(a, &a_sel, by, row->name, row->name_len);
        struct sum new = slow_sum(b, &b_sel, by, row->name, row->name_len);
        check_side(row->base, old);
        check_side(row->other, new);
        SAME(row->delta_ns, new.total - old.total);
        ck_assert(row->base || row->other);
        ck_assert(i == 0 || llabs(row->delta_ns) <= llabs(d->rows[i - 1].delta_ns));
        for (uint32_t k = 0; k < i; k++)
            ck_assert(d->rows[k].name_len != row->name_len ||
                      memcmp(d->rows[k].name, row->name, row->name_len) != 0);
        a_count += old.count;
        b_count += new.count;
    }
    ck_assert_uint_eq(a_count, d->base->count);
    ck_assert_uint_eq(b_count, d->other->count);
    diff_free(d);
    selection_free(&a_sel);
    selection_free(&b_sel);
    index_free(a_ix);
    index_free(b_ix);
    trace_free(a);
    trace_free(b);
}
END_TEST

/* The same name in several categories, and names that differ behind a NUL. */
START_TEST(test_names)
{
    struct made *m = made_new();
    made_process(m, 0, "1");
    uint32_t track = made_track(m, "1", TRACK_HOST);
    made_slice(m, track, "cpu_op", "same", 0, 5, 0);
    made_slice(m, track, "user_annotation", "same", 10, 7, 0);
    made_slice_named(m, track, "cpu_op", "x\0a", 3, 20, 1, 0);
    made_slice_named(m, track, "cpu_op", "x\0b", 3, 30, 2, 0);
    made_slice(m, track, "cpu_op", "", 40, 3, 0);
    struct trace *a = made_trace(m), *b = made_trace(made_new());
    struct index *a_ix = index_build(a, 1), *b_ix = index_build(b, 1);
    struct selection sel;
    selection_init(&sel);
    struct diff *d = diff_compute(a, a_ix, &sel, b, b_ix, &sel, BY_NAME);
    ck_assert_uint_eq(d->row_count, 4);
    ck_assert_str_eq(d->rows[0].name, "same");
    ck_assert_int_eq(d->rows[0].delta_ns, -12);
    ck_assert_uint_eq(d->rows[0].base->count, 2);
    ck_assert_int_eq(d->rows[0].base->mean_ps, 6000);
    ck_assert_ptr_null(d->rows[0].other);
    ck_assert_int_eq(d->rows[1].delta_ns, -3);
    ck_assert_int_eq(d->rows[2].delta_ns, -2);
    ck_assert_uint_eq(d->rows[2].name_len, 3);
    diff_free(d);
    diff_free(NULL);
    index_free(a_ix);
    index_free(b_ix);
    trace_free(a);
    trace_free(b);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("query_diff");
    TCase *tc = tcase_create("diff");
    tcase_set_timeout(tc, 0);
    tcase_add_loop_test(tc, test_join, 0, 60);
    tcase_add_test(tc, test_names);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
