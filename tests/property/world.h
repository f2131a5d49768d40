/* world.h - one random case: a table, what its columns are, and what is asked of its release. */
#ifndef WORLD_H
#define WORLD_H

#include "plain.h"

enum { MOST_QUASI = 4, MOST_SENSITIVE = 3, MOST_MISSING = 3 };

/* In texts that must not be told: of columns that are not released, of some sensitive ones. */
#define HIDDEN_MARK    "unreleased"
#define SENSITIVE_MARK "diagnosis"

typedef enum { NO_ROLE, IDENTIFIER, QUASI, SENSITIVE, KEEP, DROP } role;
typedef enum { TREE, FLAT, NUMERIC } quasi_kind;
typedef enum { GREEDY_PK, K_MEMBER, MAM, INCOGNITO, HEDGE } method;

typedef struct {
    int column;
    quasi_kind kind;
    tree tree;
    int level;                 /* boundary: {level: N}; -1: not so */
    bool nodes_given;          /* boundary: [A, B] */
    bool boundary[MOST_NODES]; /* the nodes of the boundary, however it was drawn */
    bool drop_missing;
    int weight; /* tenths; 0: not given */
} quasi;

typedef struct {
    int column;
    int bins;   /* 0: texts */
    int weight; /* tenths; 0: not given */
} sensitive;

typedef struct {
    sheet input;
    char delimiter;
    bool delimiter_told, crlf;
    role role[MOST_COLUMNS];
    int order[MOST_COLUMNS]; /* columns in the order in which the job names them */
    int quasi_count, sensitive_count;
    quasi quasi[MOST_QUASI]; /* in that order, too */
    sensitive sensitive[MOST_SENSITIVE];
    int missing_count;
    char missing[MOST_MISSING][MOST_TEXT];
    bool missing_told;

    int k, p;
    const char *algorithm, *effort;
    method method;
    const char *boundaries;                   /* as told, or NULL */
    bool count;                               /* boundaries are counted only */
    const char *ties, *dispersal, *row_order; /* as told, or NULL */
    bool absolute;                            /* rule of dispersal */
    int threads, seed;
    int max_suppressed; /* hundredths; -1: not told */
    bool wide;          /* hundreds of combinations of sensitive values */
    bool bad_use;       /* an error of use, exit 1 */
} world;

/* EXACT: numbers whose widths are exact in the library's fixed point, ties by row, no mam. LARGE:
 * the same with hundreds of rows and few boundaries. LEVELS: incognito. */
typedef enum { ANY, EXACT, LARGE, LEVELS } world_kind;
void world_make(world *w, dice *d, world_kind kind);
/* input.csv, the hierarchies and job.yaml. */
void world_write(const world *w, dice *d, const char *folder);
/* What was not written into the job is told by flags. */
void world_flags(const world *w, dice *d, command *c);

bool world_missing(const world *w, const char *text);

#endif
