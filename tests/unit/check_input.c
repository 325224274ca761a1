/*
 * The bytes of a trace, however they are packed: read once in order, and again at any
 * place.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/utf8.h"
#include "input/input.h"
#include "test_support.h"

static char folder[TEST_PATH];

static void make_folder(void)
{
    test_folder(folder);
}

static void remove_folder(void)
{
    test_folder_remove(folder);
}

/* Text that packs as traces do. */
static void make_text(uint64_t seed, size_t len, struct text *text)
{
    struct random r = random_seed(seed);
    while (text->len < len)
        text_printf(text, "{\"ph\": \"X\", \"ts\": %llu, \"name\": \"caf\xc3\xa9 %llu\"},\n",
                    (unsigned long long)random_next(&r), (unsigned long long)random_below(&r, 50));
    text->len = len;
}

static void pack(const void *bytes, size_t len, bool gzip, struct text *out)
{
    z_stream z = {0};
    unsigned char block[65536];
    ck_assert_int_eq(deflateInit2(&z, 6, Z_DEFLATED, gzip ? 15 + 16 : -15, 8, Z_DEFAULT_STRATEGY),
                     Z_OK);
    z.next_in = (Bytef *)(uintptr_t)bytes;
    z.avail_in = (uInt)len;
    int result;
    do {
        z.next_out = block;
        z.avail_out = sizeof block;
        result = deflate(&z, Z_FINISH);
        text_add(out, block, sizeof block - z.avail_out);
    } while (result == Z_OK);
    ck_assert_int_eq(result, Z_STREAM_END);
    deflateEnd(&z);
}

static struct input *open_bytes(const char *name, const struct text *bytes)
{
    char path[TEST_PATH];
    struct error err = {0};
    write_whole_file(path_join(path, folder, name), bytes->len ? bytes->data : "", bytes->len);
    struct input *in = input_open(path, &err);
    ck_assert_msg(in != NULL, "%s", err.message);
    return in;
}

static bool has_note(const struct input *in, enum damage_kind kind)
{
    const struct input_note *notes;
    size_t count = input_notes(in, &notes);
    for (size_t i = 0; i < count; i++)
        if (notes[i].kind == kind)
            return true;
    return false;
}

static void read_all(struct input *in, struct text *out)
{
    struct random r = random_seed(5);
    char *block = xmalloc(1 << 20);
    size_t n;
    while ((n = input_read(in, block, 1 + random_below(&r, 1 << 20))) > 0)
        text_add(out, block, n);
    free(block);
}

/* In order, then at random places, against the text itself. */
static void check_reading(struct input *in, const struct text *expected, uint64_t seed)
{
    struct text got = {0};
    struct random r = random_seed(seed);
    read_all(in, &got);
    ck_assert_uint_eq(got.len, expected->len);
    ck_assert(got.data && memcmp(got.data, expected->data, got.len) == 0);
    char *block = xmalloc(1 << 16);
    for (int i = 0; i < 60; i++) {
        uint64_t at = random_below(&r, expected->len + 10);
        size_t want = random_below(&r, 1 << 16), left = at < expected->len ? expected->len - at : 0;
        size_t n = input_read_at(in, at, block, want);
        ck_assert_uint_eq(n, want < left ? want : left);
        ck_assert(n == 0 || memcmp(block, expected->data + at, n) == 0);
    }
    free(block);
    text_free(&got);
}

enum { LARGE = 40 << 20, SMALL = 3000 };

START_TEST(test_plain_and_gzip)
{
    struct text text = {0}, packed = {0}, twice = {0};
    make_text(1, LARGE, &text);
    pack(text.data, text.len, true, &packed);
    struct input *in = open_bytes("plain.json", &text);
    ck_assert_int_eq(input_packing(in), INPUT_NONE);
    check_reading(in, &text, 1);
    input_close(in);
    in = open_bytes("packed.json.gz", &packed);
    ck_assert_int_eq(input_packing(in), INPUT_GZIP);
    check_reading(in, &text, 2);
    const struct input_note *notes;
    ck_assert_uint_eq(input_notes(in, &notes), 0);
    input_close(in);
    pack(packed.data, packed.len, true, &twice);
    in = open_bytes("twice.json.gz", &twice);
    check_reading(in, &text, 3);
    input_close(in);
    text_free(&text);
    text_free(&packed);
    text_free(&twice);
}
END_TEST

