/* cli_reference.c - prints the reference of commands, keys and options in Markdown, from the tables
 * that --help uses: `hedgerow help --markdown`, which `make reference` writes to
 * docs/reference/commands.md.
 */
#include "cli/cli.h"

#include <math.h>
#include <string.h>

enum { FLAGS_MOST = 128 };

/* ---- Cells of tables ---- */

/* Text that Markdown shows as it is, with code between backquotes. */
static void print_text(const char *text) {
    bool code = false;
    for (const char *c = text; *c; c++) {
        code ^= *c == '`';
        if (*c == '|' || (*c == '*' && !code)) putchar('\\');
        if (*c == '<' && !code)
            fputs("&lt;", stdout);
        else
            putchar(*c == '\n' ? ' ' : *c);
    }
}

/* Code; in a table a bar needs a backslash. */
static void print_code(const char *text) {
    if (!text || !*text) return;
    putchar('`');
    for (const char *c = text; *c; c++) {
        if (*c == '|') putchar('\\');
        putchar(*c);
    }
    putchar('`');
}

static void print_flag_name(const char *name, char letter) {
    fputs(name[1] ? "`--" : "`-", stdout);
    for (const char *c = name; *c; c++)
        putchar(*c == '_' ? '-' : *c);
    putchar('`');
    if (letter && name[1]) printf(", `-%c`", letter);
}

/* "growth|absolute"; "1 to 10" */
static void print_values(const hr_key_info *key) {
    if (key->type == HR_TYPE_BOOL)
        fputs("`true\\|false`", stdout);
    else if (isfinite(key->least) && isfinite(key->most))
        printf("%.15g to %.15g", key->least, key->most);
    else
        print_code(key->argument);
}

/* ---- Commands ---- */

static void print_own_flags(const cli_command *command) {
    cli_shown_flag flags[FLAGS_MOST];
    size_t count = cli_list_flags(command, flags, FLAGS_MOST);
    puts("| flag | value | |\n|---|---|---|");
    for (size_t i = 0; i < count && flags[i].group == CLI_OWN_FLAG; i++) {
        fputs("| ", stdout);
        print_flag_name(flags[i].name, flags[i].letter);
        fputs(" | ", stdout);
        print_code(flags[i].argument);
        fputs(" | ", stdout);
        print_text(flags[i].help);
        puts(" |");
    }
    if (command->job_at < 0) return;
    fputs("\nFlags that override the job:", stdout);
    for (size_t i = 0; i < count; i++) {
        if (flags[i].group == CLI_OWN_FLAG) continue;
        putchar(' ');
        print_flag_name(flags[i].name, 0);
    }
    puts(".");
}

/* Lines are filled, but a line that begins with two blanks belongs to a list and stays as it is. */
static void print_about(const char *about) {
    for (const char *line = about; *line;) {
        int length = (int)strcspn(line, "\n");
        char copy[256];
        snprintf(copy, sizeof copy, "%.*s", length, line);
        if (!strncmp(copy, "  ", 2))
            printf("  %s", copy); /* a block of code */
        else
            print_text(copy);
        line += length;
        if (*line) line++;
        puts("");
    }
}

static void print_example(const char *lines) {
    fputs("\n    ", stdout);
    for (const char *c = lines; *c; c++) {
        putchar(*c);
        if (*c == '\n') fputs("    ", stdout);
    }
    puts("\n");
}

/* The lines of a usage after the first are indented by the width of "usage: ", which the block of
 * code does not have. */
static void print_usage(const cli_command *command) {
    enum { LABEL = sizeof "usage: " - 1 };
    printf("    hedgerow %s ", command->name);
    for (const char *c = command->usage; *c; c++) {
        putchar(*c);
        if (*c != '\n') continue;
        c += LABEL;
        fputs("    ", stdout);
    }
    puts("\n");
}

static void print_commands(void) {
    puts("## Commands");
    for (const cli_command *const *command = cli_commands; *command; command++) {
        printf("\n### hedgerow %s\n\n", (*command)->name);
        print_usage(*command);
        print_about((*command)->about);
        print_example((*command)->example);
        print_own_flags(*command);
    }
}

/* ---- Keys ---- */

