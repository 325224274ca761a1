/*
 * Cells: text in the grid, bars, the time axis.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/memory.h"
#include "base/text.h"
#include "draw/axis.h"
#include "draw/bars.h"
#include "draw/grid.h"
#include "draw/scale.h"
#include "trace_builder.h"

static const struct style plain = {STYLE_NORMAL, 0, 0};

static void assert_grid(const struct grid *g, const char *expected)
{
    struct text text = {0};
    grid_to_text(g, &text);
    ck_assert_str_eq(text.data, expected);
    text_free(&text);
}

START_TEST(test_clipping)
{
    struct grid g = {0};
    grid_resize(&g, 8, 3);
    ck_assert_int_eq(grid_text(&g, 5, 0, 20, "clipped", 7, plain), 7);
    ck_assert_int_eq(grid_text(&g, 0, 1, 3, "clipped", 7, plain), 3);
    ck_assert_int_eq(grid_text(&g, 0, 2, 0, "none", 4, plain), 0);
    ck_assert_int_eq(grid_text(&g, 0, 2, -5, "none", 4, plain), 0);
    grid_text(&g, -3, 2, 8, "abcdef", 6, plain); /* its end is on the screen */
    grid_text(&g, 0, -1, 8, "above", 5, plain);
    grid_text(&g, 0, 3, 8, "below", 5, plain);
    grid_put(&g, 8, 0, 'x', plain);
    grid_put(&g, -1, 0, 'x', plain);
    grid_fill(&g, 6, 2, 50, plain);
    assert_grid(&g, "     cli\ncli\ndef\n");
    grid_free(&g);
}
END_TEST

START_TEST(test_wide)
{
    static const char text[] = "\xe4\xb8\xad\xe6\x96\x87\xe5\xad\x97"; /* three wide ones */
    struct grid g = {0};
    grid_resize(&g, 6, 6);
    ck_assert_int_eq(grid_text(&g, 0, 0, 6, text, 9, plain), 6);
    ck_assert_int_eq(grid_text(&g, 0, 1, 3, text, 9, plain), 3); /* half of one does not fit */
    grid_text(&g, 0, 2, 6, text, 9, plain);
    grid_put(&g, 3, 2, 'x', plain); /* on the right half of the second */
    grid_text(&g, 0, 3, 6, text, 9, plain);
    grid_put(&g, 2, 3, 'x', plain);    /* on its left half */
    grid_put(&g, 5, 4, 0x4e2d, plain); /* no room for its right half */
    grid_text(&g, 0, 5, 6, "e\xcc\x81o\xe2\x80\x8b!", 8, plain);
    assert_grid(&g, "\xe4\xb8\xad\xe6\x96\x87\xe5\xad\x97\n\xe4\xb8\xad\n"
                    "\xe4\xb8\xad x\xe5\xad\x97\n\xe4\xb8\xadx \xe5\xad\x97\n\neo\xef\xbf\xbd!\n");
    grid_free(&g);
}
END_TEST

START_TEST(test_control)
{
    struct grid g = {0};
    grid_resize(&g, 20, 3);
    grid_text(&g, 0, 0, 20, "\x1b[31m\x07\n\x7f", 8, plain);
    grid_text(&g, 0, 1, 20, "a\xff\xc2\x9b\xe2\x80\xae z", 9, plain);
    grid_put(&g, 0, 2, 0x1b, plain);
    for (int i = 0; i < g.cols * g.rows; i++)
        ck_assert_uint_ge(g.cells[i].code, 0x20);
    assert_grid(&g, "\xe2\x90\x9b[31m\xe2\x90\x87\xe2\x90\x8a\xe2\x90\xa1\n"
                    "a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd z\n\xe2\x90\x9b\n");
    g.ascii = true;
    grid_clear(&g);
    grid_text(&g, 0, 0, 20, "xxxxxxxxxx", 10, plain);
    ck_assert_int_eq(grid_text(&g, 0, 0, 20, "\x1b[31m\xe4\xb8\xad.", 9, plain), 8);
    assert_grid(&g, "?[31m? .xx\n\n\n");
    grid_free(&g);
}
END_TEST

