/* layout.c - the data that all cells of a search share: each tree as preorder numbers with the cost
 * of joining any two of its nodes, the order of the quasi-identifier combinations, and the
 * combinations of sensitive values. It is made once per search and read by every thread.
 *
 * The order of combinations keeps similar ones together. A distinction is an (attribute, level)
 * pair and compares the ancestors at that level (numbers without hierarchy: halves, quarters, ...
 * of the range). Combinations are compared by one distinction after another: the most costly
 * first, whatever its attribute, and among equal costs the one of the first attribute. */
#include "algorithm/layout.h"

#include <stdlib.h>
#include <string.h>

enum { NUMERIC_LEVELS = 16 }; /* parts of the range down to 1 / 2^16, then single numbers */

/* ---- trees as preorder numbers ---- */

static void fill(uint32_t *near, uint32_t from, uint32_t to, uint32_t cost) {
    for (uint32_t a = from; a < to; a++)
        near[a] = cost;
}

/* near[a] is the cost of g if a is below g or above g (some node below a is then below g),
 * otherwise the cost of the common ancestor of g and a. Let `top` be the common ancestor of
 * `last` and g. Apart from the ancestors, near[a] differs between the two only below the children
 * of `top` that contain them. */
void hr_layout_fill_near(const hr_layout_tree *tree, uint32_t last, uint32_t g, uint32_t *near) {
    uint32_t top = last == HR_NONE ? 0 : hr_preorder_join(&tree->order, g, last);
    if (last == HR_NONE) fill(near, 0, tree->order.count, tree->cost[0]);
    for (uint32_t old = last; last != HR_NONE && old != top; old = tree->order.up[old])
        if (tree->order.up[old] == top) fill(near, old, tree->order.end[old], tree->cost[top]);
    if (g != top) fill(near, g, tree->order.end[g], tree->cost[g]);
    for (uint32_t node = g, above; node != top && tree->order.up[node] != top; node = above) {
        above = tree->order.up[node];
        fill(near, above, node, tree->cost[above]);
        fill(near, tree->order.end[node], tree->order.end[above], tree->cost[above]);
    }
    near[g] = tree->cost[g];
    for (uint32_t node = g; node != 0; node = tree->order.up[node])
        near[tree->order.up[node]] = tree->cost[g];
}

static hr_status lay_out_tree(const hr_quasi *quasi, hr_layout *layout, hr_layout_tree *tree,
                              hr_error *err) {
    const hr_hierarchy *source = quasi->tree;
    HR_TRY(hr_preorder_make(source, &layout->arena, &tree->order, err));
    uint32_t count = tree->order.count;
    tree->cost = hr_arena_alloc(&layout->arena, count, sizeof *tree->cost, err);
    if (!tree->cost) return HR_ENOMEM;
    for (uint32_t node = 0; node < count; node++)
        tree->cost[tree->order.position[node]] = source->cost[node];
    for (uint32_t i = 0; i < source->leaf_count; i++)
        tree->odd = tree->odd || source->cost[hr_quasi_leaf_value(quasi, i)] > 0;
    if (count > HR_LAYOUT_MATRIX) return HR_OK;
    tree->near = hr_arena_alloc(&layout->arena, (size_t)count * count, sizeof *tree->near, err);
    if (!tree->near) return HR_ENOMEM;
    for (uint32_t g = 0; g < count; g++)
        hr_layout_fill_near(tree, HR_NONE, g, tree->near + (size_t)g * count);
    return HR_OK;
}

/* ---- distinctions ---- */

static int by_cost(const void *a, const void *b) {
    const hr_distinction *x = a, *y = b;
    if (x->cost != y->cost) return x->cost > y->cost ? -1 : 1;
    if (x->quasi != y->quasi) return x->quasi < y->quasi ? -1 : 1;
    return x->level > y->level ? -1 : x->level < y->level;
}

/* A tree of height H has levels H - 1 .. 0; numbers have levels NUMERIC_LEVELS .. 0, and 0 is
 * exact. Returns the number of distinctions; `out` may be NULL. */
