/*
 * Real and damaged traces with known answers, where the collection is at hand
 * (SPYTOP_TEST_DATA); without it these tests pass without looking.
 */
#include <dirent.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "query/gaps.h"
#include "query/iterations.h"
#include "query/launches.h"
#include "query/summary.h"
#include "scan/number.h"
#include "test_support.h"
#include "trace/load.h"

struct opened {
    struct trace *t;
    struct index *ix;
};

static struct opened open_path(const char *path)
{
    struct error err = {0};
    struct load_options options = {.threads = 2};
    struct opened o = {.t = trace_load(&path, 1, &options, &err)};
    if (o.t)
        o.ix = index_build(o.t, 1);
    return o;
}

static void close_opened(struct opened *o)
{
    index_free(o->ix);
    trace_free(o->t);
}

static int64_t us(const json_t *value)
{
    int64_t ns = 0;
    const char *text = json_string_value(value);
    ck_assert_msg(text && number_time_ns(text, strlen(text), &ns) == NUMBER_OK, "a time");
    return ns;
}

static int64_t integer(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

/* Files of a folder whose name has the ending; sorted. Their number. */
static int list_files(const char *folder, const char *ending, char names[][256], int most)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort), kept = 0;
    for (int i = 0; i < count; i++) {
        size_t len = strlen(entries[i]->d_name), end = strlen(ending);
        if (len > end && strcmp(entries[i]->d_name + len - end, ending) == 0 && kept < most)
            snprintf(names[kept++], 256, "%.*s", (int)(len - end), entries[i]->d_name);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return kept;
}

static json_t *read_json(const char *path)
{
    json_error_t why;
    json_t *value = json_load_file(path, 0, &why);
    ck_assert_msg(value != NULL, "%s: %s", path, why.text);
    return value;
}

/* ------------------------------------------------------------------------ */

static void compare_rows(const char *name, const struct trace *t, const struct summary *s,
                         const json_t *expected)
{
    ck_assert_msg(s->row_count == json_object_size(expected), "%s: %u rows", name, s->row_count);
    for (uint32_t i = 0; i < s->row_count; i++) {
        const struct summary_row *r = &s->rows[i];
        char mean[64];
        const json_t *e = json_object_get(expected, intern_text(t->names, r->name, NULL));
        ck_assert_msg(e != NULL, "%s: %s", name, r->text);
        ck_assert_int_eq(integer(e, "count"), r->count);
        ck_assert_int_eq(integer(e, "total_ns"), r->total_ns);
        ck_assert_int_eq(integer(e, "min_ns"), r->min_ns);
        ck_assert_int_eq(integer(e, "max_ns"), r->max_ns);
        ck_assert_int_eq(integer(e, "p50_ns"), r->p50_ns);
        ck_assert_int_eq(integer(e, "p95_ns"), r->p95_ns);
        ck_assert_int_eq(integer(e, "p99_ns"), r->p99_ns);
        ck_assert_int_eq(integer(e, "window_ns"), r->window_ns);
        snprintf(mean, sizeof mean, "%" PRId64 ".%03d", r->mean_ps / 1000,
                 (int)(r->mean_ps % 1000));
        ck_assert_str_eq(json_string_value(json_object_get(e, "mean_ns")), mean);
    }
}

static void compare_summary(const char *name, const struct opened *o, const json_t *expected,
                            int64_t from, int64_t to)
{
    struct selection sel;
    selection_init(&sel);
    sel.from_ns = from;
    sel.to_ns = to;
    selection_categories(&sel, o->t, "kernel");
    struct summary *s = summary_compute(o->t, o->ix, &sel, BY_NAME);
    compare_rows(name, o->t, s, expected);
    summary_free(s);
    selection_free(&sel);
}

