/* repair.h - clusters that are being repaired, shared by repair.c and repair_disperse.c. */
#ifndef HR_REPAIR_H
#define HR_REPAIR_H

#include "algorithm/layout.h"

enum {
    HR_REPAIR_NEAR = 16,     /* clusters that exchange rows with a cluster */
    HR_REPAIR_EXCHANGES = 32 /* exchanges per repair */
};

typedef struct {
    uint32_t cluster;
    uint64_t growth; /* of the loss if both merge */
} hr_repair_neighbour;

/* One exchange: row `out` leaves the cluster for `other`, row `in` comes from there. HR_NONE: no
 * row. */
typedef struct {
    uint32_t other, in, out;
    uint64_t before, after; /* loss of both clusters before; upper limit on it afterwards */
} hr_exchange;

/* A row of a cluster that is dissolved; `position`: in the list of the cluster. */
typedef struct {
    uint32_t type, position, place;
} hr_repair_row;

/* Places are indices in task->rows. */
typedef struct {
    const hr_cell_task *task;
    const hr_judge *judge;
    size_t t, r; /* quasi-identifiers, sensitive attributes */
    hr_arena arena;
    uint32_t *cluster;         /* per place */
    uint32_t count;            /* clusters, also those without rows */
    uint32_t *first, *size;    /* per cluster: first place, rows */
    uint32_t *next, *previous; /* per place: neighbours in the list of the cluster */
    hr_span *gen;              /* clusters x t: values that cover the rows */
    uint32_t *value_cost;      /* clusters x t: of each of these values, per row */
    uint64_t *cost;            /* per cluster: their sum */
    uint32_t *order, *at;      /* clusters by rank of their first row; position of each */
    uint32_t *values;          /* per place x r: sensitive values */
    uint32_t *type;            /* per place: its sensitive values as one number */
    uint32_t *state, *other;   /* scratch: of the cluster that is repaired, and of another one */
    uint32_t lack, other_lack; /* of these two */
    double *strain;            /* scratch: of a state, see hr_judge_strain */
    hr_repair_row *sorted;     /* scratch: the rows of a cluster by type, */
    uint32_t *head;            /* and where the rows of each type begin */
    uint32_t *loose;           /* places that have left their cluster and wait for another one */
    uint32_t loose_count;
    hr_repair_neighbour near[HR_REPAIR_NEAR];
    uint32_t near_count;
    hr_exchange log[HR_REPAIR_EXCHANGES];
    uint32_t log_count;
} hr_repair;

static inline const uint32_t *hr_repair_values(const hr_repair *r, uint32_t place) {
    return r->values + place * r->r;
}

/* Cost per row of the value of attribute j that covers the cluster and one more row. */
uint32_t hr_repair_value_cost(const hr_repair *r, uint32_t cluster, uint32_t place, size_t j);
/* Adds a row that is in no cluster. The values of the cluster are not updated. */
void hr_repair_link(hr_repair *r, uint32_t place, uint32_t cluster);
void hr_repair_unlink(hr_repair *r, uint32_t place);
/* Updates the values of a cluster. */
void hr_repair_cover(hr_repair *r, uint32_t cluster);
/* The same if a row has joined it since the last update. */
void hr_repair_extend(hr_repair *r, uint32_t cluster, uint32_t place);
void hr_repair_load(const hr_repair *r, uint32_t cluster, uint32_t *state);

/* ---- repair_disperse.c ---- */

/* Keeps the largest part of a cluster that holds, if there is one, and makes the other rows
 * loose. */
void hr_repair_dissolve(hr_repair *r, uint32_t cluster);
/* Puts each loose row into the cluster whose loss grows least, of those that still hold with it; if
 * there is no such cluster, of all clusters. */
hr_status hr_repair_disperse(hr_repair *r, hr_error *err);

#endif
