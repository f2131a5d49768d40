/* compare_figures.c - the table of figures that a comparison shows for each run, in the order of
 * its columns. */
#include "run/compare/compare.h"

#include <math.h>
#include <string.h>

#define AT(name) offsetof(hr_figures, name)
/* Upper limit of counts, up to which a double is exact; and its square. */
#define ROWS   0x1p53
#define SQUARE 0x1p106

const hr_figure hr_compare_figures[] = {
    {"ntil", "Loss (NTIL)", "share of all that could be lost", "loss", false, 4, 1, AT(ntil)},
    {"ntil_bound", NULL, NULL, "bound", false, 4, 1, AT(ntil_bound)},
    {"il", NULL, NULL, NULL, false, 1, ROWS, AT(il)},
    {"dm", "Discernibility (DM)", "sum of squared class sizes", NULL, false, 0, SQUARE, AT(dm)},
    {"avg", "Average class (AVG)", "rows of a class, in units of k", NULL, false, 2, ROWS, AT(avg)},
    {"avg_clusters", NULL, NULL, NULL, false, 2, ROWS, AT(avg_clusters)},
    {"sse_sst", "Loss (SSE/SST)", "squared error as a share", "sse_sst", false, 4, 1, AT(sse_sst)},
    {"classes", "Classes", "classes", "classes", true, 0, ROWS, AT(classes)},
    {"clusters", NULL, NULL, NULL, true, 0, ROWS, AT(clusters)},
    {"suppressed", "Suppressed rows", "rows", "suppressed", true, 0, ROWS, AT(suppressed)},
    {"violations", "Values past a boundary", "values", "violations", true, 0, ROWS, AT(violations)},
    {"achieved_alpha", NULL, NULL, "alpha", false, 4, 1, AT(achieved_alpha)},
    {"achieved_l", NULL, NULL, "l", false, 0, ROWS, AT(achieved_l)},
    {"achieved_entropy_l", NULL, NULL, "entropy_l", false, 3, ROWS, AT(achieved_entropy_l)},
    {"achieved_recursive_c", NULL, NULL, "recursive_c", false, 3, ROWS, AT(achieved_recursive_c)},
    {"achieved_t", NULL, NULL, "t", false, 4, 1, AT(achieved_t)},
    {"seconds", "Time", "seconds of a run", "seconds", false, 3, ROWS, AT(seconds)},
    {0},
};

const char hr_compare_bound_means[] =
    "no release of the same k, p and boundaries that suppresses no more rows loses less";

const hr_figure *hr_figure_find(const char *name) {
    const hr_figure *figure = hr_compare_figures;
    while (figure->name && strcmp(figure->name, name))
        figure++;
    return figure->name ? figure : NULL;
}

double hr_figure_value(const hr_figure *figure, const hr_figures *figures) {
    const void *at = (const char *)figures + figure->offset;
    return figure->count ? (double)*(const uint64_t *)at : *(const double *)at;
}

double hr_entry_value(const hr_figure *figure, const hr_compare_entry *entry) {
    return entry->state == HR_ENTRY_DONE ? hr_figure_value(figure, &entry->figures) : NAN;
}

bool hr_entries_alike(const hr_compare_entry *a, const hr_compare_entry *b) {
    if (a->state != HR_ENTRY_DONE || b->state != HR_ENTRY_DONE) return false;
    bool means = isnan(a->figures.ntil) || isnan(b->figures.ntil);
    double x = means ? a->figures.sse_sst : a->figures.ntil;
    double y = means ? b->figures.sse_sst : b->figures.ntil;
    return fabs(x - y) <= 0.01 * fmax(x, y) && a->figures.suppressed == b->figures.suppressed &&
           a->figures.violations == b->figures.violations;
}

double hr_compare_bound(const hr_compare *compare, size_t k, size_t p, bool counted) {
    const hr_figure *figure = hr_figure_find("ntil_bound");
    uint64_t fewest = UINT64_MAX;
    double bound = NAN;
    for (size_t a = 0; a < compare->grid.algorithm_count; a++) {
        const hr_compare_entry *entry = hr_compare_at(compare, a, k, p);
        double proved = hr_entry_value(figure, entry);
        uint64_t suppressed = entry->figures.suppressed;
        if (isnan(proved) || entry->count_boundaries != counted || suppressed > fewest) continue;
        bound = suppressed < fewest ? proved : fmax(bound, proved);
        fewest = suppressed;
    }
    return bound;
}

bool hr_figure_can_be(const hr_figure *figure, double value) {
    if (isnan(value)) return !figure->count;
    bool whole = value == floor(value);
    return value >= 0 && value <= figure->most * (1 + 1e-9) && (whole || !figure->count);
}

void hr_figure_set(const hr_figure *figure, hr_figures *figures, double value) {
    void *at = (char *)figures + figure->offset;
    if (figure->count)
        *(uint64_t *)at = hr_figure_can_be(figure, value) ? (uint64_t)value : 0;
    else
        *(double *)at = value;
}

void hr_compare_threads(const hr_compare *compare, hr_text *out) {
    unsigned least = 0, most = 0;
    for (size_t i = 0; i < compare->entry_count; i++) {
        const hr_compare_entry *entry = &compare->entries[i];
        if (entry->state != HR_ENTRY_DONE) continue;
        if (least == 0 || entry->threads < least) least = entry->threads;
        if (entry->threads > most) most = entry->threads;
    }
    if (most == 0) least = most = compare->threads; /* no run is finished */
    if (least < most) hr_text_printf(out, "%u to ", least);
    hr_text_printf(out, "%u thread%s per run", most, most == 1 ? "" : "s");
}
