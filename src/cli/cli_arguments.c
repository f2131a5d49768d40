/* cli_arguments.c - parses argv into a job and the flags of a command. Flags may precede the job
 * that they override, so they are collected first and applied after the job was read. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

/* A flag that sets a key of the job. */
typedef struct {
    const char *key;
    const char *value; /* NULL: a bare switch */
} pending_flag;

typedef struct {
    const cli_command *command;
    int argc, at; /* at: index of the next argument */
    char **argv;
    pending_flag *flags; /* room for argc */
    size_t flag_count;
    cli_arguments *out;
    hr_error *err;
} parser;

/* The meaning of a flag: exactly one of `own`, `key` and `shared` is set. */
typedef struct {
    const cli_flag *own;
    const char *key;    /* of the job */
    const char *shared; /* "help", "quiet", "format" */
    bool takes_value;
} meaning;

bool cli_is_job(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot && (!strcmp(dot, ".yaml") || !strcmp(dot, ".yml") || !strcmp(dot, ".json"));
}

/* ---- What a flag means ---- */

static const cli_flag *own_flag(const cli_command *command, const char *name) {
    for (const cli_flag *flag = command->flags; flag && flag->name; flag++)
        if (!strcmp(flag->name, name) || (flag->letter && name[0] == flag->letter && !name[1]))
            return flag;
    return NULL;
}

static const char *shared_flag(const cli_command *command, const char *name) {
    if (!strcmp(name, "help") || !strcmp(name, "h")) return "help";
    if (!strcmp(name, "quiet") || !strcmp(name, "q")) return "quiet";
    return command->prints && !strcmp(name, "format") ? "format" : NULL;
}

static bool job_flag(const cli_command *command, const char *name, hr_key_info *out) {
    *out = (hr_key_info){.size = sizeof *out};
    bool found = hr_key_info_find(name, out);
    for (size_t i = 0; !found && cli_key_at(i, out); i++)
        found = out->letter && name[0] == out->letter && !name[1];
    return found && cli_takes(command, out);
}

/* `flag` is the flag as typed, for messages. */
static hr_status find_meaning(const parser *p, const char *name, const char *flag, meaning *out) {
    hr_key_info key;
    *out = (meaning){.own = own_flag(p->command, name)};
    if (out->own) {
        out->takes_value = out->own->argument;
        return HR_OK;
    }
    if ((out->shared = shared_flag(p->command, name))) {
        out->takes_value = !strcmp(out->shared, "format");
        return HR_OK;
    }
    if (job_flag(p->command, name, &key)) {
        out->key = key.name;
        out->takes_value = key.argument;
        return HR_OK;
    }
    const char *nearest = cli_nearest_flag(p->command, name);
    if (nearest)
        return hr_fail(p->err, HR_EINVAL, "%s has no flag '%s' (did you mean '%s%s'?)",
                       p->command->name, flag, nearest[1] ? "--" : "-", nearest);
    return hr_fail(p->err, HR_EINVAL, "%s has no flag '%s'; see `hedgerow %s --help`",
                   p->command->name, flag, p->command->name);
}

/* ---- Storing what was found ---- */

static hr_status store_format(parser *p, const char *value) {
    static const char *const names[] = {
        [HR_PRINT_TABLE] = "table", [HR_PRINT_CSV] = "csv", [HR_PRINT_JSON] = "json"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], value)) {
            p->out->format = (hr_print_format)i;
            return HR_OK;
        }
    return hr_fail(p->err, HR_EINVAL, "format: '%s' is not one of table|csv|json", value);
}

static hr_status store_shared(parser *p, const char *name, const char *value) {
    if (!strcmp(name, "format")) return store_format(p, value);
    if (!strcmp(name, "help")) p->out->help = true;
    if (!strcmp(name, "quiet")) p->out->quiet = true;
    return HR_OK;
}

static hr_status store(parser *p, const meaning *m, const char *value) {
    if (m->shared) return store_shared(p, m->shared, value);
    if (m->own) {
        char *place = (char *)p->out->own + m->own->offset;
        if (m->own->argument && !*value && !strncmp(m->own->argument, "FILE", 4))
            return hr_fail(p->err, HR_EINVAL, "--%s: the name of a file is missing", m->own->name);
        if (m->own->argument)
            *(const char **)(void *)place = value;
        else
            *(bool *)(void *)place = true;
        return HR_OK;
    }
    p->flags[p->flag_count++] = (pending_flag){m->key, value};
    return HR_OK;
}

/* ---- Reading argv ---- */

static bool looks_like_flag(const char *text) {
    double number;
    return text[0] == '-' && text[1] && !hr_parse_double(text, &number);
}

/* The value of a flag without attached value is the next argument. */
static hr_status next_value(parser *p, const char *flag, const char **out) {
    const char *next = p->at < p->argc ? p->argv[p->at] : NULL;
    if (!next) return hr_fail(p->err, HR_EINVAL, "%s needs an argument", flag);
    if (looks_like_flag(next))
        return hr_fail(p->err, HR_EINVAL,
                       "%s needs an argument (one that begins with '-' is written --NAME=ARGUMENT)",
                       flag);
    p->at++;
    *out = next;
    return HR_OK;
}

static hr_status take_flag(parser *p, const char *name, const char *flag, const char *attached) {
    meaning m;
    HR_TRY(find_meaning(p, name, flag, &m));
    /* a switch of the job takes a value too: --reference=false */
    bool of_job = !m.own && !m.shared;
    if (attached && !m.takes_value && !of_job)
        return hr_fail(p->err, HR_EINVAL, "%s takes no argument", flag);
    const char *value = attached;
    if (m.takes_value && !attached) HR_TRY(next_value(p, flag, &value));
    return store(p, &m, value);
}

