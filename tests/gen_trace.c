/*
 * gen-trace: writes a PyTorch profiler trace as a Spyre accelerator leaves it,
 * of any size, the same bytes for the same options.
 *
 * A small simulation runs a decoder model: a host thread works through the ops
 * of each layer and waits for its kernels, a launcher thread submits them, the
 * device runs them on streams while copies run in their lanes. Each part writes
 * its events to a buffer of its own; at the end of an iteration the buffers are
 * joined, so that, as in real traces, the file is not sorted by time.
 *
 * Times are integer nanoseconds, numbers are formatted by hand: a benchmark
 * wants a gigabyte in seconds.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
    HOST_PID = 4211,
    HOST_TID = 4211,
    LAUNCH_TID = 4230,
    DEVICE_PID = 0,
    TID_HTOD = 100,
    TID_DTOH = 200,
    TID_MEMSET = 400,
    MAX_STREAMS = 16,
    MAX_LANES = 8,
    MAX_OPS = 64,
    MAX_DAMAGES = 1000,
};

#define US INT64_C(1000)
#define MS INT64_C(1000000)

static const int64_t base_time_ns = INT64_C(1782864000000000000);
static const int64_t first_ts_ns = INT64_C(6912345478901);

/* ------------------------------------------------------------------------ */
/* Options                                                                    */

#define DAMAGE_KINDS(X)                                                         \
    X(NONE, "none", "nothing is wrong")                                         \
    X(CUT, "cut", "the file ends in the middle of an event")                    \
    X(MISSING_BRACKET, "missing-bracket", "the file ends after the last event") \
    X(MISSING_BRACE, "missing-brace", "an event without its last brace")        \
    X(LEADING_COMMA, "leading-comma", "a comma before the first event")         \
    X(TRAILING_COMMA, "trailing-comma", "a comma after the last event")         \
    X(DOUBLE_COMMA, "double-comma", "two commas between two events")            \
    X(MISSING_COMMA, "missing-comma", "no comma between two events")            \
    X(CONTROL, "control", "a raw line end and a control byte in a name")        \
    X(ESCAPE, "bad-escape", "a backslash that escapes nothing in a name")       \
    X(QUOTE, "quote", "an unescaped quote in a name")                           \
    X(UTF8, "bad-utf8", "bytes in a name that are not UTF-8")                   \
    X(TERMINAL, "terminal", "escape sequences, properly escaped, in a name")    \
    X(NAN, "nan", "a duration that is NaN")                                     \
    X(NUMBER, "bad-number", "a duration that is no number")                     \
    X(NEGATIVE, "negative-dur", "a negative duration")                          \
    X(RANGE, "out-of-range", "a duration beyond 63 bits of nanoseconds")        \
    X(OUTLIER, "outlier", "a duration of years")                                \
    X(UNQUOTED_KEY, "unquoted-key", "a key without quotes")                     \
    X(DUPLICATE_KEY, "duplicate-key", "a key that stands twice in an event")    \
    X(DEEP, "deep", "arrays nested 5000 deep in an event")                      \
    X(GARBAGE, "garbage-bytes", "random bytes between two events")              \
    X(TRAILING_DATA, "trailing-data", "text after the end of the trace")

enum damage_kind {
#define X(id, name, text) DAMAGE_##id,
    DAMAGE_KINDS(X)
#undef X
        DAMAGE_KIND_COUNT
};

static const struct {
    const char *name, *text;
} damages[] = {
#define X(id, name, text) {name, text},
    DAMAGE_KINDS(X)
#undef X
};

struct options {
    uint64_t seed;
    uint64_t iterations, layers, kernels, ops, streams;
    uint64_t size; /* 0: by iterations */
    enum damage_kind damage;
    uint64_t damage_count;
    bool compact;
    bool epoch;
    const char *output;
};

/* ------------------------------------------------------------------------ */
/* Random numbers                                                             */

struct random {
    uint64_t state;
};

static uint64_t random_next(struct random *r)
{
    r->state ^= r->state >> 12;
    r->state ^= r->state << 25;
    r->state ^= r->state >> 27;
    return r->state * UINT64_C(0x2545f4914f6cdd1d);
}

static struct random random_seed(uint64_t seed)
{
    struct random r = {(seed + 1) * UINT64_C(0x9e3779b97f4a7c15) | 1};
    for (int i = 0; i < 8; i++)
        random_next(&r);
    return r;
}

/* From low up to, not including, high. */
static int64_t between(struct random *r, int64_t low, int64_t high)
{
    return low + (int64_t)((random_next(r) >> 1) % (uint64_t)(high - low));
}

static bool chance(struct random *r, int percent)
{
    return between(r, 0, 100) < percent;
}

/* ------------------------------------------------------------------------ */
/* Bytes                                                                      */

struct buffer {
    char *data;
    size_t len, capacity;
};

static _Noreturn void die(const char *what, const char *why)
{
    fprintf(stderr, "gen-trace: %s: %s\n", what, why);
    exit(1);
}

/* Room for `bytes` more; the put_ calls below do not ask again. */
static void reserve(struct buffer *b, size_t bytes)
{
    if (b->capacity - b->len >= bytes)
        return;
    b->capacity = b->capacity * 2 + bytes + (1 << 16);
    b->data = realloc(b->data, b->capacity);
    if (b->data == NULL)
        die("memory", strerror(ENOMEM));
}

static void put(struct buffer *b, const char *bytes, size_t len)
{
    if (len > 0)
        memcpy(b->data + b->len, bytes, len);
    b->len += len;
}

#define PUT(b, literal) put((b), "" literal, sizeof(literal) - 1)

static void put_text(struct buffer *b, const char *text)
{
    put(b, text, strlen(text));
}

static const char digit_pairs[] = "00010203040506070809101112131415161718192021222324"
                                  "25262728293031323334353637383940414243444546474849"
                                  "50515253545556575859606162636465666768697071727374"
                                  "75767778798081828384858687888990919293949596979899";

static void put_u64(struct buffer *b, uint64_t value)
{
    char digits[20];
    size_t at = sizeof digits;
    while (value >= 100) {
        at -= 2;
        memcpy(digits + at, digit_pairs + value % 100 * 2, 2);
        value /= 100;
    }
    if (value >= 10) {
        at -= 2;
        memcpy(digits + at, digit_pairs + value * 2, 2);
    } else {
        digits[--at] = (char)('0' + value);
    }
    put(b, digits + at, sizeof digits - at);
}

