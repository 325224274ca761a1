#include "query/device.h"

#include <stdlib.h>

#include "base/memory.h"

static uint32_t file_of_track(const struct trace *t, uint32_t track)
{
    return t->processes[t->tracks[track].process].file;
}

struct keyed {
    int64_t start_ns;
    uint32_t slice;
};

static int by_start(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return x->slice < y->slice ? -1 : x->slice > y->slice;
}

void device_slices_find(const struct trace *t, uint32_t file, const bool *categories,
                        struct device_slices *list)
{
    *list = (struct device_slices){0};
    uint32_t tracks = 0;
    for (uint32_t k = 0; k < t->track_count; k++) {
        const struct track *track = &t->tracks[k];
        if (track->kind != TRACK_DEVICE || (file != TRACE_NONE && file_of_track(t, k) != file))
            continue;
        tracks++;
        for (uint32_t i = track->first; i < track->first + track->count; i++)
            if (categories[t->labels[t->label[i]].category])
                ARRAY_PUSH(list->slices, list->count, list->capacity, i);
    }
    if (tracks < 2 || list->count < 2)
        return;
    struct keyed *keyed = xreallocarray(NULL, list->count, sizeof *keyed);
    for (size_t i = 0; i < list->count; i++)
        keyed[i] = (struct keyed){t->start_ns[list->slices[i]], list->slices[i]};
    array_sort(keyed, list->count, sizeof *keyed, by_start);
    for (size_t i = 0; i < list->count; i++)
        list->slices[i] = keyed[i].slice;
    free(keyed);
}

void device_slices_union(const struct trace *t, const struct device_slices *list,
                         struct interval_list *united)
{
    *united = (struct interval_list){0};
    for (size_t i = 0; i < list->count; i++)
        if (t->dur_ns[list->slices[i]] > 0)
            interval_add(united, t->start_ns[list->slices[i]], trace_end_ns(t, list->slices[i]));
    interval_unite(united);
}
