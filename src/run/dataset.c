/* dataset.c - loads the table of a job: reads the columns that a release can contain, builds
 * hierarchies and boundaries, and connects each role to its column. Names are checked against the
 * header before any row is read; columns that are not released are skipped, never stored. */
#include "run/run.h"

#include <stdlib.h>
#include <string.h>

/* ---- names in the header ---- */

/* Checks that the input has all columns that the job names; with `ranges`, only those with bins or
 * a recipe. A table given by the caller may lack columns that are never released. */
static hr_status check_names(const hr_job *job, bool ranges, const char *const *names, size_t count,
                             hr_error *err) {
    HR_TRY(hr_header_match(job, job->input.table ? NULL : job->input.path, names, count, err));
    for (size_t i = 0; i < job->attribute_count; i++) {
        if (ranges && !hr_attribute_has_range(&job->attributes[i])) continue;
        if (job->input.table && !hr_role_released(job->attributes[i].role)) continue;
        const char *wanted = job->attributes[i].name;
        size_t at = 0;
        while (at < count && !hr_same_name(names[at], wanted))
            at++;
        if (at == count)
            return hr_header_lacks(job->input.path ? job->input.path : "the input table", wanted,
                                   names, count, err);
    }
    return HR_OK;
}

/* Gives one notice about columns that the job names without the blanks around their names. */
static void note_blanks(const hr_job *job, const char *const *names, size_t count,
                        const hr_watch *watch) {
    hr_text list = {0};
    for (size_t i = 0; i < count; i++) {
        const hr_attribute *a = hr_attribute_find(job, names[i]);
        if (a && hr_name_trims(names[i]) && !hr_name_trims(a->name))
            hr_text_printf(&list, "%s'%.60s'", list.length ? ", " : "", names[i]);
    }
    if (list.length && !list.failed)
        hr_notice(watch, "blanks around names of columns do not count: %.300s", list.data);
    hr_text_free(&list);
}

typedef struct {
    const hr_job *job;
    const hr_watch *watch;
    hr_dataset *dataset;
} column_choice;

static bool is_unit(const hr_job *job, const char *name) {
    return job->unit && hr_same_name(name, job->unit);
}

/* The input must have the column of the units. */
static hr_status check_unit(const hr_job *job, const char *const *names, size_t count,
                            hr_error *err) {
    size_t at = 0;
    while (at < count && !is_unit(job, names[at]))
        at++;
    if (at < count || !job->unit) return HR_OK;
    return hr_header_lacks(job->input.path ? job->input.path : "the input table", job->unit, names,
                           count, err);
}

/* One notice for all columns without a role, which are dropped. */
static hr_status note_dropped(const column_choice *c, const char *const *names, size_t count,
                              hr_error *err) {
    hr_name_list dropped = {0};
    hr_text list = {0};
    for (size_t i = 0; i < count; i++) {
        const hr_attribute *attribute = hr_attribute_find(c->job, names[i]);
        if ((!attribute || attribute->role == HR_ROLE_NONE) && !is_unit(c->job, names[i]))
            hr_name_list_add(&dropped, names[i], i + 1);
    }
    hr_name_list_print(&dropped, &list);
    bool failed = list.failed;
    if (!failed && dropped.count == 1)
        hr_notice(c->watch, "column %s has no role and is dropped", list.data);
    else if (!failed && dropped.count)
        hr_notice(c->watch, "%llu columns without a role are dropped: %s",
                  (unsigned long long)dropped.count, list.data);
    hr_text_free(&list);
    hr_name_list_free(&dropped);
    return failed ? hr_fail(err, HR_ENOMEM, "out of memory") : HR_OK;
}

