/* tree_check.c - checks whether hierarchies can be used: each must be readable and, if there is
 * data, have a leaf for every value of the column. Anything that is valid but probably not meant
 * becomes a notice. */
#include "run/tree/tree.h"

#include <stdlib.h>
#include <string.h>

enum { NOTICES = 2 };

typedef struct {
    hr_hierarchy_finding finding;
    const char *notices[NOTICES + 1]; /* ends with NULL */
} checked_tree;

struct hr_hierarchy_findings {
    hr_arena arena; /* everything else */
    checked_tree *trees;
    size_t count;
};

/* ---- Values without a leaf ---- */

static const char *leaf_at(size_t i, const void *payload) {
    const hr_hierarchy *tree = payload;
    return hr_hierarchy_label(tree, tree->leaf_node[i]);
}

/* Counts the values of the column that have no leaf, and appends the first few to `out`. */
static void list_strays(const hr_hierarchy *tree, const hr_column *column, const uint64_t *count,
                        hr_hierarchy_finding *finding, hr_text *out) {
    enum { SHOWN = 5 };
    for (uint32_t code = 0; code < column->dictionary.count; code++) {
        const char *text = hr_dictionary_text(&column->dictionary, code);
        finding->values++;
        if (hr_tree_leaf(tree, text) != HR_NONE) continue;
        finding->stray_rows += count[code];
        if (finding->stray_values++ >= SHOWN) continue;
        const char *nearest = hr_text_nearest(text, tree->leaf_count, leaf_at, tree);
        hr_text_printf(out, "%s'%s'", finding->stray_values > 1 ? ", " : "", text);
        if (nearest) hr_text_printf(out, " (did you mean '%s'?)", nearest);
    }
    if (finding->stray_values > SHOWN)
        hr_text_printf(out, " and %u more", finding->stray_values - SHOWN);
}

static hr_status check_values(const hr_hierarchy *tree, const hr_column *column,
                              hr_hierarchy_finding *finding, hr_error *err) {
    uint64_t *count = hr_tree_count_codes(column, err);
    if (!count) return HR_ENOMEM;
    hr_text list = {0};
    list_strays(tree, column, count, finding, &list);
    uint32_t strays = finding->stray_values;
    hr_status status = HR_OK;
    if (list.failed)
        status = hr_fail(err, HR_ENOMEM, "out of memory");
    else if (strays > 0)
        status =
            hr_fail(err, HR_EDATA, "%u value%s of '%s' (%llu row%s) %s no leaf: %s", strays,
                    strays == 1 ? "" : "s", column->name, (unsigned long long)finding->stray_rows,
                    finding->stray_rows == 1 ? "" : "s", strays == 1 ? "has" : "have", list.data);
    hr_text_free(&list);
    free(count);
    return status;
}

/* ---- Notices ---- */

typedef struct {
    uint32_t count, first; /* first: the node of the least number */
} odd_nodes;

static hr_status count_odd(const hr_hierarchy *tree, odd_nodes *only_child, odd_nodes *inner_leaf,
                           hr_error *err) {
    uint32_t *children = hr_alloc(tree->labels.count, sizeof *children, err);
    if (!children) return HR_ENOMEM;
    for (uint32_t node = 0; node < tree->labels.count; node++)
        if (node != tree->root) children[tree->parent[node]]++;
    for (uint32_t node = tree->labels.count; node-- > 0;) {
        bool leaf = tree->is_leaf[node];
        if (children[node] == 1 && !leaf) *only_child = (odd_nodes){only_child->count + 1, node};
        if (children[node] > 0 && leaf) *inner_leaf = (odd_nodes){inner_leaf->count + 1, node};
    }
    free(children);
    return HR_OK;
}

/* Copies the text into the notices and frees it. */
static hr_status keep_notice(hr_hierarchy_findings *findings, checked_tree *checked, hr_text *text,
                             hr_error *err) {
    const char **place = checked->notices;
    while (*place)
        place++;
    hr_status status = text->failed ? hr_fail(err, HR_ENOMEM, "out of memory") : HR_OK;
    if (status == HR_OK) *place = hr_arena_text(&findings->arena, text->data, text->length, err);
    hr_text_free(text);
    return status == HR_OK && !*place ? HR_ENOMEM : status;
}

