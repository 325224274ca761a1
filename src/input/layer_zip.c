#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "input/layer.h"

/* The members of a zip archive begin with a header each (APPNOTE.TXT 4.3.7); the
 * directory at the end is not needed to read the first one. */
enum { HEADER = 30, STORED = 0, DEFLATED = 8, LONGEST_SEARCH = 64 };

static unsigned u16(const unsigned char *p)
{
    return p[0] | (unsigned)p[1] << 8;
}

static uint64_t u32(const unsigned char *p)
{
    return u16(p) | (uint64_t)u16(p + 2) << 16;
}

struct layer_part {
    struct layer layer;
    uint64_t start, len;
};

/* A stored member is a part of the file. */
static size_t read_part(struct layer *layer, enum reader reader, uint64_t offset, void *buffer,
                        size_t size)
{
    const struct layer_part *part = (struct layer_part *)layer;
    if (offset >= part->len)
        return 0;
    if (size > part->len - offset)
        size = (size_t)(part->len - offset);
    return layer_read(layer->below, reader, part->start + offset, buffer, size);
}

static void free_part(struct layer *layer)
{
    free(layer);
}

static const struct layer_type part_type = {.read = read_part, .free = free_part};

static struct layer *layer_part_new(struct layer *below, uint64_t start, uint64_t len,
                                    struct notes *notes)
{
    struct layer_part *part = xcalloc(1, sizeof *part);
    part->layer = (struct layer){.type = &part_type, .below = below, .notes = notes};
    part->start = start;
    part->len = len;
    return &part->layer;
}

struct layer *layer_zip_new(struct layer *below, struct notes *notes)
{
    unsigned char header[HEADER], last;
    uint64_t at = 0;
    /* Folders come as members without content before the files in them. */
    for (int i = 0; i < LONGEST_SEARCH; i++) {
        if (layer_read_full(below, READER_FRONT, at, header, HEADER) != HEADER ||
            memcmp(header, "PK\3\4", 4) != 0)
            return NULL;
        unsigned flags = u16(header + 6), method = u16(header + 8);
        uint64_t packed = u32(header + 18), name = u16(header + 26), extra = u16(header + 28);
        uint64_t data = at + HEADER + name + extra;
        bool folder = name > 0 &&
                      layer_read_full(below, READER_FRONT, at + HEADER + name - 1, &last, 1) == 1 &&
                      last == '/';
        if (!folder && !(flags & 1) && method == DEFLATED)
            return layer_gzip_new(below, data, true, notes);
        if (!folder && !(flags & 1) && method == STORED)
            return layer_part_new(below, data, packed == 0xffffffff ? UINT64_MAX : packed, notes);
        if (!folder)
            return NULL;
        at = data + packed;
    }
    return NULL;
}
