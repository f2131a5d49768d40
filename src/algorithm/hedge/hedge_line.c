/* hedge_line.c - a lower limit on the loss of a cell, attribute by attribute, and the best release
 * of a cell with a single number.
 *
 * A class has k rows. So in each attribute a row costs at least as much as the cheapest value that
 * covers its own value and k rows. If the cell can only be one class, this is the loss of any
 * release.
 *
 * The rows of a cell with a single number lie on a line, and if only k matters, some best release
 * has classes that are consecutive on it. The best cuts are a shortest path: the least loss of all
 * rows up to a place is the minimum, over the last class that ends there, of the least loss up to
 * its first row plus its own loss. Classes so large that they could be cut are not tried, so few
 * remain. */
#include "algorithm/hedge/cover.h"

#include <stdlib.h>
#include <string.h>

/* ---- the lower limit ---- */

/* sum[i]: rows with the first i values of attribute j, in the order of its ruler; `sum` has count +
 * 1 elements. */
static void sum_rows(const hr_kinds *kinds, const hr_rulers *rulers, size_t j, uint64_t *sum) {
    uint32_t count = rulers->of[j].count;
    memset(sum, 0, ((size_t)count + 1) * sizeof *sum);
    for (uint32_t c = 0; c < kinds->combination_count; c++)
        sum[rulers->mark[c * rulers->t + j] + 1] += kinds->combination_rows[c];
    for (uint32_t v = 0; v < count; v++)
        sum[v + 1] += sum[v];
}

/* The lower limit for a tree: for each row, the cost of the lowest node at or above its value that
 * covers k rows. */
static uint64_t least_of_tree(const hr_ruler *ruler, const uint64_t *sum, uint32_t k) {
    const hr_preorder *tree = &ruler->axis->tree;
    uint64_t loss = 0;
    for (uint32_t v = 0; v < ruler->count; v++) {
        uint32_t node = ruler->position[v], lo = v, end = v;
        for (;; node = tree->up[node]) {
            lo = hr_find_sorted(ruler->position, 0, lo + 1, node);
            end = hr_find_sorted(ruler->position, end, ruler->count, tree->end[node]);
            if (node == 0 || sum[end] - sum[lo] >= k) break;
        }
        loss += (sum[v + 1] - sum[v]) * ruler->axis->cost[node];
    }
    return loss;
}

/* The lower limit for a number: for each row, the cost of the cheapest interval around its value
 * that covers k rows. The shortest interval that begins at value i ends at stop[i]. The cheapest
 * one around v either begins at the last i with stop[i] <= v and ends at v, or is one of the
 * shortest ones that begin between that i and v; a queue gives the cheapest of these. */
static uint64_t least_of_number(const hr_ruler *ruler, const uint64_t *sum, uint32_t k,
                                uint32_t *stop, uint32_t *queue) {
    uint32_t count = ruler->count, begins = 0, first = 0, last = 0, inside = HR_NONE;
    uint64_t loss = 0;
    for (uint32_t i = 0, end = 0; i < count; i++, begins = i) {
        while (end < count && sum[end + 1] - sum[i] < k)
            end++;
        if (end == count) break;
        stop[i] = end;
    }
    for (uint32_t v = 0; v < count; v++) {
        if (v < begins) {
            uint32_t own =
                hr_axis_cost(ruler->axis, (hr_span){ruler->position[v], ruler->position[stop[v]]});
            while (last > first &&
                   hr_axis_cost(ruler->axis, (hr_span){ruler->position[queue[last - 1]],
                                                       ruler->position[stop[queue[last - 1]]]}) >=
                       own)
                last--;
            queue[last++] = v;
        }
        for (uint32_t i = inside == HR_NONE ? 0 : inside + 1; i < begins && stop[i] <= v; i++)
            inside = i;
        while (first < last && inside != HR_NONE && queue[first] <= inside)
            first++;
        uint32_t least = UINT32_MAX;
        if (inside != HR_NONE)
            least =
                hr_axis_cost(ruler->axis, (hr_span){ruler->position[inside], ruler->position[v]});
        if (first < last) {
            uint32_t i = queue[first];
            uint32_t own =
                hr_axis_cost(ruler->axis, (hr_span){ruler->position[i], ruler->position[stop[i]]});
            least = own < least ? own : least;
        }
        if (least != UINT32_MAX) loss += (sum[v + 1] - sum[v]) * least;
    }
    return loss;
}

hr_status hr_least_loss(const hr_kinds *kinds, const hr_rulers *rulers, uint64_t *least,
                        hr_error *err) {
    uint32_t most = 0;
    uint64_t *sum;
    uint32_t *stop, *queue;
    hr_arena arena = {0};
    for (size_t j = 0; j < rulers->t; j++)
        most = rulers->of[j].count > most ? rulers->of[j].count : most;
    hr_arena_part parts[] = {
        {&sum, (size_t)most + 1, sizeof *sum},
        {&stop, most, sizeof *stop},
        {&queue, most, sizeof *queue},
    };
    hr_status status = hr_arena_parts(&arena, parts, sizeof parts / sizeof *parts, err);
    *least = 0;
    for (size_t j = 0; j < rulers->t && status == HR_OK; j++) {
        const hr_ruler *ruler = &rulers->of[j];
        sum_rows(kinds, rulers, j, sum);
        *least += ruler->at ? least_of_number(ruler, sum, kinds->k, stop, queue)
                            : least_of_tree(ruler, sum, kinds->k);
    }
    hr_arena_free(&arena);
    return status;
}

