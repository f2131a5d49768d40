/* compare_rows.c - prints a comparison as rows: for programs with all columns; for people with the
 * columns that have values, and below the table what the columns mean and why runs have no
 * release. */
#include "run/compare/compare.h"

#include <math.h>
#include <string.h>

enum { FIGURES_MOST = 32 };

/* Is the figure a column of the table? The table for people (`brief`) has only the most important
 * figures, if any run has them, and violations only if there are any. */
static bool is_shown(const hr_compare *compare, const hr_figure *figure, bool brief) {
    bool rare = !strcmp(figure->name, "violations");
    if (!brief) return true;
    for (size_t i = 0; i < compare->entry_count && figure->label; i++) {
        double value = hr_entry_value(figure, &compare->entries[i]);
        if (!isnan(value) && (value > 0 || !rare)) return true;
    }
    return false;
}

/* Is the figure what a model other than k and p achieves? For programs these columns come last. */
static bool is_late(const hr_figure *figure, bool brief) {
    return !brief && !strncmp(figure->name, "achieved_", 9);
}

static void add_column(hr_rows_columns *columns, const char *name, hr_rows_type type, int digits) {
    hr_rows_columns_add(columns, &(hr_rows_column){name, type, digits}, 1);
}

static void make_figures(const hr_compare *compare, bool brief, bool late, hr_rows_columns *columns,
                         bool *shown) {
    for (size_t f = 0; hr_compare_figures[f].name; f++) {
        const hr_figure *figure = &hr_compare_figures[f];
        hr_rows_type type = figure->count ? HR_ROWS_COUNT : HR_ROWS_REAL;
        shown[f] = is_shown(compare, figure, brief);
        if (shown[f] && is_late(figure, brief) == late)
            add_column(columns, brief ? figure->label : figure->name, type, figure->digits);
    }
}

static void make_columns(const hr_compare *compare, bool brief, hr_rows_columns *columns,
                         bool *shown) {
    add_column(columns, "algorithm", HR_ROWS_TEXT, 0);
    add_column(columns, "k", HR_ROWS_COUNT, 0);
    add_column(columns, "p", HR_ROWS_COUNT, 0);
    make_figures(compare, brief, false, columns, shown);
    add_column(columns, "pareto", HR_ROWS_TEXT, 0);
    if (!brief) add_column(columns, "note", HR_ROWS_TEXT, 0);
    make_figures(compare, brief, true, columns, shown);
    if (!brief)
        hr_rows_columns_asked(columns, compare->promises.asked, compare->promises.asked_count);
}

static void add_figures(hr_rows *rows, const hr_compare_entry *entry, const bool *shown, bool brief,
                        bool late, double bound) {
    bool done = entry->state == HR_ENTRY_DONE;
    for (size_t f = 0; hr_compare_figures[f].name; f++) {
        const hr_figure *figure = &hr_compare_figures[f];
        double value = hr_figure_value(figure, &entry->figures);
        if (!shown[f] || is_late(figure, brief) != late) continue;
        if (!done)
            hr_rows_none(rows);
        else if (figure->count)
            hr_rows_count(rows, (int64_t)value);
        else
            hr_rows_real(rows, brief && !strcmp(figure->name, "ntil_bound") ? bound : value);
    }
}

/* Adds a run. To people, `bound` is shown in place of the bound that the run itself proved. */
static void add_entry(hr_rows *rows, const hr_compare_entry *entry, const bool *shown, bool brief,
                      double bound) {
    bool done = entry->state == HR_ENTRY_DONE;
    hr_rows_text(rows, entry->algorithm);
    hr_rows_count(rows, entry->k);
    hr_rows_count(rows, entry->p);
    add_figures(rows, entry, shown, brief, false, bound);
    const char *other = brief ? "" : "no";
    hr_rows_text(rows, !done ? NULL : entry->best ? "yes" : other);
    if (!brief) hr_rows_text(rows, entry->note);
    add_figures(rows, entry, shown, brief, true, bound);
    if (!brief) hr_rows_asked(rows, entry->attributes, entry->attribute_count, done);
}