static void compare_iterations(const struct opened *o, const json_t *expected)
{
    struct error err = {0};
    struct iterations *list = iterations_find(o->t, o->ix, NULL, NULL, &err);
    ck_assert_uint_eq(list->count, json_array_size(expected));
    for (uint32_t i = 0; i < list->count; i++) {
        const json_t *e = json_array_get(expected, i);
        const struct iteration *it = &list->items[i];
        ck_assert_str_eq(trace_name(o->t, it->slice, NULL),
                         json_string_value(json_object_get(e, "name")));
        ck_assert_int_eq(integer(e, "start_ns"), it->start_ns);
        ck_assert_int_eq(integer(e, "dur_ns"), it->dur_ns);
        ck_assert_int_eq(integer(e, "kernels"), it->kernels);
        ck_assert_int_eq(integer(e, "kernel_busy_ns"), it->kernel_busy_ns);
    }
    iterations_free(list);
}

static void compare_gaps(const struct opened *o, const json_t *expected)
{
    struct selection sel;
    selection_init(&sel);
    struct gaps *g = gaps_find(o->t, o->ix, &sel, false, 10);
    ck_assert_uint_eq(g->row_count, json_object_size(expected));
    for (uint32_t i = 0; i < g->row_count; i++) {
        const struct gap_row *row = &g->rows[i];
        const json_t *e =
            json_object_get(expected, trace_id(o->t, o->t->processes[row->process].pid));
        const json_t *largest = json_object_get(e, "largest");
        ck_assert_int_eq(integer(e, "span_ns"), row->span_ns);
        ck_assert_int_eq(integer(e, "busy_ns"), row->busy_ns);
        ck_assert_int_eq(integer(e, "idle_ns"), row->idle_ns);
        ck_assert_int_eq(integer(e, "gaps"), (int64_t)row->gap_count);
        ck_assert_uint_eq(json_array_size(largest), row->largest_count);
        for (size_t k = 0; k < row->largest_count; k++) {
            const json_t *gap = json_array_get(largest, k);
            ck_assert_int_eq(json_integer_value(json_array_get(gap, 0)), row->largest[k].start_ns);
            ck_assert_int_eq(json_integer_value(json_array_get(gap, 1)), row->largest[k].dur_ns);
        }
    }
    gaps_free(g);
}

static void compare_counts(const struct trace *t, const json_t *e)
{
    uint32_t tracks = 0, categories = 0;
    ck_assert_int_eq(us(json_object_get(e, "origin_us")), t->origin_ns);
    ck_assert_int_eq(integer(e, "total"), (int64_t)t->event_count);
    ck_assert_int_eq(integer(e, "slices"), t->slice_count);
    for (uint32_t i = 0; i < t->track_count; i++)
        tracks += t->tracks[i].count > 0;
    ck_assert_int_eq(integer(e, "tracks"), tracks);
    const json_t *phases = json_object_get(e, "by_phase");
    ck_assert_uint_eq(json_object_size(phases), t->phase_count);
    for (size_t i = 0; i < t->phase_count; i++)
        ck_assert_int_eq(integer(phases, t->phases[i].text), (int64_t)t->phases[i].count);
    const json_t *cats = json_object_get(e, "by_category");
    for (uint32_t i = 0; i < t->category_count; i++) {
        categories += t->category_events[i] > 0;
        ck_assert_int_eq(integer(cats, intern_text(t->names, t->categories[i].text, NULL)),
                         (int64_t)t->category_events[i]);
    }
    ck_assert_uint_eq(json_object_size(cats), categories);
}

START_TEST(test_traces)
{
    static char names[100][256];
    char folder[TEST_PATH], path[TEST_PATH], file[2 * TEST_PATH];
    if (!test_data("traces/expected", folder, sizeof folder)) {
        puts("# skipped: the collection of traces is not there");
        return;
    }
    int count = list_files(folder, ".json", names, 100);
    for (int i = 0; i < count; i++) {
        json_t *e = read_json(path_join(path, folder, strcat(strcpy(file, names[i]), ".json")));
        snprintf(file, sizeof file, "%.1000s/../%.255s.json", folder, names[i]);
        if (access(file, R_OK) != 0)
            strcat(file, ".gz");
        struct opened o = open_path(file);
        ck_assert_msg(o.t != NULL, "%s", file);
        compare_counts(o.t, e);
        compare_summary(names[i], &o, json_object_get(e, "summary"), INT64_MIN, INT64_MAX);
        const json_t *window = json_object_get(e, "window");
        compare_summary(names[i], &o, json_object_get(e, "window_summary"),
                        json_integer_value(json_array_get(window, 0)),
                        json_integer_value(json_array_get(window, 1)));
        compare_iterations(&o, json_object_get(e, "iterations"));
        compare_gaps(&o, json_object_get(e, "gaps"));
        close_opened(&o);
        json_decref(e);
    }
}
END_TEST

