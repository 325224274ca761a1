/*
 * A trace's bytes are a stack of layers: a file or pipe, perhaps gzip or zip on it,
 * perhaps UTF-16 on that. Each layer reads from the one below and can be read at any
 * offset of its own text.
 */
#ifndef SPYTOP_INPUT_LAYER_H
#define SPYTOP_INPUT_LAYER_H

#include "input/input.h"

/* Each layer is read by two readers that do not disturb each other: the one that
 * goes through the text once, and the one that reads parts of it again. */
enum reader { READER_FRONT, READER_AGAIN, READER_COUNT };

struct layer;

struct layer_type {
    /* Up to `size` bytes at `offset`; 0 where the text ends. Offsets of READER_FRONT
     * only grow. */
    size_t (*read)(struct layer *layer, enum reader reader, uint64_t offset, void *buffer,
                   size_t size);
    void (*free)(struct layer *layer);
};

/* The beginning of every layer. */
struct layer {
    const struct layer_type *type;
    struct layer *below; /* NULL: the file itself; released with this layer */
    struct notes *notes; /* shared by all layers of an input */
};

/* What is wrong, each kind once; only told by READER_FRONT. */
enum { NOTES_MAX = 16 };
struct notes {
    struct input_note list[NOTES_MAX];
    size_t count;
};
void notes_add(struct notes *notes, enum damage_kind kind, uint64_t byte);

static inline size_t layer_read(struct layer *layer, enum reader reader, uint64_t offset,
                                void *buffer, size_t size)
{
    return layer->type->read(layer, reader, offset, buffer, size);
}

/* As many bytes as there are, up to `size`. */
size_t layer_read_full(struct layer *layer, enum reader reader, uint64_t offset, void *buffer,
                       size_t size);
void layer_free(struct layer *layer); /* with all below; NULL allowed */

/* layer_file.c: an open file, or a pipe that is kept in a temporary file. Takes over
 * the descriptor unless it is standard input. */
struct layer *layer_file_new(int fd, bool seekable, struct notes *notes);
uint64_t layer_file_size(const struct layer *layer);     /* of a pipe: what has arrived */
uint64_t layer_file_consumed(const struct layer *layer); /* by READER_FRONT */

/* layer_gzip.c: one or more gzip members, or (`raw`) one deflate stream, from
 * `start` of the layer below. */
struct layer *layer_gzip_new(struct layer *below, uint64_t start, bool raw, struct notes *notes);

/* layer_zip.c: the first file of a zip archive. NULL if it is none that can be read. */
struct layer *layer_zip_new(struct layer *below, struct notes *notes);

/* layer_utf16.c: UTF-16 as UTF-8; `start` is behind the byte order mark. */
struct layer *layer_utf16_new(struct layer *below, uint64_t start, bool big_endian,
                              struct notes *notes);

#endif
