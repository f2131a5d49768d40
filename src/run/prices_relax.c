/* prices_relax.c - the price of a coarser boundary of one attribute in a job with boundaries that
 * cut numbers: the table is cut again, and the cells of numbers are chosen anew, as in a run. */
#include "run/run.h"

#include <stdlib.h>

/* Leaves out the first, third, ... cut point. */
static hr_status skip_cuts(hr_quasi *quasi, hr_error *err) {
    const hr_cut_rule *rule = &quasi->rule;
    size_t count = rule->point_count / 2;
    double *points = hr_alloc(count, sizeof *points, err);
    if (!points) return HR_ENOMEM;
    for (size_t i = 0; i < count; i++)
        points[i] = rule->points[2 * i + 1];
    hr_status status = hr_quasi_cut(quasi, points, count, err);
    free(points);
    return status;
}

static hr_status relax_number(hr_quasi *quasi, hr_error *err) {
    quasi->rule.width *= 2;
    quasi->rule.cells = (quasi->rule.cells + 1) / 2;
    return quasi->rule.kind == HR_CUTS_GIVEN ? skip_cuts(quasi, err) : HR_OK;
}

hr_status hr_chosen_cut(hr_microdata *data, const hr_requirements *asked, const hr_watch *watch,
                        hr_facts *facts, uint64_t *trimmed, hr_error *err) {
    hr_groups cells;
    HR_TRY(hr_cuts_choose(data, asked, watch, err));
    HR_TRY(hr_cells(data->quasi, data->quasi_count, data->rows, true, &cells, err));
    hr_status status = hr_cells_trim(data, asked, watch, &cells, trimmed, err);
    if (status == HR_OK) status = hr_facts_of_data(&cells, data, facts, err);
    hr_groups_free(&cells);
    return status;
}

hr_status hr_relaxed_cut(const hr_dataset *dataset, size_t j, const hr_requirements *asked,
                         const hr_watch *watch, hr_facts *facts, uint64_t *trimmed, hr_error *err) {
    hr_microdata copy;
    hr_watch silent = hr_watch_silent(watch); /* notices are for the boundaries of the job */
    uint32_t *higher = NULL;
    HR_TRY(hr_cuts_copy(&dataset->data, &copy, err));
    hr_quasi *quasi = &copy.quasi[j];
    hr_status status = quasi->tree ? hr_boundary_relax(quasi->tree, quasi->magval, &higher, err)
                                   : relax_number(quasi, err);
    if (higher) quasi->magval = higher;
    if (status == HR_OK) status = hr_chosen_cut(&copy, asked, &silent, facts, trimmed, err);
    hr_cuts_discard(&copy);
    free(higher);
    return status;
}
