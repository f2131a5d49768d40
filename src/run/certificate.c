/* certificate.c - the proof of a lower bound as a table of `what,value` rows: first the rows that
 * identify table, k, p and boundaries mode, then the price of a class in each MAM cell and the
 * multiplier of each kind of row, both in the order of first rows. Any multipliers prove some
 * bound, so `check` need not trust the table: it recomputes from the original which bound they
 * prove. */
#include "run/run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- identity of the table ---- */

static uint64_t mix(uint64_t hash, uint64_t more) {
    uint64_t both[2] = {hash, more};
    return hr_hash(both, sizeof both);
}

static hr_status hash_column(const hr_column *column, uint64_t *hash, hr_error *err) {
    uint64_t *of_code = hr_alloc_raw(column->dictionary.count, sizeof *of_code, err);
    if (!of_code) return HR_ENOMEM;
    for (uint32_t code = 0; code < column->dictionary.count; code++)
        of_code[code] = hr_hash(hr_dictionary_text(&column->dictionary, code),
                                hr_dictionary_length(&column->dictionary, code));
    *hash = mix(*hash, hr_hash(column->name, strlen(column->name)));
    for (size_t row = 0; row < column->rows; row++)
        *hash = mix(*hash, of_code[hr_column_code(column, row)]);
    free(of_code);
    return HR_OK;
}

/* Hashes the values of all attributes that the bound depends on, row by row. */
static hr_status hash_data(const hr_microdata *data, uint64_t *hash, hr_error *err) {
    *hash = 0;
    for (size_t j = 0; j < data->quasi_count; j++)
        HR_TRY(hash_column(data->quasi[j].column, hash, err));
    for (size_t l = 0; l < data->sensitive_count; l++)
        HR_TRY(hash_column(data->sensitive[l].column, hash, err));
    return HR_OK;
}

/* ---- writing ---- */

static hr_status put_text(hr_batch *batch, const char *what, const char *value, hr_error *err) {
    return hr_batch_add(batch, (const char *const[]){what, value}, err);
}

static hr_status put(hr_batch *batch, const char *what, int64_t value, hr_error *err) {
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, value);
    return put_text(batch, what, text, err);
}

static hr_status put_header(hr_batch *batch, const hr_microdata *data, const hr_requirements *asked,
                            bool count_boundaries, hr_error *err) {
    uint64_t hash;
    char text[32];
    HR_TRY(hash_data(data, &hash, err));
    snprintf(text, sizeof text, "%016" PRIx64, hash);
    HR_TRY(put_text(batch, "certificate", "1", err));
    HR_TRY(put_text(batch, "data", text, err));
    HR_TRY(put(batch, "rows", (int64_t)data->rows, err));
    HR_TRY(put(batch, "k", asked->k, err));
    HR_TRY(put(batch, "p", asked->p, err));
    HR_TRY(put_text(batch, "boundaries", count_boundaries ? "count" : "enforce", err));
    return put(batch, "unit", HR_COST_ONE, err);
}

static hr_status put_bound(hr_batch *batch, const hr_bound *lower, hr_error *err) {
    HR_TRY(put(batch, "loss", (int64_t)lower->loss, err));
    HR_TRY(put(batch, "prices", lower->cell_count, err));
    HR_TRY(put(batch, "multipliers", lower->kind_count, err));
    for (uint32_t cell = 0; cell < lower->cell_count; cell++)
        HR_TRY(put(batch, "price", lower->price[cell], err));
    for (uint32_t kind = 0; kind < lower->kind_count; kind++)
        HR_TRY(put(batch, "multiplier", lower->multiplier[kind], err));
    return hr_batch_end(batch, err);
}

hr_status hr_certificate_write(hr_writer *writer, const hr_bound *lower, const hr_microdata *data,
                               const hr_requirements *asked, bool count_boundaries, hr_error *err) {
    static const char *const names[] = {"what", "value"};
    hr_batch batch = {.writer = writer, .names = names, .column_count = 2};
    hr_status status = put_header(&batch, data, asked, count_boundaries, err);
    if (status == HR_OK) status = put_bound(&batch, lower, err);
    hr_batch_free(&batch);
    return status;
}

/* ---- reading ---- */

typedef struct {
    const char *path;
    const hr_column *what, *value;
    size_t line; /* next line to read */
    hr_error *err;
} certificate_reader;

