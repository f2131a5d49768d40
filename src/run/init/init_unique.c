/* init_unique.c - counts the rows that are unique by the quasi-identifiers, with all of them and
 * without each one. Every value is hashed to 64 bits, and the sum of a row's hashes represents the
 * row, so that leaving out a column is one subtraction. Two different rows have the same sum with
 * probability 2^-64. */
#include "run/init/init.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t term(size_t column, uint32_t code) {
    return hr_mix(((uint64_t)(column + 1) << 32 | code) + UINT64_C(0x51ed270b));
}

static void add_column(const hr_draft *draft, size_t column, uint64_t *sums, uint64_t sign) {
    const hr_column *values = &draft->table->columns[column];
    for (size_t row = 0; row < draft->table->rows; row++)
        sums[row] += sign * term(column, hr_column_code(values, row));
}

/* A hash table of sums; `size` is a power of two, at least twice the number of rows. */
typedef struct {
    uint64_t *sums;
    uint8_t *seen; /* 0: free; 1: once; 2: more often */
    size_t size;
} sum_set;

/* The share of rows with a sum that no other row has. */
static double share_unique(const uint64_t *sums, size_t rows, sum_set *set) {
    size_t once = 0;
    memset(set->seen, 0, set->size);
    for (size_t row = 0; row < rows; row++) {
        size_t at = (size_t)hr_mix(sums[row]) & (set->size - 1);
        while (set->seen[at] && set->sums[at] != sums[row])
            at = (at + 1) & (set->size - 1);
        if (set->seen[at] == 0) {
            set->sums[at] = sums[row];
            set->seen[at] = 1;
            once++;
        } else if (set->seen[at] == 1) {
            set->seen[at] = 2;
            once--;
        }
    }
    return rows ? (double)once / (double)rows : 0;
}

static double share_alone(const hr_profile *profile) {
    uint64_t once = 0;
    for (uint32_t code = 0; code < profile->column->dictionary.count; code++)
        once += profile->rows_of[code] == 1;
    return profile->rows ? (double)once / (double)profile->rows : 0;
}

/* Measures uniqueness by all columns of a role; with `each`, also without each of them. */
static void measure_role(hr_draft *draft, hr_role role, bool each, uint64_t *sums, sum_set *set,
                         double *out) {
    size_t rows = draft->table->rows, columns = 0;
    memset(sums, 0, rows * sizeof *sums);
    for (size_t i = 0; i < draft->table->column_count; i++)
        if (draft->parts[i].role == role) {
            add_column(draft, i, sums, 1);
            columns++;
        }
    *out = columns > 0 ? share_unique(sums, rows, set) : NAN;
    for (size_t i = 0; each && i < draft->table->column_count; i++) {
        hr_draft_part *part = &draft->parts[i];
        if (part->role != role) continue;
        add_column(draft, i, sums, UINT64_MAX);
        part->alone = share_alone(&part->profile);
        part->without = columns > 1 ? share_unique(sums, rows, set) : 0;
        add_column(draft, i, sums, 1);
    }
}

hr_status hr_draft_measure(hr_draft *draft, hr_error *err) {
    size_t rows = draft->table->rows;
    sum_set set = {.size = 16};
    while (set.size < 2 * rows)
        set.size *= 2;
    uint64_t *sums = hr_alloc(rows, sizeof *sums, err);
    set.sums = hr_alloc_raw(set.size, sizeof *set.sums, err);
    set.seen = hr_alloc(set.size, sizeof *set.seen, err);
    hr_status status = sums && set.sums && set.seen ? HR_OK : HR_ENOMEM;
    if (status == HR_OK) {
        measure_role(draft, HR_ROLE_QUASI, true, sums, &set, &draft->unique);
        measure_role(draft, HR_ROLE_KEEP, false, sums, &set, &draft->kept_unique);
    }
    free(sums);
    free(set.sums);
    free(set.seen);
    return status;
}
