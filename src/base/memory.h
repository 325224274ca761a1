/*
 * Allocation that never returns NULL.
 *
 * Running out of memory cannot be handled usefully deep inside a load or a
 * drawing; the program that links this library says what happens by defining
 * out_of_memory(): spytop restores the terminal, prints one line and exits.
 */
#ifndef SPYTOP_BASE_MEMORY_H
#define SPYTOP_BASE_MEMORY_H

#include <stddef.h>

/* Supplied by the program (src/main.c, or the test's own main). `bytes` is the
 * size that could not be had, SIZE_MAX when the size itself overflowed. */
_Noreturn void out_of_memory(size_t bytes);

/* All four return memory to be released with free(); a size of 0 yields a
 * valid pointer. xcalloc zeroes. The count*size forms check for overflow. */
void *xmalloc(size_t bytes) __attribute__((malloc, returns_nonnull));
void *xcalloc(size_t count, size_t size) __attribute__((malloc, returns_nonnull));
void *xrealloc(void *old, size_t bytes) __attribute__((returns_nonnull));
void *xreallocarray(void *old, size_t count, size_t size) __attribute__((returns_nonnull));

/* A NUL-terminated copy of `text` (`len` bytes of it). Release with free(). */
char *xstrdup(const char *text) __attribute__((malloc, returns_nonnull));
char *xstrndup(const char *text, size_t len) __attribute__((malloc, returns_nonnull));

/* Makes room for at least `need` elements of `size` bytes in the array that
 * `old` points to, whose capacity is *capacity elements: grows by half, so
 * that appending n elements one at a time costs O(n). Returns the (moved)
 * array and updates *capacity. */
void *array_reserve(void *old, size_t *capacity, size_t need, size_t size)
    __attribute__((returns_nonnull));

/* qsort() that allows a NULL array of no elements. */
void array_sort(void *array, size_t count, size_t size, int (*compare)(const void *, const void *));

/* ARRAY_PUSH(array, count, capacity, value): appends value. The three names
 * are lvalues: element pointer, size_t count, size_t capacity. */
#define ARRAY_PUSH(array, count, capacity, ...)                                          \
    do {                                                                                 \
        if ((count) == (capacity))                                                       \
            (array) = array_reserve((array), &(capacity), (count) + 1, sizeof *(array)); \
        (array)[(count)++] = (__VA_ARGS__);                                              \
    } while (0)

#endif