static size_t list_distinctions(const hr_microdata *data, hr_distinction *out) {
    size_t count = 0;
    for (size_t j = 0; j < data->quasi_count; j++) {
        const hr_hierarchy *tree = data->quasi[j].tree;
        uint32_t height = tree ? tree->height[tree->root] : NUMERIC_LEVELS + 1;
        for (uint32_t level = 0; level < height; level++) {
            uint32_t cost = tree ? (uint32_t)((level + UINT64_C(1)) * HR_COST_ONE / height)
                                 : HR_COST_ONE >> (NUMERIC_LEVELS - level);
            if (out) out[count] = (hr_distinction){.quasi = j, .cost = cost, .level = level};
            count++;
        }
    }
    if (out) qsort(out, count, sizeof *out, by_cost);
    return count;
}

/* Key of a value. Tree: the highest ancestor whose height is at most `level`, as its preorder
 * number. Number: the part of the range. */
static uint32_t key_of(const hr_quasi *quasi, uint32_t level, uint32_t value) {
    const hr_hierarchy *tree = quasi->tree;
    if (tree) {
        while (value != tree->root && tree->height[tree->parent[value]] <= level)
            value = tree->parent[value];
        return tree->order[value];
    }
    if (level == 0) return value;
    uint32_t parts = UINT32_C(1) << (NUMERIC_LEVELS + 1 - level);
    double range = hr_quasi_range(quasi);
    double share = range > 0 ? (quasi->number[value] - hr_quasi_least(quasi)) / range : 0;
    return share >= 1 ? parts - 1 : (uint32_t)(share * parts);
}

static hr_status make_distinctions(const hr_microdata *data, hr_layout *layout, hr_error *err) {
    layout->distinction_count = list_distinctions(data, NULL);
    layout->distinctions = hr_arena_alloc(&layout->arena, layout->distinction_count,
                                          sizeof *layout->distinctions, err);
    if (!layout->distinctions) return HR_ENOMEM;
    list_distinctions(data, layout->distinctions);
    for (size_t d = 0; d < layout->distinction_count; d++) {
        hr_distinction *by = &layout->distinctions[d];
        const hr_quasi *quasi = &data->quasi[by->quasi];
        by->key_count = quasi->tree || by->level == 0
                            ? quasi->value_count
                            : UINT32_C(1) << (NUMERIC_LEVELS + 1 - by->level);
        by->key = hr_arena_alloc(&layout->arena, quasi->value_count, sizeof *by->key, err);
        if (!by->key) return HR_ENOMEM;
        for (uint32_t value = 0; value < quasi->value_count; value++)
            by->key[value] = key_of(quasi, by->level, value);
    }
    return HR_OK;
}

/* Values of the combinations, in the order of ranks. */
static hr_status list_values(const hr_microdata *data, hr_layout *layout, hr_error *err) {
    enum { ROWS = 512 };
    size_t t = data->quasi_count;
    uint32_t *values =
        hr_alloc_raw(ROWS * t, sizeof *values, err); /* of ROWS rows, attribute by attribute */
    layout->value = hr_alloc_raw(layout->combination_count * t, sizeof *layout->value, err);
    if (!values || !layout->value) {
        free(values);
        return HR_ENOMEM;
    }
    for (size_t first = 0; first < data->rows; first += ROWS) {
        size_t count = data->rows - first < ROWS ? data->rows - first : ROWS;
        for (size_t j = 0; j < t; j++)
            hr_column_map(data->quasi[j].column, first, count, data->quasi[j].value_of_code,
                          values + j * ROWS);
        for (size_t i = 0; i < count; i++) {
            uint32_t rank = layout->rank[first + i];
            for (size_t j = 0; rank != HR_NONE && j < t; j++)
                layout->value[rank * t + j] = values[j * ROWS + i];
        }
    }
    free(values);
    return HR_OK;
}

/* ---- combinations of sensitive values ---- */

typedef struct {
    uint32_t number; /* of the type, in the whole table */
    uint32_t type;   /* its number in this part of the table */
} placed_type;

static int by_number(const void *a, const void *b) {
    uint32_t x = ((const placed_type *)a)->number, y = ((const placed_type *)b)->number;
    return x < y ? -1 : x > y;
}

