#include "view/script.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/output_file.h"
#include "view/command.h"

static void work_to_the_end(struct viewer *v)
{
    while (viewer_work(v))
        continue;
}

static bool save_screen(struct viewer *v, const char *path, struct error *err)
{
    struct grid grid = {0};
    struct text text = {0};
    if (!*path)
        return error_set(err, ERROR_USAGE, "save-screen needs a file");
    work_to_the_end(v);
    viewer_draw(v, &grid);
    grid_to_text(&grid, &text);
    struct output_file *out = output_open(path, true, false, err);
    bool good = out != NULL;
    if (good) {
        output_write(out, text.data, text.len);
        good = output_close(out, err);
    }
    text_free(&text);
    grid_free(&grid);
    return good;
}

static bool press_keys(struct viewer *v, const char *names, struct error *err)
{
    struct grid grid = {0};
    bool good = true;
    for (const char *p = names; *p && good;) {
        size_t len = strcspn(p, " ");
        uint32_t code = key_code(p, len);
        good = len == 0 || code != 0;
        if (!good) {
            error_set(err, ERROR_USAGE, "no key '%.*s'", (int)len, p);
            break;
        }
        if (len > 0) {
            viewer_key(v, code);
            work_to_the_end(v);
            viewer_draw(v, &grid); /* as on a terminal: tables know where they are */
        }
        p += len;
        while (*p == ' ')
            p++;
    }
    grid_free(&grid);
    return good;
}

static bool resize(struct viewer *v, const char *size, struct error *err)
{
    char *end;
    long cols = strtol(size, &end, 10), rows = *end == 'x' ? strtol(end + 1, &end, 10) : 0;
    if (*end || cols < 1 || rows < 1 || cols > 1000 || rows > 500)
        return error_set(err, ERROR_USAGE, "bad size '%s'", size);
    viewer_resize(v, (int)cols, (int)rows);
    return true;
}

static bool run_line(struct viewer *v, const char *line, struct error *err)
{
    size_t len = strcspn(line, " ");
    const char *argument = line + len + strspn(line + len, " ");
    if (len == 11 && memcmp(line, "save-screen", 11) == 0)
        return save_screen(v, argument, err);
    if (len == 3 && memcmp(line, "key", 3) == 0)
        return press_keys(v, argument, err);
    if (len == 6 && memcmp(line, "resize", 6) == 0)
        return resize(v, argument, err);
    work_to_the_end(v);
    if (len == 4 && memcmp(line, "wait", 4) == 0)
        return true;
    if (!viewer_command(v, line, err))
        return false;
    if (v->message_is_error) /* what a key would only say */
        return error_set(err, ERROR_DATA, "%s", v->message);
    return true;
}

bool script_run(struct viewer *v, FILE *in, const char *name, struct error *err)
{
    char *line = NULL;
    size_t size = 0;
    bool good = true;
    for (unsigned number = 1; good && getline(&line, &size, in) >= 0; number++) {
        struct error why = {0};
        line[strcspn(line, "\r\n")] = '\0';
        const char *text = line + strspn(line, " \t");
        if (!*text || *text == '#')
            continue;
        good = run_line(v, text, &why);
        if (!good)
            error_set(err, ERROR_DATA, "%s:%u: %s", name, number, why.message);
        if (viewer_wish(v) == VIEWER_QUIT)
            break;
    }
    free(line);
    return good;
}
