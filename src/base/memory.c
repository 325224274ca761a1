#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *xmalloc(size_t bytes)
{
    void *p = malloc(bytes ? bytes : 1);
    if (!p)
        out_of_memory(bytes);
    return p;
}

void *xcalloc(size_t count, size_t size)
{
    void *p = count && size ? calloc(count, size) : calloc(1, 1);
    if (!p)
        out_of_memory(size && count > SIZE_MAX / size ? SIZE_MAX : count * size);
    return p;
}

void *xrealloc(void *old, size_t bytes)
{
    void *p = realloc(old, bytes ? bytes : 1);
    if (!p)
        out_of_memory(bytes);
    return p;
}

void *xreallocarray(void *old, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        out_of_memory(SIZE_MAX);
    return xrealloc(old, bytes);
}

char *xstrdup(const char *text)
{
    return xstrndup(text, strlen(text));
}

char *xstrndup(const char *text, size_t len)
{
    char *copy = xmalloc(len + 1);
    if (len)
        memcpy(copy, text, len);
    copy[len] = '\0';
    return copy;
}

void *array_reserve(void *old, size_t *capacity, size_t need, size_t size)
{
    size_t room = *capacity;
    if (need <= room && old)
        return old;
    room += room / 2;
    if (room < need)
        room = need;
    if (room < 8)
        room = 8;
    old = xreallocarray(old, room, size);
    *capacity = room;
    return old;
}

void array_sort(void *array, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    if (array && count > 1)
        qsort(array, count, size, compare);
}
