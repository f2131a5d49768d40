/* k_anonymity.c - k-anonymity (Samarati, Sweeney; Campan, Truta, Cooper 2010, Definition 2): every
 * class has at least k rows. */
#include "model/model.h"

static bool holds(const hr_known *class, const hr_requirements *asked) {
    return class->size >= asked->k;
}

static double achieved(const hr_known *class) {
    return class->size;
}

static uint32_t lack(const hr_known *class, const hr_requirements *asked) {
    return class->size >= asked->k ? 0 : (uint32_t)(asked->k - class->size);
}

static const hr_option options[] = {
    {.name = "k",
     .help = "rows that every class must have",
     .type = HR_OPTION_INT,
     .offset = offsetof(hr_requirements, k),
     .initial = 0, /* outside of the range: k must be given */
     .min = 1,
     .max = 1e9},
    {0},
};

const hr_model hr_model_k_anonymity = {
    .name = "k-anonymity",
    .title = "every class has at least k rows",
    .reference = "Campan, Truta, Cooper 2010, Definition 2",
    .options = options,
    .closed_under_union = true,
    .closed_under_superset = true,
    .holds = holds,
    .achieved = achieved,
    .lack = lack,
};
