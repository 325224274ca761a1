/*
 * The command line, reports and exports.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "cli/options.h"
#include "report/export.h"
#include "report/output_file.h"
#include "test_support.h"
#include "trace/load.h"

/* A command line in one string. */
static bool parse(const char *line, struct options *options, struct error *err)
{
    static char copy[1000];
    static char *argv[40];
    int argc = 0;
    snprintf(copy, sizeof copy, "spytop %s", line);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    argv[argc] = NULL;
    error_clear(err);
    return options_parse(argc, argv, options, err);
}

static const char *const good_lines[] = {
    "a.json",
    "-r info a",
    "--report=summary -f json a b",
    "-x out.json -w 1..2 a",
    "--demo",
    "-h",
    "-V --nonsense",
    "-rgaps -b track a",
    "-r diff a b",
    "-qr slices -s dur -n 5 a",
    "-r summary -b stem -s p95 -- -a",
    "--size=80x24 --script=s a",
    "--rep info a",
    "-r summary -c all -",
};

START_TEST(test_good_lines)
{
    struct options options;
    struct error err = {0};
    ck_assert_msg(parse(good_lines[_i], &options, &err), "%s: %s", good_lines[_i], err.message);
}
END_TEST

static const struct {
    const char *line, *named; /* what the message has to name */
} bad_lines[] = {
    {"", "no trace"},
    {"-r nonsense a", "nonsense"},
    {"-f xml -r info a", "xml"},
    {"--nonsense a", "--nonsense"},
    {"-Z a", "-Z"},
    {"-r", "-r"},
    {"-n -1 -r info a", "-1"},
    {"-n 5x -r info a", "5x"},
    {"-t 0 a", "0"},
    {"-r gaps -b name a", "name"},
    {"-r info -s total a", "total"},
    {"-r diff a", "two"},
    {"-x o -r info a", "-x"},
    {"-w 1..2 -i 0 -r info a", "-w"},
    {"--size=1x1 a", "1x1"},
    {"--color=maybe a", "maybe"},
    {"-m ( a", "("},
    {"--demo a", "--demo"},
    {"--report", "--report"},
    {"--quiet=1 a", "--quiet"},
    {"-x o a b", "-x"},
};

START_TEST(test_bad_lines)
{
    struct options options;
    struct error err = {0};
    ck_assert_msg(!parse(bad_lines[_i].line, &options, &err), "%s", bad_lines[_i].line);
    ck_assert_int_eq(err.kind, ERROR_USAGE);
    ck_assert_msg(strstr(err.message, bad_lines[_i].named), "%s: %s", bad_lines[_i].line,
                  err.message);
}
END_TEST

START_TEST(test_values)
{
    struct options o;
    struct error err = {0};
    ck_assert(parse("-r summary -f csv -n 7 -t 3 -b track -s mean --size=80x24 one two", &o, &err));
    ck_assert_int_eq(o.report, REPORT_SUMMARY);
    ck_assert_int_eq(o.format, FORMAT_CSV);
    ck_assert_int_eq(o.top, 7);
    ck_assert_uint_eq(o.threads, 3);
    ck_assert_int_eq(o.by, BY_TRACK);
    ck_assert_int_eq(o.sort, SORT_MEAN);
    ck_assert_int_eq(o.cols, 80);
    ck_assert_int_eq(o.path_count, 2);
    ck_assert_str_eq(o.paths[1], "two");
}
END_TEST

/* ------------------------------------------------------------------------ */

/* Names with all that makes trouble. */
static const char nasty[] =
    "{\"displayTimeUnit\": \"ns\", \"big\": 18446744073709551615, \"traceEvents\": [\n"
    "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"args\":{\"name\":\"p,\\\"q\\\"\"}},\n"
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"a \\\"b\\\", c\\nd\",\"pid\":1,\"tid\":1,\"ts\":1,"
    "\"dur\":2.5},\n"
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"\x1b[31mred\\u001b]0;t\\u0007\",\"pid\":1,\"tid\":"
    "1,"
    "\"ts\":5,\"dur\":1,\"args\":{\"x\":NaN}},\n"
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"bad\xff\xe2\x80\xae\",\"pid\":1,\"tid\":1,\"ts\":"
    "9,"
    "\"dur\":1},\n"
    "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#1\",\"pid\":1,\"tid\":2,"
    "\"ts\":0,"
    "\"dur\":20},\n"
    "{\"ph\":\"i\",\"name\":\"mark\",\"pid\":1,\"tid\":2,\"ts\":6,\"s\":\"t\"}],\n"
    "\"traceName\": \"x\"}";

