/* count_tree.c - prepares the tree of a quasi-identifier for drawing: the rows of each node, those
 * published as the node, and the boundary. Nodes with few rows are left out, so that even a tree of
 * a million values can be drawn. */
#include "report/count/count.h"

#include <stdlib.h>
#include <string.h>

enum {
    SHARE = 250, /* nodes with fewer than 1 / SHARE of the rows are left out */
    LAYER = 4    /* and layers of which less than 1 / LAYER would be visible */
};

typedef struct {
    const hr_hierarchy *tree;
    hr_preorder order;
    uint64_t *rows, *published; /* per position in preorder; rows with those below */
    bool *boundary;
    uint32_t *index; /* of a position among the nodes drawn; HR_NONE: left out */
} tree_count;

static void count_rows(const hr_scale *scale, tree_count *t) {
    const hr_quasi *quasi = scale->quasi;
    for (size_t row = 0; row < quasi->column->rows; row++) {
        uint32_t value = hr_quasi_value(quasi, row);
        if (value != HR_NONE) t->rows[t->order.position[value]]++;
    }
    for (uint32_t i = t->order.count; i-- > 1;)
        t->rows[t->order.up[i]] += t->rows[i];
    for (uint32_t v = 0; v < scale->published_count; v++)
        t->published[t->order.position[scale->published[v].lo]] += scale->published_rows[v];
    for (uint32_t i = 0; i < t->tree->leaf_count; i++) {
        uint32_t node = hr_quasi_leaf_value(quasi, i);
        t->boundary[t->order.position[quasi->magval[node]]] = true;
    }
}

/* Lists the nodes that have enough rows; a parent comes before its children. */
static hr_status keep_nodes(const hr_report *report, tree_count *t, hr_arena *arena,
                            hr_account_attribute *out, hr_error *err) {
    uint64_t least = report->outcome->data->rows / SHARE;
    size_t count = 0;
    for (uint32_t i = 0; i < t->order.count; i++) {
        bool few = t->rows[i] == 0 || t->rows[i] < least;
        t->index[i] =
            i > 0 && (few || t->index[t->order.up[i]] == HR_NONE) ? HR_NONE : (uint32_t)count++;
    }
    out->nodes = hr_arena_alloc(arena, count, sizeof *out->nodes, err);
    if (!out->nodes) return HR_ENOMEM;
    for (uint32_t i = 0; i < t->order.count; i++) {
        uint32_t parent = i > 0 ? t->index[t->order.up[i]] : HR_NONE;
        if (t->index[i] == HR_NONE) {
            if (parent != HR_NONE) out->nodes[parent].left_out++;
            out->pruned |= t->rows[i] > 0;
            continue;
        }
        const char *label = hr_hierarchy_label(t->tree, t->order.node[i]);
        hr_account_node *node = &out->nodes[out->node_count++];
        *node = (hr_account_node){.label = hr_arena_text(arena, label, strlen(label), err),
                                  .parent = parent,
                                  .depth = parent == HR_NONE ? 0 : out->nodes[parent].depth + 1,
                                  .rows = t->rows[i],
                                  .published = t->published[i],
                                  .boundary = t->boundary[i]};
        if (!node->label) return HR_ENOMEM;
    }
    return HR_OK;
}

/* Removes the nodes of the lowest layer, which have no children, and adapts the indices of
 * parents. */
static void remove_layer(hr_account_attribute *out, uint32_t depth) {
    size_t kept = 0;
    for (size_t i = 0; i < out->node_count; i++) {
        if (out->nodes[i].depth == depth) {
            out->pruned |= out->nodes[i].rows > 0;
            continue;
        }
        out->nodes[kept++] = out->nodes[i];
    }
    out->node_count = kept;
    for (size_t i = 1; i < kept; i++) { /* in preorder, the parent is the last one higher up */
        size_t up = i - 1;
        while (out->nodes[up].depth >= out->nodes[i].depth)
            up = out->nodes[up].parent;
        out->nodes[i].parent = (uint32_t)up;
    }
}

/* Removes the lowest layers if most of their nodes were left out, unless rows are published
 * there. */
static void cut_layers(hr_account_attribute *out) {
    for (;;) {
        uint32_t depth = 0;
        uint64_t seen = 0, published = 0;
        for (size_t i = 0; i < out->node_count; i++)
            if (out->nodes[i].depth > depth) depth = out->nodes[i].depth;
        for (size_t i = 0; i < out->node_count; i++) {
            if (out->nodes[i].depth < depth) continue;
            seen += out->nodes[i].rows;
            published += out->nodes[i].published;
        }
        if (depth == 0 || seen * LAYER >= out->nodes[0].rows) return;
        if (published * SHARE >= out->nodes[0].rows) return;
        remove_layer(out, depth);
    }
}

static hr_status make(const hr_report *report, const hr_scale *scale, hr_arena *scratch,
                      hr_arena *arena, hr_account_attribute *out, hr_error *err) {
    tree_count t = {.tree = scale->quasi->tree};
    HR_TRY(hr_preorder_make(t.tree, scratch, &t.order, err));
    const hr_arena_part parts[] = {{&t.rows, t.order.count, sizeof *t.rows},
                                   {&t.published, t.order.count, sizeof *t.published},
                                   {&t.boundary, t.order.count, sizeof *t.boundary},
                                   {&t.index, t.order.count, sizeof *t.index}};
    HR_TRY(hr_arena_parts(scratch, parts, sizeof parts / sizeof *parts, err));
    count_rows(scale, &t);
    HR_TRY(keep_nodes(report, &t, arena, out, err));
    cut_layers(out);
    return HR_OK;
}

hr_status hr_account_tree(const hr_report *report, const hr_scale *scale, hr_arena *arena,
                          hr_account_attribute *out, hr_error *err) {
    hr_arena scratch = {0};
    hr_status status = make(report, scale, &scratch, arena, out, err);
    hr_arena_free(&scratch);
    return status;
}
