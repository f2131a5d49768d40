/* greedy.h - shared by the plain forms of the greedy algorithms: a cell's rows laid out for
 * scanning, and the cluster being grown. One small table per attribute holds the cost of the
 * cluster once a value has joined, so a scan over the rows only adds. Items are the rows in tie
 * order. */
#ifndef HR_GREEDY_H
#define HR_GREEDY_H

#include "algorithm/greedy_options.h"

typedef struct {
    const hr_cell_task *task;
    hr_arena arena;
    size_t t, r;         /* numbers of quasi-identifiers and sensitive attributes */
    uint32_t *row;       /* position in task->rows of each item */
    uint32_t *quasi;     /* items x t: values */
    uint32_t *sensitive; /* items x r: values; value_count if missing */
    uint32_t *live;      /* items that are in no cluster yet, ascending */
    uint32_t live_count;

    /* the cluster being grown */
    uint32_t number, size;
    hr_span *gen;    /* t: smallest values that cover its rows */
    uint32_t **cost; /* per quasi-identifier and value: cost once the value has joined */
    int64_t *
        *gain; /* per sensitive attribute and value: its share while the value is new, else 0 */
    uint32_t *distinct; /* r: number of values present */

    /* finished clusters */
    uint32_t *cluster_size;
    hr_span *cluster_gen; /* clusters x t */
    hr_clusters *out;
} hr_greedy;

extern const hr_option hr_greedy_option_table[]; /* for hr_greedy_options */

hr_status hr_greedy_init(hr_greedy *g, const hr_cell_task *task, hr_clusters *out, hr_error *err);
void hr_greedy_free(hr_greedy *g);
/* The "randomly selected row" that the first seed is to differ from, as an item. */
uint32_t hr_greedy_first(const hr_greedy *g);

/* Sets the tables as if the cluster consisted of this item, which need not be live. */
void hr_greedy_restart(hr_greedy *g, uint32_t item);
/* Moves the item at position `at` of live into the cluster. */
hr_status hr_greedy_take(hr_greedy *g, uint32_t at, hr_error *err);
/* Position in live of the first item whose joining costs least. */
uint32_t hr_greedy_cheapest(const hr_greedy *g);
/* Cost of the cluster's values once the item has joined. */
uint64_t hr_greedy_cost(const hr_greedy *g, uint32_t item);
/* Diversity between the item and the cluster (Campan, Truta, Cooper 2010, Definition 13). */
int64_t hr_greedy_diversity(const hr_greedy *g, uint32_t item);
bool hr_greedy_p_sensitive(const hr_greedy *g);
/* Makes a taken item live again. */
void hr_greedy_return(hr_greedy *g, uint32_t item);
/* Continues with cluster `number`, which consists of these items. */
void hr_greedy_reopen(hr_greedy *g, uint32_t number, const uint32_t *items, uint32_t count);
/* Position of a live item in live. */
uint32_t hr_greedy_place(const hr_greedy *g, uint32_t item);
/* Stores the cluster as finished and starts an empty one. */
void hr_greedy_keep(hr_greedy *g);
/* Gives finished cluster `from` the lower number `to`. */
void hr_greedy_renumber(hr_greedy *g, uint32_t from, uint32_t to);
/* Adds an item to the finished cluster that the rule (HR_DISPERSAL_...) prefers. */
hr_status hr_greedy_disperse(hr_greedy *g, uint32_t item, int rule, hr_error *err);

#endif
