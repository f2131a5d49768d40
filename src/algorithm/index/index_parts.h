/* index_parts.h - the parts of an hr_index, for the files of this folder and their test.
 *
 *     rows      items, combinations, pairs: which rows are live        index_take.c, index_pairs.c
 *     types     combinations of sensitive values, and sets of them     index_types.c
 *     format    how the values of a cluster or node are encoded        index_group.c
 *     tree      the nodes over the combinations                        index_build.c, index_group.c
 *     path      from the leaf of the cluster's seed to the root        index_group.c
 *     cluster   the cluster being grown                                index_take.c
 *     finished  the finished clusters                                  index_disperse.c
 *
 * Searches read these parts (index_find.c, index_far.c); index_trie.c finds the finished cluster
 * that a row should join. */
#ifndef HR_INDEX_PARTS_H
#define HR_INDEX_PARTS_H

#include "algorithm/index/index.h"

enum {
    HR_INDEX_WIDE = 32,           /* maximum number of children of a node */
    HR_INDEX_VARYING = UINT8_MAX, /* maximum number of attributes in which children differ */
    HR_INDEX_SEVERAL = 1 << 15    /* added to a position in `bits`: see hr_index_group.type */
};

/* ---- rows ---- */

typedef struct {
    uint32_t combination, type;
    uint32_t pair;  /* pair of its combination and type, if the combination has several types */
    uint32_t place; /* in task->rows */
} hr_index_item;

typedef struct {
    uint32_t start;      /* first item; the items end where those of the next combination start */
    uint32_t head;       /* an item: none of the combination's items before it is live */
    uint32_t left;       /* number of live items */
    uint32_t leaf;       /* its node; HR_NONE: not in the tree */
    uint32_t pairs;      /* first pair; HR_NONE: all items have one type, and there are no pairs */
    uint32_t live_pairs; /* number of pairs with live items */
} hr_index_combination;

/* The items of one type in a combination that has several types. */
typedef struct {
    uint32_t type;
    uint32_t first; /* position of its first item in pair_item */
    uint32_t head;  /* such a position: none of the pair's items before it is live */
    uint32_t left;  /* number of live items */
    /* The pairs of a combination are also listed so that pairs with live items come first:
     * pairs[i].listed is the pair at position i of this list, pairs[i].at is the position of pair
     * i. */
    uint32_t listed, at;
} hr_index_pair;

typedef struct {
    uint32_t live_count;
    uint32_t *item_of;    /* item of each place */
    hr_index_item *items; /* in the order of ranks */
    bool *taken;          /* per item */
    uint32_t combination_count;
    uint32_t live_combinations;         /* combinations with live items */
    hr_index_combination *combinations; /* the last is an end mark: start = number of items */
    hr_index_pair *pairs;               /* only if by_type */
    uint32_t *pair_item;                /* items by combination, type, row; only if by_type */
} hr_index_rows;

/* ---- types ---- */

/* The sensitive values of the cluster being grown. Values are numbered per attribute. Value v is in
 * bucket v % buckets, so that few sets of types suffice for many values. */
typedef struct {
    uint32_t *buckets;  /* per attribute: number of buckets */
    uint64_t ***has;    /* per attribute and bucket: types with a value in the bucket */
    uint64_t **all;     /* per attribute: types with any value; `fresh` of an empty cluster */
    uint32_t **lacking; /* per attribute and bucket: number of its values that the cluster lacks */
    int64_t **gain;     /* per attribute and value: diversity that it adds; 0: the cluster has it */
    uint32_t *present;  /* values of the cluster, as (attribute, value) pairs */
    size_t present_count;
} hr_cluster_values;

