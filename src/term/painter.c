#include "term/painter.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include <curses.h>
#include <term.h>

#include "base/memory.h"
#include "view/key.h"

/* curses keeps its state in globals of its own; this is what has to be known beside
 * it. There is one terminal. */
static struct {
    SCREEN *screen;
    FILE *in;
    bool utf8, mono, mouse;
    struct cell *shown; /* what the screen holds */
    int cols, rows;
    short pair_of[COLOR_COUNT], edge_of[COLOR_COUNT], role_pair[STYLE_ROLE_COUNT];
} p;

struct painter_restore painter_restore;

static int append_byte(int c)
{
    if (painter_restore.len < sizeof painter_restore.bytes)
        painter_restore.bytes[painter_restore.len++] = (char)c;
    return c;
}

static void append_capability(const char *name)
{
    char *value = tigetstr((char *)(uintptr_t)name);
    if (value && value != (char *)-1)
        tputs(value, 1, append_byte);
}

static void prepare_restore(void)
{
    painter_restore.len = 0;
    append_capability("sgr0");
    append_capability("rmkx");
    append_capability("cnorm");
    append_capability("rmcup");
    /* The mouse modes that ncurses turns on. */
    for (const char *c = p.mouse ? "\033[?1002l\033[?1006l\033[?1000l" : ""; *c; c++)
        append_byte(*c);
}

/* Colours by the number of colours: 256, 16 or 8. */
struct palette {
    short many, few;
};
static const struct palette bar_palette[COLOR_COUNT] = {
    [COLOR_NONE] = {240, COLOR_BLACK},
    [COLOR_ANNOTATION] = {97, COLOR_MAGENTA},
    [COLOR_OP] = {31, COLOR_BLUE},
    [COLOR_RUNTIME] = {136, COLOR_YELLOW},
    [COLOR_DRIVER] = {130, COLOR_YELLOW},
    [COLOR_KERNEL] = {71, COLOR_GREEN},
    [COLOR_COPY] = {167, COLOR_RED},
    [COLOR_MEMSET] = {132, COLOR_RED},
    [COLOR_PYTHON] = {67, COLOR_CYAN},
    [COLOR_WRAPPER] = {102, COLOR_WHITE},
    [COLOR_OTHER] = {109, COLOR_CYAN},
    [COLOR_BY_NAME_0] = {31, COLOR_BLUE},
    [COLOR_BY_NAME_0 + 1] = {71, COLOR_GREEN},
    [COLOR_BY_NAME_0 + 2] = {136, COLOR_YELLOW},
    [COLOR_BY_NAME_0 + 3] = {97, COLOR_MAGENTA},
    [COLOR_BY_NAME_0 + 4] = {167, COLOR_RED},
    [COLOR_BY_NAME_0 + 5] = {67, COLOR_CYAN},
    [COLOR_BY_NAME_0 + 6] = {102, COLOR_WHITE},
    [COLOR_BY_NAME_0 + 7] = {65, COLOR_GREEN},
};

