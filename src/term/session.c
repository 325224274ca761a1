#include "term/session.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "query/iterations.h"
#include "query/times.h"
#include "term/painter.h"
#include "term/signals.h"
#include "trace/load.h"
#include "view/viewer.h"

/* The terminal as it was before; what a signal handler needs to put it back. */
static struct {
    volatile int in_use;
    struct termios before;
    int fd;
} terminal;

void term_restore(void)
{
    if (!terminal.in_use)
        return;
    terminal.in_use = 0;
    ssize_t ignored = write(STDOUT_FILENO, painter_restore.bytes, painter_restore.len);
    (void)ignored;
    tcsetattr(terminal.fd, TCSANOW, &terminal.before);
}

/* A load that goes on in a thread of its own. */
struct load {
    pthread_t thread;
    bool running;
    const struct session_setup *setup;
    pthread_mutex_t lock;
    /* Under the lock. */
    struct load_progress progress;
    bool stop, done;
    /* When it is done. */
    struct trace *t;
    struct index *ix;
    struct error error;
};

struct session {
    const struct session_setup *setup;
    struct viewer *viewer;
    struct grid grid;
    struct trace *t;
    struct index *ix;
    struct load load;
    struct timespec load_start;
    int key_fd, wake_fd;
    int cols, rows; /* of the terminal, as the viewer knows it */
    bool changed;   /* something is to be drawn */
    bool again;     /* everything is */
    bool quit, gone;
};

static bool on_progress(void *context, const struct load_progress *progress)
{
    struct load *l = context;
    pthread_mutex_lock(&l->lock);
    l->progress = *progress;
    bool stop = l->stop;
    pthread_mutex_unlock(&l->lock);
    return !stop;
}

static void *load_thread(void *context)
{
    struct load *l = context;
    struct load_options options = {
        .threads = l->setup->threads, .progress = on_progress, .context = l};
    l->t = trace_load(l->setup->paths, l->setup->path_count, &options, &l->error);
    if (l->t) {
        l->ix = index_build(l->t, l->setup->threads);
        bool damaged = false;
        for (int kind = 0; kind < DAMAGE_KIND_COUNT; kind++)
            damaged |= l->t->damage.counts[kind] > 0;
        if (damaged)
            trace_locate_damage(l->t);
    }
    pthread_mutex_lock(&l->lock);
    l->done = true;
    pthread_mutex_unlock(&l->lock);
    signals_wake();
    return NULL;
}

static bool start_load(struct session *s, struct error *err)
{
    struct load *l = &s->load;
    l->setup = s->setup;
    l->stop = l->done = false;
    l->t = NULL;
    l->ix = NULL;
    l->progress = (struct load_progress){0};
    error_clear(&l->error);
    clock_gettime(CLOCK_MONOTONIC, &s->load_start);
    int problem = pthread_create(&l->thread, NULL, load_thread, l);
    l->running = problem == 0;
    return l->running ||
           error_set(err, ERROR_IO, "no thread can be started: %s", strerror(problem));
}

static double load_seconds(const struct session *s)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - s->load_start.tv_sec) +
           1e-9 * (double)(now.tv_nsec - s->load_start.tv_nsec);
}

static void release_trace(struct session *s)
{
    index_free(s->ix);
    trace_free(s->t);
    s->ix = NULL;
    s->t = NULL;
}

/* What the command line asked to see first. */
static void show_first_window(struct session *s)
{
    int64_t from, to;
    struct error err = {0};
    if (s->setup->window) {
        if (window_parse(s->t, s->setup->window, &from, &to, &err))
            viewer_set_window(s->viewer, from, to);
    } else if (s->setup->iteration) {
        struct iterations *list =
            iterations_find(s->t, s->ix, NULL, s->setup->iteration_pattern, &err);
        if (list && iterations_window(s->t, list, s->setup->iteration, &from, &to, &err))
            viewer_set_window(s->viewer, from, to);
        iterations_free(list);
    }
    if (err.kind != ERROR_NONE)
        viewer_message(s->viewer, "%s", err.message);
}

