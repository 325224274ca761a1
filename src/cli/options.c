#include "cli/options.h"

#include <errno.h>
#include <getopt.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char options_help[] =
    "Usage: spytop [OPTION]... [TRACE]...          interactive viewer\n"
    "  or:  spytop -r KIND [OPTION]... TRACE...    print a report and exit\n"
    "  or:  spytop -x FILE -w FROM..TO TRACE       export a window and exit\n"
    "\n"
    "Shows torch.profiler traces (Chrome Trace Event JSON, plain or gzip). TRACE is a\n"
    "file, a folder of traces or - for standard input; several files are ranks of one run.\n"
    "\n"
    "  -r, --report=KIND       info, summary, iterations, gaps, slices, launches,\n"
    "                          breakdown, averages, diff (of two traces: base, new)\n"
    "  -f, --format=FMT        text (default), json, csv\n"
    "  -x, --export=FILE       write the window as a trace (gzip if FILE ends in .gz)\n"
    "  -w, --window=FROM..TO   limit to a window; times are NUMBER[ns|us|ms|s] from the\n"
    "                          first event on, @NUMBER[unit] on the file's own clock\n"
    "  -i, --iteration=NAME    limit to an iteration: a name, N (from 0), or A..B\n"
    "  -c, --category=LIST     categories, comma separated, or all\n"
    "  -m, --match=REGEX       only slices whose name matches\n"
    "  -b, --by=KEY            summary: name, stem, category, track; gaps: device, track\n"
    "  -s, --sort=KEY          total, count, mean, max, p95, name; slices: start, dur\n"
    "  -n, --top=N             at most N rows; gaps: the N largest of each row\n"
    "  -o, --output=FILE       the report goes to FILE\n"
    "  -t, --threads=N         threads to load with\n"
    "      --iteration-pattern=REGEX   further annotations that are iterations; the\n"
    "                          first group is the number\n"
    "      --script=FILE       run the viewer's commands from FILE without a terminal\n"
    "      --size=COLSxROWS    size of the screen for --script (100x30)\n"
    "      --demo              open the sample trace\n"
    "      --ascii             draw with ASCII characters only\n"
    "      --color=WHEN        auto, always, never\n"
    "      --no-mouse          leave the mouse to the terminal\n"
    "      --force             an export may replace an existing file\n"
    "      --strict            a damaged trace is an error\n"
    "  -q, --quiet             no progress, no warnings\n"
    "  -h, --help              this help\n"
    "  -V, --version           the version\n"
    "\n"
    "Exit status: 0 done, 1 nothing usable or a file could not be read or written\n"
    "(or damage with --strict), 2 wrong usage. In the viewer ? shows the keys.\n";

enum {
    OPT_ITERATION_PATTERN = 256,
    OPT_SCRIPT,
    OPT_SIZE,
    OPT_DEMO,
    OPT_ASCII,
    OPT_COLOR,
    OPT_NO_MOUSE,
    OPT_FORCE,
    OPT_STRICT
};

static const struct option long_options[] = {
    {"report", required_argument, NULL, 'r'},
    {"format", required_argument, NULL, 'f'},
    {"export", required_argument, NULL, 'x'},
    {"window", required_argument, NULL, 'w'},
    {"iteration", required_argument, NULL, 'i'},
    {"category", required_argument, NULL, 'c'},
    {"match", required_argument, NULL, 'm'},
    {"by", required_argument, NULL, 'b'},
    {"sort", required_argument, NULL, 's'},
    {"top", required_argument, NULL, 'n'},
    {"output", required_argument, NULL, 'o'},
    {"threads", required_argument, NULL, 't'},
    {"iteration-pattern", required_argument, NULL, OPT_ITERATION_PATTERN},
    {"script", required_argument, NULL, OPT_SCRIPT},
    {"size", required_argument, NULL, OPT_SIZE},
    {"demo", no_argument, NULL, OPT_DEMO},
    {"ascii", no_argument, NULL, OPT_ASCII},
    {"color", required_argument, NULL, OPT_COLOR},
    {"no-mouse", no_argument, NULL, OPT_NO_MOUSE},
    {"force", no_argument, NULL, OPT_FORCE},
    {"strict", no_argument, NULL, OPT_STRICT},
    {"quiet", no_argument, NULL, 'q'},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'V'},
    {NULL, 0, NULL, 0},
};

/* A word of a list; -1 if it is none. */
static int word_index(const char *const *words, const char *text)
{
    for (int i = 0; words[i]; i++)
        if (strcmp(words[i], text) == 0)
            return i;
    return -1;
}

static const char *const report_words[] = {"info",     "summary",   "iterations", "gaps", "slices",
                                           "launches", "breakdown", "averages",   "diff", NULL};
