/* verify_alone.c - judges published values without the original. A value must be one that a release
 * of this job can contain: a node of the hierarchy, or a number or interval, not more precise than
 * `finest` allows, and within the boundary of at least one leaf below it. */
#include "run/verify.h"

#include <stdlib.h>
#include <string.h>

/* What can be wrong with a published text. */
enum { UNKNOWN = 1, TOO_FINE = 2, PAST = 4 };

/* One quasi-identifier. */
typedef struct {
    hr_quasi quasi; /* tree, finest nodes and MAGVals, if they are known */
    bool *allowed;  /* per node, see hr_finest_allowed; NULL: `finest` is not given */
    bool *within;   /* per node, see hr_boundary_within; NULL: no boundary */
} attribute_rules;

/* Is the interval wider than the boundary allows, or does it reach over a cut point or past the
 * range that the job gives? Cut points that are chosen from the data are not known here. */
static bool passes_cut(const attribute_rules *rules, const hr_published_value *interval) {
    const hr_cut_rule *rule = &rules->quasi.rule;
    const double *range = rules->quasi.range;
    if (rule->kind && range && hr_published_leaves_range(interval, range)) return true;
    if (rule->kind == HR_CUTS_WIDTH) return hr_published_too_wide(interval, rule->width);
    return rule->kind == HR_CUTS_GIVEN && hr_published_crosses(interval, rule);
}

static unsigned char judge_text(const hr_verifier *c, const attribute_rules *rules,
                                const char *text) {
    double number;
    if (c->request->means && !rules->quasi.tree) /* a mean must be a number */
        return hr_parse_number(text, rules->quasi.point, &number) ? 0 : UNKNOWN;
    hr_published_value published = hr_published_parse(&rules->quasi, text);
    if (published.kind == HR_PUBLISHED_UNKNOWN) return UNKNOWN;
    if (published.kind == HR_PUBLISHED_INTERVAL) return passes_cut(rules, &published) ? PAST : 0;
    if (rules->allowed && !rules->allowed[published.node]) return TOO_FINE;
    return rules->within && !rules->within[published.node] ? PAST : 0;
}

static hr_status count_texts(const hr_verifier *c, size_t j, const attribute_rules *rules) {
    hr_verdict *v = c->verdict;
    const hr_column *column = c->quasi[j];
    unsigned char *found = hr_alloc(column->dictionary.count, sizeof *found, c->err);
    if (!found) return HR_ENOMEM;
    for (uint32_t code = 0; code < column->dictionary.count; code++)
        found[code] = judge_text(c, rules, hr_dictionary_text(&column->dictionary, code));
    for (size_t row = 0; row < column->rows; row++) {
        if (v->classes.of_row[row] == HR_NONE) continue;
        unsigned char own = found[hr_column_code(column, row)];
        v->too_fine_by[j] += (own & TOO_FINE) != 0;
        v->past_by[j] += (own & PAST) != 0;
        if (own & UNKNOWN && v->unknown_by[j]++ == 0) v->first_unknown_by[j] = row + 1;
    }
    free(found);
    v->too_fine += v->too_fine_by[j];
    v->past += v->past_by[j];
    if (v->unknown_by[j] || v->too_fine_by[j]) v->holds = false;
    if (v->past_by[j] && c->request->enforce_boundaries) v->holds = false;
    return HR_OK;
}

/* ---- hierarchies ---- */

static hr_status add_leaf(hr_table *table, const char *leaf, hr_error *err) {
    return strcmp(leaf, "*") ? hr_table_append(table, (const char *const[]){leaf, "*"}, err)
                             : HR_OK;
}

static hr_status add_leaves(hr_table *table, const hr_node_choice *choice, hr_error *err) {
    for (size_t i = 0; i < choice->node_count; i++)
        HR_TRY(add_leaf(table, choice->nodes[i], err));
    return HR_OK;
}

/* Makes a flat hierarchy when the original's values are not known: of the values that are published
 * or named in the job, and one that stands for all others. */
static hr_status guess_flat(const hr_verifier *c, size_t j, const hr_attribute *attribute,
                            hr_hierarchy **tree) {
    const hr_dictionary *texts = &c->quasi[j]->dictionary;
    hr_table *table;
    HR_TRY(hr_table_new(2, (const char *const[]){"0", "1"}, &table, c->err));
    hr_status status = add_leaf(table, "(other values)", c->err);
    for (uint32_t code = 0; code < texts->count && status == HR_OK; code++)
        status = add_leaf(table, hr_dictionary_text(texts, code), c->err);
    if (status == HR_OK) status = add_leaves(table, &attribute->boundary, c->err);
    if (status == HR_OK) status = add_leaves(table, &attribute->finest, c->err);
    if (status == HR_OK) status = hr_hierarchy_build(table, "flat", tree, c->err);
    hr_table_free(table);
    return status;
}

