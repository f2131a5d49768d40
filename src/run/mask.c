/* mask.c - turns a partition into the table that is released: quasi-identifiers are replaced by the
 * values of their cluster, suppressed rows are left out, and rows are sorted so that their order
 * reveals nothing about the input's. The table has new dictionaries, filled value by value, so that
 * no unreleased text remains in them. */
#include "run/run.h"

#include <stdlib.h>
#include <string.h>

/* A released column. The published text of an input row is a code in `texts`: of_cluster[cluster of
 * the row] for a quasi-identifier, the code that the recoding gives for a recoded kept column, and
 * the row's own code otherwise. */
typedef struct {
    const hr_column *source;
    const hr_dictionary *texts;  /* that of `source` or `recoding`, or `published` */
    hr_dictionary published;     /* texts of a quasi-identifier's clusters */
    uint32_t *of_cluster;        /* per cluster: code in `published`; NULL: no quasi-identifier */
    const hr_recoding *recoding; /* NULL: the column is not recoded */
} released_column;

typedef struct {
    const hr_job *job;
    const hr_dataset *dataset;
    const hr_partition *partition;
    released_column *columns;
    size_t column_count;
    hr_error *err;
} mask_state;

static uint32_t code_of(const mask_state *m, const released_column *column, uint32_t row) {
    if (column->of_cluster) return column->of_cluster[m->partition->cluster[row]];
    uint32_t code = hr_column_code(column->source, row);
    return column->recoding ? column->recoding->of_code[code] : code;
}

/* Fills in `published` and `of_cluster` for quasi-identifier j. */
static hr_status publish(mask_state *m, released_column *column, size_t j) {
    const hr_partition *partition = m->partition;
    column->of_cluster = hr_alloc_raw(partition->cluster_count, sizeof *column->of_cluster, m->err);
    if (!column->of_cluster) return HR_ENOMEM;
    /* If the column has nulls but no empty text, an empty published text stands for null. */
    const hr_dictionary *source = &column->source->dictionary;
    bool null = source->null && hr_dictionary_find(source, "", 0) == HR_NONE;
    hr_text text = {0};
    hr_status status = HR_OK;
    for (uint32_t c = 0; c < partition->cluster_count && status == HR_OK; c++) {
        text.length = 0;
        hr_text_puts(&text, "");
        if (partition->means)
            hr_quasi_mean_text(&m->dataset->data.quasi[j],
                               partition->means[j * partition->cluster_count + c],
                               partition->mean_decimals, &text);
        else
            hr_quasi_text(&m->dataset->data.quasi[j],
                          partition->values[c * partition->quasi_count + j], &text);
        if (text.failed)
            status = hr_fail(m->err, HR_ENOMEM, "out of memory");
        else if (text.length == 0 && null)
            status = hr_dictionary_null(&column->published, &column->of_cluster[c], m->err);
        else
            status = hr_dictionary_intern(&column->published, text.data, text.length,
                                          &column->of_cluster[c], m->err);
    }
    hr_text_free(&text);
    column->texts = &column->published;
    return status;
}

static size_t quasi_index(const hr_microdata *data, const hr_column *column) {
    size_t j = 0;
    while (j < data->quasi_count && data->quasi[j].column != column)
        j++;
    return j;
}

static hr_status choose_columns(mask_state *m) {
    const hr_table *table = m->dataset->table;
    m->columns = hr_alloc(table->column_count, sizeof *m->columns, m->err);
    if (!m->columns) return HR_ENOMEM;
    for (size_t i = 0; i < table->column_count; i++) {
        const hr_column *source = &table->columns[i];
        const hr_attribute *attribute = hr_attribute_find(m->job, source->name);
        if (!attribute || !hr_role_released(attribute->role))
            continue; /* a table given by the caller may have columns that are not released */
        released_column *column = &m->columns[m->column_count++];
        column->source = source;
        column->texts = &source->dictionary;
        size_t j = quasi_index(&m->dataset->data, source);
        if (j < m->dataset->data.quasi_count) HR_TRY(publish(m, column, j));
        column->recoding = hr_recoding_find(&m->dataset->recodings, source->name);
        if (column->recoding) column->texts = &column->recoding->texts;
    }
    return HR_OK;
}

