#include "trace/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cores.h"
#include "base/memory.h"
#include "scan/scanner.h"
#include "trace/finish.h"
#include "trace/members.h"
#include "trace/parallel.h"

struct loader {
    struct builder builder;
    const struct load_options *options;
    struct load_progress progress;
    struct parallel *parallel; /* NULL: one thread does it all */
    uint64_t bytes_before;     /* of the files already read */
    bool cancelled;
    bool has_array; /* some file has a traceEvents array, or the array form */
};

static struct trace_file *current_file(struct loader *l)
{
    return &l->builder.t->files[l->builder.file];
}

static void on_event(void *context, const struct event *ev, uint64_t byte)
{
    struct loader *l = context;
    builder_event(&l->builder, ev, byte);
}

static void on_damage(void *context, enum damage_kind kind, uint64_t byte)
{
    struct loader *l = context;
    damage_add(&l->builder.t->damage, kind, l->builder.file, byte);
}

static void on_member(void *context, const struct token *key, const struct token *value,
                      uint64_t key_byte, uint64_t byte)
{
    struct loader *l = context;
    member_add(l->builder.t, current_file(l), key, value, key_byte, byte);
}

static bool on_progress(void *context, uint64_t text_bytes)
{
    struct loader *l = context;
    const struct load_options *options = l->options;
    if (!options || !options->progress)
        return true;
    uint64_t consumed =
        l->parallel ? parallel_consumed(l->parallel) : input_consumed(current_file(l)->in);
    l->progress.bytes_done = l->bytes_before + consumed;
    l->progress.text_bytes = text_bytes;
    l->progress.events = l->builder.t->event_count;
    if (!options->progress(options->context, &l->progress))
        l->cancelled = true;
    return !l->cancelled;
}

static size_t read_input(void *context, void *buffer, size_t size)
{
    return input_read(context, buffer, size);
}

static void add_notes(struct trace *t, uint32_t file)
{
    const struct input_note *notes;
    size_t count = input_notes(t->files[file].in, &notes);
    for (size_t i = 0; i < count; i++)
        damage_add(&t->damage, notes[i].kind, file, notes[i].byte);
}

/* Threads are worth their start for large files, and for pipes, whose size nobody
 * knows. */
enum { LARGE_FILE = 8 << 20 };

static unsigned threads_for(struct loader *l)
{
    const struct load_options *options = l->options;
    if (options && options->chunk)
        return options->threads; /* a test wants it so */
    uint64_t size = input_file_bytes(current_file(l)->in);
    if (size > 0 && size < LARGE_FILE)
        return 1;
    return options && options->threads ? options->threads : cores_usable();
}

static struct scan_result scan_file(struct loader *l, const struct scan_sink *sink)
{
    struct input *in = current_file(l)->in;
    struct scan_source source = {.read = read_input, .context = in};
    unsigned threads = threads_for(l);
    if (threads > 1)
        l->parallel = parallel_start(in, &l->builder, threads, l->options ? l->options->chunk : 0);
    if (!l->parallel)
        return scan_text(&source, sink);
    struct scan_result result = scan_text(parallel_source(l->parallel), sink);
    parallel_end(l->parallel);
    l->parallel = NULL;
    return result;
}

static void load_file(struct loader *l)
{
    struct trace *t = l->builder.t;
    struct trace_file *file = current_file(l);
    struct scan_sink sink = {
        .context = l,
        .event = on_event,
        .damage = on_damage,
        .member = on_member,
        .progress = on_progress,
    };
    struct scan_result result = scan_file(l, &sink);
    l->has_array |= result.has_array;
    file->packing = input_packing(file->in);
    file->file_bytes = input_file_bytes(file->in);
    file->text_bytes = result.text_bytes;
    l->bytes_before += file->file_bytes;
    add_notes(t, l->builder.file);
    if (input_changed(file->in))
        damage_add(&t->damage, DAMAGE_CHANGED_ON_DISK, l->builder.file, DAMAGE_NO_PLACE);
}

