#include "query/iterations.h"

#include <ctype.h>
#include <limits.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/memory.h"
#include "query/device.h"
#include "query/launches.h"

/* What a name says: the family is its first `family_len` bytes. */
struct parsed {
    size_t family_len;
    int64_t number;
};

static bool read_number(const char *p, const char *end, int64_t *number)
{
    int64_t value = 0;
    if (p == end)
        return false;
    for (; p < end; p++) {
        if (*p < '0' || *p > '9' || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, *p - '0', &value))
            return false;
    }
    *number = value;
    return true;
}

/* "ProfilerStep#12", "iteration_12", "iteration 12". */
static bool parse_name(const char *name, size_t len, struct parsed *parsed)
{
    static const struct {
        const char *prefix;
        size_t family_len;
    } known[] = {{"ProfilerStep#", 12}, {"iteration_", 9}, {"iteration ", 9}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t prefix = strlen(known[i].prefix);
        if (len > prefix && memcmp(name, known[i].prefix, prefix) == 0 &&
            read_number(name + prefix, name + len, &parsed->number)) {
            parsed->family_len = known[i].family_len;
            return true;
        }
    }
    return false;
}

static bool parse_by_pattern(const char *name, const regex_t *pattern, struct parsed *parsed)
{
    regmatch_t groups[2];
    if (regexec(pattern, name, 2, groups, 0) != 0)
        return false;
    parsed->number = -1;
    parsed->family_len = strlen(name);
    if (groups[1].rm_so >= 0 && groups[1].rm_eo > groups[1].rm_so) {
        read_number(name + groups[1].rm_so, name + groups[1].rm_eo, &parsed->number);
        parsed->family_len = (size_t)groups[1].rm_so;
    }
    /* "step 12" and "step_13" are steps. */
    while (parsed->family_len > 1 && strchr(" _#:.-", name[parsed->family_len - 1]))
        parsed->family_len--;
    return true;
}

static uint32_t find_family(struct iterations *list, size_t *capacity, const char *name, size_t len)
{
    for (uint32_t i = 0; i < list->family_count; i++)
        if (strlen(list->families[i].name) == len && memcmp(list->families[i].name, name, len) == 0)
            return i;
    size_t count = list->family_count;
    struct iteration_family family = {.name = xstrndup(name, len)};
    ARRAY_PUSH(list->families, count, *capacity, family);
    return list->family_count++;
}

/* Per name: is it one of an iteration, and what does it say? */
struct names {
    const struct trace *t;
    uint8_t *known; /* 0: not looked at, 1: no, 2: by rule, 3: by the pattern */
    struct parsed *parsed;
    const regex_t *pattern;
};

static unsigned look_up(struct names *n, uint32_t name)
{
    if (n->known[name])
        return n->known[name];
    size_t len;
    const char *text = intern_text(n->t->names, name, &len);
    n->known[name] = parse_name(text, len, &n->parsed[name])                              ? 2
                     : n->pattern && parse_by_pattern(text, n->pattern, &n->parsed[name]) ? 3
                                                                                          : 1;
    return n->known[name];
}

/* Annotations count; in old traces ProfilerStep is a cpu_op; with a pattern every
 * host slice may match that. */
static bool is_iteration(struct names *n, const struct trace *t, uint32_t slice)
{
    const struct label *label = &t->labels[t->label[slice]];
    enum category_class class = t->categories[label->category].class;
    if (class != CATEGORY_ANNOTATION && class != CATEGORY_CPU_OP)
        return false;
    unsigned known = look_up(n, label->name);
    if (known == 1)
        return false;
    if (class == CATEGORY_ANNOTATION || known == 3)
        return true;
    const char *text = intern_text(t->names, label->name, NULL);
    return strncmp(text, "ProfilerStep#", 13) == 0;
}

static int by_start(const void *a, const void *b)
{
    const struct iteration *x = a, *y = b;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    if (x->dur_ns != y->dur_ns)
        return x->dur_ns > y->dur_ns ? -1 : 1;
    return x->slice < y->slice ? -1 : x->slice > y->slice;
}

