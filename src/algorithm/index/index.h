/* index.h - the rows of one MAM cell as a tree over their quasi-identifier combinations, from which
 * rows are taken one by one: the exact and near-linear form of what greedy.h does by scanning.
 *
 * A node of the tree holds, per attribute, the least value that covers all combinations below it.
 * What joining any of them to a cluster costs at least follows from that alone, so a search visits
 * only the nodes that can still win. Combinations stand in the order of their ranks; nodes that
 * lost their last live row, or their last row with a wanted sensitive value, are passed over. */
#ifndef HR_INDEX_H
#define HR_INDEX_H

#include "algorithm/greedy/greedy.h"
#include "algorithm/layout.h"

enum {
    HR_INDEX_BITS = 512,          /* types of sensitive values that are told apart exactly */
    HR_INDEX_WIDE = 32,           /* children of a node, at most */
    HR_INDEX_VARYING = UINT8_MAX, /* attributes in which children differ, at most */
    HR_INDEX_SEVERAL = 1 << 15    /* not a bit of types: see hr_index_group */
};

/* What searches read of a node, but for its group. */
typedef struct {
    uint32_t child;       /* children stand together. Without children: an item to be fetched */
    uint32_t combination; /* the first below */
    uint32_t live;  /* a bit for each child: does it have live rows? Without children: 1 or 0 */
    uint32_t group; /* where its group is */
    uint8_t child_count;                /* 0: one combination; at most HR_INDEX_WIDE */
    uint8_t varying, crossing, several; /* see hr_index_group */
} hr_index_node;

/* What a node knows of its children, in one place: searches read little else. */
typedef struct {
    uint64_t *bits;  /* words x `several`: types with live rows below inner children and leaves of
                        several types; what they have of a word stands together */
    uint32_t *cross; /* of the first of `quasi`: what it costs at least once values of two children
                        are joined in it; `crossing` of them */
    uint16_t *quasi; /* attributes that are told of, `varying` of them */
    uint16_t *type; /* of each child, if by_type: the bit of a leaf of one type; or HR_INDEX_SEVERAL
                        and which of those in `bits` it is */
    uint16_t *code; /* if narrow: of each of `quasi` the node's own code, then its children's. In
                        the other attributes they are equal. */
} hr_index_group;

/* A row. */
typedef struct {
    uint32_t combination, type, pair;
    uint32_t place; /* in task->rows */
} hr_index_item;

typedef struct {
    uint32_t start;      /* of its items: they end where the next one's start */
    uint32_t head, left; /* none before head is live; left: live items */
    uint32_t leaf;       /* its node; HR_NONE: it is not in the tree */
    uint32_t pairs;      /* its first; HR_NONE: its items are all of one type, and it has none */
    uint32_t live_pairs; /* how many of its pairs have live items */
} hr_index_combination;

/* A type of a combination that has several; its items stand together in `pair_item`, ascending. */
typedef struct {
    uint32_t type, first;
    uint32_t head, left; /* none before head is live; left: live items */
    uint32_t listed, at; /* a combination's pairs, those with live items first; and back */
} hr_index_pair;

/* Types: combinations of sensitive values. Each has a bit; many types share bits. */
typedef struct {
    uint32_t count;
    size_t words, bit_count;
    bool exact;         /* every type has a bit of its own */
    uint32_t *example;  /* an item of each */
    uint32_t *value;    /* count x r; HR_NONE: missing */
    uint32_t *bit;      /* of each type */
    uint32_t *bit_left; /* live rows of each bit */
    uint64_t *live;     /* bits with live rows */
    uint64_t **fresh;   /* per attribute: bits of types that may have a value new to the cluster */
    uint64_t **all;     /* per attribute: `fresh` of an empty cluster */
    uint64_t ***has;    /* per attribute and bucket of values: bits of the types in it */
    uint32_t *buckets;  /* per attribute: values v and w share a bucket if v = w mod buckets */
    uint32_t **lacking; /* per attribute and bucket: values in it that the cluster lacks */
    int64_t **gain;     /* per attribute and value: its share while it is new to the cluster */
    uint32_t *present;  /* values of the cluster, (attribute, value) pairs */
    size_t present_count;
    /* only by_seed: */
    uint32_t *row_start, *row_head; /* per type: rows of it in `rows`, none before head live */
    uint32_t *rows;                 /* places by type, ascending */
    uint32_t *low;                  /* tournament of the types' lowest live rows */
    size_t leaves;                  /* of the tournament: a power of two */
    int64_t *level;                 /* sums of weights of subsets of the attributes, descending */
    uint32_t *level_start, *subset; /* the subsets with each sum */
    uint32_t level_count;
    uint32_t *bit_start, *by_bit; /* the types of each bit, where subsets are too many to list */
} hr_index_types;

