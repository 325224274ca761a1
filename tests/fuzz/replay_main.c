/*
 * A fuzz target without a fuzzer: runs every file it is given (or all files of
 * a folder) through LLVMFuzzerTestOneInput() once. It replays the corpus in
 * `make check` and a crash in a debugger; with no argument it reads standard
 * input, which is what AFL wants. libFuzzer brings a main() of its own, then
 * SPYTOP_LIBFUZZER is defined.
 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"

_Noreturn void out_of_memory(size_t bytes)
{
    fprintf(stderr, "out of memory: %zu bytes\n", bytes);
    abort();
}

#ifndef SPYTOP_LIBFUZZER

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void run_stream(FILE *f, const char *name)
{
    size_t used = 0, capacity = 1 << 16;
    uint8_t *bytes = xmalloc(capacity);
    size_t got;
    while ((got = fread(bytes + used, 1, capacity - used, f)) > 0) {
        used += got;
        if (used == capacity)
            bytes = xrealloc(bytes, capacity *= 2);
    }

    /* A block of just this size: reading past its end is then an error that
     * valgrind and the sanitizers see. */
    uint8_t *exact = xmalloc(used);
    memcpy(exact, bytes, used);
    free(bytes);
    fprintf(stderr, "%s: %zu bytes\n", name, used);
    LLVMFuzzerTestOneInput(exact, used);
    free(exact);
}

static unsigned run_path(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        exit(2);
    }
    if (S_ISDIR(st.st_mode)) {
        struct dirent **entries;
        int count = scandir(path, &entries, NULL, alphasort);
        unsigned inputs = 0;
        for (int i = 0; i < count; i++) {
            char name[4096];
            int len = snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name);
            if (entries[i]->d_name[0] != '.' && len > 0 && (size_t)len < sizeof name)
                inputs += run_path(name);
            free(entries[i]);
        }
        if (count >= 0)
            free(entries);
        return inputs;
    }

    FILE *f = fopen(path, "rb");
    if (f == NULL) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        exit(2);
    }
    run_stream(f, path);
    fclose(f);
    return 1;
}

int main(int argc, char **argv)
{
    unsigned inputs = 0;
    if (argc < 2) {
        run_stream(stdin, "standard input");
        inputs = 1;
    }
    for (int i = 1; i < argc; i++)
        inputs += run_path(argv[i]);
    fprintf(stderr, "%u inputs\n", inputs);
    return 0;
}

#endif
