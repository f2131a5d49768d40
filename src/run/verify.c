/* verify.c - checks a masked table against the job, as a reader sees it: rows with equal published
 * texts form a class, and every class must satisfy every model. Given the original, each published
 * value must also cover the value it replaces and stay within its boundary (or be the mean of its
 * class, where means are published), and no other value may have changed. Every run verifies its
 * release before writing it, so the guarantee does not depend on the algorithm being right. */
#include "run/verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- columns ---- */

static hr_status find_column(const hr_verifier *c, const char *name, const hr_column **out) {
    *out = hr_table_find(c->request->masked, name);
    if (*out) return HR_OK;
    return hr_fail(c->err, HR_EDATA, "the masked file has no column '%s', which the job names",
                   name);
}

static const hr_sensitive *original_sensitive(const hr_verifier *c, const char *name) {
    const hr_dataset *original = c->request->original ? c->request->original : c->request->ranges;
    for (size_t l = 0; original && l < original->data.sensitive_count; l++)
        if (hr_same_name(original->data.sensitive[l].name, name))
            return &original->data.sensitive[l];
    return NULL;
}

/* Makes the text `suppressed_as` mean a missing sensitive value, too. */
static hr_status find_hidden(hr_verifier *c) {
    const char *also = c->request->suppressed_as;
    c->hidden = c->missing;
    if (!also) return HR_OK;
    c->hidden_texts = hr_alloc(c->missing.count + 1, sizeof *c->hidden_texts, c->err);
    if (!c->hidden_texts) return HR_ENOMEM;
    for (size_t i = 0; i < c->missing.count; i++)
        c->hidden_texts[i] = c->missing.texts[i];
    c->hidden_texts[c->hidden.count++] = also;
    c->hidden.texts = c->hidden_texts;
    return HR_OK;
}

/* Renumbers the sensitive values as in the original, which may have further values. */
static hr_status number_like(const hr_verifier *c, const hr_sensitive *original,
                             hr_sensitive *sensitive) {
    const hr_dictionary *texts = &sensitive->column->dictionary;
    for (uint32_t code = 0; code < texts->count; code++) {
        uint32_t same = hr_dictionary_match(&original->column->dictionary, texts, code);
        if (sensitive->value_of_code[code] != HR_NONE && !original->binned)
            sensitive->value_of_code[code] =
                same == HR_NONE ? HR_NONE : original->value_of_code[same];
    }
    sensitive->own = original->own;
    sensitive->referred = original->referred;
    sensitive->distance = original->distance;
    sensitive->height = original->height;
    sensitive->value_count = original->value_count;
    if (!original->join) return HR_OK;
    sensitive->join = hr_alloc_raw(original->value_count, sizeof *sensitive->join, c->err);
    if (!sensitive->join) return HR_ENOMEM;
    memcpy(sensitive->join, original->join, original->value_count * sizeof *sensitive->join);
    return HR_OK;
}

/* Binds the requirements of a sensitive attribute. A hierarchy that is built from values is built
 * from those of the original, if it is known. */
static hr_status bind_demand(const hr_verifier *c, const hr_attribute *attribute,
                             hr_sensitive *sensitive) {
    const hr_dataset *original = c->request->original;
    const hr_column *column = original ? hr_table_find(original->table, attribute->name) : NULL;
    hr_requirements asked = hr_attribute_asked(c->request->job, attribute);
    if (original && asked.t > 0 && asked.t < 1 && asked.t_reference == HR_REFERENCE_INPUT)
        return number_like(c, original_sensitive(c, attribute->name), sensitive);
    return hr_attribute_demand(c->request->job, attribute, column ? column : sensitive->column,
                               &c->hidden, c->request->watch, sensitive, c->err);
}

