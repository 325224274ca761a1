#include "scan/scanner.h"

#include "scan/recover.h"
#include "scan/run.h"
#include "scan/window.h"

/* What the scanner is inside of. */
enum place { IN_FILE, IN_ARRAY, IN_OBJECT };

struct frame {
    enum place place;
    bool had_value; /* the last thing read here was a value: a comma may follow */
    bool had_comma;
    bool assumed; /* its opening bracket is not in the file */
};

/* Traces in traces: more levels than anybody writes. */
enum { FRAMES = 16 };

struct scanner {
    struct window w;
    const struct scan_sink *sink;
    struct frame frames[FRAMES];
    int depth; /* frames[0] is the file itself */
    struct event_memory memory;
    uint64_t ask_again; /* no run that was scanned ahead begins before this byte */
    struct scan_result result;
    bool found;        /* a container or an event was seen */
    bool closed;       /* the trace was complete already */
    bool trailing;     /* and what follows was reported */
    bool bracket_told; /* a missing opening bracket was reported */
    bool broken;       /* the end of the file was reported as damage */
};

static void damage(struct scanner *s, enum damage_kind kind, const char *at)
{
    s->sink->damage(s->sink->context, kind, window_offset(&s->w, at));
}

static struct frame *top(struct scanner *s)
{
    return &s->frames[s->depth];
}

static bool push(struct scanner *s, enum place place)
{
    if (s->depth + 1 == FRAMES)
        return false;
    s->frames[++s->depth] = (struct frame){.place = place};
    s->found = true;
    s->result.has_array |= place == IN_ARRAY;
    return true;
}

static void pop(struct scanner *s)
{
    s->depth--;
    top(s)->had_value = true;
    top(s)->had_comma = false;
    if (s->depth == 0)
        s->closed = true;
}

/* True if any frame from 1 on is of that place. */
static bool inside(const struct scanner *s, enum place place)
{
    for (int i = 1; i <= s->depth; i++)
        if (s->frames[i].place == place && !s->frames[i].assumed)
            return true;
    return false;
}

/* Takes in another block; w.p and what follows stay. */
static bool more(struct scanner *s)
{
    ptrdiff_t shift;
    if (!window_more(&s->w, s->w.p, &shift))
        return false;
    const struct scan_sink *sink = s->sink;
    if (sink->progress && !sink->progress(sink->context, window_offset(&s->w, s->w.end))) {
        s->result.stopped = true;
        return false;
    }
    return true;
}

/* Steps over white space; false at the end of the text (or of the user's patience). */
static bool next_byte(struct scanner *s)
{
    for (;;) {
        s->w.p = space_end(s->w.p);
        if (s->w.p < s->w.end)
            return true;
        s->w.p = s->w.end;
        if (!more(s))
            return false;
    }
}

static void hand_out(struct scanner *s, const struct event *ev)
{
    const struct scan_sink *sink = s->sink;
    for (int i = 0; i < ev->flaw_count; i++)
        damage(s, ev->flaws[i].kind, ev->flaws[i].at);
    sink->event(sink->context, ev, window_offset(&s->w, ev->start));
    s->result.events++;
    s->found = true;
}

static void found_trailing(struct scanner *s)
{
    if (s->closed && !s->trailing) {
        damage(s, DAMAGE_TRAILING_DATA, s->w.p);
        s->trailing = true;
    }
}

static void no_opening_bracket(struct scanner *s)
{
    if (!s->bracket_told) {
        damage(s, DAMAGE_MISSING_BRACKET, s->w.p);
        s->bracket_told = true;
    }
}

/* Reports damage at `at` (of an event that begins at w.p, say) and goes on at the
 * next intact event. A `why` of TRUNCATED becomes BAD_EVENT if there is one. */
static void search(struct scanner *s, enum damage_kind why, const char *at, size_t step)
{
    struct event ev;
    uint64_t byte = window_offset(&s->w, at);
    if (why != DAMAGE_TRUNCATED)
        s->sink->damage(s->sink->context, why, byte);
    s->w.p += step;
    bool array_end = s->depth > 0 && top(s)->place == IN_ARRAY && inside(s, IN_OBJECT);
    enum recover_result result = recover(&s->w, s->sink, array_end, &ev);
    if (why == DAMAGE_TRUNCATED)
        s->sink->damage(s->sink->context,
                        result == RECOVER_END ? DAMAGE_TRUNCATED : DAMAGE_BAD_EVENT, byte);
    struct frame *f = top(s);
    f->had_value = f->had_comma = false;
    switch (result) {
    case RECOVER_EVENT:
        /* Events among the members of an object: its array's bracket was lost. */
        if (f->place == IN_OBJECT && push(s, IN_ARRAY))
            f = top(s);
        hand_out(s, &ev);
        s->w.p = ev.end;
        f->had_value = true;
        break;
    case RECOVER_CONTAINER:
        if (push(s, IN_OBJECT))
            s->w.p++;
        break;
    case RECOVER_ARRAY_END:
        f->had_value = true;
        break;
    case RECOVER_STOPPED:
        s->result.stopped = true;
        break;
    case RECOVER_END:
        s->broken = true;
        break;
    }
}

