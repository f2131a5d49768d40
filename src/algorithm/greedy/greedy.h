/* greedy.h - what the plain greedy algorithms share: a cell's rows laid out for scanning, and the
 * cluster that is being grown. Costs come from one small table per attribute that says what each
 * value would cost if it joined, so that a scan over the rows is additions and nothing else. */
#ifndef HR_GREEDY_H
#define HR_GREEDY_H

#include "algorithm/algorithm.h"

/* Rules on which paper and practice differ. */
typedef struct {
    int dispersal; /* HR_DISPERSAL_... */
    int ties;      /* HR_TIES_... */
} hr_greedy_options;

/* A leftover row joins the cluster whose IL grows least, or whose IL is least afterwards. */
enum { HR_DISPERSAL_GROWTH, HR_DISPERSAL_ABSOLUTE };
/* Ties go to the lowest rank of combination and then the lowest row, or to the lowest row. */
enum { HR_TIES_RANK, HR_TIES_ROW };

typedef struct {
    const hr_cell_task *task;
    hr_arena arena;
    size_t t, r;         /* quasi-identifiers, sensitive attributes */
    uint32_t *row;       /* place in task->rows of each item; items stand in tie order */
    uint32_t *quasi;     /* items x t: values */
    uint32_t *sensitive; /* items x r: values; a missing one is value_count */
    uint32_t *live;      /* items not yet in a cluster, in tie order */
    uint32_t live_count;

    /* the cluster at hand */
    uint32_t number, size;
    hr_span *gen;    /* t: least values that cover it */
    uint32_t **cost; /* per quasi-identifier and value: cost once that value has joined */
    int64_t *
        *gain; /* per sensitive attribute and value: its share while the value is new, else 0 */
    uint32_t *distinct; /* r: values present */

    /* finished clusters */
    uint32_t *cluster_size;
    hr_span *cluster_gen; /* clusters x t */
    hr_clusters *out;
} hr_greedy;

extern const hr_option hr_greedy_option_table[]; /* of hr_greedy_options */

hr_status hr_greedy_init(hr_greedy *g, const hr_cell_task *task, hr_clusters *out, hr_error *err);
void hr_greedy_free(hr_greedy *g);
/* The "randomly selected row" that the first seed is to differ from, as an item. */
uint32_t hr_greedy_first(const hr_greedy *g);

/* The tables as if the cluster consisted of this item alone (an item need not be live). */
void hr_greedy_restart(hr_greedy *g, uint32_t item);
/* Take the item at place `at` of live into the cluster. */
hr_status hr_greedy_take(hr_greedy *g, uint32_t at, hr_error *err);
/* Place in live of the item whose joining costs least; first in tie order. */
uint32_t hr_greedy_cheapest(const hr_greedy *g);
/* Cost of the cluster's values once the item has joined. */
uint64_t hr_greedy_cost(const hr_greedy *g, uint32_t item);
/* Diversity between the item and the cluster (Campan, Truta, Cooper 2010, Definition 13). */
int64_t hr_greedy_diversity(const hr_greedy *g, uint32_t item);
bool hr_greedy_p_sensitive(const hr_greedy *g);
/* The item is live again. */
void hr_greedy_return(hr_greedy *g, uint32_t item);
/* Go on with a cluster of which these are the items; none: an empty one. */
void hr_greedy_reopen(hr_greedy *g, uint32_t number, const uint32_t *items, uint32_t count);
/* Place of a live item in live. */
uint32_t hr_greedy_place(const hr_greedy *g, uint32_t item);
/* Keep the cluster as it is. */
void hr_greedy_keep(hr_greedy *g);
/* It is kept by a lower number. */
void hr_greedy_renumber(hr_greedy *g, uint32_t from, uint32_t to);
/* Give an item to the kept cluster that the rule prefers. */
hr_status hr_greedy_disperse(hr_greedy *g, uint32_t item, int rule, hr_error *err);

#endif