START_TEST(test_middle)
{
    struct grid g = {0};
    static const struct {
        int width;
        const char *text, *shown;
    } cases[] = {
        {15, "abcdefghijklmno", "abcdefghijklmno\n"},
        {9, "abcdefghijklmno", "abcd\xe2\x80\xa6lmno\n"},
        {8, "abcdefghijklmno", "abcd\xe2\x80\xa6mno\n"},
        {5, "abcdefghijklmno", "abcde\n"},
        {1, "abc", "a\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        grid_resize(&g, 20, 1);
        int used =
            grid_text_middle(&g, 0, 0, cases[i].width, cases[i].text, strlen(cases[i].text), plain);
        ck_assert_int_eq(used, cases[i].width);
        assert_grid(&g, cases[i].shown);
    }
    /* A cut through a wide character leaves a blank, never half of one. */
    grid_resize(&g, 20, 1);
    grid_text_middle(&g, 0, 0, 8,
                     "a\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad"
                     "b",
                     17, plain);
    assert_grid(&g, "a\xe4\xb8\xad \xe2\x80\xa6\xe4\xb8\xad"
                    "b\n");
    /* Megabytes are no problem. */
    char *long_name = xmalloc(1 << 22);
    memset(long_name, 'n', 1 << 22);
    for (int i = 0; i < 200; i++)
        ck_assert_int_eq(grid_text_middle(&g, 0, 0, 20, long_name, 1 << 22, plain), 20);
    free(long_name);
    grid_free(&g);
}
END_TEST

/* ------------------------------------------------------------------------ */

/* True if a slice of the lane touches [from, to). */
static bool touched(const struct trace *t, const struct index *ix, uint32_t track, uint32_t lane,
                    int64_t from, int64_t to)
{
    const struct track *tr = &t->tracks[track];
    for (uint32_t i = tr->first; i < tr->first + tr->count; i++)
        if (index_lane(ix, i) == lane && index_in_window(t, i, from, to))
            return true;
    return false;
}

/* Nothing is invisible, nothing is shown where nothing is. */
START_TEST(test_bars)
{
    struct random r = random_seed((uint64_t)_i + 1);
    struct random_shape shape = {.slices = 150,
                                 .files = 1,
                                 .hosts = 2,
                                 .devices = 1,
                                 .streams = 2,
                                 .span_ns = 3000,
                                 .longest_ns = 20 << random_below(&r, 7),
                                 .names = 5,
                                 .crossing = true};
    struct trace *t = random_trace(&r, &shape);
    struct index *ix = index_build(t, 1);
    struct grid g = {0};
    for (int turn = 0; turn < 40; turn++) {
        int cols = 1 + (int)random_below(&r, 120);
        int64_t from = random_between(&r, -50, 3000), span = cols + random_between(&r, 0, 4000);
        struct scale s = {from, from + span, 3, cols};
        uint32_t selected = (uint32_t)random_below(&r, t->slice_count);
        struct bar_look look = {.selected = selected};
        grid_resize(&g, cols + 5, 1);
        g.ascii = random_chance(&r, 50);
        for (uint32_t k = 0; k < t->track_count; k++) {
            for (uint32_t lane = 0; lane < index_lanes(ix, k); lane++) {
                grid_clear(&g);
                bars_draw(&g, 0, &s, t, ix, k, lane, &look);
                bool shown = false;
                for (int x = 0; x < g.cols; x++) {
                    bool bar = g.cells[x].role == STYLE_BAR;
                    shown |= (g.cells[x].flags & CELL_SELECTED) != 0;
                    bool want =
                        x >= 3 && x < 3 + cols &&
                        touched(t, ix, k, lane, scale_time(&s, x - 3), scale_time(&s, x - 2));
                    if (bar != want)
                        ck_abort_msg("column %d: %d, not %d", x, bar, want);
                }
                if (trace_track_of(t, selected) == k && index_lane(ix, selected) == lane &&
                    index_in_window(t, selected, s.from_ns, s.to_ns))
                    ck_assert(shown);
            }
        }
    }
    grid_free(&g);
    index_free(ix);
    trace_free(t);
}
END_TEST

START_TEST(test_bar_shapes)
{
    struct made *m = made_new();
    made_process(m, 0, "0");
    uint32_t track = made_track(m, "7", TRACK_DEVICE);
    made_slice(m, track, "kernel", "spyre_kernel_v1_fused_softmax_abcdefghijklmnop#3", 0, 190, 0);
    made_slice(m, track, "kernel", "spyre_kernel_v1_fused_mm_abcdefghijklmnop#3", 195, 60, 0);
    made_slice(m, track, "kernel", "short", 300, 1, 0);
    for (int i = 0; i < 6; i++)
        made_slice(m, track, "kernel", "tiny", 320 + 3 * i, i < 3 ? 3 : 1, 0);
    made_slice(m, track, "kernel", "instant", 399, 0, 0);
    struct trace *t = made_trace(m);
    struct index *ix = index_build(t, 1);
    struct grid g = {0};
    struct scale s = {0, 400, 0, 40};
    struct bar_look look = {.selected = TRACE_NONE};
    grid_resize(&g, 40, 2);
    bars_draw(&g, 0, &s, t, ix, track, 0, &look);
    g.ascii = true;
    bars_draw(&g, 1, &s, t, ix, track, 0, &look);
    g.ascii = false;
#define FULL "\xe2\x96\x88"
    assert_grid(&g, "fused_softmax" FULL FULL FULL FULL FULL FULL "\xe2\x96\x90"
                    "mm" FULL FULL FULL "\xe2\x96\x8c    \xe2\x96\x8f " FULL "\xe2\x96\x91     "
                    "\xe2\x96\x8f\n"
                    "fused_softmax#######mm####    | #|     |\n");
    grid_free(&g);
    index_free(ix);
    trace_free(t);
}
END_TEST

/* ------------------------------------------------------------------------ */

START_TEST(test_scale)
{
    struct random r = random_seed(3);
    for (int i = 0; i < 20000; i++) {
        int64_t from = (int64_t)random_next(&r) >> random_below(&r, 60);
        int64_t span = 1 + ((int64_t)(random_next(&r) >> 1) >> random_below(&r, 60));
        struct scale s = {from, from > INT64_MAX - span ? INT64_MAX : from + span, 0,
                          1 + (int)random_below(&r, 300)};
        if (s.to_ns <= s.from_ns)
            continue;
        int column = (int)random_below(&r, (uint64_t)s.cols);
        int64_t at = scale_time(&s, column);
        if (at < s.to_ns && scale_time(&s, column + 1) > at)
            SAME(scale_column(&s, at), column);
        SAME(scale_time(&s, 0), s.from_ns);
        SAME(scale_time(&s, s.cols), s.to_ns);
        int64_t step = axis_step_ns(&s, 10);
        while (step % 10 == 0)
            step /= 10;
        ck_assert(step == 1 || step == 2 || step == 5);
    }
}
END_TEST

/* Every label stands at its own time, exactly, and apart from the next. */
static int check_axis(const struct grid *g, const struct scale *s, int64_t zero)
{
    struct text text = {0};
    char number[80];
    int labels = 0;
    grid_to_text(g, &text);
    text.data[strcspn(text.data, "\n")] = '\0';
    const char *unit = strrchr(text.data, ' ');
    ck_assert_ptr_nonnull(unit);
    for (const char *p = text.data; (p = strchr(p, '|')) != NULL; p++) {
        size_t len = strcspn(p + 1, " |");
        int64_t ns;
        ck_assert_int_eq(p[1 + len], ' ');
        int bytes = snprintf(number, sizeof number, "%.*s%s", (int)len, p + 1, unit + 1);
        ck_assert_msg(duration_parse(number, (size_t)bytes, &ns), "%s", number);
        ck_assert_msg(scale_column(s, ns_add(ns, zero)) == p - text.data - s->x0, "%s in %s",
                      number, text.data);
        labels++;
    }
    text_free(&text);
    return labels;
}

START_TEST(test_axis)
{
    struct random r = random_seed(4);
    struct grid g = {0};
    for (int i = 0; i < 3000; i++) {
        int cols = 40 + (int)random_below(&r, 200);
        int64_t span = cols + ((int64_t)(random_next(&r) >> 1) >> random_between(&r, 3, 60));
        int64_t from = (int64_t)(random_next(&r) >> 2) >> random_below(&r, 60);
        int64_t zero = random_chance(&r, 30) ? from : 0;
        struct scale s = {from, from + span, 5, cols};
        grid_resize(&g, cols + 5, 1);
        g.ascii = true;
        axis_draw(&g, 0, &s, zero, plain);
        int labels = check_axis(&g, &s, zero);
        if (cols >= 80)
            ck_assert_int_ge(labels, 1);
    }
    grid_free(&g);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("grid");
    TCase *tc = tcase_create("grid");
    tcase_set_timeout(tc, 0);
    tcase_add_test(tc, test_clipping);
    tcase_add_test(tc, test_wide);
    tcase_add_test(tc, test_control);
    tcase_add_test(tc, test_middle);
    tcase_add_loop_test(tc, test_bars, 0, 20);
    tcase_add_test(tc, test_bar_shapes);
    tcase_add_test(tc, test_scale);
    tcase_add_test(tc, test_axis);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
