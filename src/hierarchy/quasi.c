/* quasi.c - a quasi-identifier: maps the values of a column to the leaves of a tree or, without a
 * hierarchy, to ranks of numbers, which are generalized to the smallest interval (Truta et al.
 * 2008, section 3). */
#include "hierarchy/hierarchy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Returns the number of rows whose code is marked in `bad`; stores the first of them, from 1. */
static size_t count_rows(const hr_column *column, const bool *bad, size_t *first) {
    size_t count = 0;
    *first = 0;
    for (size_t row = 0; row < column->rows; row++) {
        if (!bad[hr_column_code(column, row)]) continue;
        if (count++ == 0) *first = row + 1;
    }
    return count;
}

/* ---- trees ---- */

static bool is_missing(const hr_quasi *quasi, uint32_t code) {
    return quasi->missing && hr_is_missing(quasi->missing, &quasi->column->dictionary, code);
}

/* Appends advice for a value that has no leaf. */
static void describe_stranger(const hr_quasi *quasi, uint32_t code, hr_text *out) {
    const hr_hierarchy *tree = quasi->tree;
    const char *text = hr_dictionary_text(&quasi->column->dictionary, code);
    uint32_t node = hr_hierarchy_find(tree, text);
    const char *nearest = hr_dictionary_nearest(&tree->labels, text);
    hr_text_printf(out, " '%s'", text);
    if (tree->level_names && is_missing(quasi, code))
        hr_text_puts(out, " (missing: write `on_missing: group`, or `drop`)");
    else if (!*text)
        hr_text_puts(out, " (missing: add a line with an empty leaf)");
    else if (node != HR_NONE)
        hr_text_puts(out, " (an inner node there)");
    else if (nearest)
        hr_text_printf(out, " (did you mean '%s'?)", nearest);
}

static hr_status no_leaf(const hr_quasi *quasi, const bool *bad, hr_error *err) {
    const hr_column *column = quasi->column;
    hr_text few = {0};
    uint32_t values = 0;
    for (uint32_t code = 0; code < column->dictionary.count; code++) {
        if (!bad[code]) continue;
        if (values++ < 3) {
            if (values > 1) hr_text_puts(&few, ",");
            describe_stranger(quasi, code, &few);
        }
    }
    size_t first, rows = count_rows(column, bad, &first);
    hr_status status = hr_fail(
        err, HR_EDATA, "row %zu, column '%s': %u value%s in %zu row%s %s no leaf in %s:%s%s", first,
        column->name, values, values == 1 ? "" : "s", rows, rows == 1 ? "" : "s",
        values == 1 ? "has" : "have", quasi->tree->source, few.data ? few.data : "",
        values > 3 ? ", ..." : "");
    hr_text_free(&few);
    return status;
}

/* The leaf of a value; HR_NONE: it has none. A missing value may use the leaf `group`. */
static uint32_t find_leaf(const hr_quasi *quasi, uint32_t code, uint32_t group) {
    const char *text = hr_dictionary_text(&quasi->column->dictionary, code);
    uint32_t node = hr_hierarchy_find(quasi->tree, text);
    if (node != HR_NONE && quasi->tree->is_leaf[node]) return node;
    return group != HR_NONE && is_missing(quasi, code) ? group : HR_NONE;
}

static hr_status bind_codes(hr_quasi *quasi, hr_error *err) {
    const hr_column *column = quasi->column;
    uint32_t count = column->dictionary.count, strangers = 0, group = HR_NONE;
    quasi->value_of_code = hr_alloc_raw(count, sizeof *quasi->value_of_code, err);
    bool *bad = hr_alloc(count, sizeof *bad, err);
    if (!quasi->value_of_code || !bad) {
        free(bad);
        return HR_ENOMEM;
    }
    if (quasi->on_missing == HR_MISSING_GROUP)
        group = hr_missing_node(quasi->missing, column, quasi->tree);
    for (uint32_t code = 0; code < count; code++) {
        bool dropped = quasi->on_missing == HR_MISSING_DROP && is_missing(quasi, code);
        uint32_t node = dropped ? HR_NONE : find_leaf(quasi, code, group);
        bad[code] = node == HR_NONE && !dropped;
        strangers += bad[code];
        quasi->value_of_code[code] = node != HR_NONE && quasi->finest ? quasi->finest[node] : node;
    }
    hr_status status = strangers ? no_leaf(quasi, bad, err) : HR_OK;
    free(bad);
    return status;
}

hr_status hr_quasi_bind_tree(hr_quasi *quasi, const hr_column *column, const hr_hierarchy *tree,
                             uint32_t *magval, hr_error *err) {
    quasi->name = column->name;
    quasi->column = column;
    quasi->tree = tree;
    quasi->value_count = tree->labels.count;
    quasi->magval = magval;
    quasi->weight = 1;
    for (uint32_t leaf = 0; leaf < tree->leaf_count; leaf++)
        if (magval[tree->leaf_node[leaf]] != tree->root) quasi->bounded = true;
    return bind_codes(quasi, err);
}