/* Rows are sorted by k, then p, then in the order of the algorithms. */
void hr_compare_rows(const hr_compare *compare, hr_print_format format, hr_text *out) {
    bool shown[FIGURES_MOST] = {false}, brief = format == HR_PRINT_TABLE;
    hr_rows_columns columns = {0};
    size_t algorithms = compare->grid.algorithm_count, p_count = compare->grid.p_count;
    hr_rows rows;
    make_columns(compare, brief, &columns, shown);
    out->failed |= hr_rows_columns_end(&columns, NULL) != HR_OK;
    hr_rows_start(&rows, columns.items, columns.count);
    for (size_t i = 0; i < compare->entry_count && !out->failed; i++) {
        size_t k = i / algorithms / p_count, p = i / algorithms % p_count;
        const hr_compare_entry *entry = hr_compare_at(compare, i % algorithms, k, p);
        if (entry->state != HR_ENTRY_WAITING)
            add_entry(&rows, entry, shown, brief,
                      hr_compare_bound(compare, k, p, entry->count_boundaries));
    }
    if (!out->failed) hr_rows_print(&rows, format, out);
    hr_rows_columns_free(&columns);
}

/* Why runs gave no release: the first reason of each algorithm and the number of further runs. */
static void add_notes(const hr_compare *compare, hr_text *out) {
    size_t each = compare->grid.k_count * compare->grid.p_count;
    for (size_t a = 0; a < compare->grid.algorithm_count; a++) {
        const hr_compare_entry *first = NULL;
        size_t more = 0;
        for (size_t i = a * each; i < (a + 1) * each; i++) {
            if (compare->entries[i].state != HR_ENTRY_EMPTY) continue;
            if (first)
                more++;
            else
                first = &compare->entries[i];
        }
        if (!first) continue;
        hr_text_printf(out, "\n%s, k = %lld, p = %lld: ", first->algorithm, (long long)first->k,
                       (long long)first->p);
        hr_plain_text(out, first->note ? first->note : "");
        hr_text_puts(out, "\n");
        if (more)
            hr_text_printf(
                out,
                "  and %zu more without a release; `--format csv` gives each reason in `note`\n",
                more);
    }
}

static bool has_figure(const hr_compare *compare, const char *name) {
    return is_shown(compare, hr_figure_find(name), true);
}

/* Does a column show what a model other than k and p achieves? */
static bool shows_models(const hr_compare *compare) {
    for (size_t f = 0; hr_compare_figures[f].name; f++)
        if (!strncmp(hr_compare_figures[f].name, "achieved_", 9) &&
            is_shown(compare, &hr_compare_figures[f], true))
            return true;
    return false;
}

void hr_compare_settings(const hr_compare *compare, hr_text *out) {
    bool modes[2] = {false, false};
    for (size_t i = 0; i < compare->entry_count; i++)
        modes[compare->entries[i].count_boundaries] = true;
    if (compare->effort) hr_text_printf(out, "effort %s; ", compare->effort);
    hr_text_puts(out, !modes[1]  ? "boundaries enforced; "
                      : modes[0] ? "boundaries enforced, or counted as the paper's algorithm does; "
                                 : "boundaries counted, not enforced; ");
    hr_text_puts(out, compare->models);
    hr_compare_threads(compare, out);
}

void hr_compare_legend(const hr_compare *compare, hr_text *out) {
    add_notes(compare, out);
    hr_text_puts(out, "\nruns: ");
    hr_compare_settings(compare, out);
    hr_text_puts(out, "\n");
    if (has_figure(compare, "ntil"))
        hr_text_puts(out, "loss: information loss, from 0 (nothing is lost) to 1 (everything)\n");
    if (has_figure(compare, "ntil_bound"))
        hr_text_printf(out, "bound: %s\n", hr_compare_bound_means);
    if (has_figure(compare, "sse_sst"))
        hr_text_puts(out, "sse_sst: squared error of published means, from 0 to 1\n");
    hr_text_puts(out, "classes: groups of rows that are published alike\n");
    if (has_figure(compare, "violations"))
        hr_text_puts(out, "violations: values generalized past a boundary\n");
    if (shows_models(compare))
        hr_text_puts(out, "the other models: what the worst class achieves\n");
    hr_text_puts(
        out, "seconds: search and verification of one run, without reading the table\n"
             "pareto: yes if no other run is at least as good in k, p, loss, suppressed rows and\n"
             "violations, and better in one of them\n"
             "`--format csv` has more figures, and the bound that each run proved\n");
}
