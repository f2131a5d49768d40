/* index_find.c - finds the live row whose joining costs the cluster least, of all rows or of rows
 * with wanted types. A search goes from the seed's leaf up to the root and visits the siblings on
 * the way, the cheapest first. It is exact: a node is skipped only if no row below it can win,
 * ties included. */
#include "algorithm/index/index_parts.h"

/* ---- costs ---- */

/* Lower bound on the cost of attribute j once a row below a node with these codes has joined the
 * cluster. */
static uint32_t near_cost(const hr_index *ix, size_t j, const uint32_t *code) {
    const uint32_t *gen = ix->cluster.gen + ix->format.offset[j];
    if (hr_index_hierarchy(ix, j)->order.count)
        return hr_layout_near(hr_index_hierarchy(ix, j), gen[0], code[0]);
    if (code[1] < gen[0]) return hr_index_span_cost(ix, j, code[1], gen[1]);
    if (code[0] > gen[1]) return hr_index_span_cost(ix, j, gen[0], code[0]);
    return hr_index_span_cost(ix, j, gen[0], gen[1]);
}

/* Upper bound on the same cost. For a leaf both bounds are exact. */
static uint32_t far_cost(const hr_index *ix, size_t j, const uint32_t *code) {
    const uint32_t *gen = ix->cluster.gen + ix->format.offset[j];
    if (!hr_index_hierarchy(ix, j)->order.count)
        return hr_index_span_cost(ix, j, code[0] < gen[0] ? code[0] : gen[0],
                                  code[1] > gen[1] ? code[1] : gen[1]);
    uint32_t near = ix->cluster.near[j]
                        ? ix->cluster.near[j][code[0]]
                        : hr_layout_near(hr_index_hierarchy(ix, j), gen[0], code[0]);
    return hr_layout_far(ix->format.node_cost[j], near, code[0]);
}

static uint64_t least_of(const hr_index *ix, const uint32_t *code) {
    uint64_t cost = 0;
    for (size_t j = 0; j < ix->t; j++)
        cost += ix->cluster.near[j] ? ix->cluster.near[j][code[ix->format.offset[j]]]
                                    : near_cost(ix, j, code + ix->format.offset[j]);
    return cost;
}

static uint64_t most_of(const hr_index *ix, const uint32_t *code) {
    uint64_t cost = 0;
    for (size_t j = 0; j < ix->t; j++)
        cost += far_cost(ix, j, code + ix->format.offset[j]);
    return cost;
}

/* Lower bounds for the children in the bit mask `some`; `own` is the lower bound of the node. */
static inline void least_costs(const hr_index *ix, const hr_index_node *node, uint32_t some,
                               uint64_t own, uint64_t cost[HR_INDEX_WIDE]) {
    for (; !ix->format.narrow && some; some &= some - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(some);
        cost[i] = least_of(ix, ix->tree.code + (node->child + i) * ix->format.stride);
    }
    if (!ix->format.narrow) return;
    hr_index_group group = hr_index_group_of(ix, node);
    uint32_t varying = node->varying;
    size_t step = node->child_count + 1U;
    const uint32_t **near = ix->scratch.varying_near;
    for (uint32_t v = 0; v < varying; v++) {
        near[v] = ix->cluster.near[group.quasi[v]];
        own -= near[v][group.code[v * step]];
    }
    for (; some; some &= some - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(some);
        const uint16_t *code = group.code + 1 + i;
        uint64_t sum = own;
        for (uint32_t v = 0; v < varying; v++, code += step)
            sum += near[v][*code];
        cost[i] = sum;
    }
}

static uint32_t narrow_far(const hr_index *ix, size_t j, uint32_t code) {
    return hr_layout_far(ix->format.node_cost[j], ix->cluster.near[j][code], code);
}

uint64_t hr_index_reach(hr_index *ix, uint64_t *least) {
    const uint32_t *code = hr_index_node_codes(ix, 0);
    *least = least_of(ix, code);
    return most_of(ix, code);
}

uint64_t hr_index_least(const hr_index *ix, const hr_index_node *node, uint32_t i, uint64_t own) {
    uint64_t cost[HR_INDEX_WIDE];
    least_costs(ix, node, UINT32_C(1) << i, own, cost);
    return cost[i];
}

/* Starts with the upper bound of the node and subtracts what each attribute costs less below the
 * child: most children are excluded by the first few attributes. */
