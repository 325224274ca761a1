#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/utf8.h"

bool error_set(struct error *err, enum error_kind kind, const char *format, ...)
{
    if (!err || err->kind != ERROR_NONE)
        return false;
    char raw[sizeof err->message];
    va_list args;
    va_start(args, format);
    vsnprintf(raw, sizeof raw, format, args);
    va_end(args);
    utf8_make_safe(err->message, sizeof err->message, raw, UTF8_NUL_TERMINATED);
    err->kind = kind;
    return false;
}

void error_clear(struct error *err)
{
    err->kind = ERROR_NONE;
    err->message[0] = '\0';
}
