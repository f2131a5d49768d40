/* p_sensitivity.c - p-sensitivity (Truta, Vinay 2006; Campan, Truta, Cooper 2010, Definition 3):
 * every class has at least p values of each sensitive attribute. Missing values do not
 * count; with p = 1 the model always holds. */
#include "model/model.h"

static bool in_play(const hr_requirements *asked) {
    return asked->p > 1;
}

static bool holds(const hr_known *class, size_t l, const hr_requirements *asked) {
    return class->distinct[l] >= asked->p;
}

static double achieved(const hr_known *class, size_t l, const hr_requirements *asked) {
    (void)asked;
    return class->distinct[l];
}

static uint32_t lack(const hr_known *class, size_t l, const hr_requirements *asked) {
    return holds(class, l, asked) ? 0 : (uint32_t)(asked->p - class->distinct[l]);
}

static uint32_t least_values(const hr_requirements *asked) {
    return (uint32_t)asked->p;
}

static const hr_option options[] = {
    {.name = "p",
     .help = "values of each sensitive attribute that every class must have",
     .type = HR_OPTION_INT,
     .offset = offsetof(hr_requirements, p),
     .initial = 1,
     .min = 1,
     .max = 1e6},
    {0},
};

const hr_model hr_model_p_sensitivity = {
    .name = "p-sensitivity",
    .title = "hides a diagnosis: every class has at least p values of each sensitive attribute",
    .reference = "Campan, Truta, Cooper 2010, Definition 3",
    .options = options,
    .needs = HR_NEEDS_VALUES,
    .closed_under_union = true,
    .closed_under_superset = true,
    .always_shown = true,
    .in_play = in_play,
    .holds = holds,
    .achieved = achieved,
    .lack = lack,
    .least_values = least_values,
};
