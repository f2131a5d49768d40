/* count_attribute.c - one quasi-identifier: how precisely it is published, and its distribution
 * before and after. */
#include "report/count/count.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- levels ---- */

static hr_status name_level(hr_arena *arena, hr_account_level *level, const char *name,
                            hr_error *err) {
    level->name = hr_arena_text(arena, name, strlen(name), err);
    return level->name ? HR_OK : HR_ENOMEM;
}

static hr_status name_tree_level(hr_arena *arena, const hr_hierarchy *tree, uint32_t l,
                                 hr_account_level *level, hr_error *err) {
    char number[32];
    const char *built = hr_hierarchy_level_name(tree, l);
    snprintf(number, sizeof number, "level %u", l);
    level->coarse = tree->level_count > 1 ? (double)l / (tree->level_count - 1) : 0;
    if (l == 0) return name_level(arena, level, "as it is", err);
    if (l + 1 == tree->level_count) return name_level(arena, level, "withheld", err);
    return name_level(arena, level, built ? built : number, err);
}

/* level[node]: the lowest level at which the node appears. */
static hr_status tree_levels(const hr_scale *scale, hr_arena *arena, hr_account_attribute *out,
                             hr_error *err) {
    const hr_hierarchy *tree = scale->quasi->tree;
    uint32_t *level = hr_alloc_raw(tree->labels.count, sizeof *level, err);
    out->levels = hr_arena_alloc(arena, tree->level_count, sizeof *out->levels, err);
    hr_status status = level && out->levels ? HR_OK : HR_ENOMEM;
    if (status == HR_OK) {
        memset(level, 0xff, tree->labels.count * sizeof *level);
        for (uint32_t i = 0; i < tree->leaf_count; i++)
            for (uint32_t l = 0; l < tree->level_count; l++) {
                uint32_t node = hr_hierarchy_node_at(tree, i, l);
                if (l < level[node]) level[node] = l;
            }
        /* A root that repeats in lower columns is still the root. */
        level[tree->root] = tree->level_count - 1;
        for (uint32_t v = 0; v < scale->published_count; v++)
            out->levels[level[scale->published[v].lo]].rows += scale->published_rows[v];
    }
    for (uint32_t l = 0; l < tree->level_count && status == HR_OK; l++)
        status = name_tree_level(arena, tree, l, &out->levels[out->level_count++], err);
    free(level);
    return status;
}

/* The "levels" of numbers: classes of intervals by their width as a share of the range. */
static hr_status number_levels(const hr_scale *scale, hr_arena *arena, hr_account_attribute *out,
                               hr_error *err) {
    static const struct {
        double most; /* share of the range */
        const char *name;
    } kinds[] = {{0, "as it is"},
                 {0.1, "within 1/10 of the range"},
                 {0.25, "within 1/4"},
                 {0.5, "within 1/2"},
                 {1, "wider"}};
    enum { KINDS = sizeof kinds / sizeof *kinds };
    out->levels = hr_arena_alloc(arena, KINDS, sizeof *out->levels, err);
    if (!out->levels) return HR_ENOMEM;
    if (scale->means) {
        for (uint32_t v = 0; v < scale->published_count; v++)
            out->levels[0].rows += scale->published_rows[v];
        out->levels[0].coarse = 0.5;
        out->level_count = 1;
        return name_level(arena, &out->levels[0], "mean of the class", err);
    }
    for (size_t i = 0; i < KINDS; i++) {
        out->levels[i].coarse = (double)i / (KINDS - 1);
        HR_TRY(name_level(arena, &out->levels[out->level_count++], kinds[i].name, err));
    }
    for (uint32_t v = 0; v < scale->published_count; v++) {
        double share = hr_quasi_cost(scale->quasi, scale->published[v]) / (double)HR_COST_ONE;
        size_t i = 0;
        while (i + 1 < KINDS && share > kinds[i].most)
            i++;
        out->levels[i].rows += scale->published_rows[v];
    }
    return HR_OK;
}

/* ---- distribution ---- */

