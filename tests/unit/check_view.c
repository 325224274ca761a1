/*
 * The viewer without a terminal: prompts, every command, random keys, and that
 * nothing of a trace gets out unescaped.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/utf8.h"
#include "query/match.h"
#include "test_support.h"
#include "trace_builder.h"
#include "view/command.h"
#include "view/script.h"

static char *grid_string(const struct grid *g)
{
    struct text text = {0};
    grid_to_text(g, &text);
    return text.data;
}

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

static const char mixed[] =
    "[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":1,\"tid\":1,\"ts\":100,"
    "\"dur\":200},"
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":150,\"dur\":100},"
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":8,\"ts\":200,\"dur\":100},"
    "{\"ph\":\"C\",\"name\":\"memory\",\"pid\":1,\"ts\":50,\"args\":{\"used\":10,\"free\":90}},"
    "{\"ph\":\"C\",\"name\":\"memory\",\"pid\":1,\"ts\":250,\"args\":{\"used\":100,\"free\":0}},"
    "{\"ph\":\"C\",\"name\":\"power\",\"pid\":0,\"ts\":20,\"args\":{\"W\":-5}},"
    "{\"ph\":\"C\",\"name\":\"power\",\"pid\":0,\"ts\":220,\"args\":{\"W\":5.25}},"
    "{\"ph\":\"b\",\"cat\":\"io\",\"name\":\"read\",\"id\":1,\"pid\":1,\"tid\":1,\"ts\":10},"
    "{\"ph\":\"e\",\"cat\":\"io\",\"name\":\"read\",\"id\":1,\"pid\":1,\"tid\":1,\"ts\":120},"
    "{\"ph\":\"b\",\"cat\":\"io\",\"name\":\"poll\",\"id\":3,\"pid\":1,\"tid\":1,\"ts\":100},"
    "{\"ph\":\"B\",\"cat\":\"cpu_op\",\"name\":\"hung_up\",\"pid\":1,\"tid\":2,\"ts\":120},"
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"inside\",\"pid\":1,\"tid\":2,\"ts\":260,"
    "\"dur\":100},"
    "{\"ph\":\"i\",\"name\":\"mark\",\"s\":\"t\",\"pid\":1,\"tid\":3,\"ts\":400}]";

static struct trace *mixed_trace(void)
{
    struct error err = {0};
    return trace_from_text(mixed, strlen(mixed), &err);
}

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
    struct trace *t = _i % 3 == 0   ? demo()
                      : _i % 3 == 1 ? trace_from_text(hostile, strlen(hostile), &err)
                                    : mixed_trace();
    monkey(t, (uint64_t)_i + 1, 3000);
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
        ck_assert_int_ge(s.v->from_ns, s.v->prepared->first_ns);
        ck_assert_int_le(s.v->to_ns, s.v->prepared->end_ns);
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

/* Windows at the ends of time: nothing overflows, the window stays within the trace. */
START_TEST(test_ends_of_time)
{
    static const int64_t spans[][2] = {
        {INT64_MIN / 2, 10},  {INT64_MAX - 10, 10},           {0, INT64_MAX},
        {INT64_MIN + 1, 100}, {INT64_MIN / 2, INT64_MAX - 1}, {1700000000000000000, 1},
    };
    struct random r = random_seed((uint64_t)_i + 1);
    struct made *m = made_new();
    made_process(m, 0, "0");
    uint32_t track = made_track(m, "7", TRACK_DEVICE);
    made_slice(m, track, "kernel", "one", spans[_i][0], spans[_i][1], 0);
    if (_i % 2)
        made_slice(m, track, "kernel", "zero", 0, 0, 0);
    struct shown s = show(made_trace(m), 90, 30, false);
    for (int i = 0; i < 3000; i++) {
        static const char keys[] = "hlHL+-wsio0Fuf.,Z}{vgGjkT";
        viewer_key(s.v, (uint32_t)keys[random_below(&r, sizeof keys - 1)]);
        viewer_work(s.v);
        if (random_chance(&r, 20))
            viewer_draw(s.v, &s.g);
        if (s.v->from_ns < s.v->prepared->first_ns || s.v->to_ns <= s.v->from_ns ||
            s.v->cursor_ns < s.v->from_ns || s.v->cursor_ns >= s.v->to_ns)
            ck_abort_msg("window %jd to %jd, cursor %jd", (intmax_t)s.v->from_ns,
                         (intmax_t)s.v->to_ns, (intmax_t)s.v->cursor_ns);
    }
    hide(&s);
}
END_TEST

