/* facts.c - sizes and sensitive values of groups of rows. Rows are visited group by group and
 * attribute by attribute, so one counter per value of one attribute suffices. The values of each
 * group are kept as lists, so that unions of groups are computed without visiting the rows
 * again. */
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

/* Counts the values of one attribute, group by group. Between groups only the counters that were
 * used are reset. */
typedef struct {
    hr_facts *facts;
    size_t value_capacity, rows_capacity, value_used;
    uint32_t *counter; /* per value */
    hr_error *err;
} tally;

static hr_status begin(tally *t, hr_facts *facts, const hr_sensitive *sensitive) {
    uint32_t most = 0;
    for (size_t l = 0; l < facts->sensitive_count; l++)
        if (sensitive[l].value_count > most) most = sensitive[l].value_count;
    size_t entries = (size_t)facts->count * facts->sensitive_count;
    t->facts = facts;
    t->counter = hr_alloc(most, sizeof *t->counter, t->err);
    facts->size = hr_alloc(facts->count, sizeof *facts->size, t->err);
    facts->distinct = hr_alloc(entries, sizeof *facts->distinct, t->err);
    facts->value_start = hr_alloc(entries + 1, sizeof *facts->value_start, t->err);
    facts->largest = hr_alloc(entries, sizeof *facts->largest, t->err);
    return t->counter && facts->size && facts->distinct && facts->value_start && facts->largest
               ? HR_OK
               : HR_ENOMEM;
}

