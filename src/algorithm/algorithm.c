/* algorithm.c - the table of algorithms, and the papers' names for them. */
#include "algorithm/algorithm.h"

#include <string.h>

extern const hr_algorithm hr_algorithm_greedy_pk, hr_algorithm_enhanced_pk, hr_algorithm_k_member,
    hr_algorithm_incognito, hr_algorithm_mam, hr_algorithm_mdav, hr_algorithm_cbfs,
    hr_algorithm_micro_k_first, hr_algorithm_micro_p_first, hr_algorithm_hedge;

const hr_algorithm *const hr_algorithms[] = {
    &hr_algorithm_hedge,
    &hr_algorithm_greedy_pk,
    &hr_algorithm_enhanced_pk,
    &hr_algorithm_k_member,
    &hr_algorithm_incognito,
    &hr_algorithm_mam,
    &hr_algorithm_mdav,
    &hr_algorithm_cbfs,
    &hr_algorithm_micro_k_first,
    &hr_algorithm_micro_p_first,
    NULL,
};

#define LITERAL "dispersal=absolute ties=row"

const hr_alias hr_aliases[] = {
    {"GreedyCPKA", "greedy-pk", "Campan, Truta, Cooper 2010", false, LITERAL},
    {"GreedyPKClustering", "greedy-pk", "Campan, Truta, Cooper 2010", true, LITERAL},
    {"GreedyCKA", "k-member", "Miller, Campan, Truta 2008", false, "dispersal=growth ties=row"},
    {"Greedy_k-member_Clustering", "k-member", "Miller, Campan, Truta 2008", true,
     "dispersal=growth ties=row"},
    {"MDAV", "mdav", "Domingo-Ferrer, Torra 2005", false, NULL},
    {"CBFS", "cbfs", "Laszlo, Mukherjee 2005", false, NULL},
    {0},
};

hr_aim hr_algorithm_aim(const hr_algorithm *algorithm, const void *options) {
    if (!algorithm->per_cell || !algorithm->per_cell->aim) return (hr_aim){.passes = 1};
    return algorithm->per_cell->aim(options);
}

bool hr_algorithm_may_suppress(const hr_algorithm *algorithm, const void *options) {
    const hr_table_search *search = algorithm->whole_table;
    return search && search->may_suppress && search->may_suppress(options);
}

/* k is enforced by every algorithm. */
bool hr_algorithm_enforces(const hr_algorithm *algorithm, const hr_model *model,
                           const void *options) {
    if (model == hr_models[0]) return true;
    if (model == hr_models[1]) return algorithm->enforces_p;
    if (algorithm->others == HR_OTHERS_REFUSED || !model->closed_under_union) return false;
    bool needs_superset =
        options && algorithm->needs_superset && algorithm->needs_superset(options) != NULL;
    return model->closed_under_superset || !needs_superset;
}

uint64_t hr_findings_value(const hr_findings *findings, const char *name) {
    for (size_t i = 0; findings && i < findings->figure_count; i++)
        if (!strcmp(findings->figures[i].name, name)) return findings->figures[i].value;
    return 0;
}

void hr_findings_free(hr_findings *findings) {
    if (findings) findings->free(findings);
}

const hr_algorithm *hr_algorithm_find(const char *name) {
    for (const hr_algorithm *const *algorithm = hr_algorithms; *algorithm; algorithm++)
        if (!strcmp((*algorithm)->name, name)) return *algorithm;
    return NULL;
}

const hr_alias *hr_alias_find(const char *name) {
    for (const hr_alias *alias = hr_aliases; alias->name; alias++)
        if (!strcmp(alias->name, name)) return alias;
    return NULL;
}
