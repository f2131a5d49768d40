/* plan.h - running the MAM cells of a job elsewhere: in other processes, on other machines. A plan
 * is the job together with all figures of the whole table that its cells need. plan_write.c makes
 * the bytes of a plan from a run that has read its input. Another process reads these bytes
 * (plan_read.c) and runs the cells it is given (plan.c). The process that collects the released
 * rows counts and verifies them (plan_join.c, plan_verify.c).
 *
 * A plan lists every value of the table in the order of its codes (the domain). The rows of a cell
 * get these codes, so that trees, ranks of numbers, weights and ties are those of the whole table;
 * the cell also gets the stream of random numbers that it has in a whole run. So it is clustered
 * exactly as in a run of the whole table. */
#ifndef HR_PLAN_H
#define HR_PLAN_H

#include "run/pipeline.h"

/* A node of the tree by which a cell is cut: rows whose value of the attribute has a place below
 * `from` in the order of values belong to node `low`, the others to the other child. A node whose
 * attribute is HR_NONE is a part. */
typedef struct {
    uint32_t attribute, from, low, high;
    uint64_t key; /* of the part */
} hr_plan_node;

/* A cell that is cut, and the root of its tree of nodes. */
typedef struct {
    uint64_t key;
    uint32_t root;
} hr_plan_cut_root;

struct hr_plan {
    hr_text bytes;       /* the plan as it is exported */
    hr_job *job;         /* without input and outputs; its hierarchies are in memory or flat */
    hr_choice choice;    /* the job's algorithm */
    hr_arena arena;      /* memory of `choice` */
    hr_table *values;    /* quasi-identifiers and sensitive attributes: every value once, by code */
    hr_dataset domain;   /* the job's roles, bound to `values` */
    hr_type_order types; /* of the whole table */
    uint64_t rows;       /* rows of the whole table */
    uint64_t dropped;    /* rows of the whole table that are in no cell */
    uint64_t salt;       /* mixed into the keys; 0 unless two keys were equal without it */
    hr_plan_cell *cells; /* ascending keys */
    uint64_t *streams;   /* of each cell */
    size_t cell_count;
    size_t cuts_at; /* the bytes of the cuts begin here */
    hr_plan_cut_root *cuts;
    hr_plan_node *nodes; /* of all cuts */
    hr_plan_cell *parts; /* of all cells that are cut */
    size_t cut_count, cut_capacity, node_count, node_capacity, part_count, part_capacity;
};

/* ---- plan_write.c ---- */

/* Appends the plan of a run that has read and cut its input. */
hr_status hr_plan_write(hr_run *run, hr_text *out);

/* Replaces the cuts at the end of the plan's bytes by those of the struct. */
hr_status hr_plan_write_cuts(hr_plan *plan, hr_error *err);

/* ---- plan_global.c ---- */

/* Searches the table of a prepared run whose algorithm sees the whole table, and appends the plan
 * that publishes what the search has found. */
hr_status hr_plan_write_global(hr_run *run, hr_text *out);

/* ---- plan_read.c ---- */

/* The inverse of hr_plan_write; `bytes` and `choice` remain unset. The caller frees *plan also on
 * failure. */
hr_status hr_plan_read(const char *bytes, size_t length, hr_plan *plan, hr_error *err);

/* First bytes of a plan; what follows are the version of the format and the hash of the rest. */
#define HR_PLAN_MAGIC "hedgerow plan"
enum { HR_PLAN_FORMAT = 6, HR_PLAN_HEAD = sizeof HR_PLAN_MAGIC - 1 + 4 + 8 };

/* ---- plan_cell.c ---- */

/* The number of the cell in plan->cells, or SIZE_MAX. */
size_t hr_plan_find(const hr_plan *plan, uint64_t key);

/* Rows of the table, with the codes of the plan. */
typedef struct {
    hr_table table;
    hr_column *columns;
    bool *translated;    /* per column: its array of codes belongs to the part */
    hr_shared_data data; /* what a run borrows; the part owns its arrays, but not the values */
    uint64_t *keys;      /* per cell of the part: its key */
    uint32_t *rows;      /* per cell of the part: its rows, trimmed ones included */
} hr_plan_part;

/* Which columns a table given to the plan must have; each kind includes the one before. */
typedef enum {
    HR_PLAN_QUASI,   /* quasi-identifiers */
    HR_PLAN_MODELS,  /* and sensitive columns; rows are not trimmed, cells not replaced by parts */
    HR_PLAN_RELEASED /* all columns that a release contains */
} hr_plan_columns;

/* Translates the rows of a table given by the caller to the codes of the plan. A value that the
 * plan does not list is HR_EDATA. */
hr_status hr_plan_part_make(const hr_plan *plan, const hr_table *table, hr_plan_columns columns,
                            const hr_watch *watch, hr_plan_part *out, hr_error *err);
void hr_plan_part_free(hr_plan_part *part);

/* ---- plan_cut.c ---- */

/* The cut of the cell with this key, or NULL. */
const hr_plan_cut_root *hr_plan_cut_of(const hr_plan *plan, uint64_t key);
/* The key of the part of a row with these values of the quasi-identifiers. */
uint64_t hr_plan_part_key(const hr_plan *plan, const hr_plan_cut_root *cut, const uint32_t *values);
/* The part with this key, or NULL. */
const hr_plan_cell *hr_plan_find_part(const hr_plan *plan, uint64_t key);

/* ---- plan_join.c ---- */

/* Fails unless a table of released rows has exactly the columns of a release of the plan. */
hr_status hr_plan_check_columns(const hr_plan *plan, const hr_table *table, hr_error *err);
/* Adds the number of released rows of cell i of the plan to counts[i], and the number of rows that
 * belong to no cell to *strangers. */
hr_status hr_plan_count(const hr_plan *plan, const hr_table *table, uint64_t *counts,
                        uint64_t *strangers, hr_error *err);
/* Judges released rows as their reader sees them. The caller frees *out. */
hr_status hr_plan_judge(const hr_plan *plan, const hr_table *table, const hr_watch *watch,
                        hr_verdict *out, hr_error *err);

#endif
