/* tree_view.c - a hierarchy with its boundary and the number of rows of each node, as a list of
 * nodes that programs read and that is printed as a drawing or as rows. */
#include "run/tree/tree.h"

#include <stdlib.h>
#include <string.h>

/* ---- The data ---- */

hr_status hr_tree_column(const hr_table *data, size_t column, const hr_column **out,
                         hr_error *err) {
    *out = NULL;
    if (!data) return HR_OK;
    if (column >= data->column_count)
        return hr_fail(err, HR_EINVAL, "the table has %zu columns: there is no column number %zu",
                       data->column_count, column);
    *out = &data->columns[column];
    return HR_OK;
}

uint32_t hr_tree_leaf(const hr_hierarchy *tree, const char *text) {
    uint32_t node = hr_hierarchy_find(tree, text);
    return node != HR_NONE && tree->is_leaf[node] ? node : HR_NONE;
}

uint64_t *hr_tree_count_codes(const hr_column *column, hr_error *err) {
    uint64_t *count = hr_alloc(column->dictionary.count, sizeof *count, err);
    for (size_t row = 0; count && row < column->rows; row++)
        count[hr_column_code(column, row)]++;
    return count;
}

static hr_status count_rows(hr_hierarchy_view *view, const hr_column *column, hr_error *err) {
    const hr_hierarchy *tree = view->tree;
    uint64_t *of_code = hr_tree_count_codes(column, err);
    if (!of_code) return HR_ENOMEM;
    view->rows = hr_arena_alloc(&view->arena, tree->labels.count, sizeof *view->rows, err);
    for (uint32_t code = 0; view->rows && code < column->dictionary.count; code++) {
        uint32_t node = hr_tree_leaf(tree, hr_dictionary_text(&column->dictionary, code));
        for (; node != HR_NONE; node = tree->parent[node])
            view->rows[node] += of_code[code];
    }
    free(of_code);
    return view->rows ? HR_OK : HR_ENOMEM;
}

/* ---- The boundary ---- */

/* Parses the boundary like the key of a job. */
static hr_status read_boundary(const hr_hierarchy *tree, const char *boundary, uint32_t **magval,
                               hr_error *err) {
    hr_job *job;
    hr_text setting = {0};
    char *value;
    hr_text_printf(&setting, "x=%s", boundary);
    HR_TRY(hr_text_take(&setting, &value, err));
    hr_status status = hr_job_new(&job, err);
    if (status == HR_OK) {
        status = hr_job_set(job, "boundary", value, err);
        if (status == HR_OK) status = hr_attribute_boundary(job->attributes, tree, magval, err);
        hr_job_free(job);
    }
    free(value);
    return status;
}

static hr_status mark_boundary(hr_hierarchy_view *view, const char *boundary, hr_error *err) {
    const hr_hierarchy *tree = view->tree;
    uint32_t *magval;
    view->has_boundary = boundary;
    if (!boundary) return HR_OK;
    HR_TRY(read_boundary(tree, boundary, &magval, err));
    for (uint32_t leaf = 0; leaf < tree->leaf_count; leaf++)
        view->is_boundary[magval[tree->leaf_node[leaf]]] = true;
    free(magval);
    return HR_OK;
}

/* ---- The nodes ---- */

static hr_status arrange(hr_hierarchy_view *view, hr_error *err) {
    const hr_hierarchy *tree = view->tree;
    uint32_t count = tree->labels.count;
    const hr_arena_part parts[] = {{&view->at, count, sizeof *view->at},
                                   {&view->size, count, sizeof *view->size},
                                   {&view->is_boundary, count, sizeof *view->is_boundary},
                                   {&view->nodes, count, sizeof *view->nodes}};
    HR_TRY(hr_arena_parts(&view->arena, parts, sizeof parts / sizeof *parts, err));
    for (uint32_t node = 0; node < count; node++)
        view->at[tree->order[node]] = node;
    for (uint32_t i = count; i-- > 0;) {
        uint32_t node = view->at[i];
        view->size[node]++;
        if (node != tree->root) view->size[tree->parent[node]] += view->size[node];
    }
    return HR_OK;
}

