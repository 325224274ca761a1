/*
 * bench-load: how fast spytop loads a trace, and with how much memory, beside
 * jansson parsing the same file event by event, in the same run.
 *
 * All figures are the median of several runs. The file was read once before, so
 * that it comes from the page cache in every run.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_RUNS = 99, PATH_BYTES = 1024 };

struct options {
    char *size, *spytop, *generator, *folder, *file, *json;
    int runs;
};

struct span {
    size_t start, len;
};

struct file {
    char *bytes;
    size_t len;
    struct span *events;
    size_t event_count;
};

struct figures {
    double read, split, jansson, spytop; /* seconds */
    uint64_t memory;                     /* bytes */
};

static _Noreturn void die(const char *what, const char *why)
{
    fprintf(stderr, "bench-load: %s: %s\n", what, why);
    exit(1);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Runs a program; false if it did not end with status 0. Its peak memory goes
 * to *memory where that is not NULL. */
static bool run(char *const argv[], uint64_t *memory)
{
    pid_t child = fork();
    if (child < 0)
        die("fork", strerror(errno));
    if (child == 0) {
        execv(argv[0], argv);
        fprintf(stderr, "bench-load: %s: %s\n", argv[0], strerror(errno));
        _exit(127);
    }
    int status;
    struct rusage usage;
    while (wait4(child, &status, 0, &usage) < 0)
        if (errno != EINTR)
            die("wait4", strerror(errno));
    if (memory != NULL) {
#ifdef __APPLE__
        *memory = (uint64_t)usage.ru_maxrss;
#else
        *memory = (uint64_t)usage.ru_maxrss * 1024;
#endif
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    return count % 2 == 1 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* The trace of the wanted size, kept in the folder for the next time. */
static void make_trace(const struct options *opt, char path[PATH_BYTES])
{
    if (opt->file != NULL) {
        snprintf(path, PATH_BYTES, "%s", opt->file);
        return;
    }
    snprintf(path, PATH_BYTES, "%s/load-%s.json", opt->folder, opt->size);
    if (access(path, R_OK) == 0)
        return;
    if (mkdir(opt->folder, 0777) != 0 && errno != EEXIST)
        die(opt->folder, strerror(errno));

    char temporary[PATH_BYTES + 8], size[64];
    snprintf(temporary, sizeof temporary, "%s.new", path);
    snprintf(size, sizeof size, "--size=%s", opt->size);
    char *argv[] = {opt->generator, size, "-o", temporary, NULL};
    if (!run(argv, NULL))
        die(opt->generator, "could not write the trace");
    if (rename(temporary, path) != 0)
        die(path, strerror(errno));
}

static void load_file(const char *path, struct file *file)
{
    struct stat st;
    int fd = open(path, O_RDONLY);
    if (fd < 0 || fstat(fd, &st) != 0)
        die(path, strerror(errno));
    file->len = (size_t)st.st_size;
    file->bytes = malloc(file->len + 1);
    if (file->bytes == NULL)
        die("memory", strerror(ENOMEM));
    for (size_t done = 0; done < file->len;) {
        ssize_t got = read(fd, file->bytes + done, file->len - done);
        if (got <= 0)
            die(path, got < 0 ? strerror(errno) : "shorter than it was");
        done += (size_t)got;
    }
    file->bytes[file->len] = '\0';
    close(fd);
}

/* Seconds to read the file in blocks, as any loader must. */
static double time_read(const char *path)
{
    enum { BLOCK = 1 << 20 };
    static char block[BLOCK];
    double start = now();
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        die(path, strerror(errno));
    ssize_t got;
    while ((got = read(fd, block, BLOCK)) > 0)
        continue;
    if (got < 0)
        die(path, strerror(errno));
    close(fd);
    return now() - start;
}

/* The end of the object or array that starts at `at`. */
static size_t value_end(const struct file *file, size_t at)
{
    int depth = 0;
    bool string = false;
    for (; at < file->len; at++) {
        char c = file->bytes[at];
        if (string) {
            if (c == '\\')
                at++;
            else if (c == '"')
                string = false;
        } else if (c == '"') {
            string = true;
        } else if (c == '{' || c == '[') {
            depth++;
        } else if ((c == '}' || c == ']') && --depth == 0) {
            return at + 1;
        }
    }
    die("the trace", "an event has no end");
}

static void split_events(struct file *file)
{
    static const char key[] = "\"traceEvents\":";
    char *list = strstr(file->bytes, key);
    if (list == NULL)
        die("the trace", "no traceEvents");
    size_t at = (size_t)(list - file->bytes) + strlen(key), capacity = 0;
    file->event_count = 0;
    free(file->events);
    file->events = NULL;
    while (at < file->len && file->bytes[at] != ']') {
        if (file->bytes[at] != '{') {
            at++;
            continue;
        }
        if (file->event_count == capacity) {
            capacity = capacity * 2 + 1024;
            file->events = realloc(file->events, capacity * sizeof *file->events);
            if (file->events == NULL)
                die("memory", strerror(ENOMEM));
        }
        size_t end = value_end(file, at);
        file->events[file->event_count++] = (struct span){at, end - at};
        at = end;
    }
}

static double time_jansson(const struct file *file)
{
    double start = now();
    size_t slices = 0;
    for (size_t i = 0; i < file->event_count; i++) {
        const char *bytes = file->bytes + file->events[i].start;
        json_error_t error;
        json_t *event = json_loadb(bytes, file->events[i].len, 0, &error);
        if (event == NULL) /* addresses beyond 63 bits */
            event = json_loadb(bytes, file->events[i].len, JSON_DECODE_INT_AS_REAL, &error);
        if (event == NULL)
            die("jansson", error.text);
        slices += json_object_get(event, "dur") != NULL;
        json_decref(event);
    }
    double took = now() - start;
    if (slices == 0)
        die("the trace", "no slices");
    return took;
}

/* Before the file is in this process: Linux counts what a process held before
 * it became another program in that program's peak memory. */
static void measure_spytop(const struct options *opt, const char *path, struct figures *f)
{
    char file[PATH_BYTES];
    snprintf(file, sizeof file, "%s", path);
    char *argv[] = {opt->spytop, "-q", "-r", "info", "-t", "1", "-o", "/dev/null", file, NULL};
    double took[MAX_RUNS] = {0};
    f->memory = 0;
    time_read(path);
    for (int i = 0; i < opt->runs; i++) {
        uint64_t memory;
        double start = now();
        if (!run(argv, &memory))
            die(opt->spytop, "did not load the trace");
        took[i] = now() - start;
        if (memory > f->memory)
            f->memory = memory;
    }
    f->spytop = median(took, opt->runs);
}

static void measure_others(const struct options *opt, const char *path, struct file *file,
                           struct figures *f)
{
    double read_s[MAX_RUNS] = {0}, split_s[MAX_RUNS] = {0}, jansson_s[MAX_RUNS] = {0};
    for (int i = 0; i < opt->runs; i++) {
        read_s[i] = time_read(path);
        double start = now();
        split_events(file);
        split_s[i] = now() - start;
        jansson_s[i] = time_jansson(file);
    }
    f->read = median(read_s, opt->runs);
    f->split = median(split_s, opt->runs);
    f->jansson = median(jansson_s, opt->runs);
}

static void print_figures(const struct options *opt, const char *path, const struct file *file,
                          const struct figures *f)
{
    double mb = (double)file->len / 1e6;
    double bytes_per_byte = (double)f->memory / (double)file->len;
    printf("%s: %.1f MB, %zu events, median of %d runs, one thread\n\n", path, mb,
           file->event_count, opt->runs);
    printf("%-28s %10s %10s %12s\n", "", "seconds", "MB/s", "x jansson");
    const struct {
        const char *name;
        double seconds;
    } rows[] = {
        {"read the file", f->read},
        {"split into events (untimed)", f->split},
        {"jansson, event by event", f->jansson},
        {"spytop -r info -t 1", f->spytop},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        printf("%-28s %10.3f %10.1f %12.2f\n", rows[i].name, rows[i].seconds, mb / rows[i].seconds,
               f->jansson / rows[i].seconds);
    printf("\nspytop is %.1f times as fast as jansson; peak memory %.1f MB, %.3f of the file\n",
           f->jansson / f->spytop, (double)f->memory / 1e6, bytes_per_byte);

    json_t *report = json_pack(
        "{s:s, s:s, s:I, s:I, s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:I, s:f}", "format",
        "spytop-bench-load-1", "file", path, "bytes", (json_int_t)file->len, "events",
        (json_int_t)file->event_count, "runs", opt->runs, "read_s", f->read, "split_s", f->split,
        "jansson_s", f->jansson, "spytop_s", f->spytop, "jansson_mb_per_s", mb / f->jansson,
        "spytop_mb_per_s", mb / f->spytop, "ratio", f->jansson / f->spytop, "peak_bytes",
        (json_int_t)f->memory, "peak_per_file_byte", bytes_per_byte);
    if (report == NULL)
        die("jansson", "no memory for the report");
    if (opt->json == NULL) {
        char *text = json_dumps(report, JSON_REAL_PRECISION(6));
        printf("%s\n", text);
        free(text);
    } else if (json_dump_file(report, opt->json, JSON_REAL_PRECISION(6) | JSON_INDENT(2)) != 0) {
        die(opt->json, "could not be written");
    }
    json_decref(report);
}

int main(int argc, char **argv)
{
    static const struct option names[] = {
        {"size", required_argument, NULL, 's'},      {"runs", required_argument, NULL, 'n'},
        {"spytop", required_argument, NULL, 'p'},    {"file", required_argument, NULL, 'f'},
        {"generator", required_argument, NULL, 'g'}, {"folder", required_argument, NULL, 'd'},
        {"json", required_argument, NULL, 'j'},      {NULL, 0, NULL, 0},
    };
    struct options opt = {
        .size = "100M",
        .spytop = "./spytop",
        .generator = "tests/gen-trace",
        .folder = "bench-data",
        .runs = 3,
    };
    int c;
    while ((c = getopt_long(argc, argv, "", names, NULL)) != -1) {
        char *value = optarg != NULL ? optarg : "";
        switch (c) {
        case 's':
            opt.size = value;
            break;
        case 'n':
            opt.runs = (int)strtol(value, NULL, 10);
            break;
        case 'p':
            opt.spytop = value;
            break;
        case 'f':
            opt.file = value;
            break;
        case 'g':
            opt.generator = value;
            break;
        case 'd':
            opt.folder = value;
            break;
        case 'j':
            opt.json = value;
            break;
        default:
            fputs(
                "usage: bench_load [--size=BYTES[k|M|G] | --file=TRACE] [--runs=N] [--json=FILE]\n"
                "                  [--spytop=PROGRAM] [--generator=PROGRAM] [--folder=FOLDER]\n",
                stderr);
            return 2;
        }
    }
    if (opt.runs < 1 || opt.runs > MAX_RUNS)
        die("--runs", "1 to 99");

    char path[PATH_BYTES];
    make_trace(&opt, path);
    struct figures figures;
    measure_spytop(&opt, path, &figures);
    struct file file = {0};
    load_file(path, &file);
    measure_others(&opt, path, &file, &figures);
    print_figures(&opt, path, &file, &figures);
    free(file.events);
    free(file.bytes);
    return 0;
}