static void collect(const struct trace *t, const regex_t *pattern, struct iterations *list)
{
    size_t capacity = 0, family_capacity = 0, count = 0, names = intern_count(t->names);
    struct names n = {.t = t, .pattern = pattern};
    n.known = xcalloc(names + 1, sizeof *n.known);
    n.parsed = xcalloc(names + 1, sizeof *n.parsed);
    for (uint32_t k = 0; k < t->track_count; k++) {
        if (t->tracks[k].kind == TRACK_DEVICE)
            continue; /* copies on the device's side */
        for (uint32_t i = t->tracks[k].first; i < t->tracks[k].first + t->tracks[k].count; i++) {
            if (!is_iteration(&n, t, i))
                continue;
            uint32_t name = t->labels[t->label[i]].name;
            struct iteration added = {
                .slice = i,
                .number = n.parsed[name].number,
                .start_ns = t->start_ns[i],
                .dur_ns = t->dur_ns[i],
                .family = find_family(list, &family_capacity, intern_text(t->names, name, NULL),
                                      n.parsed[name].family_len),
            };
            ARRAY_PUSH(list->items, count, capacity, added);
        }
    }
    list->count = (uint32_t)count;
    array_sort(list->items, count, sizeof *list->items, by_start);
    free(n.known);
    free(n.parsed);
}

/* Largest family first; equal ones by first appearance in time. */
static void order_families(struct iterations *list)
{
    uint32_t n = list->family_count;
    uint32_t *first = xcalloc((size_t)n + 1, sizeof *first);
    uint32_t *place = xcalloc((size_t)n + 1, sizeof *place);
    memset(first, 0xff, ((size_t)n + 1) * sizeof *first);
    for (uint32_t i = 0; i < list->count; i++) {
        struct iteration *it = &list->items[i];
        list->families[it->family].count++;
        if (first[it->family] == TRACE_NONE)
            first[it->family] = i;
    }
    struct iteration_family *ordered = xcalloc((size_t)n + 1, sizeof *ordered);
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < n; k++) {
            uint32_t a = list->families[k].count, b = list->families[i].count;
            place[i] += a > b || (a == b && first[k] < first[i]);
        }
        ordered[place[i]] = list->families[i];
    }
    for (uint32_t i = 0; i < list->count; i++)
        list->items[i].family = place[list->items[i].family];
    free(list->families);
    list->families = ordered;
    free(first);
    free(place);
}

static int compare_ns(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* The usual median: of an even number of values halfway between the middle two. */
static int64_t median(int64_t *values, size_t n)
{
    array_sort(values, n, sizeof *values, compare_ns);
    if (n % 2)
        return values[n / 2];
    int64_t low = values[n / 2 - 1], high = values[n / 2];
    return low + (high - low) / 2 + (high - low) % 2;
}

/* Outliers lie more than three times the median absolute deviation, and a tenth,
 * from the median of their family. */
static void find_outliers(struct iterations *list, uint32_t family)
{
    struct iteration_family *f = &list->families[family];
    int64_t *values = xreallocarray(NULL, (size_t)f->count + 1, sizeof *values);
    uint32_t n = 0;
    for (uint32_t i = 0; i < list->count; i++)
        if (list->items[i].family == family)
            values[n++] = list->items[i].dur_ns;
    f->median_dur_ns = median(values, n);
    for (uint32_t i = 0; i < n; i++)
        values[i] = values[i] > f->median_dur_ns ? values[i] - f->median_dur_ns
                                                 : f->median_dur_ns - values[i];
    int64_t deviation = median(values, n);
    free(values);
    f->outliers = xcalloc((size_t)f->count + 1, sizeof *f->outliers);
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->items[i].family != family)
            continue;
        int64_t dur = list->items[i].dur_ns;
        int64_t distance = dur > f->median_dur_ns ? dur - f->median_dur_ns : f->median_dur_ns - dur;
        if (distance / 3 >= deviation &&
            distance > ns_add(deviation, ns_add(deviation, deviation)) &&
            distance > f->median_dur_ns / 10)
            f->outliers[f->outlier_count++] = i;
    }
}

/* The device slices of one file, ready for questions about intervals. */
struct device_view {
    struct device_slices kernels, all;
    struct interval_list kernel_busy, all_busy;
    int64_t *kernel_sums, *all_sums;
    int64_t *kernel_ns; /* running sum of durations */
};

