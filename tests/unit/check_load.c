/*
 * From text to a trace: all forms of files, damage, threads, pairs, ids.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "test_support.h"
#include "trace/load.h"
#include "trace/source.h"

static struct trace *load(const char *text)
{
    struct error err = {0};
    struct trace *t = trace_from_text(text, strlen(text), &err);
    ck_assert_msg(t != NULL, "%s: %.200s", err.message, text);
    return t;
}

static bool damaged(const struct trace *t)
{
    for (int kind = 0; kind < DAMAGE_KIND_COUNT; kind++)
        if (t->damage.counts[kind] && kind != DAMAGE_NO_EVENTS)
            return true;
    return false;
}

#define A "{\"ph\":\"X\",\"name\":\"a\",\"cat\":\"kernel\",\"pid\":1,\"tid\":2,\"ts\":10,\"dur\":5}"
#define B \
    "{\"ph\":\"X\",\"name\":\"b\",\"cat\":\"cpu_op\",\"pid\":1,\"tid\":3,\"ts\":20.001,\"dur\":1}"

/* A file's text, how many slices it has and what is wrong with it (TRACE_NONE kind:
 * nothing). */
static const struct {
    const char *text;
    unsigned slices;
    int damage;
} forms[] = {
    {"[" A "," B "]", 2, -1},
    {"{\"traceEvents\":[" A "," B "]}", 2, -1},
    {"{\"x\":{\"traceEvents\":1},\"y\":[1,{}],\"traceEvents\":[" A "," B "],\"traceName\":\"t\"}",
     2, -1},
    {A "\n" B "\n", 2, -1},
    {"  {\"traceEvents\" : [\r\n" A "\r\n,\r\n" B "\r\n]\r\n}\r\n", 2, -1},
    {"\xef\xbb\xbf[" A "," B "]", 2, DAMAGE_BOM},
    {"[" A "," B, 2, DAMAGE_MISSING_BRACKET},
    {"[" A "," B ",", 2, DAMAGE_MISSING_BRACKET},
    {"[" A "," B ",]", 2, DAMAGE_EXTRA_COMMA},
    {"[," A ",," B "]", 2, DAMAGE_EXTRA_COMMA},
    {"[" A " " B "]", 2, DAMAGE_MISSING_COMMA},
    {"{\"traceEvents\":[" A "," B "]", 2, DAMAGE_MISSING_BRACKET},
    {"{\"traceEvents\":[" A "," B, 2, DAMAGE_TRUNCATED},
    {"{\"traceEvents\":[" A "," B "}", 2, DAMAGE_MISSING_BRACKET},
    {"[" A ",{\"ph\":\"X\",\"na", 1, DAMAGE_TRUNCATED},
    {"[" A ",{\"ph\":\"X\",\"name\":\"q\"uote\",\"ts\":1}," B "]", 2, DAMAGE_UNESCAPED_QUOTE},
    {"[" A ",{ph: \"X\"}," B "]", 2, DAMAGE_BAD_EVENT},
    {"[" A ",{\"ph\":\"X\",\"ts\":5 6}," B "]", 2, DAMAGE_BAD_EVENT},
    {"[" A ",garbage," B "]", 2, DAMAGE_BAD_EVENT},
    {"[" A "}," B "]", 2, DAMAGE_MISSING_BRACKET},
    {"[" A "," B "]trailing", 2, DAMAGE_TRAILING_DATA},
    {"{\"traceEvents\":[" A "]}{\"traceEvents\":[" B "]}", 2, DAMAGE_TRAILING_DATA},
    {"{\"traceEvents\":{\"traceEvents\":[" A "," B "]}}", 2, DAMAGE_NESTED_TRACE},
    {"[" A ",{\"traceEvents\":[" B "]}]", 2, DAMAGE_NESTED_TRACE},
    {"0,\"dur\":5}," A "," B "]}", 2, DAMAGE_MISSING_BRACKET},
    {"[{\"ph\":\"X\",\"ts\":1,\"name\":\"\x01\"}]", 1, DAMAGE_CONTROL_CHAR},
    {"[{\"ph\":\"X\",\"ts\":1,\"name\":\"\\q\"}]", 1, DAMAGE_BAD_ESCAPE},
    {"[{\"ph\":\"X\",\"ts\":1,\"name\":\"\xff\"}]", 1, DAMAGE_INVALID_UTF8},
    {"[{\"ph\":\"X\",\"ts\":1,\"args\":{\"a\":nan}}]", 1, DAMAGE_NONFINITE_NUMBER},
    {"[{\"ph\":\"X\",\"ts\":-1.-234}]", 1, DAMAGE_BAD_NUMBER},
    {"[{\"ph\":\"X\",\"ts\":1,\"ts\":2}]", 1, DAMAGE_DUPLICATE_KEY},
    {"[{\"ph\":\"X\",\"ts\":1,\"dur\":-2}]", 1, DAMAGE_NEGATIVE_DUR},
    {"[" A ",{\"ph\":\"X\",\"ts\":1e30}]", 1, DAMAGE_OUT_OF_RANGE},
    {"[" A ",{\"ph\":\"X\"}]", 1, DAMAGE_BAD_EVENT},
    {"[" A ",{}]", 1, -1},
    {"[" A ",{\"ph\":\"$\",\"ts\":1}]", 1, DAMAGE_UNKNOWN_PHASE},
};

