#include "base/intern.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"

struct entry {
    const char *bytes;
    size_t len;
    uint32_t hash;
};

struct intern {
    struct arena arena;
    struct entry *entries;
    size_t count, capacity;
    uint32_t *slots; /* id + 1, or 0; open addressing, linear probing */
    size_t mask;
};

/* FNV-1a over 8-byte words with a final mix: names are short and there are few
 * distinct ones, so a simple hash is enough. */
static uint32_t hash_bytes(const char *bytes, size_t len)
{
    uint64_t h = 0xCBF29CE484222325u ^ len;
    while (len >= 8) {
        uint64_t word;
        memcpy(&word, bytes, 8);
        h = (h ^ word) * 0x9E3779B97F4A7C15u;
        h ^= h >> 29;
        bytes += 8;
        len -= 8;
    }
    uint64_t tail = 0;
    if (len) {
        memcpy(&tail, bytes, len);
        h = (h ^ tail) * 0x9E3779B97F4A7C15u;
    }
    h ^= h >> 32;
    h *= 0xD6E8FEB86659FD93u;
    return (uint32_t)(h >> 32);
}

struct intern *intern_new(void)
{
    struct intern *t = xcalloc(1, sizeof *t);
    t->mask = 1023;
    t->slots = xcalloc(t->mask + 1, sizeof *t->slots);
    intern_add(t, "", 0);
    return t;
}

void intern_free(struct intern *t)
{
    if (!t)
        return;
    arena_free(&t->arena);
    free(t->entries);
    free(t->slots);
    free(t);
}

static size_t find_slot(const struct intern *t, const char *bytes, size_t len, uint32_t hash)
{
    size_t slot = hash & t->mask;
    for (uint32_t id; (id = t->slots[slot]) != 0; slot = (slot + 1) & t->mask) {
        const struct entry *e = &t->entries[id - 1];
        if (e->hash == hash && e->len == len && memcmp(e->bytes, bytes, len) == 0)
            break;
    }
    return slot;
}

static void grow_slots(struct intern *t)
{
    t->mask = t->mask * 2 + 1;
    free(t->slots);
    t->slots = xcalloc(t->mask + 1, sizeof *t->slots);
    for (size_t i = 0; i < t->count; i++) {
        size_t slot = t->entries[i].hash & t->mask;
        while (t->slots[slot])
            slot = (slot + 1) & t->mask;
        t->slots[slot] = (uint32_t)i + 1;
    }
}

uint32_t intern_add(struct intern *t, const char *bytes, size_t len)
{
    uint32_t hash = hash_bytes(bytes, len);
    size_t slot = find_slot(t, bytes, len, hash);
    if (t->slots[slot])
        return t->slots[slot] - 1;
    if (t->count >= UINT32_MAX - 1)
        out_of_memory(SIZE_MAX);
    struct entry e = {.bytes = arena_copy(&t->arena, bytes, len), .len = len, .hash = hash};
    ARRAY_PUSH(t->entries, t->count, t->capacity, e);
    t->slots[slot] = (uint32_t)t->count;
    if (t->count * 2 > t->mask)
        grow_slots(t);
    return (uint32_t)t->count - 1;
}

uint32_t intern_find(const struct intern *t, const char *bytes, size_t len)
{
    size_t slot = find_slot(t, bytes, len, hash_bytes(bytes, len));
    return t->slots[slot] ? t->slots[slot] - 1 : UINT32_MAX;
}

const char *intern_text(const struct intern *t, uint32_t id, size_t *len)
{
    const struct entry *e = &t->entries[id];
    if (len)
        *len = e->len;
    return e->bytes;
}

uint32_t intern_count(const struct intern *t)
{
    return (uint32_t)t->count;
}

size_t intern_bytes(const struct intern *t)
{
    return arena_bytes(&t->arena) + t->capacity * sizeof *t->entries +
           (t->mask + 1) * sizeof *t->slots;
}
