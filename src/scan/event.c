#include "scan/event.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/utf8.h"

/* Of each open bracket whether it is an object: a bit stack. Sixty-four levels are
 * enough for nearly all events; deeper ones take memory. */
struct brackets {
    uint64_t inner[1]; /* level 0 to 63 */
    uint64_t *deep;    /* further words, NULL until needed */
    unsigned depth;
};

enum { DEEP_WORDS = EVENT_DEPTH / 64 + 1 };

static void brackets_push(struct brackets *b, bool object)
{
    unsigned word = b->depth / 64;
    if (word > 0 && !b->deep)
        b->deep = xcalloc(DEEP_WORDS, sizeof *b->deep);
    uint64_t *bits = word == 0 ? b->inner : &b->deep[word - 1];
    uint64_t bit = UINT64_C(1) << (b->depth % 64);
    *bits = object ? *bits | bit : *bits & ~bit;
    b->depth++;
}

static bool brackets_top(const struct brackets *b)
{
    unsigned level = b->depth - 1, word = level / 64;
    uint64_t bits = word == 0 ? b->inner[0] : b->deep[word - 1];
    return bits >> (level % 64) & 1;
}

__attribute__((noinline, cold)) static void add_flaw(struct event *ev, enum damage_kind kind,
                                                     const char *at)
{
    for (int i = 0; i < ev->flaw_count; i++)
        if (ev->flaws[i].kind == kind)
            return;
    if (ev->flaw_count < EVENT_FLAWS)
        ev->flaws[ev->flaw_count++] = (struct flaw){kind, at};
}

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* The length of the escape at p (a backslash), 1 for a lone backslash. 0: the text
 * ends too early to say. */
static int escape_length(const char *p, const char *end)
{
    if (end - p < 2)
        return 0;
    switch (p[1]) {
    case '"':
    case '\\':
    case '/':
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't':
        return 2;
    case 'u':
        for (int i = 2; i < 6; i++) {
            if (p + i >= end)
                return 0;
            if (!is_hex(p[i]))
                return 1;
        }
        return 6;
    default:
        return 1;
    }
}

/* True if the text ends within the UTF-8 character at p. */
static bool character_cut(const char *p, const char *end)
{
    unsigned char lead = (unsigned char)*p;
    int need = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || end - p >= need)
        return false;
    while (++p < end)
        if (((unsigned char)*p & 0xc0) != 0x80)
            return false;
    return true;
}

/* What is special in a string at p: steps over it. Returns NULL at the end of the
 * text. */
__attribute__((noinline)) static const char *string_special(const char *p, const char *end,
                                                            struct event *ev, bool *escaped)
{
    if (p >= end)
        return NULL;
    if (*p == '\\') {
        int len = escape_length(p, end);
        *escaped = true;
        if (len == 0)
            return NULL;
        if (len == 1)
            add_flaw(ev, DAMAGE_BAD_ESCAPE, p);
        return p + len;
    }
    if ((unsigned char)*p < 0x20) {
        add_flaw(ev, DAMAGE_CONTROL_CHAR, p);
        return p + 1;
    }
    int32_t code;
    int len = utf8_decode(p, end, &code);
    if (code < 0) {
        if (character_cut(p, end))
            return NULL;
        add_flaw(ev, DAMAGE_INVALID_UTF8, p);
    }
    return p + len;
}

/* Reads a string whose opening quote is at p. Returns the byte behind the closing
 * quote, or NULL at the end of the text. */
static inline const char *read_string(const char *p, const char *end, struct event *ev,
                                      struct token *token)
{
    const char *start = ++p;
    bool escaped = false;
    for (;;) {
        p = plain_end(p);
        if (__builtin_expect(*p == '"', 1)) {
            if (p >= end)
                return NULL;
            break;
        }
        p = string_special(p, end, ev, &escaped);
        if (!p)
            return NULL;
    }
    token->p = start;
    token->len = (uint32_t)(p - start);
    token->type = escaped ? TOKEN_ESCAPED : TOKEN_STRING;
    return p + 1;
}

