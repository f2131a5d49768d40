/* lattice_findings.c - what a search of the lattice reports beside its partition: the published
 * levels and counts of its work, and for the owner a list of every release that could have been
 * published instead: all minimal nodes, best first, with the figures of their releases. The list
 * includes the published node even if it is not minimal. */
#include "algorithm/lattice/lattice.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void free_findings(hr_findings *base) {
    hr_lattice_findings *findings = (hr_lattice_findings *)base;
    hr_arena_free(&findings->arena);
    free(findings->nodes);
    free(findings);
}

/* ---- the list ---- */

static const char *yes_or_no(bool is) {
    return is ? "yes" : "no";
}

static void write_count(hr_field_writer write, void *payload, uint64_t count, bool last) {
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)count);
    write(text, last, payload);
}

static void write_real(hr_field_writer write, void *payload, double number) {
    char text[32];
    snprintf(text, sizeof text, "%.15g", number);
    write(text, false, payload);
}

static void write_node(const hr_lattice_findings *f, size_t i, hr_field_writer write,
                       void *payload) {
    const hr_lattice_node *node = &f->nodes[i];
    size_t t = f->data->quasi_count;
    double rows = (double)(node->released + node->suppressed);
    write(yes_or_no(i == f->published), false, payload);
    write(yes_or_no(node->minimal), false, payload);
    write_real(write, payload, (double)node->loss / HR_COST_ONE / (rows * (double)t)); /* NTIL */
    write_real(write, payload, (double)node->released / node->classes / f->k);         /* AVG */
    write_count(write, payload, node->dm, false);
    write_count(write, payload, node->classes, false);
    write_count(write, payload, node->suppressed, t == 0);
    for (size_t j = 0; j < t; j++)
        write_count(write, payload, node->levels[j], j + 1 == t);
}

static hr_status write_header(const hr_lattice_findings *f, hr_field_writer write, void *payload,
                              hr_error *err) {
    static const char *const names[] = {"published", "minimal", "ntil",      "avg",
                                        "dm",        "classes", "suppressed"};
    size_t t = f->data->quasi_count, count = sizeof names / sizeof *names;
    for (size_t i = 0; i < count; i++)
        write(names[i], t == 0 && i + 1 == count, payload);
    for (size_t j = 0; j < t; j++) {
        hr_text name = {0};
        hr_text_printf(&name, "level:%s", f->data->quasi[j].name);
        bool failed = name.failed;
        if (!failed) write(name.data, j + 1 == t, payload);
        hr_text_free(&name);
        if (failed) return hr_fail(err, HR_ENOMEM, "out of memory while listing levels");
    }
    return HR_OK;
}

static hr_status list_nodes(const hr_findings *base, hr_field_writer write, void *payload,
                            hr_error *err) {
    const hr_lattice_findings *findings = (const hr_lattice_findings *)base;
    HR_TRY(write_header(findings, write, payload, err));
    for (size_t i = 0; i < findings->node_count; i++)
        write_node(findings, i, write, payload);
    return HR_OK;
}

/* ---- nodes ---- */

hr_status hr_lattice_findings_new(const hr_table_task *task, hr_lattice_findings **out,
                                  hr_error *err) {
    hr_lattice_findings *findings = *out = hr_alloc(1, sizeof *findings, err);
    if (!findings) return HR_ENOMEM;
    findings->base.list_alternatives = list_nodes;
    findings->base.free = free_findings;
    findings->data = task->data;
    findings->k = task->k;
    return HR_OK;
}

hr_status hr_lattice_add(hr_lattice_findings *findings, const hr_lattice_node *node,
                         hr_error *err) {
    size_t t = findings->data->quasi_count;
    HR_TRY(hr_grow(&findings->nodes, &findings->node_capacity, findings->node_count + 1,
                   sizeof *findings->nodes, err));
    uint32_t *levels = hr_arena_alloc(&findings->arena, t, sizeof *levels, err);
    if (!levels) return HR_ENOMEM;
    memcpy(levels, node->levels, t * sizeof *levels);
    findings->nodes[findings->node_count] = *node;
    findings->nodes[findings->node_count++].levels = levels;
    findings->counts.minimal += node->minimal;
    return HR_OK;
}

