/* hierarchy.h - value trees and their boundaries, quasi-identifiers (a column with its tree or its
 * numbers), and the MAM cells into which the boundaries divide the rows. */
#ifndef HR_HIERARCHY_H
#define HR_HIERARCHY_H

#include "data/data.h"

/* A cost of 1 in fixed point. Divisible by 1 .. 16, so that the costs of trees of height up to 16
 * are exact and equal costs compare equal. The sum over n rows and t attributes fits 64 bits if n t
 * < 2^34. */
#define HR_COST_ONE UINT32_C(738017280)

/* ---- tree.c; also hr_hierarchy_find and others of hedgerow.h ---- */

/* A node is identified by its label: its number is the code of the label in `labels`. A leaf value
 * is a label of the file's first column; it may have values below it (`New York`, city and
 * state). */
struct hr_hierarchy {
    char *source; /* name in messages: the file, "flat", or the name that the caller gave */
    hr_dictionary labels;
    uint32_t root;
    uint32_t *parent; /* HR_NONE for the root */
    uint32_t *depth;  /* root 0 */
    uint32_t *height; /* of the subtree below the node */
    uint32_t *cost;   /* height / height of the root, in HR_COST_ONE; 0 if the tree has height 0 */
    uint32_t *leaves; /* leaf values at or below the node */
    uint32_t *order;  /* position in preorder, children in the order of the file */
    bool *is_leaf;
    uint32_t leaf_count;
    uint32_t level_count;  /* columns of the file */
    uint32_t *leaf_node;   /* leaf_count: the leaf values in the order of the file */
    uint32_t *level_node;  /* leaf_count x level_count: node in each column of the leaf's row */
    char **level_names;    /* level_count names; NULL unless the tree was built (build/build.h) */
    atomic_size_t holders; /* owners; the last one to call hr_hierarchy_free frees the tree */
};

/* Builds a tree from a table in the format of ARX's hierarchy files: one row per leaf,
 * `leaf;level1;...;root`. `source` is the name of the file in messages; row i is its line i + 1.
 * Time: O(rows x levels). */
hr_status hr_hierarchy_build(const hr_table *table, const char *source, hr_hierarchy **out,
                             hr_error *err);
/* Builds the tree with every value of the column directly below the root `*`, in bytewise order. */
hr_status hr_hierarchy_flat(const hr_column *column, hr_hierarchy **out, hr_error *err);
/* Builds the tree with one more leaf, directly below the root. */
hr_status hr_hierarchy_add_leaf(const hr_hierarchy *tree, const char *label, hr_hierarchy **out,
                                hr_error *err);
/* Sets the names of the levels, which are copied; NULL: none. */
hr_status hr_hierarchy_name_levels(hr_hierarchy *tree, const char *const *names, hr_error *err);
/* Finds a level by number or name. A message of failure begins with `what`. */
hr_status hr_hierarchy_level(const hr_hierarchy *tree, const char *level, const char *what,
                             uint32_t *out, hr_error *err);
/* Adds an owner to the tree, which is never changed, and returns it. */
hr_hierarchy *hr_hierarchy_share(const hr_hierarchy *tree);
/* Lowest common ancestor. Time: O(height). */
uint32_t hr_hierarchy_join(const hr_hierarchy *tree, uint32_t a, uint32_t b);
/* True if `upper` is `node` or one of its ancestors. */
bool hr_hierarchy_covers(const hr_hierarchy *tree, uint32_t upper, uint32_t node);

/* ---- preorder.c ---- */

/* A tree whose nodes are numbered by their positions in preorder, the root 0. The subtree of
 * position g is g .. end[g] - 1. */
typedef struct {
    uint32_t count;
    const uint32_t *position; /* of each node of the hierarchy, which owns this array */
    uint32_t *node;           /* of each position */
    uint32_t *up;             /* position of the parent; 0 for the root */
    uint32_t *end;            /* of the subtree */
} hr_preorder;