/* Finds the live rows most diverse from the cluster; only if by_seed. */
typedef struct {
    uint32_t *rows;      /* places by type, ascending */
    uint32_t *row_start; /* per type: its first position in `rows` */
    uint32_t *row_head;  /* per type: position of its first live row */
    uint32_t *low;       /* tournament tree over the types: lowest live place of each subtree */
    size_t leaves;       /* of the tournament tree, a power of two */
    /* With few attributes: all diversities that a type can have. The diversity of a type is the sum
     * of the shares of those attributes in which it has a value that the cluster lacks, so each
     * subset of the attributes (a bit mask) gives one. */
    int64_t *level;        /* these diversities, descending */
    uint32_t *level_start; /* per level: its first position in `subset` */
    uint32_t *subset;      /* the subsets of attributes that give each level */
    uint32_t level_count;
    /* With many attributes, the types of each bit: those of bit b begin at by_bit[bit_start[b]]. */
    uint32_t *bit_start, *by_bit;
} hr_type_seeds;

typedef struct {
    uint32_t count;
    size_t bit_count;
    uint32_t *example;  /* an item of each type */
    uint32_t *value;    /* count x r; HR_NONE: missing */
    uint32_t *bit;      /* of each type in a set of types */
    uint32_t *bit_left; /* per bit: number of live rows */
    hr_type_sets sets;
    hr_cluster_values values;
    hr_type_seeds seeds;
} hr_index_types;

/* ---- codes ---- */

/* Values of all attributes as one array of codes: a preorder number for a tree (layout.h), the
 * least and the greatest value for a number. */
typedef struct {
    size_t stride;              /* number of codes */
    size_t *offset;             /* per attribute: its first code */
    const uint32_t **node_cost; /* per attribute: cost of each preorder number; NULL: a number */
    bool narrow; /* every attribute is a tree of at most HR_LAYOUT_ROW nodes: its codes need 16
                    bits, and there is one per attribute */
    bool odd;    /* some tree has leaf values with values below them (hr_layout_tree.odd) */
} hr_code_format;

/* ---- the tree ---- */

typedef struct {
    uint32_t child;       /* first child; the others follow it. Leaf: an item, for prefetching */
    uint32_t combination; /* first combination below */
    uint32_t live;        /* a bit for each child with live rows. Leaf: 1 if it has live rows */
    uint32_t group;       /* position of the node's group in `groups` */
    uint8_t child_count;  /* 0: a leaf, which is one combination */
    uint8_t varying, crossing, several; /* see hr_index_group */
} hr_index_node;

/* What a node stores about its children: five arrays one after another, so that visiting a node
 * reads consecutive memory. hr_index_group_of finds them. */
typedef struct {
    uint64_t *bits;  /* words x several: live types of the `several` children that can have more
                        than one; first word of each set, then second word of each, ... */
    uint32_t *cross; /* for the first `crossing` attributes of `quasi`: least cost of a value that
                        covers values of two children */
    uint16_t *quasi; /* the `varying` attributes in which children differ */
    uint16_t *type;  /* only if by_type; per child: the bit of a leaf with one type, otherwise
                        HR_INDEX_SEVERAL + the child's position in `bits` */
    uint16_t *code;  /* only if narrow; for each attribute of `quasi`: code of the node, then those
                        of its children. In all other attributes node and children are equal. */
} hr_index_group;

typedef struct {
    hr_index_node *nodes; /* parents before children; 0 is the root */
    uint32_t node_count;
    uint32_t *parent;               /* per node */
    uint32_t *low_row;              /* per node: lowest live place below; only if low_rows */
    uint32_t *code;                 /* nodes x stride: codes of each node; if narrow: of the root */
    uint64_t *groups;               /* packed groups */
    size_t group_count, group_room; /* words used and allocated */
    uint64_t *kept_groups;          /* memory of the arena, for the groups of a complete tree */
    size_t kept_room;
    size_t words;    /* words of a set of types in a group; 0 unless by_type */
    uint32_t listed; /* combinations in the tree */
    uint64_t visits; /* inner nodes visited since the tree was built */
    bool recalled;   /* rows may be returned, so the tree must not be rebuilt */
} hr_index_tree;