typedef struct {
    const hr_cell_task *task;
    hr_clusters *out;
    hr_arena arena;
    size_t t, r;   /* r 0: sensitive attributes play no part */
    bool by_row;   /* ties by row; otherwise by rank of the combination, then row */
    bool low_rows; /* nodes keep their lowest live row */
    bool by_seed;  /* types keep their lowest live rows */
    bool by_type;  /* nodes keep their live types, for searches among wanted types */

    uint32_t live_count;
    uint32_t *item;       /* of each place */
    hr_index_item *items; /* in the order of ranks */
    bool *taken;          /* of each item */
    uint32_t combination_count;
    uint32_t live_combinations;         /* those with live items */
    hr_index_combination *combinations; /* and one more, for its start */
    hr_index_pair *pairs;
    uint32_t *pair_item;

    /* nodes, parents before children */
    hr_index_node *nodes;
    uint32_t node_count;
    uint32_t listed; /* combinations in the tree: all that are live, and some that were */
    uint64_t asked;  /* how often searches asked a node for its children since the tree was built */
    bool recalled;   /* rows may be given back: the tree stays as it is */
    uint32_t *parent;
    uint32_t *low_row;              /* the lowest live row below, as a place; if low_rows */
    uint64_t *groups;               /* see hr_index_group_of */
    size_t group_count, group_room; /* words in use, and of room for them */
    uint64_t *kept_groups;          /* where they stay once the tree is built, */
    size_t kept_room;               /* and its room */
    size_t words;                   /* of bits; 0 unless by_type */
    size_t stride, *offset;         /* codes of a node; where an attribute's begin */
    bool narrow;           /* all attributes are trees of few nodes: codes are preorder numbers */
    uint32_t *code;        /* nodes x stride, unless narrow; trees: preorder number; numbers: least,
                               greatest rank. If narrow: of the root alone */
    uint32_t *unpacked;    /* scratch: see hr_index_codes */
    const uint32_t **own;  /* per attribute: costs of its tree's nodes; NULL: numbers */
    uint32_t *path, depth; /* the way from the seed's leaf to the root; 0: it is not in the tree */
    uint32_t *path_code;   /* codes of its nodes, if narrow */
    uint64_t *beyond; /* what rows cost at least that are outside of the node before it there */
    bool bounded;     /* `beyond` is of gen as it is */
    uint32_t *way;    /* scratch: another such way */
    hr_index_types types;
    uint64_t *wanted;

    /* the cluster at hand */
    uint32_t number, size;
    uint32_t seed;         /* a combination in it: searches begin there */
    uint32_t first;        /* of an empty one: where in tie order its first row is looked for */
    uint32_t *gen;         /* codes */
    uint64_t cost;         /* of gen */
    uint32_t again;        /* the combination that is cheapest until it runs out, or HR_NONE */
    uint32_t **near_row;   /* per attribute: room for a row, if the tree has no matrix, */
    uint32_t *near_for;    /* and of which node it is */
    const uint32_t **near; /* per attribute: its tree's row for gen; NULL: to be worked out */
    const uint32_t **varying_near; /* scratch: those of the attributes in which children differ */
    bool odd;                      /* some tree is: see layout.h */
    uint32_t *distinct;

    uint32_t coming, fetched; /* where the next cluster will begin: see index_fetch.c */

    uint32_t unreported; /* rows done that the progress has not heard of */

    /* finished clusters */
    uint32_t cluster_capacity;
    uint32_t *cluster_size, *cluster_seed, *cluster_gen;
} hr_index;

static inline hr_index_group hr_index_group_of(const hr_index *ix, const hr_index_node *node) {
    hr_index_group group = {.bits = ix->groups + node->group};
    group.cross = (uint32_t *)(group.bits + ix->words * node->several);
    group.quasi = (uint16_t *)(group.cross + node->crossing);
    group.type = group.quasi + node->varying;
    group.code = group.type + (ix->words ? node->child_count : 0);
    return group;
}

/* Ask memory for a group before all of it is needed; if types will be read, for the first of their words,
 * which mostly tells enough. */
