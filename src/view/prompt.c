#include "view/prompt.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"

static void set_text(struct prompt *p, const char *text)
{
    size_t len = strlen(text);
    if (len > PROMPT_MAX)
        len = PROMPT_MAX;
    memcpy(p->text, text, len);
    p->text[len] = '\0';
    p->len = p->cursor = len;
}

void prompt_open(struct prompt *p, enum prompt_kind kind, const char *text)
{
    p->kind = kind;
    p->history_at = p->history_count[kind];
    set_text(p, text);
}

void prompt_close(struct prompt *p, bool keep)
{
    char **history = p->history[p->kind];
    int *count = &p->history_count[p->kind];
    bool same = *count > 0 && strcmp(history[*count - 1], p->text) == 0;
    if (keep && p->len > 0 && !same) {
        if (*count == PROMPT_HISTORY) {
            free(history[0]);
            memmove(history, history + 1, (PROMPT_HISTORY - 1) * sizeof *history);
            --*count;
        }
        history[(*count)++] = xstrdup(p->text);
    }
    p->kind = PROMPT_NONE;
}

void prompt_free(struct prompt *p)
{
    for (int kind = 0; kind < PROMPT_KINDS; kind++)
        for (int i = 0; i < p->history_count[kind]; i++)
            free(p->history[kind][i]);
}

static bool continues(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

static size_t before(const struct prompt *p, size_t at)
{
    while (at > 0)
        if (!continues(p->text[--at]))
            break;
    return at;
}

static size_t after(const struct prompt *p, size_t at)
{
    if (at < p->len)
        at++;
    while (at < p->len && continues(p->text[at]))
        at++;
    return at;
}

static void erase(struct prompt *p, size_t from, size_t to)
{
    memmove(p->text + from, p->text + to, p->len - to + 1);
    p->len -= to - from;
    p->cursor = from;
}

static size_t word_start(const struct prompt *p)
{
    size_t at = p->cursor;
    while (at > 0 && p->text[at - 1] == ' ')
        at--;
    while (at > 0 && p->text[at - 1] != ' ')
        at--;
    return at;
}

static void insert(struct prompt *p, uint32_t code)
{
    char bytes[4];
    size_t n = (size_t)utf8_encode(code, bytes);
    if (p->len + n > PROMPT_MAX)
        return;
    memmove(p->text + p->cursor + n, p->text + p->cursor, p->len - p->cursor + 1);
    memcpy(p->text + p->cursor, bytes, n);
    p->len += n;
    p->cursor += n;
}

static void walk_history(struct prompt *p, int step)
{
    int count = p->history_count[p->kind], at = p->history_at + step;
    if (at < 0 || at > count)
        return;
    if (p->history_at == count)
        memcpy(p->typed, p->text, sizeof p->typed);
    p->history_at = at;
    set_text(p, at == count ? p->typed : p->history[p->kind][at]);
}

enum {
    CTRL_A = 1,
    CTRL_B,
    CTRL_C,
    CTRL_D,
    CTRL_E,
    CTRL_F,
    CTRL_G,
    CTRL_H,
    CTRL_K = 11,
    CTRL_N = 14,
    CTRL_P = 16,
    CTRL_U = 21,
    CTRL_W = 23
};

static enum prompt_result move_key(struct prompt *p, uint32_t key)
{
    switch (key) {
    case KEY_CODE_LEFT:
    case CTRL_B:
        p->cursor = before(p, p->cursor);
        break;
    case KEY_CODE_RIGHT:
    case CTRL_F:
        p->cursor = after(p, p->cursor);
        break;
    case KEY_CODE_HOME:
    case CTRL_A:
        p->cursor = 0;
        break;
    case KEY_CODE_END:
    case CTRL_E:
        p->cursor = p->len;
        break;
    case KEY_CODE_UP:
    case CTRL_P:
        walk_history(p, -1);
        break;
    case KEY_CODE_DOWN:
    case CTRL_N:
        walk_history(p, 1);
        break;
    default:
        return PROMPT_IGNORED;
    }
    return PROMPT_EDITED;
}

enum prompt_result prompt_key(struct prompt *p, uint32_t key)
{
    switch (key) {
    case KEY_CODE_ENTER:
    case '\n':
        return PROMPT_DONE;
    case KEY_CODE_ESCAPE:
    case CTRL_C:
    case CTRL_G:
        return PROMPT_CANCELLED;
    case KEY_CODE_BACKSPACE:
    case CTRL_H:
        if (p->len == 0)
            return PROMPT_CANCELLED; /* as in less and vim */
        erase(p, before(p, p->cursor), p->cursor);
        return PROMPT_EDITED;
    case KEY_CODE_DELETE:
    case CTRL_D:
        erase(p, p->cursor, after(p, p->cursor));
        return PROMPT_EDITED;
    case CTRL_W:
        erase(p, word_start(p), p->cursor);
        return PROMPT_EDITED;
    case CTRL_U:
        erase(p, 0, p->cursor);
        return PROMPT_EDITED;
    case CTRL_K:
        erase(p, p->cursor, p->len);
        return PROMPT_EDITED;
    default:
        if (move_key(p, key) == PROMPT_EDITED)
            return PROMPT_EDITED;
        if (key < 0x20 || (key >= 0x7f && key < 0xa0) || key > 0x10ffff)
            return PROMPT_IGNORED;
        insert(p, key);
        return PROMPT_EDITED;
    }
}

void prompt_draw(const struct prompt *p, struct grid *g, int y, const char *label)
{
    struct style style = {STYLE_PROMPT, 0, 0};
    grid_fill(g, 0, y, g->cols, style);
    int x = grid_text(g, 0, y, g->cols, label, strlen(label), style);
    int room = g->cols - x - 1;
    if (room < 1)
        return;
    /* What does not fit scrolls out on the left. */
    size_t start = 0;
    while (utf8_columns(p->text + start, p->cursor - start) > (size_t)room)
        start = after(p, start);
    grid_text(g, x, y, room, p->text + start, p->len - start, style);
    g->cursor_x = x + (int)utf8_columns(p->text + start, p->cursor - start);
    g->cursor_y = y;
}
