/*
 * The viewer without a terminal: grids, prompts, every command, random keys, and that
 * nothing of a trace gets out unescaped.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/utf8.h"
#include "draw/axis.h"
#include "draw/scale.h"
#include "test_support.h"
#include "view/command.h"
#include "view/script.h"

static const struct style plain = {STYLE_NORMAL, 0, 0};

static char *grid_string(const struct grid *g)
{
    struct text text = {0};
    grid_to_text(g, &text);
    return text.data;
}

START_TEST(test_grid)
{
    struct grid g = {0};
    grid_resize(&g, 12, 4);
    grid_text(&g, 9, 0, 20, "clipped", 7, plain);
    grid_text(&g, 0, 1, 12, "\xe4\xb8\xad\xe6\x96\x87!", 7, plain);
    grid_put(&g, 1, 1, 'x', plain); /* breaks a wide character */
    grid_text(&g, 0, 2, 12, "e\xcc\x81\x1b[31m\xff", 9, plain);
    grid_text_middle(&g, 0, 3, 9, "abcdefghijklmno", 15, plain);
    grid_put(&g, 50, 50, 'x', plain);
    char *text = grid_string(&g);
    ck_assert_str_eq(text, "         cli\n x\xe6\x96\x87!\ne\xe2\x90\x9b[31m\xef\xbf\xbd\n"
                           "abcd\xe2\x80\xa6lmno\n");
    free(text);
    grid_free(&g);
}
END_TEST

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
            ck_assert_int_eq(scale_column(&s, at), column);
        ck_assert_int_eq(scale_time(&s, 0), s.from_ns);
        ck_assert_int_eq(scale_time(&s, s.cols), s.to_ns);
        int64_t step = axis_step_ns(&s, 10);
        while (step % 10 == 0)
            step /= 10;
        ck_assert(step == 1 || step == 2 || step == 5);
    }
}
END_TEST

START_TEST(test_prompt)
{
    struct prompt p = {0};
    static const uint32_t keys[] = {'a', 'b', 0xe9, ' ', 'c', KEY_CODE_LEFT, KEY_CODE_BACKSPACE,
                                    'X', 1,   'Y',  5,   'Z'};
    prompt_open(&p, PROMPT_SEARCH, "");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        ck_assert_int_eq(prompt_key(&p, keys[i]), PROMPT_EDITED);
    ck_assert_str_eq(p.text, "Yab\xc3\xa9XcZ");
    prompt_key(&p, 23); /* Ctrl-W */
    ck_assert_str_eq(p.text, "");
    prompt_key(&p, 'q');
    ck_assert_int_eq(prompt_key(&p, KEY_CODE_ENTER), PROMPT_DONE);
    prompt_close(&p, true);
    prompt_open(&p, PROMPT_SEARCH, "");
    prompt_key(&p, 'n');
    prompt_key(&p, KEY_CODE_UP);
    ck_assert_str_eq(p.text, "q");
    prompt_key(&p, KEY_CODE_DOWN);
    ck_assert_str_eq(p.text, "n");
    ck_assert_int_eq(prompt_key(&p, 0x1b5b), PROMPT_EDITED);
    ck_assert_int_eq(prompt_key(&p, KEY_CODE_ESCAPE), PROMPT_CANCELLED);
    for (int i = 0; i < 3000; i++)
        prompt_key(&p, 0x10348);
    ck_assert_uint_le(p.len, PROMPT_MAX);
    ck_assert(utf8_valid(p.text, p.len));
    prompt_close(&p, false);
    prompt_free(&p);
}
END_TEST

/* ------------------------------------------------------------------------ */

struct shown {
    struct trace *t;
    struct index *ix;
    struct viewer *v;
    struct grid g;
};

static struct shown show(struct trace *t, int cols, int rows, bool ascii)
{
    struct shown s = {.t = t};
    struct viewer_setup setup = {.ascii = ascii, .title = "test.json", .cols = cols, .rows = rows};
    ck_assert_ptr_nonnull(t);
    s.ix = index_build(t, 1);
    s.v = viewer_new(&setup);
    viewer_draw(s.v, &s.g); /* as a load begins */
    viewer_show(s.v, s.t, s.ix);
    while (viewer_work(s.v))
        continue;
    return s;
}

