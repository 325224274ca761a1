/*
 * The table Event: everything about the selected slice, as lines of text.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/duration.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "trace/source.h"
#include "view/table_model.h"

static const struct table_column columns[] = {{"event", 16, 0, false}};

/* Lines of a hostile event; more are cut with a word. */
enum { LINES_MAX = 20000, LINE_MAX_BYTES = 4000, INDENT_MAX = 60 };

struct line {
    char *text;
    size_t len;
};

struct state {
    struct line *lines;
    size_t count, capacity;
};

static struct state *state_of(const struct table *table)
{
    return table->state;
}

static void add_line(struct state *s, const char *text, size_t len)
{
    if (s->count >= LINES_MAX)
        return;
    if (s->count == LINES_MAX - 1) {
        text = "...";
        len = 3;
    }
    ARRAY_PUSH(s->lines, s->count, s->capacity, (struct line){xstrndup(text, len), len});
}

__attribute__((format(printf, 2, 3))) static void add_format(struct state *s, const char *format,
                                                             ...)
{
    char text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    add_line(s, text, strlen(text));
}

static void clear(struct state *s)
{
    for (size_t i = 0; i < s->count; i++)
        free(s->lines[i].text);
    s->count = 0;
}

static const char *safe_name(const struct trace *t, uint32_t slice, char *out, size_t size)
{
    size_t len;
    const char *name = trace_name(t, slice, &len);
    utf8_make_safe(out, size, name, len);
    return out;
}