struct opened {
    struct trace *t;
    struct index *ix;
};

static struct opened open_text(const char *text)
{
    struct error err = {0};
    struct opened o = {.t = trace_from_text(text, strlen(text), &err)};
    ck_assert_msg(o.t != NULL, "%s", err.message);
    o.ix = index_build(o.t, 1);
    return o;
}

static void close_opened(struct opened *o)
{
    index_free(o->ix);
    trace_free(o->t);
}

static char *report(const struct opened *o, const struct report_request *request)
{
    char *text = NULL;
    size_t len;
    struct error err = {0};
    FILE *out = open_memstream(&text, &len);
    ck_assert_msg(report_write(out, o->t, o->ix, o->t, o->ix, request, &err), "%s", err.message);
    fclose(out);
    return text;
}

static struct report_request request_for(enum report_kind kind, enum report_format format)
{
    return (struct report_request){
        .kind = kind, .format = format, .from_ns = INT64_MIN, .to_ns = INT64_MAX, .top = -1};
}

/* Every report in JSON is JSON, in CSV has rows of equal length, and no format sends
 * a byte that a terminal obeys. */
START_TEST(test_all_reports)
{
    struct opened o = open_text(nasty);
    trace_locate_damage(o.t);
    for (int format = FORMAT_TEXT; format <= FORMAT_CSV; format++) {
        struct report_request request =
            request_for((enum report_kind)_i, (enum report_format)format);
        char *text = report(&o, &request);
        ck_assert_uint_gt(strlen(text), 0);
        for (const char *p = text; *p; p++)
            ck_assert_msg((unsigned char)*p >= 0x20 || *p == '\n' || (*p == '\r' && p[1] == '\n'),
                          "%s", text);
        ck_assert(!strstr(text, "\xe2\x80\xae") && !strstr(text, "\xff"));
        if (format == FORMAT_JSON) {
            json_error_t why;
            json_t *value = json_loads(text, 0, &why);
            ck_assert_msg(value != NULL, "%s: %s", why.text, text);
            ck_assert(strncmp(json_string_value(json_object_get(value, "format")), "spytop-", 7) ==
                      0);
            json_decref(value);
        }
        free(text);
    }
    close_opened(&o);
}
END_TEST

/* The keys that are promised, in their order. */
START_TEST(test_json_keys)
{
    static const char *const keys[] = {"\"format\":\"spytop-info-1\"",
                                       "\"files\":",
                                       "\"origin_us\":\"0.000\"",
                                       "\"base_time_ns\":null",
                                       "\"span_ns\":20000",
                                       "\"events\":",
                                       "\"by_phase\":",
                                       "\"by_category\":",
                                       "\"slices\":",
                                       "\"tracks\":",
                                       "\"counters\":",
                                       "\"async\":",
                                       "\"instants\":1",
                                       "\"flows\":",
                                       "\"iterations\":[\"ProfilerStep#1\"]",
                                       "\"focus\":",
                                       "\"warnings\":"};
    struct opened o = open_text(nasty);
    struct report_request request = request_for(REPORT_INFO, FORMAT_JSON);
    char *text = report(&o, &request);
    const char *at = text;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *found = strstr(at, keys[i]);
        ck_assert_msg(found != NULL, "%s is not behind %.60s", keys[i], at);
        at = found;
    }
    free(text);
    close_opened(&o);
}
END_TEST

START_TEST(test_csv_quoting)
{
    struct opened o = open_text(nasty);
    struct report_request request = request_for(REPORT_SLICES, FORMAT_CSV);
    char *text = report(&o, &request);
    ck_assert(strncmp(text, "name,category,pid,tid,start_ns,dur_ns,depth,lane\r\n", 50) == 0);
    ck_assert(strstr(text, "\"a \"\"b\"\", c\xe2\x90\x8a"
                           "d\",kernel,1,1,1000,2500,0,0\r\n"));
    free(text);
    close_opened(&o);
}
END_TEST

START_TEST(test_text_width)
{
    struct opened o = open_text(nasty);
    for (int width = 20; width < 160; width += 7) {
        struct report_request request = request_for(REPORT_SUMMARY, FORMAT_TEXT);
        request.width = width;
        char *text = report(&o, &request);
        for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
            if (strncmp(line, "busy", 4) != 0 && width > 30)
                ck_assert_msg(strlen(line) <= (size_t)width + 12, "%d: %s", width, line);
        free(text);
    }
    close_opened(&o);
}
END_TEST

