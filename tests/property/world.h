/* world.h - one random case: a table, the roles of its columns, and the settings of its job. */
#ifndef WORLD_H
#define WORLD_H

#include "plain.h"

enum { MOST_QUASI = 4, MOST_SENSITIVE = 3, MOST_MISSING = 3, MOST_CUTS = 6 };

/* Part of every text of the columns that are not released, and of the texts of some sensitive
 * columns. Messages and reports must not contain them. */
#define HIDDEN_MARK    "unreleased"
#define SENSITIVE_MARK "diagnosis"

typedef enum { NO_ROLE, IDENTIFIER, QUASI, SENSITIVE, KEEP, DROP } role;
typedef enum { TREE, FLAT, NUMERIC } quasi_kind;
typedef enum { NO_CUTS, BY_WIDTH, BY_CELLS, BY_CUTS } cut_kind;
typedef enum { GREEDY_PK, K_MEMBER, MAM, INCOGNITO, HEDGE } method;

typedef struct {
    int column;
    quasi_kind kind;
    tree tree;
    int level;                 /* boundary: {level: N}; -1: not given as a level */
    bool nodes_given;          /* boundary: [A, B] */
    bool boundary[MOST_NODES]; /* the nodes of the boundary, in both notations */
    bool drop_missing;
    bool group_missing;          /* missing values are the leaf of the tree's last line, */
    int file_lines;              /* which the file does not have: lines of the file */
    int finest_level;            /* finest: {level: N}; -1: not given as a level */
    bool finest_given;           /* finest: [A, B] */
    bool finest[MOST_NODES];     /* the nodes of that list */
    char builder[MOST_TEXT * 2]; /* in place of the file; empty: none */
    char builder_file[1024];     /* what the file of the builder, bN.csv, has; empty: none */
    cut_kind cut_by;             /* boundary of a number */
    long width;                  /* in hundredths */
    int cells, cut_count;        /* {cells: N}; {cuts: [A, B]} */
    long cut[MOST_CUTS];         /* in hundredths, ascending */
    int weight;                  /* tenths; 0: not given */
} quasi;

typedef struct {
    int column;
    int bins;   /* 0: texts */
    int weight; /* tenths; 0: not given */
} sensitive;

typedef struct {
    sheet input;
    char delimiter;
    bool delimiter_told, crlf; /* told: given in the job or by a flag */
    role role[MOST_COLUMNS];
    int order[MOST_COLUMNS]; /* columns in the order in which the job names them */
    int quasi_count, sensitive_count;
    quasi quasi[MOST_QUASI]; /* in the same order */
    sensitive sensitive[MOST_SENSITIVE];
    int missing_count;
    char missing[MOST_MISSING][MOST_TEXT];
    bool missing_told;

    int k, p;
    int alpha; /* hundredths; 0: not given */
    /* Of every sensitive attribute; 0: not given. */
    int l, entropy_l;             /* entropy_l in tenths */
    int recursive_c, recursive_l; /* c in tenths */
    int t;                        /* hundredths */
    bool t_input;                 /* t refers to the input */
    int unit;                     /* column whose different values k counts, plus 1; 0: rows */
    bool own_first; /* the first sensitive attribute asks for l to t by itself, the others not */
    const char *algorithm, *effort;
    method method;
    const char *boundaries;                   /* as in the job, or NULL */
    bool count;                               /* boundaries are counted, not enforced */
    const char *ties, *dispersal, *row_order; /* as in the job, or NULL */
    bool absolute;                            /* dispersal: absolute */
    int threads, seed;
    int max_suppressed; /* hundredths; -1: not given */
    bool wide;          /* hundreds of combinations of sensitive values */
    bool bad_use;       /* the job is wrong on purpose: exit status 1 */
} world;

/* EXACT: numbers whose widths are exact in the fixed point of the library, ties by row, no mam.
 * LARGE: EXACT with hundreds of rows and few boundaries. LEVELS: for incognito. */
typedef enum { ANY, EXACT, LARGE, LEVELS } world_kind;
void world_make(world *w, dice *d, world_kind kind);
/* Writes input.csv, the hierarchies and job.yaml. */
void world_write(const world *w, dice *d, const char *folder);
/* Adds flags for the settings that world_write left out of the job. */
void world_flags(const world *w, dice *d, command *c);

bool world_missing(const world *w, const char *text);
/* world_build.c: fills the column, and makes the tree that the library must build from it. */
void world_fill_built(world *w, quasi *q, dice *d);
/* The lowest node that may be published for the leaf of a line of the tree. */
int finest_node(const quasi *q, int line);

#endif
