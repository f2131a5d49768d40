/* index_build.c - building the tree over a cell's combinations. They come sorted by rank, so the
 * first distinction in which the first and the last of a range differ is where the range splits;
 * ranges of one child are never made into nodes. Values that cover the nodes are then joined from
 * the leaves up. */
#include "algorithm/index.h"

#include <stdlib.h>
#include <string.h>

/* ---- items and combinations ---- */

static void find_combinations(hr_index *ix) {
    const hr_cell_task *task = ix->task;
    uint32_t last = HR_NONE;
    for (uint32_t i = 0; i < task->row_count; i++) {
        ix->combination_count += task->rank[i] != last;
        last = task->rank[i];
        ix->items[i].combination = ix->combination_count - 1;
        ix->item[ix->place[i]] = i;
    }
    ix->live_count = task->row_count;
}

static hr_status list_items(hr_index *ix, hr_error *err) {
    uint32_t n = ix->task->row_count;
    ix->item = hr_arena_alloc(&ix->arena, n, sizeof *ix->item, err);
    ix->items = hr_arena_alloc(&ix->arena, n, sizeof *ix->items, err);
    if (!ix->item || !ix->items) return HR_ENOMEM;
    find_combinations(ix);
    ix->combinations = hr_arena_alloc(&ix->arena, (size_t)ix->combination_count + 1,
                                      sizeof *ix->combinations, err);
    if (!ix->combinations) return HR_ENOMEM;
    for (uint32_t i = n; i-- > 0;) {
        hr_index_combination *own = &ix->combinations[ix->items[i].combination];
        own->start = own->head = i;
        own->left++;
    }
    ix->combinations[ix->combination_count].start = n;
    return HR_OK;
}

/* ---- nodes ---- */

typedef struct {
    hr_index *ix;
    uint32_t *value; /* combinations x t */
    uint32_t *code;  /* nodes x stride */
    uint32_t *end;   /* per node: after its last combination */
    uint32_t *depth; /* per node: first distinction that may split it */
} building;

static uint32_t key(const building *b, const hr_distinction *by, uint32_t combination) {
    return by->key[b->value[combination * b->ix->t + by->quasi]];
}

static uint32_t add_child(building *b, uint32_t parent, uint32_t first, uint32_t end,
                          uint32_t depth) {
    uint32_t number = b->ix->node_count++;
    hr_index_node *made = hr_index_at(b->ix, number);
    made->combination = first;
    made->child_count = 0;
    made->live = 1;
    b->ix->up[number] = (hr_index_up){.parent = parent, .low_row = HR_NONE};
    b->end[number] = end;
    b->depth[number] = depth;
    return number;
}

/* What an attribute costs at least once values of two children are joined in it. */
static uint32_t crossing(const building *b, const hr_distinction *by, uint32_t branch) {
    const hr_layout_tree *tree = &b->ix->task->layout->trees[by->quasi];
    return tree->count ? tree->cost[tree->up[branch]] : 0;
}

enum { FAN = 16 }; /* children of a node, about; never more than twice as many */

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
    uint32_t first = hr_index_at(b->ix, node)->combination, end = b->end[node], d = b->depth[node];
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
    hr_index_node *made = hr_index_at(b->ix, node);
    made->child = child;
    made->child_count = made->live = (uint8_t)(b->ix->node_count - child);
    b->ix->up[node].cross = cross;
    b->ix->up[node].cross_quasi = (uint32_t)by->quasi;
}

static void set_leaf(building *b, uint32_t node) {
    hr_index *ix = b->ix;
    uint32_t combination = hr_index_at(ix, node)->combination;
    uint32_t *code = b->code + node * ix->stride;
    ix->combinations[combination].leaf = node;
    if (ix->low_rows) ix->up[node].low_row = ix->place[ix->combinations[combination].start];
    for (size_t j = 0; j < ix->t; j++) {
        const hr_layout_tree *tree = &ix->task->layout->trees[j];
        uint32_t value = b->value[combination * ix->t + j], *at = code + ix->offset[j];
        at[0] = tree->count ? tree->position[value] : value;
        if (!tree->count) at[1] = value;
    }
}

/* Let the parent cover the node, too; its first child begins. */
static void cover_child(const building *b, uint32_t node) {
    const hr_index *ix = b->ix;
    hr_index_up *up = &ix->up[node], *over = &ix->up[up->parent];
    const hr_index_node *parent = hr_index_at(ix, up->parent);
    const uint32_t *from = b->code + node * ix->stride;
    uint32_t *to = b->code + up->parent * ix->stride;
    if (up->low_row < over->low_row) over->low_row = up->low_row;
    if (node == parent->child + parent->child_count - 1u) { /* the last comes first here */
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
        const uint32_t *own =
            task->layout->value + task->rank[b->ix->combinations[c].start] * b->ix->t;
        memcpy(b->value + c * b->ix->t, own, b->ix->t * sizeof *own);
    }
}

/* Depth first, so that what is near in the order of ranks is near in memory. */
static void split_below(building *b, uint32_t node) {
    if (b->end[node] - hr_index_at(b->ix, node)->combination == 1) return;
    split_node(b, node);
    uint32_t child = hr_index_at(b->ix, node)->child, count = hr_index_at(b->ix, node)->child_count;
    for (uint32_t i = 0; i < count; i++)
        split_below(b, child + i);
}

