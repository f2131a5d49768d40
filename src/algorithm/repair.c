/* repair.c - changes the clusters of an algorithm that supports only k and p until they satisfy all
 * models. A cluster that violates a model exchanges rows with clusters near it: a row moves in, a
 * row moves out, or two rows change places. Each exchange is the cheapest one that brings the
 * cluster closer to holding and no other cluster further away. If merging with another cluster
 * costs less, and the union holds, both are merged. If neither is possible, the excess rows of the
 * cluster are dispersed over clusters that have room for them (repair_disperse.c). Clusters that
 * still violate a model are merged until they hold; in the worst case the whole cell becomes one
 * cluster, which holds. Clusters are near if their first rows are near in rank. */
#include "algorithm/repair.h"

#include <stdlib.h>
#include <string.h>

enum {
    WINDOW = 128, /* clusters to either side, in the order of ranks, that are looked at */
    MEMBERS = 64  /* rows of a cluster that may be exchanged */
};

typedef hr_repair repair;
typedef hr_exchange exchange;
typedef hr_repair_neighbour neighbour;

/* ---- clusters ---- */

static hr_span value_of(const repair *r, uint32_t place, size_t j) {
    uint32_t value = hr_quasi_value(&r->task->data->quasi[j], r->task->rows[place]);
    return (hr_span){value, value};
}

static hr_span value_with(const repair *r, uint32_t c, uint32_t place, size_t j) {
    return hr_quasi_join(&r->task->data->quasi[j], r->gen[c * r->t + j], value_of(r, place, j));
}

uint32_t hr_repair_value_cost(const repair *r, uint32_t c, uint32_t place, size_t j) {
    return hr_quasi_cost(&r->task->data->quasi[j], value_with(r, c, place, j));
}

/* Cost per row of the values that cover the cluster and one more row. */
static uint64_t cost_with(const repair *r, uint32_t c, uint32_t place) {
    uint64_t cost = 0;
    for (size_t j = 0; j < r->t; j++)
        cost += hr_repair_value_cost(r, c, place, j);
    return cost;
}

static uint64_t merged_cost(const repair *r, uint32_t c, uint32_t d) {
    uint64_t cost = 0;
    for (size_t j = 0; j < r->t; j++) {
        const hr_quasi *quasi = &r->task->data->quasi[j];
        cost +=
            hr_quasi_cost(quasi, hr_quasi_join(quasi, r->gen[c * r->t + j], r->gen[d * r->t + j]));
    }
    return cost;
}

static void set_costs(repair *r, uint32_t c) {
    r->cost[c] = 0;
    for (size_t j = 0; j < r->t; j++) {
        size_t at = c * r->t + j;
        r->value_cost[at] = hr_quasi_cost(&r->task->data->quasi[j], r->gen[at]);
        r->cost[c] += r->value_cost[at];
    }
}

void hr_repair_extend(repair *r, uint32_t c, uint32_t place) {
    for (size_t j = 0; j < r->t; j++)
        r->gen[c * r->t + j] = value_with(r, c, place, j);
    set_costs(r, c);
}

void hr_repair_cover(repair *r, uint32_t c) {
    r->cost[c] = 0;
    if (r->size[c] == 0) return;
    for (size_t j = 0; j < r->t; j++) {
        hr_span *gen = &r->gen[c * r->t + j];
        *gen = value_of(r, r->first[c], j);
        for (uint32_t i = r->next[r->first[c]]; i != HR_NONE; i = r->next[i])
            *gen = value_with(r, c, i, j);
    }
    set_costs(r, c);
}

void hr_repair_unlink(repair *r, uint32_t place) {
    uint32_t c = r->cluster[place], before = r->previous[place], after = r->next[place];
    if (before == HR_NONE)
        r->first[c] = after;
    else
        r->next[before] = after;
    if (after != HR_NONE) r->previous[after] = before;
    r->size[c]--;
}

void hr_repair_link(repair *r, uint32_t place, uint32_t c) {
    r->next[place] = r->first[c];
    r->previous[place] = HR_NONE;
    if (r->first[c] != HR_NONE) r->previous[r->first[c]] = place;
    r->first[c] = place;
    r->cluster[place] = c;
    r->size[c]++;
}

static void move_row(repair *r, uint32_t place, uint32_t c) {
    if (place == HR_NONE) return;
    hr_repair_unlink(r, place);
    hr_repair_link(r, place, c);
}

