/* missing.c - gives missing values of a column a leaf of the hierarchy, directly below the root,
 * unless they have one. */
#include "hierarchy/hierarchy.h"

#include <string.h>

bool hr_is_missing(const hr_missing *missing, const hr_dictionary *values, uint32_t code) {
    const char *text = hr_dictionary_text(values, code);
    if (hr_dictionary_is_null(values, code)) return true;
    for (size_t i = 0; i < missing->count; i++)
        if (!strcmp(missing->texts[i], text)) return true;
    return false;
}

/* The missing text number i, in the order of `missing`, if the column has it; null comes last and
 * has the text "". NULL after the last. */
static const char *missing_text(const hr_missing *missing, const hr_column *column, size_t i) {
    for (size_t at = 0; at < missing->count; at++) {
        const char *text = missing->texts[at];
        if (hr_dictionary_find(&column->dictionary, text, strlen(text)) == HR_NONE) continue;
        if (i-- == 0) return text;
    }
    return i == 0 && column->dictionary.null ? "" : NULL;
}

static uint32_t leaf_of(const hr_hierarchy *tree, const char *text) {
    uint32_t node = hr_hierarchy_find(tree, text);
    return node != HR_NONE && tree->is_leaf[node] ? node : HR_NONE;
}

uint32_t hr_missing_node(const hr_missing *missing, const hr_column *column,
                         const hr_hierarchy *tree) {
    const char *text;
    for (size_t i = 0; (text = missing_text(missing, column, i)); i++) {
        uint32_t leaf = leaf_of(tree, text);
        if (leaf != HR_NONE && tree->parent[leaf] == tree->root) return leaf;
    }
    return HR_NONE;
}

hr_status hr_hierarchy_group_missing(const hr_hierarchy *tree, const hr_column *column,
                                     const hr_missing *missing, hr_hierarchy **out, hr_error *err) {
    const char *text;
    size_t i = 0;
    while ((text = missing_text(missing, column, i)) && leaf_of(tree, text) != HR_NONE)
        i++;
    if (text && hr_missing_node(missing, column, tree) == HR_NONE)
        return hr_hierarchy_add_leaf(tree, text, out, err);
    *out = hr_hierarchy_share(tree);
    return HR_OK;
}

hr_status hr_hierarchy_add_missing(const hr_hierarchy *tree, const hr_missing *missing,
                                   hr_hierarchy **out, hr_error *err) {
    *out = hr_hierarchy_share(tree);
    for (size_t i = 0; i <= missing->count; i++) {
        const char *text = i < missing->count ? missing->texts[i] : ""; /* null is published so */
        hr_hierarchy *known = *out;
        if (hr_hierarchy_find(known, text) != HR_NONE) continue;
        hr_status status = hr_hierarchy_add_leaf(known, text, out, err);
        hr_hierarchy_free(known);
        HR_TRY(status);
    }
    return HR_OK;
}