/* The arrays belong to `arena`. Time: O(nodes). */
hr_status hr_preorder_make(const hr_hierarchy *tree, hr_arena *arena, hr_preorder *out,
                           hr_error *err);

/* Is position a in the subtree of position g? */
static inline bool hr_preorder_below(const hr_preorder *tree, uint32_t g, uint32_t a) {
    return a >= g && a < tree->end[g];
}

/* Lowest common ancestor. */
static inline uint32_t hr_preorder_join(const hr_preorder *tree, uint32_t g, uint32_t a) {
    while (!hr_preorder_below(tree, g, a))
        g = tree->up[g];
    return g;
}

/* ---- boundary.c: magval[node] = first boundary node at or above the node ---- */

hr_status hr_boundary_none(const hr_hierarchy *tree, uint32_t **magval, hr_error *err); /* root */
hr_status hr_boundary_level(const hr_hierarchy *tree, uint64_t level, uint32_t **magval,
                            hr_error *err);
hr_status hr_boundary_nodes(const hr_hierarchy *tree, const char *const *labels, size_t count,
                            uint32_t **magval, hr_error *err);
/* The boundary one level up: through the parents of the leaves' MAGVals. If only some children of
 * such a parent lay at or below the old boundary, the other children are now bounded by the parent,
 * too. */
hr_status hr_boundary_relax(const hr_hierarchy *tree, const uint32_t *magval, uint32_t **relaxed,
                            hr_error *err);

/* within[node]: some leaf value may be published as the node. `finest` may be NULL; otherwise
 * hr_finest_check must have accepted it. */
hr_status hr_boundary_within(const hr_hierarchy *tree, const uint32_t *finest,
                             const uint32_t *magval, bool **within, hr_error *err);

/* The error for a label that the tree does not have; `what` says where the label was given. */
hr_status hr_no_node(const hr_hierarchy *tree, const char *label, const char *what, hr_error *err);

/* ---- finest.c: finest[leaf] = lowest node that may be published for a leaf value ---- */

/* `level` is the number or the name of a level. */
hr_status hr_finest_level(const hr_hierarchy *tree, const char *level, uint32_t **finest,
                          hr_error *err);
hr_status hr_finest_nodes(const hr_hierarchy *tree, const char *const *labels, size_t count,
                          uint32_t **finest, hr_error *err);
/* Fails if the MAGVal of a leaf lies below its finest node. */
hr_status hr_finest_check(const hr_hierarchy *tree, const uint32_t *finest, const uint32_t *magval,
                          hr_error *err);
/* allowed[node]: the node is at or above the finest node of some leaf. */
hr_status hr_finest_allowed(const hr_hierarchy *tree, const uint32_t *finest, bool **allowed,
                            hr_error *err);

/* ---- missing.c ---- */

typedef struct {
    const char *const *texts; /* texts that mean a missing value */
    size_t count;
} hr_missing;

/* What happens to rows with a missing value. */
typedef enum {
    HR_MISSING_ERROR, /* it needs a leaf like any other value, or is an error */
    HR_MISSING_DROP,  /* the row is dropped */
    HR_MISSING_GROUP  /* the value gets a leaf directly below the root, unless it has one */
} hr_on_missing;

/* Is this value null, or one of the texts? */
bool hr_is_missing(const hr_missing *missing, const hr_dictionary *values, uint32_t code);
/* The leaf for missing values without a leaf of their own: the first text of `missing` with a leaf
 * directly below the root. HR_NONE: there is none. */
uint32_t hr_missing_node(const hr_missing *missing, const hr_column *column,
                         const hr_hierarchy *tree);
/* Returns the tree with a leaf for the missing values of the column; the same tree, with one more
 * owner, if it needs no new leaf. */
hr_status hr_hierarchy_group_missing(const hr_hierarchy *tree, const hr_column *column,
                                     const hr_missing *missing, hr_hierarchy **out, hr_error *err);
/* Returns the tree with a leaf for every missing text and for null, when the column is not
 * known. */
hr_status hr_hierarchy_add_missing(const hr_hierarchy *tree, const hr_missing *missing,
                                   hr_hierarchy **out, hr_error *err);

