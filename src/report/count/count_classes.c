/* count_classes.c - the classes: their sizes, those in which a sensitive value is most frequent,
 * and the risk of picking the right row before and after. */
#include "report/count/count.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const double hr_risk_thresholds[HR_THRESHOLDS] = {0.2, 0.09, 0.05};

/* ---- sizes ---- */

static int ascending(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static hr_status count_sizes(const hr_facts *classes, hr_account *account, hr_error *err) {
    uint32_t *sorted = hr_alloc(classes->count, sizeof *sorted, err);
    account->sizes = hr_arena_alloc(&account->arena, classes->count, sizeof *account->sizes, err);
    if (sorted && account->sizes) {
        memcpy(sorted, classes->size, classes->count * sizeof *sorted);
        if (classes->count) qsort(sorted, classes->count, sizeof *sorted, ascending);
        for (uint32_t g = 0; g < classes->count; g++) {
            if (g == 0 || sorted[g] != sorted[g - 1])
                account->sizes[account->size_count++].size = sorted[g];
            account->sizes[account->size_count - 1].classes++;
        }
    }
    free(sorted);
    return sorted && account->sizes ? HR_OK : HR_ENOMEM;
}

/* ---- the worst classes ---- */

typedef struct {
    const hr_facts *classes;
    size_t l; /* sensitive attribute */
} ranking;

static double share_of(const ranking *r, uint32_t g) {
    return (double)r->classes->largest[g * r->classes->sensitive_count + r->l] /
           r->classes->size[g];
}

/* Is class g worse than class h? If the shares are equal, the larger class is worse. */
static bool is_worse(const ranking *r, uint32_t g, uint32_t h) {
    double x = share_of(r, g), y = share_of(r, h);
    if (x != y) return x > y;
    return r->classes->size[g] > r->classes->size[h];
}

/* The shares of the most frequent values, the greatest first. */
static void rank_values(const ranking *r, uint32_t g, hr_account_class *out) {
    const hr_facts *classes = r->classes;
    size_t at = g * classes->sensitive_count + r->l;
    *out = (hr_account_class){.size = classes->size[g], .distinct = classes->distinct[at]};
    for (size_t v = classes->value_start[at]; v < classes->value_start[at + 1]; v++) {
        double share = (double)classes->value_rows[v] / classes->size[g];
        for (size_t i = 0; i < HR_RANKS; i++)
            if (share > out->share[i]) {
                double next = out->share[i];
                out->share[i] = share;
                share = next;
            }
    }
}

static void find_worst(const hr_facts *classes, size_t l, hr_account_sensitive *out) {
    ranking r = {classes, l};
    uint32_t worst[HR_WORST_MOST];
    size_t count = 0;
    for (uint32_t g = 0; g < classes->count; g++) {
        out->certain += classes->distinct[g * classes->sensitive_count + l] <= 1;
        size_t i = count < HR_WORST_MOST ? count++ : HR_WORST_MOST;
        for (; i > 0 && is_worse(&r, g, worst[i - 1]); i--)
            if (i < HR_WORST_MOST) worst[i] = worst[i - 1];
        if (i < HR_WORST_MOST) worst[i] = g;
    }
    for (size_t i = 0; i < count; i++)
        rank_values(&r, worst[i], &out->worst[i]);
    out->worst_count = count;
}

hr_status hr_account_classes(const hr_report *report, hr_account *account, hr_error *err) {
    const hr_microdata *data = report->outcome->data;
    const hr_facts *classes = report->outcome->classes;
    HR_TRY(count_sizes(classes, account, err));
    account->sensitive =
        hr_arena_alloc(&account->arena, data->sensitive_count, sizeof *account->sensitive, err);
    if (!account->sensitive) return HR_ENOMEM;
    for (size_t l = 0; l < data->sensitive_count; l++) {
        hr_account_sensitive *s = &account->sensitive[account->sensitive_count++];
        const char *name = data->sensitive[l].name;
        s->name = hr_arena_text(&account->arena, name, strlen(name), err);
        if (!s->name) return HR_ENOMEM;
        s->binned = hr_attribute_find(report->job, name)->bins > 0;
        find_worst(classes, l, s);
    }
    return HR_OK;
}

/* ---- risk ---- */

/* `size` counts people if the job names their column (`unit`), otherwise rows. */
static void add_class(hr_account_risk *risk, uint32_t size) {
    risk->rows += size;
    risk->classes++;
    risk->unique += size == 1;
    risk->largest = fmax(risk->largest, 1.0 / size);
    if (size < 11) risk->below_eleven += size;
    for (size_t i = 0; i < HR_THRESHOLDS; i++)
        if (1.0 / size > hr_risk_thresholds[i]) risk->above[i] += size;
}

static void end_risk(hr_account_risk *risk) {
    double rows = risk->rows ? (double)risk->rows : 1;
    risk->mean = (double)risk->classes / rows;
    risk->below_eleven /= rows;
    for (size_t i = 0; i < HR_THRESHOLDS; i++)
        risk->above[i] /= rows;
}

/* Groups rows with equal original values in all quasi-identifiers. Numbers are equal in any
 * notation; missing values are equal. */
static hr_status group_originals(const hr_microdata *data, hr_groups *groups, hr_error *err) {
    HR_TRY(hr_groups_start(groups, data->rows, err));
    for (size_t j = 0; j < data->quasi_count; j++) {
        const hr_quasi *quasi = &data->quasi[j];
        uint32_t codes = quasi->column->dictionary.count;
        if (quasi->tree) {
            HR_TRY(hr_groups_split(groups, quasi->column, NULL, codes, err));
            continue;
        }
        uint32_t *rank = hr_alloc_raw(codes, sizeof *rank, err);
        if (!rank) return HR_ENOMEM;
        for (uint32_t code = 0; code < codes; code++)
            rank[code] = quasi->value_of_code[code] == HR_NONE ? quasi->value_count
                                                               : quasi->value_of_code[code];
        hr_status status =
            hr_groups_split(groups, quasi->column, rank, quasi->value_count + 1, err);
        free(rank);
        HR_TRY(status);
    }
    return HR_OK;
}

static void count_risk(const hr_facts *classes, hr_account_risk *out) {
    for (uint32_t g = 0; g < classes->count; g++)
        add_class(out, hr_facts_people(classes, g));
    end_risk(out);
}

static hr_status risk_before(const hr_microdata *data, hr_account_risk *out, hr_error *err) {
    hr_groups groups = {0};
    hr_facts classes = {0};
    hr_status status = group_originals(data, &groups, err);
    if (status == HR_OK) status = hr_facts_of_data(&groups, data, &classes, err);
    if (status == HR_OK) count_risk(&classes, out);
    hr_facts_free(&classes);
    hr_groups_free(&groups);
    return status;
}

hr_status hr_account_risks(const hr_report *report, hr_account *account, hr_error *err) {
    count_risk(report->outcome->classes, &account->after);
    return risk_before(report->outcome->data, &account->before, err);
}
