/* job_choose.c - resolves the algorithm's name to an algorithm with its options. An alias (a name
 * from a paper) also sets the paper's literal options and boundaries mode; the job's own settings
 * are applied last. */
#include "job/job.h"

#include <string.h>

/* ---- Names ---- */

static const char *algorithm_name_at(size_t i, const void *payload) {
    (void)payload;
    size_t n = 0;
    while (hr_algorithms[n])
        if (n++ == i) return hr_algorithms[i]->name;
    return hr_aliases[i - n].name;
}

static hr_status unknown_algorithm(const char *name, hr_error *err) {
    size_t count = 0;
    while (hr_algorithms[count])
        count++;
    for (const hr_alias *alias = hr_aliases; alias->name; alias++)
        count++;
    const char *nearest = hr_text_nearest(name, count, algorithm_name_at, NULL);
    return hr_fail(err, HR_EINVAL,
                   "there is no algorithm '%s'%s%s%s; see `hedgerow list algorithms`", name,
                   nearest ? " (did you mean '" : "", nearest ? nearest : "", nearest ? "'?)" : "");
}

/* Appends "a, b or c", the algorithms for which `is` holds. */
static void list_algorithms(bool (*is)(const hr_algorithm *a, const void *payload),
                            const void *payload, hr_text *out) {
    size_t left = 0, listed = 0;
    for (size_t i = 0; hr_algorithms[i]; i++)
        left += is(hr_algorithms[i], payload);
    for (size_t i = 0; hr_algorithms[i]; i++) {
        if (!is(hr_algorithms[i], payload)) continue;
        left--;
        hr_text_printf(out, "%s%s",
                       listed++ == 0 ? ""
                       : left        ? ", "
                                     : " or ",
                       hr_algorithms[i]->name);
    }
}

/* ---- Boundaries ---- */

/* The alias of the same algorithm with the other boundaries mode. */
static const char *counterpart(const hr_alias *alias) {
    for (const hr_alias *other = hr_aliases; other->name; other++)
        if (!strcmp(other->algorithm, alias->algorithm) &&
            other->counts_boundaries != alias->counts_boundaries)
            return other->name;
    return alias->algorithm;
}

static hr_status choose_boundaries(const hr_job *job, const hr_alias *alias, hr_choice *out,
                                   hr_error *err) {
    out->count_boundaries = job->boundaries == HR_BOUNDARIES_COUNT;
    if (!alias) return HR_OK;
    bool conflict = job->boundaries != HR_BOUNDARIES_DEFAULT &&
                    out->count_boundaries != alias->counts_boundaries;
    out->count_boundaries = alias->counts_boundaries;
    if (!conflict) return HR_OK;
    return hr_fail(
        err, HR_EINVAL,
        "%s always %s boundaries: for `boundaries: %s` use %s, or leave `boundaries` out",
        alias->name, alias->counts_boundaries ? "counts" : "enforces",
        alias->counts_boundaries ? "enforce" : "count", counterpart(alias));
}

/* ---- What the algorithm can do ---- */

/* The kinds of quasi-identifiers that the job has. */
typedef struct {
    const hr_attribute *numeric, *categorical; /* the first of each kind, or NULL */
} mixture;

static mixture mixture_of(const hr_job *job) {
    mixture m = {0};
    for (size_t i = 0; i < job->attribute_count; i++) {
        const hr_attribute *a = &job->attributes[i];
        if (a->role != HR_ROLE_QUASI) continue;
        if (a->numeric && !m.numeric) m.numeric = a;
        if (a->hierarchy && !m.categorical) m.categorical = a;
    }
    return m;
}

static bool takes(const hr_algorithm *a, const void *payload) {
    const mixture *m = payload;
    return !(a->needs_hierarchy && m->numeric) && !(hr_publishes_means(a) && m->categorical);
}

/* Does the algorithm take the attributes of a job, and enforce all its models? */
static bool fits(const hr_algorithm *a, const void *payload) {
    const hr_job *job = payload;
    mixture m = mixture_of(job);
    if (job->unit && a->others == HR_OTHERS_REFUSED) return false;
    for (size_t i = 0; hr_models[i]; i++)
        if (hr_model_in_play(hr_models[i], &job->asked) &&
            !hr_algorithm_enforces(a, hr_models[i], NULL))
            return false;
    return takes(a, &m);
}

