#include "base/duration.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    int64_t ns;
} units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};

static uint64_t magnitude(int64_t ns)
{
    return ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
}

int64_t duration_unit(int64_t largest_ns, const char **name)
{
    int i = 3;
    while (i > 0 && magnitude(largest_ns) < (uint64_t)units[i].ns)
        i--;
    if (name)
        *name = units[i].name;
    return units[i].ns;
}

const char *duration_in(char out[DURATION_TEXT], int64_t ns, int64_t divisor, int decimals)
{
    uint64_t value = magnitude(ns), div = (uint64_t)divisor;
    uint64_t whole = value / div, rest = value % div, fraction = 0;
    /* Digit by digit, so that nothing overflows and nothing is rounded twice. */
    for (int i = 0; i < decimals; i++) {
        rest *= 10;
        fraction = fraction * 10 + rest / div;
        rest %= div;
    }
    if (rest * 2 >= div && div > 1) {
        uint64_t limit = 1;
        for (int i = 0; i < decimals; i++)
            limit *= 10;
        if (++fraction == limit) {
            fraction = 0;
            whole++;
        }
    }
    const char *sign = ns < 0 && (whole || fraction) ? "-" : "";
    if (decimals > 0)
        snprintf(out, DURATION_TEXT, "%s%" PRIu64 ".%0*" PRIu64, sign, whole, decimals, fraction);
    else
        snprintf(out, DURATION_TEXT, "%s%" PRIu64, sign, whole);
    return out;
}

const char *duration_text(char out[DURATION_TEXT], int64_t ns)
{
    const char *name;
    int64_t divisor = duration_unit(ns, &name);
    int decimals = divisor == 1 ? 0 : magnitude(ns) / (uint64_t)divisor >= 100 ? 1 : 3;
    duration_in(out, ns, divisor, decimals);
    size_t used = strlen(out);
    snprintf(out + used, DURATION_TEXT - used, " %s", name);
    return out;
}

const char *duration_us(char out[DURATION_TEXT], int64_t ns)
{
    return duration_in(out, ns, 1000, 3);
}

static bool add_digit(uint64_t *value, unsigned digit)
{
    return !__builtin_mul_overflow(*value, 10u, value) &&
           !__builtin_add_overflow(*value, digit, value);
}

bool duration_parse(const char *text, size_t len, int64_t *ns)
{
    const char *p = text, *end = text + len;
    bool negative = false, any = false, half = false;
    uint64_t value = 0;
    int places = 0;
    if (p < end && (*p == '-' || *p == '+'))
        negative = *p++ == '-';
    for (; p < end && *p >= '0' && *p <= '9'; p++, any = true)
        if (!add_digit(&value, (unsigned)(*p - '0')))
            return false;
    const char *fraction = NULL, *fraction_end = NULL;
    if (p < end && *p == '.') {
        fraction = ++p;
        while (p < end && *p >= '0' && *p <= '9')
            p++, any = true;
        fraction_end = p;
    }
    if (!any)
        return false;
    while (p < end && *p == ' ')
        p++;
    int power = 3; /* decimals that are still whole nanoseconds */
    if (p < end) {
        size_t left = (size_t)(end - p);
        int found = -1;
        for (int i = 0; i < 4; i++)
            if (strlen(units[i].name) == left && memcmp(p, units[i].name, left) == 0)
                found = i;
        if (found < 0)
            return false;
        power = found * 3;
    }
    for (; fraction && fraction < fraction_end && places < power; fraction++, places++)
        if (!add_digit(&value, (unsigned)(*fraction - '0')))
            return false;
    if (fraction && fraction < fraction_end)
        half = *fraction >= '5';
    for (; places < power; places++)
        if (!add_digit(&value, 0))
            return false;
    value += half;
    if (value > INT64_MAX)
        return false;
    *ns = negative ? -(int64_t)value : (int64_t)value;
    return true;
}

int64_t ns_add(int64_t a, int64_t b)
{
    int64_t sum;
    if (__builtin_add_overflow(a, b, &sum))
        return b < 0 ? INT64_MIN : INT64_MAX;
    return sum;
}

int64_t ns_sub(int64_t a, int64_t b)
{
    int64_t difference;
    if (__builtin_sub_overflow(a, b, &difference))
        return b < 0 ? INT64_MAX : INT64_MIN;
    return difference;
}
