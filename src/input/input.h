/*
 * The bytes of a trace: a plain file, a gzip file, a zip with one member or a
 * pipe, all behind two ways of reading. What the packing is, is told by the
 * content, never by the name. "Unpacked text" means what is left after all
 * unpacking and after conversion to UTF-8; every offset counts in it.
 */
#ifndef SPYTOP_INPUT_INPUT_H
#define SPYTOP_INPUT_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "scan/damage.h"

struct input;

enum input_packing { INPUT_NONE, INPUT_GZIP, INPUT_ZIP };

/* Opens `path`, "-" for standard input. NULL and an error of one line (no such
 * file, is a folder, permission, ...) if that fails. An empty file opens.
 * Release with input_close(). */
struct input *input_open(const char *path, struct error *err);
void input_close(struct input *in);

/* Reads the next bytes of the unpacked text, in order: at most `size`; 0 at the
 * end. Never fails: an error of the medium or of the packing ends the text
 * there and becomes a note. A short count does not mean the end. */
size_t input_read(struct input *in, void *buffer, size_t size);

/* Reads `size` bytes at `offset` of the unpacked text again, wherever
 * input_read() stands; fewer where the text ends (or no longer can be read).
 * Works for pipes too. Not to be called from two threads at once. */
size_t input_read_at(struct input *in, uint64_t offset, void *buffer, size_t size);

/* As given to input_open(). */
const char *input_path(const struct input *in);
enum input_packing input_packing(const struct input *in);

/* Size of the file on disk (of what arrived so far, for a pipe), how many of
 * those bytes input_read() has used up (for progress), and the size of the
 * unpacked text that input_read() has handed out so far. */
uint64_t input_file_bytes(const struct input *in);
uint64_t input_consumed(const struct input *in);
uint64_t input_text_bytes(const struct input *in);

/* What was wrong with the packing, medium or encoding so far: GZIP_TRUNCATED,
 * GZIP_CRC, GZIP_TRAILING_GARBAGE, WRONG_EXTENSION, ENCODING, READ_ERROR,
 * CHANGED_ON_DISK. `byte` is where in the unpacked text it showed. A BOM in
 * UTF-8 text is left in the text (the scanner knows it). */
struct input_note {
    enum damage_kind kind;
    uint64_t byte;
};
size_t input_notes(const struct input *in, const struct input_note **notes);

/* True if the file at the path is no longer what was opened (replaced, other
 * size or time of change). Always false for a pipe. */
bool input_changed(const struct input *in);

/* True if both are the same file on disk (device and inode). */
bool input_is_file(const struct input *in, const char *path);

#endif