static void open_view(const struct trace *t, uint32_t file, struct device_view *v)
{
    bool *chosen = xcalloc((size_t)t->category_count + 1, sizeof *chosen);
    for (uint32_t i = 0; i < t->category_count; i++)
        chosen[i] = t->categories[i].class == CATEGORY_KERNEL;
    device_slices_find(t, file, chosen, &v->kernels);
    for (uint32_t i = 0; i < t->category_count; i++)
        chosen[i] = t->categories[i].device;
    device_slices_find(t, file, chosen, &v->all);
    free(chosen);
    device_slices_union(t, &v->kernels, &v->kernel_busy);
    device_slices_union(t, &v->all, &v->all_busy);
    v->kernel_sums = interval_sums(&v->kernel_busy);
    v->all_sums = interval_sums(&v->all_busy);
    v->kernel_ns = xreallocarray(NULL, v->kernels.count + 1, sizeof *v->kernel_ns);
    v->kernel_ns[0] = 0;
    for (size_t i = 0; i < v->kernels.count; i++)
        v->kernel_ns[i + 1] = ns_add(v->kernel_ns[i], t->dur_ns[v->kernels.slices[i]]);
}

static void close_view(struct device_view *v)
{
    free(v->kernels.slices);
    free(v->all.slices);
    interval_free(&v->kernel_busy);
    interval_free(&v->all_busy);
    free(v->kernel_sums);
    free(v->all_sums);
    free(v->kernel_ns);
}

/* The first of the slices, in start order, that starts at or after a time. */
static size_t first_from(const struct trace *t, const struct device_slices *list, int64_t at_ns)
{
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (t->start_ns[list->slices[middle]] < at_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void measure(const struct trace *t, const struct device_view *v, struct iteration *it)
{
    int64_t end = it->start_ns + it->dur_ns;
    size_t first = first_from(t, &v->kernels, it->start_ns);
    size_t last = first_from(t, &v->kernels, end);
    it->kernels = (uint32_t)(last - first);
    it->kernel_ns = ns_sub(v->kernel_ns[last], v->kernel_ns[first]);
    it->kernel_busy_ns = interval_length_in(&v->kernel_busy, v->kernel_sums, it->start_ns, end);
    it->device_busy_ns = interval_length_in(&v->all_busy, v->all_sums, it->start_ns, end);
}

/* Kernels by the start of their launching call. */
struct launched {
    int64_t call_ns;
    uint32_t kernel;
};

static int by_call(const void *a, const void *b)
{
    const struct launched *x = a, *y = b;
    if (x->call_ns != y->call_ns)
        return x->call_ns < y->call_ns ? -1 : 1;
    return x->kernel < y->kernel ? -1 : x->kernel > y->kernel;
}

static void measure_launches(const struct trace *t, const struct launches *launches,
                             const struct device_view *v, uint32_t file, struct iterations *list)
{
    size_t n = 0;
    struct launched *launched = xreallocarray(NULL, v->kernels.count + 1, sizeof *launched);
    for (size_t i = 0; i < v->kernels.count; i++) {
        uint32_t call = launches_call(launches, v->kernels.slices[i]);
        if (call != TRACE_NONE)
            launched[n++] = (struct launched){t->start_ns[call], v->kernels.slices[i]};
    }
    array_sort(launched, n, sizeof *launched, by_call);
    for (uint32_t i = 0; i < list->count; i++) {
        struct iteration *it = &list->items[i];
        if (trace_file_of(t, it->slice) != &t->files[file])
            continue;
        size_t low = 0, high = n;
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (launched[middle].call_ns < it->start_ns)
                low = middle + 1;
            else
                high = middle;
        }
        struct interval_list busy = {0};
        for (; low < n && launched[low].call_ns < it->start_ns + it->dur_ns; low++) {
            uint32_t kernel = launched[low].kernel;
            it->launched_kernels++;
            if (t->dur_ns[kernel] > 0)
                interval_add(&busy, t->start_ns[kernel], trace_end_ns(t, kernel));
        }
        interval_unite(&busy);
        it->launched_kernel_busy_ns = interval_length(&busy);
        interval_free(&busy);
    }
    free(launched);
}

static void measure_all(const struct trace *t, const struct launches *launches,
                        struct iterations *list)
{
    for (uint32_t file = 0; file < t->file_count; file++) {
        struct device_view view;
        open_view(t, file, &view);
        for (uint32_t i = 0; i < list->count; i++)
            if (trace_file_of(t, list->items[i].slice) == &t->files[file])
                measure(t, &view, &list->items[i]);
        if (list->has_launches)
            measure_launches(t, launches, &view, file, list);
        close_view(&view);
    }
}

struct iterations *iterations_find(const struct trace *t, const struct index *ix,
                                   const struct launches *launches, const char *pattern,
                                   struct error *err)
{
    regex_t compiled;
    (void)ix;
    int problem = pattern ? regcomp(&compiled, pattern, REG_EXTENDED) : 0;
    if (problem) {
        char why[128];
        regerror(problem, &compiled, why, sizeof why);
        error_set(err, ERROR_USAGE, "bad pattern '%s': %s", pattern, why);
        return NULL;
    }
    struct iterations *list = xcalloc(1, sizeof *list);
    collect(t, pattern ? &compiled : NULL, list);
    if (pattern)
        regfree(&compiled);
    order_families(list);
    for (uint32_t i = 0; i < list->family_count; i++)
        find_outliers(list, i);
    list->has_launches = launches && launches_any(launches);
    if (list->count)
        measure_all(t, launches, list);
    return list;
}

void iterations_free(struct iterations *list)
{
    if (!list)
        return;
    for (uint32_t i = 0; i < list->family_count; i++) {
        free(list->families[i].name);
        free(list->families[i].outliers);
    }
    free(list->families);
    free(list->items);
    free(list);
}

uint32_t iterations_at(const struct iterations *list, uint32_t family, int64_t at_ns)
{
    uint32_t low = 0, high = list->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (list->items[middle].start_ns <= at_ns)
            low = middle + 1;
        else
            high = middle;
    }
    /* Iterations nest and overlap little: the one sought is near. */
    enum { NEAR = 4096 };
    for (uint32_t i = low, steps = 0; i > 0 && steps < NEAR; i--, steps++) {
        const struct iteration *it = &list->items[i - 1];
        if ((family == TRACE_NONE || it->family == family) && at_ns < it->start_ns + it->dur_ns)
            return i - 1;
    }
    return TRACE_NONE;
}

