/* bound_types.c - what the lower bound looks at: the rows that are not OUT by cell, combination of
 * quasi-identifier values, and kind (combination and sensitive values), in one order. Each attribute
 * is an axis of positions on which a published value is a range. Everything after this works on
 * combinations and kinds, never on rows. */
#include "bound/bound.h"

#include <stdlib.h>
#include <string.h>

/* Scratch of the making. Combinations and kinds are numbered by first row here, and anew at the
 * end. */
typedef struct {
    hr_bound_types *out;
    const hr_groups *cells;
    hr_groups groups;
    uint32_t *combination;            /* of each row */
    uint32_t *first;                  /* a row of each combination */
    uint32_t *kind_first, *kind_rows; /* of each kind */
    uint32_t **at;                    /* per axis: positions of the combinations, unsorted */
    uint32_t *order, *spare;          /* combinations, sorted */
    hr_error *err;
} making;

/* ---- rows to combinations and kinds ---- */

static hr_status start_groups(making *m, const bool *is_out) {
    size_t rows = m->cells->rows;
    HR_TRY(hr_groups_start(&m->groups, rows, m->err));
    for (size_t row = 0; row < rows; row++) {
        uint32_t cell = m->cells->of_row[row];
        bool gone = cell == HR_NONE || is_out[cell];
        m->groups.of_row[row] = gone ? HR_NONE : cell;
        m->out->lost += gone;
    }
    m->groups.count = m->cells->count;
    return HR_OK;
}

static hr_status group_combinations(making *m) {
    const hr_microdata *data = m->out->data;
    hr_split *by = hr_arena_alloc(&m->out->arena, data->quasi_count, sizeof *by, m->err);
    if (!by) return HR_ENOMEM;
    for (size_t j = 0; j < data->quasi_count; j++)
        by[j] = (hr_split){data->quasi[j].column, data->quasi[j].value_of_code,
                           data->quasi[j].value_count};
    HR_TRY(hr_groups_split_all(&m->groups, by, data->quasi_count, m->err));
    m->out->combination_count = m->groups.count;
    m->combination = hr_alloc_raw(data->rows, sizeof *m->combination, m->err);
    m->first = hr_alloc_raw(m->groups.count, sizeof *m->first, m->err);
    if (!m->combination || !m->first) return HR_ENOMEM;
    memcpy(m->combination, m->groups.of_row, data->rows * sizeof *m->combination);
    for (size_t row = data->rows; row-- > 0;)
        if (m->combination[row] != HR_NONE) m->first[m->combination[row]] = (uint32_t)row;
    return HR_OK;
}

static hr_status group_kinds(making *m) {
    const hr_microdata *data = m->out->data;
    if (m->out->p > 1)
        HR_TRY(hr_sensitive_split(data->sensitive, data->sensitive_count, &m->groups, m->err));
    m->out->kind_count = m->groups.count;
    m->kind_first = hr_alloc_raw(m->groups.count, sizeof *m->kind_first, m->err);
    m->kind_rows = hr_alloc(m->groups.count, sizeof *m->kind_rows, m->err);
    if (!m->kind_first || !m->kind_rows) return HR_ENOMEM;
    for (size_t row = data->rows; row-- > 0;) {
        uint32_t kind = m->groups.of_row[row];
        if (kind == HR_NONE) continue;
        m->kind_first[kind] = (uint32_t)row;
        m->kind_rows[kind]++;
    }
    return HR_OK;
}

/* ---- axes ---- */

static hr_status lay_tree(hr_bound_types *types, hr_bound_axis *axis, hr_error *err) {
    const hr_hierarchy *tree = axis->quasi->tree;
    uint32_t **arrays[] = {&axis->up, &axis->end, &axis->cost};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = hr_arena_alloc(&types->arena, axis->count, sizeof **arrays[i], err);
        if (!*arrays[i]) return HR_ENOMEM;
    }
    for (uint32_t node = 0; node < axis->count; node++) {
        uint32_t at = tree->order[node];
        axis->up[at] = node == tree->root ? 0 : tree->order[tree->parent[node]];
        axis->cost[at] = tree->cost[node];
        axis->end[at] = at + 1;
    }
    for (uint32_t at = axis->count; at-- > 1;)
        if (axis->end[at] > axis->end[axis->up[at]]) axis->end[axis->up[at]] = axis->end[at];
    return HR_OK;
}

static uint32_t position_of(const hr_quasi *quasi, uint32_t row) {
    uint32_t value = hr_quasi_value(quasi, row);
    return quasi->tree ? quasi->tree->order[value] : value;
}

