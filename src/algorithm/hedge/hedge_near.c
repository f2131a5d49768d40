/* hedge_near.c - boxes for a cell that has too many to list, or hierarchy-free numbers: those that
 * matter are around combinations that are near each other. From each combination its nearest ones
 * join one after another; from the first that makes the models hold, each distinct box is kept, a
 * few in all. Distances are measured twice, the second time with attributes weighted at random. The
 * boxes of the current clusters, of clusters joined with their nearest ones and of the whole cell
 * are added. */
#include "algorithm/hedge/hedge.h"

#include <stdlib.h>
#include <string.h>

enum {
    NEAREST = 64,   /* combinations around each that are tried */
    BOXES_EACH = 5, /* boxes from each */
    JOINS_EACH = 3, /* clusters that each is joined with */
    WEIGHTS = 3     /* 1, 2, 4: of attributes, drawn */
};

typedef struct {
    uint64_t cost;
    uint32_t at;
} neighbour;

typedef struct {
    const hr_cell_task *task;
    const hr_kinds *kinds;
    const hr_axes *axes;
    size_t t;
    hr_span *value; /* boxes x t */
    size_t value_capacity;
    uint32_t count;
    hr_map64 map; /* hashes of boxes */
    hr_span *box; /* t: the one at hand */
    neighbour nearest[NEAREST];
    uint32_t near_count;
    uint32_t *stamp, stamps;            /* per sensitive value */
    uint32_t *distinct;                 /* per sensitive attribute */
    uint32_t *weight;                   /* per attribute: how much it counts for what is near */
    uint32_t *present_count, **present; /* per attribute: codes that occur */
    uint32_t *local;                    /* combinations x t: which of them */
    uint64_t **cost;                    /* of each, once joined to the seed, weighted */
    hr_random random;
    hr_error *err;
} near_search;

/* ---- a set of boxes ---- */

/* The number of the box at hand, added if new. */
static hr_status add_box(near_search *n, uint32_t *number) {
    size_t size = n->t * sizeof *n->box;
    for (uint64_t salt = 0;; salt++) {
        uint32_t known = n->map.count;
        HR_TRY(hr_map64_intern(&n->map, hr_hash(n->box, size) + salt, number, n->err));
        if (*number != known && memcmp(n->value + *number * n->t, n->box, size)) continue;
        if (*number != known) return HR_OK;
        HR_TRY(hr_grow(&n->value, &n->value_capacity, ((size_t)known + 1) * n->t, sizeof *n->value,
                       n->err));
        memcpy(n->value + known * n->t, n->box, size);
        n->count = n->map.count;
        return HR_OK;
    }
}

static void start_box(near_search *n, uint32_t combination) {
    for (size_t j = 0; j < n->t; j++) {
        uint32_t code = n->kinds->code[combination * n->t + j];
        n->box[j] = (hr_span){code, code};
    }
}

static void join_box(near_search *n, const hr_span *value) {
    for (size_t j = 0; j < n->t; j++)
        n->box[j] = hr_axis_join(&n->axes->of[j], n->box[j], value[j]);
}

static void join_combination(near_search *n, uint32_t combination) {
    for (size_t j = 0; j < n->t; j++) {
        uint32_t code = n->kinds->code[combination * n->t + j];
        n->box[j] = hr_axis_join(&n->axes->of[j], n->box[j], (hr_span){code, code});
    }
}

static uint64_t box_cost(const near_search *n, const hr_span *value) {
    uint64_t cost = 0;
    for (size_t j = 0; j < n->t; j++)
        cost += hr_axis_cost(&n->axes->of[j], value[j]);
    return cost;
}

/* What two values cost once they are joined. */
static uint64_t joined_cost(const near_search *n, const hr_span *a, const hr_span *b) {
    uint64_t cost = 0;
    for (size_t j = 0; j < n->t; j++)
        cost += hr_axis_cost(&n->axes->of[j], hr_axis_join(&n->axes->of[j], a[j], b[j]));
    return cost;
}

/* ---- the nearest ---- */

