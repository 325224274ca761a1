/*
 * Real traces with figures that another program computed: what the loaded trace
 * alone answers, looked up and added up here in the simplest way. And every slice
 * against its own bytes in the file, read by jansson and by hand.
 *
 * The traces are looked for where test_data() says; without them nothing is tested.
 */
#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "scan/number.h"
#include "test_support.h"
#include "trace/load.h"
#include "trace/source.h"

static json_t *read_json(const char *path)
{
    json_error_t why;
    json_t *value = json_load_file(path, 0, &why);
    ck_assert_msg(value != NULL, "%s: %s", path, why.text);
    return value;
}

static int64_t integer(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static const char *string(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static struct trace *load(const char *path, unsigned threads, size_t chunk)
{
    struct error err = {0};
    struct load_options options = {.threads = threads, .chunk = chunk};
    struct trace *t = trace_load(&path, 1, &options, &err);
    ck_assert_msg(t != NULL, "%s: %s", path, err.message);
    return t;
}

/* ------------------------------------------------------------------------ */
/* Counts */

static void compare_phases(const struct trace *t, const json_t *expected)
{
    ck_assert_uint_eq(json_object_size(expected), t->phase_count);
    for (size_t i = 0; i < t->phase_count; i++)
        ck_assert_msg(integer(expected, t->phases[i].text) == (int64_t)t->phases[i].count,
                      "phase %s", t->phases[i].text);
}

static void compare_categories(const struct trace *t, const json_t *expected)
{
    size_t used = 0;
    for (uint32_t i = 0; i < t->category_count; i++) {
        const char *text = intern_text(t->names, t->categories[i].text, NULL);
        used += t->category_events[i] > 0;
        ck_assert_msg(integer(expected, text) == (int64_t)t->category_events[i], "category %s",
                      text);
    }
    ck_assert_uint_eq(json_object_size(expected), used);
}

static void compare_counts(const struct trace *t, const json_t *e)
{
    int64_t origin_ns;
    const char *origin = string(e, "origin_us");
    uint32_t tracks = 0;
    ck_assert_int_eq(number_time_ns(origin, strlen(origin), &origin_ns), NUMBER_OK);
    ck_assert_int_eq(origin_ns, t->origin_ns);
    ck_assert_int_eq(integer(e, "total"), (int64_t)t->event_count);
    ck_assert_int_eq(integer(e, "slices"), t->slice_count);
    for (uint32_t i = 0; i < t->track_count; i++)
        tracks += t->tracks[i].count > 0;
    ck_assert_int_eq(integer(e, "tracks"), tracks);
    compare_phases(t, json_object_get(e, "by_phase"));
    compare_categories(t, json_object_get(e, "by_category"));
}

/* ------------------------------------------------------------------------ */
/* Kernels by name */

static int compare_ns(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static int64_t percentile(const int64_t *sorted, size_t n, unsigned p)
{
    return sorted[(n * p + 99) / 100 - 1];
}

static bool in_window(const struct trace *t, uint32_t slice, int64_t from, int64_t to)
{
    int64_t start = t->start_ns[slice], end = trace_end_ns(t, slice);
    return start < to && (end > from || (end == start && start >= from));
}

/* One name: all its kernels in the window. */
static void compare_kernel(const struct trace *t, uint32_t name, const json_t *e, int64_t from,
                           int64_t to)
{
    int64_t *durations = xreallocarray(NULL, t->slice_count, sizeof *durations);
    int64_t total = 0, inside = 0;
    size_t n = 0;
    for (uint32_t i = 0; i < t->slice_count; i++) {
        int64_t start = t->start_ns[i], end = trace_end_ns(t, i);
        if (t->labels[t->label[i]].name != name || trace_category(t, i)->class != CATEGORY_KERNEL ||
            !in_window(t, i, from, to))
            continue;
        durations[n++] = t->dur_ns[i];
        total += t->dur_ns[i];
        inside += (end < to ? end : to) - (start > from ? start : from);
    }
    array_sort(durations, n, sizeof *durations, compare_ns);
    ck_assert_uint_eq((uint64_t)integer(e, "count"), n);
    ck_assert_int_eq(integer(e, "total_ns"), total);
    ck_assert_int_eq(integer(e, "window_ns"), inside);
    ck_assert_int_eq(integer(e, "min_ns"), durations[0]);
    ck_assert_int_eq(integer(e, "max_ns"), durations[n - 1]);
    ck_assert_int_eq(integer(e, "p50_ns"), percentile(durations, n, 50));
    ck_assert_int_eq(integer(e, "p95_ns"), percentile(durations, n, 95));
    ck_assert_int_eq(integer(e, "p99_ns"), percentile(durations, n, 99));
    free(durations);
}

static void compare_kernels(const struct trace *t, const json_t *expected, int64_t from, int64_t to)
{
    bool *seen = xcalloc(intern_count(t->names), sizeof *seen);
    size_t names = 0;
    for (uint32_t i = 0; i < t->slice_count; i++) {
        uint32_t name = t->labels[t->label[i]].name;
        if (seen[name] || trace_category(t, i)->class != CATEGORY_KERNEL ||
            !in_window(t, i, from, to))
            continue;
        seen[name] = true;
        names++;
        const json_t *e = json_object_get(expected, trace_name(t, i, NULL));
        ck_assert_msg(e != NULL, "not expected: %s", trace_name(t, i, NULL));
        compare_kernel(t, name, e, from, to);
    }
    ck_assert_uint_eq(names, json_object_size(expected));
    free(seen);
}

/* ------------------------------------------------------------------------ */
/* Every slice against its bytes */

/* The text of the number (or of the string of a number) behind a key of the event,
 * found by counting brackets. The event is valid JSON. */
static bool raw_number(const char *event, size_t len, const char *key, char out[64])
{
    char quoted[64];
    size_t depth = 0;
    int quoted_len = snprintf(quoted, sizeof quoted, "\"%s\"", key);
    for (const char *p = event; p < event + len; p++) {
        if (*p == '{' || *p == '[')
            depth++;
        if (*p == '}' || *p == ']')
            depth--;
        if (*p != '"')
            continue;
        const char *start = p;
        for (p++; *p != '"'; p++)
            p += *p == '\\';
        if (depth != 1 || strncmp(start, quoted, (size_t)quoted_len) != 0)
            continue;
        const char *value = p + 1 + strspn(p + 1, " \t\r\n");
        if (*value != ':')
            continue;
        value += 1 + strspn(value + 1, " \t\r\n\"");
        snprintf(out, 64, "%.*s", (int)strspn(value, "+-.0123456789eE"), value);
        return true;
    }
    return false;
}

/* Plain decimal microseconds to nanoseconds, digit by digit. */
static int64_t nanoseconds(const char *text)
{
    __int128 value = 0;
    int decimals = -1;
    bool negative = *text == '-';
    for (const char *p = text + negative; *p; p++) {
        if (*p == '.') {
            decimals = 0;
        } else if (decimals < 4) {
            ck_assert_msg(*p >= '0' && *p <= '9', "%s", text);
            value = value * 10 + (*p - '0');
            decimals += decimals >= 0;
        }
    }
    for (int i = decimals < 0 ? 0 : decimals; i < 4; i++)
        value *= 10;
    value = (value + 5) / 10;
    return negative ? -(int64_t)value : (int64_t)value;
}

static void check_id(const struct trace *t, uint32_t id, const json_t *e)
{
    char text[64];
    if (!e || json_is_null(e)) {
        ck_assert(trace_id_missing(id));
    } else if (json_is_integer(e)) {
        snprintf(text, sizeof text, "%lld", (long long)json_integer_value(e));
        ck_assert_str_eq(trace_id(t, id), text);
    } else {
        ck_assert_str_eq(trace_id(t, id), json_string_value(e));
    }
}

static void check_name(const struct trace *t, uint32_t slice, const json_t *event)
{
    const char *name = string(event, "name");
    const char *original = string(json_object_get(event, "args"), "orig_name");
    const char *category = string(event, "cat");
    if (original)
        name = original;
    ck_assert_str_eq(trace_name(t, slice, NULL), name ? name : "");
    ck_assert_str_eq(intern_text(t->names, trace_category(t, slice)->text, NULL),
                     category ? category : "");
}

static void check_times(const struct trace *t, uint32_t slice, const struct text *event,
                        const struct text *end)
{
    char ts[64], dur[64];
    ck_assert(raw_number(event->data, event->len, "ts", ts));
    ck_assert_int_eq(t->start_ns[slice] + t->origin_ns, nanoseconds(ts));
    if (end) {
        ck_assert(raw_number(end->data, end->len, "ts", dur));
        ck_assert_int_eq(t->dur_ns[slice], nanoseconds(dur) - nanoseconds(ts));
    } else if (raw_number(event->data, event->len, "dur", dur)) {
        int64_t dur_ns = nanoseconds(dur);
        ck_assert_int_eq(t->dur_ns[slice], dur_ns > 0 ? dur_ns : 0);
    }
}

static void check_slice(const struct trace *t, uint32_t slice, struct text *event, struct text *end)
{
    json_error_t why;
    uint64_t end_byte = trace_end_byte(t, slice);
    const struct track *track = &t->tracks[trace_track_of(t, slice)];
    ck_assert(slice >= track->first && slice < track->first + track->count);
    ck_assert(trace_read_event(t, 0, t->byte[slice], event));
    json_t *value = json_loadb(event->data, event->len, 0, &why);
    ck_assert_msg(value != NULL, "%.*s: %s", (int)event->len, event->data, why.text);
    ck_assert_str_eq(string(value, "ph"), end_byte == UINT64_MAX ? "X" : "B");
    check_name(t, slice, value);
    check_id(t, t->processes[track->process].pid, json_object_get(value, "pid"));
    check_id(t, track->tid, json_object_get(value, "tid"));
    if (end_byte != UINT64_MAX)
        ck_assert(trace_read_event(t, 0, end_byte, end));
    check_times(t, slice, event, end_byte == UINT64_MAX ? NULL : end);
    json_decref(value);
}

enum { LOOKED_AT = 3000 };

static void check_slices(const struct trace *t)
{
    struct text event = {0}, end = {0};
    uint32_t step = t->slice_count / LOOKED_AT + 1;
    for (uint32_t i = 0; i < t->slice_count; i += step)
        check_slice(t, i, &event, &end);
    text_free(&event);
    text_free(&end);
}

/* ------------------------------------------------------------------------ */
/* The order of things */

static void check_order(const struct trace *t)
{
    uint32_t next = 0;
    for (uint32_t k = 0; k < t->track_count; k++) {
        const struct track *track = &t->tracks[k];
        int64_t last = INT64_MIN;
        ck_assert_uint_eq(track->first, next);
        next += track->count;
        for (uint32_t i = track->first; i < next; i++) {
            int64_t end = trace_end_ns(t, i);
            last = end > last ? end : last;
            bool right = i == track->first || t->start_ns[i] > t->start_ns[i - 1] ||
                         (t->start_ns[i] == t->start_ns[i - 1] &&
                          (t->dur_ns[i] < t->dur_ns[i - 1] ||
                           (t->dur_ns[i] == t->dur_ns[i - 1] && t->byte[i] > t->byte[i - 1])));
            if (!right || t->dur_ns[i] < 0 || t->start_ns[i] < 0)
                ck_abort_msg("track %u: slice %u", k, i);
        }
        if (track->count) {
            ck_assert_int_eq(track->start_ns, t->start_ns[track->first]);
            ck_assert_int_eq(track->end_ns, last);
        }
    }
    ck_assert_uint_eq(next, t->slice_count);
}

static void check_processes(const struct trace *t)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < t->process_count; i++) {
        const struct process *p = &t->processes[i];
        if (p->track_count)
            ck_assert_uint_eq(p->first_track, next);
        next += p->track_count;
        for (uint32_t k = p->first_track; k < p->first_track + p->track_count; k++)
            ck_assert_uint_eq(t->tracks[k].process, i);
        if (i > 0)
            ck_assert(t->processes[i - 1].sort_index <= p->sort_index);
    }
    ck_assert_uint_eq(next, t->track_count);
}

/* However the text is cut into pieces, and however many threads scan them. */
static void compare_threads(const struct trace *t, const char *path)
{
    static const size_t chunks[] = {4096, 100000};
    for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++) {
        struct trace *other = load(path, 2, chunks[i]);
        size_t n = t->slice_count;
        ck_assert_uint_eq(other->slice_count, n);
        ck_assert_uint_eq(other->event_count, t->event_count);
        ck_assert_mem_eq(other->start_ns, t->start_ns, n * sizeof *t->start_ns);
        ck_assert_mem_eq(other->dur_ns, t->dur_ns, n * sizeof *t->dur_ns);
        ck_assert_mem_eq(other->byte, t->byte, n * sizeof *t->byte);
        ck_assert_mem_eq(other->label, t->label, n * sizeof *t->label);
        ck_assert_mem_eq(other->correlation, t->correlation, n * sizeof *t->correlation);
        ck_assert_mem_eq(other->damage.counts, t->damage.counts, sizeof t->damage.counts);
        trace_free(other);
    }
}

