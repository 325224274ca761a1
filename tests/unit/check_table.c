/*
 * The tables of the lower pane: their rows against the queries, cursor and order, every
 * width, new questions while the old one is worked on, and what hostile traces may do.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "query/slices.h"
#include "test_support.h"
#include "trace/load.h"
#include "view/table_model.h"

struct fixture {
    struct trace *t;
    struct index *ix;
    struct launches *launches;
    struct iterations *iterations;
    struct table_context context; /* the whole trace, no slice */
};

static struct fixture open_text(struct text *json)
{
    struct fixture f = {0};
    struct error err = {0};
    f.t = trace_from_text(json->data, json->len, &err);
    ck_assert_msg(f.t != NULL, "%s", err.message);
    text_free(json);
    f.ix = index_build(f.t, 1);
    f.launches = launches_build(f.t, f.ix);
    f.iterations = iterations_find(f.t, f.ix, f.launches, NULL, &err);
    ck_assert_ptr_nonnull(f.iterations);
    f.context = (struct table_context){.t = f.t,
                                       .ix = f.ix,
                                       .iterations = f.iterations,
                                       .launches = f.launches,
                                       .from_ns = INT64_MIN,
                                       .to_ns = INT64_MAX,
                                       .family = TRACE_NONE,
                                       .slice = TRACE_NONE};
    return f;
}

static void close_fixture(struct fixture *f)
{
    iterations_free(f->iterations);
    launches_free(f->launches);
    index_free(f->ix);
    trace_free(f->t);
}

/* Slices on two devices and a host, overlapping, nested, without length. */
static struct fixture random_fixture(struct random *r, int slices)
{
    static const char *const cats[] = {"kernel", "gpu_memcpy", "cpu_op", "cuda_runtime",
                                       "user_annotation"};
    struct text text = {0};
    text_putc(&text, '[');
    for (int i = 0; i < slices; i++) {
        int cat = (int)random_below(r, 5);
        text_printf(&text, "%s{\"ph\":\"X\",\"cat\":\"%s\",\"pid\":%d,\"tid\":%d,", i ? "," : "",
                    cats[cat], cat < 2 ? (int)random_below(r, 2) : 100, (int)random_below(r, 3));
        if (cat == 4)
            text_printf(&text, "\"name\":\"ProfilerStep#%d\",", (int)random_below(r, 9));
        else
            text_printf(&text, "\"name\":\"n%d_%d\",", (int)random_below(r, 4),
                        (int)random_below(r, 4));
        text_printf(&text, "\"ts\":%d,\"dur\":%d,\"args\":{\"correlation\":%d}}",
                    (int)random_below(r, 1000), random_chance(r, 10) ? 0 : (int)random_below(r, 60),
                    (int)random_below(r, 12));
    }
    text_putc(&text, ']');
    return open_text(&text);
}

/* Any window, filter, hidden categories and grouping; release with free_context(). */
static struct table_context random_context(const struct fixture *f, struct random *r)
{
    struct table_context c = f->context;
    if (random_chance(r, 70)) {
        c.from_ns = random_between(r, -1000, 1000000);
        c.to_ns = c.from_ns + random_between(r, 1, 500000);
    }
    if (random_chance(r, 30)) {
        bool *names = xcalloc(intern_count(f->t->names) + 1, 1);
        for (uint32_t i = 0; i < intern_count(f->t->names); i++)
            names[i] = random_chance(r, 70);
        c.names = names;
    }
    if (random_chance(r, 30)) {
        bool *off = xcalloc(f->t->category_count + 1, 1);
        for (uint32_t i = 0; i < f->t->category_count; i++)
            off[i] = random_chance(r, 20);
        c.categories_off = off;
    }
    bool *matches = xcalloc(intern_count(f->t->names) + 1, 1);
    for (uint32_t i = 0; i < intern_count(f->t->names); i++)
        matches[i] = random_chance(r, 40);
    c.matches = matches;
    c.by = (enum summary_by)random_below(r, 3);
    return c;
}

static void free_context(struct table_context *c)
{
    free((void *)c->names);
    free((void *)c->categories_off);
    free((void *)c->matches);
}

static void finish(struct table *table)
{
    while (table_work(table))
        ck_assert(table_pending(table));
    ck_assert(!table_pending(table));
}

static struct table *answered(enum table_kind kind, const struct table_context *c)
{
    struct table *table = table_new(kind);
    table_update(table, c);
    ck_assert(table_pending(table) || kind == TABLE_EVENT);
    finish(table);
    return table;
}

static int64_t value(const struct table *table, uint32_t row, const char *title)
{
    for (int c = 0; c < table->model->column_count; c++)
        if (strcmp(table->model->columns[c].title, title) == 0)
            return table->model->value(table, row, c);
    ck_abort_msg("no column %s", title);
}

static char *cell(struct table *table, uint32_t row, const char *title)
{
    struct text text = {0};
    int flags = 0;
    text_puts(&text, "");
    for (int c = 0; c < table->model->column_count; c++)
        if (strcmp(table->model->columns[c].title, title) == 0)
            table->model->cell(table, row, c, &text, &flags);
    return text.data ? text.data : xstrdup("");
}

/* ------------------------------------------------------------------------ */
/* Rows against queries */

static struct selection selection_of(const struct table_context *c, enum category_class class)
{
    struct selection sel;
    selection_init(&sel);
    sel.from_ns = c->from_ns;
    sel.to_ns = c->to_ns;
    sel.categories = xcalloc(c->t->category_count + 1, sizeof *sel.categories);
    for (uint32_t i = 0; i < c->t->category_count; i++)
        sel.categories[i] =
            c->t->categories[i].class == class && !(c->categories_off && c->categories_off[i]);
    if (c->names) {
        sel.names = xcalloc(intern_count(c->t->names) + 1, 1);
        memcpy(sel.names, c->names, intern_count(c->t->names));
    }
    return sel;
}

static void compare_summary(struct table *table, const struct summary *s)
{
    ck_assert_uint_eq(table_rows(table), s->row_count);
    for (uint32_t i = 0; i < s->row_count; i++) {
        const struct summary_row *row = &s->rows[i];
        char *name = cell(table, i, table->model->columns[0].title);
        ck_assert_str_eq(name, *row->text ? row->text : "(no name)");
        free(name);
        ck_assert_int_eq(value(table, i, "count"), row->count);
        ck_assert_int_eq(value(table, i, "total"), row->total_ns);
        ck_assert_int_eq(value(table, i, "self"), row->self_ns);
        ck_assert_int_eq(value(table, i, "mean"), (row->mean_ps + 500) / 1000);
        ck_assert_int_eq(value(table, i, "p50"), row->p50_ns);
        ck_assert_int_eq(value(table, i, "p95"), row->p95_ns);
        ck_assert_int_eq(value(table, i, "p99"), row->p99_ns);
        ck_assert_int_eq(value(table, i, "min"), row->min_ns);
        ck_assert_int_eq(value(table, i, "max"), row->max_ns);
        ck_assert_int_eq(value(table, i, "in window"), row->window_ns);
        char *share = cell(table, i, "share"), expected[32];
        snprintf(expected, sizeof expected, "%.1f %%", row->share * 100);
        ck_assert_str_eq(share, expected);
        free(share);
    }
}

