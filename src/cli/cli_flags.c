/* cli_flags.c - the flags of a command, collected from the tables: its own, the keys of a job, the
 * options of models, formats and algorithms. A new row in any of these tables needs no change
 * here. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const cli_command *command;
    cli_shown_flag *out;
    size_t room, count;
} collection;

static bool has_word(const char *words, const char *word) {
    size_t length = strlen(word);
    for (const char *c = words; (c = strstr(c, word)); c++)
        if ((c == words || c[-1] == ' ') && (c[length] == ' ' || !c[length])) return true;
    return false;
}

/* Does the command use the key, so that help lists it? */
static bool uses(const cli_command *command, const hr_key_info *key) {
    return command->job_at >= 0 && has_word(key->commands, command->name);
}

/* Options of formats are taken wherever a job is, so that the commands for one job can have the
 * same flags. */
bool cli_takes(const cli_command *command, const hr_key_info *key) {
    bool of_format = key->owner && key->owner_kind == HR_KIND_FORMAT;
    return (command->job_at >= 0 && of_format) || uses(command, key);
}

bool cli_key_at(size_t i, hr_key_info *out) {
    *out = (hr_key_info){.size = sizeof *out};
    return hr_key_info_at(i, out);
}

static void add(collection *c, const cli_shown_flag *flag) {
    if (c->count++ >= c->room) return;
    cli_shown_flag *shown = &c->out[c->count - 1];
    *shown = *flag;
    for (size_t i = 0; flag->name[i] && i + 1 < sizeof shown->spelled; i++)
        shown->spelled[i] = (char)(flag->name[i] == '_' ? '-' : flag->name[i]);
}

static void add_key(collection *c, const hr_key_info *key, cli_flag_group group) {
    for (const cli_flag *flag = c->command->flags; flag && flag->name; flag++)
        if (!strcmp(flag->name, key->name)) return; /* the command's own flag comes first */
    add(c, &(cli_shown_flag){group, key->letter, key->name, key->argument, key->help, ""});
}

static void add_own(collection *c) {
    for (const cli_flag *flag = c->command->flags; flag && flag->name; flag++)
        add(c, &(cli_shown_flag){CLI_OWN_FLAG, flag->letter, flag->name, flag->argument, flag->help,
                                 ""});
    if (c->command->prints)
        add(c, &(cli_shown_flag){CLI_OWN_FLAG, 0, "format", "table|csv|json",
                                 "how to print the result (table)", ""});
    add(c,
        &(cli_shown_flag){CLI_OWN_FLAG, 'q', "quiet", NULL, "no progress, notices or summary", ""});
    add(c, &(cli_shown_flag){CLI_OWN_FLAG, 'h', "help", NULL, "print this help", ""});
}

static void add_options(collection *c, hr_kind owner, cli_flag_group group) {
    hr_key_info key;
    for (size_t i = 0; cli_key_at(i, &key); i++)
        if (key.owner && key.owner_kind == owner) add_key(c, &key, group);
}

/* Options of models, then keys and options of formats. */
static void add_job(collection *c) {
    hr_key_info key;
    add_options(c, HR_KIND_MODEL, CLI_JOB_FLAG);
    for (size_t i = 0; cli_key_at(i, &key); i++)
        if ((!key.owner || key.owner_kind == HR_KIND_FORMAT) && uses(c->command, &key))
            add_key(c, &key, CLI_JOB_FLAG);
}

size_t cli_list_flags(const cli_command *command, cli_shown_flag *out, size_t room) {
    collection c = {.command = command, .out = out, .room = room};
    hr_key_info algorithm = {.size = sizeof algorithm};
    add_own(&c);
    if (command->job_at < 0) return c.count;
    add_job(&c);
    if (hr_key_info_find("algorithm", &algorithm) && uses(command, &algorithm))
        add_options(&c, HR_KIND_ALGORITHM, CLI_ALGORITHM_FLAG);
    return c.count;
}

const char *cli_nearest_flag(const cli_command *command, const char *name) {
    size_t count = cli_list_flags(command, NULL, 0);
    cli_shown_flag *flags = calloc(count, sizeof *flags);
    const char **names = calloc(count, sizeof *names);
    const char *nearest = NULL;
    if (flags && names) {
        cli_list_flags(command, flags, count);
        for (size_t i = 0; i < count; i++)
            names[i] = flags[i].name;
        nearest = hr_nearest_name(name, names, count);
    }
    free(flags);
    free(names);
    return nearest;
}
