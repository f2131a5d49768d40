/* cli_help.c - prints help from the tables: the flags of a command, the keys of a job, the options
 * of models and algorithms. A new row in any of these tables needs no change here. */
#include "cli/cli.h"

#include <string.h>

static bool has_word(const char *words, const char *word) {
    size_t length = strlen(word);
    for (const char *c = words; (c = strstr(c, word)); c++)
        if ((c == words || c[-1] == ' ') && (c[length] == ' ' || !c[length])) return true;
    return false;
}

static const char *key_commands(const char *name) {
    return hr_key_find(name)->commands;
}

bool cli_takes(const cli_syntax *syntax, const hr_keyword *named) {
    if (syntax->job_at < 0) return false;
    if (named->key) return has_word(named->key->commands, syntax->command);
    if (!named->algorithm) return true;
    return has_word(key_commands("algorithm"), syntax->command);
}

/* ---- The nearest flag ---- */

static size_t own_count(const cli_syntax *syntax) {
    size_t count = 0;
    while (syntax->flags && syntax->flags[count].name)
        count++;
    return count;
}

static const char *const shared_names[] = {"help", "quiet", "format"};

static const char *flag_at(size_t i, const void *payload) {
    const cli_syntax *syntax = payload;
    size_t own = own_count(syntax), shared = syntax->prints ? 3 : 2;
    if (i < own) return syntax->flags[i].name;
    if (i < own + shared) return shared_names[i - own];
    const char *name = hr_keyword_at(i - own - shared);
    hr_keyword named;
    return name && hr_keyword_find(name, &named) && cli_takes(syntax, &named) ? name : "";
}

const char *cli_nearest_flag(const cli_syntax *syntax, const char *name) {
    size_t count = 0;
    while (hr_keyword_at(count))
        count++;
    return hr_text_nearest(name, own_count(syntax) + 3 + count, flag_at, syntax);
}

/* ---- Help ---- */

enum { HELP_COLUMN = 34 };

static void print_flag(char letter, const char *name, const char *argument, const char *help) {
    char left[128];
    bool brief = !name[1]; /* -k */
    char dash[8] = "    ";
    if (letter && !brief) snprintf(dash, sizeof dash, "-%c, ", letter);
    if (brief)
        snprintf(left, sizeof left, "-%s%s%s", name, argument ? " " : "", argument ? argument : "");
    else
        snprintf(left, sizeof left, "%s--%s%s%s", dash, name, argument ? " " : "",
                 argument ? argument : "");
    if (strlen(left) > HELP_COLUMN - 2)
        printf("  %s\n  %*s%s\n", left, HELP_COLUMN, "", help);
    else
        printf("  %-*s%s\n", HELP_COLUMN, left, help);
}

static void print_option(const hr_option *option) {
    char value[96];
    switch (option->type) {
    case HR_OPTION_BOOL: print_flag(0, option->name, NULL, option->help); return;
    case HR_OPTION_CHOICE: print_flag(0, option->name, option->choices, option->help); return;
    default:
        snprintf(value, sizeof value, "%s", option->type == HR_OPTION_INT ? "N" : "NUMBER");
        print_flag(0, option->name, value, option->help);
    }
}

static bool overridden(const cli_syntax *syntax, const char *name) {
    for (const cli_flag *flag = syntax->flags; flag && flag->name; flag++)
        if (!strcmp(flag->name, name)) return true;
    return false;
}

static void print_job_flags(const cli_syntax *syntax) {
    puts("\nflags that go before what the job says:");
    for (size_t i = 0; hr_models[i]; i++)
        for (const hr_option *o = hr_models[i]->options; o && o->name; o++)
            if (!overridden(syntax, o->name)) print_option(o);
    for (const hr_key *key = hr_keys; key->name; key++)
        if (has_word(key->commands, syntax->command) && !overridden(syntax, key->name))
            print_flag(key->letter, key->name, key->argument, key->help);
}

/* Each option once, even if several algorithms have it. */
static void print_algorithm_flags(void) {
    puts("\noptions of algorithms (`hedgerow list algorithms` tells which has which):");
    for (size_t i = 0; hr_algorithms[i]; i++)
        for (const hr_option *o = hr_algorithms[i]->options; o && o->name; o++) {
            hr_keyword named;
            if (hr_keyword_find(o->name, &named) && named.algorithm == hr_algorithms[i])
                print_option(o);
        }
}

void cli_help(const cli_syntax *syntax) {
    printf("usage: hedgerow %s %s\n\n%s\n\nflags:\n", syntax->command, syntax->usage,
           syntax->about);
    for (const cli_flag *flag = syntax->flags; flag && flag->name; flag++)
        print_flag(flag->letter, flag->name, flag->argument, flag->help);
    if (syntax->prints) print_flag(0, "format", "table|csv|json", "of what is printed (table)");
    print_flag('q', "quiet", NULL, "no progress, notices or summary");
    print_flag('h', "help", NULL, "this text");
    if (syntax->job_at < 0) return;
    print_job_flags(syntax);
    hr_keyword option = {.algorithm = hr_algorithms[0]};
    if (cli_takes(syntax, &option)) print_algorithm_flags();
}
