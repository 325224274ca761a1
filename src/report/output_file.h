/*
 * A file that is complete or not there: written beside its place and renamed into
 * it.
 */
#ifndef SPYTOP_REPORT_OUTPUT_FILE_H
#define SPYTOP_REPORT_OUTPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct output_file;

/* Begins to write `path` ("-": standard output; devices and pipes are written as
 * they are), packed by gzip if asked for. An existing file is an error unless
 * `replace`. NULL and an error on failure. */
struct output_file *output_open(const char *path, bool replace, bool gzip, struct error *err);

/* Writes; after a failure further calls do nothing and output_close() fails. */
void output_write(struct output_file *out, const void *bytes, size_t len);

/* True once a write failed: no use going on. */
bool output_failed(const struct output_file *out);

/* Bytes given to output_write(). */
uint64_t output_bytes(const struct output_file *out);

/* Completes the file and puts it in its place; false and an error if that or any
 * write failed: then there is nothing new at the path. Releases `out`. */
bool output_close(struct output_file *out, struct error *err);

/* Gives up: nothing is left at the path. Releases `out`. */
void output_cancel(struct output_file *out);

#endif