static hr_status find_columns(hr_verifier *c) {
    const hr_job *job = c->request->job;
    c->quasi = hr_alloc(job->attribute_count, sizeof *c->quasi, c->err);
    c->sensitive = hr_alloc(job->attribute_count, sizeof *c->sensitive, c->err);
    if (!c->quasi || !c->sensitive) return HR_ENOMEM;
    HR_TRY(find_hidden(c));
    for (size_t i = 0; i < job->attribute_count; i++) {
        const hr_attribute *attribute = &job->attributes[i];
        const hr_column *column;
        if (attribute->role == HR_ROLE_QUASI) {
            HR_TRY(find_column(c, attribute->name, &c->quasi[c->quasi_count]));
            c->quasi_count++;
        } else if (attribute->role == HR_ROLE_SENSITIVE) {
            const hr_sensitive given = {.edges = attribute->edges};
            HR_TRY(find_column(c, attribute->name, &column));
            hr_sensitive *sensitive = &c->sensitive[c->sensitive_count++];
            sensitive->point = hr_format_point(&job->format, column);
            HR_TRY(hr_sensitive_bind(
                sensitive, column, &c->hidden, attribute->bins,
                attribute->edges ? &given : original_sensitive(c, attribute->name), c->err));
            HR_TRY(bind_demand(c, attribute, sensitive));
        } else if (attribute->role == HR_ROLE_KEEP) {
            HR_TRY(find_column(c, attribute->name, &column));
        }
    }
    return HR_OK;
}

/* ---- classes and models ---- */

/* Other tools keep suppressed rows, as `*,*,*`. Removes these rows from the classes. */
static void leave_out(const hr_verifier *c, hr_groups *classes) {
    const char *text = c->request->suppressed_as;
    for (size_t row = 0; text && row < classes->rows; row++) {
        size_t j = 0;
        while (j < c->quasi_count && !strcmp(hr_column_text(c->quasi[j], row), text))
            j++;
        if (j < c->quasi_count) continue;
        classes->of_row[row] = HR_NONE;
        c->verdict->left_out++;
    }
}

/* Sets the distribution that t refers to, if it is that of the input, from the original. Without an
 * original t is not judged. */
static void refer_to_input(const hr_verifier *c) {
    hr_facts *facts = &c->verdict->facts;
    hr_reference *reference = facts->reference;
    if (!c->request->original) {
        hr_reference_free(reference);
        facts->reference = NULL;
        c->verdict->unreferred = true;
        return;
    }
    memset(reference->input, 0, reference->start[c->sensitive_count] * sizeof *reference->input);
    for (size_t l = 0; l < c->sensitive_count; l++) {
        const hr_sensitive *original = original_sensitive(c, c->sensitive[l].name);
        for (size_t row = 0; original->referred && row < original->column->rows; row++) {
            uint32_t value = hr_sensitive_value(original, row);
            if (value != HR_NONE) reference->input[reference->start[l] + value]++;
        }
    }
    hr_reference_use_input(reference);
}

static hr_status form_classes(hr_verifier *c) {
    hr_verdict *v = c->verdict;
    HR_TRY(hr_groups_start(&v->classes, c->request->masked->rows, c->err));
    leave_out(c, &v->classes);
    for (size_t j = 0; j < c->quasi_count; j++)
        HR_TRY(
            hr_groups_split(&v->classes, c->quasi[j], NULL, c->quasi[j]->dictionary.count, c->err));
    v->rows = c->request->masked->rows - v->left_out;
    HR_TRY(hr_facts_of(&v->classes, c->sensitive, c->sensitive_count, &v->facts, c->err));
    if (v->facts.reference && c->request->job->asked.t_reference == HR_REFERENCE_INPUT)
        refer_to_input(c);
    return HR_OK;
}