/* The tree that was built from the original's values; NULL: they were not read. */
static hr_hierarchy *known_tree(const hr_verifier *c, size_t j) {
    const hr_dataset *known = c->request->original ? c->request->original : c->request->ranges;
    return known && known->trees ? known->trees[j] : NULL;
}

/* Makes the tree of a quasi-identifier. A tree that is built from values is known only if the
 * original's values were read. Any of the job's missing texts may be published, because it is not
 * known which of them the original had. *tree is NULL if the tree is unknown, and for numbers. */
static hr_status published_tree(const hr_verifier *c, size_t j, const hr_attribute *attribute,
                                hr_hierarchy **tree) {
    hr_hierarchy *known = known_tree(c, j);
    hr_hierarchy *given;
    *tree = NULL;
    if (!attribute->hierarchy) return HR_OK;
    if (hr_attribute_built(attribute)) {
        if (known)
            *tree = hr_hierarchy_share(known);
        else if (!attribute->recipe)
            return guess_flat(c, j, attribute, tree);
        return HR_OK;
    }
    HR_TRY(hr_attribute_tree(attribute, NULL, &c->missing, &c->request->job->format,
                             c->request->watch, &given, c->err));
    if (attribute->on_missing != HR_MISSING_GROUP) {
        *tree = given;
        return HR_OK;
    }
    hr_status status = hr_hierarchy_add_missing(given, &c->missing, tree, c->err);
    hr_hierarchy_free(given);
    return status;
}

/* ---- one attribute, all attributes ---- */

static hr_status make_rules(const hr_verifier *c, const hr_attribute *attribute,
                            attribute_rules *out) {
    hr_quasi *quasi = &out->quasi;
    HR_TRY(hr_attribute_finest(attribute, quasi->tree, &quasi->finest, c->err));
    HR_TRY(hr_attribute_boundary(attribute, quasi->tree, &quasi->magval, c->err));
    if (quasi->finest) {
        HR_TRY(hr_finest_check(quasi->tree, quasi->finest, quasi->magval, c->err));
        HR_TRY(hr_finest_allowed(quasi->tree, quasi->finest, &out->allowed, c->err));
    }
    return hr_boundary_within(quasi->tree, quasi->finest, quasi->magval, &out->within, c->err);
}

static hr_status judge_attribute(const hr_verifier *c, size_t j, const hr_attribute *attribute) {
    hr_hierarchy *tree;
    HR_TRY(published_tree(c, j, attribute, &tree));
    attribute_rules rules = {.quasi = {.tree = tree,
                                       .rule = attribute->boundary.cuts,
                                       .range = attribute->range,
                                       .point = hr_format_point(&c->request->job->format, NULL)}};
    bool guessed = tree && !attribute->recipe && hr_attribute_built(attribute) && !known_tree(c, j);
    c->verdict->unjudged_by[j] = (attribute->hierarchy && !tree) || guessed;
    hr_status status = HR_OK;
    if (tree) {
        status = make_rules(c, attribute, &rules);
        if (status != HR_OK && status != HR_ENOMEM)
            status = hr_fail_prefix(c->err, status, "attribute '%s'", attribute->name);
    }
    if (status == HR_OK && (tree || !attribute->hierarchy)) status = count_texts(c, j, &rules);
    free(rules.quasi.finest);
    free(rules.quasi.magval);
    free(rules.allowed);
    free(rules.within);
    hr_hierarchy_free(tree);
    return status;
}

hr_status hr_verify_alone(const hr_verifier *c) {
    const hr_job *job = c->request->job;
    hr_verdict *v = c->verdict;
    v->past_by = hr_alloc(c->quasi_count, sizeof *v->past_by, c->err);
    v->unjudged_by = hr_alloc(c->quasi_count, sizeof *v->unjudged_by, c->err);
    if (!v->past_by || !v->unjudged_by) return HR_ENOMEM;
    for (size_t i = 0, j = 0; i < job->attribute_count; i++)
        if (job->attributes[i].role == HR_ROLE_QUASI)
            HR_TRY(judge_attribute(c, j++, &job->attributes[i]));
    return HR_OK;
}
