/* cli_help.c - prints what --help shows. */
#include "cli/cli.h"

#include <string.h>

enum { HELP_COLUMN = 34, FLAGS_MOST = 128 };

static void print_flag(const cli_shown_flag *flag) {
    char left[128], dash[8] = "    ";
    const char *argument = flag->argument ? flag->argument : "";
    const char *blank = flag->argument ? " " : "";
    if (flag->letter) snprintf(dash, sizeof dash, "-%c, ", flag->letter);
    if (!flag->name[1]) /* -k */
        snprintf(left, sizeof left, "-%s%s%s", flag->name, blank, argument);
    else
        snprintf(left, sizeof left, "%s--%s%s%s", dash, flag->name, blank, argument);
    if (strlen(left) > HELP_COLUMN - 2)
        printf("  %s\n  %*s%s\n", left, HELP_COLUMN, "", flag->help);
    else
        printf("  %-*s%s\n", HELP_COLUMN, left, flag->help);
}

void cli_help(const cli_command *command) {
    static const char *const titles[] = {
        [CLI_OWN_FLAG] = "flags:",
        [CLI_JOB_FLAG] = "flags that override the job:",
        [CLI_ALGORITHM_FLAG] =
            "options of algorithms (`hedgerow list algorithms` shows which has which):"};
    cli_shown_flag flags[FLAGS_MOST];
    size_t count = cli_list_flags(command, flags, FLAGS_MOST);
    printf("usage: hedgerow %s %s\n\n%s\n", command->name, command->usage, command->about);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || flags[i].group != flags[i - 1].group)
            printf("\n%s\n", titles[flags[i].group]);
        print_flag(&flags[i]);
    }
}