static hr_status not_enforced(const hr_job *job, const hr_choice *choice, const hr_model *model,
                              hr_error *err) {
    hr_text names = {0}, value = {0};
    const char *parameter = model->options->name;
    list_algorithms(fits, job, &names);
    hr_job_print_asked(job, model, &value);
    hr_status status =
        hr_algorithm_enforces(choice->algorithm, model, NULL)
            ? hr_fail(err, HR_EINVAL,
                      "%s does not enforce %s = %s together with `%s`: leave one of them out",
                      choice->name, parameter, value.data ? value.data : "",
                      choice->algorithm->needs_superset(choice->options))
        : names.data
            ? hr_fail(err, HR_EINVAL, "%s does not enforce %s = %s: use %s, or leave %s out",
                      choice->name, parameter, value.data ? value.data : "", names.data, parameter)
            : hr_fail(err, HR_EINVAL,
                      "no algorithm enforces all models of this job; %s does not enforce %s = %s: "
                      "leave one of them out",
                      choice->name, parameter, value.data ? value.data : "");
    hr_text_free(&names);
    hr_text_free(&value);
    return status;
}

static hr_status no_units(const hr_job *job, const hr_choice *choice, hr_error *err) {
    hr_text names = {0};
    list_algorithms(fits, job, &names);
    hr_status status = hr_fail(err, HR_EINVAL,
                               "%s does not enforce `unit: %s`, it counts rows: use %s, or leave "
                               "the unit out",
                               choice->name, job->unit, names.data ? names.data : "hedge");
    hr_text_free(&names);
    return status;
}

/* Checks that the algorithm enforces every model of the job. */
static hr_status check_models(const hr_job *job, const hr_choice *choice, hr_error *err) {
    if (job->unit && choice->algorithm->others == HR_OTHERS_REFUSED)
        return no_units(job, choice, err);
    for (size_t i = 0; hr_models[i]; i++)
        if (hr_model_in_play(hr_models[i], &job->asked) &&
            !hr_algorithm_enforces(choice->algorithm, hr_models[i], choice->options))
            return not_enforced(job, choice, hr_models[i], err);
    return HR_OK;
}

/* Checks that the algorithm takes the kinds of quasi-identifiers that the job has. */
static hr_status check_attributes(const hr_job *job, const hr_choice *choice, hr_error *err) {
    mixture m = mixture_of(job);
    if (takes(choice->algorithm, &m)) return HR_OK;
    if (choice->algorithm->needs_hierarchy && m.numeric)
        return hr_fail(err, HR_EINVAL,
                       "%s needs hierarchies and '%s' is numeric: give it one with `hierarchy: "
                       "FILE` in place of `type: numeric`, or use another algorithm",
                       choice->name, m.numeric->name);
    hr_text names = {0};
    list_algorithms(takes, &m, &names);
    hr_status status =
        hr_fail(err, HR_EINVAL,
                "%s publishes means and '%s' has a hierarchy: write `type: numeric` in its place "
                "if the values are numbers, or use %s",
                choice->name, m.categorical->name, names.data ? names.data : "another algorithm");
    hr_text_free(&names);
    return status;
}

static bool lists_alternatives(const hr_algorithm *a, const void *payload) {
    (void)payload;
    return a->lists_alternatives;
}

static hr_status check_minimal(const hr_job *job, const hr_choice *choice, hr_error *err) {
    if (!job->output.minimal || choice->algorithm->lists_alternatives) return HR_OK;
    hr_text names = {0};
    list_algorithms(lists_alternatives, NULL, &names);
    hr_status status =
        hr_fail(err, HR_EINVAL, "%s searches no levels that could be listed: `minimal` is for %s",
                choice->name, names.data ? names.data : "other algorithms");
    hr_text_free(&names);
    return status;
}

/* ---- Options ---- */

static bool has_option(const hr_algorithm *a, const void *payload) {
    return hr_option_find(a->options, payload) != NULL;
}

