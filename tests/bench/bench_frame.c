/*
 * What a frame costs: a thousand seeded commands on traces of growing size, at two
 * sizes of the screen. Drawing must depend on the screen, not on the trace; tables are
 * counted apart.
 *
 *     bench_frame [SLICES]...      (30000 3000000 without any)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/intern.h"
#include "base/memory.h"
#include "view/viewer.h"

_Noreturn void out_of_memory(size_t bytes)
{
    fprintf(stderr, "bench_frame: no memory for %zu bytes\n", bytes);
    exit(1);
}

static uint64_t state = 88172645463325252u;

static uint64_t next_random(uint64_t limit)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % limit;
}

enum { TRACKS = 12, NAMES = 60, COMMANDS = 1000, DEPTH = 4 };

/* Nested slices on host tracks, kernels one after the other on device tracks. */
static void fill_track(struct trace *t, uint32_t k, bool device)
{
    const struct track *track = &t->tracks[k];
    int64_t at = 0;
    for (uint32_t i = track->first; i < track->first + track->count; i++) {
        uint32_t level = device ? 0 : (i - track->first) % DEPTH;
        t->start_ns[i] = at + level * 10;
        t->dur_ns[i] = device ? 3000 + (int64_t)next_random(4000) : 4000 - level * 1000;
        t->label[i] = (uint32_t)next_random(NAMES) + (device ? 0 : NAMES);
        if (device || level == DEPTH - 1)
            at += device ? 8000 : 5000 * DEPTH;
    }
}

static struct trace *make_trace(uint32_t slices)
{
    struct trace *t = xcalloc(1, sizeof *t);
    t->names = intern_new();
    t->ids = intern_new();
    intern_add(t->ids, "", 1);
    t->slice_count = slices / TRACKS * TRACKS;
    t->start_ns = xcalloc(slices, sizeof *t->start_ns);
    t->dur_ns = xcalloc(slices, sizeof *t->dur_ns);
    t->label = xcalloc(slices, sizeof *t->label);
    t->correlation = xcalloc(slices, sizeof *t->correlation);
    t->byte = xcalloc(slices, sizeof *t->byte);
    t->label_count = 2 * NAMES;
    t->labels = xcalloc(2 * NAMES, sizeof *t->labels);
    t->category_count = 2;
    t->categories = xcalloc(2, sizeof *t->categories);
    t->category_events = xcalloc(2, sizeof *t->category_events);
    t->categories[0] = (struct category){.class = CATEGORY_KERNEL, .device = true};
    t->categories[1] = (struct category){.class = CATEGORY_CPU_OP};
    for (uint32_t i = 0; i < 2 * NAMES; i++) {
        char name[64];
        int n = snprintf(name, sizeof name, "a_kernel_or_operator_%u", i);
        t->labels[i] = (struct label){intern_add(t->names, name, (size_t)n), i >= NAMES};
    }
    t->files = xcalloc(1, sizeof *t->files);
    t->file_count = 1;
    t->files[0].path = xstrdup("bench");
    t->processes = xcalloc(2, sizeof *t->processes);
    t->process_count = 2;
    t->tracks = xcalloc(TRACKS, sizeof *t->tracks);
    t->track_count = TRACKS;
    for (uint32_t k = 0; k < TRACKS; k++) {
        bool device = k >= TRACKS / 2;
        t->tracks[k] = (struct track){
            .process = device,
            .kind = device ? TRACK_DEVICE : TRACK_HOST,
            .first = t->slice_count / TRACKS * k,
            .count = t->slice_count / TRACKS,
        };
        fill_track(t, k, device);
        const struct track *track = &t->tracks[k];
        uint32_t last = track->first + track->count - 1;
        if (trace_end_ns(t, last) > t->end_ns)
            t->end_ns = t->last_end_ns = t->focus_end_ns = trace_end_ns(t, last);
    }
    t->processes[0] = (struct process){.first_track = 0, .track_count = TRACKS / 2};
    t->processes[1] = (struct process){.first_track = TRACKS / 2, .track_count = TRACKS / 2};
    return t;
}

static double now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static int compare_times(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

struct figures {
    double median_us, p99_us, table_ms;
};

/* Runs the same commands, whatever the trace. */
static struct figures measure(const struct trace *t, const struct index *ix, int cols, int rows)
{
    static const char keys[] = "++++---hhllHL0jjkk..,,vF";
    static double frames[COMMANDS];
    struct viewer_setup setup = {.title = "bench", .cols = cols, .rows = rows};
    struct viewer *v = viewer_new(&setup);
    struct grid grid = {0};
    struct figures f = {0};
    state = 88172645463325252u;
    viewer_show(v, t, ix);
    while (viewer_work(v))
        continue;
    for (int i = 0; i < COMMANDS; i++) {
        double start = now_us();
        viewer_key(v, (uint32_t)keys[next_random(sizeof keys - 1)]);
        viewer_draw(v, &grid);
        frames[i] = now_us() - start;
        if (i % 50 == 0) { /* a table now and then: counted apart */
            start = now_us();
            while (viewer_work(v))
                continue;
            double spent = (now_us() - start) / 1e3;
            f.table_ms = spent > f.table_ms ? spent : f.table_ms;
        }
    }
    qsort(frames, COMMANDS, sizeof *frames, compare_times);
    f.median_us = frames[COMMANDS / 2];
    f.p99_us = frames[COMMANDS * 99 / 100];
    grid_free(&grid);
    viewer_free(v);
    return f;
}

int main(int argc, char **argv)
{
    static char *defaults[] = {"30000", "3000000"};
    static const int sizes[][2] = {{80, 24}, {200, 60}};
    char **counts = argc > 1 ? argv + 1 : defaults;
    int count = argc > 1 ? argc - 1 : 2;
    struct figures first[2] = {{0}}, last[2] = {{0}};
    printf("%10s  %8s  %12s  %12s  %14s\n", "slices", "screen", "median us", "p99 us",
           "table, most ms");
    for (int i = 0; i < count; i++) {
        struct trace *t = make_trace((uint32_t)strtoul(counts[i], NULL, 10));
        struct index *ix = index_build(t, 0);
        for (int k = 0; k < 2; k++) {
            last[k] = measure(t, ix, sizes[k][0], sizes[k][1]);
            if (i == 0)
                first[k] = last[k];
            printf("%10u  %4dx%-3d  %12.1f  %12.1f  %14.1f\n", t->slice_count, sizes[k][0],
                   sizes[k][1], last[k].median_us, last[k].p99_us, last[k].table_ms);
        }
        index_free(ix);
        trace_free(t);
    }
    for (int k = 0; k < 2; k++)
        printf("growth at %dx%d: median %.2f, p99 %.2f\n", sizes[k][0], sizes[k][1],
               last[k].median_us / first[k].median_us, last[k].p99_us / first[k].p99_us);
    return 0;
}
