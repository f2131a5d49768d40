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
    ix->taken = hr_arena_alloc(&ix->arena, n, sizeof *ix->taken, err);
    if (!ix->item || !ix->items || !ix->taken) return HR_ENOMEM;
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
    const uint32_t *value; /* combinations x t */
    uint32_t *copy;        /* of values, if need be */
    uint32_t *cross;       /* t: scratch */
} building;

static uint32_t key(const building *b, const hr_distinction *by, uint32_t combination) {
    return by->key[b->value[combination * b->ix->t + by->quasi]];
}

static void add_child(building *b, uint32_t parent, uint32_t first) {
    uint32_t number = b->ix->node_count++;
    b->ix->nodes[number] = (hr_index_node){.combination = first, .live = 1};
    b->ix->parent[number] = parent;
    if (b->ix->low_rows) b->ix->low_row[number] = HR_NONE;
}

/* What an attribute costs at least once values of two children are joined in it. */
static uint32_t crossing(const building *b, const hr_distinction *by, uint32_t branch) {
    const hr_layout_tree *tree = hr_index_tree(b->ix, by->quasi);
    return tree->count ? tree->cost[tree->up[branch]] : 0;
}

enum { FAN = HR_INDEX_WIDE / 2 }; /* children of a node, about */
_Static_assert(HR_INDEX_WIDE == 32, "live children are the bits of 32");

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
    ix->cross[node] = ix->cross_count;
    for (size_t j = 0; j < ix->t; j++)
        if (b->cross[j] != UINT32_MAX)
            ix->crosses[ix->cross_count++] = (hr_index_cross){(uint32_t)j, b->cross[j]};
    ix->nodes[node].cross_count = (uint8_t)(ix->cross_count - ix->cross[node]);
}

/* By one distinction after another, the largest range first, until there are enough children: few wide
 * nodes are sooner asked than many narrow ones. Depth first, so that what is near in the order of ranks is
 * near in memory. */
static void split_node(building *b, uint32_t node, range whole) {
    hr_index_node *made = &b->ix->nodes[node];
    splitting s = {.parts = {whole}, .count = 1};
    if (whole.end - whole.first == 1) return;
    memset(b->cross, 0xff, b->ix->t * sizeof *b->cross);
    while (s.count < FAN) {
        uint32_t which = largest(&s);
        if (which == HR_NONE || !split_range(b, &s, which)) break;
    }
    made->child = b->ix->node_count;
    made->child_count = (uint8_t)s.count;
    made->live = UINT32_MAX >> (HR_INDEX_WIDE - s.count);
    for (uint32_t i = 0; i < s.count; i++)
        add_child(b, node, s.parts[i].first);
    keep_crosses(b, node);
    for (uint32_t i = 0; i < s.count; i++)
        split_node(b, made->child + i, s.parts[i]);
}

/* ---- codes ---- */

/* Where a node's codes are: every `step`-th of the narrow ones, or all of the others. */
typedef struct {
    uint16_t *narrow;
    uint32_t *wide;
    size_t step;
} codes;

static codes codes_of(const hr_index *ix, uint32_t node) {
    if (!ix->narrow) return (codes){.wide = ix->code + node * ix->stride};
    if (node == 0) return (codes){.narrow = ix->group, .step = 1};
    const hr_index_node *parent = &ix->nodes[ix->parent[node]];
    return (codes){.narrow = ix->group + parent->child * ix->t + (node - parent->child),
                   .step = parent->child_count};
}

static uint32_t get_code(codes c, size_t at) {
    return c.narrow ? c.narrow[at * c.step] : c.wide[at];
}

static void put_code(codes c, size_t at, uint32_t code) {
    if (c.narrow)
        c.narrow[at * c.step] = (uint16_t)code;
    else
        c.wide[at] = code;
}

static void set_leaf(building *b, uint32_t node) {
    hr_index *ix = b->ix;
    uint32_t combination = ix->nodes[node].combination;
    codes own = codes_of(ix, node);
    ix->combinations[combination].leaf = node;
    if (ix->low_rows) ix->low_row[node] = ix->place[ix->combinations[combination].start];
    for (size_t j = 0; j < ix->t; j++) {
        const hr_layout_tree *tree = hr_index_tree(ix, j);
        uint32_t value = b->value[combination * ix->t + j];
        put_code(own, ix->offset[j], tree->count ? tree->position[value] : value);
        if (!tree->count) put_code(own, ix->offset[j] + 1, value);
    }
}

