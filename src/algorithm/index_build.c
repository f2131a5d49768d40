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
    memset(ix->out->cluster, 0xff, task->row_count * sizeof *ix->out->cluster);
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
    uint32_t *cross; /* t: scratch */
} building;

static uint32_t key(const building *b, const hr_distinction *by, uint32_t combination) {
    return by->key[b->value[combination * b->ix->t + by->quasi]];
}

static void add_child(building *b, uint32_t parent, uint32_t first, uint32_t end, uint32_t depth) {
    uint32_t number = b->ix->node_count++;
    b->ix->nodes[number] = (hr_index_node){.combination = first, .live = 1};
    b->ix->up[number] = (hr_index_up){.parent = parent, .low_row = HR_NONE};
    b->end[number] = end;
    b->depth[number] = depth;
}

/* What an attribute costs at least once values of two children are joined in it. */
static uint32_t crossing(const building *b, const hr_distinction *by, uint32_t branch) {
    const hr_layout_tree *tree = &b->ix->task->layout->trees[by->quasi];
    return tree->count ? tree->cost[tree->up[branch]] : 0;
}

enum { FAN = HR_INDEX_WIDE / 2 }; /* children of a node, about */

/* After the last combination of a run of equal keys. */
static uint32_t run_end(const building *b, const hr_distinction *by, uint32_t at, uint32_t end) {
    uint32_t branch = key(b, by, at);
    while (at < end && key(b, by, at) == branch)
        at++;
    return at;
}

/* A range of combinations; `depth`: the first distinction that may split it. */
typedef struct {
    uint32_t first, end, depth;
} range;

/* What becomes of a node: ranges in their order. */
typedef struct {
    range parts[HR_INDEX_WIDE];
    uint32_t count;
} splitting;

/* The first distinction that splits a range. */
static const hr_distinction *find_distinction(const building *b, range *r) {
    const hr_distinction *by = b->ix->task->layout->distinctions + r->depth;
    for (; key(b, by, r->first) == key(b, by, r->end - 1); by++)
        r->depth++;
    return by;
}

/* Split a range by its distinction, if there is room for its parts. A whole node always is: where runs are
 * many, several go to one part, which is split by the same distinction again. */
static bool split_range(const building *b, splitting *s, uint32_t which) {
    range whole = s->parts[which];
    const hr_distinction *by = find_distinction(b, &whole);
    uint32_t runs = 0, each = 1, room = HR_INDEX_WIDE - s->count + 1;
    for (uint32_t at = whole.first; at < whole.end; at = run_end(b, by, at, whole.end))
        runs++;
    if (runs > room && s->count > 1) return false;
    if (runs > room) each = (runs + FAN - 1) / FAN;
    uint32_t made = (runs + each - 1) / each;
    memmove(s->parts + which + made, s->parts + which + 1,
            (s->count - which - 1) * sizeof *s->parts);
    s->count += made - 1;
    for (uint32_t at = whole.first; at < whole.end; which++) {
        uint32_t from = at;
        for (uint32_t run = 0; run < each && at < whole.end; run++) {
            uint32_t cost = crossing(b, by, key(b, by, at));
            if (cost < b->cross[by->quasi]) b->cross[by->quasi] = cost;
            at = run_end(b, by, at, whole.end);
        }
        s->parts[which] = (range){from, at, whole.depth};
    }
    return true;
}

/* The largest range of several combinations, or HR_NONE. */
static uint32_t largest(const splitting *s) {
    uint32_t best = HR_NONE, most = 1;
    for (uint32_t i = 0; i < s->count; i++)
        if (s->parts[i].end - s->parts[i].first > most) {
            most = s->parts[i].end - s->parts[i].first;
            best = i;
        }
    return best;
}

static void keep_crosses(const building *b, uint32_t node) {
    hr_index *ix = b->ix;
    ix->up[node].cross = ix->cross_count;
    for (size_t j = 0; j < ix->t; j++)
        if (b->cross[j] != UINT32_MAX)
            ix->crosses[ix->cross_count++] = (hr_index_cross){(uint32_t)j, b->cross[j]};
    ix->up[node].cross_count = ix->cross_count - ix->up[node].cross;
}

