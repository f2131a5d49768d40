/* finest.c - the lowest nodes that may be published. A row whose leaf lies below such a node gets
 * the node as its value when the column is bound, so no algorithm can publish anything finer. */
#include "hierarchy/hierarchy.h"

#include <stdlib.h>

static hr_status start(const hr_hierarchy *tree, uint32_t **finest, hr_error *err) {
    *finest = hr_alloc_raw(tree->labels.count, sizeof **finest, err);
    if (!*finest) return HR_ENOMEM;
    for (uint32_t node = 0; node < tree->labels.count; node++)
        (*finest)[node] = node;
    return HR_OK;
}

hr_status hr_finest_level(const hr_hierarchy *tree, const char *level, uint32_t **finest,
                          hr_error *err) {
    uint32_t number;
    HR_TRY(hr_hierarchy_level(tree, level, "finest", &number, err));
    HR_TRY(start(tree, finest, err));
    for (uint32_t leaf = 0; leaf < tree->leaf_count; leaf++)
        (*finest)[tree->leaf_node[leaf]] = hr_hierarchy_node_at(tree, leaf, number);
    return HR_OK;
}

/* Marks the nodes by label. */
static hr_status mark(const hr_hierarchy *tree, const char *const *labels, size_t count,
                      bool *marked, hr_error *err) {
    for (size_t i = 0; i < count; i++) {
        uint32_t node = hr_hierarchy_find(tree, labels[i]);
        if (node == HR_NONE) return hr_no_node(tree, labels[i], "finest", err);
        marked[node] = true;
    }
    return HR_OK;
}

/* If several marked nodes lie on one path, the highest counts: nothing below it may be
 * published. */
hr_status hr_finest_nodes(const hr_hierarchy *tree, const char *const *labels, size_t count,
                          uint32_t **finest, hr_error *err) {
    bool *marked = hr_alloc(tree->labels.count, sizeof *marked, err);
    if (!marked) return HR_ENOMEM;
    hr_status status = mark(tree, labels, count, marked, err);
    if (status == HR_OK) status = start(tree, finest, err);
    for (uint32_t leaf = 0; status == HR_OK && leaf < tree->leaf_count; leaf++)
        for (uint32_t up = tree->leaf_node[leaf]; up != HR_NONE; up = tree->parent[up])
            if (marked[up]) (*finest)[tree->leaf_node[leaf]] = up;
    free(marked);
    return status;
}

hr_status hr_finest_check(const hr_hierarchy *tree, const uint32_t *finest, const uint32_t *magval,
                          hr_error *err) {
    for (uint32_t i = 0; i < tree->leaf_count; i++) {
        uint32_t leaf = tree->leaf_node[i];
        if (hr_hierarchy_covers(tree, magval[leaf], finest[leaf])) continue;
        return hr_fail(err, HR_EINVAL,
                       "the boundary '%s' lies below '%s', the finest value allowed there: nothing "
                       "could be published; draw the boundary higher, or allow finer values",
                       hr_hierarchy_label(tree, magval[leaf]),
                       hr_hierarchy_label(tree, finest[leaf]));
    }
    return HR_OK;
}

hr_status hr_finest_allowed(const hr_hierarchy *tree, const uint32_t *finest, bool **allowed,
                            hr_error *err) {
    *allowed = hr_alloc(tree->labels.count, sizeof **allowed, err);
    if (!*allowed) return HR_ENOMEM;
    for (uint32_t i = 0; i < tree->leaf_count; i++)
        for (uint32_t up = finest[tree->leaf_node[i]]; up != HR_NONE; up = tree->parent[up])
            (*allowed)[up] = true;
    return HR_OK;
}
