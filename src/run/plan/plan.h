/* plan.h - running the MAM cells of a job elsewhere: in other processes, on other machines. A plan
 * is the job with everything that a cell must know of the whole table. Made from a run that has
 * read its input (plan_write.c), it is a string of bytes; another process reads these
 * (plan_read.c), runs the cells it is given (plan_run.c), and whoever collects the released rows
 * counts and verifies them (plan_join.c).
 *
 * The values of the table are known to the plan in the order of their codes (the domain). A cell
 * gets these codes, so that trees of values, ranks of numbers, weights and ties are those of the
 * whole table, and it gets the stream of random numbers that it has there. So it is clustered
 * exactly as in a run of the whole table. */
#ifndef HR_PLAN_H
#define HR_PLAN_H

#include "run/pipeline.h"

/* A place where a cut divides a group of values: those of the attribute whose place in its order is
 * below `from` belong to the node `low`. A part is a node whose attribute is HR_NONE. */
typedef struct {
    uint32_t attribute, from, low, high;
    uint64_t key; /* of the part */
} hr_plan_node;

/* A cell that is cut, and the first node of its cut. */
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
    uint64_t rows;       /* of the whole table, */
    uint64_t dropped;    /* and those of them that are in no cell */
    uint64_t salt;       /* of the keys; 0 unless two keys were equal without it */
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

/* Writes the cuts of the plan into its bytes. */
hr_status hr_plan_write_cuts(hr_plan *plan, hr_error *err);

/* ---- plan_read.c ---- */

/* The inverse of hr_plan_write, but `bytes` and `choice` remain unset. On failure *plan is to be
 * freed, too. */
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
    bool *translated;    /* per column: its codes belong to the part */
    hr_shared_data data; /* what a run borrows; its arrays belong to the part, but not the values */
    uint64_t *keys;      /* of each cell of the part */
    uint32_t *rows;      /* of each cell, also those that are trimmed */
} hr_plan_part;

/* Columns that a table given to the plan must have. */
typedef enum {
    HR_PLAN_QUASI,   /* quasi-identifiers */
    HR_PLAN_MODELS,  /* and sensitive columns; rows stay as they are, and so do cells */
    HR_PLAN_RELEASED /* all that a release contains */
} hr_plan_columns;

/* Translates the rows of a table that is given to the plan. A value that the plan does not know is
 * HR_EDATA. */
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

/* Has a table of released rows the columns that a release of the plan has, and no others? */
hr_status hr_plan_check_columns(const hr_plan *plan, const hr_table *table, hr_error *err);
/* Adds the released rows of cell i of the plan to counts[i], and those that no cell has to
 * *strangers. */
hr_status hr_plan_count(const hr_plan *plan, const hr_table *table, uint64_t *counts,
                        uint64_t *strangers, hr_error *err);
/* Judges released rows as their reader sees them. The caller frees *out. */
hr_status hr_plan_judge(const hr_plan *plan, const hr_table *table, const hr_watch *watch,
                        hr_verdict *out, hr_error *err);

#endif