/* Positions of the combinations as they are numbered by first row, and how many differ. */
static hr_status place_combinations(making *m, hr_bound_axis *axis, uint32_t *at) {
    bool *seen = hr_alloc(axis->count, sizeof *seen, m->err);
    if (!seen) return HR_ENOMEM;
    for (uint32_t c = 0; c < m->out->combination_count; c++) {
        at[c] = position_of(axis->quasi, m->first[c]);
        axis->present += !seen[at[c]];
        seen[at[c]] = true;
    }
    free(seen);
    axis->at = at;
    return HR_OK;
}

static int most_first(const void *a, const void *b) {
    const hr_bound_axis *x = a, *y = b;
    if (x->present != y->present) return x->present > y->present ? -1 : 1;
    return x->quasi < y->quasi ? -1 : x->quasi > y->quasi;
}

/* The intervals of one hierarchy-free attribute need not be tried one by one if it comes last. */
static void put_number_last(hr_bound_types *types) {
    size_t j = 0;
    while (j < types->t && types->axes[j].quasi->tree)
        j++;
    if (j == types->t) return;
    hr_bound_axis number = types->axes[j];
    for (; j + 1 < types->t; j++)
        types->axes[j] = types->axes[j + 1];
    types->axes[j] = number;
}

static hr_status make_axes(making *m) {
    hr_bound_types *types = m->out;
    types->axes = hr_arena_alloc(&types->arena, types->t, sizeof *types->axes, m->err);
    m->at = hr_alloc(types->t, sizeof *m->at, m->err);
    if (!types->axes || !m->at) return HR_ENOMEM;
    for (size_t j = 0; j < types->t; j++) {
        hr_bound_axis *axis = &types->axes[j];
        axis->quasi = &types->data->quasi[j];
        axis->count = axis->quasi->value_count;
        m->at[j] = hr_alloc_raw(types->combination_count, sizeof **m->at, m->err);
        if (!m->at[j]) return HR_ENOMEM;
        if (axis->quasi->tree) HR_TRY(lay_tree(types, axis, m->err));
        HR_TRY(place_combinations(m, axis, m->at[j]));
    }
    qsort(types->axes, types->t, sizeof *types->axes, most_first);
    put_number_last(types);
    return HR_OK;
}

/* ---- the order: by cell, then by position on the first axis, then by first row ---- */

static hr_status sort_by(making *m, const uint32_t *key, uint32_t key_count) {
    uint32_t count = m->out->combination_count;
    size_t *place = hr_alloc((size_t)key_count + 1, sizeof *place, m->err);
    if (!place) return HR_ENOMEM;
    for (uint32_t c = 0; c < count; c++)
        place[key[c] + 1]++;
    for (uint32_t i = 0; i < key_count; i++)
        place[i + 1] += place[i];
    for (uint32_t i = 0; i < count; i++)
        m->spare[place[key[m->order[i]]]++] = m->order[i];
    uint32_t *swap = m->order;
    m->order = m->spare;
    m->spare = swap;
    free(place);
    return HR_OK;
}

static hr_status sort_combinations(making *m, const uint32_t *cell) {
    hr_bound_types *types = m->out;
    for (uint32_t c = 0; c < types->combination_count; c++)
        m->order[c] = c;
    HR_TRY(sort_by(m, types->axes[0].at, types->axes[0].count));
    HR_TRY(sort_by(m, cell, m->cells->count));
    for (size_t j = 0; j < types->t; j++) {
        uint32_t *at = hr_arena_alloc(&types->arena, types->combination_count, sizeof *at, m->err);
        if (!at) return HR_ENOMEM;
        for (uint32_t i = 0; i < types->combination_count; i++)
            at[i] = types->axes[j].at[m->order[i]];
        types->axes[j].at = at;
    }
    return HR_OK;
}

static hr_status list_cells(making *m, const uint32_t *cell) {
    hr_bound_types *types = m->out;
    size_t most = m->cells->count;
    types->cell_number = hr_arena_alloc(&types->arena, most, sizeof *types->cell_number, m->err);
    types->cell_start = hr_arena_alloc(&types->arena, most + 1, sizeof *types->cell_start, m->err);
    types->all =
        hr_arena_alloc(&types->arena, types->combination_count, sizeof *types->all, m->err);
    if (!types->cell_number || !types->cell_start || !types->all) return HR_ENOMEM;
    for (uint32_t i = 0; i < types->combination_count; i++) {
        types->all[i] = i;
        if (i > 0 && cell[m->order[i]] == cell[m->order[i - 1]]) continue;
        types->cell_number[types->cell_count] = cell[m->order[i]];
        types->cell_start[types->cell_count++] = i;
    }
    types->cell_start[types->cell_count] = types->combination_count;
    return HR_OK;
}

