#include "scan/damage.h"

#include <stdlib.h>

#include "base/memory.h"

static const struct {
    const char *name, *text;
} kinds[] = {
#define X(id, name, text) {name, text},
    DAMAGE_KINDS(X)
#undef X
};

const char *damage_name(enum damage_kind kind)
{
    return kinds[kind].name;
}

const char *damage_text(enum damage_kind kind)
{
    return kinds[kind].text;
}

void damage_add(struct damage *damage, enum damage_kind kind, uint32_t file, uint64_t byte)
{
    if (damage->counts[kind]++ >= DAMAGE_PLACES_PER_KIND)
        return;
    struct damage_place place = {.kind = kind, .file = file, .byte = byte};
    ARRAY_PUSH(damage->places, damage->place_count, damage->place_capacity, place);
}

void damage_free(struct damage *damage)
{
    free(damage->places);
    *damage = (struct damage){0};
}

const struct damage_place *damage_first(const struct damage *damage, enum damage_kind kind)
{
    for (size_t i = 0; i < damage->place_count; i++)
        if (damage->places[i].kind == kind)
            return &damage->places[i];
    return NULL;
}

void damage_merge(struct damage *damage, const struct damage *later)
{
    uint64_t placed[DAMAGE_KIND_COUNT] = {0};
    for (size_t i = 0; i < later->place_count; i++) {
        const struct damage_place *place = &later->places[i];
        damage_add(damage, place->kind, place->file, place->byte);
        placed[place->kind]++;
    }
    for (int kind = 0; kind < DAMAGE_KIND_COUNT; kind++)
        damage->counts[kind] += later->counts[kind] - placed[kind];
}
