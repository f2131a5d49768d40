/* cuts.c - chooses the cells of numbers without a hierarchy when the job gives only the greatest
 * width of an interval or the number of cells. cut_one.c cuts one attribute so that the fewest rows
 * must be suppressed while the others stay as they are. Several attributes start with the coarsest
 * cuts and are cut in turn until a round saves no row: the result is a local optimum. */
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

bool hr_cuts_chosen(const hr_microdata *data) {
    for (size_t j = 0; j < data->quasi_count; j++)
        if (hr_cut_rule_chooses(&data->quasi[j].rule)) return true;
    return false;
}

hr_status hr_cuts_copy(const hr_microdata *data, hr_microdata *out, hr_error *err) {
    hr_quasi *copy = hr_alloc(data->quasi_count, sizeof *copy, err);
    if (!copy) return HR_ENOMEM;
    *out = *data;
    out->quasi = copy;
    memcpy(copy, data->quasi, data->quasi_count * sizeof *copy);
    for (size_t j = 0; j < data->quasi_count; j++)
        if (copy[j].rule.kind) copy[j].magval = NULL;
    hr_status status = HR_OK;
    for (size_t j = 0; j < data->quasi_count && status == HR_OK; j++)
        if (copy[j].rule.kind == HR_CUTS_GIVEN)
            status = hr_quasi_cut(&copy[j], copy[j].rule.points, copy[j].rule.point_count, err);
    if (status != HR_OK) hr_cuts_discard(out);
    return status;
}

void hr_cuts_discard(hr_microdata *copy) {
    for (size_t j = 0; j < copy->quasi_count; j++)
        if (copy->quasi[j].rule.kind) free(copy->quasi[j].magval);
    free(copy->quasi);
    copy->quasi = NULL;
}

/* Coarse cuts to start from: the widest intervals from the least number on, or equally many numbers
 * in each cell. */
static hr_status start_cuts(hr_quasi *quasi, hr_error *err) {
    uint32_t count = quasi->value_count, first = 0;
    uint32_t cells = quasi->rule.cells < count ? quasi->rule.cells : count;
    double widest = count ? hr_quasi_width_units(quasi, quasi->rule.width) : 0;
    uint32_t *magval = hr_alloc(count, sizeof *magval, err);
    if (!magval) return HR_ENOMEM;
    for (uint32_t v = 0; v < count; v++) {
        bool next = quasi->rule.kind == HR_CUTS_CELLS
                        ? (uint64_t)v * cells / count != (uint64_t)first * cells / count
                        : hr_quasi_units(quasi, v) - hr_quasi_units(quasi, first) > widest;
        if (next) first = v;
        magval[v] = first;
    }
    hr_quasi_set_cells(quasi, magval);
    return HR_OK;
}

static void notice_blocks(const hr_quasi *quasi, uint32_t tried, const hr_watch *watch) {
    if (tried < quasi->value_count)
        hr_notice(watch,
                  "'%s' has %u different numbers: cut points were tried at %u of them only, so "
                  "others might suppress fewer rows; round the numbers to try all",
                  quasi->name, quasi->value_count, tried);
}

/* Cuts every attribute once. *least: the fewest rows that had to be suppressed so far. After the
 * first round cells are replaced only where that saves rows, so the last round shows that no
 * attribute alone can save more. */
static hr_status cut_all(hr_microdata *data, const hr_requirements *asked, const hr_watch *watch,
                         bool first, uint64_t *least, hr_error *err) {
    for (size_t j = 0; j < data->quasi_count; j++) {
        hr_quasi *quasi = &data->quasi[j];
        hr_cut_found found;
        if (!hr_cut_rule_chooses(&quasi->rule) || quasi->value_count == 0) continue;
        HR_TRY(hr_cut_one(data, asked, j, watch, &found, err));
        if (first || found.suppressed < *least)
            hr_quasi_set_cells(quasi, found.magval);
        else
            free(found.magval);
        if (first) notice_blocks(quasi, found.tried, watch);
        if (found.suppressed < *least) *least = found.suppressed;
    }
    return HR_OK;
}

hr_status hr_cuts_choose(hr_microdata *data, const hr_requirements *asked, const hr_watch *watch,
                         hr_error *err) {
    size_t cut = 0;
    for (size_t j = 0; j < data->quasi_count; j++) {
        if (!hr_cut_rule_chooses(&data->quasi[j].rule)) continue;
        HR_TRY(start_cuts(&data->quasi[j], err));
        cut++;
    }
    uint64_t least = UINT64_MAX, before;
    bool first = true;
    do {
        before = least;
        HR_TRY(cut_all(data, asked, watch, first, &least, err));
        first = false;
    } while (cut > 1 && least > 0 && least < before);
    return HR_OK;
}