/* ---- numbers ---- */

typedef struct {
    double number;
    const char *text;
    uint32_t code;
} number_text;

/* Sorts by number. Of several texts for one number the shortest comes first, then the first
 * bytewise: the first one is published. */
static int by_number(const void *a, const void *b) {
    const number_text *x = a, *y = b;
    if (x->number != y->number) return x->number < y->number ? -1 : 1;
    size_t n = strlen(x->text), m = strlen(y->text);
    if (n != m) return n < m ? -1 : 1;
    return strcmp(x->text, y->text);
}

/* Appends "rows 2, 5, 7 and 4 more have", with at most ten row numbers. */
static void name_rows(const hr_column *column, const bool *bad, size_t count, hr_text *out) {
    enum { NAMED = 10 };
    size_t named = 0;
    hr_text_puts(out, count == 1 ? "row" : "rows");
    for (size_t row = 0; named < count && named < NAMED; row++)
        if (bad[hr_column_code(column, row)])
            hr_text_printf(out, "%s %zu", named++ > 0 ? "," : "", row + 1);
    if (count > NAMED) hr_text_printf(out, " and %zu more", count - NAMED);
    hr_text_puts(out, count == 1 ? " has" : " have");
}

static hr_status no_value(const hr_column *column, const bool *bad, hr_error *err) {
    size_t first, count = count_rows(column, bad, &first);
    hr_text rows = {0};
    name_rows(column, bad, count, &rows);
    hr_status status = hr_fail(err, HR_EDATA,
                               "row %zu, column '%s': %s no value; write `on_missing: drop` to "
                               "suppress %s, or give the column a hierarchy with a leaf for it",
                               first, column->name, rows.data ? rows.data : "some rows have",
                               count == 1 ? "it" : "them");
    hr_text_free(&rows);
    return status;
}

static hr_status no_number(const hr_quasi *quasi, const bool *bad, hr_error *err) {
    const hr_column *column = quasi->column;
    size_t first, rows = count_rows(column, bad, &first);
    const char *text = hr_column_text(column, first - 1);
    const char *advice = hr_number_advice(text, quasi->point);
    if (strlen(text) > HR_NUMBER_MOST)
        return hr_fail(
            err, HR_EDATA,
            "row %zu, column '%s': '%.20s...' has %zu characters, and a number has at most "
            "%d; round it, or give the column a hierarchy",
            first, column->name, text, strlen(text), HR_NUMBER_MOST);
    return hr_fail(
        err, HR_EDATA, "row %zu, column '%s': '%s' is not a number (%zu such row%s)%s", first,
        column->name, text, rows, rows == 1 ? "" : "s",
        *advice ? advice : "; correct it, list it under `missing`, or give the column a hierarchy");
}

/* Parses the texts of the column, unsorted. Codes of missing values get HR_NONE in
 * value_of_code. */
static hr_status parse_numbers(hr_quasi *quasi, const hr_missing *missing, bool drop_missing,
                               number_text *numbers, uint32_t *count, hr_error *err) {
    const hr_column *column = quasi->column;
    uint32_t codes = column->dictionary.count, missing_codes = 0, bad_codes = 0;
    bool *is_missing = hr_alloc((size_t)codes * 2, sizeof *is_missing, err);
    if (!is_missing) return HR_ENOMEM;
    bool *is_bad = is_missing + codes;
    for (uint32_t code = 0; code < codes; code++) {
        const char *text = hr_dictionary_text(&column->dictionary, code);
        double number;
        if (hr_is_missing(missing, &column->dictionary, code))
            missing_codes += is_missing[code] = true;
        else if (strlen(text) > HR_NUMBER_MOST || !hr_parse_number(text, quasi->point, &number))
            bad_codes += is_bad[code] = true;
        else
            numbers[(*count)++] = (number_text){number, text, code};
    }
    hr_status status = HR_OK;
    if (bad_codes)
        status = no_number(quasi, is_bad, err);
    else if (missing_codes && !drop_missing)
        status = no_value(column, is_missing, err);
    free(is_missing);
    return status;
}

/* Two different numbers with the same double would be published as one, which would be false. */
static hr_status too_fine(const hr_column *column, const number_text *one, const number_text *other,
                          hr_error *err) {
    size_t row = 0;
    while (hr_column_code(column, row) != other->code)
        row++;
    return hr_fail(err, HR_EDATA,
                   "row %zu, column '%s': the numbers %s and %s have too many digits to be "
                   "distinguished; round them, or give the column a hierarchy",
                   row + 1, column->name, one->text, other->text);
}

