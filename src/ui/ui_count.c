/* ui_count.c - counts the table of the job and prices its boundaries. The table is read again only
 * if something other than boundaries, k and p has changed. */
#include "ui/ui_http.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES_MOST = 60000 }; /* of a hierarchy that the page draws */

typedef struct {
    ui_task task;
    unsigned revision;
    const hr_rollup *rollup; /* the rollup in use: that of the desk, or `counted` */
    hr_rollup *counted;      /* a new rollup; NULL: that of the desk is still valid */
    char *basis, *grab_basis;
    char *column; /* whose boundary is grabbed; NULL: the first that has a hierarchy */
    hr_grab *grab;
    size_t grab_size;
    bool whole; /* also prices the grid, which takes long if numbers are cut for every k and p */
    bool again; /* the grid has not been priced yet */
    json_t *trees, *price;
} count_task;

/* ---- JSON ---- */

json_t *ui_numbers_json(const uint64_t *numbers, size_t count) {
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_integer((json_int_t)numbers[i]));
    return list;
}

json_t *ui_lost_json(const hr_lost *lost) {
    const hr_lost_value *value;
    json_t *list = json_array();
    for (size_t i = 0; (value = hr_lost_at(lost, i)); i++)
        json_array_append_new(list, json_pack("[s,s?,I,I]", value->name, value->value,
                                              (json_int_t)value->rows, (json_int_t)value->lost));
    return list;
}

/* Lowest and highest level at which each node occurs. */
static void find_levels(const hr_hierarchy *tree, uint32_t *low, uint32_t *high) {
    uint32_t leaves = hr_hierarchy_leaf_count(tree), levels = hr_hierarchy_level_count(tree);
    for (uint32_t leaf = 0; leaf < leaves; leaf++)
        for (uint32_t level = 0; level < levels; level++) {
            uint32_t node = hr_hierarchy_node_at(tree, leaf, level);
            if (level < low[node]) low[node] = level;
            if (level > high[node]) high[node] = level;
        }
}

/* The greatest depth down to which all nodes can be drawn. */
static uint32_t drawn_depth(const hr_hierarchy_view *view) {
    uint32_t counts[64] = {0}, depth = 0, total = 1;
    const hr_shown_node *shown;
    for (size_t i = 0; (shown = hr_hierarchy_view_at(view, i)); i++)
        if (shown->depth < 64) counts[shown->depth]++;
    while (depth < 63 && (total += counts[depth + 1]) <= NODES_MOST)
        depth++;
    return depth;
}

/* Each node is [id, index of the parent, rows, label, lowest level, highest level]. */
static json_t *nodes_json(const hr_rollup_attribute *a, const hr_hierarchy_view *view,
                          const uint32_t *low, const uint32_t *high, uint32_t *index) {
    json_t *list = json_array();
    const hr_shown_node *shown;
    uint32_t deepest = drawn_depth(view), root = hr_hierarchy_root(a->tree), count = 0;
    for (size_t i = 0; (shown = hr_hierarchy_view_at(view, i)); i++) {
        if (shown->depth > deepest) continue;
        uint32_t node = shown->node;
        index[node] = count++;
        json_array_append_new(
            list, json_pack("[I,I,I,s,I,I]", (json_int_t)node,
                            node == root ? (json_int_t)-1
                                         : (json_int_t)index[hr_hierarchy_parent(a->tree, node)],
                            (json_int_t)a->rows[node], hr_hierarchy_label(a->tree, node),
                            (json_int_t)low[node], (json_int_t)high[node]));
    }
    return list;
}

static json_t *tree_json(const hr_rollup_attribute *a) {
    if (!a->tree) return json_pack("{s:s,s:b}", "name", a->name, "number", 1);
    uint32_t nodes = hr_hierarchy_node_count(a->tree), levels = hr_hierarchy_level_count(a->tree);
    uint32_t *numbers = malloc((size_t)nodes * 3 * sizeof *numbers);
    hr_hierarchy_view *view = NULL;
    json_t *out = NULL, *names = json_array();
    for (uint32_t level = 0; level < levels; level++) {
        const char *name = hr_hierarchy_level_name(a->tree, level);
        json_array_append_new(names, name ? json_string(name) : json_null());
    }
    if (numbers && hr_hierarchy_show(a->tree, NULL, &view, NULL) == HR_OK) {
        memset(numbers, 0xff, nodes * sizeof *numbers);
        memset(numbers + nodes, 0, nodes * sizeof *numbers);
        find_levels(a->tree, numbers, numbers + nodes);
        out = json_pack("{s:s,s:b,s:O,s:I,s:o}", "name", a->name, "number", 0, "levels", names,
                        "total", (json_int_t)nodes, "nodes",
                        nodes_json(a, view, numbers, numbers + nodes, numbers + 2 * (size_t)nodes));
    }
    hr_hierarchy_view_free(view);
    json_decref(names);
    free(numbers);
    return out;
}

