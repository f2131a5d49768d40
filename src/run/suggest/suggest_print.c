/* suggest_print.c - prints a suggestion: for people, the recommended boundaries as lines for the
 * job, then the alternatives; for programs, one table with a row for each of these. */
#include "report/rows.h"
#include "run/suggest/rollup.h"

#include <stdlib.h>
#include <string.h>

enum { COMBINATIONS_FEW = 10, FRONTIER_FEW = 20 }; /* that a table for people shows */

/* The level as a job names it: by its name, if that means this level, or by its number. */
static void add_level(const hr_hierarchy *tree, uint32_t level, hr_text *out) {
    const char *name = hr_hierarchy_level_name(tree, level);
    uint32_t found = HR_NONE;
    if (name && hr_hierarchy_level(tree, name, "", &found, NULL) == HR_OK && found == level)
        hr_text_puts(out, name);
    else
        hr_text_printf(out, "%u", level);
}

static void put_level(hr_rows *rows, const hr_hierarchy *tree, uint32_t level) {
    hr_text text = {0};
    if (level != HR_NONE) add_level(tree, level, &text);
    rows->failed |= text.failed;
    hr_rows_text(rows, text.failed ? NULL : text.data);
    hr_text_free(&text);
}

static double share_of(const hr_suggestion *s, uint64_t rows) {
    return (double)rows / (double)s->figures.rows;
}

/* ---- columns ---- */

#define TEXT(name)                                                                                 \
    { name, HR_ROWS_TEXT, 0 }
#define COUNT(name)                                                                                \
    { name, HR_ROWS_COUNT, 0 }
#define REAL(name)                                                                                 \
    { name, HR_ROWS_REAL, 4 }

typedef struct {
    hr_rows_column *columns;
    size_t count;
    hr_text names; /* of the columns for attributes, each ended by NUL */
} column_list;

/* `fixed`, then a column for each attribute that has a hierarchy. */
static hr_status make_columns(const hr_suggestion *s, const hr_rows_column *fixed, size_t count,
                              const char *prefix, column_list *out, hr_error *err) {
    *out = (column_list){.count = count};
    out->columns = hr_alloc(count + s->attribute_count, sizeof *out->columns, err);
    if (!out->columns) return HR_ENOMEM;
    memcpy(out->columns, fixed, count * sizeof *fixed);
    for (size_t j = 0; j < s->attribute_count; j++) {
        if (!s->attributes[j].tree) continue;
        hr_text_printf(&out->names, "%s%s", prefix, s->attributes[j].name);
        hr_text_add(&out->names, "", 1);
        out->count++;
    }
    if (out->names.failed) return hr_fail(err, HR_ENOMEM, "out of memory");
    const char *name = out->names.data; /* it does not move any more */
    for (size_t i = count; i < out->count; i++, name += strlen(name) + 1)
        out->columns[i] = (hr_rows_column)TEXT(name);
    return HR_OK;
}

static void free_columns(column_list *list) {
    hr_text_free(&list->names);
    free(list->columns);
}

static void put_levels(hr_rows *rows, const hr_suggestion *s, const uint32_t *levels) {
    for (size_t j = 0; j < s->attribute_count; j++)
        if (s->attributes[j].tree) put_level(rows, s->attributes[j].tree, levels[j]);
}

/* ---- for programs ---- */

static const hr_rows_column program_columns[] = {
    TEXT("what"),  COUNT("k"),           COUNT("p"),    COUNT("suppressed"),
    REAL("share"), REAL("loss_at_most"), TEXT("exact"), TEXT("attribute")};

/* Writes the fixed columns of one row; a negative loss means none. */
static void put_row(hr_rows *rows, const hr_suggestion *s, const char *what, hr_kp kp, double loss,
                    const char *exact, const char *attribute) {
    hr_rows_text(rows, what);
    hr_rows_count(rows, kp.k);
    hr_rows_count(rows, kp.p);
    hr_rows_count(rows, (int64_t)kp.suppressed);
    hr_rows_real(rows, share_of(s, kp.suppressed));
    if (loss >= 0)
        hr_rows_real(rows, loss);
    else
        hr_rows_none(rows);
    hr_rows_text(rows, exact);
    hr_rows_text(rows, attribute);
}

static void put_no_levels(hr_rows *rows, const hr_suggestion *s, size_t only) {
    for (size_t j = 0; j < s->attribute_count; j++)
        if (s->attributes[j].tree)
            put_level(rows, s->attributes[j].tree, j == only ? s->attributes[j].alone : HR_NONE);
}

