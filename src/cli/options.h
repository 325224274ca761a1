/*
 * The command line as data.
 */
#ifndef SPYTOP_CLI_OPTIONS_H
#define SPYTOP_CLI_OPTIONS_H

#include "base/error.h"
#include "report/report.h"

enum color_when { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

enum options_action {
    ACTION_VIEW,
    ACTION_REPORT,
    ACTION_EXPORT,
    ACTION_SCRIPT,
    ACTION_HELP,
    ACTION_VERSION
};

struct options {
    enum options_action action;
    enum report_kind report;
    enum report_format format;
    const char *window;    /* -w, as given */
    const char *iteration; /* -i, as given */
    const char *categories, *match, *iteration_pattern;
    enum summary_by by;
    bool by_track;
    enum summary_sort sort;
    bool sort_by_dur;
    int64_t top; /* -1: not given */
    const char *output, *export_path, *script;
    unsigned threads; /* 0: not given */
    int cols, rows;   /* --size */
    bool ascii, strict, quiet, force, demo, no_mouse;
    enum color_when color;
    const char *const *paths; /* TRACE... */
    int path_count;
};

/* Reads the command line; strings are those of argv, which may be reordered. False and
 * an error of one line for what is wrong with it. */
bool options_parse(int argc, char **argv, struct options *options, struct error *err);

/* What --help prints. */
extern const char options_help[];

#endif
