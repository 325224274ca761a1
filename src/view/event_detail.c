/*
 * The table Event: everything about the selected slice, as lines of text that are
 * broken to the width of the pane.
 *
 * The arguments come from the file: strict JSON, read here step by step rather than by
 * a library, so that every number is shown with the digits it has in the file.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/duration.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "trace/source.h"
#include "view/event_json.h"
#include "view/table_model.h"

static const struct table_column columns[] = {{"event", 1, 0, COLUMN_TEXT, false, false, true}};

enum {
    LINES_MAX = 20000, /* of a hostile event; what follows is cut with a word */
    ROWS_MAX = 200000, /* after breaking the lines */
    VALUE_MAX = 1 << 18,
    INDENT_MAX = 40,
    LABEL = 10, /* columns */
    KEY = 20,
    PIECE = 50000, /* slices looked at in a piece of work */
};

struct line {
    char *text;
    size_t len;
    int indent, hang; /* columns before its first, and before its further rows */
};

/* A row of the table: a part of a line. */
struct row {
    uint32_t line;
    size_t from, len;
};

struct level {
    bool array;
    uint32_t index;
};

struct state {
    struct line *lines;
    size_t count, capacity;
    struct row *rows;
    size_t row_count, row_capacity;
    int cols;         /* what they were broken for */
    struct text line; /* the one that is being written */

    /* The counting of children. */
    uint32_t next;
    uint64_t children;
    int64_t children_ns;
};

static struct state *state_of(const struct table *table)
{
    return table->state;
}

/* ------------------------------------------------------------------------ */
/* Lines */

/* Ends the line that was written. */
static void end_line(struct state *s, int indent, int hang)
{
    if (s->count == LINES_MAX) {
        text_clear(&s->line);
        text_puts(&s->line, "(there is more)");
    }
    if (s->count <= LINES_MAX) {
        size_t len = s->line.len < VALUE_MAX ? s->line.len : VALUE_MAX;
        if (len < s->line.len) {
            size_t left = s->line.len - len;
            while (len > 0 && ((unsigned char)s->line.data[len] & 0xc0) == 0x80)
                len--, left++;
            s->line.len = len;
            text_printf(&s->line, " (and %zu bytes more)", left);
            len = s->line.len;
        }
        struct line line = {xstrndup(len ? s->line.data : "", len), len, indent, hang};
        ARRAY_PUSH(s->lines, s->count, s->capacity, line);
    }
    text_clear(&s->line);
}

static void end_labelled(struct state *s)
{
    end_line(s, 0, LABEL);
}

/* Begins a line with a label of LABEL columns. */
static struct text *begin_line(struct state *s, const char *label)
{
    text_clear(&s->line);
    text_printf(&s->line, "%-*s", LABEL, label);
    return &s->line;
}

static void clear_lines(struct state *s)
{
    for (size_t i = 0; i < s->count; i++)
        free(s->lines[i].text);
    s->count = 0;
}

static size_t put_text(struct text *out, const struct intern *texts, uint32_t id)
{
    size_t len;
    const char *text = intern_text(texts, id, &len);
    text_add(out, text, len);
    return len;
}

static void put_time(struct text *out, int64_t ns)
{
    char text[DURATION_TEXT];
    text_puts(out, duration_text(text, ns));
}

static void put_us(struct text *out, const char *before, int64_t ns, const char *behind)
{
    char text[DURATION_TEXT];
    text_printf(out, "%s%s us%s", before, duration_us(text, ns), behind);
}

static void add_identity(struct state *s, const struct trace *t, uint32_t slice)
{
    const struct track *track = &t->tracks[trace_track_of(t, slice)];
    const struct process *p = &t->processes[track->process];
    static const char *const kinds[] = {"host", "device", "other"};
    table_put_name(begin_line(s, "name"), t, slice);
    end_labelled(s);
    if (put_text(begin_line(s, "category"), t->names, trace_category(t, slice)->text) == 0)
        text_puts(&s->line, "(none)");
    end_labelled(s);
    text_printf(begin_line(s, "process"), "pid %s  ", trace_id(t, p->pid));
    if (p->labels && put_text(&s->line, t->names, p->labels) && p->name)
        text_puts(&s->line, ", ");
    if (p->name)
        put_text(&s->line, t->names, p->name);
    end_labelled(s);
    text_printf(begin_line(s, "track"), "tid %s  ", trace_id(t, track->tid));
    put_text(&s->line, t->names, track->name);
    text_printf(&s->line, " (%s)", kinds[track->kind]);
    end_labelled(s);
}