/* Kinds in the order of their combinations, then of their first rows. */
static hr_status order_kinds(making *m) {
    hr_bound_types *types = m->out;
    uint32_t combinations = types->combination_count, kinds = types->kind_count;
    uint32_t **arrays[] = {&types->kind_rows, &types->kind_first, &types->kind_number};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = hr_arena_alloc(&types->arena, kinds, sizeof **arrays[i], m->err);
        if (!*arrays[i]) return HR_ENOMEM;
    }
    types->kind_start =
        hr_arena_alloc(&types->arena, (size_t)combinations + 2, sizeof *types->kind_start, m->err);
    if (!types->kind_start) return HR_ENOMEM;
    for (uint32_t i = 0; i < combinations; i++)
        m->spare[m->order[i]] = i;
    uint32_t *ends = types->kind_start + 1;
    for (uint32_t kind = 0; kind < kinds; kind++)
        ends[m->spare[m->combination[m->kind_first[kind]]] + 1]++;
    for (uint32_t i = 0; i < combinations; i++)
        ends[i + 1] += ends[i];
    for (uint32_t kind = 0; kind < kinds; kind++) {
        uint32_t at = ends[m->spare[m->combination[m->kind_first[kind]]]]++;
        types->kind_rows[at] = m->kind_rows[kind];
        types->kind_first[at] = m->kind_first[kind];
        types->kind_number[at] = kind;
    }
    return HR_OK;
}

/* ---- sensitive values ---- */

/* Do two attributes only name the same values differently? `map` has room for the values of both. */
static bool relabels(const hr_bound_types *types, const hr_sensitive *a, const hr_sensitive *b,
                     uint32_t *map) {
    uint32_t *forth = map, *back = map + a->value_count + 1;
    memset(map, 0xff, ((size_t)a->value_count + b->value_count + 2) * sizeof *map);
    for (uint32_t kind = 0; kind < types->kind_count; kind++) {
        uint32_t x = hr_sensitive_value(a, types->kind_first[kind]);
        uint32_t y = hr_sensitive_value(b, types->kind_first[kind]);
        if (x == HR_NONE) x = a->value_count;
        if (y == HR_NONE) y = b->value_count;
        if ((x == a->value_count) != (y == b->value_count)) return false;
        if (forth[x] == HR_NONE) forth[x] = y;
        if (back[y] == HR_NONE) back[y] = x;
        if (forth[x] != y || back[y] != x) return false;
    }
    return true;
}

static hr_status is_repeated(making *m, size_t l, const size_t *chosen, bool *repeated) {
    const hr_sensitive *all = m->out->data->sensitive;
    *repeated = false;
    for (size_t i = 0; i < m->out->r && !*repeated; i++) {
        const hr_sensitive *other = &all[chosen[i]];
        size_t room = (size_t)other->value_count + all[l].value_count + 2;
        uint32_t *map = hr_alloc_raw(room, sizeof *map, m->err);
        if (!map) return HR_ENOMEM;
        *repeated = relabels(m->out, other, &all[l], map);
        free(map);
    }
    return HR_OK;
}

static hr_status choose_sensitive(making *m, size_t *chosen) {
    hr_bound_types *types = m->out;
    for (size_t l = 0; types->p > 1 && l < types->data->sensitive_count; l++) {
        bool repeated;
        HR_TRY(is_repeated(m, l, chosen, &repeated));
        if (!repeated) chosen[types->r++] = l;
    }
    return HR_OK;
}

static hr_status set_values(making *m) {
    hr_bound_types *types = m->out;
    size_t most = types->data->sensitive_count;
    size_t *chosen = hr_arena_alloc(&types->arena, most, sizeof *chosen, m->err);
    types->value_count = hr_arena_alloc(&types->arena, most, sizeof *types->value_count, m->err);
    if (!chosen || !types->value_count) return HR_ENOMEM;
    HR_TRY(choose_sensitive(m, chosen));
    types->kind_value = hr_arena_alloc(&types->arena, (size_t)types->kind_count * types->r,
                                       sizeof *types->kind_value, m->err);
    if (!types->kind_value) return HR_ENOMEM;
    for (size_t l = 0; l < types->r; l++) {
        const hr_sensitive *sensitive = &types->data->sensitive[chosen[l]];
        types->value_count[l] = sensitive->value_count;
        for (uint32_t kind = 0; kind < types->kind_count; kind++)
            types->kind_value[kind * types->r + l] =
                hr_sensitive_value(sensitive, types->kind_first[kind]);
    }
    return HR_OK;
}

