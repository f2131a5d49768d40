/* job_info.c - read access to jobs for programs: the list of all keys with help, type and
 * default, the values that a job was given, the files that it writes, and its columns. */
#include "job/job_keys.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const char *choices_of(const hr_key *key) {
    return key->type == HR_TYPE_CHOICE ? key->argument : NULL;
}

/* Is the option without a default? A number whose default lies outside its range must be given; a
 * character with default NUL is detected. */
static bool lacks_default(const hr_option *o) {
    bool number = o->type == HR_OPTION_INT || o->type == HR_OPTION_REAL;
    if (o->type == HR_OPTION_CHARACTER) return o->initial == 0;
    return number && (o->initial < o->min || o->initial > o->max);
}

static void set_default(const char *text, hr_key_info *info) {
    info->has_default = text;
    if (text) snprintf(info->initial, sizeof info->initial, "%s", text);
}

static hr_key_info info_of_key(const hr_key *key) {
    hr_key_info info = {.name = key->name,
                        .argument = key->argument,
                        .help = key->help,
                        .type = key->type,
                        .choices = choices_of(key),
                        .least = NAN,
                        .most = NAN,
                        .repeatable = key->traits & HR_KEY_LIST || key->type == HR_TYPE_COLUMNS ||
                                      key->type == HR_TYPE_PER_COLUMN,
                        .letter = key->letter,
                        .commands = key->commands};
    set_default(key->initial, &info);
    return info;
}

/* Like hr_option_print, but without allocating memory, so it cannot fail. */
static void set_option_default(const hr_option *option, hr_key_info *info) {
    const char *choice = option->choices;
    if (lacks_default(option)) return;
    info->has_default = true;
    switch (option->type) {
    case HR_OPTION_INT:
        snprintf(info->initial, sizeof info->initial, "%lld", (long long)option->initial);
        break;
    case HR_OPTION_REAL:
        snprintf(info->initial, sizeof info->initial, "%.15g", option->initial);
        break;
    case HR_OPTION_BOOL: set_default(option->initial != 0 ? "true" : "false", info); break;
    case HR_OPTION_CHARACTER:
        snprintf(info->initial, sizeof info->initial, "%c", (char)option->initial);
        break;
    case HR_OPTION_CHOICE:
        assert(choice);
        for (int i = (int)option->initial; i > 0; i--)
            choice += strcspn(choice, "|") + 1;
        snprintf(info->initial, sizeof info->initial, "%.*s", (int)strcspn(choice, "|"), choice);
        break;
    }
}

hr_key_info hr_option_info(const hr_option *o, const char *owner, hr_kind owner_kind) {
    static const struct {
        hr_key_type type;
        const char *argument;
    } types[] = {[HR_OPTION_INT] = {HR_TYPE_INT, "N"},
                 [HR_OPTION_REAL] = {HR_TYPE_REAL, "NUMBER"},
                 [HR_OPTION_BOOL] = {HR_TYPE_BOOL, NULL},
                 [HR_OPTION_CHOICE] = {HR_TYPE_CHOICE, NULL},
                 [HR_OPTION_CHARACTER] = {HR_TYPE_TEXT, "CHARACTER"}};
    bool number = o->type == HR_OPTION_INT || o->type == HR_OPTION_REAL;
    hr_key_info info = {.name = o->name,
                        .argument = o->choices ? o->choices : types[o->type].argument,
                        .help = o->help,
                        .type = types[o->type].type,
                        .choices = o->choices,
                        .least = number ? o->min : NAN,
                        .most = number ? o->max : NAN,
                        .owner = owner,
                        .owner_kind = owner_kind,
                        .commands = ""};
    if (owner_kind == HR_KIND_MODEL || owner_kind == HR_KIND_FORMAT)
        info.commands = o->commands ? o->commands : HR_COMMANDS_EVERY;
    if (owner_kind == HR_KIND_ALGORITHM) info.commands = hr_key_find("algorithm")->commands;
    set_option_default(o, &info);
    return info;
}

