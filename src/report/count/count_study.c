/* count_study.c - measures how much of the association of two columns is preserved: Cramér's V of
 * their groups (joint.c) and, for numbers, the correlation, in which a published value counts as
 * the middle of the values that it covers. */
#include "report/count/count.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- columns as numbers ---- */

typedef struct {
    double *of_code;      /* number of each code of the column; NaN: missing */
    double *of_published; /* of each published value; NULL unless it is a quasi-identifier */
} numbers;

static void free_numbers(numbers *n) {
    free(n->of_code);
    free(n->of_published);
}

/* Reads all texts of a column as numbers; false if one is neither a number nor missing. */
static bool read_numbers(const hr_job *job, const hr_column *column, double *out) {
    hr_missing missing = hr_job_missing(job);
    char point = hr_format_point(&job->format, column);
    for (uint32_t code = 0; code < column->dictionary.count; code++) {
        out[code] = NAN;
        if (hr_is_missing(&missing, &column->dictionary, code)) continue;
        if (!hr_parse_number(hr_dictionary_text(&column->dictionary, code), point, &out[code]))
            return false;
    }
    return true;
}

/* The least and the greatest number among the leaves below each node; false if a leaf is not a
 * number. Leaves for missing values do not count. */
static bool find_ends(const hr_job *job, const hr_scale *s, double *least, double *most) {
    const hr_hierarchy *tree = s->quasi->tree;
    hr_missing missing = hr_job_missing(job);
    char point = hr_format_point(&job->format, s->column);
    for (uint32_t node = 0; node < tree->labels.count; node++) {
        least[node] = INFINITY;
        most[node] = -INFINITY;
    }
    for (uint32_t i = 0; i < tree->leaf_count; i++) {
        double number;
        if (hr_is_missing(&missing, &tree->labels, tree->leaf_node[i])) continue;
        if (!hr_parse_number(hr_hierarchy_label(tree, tree->leaf_node[i]), point, &number))
            return false;
        for (uint32_t node = tree->leaf_node[i]; node != HR_NONE; node = tree->parent[node]) {
            least[node] = fmin(least[node], number);
            most[node] = fmax(most[node], number);
        }
    }
    return true;
}

static hr_status middle_of_nodes(const hr_job *job, const hr_scale *s, double *out, bool *numeric,
                                 hr_error *err) {
    uint32_t nodes = s->quasi->tree->labels.count;
    double *least = hr_alloc(nodes, sizeof *least, err), *most = hr_alloc(nodes, sizeof *most, err);
    hr_status status = least && most ? HR_OK : HR_ENOMEM;
    if (status == HR_OK) *numeric = find_ends(job, s, least, most);
    for (uint32_t v = 0; v < s->published_count && status == HR_OK && *numeric; v++) {
        uint32_t node = s->published[v].lo;
        out[v] = least[node] <= most[node] ? (least[node] + most[node]) / 2 : NAN;
    }
    free(least);
    free(most);
    return status;
}

static hr_status middle_of_published(const hr_job *job, const hr_scale *s, double *out,
                                     bool *numeric, hr_error *err) {
    const hr_quasi *quasi = s->quasi;
    if (quasi->tree) return middle_of_nodes(job, s, out, numeric, err);
    for (uint32_t v = 0; v < s->published_count; v++)
        out[v] = s->means
                     ? s->means[v]
                     : (quasi->number[s->published[v].lo] + quasi->number[s->published[v].hi]) / 2;
    return HR_OK;
}

/* Reads the numbers of a column. *numeric: both its values and its published values are numbers. */
static hr_status find_numbers(const hr_job *job, const hr_scale *s, numbers *out, bool *numeric,
                              hr_error *err) {
    *out = (numbers){0};
    out->of_code = hr_alloc(s->column->dictionary.count, sizeof *out->of_code, err);
    if (s->quasi) out->of_published = hr_alloc(s->published_count, sizeof(double), err);
    if (!out->of_code || (s->quasi && !out->of_published)) return HR_ENOMEM;
    *numeric = read_numbers(job, s->column, out->of_code);
    if (!*numeric || !s->quasi) return HR_OK;
    return middle_of_published(job, s, out->of_published, numeric, err);
}

/* ---- correlation ---- */

typedef struct {
    const hr_outcome *outcome;
    const hr_scale *a, *b;
    const numbers *na, *nb;
    bool after;
} correlation;

static double number_at(const correlation *c, const hr_scale *s, const numbers *n, size_t row) {
    uint32_t cluster = c->outcome->partition->cluster[row];
    if (!c->after || !s->quasi) return n->of_code[hr_column_code(s->column, row)];
    return n->of_published[s->of_cluster[cluster]];
}

/* Both numbers of a row; false if one is missing or the row does not count. */
static bool pair_at(const correlation *c, size_t row, double *x, double *y) {
    if (c->after && c->outcome->partition->cluster[row] == HR_NONE) return false;
    *x = number_at(c, c->a, c->na, row);
    *y = number_at(c, c->b, c->nb, row);
    return !isnan(*x) && !isnan(*y);
}