static const char *const format_words[] = {"text", "json", "csv", NULL};
static const char *const color_words[] = {"auto", "always", "never", NULL};
static const char *const by_words[] = {"name", "stem", "category", "track", "device", NULL};
static const char *const sort_words[] = {"total", "count", "mean", "max", "p95",
                                         "name",  "start", "dur",  NULL};

/* What is given before it is known which report it is for. */
struct given {
    int by, sort; /* indices of the words; -1: not given */
    bool report;
};

static bool bad_value(struct error *err, const char *option, const char *value)
{
    return error_set(err, ERROR_USAGE, "bad value '%s' for %s", value, option);
}

static bool take_word(const char *const *words, const char *option, const char *value, int *index,
                      struct error *err)
{
    *index = word_index(words, value);
    return *index >= 0 || bad_value(err, option, value);
}

static bool take_number(const char *option, const char *value, long long least, long long most,
                        long long *number, struct error *err)
{
    char *end;
    errno = 0;
    *number = strtoll(value, &end, 10);
    if (end == value || *end || errno || *number < least || *number > most)
        return bad_value(err, option, value);
    return true;
}

static bool take_size(const char *value, struct options *o, struct error *err)
{
    char *end, *rest;
    long cols = strtol(value, &end, 10);
    long rows = *end == 'x' ? strtol(end + 1, &rest, 10) : 0;
    if (end == value || *end != 'x' || rest == end + 1 || *rest || cols < 10 || cols > 1000 ||
        rows < 5 || rows > 500)
        return bad_value(err, "--size", value);
    o->cols = (int)cols;
    o->rows = (int)rows;
    return true;
}

static bool check_regex(const char *option, const char *value, struct error *err)
{
    regex_t compiled;
    char why[128];
    int problem = regcomp(&compiled, value, REG_EXTENDED);
    if (problem) {
        regerror(problem, &compiled, why, sizeof why);
        return error_set(err, ERROR_USAGE, "bad pattern '%s' for %s: %s", value, option, why);
    }
    regfree(&compiled);
    return true;
}

static bool take_report_option(int option, const char *value, struct options *o,
                               struct given *given, struct error *err)
{
    int index = 0;
    long long number;
    switch (option) {
    case 'r':
        if (!take_word(report_words, "-r", value, &index, err))
            return false;
        o->report = (enum report_kind)index;
        given->report = true;
        return true;
    case 'f':
        if (!take_word(format_words, "-f", value, &index, err))
            return false;
        o->format = (enum report_format)index;
        return true;
    case 'b':
        return take_word(by_words, "-b", value, &given->by, err);
    case 's':
        return take_word(sort_words, "-s", value, &given->sort, err);
    case 'n':
        if (!take_number("-n", value, 0, INT64_MAX, &number, err))
            return false;
        o->top = number;
        return true;
    case 't':
        if (!take_number("-t", value, 1, 1024, &number, err))
            return false;
        o->threads = (unsigned)number;
        return true;
    case 'm':
        o->match = value;
        return check_regex("-m", value, err);
    case OPT_ITERATION_PATTERN:
        o->iteration_pattern = value;
        return check_regex("--iteration-pattern", value, err);
    default:
        return false;
    }
}

/* Options that take no checking. True if it was one. */
static bool take_plain_option(int option, const char *value, struct options *o)
{
    switch (option) {
    case 'x':
        o->export_path = value;
        return true;
    case 'w':
        o->window = value;
        return true;
    case 'i':
        o->iteration = value;
        return true;
    case 'c':
        o->categories = value;
        return true;
    case 'o':
        o->output = value;
        return true;
    case 'q':
        o->quiet = true;
        return true;
    case OPT_SCRIPT:
        o->script = value;
        return true;
    case OPT_DEMO:
        o->demo = true;
        return true;
    case OPT_ASCII:
        o->ascii = true;
        return true;
    case OPT_NO_MOUSE:
        o->no_mouse = true;
        return true;
    case OPT_FORCE:
        o->force = true;
        return true;
    case OPT_STRICT:
        o->strict = true;
        return true;
    default:
        return false;
    }
}

static bool unknown_option(char **argv, int option, struct error *err)
{
    /* The word as it was typed, or one letter of several behind a dash. */
    char word[128];
    if (strncmp(argv[optind - 1], "--", 2) == 0 || !optopt)
        snprintf(word, sizeof word, "%s", argv[optind - 1]);
    else
        snprintf(word, sizeof word, "-%c", optopt);
    if (option == ':')
        return error_set(err, ERROR_USAGE, "option '%s' needs a value", word);
    if (strncmp(word, "--", 2) == 0 && optopt)
        return error_set(err, ERROR_USAGE, "option '%s' takes no value", word);
    return error_set(err, ERROR_USAGE, "unknown option '%s'", word);
}

