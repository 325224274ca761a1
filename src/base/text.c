#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static void reserve(struct text *t, size_t more)
{
    t->data = array_reserve(t->data, &t->capacity, t->len + more + 1, 1);
}

void text_add(struct text *t, const void *bytes, size_t len)
{
    reserve(t, len);
    if (len)
        memcpy(t->data + t->len, bytes, len);
    t->len += len;
    t->data[t->len] = '\0';
}

void text_puts(struct text *t, const char *s)
{
    text_add(t, s, strlen(s));
}

void text_putc(struct text *t, char c)
{
    text_add(t, &c, 1);
}

void text_printf(struct text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int need = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (need <= 0)
        return;
    reserve(t, (size_t)need);
    va_start(args, format);
    vsnprintf(t->data + t->len, (size_t)need + 1, format, args);
    va_end(args);
    t->len += (size_t)need;
}

void text_clear(struct text *t)
{
    t->len = 0;
    if (t->data)
        t->data[0] = '\0';
}

void text_free(struct text *t)
{
    free(t->data);
    *t = (struct text){0};
}
