/* plain.h - the plain tools of the property tests: dice, small tables as CSV, value trees, running
 * the command. Nothing here comes from the library and nothing is clever: fixed sizes, loops over
 * everything, and each definition written down as it is told. */
#ifndef PLAIN_H
#define PLAIN_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MOST_ROWS = 720,
    MOST_COLUMNS = 16,
    MOST_TEXT = 200,
    MOST_NODES = 48,
    MOST_LEAVES = 40,
    MOST_LEVELS = 7,
    MOST_ARGUMENTS = 48,
    MOST_PATH = 512
};

/* ---- failing: prints what is wrong and returns to where the case began ---- */

extern jmp_buf case_failed;
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        if (!(condition)) fail(__VA_ARGS__);                                                       \
    } while (0)

/* ---- dice: the same seed and case give the same numbers everywhere ---- */

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

void put_text(char *place, const char *text);       /* with room for MOST_TEXT */
int sheet_column(const sheet *s, const char *name); /* -1: none */
void sheet_read(const char *path, char delimiter, sheet *s);
/* Cells that need no quotes get some now and then if there are dice. */
void sheet_write(const char *path, char delimiter, const char *line_end, dice *quotes,
                 const sheet *s);
bool file_exists(const char *path);
bool file_tells(const char *path, const char *text); /* in its first 256 KB */
bool same_bytes(const char *path, const char *other);

/* Hundredths of a decimal number with at most two decimals. */
long hundredths(const char *text);

/* ---- value trees ---- */

/* A hierarchy as its file tells it. A node is its label. */
typedef struct {
    int lines, levels;
    char text[MOST_LEAVES][MOST_LEVELS][MOST_TEXT]; /* leaf;level1;...;root */
    int nodes, root;
    char label[MOST_NODES][MOST_TEXT];
    int parent[MOST_NODES]; /* -1: the root's */
    int node[MOST_LEAVES][MOST_LEVELS];
} tree;

void tree_understand(tree *t);                       /* nodes and parents from the lines */
int tree_find(const tree *t, const char *label);     /* -1: none */
bool tree_above(const tree *t, int upper, int node); /* at or above */
/* The lowest of the nodes that are at or above every member. */
int tree_lowest_common(const tree *t, const bool *member);
int tree_height(const tree *t, int node); /* longest way down to a leaf value */
int tree_leaves(const tree *t, int node); /* leaf values at or below */
int tree_leaf_count(const tree *t);

/* ---- running the command ---- */

typedef struct {
    int count;
    char text[MOST_ARGUMENTS][MOST_PATH];
} command;

void command_start(command *c, const char *name);
void command_add(command *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Its exit status. What it says goes to `folder`/stdout and `folder`/stderr, what was run is added
 * to `folder`/commands. */
int command_run(const command *c, const char *folder);

/* ---- the loop over cases: in as many processes as HR_JOBS says (2) ---- */

/* HR_CASES, HR_SEED, HR_CASE (this one alone), HR_JOBS and HR_FAILURES (enough for one process, 5)
 * are read from the environment. A case that fails leaves its folder. Returns what main returns. */
int run_cases(const char *name, int cases, void (*run)(dice *d, const char *folder));

#endif