/* Keep the cheapest `most`, in order. */
static void meet(near_search *n, neighbour met, uint32_t most) {
    if (n->near_count == most && met.cost >= n->nearest[most - 1].cost) return;
    uint32_t at = n->near_count < most ? n->near_count++ : most - 1;
    for (; at > 0 && n->nearest[at - 1].cost > met.cost; at--)
        n->nearest[at] = n->nearest[at - 1];
    n->nearest[at] = met;
}

/* What each code that occurs would cost. */
static void price_codes(near_search *n, size_t j) {
    for (uint32_t i = 0; i < n->present_count[j]; i++) {
        uint32_t code = n->present[j][i];
        hr_span joined = hr_axis_join(&n->axes->of[j], n->box[j], (hr_span){code, code});
        n->cost[j][i] = (uint64_t)n->weight[j] * hr_axis_cost(&n->axes->of[j], joined);
    }
}

static void find_nearest(near_search *n, uint32_t combination) {
    start_box(n, combination);
    n->near_count = 0;
    for (size_t j = 0; j < n->t; j++)
        price_codes(n, j);
    for (uint32_t c = 0; c < n->kinds->combination_count; c++) {
        if (c == combination) continue;
        uint64_t cost = 0;
        for (size_t j = 0; j < n->t; j++)
            cost += n->cost[j][n->local[c * n->t + j]];
        meet(n, (neighbour){cost, c}, NEAREST);
    }
}

/* Count the values of a combination; do all attributes have p? */
static bool count_values(near_search *n, uint32_t combination) {
    const hr_kinds *kinds = n->kinds;
    bool diverse = true;
    for (size_t l = 0; l < kinds->r; l++) {
        for (uint32_t kind = kinds->kind_start[combination];
             kind < kinds->kind_start[combination + 1]; kind++) {
            uint32_t value = kinds->kind_value[kind * kinds->r + l];
            if (value == HR_NONE) continue;
            uint32_t *seen = &n->stamp[kinds->value_start[l] + value];
            n->distinct[l] += *seen != n->stamps;
            *seen = n->stamps;
        }
        diverse = diverse && n->distinct[l] >= kinds->p;
    }
    return diverse;
}

static hr_status boxes_from(near_search *n, uint32_t combination) {
    uint32_t first = n->count, number;
    find_nearest(n, combination);
    n->stamps++;
    memset(n->distinct, 0, n->kinds->r * sizeof *n->distinct);
    uint64_t rows = n->kinds->combination_rows[combination];
    bool diverse = count_values(n, combination);
    if (rows >= n->kinds->k && diverse) HR_TRY(add_box(n, &number));
    for (uint32_t i = 0; i < n->near_count && n->count < first + BOXES_EACH; i++) {
        uint32_t next = n->nearest[i].at;
        join_combination(n, next);
        rows += n->kinds->combination_rows[next];
        diverse = count_values(n, next);
        if (rows >= n->kinds->k && diverse) HR_TRY(add_box(n, &number));
    }
    return HR_OK;
}

/* ---- clusters ---- */

static hr_status cluster_boxes(near_search *n, const hr_clusters *clusters, uint32_t *of_cluster) {
    const hr_kinds *kinds = n->kinds;
    hr_span *value = hr_alloc_raw(clusters->count * n->t, sizeof *value, n->err);
    if (!value) return HR_ENOMEM;
    memset(value, 0xff, clusters->count * n->t * sizeof *value);
    for (uint32_t kind = 0; kind < kinds->kind_count; kind++)
        for (size_t i = kinds->place_start[kind]; i < kinds->place_start[kind + 1]; i++) {
            hr_span *own = value + clusters->cluster[kinds->place[i]] * n->t;
            start_box(n, kinds->kind_combination[kind]);
            if (own->lo != HR_NONE) join_box(n, own);
            memcpy(own, n->box, n->t * sizeof *own);
        }
    hr_status status = HR_OK;
    for (uint32_t c = 0; c < clusters->count && status == HR_OK; c++) {
        memcpy(n->box, value + c * n->t, n->t * sizeof *value);
        status = add_box(n, &of_cluster[c]);
    }
    free(value);
    return status;
}

