/* index_build.c - building the tree over a cell's combinations. They come sorted by rank, so the
 * first distinction in which the first and the last of a range differ is where the range splits;
 * ranges of one child are never made into nodes. Values that cover the nodes are then joined from
 * the leaves up. */
#include "algorithm/index.h"

#include <stdlib.h>
#include <string.h>

/* ---- items and combinations ---- */

static hr_status allocate_items(hr_index *ix, hr_error *err) {
    uint32_t n = ix->task->row_count;
    uint32_t **arrays[] = {&ix->item, &ix->combination, &ix->head, &ix->left, &ix->leaf};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = hr_arena_alloc(&ix->arena, n, sizeof **arrays[i], err);
        if (!*arrays[i]) return HR_ENOMEM;
    }
    ix->start = hr_arena_alloc(&ix->arena, (size_t)n + 1, sizeof *ix->start, err);
    ix->taken = hr_arena_alloc(&ix->arena, n, sizeof *ix->taken, err);
    return ix->start && ix->taken ? HR_OK : HR_ENOMEM;
}

static void find_combinations(hr_index *ix) {
    const hr_cell_task *task = ix->task;
    const uint32_t *rank = task->layout->rank;
    uint32_t last = HR_NONE;
    for (uint32_t i = 0; i < task->row_count; i++) {
        uint32_t own = rank[task->rows[ix->place[i]]];
        if (own != last) ix->start[ix->combination_count++] = i;
        last = own;
        ix->combination[i] = ix->combination_count - 1;
        ix->item[ix->place[i]] = i;
    }
    ix->start[ix->combination_count] = task->row_count;
    for (uint32_t c = 0; c < ix->combination_count; c++) {
        ix->head[c] = ix->start[c];
        ix->left[c] = ix->start[c + 1] - ix->start[c];
    }
    ix->live_count = task->row_count;
}

/* ---- nodes ---- */

typedef struct {
    hr_index *ix;
    uint32_t *value; /* combinations x t */
    uint32_t *end;   /* per node: after its last combination */
    uint32_t *depth; /* per node: first distinction that may split it */
} building;

static uint32_t key(const building *b, const hr_distinction *by, uint32_t combination) {
    return by->key[b->value[combination * b->ix->t + by->quasi]];
}

static uint32_t add_child(building *b, uint32_t parent, uint32_t first, uint32_t end,
                          uint32_t depth) {
    uint32_t number = b->ix->node_count++;
    b->ix->nodes[number] =
        (hr_index_node){.parent = parent, .combination = first, .low_row = HR_NONE};
    b->ix->live[number] = end - first;
    b->end[number] = end;
    b->depth[number] = depth;
    return number;
}

/* What an attribute costs at least once values of two children are joined in it. */
static uint32_t crossing(const building *b, const hr_distinction *by, uint32_t branch) {
    const hr_layout_tree *tree = &b->ix->task->layout->trees[by->quasi];
    return tree->count ? tree->cost[tree->up[branch]] : 0;
}

enum { FAN = 16 }; /* children of a node, about */

/* After the last combination of a run of equal keys. */
static uint32_t run_end(const building *b, const hr_distinction *by, uint32_t at, uint32_t end) {
    uint32_t branch = key(b, by, at);
    while (at < end && key(b, by, at) == branch)
        at++;
    return at;
}

/* How many runs go to one child: one, or where there are many of them so many that the children are
 * few. A child of several runs is split by the same distinction again. */
static uint32_t runs_per_child(const building *b, const hr_distinction *by, uint32_t first,
                               uint32_t end) {
    uint32_t runs = 0;
    for (uint32_t at = first; at < end; at = run_end(b, by, at, end))
        runs++;
    return runs <= 2 * FAN ? 1 : (runs + FAN - 1) / FAN;
}

static void split_node(building *b, uint32_t node) {
    const hr_layout *layout = b->ix->task->layout;
    uint32_t first = b->ix->nodes[node].combination, end = b->end[node], d = b->depth[node];
    while (key(b, &layout->distinctions[d], first) == key(b, &layout->distinctions[d], end - 1))
        d++;
    const hr_distinction *by = &layout->distinctions[d];
    uint32_t child = b->ix->node_count, cross = UINT32_MAX;
    uint32_t runs = runs_per_child(b, by, first, end);
    for (uint32_t at = first; at < end;) {
        uint32_t from = at;
        for (uint32_t run = 0; run < runs && at < end; run++) {
            uint32_t cost = crossing(b, by, key(b, by, at));
            if (cost < cross) cross = cost;
            at = run_end(b, by, at, end);
        }
        add_child(b, node, from, at, d);
    }
    hr_index_node *made = &b->ix->nodes[node];
    made->child = child;
    made->child_count = b->ix->node_count - child;
    made->cross = cross;
    made->cross_quasi = (uint32_t)by->quasi;
}