/* ---- a line ---- */

enum { TRIED = 256 /* most last classes that are tried at each row */ };

typedef struct {
    const hr_kinds *kinds;
    const hr_ruler *ruler;
    const uint32_t *mark;
    hr_arena arena;
    uint32_t *kind, *row; /* per place of the line: a row's kind, its number in the cell */
    uint64_t *loss;  /* least loss of all rows before each place; UINT64_MAX: no release of them */
    uint32_t *from;  /* first place of the last class before each place */
    uint32_t *count; /* per sensitive value: rows with it in the window */
    uint32_t *distinct; /* per sensitive attribute: values in the window */
} line;

static hr_status start_line(line *l, const hr_rulers *rulers, hr_error *err) {
    const hr_kinds *kinds = l->kinds;
    uint32_t n = kinds->row_count, *at, place = 0;
    hr_arena_part parts[] = {
        {&l->kind, n, sizeof *l->kind},
        {&l->row, n, sizeof *l->row},
        {&l->loss, (size_t)n + 1, sizeof *l->loss},
        {&l->from, (size_t)n + 1, sizeof *l->from},
        {&l->count, kinds->value_start[kinds->r], sizeof *l->count},
        {&l->distinct, kinds->r, sizeof *l->distinct},
        {&at, kinds->combination_count, sizeof *at},
    };
    HR_TRY(hr_arena_parts(&l->arena, parts, sizeof parts / sizeof *parts, err));
    for (uint32_t c = 0; c < kinds->combination_count; c++)
        at[rulers->mark[c]] = c; /* with one attribute, each combination is a different number */
    for (uint32_t v = 0; v < kinds->combination_count; v++)
        for (uint32_t kind = kinds->kind_start[at[v]]; kind < kinds->kind_start[at[v] + 1]; kind++)
            for (size_t i = kinds->place_start[kind]; i < kinds->place_start[kind + 1]; i++) {
                l->kind[place] = kind;
                l->row[place++] = kinds->place[i];
            }
    return HR_OK;
}

static void count_row(line *l, uint32_t place, bool in) {
    const hr_kinds *kinds = l->kinds;
    for (size_t a = 0; a < kinds->r; a++) {
        uint32_t value = kinds->kind_value[l->kind[place] * kinds->r + a];
        if (value == HR_NONE) continue;
        uint32_t *count = &l->count[kinds->value_start[a] + value];
        if (in)
            l->distinct[a] += (*count)++ == 0;
        else
            l->distinct[a] -= --*count == 0;
    }
}

/* Can the rows first .. end - 1, which the window counts, be a class? */
static bool is_class(const line *l, uint32_t first, uint32_t end) {
    if (end - first < l->kinds->k) return false;
    for (size_t a = 0; a < l->kinds->r; a++)
        if (l->distinct[a] < l->kinds->p) return false;
    return true;
}

static uint32_t position_of(const line *l, uint32_t place) {
    return l->ruler->position[l->mark[l->kinds->kind_combination[l->kind[place]]]];
}

static void try_last(line *l, uint32_t first, uint32_t end) {
    if (l->loss[first] == UINT64_MAX) return;
    hr_span value = {position_of(l, first), position_of(l, end - 1)};
    uint64_t loss = l->loss[first] + (uint64_t)(end - first) * hr_axis_cost(l->ruler->axis, value);
    if (loss >= l->loss[end]) return;
    l->loss[end] = loss;
    l->from[end] = first;
}

/* Tries the classes that end before `end` and begin at `last` or up to k rows before it. A longer
 * class could be cut into two that lose no more. */
static void try_classes(line *l, uint32_t last, uint32_t end) {
    uint32_t step = l->kinds->k / TRIED + 1;
    try_last(l, 0, end);
    for (uint32_t first = last; last - first <= l->kinds->k; first -= step) {
        try_last(l, first, end);
        if (first < step) return;
    }
}

static void save_line(const line *l, hr_clusters *out) {
    out->count = 0;
    for (uint32_t end = l->kinds->row_count; end > 0; end = l->from[end], out->count++)
        for (uint32_t i = l->from[end]; i < end; i++)
            out->cluster[l->row[i]] = out->count;
}

hr_status hr_line_release(const hr_kinds *kinds, const hr_rulers *rulers, hr_clusters *out,
                          hr_error *err) {
    line l = {.kinds = kinds, .ruler = rulers->of, .mark = rulers->mark};
    hr_status status = start_line(&l, rulers, err);
    for (uint32_t end = 1, last = 0; status == HR_OK && end <= kinds->row_count; end++) {
        count_row(&l, end - 1, true);
        l.loss[end] = UINT64_MAX;
        if (!is_class(&l, last, end)) continue;
        for (;; last++) { /* the last place at which a class may begin */
            count_row(&l, last, false);
            if (!is_class(&l, last + 1, end)) break;
        }
        count_row(&l, last, true);
        try_classes(&l, last, end);
    }
    if (status == HR_OK) save_line(&l, out);
    hr_arena_free(&l.arena);
    return status;
}
