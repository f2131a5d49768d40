/* plan_join.c - joins the released rows of all cells: counts them against the plan, verifies them
 * as their reader will see them, and sorts them into the order of release. */
#include "run/plan/plan.h"

#include "run/verify.h"

#include <stdlib.h>
#include <string.h>

/* ---- counting ---- */

/* The rank of the least number of a published interval; HR_NONE: it is no interval of numbers of
 * the table. */
static uint32_t least_rank(const hr_quasi *quasi, const char *text) {
    hr_published_value published = hr_published_parse(quasi, text);
    if (published.kind != HR_PUBLISHED_INTERVAL) return HR_NONE;
    return hr_quasi_rank(quasi, published.lo);
}

/* The node or the least number of each published text of a column; HR_NONE: it has neither. */
static hr_status published_values(const hr_quasi *quasi, const hr_column *column, uint32_t **out,
                                  hr_error *err) {
    const hr_dictionary *texts = &column->dictionary;
    *out = hr_alloc_raw(texts->count, sizeof **out, err);
    if (!*out) return HR_ENOMEM;
    for (uint32_t code = 0; code < texts->count; code++) {
        const char *text = hr_dictionary_text(texts, code);
        (*out)[code] = quasi->tree ? hr_hierarchy_find(quasi->tree, text) : least_rank(quasi, text);
    }
    return HR_OK;
}

/* Groups the released rows so that each group lies in one MAM cell. The cell follows from published
 * values: a published node has the same MAGVal as its rows, and an interval lies within the cell of
 * numbers of its rows. */
static hr_status group_rows(const hr_plan *plan, const hr_table *table, uint32_t **nodes,
                            hr_groups *out, hr_error *err) {
    const hr_microdata *data = &plan->domain.data;
    HR_TRY(hr_groups_start(out, table->rows, err));
    for (size_t j = 0; j < data->quasi_count; j++) {
        const hr_quasi *quasi = &data->quasi[j];
        if (plan->choice.count_boundaries || !quasi->bounded) continue;
        const hr_column *column = hr_table_find(table, quasi->name);
        HR_TRY(published_values(quasi, column, &nodes[j], err));
        HR_TRY(hr_groups_split(out, column, nodes[j], quasi->value_count, err));
    }
    return HR_OK;
}

/* Adds the rows of each group to the count of its cell; returns the number of rows in no cell. */
static uint64_t add_groups(const hr_plan *plan, const hr_table *table, uint32_t *const *nodes,
                           const hr_groups *groups, const uint32_t *size, uint32_t *values,
                           uint64_t *counts) {
    const hr_microdata *data = &plan->domain.data;
    uint64_t strangers = 0;
    uint32_t known = 0;
    for (size_t row = 0; row < table->rows; row++) {
        if (groups->of_row[row] == HR_NONE) strangers++;
        if (groups->of_row[row] != known) continue; /* groups are numbered by their first rows */
        for (size_t j = 0; j < data->quasi_count; j++)
            if (nodes[j])
                values[j] =
                    nodes[j][hr_column_code(hr_table_find(table, data->quasi[j].name), row)];
        size_t at = hr_plan_find(plan, hr_cell_key(data->quasi, data->quasi_count, values,
                                                   !plan->choice.count_boundaries, plan->salt));
        if (at == SIZE_MAX)
            strangers += size[known];
        else
            counts[at] += size[known];
        known++;
    }
    return strangers;
}

hr_status hr_plan_count(const hr_plan *plan, const hr_table *table, uint64_t *counts,
                        uint64_t *strangers, hr_error *err) {
    size_t t = plan->domain.data.quasi_count;
    hr_groups groups = {0};
    uint32_t **nodes = hr_alloc(t, sizeof *nodes, err);
    uint32_t *values = hr_alloc(t, sizeof *values, err), *size = NULL;
    hr_status status = nodes && values ? group_rows(plan, table, nodes, &groups, err) : HR_ENOMEM;
    if (status == HR_OK) {
        size = hr_alloc(groups.count, sizeof *size, err);
        if (!size) status = HR_ENOMEM;
    }
    if (status == HR_OK) {
        for (size_t row = 0; row < table->rows; row++)
            if (groups.of_row[row] != HR_NONE) size[groups.of_row[row]]++;
        *strangers = add_groups(plan, table, nodes, &groups, size, values, counts);
    }
    for (size_t j = 0; nodes && j < t; j++)
        free(nodes[j]);
    free(nodes);
    free(values);
    free(size);
    hr_groups_free(&groups);
    return status;
}

/* Fails unless every cell came back once and complete. */
static hr_status check_counts(const hr_plan *plan, const uint64_t *counts, uint64_t strangers,
                              hr_error *err) {
    uint64_t absent = 0, short_of = 0, too_many = 0;
    for (size_t i = 0; i < plan->cell_count; i++) {
        uint64_t rows = plan->cells[i].released;
        if (rows == HR_PLAN_UNKNOWN) {
            too_many += counts[i] > plan->cells[i].rows;
            continue;
        }
        absent += rows > 0 && counts[i] == 0;
        short_of += counts[i] > 0 && counts[i] < rows;
        too_many += counts[i] > rows;
    }
    if (absent + short_of + too_many + strangers == 0) return HR_OK;
    return hr_fail(err, HR_EDATA,
                   "the parts do not make up the release: of %zu cells %llu did not come back, "
                   "%llu lack rows and %llu have too many; %llu rows belong to no cell",
                   plan->cell_count, (unsigned long long)absent, (unsigned long long)short_of,
                   (unsigned long long)too_many, (unsigned long long)strangers);
}

