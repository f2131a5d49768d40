/* job_check.c - checks a job before any row is read: nothing is missing, the attributes' keys fit
 * their roles, and no output overwrites an input or another output. Every message says what to
 * write instead. */
#include "job/job.h"

#include <string.h>

/* ---- Attributes ---- */

static bool has_nodes(const hr_node_choice *choice) {
    return choice->level || choice->nodes;
}

static bool is_given(const hr_node_choice *choice) {
    return has_nodes(choice) || choice->cuts.kind;
}

/* The first model parameter that is set for this attribute alone, or NULL. */
static const char *first_demand(const hr_attribute *a) {
    const char *name;
    hr_text value = {0};
    for (size_t i = 0; hr_demand_at(a, i, &name, &value) && !value.length; i++)
        name = NULL;
    bool found = value.length > 0;
    hr_text_free(&value);
    return found ? name : NULL;
}

/* Returns the first key that does not belong to the attribute's role, or NULL. *wanted: the roles
 * that the key belongs to. */
static const char *stray_key(const hr_attribute *a, const char **wanted) {
    *wanted = "quasi-identifiers, kept columns and sensitive attributes";
    if (a->role != HR_ROLE_QUASI && a->role != HR_ROLE_KEEP && a->role != HR_ROLE_SENSITIVE &&
        a->hierarchy)
        return "hierarchy";
    *wanted = "kept columns";
    if (a->role != HR_ROLE_KEEP) {
        if (a->round) return "round";
        if (a->bottom) return "bottom";
        if (a->top) return "top";
        if (a->level) return "level";
    }
    *wanted = "quasi-identifiers";
    if (a->role != HR_ROLE_QUASI) {
        if (a->numeric) return "type";
        if (a->range) return "range";
        if (is_given(&a->boundary)) return "boundary";
        if (is_given(&a->finest)) return "finest";
        if (a->on_missing_given) return "on_missing";
    }
    *wanted = "sensitive attributes";
    if (a->role != HR_ROLE_SENSITIVE && a->bins) return "bins";
    if (a->role != HR_ROLE_SENSITIVE && first_demand(a)) return first_demand(a);
    *wanted = "quasi-identifiers and sensitive attributes";
    if (a->role != HR_ROLE_QUASI && a->role != HR_ROLE_SENSITIVE && a->weight_given)
        return "weight";
    return NULL;
}

static hr_status check_quasi(const hr_attribute *a, hr_error *err) {
    const char *n = a->name;
    if (!a->hierarchy && !a->numeric)
        return hr_fail(
            err, HR_EINVAL,
            "quasi-identifier '%s' needs a hierarchy or a type: write `hierarchy: FILE`, "
            "`hierarchy: flat` or `type: numeric` (flags: --hierarchy '%s=FILE', "
            "--numeric '%s')",
            n, n, n);
    if (a->hierarchy && a->numeric)
        return hr_fail(err, HR_EINVAL,
                       "quasi-identifier '%s' has both a hierarchy and `type: numeric`: keep one",
                       n);
    if (a->numeric && has_nodes(&a->boundary))
        return hr_fail(err, HR_EINVAL,
                       "quasi-identifier '%s' is numeric and has no levels or nodes: write "
                       "`boundary: {width: 10}`, {cells: 8} or {cuts: [20, 40]}, or give it a "
                       "hierarchy",
                       n);
    if (a->hierarchy && a->boundary.cuts.kind)
        return hr_fail(err, HR_EINVAL,
                       "quasi-identifier '%s' has a hierarchy, and its boundary is for numbers "
                       "without one: say {level: N} or name nodes, or write `type: numeric` in "
                       "place of the hierarchy",
                       n);
    if (a->numeric && is_given(&a->finest))
        return hr_fail(
            err, HR_EINVAL,
            "quasi-identifier '%s' is numeric and cannot have `finest`, which is made of "
            "hierarchy nodes: give it a hierarchy such as {intervals: [5]}",
            n);
    if (a->range && !a->numeric)
        return hr_fail(err, HR_EINVAL,
                       "quasi-identifier '%s' has a `range`, which is for numbers without a "
                       "hierarchy: leave it out",
                       n);
    if (a->numeric && a->on_missing == HR_MISSING_GROUP)
        return hr_fail(err, HR_EINVAL,
                       "quasi-identifier '%s' is numeric, and numbers have no node for missing "
                       "values: write `on_missing: drop`, or give it a hierarchy",
                       n);
    return HR_OK;
}

