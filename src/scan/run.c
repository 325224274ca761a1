#include "scan/run.h"

#include "scan/recover.h"

static bool first_event(const char *text, const char *end, struct event *ev,
                        struct event_memory *memory)
{
    /* The window's front is not the text's: something stands before it. */
    for (const char *p = text + 1; (p = memchr(p, '{', (size_t)(end - p))) != NULL; p++) {
        if (!may_begin_event(text, p, end))
            continue;
        if (event_parse_next(p, end, ev, memory) == EVENT_OK && is_whole_event(ev))
            return true;
    }
    return false;
}

static void hand_out(const struct event *ev, const char *text, uint64_t base,
                     const struct scan_sink *sink)
{
    for (int i = 0; i < ev->flaw_count; i++)
        sink->damage(sink->context, ev->flaws[i].kind, base + (uint64_t)(ev->flaws[i].at - text));
    sink->event(sink->context, ev, base + (uint64_t)(ev->start - text));
}

bool scan_run(const char *text, const char *end, uint64_t base, const struct scan_sink *sink,
              struct run *run)
{
    struct event ev;
    struct event_memory memory = {0};
    *run = (struct run){0};
    if (text == end || !first_event(text, end, &ev, &memory))
        return false;
    run->start = ev.start;
    for (;;) {
        hand_out(&ev, text, base, sink);
        run->end = ev.end;
        run->events++;
        const char *p = space_end(ev.end);
        if (*p != ',')
            break;
        p = space_end(p + 1);
        if (*p != '{' || event_parse_next(p, end, &ev, &memory) != EVENT_OK)
            break;
    }
    return true;
}
