/* tree_draw.c - draws a hierarchy with its boundary and the number of rows of each node. The
 * drawing of a large tree is shortened: at most 40 children per node, and no deeper than fits a
 * thousand lines unless a depth is given. A node with one child shares a line with it. */
#include "run/tree/tree.h"

enum { CHILDREN_MOST = 40, LINES_MOST = 1000 };

typedef struct {
    const hr_hierarchy_view *view;
    const hr_hierarchy *tree;
    uint32_t depth; /* greatest depth drawn */
    hr_text prefix; /* of the lines below the current node */
    hr_text *out;
} drawing;

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
    return d->view->size[node] > 1 ? d->view->at[d->tree->order[node] + 1] : HR_NONE;
}

static uint32_t next_child(const drawing *d, uint32_t child) {
    uint32_t place = d->tree->order[child] + d->view->size[child];
    if (place >= d->tree->labels.count) return HR_NONE;
    uint32_t next = d->view->at[place];
    return d->tree->parent[next] == d->tree->parent[child] ? next : HR_NONE;
}

static void draw_label(drawing *d, uint32_t node) {
    const hr_hierarchy *tree = d->tree;
    const char *label = hr_hierarchy_label(tree, node);
    bool inner = d->view->size[node] > 1;
    bool cut = tree->depth[node] >= d->depth && inner;
    hr_plain_text(d->out, *label ? label : "(empty)");
    if (d->view->is_boundary[node]) hr_text_puts(d->out, " ◆");
    if (tree->is_leaf[node] && inner) hr_text_puts(d->out, " (a leaf, too)");
    if (cut)
        hr_text_printf(d->out, " (%u lea%s)", tree->leaves[node],
                       tree->leaves[node] == 1 ? "f" : "ves");
}

/* Is the only child of the node drawn in the line of the node? Both have the same rows. */
static bool is_joined(const drawing *d, uint32_t node) {
    uint32_t child = first_child(d, node);
    return child != HR_NONE && !d->tree->is_leaf[node] && d->tree->depth[node] < d->depth &&
           d->view->size[child] + 1 == d->view->size[node];
}

/* Draws the line of a node: "12* › 123*". Returns the last node of the line. */
static uint32_t draw_line(drawing *d, uint32_t node) {
    draw_label(d, node);
    while (is_joined(d, node)) {
        node = first_child(d, node);
        hr_text_puts(d->out, " › ");
        draw_label(d, node);
    }
    if (d->view->rows) hr_text_printf(d->out, "  %llu", (unsigned long long)d->view->rows[node]);
    hr_text_puts(d->out, "\n");
    return node;
}

static void draw_children(drawing *d, uint32_t node);

static void draw_child(drawing *d, uint32_t child, bool last) {
    size_t length = d->prefix.length;
    if (d->prefix.data) hr_text_add(d->out, d->prefix.data, length);
    hr_text_puts(d->out, last ? "└── " : "├── ");
    child = draw_line(d, child);
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
    if (d->prefix.data) hr_text_add(d->out, d->prefix.data, d->prefix.length);
    hr_text_printf(d->out, "└── ... and %u more\n", count - most);
}

void hr_view_draw(const hr_hierarchy_view *view, hr_text *out) {
    drawing d = {.view = view, .tree = view->tree, .depth = view->depth, .out = out};
    if (d.depth == HR_NONE) d.depth = readable_depth(view->tree);
    uint32_t top = draw_line(&d, view->tree->root);
    if (d.tree->depth[top] < d.depth) draw_children(&d, top);
    if (view->has_boundary)
        hr_text_puts(out,
                     "\n◆ boundary: a value is generalized no further than the first ◆ above it\n");
    if (view->rows) hr_text_puts(out, "\nnumbers: rows of the data at or below each node\n");
    out->failed |= d.prefix.failed;
    hr_text_free(&d.prefix);
}
