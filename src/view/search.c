/*
 * Search and filter by names.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "query/match.h"
#include "view/view.h"

/* Sorts some of the slices by lane, a piece at a time: counts them, then places them. */
struct lane_job {
    struct lane_slices *result;
    size_t *next; /* per lane: where its next slice goes */
    uint32_t lanes, track, slice;
    bool placing;
};

static void lane_slices_free(struct lane_slices *list)
{
    if (!list)
        return;
    free(list->slices);
    free(list->first);
    free(list->row);
    free(list);
}

static void job_free(struct lane_job *job)
{
    if (!job)
        return;
    lane_slices_free(job->result);
    free(job->next);
    free(job);
}

static struct lane_job *job_new(const struct viewer *v)
{
    struct lane_job *job = xcalloc(1, sizeof *job);
    job->result = xcalloc(1, sizeof *job->result);
    job->result->row = xcalloc((size_t)v->t->track_count + 1, sizeof *job->result->row);
    for (uint32_t k = 0; k < v->t->track_count; k++) {
        job->result->row[k] = job->lanes;
        job->lanes += index_lanes(v->ix, k);
    }
    job->next = xcalloc((size_t)job->lanes + 2, sizeof *job->next);
    return job;
}

/* What is wanted: names that match, or what no filter and no category hides. */
static bool wanted(const struct viewer *v, const bool *names, const bool *categories_off,
                   uint32_t slice)
{
    const struct label *label = &v->t->labels[v->t->label[slice]];
    return (!names || names[label->name]) && (!categories_off || !categories_off[label->category]);
}

/* All lanes are counted: room for the slices, and places for them. */
static void begin_placing(struct lane_job *job)
{
    struct lane_slices *list = job->result;
    list->first = xcalloc((size_t)job->lanes + 2, sizeof *list->first);
    for (uint32_t i = 0; i < job->lanes; i++) {
        list->first[i + 1] = list->first[i] + job->next[i];
        job->next[i] = list->first[i];
    }
    list->slices = xreallocarray(NULL, list->first[job->lanes] + 1, sizeof *list->slices);
    job->placing = true;
    job->track = job->slice = 0;
}

/* True: there is more to do. Else the result is in *list and the job is gone. */
static bool job_step(const struct viewer *v, struct lane_job **from, const bool *names,
                     const bool *categories_off, struct lane_slices **list)
{
    enum { PIECE = 100000 };
    struct lane_job *job = *from;
    uint32_t end = v->t->slice_count - job->slice > PIECE ? job->slice + PIECE : v->t->slice_count;
    for (; job->slice < end; job->slice++) {
        const struct track *track = &v->t->tracks[job->track];
        while (job->slice >= track->first + track->count)
            track = &v->t->tracks[++job->track];
        if (!wanted(v, names, categories_off, job->slice))
            continue;
        uint32_t lane = job->result->row[job->track] + index_lane(v->ix, job->slice);
        if (job->placing)
            job->result->slices[job->next[lane]++] = job->slice;
        else
            job->next[lane]++;
    }
    if (job->slice < v->t->slice_count)
        return true;
    if (!job->placing) {
        begin_placing(job);
        return true;
    }
    *list = job->result;
    job->result = NULL;
    job_free(job);
    *from = NULL;
    return false;
}

static void forget_found(struct viewer *v)
{
    job_free(v->found_job);
    lane_slices_free(v->found);
    v->found_job = NULL;
    v->found = NULL;
}

void search_visible_changed(struct viewer *v)
{
    job_free(v->visible_job);
    lane_slices_free(v->visible);
    v->visible_job = NULL;
    v->visible = NULL;
    if (v->filter_names || v->categories_off)
        v->visible_job = job_new(v);
    if (v->hide_empty)
        rows_build(v);
}

void search_forget(struct viewer *v)
{
    forget_found(v);
    job_free(v->visible_job);
    lane_slices_free(v->visible);
    v->visible_job = NULL;
    v->visible = NULL;
}

bool search_work(struct viewer *v)
{
    if (v->found_job) {
        job_step(v, &v->found_job, v->matches, NULL, &v->found);
        return true;
    }
    if (v->visible_job) {
        if (!job_step(v, &v->visible_job, v->filter_names, v->categories_off, &v->visible) &&
            v->hide_empty)
            rows_build(v); /* now it is known which rows have nothing left */
        return true;
    }
    if (v->matches && !v->match_counted) {
        v->match_total = match_count(v->t, v->matches, v->slice, &v->match_before);
        v->match_counted = true;
        return true;
    }
    return false;
}

