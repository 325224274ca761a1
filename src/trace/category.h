/*
 * Categories: what the words in the file mean.
 */
#ifndef SPYTOP_TRACE_CATEGORY_H
#define SPYTOP_TRACE_CATEGORY_H

#include "trace/builder.h"

/* The id of a category of the trace being built, added if new. */
uint32_t category_add(struct builder *b, const char *text, size_t len);

#endif
