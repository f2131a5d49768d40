/* cli.h - the command: a table of commands, one file per command, and what they share: arguments
 * and help from tables, printing of tables, progress and signals, exit statuses.
 *
 * A command is a cli_syntax (what may be typed) and a function that runs:
 *
 *     int cmd_check(int argc, char **argv) {
 *         return cli_run(&syntax, argc, argv, run);
 *     }
 *
 * where `static hr_status run(const cli_arguments *arguments, hr_error *err)` gets the job, with
 * the flags applied, in arguments->job and the flags of the command itself in arguments->own.
 * Results go to standard output, everything else to standard error. */
#ifndef HR_CLI_H
#define HR_CLI_H

#include "job/job_keys.h"
#include "run/run.h"

/* ---- main.c ---- */

typedef struct {
    const char *name, *summary;
    int (*run)(int argc,
               char **argv); /* argv[0] is the name of the command; returns the exit status */
} cli_command;

extern const cli_command cli_commands[]; /* ends with a NULL name */

int cmd_anonymize(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_boundaries(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_hierarchy(int argc, char **argv);
int cmd_generate(int argc, char **argv);
int cmd_list(int argc, char **argv);

/* Prints "hedgerow: message" to standard error, if there is a message, and returns the exit status:
 * 0 done, 1 bad use or bad input, 2 no, 3 reading or writing failed, 130 cancelled. */
int cli_exit(hr_status status, const hr_error *err);
/* Prints the line "hedgerow: notice: ..." to standard error unless `quiet`. */
void cli_notice(bool quiet, const char *format, ...) HR_PRINTF(2, 3);

/* ---- cli_arguments.c ---- */

/* A flag of one command. Its argument (a const char * into argv), or true (bool) for a switch, is
 * stored at `offset` in the command's own struct. The flag takes precedence over a job key of the
 * same name: a command that reads `-k 4,8` itself has a flag `k`. */
typedef struct {
    const char *name;     /* "original": --original; one character: also -x */
    char letter;          /* 'x': -x, or 0 */
    const char *argument; /* NULL: a switch */
    const char *help;
    size_t offset;
} cli_flag;

typedef struct {
    const char *command; /* "check" */
    const char *usage;   /* what follows "hedgerow check" */
    const char *about;   /* a few lines for --help, without a last newline */
    int least, most;     /* number of arguments that are not flags; most < 0: any number */
    int job_at;          /* which argument is the job or the input; -1: the command takes no job */
    bool job_only;       /* the argument must be a job file */
    bool prints;         /* takes --format */
    const cli_flag *flags; /* ends with a NULL name; may be NULL */
    size_t own_size;       /* of the struct that `flags` fill */
} cli_syntax;

typedef enum { CLI_TABLE, CLI_CSV, CLI_JSON } cli_format;

typedef struct {
    hr_job *job;  /* NULL if the command takes none */
    char **words; /* the arguments that are not flags */
    int word_count;
    void *own; /* the command's own struct of flags, zero if not given */
    cli_format format;
    bool quiet, help; /* help: print help; nothing else was parsed */
} cli_arguments;

/* True for names that end in .yaml, .yml or .json: such an argument is a job. */
bool cli_is_job(const char *path);
hr_status cli_parse(const cli_syntax *syntax, int argc, char **argv, cli_arguments *out,
                    hr_error *err);
void cli_arguments_free(cli_arguments *arguments);
/* Parses the arguments, prints help or calls `run`, prints errors; returns the exit status. */
int cli_run(const cli_syntax *syntax, int argc, char **argv,
            hr_status (*run)(const cli_arguments *arguments, hr_error *err));

/* ---- cli_help.c ---- */

/* True if the command accepts the flag. */
bool cli_takes(const cli_syntax *syntax, const hr_keyword *named);
void cli_help(const cli_syntax *syntax);
/* The flag of the command that is nearest to `name`, without dashes; NULL: none is near enough. */
const char *cli_nearest_flag(const cli_syntax *syntax, const char *name);

/* ---- cli_print.c: rows of entries as an aligned table, CSV or JSON ---- */

typedef enum { CLI_TEXT, CLI_COUNT, CLI_REAL } cli_type; /* numbers are aligned to the right */

typedef struct {
    const char *name;
    cli_type type;
    int digits; /* after the point of a real in a table; CSV and JSON have all */
} cli_column;

typedef struct {
    char *text; /* NULL: a number, or no value */
    int64_t count;
    double real;
    bool given;
} cli_entry;

typedef struct {
    const cli_column *columns;
    size_t column_count;
    cli_entry *entries;
    size_t entry_count, entry_capacity;
    bool failed; /* out of memory; stays set and is reported by cli_rows_print */
} cli_rows;

void cli_rows_start(cli_rows *rows, const cli_column *columns, size_t column_count);
/* Entries are added row by row, from left to right. */
void cli_add_text(cli_rows *rows, const char *text);
void cli_add_count(cli_rows *rows, int64_t count);
void cli_add_real(cli_rows *rows, double real); /* NaN: no value */
void cli_add_none(cli_rows *rows);              /* "-" in a table, empty in CSV, null in JSON */
/* Prints to standard output and frees the rows. */
hr_status cli_rows_print(cli_rows *rows, cli_format format, hr_error *err);
/* The same to a private file, whole or not at all; "-" is standard output. `watch` as in
 * hr_output_open. */
hr_status cli_rows_write(cli_rows *rows, cli_format format, const char *path, const hr_watch *watch,
                         hr_error *err);
void cli_rows_free(cli_rows *rows);

/* Number of characters of a UTF-8 text. */
size_t cli_width(const char *text);

/* ---- cli_tree.c: prints a hierarchy as a drawing or as rows ---- */

typedef struct {
    const hr_hierarchy *tree;
    const uint32_t *magval; /* of each node; NULL: no boundary is shown */
    const uint64_t *rows;   /* of each node: rows at or below the node; NULL: not shown */
    uint32_t depth;         /* greatest depth drawn; HR_NONE: as deep as is readable */
} cli_tree;

/* Prints to standard output. */
hr_status cli_tree_print(const cli_tree *tree, cli_format format, hr_error *err);

/* ---- cli_watch.c: progress, notices, signals ---- */

typedef struct {
    hr_watch watch; /* for the library */
    bool quiet, bar, drawn;
    char stage[32];
    double started;
    const char *measure; /* measure of the loss shown with the next progress; NULL: none */
    double loss, least;
} cli_watch;

/* From here on SIGINT, SIGTERM and SIGHUP end the command at once, with exit status 130. */
void cli_signals_stop(void);
/* From here on the first of these signals makes watch->watch report a cancellation; a second SIGINT
 * or SIGTERM kills. Files are written between start and end, so that none is left half-written. */
void cli_watch_start(cli_watch *watch, bool quiet);
/* Clears the progress line and calls cli_signals_stop. Call it before printing anything. */
void cli_watch_end(cli_watch *watch);

#endif
