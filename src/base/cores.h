/*
 * How many threads are worth while.
 */
#ifndef SPYTOP_BASE_CORES_H
#define SPYTOP_BASE_CORES_H

/* The cores this process may use (its affinity, where the system tells it), at
 * least 1. */
unsigned cores_usable(void);

#endif