/* The load has ended, one way or the other. */
static bool end_load(struct session *s, struct error *err)
{
    struct load *l = &s->load;
    pthread_join(l->thread, NULL);
    l->running = false;
    if (!l->t) {
        if (!s->t) {
            *err = l->error;
            return false;
        }
        viewer_message(s->viewer, "%s", l->error.message);
        return true;
    }
    struct trace *old_t = s->t;
    struct index *old_ix = s->ix;
    s->t = l->t;
    s->ix = l->ix;
    viewer_show(s->viewer, s->t, s->ix);
    if (!old_t)
        show_first_window(s);
    else
        viewer_message(s->viewer, "loaded again");
    index_free(old_ix);
    trace_free(old_t);
    s->changed = true;
    return true;
}

static bool check_load(struct session *s, struct error *err)
{
    struct load *l = &s->load;
    if (!l->running)
        return true;
    pthread_mutex_lock(&l->lock);
    bool done = l->done;
    struct load_progress progress = l->progress;
    pthread_mutex_unlock(&l->lock);
    if (done)
        return end_load(s, err);
    if (!s->t) {
        viewer_progress(s->viewer, &progress, load_seconds(s));
        s->changed = true;
    }
    return true;
}

static void stop_load(struct session *s)
{
    pthread_mutex_lock(&s->load.lock);
    s->load.stop = true;
    pthread_mutex_unlock(&s->load.lock);
}

static void suspend(struct session *s)
{
    painter_leave();
    terminal.in_use = 0;
    signals_stop();
    terminal.in_use = 1;
    painter_return();
    s->changed = s->again = true;
}

static void grant_wish(struct session *s)
{
    struct error err = {0};
    switch (viewer_wish(s->viewer)) {
    case VIEWER_QUIT:
        s->quit = true;
        break;
    case VIEWER_SUSPEND:
        suspend(s);
        break;
    case VIEWER_REDRAW:
        s->changed = s->again = true;
        break;
    case VIEWER_RELOAD:
        if (s->load.running)
            viewer_message(s->viewer, "it is being loaded already");
        else if (!start_load(s, &err))
            viewer_message(s->viewer, "%s", err.message);
        else
            viewer_message(s->viewer, "loading again...");
        break;
    case VIEWER_STOP_LOAD:
        stop_load(s);
        break;
    case VIEWER_NOTHING:
        break;
    }
}

static void take_size(struct session *s)
{
    int cols, rows;
    painter_size(&cols, &rows);
    if (cols == s->cols && rows == s->rows)
        return;
    s->cols = cols;
    s->rows = rows;
    painter_resize(cols, rows);
    viewer_resize(s->viewer, cols, rows);
    s->changed = true;
}

/* All keys that wait: they are applied before anything is drawn. */
static void take_keys(struct session *s)
{
    struct mouse_event mouse;
    long key;
    while (!s->quit && (key = painter_key(&mouse)) != PAINTER_NONE) {
        if (key == PAINTER_RESIZE)
            take_size(s);
        else if (key == PAINTER_MOUSE)
            viewer_mouse(s->viewer, &mouse);
        else if (key > 0)
            viewer_key(s->viewer, (uint32_t)key);
        s->changed = true;
        grant_wish(s);
    }
}

static void draw(struct session *s)
{
    if (!s->changed)
        return;
    viewer_draw(s->viewer, &s->grid);
    painter_draw(&s->grid, s->again);
    s->changed = s->again = false;
}

/* Works on tables for some milliseconds, as long as no key waits. True: there is
 * more. */
