/* cli.h - the command, on top of the public interface alone: a table of commands, one file per
 * command, and what they share: arguments from tables, help, manual pages and completions made from
 * the same tables, printing, progress and signals, exit statuses.
 *
 * A file cmd_NAME.c ends with its cli_command, which describes what may be typed. Its function
 * `run` gets the job, with the flags applied, in arguments->job and the flags of the command itself
 * in arguments->own. Results go to standard output, everything else to standard error. */
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

/* ---- Commands ---- */

typedef struct cli_arguments cli_arguments;

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
    const char *name;    /* "check" */
    const char *summary; /* one line for the list of commands */
    const char *usage;   /* what follows "hedgerow check" */
    const char *about;   /* a few lines for --help, without a last newline */
    const char *example; /* lines to type, in a folder with what `generate patients -o .` writes */
    const char *first;   /* what the first argument may be, "show|check|build"; NULL: a file */
    int least, most;     /* number of arguments that are not flags; most < 0: any number */
    int job_at;          /* which argument is the job or the input; -1: the command takes no job */
    bool job_only;       /* the argument must be a job file */
    bool prints;         /* takes --format */
    const cli_flag *flags; /* ends with a NULL name; may be NULL */
    size_t own_size;       /* of the struct that `flags` fill */
    hr_status (*run)(const cli_arguments *arguments, hr_error *err);
} cli_command;

/* ---- main.c ---- */

extern const cli_command *const cli_commands[]; /* ends with NULL */
extern const char *const cli_purpose;           /* what the program does, in three lines */
extern const char *const cli_statuses[];        /* "0", "done", ...; ends with NULL */

/* Prints "hedgerow: message" to standard error, if there is a message, and returns the exit status:
 * 0 done, 1 bad use or bad input, 2 no, 3 reading or writing failed, 130 cancelled. */
int cli_exit(hr_status status, const hr_error *err);
/* Prints the line "hedgerow: notice: ..." to standard error unless `quiet`. */
void cli_notice(bool quiet, const char *format, ...) HR_PRINTF(2, 3);

/* ---- cli_arguments.c ---- */

struct cli_arguments {
    hr_job *job;  /* NULL if the command takes none */
    char **words; /* the arguments that are not flags */
    int word_count;
    void *own; /* the command's own struct of flags, zero if not given */
    hr_print_format format;
    bool quiet, help; /* help: print help; nothing else was parsed */
};

/* True for names that end in .yaml, .yml or .json: such an argument is a job. */
bool cli_is_job(const char *path);
hr_status cli_parse(const cli_command *command, int argc, char **argv, cli_arguments *out,
                    hr_error *err);
void cli_arguments_free(cli_arguments *arguments);
/* Parses the arguments, prints help or runs the command, prints errors; returns the exit status. */
int cli_run(const cli_command *command, int argc, char **argv);

/* ---- cli_flags.c ---- */

typedef enum { CLI_OWN_FLAG, CLI_JOB_FLAG, CLI_ALGORITHM_FLAG } cli_flag_group;

/* A flag as help, manual pages and completions show it. */
typedef struct {
    cli_flag_group group; /* of the command, of the job, or an option of algorithms */
    char letter;          /* 0: none. The letter of a name of one character is that character. */
    const char *name, *argument, *help; /* argument NULL: a switch */
    char spelled[32];                   /* the name with hyphens: t-reference */
} cli_shown_flag;

/* The flags of a command in the order in which help lists them, group by group. Stores up to `room`
 * of them in `out`, and returns how many there are. */
size_t cli_list_flags(const cli_command *command, cli_shown_flag *out, size_t room);
/* True if the command accepts the key as a flag. */
bool cli_takes(const cli_command *command, const hr_key_info *key);
/* Key number i of a job; false after the last. */
bool cli_key_at(size_t i, hr_key_info *out);
/* The flag of the command that is nearest to `name`, without dashes; NULL: none is near enough. */
const char *cli_nearest_flag(const cli_command *command, const char *name);

/* ---- cli_help.c, cli_manual.c, cli_reference.c ---- */

/* Prints what --help shows. */
void cli_help(const cli_command *command);
/* Prints the manual page of a command in roff; NULL: of the program. */
void cli_manual(const cli_command *command);
/* Prints the reference of all commands, keys and options in Markdown. */
hr_status cli_reference(hr_error *err);

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
    bool told; /* the notice that the search is ending was printed */
} cli_watch;

/* From here on SIGINT, SIGTERM and SIGHUP end the command at once, with exit status 130. */
void cli_signals_stop(void);
/* From here on the first of these signals makes watch->watch report a cancellation; a second SIGINT
 * or SIGTERM kills. Files are written between start and end, so that none is left half-written. */
void cli_watch_start(cli_watch *watch, bool quiet);
/* From here on the first SIGINT or SIGTERM asks to finish, and the second cancels. */
void cli_watch_finish(cli_watch *watch);
/* Clears the progress line and calls cli_signals_stop. Call it before printing anything. */
void cli_watch_end(cli_watch *watch);

#endif
