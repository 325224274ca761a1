/*
 * Keys as the viewer knows them: Unicode code points, and names for the rest.
 */
#ifndef SPYTOP_VIEW_KEY_H
#define SPYTOP_VIEW_KEY_H

#include <stdbool.h>
#include <stdint.h>

enum key {
    KEY_CODE_TAB = 9,
    KEY_CODE_ENTER = 13,
    KEY_CODE_ESCAPE = 27,
    KEY_CODE_BACKSPACE = 127,
    /* Ctrl-A is 1, ... Ctrl-Z is 26. */
    KEY_CODE_UP = 0x200000,
    KEY_CODE_DOWN,
    KEY_CODE_LEFT,
    KEY_CODE_RIGHT,
    KEY_CODE_PAGE_UP,
    KEY_CODE_PAGE_DOWN,
    KEY_CODE_HOME,
    KEY_CODE_END,
    KEY_CODE_INSERT,
    KEY_CODE_DELETE,
    KEY_CODE_BACKTAB,
    KEY_CODE_SHIFT_LEFT,
    KEY_CODE_SHIFT_RIGHT,
    KEY_CODE_F1,
    KEY_CODE_F12 = KEY_CODE_F1 + 11,
};

enum mouse_kind {
    MOUSE_PRESS,
    MOUSE_DRAG,
    MOUSE_RELEASE,
    MOUSE_DOUBLE,
    MOUSE_WHEEL_UP,
    MOUSE_WHEEL_DOWN
};

struct mouse_event {
    enum mouse_kind kind;
    int x, y; /* cell, from 0 */
    bool shift, control;
};

#endif
