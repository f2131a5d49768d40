/* tree.c - value generalization hierarchies (Campan, Truta, Cooper 2010, Definition 4; ARX's file
 * format). A node is identified by its label; a row of the file is the path from one leaf to the
 * root, where a label that repeats upward is one node. The builder checks that the paths form one
 * tree and names the line that does not fit. */
#include "hierarchy/hierarchy.h"

#include <stdlib.h>
#include <string.h>

const char *hr_hierarchy_label(const hr_hierarchy *tree, uint32_t node) {
    return hr_dictionary_text(&tree->labels, node);
}

uint32_t hr_hierarchy_find(const hr_hierarchy *tree, const char *label) {
    return hr_dictionary_find(&tree->labels, label, strlen(label));
}

uint32_t hr_hierarchy_join(const hr_hierarchy *tree, uint32_t a, uint32_t b) {
    while (a != b) {
        if (tree->depth[a] >= tree->depth[b])
            a = tree->parent[a];
        else
            b = tree->parent[b];
    }
    return a;
}

bool hr_hierarchy_covers(const hr_hierarchy *tree, uint32_t upper, uint32_t node) {
    while (tree->depth[node] > tree->depth[upper])
        node = tree->parent[node];
    return node == upper;
}

/* State of building a tree, with the line that set the parent of each node, for messages. */
typedef struct {
    hr_hierarchy *tree;
    const hr_table *table;
    uint32_t *parent_line;   /* of each node, from 1; 0: none yet */
    uint32_t *leaf_of_label; /* of each node: number of the leaf, or HR_NONE */
    uint32_t *path;          /* nodes of the current row, one per level */
    hr_error *err;
} tree_builder;

/* An empty label is the leaf of missing values; like any label it may repeat upward. */
static hr_status intern_labels(tree_builder *b, uint32_t *nodes) {
    const hr_table *table = b->table;
    size_t levels = table->column_count;
    for (size_t row = 0; row < table->rows; row++) {
        const char *below = "";
        for (size_t level = 0; level < levels; level++) {
            const char *label = hr_column_text(&table->columns[level], row);
            if (!*label && *below)
                return hr_fail(b->err, HR_EDATA,
                               "%s, line %zu: level %zu is empty: only a leaf may be, as the leaf "
                               "of missing values",
                               b->tree->source, row + 1, level);
            below = label;
            HR_TRY(hr_dictionary_intern(&b->tree->labels, label, strlen(label),
                                        &nodes[row * levels + level], b->err));
        }
    }
    return HR_OK;
}

static const char *label_of(const tree_builder *b, uint32_t node) {
    return hr_hierarchy_label(b->tree, node);
}

/* True if all lines but the first have the same root. */
static bool only_first_differs(const tree_builder *b, const uint32_t *nodes) {
    size_t levels = b->tree->level_count, rows = b->table->rows;
    for (size_t row = 2; row < rows; row++)
        if (nodes[(row + 1) * levels - 1] != nodes[2 * levels - 1]) return false;
    return rows > 2;
}

static hr_status check_root(tree_builder *b, size_t line, const uint32_t *nodes) {
    uint32_t root = b->path[b->tree->level_count - 1];
    if (line == 1) b->tree->root = root;
    if (root == b->tree->root) return HR_OK;
    return hr_fail(b->err, HR_EDATA,
                   "%s, line %zu: the last column is '%s', in line 1 it is '%s': a hierarchy has "
                   "one root; %s",
                   b->tree->source, line, label_of(b, root), label_of(b, b->tree->root),
                   only_first_differs(b, nodes) ? "is line 1 a header?"
                                                : "add a last column with one common value");
}

/* A repeated leaf is accepted with the same path and an error with a different one. */
static hr_status check_duplicate(tree_builder *b, size_t line, bool *known) {
    uint32_t leaf = b->leaf_of_label[b->path[0]];
    size_t levels = b->tree->level_count;
    *known = leaf != HR_NONE;
    if (!*known || !memcmp(b->tree->level_node + leaf * levels, b->path, levels * sizeof *b->path))
        return HR_OK;
    return hr_fail(b->err, HR_EDATA,
                   "%s, line %zu: leaf '%s' occurs before with other ancestors; keep "
                   "one of the two lines",
                   b->tree->source, line, label_of(b, b->path[0]));
}

