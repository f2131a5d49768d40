/* plain.h - tools of the property tests: random numbers, small tables as CSV, value trees, running
 * the command. They do not use the library, so that they cannot repeat its errors, and they are as
 * simple as possible: fixed sizes, and loops over everything. */
#ifndef PLAIN_H
#define PLAIN_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MOST_ROWS = 720,
    MOST_COLUMNS = 32,
    MOST_TEXT = 200,
    MOST_NODES = 48,
    MOST_LEAVES = 40,
    MOST_LEVELS = 7,
    MOST_ARGUMENTS = 48,
    MOST_PATH = 512
};

/* ---- failing: prints the message and leaves the case by a jump to run_cases ---- */

extern jmp_buf case_failed;
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        if (!(condition)) fail(__VA_ARGS__);                                                       \
    } while (0)

/* ---- dice: random numbers, the same for a seed and case on every machine ---- */

typedef struct {
    uint64_t state;
} dice;

dice dice_of(uint64_t seed, uint64_t number);
int roll(dice *d, int least, int most); /* both included */
bool chance(dice *d, int percent);

/* ---- tables of text ---- */

typedef struct {
    int rows, columns;
    char name[MOST_COLUMNS][MOST_TEXT];
    char cell[MOST_ROWS][MOST_COLUMNS][MOST_TEXT];
} sheet;

void put_text(char *place, const char *text);       /* copies; `place` has MOST_TEXT bytes */
int sheet_column(const sheet *s, const char *name); /* -1: none */
void sheet_read(const char *path, char delimiter, sheet *s);
/* If `quotes` is given, some fields are quoted at random although they need no quotes. */
void sheet_write(const char *path, char delimiter, const char *line_end, dice *quotes,
                 const sheet *s);
bool file_exists(const char *path);
bool file_tells(const char *path, const char *text); /* is the text in the first 256 KB? */
bool same_bytes(const char *path, const char *other);

/* A decimal number with at most two decimals, in hundredths. */
long hundredths(const char *text);

/* ---- value trees ---- */

/* A hierarchy: the lines of its file, and the tree made from them. Equal labels are one node. */
typedef struct {
    int lines, levels;
    char text[MOST_LEAVES][MOST_LEVELS][MOST_TEXT]; /* leaf;level1;...;root */
    int nodes, root;
    char label[MOST_NODES][MOST_TEXT];
    int parent[MOST_NODES]; /* -1 for the root */
    int node[MOST_LEAVES][MOST_LEVELS];
} tree;

void tree_understand(tree *t);                       /* sets nodes and parents from the lines */
int tree_find(const tree *t, const char *label);     /* -1: none */
bool tree_above(const tree *t, int upper, int node); /* at or above */
/* The lowest common ancestor of the members. */
int tree_lowest_common(const tree *t, const bool *member);
int tree_height(const tree *t, int node); /* longest path down to a leaf value */
int tree_leaves(const tree *t, int node); /* leaf values at or below */
int tree_leaf_count(const tree *t);

/* ---- running the command ---- */

typedef struct {
    int count;
    char text[MOST_ARGUMENTS][MOST_PATH];
} command;

void command_start(command *c, const char *name);
void command_add(command *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Runs the command and returns its exit status. Its output goes to `folder`/stdout and
 * `folder`/stderr; the command line is appended to `folder`/commands. */
int command_run(const command *c, const char *folder);

/* ---- the loop over cases ---- */

/* Runs `cases` random cases and returns the exit status of main. Environment: HR_CASES (number of
 * cases), HR_SEED, HR_CASE (run only this case), HR_JOBS (processes, 2), HR_FAILURES (failures
 * after which a process stops, 5). The folder of a failed case is kept. */
int run_cases(const char *name, int cases, void (*run)(dice *d, const char *folder));

#endif
