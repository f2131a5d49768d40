/* grab.c - prices the positions of one boundary while it is dragged and all others stay. The MAM
 * cells below a boundary node do not depend on the other nodes of the boundary, so the figures of a
 * node are counted once, and a move only adds up the figures of its boundary nodes. */
#include "run/suggest/rollup.h"

#include <stdlib.h>
#include <string.h>

/* ---- counting the cells of a node ---- */

static void add_values(hr_grab *g, uint32_t pair, uint32_t block) {
    size_t s = g->rollup->facts.sensitive_count;
    for (size_t l = 0; l < s; l++) {
        uint32_t *distinct = &g->distinct[block * s + l];
        uint32_t *seen = g->seen + (block * s + l) * g->most;
        size_t end = g->value_start[l * g->pairs + pair + 1];
        for (size_t v = g->value_start[l * g->pairs + pair]; v < end; v++) {
            uint32_t i = 0;
            if (*distinct == g->most) break;
            while (i < *distinct && seen[i] != g->values[v])
                i++;
            if (i == *distinct) seen[(*distinct)++] = g->values[v];
        }
    }
}

/* Adds the pairs of the positions low .. high - 1 to their blocks. */
static void add_range(hr_grab *g, uint32_t low, uint32_t high) {
    for (uint32_t pair = g->first[low]; pair < g->first[high]; pair++) {
        uint32_t block = g->block_of[pair];
        if (g->size[block] == 0) g->touched[g->touched_count++] = block;
        g->size[block] += g->rows[pair];
        if (g->most) add_values(g, pair, block);
    }
}

/* The fewest values that the cell has in any sensitive attribute. */
static uint32_t least_values(const hr_grab *g, uint32_t block) {
    size_t s = g->rollup->facts.sensitive_count;
    uint32_t least = UINT32_MAX;
    for (size_t l = 0; g->most && l < s; l++)
        if (g->distinct[block * s + l] < least) least = g->distinct[block * s + l];
    return least ? least : 1;
}

static bool goes(const hr_grab *g, uint32_t block) {
    return g->size[block] < g->asked.k || least_values(g, block) < g->asked.p;
}

/* How many of the numbers, which are ascending, are at most `most`. */
static size_t count_up_to(const int64_t *numbers, size_t count, uint32_t most) {
    size_t i = 0;
    while (i < count && numbers[i] <= most)
        i++;
    return i;
}

static void count_cells(const hr_grab *g, uint64_t *figures) {
    for (uint32_t i = 0; i < g->touched_count; i++) {
        uint32_t block = g->touched[i];
        size_t k = count_up_to(g->ks, g->k_count, g->size[block]);
        size_t p = count_up_to(g->ps, g->p_count, least_values(g, block));
        figures[k * (g->p_count + 1) + p] += g->size[block];
    }
    figures[g->hist_count - 1] += g->touched_count;
}

/* Counts the suppressed rows by the shown values of all quasi-identifiers. */
static void count_lost(const hr_grab *g, uint32_t low, uint32_t high, uint64_t *lost) {
    const hr_rollup *r = g->rollup;
    const hr_microdata *data = &r->dataset.data;
    for (uint32_t pair = g->first[low]; pair < g->first[high]; pair++) {
        if (!goes(g, g->block_of[pair])) continue;
        for (uint32_t i = g->start[pair]; i < g->start[pair + 1]; i++) {
            uint32_t c = g->member[i];
            uint64_t *at = lost;
            for (size_t j = 0; j < data->quasi_count; j++) {
                const uint32_t *codes = r->columns[j].codes;
                const uint32_t *shown = data->quasi[j].tree ? r->shown[j].of_value : r->shown_of[j];
                at[shown[codes[c]]] += r->facts.size[c];
                at += r->shown[j].count + (size_t)1;
            }
        }
    }
}

static void clear(hr_grab *g) {
    size_t s = g->rollup->facts.sensitive_count;
    for (uint32_t i = 0; i < g->touched_count; i++) {
        g->size[g->touched[i]] = 0;
        for (size_t l = 0; g->most && l < s; l++)
            g->distinct[g->touched[i] * s + l] = 0;
    }
    g->touched_count = 0;
}

/* Calls `visit` for the positions of a node's subtree in ranges, without the subtrees of boundary
 * nodes below it. Returns true if there are no such nodes. */
typedef void (*range_visit)(hr_grab *g, uint32_t low, uint32_t high, uint64_t *figures);

static bool visit_own(hr_grab *g, uint32_t node, range_visit visit, uint64_t *figures) {
    uint32_t low = node;
    bool whole = true;
    for (uint32_t at = node + 1; at < g->tree.end[node];) {
        if (!g->marked[at]) {
            at++;
            continue;
        }
        if (visit) visit(g, low, at, figures);
        whole = false;
        low = at = g->tree.end[at];
    }
    if (visit) visit(g, low, g->tree.end[node], figures);
    return whole;
}

static void visit_sum(hr_grab *g, uint32_t low, uint32_t high, uint64_t *figures) {
    (void)figures;
    add_range(g, low, high);
}

