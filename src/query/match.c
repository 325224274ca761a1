#include "query/match.h"

#include <ctype.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static bool has_upper(const char *regex)
{
    for (const char *p = regex; *p; p++)
        if (*p >= 'A' && *p <= 'Z')
            return true;
    return false;
}

bool *match_names(const struct trace *t, const char *regex, struct error *err)
{
    regex_t compiled;
    int flags = REG_EXTENDED | REG_NOSUB | (has_upper(regex) ? 0 : REG_ICASE);
    int problem = *regex ? regcomp(&compiled, regex, flags) : 0;
    if (problem) {
        char why[128];
        regerror(problem, &compiled, why, sizeof why);
        error_set(err, ERROR_USAGE, "bad pattern '%s': %s", regex, why);
        return NULL;
    }
    uint32_t count = intern_count(t->names);
    bool *matches = xcalloc((size_t)count + 1, sizeof *matches);
    bool *tried = xcalloc((size_t)count + 1, sizeof *tried);
    for (uint32_t i = 0; i < t->label_count; i++) {
        uint32_t name = t->labels[i].name;
        if (tried[name])
            continue;
        tried[name] = true;
        matches[name] =
            !*regex || regexec(&compiled, intern_text(t->names, name, NULL), 0, NULL, 0) == 0;
    }
    free(tried);
    if (*regex)
        regfree(&compiled);
    return matches;
}

/* The order of the search: start, then slice. */
static bool is_before(const struct trace *t, uint32_t a, uint32_t b)
{
    return t->start_ns[a] != t->start_ns[b] ? t->start_ns[a] < t->start_ns[b] : a < b;
}

static bool is_match(const struct trace *t, const bool *names, uint32_t slice)
{
    return names[t->labels[t->label[slice]].name];
}

/* The first match of a track behind a place in the order; no later than `limit`,
 * the best so far. */
static uint32_t next_on_track(const struct trace *t, const struct index *ix, const bool *names,
                              uint32_t track, uint32_t from, int64_t at_ns, uint32_t limit)
{
    uint32_t end = t->tracks[track].first + t->tracks[track].count;
    uint32_t slice = index_start_at(ix, track, at_ns);
    for (; slice < end; slice++) {
        if (limit != TRACE_NONE && !is_before(t, slice, limit))
            return TRACE_NONE;
        if (from != TRACE_NONE && !is_before(t, from, slice))
            continue;
        if (is_match(t, names, slice))
            return slice;
    }
    return TRACE_NONE;
}

static uint32_t previous_on_track(const struct trace *t, const struct index *ix, const bool *names,
                                  uint32_t track, uint32_t from, int64_t at_ns, uint32_t limit)
{
    uint32_t first = t->tracks[track].first, end = first + t->tracks[track].count;
    /* With a slice to start from, those at its very time count too. */
    uint32_t slice = from == TRACE_NONE   ? index_start_at(ix, track, at_ns)
                     : at_ns == INT64_MAX ? end
                                          : index_start_at(ix, track, at_ns + 1);
    while (slice > first) {
        slice--;
        if (limit != TRACE_NONE && !is_before(t, limit, slice))
            return TRACE_NONE;
        if (from != TRACE_NONE && !is_before(t, slice, from))
            continue;
        if (is_match(t, names, slice))
            return slice;
    }
    return TRACE_NONE;
}

uint32_t match_next(const struct trace *t, const struct index *ix, const bool *names,
                    const bool *hidden, uint32_t from, int64_t at_ns)
{
    uint32_t best = TRACE_NONE;
    if (from != TRACE_NONE)
        at_ns = t->start_ns[from];
    for (uint32_t track = 0; track < t->track_count; track++) {
        if (hidden && hidden[track])
            continue;
        uint32_t found = next_on_track(t, ix, names, track, from, at_ns, best);
        if (found != TRACE_NONE)
            best = found;
    }
    return best;
}

uint32_t match_previous(const struct trace *t, const struct index *ix, const bool *names,
                        const bool *hidden, uint32_t from, int64_t at_ns)
{
    uint32_t best = TRACE_NONE;
    if (from != TRACE_NONE)
        at_ns = t->start_ns[from];
    for (uint32_t track = 0; track < t->track_count; track++) {
        if (hidden && hidden[track])
            continue;
        uint32_t found = previous_on_track(t, ix, names, track, from, at_ns, best);
        if (found != TRACE_NONE)
            best = found;
    }
    return best;
}

uint32_t match_count(const struct trace *t, const bool *names, uint32_t slice, uint32_t *before)
{
    uint32_t count = 0;
    *before = 0;
    for (uint32_t i = 0; i < t->slice_count; i++) {
        if (!is_match(t, names, i))
            continue;
        count++;
        if (slice != TRACE_NONE && is_before(t, i, slice))
            ++*before;
    }
    return count;
}
