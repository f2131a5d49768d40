/* tree_levels.c - finds levels of a tree by number or name, and adds a leaf to a tree. */
#include "hierarchy/hierarchy.h"

#include <stdlib.h>
#include <string.h>

const char *hr_hierarchy_level_name(const hr_hierarchy *tree, uint32_t level) {
    return tree->level_names && level < tree->level_count ? tree->level_names[level] : NULL;
}

hr_status hr_hierarchy_name_levels(hr_hierarchy *tree, const char *const *names, hr_error *err) {
    if (!names) return HR_OK;
    tree->level_names = hr_alloc(tree->level_count, sizeof *tree->level_names, err);
    if (!tree->level_names) return HR_ENOMEM;
    for (uint32_t i = 0; i < tree->level_count; i++) {
        tree->level_names[i] = hr_copy_text(names[i], strlen(names[i]), err);
        if (!tree->level_names[i]) return HR_ENOMEM;
    }
    return HR_OK;
}

static hr_status no_level(const hr_hierarchy *tree, const char *level, const char *what,
                          hr_error *err) {
    hr_text names = {0};
    for (uint32_t i = 0; tree->level_names && i < tree->level_count; i++)
        hr_text_printf(&names, "%s%s", i > 0 ? ", " : "; their names are ", tree->level_names[i]);
    hr_status status =
        hr_fail(err, HR_EINVAL,
                "%s: level %s is not in %s, whose levels are 0 (leaves) to %u "
                "(root)%s",
                what, level, tree->source, tree->level_count - 1, names.data ? names.data : "");
    hr_text_free(&names);
    return status;
}

/* If several levels have the name, finds the lowest. */
hr_status hr_hierarchy_level(const hr_hierarchy *tree, const char *level, const char *what,
                             uint32_t *out, hr_error *err) {
    uint64_t number;
    if (hr_parse_uint(level, UINT32_MAX, &number)) {
        if (number >= tree->level_count) return no_level(tree, level, what, err);
        *out = (uint32_t)number;
        return HR_OK;
    }
    for (uint32_t i = 0; tree->level_names && i < tree->level_count; i++)
        if (!strcmp(tree->level_names[i], level)) {
            *out = i;
            return HR_OK;
        }
    return no_level(tree, level, what, err);
}

/* The labels of a leaf's path, `levels` of them. A tree that is only a root gets a second level. */
static void copy_path(const hr_hierarchy *tree, uint32_t leaf, size_t levels, const char **path) {
    for (size_t level = 0; level < levels; level++) {
        uint32_t own = level < tree->level_count ? (uint32_t)level : tree->level_count - 1;
        path[level] = hr_hierarchy_label(tree, hr_hierarchy_node_at(tree, leaf, own));
    }
}

hr_status hr_hierarchy_add_leaf(const hr_hierarchy *tree, const char *label, hr_hierarchy **out,
                                hr_error *err) {
    size_t levels = tree->level_count > 1 ? tree->level_count : 2, leaves = tree->leaf_count;
    const char **labels = hr_alloc((leaves + 1) * levels, sizeof *labels, err);
    *out = NULL;
    if (!labels) return HR_ENOMEM;
    for (uint32_t leaf = 0; leaf < leaves; leaf++)
        copy_path(tree, leaf, levels, labels + leaf * levels);
    for (size_t level = 0; level < levels; level++)
        labels[leaves * levels + level] = label;
    labels[(leaves + 1) * levels - 1] = hr_hierarchy_label(tree, tree->root);
    hr_status status = hr_hierarchy_from_labels(tree->source, (const char *const *)labels,
                                                leaves + 1, levels, out, err);
    free(labels);
    if (status == HR_OK && levels == tree->level_count)
        status = hr_hierarchy_name_levels(*out, (const char *const *)tree->level_names, err);
    if (status != HR_OK) {
        hr_hierarchy_free(*out);
        *out = NULL;
    }
    return status;
}
