/*
 * Lists of slices of a selection.
 */
#ifndef SPYTOP_QUERY_SLICES_H
#define SPYTOP_QUERY_SLICES_H

#include "query/select.h"

enum slice_sort { SLICES_BY_START, SLICES_BY_DUR };

/* The slices of the selection, by start (ties: longer first, track order, index)
 * or longest first; at most `top` (0: all). Release *slices with free(). Returns
 * their number. */
uint32_t slices_list(const struct trace *t, const struct index *ix, const struct selection *sel,
                     enum slice_sort sort, uint32_t top, uint32_t **slices);

#endif
