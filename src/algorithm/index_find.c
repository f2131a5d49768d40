/* index_find.c - taking rows from the tree: the live row whose joining costs the cluster least, also
 * among the rows most diverse from it, and the live row furthest from another. Every search is
 * exact: a node is passed over only if nothing below it can win, ties included. */
#include "algorithm/index.h"

#include <string.h>

/* ---- costs ---- */

static const hr_layout_tree *tree_of(const hr_index *ix, size_t j) {
    return &ix->task->layout->trees[j];
}

static uint32_t span_cost(const hr_index *ix, size_t j, uint32_t lo, uint32_t hi) {
    return hr_quasi_cost(&ix->task->data->quasi[j], (hr_span){lo, hi});
}

/* Least cost of attribute j once something below the codes has joined gen. */
static uint32_t near_cost(const hr_index *ix, size_t j, const uint32_t *code) {
    const uint32_t *gen = ix->gen + ix->offset[j];
    if (tree_of(ix, j)->count) return hr_layout_near(tree_of(ix, j), gen[0], code[0]);
    if (code[1] < gen[0]) return span_cost(ix, j, code[1], gen[1]);
    if (code[0] > gen[1]) return span_cost(ix, j, gen[0], code[0]);
    return span_cost(ix, j, gen[0], gen[1]);
}

/* Greatest cost, likewise; for one combination both are exact. */
static uint32_t far_cost(const hr_index *ix, size_t j, const uint32_t *code) {
    const uint32_t *gen = ix->gen + ix->offset[j];
    if (!tree_of(ix, j)->count)
        return span_cost(ix, j, code[0] < gen[0] ? code[0] : gen[0],
                         code[1] > gen[1] ? code[1] : gen[1]);
    return hr_layout_far(tree_of(ix, j), gen[0], code[0]);
}

static uint64_t least_cost(const hr_index *ix, uint32_t node) {
    const uint32_t *code = ix->code + node * ix->stride;
    uint64_t cost = 0;
    if (ix->all_near) {
        for (size_t j = 0; j < ix->t; j++)
            cost += ix->near[j][code[j]];
        return cost;
    }
    for (size_t j = 0; j < ix->t; j++)
        cost += ix->near[j] ? ix->near[j][code[ix->offset[j]]]
                            : near_cost(ix, j, code + ix->offset[j]);
    return cost;
}

uint64_t hr_index_most_cost(const hr_index *ix, uint32_t node) {
    const uint32_t *code = ix->code + node * ix->stride;
    uint64_t cost = 0;
    for (size_t j = 0; j < ix->t; j++)
        cost += far_cost(ix, j, code + ix->offset[j]);
    return cost;
}

/* ---- the cluster at hand ---- */

static void set_gen(hr_index *ix, size_t j) {
    const hr_layout_tree *tree = tree_of(ix, j);
    uint32_t g = ix->gen[ix->offset[j]];
    ix->near[j] = tree->near ? tree->near + (size_t)g * tree->count : NULL;
}

static uint64_t gen_cost(const hr_index *ix) {
    uint64_t cost = 0;
    for (size_t j = 0; j < ix->t; j++) {
        const uint32_t *gen = ix->gen + ix->offset[j];
        cost += tree_of(ix, j)->count ? tree_of(ix, j)->cost[gen[0]]
                                      : span_cost(ix, j, gen[0], gen[1]);
    }
    return cost;
}

void hr_index_restart(hr_index *ix, uint32_t item) {
    ix->seed = ix->combination[item];
    memcpy(ix->gen, ix->code + ix->leaf[ix->seed] * ix->stride, ix->stride * sizeof *ix->gen);
    for (size_t j = 0; j < ix->t; j++)
        set_gen(ix, j);
    ix->cost = gen_cost(ix);
    if (ix->r) {
        hr_types_clear(ix);
        hr_types_add(ix, ix->type[item]);
    }
    ix->size = 0;
}

static void cover(hr_index *ix, uint32_t combination) {
    const uint32_t *code = ix->code + ix->leaf[combination] * ix->stride;
    for (size_t j = 0; j < ix->t; j++) {
        const hr_layout_tree *tree = tree_of(ix, j);
        uint32_t *gen = ix->gen + ix->offset[j];
        const uint32_t *own = code + ix->offset[j];
        if (tree->count) {
            uint32_t joined = hr_layout_join(tree, gen[0], own[0]);
            if (joined == gen[0]) continue;
            gen[0] = joined;
            set_gen(ix, j);
        } else {
            if (own[0] < gen[0]) gen[0] = own[0];
            if (own[1] > gen[1]) gen[1] = own[1];
        }
    }
    ix->cost = gen_cost(ix);
}

