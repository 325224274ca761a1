/*
 * Full-screen lists over the timeline: help, warnings, categories.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "view/command.h"

/* What is no command: behind those of the table. */
static const struct {
    const char *what, *does;
} more_help[] = {
    {"Mouse", NULL},
    {"click", "select the slice, the row, the table; sort by a head; go there in the overview"},
    {"double click", "zoom to the slice; go to what the line of a table means"},
    {"drag", "a range"},
    {"wheel", "rows; with Ctrl zoom, with Shift pan"},
    {"While typing", NULL},
    {"Enter Esc", "done; leave everything as it was"},
    {"Left Right", "by a character; Home End C-a C-e to the ends"},
    {"Backspace Delete", "a character; C-w a word, C-u to the start, C-k to the end"},
    {"Up Down", "what was typed before"},
};
enum { MORE_HELP = sizeof more_help / sizeof *more_help };

static int help_lines(void)
{
    int lines = 0;
    for (int i = 0; i < command_count; i++)
        lines += 1 + (i == 0 || strcmp(commands[i].group, commands[i - 1].group) != 0 ? 2 : 0);
    for (int i = 0; i < MORE_HELP; i++)
        lines += more_help[i].does ? 1 : 2;
    return lines;
}

static int warning_lines(const struct viewer *v)
{
    int lines = 0;
    for (int kind = 0; kind < DAMAGE_KIND_COUNT; kind++)
        lines += v->t->damage.counts[kind] > 0;
    return lines + (int)v->t->damage.place_count;
}

static int overlay_lines(const struct viewer *v)
{
    switch (v->overlay) {
    case OVERLAY_HELP:
        return help_lines();
    case OVERLAY_WARNINGS:
        return warning_lines(v);
    case OVERLAY_CATEGORIES:
        return (int)v->t->category_count;
    case OVERLAY_NONE:
        break;
    }
    return 0;
}

static int body_height(const struct viewer *v)
{
    return v->rows - 3;
}

static void toggle_category(struct viewer *v)
{
    uint32_t category = (uint32_t)v->overlay_cursor;
    if (category >= v->t->category_count)
        return;
    if (!v->categories_off)
        v->categories_off = xcalloc((size_t)v->t->category_count + 1, sizeof *v->categories_off);
    v->categories_off[category] = !v->categories_off[category];
    search_visible_changed(v);
    view_changed(v);
}

static void move(struct viewer *v, int lines)
{
    int last = overlay_lines(v) - 1;
    if (v->overlay == OVERLAY_CATEGORIES) {
        int at = v->overlay_cursor + lines;
        v->overlay_cursor = at > last ? last : at;
        if (v->overlay_cursor < 0)
            v->overlay_cursor = 0;
        if (v->overlay_cursor < v->overlay_top)
            v->overlay_top = v->overlay_cursor;
        if (v->overlay_cursor >= v->overlay_top + body_height(v))
            v->overlay_top = v->overlay_cursor - body_height(v) + 1;
        return;
    }
    int top = v->overlay_top + lines, most = last + 1 - body_height(v);
    if (top > most)
        top = most;
    v->overlay_top = top < 0 ? 0 : top;
}

bool overlay_key(struct viewer *v, uint32_t key)
{
    switch (key) {
    case 'q':
    case KEY_CODE_ESCAPE:
    case '?':
    case KEY_CODE_F1:
        v->overlay = OVERLAY_NONE;
        break;
    case 'j':
    case KEY_CODE_DOWN:
        move(v, 1);
        break;
    case 'k':
    case KEY_CODE_UP:
        move(v, -1);
        break;
    case KEY_CODE_PAGE_DOWN:
        move(v, body_height(v));
        break;
    case KEY_CODE_PAGE_UP:
        move(v, -body_height(v));
        break;
    case 'g':
    case KEY_CODE_HOME:
        move(v, -1000000);
        break;
    case 'G':
    case KEY_CODE_END:
        move(v, 1000000);
        break;
    case ' ':
    case KEY_CODE_ENTER:
        if (v->overlay == OVERLAY_CATEGORIES)
            toggle_category(v);
        else
            move(v, body_height(v));
        break;
    case 12: /* Ctrl-L */
        v->wish = VIEWER_REDRAW;
        break;
    case 26: /* Ctrl-Z */
        v->wish = VIEWER_SUSPEND;
        break;
    default:
        return false;
    }
    return true;
}

static const struct style plain = {STYLE_NORMAL, 0, 0}, heading = {STYLE_HEADING, 0, 0},
                          key_style = {STYLE_KEY, 0, CELL_BOLD};

/* A line of the help, if it is on the screen. */
static void help_line(struct viewer *v, struct grid *g, int y0, int line, int height,
                      const char *key, const char *name, const char *help)
{
    enum { KEY_X = 4, HELP_X = 24, NAME_WIDTH = 26 };
    if (line < 0 || line >= height)
        return;
    int y = y0 + line, x = HELP_X;
    grid_printf(g, KEY_X, y, HELP_X - KEY_X - 1, key_style, "%s", key);
    if (v->cols >= 100) {
        grid_printf(g, x, y, NAME_WIDTH - 1, (struct style){STYLE_DIM, 0, 0}, "%s", name);
        x += NAME_WIDTH;
    }
    grid_printf(g, x, y, v->cols - x, plain, "%s", help);
}