static hr_status foreign_option(const hr_choice *choice, const char *name, hr_error *err) {
    hr_text names = {0};
    list_algorithms(has_option, name, &names);
    hr_status status = hr_fail(err, HR_EINVAL, "%s has no option '%s': it is for %s", choice->name,
                               name, names.data ? names.data : "no algorithm");
    hr_text_free(&names);
    return status;
}

static hr_status apply(const hr_choice *choice, const char *name, const char *value,
                       hr_error *err) {
    const hr_option *option = hr_option_find(choice->algorithm->options, name);
    if (!option) return foreign_option(choice, name, err);
    return hr_option_set(option, choice->options, value, err);
}

/* Applies the settings of an alias: "dispersal=absolute ties=row". */
static hr_status apply_alias(const hr_choice *choice, const char *settings, hr_error *err) {
    char name[64], value[64];
    for (const char *c = settings; c && *c; c += strspn(c, " ")) {
        size_t word = strcspn(c, " "), equals = strcspn(c, "=");
        if (equals >= word || equals >= sizeof name || word - equals > sizeof value)
            return hr_fail(err, HR_EINVAL, "%s: broken settings '%s'", choice->name, settings);
        memcpy(name, c, equals);
        name[equals] = '\0';
        memcpy(value, c + equals + 1, word - equals - 1);
        value[word - equals - 1] = '\0';
        HR_TRY(apply(choice, name, value, err));
        c += word;
    }
    return HR_OK;
}

static hr_status choose_options(const hr_job *job, const hr_alias *alias, hr_arena *arena,
                                hr_choice *out, hr_error *err) {
    out->options = hr_arena_alloc(arena, 1, out->algorithm->options_size, err);
    if (!out->options) return HR_ENOMEM;
    hr_options_init(out->algorithm->options, out->options);
    if (alias) HR_TRY(apply_alias(out, alias->settings, err));
    for (size_t i = 0; i < job->search.settings.count; i++)
        HR_TRY(apply(out, job->search.settings.items[i].name, job->search.settings.items[i].value,
                     err));
    return HR_OK;
}

hr_status hr_job_choose_algorithm(const hr_job *job, hr_choice *out, hr_error *err) {
    const hr_alias *alias = hr_alias_find(job->search.algorithm);
    *out = (hr_choice){.name = job->search.algorithm};
    out->algorithm = hr_algorithm_find(alias ? alias->algorithm : job->search.algorithm);
    if (!out->algorithm) return unknown_algorithm(job->search.algorithm, err);
    return choose_boundaries(job, alias, out, err);
}

hr_status hr_job_choose_options(const hr_job *job, hr_arena *arena, hr_choice *out, hr_error *err) {
    HR_TRY(hr_job_choose_algorithm(job, out, err));
    return choose_options(job, hr_alias_find(job->search.algorithm), arena, out, err);
}

/* Checks k and p. For most algorithms k is raised to p; if an algorithm takes k as given, p above k
 * is infeasible. */
static hr_status check_k(const hr_job *job, const hr_choice *choice, hr_error *err) {
    if (job->asked.p <= job->asked.k || !choice->algorithm->takes_k_as_given) return HR_OK;
    return hr_fail(err, HR_ENOSOL,
                   "p = %lld is infeasible with k = %lld: a class of k rows has at most k "
                   "values, and %s takes k as it is; raise k, or lower p",
                   (long long)job->asked.p, (long long)job->asked.k, choice->name);
}

hr_status hr_choice_fits(const hr_job *job, const hr_choice *choice, hr_error *err) {
    HR_TRY(check_models(job, choice, err));
    HR_TRY(check_minimal(job, choice, err));
    HR_TRY(check_attributes(job, choice, err));
    return check_k(job, choice, err);
}

hr_requirements hr_job_asked(const hr_job *job) {
    hr_requirements asked = job->asked;
    if (asked.p > asked.k && !asked.unit) asked.k = asked.p;
    return asked;
}

hr_status hr_job_choose(const hr_job *job, hr_arena *arena, hr_choice *out, hr_error *err) {
    HR_TRY(hr_job_choose_options(job, arena, out, err));
    return hr_choice_fits(job, out, err);
}
