/*
 * Times and numbers from their digits, never through a double.
 */
#ifndef SPYTOP_SCAN_NUMBER_H
#define SPYTOP_SCAN_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum number_result {
    NUMBER_OK,
    NUMBER_ODD,   /* read, but no valid JSON number ("+1", ".5", "-1.-234", "01") */
    NUMBER_BAD,   /* not a finite number at all */
    NUMBER_RANGE, /* the value does not fit */
};

/* Microseconds as a decimal number with any number of decimals and an optional
 * exponent, to nanoseconds; what is below a nanosecond rounds half away from zero.
 * Kineto writes times just before its base as two signed integers, microseconds
 * and nanoseconds ("-1.-234", "0.-05"): those are -1234 and -5 ns. */
enum number_result number_time_ns(const char *p, size_t len, int64_t *ns);

/* An integer ("12", "-7"; also "12.0" and "1e3" where they are whole). */
enum number_result number_integer(const char *p, size_t len, int64_t *value);

#endif
