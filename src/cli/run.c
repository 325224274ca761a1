#include "cli/run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "cli/folder.h"
#include "query/iterations.h"
#include "query/times.h"
#include "report/export.h"
#include "report/output_file.h"
#include "trace/load.h"
#include "view/script.h"
#include "view/viewer.h"

int run_failed(const struct error *err)
{
    fprintf(stderr, "spytop: %s\n", err->message);
    if (err->kind != ERROR_USAGE)
        return STATUS_FAILED;
    fputs("Try 'spytop --help'.\n", stderr);
    return STATUS_USAGE;
}

/* The sample beside the program that was not installed, or the installed one. */
static char *demo_path(struct error *err)
{
    static const char *const beside[] = {"data/demo.json.gz", "../share/spytop/demo.json.gz"};
    char program[1024], path[1200];
    ssize_t len = readlink("/proc/self/exe", program, sizeof program - 1);
    for (size_t i = 0; len > 0 && i < sizeof beside / sizeof *beside; i++) {
        program[len] = '\0';
        char *slash = strrchr(program, '/');
        if (!slash)
            break;
        snprintf(path, sizeof path, "%.*s/%s", (int)(slash - program), program, beside[i]);
        if (access(path, R_OK) == 0)
            return xstrdup(path);
    }
    if (access(SPYTOP_DATADIR "/demo.json.gz", R_OK) == 0)
        return xstrdup(SPYTOP_DATADIR "/demo.json.gz");
    error_set(err, ERROR_IO, "the sample trace is not installed (%s/demo.json.gz)", SPYTOP_DATADIR);
    return NULL;
}

struct path_list {
    char **items;
    size_t count, capacity;
};

static bool add_path(struct path_list *list, const char *path, struct error *err)
{
    struct stat st;
    if (strcmp(path, "-") == 0 || stat(path, &st) != 0 || !S_ISDIR(st.st_mode)) {
        ARRAY_PUSH(list->items, list->count, list->capacity, xstrdup(path));
        return true;
    }
    struct folder *folder = folder_read(path, err);
    if (!folder)
        return false;
    for (size_t i = 0; i < folder->runs[0].path_count; i++)
        ARRAY_PUSH(list->items, list->count, list->capacity, xstrdup(folder->runs[0].paths[i]));
    folder_free(folder);
    return true;
}

void paths_free(char **paths, int count)
{
    for (int i = 0; i < count; i++)
        free(paths[i]);
    free(paths);
}

char **run_paths(const struct options *options, int *count, struct error *err)
{
    struct path_list list = {0};
    bool good = true;
    if (options->demo) {
        char *demo = demo_path(err);
        good = demo != NULL;
        if (demo)
            ARRAY_PUSH(list.items, list.count, list.capacity, demo);
    }
    for (int i = 0; good && i < options->path_count; i++)
        good = add_path(&list, options->paths[i], err);
    *count = (int)list.count;
    if (good)
        return list.items;
    paths_free(list.items, *count);
    return NULL;
}

static const char *safe_path(const struct trace *t, uint32_t file, char *out, size_t size)
{
    const char *path = file < t->file_count ? t->files[file].path : "?";
    utf8_make_safe(out, size, path, UTF8_NUL_TERMINATED);
    return out;
}

/* Kinds that tell something about a file that is in order. */
static bool is_remark(enum damage_kind kind)
{
    switch (kind) {
    case DAMAGE_WRONG_EXTENSION:
    case DAMAGE_ENCODING:
    case DAMAGE_BOM:
    case DAMAGE_NO_EVENTS:
    case DAMAGE_OVERLAP:
    case DAMAGE_OUTLIER_TIMESTAMP:
    case DAMAGE_OUTLIER_DURATION:
    case DAMAGE_UNKNOWN_PHASE:
    case DAMAGE_UNMATCHED_BEGIN:
    case DAMAGE_UNMATCHED_END:
    case DAMAGE_NEGATIVE_DUR:
        return true;
    default:
        return false;
    }
}

static void warn_kind(const struct trace *t, enum damage_kind kind)
{
    char path[512];
    const struct damage_place *place = damage_first(&t->damage, kind);
    uint64_t count = t->damage.counts[kind];
    safe_path(t, place ? place->file : 0, path, sizeof path);
    fprintf(stderr, "spytop: %s:", path);
    if (place && place->line)
        fprintf(stderr, "%" PRIu64 ":%" PRIu64 ":", place->line, place->column);
    fprintf(stderr, " warning: %s", damage_text(kind));
    if (count > 1)
        fprintf(stderr, ", %" PRIu64 " times", count);
    if (place && place->byte != DAMAGE_NO_PLACE)
        fprintf(stderr, " (byte %" PRIu64 ")", place->byte);
    putc('\n', stderr);
}

