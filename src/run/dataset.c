/* dataset.c - from a job to microdata: read the input's released columns, build hierarchies and
 * boundaries, bind each role to its column. Roles are checked against the header first, so that a
 * slip in a name costs no reading; columns that will not be released are never encoded. */
#include "run/run.h"

#include <stdlib.h>
#include <string.h>

/* ---- roles against the header ---- */

static const char *name_at(size_t i, const void *names) {
    return ((const char *const *)names)[i];
}

/* Has the input the columns that the job names, or of them only those with bins? */
static hr_status check_names(const hr_job *job, bool binned, const char *const *names, size_t count,
                             hr_error *err) {
    for (size_t i = 0; i < job->attribute_count; i++) {
        if (binned && !job->attributes[i].bins) continue;
        const char *wanted = job->attributes[i].name;
        size_t at = 0;
        while (at < count && strcmp(names[at], wanted))
            at++;
        if (at < count) continue;
        const char *nearest = hr_text_nearest(wanted, count, name_at, names);
        return hr_fail(err, HR_EDATA, "%s has no column '%s'%s%s%s",
                       job->input ? job->input : "the input table", wanted,
                       nearest ? " (did you mean '" : "", nearest ? nearest : "",
                       nearest ? "'?)" : "");
    }
    return HR_OK;
}

typedef struct {
    const hr_job *job;
    const hr_watch *watch;
    hr_dataset *bound;
} choosing;

/* Called with the header: keep what will be released and remember all names. */
static hr_status choose(const char *const *names, size_t count, bool *keep, void *payload,
                        hr_error *err) {
    choosing *c = payload;
    HR_TRY(check_names(c->job, false, names, count, err));
    c->bound->header = hr_alloc(count, sizeof *c->bound->header, err);
    if (!c->bound->header) return HR_ENOMEM;
    c->bound->header_count = count;
    for (size_t i = 0; i < count; i++) {
        const hr_attribute *attribute = hr_attribute_find(c->job, names[i]);
        keep[i] = attribute && hr_role_released(attribute->role);
        c->bound->header[i] = hr_copy_text(names[i], strlen(names[i]), err);
        if (!c->bound->header[i]) return HR_ENOMEM;
        if (!attribute || attribute->role == HR_ROLE_NONE)
            hr_notice(c->watch, "column '%s' has no role and is dropped", names[i]);
    }
    return HR_OK;
}

static hr_status choose_lent(choosing *c, hr_error *err) {
    const hr_table *table = c->job->table;
    if (table->rows == 0)
        return hr_fail(err, HR_EDATA, "the input table has no rows: append some first");
    const char **names = hr_alloc(table->column_count, sizeof *names, err);
    bool *keep = hr_alloc(table->column_count, sizeof *keep, err);
    hr_status status = HR_ENOMEM;
    if (names && keep) {
        for (size_t i = 0; i < table->column_count; i++)
            names[i] = table->columns[i].name;
        status = choose((const char *const *)names, table->column_count, keep, c, err);
    }
    free(names);
    free(keep);
    c->bound->table = table;
    return status;
}

static hr_status read_table(choosing *c, hr_error *err) {
    const hr_job *job = c->job;
    if (job->table) return choose_lent(c, err);
    hr_read_options options = {
        .delimiter = job->delimiter, .choose = choose, .payload = c, .watch = c->watch};
    HR_TRY(hr_format_for(job->input)->read(job->input, &options, &c->bound->owned, err));
    c->bound->table = c->bound->owned;
    return HR_OK;
}

/* ---- hierarchies and boundaries ---- */

hr_status hr_hierarchy_load(const char *path, const hr_column *column, hr_hierarchy **out,
                            hr_error *err) {
    if (!strcmp(path, "flat")) return hr_hierarchy_flat(column, out, err);
    hr_table *table;
    hr_read_options options = {.delimiter = ';', .no_header = true};
    HR_TRY(hr_csv_read(path, &options, &table, err));
    hr_status status;
    if (table->column_count == 1 && table->rows > 1)
        status = hr_fail(err, HR_EDATA,
                         "%s has one column: a hierarchy is `leaf;level1;...;root`, separated by ;",
                         path);
    else
        status = hr_hierarchy_build(table, path, out, err);
    hr_table_free(table);
    return status;
}

hr_status hr_attribute_boundary(const hr_attribute *attribute, const hr_hierarchy *tree,
                                uint32_t **magval, hr_error *err) {
    if (attribute->nodes)
        return hr_boundary_nodes(tree, attribute->nodes, attribute->node_count, magval, err);
    if (attribute->level_given) return hr_boundary_level(tree, attribute->level, magval, err);
    return hr_boundary_none(tree, magval, err);
}

/* ---- roles ---- */