static void add_wall_clock(struct state *s, const struct trace *t, int64_t at_ns)
{
    int64_t wall;
    struct tm utc;
    char date[64];
    if (!trace_wall_clock(t, at_ns, &wall))
        return;
    int64_t below = wall % 1000000000;
    time_t seconds = (time_t)(wall / 1000000000 - (below < 0));
    if (below < 0)
        below += 1000000000;
    if (!gmtime_r(&seconds, &utc) || !strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S", &utc))
        return;
    text_printf(begin_line(s, "wall"), "%s.%09" PRId64 " UTC", date, below);
    end_labelled(s);
}

static void add_times(struct table *table, uint32_t slice)
{
    struct state *s = state_of(table);
    const struct trace *t = table->context.t;
    int64_t at = t->start_ns[slice], dur = t->dur_ns[slice];
    /* The file's own clock, before ranks were made to line up. */
    int64_t shift = trace_file_of(t, slice)->shift_ns;
    put_time(begin_line(s, "start"), at);
    put_us(&s->line, "  (", at, ", ts ");
    put_us(&s->line, "", ns_sub(ns_add(at, t->origin_ns), shift), ")");
    end_labelled(s);
    add_wall_clock(s, t, at);
    put_time(begin_line(s, "duration"), dur);
    put_us(&s->line, "  (", dur, "), self ");
    put_time(&s->line, ns_sub(dur, s->children_ns));
    end_labelled(s);
    put_time(begin_line(s, "end"), trace_end_ns(t, slice));
    put_us(&s->line, "  (", trace_end_ns(t, slice), ")");
    end_labelled(s);
    text_printf(begin_line(s, "depth"), "%u, lane %u", index_depth(table->context.ix, slice),
                index_lane(table->context.ix, slice));
    end_labelled(s);
}

static void add_link(struct state *s, const struct trace *t, const char *label, uint32_t slice,
                     int64_t latency, const char *what)
{
    struct text *line = begin_line(s, label);
    text_puts(line, strcmp(label, "launched") == 0 ? "by " : "");
    table_put_name(line, t, slice);
    text_puts(line, ", ");
    put_time(line, latency);
    text_puts(line, what);
    end_labelled(s);
}

static void add_links(struct table *table, uint32_t slice)
{
    enum { SHOWN = 8 };
    struct state *s = state_of(table);
    const struct table_context *c = &table->context;
    int64_t latency = 0;
    if (!c->launches)
        return;
    uint32_t call = launches_call(c->launches, slice);
    if (call != TRACE_NONE) {
        launches_latency_ns(c->t, c->launches, slice, &latency);
        add_link(s, c->t, "launched", call, latency, " before  (<)");
        uint32_t op = launches_op(c->t, c->ix, call);
        if (op != TRACE_NONE) {
            table_put_name(begin_line(s, "operator"), c->t, op);
            end_labelled(s);
        }
    }
    const uint32_t *kernels;
    uint32_t count = launches_kernels(c->launches, slice, &kernels);
    for (uint32_t i = 0; i < count && i < SHOWN; i++)
        add_link(s, c->t, "launches", kernels[i],
                 ns_sub(c->t->start_ns[kernels[i]], c->t->start_ns[slice]), " later  (>)");
    if (count > SHOWN) {
        text_printf(begin_line(s, "launches"), "and %u more", count - SHOWN);
        end_labelled(s);
    }
}

/* What it is in, innermost first, and what is in it. */
static void add_family(struct table *table, uint32_t slice)
{
    enum { SHOWN = 12 };
    struct state *s = state_of(table);
    const struct table_context *c = &table->context;
    uint32_t parent = slice, depth = index_depth(c->ix, slice);
    for (uint32_t i = 0; i < SHOWN && (parent = index_parent(c->ix, parent)) != TRACE_NONE; i++) {
        table_put_name(begin_line(s, i ? "" : "in"), c->t, parent);
        text_puts(&s->line, ", ");
        put_time(&s->line, c->t->dur_ns[parent]);
        end_labelled(s);
    }
    if (depth > SHOWN) {
        text_printf(begin_line(s, ""), "and %u more", depth - SHOWN);
        end_labelled(s);
    }
    if (s->children == 0)
        return;
    text_printf(begin_line(s, "children"), "%" PRIu64 ", ", s->children);
    put_time(&s->line, s->children_ns);
    end_labelled(s);
}

/* ------------------------------------------------------------------------ */
/* Arguments as a tree */

/* Begins the line of a key (or an index): *hang is where its value starts. */
static void put_key(struct state *s, struct json_span key, const struct level *level, int *hang)
{
    text_clear(&s->line);
    if (level->array)
        text_printf(&s->line, "[%u]", level->index);
    else
        json_put_decoded(&s->line, key);
    int used = s->line.len < VALUE_MAX
                   ? (int)utf8_columns(s->line.data ? s->line.data : "", s->line.len)
                   : KEY;
    text_printf(&s->line, "%*s", used < KEY ? KEY - used + 2 : 2, "");
    *hang = used <= KEY ? KEY + 2 : 4;
}

/* The members of the object or list at p, a line each, brackets in it as a tree. No
 * recursion: how deep it goes is up to the file. */
static void add_tree(struct state *s, const char *p, const char *end)
{
    struct level *levels = NULL;
    size_t depth = 0, capacity = 0;
    ARRAY_PUSH(levels, depth, capacity, (struct level){*p == '[', 0});
    p++;
    while (s->count <= LINES_MAX && (p = json_skip_space(p, end)) < end) {
        if (json_closes(*p)) {
            p++;
            if (--depth == 0)
                break;
            continue;
        }
        struct level *level = &levels[depth - 1];
        struct json_span key = {p, p}, value;
        const char *at = level->array ? p : json_member(p, end, &key);
        int hang, indent = depth * 2 < INDENT_MAX ? (int)depth * 2 : INDENT_MAX;
        if (!at)
            break;
        put_key(s, key, level, &hang);
        level->index++;
        value = (struct json_span){at, json_opens(*at) ? json_inline_end(at, end)
                                                       : json_skip_value(at, end)};
        if (value.end) {
            json_put_value(&s->line, value);
            p = value.end > at ? value.end : at + 1;
        } else {
            p = at + 1;
            ARRAY_PUSH(levels, depth, capacity, (struct level){*at == '[', 0});
        }
        end_line(s, indent, hang);
    }
    free(levels);
}

/* ------------------------------------------------------------------------ */
/* The event in the file */

/* The text of an event, and what of it is no column of the trace. */
struct source {
    struct text text;      /* strict */
    struct json_span args; /* p is NULL without */
    struct text others;    /* an object of further members */
    struct text name;      /* as it stands in the file */
};

static bool is_known(const char *key, size_t len)
{
    static const char *const known[] = {"ph", "cat", "name", "pid", "tid", "ts", "dur", "args"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i]) == len && memcmp(known[i], key, len) == 0)
            return true;
    return false;
}