static hr_status set_parent(tree_builder *b, uint32_t node, uint32_t parent, size_t line) {
    hr_hierarchy *tree = b->tree;
    if (b->parent_line[node] == 0) {
        tree->parent[node] = parent;
        b->parent_line[node] = (uint32_t)line;
        return HR_OK;
    }
    if (tree->parent[node] == parent) return HR_OK;
    return hr_fail(b->err, HR_EDATA,
                   "%s, line %zu: '%s' has two parents, '%s' here and '%s' in line %u; rename one "
                   "of them",
                   tree->source, line, label_of(b, node), label_of(b, parent),
                   label_of(b, tree->parent[node]), b->parent_line[node]);
}

/* Sets the parents of the labels of a row. Equal labels of a row must be adjacent. */
static hr_status link_path(tree_builder *b, size_t line) {
    size_t levels = b->tree->level_count;
    for (size_t i = 0; i + 1 < levels; i++) {
        uint32_t node = b->path[i], above = b->path[i + 1];
        if (node == above) continue;
        for (size_t j = i + 2; j < levels; j++)
            if (b->path[j] == node)
                return hr_fail(b->err, HR_EDATA,
                               "%s, line %zu: '%s' is its own ancestor (levels %zu and %zu)",
                               b->tree->source, line, label_of(b, node), i, j);
        HR_TRY(set_parent(b, node, above, line));
    }
    return HR_OK;
}

static hr_status add_rows(tree_builder *b, uint32_t *nodes) {
    hr_hierarchy *tree = b->tree;
    for (size_t row = 0; row < b->table->rows; row++) {
        bool known;
        b->path = nodes + row * tree->level_count;
        HR_TRY(check_root(b, row + 1, nodes));
        HR_TRY(check_duplicate(b, row + 1, &known));
        if (known) continue;
        HR_TRY(link_path(b, row + 1));
        uint32_t leaf = tree->leaf_count++;
        b->leaf_of_label[b->path[0]] = leaf;
        tree->leaf_node[leaf] = b->path[0];
        tree->is_leaf[b->path[0]] = true;
        memcpy(tree->level_node + (size_t)leaf * tree->level_count, b->path,
               tree->level_count * sizeof *b->path);
    }
    return HR_OK;
}

/* Depths by walking up from every node; heights and leaf counts by walking up from every leaf. */
static void set_depths(hr_hierarchy *tree) {
    for (uint32_t node = 0; node < tree->labels.count; node++) {
        uint32_t depth = 0;
        for (uint32_t up = node; up != tree->root; up = tree->parent[up])
            depth++;
        tree->depth[node] = depth;
    }
    for (uint32_t i = 0; i < tree->leaf_count; i++) {
        uint32_t height = 0;
        for (uint32_t up = tree->leaf_node[i];; up = tree->parent[up], height++) {
            if (height > tree->height[up]) tree->height[up] = height;
            tree->leaves[up]++;
            if (up == tree->root) break;
        }
    }
    uint32_t whole = tree->height[tree->root];
    for (uint32_t node = 0; node < tree->labels.count; node++)
        tree->cost[node] =
            whole ? (uint32_t)(((uint64_t)tree->height[node] * HR_COST_ONE + whole / 2) / whole)
                  : 0;
}

/* Preorder without recursion: sizes of subtrees from the deepest nodes up, then positions from the
 * root down. Children are in the order of the file, which is the order of their codes. */
static hr_status set_order(hr_hierarchy *tree, hr_error *err) {
    uint32_t count = tree->labels.count, depths = tree->level_count;
    uint32_t *below = hr_alloc((size_t)count * 3 + depths + 2, sizeof *below, err);
    if (!below) return HR_ENOMEM;
    uint32_t *next = below + count, *by_depth = next + count, *start = by_depth + count;
    hr_group_by_key(tree->depth, count, depths, start, by_depth);
    for (uint32_t i = count; i-- > 0;) {
        uint32_t node = by_depth[i];
        below[node]++;
        if (node != tree->root) below[tree->parent[node]] += below[node];
    }
    tree->order[tree->root] = 0;
    next[tree->root] = 1;
    for (uint32_t i = 1; i < count; i++) {
        uint32_t node = by_depth[i], parent = tree->parent[node];
        tree->order[node] = next[parent];
        next[parent] += below[node];
        next[node] = tree->order[node] + 1;
    }
    free(below);
    return HR_OK;
}

