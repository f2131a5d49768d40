/* model.c - the table of privacy models, and OUT (Campan, Truta, Cooper 2010, Properties 5 and 6):
 * the rows of MAM cells that no release within the boundaries can contain. */
#include "model/model.h"

extern const hr_model hr_model_k_anonymity, hr_model_p_sensitivity;

const hr_model *const hr_models[] = {&hr_model_k_anonymity, &hr_model_p_sensitivity, NULL};

bool hr_models_hold(const hr_facts *facts, uint32_t g, const hr_requirements *asked) {
    for (const hr_model *const *model = hr_models; *model; model++)
        if (!(*model)->holds(facts, g, asked)) return false;
    return true;
}

uint64_t hr_models_out(const hr_facts *facts, const hr_requirements *asked, bool *out) {
    uint64_t rows = 0;
    for (uint32_t g = 0; g < facts->count; g++) {
        bool holds = hr_models_hold(facts, g, asked);
        if (!holds) rows += facts->size[g];
        if (out) out[g] = !holds;
    }
    return rows;
}
