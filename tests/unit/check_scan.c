/*
 * Numbers, strings and events: properties, and jansson as the judge of what is JSON.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "scan/event.h"
#include "scan/number.h"
#include "test_support.h"
#include "trace/source.h"

static int64_t time_ns(const char *text, enum number_result expected)
{
    int64_t ns = 0;
    ck_assert_msg(number_time_ns(text, strlen(text), &ns) == expected, "%s", text);
    return ns;
}

START_TEST(test_times)
{
    ck_assert_int_eq(time_ns("1707279511678052.123", NUMBER_OK), INT64_C(1707279511678052123));
    ck_assert_int_eq(time_ns("1.5e3", NUMBER_OK), 1500000);
    ck_assert_int_eq(time_ns("-0.0005", NUMBER_OK), -1);
    ck_assert_int_eq(time_ns("0.0004999", NUMBER_OK), 0);
    ck_assert_int_eq(time_ns("1.7300000001234565e+15", NUMBER_OK), INT64_C(1730000000123456500));
    ck_assert_int_eq(time_ns("9223372036854775.807", NUMBER_OK), INT64_MAX);
    ck_assert_int_eq(time_ns("1e-30", NUMBER_OK), 0);
    ck_assert_int_eq(time_ns("0e999999999999", NUMBER_OK), 0);
    ck_assert_int_eq(time_ns("-1.-234", NUMBER_ODD), -1234);
    ck_assert_int_eq(time_ns("0.-05", NUMBER_ODD), -5);
    ck_assert_int_eq(time_ns("+1", NUMBER_ODD), 1000);
    ck_assert_int_eq(time_ns(".5", NUMBER_ODD), 500);
    time_ns("9223372036854775.808", NUMBER_RANGE);
    time_ns("1e30", NUMBER_RANGE);
    time_ns("", NUMBER_BAD);
    time_ns("1x", NUMBER_BAD);
    time_ns("NaN", NUMBER_BAD);
    time_ns("1e", NUMBER_BAD);
}
END_TEST

/* Random decimals against 128-bit arithmetic. */
START_TEST(test_times_property)
{
    struct random r = random_seed(1);
    for (int i = 0; i < 200000; i++) {
        char text[80];
        int64_t whole = (int64_t)random_below(&r, UINT64_C(1) << random_below(&r, 53));
        int decimals = (int)random_below(&r, 8), exponent = (int)random_below(&r, 7) - 3;
        int64_t part = 0, scale = 1;
        for (int k = 0; k < decimals; k++)
            scale *= 10;
        part = (int64_t)random_below(&r, (uint64_t)scale);
        int n = snprintf(text, sizeof text, "%lld", (long long)whole);
        if (decimals)
            n += snprintf(text + n, sizeof text - (size_t)n, ".%0*lld", decimals, (long long)part);
        if (exponent)
            n += snprintf(text + n, sizeof text - (size_t)n, "e%d", exponent);
        __int128 value = ((__int128)whole * scale + part) * 1000, divisor = scale;
        for (int k = 0; k < exponent; k++)
            value *= 10;
        for (int k = 0; k > exponent; k--)
            divisor *= 10;
        __int128 expected = (value * 2 + divisor) / (divisor * 2);
        int64_t ns;
        enum number_result result = number_time_ns(text, (size_t)n, &ns);
        if (expected > INT64_MAX) {
            ck_assert_msg(result == NUMBER_RANGE, "%s", text);
        } else {
            ck_assert_msg(result == NUMBER_OK && ns == (int64_t)expected, "%s: %lld", text,
                          (long long)ns);
        }
    }
}
END_TEST

START_TEST(test_vector_versions)
{
    struct random r = random_seed(2);
    char text[300];
    for (int i = 0; i < 100000; i++) {
        static const char some[] = "abc019 .-\n\t\r\"\\\x01\x7f\x80\xff,:";
        size_t len = random_below(&r, 100), start = random_below(&r, 40);
        for (size_t k = 0; k < len; k++)
            text[start + k] = random_chance(&r, 70) ? (char)('a' + random_below(&r, 10))
                                                    : some[random_below(&r, sizeof some - 1)];
        if (random_chance(&r, 50))
            memset(text + start, random_chance(&r, 50) ? ' ' : '7', len);
        memset(text + start + len, 0, SCAN_PADDING + 8);
        const char *p = text + start;
        ck_assert_ptr_eq(plain_end(p), plain_end_portable(p));
        ck_assert_ptr_eq(space_end(p), space_end_portable(p));
        ck_assert_ptr_eq(digits_end(p), digits_end_portable(p));
    }
}
END_TEST

/* A random JSON value, valid by construction. */
static void random_space(struct random *r, struct text *out)
{
    static const char *const spaces[] = {"", "", "", " ", "\n  ", "\r\n\t", "     "};
    text_puts(out, spaces[random_below(r, 7)]);
}

