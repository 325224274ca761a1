/*
 * Times as people write and read them. All times are integer nanoseconds.
 */
#ifndef SPYTOP_BASE_DURATION_H
#define SPYTOP_BASE_DURATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes enough for any result of the format calls below. */
enum { DURATION_TEXT = 48 };

/* "1.234 ms": four significant digits at least, in the unit (ns, us, ms, s)
 * that leaves 1 to 999 before the point ("0 ns" for 0; seconds are not turned
 * into minutes). Returns `out`. */
const char *duration_text(char out[DURATION_TEXT], int64_t ns);

/* Units for a whole column: the divisor (1, 1000, 1000000, 1000000000) that
 * suits the largest value, and its name. */
int64_t duration_unit(int64_t largest_ns, const char **name);

/* `ns` in the given divisor with `decimals` places (0 to 9), rounded half away
 * from zero, no unit: duration_in(out, 1234567, 1000000, 3) is "1.235". */
const char *duration_in(char out[DURATION_TEXT], int64_t ns, int64_t divisor, int decimals);

/* Microseconds with exactly three decimals, as `ts` is written in traces:
 * "1707279511678052.000". Exact for any int64_t. */
const char *duration_us(char out[DURATION_TEXT], int64_t ns);

/* Reads NUMBER[ns|us|ms|s] (no unit: microseconds; spaces before the unit are
 * allowed; sign and decimals allowed; more than ns precision rounds half away
 * from zero). The whole of text[len] must be consumed. False if it is no such
 * number or does not fit. */
bool duration_parse(const char *text, size_t len, int64_t *ns);

/* a + b and a - b, held at the ends of the range instead of overflowing. */
int64_t ns_add(int64_t a, int64_t b);
int64_t ns_sub(int64_t a, int64_t b);

#endif