uint32_t hr_index_reaching(const hr_index *ix, const hr_index_node *node, uint64_t reach,
                           uint64_t least, uint64_t cost[HR_INDEX_WIDE]) {
    hr_index_group group = hr_index_group_of(ix, node);
    size_t step = node->child_count + 1U;
    uint32_t found = 0;
    for (uint32_t left = node->live; left; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(left);
        uint64_t most = reach;
        if (!ix->format.narrow)
            most = most_of(ix, ix->tree.code + (node->child + i) * ix->format.stride);
        for (size_t v = 0; ix->format.narrow && v < node->varying && most >= least; v++) {
            const uint16_t *code = group.code + v * step;
            uint32_t own = narrow_far(ix, group.quasi[v], code[0]);
            most -= own - narrow_far(ix, group.quasi[v], code[1 + i]);
        }
        if (most < least) continue;
        cost[i] = most;
        found |= UINT32_C(1) << i;
    }
    return found;
}

/* ---- searching ---- */

typedef struct {
    hr_index *ix;
    const hr_index_wish *wish; /* NULL: any row */
    uint64_t cost;             /* of the best row so far */
    uint32_t key; /* its combination, or its place if by_row: decides between equal costs */
    uint32_t combination;
} search;

/* May child i have live rows with wanted types? */
static inline bool has_wanted(const search *s, const hr_index_node *n, uint32_t i) {
    hr_index_group group = hr_index_group_of(s->ix, n);
    uint32_t bit = group.type[i];
    if (bit < HR_INDEX_SEVERAL) return s->wish->bits[bit / 64] >> bit % 64 & 1;
    const uint64_t *own = group.bits + (bit - HR_INDEX_SEVERAL);
    for (size_t w = 0; w < s->ix->tree.words; w++)
        if (own[w * n->several] & s->wish->bits[w]) return true;
    return false;
}

/* Can child i win if its rows cost at least `cost`? */
static inline bool can_win(const search *s, const hr_index_node *n, uint32_t i, uint64_t cost) {
    const hr_index *ix = s->ix;
    uint32_t child = n->child + i;
    if (cost > s->cost) return false;
    if (cost == s->cost &&
        (ix->by_row ? ix->tree.low_row[child] : ix->tree.nodes[child].combination) >= s->key)
        return false;
    return !s->wish || has_wanted(s, n, i);
}

/* Lowest live item of a combination with a wanted type, or HR_NONE. */
static uint32_t wanted_item(const search *s, uint32_t combination) {
    return s->wish ? hr_pairs_lowest(s->ix, combination, s->wish)
                   : hr_index_first_live(s->ix, combination);
}

static void consider(search *s, uint32_t node, uint64_t cost) {
    uint32_t combination = s->ix->tree.nodes[node].combination;
    if (s->ix->format.odd) /* the lower bound omits the cost of leaf values with values below */
        cost = most_of(s->ix, hr_index_node_codes(s->ix, node));
    if (cost > s->cost) return;
    uint32_t key = combination;
    if (s->ix->by_row || (s->wish && !s->wish->exact)) {
        uint32_t item = wanted_item(s, combination);
        if (item == HR_NONE) return;
        if (s->ix->by_row) key = s->ix->rows.items[item].place;
    }
    if (cost == s->cost && key >= s->key) return;
    s->cost = cost;
    s->key = key;
    s->combination = combination;
    HR_PREFETCH(&s->ix->rows.combinations[combination]);
    HR_PREFETCH(&s->ix->rows.items[s->ix->tree.nodes[node].child]);
    HR_PREFETCH(&s->ix->rows.taken[s->ix->tree.nodes[node].child]);
}

static void visit(search *s, uint32_t node, uint64_t own, uint64_t floor);

/* Visits the children in the bit mask `some`, those with the least bound first, so that the others
 * are more likely to be skipped. */
static void visit_children(search *s, const hr_index_node *n, uint32_t some, uint64_t own,
                           uint64_t floor) {
    uint64_t cost[HR_INDEX_WIDE], least = UINT64_MAX;
    s->ix->tree.visits++;
    least_costs(s->ix, n, some, own, cost);
    for (uint32_t left = some; left; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(left);
        uint64_t bound = cost[i] < floor ? floor : cost[i]; /* greatest lower bound known */
        if (bound < least) least = bound;
        if (bound > s->cost)
            some ^= UINT32_C(1) << i;
        else
            HR_PREFETCH(&s->ix->tree.nodes[n->child + i]);
    }
    for (uint32_t left = some; left; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(left);
        if (cost[i] > least) continue;
        some ^= UINT32_C(1) << i;
        if (can_win(s, n, i, least)) visit(s, n->child + i, cost[i], least);
    }
    for (; some; some &= some - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(some);
        if (can_win(s, n, i, cost[i])) visit(s, n->child + i, cost[i], cost[i]);
    }
}