START_TEST(test_summary_rows)
{
    struct random r = random_seed((uint64_t)_i + 1);
    struct fixture f = random_fixture(&r, 1 + (int)random_below(&r, 300));
    for (int round = 0; round < 30; round++) {
        bool ops = random_chance(&r, 50);
        struct table_context c = random_context(&f, &r);
        struct selection sel = selection_of(&c, ops ? CATEGORY_CPU_OP : CATEGORY_KERNEL);
        struct summary *s = summary_compute(f.t, f.ix, &sel, c.by);
        struct table *table = answered(ops ? TABLE_OPS : TABLE_KERNELS, &c);
        ck_assert_str_eq(table_sort_name(table), "total");
        compare_summary(table, s);
        static const struct {
            const char *title;
            enum summary_sort sort;
        } orders[] = {{"count", SORT_COUNT},      {"total", SORT_TOTAL}, {"share", SORT_WINDOW},
                      {"self", SORT_SELF},        {"mean", SORT_MEAN},   {"p50", SORT_P50},
                      {"p95", SORT_P95},          {"max", SORT_MAX},     {"min", SORT_MIN},
                      {"in window", SORT_WINDOW}, {"p99", SORT_P99},     {"kernel", SORT_NAME},
                      {"operator", SORT_NAME}};
        for (int turn = 0; turn < 14; turn++) {
            table_sort_next(table);
            size_t k = 0;
            while (strcmp(orders[k].title, table_sort_name(table)) != 0)
                k++;
            summary_order(s, orders[k].sort, false);
            compare_summary(table, s);
            table_sort_reverse(table);
            summary_order(s, orders[k].sort, true);
            compare_summary(table, s);
        }
        table_free(table);
        summary_free(s);
        selection_free(&sel);
        free_context(&c);
    }
    close_fixture(&f);
}
END_TEST

/* Every gap of every device that gaps_find() knows. */
START_TEST(test_gap_rows)
{
    struct random r = random_seed((uint64_t)_i + 100);
    struct fixture f = random_fixture(&r, 1 + (int)random_below(&r, 120));
    for (int round = 0; round < 60; round++) {
        struct table_context c = random_context(&f, &r);
        struct selection sel;
        selection_init(&sel);
        sel.from_ns = c.from_ns;
        sel.to_ns = c.to_ns;
        struct gaps *gaps = gaps_find(f.t, f.ix, &sel, false, 0);
        struct table *table = answered(TABLE_GAPS, &c);
        uint32_t total = 0;
        for (uint32_t i = 0; i < gaps->row_count; i++) {
            for (size_t k = 0; k < gaps->rows[i].largest_count; k++, total++) {
                const struct gap *gap = &gaps->rows[i].largest[k];
                uint32_t row = 0;
                for (; row < table_rows(table); row++) {
                    table_move_to(table, row);
                    struct table_target target = table_enter(table);
                    ck_assert(target.has_place);
                    if (target.from_ns == gap->start_ns && target.slice == gap->after)
                        break;
                }
                ck_assert_uint_lt(row, table_rows(table));
                ck_assert_int_eq(value(table, row, "start"), gap->start_ns);
                ck_assert_int_eq(value(table, row, "idle"), gap->dur_ns);
                char *before = cell(table, row, "before");
                ck_assert_str_eq(before, trace_name(f.t, gap->before, NULL));
                free(before);
                char *iteration = cell(table, row, "iteration");
                uint32_t at = iterations_at(f.iterations, TRACE_NONE, gap->start_ns);
                ck_assert_str_eq(
                    iteration,
                    at == TRACE_NONE ? "" : trace_name(f.t, f.iterations->items[at].slice, NULL));
                free(iteration);
            }
        }
        ck_assert_uint_eq(total, table_rows(table));
        for (uint32_t i = 1; i < total; i++)
            ck_assert_int_ge(value(table, i - 1, "idle"), value(table, i, "idle"));
        table_sort_next(table);
        ck_assert_str_eq(table_sort_name(table), "start");
        for (uint32_t i = 1; i < total; i++)
            ck_assert_int_le(value(table, i - 1, "start"), value(table, i, "start"));
        table_sort_reverse(table);
        for (uint32_t i = 1; i < total; i++)
            ck_assert_int_ge(value(table, i - 1, "start"), value(table, i, "start"));
        table_free(table);
        gaps_free(gaps);
        free_context(&c);
    }
    close_fixture(&f);
}
END_TEST

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* The slices of a table of matches, by index. */
static uint32_t *match_slices(struct table *table)
{
    uint32_t *slices = xcalloc(table_rows(table) + 1, sizeof *slices);
    for (uint32_t i = 0; i < table_rows(table); i++) {
        table_move_to(table, i);
        slices[i] = table_enter(table).slice;
    }
    array_sort(slices, table_rows(table), sizeof *slices, by_number);
    return slices;
}

START_TEST(test_match_rows)
{
    struct random r = random_seed((uint64_t)_i + 200);
    struct fixture f = random_fixture(&r, 1 + (int)random_below(&r, 200));
    for (int round = 0; round < 60; round++) {
        struct table_context c = random_context(&f, &r);
        struct selection sel;
        selection_init(&sel);
        sel.from_ns = c.from_ns;
        sel.to_ns = c.to_ns;
        sel.names = xcalloc(intern_count(f.t->names) + 1, 1);
        for (uint32_t i = 0; i < intern_count(f.t->names); i++)
            sel.names[i] = c.matches[i] && !(c.names && !c.names[i]);
        sel.categories = xcalloc(f.t->category_count + 1, 1);
        for (uint32_t i = 0; i < f.t->category_count; i++)
            sel.categories[i] = !(c.categories_off && c.categories_off[i]);
        uint32_t *expected, count = slices_list(f.t, f.ix, &sel, SLICES_BY_START, 0, &expected);
        array_sort(expected, count, sizeof *expected, by_number);
        struct table *table = answered(TABLE_MATCHES, &c);
        ck_assert_uint_eq(table_rows(table), count);
        for (uint32_t i = 1; i < count; i++)
            ck_assert_int_le(value(table, i - 1, "start"), value(table, i, "start"));
        uint32_t *slices = match_slices(table);
        for (uint32_t i = 0; i < count; i++)
            ck_assert_uint_eq(slices[i], expected[i]);
        table_sort_next(table);
        for (uint32_t i = 1; i < count; i++)
            ck_assert_int_ge(value(table, i - 1, "duration"), value(table, i, "duration"));
        free(slices);
        free(expected);
        table_free(table);
        selection_free(&sel);
        free_context(&c);
    }
    close_fixture(&f);
}
END_TEST

/* More matches than are kept: those that come first in any order, and a row that
 * tells the rest. */
