/* k_anonymity.c - k-anonymity (Samarati, Sweeney; Campan, Truta, Cooper 2010, Definition 2): every
 * class has at least k rows, or rows of at least k units (people) if the job names their column.
 * Rows that join a class remove no unit, so the model is closed under supersets, and so under
 * union. */
#include "model/model.h"

static bool holds(const hr_known *class, size_t l, const hr_requirements *asked) {
    (void)l;
    return class->units >= asked->k;
}

static double achieved(const hr_known *class, size_t l, const hr_requirements *asked) {
    (void)l;
    (void)asked;
    return class->units;
}

static uint32_t lack(const hr_known *class, size_t l, const hr_requirements *asked) {
    (void)l;
    return class->units >= asked->k ? 0 : (uint32_t)(asked->k - class->units);
}

static const hr_option options[] = {
    {.name = "k",
     .help = "rows (people, with a unit) that every class must have",
     .type = HR_OPTION_INT,
     .offset = offsetof(hr_requirements, k),
     .initial = 0, /* outside the range: k must be given */
     .min = 1,
     .max = 1e9},
    {0},
};

const hr_model hr_model_k_anonymity = {
    .name = "k-anonymity",
    .title = "hides a person among k: every class has at least k rows",
    .reference = "Campan, Truta, Cooper 2010, Definition 2",
    .options = options,
    .closed_under_union = true,
    .closed_under_superset = true,
    .holds = holds,
    .achieved = achieved,
    .lack = lack,
};
