/* dataset_sort.c - sorts the rows by their values. If the result of an algorithm must not depend on
 * the order of the input (hr_algorithm.any_order), it runs on rows sorted by quasi-identifiers,
 * sensitive attributes and then kept columns. Rows that are equal in all of these are
 * interchangeable, so the result depends only on which rows there are. */
#include "run/run.h"

#include <stdlib.h>
#include <string.h>

/* Columns to sort by, most significant first; `out` has room for every column of the table. */
static size_t list_keys(const hr_job *job, const hr_dataset *dataset, const hr_column **out) {
    size_t count = 0;
    for (size_t j = 0; j < dataset->data.quasi_count; j++)
        out[count++] = dataset->data.quasi[j].column;
    for (size_t l = 0; l < dataset->data.sensitive_count; l++)
        out[count++] = dataset->data.sensitive[l].column;
    for (size_t i = 0; i < job->attribute_count; i++) {
        const hr_column *kept = hr_table_find(dataset->table, job->attributes[i].name);
        if (job->attributes[i].role == HR_ROLE_KEEP && kept) out[count++] = kept;
    }
    if (dataset->data.unit) out[count++] = dataset->data.unit->column;
    return count;
}

/* Replaces the codes of a table that belongs to the dataset. */
static hr_status sort_owned(hr_table *table, const uint32_t *order, hr_error *err) {
    for (size_t i = 0; i < table->column_count; i++) {
        hr_column *column = &table->columns[i];
        void *codes;
        HR_TRY(hr_column_reorder(column, order, &codes, err));
        free(column->codes);
        column->codes = codes;
        column->capacity = column->rows;
    }
    return HR_OK;
}

/* A copy of the table with sorted codes that borrows everything else. */
static hr_status sort_copy(const hr_table *table, const uint32_t *order, hr_table **out,
                           hr_error *err) {
    *out = hr_alloc(1, sizeof **out, err);
    if (!*out) return HR_ENOMEM;
    (*out)->rows = table->rows;
    (*out)->delimiter = table->delimiter;
    (*out)->columns = hr_alloc(table->column_count, sizeof *(*out)->columns, err);
    if (!(*out)->columns) return HR_ENOMEM;
    for (size_t i = 0; i < table->column_count; i++) {
        void *codes;
        HR_TRY(hr_column_reorder(&table->columns[i], order, &codes, err));
        (*out)->columns[i] = table->columns[i];
        (*out)->columns[i].codes = codes;
        (*out)->column_count++;
    }
    return HR_OK;
}

/* Points the roles of the dataset to the columns of a copy of the table. */
static void bind_copy(hr_dataset *dataset, const hr_table *copy) {
    const hr_column *from = dataset->table->columns;
    for (size_t j = 0; j < dataset->data.quasi_count; j++) {
        hr_quasi *quasi = &dataset->data.quasi[j];
        quasi->column = &copy->columns[quasi->column - from];
    }
    for (size_t l = 0; l < dataset->data.sensitive_count; l++) {
        hr_sensitive *sensitive = &dataset->data.sensitive[l];
        sensitive->column = &copy->columns[sensitive->column - from];
    }
    if (dataset->data.unit)
        dataset->data.unit->column = &copy->columns[dataset->data.unit->column - from];
    for (size_t i = 0; i < dataset->recodings.count; i++) {
        hr_recoding *recoding = &dataset->recodings.items[i];
        recoding->column = &copy->columns[recoding->column - from];
    }
    dataset->table = copy;
}

static hr_status sort_weights(hr_dataset *dataset, hr_error *err) {
    if (!dataset->data.weight) return HR_OK;
    dataset->weights = hr_alloc(dataset->data.rows, sizeof *dataset->weights, err);
    if (!dataset->weights) return HR_ENOMEM;
    for (size_t row = 0; row < dataset->data.rows; row++)
        dataset->weights[row] = dataset->data.weight[dataset->row[row]];
    dataset->data.weight = dataset->weights;
    return HR_OK;
}

hr_status hr_dataset_sort(const hr_job *job, hr_dataset *dataset, hr_error *err) {
    const hr_column **keys = hr_alloc(dataset->table->column_count + 1, sizeof *keys, err);
    if (!keys) return HR_ENOMEM;
    size_t count = list_keys(job, dataset, keys);
    hr_status status = hr_rows_order(keys, count, dataset->table->rows, &dataset->row, err);
    free(keys);
    HR_TRY(status);
    if (dataset->owned) return sort_owned(dataset->owned, dataset->row, err);
    HR_TRY(sort_copy(dataset->table, dataset->row, &dataset->sorted, err));
    bind_copy(dataset, dataset->sorted);
    return sort_weights(dataset, err);
}

/* Refuses a builder that counts rows: in a counted table a value is not in as many rows as it
 * occurs in the whole table. */
static hr_status refuse_counting(const hr_attribute *attribute, hr_error *err) {
    const hr_recipe *recipe = attribute->recipe;
    for (size_t i = 0; recipe && i < recipe->count; i++) {
        const hr_builder *builder = recipe->steps[i].builder;
        if (builder->counts_rows)
            return hr_fail(err, HR_EINVAL,
                           "column '%s': the builder '%s' counts rows, which a counted table does "
                           "not have: build the hierarchy from the whole column first",
                           attribute->name, builder->name);
    }
    return HR_OK;
}

hr_status hr_dataset_count(const hr_job *job, hr_dataset *dataset, hr_error *err) {
    for (size_t i = 0; i < job->attribute_count; i++)
        HR_TRY(refuse_counting(&job->attributes[i], err));
    const hr_table *table = dataset->table;
    hr_table *copy = dataset->counted = hr_alloc(1, sizeof *copy, err);
    if (!copy) return HR_ENOMEM;
    copy->columns = hr_alloc(table->column_count, sizeof *copy->columns, err);
    if (!copy->columns) return HR_ENOMEM;
    copy->column_count = table->column_count;
    copy->delimiter = table->delimiter;
    copy->rows = dataset->data.rows = job->input.counted;
    for (size_t i = 0; i < table->column_count; i++) {
        copy->columns[i] = table->columns[i]; /* borrows everything */
        copy->columns[i].rows = copy->rows;
    }
    bind_copy(dataset, copy);
    dataset->data.weight = job->input.counts;
    for (size_t row = 0; row < copy->rows; row++)
        dataset->data.weights += job->input.counts[row];
    return HR_OK;
}

void hr_dataset_unsort(hr_dataset *dataset) {
    hr_table *copy = dataset->sorted;
    for (size_t i = 0; copy && i < copy->column_count; i++)
        free(copy->columns[i].codes);
    if (copy) free(copy->columns);
    free(copy);
    if (dataset->counted) free(dataset->counted->columns);
    free(dataset->counted);
    free(dataset->weights);
    free(dataset->row);
    dataset->counted = NULL;
    dataset->weights = NULL;
    dataset->sorted = NULL;
    dataset->row = NULL;
}
