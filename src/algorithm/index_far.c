/* index_far.c - the live row furthest from another. Far rows are everywhere but near, so most of the upper
 * nodes promise as much as any. Of equals the lowest row is wanted: where a node's lowest row is known to
 * be too high, it is passed over, and the lowest come first. */
#include "algorithm/index.h"

typedef struct {
    hr_index *ix;
    uint64_t cost; /* of the best so far */
    uint32_t row;  /* its lowest row, as a place */
} search;

static bool can_win(const search *s, uint64_t cost, uint32_t row) {
    return cost > s->cost || (cost == s->cost && row < s->row);
}

static void visit(search *s, uint32_t node, uint64_t cost) {
    const hr_index_node *n = &s->ix->nodes[node];
    const uint32_t *row = s->ix->low_row + n->child;
    uint64_t most[HR_INDEX_WIDE];
    if (n->child_count == 0) {
        s->cost = cost;
        s->row = s->ix->low_row[node];
        return;
    }
    hr_index_most_costs(s->ix, n, n->live, most);
    for (uint32_t left = n->live; left;) {
        search best = *s; /* the most promising child, as if it were found */
        uint32_t child = HR_NONE;
        for (uint32_t rest = left; rest; rest &= rest - 1) {
            uint32_t i = (uint32_t)__builtin_ctz(rest);
            if (!can_win(s, most[i], row[i])) left ^= UINT32_C(1) << i;
            if (!can_win(&best, most[i], row[i])) continue;
            best.cost = most[i];
            best.row = row[i];
            child = i;
        }
        if (child == HR_NONE) return;
        left ^= UINT32_C(1) << child;
        visit(s, n->child + child, most[child]);
    }
}

uint32_t hr_index_furthest(hr_index *ix) {
    search s = {.ix = ix, .cost = 0, .row = HR_NONE};
    visit(&s, 0, 0);
    return ix->item[s.row];
}
