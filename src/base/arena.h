/*
 * Memory that is taken in small pieces and given back whole.
 */
#ifndef SPYTOP_BASE_ARENA_H
#define SPYTOP_BASE_ARENA_H

#include <stddef.h>

/* Starts as {0}. */
struct arena {
    struct arena_block *blocks;
    size_t used; /* of the newest block */
    size_t total;
};

/* `bytes` bytes, aligned for any type, not zeroed, valid until arena_free(). */
void *arena_alloc(struct arena *a, size_t bytes);

/* A copy of the bytes with a NUL behind them. */
char *arena_copy(struct arena *a, const char *bytes, size_t len);

/* Gives everything back; the arena can be used again. */
void arena_free(struct arena *a);

/* Memory held, in bytes. */
size_t arena_bytes(const struct arena *a);

#endif
