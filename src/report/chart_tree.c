/* chart_tree.c - hierarchies: an indented outline for small ones, an icicle for large ones. Both
 * show where the boundary lies and which nodes are published. */
#include "report/chart.h"

#include <math.h>
#include <stdlib.h>

/* ---- outline ---- */

enum { LINE = 17, INDENT = 13, LABELS = 190, FIGURE = 44, HEAD = 20 };

static void draw_outline_head(double bars, hr_text *out) {
    hr_text_printf(out,
                   "<rect class=\"bar1\" x=\"%.1f\" y=\"3\" width=\"10\" height=\"10\"/><text "
                   "x=\"%.1f\" y=\"12\">rows</text><rect class=\"bar0\" x=\"%.1f\" y=\"3\" "
                   "width=\"10\" height=\"10\"/><text x=\"%.1f\" y=\"12\">published so</text>\n",
                   bars, bars + 14, bars + 48, bars + 62);
}

static void draw_stem(const hr_tree_chart *tree, size_t i, hr_text *out) {
    const hr_tree_node *node = &tree->nodes[i];
    if (node->parent == HR_NONE) return;
    double x = 5 + (node->depth - 1) * INDENT, y = HEAD + LINE * ((double)i + 0.5);
    hr_text_printf(out, "<path class=\"stem\" d=\"M%.1f %.1fV%.1fH%.1f\"/>\n", x,
                   HEAD + LINE * ((double)node->parent + 0.5) + 6, y, x + INDENT - 4);
}

static void draw_node(const hr_tree_chart *tree, size_t i, double bars, hr_text *out) {
    const hr_tree_node *node = &tree->nodes[i];
    double x = node->depth * INDENT + 2, y = HEAD + LINE * (double)i;
    double room = HR_CHART_WIDTH - bars - FIGURE;
    bool marked = node->boundary && tree->bounded;
    if (marked)
        hr_text_printf(out, "<path class=\"diamond\" d=\"M%.1f %.1fl4 4l-4 4l-4 -4z\"/>", x + 4,
                       y + LINE / 2.0 - 4);
    if (marked) x += 11;
    hr_text_printf(out, "<text class=\"label\" x=\"%.1f\" y=\"%.1f\">", x, y + LINE - 5);
    hr_label(out, *node->label ? node->label : "(empty)", bars - x - 4);
    hr_text_puts(out, "</text>\n");
    hr_text_printf(out, "<rect class=\"bar1\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"11\"",
                   bars, y + 3, fmax(node->rows * room, node->rows > 0 ? 1 : 0));
    hr_chart_tip("rect", node->tip, out);
    if (node->published > 0) {
        hr_text_printf(out,
                       "<rect class=\"bar0\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"7\"",
                       bars, y + 5, fmax(node->published * room, 1));
        hr_chart_tip("rect", node->tip, out);
    }
    hr_text_printf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">", HR_CHART_WIDTH - 2,
                   y + LINE - 5);
    hr_html_text(out, node->figure);
    hr_text_puts(out, "</text>\n");
}

void hr_tree_svg(const hr_tree_chart *tree, hr_text *out) {
    double bars = 0;
    for (size_t i = 0; i < tree->count; i++)
        bars =
            fmax(bars, tree->nodes[i].depth * INDENT + 22 + hr_label_width(tree->nodes[i].label));
    bars = fmin(bars, LABELS);
    hr_chart_open(tree->name, tree->about, HEAD + LINE * (double)tree->count + 2, out);
    draw_outline_head(bars, out);
    for (size_t i = 0; i < tree->count; i++)
        draw_stem(tree, i, out);
    for (size_t i = 0; i < tree->count; i++)
        draw_node(tree, i, bars, out);
    hr_chart_close(out);
}

/* ---- icicle ---- */

enum { LAYER = 26, WIDTH = HR_CHART_WIDTH - 2 };

/* Left edge of each node as a share of the width: nodes of a layer stand side by side in the order
 * of the tree, children below their parent. */
static bool place_nodes(const hr_tree_chart *tree, double *left) {
    double *used = hr_alloc(tree->count, sizeof *used, NULL);
    if (!used) return false;
    for (size_t i = 0; i < tree->count; i++) {
        uint32_t parent = tree->nodes[i].parent;
        left[i] = parent == HR_NONE ? 0 : left[parent] + used[parent];
        if (parent != HR_NONE) used[parent] += tree->nodes[i].rows;
    }
    free(used);
    return true;
}

/* The larger the share of the node's rows that are published as the node, the darker. */
static int shade_of(const hr_tree_node *node) {
    if (!(node->published > 0) || !(node->rows > 0)) return -1;
    return (int)fmin(HR_SHADES - 1, node->published / node->rows * HR_SHADES);
}

static void draw_rectangle(const hr_tree_node *node, double x, double width, hr_text *out) {
    double y = 2 + node->depth * LAYER;
    int shade = shade_of(node);
    if (shade < 0)
        hr_text_puts(out, "<rect class=\"blank\"");
    else
        hr_text_printf(out, "<rect class=\"q%d part\"", shade);
    hr_text_printf(out, " x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"", x, y, width,
                   LAYER - 2);
    hr_chart_tip("rect", node->tip, out);
    const char *label = *node->label ? node->label : "(empty)";
    if (hr_label_width(label) > width - 4 && width < 60) return; /* the tooltip has it */
    hr_text_printf(out, "<text class=\"%s%d\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">",
                   shade < 0 ? "label l" : "on", shade < 0 ? 0 : shade, x + width / 2,
                   y + LAYER - 10);
    hr_label(out, label, width - 4);
    hr_text_puts(out, "</text>\n");
}

void hr_icicle_svg(const hr_tree_chart *tree, hr_text *out) {
    double *left = hr_alloc(tree->count, sizeof *left, NULL);
    uint32_t depth = 0;
    for (size_t i = 0; i < tree->count; i++)
        if (tree->nodes[i].depth > depth) depth = tree->nodes[i].depth;
    if (!left || !place_nodes(tree, left)) {
        out->failed = true;
        free(left);
        return;
    }
    hr_chart_open(tree->name, tree->about, (depth + 1) * LAYER + 4, out);
    for (size_t i = 0; i < tree->count; i++)
        draw_rectangle(&tree->nodes[i], 1 + left[i] * WIDTH,
                       fmax(tree->nodes[i].rows * WIDTH - 0.6, 0.4), out);
    for (size_t i = 0; i < tree->count && tree->bounded; i++)
        if (tree->nodes[i].boundary)
            hr_text_printf(out, "<path class=\"boundary\" d=\"M%.1f %dH%.1f\"/>\n",
                           1 + left[i] * WIDTH, 1 + (int)tree->nodes[i].depth * LAYER,
                           1 + (left[i] + tree->nodes[i].rows) * WIDTH - 0.6);
    hr_chart_close(out);
    free(left);
}
