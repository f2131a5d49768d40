/* bound_check_rows.c - shows that a row never pays: that no feasible box around it is cheaper than
 * its multiplier. Only the rows that are nearer than the multiplier can be in such a box; the
 * distance of two rows is the cost of the smallest box that covers both.
 *
 * Suppose that some of these rows form a class with the row, and choose the one that is farthest
 * from it; the others are nearer. Each of the others adds something to the box around the row and
 * the chosen one. Those that add so much that the cost reaches the multiplier are left out. If the
 * remaining rows cannot form a class, the choice is refuted. Otherwise the argument is repeated for
 * the box of the two, choosing the row that adds most to it, and so on. The row never pays if every
 * choice is refuted. */
#include "bound/bound_check.h"

#include <stdlib.h>
#include <string.h>

enum {
    LOOKS = 1 << 20, /* rows that the proof of one kind may look at */
    MOST_NEAR = 4096 /* near kinds up to which a proof is tried */
};

/* A near kind and what it adds to the cost of the current box. */
typedef struct {
    uint64_t added;
    uint32_t near;
} candidate;

typedef struct {
    const hr_microdata *data;
    uint32_t k, p;
    hr_check_kind *kinds;
    const uint32_t *member;
    uint32_t count;
    uint32_t **value; /* per attribute, per member: number of its value */
    uint32_t **lists; /* per attribute: the values that occur, ascending */
    uint32_t *list_count;
    uint64_t **cost_to; /* per attribute, per value in its list: distance from the own kind */
    uint32_t *near;     /* members nearer than the multiplier */
    uint32_t near_count;
    uint32_t own;        /* the member that the proof is about */
    uint64_t multiplier; /* of its kind */
    uint64_t looks;
    uint64_t *seen; /* per value of one sensitive attribute: the last `now` at which it was met */
    uint64_t now;
    hr_status status; /* of allocations during a proof */
    hr_error *err;
} prover;

/* ---- values and distances ---- */

