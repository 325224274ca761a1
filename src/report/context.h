/*
 * What the reports share: the question and where the answer goes.
 */
#ifndef SPYTOP_REPORT_CONTEXT_H
#define SPYTOP_REPORT_CONTEXT_H

#include "report/report.h"
#include "report/sheet.h"

struct report {
    FILE *out;
    const struct trace *t;
    const struct index *ix;
    const struct report_request *request;
    struct selection sel; /* window, names and categories of the request */
};

/* The window as it is shown: whole trace where a side is open. */
void report_window(const struct report *r, int64_t *from_ns, int64_t *to_ns);

/* "window":{"start_ns":..,"end_ns":..} */
void report_json_window(const struct report *r, struct json *j);

/* How many rows text shows: what was asked for, else what fits. 0: all. */
uint64_t report_text_rows(const struct report *r);

/* Reduces a number of rows to what -n asks for. */
uint64_t report_limit(const struct report *r, uint64_t rows);

/* A name of the trace as a cell. */
struct sheet_cell report_name_cell(const struct trace *t, uint32_t name);
struct sheet_cell report_id_cell(const struct trace *t, uint32_t id);

/* What a process or track is called, for people: "AIU 0 (pid 0)", in `out`, which is
 * cut at `size`. */
const char *report_process_title(const struct trace *t, uint32_t process, char *out, size_t size);

/* The reports. True on success. */
bool report_info(struct report *r, struct error *err);
bool report_summary(struct report *r, struct error *err);
bool report_iterations(struct report *r, struct error *err);
bool report_gaps(struct report *r, struct error *err);
bool report_slices(struct report *r, struct error *err);
bool report_launches(struct report *r, struct error *err);
bool report_breakdown(struct report *r, struct error *err);
bool report_averages(struct report *r, struct error *err);
bool report_diff(struct report *r, const struct trace *other, const struct index *other_ix,
                 struct error *err);

#endif
