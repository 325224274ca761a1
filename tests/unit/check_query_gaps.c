/*
 * Unions of intervals and the gaps between them, against arrays with a flag for each
 * nanosecond.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "query/gaps.h"
#include "query/union.h"
#include "trace_builder.h"

/* ------------------------------------------------------------------------
 * Unions */

START_TEST(test_unions)
{
    enum { SPAN = 200 };
    struct random r = random_seed((uint64_t)_i);
    struct interval_list list = {0};
    bool on[SPAN] = {false};
    for (uint64_t n = random_below(&r, 40); n > 0; n--) {
        int64_t start = random_between(&r, 0, SPAN - 1);
        int64_t end = random_between(&r, start + 1, start + 12 < SPAN ? start + 12 : SPAN);
        interval_add(&list, start, end);
        for (int64_t at = start; at < end; at++)
            on[at] = true;
    }
    interval_unite(&list);
    int64_t *sums = interval_sums(&list), busy = 0;
    for (int64_t at = 0; at < SPAN; at++)
        busy += on[at];
    SAME(interval_length(&list), busy);
    SAME(sums[list.count], busy);
    for (size_t i = 1; i < list.count; i++)
        ck_assert(list.items[i].start_ns > list.items[i - 1].end_ns);
    for (int64_t from = -3; from < SPAN + 3; from += 3) {
        busy = 0;
        for (int64_t to = from; to < SPAN + 3; to++) {
            SAME(interval_length_in(&list, sums, from, to), busy);
            busy += to >= 0 && to < SPAN && on[to];
        }
        SAME(interval_length_in(&list, sums, from, from - 1), 0);
    }
    SAME(interval_length_in(&list, sums, INT64_MIN, INT64_MAX), interval_length(&list));
    free(sums);
    interval_free(&list);
}
END_TEST

START_TEST(test_far_unions)
{
    struct interval_list list = {0};
    interval_add(&list, 0, INT64_MAX);
    interval_add(&list, INT64_MIN + 1, -5);
    interval_unite(&list);
    int64_t *sums = interval_sums(&list);
    ck_assert_uint_eq(list.count, 2);
    ck_assert_int_eq(interval_length(&list), INT64_MAX); /* held there */
    ck_assert_int_eq(interval_length_in(&list, sums, -10, 10), 15);
    ck_assert_int_eq(interval_length_in(&list, sums, 1, INT64_MAX), INT64_MAX - 1);
    ck_assert_int_eq(interval_length_in(&list, sums, INT64_MAX - 7, INT64_MAX), 7);
    free(sums);
    interval_free(&list);
    sums = interval_sums(&list);
    ck_assert_int_eq(interval_length(&list), 0);
    ck_assert_int_eq(interval_length_in(&list, sums, INT64_MIN, INT64_MAX), 0);
    free(sums);
}
END_TEST

/* ------------------------------------------------------------------------
 * Gaps */

struct slow {
    const struct trace *t;
    const struct selection *sel;
    uint32_t process, track; /* TRACE_NONE: all tracks of the process */
};

static int64_t clip(const struct selection *sel, int64_t at)
{
    return at < sel->from_ns ? sel->from_ns : at > sel->to_ns ? sel->to_ns : at;
}

static bool slow_counts(const struct slow *s, uint32_t i)
{
    const struct trace *t = s->t;
    const struct label *label = &t->labels[t->label[i]];
    uint32_t track = trace_track_of(t, i);
    int64_t start = t->start_ns[i], end = trace_end_ns(t, i);
    return t->tracks[track].kind == TRACK_DEVICE && t->tracks[track].process == s->process &&
           (s->track == TRACE_NONE || s->track == track) &&
           (s->sel->categories ? s->sel->categories[label->category]
                               : t->categories[label->category].device) &&
           (!s->sel->names || s->sel->names[label->name]) && start < s->sel->to_ns &&
           (end > s->sel->from_ns || (start == end && start >= s->sel->from_ns));
}