static void take_comma(struct scanner *s)
{
    struct frame *f = top(s);
    if (!f->had_value)
        damage(s, DAMAGE_EXTRA_COMMA, s->w.p);
    f->had_value = false;
    f->had_comma = true;
    s->w.p++;
}

static void before_close(struct scanner *s)
{
    struct frame *f = top(s);
    if (f->had_comma && !f->had_value)
        damage(s, DAMAGE_EXTRA_COMMA, s->w.p);
}

static void before_value(struct scanner *s)
{
    struct frame *f = top(s);
    if (f->had_value && f->place != IN_FILE)
        damage(s, DAMAGE_MISSING_COMMA, s->w.p);
}

static void nested(struct scanner *s, enum place place)
{
    damage(s, DAMAGE_NESTED_TRACE, s->w.p);
    if (push(s, place))
        s->w.p++;
    else
        search(s, DAMAGE_TOO_DEEP, s->w.p, 1);
}

/* Takes over the run that begins at w.p, if there is one. */
static bool take_run(struct scanner *s)
{
    const struct run_supply *runs = s->w.source->runs;
    uint64_t byte = window_offset(&s->w, s->w.p), events;
    if (byte < s->ask_again || top(s)->place != IN_ARRAY ||
        !runs->find(runs->context, byte, &s->ask_again))
        return false;
    window_jump(&s->w, runs->take(runs->context, &events));
    s->result.events += events;
    s->found = true;
    top(s)->had_value = true;
    top(s)->had_comma = false;
    const struct scan_sink *sink = s->sink;
    if (sink->progress && !sink->progress(sink->context, window_offset(&s->w, s->w.p)))
        s->result.stopped = true;
    return true;
}

/* An event at w.p: reads it, and hands it out or deals with the damage. */
static void scan_event(struct scanner *s)
{
    struct event ev;
    enum event_result result;
    if (s->w.source->runs && take_run(s))
        return;
    while ((result = event_parse_next(s->w.p, s->w.end, &ev, &s->memory)) == EVENT_MORE)
        if (!more(s))
            break;
    if (s->result.stopped)
        return;
    struct frame *f = top(s);
    switch (result) {
    case EVENT_OK:
        hand_out(s, &ev);
        s->w.p = ev.end;
        f->had_value = true;
        f->had_comma = false;
        break;
    case EVENT_NESTED:
        if (f->place == IN_FILE) {
            found_trailing(s);
            push(s, IN_OBJECT);
            s->w.p++;
        } else {
            nested(s, IN_OBJECT);
        }
        break;
    case EVENT_MORE:
        search(s, s->w.eof ? DAMAGE_TRUNCATED : DAMAGE_BAD_EVENT, s->w.p, 1);
        break;
    case EVENT_DAMAGED:
        search(s, ev.why, ev.stop, 1);
        break;
    }
}

/* Any value at w.p: what it is, in *ev and *token. On failure the damage was dealt
 * with. */
static bool skip_value(struct scanner *s, struct event *ev, struct token *token)
{
    enum event_result result;
    while ((result = value_skip(s->w.p, s->w.end, ev)) == EVENT_MORE)
        if (!more(s))
            break;
    if (s->result.stopped)
        return false;
    if (result == EVENT_MORE) {
        search(s, s->w.eof ? DAMAGE_TRUNCATED : DAMAGE_BAD_EVENT, s->w.p, 1);
        return false;
    }
    if (result != EVENT_OK) {
        search(s, ev->why, ev->stop, 1);
        return false;
    }
    for (int i = 0; i < ev->flaw_count; i++)
        damage(s, ev->flaws[i].kind, ev->flaws[i].at);
    char c = *ev->start;
    size_t len = (size_t)(ev->end - ev->start);
    bool string = c == '"';
    *token = (struct token){ev->start + string, (uint32_t)(len - 2 * string),
                            string     ? TOKEN_ESCAPED
                            : c == '{' ? TOKEN_OBJECT
                            : c == '[' ? TOKEN_ARRAY
                                       : TOKEN_NUMBER};
    return true;
}

