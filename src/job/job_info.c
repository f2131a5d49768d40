/* job_info.c - read access to jobs for programs: the list of all keys with help, type and
 * default, the values that a job was given, and its columns. */
#include "job/job_keys.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const char *choices_of(const hr_key *key) {
    return key->type == HR_TYPE_CHOICE ? key->argument : NULL;
}

static hr_key_info info_of_key(const hr_key *key) {
    return (hr_key_info){.name = key->name,
                         .argument = key->argument,
                         .help = key->help,
                         .type = key->type,
                         .choices = choices_of(key),
                         .least = NAN,
                         .most = NAN,
                         .repeatable = key->traits & HR_KEY_LIST || key->type == HR_TYPE_COLUMNS ||
                                       key->type == HR_TYPE_PER_COLUMN};
}

static const char *owner_of(const hr_keyword *keyword) {
    if (keyword->algorithm) return keyword->algorithm->name;
    for (size_t i = 0; hr_models[i]; i++)
        for (const hr_option *o = hr_models[i]->options; o && o->name; o++)
            if (o == keyword->option) return hr_models[i]->name;
    return NULL;
}

static hr_key_info info_of_option(const hr_keyword *keyword) {
    static const struct {
        hr_key_type type;
        const char *argument;
    } types[] = {[HR_OPTION_INT] = {HR_TYPE_INT, "N"},
                 [HR_OPTION_REAL] = {HR_TYPE_REAL, "NUMBER"},
                 [HR_OPTION_BOOL] = {HR_TYPE_BOOL, NULL},
                 [HR_OPTION_CHOICE] = {HR_TYPE_CHOICE, NULL}};
    const hr_option *o = keyword->option;
    bool number = o->type == HR_OPTION_INT || o->type == HR_OPTION_REAL;
    return (hr_key_info){.name = o->name,
                         .argument = o->choices ? o->choices : types[o->type].argument,
                         .help = o->help,
                         .type = types[o->type].type,
                         .choices = o->choices,
                         .least = number ? o->min : NAN,
                         .most = number ? o->max : NAN,
                         .owner = owner_of(keyword)};
}

/* An option whose default lies outside of its range must be given: it has none. */
static void add_default(const hr_keyword *keyword, hr_key_info *info) {
    const char *initial = keyword->key ? keyword->key->initial : NULL;
    hr_text text = {0};
    if (keyword->option) {
        double value[2]; /* room for a value of any type */
        hr_option table[2] = {*keyword->option};
        bool number = info->type == HR_TYPE_INT || info->type == HR_TYPE_REAL;
        if (number && (table->initial < table->min || table->initial > table->max)) return;
        table->offset = 0;
        hr_options_init(table, value);
        hr_option_print(table, value, &text);
        initial = text.data;
    }
    info->has_default = initial;
    if (initial) snprintf(info->initial, sizeof info->initial, "%s", initial);
    hr_text_free(&text);
}

bool hr_key_info_at(size_t i, hr_key_info *out) {
    hr_keyword keyword;
    size_t size = out->size;
    if (!hr_keyword_number(i, &keyword)) return false;
    hr_key_info info = keyword.key ? info_of_key(keyword.key) : info_of_option(&keyword);
    info.size = size;
    add_default(&keyword, &info);
    memcpy(out, &info, size < sizeof info ? size : sizeof info);
    return true;
}

const char *hr_job_get(const hr_job *job, const char *key) {
    hr_keyword keyword;
    if (!hr_keyword_find(key, &keyword)) return NULL;
    for (size_t i = 0; i < job->given.count; i++)
        if (!strcmp(job->given.items[i].name, keyword.name)) return job->given.items[i].value;
    return NULL;
}

size_t hr_job_column_count(const hr_job *job) {
    return job->attribute_count;
}

const char *hr_job_column_name(const hr_job *job, size_t i) {
    assert(i < job->attribute_count);
    return job->attributes[i].name;
}

const char *hr_job_column_role(const hr_job *job, size_t i) {
    assert(i < job->attribute_count);
    return hr_role_name(job->attributes[i].role);
}