static void hide(struct shown *s)
{
    viewer_free(s->v);
    grid_free(&s->g);
    index_free(s->ix);
    trace_free(s->t);
}

static struct trace *demo(void)
{
    char path[TEST_PATH];
    struct error err = {0};
    const char *paths[] = {source_file("data/demo.json.gz", path, sizeof path)};
    return trace_load(paths, 1, NULL, &err);
}

static char *screen(struct shown *s)
{
    while (viewer_work(s->v))
        continue;
    viewer_draw(s->v, &s->g);
    return grid_string(&s->g);
}

static void press(struct shown *s, const char *keys)
{
    for (const char *p = keys; *p;) {
        size_t len = strcspn(p, " ");
        uint32_t code = key_code(p, len);
        ck_assert_msg(code != 0, "%s", p);
        viewer_key(s->v, code);
        while (viewer_work(s->v))
            continue;
        p += len;
        p += *p == ' ';
    }
}

static void assert_shows(struct shown *s, const char *text)
{
    char *now = screen(s);
    ck_assert_msg(strstr(now, text), "'%s' is not on:\n%s", text, now);
    free(now);
}

START_TEST(test_walk)
{
    struct shown s = show(demo(), 100, 30, false);
    assert_shows(&s, "5486 events");
    assert_shows(&s, "[1 Kernels]");
    press(&s, "]");
    assert_shows(&s, "1/8");
    press(&s, "] ]");
    assert_shows(&s, "3/8");
    press(&s, "[");
    assert_shows(&s, "2/8");
    press(&s, "3");
    assert_shows(&s, "ProfilerStep#6  ");
    press(&s, "0 Tab 1 Enter 5");
    assert_shows(&s, "category  kernel");
    assert_shows(&s, "launched  by aiu");
    press(&s, "Tab <");
    assert_shows(&s, "category  privateuse1_runtime");
    press(&s, ">");
    assert_shows(&s, "category  kernel");
    press(&s, "b b");
    press(&s, "/ s o f t Enter");
    assert_shows(&s, "/soft");
    assert_shows(&s, " of 167");
    press(&s, "n n N 6");
    assert_shows(&s, "aten::softmax");
    press(&s, "Esc }");
    assert_shows(&s, "idle for");
    press(&s, "!");
    assert_shows(&s, "nothing is wrong");
    press(&s, "q ?");
    assert_shows(&s, "pan a tenth");
    press(&s, "q C Space q");
    press(&s, "m a l l ' a");
    assert_shows(&s, "mark a");
    press(&s, "v S-Right S-Right v");
    assert_shows(&s, "range, by start");
    press(&s, "Esc : 1 s Enter");
    assert_shows(&s, "cursor 1.000 s");
    press(&s, "q");
    ck_assert_int_eq(viewer_wish(s.v), VIEWER_QUIT);
    hide(&s);
}
END_TEST

/* Every key of the table does something or says why it cannot. */
START_TEST(test_every_key)
{
    struct shown s = show(demo(), 120, 40, false);
    for (int i = 0; i < command_count; i++) {
        for (const char *p = commands[i].keys; *p;) {
            size_t len = strcspn(p, " ");
            ck_assert_msg(key_code(p, len) != 0, "%s", p);
            for (int k = 0; k < command_count; k++) {
                if (k == i)
                    continue;
                for (const char *q = commands[k].keys; *q;) {
                    size_t other = strcspn(q, " ");
                    ck_assert_msg(other != len || memcmp(p, q, len) != 0, "%s: two commands", p);
                    q += other;
                    q += *q == ' ';
                }
            }
            free(screen(&s));
            size_t bytes = (size_t)(s.g.cols * s.g.rows) * sizeof *s.g.cells;
            struct cell *before = xmalloc(bytes);
            memcpy(before, s.g.cells, bytes);
            viewer_key(s.v, key_code(p, len));
            free(screen(&s));
            bool wish = viewer_wish(s.v) != VIEWER_NOTHING;
            ck_assert_msg(wish || memcmp(before, s.g.cells, bytes) != 0 ||
                              strcmp(commands[i].name, "escape") == 0 ||
                              strcmp(commands[i].name, "first") == 0 ||
                              strncmp(commands[i].name, "page", 4) == 0 ||
                              strcmp(commands[i].name, "last") == 0 ||
                              strcmp(commands[i].name, "color-mode") == 0,
                          "%.*s (%s) does nothing", (int)len, p, commands[i].name);
            free(before);
            viewer_key(s.v, KEY_CODE_ESCAPE);
            p += len;
            p += *p == ' ';
        }
        ck_assert_ptr_nonnull(commands[i].help);
    }
    hide(&s);
}
END_TEST

