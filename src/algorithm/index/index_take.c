/* index_take.c - the cluster being grown, and which rows are live: takes a row from the tree into
 * the cluster, returns a row to the tree, continues with a finished cluster. */
#include "algorithm/index/index_parts.h"

#include <assert.h>
#include <string.h>

/* ---- the cluster being grown ---- */

/* The code of a tree has changed: update `near`. */
static void set_gen(hr_index *ix, size_t j) {
    const hr_layout_tree *tree = hr_index_hierarchy(ix, j);
    uint32_t g = ix->cluster.gen[ix->format.offset[j]];
    if (ix->cluster.near_row[j])
        hr_layout_fill_near(tree, ix->cluster.near_for[j], g, ix->cluster.near_row[j]);
    ix->cluster.near_for[j] = g;
    ix->cluster.near[j] =
        tree->near ? tree->near + (size_t)g * tree->order.count : ix->cluster.near_row[j];
}

uint64_t hr_index_cost_of(const hr_index *ix, const uint32_t *code) {
    uint64_t cost = 0;
    for (size_t j = 0; j < ix->t; j++) {
        const hr_layout_tree *tree = hr_index_hierarchy(ix, j);
        const uint32_t *at = code + ix->format.offset[j];
        cost += tree->order.count ? tree->cost[at[0]] : hr_index_span_cost(ix, j, at[0], at[1]);
    }
    return cost;
}

void hr_index_restart_values(hr_index *ix, uint32_t item) {
    if (ix->r == 0) return;
    hr_types_clear(ix);
    hr_types_add(ix, ix->rows.items[item].type);
}

void hr_index_restart(hr_index *ix, uint32_t item) {
    ix->cluster.seed = ix->rows.items[item].combination;
    hr_index_find_path(ix, ix->rows.combinations[ix->cluster.seed].leaf);
    if (ix->path.depth > 0 && ix->format.narrow)
        memcpy(ix->cluster.gen, ix->path.code, ix->format.stride * sizeof *ix->cluster.gen);
    else
        memcpy(ix->cluster.gen, hr_index_combination_codes(ix, ix->cluster.seed),
               ix->format.stride * sizeof *ix->cluster.gen);
    for (size_t j = 0; j < ix->t; j++)
        set_gen(ix, j);
    ix->cluster.cost = hr_index_cost_of(ix, ix->cluster.gen);
    ix->cluster.again = HR_NONE;
    hr_index_restart_values(ix, item);
    ix->cluster.size = 0;
}

static void cover(hr_index *ix, uint32_t combination) {
    const uint32_t *code = hr_index_combination_codes(ix, combination);
    bool grown = false;
    for (size_t j = 0; j < ix->t; j++) {
        const hr_layout_tree *tree = hr_index_hierarchy(ix, j);
        uint32_t *gen = ix->cluster.gen + ix->format.offset[j];
        const uint32_t *own = code + ix->format.offset[j];
        if (tree->order.count) {
            uint32_t joined = hr_preorder_join(&tree->order, gen[0], own[0]);
            if (joined == gen[0]) continue;
            gen[0] = joined;
            set_gen(ix, j);
        } else {
            if (own[0] >= gen[0] && own[1] <= gen[1]) continue;
            if (own[0] < gen[0]) gen[0] = own[0];
            if (own[1] > gen[1]) gen[1] = own[1];
        }
        grown = true;
    }
    if (!grown) return;
    ix->cluster.cost = hr_index_cost_of(ix, ix->cluster.gen);
    ix->cluster.again = HR_NONE;
    ix->path.bounds_valid = false;
}

bool hr_index_p_sensitive(const hr_index *ix) {
    for (size_t l = 0; l < ix->r; l++)
        if (ix->task->p > 1 && ix->cluster.distinct[l] < ix->task->p) return false;
    return true;
}

/* Is rebuilding the tree worthwhile? It takes about as long as visiting three nodes per
 * combination, and pays if searches have visited many nodes and a third of the combinations are
 * used up. */
static bool is_worn(const hr_index *ix) {
    enum { WIDE = 20 };
    uint64_t live = ix->rows.live_combinations;
    return live > 0 && live * 3 <= ix->tree.listed * UINT64_C(2) && ix->tree.visits >= live * WIDE;
}

hr_status hr_index_keep(hr_index *ix, hr_error *err) {
    if (ix->cluster.number >= ix->finished.capacity)
        return hr_fail(err, HR_EINVAL, "more clusters than rows allow");
    ix->finished.size[ix->cluster.number] = ix->cluster.size;
    memcpy(ix->finished.gen + ix->cluster.number * ix->format.stride, ix->cluster.gen,
           ix->format.stride * sizeof *ix->cluster.gen);
    ix->out->count = ++ix->cluster.number;
    ix->cluster.size = 0;
    return is_worn(ix) && !ix->tree.recalled ? hr_index_renew(ix, err) : HR_OK;
}

void hr_index_renumber(hr_index *ix, uint32_t from, uint32_t to) {
    ix->finished.size[to] = ix->finished.size[from];
    memmove(ix->finished.gen + to * ix->format.stride, ix->finished.gen + from * ix->format.stride,
            ix->format.stride * sizeof *ix->cluster.gen);
}

hr_status hr_index_count(hr_index *ix, hr_error *err) {
    if (++ix->unreported < 256) return HR_OK;
    uint32_t rows = ix->unreported;
    ix->unreported = 0;
    return hr_progress_add(ix->task->progress, rows, err);
}

/* ---- live rows ---- */

uint32_t hr_index_first_live(hr_index *ix, uint32_t combination) {
    uint32_t *head = &ix->rows.combinations[combination].head,
             end = ix->rows.combinations[combination + 1].start;
    while (*head < end && ix->rows.taken[*head])
        ++*head;
    return *head < end ? *head : HR_NONE;
}

