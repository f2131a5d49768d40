/* recode.c - recodes kept columns, in the same way for all rows: rounds numbers, applies top and
 * bottom coding, or replaces values by their ancestors at one level of a hierarchy. Missing values
 * stay as they are. A kept value may be sensitive, so messages name rows and columns, never
 * values. */
#include "run/run.h"

#include "data/arrow.h"

#include <stdlib.h>
#include <string.h>

/* ---- one number ---- */

typedef enum { RECODED, UNCHANGED, NO_NUMBER, TOO_LARGE } outcome;

/* The multiple of n->round nearest to a number, which is given by its floor in units; a number
 * halfway between two becomes the one farther from 0. */
static int64_t nearest(const hr_recode_numbers *n, int64_t floor, bool exact) {
    int64_t above = floor % n->round;
    if (above < 0) above += n->round;
    int64_t base = floor - above, half = n->round / 2;
    bool tie = above == half && exact;
    bool up = tie ? floor > 0 : above >= half;
    return up ? base + n->round : base;
}

static outcome recode_number(const hr_recode_numbers *n, const char *text, hr_text *out) {
    double number;
    int64_t units;
    bool exact;
    if (strlen(text) > HR_NUMBER_MOST || !hr_parse_number(text, n->point, &number))
        return NO_NUMBER;
    bool fits = hr_decimal_floor(text, n->scale, &units, &exact);
    if (n->has_top && units >= n->top) {
        hr_decimal_print(n->top, n->scale, n->point, out);
        hr_text_puts(out, "+");
        return RECODED;
    }
    if (n->has_bottom && units < n->bottom) {
        hr_text_puts(out, "<");
        hr_decimal_print(n->bottom, n->scale, n->point, out);
        return RECODED;
    }
    if (!n->round) return UNCHANGED;
    if (!fits) return TOO_LARGE;
    hr_decimal_print(nearest(n, units, exact), n->scale, n->point, out);
    return RECODED;
}

/* ---- a column ---- */

static hr_status bad_value(const hr_recoding *r, uint32_t code, const char *why, hr_error *err) {
    size_t row = 0;
    while (hr_column_code(r->column, row) != code)
        row++;
    return hr_fail(err, HR_EDATA, "row %zu, column '%s': %s; change it, or list it under `missing`",
                   row + 1, r->attribute->name, why);
}

static hr_status recode_by_number(hr_recoding *r, uint32_t code, hr_text *text, hr_error *err) {
    const hr_dictionary *values = &r->column->dictionary;
    text->length = 0;
    switch (recode_number(&r->numbers, hr_dictionary_text(values, code), text)) {
    case NO_NUMBER: return bad_value(r, code, "this value is not a number", err);
    case TOO_LARGE: return bad_value(r, code, "this number is too large to be rounded", err);
    case UNCHANGED: return hr_dictionary_copy(&r->texts, values, code, &r->of_code[code], err);
    case RECODED: break;
    }
    if (text->failed) return hr_fail(err, HR_ENOMEM, "out of memory");
    return hr_dictionary_intern(&r->texts, text->data, text->length, &r->of_code[code], err);
}

static hr_status recode_by_tree(hr_recoding *r, uint32_t code, const uint32_t *node_of,
                                hr_error *err) {
    const hr_dictionary *values = &r->column->dictionary;
    uint32_t leaf = hr_dictionary_find(&r->tree->labels, hr_dictionary_text(values, code),
                                       hr_dictionary_length(values, code));
    if (leaf == HR_NONE || node_of[leaf] == HR_NONE)
        return bad_value(r, code, "this value has no leaf in its hierarchy", err);
    return hr_dictionary_copy(&r->texts, &r->tree->labels, node_of[leaf], &r->of_code[code], err);
}