static void set_leaf(building *b, uint32_t node) {
    hr_index *ix = b->ix;
    uint32_t combination = ix->nodes[node].combination;
    uint32_t *code = ix->code + node * ix->stride;
    ix->leaf[combination] = node;
    if (ix->low_rows) ix->nodes[node].low_row = ix->place[ix->start[combination]];
    for (size_t j = 0; j < ix->t; j++) {
        const hr_layout_tree *tree = &ix->task->layout->trees[j];
        uint32_t value = b->value[combination * ix->t + j], *at = code + ix->offset[j];
        at[0] = tree->count ? tree->position[value] : value;
        if (!tree->count) at[1] = value;
    }
}

/* Let the parent cover the node, too; its first child begins. */
static void cover_child(const hr_index *ix, uint32_t node) {
    hr_index_node *n = &ix->nodes[node], *parent = &ix->nodes[n->parent];
    const uint32_t *from = ix->code + node * ix->stride;
    uint32_t *to = ix->code + n->parent * ix->stride;
    if (n->low_row < parent->low_row) parent->low_row = n->low_row;
    if (node == parent->child + parent->child_count - 1) { /* the last comes first here */
        memcpy(to, from, ix->stride * sizeof *to);
        return;
    }
    for (size_t j = 0; j < ix->t; j++) {
        const hr_layout_tree *tree = &ix->task->layout->trees[j];
        size_t at = ix->offset[j];
        if (tree->count) {
            to[at] = hr_layout_join(tree, to[at], from[at]);
        } else {
            if (from[at] < to[at]) to[at] = from[at];
            if (from[at + 1] > to[at + 1]) to[at + 1] = from[at + 1];
        }
    }
}

static void load_values(building *b) {
    const hr_cell_task *task = b->ix->task;
    for (uint32_t c = 0; c < b->ix->combination_count; c++) {
        uint32_t row = task->rows[b->ix->place[b->ix->start[c]]];
        for (size_t j = 0; j < b->ix->t; j++)
            b->value[c * b->ix->t + j] = hr_quasi_value(&task->data->quasi[j], row);
    }
}

/* Depth first, so that what is near in the order of ranks is near in memory. */
static void split_below(building *b, uint32_t node) {
    if (b->end[node] - b->ix->nodes[node].combination == 1) return;
    split_node(b, node);
    uint32_t child = b->ix->nodes[node].child, count = b->ix->nodes[node].child_count;
    for (uint32_t i = 0; i < count; i++)
        split_below(b, child + i);
}

static void grow_tree(building *b) {
    hr_index *ix = b->ix;
    add_child(b, 0, 0, ix->combination_count, 0);
    split_below(b, 0);
    for (uint32_t node = ix->node_count; node-- > 0;) {
        if (ix->nodes[node].child_count == 0) set_leaf(b, node);
        if (node > 0) cover_child(ix, node);
    }
}

static hr_status build_nodes(hr_index *ix, hr_error *err) {
    size_t most = (size_t)ix->combination_count * 2;
    building b = {.ix = ix};
    ix->nodes = hr_arena_alloc(&ix->arena, most, sizeof *ix->nodes, err);
    ix->code = hr_arena_alloc(&ix->arena, most * ix->stride, sizeof *ix->code, err);
    ix->live = hr_arena_alloc(&ix->arena, most, sizeof *ix->live, err);
    size_t depth = 8 * ix->task->layout->distinction_count + 2; /* runs of FAN^8 are no more */
    ix->path = hr_arena_alloc(&ix->arena, depth, sizeof *ix->path, err);
    ix->beyond = hr_arena_alloc(&ix->arena, depth, sizeof *ix->beyond, err);
    b.value = hr_alloc_raw((size_t)ix->combination_count * ix->t, sizeof *b.value, err);
    b.end = hr_alloc_raw(most * 2, sizeof *b.end, err);
    b.depth = b.end ? b.end + most : NULL;
    bool there = ix->nodes && ix->code && ix->live && ix->path && ix->beyond && b.value && b.end;
    hr_status status = there ? HR_OK : HR_ENOMEM;
    if (status == HR_OK) {
        load_values(&b);
        grow_tree(&b);
    }
    free(b.value);
    free(b.end);
    return status;
}

