/*
 * Strings kept once: bytes in, a small dense number out. Names, categories,
 * track ids. Strings may hold any byte, also NUL.
 */
#ifndef SPYTOP_BASE_INTERN_H
#define SPYTOP_BASE_INTERN_H

#include <stddef.h>
#include <stdint.h>

struct intern;

/* A new table holding the empty string as id 0. Release with intern_free(). */
struct intern *intern_new(void);
void intern_free(struct intern *table);

/* The id of these bytes, added if new. Ids count up from 0 in order of first
 * appearance. The bytes are copied. */
uint32_t intern_add(struct intern *table, const char *bytes, size_t len);

/* The id of these bytes, or UINT32_MAX where they were never added. */
uint32_t intern_find(const struct intern *table, const char *bytes, size_t len);

/* The bytes of an id, NUL-terminated (they may hold NULs of their own: use
 * *len, which may be NULL). Valid as long as the table. */
const char *intern_text(const struct intern *table, uint32_t id, size_t *len);

/* Number of strings; memory held, in bytes. */
uint32_t intern_count(const struct intern *table);
size_t intern_bytes(const struct intern *table);

#endif