static bool read_source(const struct table *table, uint32_t slice, uint64_t byte,
                        struct source *source)
{
    const struct trace *t = table->context.t;
    struct text raw = {0}, key_text = {0};
    struct json_span key, value;
    uint32_t file = t->processes[t->tracks[trace_track_of(t, slice)].process].file;
    bool good =
        trace_read_event(t, file, byte, &raw) && json_make_strict(raw.data, raw.len, &source->text);
    text_putc(&source->others, '{');
    const char *p = good ? source->text.data + 1 : NULL;
    const char *end = good ? source->text.data + source->text.len : NULL;
    while (good && json_next_member(&p, end, &key, &value)) {
        text_clear(&key_text);
        json_put_decoded(&key_text, key);
        const char *name = key_text.len ? key_text.data : "";
        if (!is_known(name, key_text.len))
            json_put_member(&source->others, key, value);
        else if (strcmp(name, "args") == 0)
            source->args = value;
        else if (strcmp(name, "name") == 0 && *value.p == '"' && !source->name.len)
            json_put_decoded(&source->name, value);
    }
    text_putc(&source->others, '}');
    text_free(&raw);
    text_free(&key_text);
    return good;
}

static void free_source(struct source *source)
{
    text_free(&source->text);
    text_free(&source->others);
    text_free(&source->name);
}