/* What each model achieves in each sensitive attribute. */
static hr_status judge_attributes(hr_verifier *c) {
    hr_verdict *v = c->verdict;
    const hr_requirements *asked = &c->request->job->asked;
    size_t r = c->sensitive_count;
    v->achieved_in = hr_alloc(HR_MODELS_MAX * r, sizeof *v->achieved_in, c->err);
    v->worst_in = hr_alloc(HR_MODELS_MAX * r, sizeof *v->worst_in, c->err);
    if (!v->achieved_in || !v->worst_in) return HR_ENOMEM;
    for (size_t i = 0; hr_models[i]; i++)
        for (size_t l = 0; l < r; l++) {
            bool shown = hr_models[i]->needs && (hr_models[i]->always_shown ||
                                                 hr_model_asks(hr_models[i], &v->facts, l, asked));
            v->achieved_in[i * r + l] = NAN;
            v->worst_in[i * r + l] = HR_NONE;
            if (shown)
                v->achieved_in[i * r + l] = hr_model_achieved_in(hr_models[i], &v->facts, l, asked,
                                                                 &v->worst_in[i * r + l]);
        }
    return HR_OK;
}

static hr_status judge_classes(hr_verifier *c) {
    hr_verdict *v = c->verdict;
    const hr_requirements *asked = &c->request->job->asked;
    if (asked->unit) HR_TRY(hr_verify_units(c));
    v->poor_classes = hr_alloc(c->sensitive_count, sizeof *v->poor_classes, c->err);
    if (!v->poor_classes) return HR_ENOMEM;
    v->holds = v->facts.count > 0;
    for (uint32_t g = 0; g < v->facts.count; g++) {
        hr_known class = hr_facts_group(&v->facts, g);
        for (size_t i = 0; hr_models[i]; i++)
            v->failing[i] += hr_model_in_play(hr_models[i], asked) &&
                             !hr_model_holds(hr_models[i], &class, asked);
        if (hr_facts_people(&v->facts, g) < asked->k) {
            v->small_classes++;
            v->small_rows += v->facts.size[g];
        }
        for (size_t l = 0; asked->p > 1 && l < c->sensitive_count; l++)
            v->poor_classes[l] += v->facts.distinct[g * c->sensitive_count + l] < asked->p;
    }
    for (size_t i = 0; hr_models[i]; i++) {
        v->holds = v->holds && v->failing[i] == 0;
        v->achieved[i] = hr_model_achieved(hr_models[i], &v->facts, asked);
    }
    return judge_attributes(c);
}

/* ---- against the original ---- */

static uint32_t original_row(const hr_verifier *c, size_t row) {
    return c->row ? c->row[row] : (uint32_t)row;
}

/* The verdict on one published text for one original value, computed once for each pair. */
enum { COVERS = 1, VIOLATES = 2, FINER = 4, UNREAD = 8 };

/* Is the published value more precise than allowed: does it cover the leaf of the original, but not
 * the finest node that may be published for it? */
static bool is_finer(const hr_quasi *quasi, const hr_published_value *published,
                     uint32_t original) {
    if (!quasi->finest) return false;
    const char *text = hr_dictionary_text(&quasi->column->dictionary, original);
    uint32_t leaf = hr_hierarchy_find(quasi->tree, text);
    return leaf != HR_NONE && hr_published_covers(quasi, published, leaf);
}

static unsigned judge_pair(const hr_quasi *quasi, const hr_published_value *published,
                           uint32_t original) {
    uint32_t value = quasi->value_of_code[original];
    if (published->kind == HR_PUBLISHED_UNKNOWN) return UNREAD;
    if (value == HR_NONE) return 0; /* a dropped row must not be released */
    unsigned result = hr_published_violates(quasi, published, value) ? VIOLATES : 0;
    if (hr_published_covers(quasi, published, value)) return result | COVERS;
    return result | (is_finer(quasi, published, original) ? COVERS | FINER : 0);
}

typedef struct {
    hr_published_value *published; /* per code of the masked column */
    hr_map64 pairs;                /* (masked code, original code) */
    unsigned char *result;         /* per pair */
    size_t capacity;
} pair_cache;