bool hr_index_p_sensitive(const hr_index *ix) {
    for (size_t l = 0; l < ix->r; l++)
        if (ix->task->p > 1 && ix->distinct[l] < ix->task->p) return false;
    return true;
}

hr_status hr_index_keep(hr_index *ix, hr_error *err) {
    if (ix->number >= ix->cluster_capacity)
        return hr_fail(err, HR_EINVAL, "more clusters than rows allow");
    ix->cluster_size[ix->number] = ix->size;
    ix->cluster_seed[ix->number] = ix->seed;
    memcpy(ix->cluster_gen + ix->number * ix->stride, ix->gen, ix->stride * sizeof *ix->gen);
    ix->out->count = ++ix->number;
    ix->size = 0;
    return HR_OK;
}

/* ---- live rows ---- */

/* The combination's lowest live item, or HR_NONE. */
static uint32_t first_live(hr_index *ix, uint32_t combination) {
    uint32_t *head = &ix->head[combination], end = ix->start[combination + 1];
    while (*head < end && ix->taken[*head])
        ++*head;
    return *head < end ? *head : HR_NONE;
}

static void drop_combination(hr_index *ix, uint32_t node) {
    for (;; node = ix->nodes[node].parent) {
        if (--ix->nodes[node].live == 0 && ix->front) hr_front_dead(ix, node);
        if (node == 0) return;
    }
}

static void raise_low_row(hr_index *ix, uint32_t combination, uint32_t place) {
    uint32_t node = ix->leaf[combination], item = first_live(ix, combination);
    if (ix->nodes[node].low_row != place) return;
    ix->nodes[node].low_row = item == HR_NONE ? HR_NONE : ix->place[item];
    while (node != 0) {
        node = ix->nodes[node].parent;
        hr_index_node *n = &ix->nodes[node];
        if (n->low_row != place) return;
        uint32_t low = HR_NONE;
        for (uint32_t child = n->child; child < n->child + n->child_count; child++)
            if (ix->nodes[child].low_row < low) low = ix->nodes[child].low_row;
        n->low_row = low;
    }
}

hr_status hr_index_take(hr_index *ix, uint32_t item, hr_error *err) {
    uint32_t combination = ix->combination[item];
    ix->taken[item] = true;
    ix->live_count--;
    if (--ix->left[combination] == 0) drop_combination(ix, ix->leaf[combination]);
    if (ix->low_rows) raise_low_row(ix, combination, ix->place[item]);
    if (ix->pairs) hr_pairs_taken(ix, item);
    if (ix->r) hr_types_taken(ix, ix->type[item]);
    ix->out->cluster[ix->place[item]] = ix->number;
    if (ix->size == 0) hr_index_restart(ix, item);
    ix->size++;
    cover(ix, combination);
    if (ix->r) hr_types_add(ix, ix->type[item]);
    return hr_progress_add(ix->task->progress, 1, err);
}

uint32_t hr_index_first(const hr_index *ix) {
    hr_random random;
    hr_random_seed(&random, ix->task->seed, ix->task->stream);
    return ix->item[hr_random_below(&random, ix->task->row_count)];
}

/* ---- searching ---- */

typedef struct {
    hr_index *ix;
    const uint64_t *wanted; /* bits of wanted types; NULL: any row */
    int64_t level;          /* diversity of wanted types */
    uint64_t cost;          /* of the best so far */
    uint32_t key;           /* what decides between equal costs: combination, or row as a place */
    uint32_t combination;
} search;

static bool has_wanted(const search *s, uint32_t node) {
    const uint64_t *bits = s->ix->bits + node * s->ix->types.words;
    for (size_t w = 0; w < s->ix->types.words; w++)
        if (bits[w] & s->wanted[w]) return true;
    return false;
}

static bool can_win(const search *s, uint32_t node, uint64_t cost) {
    const hr_index_node *n = &s->ix->nodes[node];
    if (cost > s->cost || n->live == 0) return false;
    if (cost == s->cost && (s->ix->by_row ? n->low_row : n->combination) >= s->key) return false;
    return !s->wanted || has_wanted(s, node);
}

/* Lowest live item of a combination that has a wanted type, or HR_NONE. */
static uint32_t wanted_item(const search *s, uint32_t combination) {
    return s->wanted ? hr_pairs_lowest(s->ix, combination, s->level)
                     : first_live(s->ix, combination);
}

