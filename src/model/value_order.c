/* value_order.c - stores what the job asks of one sensitive attribute alone, and numbers its values
 * in the order in which t-closeness measures distances: by number, by bin, or by leaf of the
 * hierarchy. Afterwards any ascending list of value numbers is in that order. */
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

hr_requirements hr_asked_of(const hr_requirements *asked, const hr_sensitive *sensitive) {
    hr_requirements all = *asked;
    if (!sensitive || !asked->own) return all;
    const hr_demand *own = &sensitive->own;
    if (own->alpha > 0) all.alpha = own->alpha;
    if (own->l > 0) all.l = own->l;
    if (own->entropy_l > 0) all.entropy_l = own->entropy_l;
    if (own->recursive_c > 0) all.recursive_c = own->recursive_c;
    if (own->recursive_l > 0) all.recursive_l = own->recursive_l;
    if (own->t > 0) all.t = own->t;
    return all;
}

void hr_demand_relax(hr_demand *own, const hr_model *model, double value) {
    size_t at = model->options->offset;
    if (at == offsetof(hr_requirements, alpha)) own->alpha = value;
    if (at == offsetof(hr_requirements, l)) own->l = (int64_t)value;
    if (at == offsetof(hr_requirements, entropy_l)) own->entropy_l = value;
    if (at == offsetof(hr_requirements, recursive_c)) own->recursive_c = value;
    if (at == offsetof(hr_requirements, t)) own->t = value;
}

/* A value with its sort key. */
typedef struct {
    double key;
    uint32_t value;
} placed;

static int by_key(const void *a, const void *b) {
    const placed *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->value < y->value ? -1 : x->value > y->value;
}

static hr_status misplaced(const hr_sensitive *s, uint32_t code, const hr_hierarchy *tree,
                           hr_error *err) {
    size_t row = 0;
    while (hr_column_code(s->column, row) != code)
        row++;
    if (tree)
        return hr_fail(err, HR_EDATA, "row %zu, column '%s': the value is not a leaf of %s",
                       row + 1, s->column->name, tree->source);
    return hr_fail(err, HR_EDATA,
                   "row %zu, column '%s': the ordered distance needs numbers, and this value is "
                   "none; correct it, list it under `missing`, or give a hierarchy whose leaves "
                   "are in order",
                   row + 1, s->column->name);
}

/* Sets the key of each value, from any of its codes. */
static hr_status find_keys(const hr_sensitive *s, const hr_hierarchy *tree, placed *order,
                           hr_error *err) {
    const hr_dictionary *texts = &s->column->dictionary;
    for (uint32_t code = 0; code < texts->count; code++) {
        uint32_t value = s->value_of_code[code];
        if (value == HR_NONE) continue;
        const char *text = hr_dictionary_text(texts, code);
        placed *own = &order[value];
        own->value = value;
        if (tree) {
            uint32_t node = hr_hierarchy_find(tree, text);
            if (node == HR_NONE || !tree->is_leaf[node]) return misplaced(s, code, tree, err);
            own->key = tree->order[node];
        } else if (!hr_parse_number(text, s->point, &own->key)) {
            return misplaced(s, code, NULL, err);
        }
    }
    return HR_OK;
}

/* Renumbers the values by key. Texts of equal numbers, such as 1 and 1.0, become one value. */
static hr_status renumber(hr_sensitive *s, placed *order, bool tree, hr_error *err) {
    uint32_t *number = hr_alloc_raw(s->value_count, sizeof *number, err);
    if (!number) return HR_ENOMEM;
    qsort(order, s->value_count, sizeof *order, by_key);
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->value_count; i++) {
        bool same = i > 0 && !tree && order[i].key == order[i - 1].key;
        if (!same) count++;
        number[order[i].value] = count - 1;
        order[count - 1] = order[i];
    }
    for (uint32_t code = 0; code < s->column->dictionary.count; code++)
        if (s->value_of_code[code] != HR_NONE)
            s->value_of_code[code] = number[s->value_of_code[code]];
    s->value_count = count;
    free(number);
    return HR_OK;
}

static hr_status find_joins(hr_sensitive *s, const placed *order, const hr_hierarchy *tree,
                            hr_error *err) {
    hr_arena arena = {0};
    hr_preorder nodes;
    s->height = tree->height[tree->root];
    s->join = hr_alloc(s->value_count, sizeof *s->join, err);
    if (!s->join) return HR_ENOMEM;
    hr_status status = hr_preorder_make(tree, &arena, &nodes, err);
    for (uint32_t v = 0; v + 1 < s->value_count && status == HR_OK; v++) {
        uint32_t joined =
            hr_preorder_join(&nodes, (uint32_t)order[v].key, (uint32_t)order[v + 1].key);
        s->join[v] = tree->height[nodes.node[joined]];
    }
    hr_arena_free(&arena);
    return status;
}

static hr_status arrange(hr_sensitive *s, const hr_hierarchy *tree, hr_error *err) {
    placed *order = hr_alloc(s->value_count, sizeof *order, err);
    if (!order) return HR_ENOMEM;
    hr_status status = find_keys(s, tree, order, err);
    if (status == HR_OK) status = renumber(s, order, tree != NULL, err);
    if (status == HR_OK && tree && s->distance == HR_DISTANCE_HIERARCHICAL)
        status = find_joins(s, order, tree, err);
    free(order);
    return status;
}

hr_status hr_sensitive_demand(hr_sensitive *s, const hr_demand *own, const hr_requirements *asked,
                              const hr_hierarchy *tree, hr_error *err) {
    s->own = *own;
    hr_requirements all = hr_asked_of(asked, s);
    s->referred = all.t > 0 && all.t < 1;
    s->distance = own->distance ? own->distance - 1 : asked->distance;
    if (!s->referred) s->distance = HR_DISTANCE_EQUAL;
    if (s->distance == HR_DISTANCE_EQUAL || (s->binned && s->distance == HR_DISTANCE_ORDERED))
        return HR_OK;
    if (!tree && s->distance == HR_DISTANCE_HIERARCHICAL)
        return hr_fail(err, HR_EINVAL, "column '%s': the hierarchical distance needs a hierarchy",
                       s->column->name);
    if (tree && tree->height[tree->root] > HR_VALUE_HEIGHT_MAX)
        return hr_fail(err, HR_EDATA, "%s has more than %d levels", tree->source,
                       HR_VALUE_HEIGHT_MAX);
    return arrange(s, tree, err);
}