/* Panning to and fro comes back, and so does zooming in and out, as long as no end of the
 * trace is in the way. */
START_TEST(test_reversible)
{
    struct random r = random_seed(9);
    struct shown s = show(demo(), 100, 30, false);
    press(&s, "]");
    for (int i = 0; i < 200; i++) {
        int64_t from = random_between(&r, 500000000, 900000000);
        int64_t span = random_between(&r, 1000, 100000000);
        zoom_place(s.v, from, from + span);
        s.v->cursor_ns = random_between(&r, from, from + span - 1);
        press(&s, random_chance(&r, 50) ? "h l" : "l h");
        ck_assert_int_eq(s.v->from_ns, from);
        ck_assert_int_eq(s.v->to_ns, from + span);
        press(&s, "+ -");
        ck_assert_int_le(llabs(s.v->from_ns - from), 2);
        ck_assert_int_le(llabs(s.v->to_ns - from - span), 2);
        press(&s, "u u u u");
        ck_assert_int_eq(s.v->from_ns, from);
        ck_assert_int_eq(s.v->to_ns, from + span);
        press(&s, "U U");
        ck_assert_int_eq(s.v->from_ns, from);
    }
    hide(&s);
}
END_TEST

/* Everything that is no slice has its place; device time is a union. */
START_TEST(test_mixed)
{
    struct shown s = show(mixed_trace(), 100, 30, true);
    press(&s, "0");
    assert_shows(&s, "busy 38.5 %"); /* 150 of the 390 us from 10 to 400 */
    assert_shows(&s, "async");
    assert_shows(&s, "|read#");
    assert_shows(&s, "memory used");
    assert_shows(&s, "power");
    assert_shows(&s, "hung_up...");
    assert_shows(&s, "v");
    press(&s, "G k k");
    press(&s, "C Space q");
    assert_shows(&s, "1 category off");
    hide(&s);
}
END_TEST

/* A search shows its first match while it is typed; Esc leaves everything as it was. */
START_TEST(test_search)
{
    struct shown s = show(demo(), 100, 30, false);
    press(&s, "] ]");
    char *before = screen(&s);
    press(&s, "/ s o f t m a x");
    ck_assert_uint_ne(s.v->slice, TRACE_NONE);
    assert_shows(&s, "/softmax");
    press(&s, "Esc");
    char *after = screen(&s);
    assert_same_screen("the screen before the search", before, after);
    press(&s, "/ s o f t m a x");
    uint32_t first = s.v->slice;
    press(&s, "Enter");
    ck_assert_uint_eq(s.v->slice, first);
    press(&s, "n N");
    ck_assert_uint_eq(s.v->slice, first);
    press(&s, "/ ( Enter");
    ck_assert(s.v->message_is_error);
    ck_assert_str_eq(s.v->search, "softmax");
    press(&s, "\\ m m Enter");
    assert_shows(&s, "filter mm");
    press(&s, "\\ C-u Enter");
    ck_assert_ptr_null(s.v->filter);
    press(&s, "b");
    free(before);
    free(after);
    hide(&s);
}
END_TEST

/* In a column of many slices the one that matches is told by the list of matches, as it
 * would be by looking at every slice. */