static void put_i64(struct buffer *b, int64_t value)
{
    if (value < 0)
        PUT(b, "-");
    put_u64(b, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

/* Nanoseconds as microseconds with three decimals. */
static void put_us(struct buffer *b, int64_t ns)
{
    put_u64(b, (uint64_t)ns / 1000);
    uint64_t rest = (uint64_t)ns % 1000;
    char decimals[4] = {'.', (char)('0' + rest / 100), (char)('0' + rest / 10 % 10),
                        (char)('0' + rest % 10)};
    put(b, decimals, sizeof decimals);
}

/* ------------------------------------------------------------------------ */
/* The simulated machine                                                      */

/* A run of name, key and handles that belongs to one compiled kernel. */
struct kernel {
    const char *summary;
    int64_t base_ns;
    char name[96];
    char key[17];
    char handles[96];
};

static const struct {
    const char *summary;
    int64_t base_ns;
} kernel_models[] = {
    {"fused_mm_rsqrt_silu", 4333 * US}, {"fused_rsqrt_mul", 96 * US},
    {"fused_bmm_softmax", 8600 * US},   {"fused_mm_rope", 410 * US},
    {"fused_mm_add", 905 * US},         {"fused_add_rsqrt", 55 * US},
    {"fused_mm_mul_silu", 2110 * US},   {"fused_cat_index", 38 * US},
    {"fused_transpose_clone", 22 * US}, {"fused_mm_view", 640 * US},
    {"fused_mul_sigmoid", 71 * US},     {"fused_argmax", 140 * US},
};

enum { KERNEL_MODELS = sizeof kernel_models / sizeof *kernel_models };

struct op {
    const char *name;
    int64_t start, end;
    bool shapes;
};

struct sim {
    const struct options *opt;
    struct random random;

    /* What is written: events of the device and of the launching thread, then
     * those of the host thread. Joined into `out` after each iteration. */
    struct buffer device, host, out;

    int64_t clock_shift; /* added to every ts that is written */
    int64_t host_now, launch_now, end;
    int64_t stream_free[MAX_STREAMS];
    int64_t lane_free[2][MAX_LANES];
    int64_t memset_free;
    uint64_t correlation, external;
    int64_t allocated;
    uint64_t device_ops;
    int lanes_used[2];
    struct kernel *kernels;

    /* Damage: the numbers of the events that get it, sorted, and where the
     * event that is being written starts. */
    uint64_t events;
    uint64_t targets[MAX_DAMAGES];
    size_t target_count, next_target;
    bool counting, finished;
    const struct buffer *cut_buffer; /* the trace ends here */
    size_t cut_at;

    /* Output. */
    FILE *file;
    gzFile gz;
    uint64_t written;
};

/* ------------------------------------------------------------------------ */
/* Output                                                                     */

static void write_out(struct sim *s)
{
    struct buffer *b = &s->out;
    s->written += b->len;
    if (s->counting) {
        b->len = 0;
        return;
    }
    for (size_t done = 0; done < b->len;) {
        size_t part = b->len - done < (1 << 22) ? b->len - done : 1 << 22;
        bool good = s->gz != NULL ? gzwrite(s->gz, b->data + done, (unsigned)part) == (int)part
                                  : fwrite(b->data + done, 1, part, s->file) == part;
        if (!good)
            die(s->opt->output != NULL ? s->opt->output : "standard output", strerror(errno));
        done += part;
    }
    b->len = 0;
}

/* ------------------------------------------------------------------------ */
/* Damage                                                                     */

static char *find_in(char *from, const char *end, const char *what)
{
    size_t len = strlen(what);
    for (char *p = from; p + len <= end; p++)
        if (memcmp(p, what, len) == 0)
            return p;
    return NULL;
}

/* Replaces `remove` bytes at `at` by `bytes`. */
static void splice(struct buffer *b, size_t at, size_t remove, const char *bytes, size_t len)
{
    reserve(b, len);
    memmove(b->data + at + len, b->data + at + remove, b->len - at - remove);
    memcpy(b->data + at, bytes, len);
    b->len += len;
    b->len -= remove;
}

static void splice_text(struct buffer *b, size_t at, size_t remove, const char *text)
{
    splice(b, at, remove, text, strlen(text));
}

/* Into the middle of the event's name. */
static void damage_name(struct buffer *b, size_t start, const char *text)
{
    char *end = b->data + b->len;
    char *name = find_in(b->data + start, end, "\"name\": \"");
    if (name != NULL)
        splice_text(b, (size_t)(name - b->data) + 9 + 4, 0, text);
}

/* In the place of the duration's digits. */
static void damage_dur(struct buffer *b, size_t start, const char *text)
{
    char *end = b->data + b->len;
    char *dur = find_in(b->data + start, end, "\"dur\": ");
    if (dur == NULL)
        return;
    size_t at = (size_t)(dur - b->data) + 7;
    size_t digits = strspn(b->data + at, "0123456789.");
    splice_text(b, at, digits, text);
}

static void damage_depth(struct buffer *b, size_t start)
{
    enum { DEPTH = 5000 };
    char *args = find_in(b->data + start, b->data + b->len, "\"args\": {");
    if (args == NULL)
        return;
    size_t at = (size_t)(args - b->data) + 9;
    static char nested[2 * DEPTH];
    memset(nested, '[', DEPTH);
    memset(nested + DEPTH, ']', DEPTH);
    splice_text(b, at, 0, "\"deep\": , ");
    splice(b, at + 8, 0, nested, sizeof nested);
}

/* Damage of the event that has just been written from `start` on, without the
 * comma behind it. True if the comma is to be left out. */
static bool damage_event(struct sim *s, struct buffer *b, size_t start)
{
    switch (s->opt->damage) {
    case DAMAGE_MISSING_BRACE:
        b->len--;
        break;
    case DAMAGE_DOUBLE_COMMA:
        reserve(b, 64);
        PUT(b, ",");
        break;
    case DAMAGE_MISSING_COMMA:
        return true;
    case DAMAGE_CONTROL:
        damage_name(b, start, "\n\x01");
        break;
    case DAMAGE_ESCAPE:
        damage_name(b, start, "\\q\\x1");
        break;
    case DAMAGE_QUOTE:
        damage_name(b, start, "\"");
        break;
    case DAMAGE_UTF8:
        damage_name(b, start, "\xff\xc0\xaf");
        break;
    case DAMAGE_TERMINAL:
        damage_name(b, start, "\\u001b[2J\\u001b]0;title\\u0007\\u202e\\u009b31m");
        break;
    case DAMAGE_NAN:
        damage_dur(b, start, "NaN");
        break;
    case DAMAGE_NUMBER:
        damage_dur(b, start, "-1.-234");
        break;
    case DAMAGE_NEGATIVE:
        damage_dur(b, start, "-12.500");
        break;
    case DAMAGE_RANGE:
        damage_dur(b, start, "9300000000000000000.000");
        break;
    case DAMAGE_OUTLIER:
        damage_dur(b, start, "123456789012345.678");
        break;
    case DAMAGE_UNQUOTED_KEY: {
        char *key = find_in(b->data + start, b->data + b->len, "\"cat\"");
        if (key != NULL)
            splice_text(b, (size_t)(key - b->data), 5, "cat");
        break;
    }
    case DAMAGE_DUPLICATE_KEY: {
        char *key = find_in(b->data + start, b->data + b->len, "\"pid\": ");
        if (key != NULL)
            splice_text(b, (size_t)(key - b->data), 0, "\"name\": \"again\", ");
        break;
    }
    case DAMAGE_DEEP:
        damage_depth(b, start);
        break;
    case DAMAGE_GARBAGE: {
        char garbage[16];
        struct random r = random_seed(s->opt->seed + s->events);
        for (size_t i = 0; i < sizeof garbage; i++)
            garbage[i] = (char)random_next(&r);
        splice_text(b, b->len, 0, ",");
        splice(b, b->len, 0, garbage, sizeof garbage);
        break;
    }
    default:
        break;
    }
    return false;
}

static bool is_target(const struct sim *s)
{
    return s->next_target < s->target_count && s->events >= s->targets[s->next_target];
}

/* ------------------------------------------------------------------------ */
/* Events                                                                     */

/* Longest event, damage left aside. */
enum { EVENT_BYTES = 4096 };

/* "key": with what stands before it in either layout. */
#define KEY(s, b, name)                        \
    do {                                       \
        if ((s)->opt->compact)                 \
            PUT((b), ", \"" name "\": ");      \
        else                                   \
            PUT((b), ",\n    \"" name "\": "); \
    } while (0)

static size_t event_open(struct sim *s, struct buffer *b, char phase)
{
    reserve(b, EVENT_BYTES);
    size_t start = b->len;
    if (s->opt->compact)
        PUT(b, "{\"ph\": \"");
    else
        PUT(b, "\n  {\n    \"ph\": \"");
    b->data[b->len++] = phase;
    PUT(b, "\"");
    return start;
}

static void event_close(struct sim *s, struct buffer *b, size_t start, bool slice)
{
    if (s->opt->compact)
        PUT(b, "}");
    else
        PUT(b, "\n  }");

    bool comma = true;
    if (slice && !s->finished && is_target(s)) {
        s->next_target++;
        if (s->opt->damage == DAMAGE_CUT) {
            s->cut_buffer = b;
            s->cut_at = start + (b->len - start) * 3 / 5;
            s->finished = true;
        }
        comma = !damage_event(s, b, start);
        reserve(b, EVENT_BYTES);
    }
    s->events++;
    if (comma)
        PUT(b, ",");
    if (s->opt->compact)
        PUT(b, " ");
}

static void put_name(struct sim *s, struct buffer *b, const char *cat, const char *name)
{
    if (cat != NULL) {
        KEY(s, b, "cat");
        PUT(b, "\"");
        put_text(b, cat);
        PUT(b, "\"");
    }
    KEY(s, b, "name");
    PUT(b, "\"");
    put_text(b, name);
    PUT(b, "\"");
}

static void put_place(struct sim *s, struct buffer *b, int pid, int tid, int64_t ts)
{
    KEY(s, b, "pid");
    put_i64(b, pid);
    KEY(s, b, "tid");
    put_i64(b, tid);
    KEY(s, b, "ts");
    put_us(b, ts + s->clock_shift);
}

static void args_open(struct sim *s, struct buffer *b)
{
    if (s->opt->compact)
        PUT(b, ", \"args\": {");
    else
        PUT(b, "\n    ,\n    \"args\": {\n      ");
}

static void args_close(struct sim *s, struct buffer *b)
{
    if (s->opt->compact)
        PUT(b, "}");
    else
        PUT(b, "\n    }");
}

/* An X event up to the brace of its args. */
static size_t slice_open(struct sim *s, struct buffer *b, const char *cat, const char *name,
                         int pid, int tid, int64_t start, int64_t end)
{
    size_t event = event_open(s, b, 'X');
    put_name(s, b, cat, name);
    put_place(s, b, pid, tid, start);
    KEY(s, b, "dur");
    put_us(b, end - start);
    args_open(s, b);
    if (end > s->end)
        s->end = end;
    return event;
}

static void slice_close(struct sim *s, struct buffer *b, size_t event)
{
    args_close(s, b);
    event_close(s, b, event, true);
}

static void flow(struct sim *s, char phase, uint64_t id, int pid, int tid, int64_t ts)
{
    struct buffer *b = &s->device;
    size_t event = event_open(s, b, phase);
    KEY(s, b, "id");
    put_u64(b, id);
    put_place(s, b, pid, tid, ts);
    put_name(s, b, "ac2g", "ac2g");
    if (phase == 'f')
        PUT(b, ", \"bp\": \"e\"");
    event_close(s, b, event, false);
}

static void host_slice(struct sim *s, const char *cat, const char *name, int64_t start, int64_t end,
                       bool shapes)
{
    struct buffer *b = &s->host;
    size_t event = slice_open(s, b, cat, name, HOST_PID, HOST_TID, start, end);
    uint64_t id = s->external++;
    PUT(b, "\"External id\": ");
    put_u64(b, id);
    PUT(b, ",\"Record function id\": 0, ");
    if (shapes)
        PUT(b, "\"Concrete Inputs\": [\"\", \"\"], \"Input type\": [\"c10::Half\", \"c10::Half\"], "
               "\"Input Strides\": [[4096, 1], [1, 4096]], \"Input Dims\": [[64, 4096], [4096, "
               "4096]], ");
    PUT(b, "\"Ev Idx\": ");
    put_u64(b, id - 1);
    slice_close(s, b, event);
}

/* A call of the runtime; `extra` (may be NULL) is a further argument's name. */
static void runtime_slice(struct sim *s, const char *name, int64_t start, int64_t end,
                          uint64_t correlation, const char *extra, uint64_t value)
{
    struct buffer *b = &s->device;
    size_t event = slice_open(s, b, "privateuse1_runtime", name, HOST_PID, LAUNCH_TID, start, end);
    PUT(b, "\"correlation\": ");
    put_u64(b, correlation);
    if (extra != NULL) {
        PUT(b, ", \"");
        put_text(b, extra);
        PUT(b, "\": ");
        put_u64(b, value);
    }
    slice_close(s, b, event);
}

static void put_bandwidth(struct buffer *b, uint64_t bytes, int64_t dur)
{
    if (dur == 0) {
        PUT(b, "\"N/A\"");
        return;
    }
    uint64_t milliardths = bytes * UINT64_C(1000000000) / (uint64_t)dur;
    put_u64(b, milliardths / 1000000000);
    char decimals[10] = ".";
    uint64_t rest = milliardths % 1000000000;
    for (int i = 9; i > 0; i--, rest /= 10)
        decimals[i] = (char)('0' + rest % 10);
    put(b, decimals, sizeof decimals);
}

static void memory_instant(struct sim *s, int tid, int device_type, int64_t ts, int64_t bytes)
{
    struct buffer *b = &s->device;
    s->allocated += device_type == 1 ? bytes : 0;
    size_t event = event_open(s, b, 'i');
    KEY(s, b, "cat");
    PUT(b, "\"cpu_instant_event\"");
    KEY(s, b, "s");
    PUT(b, "\"t\"");
    KEY(s, b, "name");
    PUT(b, "\"[memory]\"");
    put_place(s, b, tid, tid, ts);
    args_open(s, b);
    PUT(b, "\"Total Reserved\": 0, \"Total Allocated\": ");
    put_i64(b, device_type == 1 ? s->allocated : bytes);
    PUT(b, ", \"Bytes\": ");
    put_i64(b, bytes);
    PUT(b, ", \"Addr\": ");
    put_u64(b, device_type == 1 ? UINT64_MAX - (uint64_t)between(&s->random, 0, 4096) * 128
                                : UINT64_C(94123456789504));
    PUT(b, ", \"Device Id\": 0, \"Device Type\": ");
    put_i64(b, device_type);
    args_close(s, b);
    event_close(s, b, event, false);
}

/* ------------------------------------------------------------------------ */
/* What the device does                                                       */

enum { HTOD, DTOH };

/* The lane of a copy: the first that is free, as the exporter spreads them. */
static int copy_lane(struct sim *s, int direction, int64_t start, int64_t end)
{
    int lane = 0;
    while (lane < MAX_LANES - 1 && s->lane_free[direction][lane] > start)
        lane++;
    s->lane_free[direction][lane] = end;
    if (lane >= s->lanes_used[direction])
        s->lanes_used[direction] = lane + 1;
    return lane;
}

/* Submits a copy at `at`; returns when it is done. */
static int64_t copy(struct sim *s, int direction, int64_t at, uint64_t bytes)
{
    struct random *r = &s->random;
    uint64_t correlation = s->correlation++;
    int64_t call = at > s->launch_now ? at : s->launch_now;
    int64_t call_end = call + between(r, 3 * US, 8 * US);
    runtime_slice(s, direction == HTOD ? "aiuDataTransferHtoD" : "aiuDataTransferDtoH", call,
                  call_end, correlation, "bytes", bytes);
    int64_t submit = call_end - between(r, 1600, 2400);
    runtime_slice(s, "aiuSubmitToHardware", submit, submit + between(r, 900, 1600), correlation,
                  NULL, 0);
    s->launch_now = call_end + between(r, 500, 1500);

    int64_t start = s->launch_now + between(r, 4 * US, 30 * US);
    int64_t speed = between(r, 240, 330); /* tenths of GB/s */
    int64_t dur = chance(r, 1) ? 0 : (int64_t)(bytes * 10 / (uint64_t)speed);
    int lane = copy_lane(s, direction, start, start + dur);
    struct buffer *b = &s->device;
    size_t event = slice_open(s, b, "gpu_memcpy",
                              direction == HTOD ? "Memcpy (HtoD)" : "Memcpy (DtoH)", DEVICE_PID,
                              (direction == HTOD ? TID_HTOD : TID_DTOH) + lane, start, start + dur);
    put_text(b, direction == HTOD ? "\"call\": \"HtoD\"" : "\"call\": \"DtoH\"");
    PUT(b, ", \"device\": 0, \"context\": \"0\", \"correlation\": ");
    put_u64(b, correlation);
    PUT(b, ", \"memory operation id\": ");
    put_u64(b, direction == HTOD ? 1 : 2);
    PUT(b, ", \"bytes\": ");
    put_u64(b, bytes);
    PUT(b, ", \"memory bandwidth (GB/s)\": ");
    put_bandwidth(b, bytes, dur);
    slice_close(s, b, event);
    s->device_ops++;
    return start + dur;
}

static void allocate(struct sim *s, int64_t at, uint64_t bytes)
{
    struct random *r = &s->random;
    uint64_t correlation = s->correlation++;
    int64_t call = at > s->launch_now ? at : s->launch_now;
    int64_t call_end = call + between(r, 6 * US, 15 * US);
    runtime_slice(s, "aiuMalloc", call, call_end, correlation, NULL, 0);
    s->launch_now = call_end + 300;
    memory_instant(s, LAUNCH_TID, 1, call_end, (int64_t)bytes);

    /* Allocations may overlap on their one lane. */
    int64_t start = call_end - between(r, 1 * US, 5 * US);
    int64_t dur = between(r, 9 * US, 16 * US);
    struct buffer *b = &s->device;
    size_t event = slice_open(s, b, "gpu_memset", "Memset (Device)", DEVICE_PID, TID_MEMSET, start,
                              start + dur);
    PUT(b, "\"call\": \"Memset\", \"device\": 0, \"context\": \"0\", \"correlation\": ");
    put_u64(b, correlation);
    PUT(b, ", \"bytes\": ");
    put_u64(b, bytes);
    PUT(b, ", \"memory bandwidth (GB/s)\": ");
    put_bandwidth(b, bytes, dur);
    slice_close(s, b, event);
    s->device_ops++;
}

static void put_cycles(struct sim *s, struct buffer *b, int64_t start, int64_t dur)
{
    if (between(&s->random, 0, 200) == 0) { /* the counter failed */
        PUT(b, "[0, 0, 0, 0, 0]");
        return;
    }
    /* 560 MHz, 32 bits. */
    uint64_t ts1 = (uint64_t)start * 56 / 100;
    uint64_t ts2 = ts1 + (uint64_t)between(&s->random, 0, 60);
    uint64_t ts3 = ts2 + (uint64_t)between(&s->random, 300, 600);
    uint64_t ts4 = ts3 + (uint64_t)dur * 56 / 100;
    uint64_t all[5] = {ts1, ts2, ts3, ts4, ts4 + (uint64_t)between(&s->random, 5, 40)};
    for (int i = 0; i < 5; i++) {
        put_text(b, i == 0 ? "[" : ", ");
        put_u64(b, all[i] & UINT32_MAX);
    }
    PUT(b, "]");
}

static void kernel_slice(struct sim *s, const struct kernel *kernel, int stream,
                         uint64_t correlation, int64_t queued, int64_t submitted, int64_t start,
                         int64_t end)
{
    struct buffer *b = &s->device;
    size_t event = slice_open(s, b, "kernel", kernel->name, DEVICE_PID, stream, start, end);
    PUT(b, "\"queued\": ");
    put_i64(b, base_time_ns + queued);
    PUT(b, ", \"submitted\": ");
    put_i64(b, base_time_ns + submitted);
    PUT(b, ", \"device\": 0, \"stream\": 1, \"context\": \"0\", \"correlation\": ");
    put_u64(b, correlation);
    PUT(b, ", \"provenance_key\": \"");
    put_text(b, kernel->key);
    PUT(b, "\", \"debug_handles\": [");
    put_text(b, kernel->handles);
    PUT(b, "], \"cycles_ts\": ");
    put_cycles(s, b, start, end - start);
    slice_close(s, b, event);
    s->device_ops++;
}

/* Launches a kernel at `at`; returns when it is done. With `early` it starts
 * before the one before it on its stream has ended. */
static int64_t launch(struct sim *s, const struct kernel *kernel, int64_t at, int stream,
                      bool early, bool first)
{
    struct random *r = &s->random;
    uint64_t correlation = s->correlation++;
    int64_t call = at > s->launch_now ? at : s->launch_now;
    int64_t call_end = call + between(r, 2500, 4400);
    runtime_slice(s, "aiuLaunchControlBlocks", call, call_end, correlation, "num_cbs",
                  (uint64_t)between(r, 1, 9));
    flow(s, 's', correlation, HOST_PID, LAUNCH_TID, call);
    int64_t submit = call_end + between(r, 300, 1000);
    int64_t submit_end = submit + between(r, 1000, 2000);
    runtime_slice(s, "aiuSubmitToHardware", submit, submit_end, correlation, NULL, 0);
    s->launch_now = submit_end + between(r, 200, 800);

    int64_t dur = kernel->base_ns * between(r, 970, 1030) / 1000;
    if (chance(r, 1))
        dur = dur * 3 / 2;
    if (first)
        dur = dur * 13 / 10;

    int64_t start = submit_end + between(r, 40 * US, 140 * US);
    int64_t free_at = s->stream_free[stream];
    if (start < free_at)
        start = early ? free_at - (free_at - start) * between(r, 5, 40) / 100
                      : free_at + between(r, 1 * US, 8 * US);
    int64_t end = start + dur;
    if (end > free_at)
        s->stream_free[stream] = end;

    kernel_slice(s, kernel, stream, correlation, call, submit, start, end);
    flow(s, 'f', correlation, DEVICE_PID, stream, start);
    return end;
}

/* The launching thread waits for what it has submitted, and tells the host. */
static int64_t wait_for(struct sim *s, int64_t done)
{
    struct random *r = &s->random;
    int64_t end = done + between(r, 2 * US, 6 * US);
    if (end <= s->launch_now)
        end = s->launch_now + 2 * US;
    uint64_t correlation = s->correlation - 1;
    runtime_slice(s, "aiuScheduleWait", s->launch_now, end, correlation, NULL, 0);
    int64_t callback = end + between(r, 400, 1200);
    int64_t callback_end = callback + between(r, 2 * US, 5 * US);
    runtime_slice(s, "aiuIssueCallback", callback, callback_end, correlation, NULL, 0);
    s->launch_now = callback_end + between(r, 300, 900);
    return callback_end;
}

/* ------------------------------------------------------------------------ */
/* What the host does                                                         */

static const char *const outer_ops[] = {
    "aten::linear", "aten::softmax", "aten::rms_norm",  "aten::silu",
    "aten::matmul", "aten::add",     "aten::embedding", "aten::scaled_dot_product_attention",
};
static const char *const inner_ops[] = {
    "aten::t",        "aten::transpose", "aten::as_strided", "aten::mm",      "aten::view",
    "aten::_to_copy", "aten::addmm",     "aten::mul",        "aten::reshape", "aten::empty_strided",
};

#define PICK(r, array) (array)[between((r), 0, (int64_t)(sizeof(array) / sizeof *(array)))]

/* One op and, in it, `budget` more at most, appended to ops[] in the order of
 * their start. */
static void run_op(struct sim *s, struct op *ops, size_t *count, uint64_t *budget, int depth)
{
    struct random *r = &s->random;
    struct op *op = &ops[(*count)++];
    op->name = depth == 0 ? PICK(r, outer_ops) : PICK(r, inner_ops);
    op->start = s->host_now;
    op->shapes = depth < 2;
    s->host_now += between(r, 1 * US, 6 * US);
    while (*budget > 0 && depth < 5 && *count < MAX_OPS && chance(r, 70 - 10 * depth)) {
        (*budget)--;
        run_op(s, ops, count, budget, depth + 1);
        s->host_now += between(r, 200, 900);
    }
    s->host_now += between(r, 500, 4 * US);
    op->end = s->host_now;
}

static void run_ops(struct sim *s, uint64_t budget)
{
    while (budget > 0) {
        struct op ops[MAX_OPS];
        size_t count = 0;
        budget--;
        run_op(s, ops, &count, &budget, 0);
        for (size_t i = 0; i < count; i++)
            host_slice(s, "cpu_op", ops[i].name, ops[i].start, ops[i].end, ops[i].shapes);
        s->host_now += between(&s->random, 500, 2500);
    }
}

/* Ops, the launch, and the wait for the result. */
static void run_kernel(struct sim *s, uint64_t index, uint64_t ops, bool *pending, bool first)
{
    struct random *r = &s->random;
    run_ops(s, ops);

    int64_t start = s->host_now;
    s->host_now += between(r, 6 * US, 14 * US);
    host_slice(s, "cpu_op", "launch::Compute", start, s->host_now, false);

    int stream = 0;
    if (s->opt->streams > 1 && index % 5 == 4)
        stream = 1 + (int)(index / 5 % (s->opt->streams - 1));
    int64_t done =
        launch(s, &s->kernels[index], start + between(r, 2 * US, 5 * US), stream, *pending, first);

    /* Now and then the next kernel is submitted before this one is done, and
     * other streams run beside the first. */
    *pending = stream == 0 && chance(r, 12);
    int64_t wait = s->host_now + between(r, 1 * US, 3 * US);
    int64_t wait_end = wait + between(r, 3 * US, 9 * US);
    if (!*pending && stream == 0) {
        int64_t told = wait_for(s, done);
        if (told + 2 * US > wait_end)
            wait_end = told + between(r, 1 * US, 4 * US);
    }
    host_slice(s, "cpu_op", "launch::HostCallback", wait, wait_end, false);
    s->host_now = wait_end + between(r, 1 * US, 5 * US);
}

static void run_layer(struct sim *s, bool first)
{
    const struct options *opt = s->opt;
    struct random *r = &s->random;
    bool pending = false;
    for (uint64_t k = 0; k < opt->kernels; k++)
        run_kernel(s, k, opt->ops / opt->kernels + (k < opt->ops % opt->kernels), &pending, first);
    if (opt->kernels == 0)
        run_ops(s, opt->ops);

    /* Weights of a later layer, in parts that overlap. */
    if (chance(r, 30)) {
        int64_t start = s->host_now;
        for (int64_t part = between(r, 1, 4); part > 0; part--)
            copy(s, HTOD, s->host_now, (uint64_t)between(r, 4, 33) << 20);
        s->host_now += between(r, 20 * US, 40 * US);
        host_slice(s, "cpu_op", "launch::H2D", start, s->host_now, false);
    }
}

static int64_t nominal_iteration(const struct sim *s)
{
    int64_t sum = 2 * MS;
    for (uint64_t k = 0; k < s->opt->kernels; k++)
        sum += s->kernels[k].base_ns + 150 * US;
    return sum * (int64_t)(s->opt->layers > 0 ? s->opt->layers : 1);
}

static void compile(struct sim *s)
{
    struct random *r = &s->random;
    int64_t start = s->host_now;
    int64_t took = nominal_iteration(s) * between(r, 380, 420) / 100;
    int64_t call = start + took / 5;
    runtime_slice(s, "aiuInitGraph", call, call + took / 20, 0, NULL, 0);
    runtime_slice(s, "aiuCompileGraph", call + took / 18, start + took - 80 * US, 0, NULL, 0);
    s->host_now = start + took;
    s->launch_now = s->host_now - 50 * US;
    host_slice(s, "cpu_op", "inductor compile (dynamo_timed)", start, s->host_now, false);
    host_slice(s, "cpu_op", "aten::_spyre_codegen", call, s->host_now - 90 * US, false);
}

static void copy_inputs(struct sim *s)
{
    struct random *r = &s->random;
    int64_t start = s->host_now;
    int64_t done = 0;
    memory_instant(s, HOST_TID, 0, start + 900, between(r, 1, 64) << 10);
    for (int i = 0; i < 3; i++) {
        allocate(s, s->host_now + 2 * US, (uint64_t)between(r, 1, 9) << 20);
        int64_t end = copy(s, HTOD, s->host_now + 8 * US, (uint64_t)between(r, 2, 9) << 20);
        done = end > done ? end : done;
    }
    s->host_now = done + between(r, 3 * US, 8 * US);
    host_slice(s, "cpu_op", "aten::to", start, s->host_now, true);
    host_slice(s, "cpu_op", "aten::_to_copy", start + 1500, s->host_now - 400, true);
    host_slice(s, "cpu_op", "aten::copy_", start + 3200, s->host_now - 800, false);
    host_slice(s, "cpu_op", "launch::H2D", start + 6100, s->host_now - 1200, false);
}

static void copy_result(struct sim *s)
{
    struct random *r = &s->random;
    for (uint64_t i = 0; i < s->opt->streams; i++)
        if (s->stream_free[i] > s->host_now)
            s->host_now = s->stream_free[i];
    int64_t start = s->host_now;
    int64_t done = copy(s, DTOH, start + 8 * US, (uint64_t)between(r, 64, 512) << 10);
    int64_t other = copy(s, DTOH, start + 9 * US, (uint64_t)between(r, 64, 512) << 10);
    s->host_now = (done > other ? done : other) + between(r, 3 * US, 8 * US);
    host_slice(s, "cpu_op", "aten::item", start, s->host_now, true);
    host_slice(s, "cpu_op", "aten::_local_scalar_dense", start + 1100, s->host_now - 700, false);
    memory_instant(s, LAUNCH_TID, 1, s->host_now, -(between(r, 1, 9) << 20));
}

static void numbered(char out[48], const char *prefix, uint64_t number)
{
    snprintf(out, 48, "%s%" PRIu64, prefix, number);
}

static void run_iteration(struct sim *s, uint64_t number)
{
    struct random *r = &s->random;
    bool first = number == 0;
    int64_t step = s->host_now;
    s->host_now += between(r, 15 * US, 40 * US);
    int64_t iteration = s->host_now;
    s->host_now += between(r, 4 * US, 9 * US);

    int64_t lookup = s->host_now;
    s->host_now += between(r, 12 * US, 30 * US);
    host_slice(s, "cpu_op", "TorchDynamo Cache Lookup", lookup, s->host_now, false);
    if (first)
        compile(s);
    s->host_now += between(r, 2 * US, 5 * US);

    int64_t region = s->host_now;
    s->host_now += between(r, 10 * US, 20 * US);
    copy_inputs(s);
    uint64_t stall = chance(r, 25) ? random_next(r) % (s->opt->layers + 1) : UINT64_MAX;
    for (uint64_t layer = 0; layer < s->opt->layers; layer++) {
        if (layer == stall) { /* the host does something else for a while */
            int64_t start = s->host_now;
            s->host_now += between(r, 3 * MS, 9 * MS);
            host_slice(s, "cpu_op", "aten::nonzero", start, s->host_now, true);
        }
        run_layer(s, first);
    }
    s->host_now += between(r, 5 * US, 9 * US);
    host_slice(s, "cpu_op", "Torch-Compiled Region: 0/0", region, s->host_now, false);
    copy_result(s);

    char name[48];
    numbered(name, "iteration_", number);
    s->host_now += between(r, 5 * US, 30 * US);
    host_slice(s, "user_annotation", name, iteration, s->host_now, false);
    numbered(name, "ProfilerStep#", number);
    s->host_now += between(r, 20 * US, 60 * US);
    host_slice(s, "user_annotation", name, step, s->host_now, false);

    /* Sampling, scheduling: the device has nothing to do. */
    s->host_now += between(r, 1500 * US, 5 * MS);
    if (chance(r, 15))
        s->host_now += between(r, 6 * MS, 12 * MS);
}

/* ------------------------------------------------------------------------ */
/* The file around the events                                                 */

static void metadata(struct sim *s, const char *what, int pid, int tid, const char *key,
                     const char *text, int64_t number)
{
    struct buffer *b = &s->host;
    size_t event = event_open(s, b, 'M');
    put_name(s, b, NULL, what);
    put_place(s, b, pid, tid, first_ts_ns);
    args_open(s, b);
    PUT(b, "\"");
    put_text(b, key);
    PUT(b, "\": ");
    if (text != NULL) {
        PUT(b, "\"");
        put_text(b, text);
        PUT(b, "\"");
    } else {
        put_i64(b, number);
    }
    args_close(s, b);
    event_close(s, b, event, false);
}

static void process(struct sim *s, int pid, const char *labels, int64_t sort_index)
{
    metadata(s, "process_name", pid, 0, "name", "python3", 0);
    metadata(s, "process_labels", pid, 0, "labels", labels, 0);
    metadata(s, "process_sort_index", pid, 0, "sort_index", NULL, sort_index);
}

static void thread(struct sim *s, int pid, int tid, const char *name, int64_t sort_index)
{
    metadata(s, "thread_name", pid, tid, "name", name, 0);
    metadata(s, "thread_sort_index", pid, tid, "sort_index", NULL, sort_index);
}

static void all_metadata(struct sim *s)
{
    char name[48];
    process(s, DEVICE_PID, "AIU 0", 5000000);
    process(s, HOST_PID, "CPU", HOST_PID);
    for (uint64_t i = 0; i < s->opt->streams; i++) {
        numbered(name, "Stream ", i);
        thread(s, DEVICE_PID, (int)i, name, 1000 + (int64_t)i);
    }
    for (int lane = 0; lane < s->lanes_used[HTOD]; lane++)
        thread(s, DEVICE_PID, TID_HTOD + lane, lane == 0 ? "Memcpy (HtoD):" : " ", TID_HTOD + lane);
    for (int lane = 0; lane < s->lanes_used[DTOH]; lane++)
        thread(s, DEVICE_PID, TID_DTOH + lane, lane == 0 ? "Memcpy (DtoH):" : " ", TID_DTOH + lane);
    thread(s, DEVICE_PID, TID_MEMSET, "Memory management:", TID_MEMSET);
    numbered(name, "thread ", HOST_TID);
    strcat(name, " (python3)");
    thread(s, HOST_PID, HOST_TID, name, HOST_TID);
    numbered(name, "Thread ", LAUNCH_TID);
    thread(s, HOST_PID, LAUNCH_TID, name, LAUNCH_TID);
}

/* An event whose process and thread are words. */
static size_t word_open(struct sim *s, char phase, const char *cat, const char *name,
                        const char *pid, const char *tid, int64_t ts)
{
    struct buffer *b = &s->host;
    size_t event = event_open(s, b, phase);
    if (phase == 'i') {
        KEY(s, b, "s");
        PUT(b, "\"g\"");
    }
    put_name(s, b, cat, name);
    KEY(s, b, "pid");
    PUT(b, "\"");
    put_text(b, pid);
    PUT(b, "\"");
    KEY(s, b, "tid");
    PUT(b, "\"");
    put_text(b, tid);
    PUT(b, "\"");
    KEY(s, b, "ts");
    put_us(b, ts + s->clock_shift);
    return event;
}

/* The wrapper that spans the recording, and its mark. */
static void recording(struct sim *s, const char *profiler, uint64_t ops)
{
    struct buffer *b = &s->host;
    char name[80];
    int64_t start = first_ts_ns + 20 * US;
    snprintf(name, sizeof name, "%s (0)", profiler);
    size_t event = word_open(s, 'X', "Trace", name, "Spans", profiler, start);
    KEY(s, b, "dur");
    put_us(b, s->end + 200 * US - start);
    args_open(s, b);
    PUT(b, "\"Op count\": ");
    put_u64(b, ops);
    args_close(s, b);
    event_close(s, b, event, false);

    event = event_open(s, b, 'M');
    put_name(s, b, NULL, "process_sort_index");
    KEY(s, b, "pid");
    PUT(b, "\"Spans\"");
    KEY(s, b, "tid");
    PUT(b, "0");
    KEY(s, b, "ts");
    put_us(b, start + s->clock_shift);
    args_open(s, b);
    PUT(b, "\"sort_index\": 536870912");
    args_close(s, b);
    event_close(s, b, event, false);

    snprintf(name, sizeof name, "Iteration Start: %s", profiler);
    char tid[80];
    snprintf(tid, sizeof tid, "Trace %s", profiler);
    event = word_open(s, 'i', NULL, name, "Traces", tid, start);
    event_close(s, b, event, false);
}

static void write_head(struct sim *s)
{
    struct buffer *b = &s->out;
    reserve(b, EVENT_BYTES);
    if (s->opt->compact) {
        PUT(b, "{\"schemaVersion\": 1, \"deviceProperties\": [{\"id\": 0, \"type\": \"AIU\", "
               "\"name\": \"AIU\", \"core\": \"PT Array\"}], \"record_shapes\": 1, "
               "\"profile_memory\": 1, \"host_name\": \"spyre-node-0\", \"displayTimeUnit\": "
               "\"ms\", ");
        if (!s->opt->epoch) {
            PUT(b, "\"baseTimeNanoseconds\": ");
            put_i64(b, base_time_ns);
            PUT(b, ", ");
        }
        PUT(b, "\"traceEvents\": [");
    } else {
        PUT(b, "{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [{\"id\": 0, \"type\": "
               "\"AIU\", \"name\": \"AIU\", \"core\": \"PT Array\"}],\n  \"record_shapes\": 1,\n  "
               "\"profile_memory\": 1,\n  \"host_name\": \"spyre-node-0\",\n  "
               "\"displayTimeUnit\": \"ms\",\n");
        if (!s->opt->epoch) {
            PUT(b, "  \"baseTimeNanoseconds\": ");
            put_i64(b, base_time_ns);
            PUT(b, ",\n");
        }
        PUT(b, "  \"traceEvents\": [");
    }
    if (s->opt->damage == DAMAGE_LEADING_COMMA)
        PUT(b, ",");
}

static void write_tail(struct sim *s)
{
    struct buffer *b = &s->host;
    all_metadata(s);
    recording(s, "PyTorch Profiler", s->external - 901);
    recording(s, "__aiu_profiler__", s->device_ops);
    size_t event = word_open(s, 'i', NULL, "Record Window End", "", "", s->end + 250 * US);
    event_close(s, b, event, false);

    /* Nothing follows the last event. */
    while (b->data[b->len - 1] == ',' || b->data[b->len - 1] == ' ')
        b->len--;
    if (s->opt->damage == DAMAGE_TRAILING_COMMA)
        PUT(b, ",");
    if (s->opt->damage == DAMAGE_MISSING_BRACKET)
        return;
    if (s->opt->compact)
        PUT(b, "], \"traceName\": \"spyre_trace.json\"}");
    else
        PUT(b, "\n  ],\n  \"traceName\": \"spyre_trace.json\"\n}\n");
    if (s->opt->damage == DAMAGE_TRAILING_DATA)
        PUT(b, "Killed\n");
}

/* The buffers, joined and written. A cut may lie in either of them; nothing
 * follows it. */
static void join(struct sim *s)
{
    struct buffer *parts[] = {&s->device, &s->host};
    for (size_t i = 0; i < 2; i++) {
        bool cut = parts[i] == s->cut_buffer;
        size_t len = cut ? s->cut_at : parts[i]->len;
        reserve(&s->out, len);
        put(&s->out, parts[i]->data, len);
        parts[i]->len = 0;
        if (cut)
            break;
    }
    write_out(s);
}

/* ------------------------------------------------------------------------ */
/* Putting it together                                                        */

static void name_kernels(struct sim *s)
{
    static const char base32[] = "abcdefghijklmnopqrstuvwxyz234567";
    struct random r = random_seed(s->opt->seed ^ UINT64_C(0x6b65726e656c));
    s->kernels = calloc(s->opt->kernels + 1, sizeof *s->kernels);
    if (s->kernels == NULL)
        die("memory", strerror(ENOMEM));
    for (uint64_t i = 0; i < s->opt->kernels; i++) {
        struct kernel *k = &s->kernels[i];
        /* Several steps of a job plan belong to one compiled kernel. */
        k->summary = kernel_models[i % KERNEL_MODELS].summary;
        k->base_ns = kernel_models[i % KERNEL_MODELS].base_ns;
        for (int c = 0; c < 16; c++)
            k->key[c] = base32[random_next(&r) >> 59];
        snprintf(k->name, sizeof k->name, "spyre_kernel_v1_%s_%s#%" PRIu64, k->summary, k->key, i);
        size_t len = 0;
        for (uint64_t handles = 1 + random_next(&r) % 3; handles > 0; handles--)
            len += (size_t)snprintf(k->handles + len, sizeof k->handles - len, "%s\"%" PRIu64 "\"",
                                    len > 0 ? ", " : "", random_next(&r) >> 1);
    }
}

static void generate(struct sim *s)
{
    const struct options *opt = s->opt;
    s->random = random_seed(opt->seed);
    s->clock_shift = opt->epoch ? base_time_ns : 0;
    s->host_now = first_ts_ns + 400 * US;
    s->launch_now = s->host_now;
    s->end = s->host_now;
    s->correlation = 5001;
    s->external = 901;
    name_kernels(s);

    write_head(s);
    for (uint64_t i = 0; !s->finished; i++) {
        if (opt->size > 0 ? s->written >= opt->size : i >= opt->iterations)
            break;
        run_iteration(s, i);
        if (!s->finished)
            join(s);
    }
    if (!s->finished)
        write_tail(s);
    join(s);
    free(s->kernels);
}

static void sim_free(struct sim *s)
{
    free(s->device.data);
    free(s->host.data);
    free(s->out.data);
}

/* Where the damage goes: a dry run counts the events, then the places are
 * spread over the middle of the trace. */
static void choose_targets(struct sim *s, const struct options *opt)
{
    struct options plain = *opt;
    plain.damage = DAMAGE_NONE;
    struct sim dry = {.opt = &plain, .counting = true};
    generate(&dry);
    uint64_t events = dry.events;
    sim_free(&dry);

    struct random r = random_seed(opt->seed ^ UINT64_C(0x64616d616765));
    uint64_t part = events / (opt->damage_count + 1);
    for (uint64_t i = 0; i < opt->damage_count; i++)
        s->targets[s->target_count++] = part / 2 + part * i + random_next(&r) % (part + 1);
}

static uint64_t parse_number(const char *option, const char *text, uint64_t low, uint64_t high)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (errno != 0 || end == text || text[0] == '-')
        die(option, "not a number");
    static const char units[] = "kMG";
    const char *unit = *end != '\0' ? strchr(units, *end) : NULL;
    if (unit != NULL && end[1] == '\0') {
        value <<= 10 * (unit - units + 1);
        end++;
    }
    if (*end != '\0' || value < low || value > high)
        die(option, "bad value");
    return value;
}

static enum damage_kind parse_damage(const char *text)
{
    for (int i = 0; i < DAMAGE_KIND_COUNT; i++)
        if (strcmp(text, damages[i].name) == 0)
            return (enum damage_kind)i;
    die(text, "unknown damage (--help lists them)");
}

static void help(void)
{
    puts("usage: gen-trace [OPTION]...\n"
         "Writes a synthetic Spyre profiler trace.\n\n"
         "  -o, --output=FILE    write there (gzip if it ends in .gz), not to standard output\n"
         "  --seed=N             another trace of the same kind (1)\n"
         "  --iterations=N       iterations (8)\n"
         "  --size=BYTES[k|M|G]  repeat iterations until the trace has this size\n"
         "  --layers=N           layers of the model (40)\n"
         "  --kernels=N          kernels per layer (10)\n"
         "  --ops=N              host ops per layer (30)\n"
         "  --streams=N          streams of the device (1)\n"
         "  --format=FORMAT      kineto (a field a line) or compact (all in one line)\n"
         "  --epoch              times since 1970 in ts, without baseTimeNanoseconds\n"
         "  --damage=KIND        what is wrong with the trace (none)\n"
         "  --damage-count=N     in so many places (1)\n\n"
         "Kinds of damage:");
    for (int i = 0; i < DAMAGE_KIND_COUNT; i++)
        printf("  %-19s  %s\n", damages[i].name, damages[i].text);
}

static void parse_options(int argc, char **argv, struct options *opt)
{
    enum {
        SEED = 256,
        ITERATIONS,
        LAYERS,
        KERNELS,
        OPS,
        STREAMS,
        SIZE,
        DAMAGE,
        COUNT,
        FORMAT,
        EPOCH
    };
    static const struct option names[] = {
        {"seed", required_argument, NULL, SEED},
        {"iterations", required_argument, NULL, ITERATIONS},
        {"layers", required_argument, NULL, LAYERS},
        {"kernels", required_argument, NULL, KERNELS},
        {"ops", required_argument, NULL, OPS},
        {"streams", required_argument, NULL, STREAMS},
        {"size", required_argument, NULL, SIZE},
        {"damage", required_argument, NULL, DAMAGE},
        {"damage-count", required_argument, NULL, COUNT},
        {"format", required_argument, NULL, FORMAT},
        {"epoch", no_argument, NULL, EPOCH},
        {"output", required_argument, NULL, 'o'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    int c;
    while ((c = getopt_long(argc, argv, "o:h", names, NULL)) != -1) {
        switch (c) {
        case SEED:
            opt->seed = parse_number("--seed", optarg, 0, UINT64_MAX);
            break;
        case ITERATIONS:
            opt->iterations = parse_number("--iterations", optarg, 0, UINT32_MAX);
            break;
        case LAYERS:
            opt->layers = parse_number("--layers", optarg, 0, 100000);
            break;
        case KERNELS:
            opt->kernels = parse_number("--kernels", optarg, 0, 100000);
            break;
        case OPS:
            opt->ops = parse_number("--ops", optarg, 0, 100000);
            break;
        case STREAMS:
            opt->streams = parse_number("--streams", optarg, 1, MAX_STREAMS);
            break;
        case SIZE:
            opt->size = parse_number("--size", optarg, 1, UINT64_MAX);
            break;
        case DAMAGE:
            opt->damage = parse_damage(optarg);
            break;
        case COUNT:
            opt->damage_count = parse_number("--damage-count", optarg, 1, MAX_DAMAGES);
            break;
        case FORMAT:
            opt->compact = strcmp(optarg, "compact") == 0;
            if (!opt->compact && strcmp(optarg, "kineto") != 0)
                die("--format", "kineto or compact");
            break;
        case EPOCH:
            opt->epoch = true;
            break;
        case 'o':
            opt->output = optarg;
            break;
        case 'h':
            help();
            exit(0);
        default:
            exit(2);
        }
    }
    if (optind < argc)
        die(argv[optind], "no arguments are taken");
}

int main(int argc, char **argv)
{
    struct options opt = {
        .seed = 1,
        .iterations = 8,
        .layers = 40,
        .kernels = 10,
        .ops = 30,
        .streams = 1,
        .damage_count = 1,
    };
    parse_options(argc, argv, &opt);

    struct sim s = {.opt = &opt, .file = stdout};
    if (opt.damage != DAMAGE_NONE)
        choose_targets(&s, &opt);

    if (opt.output != NULL) {
        size_t len = strlen(opt.output);
        errno = 0;
        if (len > 3 && strcmp(opt.output + len - 3, ".gz") == 0)
            s.gz = gzopen(opt.output, "wb9");
        else
            s.file = fopen(opt.output, "wb");
        if (s.gz == NULL && s.file == NULL)
            die(opt.output, strerror(errno));
    }
    generate(&s);
    sim_free(&s);
    if (s.gz != NULL ? gzclose(s.gz) != Z_OK : fclose(s.file) != 0)
        die(opt.output != NULL ? opt.output : "standard output", strerror(errno));
    return 0;
}
