/* cli_help.c - prints what --help shows. */
#include "cli/cli.h"

#include <string.h>

enum { HELP_COLUMN = 30, HELP_WIDTH = 80, FLAGS_MOST = 128 };

/* Prints the help of a flag, which begins in column HELP_COLUMN, in lines of HELP_WIDTH. */
static void print_wrapped(const char *text) {
    const size_t room = HELP_WIDTH - HELP_COLUMN - 2;
    while (strlen(text) > room) {
        size_t cut = room;
        while (cut > 0 && text[cut] != ' ')
            cut--;
        if (cut == 0) break; /* a word longer than the line */
        printf("%.*s\n  %*s", (int)cut, text, HELP_COLUMN, "");
        text += cut + 1;
    }
    puts(text);
}

static void print_flag(const cli_shown_flag *flag) {
    char left[128], dash[8] = "    ";
    const char *argument = flag->argument ? flag->argument : "";
    const char *blank = flag->argument ? " " : "";
    if (flag->letter) snprintf(dash, sizeof dash, "-%c, ", flag->letter);
    if (!flag->name[1]) /* -k */
        snprintf(left, sizeof left, "-%s%s%s", flag->name, blank, argument);
    else
        snprintf(left, sizeof left, "%s--%s%s%s", dash, flag->spelled, blank, argument);
    if (strlen(left) > HELP_COLUMN - 2)
        printf("  %s\n  %*s", left, HELP_COLUMN, "");
    else
        printf("  %-*s", HELP_COLUMN, left);
    print_wrapped(flag->help);
}

void cli_help(const cli_command *command) {
    static const char *const titles[] = {
        [CLI_OWN_FLAG] = "flags (defaults in parentheses):",
        [CLI_JOB_FLAG] = "flags that override the job:",
        [CLI_ALGORITHM_FLAG] =
            "options of algorithms (`hedgerow list algorithms` shows which has which):"};
    cli_shown_flag flags[FLAGS_MOST];
    size_t count = cli_list_flags(command, flags, FLAGS_MOST);
    printf("usage: hedgerow %s %s\n\n%s\n\nexamples:\n", command->name, command->usage,
           command->about);
    for (const char *line = command->example; *line;) {
        int length = (int)strcspn(line, "\n");
        printf("  %.*s\n", length, line);
        line += length + (line[length] == '\n');
    }
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || flags[i].group != flags[i - 1].group)
            printf("\n%s\n", titles[flags[i].group]);
        print_flag(&flags[i]);
    }
}