static bool take_option(int option, char **argv, struct options *o, struct given *given,
                        struct error *err)
{
    int index = 0;
    if (take_plain_option(option, optarg, o))
        return true;
    switch (option) {
    case 'h':
        o->action = ACTION_HELP;
        return true;
    case 'V':
        o->action = ACTION_VERSION;
        return true;
    case OPT_SIZE:
        return take_size(optarg, o, err);
    case OPT_COLOR:
        if (!take_word(color_words, "--color", optarg, &index, err))
            return false;
        o->color = (enum color_when)index;
        return true;
    case '?':
    case ':':
        return unknown_option(argv, option, err);
    default:
        return take_report_option(option, optarg, o, given, err);
    }
}

/* -b and -s mean different things for different reports. */
static bool apply_by(struct options *o, int by, struct error *err)
{
    bool gaps = o->action == ACTION_REPORT && o->report == REPORT_GAPS;
    if (by < 0)
        return true;
    const char *word = by_words[by];
    if (gaps) {
        o->by_track = strcmp(word, "track") == 0;
        if (!o->by_track && strcmp(word, "device") != 0)
            return error_set(err, ERROR_USAGE, "-b %s does not go with -r gaps", word);
        return true;
    }
    bool diff = o->action == ACTION_REPORT && o->report == REPORT_DIFF;
    if (strcmp(word, "device") == 0 || (diff && by > 1) ||
        (o->action == ACTION_REPORT && o->report != REPORT_SUMMARY && !diff))
        return error_set(err, ERROR_USAGE, "-b %s does not go with %s%s", word,
                         o->action == ACTION_REPORT ? "-r " : "the viewer",
                         o->action == ACTION_REPORT ? report_words[o->report] : "");
    o->by = (enum summary_by)by;
    return true;
}

static bool apply_sort(struct options *o, int sort, struct error *err)
{
    if (sort < 0)
        return true;
    const char *word = sort_words[sort];
    bool of_slices = strcmp(word, "start") == 0 || strcmp(word, "dur") == 0;
    if (o->action == ACTION_REPORT &&
        (of_slices ? o->report != REPORT_SLICES : o->report != REPORT_SUMMARY))
        return error_set(err, ERROR_USAGE, "-s %s does not go with -r %s", word,
                         report_words[o->report]);
    if (of_slices)
        o->sort_by_dur = strcmp(word, "dur") == 0;
    else
        o->sort = (enum summary_sort)sort;
    return true;
}

static bool check_together(struct options *o, const struct given *given, struct error *err)
{
    if (o->export_path && given->report)
        return error_set(err, ERROR_USAGE, "-x and -r do not go together");
    if (o->script && (o->export_path || given->report))
        return error_set(err, ERROR_USAGE, "--script goes with neither -x nor -r");
    if (o->window && o->iteration)
        return error_set(err, ERROR_USAGE, "-w and -i do not go together");
    if (o->demo && o->path_count > 0)
        return error_set(err, ERROR_USAGE, "--demo opens a trace of its own");
    if (!o->demo && o->path_count == 0)
        return error_set(err, ERROR_USAGE, "no trace given");
    if (given->report && o->report == REPORT_DIFF && o->path_count != 2)
        return error_set(err, ERROR_USAGE, "-r diff needs two traces");
    if (o->export_path && o->path_count > 1)
        return error_set(err, ERROR_USAGE, "-x takes one trace");
    if (o->export_path)
        o->action = ACTION_EXPORT;
    else if (given->report)
        o->action = ACTION_REPORT;
    else if (o->script)
        o->action = ACTION_SCRIPT;
    return apply_by(o, given->by, err) && apply_sort(o, given->sort, err);
}

bool options_parse(int argc, char **argv, struct options *options, struct error *err)
{
    struct given given = {.by = -1, .sort = -1};
    *options = (struct options){.top = -1, .cols = 100, .rows = 30};
    optind = 0; /* start over, also for a second command line */
    opterr = 0;
    for (;;) {
        int option = getopt_long(argc, argv, ":r:f:x:w:i:c:m:b:s:n:o:t:qhV", long_options, NULL);
        if (option == -1)
            break;
        if (!take_option(option, argv, options, &given, err))
            return false;
        if (options->action == ACTION_HELP || options->action == ACTION_VERSION)
            return true;
    }
    options->paths = (const char *const *)(argv + optind);
    options->path_count = argc - optind;
    return check_together(options, &given, err);
}
