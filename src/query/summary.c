#include "query/summary.h"

#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/memory.h"
#include "query/union.h"

/* Texts of stems; kept by the summary. */
struct text_list {
    struct intern *texts;
};

/* A chosen slice and the row it went to. */
struct value {
    uint32_t row, slice;
};

/* An open slice of the track, outermost first: whose children's time is to be taken
 * off its row. */
struct open_slice {
    uint32_t row; /* TRACE_NONE: not chosen, or dealt with otherwise */
};

enum phase { PHASE_SCAN, PHASE_GATHER, PHASE_ROWS, PHASE_DONE };

/* United lists of busy times that wait to be merged. Each is more than twice as long
 * as the next, so that there are few, and no interval is moved more than log n times. */
enum { BUSY_STACK = 64 };

struct summary_job {
    const struct trace *t;
    const struct index *ix;
    struct selection sel;
    enum summary_by by;
    struct summary *result;
    size_t row_capacity;
    enum phase phase;

    uint32_t track, slice; /* where the scan is */
    struct open_slice *open;
    size_t open_capacity;
    uint32_t seen;

    uint32_t *row_of;   /* per name, category or track: its first row */
    uint32_t *next_row; /* per row: the next one of the same name */
    size_t next_row_capacity;
    uint32_t *stem_rows; /* per text of a stem: its row */
    size_t stem_count, stem_capacity;

    struct value *values;
    size_t value_count, value_capacity;
    struct interval_list track_busy, busy[BUSY_STACK];
    unsigned busy_count;

    int64_t *sorted;     /* all durations by row */
    size_t *first_value; /* per row */
    size_t *next_value;  /* per row: where the next one goes */
    size_t gathered;
    uint32_t next_to_sort;
    unsigned next_part; /* of a large row */
};

static bool *copy_flags(const bool *flags, size_t count)
{
    if (!flags)
        return NULL;
    bool *copy = xreallocarray(NULL, count + 1, sizeof *copy);
    memcpy(copy, flags, count * sizeof *copy);
    return copy;
}

/* Every category but the spans around the whole recording: they would be in every sum. */
static bool *all_but_wrappers(const struct trace *t)
{
    bool *chosen = xcalloc((size_t)t->category_count + 1, sizeof *chosen);
    for (uint32_t i = 0; i < t->category_count; i++)
        chosen[i] = t->categories[i].class != CATEGORY_WRAPPER;
    return chosen;
}

static size_t key_count(const struct trace *t, enum summary_by by)
{
    return by == BY_TRACK ? t->track_count : intern_count(t->names);
}

struct summary_job *summary_start(const struct trace *t, const struct index *ix,
                                  const struct selection *sel, enum summary_by by)
{
    struct summary_job *job = xcalloc(1, sizeof *job);
    job->t = t;
    job->ix = ix;
    job->by = by;
    job->sel = *sel;
    job->sel.categories =
        sel->categories ? copy_flags(sel->categories, t->category_count) : all_but_wrappers(t);
    job->sel.names = copy_flags(sel->names, intern_count(t->names));
    job->result = xcalloc(1, sizeof *job->result);
    size_t keys = key_count(t, by);
    if (by == BY_STEM) {
        job->result->texts = xcalloc(1, sizeof *job->result->texts);
        job->result->texts->texts = intern_new();
    }
    job->row_of = xreallocarray(NULL, keys + 1, sizeof *job->row_of);
    memset(job->row_of, 0xff, (keys + 1) * sizeof *job->row_of);
    return job;
}

static void free_job(struct summary_job *job)
{
    selection_free(&job->sel);
    free(job->open);
    free(job->row_of);
    free(job->next_row);
    free(job->stem_rows);
    free(job->values);
    interval_free(&job->track_busy);
    for (unsigned i = 0; i < job->busy_count; i++)
        interval_free(&job->busy[i]);
    free(job->sorted);
    free(job->first_value);
    free(job->next_value);
    free(job);
}