/* Called with the header: selects the columns to read and stores all names. */
static hr_status choose(const char *const *names, size_t count, bool *keep, void *payload,
                        hr_error *err) {
    column_choice *c = payload;
    HR_TRY(check_names(c->job, false, names, count, err));
    HR_TRY(check_unit(c->job, names, count, err));
    note_blanks(c->job, names, count, c->watch);
    c->dataset->header = hr_alloc(count, sizeof *c->dataset->header, err);
    if (!c->dataset->header) return HR_ENOMEM;
    c->dataset->header_count = count;
    for (size_t i = 0; i < count; i++) {
        keep[i] = hr_job_reads(c->job, names[i]);
        c->dataset->header[i] = hr_copy_text(names[i], strlen(names[i]), err);
        if (!c->dataset->header[i]) return HR_ENOMEM;
    }
    return note_dropped(c, names, count, err);
}

/* Applies `choose` to a table given by the caller. */
static hr_status choose_lent(column_choice *c, hr_error *err) {
    const hr_table *table = c->job->input.table;
    if (table->rows == 0)
        return hr_fail(err, HR_EDATA, "the input table has no rows: append some first");
    size_t count = table->header ? table->header_count : table->column_count;
    const char **names = hr_alloc(count, sizeof *names, err);
    bool *keep = hr_alloc(count, sizeof *keep, err);
    hr_status status = HR_ENOMEM;
    if (names && keep) {
        for (size_t i = 0; i < count; i++)
            names[i] = table->header ? table->header[i] : table->columns[i].name;
        status = hr_header_check(NULL, (const char *const *)names, count, false, err);
    }
    if (status == HR_OK) status = choose((const char *const *)names, count, keep, c, err);
    free(names);
    free(keep);
    c->dataset->table = table;
    return status;
}

static hr_status read_table(column_choice *c, hr_error *err) {
    const hr_job *job = c->job;
    if (job->input.table) return choose_lent(c, err);
    hr_read_options options = {.delimiter = job->format.delimiter,
                               .encoding = job->format.encoding,
                               .choose = choose,
                               .payload = c,
                               .watch = c->watch};
    HR_TRY(hr_table_load(job->input.path, &options, &c->dataset->owned, err));
    c->dataset->table = c->dataset->owned;
    return HR_OK;
}

/* ---- hierarchies and boundaries ---- */

/* Hierarchy files are UTF-8, or in the encoding of the input. */
static hr_read_options file_options(char delimiter, const hr_format_options *format,
                                    const hr_watch *watch) {
    return (hr_read_options){.delimiter = delimiter,
                             .encoding = format->encoding,
                             .utf8_first = true,
                             .no_header = true,
                             .watch = watch};
}

hr_status hr_hierarchy_load(const char *path, const hr_column *column,
                            const hr_format_options *format, const hr_watch *watch,
                            hr_hierarchy **out, hr_error *err) {
    if (!strcmp(path, "flat")) return hr_hierarchy_flat(column, out, err);
    hr_table *table;
    hr_watch cancel = hr_watch_cancel_only(watch);
    hr_read_options options = file_options(';', format, &cancel);
    HR_TRY(hr_table_load(path, &options, &table, err));
    hr_status status;
    if (table->column_count == 1 && table->rows > 1)
        status = hr_fail(err, HR_EDATA,
                         "%s has one column: a hierarchy is `leaf;level1;...;root`, separated by ;",
                         path);
    else
        status = hr_hierarchy_build(table, table->source, out, err);
    hr_table_free(table);
    return status;
}

hr_status hr_hierarchy_read(const char *path, hr_hierarchy **out, hr_error *err) {
    *out = NULL;
    return hr_hierarchy_load(path, NULL, &(hr_format_options){0}, NULL, out, err);
}

typedef struct {
    const hr_format_options *format;
    const hr_watch *watch;
} file_context;

/* Reads a file or a table of a database for a builder. */
static hr_status read_for_builder(const char *path, char delimiter, void *payload, hr_table **out,
                                  hr_error *err) {
    const file_context *context = payload;
    hr_watch cancel = hr_watch_cancel_only(context->watch);
    hr_read_options options = file_options(delimiter, context->format, &cancel);
    return hr_table_load(path, &options, out, err);
}

