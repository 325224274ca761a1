#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "input/layer.h"

struct layer_file {
    struct layer layer;
    int fd;   /* the file, or the temporary one */
    int pipe; /* what is still to come; -1: none */
    bool owned;
    /* Asked by the thread that shows progress while another one reads. */
    _Atomic uint64_t size, consumed;
};

static bool write_all(int fd, const char *bytes, size_t len, uint64_t offset)
{
    while (len > 0) {
        ssize_t n = pwrite(fd, bytes, len, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        bytes += n;
        len -= (size_t)n;
        offset += (uint64_t)n;
    }
    return true;
}

/* The next bytes of the pipe, which are kept. */
static size_t read_pipe(struct layer_file *f, char *buffer, size_t size)
{
    ssize_t n;
    do
        n = read(f->pipe, buffer, size);
    while (n < 0 && errno == EINTR);
    if (n < 0 || (n > 0 && !write_all(f->fd, buffer, (size_t)n, f->size))) {
        notes_add(f->layer.notes, DAMAGE_READ_ERROR, f->size);
        n = 0;
    }
    if (n == 0) {
        if (f->owned)
            close(f->pipe);
        f->pipe = -1;
    }
    f->size += (uint64_t)n;
    return (size_t)n;
}

static size_t read_file(struct layer *layer, enum reader reader, uint64_t offset, void *buffer,
                        size_t size)
{
    struct layer_file *f = (struct layer_file *)layer;
    ssize_t n;
    if (f->pipe >= 0 && reader == READER_FRONT && offset >= f->size) {
        n = (ssize_t)read_pipe(f, buffer, size);
    } else {
        do
            n = pread(f->fd, buffer, size, (off_t)offset);
        while (n < 0 && errno == EINTR);
        if (n < 0) {
            if (reader == READER_FRONT)
                notes_add(layer->notes, DAMAGE_READ_ERROR, offset);
            n = 0;
        }
    }
    if (reader == READER_FRONT)
        f->consumed = offset + (uint64_t)n;
    return (size_t)n;
}

static void free_file(struct layer *layer)
{
    struct layer_file *f = (struct layer_file *)layer;
    if (f->pipe >= 0 && f->owned)
        close(f->pipe);
    if (f->fd >= 0)
        close(f->fd);
    free(f);
}

static const struct layer_type file_type = {.read = read_file, .free = free_file};

/* A file without a name. */
static int temporary_file(void)
{
    const char *folder = getenv("TMPDIR");
    char path[512];
    snprintf(path, sizeof path, "%s/spytop-XXXXXX", folder && *folder ? folder : "/tmp");
    int fd = mkstemp(path);
    if (fd >= 0)
        unlink(path);
    return fd;
}

struct layer *layer_file_new(int fd, bool seekable, struct notes *notes)
{
    struct layer_file *f = xcalloc(1, sizeof *f);
    f->layer = (struct layer){.type = &file_type, .notes = notes};
    f->pipe = -1;
    if (seekable) {
        struct stat st;
        f->fd = fd;
        f->size = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
        return &f->layer;
    }
    f->owned = fd != STDIN_FILENO;
    f->fd = temporary_file();
    if (f->fd < 0) {
        free(f);
        return NULL;
    }
    f->pipe = fd;
    return &f->layer;
}

uint64_t layer_file_size(const struct layer *layer)
{
    return ((const struct layer_file *)layer)->size;
}

uint64_t layer_file_consumed(const struct layer *layer)
{
    return ((const struct layer_file *)layer)->consumed;
}
