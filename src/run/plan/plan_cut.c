/* plan_cut.c - cuts cells that are too large for one process into parts that can be run apart. A
 * cut works on combinations of values with their counts, not on rows, and from the top down: a
 * group of combinations is divided at a place in the order of one attribute, between two children
 * of the lowest node that covers the group, or between two numbers. A division is admissible if
 * both sides satisfy the models, so that every row of the cell can still be released.
 *
 * To choose a division, a pilot draws some combinations as seeds and finds, for each seed, the
 * nearest combinations that satisfy the models together with it: roughly the seed's class. The cost
 * of a division is the number of seeds that it separates from some of these. Among the cheapest
 * divisions the most even is taken. The result depends on the combinations and their counts
 * alone. */
#include "run/plan/plan.h"

#include <stdlib.h>
#include <string.h>

enum { SEEDS = 64, SAMPLE_MOST = 8192, SHARE_LEAST = 8 };

/* A division of the current group: combinations with a place before `from` are on the low side. */
typedef struct {
    size_t attribute;
    uint32_t from;
    bool uneven;      /* a side has less than 1 / SHARE_LEAST of the rows */
    uint32_t parted;  /* seeds that it separates from some of their combinations */
    uint64_t low;     /* rows on the low side */
    uint64_t balance; /* difference between the sides */
    bool found;
} division;

typedef struct {
    uint64_t cost;
    uint32_t at, item; /* at: in the group, whose order depends on values alone */
} near_item;

typedef struct {
    hr_plan *plan;
    const hr_microdata *data; /* of the combinations */
    const uint32_t *counts;
    uint64_t most;
    uint64_t key;     /* of the cell */
    uint32_t **place; /* per attribute and combination */
    uint32_t *order, *spare;
    hr_judge judge;
    uint32_t *low, *high; /* states of the two sides */
    uint32_t *values;     /* of a combination, for the judge */
    near_item *near;
    uint32_t *least, *greatest; /* per seed and attribute: places of its combinations */
    size_t parts;
    hr_error *err;
} cutter;

/* ---- places ---- */

/* The place of a value in the order of its attribute: values of a subtree are neighbours. */
static uint32_t place_of(const hr_quasi *quasi, uint32_t value) {
    return quasi->tree ? quasi->tree->order[value] : value;
}

uint64_t hr_plan_part_key(const hr_plan *plan, const hr_plan_cut_root *cut,
                          const uint32_t *values) {
    const hr_plan_node *node = &plan->nodes[cut->root];
    while (node->attribute != HR_NONE) {
        const hr_quasi *quasi = &plan->domain.data.quasi[node->attribute];
        bool low = place_of(quasi, values[node->attribute]) < node->from;
        node = &plan->nodes[low ? node->low : node->high];
    }
    return node->key;
}

const hr_plan_cell *hr_plan_find_part(const hr_plan *plan, uint64_t key) {
    for (size_t i = 0; i < plan->part_count; i++)
        if (plan->parts[i].key == key) return &plan->parts[i];
    return NULL;
}

const hr_plan_cut_root *hr_plan_cut_of(const hr_plan *plan, uint64_t key) {
    for (size_t i = 0; i < plan->cut_count; i++)
        if (plan->cuts[i].key == key) return &plan->cuts[i];
    return NULL;
}

/* ---- the pilot ---- */

