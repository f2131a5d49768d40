/* compare_figures.c - what a comparison tells of a run, in the order of its table. One row here is a
 * column of the table, a key of the store and, with a title, a row of charts. */
#include "job/compare.h"

#include <math.h>
#include <string.h>

#define AT(name) offsetof(hr_figures, name)

const hr_figure hr_compare_figures[] = {
    {"ntil", "Loss (NTIL)", "share of all that could be lost", false, 4, AT(ntil)},
    {"ntil_bound", NULL, NULL, false, 4, AT(ntil_bound)},
    {"il", NULL, NULL, false, 1, AT(il)},
    {"dm", "Discernibility (DM)", "sum of squared class sizes", false, 0, AT(dm)},
    {"avg", "Average class (AVG)", "rows of a class, in units of k", false, 2, AT(avg)},
    {"avg_clusters", NULL, NULL, false, 2, AT(avg_clusters)},
    {"sse_sst", "Loss (SSE/SST)", "squared error as a share", false, 4, AT(sse_sst)},
    {"classes", "Classes", "classes", true, 0, AT(classes)},
    {"clusters", NULL, NULL, true, 0, AT(clusters)},
    {"suppressed", "Suppressed rows", "rows", true, 0, AT(suppressed)},
    {"violations", "Values past a boundary", "values", true, 0, AT(violations)},
    {"seconds", "Time", "seconds of a run", false, 3, AT(seconds)},
    {0},
};

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

void hr_figure_set(const hr_figure *figure, hr_figures *figures, double value) {
    void *at = (char *)figures + figure->offset;
    if (figure->count)
        *(uint64_t *)at = isnan(value) ? 0 : (uint64_t)value;
    else
        *(double *)at = value;
}
