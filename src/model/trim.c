/* trim.c - the part of a MAM cell that can be released under models that are not closed under
 * supersets: alpha, entropy l, recursive (c,l), and t if it refers to the input. A value with an
 * excess loses that many rows, which shrinks the cell and may give other values an excess. So
 * trim_counts.c first computes, on counts alone, how many rows each value may keep (hr_judge_trim);
 * then this file chooses the rows.
 *
 * With one sensitive attribute as many rows are left as in the largest part of the cell that holds.
 * For alpha: let N be the size of that part. A value with an excess e in the current n >= N rows
 * has e rows more than n rows allow, so at least e more than in the part: these must be removed in
 * any case. The rows left have every value that the largest part has, so k and p hold if they hold
 * for any part. For the other two models: of all parts with n rows, the one with the most even
 * counts has the greatest entropy, the least frequent most frequent value and the longest tail. So
 * n is lowered until that part holds; alpha and p hold for it if they hold for any part. The part
 * nearest to the input is chosen by t_part.c; another part might serve other models better. With
 * several attributes it matters which rows of a value are removed. They are chosen greedily, and in
 * the end rows that fit are put back.
 *
 * Rows of a value are removed in this order: first rows with an excess in most attributes; then
 * rows whose combination of quasi-identifiers has the largest share of the value, because they
 * would be generalized most; then rows of rare combinations. Remaining ties are broken by a hash of
 * the texts, so that the order of the input's rows does not matter. With units, the last row of a
 * unit in the cell goes only if no other row of the value can: k counts units. */
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

/* A row that may be removed. */
typedef struct {
    uint32_t row, group;    /* group: its combination */
    uint32_t in_excess;     /* attributes in which its value has an excess */
    uint32_t with, without; /* rows of its combination with and without the value */
    uint64_t hash;
} suspect;

typedef struct {
    const hr_microdata *data;
    hr_judge judge;
    hr_reference *reference; /* of the input; NULL: t does not refer to it */
    hr_groups *cells;
    uint32_t *start, *member;           /* rows of each cell */
    hr_groups alike;                    /* rows of a cell with equal quasi-identifiers */
    uint32_t *alike_rows;               /* rows of each such combination that are left */
    uint32_t *state;                    /* of the current cell */
    uint32_t *goal;                     /* state with the counts that the rows left should have */
    uint32_t *values;                   /* of one row */
    uint32_t *value_of;                 /* of each row of the cell: its value, or HR_NONE */
    uint32_t *value_start, *with_value; /* see group_by_value */
    const hr_watch *watch;
    uint32_t *gone; /* rows taken out of the current cell, in this order */
    uint32_t gone_count;
    suspect *suspects;
    const hr_sensitive *unit; /* NULL: no units, or each has one row */
    uint32_t *unit_rows; /* per unit: its rows that are left in the current cell; NULL: no units */
} trimmer;