static json_t *trees_json(const hr_rollup *rollup) {
    const hr_rollup_attribute *attribute;
    json_t *list = json_array();
    for (size_t j = 0; (attribute = hr_rollup_at(rollup, j)); j++)
        json_array_append_new(list, tree_json(attribute));
    return list;
}

/* {COLUMN: [node, ...]} */
static json_t *drawn_json(const hr_rollup *rollup, const hr_job *job, bool finest) {
    const hr_rollup_attribute *attribute;
    json_t *object = json_object();
    for (size_t j = 0; (attribute = hr_rollup_at(rollup, j)); j++) {
        uint32_t *nodes;
        size_t count;
        if (!attribute->tree ||
            hr_rollup_nodes(rollup, job, j, finest, &nodes, &count, NULL) != HR_OK)
            continue;
        json_t *list = json_array();
        for (size_t i = 0; i < count; i++)
            json_array_append_new(list, json_integer((json_int_t)nodes[i]));
        json_object_set_new(object, attribute->name, list);
        hr_free(nodes);
    }
    return object;
}

/* ---- The grid ---- */

static bool has_sensitive(const hr_job *job) {
    for (size_t i = 0; i < hr_job_column_count(job); i++) {
        const char *role = hr_job_column_role(job, i);
        if (role && !strcmp(role, "sensitive")) return true;
    }
    return false;
}

/* Stores the usual numbers of a key and that of the job; returns how many there are. */
static size_t put_axis(const hr_job *job, const char *key, int64_t *out) {
    static const int64_t ks[] = {2, 3, 5, 10, 20, 50, 100}, ps[] = {1, 2, 3, 4, 5};
    bool is_k = *key == 'k';
    const int64_t *from = is_k ? ks : ps;
    size_t count = is_k ? sizeof ks / sizeof *ks : sizeof ps / sizeof *ps, at = 0;
    const char *text = hr_job_get(job, key);
    uint64_t own = 0;
    if (!text || !hr_parse_uint(text, INT64_MAX, &own) || own == 0) own = is_k ? 5 : 1;
    for (size_t i = 0; i < count; i++) {
        if ((int64_t)own < from[i] && (at == 0 || out[at - 1] < (int64_t)own))
            out[at++] = (int64_t)own;
        out[at++] = from[i];
    }
    if ((int64_t)own > out[at - 1]) out[at++] = (int64_t)own;
    return at;
}

void ui_grid_of(const hr_job *job, ui_grid *out) {
    *out = (ui_grid){.ps = {1}, .p = 1}; /* without a sensitive attribute */
    out->k = put_axis(job, "k", out->ks);
    if (has_sensitive(job)) out->p = put_axis(job, "p", out->ps);
}

static const char *first_tree(const hr_rollup *rollup, const char *wanted) {
    const hr_rollup_attribute *attribute;
    const char *first = NULL;
    for (size_t j = 0; (attribute = hr_rollup_at(rollup, j)); j++) {
        if (!attribute->tree) continue;
        if (!first) first = attribute->name;
        if (wanted && !strcmp(wanted, attribute->name)) return attribute->name;
    }
    return first;
}

/* Prices for every k and p from a grab of the boundary, which stays for the user's next drag. */
static hr_status grid_by_grab(count_task *count, const hr_job *job, const ui_grid *grid,
                              json_t **out) {
    const char *column = first_tree(count->rollup, count->column);
    const hr_rollup_attribute *attribute;
    const hr_grabbed *moved;
    hr_error *err = &count->task.err;
    uint32_t *nodes = NULL;
    size_t j = 0, node_count = 0;
    if (!column) return HR_EUNSUP;
    HR_TRY(hr_rollup_grab(count->rollup, job, column, grid->ks, grid->k, grid->ps, grid->p,
                          &count->task.watch, &count->grab, err));
    while ((attribute = hr_rollup_at(count->rollup, j)) && strcmp(attribute->name, column) != 0)
        j++;
    hr_status status = hr_rollup_nodes(count->rollup, job, j, false, &nodes, &node_count, err);
    if (status == HR_OK) status = hr_grab_move(count->grab, nodes, node_count, &moved, err);
    hr_free(nodes);
    HR_TRY(status);
    *out = ui_numbers_json(moved->suppressed, grid->k * grid->p);
    count->grab_size = grid->k * grid->p;
    count->grab_basis = ui_yaml_basis(count->task.text, column);
    return HR_OK;
}

/* Prices as `hedgerow boundaries` counts them, from the table. */
static hr_status grid_by_table(count_task *count, const hr_job *job, const ui_grid *grid,
                               json_t **out) {
    hr_prices *prices;
    HR_TRY(hr_job_boundaries(job, grid->ks, grid->k, grid->ps, grid->p, &count->task.watch, &prices,
                             &count->task.err));
    const hr_price *price;
    *out = json_array();
    for (size_t i = 0; (price = hr_prices_at(prices, i)); i++)
        json_array_append_new(*out, json_integer((json_int_t)price->suppressed));
    hr_prices_free(prices);
    return HR_OK;
}

