#include "base/arena.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { BLOCK_BYTES = 64 * 1024 };

struct arena_block {
    struct arena_block *next;
    size_t size;
    alignas(max_align_t) char data[];
};

static void *take(struct arena *a, size_t bytes, size_t align)
{
    size_t start = (a->used + align - 1) & ~(align - 1);
    if (!a->blocks || start > a->blocks->size || bytes > a->blocks->size - start) {
        size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
        struct arena_block *block = xmalloc(sizeof *block + size);
        block->size = size;
        block->next = a->blocks;
        a->blocks = block;
        a->total += sizeof *block + size;
        start = 0;
    }
    a->used = start + bytes;
    return a->blocks->data + start;
}

void *arena_alloc(struct arena *a, size_t bytes)
{
    return take(a, bytes, alignof(max_align_t));
}

char *arena_copy(struct arena *a, const char *bytes, size_t len)
{
    char *copy = take(a, len + 1, 1);
    if (len)
        memcpy(copy, bytes, len);
    copy[len] = '\0';
    return copy;
}

void arena_free(struct arena *a)
{
    while (a->blocks) {
        struct arena_block *next = a->blocks->next;
        free(a->blocks);
        a->blocks = next;
    }
    *a = (struct arena){0};
}

size_t arena_bytes(const struct arena *a)
{
    return a->total;
}