/* ---- number_cells.c: boundaries of numbers without a hierarchy ---- */

/* How the numbers of a quasi-identifier are divided into cells. A published interval lies within
 * one cell. A cell acts as a MAGVal, represented by the rank of its least number. */
typedef struct {
    enum {
        HR_CUTS_NONE,  /* one cell */
        HR_CUTS_WIDTH, /* cells of at most this width, chosen from the data (model/cuts.c) */
        HR_CUTS_CELLS, /* this many cells, chosen from the data */
        HR_CUTS_GIVEN  /* a cell begins at each of the points */
    } kind;
    double width; /* greatest minus least number of a cell, at most */
    uint32_t cells;
    const double *points; /* ascending; borrowed */
    size_t point_count;
} hr_cut_rule;

/* Are the cells chosen from the data? */
static inline bool hr_cut_rule_chooses(const hr_cut_rule *rule) {
    return rule->kind == HR_CUTS_WIDTH || rule->kind == HR_CUTS_CELLS;
}

enum { HR_CELLS_MAX = 1000 }; /* most cells that a rule may ask for */

/* ---- quasi.c ---- */

/* A quasi-identifier: a column, and the tree or the numbers from which its values are published. */
typedef struct {
    const char *name; /* of the column */
    const hr_column *column;
    uint32_t *value_of_code;  /* node, or rank of the number; HR_NONE: the row is dropped */
    uint32_t value_count;     /* nodes, or distinct numbers */
    const hr_hierarchy *tree; /* NULL: numeric without hierarchy */
    uint32_t *magval;         /* per node; per number: rank of the least one of its cell, or NULL */
    bool bounded;             /* some MAGVal is not the root */
    double *number;           /* numeric: ascending distinct numbers */
    uint32_t *number_code;    /* numeric: the dictionary code whose text is published */
    int decimals;             /* numeric: most digits after the point of any number */
    double per_unit;          /* numeric: units of the last digit per 1; 0: too many */
    hr_cut_rule rule;         /* numeric: how magval is made */
    char point;               /* decimal sign, set before binding; 0: a point */
    const double *range;      /* numeric: ends of the range for costs; NULL: those of the column */
    double weight;            /* for weighted_loss, and for distances if means are published */
    /* With a tree, set before binding: */
    const hr_missing *missing; /* texts of missing values; NULL: every value needs a leaf */
    hr_on_missing on_missing;
    uint32_t *finest; /* see finest.c; NULL: leaves may be published. Freed by hr_quasi_free */
} hr_quasi;

/* Binds a column to a tree. Takes ownership of `magval`, also on failure. If quasi->finest is set,
 * hr_finest_check must have accepted it. */
hr_status hr_quasi_bind_tree(hr_quasi *quasi, const hr_column *column, const hr_hierarchy *tree,
                             uint32_t *magval, hr_error *err);
hr_status hr_quasi_bind_numeric(hr_quasi *quasi, const hr_column *column, const hr_missing *missing,
                                bool drop_missing, hr_error *err);
/* Sets the range of a numeric attribute: two numbers, which are borrowed. Fails if a number of the
 * column lies outside. */
hr_status hr_quasi_set_range(hr_quasi *quasi, const double *range, hr_error *err);
void hr_quasi_free(hr_quasi *quasi);

/* The least number of the range of a numeric attribute, and the width of the range. */
static inline double hr_quasi_least(const hr_quasi *quasi) {
    return quasi->range ? quasi->range[0] : quasi->number[0];
}
static inline double hr_quasi_range(const hr_quasi *quasi) {
    const double *range = quasi->range;
    return range ? range[1] - range[0] : quasi->number[quasi->value_count - 1] - quasi->number[0];
}
/* The smallest published value that covers both: lowest common ancestor, or interval. */
hr_span hr_quasi_join(const hr_quasi *quasi, hr_span a, hr_span b);
/* The cost of publishing the value for one row, 0 .. HR_COST_ONE: height / height of the tree, or
 * width / range. The only rounding is here; all sums of costs are sums of integers. */
