/*
 * Which lines the timeline has: processes, tracks, lanes.
 */
#include "base/memory.h"
#include "view/view.h"

static void add_line(struct viewer *v, enum row_kind kind, uint32_t process, uint32_t track,
                     uint32_t lane)
{
    size_t count = v->line_count;
    ARRAY_PUSH(v->lines, count, v->line_capacity, (struct row){kind, process, track, lane});
    v->line_count++;
}

bool rows_visible_track(const struct viewer *v, uint32_t track)
{
    const struct track *tr = &v->t->tracks[track];
    if (tr->count == 0)
        return false;
    if (!v->hide_empty)
        return true;
    /* Hidden are tracks without anything in the window. */
    return index_overlap(v->ix, track, tr->first, v->from_ns, v->to_ns) != TRACE_NONE;
}

static void add_track(struct viewer *v, uint32_t process, uint32_t track)
{
    uint32_t lanes = v->folded[track] ? 1 : index_lanes(v->ix, track);
    for (uint32_t lane = 0; lane < lanes; lane++)
        add_line(v, ROW_LANE, process, track, lane);
}

void rows_build(struct viewer *v)
{
    struct row at = v->line_count ? v->lines[v->cursor_line] : (struct row){0};
    v->line_count = 0;
    for (uint32_t p = 0; p < v->t->process_count; p++) {
        const struct process *process = &v->t->processes[p];
        bool headed = false;
        for (uint32_t k = process->first_track; k < process->first_track + process->track_count;
             k++) {
            if (!rows_visible_track(v, k))
                continue;
            if (!headed)
                add_line(v, ROW_PROCESS, p, TRACE_NONE, 0);
            headed = true;
            add_track(v, p, k);
        }
    }
    /* The cursor stays on its line, or on the nearest before it. */
    uint32_t best = 0;
    for (uint32_t i = 0; i < v->line_count; i++) {
        const struct row *row = &v->lines[i];
        if (row->process < at.process ||
            (row->process == at.process &&
             (row->kind == ROW_PROCESS ||
              (at.kind == ROW_LANE &&
               (row->track < at.track || (row->track == at.track && row->lane <= at.lane))))))
            best = i;
    }
    v->cursor_line = best;
    rows_scroll_to_cursor(v);
}

void rows_scroll_to_cursor(struct viewer *v)
{
    uint32_t height = v->layout.rows_height > 0 ? (uint32_t)v->layout.rows_height : 1;
    if (v->cursor_line < v->top_line)
        v->top_line = v->cursor_line;
    if (v->cursor_line >= v->top_line + height)
        v->top_line = v->cursor_line - height + 1;
    if (v->line_count <= height)
        v->top_line = 0;
    else if (v->top_line > v->line_count - height)
        v->top_line = v->line_count - height;
}

const struct row *rows_cursor(const struct viewer *v)
{
    return v->cursor_line < v->line_count ? &v->lines[v->cursor_line] : NULL;
}

uint32_t rows_track(const struct viewer *v)
{
    const struct row *row = rows_cursor(v);
    return row && row->kind == ROW_LANE ? row->track : TRACE_NONE;
}

void rows_show_slice(struct viewer *v, uint32_t slice)
{
    uint32_t track = trace_track_of(v->t, slice), lane = index_lane(v->ix, slice);
    bool found = false;
    for (int tries = 0; tries < 2 && !found; tries++) {
        for (uint32_t i = 0; i < v->line_count && !found; i++) {
            const struct row *row = &v->lines[i];
            if (row->kind != ROW_LANE || row->track != track || row->lane != lane)
                continue;
            v->cursor_line = i;
            found = true;
        }
        if (!found) {
            v->folded[track] = false;
            rows_build(v);
        }
    }
    rows_scroll_to_cursor(v);
}
