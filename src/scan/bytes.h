/*
 * Sixteen bytes at a time: the end of plain text in a string, the end of white
 * space. Both may read up to SCAN_PADDING bytes behind the end of the text, which
 * must be there and zero: a zero ends both.
 */
#ifndef SPYTOP_SCAN_BYTES_H
#define SPYTOP_SCAN_BYTES_H

#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#endif

enum { SCAN_PADDING = 64 };

/* Portable: bit 7 of each byte of the word that is a quote, a backslash, below
 * 0x20 or above 0x7f. The classic zero-byte test; false hits can only follow a
 * true one (in the order of significance), so the callers look at bytes again. */
static inline uint64_t special_in_word(uint64_t word)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), high = ones << 7;
    uint64_t quote = word ^ (ones * '"'), slash = word ^ (ones * '\\');
    return ((quote - ones) | (slash - ones) | (word - ones * 0x20) | word) & high;
}

static inline int is_special(unsigned char c)
{
    return c == '"' || c == '\\' || c < 0x20 || c >= 0x80;
}

/* The portable versions exist everywhere, so that tests can compare. */
static inline const char *plain_end_portable(const char *p)
{
    for (;;) {
        uint64_t word;
        memcpy(&word, p, sizeof word);
        if (special_in_word(word)) {
            for (int i = 0; i < 8; i++)
                if (is_special((unsigned char)p[i]))
                    return p + i;
        }
        p += 8;
    }
}

static inline const char *space_end_portable(const char *p)
{
    while (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')
        p++;
    return p;
}

/* The first byte from p on that is not plain text of a JSON string: a quote, a
 * backslash, a control character or a byte of a non-ASCII character. */
static inline const char *plain_end(const char *p)
{
#if defined(__SSE2__)
    const __m128i quote = _mm_set1_epi8('"'), slash = _mm_set1_epi8('\\');
    const __m128i space = _mm_set1_epi8(0x20);
    for (;;) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
        /* As signed bytes, both control characters and those above 0x7f are
         * below a space. */
        __m128i hit = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(v, slash)),
                                   _mm_cmplt_epi8(v, space));
        unsigned mask = (unsigned)_mm_movemask_epi8(hit);
        if (mask)
            return p + __builtin_ctz(mask);
        p += 16;
    }
#elif defined(__ARM_NEON) && defined(__aarch64__)
    const uint8x16_t quote = vdupq_n_u8('"'), slash = vdupq_n_u8('\\');
    const int8x16_t space = vdupq_n_s8(0x20);
    for (;;) {
        uint8x16_t v = vld1q_u8((const uint8_t *)p);
        uint8x16_t hit = vorrq_u8(vorrq_u8(vceqq_u8(v, quote), vceqq_u8(v, slash)),
                                  vcltq_s8(vreinterpretq_s8_u8(v), space));
        /* Four bits of the result for each byte. */
        uint64_t mask =
            vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(vreinterpretq_u16_u8(hit), 4)), 0);
        if (mask)
            return p + (__builtin_ctzll(mask) >> 2);
        p += 16;
    }
#else
    return plain_end_portable(p);
#endif
}

static inline const char *digits_end_portable(const char *p)
{
    while ((unsigned char)(*p - '0') < 10)
        p++;
    return p;
}

/* The first byte from p on that is no digit. */
static inline const char *digits_end(const char *p)
{
#if defined(__SSE2__)
    const __m128i low = _mm_set1_epi8('0' - 1), high = _mm_set1_epi8('9' + 1);
    for (;;) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
        __m128i digit = _mm_and_si128(_mm_cmpgt_epi8(v, low), _mm_cmplt_epi8(v, high));
        unsigned mask = ~(unsigned)_mm_movemask_epi8(digit) & 0xffff;
        if (mask)
            return p + __builtin_ctz(mask);
        p += 16;
    }
#else
    return digits_end_portable(p);
#endif
}

/* The first byte from p on that is not JSON white space. */
static inline const char *space_end(const char *p)
{
    if ((unsigned char)*p > ' ')
        return p;
#if defined(__SSE2__)
    const __m128i space = _mm_set1_epi8(' '), feed = _mm_set1_epi8('\n');
    const __m128i back = _mm_set1_epi8('\r'), tab = _mm_set1_epi8('\t');
    for (;;) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
        __m128i white =
            _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(v, space), _mm_cmpeq_epi8(v, feed)),
                         _mm_or_si128(_mm_cmpeq_epi8(v, back), _mm_cmpeq_epi8(v, tab)));
        unsigned mask = ~(unsigned)_mm_movemask_epi8(white) & 0xffff;
        if (mask)
            return p + __builtin_ctz(mask);
        p += 16;
    }
#else
    return space_end_portable(p);
#endif
}

/* True if the bytes at p are those at `bytes`: `mask` has a bit for each of its
 * `len` bytes, at most 32. */
static inline int same_bytes(const char *p, const char *bytes, uint32_t mask, size_t len)
{
#if defined(__SSE2__)
    const __m128i *a = (const __m128i *)(const void *)p, *b = (const __m128i *)(const void *)bytes;
    __m128i low = _mm_cmpeq_epi8(_mm_loadu_si128(a), _mm_loadu_si128(b));
    __m128i high = _mm_cmpeq_epi8(_mm_loadu_si128(a + 1), _mm_loadu_si128(b + 1));
    uint32_t same = (uint32_t)_mm_movemask_epi8(low) | (uint32_t)_mm_movemask_epi8(high) << 16;
    (void)len;
    return (same & mask) == mask;
#else
    (void)mask;
    return memcmp(p, bytes, len) == 0;
#endif
}

/* The end of a number in one of its usual forms (digits, perhaps with a sign or
 * one point among them, of less than 16 bytes), or NULL: then it must be looked at
 * byte by byte. */
static inline const char *short_number_end(const char *p)
{
#if defined(__SSE2__)
    __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
    __m128i digit = _mm_and_si128(_mm_cmpgt_epi8(v, _mm_set1_epi8('0' - 1)),
                                  _mm_cmplt_epi8(v, _mm_set1_epi8('9' + 1)));
    __m128i point = _mm_cmpeq_epi8(v, _mm_set1_epi8('.'));
    unsigned digits = (unsigned)_mm_movemask_epi8(digit);
    unsigned points = (unsigned)_mm_movemask_epi8(point);
    unsigned skip = *p == '-'; /* the digits begin here */
    unsigned used = (digits | points) >> skip;
    unsigned len = (unsigned)__builtin_ctz(~used);
    points = points >> skip & ((1u << len) - 1);
    /* No more than one point, digits on both sides, no leading zero. */
    if (len == 0 || len + skip >= 16 || (points & (points - 1)) || (points & 1) ||
        points >> (len - 1) || (p[skip] == '0' && len > 1 && p[skip + 1] != '.'))
        return NULL;
    return p + skip + len;
#else
    (void)p;
    return NULL;
#endif
}

#endif
