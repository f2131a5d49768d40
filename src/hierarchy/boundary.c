/* boundary.c - maximum allowed generalization values (Campan, Truta, Cooper 2010, Definitions 4 and
 * 5). A boundary, given by level or by labels, is a set of nodes: a value may be generalized to the
 * first of these nodes at or above it, and to the root if there is none. */
#include "hierarchy/hierarchy.h"

#include <stdlib.h>

static hr_status from_set(const hr_hierarchy *tree, const bool *in_set, uint32_t **magval,
                          hr_error *err) {
    uint32_t count = tree->labels.count;
    *magval = hr_alloc_raw(count, sizeof **magval, err);
    if (!*magval) return HR_ENOMEM;
    for (uint32_t node = 0; node < count; node++) {
        uint32_t up = node;
        while (up != tree->root && !in_set[up])
            up = tree->parent[up];
        (*magval)[node] = up;
    }
    return HR_OK;
}

hr_status hr_boundary_none(const hr_hierarchy *tree, uint32_t **magval, hr_error *err) {
    *magval = hr_alloc_raw(tree->labels.count, sizeof **magval, err);
    if (!*magval) return HR_ENOMEM;
    for (uint32_t node = 0; node < tree->labels.count; node++)
        (*magval)[node] = tree->root;
    return HR_OK;
}

hr_status hr_boundary_level(const hr_hierarchy *tree, uint64_t level, uint32_t **magval,
                            hr_error *err) {
    if (level >= tree->level_count)
        return hr_fail(
            err, HR_EINVAL,
            "boundary: level %llu is not in %s, whose levels are 0 (leaves) to %u (root)",
            (unsigned long long)level, tree->source, tree->level_count - 1);
    bool *in_set = hr_alloc(tree->labels.count, sizeof *in_set, err);
    if (!in_set) return HR_ENOMEM;
    for (size_t leaf = 0; leaf < tree->leaf_count; leaf++)
        in_set[tree->level_node[leaf * tree->level_count + level]] = true;
    hr_status status = from_set(tree, in_set, magval, err);
    free(in_set);
    return status;
}

hr_status hr_no_node(const hr_hierarchy *tree, const char *label, const char *what, hr_error *err) {
    const char *nearest = hr_dictionary_nearest(&tree->labels, label);
    uint32_t level;
    if (hr_hierarchy_level(tree, label, what, &level, NULL) == HR_OK)
        return hr_fail(err, HR_EINVAL, "%s: '%s' is not a node of %s (did you mean {level: %s}?)",
                       what, label, tree->source, label);
    if (nearest)
        return hr_fail(err, HR_EINVAL, "%s: '%s' is not a node of %s (did you mean '%s'?)", what,
                       label, tree->source, nearest);
    return hr_fail(err, HR_EINVAL,
                   "%s: '%s' is not a node of %s; `hedgerow hierarchy show` draws the tree", what,
                   label, tree->source);
}

hr_status hr_boundary_nodes(const hr_hierarchy *tree, const char *const *labels, size_t count,
                            uint32_t **magval, hr_error *err) {
    bool *in_set = hr_alloc(tree->labels.count, sizeof *in_set, err);
    if (!in_set) return HR_ENOMEM;
    hr_status status = HR_OK;
    for (size_t i = 0; i < count && status == HR_OK; i++) {
        uint32_t node = hr_hierarchy_find(tree, labels[i]);
        if (node == HR_NONE)
            status = hr_no_node(tree, labels[i], "boundary", err);
        else
            in_set[node] = true;
    }
    if (status == HR_OK) status = from_set(tree, in_set, magval, err);
    free(in_set);
    return status;
}

hr_status hr_boundary_relax(const hr_hierarchy *tree, const uint32_t *magval, uint32_t **relaxed,
                            hr_error *err) {
    bool *in_set = hr_alloc(tree->labels.count, sizeof *in_set, err);
    if (!in_set) return HR_ENOMEM;
    for (uint32_t leaf = 0; leaf < tree->leaf_count; leaf++) {
        uint32_t bound = magval[tree->leaf_node[leaf]];
        in_set[bound == tree->root ? bound : tree->parent[bound]] = true;
    }
    hr_status status = from_set(tree, in_set, relaxed, err);
    free(in_set);
    return status;
}

hr_status hr_boundary_within(const hr_hierarchy *tree, const uint32_t *finest,
                             const uint32_t *magval, bool **within, hr_error *err) {
    *within = hr_alloc(tree->labels.count, sizeof **within, err);
    if (!*within) return HR_ENOMEM;
    for (uint32_t i = 0; i < tree->leaf_count; i++) {
        uint32_t leaf = tree->leaf_node[i];
        for (uint32_t up = finest ? finest[leaf] : leaf;; up = tree->parent[up]) {
            (*within)[up] = true;
            if (up == magval[leaf]) break;
        }
    }
    return HR_OK;
}