START_TEST(test_members_padding_garbage)
{
    struct text text = {0}, packed = {0};
    make_text(2, SMALL, &text);
    pack(text.data, 1000, true, &packed);
    pack(text.data + 1000, 0, true, &packed);
    pack(text.data + 1000, SMALL - 1000, true, &packed);
    text_add(&packed, "\0\0\0\0\0\0\0", 7);
    struct input *in = open_bytes("members.json.gz", &packed);
    check_reading(in, &text, 4);
    ck_assert(!has_note(in, DAMAGE_GZIP_TRAILING_GARBAGE));
    input_close(in);
    text_puts(&packed, "garbage");
    in = open_bytes("garbage.json.gz", &packed);
    check_reading(in, &text, 5);
    ck_assert(has_note(in, DAMAGE_GZIP_TRAILING_GARBAGE));
    input_close(in);
    text_free(&text);
    text_free(&packed);
}
END_TEST

START_TEST(test_cut_everywhere)
{
    struct text text = {0}, packed = {0};
    make_text(3, SMALL, &text);
    pack(text.data, text.len, true, &packed);
    for (size_t len = 3; len < packed.len; len++) {
        struct text cut = {.data = packed.data, .len = len}, got = {0};
        struct input *in = open_bytes("cut.json.gz", &cut);
        read_all(in, &got);
        ck_assert_uint_le(got.len, text.len);
        ck_assert(got.len == 0 || memcmp(got.data, text.data, got.len) == 0);
        ck_assert_msg(has_note(in, DAMAGE_GZIP_TRUNCATED), "%zu", len);
        input_close(in);
        text_free(&got);
    }
    text_free(&text);
    text_free(&packed);
}
END_TEST

START_TEST(test_bad_checksum)
{
    struct text text = {0}, packed = {0};
    make_text(4, SMALL, &text);
    pack(text.data, text.len, true, &packed);
    packed.data[packed.len - 6] ^= 1;
    struct input *in = open_bytes("crc.json.gz", &packed);
    check_reading(in, &text, 6);
    ck_assert(has_note(in, DAMAGE_GZIP_CRC));
    input_close(in);
    text_free(&text);
    text_free(&packed);
}
END_TEST

static void put16(struct text *out, unsigned value)
{
    text_putc(out, (char)(value & 255));
    text_putc(out, (char)(value >> 8 & 255));
}

START_TEST(test_zip)
{
    for (int stored = 0; stored < 2; stored++) {
        struct text text = {0}, packed = {0}, zip = {0};
        make_text(5, SMALL, &text);
        if (stored)
            text_add(&packed, text.data, text.len);
        else
            pack(text.data, text.len, false, &packed);
        text_add(&zip, "PK\3\4", 4);
        put16(&zip, 20);
        put16(&zip, 0);
        put16(&zip, stored ? 0 : 8);
        for (int i = 0; i < 4; i++)
            put16(&zip, 0); /* time, date, checksum */
        put16(&zip, (unsigned)packed.len & 0xffff);
        put16(&zip, (unsigned)packed.len >> 16);
        put16(&zip, (unsigned)text.len & 0xffff);
        put16(&zip, (unsigned)text.len >> 16);
        put16(&zip, 6);
        put16(&zip, 0);
        text_puts(&zip, "a.json");
        text_add(&zip, packed.data, packed.len);
        text_puts(&zip, "PK\1\2 directory");
        struct input *in = open_bytes("a.zip", &zip);
        ck_assert_int_eq(input_packing(in), INPUT_ZIP);
        check_reading(in, &text, 7);
        input_close(in);
        text_free(&text);
        text_free(&packed);
        text_free(&zip);
    }
}
END_TEST

