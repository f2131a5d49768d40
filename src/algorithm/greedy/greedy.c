/* greedy.c - the shared parts of the plain forms of k-member, greedy-pk and enhanced-pk: see
 * greedy.h. */
#include "algorithm/greedy/greedy.h"

#include <string.h>

const hr_option hr_greedy_option_table[] = {
    {.name = "dispersal",
     .help = "leftover rows join the cluster whose loss grows least, or whose loss is then least",
     .type = HR_OPTION_CHOICE,
     .offset = offsetof(hr_greedy_options, dispersal),
     .initial = HR_DISPERSAL_GROWTH,
     .choices = "growth|absolute"},
    {.name = "ties",
     .help = "order of equally cheap rows: by the rank of their combination, or by row",
     .type = HR_OPTION_CHOICE,
     .offset = offsetof(hr_greedy_options, ties),
     .initial = HR_TIES_RANK,
     .choices = "rank|row"},
    {0},
};

/* ---- laying out the rows ---- */

/* Items in tie order: by rank of the combination and then row, or by row alone. */
static void order_items(hr_greedy *g) {
    const hr_cell_task *task = g->task;
    bool by_row = ((const hr_greedy_options *)task->options)->ties == HR_TIES_ROW;
    for (uint32_t i = 0; i < task->row_count; i++)
        g->row[i] = by_row ? i : task->by_rank[i];
}

static void load_values(hr_greedy *g) {
    const hr_microdata *data = g->task->data;
    for (uint32_t i = 0; i < g->task->row_count; i++) {
        uint32_t row = g->task->rows[g->row[i]];
        for (size_t j = 0; j < g->t; j++)
            g->quasi[i * g->t + j] = hr_quasi_value(&data->quasi[j], row);
        for (size_t l = 0; l < g->r; l++) {
            uint32_t value = hr_sensitive_value(&data->sensitive[l], row);
            g->sensitive[i * g->r + l] = value == HR_NONE ? data->sensitive[l].value_count : value;
        }
        g->live[i] = i;
    }
    g->live_count = g->task->row_count;
    memset(g->out->cluster, 0xff, g->live_count * sizeof *g->out->cluster);
}

static hr_status allocate_tables(hr_greedy *g, hr_error *err) {
    const hr_microdata *data = g->task->data;
    for (size_t j = 0; j < g->t; j++) {
        g->cost[j] = hr_arena_alloc(&g->arena, data->quasi[j].value_count, sizeof **g->cost, err);
        if (!g->cost[j]) return HR_ENOMEM;
    }
    for (size_t l = 0; l < g->r; l++) {
        size_t values = (size_t)data->sensitive[l].value_count + 1;
        g->gain[l] = hr_arena_alloc(&g->arena, values, sizeof **g->gain, err);
        if (!g->gain[l]) return HR_ENOMEM;
    }
    return HR_OK;
}

hr_status hr_greedy_init(hr_greedy *g, const hr_cell_task *task, hr_clusters *out, hr_error *err) {
    size_t n = task->row_count, clusters = n / task->k + 1;
    size_t t = task->data->quasi_count, r = task->data->sensitive_count;
    *g = (hr_greedy){.task = task, .t = t, .r = r, .out = out};
    const hr_arena_part parts[] = {
        {&g->row, n, sizeof *g->row},
        {&g->quasi, n * t, sizeof *g->quasi},
        {&g->sensitive, n * r, sizeof *g->sensitive},
        {&g->live, n, sizeof *g->live},
        {&g->gen, t, sizeof *g->gen},
        {&g->cost, t, sizeof *g->cost},
        {&g->gain, r, sizeof *g->gain},
        {&g->distinct, r, sizeof *g->distinct},
        {&g->cluster_size, clusters, sizeof *g->cluster_size},
        {&g->cluster_gen, clusters * t, sizeof *g->cluster_gen},
    };
    HR_TRY(hr_arena_parts(&g->arena, parts, sizeof parts / sizeof *parts, err));
    order_items(g);
    load_values(g);
    return allocate_tables(g, err);
}

