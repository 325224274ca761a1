#include "scan/number.h"

#include "base/duration.h"

/* A decimal number taken apart. `digits` of the mantissa without the point, as
 * places: value = mantissa * 10^(scale). */
struct decimal {
    bool negative;
    const char *digits; /* first digit, the point may be among them */
    size_t len;
    int64_t point; /* digits before the point */
    int64_t exponent;
    bool odd; /* no valid JSON number */
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* An exponent this large (of either sign) decides the value whatever the digits
 * of any text that fits in memory. */
enum { EXPONENT_LIMIT = 1000000000 };

static const char *read_exponent(const char *p, const char *end, struct decimal *d)
{
    bool negative = false;
    p++;
    if (p < end && (*p == '+' || *p == '-'))
        negative = *p++ == '-';
    if (p == end || !is_digit(*p))
        return NULL;
    int64_t value = 0;
    for (; p < end && is_digit(*p); p++)
        if (value < EXPONENT_LIMIT)
            value = value * 10 + (*p - '0');
    d->exponent = negative ? -value : value;
    return p;
}

static bool take_apart(const char *p, size_t len, struct decimal *d)
{
    const char *end = p + len;
    *d = (struct decimal){0};
    if (p < end && (*p == '-' || *p == '+')) {
        d->negative = *p == '-';
        d->odd = *p == '+';
        p++;
    }
    d->digits = p;
    while (p < end && is_digit(*p))
        p++;
    size_t before = (size_t)(p - d->digits), after = 0;
    if (before == 0 || (before > 1 && d->digits[0] == '0'))
        d->odd = true;
    if (p < end && *p == '.') {
        const char *point = p++;
        while (p < end && is_digit(*p))
            p++;
        after = (size_t)(p - point - 1);
        if (after == 0)
            d->odd = true;
    }
    if (before + after == 0)
        return false;
    d->point = (int64_t)before;
    d->len = (size_t)(p - d->digits);
    if (p < end && (*p == 'e' || *p == 'E')) {
        p = read_exponent(p, end, d);
        if (!p)
            return false;
    }
    return p == end;
}

/* The decimal times 10^shift, rounded half away from zero. False if it does not
 * fit. */
static bool decimal_value(const struct decimal *d, int shift, int64_t *value)
{
    /* Digits before `whole` count, the one after it rounds. */
    int64_t whole = d->point + d->exponent + shift, place = 0;
    uint64_t sum = 0;
    bool round_up = false;
    for (size_t i = 0; i < d->len; i++) {
        char c = d->digits[i];
        if (c == '.')
            continue;
        unsigned digit = (unsigned)(c - '0');
        if (place < whole) {
            if (__builtin_mul_overflow(sum, 10u, &sum) || __builtin_add_overflow(sum, digit, &sum))
                return false;
        } else {
            round_up = place == whole && digit >= 5;
            break;
        }
        place++;
    }
    for (; sum > 0 && place < whole; place++)
        if (__builtin_mul_overflow(sum, 10u, &sum))
            return false;
    if (round_up && __builtin_add_overflow(sum, 1u, &sum))
        return false;
    if (sum > INT64_MAX)
        return false;
    *value = d->negative ? -(int64_t)sum : (int64_t)sum;
    return true;
}

/* "-1.-234" and "0.-05": see the header. */
static bool quotient_and_remainder(const char *p, size_t len, int64_t *ns)
{
    const char *end = p + len;
    int64_t us = 0, rest = 0;
    if (p < end && *p == '-')
        p++;
    if (p == end || !is_digit(*p))
        return false;
    for (; p < end && is_digit(*p); p++)
        if (__builtin_mul_overflow(us, 10, &us) || __builtin_add_overflow(us, *p - '0', &us))
            return false;
    if (end - p < 3 || p[0] != '.' || p[1] != '-' || end - p > 5)
        return false;
    for (p += 2; p < end; p++) {
        if (!is_digit(*p))
            return false;
        rest = rest * 10 + (*p - '0');
    }
    if (__builtin_mul_overflow(us, 1000, &us) || __builtin_add_overflow(us, rest, &us))
        return false;
    *ns = -us;
    return true;
}

/* The usual form, "123456.789" of at most 16 digits before the point: true if it
 * was that. */
static bool plain_time(const char *p, size_t len, int64_t *ns)
{
    size_t i = 0;
    int64_t value = 0;
    bool negative = len > 0 && p[0] == '-';
    if (negative)
        i++;
    size_t first = i;
    while (i < len && i - first <= 16 && is_digit(p[i]))
        value = value * 10 + (p[i++] - '0');
    if (i == first || i - first > 16 || (i - first > 1 && p[first] == '0') ||
        value > INT64_MAX / 1000 - 1)
        return false;
    value *= 1000;
    if (i < len) {
        if (p[i] != '.' || len - i != 4 || !is_digit(p[i + 1]) || !is_digit(p[i + 2]) ||
            !is_digit(p[i + 3]))
            return false;
        value += (p[i + 1] - '0') * 100 + (p[i + 2] - '0') * 10 + (p[i + 3] - '0');
    }
    *ns = negative ? -value : value;
    return true;
}

enum number_result number_time_ns(const char *p, size_t len, int64_t *ns)
{
    struct decimal d;
    if (plain_time(p, len, ns))
        return NUMBER_OK;
    if (!take_apart(p, len, &d))
        return quotient_and_remainder(p, len, ns) ? NUMBER_ODD : NUMBER_BAD;
    if (!decimal_value(&d, 3, ns))
        return NUMBER_RANGE;
    return d.odd ? NUMBER_ODD : NUMBER_OK;
}

enum number_result number_integer(const char *p, size_t len, int64_t *value)
{
    struct decimal d;
    if (!take_apart(p, len, &d))
        return NUMBER_BAD;
    if (!decimal_value(&d, 0, value))
        return NUMBER_RANGE;
    return d.odd ? NUMBER_ODD : NUMBER_OK;
}