/* ---- the order of release ---- */

/* key[row] = rank of the text that `column` publishes for an input row; suppressed rows have
 * none. */
static void rank_rows(const mask_state *m, const released_column *column, const uint32_t *rank,
                      uint32_t *key) {
    const hr_partition *partition = m->partition;
    if (column->recoding) {
        for (size_t row = 0; row < partition->rows; row++)
            key[row] = rank[code_of(m, column, (uint32_t)row)];
        return;
    }
    if (!column->of_cluster) {
        hr_column_map(column->source, 0, partition->rows, rank, key);
        return;
    }
    for (size_t row = 0; row < partition->rows; row++) {
        uint32_t cluster = partition->cluster[row];
        if (cluster != HR_NONE) key[row] = rank[column->of_cluster[cluster]];
    }
}

/* Stable sort of `rows` by the bytewise order of one column's texts. `key` has room for every input
 * row. */
static hr_status sort_by(const mask_state *m, const released_column *column, uint32_t *key,
                         uint32_t *rows, uint32_t *spare, uint32_t count) {
    uint32_t texts = column->texts->count;
    uint32_t *rank = hr_alloc_raw(texts, sizeof *rank, m->err);
    hr_status status = rank ? hr_dictionary_rank(column->texts, rank, m->err) : HR_ENOMEM;
    if (status == HR_OK) {
        rank_rows(m, column, rank, key);
        hr_sort_by_key(key, texts, rows, spare, count);
    }
    free(rank);
    return status;
}

static hr_status sort_rows(const mask_state *m, uint32_t *rows, uint32_t count) {
    uint32_t *key = hr_alloc_raw(m->partition->rows, sizeof *key, m->err);
    uint32_t *spare = hr_alloc_raw(count, sizeof *spare, m->err);
    hr_status status = key && spare ? HR_OK : HR_ENOMEM;
    for (size_t i = m->column_count; i-- > 0 && status == HR_OK;)
        status = sort_by(m, &m->columns[i], key, rows, spare, count);
    free(key);
    free(spare);
    return status;
}

static void shuffle(uint32_t *rows, size_t count, uint64_t seed) {
    hr_random random;
    hr_random_seed(&random, seed, UINT64_MAX); /* a stream that no MAM cell uses */
    for (size_t i = count; i > 1; i--) {
        size_t j = (size_t)hr_random_below(&random, i);
        uint32_t swap = rows[i - 1];
        rows[i - 1] = rows[j];
        rows[j] = swap;
    }
}

/* The order of the input, if the rows of the dataset are sorted. */
static hr_status sort_by_input(const mask_state *m, uint32_t *rows, uint32_t count) {
    const uint32_t *input = m->dataset->row;
    if (!input) return HR_OK;
    uint32_t *spare = hr_alloc_raw(count, sizeof *spare, m->err);
    if (!spare) return HR_ENOMEM;
    hr_sort_by_key(input, (uint32_t)m->partition->rows, rows, spare, count);
    free(spare);
    return HR_OK;
}

/* Sorts the rows into the order of the job. Canonical order sorts by all published columns, so that
 * equal releases are equal files. Shuffling permutes the canonical order, so that the result does
 * not depend on the order of the input. */
static hr_status order_rows(const mask_state *m, uint32_t *rows, size_t count) {
    if (m->job->order == HR_ORDER_INPUT) return sort_by_input(m, rows, (uint32_t)count);
    HR_TRY(sort_rows(m, rows, (uint32_t)count));
    if (m->job->order == HR_ORDER_SHUFFLE) shuffle(rows, count, m->job->search.seed);
    return HR_OK;
}

/* ---- building the table ---- */

