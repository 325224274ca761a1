/*
 * Strict JSON read step by step: for the event pane, which shows every number with the
 * digits it has in the file. A library would make doubles of them or refuse them.
 *
 * Should the text be something else nevertheless, then what comes out is odd, but
 * nothing is read behind its end. No recursion: how deep it goes is up to the file.
 */
#ifndef SPYTOP_VIEW_EVENT_JSON_H
#define SPYTOP_VIEW_EVENT_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/intern.h"
#include "base/text.h"
#include "base/utf8.h"

/* A bracket as short as that goes on one line. */
enum { JSON_INLINE = 64 };

struct json_span {
    const char *p, *end;
};

static inline const char *json_skip_space(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t' || *p == ','))
        p++;
    return p;
}

/* Behind the string that begins at p. */
static inline const char *json_skip_string(const char *p, const char *end)
{
    for (p++; p < end && *p != '"'; p++)
        if (*p == '\\')
            p++;
    return p < end ? p + 1 : end;
}

static inline bool json_opens(char c)
{
    return c == '{' || c == '[';
}

static inline bool json_closes(char c)
{
    return c == '}' || c == ']';
}

static inline const char *json_skip_value(const char *p, const char *end)
{
    uint64_t depth = 0;
    while (p < end) {
        if (*p == '"') {
            p = json_skip_string(p, end);
        } else if (json_opens(*p)) {
            depth++;
            p++;
        } else if (json_closes(*p) && depth > 0) {
            depth--;
            p++;
        } else if (depth > 0) {
            p++;
            continue;
        } else {
            while (p < end && !json_closes(*p) && *p != ',' && *p != ' ' && *p != '\n' &&
                   *p != '\r' && *p != '\t')
                p++;
        }
        if (depth == 0)
            break;
    }
    return p;
}

/* Where the value of the member at p begins, or NULL if there is no member. */
static inline const char *json_member(const char *p, const char *end, struct json_span *key)
{
    if (p >= end || *p != '"')
        return NULL;
    *key = (struct json_span){p, json_skip_string(p, end)};
    p = json_skip_space(key->end, end);
    if (p >= end || *p != ':')
        return NULL;
    p = json_skip_space(p + 1, end);
    return p < end ? p : NULL;
}

/* The next member of an object; *p is behind its brace or the last member. */
static inline bool json_next_member(const char **p, const char *end, struct json_span *key,
                                    struct json_span *value)
{
    value->p = json_member(json_skip_space(*p, end), end, key);
    if (!value->p)
        return false;
    *p = value->end = json_skip_value(value->p, end);
    return value->end > value->p;
}

static inline uint32_t json_hex4(const char *p)
{
    uint32_t code = 0;
    for (int i = 0; i < 4; i++) {
        char c = p[i];
        code = code * 16 + (uint32_t)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return code;
}

/* The escape at p, decoded; returns where it ends. */
static inline const char *json_put_escape(struct text *out, const char *p, const char *end)
{
    static const char letters[] = "bfnrt", meant[] = "\b\f\n\r\t";
    char bytes[4];
    if (end - p < 2)
        return end;
    if (p[1] != 'u' || end - p < 6) {
        const char *letter = p[1] ? strchr(letters, p[1]) : NULL;
        text_putc(out, letter ? meant[letter - letters] : p[1]);
        return p + 2;
    }
    uint32_t code = json_hex4(p + 2);
    p += 6;
    if (code >= 0xd800 && code < 0xdc00 && end - p >= 6 && p[0] == '\\' && p[1] == 'u') {
        code = 0x10000 + ((code - 0xd800) << 10) + (json_hex4(p + 2) - 0xdc00);
        p += 6;
    }
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        code = 0xfffd;
    text_add(out, bytes, (size_t)utf8_encode(code, bytes));
    return p;
}

/* What stands between the quotes. */
static inline void json_put_decoded(struct text *out, struct json_span string)
{
    const char *p = string.p + 1, *end = string.end - 1;
    while (p < end) {
        const char *q = memchr(p, '\\', (size_t)(end - p));
        text_add(out, p, (size_t)((q ? q : end) - p));
        p = q ? json_put_escape(out, q, end) : end;
    }
}

/* A value on one line. */
static inline void json_put_value(struct text *out, struct json_span value)
{
    const char *p = value.p;
    while (p < value.end) {
        if (*p == '"') {
            struct json_span string = {p, json_skip_string(p, value.end)};
            text_putc(out, '"');
            json_put_decoded(out, string);
            text_putc(out, '"');
            p = string.end;
            continue;
        }
        char c = *p++;
        if (c == ',' || c == ':')
            text_printf(out, "%c ", c);
        else if (c != ' ' && c != '\n' && c != '\r' && c != '\t')
            text_putc(out, c);
    }
}

/* The end of a bracket that goes on one line: a short one, or a list without brackets
 * inside. Else NULL. */
static inline const char *json_inline_end(const char *p, const char *end)
{
    const char *start = p;
    bool tree = *p == '{';
    int depth = 0;
    while (p < end) {
        if (tree && p - start > JSON_INLINE)
            return NULL;
        if (*p == '"') {
            p = json_skip_string(p, end);
            continue;
        }
        if (json_opens(*p) && ++depth > 1)
            tree = true;
        else if (json_closes(*p) && --depth == 0)
            return !tree || p - start <= JSON_INLINE ? p + 1 : NULL;
        p++;
    }
    return NULL;
}

static inline void json_put_member(struct text *object, struct json_span key,
                                   struct json_span value)
{
    text_add(object, key.p, (size_t)(key.end - key.p));
    text_putc(object, ':');
    text_add(object, value.p, (size_t)(value.end - value.p));
    text_putc(object, ',');
}

/* The key, decoded, with something before it: an empty one is a key like any other. */
static inline void json_key_text(struct text *out, struct json_span key)
{
    text_clear(out);
    text_putc(out, '=');
    json_put_decoded(out, key);
}

/* An object of the members of `first` that `last` does not have, and those of `last`. */
static inline void json_merge(struct json_span first, struct json_span last, struct text *out)
{
    struct intern *keys = intern_new();
    struct text decoded = {0};
    struct json_span key, value;
    text_putc(out, '{');
    for (const char *p = last.p + 1; json_next_member(&p, last.end, &key, &value);) {
        json_key_text(&decoded, key);
        intern_add(keys, decoded.data, decoded.len);
    }
    for (const char *p = first.p + 1; json_next_member(&p, first.end, &key, &value);) {
        json_key_text(&decoded, key);
        if (intern_find(keys, decoded.data, decoded.len) == UINT32_MAX)
            json_put_member(out, key, value);
    }
    for (const char *p = last.p + 1; json_next_member(&p, last.end, &key, &value);)
        json_put_member(out, key, value);
    text_putc(out, '}');
    intern_free(keys);
    text_free(&decoded);
}

#endif