static bool set_pattern(struct viewer *v, const char *pattern, char **text, bool **names,
                        struct error *err)
{
    bool *matches = NULL;
    if (*pattern) {
        matches = match_names(v->t, pattern, err);
        if (!matches)
            return false;
    }
    char *copy = *pattern ? xstrdup(pattern) : NULL;
    free(*text);
    free(*names);
    *text = copy;
    *names = matches;
    view_changed(v);
    return true;
}

bool search_set(struct viewer *v, const char *pattern, struct error *err)
{
    if (v->search && strcmp(v->search, pattern) == 0)
        return true;
    if (!set_pattern(v, pattern, &v->search, &v->matches, err))
        return false;
    v->match_counted = false;
    forget_found(v);
    if (v->matches)
        v->found_job = job_new(v);
    return true;
}

bool search_filter(struct viewer *v, const char *pattern, struct error *err)
{
    if (!set_pattern(v, pattern, &v->filter, &v->filter_names, err))
        return false;
    search_visible_changed(v);
    return true;
}

/* What the filter hides is no match. */
static uint32_t find(const struct viewer *v, bool next, uint32_t from, int64_t at_ns)
{
    bool *both = NULL;
    const bool *names = v->matches;
    if (v->filter_names) {
        uint32_t count = intern_count(v->t->names);
        both = xmalloc((size_t)count + 1);
        for (uint32_t i = 0; i < count; i++)
            both[i] = v->matches[i] && v->filter_names[i];
        names = both;
    }
    uint32_t found = next ? match_next(v->t, v->ix, names, NULL, from, at_ns)
                          : match_previous(v->t, v->ix, names, NULL, from, at_ns);
    free(both);
    return found;
}

void search_step(struct viewer *v, bool next)
{
    if (!v->matches) {
        view_complain(v, "no search yet: / begins one");
        return;
    }
    /* From the selected slice on, if the cursor still is at it. */
    uint32_t from = v->slice;
    if (from != TRACE_NONE &&
        (v->cursor_ns < v->t->start_ns[from] || v->cursor_ns > trace_end_ns(v->t, from)))
        from = TRACE_NONE;
    uint32_t found = find(v, next, from, v->cursor_ns);
    if (found == TRACE_NONE) {
        /* Round, as in less. */
        found = find(v, next, TRACE_NONE, next ? INT64_MIN : INT64_MAX);
        if (found != TRACE_NONE)
            view_say(v, next ? "search began again at the start" : "search began again at the end");
    }
    if (found == TRACE_NONE) {
        view_complain(v, "nothing matches '%s'", v->search);
        return;
    }
    jump_select(v, found, true);
    v->match_counted = false;
}

void search_begin(struct viewer *v)
{
    free(v->search_before);
    v->search_before = v->search ? xstrdup(v->search) : NULL;
    v->before_search = jump_here(v);
    v->folded_before = xrealloc(v->folded_before, v->t->track_count + 1);
    memcpy(v->folded_before, v->folded, v->t->track_count);
}

/* A match in a folded track had unfolded it. */
static void go_back(struct viewer *v)
{
    memcpy(v->folded, v->folded_before, v->t->track_count);
    rows_build(v);
    jump_to_place(v, v->before_search, false);
}

void search_typed(struct viewer *v, const char *pattern)
{
    enum { LARGE = 2000000 };
    struct error err = {0};
    /* A pattern that is not complete yet waits; so does one over very many slices. */
    if (v->t->slice_count > LARGE || !search_set(v, pattern, &err) || !v->matches)
        return;
    uint32_t found = find(v, true, v->before_search.slice, v->before_search.cursor_ns);
    if (found == TRACE_NONE)
        found = find(v, true, TRACE_NONE, INT64_MIN);
    go_back(v);
    if (found != TRACE_NONE)
        jump_select(v, found, false);
}

void search_cancel(struct viewer *v)
{
    struct error err = {0};
    search_set(v, v->search_before ? v->search_before : "", &err);
    go_back(v);
}
