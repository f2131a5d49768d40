/* compare_rows.c - a comparison as rows: all columns for programs; for people the columns that have
 * values, and below the table what the columns mean and why runs have no release. */
#include "run/compare/compare.h"

#include <math.h>

enum { COLUMNS_MOST = 24 };

/* A brief table, for people, has no columns without values and no notes. */
static size_t make_columns(const hr_compare *compare, bool brief, hr_rows_column *columns,
                           bool *shown) {
    size_t count = 0;
    columns[count++] = (hr_rows_column){"algorithm", HR_ROWS_TEXT, 0};
    columns[count++] = (hr_rows_column){"k", HR_ROWS_COUNT, 0};
    columns[count++] = (hr_rows_column){"p", HR_ROWS_COUNT, 0};
    for (size_t f = 0; hr_compare_figures[f].name; f++) {
        const hr_figure *figure = &hr_compare_figures[f];
        shown[f] = !brief;
        for (size_t i = 0; i < compare->entry_count && !shown[f]; i++)
            shown[f] = !isnan(hr_entry_value(figure, &compare->entries[i]));
        hr_rows_type type = figure->count ? HR_ROWS_COUNT : HR_ROWS_REAL;
        if (shown[f]) columns[count++] = (hr_rows_column){figure->name, type, figure->digits};
    }
    columns[count++] = (hr_rows_column){"pareto", HR_ROWS_TEXT, 0};
    if (!brief) columns[count++] = (hr_rows_column){"note", HR_ROWS_TEXT, 0};
    return count;
}

static void add_entry(hr_rows *rows, const hr_compare_entry *entry, const bool *shown, bool brief) {
    bool done = entry->state == HR_ENTRY_DONE;
    hr_rows_text(rows, entry->algorithm);
    hr_rows_count(rows, entry->k);
    hr_rows_count(rows, entry->p);
    for (size_t f = 0; hr_compare_figures[f].name; f++) {
        double value = hr_figure_value(&hr_compare_figures[f], &entry->figures);
        if (!shown[f]) continue;
        if (!done)
            hr_rows_none(rows);
        else if (hr_compare_figures[f].count)
            hr_rows_count(rows, (int64_t)value);
        else
            hr_rows_real(rows, value);
    }
    const char *other = brief ? "" : "no";
    hr_rows_text(rows, !done ? NULL : entry->best ? "yes" : other);
    if (!brief) hr_rows_text(rows, entry->note);
}

void hr_compare_rows(const hr_compare *compare, hr_print_format format, hr_text *out) {
    bool shown[COLUMNS_MOST] = {false}, brief = format == HR_PRINT_TABLE;
    hr_rows_column columns[COLUMNS_MOST];
    hr_rows rows;
    hr_rows_start(&rows, columns, make_columns(compare, brief, columns, shown));
    for (size_t i = 0; i < compare->entry_count; i++)
        if (compare->entries[i].state != HR_ENTRY_WAITING)
            add_entry(&rows, &compare->entries[i], shown, brief);
    hr_rows_print(&rows, format, out);
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
            hr_text_printf(out, "  and %zu more; --format csv tells the reason of each in `note`\n",
                           more);
    }
}

static bool has_bound(const hr_compare *compare) {
    const hr_figure *bound = hr_figure_find("ntil_bound");
    for (size_t i = 0; i < compare->entry_count; i++)
        if (!isnan(hr_entry_value(bound, &compare->entries[i]))) return true;
    return false;
}

void hr_compare_legend(const hr_compare *compare, hr_text *out) {
    add_notes(compare, out);
    hr_text_puts(
        out,
        "\npareto: no other run promises as much (k, p) for as little loss, suppressed rows and\n"
        "violations, and is better in one of these\n");
    if (has_bound(compare)) hr_text_printf(out, "ntil_bound: %s\n", hr_compare_bound_means);
    hr_text_puts(out, "seconds: from MAM cells to verification, ");
    hr_compare_threads(compare, out);
    hr_text_puts(out, "\n");
}
