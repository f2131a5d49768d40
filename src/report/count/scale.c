/* scale.c - divides the values of an attribute into a few groups, and finds which share of each
 * published value falls into each group; see hr_scale in count.h. */
#include "report/count/count.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- published values ---- */

/* The different published values of quasi-identifier j, in the order of their first clusters. */
static hr_status find_published(const hr_outcome *outcome, size_t j, hr_scale *s, hr_error *err) {
    const hr_partition *p = outcome->partition;
    hr_map64 map = {0};
    hr_status status = HR_OK;
    for (uint32_t c = 0; c < p->cluster_count && status == HR_OK; c++) {
        uint64_t key;
        uint32_t at = 0;
        if (p->means)
            memcpy(&key, &p->means[j * p->cluster_count + c], sizeof key);
        else
            key = (uint64_t)p->values[c * p->quasi_count + j].lo << 32 |
                  p->values[c * p->quasi_count + j].hi;
        status = hr_map64_intern(&map, key, &at, err);
        if (status != HR_OK) break;
        if (at == s->published_count) s->published_count++;
        if (p->means)
            s->means[at] = p->means[j * p->cluster_count + c];
        else
            s->published[at] = p->values[c * p->quasi_count + j];
        s->of_cluster[c] = at;
        s->published_rows[at] += outcome->cluster_size[c];
    }
    hr_map64_free(&map);
    return status;
}

/* ---- trees ---- */

typedef struct {
    uint32_t group, order;
} placed_group;

static int by_order(const void *a, const void *b) {
    const placed_group *x = a, *y = b;
    return (x->order > y->order) - (x->order < y->order);
}

/* Numbers the groups of `shown` in the order of the tree, a group of all others last; rank[g] is
 * the new number. */
static void order_groups(const hr_quasi *quasi, const hr_shown_values *shown, uint32_t *rank) {
    placed_group groups[HR_SHOWN_MOST + 1];
    uint32_t named = shown->count - shown->has_others;
    for (uint32_t g = 0; g < shown->count; g++)
        groups[g] = (placed_group){g, HR_NONE};
    for (uint32_t value = 0; value < quasi->value_count; value++) {
        uint32_t g = shown->of_value[value];
        if (g < named && quasi->tree->order[value] < groups[g].order)
            groups[g].order = quasi->tree->order[value];
    }
    qsort(groups, shown->count, sizeof *groups, by_order);
    for (uint32_t i = 0; i < shown->count; i++)
        rank[groups[i].group] = i;
}

/* Sets group[value]; leaf values in no group of `shown` form a group after the last. */
static hr_status group_leaves(hr_scale *s, const hr_shown_values *shown, uint32_t *group,
                              hr_error *err) {
    const hr_quasi *quasi = s->quasi;
    uint32_t rank[HR_SHOWN_MOST + 1] = {0};
    order_groups(quasi, shown, rank);
    s->count = shown->count;
    s->labels = hr_arena_alloc(&s->arena, shown->count + (size_t)1, sizeof *s->labels, err);
    if (!s->labels) return HR_ENOMEM;
    for (uint32_t g = 0; g < shown->count; g++) {
        const char *text = shown->texts[g];
        s->labels[rank[g]] = hr_arena_text(&s->arena, text, strlen(text), err);
        if (!s->labels[rank[g]]) return HR_ENOMEM;
    }
    for (uint32_t value = 0; value < quasi->value_count; value++) {
        uint32_t g = shown->of_value[value];
        group[value] = g == HR_NONE ? shown->count : rank[g];
    }
    for (uint32_t i = 0; i < quasi->tree->leaf_count; i++)
        s->has_unseen |= group[hr_quasi_leaf_value(quasi, i)] == shown->count;
    if (!s->has_unseen) return HR_OK;
    static const char unseen[] = "(in no row)";
    s->labels[s->count] = hr_arena_text(&s->arena, unseen, strlen(unseen), err);
    return s->labels[s->count++] ? HR_OK : HR_ENOMEM;
}