static hr_status count(const hr_plan *plan, const hr_table *table, hr_error *err) {
    uint64_t strangers = 0, *counts = hr_alloc(plan->cell_count, sizeof *counts, err);
    if (!counts) return HR_ENOMEM;
    hr_status status = hr_plan_count(plan, table, counts, &strangers, err);
    if (status == HR_OK) status = check_counts(plan, counts, strangers, err);
    free(counts);
    return status;
}

/* ---- verifying ---- */

hr_status hr_plan_judge(const hr_plan *plan, const hr_table *table, const hr_watch *watch,
                        hr_verdict *out, hr_error *err) {
    hr_verify_request request = {.job = plan->job,
                                 .masked = table,
                                 .ranges = &plan->domain,
                                 .enforce_boundaries = !plan->choice.count_boundaries,
                                 .means = hr_publishes_means(plan->choice.algorithm),
                                 .watch = watch};
    return hr_verify(&request, out, err);
}

static hr_status verify(const hr_plan *plan, const hr_table *table, const hr_watch *watch,
                        hr_error *err) {
    hr_verdict verdict;
    HR_TRY(hr_plan_judge(plan, table, watch, &verdict, err));
    hr_status status = HR_OK;
    if (!verdict.holds) {
        uint64_t poor = 0, unknown = 0;
        for (size_t l = 0; l < plan->domain.data.sensitive_count; l++)
            poor += verdict.poor_classes[l];
        for (size_t j = 0; j < plan->domain.data.quasi_count; j++)
            unknown += verdict.unknown_by[j];
        status = hr_fail(err, HR_ENOSOL,
                         "the release that was put together does not verify: %llu classes are too "
                         "small, %llu lack sensitive values, and %llu values cannot be read or are "
                         "too precise",
                         (unsigned long long)verdict.small_classes, (unsigned long long)poor,
                         (unsigned long long)(unknown + verdict.too_fine + verdict.unrecoded));
    }
    hr_verdict_free(&verdict);
    return status;
}

/* ---- the whole ---- */

hr_status hr_plan_check_columns(const hr_plan *plan, const hr_table *table, hr_error *err) {
    for (size_t i = 0; i < table->column_count; i++) {
        const hr_attribute *a = hr_attribute_find(plan->job, table->columns[i].name);
        if (!a || !hr_role_released(a->role))
            return hr_fail(err, HR_EDATA, "column '%s' is not part of a release of this plan",
                           table->columns[i].name);
    }
    for (size_t i = 0; i < plan->job->attribute_count; i++) {
        const hr_attribute *a = &plan->job->attributes[i];
        if (hr_role_released(a->role) && !hr_table_find(table, a->name))
            return hr_fail(err, HR_EDATA, "the parts have no column '%s', which the plan needs",
                           a->name);
    }
    return HR_OK;
}

static hr_status gather(const hr_table *const *parts, size_t part_count, hr_table **out,
                        hr_error *err) {
    size_t columns = parts[0]->column_count;
    const char **names = hr_alloc(columns, sizeof *names, err);
    if (!names) return HR_ENOMEM;
    for (size_t i = 0; i < columns; i++)
        names[i] = parts[0]->columns[i].name;
    hr_status status = hr_table_new(columns, (const char *const *)names, out, err);
    free(names);
    if (status == HR_OK) (*out)->delimiter = parts[0]->delimiter;
    for (size_t i = 0; i < part_count && status == HR_OK; i++) {
        status = hr_table_append_table(*out, parts[i], err);
        if (status != HR_OK && status != HR_ENOMEM)
            status = hr_fail_prefix(err, status, "part %zu", i + 1);
    }
    return status;
}

/* Sorts a table of published values into the order of release, by masking it once more. */
static hr_status put_in_order(const hr_plan *plan, const hr_table *table, hr_table **out,
                              hr_error *err) {
    hr_dataset dataset = {.table = table};
    hr_masked_table masked;
    hr_partition partition = {.rows = table->rows, .cluster_count = 1};
    partition.cluster = hr_alloc(table->rows, sizeof *partition.cluster, err);
    if (!partition.cluster) return HR_ENOMEM;
    hr_status status = hr_mask(plan->job, &dataset, &partition, &masked, err);
    hr_partition_free(&partition);
    HR_TRY(status);
    *out = masked.table;
    masked.table = NULL;
    hr_masked_table_free(&masked);
    return HR_OK;
}

static hr_status join(const hr_plan *plan, const hr_table *table, const hr_watch *watch,
                      hr_table **out, hr_error *err) {
    HR_TRY(hr_plan_check_columns(plan, table, err));
    HR_TRY(count(plan, table, err));
    HR_TRY(verify(plan, table, watch, err));
    return put_in_order(plan, table, out, err);
}

hr_status hr_plan_join(const hr_plan *plan, const hr_table *const *parts, size_t part_count,
                       const hr_watch *watch, hr_table **out, hr_error *err) {
    hr_watch own;
    hr_table *all = NULL;
    *out = NULL;
    HR_TRY(hr_watch_copy(watch, &own, err));
    if (part_count == 0) return hr_fail(err, HR_EINVAL, "there are no parts to put together");
    hr_status status = gather(parts, part_count, &all, err);
    if (status == HR_OK) status = join(plan, all, &own, out, err);
    hr_table_free(all);
    return status;
}
