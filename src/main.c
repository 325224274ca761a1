/*
 * spytop: a viewer of torch.profiler traces for the terminal. Reads the options and
 * connects the two ends.
 */
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/options.h"
#include "cli/run.h"
#include "term/session.h"

/* Set by a signal that ends a headless run: its number. */
static volatile int stop_signal;

_Noreturn void out_of_memory(size_t bytes)
{
    (void)bytes;
    term_restore();
    static const char message[] = "spytop: not enough memory\n";
    ssize_t written = write(STDERR_FILENO, message, sizeof message - 1);
    (void)written;
    /* Not exit(): what is registered there may need memory too. */
    _exit(STATUS_FAILED);
}

static void on_signal(int number)
{
    stop_signal = number;
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
}

/* Ends as a program does that a signal ended. */
static void raise_again(void)
{
    signal(stop_signal, SIG_DFL);
    raise(stop_signal);
}

static int print(const char *text)
{
    fputs(text, stdout);
    if (fflush(stdout) == 0)
        return STATUS_DONE;
    fputs("spytop: standard output cannot be written\n", stderr);
    return STATUS_FAILED;
}

static int view(const struct options *options, const char *const *paths, int path_count)
{
    struct error err = {0};
    if (!isatty(STDOUT_FILENO)) {
        error_set(&err, ERROR_USAGE, "the viewer needs a terminal; use -r for a report");
        return run_failed(&err);
    }
    const char *wanted = getenv("NO_COLOR");
    bool no_color = wanted && *wanted;
    struct session_setup setup = {
        .paths = paths,
        .path_count = (size_t)path_count,
        .threads = options->threads,
        .iteration_pattern = options->iteration_pattern,
        .window = options->window,
        .iteration = options->iteration,
        .ascii = options->ascii,
        .mono = options->color == COLOR_NEVER || (options->color == COLOR_AUTO && no_color),
        .mouse = !options->no_mouse,
    };
    return session_run(&setup, &err) ? STATUS_DONE : run_failed(&err);
}

int main(int argc, char **argv)
{
    struct options options;
    struct error err = {0};
    setlocale(LC_ALL, "");
    setlocale(LC_NUMERIC, "C");
    if (!options_parse(argc, argv, &options, &err))
        return run_failed(&err);
    if (options.action == ACTION_HELP)
        return print(options_help);
    if (options.action == ACTION_VERSION)
        return print("spytop " PACKAGE_VERSION "\n");
    int count;
    char **paths = run_paths(&options, &count, &err);
    if (!paths)
        return run_failed(&err);
    int status;
    if (options.action == ACTION_VIEW) {
        status = view(&options, (const char *const *)paths, count);
    } else {
        catch_signals();
        status = run_headless(&options, (const char *const *)paths, count, &stop_signal);
    }
    paths_free(paths, count);
    if (stop_signal)
        raise_again();
    return status;
}
