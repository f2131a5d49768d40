/* job_explicit.c - values in a job file that are otherwise derived from the data: a hierarchy as
 * the text of a hierarchy file, {tree: TEXT, levels: [value, width 5, root]}, and the edges of
 * bins, [0, 10, 20]. run/resolve.c writes both. */
#include "job/job_keys.h"

#include <math.h>
#include <string.h>

/* ---- trees ---- */

static const char tree_name[] = "the tree in the job";

bool hr_spec_is_tree(const hr_spec *spec) {
    return spec->kind == HR_SPEC_MAP && hr_spec_find(spec, "tree");
}

static hr_status check_keys(const hr_spec *spec, hr_error *err) {
    for (size_t i = 0; i < spec->count; i++)
        if (strcmp(spec->keys[i], "tree") && strcmp(spec->keys[i], "levels"))
            return hr_fail(err, HR_EINVAL, "tree: there is no key '%s'; it has: levels",
                           spec->keys[i]);
    return HR_OK;
}

static hr_status build_tree(const char *text, hr_hierarchy **out, hr_error *err) {
    hr_table *table;
    const hr_read_options options = {
        .delimiter = ';', .no_header = true, .encoding = HR_ENCODING_UTF8};
    HR_TRY(hr_csv_parse(text, strlen(text), tree_name, &options, &table, err));
    hr_status status = hr_hierarchy_build(table, tree_name, out, err);
    hr_table_free(table);
    return status;
}

static hr_status name_levels(const hr_spec *names, hr_hierarchy *tree, hr_arena *arena,
                             hr_error *err) {
    if (names->kind == HR_SPEC_MAP || hr_spec_count(names) != tree->level_count)
        return hr_fail(err, HR_EINVAL,
                       "tree: `levels` is a list of one name for each of the %u columns",
                       tree->level_count);
    const char **texts = hr_arena_alloc(arena, tree->level_count, sizeof *texts, err);
    if (!texts) return HR_ENOMEM;
    for (uint32_t i = 0; i < tree->level_count; i++)
        HR_TRY(hr_spec_text(hr_spec_item(names, i), "levels", "the names of the levels", &texts[i],
                            err));
    return hr_hierarchy_name_levels(tree, texts, err);
}

hr_status hr_attribute_set_tree(hr_job *job, hr_attribute *attribute, const hr_spec *spec,
                                hr_error *err) {
    const char *text = NULL;
    const hr_spec *levels = hr_spec_find(spec, "levels");
    hr_hierarchy *tree = NULL;
    HR_TRY(check_keys(spec, err));
    HR_TRY(hr_spec_text(hr_spec_find(spec, "tree"), "tree",
                        "the lines of a hierarchy file: `leaf;level1;...;root`", &text, err));
    hr_status status = build_tree(text, &tree, err);
    if (status == HR_OK && levels) status = name_levels(levels, tree, &job->arena, err);
    if (status == HR_OK) status = hr_job_set_hierarchy(job, attribute->name, tree, err);
    hr_hierarchy_free(tree);
    return status;
}

/* ---- bins and ranges ---- */

/* Reads numbers, each at least the one before, into the arena. */
static hr_status read_numbers(hr_job *job, const char *key, const char *const *texts, size_t count,
                              const double **out, hr_error *err) {
    double *numbers = hr_arena_alloc(&job->arena, count, sizeof *numbers, err);
    if (!numbers) return HR_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        if (!hr_parse_double(texts[i], &numbers[i]))
            return hr_fail(err, HR_EINVAL, "%s: '%s' is not a number", key, texts[i]);
        if (i > 0 && numbers[i] < numbers[i - 1])
            return hr_fail(err, HR_EINVAL, "%s: the numbers ascend, and %s is followed by %s", key,
                           texts[i - 1], texts[i]);
    }
    *out = numbers;
    return HR_OK;
}

hr_status hr_attribute_set_edges(hr_job *job, hr_attribute *attribute, const char *const *texts,
                                 size_t count, hr_error *err) {
    if (count < 2 || count > HR_BINS_MAX + 1)
        return hr_fail(err, HR_EINVAL,
                       "bins: a list has the ends of 1 to %d bins: at least two numbers",
                       HR_BINS_MAX);
    HR_TRY(read_numbers(job, "bins", texts, count, &attribute->edges, err));
    attribute->bins = (uint32_t)(count - 1);
    return HR_OK;
}

hr_status hr_attribute_set_range(hr_job *job, hr_attribute *attribute, const char *const *texts,
                                 size_t count, hr_error *err) {
    const double *range = NULL;
    if (count != 2)
        return hr_fail(err, HR_EINVAL, "range: write the least and the greatest number, [0, 120]");
    HR_TRY(read_numbers(job, "range", texts, count, &range, err));
    if (!isfinite(range[1] - range[0]))
        return hr_fail(err, HR_EINVAL, "range: from %s to %s is too large", texts[0], texts[1]);
    attribute->range = range;
    return HR_OK;
}