static void add_program_rows(const hr_suggestion *s, hr_rows *rows) {
    const hr_suggestion_figures *f = &s->figures;
    for (size_t i = 0; i < s->combination_count; i++) {
        const hr_suggested *c = &s->combinations[i];
        put_row(rows, s, i == 0 ? "recommended" : "combination", (hr_kp){f->k, f->p, c->suppressed},
                c->loss_at_most, f->exact ? "yes" : "no", NULL);
        put_levels(rows, s, c->levels);
    }
    for (size_t j = 0; j < s->attribute_count; j++) {
        const hr_suggested_attribute *a = &s->attributes[j];
        if (a->alone == HR_NONE) continue;
        put_row(rows, s, "alone", (hr_kp){f->k, f->p, a->alone_suppressed}, -1, NULL, a->name);
        put_no_levels(rows, s, j);
    }
    for (size_t i = 0; i < s->frontier_count; i++) {
        put_row(rows, s, "frontier", s->frontier[i], -1, NULL, NULL);
        put_no_levels(rows, s, SIZE_MAX);
    }
}

static hr_status print_rows(const hr_suggestion *s, hr_print_format format, hr_text *out,
                            hr_error *err) {
    column_list list;
    hr_rows rows;
    hr_status status = make_columns(
        s, program_columns, sizeof program_columns / sizeof *program_columns, "level:", &list, err);
    if (status == HR_OK) {
        hr_rows_start(&rows, list.columns, list.count);
        add_program_rows(s, &rows);
        hr_rows_print(&rows, format, out);
    }
    free_columns(&list);
    return status;
}

/* ---- for people ---- */

static void add_share(const hr_suggestion *s, uint64_t rows, hr_text *out) {
    hr_number_text((double)rows, 0, out);
    hr_text_printf(out, " row%s (%.3g %%)", rows == 1 ? "" : "s", 100 * share_of(s, rows));
}

static bool has_trees(const hr_suggestion *s) {
    for (size_t j = 0; j < s->attribute_count; j++)
        if (s->attributes[j].tree) return true;
    return false;
}

static void add_budget(const hr_suggestion *s, hr_text *out) {
    const hr_suggestion_figures *f = &s->figures;
    hr_text_printf(out, "k = %lld, p = %lld, and at most ", (long long)f->k, (long long)f->p);
    add_share(s, f->budget, out);
    hr_text_puts(out, " suppressed; the job's own boundaries suppress ");
    add_share(s, f->suppressed, out);
    hr_text_puts(out, "\n");
    if (s->cuts_stay && has_trees(s))
        hr_text_puts(out,
                     "(cut points of numbers stay as the job's own boundaries have them; a run "
                     "with other\nboundaries chooses them anew and may suppress fewer rows)\n");
    hr_text_puts(out, "\n");
}

/* Explains how the combinations were found. */
static void add_method(const hr_suggestion *s, hr_text *out) {
    const hr_suggestion_figures *f = &s->figures;
    bool one = s->combination_count == 1;
    hr_text_printf(
        out,
        "%zu of %.6g combinations of boundary levels keep%s to the budget and allow%s no "
        "lower level",
        s->combination_count, f->lattice, one ? "s" : "", one ? "s" : "");
    if (f->exact)
        hr_text_puts(out, ":");
    else if (f->lattice > HR_SUGGEST_LATTICE)
        hr_text_puts(out, " (found by a heuristic; there may be more):");
    else
        hr_text_puts(out, "\n(found by a heuristic, because of a model other than k and p):");
    hr_text_puts(out,
                 "\nloss_at_most: information loss if every value went up to its boundary; the "
                 "least comes first\n\n");
}

static const hr_rows_column people_columns[] = {COUNT("suppressed"), REAL("share"),
                                                REAL("loss_at_most")};

static hr_status add_combinations(const hr_suggestion *s, hr_text *out, hr_error *err) {
    column_list list;
    hr_status status = make_columns(s, people_columns,
                                    sizeof people_columns / sizeof *people_columns, "", &list, err);
    if (status == HR_OK) {
        hr_rows rows;
        hr_rows_start(&rows, list.columns, list.count);
        for (size_t i = 0; i < s->combination_count && i < COMBINATIONS_FEW; i++) {
            hr_rows_count(&rows, (int64_t)s->combinations[i].suppressed);
            hr_rows_real(&rows, share_of(s, s->combinations[i].suppressed));
            hr_rows_real(&rows, s->combinations[i].loss_at_most);
            put_levels(&rows, s, s->combinations[i].levels);
        }
        hr_rows_print(&rows, HR_PRINT_TABLE, out);
        if (s->combination_count > COMBINATIONS_FEW)
            hr_text_printf(out, "and %zu more (--format csv lists them)\n",
                           s->combination_count - COMBINATIONS_FEW);
    }
    free_columns(&list);
    return status;
}

