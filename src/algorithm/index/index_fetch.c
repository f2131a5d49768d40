/* index_fetch.c - asking memory ahead of time for what the next cluster will begin with. Its first row is
 * mostly known while the last cluster still grows, and lies anywhere in a large tree: each step of the way
 * to it would otherwise wait for the one before. Nothing depends on it but time. */
#include "algorithm/index/index_parts.h"

enum { ROW = 1, COMBINATION, LEAF, INNER, LAST = INNER + 3 }; /* what `fetched` tells */

void hr_index_expect(hr_index *ix, uint32_t item) {
    ix->ahead.coming = item;
    ix->ahead.fetched = ROW;
    HR_PREFETCH(&ix->rows.items[item]);
}

static void fetch_node(const hr_index *ix, uint32_t node) {
    HR_PREFETCH(&ix->tree.nodes[node]);
    HR_PREFETCH(&ix->tree.parent[node]);
}

/* What a step asks for, the next one reads. Above some inner nodes all is at hand anyway. */
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