/* The path from the leaf of the cluster's seed to the root. Searches go up along it. */
typedef struct {
    uint32_t *node;    /* node[0] is the leaf */
    uint32_t depth;    /* number of nodes; 0: the seed is not in the tree */
    uint32_t *code;    /* codes of the nodes; only if narrow */
    uint64_t *beyond;  /* beyond[i]: lower bound on the cost of any row outside node[i - 1] */
    bool bounds_valid; /* `beyond` holds for the cluster's current values */
} hr_seed_path;

/* ---- clusters ---- */

typedef struct {
    uint32_t number, size;
    uint32_t seed;      /* combination of the first row */
    uint32_t *gen;      /* codes of the smallest values that cover its rows */
    uint64_t cost;      /* of gen */
    uint32_t again;     /* combination that is cheapest as long as it has live rows, or HR_NONE */
    uint32_t *distinct; /* per sensitive attribute: number of values */
    const uint32_t *
        *near; /* per attribute: near[a] is hr_layout_near of gen and a; NULL: not stored */
    uint32_t **near_row; /* per attribute: memory for `near` if its tree has no matrix */
    uint32_t *near_for;  /* per attribute: the node that near_row is filled in for */
} hr_growing_cluster;

typedef struct {
    uint32_t capacity;
    uint32_t *size; /* per cluster */
    uint32_t *gen;  /* clusters x stride: codes */
} hr_finished_clusters;

/* ---- the whole ---- */

/* Buffers that hold nothing between calls. */
typedef struct {
    uint32_t *unpacked;            /* `stride` codes: result of hr_index_node_codes */
    uint32_t *way;                 /* a path to the root */
    const uint32_t **varying_near; /* `near` of the attributes in which children differ */
    uint64_t *wanted;              /* a set of types */
} hr_index_scratch;

struct hr_index {
    const hr_cell_task *task;
    hr_clusters *out;
    hr_arena arena;
    size_t t, r;   /* quasi-identifiers; sensitive attributes, 0 if they do not matter */
    bool by_row;   /* equal costs: lowest place wins, otherwise lowest item */
    bool low_rows; /* nodes store their lowest live place */
    bool by_seed;  /* types.seeds is maintained */
    bool by_type;  /* nodes store their live types */
    hr_index_rows rows;
    hr_index_types types;
    hr_code_format format;
    hr_index_tree tree;
    hr_seed_path path;
    hr_growing_cluster cluster;
    hr_finished_clusters finished;
    hr_index_scratch scratch;
    struct {
        uint32_t coming, fetched;
    } ahead;             /* prefetching of the next cluster's seed: see index_fetch.c */
    uint32_t unreported; /* rows done since progress was last reported */
};

static inline hr_index_group hr_index_group_of(const hr_index *ix, const hr_index_node *node) {
    const hr_index_tree *tree = &ix->tree;
    hr_index_group group = {.bits = tree->groups + node->group};
    group.cross = (uint32_t *)(group.bits + tree->words * node->several);
    group.quasi = (uint16_t *)(group.cross + node->crossing);
    group.type = group.quasi + node->varying;
    group.code = group.type + (tree->words ? node->child_count : 0);
    return group;
}

/* Prefetches a node's group and first child. With `types`, also the first words of the sets of
 * types, which usually decide the search. */
static inline void hr_index_fetch_group(const hr_index *ix, const hr_index_node *node, bool types) {
    enum { LINE = 64 };
    const hr_index_tree *tree = &ix->tree;
    uintptr_t at = (uintptr_t)(tree->groups + node->group);
    uintptr_t rest = at + tree->words * node->several * sizeof *tree->groups;
    uintptr_t end = rest + node->crossing * sizeof(uint32_t) +
                    node->varying * (size_t)(node->child_count + 2U) * sizeof(uint16_t) +
                    (tree->words ? node->child_count * sizeof(uint16_t) : 0);
    if (types) HR_PREFETCH((const void *)at);
    for (at = rest & ~(uintptr_t)(LINE - 1); at < end; at += LINE)
        HR_PREFETCH((const void *)at);
    HR_PREFETCH(&tree->nodes[node->child]);
}

