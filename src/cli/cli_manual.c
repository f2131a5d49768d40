/* cli_manual.c - prints manual pages in roff, from the tables that --help uses. */
#include "cli/cli.h"

#include <ctype.h>
#include <string.h>

enum { FLAGS_MOST = 128 };

/* Prints a text so that roff shows it as it is: dashes can be copied, and a dot or apostrophe at
 * the start of a line is no request. */
static void print_plain(const char *text) {
    for (const char *c = text; *c; c++) {
        bool starts = c == text || c[-1] == '\n';
        if (starts && (*c == '.' || *c == '\'')) fputs("\\&", stdout);
        if (*c == '-')
            fputs("\\-", stdout);
        else if (*c == '\\')
            fputs("\\e", stdout);
        else
            putchar(*c);
    }
}

static void print_title(const char *name) {
    fputs(".TH ", stdout);
    for (const char *c = name; *c; c++)
        putchar(toupper((unsigned char)*c));
    printf(" 1 \"\" \"Hedgerow %s\" \"User Commands\"\n", hr_version());
}

/* The name of the flag is bold, its argument italic. */
static void print_flag(const cli_shown_flag *flag) {
    fputs(".TP\n\\fB", stdout);
    if (flag->letter && flag->name[1]) printf("\\-%c\\fR, \\fB", flag->letter);
    fputs(flag->name[1] ? "\\-\\-" : "\\-", stdout);
    print_plain(flag->spelled);
    fputs("\\fR", stdout);
    if (flag->argument) {
        fputs(" \\fI", stdout);
        print_plain(flag->argument);
        fputs("\\fR", stdout);
    }
    putchar('\n');
    print_plain(flag->help);
    putchar('\n');
}

static void print_statuses(void) {
    puts(".SH EXIT STATUS");
    for (size_t i = 0; cli_statuses[i]; i += 2) {
        printf(".TP\n.B %s\n", cli_statuses[i]);
        print_plain(cli_statuses[i + 1]);
        putchar('\n');
    }
}

static void print_example(const char *lines) {
    puts(".SH EXAMPLES\n.nf");
    print_plain(lines);
    puts("\n.fi");
}

/* The page of the whole program. */
static void print_program(void) {
    print_title("hedgerow");
    puts(".SH NAME\nhedgerow \\- anonymize a table of people for release\n.SH SYNOPSIS\n"
         ".B hedgerow\n.I COMMAND\n[\\fIarguments\\fR]\n.SH DESCRIPTION");
    print_plain(cli_purpose);
    puts("\n.PP\nA job file says what each column is and what the release must satisfy. A first "
         "argument that\nends in .yaml, .yml or .json is a job file; anything else is input. Flags "
         "have the names of the\njob's keys and override them.\n.SH COMMANDS");
    for (const cli_command *const *command = cli_commands; *command; command++) {
        printf(".TP\n.BR hedgerow\\-%s (1)\n", (*command)->name);
        print_plain((*command)->summary);
        putchar('\n');
    }
    print_statuses();
    print_example("hedgerow init patients.csv -o patients.yaml\n"
                  "hedgerow boundaries patients.yaml -k 3,5,10 -p 1,2\n"
                  "hedgerow anonymize patients.yaml -o release.csv --report report.html\n"
                  "hedgerow check release.csv patients.yaml");
    puts(".SH SEE ALSO\nThe tutorial, pages by task and the reference are in\n"
         ".IR share/doc/hedgerow/docs ,\nbelow the prefix of the installation.");
}

/* The usage of a command may have several lines and repeat "hedgerow NAME". */
static void print_usage(const cli_command *command) {
    puts(".SH SYNOPSIS\n.nf");
    printf("\\fBhedgerow %s\\fR ", command->name);
    for (const char *c = command->usage; *c; c++) {
        char one[2] = {*c, '\0'};
        print_plain(one);
        if (*c == '\n')
            while (c[1] == ' ')
                c++;
    }
    puts("\n.fi");
}

/* Lines are filled, but a line that begins with two blanks belongs to a list and stays as it is. */
static void print_about(const char *about) {
    bool listed = false;
    puts(".SH DESCRIPTION");
    for (const char *line = about; line;) {
        const char *end = strchr(line, '\n');
        int length = end ? (int)(end - line) : (int)strlen(line);
        char copy[256];
        snprintf(copy, sizeof copy, "%.*s", length, line);
        bool in_list = !strncmp(copy, "  ", 2);
        if (in_list != listed) puts(in_list ? ".nf" : ".fi");
        listed = in_list;
        if (*copy)
            print_plain(copy);
        else
            fputs(".PP", stdout);
        putchar('\n');
        line = end ? end + 1 : NULL;
    }
    if (listed) puts(".fi");
}

static void print_command(const cli_command *command) {
    static const char *const titles[] = {[CLI_OWN_FLAG] = "FLAGS",
                                         [CLI_JOB_FLAG] = "FLAGS THAT OVERRIDE THE JOB",
                                         [CLI_ALGORITHM_FLAG] = "OPTIONS OF ALGORITHMS"};
    cli_shown_flag flags[FLAGS_MOST];
    size_t count = cli_list_flags(command, flags, FLAGS_MOST);
    char name[64];
    snprintf(name, sizeof name, "hedgerow-%s", command->name);
    print_title(name);
    printf(".SH NAME\nhedgerow\\-%s \\- ", command->name);
    print_plain(command->summary);
    putchar('\n');
    print_usage(command);
    print_about(command->about);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || flags[i].group != flags[i - 1].group)
            printf(".SH %s\n", titles[flags[i].group]);
        print_flag(&flags[i]);
    }
    print_statuses();
    print_example(command->example);
    puts(".SH SEE ALSO\n.BR hedgerow (1)");
}

void cli_manual(const cli_command *command) {
    if (command)
        print_command(command);
    else
        print_program();
}
