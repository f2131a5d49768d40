/* enhanced.h - the interface between enhanced-pk and its two ways of finding rows: scanning
 * (plain form) and the index (fast form). */
#ifndef HR_ENHANCED_H
#define HR_ENHANCED_H

#include "algorithm/layout.h"

typedef struct hr_enhanced hr_enhanced;

/* Which rows a cluster may take next. Rows with a value that the clusters still to be opened need
 * are always excluded. */
typedef enum {
    HR_PICK_ANY,
    HR_PICK_NEW,    /* rows with a new value of the hardest attribute */
    HR_PICK_LACKING /* rows with a new value in at least `least` of the attributes in which the
                       cluster has fewer than p values */
} hr_pick_kind;

typedef struct {
    hr_pick_kind kind;
    uint32_t least;
} hr_pick;

/* A way of finding rows. Items are the rows as the finder numbers them. */
typedef struct {
    hr_status (*init)(hr_enhanced *e, hr_error *err);
    void (*free)(hr_enhanced *e);
    /* The cheapest live item that fits the pick; false if there is none. */
    bool (*find)(hr_enhanced *e, hr_pick pick, uint32_t *item);
    hr_status (*take)(hr_enhanced *e, uint32_t item, hr_error *err);
    /* Announces the taken items that may be given back from now on. */
    hr_status (*recall)(hr_enhanced *e, const uint32_t *items, size_t count, hr_error *err);
    void (*give_back)(hr_enhanced *e, uint32_t item);
    /* Continues with cluster `number`, which consists of these items. */
    void (*reopen)(hr_enhanced *e, uint32_t number, const uint32_t *items, uint32_t count);
    /* Stores the current cluster as finished. */
    hr_status (*keep)(hr_enhanced *e, hr_error *err);
    /* Gives finished cluster `from` the lower number `to`. */
    void (*renumber)(hr_enhanced *e, uint32_t from, uint32_t to);
    /* Disperses all live rows over the first `count` clusters, which are finished. */
    hr_status (*disperse)(hr_enhanced *e, uint32_t count, hr_error *err);
    /* Position in task->rows of an item. */
    uint32_t (*place)(const hr_enhanced *e, uint32_t item);
    /* Position in task->rows of a row with the same sensitive values as the item. It is the same
     * row for all such items and therefore often in the cache. */
    uint32_t (*alike)(const hr_enhanced *e, uint32_t item);
    bool by_definition; /* can_spare follows the definition, without the counts below */
} hr_finder;

struct hr_enhanced {
    const hr_cell_task *task;
    hr_clusters *out;
    const hr_finder *finder;
    void *self; /* state of the finder */
    hr_arena arena;
    size_t r; /* number of sensitive attributes; 0 if p = 1 */

    /* the hardest attribute: the one that allows fewest clusters */
    size_t hardest;
    uint32_t value_count;
    uint32_t *left;         /* per value: number of live rows */
    uint32_t cluster_count; /* clusters to make */
    uint32_t to_open;       /* clusters still to be opened after the current one */
    uint32_t start;         /* item from which an empty cluster searches for its first row */
    bool *spare;            /* only if by_definition; per value: can a row with it be spared? */
    /* Unless by_definition, counts that give the same answers faster; updated with every row: */
    uint64_t usable;    /* sum over values of min(left, to_open) */
    uint32_t *with;     /* with[n]: number of values with n rows left */
    uint32_t plentiful; /* number of values with at least to_open rows left */

    /* the current cluster */
    uint32_t stamp, **seen; /* per attribute and value: stamp of the last cluster with the value */
    uint32_t *distinct;     /* per attribute: number of values */
};

extern const hr_finder hr_finder_plain, hr_finder_fast;

/* Value of sensitive attribute l of the row at a position of task->rows. */
static inline uint32_t hr_enhanced_value(const hr_enhanced *e, size_t l, uint32_t place) {
    return hr_sensitive_value(&e->task->data->sensitive[l], e->task->rows[place]);
}

/* ---- enhanced_hardest.c ---- */

/* Finds the hardest attribute and the number of clusters that it allows; counts its values. */
hr_status hr_enhanced_prepare(hr_enhanced *e, hr_error *err);

/* ---- enhanced_pk.c ---- */

/* Does the row of this item fit the pick? */
bool hr_enhanced_fits(const hr_enhanced *e, hr_pick pick, uint32_t item);
/* Do the clusters still to be opened need every row of some values? */
bool hr_enhanced_tight(const hr_enhanced *e);

#endif