/* The tree of an attribute; its order.count is 0 for a number. */
static inline const hr_layout_tree *hr_index_hierarchy(const hr_index *ix, size_t j) {
    return &ix->task->layout->trees[j];
}

/* The values of a combination, one per attribute. */
static inline const uint32_t *hr_index_values(const hr_index *ix, uint32_t combination) {
    uint32_t rank = ix->task->rank[ix->rows.combinations[combination].start];
    return ix->task->layout->value + rank * ix->t;
}

/* Cost of an interval of numbers. */
static inline uint32_t hr_index_span_cost(const hr_index *ix, size_t j, uint32_t lo, uint32_t hi) {
    return hr_quasi_cost(&ix->task->data->quasi[j], (hr_span){lo, hi});
}

/* What joining a row does to one attribute of a finished cluster. The row is the one that
 * ix->cluster was restarted with. */
typedef struct {
    uint32_t joined; /* cost of the attribute with the row */
    uint32_t grown;  /* how much more that is than without the row */
} hr_increase;

/* For a tree; `code` is that of the finished cluster. */
static inline hr_increase hr_index_join_code(const hr_index *ix, size_t j, uint32_t code) {
    const uint32_t *near = ix->cluster.near[j], *cost = ix->format.node_cost[j];
    uint32_t row = ix->cluster.gen[ix->format.offset[j]];
    uint32_t least = near ? near[code] : hr_layout_near(hr_index_hierarchy(ix, j), row, code);
    uint32_t joined = hr_layout_far(cost, least, code);
    return (hr_increase){joined, joined - cost[code]};
}

/* For a number; lo .. hi is the interval of the finished cluster. */
static inline hr_increase hr_index_join_interval(const hr_index *ix, size_t j, uint32_t lo,
                                                 uint32_t hi) {
    uint32_t row = ix->cluster.gen[ix->format.offset[j]];
    uint32_t own = hr_index_span_cost(ix, j, lo, hi), joined = own;
    if (row < lo) joined = hr_index_span_cost(ix, j, row, hi);
    if (row > hi) joined = hr_index_span_cost(ix, j, lo, row);
    return (hr_increase){joined, joined - own};
}

/* ---- index_build.c ---- */

/* Rebuilds the tree from the live combinations: fewer nodes, which cover less. */
hr_status hr_index_renew(hr_index *ix, hr_error *err);

/* ---- index_group.c ---- */

/* Least cost of a value of attribute `quasi` that covers values of two children. */
typedef struct {
    uint16_t quasi;
    uint32_t cost;
} hr_index_cross;

/* Appends the group of a node whose children are complete. `cross` has node->crossing entries;
 * `own` are the codes of the node and `children` those of its children, one after another. */
hr_status hr_index_add_group(hr_index *ix, uint32_t node, const hr_index_cross *cross,
                             const uint32_t *own, const uint32_t *children, hr_error *err);
/* Moves the groups of a complete tree to the arena. */
hr_status hr_index_keep_groups(hr_index *ix, hr_error *err);
/* Codes of a node; valid until the next call of this function or hr_index_combination_codes. */
const uint32_t *hr_index_node_codes(hr_index *ix, uint32_t node);
/* Codes of a combination, which need not be in the tree. */
const uint32_t *hr_index_combination_codes(hr_index *ix, uint32_t combination);
/* Codes of values, one per attribute. */
void hr_index_encode(const hr_index *ix, const uint32_t *value, uint32_t *code);
/* Widens `to` so that it covers `from`. */
void hr_index_join_codes(const hr_index *ix, uint32_t *to, const uint32_t *from);
/* Sum of the costs of the values. */
uint64_t hr_index_cost_of(const hr_index *ix, const uint32_t *code);
/* Sets ix->path to the path from this leaf; HR_NONE: an empty path. */
void hr_index_find_path(hr_index *ix, uint32_t leaf);