bool run_warn(struct trace *t, bool quiet)
{
    bool damaged = false, any = false;
    for (int kind = 0; kind < DAMAGE_KIND_COUNT; kind++) {
        if (t->damage.counts[kind] == 0)
            continue;
        any = true;
        damaged |= !is_remark((enum damage_kind)kind);
    }
    if (any)
        trace_locate_damage(t);
    for (int kind = 0; kind < DAMAGE_KIND_COUNT && !quiet; kind++)
        if (t->damage.counts[kind])
            warn_kind(t, (enum damage_kind)kind);
    return damaged;
}

/* Progress on a terminal, once the load takes its time. */
struct progress {
    struct timespec start;
    double shown; /* seconds after the start; 0: not yet */
    bool terminal;
    const volatile int *stop;
};

static double seconds_since(const struct timespec *start)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + 1e-9 * (double)(now.tv_nsec - start->tv_nsec);
}

static bool show_progress(void *context, const struct load_progress *done)
{
    struct progress *p = context;
    double seconds = seconds_since(&p->start);
    if (p->terminal && seconds > 0.5 && seconds - p->shown > 0.1) {
        p->shown = seconds;
        fprintf(stderr, "\r\033[K%.1f MB", (double)done->text_bytes / 1e6);
        if (done->bytes_total)
            fprintf(stderr, ", %d %%", (int)(done->bytes_done * 100 / done->bytes_total));
        fprintf(stderr, ", %.0f MB/s, %" PRIu64 " events", (double)done->text_bytes / 1e6 / seconds,
                done->events);
        fflush(stderr);
    }
    return !*p->stop;
}

static struct trace *load(const struct options *options, const char *const *paths, size_t count,
                          const volatile int *stop, struct error *err)
{
    struct progress progress = {.terminal = !options->quiet && isatty(STDERR_FILENO), .stop = stop};
    clock_gettime(CLOCK_MONOTONIC, &progress.start);
    struct load_options load = {
        .threads = options->threads, .progress = show_progress, .context = &progress};
    struct trace *t = trace_load(paths, count, &load, err);
    if (progress.shown > 0)
        fputs("\r\033[K", stderr);
    if (t && t->cancelled) {
        error_set(err, ERROR_CANCELLED, "stopped");
        trace_free(t);
        return NULL;
    }
    return t;
}

/* A trace with its index and the window of the options in it. */
struct opened {
    struct trace *t;
    struct index *ix;
    int64_t from_ns, to_ns;
};

static bool find_window(const struct options *options, struct opened *o, struct error *err)
{
    o->from_ns = INT64_MIN;
    o->to_ns = INT64_MAX;
    if (options->window)
        return window_parse(o->t, options->window, &o->from_ns, &o->to_ns, err);
    if (!options->iteration)
        return true;
    struct iterations *list = iterations_find(o->t, o->ix, NULL, options->iteration_pattern, err);
    bool good =
        list && iterations_window(o->t, list, options->iteration, &o->from_ns, &o->to_ns, err);
    iterations_free(list);
    return good;
}

static void close_trace(struct opened *o)
{
    index_free(o->ix);
    trace_free(o->t);
}

/* Loads, warns, finds the window. The status is that of a failure. */
static bool open_trace(const struct options *options, const char *const *paths, size_t count,
                       const volatile int *stop, struct opened *o, struct error *err)
{
    *o = (struct opened){.t = load(options, paths, count, stop, err)};
    if (!o->t)
        return false;
    bool damaged = run_warn(o->t, options->quiet);
    o->ix = index_build(o->t, options->threads);
    if (damaged && options->strict) {
        char path[512];
        error_set(err, ERROR_DATA, "%s: the trace is damaged",
                  safe_path(o->t, 0, path, sizeof path));
    } else if (find_window(options, o, err)) {
        return true;
    }
    close_trace(o);
    return false;
}