static hr_status check_attribute(const hr_job *job, const hr_attribute *a, hr_error *err) {
    const char *wanted, *key = stray_key(a, &wanted);
    if (key)
        return hr_fail(err, HR_EINVAL,
                       "attribute '%s': `%s` is for %s only; leave it out, or change the role",
                       a->name, key, wanted);
    if (a->role == HR_ROLE_KEEP) return hr_recoding_check(a, err);
    if (a->role == HR_ROLE_SENSITIVE) return hr_demand_check(job, a, err);
    return a->role == HR_ROLE_QUASI ? check_quasi(a, err) : HR_OK;
}

static size_t count_role(const hr_job *job, hr_role role) {
    size_t count = 0;
    for (size_t i = 0; i < job->attribute_count; i++)
        count += job->attributes[i].role == role;
    return count;
}

static hr_status check_weights(const hr_job *job, hr_error *err) {
    const hr_attribute *with = NULL, *without = NULL;
    for (size_t i = 0; i < job->attribute_count; i++) {
        const hr_attribute *a = &job->attributes[i];
        if (a->role != HR_ROLE_SENSITIVE) continue;
        if (a->weight_given)
            with = a;
        else
            without = a;
    }
    if (!with || !without) return HR_OK;
    return hr_fail(
        err, HR_EINVAL,
        "sensitive attribute '%s' has a weight and '%s' has none: give weights to all of "
        "them or to none",
        with->name, without->name);
}

static hr_status check_attributes(const hr_job *job, hr_error *err) {
    for (size_t i = 0; i < job->attribute_count; i++)
        HR_TRY(check_attribute(job, &job->attributes[i], err));
    if (count_role(job, HR_ROLE_QUASI) == 0)
        return hr_fail(err, HR_EINVAL,
                       "no quasi-identifier is named: write `attributes: {COLUMN: {role: quasi, "
                       "hierarchy: FILE}}` or give --quasi COLUMN");
    return check_weights(job, err);
}

static hr_status needs_sensitive(const hr_job *job, const hr_model *model, hr_error *err) {
    const char *name = model->options->name;
    hr_text value = {0};
    hr_job_print_asked(job, model, &value);
    hr_status status =
        hr_fail(err, HR_EINVAL,
                "%s = %s needs a sensitive attribute: write `role: sensitive` or give --sensitive "
                "COLUMN, or leave %s out",
                name, value.data ? value.data : "", name);
    hr_text_free(&value);
    return status;
}

/* Other options of a model do nothing unless its parameter is given, if only as "any". */
static hr_status check_companions(const hr_job *job, const hr_model *model, hr_error *err) {
    const char *name = model->options->name;
    if (hr_model_in_play(model, &job->asked) || hr_job_get(job, name)) return HR_OK;
    for (const hr_option *option = model->options + 1; option->name; option++) {
        const char *value = hr_job_get(job, option->name);
        if (value)
            return hr_fail(err, HR_EINVAL,
                           "%s = %s does nothing without %s: write `model: {%s: NUMBER, %s: %s}`, "
                           "or leave %s out",
                           option->name, value, name, name, option->name, value, option->name);
    }
    return HR_OK;
}

static hr_status check_model(const hr_job *job, hr_error *err) {
    if (job->asked.k < 1)
        return hr_fail(err, HR_EINVAL, "k is missing: write `model: {k: 5}` or give -k 5");
    for (size_t i = 0; hr_models[i] && count_role(job, HR_ROLE_SENSITIVE) == 0; i++)
        if (hr_models[i]->needs && hr_models[i]->in_play(&job->asked))
            return needs_sensitive(job, hr_models[i], err);
    for (size_t i = 0; hr_models[i]; i++)
        HR_TRY(check_companions(job, hr_models[i], err));
    return HR_OK;
}