static hr_status note_oddities(hr_hierarchy_findings *findings, checked_tree *checked,
                               const hr_hierarchy *tree, hr_error *err) {
    odd_nodes only_child = {0}, inner_leaf = {0};
    hr_text text = {0};
    HR_TRY(count_odd(tree, &only_child, &inner_leaf, err));
    checked->finding.only_children = only_child.count;
    checked->finding.inner_leaves = inner_leaf.count;
    if (only_child.count) {
        hr_text_printf(&text,
                       "%s: %u node%s one child only, such as '%s': the step up to it counts as "
                       "loss and hides nothing",
                       tree->source, only_child.count, only_child.count == 1 ? " has" : "s have",
                       hr_hierarchy_label(tree, only_child.first));
        HR_TRY(keep_notice(findings, checked, &text, err));
    }
    if (inner_leaf.count) {
        hr_text_printf(&text, "%s: %u label%s both a leaf and an ancestor, such as '%s'",
                       tree->source, inner_leaf.count, inner_leaf.count == 1 ? " is" : "s are",
                       hr_hierarchy_label(tree, inner_leaf.first));
        HR_TRY(keep_notice(findings, checked, &text, err));
    }
    return HR_OK;
}

/* ---- One hierarchy ---- */

static hr_status load(const hr_hierarchy_check_request *request, size_t i, const hr_column *column,
                      hr_hierarchy **out, hr_error *err) {
    *out = NULL;
    if (request->trees) {
        *out = hr_hierarchy_share(request->trees[i]);
        return HR_OK;
    }
    if (!strcmp(request->paths[i], "flat") && !column)
        return hr_fail(err, HR_EINVAL, "a flat hierarchy is made of data: give --data FILE:COLUMN");
    return hr_hierarchy_load(request->paths[i], column, &(hr_format_options){0}, NULL, out, err);
}

static hr_status keep_text(hr_hierarchy_findings *findings, const char *text, const char **out,
                           hr_error *err) {
    *out = hr_arena_text(&findings->arena, text, strlen(text), err);
    return *out ? HR_OK : HR_ENOMEM;
}

static hr_status describe(hr_hierarchy_findings *findings, checked_tree *checked,
                          const hr_hierarchy *tree, hr_error *err) {
    hr_hierarchy_finding *finding = &checked->finding;
    finding->leaves = tree->leaf_count;
    finding->nodes = tree->labels.count;
    finding->height = tree->height[tree->root];
    finding->levels = tree->level_count;
    HR_TRY(keep_text(findings, hr_hierarchy_label(tree, tree->root), &finding->root, err));
    return note_oddities(findings, checked, tree, err);
}

/* Checks one hierarchy. Its problems are findings; only a lack of memory is a failure. */
static hr_status check_tree(hr_hierarchy_findings *findings, size_t i,
                            const hr_hierarchy_check_request *request, const hr_column *column,
                            hr_error *err) {
    checked_tree *checked = &findings->trees[i];
    hr_hierarchy_finding *finding = &checked->finding;
    hr_hierarchy *tree;
    hr_error problem = {0};
    const char *name = request->trees ? request->trees[i]->source : request->paths[i];
    char *shown = hr_address_masked(name, err);
    if (!shown) return HR_ENOMEM;
    hr_status status = keep_text(findings, shown, &finding->name, err);
    free(shown);
    HR_TRY(status);
    finding->status = load(request, i, column, &tree, &problem);
    if (finding->status == HR_OK && column)
        finding->status = check_values(tree, column, finding, &problem);
    if (finding->status == HR_ENOMEM)
        status = hr_fail(err, HR_ENOMEM, "%s", problem.message);
    else if (finding->status != HR_OK)
        status = keep_text(findings, problem.message, &finding->problem, err);
    if (status == HR_OK && tree) status = describe(findings, checked, tree, err);
    hr_hierarchy_free(tree);
    return status;
}

/* ---- All of them ---- */

static hr_status check_all(hr_hierarchy_findings *findings,
                           const hr_hierarchy_check_request *request, hr_error *err) {
    const hr_column *column;
    HR_TRY(hr_tree_column(request->data, request->column, &column, err));
    findings->trees =
        hr_arena_alloc(&findings->arena, request->count, sizeof *findings->trees, err);
    if (!findings->trees) return HR_ENOMEM;
    for (; findings->count < request->count; findings->count++)
        HR_TRY(check_tree(findings, findings->count, request, column, err));
    return HR_OK;
}

