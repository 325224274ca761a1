/*
 * A loaded trace: columns of slices sorted by track and start, the names they
 * use, tracks and processes in display order, and everything that is no slice.
 * It does not change once trace_load() (trace/load.h) has returned it, so any
 * number of threads may read it. All times are nanoseconds since the origin.
 */
#ifndef SPYTOP_TRACE_TRACE_H
#define SPYTOP_TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/intern.h"
#include "input/input.h"
#include "scan/damage.h"

/* "No such slice, track, ...". */
#define TRACE_NONE UINT32_MAX

/* What the known categories are, whatever their spelling (contract: comparisons
 * ignore case, old names are aliases). */
enum category_class {
    CATEGORY_OTHER = 0,
    CATEGORY_KERNEL,
    CATEGORY_MEMCPY, /* gpu_memcpy */
    CATEGORY_MEMSET, /* gpu_memset */
    CATEGORY_CPU_OP,
    CATEGORY_RUNTIME,        /* cuda_runtime, privateuse1_runtime, ... */
    CATEGORY_DRIVER,         /* cuda_driver, privateuse1_driver, ... */
    CATEGORY_ANNOTATION,     /* user_annotation */
    CATEGORY_GPU_ANNOTATION, /* gpu_user_annotation */
    CATEGORY_PYTHON,         /* python_function */
    CATEGORY_WRAPPER,        /* Trace: spans around the whole recording */
};

/* A category as it stands in the file. Category 0 is "" (none). */
struct category {
    uint32_t text;      /* in trace->names, as written */
    uint32_t canonical; /* in trace->names: lower case, aliases resolved; compare these */
    enum category_class class;
    bool device; /* kernel, gpu_memcpy, gpu_memset */
};

/* A distinct (name, category). `name` is the id in trace->names of the name to
 * show (args.orig_name where there is one); 0, the empty string, for none. */
struct label {
    uint32_t name, category;
};

enum track_kind { TRACK_HOST, TRACK_DEVICE, TRACK_OTHER };

/* A distinct pid of a file, in display order. */
struct process {
    uint32_t file;
    uint32_t pid;         /* in trace->ids; see trace_id() */
    uint32_t name;        /* process_name, in trace->names; 0: none */
    uint32_t labels;      /* process_labels, likewise */
    int64_t sort_index;   /* 0 where the file has none */
    uint32_t first_track; /* its tracks are consecutive */
    uint32_t track_count;
};

/* A distinct (file, pid, tid) with anything to draw on it (slices, open begins
 * or instants), in display order. */
struct track {
    uint32_t process;
    uint32_t tid;  /* in trace->ids */
    uint32_t name; /* thread_name, in trace->names; 0: none */
    enum track_kind kind;
    int64_t sort_index;
    uint32_t first, count;    /* its slices: [first, first + count) */
    int64_t start_ns, end_ns; /* from the first start to the last end of its slices */
};

/* A top-level member of the file other than traceEvents, as bytes of the
 * unpacked text. */
struct top_member {
    char *key;          /* decoded */
    uint64_t byte, len; /* of the value */
    uint64_t key_byte;  /* of the key's opening quote */
    uint64_t key_len;   /* with both quotes */
};

struct trace_file {
    char *path;
    struct input *in; /* open for input_read_at() */
    enum input_packing packing;
    uint64_t file_bytes, text_bytes;
    bool has_base_time;
    int64_t base_time_ns; /* baseTimeNanoseconds */
    int64_t shift_ns;     /* added to this file's clock so that ranks line up; 0 for the first */
    int64_t rank;         /* -1: unknown */
    struct top_member *members;
    size_t member_count, member_capacity;
};

/* An event that is no slice. Which of the fields mean something depends on the
 * list it is in. */
struct side_event {
    int64_t ts_ns;
    uint64_t byte;  /* of its `{` in the file of its track */
    uint32_t track; /* as a source id, see trace_side_track(); the track need not be drawn */
    uint32_t label; /* in trace->labels */
    uint32_t key;   /* flows, async: what joins them; counters: index in trace->counters */
    char phase;
    bool enclosing; /* flows: bp is "e" */
    char scope;     /* instants: t, p or g */
};

struct side_list {
    struct side_event *items;
    size_t count, capacity;
};

/* A counter: (process, name, id), and its series, one per args key. */
struct counter {
    uint32_t process; /* index in trace->processes */
    uint32_t name;    /* in trace->names */
    uint32_t id;      /* in trace->ids; TRACE_NONE: none */
    uint64_t samples; /* C events */
    uint32_t first_series, series_count;
};
struct counter_series {
    uint32_t counter;
    uint32_t key;        /* args key, in trace->names */
    size_t first, count; /* in trace->samples, by time */
    double min, max;
};
struct counter_sample {
    int64_t ts_ns;
    double value;
};