static void visit_lost(hr_grab *g, uint32_t low, uint32_t high, uint64_t *figures) {
    count_lost(g, low, high, figures + g->hist_count);
}

static void count_node(hr_grab *g, uint32_t node, uint64_t *figures) {
    memset(figures, 0, g->figure_count * sizeof *figures);
    visit_own(g, node, visit_sum, figures);
    count_cells(g, figures);
    visit_own(g, node, visit_lost, figures);
    clear(g);
}

static hr_status add_node(hr_grab *g, uint32_t node, hr_error *err) {
    const uint64_t *figures = g->known[node];
    bool whole = visit_own(g, node, NULL, NULL);
    if (!whole) {
        count_node(g, node, g->part);
        figures = g->part;
    } else if (!figures) {
        g->known[node] = hr_arena_alloc(&g->arena, g->figure_count, sizeof **g->known, err);
        if (!g->known[node]) return HR_ENOMEM;
        count_node(g, node, g->known[node]);
        figures = g->known[node];
    }
    for (size_t i = 0; i < g->figure_count; i++)
        g->total[i] += figures[i];
    return HR_OK;
}

/* ---- a move ---- */

/* prices[i x p_count + j]: all rows, minus those of cells that satisfy the first i + 1 of the ks
 * and the first j + 1 of the ps. */
static void price(hr_grab *g) {
    size_t width = g->p_count + 1;
    for (size_t i = 0; i < g->k_count; i++)
        for (size_t j = 0; j < g->p_count; j++) {
            uint64_t held = 0;
            for (size_t k = i + 1; k <= g->k_count; k++)
                for (size_t p = j + 1; p <= g->p_count; p++)
                    held += g->total[k * width + p];
            g->prices[i * g->p_count + j] = g->rollup->dataset.data.rows - held;
        }
}

static hr_status find_lost(hr_grab *g, hr_error *err) {
    const hr_rollup *r = g->rollup;
    const hr_microdata *data = &r->dataset.data;
    const uint64_t *gone = g->total + g->hist_count;
    uint64_t suppressed = r->dropped;
    for (size_t j = 0; j < data->quasi_count; j++) {
        for (uint32_t v = 0; v <= r->shown[j].count; v++, gone++) {
            g->counts[j][v] = g->dropped[j][v] + *gone;
            if (j == 0) suppressed += *gone;
        }
    }
    hr_lost_free(g->lost);
    g->lost = NULL;
    HR_TRY(hr_lost_of_counts(data, r->shown, g->counts, &g->lost, err));
    g->lost->figures = (hr_lost_figures){.k = g->asked.k,
                                         .p = g->asked.p,
                                         .rows = data->rows,
                                         .suppressed = suppressed,
                                         .dropped = r->dropped};
    return HR_OK;
}

/* Fails if a boundary node lies below the finest node of a leaf. */
static hr_status check_finest(const hr_grab *g, hr_error *err) {
    const hr_quasi *quasi = &g->rollup->dataset.data.quasi[g->column];
    const hr_hierarchy *tree = quasi->tree;
    if (!quasi->finest) return HR_OK;
    for (uint32_t i = 0; i < tree->leaf_count; i++) {
        uint32_t leaf = tree->leaf_node[i];
        for (uint32_t up = leaf; up != quasi->finest[leaf]; up = tree->parent[up])
            if (g->marked[g->tree.position[up]])
                return hr_fail(err, HR_EINVAL,
                               "the boundary of '%s' lies below `finest`: '%s' is more precise "
                               "than what may be published",
                               quasi->name, hr_hierarchy_label(tree, up));
    }
    return HR_OK;
}

static hr_status add_all(hr_grab *g, hr_error *err) {
    memset(g->total, 0, g->figure_count * sizeof *g->total);
    g->marked[0] = true; /* the root bounds all values under no other boundary node */
    for (uint32_t at = 0; at < g->tree.count; at++)
        if (g->marked[at]) HR_TRY(add_node(g, at, err));
    return HR_OK;
}

hr_status hr_grab_move(hr_grab *grab, const uint32_t *nodes, size_t count, const hr_grabbed **out,
                       hr_error *err) {
    memset(grab->marked, 0, grab->tree.count * sizeof *grab->marked);
    for (size_t i = 0; i < count; i++) {
        if (nodes[i] >= grab->tree.count)
            return hr_fail(err, HR_EINVAL, "the hierarchy has no node %u", nodes[i]);
        grab->marked[grab->tree.position[nodes[i]]] = true;
    }
    HR_TRY(check_finest(grab, err));
    HR_TRY(add_all(grab, err));
    price(grab);
    HR_TRY(find_lost(grab, err));
    grab->grabbed = (hr_grabbed){grab->prices, grab->lost, grab->total[grab->hist_count - 1]};
    *out = &grab->grabbed;
    return HR_OK;
}

/* ---- making and freeing ---- */

