#include "draw/bars.h"

#include "base/duration.h"

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

uint8_t bar_color(const struct trace *t, uint32_t slice, bool by_name)
{
    if (by_name)
        return (uint8_t)(COLOR_BY_NAME_0 +
                         t->labels[t->label[slice]].name * 2654435761u / 0x20000000u % 8);
    switch (trace_category(t, slice)->class) {
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

static struct style look_of(const struct row *r, uint32_t slice)
{
    const struct bar_look *look = r->look;
    const struct label *label = &r->t->labels[r->t->label[slice]];
    struct style style = {STYLE_BAR, bar_color(r->t, slice, look->by_name), 0};
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
static void left_part(const struct row *r, int x, int eighths, struct style style)
{
    style.flags |= CELL_EDGE;
    if (r->g->ascii)
        grid_put(r->g, x, r->y, eighths >= 4 ? '#' : '|', style);
    else
        grid_put(r->g, x, r->y, (uint32_t)(0x2590 - eighths), style);
}

/* The right part is filled; there are fewer characters for that. */
static void right_part(const struct row *r, int x, int eighths, struct style style)
{
    if (eighths >= 6 && !r->g->ascii) {
        grid_put(r->g, x, r->y, ' ', style);
        return;
    }
    style.flags |= CELL_EDGE;
    if (r->g->ascii)
        grid_put(r->g, x, r->y, eighths >= 4 ? '#' : '|', style);
    else
        grid_put(r->g, x, r->y, eighths >= 3 ? 0x2590 : 0x2595, style);
}

/* A slice of a column or more. */
static void draw_bar(const struct row *r, uint32_t slice)
{
    const struct scale *s = r->s;
    int64_t left = scale_eighths(s, r->t->start_ns[slice]);
    int64_t right = scale_eighths(s, trace_end_ns(r->t, slice));
    int64_t limit = (int64_t)s->cols * 8;
    left = left < 0 ? 0 : left;
    right = right > limit ? limit : right;
    if (right <= left)
        right = left + 1;
    struct style style = look_of(r, slice);
    int first = (int)((left + 7) / 8), last = (int)(right / 8); /* full cells [first, last) */
    if (first > last) {                                         /* within one cell */
        left_part(r, s->x0 + (int)(left / 8), (int)(right - left), style);
        return;
    }
    if (left % 8)
        right_part(r, s->x0 + first - 1, (int)(8 - left % 8), style);
    for (int x = first; x < last; x++)
        grid_put(r->g, s->x0 + x, r->y, r->g->ascii ? '#' : ' ', style);
    if (right % 8)
        left_part(r, s->x0 + last, (int)(right % 8), style);
    /* The name needs a cell at its right to be told from the next one's. */
    int room = last - first;
    if (room >= 4) {
        size_t len;
        const char *name = trace_name(r->t, slice, &len);
        grid_text_middle(r->g, s->x0 + first, r->y, room - 1, name, len, style);
    }
}

/* A column in which short slices lie: shaded by how busy it is. */
static void draw_column(const struct row *r, int column, uint32_t slice, int64_t from, int64_t to,
                        int64_t busy)
{
    struct style style = look_of(r, slice);
    int64_t width = ns_sub(to, from);
    int eighths = width > 0 ? (int)((__int128)busy * 8 / width) : 8;
    /* The selected one may be any of the column's. */
    uint32_t selected = r->look->selected;
    if (selected != TRACE_NONE && r->t->start_ns[selected] < to &&
        trace_end_ns(r->t, selected) >= from && index_lane(r->ix, selected) == r->lane &&
        r->t->start_ns[selected] >= from)
        style.flags |= CELL_SELECTED;
    if (eighths >= 7)
        grid_put(r->g, r->s->x0 + column, r->y, r->g->ascii ? '#' : ' ', style);
    else if (r->g->ascii)
        grid_put(r->g, r->s->x0 + column, r->y, eighths >= 4 ? '=' : '|',
                 (struct style){style.role, style.color, style.flags | CELL_EDGE});
    else if (eighths >= 1)
        grid_put(r->g, r->s->x0 + column, r->y,
                 eighths >= 5   ? 0x2593
                 : eighths >= 3 ? 0x2592
                                : 0x2591,
                 (struct style){style.role, style.color, style.flags | CELL_EDGE});
    else
        left_part(r, r->s->x0 + column, 1, style);
}

void bars_draw(struct grid *g, int y, const struct scale *s, const struct trace *t,
               const struct index *ix, uint32_t track, uint32_t lane, const struct bar_look *look)
{
    struct row r = {g, y, s, t, ix, track, lane, look};
    uint32_t count = index_lane_count(ix, track, lane);
    uint32_t position = index_lane_find(ix, track, lane, s->from_ns);
    while (position < count) {
        uint32_t slice = index_lane_slice(ix, track, lane, position);
        int64_t start = t->start_ns[slice], end = trace_end_ns(t, slice);
        if (start >= s->to_ns)
            break;
        int64_t column = scale_column(s, start), last = scale_column(s, end);
        /* Alone in its column, or longer than that: a bar of its own. */
        bool alone = position + 1 >= count;
        if (!alone) {
            uint32_t next = index_lane_slice(ix, track, lane, position + 1);
            alone = scale_column(s, t->start_ns[next]) > column;
        }
        if (last > column || alone) {
            draw_bar(&r, slice);
            position++;
            /* What begins in the bar's last column is drawn over its end. */
            continue;
        }
        int64_t from = scale_time(s, (int)column), to = scale_time(s, (int)column + 1), busy;
        /* The one before may reach into the column. */
        uint32_t begin = position;
        if (begin > 0 && trace_end_ns(t, index_lane_slice(ix, track, lane, begin - 1)) > from)
            begin--;
        uint32_t next = index_lane_sweep(ix, track, lane, begin, from, to, &busy);
        draw_column(&r, (int)column, slice, from, to, busy);
        position = next > position ? next : position + 1;
    }
}