START_TEST(test_forms)
{
    struct trace *t = load(forms[_i].text);
    ck_assert_msg(t->slice_count == forms[_i].slices, "%u slices: %s", t->slice_count,
                  forms[_i].text);
    if (forms[_i].damage < 0)
        ck_assert_msg(!damaged(t), "%s", forms[_i].text);
    else
        ck_assert_msg(t->damage.counts[forms[_i].damage] > 0, "no %s: %s",
                      damage_name((enum damage_kind)forms[_i].damage), forms[_i].text);
    trace_free(t);
}
END_TEST

static const struct {
    const char *text, *message;
} useless[] = {
    {"", "empty"},
    {"  \n", "not JSON"},
    {"<html><body>", "not JSON"},
    {"{}", "no trace"},
    {"{\"a\": 1}", "no trace"},
    {"{\"schemaVersion\": 1, \"dev", "cut off"},
    {"[]", "no events"},
    {"\x7f"
     "ELF\x01\x02",
     "not JSON"},
};

START_TEST(test_useless)
{
    struct error err = {0};
    struct trace *t = trace_from_text(useless[_i].text, strlen(useless[_i].text), &err);
    ck_assert_ptr_null(t);
    ck_assert_msg(strstr(err.message, useless[_i].message) || _i == 1, "%s", err.message);
    ck_assert_int_eq(err.kind, ERROR_DATA);
}
END_TEST

/* ------------------------------------------------------------------------ */
/* A text of events, the places of which are known. */

struct place {
    size_t start, end;
    int64_t ts_ns, dur_ns;
    char name[32];
};

static size_t make_events(struct random *r, struct text *out, struct place *places, size_t n,
                          bool pretty)
{
    text_puts(out, "{\"schemaVersion\": 1, \"traceEvents\": [\n");
    for (size_t i = 0; i < n; i++) {
        struct place *p = &places[i];
        p->ts_ns = (int64_t)random_below(r, 1000000000);
        p->dur_ns = (int64_t)random_below(r, 100000);
        snprintf(p->name, sizeof p->name, "event_%zu", i);
        if (i > 0)
            text_puts(out, ",\n");
        p->start = out->len;
        const char *gap = pretty ? "\n    " : " ";
        text_printf(out, "{%s\"ph\": \"X\",%s\"cat\": \"kernel\",%s\"name\": \"%s\",%s\"pid\": %d,",
                    gap, gap, gap, p->name, gap, (int)random_below(r, 3));
        text_printf(out, "%s\"tid\": %d,%s\"ts\": %lld.%03d,%s\"dur\": %lld.%03d,", gap,
                    (int)random_below(r, 4), gap, (long long)(p->ts_ns / 1000),
                    (int)(p->ts_ns % 1000), gap, (long long)(p->dur_ns / 1000),
                    (int)(p->dur_ns % 1000));
        text_printf(out,
                    "%s\"args\": {\"correlation\": %d, \"list\": [1, 2, {\"k\": \"}, {\"}]}%s}",
                    gap, (int)i, pretty ? "\n  " : "");
        p->end = out->len;
    }
    text_puts(out, "\n], \"traceName\": \"x\"}\n");
    return n;
}