/* Let the parent cover the node, too; its last child begins. */
static void cover_child(const building *b, uint32_t node) {
    const hr_index *ix = b->ix;
    uint32_t over = ix->parent[node];
    const hr_index_node *parent = &ix->nodes[over];
    codes from = codes_of(ix, node), to = codes_of(ix, over);
    bool begins = node == parent->child + parent->child_count - 1u;
    if (ix->low_rows && ix->low_row[node] < ix->low_row[over])
        ix->low_row[over] = ix->low_row[node];
    for (size_t at = 0; begins && at < ix->stride; at++)
        put_code(to, at, get_code(from, at));
    for (size_t j = 0; !begins && j < ix->t; j++) {
        const hr_layout_tree *tree = hr_index_tree(ix, j);
        size_t at = ix->offset[j];
        uint32_t own = get_code(from, at), now = get_code(to, at);
        if (tree->count)
            put_code(to, at, hr_layout_join(tree, now, own));
        else if (own < now)
            put_code(to, at, own);
        if (!tree->count && get_code(from, at + 1) > get_code(to, at + 1))
            put_code(to, at + 1, get_code(from, at + 1));
    }
}

/* The values of the cell's combinations: all there are, or some of them. */
static hr_status load_values(building *b, hr_error *err) {
    const hr_cell_task *task = b->ix->task;
    size_t count = b->ix->combination_count, t = b->ix->t;
    b->value = task->layout->value;
    if (count == task->layout->combination_count) return HR_OK;
    b->value = b->copy = hr_alloc_raw(count * t, sizeof *b->copy, err);
    if (!b->copy) return HR_ENOMEM;
    for (size_t c = 0; c < count; c++) {
        const uint32_t *own = task->layout->value + task->rank[b->ix->combinations[c].start] * t;
        memcpy(b->copy + c * t, own, t * sizeof *own);
    }
    return HR_OK;
}

static void grow_tree(building *b) {
    hr_index *ix = b->ix;
    add_child(b, 0, 0);
    split_node(b, 0, (range){0, ix->combination_count, 0});
    for (uint32_t node = ix->node_count; node-- > 0;) {
        if (ix->nodes[node].child_count == 0) set_leaf(b, node);
        if (node > 0) cover_child(b, node);
    }
}

static hr_status build_nodes(hr_index *ix, hr_error *err) {
    size_t most = (size_t)ix->combination_count * 2;
    size_t depth = 8 * ix->task->layout->distinction_count + 2; /* runs of FAN^8 are no more */
    building b = {.ix = ix};
    ix->nodes = hr_arena_alloc(&ix->arena, most, sizeof *ix->nodes, err);
    ix->parent = hr_arena_alloc(&ix->arena, most, sizeof *ix->parent, err);
    ix->cross = hr_arena_alloc(&ix->arena, most, sizeof *ix->cross, err);
    ix->crosses = hr_arena_alloc(&ix->arena, most, sizeof *ix->crosses, err);
    ix->path = hr_arena_alloc(&ix->arena, depth, sizeof *ix->path, err);
    ix->beyond = hr_arena_alloc(&ix->arena, depth, sizeof *ix->beyond, err);
    b.cross = hr_arena_alloc(&ix->arena, ix->t, sizeof *b.cross, err);
    if (!ix->nodes || !ix->parent || !ix->cross || !ix->crosses || !ix->path || !ix->beyond ||
        !b.cross)
        return HR_ENOMEM;
    if (ix->low_rows) {
        ix->low_row = hr_arena_alloc(&ix->arena, most, sizeof *ix->low_row, err);
        if (!ix->low_row) return HR_ENOMEM;
    }
    if (ix->narrow)
        ix->group = hr_arena_alloc(&ix->arena, most * ix->t, sizeof *ix->group, err);
    else
        ix->code = hr_arena_alloc(&ix->arena, most * ix->stride, sizeof *ix->code, err);
    if (!ix->group && !ix->code) return HR_ENOMEM;
    HR_TRY(load_values(&b, err));
    grow_tree(&b);
    free(b.copy);
    return HR_OK;
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
        const hr_layout_tree *tree = hr_index_tree(ix, j);
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
    ix->own = hr_arena_alloc(&ix->arena, ix->t, sizeof *ix->own, err);
    if (!ix->offset || !ix->own) return HR_ENOMEM;
    ix->narrow = true;
    for (size_t j = 0; j < ix->t; j++) {
        const hr_layout_tree *tree = hr_index_tree(ix, j);
        ix->offset[j] = ix->stride;
        ix->stride += tree->count ? 1 : 2;
        ix->narrow = ix->narrow && tree->count && tree->count <= HR_LAYOUT_ROW;
        ix->odd = ix->odd || tree->odd;
        ix->own[j] = tree->count ? tree->cost : NULL;
        if (tree->count) ix->greatest += tree->cost[0];
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
