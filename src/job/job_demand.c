/* job_demand.c - requirements of one sensitive attribute alone: model parameters in a job file
 * below `model: {sensitive: {COLUMN: {t: 0.2}}}`, which become keys of the attribute. They have the
 * names and ranges of the models' options. */
#include "job/job_keys.h"

#include <string.h>

static const struct {
    const char *name;
    size_t offset;
} fields[] = {{"alpha", offsetof(hr_demand, alpha)},
              {"l", offsetof(hr_demand, l)},
              {"entropy_l", offsetof(hr_demand, entropy_l)},
              {"recursive_c", offsetof(hr_demand, recursive_c)},
              {"recursive_l", offsetof(hr_demand, recursive_l)},
              {"t", offsetof(hr_demand, t)},
              {"distance", offsetof(hr_demand, distance)}};

enum { FIELDS = sizeof fields / sizeof *fields };

/* The option of this name, and the bit of its model. */
static const hr_option *find_option(const char *name, unsigned *own) {
    for (size_t i = 0; hr_models[i]; i++) {
        const hr_option *found = hr_option_find(hr_models[i]->options, name);
        *own = hr_models[i]->own;
        if (found) return found;
    }
    return NULL;
}

bool hr_is_demand(const char *key) {
    for (size_t i = 0; i < FIELDS; i++)
        if (!strcmp(fields[i].name, key)) return true;
    return false;
}

hr_status hr_demand_set(hr_job *job, hr_attribute *attribute, const char *key, const char *value,
                        hr_error *err) {
    unsigned own = 0;
    hr_option option = *find_option(key, &own);
    for (size_t i = 0; i < FIELDS; i++)
        if (!strcmp(fields[i].name, key)) option.offset = fields[i].offset;
    HR_TRY(hr_option_set(&option, &attribute->own, value, err));
    if (!strcmp(key, "distance")) attribute->own.distance++;
    job->asked.own |= own;
    return HR_OK;
}

bool hr_demand_at(const hr_attribute *attribute, size_t i, const char **name, hr_text *value) {
    if (i >= FIELDS) return false;
    unsigned own;
    hr_option option = *find_option(fields[i].name, &own);
    hr_demand demand = attribute->own;
    const char *at = (const char *)&demand + fields[i].offset;
    option.offset = fields[i].offset;
    *name = fields[i].name;
    bool given = option.type == HR_OPTION_REAL  ? *(const double *)(const void *)at > 0
                 : option.type == HR_OPTION_INT ? *(const int64_t *)(const void *)at > 0
                                                : demand.distance > 0;
    if (option.type == HR_OPTION_CHOICE) demand.distance--;
    if (given) hr_option_print(&option, &demand, value);
    return true;
}

hr_requirements hr_attribute_asked(const hr_job *job, const hr_attribute *attribute) {
    hr_requirements all = hr_asked_of(&job->asked, &(hr_sensitive){.own = attribute->own});
    if (attribute->own.distance) all.distance = attribute->own.distance - 1;
    return all;
}

void hr_job_print_asked(const hr_job *job, const hr_model *model, hr_text *out) {
    const char *separator = "";
    if (!(model->own & job->asked.own)) {
        hr_model_print_asked(model, &job->asked, out);
        return;
    }
    for (size_t i = 0; i < job->attribute_count; i++) {
        const hr_attribute *a = &job->attributes[i];
        hr_requirements asked = hr_attribute_asked(job, a);
        if (a->role != HR_ROLE_SENSITIVE || !model->in_play(&asked)) continue;
        hr_text_puts(out, separator);
        hr_model_print_asked(model, &asked, out);
        hr_text_printf(out, " for '%s'", a->name);
        separator = ", ";
    }
}

/* Checks that the keys of a sensitive attribute go together. */
hr_status hr_demand_check(const hr_job *job, const hr_attribute *a, hr_error *err) {
    hr_requirements asked = hr_attribute_asked(job, a);
    bool measured = asked.t > 0 && asked.t < 1;
    if (a->own.distance && !measured)
        return hr_fail(err, HR_EINVAL,
                       "sensitive attribute '%s' has a `distance`, in which t is measured, and no "
                       "t: write `t: 0.2`, or leave it out",
                       a->name);
    if (a->own.recursive_l && asked.recursive_c <= 0)
        return hr_fail(err, HR_EINVAL,
                       "sensitive attribute '%s' has a recursive_l, which goes with recursive_c, "
                       "and no recursive_c: write `recursive_c: 2`, or leave it out",
                       a->name);
    if (a->hierarchy && (!measured || asked.distance == HR_DISTANCE_EQUAL))
        return hr_fail(err, HR_EINVAL,
                       "sensitive attribute '%s' has a hierarchy, which only t uses, with "
                       "`distance: hierarchical` (or `ordered`: the order of its leaves); write "
                       "that, leave the hierarchy out, or change the role",
                       a->name);
    if (!measured || asked.distance == HR_DISTANCE_EQUAL) return HR_OK;
    if (a->bins && (a->hierarchy || asked.distance == HR_DISTANCE_HIERARCHICAL))
        return hr_fail(err, HR_EINVAL,
                       "sensitive attribute '%s' has bins, which are not leaves of a hierarchy: "
                       "write `distance: ordered` without a hierarchy, or leave out `bins`",
                       a->name);
    if (asked.distance == HR_DISTANCE_HIERARCHICAL && !a->hierarchy)
        return hr_fail(err, HR_EINVAL,
                       "sensitive attribute '%s' needs a hierarchy for `distance: hierarchical`: "
                       "write model: {sensitive: {%s: {hierarchy: FILE}}}",
                       a->name, a->name);
    return HR_OK;
}
