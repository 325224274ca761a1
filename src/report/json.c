#include "report/json.h"

#include <inttypes.h>
#include <string.h>

#include "base/utf8.h"

static void before_value(struct json *j)
{
    if (j->comma)
        putc(',', j->out);
    j->comma = true;
}

void json_begin_object(struct json *j)
{
    before_value(j);
    putc('{', j->out);
    j->comma = false;
}

void json_end_object(struct json *j)
{
    putc('}', j->out);
    j->comma = true;
}

void json_begin_array(struct json *j)
{
    before_value(j);
    putc('[', j->out);
    j->comma = false;
}

void json_end_array(struct json *j)
{
    putc(']', j->out);
    j->comma = true;
}

void json_key(struct json *j, const char *key)
{
    before_value(j);
    fprintf(j->out, "\"%s\":", key);
    j->comma = false;
}

void json_null(struct json *j)
{
    before_value(j);
    fputs("null", j->out);
}

void json_bool(struct json *j, bool value)
{
    before_value(j);
    fputs(value ? "true" : "false", j->out);
}

void json_int(struct json *j, int64_t value)
{
    before_value(j);
    fprintf(j->out, "%" PRId64, value);
}

void json_uint(struct json *j, uint64_t value)
{
    before_value(j);
    fprintf(j->out, "%" PRIu64, value);
}

void json_text(struct json *j, const char *text, size_t len)
{
    const char *p = text, *end = text + len;
    before_value(j);
    putc('"', j->out);
    while (p < end) {
        int32_t code;
        int n = utf8_decode(p, end, &code);
        if (code < 0)
            fputs("\\ufffd", j->out);
        else if (code == '"' || code == '\\')
            fprintf(j->out, "\\%c", (char)code);
        else if (code < 0x20 || (code >= 0x7f && code < 0xa0))
            fprintf(j->out, "\\u%04x", (unsigned)code);
        else if (utf8_visible(code) != (uint32_t)code && code < 0x10000)
            fprintf(j->out, "\\u%04x", (unsigned)code); /* reorders a terminal's line */
        else
            fwrite(p, 1, (size_t)n, j->out);
        p += n;
    }
    putc('"', j->out);
}

void json_string_z(struct json *j, const char *text)
{
    json_text(j, text, strlen(text));
}

void json_decimal3(struct json *j, int64_t thousandths)
{
    uint64_t size = thousandths < 0 ? 0 - (uint64_t)thousandths : (uint64_t)thousandths;
    before_value(j);
    fprintf(j->out, "%s%" PRIu64 ".%03u", thousandths < 0 ? "-" : "", size / 1000,
            (unsigned)(size % 1000));
}

void json_share(struct json *j, double share)
{
    int64_t millionths = (int64_t)(share * 1e6 + 0.5);
    before_value(j);
    fprintf(j->out, "%" PRId64 ".%06d", millionths / 1000000, (int)(millionths % 1000000));
}

void json_key_int(struct json *j, const char *key, int64_t value)
{
    json_key(j, key);
    json_int(j, value);
}

void json_key_uint(struct json *j, const char *key, uint64_t value)
{
    json_key(j, key);
    json_uint(j, value);
}

void json_key_text(struct json *j, const char *key, const char *text, size_t len)
{
    json_key(j, key);
    json_text(j, text, len);
}

void json_key_string(struct json *j, const char *key, const char *text)
{
    json_key(j, key);
    json_string_z(j, text);
}