static const char hostile[] =
    "[{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":\"\x1b]0;p\x07\",\"tid\":1,\"args\":{\"name\":"
    "\"\x1b[2J\"}},"
    "{\"ph\":\"X\",\"cat\":\"\x1b[31mcat\",\"name\":\"\x1b]52;c;AAAA\x07 \xc2\x9b"
    "31m \xe2\x80\xae \xff\","
    "\"pid\":\"\x1b]0;p\x07\",\"tid\":1,\"ts\":1,\"dur\":100,\"args\":{\"\x1b[1m\":\"\x1b["
    "5m\\u001b[7m\"}},"
    "{\"ph\":\"X\",\"name\":\"\",\"cat\":\"kernel\",\"pid\":0,\"tid\":0,\"ts\":-9e15,\"dur\":1},"
    "{\"ph\":\"X\",\"name\":\"z\",\"cat\":\"cpu_op\",\"pid\":1,\"tid\":0,\"ts\":9e15,\"dur\":0},"
    "{\"ph\":\"B\",\"name\":\"open\",\"pid\":1,\"tid\":0,\"ts\":5}]";

/* Random keys, sizes and clicks: no crash, no cell that a terminal would obey. */
static void monkey(struct trace *t, uint64_t seed, int keys)
{
    struct random r = random_seed(seed);
    struct shown s = show(t, 100, 30, random_chance(&r, 30));
    static const uint32_t special[] = {KEY_CODE_UP,    KEY_CODE_DOWN,    KEY_CODE_LEFT,
                                       KEY_CODE_RIGHT, KEY_CODE_ENTER,   KEY_CODE_ESCAPE,
                                       KEY_CODE_TAB,   KEY_CODE_PAGE_UP, KEY_CODE_PAGE_DOWN,
                                       KEY_CODE_HOME,  KEY_CODE_END,     KEY_CODE_BACKSPACE};
    for (int i = 0; i < keys; i++) {
        uint64_t what = random_below(&r, 100);
        if (what < 60) {
            uint32_t key = (uint32_t)random_between(&r, 32, 126);
            /* An export would write files. */
            viewer_key(s.v, key == 'x' ? 'l' : key);
        } else if (what < 85) {
            viewer_key(s.v, special[random_below(&r, sizeof special / sizeof *special)]);
        } else if (what < 90) {
            viewer_resize(s.v, (int)random_between(&r, 1, 200), (int)random_between(&r, 1, 60));
        } else if (what < 97) {
            struct mouse_event e = {(enum mouse_kind)random_below(&r, 6),
                                    (int)random_below(&r, 120), (int)random_below(&r, 40),
                                    random_chance(&r, 20), random_chance(&r, 20)};
            viewer_mouse(s.v, &e);
        } else {
            viewer_key(s.v, (uint32_t)random_below(&r, 0x110000));
        }
        viewer_work(s.v);
        viewer_draw(s.v, &s.g);
        /* Not a ck_assert() a cell: each is a system call. */
        for (int c = 0; c < s.g.cols * s.g.rows; c++) {
            uint32_t code = s.g.cells[c].code;
            bool harmless = code == CELL_CONTINUED ||
                            (code >= 0x20 && (code < 0x7f || code >= 0xa0) && code != 0x202e &&
                             code != 0x2066 && (!s.g.ascii || code < 0x7f));
            if (!harmless)
                ck_abort_msg("code %x on the screen", code);
        }
        viewer_wish(s.v);
    }
    hide(&s);
}

START_TEST(test_monkey)
{
    struct error err = {0};
    monkey(_i % 2 ? trace_from_text(hostile, strlen(hostile), &err) : demo(), (uint64_t)_i + 1,
           2500);
}
END_TEST

