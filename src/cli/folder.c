#include "cli/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"

/* A file that may be a trace. */
struct found {
    char *path;
    char *worker; /* of a TensorBoard name; NULL: it stands alone */
    int64_t modified_s;
};

struct found_list {
    struct found *items;
    size_t count, capacity;
};

static bool ends_with(const char *name, const char *end)
{
    size_t len = strlen(name), end_len = strlen(end);
    return len > end_len && strcmp(name + len - end_len, end) == 0;
}

/* The worker of "<worker>.<time>.pt.trace.json[.gz]". */
static char *worker_of(const char *name)
{
    const char *tail = strstr(name, ".pt.trace.json");
    if (!tail || tail == name)
        return NULL;
    const char *p = tail;
    while (p > name && p[-1] >= '0' && p[-1] <= '9')
        p--;
    if (p > name && p < tail && p[-1] == '.')
        return xstrndup(name, (size_t)(p - 1 - name));
    return xstrndup(name, (size_t)(tail - name));
}

static bool read_names(const char *path, struct found_list *list, struct error *err)
{
    DIR *dir = opendir(path);
    const struct dirent *entry;
    if (!dir)
        return error_set(err, ERROR_IO, "%s: %s", path, strerror(errno));
    while ((entry = readdir(dir)) != NULL) {
        struct stat st;
        if (!ends_with(entry->d_name, ".json") && !ends_with(entry->d_name, ".json.gz"))
            continue;
        size_t size = strlen(path) + strlen(entry->d_name) + 2;
        char *full = xmalloc(size);
        snprintf(full, size, "%s/%s", path, entry->d_name);
        if (stat(full, &st) != 0 || !S_ISREG(st.st_mode)) {
            free(full);
            continue;
        }
        struct found found = {full, worker_of(entry->d_name), (int64_t)st.st_mtime};
        ARRAY_PUSH(list->items, list->count, list->capacity, found);
    }
    closedir(dir);
    return list->count > 0 ||
           error_set(err, ERROR_DATA, "%s: no traces (*.json, *.json.gz) in this folder", path);
}

static int newest_first(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    if (x->modified_s != y->modified_s)
        return x->modified_s > y->modified_s ? -1 : 1;
    return strcmp(x->path, y->path);
}

static bool has_worker(const struct folder_run *run, const struct found *items,
                       const size_t *members, const char *worker)
{
    for (size_t i = 0; i < run->path_count; i++)
        if (strcmp(items[members[i]].worker, worker) == 0)
            return true;
    return false;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Runs from the files, which are sorted by time, newest first. */
static void group(struct folder *folder, struct found_list *list)
{
    enum { TOGETHER_S = 120 };
    size_t *members = xreallocarray(NULL, list->count + 1, sizeof *members);
    for (size_t i = 0; i < list->count; i++) {
        struct found *f = &list->items[i];
        struct folder_run *run = folder->run_count ? &folder->runs[folder->run_count - 1] : NULL;
        bool joins = run && f->worker && run->path_count > 0 && list->items[members[0]].worker &&
                     run->modified_s - f->modified_s <= TOGETHER_S &&
                     !has_worker(run, list->items, members, f->worker);
        if (!joins) {
            ARRAY_PUSH(folder->runs, folder->run_count, folder->run_capacity,
                       (struct folder_run){.modified_s = f->modified_s});
            run = &folder->runs[folder->run_count - 1];
        }
        if (!run)
            break; /* cannot be: one was just added */
        members[run->path_count] = i;
        ARRAY_PUSH(run->paths, run->path_count, run->path_capacity, f->path);
        f->path = NULL;
    }
    free(members);
    for (size_t i = 0; folder->runs && i < folder->run_count; i++)
        array_sort(folder->runs[i].paths, folder->runs[i].path_count, sizeof(char *), by_text);
}

struct folder *folder_read(const char *path, struct error *err)
{
    struct found_list list = {0};
    struct folder *folder = NULL;
    if (read_names(path, &list, err)) {
        array_sort(list.items, list.count, sizeof *list.items, newest_first);
        folder = xcalloc(1, sizeof *folder);
        group(folder, &list);
    }
    for (size_t i = 0; i < list.count; i++) {
        free(list.items[i].path);
        free(list.items[i].worker);
    }
    free(list.items);
    return folder;
}

void folder_free(struct folder *folder)
{
    if (!folder)
        return;
    for (size_t i = 0; i < folder->run_count; i++) {
        for (size_t k = 0; k < folder->runs[i].path_count; k++)
            free(folder->runs[i].paths[k]);
        free(folder->runs[i].paths);
    }
    free(folder->runs);
    free(folder);
}
