/* cautions.c - what the owner of the data may have overlooked: columns that identify a person
 * whatever k is, many suppressed rows, models that a column has too few values for, texts that mean
 * "suppressed", values that differ only in blanks or capitals. A caution is one line that contains
 * no value of any row. */
#include "run/verify.h"

#include <stdlib.h>
#include <string.h>

/* ---- columns that are nearly unique ---- */

/* A column is nearly unique if half of its rows have a value of their own, and there are at least
 * this many such rows. */
enum { SINGLE_LEAST = 10 };

static hr_status count_single(const hr_column *column, const uint32_t *of_row, uint64_t *single,
                              uint64_t *rows, hr_error *err) {
    uint32_t *count = hr_alloc(column->dictionary.count, sizeof *count, err);
    if (!count) return HR_ENOMEM;
    *single = *rows = 0;
    for (size_t row = 0; row < column->rows; row++) {
        if (of_row && of_row[row] == HR_NONE) continue;
        count[hr_column_code(column, row)]++;
        ++*rows;
    }
    for (uint32_t code = 0; code < column->dictionary.count; code++)
        *single += count[code] == 1;
    free(count);
    return HR_OK;
}

hr_status hr_caution_unique(const hr_attribute *attribute, const hr_column *column,
                            const uint32_t *of_row, hr_text *out, hr_error *err) {
    uint64_t single, rows;
    HR_TRY(count_single(column, of_row, &single, &rows, err));
    if (single < SINGLE_LEAST || 2 * single < rows) return HR_OK;
    bool kept = attribute->role == HR_ROLE_KEEP;
    hr_text_printf(out,
                   "%s column '%s' is nearly unique: %.3g %% of the rows have a value that no "
                   "other row has. Whoever knows it finds the row, whatever k is: %s",
                   kept ? "kept" : "sensitive", attribute->name,
                   100 * (double)single / (double)rows,
                   kept ? "drop it, or make it a quasi-identifier" : "publish it less precisely");
    return HR_OK;
}

/* ---- models that cannot hold ---- */

void hr_caution_rows(uint64_t rows, int64_t k, hr_text *out) {
    if (rows >= (uint64_t)k) return;
    hr_text_puts(out, "the file has ");
    hr_number_text((double)rows, 0, out);
    hr_text_printf(out, " row%s: k = %lld cannot hold", rows == 1 ? "" : "s", (long long)k);
}

const hr_option *hr_caution_values(const hr_sensitive *sensitive, const hr_requirements *asked,
                                   hr_text *out) {
    hr_requirements own = hr_asked_of(asked, sensitive);
    uint32_t values = hr_sensitive_present(sensitive);
    for (size_t i = 0; hr_models[i]; i++) {
        const hr_model *model = hr_models[i];
        if (!model->least_values || !model->in_play(&own) || values >= model->least_values(&own))
            continue;
        const hr_option *option = &model->options[model->values_option];
        hr_text_printf(out, "'%s' has only %u value%s: %s = ", sensitive->name, values,
                       values == 1 ? "" : "s", option->name);
        hr_option_print(option, &own, out);
        hr_text_puts(out, " cannot hold");
        return option;
    }
    return NULL;
}

hr_status hr_note_impossible(const hr_dataset *dataset, const hr_requirements *asked,
                             const hr_watch *watch, hr_error *err) {
    const hr_microdata *data = &dataset->data;
    bool failed = false;
    for (size_t i = 0; i <= data->sensitive_count && !failed; i++) {
        hr_text line = {0};
        if (i == 0)
            hr_caution_rows(data->rows, asked->k, &line);
        else
            hr_caution_values(&data->sensitive[i - 1], asked, &line);
        failed = line.failed;
        if (line.data && !failed) hr_notice(watch, "%s", line.data);
        hr_text_free(&line);
    }
    return failed ? hr_fail(err, HR_ENOMEM, "out of memory") : HR_OK;
}

/* ---- suppressed rows ---- */

/* Share of suppressed rows above which a caution is given. */
static const double SUPPRESSED_SHARE = 0.1;