START_TEST(test_many_matches)
{
    enum { MANY = 90000, KEPT = 20000 };
    struct text text = {0};
    text_putc(&text, '[');
    for (int i = 0; i < MANY; i++) /* the later on a track, the shorter */
        text_printf(&text,
                    "%s{\"ph\":\"X\",\"name\":\"m\",\"pid\":1,\"tid\":%d,\"ts\":%d,\"dur\":%d}",
                    i ? "," : "", i % 3, i * 100, (MANY - i) % 97);
    text_putc(&text, ']');
    struct fixture f = open_text(&text);
    struct table_context c = f.context;
    bool *all = xmalloc(intern_count(f.t->names) + 1);
    memset(all, 1, intern_count(f.t->names));
    c.matches = all;
    struct table *table = answered(TABLE_MATCHES, &c);
    ck_assert_uint_eq(table_rows(table), KEPT + 1);
    for (uint32_t i = 0; i < KEPT; i++)
        ck_assert_int_eq(value(table, i, "start"), (int64_t)i * 100000);
    char *rest = cell(table, KEPT, "match");
    ck_assert_str_eq(rest, "\xe2\x80\xa6 and 70000 more");
    free(rest);
    table_move(table, INT64_MAX);
    ck_assert_uint_eq(table_cursor(table), KEPT);
    ck_assert_uint_eq(table_enter(table).slice, TRACE_NONE);
    table_sort_reverse(table);
    finish(table);
    ck_assert_int_eq(value(table, 0, "start"), (int64_t)(MANY - 1) * 100000);
    table_sort_next(table);
    finish(table);
    for (uint32_t i = 0; i < KEPT; i++)
        ck_assert_int_ge(value(table, i, "duration"), 75000);
    table_free(table);
    free(all);
    close_fixture(&f);
}
END_TEST

START_TEST(test_iteration_rows)
{
    struct text text = {0};
    text_putc(&text, '[');
    for (int i = 0; i < 20; i++) {
        text_printf(&text,
                    "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#%d\","
                    "\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d},",
                    i, i * 1000, i == 7 ? 900 : 100 + i % 3);
        for (int k = 0; k < i % 4; k++)
            text_printf(&text,
                        "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":0,"
                        "\"ts\":%d,\"dur\":10},",
                        i * 1000 + k * 20);
    }
    text_puts(&text, "]");
    struct fixture f = open_text(&text);
    struct table *table = answered(TABLE_ITERATIONS, &f.context);
    const struct iterations *list = f.iterations;
    ck_assert_uint_eq(list->count, 20);
    ck_assert_uint_eq(table_rows(table), 20);
    for (uint32_t i = 0; i < 20; i++) {
        const struct iteration *it = &list->items[i];
        ck_assert_int_eq(value(table, i, "start"), it->start_ns);
        ck_assert_int_eq(value(table, i, "duration"), it->dur_ns);
        ck_assert_int_eq(value(table, i, "kernels"), it->kernels);
        char *name = cell(table, i, "iteration"), *change = cell(table, i, "to median");
        char *bar = cell(table, i, "");
        char *busy = cell(table, i, "busy"), expected[64];
        snprintf(expected, sizeof expected, "ProfilerStep#%u%s", i, i == 7 ? " !" : "");
        ck_assert_str_eq(name, expected);
        int64_t median = list->families[0].median_dur_ns;
        snprintf(expected, sizeof expected, "%+.1f %%",
                 100 * (double)(it->dur_ns - median) / (double)median);
        ck_assert_str_eq(change, expected);
        ck_assert_str_eq(bar, i == 7 ? "     \xe2\x94\x82\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88"
                                       "\xe2\x96\x88\xe2\x96\x88"
                                     : "     \xe2\x94\x82     ");
        snprintf(expected, sizeof expected, "%.1f %%",
                 100 * (double)it->kernel_busy_ns / (double)it->dur_ns);
        ck_assert_str_eq(busy, expected);
        free(name);
        free(change);
        free(bar);
        free(busy);
    }
    f.context.family = 7; /* there is none */
    table_update(table, &f.context);
    finish(table);
    ck_assert_uint_eq(table_rows(table), 0);
    f.context.family = 0;
    table_update(table, &f.context);
    finish(table);
    ck_assert_uint_eq(table_rows(table), 20);
    while (strcmp(table_sort_name(table), "duration") != 0)
        table_sort_next(table);
    ck_assert_int_eq(value(table, 0, "duration"), 900000);
    ck_assert_uint_eq(table_enter(table).slice, list->items[7].slice);
    table_sort_reverse(table);
    ck_assert_int_eq(value(table, 19, "duration"), 900000);
    table_free(table);
    close_fixture(&f);
}
END_TEST

/* ------------------------------------------------------------------------ */
/* Cursor, order, Enter */

/* Kernels k000 ... in order of length, `each` instances of every one. */
static struct fixture ranked_fixture(int kernels, int each)
{
    struct text text = {0};
    text_putc(&text, '[');
    for (int i = 0; i < kernels; i++)
        for (int k = 0; k < each; k++)
            text_printf(&text,
                        "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k%03d\",\"pid\":0,\"tid\":%d,"
                        "\"ts\":%d,\"dur\":%d},",
                        i, k % 2, (k * kernels + i) * 1000, 500 - i + (k * 7) % each);
    text_puts(&text, "]");
    return open_text(&text);
}

static char *row_name(struct table *table, uint32_t row)
{
    return cell(table, row, table->model->columns[0].title);
}

static void assert_cursor_on(struct table *table, const char *name)
{
    char *now = row_name(table, table_cursor(table));
    ck_assert_str_eq(now, name);
    free(now);
}

START_TEST(test_cursor)
{
    struct fixture f = ranked_fixture(50, 4);
    struct table *table = table_new(TABLE_KERNELS);
    struct grid g = {0};
    uint32_t row;
    grid_resize(&g, 100, 30);
    table_move(table, 5); /* nothing is there yet */
    table_sort_next(table);
    table_sort_reverse(table);
    ck_assert_uint_eq(table_enter(table).slice, TRACE_NONE);
    table_draw(table, &g, 0, 10, 100, 11, true);
    table_free(table);
    table = answered(TABLE_KERNELS, &f.context);
    ck_assert_uint_eq(table_rows(table), 50);
    table_draw(table, &g, 0, 10, 100, 11, true);
    ck_assert(!table_row_at(table, 10, &row)); /* the head */
    ck_assert(table_row_at(table, 11, &row) && row == 0);
    ck_assert(table_row_at(table, 20, &row) && row == 9);
    ck_assert(!table_row_at(table, 21, &row));
    table_move(table, 25);
    table_draw(table, &g, 0, 10, 100, 11, true);
    ck_assert(table_row_at(table, 20, &row) && row == 25);
    table_move(table, -3);
    table_draw(table, &g, 0, 10, 100, 11, true);
    ck_assert(table_row_at(table, 11, &row) && row == 16); /* no need to scroll */
    table_move(table, INT64_MAX);
    ck_assert_uint_eq(table_cursor(table), 49);
    table_draw(table, &g, 0, 10, 100, 11, true);
    ck_assert(table_row_at(table, 20, &row) && row == 49);
    table_draw(table, &g, 0, 5, 100, 21, true); /* a larger pane is filled */
    ck_assert(table_row_at(table, 6, &row) && row == 30);
    table_move(table, INT64_MIN);
    ck_assert_uint_eq(table_cursor(table), 0);
    table_move_to(table, 1000);
    ck_assert_uint_eq(table_cursor(table), 49);
    table_sort_reverse(table); /* the top is what counts in a new order */
    ck_assert_uint_eq(table_cursor(table), 0);
    assert_cursor_on(table, "k049");
    table_free(table);
    grid_free(&g);
    close_fixture(&f);
}
END_TEST