hr_status hr_hierarchy_check(const hr_hierarchy_check_request *request, hr_hierarchy_findings **out,
                             hr_error *err) {
    *out = NULL;
    if (request->size < sizeof *request)
        return hr_fail(
            err, HR_EINVAL,
            "hr_hierarchy_check_request: set `size` to sizeof(hr_hierarchy_check_request)");
    if (request->count > 0 && !request->paths && !request->trees)
        return hr_fail(err, HR_EINVAL, "a check of hierarchies needs paths or trees");
    hr_hierarchy_findings *findings = hr_alloc(1, sizeof *findings, err);
    if (!findings) return HR_ENOMEM;
    hr_status status = check_all(findings, request, err);
    if (status == HR_OK)
        *out = findings;
    else
        hr_hierarchy_findings_free(findings);
    return status;
}

const hr_hierarchy_finding *hr_hierarchy_findings_at(const hr_hierarchy_findings *findings,
                                                     size_t i) {
    return i < findings->count ? &findings->trees[i].finding : NULL;
}

const char *hr_hierarchy_findings_notice(const hr_hierarchy_findings *findings, size_t i,
                                         size_t notice) {
    return i < findings->count && notice < NOTICES ? findings->trees[i].notices[notice] : NULL;
}

void hr_hierarchy_findings_free(hr_hierarchy_findings *findings) {
    if (!findings) return;
    hr_arena_free(&findings->arena);
    free(findings);
}

/* ---- Printing ---- */

/* "ok", with data "ok: all 20 values have a leaf, 3 leaves are not used", or the problem. */
static void add_result(const hr_hierarchy_finding *f, bool brief, hr_rows *rows) {
    hr_text text = {0};
    if (f->problem || brief || !f->values) {
        hr_rows_text(rows, f->problem ? f->problem : "ok");
        return;
    }
    uint32_t unused = f->leaves > f->values ? f->leaves - f->values : 0;
    hr_text_printf(&text,
                   f->values == 1 ? "ok: the 1 value has a leaf" : "ok: all %u values have a leaf",
                   f->values);
    if (unused)
        hr_text_printf(&text, unused == 1 ? ", 1 leaf is not used" : ", %u leaves are not used",
                       unused);
    rows->failed |= text.failed;
    hr_rows_text(rows, text.data);
    hr_text_free(&text);
}

hr_status hr_hierarchy_findings_print(const hr_hierarchy_findings *findings, hr_print_format format,
                                      char **out, hr_error *err) {
    static const hr_rows_column columns[] = {
        {"file", HR_ROWS_TEXT, 0},    {"leaves", HR_ROWS_COUNT, 0}, {"nodes", HR_ROWS_COUNT, 0},
        {"height", HR_ROWS_COUNT, 0}, {"levels", HR_ROWS_COUNT, 0}, {"root", HR_ROWS_TEXT, 0},
        {"result", HR_ROWS_TEXT, 0},  {"values", HR_ROWS_COUNT, 0}, {"matched", HR_ROWS_COUNT, 0}};
    enum { ALL = sizeof columns / sizeof *columns };
    bool table = format == HR_PRINT_TABLE; /* its result has the numbers of the last columns */
    hr_text text = {0};
    hr_rows rows;
    *out = NULL;
    HR_TRY(hr_print_check(format, err));
    hr_rows_start(&rows, columns, table ? ALL - 2 : ALL);
    for (size_t i = 0; i < findings->count; i++) {
        const hr_hierarchy_finding *f = &findings->trees[i].finding;
        hr_rows_text(&rows, f->name);
        hr_rows_count_if(&rows, f->root, f->leaves);
        hr_rows_count_if(&rows, f->root, f->nodes);
        hr_rows_count_if(&rows, f->root, f->height);
        hr_rows_count_if(&rows, f->root, f->levels);
        hr_rows_text(&rows, f->root);
        add_result(f, !table, &rows);
        if (table) continue;
        hr_rows_count_if(&rows, f->values, f->values);
        hr_rows_count_if(&rows, f->values, f->values - f->stray_values);
    }
    hr_rows_print(&rows, format, &text);
    return hr_text_take(&text, out, err);
}
