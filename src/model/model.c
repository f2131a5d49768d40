/* model.c - the table of privacy models, and OUT (Campan, Truta, Cooper 2010, Properties 5 and 6):
 * the rows of MAM cells that no release within the boundaries can contain. */
#include "model/model.h"

#include <math.h>
#include <string.h>

extern const hr_model hr_model_k_anonymity, hr_model_p_sensitivity, hr_model_alpha;

const hr_model *const hr_models[] = {&hr_model_k_anonymity, &hr_model_p_sensitivity,
                                     &hr_model_alpha, NULL};

bool hr_model_in_play(const hr_model *model, const hr_requirements *asked) {
    return !model->in_play || model->in_play(asked);
}

size_t hr_model_find(const char *parameter) {
    for (size_t i = 0; hr_models[i]; i++)
        if (!strcmp(hr_models[i]->options->name, parameter)) return i;
    return SIZE_MAX;
}

bool hr_models_beyond_kp(const hr_requirements *asked) {
    for (size_t i = HR_MODELS_KP; hr_models[i]; i++)
        if (hr_model_in_play(hr_models[i], asked)) return true;
    return false;
}

bool hr_models_hold(const hr_facts *facts, uint32_t g, const hr_requirements *asked) {
    hr_known class = hr_facts_group(facts, g);
    for (const hr_model *const *model = hr_models; *model; model++)
        if (hr_model_in_play(*model, asked) && !(*model)->holds(&class, asked)) return false;
    return true;
}

double hr_model_achieved(const hr_model *model, const hr_facts *facts) {
    double worst = NAN;
    for (uint32_t g = 0; g < facts->count; g++) {
        hr_known class = hr_facts_group(facts, g);
        double own = model->achieved(&class);
        worst = model->less_is_stricter ? fmax(worst, own) : fmin(worst, own);
    }
    return worst;
}

double hr_model_asked(const hr_model *model, const hr_requirements *asked) {
    const hr_option *option = model->options;
    const void *at = (const char *)asked + option->offset;
    return option->type == HR_OPTION_REAL ? *(const double *)at : (double)*(const int64_t *)at;
}

void hr_model_print(const hr_model *model, double value, hr_text *out) {
    hr_text_printf(out, model->options->type == HR_OPTION_REAL ? "%.6g" : "%.0f", value);
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
