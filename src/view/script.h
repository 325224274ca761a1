/*
 * The viewer's commands from a file, without a terminal: for tests and for pictures.
 */
#ifndef SPYTOP_VIEW_SCRIPT_H
#define SPYTOP_VIEW_SCRIPT_H

#include <stdio.h>

#include "view/viewer.h"

/* Runs a command per line (`#` begins a comment): the viewer's named commands, and
 * `save-screen FILE`, `key K...`, `resize COLSxROWS`, `wait`. Stops at the first that
 * fails: false and an error with the line's number. `name` is the file's, for it. */
bool script_run(struct viewer *v, FILE *in, const char *name, struct error *err);

#endif