/* A flag for every nanosecond up to the end of the trace. */
static bool *slow_flags(const struct slow *s, uint32_t category)
{
    bool *on = xcalloc((size_t)s->t->last_end_ns + 2, sizeof *on);
    for (uint32_t i = 0; i < s->t->slice_count; i++) {
        if (!slow_counts(s, i) ||
            (category != TRACE_NONE && s->t->labels[s->t->label[i]].category != category))
            continue;
        int64_t end = clip(s->sel, trace_end_ns(s->t, i));
        for (int64_t at = clip(s->sel, s->t->start_ns[i]); at < end; at++)
            on[at] = true;
    }
    return on;
}

static int64_t count_flags(const bool *on, int64_t end)
{
    int64_t n = 0;
    for (int64_t at = 0; at < end; at++)
        n += on[at];
    return n;
}

/* The holes, in order. */
static size_t slow_gaps(const struct slow *s, const bool *on, struct gap *gaps)
{
    size_t n = 0;
    int64_t last = -1;
    for (int64_t at = 0; at <= s->t->last_end_ns; at++) {
        if (!on[at])
            continue;
        if (last >= 0 && at > last + 1)
            gaps[n++] = (struct gap){last + 1, at - last - 1, TRACE_NONE, TRACE_NONE};
        last = at;
    }
    return n;
}