/* Trees of up to HR_LAYOUT_ROW nodes have narrow codes, one an attribute. */
static hr_status narrow_codes(hr_index *ix, hr_error *err) {
    size_t count = ix->node_count * ix->t;
    if (!ix->all_near) return HR_OK;
    ix->small = hr_arena_alloc(&ix->arena, count, sizeof *ix->small, err);
    if (!ix->small) return HR_ENOMEM;
    for (size_t i = 0; i < count; i++)
        ix->small[i] = (uint16_t)ix->code[i];
    return HR_OK;
}

/* ---- the whole ---- */

static hr_status allocate_cluster(hr_index *ix, hr_error *err) {
    ix->gen = hr_arena_alloc(&ix->arena, ix->stride, sizeof *ix->gen, err);
    ix->near = hr_arena_alloc(&ix->arena, ix->t, sizeof *ix->near, err);
    ix->distinct = hr_arena_alloc(&ix->arena, ix->r, sizeof *ix->distinct, err);
    ix->near_row = hr_arena_alloc(&ix->arena, ix->t, sizeof *ix->near_row, err);
    for (size_t j = 0; ix->near_row && j < ix->t; j++) {
        const hr_layout_tree *tree = &ix->task->layout->trees[j];
        if (tree->near || !tree->count || tree->count > HR_LAYOUT_ROW) continue;
        ix->near_row[j] = hr_arena_alloc(&ix->arena, tree->count, sizeof **ix->near_row, err);
        if (!ix->near_row[j]) return HR_ENOMEM;
    }
    ix->cluster_capacity = ix->task->row_count / ix->task->k + 1;
    size_t most = ix->cluster_capacity;
    ix->cluster_size = hr_arena_alloc(&ix->arena, most, sizeof *ix->cluster_size, err);
    ix->cluster_seed = hr_arena_alloc(&ix->arena, most, sizeof *ix->cluster_seed, err);
    ix->cluster_gen = hr_arena_alloc(&ix->arena, most * ix->stride, sizeof *ix->cluster_gen, err);
    return ix->gen && ix->near && ix->near_row && ix->distinct && ix->cluster_size &&
                   ix->cluster_seed && ix->cluster_gen
               ? HR_OK
               : HR_ENOMEM;
}

static hr_status lay_out_codes(hr_index *ix, hr_error *err) {
    ix->offset = hr_arena_alloc(&ix->arena, ix->t, sizeof *ix->offset, err);
    if (!ix->offset) return HR_ENOMEM;
    ix->all_near = true;
    for (size_t j = 0; j < ix->t; j++) {
        const hr_layout_tree *tree = &ix->task->layout->trees[j];
        ix->offset[j] = ix->stride;
        ix->stride += tree->count ? 1 : 2;
        ix->all_near = ix->all_near && tree->count && tree->count <= HR_LAYOUT_ROW;
        ix->odd = ix->odd || tree->odd;
    }
    return HR_OK;
}

hr_status hr_index_init(hr_index *ix, const hr_cell_task *task, const hr_index_wants *wants,
                        hr_clusters *out, hr_error *err) {
    *ix = (hr_index){.task = task,
                     .out = out,
                     .t = task->data->quasi_count,
                     .r = wants->sensitive ? task->data->sensitive_count : 0,
                     .by_row = wants->by_row,
                     .low_rows = wants->furthest || wants->by_row || !wants->sensitive,
                     .place = task->by_rank};
    ix->pairs = wants->diverse && ix->r > 0;
    HR_TRY(allocate_items(ix, err));
    find_combinations(ix);
    HR_TRY(lay_out_codes(ix, err));
    HR_TRY(build_nodes(ix, err));
    HR_TRY(narrow_codes(ix, err));
    HR_TRY(allocate_cluster(ix, err));
    if (wants->furthest) HR_TRY(hr_front_init(ix, err));
    if (ix->r) HR_TRY(hr_types_init(ix, err));
    return ix->pairs ? hr_pairs_init(ix, err) : HR_OK;
}

void hr_index_free(hr_index *ix) {
    hr_arena_free(&ix->arena);
}