/* --name, --name=value */
static hr_status take_long(parser *p, const char *argument) {
    char name[64];
    size_t length = strcspn(argument + 2, "=");
    if (length >= sizeof name)
        return hr_fail(p->err, HR_EINVAL, "%s has no flag '%s'", p->command->name, argument);
    memcpy(name, argument + 2, length);
    name[length] = '\0';
    char flag[sizeof name + 2];
    snprintf(flag, sizeof flag, "--%s", name);
    const char *equals = argument + 2 + length;
    return take_flag(p, name, flag, *equals ? equals + 1 : NULL);
}

/* -k, -k5, -k=5 */
static hr_status take_short(parser *p, const char *argument) {
    char name[2] = {argument[1], '\0'}, flag[3] = {'-', argument[1], '\0'};
    const char *attached = argument[2] ? argument + 2 : NULL;
    if (attached && *attached == '=') attached++;
    meaning m;
    if (attached && find_meaning(p, name, argument, &m) == HR_OK && !m.takes_value)
        return hr_fail(p->err, HR_EINVAL,
                       "%s has no flag '%s': a flag with one dash has one letter", p->command->name,
                       argument);
    return take_flag(p, name, attached ? argument : flag, attached);
}

static hr_status take_argument(parser *p, bool *flags_end) {
    char *argument = p->argv[p->at++];
    if (*flags_end || argument[0] != '-' || !argument[1]) {
        if (!*argument)
            return hr_fail(p->err, HR_EINVAL,
                           "the name of a file is missing: an argument is empty");
        p->out->words[p->out->word_count++] = argument;
        return HR_OK;
    }
    if (!strcmp(argument, "--")) {
        *flags_end = true;
        return HR_OK;
    }
    return argument[1] == '-' ? take_long(p, argument) : take_short(p, argument);
}

/* The usage on one line: `show FILE [flags]; or hedgerow hierarchy check ...`. */
static void one_line(const char *usage, char *out, size_t room) {
    size_t used = 0;
    for (const char *at = usage; *at && used + 6 < room; at++) {
        if (*at != '\n') {
            out[used++] = *at;
            continue;
        }
        at += strspn(at + 1, " ");
        const char *link = !strncmp(at + 1, "hedgerow ", 9) ? "; or " : " ";
        used += (size_t)snprintf(out + used, room - used, "%s", link);
    }
    out[used] = '\0';
}

static hr_status check_words(const parser *p) {
    const cli_command *command = p->command;
    char usage[512];
    one_line(command->usage, usage, sizeof usage);
    if (p->out->word_count < command->least)
        return hr_fail(p->err, HR_EINVAL, "something is missing: hedgerow %s %s", command->name,
                       usage);
    if (command->most >= 0 && p->out->word_count > command->most)
        return hr_fail(p->err, HR_EINVAL, "'%s' is one argument too many; see `hedgerow %s --help`",
                       p->out->words[command->most], command->name);
    return HR_OK;
}

/* ---- The job ---- */

static hr_status open_job(parser *p) {
    const char *word =
        p->command->job_at < p->out->word_count ? p->out->words[p->command->job_at] : NULL;
    if (word && cli_is_job(word)) return hr_job_read(word, &p->out->job, p->err);
    if (word && p->command->job_only)
        return hr_fail(p->err, HR_EINVAL,
                       "'%s' is not a job: its name ends in .yaml, .yml or .json", word);
    HR_TRY(hr_job_new(&p->out->job, p->err));
    return word ? hr_job_set(p->out->job, "input", word, p->err) : HR_OK;
}

static hr_status set_flags(parser *p) {
    for (size_t i = 0; i < p->flag_count; i++)
        HR_TRY(hr_job_set(p->out->job, p->flags[i].key, p->flags[i].value, p->err));
    return HR_OK;
}

static hr_status parse(parser *p) {
    bool flags_end = false;
    p->flags = calloc((size_t)p->argc, sizeof *p->flags);
    p->out->words = calloc((size_t)p->argc, sizeof *p->out->words);
    p->out->own = calloc(1, p->command->own_size + 1);
    if (!p->flags || !p->out->words || !p->out->own)
        return hr_fail(p->err, HR_ENOMEM, "out of memory");
    for (p->at = 1; p->at < p->argc && !p->out->help;)
        HR_TRY(take_argument(p, &flags_end));
    if (p->out->help) return HR_OK;
    HR_TRY(check_words(p));
    if (p->command->job_at < 0) return HR_OK;
    HR_TRY(open_job(p));
    return set_flags(p);
}

hr_status cli_parse(const cli_command *command, int argc, char **argv, cli_arguments *out,
                    hr_error *err) {
    *out = (cli_arguments){0};
    parser p = {.command = command, .argc = argc, .argv = argv, .out = out, .err = err};
    hr_status status = parse(&p);
    free(p.flags);
    return status;
}

void cli_arguments_free(cli_arguments *arguments) {
    hr_job_free(arguments->job);
    free(arguments->words);
    free(arguments->own);
    *arguments = (cli_arguments){0};
}

int cli_run(const cli_command *command, int argc, char **argv) {
    cli_arguments arguments;
    hr_error err = {0};
    hr_status status = cli_parse(command, argc, argv, &arguments, &err);
    if (status == HR_OK && arguments.help)
        cli_help(command);
    else if (status == HR_OK)
        status = command->run(&arguments, &err);
    cli_arguments_free(&arguments);
    return cli_exit(status, &err);
}
