/* index_find.c - taking rows from the tree: the live row whose joining costs the cluster least,
 * also among the rows most diverse from it, and the live row furthest from another. Every search is
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
    uint32_t near =
        ix->near[j] ? ix->near[j][code[0]] : hr_layout_near(tree_of(ix, j), gen[0], code[0]);
    uint32_t own = tree_of(ix, j)->cost[code[0]];
    return own > near ? own : near;
}

static inline uint64_t least_cost(const hr_index *ix, uint32_t node) {
    uint64_t cost = 0;
    if (ix->narrow) {
        const uint16_t *code = hr_index_at(ix, node)->code;
        for (size_t j = 0; j < ix->t; j++)
            cost += ix->near[j][code[j]];
        return cost;
    }
    const uint32_t *code = ix->code + node * ix->stride;
    for (size_t j = 0; j < ix->t; j++)
        cost +=
            ix->near[j] ? ix->near[j][code[ix->offset[j]]] : near_cost(ix, j, code + ix->offset[j]);
    return cost;
}

uint64_t hr_index_most_cost(const hr_index *ix, uint32_t node) {
    const uint32_t *code = hr_index_codes(ix, node);
    uint64_t cost = 0;
    for (size_t j = 0; j < ix->t; j++)
        cost += far_cost(ix, j, code + ix->offset[j]);
    return cost;
}

/* ---- the cluster at hand ---- */

static void set_gen(hr_index *ix, size_t j) {
    const hr_layout_tree *tree = tree_of(ix, j);
    uint32_t g = ix->gen[ix->offset[j]];
    if (ix->near_row[j]) hr_layout_fill_near(tree, ix->near_for[j], g, ix->near_row[j]);
    ix->near_for[j] = g;
    ix->near[j] = tree->near ? tree->near + (size_t)g * tree->count : ix->near_row[j];
}

static uint64_t gen_cost(const hr_index *ix) {
    uint64_t cost = 0;
    for (size_t j = 0; j < ix->t; j++) {
        const uint32_t *gen = ix->gen + ix->offset[j];
        cost +=
            tree_of(ix, j)->count ? tree_of(ix, j)->cost[gen[0]] : span_cost(ix, j, gen[0], gen[1]);
    }
    return cost;
}

void hr_index_restart_values(hr_index *ix, uint32_t item) {
    if (ix->r == 0) return;
    hr_types_clear(ix);
    hr_types_add(ix, ix->items[item].type);
}

void hr_index_restart(hr_index *ix, uint32_t item) {
    ix->seed = ix->items[item].combination;
    memcpy(ix->gen, hr_index_codes(ix, ix->combinations[ix->seed].leaf),
           ix->stride * sizeof *ix->gen);
    for (size_t j = 0; j < ix->t; j++)
        set_gen(ix, j);
    ix->cost = gen_cost(ix);
    ix->again = HR_NONE;
    ix->depth = 0;
    ix->bounded = false;
    hr_index_restart_values(ix, item);
    ix->size = 0;
}

static void cover(hr_index *ix, uint32_t combination) {
    const uint32_t *code = hr_index_codes(ix, ix->combinations[combination].leaf);
    bool grown = false;
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
            if (own[0] >= gen[0] && own[1] <= gen[1]) continue;
            if (own[0] < gen[0]) gen[0] = own[0];
            if (own[1] > gen[1]) gen[1] = own[1];
        }
        grown = true;
    }
    if (!grown) return;
    ix->cost = gen_cost(ix);
    ix->again = HR_NONE;
    ix->bounded = false;
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

hr_status hr_index_count(hr_index *ix, hr_error *err) {
    if (++ix->unreported < 256) return HR_OK;
    uint32_t rows = ix->unreported;
    ix->unreported = 0;
    return hr_progress_add(ix->task->progress, rows, err);
}

/* ---- live rows ---- */

uint32_t hr_index_first_live(hr_index *ix, uint32_t combination) {
    uint32_t *head = &ix->combinations[combination].head,
             end = ix->combinations[combination + 1].start;
    while (*head < end && ix->items[*head].taken)
        ++*head;
    return *head < end ? *head : HR_NONE;
}

static void drop_combination(hr_index *ix, uint32_t node) {
    for (; --hr_index_at(ix, node)->live == 0; node = ix->up[node].parent) {
        if (ix->front) hr_front_dead(ix, node);
        if (node == 0) return;
    }
}