/* Sets the weights of all published nodes: counts the leaves of each group below them. */
static hr_status weigh_nodes(hr_scale *s, const uint32_t *group, hr_error *err) {
    const hr_quasi *quasi = s->quasi;
    const hr_hierarchy *tree = quasi->tree;
    uint32_t nodes = tree->labels.count;
    uint32_t *number = hr_alloc_raw(nodes, sizeof *number, err); /* of a published node */
    if (!number) return HR_ENOMEM;
    memset(number, 0xff, nodes * sizeof *number);
    for (uint32_t v = 0; v < s->published_count; v++)
        number[s->published[v].lo] = v;
    for (uint32_t i = 0; i < tree->leaf_count; i++) {
        uint32_t g = group[hr_quasi_leaf_value(quasi, i)];
        for (uint32_t node = tree->leaf_node[i]; node != HR_NONE; node = tree->parent[node])
            if (number[node] != HR_NONE)
                s->weight[(size_t)number[node] * s->count + g] += 1.0 / tree->leaves[node];
    }
    free(number);
    return HR_OK;
}

static hr_status scale_tree(hr_scale *s, hr_error *err) {
    hr_shown_values shown;
    uint32_t *group = hr_arena_alloc(&s->arena, s->quasi->value_count, sizeof *group, err);
    if (!group) return HR_ENOMEM;
    HR_TRY(hr_shown_values_make(s->quasi, &shown, err));
    hr_status status = group_leaves(s, &shown, group, err);
    hr_shown_values_free(&shown);
    HR_TRY(status);
    for (uint32_t code = 0; code < s->column->dictionary.count; code++) {
        uint32_t value = s->quasi->value_of_code[code];
        s->of_code[code] = value == HR_NONE ? HR_NONE : group[value];
    }
    s->weight = hr_alloc((size_t)s->published_count * s->count, sizeof *s->weight, err);
    return s->weight ? weigh_nodes(s, group, err) : HR_ENOMEM;
}

/* ---- numbers ---- */

/* Numbers are counted in units of the last digit, from the least number on: 0 .. points - 1. Bin b
 * contains the units bin_start(b) .. bin_start(b + 1) - 1. */
typedef struct {
    double points;
    uint32_t bins;
} ruler;

static double bin_start(const ruler *r, uint32_t b) {
    return ceil(b * r->points / r->bins);
}

static uint32_t bin_of(const ruler *r, double unit) {
    uint32_t b = (uint32_t)fmin(r->bins - 1, floor(unit * r->bins / r->points));
    while (b > 0 && unit < bin_start(r, b))
        b--;
    while (b + 1 < r->bins && unit >= bin_start(r, b + 1))
        b++;
    return b;
}

static void weigh_interval(hr_scale *s, const ruler *r, uint32_t v) {
    double *weight = s->weight + (size_t)v * s->count;
    if (s->means) {
        double unit = rint(hr_quasi_above(s->quasi, s->means[v]));
        weight[bin_of(r, fmin(fmax(unit, 0), r->points - 1))] = 1;
        return;
    }
    double lo = hr_quasi_units(s->quasi, s->published[v].lo);
    double end = hr_quasi_units(s->quasi, s->published[v].hi) + 1;
    for (uint32_t b = bin_of(r, lo); b < r->bins; b++) {
        double from = fmax(lo, bin_start(r, b)), to = fmin(end, bin_start(r, b + 1));
        if (to <= from) break;
        weight[b] = (to - from) / (end - lo);
    }
}

static hr_status scale_numbers(hr_scale *s, hr_error *err) {
    const hr_quasi *quasi = s->quasi;
    if (quasi->value_count == 0) return HR_OK;
    ruler r = {.points = hr_quasi_units(quasi, quasi->value_count - 1) + 1};
    r.bins = (uint32_t)fmin(HR_SHOWN_MOST, r.points);
    s->count = r.bins;
    s->edges = hr_arena_alloc(&s->arena, r.bins + (size_t)1, sizeof *s->edges, err);
    s->weight = hr_alloc((size_t)s->published_count * s->count, sizeof *s->weight, err);
    if (!s->edges || !s->weight) return HR_ENOMEM;
    for (uint32_t b = 0; b <= r.bins; b++)
        s->edges[b] = quasi->number[0] + (bin_start(&r, b) - 0.5) * hr_quasi_unit(quasi);
    for (uint32_t v = 0; v < s->published_count; v++)
        weigh_interval(s, &r, v);
    for (uint32_t code = 0; code < s->column->dictionary.count; code++) {
        uint32_t value = quasi->value_of_code[code];
        s->of_code[code] = value == HR_NONE ? HR_NONE : bin_of(&r, hr_quasi_units(quasi, value));
    }
    return HR_OK;
}