bool hr_caution_suppressed(uint64_t suppressed, uint64_t rows, hr_text *out) {
    if (rows == 0 || (double)suppressed / (double)rows <= SUPPRESSED_SHARE) return false;
    hr_number_text((double)suppressed, 0, out);
    hr_text_puts(out, " of ");
    hr_number_text((double)rows, 0, out);
    hr_text_printf(out, " rows %s suppressed (%.3g %%), so results from the release may be biased",
                   suppressed == 1 ? "is" : "are", 100 * (double)suppressed / (double)rows);
    return true;
}

/* ---- texts that stand for no value ---- */

static void add_word(hr_text *words, const char *word) {
    hr_text quoted = {0};
    hr_text_printf(&quoted, "'%s'", word);
    words->failed |= quoted.failed;
    if (!quoted.failed && !(words->data && strstr(words->data, quoted.data)))
        hr_text_printf(words, "%s%s", words->data ? ", " : "", quoted.data);
    hr_text_free(&quoted);
}

/* Counts rows of a sensitive column whose text stands for no value (hr_suppressed_word, or `also`)
 * and appends the words to `words`: "'*', 'NA'". */
static uint64_t hidden_values(const hr_column *column, const hr_missing *missing,
                              const uint32_t *of_row, const char *also, hr_text *words) {
    const hr_dictionary *texts = &column->dictionary;
    uint64_t found = 0;
    for (uint32_t code = 0; code < texts->count; code++) {
        const char *text = hr_dictionary_text(texts, code);
        const char *word = hr_suppressed_word(text);
        if (also && !strcmp(text, also)) word = also;
        if (!word || hr_is_missing(missing, texts, code)) continue;
        uint64_t rows = 0;
        for (size_t row = 0; row < column->rows; row++)
            rows += hr_column_code(column, row) == code && !(of_row && of_row[row] == HR_NONE);
        if (rows) add_word(words, word);
        found += rows;
    }
    return found;
}

hr_status hr_note_hidden(const hr_dataset *dataset, const hr_watch *watch, hr_error *err) {
    for (size_t l = 0; l < dataset->data.sensitive_count; l++) {
        const hr_sensitive *sensitive = &dataset->data.sensitive[l];
        hr_text words = {0};
        uint64_t rows = hidden_values(sensitive->column, &dataset->missing, NULL, NULL, &words);
        bool failed = words.failed;
        if (rows && !failed)
            hr_notice(watch,
                      "column '%s': %s in %llu row%s %s for no value and %s not count towards p",
                      sensitive->name, words.data, (unsigned long long)rows, rows == 1 ? "" : "s",
                      rows == 1 ? "stands" : "stand", rows == 1 ? "does" : "do");
        hr_text_free(&words);
        if (failed) return hr_fail(err, HR_ENOMEM, "out of memory");
    }
    return HR_OK;
}

/* ---- values that differ only in blanks or capitals ---- */

/* Length of the blank at the text, which may be a no-break space, or 0. */
static size_t blank_at(const char *c) {
    return *c == ' ' || *c == '\t' ? 1 : c[0] == '\xc2' && c[1] == '\xa0' ? 2 : 0;
}

/* Appends the text in small letters (of ASCII and Latin-1), without blanks around it and with one
 * space for several. */
static void fold(const char *text, hr_text *out) {
    while (*text) {
        size_t blank = blank_at(text);
        unsigned char c = (unsigned char)*text;
        if (blank) {
            text += blank;
            if (out->length && *text && !blank_at(text)) hr_text_puts(out, " ");
            continue;
        }
        bool capital = c >= 'A' && c <= 'Z';
        hr_text_add(out, &(char){(char)(capital ? c + 32 : c)}, 1);
        text++;
        unsigned char next = (unsigned char)*text; /* U+00C0 to U+00DE, but not the sign of times */
        if (c != 0xc3 || next < 0x80 || next > 0x9e || next == 0x97) continue;
        hr_text_add(out, &(char){(char)(next + 32)}, 1);
        text++;
    }
}

