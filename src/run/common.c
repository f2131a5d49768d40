/* common.c - what several runs of a job share, read and cut into MAM cells once. */
#include "run/run.h"

hr_status hr_dataset_cut(const hr_dataset *bound, bool count_boundaries, hr_groups *cells,
                         hr_facts *facts, hr_error *err) {
    const hr_microdata *data = &bound->data;
    HR_TRY(hr_cells(data->quasi, data->quasi_count, data->rows, !count_boundaries, cells, err));
    return hr_facts_of(cells, data->sensitive, data->sensitive_count, facts, err);
}

hr_status hr_common_load(const hr_job *job, const bool cut_for[2], const hr_watch *watch,
                         hr_common *out, hr_error *err) {
    *out = (hr_common){0};
    hr_status status = hr_dataset_load(job, watch, &out->bound, err);
    for (int mode = 0; mode < 2 && status == HR_OK; mode++)
        if (cut_for[mode])
            status =
                hr_dataset_cut(&out->bound, mode == 1, &out->cells[mode], &out->facts[mode], err);
    if (status != HR_OK) hr_common_free(out);
    return status;
}

void hr_common_free(hr_common *common) {
    for (int mode = 0; mode < 2; mode++) {
        hr_facts_free(&common->facts[mode]);
        hr_groups_free(&common->cells[mode]);
    }
    hr_dataset_free(&common->bound);
}
