/* main.c - the table of commands; finds the named command and runs it. */
#include "cli/cli.h"

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const cli_command cmd_anonymize, cmd_check, cmd_boundaries, cmd_compare, cmd_hierarchy,
    cmd_init, cmd_ui, cmd_generate, cmd_list, cmd_completion;

const cli_command *const cli_commands[] = {
    &cmd_anonymize, &cmd_check,    &cmd_boundaries, &cmd_compare,    &cmd_hierarchy, &cmd_init,
    &cmd_ui,        &cmd_generate, &cmd_list,       &cmd_completion, NULL,
};

const char *const cli_purpose =
    "Hedgerow anonymizes a table with one row per person so that it can be released:\n"
    "every class of look-alikes has at least k rows and p values of each sensitive\n"
    "attribute, and no value is generalized past the boundary that its owner drew.";

const char *const cli_statuses[] = {
    "0",   "done, or `check` says yes",
    "1",   "bad use or bad input",
    "2",   "nothing released, too many rows suppressed, or `check` says no",
    "3",   "reading or writing failed",
    "130", "cancelled",
    NULL,
};

static void print_usage(FILE *to) {
    fputs("usage: hedgerow COMMAND [arguments]\n\n", to);
    for (const cli_command *const *command = cli_commands; *command; command++)
        fprintf(to, "  %-12s %s\n", (*command)->name, (*command)->summary);
    fputs("\n`hedgerow COMMAND --help` shows its flags, `hedgerow --version` the version.\n", to);
}

static int print_overview(void) {
    printf("%s\n\n", cli_purpose);
    print_usage(stdout);
    puts("\nexit status:");
    for (size_t i = 0; cli_statuses[i]; i += 2)
        printf("  %-12s %s\n", cli_statuses[i], cli_statuses[i + 1]);
    return 0;
}

static int print_version(void) {
    printf("hedgerow %s\n", hr_version());
    return 0;
}

static const cli_command *find_command(const char *name) {
    for (const cli_command *const *command = cli_commands; *command; command++)
        if (!strcmp((*command)->name, name)) return *command;
    return NULL;
}

static int unknown_command(const char *name) {
    enum { COMMANDS = sizeof cli_commands / sizeof *cli_commands - 1 };
    hr_error err;
    const char *names[COMMANDS];
    for (size_t i = 0; i < COMMANDS; i++)
        names[i] = cli_commands[i]->name;
    const char *nearest = hr_nearest_name(name, names, COMMANDS);
    if (nearest)
        (void)hr_fail(&err, HR_EINVAL, "there is no command '%s' (did you mean '%s'?)", name,
                      nearest);
    else
        (void)hr_fail(&err, HR_EINVAL, "there is no command '%s'; see `hedgerow --help`", name);
    return cli_exit(HR_EINVAL, &err);
}

static int print_reference(void) {
    hr_error err;
    return cli_exit(cli_reference(&err), &err);
}

/* `hedgerow help [--man] [COMMAND]`, `hedgerow help --markdown` */
static int run_help(int argc, char **argv) {
    if (argc > 1 && !strcmp(argv[1], "--markdown")) return print_reference();
    bool manual = argc > 1 && !strcmp(argv[1], "--man");
    const char *name = argc > 1 + manual ? argv[1 + manual] : NULL;
    const cli_command *command = name ? find_command(name) : NULL;
    if (name && !command) return unknown_command(name);
    if (manual)
        cli_manual(command);
    else if (command)
        cli_help(command);
    else
        return print_overview();
    return 0;
}

int cli_exit(hr_status status, const hr_error *err) {
    if (status != HR_OK && err->message[0]) fprintf(stderr, "hedgerow: %s\n", err->message);
    switch (status) {
    case HR_OK: return 0;
    case HR_ENOSOL: return 2;
    case HR_EIO: return 3;
    case HR_ECANCEL: return 130;
    default: return 1;
    }
}

void cli_notice(bool quiet, const char *format, ...) {
    if (quiet) return;
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    hr_make_plain(message);
    fprintf(stderr, "hedgerow: notice: %s\n", message);
}

static int run(int argc, char **argv) {
    if (argc < 2) {
        print_usage(stderr);
        return 1;
    }
    const char *name = argv[1];
    if (!strcmp(name, "--version") || !strcmp(name, "version")) return print_version();
    if (!strcmp(name, "--help") || !strcmp(name, "-h")) return print_overview();
    if (!strcmp(name, "help")) return run_help(argc - 1, argv + 1);
    const cli_command *command = find_command(name);
    return command ? cli_run(command, argc - 1, argv + 1) : unknown_command(name);
}

/* If a standard stream is closed, the next file opened would get its number, and output for the
 * stream would go into that file. Opens /dev/null in the wrong direction instead, so that reading
 * from or writing to the stream fails. */
static void hold_streams(void) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            _exit(3);
}

/* Other users of the machine can read the arguments of a command. Copies them, and removes the
 * passwords of addresses from the originals. */
static char **take_arguments(int argc, char **argv) {
    bool found = false;
    char **copies = calloc((size_t)argc + 1, sizeof *copies);
    if (!copies) _exit(3);
    for (int i = 0; i < argc; i++) {
        copies[i] = strdup(argv[i]);
        if (!copies[i]) _exit(3);
        for (char *at = argv[i]; *at; at++)
            found |= hr_hide_password(at);
    }
    if (found)
        cli_notice(false, "a password was given as an argument, which other users of this machine "
                          "can read: put it into ~/.pgpass or PGPASSWORD");
    return copies;
}

int main(int argc, char **argv) {
    hold_streams();
    char **arguments = take_arguments(argc, argv);
    cli_signals_stop();
    signal(SIGXFSZ,
           SIG_IGN); /* a file size limit makes writes fail instead of killing the process */
    int status = run(argc, arguments);
    for (int i = 0; i < argc; i++)
        free(arguments[i]);
    free(arguments);
    bool reported = status == 1 || status == 3; /* an error message was printed already */
    if ((fflush(stdout) || ferror(stdout)) && !reported) {
        perror("hedgerow: writing to standard output failed");
        return status ? status : 3;
    }
    return status;
}
