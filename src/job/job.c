/* job.c - creating a job with its defaults, setting keys, freeing it. All texts are copied into the
 * job's arena, so the job outlives the file or command line that they come from. */
#include "job/job_keys.h"

#include <stdlib.h>
#include <string.h>

static void set_defaults(hr_job *job) {
    for (size_t i = 0; hr_models[i]; i++)
        hr_options_init(hr_models[i]->options, &job->asked);
    job->asked.k = 0;
    for (size_t i = 0; hr_formats[i]; i++)
        hr_options_init(hr_formats[i]->options, &job->format);
    job->search.algorithm = "hedge";
    job->search.seed = 1;
    job->max_suppressed = 1;
    job->input.missing.inherited = true;
}

hr_status hr_job_new(hr_job **out, hr_error *err) {
    hr_job *job = hr_alloc(1, sizeof *job, err);
    if (!job) return HR_ENOMEM;
    set_defaults(job);
    hr_text_list *missing = &job->input.missing;
    hr_status status = hr_grow(&missing->texts, &missing->capacity, 1, sizeof *missing->texts, err);
    if (status != HR_OK) {
        hr_job_free(job);
        return status;
    }
    missing->texts[missing->count++] = "";
    *out = job;
    return HR_OK;
}

void hr_job_free(hr_job *job) {
    if (!job) return;
    for (size_t i = 0; i < job->attribute_count; i++)
        hr_hierarchy_free(job->attributes[i].tree);
    free(job->attributes);
    free(job->search.settings.items);
    free(job->given.items);
    free(job->output.reports.texts);
    free(job->study.pairs);
    free(job->keys.sets);
    free(job->input.missing.texts);
    hr_arena_free(&job->arena);
    free(job);
}

void hr_job_write_nothing(hr_job *job) {
    hr_job_output *output = &job->output;
    output->release = output->trace = output->minimal = output->certificate = NULL;
    output->resolved = output->public_report = NULL;
    output->reports.count = 0;
}

hr_status hr_job_set_input(hr_job *job, const hr_table *table, hr_error *err) {
    if (!table) return hr_fail(err, HR_EINVAL, "hr_job_set_input needs a table");
    job->input.table = table;
    job->input.path = NULL;
    job->input.counts = NULL;
    return HR_OK;
}

hr_status hr_job_set_counts(hr_job *job, const uint32_t *counts, size_t rows, hr_error *err) {
    if (!job->input.table || !counts || rows > job->input.table->rows)
        return hr_fail(err, HR_EINVAL,
                       "hr_job_set_counts needs an input table with at least as many rows as "
                       "counts");
    for (size_t row = 0; row < rows; row++)
        if (counts[row] == 0)
            return hr_fail(err, HR_EINVAL, "row %zu stands for no row: leave it out", row + 1);
    job->input.counts = counts;
    job->input.counted = rows;
    return HR_OK;
}

hr_status hr_job_check_counts(const hr_job *job, hr_error *err) {
    if (!job->input.counts) return HR_OK;
    return hr_fail(err, HR_EINVAL,
                   "a counted table has no rows to work on: it is for plans and boundaries");
}

static const char *name_at(size_t i, const void *payload) {
    (void)payload;
    return hr_keyword_at(i);
}

static hr_status unknown(const char *name, hr_error *err) {
    size_t count = 0;
    while (hr_keyword_at(count))
        count++;
    const char *nearest = hr_text_nearest(name, count, name_at, NULL);
    if (nearest)
        return hr_fail(err, HR_EINVAL, "there is no key '%s' (did you mean '%s'?)", name, nearest);
    return hr_fail(err, HR_EINVAL, "there is no key '%s'", name);
}

hr_status hr_job_set(hr_job *job, const char *key, const char *value, hr_error *err) {
    hr_keyword keyword;
    if (!hr_keyword_find(key, &keyword)) return unknown(key, err);
    return hr_keyword_set(job, &keyword, value, err);
}

hr_status hr_job_attribute(hr_job *job, const char *name, hr_attribute **out, hr_error *err) {
    for (size_t i = 0; i < job->attribute_count; i++) {
        *out = &job->attributes[i];
        if (hr_same_name((*out)->name, name)) return HR_OK;
    }
    if (job->attribute_count == HR_JOB_MOST)
        return hr_fail(err, HR_EINVAL,
                       "more than %d attributes: leave out columns that are to be dropped",
                       HR_JOB_MOST);
    char *copy = hr_arena_text(&job->arena, name, strlen(name), err);
    if (!copy) return HR_ENOMEM;
    HR_TRY(hr_grow(&job->attributes, &job->attribute_capacity, job->attribute_count + 1,
                   sizeof *job->attributes, err));
    *out = &job->attributes[job->attribute_count++];
    **out = (hr_attribute){.name = copy};
    return HR_OK;
}

const hr_attribute *hr_attribute_find(const hr_job *job, const char *name) {
    for (size_t i = 0; i < job->attribute_count; i++)
        if (hr_same_name(job->attributes[i].name, name)) return &job->attributes[i];
    return NULL;
}

bool hr_role_released(hr_role role) {
    return role == HR_ROLE_QUASI || role == HR_ROLE_SENSITIVE || role == HR_ROLE_KEEP;
}

hr_missing hr_job_missing(const hr_job *job) {
    return (hr_missing){job->input.missing.texts, job->input.missing.count};
}