static void start_colors(void)
{
    short pair = 1;
    if (p.mono || !has_colors() || start_color() == ERR) {
        p.mono = true;
        return;
    }
    short background = use_default_colors() == OK ? -1 : COLOR_BLACK;
    bool many = COLORS >= 256;
    for (int i = 0; i < COLOR_COUNT; i++) {
        short color = many ? bar_palette[i].many : bar_palette[i].few;
        short text = many                                          ? 231
                     : color == COLOR_BLACK || color == COLOR_BLUE ? COLOR_WHITE
                                                                   : COLOR_BLACK;
        init_pair(pair, text, color);
        p.pair_of[i] = pair++;
        init_pair(pair, color == COLOR_BLACK ? COLOR_WHITE : color, background);
        p.edge_of[i] = pair++;
    }
    static const struct {
        enum style_role role;
        struct palette color;
    } roles[] = {
        {STYLE_TITLE, {74, COLOR_CYAN}},
        {STYLE_STATUS, {-1, -1}},
        {STYLE_AXIS, {244, COLOR_CYAN}},
        {STYLE_PROCESS, {74, COLOR_CYAN}},
        {STYLE_DIM, {244, -1}},
        {STYLE_WARNING, {172, COLOR_YELLOW}},
        {STYLE_ERROR, {167, COLOR_RED}},
        {STYLE_HEADING, {74, COLOR_CYAN}},
        {STYLE_TAB, {244, -1}},
        {STYLE_KEY, {74, COLOR_CYAN}},
        {STYLE_OVERVIEW, {65, COLOR_GREEN}},
        {STYLE_WINDOW_MARK, {71, COLOR_GREEN}},
        {STYLE_CURSOR, {172, COLOR_YELLOW}},
        {STYLE_MARK, {172, COLOR_YELLOW}},
    };
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
        init_pair(pair, many ? roles[i].color.many : roles[i].color.few, background);
        p.role_pair[roles[i].role] = pair++;
    }
}

static bool usable_terminal(struct error *err)
{
    const char *name = getenv("TERM");
    int problem = 0;
    if (!name || !*name)
        return error_set(err, ERROR_USAGE, "TERM is not set; -r prints reports without a terminal");
    if (setupterm(NULL, STDOUT_FILENO, &problem) != OK)
        return error_set(err, ERROR_USAGE,
                         "the terminal type '%.40s' is not known; -r prints reports without one",
                         name);
    char *place = tigetstr((char *)(uintptr_t) "cup");
    if (!place || place == (char *)-1)
        return error_set(err, ERROR_USAGE,
                         "a '%.40s' terminal cannot place its cursor; -r prints reports", name);
    del_curterm(cur_term); /* curses takes one of its own */
    return true;
}

/* Keys and modes once curses has the terminal. */
static void set_modes(void)
{
    raw(); /* Ctrl-C and Ctrl-Z are keys */
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    set_escdelay(25);
    leaveok(stdscr, FALSE);
    curs_set(0);
    if (p.mouse) {
        mousemask(ALL_MOUSE_EVENTS | REPORT_MOUSE_POSITION, NULL);
        mouseinterval(0);
        /* Motion while a button is held. */
        putp("\033[?1002h");
        fflush(stdout);
    }
}

bool painter_open(int key_fd, bool mono, bool mouse, struct error *err)
{
    if (!usable_terminal(err))
        return false;
    p.mono = mono;
    p.mouse = mouse;
    p.utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    p.in = key_fd == STDIN_FILENO ? stdin : fdopen(key_fd, "r");
    if (!p.in)
        return error_set(err, ERROR_IO, "the terminal cannot be read: %s", strerror(errno));
    use_env(TRUE);
    p.screen = newterm(NULL, stdout, p.in);
    if (!p.screen)
        return error_set(err, ERROR_USAGE, "the terminal cannot be used; -r prints reports");
    set_term(p.screen);
    char *mouse_key = tigetstr((char *)(uintptr_t) "kmous");
    p.mouse = mouse && mouse_key && mouse_key != (char *)-1;
    prepare_restore();
    start_colors();
    set_modes();
    return true;
}

void painter_close(void)
{
    if (!p.screen)
        return;
    if (p.mouse)
        putp("\033[?1002l");
    endwin();
    delscreen(p.screen);
    p.screen = NULL;
    free(p.shown);
    p.shown = NULL;
    if (p.in && p.in != stdin)
        fclose(p.in);
}

void painter_size(int *cols, int *rows)
{
    struct winsize size;
    *cols = 80;
    *rows = 24;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0) {
        *cols = size.ws_col;
        *rows = size.ws_row;
    } else if (p.screen) {
        getmaxyx(stdscr, *rows, *cols);
    }
}

void painter_resize(int cols, int rows)
{
    resize_term(rows, cols); /* resizeterm() would put a KEY_RESIZE into the keys */
    /* What terminals do with their content then is their own affair. */
    clearok(curscr, TRUE);
    free(p.shown);
    p.shown = NULL;
}

