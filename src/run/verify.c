/* verify.c - checks a masked table against the job, as a reader sees it: rows with equal published
 * texts form a class, and every class must satisfy every model. Given the original, each published
 * value must also cover the value it replaces and stay within its boundary (or be the mean of its
 * class, where means are published), and no other value may have changed. Every run verifies its
 * release before writing it, so the guarantee does not depend on the algorithm being right. */
#include "run/verify.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const hr_verify_request *request;
    hr_verdict *verdict;
    hr_missing missing;
    const hr_column **quasi; /* masked columns, in the job's order */
    size_t quasi_count;
    hr_sensitive *sensitive;
    size_t sensitive_count;
    hr_error *err;
} verifier;

/* ---- columns ---- */

static hr_status find_column(const verifier *c, const char *name, const hr_column **out) {
    *out = hr_table_find(c->request->masked, name);
    if (*out) return HR_OK;
    return hr_fail(c->err, HR_EDATA, "the masked file has no column '%s', which the job names",
                   name);
}

static const hr_sensitive *original_sensitive(const verifier *c, const char *name) {
    const hr_dataset *original = c->request->original ? c->request->original : c->request->ranges;
    for (size_t l = 0; original && l < original->data.sensitive_count; l++)
        if (!strcmp(original->data.sensitive[l].name, name)) return &original->data.sensitive[l];
    return NULL;
}

static hr_status find_columns(verifier *c) {
    const hr_job *job = c->request->job;
    c->quasi = hr_alloc(job->attribute_count, sizeof *c->quasi, c->err);
    c->sensitive = hr_alloc(job->attribute_count, sizeof *c->sensitive, c->err);
    if (!c->quasi || !c->sensitive) return HR_ENOMEM;
    for (size_t i = 0; i < job->attribute_count; i++) {
        const hr_attribute *attribute = &job->attributes[i];
        const hr_column *column;
        if (attribute->role == HR_ROLE_QUASI) {
            HR_TRY(find_column(c, attribute->name, &c->quasi[c->quasi_count]));
            c->quasi_count++;
        } else if (attribute->role == HR_ROLE_SENSITIVE) {
            HR_TRY(find_column(c, attribute->name, &column));
            HR_TRY(hr_sensitive_bind(&c->sensitive[c->sensitive_count++], column, &c->missing,
                                     attribute->bins, original_sensitive(c, attribute->name),
                                     c->err));
        } else if (attribute->role == HR_ROLE_KEEP) {
            HR_TRY(find_column(c, attribute->name, &column));
        }
    }
    return HR_OK;
}

/* ---- classes and models ---- */

