/* model.c - the table of privacy models, and OUT (Campan, Truta, Cooper 2010, Properties 5 and 6):
 * the rows of MAM cells that no release within the boundaries can contain. */
#include "model/model.h"

#include <math.h>
#include <string.h>

extern const hr_model hr_model_k_anonymity, hr_model_p_sensitivity, hr_model_alpha,
    hr_model_l_diversity, hr_model_entropy, hr_model_recursive, hr_model_t_closeness;

const hr_model *const hr_models[] = {
    &hr_model_k_anonymity, &hr_model_p_sensitivity, &hr_model_alpha,       &hr_model_l_diversity,
    &hr_model_entropy,     &hr_model_recursive,     &hr_model_t_closeness, NULL};

bool hr_model_in_play(const hr_model *model, const hr_requirements *asked) {
    return !model->in_play || model->in_play(asked) || (asked->own & model->own);
}

size_t hr_model_find(const char *parameter) {
    for (size_t i = 0; hr_models[i]; i++)
        if (!strcmp(hr_models[i]->options->name, parameter)) return i;
    return SIZE_MAX;
}

bool hr_models_beyond_kp(const hr_requirements *asked) {
    if (asked->unit) return true;
    for (size_t i = HR_MODELS_KP; hr_models[i]; i++)
        if (hr_model_in_play(hr_models[i], asked)) return true;
    return false;
}

static const hr_sensitive *sensitive_at(const hr_sensitive *sensitive, size_t l) {
    return sensitive ? &sensitive[l] : NULL;
}

bool hr_model_holds(const hr_model *model, const hr_known *class, const hr_requirements *asked) {
    if (!model->needs) return model->holds(class, 0, asked);
    for (size_t l = 0; l < class->sensitive_count; l++) {
        hr_requirements own = hr_asked_of(asked, sensitive_at(class->sensitive, l));
        if (model->in_play(&own) && !model->holds(class, l, &own)) return false;
    }
    return true;
}

const hr_model *hr_models_violated(const hr_facts *facts, uint32_t g,
                                   const hr_requirements *asked) {
    hr_known class = hr_facts_group(facts, g);
    for (const hr_model *const *model = hr_models; *model; model++)
        if (hr_model_in_play(*model, asked) && !hr_model_holds(*model, &class, asked))
            return *model;
    return NULL;
}

bool hr_models_hold(const hr_facts *facts, uint32_t g, const hr_requirements *asked) {
    return !hr_models_violated(facts, g, asked);
}

bool hr_model_asks(const hr_model *model, const hr_facts *facts, size_t l,
                   const hr_requirements *asked) {
    hr_requirements own = hr_asked_of(asked, sensitive_at(facts->sensitive, l));
    return !model->in_play || model->in_play(&own);
}

/* Is value a of the parameter a weaker promise than b? NaN is no promise. */
static bool is_weaker(const hr_model *model, double a, double b) {
    if (isnan(a)) return false;
    return isnan(b) || (model->less_is_stricter ? a > b : a < b);
}

double hr_model_achieved_in(const hr_model *model, const hr_facts *facts, size_t l,
                            const hr_requirements *asked, uint32_t *worst) {
    hr_requirements own = hr_asked_of(asked, sensitive_at(facts->sensitive, l));
    double least = NAN;
    *worst = HR_NONE;
    for (uint32_t g = 0; g < facts->count; g++) {
        hr_known class = hr_facts_group(facts, g);
        double achieved = model->achieved(&class, l, &own);
        if (!is_weaker(model, achieved, least)) continue;
        least = achieved;
        *worst = g;
    }
    return least;
}

double hr_model_achieved(const hr_model *model, const hr_facts *facts,
                         const hr_requirements *asked) {
    double least = NAN;
    size_t count = model->needs ? facts->sensitive_count : 1;
    bool some = false;
    for (size_t l = 0; l < count; l++)
        some = some || hr_model_asks(model, facts, l, asked);
    for (size_t l = 0; l < count; l++) {
        uint32_t worst;
        if (some && model->needs && !hr_model_asks(model, facts, l, asked)) continue;
        double own = hr_model_achieved_in(model, facts, l, asked, &worst);
        if (is_weaker(model, own, least)) least = own;
    }
    return least;
}

double hr_model_asked(const hr_model *model, const hr_requirements *asked) {
    if ((model->own & asked->own) && !model->in_play(asked)) return NAN;
    const hr_option *option = model->options;
    const void *at = (const char *)asked + option->offset;
    return option->type == HR_OPTION_REAL ? *(const double *)at : (double)*(const int64_t *)at;
}

void hr_model_print(const hr_model *model, double value, hr_text *out) {
    hr_text_printf(out, model->options->type == HR_OPTION_REAL ? "%.6g" : "%.0f", value);
}

void hr_model_print_asked(const hr_model *model, const hr_requirements *asked, hr_text *out) {
    hr_requirements initial = {0};
    hr_options_init(model->options, &initial);
    hr_model_print(model, hr_model_asked(model, asked), out);
    for (const hr_option *option = model->options + 1; option->name; option++) {
        hr_text own = {0}, usual = {0};
        hr_option_print(option, asked, &own);
        hr_option_print(option, &initial, &usual);
        if (own.data && usual.data && strcmp(own.data, usual.data) != 0)
            hr_text_printf(out, " (%s %s)", option->name, own.data);
        out->failed |= own.failed || usual.failed;
        hr_text_free(&own);
        hr_text_free(&usual);
    }
}

/* One pass over the groups: sets out[g] for each that violates a model, leaves the others as they
 * are, and sets *more if any group is newly out. */
static uint64_t find_out(const hr_facts *facts, const hr_requirements *asked, bool *out,
                         bool *more) {
    uint64_t rows = 0;
    *more = false;
    for (uint32_t g = 0; g < facts->count; g++) {
        bool is_out = (out && out[g]) || !hr_models_hold(facts, g, asked);
        if (is_out) rows += facts->size[g];
        if (out && is_out != out[g]) {
            out[g] = is_out;
            *more = true;
        }
    }
    return rows;
}

uint64_t hr_models_out(const hr_facts *facts, const hr_requirements *asked, bool *out) {
    bool more, refers = facts->reference && asked->t_reference == HR_REFERENCE_RELEASED;
    if (refers && !out) out = facts->scratch;
    if (out) memset(out, 0, facts->count * sizeof *out);
    if (facts->reference && !refers) hr_reference_use_input(facts->reference);
    if (!refers) return find_out(facts, asked, out, &more);
    uint64_t rows;
    do {
        hr_facts_refer_to(facts, out);
        rows = find_out(facts, asked, out, &more);
    } while (more);
    return rows;
}