static bool is_object(struct json_span value)
{
    return value.p && *value.p == '{';
}

static void add_heading(struct state *s, const char *heading)
{
    end_line(s, 0, 0);
    text_puts(&s->line, heading);
    end_line(s, 0, 0);
}

static void add_object(struct state *s, const char *heading, struct json_span value)
{
    const char *p = value.p ? json_skip_space(value.p + 1, value.end) : NULL;
    if (!value.p || (json_opens(*value.p) && (p >= value.end || json_closes(*p))))
        return; /* nothing in it */
    add_heading(s, heading);
    if (json_opens(*value.p)) {
        add_tree(s, value.p, value.end);
    } else {
        json_put_value(&s->line, value);
        end_line(s, 2, 0);
    }
}

static void add_file_name(struct state *s, const struct trace *t, uint32_t slice,
                          const struct source *source)
{
    size_t len;
    const char *name = trace_name(t, slice, &len);
    if (!source->name.len || (len == source->name.len && memcmp(name, source->name.data, len) == 0))
        return;
    text_add(begin_line(s, "in file"), source->name.data, source->name.len);
    end_labelled(s);
}

static struct json_span span_of(const struct text *text)
{
    return (struct json_span){text->data, text->data + text->len};
}

/* What the file says, of both halves of a pair as of one event: the end wins. */
static void add_source(struct table *table, uint32_t slice)
{
    struct state *s = state_of(table);
    const struct trace *t = table->context.t;
    struct source begin = {0}, end = {0};
    struct text args = {0}, others = {0};
    uint64_t end_byte = trace_end_byte(t, slice);
    bool pair = end_byte != UINT64_MAX;
    bool good = read_source(table, slice, t->byte[slice], &begin);
    good &= !pair || read_source(table, slice, end_byte, &end);
    text_printf(begin_line(s, "source"), "byte %" PRIu64, t->byte[slice]);
    if (pair)
        text_printf(&s->line, ", end at byte %" PRIu64, end_byte);
    if (t->file_count > 1)
        text_printf(&s->line, " of %s", trace_file_of(t, slice)->path);
    end_labelled(s);
    add_file_name(s, t, slice, &begin);
    if (!good) {
        text_puts(&s->line, "(the event can no longer be read: the file has changed)");
        end_line(s, 0, 0);
    }
    if (is_object(begin.args) && is_object(end.args)) {
        json_merge(begin.args, end.args, &args);
        add_object(s, "args", span_of(&args));
    } else {
        add_object(s, "args", end.args.p ? end.args : begin.args);
    }
    if (pair && end.others.len)
        json_merge(span_of(&begin.others), span_of(&end.others), &others);
    add_object(s, "other members", span_of(others.len ? &others : &begin.others));
    text_free(&args);
    text_free(&others);
    free_source(&begin);
    free_source(&end);
}

/* ------------------------------------------------------------------------ */
/* The table */

/* Rows of at most `cols` columns. */
static void wrap(struct table *table, int cols)
{
    struct state *s = state_of(table);
    if (s->cols == cols)
        return;
    s->cols = cols;
    s->row_count = 0;
    for (uint32_t i = 0; i < s->count && s->row_count < ROWS_MAX; i++) {
        const struct line *line = &s->lines[i];
        const char *p = line->text, *end = p + line->len;
        int indent = line->indent < cols / 2 ? line->indent : cols / 2;
        do {
            const char *start = p;
            int32_t code = 0;
            for (int used = indent; p < end && code != '\n';) {
                int bytes = utf8_decode(p, end, &code), width = utf8_width(utf8_visible(code));
                if (used + width > cols && p > start)
                    break;
                used += width;
                p += bytes;
            }
            struct row row = {i, (size_t)(start - line->text), (size_t)(p - start)};
            ARRAY_PUSH(s->rows, s->row_count, s->row_capacity, row);
            indent = line->indent + line->hang < cols / 2 ? line->indent + line->hang : cols / 2;
        } while (p < end && s->row_count < ROWS_MAX);
    }
}

