/* cli_tree.c - prints a hierarchy: for people as a drawing with its boundary and the number of rows
 * of each node, for programs as one row per node. The drawing of a large tree is shortened: at most
 * 40 children per node, and no deeper than fits a thousand lines unless a depth is given. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

enum { CHILDREN_MOST = 40, LINES_MOST = 1000 };

/* Nodes in preorder: the subtree of a node is at[order .. order + size - 1], so the next child of a
 * node follows the end of the subtree of the previous child. */
typedef struct {
    const cli_tree *show;
    const hr_hierarchy *tree;
    uint32_t depth;
    uint32_t *at, *size;
    bool *is_boundary; /* of each node: it is the MAGVal of some leaf */
    hr_text prefix, out;
} drawing;

static void arrange(drawing *d) {
    const hr_hierarchy *tree = d->tree;
    uint32_t count = tree->labels.count;
    for (uint32_t node = 0; node < count; node++)
        d->at[tree->order[node]] = node;
    for (uint32_t i = count; i-- > 0;) {
        uint32_t node = d->at[i];
        d->size[node]++;
        if (node != tree->root) d->size[tree->parent[node]] += d->size[node];
    }
    for (uint32_t leaf = 0; d->show->magval && leaf < tree->leaf_count; leaf++)
        d->is_boundary[d->show->magval[tree->leaf_node[leaf]]] = true;
}

/* The greatest depth at which the drawing has at most LINES_MOST nodes; at least 1. */
static uint32_t readable_depth(const hr_hierarchy *tree) {
    uint32_t lines[64] = {0}, depth = 0, sum = 0;
    for (uint32_t node = 0; node < tree->labels.count; node++)
        if (tree->depth[node] < 64) lines[tree->depth[node]]++;
    while (depth < 64 && (depth <= 1 || sum + lines[depth] <= LINES_MOST))
        sum += lines[depth++];
    return depth - 1;
}

static uint32_t first_child(const drawing *d, uint32_t node) {
    return d->size[node] > 1 ? d->at[d->tree->order[node] + 1] : HR_NONE;
}

static uint32_t next_child(const drawing *d, uint32_t child) {
    uint32_t place = d->tree->order[child] + d->size[child];
    if (place >= d->tree->labels.count) return HR_NONE;
    uint32_t next = d->at[place];
    return d->tree->parent[next] == d->tree->parent[child] ? next : HR_NONE;
}

/* ---- Drawing ---- */

static void draw_label(drawing *d, uint32_t node) {
    const hr_hierarchy *tree = d->tree;
    const char *label = hr_hierarchy_label(tree, node);
    bool cut = tree->depth[node] >= d->depth && d->size[node] > 1;
    hr_plain_text(&d->out, *label ? label : "(empty)");
    if (d->is_boundary[node]) hr_text_puts(&d->out, " ◆");
    if (tree->is_leaf[node] && d->size[node] > 1) hr_text_puts(&d->out, " (a leaf, too)");
    if (cut) hr_text_printf(&d->out, " (%u leaves)", tree->leaves[node]);
    if (d->show->rows) hr_text_printf(&d->out, "  %llu", (unsigned long long)d->show->rows[node]);
    hr_text_puts(&d->out, "\n");
}

static void draw_children(drawing *d, uint32_t node);

static void draw_child(drawing *d, uint32_t child, bool last) {
    size_t length = d->prefix.length;
    if (d->prefix.data) hr_text_add(&d->out, d->prefix.data, length);
    hr_text_puts(&d->out, last ? "└── " : "├── ");
    draw_label(d, child);
    hr_text_puts(&d->prefix, last ? "    " : "│   ");
    if (d->tree->depth[child] < d->depth) draw_children(d, child);
    d->prefix.length = length;
}

static void draw_children(drawing *d, uint32_t node) {
    uint32_t count = 0, drawn = 0;
    for (uint32_t c = first_child(d, node); c != HR_NONE; c = next_child(d, c))
        count++;
    uint32_t most = count > CHILDREN_MOST + 1 ? CHILDREN_MOST : count;
    for (uint32_t c = first_child(d, node); drawn < most; c = next_child(d, c))
        draw_child(d, c, ++drawn == count);
    if (most == count) return;
    if (d->prefix.data) hr_text_add(&d->out, d->prefix.data, d->prefix.length);
    hr_text_printf(&d->out, "└── ... and %u more\n", count - most);
}

static void draw(drawing *d) {
    draw_label(d, d->tree->root);
    if (d->depth > 0) draw_children(d, d->tree->root);
    if (d->show->magval)
        hr_text_puts(&d->out,
                     "\n◆ boundary: no value is generalized past the first one above it\n");
    if (d->show->rows) hr_text_puts(&d->out, "\nnumbers are rows of the data\n");
}

/* ---- Rows ---- */

static hr_status print_nodes(drawing *d, cli_format format, hr_error *err) {
    static const cli_column columns[] = {{"node", CLI_TEXT, 0},    {"parent", CLI_TEXT, 0},
                                         {"depth", CLI_COUNT, 0},  {"height", CLI_COUNT, 0},
                                         {"leaves", CLI_COUNT, 0}, {"boundary", CLI_COUNT, 0},
                                         {"rows", CLI_COUNT, 0}};
    const hr_hierarchy *tree = d->tree;
    cli_rows rows;
    cli_rows_start(&rows, columns, sizeof columns / sizeof *columns);
    for (uint32_t i = 0; i < tree->labels.count; i++) {
        uint32_t node = d->at[i];
        if (tree->depth[node] > d->show->depth) continue;
        cli_add_text(&rows, hr_hierarchy_label(tree, node));
        if (node == tree->root)
            cli_add_none(&rows);
        else
            cli_add_text(&rows, hr_hierarchy_label(tree, tree->parent[node]));
        cli_add_count(&rows, tree->depth[node]);
        cli_add_count(&rows, tree->height[node]);
        cli_add_count(&rows, tree->leaves[node]);
        cli_add_count(&rows, d->is_boundary[node]);
        if (d->show->rows)
            cli_add_count(&rows, (int64_t)d->show->rows[node]);
        else
            cli_add_none(&rows);
    }
    return cli_rows_print(&rows, format, err);
}

static hr_status print(drawing *d, cli_format format, hr_error *err) {
    size_t count = d->tree->labels.count;
    d->at = hr_alloc(count, sizeof *d->at, err);
    d->size = hr_alloc(count, sizeof *d->size, err);
    d->is_boundary = hr_alloc(count, sizeof *d->is_boundary, err);
    if (!d->at || !d->size || !d->is_boundary) return HR_ENOMEM;
    arrange(d);
    if (format != CLI_TABLE) return print_nodes(d, format, err);
    draw(d);
    if (d->out.failed || d->prefix.failed) return hr_fail(err, HR_ENOMEM, "out of memory");
    fputs(d->out.data, stdout);
    return HR_OK;
}

hr_status cli_tree_print(const cli_tree *tree, cli_format format, hr_error *err) {
    drawing d = {.show = tree, .tree = tree->tree, .depth = tree->depth};
    if (d.depth == HR_NONE) d.depth = readable_depth(tree->tree);
    hr_status status = print(&d, format, err);
    free(d.at);
    free(d.size);
    free(d.is_boundary);
    hr_text_free(&d.prefix);
    hr_text_free(&d.out);
    return status;
}
