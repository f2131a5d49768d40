/* index_far.c - the live row furthest from another. Far rows are everywhere but near, so going down
 * from the root would see most of the upper nodes each time. Instead a cut of about a thousand
 * nodes is kept as plain columns of codes, which one loop bounds from above; only the nodes that
 * promise enough are then searched. */
#include "algorithm/index.h"

#include <string.h>

/* ---- the cut ---- */

/* Open nodes from the root on, parents before children, while there is room. */
static uint32_t choose_front(const hr_index *ix, uint32_t *front) {
    uint32_t count = 1, settled = 0;
    front[0] = 0;
    for (uint32_t at = 0; at < count;) {
        const hr_index_node *n = hr_index_at(ix, front[at]);
        if (n->child_count == 0 || count - 1 + n->child_count > HR_INDEX_FRONT) {
            at++; /* stays */
            settled++;
            continue;
        }
        memmove(front + at, front + at + 1, (count - at - 1) * sizeof *front);
        count--;
        for (uint32_t i = 0; i < n->child_count; i++)
            front[count++] = n->child + i;
    }
    return settled;
}

static void place_node(hr_index *ix, uint32_t at, uint32_t node) {
    ix->front[at] = node;
    ix->front_place[node] = at;
    const uint32_t *code = hr_index_codes(ix, node);
    for (size_t c = 0; c < ix->stride; c++)
        ix->front_code[c * ix->front_capacity + at] = code[c];
}

hr_status hr_front_init(hr_index *ix, hr_error *err) {
    ix->front = hr_arena_alloc(&ix->arena, HR_INDEX_FRONT, sizeof *ix->front, err);
    ix->front_place = hr_arena_alloc(&ix->arena, ix->node_count, sizeof *ix->front_place, err);
    ix->front_cost = hr_arena_alloc(&ix->arena, HR_INDEX_FRONT, sizeof *ix->front_cost, err);
    if (!ix->front || !ix->front_place || !ix->front_cost) return HR_ENOMEM;
    ix->front_capacity = ix->front_count = choose_front(ix, ix->front);
    ix->front_code =
        hr_arena_alloc(&ix->arena, ix->stride * ix->front_capacity, sizeof *ix->front_code, err);
    if (!ix->front_code) return HR_ENOMEM;
    memset(ix->front_place, 0xff, ix->node_count * sizeof *ix->front_place);
    for (uint32_t at = 0; at < ix->front_count; at++)
        place_node(ix, at, ix->front[at]);
    return HR_OK;
}

void hr_front_dead(hr_index *ix, uint32_t node) {
    uint32_t at = ix->front_place[node];
    if (at == HR_NONE) return;
    ix->front_place[node] = HR_NONE;
    uint32_t last = --ix->front_count;
    if (at != last) place_node(ix, at, ix->front[last]);
}

/* ---- searching ---- */

typedef struct {
    hr_index *ix;
    uint64_t cost; /* of the best so far */
    uint32_t row;  /* its lowest row, as a place */
} search;

static bool can_win(const search *s, uint32_t node, uint64_t cost) {
    return cost > s->cost || (cost == s->cost && s->ix->up[node].low_row < s->row);
}

static void visit(search *s, uint32_t node, uint64_t cost) {
    const hr_index_node *n = hr_index_at(s->ix, node);
    if (n->child_count == 0) {
        s->cost = cost;
        s->row = s->ix->up[node].low_row;
        return;
    }
    for (uint32_t child = n->child; child < n->child + n->child_count; child++) {
        if (hr_index_at(s->ix, child)->live == 0) continue;
        uint64_t most = hr_index_most_cost(s->ix, child);
        if (can_win(s, child, most)) visit(s, child, most);
    }
}

/* Bounds of the whole cut, attribute by attribute. */
static void bound_front(hr_index *ix) {
    uint32_t count = ix->front_count;
    memset(ix->front_cost, 0, count * sizeof *ix->front_cost);
    for (size_t j = 0; j < ix->t; j++) {
        const hr_layout_tree *tree = &ix->task->layout->trees[j];
        const uint32_t *lo = ix->front_code + ix->offset[j] * ix->front_capacity;
        const uint32_t *hi = lo + ix->front_capacity, *gen = ix->gen + ix->offset[j];
        if (tree->far) {
            const uint32_t *far = tree->far + (size_t)gen[0] * tree->count;
            for (uint32_t at = 0; at < count; at++)
                ix->front_cost[at] += far[lo[at]];
        } else if (ix->near[j]) {
            for (uint32_t at = 0; at < count; at++) {
                uint32_t near = ix->near[j][lo[at]], own = tree->cost[lo[at]];
                ix->front_cost[at] += near > own ? near : own;
            }
        } else {
            for (uint32_t at = 0; at < count; at++)
                ix->front_cost[at] +=
                    tree->count ? hr_layout_far(tree, gen[0], lo[at])
                                : hr_quasi_cost(&ix->task->data->quasi[j],
                                                (hr_span){lo[at] < gen[0] ? lo[at] : gen[0],
                                                          hi[at] > gen[1] ? hi[at] : gen[1]});
        }
    }
}

uint32_t hr_index_furthest(hr_index *ix) {
    search s = {.ix = ix, .cost = 0, .row = HR_NONE};
    uint32_t best = 0;
    bound_front(ix);
    for (uint32_t at = 1; at < ix->front_count; at++)
        if (ix->front_cost[at] > ix->front_cost[best]) best = at;
    visit(&s, ix->front[best], ix->front_cost[best]);
    for (uint32_t at = 0; at < ix->front_count; at++)
        if (at != best && can_win(&s, ix->front[at], ix->front_cost[at]))
            visit(&s, ix->front[at], ix->front_cost[at]);
    return ix->item[s.row];
}
