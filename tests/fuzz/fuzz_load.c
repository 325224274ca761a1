/*
 * Any bytes as a trace: loading, indexing, summing up and asking for every event again
 * must end in order.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/text.h"
#include "query/summary.h"
#include "trace/load.h"
#include "trace/source.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error err = {0};
    struct trace *t = trace_from_text((const char *)data, size, &err);
    if (!t)
        return 0;
    struct index *ix = index_build(t, 1);
    struct selection sel;
    struct text event = {0};
    selection_init(&sel);
    summary_free(summary_compute(t, ix, &sel, BY_NAME));
    trace_locate_damage(t);
    for (uint32_t i = 0; i < t->slice_count && i < 100; i++)
        if (!trace_read_event(t, 0, t->byte[i], &event))
            abort(); /* what was loaded can be read again */
    text_free(&event);
    selection_free(&sel);
    index_free(ix);
    trace_free(t);
    return 0;
}