/* A strictly valid trace is not blamed for its syntax. */
static void check_no_damage(const struct trace *t)
{
    for (int kind = 0; kind < DAMAGE_KIND_COUNT; kind++) {
        bool about_times = kind >= DAMAGE_OUT_OF_RANGE || kind == DAMAGE_NO_EVENTS;
        ck_assert_msg(about_times || t->damage.counts[kind] == 0, "%s",
                      damage_name((enum damage_kind)kind));
    }
}

static void check_trace(const char *name, const char *folder)
{
    char path[TEST_PATH], file[2 * TEST_PATH];
    json_t *e = read_json(path_join(path, folder, name));
    int len = snprintf(file, sizeof file, "%.1000s/../%s", folder, name);
    if (access(file, R_OK) != 0)
        snprintf(file + len, sizeof file - (size_t)len, ".gz");
    struct trace *t = load(file, 1, 0);
    const json_t *window = json_object_get(e, "window");
    compare_counts(t, e);
    compare_kernels(t, json_object_get(e, "summary"), INT64_MIN / 2, INT64_MAX / 2);
    compare_kernels(t, json_object_get(e, "window_summary"),
                    json_integer_value(json_array_get(window, 0)),
                    json_integer_value(json_array_get(window, 1)));
    check_no_damage(t);
    check_order(t);
    check_processes(t);
    check_slices(t);
    compare_threads(t, file);
    trace_free(t);
    json_decref(e);
}

START_TEST(test_traces)
{
    char folder[TEST_PATH];
    struct dirent **entries;
    if (!test_data("traces/expected", folder, sizeof folder)) {
        puts("# skipped: the collection of traces is not there");
        return;
    }
    int count = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        if (entries[i]->d_name[0] != '.') {
            mark_point();
            check_trace(entries[i]->d_name, folder);
        }
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("shared_traces");
    TCase *tc = tcase_create("shared_traces");
    tcase_set_timeout(tc, 0);
    tcase_add_test(tc, test_traces);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