/* Other tools keep suppressed rows, as `*,*,*`. Removes these rows from the classes. */
static void leave_out(const verifier *c, hr_groups *classes) {
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

static hr_status form_classes(const verifier *c) {
    hr_verdict *v = c->verdict;
    HR_TRY(hr_groups_start(&v->classes, c->request->masked->rows, c->err));
    leave_out(c, &v->classes);
    for (size_t j = 0; j < c->quasi_count; j++)
        HR_TRY(
            hr_groups_split(&v->classes, c->quasi[j], NULL, c->quasi[j]->dictionary.count, c->err));
    v->rows = c->request->masked->rows - v->left_out;
    return hr_facts_of(&v->classes, c->sensitive, c->sensitive_count, &v->facts, c->err);
}

static hr_status judge_classes(const verifier *c) {
    hr_verdict *v = c->verdict;
    const hr_requirements *asked = &c->request->job->asked;
    v->poor_classes = hr_alloc(c->sensitive_count, sizeof *v->poor_classes, c->err);
    if (!v->poor_classes) return HR_ENOMEM;
    v->holds = v->facts.count > 0;
    for (uint32_t g = 0; g < v->facts.count; g++) {
        hr_known class = hr_facts_group(&v->facts, g);
        for (size_t i = 0; hr_models[i]; i++)
            v->failing[i] +=
                hr_model_in_play(hr_models[i], asked) && !hr_models[i]->holds(&class, asked);
        if (v->facts.size[g] < asked->k) {
            v->small_classes++;
            v->small_rows += v->facts.size[g];
        }
        for (size_t l = 0; asked->p > 1 && l < c->sensitive_count; l++)
            v->poor_classes[l] += v->facts.distinct[g * c->sensitive_count + l] < asked->p;
    }
    for (size_t i = 0; hr_models[i]; i++) {
        v->holds = v->holds && v->failing[i] == 0;
        v->achieved[i] = hr_model_achieved(hr_models[i], &v->facts);
    }
    return HR_OK;
}

/* ---- without the original: can the values be read at all? ---- */

/* How a published text is judged by itself. */
enum { UNKNOWN = 1, TOO_FINE = 2 };

static unsigned char judge_text(const verifier *c, const hr_quasi *quasi, const bool *allowed,
                                const char *text) {
    double number;
    if (c->request->means && !quasi->tree) /* a mean must be a number */
        return hr_parse_double(text, &number) ? 0 : UNKNOWN;
    hr_published_value published = hr_published_parse(quasi, text);
    if (published.kind == HR_PUBLISHED_UNKNOWN) return UNKNOWN;
    return allowed && hr_published_too_fine(quasi, &published, allowed) ? TOO_FINE : 0;
}

static hr_status count_texts(const verifier *c, size_t j, const hr_quasi *quasi,
                             const bool *allowed) {
    hr_verdict *v = c->verdict;
    const hr_column *column = c->quasi[j];
    unsigned char *found = hr_alloc(column->dictionary.count, sizeof *found, c->err);
    if (!found) return HR_ENOMEM;
    for (uint32_t code = 0; code < column->dictionary.count; code++)
        found[code] = judge_text(c, quasi, allowed, hr_dictionary_text(&column->dictionary, code));
    for (size_t row = 0; row < column->rows; row++) {
        if (v->classes.of_row[row] == HR_NONE) continue;
        unsigned char own = found[hr_column_code(column, row)];
        if (own & TOO_FINE) v->too_fine_by[j]++;
        if (own & UNKNOWN && v->unknown_by[j]++ == 0) v->first_unknown_by[j] = row + 1;
    }
    free(found);
    v->too_fine += v->too_fine_by[j];
    if (v->unknown_by[j] || v->too_fine_by[j]) v->holds = false;
    return HR_OK;
}

/* A tree that is built from the original's values is known only if they were read. Which missing
 * values the original had is not known, so any of them may be published. */
static hr_status published_tree(const verifier *c, size_t j, const hr_attribute *attribute,
                                hr_hierarchy **tree) {
    const hr_dataset *known = c->request->ranges;
    hr_hierarchy *given;
    *tree = NULL;
    if (!attribute->hierarchy) return HR_OK;
    if (hr_attribute_built(attribute)) {
        if (known && known->trees && known->trees[j]) *tree = hr_hierarchy_share(known->trees[j]);
        return HR_OK;
    }
    HR_TRY(hr_attribute_tree(attribute, NULL, &c->missing, c->request->watch, &given, c->err));
    if (attribute->on_missing != HR_MISSING_GROUP) {
        *tree = given;
        return HR_OK;
    }
    hr_status status = hr_hierarchy_add_missing(given, &c->missing, tree, c->err);
    hr_hierarchy_free(given);
    return status;
}

static hr_status judge_attribute(const verifier *c, size_t j, const hr_attribute *attribute) {
    hr_hierarchy *tree;
    bool *allowed = NULL;
    HR_TRY(published_tree(c, j, attribute, &tree));
    if (!tree && attribute->hierarchy) return HR_OK; /* nothing can be judged */
    hr_quasi quasi = {.tree = tree};
    hr_status status = tree ? hr_attribute_finest(attribute, tree, &quasi.finest, c->err) : HR_OK;
    if (status == HR_OK && quasi.finest)
        status = hr_finest_allowed(tree, quasi.finest, &allowed, c->err);
    if (status == HR_OK) status = count_texts(c, j, &quasi, allowed);
    free(quasi.finest);
    free(allowed);
    hr_hierarchy_free(tree);
    return status;
}

static hr_status judge_published(const verifier *c) {
    const hr_job *job = c->request->job;
    c->verdict->unknown_by = hr_alloc(c->quasi_count, sizeof *c->verdict->unknown_by, c->err);
    c->verdict->first_unknown_by =
        hr_alloc(c->quasi_count, sizeof *c->verdict->first_unknown_by, c->err);
    if (!c->verdict->unknown_by || !c->verdict->first_unknown_by) return HR_ENOMEM;
    for (size_t i = 0, j = 0; i < job->attribute_count; i++)
        if (job->attributes[i].role == HR_ROLE_QUASI)
            HR_TRY(judge_attribute(c, j++, &job->attributes[i]));
    return HR_OK;
}

/* ---- against the original ---- */

static uint32_t original_row(const verifier *c, size_t row) {
    return c->request->row ? c->request->row[row] : (uint32_t)row;
}

/* The verdict on one published text for one original value, computed once for each pair. */
enum { COVERS = 1, VIOLATES = 2, FINER = 4 };

/* Does the published value cover the original's leaf, but not the finest node allowed for it? */
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

static hr_status judged(const verifier *c, pair_cache *memory, const hr_quasi *quasi,
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

static hr_status compare_rows(const verifier *c, size_t j, pair_cache *memory) {
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
        v->uncovered_by[j]++;
        if (v->first_uncovered == 0 || row + 1 < v->first_uncovered) v->first_uncovered = row + 1;
    }
    v->violations += v->violations_by[j];
    v->too_fine += v->too_fine_by[j];
    v->uncovered += v->uncovered_by[j];
    return HR_OK;
}

static hr_status compare_quasi(const verifier *c, size_t j) {
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

/* A class mean need not cover its values: it is recomputed instead. */
static hr_status compare_means(const verifier *c, size_t j) {
    hr_verdict *v = c->verdict;
    bool *bad = hr_alloc(v->classes.rows, sizeof *bad, c->err);
    if (!bad) return HR_ENOMEM;
    hr_status status = hr_verify_means(&c->request->original->data.quasi[j], c->quasi[j],
                                       &v->classes, c->request->row, bad, c->err);
    for (size_t row = 0; status == HR_OK && row < v->classes.rows; row++) {
        if (!bad[row]) continue;
        v->uncovered_by[j]++;
        if (v->first_uncovered == 0 || row + 1 < v->first_uncovered) v->first_uncovered = row + 1;
    }
    v->uncovered += v->uncovered_by[j];
    free(bad);
    return status;
}

/* Counts differences in a column that must be released unchanged. */
static hr_status compare_untouched(const verifier *c, const hr_column *masked,
                                   const hr_column *original) {
    uint32_t *code = hr_alloc_raw(masked->dictionary.count, sizeof *code, c->err);
    if (!code) return HR_ENOMEM;
    for (uint32_t i = 0; i < masked->dictionary.count; i++)
        code[i] = hr_dictionary_match(&original->dictionary, &masked->dictionary, i);
    for (size_t row = 0; row < masked->rows; row++)
        if (c->verdict->classes.of_row[row] != HR_NONE)
            c->verdict->changed +=
                code[hr_column_code(masked, row)] != hr_column_code(original, original_row(c, row));
    free(code);
    return HR_OK;
}

static hr_status compare_others(const verifier *c) {
    const hr_job *job = c->request->job;
    for (size_t i = 0; i < job->attribute_count; i++) {
        hr_role role = job->attributes[i].role;
        if (role != HR_ROLE_SENSITIVE && role != HR_ROLE_KEEP) continue;
        const hr_column *masked = hr_table_find(c->request->masked, job->attributes[i].name);
        const hr_column *original =
            hr_table_find(c->request->original->table, job->attributes[i].name);
        if (masked && original) HR_TRY(compare_untouched(c, masked, original));
    }
    return HR_OK;
}

static hr_status compare(const verifier *c) {
    const hr_verify_request *request = c->request;
    hr_verdict *v = c->verdict;
    v->too_fine_by = hr_alloc(c->quasi_count, sizeof *v->too_fine_by, c->err);
    if (!v->too_fine_by) return HR_ENOMEM;
    if (!request->original) return judge_published(c);
    if (!request->row && request->masked->rows != request->original->table->rows)
        return hr_fail(c->err, HR_EINVAL,
                       "the masked file has %zu rows and the original %zu: rows can only be paired "
                       "by position when there are equally many; give --trace",
                       request->masked->rows, request->original->table->rows);
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

hr_status hr_verify(const hr_verify_request *request, hr_verdict *out, hr_error *err) {
    *out = (hr_verdict){0};
    verifier c = {.request = request, .verdict = out, .err = err};
    c.missing = (hr_missing){request->job->input.missing.texts, request->job->input.missing.count};
    hr_status status = find_columns(&c);
    hr_status (*const steps[])(const verifier *) = {form_classes, judge_classes, compare};
    for (size_t i = 0; i < sizeof steps / sizeof *steps && status == HR_OK; i++) {
        status = steps[i](&c);
        if (status == HR_OK) status = hr_watch_check(request->watch, err);
    }
    free(c.quasi);
    for (size_t l = 0; l < c.sensitive_count; l++)
        free(c.sensitive[l].value_of_code);
    free(c.sensitive);
    if (status != HR_OK) hr_verdict_free(out);
    return status;
}

void hr_verdict_free(hr_verdict *verdict) {
    hr_groups_free(&verdict->classes);
    hr_facts_free(&verdict->facts);
    free(verdict->poor_classes);
    free(verdict->violations_by);
    free(verdict->uncovered_by);
    free(verdict->too_fine_by);
    free(verdict->unknown_by);
    free(verdict->first_unknown_by);
    *verdict = (hr_verdict){0};
}