static int compare_counts(uint64_t a, uint64_t b) {
    return a < b ? -1 : a > b;
}

static int compare_levels(const uint32_t *a, const uint32_t *b, size_t count) {
    for (size_t j = 0; j < count; j++)
        if (a[j] != b[j]) return a[j] < b[j] ? -1 : 1;
    return 0;
}

int hr_lattice_compare(const hr_lattice_node *a, const hr_lattice_node *b, size_t quasi_count) {
    int order = compare_counts(a->loss, b->loss);
    /* AVG is rows per class; the quotients are compared as products of whole numbers. */
    if (!order) order = compare_counts(a->released * b->classes, b->released * a->classes);
    if (!order) order = compare_counts(a->dm, b->dm);
    return order ? order : compare_levels(a->levels, b->levels, quasi_count);
}

/* A node with the length of its levels, which a comparison function of qsort cannot get
 * otherwise. */
typedef struct {
    hr_lattice_node node;
    size_t quasi_count;
} sortable_node;

static int best_first(const void *a, const void *b) {
    const sortable_node *x = a, *y = b;
    return hr_lattice_compare(&x->node, &y->node, x->quasi_count);
}

static hr_status sort_nodes(hr_lattice_findings *findings, hr_error *err) {
    sortable_node *sorted = hr_alloc_raw(findings->node_count, sizeof *sorted, err);
    if (!sorted) return HR_ENOMEM;
    for (size_t i = 0; i < findings->node_count; i++)
        sorted[i] = (sortable_node){findings->nodes[i], findings->data->quasi_count};
    qsort(sorted, findings->node_count, sizeof *sorted, best_first);
    for (size_t i = 0; i < findings->node_count; i++)
        findings->nodes[i] = sorted[i].node;
    free(sorted);
    return HR_OK;
}

/* Index of the node with these levels; node_count if there is none. */
static size_t find_node(const hr_lattice_findings *findings, const uint32_t *levels) {
    size_t i = 0;
    while (i < findings->node_count &&
           compare_levels(findings->nodes[i].levels, levels, findings->data->quasi_count))
        i++;
    return i;
}

/* ---- the report ---- */

static hr_status write_warning(hr_lattice_findings *findings, hr_error *err) {
    uint64_t groups = findings->counts.poor_groups;
    char text[256];
    if (groups == 0) return HR_OK;
    int length = snprintf(
        text, sizeof text,
        "%llu group%s of k or more rows lack%s sensitive values and %s suppressed beyond what must "
        "be: who knows that such a group is in the data learns so much from its absence",
        (unsigned long long)groups, groups == 1 ? "" : "s", groups == 1 ? "s" : "",
        groups == 1 ? "is" : "are");
    findings->base.warning = hr_arena_text(&findings->arena, text, (size_t)length, err);
    return findings->base.warning ? HR_OK : HR_ENOMEM;
}

hr_status hr_lattice_finish(hr_lattice_findings *findings, const hr_lattice_node *published,
                            hr_error *err) {
    const hr_lattice_counts *counts = &findings->counts;
    if (find_node(findings, published->levels) == findings->node_count)
        HR_TRY(hr_lattice_add(findings, published, err));
    HR_TRY(sort_nodes(findings, err));
    findings->published = find_node(findings, published->levels);
    const hr_finding figures[] = {
        {.name = "levels",
         .per_quasi = findings->nodes[findings->published].levels,
         .entry_name = "level"},
        {.name = "minimal", .value = counts->minimal},
        {.name = "lattice_nodes", .value = counts->lattice_nodes},
        {.name = "subset_nodes", .value = counts->all_nodes},
        {.name = "checked", .value = counts->checked},
        {.name = "pruned", .value = counts->pruned},
        {.name = "judged", .value = counts->judged},
        {.name = "scans", .value = counts->scans},
        {.name = "rollups", .value = counts->rollups},
    };
    static_assert(sizeof figures / sizeof *figures <= HR_FINDINGS_MOST, "room for all figures");
    memcpy(findings->base.figures, figures, sizeof figures);
    findings->base.figure_count = sizeof figures / sizeof *figures;
    return write_warning(findings, err);
}