START_TEST(test_match_columns)
{
    struct shown s = show(demo(), 70, 40, false);
    struct error err = {0};
    ck_assert(viewer_command(s.v, "search rope", &err));
    press(&s, "0");
    free(screen(&s));
    const struct lane_slices *found = s.v->found;
    ck_assert_ptr_nonnull(found);
    size_t listed = 0;
    uint32_t before;
    for (uint32_t k = 0; k < s.t->track_count; k++) {
        for (uint32_t lane = 0; lane < index_lanes(s.ix, k); lane++) {
            size_t from = found->first[found->row[k] + lane];
            size_t to = found->first[found->row[k] + lane + 1];
            for (size_t i = from; i < to; i++) {
                ck_assert(i == from || found->slices[i] > found->slices[i - 1]);
                ck_assert_uint_eq(trace_track_of(s.t, found->slices[i]), k);
                ck_assert_uint_eq(index_lane(s.ix, found->slices[i]), lane);
                ck_assert(s.v->matches[s.t->labels[s.t->label[found->slices[i]]].name]);
            }
            listed += to - from;
        }
    }
    ck_assert_uint_eq(listed, match_count(s.t, s.v->matches, TRACE_NONE, &before));
    int flagged = 0;
    for (int i = 0; i < s.g.cols * s.v->layout.tabs_y; i++)
        flagged += (s.g.cells[i].flags & CELL_MATCH) != 0;
    ck_assert_int_gt(flagged, 20);
    hide(&s);
}
END_TEST

static void mouse(struct shown *s, enum mouse_kind kind, int x, int y)
{
    struct mouse_event e = {.kind = kind, .x = x, .y = y};
    viewer_mouse(s->v, &e);
    free(screen(s));
}

START_TEST(test_mouse)
{
    struct shown s = show(demo(), 120, 40, false);
    free(screen(&s));
    const struct layout *l = &s.v->layout;
    int stream = -1;
    for (uint32_t i = 0; i < s.v->line_count && stream < 0; i++)
        if (s.v->lines[i].kind == ROW_LANE && i == s.v->cursor_line)
            stream = (int)i;
    mouse(&s, MOUSE_PRESS, 110, l->rows_y + stream);
    ck_assert_uint_ne(s.v->slice, TRACE_NONE);
    mouse(&s, MOUSE_DRAG, 100, l->rows_y + stream);
    mouse(&s, MOUSE_RELEASE, 100, l->rows_y + stream);
    ck_assert(s.v->has_range);
    assert_shows(&s, "range, by total");
    press(&s, "Esc");
    int64_t span = s.v->to_ns - s.v->from_ns;
    mouse(&s, MOUSE_DOUBLE, 110, l->rows_y + stream);
    ck_assert_int_lt(s.v->to_ns - s.v->from_ns, span / 10);
    press(&s, "0");
    struct mouse_event wheel = {.kind = MOUSE_WHEEL_UP, .x = 60, .y = 10, .control = true};
    viewer_mouse(s.v, &wheel);
    ck_assert_int_lt(s.v->to_ns - s.v->from_ns, span);
    press(&s, "+ + +");
    mouse(&s, MOUSE_PRESS, 100, l->overview_y);
    int64_t middle = s.v->from_ns + (s.v->to_ns - s.v->from_ns) / 2;
    ck_assert_int_lt(llabs(middle - s.t->end_ns * 5 / 6), s.t->end_ns / 50);
    mouse(&s, MOUSE_PRESS, 17, l->tabs_y);
    assert_shows(&s, "[2 Ops]");
    mouse(&s, MOUSE_PRESS, 3, l->table_y + 2);
    ck_assert_uint_eq(table_cursor(s.v->tables[TABLE_OPS]), 1);
    mouse(&s, MOUSE_PRESS, 3, l->table_y);
    hide(&s);
}
END_TEST

/* A second load keeps the place, the search and the folds' sense. */
START_TEST(test_reload)
{
    struct shown s = show(demo(), 100, 30, false);
    press(&s, "] ] / s o f t Enter");
    int64_t from = s.v->from_ns, to = s.v->to_ns;
    struct trace *old = s.t;
    struct index *old_index = s.ix;
    s.t = demo();
    s.ix = index_build(s.t, 1);
    viewer_show(s.v, s.t, s.ix);
    index_free(old_index);
    trace_free(old);
    free(screen(&s));
    ck_assert_int_eq(s.v->from_ns, from);
    ck_assert_int_eq(s.v->to_ns, to);
    assert_shows(&s, "/soft");
    press(&s, "n");
    hide(&s);
}
END_TEST