void summary_cancel(struct summary_job *job)
{
    if (!job)
        return;
    summary_free(job->result);
    free_job(job);
}

void summary_free(struct summary *s)
{
    if (!s)
        return;
    if (s->texts)
        intern_free(s->texts->texts);
    free(s->texts);
    free(s->rows);
    free(s);
}

static uint32_t add_row(struct summary_job *job, uint32_t name, uint32_t category, const char *text)
{
    struct summary *s = job->result;
    size_t count = s->row_count, next_count = count;
    struct summary_row row = {
        .name = name, .category = category, .text = text, .slowest = TRACE_NONE};
    ARRAY_PUSH(s->rows, count, job->row_capacity, row);
    ARRAY_PUSH(job->next_row, next_count, job->next_row_capacity, TRACE_NONE);
    return s->row_count++;
}

/* The row of a name, and of a category of its own where the same name stands in
 * several. */
static uint32_t row_of_name(struct summary_job *job, uint32_t name, uint32_t category)
{
    const struct trace *t = job->t;
    uint32_t *link = &job->row_of[name];
    while (*link != TRACE_NONE) {
        uint32_t other = job->result->rows[*link].category;
        if (t->categories[other].canonical == t->categories[category].canonical)
            return *link;
        link = &job->next_row[*link];
    }
    uint32_t row = add_row(job, name, category, intern_text(t->names, name, NULL));
    /* The arrays may have moved. */
    link = &job->row_of[name];
    while (*link != TRACE_NONE)
        link = &job->next_row[*link];
    *link = row;
    return row;
}

static uint32_t row_of_stem(struct summary_job *job, uint32_t name, uint32_t category)
{
    if (job->row_of[name] != TRACE_NONE)
        return job->row_of[name];
    size_t len;
    const char *text = intern_text(job->t->names, name, &len);
    struct intern *stems = job->result->texts->texts;
    uint32_t stem = intern_add(stems, text, name_stem(text, len));
    while (job->stem_count <= stem)
        ARRAY_PUSH(job->stem_rows, job->stem_count, job->stem_capacity, TRACE_NONE);
    if (job->stem_rows[stem] == TRACE_NONE)
        job->stem_rows[stem] = add_row(job, stem, category, intern_text(stems, stem, NULL));
    job->row_of[name] = job->stem_rows[stem];
    return job->row_of[name];
}

static uint32_t row_for(struct summary_job *job, uint32_t slice)
{
    const struct trace *t = job->t;
    const struct label *label = &t->labels[t->label[slice]];
    uint32_t row, key;
    switch (job->by) {
    case BY_NAME:
        return row_of_name(job, label->name, label->category);
    case BY_STEM:
        row = row_of_stem(job, label->name, label->category);
        break;
    case BY_CATEGORY:
        key = t->categories[label->category].canonical;
        if (job->row_of[key] == TRACE_NONE)
            job->row_of[key] =
                add_row(job, key, label->category,
                        intern_text(t->names, t->categories[label->category].text, NULL));
        row = job->row_of[key];
        break;
    case BY_TRACK:
    default:
        key = job->track;
        if (job->row_of[key] == TRACE_NONE)
            job->row_of[key] = add_row(job, key, label->category,
                                       intern_text(t->names, t->tracks[key].name, NULL));
        row = job->row_of[key];
        break;
    }
    struct summary_row *r = &job->result->rows[row];
    if (t->categories[r->category].canonical != t->categories[label->category].canonical)
        r->mixed = true;
    return row;
}

static int64_t clipped_ns(const struct summary_job *job, uint32_t slice)
{
    int64_t start = job->t->start_ns[slice], end = trace_end_ns(job->t, slice);
    if (start < job->sel.from_ns)
        start = job->sel.from_ns;
    if (end > job->sel.to_ns)
        end = job->sel.to_ns;
    return end > start ? end - start : 0;
}