static hr_status bad_line(const certificate_reader *r, const char *problem, const char *what) {
    return hr_fail(r->err, HR_EDATA,
                   "%s, row %zu: %s '%s'; the certificate is cut off or was changed", r->path,
                   r->line + 1, problem, what);
}

/* Reads the value of the next line, whose name must be `what`. */
static hr_status next_text(certificate_reader *r, const char *what, const char **out) {
    if (r->line >= r->what->rows) return bad_line(r, "the file ends before", what);
    if (strcmp(hr_column_text(r->what, r->line), what)) return bad_line(r, "here should be", what);
    *out = hr_column_text(r->value, r->line++);
    return HR_OK;
}

static hr_status next_number(certificate_reader *r, const char *what, int64_t *out) {
    const char *text = NULL;
    uint64_t number;
    HR_TRY(next_text(r, what, &text));
    bool negative = *text == '-';
    if (!hr_parse_uint(text + negative, INT64_MAX, &number)) {
        r->line--;
        return bad_line(r, "there is no whole number for", what);
    }
    *out = negative ? -(int64_t)number : (int64_t)number;
    return HR_OK;
}

/* Reads the next line; fails with the message `otherwise` unless it has this value. */
static hr_status expect(certificate_reader *r, const char *what, const char *value,
                        const char *otherwise) {
    const char *text = NULL;
    HR_TRY(next_text(r, what, &text));
    if (!strcmp(text, value)) return HR_OK;
    return hr_fail(r->err, HR_EDATA, "%s: %s", r->path, otherwise);
}

static hr_status expect_number(certificate_reader *r, const char *what, int64_t value,
                               const char *otherwise) {
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, value);
    return expect(r, what, text, otherwise);
}

static hr_status read_numbers(certificate_reader *r, const char *what, uint32_t count,
                              int64_t **out) {
    *out = hr_alloc_raw(count, sizeof **out, r->err);
    if (!*out) return HR_ENOMEM;
    for (uint32_t i = 0; i < count; i++)
        HR_TRY(next_number(r, what, &(*out)[i]));
    return HR_OK;
}

/* Reads how many prices or multipliers follow, one in a line. Fails if the file has fewer lines,
 * before memory is allocated for them. */
static hr_status read_count(certificate_reader *r, const char *what, uint32_t *out) {
    int64_t count;
    HR_TRY(next_number(r, what, &count));
    if (count < 0 || (uint64_t)count > r->what->rows) {
        r->line--;
        return bad_line(r, "the file does not have that many lines of", what);
    }
    *out = (uint32_t)count;
    return HR_OK;
}

/* Was the certificate made from this data? Compares the hash in its second line. */
static hr_status same_data(const certificate_reader *r, const hr_microdata *data, bool *same) {
    uint64_t hash;
    char text[32];
    HR_TRY(hash_data(data, &hash, r->err));
    snprintf(text, sizeof text, "%016" PRIx64, hash);
    *same = r->what->rows > 1 && !strcmp(hr_column_text(r->value, 1), text);
    return HR_OK;
}

static hr_status read_header(certificate_reader *r, const hr_microdata *data,
                             const hr_requirements *asked, bool count_boundaries) {
    uint64_t hash;
    char text[32];
    HR_TRY(hash_data(data, &hash, r->err));
    snprintf(text, sizeof text, "%016" PRIx64, hash);
    HR_TRY(expect(r, "certificate", "1", "this version reads certificates of version 1"));
    HR_TRY(expect(r, "data", text,
                  "it is of other data: the quasi-identifiers and sensitive attributes of the "
                  "original, or their order, are not those that it was made of"));
    HR_TRY(expect_number(r, "rows", (int64_t)data->rows, "it is of another number of rows"));
    HR_TRY(expect_number(r, "k", asked->k, "it is of another k than the job's"));
    HR_TRY(expect_number(r, "p", asked->p, "it is of another p than the job's"));
    HR_TRY(expect(r, "boundaries", count_boundaries ? "count" : "enforce",
                  "it is of the other boundaries mode, enforce or count"));
    return expect_number(r, "unit", HR_COST_ONE, "its figures are in another unit");
}