/* Bit mask of the children that can win. No row below the node, except below child `except`,
 * costs less than `floor`; if the best row so far costs as much, later combinations cannot win. */
static inline uint32_t promising(const search *s, const hr_index_node *n, uint32_t except,
                                 uint64_t floor) {
    const hr_index *ix = s->ix;
    uint32_t some = n->live;
    if (except != HR_NONE) some &= ~(UINT32_C(1) << (except - n->child));
    if (some == 0 || s->cost < floor) return 0;
    uint32_t first = n->child + (uint32_t)__builtin_ctz(some);
    if (s->cost == floor && !ix->by_row && ix->tree.nodes[first].combination >= s->key) return 0;
    return some;
}

/* `own` is the lower bound from the node's codes, `floor` the greatest lower bound known. */
static void visit(search *s, uint32_t node, uint64_t own, uint64_t floor) {
    const hr_index_node *n = &s->ix->tree.nodes[node];
    if (n->child_count == 0) {
        consider(s, node, floor);
        return;
    }
    uint32_t some = promising(s, n, HR_NONE, floor);
    if (!some) return;
    hr_index_fetch_group(s->ix, n, s->wish);
    visit_children(s, n, some, own, floor);
}

/* Lower bound for the rows below a node on the path that are not below the path's child: some
 * attribute by which the children were split costs at least as much as joining two children. */
static uint64_t cross_cost(const hr_index *ix, uint32_t node) {
    hr_index_group group = hr_index_group_of(ix, &ix->tree.nodes[node]);
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; i < ix->tree.nodes[node].crossing && least > 0; i++) {
        uint32_t quasi = group.quasi[i], more = 0;
        if (group.cross[i] > 0) { /* a tree */
            uint32_t own = ix->format.node_cost[quasi][ix->cluster.gen[ix->format.offset[quasi]]];
            if (group.cross[i] > own) more = group.cross[i] - own;
        }
        if (more < least) least = more;
    }
    return ix->cluster.cost + least;
}

static void bound_path(hr_index *ix) {
    uint64_t least = UINT64_MAX;
    for (uint32_t i = ix->path.depth; i-- > 1;) {
        uint64_t cost = cross_cost(ix, ix->path.node[i]);
        if (cost < least) least = cost;
        ix->path.beyond[i] = least;
    }
    ix->path.bounds_valid = true;
}

static uint64_t path_cost(const hr_index *ix, uint32_t i) {
    return ix->format.narrow ? least_of(ix, ix->path.code + i * ix->t) : 0;
}

/* Do live rows of the seed's combination fit the wish? */
static bool seed_fits(const search *s) {
    hr_index *ix = s->ix;
    if (!s->wish) return true;
    if (ix->path.depth == 1 || !s->wish->exact)
        return hr_pairs_lowest(ix, ix->cluster.seed, s->wish) != HR_NONE;
    const hr_index_node *parent = &ix->tree.nodes[ix->path.node[1]];
    return has_wanted(s, parent, ix->path.node[0] - parent->child);
}

static void consider_seed(search *s) {
    hr_index *ix = s->ix;
    uint32_t leaf = ix->path.node[0];
    if (!ix->tree.nodes[leaf].live || !seed_fits(s)) return;
    consider(
        s, leaf,
        least_of(ix, ix->format.narrow ? ix->path.code : ix->tree.code + leaf * ix->format.stride));
}

/* Searches from the root down, if the seed is not in the tree. */
static void search_all(search *s) {
    hr_index *ix = s->ix;
    const hr_index_node *root = ix->tree.nodes;
    bool lone = root->child_count == 0; /* a leaf whose types are in no group */
    uint64_t least = least_of(ix, hr_index_node_codes(ix, 0));
    if (lone && s->wish && hr_pairs_lowest(ix, root->combination, s->wish) == HR_NONE) return;
    if (root->live) visit(s, 0, least, least);
}