/* One side of -i: a name, or N for the N-th of the largest family. */
static const struct iteration *find_side(const struct trace *t, const struct iterations *list,
                                         const char *text, size_t len)
{
    int64_t number;
    for (uint32_t i = 0; i < list->count; i++) {
        size_t name_len;
        const char *name = trace_name(t, list->items[i].slice, &name_len);
        if (name_len == len && memcmp(name, text, len) == 0)
            return &list->items[i];
    }
    if (!read_number(text, text + len, &number))
        return NULL;
    for (uint32_t i = 0; i < list->count; i++)
        if (list->items[i].family == 0 && number-- == 0)
            return &list->items[i];
    return NULL;
}

static bool no_such(const struct iterations *list, const char *text, size_t len, struct error *err)
{
    if (list->count == 0)
        return error_set(err, ERROR_USAGE, "the trace has no iterations");
    return error_set(err, ERROR_USAGE, "no iteration '%.*s' (there are %u)", (int)len, text,
                     list->count);
}

bool iterations_window(const struct trace *t, const struct iterations *list, const char *text,
                       int64_t *from_ns, int64_t *to_ns, struct error *err)
{
    size_t len = strlen(text);
    const struct iteration *first = find_side(t, list, text, len), *last = first;
    const char *dots = strstr(text, "..");
    if (!first && dots) {
        size_t first_len = (size_t)(dots - text);
        first = find_side(t, list, text, first_len);
        last = find_side(t, list, dots + 2, len - first_len - 2);
        if (!first)
            return no_such(list, text, first_len, err);
        if (!last)
            return no_such(list, dots + 2, len - first_len - 2, err);
    }
    if (!first)
        return no_such(list, text, len, err);
    *from_ns = first->start_ns;
    *to_ns = last->start_ns + last->dur_ns;
    if (*to_ns < *from_ns)
        return error_set(err, ERROR_USAGE, "iteration range '%s' ends before it begins", text);
    return true;
}
