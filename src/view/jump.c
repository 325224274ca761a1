/*
 * Going from place to place: slices, iterations, gaps, links, and back.
 */
#include <string.h>

#include "base/duration.h"
#include "base/utf8.h"
#include "view/view.h"

struct place jump_here(const struct viewer *v)
{
    const struct row *row = rows_cursor(v);
    return (struct place){
        .from_ns = v->from_ns,
        .to_ns = v->to_ns,
        .cursor_ns = v->cursor_ns,
        .slice = v->slice,
        .top_line = v->top_line,
        .row = row ? *row : (struct row){.track = TRACE_NONE},
    };
}

void jump_to_place(struct viewer *v, struct place place, bool undoable)
{
    if (undoable)
        zoom_set(v, place.from_ns, place.to_ns);
    else
        zoom_place(v, place.from_ns, place.to_ns);
    v->cursor_ns = place.cursor_ns;
    v->slice = place.slice;
    zoom_hold_cursor(v);
    v->top_line = place.top_line;
    rows_go_to(v, &place.row);
    view_changed(v);
}

static bool same_place(const struct place *a, const struct place *b)
{
    return a->from_ns == b->from_ns && a->to_ns == b->to_ns && a->cursor_ns == b->cursor_ns &&
           a->slice == b->slice;
}

void jump_remember(struct viewer *v)
{
    struct places *list = &v->jumps;
    struct place place = jump_here(v);
    if (list->count > 0 && same_place(&list->items[list->count - 1], &place))
        return;
    if (list->count == PLACES) {
        memmove(list->items, list->items + 1, (PLACES - 1) * sizeof *list->items);
        list->count--;
    }
    list->items[list->count++] = place;
}

bool jump_back(struct viewer *v)
{
    struct place here = jump_here(v);
    struct places *list = &v->jumps;
    while (list->count > 0) {
        struct place place = list->items[--list->count];
        if (same_place(&place, &here))
            continue; /* the jump led nowhere else */
        jump_to_place(v, place, true);
        return true;
    }
    return false;
}

void jump_select(struct viewer *v, uint32_t slice, bool remember)
{
    if (remember)
        jump_remember(v);
    v->slice = slice;
    rows_show_slice(v, slice);
    zoom_show_span(v, v->t->start_ns[slice], trace_end_ns(v->t, slice));
    view_changed(v);
}

/* The first slice of the line at or after the cursor (or the last before it). */
static uint32_t near_cursor(const struct viewer *v, const struct row *row, bool next)
{
    uint32_t count = index_lane_count(v->ix, row->track, row->lane);
    uint32_t at = index_lane_find(v->ix, row->track, row->lane, v->cursor_ns);
    if (next)
        return at < count ? index_lane_slice(v->ix, row->track, row->lane, at) : TRACE_NONE;
    return at > 0 ? index_lane_slice(v->ix, row->track, row->lane, at - 1) : TRACE_NONE;
}

void jump_slice(struct viewer *v, bool next)
{
    const struct row *row = rows_cursor(v);
    if (!row || row->kind != ROW_LANE) {
        view_complain(v, "no slices on this line: choose a track's");
        return;
    }
    bool on_line = v->slice != TRACE_NONE && trace_track_of(v->t, v->slice) == row->track &&
                   index_lane(v->ix, v->slice) == row->lane;
    uint32_t slice;
    if (on_line)
        slice = next ? index_lane_next(v->ix, v->slice) : index_lane_previous(v->ix, v->slice);
    else
        slice = near_cursor(v, row, next);
    if (slice == TRACE_NONE)
        view_complain(v, "no %s slice on this line", next ? "further" : "earlier");
    else
        jump_select(v, slice, false);
}

void jump_to_iteration(struct viewer *v, uint32_t iteration)
{
    const struct iteration *it = &v->iterations->items[iteration];
    int64_t air = it->dur_ns / 50 + 1;
    jump_remember(v);
    v->slice = it->slice;
    zoom_set(v, ns_sub(it->start_ns, air), ns_add(ns_add(it->start_ns, it->dur_ns), air));
    v->cursor_ns = it->start_ns;
    view_changed(v);
}