/* Searches from the seed's leaf up: its neighbours first, and only as far as rows can win. */
static void search_tree(search *s) {
    hr_index *ix = s->ix;
    if (ix->path.depth == 0) {
        search_all(s);
        return;
    }
    if (ix->cluster.size > 1) hr_index_approach(ix); /* gives the first prefetch time */
    if (!ix->path.bounds_valid) bound_path(ix);
    consider_seed(s);
    for (uint32_t i = 1; i < ix->path.depth && ix->path.beyond[i] <= s->cost; i++) {
        const hr_index_node *n = &ix->tree.nodes[ix->path.node[i]];
        uint64_t floor = cross_cost(ix, ix->path.node[i]);
        uint32_t some = promising(s, n, ix->path.node[i - 1], floor);
        if (some) visit_children(s, n, some, path_cost(ix, i), floor);
    }
    hr_index_approach(ix);
}

uint32_t hr_index_cheapest(hr_index *ix) {
    search s = {.ix = ix, .cost = UINT64_MAX, .key = HR_NONE};
    /* A combination that the cluster covers stays the cheapest until the cluster grows. */
    if (ix->cluster.again != HR_NONE && ix->rows.combinations[ix->cluster.again].left > 0)
        return hr_index_first_live(ix, ix->cluster.again);
    search_tree(&s);
    ix->cluster.again = s.cost == ix->cluster.cost && !ix->by_row ? s.combination : HR_NONE;
    return wanted_item(&s, s.combination);
}

/* ---- the first row of an empty cluster ---- */

/* Lowest live item at or after `from` below a node that fits the wish, or HR_NONE. */
static uint32_t first_from(search *s, uint32_t node, uint32_t from) {
    hr_index *ix = s->ix;
    const hr_index_node *n = &ix->tree.nodes[node];
    if (n->child_count == 0) {
        hr_index_first_live(ix, n->combination);
        uint32_t at = ix->rows.combinations[n->combination].head > from
                          ? ix->rows.combinations[n->combination].head
                          : from;
        for (uint32_t i = at; i < ix->rows.combinations[n->combination + 1].start; i++)
            if (!ix->rows.taken[i] &&
                (!s->wish || s->wish->fits(ix, ix->rows.items[i].type, s->wish->payload)))
                return i;
        return HR_NONE;
    }
    for (uint32_t left = n->live; left; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(left), next = n->child + i + 1;
        bool last = i + 1 == n->child_count;
        if (!last && ix->rows.combinations[ix->tree.nodes[next].combination].start <= from)
            continue;
        if (s->wish && !has_wanted(s, n, i)) continue;
        uint32_t item = first_from(s, n->child + i, from);
        if (item != HR_NONE) return item;
    }
    return HR_NONE;
}

/* The live item with the lowest place at or after `from` that fits the wish, or HR_NONE. */
static uint32_t first_row_from(const search *s, uint32_t from) {
    const hr_index *ix = s->ix;
    for (uint32_t place = from; place < ix->task->row_count; place++) {
        uint32_t item = ix->rows.item_of[place];
        if (!ix->rows.taken[item] &&
            (!s->wish || s->wish->fits(ix, ix->rows.items[item].type, s->wish->payload)))
            return item;
    }
    return HR_NONE;
}

static bool search_first(search *s, uint32_t from, uint32_t *item) {
    *item = s->ix->by_row ? first_row_from(s, from) : first_from(s, 0, from);
    if (*item == HR_NONE) *item = s->ix->by_row ? first_row_from(s, 0) : first_from(s, 0, 0);
    return *item != HR_NONE;
}

bool hr_index_search(hr_index *ix, const hr_index_wish *wish, uint32_t from, uint32_t *item) {
    search s = {.ix = ix, .wish = wish, .cost = UINT64_MAX, .key = HR_NONE};
    if (ix->cluster.size == 0) return search_first(&s, from, item);
    search_tree(&s);
    if (s.key == HR_NONE) return false;
    *item = wanted_item(&s, s.combination);
    return true;
}

static bool is_diverse(const hr_index *ix, uint32_t type, const void *level) {
    return hr_types_diversity(ix, type) >= *(const int64_t *)level;
}

bool hr_index_diverse(hr_index *ix, uint32_t *item) {
    int64_t level = hr_types_next(ix, INT64_MAX, ix->scratch.wanted);
    for (; level > 0; level = hr_types_next(ix, level, ix->scratch.wanted)) {
        hr_index_wish wish = {ix->scratch.wanted, ix->types.sets.exact, is_diverse, &level};
        if (hr_index_search(ix, &wish, 0, item)) return true;
    }
    return false;
}

uint32_t hr_index_most_diverse(const hr_index *ix) {
    return ix->r ? hr_types_seed(ix) : ix->rows.item_of[ix->tree.low_row[0]];
}