/* The hierarchy as the job gives it, without a leaf for missing values. */
static hr_status given_tree(const hr_attribute *attribute, const hr_column *column,
                            const hr_missing *missing, const hr_format_options *format,
                            const hr_watch *watch, hr_hierarchy **out, hr_error *err) {
    if (attribute->tree) {
        *out = hr_hierarchy_share(attribute->tree);
        return HR_OK;
    }
    if (!attribute->recipe)
        return hr_hierarchy_load(attribute->hierarchy, column, format, watch, out, err);
    file_context context = {format, watch};
    bool hidden = attribute->role == HR_ROLE_KEEP || attribute->role == HR_ROLE_SENSITIVE;
    hr_build_files files = {read_for_builder, &context, hidden};
    char point = hr_format_point(format, column);
    return hr_recipe_build(attribute->recipe, column, missing, point, &files, out, err);
}

hr_status hr_attribute_tree(const hr_attribute *attribute, const hr_column *column,
                            const hr_missing *missing, const hr_format_options *format,
                            const hr_watch *watch, hr_hierarchy **out, hr_error *err) {
    HR_TRY(given_tree(attribute, column, missing, format, watch, out, err));
    if (attribute->on_missing != HR_MISSING_GROUP || !column) return HR_OK;
    hr_hierarchy *tree = *out;
    hr_status status = hr_hierarchy_group_missing(tree, column, missing, out, err);
    hr_hierarchy_free(tree);
    return status;
}

hr_status hr_attribute_boundary(const hr_attribute *attribute, const hr_hierarchy *tree,
                                uint32_t **magval, hr_error *err) {
    const hr_node_choice *choice = &attribute->boundary;
    uint32_t level;
    if (choice->cuts.kind)
        return hr_fail(err, HR_EINVAL,
                       "boundary: width, cells and cuts are for numbers without a hierarchy; of %s "
                       "name a level or nodes",
                       tree->source);
    if (choice->nodes)
        return hr_boundary_nodes(tree, choice->nodes, choice->node_count, magval, err);
    if (!choice->level) return hr_boundary_none(tree, magval, err);
    HR_TRY(hr_hierarchy_level(tree, choice->level, "boundary", &level, err));
    return hr_boundary_level(tree, level, magval, err);
}

hr_status hr_attribute_finest(const hr_attribute *attribute, const hr_hierarchy *tree,
                              uint32_t **finest, hr_error *err) {
    const hr_node_choice *choice = &attribute->finest;
    *finest = NULL;
    if (choice->nodes) return hr_finest_nodes(tree, choice->nodes, choice->node_count, finest, err);
    return choice->level ? hr_finest_level(tree, choice->level, finest, err) : HR_OK;
}

/* ---- roles ---- */

/* Binds a quasi-identifier to the tree that was made for it. */
static hr_status bind_tree(hr_dataset *dataset, const hr_attribute *attribute,
                           const hr_column *column, const hr_hierarchy *tree, hr_quasi *quasi,
                           hr_error *err) {
    uint32_t *magval;
    hr_status status = hr_attribute_finest(attribute, tree, &quasi->finest, err);
    if (status == HR_OK) status = hr_attribute_boundary(attribute, tree, &magval, err);
    if (status == HR_OK && quasi->finest) {
        status = hr_finest_check(tree, quasi->finest, magval, err);
        if (status != HR_OK) free(magval);
    }
    if (status != HR_OK) return hr_fail_prefix(err, status, "attribute '%s'", attribute->name);
    quasi->missing = &dataset->missing;
    quasi->on_missing = attribute->on_missing;
    status = hr_quasi_bind_tree(quasi, column, tree, magval, err);
    quasi->missing = NULL; /* it points into the dataset, which may be moved */
    return status;
}

