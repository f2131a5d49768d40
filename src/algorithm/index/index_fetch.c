/* index_fetch.c - asking memory ahead of time for what the next cluster will begin with. Its first row is
 * mostly known while the last cluster still grows, and lies anywhere in a large tree: each step of the way
 * to it would otherwise wait for the one before. Nothing depends on it but time. */
#include "algorithm/index/index.h"

enum { ROW = 1, COMBINATION, LEAF, INNER, LAST = INNER + 3 }; /* what `fetched` tells */

void hr_index_expect(hr_index *ix, uint32_t item) {
    ix->coming = item;
    ix->fetched = ROW;
    HR_PREFETCH(&ix->items[item]);
}

static void fetch_node(const hr_index *ix, uint32_t node) {
    HR_PREFETCH(&ix->nodes[node]);
    HR_PREFETCH(&ix->parent[node]);
}

/* What a step asks for, the next one reads. Above some inner nodes all is at hand anyway. */
void hr_index_approach(hr_index *ix) {
    switch (ix->fetched) {
    case 0: return;
    case ROW:
        ix->coming = ix->items[ix->coming].combination;
        HR_PREFETCH(&ix->combinations[ix->coming]);
        break;
    case COMBINATION:
        ix->coming = ix->combinations[ix->coming].leaf;
        fetch_node(ix, ix->coming);
        break;
    default:
        if (ix->fetched > LEAF) hr_index_fetch_group(ix, &ix->nodes[ix->coming], ix->words > 0);
        ix->coming = ix->parent[ix->coming];
        fetch_node(ix, ix->coming);
    }
    ix->fetched = ix->fetched == LAST ? 0 : ix->fetched + 1;
}
