/* index_fetch.c - prefetches the path to the first row of the next cluster. That row is mostly
 * known while the current cluster still grows, and its leaf can be anywhere in a large tree:
 * without prefetching, each step from the row to the root waits for memory. Affects time only. */
#include "algorithm/index/index_parts.h"

enum {
    ROW = 1,
    COMBINATION,
    LEAF,
    INNER,
    LAST = INNER + 3
}; /* ahead.fetched: 0, or the last step */

void hr_index_expect(hr_index *ix, uint32_t item) {
    ix->ahead.coming = item;
    ix->ahead.fetched = ROW;
    HR_PREFETCH(&ix->rows.items[item]);
}

static void fetch_node(const hr_index *ix, uint32_t node) {
    HR_PREFETCH(&ix->tree.nodes[node]);
    HR_PREFETCH(&ix->tree.parent[node]);
}

/* Each step reads what the step before has prefetched. Nodes near the root are in the cache
 * anyway. */
void hr_index_approach(hr_index *ix) {
    switch (ix->ahead.fetched) {
    case 0: return;
    case ROW:
        ix->ahead.coming = ix->rows.items[ix->ahead.coming].combination;
        HR_PREFETCH(&ix->rows.combinations[ix->ahead.coming]);
        break;
    case COMBINATION:
        ix->ahead.coming = ix->rows.combinations[ix->ahead.coming].leaf;
        fetch_node(ix, ix->ahead.coming);
        break;
    default:
        if (ix->ahead.fetched > LEAF)
            hr_index_fetch_group(ix, &ix->tree.nodes[ix->ahead.coming], ix->tree.words > 0);
        ix->ahead.coming = ix->tree.parent[ix->ahead.coming];
        fetch_node(ix, ix->ahead.coming);
    }
    ix->ahead.fetched = ix->ahead.fetched == LAST ? 0 : ix->ahead.fetched + 1;
}