static void print_job_key(const hr_key_info *key) {
    bool in_file = key->type != HR_TYPE_COLUMNS && key->type != HR_TYPE_PER_COLUMN;
    fputs("| ", stdout);
    if (in_file) print_code(key->name);
    fputs(" | ", stdout);
    if (*key->commands) print_flag_name(key->name, key->letter);
    fputs(" | ", stdout);
    print_values(key);
    fputs(" | ", stdout);
    if (key->has_default) print_code(*key->initial ? key->initial : "\"\"");
    fputs(" | ", stdout);
    if (key->owner) printf("%s: ", key->owner);
    print_text(key->help);
    puts(" |");
}

static void print_keys(void) {
    hr_key_info key;
    puts("\n## Job keys\n\nAn underscore and a dash are the same in names. Options of models stand "
         "below `model`. A row without a\nkey is a flag for what a job file says below "
         "`attributes`.\n\n| key | flag | value | default | |\n|---|---|---|---|---|");
    for (size_t i = 0; cli_key_at(i, &key); i++)
        print_job_key(&key);
    puts("\n## Keys of an attribute\n\n| key | value | |\n|---|---|---|");
    key.size = sizeof key;
    for (size_t i = 0; hr_attribute_key_info_at(i, &key); i++) {
        printf("| `%s` | ", key.name);
        print_code(key.argument);
        fputs(" | ", stdout);
        print_text(key.help);
        puts(" |");
    }
}

/* ---- Lists ---- */

static void print_options(const hr_list *list, size_t i) {
    hr_key_info option = {.size = sizeof option};
    for (size_t j = 0; hr_list_option(list, i, j, &option); j++) {
        printf("%s`%s` (", j > 0 ? ", " : "", option.name);
        print_values(&option);
        if (option.has_default) printf(", default `%s`", option.initial);
        putchar(')');
    }
}

static hr_status print_list(const char *section, const char *title, hr_error *err) {
    hr_list *list;
    const hr_listed *listed;
    HR_TRY(hr_list_new(section, &list, err));
    printf("\n## %s\n\n| name | | options | from |\n|---|---|---|---|\n", title);
    for (size_t i = 0; (listed = hr_list_at(list, i)); i++) {
        printf("| `%s` | ", listed->name);
        print_text(listed->title);
        fputs(" | ", stdout);
        print_options(list, i);
        fputs(" | ", stdout);
        print_text(listed->reference);
        puts(" |");
    }
    hr_list_free(list);
    return HR_OK;
}

static void print_builders(void) {
    hr_builder_info builder;
    puts("\n## Builders\n\n| in a job | | |\n|---|---|---|");
    for (size_t i = 0; hr_builder_info_at(i, &builder); i++) {
        printf("| `{%s: %s}` | ", builder.name, builder.argument);
        print_text(builder.title);
        fputs(" | ", stdout);
        print_text(builder.help);
        puts(" |");
    }
}

static void print_report_keys(void) {
    const char *path, *help = NULL;
    puts(
        "\n## Report keys\n\nA dot leads into an object, `[]` to the elements of a list. A name in "
        "capitals stands for the entries of a\ntable above.\n\n| key | |\n|---|---|");
    for (size_t i = 0; (path = hr_report_key_at(i, &help)); i++) {
        printf("| `%s` | ", path);
        print_text(help);
        puts(" |");
    }
}

static void print_statuses(void) {
    puts("\n## Exit statuses\n\n| status | |\n|---|---|");
    for (size_t i = 0; cli_statuses[i]; i += 2) {
        printf("| %s | ", cli_statuses[i]);
        print_text(cli_statuses[i + 1]);
        puts(" |");
    }
}

hr_status cli_reference(hr_error *err) {
    puts("# Commands, keys and options\n\n`make reference` generates this page from the tables of "
         "the "
         "command. What needs more than a line is explained on the other pages of the "
         "[reference](../README.md#reference).\n");
    print_commands();
    print_keys();
    HR_TRY(print_list("models", "Models", err));
    HR_TRY(print_list("measures", "Measures", err));
    HR_TRY(print_list("algorithms", "Algorithms", err));
    HR_TRY(print_list("formats", "Formats", err));
    print_builders();
    print_report_keys();
    print_statuses();
    return HR_OK;
}
