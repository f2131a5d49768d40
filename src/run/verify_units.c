/* verify_units.c - counts people instead of rows: the units of each class of a masked table, and
 * the units of a release. The column of the units is not released, so it is read from the original
 * row of each masked row. */
#include "run/verify.h"

#include <stdlib.h>

/* Original row of each masked row: by trace, as given, or by position. False: unknown. */
static bool is_paired(const hr_verifier *c) {
    const hr_verify_request *request = c->request;
    if (!request->original || !request->original->data.unit) return false;
    if (request->trace) return !request->trace->foreign;
    return request->row || request->masked->rows == request->original->table->rows;
}

static uint32_t original_row(const hr_verifier *c, uint32_t row) {
    const hr_verify_request *request = c->request;
    if (request->trace) return request->trace->row[row];
    return request->row ? request->row[row] : row;
}

static int ascending(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Replaces the rows of a class by their units and counts these. */
static uint32_t count_units(const hr_verifier *c, uint32_t *rows, uint32_t count) {
    uint32_t units = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t row = original_row(c, rows[i]);
        rows[i] =
            row == HR_NONE ? HR_NONE : hr_sensitive_value(c->request->original->data.unit, row);
    }
    qsort(rows, count, sizeof *rows, ascending);
    for (uint32_t i = 0; i < count; i++)
        units += rows[i] != HR_NONE && (i == 0 || rows[i] != rows[i - 1]);
    return units;
}

hr_status hr_verify_people(const hr_verifier *c, const hr_groups *groups, uint32_t *people) {
    uint32_t *start, *member;
    HR_TRY(hr_groups_members(groups, &start, &member, c->err));
    for (uint32_t g = 0; g < groups->count; g++)
        people[g] = count_units(c, member + start[g], start[g + 1] - start[g]);
    free(start);
    free(member);
    return HR_OK;
}

hr_status hr_verify_units(hr_verifier *c) {
    hr_facts *facts = &c->verdict->facts;
    c->verdict->uncounted = !is_paired(c);
    if (c->verdict->uncounted) return HR_OK;
    facts->people = hr_alloc(1, sizeof *facts->people, c->err);
    if (!facts->people) return HR_ENOMEM;
    facts->people->distinct = hr_alloc(facts->count, sizeof *facts->people->distinct, c->err);
    if (!facts->people->distinct) return HR_ENOMEM;
    return hr_verify_people(c, &c->verdict->classes, facts->people->distinct);
}

hr_people hr_people_of(const hr_microdata *data, const hr_groups *classes, const uint32_t *row) {
    hr_people people = {0};
    if (!data->unit) return people;
    uint32_t count = data->unit->value_count;
    uint32_t *class = hr_alloc(count, sizeof *class, NULL); /* first class + 1 of each unit */
    bool *several = hr_alloc(count, sizeof *several, NULL);
    people.input = count;
    for (size_t i = 0; class && several && i < classes->rows; i++) {
        uint32_t unit = hr_sensitive_value(data->unit, row[i]), own = classes->of_row[i] + 1;
        people.released += class[unit] == 0;
        if (class[unit] == 0) class[unit] = own;
        people.in_several += class[unit] != own && !several[unit];
        several[unit] |= class[unit] != own;
    }
    free(class);
    free(several);
    return people;
}