static void raise_low_row(hr_index *ix, uint32_t combination, uint32_t place) {
    uint32_t node = ix->combinations[combination].leaf, item = hr_index_first_live(ix, combination);
    if (ix->up[node].low_row != place) return;
    ix->up[node].low_row = item == HR_NONE ? HR_NONE : ix->place[item];
    while (node != 0) {
        node = ix->up[node].parent;
        const hr_index_node *n = hr_index_at(ix, node);
        if (ix->up[node].low_row != place) return;
        uint32_t low = HR_NONE;
        for (uint32_t child = n->child; child < n->child + n->child_count; child++)
            if (ix->up[child].low_row < low) low = ix->up[child].low_row;
        ix->up[node].low_row = low;
    }
}

hr_status hr_index_take(hr_index *ix, uint32_t item, hr_error *err) {
    uint32_t combination = ix->items[item].combination;
    ix->items[item].taken = true;
    ix->live_count--;
    if (--ix->combinations[combination].left == 0)
        drop_combination(ix, ix->combinations[combination].leaf);
    if (ix->low_rows) raise_low_row(ix, combination, ix->place[item]);
    if (ix->by_type) hr_pairs_taken(ix, item);
    if (ix->r) hr_types_taken(ix, item);
    ix->out->cluster[ix->place[item]] = ix->number;
    bool covered = ix->narrow && combination == ix->again; /* an interval may widen at no cost */
    if (ix->size == 0)
        hr_index_restart(ix, item);
    else if (!covered)
        cover(ix, combination);
    ix->size++;
    if (!hr_index_p_sensitive(ix)) hr_types_add(ix, ix->items[item].type);
    return hr_index_count(ix, err);
}

static void lower_low_row(hr_index *ix, uint32_t node, uint32_t place) {
    for (;; node = ix->up[node].parent) {
        if (ix->up[node].low_row <= place) return;
        ix->up[node].low_row = place;
        if (node == 0) return;
    }
}

static void raise_combination(hr_index *ix, uint32_t node) {
    for (; hr_index_at(ix, node)->live++ == 0; node = ix->up[node].parent) {
        hr_index_node *parent = hr_index_at(ix, ix->up[node].parent);
        if (node == 0) return;
        if (node - parent->child < parent->dead) parent->dead = (uint8_t)(node - parent->child);
    }
}

void hr_index_return(hr_index *ix, uint32_t item) {
    uint32_t combination = ix->items[item].combination;
    ix->items[item].taken = false;
    ix->live_count++;
    if (item < ix->combinations[combination].head) ix->combinations[combination].head = item;
    if (ix->combinations[combination].left++ == 0)
        raise_combination(ix, ix->combinations[combination].leaf);
    if (ix->low_rows) lower_low_row(ix, ix->combinations[combination].leaf, ix->place[item]);
    if (ix->by_type) hr_pairs_returned(ix, item);
    if (ix->r) hr_types_returned(ix, item);
    ix->out->cluster[ix->place[item]] = HR_NONE;
}

void hr_index_reopen(hr_index *ix, uint32_t number, const uint32_t *items, uint32_t count) {
    ix->number = number;
    if (count > 0) hr_index_restart(ix, items[0]);
    for (uint32_t i = 1; i < count; i++) {
        cover(ix, ix->items[items[i]].combination);
        if (ix->r) hr_types_add(ix, ix->items[items[i]].type);
    }
    ix->size = count;
    if (count == 0 && ix->r) hr_types_clear(ix);
}

uint32_t hr_index_first(const hr_index *ix) {
    hr_random random;
    hr_random_seed(&random, ix->task->seed, ix->task->stream);
    return ix->item[hr_random_below(&random, ix->task->row_count)];
}

/* ---- searching ---- */

typedef struct {
    hr_index *ix;
    const hr_index_wish *wish; /* NULL: any row */
    uint64_t cost;             /* of the best so far */
    uint32_t key; /* what decides between equal costs: combination, or row as a place */
    uint32_t combination;
} search;

static bool has_wanted(const search *s, uint32_t node) {
    const uint64_t *bits = s->ix->bits + node * s->ix->types.words;
    for (size_t w = 0; w < s->ix->types.words; w++)
        if (bits[w] & s->wish->bits[w]) return true;
    return false;
}