/* ---- index_types.c ---- */

hr_status hr_types_init(hr_index *ix, hr_error *err);
void hr_types_clear(hr_index *ix);              /* removes all values from the cluster */
void hr_types_add(hr_index *ix, uint32_t type); /* adds the values of the type to the cluster */
/* Sum of the shares of the attributes of which the type has a value that the cluster lacks. */
int64_t hr_types_diversity(const hr_index *ix, uint32_t type);
/* Called when an item is taken or returned. */
void hr_types_taken(hr_index *ix, uint32_t item);
void hr_types_returned(hr_index *ix, uint32_t item);
/* Returns the greatest diversity less than `below` that a live type may have, or 0 if there is
 * none. Stores in `wanted` the bits of all types that may have it. If types share a bit, the result
 * is only an upper limit: possibly no live type has that diversity. Needs by_seed. */
int64_t hr_types_next(const hr_index *ix, int64_t below, uint64_t *wanted);
/* Of the live rows most diverse from the cluster, the item of the one with the lowest place. Needs
 * by_seed. */
uint32_t hr_types_seed(const hr_index *ix);

/* ---- index_pairs.c ---- */

hr_status hr_pairs_init(hr_index *ix, hr_error *err);
/* Called when an item is taken or returned. */
void hr_pairs_taken(hr_index *ix, uint32_t item);
void hr_pairs_returned(hr_index *ix, uint32_t item);
/* Lowest live item of a combination whose type fits, or HR_NONE. */
uint32_t hr_pairs_lowest(hr_index *ix, uint32_t combination, const hr_index_wish *wish);

/* ---- index_take.c ---- */

/* The lowest live item of a combination, or HR_NONE. */
uint32_t hr_index_first_live(hr_index *ix, uint32_t combination);
/* Counts one more row as done. */
hr_status hr_index_count(hr_index *ix, hr_error *err);

/* ---- index_find.c ---- */

/* Upper bound on the cost of the cluster once any live row has joined; *least receives a lower
 * bound. */
uint64_t hr_index_reach(hr_index *ix, uint64_t *least);
/* Lower bound for the rows below child i of a node; `own` is the lower bound of the node. */
uint64_t hr_index_least(const hr_index *ix, const hr_index_node *node, uint32_t i, uint64_t own);
/* Stores in `cost` upper bounds for the live children of a node, exact for leaves, and returns a
 * bit mask of the children whose upper bound is at least `least`. `reach` is the upper bound of
 * the node. */
uint32_t hr_index_reaching(const hr_index *ix, const hr_index_node *node, uint64_t reach,
                           uint64_t least, uint64_t cost[HR_INDEX_WIDE]);

/* ---- index_fetch.c ---- */

/* Prefetches one step further on the way to the item of hr_index_expect. */
void hr_index_approach(hr_index *ix);

/* ---- index_trie.c ---- */

/* The finished clusters by their values. Freed by hr_trie_free, also after a failure. */
typedef struct hr_trie hr_trie;
enum { HR_TRIE_LEVELS = 255 }; /* maximum depth: searches are recursive */

/* Depth of a trie over the clusters of this index. */
size_t hr_trie_depth(const hr_index *ix);
hr_status hr_trie_init(hr_index *ix, int rule, hr_trie **out, hr_error *err);
void hr_trie_free(hr_trie *trie);
/* The cluster whose loss grows least (or is least, according to the rule) if it is joined by the
 * row that ix->cluster was restarted with; of equals the lowest. */
uint32_t hr_trie_best(hr_trie *trie);
/* Called when a cluster has got one more row; `grown`: its values have changed. */
hr_status hr_trie_changed(hr_trie *trie, uint32_t cluster, bool grown, hr_error *err);

#endif
