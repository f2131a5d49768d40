/* main.c - the table of commands; finds the named command and runs it. */
#include "cli/cli.h"

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

const cli_command cli_commands[] = {
    {"anonymize", "make a release of a table that keeps the job's promises", cmd_anonymize},
    {"check", "is this file what the job promises?", cmd_check},
    {"boundaries", "what the boundaries cost, for every k and p", cmd_boundaries},
    {"compare", "what algorithms lose at every k and p, as a table or a page with curves",
     cmd_compare},
    {"hierarchy", "draw or validate a hierarchy file", cmd_hierarchy},
    {"generate", "make data sets to try things with", cmd_generate},
    {"list", "the algorithms, models, measures and formats there are", cmd_list},
    {0},
};

static void print_usage(FILE *to) {
    fputs("usage: hedgerow COMMAND [arguments]\n\n", to);
    for (const cli_command *command = cli_commands; command->name; command++)
        fprintf(to, "  %-12s %s\n", command->name, command->summary);
    fputs("\n`hedgerow COMMAND --help` tells more; `hedgerow --version` tells the version.\n", to);
}

static int print_overview(void) {
    puts("Hedgerow anonymizes a table with one row per person so that it can be released: every\n"
         "class of look-alikes has at least k rows and p values of each sensitive attribute, and\n"
         "no value is generalized past the boundary that its owner drew.\n");
    print_usage(stdout);
    puts("\nexit status: 0 done; 1 bad use or bad input; 2 nothing can be released, or a check\n"
         "says no; 3 reading or writing failed; 130 cancelled");
    return 0;
}

static int print_version(void) {
    printf("hedgerow %s\n", hr_version());
    return 0;
}

static const cli_command *find_command(const char *name) {
    for (const cli_command *command = cli_commands; command->name; command++)
        if (!strcmp(command->name, name)) return command;
    return NULL;
}

static int unknown_command(const char *name) {
    enum { COMMANDS = sizeof cli_commands / sizeof *cli_commands - 1 };
    hr_error err;
    const char *names[COMMANDS];
    for (size_t i = 0; i < COMMANDS; i++)
        names[i] = cli_commands[i].name;
    const char *nearest = hr_nearest_name(name, names, COMMANDS);
    if (nearest)
        (void)hr_fail(&err, HR_EINVAL, "there is no command '%s' (did you mean '%s'?)", name,
                      nearest);
    else
        (void)hr_fail(&err, HR_EINVAL, "there is no command '%s'; see `hedgerow --help`", name);
    return cli_exit(HR_EINVAL, &err);
}

static int run_help(int argc, char **argv) {
    if (argc < 2) return print_overview();
    const cli_command *command = find_command(argv[1]);
    if (!command) return unknown_command(argv[1]);
    char help[] = "--help";
    char *arguments[] = {argv[1], help, NULL};
    return command->run(2, arguments);
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
    return command ? command->run(argc - 1, argv + 1) : unknown_command(name);
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

int main(int argc, char **argv) {
    hold_streams();
    cli_signals_stop();
    signal(SIGXFSZ,
           SIG_IGN); /* a file size limit makes writes fail instead of killing the process */
    int status = run(argc, argv);
    bool reported = status == 1 || status == 3; /* an error message was printed already */
    if ((fflush(stdout) || ferror(stdout)) && !reported) {
        perror("hedgerow: writing to standard output failed");
        return status ? status : 3;
    }
    return status;
}