static void add_identity(struct state *s, const struct trace *t, uint32_t slice)
{
    struct text line = {0};
    char category[256], process[256], thread[256], pid[128], tid[128];
    size_t len;
    const char *name = trace_name(t, slice, &len);
    text_puts(&line, "name      ");
    text_add(&line, name, len);
    add_line(s, line.data, line.len);
    text_free(&line);
    const struct track *track = &t->tracks[trace_track_of(t, slice)];
    const struct process *p = &t->processes[track->process];
    const char *text = intern_text(t->names, trace_category(t, slice)->text, &len);
    utf8_make_safe(category, sizeof category, text, len);
    text = intern_text(t->names, p->labels ? p->labels : p->name, &len);
    utf8_make_safe(process, sizeof process, text, len);
    text = intern_text(t->names, track->name, &len);
    utf8_make_safe(thread, sizeof thread, text, len);
    utf8_make_safe(pid, sizeof pid, trace_id(t, p->pid), UTF8_NUL_TERMINATED);
    utf8_make_safe(tid, sizeof tid, trace_id(t, track->tid), UTF8_NUL_TERMINATED);
    add_format(s, "category  %s", *category ? category : "(none)");
    add_format(s, "track     pid %s%s%s%s, tid %s%s%s%s", pid, *process ? " (" : "", process,
               *process ? ")" : "", tid, *thread ? " (" : "", thread, *thread ? ")" : "");
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
    if (gmtime_r(&seconds, &utc) && strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S", &utc))
        add_format(s, "wall      %s.%09" PRId64 " UTC", date, below);
}

static int64_t self_ns(const struct table *table, uint32_t slice)
{
    const struct trace *t = table->context.t;
    const struct index *ix = table->context.ix;
    uint32_t track = trace_track_of(t, slice),
             end = t->tracks[track].first + t->tracks[track].count;
    int64_t self = t->dur_ns[slice];
    if (t->tracks[track].kind == TRACK_DEVICE)
        return self;
    if (!index_has_overlap(ix, track)) {
        uint32_t lane = index_lane(ix, slice) + 1;
        if (lane < index_lanes(ix, track))
            self -= index_lane_busy(ix, track, lane, t->start_ns[slice], trace_end_ns(t, slice));
        return self;
    }
    for (uint32_t i = slice + 1; i < end && t->start_ns[i] < trace_end_ns(t, slice); i++)
        if (index_parent(ix, i) == slice)
            self -= t->dur_ns[i];
    return self;
}

static void add_times(struct table *table, uint32_t slice)
{
    struct state *s = state_of(table);
    const struct trace *t = table->context.t;
    char start[DURATION_TEXT], clock[DURATION_TEXT], dur[DURATION_TEXT], self[DURATION_TEXT],
        end[DURATION_TEXT];
    int64_t at = t->start_ns[slice];
    add_format(s, "start     %s  (ts %s us)", duration_text(start, at),
               duration_us(clock, ns_add(at, t->origin_ns)));
    add_wall_clock(s, t, at);
    add_format(s, "duration  %s  (%s us), self %s", duration_text(dur, t->dur_ns[slice]),
               duration_us(clock, t->dur_ns[slice]), duration_text(self, self_ns(table, slice)));
    add_format(s, "end       %s", duration_text(end, trace_end_ns(t, slice)));
    add_format(s, "depth     %u, lane %u", index_depth(table->context.ix, slice),
               index_lane(table->context.ix, slice));
}

static void add_links(struct table *table, uint32_t slice)
{
    enum { SHOWN = 8 };
    struct state *s = state_of(table);
    const struct table_context *c = &table->context;
    char name[512], time[DURATION_TEXT];
    int64_t latency;
    uint32_t call = launches_call(c->launches, slice);
    if (call != TRACE_NONE) {
        launches_latency_ns(c->t, c->launches, slice, &latency);
        add_format(s, "launched  by %s, %s before  (<)", safe_name(c->t, call, name, sizeof name),
                   duration_text(time, latency));
        uint32_t op = launches_op(c->t, c->ix, call);
        if (op != TRACE_NONE)
            add_format(s, "operator  %s", safe_name(c->t, op, name, sizeof name));
    }
    const uint32_t *kernels;
    uint32_t count = launches_kernels(c->launches, slice, &kernels);
    for (uint32_t i = 0; i < count && i < SHOWN; i++)
        add_format(s, "launches  %s, %s later  (>)", safe_name(c->t, kernels[i], name, sizeof name),
                   duration_text(time, c->t->start_ns[kernels[i]] - c->t->start_ns[slice]));
    if (count > SHOWN)
        add_format(s, "launches  and %u more", count - SHOWN);
}

static void add_family(struct table *table, uint32_t slice)
{
    enum { SHOWN = 12 };
    struct state *s = state_of(table);
    const struct table_context *c = &table->context;
    char name[512], time[DURATION_TEXT];
    uint32_t parent = slice;
    for (int i = 0; i < SHOWN && (parent = index_parent(c->ix, parent)) != TRACE_NONE; i++)
        add_format(s, "%s  %s, %s", i ? "      in" : "in      ",
                   safe_name(c->t, parent, name, sizeof name),
                   duration_text(time, c->t->dur_ns[parent]));
}

/* Strict JSON, a member or item a line. The digits of numbers stay as they are in the
 * file, which a library that makes doubles of them could not do. */
static void add_json(struct state *s, const char *text, size_t len)
{
    struct text line = {0};
    const char *p = text, *end = text + len;
    int depth = 0;
    bool string = false;
    while (p < end) {
        char c = *p;
        if (string) {
            text_putc(&line, c);
            if (c == '\\' && p + 1 < end)
                text_putc(&line, *++p);
            else if (c == '"')
                string = false;
            p++;
            continue;
        }
        p++;
        if (c == ' ' || c == '\n' || c == '\r' || c == '\t')
            continue;
        bool open = c == '{' || c == '[', close = c == '}' || c == ']';
        const char *q = p;
        while (q < end && (*q == ' ' || *q == '\n' || *q == '\r' || *q == '\t'))
            q++;
        if (open && q < end && (*q == '}' || *q == ']')) { /* nothing in it */
            text_putc(&line, c);
            text_putc(&line, *q);
            p = q + 1;
            continue;
        }
        if (close) {
            if (line.len)
                add_line(s, line.data, line.len);
            text_clear(&line);
            depth--;
            for (int i = 0; i < depth * 2 && i < INDENT_MAX; i++)
                text_putc(&line, ' ');
        }
        text_putc(&line, c);
        if (c == ':')
            text_putc(&line, ' ');
        string = c == '"';
        if (open)
            depth++;
        if (open || c == ',') {
            add_line(s, line.data, line.len);
            text_clear(&line);
            for (int i = 0; i < depth * 2 && i < INDENT_MAX; i++)
                text_putc(&line, ' ');
        }
    }
    if (line.len)
        add_line(s, line.data, line.len);
    text_free(&line);
}

static void add_source(struct table *table, uint32_t slice, uint64_t byte, const char *title)
{
    struct state *s = state_of(table);
    const struct trace *t = table->context.t;
    struct text raw = {0}, strict = {0};
    uint32_t file = t->processes[t->tracks[trace_track_of(t, slice)].process].file;
    if (byte == UINT64_MAX)
        return;
    add_line(s, "", 0);
    add_format(s, "%s at byte %" PRIu64 " of the file:", title, byte);
    if (trace_read_event(t, file, byte, &raw) && json_make_strict(raw.data, raw.len, &strict))
        add_json(s, strict.data, strict.len);
    else
        add_format(s, "(it can no longer be read: the file has changed)");
    text_free(&raw);
    text_free(&strict);
}

static void start(struct table *table)
{
    if (!table->state)
        table->state = xcalloc(1, sizeof(struct state));
    clear(state_of(table));
}

static bool work(struct table *table)
{
    struct state *s = state_of(table);
    uint32_t slice = table->context.slice;
    clear(s);
    if (slice == TRACE_NONE)
        return false;
    add_identity(s, table->context.t, slice);
    add_times(table, slice);
    add_links(table, slice);
    add_family(table, slice);
    uint64_t end_byte = trace_end_byte(table->context.t, slice);
    add_source(table, slice, table->context.t->byte[slice],
               end_byte == UINT64_MAX ? "event" : "begin");
    add_source(table, slice, end_byte, "end");
    return false;
}

static uint32_t rows(const struct table *table)
{
    return table->state ? (uint32_t)state_of(table)->count : 0;
}

static void cell(struct table *table, uint32_t row, int column, struct text *out, int *flags)
{
    const struct line *line = &state_of(table)->lines[row];
    (void)column;
    (void)flags;
    text_add(out, line->text, line->len < LINE_MAX_BYTES ? line->len : LINE_MAX_BYTES);
}

static void free_state(struct table *table)
{
    if (!table->state)
        return;
    clear(state_of(table));
    free(state_of(table)->lines);
    free(table->state);
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
    .free = free_state,
};