void hr_greedy_free(hr_greedy *g) {
    hr_arena_free(&g->arena);
}

uint32_t hr_greedy_first(const hr_greedy *g) {
    hr_random random;
    hr_random_seed(&random, g->task->seed, g->task->stream);
    uint32_t row = (uint32_t)hr_random_below(&random, g->task->row_count);
    uint32_t item = 0;
    while (g->row[item] != row)
        item++;
    return item;
}

/* ---- the cluster being grown ---- */

static hr_span point(uint32_t value) {
    return (hr_span){value, value};
}

/* Sets cost[value] for each value of attribute j: the cost of the smallest published value that
 * covers both the cluster and that value. */
static void refresh_costs(hr_greedy *g, size_t j) {
    const hr_quasi *quasi = &g->task->data->quasi[j];
    uint32_t *cost = g->cost[j];
    if (!quasi->tree) {
        for (uint32_t value = 0; value < quasi->value_count; value++)
            cost[value] = hr_quasi_cost(quasi, hr_quasi_join(quasi, g->gen[j], point(value)));
        return;
    }
    for (uint32_t i = 0; i < quasi->tree->leaf_count; i++) {
        uint32_t value = hr_quasi_leaf_value(quasi, i);
        cost[value] = quasi->tree->cost[hr_hierarchy_join(quasi->tree, g->gen[j].lo, value)];
    }
}

static void cover(hr_greedy *g, size_t j, uint32_t value) {
    hr_span grown = hr_quasi_join(&g->task->data->quasi[j], g->gen[j], point(value));
    if (grown.lo == g->gen[j].lo && grown.hi == g->gen[j].hi) return;
    g->gen[j] = grown;
    refresh_costs(g, j);
}

/* Records that the cluster has the value. */
static void count_value(hr_greedy *g, size_t l, uint32_t value) {
    if (g->gain[l][value] == 0) return;
    g->gain[l][value] = 0;
    g->distinct[l]++;
}

static void all_values_new(hr_greedy *g) {
    for (size_t l = 0; l < g->r; l++) {
        const hr_sensitive *sensitive = &g->task->data->sensitive[l];
        for (uint32_t value = 0; value < sensitive->value_count; value++)
            g->gain[l][value] = sensitive->share;
        g->distinct[l] = 0; /* the gain of a missing value is always 0 */
    }
}

void hr_greedy_restart(hr_greedy *g, uint32_t item) {
    for (size_t j = 0; j < g->t; j++) {
        g->gen[j] = point(g->quasi[item * g->t + j]);
        refresh_costs(g, j);
    }
    all_values_new(g);
    for (size_t l = 0; l < g->r; l++)
        count_value(g, l, g->sensitive[item * g->r + l]);
    g->size = 0;
}

static void join_item(hr_greedy *g, uint32_t item) {
    for (size_t j = 0; j < g->t; j++)
        cover(g, j, g->quasi[item * g->t + j]);
    for (size_t l = 0; l < g->r; l++)
        count_value(g, l, g->sensitive[item * g->r + l]);
}

hr_status hr_greedy_take(hr_greedy *g, uint32_t at, hr_error *err) {
    uint32_t item = g->live[at];
    memmove(g->live + at, g->live + at + 1, (g->live_count - at - 1) * sizeof *g->live);
    g->live_count--;
    g->out->cluster[g->row[item]] = g->number;
    if (g->size == 0) hr_greedy_restart(g, item);
    g->size++;
    join_item(g, item);
    return hr_progress_add(g->task->progress, 1, err);
}

uint32_t hr_greedy_place(const hr_greedy *g, uint32_t item) {
    return hr_find_sorted(g->live, 0, g->live_count, item);
}

void hr_greedy_return(hr_greedy *g, uint32_t item) {
    uint32_t at = hr_greedy_place(g, item);
    memmove(g->live + at + 1, g->live + at, (g->live_count - at) * sizeof *g->live);
    g->live[at] = item;
    g->live_count++;
    g->out->cluster[g->row[item]] = HR_NONE;
}

