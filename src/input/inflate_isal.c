#ifdef HAVE_ISAL

#include <isa-l/igzip_lib.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "input/inflate.h"

/* ISA-L's state is plain data: copying it copies the decoder. */
struct inflater {
    struct inflate_state state;
    bool raw;
};

void inflater_reset(struct inflater *inflater)
{
    isal_inflate_init(&inflater->state);
    inflater->state.crc_flag = inflater->raw ? ISAL_DEFLATE : ISAL_GZIP;
}

struct inflater *inflater_new(bool raw)
{
    struct inflater *inflater = xcalloc(1, sizeof *inflater);
    inflater->raw = raw;
    inflater_reset(inflater);
    return inflater;
}

void inflater_free(struct inflater *inflater)
{
    free(inflater);
}

struct inflater *inflater_copy(const struct inflater *inflater)
{
    struct inflater *copy = xmalloc(sizeof *copy);
    memcpy(copy, inflater, sizeof *copy);
    return copy;
}

size_t inflater_bytes(void)
{
    return sizeof(struct inflater);
}

enum inflate_result inflater_run(struct inflater *inflater, const uint8_t **in, size_t *in_len,
                                 uint8_t **out, size_t *out_len)
{
    struct inflate_state *s = &inflater->state;
    uint32_t given_in = *in_len > INT_MAX ? INT_MAX : (uint32_t)*in_len;
    uint32_t given_out = *out_len > INT_MAX ? INT_MAX : (uint32_t)*out_len;
    s->next_in = (uint8_t *)(uintptr_t)*in;
    s->avail_in = given_in;
    s->next_out = *out;
    s->avail_out = given_out;
    int result = isal_inflate(s);
    *in += given_in - s->avail_in;
    *in_len -= given_in - s->avail_in;
    *out += given_out - s->avail_out;
    *out_len -= given_out - s->avail_out;
    if (result == ISAL_INCORRECT_CHECKSUM)
        return INFLATE_CRC;
    if (result != ISAL_DECOMP_OK && result != ISAL_END_INPUT && result != ISAL_OUT_OVERFLOW)
        return INFLATE_BAD;
    return s->block_state == ISAL_BLOCK_FINISH ? INFLATE_END : INFLATE_MORE;
}

#else
typedef int inflate_isal_is_not_used;
#endif