static int longest_first(const void *a, const void *b)
{
    const struct gap *x = a, *y = b;
    if (x->dur_ns != y->dur_ns)
        return x->dur_ns > y->dur_ns ? -1 : 1;
    return x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

static void check_row(const struct slow *s, const struct gap_row *row, size_t top)
{
    const struct trace *t = s->t;
    int64_t first = INT64_MAX, last = INT64_MIN;
    bool *on = slow_flags(s, TRACE_NONE);
    struct gap *gaps = xreallocarray(NULL, (size_t)t->last_end_ns + 2, sizeof *gaps);
    size_t n = slow_gaps(s, on, gaps);
    for (uint32_t i = 0; i < t->slice_count; i++) {
        if (!slow_counts(s, i))
            continue;
        int64_t start = clip(s->sel, t->start_ns[i]), end = clip(s->sel, trace_end_ns(t, i));
        first = start < first ? start : first;
        last = end > last ? end : last;
    }
    SAME(row->span_ns, last - first);
    SAME(row->busy_ns, count_flags(on, t->last_end_ns));
    SAME(row->idle_ns, row->span_ns - row->busy_ns);
    SAME(row->gap_count, n);
    SAME(row->largest_count, top && top < n ? top : n);
    qsort(gaps, n, sizeof *gaps, longest_first);
    for (size_t i = 0; i < row->largest_count; i++) {
        const struct gap *gap = &row->largest[i];
        SAME(gap->start_ns, gaps[i].start_ns);
        SAME(gap->dur_ns, gaps[i].dur_ns);
        ck_assert(slow_counts(s, gap->before) && slow_counts(s, gap->after));
        SAME(clip(s->sel, trace_end_ns(t, gap->before)), gap->start_ns);
        SAME(clip(s->sel, t->start_ns[gap->after]), gap->start_ns + gap->dur_ns);
    }
    for (uint32_t c = 0; c < t->category_count; c++) {
        bool *part = slow_flags(s, c);
        SAME(row->busy_by_category_ns[c], count_flags(part, t->last_end_ns));
        free(part);
    }
    free(gaps);
    free(on);
}

static struct random_shape random_shape(struct random *r)
{
    return (struct random_shape){
        .slices = 1 + (unsigned)random_below(r, 80),
        .files = 1 + (unsigned)random_below(r, 2),
        .hosts = 1,
        .devices = 1 + (unsigned)random_below(r, 2),
        .streams = 1 + (unsigned)random_below(r, 3),
        .span_ns = random_between(r, 5, 800),
        .longest_ns = random_between(r, 1, 30),
        .names = 5,
    };
}

START_TEST(test_rows)
{
    struct random r = random_seed((uint64_t)_i + 100);
    struct random_shape shape = random_shape(&r);
    struct trace *t = random_trace(&r, &shape);
    struct index *ix = index_build(t, 1);
    struct error err = {0};
    for (unsigned round = 0; round < 8; round++) {
        struct selection sel;
        selection_init(&sel);
        if (random_chance(&r, 50))
            sel.from_ns = random_between(&r, 0, t->last_end_ns);
        if (random_chance(&r, 50))
            sel.to_ns = random_between(&r, sel.from_ns > 0 ? sel.from_ns : 0, t->last_end_ns);
        if (random_chance(&r, 30))
            selection_categories(&sel, t, "kernel,gpu_user_annotation");
        if (random_chance(&r, 20))
            ck_assert(selection_match(&sel, t, "[123]$", &err));
        bool by_track = random_chance(&r, 50);
        size_t top = random_below(&r, 5);
        struct gaps *g = gaps_find(t, ix, &sel, by_track, top);
        for (uint32_t i = 0; i < g->row_count; i++) {
            struct slow s = {t, &sel, g->rows[i].process, g->rows[i].track};
            ck_assert(by_track == (g->rows[i].track != TRACE_NONE));
            check_row(&s, &g->rows[i], top);
        }
        /* Every process or track with anything that counts has its row. */
        uint32_t expected = 0;
        for (uint32_t k = 0; k < (by_track ? t->track_count : t->process_count); k++) {
            struct slow s = {t, &sel, by_track ? t->tracks[k].process : k,
                             by_track ? k : TRACE_NONE};
            bool any = false;
            for (uint32_t i = 0; i < t->slice_count && !any; i++)
                any = slow_counts(&s, i);
            expected += any;
        }
        ck_assert_uint_eq(g->row_count, expected);
        gaps_free(g);
        selection_free(&sel);
    }
    index_free(ix);
    trace_free(t);
}
END_TEST

/* The next and previous gap from every time and for every length are those that
 * gaps_find() lists, sides included. */
static void check_walks(const struct trace *t, const struct index *ix, const struct gap_row *row)
{
    for (int64_t at = -2; at < t->last_end_ns + 2; at++) {
        for (int64_t least = 0; least < 12; least += 3) {
            const struct gap *next = NULL, *previous = NULL;
            struct gap found;
            for (size_t i = 0; i < row->largest_count; i++) {
                const struct gap *gap = &row->largest[i];
                if (gap->dur_ns < least)
                    continue;
                if (gap->start_ns > at && (!next || gap->start_ns < next->start_ns))
                    next = gap;
                if (gap->start_ns + gap->dur_ns < at &&
                    (!previous || gap->start_ns > previous->start_ns))
                    previous = gap;
            }
            SAME(gap_next(t, ix, row->process, row->track, at, least, &found), next != NULL);
            if (next) {
                SAME(found.start_ns, next->start_ns);
                SAME(found.dur_ns, next->dur_ns);
                SAME(found.before, next->before);
                SAME(found.after, next->after);
            }
            SAME(gap_previous(t, ix, row->process, row->track, at, least, &found),
                 previous != NULL);
            if (previous) {
                SAME(found.start_ns, previous->start_ns);
                SAME(found.dur_ns, previous->dur_ns);
                SAME(found.before, previous->before);
                SAME(found.after, previous->after);
            }
        }
    }
}

START_TEST(test_walks)
{
    struct random r = random_seed((uint64_t)_i + 200);
    struct random_shape shape = random_shape(&r);
    struct trace *t = random_trace(&r, &shape);
    struct index *ix = index_build(t, 1);
    struct selection sel;
    selection_init(&sel);
    for (int by_track = 0; by_track < 2; by_track++) {
        struct gaps *g = gaps_find(t, ix, &sel, by_track, 0);
        for (uint32_t i = 0; i < g->row_count; i++)
            check_walks(t, ix, &g->rows[i]);
        gaps_free(g);
    }
    index_free(ix);
    trace_free(t);
}
END_TEST

/* Gaps that are far apart, at both ends of time. */
START_TEST(test_far_gaps)
{
    struct made *m = made_new();
    made_process(m, 0, "0");
    uint32_t track = made_track(m, "7", TRACK_DEVICE);
    made_slice(m, track, "kernel", "a", INT64_MIN + 1, 5, 0);
    made_slice(m, track, "kernel", "b", -100, 50, 0);
    made_slice(m, track, "kernel", "c", INT64_MAX - 5, 5, 0);
    struct trace *t = made_trace(m);
    struct index *ix = index_build(t, 1);
    struct selection sel;
    struct gap gap;
    selection_init(&sel);
    struct gaps *g = gaps_find(t, ix, &sel, false, 0);
    ck_assert_uint_eq(g->rows[0].gap_count, 2);
    ck_assert_int_eq(g->rows[0].busy_ns, 60);
    ck_assert_int_eq(g->rows[0].span_ns, INT64_MAX); /* held there */
    gaps_free(g);
    ck_assert(gap_next(t, ix, 0, TRACE_NONE, INT64_MIN + 1, 1, &gap));
    ck_assert_int_eq(gap.start_ns, INT64_MIN + 6);
    ck_assert(gap_next(t, ix, 0, TRACE_NONE, gap.start_ns, 1, &gap) == false ||
              gap.start_ns == -50);
    ck_assert(gap_next(t, ix, 0, TRACE_NONE, -60, 1, &gap));
    ck_assert_int_eq(gap.start_ns, -50);
    ck_assert(!gap_next(t, ix, 0, TRACE_NONE, INT64_MAX, 0, &gap));
    ck_assert(gap_previous(t, ix, 0, TRACE_NONE, INT64_MAX, 0, &gap));
    ck_assert_int_eq(gap.start_ns, -50);
    ck_assert(gap_previous(t, ix, 0, TRACE_NONE, -99, 0, &gap));
    ck_assert_int_eq(gap.start_ns, INT64_MIN + 6);
    ck_assert(!gap_previous(t, ix, 0, TRACE_NONE, INT64_MIN, 0, &gap));
    index_free(ix);
    trace_free(t);
}
END_TEST

/* Nothing to find: no device at all, and one with a single slice of no length. */
START_TEST(test_no_gaps)
{
    struct made *m = made_new();
    made_process(m, 0, "1");
    made_slice(m, made_track(m, "1", TRACK_HOST), "cpu_op", "op", 0, 5, 0);
    made_process(m, 0, "0");
    made_slice(m, made_track(m, "0", TRACK_DEVICE), "kernel", "k", 3, 0, 0);
    struct trace *t = made_trace(m);
    struct index *ix = index_build(t, 1);
    struct selection sel;
    struct gap gap;
    selection_init(&sel);
    struct gaps *g = gaps_find(t, ix, &sel, false, 10);
    ck_assert_uint_eq(g->row_count, 1);
    ck_assert_int_eq(g->rows[0].span_ns, 0);
    ck_assert_int_eq(g->rows[0].busy_ns, 0);
    ck_assert_uint_eq(g->rows[0].gap_count, 0);
    gaps_free(g);
    gaps_free(NULL);
    for (uint32_t process = 0; process < 2; process++) {
        ck_assert(!gap_next(t, ix, process, TRACE_NONE, INT64_MIN, 0, &gap));
        ck_assert(!gap_previous(t, ix, process, TRACE_NONE, INT64_MAX, 0, &gap));
    }
    index_free(ix);
    trace_free(t);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("query_gaps");
    TCase *tc = tcase_create("gaps");
    tcase_set_timeout(tc, 0);
    tcase_add_loop_test(tc, test_unions, 0, 40);
    tcase_add_test(tc, test_far_unions);
    tcase_add_loop_test(tc, test_rows, 0, 60);
    tcase_add_loop_test(tc, test_walks, 0, 40);
    tcase_add_test(tc, test_far_gaps);
    tcase_add_test(tc, test_no_gaps);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
