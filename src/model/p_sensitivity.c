/* p_sensitivity.c - p-sensitivity (Truta, Vinay 2006; Campan, Truta, Cooper 2010, Definition 3):
 * every class has at least p values of each sensitive attribute. Missing values do not
 * count; with p = 1 the model always holds. */
#include "model/model.h"

static bool holds(const hr_facts *facts, uint32_t g, const hr_requirements *asked) {
    return asked->p <= 1 || hr_facts_least_values(facts, g) >= asked->p;
}

/* Returns -1 if there is no sensitive attribute. */
static int64_t achieved(const hr_facts *facts) {
    if (facts->sensitive_count == 0) return -1;
    int64_t least = 0;
    for (uint32_t g = 0; g < facts->count; g++) {
        uint32_t values = hr_facts_least_values(facts, g);
        if (g == 0 || values < least) least = values;
    }
    return least;
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
    .title = "every class has at least p values of each sensitive attribute",
    .reference = "Campan, Truta, Cooper 2010, Definition 3",
    .options = options,
    .closed_under_union = true,
    .closed_under_superset = true,
    .holds = holds,
    .achieved = achieved,
};