START_TEST(test_utf16)
{
    struct text text = {0}, wide = {0};
    struct random r = random_seed(9);
    bool big = _i & 1, mark = _i & 2;
    text_puts(&text, "{\"a\": \"");
    while (text.len < 3000000) {
        char bytes[4];
        uint32_t code = (uint32_t)random_below(&r, random_chance(&r, 90) ? 0x80 : 0x110000);
        if (code < 0x20 || (code >= 0xd800 && code < 0xe000))
            continue;
        text_add(&text, bytes, (size_t)utf8_encode(code, bytes));
    }
    if (mark)
        text_add(&wide, big ? "\xfe\xff" : "\xff\xfe", 2);
    for (const char *p = text.data; p < text.data + text.len;) {
        int32_t code;
        p += utf8_decode(p, text.data + text.len, &code);
        unsigned units[2] = {(unsigned)code, 0};
        int n = 1;
        if (code >= 0x10000) {
            units[0] = 0xd800 + ((unsigned)(code - 0x10000) >> 10);
            units[1] = 0xdc00 + ((unsigned)code & 0x3ff);
            n = 2;
        }
        for (int i = 0; i < n; i++)
            put16(&wide, big ? (units[i] >> 8 | (units[i] & 255) << 8) : units[i]);
    }
    struct input *in = open_bytes("wide.json", &wide);
    check_reading(in, &text, 8);
    ck_assert(has_note(in, DAMAGE_ENCODING));
    input_close(in);
    text_free(&text);
    text_free(&wide);
}
END_TEST

START_TEST(test_pipe)
{
    struct text text = {0};
    struct error err = {0};
    char path[TEST_PATH], command[4 * TEST_PATH];
    make_text(6, 5000000, &text);
    path_join(path, folder, "fifo");
    char source[TEST_PATH];
    write_whole_file(path_join(source, folder, "source"), text.data, text.len);
    snprintf(command, sizeof command, "mkfifo '%s' && { cat '%s' > '%s' & }", path, source, path);
    ck_assert_int_eq(system(command), 0);
    struct input *in = input_open(path, &err);
    ck_assert_msg(in != NULL, "%s", err.message);
    check_reading(in, &text, 9);
    input_close(in);
    text_free(&text);
}
END_TEST

START_TEST(test_names_and_changes)
{
    struct text text = {0}, packed = {0};
    char path[TEST_PATH];
    struct error err = {0};
    make_text(7, SMALL, &text);
    pack(text.data, text.len, true, &packed);
    struct input *in = open_bytes("really.json", &packed);
    ck_assert(has_note(in, DAMAGE_WRONG_EXTENSION));
    ck_assert(!input_changed(in));
    ck_assert(input_is_file(in, path_join(path, folder, "really.json")));
    write_whole_file(path, "other", 5);
    ck_assert(input_changed(in));
    input_close(in);
    ck_assert_ptr_null(input_open(folder, &err));
    ck_assert_int_eq(err.kind, ERROR_IO);
    error_clear(&err);
    ck_assert_ptr_null(input_open(path_join(path, folder, "none"), &err));
    ck_assert_int_eq(err.kind, ERROR_IO);
    text_free(&text);
    text_free(&packed);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("input");
    TCase *tc = tcase_create("input");
    tcase_set_timeout(tc, 0);
    tcase_add_checked_fixture(tc, make_folder, remove_folder);
    tcase_add_test(tc, test_plain_and_gzip);
    tcase_add_test(tc, test_members_padding_garbage);
    tcase_add_test(tc, test_cut_everywhere);
    tcase_add_test(tc, test_bad_checksum);
    tcase_add_test(tc, test_zip);
    tcase_add_loop_test(tc, test_utf16, 0, 4);
    tcase_add_test(tc, test_pipe);
    tcase_add_test(tc, test_names_and_changes);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