/* Counts the values of `used` codes that are equal to an earlier one once folded. */
static hr_status count_alike(const hr_sensitive *sensitive, const bool *used, uint64_t *alike,
                             hr_error *err) {
    const hr_dictionary *texts = &sensitive->column->dictionary;
    hr_map64 map = {0};
    hr_text folded = {0};
    hr_status status = HR_OK;
    *alike = 0;
    for (uint32_t code = 0; code < texts->count && status == HR_OK; code++) {
        uint32_t known = map.count, at;
        if (!used[code] || sensitive->value_of_code[code] == HR_NONE) continue;
        folded.length = 0;
        fold(hr_dictionary_text(texts, code), &folded);
        status = folded.failed
                     ? hr_fail(err, HR_ENOMEM, "out of memory")
                     : hr_map64_intern(&map, hr_hash(folded.data, folded.length), &at, err);
        *alike += status == HR_OK && at < known;
    }
    hr_map64_free(&map);
    hr_text_free(&folded);
    return status;
}

hr_status hr_caution_alike(const hr_sensitive *sensitive, const uint32_t *of_row, hr_text *out,
                           hr_error *err) {
    const hr_column *column = sensitive->column;
    if (sensitive->binned) return HR_OK;
    bool *used = hr_alloc(column->dictionary.count, sizeof *used, err);
    if (!used) return HR_ENOMEM;
    for (size_t row = 0; row < column->rows; row++)
        if (!of_row || of_row[row] != HR_NONE) used[hr_column_code(column, row)] = true;
    uint64_t alike;
    hr_status status = count_alike(sensitive, used, &alike, err);
    free(used);
    if (status != HR_OK || !alike) return status;
    bool one = alike == 1;
    hr_text_printf(out,
                   "'%s' has %llu value%s that differ%s from another only in blanks or capitals: "
                   "%s as %s of %s own, for p too; make %s equal",
                   sensitive->name, (unsigned long long)alike, one ? "" : "s", one ? "s" : "",
                   one ? "it counts" : "they count", one ? "a value" : "values",
                   one ? "its" : "their", one ? "the two" : "them");
    return HR_OK;
}

hr_status hr_note_alike(const hr_dataset *dataset, const hr_watch *watch, hr_error *err) {
    for (size_t l = 0; l < dataset->data.sensitive_count; l++) {
        hr_text line = {0};
        hr_status status = hr_caution_alike(&dataset->data.sensitive[l], NULL, &line, err);
        if (status == HR_OK && line.failed) status = hr_fail(err, HR_ENOMEM, "out of memory");
        if (status == HR_OK && line.data) hr_notice(watch, "%s", line.data);
        hr_text_free(&line);
        HR_TRY(status);
    }
    return HR_OK;
}

/* ---- all cautions about a masked file ---- */

/* Ends a caution, if there is one. */
static void end_line(hr_text *lines, size_t before) {
    if (lines->length > before) hr_text_puts(lines, "\n");
}

hr_status hr_verify_cautions(hr_verifier *c) {
    const hr_job *job = c->request->job;
    hr_verdict *v = c->verdict;
    hr_text *lines = &v->cautions;
    if (!c->request->cautious || v->facts.count == 0) return HR_OK;
    hr_caution_rows(v->rows, job->asked.k, lines);
    end_line(lines, 0);
    for (size_t l = 0; l < c->sensitive_count; l++) {
        size_t before = lines->length;
        hr_caution_values(&c->sensitive[l], &job->asked, lines);
        end_line(lines, before);
        before = lines->length;
        if (job->asked.p > 1 || hr_models_beyond_kp(&job->asked))
            HR_TRY(hr_caution_alike(&c->sensitive[l], v->classes.of_row, lines, c->err));
        end_line(lines, before);
        v->hidden += hidden_values(c->sensitive[l].column, &c->missing, v->classes.of_row,
                                   c->request->suppressed_as, &v->hidden_words);
    }
    for (size_t i = 0; i < job->attribute_count; i++) {
        const hr_attribute *a = &job->attributes[i];
        size_t before = lines->length;
        if (a->role != HR_ROLE_SENSITIVE && a->role != HR_ROLE_KEEP) continue;
        HR_TRY(hr_caution_unique(a, hr_table_find(c->request->masked, a->name), v->classes.of_row,
                                 lines, c->err));
        end_line(lines, before);
    }
    if (lines->failed || v->hidden_words.failed) return hr_fail(c->err, HR_ENOMEM, "out of memory");
    return HR_OK;
}