static hr_status bind_quasi(hr_dataset *bound, const hr_attribute *attribute, hr_error *err) {
    const hr_column *column = hr_table_find(bound->table, attribute->name);
    size_t j = bound->data.quasi_count++;
    hr_quasi *quasi = &bound->data.quasi[j];
    if (attribute->numeric) {
        HR_TRY(hr_quasi_bind_numeric(quasi, column, &bound->missing, attribute->drop_missing, err));
    } else {
        uint32_t *magval;
        HR_TRY(hr_hierarchy_load(attribute->hierarchy, column, &bound->trees[j], err));
        hr_status status = hr_attribute_boundary(attribute, bound->trees[j], &magval, err);
        if (status != HR_OK) return hr_fail_prefix(err, status, "attribute '%s'", attribute->name);
        HR_TRY(hr_quasi_bind_tree(quasi, column, bound->trees[j], magval, err));
    }
    if (attribute->weight_given) quasi->weight = attribute->weight;
    return HR_OK;
}

static hr_status bind_sensitive(hr_dataset *bound, const hr_attribute *attribute, hr_error *err) {
    const hr_column *column = hr_table_find(bound->table, attribute->name);
    hr_sensitive *sensitive = &bound->data.sensitive[bound->data.sensitive_count++];
    HR_TRY(hr_sensitive_bind(sensitive, column, &bound->missing, attribute->bins, NULL, err));
    sensitive->weight = attribute->weight_given ? attribute->weight : 0;
    return HR_OK;
}

static hr_status bind_roles(const hr_job *job, hr_dataset *bound, hr_error *err) {
    size_t count = job->attribute_count;
    bound->data.rows = bound->table->rows;
    bound->data.quasi = hr_alloc(count, sizeof *bound->data.quasi, err);
    bound->data.sensitive = hr_alloc(count, sizeof *bound->data.sensitive, err);
    bound->trees = hr_alloc(count, sizeof *bound->trees, err);
    if (!bound->data.quasi || !bound->data.sensitive || !bound->trees) return HR_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        const hr_attribute *attribute = &job->attributes[i];
        if (attribute->role == HR_ROLE_QUASI) HR_TRY(bind_quasi(bound, attribute, err));
        if (attribute->role == HR_ROLE_SENSITIVE) HR_TRY(bind_sensitive(bound, attribute, err));
    }
    hr_sensitive_weigh(bound->data.sensitive, bound->data.sensitive_count);
    return HR_OK;
}

hr_status hr_dataset_load(const hr_job *job, const hr_watch *watch, hr_dataset *out,
                          hr_error *err) {
    double start = hr_seconds();
    *out = (hr_dataset){.missing = {job->missing, job->missing_count}};
    choosing c = {job, watch, out};
    hr_status status = read_table(&c, err);
    if (status == HR_OK) status = bind_roles(job, out, err);
    out->read_seconds = hr_seconds() - start;
    if (status != HR_OK) hr_dataset_free(out);
    return status;
}

/* ---- the ranges of bins alone ---- */

static hr_status choose_binned(const char *const *names, size_t count, bool *keep, void *payload,
                               hr_error *err) {
    const hr_job *job = ((const choosing *)payload)->job;
    HR_TRY(check_names(job, true, names, count, err));
    for (size_t i = 0; i < count; i++) {
        const hr_attribute *attribute = hr_attribute_find(job, names[i]);
        keep[i] = attribute && attribute->bins;
    }
    return HR_OK;
}

hr_status hr_dataset_load_ranges(const hr_job *job, const hr_watch *watch, hr_dataset *out,
                                 hr_error *err) {
    *out = (hr_dataset){.missing = {job->missing, job->missing_count}};
    choosing c = {job, watch, out};
    hr_read_options options = {
        .delimiter = job->delimiter, .choose = choose_binned, .payload = &c, .watch = watch};
    hr_status status = hr_format_for(job->input)->read(job->input, &options, &out->owned, err);
    out->table = out->owned;
    if (status == HR_OK) {
        out->data.sensitive = hr_alloc(job->attribute_count, sizeof *out->data.sensitive, err);
        if (!out->data.sensitive) status = HR_ENOMEM;
    }
    for (size_t i = 0; status == HR_OK && i < job->attribute_count; i++)
        if (job->attributes[i].bins) status = bind_sensitive(out, &job->attributes[i], err);
    if (status != HR_OK) hr_dataset_free(out);
    return status;
}

void hr_dataset_free(hr_dataset *bound) {
    size_t trees = bound->data.quasi_count;
    for (size_t j = 0; bound->trees && j < trees; j++)
        hr_hierarchy_free(bound->trees[j]);
    free(bound->trees);
    hr_microdata_free(&bound->data);
    for (size_t i = 0; i < bound->header_count; i++)
        free(bound->header[i]);
    free(bound->header);
    hr_table_free(bound->owned);
    *bound = (hr_dataset){0};
}
