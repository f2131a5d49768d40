/* tree_labels.c - the public interface to hierarchies: builds trees from labels in memory, and
 * gives read access to any tree. */
#include "hierarchy/hierarchy.h"

#include <assert.h>
#include <stdlib.h>

static hr_status check_labels(const char *name, const char *const *labels, size_t leaves,
                              size_t levels, hr_error *err) {
    if (!name) return hr_fail(err, HR_EINVAL, "a hierarchy needs a name, for messages");
    if (leaves == 0 || levels == 0)
        return hr_fail(err, HR_EDATA, "%s: a hierarchy needs at least one leaf", name);
    for (size_t i = 0; i < leaves * levels; i++)
        if (!labels[i])
            return hr_fail(err, HR_EINVAL, "%s, leaf %zu: level %zu has no label", name,
                           i / levels + 1, i % levels);
    return HR_OK;
}

/* Fills a table as if the labels had been read from a hierarchy file. */
static hr_status fill_table(const char *const *labels, size_t leaves, size_t levels,
                            hr_table **table, hr_error *err) {
    char(*names)[24] = hr_alloc(levels, sizeof *names, err);
    const char **pointers = hr_alloc(levels, sizeof *pointers, err);
    hr_status status = names && pointers ? HR_OK : HR_ENOMEM;
    for (size_t level = 0; level < levels && status == HR_OK; level++) {
        snprintf(names[level], sizeof *names, "%zu", level);
        pointers[level] = names[level];
    }
    if (status == HR_OK) status = hr_table_new(levels, (const char *const *)pointers, table, err);
    for (size_t leaf = 0; leaf < leaves && status == HR_OK; leaf++)
        status = hr_table_append(*table, labels + leaf * levels, err);
    free(names);
    free(pointers);
    return status;
}

hr_status hr_hierarchy_from_labels(const char *name, const char *const *labels, size_t leaves,
                                   size_t levels, hr_hierarchy **out, hr_error *err) {
    hr_table *table = NULL;
    *out = NULL;
    HR_TRY(check_labels(name, labels, leaves, levels, err));
    hr_status status = fill_table(labels, leaves, levels, &table, err);
    if (status == HR_OK) status = hr_hierarchy_build(table, name, out, err);
    hr_table_free(table);
    return status;
}

hr_status hr_hierarchy_from_table(const char *name, const hr_table *table, hr_hierarchy **out,
                                  hr_error *err) {
    *out = NULL;
    if (!name) return hr_fail(err, HR_EINVAL, "a hierarchy needs a name, for messages");
    return hr_hierarchy_build(table, name, out, err);
}

hr_status hr_hierarchy_of_values(const hr_table *table, size_t column, hr_hierarchy **out,
                                 hr_error *err) {
    *out = NULL;
    if (column >= table->column_count)
        return hr_fail(err, HR_EINVAL, "the table has %zu columns: there is no column number %zu",
                       table->column_count, column);
    return hr_hierarchy_flat(&table->columns[column], out, err);
}

uint32_t hr_hierarchy_node_count(const hr_hierarchy *tree) {
    return tree->labels.count;
}

uint32_t hr_hierarchy_leaf_count(const hr_hierarchy *tree) {
    return tree->leaf_count;
}

uint32_t hr_hierarchy_level_count(const hr_hierarchy *tree) {
    return tree->level_count;
}

uint32_t hr_hierarchy_root(const hr_hierarchy *tree) {
    return tree->root;
}

uint32_t hr_hierarchy_parent(const hr_hierarchy *tree, uint32_t node) {
    assert(node < tree->labels.count);
    return tree->parent[node];
}

uint32_t hr_hierarchy_height(const hr_hierarchy *tree, uint32_t node) {
    assert(node < tree->labels.count);
    return tree->height[node];
}

bool hr_hierarchy_is_leaf(const hr_hierarchy *tree, uint32_t node) {
    assert(node < tree->labels.count);
    return tree->is_leaf[node];
}

uint32_t hr_hierarchy_node_at(const hr_hierarchy *tree, uint32_t leaf, uint32_t level) {
    assert(leaf < tree->leaf_count && level < tree->level_count);
    return tree->level_node[(size_t)leaf * tree->level_count + level];
}
