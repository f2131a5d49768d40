/* hierarchy_make.c - builds a hierarchy from a column without a whole job, and writes hierarchy
 * files. */
#include "run/run.h"

#include "job/job_keys.h"

#include <string.h>

hr_status hr_job_read_columns(const hr_job *job, const char *path, const char *const *columns,
                              size_t count, hr_table **out, hr_error *err) {
    hr_read_options options = {.delimiter = job->format.delimiter,
                               .encoding = job->format.encoding};
    return hr_table_load_columns(path, &options, columns, count, out, err);
}

static hr_status check_request(const hr_hierarchy_make_request *request, hr_error *err) {
    if (request->size < sizeof *request)
        return hr_fail(
            err, HR_EINVAL,
            "hr_hierarchy_make_request: set `size` to sizeof(hr_hierarchy_make_request)");
    if (!request->spec || !request->table)
        return hr_fail(err, HR_EINVAL, "a hierarchy is built from a spec and a table");
    if (request->column < request->table->column_count) return HR_OK;
    return hr_fail(err, HR_EINVAL, "the table has %zu columns: there is no column number %zu",
                   request->table->column_count, request->column);
}

static hr_status check_output(const hr_hierarchy_make_request *request, const hr_recipe *recipe,
                              hr_error *err) {
    HR_TRY(hr_job_check_pair("the output", request->output, "the data", request->input, err));
    for (size_t step = 0; step < recipe->count; step++)
        HR_TRY(hr_job_check_pair("the output", request->output, "a file of the hierarchy",
                                 recipe->steps[step].path, err));
    return HR_OK;
}

/* The tree of `flat`: every value, a missing one too, below the root. */
static hr_status make_flat(const hr_hierarchy_make_request *request, hr_hierarchy **out,
                           hr_error *err) {
    HR_TRY(hr_job_check_pair("the output", request->output, "the data", request->input, err));
    return hr_hierarchy_of_values(request->table, request->column, out, err);
}

hr_status hr_hierarchy_make(const hr_hierarchy_make_request *request, hr_hierarchy **out,
                            hr_error *err) {
    static const char *const empty[] = {""};
    hr_job *job = NULL; /* its arena holds the recipe */
    hr_attribute attribute = {0};
    *out = NULL;
    HR_TRY(check_request(request, err));
    if (!strcmp(request->spec, "flat")) return make_flat(request, out, err);
    hr_missing missing = {empty, 1};
    if (request->missing) missing = (hr_missing){request->missing, request->missing_count};
    const hr_column *column = &request->table->columns[request->column];
    HR_TRY(hr_job_new(&job, err));
    hr_status status =
        hr_job_parse_recipe(job, request->spec, request->folder, &attribute.recipe, err);
    if (status == HR_OK) status = check_output(request, attribute.recipe, err);
    if (status == HR_OK) {
        attribute.hierarchy = attribute.recipe->text;
        job->format.decimal = request->decimal == ',';
        attribute.on_missing = request->group_missing ? HR_MISSING_GROUP : HR_MISSING_DROP;
        status = hr_attribute_tree(&attribute, column, &missing, &job->format, NULL, out, err);
    }
    hr_job_free(job);
    return status;
}

static void write_leaf(const hr_hierarchy *tree, uint32_t leaf, hr_output *output) {
    for (uint32_t level = 0; level < tree->level_count; level++) {
        uint32_t node = hr_hierarchy_node_at(tree, leaf, level);
        if (level > 0) hr_output_puts(output, ";");
        hr_csv_field(output, hr_hierarchy_label(tree, node),
                     hr_dictionary_length(&tree->labels, node), ';');
    }
    hr_output_puts(output, "\n");
}

hr_status hr_hierarchy_write(const hr_hierarchy *tree, const char *path, hr_error *err) {
    hr_output *output;
    HR_TRY(hr_output_open(path, NULL, &output, err));
    for (uint32_t leaf = 0; leaf < tree->leaf_count; leaf++)
        write_leaf(tree, leaf, output);
    return hr_output_commit(output, err);
}