static bool ends_value(char c)
{
    return c == ',' || c == '}' || c == ']' || c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static bool is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

/* The end of a valid JSON number at p, or NULL if it is none. */
static inline const char *plain_number(const char *p)
{
    if (*p == '-')
        p++;
    const char *digits = p;
    p = digits_end(p);
    if (p == digits || (*digits == '0' && p != digits + 1))
        return NULL;
    if (*p == '.') {
        digits = ++p;
        p = digits_end(p);
        if (p == digits)
            return NULL;
    }
    if (__builtin_expect((*p | 0x20) == 'e', 0)) {
        p++;
        if (*p == '+' || *p == '-')
            p++;
        digits = p;
        p = digits_end(p);
        if (p == digits)
            return NULL;
    }
    return p;
}

static bool same_word(const char *p, size_t len, const char *word)
{
    return strlen(word) == len && strncasecmp(p, word, len) == 0;
}

/* A number or a word (true, null, NaN, -inf, ...), also one that JSON does not
 * know. Returns the byte behind it; NULL if it is nothing of the kind (then
 * ev->stop is set) or the text ends (ev->stop is NULL). */
static const char *read_odd_atom(const char *p, const char *end, struct event *ev,
                                 struct token *token)
{
    const char *q = p;
    while (q < end && (is_digit(*q) || (*q >= 'a' && *q <= 'z') || (*q >= 'A' && *q <= 'Z') ||
                       *q == '+' || *q == '-' || *q == '.' || *q == '_' || *q == '#'))
        q++;
    ev->stop = NULL;
    if (q >= end)
        return NULL;
    size_t len = (size_t)(q - p), sign = len > 0 && (*p == '-' || *p == '+');
    *token = (struct token){p, (uint32_t)len, TOKEN_WORD};
    ev->stop = p;
    if (len == 0 || !ends_value(*q))
        return NULL;
    if (strncmp(p, "true", 4) == 0 && len == 4)
        return q;
    if (strncmp(p, "false", 5) == 0 && len == 5)
        return q;
    if (strncmp(p, "null", 4) == 0 && len == 4) {
        token->type = TOKEN_NULL;
        return q;
    }
    if (same_word(p + sign, len - sign, "nan") || same_word(p + sign, len - sign, "inf") ||
        same_word(p + sign, len - sign, "infinity") || strncmp(p + sign, "1.#", 3) == 0) {
        add_flaw(ev, DAMAGE_NONFINITE_NUMBER, p);
        return q;
    }
    if (!is_digit(p[sign]) && p[sign] != '.')
        return NULL;
    for (const char *c = p; c < q; c++)
        if (!is_digit(*c) && !strchr("+-.eE", *c))
            return NULL;
    add_flaw(ev, DAMAGE_BAD_NUMBER, p);
    token->type = TOKEN_NUMBER;
    return q;
}

static inline const char *read_atom(const char *p, const char *end, struct event *ev,
                                    struct token *token)
{
    const char *q = short_number_end(p);
    if (!q || !ends_value(*q)) /* an exponent, say */
        q = plain_number(p);
    if (__builtin_expect(q && ends_value(*q) && q < end, 1)) {
        *token = (struct token){p, (uint32_t)(q - p), TOKEN_NUMBER};
        return q;
    }
    return read_odd_atom(p, end, ev, token);
}

/* Where the value of a key of the event goes, or NULL if nobody wants it. */
static struct token *event_field(struct event *ev, const char *key, size_t len)
{
    switch (len) {
    case 1:
        return *key == 's' ? &ev->scope : NULL;
    case 2:
        switch (key[0]) {
        case 'p':
            return key[1] == 'h' ? &ev->ph : NULL;
        case 't':
            return key[1] == 's' ? &ev->ts : NULL;
        case 'i':
            return key[1] == 'd' ? &ev->id : NULL;
        case 'b':
            return key[1] == 'p' ? &ev->bp : NULL;
        default:
            return NULL;
        }
    case 3:
        if (memcmp(key, "dur", 3) == 0)
            return &ev->dur;
        if (memcmp(key, "tid", 3) == 0)
            return &ev->tid;
        if (memcmp(key, "pid", 3) == 0)
            return &ev->pid;
        if (memcmp(key, "cat", 3) == 0)
            return &ev->cat;
        return memcmp(key, "id2", 3) == 0 ? &ev->id2 : NULL;
    case 4:
        if (memcmp(key, "name", 4) == 0)
            return &ev->name;
        return memcmp(key, "args", 4) == 0 ? &ev->args : NULL;
    default:
        return NULL;
    }
}

static struct token *args_field(struct event *ev, const char *key, size_t len)
{
    switch (len) {
    case 11:
        return memcmp(key, "correlation", 11) == 0 ? &ev->correlation : NULL;
    case 9:
        if (memcmp(key, "orig_name", 9) == 0)
            return &ev->orig_name;
        if (memcmp(key, "pt_active", 9) == 0)
            ev->enriched = true;
        return NULL;
    case 8:
        if (memcmp(key, "user_cat", 8) == 0)
            ev->enriched = true;
        return NULL;
    default:
        return NULL;
    }
}

static enum event_result damaged(struct event *ev, const char *at, enum damage_kind why)
{
    ev->stop = at;
    ev->why = why;
    return EVENT_DAMAGED;
}

/* What follows a value inside of brackets that is no comma and no bracket. */
static enum event_result odd_follower(const char *p, const char *end, const struct token *value,
                                      bool object, struct event *ev)
{
    if (p >= end)
        return EVENT_MORE;
    bool text = value->type == TOKEN_STRING || value->type == TOKEN_ESCAPED;
    if (text)
        return damaged(ev, p, DAMAGE_UNESCAPED_QUOTE);
    if (*p == '"' || (!object && (*p == '{' || *p == '['))) {
        add_flaw(ev, DAMAGE_MISSING_COMMA, p);
        return EVENT_OK;
    }
    return damaged(ev, p, DAMAGE_BAD_EVENT);
}

/* Steps over surplus commas and white space from p (behind a comma or an opening
 * bracket). */
static const char *surplus_commas(const char *p, struct event *ev)
{
    while (*p == ',') {
        add_flaw(ev, DAMAGE_EXTRA_COMMA, p);
        p = space_end(p + 1);
    }
    return p;
}

/* Whose members are read: the event's own, those of its args, or others. */
enum level { LEVEL_NONE, LEVEL_EVENT, LEVEL_ARGS };

/* A walk over a value with brackets. */
struct walk {
    const char *end;
    struct event *ev;
    struct event_memory *memory; /* NULL: none */
    struct brackets brackets;
    unsigned limit;
    bool take;        /* it is an event: fill its fields */
    enum level level; /* of the brackets we are directly in */
    unsigned joint;   /* index in memory->next: what was read last on this level */
    struct token scratch;
};

static struct token *find_field(struct walk *w, const char *key, size_t len)
{
    if (w->level == LEVEL_EVENT)
        return event_field(w->ev, key, len);
    return w->level == LEVEL_ARGS ? args_field(w->ev, key, len) : NULL;
}

/* Remembers what stands between two values: the bytes from `from` to `to`, with a
 * key among them. */
static void remember(struct walk *w, const char *from, const char *to, const struct token *key,
                     const struct token *field)
{
    size_t len = (size_t)(to - from);
    if (!w->memory || len > JOINT_MAX || len == 0 || w->level == LEVEL_NONE ||
        key->type != TOKEN_STRING || memchr(from, '\0', len))
        return;
    unsigned hash = key->len * 7u + (unsigned)w->level * 29u;
    for (uint32_t i = 0; i < key->len; i++)
        hash = hash * 31u + (unsigned char)key->p[i];
    struct joint *j = &w->memory->joints[hash % EVENT_JOINTS];
    *j = (struct joint){
        .mask = len == 32 ? UINT32_MAX : (UINT32_C(1) << len) - 1,
        .len = (uint8_t)len,
        .level = (uint8_t)w->level,
        .key_at = (uint8_t)(key->p - from),
        .key_len = (uint8_t)key->len,
        .field = field ? (uint16_t)((const char *)field - (const char *)w->ev) : 0,
    };
    memcpy(j->bytes, from, len);
    w->memory->next[w->joint] = (uint8_t)(hash % EVENT_JOINTS);
    w->joint = hash % EVENT_JOINTS;
}

/* The joint at p if it is the expected one: the value behind it, else NULL. */
static inline const char *expected_joint(struct walk *w, const char *p, struct token **field)
{
    if (!w->memory)
        return NULL;
    unsigned next = w->memory->next[w->joint];
    const struct joint *j = &w->memory->joints[next];
    if (j->mask == 0 || j->level != w->level || !same_bytes(p, j->bytes, j->mask, j->len))
        return NULL;
    w->joint = next;
    *field = j->field ? (struct token *)(void *)((char *)w->ev + j->field) : NULL;
    if (__builtin_expect(*field && (*field)->type != TOKEN_NONE, 0))
        add_flaw(w->ev, DAMAGE_DUPLICATE_KEY, p + j->key_at - 1);
    if (w->level == LEVEL_ARGS && !*field)
        args_field(w->ev, j->bytes + j->key_at, j->key_len); /* user_cat and its kin */
    return p + j->len;
}

/* Reads the key at p, the colon and the white space; `from` is where the value before
 * it ended. Returns the value, or NULL with *result set. */
static const char *read_key(struct walk *w, const char *from, const char *p, struct token **field,
                            enum event_result *result)
{
    struct token key;
    const char *quote = p, *end = w->end;
    *result = EVENT_MORE;
    if (*p != '"') {
        if (p < end)
            *result = damaged(w->ev, p, DAMAGE_BAD_EVENT);
        return NULL;
    }
    p = read_string(p, end, w->ev, &key);
    if (!p)
        return NULL;
    p = space_end(p);
    if (*p != ':') {
        if (p < end)
            *result = damaged(w->ev, p, DAMAGE_BAD_EVENT);
        return NULL;
    }
    p = space_end(p + 1);
    *field = find_field(w, key.p, key.len);
    if (*field && (*field)->type != TOKEN_NONE)
        add_flaw(w->ev, DAMAGE_DUPLICATE_KEY, quote);
    if (w->level == LEVEL_EVENT && !*field && key.len == 11 &&
        memcmp(key.p, "traceEvents", 11) == 0) {
        w->ev->stop = quote;
        *result = EVENT_NESTED;
        return NULL;
    }
    if (p < end) /* else the white space may go on */
        remember(w, from, p, &key, *field);
    return p;
}

/* An opening bracket at p. */
static void open_bracket(struct walk *w, const char *p, struct token *field)
{
    bool object = *p == '{';
    if (field)
        *field = (struct token){p, 0, object ? TOKEN_OBJECT : TOKEN_ARRAY};
    bool args = field == &w->ev->args && w->level == LEVEL_EVENT && object;
    if (args)
        w->ev->correlation.type = w->ev->orig_name.type = TOKEN_NONE;
    w->level = args ? LEVEL_ARGS : LEVEL_NONE;
    w->joint = EVENT_JOINTS + (unsigned)w->level;
    brackets_push(&w->brackets, object);
}

/* A bracket was closed; p is behind it. */
static void close_bracket(struct walk *w, const char *p)
{
    struct event *ev = w->ev;
    unsigned depth = --w->brackets.depth;
    if (!w->take || depth > 2)
        return;
    if (depth == 1) {
        w->level = LEVEL_EVENT;
        w->joint = EVENT_JOINTS + 3;
        if (ev->args.len == 0 && (ev->args.type == TOKEN_OBJECT || ev->args.type == TOKEN_ARRAY))
            ev->args.len = (uint32_t)(p - ev->args.p);
        if (ev->id2.len == 0 && (ev->id2.type == TOKEN_OBJECT || ev->id2.type == TOKEN_ARRAY))
            ev->id2.len = (uint32_t)(p - ev->id2.p);
    } else if (depth == 2 && ev->args.type == TOKEN_OBJECT && ev->args.len == 0) {
        w->level = LEVEL_ARGS;
        w->joint = EVENT_JOINTS;
    }
}

static enum event_result walk(struct walk *w, const char *p)
{
    const char *end = w->end, *from;
    struct event *ev = w->ev;
    bool object = *p == '{';
    struct token *field = NULL, *value;
    enum event_result result;
    brackets_push(&w->brackets, object);
    if (w->take && object)
        w->level = LEVEL_EVENT;
    w->joint = EVENT_JOINTS + (unsigned)w->level;
    from = ++p;

first_member:
    if (object && (p = expected_joint(w, from, &field)) != NULL)
        goto read_value;
    p = space_end(from);
    if (*p == ',')
        p = surplus_commas(p, ev);
    if (*p == (object ? '}' : ']')) {
        if (w->brackets.depth == 1)
            ev->empty = true;
        goto close;
    }

next_member:
    if (object) {
        p = read_key(w, from, p, &field, &result);
        if (!p)
            return result;
    } else {
        field = NULL;
    }

read_value:
    value = field ? field : &w->scratch;
    switch (*p) {
    case '"':
        p = read_string(p, end, ev, value);
        if (!p)
            return EVENT_MORE;
        break;
    case '{':
    case '[':
        if (w->brackets.depth >= w->limit)
            return damaged(ev, p, DAMAGE_TOO_DEEP);
        open_bracket(w, p, field);
        object = *p == '{';
        from = ++p;
        goto first_member;
    case ' ':
    case '\n':
    case '\r':
    case '\t':
        p = space_end(p); /* more than the joint remembered */
        goto read_value;
    default:
        p = read_atom(p, end, ev, value);
        if (!p)
            return ev->stop ? damaged(ev, ev->stop, DAMAGE_BAD_EVENT) : EVENT_MORE;
    }

after_value:
    from = p;
    if (object && (p = expected_joint(w, from, &field)) != NULL)
        goto read_value;
    p = space_end(from);
    if (*p == ',') {
        const char *comma = p;
        p = space_end(p + 1);
        if (__builtin_expect(*p == ',', 0))
            p = surplus_commas(p, ev);
        if (*p != '}' && *p != ']')
            goto next_member;
        add_flaw(ev, DAMAGE_EXTRA_COMMA, comma);
    }
    if (*p != (object ? '}' : ']')) {
        result = odd_follower(p, end, value, object, ev);
        if (result != EVENT_OK)
            return result;
        goto next_member;
    }

close:
    p++;
    close_bracket(w, p);
    if (w->brackets.depth == 0) {
        ev->end = p;
        return EVENT_OK;
    }
    object = brackets_top(&w->brackets);
    w->scratch.type = TOKEN_OBJECT;
    value = &w->scratch;
    goto after_value;
}

static void start_event(struct event *ev, const char *p)
{
    memset(ev, 0, offsetof(struct event, flaws));
    ev->flaw_count = 0;
    ev->stop = NULL;
    ev->start = p;
}

/* The bracket at p and all within. */
static enum event_result walk_from(const char *p, struct walk *w)
{
    enum event_result result = walk(w, p);
    free(w->brackets.deep);
    return result;
}

enum event_result event_parse(const char *p, const char *end, unsigned depth_limit,
                              struct event *ev)
{
    struct walk w = {.end = end, .ev = ev, .limit = depth_limit, .take = true};
    start_event(ev, p);
    return walk_from(p, &w);
}

enum event_result event_parse_next(const char *p, const char *end, struct event *ev,
                                   struct event_memory *memory)
{
    struct walk w = {.end = end, .ev = ev, .limit = EVENT_DEPTH, .take = true, .memory = memory};
    start_event(ev, p);
    return walk_from(p, &w);
}

enum event_result value_skip(const char *p, const char *end, struct event *ev)
{
    struct token token;
    start_event(ev, p);
    if (p >= end)
        return EVENT_MORE;
    if (*p == '{' || *p == '[') {
        struct walk w = {.end = end, .ev = ev, .limit = EVENT_DEPTH};
        return walk_from(p, &w);
    }
    const char *q = *p == '"' ? read_string(p, end, ev, &token) : read_atom(p, end, ev, &token);
    if (!q)
        return *p != '"' && ev->stop ? damaged(ev, ev->stop, DAMAGE_BAD_EVENT) : EVENT_MORE;
    ev->end = q;
    return EVENT_OK;
}

bool object_next(const struct token *object, const char **cursor, struct token *key,
                 struct token *value)
{
    const char *end = object->p + object->len, *p = *cursor ? *cursor : object->p + 1;
    struct event skipped;
    while (p < end && (*p == ',' || (unsigned char)*p <= ' '))
        p++;
    if (p >= end || *p != '"')
        return false;
    skipped.flaw_count = 0;
    p = read_string(p, end, &skipped, key);
    if (!p)
        return false;
    p = space_end(p);
    if (*p != ':')
        return false;
    p = space_end(p + 1);
    if (*p == '{' || *p == '[') {
        if (value_skip(p, end, &skipped) != EVENT_OK)
            return false;
        *value =
            (struct token){p, (uint32_t)(skipped.end - p), *p == '{' ? TOKEN_OBJECT : TOKEN_ARRAY};
        *cursor = skipped.end;
        return true;
    }
    *cursor = *p == '"' ? read_string(p, end, &skipped, value) : read_atom(p, end, &skipped, value);
    return *cursor != NULL;
}

struct token object_member(const struct token *object, const char *key)
{
    struct token found = {0}, k, value;
    const char *cursor = NULL;
    if (object->type == TOKEN_OBJECT)
        while (object_next(object, &cursor, &k, &value))
            if (token_is(&k, key))
                found = value;
    return found;
}

static unsigned hex4(const char *p)
{
    unsigned value = 0;
    for (int i = 0; i < 4; i++) {
        unsigned char c = (unsigned char)p[i];
        unsigned digit = c <= '9' ? c - (unsigned)'0' : (c | 0x20u) - 'a' + 10u;
        value = value * 16 + digit;
    }
    return value;
}

/* Decodes the escape at p (which escape_length() said is valid and `len` long);
 * returns the bytes used, more for a surrogate pair. */
static int decode_escape(const char *p, const char *end, int len, struct text *out)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    char bytes[4];
    if (len == 2) {
        text_putc(out, to[strchr(from, p[1]) - from]);
        return 2;
    }
    unsigned code = hex4(p + 2);
    if (code >= 0xd800 && code < 0xdc00 && escape_length(p + 6, end) == 6 && p[6] == '\\') {
        unsigned low = hex4(p + 8);
        if (low >= 0xdc00 && low < 0xe000) {
            code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
            text_add(out, bytes, (size_t)utf8_encode(code, bytes));
            return 12;
        }
    }
    if (code >= 0xd800 && code < 0xe000)
        code = 0xfffd;
    text_add(out, bytes, (size_t)utf8_encode(code, bytes));
    return 6;
}

void token_decode(const struct token *token, struct text *out)
{
    const char *p = token->p, *end = p + token->len;
    if (token->type != TOKEN_ESCAPED) {
        text_add(out, p, token->len);
        return;
    }
    while (p < end) {
        const char *slash = memchr(p, '\\', (size_t)(end - p));
        if (!slash) {
            text_add(out, p, (size_t)(end - p));
            return;
        }
        text_add(out, p, (size_t)(slash - p));
        int len = escape_length(slash, end);
        if (len <= 1) {
            text_putc(out, '\\');
            p = slash + 1;
        } else {
            p = slash + decode_escape(slash, end, len, out);
        }
    }
}

bool token_is(const struct token *token, const char *text)
{
    size_t len = strlen(text);
    return token->type != TOKEN_NONE && token->len == len && memcmp(token->p, text, len) == 0;
}
