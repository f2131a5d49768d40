/* cli_help.c - prints help from the tables: the flags of a command, the keys of a job, the options
 * of models and algorithms. A new row in any of these tables needs no change here. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

static bool has_word(const char *words, const char *word) {
    size_t length = strlen(word);
    for (const char *c = words; (c = strstr(c, word)); c++)
        if ((c == words || c[-1] == ' ') && (c[length] == ' ' || !c[length])) return true;
    return false;
}

bool cli_takes(const cli_syntax *syntax, const hr_key_info *key) {
    return syntax->job_at >= 0 && has_word(key->commands, syntax->command);
}

bool cli_key_at(size_t i, hr_key_info *out) {
    *out = (hr_key_info){.size = sizeof *out};
    return hr_key_info_at(i, out);
}

/* ---- The nearest flag ---- */

/* Lists the flags of the command and returns how many there are; `names` NULL: only counts. */
static size_t list_flags(const cli_syntax *syntax, const char **names) {
    static const char *const shared[] = {"help", "quiet", "format"};
    size_t count = 0;
    for (const cli_flag *flag = syntax->flags; flag && flag->name; flag++, count++)
        if (names) names[count] = flag->name;
    for (size_t i = 0; i < (syntax->prints ? 3 : 2); i++, count++)
        if (names) names[count] = shared[i];
    hr_key_info key;
    for (size_t i = 0; cli_key_at(i, &key); i++) {
        if (!cli_takes(syntax, &key)) continue;
        if (names) names[count] = key.name;
        count++;
    }
    return count;
}

const char *cli_nearest_flag(const cli_syntax *syntax, const char *name) {
    size_t count = list_flags(syntax, NULL);
    const char **names = calloc(count, sizeof *names);
    if (!names) return NULL;
    list_flags(syntax, names);
    const char *nearest = hr_nearest_name(name, names, count);
    free(names);
    return nearest;
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

static bool overridden(const cli_syntax *syntax, const char *name) {
    for (const cli_flag *flag = syntax->flags; flag && flag->name; flag++)
        if (!strcmp(flag->name, name)) return true;
    return false;
}

static void print_key(const hr_key_info *key) {
    print_flag(key->letter, key->name, key->argument, key->help);
}

/* Options of models, then keys and options of formats. */
static void print_job_flags(const cli_syntax *syntax) {
    hr_key_info key;
    puts("\nflags that go before what the job says:");
    for (size_t i = 0; cli_key_at(i, &key); i++)
        if (key.owner && key.owner_kind == HR_KIND_MODEL && !overridden(syntax, key.name))
            print_key(&key);
    for (size_t i = 0; cli_key_at(i, &key); i++)
        if ((!key.owner || key.owner_kind == HR_KIND_FORMAT) && cli_takes(syntax, &key) &&
            !overridden(syntax, key.name))
            print_key(&key);
}

static void print_algorithm_flags(void) {
    hr_key_info key;
    puts("\noptions of algorithms (`hedgerow list algorithms` tells which has which):");
    for (size_t i = 0; cli_key_at(i, &key); i++)
        if (key.owner && key.owner_kind == HR_KIND_ALGORITHM) print_key(&key);
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
    hr_key_info algorithm = {.size = sizeof algorithm};
    if (hr_key_info_find("algorithm", &algorithm) && cli_takes(syntax, &algorithm))
        print_algorithm_flags();
}
