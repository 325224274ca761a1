/*
 * Writes JSON, a value at a time, straight to a stream: reports may have millions of
 * rows, and their decimals are exact, which a library that only knows doubles cannot
 * write.
 */
#ifndef SPYTOP_REPORT_JSON_H
#define SPYTOP_REPORT_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Starts as {.out = stream}. Values within objects follow a key. */
struct json {
    FILE *out;
    bool comma; /* something stands before: a comma is due */
};

void json_begin_object(struct json *j);
void json_end_object(struct json *j);
void json_begin_array(struct json *j);
void json_end_array(struct json *j);
void json_key(struct json *j, const char *key);
void json_null(struct json *j);
void json_bool(struct json *j, bool value);
void json_int(struct json *j, int64_t value);
void json_uint(struct json *j, uint64_t value);

/* A string of any bytes: control characters are escaped, what is not UTF-8 becomes
 * U+FFFD. */
void json_text(struct json *j, const char *text, size_t len);
void json_string_z(struct json *j, const char *text); /* up to its NUL */

/* thousandths / 1000 with exactly three decimals; a share of 0 to 1 with six. */
void json_decimal3(struct json *j, int64_t thousandths);
void json_share(struct json *j, double share);

/* Key and value at once. */
void json_key_int(struct json *j, const char *key, int64_t value);
void json_key_uint(struct json *j, const char *key, uint64_t value);
void json_key_text(struct json *j, const char *key, const char *text, size_t len);
void json_key_string(struct json *j, const char *key, const char *text);

#endif