bool painter_utf8(void)
{
    return p.utf8;
}

bool painter_mono(void)
{
    return p.mono;
}

static attr_t role_attributes(uint8_t role, bool mono)
{
    switch (role) {
    case STYLE_TITLE:
    case STYLE_PROCESS:
    case STYLE_ERROR:
        return A_BOLD;
    case STYLE_HEADING:
        return mono ? A_UNDERLINE : A_BOLD;
    case STYLE_TAB_ACTIVE:
    case STYLE_WARNING:
    case STYLE_CURSOR:
    case STYLE_MARK:
    case STYLE_KEY:
        return mono ? A_BOLD : 0;
    case STYLE_ROW_SELECTED:
        return A_REVERSE;
    case STYLE_WINDOW_MARK:
        return mono ? A_BOLD : 0;
    default:
        return 0;
    }
}

/* How a cell looks: attributes and a colour pair. */
static attr_t look_of(const struct cell *c, short *pair)
{
    attr_t attributes = role_attributes(c->role, p.mono);
    *pair = p.mono ? 0 : p.role_pair[c->role];
    if (c->role == STYLE_BAR) {
        bool edge = c->flags & CELL_EDGE;
        if (!p.mono)
            *pair = edge ? p.edge_of[c->color] : p.pair_of[c->color];
        else if (!edge)
            attributes |= A_REVERSE;
        if (c->flags & CELL_SELECTED)
            attributes |= A_BOLD | A_UNDERLINE | (edge || p.mono ? 0 : A_REVERSE);
        if (c->flags & CELL_MATCH)
            attributes |= A_BOLD | A_UNDERLINE;
    }
    if (c->flags & CELL_BOLD)
        attributes |= A_BOLD;
    if (c->flags & CELL_REVERSE)
        attributes |= A_REVERSE;
    if (c->flags & CELL_UNDERLINE)
        attributes |= A_UNDERLINE;
    if ((c->flags & CELL_DIM) && c->role != STYLE_BAR)
        attributes |= A_DIM;
    return attributes;
}

static void put_cell(int x, int y, const struct cell *c)
{
    short pair;
    attr_t attributes = look_of(c, &pair);
    uint32_t code = c->code;
    /* The grid holds nothing that could be a control character; still nothing of
     * the kind leaves here. */
    if (code < 0x20 || (code >= 0x7f && code < 0xa0) || (code > 0x7e && !p.utf8))
        code = '?';
    wchar_t text[2] = {(wchar_t)code, 0};
    cchar_t cell;
    if (setcchar(&cell, text, attributes, pair, NULL) == OK)
        mvadd_wch(y, x, &cell);
}

static bool same_cell(const struct cell *a, const struct cell *b)
{
    return a->code == b->code && a->role == b->role && a->color == b->color && a->flags == b->flags;
}

void painter_draw(const struct grid *g, bool again)
{
    size_t count = (size_t)g->cols * (size_t)g->rows;
    bool whole = again || !p.shown || p.cols != g->cols || p.rows != g->rows;
    if (whole) {
        free(p.shown);
        p.shown = xcalloc(count + 1, sizeof *p.shown);
        p.cols = g->cols;
        p.rows = g->rows;
        werase(stdscr);
        if (again)
            clearok(stdscr, TRUE);
    }
    for (int y = 0; y < g->rows; y++) {
        for (int x = 0; x < g->cols; x++) {
            size_t i = (size_t)y * (size_t)g->cols + (size_t)x;
            const struct cell *c = &g->cells[i];
            if (c->code == CELL_CONTINUED || (!whole && same_cell(c, &p.shown[i])))
                continue;
            put_cell(x, y, c);
        }
    }
    memcpy(p.shown, g->cells, count * sizeof *p.shown);
    curs_set(g->cursor_x >= 0);
    if (g->cursor_x >= 0)
        move(g->cursor_y, g->cursor_x);
    else
        move(g->rows - 1, 0); /* always the same place: nothing is sent for it */
    refresh();
}