/* A click on a head sorts, another one reverses. */
START_TEST(test_sort_by_head)
{
    struct fixture f = ranked_fixture(20, 3);
    struct table *table = answered(TABLE_KERNELS, &f.context);
    struct grid g = {0};
    grid_resize(&g, 250, 30);
    ck_assert(!table_sort_at(table, 3)); /* never drawn */
    table_draw(table, &g, 10, 0, 230, 10, true);
    ck_assert(!table_sort_at(table, 3));
    for (int c = 0; c < table->model->column_count; c++) {
        int x = table->column_x[c];
        bool sorts = x >= 0 && table->model->columns[c].sortable;
        ck_assert(table_sort_at(table, x) == sorts);
        if (!sorts)
            continue;
        ck_assert_str_eq(table_sort_name(table), table->model->columns[c].title);
        table_draw(table, &g, 10, 0, 230, 10, true);
        struct text screen = {0};
        bool up = table->model->columns[c].ascending != table->reverse;
        grid_to_text(&g, &screen);
        ck_assert_ptr_nonnull(strstr(screen.data, up ? "\xe2\x96\xb4" : "\xe2\x96\xbe"));
        ck_assert_ptr_null(strstr(screen.data, up ? "\xe2\x96\xbe" : "\xe2\x96\xb4"));
        text_free(&screen);
        bool reverse = table->reverse;
        ck_assert(table_sort_at(table, x));
        ck_assert(table->reverse != reverse);
    }
    table_free(table);
    grid_free(&g);
    close_fixture(&f);
}
END_TEST

/* A cursor that was put somewhere stays with its kernel when the window moves; one
 * at the top stays at the top. */
START_TEST(test_cursor_follows)
{
    struct fixture f = ranked_fixture(50, 4);
    struct table *table = answered(TABLE_KERNELS, &f.context);
    struct table_context c = f.context;
    table_move_to(table, 30);
    assert_cursor_on(table, "k030");
    c.from_ns = 20 * 1000000; /* k020 to k049 only */
    c.to_ns = 50 * 1000000;
    table_update(table, &c);
    assert_cursor_on(table, "k030"); /* still the old rows */
    finish(table);
    ck_assert_uint_eq(table_rows(table), 30);
    assert_cursor_on(table, "k030");
    ck_assert_uint_eq(table_cursor(table), 10);
    c.to_ns = 25 * 1000000; /* it is gone */
    table_update(table, &c);
    finish(table);
    ck_assert_uint_eq(table_cursor(table), 4);
    table_move(table, -100);
    table_update(table, &f.context);
    finish(table);
    ck_assert_uint_eq(table_cursor(table), 0);
    table_free(table);
    close_fixture(&f);
}
END_TEST

struct instance {
    int64_t dur_ns;
    uint32_t slice;
};

static int slowest_first(const void *a, const void *b)
{
    const struct instance *x = a, *y = b;
    if (x->dur_ns != y->dur_ns)
        return x->dur_ns > y->dur_ns ? -1 : 1;
    return x->slice < y->slice ? -1 : 1;
}

/* The instances of a table's row by brute force. */
static size_t list_instances(const struct fixture *f, const struct table_context *c,
                             const struct summary_row *row, struct instance *found)
{
    struct selection sel = selection_of(c, CATEGORY_KERNEL);
    size_t count = 0;
    for (uint32_t i = 0; i < f->t->slice_count; i++) {
        size_t len, stem = strlen(row->text);
        const char *name = trace_name(f->t, i, &len);
        bool same = c->by == BY_STEM
                        ? name_stem(name, len) == stem && memcmp(name, row->text, stem) == 0
                    : c->by == BY_CATEGORY ? true
                                           : strcmp(name, row->text) == 0;
        if (same && selection_takes(&sel, f->t, i))
            found[count++] = (struct instance){f->t->dur_ns[i], i};
    }
    selection_free(&sel);
    array_sort(found, count, sizeof *found, slowest_first);
    return count;
}

/* The slowest instance, the next slower, ... and round, also when going to each of
 * them moves the window. */
START_TEST(test_enter)
{
    struct random r = random_seed((uint64_t)_i + 300);
    struct fixture f = random_fixture(&r, 300);
    for (int round = 0; round < 20; round++) {
        struct table_context c = random_context(&f, &r), moved = c;
        struct table *table = answered(TABLE_KERNELS, &c);
        struct instance found[300];
        struct selection sel = selection_of(&c, CATEGORY_KERNEL);
        struct summary *s = summary_compute(f.t, f.ix, &sel, c.by);
        for (uint32_t row = 0; row < s->row_count; row++) {
            if (row > 0) { /* back to where it began */
                table_update(table, &c);
                finish(table);
            }
            table_move_to(table, row);
            size_t count = list_instances(&f, &c, &s->rows[row], found);
            ck_assert_uint_gt(count, 0);
            for (size_t k = 0; k < 2 * count + 1; k++) {
                struct table_target target = table_enter(table);
                ck_assert_uint_eq(target.slice, found[k % count].slice);
                moved.from_ns = f.t->start_ns[target.slice] - 1;
                moved.to_ns = trace_end_ns(f.t, target.slice) + 1;
                moved.slice = target.slice;
                if (k % 3 != 1)
                    table_update(table, &moved);
                if (k % 3 == 2)
                    finish(table);
            }
        }
        summary_free(s);
        selection_free(&sel);
        table_free(table);
        free_context(&c);
    }
    close_fixture(&f);
}
END_TEST

/* Enter begins anew on another row, in another order, after another filter. */
START_TEST(test_enter_again)
{
    struct fixture f = ranked_fixture(5, 6);
    struct table *table = answered(TABLE_KERNELS, &f.context);
    struct table_context c = f.context;
    uint32_t first = table_enter(table).slice, second = table_enter(table).slice;
    ck_assert_uint_ne(first, second);
    table_move(table, 1);
    table_move(table, -1);
    ck_assert_uint_eq(table_enter(table).slice, first);
    ck_assert_uint_eq(table_enter(table).slice, second);
    c.from_ns = 0; /* somebody else moved the window: it is not at that slice */
    c.to_ns = 100000000;
    table_update(table, &c);
    finish(table);
    ck_assert_uint_eq(table_enter(table).slice, first);
    table_free(table);
    close_fixture(&f);
}
END_TEST

/* ------------------------------------------------------------------------ */
/* Drawing */

static const struct cell untouched = {'#', STYLE_MARK, COLOR_COPY, CELL_EDGE, 7};

/* One assertion for all cells: libcheck writes every one of them to a file. */
static void assert_harmless(const struct grid *g)
{
    bool good = true;
    for (int i = 0; i < g->cols * g->rows; i++) {
        uint32_t code = g->cells[i].code;
        good &= code == CELL_CONTINUED || (code >= 0x20 && (code < 0x7f || code >= 0xa0));
        good &= code != 0x202e && code != 0x2066 && code != 0x200f;
        good &= !g->ascii || code < 0x7f || code == CELL_CONTINUED;
    }
    ck_assert(good);
}