static bool has_event(const struct trace *t, const struct place *p)
{
    for (uint32_t i = 0; i < t->slice_count; i++)
        if (strcmp(trace_name(t, i, NULL), p->name) == 0 &&
            t->start_ns[i] + t->origin_ns == p->ts_ns && t->dur_ns[i] == p->dur_ns)
            return true;
    return false;
}

enum { EVENTS = 40 };

/* One kind of damage done to the text; bytes [*from, *to) were touched, the text grew
 * by *grown from there on. */
static void do_damage(struct random *r, struct text *text, size_t *from, size_t *to, long *grown)
{
    size_t at = 40 + random_below(r, text->len - 60);
    char *line, *end;
    *grown = 0;
    *from = at;
    *to = at + 1;
    switch (random_below(r, 5)) {
    case 0: /* cut */
        text->len = at;
        text->data[at] = '\0';
        *to = SIZE_MAX;
        break;
    case 1: /* a byte */
        text->data[at] = "{}[]\",:\\ \n0a\x01"[random_below(r, 13)];
        break;
    case 2: /* a line deleted */
    case 3: /* or doubled */
        line = text->data + at;
        while (line > text->data && line[-1] != '\n')
            line--;
        end = strchr(line, '\n');
        end = end ? end + 1 : text->data + text->len;
        *from = (size_t)(line - text->data);
        *to = (size_t)(end - text->data);
        if (random_chance(r, 50)) {
            memmove(line, end, text->len - *to + 1);
            *grown = -(long)(end - line);
            text->len -= (size_t)(end - line);
        } else {
            char *copy = xstrndup(line, (size_t)(end - line));
            struct text grown_text = {0};
            text_add(&grown_text, text->data, *to);
            text_puts(&grown_text, copy);
            text_add(&grown_text, text->data + *to, text->len - *to);
            *grown = (long)(end - line);
            free(copy);
            text_free(text);
            *text = grown_text;
        }
        break;
    default: { /* garbage put in */
        struct text grown_text = {0};
        static const char *const garbage[] = {"%%%", "\"", "{", "}", "]", ",,", "\\", "{\"ph\":"};
        const char *put = garbage[random_below(r, 8)];
        text_add(&grown_text, text->data, at);
        text_puts(&grown_text, put);
        text_add(&grown_text, text->data + at, text->len - at);
        *grown = (long)strlen(put);
        *to = at;
        text_free(text);
        *text = grown_text;
    }
    }
}

/* Every event outside of the damage, and of the events it touches, is found exactly;
 * what is lost is told. */
START_TEST(test_damage_property)
{
    struct random r = random_seed((uint64_t)_i + 1000);
    struct text text = {0};
    struct place places[EVENTS];
    struct error err = {0};
    size_t from, to;
    long grown;
    bool pretty = random_chance(&r, 70);
    make_events(&r, &text, places, EVENTS, pretty);
    do_damage(&r, &text, &from, &to, &grown);
    struct trace *t = trace_from_text(text.data, text.len, &err);
    unsigned lost = 0;
    for (size_t i = 0; i < EVENTS; i++) {
        /* The comma behind an event and its neighbours' brackets are between them. */
        bool touched = places[i].start <= to && from <= places[i].end + 2;
        bool found = t && has_event(t, &places[i]);
        lost += !found;
        ck_assert_msg(found || touched || to == SIZE_MAX ? true : false,
                      "event %zu is lost; damage at %zu to %zu:\n%.*s", i, from, to, 400,
                      text.data + (from > 200 ? from - 200 : 0));
        if (to == SIZE_MAX && places[i].end < from)
            ck_assert_msg(found, "event %zu before the cut is lost", i);
    }
    /* A digit may change and a whole event's line may go without a trace; an event
     * that cannot be read may not. */
    if (lost && t && t->event_count < EVENTS && (pretty || grown >= 0))
        ck_assert(damaged(t));
    trace_free(t);
    text_free(&text);
}
END_TEST