static inline void hr_index_fetch_group(const hr_index *ix, const hr_index_node *node, bool types) {
    enum { LINE = 64 };
    uintptr_t at = (uintptr_t)(ix->groups + node->group);
    uintptr_t rest = at + ix->words * node->several * sizeof *ix->groups;
    uintptr_t end = rest + node->crossing * 4U + node->varying * (node->child_count + 2U) * 2U +
                    (ix->words ? node->child_count * 2U : 0);
    if (types) HR_PREFETCH((const void *)at);
    for (at = rest & ~(uintptr_t)(LINE - 1); at < end; at += LINE)
        HR_PREFETCH((const void *)at);
    HR_PREFETCH(&ix->nodes[node->child]);
}

static inline const hr_layout_tree *hr_index_tree(const hr_index *ix, size_t j) {
    return &ix->task->layout->trees[j];
}

/* Of a combination: a value per attribute. */
static inline const uint32_t *hr_index_values(const hr_index *ix, uint32_t combination) {
    uint32_t rank = ix->task->rank[ix->combinations[combination].start];
    return ix->task->layout->value + rank * ix->t;
}

/* Of an interval of numbers. */
static inline uint32_t hr_index_span_cost(const hr_index *ix, size_t j, uint32_t lo, uint32_t hi) {
    return hr_quasi_cost(&ix->task->data->quasi[j], (hr_span){lo, hi});
}

/* ---- index_build.c ---- */

typedef struct {
    bool sensitive; /* sensitive values matter */
    bool seeds;     /* seeds are searched for by diversity, */
    bool diverse;   /* other rows are */
    bool furthest;  /* rows far from a row are searched for */
    bool by_row;    /* ties */
} hr_index_wants;

hr_status hr_index_init(hr_index *ix, const hr_cell_task *task, const hr_index_wants *wants,
                        hr_clusters *out, hr_error *err);
void hr_index_free(hr_index *ix);
/* Build the tree anew, of the live combinations alone: fewer nodes, which tell more. */
hr_status hr_index_renew(hr_index *ix, hr_error *err);
/* From now on these items, which have been taken, may be given back, and no others: the tree has their
 * combinations, too. */
hr_status hr_index_recall(hr_index *ix, const uint32_t *items, size_t count, hr_error *err);

/* ---- index_group.c ---- */

/* What an attribute costs at least once values of two children are joined in it. */
typedef struct {
    uint16_t quasi;
    uint32_t cost;
} hr_index_cross;

/* Add a node's group, its children being complete. Codes are of the node and, together, of the children. */
hr_status hr_index_add_group(hr_index *ix, uint32_t node, const hr_index_cross *cross,
                             const uint32_t *own, const uint32_t *children, hr_error *err);
/* All groups are there. */
hr_status hr_index_keep_groups(hr_index *ix, hr_error *err);
/* A node's codes; good until codes are asked for again. */
const uint32_t *hr_index_codes(hr_index *ix, uint32_t node);
/* Likewise a combination's, also of one that is not in the tree. */
const uint32_t *hr_index_codes_of(hr_index *ix, uint32_t combination);
/* The codes of a combination's values. */
void hr_index_encode(const hr_index *ix, const uint32_t *value, uint32_t *code);
/* Let codes cover others, too. */
void hr_index_join_codes(const hr_index *ix, uint32_t *to, const uint32_t *from);
/* The way from a leaf to the root, and its nodes' codes. */
void hr_index_find_path(hr_index *ix, uint32_t leaf);

/* ---- index_types.c ---- */

hr_status hr_types_init(hr_index *ix, hr_error *err);
void hr_types_clear(hr_index *ix); /* the cluster has no values */
void hr_types_add(hr_index *ix, uint32_t type);
int64_t hr_types_diversity(const hr_index *ix, uint32_t type);
void hr_types_taken(hr_index *ix, uint32_t item);    /* it is not live any more */
void hr_types_returned(hr_index *ix, uint32_t item); /* it is live again */
/* The greatest diversity below `below` that live types may have, with the bits of all that may have as
 * much; 0: none. Where types share bits, it may turn out that none has it. By_seed. */
int64_t hr_types_next(const hr_index *ix, int64_t below, uint64_t *wanted);
/* Item of the lowest live row among those most diverse from the cluster; by_seed. */
uint32_t hr_types_seed(const hr_index *ix);

/* ---- index_pairs.c ---- */

/* Which rows a search is for: those whose type fits. Bits say where such types may be. */
typedef struct {
    const uint64_t *bits;
    bool exact; /* a bit that is set means that its types fit */
    bool (*fits)(const hr_index *ix, uint32_t type, const void *payload);
    const void *payload;
} hr_index_wish;

hr_status hr_pairs_init(hr_index *ix, hr_error *err);
void hr_pairs_taken(hr_index *ix, uint32_t item);
void hr_pairs_returned(hr_index *ix, uint32_t item);
/* Lowest live item of a combination whose type fits, or HR_NONE. */
uint32_t hr_pairs_lowest(hr_index *ix, uint32_t combination, const hr_index_wish *wish);