static hr_status bind_quasi(const hr_job *job, hr_dataset *dataset, const hr_attribute *attribute,
                            const hr_watch *watch, hr_error *err) {
    const hr_column *column = hr_table_find(dataset->table, attribute->name);
    size_t j = dataset->data.quasi_count++;
    hr_quasi *quasi = &dataset->data.quasi[j];
    quasi->point = hr_format_point(&job->format, column);
    if (attribute->numeric) {
        HR_TRY(hr_quasi_bind_numeric(quasi, column, &dataset->missing,
                                     attribute->on_missing == HR_MISSING_DROP, err));
        if (attribute->range) HR_TRY(hr_quasi_set_range(quasi, attribute->range, err));
        quasi->rule = attribute->boundary.cuts;
        if (quasi->rule.kind == HR_CUTS_GIVEN)
            HR_TRY(hr_quasi_cut(quasi, quasi->rule.points, quasi->rule.point_count, err));
    } else {
        HR_TRY(hr_attribute_tree(attribute, column, &dataset->missing, &job->format, watch,
                                 &dataset->trees[j], err));
        HR_TRY(bind_tree(dataset, attribute, column, dataset->trees[j], quasi, err));
    }
    if (attribute->weight_given) quasi->weight = attribute->weight;
    return HR_OK;
}

hr_status hr_attribute_demand(const hr_job *job, const hr_attribute *attribute,
                              const hr_column *column, const hr_missing *missing,
                              const hr_watch *watch, hr_sensitive *sensitive, hr_error *err) {
    hr_hierarchy *tree = NULL;
    if (attribute->hierarchy)
        HR_TRY(hr_attribute_tree(attribute, column, missing, &job->format, watch, &tree, err));
    hr_status status = hr_sensitive_demand(sensitive, &attribute->own, &job->asked, tree, err);
    hr_hierarchy_free(tree);
    return status;
}

static hr_status bind_sensitive(const hr_job *job, hr_dataset *dataset,
                                const hr_attribute *attribute, const hr_watch *watch,
                                hr_error *err) {
    const hr_column *column = hr_table_find(dataset->table, attribute->name);
    hr_sensitive *sensitive = &dataset->data.sensitive[dataset->data.sensitive_count++];
    const hr_sensitive given = {.edges = attribute->edges};
    sensitive->point = hr_format_point(&job->format, column);
    HR_TRY(hr_sensitive_bind(sensitive, column, &dataset->missing, attribute->bins,
                             attribute->edges ? &given : NULL, err));
    sensitive->weight = attribute->weight_given ? attribute->weight : 0;
    return hr_attribute_demand(job, attribute, column, &dataset->missing, watch, sensitive, err);
}

static hr_status bind_unit(const hr_job *job, hr_dataset *dataset, hr_error *err) {
    size_t at = 0;
    while (!is_unit(job, dataset->table->columns[at].name))
        at++;
    dataset->data.unit = hr_alloc(1, sizeof *dataset->data.unit, err);
    if (!dataset->data.unit) return HR_ENOMEM;
    return hr_unit_bind(dataset->data.unit, &dataset->table->columns[at], &dataset->missing, err);
}

hr_status hr_dataset_bind(const hr_job *job, const hr_watch *watch, hr_dataset *dataset,
                          hr_error *err) {
    size_t count = job->attribute_count;
    dataset->data.rows = dataset->table->rows;
    dataset->data.quasi = hr_alloc(count, sizeof *dataset->data.quasi, err);
    dataset->data.sensitive = hr_alloc(count, sizeof *dataset->data.sensitive, err);
    dataset->trees = hr_alloc(count, sizeof *dataset->trees, err);
    if (!dataset->data.quasi || !dataset->data.sensitive || !dataset->trees) return HR_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        const hr_attribute *attribute = &job->attributes[i];
        if (attribute->role == HR_ROLE_QUASI)
            HR_TRY(bind_quasi(job, dataset, attribute, watch, err));
        if (attribute->role == HR_ROLE_SENSITIVE)
            HR_TRY(bind_sensitive(job, dataset, attribute, watch, err));
    }
    hr_sensitive_weigh(dataset->data.sensitive, dataset->data.sensitive_count);
    if (job->unit) HR_TRY(bind_unit(job, dataset, err));
    return hr_recodings_bind(job, dataset->table, &dataset->missing, watch, &dataset->recodings,
                             err);
}

hr_status hr_dataset_load(const hr_job *job, const hr_watch *watch, hr_dataset *out,
                          hr_error *err) {
    double start = hr_seconds();
    *out = (hr_dataset){.missing = hr_job_missing(job)};
    column_choice c = {job, watch, out};
    hr_status status = read_table(&c, err);
    if (status == HR_OK) status = hr_dataset_bind(job, watch, out, err);
    if (status == HR_OK && job->input.counts) status = hr_dataset_count(job, out, err);
    out->read_seconds = hr_seconds() - start;
    if (status != HR_OK) hr_dataset_free(out);
    return status;
}