static hr_status judged(const hr_verifier *c, pair_cache *memory, const hr_quasi *quasi,
                        uint32_t masked, uint32_t original, unsigned *out) {
    uint32_t known = memory->pairs.count, pair;
    HR_TRY(hr_map64_intern(&memory->pairs, (uint64_t)masked << 32 | original, &pair, c->err));
    if (pair == known) {
        HR_TRY(hr_grow(&memory->result, &memory->capacity, (size_t)pair + 1, 1, c->err));
        memory->result[pair] =
            (unsigned char)judge_pair(quasi, &memory->published[masked], original);
    }
    *out = memory->result[pair];
    return HR_OK;
}

static hr_status compare_rows(const hr_verifier *c, size_t j, pair_cache *memory) {
    hr_verdict *v = c->verdict;
    const hr_quasi *quasi = &c->request->original->data.quasi[j];
    for (size_t row = 0; row < v->classes.rows; row++) {
        if (v->classes.of_row[row] == HR_NONE) continue;
        unsigned result;
        HR_TRY(judged(c, memory, quasi, hr_column_code(c->quasi[j], row),
                      hr_column_code(quasi->column, original_row(c, row)), &result));
        if (result & VIOLATES) v->violations_by[j]++;
        if (result & FINER) v->too_fine_by[j]++;
        if (result & COVERS) continue;
        if (c->bad_row) c->bad_row[row] = true;
        v->uncovered_by[j]++;
        if (result & UNREAD && v->unknown_by[j]++ == 0) v->first_unknown_by[j] = row + 1;
        if (v->first_uncovered == 0 || row + 1 < v->first_uncovered) v->first_uncovered = row + 1;
    }
    v->violations += v->violations_by[j];
    v->too_fine += v->too_fine_by[j];
    v->uncovered += v->uncovered_by[j];
    return HR_OK;
}

static hr_status compare_quasi(const hr_verifier *c, size_t j) {
    const hr_quasi *quasi = &c->request->original->data.quasi[j];
    const hr_dictionary *texts = &c->quasi[j]->dictionary;
    pair_cache memory = {.published = hr_alloc(texts->count, sizeof *memory.published, c->err)};
    if (!memory.published) return HR_ENOMEM;
    for (uint32_t code = 0; code < texts->count; code++)
        memory.published[code] = hr_published_parse(quasi, hr_dictionary_text(texts, code));
    hr_status status = compare_rows(c, j, &memory);
    free(memory.published);
    free(memory.result);
    hr_map64_free(&memory.pairs);
    return status;
}

/* Counts the means that lie outside of the cell of their number. */
static hr_status count_outside(const hr_verifier *c, size_t j) {
    const hr_quasi *quasi = &c->request->original->data.quasi[j];
    const hr_dictionary *texts = &c->quasi[j]->dictionary;
    double *means = hr_alloc(texts->count, sizeof *means, c->err);
    if (!means) return HR_ENOMEM;
    for (uint32_t code = 0; code < texts->count; code++)
        if (!hr_parse_double(hr_dictionary_text(texts, code), &means[code])) means[code] = NAN;
    for (size_t row = 0; row < c->verdict->classes.rows; row++) {
        uint32_t value = hr_quasi_value(quasi, original_row(c, row));
        if (c->verdict->classes.of_row[row] == HR_NONE || value == HR_NONE) continue;
        c->verdict->violations_by[j] +=
            hr_mean_leaves_cell(quasi, means[hr_column_code(c->quasi[j], row)], value);
    }
    free(means);
    c->verdict->violations += c->verdict->violations_by[j];
    return HR_OK;
}