/* One line that says why nothing could be loaded. */
static void say_why(const struct trace *t, bool has_array, struct error *err)
{
    static const enum damage_kind telling[] = {
        DAMAGE_READ_ERROR, DAMAGE_EMPTY_FILE, DAMAGE_GZIP_TRUNCATED,
        DAMAGE_GZIP_CRC,   DAMAGE_NOT_JSON,   DAMAGE_TRUNCATED,
    };
    const char *path = t->files[0].path;
    for (size_t i = 0; i < sizeof telling / sizeof *telling; i++) {
        enum damage_kind kind = telling[i];
        if (t->damage.counts[kind] == 0)
            continue;
        const char *what = kind == DAMAGE_TRUNCATED ? "the file is cut off before the first event"
                                                    : damage_text(kind);
        error_set(err, ERROR_DATA, "%s: %s", path, what);
        return;
    }
    error_set(err, ERROR_DATA, "%s: %s", path,
              has_array ? "the trace holds no events" : damage_text(DAMAGE_NOT_A_TRACE));
}

/* The inputs of all paths; a path that cannot be opened is an error only if there is
 * no other. */
static bool open_files(struct trace *t, const char *const *paths, size_t count, struct error *err)
{
    t->files = xcalloc(count, sizeof *t->files);
    for (size_t i = 0; i < count; i++) {
        struct trace_file *file = &t->files[t->file_count];
        file->in = input_open(paths[i], err);
        if (!file->in)
            return false;
        file->path = xstrdup(paths[i]);
        file->rank = -1;
        t->file_count++;
    }
    return true;
}

static bool too_many(const struct trace *t, struct error *err)
{
    if (t->slice_count < TRACE_NONE - 1)
        return false;
    error_set(err, ERROR_DATA, "%s: more than %u slices", t->files[0].path, TRACE_NONE - 2);
    return true;
}

struct trace *trace_load(const char *const *paths, size_t count, const struct load_options *options,
                         struct error *err)
{
    struct loader l = {.options = options};
    builder_init(&l.builder);
    struct trace *t = l.builder.t;
    bool good = open_files(t, paths, count, err);
    for (size_t i = 0; good && i < t->file_count; i++)
        l.progress.bytes_total += input_file_bytes(t->files[i].in);
    for (size_t i = 0; good && i < t->file_count && !l.cancelled; i++) {
        l.builder.file = (uint32_t)i;
        load_file(&l);
    }
    if (good && t->event_count == 0 && !l.cancelled) {
        say_why(t, l.has_array, err);
        good = false;
    }
    if (good) {
        t->cancelled = l.cancelled;
        builder_finish(&l.builder);
        if (t->slice_count == 0 && !t->cancelled)
            damage_add(&t->damage, DAMAGE_NO_EVENTS, 0, DAMAGE_NO_PLACE);
        good = !too_many(t, err);
    }
    builder_free(&l.builder);
    if (good)
        return t;
    trace_free(t);
    return NULL;
}

struct trace *trace_from_text(const char *text, size_t len, struct error *err)
{
    const char *folder = getenv("TMPDIR");
    char path[512];
    snprintf(path, sizeof path, "%s/spytop-XXXXXX", folder && *folder ? folder : "/tmp");
    int fd = mkstemp(path);
    if (fd < 0) {
        error_set(err, ERROR_IO, "no temporary file at %s", path);
        return NULL;
    }
    size_t done = 0;
    while (done < len) {
        ssize_t n = write(fd, text + done, len - done);
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    close(fd);
    const char *paths[] = {path};
    struct trace *t = NULL;
    if (done == len)
        t = trace_load(paths, 1, NULL, err);
    else
        error_set(err, ERROR_IO, "%s: cannot be written", path);
    unlink(path);
    if (t) {
        free(t->files[0].path);
        t->files[0].path = xstrdup("memory");
    }
    return t;
}
