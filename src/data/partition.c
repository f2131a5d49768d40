/* partition.c - the result of every algorithm. */
#include "data/data.h"

#include <stdlib.h>
#include <string.h>

hr_status hr_partition_canonize(hr_partition *partition, hr_error *err) {
    uint32_t count = partition->cluster_count;
    size_t t = partition->quasi_count;
    uint32_t *number = hr_alloc_raw(count, sizeof *number, err);
    hr_span *values = hr_alloc_raw((size_t)count * t, sizeof *values, err);
    if (!number || !values) {
        free(number);
        free(values);
        return HR_ENOMEM;
    }
    memset(number, 0xff, count * sizeof *number);
    uint32_t next = 0;
    for (size_t row = 0; row < partition->rows; row++) {
        uint32_t *cluster = &partition->cluster[row];
        if (*cluster == HR_NONE) continue;
        if (number[*cluster] == HR_NONE) {
            if (t) memcpy(values + next * t, partition->values + *cluster * t, t * sizeof *values);
            number[*cluster] = next++;
        }
        *cluster = number[*cluster];
    }
    free(number);
    free(partition->values);
    partition->values = values;
    partition->cluster_count = next;
    return HR_OK;
}

void hr_partition_free(hr_partition *partition) {
    free(partition->cluster);
    free(partition->values);
    free(partition->means);
    *partition = (hr_partition){0};
}