static void start(struct table *table)
{
    if (!table->state)
        table->state = xcalloc(1, sizeof(struct state));
    struct state *s = state_of(table);
    s->next = table->context.slice + 1;
    s->children = 0;
    s->children_ns = 0;
}

/* Children by the positions in the lane below, where nothing crosses. */
static void count_in_lane(struct table *table, uint32_t slice, uint32_t track)
{
    struct state *s = state_of(table);
    const struct table_context *c = &table->context;
    int64_t start_ns = c->t->start_ns[slice], end_ns = trace_end_ns(c->t, slice);
    uint32_t lane = index_lane(c->ix, slice) + 1;
    if (lane >= index_lanes(c->ix, track))
        return;
    s->children =
        index_lane_find(c->ix, track, lane, end_ns) - index_lane_find(c->ix, track, lane, start_ns);
    s->children_ns = index_lane_busy(c->ix, track, lane, start_ns, end_ns);
}

/* A piece of the counting of children; true: there is more. */
static bool count_children(struct table *table, uint32_t slice)
{
    struct state *s = state_of(table);
    const struct table_context *c = &table->context;
    uint32_t track = trace_track_of(c->t, slice);
    uint32_t end = c->t->tracks[track].first + c->t->tracks[track].count;
    if (c->t->tracks[track].kind == TRACK_DEVICE)
        return false;
    if (!index_has_overlap(c->ix, track) && c->t->dur_ns[slice] > 0) {
        count_in_lane(table, slice, track);
        return false;
    }
    for (uint32_t budget = PIECE; s->next < end; s->next++) {
        if (c->t->start_ns[s->next] > trace_end_ns(c->t, slice))
            break;
        if (budget-- == 0)
            return true;
        if (index_parent(c->ix, s->next) != slice)
            continue;
        s->children++;
        s->children_ns = ns_add(s->children_ns, c->t->dur_ns[s->next]);
    }
    return false;
}

static bool work(struct table *table)
{
    struct state *s = state_of(table);
    uint32_t slice = table->context.slice;
    if (slice != TRACE_NONE && count_children(table, slice))
        return true;
    clear_lines(s);
    if (slice != TRACE_NONE) {
        add_identity(s, table->context.t, slice);
        add_times(table, slice);
        add_links(table, slice);
        add_family(table, slice);
        add_source(table, slice);
    }
    int cols = s->cols > 0 ? s->cols : 80;
    s->cols = 0;
    wrap(table, cols);
    table->published = true;
    return false;
}

static uint32_t rows(const struct table *table)
{
    return (uint32_t)state_of(table)->row_count;
}

static void cell(struct table *table, uint32_t row, int column, struct text *out, int *flags)
{
    const struct state *s = state_of(table);
    const struct row *r = &s->rows[row];
    const struct line *line = &s->lines[r->line];
    int indent = line->indent + (r->from > 0 ? line->hang : 0);
    (void)column;
    (void)flags;
    text_printf(out, "%*s", indent < s->cols / 2 ? indent : s->cols / 2, "");
    text_add(out, line->text + r->from, r->len);
}

static void free_state(struct table *table)
{
    struct state *s = state_of(table);
    clear_lines(s);
    free(s->lines);
    free(s->rows);
    text_free(&s->line);
    free(s);
}

const struct table_model table_event_model = {
    .columns = columns,
    .column_count = 1,
    .first_sort = -1,
    .wants_slice = true,
    .start = start,
    .work = work,
    .rows = rows,
    .cell = cell,
    .wrap = wrap,
    .free = free_state,
};