static hr_status allocate_tree(hr_hierarchy *tree, size_t rows, hr_error *err) {
    size_t nodes = tree->labels.count;
    uint32_t **arrays[] = {&tree->parent, &tree->depth,  &tree->height,
                           &tree->cost,   &tree->leaves, &tree->order};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = hr_alloc(nodes, sizeof **arrays[i], err);
        if (!*arrays[i]) return HR_ENOMEM;
    }
    tree->is_leaf = hr_alloc(nodes, sizeof *tree->is_leaf, err);
    tree->leaf_node = hr_alloc(rows, sizeof *tree->leaf_node, err);
    tree->level_node = hr_alloc(rows * tree->level_count, sizeof *tree->level_node, err);
    return tree->is_leaf && tree->leaf_node && tree->level_node ? HR_OK : HR_ENOMEM;
}

static hr_status build_tree(tree_builder *b, uint32_t *nodes) {
    hr_hierarchy *tree = b->tree;
    HR_TRY(intern_labels(b, nodes));
    HR_TRY(allocate_tree(tree, b->table->rows, b->err));
    b->parent_line = hr_alloc(tree->labels.count, sizeof *b->parent_line, b->err);
    b->leaf_of_label = hr_alloc_raw(tree->labels.count, sizeof *b->leaf_of_label, b->err);
    if (!b->parent_line || !b->leaf_of_label) return HR_ENOMEM;
    memset(b->leaf_of_label, 0xff, tree->labels.count * sizeof *b->leaf_of_label);
    HR_TRY(add_rows(b, nodes));
    tree->parent[tree->root] = HR_NONE;
    set_depths(tree);
    return set_order(tree, b->err);
}

hr_status hr_hierarchy_build(const hr_table *table, const char *source, hr_hierarchy **out,
                             hr_error *err) {
    *out = NULL;
    if (table->rows == 0 || table->column_count == 0)
        return hr_fail(err, HR_EDATA, "%s: a hierarchy needs at least one line", source);
    hr_hierarchy *tree = hr_alloc(1, sizeof *tree, err);
    if (!tree) return HR_ENOMEM;
    tree_builder b = {.tree = tree, .table = table, .err = err};
    atomic_init(&tree->holders, 1);
    tree->level_count = (uint32_t)table->column_count;
    tree->source = hr_copy_text(source, strlen(source), err);
    uint32_t *nodes = hr_alloc_raw(table->rows * table->column_count, sizeof *nodes, err);
    hr_status status = tree->source && nodes ? build_tree(&b, nodes) : HR_ENOMEM;
    free(nodes);
    free(b.parent_line);
    free(b.leaf_of_label);
    if (status == HR_OK)
        *out = tree;
    else
        hr_hierarchy_free(tree);
    return status;
}

hr_status hr_hierarchy_flat(const hr_column *column, hr_hierarchy **out, hr_error *err) {
    const hr_dictionary *values = &column->dictionary;
    hr_table *table = NULL;
    uint32_t *sorted = hr_alloc_raw(values->count, sizeof *sorted, err);
    hr_status status = sorted ? hr_dictionary_sort(values, sorted, err) : HR_ENOMEM;
    if (status == HR_OK) status = hr_table_new(2, (const char *const[]){"0", "1"}, &table, err);
    bool empty = hr_dictionary_find(values, "", 0) != HR_NONE;
    for (uint32_t i = 0; i < values->count && status == HR_OK; i++) {
        const char *text = hr_dictionary_text(values, sorted[i]);
        if (empty && hr_dictionary_is_null(values, sorted[i])) continue; /* one leaf for both */
        status = hr_table_append(table, (const char *const[]){text, "*"}, err);
    }
    if (status == HR_OK) status = hr_hierarchy_build(table, "flat", out, err);
    hr_table_free(table);
    free(sorted);
    return status;
}

hr_hierarchy *hr_hierarchy_share(const hr_hierarchy *tree) {
    hr_hierarchy *shared = (hr_hierarchy *)tree; /* only its number of owners ever changes */
    atomic_fetch_add(&shared->holders, 1);
    return shared;
}

void hr_hierarchy_free(hr_hierarchy *tree) {
    if (!tree || atomic_fetch_sub(&tree->holders, 1) > 1) return;
    for (uint32_t i = 0; tree->level_names && i < tree->level_count; i++)
        free(tree->level_names[i]);
    free(tree->level_names);
    free(tree->source);
    hr_dictionary_free(&tree->labels);
    free(tree->parent);
    free(tree->depth);
    free(tree->height);
    free(tree->cost);
    free(tree->leaves);
    free(tree->order);
    free(tree->is_leaf);
    free(tree->leaf_node);
    free(tree->level_node);
    free(tree);
}
