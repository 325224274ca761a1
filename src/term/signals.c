#include "term/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <termios.h>
#include <unistd.h>

#include "term/session.h"

/* What handlers may touch. */
static volatile sig_atomic_t end_signal, resized, continued;
static int wake_pipe[2] = {-1, -1};

static const int ending[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT};
static const int crashing[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};

void signals_wake(void)
{
    int saved = errno;
    ssize_t ignored = write(wake_pipe[1], "", 1);
    (void)ignored;
    errno = saved;
}

static void on_signal(int number)
{
    if (number == SIGWINCH)
        resized = 1;
    else if (number == SIGCONT)
        continued = 1;
    else if (!end_signal)
        end_signal = number;
    signals_wake();
}

static void on_crash(int number)
{
    /* The handler is gone by now (SA_RESETHAND): raising ends the program. */
    term_restore();
    raise(number);
}

static void install(int number, void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

int signals_open(void)
{
    /* A stack of its own, for crashes by too deep a one. */
    static char stack[64 * 1024];
    stack_t alternative = {.ss_sp = stack, .ss_size = sizeof stack};
    if (pipe(wake_pipe) != 0)
        return -1;
    for (int i = 0; i < 2; i++) {
        fcntl(wake_pipe[i], F_SETFL, O_NONBLOCK);
        fcntl(wake_pipe[i], F_SETFD, FD_CLOEXEC);
    }
    sigaltstack(&alternative, NULL);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        install(ending[i], on_signal, SA_RESTART);
    for (size_t i = 0; i < sizeof crashing / sizeof *crashing; i++)
        install(crashing[i], on_crash, (int)SA_RESETHAND | SA_ONSTACK | SA_NODEFER);
    install(SIGWINCH, on_signal, SA_RESTART);
    install(SIGCONT, on_signal, SA_RESTART);
    install(SIGPIPE, SIG_IGN, 0);
    return wake_pipe[0];
}

void signals_close(void)
{
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        install(ending[i], SIG_DFL, 0);
    for (size_t i = 0; i < sizeof crashing / sizeof *crashing; i++)
        install(crashing[i], SIG_DFL, 0);
    install(SIGWINCH, SIG_DFL, 0);
    install(SIGCONT, SIG_DFL, 0);
}

void signals_drain(void)
{
    char bytes[64];
    while (read(wake_pipe[0], bytes, sizeof bytes) > 0)
        continue;
}

int signals_end(void)
{
    return end_signal;
}

bool signals_resized(void)
{
    bool was = resized;
    resized = 0;
    return was;
}

bool signals_continued(void)
{
    bool was = continued;
    continued = 0;
    return was;
}

void signals_raise(int number)
{
    install(number, SIG_DFL, 0);
    raise(number);
}

void signals_stop(void)
{
    /* The whole job stops, as the shell expects. */
    install(SIGTSTP, SIG_DFL, 0);
    kill(0, SIGTSTP);
}