static void consider(search *s, uint32_t node, uint64_t cost) {
    uint32_t combination = s->ix->nodes[node].combination;
    if (s->ix->odd) cost = hr_index_most_cost(s->ix, node); /* a leaf value with values below it costs, too */
    if (cost > s->cost) return;
    uint32_t key = combination;
    if (s->ix->by_row || s->wanted) {
        uint32_t item = wanted_item(s, combination);
        if (item == HR_NONE) return;
        if (s->ix->by_row) key = s->ix->place[item];
    }
    if (cost == s->cost && key >= s->key) return;
    s->cost = cost;
    s->key = key;
    s->combination = combination;
}

enum { CHUNK = 32 };

static void visit(search *s, uint32_t node, uint64_t cost);

/* Children of which the cheapest go first, so that the others lose the sooner. */
static void visit_children(search *s, uint32_t first, uint32_t count, uint32_t except) {
    uint64_t cost[CHUNK], least = UINT64_MAX;
    for (uint32_t i = 0; i < count; i++) {
        cost[i] = first + i == except ? UINT64_MAX : least_cost(s->ix, first + i);
        if (cost[i] < least && s->ix->nodes[first + i].live) least = cost[i];
    }
    if (least == UINT64_MAX || least > s->cost) return;
    for (uint32_t i = 0; i < count; i++)
        if (cost[i] == least && can_win(s, first + i, cost[i])) visit(s, first + i, cost[i]);
    for (uint32_t i = 0; i < count; i++)
        if (cost[i] > least && cost[i] != UINT64_MAX && can_win(s, first + i, cost[i]))
            visit(s, first + i, cost[i]);
}

static void visit_all(search *s, uint32_t node, uint32_t except) {
    const hr_index_node *n = &s->ix->nodes[node];
    for (uint32_t done = 0; done < n->child_count; done += CHUNK) {
        uint32_t count = n->child_count - done < CHUNK ? n->child_count - done : CHUNK;
        visit_children(s, n->child + done, count, except);
    }
}

static void visit(search *s, uint32_t node, uint64_t cost) {
    if (s->ix->nodes[node].child_count == 0)
        consider(s, node, cost);
    else
        visit_all(s, node, HR_NONE);
}

/* What a row outside of the child costs at least that lies below the node: the attribute in which the
 * children differ costs as much as joining two of them. */
static uint64_t cross_cost(const hr_index *ix, uint32_t node) {
    const hr_index_node *n = &ix->nodes[node];
    if (n->cross == 0) return ix->cost;
    uint32_t own = tree_of(ix, n->cross_quasi)->cost[ix->gen[ix->offset[n->cross_quasi]]];
    return n->cross > own ? ix->cost + (n->cross - own) : ix->cost;
}

enum { DEPTH = 512 };

/* From the seed's leaf up: its neighbours first, and no further than can win. */
static void search_tree(search *s) {
    hr_index *ix = s->ix;
    uint32_t path[DEPTH], depth = 0;
    uint64_t beyond[DEPTH];
    for (uint32_t node = ix->leaf[ix->seed];; node = ix->nodes[node].parent) {
        path[depth++] = node;
        if (node == 0) break;
    }
    uint64_t least = UINT64_MAX;
    for (uint32_t i = depth; i-- > 1;) {
        uint64_t cost = cross_cost(ix, path[i]);
        if (cost < least) least = cost;
        beyond[i] = least;
    }
    if (can_win(s, path[0], 0)) consider(s, path[0], least_cost(ix, path[0]));
    for (uint32_t i = 1; i < depth && beyond[i] <= s->cost; i++)
        visit_all(s, path[i], path[i - 1]);
}

uint32_t hr_index_cheapest(hr_index *ix) {
    search s = {.ix = ix, .cost = UINT64_MAX, .key = HR_NONE};
    search_tree(&s);
    return wanted_item(&s, s.combination);
}

bool hr_index_diverse(hr_index *ix, uint32_t *item) {
    for (uint32_t level = 0; level < ix->types.level_count; level++) {
        if (!hr_types_wanted(ix, level, ix->wanted)) continue;
        search s = {.ix = ix,
                    .wanted = ix->wanted,
                    .level = ix->types.level[level],
                    .cost = UINT64_MAX,
                    .key = HR_NONE};
        search_tree(&s);
        if (s.cost == UINT64_MAX) continue;
        *item = wanted_item(&s, s.combination);
        return true;
    }
    return false;
}

uint32_t hr_index_most_diverse(const hr_index *ix) {
    return ix->r ? hr_types_seed(ix) : ix->item[ix->nodes[0].low_row];
}