void hr_greedy_reopen(hr_greedy *g, uint32_t number, const uint32_t *items, uint32_t count) {
    g->number = number;
    if (count > 0) hr_greedy_restart(g, items[0]);
    for (uint32_t i = 1; i < count; i++)
        join_item(g, items[i]);
    if (count == 0) all_values_new(g);
    g->size = count;
}

uint64_t hr_greedy_cost(const hr_greedy *g, uint32_t item) {
    const uint32_t *values = g->quasi + item * g->t;
    uint64_t cost = 0;
    for (size_t j = 0; j < g->t; j++)
        cost += g->cost[j][values[j]];
    return cost;
}

int64_t hr_greedy_diversity(const hr_greedy *g, uint32_t item) {
    const uint32_t *values = g->sensitive + item * g->r;
    int64_t diversity = 0;
    for (size_t l = 0; l < g->r; l++)
        diversity += g->gain[l][values[l]];
    return diversity;
}

uint32_t hr_greedy_cheapest(const hr_greedy *g) {
    uint64_t least = UINT64_MAX;
    uint32_t best = 0;
    for (uint32_t at = 0; at < g->live_count; at++) {
        uint64_t cost = hr_greedy_cost(g, g->live[at]);
        if (cost < least) {
            least = cost;
            best = at;
        }
    }
    return best;
}

bool hr_greedy_p_sensitive(const hr_greedy *g) {
    for (size_t l = 0; l < g->r; l++)
        if (g->task->p > 1 && g->distinct[l] < g->task->p) return false;
    return true;
}

/* ---- finished clusters ---- */

void hr_greedy_keep(hr_greedy *g) {
    g->cluster_size[g->number] = g->size;
    memcpy(g->cluster_gen + g->number * g->t, g->gen, g->t * sizeof *g->gen);
    g->out->count = ++g->number;
    g->size = 0;
}

void hr_greedy_renumber(hr_greedy *g, uint32_t from, uint32_t to) {
    g->cluster_size[to] = g->cluster_size[from];
    memmove(g->cluster_gen + to * g->t, g->cluster_gen + from * g->t, g->t * sizeof *g->gen);
}

/* Cost of a finished cluster's values with the item; *now receives the cost without it. */
static uint64_t joined_cost(const hr_greedy *g, uint32_t cluster, uint32_t item, uint64_t *now) {
    const hr_quasi *quasi = g->task->data->quasi;
    uint64_t joined = 0;
    *now = 0;
    for (size_t j = 0; j < g->t; j++) {
        hr_span gen = g->cluster_gen[cluster * g->t + j];
        *now += hr_quasi_cost(&quasi[j], gen);
        joined += hr_quasi_cost(&quasi[j],
                                hr_quasi_join(&quasi[j], gen, point(g->quasi[item * g->t + j])));
    }
    return joined;
}

static uint32_t best_cluster(const hr_greedy *g, uint32_t item, int rule) {
    uint64_t least = UINT64_MAX;
    uint32_t best = 0;
    for (uint32_t c = 0; c < g->number; c++) {
        uint64_t now, joined = joined_cost(g, c, item, &now);
        uint64_t loss = (g->cluster_size[c] + UINT64_C(1)) * joined;
        if (rule == HR_DISPERSAL_GROWTH) loss -= g->cluster_size[c] * now;
        if (loss < least) {
            least = loss;
            best = c;
        }
    }
    return best;
}

hr_status hr_greedy_disperse(hr_greedy *g, uint32_t item, int rule, hr_error *err) {
    uint32_t c = best_cluster(g, item, rule);
    g->out->cluster[g->row[item]] = c;
    g->cluster_size[c]++;
    for (size_t j = 0; j < g->t; j++) {
        hr_span *gen = &g->cluster_gen[c * g->t + j];
        *gen = hr_quasi_join(&g->task->data->quasi[j], *gen, point(g->quasi[item * g->t + j]));
    }
    return hr_progress_add(g->task->progress, 1, err);
}