static hr_status rank_numbers(hr_quasi *quasi, number_text *numbers, uint32_t count,
                              hr_error *err) {
    qsort(numbers, count, sizeof *numbers, by_number);
    quasi->number = hr_alloc_raw(count, sizeof *quasi->number, err);
    quasi->number_code = hr_alloc_raw(count, sizeof *quasi->number_code, err);
    if (!quasi->number || !quasi->number_code) return HR_ENOMEM;
    uint32_t ranks = 0;
    const number_text *first = numbers; /* first text of the current number */
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || numbers[i].number != first->number) {
            first = &numbers[i];
            quasi->number[ranks] = first->number;
            quasi->number_code[ranks++] = first->code;
        } else if (!hr_same_decimal(first->text, numbers[i].text)) {
            return too_fine(quasi->column, first, &numbers[i], err);
        }
        quasi->value_of_code[numbers[i].code] = ranks - 1;
        int decimals = hr_decimals(numbers[i].text);
        if (decimals > quasi->decimals) quasi->decimals = decimals;
    }
    quasi->value_count = ranks;
    if (ranks && !isfinite(quasi->number[ranks - 1] - quasi->number[0]))
        return hr_fail(err, HR_EDATA, "column '%s': the range of its numbers is too large",
                       quasi->name);
    if (ranks) hr_quasi_count_units(quasi);
    return HR_OK;
}

hr_status hr_quasi_bind_numeric(hr_quasi *quasi, const hr_column *column, const hr_missing *missing,
                                bool drop_missing, hr_error *err) {
    uint32_t codes = column->dictionary.count, count = 0;
    quasi->name = column->name;
    quasi->column = column;
    quasi->weight = 1;
    quasi->value_of_code = hr_alloc_raw(codes, sizeof *quasi->value_of_code, err);
    number_text *numbers = hr_alloc_raw(codes, sizeof *numbers, err);
    hr_status status = HR_ENOMEM;
    if (quasi->value_of_code && numbers) {
        memset(quasi->value_of_code, 0xff, codes * sizeof *quasi->value_of_code);
        status = parse_numbers(quasi, missing, drop_missing, numbers, &count, err);
    }
    if (status == HR_OK) status = rank_numbers(quasi, numbers, count, err);
    free(numbers);
    return status;
}

void hr_quasi_free(hr_quasi *quasi) {
    free(quasi->value_of_code);
    free(quasi->magval);
    free(quasi->finest);
    free(quasi->number);
    free(quasi->number_code);
    *quasi = (hr_quasi){0};
}

/* ---- values ---- */

hr_span hr_quasi_join(const hr_quasi *quasi, hr_span a, hr_span b) {
    if (quasi->tree) {
        uint32_t node = hr_hierarchy_join(quasi->tree, a.lo, b.lo);
        return (hr_span){node, node};
    }
    return (hr_span){a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
}

hr_status hr_quasi_set_range(hr_quasi *quasi, const double *range, hr_error *err) {
    quasi->range = range;
    for (uint32_t i = 0; i < quasi->value_count; i++) {
        if (quasi->number[i] >= range[0] && quasi->number[i] <= range[1]) continue;
        size_t row = 0;
        while (hr_quasi_value(quasi, row) != i)
            row++;
        return hr_fail(err, HR_EDATA,
                       "row %zu, column '%s': %s lies outside of its `range`; widen the range, or "
                       "leave it out",
                       row + 1, quasi->name, hr_column_text(quasi->column, row));
    }
    return HR_OK;
}

uint32_t hr_quasi_cost(const hr_quasi *quasi, hr_span value) {
    if (quasi->tree) return quasi->tree->cost[value.lo];
    double width = quasi->number[value.hi] - quasi->number[value.lo];
    return width > 0 ? (uint32_t)(width / hr_quasi_range(quasi) * HR_COST_ONE + 0.5) : 0;
}

/* Appends one end of an interval with the digits of the input. No point may touch the dots between
 * the ends: .5 becomes 0.5 and 1. becomes 1. */
static void add_end(const char *text, char point, hr_text *out) {
    size_t sign = *text == '-' || *text == '+', length = strlen(text);
    hr_text_add(out, text, sign);
    if (text[sign] == point) hr_text_puts(out, "0");
    if (text[length - 1] == point) length--;
    hr_text_add(out, text + sign, length - sign);
}

void hr_interval_text(const char *lo, const char *hi, char point, hr_text *out) {
    add_end(lo, point ? point : '.', out);
    hr_text_puts(out, "..");
    add_end(hi, point ? point : '.', out);
}

void hr_quasi_text(const hr_quasi *quasi, hr_span value, hr_text *out) {
    if (quasi->tree) {
        hr_text_puts(out, hr_hierarchy_label(quasi->tree, value.lo));
        return;
    }
    const hr_dictionary *texts = &quasi->column->dictionary;
    const char *lo = hr_dictionary_text(texts, quasi->number_code[value.lo]);
    if (value.lo == value.hi)
        hr_text_puts(out, lo);
    else
        hr_interval_text(lo, hr_dictionary_text(texts, quasi->number_code[value.hi]), quasi->point,
                         out);
}