/* A class mean need not cover its values: it is recomputed instead. */
static hr_status compare_means(const hr_verifier *c, size_t j) {
    hr_verdict *v = c->verdict;
    bool *bad = hr_alloc(v->classes.rows, sizeof *bad, c->err);
    if (!bad) return HR_ENOMEM;
    hr_status status = hr_verify_means(&c->request->original->data.quasi[j], c->quasi[j],
                                       &v->classes, c->row, bad, c->err);
    for (size_t row = 0; status == HR_OK && row < v->classes.rows; row++) {
        if (!bad[row]) continue;
        if (c->bad_row) c->bad_row[row] = true;
        v->uncovered_by[j]++;
        if (v->first_uncovered == 0 || row + 1 < v->first_uncovered) v->first_uncovered = row + 1;
    }
    v->uncovered += v->uncovered_by[j];
    free(bad);
    if (status == HR_OK && c->request->original->data.quasi[j].bounded) return count_outside(c, j);
    return status;
}

/* Counts differences in a column that must be released unchanged. */
static hr_status compare_untouched(const hr_verifier *c, const hr_column *masked,
                                   const hr_column *original) {
    uint32_t *code = hr_alloc_raw(masked->dictionary.count, sizeof *code, c->err);
    if (!code) return HR_ENOMEM;
    for (uint32_t i = 0; i < masked->dictionary.count; i++)
        code[i] = hr_dictionary_match(&original->dictionary, &masked->dictionary, i);
    for (size_t row = 0; row < masked->rows; row++) {
        if (c->verdict->classes.of_row[row] == HR_NONE) continue;
        if (code[hr_column_code(masked, row)] == hr_column_code(original, original_row(c, row)))
            continue;
        c->verdict->changed++;
        if (c->bad_row) c->bad_row[row] = true;
    }
    free(code);
    return HR_OK;
}

static hr_status compare_others(const hr_verifier *c) {
    const hr_job *job = c->request->job;
    for (size_t i = 0; i < job->attribute_count; i++) {
        hr_role role = job->attributes[i].role;
        if (role != HR_ROLE_SENSITIVE && role != HR_ROLE_KEEP) continue;
        if (hr_attribute_recodes(&job->attributes[i])) continue;
        const hr_column *masked = hr_table_find(c->request->masked, job->attributes[i].name);
        const hr_column *original =
            hr_table_find(c->request->original->table, job->attributes[i].name);
        if (masked && original) HR_TRY(compare_untouched(c, masked, original));
    }
    return HR_OK;
}

/* ---- the whole ---- */

static hr_status compare_all(const hr_verifier *c) {
    const hr_verify_request *request = c->request;
    hr_verdict *v = c->verdict;
    if (!c->row && request->masked->rows != request->original->table->rows)
        return hr_fail(
            c->err, HR_EINVAL,
            "the masked file has %zu row%s and the original %zu: rows can only be paired "
            "by position when there are equally many; give --trace",
            request->masked->rows, request->masked->rows == 1 ? "" : "s",
            request->original->table->rows);
    v->compared = true;
    v->violations_by = hr_alloc(c->quasi_count, sizeof *v->violations_by, c->err);
    v->uncovered_by = hr_alloc(c->quasi_count, sizeof *v->uncovered_by, c->err);
    if (!v->violations_by || !v->uncovered_by) return HR_ENOMEM;
    for (size_t j = 0; j < c->quasi_count; j++) {
        bool mean = request->means && !request->original->data.quasi[j].tree;
        HR_TRY(mean ? compare_means(c, j) : compare_quasi(c, j));
    }
    HR_TRY(compare_others(c));
    if (v->uncovered || v->too_fine || v->changed || (request->enforce_boundaries && v->violations))
        v->holds = false;
    return HR_OK;
}

/* Recognizes a trace of another release, which pairs rows at random: its classes differ, and most
 * pairs do not fit. A release that was edited shows only one of the two. */