static void random_string(struct random *r, struct text *out)
{
    static const char *const parts[] = {"a",
                                        "xyz",
                                        "\\n",
                                        "\\\"",
                                        "\\\\",
                                        "\\u00e9",
                                        "\\/",
                                        "{",
                                        "}",
                                        ", \\\"ph\\\":",
                                        "\xc3\xa9",
                                        "\xe2\x82\xac",
                                        "\\ud83d\\ude00",
                                        " ",
                                        "long text that goes on"};
    text_putc(out, '"');
    for (uint64_t n = random_below(r, 6); n > 0; n--)
        text_puts(out, parts[random_below(r, sizeof parts / sizeof *parts)]);
    text_putc(out, '"');
}

static void random_value(struct random *r, struct text *out, int depth)
{
    static const char *const atoms[] = {"0",
                                        "-1",
                                        "12.5",
                                        "1e3",
                                        "-0.25E-2",
                                        "true",
                                        "null",
                                        "false",
                                        "1707279511678052.123",
                                        "9007199254740993"};
    uint64_t kind = random_below(r, depth > 4 ? 2 : 4);
    if (kind == 0) {
        text_puts(out, atoms[random_below(r, sizeof atoms / sizeof *atoms)]);
    } else if (kind == 1) {
        random_string(r, out);
    } else {
        bool object = kind == 2;
        text_putc(out, object ? '{' : '[');
        random_space(r, out);
        uint64_t n = random_below(r, 5);
        for (uint64_t i = 0; i < n; i++) {
            if (i > 0) {
                text_putc(out, ',');
                random_space(r, out);
            }
            if (object) {
                text_printf(out, "\"k%d\"", (int)i);
                random_space(r, out);
                text_putc(out, ':');
                random_space(r, out);
            }
            random_value(r, out, depth + 1);
            random_space(r, out);
        }
        text_putc(out, object ? '}' : ']');
    }
}

static char *padded(const char *text, size_t len)
{
    char *copy = xcalloc(len + 1 + SCAN_PADDING, 1);
    memcpy(copy, text, len);
    copy[len] = ' ';
    return copy;
}

