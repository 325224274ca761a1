#include "report/report.h"

#include <string.h>

#include "base/utf8.h"
#include "report/context.h"

void report_window(const struct report *r, int64_t *from_ns, int64_t *to_ns)
{
    *from_ns = r->sel.from_ns == INT64_MIN ? 0 : r->sel.from_ns;
    *to_ns = r->sel.to_ns == INT64_MAX ? r->t->end_ns : r->sel.to_ns;
}

void report_json_window(const struct report *r, struct json *j)
{
    int64_t from, to;
    report_window(r, &from, &to);
    json_key(j, "window");
    json_begin_object(j);
    json_key_int(j, "start_ns", from);
    json_key_int(j, "end_ns", to);
    json_end_object(j);
}

uint64_t report_text_rows(const struct report *r)
{
    enum { HEADS = 4 };
    if (r->request->top >= 0)
        return (uint64_t)r->request->top;
    return r->request->height > HEADS + 1 ? (uint64_t)(r->request->height - HEADS) : 0;
}

uint64_t report_limit(const struct report *r, uint64_t rows)
{
    if (r->request->top >= 0 && rows > (uint64_t)r->request->top)
        return (uint64_t)r->request->top;
    return rows;
}

struct sheet_cell report_name_cell(const struct trace *t, uint32_t name)
{
    size_t len;
    const char *text = intern_text(t->names, name, &len);
    return sheet_text_cell(text, len);
}

struct sheet_cell report_id_cell(const struct trace *t, uint32_t id)
{
    const char *text = trace_id(t, id);
    return sheet_text_cell(text, strlen(text));
}

const char *report_process_title(const struct trace *t, uint32_t process, char *out, size_t size)
{
    char name[128], pid[64];
    const struct process *p = &t->processes[process];
    uint32_t text = p->labels ? p->labels : p->name;
    size_t len;
    const char *title = intern_text(t->names, text, &len);
    utf8_make_safe(name, sizeof name, title, len);
    utf8_make_safe(pid, sizeof pid, trace_id(t, p->pid), UTF8_NUL_TERMINATED);
    if (*name && strcmp(name, pid) != 0)
        snprintf(out, size, "%s (pid %s)", name, pid);
    else
        snprintf(out, size, "pid %s", pid);
    return out;
}

static bool dispatch(struct report *r, const struct trace *other, const struct index *other_ix,
                     struct error *err)
{
    switch (r->request->kind) {
    case REPORT_INFO:
        return report_info(r, err);
    case REPORT_SUMMARY:
        return report_summary(r, err);
    case REPORT_ITERATIONS:
        return report_iterations(r, err);
    case REPORT_GAPS:
        return report_gaps(r, err);
    case REPORT_SLICES:
        return report_slices(r, err);
    case REPORT_LAUNCHES:
        return report_launches(r, err);
    case REPORT_BREAKDOWN:
        return report_breakdown(r, err);
    case REPORT_AVERAGES:
        return report_averages(r, err);
    case REPORT_DIFF:
        return report_diff(r, other, other_ix, err);
    }
    return false;
}

bool report_write(FILE *out, const struct trace *t, const struct index *ix,
                  const struct trace *other, const struct index *other_ix,
                  const struct report_request *request, struct error *err)
{
    struct report r = {.out = out, .t = t, .ix = ix, .request = request};
    selection_init(&r.sel);
    r.sel.from_ns = request->from_ns;
    r.sel.to_ns = request->to_ns;
    bool good = !request->match || selection_match(&r.sel, t, request->match, err);
    if (good && request->categories)
        selection_categories(&r.sel, t, request->categories);
    good = good && dispatch(&r, other, other_ix, err);
    selection_free(&r.sel);
    return good;
}