static inline bool can_win(const search *s, uint32_t node, uint64_t cost) {
    const hr_index_node *n = hr_index_at(s->ix, node);
    if (cost > s->cost || n->live == 0) return false;
    if (cost == s->cost && (s->ix->by_row ? s->ix->up[node].low_row : n->combination) >= s->key)
        return false;
    return !s->wish || has_wanted(s, node);
}

/* Lowest live item of a combination that has a wanted type, or HR_NONE. */
static uint32_t wanted_item(const search *s, uint32_t combination) {
    return s->wish ? hr_pairs_lowest(s->ix, combination, s->wish)
                   : hr_index_first_live(s->ix, combination);
}

static void consider(search *s, uint32_t node, uint64_t cost) {
    uint32_t combination = hr_index_at(s->ix, node)->combination;
    if (s->ix->odd) /* a leaf value with values below it costs, too */
        cost = hr_index_most_cost(s->ix, node);
    if (cost > s->cost) return;
    uint32_t key = combination;
    if (s->ix->by_row || (s->wish && !s->wish->exact)) {
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
static void visit_children(search *s, uint32_t first, uint32_t count, uint32_t except,
                           uint64_t floor) {
    uint64_t cost[CHUNK], least = UINT64_MAX;
    for (uint32_t i = 0; i < count; i++) {
        bool out = first + i == except || hr_index_at(s->ix, first + i)->live == 0;
        cost[i] = out ? UINT64_MAX : least_cost(s->ix, first + i);
        if (cost[i] < floor) cost[i] = floor;
        if (cost[i] < least) least = cost[i];
    }
    if (least == UINT64_MAX || least > s->cost) return;
    for (uint32_t i = 0; i < count; i++)
        if (cost[i] == least && can_win(s, first + i, cost[i])) visit(s, first + i, cost[i]);
    for (uint32_t i = 0; i < count; i++)
        if (cost[i] > least && cost[i] != UINT64_MAX && can_win(s, first + i, cost[i]))
            visit(s, first + i, cost[i]);
}

/* Nothing below a node costs less than `floor`: once that is reached, what stands later in the order
 * of ranks cannot win. Children that are dead stay so while a search lasts. */
static void visit_all(search *s, uint32_t node, uint32_t except, uint64_t floor) {
    hr_index_node *n = hr_index_at(s->ix, node);
    while (n->dead < n->child_count && hr_index_at(s->ix, n->child + n->dead)->live == 0)
        n->dead++;
    for (uint32_t done = n->dead; done < n->child_count; done += CHUNK) {
        uint32_t count = n->child_count - done < CHUNK ? n->child_count - done : CHUNK;
        bool late = hr_index_at(s->ix, n->child + done)->combination >= s->key && !s->ix->by_row;
        if (s->cost < floor || (s->cost == floor && late)) return;
        visit_children(s, n->child + done, count, except, floor);
    }
}

static void visit(search *s, uint32_t node, uint64_t cost) {
    if (hr_index_at(s->ix, node)->child_count == 0)
        consider(s, node, cost);
    else
        visit_all(s, node, HR_NONE, cost);
}

/* What a row outside of the child costs at least that lies below the node: the attribute in which
 * the children differ costs as much as joining two of them. */
static uint64_t cross_cost(const hr_index *ix, uint32_t node) {
    const hr_index_up *n = &ix->up[node];
    if (n->cross == 0) return ix->cost;
    uint32_t own = tree_of(ix, n->cross_quasi)->cost[ix->gen[ix->offset[n->cross_quasi]]];
    return n->cross > own ? ix->cost + (n->cross - own) : ix->cost;
}

static void find_path(hr_index *ix) {
    for (uint32_t node = ix->combinations[ix->seed].leaf;; node = ix->up[node].parent) {
        ix->path[ix->depth++] = node;
        if (node == 0) break;
        /* The siblings will be looked at soon, level by level. */
        const hr_index_node *first = hr_index_at(ix, hr_index_at(ix, ix->up[node].parent)->child);
        __builtin_prefetch(first);
        __builtin_prefetch((const char *)first + 64);
    }
}

static void bound_path(hr_index *ix) {
    uint64_t least = UINT64_MAX;
    for (uint32_t i = ix->depth; i-- > 1;) {
        uint64_t cost = cross_cost(ix, ix->path[i]);
        if (cost < least) least = cost;
        ix->beyond[i] = least;
    }
    ix->bounded = true;
}

/* From the seed's leaf up: its neighbours first, and no further than can win. */
static void search_tree(search *s) {
    hr_index *ix = s->ix;
    if (ix->depth == 0) find_path(ix);
    if (!ix->bounded) bound_path(ix);
    if (can_win(s, ix->path[0], 0)) consider(s, ix->path[0], least_cost(ix, ix->path[0]));
    for (uint32_t i = 1; i < ix->depth && ix->beyond[i] <= s->cost; i++)
        visit_all(s, ix->path[i], ix->path[i - 1], cross_cost(ix, ix->path[i]));
}

uint32_t hr_index_cheapest(hr_index *ix) {
    search s = {.ix = ix, .cost = UINT64_MAX, .key = HR_NONE};
    /* The first combination that the cluster covers stays so while the cluster does not grow. */
    if (ix->again != HR_NONE && ix->combinations[ix->again].left > 0)
        return hr_index_first_live(ix, ix->again);
    search_tree(&s);
    ix->again = s.cost == ix->cost && !ix->by_row ? s.combination : HR_NONE;
    return wanted_item(&s, s.combination);
}

/* ---- the first row of an empty cluster ---- */

static bool may_have(const search *s, uint32_t node) {
    return hr_index_at(s->ix, node)->live > 0 && (!s->wish || has_wanted(s, node));
}

/* Lowest item at or after `from` that is wished for, below a node; items are in the order of
 * ranks. */
static uint32_t first_from(search *s, uint32_t node, uint32_t from) {
    hr_index *ix = s->ix;
    const hr_index_node *n = hr_index_at(ix, node);
    if (!may_have(s, node)) return HR_NONE;
    if (n->child_count == 0) {
        hr_index_first_live(ix, n->combination);
        uint32_t at = ix->combinations[n->combination].head > from
                          ? ix->combinations[n->combination].head
                          : from;
        for (uint32_t i = at; i < ix->combinations[n->combination + 1].start; i++)
            if (!ix->items[i].taken &&
                (!s->wish || s->wish->fits(ix, ix->items[i].type, s->wish->payload)))
                return i;
        return HR_NONE;
    }
    for (uint32_t child = n->child; child < n->child + n->child_count; child++) {
        bool last = child + 1 == n->child + n->child_count;
        if (!last && ix->combinations[hr_index_at(ix, child + 1)->combination].start <= from)
            continue;
        uint32_t item = first_from(s, child, from);
        if (item != HR_NONE) return item;
    }
    return HR_NONE;
}

/* Likewise the lowest row, as a place, at or after `from`. */
static uint32_t first_row_from(const search *s, uint32_t from) {
    const hr_index *ix = s->ix;
    for (uint32_t place = from; place < ix->task->row_count; place++) {
        uint32_t item = ix->item[place];
        if (!ix->items[item].taken &&
            (!s->wish || s->wish->fits(ix, ix->items[item].type, s->wish->payload)))
            return item;
    }
    return HR_NONE;
}

static bool search_first(search *s, uint32_t *item) {
    uint32_t from = s->ix->first;
    *item = s->ix->by_row ? first_row_from(s, from) : first_from(s, 0, from);
    if (*item == HR_NONE) *item = s->ix->by_row ? first_row_from(s, 0) : first_from(s, 0, 0);
    return *item != HR_NONE;
}

bool hr_index_search(hr_index *ix, const hr_index_wish *wish, uint32_t *item) {
    search s = {.ix = ix, .wish = wish, .cost = UINT64_MAX, .key = HR_NONE};
    if (ix->size == 0) return search_first(&s, item);
    search_tree(&s);
    if (s.key == HR_NONE) return false;
    *item = wanted_item(&s, s.combination);
    return true;
}

static bool is_diverse(const hr_index *ix, uint32_t type, const void *level) {
    return hr_types_diversity(ix, type) >= *(const int64_t *)level;
}

bool hr_index_diverse(hr_index *ix, uint32_t *item) {
    int64_t level = hr_types_next(ix, INT64_MAX, ix->wanted);
    for (; level > 0; level = hr_types_next(ix, level, ix->wanted)) {
        hr_index_wish wish = {ix->wanted, ix->types.exact, is_diverse, &level};
        if (hr_index_search(ix, &wish, item)) return true;
    }
    return false;
}

uint32_t hr_index_most_diverse(const hr_index *ix) {
    return ix->r ? hr_types_seed(ix) : ix->item[ix->up[0].low_row];
}
