/* shared_data.c - a dataset for several runs, read and cut into MAM cells once. */
#include "run/run.h"

#include <stdlib.h>
#include <string.h>

/* Cuts the dataset for each boundaries mode that `cut_for` asks for. */
static hr_status cut(const hr_job *job, const bool cut_for[2], const hr_watch *watch,
                     hr_shared_data *shared, hr_error *err) {
    if (hr_cuts_chosen(&shared->dataset.data)) return HR_OK; /* cells depend on k and p */
    for (int mode = 0; mode < 2; mode++)
        if (cut_for[mode])
            HR_TRY(hr_dataset_cut(&shared->dataset, mode == 1, &job->asked, watch,
                                  &shared->cells[mode], &shared->facts[mode],
                                  &shared->trimmed[mode], err));
    return HR_OK;
}

hr_status hr_shared_data_load(const hr_job *job, const bool cut_for[2], const hr_watch *watch,
                              hr_shared_data *out, hr_error *err) {
    *out = (hr_shared_data){0};
    hr_status status = hr_dataset_load(job, watch, &out->dataset, err);
    if (status == HR_OK) status = cut(job, cut_for, watch, out, err);
    if (status != HR_OK) hr_shared_data_free(out);
    return status;
}

/* Copies an array of roles, so that they can be bound to other columns. */
static void *copy_roles(const void *roles, size_t count, size_t size, hr_error *err) {
    void *copy = hr_alloc(count, size, err);
    if (copy && count) memcpy(copy, roles, count * size);
    return copy;
}

hr_status hr_shared_data_sort(const hr_job *job, const hr_shared_data *shared,
                              const bool cut_for[2], const hr_watch *watch, hr_shared_data *out,
                              hr_error *err) {
    *out = (hr_shared_data){.dataset = shared->dataset};
    hr_microdata *data = &out->dataset.data;
    out->dataset.owned = NULL;
    data->quasi = copy_roles(data->quasi, data->quasi_count, sizeof *data->quasi, err);
    data->sensitive =
        copy_roles(data->sensitive, data->sensitive_count, sizeof *data->sensitive, err);
    hr_recodings *recodings = &out->dataset.recodings;
    recodings->items =
        copy_roles(recodings->items, recodings->count, sizeof *recodings->items, err);
    const hr_sensitive *unit = data->unit;
    data->unit = unit ? copy_roles(unit, 1, sizeof *unit, err) : NULL;
    bool copied = data->quasi && data->sensitive && recodings->items && !data->unit == !unit;
    hr_status status = copied ? HR_OK : HR_ENOMEM;
    if (status == HR_OK) status = hr_dataset_sort(job, &out->dataset, err);
    free(out->dataset
             .row); /* runs that share data keep no release, so input rows are not asked for */
    out->dataset.row = NULL;
    if (status == HR_OK) status = cut(job, cut_for, watch, out, err);
    if (status != HR_OK) hr_shared_data_free_sorted(out);
    return status;
}

static void free_cells(hr_shared_data *shared) {
    for (int mode = 0; mode < 2; mode++) {
        hr_facts_free(&shared->facts[mode]);
        hr_groups_free(&shared->cells[mode]);
    }
}

void hr_shared_data_free_sorted(hr_shared_data *sorted) {
    free_cells(sorted);
    hr_dataset_unsort(&sorted->dataset);
    free(sorted->dataset.data.quasi);
    free(sorted->dataset.data.sensitive);
    free(sorted->dataset.data.unit);
    free(sorted->dataset.recodings.items);
    *sorted = (hr_shared_data){0};
}

void hr_shared_data_free(hr_shared_data *shared) {
    free_cells(shared);
    hr_dataset_free(&shared->dataset);
}