/* Writes the recommended combination as lines for the job. */
static void add_lines(const hr_suggestion *s, hr_text *out) {
    const uint32_t *levels = s->combinations[0].levels;
    hr_text_puts(out, "\nThe first combination, as the key `boundary` for each attribute of the "
                      "job:\n\n");
    for (size_t j = 0; j < s->attribute_count; j++) {
        if (levels[j] == HR_NONE) continue;
        hr_text_puts(out, "  boundary: {level: ");
        add_level(s->attributes[j].tree, levels[j], out);
        hr_text_puts(out, "}   # ");
        hr_plain_text(out, s->attributes[j].name);
        hr_text_puts(out, "\n");
    }
    hr_text_puts(out, "\n");
}

static void add_alone(const hr_suggestion *s, hr_text *out) {
    static const hr_rows_column columns[] = {TEXT("attribute"), TEXT("now"), TEXT("lowest"),
                                             COUNT("suppressed"), REAL("share")};
    hr_rows rows;
    hr_text_puts(out,
                 "One attribute at a time, the other boundaries as in the job: the lowest level "
                 "that keeps to the\nbudget\n\n");
    hr_rows_start(&rows, columns, sizeof columns / sizeof *columns);
    for (size_t j = 0; j < s->attribute_count; j++) {
        const hr_suggested_attribute *a = &s->attributes[j];
        if (!a->tree) continue;
        hr_rows_text(&rows, a->name);
        if (a->level == HR_NONE)
            hr_rows_text(&rows, "nodes");
        else
            put_level(&rows, a->tree, a->level);
        put_level(&rows, a->tree, a->alone);
        hr_rows_count_if(&rows, a->alone != HR_NONE, a->alone_suppressed);
        if (a->alone == HR_NONE)
            hr_rows_none(&rows);
        else
            hr_rows_real(&rows, share_of(s, a->alone_suppressed));
    }
    hr_rows_print(&rows, HR_PRINT_TABLE, out);
}

static void add_kp(const hr_suggestion *s, hr_text *out) {
    static const hr_rows_column columns[] = {COUNT("k"), COUNT("p"), COUNT("suppressed"),
                                             REAL("share")};
    const hr_suggestion_figures *f = &s->figures;
    hr_rows rows;
    if (s->frontier_count == 0) {
        hr_text_puts(out,
                     "\nThe boundaries of the job suppress more than the budget with any k and "
                     "p.\n");
        return;
    }
    hr_text_puts(out, "\nWith the boundaries of the job, the budget allows ");
    if (f->largest_k)
        hr_text_printf(out, "k up to %lld with p = %lld", (long long)f->largest_k, (long long)f->p);
    else
        hr_text_printf(out, "no k with p = %lld", (long long)f->p);
    if (f->largest_p)
        hr_text_printf(out, ", and p up to %lld with k = %lld", (long long)f->largest_p,
                       (long long)f->k);
    hr_text_puts(out, ".\nThe pairs of k and p that cannot be raised within it:\n\n");
    hr_rows_start(&rows, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < s->frontier_count && i < FRONTIER_FEW; i++) {
        hr_rows_count(&rows, s->frontier[i].k);
        hr_rows_count(&rows, s->frontier[i].p);
        hr_rows_count(&rows, (int64_t)s->frontier[i].suppressed);
        hr_rows_real(&rows, share_of(s, s->frontier[i].suppressed));
    }
    hr_rows_print(&rows, HR_PRINT_TABLE, out);
    if (s->frontier_count > FRONTIER_FEW)
        hr_text_printf(out, "and %zu more (--format csv lists them)\n",
                       s->frontier_count - FRONTIER_FEW);
}

static hr_status print_people(const hr_suggestion *s, hr_text *out, hr_error *err) {
    add_budget(s, out);
    if (!has_trees(s)) {
        hr_text_puts(out, "No quasi-identifier has a hierarchy: there are no levels to suggest.\n");
        add_kp(s, out);
        return HR_OK;
    }
    if (s->combination_count == 0) {
        hr_text_puts(out,
                     "No combination of boundary levels keeps to the budget: lower k or p, allow "
                     "more suppressed rows, or widen a boundary that is drawn through nodes\n\n");
    } else {
        add_method(s, out);
        HR_TRY(add_combinations(s, out, err));
        add_lines(s, out);
    }
    add_alone(s, out);
    add_kp(s, out);
    return HR_OK;
}

hr_status hr_suggestion_print(const hr_suggestion *suggestion, hr_print_format format, char **out,
                              hr_error *err) {
    hr_text text = {0};
    *out = NULL;
    HR_TRY(hr_print_check(format, err));
    hr_status status = format == HR_PRINT_TABLE ? print_people(suggestion, &text, err)
                                                : print_rows(suggestion, format, &text, err);
    if (status == HR_OK) return hr_text_take(&text, out, err);
    hr_text_free(&text);
    return status;
}
