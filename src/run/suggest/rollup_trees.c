/* rollup_trees.c - the quasi-identifiers of a rollup with their hierarchies, and the number of rows
 * of every node, which is its width in a drawing. */
#include "run/suggest/rollup.h"

#include <stdlib.h>

/* Adds the rows of each node to its ancestors. A node has a greater depth than its parent, so the
 * deepest nodes come first. */
static hr_status add_upward(const hr_hierarchy *tree, uint64_t *rows, hr_error *err) {
    uint32_t count = tree->labels.count, deepest = 0;
    for (uint32_t node = 0; node < count; node++)
        if (tree->depth[node] > deepest) deepest = tree->depth[node];
    uint32_t *start = hr_alloc_raw((size_t)deepest + 3, sizeof *start, err);
    uint32_t *member = hr_alloc_raw(count, sizeof *member, err);
    if (start && member) {
        hr_group_by_key(tree->depth, count, deepest + 1, start, member);
        for (uint32_t i = count; i-- > 1;)
            rows[tree->parent[member[i]]] += rows[member[i]];
    }
    hr_status status = start && member ? HR_OK : HR_ENOMEM;
    free(start);
    free(member);
    return status;
}

/* Counts the rows of each leaf. Combinations have no values below `finest`, so leaves below it are
 * counted from the rows of the table. */
static hr_status count_leaves(const hr_rollup *r, size_t j, const hr_groups *combinations,
                              uint64_t *rows, hr_error *err) {
    const hr_quasi *quasi = &r->dataset.data.quasi[j];
    const uint32_t *codes = r->columns[j].codes;
    if (!quasi->finest) {
        for (uint32_t c = 0; c < r->count; c++)
            rows[codes[c]] += r->facts.size[c];
        return HR_OK;
    }
    const hr_dictionary *texts = &quasi->column->dictionary;
    uint32_t *leaf = hr_alloc_raw(texts->count, sizeof *leaf, err);
    if (!leaf) return HR_ENOMEM;
    for (uint32_t code = 0; code < texts->count; code++) {
        const char *text = hr_dictionary_text(texts, code);
        leaf[code] = text ? hr_hierarchy_find(quasi->tree, text) : HR_NONE;
        if (leaf[code] == HR_NONE) leaf[code] = quasi->value_of_code[code]; /* a missing value */
    }
    for (size_t row = 0; row < combinations->rows; row++)
        if (combinations->of_row[row] != HR_NONE) rows[leaf[hr_column_code(quasi->column, row)]]++;
    free(leaf);
    return HR_OK;
}

static hr_status count_tree(const hr_rollup *r, size_t j, const hr_groups *combinations,
                            hr_rollup_attribute *out, hr_error *err) {
    const hr_quasi *quasi = &r->dataset.data.quasi[j];
    *out = (hr_rollup_attribute){.name = quasi->name, .tree = quasi->tree};
    if (!quasi->tree) return HR_OK;
    uint64_t *rows = hr_alloc(quasi->value_count, sizeof *rows, err);
    if (!rows) return HR_ENOMEM;
    out->rows = rows;
    HR_TRY(count_leaves(r, j, combinations, rows, err));
    return add_upward(quasi->tree, rows, err);
}

hr_status hr_rollup_count_trees(hr_rollup *rollup, const hr_groups *combinations, hr_error *err) {
    size_t count = rollup->dataset.data.quasi_count;
    rollup->attributes = hr_alloc(count, sizeof *rollup->attributes, err);
    if (!rollup->attributes) return HR_ENOMEM;
    for (size_t j = 0; j < count; j++)
        HR_TRY(count_tree(rollup, j, combinations, &rollup->attributes[j], err));
    return HR_OK;
}

void hr_rollup_free_trees(hr_rollup *rollup) {
    for (size_t j = 0; rollup->attributes && j < rollup->dataset.data.quasi_count; j++)
        free((uint64_t *)rollup->attributes[j].rows);
    free(rollup->attributes);
}

const hr_rollup_attribute *hr_rollup_at(const hr_rollup *rollup, size_t j) {
    return j < rollup->dataset.data.quasi_count ? &rollup->attributes[j] : NULL;
}

/* ---- nodes of a boundary ---- */

/* Lists the different nodes in node_of_leaf; `out` has room for all leaves. */
static hr_status list_nodes(const hr_hierarchy *tree, const uint32_t *node_of_leaf, uint32_t *out,
                            size_t *count, hr_error *err) {
    bool *listed = hr_alloc(tree->labels.count, sizeof *listed, err);
    if (!listed) return HR_ENOMEM;
    for (uint32_t i = 0; i < tree->leaf_count; i++) {
        uint32_t leaf = tree->leaf_node[i], node = node_of_leaf ? node_of_leaf[leaf] : leaf;
        if (!listed[node]) out[(*count)++] = node;
        listed[node] = true;
    }
    free(listed);
    return HR_OK;
}

hr_status hr_rollup_nodes(const hr_rollup *rollup, const hr_job *job, size_t j, bool finest,
                          uint32_t **out, size_t *count, hr_error *err) {
    const hr_quasi *quasi = &rollup->dataset.data.quasi[j];
    hr_drawn drawn = {0};
    *out = NULL;
    *count = 0;
    if (!quasi->tree) return HR_OK;
    if (!finest) HR_TRY(hr_drawn_make(rollup, job, &drawn, err));
    uint32_t *nodes = hr_alloc(quasi->tree->leaf_count, sizeof *nodes, err);
    hr_status status = HR_ENOMEM;
    if (nodes)
        status =
            list_nodes(quasi->tree, finest ? quasi->finest : drawn.magval[j], nodes, count, err);
    hr_drawn_free(&drawn);
    if (status == HR_OK)
        *out = nodes;
    else
        free(nodes);
    return status;
}