static const char *model_of(const hr_option *option) {
    for (size_t i = 0; hr_models[i]; i++)
        for (const hr_option *o = hr_models[i]->options; o && o->name; o++)
            if (o == option) return hr_models[i]->name;
    return NULL;
}

static hr_key_info info_of(const hr_keyword *keyword) {
    if (keyword->key) return info_of_key(keyword->key);
    if (keyword->algorithm)
        return hr_option_info(keyword->option, keyword->algorithm->name, HR_KIND_ALGORITHM);
    if (keyword->format)
        return hr_option_info(keyword->option, keyword->format->name, HR_KIND_FORMAT);
    return hr_option_info(keyword->option, model_of(keyword->option), HR_KIND_MODEL);
}

void hr_key_info_copy(const hr_key_info *info, hr_key_info *out) {
    hr_key_info copy = *info;
    copy.size = out->size;
    memcpy(out, &copy, copy.size < sizeof copy ? copy.size : sizeof copy);
}

bool hr_key_info_at(size_t i, hr_key_info *out) {
    hr_keyword keyword;
    if (!hr_keyword_number(i, &keyword)) return false;
    hr_key_info info = info_of(&keyword);
    hr_key_info_copy(&info, out);
    return true;
}

bool hr_key_info_find(const char *name, hr_key_info *out) {
    hr_keyword keyword;
    if (!hr_keyword_find(name, &keyword)) return false;
    hr_key_info info = info_of(&keyword);
    hr_key_info_copy(&info, out);
    return true;
}

bool hr_attribute_key_info_at(size_t i, hr_key_info *out) {
    for (const hr_attribute_key *key = hr_attribute_keys; key->name; key++) {
        if (i-- > 0) continue;
        hr_key_info info = {.name = key->name,
                            .argument = key->argument,
                            .help = key->help,
                            .type = HR_TYPE_TEXT,
                            .least = NAN,
                            .most = NAN,
                            .commands = ""};
        hr_key_info_copy(&info, out);
        return true;
    }
    return false;
}

const char *hr_job_get(const hr_job *job, const char *key) {
    hr_keyword keyword;
    if (!hr_keyword_find(key, &keyword)) return NULL;
    for (size_t i = 0; i < job->given.count; i++)
        if (!strcmp(job->given.items[i].name, keyword.name)) return job->given.items[i].value;
    return NULL;
}

const char *hr_job_output_at(const hr_job *job, size_t i, const char **key) {
    const hr_job_output *o = &job->output;
    const hr_setting files[] = {{"output", o->release},    {"trace", o->trace},
                                {"minimal", o->minimal},   {"certificate", o->certificate},
                                {"resolved", o->resolved}, {"public-report", o->public_report}};
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        if (!files[f].value || i-- > 0) continue;
        if (key) *key = files[f].name;
        return files[f].value;
    }
    if (i >= o->reports.count) return NULL;
    if (key) *key = "report";
    return o->reports.texts[i];
}

size_t hr_job_column_count(const hr_job *job) {
    return job->attribute_count;
}

const char *hr_job_column_name(const hr_job *job, size_t i) {
    assert(i < job->attribute_count);
    return job->attributes[i].name;
}

bool hr_job_reads(const hr_job *job, const char *column) {
    const hr_attribute *attribute = hr_attribute_find(job, column);
    return (attribute && hr_role_released(attribute->role)) ||
           (job->unit && hr_same_name(column, job->unit));
}

const char *hr_job_column_role(const hr_job *job, size_t i) {
    assert(i < job->attribute_count);
    return hr_role_name(job->attributes[i].role);
}

bool hr_job_column_is_text(const hr_job *job, size_t i) {
    assert(i < job->attribute_count);
    const hr_attribute *a = &job->attributes[i];
    return a->role == HR_ROLE_QUASI ||
           (a->role == HR_ROLE_KEEP && (a->bottom || a->top || a->level));
}