/* Each cluster's box joined with the boxes that are nearest to it; and all of them together. */
static hr_status join_clusters(near_search *n) {
    uint32_t count = n->count, number;
    for (uint32_t b = 0; b < count; b++) {
        n->near_count = 0;
        for (uint32_t other = 0; other < count; other++)
            if (other != b)
                meet(n,
                     (neighbour){joined_cost(n, n->value + b * n->t, n->value + other * n->t),
                                 other},
                     JOINS_EACH);
        for (uint32_t i = 0; i < n->near_count; i++) {
            memcpy(n->box, n->value + b * n->t, n->t * sizeof *n->box);
            join_box(n, n->value + n->nearest[i].at * n->t);
            HR_TRY(add_box(n, &number));
        }
    }
    memcpy(n->box, n->value, n->t * sizeof *n->box);
    for (uint32_t b = 1; b < count; b++)
        join_box(n, n->value + b * n->t);
    return add_box(n, &number);
}

/* ---- the result ---- */

typedef struct {
    uint64_t cost;
    const hr_span *value;
    size_t t;
    uint32_t box;
} ranked;

static int by_cost(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    if (x->cost != y->cost) return x->cost < y->cost ? -1 : 1;
    for (size_t j = 0; j < x->t; j++) {
        if (x->value[j].lo != y->value[j].lo) return x->value[j].lo < y->value[j].lo ? -1 : 1;
        if (x->value[j].hi != y->value[j].hi) return x->value[j].hi < y->value[j].hi ? -1 : 1;
    }
    return 0;
}

static hr_status add_inside(const near_search *n, const hr_span *value, hr_boxes *out,
                            size_t *capacity, uint32_t **inside, size_t *total) {
    const hr_kinds *kinds = n->kinds;
    for (uint32_t c = 0; c < kinds->combination_count; c++) {
        size_t j = 0;
        while (j < n->t && hr_axis_covers(&n->axes->of[j], value[j], kinds->code[c * n->t + j]))
            j++;
        if (j < n->t) continue;
        HR_TRY(hr_grow(inside, capacity, *total + 1, sizeof **inside, n->err));
        (*inside)[(*total)++] = c;
        out->rows[out->count] += kinds->combination_rows[c];
    }
    return HR_OK;
}

/* The boxes by cost; place[b]: where box b went. */
static hr_status sort_boxes(near_search *n, hr_boxes *out, uint32_t *place) {
    hr_arena *arena = &out->arena;
    ranked *list = hr_alloc_raw(n->count, sizeof *list, n->err);
    uint32_t *inside = NULL;
    size_t capacity = 0, total = 0;
    out->cost = hr_arena_alloc(arena, n->count, sizeof *out->cost, n->err);
    out->rows = hr_arena_alloc(arena, n->count, sizeof *out->rows, n->err);
    out->inside_start = hr_arena_alloc(arena, (size_t)n->count + 1, sizeof(size_t), n->err);
    hr_status status = list && out->cost && out->rows && out->inside_start ? HR_OK : HR_ENOMEM;
    for (uint32_t b = 0; b < n->count && status == HR_OK; b++)
        list[b] = (ranked){box_cost(n, n->value + b * n->t), n->value + b * n->t, n->t, b};
    if (status == HR_OK) qsort(list, n->count, sizeof *list, by_cost);
    for (uint32_t i = 0; i < n->count && status == HR_OK; i++) {
        place[list[i].box] = i;
        out->cost[i] = list[i].cost;
        status = add_inside(n, list[i].value, out, &capacity, &inside, &total);
        out->inside_start[++out->count] = total;
    }
    if (status == HR_OK) out->inside = hr_arena_alloc(arena, total, sizeof *inside, n->err);
    if (status == HR_OK && !out->inside) status = HR_ENOMEM;
    if (status == HR_OK && inside) memcpy(out->inside, inside, total * sizeof *inside);
    free(inside);
    free(list);
    return status == HR_OK ? hr_boxes_set_around(out, n->kinds->combination_count, n->err) : status;
}