/* ---- index_take.c ---- */

/* All as in greedy.h, with items for places in the list of live ones. */
uint32_t hr_index_first(const hr_index *ix);
void hr_index_restart(hr_index *ix, uint32_t item);
/* As far as sensitive values go. */
void hr_index_restart_values(hr_index *ix, uint32_t item);
hr_status hr_index_take(hr_index *ix, uint32_t item, hr_error *err);
/* The opposite of taking, as far as the tree is concerned: the row is live again. If the tree may have been
 * built anew, the row must have been recalled. */
void hr_index_return(hr_index *ix, uint32_t item);
/* Go on with a finished cluster, of which these are the items. */
void hr_index_reopen(hr_index *ix, uint32_t number, const uint32_t *items, uint32_t count);
bool hr_index_p_sensitive(const hr_index *ix);
/* The combination's lowest live item, or HR_NONE. */
uint32_t hr_index_first_live(hr_index *ix, uint32_t combination);
/* It is complete. The tree may be built anew then. */
hr_status hr_index_keep(hr_index *ix, hr_error *err);
/* A kept cluster gets a lower number. */
void hr_index_renumber(hr_index *ix, uint32_t from, uint32_t to);
/* One row more is done. */
hr_status hr_index_count(hr_index *ix, hr_error *err);
/* What values of these codes cost. */
uint64_t hr_index_cost_of(const hr_index *ix, const uint32_t *code);

/* ---- index_find.c ---- */

/* As in greedy.h. */
uint32_t hr_index_cheapest(hr_index *ix);
uint32_t hr_index_most_diverse(const hr_index *ix);
bool hr_index_diverse(hr_index *ix, uint32_t *item);
/* The cheapest of the rows that are wished for; false if there is none. An empty cluster (size 0)
 * costs nothing whatever joins it: the first row in tie order from ix->first on, around the end. */
bool hr_index_search(hr_index *ix, const hr_index_wish *wish, uint32_t *item);
/* What joining something below the root to gen can cost at most, and at least. */
uint64_t hr_index_reach(hr_index *ix, uint64_t *least);
/* What it costs at least below child i of a node. `own` is that of the node. */
uint64_t hr_index_least(const hr_index *ix, const hr_index_node *node, uint32_t i, uint64_t own);
/* A node's live children, as bits, below which it can cost so much at least; and what it can cost there at
 * most, which is exact for one combination. `reach` is that of the node. */
uint32_t hr_index_reaching(const hr_index *ix, const hr_index_node *node, uint64_t reach,
                           uint64_t least, uint64_t cost[HR_INDEX_WIDE]);

/* ---- index_fetch.c ---- */

/* The next cluster will probably begin with this item. */
void hr_index_expect(hr_index *ix, uint32_t item);
/* A step towards it. */
void hr_index_approach(hr_index *ix);

/* ---- index_far.c ---- */

uint32_t hr_index_furthest(hr_index *ix);

/* ---- index_fours.c ---- */

/* The finished clusters by the rank of their seeds. */
typedef struct hr_fours hr_fours;
hr_status hr_fours_init(hr_index *ix, int rule, hr_fours **out,
                        hr_error *err); /* freed also if it fails */
void hr_fours_free(hr_fours *fours);
/* The cluster whose loss grows, or is, least when the row at hand (gen) joins it; of equals the lowest. */
uint32_t hr_fours_best(hr_fours *fours);
/* A cluster has one row more, and perhaps other values. */
void hr_fours_changed(hr_fours *fours, uint32_t cluster, bool grown);
/* How much has been looked at. */
uint64_t hr_fours_work(const hr_fours *fours);

/* ---- index_trie.c ---- */

/* The finished clusters by their values. */
typedef struct hr_trie hr_trie;
hr_status hr_trie_init(hr_index *ix, int rule, hr_trie **out,
                       hr_error *err); /* freed also if it fails */
void hr_trie_free(hr_trie *trie);
/* As above. */
uint32_t hr_trie_best(hr_trie *trie);
hr_status hr_trie_changed(hr_trie *trie, uint32_t cluster, bool grown, hr_error *err);
uint64_t hr_trie_work(const hr_trie *trie);

/* ---- index_disperse.c ---- */

/* Give all rows that are in no finished cluster to the finished ones, one after another in tie order,
 * each where the rule says; then the clusters' published values. */
hr_status hr_index_finish(hr_index *ix, int rule, hr_error *err);

#endif