/* A `}` in an array: a surplus one among the events, or the end of the object around
 * it, whose array was not closed. */
static void brace_in_array(struct scanner *s)
{
    s->w.p++;
    bool follows = next_byte(s);
    if (s->result.stopped)
        return;
    damage(s, DAMAGE_MISSING_BRACKET, s->w.p);
    if (follows && (*s->w.p == ',' || *s->w.p == '{' || *s->w.p == ']')) {
        top(s)->had_value = true;
        return;
    }
    pop(s);
    if (s->depth > 0)
        pop(s);
}

/* True if the key at w.p (a quote) is one of the container's, not of an event whose
 * brace was lost. */
static bool container_key(struct scanner *s)
{
    while (s->w.end - s->w.p < 64 && more(s))
        continue;
    const char *key = s->w.p + 1, *quote = memchr(key, '"', 64);
    return quote && !is_event_key(key, (size_t)(quote - key)) && *space_end(quote + 1) == ':';
}

static void scan_array(struct scanner *s)
{
    struct event ev;
    struct token token;
    switch (*s->w.p) {
    case '{':
        before_value(s);
        scan_event(s);
        break;
    case ',':
        take_comma(s);
        break;
    case ']':
        before_close(s);
        s->w.p++;
        pop(s);
        break;
    case '}':
        brace_in_array(s);
        break;
    case '[':
        before_value(s);
        nested(s, IN_ARRAY);
        break;
    case '"':
        if (s->depth > 1 && s->frames[s->depth - 1].place == IN_OBJECT && container_key(s)) {
            damage(s, DAMAGE_MISSING_BRACKET, s->w.p);
            pop(s);
            break;
        }
        /* fall through */
    default: {
        const char *start = s->w.p;
        if (*start == '"' || *start == '-' || (*start >= '0' && *start <= '9') ||
            (*start >= 'A' && *start <= 'z')) {
            before_value(s);
            if (!skip_value(s, &ev, &token))
                break;
            if (!next_byte(s) || strchr(",]{", *s->w.p)) {
                /* A value that is no event. */
                s->sink->damage(s->sink->context, DAMAGE_BAD_EVENT,
                                window_offset(&s->w, s->w.p) - 1);
                top(s)->had_value = true;
                break;
            }
        }
        search(s, DAMAGE_BAD_EVENT, s->w.p, 0);
        break;
    }
    }
}

/* The key of a member at w.p, the colon, white space; w.p is then at the value. The
 * key's text is copied to `key` (cut if it is very long). */
struct member_key {
    char text[256];
    struct token token;
    uint64_t byte;
};

static bool scan_key(struct scanner *s, struct member_key *key)
{
    struct event ev;
    key->byte = window_offset(&s->w, s->w.p);
    if (!skip_value(s, &ev, &key->token))
        return false;
    if (key->token.len > sizeof key->text)
        key->token.len = sizeof key->text;
    memcpy(key->text, key->token.p, key->token.len);
    key->token.p = key->text;
    s->w.p = ev.end;
    if (!next_byte(s))
        return false;
    if (*s->w.p != ':') {
        search(s, DAMAGE_BAD_EVENT, s->w.p, 0);
        return false;
    }
    s->w.p++;
    return next_byte(s);
}

static void scan_member(struct scanner *s)
{
    struct member_key key;
    struct event ev;
    struct token value;
    before_value(s);
    if (!scan_key(s, &key))
        return;
    struct frame *f = top(s);
    f->had_value = true;
    f->had_comma = false;
    if (token_is(&key.token, "traceEvents") && (*s->w.p == '[' || *s->w.p == '{')) {
        bool array = *s->w.p == '[';
        if (array && s->depth == 1 && push(s, IN_ARRAY))
            s->w.p++;
        else
            nested(s, array ? IN_ARRAY : IN_OBJECT);
        return;
    }
    uint64_t byte = window_offset(&s->w, s->w.p);
    if (!skip_value(s, &ev, &value))
        return;
    if (s->depth == 1)
        s->sink->member(s->sink->context, &key.token, &value, key.byte, byte);
    s->w.p = ev.end;
}