/* The word and bit in which a node's parent records whether the node has live rows. */
static uint32_t *live_bits(const hr_index *ix, uint32_t node, uint32_t *bit) {
    hr_index_node *parent = &ix->tree.nodes[ix->tree.parent[node]];
    *bit = UINT32_C(1) << (node - parent->child);
    return &parent->live;
}

static void drop_combination(hr_index *ix, uint32_t node) {
    ix->tree.nodes[node].live = 0;
    ix->rows.live_combinations--;
    for (; node != 0; node = ix->tree.parent[node]) {
        uint32_t bit, *live = live_bits(ix, node, &bit);
        *live &= ~bit;
        if (*live) return;
    }
}

/* The row at `place` is not live any more. */
static void raise_low_row(hr_index *ix, uint32_t combination, uint32_t place) {
    uint32_t node = ix->rows.combinations[combination].leaf,
             item = hr_index_first_live(ix, combination);
    if (ix->tree.low_row[node] != place) return;
    ix->tree.low_row[node] = item == HR_NONE ? HR_NONE : ix->rows.items[item].place;
    while (node != 0) {
        node = ix->tree.parent[node];
        const hr_index_node *n = &ix->tree.nodes[node];
        if (ix->tree.low_row[node] != place) return;
        uint32_t low = HR_NONE;
        for (uint32_t child = n->child; child < n->child + n->child_count; child++)
            if (ix->tree.low_row[child] < low) low = ix->tree.low_row[child];
        ix->tree.low_row[node] = low;
    }
}

hr_status hr_index_take(hr_index *ix, uint32_t item, hr_error *err) {
    uint32_t combination = ix->rows.items[item].combination;
    ix->rows.taken[item] = true;
    ix->out->cluster[ix->rows.items[item].place] = ix->cluster.number;
    ix->rows.live_count--;
    if (--ix->rows.combinations[combination].left == 0)
        drop_combination(ix, ix->rows.combinations[combination].leaf);
    if (ix->low_rows) raise_low_row(ix, combination, ix->rows.items[item].place);
    if (ix->by_type) hr_pairs_taken(ix, item);
    if (ix->r) hr_types_taken(ix, item);
    /* Only if narrow: a number's interval can widen without costing more. */
    bool covered = ix->format.narrow && combination == ix->cluster.again;
    if (ix->cluster.size == 0)
        hr_index_restart(ix, item);
    else if (!covered)
        cover(ix, combination);
    ix->cluster.size++;
    if (!hr_index_p_sensitive(ix)) hr_types_add(ix, ix->rows.items[item].type);
    return hr_index_count(ix, err);
}

static void lower_low_row(hr_index *ix, uint32_t node, uint32_t place) {
    for (;; node = ix->tree.parent[node]) {
        if (ix->tree.low_row[node] <= place) return;
        ix->tree.low_row[node] = place;
        if (node == 0) return;
    }
}

static void raise_combination(hr_index *ix, uint32_t node) {
    ix->tree.nodes[node].live = 1;
    ix->rows.live_combinations++;
    for (; node != 0; node = ix->tree.parent[node]) {
        uint32_t bit, *live = live_bits(ix, node, &bit), others = *live;
        *live |= bit;
        if (others) return;
    }
}

void hr_index_return(hr_index *ix, uint32_t item) {
    uint32_t combination = ix->rows.items[item].combination;
    assert(ix->rows.combinations[combination].leaf != HR_NONE);
    ix->rows.taken[item] = false;
    ix->out->cluster[ix->rows.items[item].place] = HR_NONE;
    ix->rows.live_count++;
    if (item < ix->rows.combinations[combination].head)
        ix->rows.combinations[combination].head = item;
    if (ix->rows.combinations[combination].left++ == 0)
        raise_combination(ix, ix->rows.combinations[combination].leaf);
    if (ix->low_rows)
        lower_low_row(ix, ix->rows.combinations[combination].leaf, ix->rows.items[item].place);
    if (ix->by_type) hr_pairs_returned(ix, item);
    if (ix->r) hr_types_returned(ix, item);
}

void hr_index_reopen(hr_index *ix, uint32_t number, const uint32_t *items, uint32_t count) {
    ix->cluster.number = number;
    if (count > 0) hr_index_restart(ix, items[0]);
    for (uint32_t i = 1; i < count; i++) {
        cover(ix, ix->rows.items[items[i]].combination);
        if (ix->r) hr_types_add(ix, ix->rows.items[items[i]].type);
    }
    ix->cluster.size = count;
    if (count == 0 && ix->r) hr_types_clear(ix);
}

uint32_t hr_index_first(const hr_index *ix) {
    hr_random random;
    hr_random_seed(&random, ix->task->seed, ix->task->stream);
    return ix->rows.item_of[hr_random_below(&random, ix->task->row_count)];
}

/* ---- for the callers of index.h ---- */

uint32_t hr_index_live_count(const hr_index *ix) {
    return ix->rows.live_count;
}

bool hr_index_is_taken(const hr_index *ix, uint32_t item) {
    return ix->rows.taken[item];
}

uint32_t hr_index_place(const hr_index *ix, uint32_t item) {
    return ix->rows.items[item].place;
}

uint32_t hr_index_alike(const hr_index *ix, uint32_t item) {
    return ix->rows.items[ix->types.example[ix->rows.items[item].type]].place;
}

uint32_t hr_index_type_example(const hr_index *ix, uint32_t type) {
    return ix->types.example[type];
}

const hr_type_sets *hr_index_type_sets(const hr_index *ix) {
    return &ix->types.sets;
}

uint32_t hr_index_size(const hr_index *ix) {
    return ix->cluster.size;
}