/* ------------------------------------------------------------------------ */

static bool is_syntax(enum damage_kind kind)
{
    switch (kind) {
    case DAMAGE_NO_EVENTS:
    case DAMAGE_UNMATCHED_BEGIN:
    case DAMAGE_UNMATCHED_END:
    case DAMAGE_OUTLIER_DURATION:
    case DAMAGE_OUTLIER_TIMESTAMP:
    case DAMAGE_NEGATIVE_DUR:
    case DAMAGE_OUT_OF_RANGE:
    case DAMAGE_GZIP_TRUNCATED:
    case DAMAGE_GZIP_CRC:
        return false;
    default:
        return true;
    }
}

static bool lists(const json_t *e, const char *key, const char *kind)
{
    size_t i;
    json_t *value;
    json_array_foreach(json_object_get(e, key), i,
                       value) if (strcmp(json_string_value(value), kind) == 0) return true;
    return false;
}

static bool warnings_right(const struct trace *t, const json_t *e)
{
    const json_t *any = json_object_get(e, "warnings_any_of");
    bool found = false;
    size_t i;
    json_t *value;
    for (int kind = 0; kind < DAMAGE_KIND_COUNT; kind++) {
        const char *name = damage_name((enum damage_kind)kind);
        bool listed =
            lists(e, "warnings", name) || lists(e, "warnings_optional", name) ||
            lists(e, "warnings_any_of", name) ||
            /* A surplus comma by another name. */
            (kind == DAMAGE_EXTRA_COMMA && lists(e, "warnings_optional", "trailing_comma"));
        if (t->damage.counts[kind] && is_syntax((enum damage_kind)kind) && !listed)
            return false;
        found |= t->damage.counts[kind] && lists(e, "warnings_any_of", name);
    }
    if (any)
        return found;
    json_array_foreach(json_object_get(e, "warnings"), i, value)
    {
        bool seen = false;
        for (int kind = 0; kind < DAMAGE_KIND_COUNT; kind++)
            seen |= t->damage.counts[kind] &&
                    strcmp(damage_name((enum damage_kind)kind), json_string_value(value)) == 0;
        if (!seen)
            return false;
    }
    return true;
}

static bool places_right(const struct trace *t, const json_t *e)
{
    size_t i;
    json_t *d;
    json_array_foreach(json_object_get(e, "damage"), i, d)
    {
        const json_t *bytes = json_object_get(d, "byte");
        uint64_t from = (uint64_t)json_integer_value(json_array_get(bytes, 0));
        uint64_t to = (uint64_t)json_integer_value(json_array_get(bytes, 1));
        bool found = false;
        for (size_t k = 0; k < t->damage.place_count; k++)
            found |= t->damage.places[k].byte >= from && t->damage.places[k].byte <= to + 40;
        if (!found)
            return false;
    }
    return true;
}

static bool kernels_right(const struct opened *o, const json_t *e)
{
    struct selection sel;
    const json_t *kernels = json_object_get(e, "kernels");
    bool loose = json_is_true(json_object_get(e, "names_loose"));
    if (!json_is_object(kernels))
        return true;
    selection_init(&sel);
    selection_categories(&sel, o->t, "kernel");
    struct summary *s = summary_compute(o->t, o->ix, &sel, BY_NAME);
    bool right = s->row_count == json_object_size(kernels);
    for (uint32_t i = 0; i < s->row_count && right && !loose; i++) {
        const char *name = intern_text(o->t->names, s->rows[i].name, NULL);
        const json_t *k = json_object_get(kernels, name);
        int64_t tolerance = integer(e, "tol_ns") * s->rows[i].count;
        right = k && integer(k, "count") == s->rows[i].count &&
                llabs(us(json_object_get(k, "total_us")) - s->rows[i].total_ns) <= tolerance;
    }
    summary_free(s);
    selection_free(&sel);
    return right;
}