/* Zooming in and out comes back; the window stays in the trace and wider than a
 * nanosecond a cell. */
START_TEST(test_zoom)
{
    struct random r = random_seed(8);
    struct shown s = show(demo(), 100, 30, false);
    for (int i = 0; i < 3000; i++) {
        static const char keys[] = "hlHL+-wsio0Fuf";
        viewer_key(s.v, (uint32_t)keys[random_below(&r, sizeof keys - 1)]);
        ck_assert_int_ge(s.v->from_ns, 0);
        ck_assert_int_le(s.v->to_ns, s.t->end_ns > 84 ? s.t->end_ns : 84);
        ck_assert_int_ge(s.v->to_ns - s.v->from_ns, 84);
        ck_assert(s.v->cursor_ns >= s.v->from_ns && s.v->cursor_ns < s.v->to_ns);
    }
    press(&s, "0");
    for (int i = 0; i < 40; i++)
        press(&s, "+");
    ck_assert_int_eq(s.v->to_ns - s.v->from_ns, 100 - s.v->layout.label_width);
    hide(&s);
}
END_TEST

/* ------------------------------------------------------------------------ */
/* Stored screens: tests/golden/NAME.script makes NAME.*.screen. UPDATE_GOLDEN=1 writes
 * them anew. */

static const struct {
    const char *name;
    int cols, rows;
    bool ascii;
} goldens[] = {
    {"start", 80, 24, false},     {"start", 100, 30, false},  {"start", 200, 60, false},
    {"start", 80, 24, true},      {"start", 40, 10, true},    {"iteration", 120, 40, false},
    {"iteration", 120, 40, true}, {"search", 100, 30, false}, {"event", 100, 30, false},
    {"help", 80, 24, false},
};

/* Says which lines differ, and how. */
static void assert_same_screen(const char *name, const char *stored, const char *now)
{
    struct text said = {0};
    const char *a = stored, *b = now;
    for (int line = 1; *a || *b; line++) {
        size_t a_len = strcspn(a, "\n"), b_len = strcspn(b, "\n");
        if (a_len != b_len || memcmp(a, b, a_len) != 0)
            text_printf(&said, "line %d\n - %.*s\n + %.*s\n", line, (int)a_len, a, (int)b_len, b);
        a += a_len + (a[a_len] == '\n');
        b += b_len + (b[b_len] == '\n');
    }
    if (said.len == 0)
        return;
    fprintf(stderr, "%s differs (- stored, + now):\n%s", name, said.data);
    ck_abort_msg("%s differs; UPDATE_GOLDEN=1 stores it anew", name);
}

START_TEST(test_golden)
{
    char script[TEST_PATH], expected[TEST_PATH], name[200];
    struct error err = {0};
    struct shown s = show(demo(), goldens[_i].cols, goldens[_i].rows, goldens[_i].ascii);
    snprintf(name, sizeof name, "tests/golden/%s.script", goldens[_i].name);
    FILE *in = fopen(source_file(name, script, sizeof script), "r");
    ck_assert_msg(in != NULL, "%s", script);
    ck_assert_msg(script_run(s.v, in, name, &err), "%s", err.message);
    fclose(in);
    char *now = screen(&s);
    snprintf(name, sizeof name, "tests/golden/%s.%dx%d%s.screen", goldens[_i].name,
             goldens[_i].cols, goldens[_i].rows, goldens[_i].ascii ? ".ascii" : "");
    source_file(name, expected, sizeof expected);
    if (getenv("UPDATE_GOLDEN")) {
        write_whole_file(expected, now, strlen(now));
    } else {
        char *stored = read_whole_file(expected, NULL);
        assert_same_screen(name, stored, now);
        free(stored);
    }
    free(now);
    hide(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("view");
    TCase *tc = tcase_create("view");
    tcase_set_timeout(tc, 0);
    tcase_add_test(tc, test_grid);
    tcase_add_test(tc, test_scale);
    tcase_add_test(tc, test_prompt);
    tcase_add_test(tc, test_walk);
    tcase_add_test(tc, test_every_key);
    tcase_add_test(tc, test_zoom);
    tcase_add_loop_test(tc, test_monkey, 0, 6);
    tcase_add_loop_test(tc, test_golden, 0, sizeof goldens / sizeof *goldens);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