void hr_repair_load(const repair *r, uint32_t c, uint32_t *state) {
    hr_judge_clear(r->judge, state);
    for (uint32_t i = r->first[c]; i != HR_NONE; i = r->next[i])
        hr_judge_add(r->judge, state, hr_repair_values(r, i), 1);
}

/* The lack of a class after `in` has joined it and `out` has left it. */
static uint32_t lack_after(const repair *r, uint32_t *state, uint32_t in, uint32_t out) {
    if (in != HR_NONE) hr_judge_add(r->judge, state, hr_repair_values(r, in), 1);
    if (out != HR_NONE) hr_judge_remove(r->judge, state, hr_repair_values(r, out), 1);
    uint32_t lack = hr_judge_lack(r->judge, state);
    if (out != HR_NONE) hr_judge_add(r->judge, state, hr_repair_values(r, out), 1);
    if (in != HR_NONE) hr_judge_remove(r->judge, state, hr_repair_values(r, in), 1);
    return lack;
}

/* ---- clusters near a cluster ---- */

static void meet(repair *r, neighbour met) {
    if (r->near_count == HR_REPAIR_NEAR && met.growth >= r->near[HR_REPAIR_NEAR - 1].growth) return;
    uint32_t at = r->near_count < HR_REPAIR_NEAR ? r->near_count++ : HR_REPAIR_NEAR - 1;
    for (; at > 0 && r->near[at - 1].growth > met.growth; at--)
        r->near[at] = r->near[at - 1];
    r->near[at] = met;
}

static uint64_t growth_of(const repair *r, uint32_t c, uint32_t d) {
    uint64_t now = r->size[c] * r->cost[c] + r->size[d] * r->cost[d];
    return (r->size[c] + (uint64_t)r->size[d]) * merged_cost(r, c, d) - now;
}

static void find_near(repair *r, uint32_t c) {
    r->near_count = 0;
    for (int side = -1; side <= 1; side += 2) {
        uint32_t seen = 0;
        for (int64_t i = (int64_t)r->at[c] + side; i >= 0 && i < r->count && seen < WINDOW;
             i += side) {
            uint32_t d = r->order[i];
            if (r->size[d] == 0) continue;
            seen++;
            meet(r, (neighbour){d, growth_of(r, c, d)});
        }
    }
}

/* ---- exchanges ---- */

/* The rows of a cluster that may be exchanged; for each the cost per row of the other cluster after
 * the row has joined it, and the first candidate with the same sensitive values. */
typedef struct {
    uint32_t count, place[MEMBERS], like[MEMBERS];
    uint64_t cost[MEMBERS];
} candidates;

/* Whether an exchange helps, which depends on the sensitive values of its rows alone. */
typedef enum { UNKNOWN, HELPS, USELESS } verdict;

static bool same_values(const repair *r, uint32_t a, uint32_t b) {
    if (r->type[a] != r->type[b]) return false;
    return !memcmp(hr_repair_values(r, a), hr_repair_values(r, b), r->r * sizeof *r->values);
}

static void list_candidates(const repair *r, uint32_t from, uint32_t to, candidates *out) {
    out->count = 0;
    for (uint32_t i = r->first[from]; i != HR_NONE && out->count < MEMBERS; i = r->next[i]) {
        uint32_t like = 0;
        while (like < out->count && !same_values(r, out->place[like], i))
            like++;
        out->like[out->count] = like;
        out->place[out->count] = i;
        out->cost[out->count++] = cost_with(r, to, i);
    }
}

/* Does the exchange bring the cluster whose state is loaded closer to holding, and the other one no
 * further away? */
static bool helps(const repair *r, exchange e) {
    return lack_after(r, r->state, e.in, e.out) < r->lack &&
           lack_after(r, r->other, e.out, e.in) <= r->other_lack;
}

/* Considers an exchange between cluster c and e.other, whose states are loaded: it becomes the best
 * if it helps and costs less. in_cost, out_cost: cost per row of both after the rows have
 * joined. */
static void offer(repair *r, uint32_t c, exchange e, uint64_t in_cost, uint64_t out_cost,
                  verdict *known, exchange *best) {
    uint64_t rows = r->size[c], others = r->size[e.other];
    e.before = rows * r->cost[c] + others * r->cost[e.other];
    rows += (e.in != HR_NONE) - (uint64_t)(e.out != HR_NONE);
    others += (e.out != HR_NONE) - (uint64_t)(e.in != HR_NONE);
    e.after = rows * in_cost + others * out_cost;
    if (best->other != HR_NONE && e.after + best->before >= best->after + e.before) return;
    if (*known == UNKNOWN) *known = helps(r, e) ? HELPS : USELESS;
    if (*known == HELPS) *best = e;
}