/* Megabytes of nothing but trouble end, and take memory in proportion. */
START_TEST(test_hostile)
{
    static const char *const pieces[] = {"\"",
                                         "{",
                                         "[",
                                         "\\",
                                         ",",
                                         "}",
                                         "]",
                                         "{\"ph\":",
                                         "[{\"ph\":1,\"a\":",
                                         "{\"ph\":\"X\",\"name\":\"",
                                         "\"ph\":",
                                         "{\"a\":"};
    struct text text = {0};
    struct error err = {0};
    text_puts(&text, "[" A ",");
    while (text.len < 3000000)
        text_puts(&text, pieces[_i]);
    text_puts(&text, "," B "]");
    struct trace *t = trace_from_text(text.data, text.len, &err);
    ck_assert(t != NULL);
    ck_assert_uint_ge(t->slice_count, 1);
    ck_assert(damaged(t));
    trace_free(t);
    text_free(&text);
}
END_TEST

/* ------------------------------------------------------------------------ */
/* The same trace, whatever the number of threads and the size of their chunks. */

static bool same_array(const void *a, const void *b, size_t bytes)
{
    return bytes == 0 || memcmp(a, b, bytes) == 0;
}

static void assert_same_list(const struct side_list *a, const struct side_list *b)
{
    ck_assert_uint_eq(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        const struct side_event *x = &a->items[i], *y = &b->items[i];
        ck_assert(x->ts_ns == y->ts_ns && x->byte == y->byte && x->track == y->track &&
                  x->label == y->label && x->key == y->key && x->phase == y->phase);
    }
}

static void assert_same(const struct trace *a, const struct trace *b)
{
    ck_assert_uint_eq(a->event_count, b->event_count);
    ck_assert_uint_eq(a->slice_count, b->slice_count);
    ck_assert(same_array(a->start_ns, b->start_ns, a->slice_count * sizeof *a->start_ns));
    ck_assert(same_array(a->dur_ns, b->dur_ns, a->slice_count * sizeof *a->dur_ns));
    ck_assert(same_array(a->byte, b->byte, a->slice_count * sizeof *a->byte));
    ck_assert(same_array(a->label, b->label, a->slice_count * sizeof *a->label));
    ck_assert(same_array(a->correlation, b->correlation, a->slice_count * sizeof *a->correlation));
    ck_assert_uint_eq(a->label_count, b->label_count);
    ck_assert(same_array(a->labels, b->labels, a->label_count * sizeof *a->labels));
    ck_assert_uint_eq(intern_count(a->names), intern_count(b->names));
    for (uint32_t i = 0; i < intern_count(a->names); i++)
        ck_assert_str_eq(intern_text(a->names, i, NULL), intern_text(b->names, i, NULL));
    assert_same_list(&a->flows, &b->flows);
    assert_same_list(&a->instants, &b->instants);
    assert_same_list(&a->async, &b->async);
    assert_same_list(&a->metadata, &b->metadata);
    ck_assert_uint_eq(a->track_count, b->track_count);
    ck_assert_uint_eq(a->damage.place_count, b->damage.place_count);
    for (size_t i = 0; i < a->damage.place_count; i++)
        ck_assert(a->damage.places[i].byte == b->damage.places[i].byte &&
                  a->damage.places[i].kind == b->damage.places[i].kind);
    ck_assert(same_array(a->damage.counts, b->damage.counts, sizeof a->damage.counts));
}

static void compare_threads(const char *path)
{
    const char *paths[] = {path};
    struct error err = {0};
    struct load_options one = {.threads = 1};
    struct trace *expected = trace_load(paths, 1, &one, &err);
    for (size_t chunk = 1024; chunk <= 300000; chunk *= 6) {
        struct load_options several = {.threads = 3, .chunk = chunk};
        struct trace *t = trace_load(paths, 1, &several, &err);
        ck_assert((t != NULL) == (expected != NULL));
        if (t)
            assert_same(expected, t);
        trace_free(t);
    }
    trace_free(expected);
}

