/*
 * Strictly valid JSON of what the scanner could read leniently.
 */
#include <stdlib.h>

#include "base/duration.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "scan/event.h"
#include "scan/number.h"
#include "trace/source.h"

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* The length of the valid escape at p, 0 if it is none. */
static size_t valid_escape(const char *p, const char *end)
{
    if (end - p < 2)
        return 0;
    if (strchr("\"\\/bfnrt", p[1]) && p[1])
        return 2;
    if (p[1] != 'u' || end - p < 6)
        return 0;
    for (int i = 2; i < 6; i++)
        if (!is_hex(p[i]))
            return 0;
    return 6;
}

static bool is_surrogate(const char *p, bool low)
{
    if ((p[2] | 0x20) != 'd')
        return false;
    char c = (char)(p[3] | 0x20);
    return low ? c >= 'c' && c <= 'f' : (p[3] >= '8' && p[3] <= '9') || c == 'a' || c == 'b';
}

/* Appends the escape at p (a backslash), made valid; returns the bytes used. */
static size_t strict_escape(const char *p, const char *end, struct text *out, bool *changed)
{
    size_t len = valid_escape(p, end);
    if (len == 0) {
        text_puts(out, "\\\\");
        *changed = true;
        return 1;
    }
    if (len == 6 && is_surrogate(p, false) && valid_escape(p + 6, end) == 6 && p[6] == '\\' &&
        is_surrogate(p + 6, true)) {
        text_add(out, p, 12);
        return 12;
    }
    if (len == 6 && (is_surrogate(p, false) || is_surrogate(p, true))) {
        text_puts(out, "\\ufffd");
        *changed = true;
        return 6;
    }
    text_add(out, p, len);
    return len;
}

static void strict_string(const char *p, size_t len, struct text *out, bool *changed)
{
    const char *end = p + len;
    text_putc(out, '"');
    while (p < end) {
        int32_t code;
        if (*p == '\\') {
            p += strict_escape(p, end, out, changed);
            continue;
        }
        if ((unsigned char)*p < 0x20) {
            text_printf(out, "\\u%04x", (unsigned)*p);
            *changed = true;
            p++;
            continue;
        }
        int bytes = utf8_decode(p, end, &code);
        if (code < 0) {
            text_puts(out, "\\ufffd");
            *changed = true;
        } else {
            text_add(out, p, (size_t)bytes);
        }
        p += bytes;
    }
    text_putc(out, '"');
}

/* A number or a word. */
static void strict_atom(const char *p, size_t len, struct text *out, bool *changed)
{
    char us[DURATION_TEXT];
    int64_t ns;
    bool word = (len == 4 && memcmp(p, "true", 4) == 0) ||
                (len == 4 && memcmp(p, "null", 4) == 0) || (len == 5 && memcmp(p, "false", 5) == 0);
    int64_t ignored;
    enum number_result number = word ? NUMBER_OK : number_integer(p, len, &ignored);
    if (word || number == NUMBER_OK || number == NUMBER_RANGE) {
        text_add(out, p, len);
        return;
    }
    *changed = true;
    if (number_time_ns(p, len, &ns) == NUMBER_ODD)
        text_puts(out, duration_us(us, ns));
    else
        strict_string(p, len, out, changed);
}

struct strictness {
    struct text *out;
    struct text brackets; /* those that are open */
    bool changed;         /* something had to be written differently */
    bool comma;           /* a value stands before */
};

static const char *strict_value(struct strictness *s, const char *p, const char *end);

static void before_item(struct strictness *s)
{
    if (s->comma)
        text_puts(s->out, ", ");
    s->comma = false;
}

/* One step inside brackets: an item, a closing bracket, or what lies between. NULL
 * where the text cannot be read. */
static const char *strict_step(struct strictness *s, const char *p, const char *end)
{
    char bracket = s->brackets.data[s->brackets.len - 1];
    struct event key;
    p = space_end(p);
    if (p >= end)
        return NULL;
    if (*p == ',')
        return p + 1;
    if (*p == (bracket == '{' ? '}' : ']')) {
        text_putc(s->out, *p);
        s->brackets.len--;
        s->comma = true;
        return p + 1;
    }
    before_item(s);
    if (bracket == '{') {
        if (*p != '"' || value_skip(p, end, &key) != EVENT_OK)
            return NULL;
        strict_string(p + 1, (size_t)(key.end - p) - 2, s->out, &s->changed);
        text_puts(s->out, ": ");
        p = space_end(key.end);
        if (*p != ':')
            return NULL;
        p = space_end(p + 1);
    }
    return strict_value(s, p, end);
}

/* A whole value that is no bracket, or an opening bracket. */
static const char *strict_value(struct strictness *s, const char *p, const char *end)
{
    struct event value;
    if (*p == '{' || *p == '[') {
        text_putc(s->out, *p);
        text_putc(&s->brackets, *p);
        s->comma = false;
        return p + 1;
    }
    if (value_skip(p, end, &value) != EVENT_OK)
        return NULL;
    size_t len = (size_t)(value.end - p);
    if (*p == '"')
        strict_string(p + 1, len - 2, s->out, &s->changed);
    else
        strict_atom(p, len, s->out, &s->changed);
    s->comma = true;
    return value.end;
}

/* Atoms end at white space or punctuation; so that one at the very end of the text
 * has an end, a space is added. */
static char *padded_copy(const char *text, size_t len)
{
    char *copy = xcalloc(len + 1 + SCAN_PADDING, 1);
    memcpy(copy, text, len);
    copy[len] = ' ';
    return copy;
}

static bool make_strict(const char *text, size_t len, struct strictness *s)
{
    char *copy = padded_copy(text, len);
    const char *end = copy + len + 1, *p = space_end(copy);
    size_t before = s->out->len;
    p = p < end ? strict_value(s, p, end) : NULL;
    while (p && s->brackets.len > 0)
        p = strict_step(s, p, end);
    bool good = p && space_end(p) >= end;
    if (!good && s->out->data) {
        s->out->len = before;
        s->out->data[before] = '\0';
    }
    text_free(&s->brackets);
    free(copy);
    return good;
}

bool json_make_strict(const char *text, size_t len, struct text *out)
{
    struct strictness s = {.out = out};
    if (json_is_strict(text, len)) {
        text_add(out, text, len);
        return true;
    }
    return make_strict(text, len, &s);
}

/* True if an escape stands for half a surrogate pair: allowed by the grammar, but
 * readers refuse it. */
static bool has_lone_surrogate(const char *text, size_t len)
{
    const char *p = text, *end = text + len;
    struct text ignored = {0};
    bool changed = false;
    while (!changed && (p = memchr(p, '\\', (size_t)(end - p))) != NULL)
        p += strict_escape(p, end, &ignored, &changed);
    text_free(&ignored);
    return changed;
}

bool json_is_strict(const char *text, size_t len)
{
    struct event value;
    char *copy = padded_copy(text, len);
    const char *end = copy + len + 1, *p = space_end(copy);
    bool good = value_skip(p, end, &value) == EVENT_OK && value.flaw_count == 0 &&
                space_end(value.end) >= end && !has_lone_surrogate(p, (size_t)(value.end - p));
    free(copy);
    return good;
}