static void add_value(struct summary_job *job, uint32_t row, uint32_t slice)
{
    const struct trace *t = job->t;
    struct summary_row *r = &job->result->rows[row];
    int64_t dur = t->dur_ns[slice], part = clipped_ns(job, slice);
    r->count++;
    r->total_ns = ns_add(r->total_ns, dur);
    r->self_ns = ns_add(r->self_ns, dur);
    r->window_ns = ns_add(r->window_ns, part);
    if (r->slowest == TRACE_NONE || dur > t->dur_ns[r->slowest])
        r->slowest = slice;
    if (r->count == 1 || dur < r->min_ns)
        r->min_ns = dur;
    ARRAY_PUSH(job->values, job->value_count, job->value_capacity, (struct value){row, slice});
    if (part > 0) {
        int64_t start = t->start_ns[slice];
        if (start < job->sel.from_ns)
            start = job->sel.from_ns;
        interval_add(&job->track_busy, start, start + part);
    }
}

static void set_open(struct summary_job *job, uint32_t depth, uint32_t row)
{
    if (depth >= job->open_capacity) {
        size_t count = job->open_capacity;
        job->open =
            array_reserve(job->open, &job->open_capacity, (size_t)depth + 1, sizeof *job->open);
        for (; count < job->open_capacity; count++)
            job->open[count].row = TRACE_NONE;
    }
    job->open[depth].row = row;
}

/* Takes a child's time off its parent's row. Children outside of the window stay out
 * of it: so an export of the window gives the same figures. */
static void charge_parent(struct summary_job *job, uint32_t slice, uint32_t depth)
{
    const struct trace *t = job->t;
    uint32_t row = TRACE_NONE;
    if (depth == 0)
        return;
    if (!index_has_overlap(job->ix, job->track)) {
        row = depth - 1 < job->open_capacity ? job->open[depth - 1].row : TRACE_NONE;
    } else {
        uint32_t parent = index_parent(job->ix, slice);
        if (parent != TRACE_NONE && selection_takes(&job->sel, t, parent))
            row = row_for(job, parent);
    }
    if (row != TRACE_NONE)
        job->result->rows[row].self_ns = ns_sub(job->result->rows[row].self_ns, t->dur_ns[slice]);
}

static void scan_slice(struct summary_job *job, uint32_t slice)
{
    const struct trace *t = job->t;
    bool nests = t->tracks[job->track].kind != TRACK_DEVICE;
    bool chosen = selection_has(&job->sel, t, slice);
    uint32_t row = chosen ? row_for(job, slice) : TRACE_NONE;
    if (chosen)
        add_value(job, row, slice);
    if (!nests)
        return;
    uint32_t depth = index_depth(job->ix, slice);
    charge_parent(job, slice, depth);
    set_open(job, depth, row);
}

/* The union of the two topmost lists takes their place. */
static void merge_busy(struct summary_job *job)
{
    struct interval_list *a = &job->busy[job->busy_count - 2], *b = a + 1, merged = {0};
    size_t i = 0, k = 0;
    while (i < a->count || k < b->count) {
        bool first =
            k == b->count || (i < a->count && a->items[i].start_ns <= b->items[k].start_ns);
        const struct interval *next = first ? &a->items[i++] : &b->items[k++];
        interval_add(&merged, next->start_ns, next->end_ns);
    }
    interval_free(a);
    interval_free(b);
    *a = merged;
    job->busy_count--;
}

/* The track's busy time joins that of the others. */
static void end_track(struct summary_job *job)
{
    if (job->track_busy.count == 0)
        return;
    interval_unite(&job->track_busy);
    job->busy[job->busy_count++] = job->track_busy;
    job->track_busy = (struct interval_list){0};
    while (job->busy_count > 1 &&
           (job->busy[job->busy_count - 2].count <= 2 * job->busy[job->busy_count - 1].count ||
            job->busy_count == BUSY_STACK))
        merge_busy(job);
}

static bool whole_trace(const struct summary_job *job)
{
    return job->sel.from_ns == INT64_MIN && job->sel.to_ns == INT64_MAX;
}

