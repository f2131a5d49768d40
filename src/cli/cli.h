/* cli.h - the command, on top of the public interface alone: a table of commands, one file per
 * command, and what they share: arguments and help from tables, printing, progress and signals,
 * exit statuses.
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

#include "hedgerow.h"

#include <stdio.h>

#ifdef __clang_analyzer__
/* The static analyzer reads one source file at a time, so it cannot see that hr_fail returns
 * `code`, which is never HR_OK. */
#define hr_fail(err, code, ...) ((void)hr_fail(err, code, __VA_ARGS__), (code))
#endif

#define HR_TRY(call)                                                                               \
    do {                                                                                           \
        hr_status hr_try_status = (call);                                                          \
        if (hr_try_status != HR_OK) return hr_try_status;                                          \
    } while (0)

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

typedef struct {
    hr_job *job;  /* NULL if the command takes none */
    char **words; /* the arguments that are not flags */
    int word_count;
    void *own; /* the command's own struct of flags, zero if not given */
    hr_print_format format;
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

/* True if the command accepts the key as a flag. */
bool cli_takes(const cli_syntax *syntax, const hr_key_info *key);
/* Key number i of a job; false behind the last. */
bool cli_key_at(size_t i, hr_key_info *out);
void cli_help(const cli_syntax *syntax);
/* The flag of the command that is nearest to `name`, without dashes; NULL: none is near enough. */
const char *cli_nearest_flag(const cli_syntax *syntax, const char *name);

/* ---- cli_print.c: each prints a text to standard output and frees it ---- */

/* Writes at once. A full disk and a reader that went away are errors. */
hr_status cli_print(char *text, hr_error *err);
/* Leaves the text in the buffer of standard output: main reports a failure at the end, and a reader
 * that went away ends the command silently. */
void cli_show(char *text);
/* The same, written at once: a full disk is an error here. */
hr_status cli_show_now(char *text, hr_error *err);

/* ---- cli_grid.c: lists of k and p ---- */

/* NULL: k or p of the job. */
typedef struct {
    int64_t *ks, *ps;
    size_t k_count, p_count;
} cli_grid;

/* Fails unless there is a k: in the flag -k, whose argument is `k`, or in the job. */
hr_status cli_grid_check(const char *k, const hr_job *job, hr_error *err);
/* Parses the arguments of -k and -p, such as 4,8,10-20; NULL: not given. */
hr_status cli_grid_read(const char *k, const char *p, cli_grid *out, hr_error *err);
void cli_grid_free(cli_grid *grid);

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
