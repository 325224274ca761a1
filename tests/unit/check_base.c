/*
 * The base layer: text, names, durations, arenas.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/duration.h"
#include "base/error.h"
#include "base/intern.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/utf8.h"
#include "test_support.h"

START_TEST(test_utf8_round_trip)
{
    for (uint32_t code = 0; code <= 0x10ffff; code += code < 0x3000 ? 1 : 37) {
        char bytes[4];
        int32_t decoded;
        if (code >= 0xd800 && code < 0xe000)
            continue;
        int n = utf8_encode(code, bytes);
        ck_assert_int_eq(utf8_decode(bytes, bytes + n, &decoded), n);
        ck_assert_int_eq(decoded, (int32_t)code);
        if (n > 1) /* cut: the first byte alone, as a bad one */
            ck_assert_int_eq(utf8_decode(bytes, bytes + n - 1, &decoded), 1);
    }
}
END_TEST

START_TEST(test_utf8_bad_bytes)
{
    static const char *const bad[] = {"\xff", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                                      "\x80", "\xe2\x82"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int32_t code;
        ck_assert_int_eq(utf8_decode(bad[i], bad[i] + strlen(bad[i]), &code), 1);
        ck_assert_int_eq(code, -1);
        ck_assert(!utf8_valid(bad[i], strlen(bad[i])));
    }
}
END_TEST

/* No byte that a terminal obeys survives. */
START_TEST(test_utf8_safe)
{
    char text[300], out[2000];
    for (int i = 0; i < 256; i++)
        text[i] = (char)i;
    memcpy(text + 256, "\xe2\x80\xae\xc2\x9b", 6);
    size_t n = utf8_make_safe(out, sizeof out, text, 261);
    ck_assert(utf8_valid(out, n));
    for (const char *p = out; p < out + n;) {
        int32_t code;
        p += utf8_decode(p, out + n, &code);
        ck_assert_int_ge(code, 0x20);
        ck_assert(code < 0x7f || code >= 0xa0);
        ck_assert_int_ne(code, 0x202e);
    }
    ck_assert_uint_eq(utf8_make_safe(out, 4, "\xe2\x82\xac\xe2\x82\xac", 6), 3);
}
END_TEST

START_TEST(test_duration)
{
    char out[DURATION_TEXT];
    int64_t ns;
    ck_assert_str_eq(duration_text(out, 0), "0 ns");
    ck_assert_str_eq(duration_text(out, 1234567), "1.235 ms");
    ck_assert_str_eq(duration_us(out, INT64_C(1707279511678052123)), "1707279511678052.123");
    ck_assert_str_eq(duration_us(out, -5), "-0.005");
    ck_assert_str_eq(duration_us(out, INT64_MIN), "-9223372036854775.808");
    ck_assert_str_eq(duration_in(out, 1234567, 1000000, 3), "1.235");
    ck_assert(duration_parse("1.5ms", 5, &ns) && ns == 1500000);
    ck_assert(duration_parse("813.2", 5, &ns) && ns == 813200);
    ck_assert(duration_parse("-2 s", 4, &ns) && ns == INT64_C(-2000000000));
    ck_assert(duration_parse("0.0005", 6, &ns) && ns == 1);
    ck_assert(!duration_parse("", 0, &ns));
    ck_assert(!duration_parse("1x", 2, &ns));
    ck_assert(!duration_parse("99999999999999999999s", 21, &ns));
    ck_assert_int_eq(ns_add(INT64_MAX, 1), INT64_MAX);
    ck_assert_int_eq(ns_sub(INT64_MIN, 1), INT64_MIN);
}
END_TEST

START_TEST(test_intern)
{
    struct intern *table = intern_new();
    char name[32];
    for (uint32_t i = 0; i < 20000; i++) {
        int n = snprintf(name, sizeof name, "name %u", i);
        ck_assert_uint_eq(intern_add(table, name, (size_t)n), i + 1);
    }
    for (uint32_t i = 0; i < 20000; i += 7) {
        size_t len;
        int n = snprintf(name, sizeof name, "name %u", i);
        ck_assert_uint_eq(intern_add(table, name, (size_t)n), i + 1);
        ck_assert_str_eq(intern_text(table, i + 1, &len), name);
        ck_assert_uint_eq(len, (size_t)n);
    }
    ck_assert_uint_eq(intern_find(table, "none", 4), UINT32_MAX);
    ck_assert_uint_eq(intern_add(table, "a\0b", 3), intern_add(table, "a\0b", 3));
    ck_assert_uint_ne(intern_find(table, "a\0b", 3), intern_add(table, "a", 1));
    intern_free(table);
}
END_TEST

START_TEST(test_arena_and_text)
{
    struct arena arena = {0};
    struct text text = {0};
    char *small = arena_copy(&arena, "abc", 3), *large = arena_alloc(&arena, 1 << 22);
    memset(large, 1, 1 << 22);
    ck_assert_str_eq(small, "abc");
    ck_assert_uint_ge(arena_bytes(&arena), 1 << 22);
    arena_free(&arena);
    text_printf(&text, "%d %s", 7, "seven");
    text_putc(&text, '!');
    ck_assert_str_eq(text.data, "7 seven!");
    text_free(&text);
}
END_TEST

START_TEST(test_error)
{
    struct error err = {0};
    ck_assert(!error_set(&err, ERROR_IO, "%s: gone", "a\033[31mb"));
    ck_assert(!strchr(err.message, '\033'));
    error_set(&err, ERROR_DATA, "a later one");
    ck_assert_int_eq(err.kind, ERROR_IO);
    error_clear(&err);
    ck_assert_int_eq(err.kind, ERROR_NONE);
}
END_TEST

static int compare_ints(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

START_TEST(test_array_sort)
{
    int values[] = {3, 1, 2};
    array_sort(values, 3, sizeof *values, compare_ints);
    ck_assert_int_eq(values[0], 1);
    ck_assert_int_eq(values[2], 3);
    array_sort(NULL, 0, sizeof *values, compare_ints);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("base");
    TCase *tc = tcase_create("base");
    tcase_set_timeout(tc, 0);
    tcase_add_test(tc, test_utf8_round_trip);
    tcase_add_test(tc, test_utf8_bad_bytes);
    tcase_add_test(tc, test_utf8_safe);
    tcase_add_test(tc, test_duration);
    tcase_add_test(tc, test_intern);
    tcase_add_test(tc, test_arena_and_text);
    tcase_add_test(tc, test_error);
    tcase_add_test(tc, test_array_sort);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
