/*
 * Lines and columns of damage: looked up only when someone wants to see them, by
 * reading the files again.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "trace/load.h"

enum { BLOCK = 1 << 20 };

static int by_place(const void *a, const void *b)
{
    const struct damage_place *x = *(struct damage_place *const *)a;
    const struct damage_place *y = *(struct damage_place *const *)b;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    return x->byte < y->byte ? -1 : x->byte > y->byte;
}

/* Where the text of one file has been counted up to. */
struct counting {
    uint64_t byte, line, line_start;
};

static void count_lines(struct counting *at, const char *text, size_t len)
{
    const char *p = text, *end = text + len;
    while ((p = memchr(p, '\n', (size_t)(end - p))) != NULL) {
        p++;
        at->line++;
        at->line_start = at->byte + (uint64_t)(p - text);
    }
    at->byte += len;
}

/* Counts up to `byte`; false where the text ends before. */
static bool count_to(struct input *in, struct counting *at, uint64_t byte, char *buffer)
{
    while (at->byte < byte) {
        uint64_t left = byte - at->byte;
        size_t got = input_read_at(in, at->byte, buffer, left < BLOCK ? (size_t)left : BLOCK);
        if (got == 0)
            return false;
        count_lines(at, buffer, got);
    }
    return true;
}

void trace_locate_damage(struct trace *t)
{
    struct damage *d = &t->damage;
    struct damage_place **places = xreallocarray(NULL, d->place_count + 1, sizeof(*places));
    size_t n = 0;
    for (size_t i = 0; i < d->place_count; i++)
        if (d->places[i].byte != DAMAGE_NO_PLACE && d->places[i].line == 0)
            places[n++] = &d->places[i];
    array_sort(places, n, sizeof(*places), by_place);
    char *buffer = xmalloc(BLOCK);
    struct counting at = {0};
    for (size_t i = 0; i < n; i++) {
        struct damage_place *place = places[i];
        if (i == 0 || place->file != places[i - 1]->file)
            at = (struct counting){.line = 1};
        if (place->file >= t->file_count ||
            !count_to(t->files[place->file].in, &at, place->byte, buffer))
            continue;
        place->line = at.line;
        place->column = place->byte - at.line_start + 1;
    }
    free(buffer);
    free(places);
}