/* ---- both ---- */

hr_status hr_scale_quasi(const hr_outcome *outcome, size_t j, hr_scale *s, hr_error *err) {
    const hr_quasi *quasi = &outcome->data->quasi[j];
    const hr_partition *p = outcome->partition;
    uint32_t clusters = p->cluster_count;
    *s = (hr_scale){.name = quasi->name, .quasi = quasi, .column = quasi->column};
    const hr_arena_part parts[] = {
        {&s->of_code, quasi->column->dictionary.count, sizeof *s->of_code},
        {&s->of_cluster, clusters, sizeof *s->of_cluster},
        {&s->published_rows, clusters, sizeof *s->published_rows},
        {p->means ? (void *)&s->means : (void *)&s->published, clusters, sizeof(uint64_t)}};
    hr_status status = hr_arena_parts(&s->arena, parts, sizeof parts / sizeof *parts, err);
    if (status == HR_OK) status = find_published(outcome, j, s, err);
    if (status == HR_OK) status = quasi->tree ? scale_tree(s, err) : scale_numbers(s, err);
    if (status != HR_OK) hr_scale_free(s);
    return status;
}

/* ---- other columns ---- */

typedef struct {
    uint64_t rows;
    uint32_t category;
} counted;

static int most_first(const void *a, const void *b) {
    const counted *x = a, *y = b;
    if (x->rows != y->rows) return x->rows > y->rows ? -1 : 1;
    return (x->category > y->category) - (x->category < y->category);
}

/* group[category]: the most frequent categories have a group each, the others share the last. */
static hr_status group_categories(hr_scale *s, const uint32_t *categories, uint32_t count,
                                  hr_error *err) {
    counted *list = hr_alloc(count, sizeof *list, err);
    uint32_t *group = hr_alloc(count, sizeof *group, err);
    if (list && group) {
        for (uint32_t i = 0; i < count; i++)
            list[i].category = i;
        for (size_t row = 0; row < s->column->rows; row++) {
            uint32_t category = categories[hr_column_code(s->column, row)];
            if (category != HR_NONE) list[category].rows++;
        }
        if (count) qsort(list, count, sizeof *list, most_first);
        for (uint32_t i = 0; i < count; i++)
            group[list[i].category] = i < HR_SHOWN_MOST ? i : HR_SHOWN_MOST - 1;
        s->count = count < HR_SHOWN_MOST ? count : HR_SHOWN_MOST;
        for (uint32_t code = 0; code < s->column->dictionary.count; code++)
            s->of_code[code] = categories[code] == HR_NONE ? HR_NONE : group[categories[code]];
    }
    free(list);
    free(group);
    return list && group ? HR_OK : HR_ENOMEM;
}

hr_status hr_scale_column(const char *name, const hr_column *column, const uint32_t *categories,
                          uint32_t category_count, hr_scale *s, hr_error *err) {
    *s = (hr_scale){.name = name, .column = column};
    s->of_code = hr_arena_alloc(&s->arena, column->dictionary.count, sizeof *s->of_code, err);
    hr_status status =
        s->of_code ? group_categories(s, categories, category_count, err) : HR_ENOMEM;
    if (status != HR_OK) hr_scale_free(s);
    return status;
}

void hr_scale_before(const hr_scale *s, double *out) {
    memset(out, 0, s->count * sizeof *out);
    for (size_t row = 0; row < s->column->rows; row++) {
        uint32_t g = s->of_code[hr_column_code(s->column, row)];
        if (g != HR_NONE) out[g]++;
    }
}

void hr_scale_after(const hr_scale *s, double *out) {
    memset(out, 0, s->count * sizeof *out);
    for (uint32_t v = 0; v < s->published_count; v++)
        for (uint32_t g = 0; g < s->count; g++)
            out[g] += (double)s->published_rows[v] * s->weight[(size_t)v * s->count + g];
}

void hr_scale_free(hr_scale *s) {
    free(s->weight);
    hr_arena_free(&s->arena);
    *s = (hr_scale){0};
}
