/*
 * A line that the user types: search, filter, command, file name.
 */
#ifndef SPYTOP_VIEW_PROMPT_H
#define SPYTOP_VIEW_PROMPT_H

#include "draw/grid.h"
#include "view/key.h"

enum prompt_kind {
    PROMPT_NONE,
    PROMPT_SEARCH,
    PROMPT_FILTER,
    PROMPT_COMMAND,
    PROMPT_EXPORT,
    PROMPT_CONFIRM, /* one key */
    PROMPT_KINDS
};

enum { PROMPT_MAX = 1000, PROMPT_HISTORY = 50 };

struct prompt {
    enum prompt_kind kind;
    char text[PROMPT_MAX + 1]; /* UTF-8 */
    size_t len, cursor;        /* in bytes, at a character boundary */
    char *history[PROMPT_KINDS][PROMPT_HISTORY];
    int history_count[PROMPT_KINDS];
    int history_at; /* the entry shown, history_count: what was typed */
    char typed[PROMPT_MAX + 1];
};

enum prompt_result { PROMPT_EDITED, PROMPT_DONE, PROMPT_CANCELLED, PROMPT_IGNORED };

void prompt_open(struct prompt *p, enum prompt_kind kind, const char *text);
void prompt_close(struct prompt *p, bool keep); /* `keep`: it goes to the history */
void prompt_free(struct prompt *p);

/* The usual line keys: arrows, Home End Ctrl-A Ctrl-E, Backspace Delete Ctrl-H Ctrl-D,
 * Ctrl-W Ctrl-U Ctrl-K, Up and Down for the history; Enter, Esc, Ctrl-C, Ctrl-G. */
enum prompt_result prompt_key(struct prompt *p, uint32_t key);

/* Draws the prompt in a line and puts the grid's cursor into it. */
void prompt_draw(const struct prompt *p, struct grid *g, int y, const char *label);

#endif