/* Scripts stop at the first line that fails, and say which. */
START_TEST(test_script_errors)
{
    static const struct {
        const char *script, *error;
    } cases[] = {
        {"# a comment\n\n  zoom-in\nsort p50\nsort share\ntable Gaps\nwait\nkey j k Enter C-l\n",
         NULL},
        {"zoom-in\nnonsense\n", "s:2: no command 'nonsense'"},
        {"sort nonsense\n", "s:1: this table has no column 'nonsense'"},
        {"key j\nkey jj\n", "s:2: no key 'jj'"},
        {"resize 10\n", "s:1: bad size '10'"},
        {"table Nonsense\n", "s:1: no table 'Nonsense'"},
        {"whole\nzoom-out\n", "s:2: this is the whole trace"},
        {"goto-mark q\n", "s:1: no mark q"},
        {"search nothing_at_all\n", "s:1: nothing matches 'nothing_at_all'"},
        {"search (\n", "s:1: "},
        {"goto-iteration 99\n", "s:1: "},
        {"save-screen\n", "s:1: save-screen needs a file"},
        {"save-screen /nonexistent/screen\n", "s:1: "},
        {"quit\nnonsense\n", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error err = {0};
        struct shown s = show(demo(), 100, 30, false);
        FILE *in = fmemopen((void *)(uintptr_t)cases[i].script, strlen(cases[i].script), "r");
        bool good = script_run(s.v, in, "s", &err);
        fclose(in);
        ck_assert_msg(good == !cases[i].error, "%s: %s", cases[i].script, err.message);
        if (cases[i].error)
            ck_assert_msg(strncmp(err.message, cases[i].error, strlen(cases[i].error)) == 0,
                          "'%s', not '%s'", err.message, cases[i].error);
        hide(&s);
    }
}
END_TEST

/* The manual names every command's first key. */
START_TEST(test_manual)
{
    char path[TEST_PATH];
    char *page = read_whole_file(source_file("man/spytop.1", path, sizeof path), NULL);
    const char *keys = strstr(page, ".SH KEYS");
    ck_assert_ptr_nonnull(keys);
    for (int i = 0; i < command_count; i++) {
        size_t len = strcspn(commands[i].keys, " ");
        const char *key = commands[i].keys;
        char wanted[32];
        /* Keys that only say that they come later are no part of the manual yet. */
        if (strcmp(commands[i].name, "picture") == 0 || strcmp(commands[i].name, "source") == 0)
            continue;
        if (len == 0 || strcmp(key, "S-Left") == 0 || strcmp(key, "S-Right") == 0 ||
            (*key >= '1' && *key <= '6'))
            continue;
        if (len == 1)
            snprintf(wanted, sizeof wanted, "%s%.1s",
                     *key == '-' || *key == '\\' || *key == '\'' ? "\\" : "",
                     *key == '\\'   ? "e"
                     : *key == '\'' ? "("
                                    : key);
        else
            snprintf(wanted, sizeof wanted, "%s",
                     strncmp(key, "Page", 4) == 0 ? "Pg"
                     : strncmp(key, "C-", 2) == 0 ? "Ctrl"
                                                  : "");
        bool found = false;
        size_t n = strlen(wanted);
        for (const char *p = keys; n > 0 && !found && (p = strstr(p, wanted)) != NULL; p++)
            found = n > 1 || (p[-1] == ' ' && strchr(" \n,", p[1]));
        ck_assert_msg(found || n == 0, "the manual does not name the key %.*s (%s)", (int)len, key,
                      commands[i].name);
    }
    free(page);
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
    {"help", 80, 24, false},      {"deep", 100, 30, false},   {"range", 120, 40, false},
    {"narrow", 59, 14, false},
};

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
    tcase_add_test(tc, test_prompt);
    tcase_add_test(tc, test_walk);
    tcase_add_test(tc, test_every_key);
    tcase_add_test(tc, test_zoom);
    tcase_add_loop_test(tc, test_ends_of_time, 0, 6);
    tcase_add_test(tc, test_reversible);
    tcase_add_test(tc, test_mixed);
    tcase_add_test(tc, test_search);
    tcase_add_test(tc, test_match_columns);
    tcase_add_test(tc, test_mouse);
    tcase_add_test(tc, test_reload);
    tcase_add_test(tc, test_script_errors);
    tcase_add_test(tc, test_manual);
    tcase_add_loop_test(tc, test_monkey, 0, 9);
    tcase_add_loop_test(tc, test_golden, 0, sizeof goldens / sizeof *goldens);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
