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
    uint32_t family; /* TRACE_NONE: no iteration has had this name yet */
};

static bool all_digits(const char *p, const char *end)
{
    const char *start = p;
    while (p < end && *p >= '0' && *p <= '9')
        p++;
    return p == end && p > start;
}

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
            all_digits(name + prefix, name + len)) {
            parsed->family_len = known[i].family_len;
            read_number(name + prefix, name + len, &parsed->number);
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

/* Per name: is it one of an iteration, and what does it say? */
struct names {
    const struct trace *t;
    uint8_t *known; /* 0: not looked at, 1: no, 2: by rule, 3: by the pattern */
    struct parsed *parsed;
    const regex_t *pattern;
    struct intern *texts; /* of the families */
    uint32_t *families;   /* per text */
    size_t text_count, text_capacity, family_capacity;
};

/* The family of a name, added if new. */
static uint32_t find_family(struct names *n, struct iterations *list, uint32_t name)
{
    struct parsed *parsed = &n->parsed[name];
    if (parsed->family != TRACE_NONE)
        return parsed->family;
    const char *text = intern_text(n->t->names, name, NULL);
    uint32_t number = intern_add(n->texts, text, parsed->family_len);
    while (n->text_count <= number)
        ARRAY_PUSH(n->families, n->text_count, n->text_capacity, TRACE_NONE);
    if (n->families[number] == TRACE_NONE) {
        size_t count = list->family_count;
        struct iteration_family family = {.name = xstrndup(text, parsed->family_len)};
        ARRAY_PUSH(list->families, count, n->family_capacity, family);
        n->families[number] = list->family_count++;
    }
    parsed->family = n->families[number];
    return parsed->family;
}

static unsigned look_up(struct names *n, uint32_t name)
{
    if (n->known[name])
        return n->known[name];
    size_t len;
    const char *text = intern_text(n->t->names, name, &len);
    n->parsed[name] = (struct parsed){.number = -1, .family = TRACE_NONE};
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
    size_t capacity = 0, count = 0, names = intern_count(t->names);
    struct names n = {.t = t, .pattern = pattern, .texts = intern_new()};
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
                .family = find_family(&n, list, name),
            };
            ARRAY_PUSH(list->items, count, capacity, added);
        }
    }
    list->count = (uint32_t)count;
    array_sort(list->items, count, sizeof *list->items, by_start);
    intern_free(n.texts);
    free(n.families);
    free(n.known);
    free(n.parsed);
}

/* A family's size and first iteration, for sorting. */
struct family_place {
    uint32_t count, first, family;
};

static int by_size(const void *a, const void *b)
{
    const struct family_place *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

/* Largest family first; equal ones by first appearance in time. */
static void order_families(struct iterations *list)
{
    uint32_t n = list->family_count;
    struct family_place *places = xcalloc((size_t)n + 1, sizeof *places);
    uint32_t *place = xcalloc((size_t)n + 1, sizeof *place);
    struct iteration_family *ordered = xcalloc((size_t)n + 1, sizeof *ordered);
    for (uint32_t i = list->count; i > 0; i--) {
        struct family_place *p = &places[list->items[i - 1].family];
        p->count++;
        p->first = i - 1;
    }
    for (uint32_t i = 0; i < n; i++)
        places[i].family = i;
    array_sort(places, n, sizeof *places, by_size);
    for (uint32_t i = 0; i < n; i++) {
        ordered[i] = list->families[places[i].family];
        ordered[i].count = places[i].count;
        place[places[i].family] = i;
    }
    for (uint32_t i = 0; i < list->count; i++)
        list->items[i].family = place[list->items[i].family];
    free(list->families);
    list->families = ordered;
    free(places);
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
 * from the median of their family, whose members these are. */
static void find_outliers(struct iterations *list, struct iteration_family *f,
                          const uint32_t *members)
{
    int64_t *values = xreallocarray(NULL, (size_t)f->count + 1, sizeof *values);
    for (uint32_t i = 0; i < f->count; i++)
        values[i] = list->items[members[i]].dur_ns;
    f->median_dur_ns = median(values, f->count);
    for (uint32_t i = 0; i < f->count; i++)
        values[i] = values[i] > f->median_dur_ns ? values[i] - f->median_dur_ns
                                                 : f->median_dur_ns - values[i];
    int64_t deviation = median(values, f->count);
    free(values);
    f->outliers = xcalloc((size_t)f->count + 1, sizeof *f->outliers);
    for (uint32_t i = 0; i < f->count; i++) {
        int64_t dur = list->items[members[i]].dur_ns;
        int64_t distance = dur > f->median_dur_ns ? dur - f->median_dur_ns : f->median_dur_ns - dur;
        if (distance > ns_add(deviation, ns_add(deviation, deviation)) &&
            distance > f->median_dur_ns / 10)
            f->outliers[f->outlier_count++] = members[i];
    }
}

/* Iterations family by family, in time order. */
static void measure_families(struct iterations *list)
{
    uint32_t *members = xcalloc((size_t)list->count + 1, sizeof *members);
    uint32_t *next = xcalloc((size_t)list->family_count + 1, sizeof *next);
    for (uint32_t i = 0; i + 1 < list->family_count; i++)
        next[i + 1] = next[i] + list->families[i].count;
    for (uint32_t i = 0; i < list->count; i++)
        members[next[list->items[i].family]++] = i;
    for (uint32_t i = 0; i < list->family_count; i++) {
        struct iteration_family *f = &list->families[i];
        find_outliers(list, f, members + next[i] - f->count);
    }
    free(members);
    free(next);
}

/* The device slices of one file, ready for questions about intervals. */
struct device_view {
    struct device_slices kernels, all;
    struct interval_list kernel_busy, all_busy;
    int64_t *kernel_sums, *all_sums;
    uint64_t *kernel_ns; /* running sums of durations, modulo 2^64 */
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
        v->kernel_ns[i + 1] = v->kernel_ns[i] + (uint64_t)t->dur_ns[v->kernels.slices[i]];
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
    uint64_t kernel_ns = v->kernel_ns[last] - v->kernel_ns[first];
    it->kernel_ns = kernel_ns > INT64_MAX ? INT64_MAX : (int64_t)kernel_ns;
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

/* Per iteration the last end so far. */
static void note_ends(struct iterations *list)
{
    list->ends_ns = xreallocarray(NULL, (size_t)list->count + 1, sizeof *list->ends_ns);
    for (uint32_t i = 0; i < list->count; i++) {
        int64_t end = list->items[i].start_ns + list->items[i].dur_ns;
        list->ends_ns[i] = i > 0 && list->ends_ns[i - 1] > end ? list->ends_ns[i - 1] : end;
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
    measure_families(list);
    note_ends(list);
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
    free(list->ends_ns);
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
    /* Back to the one sought; no further than one of the earlier ones reaches. */
    for (uint32_t i = low; i > 0 && list->ends_ns[i - 1] > at_ns; i--) {
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
