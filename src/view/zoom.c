/*
 * The window: panning, zooming, undo. All in integers; one cell is never less than a
 * nanosecond, and the window never leaves the trace by more than itself.
 */
#include <string.h>

#include "base/duration.h"
#include "view/view.h"

static int timeline_cols(const struct viewer *v)
{
    int cols = v->cols - v->layout.label_width;
    return cols > 1 ? cols : 1;
}

void zoom_hold_cursor(struct viewer *v)
{
    if (v->cursor_ns < v->from_ns)
        v->cursor_ns = v->from_ns;
    if (v->cursor_ns >= v->to_ns)
        v->cursor_ns = v->to_ns - 1;
}

void zoom_place(struct viewer *v, int64_t from_ns, int64_t to_ns)
{
    int64_t first = v->prepared->first_ns, last = v->prepared->end_ns, least = timeline_cols(v);
    int64_t whole = ns_sub(last, first);
    if (whole < least)
        whole = least;
    int64_t span = ns_sub(to_ns, from_ns);
    if (span < least) { /* a nanosecond a cell */
        from_ns = ns_sub(from_ns, (least - span) / 2);
        span = least;
    }
    if (span > whole) {
        span = whole;
        from_ns = first;
    }
    if (from_ns > ns_sub(ns_add(first, whole), span))
        from_ns = ns_sub(ns_add(first, whole), span);
    if (from_ns < first)
        from_ns = first;
    v->from_ns = from_ns;
    v->to_ns = ns_add(from_ns, span);
    if (v->to_ns <= v->from_ns)
        v->from_ns = v->to_ns - 1;
    zoom_hold_cursor(v);
    v->fitted = 0;
    if (v->hide_empty)
        rows_build(v);
    view_changed(v);
}

static void push(struct places *list, struct place place)
{
    if (list->count == PLACES) {
        memmove(list->items, list->items + 1, (PLACES - 1) * sizeof *list->items);
        list->count--;
    }
    list->items[list->count++] = place;
}

void zoom_set(struct viewer *v, int64_t from_ns, int64_t to_ns)
{
    struct place before = jump_here(v);
    zoom_place(v, from_ns, to_ns);
    if (v->from_ns == before.from_ns && v->to_ns == before.to_ns)
        return;
    push(&v->undo, before);
    v->redo.count = 0;
}

static bool step_back(struct viewer *v, struct places *from, struct places *to)
{
    if (from->count == 0)
        return false;
    push(to, jump_here(v));
    struct place place = from->items[--from->count];
    zoom_place(v, place.from_ns, place.to_ns);
    v->cursor_ns = place.cursor_ns;
    zoom_hold_cursor(v);
    return true;
}

bool zoom_undo(struct viewer *v)
{
    return step_back(v, &v->undo, &v->redo);
}

bool zoom_redo(struct viewer *v)
{
    return step_back(v, &v->redo, &v->undo);
}

void zoom_by(struct viewer *v, bool in)
{
    /* Half or twice as much, the cursor's time stays where it is. */
    __int128 span = (__int128)v->to_ns - v->from_ns, left = (__int128)v->cursor_ns - v->from_ns;
    __int128 wanted = in ? (span + 1) / 2 : span * 2;
    if (wanted > INT64_MAX / 2)
        wanted = INT64_MAX / 2;
    if (wanted < timeline_cols(v))
        wanted = timeline_cols(v);
    __int128 from = (__int128)v->cursor_ns - left * wanted / span;
    if (from < INT64_MIN)
        from = INT64_MIN;
    int64_t before_from = v->from_ns, before_to = v->to_ns;
    zoom_set(v, (int64_t)from, ns_add((int64_t)from, (int64_t)wanted));
    if (v->from_ns == before_from && v->to_ns == before_to)
        view_complain(v, in ? "a cell is one nanosecond: no closer" : "this is the whole trace");
}

void zoom_pan(struct viewer *v, int64_t delta_ns)
{
    int64_t before = v->from_ns, cursor = v->cursor_ns;
    zoom_set(v, ns_add(v->from_ns, delta_ns), ns_add(v->to_ns, delta_ns));
    if (v->from_ns == before)
        view_complain(v, delta_ns < 0 ? "this is the start of the trace"
                                      : "this is the end of the trace");
    else
        v->cursor_ns = ns_add(cursor, v->from_ns - before); /* it stays in its column */
    zoom_hold_cursor(v);
}

void zoom_pan_share(struct viewer *v, int percent)
{
    __int128 delta = ((__int128)v->to_ns - v->from_ns) * percent / 100;
    if (delta == 0)
        delta = percent < 0 ? -1 : 1;
    zoom_pan(v, (int64_t)delta);
}

void zoom_show_time(struct viewer *v, int64_t at_ns)
{
    if (at_ns < v->from_ns || at_ns >= v->to_ns) {
        int64_t span = v->to_ns - v->from_ns;
        zoom_set(v, ns_sub(at_ns, span / 2), ns_add(ns_sub(at_ns, span / 2), span));
    }
    v->cursor_ns = at_ns;
    zoom_hold_cursor(v);
}

void zoom_show_span(struct viewer *v, int64_t from_ns, int64_t to_ns)
{
    int64_t span = v->to_ns - v->from_ns;
    if (to_ns <= v->from_ns || from_ns >= v->to_ns)
        zoom_show_time(v, from_ns);
    else if (from_ns < v->from_ns && ns_sub(to_ns, from_ns) < span)
        zoom_set(v, from_ns, ns_add(from_ns, span));
    v->cursor_ns = from_ns;
    zoom_hold_cursor(v);
}
