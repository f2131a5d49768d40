/* lattice.h - the lattice of levels: what both forms of incognito share. An attribute has levels,
 * each a choice of one value for every leaf; a node of the lattice is one level for each attribute;
 * see levels.c, lattice.c and frequency.c. */
#ifndef HR_LATTICE_H
#define HR_LATTICE_H

#include "algorithm/algorithm.h"

typedef struct {
    double suppression; /* share of the input's rows that may go, beyond OUT */
} hr_incognito_options;

/* ---- levels.c ---- */

/* The levels of one attribute, nested, as far as they differ for the rows at hand. */
typedef struct {
    uint32_t count;
    uint32_t *file_level;    /* of each: the lowest column of the hierarchy file that gives it */
    uint32_t *value_count;   /* of each: how many values it has */
    uint32_t **node;         /* node[l][v]: value v of level l in the hierarchy */
    uint32_t **up;           /* up[l][v]: what it is at level l + 1 */
    uint64_t *cost;          /* of each: IL of the rows at hand, in this attribute */
    uint32_t *value_of_code; /* at level 0, by the column's codes; HR_NONE: of no row at hand */
} hr_levels;

/* `code_rows` counts the rows at hand with each code of the column. Memory is the arena's. */
hr_status hr_levels_make(const hr_quasi *quasi, bool keep_boundaries, const uint32_t *code_rows,
                         hr_arena *arena, hr_levels *out, hr_error *err);
/* map[v] of every value of level `from`: what it is at level `to`. */
void hr_levels_map(const hr_levels *levels, uint32_t from, uint32_t to, uint32_t *map);

/* ---- lattice.c ---- */

/* A lattice with more nodes than this is refused: a search holds a byte for each. So no more than
 * HR_LATTICE_MOVING attributes have two levels or more. */
enum { HR_LATTICE_MOVING = 28 };
#define HR_LATTICE_NODES (UINT64_C(1) << HR_LATTICE_MOVING)

/* The rows at hand and their levels. */
typedef struct {
    hr_arena arena;
    const hr_whole_task *task;
    size_t quasi_count;
    hr_levels *levels;   /* per quasi-identifier */
    hr_groups rows;      /* each row's cell; HR_NONE: not at hand */
    uint64_t at_hand;    /* rows */
    uint64_t limit;      /* how many of them may be suppressed */
    uint64_t nodes;      /* of the lattice */
    uint32_t most_codes; /* of any quasi-identifier's column */
} hr_space;

hr_status hr_space_make(const hr_whole_task *task, hr_space *out, hr_error *err);
void hr_space_free(hr_space *space);

/* A node is at[j], a level of each attribute j. */
/* The rows at hand by the values that they have there. */
hr_status hr_space_group(const hr_space *space, const uint32_t *at, hr_groups *out, hr_error *err);
/* The loss there if no row at hand is suppressed. */
uint64_t hr_space_cost(const hr_space *space, const uint32_t *at);

/* The classes that a node has: their number, rows and sum of squared sizes, and what the rows that
 * are in none of them would have cost. */
typedef struct {
    uint32_t classes;
    uint64_t released, squares, spared;
} hr_tally;

/* The best node so far. */
typedef struct {
    hr_lattice_node node;
    uint32_t *at;
} hr_best;

hr_status hr_best_init(const hr_space *space, hr_best *best, hr_error *err);
/* The node as it would be told, its levels in `levels`; and taken, if it is better than the best:
 * less loss, then AVG, DM, and the levels one after another. */
hr_lattice_node hr_best_offer(const hr_space *space, hr_best *best, const uint32_t *at,
                              const hr_tally *tally, uint32_t *levels);
/* Remember a minimal node. */
hr_status hr_lattice_add(hr_lattice *lattice, const hr_lattice_node *node, hr_error *err);
/* The search is over: sort what was found, make a partition of the best. */
hr_status hr_space_publish(const hr_space *space, const hr_best *best, hr_partition *out,
                           hr_error *err);

/* ---- incognito_plain.c: the textbook form ---- */

hr_status hr_incognito_plain(const hr_whole_task *task, hr_partition *out, hr_error *err);

#endif