static int by_group(const void *a, const void *b) {
    const suspect *x = a, *y = b;
    if (x->group != y->group) return x->group < y->group ? -1 : 1;
    if (x->in_excess != y->in_excess) return x->in_excess > y->in_excess ? -1 : 1;
    if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static int first_to_go(const void *a, const void *b) {
    const suspect *x = a, *y = b;
    uint64_t share_x = (uint64_t)x->with * (y->with + (uint64_t)y->without);
    uint64_t share_y = (uint64_t)y->with * (x->with + (uint64_t)x->without);
    if (x->in_excess != y->in_excess) return x->in_excess > y->in_excess ? -1 : 1;
    if (share_x != share_y) return share_x > share_y ? -1 : 1;
    if (x->with != y->with) return x->with < y->with ? -1 : 1;
    if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static uint32_t rows_of(const trimmer *t, const uint32_t *state, size_t l, uint32_t value) {
    return hr_judge_known(&t->judge, state).rows[t->judge.value_start[l] + value];
}

/* How many rows with this value have to leave the cell. */
static uint32_t excess_of(const trimmer *t, size_t l, uint32_t value) {
    uint32_t rows = rows_of(t, t->state, l, value), goal = rows_of(t, t->goal, l, value);
    return rows > goal ? rows - goal : 0;
}

static uint64_t hash_text(const hr_column *column, size_t row, uint64_t hash) {
    const char *text = hr_column_text(column, row);
    return hr_mix(hash ^ hr_hash(text, strlen(text)));
}

static uint64_t hash_row(const trimmer *t, uint32_t row) {
    uint64_t hash = 0;
    for (size_t j = 0; j < t->data->quasi_count; j++)
        hash = hash_text(t->data->quasi[j].column, row, hash);
    for (size_t l = 0; l < t->data->sensitive_count; l++)
        hash = hash_text(t->data->sensitive[l].column, row, hash);
    if (t->unit) hash = hash_text(t->unit->column, row, hash);
    return hash;
}

/* Groups the rows of the cell that are left and whose value of attribute l has an excess by that
 * value: those of value v become with_value[value_start[v]] .. with_value[value_start[v + 1] - 1].
 */
static void group_by_value(trimmer *t, uint32_t cell, size_t l) {
    uint32_t first = t->start[cell], count = t->start[cell + 1] - first;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t row = t->member[first + i];
        t->value_of[i] = HR_NONE;
        if (t->cells->of_row[row] == HR_NONE) continue;
        uint32_t value = hr_sensitive_value(&t->judge.sensitive[l], row);
        if (value != HR_NONE && excess_of(t, l, value) > 0) t->value_of[i] = value;
    }
    hr_group_by_key(t->value_of, count, t->judge.sensitive[l].value_count, t->value_start,
                    t->with_value);
    for (uint32_t i = 0; i < t->value_start[t->judge.sensitive[l].value_count]; i++)
        t->with_value[i] = t->member[first + t->with_value[i]];
}

/* Lists the rows with a value as candidates for removal. Call after group_by_value. */
static uint32_t list_suspects(trimmer *t, uint32_t value) {
    uint32_t count = 0;
    for (uint32_t i = t->value_start[value]; i < t->value_start[value + 1]; i++) {
        uint32_t row = t->with_value[i];
        suspect *s = &t->suspects[count++];
        *s = (suspect){.row = row, .group = t->alike.of_row[row], .hash = hash_row(t, row)};
        hr_judge_values(&t->judge, row, t->values);
        for (size_t l = 0; l < t->judge.sensitive_count; l++)
            s->in_excess += t->values[l] != HR_NONE && excess_of(t, l, t->values[l]) > 0;
    }
    return count;
}

/* Sorts the candidates in the order of removal. Each row removed lowers the share of the value in
 * its combination, so the rows of one combination have different ranks. */
static void rank_suspects(trimmer *t, uint32_t count) {
    qsort(t->suspects, count, sizeof *t->suspects, by_group);
    for (uint32_t first = 0, end; first < count; first = end) {
        uint32_t group = t->suspects[first].group;
        for (end = first; end < count && t->suspects[end].group == group; end++)
            ;
        for (uint32_t i = first; i < end; i++) {
            t->suspects[i].with = end - i;
            t->suspects[i].without = t->alike_rows[group] - (end - first);
        }
    }
    qsort(t->suspects, count, sizeof *t->suspects, first_to_go);
}

static void join(trimmer *t, uint32_t row) {
    hr_judge_values(&t->judge, row, t->values);
    hr_judge_add(&t->judge, t->state, t->values, 1);
    if (t->unit_rows) t->unit_rows[hr_sensitive_value(t->unit, row)]++;
}

static void leave(trimmer *t, uint32_t row) {
    hr_judge_values(&t->judge, row, t->values);
    hr_judge_remove(&t->judge, t->state, t->values, 1);
    if (t->unit_rows) t->unit_rows[hr_sensitive_value(t->unit, row)]--;
}

static void take_out(trimmer *t, uint32_t row) {
    leave(t, row);
    t->cells->of_row[row] = HR_NONE;
    t->alike_rows[t->alike.of_row[row]]--;
    t->gone[t->gone_count++] = row;
}

/* Is the row the last one of its unit that is left in the cell? */
static bool is_last(const trimmer *t, uint32_t row) {
    return t->unit_rows && t->unit_rows[hr_sensitive_value(t->unit, row)] == 1;
}

/* Removes the first `excess` of the suspects, which are sorted. Of those with equal in_excess, the
 * last rows of units go last. */
static void take_suspects(trimmer *t, uint32_t count, uint32_t excess) {
    for (uint32_t first = 0, end; first < count && excess > 0; first = end) {
        for (end = first; end < count; end++)
            if (t->suspects[end].in_excess != t->suspects[first].in_excess) break;
        for (int pass = 0; pass < 2; pass++)
            for (uint32_t i = first; i < end && excess > 0; i++) {
                uint32_t *row = &t->suspects[i].row;
                if (*row == HR_NONE || (pass == 0 && is_last(t, *row))) continue;
                take_out(t, *row);
                *row = HR_NONE;
                excess--;
            }
    }
}

/* Removes the excess rows of every value of attribute l from the cell. */
static bool trim_attribute(trimmer *t, uint32_t cell, size_t l) {
    uint32_t before = t->gone_count;
    group_by_value(t, cell, l);
    for (uint32_t value = 0; value < t->judge.sensitive[l].value_count; value++) {
        uint32_t excess = excess_of(t, l, value);
        if (excess == 0) continue;
        uint32_t count = list_suspects(t, value);
        rank_suspects(t, count);
        take_suspects(t, count, excess);
    }
    return t->gone_count > before;
}

/* Puts back the rows that fit, the last one removed first. With one attribute none fits. */
static void put_back(trimmer *t, uint32_t cell) {
    uint32_t kept = t->gone_count;
    for (uint32_t i = t->gone_count; i-- > 0 && t->judge.sensitive_count > 1;) {
        uint32_t row = t->gone[i];
        join(t, row);
        if (!hr_judge_trimmed(&t->judge, t->state)) {
            leave(t, row);
            continue;
        }
        t->cells->of_row[row] = cell;
        t->alike_rows[t->alike.of_row[row]]++;
        kept--;
    }
    t->gone_count = kept;
}

/* With one attribute the first round reaches the goal; the second finds nothing to do. */
static hr_status trim_cell(trimmer *t, uint32_t cell, hr_error *err) {
    memset(t->state, 0, t->judge.words * sizeof *t->state);
    t->gone_count = 0;
    for (uint32_t i = t->start[cell]; i < t->start[cell + 1] && t->unit_rows; i++)
        t->unit_rows[hr_sensitive_value(t->unit, t->member[i])] = 0;
    for (uint32_t i = t->start[cell]; i < t->start[cell + 1]; i++)
        join(t, t->member[i]);
    if (hr_judge_trimmed(&t->judge, t->state)) return HR_OK;
    for (bool again = true; again;) {
        again = false;
        HR_TRY(hr_watch_check(t->watch, err));
        memcpy(t->goal, t->state, t->judge.words * sizeof *t->goal);
        hr_judge_trim(&t->judge, t->goal, t->values);
        for (size_t l = 0; l < t->judge.sensitive_count; l++)
            again = trim_attribute(t, cell, l) || again;
    }
    put_back(t, cell);
    return HR_OK;
}

/* ---- all cells ---- */

/* Groups the rows of each cell by their quasi-identifiers. */
static hr_status find_alike(trimmer *t, hr_error *err) {
    const hr_microdata *data = t->data;
    hr_split *by = hr_alloc(data->quasi_count, sizeof *by, err);
    t->alike = (hr_groups){.rows = t->cells->rows, .count = t->cells->count};
    t->alike.of_row = hr_alloc_raw(t->alike.rows, sizeof *t->alike.of_row, err);
    hr_status status = by && t->alike.of_row ? HR_OK : HR_ENOMEM;
    if (status == HR_OK) {
        memcpy(t->alike.of_row, t->cells->of_row, t->alike.rows * sizeof *t->alike.of_row);
        for (size_t j = 0; j < data->quasi_count; j++)
            by[j] = (hr_split){data->quasi[j].column, data->quasi[j].value_of_code,
                               data->quasi[j].value_count};
        status = hr_groups_split_all(&t->alike, by, data->quasi_count, err);
    }
    free(by);
    if (status != HR_OK) return status;
    t->alike_rows = hr_alloc(t->alike.count, sizeof *t->alike_rows, err);
    if (!t->alike_rows) return HR_ENOMEM;
    for (size_t row = 0; row < t->alike.rows; row++)
        if (t->alike.of_row[row] != HR_NONE) t->alike_rows[t->alike.of_row[row]]++;
    return HR_OK;
}

/* Makes the distribution of the input, if t refers to it. */
static hr_status refer(trimmer *t, const hr_requirements *asked, hr_error *err) {
    if (asked->t_reference != HR_REFERENCE_INPUT) return HR_OK;
    HR_TRY(hr_reference_make(t->data->sensitive, t->data->sensitive_count, &t->reference, err));
    hr_reference_use_input(t->reference);
    return HR_OK;
}

static hr_status start(trimmer *t, const hr_requirements *asked, hr_error *err) {
    const hr_microdata *data = t->data;
    HR_TRY(refer(t, asked, err));
    HR_TRY(
        hr_judge_make(data->sensitive, data->sensitive_count, asked, t->reference, &t->judge, err));
    HR_TRY(hr_groups_members(t->cells, &t->start, &t->member, err));
    HR_TRY(find_alike(t, err));
    uint32_t largest = 0, most_values = 0;
    for (size_t l = 0; l < data->sensitive_count; l++)
        if (data->sensitive[l].value_count > most_values)
            most_values = data->sensitive[l].value_count;
    for (uint32_t c = 0; c < t->cells->count; c++)
        if (t->start[c + 1] - t->start[c] > largest) largest = t->start[c + 1] - t->start[c];
    t->state = hr_alloc(t->judge.words, sizeof *t->state, err);
    t->goal = hr_alloc(t->judge.words, sizeof *t->goal, err);
    t->values = hr_alloc(data->sensitive_count, sizeof *t->values, err);
    t->value_of = hr_alloc_raw(largest, sizeof *t->value_of, err);
    t->value_start = hr_alloc_raw((size_t)most_values + 2, sizeof *t->value_start, err);
    t->with_value = hr_alloc_raw(largest, sizeof *t->with_value, err);
    t->gone = hr_alloc_raw(largest, sizeof *t->gone, err);
    t->suspects = hr_alloc_raw(largest, sizeof *t->suspects, err);
    if (data->unit && hr_unit_repeats(data->unit)) {
        t->unit = data->unit;
        t->unit_rows = hr_alloc(t->unit->value_count, sizeof *t->unit_rows, err);
        if (!t->unit_rows) return HR_ENOMEM;
    }
    return t->state && t->goal && t->values && t->value_of && t->value_start && t->with_value &&
                   t->gone && t->suspects
               ? HR_OK
               : HR_ENOMEM;
}

hr_status hr_cells_trim(const hr_microdata *data, const hr_requirements *asked,
                        const hr_watch *watch, hr_groups *cells, uint64_t *trimmed, hr_error *err) {
    *trimmed = 0;
    if (!hr_models_trim(asked)) return HR_OK;
    trimmer t = {.data = data, .cells = cells, .watch = watch};
    hr_status status = start(&t, asked, err);
    for (uint32_t c = 0; c < cells->count && status == HR_OK; c++) {
        status = trim_cell(&t, c, err);
        *trimmed += t.gone_count;
    }
    hr_judge_free(&t.judge);
    hr_reference_free(t.reference);
    hr_groups_free(&t.alike);
    free(t.start);
    free(t.member);
    free(t.alike_rows);
    free(t.state);
    free(t.goal);
    free(t.values);
    free(t.value_of);
    free(t.value_start);
    free(t.with_value);
    free(t.gone);
    free(t.suspects);
    free(t.unit_rows);
    return status;
}