/* Between the columns there is nothing but a blank. */
static void assert_apart(const struct table *table, const struct grid *g, int x, int cols, int rows)
{
    int end = x;
    bool good = true;
    for (int c = 0; c < table->model->column_count; c++) {
        if (table->column_x[c] < 0)
            continue;
        good &= table->column_x[c] >= end + (end > x);
        for (int y = 0; y < rows; y++)
            for (int at = end; at < table->column_x[c]; at++)
                good &= g->cells[(2 + y) * g->cols + at].code == ' ';
        end = table->column_end[c];
        good &= end > table->column_x[c] && end <= x + cols;
    }
    ck_assert(good);
}

/* Draws at (x, 2) in a larger grid: outside of the rectangle nothing changes, columns
 * do not touch each other. */
static void draw_checked(struct table *table, struct grid *g, int x, int cols, int rows)
{
    bool good = true;
    grid_resize(g, cols + x + 7, rows + 4);
    for (int i = 0; i < g->cols * g->rows; i++)
        g->cells[i] = untouched;
    table_draw(table, g, x, 2, cols, rows, true);
    for (int i = 0; i < g->cols * g->rows; i++) {
        int at_x = i % g->cols, at_y = i / g->cols;
        bool inside = at_x >= x && at_x < x + cols && at_y >= 2 && at_y < 2 + rows;
        good &= inside != (memcmp(&g->cells[i], &untouched, sizeof untouched) == 0);
        if (!inside)
            g->cells[i] = (struct cell){.code = ' '};
    }
    ck_assert_msg(good, "%d columns, %d rows", cols, rows);
    assert_harmless(g);
    if (table_rows(table))
        assert_apart(table, g, x, cols, rows);
}

static bool head_has(const struct table *table, const char *title)
{
    for (int c = 0; c < table->model->column_count; c++)
        if (table->column_x[c] >= 0 && strcmp(table->model->columns[c].title, title) == 0)
            return true;
    return false;
}

static void assert_head(const struct table *table, const char *titles)
{
    for (const char *p = titles; *p;) {
        char title[32];
        size_t len = strcspn(p, ",");
        snprintf(title, sizeof title, "%.*s", (int)len, p);
        ck_assert_msg(head_has(table, title), "%s", title);
        p += len + (p[len] == ',');
    }
}

/* Numbers are whole: the rows of a kernel table end with the same text as the widest
 * one has there. */
START_TEST(test_widths)
{
    struct random r = random_seed((uint64_t)_i + 400);
    struct fixture f = random_fixture(&r, 400);
    struct table_context c = f.context;
    bool *all = xmalloc(intern_count(f.t->names) + 1);
    memset(all, 1, intern_count(f.t->names));
    c.matches = all;
    c.slice = 17;
    c.ascii = _i == 1;
    struct grid g = {.ascii = _i == 1};
    for (int kind = 0; kind < TABLE_COUNT; kind++) {
        struct table *table = answered((enum table_kind)kind, &c);
        for (int turn = 0; turn < 13; turn++) {
            for (int cols = 1; cols <= 250; cols += cols < 20 ? 3 : 1) {
                draw_checked(table, &g, cols % 5, cols, 1 + cols % 13);
                if (table->sort_column >= 0 && cols >= 40)
                    ck_assert(head_has(table, table_sort_name(table)));
                if (kind <= TABLE_OPS && cols >= (turn ? 120 : 80))
                    assert_head(table, "count,total,share,mean,max");
                if (kind == TABLE_OPS && cols >= 80)
                    assert_head(table, "operator,self");
                if (kind == TABLE_KERNELS && cols >= 80)
                    assert_head(table, "kernel");
                if (kind == TABLE_KERNELS && cols >= 120)
                    assert_head(table, "p50,p95,min,p99,in window");
                if (kind == TABLE_GAPS && cols >= 80)
                    assert_head(table, "start,idle,before,after,iteration");
                if (kind == TABLE_ITERATIONS && cols >= 95)
                    assert_head(table, "duration,to median,,kernels,busy");
            }
            table_sort_next(table);
            finish(table);
        }
        draw_checked(table, &g, 0, 80, 0);
        table_free(table);
    }
    grid_free(&g);
    free(all);
    close_fixture(&f);
}
END_TEST

static char *drawn(struct table *table, int cols, int rows)
{
    struct grid g = {.ascii = table->context.ascii};
    struct text text = {0};
    grid_resize(&g, cols, rows);
    table_draw(table, &g, 0, 0, cols, rows, true);
    assert_harmless(&g);
    grid_to_text(&g, &text);
    grid_free(&g);
    return text.data;
}

static void assert_drawn(struct table *table, int cols, int rows, const char *text)
{
    char *now = drawn(table, cols, rows);
    ck_assert_msg(strstr(now, text) != NULL, "'%s' is not in\n%s", text, now);
    free(now);
}

/* A picture of it all. */
START_TEST(test_picture)
{
    struct text text = {0};
    text_puts(&text,
              "[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"spyre_kernel_v1_fused_mm_rsqrt_silu_"
              "k7q2v4xnm5ahzt3c#3\",\"pid\":0,\"tid\":0,\"ts\":0,\"dur\":4333.201},"
              "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"short\",\"pid\":0,\"tid\":0,\"ts\":5000,"
              "\"dur\":0.5},"
              "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"short\",\"pid\":0,\"tid\":0,\"ts\":6000,"
              "\"dur\":1.5}]");
    struct fixture f = open_text(&text);
    struct table *table = answered(TABLE_KERNELS, &f.context);
    char *now = drawn(table, 80, 4);
    ck_assert_str_eq(
        now,
        "kernel                              count    total\xe2\x96\xbe    share      mean       "
        "max\n"
        "spyre_kernel_v1_\xe2\x80\xa6"
        "2v4xnm5ahzt3c#3        1  4.333 ms  100.0 %  4.333 ms  4.333 ms\n"
        "short                                   2  0.002 ms    0.0 %  0.001 ms  0.002 ms\n\n");
    free(now);
    table_free(table);
    table = answered(TABLE_GAPS, &f.context);
    assert_drawn(table, 120, 4, "   5.001 ms  999.500 us");
    table_free(table);
    close_fixture(&f);
}
END_TEST

/* ------------------------------------------------------------------------ */
/* Work in pieces */

static struct fixture large_fixture(void)
{
    struct text text = {0};
    text_putc(&text, '[');
    for (int i = 0; i < 400000; i++)
        text_printf(
            &text,
            "%s{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"k%d\",\"pid\":%d,\"tid\":%d,\"ts\":%d,"
            "\"dur\":%d}",
            i ? "," : "", i % 2 ? "kernel" : "cpu_op", i % 37, i % 2, i % 4, i * 10, i % 13);
    text_putc(&text, ']');
    return open_text(&text);
}

/* A new question while the old one is worked on: the old rows stay, marked as such,
 * and in the end there is the answer to the new one. */