static int ascending(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static uint32_t value_of(const prover *v, uint32_t i, size_t j) {
    return hr_quasi_value(&v->data->quasi[j], v->kinds[v->member[i]].first);
}

/* Numbers the values of attribute j that occur. */
static hr_status number_values(prover *v, size_t j) {
    uint32_t *list = v->lists[j] = hr_alloc_raw(v->count, sizeof *list, v->err), count = 0;
    v->value[j] = hr_alloc_raw(v->count, sizeof *v->value[j], v->err);
    v->cost_to[j] = hr_alloc_raw(v->count, sizeof *v->cost_to[j], v->err);
    if (!list || !v->value[j] || !v->cost_to[j]) return HR_ENOMEM;
    for (uint32_t i = 0; i < v->count; i++)
        list[i] = value_of(v, i, j);
    qsort(list, v->count, sizeof *list, ascending);
    for (uint32_t i = 0; i < v->count; i++)
        if (i == 0 || list[i] != list[count - 1]) list[count++] = list[i];
    for (uint32_t i = 0; i < v->count; i++)
        v->value[j][i] = hr_find_sorted(list, 0, count, value_of(v, i, j));
    v->list_count[j] = count;
    return HR_OK;
}

/* The cost of an interval is rounded, so it may be one less than the sum of its parts. */
static uint64_t cost_of(const hr_quasi *quasi, uint32_t a, uint32_t b) {
    hr_span both = hr_quasi_join(quasi, (hr_span){a, a}, (hr_span){b, b});
    uint64_t cost = hr_quasi_cost(quasi, both);
    return quasi->tree || cost == 0 ? cost : cost - 1;
}

static void find_near(prover *v) {
    size_t t = v->data->quasi_count;
    for (size_t j = 0; j < t; j++)
        for (uint32_t i = 0; i < v->list_count[j]; i++)
            v->cost_to[j][i] = cost_of(&v->data->quasi[j], value_of(v, v->own, j), v->lists[j][i]);
    v->near_count = 0;
    for (uint32_t i = 0; i < v->count; i++) {
        uint64_t distance = 0;
        for (size_t j = 0; j < t && distance < v->multiplier; j++)
            distance += v->cost_to[j][v->value[j][i]];
        if (distance < v->multiplier && i != v->own) v->near[v->near_count++] = i;
    }
}

/* ---- classes ---- */

static void mark_value(prover *v, uint32_t i, size_t l, uint32_t *values) {
    uint32_t value = hr_sensitive_value(&v->data->sensitive[l], v->kinds[v->member[i]].first);
    if (value == HR_NONE || v->seen[value] == v->now) return;
    v->seen[value] = v->now;
    ++*values;
}

/* Are the own kind, the chosen ones and the first `count` of the others a class? */
static bool is_class(prover *v, const uint32_t *chosen, uint32_t depth, const candidate *others,
                     uint32_t count) {
    uint64_t rows = v->kinds[v->member[v->own]].rows;
    for (uint32_t i = 0; i < depth; i++)
        rows += v->kinds[v->member[chosen[i]]].rows;
    for (uint32_t i = 0; i < count; i++)
        rows += v->kinds[v->member[others[i].near]].rows;
    v->looks += depth + count;
    if (rows < v->k) return false;
    for (size_t l = 0; v->p > 1 && l < v->data->sensitive_count; l++) {
        uint32_t values = 0;
        v->now++;
        mark_value(v, v->own, l, &values);
        for (uint32_t i = 0; i < depth; i++)
            mark_value(v, chosen[i], l, &values);
        for (uint32_t i = 0; i < count && values < v->p; i++)
            mark_value(v, others[i].near, l, &values);
        if (values < v->p) return false;
    }
    return true;
}

/* ---- boxes ---- */

/* Cost of the smallest box that covers the own kind and the chosen ones. */
static uint64_t box_cost(const prover *v, const uint32_t *chosen, uint32_t depth) {
    uint64_t cost = 0;
    for (size_t j = 0; j < v->data->quasi_count; j++) {
        const hr_quasi *quasi = &v->data->quasi[j];
        uint32_t own = value_of(v, v->own, j);
        hr_span all = {own, own};
        for (uint32_t i = 0; i < depth; i++) {
            uint32_t value = value_of(v, chosen[i], j);
            all = hr_quasi_join(quasi, all, (hr_span){value, value});
        }
        cost += hr_quasi_cost(quasi, all);
    }
    return cost;
}

/* Lower bound on what a kind adds to the cost of the box of the chosen ones. The nodes above the
 * own kind's value form a chain, and so do the numbers on each side of it. So in each attribute the
 * kind adds the amount by which it is farther from the own kind than the farthest chosen one. */
static uint64_t added_by(const prover *v, const uint32_t *chosen, uint32_t depth, uint32_t i) {
    uint64_t added = 0;
    for (size_t j = 0; j < v->data->quasi_count; j++) {
        const uint64_t *cost_to = v->cost_to[j];
        const uint32_t *value = v->value[j];
        bool sided = !v->data->quasi[j].tree, left = value[i] < value[v->own];
        uint64_t most = 0;
        for (uint32_t c = 0; c < depth; c++)
            if ((!sided || (value[chosen[c]] < value[v->own]) == left) &&
                cost_to[value[chosen[c]]] > most)
                most = cost_to[value[chosen[c]]];
        if (cost_to[value[i]] > most) added += cost_to[value[i]] - most;
    }
    return added;
}

static int least_first(const void *a, const void *b) {
    const candidate *x = a, *y = b;
    if (x->added != y->added) return x->added < y->added ? -1 : 1;
    return x->near < y->near ? -1 : x->near > y->near;
}

/* Returns true if it is proved that no class of the own kind, the chosen ones and some of the first
 * `count` candidates costs less than the multiplier. Candidates are sorted by what they add.
 * `chosen` has room for one more. */
static bool refute(prover *v, uint32_t *chosen, uint32_t depth, const candidate *from,
                   uint32_t count) {
    if (!is_class(v, chosen, depth, from, count)) return true;
    if (is_class(v, chosen, depth, NULL, 0)) return false;
    candidate *rest = hr_alloc_raw(count, sizeof *rest, v->err);
    bool refuted = rest;
    if (!rest) v->status = HR_ENOMEM;
    for (uint32_t i = count; i-- > 0 && refuted;) {
        if (!is_class(v, chosen, depth, from, i + 1)) break; /* so no part of them is a class */
        uint32_t left = 0;
        chosen[depth] = from[i].near;
        uint64_t cost = box_cost(v, chosen, depth + 1);
        if (cost >= v->multiplier) continue;
        for (uint32_t q = 0; q < i; q++) {
            uint64_t added = added_by(v, chosen, depth + 1, from[q].near);
            if (cost + added < v->multiplier) rest[left++] = (candidate){added, from[q].near};
        }
        v->looks += (uint64_t)i * (depth + 1);
        qsort(rest, left, sizeof *rest, least_first);
        refuted = v->looks < LOOKS && refute(v, chosen, depth + 1, rest, left);
    }
    free(rest);
    return refuted;
}

/* Tries to show that the own kind never pays. */
static hr_status prove_kind(prover *v) {
    find_near(v);
    if (v->near_count > MOST_NEAR) return HR_OK;
    candidate *all = hr_alloc_raw(v->near_count, sizeof *all, v->err);
    uint32_t *chosen = hr_alloc_raw((size_t)v->near_count + 1, sizeof *chosen, v->err);
    if (all && chosen) {
        for (uint32_t i = 0; i < v->near_count; i++)
            all[i] = (candidate){added_by(v, chosen, 0, v->near[i]), v->near[i]};
        qsort(all, v->near_count, sizeof *all, least_first);
        v->looks = 0;
        v->kinds[v->member[v->own]].may_pay = !refute(v, chosen, 0, all, v->near_count);
    }
    hr_status status = all && chosen ? v->status : HR_ENOMEM;
    free(all);
    free(chosen);
    return status;
}

static hr_status prove_kinds(prover *v, hr_progress *progress) {
    uint32_t most = 0;
    for (size_t l = 0; l < v->data->sensitive_count; l++)
        if (v->data->sensitive[l].value_count > most) most = v->data->sensitive[l].value_count;
    v->seen = hr_alloc(most, sizeof *v->seen, v->err);
    v->near = hr_alloc_raw(v->count, sizeof *v->near, v->err);
    if (!v->seen || !v->near) return HR_ENOMEM;
    for (size_t j = 0; j < v->data->quasi_count; j++)
        HR_TRY(number_values(v, j));
    for (v->own = 0; v->own < v->count; v->own++) {
        hr_check_kind *own = &v->kinds[v->member[v->own]];
        own->may_pay = own->multiplier > 0;
        if (!own->may_pay) continue; /* no cost is negative */
        v->multiplier = (uint64_t)own->multiplier;
        HR_TRY(prove_kind(v));
        HR_TRY(hr_progress_add(progress, 0, v->err));
    }
    return HR_OK;
}

hr_status hr_check_rows(const hr_microdata *data, uint32_t k, uint32_t p, hr_check_kind *kinds,
                        const uint32_t *member, uint32_t count, hr_progress *progress,
                        hr_error *err) {
    size_t t = data->quasi_count;
    prover v = {
        .data = data, .k = k, .p = p, .kinds = kinds, .member = member, .count = count, .err = err};
    v.value = hr_alloc(t, sizeof *v.value, err);
    v.lists = hr_alloc(t, sizeof *v.lists, err);
    v.list_count = hr_alloc(t, sizeof *v.list_count, err);
    v.cost_to = hr_alloc(t, sizeof *v.cost_to, err);
    hr_status status = v.value && v.lists && v.list_count && v.cost_to ? HR_OK : HR_ENOMEM;
    if (status == HR_OK) status = prove_kinds(&v, progress);
    for (size_t j = 0; j < t; j++) {
        if (v.value) free(v.value[j]);
        if (v.lists) free(v.lists[j]);
        if (v.cost_to) free(v.cost_to[j]);
    }
    free(v.value);
    free(v.lists);
    free(v.list_count);
    free(v.cost_to);
    free(v.near);
    free(v.seen);
    return status;
}