/* By one distinction after another, the largest range first, until there are enough children: few wide
 * nodes are sooner asked than many narrow ones. */
static void split_node(building *b, uint32_t node) {
    hr_index_node *made = &b->ix->nodes[node];
    splitting s = {.parts = {{made->combination, b->end[node], b->depth[node]}}, .count = 1};
    memset(b->cross, 0xff, b->ix->t * sizeof *b->cross);
    while (s.count < FAN) {
        uint32_t which = largest(&s);
        if (which == HR_NONE || !split_range(b, &s, which)) break;
    }
    made->child = b->ix->node_count;
    made->child_count = s.count;
    made->live = UINT32_MAX >> (HR_INDEX_WIDE - s.count);
    for (uint32_t i = 0; i < s.count; i++)
        add_child(b, node, s.parts[i].first, s.parts[i].end, s.parts[i].depth);
    keep_crosses(b, node);
}

static void set_leaf(building *b, uint32_t node) {
    hr_index *ix = b->ix;
    uint32_t combination = ix->nodes[node].combination;
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
    const hr_index_node *parent = &ix->nodes[up->parent];
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
        if (node > 0) cover_child(b, node);
    }
}

/* The codes of children, or of the root, to where they stay together. */
static void keep_group(const building *b, uint32_t first, uint32_t count) {
    size_t t = b->ix->t;
    for (size_t j = 0; j < t; j++)
        for (uint32_t i = 0; i < count; i++)
            b->ix->group[first * t + j * count + i] = (uint16_t)b->code[(first + i) * t + j];
}

/* The codes to where they stay. */
static hr_status keep_codes(building *b, hr_error *err) {
    hr_index *ix = b->ix;
    size_t count = ix->node_count * ix->stride;
    if (ix->narrow) {
        ix->group = hr_arena_alloc(&ix->arena, count, sizeof *ix->group, err);
        if (!ix->group) return HR_ENOMEM;
        keep_group(b, 0, 1);
        for (uint32_t node = 0; node < ix->node_count; node++)
            keep_group(b, ix->nodes[node].child, ix->nodes[node].child_count);
        return HR_OK;
    }
    ix->code = hr_arena_alloc(&ix->arena, count, sizeof *ix->code, err);
    if (ix->code) memcpy(ix->code, b->code, count * sizeof *ix->code);
    return ix->code ? HR_OK : HR_ENOMEM;
}

static hr_status build_nodes(hr_index *ix, hr_error *err) {
    size_t most = (size_t)ix->combination_count * 2;
    building b = {.ix = ix};
    ix->nodes = hr_arena_alloc(&ix->arena, most, sizeof *ix->nodes, err);
    ix->up = hr_arena_alloc(&ix->arena, most, sizeof *ix->up, err);
    size_t depth = 8 * ix->task->layout->distinction_count + 2; /* runs of FAN^8 are no more */
    ix->path = hr_arena_alloc(&ix->arena, depth, sizeof *ix->path, err);
    ix->beyond = hr_arena_alloc(&ix->arena, depth, sizeof *ix->beyond, err);
    b.value = hr_alloc_raw((size_t)ix->combination_count * ix->t, sizeof *b.value, err);
    b.cross = hr_alloc_raw(ix->t, sizeof *b.cross, err);
    ix->crosses = hr_arena_alloc(&ix->arena, ix->combination_count, sizeof *ix->crosses, err);
    b.end = hr_alloc_raw(most * 2, sizeof *b.end, err);
    b.depth = b.end ? b.end + most : NULL;
    b.code = hr_alloc_raw(most * ix->stride, sizeof *b.code, err);
    bool there = ix->nodes && ix->up && ix->crosses && ix->path && ix->beyond && b.value &&
                 b.cross && b.end && b.code;
    hr_status status = there ? HR_OK : HR_ENOMEM;
    if (status == HR_OK) {
        load_values(&b);
        grow_tree(&b);
        status = keep_codes(&b, err);
    }
    free(b.value);
    free(b.cross);
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
    if (ix->r) HR_TRY(hr_types_init(ix, err));
    return ix->by_type ? hr_pairs_init(ix, err) : HR_OK;
}

void hr_index_free(hr_index *ix) {
    hr_arena_free(&ix->arena);
}