START_TEST(test_update_during_work)
{
    struct fixture f = large_fixture();
    struct table_context c = f.context;
    bool *matches = xmalloc(intern_count(f.t->names) + 1);
    memset(matches, 1, intern_count(f.t->names));
    c.matches = matches;
    for (int kind = 0; kind < TABLE_COUNT; kind++) {
        if (kind == TABLE_ITERATIONS || kind == TABLE_EVENT)
            continue;
        struct table *table = table_new((enum table_kind)kind), *other;
        c.from_ns = INT64_MIN;
        c.to_ns = INT64_MAX;
        table_update(table, &c);
        ck_assert(table_work(table));
        ck_assert(table_pending(table));
        if (kind != TABLE_MATCHES)
            assert_drawn(table, 100, 5, "computing");
        finish(table);
        uint32_t before = table_rows(table);
        ck_assert_uint_gt(before, 0);
        for (int i = 0; i < 5; i++) { /* it never gets anywhere */
            c.from_ns = i * 1000;
            table_update(table, &c);
            ck_assert(table_work(table));
        }
        ck_assert_uint_eq(table_rows(table), before);
        assert_drawn(table, 150, 5, "\xe2\x80\xa6 (computing ");
        c.ascii = true;
        table_update(table, &c);
        ck_assert(table_work(table));
        struct grid g = {.ascii = true};
        grid_resize(&g, 100, 5);
        table_draw(table, &g, 0, 0, 100, 5, true);
        assert_harmless(&g);
        ck_assert(g.cells[100].flags & CELL_DIM);
        table_update(table, &c); /* the same again changes nothing */
        finish(table);
        table_draw(table, &g, 0, 0, 100, 5, true);
        ck_assert(!(g.cells[100].flags & CELL_DIM));
        grid_free(&g);
        c.to_ns = 1000000;
        table_update(table, &c);
        finish(table);
        ck_assert(!table_work(table));
        other = answered((enum table_kind)kind, &c);
        ck_assert_uint_eq(table_rows(table), table_rows(other));
        char *a = drawn(table, 200, 40), *b = drawn(other, 200, 40);
        ck_assert_str_eq(a, b);
        free(a);
        free(b);
        table_free(table);
        table_free(other);
        c.ascii = false;
    }
    free(matches);
    close_fixture(&f);
}
END_TEST

/* Anything in any order: nothing is read that is not there, the cursor is on a row. */
START_TEST(test_anything)
{
    struct random r = random_seed((uint64_t)_i + 600);
    struct fixture f = _i % 3 ? random_fixture(&r, 200) : ranked_fixture(40, 30);
    struct table *table = table_new((enum table_kind)(_i % TABLE_COUNT));
    struct grid g = {.ascii = _i % 2};
    struct table_context c = random_context(&f, &r);
    for (int i = 0; i < 1500; i++) {
        uint64_t what = random_below(&r, 100);
        if (what < 15) {
            free_context(&c);
            c = random_context(&f, &r);
            c.slice =
                random_chance(&r, 50) ? TRACE_NONE : (uint32_t)random_below(&r, f.t->slice_count);
            c.family = (uint32_t)random_between(&r, -1, 1);
        }
        if (what < 20)
            table_update(table, &c);
        else if (what < 45)
            table_work(table);
        else if (what < 55)
            table_move(table, random_between(&r, -20, 20));
        else if (what < 60)
            table_move_to(table, (uint32_t)random_next(&r));
        else if (what < 65)
            table_sort_next(table);
        else if (what < 70)
            table_sort_reverse(table);
        else if (what < 75)
            table_sort_at(table, (int)random_below(&r, 220));
        else if (what < 85)
            c.slice = table_enter(table).slice;
        else
            draw_checked(table, &g, 1, (int)random_between(&r, 1, 220), (int)random_below(&r, 20));
        uint32_t row = 0, rows = table_rows(table);
        ck_assert(table_cursor(table) < rows || table_cursor(table) == 0 || rows == 0);
        ck_assert(!table_row_at(table, (int)random_below(&r, 30), &row) || row < rows);
    }
    free_context(&c);
    table_free(table);
    grid_free(&g);
    close_fixture(&f);
}
END_TEST

/* Another trace: nothing of the first is used any more. */
START_TEST(test_other_trace)
{
    for (int kind = 0; kind < TABLE_COUNT; kind++) {
        struct random r = random_seed(5);
        struct fixture f = random_fixture(&r, 50);
        struct table_context c = random_context(&f, &r);
        c.slice = 3;
        struct table *table = answered((enum table_kind)kind, &c);
        table_move(table, 7);
        table_enter(table);
        struct fixture next = random_fixture(&r, 20);
        struct table_context d = random_context(&next, &r);
        free_context(&c);
        close_fixture(&f);
        table_update(table, &d);
        free(drawn(table, 100, 10));
        ck_assert_uint_eq(table_cursor(table), 0);
        finish(table);
        free(drawn(table, 100, 10));
        table_free(table);
        free_context(&d);
        close_fixture(&next);
    }
}
END_TEST

/* Without iterations, launches, slices. */
START_TEST(test_nothing)
{
    static const char *const said[TABLE_COUNT] = {"no kernels", "no operators", "no iterations",
                                                  "no idle",    "no slice",     "no search"};
    struct text text = {0};
    text_puts(&text, "[{\"ph\":\"i\",\"name\":\"mark\",\"pid\":1,\"tid\":1,\"ts\":5}]");
    struct fixture f = open_text(&text);
    f.context.iterations = NULL;
    f.context.launches = NULL;
    for (int kind = 0; kind < TABLE_COUNT; kind++) {
        struct table *table = table_new((enum table_kind)kind);
        ck_assert(!table_work(table));
        assert_drawn(table, 60, 4, "computing");
        table_update(table, &f.context);
        assert_drawn(table, 60, 4, kind == TABLE_EVENT ? said[kind] : "computing");
        finish(table);
        ck_assert_uint_eq(table_rows(table), 0);
        ck_assert_uint_eq(table_enter(table).slice, TRACE_NONE);
        assert_drawn(table, 60, 4, said[kind]);
        table_free(table);
    }
    close_fixture(&f);
}
END_TEST

/* The picture of a row counts all of its instances in the scope, and comes in pieces
 * without the rows looking old. */
START_TEST(test_picture_of_row)
{
    struct fixture f = large_fixture();
    struct table_context c = f.context;
    struct table *table = answered(TABLE_KERNELS, &c);
    struct grid g = {0};
    struct text text = {0};
    for (int i = 0; i < 3; i++) {
        grid_resize(&g, 200, 12);
        table_draw(table, &g, 0, 0, 200, 12, true);
        table_move(table, i);
        table_draw(table, &g, 0, 0, 200, 12, true);
        while (table_work(table)) {
            table_draw(table, &g, 0, 0, 200, 12, true);
            ck_assert(!(g.cells[200 * 5].flags & CELL_DIM));
        }
        table_draw(table, &g, 0, 0, 200, 12, true);
        ck_assert(!table_pending(table));
        text_clear(&text);
        grid_to_text(&g, &text);
        char expected[64];
        snprintf(expected, sizeof expected, " %d by duration, log scale\n",
                 (int)value(table, table_cursor(table), "count"));
        ck_assert_msg(strstr(text.data, expected) != NULL, "%s", text.data);
        ck_assert_ptr_nonnull(strstr(text.data, "\xe2\x96\x88"));
        ck_assert_ptr_nonnull(strstr(text.data, "  0 ns                 12.000 us\n"));
        c.from_ns = i * 100000;
        table_update(table, &c);
        finish(table);
    }
    text_free(&text);
    grid_free(&g);
    table_free(table);
    close_fixture(&f);
}
END_TEST