static void help_head(struct viewer *v, struct grid *g, int y0, int line, int height,
                      const char *text)
{
    if (line >= 0 && line < height)
        grid_printf(g, 2, y0 + line, v->cols - 2, heading, "%s", text);
}

static void draw_help(struct viewer *v, struct grid *g, int y0, int height)
{
    int line = -v->overlay_top;
    for (int i = 0; i < command_count; i++) {
        const struct command *c = &commands[i];
        char name[64], typed[64];
        if (i == 0 || strcmp(c->group, commands[i - 1].group) != 0) {
            help_head(v, g, y0, line + 1, height, c->group);
            line += 2;
        }
        snprintf(name, sizeof name, ":%s %s", c->name, c->arguments);
        snprintf(typed, sizeof typed, ":%s", c->name);
        help_line(v, g, y0, line++, height, *c->keys ? c->keys : typed, name, c->help);
    }
    for (int i = 0; i < MORE_HELP; i++) {
        if (!more_help[i].does)
            help_head(v, g, y0, ++line, height, more_help[i].what);
        else
            help_line(v, g, y0, line, height, more_help[i].what, "", more_help[i].does);
        line++;
    }
}

static void draw_place(struct viewer *v, struct grid *g, int y, const struct damage_place *p)
{
    int x = 4;
    if (v->t->file_count > 1 && p->file < v->t->file_count) {
        const char *path = v->t->files[p->file].path;
        x += grid_text_middle(g, x, y, v->cols / 3, path, strlen(path), plain) + 1;
    }
    grid_printf(g, x, y, v->cols - x, plain, "line %" PRIu64 ", column %" PRIu64 ", byte %" PRIu64,
                p->line, p->column, p->byte);
}

static void draw_warnings(struct viewer *v, struct grid *g, int y0, int height)
{
    const struct damage *d = &v->t->damage;
    int line = -v->overlay_top;
    for (int kind = 0; kind < DAMAGE_KIND_COUNT; kind++) {
        if (d->counts[kind] == 0)
            continue;
        if (line >= 0 && line < height)
            grid_printf(g, 2, y0 + line, v->cols - 2, (struct style){STYLE_WARNING, 0, 0},
                        "%s: %s, %" PRIu64 " time%s", damage_name((enum damage_kind)kind),
                        damage_text((enum damage_kind)kind), d->counts[kind],
                        d->counts[kind] == 1 ? "" : "s");
        line++;
        for (size_t i = 0; i < d->place_count; i++) {
            const struct damage_place *p = &d->places[i];
            if ((int)p->kind != kind)
                continue;
            if (line >= 0 && line < height && p->byte != DAMAGE_NO_PLACE)
                draw_place(v, g, y0 + line, p);
            line++;
        }
    }
    if (warning_lines(v) == 0 && v->overlay_top == 0)
        grid_printf(g, 2, y0, v->cols - 2, plain, "nothing is wrong with this trace");
}

static void draw_categories(struct viewer *v, struct grid *g, int y0, int height)
{
    for (int i = 0; i < height; i++) {
        uint32_t c = (uint32_t)(v->overlay_top + i);
        if (c >= v->t->category_count)
            break;
        bool off = v->categories_off && v->categories_off[c];
        struct style st = plain;
        if ((int)c == v->overlay_cursor)
            st.role = STYLE_ROW_SELECTED;
        grid_fill(g, 0, y0 + i, v->cols, st);
        size_t len;
        const char *name = intern_text(v->t->names, v->t->categories[c].text, &len);
        grid_printf(g, 2, y0 + i, 4, st, "[%c]", off ? ' ' : 'x');
        grid_printf(g, 7, y0 + i, 12, st, "%10" PRIu64, v->t->category_events[c]);
        if (len == 0)
            grid_printf(g, 19, y0 + i, v->cols - 19, st, "(none)");
        else
            grid_text_middle(g, 19, y0 + i, v->cols - 19, name, len, st);
    }
}

void overlay_draw(struct viewer *v, struct grid *g)
{
    static const char *const titles[] = {"", "Keys", "Warnings",
                                         "Categories (Space switches one off and on)"};
    int y0 = 2, height = body_height(v);
    grid_printf(g, 1, 1, v->cols - 1, heading, "%s", titles[v->overlay]);
    if (v->overlay == OVERLAY_HELP)
        draw_help(v, g, y0, height);
    else if (v->overlay == OVERLAY_WARNINGS)
        draw_warnings(v, g, y0, height);
    else
        draw_categories(v, g, y0, height);
    int lines = overlay_lines(v), shown = v->overlay_top + height;
    grid_printf(g, 1, v->rows - 1, v->cols - 1, (struct style){STYLE_DIM, 0, 0},
                "%s  j k PgUp PgDn scroll, q leaves", shown < lines ? "more below;" : "end;");
}