/* node_of[leaf]: what the leaf is recoded to; HR_NONE for nodes that are no leaf. */
static hr_status nodes_at_level(const hr_recoding *r, uint32_t **node_of, hr_error *err) {
    const hr_hierarchy *tree = r->tree;
    *node_of = hr_alloc_raw(tree->labels.count, sizeof **node_of, err);
    if (!*node_of) return HR_ENOMEM;
    memset(*node_of, 0xff, tree->labels.count * sizeof **node_of);
    for (uint32_t leaf = 0; leaf < tree->leaf_count; leaf++)
        (*node_of)[tree->leaf_node[leaf]] = hr_hierarchy_node_at(tree, leaf, r->level);
    return HR_OK;
}

static hr_status recode_codes(hr_recoding *r, const hr_missing *missing, hr_error *err) {
    const hr_dictionary *values = &r->column->dictionary;
    uint32_t *node_of = NULL;
    hr_text text = {0};
    r->of_code = hr_alloc(values->count, sizeof *r->of_code, err);
    hr_status status = r->of_code ? HR_OK : HR_ENOMEM;
    if (status == HR_OK && r->tree) status = nodes_at_level(r, &node_of, err);
    for (uint32_t code = 0; code < values->count && status == HR_OK; code++) {
        if (hr_is_missing(missing, values, code))
            status = hr_dictionary_copy(&r->texts, values, code, &r->of_code[code], err);
        else if (node_of)
            status = recode_by_tree(r, code, node_of, err);
        else
            status = recode_by_number(r, code, &text, err);
    }
    hr_text_free(&text);
    free(node_of);
    return status;
}

/* ---- binding ---- */

static hr_status bind(hr_recoding *r, const hr_missing *missing, const hr_format_options *format,
                      const hr_watch *watch, hr_error *err) {
    const hr_attribute *a = r->attribute;
    if (!a->level) {
        HR_TRY(hr_recode_numbers_parse(a, &r->numbers, err));
        r->numbers.point = hr_format_point(format, r->column);
    } else if (r->column || !hr_attribute_built(a)) {
        HR_TRY(hr_attribute_tree(a, r->column, missing, format, watch, &r->tree, err));
        hr_status status = hr_hierarchy_level(r->tree, a->level, "level", &r->level, err);
        if (status != HR_OK) return hr_fail_prefix(err, status, "kept column '%s'", a->name);
    }
    return r->column ? recode_codes(r, missing, err) : HR_OK;
}

hr_status hr_recodings_bind(const hr_job *job, const hr_table *table, const hr_missing *missing,
                            const hr_watch *watch, hr_recodings *out, hr_error *err) {
    out->items = hr_alloc(job->attribute_count, sizeof *out->items, err);
    if (!out->items) return HR_ENOMEM;
    for (size_t i = 0; i < job->attribute_count; i++) {
        if (!hr_attribute_recodes(&job->attributes[i])) continue;
        hr_recoding *r = &out->items[out->count++];
        r->attribute = &job->attributes[i];
        r->column = table ? hr_table_find(table, r->attribute->name) : NULL;
        HR_TRY(bind(r, missing, &job->format, watch, err));
    }
    return HR_OK;
}

const hr_recoding *hr_recoding_find(const hr_recodings *recodings, const char *name) {
    for (size_t i = 0; i < recodings->count; i++)
        if (hr_same_name(recodings->items[i].attribute->name, name)) return &recodings->items[i];
    return NULL;
}

void hr_recodings_free(hr_recodings *recodings) {
    for (size_t i = 0; i < recodings->count; i++) {
        hr_hierarchy_free(recodings->items[i].tree);
        hr_dictionary_free(&recodings->items[i].texts);
        free(recodings->items[i].of_code);
    }
    free(recodings->items);
    *recodings = (hr_recodings){0};
}

/* ---- the type of the released column ---- */

/* Are all texts of the recoding values of this type? */
static bool all_of_type(const hr_recoding *r, const hr_arrow_type *type) {
    unsigned char value[32];
    for (uint32_t code = 0; code < r->texts.count; code++)
        if (!hr_dictionary_is_null(&r->texts, code) &&
            !hr_arrow_text_value(type, hr_dictionary_text(&r->texts, code), value))
            return false;
    return true;
}