START_TEST(test_threads)
{
    char folder[TEST_PATH], path[TEST_PATH];
    struct random r = random_seed((uint64_t)_i + 77);
    struct text text = {0};
    static struct place places[600];
    size_t from, to;
    long grown;
    make_events(&r, &text, places, 600, true);
    for (int i = 0; i < _i; i++)
        do_damage(&r, &text, &from, &to, &grown);
    test_folder(folder);
    path_join(path, folder, "trace.json");
    write_whole_file(path, text.data, text.len);
    compare_threads(path);
    test_folder_remove(folder);
    text_free(&text);
}
END_TEST

START_TEST(test_threads_demo)
{
    char path[TEST_PATH];
    compare_threads(source_file("data/demo.json.gz", path, sizeof path));
}
END_TEST

/* ------------------------------------------------------------------------ */

START_TEST(test_pairs)
{
    struct trace *t =
        load("[{\"ph\":\"E\",\"name\":\"none\",\"pid\":1,\"tid\":1,\"ts\":1},"
             "{\"ph\":\"B\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":10,\"cat\":\"cpu_op\"},"
             "{\"ph\":\"B\",\"name\":\"b\",\"pid\":1,\"tid\":1,\"ts\":20},"
             "{\"ph\":\"E\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":30},"
             "{\"ph\":\"E\",\"pid\":1,\"tid\":1,\"ts\":40},"
             "{\"ph\":\"B\",\"name\":\"open\",\"pid\":1,\"tid\":1,\"ts\":50},"
             "{\"ph\":\"B\",\"name\":\"z\",\"pid\":1,\"tid\":2,\"ts\":5},"
             "{\"ph\":\"E\",\"name\":\"z\",\"pid\":1,\"tid\":2,\"ts\":5}]");
    ck_assert_uint_eq(t->slice_count, 3);
    ck_assert_uint_eq(t->open_begin_count, 1);
    ck_assert_uint_eq(t->unmatched_ends, 1);
    ck_assert_str_eq(trace_name(t, 0, NULL), "a");
    ck_assert_int_eq(t->dur_ns[0], 20000);
    ck_assert_str_eq(trace_name(t, 1, NULL), "b");
    ck_assert_int_eq(t->dur_ns[1], 20000);
    ck_assert_int_eq(t->dur_ns[2], 0);
    ck_assert_uint_ne(trace_end_byte(t, 0), UINT64_MAX);
    ck_assert_int_eq(t->origin_ns, 1000);
    trace_free(t);
}
END_TEST

START_TEST(test_ids_and_order)
{
    struct trace *t = load(
        "[{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":9,\"args\":{\"sort_index\":-1}},"
        "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":9,\"tid\":\"7\",\"args\":{\"name\":"
        "\"first\"}},"
        "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":9,\"tid\":7,\"args\":{\"name\":\"last "
        "wins\"}},"
        "{\"ph\":\"X\",\"name\":\"n\",\"pid\":1,\"tid\":0,\"ts\":1},"
        "{\"ph\":\"X\",\"name\":\"n\",\"pid\":1,\"tid\":1,\"ts\":1},"
        "{\"ph\":\"X\",\"name\":\"n\",\"pid\":9,\"tid\":7,\"ts\":1},"
        "{\"ph\":\"X\",\"name\":\"n\",\"pid\":9,\"tid\":\"07\",\"ts\":1},"
        "{\"ph\":\"X\",\"name\":\"n\",\"pid\":\"Spans\",\"ts\":1},"
        "{\"ph\":\"X\",\"name\":\"n\",\"pid\":18446744073709551616,\"tid\":\"\",\"ts\":1},"
        "{\"ph\":\"X\",\"name\":\"n\",\"pid\":18446744073709551617,\"tid\":null,\"ts\":1}]");
    ck_assert_uint_eq(t->track_count, 6);
    ck_assert_str_eq(trace_id(t, t->processes[0].pid), "9");
    ck_assert_uint_eq(t->tracks[0].count, 2); /* 7, "7" and "07" are one */
    ck_assert_str_eq(intern_text(t->names, t->tracks[0].name, NULL), "last wins");
    bool missing = false;
    for (uint32_t i = 0; i < t->track_count; i++)
        missing |= trace_id_missing(t->tracks[i].tid);
    ck_assert(missing);
    trace_free(t);
}
END_TEST