static void grow_tree(building *b) {
    hr_index *ix = b->ix;
    add_child(b, 0, 0, ix->combination_count, 0);
    split_below(b, 0);
    for (uint32_t node = ix->node_count; node-- > 0;) {
        if (hr_index_at(ix, node)->child_count == 0) set_leaf(b, node);
        if (node > 0) cover_child(b, node);
    }
}

/* The codes to where they stay: into the nodes, if they are narrow. */
static hr_status keep_codes(building *b, hr_error *err) {
    hr_index *ix = b->ix;
    size_t count = ix->node_count * ix->stride;
    if (ix->narrow) {
        for (uint32_t node = 0; node < ix->node_count; node++)
            for (size_t j = 0; j < ix->t; j++)
                hr_index_at(ix, node)->code[j] = (uint16_t)b->code[node * ix->t + j];
        return HR_OK;
    }
    ix->code = hr_arena_alloc(&ix->arena, count, sizeof *ix->code, err);
    if (ix->code) memcpy(ix->code, b->code, count * sizeof *ix->code);
    return ix->code ? HR_OK : HR_ENOMEM;
}

static hr_status build_nodes(hr_index *ix, hr_error *err) {
    size_t most = (size_t)ix->combination_count * 2;
    building b = {.ix = ix};
    ix->nodes = hr_arena_alloc(&ix->arena, most, ix->node_size, err);
    ix->up = hr_arena_alloc(&ix->arena, most, sizeof *ix->up, err);
    size_t depth = 8 * ix->task->layout->distinction_count + 2; /* runs of FAN^8 are no more */
    ix->path = hr_arena_alloc(&ix->arena, depth, sizeof *ix->path, err);
    ix->beyond = hr_arena_alloc(&ix->arena, depth, sizeof *ix->beyond, err);
    b.value = hr_alloc_raw((size_t)ix->combination_count * ix->t, sizeof *b.value, err);
    b.end = hr_alloc_raw(most * 2, sizeof *b.end, err);
    b.depth = b.end ? b.end + most : NULL;
    b.code = hr_alloc_raw(most * ix->stride, sizeof *b.code, err);
    bool there = ix->nodes && ix->up && ix->path && ix->beyond && b.value && b.end && b.code;
    hr_status status = there ? HR_OK : HR_ENOMEM;
    if (status == HR_OK) {
        load_values(&b);
        grow_tree(&b);
        status = keep_codes(&b, err);
    }
    free(b.value);
    free(b.end);
    free(b.code);
    return status;
}

/* ---- the whole ---- */

static hr_status allocate_cluster(hr_index *ix, hr_error *err) {
    ix->gen = hr_arena_alloc(&ix->arena, ix->stride, sizeof *ix->gen, err);
    ix->near = hr_arena_alloc(&ix->arena, ix->t, sizeof *ix->near, err);
    ix->distinct = hr_arena_alloc(&ix->arena, ix->r, sizeof *ix->distinct, err);
    ix->near_row = hr_arena_alloc(&ix->arena, ix->t, sizeof *ix->near_row, err);
    ix->near_for = hr_arena_alloc(&ix->arena, ix->t, sizeof *ix->near_for, err);
    for (size_t j = 0; ix->near_row && ix->near_for && j < ix->t; j++) {
        ix->near_for[j] = HR_NONE;
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
    return ix->gen && ix->near && ix->near_row && ix->near_for && ix->distinct &&
                   ix->cluster_size && ix->cluster_seed && ix->cluster_gen
               ? HR_OK
               : HR_ENOMEM;
}

static hr_status lay_out_codes(hr_index *ix, hr_error *err) {
    ix->offset = hr_arena_alloc(&ix->arena, ix->t, sizeof *ix->offset, err);
    if (!ix->offset) return HR_ENOMEM;
    ix->narrow = true;
    for (size_t j = 0; j < ix->t; j++) {
        const hr_layout_tree *tree = &ix->task->layout->trees[j];
        ix->offset[j] = ix->stride;
        ix->stride += tree->count ? 1 : 2;
        ix->narrow = ix->narrow && tree->count && tree->count <= HR_LAYOUT_ROW;
        ix->odd = ix->odd || tree->odd;
    }
    ix->node_size = sizeof(hr_index_node) + (ix->narrow ? (ix->t + 1) / 2 * 4 : 0);
    ix->unpacked = hr_arena_alloc(&ix->arena, ix->stride, sizeof *ix->unpacked, err);
    return ix->unpacked ? HR_OK : HR_ENOMEM;
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
    ix->by_type = wants->diverse && ix->r > 0;
    HR_TRY(list_items(ix, err));
    HR_TRY(lay_out_codes(ix, err));
    HR_TRY(build_nodes(ix, err));
    HR_TRY(allocate_cluster(ix, err));
    if (wants->furthest) HR_TRY(hr_front_init(ix, err));
    if (ix->r) HR_TRY(hr_types_init(ix, err));
    return ix->by_type ? hr_pairs_init(ix, err) : HR_OK;
}

void hr_index_free(hr_index *ix) {
    hr_arena_free(&ix->arena);
}