/* ---- loading only the columns with bins and those from which hierarchies are built ---- */

bool hr_attribute_has_range(const hr_attribute *attribute) {
    if (hr_attribute_needs_data(attribute)) return true;
    return attribute->role == HR_ROLE_QUASI && hr_attribute_built(attribute);
}

static hr_status choose_ranges(const char *const *names, size_t count, bool *keep, void *payload,
                               hr_error *err) {
    const hr_job *job = ((const column_choice *)payload)->job;
    HR_TRY(check_names(job, true, names, count, err));
    for (size_t i = 0; i < count; i++) {
        const hr_attribute *attribute = hr_attribute_find(job, names[i]);
        keep[i] = attribute && hr_attribute_has_range(attribute);
    }
    return HR_OK;
}

/* Binds the columns that hr_dataset_load_ranges has read. */
static hr_status bind_ranges(const hr_job *job, const hr_watch *watch, hr_dataset *out,
                             hr_error *err) {
    size_t count = job->attribute_count;
    out->data.sensitive = hr_alloc(count, sizeof *out->data.sensitive, err);
    out->data.quasi = hr_alloc(count, sizeof *out->data.quasi, err);
    out->trees = hr_alloc(count, sizeof *out->trees, err);
    if (!out->data.sensitive || !out->data.quasi || !out->trees) return HR_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        const hr_attribute *a = &job->attributes[i];
        if (a->bins && !a->edges) HR_TRY(bind_sensitive(job, out, a, watch, err));
        if (a->role != HR_ROLE_QUASI) continue;
        size_t j = out->data.quasi_count++;
        if (hr_attribute_has_range(a))
            HR_TRY(hr_attribute_tree(a, hr_table_find(out->table, a->name), &out->missing,
                                     &job->format, watch, &out->trees[j], err));
    }
    return hr_recodings_bind(job, out->table, &out->missing, watch, &out->recodings, err);
}

hr_status hr_dataset_load_ranges(const hr_job *job, const hr_watch *watch, hr_dataset *out,
                                 hr_error *err) {
    *out = (hr_dataset){.missing = hr_job_missing(job)};
    column_choice c = {job, watch, out};
    hr_read_options options = {.delimiter = job->format.delimiter,
                               .encoding = job->format.encoding,
                               .choose = choose_ranges,
                               .payload = &c,
                               .watch = watch};
    hr_status status = hr_table_load(job->input.path, &options, &out->owned, err);
    out->table = out->owned;
    if (status == HR_OK) status = bind_ranges(job, watch, out, err);
    if (status != HR_OK) hr_dataset_free(out);
    return status;
}

hr_status hr_dataset_cut(const hr_dataset *dataset, bool count_boundaries,
                         const hr_requirements *asked, const hr_watch *watch, hr_groups *cells,
                         hr_facts *facts, uint64_t *trimmed, hr_error *err) {
    const hr_microdata *data = &dataset->data;
    HR_TRY(hr_cells(data->quasi, data->quasi_count, data->rows, !count_boundaries, cells, err));
    HR_TRY(hr_cells_trim(data, asked, watch, cells, trimmed, err));
    return hr_facts_of_data(cells, data, facts, err);
}

void hr_dataset_free(hr_dataset *dataset) {
    size_t trees = dataset->data.quasi_count;
    for (size_t j = 0; dataset->trees && j < trees; j++)
        hr_hierarchy_free(dataset->trees[j]);
    free(dataset->trees);
    hr_microdata_free(&dataset->data);
    hr_recodings_free(&dataset->recodings);
    for (size_t i = 0; i < dataset->header_count; i++)
        free(dataset->header[i]);
    free(dataset->header);
    hr_dataset_unsort(dataset);
    hr_table_free(dataset->owned);
    *dataset = (hr_dataset){0};
}