/* ------------------------------------------------------------------------ */
/* The event */

/* The pane's text, `cols` wide, all of its rows. */
static char *event_text(const struct fixture *f, uint32_t slice, int cols)
{
    struct table_context c = f->context;
    c.slice = slice;
    struct table *table = answered(TABLE_EVENT, &c);
    free(drawn(table, cols, 5)); /* tells it the width */
    int rows = (int)table_rows(table);
    char *now = drawn(table, cols, rows < 3000 ? rows : 3000);
    table_free(table);
    return now;
}

static void assert_has(const char *text, const char *part)
{
    ck_assert_msg(strstr(text, part) != NULL, "'%s' is not in\n%.2000s", part, text);
}

START_TEST(test_event)
{
    struct text text = {0};
    text_puts(
        &text,
        "{\"baseTimeNanoseconds\":1700000000000000000,\"traceEvents\":["
        "{\"ph\":\"M\",\"name\":\"process_labels\",\"pid\":0,\"tid\":0,\"args\":{\"labels\":\"AIU "
        "0\"}},"
        "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":0,\"tid\":7,\"args\":{\"name\":\"Stream "
        "0\"}},"
        "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":1,\"tid\":1,\"ts\":100.5,"
        "\"dur\":50,\"args\":{\"Input Dims\":[[64,4096],[4096,4096]],\"Addr\":18446744073709551615,"
        "\"Big\":-123456789012345678901234567890,\"Real\":196.94199999980628,\"Exp\":1.5e3,"
        "\"handles\":[\"550829083420776264\"],\"ok\":true,\"none\":null,\"empty\":{},"
        "\"deep\":{\"list\":[{\"first key\":1},{\"second key that is longer\":2},{\"third "
        "key\":\"number "
        "three\"}],"
        "\"text\":\"a\\\"b\\u00e9\\n\\ud83d\\ude00\"}}},"
        "{\"ph\":\"X\",\"cat\":\"privateuse1_runtime\",\"name\":\"aiuLaunchControlBlocks\",\"pid\":"
        "1,"
        "\"tid\":1,\"ts\":110.5,\"dur\":5,\"args\":{\"correlation\":9}},"
        "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"spyre_kernel_v_x\",\"pid\":0,\"tid\":7,"
        "\"ts\":200.5,\"dur\":30,\"tts\":5,\"args\":{\"correlation\":9,"
        "\"orig_name\":\"spyre_kernel_v1_x\"}}]}");
    struct fixture f = open_text(&text);
    uint32_t op = TRACE_NONE, call = TRACE_NONE, kernel = TRACE_NONE;
    for (uint32_t i = 0; i < f.t->slice_count; i++) {
        enum category_class class = trace_category(f.t, i)->class;
        *(class == CATEGORY_CPU_OP ? &op : class == CATEGORY_KERNEL ? &kernel : &call) = i;
    }
    char *now = event_text(&f, op, 100);
    static const char *const of_op[] = {
        "name      aten::mm\n",
        "category  cpu_op\n",
        "process   pid 1",
        "track     tid 1",
        "start     0 ns  (0.000 us, ts 100.500 us)",
        "wall      2023-11-14 22:13:20.000100500 UTC",
        "duration  50.000 us  (50.000 us), self 45.000 us",
        "end       50.000 us",
        "depth     0, lane 0",
        "children  1, 5.000 us",
        "\nargs\n",
        "  Input Dims            [[64, 4096], [4096, 4096]]\n",
        "  Addr                  18446744073709551615\n",
        "  Big                   -123456789012345678901234567890\n",
        "  Real                  196.94199999980628\n",
        "  Exp                   1.5e3\n",
        "  handles               [\"550829083420776264\"]\n",
        "  ok                    true\n",
        "  none                  null\n",
        "  empty                 {}\n",
        "  deep\n",
        "    list\n",
        "      [0]                   {\"first key\": 1}\n",
        "      [2]                   {\"third key\": \"number three\"}\n",
        "    text                  \"a\"b\xc3\xa9\xe2\x90\x8a\n",
        "\xf0\x9f\x98\x80\"\n"};
    for (size_t i = 0; i < sizeof of_op / sizeof *of_op; i++)
        assert_has(now, of_op[i]);
    free(now);
    now = event_text(&f, kernel, 100);
    static const char *const of_kernel[] = {"name      spyre_kernel_v1_x\n",
                                            "in file   spyre_kernel_v_x\n",
                                            "process   pid 0  AIU 0",
                                            "track     tid 7  Stream 0 (device)",
                                            "launched  by aiuLaunchControlBlocks, 90.000 us before",
                                            "operator  aten::mm\n",
                                            "  correlation           9\n",
                                            "\nother members\n",
                                            "  tts                   5\n"};
    for (size_t i = 0; i < sizeof of_kernel / sizeof *of_kernel; i++)
        assert_has(now, of_kernel[i]);
    free(now);
    now = event_text(&f, call, 100);
    assert_has(now, "launches  spyre_kernel_v1_x, 90.000 us later");
    assert_has(now, "in        aten::mm, 50.000 us\n");
    free(now);
    close_fixture(&f);
}
END_TEST

/* Both halves of a pair as one event; what both have is taken from the end. */
START_TEST(test_event_pair)
{
    struct text text = {0};
    text_puts(&text,
              "[{\"ph\":\"B\",\"name\":\"p\",\"pid\":1,\"tid\":1,\"ts\":1,\"args\":{\"both\":1,"
              "\"begin\":[2],\"\":3,\"x\\u0041\":4}},"
              "{\"ph\":\"E\",\"pid\":1,\"tid\":1,\"ts\":9,\"args\":{\"end\":{\"a\":5},\"both\":"
              "99999999999999999999,\"xA\":6}},"
              "{\"ph\":\"B\",\"name\":\"q\",\"pid\":1,\"tid\":1,\"ts\":11,\"args\":{\"k\":1}},"
              "{\"ph\":\"E\",\"pid\":1,\"tid\":1,\"ts\":12}]");
    struct fixture f = open_text(&text);
    ck_assert_uint_eq(f.t->slice_count, 2);
    char *now = event_text(&f, 0, 100);
    assert_has(now, "  begin                 [2]\n                        3\n");
    assert_has(now, "  end                   {\"a\": 5}\n");
    assert_has(now, "  both                  99999999999999999999\n  xA                    6\n");
    ck_assert_ptr_null(strstr(now, "both                  1\n"));
    ck_assert_ptr_null(strstr(now, "                  4\n"));
    free(now);
    now = event_text(&f, 1, 100);
    assert_has(now, "  k                     1\n");
    free(now);
    close_fixture(&f);
}
END_TEST