static hr_status copy_grid(hr_grab *g, const int64_t *ks, const int64_t *ps, hr_error *err) {
    int64_t *numbers = hr_arena_alloc(&g->arena, g->k_count + g->p_count, sizeof *numbers, err);
    if (!numbers) return HR_ENOMEM;
    memcpy(numbers, ks, g->k_count * sizeof *ks);
    memcpy(numbers + g->k_count, ps, g->p_count * sizeof *ps);
    g->ks = numbers;
    g->ps = numbers + g->k_count;
    for (size_t i = 0; i < g->k_count + g->p_count; i++) {
        bool first = i == 0 || i == g->k_count;
        if (numbers[i] < 1 || (!first && numbers[i] <= numbers[i - 1]))
            return hr_fail(err, HR_EINVAL, "k and p are at least 1 and ascend");
    }
    int64_t largest = g->asked.p;
    if (g->ps[g->p_count - 1] > largest) largest = g->ps[g->p_count - 1];
    const hr_microdata *data = &g->rollup->dataset.data;
    uint32_t values = 0; /* no cell has more values than this */
    for (size_t l = 0; l < data->sensitive_count; l++)
        if (data->sensitive[l].value_count > values) values = data->sensitive[l].value_count;
    g->most = largest <= 1 ? 0 : largest < values ? (uint32_t)largest : values;
    return HR_OK;
}

static hr_status allocate(hr_grab *g, hr_error *err) {
    const hr_rollup *r = g->rollup;
    size_t s = r->facts.sensitive_count, t = r->dataset.data.quasi_count;
    for (size_t j = 0; j < t; j++)
        g->shown_total += r->shown[j].count + (size_t)1;
    g->hist_count = (g->k_count + 1) * (g->p_count + 1) + 1;
    g->figure_count = g->hist_count + g->shown_total;
    const hr_arena_part parts[] = {
        {&g->size, g->blocks, sizeof *g->size},
        {&g->distinct, g->blocks * s, sizeof *g->distinct},
        {&g->seen, g->blocks * s * g->most, sizeof *g->seen},
        {&g->touched, g->blocks, sizeof *g->touched},
        {&g->marked, g->tree.count, sizeof *g->marked},
        {&g->known, g->tree.count, sizeof *g->known},
        {&g->total, g->figure_count, sizeof *g->total},
        {&g->part, g->figure_count, sizeof *g->part},
        {&g->prices, g->k_count * g->p_count, sizeof *g->prices},
    };
    HR_TRY(hr_arena_parts(&g->arena, parts, sizeof parts / sizeof *parts, err));
    g->counts = hr_lost_counts(r->shown, t, err);
    return g->counts ? HR_OK : HR_ENOMEM;
}

static hr_status find_column(hr_grab *g, const char *column, hr_error *err) {
    const hr_microdata *data = &g->rollup->dataset.data;
    while (g->column < data->quasi_count && strcmp(data->quasi[g->column].name, column) != 0)
        g->column++;
    if (g->column == data->quasi_count)
        return hr_fail(err, HR_EINVAL,
                       "'%s' is not a quasi-identifier of the table that was counted", column);
    if (!data->quasi[g->column].tree)
        return hr_fail(err, HR_EINVAL,
                       "'%s' is a number without a hierarchy: its boundary has no "
                       "nodes to move",
                       column);
    return HR_OK;
}

static hr_status make(hr_grab *g, const hr_job *job, const int64_t *ks, const int64_t *ps,
                      hr_error *err) {
    hr_drawn drawn;
    HR_TRY(
        hr_preorder_make(g->rollup->dataset.data.quasi[g->column].tree, &g->arena, &g->tree, err));
    HR_TRY(copy_grid(g, ks, ps, err));
    HR_TRY(hr_drawn_make(g->rollup, job, &drawn, err));
    hr_status status = hr_grab_add_up(g, drawn.magval, err);
    if (status == HR_OK) status = allocate(g, err);
    hr_drawn_free(&drawn);
    return status;
}

hr_status hr_rollup_grab(const hr_rollup *rollup, const hr_job *job, const char *column,
                         const int64_t *ks, size_t k_count, const int64_t *ps, size_t p_count,
                         const hr_watch *watch, hr_grab **out, hr_error *err) {
    hr_watch own;
    *out = NULL;
    HR_TRY(hr_watch_copy(watch, &own, err));
    HR_TRY(hr_job_complete(job, err));
    hr_requirements asked = hr_job_asked(job);
    if (hr_models_beyond_kp(&asked))
        return hr_fail(err, HR_EUNSUP, "a boundary is priced while it moves for k and p alone");
    if (k_count == 0 || p_count == 0) return hr_fail(err, HR_EINVAL, "give at least one k and p");
    hr_grab *g = hr_alloc(1, sizeof *g, err);
    if (!g) return HR_ENOMEM;
    g->rollup = rollup;
    g->asked = asked;
    g->k_count = k_count;
    g->p_count = p_count;
    hr_status status = find_column(g, column, err);
    if (status == HR_OK) status = make(g, job, ks, ps, err);
    if (status == HR_OK) status = hr_watch_check(&own, err);
    if (status == HR_OK)
        *out = g;
    else
        hr_grab_free(g);
    return status;
}

void hr_grab_free(hr_grab *grab) {
    if (!grab) return;
    hr_lost_free(grab->lost);
    free(grab->counts);
    free(grab->dropped);
    hr_arena_free(&grab->arena);
    free(grab);
}