static uint32_t next_slice(const struct summary_job *job)
{
    const struct track *track = &job->t->tracks[job->track];
    if (whole_trace(job))
        return job->slice < track->first + track->count ? job->slice : TRACE_NONE;
    return index_overlap(job->ix, job->track, job->slice, job->sel.from_ns, job->sel.to_ns);
}

static void scan_some(struct summary_job *job, uint32_t budget)
{
    const struct trace *t = job->t;
    while (job->track < t->track_count) {
        if (job->slice < t->tracks[job->track].first)
            job->slice = t->tracks[job->track].first;
        for (;;) {
            if (budget-- == 0)
                return;
            uint32_t slice = next_slice(job);
            if (slice == TRACE_NONE)
                break;
            scan_slice(job, slice);
            job->slice = slice + 1;
            job->seen++;
        }
        end_track(job);
        job->track++;
        if (budget == 0)
            return;
    }
    job->phase = PHASE_GATHER;
}

static void begin_gathering(struct summary_job *job)
{
    struct summary *s = job->result;
    job->first_value = xcalloc((size_t)s->row_count + 1, sizeof *job->first_value);
    job->next_value = xcalloc((size_t)s->row_count + 1, sizeof *job->next_value);
    job->sorted = xreallocarray(NULL, job->value_count + 1, sizeof *job->sorted);
    for (uint32_t i = 0; i < s->row_count; i++)
        job->first_value[i + 1] = job->first_value[i] + s->rows[i].count;
    memcpy(job->next_value, job->first_value, (size_t)s->row_count * sizeof *job->next_value);
}

