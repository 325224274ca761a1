#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "input/inflate.h"
#include "input/layer.h"

enum { PACKED_BLOCK = 128 << 10, SKIP_BLOCK = 64 << 10 };

/* A state of the decoder is kept every so often in the unpacked text; when there are
 * too many, every other one goes. */
enum { FIRST_SPACING = 8 << 20, SNAPSHOTS = 96 };

/* A decoder and where it is. */
struct cursor {
    struct inflater *inflater; /* NULL: not yet used */
    uint8_t *packed;           /* a block of the layer below */
    const uint8_t *next;       /* what of it is still to be unpacked */
    size_t left;
    uint64_t below; /* offset in the layer below of what follows the block */
    uint64_t at;    /* offset of the next unpacked byte */
    bool ended;
};

struct snapshot {
    struct inflater *inflater;
    uint64_t below, at; /* of the next packed and unpacked byte */
};

struct layer_gzip {
    struct layer layer;
    uint64_t start;
    bool raw;
    struct cursor cursors[READER_COUNT];
    struct snapshot snapshots[SNAPSHOTS];
    size_t snapshot_count;
    uint64_t spacing;
};

static void note(struct layer_gzip *g, const struct cursor *c, enum damage_kind kind)
{
    if (c == &g->cursors[READER_FRONT])
        notes_add(g->layer.notes, kind, c->at);
}

static enum reader reader_of(const struct layer_gzip *g, const struct cursor *c)
{
    return c == &g->cursors[READER_FRONT] ? READER_FRONT : READER_AGAIN;
}

static bool fill(struct layer_gzip *g, struct cursor *c)
{
    if (c->left > 0)
        return true;
    c->left = layer_read(g->layer.below, reader_of(g, c), c->below, c->packed, PACKED_BLOCK);
    c->next = c->packed;
    c->below += c->left;
    return c->left > 0;
}

/* Behind a member: is there another one? Zeros are padding, anything else garbage. */
static bool next_member(struct layer_gzip *g, struct cursor *c)
{
    if (g->raw)
        return false;
    while (fill(g, c) && *c->next == 0) {
        c->next++;
        c->left--;
    }
    if (!fill(g, c))
        return false;
    uint8_t magic[2];
    uint64_t at = c->below - c->left;
    if (layer_read_full(g->layer.below, READER_AGAIN, at, magic, 2) == 2 && magic[0] == 0x1f &&
        magic[1] == 0x8b) {
        inflater_reset(c->inflater);
        return true;
    }
    /* A pipe has not kept what was not yet read: then the block itself tells. */
    if (c->left >= 2 && c->next[0] == 0x1f && c->next[1] == 0x8b) {
        inflater_reset(c->inflater);
        return true;
    }
    note(g, c, DAMAGE_GZIP_TRAILING_GARBAGE);
    return false;
}

static void take_snapshot(struct layer_gzip *g, const struct cursor *c)
{
    uint64_t last = g->snapshot_count ? g->snapshots[g->snapshot_count - 1].at : 0;
    if (c->at < last + g->spacing)
        return;
    if (g->snapshot_count == SNAPSHOTS) {
        for (size_t i = 0; i < SNAPSHOTS / 2; i++) {
            inflater_free(g->snapshots[2 * i].inflater);
            g->snapshots[i] = g->snapshots[2 * i + 1];
        }
        g->snapshot_count = SNAPSHOTS / 2;
        g->spacing *= 2;
        return;
    }
    struct inflater *copy = inflater_copy(c->inflater);
    if (copy)
        g->snapshots[g->snapshot_count++] = (struct snapshot){copy, c->below - c->left, c->at};
}

/* The next unpacked bytes of a cursor. */
static size_t unpack(struct layer_gzip *g, struct cursor *c, uint8_t *out, size_t size)
{
    size_t room = size;
    while (room > 0 && !c->ended) {
        bool input = fill(g, c);
        size_t room_before = room, left_before = c->left;
        enum inflate_result result = inflater_run(c->inflater, &c->next, &c->left, &out, &room);
        c->at += room_before - room;
        switch (result) {
        case INFLATE_END:
            c->ended = !next_member(g, c);
            break;
        case INFLATE_CRC:
            note(g, c, DAMAGE_GZIP_CRC);
            c->ended = !next_member(g, c);
            break;
        case INFLATE_BAD:
            note(g, c, DAMAGE_GZIP_CRC);
            c->ended = true;
            break;
        case INFLATE_MORE:
            if (!input && room == room_before && c->left == left_before) {
                note(g, c, DAMAGE_GZIP_TRUNCATED);
                c->ended = true;
            }
            break;
        }
        if (c == &g->cursors[READER_FRONT] && !c->ended)
            take_snapshot(g, c);
        if (room < size && c->left == 0)
            break; /* what there is, rather than waiting for a pipe */
    }
    return size - room;
}

static void start_at(struct layer_gzip *g, struct cursor *c, const struct snapshot *from)
{
    inflater_free(c->inflater);
    c->inflater = from ? inflater_copy(from->inflater) : NULL;
    bool fresh = !c->inflater;
    if (fresh)
        c->inflater = inflater_new(g->raw);
    if (!c->packed)
        c->packed = xmalloc(PACKED_BLOCK);
    c->left = 0;
    c->below = fresh || !from ? g->start : from->below;
    c->at = fresh || !from ? 0 : from->at;
    c->ended = false;
}

/* Brings a cursor to an offset: from where it is, or from the nearest snapshot. */
static void seek(struct layer_gzip *g, struct cursor *c, uint64_t offset)
{
    const struct snapshot *nearest = NULL;
    for (size_t i = 0; i < g->snapshot_count && g->snapshots[i].at <= offset; i++)
        nearest = &g->snapshots[i];
    bool here = c->inflater && c->at <= offset;
    if (!here || (nearest && nearest->at > c->at))
        start_at(g, c, nearest);
    uint8_t *skipped = NULL;
    while (c->at < offset && !c->ended) {
        if (!skipped)
            skipped = xmalloc(SKIP_BLOCK);
        uint64_t distance = offset - c->at;
        unpack(g, c, skipped, distance < SKIP_BLOCK ? (size_t)distance : SKIP_BLOCK);
    }
    free(skipped);
}

static size_t read_gzip(struct layer *layer, enum reader reader, uint64_t offset, void *buffer,
                        size_t size)
{
    struct layer_gzip *g = (struct layer_gzip *)layer;
    struct cursor *c = &g->cursors[reader];
    if (reader == READER_FRONT && !c->inflater)
        start_at(g, c, NULL);
    if (c->at != offset || !c->inflater)
        seek(g, c, offset);
    size_t got = 0;
    while (got == 0 && !c->ended && c->at == offset)
        got = unpack(g, c, buffer, size);
    return got;
}

static void free_gzip(struct layer *layer)
{
    struct layer_gzip *g = (struct layer_gzip *)layer;
    for (int i = 0; i < READER_COUNT; i++) {
        inflater_free(g->cursors[i].inflater);
        free(g->cursors[i].packed);
    }
    for (size_t i = 0; i < g->snapshot_count; i++)
        inflater_free(g->snapshots[i].inflater);
    free(g);
}

static const struct layer_type gzip_type = {.read = read_gzip, .free = free_gzip};

struct layer *layer_gzip_new(struct layer *below, uint64_t start, bool raw, struct notes *notes)
{
    struct layer_gzip *g = xcalloc(1, sizeof *g);
    g->layer = (struct layer){.type = &gzip_type, .below = below, .notes = notes};
    g->start = start;
    g->raw = raw;
    g->spacing = FIRST_SPACING;
    return &g->layer;
}