static void scan_object(struct scanner *s)
{
    switch (*s->w.p) {
    case '"':
        scan_member(s);
        break;
    case ',':
        take_comma(s);
        break;
    case '}':
        before_close(s);
        s->w.p++;
        pop(s);
        break;
    case ']':
        /* Surplus, or of an array whose opening bracket was lost. */
        damage(s, DAMAGE_MISSING_BRACKET, s->w.p);
        s->w.p++;
        top(s)->had_value = true;
        break;
    default:
        search(s, *s->w.p == '{' ? DAMAGE_MISSING_BRACKET : DAMAGE_BAD_EVENT, s->w.p, 0);
    }
}

/* True if the object at w.p begins like an event rather than like a trace. */
static bool begins_as_event(struct scanner *s)
{
    while (s->w.end - s->w.p < 256 && more(s))
        continue;
    const char *p = space_end(s->w.p + 1);
    if (*p != '"')
        return false;
    const char *quote = memchr(p + 1, '"', 32);
    return quote && is_event_key(p + 1, (size_t)(quote - p - 1));
}

static void scan_file(struct scanner *s)
{
    switch (*s->w.p) {
    case '{':
        if (begins_as_event(s)) {
            found_trailing(s);
            scan_event(s);
            break;
        }
        found_trailing(s);
        push(s, IN_OBJECT);
        s->w.p++;
        break;
    case '[':
        found_trailing(s);
        push(s, IN_ARRAY);
        s->w.p++;
        break;
    case ',':
        if (s->result.events == 0)
            search(s, DAMAGE_MISSING_BRACKET, s->w.p, 0);
        else
            no_opening_bracket(s);
        s->w.p += *s->w.p == ',';
        break;
    case ']':
    case '}':
        /* The rest of a file whose head is missing. */
        no_opening_bracket(s);
        if (*s->w.p++ == ']' && s->depth == 0 && push(s, IN_OBJECT)) {
            top(s)->assumed = true;
            top(s)->had_value = true;
        }
        break;
    default:
        if (s->closed)
            found_trailing(s);
        if (!s->found) {
            /* The tail of a file, if an event follows; else no trace at all. */
            struct event ev;
            uint64_t byte = window_offset(&s->w, s->w.p);
            if (recover(&s->w, s->sink, false, &ev) == RECOVER_EVENT) {
                s->sink->damage(s->sink->context, DAMAGE_MISSING_BRACKET, byte);
                s->bracket_told = true;
                hand_out(s, &ev);
                s->w.p = ev.end;
            } else {
                s->w.p = s->w.end;
            }
        } else {
            search(s, s->closed ? DAMAGE_TRAILING_DATA : DAMAGE_BAD_EVENT, s->w.p, 0);
        }
    }
}

static void skip_byte_order_mark(struct scanner *s)
{
    while (s->w.end - s->w.p < 3 && more(s))
        continue;
    if (s->w.end - s->w.p >= 3 && memcmp(s->w.p, "\xef\xbb\xbf", 3) == 0) {
        damage(s, DAMAGE_BOM, s->w.p);
        s->w.p += 3;
    }
}

/* The text has ended: was that the end of the trace? */
static void finish(struct scanner *s)
{
    const struct frame *f = top(s);
    if (s->result.stopped || s->depth == 0 || s->broken)
        return;
    if (f->assumed)
        return;
    /* An array that just lacks its bracket is what many writers leave behind; with
     * an object around it, or in the middle of a list, the file was cut. */
    bool cut = inside(s, IN_OBJECT) && (f->place == IN_ARRAY || !f->had_value);
    damage(s, cut ? DAMAGE_TRUNCATED : DAMAGE_MISSING_BRACKET, s->w.end);
}

struct scan_result scan_text(const struct scan_source *source, const struct scan_sink *sink)
{
    struct scanner s = {.sink = sink};
    window_open(&s.w, source);
    skip_byte_order_mark(&s);
    while (!s.result.stopped && next_byte(&s)) {
        switch (top(&s)->place) {
        case IN_ARRAY:
            scan_array(&s);
            break;
        case IN_OBJECT:
            scan_object(&s);
            break;
        case IN_FILE:
            scan_file(&s);
            break;
        }
    }
    s.result.text_bytes = window_offset(&s.w, s.w.end);
    finish(&s);
    if (!s.found && !s.result.stopped) {
        bool empty = s.result.text_bytes == 0;
        sink->damage(sink->context, empty ? DAMAGE_EMPTY_FILE : DAMAGE_NOT_JSON,
                     empty ? DAMAGE_NO_PLACE : 0);
    }
    window_close(&s.w);
    return s.result;
}
