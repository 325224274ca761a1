/*
 * Everything that needs no terminal: reports, exports, scripts.
 */
#ifndef SPYTOP_CLI_RUN_H
#define SPYTOP_CLI_RUN_H

#include "cli/options.h"

enum { STATUS_DONE = 0, STATUS_FAILED = 1, STATUS_USAGE = 2 };

/* Runs what the options ask for, with warnings and errors on standard error; returns
 * the exit status. `paths` are the traces to open. `stop` is set (by a signal) when
 * the load is to end. */
int run_headless(const struct options *options, const char *const *paths, int path_count,
                 const volatile int *stop);

/* "spytop: MESSAGE" on standard error, then for wrong usage a hint to --help; returns
 * the status. */
int run_failed(const struct error *err);

/* The traces of the options: of --demo the sample's path, else as given, folders by
 * the traces in them. NULL and an error if there are none; release with paths_free(). */
char **run_paths(const struct options *options, int *count, struct error *err);
void paths_free(char **paths, int count);

/* One line a kind of damage, with count and place. Returns true if there was any that
 * --strict takes for an error. */
bool run_warn(struct trace *t, bool quiet);

#endif