/* Pearson's correlation; NaN if one column has a single value. */
static double correlate(const correlation *c) {
    double n = 0, mean_x = 0, mean_y = 0, xx = 0, yy = 0, xy = 0, x, y;
    for (size_t row = 0; row < c->outcome->data->rows; row++) {
        if (!pair_at(c, row, &x, &y)) continue;
        n++;
        mean_x += (x - mean_x) / n;
        mean_y += (y - mean_y) / n;
    }
    for (size_t row = 0; row < c->outcome->data->rows; row++) {
        if (!pair_at(c, row, &x, &y)) continue;
        xx += (x - mean_x) * (x - mean_x);
        yy += (y - mean_y) * (y - mean_y);
        xy += (x - mean_x) * (y - mean_y);
    }
    return xx > 0 && yy > 0 ? xy / sqrt(xx) / sqrt(yy) : NAN;
}

static hr_status find_correlations(const hr_report *report, const hr_scale *a, const hr_scale *b,
                                   hr_account_pair *out, hr_error *err) {
    numbers na = {0}, nb = {0};
    bool numeric_a = false, numeric_b = false;
    hr_status status = find_numbers(report->job, a, &na, &numeric_a, err);
    if (status == HR_OK) status = find_numbers(report->job, b, &nb, &numeric_b, err);
    if (status == HR_OK && numeric_a && numeric_b) {
        correlation c = {report->outcome, a, b, &na, &nb, false};
        out->correlation_before = correlate(&c);
        c.after = true;
        out->correlation_after = correlate(&c);
    }
    free_numbers(&na);
    free_numbers(&nb);
    return status;
}

/* ---- pairs ---- */

static void find_association(const hr_report *report, const hr_scale *a, const hr_scale *b,
                             hr_account_pair *out) {
    double before[HR_GROUPS_MOST * HR_GROUPS_MOST], after[HR_GROUPS_MOST * HR_GROUPS_MOST];
    hr_joint_count(report->outcome, a, b, before, after);
    out->v_before = hr_cramers_v(before, a->count, b->count, false);
    out->v_after = hr_cramers_v(after, a->count, b->count, false);
    out->corrected_before = hr_cramers_v(before, a->count, b->count, true);
    out->corrected_after = hr_cramers_v(after, a->count, b->count, true);
}

/* A kept column: every text that is not missing is a category. */
static hr_status scale_kept(const hr_job *job, const hr_column *column, const char *name,
                            hr_scale *out, hr_error *err) {
    hr_missing missing = hr_job_missing(job);
    uint32_t count = column->dictionary.count;
    uint32_t *category = hr_alloc(count, sizeof *category, err);
    if (!category) return HR_ENOMEM;
    for (uint32_t code = 0; code < count; code++)
        category[code] = hr_is_missing(&missing, &column->dictionary, code) ? HR_NONE : code;
    hr_status status = hr_scale_column(name, column, category, count, out, err);
    free(category);
    return status;
}

/* The scale of a column: one of `scales`, or `own`, which the caller frees. */
static hr_status scale_of(const hr_report *report, const hr_table *table, const hr_scale *scales,
                          const char *name, hr_scale *own, const hr_scale **out, hr_error *err) {
    const hr_microdata *data = report->outcome->data;
    *out = own;
    for (size_t j = 0; j < data->quasi_count; j++)
        if (!strcmp(data->quasi[j].name, name)) {
            *out = &scales[j];
            return HR_OK;
        }
    for (size_t l = 0; l < data->sensitive_count; l++) {
        const hr_sensitive *s = &data->sensitive[l];
        if (!strcmp(s->name, name))
            return hr_scale_column(name, s->column, s->value_of_code, s->value_count, own, err);
    }
    return scale_kept(report->job, hr_table_find(table, name), name, own, err);
}

static hr_status study_pair(const hr_report *report, const hr_table *table, const hr_scale *scales,
                            const hr_study_pair *pair, hr_account_pair *out, hr_error *err) {
    hr_scale own_a = {0}, own_b = {0};
    const hr_scale *a = NULL, *b = NULL;
    hr_status status = scale_of(report, table, scales, pair->a, &own_a, &a, err);
    if (status == HR_OK) status = scale_of(report, table, scales, pair->b, &own_b, &b, err);
    if (status == HR_OK) {
        find_association(report, a, b, out);
        status = find_correlations(report, a, b, out, err);
    }
    hr_scale_free(&own_a);
    hr_scale_free(&own_b);
    return status;
}

hr_status hr_account_study(const hr_report *report, const hr_table *table, const hr_scale *scales,
                           hr_account *account, hr_error *err) {
    const hr_job_study *study = &report->job->study;
    account->pairs = hr_arena_alloc(&account->arena, study->count, sizeof *account->pairs, err);
    if (!account->pairs) return HR_ENOMEM;
    for (size_t i = 0; i < study->count; i++) {
        const hr_study_pair *pair = &study->pairs[i];
        hr_account_pair *out = &account->pairs[account->pair_count++];
        *out = (hr_account_pair){.a = hr_arena_text(&account->arena, pair->a, strlen(pair->a), err),
                                 .b = hr_arena_text(&account->arena, pair->b, strlen(pair->b), err),
                                 .correlation_before = NAN,
                                 .correlation_after = NAN};
        if (!out->a || !out->b) return HR_ENOMEM;
        HR_TRY(study_pair(report, table, scales, pair, out, err));
    }
    return HR_OK;
}
