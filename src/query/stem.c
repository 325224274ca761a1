/*
 * Names without what differs between instances.
 */
#include <string.h>

#include "query/summary.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The length without a trailing separator and number, or `len` itself. */
static size_t without_number(const char *name, size_t len, char separator)
{
    size_t end = len;
    while (end > 0 && is_digit(name[end - 1]))
        end--;
    return end < len && end > 1 && name[end - 1] == separator ? end - 1 : len;
}

/* The length without "_" and the 16-character key (a-z, 2-7) of a Spyre kernel. */
static size_t without_key(const char *name, size_t len)
{
    static const char prefix[] = "spyre_kernel_v1_";
    enum { KEY = 16 };
    if (len < sizeof prefix - 1 + KEY || memcmp(name, prefix, sizeof prefix - 1) != 0 ||
        name[len - KEY - 1] != '_')
        return len;
    for (size_t i = len - KEY; i < len; i++)
        if (!((name[i] >= 'a' && name[i] <= 'z') || (name[i] >= '2' && name[i] <= '7')))
            return len;
    return len - KEY - 1;
}

size_t name_stem(const char *name, size_t len)
{
    len = without_number(name, len, '#');
    size_t keyless = without_key(name, len);
    return keyless < len ? keyless : without_number(name, len, '_');
}