/* Finds the best exchange of cluster c with cluster d, whose states are loaded. */
static void try_cluster(repair *r, uint32_t c, uint32_t d, exchange *best) {
    candidates ins, outs;
    verdict known[MEMBERS + 1][MEMBERS + 1] = {0}; /* by `like`; the last of each: no row */
    r->lack = hr_judge_lack(r->judge, r->state);
    r->other_lack = hr_judge_lack(r->judge, r->other);
    list_candidates(r, d, c, &ins);
    list_candidates(r, c, d, &outs);
    exchange e = {.other = d, .out = HR_NONE};
    for (uint32_t i = 0; i < ins.count; i++) {
        e.in = ins.place[i];
        offer(r, c, e, ins.cost[i], r->cost[d], &known[MEMBERS][ins.like[i]], best);
    }
    bool needed[MEMBERS];
    for (uint32_t o = 0; o < outs.count; o++) {
        e = (exchange){.other = d, .in = HR_NONE, .out = outs.place[o]};
        uint32_t like = outs.like[o];
        needed[o] = like < o ? needed[like] : lack_after(r, r->state, HR_NONE, e.out) > r->lack;
        if (needed[o]) continue; /* by the cluster: the row stays */
        offer(r, c, e, r->cost[c], outs.cost[o], &known[like][MEMBERS], best);
        for (uint32_t i = 0; i < ins.count; i++) {
            e.in = ins.place[i];
            offer(r, c, e, ins.cost[i], outs.cost[o], &known[like][ins.like[i]], best);
        }
    }
}

static void apply(repair *r, uint32_t c, const exchange *e) {
    move_row(r, e->in, c);
    move_row(r, e->out, e->other);
    hr_repair_cover(r, c);
    hr_repair_cover(r, e->other);
}

/* Exchanges rows until the cluster holds. If no exchange helps, undoes all of them and returns
 * false. */
static bool exchange_rows(repair *r, uint32_t c, uint64_t *growth) {
    uint64_t more = 0;
    r->log_count = 0;
    hr_repair_load(r, c, r->state);
    while (!hr_judge_holds(r->judge, r->state)) {
        exchange best = {.other = HR_NONE};
        for (uint32_t i = 0; i < r->near_count && r->log_count < HR_REPAIR_EXCHANGES; i++) {
            hr_repair_load(r, r->near[i].cluster, r->other);
            try_cluster(r, c, r->near[i].cluster, &best);
        }
        if (best.other == HR_NONE) break;
        apply(r, c, &best);
        r->log[r->log_count++] = best;
        more += best.after > best.before ? best.after - best.before : 0;
        hr_repair_load(r, c, r->state);
    }
    *growth = more;
    return hr_judge_holds(r->judge, r->state);
}

static void undo_exchanges(repair *r, uint32_t c) {
    while (r->log_count > 0) {
        exchange e = r->log[--r->log_count];
        apply(r, c, &(exchange){.other = e.other, .in = e.out, .out = e.in});
    }
}

/* ---- merging ---- */

static void merge(repair *r, uint32_t c, uint32_t d) {
    while (r->first[d] != HR_NONE)
        move_row(r, r->first[d], c);
    hr_repair_cover(r, c);
}

/* The cluster to merge with: the cheapest with which the union holds, else the one with which it
 * lacks least. HR_NONE: there is no other cluster. */
static neighbour find_partner(repair *r, uint32_t c, bool *holds) {
    neighbour best = {.cluster = HR_NONE};
    uint32_t least = UINT32_MAX;
    hr_repair_load(r, c, r->state);
    for (uint32_t i = 0; i < r->near_count; i++) {
        hr_repair_load(r, r->near[i].cluster, r->other);
        hr_judge_merge(r->judge, r->other, r->state);
        uint32_t lack = hr_judge_lack(r->judge, r->other);
        if (best.cluster != HR_NONE && lack >= least) continue;
        best = r->near[i];
        least = lack;
    }
    *holds = least == 0;
    return best;
}

/* Makes a cluster hold by exchanges or by merging it, whichever costs less, else dissolves it. */
static void repair_cluster(repair *r, uint32_t c) {
    bool holds;
    uint64_t growth;
    find_near(r, c);
    neighbour partner = find_partner(r, c, &holds);
    bool exchanged = exchange_rows(r, c, &growth);
    if (exchanged && (!holds || growth <= partner.growth)) return;
    undo_exchanges(r, c);
    if (holds)
        merge(r, c, partner.cluster);
    else
        hr_repair_dissolve(r, c);
}