uint32_t hr_quasi_cost(const hr_quasi *quasi, hr_span value);
/* Appends "lo..hi"; `point` is the decimal sign, 0: a point. */
void hr_interval_text(const char *lo, const char *hi, char point, hr_text *out);
/* Appends the published text of a value. */
void hr_quasi_text(const hr_quasi *quasi, hr_span value, hr_text *out);

/* The value of rows with leaf number i of the tree: the leaf, or its finest node. */
static inline uint32_t hr_quasi_leaf_value(const hr_quasi *quasi, uint32_t i) {
    uint32_t leaf = quasi->tree->leaf_node[i];
    return quasi->finest ? quasi->finest[leaf] : leaf;
}

static inline uint32_t hr_quasi_value(const hr_quasi *quasi, size_t row) {
    return quasi->value_of_code[hr_column_code(quasi->column, row)];
}

/* number_cells.c: divides the numbers into cells, one of which begins at each of the points. */
hr_status hr_quasi_cut(hr_quasi *quasi, const double *points, size_t count, hr_error *err);
/* Replaces the cells: magval[rank] is the least rank of the cell. Takes ownership of `magval`. */
void hr_quasi_set_cells(hr_quasi *quasi, uint32_t *magval);
/* The rank of a number; HR_NONE: the column does not have it. */
uint32_t hr_quasi_rank(const hr_quasi *quasi, double number);
/* The least rank of the cell that follows the cell of `rank`; value_count: it is the last one. The
 * cut points of a number are quasi->number[r] for r = next(0), next(r), ... */
uint32_t hr_quasi_next_cell(const hr_quasi *quasi, uint32_t rank);
/* The greatest distance of two numbers that is at most `width`, in units (see units.c). */
double hr_quasi_width_units(const hr_quasi *quasi, double width);

/* ---- units.c: the numbers of a column as whole multiples of a unit ---- */

/* Distance of the value from the least number of the column, in units of the last digit. If the
 * range has more than 2^52 of these, the unit is a tiny share of the range instead. The result is
 * exact, and does not change if a constant is added to the whole column. */
double hr_quasi_units(const hr_quasi *quasi, uint32_t value);
/* The same, without rounding, for any number from the least to the greatest. */
double hr_quasi_above(const hr_quasi *quasi, double number);
/* Size of a unit. */
double hr_quasi_unit(const hr_quasi *quasi);
/* Sets per_unit; called when the numbers and their digits are known. */
void hr_quasi_count_units(hr_quasi *quasi);

/* ---- means.c: means of numeric quasi-identifiers ---- */

/* The mean of each group; NaN if one of its numbers is missing. Time: O(rows). */
hr_status hr_quasi_means(const hr_quasi *quasi, const hr_groups *groups, double *out,
                         hr_error *err);
/* The published text of a mean, with `decimals` digits after the point or HR_DECIMALS_OF_INPUT. */
void hr_quasi_mean_text(const hr_quasi *quasi, double mean, int decimals, hr_text *out);

/* ---- cells.c ---- */

/* Groups the rows by MAM cell; cells are numbered by their first row. A dropped row is in no cell.
 * Unless `bounded`, all other rows form one cell. */
hr_status hr_cells(const hr_quasi *quasi, size_t quasi_count, size_t rows, bool bounded,
                   hr_groups *out, hr_error *err);
/* The key of the cell in which the quasi-identifiers have these values. It depends only on the
 * texts of their MAGVals, so it is the same in every process. Never 0. */
uint64_t hr_cell_key(const hr_quasi *quasi, size_t quasi_count, const uint32_t *values,
                     bool bounded, uint64_t salt);
/* The keys of all cells, from a row of each; 0 for a cell without rows. Time: O(rows). */
hr_status hr_cell_keys(const hr_quasi *quasi, size_t quasi_count, const hr_groups *cells,
                       bool bounded, uint64_t salt, uint64_t *keys, hr_error *err);

#endif