/* A matched (or open) pair of async events. */
struct async_span {
    int64_t start_ns, dur_ns;
    uint32_t process, label;
    uint32_t depth; /* row among those of its process */
    bool open;      /* no end: drawn to the end of the trace */
    uint64_t byte, end_byte;
};

/* A begin that never ended; drawn to the end of its track, no slice. */
struct open_begin {
    int64_t start_ns;
    uint64_t byte;
    uint32_t track, label;
};

/* How often a phase occurs, as it stands in the file ("" is no phase). */
struct phase_count {
    char text[16];
    uint64_t count;
};

struct slice_end {
    uint32_t slice;
    uint64_t byte;
};

struct trace {
    struct trace_file *files;
    size_t file_count;

    struct intern *names; /* names, categories, metadata texts, counter keys */
    struct intern *ids;   /* pids, tids, ids: as text; see trace_id() */

    int64_t origin_ns; /* on the (first) file's clock; everything else counts from here */
    int64_t end_ns;    /* last end of a slice; without slices, of the last event but M */
    int64_t first_start_ns, last_end_ns;  /* of slices; 0 without slices */
    int64_t focus_start_ns, focus_end_ns; /* where the bulk of the slices is */

    /* Slices, grouped by track, in a track by (start, longer first, file
     * order). A slice is known by its index. */
    uint32_t slice_count;
    int64_t *start_ns, *dur_ns;
    uint32_t *label;              /* in labels */
    uint32_t *correlation;        /* args.correlation as a token: equal means same; 0 is none */
    uint64_t *byte;               /* of the X (or B) event's `{` in its file */
    struct slice_end *slice_ends; /* for B/E pairs, by slice: where the E is */
    size_t slice_end_count;

    struct label *labels;
    uint32_t label_count;
    struct category *categories;
    uint32_t category_count;

    struct process *processes;
    uint32_t process_count;
    struct track *tracks;
    uint32_t track_count;

    /* Side events name the track they were found on by a source id. */
    uint32_t *source_track;   /* source id -> track, TRACE_NONE where it is not drawn */
    uint32_t *source_process; /* source id -> process */
    uint32_t source_count;

    struct side_list flows, instants, counter_events, async, metadata, others;
    struct open_begin *open_begins; /* by track, start */
    size_t open_begin_count;
    uint64_t unmatched_ends;

    struct counter *counters;
    uint32_t counter_count;
    struct counter_series *series;
    uint32_t series_count;
    struct counter_sample *samples;
    size_t sample_count;
    struct async_span *async_spans; /* by process, start */
    size_t async_span_count;
    uint64_t async_pairs, async_open;

    /* Elements of traceEvents, all of them, as they stand in the file. */
    uint64_t event_count;
    struct phase_count *phases;
    size_t phase_count;
    uint64_t *category_events; /* per category: events of any phase */

    bool processed_by_acelyzer; /* otherData.Application says so */
    bool enriched;              /* and acelyzer added something */

    struct damage damage;
    bool cancelled; /* the load was stopped: this is what had been read */
};

/* Releases a trace and closes its files; NULL is allowed. */
void trace_free(struct trace *t);

/* The name of a slice (NUL-terminated, may hold NULs: *len, which may be NULL). */
const char *trace_name(const struct trace *t, uint32_t slice, size_t *len);

/* The category of a slice. */
const struct category *trace_category(const struct trace *t, uint32_t slice);

/* start + dur of a slice, never overflowing. */
static inline int64_t trace_end_ns(const struct trace *t, uint32_t slice)
{
    return t->start_ns[slice] + t->dur_ns[slice]; /* the loader made sure that it fits */
}

/* The track a slice is on: O(log tracks). */
uint32_t trace_track_of(const struct trace *t, uint32_t slice);

/* The file a slice comes from. */
const struct trace_file *trace_file_of(const struct trace *t, uint32_t slice);

/* The text of a pid, tid or id; "" for a missing one (trace_id_missing() tells it
 * from an empty string). Not safe to print: utf8_make_safe() first. */
const char *trace_id(const struct trace *t, uint32_t id);
bool trace_id_missing(uint32_t id);

/* The file offset of the E event of a slice that is a B/E pair, else UINT64_MAX. */
uint64_t trace_end_byte(const struct trace *t, uint32_t slice);

/* The category with this text: a bool per category (xcalloc'd by the caller,
 * category_count long) is set for every category that equals the text, ignoring
 * case and resolving aliases. False if there is none. */
bool trace_match_category(const struct trace *t, const char *text, bool *chosen);

/* Lower case, old names resolved: "Kernel" is "kernel", "Runtime" is
 * "cuda_runtime". Writes at most size bytes with the NUL. */
void category_canonical(const char *text, size_t len, char *out, size_t size);

/* Nanoseconds since 1970 of a time of the trace, where the file tells it
 * (baseTimeNanoseconds, or times beyond 10^15 us). */
bool trace_wall_clock(const struct trace *t, int64_t ts_ns, int64_t *wall_ns);

#endif