START_TEST(test_names_and_categories)
{
    struct trace *t = load(
        "[{\"ph\":\"X\",\"name\":\"k_v_x\",\"cat\":\"Kernel\",\"pid\":0,\"tid\":0,\"ts\":1,"
        "\"args\":{\"orig_name\":\"k_v1_x#2\"}},"
        "{\"ph\":\"X\",\"cat\":\"Operator\",\"pid\":1,\"tid\":0,\"ts\":1},"
        "{\"ph\":\"X\",\"name\":7,\"cat\":\"PRIVATEUSE1_RUNTIME\",\"pid\":1,\"tid\":0,\"ts\":2}]");
    ck_assert_str_eq(trace_name(t, 0, NULL), "k_v1_x#2");
    ck_assert_int_eq(trace_category(t, 0)->class, CATEGORY_KERNEL);
    ck_assert(t->tracks[0].kind == TRACK_DEVICE);
    ck_assert_str_eq(trace_name(t, 1, NULL), "");
    ck_assert_int_eq(trace_category(t, 1)->class, CATEGORY_CPU_OP);
    ck_assert_str_eq(trace_name(t, 2, NULL), "7");
    ck_assert_int_eq(trace_category(t, 2)->class, CATEGORY_RUNTIME);
    trace_free(t);
}
END_TEST

START_TEST(test_focus)
{
    struct text text = {0};
    text_putc(&text, '[');
    for (int i = 0; i < 20; i++)
        text_printf(&text, "{\"ph\":\"X\",\"name\":\"n\",\"ts\":%d,\"dur\":10},", 1000 + i * 10);
    text_puts(&text, "{\"ph\":\"X\",\"name\":\"far\",\"ts\":1e14,\"dur\":10}]");
    struct trace *t = load(text.data);
    ck_assert_uint_eq(t->damage.counts[DAMAGE_OUTLIER_TIMESTAMP], 1);
    ck_assert_int_eq(t->focus_start_ns, 0);
    ck_assert_int_eq(t->focus_end_ns, 200000);
    ck_assert_uint_eq(t->slice_count, 21);
    trace_free(t);
    text_free(&text);
}
END_TEST

START_TEST(test_places)
{
    struct text event = {0};
    struct trace *t = load("[" A ",\n" B ",\n  {\"ph\":\"X\" \"}\n]");
    trace_locate_damage(t);
    const struct damage_place *p = damage_first(&t->damage, DAMAGE_UNESCAPED_QUOTE);
    ck_assert_ptr_nonnull(p);
    ck_assert_uint_eq(p->line, 3);
    ck_assert_uint_eq(p->column, 13);
    ck_assert(trace_read_event(t, 0, t->byte[0], &event));
    ck_assert(event.len == strlen(A) && memcmp(event.data, A, event.len) == 0);
    ck_assert(!trace_read_event(t, 0, 3, &event));
    text_free(&event);
    trace_free(t);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("load");
    TCase *tc = tcase_create("load");
    tcase_set_timeout(tc, 0);
    tcase_add_loop_test(tc, test_forms, 0, sizeof forms / sizeof *forms);
    tcase_add_loop_test(tc, test_useless, 0, sizeof useless / sizeof *useless);
    tcase_add_loop_test(tc, test_damage_property, 0, 400);
    tcase_add_loop_test(tc, test_hostile, 0, 12);
    tcase_add_loop_test(tc, test_threads, 0, 6);
    tcase_add_test(tc, test_threads_demo);
    tcase_add_test(tc, test_pairs);
    tcase_add_test(tc, test_ids_and_order);
    tcase_add_test(tc, test_names_and_categories);
    tcase_add_test(tc, test_focus);
    tcase_add_test(tc, test_places);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
