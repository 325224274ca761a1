#include "draw/bars.h"

#include <string.h>

#include "base/duration.h"
#include "base/utf8.h"
#include "query/summary.h"

/* A row that is being drawn. */
struct row {
    struct grid *g;
    int y;
    const struct scale *s;
    const struct trace *t;
    const struct index *ix;
    uint32_t track, lane;
    const struct bar_look *look;
};

uint8_t bar_color(const struct trace *t, uint32_t label, bool by_name)
{
    const struct label *l = &t->labels[label];
    if (by_name)
        return (uint8_t)(COLOR_BY_NAME_0 + l->name * 2654435761u / 0x20000000u % 8);
    switch (t->categories[l->category].class) {
    case CATEGORY_KERNEL:
        return COLOR_KERNEL;
    case CATEGORY_MEMCPY:
        return COLOR_COPY;
    case CATEGORY_MEMSET:
        return COLOR_MEMSET;
    case CATEGORY_CPU_OP:
        return COLOR_OP;
    case CATEGORY_RUNTIME:
        return COLOR_RUNTIME;
    case CATEGORY_DRIVER:
        return COLOR_DRIVER;
    case CATEGORY_ANNOTATION:
    case CATEGORY_GPU_ANNOTATION:
        return COLOR_ANNOTATION;
    case CATEGORY_PYTHON:
        return COLOR_PYTHON;
    case CATEGORY_WRAPPER:
        return COLOR_WRAPPER;
    case CATEGORY_OTHER:
    default:
        return COLOR_OTHER;
    }
}

/* The name without a prefix. */
static bool drop_prefix(const char **name, size_t *len, const char *prefix)
{
    size_t n = strlen(prefix);
    if (*len <= n || memcmp(*name, prefix, n) != 0)
        return false;
    *name += n;
    *len -= n;
    return true;
}

const char *bar_name(const char *name, size_t len, int room, size_t *short_len)
{
    enum { LONGEST = 4096 }; /* names may have megabytes, which no screen shows */
    *short_len = len;
    if (len > LONGEST || room < 1 || utf8_columns(name, len) <= (size_t)room)
        return name;
    size_t stem = name_stem(name, len);
    if (drop_prefix(&name, &stem, "spyre_kernel_v1_")) {
        if (utf8_columns(name, stem) > (size_t)room)
            drop_prefix(&name, &stem, "fused_");
        *short_len = stem;
    }
    return name;
}

static struct style look_of(const struct row *r, uint32_t slice)
{
    const struct bar_look *look = r->look;
    const struct label *label = &r->t->labels[r->t->label[slice]];
    struct style style = {STYLE_BAR, bar_color(r->t, r->t->label[slice], look->by_name), 0};
    if (slice == look->selected)
        style.flags |= CELL_SELECTED;
    if (look->matches && look->matches[label->name])
        style.flags |= CELL_MATCH;
    if ((look->filter && !look->filter[label->name]) ||
        (look->categories_off && look->categories_off[label->category])) {
        style.color = COLOR_NONE;
        style.flags |= CELL_DIM;
    }
    return style;
}

/* The left part of a cell is filled, in eighths. */
static void left_part(struct grid *g, int x, int y, int eighths, struct style style)
{
    style.flags |= CELL_EDGE;
    if (g->ascii)
        grid_put(g, x, y, eighths >= 4 ? '#' : '|', style);
    else
        grid_put(g, x, y, (uint32_t)(0x2590 - eighths), style);
}

/* The right part is filled; there are fewer characters for that. */
static void right_part(struct grid *g, int x, int y, int eighths, struct style style)
{
    if (eighths >= 6 && !g->ascii) {
        grid_put(g, x, y, ' ', style);
        return;
    }
    style.flags |= CELL_EDGE;
    if (g->ascii)
        grid_put(g, x, y, eighths >= 4 ? '#' : '|', style);
    else
        grid_put(g, x, y, eighths >= 3 ? 0x2590 : 0x2595, style);
}

/* The name, in `room` cells: a cell at its right tells it from the next one's. */
static void draw_name(struct grid *g, int x, int y, int room, const char *name, size_t len,
                      struct style style)
{
    enum { LEAST = 4 };
    if (room < LEAST)
        return;
    name = bar_name(name, len, room - 1, &len);
    grid_text_middle(g, x, y, room - 1, name, len, style);
}