/* Self time and children of every slice, whatever crosses. */
START_TEST(test_event_children)
{
    struct random r = random_seed((uint64_t)_i + 500);
    struct fixture f = random_fixture(&r, 1 + (int)random_below(&r, 90));
    for (uint32_t slice = 0; slice < f.t->slice_count; slice++) {
        uint32_t children = 0;
        int64_t time = 0;
        char expected[100];
        for (uint32_t i = 0; i < f.t->slice_count; i++) {
            if (index_parent(f.ix, i) != slice)
                continue;
            children++;
            time += f.t->dur_ns[i];
        }
        char *now = event_text(&f, slice, 120), *found = strstr(now, "children  ");
        if (children == 0) {
            ck_assert_msg(found == NULL, "%s", now);
        } else {
            snprintf(expected, sizeof expected, "children  %u, ", children);
            assert_has(now, expected);
        }
        int64_t self = f.t->dur_ns[slice] - time; /* whole microseconds, less than 1000 */
        if (self >= 1000 || self <= -1000) {      /* children that cross can add up to more */
            snprintf(expected, sizeof expected, "self %d.000 us", (int)(self / 1000));
            assert_has(now, expected);
        }
        free(now);
    }
    close_fixture(&f);
}
END_TEST

/* Names, categories, ids and args that try to get out of their cells. */
START_TEST(test_hostile)
{
    static const char evil[] = "\x1b]52;c;AAAA\x07\xc2\x9b"
                               "31m\xe2\x80\xae\xff\xfe\r\n\t\x7f"
                               "\xe4\xb8\xad\xe6\x96\x87 e\xcc\x81\\u0000\\u001b[2J\\u202e";
    struct text text = {0};
    text_puts(&text, "[");
    for (int i = 0; i < 30; i++) {
        text_printf(&text,
                    "{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s%s%d\",\"pid\":\"%s\",\"tid\":"
                    "\"%s\",\"ts\":%d,\"dur\":5,\"args\":{\"%s\":\"%s\",\"long\":\"",
                    i % 3 == 0   ? "kernel"
                    : i % 3 == 1 ? "cpu_op"
                                 : "\x1b[5mcat",
                    i % 3 == 2 ? "ProfilerStep#" : "", i % 5 ? evil : "", i, evil, evil, i * 10,
                    evil, evil);
        for (int k = 0; k < 1000; k++)
            text_puts(&text, "0123456789");
        text_puts(&text, "\",\"deep\":");
        for (int k = 0; k < 100; k++)
            text_puts(&text, k % 2 ? "[" : "{\"next level of it\":");
        text_puts(&text, "12345678901234567890");
        for (int k = 99; k >= 0; k--)
            text_puts(&text, k % 2 ? "]" : "}");
        text_puts(&text, "}},");
    }
    text_puts(&text, "]");
    struct fixture f = open_text(&text);
    struct table_context c = f.context;
    ck_assert_uint_eq(f.t->slice_count, 30);
    bool *all = xmalloc(intern_count(f.t->names) + 1);
    memset(all, 1, intern_count(f.t->names));
    c.matches = all;
    struct grid g = {0};
    for (int kind = 0; kind < TABLE_COUNT; kind++) {
        for (int by = 0; by < 3; by++) {
            c.by = (enum summary_by)by;
            c.slice = (uint32_t)(by * 7);
            struct table *table = answered((enum table_kind)kind, &c);
            for (int cols = 20; cols <= 250; cols += 23) {
                g.ascii = cols % 2;
                draw_checked(table, &g, 3, cols, 12);
                table_move(table, 9);
                if (kind != TABLE_EVENT && table_rows(table))
                    ck_assert_uint_ne(table_enter(table).slice, by == 2 ? 40 : TRACE_NONE);
            }
            table_free(table);
        }
    }
    for (int cols = 20; cols < 200; cols += 60) {
        char *now = event_text(&f, 4, cols);
        if (cols > 60)
            assert_has(now, "12345678901234567890");
        const char *digits = strstr(now, "\"01234") + 1;
        size_t count = 0; /* all of the long one is there, a piece a row */
        for (; *digits != '"'; digits++)
            count += *digits >= '0' && *digits <= '9';
        ck_assert_uint_eq(count, 10000);
        free(now);
    }
    grid_free(&g);
    free(all);
    close_fixture(&f);
}
END_TEST

/* An event as deep and as long as the loader takes: shown in part, soon. */
START_TEST(test_event_huge)
{
    struct text text = {0};
    text_puts(&text,
              "[{\"ph\":\"X\",\"name\":\"deep\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1,\"args\":");
    for (int i = 0; i < 90000; i++)
        text_puts(&text, "{\"a\":");
    text_puts(&text, "1");
    for (int i = 0; i < 90000; i++)
        text_puts(&text, "}");
    text_puts(&text,
              "},{\"ph\":\"X\",\"name\":\"long\",\"pid\":1,\"tid\":1,\"ts\":5,\"dur\":1,\"args\":{"
              "\"s\":\"");
    for (int i = 0; i < 300000; i++)
        text_puts(&text, "\xc3\xa9");
    text_puts(&text, "\",\"items\":[");
    for (int i = 0; i < 60000; i++)
        text_printf(&text,
                    "%s{\"index\":%d,\"text\":\"something that is too long to go on one line\"}",
                    i ? "," : "", i);
    text_puts(&text, "],\"flat\":[");
    for (int i = 0; i < 100000; i++)
        text_printf(&text, "%s%d", i ? "," : "", i);
    text_puts(&text, "]}}]");
    struct fixture f = open_text(&text);
    ck_assert_uint_eq(f.t->slice_count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        struct table_context c = f.context;
        c.slice = i;
        struct table *table = answered(TABLE_EVENT, &c);
        free(drawn(table, 20, 10));
        table_move(table, INT64_MAX);
        assert_drawn(table, 80, 10, "(there is more)");
        ck_assert_uint_le(table_rows(table), 200001);
        table_free(table);
    }
    close_fixture(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("table");
    TCase *tc = tcase_create("table");
    tcase_set_timeout(tc, 0);
    tcase_add_loop_test(tc, test_summary_rows, 0, 8);
    tcase_add_loop_test(tc, test_gap_rows, 0, 8);
    tcase_add_loop_test(tc, test_match_rows, 0, 4);
    tcase_add_test(tc, test_many_matches);
    tcase_add_test(tc, test_iteration_rows);
    tcase_add_test(tc, test_cursor);
    tcase_add_test(tc, test_sort_by_head);
    tcase_add_test(tc, test_cursor_follows);
    tcase_add_loop_test(tc, test_enter, 0, 4);
    tcase_add_test(tc, test_enter_again);
    tcase_add_loop_test(tc, test_widths, 0, 2);
    tcase_add_test(tc, test_picture);
    tcase_add_test(tc, test_update_during_work);
    tcase_add_test(tc, test_picture_of_row);
    tcase_add_loop_test(tc, test_anything, 0, 24);
    tcase_add_test(tc, test_other_trace);
    tcase_add_test(tc, test_nothing);
    tcase_add_test(tc, test_event);
    tcase_add_test(tc, test_event_pair);
    tcase_add_loop_test(tc, test_event_children, 0, 6);
    tcase_add_test(tc, test_hostile);
    tcase_add_test(tc, test_event_huge);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