static hr_status fill_column(const mask_state *m, const released_column *from, const uint32_t *rows,
                             size_t count, hr_column *to) {
    uint32_t *code = hr_alloc_raw(from->texts->count, sizeof *code, m->err);
    if (!code) return HR_ENOMEM;
    memset(code, 0xff, from->texts->count * sizeof *code);
    hr_status status = HR_OK;
    for (size_t i = 0; i < count && status == HR_OK; i++) {
        uint32_t old = code_of(m, from, rows[i]);
        if (code[old] == HR_NONE)
            status = hr_dictionary_copy(&to->dictionary, from->texts, old, &code[old], m->err);
        if (status == HR_OK) status = hr_column_append(to, code[old], m->err);
    }
    free(code);
    return status;
}

/* Quasi-identifiers are exported as dictionaries of text, other columns with the type they have,
 * and recoded ones with a type that has their new values. */
static hr_status set_type(const released_column *from, hr_column *to, hr_error *err) {
    const char *format = from->source->format;
    to->coded = from->of_cluster || from->source->coded;
    if (from->of_cluster) return HR_OK;
    if (from->recoding) format = hr_recoding_format(from->recoding);
    if (format == from->source->format &&
        (!from->recoding || hr_recoding_keeps_numbers(from->recoding))) {
        to->affinity = from->source->affinity;
        to->mixed = from->source->mixed;
        const char *declared = from->source->declared;
        if (declared) to->declared = hr_copy_text(declared, strlen(declared), err);
        if (declared && !to->declared) return HR_ENOMEM;
    }
    if (!format) return HR_OK;
    to->format = hr_copy_text(format, strlen(format), err);
    return to->format ? HR_OK : HR_ENOMEM;
}

static hr_status build_table(const mask_state *m, hr_masked_table *out, size_t count) {
    const char **names = hr_alloc(m->column_count, sizeof *names, m->err);
    if (!names) return HR_ENOMEM;
    for (size_t i = 0; i < m->column_count; i++)
        names[i] = m->columns[i].source->name;
    hr_status status =
        hr_table_new(m->column_count, (const char *const *)names, &out->table, m->err);
    free(names);
    if (status != HR_OK) return status;
    out->table->delimiter = m->dataset->table->delimiter;
    out->table->rows = count;
    for (size_t i = 0; i < m->column_count; i++) {
        HR_TRY(set_type(&m->columns[i], &out->table->columns[i], m->err));
        HR_TRY(fill_column(m, &m->columns[i], out->row, count, &out->table->columns[i]));
    }
    return HR_OK;
}

static hr_status mask_rows(mask_state *m, hr_masked_table *out) {
    size_t rows = m->partition->rows, count = 0;
    out->row = hr_alloc_raw(rows, sizeof *out->row, m->err);
    out->place = hr_alloc_raw(rows, sizeof *out->place, m->err);
    if (!out->row || !out->place) return HR_ENOMEM;
    for (size_t row = 0; row < rows; row++) {
        out->place[row] = HR_NONE;
        if (m->partition->cluster[row] != HR_NONE) out->row[count++] = (uint32_t)row;
    }
    HR_TRY(choose_columns(m));
    HR_TRY(order_rows(m, out->row, count));
    const uint32_t *input = m->dataset->row;
    for (size_t i = 0; i < count; i++)
        out->place[input ? input[out->row[i]] : out->row[i]] = (uint32_t)i;
    return build_table(m, out, count);
}

hr_status hr_mask(const hr_job *job, const hr_dataset *dataset, const hr_partition *partition,
                  hr_masked_table *out, hr_error *err) {
    *out = (hr_masked_table){0};
    mask_state m = {.job = job, .dataset = dataset, .partition = partition, .err = err};
    hr_status status = mask_rows(&m, out);
    for (size_t i = 0; i < m.column_count; i++) {
        hr_dictionary_free(&m.columns[i].published);
        free(m.columns[i].of_cluster);
    }
    free(m.columns);
    if (status != HR_OK) hr_masked_table_free(out);
    return status;
}

void hr_masked_table_free(hr_masked_table *masked) {
    hr_table_free(masked->table);
    free(masked->row);
    free(masked->place);
    *masked = (hr_masked_table){0};
}
