/* l_diversity.c - distinct l-diversity (Machanavajjhala et al. 2007): every class has at least l
 * values of the sensitive attribute. It is p-sensitivity under another name, but each sensitive
 * attribute may have its own l. Missing values do not count.
 *
 * Rows that join a class remove no value, so the model is closed under supersets, and so under
 * union. */
#include "model/model.h"

static bool in_play(const hr_requirements *asked) {
    return asked->l > 1;
}

static bool holds(const hr_known *class, size_t l, const hr_requirements *asked) {
    return class->distinct[l] >= asked->l;
}

static double achieved(const hr_known *class, size_t l, const hr_requirements *asked) {
    (void)asked;
    return class->distinct[l];
}

static uint32_t lack(const hr_known *class, size_t l, const hr_requirements *asked) {
    return holds(class, l, asked) ? 0 : (uint32_t)(asked->l - class->distinct[l]);
}

static uint32_t least_values(const hr_requirements *asked) {
    return (uint32_t)asked->l;
}

static const hr_option options[] = {
    {.name = "l",
     .help = "different values that every class must have, per sensitive attribute (1)",
     .type = HR_OPTION_INT,
     .offset = offsetof(hr_requirements, l),
     .initial = 1,
     .min = 1,
     .max = 1e6},
    {0},
};

const hr_model hr_model_l_diversity = {
    .name = "l-diversity",
    .title = "distinct l-diversity: p, but each sensitive attribute may have its own number",
    .reference = "Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam 2007",
    .options = options,
    .needs = HR_NEEDS_VALUES,
    .closed_under_union = true,
    .closed_under_superset = true,
    .own = 2,
    .in_play = in_play,
    .holds = holds,
    .achieved = achieved,
    .lack = lack,
    .least_values = least_values,
};
