#include "draw/scale.h"

/* Held far within the range of int64_t: a slice of centuries, seen from a window of
 * nanoseconds, ends far away, and callers subtract columns from that. */
static int64_t floor_div(__int128 a, __int128 b)
{
    const __int128 far = (__int128)1 << 62;
    __int128 q = a / b;
    if (a % b != 0 && (a < 0) != (b < 0))
        q--;
    return (int64_t)(q > far ? far : q < -far ? -far : q);
}

int64_t scale_time(const struct scale *s, int column)
{
    __int128 span = (__int128)s->to_ns - s->from_ns;
    /* Rounded up: the first nanosecond that scale_column() puts there. */
    __int128 up = (span * column + s->cols - 1) / s->cols;
    return (int64_t)(s->from_ns + up);
}

int64_t scale_eighths(const struct scale *s, int64_t at_ns)
{
    __int128 span = (__int128)s->to_ns - s->from_ns;
    return floor_div(((__int128)at_ns - s->from_ns) * s->cols * 8, span);
}

int64_t scale_column(const struct scale *s, int64_t at_ns)
{
    __int128 span = (__int128)s->to_ns - s->from_ns;
    return floor_div(((__int128)at_ns - s->from_ns) * s->cols, span);
}