void jump_iteration(struct viewer *v, bool next)
{
    links_prepare(v);
    const struct iterations *list = v->iterations;
    uint32_t best = TRACE_NONE;
    if (list->count == 0) {
        view_complain(v, "the trace has no iterations (--iteration-pattern names others)");
        return;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        const struct iteration *it = &list->items[i];
        if (v->family != TRACE_NONE && it->family != v->family)
            continue;
        if (next && (it->start_ns > v->cursor_ns ||
                     (it->start_ns == v->cursor_ns && v->slice != it->slice))) {
            best = i;
            break;
        }
        if (!next && it->start_ns < v->cursor_ns)
            best = i;
    }
    if (best == TRACE_NONE)
        view_complain(v, "no %s iteration", next ? "further" : "earlier");
    else
        jump_to_iteration(v, best);
}

/* The device to look at: the cursor's, or the first there is. */
static bool find_device(const struct viewer *v, uint32_t *process, uint32_t *track)
{
    *track = rows_track(v);
    if (*track != TRACE_NONE && v->t->tracks[*track].kind == TRACK_DEVICE) {
        *process = v->t->tracks[*track].process;
        return true;
    }
    *track = TRACE_NONE;
    for (uint32_t k = 0; k < v->t->track_count; k++) {
        if (v->t->tracks[k].kind == TRACK_DEVICE) {
            *process = v->t->tracks[k].process;
            return true;
        }
    }
    return false;
}

void jump_gap(struct viewer *v, bool next)
{
    uint32_t process, track;
    struct gap gap;
    char text[DURATION_TEXT];
    if (!find_device(v, &process, &track)) {
        view_complain(v, "the trace has no device rows");
        return;
    }
    /* Gaps too small to be seen in this window are passed over. */
    int64_t least = (v->to_ns - v->from_ns) / 400 + 1;
    bool found = next ? gap_next(v->t, v->ix, process, track, v->cursor_ns, least, &gap)
                      : gap_previous(v->t, v->ix, process, track, v->cursor_ns, least, &gap);
    if (!found) {
        view_complain(v, "no %s gap of %s or more", next ? "further" : "earlier",
                      duration_text(text, least));
        return;
    }
    zoom_show_span(v, gap.start_ns, gap.start_ns + gap.dur_ns);
    v->cursor_ns = gap.start_ns;
    v->slice = gap.after;
    view_say(v, "idle for %s", duration_text(text, gap.dur_ns));
    view_changed(v);
}

void jump_link(struct viewer *v, bool forward)
{
    links_prepare(v);
    if (v->slice == TRACE_NONE) {
        view_complain(v, "no slice is selected");
        return;
    }
    const uint32_t *kernels;
    uint32_t target = TRACE_NONE;
    bool device = trace_category(v->t, v->slice)->device;
    if (!forward && device)
        target = launches_call(v->launches, v->slice);
    else if (!forward)
        target = launches_op(v->t, v->ix, v->slice);
    else if (!device && launches_kernels(v->launches, v->slice, &kernels) > 0)
        target = kernels[0];
    if (target == TRACE_NONE && forward && !device) {
        /* An op: the first kernel that a call within it launched. */
        uint32_t track = trace_track_of(v->t, v->slice);
        uint32_t end = v->t->tracks[track].first + v->t->tracks[track].count;
        for (uint32_t i = v->slice + 1; i < end && v->t->start_ns[i] < trace_end_ns(v->t, v->slice);
             i++) {
            if (launches_kernels(v->launches, i, &kernels) > 0) {
                target = kernels[0];
                break;
            }
        }
    }
    if (target == TRACE_NONE)
        view_complain(v, forward ? "this slice launched nothing that the trace knows of"
                                 : "no launching call is known for this slice");
    else
        jump_select(v, target, true);
}

uint32_t jump_slice_at_cursor(const struct viewer *v)
{
    const struct row *row = rows_cursor(v);
    if (!row || row->kind != ROW_LANE)
        return TRACE_NONE;
    return index_lane_at(v->ix, row->track, row->lane, v->cursor_ns);
}

void jump_line(struct viewer *v, int64_t lines)
{
    int64_t line = (int64_t)v->cursor_line + lines, last = (int64_t)v->line_count - 1;
    if (line > last)
        line = last;
    if (line < 0)
        line = 0;
    v->cursor_line = (uint32_t)line;
    rows_scroll_to_cursor(v);
    /* What is under the cursor there is selected. */
    uint32_t slice = jump_slice_at_cursor(v);
    if (slice != v->slice) {
        v->slice = slice;
        view_changed(v);
    }
}
