/*
 * What all unit tests share. Linking this file also supplies out_of_memory(),
 * which the library wants from its program.
 *
 * A test program is one file check_NAME.c with a main() that ends in
 * `return run_suite(suite)`; its name goes into UNIT_TESTS in Makefile.am.
 */
#ifndef SPYTOP_TESTS_TEST_SUPPORT_H
#define SPYTOP_TESTS_TEST_SUPPORT_H

#include <check.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Runs the suite and frees it; the result is main()'s. By hand the tests report
 * as libcheck does, under `make check` in TAP. */
int run_suite(Suite *suite);

/* Repeatable random numbers (xorshift64*). The same seed gives the same row of
 * numbers everywhere. */
struct random {
    uint64_t state;
};
struct random random_seed(uint64_t seed);
uint64_t random_next(struct random *r);
/* 0 to limit - 1, evenly; limit > 0. */
uint64_t random_below(struct random *r, uint64_t limit);
/* low to high, both included. */
int64_t random_between(struct random *r, int64_t low, int64_t high);
/* True `percent` times of a hundred. */
bool random_chance(struct random *r, unsigned percent);

/* A new empty folder; its path goes to `path`. test_folder_remove() deletes it
 * with all it holds. Both end the test if that fails. */
enum { TEST_PATH = 1024 };
void test_folder(char path[TEST_PATH]);
void test_folder_remove(const char *path);

/* The whole file, NUL-terminated, to be released with free(); ends the test if
 * it cannot be read. `len` may be NULL. */
char *read_whole_file(const char *path, size_t *len);
/* Writes a file with exactly these bytes. */
void write_whole_file(const char *path, const void *bytes, size_t len);

/* "FOLDER/NAME" in `path`, which is returned. */
const char *path_join(char path[TEST_PATH], const char *folder, const char *name);

/* The path of a file that belongs to the tests (below the source tree's top). */
const char *source_file(const char *relative, char *buffer, size_t size);

/* The path of a file or folder of the shared test data ($SPYTOP_TEST_DATA), or
 * NULL where there is none: such a test passes without looking. */
const char *test_data(const char *relative, char *buffer, size_t size);

#endif
