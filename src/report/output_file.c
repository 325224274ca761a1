#include "report/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/memory.h"

enum { BUFFER = 256 * 1024 };

struct output_file {
    char *path;      /* as given, for messages */
    char *target;    /* where the file goes, links resolved */
    char *temporary; /* what is written until then; NULL: the target itself */
    int fd;
    gzFile gz;
    char *buffer;
    size_t used;
    uint64_t bytes;
    int failure; /* errno of the first failed write */
};

static void free_output(struct output_file *out)
{
    free(out->path);
    free(out->target);
    free(out->temporary);
    free(out->buffer);
    free(out);
}

static bool open_temporary(struct output_file *out)
{
    size_t size = strlen(out->target) + 16;
    out->temporary = xmalloc(size);
    snprintf(out->temporary, size, "%s.XXXXXX", out->target);
    out->fd = mkstemp(out->temporary);
    if (out->fd < 0)
        return false;
    /* mkstemp() lets nobody else read; an ordinary file follows the umask. */
    mode_t mask = umask(0);
    umask(mask);
    fchmod(out->fd, 0666 & ~mask);
    return true;
}

static bool open_target(struct output_file *out, bool replace, struct error *err)
{
    struct stat st;
    bool exists = stat(out->path, &st) == 0;
    if (exists && S_ISDIR(st.st_mode))
        return error_set(err, ERROR_IO, "%s: is a folder", out->path);
    if (exists && !S_ISREG(st.st_mode)) {
        out->fd = open(out->path, O_WRONLY | O_CLOEXEC);
    } else if (exists && !replace) {
        return error_set(err, ERROR_IO, "%s: exists already (--force replaces it)", out->path);
    } else {
        out->target = exists ? realpath(out->path, NULL) : NULL;
        if (!out->target)
            out->target = xstrdup(out->path);
        open_temporary(out);
    }
    return out->fd >= 0 ||
           error_set(err, ERROR_IO, "%s: cannot be written: %s", out->path, strerror(errno));
}

static void discard(struct output_file *out)
{
    if (out->gz)
        gzclose(out->gz);
    else if (out->fd >= 0 && out->fd != STDOUT_FILENO)
        close(out->fd);
    if (out->temporary && out->fd >= 0)
        unlink(out->temporary);
}

struct output_file *output_open(const char *path, bool replace, bool gzip, struct error *err)
{
    struct output_file *out = xcalloc(1, sizeof *out);
    out->path = xstrdup(path);
    out->fd = -1;
    if (strcmp(path, "-") == 0)
        out->fd = STDOUT_FILENO;
    else if (!open_target(out, replace, err)) {
        free_output(out);
        return NULL;
    }
    out->buffer = xmalloc(BUFFER);
    if (gzip) {
        out->gz = gzdopen(dup(out->fd), "wb6");
        if (out->fd != STDOUT_FILENO)
            close(out->fd);
        if (!out->gz)
            out->failure = ENOMEM;
    }
    return out;
}

static void flush(struct output_file *out)
{
    size_t done = 0;
    while (done < out->used && !out->failure) {
        ssize_t n;
        if (out->gz)
            n = gzwrite(out->gz, out->buffer + done, (unsigned)(out->used - done));
        else
            n = write(out->fd, out->buffer + done, out->used - done);
        if (n > 0)
            done += (size_t)n;
        else if (errno != EINTR || out->gz)
            out->failure = errno ? errno : EIO;
    }
    out->used = 0;
}

void output_write(struct output_file *out, const void *bytes, size_t len)
{
    const char *p = bytes;
    out->bytes += len;
    while (len > 0 && !out->failure) {
        size_t room = BUFFER - out->used, part = len < room ? len : room;
        memcpy(out->buffer + out->used, p, part);
        out->used += part;
        p += part;
        len -= part;
        if (out->used == BUFFER)
            flush(out);
    }
}

bool output_failed(const struct output_file *out)
{
    return out->failure != 0;
}

uint64_t output_bytes(const struct output_file *out)
{
    return out->bytes;
}

/* Closes the file itself; the first failure counts. */
static void finish(struct output_file *out)
{
    flush(out);
    if (out->gz) {
        errno = 0;
        if (gzclose(out->gz) != Z_OK && !out->failure)
            out->failure = errno ? errno : EIO;
        out->gz = NULL;
    } else if (out->fd != STDOUT_FILENO && close(out->fd) != 0 && !out->failure) {
        out->failure = errno;
    }
}

bool output_close(struct output_file *out, struct error *err)
{
    finish(out);
    /* A reader that closes the pipe has seen enough. */
    if (out->failure == EPIPE && out->fd == STDOUT_FILENO)
        out->failure = 0;
    if (!out->failure && out->temporary && rename(out->temporary, out->target) != 0)
        out->failure = errno;
    bool good = !out->failure;
    if (!good) {
        error_set(err, ERROR_IO, "%s: cannot be written: %s", out->path, strerror(out->failure));
        if (out->temporary)
            unlink(out->temporary);
    }
    free_output(out);
    return good;
}

void output_cancel(struct output_file *out)
{
    discard(out);
    free_output(out);
}
