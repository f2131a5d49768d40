/* enhanced.h - between enhanced-pk and its two ways of finding rows: by scanning, and by a tree. */
#ifndef HR_ENHANCED_H
#define HR_ENHANCED_H

#include "algorithm/layout.h"

typedef struct hr_enhanced hr_enhanced;

/* Which rows a cluster may take next. Rows that the clusters still to be opened cannot do without
 * are never among them. */
typedef enum {
    HR_PICK_ANY,
    HR_PICK_NEW,    /* a new value of the hardest attribute */
    HR_PICK_LACKING /* new values of at least `least` of the attributes that lack some */
} hr_pick_kind;

typedef struct {
    hr_pick_kind kind;
    uint32_t least;
} hr_pick;

/* One way of finding rows. Items are the rows as the finder numbers them. */
typedef struct {
    hr_status (*init)(hr_enhanced *e, hr_error *err);
    void (*free)(hr_enhanced *e);
    /* The cheapest live item that may be taken; false if there is none. */
    bool (*find)(hr_enhanced *e, hr_pick pick, uint32_t *item);
    hr_status (*take)(hr_enhanced *e, uint32_t item, hr_error *err);
    /* These items, of all that have been taken, may be given back from now on. */
    hr_status (*recall)(hr_enhanced *e, const uint32_t *items, size_t count, hr_error *err);
    void (*give_back)(hr_enhanced *e, uint32_t item);
    /* Go on with cluster `number`, which has these items. */
    void (*reopen)(hr_enhanced *e, uint32_t number, const uint32_t *items, uint32_t count);
    /* Remember the cluster at hand as it is. */
    hr_status (*keep)(hr_enhanced *e, hr_error *err);
    /* Remember a cluster by a lower number. */
    void (*renumber)(hr_enhanced *e, uint32_t from, uint32_t to);
    /* All live rows to the first `count` clusters, which have been kept. */
    hr_status (*disperse)(hr_enhanced *e, uint32_t count, hr_error *err);
    uint32_t (*place)(const hr_enhanced *e, uint32_t item); /* in task->rows */
    uint32_t (*alike)(const hr_enhanced *e, uint32_t item); /* likewise, of a row with its sensitive
                                                               values: best always the same one */
    bool by_definition; /* which values are spare is worked out anew each time */
} hr_finder;

struct hr_enhanced {
    const hr_cell_task *task;
    hr_clusters *out;
    const hr_finder *finder;
    void *self; /* the finder's own */
    hr_arena arena;
    size_t r; /* sensitive attributes that matter: 0 if p = 1 */

    /* the hardest attribute: the one that allows fewest clusters */
    size_t hardest;
    uint32_t value_count;
    uint32_t *left;         /* rows left of each of its values */
    uint32_t cluster_count; /* to be made */
    uint32_t to_open;       /* clusters after the one at hand */
    uint32_t start;         /* where in tie order an empty cluster looks for its first row */
    bool *spare;            /* by the definition: values that may go */
    /* kept up instead: */
    uint64_t usable;    /* sum over values of min(left, to_open) */
    uint32_t *with;     /* values with so many rows left */
    uint32_t plentiful; /* values with at least to_open rows left */

    /* the cluster at hand */
    uint32_t stamp, **seen; /* per attribute and value: stamp of the last cluster that had it */
    uint32_t *distinct;
};

extern const hr_finder hr_finder_plain, hr_finder_fast;

/* Of the row at a place in task->rows. */
static inline uint32_t hr_enhanced_value(const hr_enhanced *e, size_t l, uint32_t place) {
    return hr_sensitive_value(&e->task->data->sensitive[l], e->task->rows[place]);
}

/* ---- enhanced_hardest.c ---- */

/* Find the hardest attribute, how many clusters it allows, and what is left of its values. */
hr_status hr_enhanced_prepare(hr_enhanced *e, hr_error *err);

/* ---- enhanced_pk.c ---- */

/* Does the row of this item fit the pick? */
bool hr_enhanced_fits(const hr_enhanced *e, hr_pick pick, uint32_t item);
/* Are there values that the clusters to be opened cannot spare a row of? */
bool hr_enhanced_tight(const hr_enhanced *e);

#endif
