#include "scan/recover.h"

/* How far back the byte before a `{` is looked for, how large an event found by
 * searching may be, and how far from the end the array may end. */
enum { LOOK_BACK = 256, SEARCH_MAX = 16 << 20, ARRAY_END_MAX = 64 << 10 };

bool is_event_key(const char *key, size_t len)
{
    static const char *const keys[] = {"ph",   "name", "cat",   "ts", "pid",    "tid",
                                       "dur",  "args", "id",    "bp", "s",      "tts",
                                       "tdur", "id2",  "cname", "sf", "bind_id"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strlen(keys[i]) == len && memcmp(keys[i], key, len) == 0)
            return true;
    return false;
}

/* How much a `{` looks like the beginning of an event. */
enum promise { PROMISE_NONE, PROMISE_UNREADABLE, PROMISE_GOOD, PROMISE_MORE };

/* An event stands behind a comma, a bracket, or at least on a line of its own; never
 * behind a colon. */
static bool good_place(const char *text, const char *brace)
{
    const char *p = brace, *first = brace - text > LOOK_BACK ? brace - LOOK_BACK : text;
    bool new_line = false;
    while (p > first && (p[-1] == ' ' || p[-1] == '\n' || p[-1] == '\r' || p[-1] == '\t'))
        new_line |= *--p == '\n';
    if (p == first)
        return true;
    return strchr(",[]{}", p[-1]) || (new_line && p[-1] != ':');
}

static enum promise look_at(const char *text, const char *brace, const char *end, bool eof)
{
    const char *p = space_end(brace + 1);
    if (end - p < 16 && !eof)
        return PROMISE_MORE;
    bool quoted = *p == '"';
    const char *key = quoted ? p + 1 : p;
    size_t len = 0;
    while (len < 8 && ((key[len] >= 'a' && key[len] <= 'z') || key[len] == '_' || key[len] == '2'))
        len++;
    if (!is_event_key(key, len))
        return PROMISE_NONE;
    if (quoted && key[len] != '"')
        return PROMISE_NONE;
    const char *colon = space_end(key + len + quoted);
    if (!quoted && *colon == '"')
        colon = space_end(colon + 1); /* {ph": ...: a quote is missing */
    if (*colon != ':' || !good_place(text, brace))
        return PROMISE_NONE;
    return quoted ? PROMISE_GOOD : PROMISE_UNREADABLE;
}

bool may_begin_event(const char *text, const char *brace, const char *end)
{
    return look_at(text, brace, end, false) == PROMISE_GOOD;
}

/* True if the text from the `]` at p on is the rest of an object form trace: members
 * and a closing brace, then nothing. */
static bool ends_array(const struct window *w, const char *p)
{
    struct event value;
    for (p = space_end(p + 1);; p = space_end(value.end)) {
        if (*p == '}')
            return space_end(p + 1) >= w->end;
        if (*p != ',')
            return false;
        p = space_end(p + 1);
        if (*p != '"' || value_skip(p, w->end, &value) != EVENT_OK)
            return false;
        p = space_end(value.end);
        if (*p != ':' || value_skip(space_end(p + 1), w->end, &value) != EVENT_OK)
            return false;
    }
}

/* With no event left: moves w->p to the `]` that ends the array of events, if the
 * last part of the text has one. */
static bool find_array_end(struct window *w)
{
    size_t back = (size_t)(w->p - w->buffer);
    const char *p = w->p - (back > ARRAY_END_MAX ? ARRAY_END_MAX : back);
    while ((p = memchr(p, ']', (size_t)(w->end - p))) != NULL) {
        if (ends_array(w, p)) {
            w->p = p;
            return true;
        }
        p++;
    }
    return false;
}

/* Where the text kept in memory may begin: a little before p. */
static const char *behind(const struct window *w, size_t distance)
{
    size_t before = (size_t)(w->p - w->buffer);
    return w->p - (before > distance ? distance : before);
}

/* Reads the event that w->p is at, taking in more text as needed. */
static enum event_result read_candidate(struct window *w, struct event *ev)
{
    ptrdiff_t shift;
    for (;;) {
        enum event_result result = event_parse(w->p, w->end, EVENT_DEPTH_SEARCH, ev);
        if (result != EVENT_MORE)
            return result;
        if (w->end - w->p > SEARCH_MAX)
            return EVENT_DAMAGED;
        if (!window_more(w, behind(w, LOOK_BACK), &shift))
            return EVENT_MORE;
    }
}

bool is_whole_event(const struct event *ev)
{
    return ev->ph.type != TOKEN_NONE && (ev->name.type != TOKEN_NONE || ev->ts.type != TOKEN_NONE);
}

static void report(const struct window *w, const struct scan_sink *sink, enum damage_kind kind,
                   const char *at)
{
    sink->damage(sink->context, kind, window_offset(w, at ? at : w->p));
}

enum recover_result recover(struct window *w, const struct scan_sink *sink, bool array_end,
                            struct event *ev)
{
    ptrdiff_t shift;
    for (;; w->p++) {
        const char *brace = memchr(w->p, '{', (size_t)(w->end - w->p));
        w->p = brace ? brace : w->end;
        enum promise promise = brace ? look_at(w->buffer, brace, w->end, w->eof) : PROMISE_MORE;
        if (promise == PROMISE_MORE) {
            if (window_more(w, behind(w, array_end ? ARRAY_END_MAX : LOOK_BACK), &shift)) {
                if (sink->progress && !sink->progress(sink->context, window_offset(w, w->end)))
                    return RECOVER_STOPPED;
            } else if (!brace) {
                return array_end && find_array_end(w) ? RECOVER_ARRAY_END : RECOVER_END;
            }
            w->p--; /* look at the same place again */
            continue;
        }
        if (promise == PROMISE_UNREADABLE)
            report(w, sink, DAMAGE_BAD_EVENT, NULL);
        if (promise != PROMISE_GOOD)
            continue;
        enum event_result result = read_candidate(w, ev);
        if (result == EVENT_NESTED)
            return RECOVER_CONTAINER;
        if (result == EVENT_OK && is_whole_event(ev))
            return RECOVER_EVENT;
        if (result == EVENT_MORE)
            report(w, sink, DAMAGE_TRUNCATED, NULL);
        else if (result == EVENT_DAMAGED)
            report(w, sink, DAMAGE_BAD_EVENT, ev->stop);
    }
}