static bool jansson_takes(const char *text, size_t len)
{
    json_error_t error;
    json_t *value = json_loadb(text, len, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
    if (!value)
        return false;
    json_decref(value);
    return true;
}

/* jansson has no integers beyond 63 bits; JSON has. */
static bool has_huge_integer(const char *text)
{
    int digits = 0;
    for (const char *p = text; *p; p++) {
        digits = *p >= '0' && *p <= '9' ? digits + 1 : 0;
        if (digits >= 19)
            return true;
    }
    return false;
}

/* What jansson takes is read without a flaw; what it refuses is noticed. */
START_TEST(test_against_jansson)
{
    struct random r = random_seed((uint64_t)_i + 10);
    for (int i = 0; i < 4000; i++) {
        struct text text = {0};
        struct event value;
        random_value(&r, &text, 0);
        bool mutated = random_chance(&r, 60);
        for (uint64_t n = mutated ? 1 + random_below(&r, 2) : 0; n > 0; n--) {
            static const char bytes[] = "{}[]\",:\\ax1. \n\x01\xff";
            text.data[random_below(&r, text.len)] = bytes[random_below(&r, sizeof bytes - 1)];
        }
        char *copy = padded(text.data, text.len);
        const char *start = space_end(copy);
        enum event_result result = value_skip(start, copy + text.len + 1, &value);
        bool whole = result == EVENT_OK && space_end(value.end) >= copy + text.len;
        bool clean = whole && value.flaw_count == 0;
        bool valid = jansson_takes(text.data, text.len);
        ck_assert_msg(!valid || clean, "refused: %s", text.data);
        /* Half a surrogate pair is grammar to us. */
        if (!valid && clean)
            ck_assert_msg(strstr(text.data, "\\ud83d") || strstr(text.data, "\\ude00") ||
                              has_huge_integer(text.data),
                          "%s", text.data);
        ck_assert(!mutated ? clean && valid : true);
        free(copy);
        text_free(&text);
    }
}
END_TEST

START_TEST(test_strict)
{
    struct random r = random_seed((uint64_t)_i + 50);
    for (int i = 0; i < 3000; i++) {
        struct text text = {0}, strict = {0}, again = {0};
        random_value(&r, &text, 0);
        size_t at = random_below(&r, text.len);
        bool mutated = random_chance(&r, 50);
        if (mutated)
            text.data[at] = "\x01\xff\\,N"[random_below(&r, 5)];
        if (json_make_strict(text.data, text.len, &strict)) {
            ck_assert_msg(jansson_takes(strict.data, strict.len) || has_huge_integer(strict.data),
                          "%s -> %s", text.data, strict.data);
            ck_assert(json_is_strict(strict.data, strict.len));
            ck_assert(json_make_strict(strict.data, strict.len, &again));
            ck_assert_uint_eq(again.len, strict.len);
            ck_assert(memcmp(again.data, strict.data, again.len) == 0);
            if (!mutated)
                ck_assert(strict.len == text.len && memcmp(strict.data, text.data, text.len) == 0);
        } else {
            ck_assert(mutated);
        }
        text_free(&text);
        text_free(&strict);
        text_free(&again);
    }
}
END_TEST

START_TEST(test_strict_examples)
{
    static const char *const pairs[][2] = {
        {"{\"a\": NaN}", "{\"a\": \"NaN\"}"},
        {"{\"a\": \"C:\\Users\"}", "{\"a\": \"C:\\\\Users\"}"},
        {"{\"a\": \"x\ty\"}", "{\"a\": \"x\\u0009y\"}"},
        {"{\"ts\": -1.-234, }", "{\"ts\": -1.234}"},
        {"[\"\xff\"]", "[\"\\ufffd\"]"},
        {"[\"\\ud800\"]", "[\"\\ufffd\"]"},
        {"[1 ,, 2]", "[1, 2]"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct text out = {0};
        ck_assert(json_make_strict(pairs[i][0], strlen(pairs[i][0]), &out));
        ck_assert_str_eq(out.data, pairs[i][1]);
        text_free(&out);
    }
}
END_TEST

static const char example[] =
    "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"a\\u0041\\n\", \"pid\": 1, \"tid\": \"7\",\n"
    " \"ts\": 12.5, \"dur\": 3, \"args\": {\"correlation\": 99, \"name\": \"decoy\", \"ts\": 1,\n"
    " \"deep\": [{\"ph\": \"M\"}, [1, {}]], \"orig_name\": \"real#1\", \"user_cat\": 1}, \"id\": "
    "5}";

START_TEST(test_fields)
{
    char *copy = padded(example, strlen(example));
    struct event_memory memory = {0};
    struct event ev;
    /* The second time the memory knows the keys; the result is the same. */
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(event_parse_next(copy, copy + strlen(example), &ev, &memory), EVENT_OK);
        struct text name = {0};
        ck_assert(token_is(&ev.ph, "X") && token_is(&ev.cat, "kernel"));
        ck_assert(token_is(&ev.ts, "12.5") && token_is(&ev.dur, "3") && token_is(&ev.tid, "7"));
        ck_assert(token_is(&ev.correlation, "99") && token_is(&ev.orig_name, "real#1"));
        ck_assert(token_is(&ev.id, "5") && ev.enriched);
        ck_assert_int_eq(ev.flaw_count, 0);
        token_decode(&ev.name, &name);
        ck_assert_str_eq(name.data, "aA\n");
        struct token deep = object_member(&ev.args, "deep");
        ck_assert_int_eq(deep.type, TOKEN_ARRAY);
        text_free(&name);
    }
    free(copy);
}
END_TEST

/* Whatever an event is cut at, it is known to be incomplete. */
START_TEST(test_every_prefix)
{
    for (size_t len = 1; len < strlen(example); len++) {
        char *copy = xcalloc(len + SCAN_PADDING, 1);
        struct event ev;
        memcpy(copy, example, len);
        ck_assert_msg(event_parse(copy, copy + len, EVENT_DEPTH, &ev) == EVENT_MORE, "%zu", len);
        free(copy);
    }
}
END_TEST

START_TEST(test_depth)
{
    struct text text = {0};
    struct event ev;
    text_puts(&text, "{\"args\":");
    for (int i = 0; i < 5000; i++)
        text_putc(&text, '[');
    for (int i = 0; i < 5000; i++)
        text_putc(&text, ']');
    text_putc(&text, '}');
    char *copy = padded(text.data, text.len);
    ck_assert_int_eq(event_parse(copy, copy + text.len, EVENT_DEPTH, &ev), EVENT_OK);
    ck_assert_int_eq(event_parse(copy, copy + text.len, EVENT_DEPTH_SEARCH, &ev), EVENT_DAMAGED);
    ck_assert_int_eq(ev.why, DAMAGE_TOO_DEEP);
    free(copy);
    text_free(&text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("scan");
    TCase *tc = tcase_create("scan");
    tcase_set_timeout(tc, 0);
    tcase_add_test(tc, test_times);
    tcase_add_test(tc, test_times_property);
    tcase_add_test(tc, test_vector_versions);
    tcase_add_loop_test(tc, test_against_jansson, 0, 4);
    tcase_add_loop_test(tc, test_strict, 0, 3);
    tcase_add_test(tc, test_strict_examples);
    tcase_add_test(tc, test_fields);
    tcase_add_test(tc, test_every_prefix);
    tcase_add_test(tc, test_depth);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
