/*
 * TensorBoard log folders: the traces of the newest run in them.
 */
#ifndef SPYTOP_CLI_FOLDER_H
#define SPYTOP_CLI_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* A run: the traces of all its workers, newest run first. */
struct folder_run {
    char **paths;
    size_t path_count, path_capacity;
    int64_t modified_s; /* of its newest file */
};
struct folder {
    struct folder_run *runs;
    size_t run_count, run_capacity;
};

/* Finds *.pt.trace.json[.gz] and *.json[.gz] in the folder (not below). Files named
 * <worker>.<time>.pt.trace.json are of one run if no worker occurs twice in it and
 * their times lie within two minutes. NULL and an error if there are none. */
struct folder *folder_read(const char *path, struct error *err);
void folder_free(struct folder *folder);

#endif