/* Looks up the number that the type of each group has in the whole table. `values` has room for
 * one type. */
static void place_types(const hr_microdata *data, const hr_groups *groups, uint32_t *values,
                        placed_type *types) {
    uint32_t known = 0; /* groups are numbered by their first rows */
    for (size_t row = 0; row < data->rows && known < groups->count; row++) {
        if (groups->of_row[row] != known) continue;
        for (size_t l = 0; l < data->sensitive_count; l++)
            values[l] = hr_sensitive_value(&data->sensitive[l], row);
        types[known] = (placed_type){hr_type_order_find(data->types, values), known};
        known++;
    }
}

/* Renumbers the types of a part of a table in their order in the whole table, by which hedge breaks
 * ties. */
static hr_status order_types(const hr_microdata *data, hr_groups *groups, hr_error *err) {
    placed_type *types = hr_alloc(groups->count, sizeof *types, err);
    uint32_t *number = hr_alloc(groups->count, sizeof *number, err);
    uint32_t *values = hr_alloc(data->sensitive_count, sizeof *values, err);
    hr_status status = types && number && values ? HR_OK : HR_ENOMEM;
    if (status == HR_OK) {
        place_types(data, groups, values, types);
        qsort(types, groups->count, sizeof *types, by_number);
        for (uint32_t i = 0; i < groups->count; i++)
            number[types[i].type] = i;
        for (size_t row = 0; row < data->rows; row++)
            groups->of_row[row] = number[groups->of_row[row]];
    }
    free(types);
    free(number);
    free(values);
    return status;
}

static hr_status number_types(const hr_microdata *data, hr_layout *layout, hr_error *err) {
    hr_groups groups;
    HR_TRY(hr_groups_start(&groups, data->rows, err));
    layout->type = groups.of_row;
    HR_TRY(hr_sensitive_split(data->sensitive, data->sensitive_count, &groups, err));
    layout->type_count = groups.count;
    return data->types ? order_types(data, &groups, err) : HR_OK;
}

hr_status hr_cell_types_list(const hr_cell_task *task, hr_cell_types *out, hr_error *err) {
    uint32_t n = task->row_count, most = task->layout->type_count;
    *out = (hr_cell_types){0};
    /* Per type: its number in the cell + 1; 0: not met yet. */
    uint32_t *number = hr_alloc(most, sizeof *number, err);
    out->of_item = hr_alloc_raw(n, sizeof *out->of_item, err);
    out->example = hr_alloc_raw(most < n ? most : n, sizeof *out->example, err);
    bool allocated = number && out->of_item && out->example;
    for (uint32_t i = 0; allocated && i < n; i++) {
        uint32_t *own = &number[task->type[i]];
        if (*own == 0) {
            out->example[out->count] = i;
            *own = ++out->count;
        }
        out->of_item[i] = *own - 1;
    }
    free(number);
    return allocated ? HR_OK : HR_ENOMEM;
}

void hr_cell_types_free(hr_cell_types *types) {
    free(types->of_item);
    free(types->example);
}

/* ---- the whole ---- */

hr_status hr_layout_make(const hr_microdata *data, hr_layout *out, hr_error *err) {
    *out = (hr_layout){0};
    out->trees = hr_arena_alloc(&out->arena, data->quasi_count, sizeof *out->trees, err);
    hr_status status = out->trees ? HR_OK : HR_ENOMEM;
    for (size_t j = 0; j < data->quasi_count && status == HR_OK; j++)
        if (data->quasi[j].tree) status = lay_out_tree(&data->quasi[j], out, &out->trees[j], err);
    if (status == HR_OK) status = make_distinctions(data, out, err);
    if (status == HR_OK) status = hr_layout_rank(data, out, err);
    if (status == HR_OK) status = list_values(data, out, err);
    if (status == HR_OK) status = number_types(data, out, err);
    if (status != HR_OK) hr_layout_free(out);
    return status;
}

void hr_layout_free(hr_layout *layout) {
    free(layout->rank);
    free(layout->sorted);
    free(layout->value);
    free(layout->type);
    hr_arena_free(&layout->arena);
    *layout = (hr_layout){0};
}
