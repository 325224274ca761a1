#include "test_support.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

_Noreturn void out_of_memory(size_t bytes)
{
    fprintf(stderr, "out of memory: %zu bytes\n", bytes);
    abort();
}

int run_suite(Suite *suite)
{
    SRunner *runner = srunner_create(suite);

    /* libcheck itself writes TAP to the file that this variable names. */
    bool tap = getenv("CK_TAP_LOG_FILE_NAME") != NULL;
    srunner_run_all(runner, tap ? CK_SILENT : CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    /* In TAP a failed test has been reported already; the exit status is kept
     * for crashes, and for what sanitizers find when the program ends. */
    return failed == 0 || tap ? EXIT_SUCCESS : EXIT_FAILURE;
}

struct random random_seed(uint64_t seed)
{
    /* Spreads small seeds over all bits; the state must not be zero. */
    uint64_t mixed = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15);
    return (struct random){mixed != 0 ? mixed : 1};
}

uint64_t random_next(struct random *r)
{
    r->state ^= r->state >> 12;
    r->state ^= r->state << 25;
    r->state ^= r->state >> 27;
    return r->state * UINT64_C(0x2545f4914f6cdd1d);
}

uint64_t random_below(struct random *r, uint64_t limit)
{
    /* Not ck_assert(): that costs a system call each time. */
    if (limit == 0)
        abort();
    return (random_next(r) >> 1) % limit;
}

int64_t random_between(struct random *r, int64_t low, int64_t high)
{
    ck_assert(low <= high);
    uint64_t span = (uint64_t)high - (uint64_t)low;
    uint64_t step = span == UINT64_MAX ? random_next(r) : random_next(r) % (span + 1);
    return (int64_t)((uint64_t)low + step);
}

bool random_chance(struct random *r, unsigned percent)
{
    return random_below(r, 100) < percent;
}

void test_folder(char path[TEST_PATH])
{
    const char *parent = getenv("TMPDIR");
    if (parent == NULL || parent[0] == '\0')
        parent = "/tmp";
    int len = snprintf(path, TEST_PATH, "%s/spytop-test-XXXXXX", parent);
    ck_assert(len > 0 && len < TEST_PATH);
    ck_assert_msg(mkdtemp(path) != NULL, "%s: %s", path, strerror(errno));
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *where)
{
    (void)st;
    (void)type;
    (void)where;
    return remove(path);
}

void test_folder_remove(const char *path)
{
    ck_assert_msg(nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS) == 0, "%s: %s", path,
                  strerror(errno));
}

char *read_whole_file(const char *path, size_t *len)
{
    FILE *f = fopen(path, "rb");
    ck_assert_msg(f != NULL, "%s: %s", path, strerror(errno));

    size_t used = 0, capacity = 1 << 16;
    char *bytes = xmalloc(capacity + 1);
    for (;;) {
        size_t got = fread(bytes + used, 1, capacity - used, f);
        used += got;
        if (got == 0)
            break;
        if (used == capacity)
            bytes = xrealloc(bytes, (capacity *= 2) + 1);
    }
    ck_assert_msg(!ferror(f), "%s: %s", path, strerror(errno));
    fclose(f);
    bytes[used] = '\0';
    if (len != NULL)
        *len = used;
    return bytes;
}

void write_whole_file(const char *path, const void *bytes, size_t len)
{
    FILE *f = fopen(path, "wb");
    ck_assert_msg(f != NULL, "%s: %s", path, strerror(errno));
    ck_assert(len == 0 || fwrite(bytes, 1, len, f) == len);
    ck_assert_msg(fclose(f) == 0, "%s: %s", path, strerror(errno));
}

const char *path_join(char path[TEST_PATH], const char *folder, const char *name)
{
    int len = snprintf(path, TEST_PATH, "%s/%s", folder, name);
    ck_assert(len > 0 && len < TEST_PATH);
    return path;
}

const char *source_file(const char *relative, char *buffer, size_t size)
{
    const char *top = getenv("top_srcdir");
    if (top == NULL)
        top = ".";
    int len = snprintf(buffer, size, "%s/%s", top, relative);
    ck_assert(len > 0 && (size_t)len < size);
    return buffer;
}

const char *test_data(const char *relative, char *buffer, size_t size)
{
    const char *folder = getenv("SPYTOP_TEST_DATA");
    if (folder == NULL)
        folder = "../shared";
    int len = snprintf(buffer, size, "%s/%s", folder, relative);
    ck_assert(len > 0 && (size_t)len < size);
    return access(buffer, R_OK) == 0 ? buffer : NULL;
}
