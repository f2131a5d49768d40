/* k_anonymity.c - k-anonymity (Samarati, Sweeney; Campan, Truta, Cooper 2010, Definition 2): every
 * class has at least k rows. */
#include "model/model.h"

static bool holds(const hr_facts *facts, uint32_t g, const hr_requirements *asked) {
    return facts->size[g] >= asked->k;
}

static int64_t achieved(const hr_facts *facts) {
    int64_t least = 0;
    for (uint32_t g = 0; g < facts->count; g++)
        if (g == 0 || facts->size[g] < least) least = facts->size[g];
    return least;
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
};
