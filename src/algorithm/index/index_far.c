/* index_far.c - the live row furthest from the cluster. Most rows are about equally far, so upper
 * bounds alone exclude few nodes. Of equally far rows the lowest place wins: a node whose lowest
 * place is too high is skipped, and nodes with low places are visited first. */
#include "algorithm/index/index_parts.h"

typedef struct {
    hr_index *ix;
    uint64_t cost; /* of the best row so far */
    uint32_t row;  /* its place */
} search;

static bool can_win(const search *s, uint64_t cost, uint32_t row) {
    return cost > s->cost || (cost == s->cost && row < s->row);
}

/* `cost` and `least` are the upper and lower bound of the node. If they are equal, which is often
 * the case near the root, all rows below are equally far and the lowest place wins. */
static void visit(search *s, uint32_t node, uint64_t cost, uint64_t least) {
    const hr_index_node *n = &s->ix->tree.nodes[node];
    if (n->child_count == 0 || cost == least) {
        s->cost = cost;
        s->row = s->ix->tree.low_row[node];
        return;
    }
    const uint32_t *row = s->ix->tree.low_row + n->child;
    s->ix->tree.visits++;
    HR_PREFETCH(row);
    hr_index_fetch_group(s->ix, n, false);
    uint64_t most[HR_INDEX_WIDE];
    search best = *s; /* pretends that the most promising child reaches its upper bound */
    uint32_t some = hr_index_reaching(s->ix, n, cost, s->cost, most), first = HR_NONE;
    for (uint32_t left = some; left; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(left);
        if (!can_win(&best, most[i], row[i])) continue;
        best.cost = most[i];
        best.row = row[i];
        first = i;
    }
    if (first == HR_NONE) return;
    visit(s, n->child + first, most[first], hr_index_least(s->ix, n, first, least));
    for (some ^= UINT32_C(1) << first; some; some &= some - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(some);
        if (can_win(s, most[i], row[i]))
            visit(s, n->child + i, most[i], hr_index_least(s->ix, n, i, least));
    }
}

uint32_t hr_index_furthest(hr_index *ix) {
    search s = {.ix = ix, .cost = 0, .row = HR_NONE};
    uint64_t least;
    uint64_t most = hr_index_reach(ix, &least);
    visit(&s, 0, most, least);
    return ix->rows.item_of[s.row];
}