static bool work(struct session *s)
{
    struct timespec start, now;
    struct pollfd keys = {.fd = s->key_fd, .events = POLLIN};
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (;;) {
        if (!viewer_work(s->viewer))
            return false;
        s->changed = true;
        clock_gettime(CLOCK_MONOTONIC, &now);
        long spent_ms =
            (now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000;
        if (spent_ms > 50 || poll(&keys, 1, 0) > 0)
            return true;
    }
}

/* Waits for a key, a signal, the end of the load or, while one runs, its progress. */
static void wait_for_something(struct session *s, bool more)
{
    enum { PROGRESS_MS = 100 };
    struct pollfd fds[2] = {{.fd = s->key_fd, .events = POLLIN},
                            {.fd = s->wake_fd, .events = POLLIN}};
    int timeout = more ? 0 : s->load.running ? PROGRESS_MS : -1;
    if (poll(fds, 2, timeout) < 0 && errno != EINTR)
        s->gone = true;
    if (fds[0].revents & (POLLHUP | POLLERR | POLLNVAL))
        s->gone = true; /* the terminal was closed */
    /* Readable without anything to read: its end. curses does not tell. */
    if (fds[0].revents & POLLIN && !isatty(s->key_fd))
        s->gone = true;
    signals_drain();
}

static bool loop(struct session *s, struct error *err)
{
    bool more = false;
    while (!s->quit && !s->gone && !signals_end()) {
        if (signals_resized())
            take_size(s);
        if (signals_continued())
            s->changed = s->again = true;
        if (!check_load(s, err))
            return false;
        draw(s);
        more = !s->load.running || s->t ? work(s) : false;
        if (!more)
            draw(s);
        wait_for_something(s, more);
        take_keys(s);
    }
    return true;
}

/* Keys come from the terminal, also when the trace comes from standard input. */
static int open_keys(bool from_stdin, struct error *err)
{
    if (!from_stdin && isatty(STDIN_FILENO))
        return STDIN_FILENO;
    int fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        error_set(err, ERROR_USAGE, "there is no terminal to read keys from; -r prints reports");
    return fd;
}

static bool reads_stdin(const struct session_setup *setup)
{
    for (size_t i = 0; i < setup->path_count; i++)
        if (strcmp(setup->paths[i], "-") == 0)
            return true;
    return false;
}

static bool open_terminal(struct session *s, struct error *err)
{
    s->key_fd = open_keys(reads_stdin(s->setup), err);
    if (s->key_fd < 0)
        return false;
    terminal.fd = s->key_fd;
    tcgetattr(s->key_fd, &terminal.before);
    if (!painter_open(s->key_fd, s->setup->mono, s->setup->mouse, err))
        return false;
    terminal.in_use = 1;
    s->wake_fd = signals_open();
    return s->wake_fd >= 0 || error_set(err, ERROR_IO, "no pipe: %s", strerror(errno));
}

static void close_terminal(void)
{
    if (terminal.in_use) {
        painter_close();
        terminal.in_use = 0;
        tcsetattr(terminal.fd, TCSADRAIN, &terminal.before);
    }
    signals_close();
}

static void open_viewer(struct session *s)
{
    painter_size(&s->cols, &s->rows);
    struct viewer_setup setup = {
        .ascii = s->setup->ascii || !painter_utf8(),
        .mono = painter_mono(),
        .iteration_pattern = s->setup->iteration_pattern,
        .title = s->setup->paths[0],
        .cols = s->cols,
        .rows = s->rows,
    };
    s->viewer = viewer_new(&setup);
    s->changed = true;
}

bool session_run(const struct session_setup *setup, struct error *err)
{
    struct session s = {.setup = setup, .key_fd = -1, .wake_fd = -1};
    pthread_mutex_init(&s.load.lock, NULL);
    bool good = open_terminal(&s, err);
    if (good) {
        open_viewer(&s);
        good = start_load(&s, err) && loop(&s, err);
    }
    if (s.load.running) {
        stop_load(&s);
        pthread_join(s.load.thread, NULL);
        index_free(s.load.ix);
        trace_free(s.load.t);
    }
    int number = signals_end();
    close_terminal();
    viewer_free(s.viewer);
    grid_free(&s.grid);
    release_trace(&s);
    pthread_mutex_destroy(&s.load.lock);
    if (number)
        signals_raise(number);
    return good;
}