void painter_leave(void)
{
    if (p.mouse)
        putp("\033[?1002l");
    def_prog_mode();
    endwin();
}

void painter_return(void)
{
    reset_prog_mode();
    if (p.mouse)
        putp("\033[?1002h");
    free(p.shown);
    p.shown = NULL;
    clearok(stdscr, TRUE);
    refresh();
}

static long curses_key(int key)
{
    static const struct {
        int curses;
        uint32_t code;
    } keys[] = {
        {KEY_UP, KEY_CODE_UP},
        {KEY_DOWN, KEY_CODE_DOWN},
        {KEY_LEFT, KEY_CODE_LEFT},
        {KEY_RIGHT, KEY_CODE_RIGHT},
        {KEY_PPAGE, KEY_CODE_PAGE_UP},
        {KEY_NPAGE, KEY_CODE_PAGE_DOWN},
        {KEY_HOME, KEY_CODE_HOME},
        {KEY_END, KEY_CODE_END},
        {KEY_A1, KEY_CODE_HOME},
        {KEY_C1, KEY_CODE_END},
        {KEY_FIND, KEY_CODE_HOME},
        {KEY_SELECT, KEY_CODE_END},
        {KEY_IC, KEY_CODE_INSERT},
        {KEY_DC, KEY_CODE_DELETE},
        {KEY_BTAB, KEY_CODE_BACKTAB},
        {KEY_SLEFT, KEY_CODE_SHIFT_LEFT},
        {KEY_SRIGHT, KEY_CODE_SHIFT_RIGHT},
        {KEY_BACKSPACE, KEY_CODE_BACKSPACE},
        {KEY_ENTER, KEY_CODE_ENTER},
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i].curses == key)
            return (long)keys[i].code;
    if (key >= KEY_F(1) && key <= KEY_F(12))
        return KEY_CODE_F1 + (key - KEY_F(1));
    return 0; /* a key that nobody asked for */
}

static long mouse_key(struct mouse_event *event)
{
    MEVENT m;
    if (getmouse(&m) != OK)
        return 0;
    *event = (struct mouse_event){
        .x = m.x,
        .y = m.y,
        .shift = m.bstate & BUTTON_SHIFT,
        .control = m.bstate & BUTTON_CTRL,
    };
    if (m.bstate & BUTTON4_PRESSED)
        event->kind = MOUSE_WHEEL_UP;
#if NCURSES_MOUSE_VERSION > 1
    else if (m.bstate & BUTTON5_PRESSED)
        event->kind = MOUSE_WHEEL_DOWN;
#endif
    else if (m.bstate & (BUTTON1_DOUBLE_CLICKED | BUTTON1_TRIPLE_CLICKED))
        event->kind = MOUSE_DOUBLE;
    else if (m.bstate & BUTTON1_PRESSED)
        event->kind = MOUSE_PRESS;
    else if (m.bstate & (BUTTON1_RELEASED | BUTTON1_CLICKED))
        event->kind = MOUSE_RELEASE;
    else if (m.bstate & REPORT_MOUSE_POSITION)
        event->kind = MOUSE_DRAG;
    else
        return 0;
    return PAINTER_MOUSE;
}

long painter_key(struct mouse_event *event)
{
    wint_t key;
    errno = 0;
    int kind = get_wch(&key);
    if (kind == ERR)
        return PAINTER_NONE;
    if (kind == KEY_CODE_YES) {
        if (key == KEY_MOUSE)
            return mouse_key(event);
        if (key == KEY_RESIZE)
            return PAINTER_RESIZE;
        return curses_key((int)key);
    }
    if (key == 8)
        return KEY_CODE_BACKSPACE;
    if (key == '\n')
        return KEY_CODE_ENTER;
    return (long)key;
}
