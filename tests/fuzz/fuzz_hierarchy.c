/* fuzz_hierarchy.c - parses arbitrary bytes as a hierarchy file. A hierarchy that was read must be
 * a tree: one root, heights and costs that do not decrease from child to parent, common ancestors
 * that cover both nodes, MAGVals at or above their node. */
#include "hierarchy/hierarchy.h"
#include "io/io.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_that(bool holds) {
    if (!holds) abort();
}

static void check_nodes(const hr_hierarchy *tree) {
    uint32_t count = tree->labels.count, leaves = 0;
    for (uint32_t node = 0; node < count; node++) {
        uint32_t parent = tree->parent[node];
        leaves += tree->is_leaf[node];
        check_that(hr_hierarchy_find(tree, hr_hierarchy_label(tree, node)) == node);
        check_that(hr_hierarchy_covers(tree, tree->root, node));
        check_that((parent == HR_NONE) == (node == tree->root));
        if (parent == HR_NONE) continue;
        check_that(tree->depth[node] == tree->depth[parent] + 1);
        check_that(tree->height[node] < tree->height[parent]);
        check_that(tree->cost[node] <= tree->cost[parent]);
        check_that(tree->order[node] > tree->order[parent] && tree->order[node] < count);
        check_that(!hr_hierarchy_covers(tree, node, parent));
    }
    check_that(leaves == tree->leaf_count && tree->leaves[tree->root] == leaves);
}

/* Each node with the next in the order of labels. */
static void check_joins(const hr_hierarchy *tree) {
    for (uint32_t node = 0; node + 1 < tree->labels.count; node++) {
        uint32_t joined = hr_hierarchy_join(tree, node, node + 1);
        check_that(hr_hierarchy_covers(tree, joined, node));
        check_that(hr_hierarchy_covers(tree, joined, node + 1));
        check_that(joined == hr_hierarchy_join(tree, node + 1, node));
    }
}

static void check_boundary(const hr_hierarchy *tree, hr_status status, uint32_t *magval,
                           const hr_error *err) {
    if (status != HR_OK) {
        check_that(err->message[0]);
        return;
    }
    for (uint32_t node = 0; node < tree->labels.count; node++)
        check_that(hr_hierarchy_covers(tree, magval[node], node));
    free(magval);
}

static void draw_boundaries(const hr_hierarchy *tree) {
    uint32_t *magval = NULL, *relaxed = NULL;
    for (uint64_t level = 0; level <= tree->level_count; level++) {
        hr_error err = {0};
        hr_status status = hr_boundary_level(tree, level, &magval, &err);
        if (status == HR_OK)
            check_boundary(tree, hr_boundary_relax(tree, magval, &relaxed, &err), relaxed, &err);
        check_boundary(tree, status, magval, &err);
    }
    for (uint32_t node = 0; node < tree->labels.count; node += 3) {
        hr_error err = {0};
        const char *label = hr_hierarchy_label(tree, node);
        check_boundary(tree, hr_boundary_nodes(tree, &label, 1, &magval, &err), magval, &err);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    hr_read_options options = {.delimiter = ';', .no_header = true};
    hr_table *table;
    hr_hierarchy *tree = NULL;
    hr_error err = {0};
    if (hr_csv_parse((const char *)data, size, "fuzz", &options, &table, &err) != HR_OK) return 0;
    if (hr_hierarchy_build(table, "fuzz", &tree, &err) == HR_OK) {
        check_nodes(tree);
        check_joins(tree);
        draw_boundaries(tree);
        hr_hierarchy_free(tree);
    } else {
        check_that(!tree && err.message[0]);
    }
    hr_table_free(table);
    return 0;
}
