/* shared_data.c - a dataset for several runs, read and cut into MAM cells once. */
#include "run/run.h"

hr_status hr_shared_data_load(const hr_job *job, const bool cut_for[2], const hr_watch *watch,
                              hr_shared_data *out, hr_error *err) {
    *out = (hr_shared_data){0};
    hr_status status = hr_dataset_load(job, watch, &out->dataset, err);
    for (int mode = 0; mode < 2 && status == HR_OK; mode++)
        if (cut_for[mode])
            status = hr_dataset_cut(&out->dataset, mode == 1, &job->asked, &out->cells[mode],
                                    &out->facts[mode], &out->trimmed[mode], err);
    if (status != HR_OK) hr_shared_data_free(out);
    return status;
}

void hr_shared_data_free(hr_shared_data *shared) {
    for (int mode = 0; mode < 2; mode++) {
        hr_facts_free(&shared->facts[mode]);
        hr_groups_free(&shared->cells[mode]);
    }
    hr_dataset_free(&shared->dataset);
}