bool hr_recoding_keeps_numbers(const hr_recoding *r) {
    return !r->tree && !r->numbers.has_top && !r->numbers.has_bottom;
}

const char *hr_recoding_format(const hr_recoding *r) {
    hr_arrow_type type;
    const char *given = r->column->format;
    if (!given || !hr_recoding_keeps_numbers(r)) return NULL;
    if (!hr_arrow_parse_format(given, &type) || hr_arrow_is_text(&type)) return given;
    /* A decimal has a fixed number of digits, and 9.99 may become 10. */
    if (type.kind != HR_ARROW_DECIMAL && all_of_type(r, &type)) return given;
    static const char *const wider[] = {"l", "g"};
    bool whole = type.kind == HR_ARROW_INT || type.kind == HR_ARROW_UINT;
    for (size_t i = whole ? 0 : 1; i < 2; i++)
        if (hr_arrow_parse_format(wider[i], &type) && all_of_type(r, &type)) return wider[i];
    return NULL;
}

/* ---- judging a published text without the original ---- */

/* Is the text one of the labels that the recoding writes for numbers beyond its limits ("90+")? */
static bool is_limit(const hr_recode_numbers *n, const char *text) {
    hr_text label = {0};
    bool found = false;
    if (n->has_top) {
        hr_decimal_print(n->top, n->scale, n->point, &label);
        hr_text_puts(&label, "+");
        found = !label.failed && !strcmp(label.data, text);
    }
    label.length = 0;
    if (n->has_bottom && !found) {
        hr_text_puts(&label, "<");
        hr_decimal_print(n->bottom, n->scale, n->point, &label);
        found = !label.failed && !strcmp(label.data, text);
    }
    hr_text_free(&label);
    return found;
}

/* Can the recoding produce this number? A number just below the top may be rounded to the top. */
static bool gives_number(const hr_recode_numbers *n, const char *text) {
    double number;
    int64_t units;
    bool exact;
    if (strlen(text) > HR_NUMBER_MOST || !hr_parse_number(text, n->point, &number)) return false;
    bool fits = hr_decimal_floor(text, n->scale, &units, &exact);
    if (n->round && (!fits || !exact || units % n->round)) return false;
    if (n->has_bottom && units < n->bottom) return false;
    if (!n->has_top || units < n->top) return true;
    return n->round && exact && units == n->top;
}

static bool is_level_node(const hr_recoding *r, const char *text) {
    uint32_t node = hr_hierarchy_find(r->tree, text);
    for (uint32_t leaf = 0; node != HR_NONE && leaf < r->tree->leaf_count; leaf++)
        if (hr_hierarchy_node_at(r->tree, leaf, r->level) == node) return true;
    return false;
}

bool hr_recoding_gives(const hr_recoding *r, const hr_missing *missing, const hr_dictionary *texts,
                       uint32_t code) {
    const char *text = hr_dictionary_text(texts, code);
    if (hr_is_missing(missing, texts, code)) return true;
    if (r->attribute->level) return !r->tree || is_level_node(r, text);
    return is_limit(&r->numbers, text) || gives_number(&r->numbers, text);
}

uint32_t hr_recoding_match(const hr_recoding *r, const hr_dictionary *texts, uint32_t code) {
    uint32_t found = hr_dictionary_match(&r->texts, texts, code);
    if (found != HR_NONE || !r->numbers.round) return found;
    /* Another notation of a rounded number: 1200.0 for 1200. */
    const char *text = hr_dictionary_text(texts, code);
    if (!gives_number(&r->numbers, text)) return HR_NONE;
    hr_recode_numbers only_round = {
        .scale = r->numbers.scale, .point = r->numbers.point, .round = r->numbers.round};
    hr_text plain = {0};
    if (recode_number(&only_round, text, &plain) == RECODED && !plain.failed)
        found = hr_dictionary_find(&r->texts, plain.data, plain.length);
    hr_text_free(&plain);
    return found;
}