static void terminal_size(int fd, struct report_request *request)
{
    struct winsize size;
    if (isatty(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0) {
        request->width = size.ws_col;
        request->height = size.ws_row;
    }
}

static struct report_request make_request(const struct options *options, const struct opened *o)
{
    struct report_request request = {
        .kind = options->report,
        .format = options->format,
        .from_ns = o->from_ns,
        .to_ns = o->to_ns,
        .categories = options->categories,
        .match = options->match,
        .iteration_pattern = options->iteration_pattern,
        .by = options->by,
        .by_track = options->by_track,
        .sort = options->sort,
        .sort_by_dur = options->sort_by_dur,
        .top = options->top,
    };
    if (!options->output)
        terminal_size(STDOUT_FILENO, &request);
    return request;
}

/* A stream that writes to an output file. */
static ssize_t write_output(void *cookie, const char *bytes, size_t len)
{
    output_write(cookie, bytes, len);
    return output_failed(cookie) ? -1 : (ssize_t)len;
}

static bool write_report(const struct options *options, const struct opened *o,
                         const struct opened *other, struct error *err)
{
    struct report_request request = make_request(options, o);
    const char *path = options->output ? options->output : "-";
    for (size_t i = 0; i < o->t->file_count; i++)
        if (options->output && input_is_file(o->t->files[i].in, path))
            return error_set(err, ERROR_IO, "%s: is the trace itself and is left as it is", path);
    struct output_file *file = output_open(path, true, false, err);
    if (!file)
        return false;
    FILE *out = fopencookie(file, "w", (cookie_io_functions_t){.write = write_output});
    if (!out) {
        output_cancel(file);
        return error_set(err, ERROR_IO, "%s: %s", path, strerror(errno));
    }
    bool good = report_write(out, o->t, o->ix, other ? other->t : NULL, other ? other->ix : NULL,
                             &request, err);
    fclose(out);
    if (good)
        return output_close(file, err);
    output_cancel(file);
    return false;
}

static bool report(const struct options *options, const char *const *paths, size_t count,
                   const volatile int *stop, struct error *err)
{
    struct opened base, other;
    bool diff = options->report == REPORT_DIFF;
    if (!open_trace(options, paths, diff ? 1 : count, stop, &base, err))
        return false;
    bool good = !diff || open_trace(options, paths + 1, count - 1, stop, &other, err);
    if (good)
        good = write_report(options, &base, diff ? &other : NULL, err);
    else
        diff = false;
    if (diff)
        close_trace(&other);
    close_trace(&base);
    return good;
}

static bool go_on(void *context, uint64_t done, uint64_t total)
{
    const volatile int *stop = *(const volatile int *const *)context;
    (void)done;
    (void)total;
    return !*stop;
}

static bool export_it(const struct options *options, const char *const *paths, size_t count,
                      const volatile int *stop, struct error *err)
{
    struct opened o;
    struct export_result result;
    struct export_options how = {
        .force = options->force, .progress = go_on, .context = (void *)&stop};
    if (!open_trace(options, paths, count, stop, &o, err))
        return false;
    bool good =
        export_window(o.t, o.ix, o.from_ns, o.to_ns, options->export_path, &how, &result, err);
    close_trace(&o);
    return good;
}

static bool script(const struct options *options, const char *const *paths, size_t count,
                   const volatile int *stop, struct error *err)
{
    struct opened o;
    FILE *in = stdin;
    if (strcmp(options->script, "-") != 0 && !(in = fopen(options->script, "r")))
        return error_set(err, ERROR_IO, "%s: %s", options->script, strerror(errno));
    bool good = open_trace(options, paths, count, stop, &o, err);
    if (good) {
        struct viewer_setup setup = {
            .ascii = options->ascii,
            .mono = options->color == COLOR_NEVER,
            .iteration_pattern = options->iteration_pattern,
            .title = paths[0],
            .cols = options->cols,
            .rows = options->rows,
        };
        struct viewer *viewer = viewer_new(&setup);
        viewer_show(viewer, o.t, o.ix);
        if (options->window || options->iteration)
            viewer_set_window(viewer, o.from_ns, o.to_ns);
        good = script_run(viewer, in, options->script, err);
        viewer_free(viewer);
        close_trace(&o);
    }
    if (in != stdin)
        fclose(in);
    return good;
}

int run_headless(const struct options *options, const char *const *paths, int path_count,
                 const volatile int *stop)
{
    struct error err = {0};
    bool good = false;
    size_t count = (size_t)path_count;
    if (options->action == ACTION_REPORT)
        good = report(options, paths, count, stop, &err);
    else if (options->action == ACTION_EXPORT)
        good = export_it(options, paths, count, stop, &err);
    else if (options->action == ACTION_SCRIPT)
        good = script(options, paths, count, stop, &err);
    if (good)
        return STATUS_DONE;
    return run_failed(&err);
}