/* ------------------------------------------------------------------------ */

static char folder[TEST_PATH];

static void make_folder(void)
{
    test_folder(folder);
}

static void remove_folder(void)
{
    test_folder_remove(folder);
}

static char *read_gzip(const char *path)
{
    gzFile in = gzopen(path, "rb");
    char *text = xcalloc(1 << 20, 1);
    ck_assert(in && gzread(in, text, (1 << 20) - 1) >= 0);
    gzclose(in);
    return text;
}

START_TEST(test_export)
{
    struct opened o = open_text(nasty);
    char path[TEST_PATH];
    struct export_options options = {.force = false};
    struct export_result result;
    struct error err = {0};
    const char *name = _i ? "out.json.gz" : "out.json";
    path_join(path, folder, name);
    ck_assert_msg(export_window(o.t, o.ix, 4000, 8000, path, &options, &result, &err), "%s",
                  err.message);
    ck_assert_uint_eq(result.slices, 2);
    char *text = _i ? read_gzip(path) : read_whole_file(path, NULL);
    json_error_t why;
    json_t *value = json_loads(text, JSON_DECODE_INT_AS_REAL, &why);
    ck_assert_msg(value != NULL, "%s: %s", why.text, text);
    ck_assert_uint_eq(json_array_size(json_object_get(value, "traceEvents")), 4);
    /* Members stay, also those no library can hold. */
    ck_assert(strstr(text, "18446744073709551615") && strstr(text, "\"traceName\": \"x\""));
    ck_assert(strstr(text, "\"x\": \"NaN\""));
    json_decref(value);
    free(text);
    /* Not over a file that is there, unless told to. */
    ck_assert(!export_window(o.t, o.ix, 0, 5, path, &options, &result, &err));
    ck_assert_int_eq(err.kind, ERROR_IO);
    error_clear(&err);
    options.force = true;
    ck_assert(export_window(o.t, o.ix, 0, 5, path, &options, &result, &err));
    /* What cannot be written leaves nothing. */
    path_join(path, folder, "none/out.json");
    ck_assert(!export_window(o.t, o.ix, 0, 5, path, &options, &result, &err));
    close_opened(&o);
}
END_TEST

static bool stop_at_once(void *context, uint64_t done, uint64_t total)
{
    (void)context;
    (void)done;
    (void)total;
    return false;
}

START_TEST(test_export_stopped)
{
    struct opened o = open_text(nasty);
    char path[TEST_PATH];
    struct stat st;
    struct export_options options = {.progress = stop_at_once};
    struct export_result result;
    struct error err = {0};
    path_join(path, folder, "stopped.json");
    ck_assert(!export_window(o.t, o.ix, 0, 9000, path, &options, &result, &err));
    ck_assert_int_eq(err.kind, ERROR_CANCELLED);
    ck_assert_int_ne(stat(path, &st), 0);
    close_opened(&o);
}
END_TEST

START_TEST(test_output_full)
{
    struct error err = {0};
    struct stat st;
    if (stat("/dev/full", &st) != 0)
        return;
    struct output_file *out = output_open("/dev/full", true, false, &err);
    ck_assert_ptr_nonnull(out);
    output_write(out, "x", 1);
    ck_assert(!output_close(out, &err));
    ck_assert_int_eq(err.kind, ERROR_IO);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("report");
    TCase *tc = tcase_create("report");
    tcase_set_timeout(tc, 0);
    tcase_add_checked_fixture(tc, make_folder, remove_folder);
    tcase_add_loop_test(tc, test_good_lines, 0, sizeof good_lines / sizeof *good_lines);
    tcase_add_loop_test(tc, test_bad_lines, 0, sizeof bad_lines / sizeof *bad_lines);
    tcase_add_test(tc, test_values);
    tcase_add_loop_test(tc, test_all_reports, 0, REPORT_DIFF + 1);
    tcase_add_test(tc, test_json_keys);
    tcase_add_test(tc, test_csv_quoting);
    tcase_add_test(tc, test_text_width);
    tcase_add_loop_test(tc, test_export, 0, 2);
    tcase_add_test(tc, test_export_stopped);
    tcase_add_test(tc, test_output_full);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