static void list_nodes(hr_hierarchy_view *view) {
    const hr_hierarchy *tree = view->tree;
    for (uint32_t i = 0; i < tree->labels.count; i++) {
        uint32_t node = view->at[i];
        if (tree->depth[node] > view->depth) continue;
        view->nodes[view->node_count++] =
            (hr_shown_node){.node = node,
                            .depth = tree->depth[node],
                            .height = tree->height[node],
                            .leaves = tree->leaves[node],
                            .boundary = view->is_boundary[node],
                            .rows = view->rows ? view->rows[node] : 0};
    }
}

static hr_status fill(hr_hierarchy_view *view, const hr_hierarchy_show_request *request,
                      hr_error *err) {
    const hr_column *column;
    view->depth = request->depth_given ? request->depth : HR_NONE;
    HR_TRY(hr_tree_column(request->data, request->column, &column, err));
    HR_TRY(arrange(view, err));
    HR_TRY(mark_boundary(view, request->boundary, err));
    if (column) HR_TRY(count_rows(view, column, err));
    list_nodes(view);
    return HR_OK;
}

hr_status hr_hierarchy_show(const hr_hierarchy *tree, const hr_hierarchy_show_request *request,
                            hr_hierarchy_view **out, hr_error *err) {
    static const hr_hierarchy_show_request everything = {.size = sizeof everything};
    *out = NULL;
    if (!request) request = &everything;
    if (request->size < sizeof *request)
        return hr_fail(
            err, HR_EINVAL,
            "hr_hierarchy_show_request: set `size` to sizeof(hr_hierarchy_show_request)");
    hr_hierarchy_view *view = hr_alloc(1, sizeof *view, err);
    if (!view) return HR_ENOMEM;
    view->tree = hr_hierarchy_share(tree);
    hr_status status = fill(view, request, err);
    if (status == HR_OK)
        *out = view;
    else
        hr_hierarchy_view_free(view);
    return status;
}

const hr_shown_node *hr_hierarchy_view_at(const hr_hierarchy_view *view, size_t i) {
    return i < view->node_count ? &view->nodes[i] : NULL;
}

void hr_hierarchy_view_free(hr_hierarchy_view *view) {
    if (!view) return;
    hr_hierarchy_free(view->tree);
    hr_arena_free(&view->arena);
    free(view);
}

/* ---- Printing ---- */

static void print_nodes(const hr_hierarchy_view *view, hr_print_format format, hr_text *out) {
    static const hr_rows_column columns[] = {
        {"node", HR_ROWS_TEXT, 0},    {"parent", HR_ROWS_TEXT, 0},  {"depth", HR_ROWS_COUNT, 0},
        {"height", HR_ROWS_COUNT, 0}, {"leaves", HR_ROWS_COUNT, 0}, {"boundary", HR_ROWS_COUNT, 0},
        {"rows", HR_ROWS_COUNT, 0}};
    const hr_hierarchy *tree = view->tree;
    hr_rows rows;
    hr_rows_start(&rows, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < view->node_count; i++) {
        const hr_shown_node *n = &view->nodes[i];
        bool top = n->node == tree->root;
        hr_rows_text(&rows, hr_hierarchy_label(tree, n->node));
        hr_rows_text(&rows, top ? NULL : hr_hierarchy_label(tree, tree->parent[n->node]));
        hr_rows_count(&rows, n->depth);
        hr_rows_count(&rows, n->height);
        hr_rows_count(&rows, n->leaves);
        hr_rows_count(&rows, n->boundary);
        hr_rows_count_if(&rows, view->rows, n->rows);
    }
    hr_rows_print(&rows, format, out);
}

hr_status hr_hierarchy_view_print(const hr_hierarchy_view *view, hr_print_format format, char **out,
                                  hr_error *err) {
    *out = NULL;
    HR_TRY(hr_print_check(format, err));
    hr_text text = {0};
    if (format == HR_PRINT_TABLE)
        hr_view_draw(view, &text);
    else
        print_nodes(view, format, &text);
    return hr_text_take(&text, out, err);
}
