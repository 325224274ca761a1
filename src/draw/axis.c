#include "draw/axis.h"

#include <stdio.h>
#include <string.h>

#include "base/duration.h"

int64_t axis_step_ns(const struct scale *s, int cols)
{
    static const int factors[] = {1, 2, 5};
    __int128 span = (__int128)s->to_ns - s->from_ns;
    __int128 least = (span * cols + s->cols - 1) / s->cols;
    for (int64_t power = 1;; power *= 10) {
        for (int i = 0; i < 3; i++)
            if ((__int128)power * factors[i] >= least)
                return power * factors[i];
        if (power > INT64_MAX / 100)
            return power * 5;
    }
}

/* A unit in which the step is not too long a fraction, and its decimals. */
static int64_t unit_for(int64_t step, const char **name, int *decimals)
{
    static const struct {
        int64_t ns;
        const char *name;
    } units[] = {{1000000000, "s"}, {1000000, "ms"}, {1000, "us"}, {1, "ns"}};
    for (int i = 0; i < 4; i++) {
        if (step * 10 < units[i].ns && units[i].ns > 1)
            continue;
        *name = units[i].name;
        *decimals = 0;
        for (int64_t rest = units[i].ns; step % rest != 0 && rest > 1; rest /= 10)
            ++*decimals;
        return units[i].ns;
    }
    *name = "ns";
    *decimals = 0;
    return 1;
}

void axis_draw(struct grid *g, int y, const struct scale *s, int64_t zero_ns, struct style style)
{
    const char *unit;
    int decimals, label_cols = 12;
    char text[DURATION_TEXT], largest[DURATION_TEXT];
    grid_fill(g, s->x0, y, s->cols, style);
    int64_t step, divisor;
    /* Longer labels need a wider step, which may need other labels. */
    for (int tries = 0; tries < 4; tries++) {
        step = axis_step_ns(s, label_cols);
        divisor = unit_for(step, &unit, &decimals);
        duration_in(largest, ns_sub(s->to_ns, zero_ns), divisor, decimals);
        duration_in(text, ns_sub(s->from_ns, zero_ns), divisor, decimals);
        int need = (int)(strlen(largest) > strlen(text) ? strlen(largest) : strlen(text)) + 2;
        if (need <= label_cols)
            break;
        label_cols = need;
    }
    int end = s->x0 + s->cols - (int)strlen(unit) - 1;
    __int128 offset = (__int128)s->from_ns - zero_ns;
    __int128 first = offset / step * step;
    if (first < offset)
        first += step;
    for (__int128 at = first; at < (__int128)s->to_ns - zero_ns; at += step) {
        int x = s->x0 + (int)scale_column(s, (int64_t)(at + zero_ns));
        duration_in(text, (int64_t)at, divisor, decimals);
        int len = (int)strlen(text);
        if (x + 1 + len > end)
            break;
        grid_put(g, x, y, g->ascii ? '|' : 0x2502, style);
        grid_text(g, x + 1, y, len, text, (size_t)len, style);
    }
    grid_printf(g, end + 1, y, (int)strlen(unit), style, "%s", unit);
}