/* Merges a cluster until it holds. */
static void merge_cluster(repair *r, uint32_t c) {
    for (;;) {
        bool holds;
        hr_repair_load(r, c, r->state);
        if (hr_judge_holds(r->judge, r->state)) return;
        find_near(r, c);
        neighbour partner = find_partner(r, c, &holds);
        if (partner.cluster == HR_NONE) return;
        merge(r, c, partner.cluster);
    }
}

/* ---- the whole ---- */

static hr_status allocate(repair *r, hr_error *err) {
    size_t rows = r->task->row_count, count = r->count;
    const hr_arena_part parts[] = {
        {&r->first, count, sizeof *r->first},
        {&r->size, count, sizeof *r->size},
        {&r->next, rows, sizeof *r->next},
        {&r->previous, rows, sizeof *r->previous},
        {&r->gen, count * r->t, sizeof *r->gen},
        {&r->value_cost, count * r->t, sizeof *r->value_cost},
        {&r->cost, count, sizeof *r->cost},
        {&r->order, count, sizeof *r->order},
        {&r->at, count, sizeof *r->at},
        {&r->values, rows * r->r, sizeof *r->values},
        {&r->type, rows, sizeof *r->type},
        {&r->loose, rows, sizeof *r->loose},
        {&r->sorted, rows, sizeof *r->sorted},
        {&r->head, rows, sizeof *r->head},
        {&r->strain, hr_judge_strains(r->judge), sizeof *r->strain},
        {&r->state, r->judge->words, sizeof *r->state},
        {&r->other, r->judge->words, sizeof *r->other},
    };
    return hr_arena_parts(&r->arena, parts, sizeof parts / sizeof *parts, err);
}

/* Links the rows of each cluster, and lists the clusters by the rank of their first row. */
static void load_clusters(repair *r) {
    uint32_t rows = r->task->row_count, met = 0;
    memset(r->first, 0xff, r->count * sizeof *r->first);
    for (uint32_t place = rows; place-- > 0;) {
        hr_judge_values(r->judge, r->task->rows[place], r->values + place * r->r);
        hr_repair_link(r, place, r->cluster[place]);
    }
    memset(r->at, 0xff, r->count * sizeof *r->at);
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t place = r->task->by_rank[i], c = r->cluster[place];
        r->type[place] = r->task->type[i];
        if (r->at[c] != HR_NONE) continue;
        r->at[c] = met;
        r->order[met++] = c;
    }
    for (uint32_t c = 0; c < r->count; c++)
        hr_repair_cover(r, c);
}

static void number_clusters(const repair *r, hr_clusters *out) {
    uint32_t *number = r->at; /* not needed any more */
    out->count = 0;
    for (uint32_t c = 0; c < r->count; c++)
        number[c] = r->size[c] ? out->count++ : HR_NONE;
    for (uint32_t place = 0; place < r->task->row_count; place++)
        out->cluster[place] = number[out->cluster[place]];
    free(out->values);
    out->values = NULL;
}

static hr_status each_violating(repair *r, void (*mend)(repair *r, uint32_t c), hr_error *err) {
    for (uint32_t c = 0; c < r->count; c++) {
        if (r->size[c] == 0) continue;
        hr_repair_load(r, c, r->state);
        if (hr_judge_holds(r->judge, r->state)) continue;
        mend(r, c);
        HR_TRY(hr_progress_add(r->task->progress, 0, err));
    }
    return HR_OK;
}

static hr_status repair_all(repair *r, hr_error *err) {
    HR_TRY(allocate(r, err));
    load_clusters(r);
    HR_TRY(each_violating(r, repair_cluster, err));
    HR_TRY(hr_repair_disperse(r, err));
    return each_violating(r, merge_cluster, err);
}

hr_status hr_clusters_repair(const hr_cell_task *task, hr_clusters *clusters, hr_error *err) {
    repair r = {.task = task,
                .judge = task->judge,
                .t = task->data->quasi_count,
                .r = task->judge->width,
                .cluster = clusters->cluster,
                .count = clusters->count};
    hr_status status = repair_all(&r, err);
    if (status == HR_OK) number_clusters(&r, clusters);
    hr_arena_free(&r.arena);
    return status;
}