int bar_draw(struct grid *g, int y, const struct scale *s, int64_t start_ns, int64_t end_ns,
             const char *name, size_t len, struct style style)
{
    int64_t left = scale_eighths(s, start_ns), right = scale_eighths(s, end_ns);
    int64_t limit = (int64_t)s->cols * 8;
    left = left < 0 ? 0 : left;
    right = right > limit ? limit : right;
    if (left >= limit)
        return s->cols;
    if (right <= left)
        right = left + 1;
    int first = (int)((left + 7) / 8), last = (int)(right / 8); /* full cells [first, last) */
    if (first > last) {                                         /* within one cell */
        left_part(g, s->x0 + (int)(left / 8), y, (int)(right - left), style);
        return first;
    }
    if (left % 8)
        right_part(g, s->x0 + first - 1, y, (int)(8 - left % 8), style);
    for (int x = first; x < last; x++)
        grid_put(g, s->x0 + x, y, g->ascii ? '#' : ' ', style);
    if (right % 8)
        left_part(g, s->x0 + last, y, (int)(right % 8), style);
    draw_name(g, s->x0 + first, y, last - first, name, len, style);
    return last + (right % 8 != 0);
}

/* The first of the lane's slices in the list that lies in [slice, end), or TRACE_NONE. */
static uint32_t first_of(const struct row *r, const struct lane_slices *list, uint32_t slice,
                         uint32_t end)
{
    uint32_t lane = list->row[r->track] + r->lane;
    size_t low = list->first[lane], high = list->first[lane + 1], limit = high;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list->slices[middle] < slice)
            low = middle + 1;
        else
            high = middle;
    }
    return low < limit && list->slices[low] < end ? list->slices[low] : TRACE_NONE;
}

/* A column that several slices share, from `first` up to `end`: shaded by how busy it
 * is, in the colour of the one that matters most. */
static void draw_column(const struct row *r, int column, uint32_t first, uint32_t end, int64_t busy)
{
    int64_t width = ns_sub(scale_time(r->s, column + 1), scale_time(r->s, column));
    int x = r->s->x0 + column, eighths = width > 0 ? (int)((__int128)busy * 8 / width) : 8;
    uint32_t slice = TRACE_NONE, selected = r->look->selected;
    if (r->look->found)
        slice = first_of(r, r->look->found, first, end);
    if (slice == TRACE_NONE && r->look->visible)
        slice = first_of(r, r->look->visible, first, end);
    struct style style = look_of(r, slice == TRACE_NONE ? first : slice);
    /* The selected one may be any of the column's. */
    if (selected != TRACE_NONE && selected >= first && selected < end &&
        index_lane(r->ix, selected) == r->lane)
        style.flags |= CELL_SELECTED;
    if (eighths >= 7) {
        grid_put(r->g, x, r->y, r->g->ascii ? '#' : ' ', style);
    } else if (eighths < 1) {
        left_part(r->g, x, r->y, 1, style);
    } else {
        static const uint16_t shades[] = {0, 0x2591, 0x2591, 0x2592, 0x2592, 0x2593, 0x2593};
        style.flags |= CELL_EDGE;
        grid_put(r->g, x, r->y, !r->g->ascii ? shades[eighths] : eighths >= 4 ? '=' : '|', style);
    }
}

/* Where a slice begins and ends in the row, in eighths of a cell. */
struct extent {
    int64_t left, right;
};

static struct extent extent_of(const struct row *r, uint32_t slice)
{
    int64_t limit = (int64_t)r->s->cols * 8;
    int64_t left = scale_eighths(r->s, r->t->start_ns[slice]);
    int64_t right = scale_eighths(r->s, trace_end_ns(r->t, slice));
    return (struct extent){left < 0 ? 0 : left, right > limit ? limit : right};
}

static uint32_t slice_at(const struct row *r, uint32_t position)
{
    return index_lane_slice(r->ix, r->track, r->lane, position);
}

/* The cells that a slice fills wholly, from `column` on, and its name. Returns the first
 * column that it does not fill. */