static hr_status number_codes(near_search *n, hr_arena *scratch) {
    uint32_t count = n->kinds->combination_count;
    n->local = hr_arena_alloc(scratch, count * n->t, sizeof *n->local, n->err);
    n->present = hr_arena_alloc(scratch, n->t, sizeof *n->present, n->err);
    n->present_count = hr_arena_alloc(scratch, n->t, sizeof *n->present_count, n->err);
    n->cost = hr_arena_alloc(scratch, n->t, sizeof *n->cost, n->err);
    if (!n->local || !n->present || !n->present_count || !n->cost) return HR_ENOMEM;
    for (size_t j = 0; j < n->t; j++) {
        hr_map64 map = {0};
        n->present[j] = hr_arena_alloc(scratch, count, sizeof **n->present, n->err);
        n->cost[j] = hr_arena_alloc(scratch, count, sizeof **n->cost, n->err);
        hr_status status = n->present[j] && n->cost[j] ? HR_OK : HR_ENOMEM;
        for (uint32_t c = 0; c < count && status == HR_OK; c++) {
            uint32_t code = n->kinds->code[c * n->t + j], *own = &n->local[c * n->t + j];
            status = hr_map64_intern(&map, code, own, n->err);
            if (status == HR_OK) n->present[j][*own] = code;
        }
        n->present_count[j] = map.count;
        hr_map64_free(&map);
        HR_TRY(status);
    }
    return HR_OK;
}

static hr_status find_boxes(near_search *n, const hr_clusters *clusters, hr_boxes *out,
                            uint32_t *box_of_row, hr_arena *scratch) {
    const hr_kinds *kinds = n->kinds;
    n->box = hr_arena_alloc(scratch, n->t, sizeof *n->box, n->err);
    n->stamp = hr_arena_alloc(scratch, kinds->value_start[kinds->r], sizeof *n->stamp, n->err);
    n->distinct = hr_arena_alloc(scratch, kinds->r, sizeof *n->distinct, n->err);
    n->weight = hr_arena_alloc(scratch, n->t, sizeof *n->weight, n->err);
    uint32_t *of_cluster = hr_arena_alloc(scratch, clusters->count, sizeof *of_cluster, n->err);
    if (!n->box || !n->stamp || !n->distinct || !n->weight || !of_cluster) return HR_ENOMEM;
    HR_TRY(number_codes(n, scratch));
    HR_TRY(cluster_boxes(n, clusters, of_cluster));
    HR_TRY(join_clusters(n));
    for (uint32_t c = 0; c < kinds->combination_count; c++) {
        for (size_t j = 0; j < n->t; j++)
            n->weight[j] = 1;
        HR_TRY(boxes_from(n, c));
        for (size_t j = 0; j < n->t; j++)
            n->weight[j] = UINT32_C(1) << hr_random_below(&n->random, WEIGHTS);
        HR_TRY(boxes_from(n, c));
        HR_TRY(hr_progress_add(n->task->progress, 0, n->err));
    }
    uint32_t *place = hr_arena_alloc(scratch, n->count, sizeof *place, n->err);
    if (!place) return HR_ENOMEM;
    HR_TRY(sort_boxes(n, out, place));
    for (uint32_t i = 0; i < kinds->row_count; i++)
        box_of_row[i] = place[of_cluster[clusters->cluster[kinds->place[i]]]];
    return HR_OK;
}

hr_status hr_near_boxes(const hr_cell_task *task, const hr_kinds *kinds, const hr_axes *axes,
                        const hr_clusters *clusters, uint64_t stream, hr_boxes *out,
                        uint32_t *box_of_row, hr_error *err) {
    near_search n = {.task = task, .kinds = kinds, .axes = axes, .t = kinds->t, .err = err};
    hr_random_seed(&n.random, task->seed, stream);
    hr_arena scratch = {0};
    *out = (hr_boxes){0};
    hr_status status = find_boxes(&n, clusters, out, box_of_row, &scratch);
    hr_map64_free(&n.map);
    free(n.value);
    hr_arena_free(&scratch);
    if (status != HR_OK) hr_boxes_free(out);
    return status;
}