/* Checks the role of the column of the units, which is read and never released. */
static hr_status check_unit(const hr_job *job, hr_error *err) {
    const hr_attribute *a = job->unit ? hr_attribute_find(job, job->unit) : NULL;
    if (!a || !hr_role_released(a->role)) return HR_OK;
    return hr_fail(err, HR_EINVAL,
                   "unit '%s' is never released, but its role is %s: make it an identifier, or "
                   "name another column",
                   job->unit, hr_role_name(a->role));
}

/* ---- Files and tables: an output must be neither an input nor another output ---- */

hr_status hr_job_check_pair(const char *what, const char *path, const char *other,
                            const char *other_path, hr_error *err) {
    bool overlaps, tables;
    if (!path || !other_path) return HR_OK;
    HR_TRY(hr_address_overlaps(path, other_path, &overlaps, &tables, err));
    if (!overlaps) return HR_OK;
    return hr_fail(err, HR_EINVAL, "%s and %s are the same %s, %s: choose another name", what,
                   other, tables ? "table" : "file", path);
}

hr_status hr_job_check_written(const hr_job *job, const char *what, const char *path,
                               hr_error *err) {
    if (path && !strcmp(path, "-"))
        return hr_fail(err, HR_EINVAL, "%s: '-' cannot be written to, name a file", what);
    HR_TRY(hr_job_check_pair(what, path, "the input", job->input.path, err));
    HR_TRY(hr_job_check_pair(what, path, "the job file", job->path, err));
    for (size_t i = 0; i < job->attribute_count; i++) {
        const hr_attribute *a = &job->attributes[i];
        if (a->hierarchy && !a->tree && !hr_attribute_built(a))
            HR_TRY(hr_job_check_pair(what, path, "a hierarchy", a->hierarchy, err));
        for (size_t step = 0; a->recipe && step < a->recipe->count; step++)
            HR_TRY(hr_job_check_pair(what, path, "a file of a hierarchy",
                                     a->recipe->steps[step].path, err));
    }
    return HR_OK;
}

/* Fails if the output is a table of a database: reports are JSON, and lists of levels may have two
 * columns with the same name, so both must be files. */
static hr_status check_no_table(const char *what, const char *path, hr_error *err) {
    if (!path || !hr_format_for(path)->scheme) return HR_OK;
    return hr_fail(err, HR_EINVAL, "%s is a file and cannot be a table of a database: %s", what,
                   path);
}

static hr_status check_files(const hr_job *job, hr_error *err) {
    const struct {
        const char *what, *path;
    } files[] = {{"the output", job->output.release},
                 {"the trace", job->output.trace},
                 {"the list of levels", job->output.minimal},
                 {"the certificate", job->output.certificate},
                 {"the resolved job", job->output.resolved},
                 {"the public report", job->output.public_report}};
    const size_t count = sizeof files / sizeof *files;
    const hr_text_list *reports = &job->output.reports;
    HR_TRY(check_no_table("the list of levels", job->output.minimal, err));
    HR_TRY(check_no_table("the resolved job", job->output.resolved, err));
    HR_TRY(check_no_table("the public report", job->output.public_report, err));
    for (size_t i = 0; i < count; i++) {
        HR_TRY(hr_job_check_written(job, files[i].what, files[i].path, err));
        for (size_t j = 0; j < i; j++)
            HR_TRY(
                hr_job_check_pair(files[i].what, files[i].path, files[j].what, files[j].path, err));
    }
    for (size_t i = 0; i < reports->count; i++) {
        const char *path = reports->texts[i];
        HR_TRY(check_no_table("a report", path, err));
        HR_TRY(hr_job_check_written(job, "a report", path, err));
        for (size_t j = 0; j < count; j++)
            HR_TRY(hr_job_check_pair("a report", path, files[j].what, files[j].path, err));
        for (size_t j = 0; j < i; j++)
            HR_TRY(hr_job_check_pair("a report", path, "another report", reports->texts[j], err));
    }
    return HR_OK;
}

/* ---- Standard input, which can be read once ---- */