static hr_status distribution(const hr_scale *scale, hr_arena *arena, hr_account_attribute *out,
                              hr_error *err) {
    double before[HR_GROUPS_MOST], after[HR_GROUPS_MOST], rows = 0, released = 0;
    hr_scale_before(scale, before);
    hr_scale_after(scale, after);
    out->values = hr_arena_alloc(arena, scale->count, sizeof *out->values, err);
    if (!out->values) return HR_ENOMEM;
    for (uint32_t g = 0; g < scale->count; g++) {
        rows += before[g];
        released += after[g];
    }
    for (uint32_t g = 0; g < scale->count; g++) {
        hr_account_value *value = &out->values[out->value_count++];
        value->before = rows > 0 ? before[g] / rows : 0;
        value->after = released > 0 ? after[g] / released : 0;
        out->variation += fabs(value->before - value->after) / 2;
        if (!scale->labels) continue;
        value->label = hr_arena_text(arena, scale->labels[g], strlen(scale->labels[g]), err);
        if (!value->label) return HR_ENOMEM;
    }
    if (!scale->edges) return HR_OK;
    out->edges = hr_arena_alloc(arena, scale->count + (size_t)1, sizeof *out->edges, err);
    if (!out->edges) return HR_ENOMEM;
    memcpy(out->edges, scale->edges, (scale->count + (size_t)1) * sizeof *out->edges);
    return HR_OK;
}

/* ---- boundary ---- */

/* Lists the numbers at which cells begin, except the first cell. */
static hr_status list_cuts(const hr_quasi *quasi, hr_arena *arena, hr_account_attribute *out,
                           hr_error *err) {
    if (quasi->tree || !quasi->magval || !quasi->bounded) return HR_OK;
    for (uint32_t r = hr_quasi_next_cell(quasi, 0); r < quasi->value_count;
         r = hr_quasi_next_cell(quasi, r))
        out->cut_count++;
    out->cuts = hr_arena_alloc(arena, out->cut_count, sizeof *out->cuts, err);
    if (!out->cuts) return HR_ENOMEM;
    size_t i = 0;
    for (uint32_t r = hr_quasi_next_cell(quasi, 0); i < out->cut_count;
         r = hr_quasi_next_cell(quasi, r))
        out->cuts[i++] = (quasi->number[r] + quasi->number[r - 1]) / 2;
    return HR_OK;
}

void hr_boundary_words(const hr_node_choice *choice, hr_text *out) {
    if (choice->level)
        hr_text_printf(out, "level %s", choice->level);
    else if (choice->nodes)
        hr_text_printf(out, "%zu node%s of the tree", choice->node_count,
                       choice->node_count == 1 ? "" : "s");
    else if (choice->cuts.kind == HR_CUTS_WIDTH)
        hr_text_printf(out, "intervals at most %g wide", choice->cuts.width);
    else if (choice->cuts.kind == HR_CUTS_CELLS)
        hr_text_printf(out, "%u ranges", choice->cuts.cells);
    else if (choice->cuts.kind == HR_CUTS_GIVEN)
        hr_text_printf(out, "%zu cut point%s", choice->cuts.point_count,
                       choice->cuts.point_count == 1 ? "" : "s");
}

static hr_status word_boundary(const hr_report *report, const hr_quasi *quasi, hr_arena *arena,
                               hr_account_attribute *out, hr_error *err) {
    hr_text text = {0};
    hr_boundary_words(&hr_attribute_find(report->job, quasi->name)->boundary, &text);
    hr_status status = text.failed ? hr_fail(err, HR_ENOMEM, "out of memory") : HR_OK;
    if (text.data && status == HR_OK) {
        out->boundary = hr_arena_text(arena, text.data, text.length, err);
        if (!out->boundary) status = HR_ENOMEM;
    }
    hr_text_free(&text);
    return status;
}

hr_status hr_account_attribute_fill(const hr_report *report, const hr_scale *scale, size_t j,
                                    hr_account *account, hr_error *err) {
    hr_account_attribute *out = &account->attributes[account->attribute_count++];
    hr_arena *arena = &account->arena;
    out->name = hr_arena_text(arena, scale->name, strlen(scale->name), err);
    if (!out->name) return HR_ENOMEM;
    out->loss = hr_report_attribute_loss(report, j);
    out->loss_released = hr_loss_of_released(report, out->loss);
    out->violations = report->verdict.violations_by[j];
    HR_TRY(word_boundary(report, scale->quasi, arena, out, err));
    HR_TRY(list_cuts(scale->quasi, arena, out, err));
    HR_TRY(distribution(scale, arena, out, err));
    if (!scale->quasi->tree) return number_levels(scale, arena, out, err);
    HR_TRY(tree_levels(scale, arena, out, err));
    return hr_account_tree(report, scale, arena, out, err);
}