static hr_status check_pairs(const hr_verifier *c) {
    hr_verdict *v = c->verdict;
    uint64_t bad = 0;
    bool differs;
    for (size_t row = 0; row < v->classes.rows; row++)
        bad += c->bad_row[row];
    if (bad * 2 <= v->rows) return HR_OK;
    HR_TRY(hr_trace_compare(c->request->trace, &v->classes, &v->facts, &differs, c->err));
    if (differs) v->foreign = "its classes are not those of the masked file";
    return HR_OK;
}

/* Clears the findings of a comparison of rows that do not belong together. */
static void forget_pairs(hr_verifier *c) {
    hr_verdict *v = c->verdict;
    v->compared = v->holds = false;
    v->violations = v->uncovered = v->changed = v->too_fine = v->first_uncovered = 0;
    memset(v->too_fine_by, 0, c->quasi_count * sizeof *v->too_fine_by);
    memset(v->unknown_by, 0, c->quasi_count * sizeof *v->unknown_by);
}

static hr_status compare(hr_verifier *c) {
    const hr_verify_request *request = c->request;
    hr_verdict *v = c->verdict;
    v->too_fine_by = hr_alloc(c->quasi_count, sizeof *v->too_fine_by, c->err);
    v->unknown_by = hr_alloc(c->quasi_count, sizeof *v->unknown_by, c->err);
    v->first_unknown_by = hr_alloc(c->quasi_count, sizeof *v->first_unknown_by, c->err);
    if (!v->too_fine_by || !v->unknown_by || !v->first_unknown_by) return HR_ENOMEM;
    if (!request->original) {
        HR_TRY(hr_verify_recoded(c, false));
        return hr_verify_alone(c);
    }
    c->row = request->trace ? request->trace->row : request->row;
    if (request->trace) {
        c->bad_row = hr_alloc(v->classes.rows, sizeof *c->bad_row, c->err);
        if (!c->bad_row) return HR_ENOMEM;
        v->foreign = request->trace->foreign;
    }
    if (!v->foreign) HR_TRY(compare_all(c));
    if (!v->foreign && request->trace) HR_TRY(check_pairs(c));
    HR_TRY(hr_verify_recoded(c, !v->foreign));
    if (!v->foreign) return HR_OK;
    forget_pairs(c);
    return hr_verify_alone(c);
}

hr_status hr_verify(const hr_verify_request *request, hr_verdict *out, hr_error *err) {
    *out = (hr_verdict){0};
    hr_verifier c = {.request = request, .verdict = out, .err = err};
    c.missing = hr_job_missing(request->job);
    hr_status (*const steps[])(hr_verifier *) = {find_columns,   form_classes, judge_classes,
                                                 hr_verify_keys, compare,      hr_verify_cautions};
    hr_status status = HR_OK;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && status == HR_OK; i++) {
        status = steps[i](&c);
        if (status == HR_OK) status = hr_watch_check(request->watch, err);
    }
    free(c.quasi);
    free(c.hidden_texts);
    free(c.bad_row);
    for (size_t l = 0; l < c.sensitive_count; l++) {
        free(c.sensitive[l].value_of_code);
        free(c.sensitive[l].join);
    }
    free(c.sensitive);
    out->facts.sensitive = NULL; /* they were the verifier's */
    if (status != HR_OK) hr_verdict_free(out);
    return status;
}

void hr_verdict_free(hr_verdict *verdict) {
    hr_groups_free(&verdict->classes);
    hr_facts_free(&verdict->facts);
    hr_arena_free(&verdict->arena);
    free(verdict->poor_classes);
    free(verdict->achieved_in);
    free(verdict->worst_in);
    free(verdict->violations_by);
    free(verdict->uncovered_by);
    free(verdict->too_fine_by);
    free(verdict->unknown_by);
    free(verdict->first_unknown_by);
    free(verdict->unrecoded_by);
    free(verdict->first_unrecoded_by);
    free(verdict->past_by);
    free(verdict->unjudged_by);
    hr_text_free(&verdict->hidden_words);
    hr_text_free(&verdict->cautions);
    *verdict = (hr_verdict){0};
}
