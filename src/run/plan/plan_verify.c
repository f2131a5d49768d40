/* plan_verify.c - judges the released rows of a plan when no process has all of them, but every
 * class is complete in one process. */
#include "run/plan/plan.h"

#include "run/verify.h"

#include <math.h>
#include <stdlib.h>

/* ---- loss ---- */

/* The cost per row of publishing the text; HR_COST_ONE if it is not a value of the attribute. */
static uint32_t text_cost(const hr_quasi *quasi, const char *text) {
    hr_published_value value = hr_published_parse(quasi, text);
    if (value.kind == HR_PUBLISHED_NODE)
        return hr_quasi_cost(quasi, (hr_span){value.node, value.node});
    if (value.kind == HR_PUBLISHED_UNKNOWN) return HR_COST_ONE;
    uint32_t lo = hr_quasi_rank(quasi, value.lo), hi = hr_quasi_rank(quasi, value.hi);
    return lo == HR_NONE || hi == HR_NONE ? HR_COST_ONE : hr_quasi_cost(quasi, (hr_span){lo, hi});
}

/* Sums of whole numbers, so that they do not depend on how rows are distributed. */
static hr_status add_costs(const hr_quasi *quasi, const hr_column *column, uint64_t *sum,
                           hr_error *err) {
    uint32_t *cost = hr_alloc_raw(column->dictionary.count, sizeof *cost, err);
    if (!cost) return HR_ENOMEM;
    for (uint32_t code = 0; code < column->dictionary.count; code++)
        cost[code] = text_cost(quasi, hr_dictionary_text(&column->dictionary, code));
    for (size_t row = 0; row < column->rows; row++)
        *sum += cost[hr_column_code(column, row)];
    free(cost);
    return HR_OK;
}

static hr_status measure(const hr_plan *plan, const hr_table *table, double *il, hr_error *err) {
    const hr_microdata *data = &plan->domain.data;
    uint64_t sum = 0;
    *il = NAN;
    if (hr_publishes_means(plan->choice.algorithm)) return HR_OK;
    for (size_t j = 0; j < data->quasi_count; j++)
        HR_TRY(add_costs(&data->quasi[j], hr_table_find(table, data->quasi[j].name), &sum, err));
    *il = (double)sum / HR_COST_ONE;
    return HR_OK;
}

/* ---- classes ---- */

static void describe(const hr_plan *plan, const hr_verdict *verdict, hr_plan_verdict *out) {
    const hr_facts *facts = &verdict->facts;
    const hr_requirements asked = hr_job_asked(plan->job);
    out->rows = verdict->rows;
    out->classes = facts->count;
    out->small_classes = verdict->small_classes;
    out->past = verdict->past;
    out->unreadable = verdict->too_fine + verdict->unrecoded;
    for (size_t j = 0; j < plan->domain.data.quasi_count; j++)
        out->unreadable += verdict->unknown_by[j];
    for (size_t i = 0; hr_models[i]; i++)
        out->failing += verdict->failing[i];
    for (uint32_t g = 0; g < facts->count; g++) {
        uint64_t size = facts->size[g], values = hr_facts_least_values(facts, g);
        out->poor_classes += asked.p > 1 && facts->sensitive_count && values < (uint64_t)asked.p;
        out->squares += (double)size * (double)size;
        if (g == 0 || size < out->smallest) out->smallest = size;
        if (size > out->largest) out->largest = size;
        if (facts->sensitive_count && (g == 0 || values < out->least_values))
            out->least_values = values;
    }
}

hr_status hr_plan_verify(const hr_plan *plan, const hr_table *table, uint64_t *counts,
                         const hr_watch *watch, hr_plan_verdict *out, hr_error *err) {
    hr_watch own;
    hr_verdict verdict;
    HR_TRY(hr_watch_copy(watch, &own, err));
    if (out->size < sizeof *out)
        return hr_fail(err, HR_EINVAL, "hr_plan_verdict: set `size` to sizeof(hr_plan_verdict)");
    *out = (hr_plan_verdict){.size = sizeof *out};
    HR_TRY(hr_plan_check_columns(plan, table, err));
    HR_TRY(hr_plan_count(plan, table, counts, &out->strangers, err));
    HR_TRY(hr_plan_judge(plan, table, &own, &verdict, err));
    describe(plan, &verdict, out);
    hr_verdict_free(&verdict);
    return measure(plan, table, &out->il, err);
}
