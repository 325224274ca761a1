#include "trace/category.h"

#include <stdlib.h>

#include "base/memory.h"

/* Old PyTorch versions wrote other words. */
static const struct {
    const char *old, *now;
} aliases[] = {
    {"memcpy", "gpu_memcpy"},
    {"memset", "gpu_memset"},
    {"operator", "cpu_op"},
    {"runtime", "cuda_runtime"},
};

static bool ends_with(const char *text, const char *end)
{
    size_t len = strlen(text), end_len = strlen(end);
    return len >= end_len && strcmp(text + len - end_len, end) == 0;
}

void category_canonical(const char *text, size_t len, char *out, size_t size)
{
    if (len >= size)
        len = size - 1;
    for (size_t i = 0; i < len; i++)
        out[i] = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] - 'A' + 'a') : text[i];
    out[len] = '\0';
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (strcmp(out, aliases[i].old) == 0 && strlen(aliases[i].now) < size)
            memcpy(out, aliases[i].now, strlen(aliases[i].now) + 1);
}

static enum category_class class_of(const char *canonical)
{
    static const struct {
        const char *text;
        enum category_class class;
    } classes[] = {
        {"kernel", CATEGORY_KERNEL},
        {"gpu_memcpy", CATEGORY_MEMCPY},
        {"gpu_memset", CATEGORY_MEMSET},
        {"cpu_op", CATEGORY_CPU_OP},
        {"user_annotation", CATEGORY_ANNOTATION},
        {"gpu_user_annotation", CATEGORY_GPU_ANNOTATION},
        {"python_function", CATEGORY_PYTHON},
        {"trace", CATEGORY_WRAPPER},
    };
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (strcmp(canonical, classes[i].text) == 0)
            return classes[i].class;
    if (ends_with(canonical, "_runtime"))
        return CATEGORY_RUNTIME;
    return ends_with(canonical, "_driver") ? CATEGORY_DRIVER : CATEGORY_OTHER;
}

uint32_t category_add(struct builder *b, const char *text, size_t len)
{
    struct trace *t = b->t;
    uint32_t id = intern_add(b->category_keys, text, len);
    if (id < t->category_count)
        return id;
    char canonical[256];
    category_canonical(text, len, canonical, sizeof canonical);
    struct category c = {
        .text = intern_add(t->names, text, len),
        .canonical = intern_add(t->names, canonical, strlen(canonical)),
        .class = class_of(canonical),
    };
    c.device =
        c.class == CATEGORY_KERNEL || c.class == CATEGORY_MEMCPY || c.class == CATEGORY_MEMSET;
    size_t count = id, event_count = id;
    ARRAY_PUSH(t->categories, count, b->category_capacity, c);
    ARRAY_PUSH(t->category_events, event_count, b->category_events_capacity, 0);
    t->category_count++;
    return id;
}

bool trace_match_category(const struct trace *t, const char *text, bool *chosen)
{
    char canonical[256];
    category_canonical(text, strlen(text), canonical, sizeof canonical);
    uint32_t wanted = intern_find(t->names, canonical, strlen(canonical));
    bool any = false;
    for (uint32_t i = 0; i < t->category_count; i++) {
        if (t->categories[i].canonical == wanted) {
            chosen[i] = true;
            any = true;
        }
    }
    return any;
}
