/*
 * Deflate streams, by ISA-L where it exists, else by zlib.
 */
#ifndef SPYTOP_INPUT_INFLATE_H
#define SPYTOP_INPUT_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct inflater;

enum inflate_result {
    INFLATE_MORE, /* went on: give it more input or room */
    INFLATE_END,  /* the member is complete, its checksum right */
    INFLATE_CRC,  /* the member is complete, its checksum or length wrong */
    INFLATE_BAD,  /* this is no valid stream from here on */
};

/* Ready for a gzip member (with its header and trailer), or for a raw stream. */
struct inflater *inflater_new(bool raw);
void inflater_free(struct inflater *inflater); /* NULL allowed */

/* Ready for another member. */
void inflater_reset(struct inflater *inflater);

/* A copy in the same state, and its size in memory. NULL if that cannot be had. */
struct inflater *inflater_copy(const struct inflater *inflater);
size_t inflater_bytes(void);

/* Unpacks from *in (advancing it, *in_len shrinks) to *out likewise. */
enum inflate_result inflater_run(struct inflater *inflater, const uint8_t **in, size_t *in_len,
                                 uint8_t **out, size_t *out_len);

#endif