static hr_status read_lines(certificate_reader *r, hr_bound *out) {
    int64_t loss;
    HR_TRY(next_number(r, "loss", &loss));
    out->loss = loss > 0 ? (uint64_t)loss : 0;
    HR_TRY(read_count(r, "prices", &out->cell_count));
    HR_TRY(read_count(r, "multipliers", &out->kind_count));
    HR_TRY(read_numbers(r, "price", out->cell_count, &out->price));
    HR_TRY(read_numbers(r, "multiplier", out->kind_count, &out->multiplier));
    return r->line == r->what->rows ? HR_OK : bad_line(r, "more follows the last", "multiplier");
}

/* ---- recomputing ---- */

static hr_status recompute(const hr_bound *claimed, const hr_dataset *original,
                           const hr_requirements *asked, bool count_boundaries,
                           const hr_watch *watch, uint64_t *proved, hr_error *err) {
    hr_groups cells = {0};
    hr_facts facts = {0};
    bool *out = NULL;
    uint64_t trimmed;
    hr_status status =
        hr_dataset_cut(original, count_boundaries, asked, watch, &cells, &facts, &trimmed, err);
    if (status == HR_OK && !(out = hr_alloc(cells.count, sizeof *out, err))) status = HR_ENOMEM;
    if (status == HR_OK) {
        hr_models_out(&facts, asked, out);
        hr_bound_request request = {
            .data = &original->data, .cells = &cells, .out = out, .asked = *asked, .watch = watch};
        status = hr_bound_recompute(&request, claimed, proved, err);
    }
    free(out);
    hr_facts_free(&facts);
    hr_groups_free(&cells);
    return status;
}

static hr_status check_table(certificate_reader *r, const hr_dataset *original,
                             const hr_requirements *asked, bool count_boundaries,
                             const hr_watch *watch, hr_proof *out) {
    const hr_microdata *data = &original->data;
    hr_bound claimed = {0};
    uint64_t proved = 0;
    hr_requirements enforced = *asked;
    if (enforced.k < enforced.p && !enforced.unit) enforced.k = enforced.p;
    hr_status status = read_header(r, data, &enforced, count_boundaries);
    if (status == HR_OK) status = read_lines(r, &claimed);
    if (status == HR_OK) {
        status = recompute(&claimed, original, &enforced, count_boundaries, watch, &proved, r->err);
        if (status == HR_EDATA) (void)hr_fail_prefix(r->err, HR_EDATA, "%s", r->path);
    }
    out->claimed = hr_bound_ntil(claimed.loss, data);
    out->proved = hr_bound_ntil(proved, data);
    out->holds = claimed.loss <= proved;
    hr_bound_free(&claimed);
    return status;
}

/* Checks against the rows of the original in the order that the certificate was made with: that of
 * the input, or sorted if the algorithm's result does not depend on the order of rows. */
static hr_status check_ordered(certificate_reader *r, const hr_job *job, const hr_dataset *original,
                               const hr_requirements *asked, bool count_boundaries,
                               const hr_watch *watch, hr_proof *out) {
    bool same;
    HR_TRY(same_data(r, &original->data, &same));
    if (same) return check_table(r, original, asked, count_boundaries, watch, out);
    hr_shared_data given = {.dataset = *original}, sorted;
    HR_TRY(hr_shared_data_sort(job, &given, (const bool[2]){false, false}, watch, &sorted, r->err));
    hr_status status = check_table(r, &sorted.dataset, asked, count_boundaries, watch, out);
    hr_shared_data_free_sorted(&sorted);
    return status;
}

hr_status hr_certificate_check(const char *path, const hr_job *job, const hr_dataset *original,
                               const hr_requirements *asked, bool count_boundaries,
                               const hr_watch *watch, hr_proof *out, hr_error *err) {
    hr_table *table;
    *out = (hr_proof){0};
    HR_TRY(hr_table_load(path, &(hr_read_options){.delimiter = ',', .watch = watch}, &table, err));
    certificate_reader r = {.path = path,
                            .what = hr_table_find(table, "what"),
                            .value = hr_table_find(table, "value"),
                            .err = err};
    hr_status status =
        r.what && r.value
            ? check_ordered(&r, job, original, asked, count_boundaries, watch, out)
            : hr_fail(err, HR_EDATA, "%s is not a certificate: it lacks the columns what, value",
                      path);
    hr_table_free(table);
    return status;
}
