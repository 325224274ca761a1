#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "input/layer.h"

enum { UNITS = 32 << 10, SPACING = 1 << 20 };

/* Where a reader is: offsets of the next code unit below and of the next byte of
 * UTF-8; `ready` bytes of it are converted already. */
struct utf16_cursor {
    uint64_t below, at;
    char *text;
    size_t used, ready;
};

struct utf16_place {
    uint64_t below, at;
};

struct layer_utf16 {
    struct layer layer;
    uint64_t start;
    bool big_endian;
    struct utf16_cursor cursors[READER_COUNT];
    struct utf16_place *places;
    size_t place_count, place_capacity;
};

static unsigned unit_at(const struct layer_utf16 *u, const unsigned char *p)
{
    return u->big_endian ? (unsigned)p[0] << 8 | p[1] : (unsigned)p[1] << 8 | p[0];
}

/* Converts the next code units; half a surrogate pair becomes U+FFFD. */
static bool convert(struct layer_utf16 *u, struct utf16_cursor *c, enum reader reader)
{
    unsigned char units[2 * UNITS];
    size_t got = layer_read_full(u->layer.below, reader, c->below, units, sizeof units), i = 0;
    if (!c->text)
        c->text = xmalloc(4 * UNITS);
    c->used = c->ready = 0;
    bool last = got < sizeof units;
    while (i + 2 <= got) {
        uint32_t code = unit_at(u, units + i);
        size_t taken = 2;
        if (code >= 0xd800 && code < 0xdc00) {
            if (i + 4 > got && !last)
                break;
            uint32_t low = i + 4 <= got ? unit_at(u, units + i + 2) : 0;
            if (low >= 0xdc00 && low < 0xe000) {
                code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
                taken = 4;
            }
        }
        if (code >= 0xd800 && code < 0xe000)
            code = 0xfffd;
        c->ready += (size_t)utf8_encode(code, c->text + c->ready);
        i += taken;
    }
    c->below += i;
    return c->ready > 0;
}

static void remember_place(struct layer_utf16 *u, const struct utf16_cursor *c)
{
    uint64_t last = u->place_count ? u->places[u->place_count - 1].at : 0;
    if (c->at >= last + SPACING)
        ARRAY_PUSH(u->places, u->place_count, u->place_capacity,
                   (struct utf16_place){c->below, c->at});
}

static void go_back(const struct layer_utf16 *u, struct utf16_cursor *c, uint64_t offset)
{
    struct utf16_place from = {u->start, 0};
    size_t low = 0, high = u->place_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (u->places[middle].at <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    if (low > 0)
        from = u->places[low - 1];
    if (c->at <= offset && c->at >= from.at && c->below > 0)
        return;
    c->below = from.below;
    c->at = from.at;
    c->used = c->ready = 0;
}

static size_t read_utf16(struct layer *layer, enum reader reader, uint64_t offset, void *buffer,
                         size_t size)
{
    struct layer_utf16 *u = (struct layer_utf16 *)layer;
    struct utf16_cursor *c = &u->cursors[reader];
    if (c->below == 0 || c->at != offset)
        go_back(u, c, offset);
    for (;;) {
        size_t ready = c->ready - c->used;
        if (ready > 0 && c->at + ready > offset) {
            size_t skip = (size_t)(offset - c->at);
            if (size > ready - skip)
                size = ready - skip;
            memcpy(buffer, c->text + c->used + skip, size);
            c->used += skip + size;
            c->at += skip + size;
            return size;
        }
        c->at += ready;
        if (reader == READER_FRONT)
            remember_place(u, c);
        if (!convert(u, c, reader))
            return 0;
    }
}

static void free_utf16(struct layer *layer)
{
    struct layer_utf16 *u = (struct layer_utf16 *)layer;
    for (int i = 0; i < READER_COUNT; i++)
        free(u->cursors[i].text);
    free(u->places);
    free(u);
}

static const struct layer_type utf16_type = {.read = read_utf16, .free = free_utf16};

struct layer *layer_utf16_new(struct layer *below, uint64_t start, bool big_endian,
                              struct notes *notes)
{
    struct layer_utf16 *u = xcalloc(1, sizeof *u);
    u->layer = (struct layer){.type = &utf16_type, .below = below, .notes = notes};
    u->start = start;
    u->big_endian = big_endian;
    return &u->layer;
}