static int descending(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x > y ? -1 : x < y;
}

/* Classes of one cell at most, by one attribute. `count` is zero before and after and has room for
 * its values, as has `present`: the work is in proportion to the cell. */
static uint64_t classes_by(const hr_bound_types *types, uint32_t from, uint32_t to, size_t l,
                           uint64_t rows, uint32_t *count, uint32_t *present) {
    uint32_t values = 0;
    for (uint32_t kind = from; kind < to; kind++) {
        uint32_t value = types->kind_value[kind * types->r + l];
        if (value == HR_NONE) continue;
        if (count[value] == 0) present[values++] = value;
        count[value] += types->kind_rows[kind];
    }
    for (uint32_t i = 0; i < values; i++) {
        uint32_t value = present[i];
        present[i] = count[value];
        count[value] = 0;
    }
    qsort(present, values, sizeof *present, descending);
    return hr_most_classes(rows, present, values, types->k, types->p);
}

static hr_status bound_classes(making *m) {
    hr_bound_types *types = m->out;
    uint32_t most = 0;
    for (size_t l = 0; l < types->r; l++)
        if (types->value_count[l] > most) most = types->value_count[l];
    types->cell_classes =
        hr_arena_alloc(&types->arena, types->cell_count, sizeof *types->cell_classes, m->err);
    uint32_t *count = hr_alloc((size_t)most * 2, sizeof *count, m->err);
    if (!types->cell_classes || !count) {
        free(count);
        return HR_ENOMEM;
    }
    for (uint32_t c = 0; c < types->cell_count; c++) {
        uint32_t from = types->kind_start[types->cell_start[c]];
        uint32_t to = types->kind_start[types->cell_start[c + 1]];
        uint64_t rows = 0;
        for (uint32_t kind = from; kind < to; kind++)
            rows += types->kind_rows[kind];
        types->cell_classes[c] = rows / types->k;
        for (size_t l = 0; l < types->r; l++) {
            uint64_t classes = classes_by(types, from, to, l, rows, count, count + most);
            if (classes < types->cell_classes[c]) types->cell_classes[c] = classes;
        }
    }
    free(count);
    return HR_OK;
}

/* ---- the whole ---- */

static hr_status make_types(making *m, const bool *is_out) {
    HR_TRY(start_groups(m, is_out));
    HR_TRY(group_combinations(m));
    HR_TRY(group_kinds(m));
    HR_TRY(make_axes(m));
    uint32_t count = m->out->combination_count;
    m->order = hr_alloc_raw(count, sizeof *m->order, m->err);
    m->spare = hr_alloc_raw(count, sizeof *m->spare, m->err);
    uint32_t *cell = hr_alloc_raw(count, sizeof *cell, m->err);
    hr_status status = m->order && m->spare && cell ? HR_OK : HR_ENOMEM;
    for (uint32_t c = 0; status == HR_OK && c < count; c++)
        cell[c] = m->cells->of_row[m->first[c]];
    if (status == HR_OK) status = sort_combinations(m, cell);
    if (status == HR_OK) status = list_cells(m, cell);
    free(cell);
    HR_TRY(status);
    HR_TRY(order_kinds(m));
    HR_TRY(set_values(m));
    return bound_classes(m);
}

hr_status hr_bound_types_make(const hr_microdata *data, const hr_groups *cells, const bool *out,
                              const hr_requirements *asked, hr_bound_types *types, hr_error *err) {
    *types = (hr_bound_types){.data = data,
                              .k = (uint32_t)(asked->k > asked->p ? asked->k : asked->p),
                              .p = (uint32_t)asked->p,
                              .t = data->quasi_count};
    making m = {.out = types, .cells = cells, .err = err};
    hr_status status = make_types(&m, out);
    types->kind_of_row = m.groups.of_row;
    for (size_t j = 0; m.at && j < types->t; j++)
        free(m.at[j]);
    free(m.at);
    free(m.combination);
    free(m.first);
    free(m.kind_first);
    free(m.kind_rows);
    free(m.order);
    free(m.spare);
    if (status != HR_OK) hr_bound_types_free(types);
    return status;
}

void hr_bound_types_free(hr_bound_types *types) {
    free(types->kind_of_row);
    hr_arena_free(&types->arena);
    *types = (hr_bound_types){0};
}
