/* violations.c - boundary violations (Campan, Truta, Cooper 2010, Definition 6), counted as its
 * Table 5 counts them: one for every value that is published above its MAGVal. */
#include "model/model.h"

uint64_t hr_violations(const hr_microdata *data, const hr_partition *partition,
                       uint64_t *per_attribute) {
    uint64_t total = 0;
    for (size_t j = 0; j < data->quasi_count; j++) {
        const hr_quasi *quasi = &data->quasi[j];
        uint64_t count = 0;
        for (size_t row = 0; quasi->bounded && row < data->rows; row++) {
            uint32_t cluster = partition->cluster[row];
            if (cluster == HR_NONE) continue;
            uint32_t published = partition->values[cluster * data->quasi_count + j].lo;
            uint32_t bound = quasi->magval[hr_quasi_value(quasi, row)];
            /* Both are ancestors of the value, so the higher one is the one of less depth. */
            count += quasi->tree->depth[published] < quasi->tree->depth[bound];
        }
        if (per_attribute) per_attribute[j] = count;
        total += count;
    }
    return total;
}