static hr_status read_once(const char *path, const char *what, const char **reader, hr_error *err) {
    if (!path || strcmp(path, "-") != 0) return HR_OK;
    if (*reader)
        return hr_fail(err, HR_EINVAL,
                       "%s and %s are both read from standard input (-), which can be read once: "
                       "save one of them in a file",
                       *reader, *reader == what ? "another" : what);
    *reader = what;
    return HR_OK;
}

hr_status hr_job_check_standard_input(const hr_job *job, const char *what, const char *path,
                                      hr_error *err) {
    const char *reader = NULL;
    HR_TRY(read_once(path, what, &reader, err));
    if (!job->input.table) HR_TRY(read_once(job->input.path, "the input", &reader, err));
    for (size_t i = 0; i < job->attribute_count; i++) {
        const hr_attribute *a = &job->attributes[i];
        bool file = a->hierarchy && !a->tree && !hr_attribute_built(a);
        if (file) HR_TRY(read_once(a->hierarchy, "a hierarchy", &reader, err));
        for (size_t step = 0; a->recipe && step < a->recipe->count; step++)
            HR_TRY(read_once(a->recipe->steps[step].path, "a file of a hierarchy", &reader, err));
    }
    return HR_OK;
}

/* ---- Columns to study ---- */

static hr_status check_studied(const hr_job *job, const char *name, hr_error *err) {
    const hr_attribute *a = hr_attribute_find(job, name);
    if (!a) return hr_fail(err, HR_EINVAL, "study: the job has no column '%s' with a role", name);
    if (!hr_role_released(a->role))
        return hr_fail(err, HR_EINVAL, "study: column '%s' is not released", name);
    if (a->role == HR_ROLE_KEEP && hr_attribute_recodes(a))
        return hr_fail(err, HR_EINVAL,
                       "study: column '%s' is released recoded, and its values before and after "
                       "are not of the same kind: study columns that are not recoded",
                       name);
    return HR_OK;
}

static hr_status check_study(const hr_job *job, hr_error *err) {
    for (size_t i = 0; i < job->study.count; i++) {
        const hr_study_pair *pair = &job->study.pairs[i];
        HR_TRY(check_studied(job, pair->a, err));
        HR_TRY(check_studied(job, pair->b, err));
        if (!strcmp(pair->a, pair->b))
            return hr_fail(err, HR_EINVAL, "study: '%s' twice: a pair has two columns", pair->a);
    }
    return HR_OK;
}

/* ---- Columns that an outsider may know together ---- */

static hr_status check_key_set(const hr_job *job, const hr_key_set *set, hr_error *err) {
    for (size_t i = 0; i < set->count; i++) {
        const hr_attribute *a = hr_attribute_find(job, set->columns[i]);
        if (!a)
            return hr_fail(err, HR_EINVAL, "keys: the job has no column '%s' with a role",
                           set->columns[i]);
        if (!hr_role_released(a->role))
            return hr_fail(err, HR_EINVAL,
                           "keys: column '%s' is not released, so no row can be found by it",
                           set->columns[i]);
        for (size_t other = 0; other < i; other++)
            if (!strcmp(set->columns[i], set->columns[other]))
                return hr_fail(err, HR_EINVAL, "keys: '%s' twice in one set", set->columns[i]);
    }
    return HR_OK;
}

static hr_status check_keys(const hr_job *job, hr_error *err) {
    for (size_t i = 0; i < job->keys.count; i++)
        HR_TRY(check_key_set(job, &job->keys.sets[i], err));
    return HR_OK;
}

hr_status hr_job_complete(const hr_job *job, hr_error *err) {
    if (!job->input.path && !job->input.table)
        return hr_fail(err, HR_EINVAL,
                       "the input is missing: write `input: FILE` in the job, or name the file "
                       "first on the command line");
    HR_TRY(check_model(job, err));
    HR_TRY(check_attributes(job, err));
    HR_TRY(check_study(job, err));
    HR_TRY(check_keys(job, err));
    HR_TRY(check_unit(job, err));
    HR_TRY(hr_job_check_standard_input(job, NULL, NULL, err));
    if (job->output.certificate && job->search.bound == HR_BOUND_NONE)
        return hr_fail(
            err, HR_EINVAL,
            "a certificate proves a bound, and `bound: none` asks for none: leave out one "
            "of the two");
    return check_files(job, err);
}
