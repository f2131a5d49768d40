/* index.h - the rows of one MAM cell in a search tree over their quasi-identifier combinations.
 *
 * The fast forms of k-member, greedy-pk and enhanced-pk take rows from the index one by one; the
 * plain forms find the same rows by scanning (greedy.h). A node of the tree stores the smallest
 * values that cover all combinations below it. They give a lower bound on the cost of joining any
 * row below the node to the cluster, so a search skips every node that cannot win.
 *
 * Words: a row has a *place* (its index in task->rows) and an *item* (its index in the order of
 * ranks). An item is live until it is taken into a cluster. A *combination* is the quasi-identifier
 * values of a row, a *type* its sensitive values. Ties go to the first item, or to the first place
 * if by_row. */
#ifndef HR_INDEX_H
#define HR_INDEX_H

#include "algorithm/greedy_options.h"
#include "algorithm/layout.h"

typedef struct hr_index hr_index;

/* What the caller will search for; decides which parts of the index are built. */
typedef struct {
    bool sensitive; /* sensitive values matter */
    bool seeds;     /* first rows are chosen by diversity (hr_index_most_diverse) */
    bool diverse;   /* further rows are chosen by type (hr_index_diverse, hr_index_wish) */
    bool furthest;  /* rows far from a row are searched for (hr_index_furthest) */
    bool by_row;    /* equal costs: lowest place wins, otherwise lowest item */
} hr_index_wants;

/* All rows of the task are live and the cluster is empty. `out` receives the clusters; the index
 * borrows both. Time: O(n t) after the layout. */
hr_status hr_index_new(const hr_cell_task *task, const hr_index_wants *wants, hr_clusters *out,
                       hr_index **index, hr_error *err);
void hr_index_free(hr_index *ix);

/* ---- rows ---- */

uint32_t hr_index_live_count(const hr_index *ix);
bool hr_index_is_taken(const hr_index *ix, uint32_t item);
uint32_t hr_index_place(const hr_index *ix, uint32_t item);
/* The "randomly selected row" that the first seed is to differ from, as an item. */
uint32_t hr_index_first(const hr_index *ix);

/* ---- types ---- */

enum { HR_INDEX_BITS = 512 }; /* bits of a set of types */

/* Sets of types. Each type has a bit. If there are more than HR_INDEX_BITS types, types share bits;
 * a bit in a set then says only that one of its types may belong to the set. */
typedef struct {
    size_t words;     /* 64-bit words of a set */
    bool exact;       /* every type has a bit that no other type has */
    uint64_t *live;   /* types with live rows */
    uint64_t **fresh; /* per attribute: types whose value may be new to the cluster */
} hr_type_sets;

const hr_type_sets *hr_index_type_sets(const hr_index *ix);
/* An item of the type; always the same one. */
uint32_t hr_index_type_example(const hr_index *ix, uint32_t type);
/* Place of the example of the type that this item has. */
uint32_t hr_index_alike(const hr_index *ix, uint32_t item);

/* Restricts a search to rows whose type fits. */
typedef struct {
    const uint64_t *bits; /* contains the bit of every type that fits */
    bool exact;           /* every type whose bit is in `bits` fits; fits() need not be called */
    bool (*fits)(const hr_index *ix, uint32_t type, const void *payload);
    const void *payload;
} hr_index_wish;

/* ---- the cluster being grown ---- */

uint32_t hr_index_size(const hr_index *ix);
/* Has the cluster p values of each sensitive attribute? */
bool hr_index_p_sensitive(const hr_index *ix);
/* Sets the values and sensitive values of the cluster to those of this item alone, and the size to
 * 0. The item need not be live. */
void hr_index_restart(hr_index *ix, uint32_t item);
/* The same for the sensitive values only. */
void hr_index_restart_values(hr_index *ix, uint32_t item);
/* Moves a live item into the cluster. */
hr_status hr_index_take(hr_index *ix, uint32_t item, hr_error *err);
/* Stores the cluster as finished and starts an empty one. May rebuild the tree. */
hr_status hr_index_keep(hr_index *ix, hr_error *err);
/* A hint that the next cluster will probably start with this item. */
void hr_index_expect(hr_index *ix, uint32_t item);

/* ---- searches; all are exact, ties included ---- */

/* The live item whose joining costs least. There must be one. */
uint32_t hr_index_cheapest(hr_index *ix);
/* The cheapest live item that satisfies the wish (NULL: any); false if there is none. If the
 * cluster is empty, the first such item in tie order from `from` on, wrapping around. */
bool hr_index_search(hr_index *ix, const hr_index_wish *wish, uint32_t from, uint32_t *item);
/* The cheapest of the live items most diverse from the cluster; false if none has a new value. */
bool hr_index_diverse(hr_index *ix, uint32_t *item);
/* Of the live rows most diverse from the cluster, the item of the one with the lowest place. */
uint32_t hr_index_most_diverse(const hr_index *ix);
/* Of the live rows furthest from the cluster, the item of the one with the lowest place. */
uint32_t hr_index_furthest(hr_index *ix);

/* ---- giving rows back (enhanced-pk) ---- */

/* Announces the taken items that may be returned from now on. Rebuilds the tree if it lacks their
 * combinations; afterwards the tree is not rebuilt. */
hr_status hr_index_recall(hr_index *ix, const uint32_t *items, size_t count, hr_error *err);
/* Makes a taken item live again. If hr_index_keep was called after the item was taken, the item
 * must have been announced with hr_index_recall. */
void hr_index_return(hr_index *ix, uint32_t item);
/* Continues with cluster `number`, which consists of these items. */
void hr_index_reopen(hr_index *ix, uint32_t number, const uint32_t *items, uint32_t count);
/* Gives finished cluster `from` the lower number `to`. */
void hr_index_renumber(hr_index *ix, uint32_t from, uint32_t to);

/* ---- the end ---- */

/* Assigns every row that is in none of the first out->count clusters to one of them, in tie order,
 * each to the cluster that the rule (HR_DISPERSAL_...) prefers; then stores the published
 * values. */
hr_status hr_index_finish(hr_index *ix, int rule, hr_error *err);

#endif