static bool span_right(const struct trace *t, const json_t *e, const char *key, int64_t from,
                       int64_t to)
{
    const json_t *span = json_object_get(e, key);
    if (!json_is_array(span))
        return true;
    int64_t tolerance = integer(e, "tol_ns");
    return llabs(us(json_array_get(span, 0)) - from - t->origin_ns) <= tolerance &&
           llabs(us(json_array_get(span, 1)) - to - t->origin_ns) <= tolerance;
}

static bool iterations_right(const struct opened *o, const json_t *e)
{
    struct error err = {0};
    const json_t *names = json_object_get(e, "iterations");
    struct iterations *list = iterations_find(o->t, o->ix, NULL, NULL, &err);
    bool right = !json_is_array(names) || list->count == json_array_size(names);
    for (uint32_t i = 0; right && json_is_array(names) && i < list->count; i++)
        right = strcmp(trace_name(o->t, list->items[i].slice, NULL),
                       json_string_value(json_array_get(names, i))) == 0;
    iterations_free(list);
    return right;
}

static bool number_right(const json_t *e, const char *key, uint64_t value)
{
    const json_t *expected = json_object_get(e, key);
    return !json_is_integer(expected) || (uint64_t)json_integer_value(expected) == value;
}

static bool case_right(const struct opened *o, const json_t *e)
{
    const struct trace *t = o->t;
    if (!t) /* refused: right where nothing could be recovered */
        return json_is_string(json_object_get(e, "exit_code"));
    uint32_t tracks = 0, depth = 0;
    for (uint32_t i = 0; i < t->track_count; i++) {
        tracks += t->tracks[i].count > 0;
        depth = index_max_depth(o->ix, i) > depth ? index_max_depth(o->ix, i) : depth;
    }
    const json_t *unmatched = json_object_get(e, "unmatched");
    return number_right(e, "events_complete", t->slice_count) &&
           number_right(e, "tracks", tracks) && number_right(e, "max_depth", depth) &&
           number_right(e, "async_pairs", t->async_pairs) &&
           number_right(e, "async_open", t->async_open) &&
           (!unmatched || (number_right(unmatched, "begin", t->open_begin_count) &&
                           number_right(unmatched, "end", t->unmatched_ends))) &&
           span_right(t, e, "span_us", t->first_start_ns, t->last_end_ns) &&
           span_right(t, e, "focus_span_us", t->focus_start_ns, t->focus_end_ns) &&
           kernels_right(o, e) && iterations_right(o, e) && warnings_right(t, e) &&
           places_right(t, e);
}

START_TEST(test_cases)
{
    static char names[200][256];
    char folder[TEST_PATH], path[TEST_PATH], file[400];
    if (!test_data("cases", folder, sizeof folder)) {
        puts("# skipped: the collection of traces is not there");
        return;
    }
    int count = list_files(folder, ".expect.json", names, 200);
    for (int i = 0; i < count; i++) {
        snprintf(file, sizeof file, "%.255s.expect.json", names[i]);
        json_t *e = read_json(path_join(path, folder, file)), *other;
        const char *input = json_string_value(json_object_get(e, "file"));
        size_t k;
        if (!input || access(path_join(path, folder, input), R_OK) != 0) {
            json_decref(e); /* one that is made on demand */
            continue;
        }
        struct opened o = open_path(path);
        bool right = case_right(&o, e);
        json_array_foreach(json_object_get(e, "also_ok"), k, other)
        {
            json_t *changed = json_copy(e);
            json_object_update(changed, other);
            right = right || case_right(&o, changed);
            json_decref(changed);
        }
        ck_assert_msg(right, "%s", names[i]);
        close_opened(&o);
        json_decref(e);
    }
}
END_TEST

