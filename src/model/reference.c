/* reference.c - the distribution of sensitive values to which t-closeness refers. */
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

static hr_status allocate(hr_reference *reference, size_t values, hr_error *err) {
    size_t count = reference->sensitive_count;
    reference->start = hr_alloc(count + 1, sizeof *reference->start, err);
    reference->rows = hr_alloc(values, sizeof *reference->rows, err);
    reference->input = hr_alloc(values, sizeof *reference->input, err);
    reference->total = hr_alloc(count, sizeof *reference->total, err);
    return reference->start && reference->rows && reference->input && reference->total ? HR_OK
                                                                                       : HR_ENOMEM;
}

hr_status hr_reference_make(const hr_sensitive *sensitive, size_t count, hr_reference **out,
                            hr_error *err) {
    size_t values = 0;
    for (size_t l = 0; l < count; l++)
        values += sensitive[l].value_count;
    hr_reference *made = hr_alloc(1, sizeof *made, err);
    if (!made) return HR_ENOMEM;
    made->sensitive_count = count;
    if (allocate(made, values, err) != HR_OK) {
        hr_reference_free(made);
        return HR_ENOMEM;
    }
    for (size_t l = 0; l < count; l++) {
        const hr_sensitive *s = &sensitive[l];
        made->start[l + 1] = made->start[l] + s->value_count;
        for (size_t row = 0; s->referred && row < s->column->rows; row++) {
            uint32_t value = hr_sensitive_value(s, row);
            if (value != HR_NONE) made->input[made->start[l] + value]++;
        }
    }
    *out = made;
    return HR_OK;
}

hr_status hr_reference_copy(const hr_reference *from, hr_reference **out, hr_error *err) {
    hr_reference *made = hr_alloc(1, sizeof *made, err);
    if (!made) return HR_ENOMEM;
    size_t count = made->sensitive_count = from->sensitive_count, values = from->start[count];
    if (allocate(made, values, err) != HR_OK) {
        hr_reference_free(made);
        return HR_ENOMEM;
    }
    memcpy(made->start, from->start, (count + 1) * sizeof *made->start);
    memcpy(made->rows, from->rows, values * sizeof *made->rows);
    memcpy(made->input, from->input, values * sizeof *made->input);
    memcpy(made->total, from->total, count * sizeof *made->total);
    *out = made;
    return HR_OK;
}

void hr_reference_use_input(hr_reference *reference) {
    size_t count = reference->sensitive_count;
    memcpy(reference->rows, reference->input, reference->start[count] * sizeof *reference->rows);
    for (size_t l = 0; l < count; l++) {
        reference->total[l] = 0;
        for (size_t i = reference->start[l]; i < reference->start[l + 1]; i++)
            reference->total[l] += reference->rows[i];
    }
}

void hr_reference_free(hr_reference *reference) {
    if (!reference) return;
    free(reference->start);
    free(reference->rows);
    free(reference->input);
    free(reference->total);
    free(reference);
}