static json_t *signed_json(const int64_t *numbers, size_t count) {
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_integer((json_int_t)numbers[i]));
    return list;
}

/* ---- The task ---- */

static hr_status price_job(count_task *count, const hr_job *job) {
    ui_grid grid;
    hr_lost *lost;
    json_t *numbers = NULL;
    ui_grid_of(job, &grid);
    HR_TRY(hr_rollup_lost(count->rollup, job, &count->task.watch, &lost, &count->task.err));
    const hr_lost_figures *figures = hr_lost_result(lost);
    hr_status status =
        ui_yaml_cuts(count->task.text) ? HR_EUNSUP : grid_by_grab(count, job, &grid, &numbers);
    count->again = status == HR_EUNSUP && !count->whole;
    if (count->again) {
        numbers = json_null();
        status = HR_OK;
    } else if (status == HR_EUNSUP) {
        status = grid_by_table(count, job, &grid, &numbers);
    }
    if (status == HR_OK)
        count->price = json_pack(
            "{s:I,s:I,s:I,s:I,s:I,s:I,s:o,s:o,s:o,s:o,s:o,s:o}", "revision",
            (json_int_t)count->revision, "k", (json_int_t)figures->k, "p", (json_int_t)figures->p,
            "rows", (json_int_t)figures->rows, "suppressed", (json_int_t)figures->suppressed,
            "dropped", (json_int_t)figures->dropped, "lost", ui_lost_json(lost), "ks",
            signed_json(grid.ks, grid.k), "ps", signed_json(grid.ps, grid.p), "grid", numbers,
            "boundaries", drawn_json(count->rollup, job, false), "finest",
            drawn_json(count->rollup, job, true));
    hr_lost_free(lost);
    return status;
}

static void prepare(ui_task *task) {
    count_task *count = (count_task *)task;
    const ui_desk *desk = task->desk;
    if (count->basis && desk->basis && !strcmp(count->basis, desk->basis))
        count->rollup = desk->rollup;
}

static void work(ui_task *task) {
    count_task *count = (count_task *)task;
    hr_job *job;
    task->status = ui_task_job(task, &job);
    if (task->status == HR_OK && !count->rollup) {
        task->status = hr_job_rollup(job, &task->watch, &count->counted, &task->err);
        count->rollup = count->counted;
        if (task->status == HR_OK) count->trees = trees_json(count->rollup);
    }
    if (task->status == HR_OK) task->status = price_job(count, job);
    hr_job_free(job);
}

static void start(ui_desk *desk, bool whole);

static void take_rollup(ui_desk *desk, count_task *count) {
    ui_grab_drop(desk);
    hr_rollup_free(desk->rollup);
    desk->rollup = count->counted;
    count->counted = NULL;
    ui_replace(&desk->basis, count->basis);
    count->basis = NULL;
    json_decref(desk->trees);
    desk->trees = count->trees;
    count->trees = NULL;
    desk->tree_revision++;
}

static void finish(ui_task *task) {
    count_task *count = (count_task *)task;
    ui_desk *desk = task->desk;
    if (count->counted && count->trees) take_rollup(desk, count);
    if (count->grab && count->grab_basis && count->rollup == desk->rollup) {
        ui_grab_drop(desk);
        desk->grab = count->grab;
        desk->grab_size = count->grab_size;
        desk->grab_basis = count->grab_basis;
        count->grab = NULL;
        count->grab_basis = NULL;
    }
    if (count->revision != desk->revision || task->status == HR_ECANCEL) return;
    char *message = task->status == HR_OK ? NULL : ui_shown(desk, task->err.message);
    snprintf(desk->problem, sizeof desk->problem, "%s", message ? message : "");
    free(message);
    json_decref(desk->price);
    desk->price = count->price;
    count->price = NULL;
    if (count->again && desk->price)
        start(desk, true);
    else
        ui_suggest_now(desk);
}

static void discard(ui_task *task) {
    count_task *count = (count_task *)task;
    hr_grab_free(count->grab); /* before the table that it is of */
    hr_rollup_free(count->counted);
    free(count->basis);
    free(count->grab_basis);
    free(count->column);
    json_decref(count->trees);
    json_decref(count->price);
}

static void start(ui_desk *desk, bool whole) {
    count_task *count = (count_task *)ui_task_new(desk, "count", sizeof *count);
    if (!count) return;
    count->task.prepare = prepare;
    count->task.work = work;
    count->task.finish = finish;
    count->task.discard = discard;
    count->revision = desk->revision;
    count->basis = count->task.text ? ui_yaml_basis(count->task.text, NULL) : NULL;
    count->whole = whole;
    count->task.prices = true;
    if (!count->basis) count->basis = ui_copy("");
    ui_lane_start(&desk->quick, &count->task);
}

void ui_count(ui_desk *desk) {
    start(desk, false);
}