/* All durations, row by row. */
static void gather_some(struct summary_job *job, uint32_t budget)
{
    if (!job->sorted)
        begin_gathering(job);
    size_t end = job->value_count - job->gathered;
    end = job->gathered + (end < budget ? end : budget);
    for (; job->gathered < end; job->gathered++) {
        const struct value *value = &job->values[job->gathered];
        job->sorted[job->next_value[value->row]++] = job->t->dur_ns[value->slice];
    }
    if (job->gathered < job->value_count)
        return;
    free(job->values);
    job->values = NULL;
    job->phase = PHASE_ROWS;
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static size_t rank_of(size_t n, unsigned p)
{
    /* ceil(p * n / 100), from 0 on, without overflow. */
    size_t number = n / 100 * p + (n % 100 * p + 99) / 100;
    return number > 0 ? number - 1 : 0;
}

int64_t percentile_ns(const int64_t *sorted, size_t n, unsigned p)
{
    return sorted[rank_of(n, p)];
}

/* Moves the value that belongs at `rank` there, smaller ones before it, looking at
 * [low, n) only: quickselect, so that a row of millions does not need sorting. */
static int64_t select_rank(int64_t *values, size_t low, size_t n, size_t rank)
{
    size_t high = n - 1;
    while (low < high) {
        int64_t pivot = values[low + (high - low) / 2];
        size_t i = low, k = high;
        while (i <= k) {
            while (values[i] < pivot)
                i++;
            while (values[k] > pivot)
                k--;
            if (i > k)
                break;
            int64_t other = values[i];
            values[i++] = values[k];
            values[k] = other;
            if (k == 0)
                break;
            k--;
        }
        if (rank <= k && k < i)
            high = k;
        else if (rank >= i)
            low = i;
        else
            return values[rank];
    }
    return values[low];
}

int64_t summary_mean_ps(int64_t total_ns, uint32_t count)
{
    __int128 mean = ((__int128)total_ns * 2000 + count) / (2 * (__int128)count);
    return mean < INT64_MAX ? (int64_t)mean : INT64_MAX;
}

/* The next percentile of a row too large for sorting; true if that was the last. */
static bool select_next(struct summary_row *r, int64_t *values, unsigned *part)
{
    size_t n = r->count;
    switch ((*part)++) {
    case 0:
        r->p50_ns = select_rank(values, 0, n, rank_of(n, 50));
        return false;
    case 1:
        r->p95_ns = select_rank(values, rank_of(n, 50), n, rank_of(n, 95));
        return false;
    default:
        r->p99_ns = select_rank(values, rank_of(n, 95), n, rank_of(n, 99));
        *part = 0;
        return true;
    }
}

/* Percentiles and mean of a row, or of a large one a part of them: false if there is
 * more to do. */
static bool finish_row(struct summary_job *job, uint32_t i)
{
    enum { SORT_LIMIT = 4096 };
    struct summary_row *r = &job->result->rows[i];
    int64_t *values = job->sorted + job->first_value[i];
    size_t n = r->count;
    if (n == 0)
        return true;
    if (n <= SORT_LIMIT) {
        array_sort(values, n, sizeof *values, by_value);
        r->p50_ns = percentile_ns(values, n, 50);
        r->p95_ns = percentile_ns(values, n, 95);
        r->p99_ns = percentile_ns(values, n, 99);
    } else if (!select_next(r, values, &job->next_part)) {
        return false;
    }
    r->max_ns = job->t->dur_ns[r->slowest];
    r->mean_ps = summary_mean_ps(r->total_ns, r->count);
    return true;
}

static void sort_some(struct summary_job *job, uint32_t budget)
{
    struct summary *s = job->result;
    uint32_t spent = 0;
    while (job->next_to_sort < s->row_count && spent < budget) {
        spent += s->rows[job->next_to_sort].count + 1;
        job->next_to_sort += finish_row(job, job->next_to_sort);
    }
    if (job->next_to_sort == s->row_count)
        job->phase = PHASE_DONE;
}

bool summary_step(struct summary_job *job, uint32_t budget)
{
    if (job->phase == PHASE_SCAN)
        scan_some(job, budget ? budget : 1);
    else if (job->phase == PHASE_GATHER)
        gather_some(job, budget ? budget : 1);
    else if (job->phase == PHASE_ROWS)
        sort_some(job, budget ? budget : 1);
    return job->phase == PHASE_DONE;
}

double summary_progress(const struct summary_job *job)
{
    const struct trace *t = job->t;
    if (job->phase != PHASE_SCAN || t->slice_count == 0)
        return 1;
    uint32_t at = job->track < t->track_count && job->slice < t->tracks[job->track].first
                      ? t->tracks[job->track].first
                      : job->slice;
    return (double)at / t->slice_count;
}

static void add_totals(struct summary_job *job)
{
    struct summary *s = job->result;
    for (uint32_t i = 0; i < s->row_count; i++) {
        s->count += s->rows[i].count;
        s->total_ns = ns_add(s->total_ns, s->rows[i].total_ns);
        s->window_ns = ns_add(s->window_ns, s->rows[i].window_ns);
    }
    for (uint32_t i = 0; i < s->row_count; i++)
        s->rows[i].share = s->window_ns ? (double)s->rows[i].window_ns / (double)s->window_ns : 0;
    while (job->busy_count > 1)
        merge_busy(job);
    s->busy_ns = job->busy_count ? interval_length(&job->busy[0]) : 0;
}

/* Rows that only charged their children have no slice of their own. */
static void drop_empty_rows(struct summary *s)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->row_count; i++)
        if (s->rows[i].count > 0)
            s->rows[kept++] = s->rows[i];
    s->row_count = kept;
}

struct summary *summary_take(struct summary_job *job)
{
    struct summary *s = job->result;
    drop_empty_rows(s);
    add_totals(job);
    free_job(job);
    summary_order(s, SORT_TOTAL, false);
    return s;
}

struct summary *summary_compute(const struct trace *t, const struct index *ix,
                                const struct selection *sel, enum summary_by by)
{
    struct summary_job *job = summary_start(t, ix, sel, by);
    while (!summary_step(job, UINT32_MAX))
        continue;
    return summary_take(job);
}