/* ------------------------------------------------------------------------ */

/* Where we differ from another viewer on purpose. */
static const struct {
    const char *name, *why;
} exceptions[] = {
    {"hta-amd-trace",
     "it takes tid 0 for the main thread and merges the two; to us it is a thread"},
    {"hta-event-sync", "it takes tid -1 for 0; ids are kept as they are"},
};

static bool is_exception(const char *name)
{
    for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
        if (strcmp(exceptions[i].name, name) == 0)
            return true;
    return false;
}

static const char *id_text(const json_t *id, char out[64])
{
    if (json_is_integer(id))
        snprintf(out, 64, "%lld", (long long)json_integer_value(id));
    else
        snprintf(out, 64, "%.63s", json_is_string(id) ? json_string_value(id) : "");
    return out;
}

/* An unused slice that equals the expected one is used up. */
static bool find_slice(const struct trace *t, bool *used, const json_t *e)
{
    char pid[64], tid[64];
    const char *name = json_string_value(json_object_get(e, "name"));
    id_text(json_object_get(e, "pid"), pid);
    id_text(json_object_get(e, "tid"), tid);
    for (uint32_t i = 0; i < t->slice_count; i++) {
        const struct track *track = &t->tracks[trace_track_of(t, i)];
        if (used[i] || t->start_ns[i] + t->origin_ns != integer(e, "ts_ns") ||
            t->dur_ns[i] != integer(e, "dur_ns") ||
            strcmp(trace_name(t, i, NULL), name ? name : "") != 0 ||
            strcmp(trace_id(t, t->processes[track->process].pid), pid) != 0 ||
            strcmp(trace_id(t, track->tid), tid) != 0)
            continue;
        used[i] = true;
        return true;
    }
    return false;
}

static void compare_peer(const char *name, const struct trace *t, const json_t *e)
{
    const json_t *slices = json_object_get(e, "slices");
    bool *used = xcalloc((size_t)t->slice_count + 1, sizeof *used);
    uint64_t whole = 0, open = 0;
    size_t i;
    json_t *slice;
    json_array_foreach(slices, i, slice)
    {
        if (json_is_true(json_object_get(slice, "unfinished")) || integer(slice, "dur_ns") == -1) {
            open++;
            continue;
        }
        ck_assert_msg(find_slice(t, used, slice), "%s: slice %zu", name, i);
        whole++;
    }
    const json_t *all = json_object_get(e, "slice_count");
    if (all && (size_t)json_integer_value(all) > json_array_size(slices))
        whole = (uint64_t)json_integer_value(all);
    else
        ck_assert_msg(open == t->open_begin_count, "%s: open begins", name);
    ck_assert_msg(whole == t->slice_count, "%s: %u slices", name, t->slice_count);
    free(used);
}

START_TEST(test_peers)
{
    static char names[200][256];
    char folder[TEST_PATH], path[TEST_PATH], file[400];
    if (!test_data("peers", folder, sizeof folder)) {
        puts("# skipped: the collection of traces is not there");
        return;
    }
    int count = list_files(folder, ".expect.json", names, 200);
    for (int i = 0; i < count; i++) {
        if (is_exception(names[i]))
            continue;
        snprintf(file, sizeof file, "%.255s.expect.json", names[i]);
        json_t *e = read_json(path_join(path, folder, file));
        snprintf(file, sizeof file, "%.255s.json", names[i]);
        struct opened o = open_path(path_join(path, folder, file));
        if (o.t)
            compare_peer(names[i], o.t, e);
        else
            ck_assert_msg(json_array_size(json_object_get(e, "slices")) == 0, "%s", names[i]);
        close_opened(&o);
        json_decref(e);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("shared");
    TCase *tc = tcase_create("shared");
    tcase_set_timeout(tc, 0);
    tcase_add_test(tc, test_traces);
    tcase_add_test(tc, test_cases);
    tcase_add_test(tc, test_peers);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