static int by_cost(const void *a, const void *b) {
    const near_item *x = a, *y = b;
    if (x->cost != y->cost) return x->cost < y->cost ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static hr_span value_at(const cutter *c, size_t j, uint32_t item) {
    uint32_t value = hr_quasi_value(&c->data->quasi[j], item);
    return (hr_span){value, value};
}

/* The cost per row of publishing two combinations as one. */
static uint64_t cost_together(const cutter *c, uint32_t a, uint32_t b) {
    uint64_t cost = 0;
    for (size_t j = 0; j < c->data->quasi_count; j++) {
        const hr_quasi *quasi = &c->data->quasi[j];
        cost += hr_quasi_cost(quasi, hr_quasi_join(quasi, value_at(c, j, a), value_at(c, j, b)));
    }
    return cost;
}

/* Adds a combination to the seed's class, unless the class has enough rows and the combination does
 * not bring it closer to the models. */
static bool take(cutter *c, uint32_t item) {
    bool large = hr_judge_parts_of(&c->judge, c->low).size[0] >= (uint64_t)c->judge.asked.k;
    uint32_t lack = hr_judge_lack(&c->judge, c->low);
    hr_judge_values(&c->judge, item, c->values);
    hr_judge_add(&c->judge, c->low, c->values, c->counts[item]);
    if (!large || hr_judge_lack(&c->judge, c->low) < lack) return true;
    hr_judge_remove(&c->judge, c->low, c->values, c->counts[item]);
    return false;
}

/* Finds the nearest combinations that satisfy the models together with a seed. */
static void follow(cutter *c, size_t s, uint32_t seed, const uint32_t *order, size_t count) {
    size_t t = c->data->quasi_count, step = (count + SAMPLE_MOST - 1) / SAMPLE_MOST, found = 0;
    for (size_t i = 0; i < count; i += step)
        c->near[found++] = (near_item){cost_together(c, seed, order[i]), (uint32_t)i + 1, order[i]};
    c->near[found++] = (near_item){0, 0, seed};
    qsort(c->near, found, sizeof *c->near, by_cost);
    hr_judge_clear(&c->judge, c->low);
    for (size_t j = 0; j < t; j++)
        c->least[s * t + j] = c->greatest[s * t + j] = c->place[j][seed];
    for (size_t i = 0; i < found && !hr_judge_holds(&c->judge, c->low); i++) {
        if (!take(c, c->near[i].item)) continue;
        for (size_t j = 0; j < t; j++) {
            uint32_t place = c->place[j][c->near[i].item];
            if (place < c->least[s * t + j]) c->least[s * t + j] = place;
            if (place > c->greatest[s * t + j]) c->greatest[s * t + j] = place;
        }
    }
}

/* Draws seeds, each with the same share of the rows. */
static void fly(cutter *c, const uint32_t *order, size_t count, uint64_t rows) {
    uint64_t before = 0;
    size_t s = 0;
    for (size_t i = 0; i < count; i++) {
        before += c->counts[order[i]];
        for (; s < SEEDS && before * 2 * SEEDS > (2 * s + 1) * rows; s++)
            follow(c, s, order[i], order, count);
    }
}

/* ---- divisions ---- */

static bool is_better(const division *a, const division *b) {
    if (!b->found) return true;
    if (a->uneven != b->uneven) return b->uneven;
    if (a->uneven && a->balance != b->balance) return a->balance < b->balance;
    if (a->parted != b->parted) return a->parted < b->parted;
    if (a->balance != b->balance) return a->balance < b->balance;
    return false; /* attributes and places ascend */
}

static uint32_t count_parted(const cutter *c, size_t j, uint32_t from) {
    size_t t = c->data->quasi_count;
    uint32_t parted = 0;
    for (size_t s = 0; s < SEEDS; s++)
        parted += c->least[s * t + j] < from && c->greatest[s * t + j] >= from;
    return parted;
}

/* Can a division lie between two neighbours? `top` is the smallest value that covers the group. */
static bool is_between(const cutter *c, size_t j, uint32_t a, uint32_t b, hr_span top) {
    const hr_quasi *quasi = &c->data->quasi[j];
    if (c->place[j][a] == c->place[j][b]) return false;
    return !quasi->tree || hr_quasi_join(quasi, value_at(c, j, a), value_at(c, j, b)).lo == top.lo;
}

/* Moves combinations from the high side to the low side in the order of attribute j, and tries
 * every place on the way. */
static void sweep(cutter *c, size_t j, uint32_t *order, size_t count, uint64_t rows,
                  division *best) {
    const hr_quasi *quasi = &c->data->quasi[j];
    hr_sort_by_key(c->place[j], quasi->value_count, order, c->spare, (uint32_t)count);
    hr_span top = hr_quasi_join(quasi, value_at(c, j, order[0]), value_at(c, j, order[count - 1]));
    uint64_t low = 0;
    hr_judge_clear(&c->judge, c->low);
    hr_judge_clear(&c->judge, c->high);
    for (size_t i = 0; i < count; i++) {
        hr_judge_values(&c->judge, order[i], c->values);
        hr_judge_add(&c->judge, c->high, c->values, c->counts[order[i]]);
    }
    for (size_t i = 0; i + 1 < count; i++) {
        hr_judge_values(&c->judge, order[i], c->values);
        hr_judge_add(&c->judge, c->low, c->values, c->counts[order[i]]);
        hr_judge_remove(&c->judge, c->high, c->values, c->counts[order[i]]);
        low += c->counts[order[i]];
        if (!is_between(c, j, order[i], order[i + 1], top)) continue;
        uint64_t high = rows - low, less = low < high ? low : high;
        division own = {.attribute = j,
                        .from = c->place[j][order[i + 1]],
                        .uneven = less * SHARE_LEAST < rows,
                        .low = low,
                        .balance = low < high ? high - low : low - high,
                        .found = true};
        own.parted = count_parted(c, j, own.from);
        if (is_better(&own, best) && hr_judge_holds(&c->judge, c->low) &&
            hr_judge_holds(&c->judge, c->high))
            *best = own;
    }
}

/* ---- the tree of divisions ---- */

static hr_status add_node(cutter *c, hr_plan_node node, uint32_t *out) {
    hr_plan *plan = c->plan;
    HR_TRY(hr_grow(&plan->nodes, &plan->node_capacity, plan->node_count + 1, sizeof *plan->nodes,
                   c->err));
    *out = (uint32_t)plan->node_count;
    plan->nodes[plan->node_count++] = node;
    return HR_OK;
}

static hr_status add_part(cutter *c, uint64_t rows, uint32_t *out) {
    hr_plan *plan = c->plan;
    uint64_t key = hr_mix(c->key + hr_mix(++c->parts));
    if (key == 0 || hr_plan_find(plan, key) != SIZE_MAX || hr_plan_find_part(plan, key))
        return hr_fail(c->err, HR_EDATA, "two cells have the same key: change rows_per_task");
    HR_TRY(hr_grow(&plan->parts, &plan->part_capacity, plan->part_count + 1, sizeof *plan->parts,
                   c->err));
    const hr_plan_cell *cell = hr_plan_cell_find(plan, c->key);
    plan->parts[plan->part_count++] =
        (hr_plan_cell){.key = key,
                       .rows = rows,
                       .released = cell->released == HR_PLAN_UNKNOWN ? HR_PLAN_UNKNOWN : rows};
    return add_node(c, (hr_plan_node){.attribute = HR_NONE, .key = key}, out);
}

/* Divides the group until every part is small enough or cannot be divided. */
static hr_status divide(cutter *c, uint32_t *order, size_t count, uint64_t rows, uint32_t *out) {
    division best = {0};
    if (rows > c->most) {
        fly(c, order, count, rows);
        for (size_t j = 0; j < c->data->quasi_count; j++)
            sweep(c, j, order, count, rows, &best);
    }
    if (!best.found) return add_part(c, rows, out);
    size_t j = best.attribute, low = 0;
    hr_sort_by_key(c->place[j], c->data->quasi[j].value_count, order, c->spare, (uint32_t)count);
    while (c->place[j][order[low]] < best.from)
        low++;
    uint32_t sides[2];
    HR_TRY(add_node(c, (hr_plan_node){.attribute = (uint32_t)j, .from = best.from}, out));
    HR_TRY(divide(c, order, low, best.low, &sides[0]));
    HR_TRY(divide(c, order + low, count - low, rows - best.low, &sides[1]));
    c->plan->nodes[*out].low = sides[0];
    c->plan->nodes[*out].high = sides[1];
    return HR_OK;
}

/* ---- one cell ---- */

static hr_status prepare(cutter *c, size_t rows) {
    const hr_microdata *data = c->data;
    size_t t = data->quasi_count;
    hr_requirements asked = hr_job_asked(c->plan->job);
    HR_TRY(hr_judge_make(data->sensitive, data->sensitive_count, &asked, NULL, &c->judge, c->err));
    c->place = hr_alloc(t, sizeof *c->place, c->err);
    c->order = hr_alloc_raw(rows, sizeof *c->order, c->err);
    c->spare = hr_alloc_raw(rows, sizeof *c->spare, c->err);
    c->low = hr_alloc(c->judge.words, sizeof *c->low, c->err);
    c->high = hr_alloc(c->judge.words, sizeof *c->high, c->err);
    c->values = hr_alloc(c->judge.width + 1, sizeof *c->values, c->err);
    c->near = hr_alloc_raw(SAMPLE_MOST + 2, sizeof *c->near, c->err);
    c->least = hr_alloc(SEEDS * t, sizeof *c->least, c->err);
    c->greatest = hr_alloc(SEEDS * t, sizeof *c->greatest, c->err);
    if (!c->place || !c->order || !c->spare || !c->low || !c->high || !c->values || !c->near ||
        !c->least || !c->greatest)
        return HR_ENOMEM;
    for (size_t j = 0; j < t; j++) {
        c->place[j] = hr_alloc_raw(rows, sizeof **c->place, c->err);
        if (!c->place[j]) return HR_ENOMEM;
        for (size_t row = 0; row < rows; row++)
            c->place[j][row] = place_of(&data->quasi[j], hr_quasi_value(&data->quasi[j], row));
    }
    return HR_OK;
}

/* The combinations in an order that depends on their values alone. */
static hr_status sort_items(cutter *c, size_t rows) {
    const hr_microdata *data = c->data;
    size_t count = 0;
    const hr_column **columns =
        hr_alloc(data->quasi_count + data->sensitive_count, sizeof *columns, c->err);
    if (!columns) return HR_ENOMEM;
    for (size_t j = 0; j < data->quasi_count; j++)
        columns[count++] = data->quasi[j].column;
    for (size_t l = 0; l < data->sensitive_count; l++)
        columns[count++] = data->sensitive[l].column;
    free(c->order);
    hr_status status = hr_rows_order(columns, count, rows, &c->order, c->err);
    free(columns);
    return status;
}

static void clean_up(cutter *c) {
    for (size_t j = 0; c->place && j < c->data->quasi_count; j++)
        free(c->place[j]);
    free(c->place);
    free(c->order);
    free(c->spare);
    free(c->low);
    free(c->high);
    free(c->values);
    free(c->near);
    free(c->least);
    free(c->greatest);
    hr_judge_free(&c->judge);
}

/* Fails unless all combinations lie in the cell and their counts add up to its rows. */
static hr_status check_items(const hr_plan *plan, const hr_plan_part *part, uint64_t key,
                             const uint32_t *counts, uint64_t *rows, hr_error *err) {
    const hr_groups *cells = &part->data.cells[plan->choice.count_boundaries];
    const hr_plan_cell *cell = hr_plan_cell_find(plan, key);
    *rows = 0;
    bool right = cell && cells->count == 1 && part->keys[0] == key;
    for (size_t row = 0; right && row < cells->rows; row++) {
        right = cells->of_row[row] == 0 && counts[row] > 0;
        *rows += counts[row];
    }
    if (right && *rows == cell->rows && !cell->suppressed) return HR_OK;
    return hr_fail(err, HR_EDATA,
                   "hr_plan_cut needs all combinations of one cell that is released, with their "
                   "counts");
}

static hr_status add_cut(hr_plan *plan, uint64_t key, uint32_t root, hr_error *err) {
    HR_TRY(hr_grow(&plan->cuts, &plan->cut_capacity, plan->cut_count + 1, sizeof *plan->cuts, err));
    plan->cuts[plan->cut_count++] = (hr_plan_cut_root){.key = key, .root = root};
    return hr_plan_write_cuts(plan, err);
}

static hr_status cut(cutter *c, uint64_t rows, size_t *parts) {
    hr_plan *plan = c->plan;
    size_t items = c->data->rows, nodes = plan->node_count, before = plan->part_count;
    uint32_t root = 0;
    hr_status status = prepare(c, items);
    if (status == HR_OK) status = sort_items(c, items);
    if (status == HR_OK) status = divide(c, c->order, items, rows, &root);
    *parts = c->parts;
    if (status == HR_OK && c->parts > 1) status = add_cut(plan, c->key, root, c->err);
    if (status != HR_OK || c->parts == 1) {
        plan->node_count = nodes;
        plan->part_count = before;
    }
    return status;
}

hr_status hr_plan_cut(hr_plan *plan, uint64_t key, const hr_table *table, const uint32_t *counts,
                      uint64_t most, size_t *parts, hr_error *err) {
    hr_plan_part part;
    uint64_t rows;
    *parts = 1;
    if (hr_plan_cut_of(plan, key)) return hr_fail(err, HR_EINVAL, "the cell is cut already");
    if (plan->job->unit) return HR_OK; /* counts do not show how many people a part has */
    HR_TRY(hr_plan_part_make(plan, table, HR_PLAN_MODELS, NULL, &part, err));
    cutter c = {.plan = plan,
                .data = &part.data.dataset.data,
                .counts = counts,
                .most = most,
                .key = key,
                .err = err};
    hr_status status = check_items(plan, &part, key, counts, &rows, err);
    if (status == HR_OK) status = cut(&c, rows, parts);
    clean_up(&c);
    hr_plan_part_free(&part);
    return status;
}
