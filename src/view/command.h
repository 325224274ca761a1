/*
 * The one table of commands: it drives the keys, the help screen, the `:` prompt,
 * scripts and the man page's list of keys.
 */
#ifndef SPYTOP_VIEW_COMMAND_H
#define SPYTOP_VIEW_COMMAND_H

#include "view/view.h"

struct command {
    const char *name;
    const char *keys;      /* names separated by spaces; "" has none */
    const char *arguments; /* as the help shows them: "TIME"; in [] where they may be left out */
    const char *group;     /* of the help screen */
    const char *help;
    /* With the argument that follows the name ("" for none). */
    bool (*run)(struct viewer *v, const char *argument, struct error *err);
};

extern const struct command commands[];
extern const int command_count;

/* The code of a key's name ("Enter", "C-l", "]", "Left"), 0 if there is none. */
uint32_t key_code(const char *name, size_t len);

/* Runs a line "name argument". */
bool command_run(struct viewer *v, const char *line, struct error *err);

#endif