static int ascending(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static hr_status count_value(tally *t, uint32_t value, uint32_t rows) {
    if (value == HR_NONE) return HR_OK;
    t->counter[value] += rows;
    if (t->counter[value] > rows) return HR_OK; /* it is listed */
    HR_TRY(hr_grow(&t->facts->values, &t->value_capacity, t->value_used + 1,
                   sizeof *t->facts->values, t->err));
    HR_TRY(hr_grow(&t->facts->value_rows, &t->rows_capacity, t->value_used + 1,
                   sizeof *t->facts->value_rows, t->err));
    t->facts->values[t->value_used++] = value;
    return HR_OK;
}

/* Ends the list of one group and attribute. */
static void close_entry(tally *t, size_t entry) {
    hr_facts *facts = t->facts;
    uint32_t largest = 0;
    size_t first = facts->value_start[entry];
    bool ordered = facts->sensitive[entry % facts->sensitive_count].distance != HR_DISTANCE_EQUAL;
    if (ordered && facts->values)
        qsort(facts->values + first, t->value_used - first, sizeof *facts->values, ascending);
    for (size_t i = first; i < t->value_used; i++) {
        uint32_t *counter = &t->counter[facts->values[i]];
        if (*counter > largest) largest = *counter;
        facts->value_rows[i] = *counter;
        *counter = 0;
    }
    facts->distinct[entry] = (uint32_t)(t->value_used - facts->value_start[entry]);
    facts->largest[entry] = largest;
    facts->value_start[entry + 1] = t->value_used;
}

/* Counts the rows of a group. The weights of a counted table may add up to more than 32 bits. */
static hr_status count_size(const uint32_t *weight, const uint32_t *member, uint32_t count,
                            uint32_t *out, hr_error *err) {
    uint64_t size = count;
    for (uint32_t i = 0; weight && i < count; i++)
        size += weight[member[i]] - UINT64_C(1);
    if (size >= HR_NONE)
        return hr_fail(err, HR_EDATA,
                       "%llu rows lie in one MAM cell, more than a run can hold: draw boundaries",
                       (unsigned long long)size);
    *out = (uint32_t)size;
    return HR_OK;
}

static hr_status count_rows(tally *t, const uint32_t *start, const uint32_t *member,
                            const uint32_t *weight, const hr_sensitive *sensitive) {
    hr_facts *facts = t->facts;
    for (uint32_t g = 0; g < facts->count; g++) {
        HR_TRY(count_size(weight, member + start[g], start[g + 1] - start[g], &facts->size[g],
                          t->err));
        for (size_t l = 0; l < facts->sensitive_count; l++) {
            for (uint32_t i = start[g]; i < start[g + 1]; i++)
                HR_TRY(count_value(t, hr_sensitive_value(&sensitive[l], member[i]),
                                   weight ? weight[member[i]] : 1));
            close_entry(t, g * facts->sensitive_count + l);
        }
    }
    return HR_OK;
}

void hr_facts_refer_to(const hr_facts *facts, const bool *out) {
    hr_reference *reference = facts->reference;
    size_t r = facts->sensitive_count;
    memset(reference->rows, 0, reference->start[r] * sizeof *reference->rows);
    memset(reference->total, 0, r * sizeof *reference->total);
    for (uint32_t g = 0; g < facts->count; g++)
        for (size_t l = 0; l < r && !(out && out[g]); l++)
            for (size_t i = facts->value_start[g * r + l]; i < facts->value_start[g * r + l + 1];
                 i++) {
                reference->rows[reference->start[l] + facts->values[i]] += facts->value_rows[i];
                reference->total[l] += facts->value_rows[i];
            }
}

void hr_facts_refer(hr_facts *facts, const hr_reference *reference) {
    size_t r = facts->sensitive_count;
    if (!facts->reference || !reference) return;
    memcpy(facts->reference->rows, reference->rows, reference->start[r] * sizeof(uint32_t));
    memcpy(facts->reference->total, reference->total, r * sizeof(uint32_t));
}

/* Makes the reference that an attribute needs: the distribution of all groups. */
static hr_status add_reference(hr_facts *facts, hr_error *err) {
    bool needed = false;
    for (size_t l = 0; l < facts->sensitive_count; l++)
        needed = needed || facts->sensitive[l].referred;
    if (!needed) return HR_OK;
    facts->scratch = hr_alloc(facts->count, sizeof *facts->scratch, err);
    if (!facts->scratch) return HR_ENOMEM;
    HR_TRY(hr_reference_make(facts->sensitive, facts->sensitive_count, &facts->reference, err));
    hr_facts_refer_to(facts, NULL);
    return HR_OK;
}

static hr_status finish(tally *t, hr_status status) {
    free(t->counter);
    if (status == HR_OK) status = add_reference(t->facts, t->err);
    if (status != HR_OK) hr_facts_free(t->facts);
    return status;
}

hr_status hr_facts_of(const hr_groups *groups, const hr_sensitive *sensitive,
                      size_t sensitive_count, hr_facts *out, hr_error *err) {
    *out = (hr_facts){
        .count = groups->count, .sensitive_count = sensitive_count, .sensitive = sensitive};
    uint32_t *start, *member;
    HR_TRY(hr_groups_members(groups, &start, &member, err));
    tally t = {.err = err};
    hr_status status = begin(&t, out, sensitive);
    if (status == HR_OK) status = count_rows(&t, start, member, groups->weight, sensitive);
    free(start);
    free(member);
    return finish(&t, status);
}

static hr_status count_people(const hr_groups *groups, const hr_sensitive *unit, hr_facts *out,
                              hr_error *err) {
    out->people = hr_alloc(1, sizeof *out->people, err);
    return out->people ? hr_facts_of(groups, unit, 1, out->people, err) : HR_ENOMEM;
}

hr_status hr_facts_of_data(const hr_groups *groups, const hr_microdata *data, hr_facts *out,
                           hr_error *err) {
    hr_groups counted = *groups;
    counted.weight = data->weight;
    HR_TRY(hr_facts_of(&counted, data->sensitive, data->sensitive_count, out, err));
    if (!data->unit) return HR_OK;
    hr_status status = count_people(groups, data->unit, out, err);
    if (status != HR_OK) hr_facts_free(out);
    return status;
}

static hr_status unite(tally *t, const hr_facts *facts, const uint32_t *start,
                       const uint32_t *member) {
    hr_facts *out = t->facts;
    size_t r = facts->sensitive_count;
    for (uint32_t g = 0; g < out->count; g++) {
        for (uint32_t i = start[g]; i < start[g + 1]; i++)
            out->size[g] += facts->size[member[i]];
        for (size_t l = 0; l < r; l++) {
            for (uint32_t i = start[g]; i < start[g + 1]; i++) {
                size_t entry = member[i] * r + l;
                for (size_t v = facts->value_start[entry]; v < facts->value_start[entry + 1]; v++)
                    HR_TRY(count_value(t, facts->values[v], facts->value_rows[v]));
            }
            close_entry(t, g * r + l);
        }
    }
    return HR_OK;
}

hr_status hr_facts_merge(const hr_facts *facts, const hr_groups *into,
                         const hr_sensitive *sensitive, hr_facts *out, hr_error *err) {
    *out = (hr_facts){
        .count = into->count, .sensitive_count = facts->sensitive_count, .sensitive = sensitive};
    uint32_t *start, *member;
    HR_TRY(hr_groups_members(into, &start, &member, err));
    tally t = {.err = err};
    hr_status status = begin(&t, out, sensitive);
    if (status == HR_OK) status = unite(&t, facts, start, member);
    free(start);
    free(member);
    HR_TRY(finish(&t, status));
    if (!facts->people) return HR_OK;
    out->people = hr_alloc(1, sizeof *out->people, err);
    status = out->people
                 ? hr_facts_merge(facts->people, into, facts->people->sensitive, out->people, err)
                 : HR_ENOMEM;
    if (status != HR_OK) hr_facts_free(out);
    return status;
}

uint32_t hr_facts_least_values(const hr_facts *facts, uint32_t g) {
    uint32_t least = UINT32_MAX;
    for (size_t l = 0; l < facts->sensitive_count; l++) {
        uint32_t distinct = facts->distinct[g * facts->sensitive_count + l];
        if (distinct < least) least = distinct;
    }
    return least;
}

hr_known hr_facts_group(const hr_facts *facts, uint32_t g) {
    size_t first = g * facts->sensitive_count;
    return (hr_known){.size = facts->size[g],
                      .units = hr_facts_people(facts, g),
                      .sensitive_count = facts->sensitive_count,
                      .distinct = facts->distinct + first,
                      .largest = facts->largest + first,
                      .start = facts->value_start + first,
                      .rows = facts->value_rows,
                      .values = facts->values,
                      .sensitive = facts->sensitive,
                      .reference = facts->reference};
}

void hr_facts_free(hr_facts *facts) {
    free(facts->size);
    free(facts->distinct);
    free(facts->largest);
    free(facts->value_start);
    free(facts->values);
    free(facts->value_rows);
    hr_reference_free(facts->reference);
    free(facts->scratch);
    if (facts->people) hr_facts_free(facts->people);
    free(facts->people);
    *facts = (hr_facts){0};
}