static int draw_full(const struct row *r, int column, uint32_t slice, struct extent e)
{
    struct style style = look_of(r, slice);
    int end = (int)(e.right / 8);
    size_t len;
    const char *name = trace_name(r->t, slice, &len);
    for (int x = column; x < end; x++)
        grid_put(r->g, r->s->x0 + x, r->y, r->g->ascii ? '#' : ' ', style);
    draw_name(r->g, r->s->x0 + column, r->y, end - column, name, len, style);
    return end;
}

/* A cell that one slice fills in part. */
static void draw_part(const struct row *r, int column, uint32_t slice, struct extent e)
{
    int64_t left = e.left - (int64_t)column * 8, right = e.right - (int64_t)column * 8;
    int x = r->s->x0 + column;
    left = left < 0 ? 0 : left;
    if (right >= 8)
        right_part(r->g, x, r->y, (int)(8 - left), look_of(r, slice));
    else
        left_part(r->g, x, r->y, right > left ? (int)(right - left) : 1, look_of(r, slice));
}

/* The edge between two bars that meet in a cell: half of it at most. */
static void draw_edge(const struct row *r, int column, uint32_t slice)
{
    int64_t part = 8 - (extent_of(r, slice).left - (int64_t)column * 8);
    right_part(r->g, r->s->x0 + column, r->y,
               part < 1 || r->g->ascii ? 1
               : part > 4              ? 4
                                       : (int)part,
               look_of(r, slice));
}

static bool matters_between(const struct row *r, uint32_t first, uint32_t last)
{
    uint32_t selected = r->look->selected;
    return (selected != TRACE_NONE && selected > first && selected < last &&
            index_lane(r->ix, selected) == r->lane) ||
           (r->look->found && first_of(r, r->look->found, first + 1, last) != TRACE_NONE);
}

/* A cell that several slices share, from position `begin` up to `end`. */
static void draw_shared(const struct row *r, int column, uint32_t begin, uint32_t end,
                        uint32_t count, int64_t busy)
{
    uint32_t first = slice_at(r, begin), last = slice_at(r, end - 1);
    const struct track *track = &r->t->tracks[r->track];
    uint32_t behind = end < count ? slice_at(r, end) : track->first + track->count;
    /* Where two long bars meet, the edge of the second is shown, so that they can be told
     * apart, unless something between them matters; else how busy the cell is. */
    if (extent_of(r, first).left <= ((int64_t)column - 1) * 8 &&
        extent_of(r, last).right >= ((int64_t)column + 2) * 8 && !matters_between(r, first, last)) {
        draw_edge(r, column, last);
        return;
    }
    draw_column(r, column, first, behind, busy);
}

void bars_draw(struct grid *g, int y, const struct scale *s, const struct trace *t,
               const struct index *ix, uint32_t track, uint32_t lane, const struct bar_look *look)
{
    struct row r = {g, y, s, t, ix, track, lane, look};
    uint32_t count = index_lane_count(ix, track, lane);
    int64_t from = s->from_ns, busy;
    uint32_t position = index_lane_find(ix, track, lane, from);
    /* `position` is the first slice that reaches into the column, or lies behind it. */
    for (int column = 0; column < s->cols && position < count;) {
        uint32_t slice = slice_at(&r, position);
        int64_t start = t->start_ns[slice], until = scale_time(s, column + 1);
        if (start >= s->to_ns)
            break;
        int next = column + 1;
        struct extent e = extent_of(&r, slice);
        bool shared = false;
        if (start >= until) /* nothing in between */
            next = (int)scale_column(s, start);
        else if (e.left <= (int64_t)column * 8 && e.right >= ((int64_t)column + 1) * 8)
            next = draw_full(&r, column, slice, e);
        else if (position + 1 >= count || t->start_ns[slice_at(&r, position + 1)] >= until)
            draw_part(&r, column, slice, e);
        else
            shared = true;
        if (next <= column)
            next = column + 1;
        uint32_t begin = position;
        until = scale_time(s, next);
        position = index_lane_sweep(ix, track, lane, begin, from, until, &busy);
        if (shared) {
            uint32_t end = position;
            if (end < count && t->start_ns[slice_at(&r, end)] < until)
                end++; /* it reaches beyond the column */
            draw_shared(&r, column, begin, end, count, busy);
        }
        column = next;
        from = until;
    }
}
