#ifndef HAVE_ISAL

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/memory.h"
#include "input/inflate.h"

struct inflater {
    z_stream z;
    bool raw;
};

struct inflater *inflater_new(bool raw)
{
    struct inflater *inflater = xcalloc(1, sizeof *inflater);
    inflater->raw = raw;
    if (inflateInit2(&inflater->z, raw ? -15 : 15 + 16) != Z_OK)
        out_of_memory(sizeof *inflater);
    return inflater;
}

void inflater_free(struct inflater *inflater)
{
    if (inflater)
        inflateEnd(&inflater->z);
    free(inflater);
}

void inflater_reset(struct inflater *inflater)
{
    inflateReset(&inflater->z);
}

struct inflater *inflater_copy(const struct inflater *inflater)
{
    struct inflater *copy = xcalloc(1, sizeof *copy);
    copy->raw = inflater->raw;
    if (inflateCopy(&copy->z, (z_stream *)(uintptr_t)&inflater->z) == Z_OK)
        return copy;
    free(copy);
    return NULL;
}

size_t inflater_bytes(void)
{
    return sizeof(struct inflater) + 48 * 1024; /* the window and the tables */
}

enum inflate_result inflater_run(struct inflater *inflater, const uint8_t **in, size_t *in_len,
                                 uint8_t **out, size_t *out_len)
{
    z_stream *z = &inflater->z;
    uInt given_in = *in_len > INT_MAX ? INT_MAX : (uInt)*in_len;
    uInt given_out = *out_len > INT_MAX ? INT_MAX : (uInt)*out_len;
    z->next_in = (Bytef *)(uintptr_t)*in;
    z->avail_in = given_in;
    z->next_out = *out;
    z->avail_out = given_out;
    int result = inflate(z, Z_NO_FLUSH);
    *in += given_in - z->avail_in;
    *in_len -= given_in - z->avail_in;
    *out += given_out - z->avail_out;
    *out_len -= given_out - z->avail_out;
    if (result == Z_STREAM_END)
        return INFLATE_END;
    if (result == Z_OK || result == Z_BUF_ERROR)
        return INFLATE_MORE;
    bool check = z->msg && (strstr(z->msg, "incorrect data check") ||
                            strstr(z->msg, "incorrect length check"));
    return check ? INFLATE_CRC : INFLATE_BAD;
}

#else
typedef int inflate_zlib_is_not_used;
#endif
