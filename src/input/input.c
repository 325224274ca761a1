#include "input/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "input/layer.h"

/* gzip in gzip in gzip: nobody packs more often. */
enum { LAYERS_MAX = 4, HEAD = 8 };

struct input {
    char *path;
    struct layer *file; /* the lowest layer */
    struct layer *top;
    struct notes notes;
    enum input_packing packing;
    uint64_t position;
    bool pipe;
    struct stat opened;
};

void notes_add(struct notes *notes, enum damage_kind kind, uint64_t byte)
{
    for (size_t i = 0; i < notes->count; i++)
        if (notes->list[i].kind == kind)
            return;
    if (notes->count < NOTES_MAX)
        notes->list[notes->count++] = (struct input_note){kind, byte};
}

size_t layer_read_full(struct layer *layer, enum reader reader, uint64_t offset, void *buffer,
                       size_t size)
{
    size_t got = 0;
    while (got < size) {
        size_t n = layer_read(layer, reader, offset + got, (char *)buffer + got, size - got);
        if (n == 0)
            break;
        got += n;
    }
    return got;
}

void layer_free(struct layer *layer)
{
    while (layer) {
        struct layer *below = layer->below;
        layer->type->free(layer);
        layer = below;
    }
}

static bool ends_with(const char *path, const char *end)
{
    size_t len = strlen(path), end_len = strlen(end);
    return len >= end_len && strcasecmp(path + len - end_len, end) == 0;
}

/* Puts a layer on top that unpacks or converts, if the bytes ask for one. */
static bool add_layer(struct input *in)
{
    unsigned char head[HEAD] = {0};
    size_t got = layer_read_full(in->top, READER_FRONT, 0, head, HEAD);
    struct layer *added = NULL;
    if (got >= 3 && head[0] == 0x1f && head[1] == 0x8b && head[2] == 8) {
        added = layer_gzip_new(in->top, 0, false, &in->notes);
        if (in->packing == INPUT_NONE)
            in->packing = INPUT_GZIP;
    } else if (got >= 4 && memcmp(head, "PK\3\4", 4) == 0) {
        added = layer_zip_new(in->top, &in->notes);
        if (added && in->packing == INPUT_NONE)
            in->packing = INPUT_ZIP;
    } else if (got >= 2 &&
               ((head[0] == 0xff && head[1] == 0xfe) || (head[0] == 0xfe && head[1] == 0xff))) {
        added = layer_utf16_new(in->top, 2, head[0] == 0xfe, &in->notes);
        notes_add(&in->notes, DAMAGE_ENCODING, 0);
    } else if (got >= 4 && head[1] == 0 && head[3] == 0 && (head[0] == '{' || head[0] == '[')) {
        added = layer_utf16_new(in->top, 0, false, &in->notes);
        notes_add(&in->notes, DAMAGE_ENCODING, 0);
    } else if (got >= 4 && head[0] == 0 && head[2] == 0 && (head[1] == '{' || head[1] == '[')) {
        added = layer_utf16_new(in->top, 0, true, &in->notes);
        notes_add(&in->notes, DAMAGE_ENCODING, 0);
    }
    if (!added)
        return false;
    in->top = added;
    return true;
}

static void check_name(struct input *in)
{
    bool says_gzip = ends_with(in->path, ".gz"), says_zip = ends_with(in->path, ".zip");
    bool known = says_gzip || says_zip || ends_with(in->path, ".json");
    bool right = in->packing == INPUT_GZIP  ? says_gzip
                 : in->packing == INPUT_ZIP ? says_zip
                                            : !says_gzip && !says_zip;
    if (known && !right && layer_file_size(in->file) > 0)
        notes_add(&in->notes, DAMAGE_WRONG_EXTENSION, DAMAGE_NO_PLACE);
}

static int open_path(const char *path, struct stat *st, struct error *err)
{
    int fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0 || fstat(fd, st) != 0) {
        error_set(err, ERROR_IO, "%s: %s", path, strerror(errno));
        return -1;
    }
    const char *what = S_ISDIR(st->st_mode)   ? "is a folder"
                       : S_ISCHR(st->st_mode) ? "is a device, not a trace"
                       : S_ISBLK(st->st_mode) ? "is a device, not a trace"
                                              : NULL;
    /* /dev/null is an empty file. */
    if (S_ISCHR(st->st_mode) && fd != STDIN_FILENO && strcmp(path, "/dev/null") == 0)
        what = NULL;
    if (!what)
        return fd;
    error_set(err, ERROR_IO, "%s: %s", fd == STDIN_FILENO ? "standard input" : path, what);
    if (fd != STDIN_FILENO)
        close(fd);
    return -1;
}

struct input *input_open(const char *path, struct error *err)
{
    struct stat st;
    int fd = open_path(path, &st, err);
    if (fd < 0)
        return NULL;
    struct input *in = xcalloc(1, sizeof *in);
    bool regular = S_ISREG(st.st_mode);
    /* The descriptor of standard input stays the program's. */
    int own = regular && fd == STDIN_FILENO ? dup(fd) : fd;
    in->opened = st;
    in->pipe = !regular;
    in->path = xstrdup(path);
    in->file = in->top = layer_file_new(own, regular, &in->notes);
    if (!in->file) {
        error_set(err, ERROR_IO, "%s: no temporary file to keep it in: %s", path, strerror(errno));
        free(in->path);
        free(in);
        return NULL;
    }
    for (int i = 0; i < LAYERS_MAX && add_layer(in); i++)
        continue;
    check_name(in);
    return in;
}

void input_close(struct input *in)
{
    layer_free(in->top);
    free(in->path);
    free(in);
}

size_t input_read(struct input *in, void *buffer, size_t size)
{
    size_t got = size ? layer_read(in->top, READER_FRONT, in->position, buffer, size) : 0;
    in->position += got;
    return got;
}

size_t input_read_at(struct input *in, uint64_t offset, void *buffer, size_t size)
{
    return layer_read_full(in->top, READER_AGAIN, offset, buffer, size);
}

const char *input_path(const struct input *in)
{
    return in->path;
}

enum input_packing input_packing(const struct input *in)
{
    return in->packing;
}

uint64_t input_file_bytes(const struct input *in)
{
    return layer_file_size(in->file);
}

uint64_t input_consumed(const struct input *in)
{
    return layer_file_consumed(in->file);
}

uint64_t input_text_bytes(const struct input *in)
{
    return in->position;
}

size_t input_notes(const struct input *in, const struct input_note **notes)
{
    *notes = in->notes.list;
    return in->notes.count;
}

static bool same_time(const struct stat *a, const struct stat *b)
{
#if defined(__APPLE__)
    return a->st_mtimespec.tv_sec == b->st_mtimespec.tv_sec &&
           a->st_mtimespec.tv_nsec == b->st_mtimespec.tv_nsec;
#else
    return a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
#endif
}

bool input_changed(const struct input *in)
{
    struct stat now;
    if (in->pipe || strcmp(in->path, "-") == 0)
        return false;
    if (stat(in->path, &now) != 0)
        return true;
    return now.st_dev != in->opened.st_dev || now.st_ino != in->opened.st_ino ||
           now.st_size != in->opened.st_size || !same_time(&now, &in->opened);
}

bool input_is_file(const struct input *in, const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && !in->pipe && st.st_dev == in->opened.st_dev &&
           st.st_ino == in->opened.st_ino;
}
