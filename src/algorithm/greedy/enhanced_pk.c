/* enhanced_pk.c - EnhancedPKClustering (Truta et al. 2008, section 4.2, reconstructed): as many
 * clusters as p allows. The hardest attribute, which allows the fewest, decides how many
 * (hr_most_classes). Clusters are opened along the order of ranks. Each takes rows with new
 * values of the hardest attribute until it has p of them, then rows with new values of the other
 * attributes of which it has fewer than p, then any rows up to k: always the row of least loss that
 * the clusters still to be opened can spare. Clusters that cannot be completed are dissolved in
 * favour of others. With one sensitive attribute the number of clusters is the maximum. */
#include "algorithm/greedy/enhanced.h"

#include "algorithm/greedy/greedy.h"

#include <stdlib.h>
#include <string.h>

/* ---- the current cluster ---- */

static void note_values(hr_enhanced *e, uint32_t item) {
    uint32_t place = e->r ? e->finder->alike(e, item) : 0;
    for (size_t l = 0; l < e->r; l++) {
        uint32_t value = hr_enhanced_value(e, l, place);
        if (value == HR_NONE || e->seen[l][value] == e->stamp) continue;
        e->seen[l][value] = e->stamp;
        e->distinct[l]++;
    }
}

static bool is_new(const hr_enhanced *e, size_t l, uint32_t value) {
    return value != HR_NONE && e->seen[l][value] != e->stamp;
}

static bool lacks(const hr_enhanced *e, size_t l) {
    return e->distinct[l] < e->task->p;
}

/* ---- rows that can be spared ---- */

/* With g rows left of each value, D the values of the current cluster, `need` the number of
 * values that it still needs and m clusters to be opened that need p each, all can be served iff
 * #{v not in D: g > 0} >= need, sum min(g, m) >= p m, sum min(g, m + [v not in D]) >= p m + need.
 * A value may be used if this still holds afterwards. */
static bool can_spare(const hr_enhanced *e, uint32_t used, bool makes_new) {
    uint64_t available = 0, others = 0, all = 0, m = e->to_open, p = e->task->p;
    uint32_t had = e->distinct[e->hardest] + makes_new;
    uint64_t need = had < p ? p - had : 0;
    if (e->left[used] == 0) return false;
    for (uint32_t v = 0; v < e->value_count; v++) {
        uint64_t g = e->left[v] - (v == used);
        bool fresh = is_new(e, e->hardest, v) && v != used;
        available += fresh && g > 0;
        others += g < m ? g : m;
        all += g < m + fresh ? g : m + fresh;
    }
    return available >= need && others >= p * m && all >= p * m + need;
}

static void find_spare(hr_enhanced *e) {
    if (!e->finder->by_definition || e->r == 0 || e->to_open == 0) return;
    for (uint32_t v = 0; v < e->value_count; v++)
        e->spare[v] = can_spare(e, v, is_new(e, e->hardest, v));
}

/* Of the three conditions of can_spare, only sum min(g, m) >= p m can become false. While `need` is
 * not 0, the cluster takes new values, and each lowers both sides of the other two conditions by 1;
 * when `need` is 0, the other two follow from this one. Using a value lowers the sum by 1 unless
 * the value has more than m rows left. So if the sum is p m, only such values can be spared. */
bool hr_enhanced_tight(const hr_enhanced *e) {
    return e->to_open > 0 && e->usable <= (uint64_t)e->task->p * e->to_open;
}

static bool is_spare(const hr_enhanced *e, uint32_t value) {
    if (value == HR_NONE || e->to_open == 0) return true;
    if (e->finder->by_definition) return e->spare[value];
    return e->left[value] > e->to_open || !hr_enhanced_tight(e);
}

static void use_value(hr_enhanced *e, uint32_t value) {
    uint32_t *left = &e->left[value];
    e->usable -= *left <= e->to_open;
    e->plentiful -= *left == e->to_open;
    e->with[*left]--;
    e->with[--*left]++;
}

/* The next cluster becomes the current one. */
static void open_next(hr_enhanced *e) {
    if (e->r) {
        e->usable -= e->plentiful;
        e->plentiful += e->with[e->to_open - 1];
    }
    e->to_open--;
}

bool hr_enhanced_fits(const hr_enhanced *e, hr_pick pick, uint32_t item) {
    if (e->r == 0) return true;
    uint32_t place = e->finder->alike(e, item), value = hr_enhanced_value(e, e->hardest, place);
    uint32_t improved = 0;
    if (!is_spare(e, value)) return false;
    if (pick.kind == HR_PICK_NEW) return is_new(e, e->hardest, value);
    for (size_t l = 0; l < e->r && pick.kind == HR_PICK_LACKING; l++)
        improved += lacks(e, l) && is_new(e, l, hr_enhanced_value(e, l, place));
    return improved >= pick.least;
}

static hr_status take(hr_enhanced *e, uint32_t item, hr_error *err) {
    uint32_t value = e->r ? hr_enhanced_value(e, e->hardest, e->finder->alike(e, item)) : HR_NONE;
    if (value != HR_NONE && e->to_open > 0) use_value(e, value);
    note_values(e, item);
    return e->finder->take(e, item, err);
}

/* ---- members ---- */

typedef struct {
    hr_enhanced *e;
    uint32_t *items; /* of all clusters; those of one cluster are consecutive */
    size_t item_count, room;
    size_t *starts; /* per cluster: position of its first item */
    uint32_t *sizes;
    bool *failed; /* lacks values */
    bool *gone;   /* dissolved */
} clusters;

/* Appends an item to a cluster. The cluster moves to the end of the list if it is not there. */
static hr_status add(clusters *c, uint32_t number, uint32_t item, hr_error *err) {
    size_t size = c->sizes[number];
    if (size == 0) c->starts[number] = c->item_count;
    bool moves = c->starts[number] + size != c->item_count;
    size_t needed = c->item_count + (moves ? size : 0) + 1;
    HR_TRY(hr_grow(&c->items, &c->room, needed, sizeof *c->items, err));
    if (moves) {
        memcpy(c->items + c->item_count, c->items + c->starts[number], size * sizeof *c->items);
        c->starts[number] = c->item_count;
        c->item_count += size;
    }
    c->items[c->item_count++] = item;
    c->sizes[number]++;
    return take(c->e, item, err);
}

static void reopen(clusters *c, uint32_t number) {
    hr_enhanced *e = c->e;
    e->stamp++;
    for (size_t l = 0; l < e->r; l++)
        e->distinct[l] = 0;
    const uint32_t *items = c->items + c->starts[number];
    for (uint32_t i = 0; i < c->sizes[number]; i++)
        note_values(e, items[i]);
    e->finder->reopen(e, number, items, c->sizes[number]);
}

/* ---- the steps ---- */

/* The row with new values of as many as possible of the attributes that lack values. */
static bool find_improving(hr_enhanced *e, uint32_t *item) {
    uint32_t lacking = 0;
    for (size_t l = 0; l < e->r; l++)
        lacking += lacks(e, l);
    for (; lacking > 0; lacking--)
        if (e->finder->find(e, (hr_pick){HR_PICK_LACKING, lacking}, item)) return true;
    return false;
}

static bool is_diverse(const hr_enhanced *e) {
    for (size_t l = 0; l < e->r; l++)
        if (lacks(e, l)) return false;
    return true;
}

static hr_status diversify(clusters *c, uint32_t number, hr_error *err) {
    uint32_t item;
    while (!is_diverse(c->e)) {
        find_spare(c->e);
        c->failed[number] = !find_improving(c->e, &item);
        if (c->failed[number]) return HR_OK;
        HR_TRY(add(c, number, item, err));
    }
    c->failed[number] = false;
    return HR_OK;
}

static hr_status fill(clusters *c, uint32_t number, hr_error *err) {
    uint32_t item;
    while (c->sizes[number] < c->e->task->k) {
        find_spare(c->e);
        if (!c->e->finder->find(c->e, (hr_pick){HR_PICK_ANY, 0}, &item)) break;
        HR_TRY(add(c, number, item, err));
    }
    return HR_OK;
}

static hr_status open_cluster(clusters *c, uint32_t number, hr_error *err) {
    hr_enhanced *e = c->e;
    uint32_t item;
    open_next(e);
    e->start = (uint32_t)((uint64_t)number * e->task->row_count / e->cluster_count);
    reopen(c, number);
    while (e->r && lacks(e, e->hardest)) {
        find_spare(e);
        if (!e->finder->find(e, (hr_pick){HR_PICK_NEW, 0}, &item)) break;
        HR_TRY(add(c, number, item, err));
    }
    HR_TRY(diversify(c, number, err));
    HR_TRY(fill(c, number, err));
    return e->finder->keep(e, err);
}

static void dissolve(clusters *c, uint32_t number) {
    for (uint32_t i = 0; i < c->sizes[number]; i++)
        c->e->finder->give_back(c->e, c->items[c->starts[number] + i]);
    c->sizes[number] = 0;
    c->gone[number] = true;
}

/* Tries to give an unfinished cluster p values and k rows. */
static hr_status complete(clusters *c, uint32_t number, bool *done, hr_error *err) {
    reopen(c, number);
    HR_TRY(diversify(c, number, err));
    if (!c->failed[number]) HR_TRY(fill(c, number, err));
    *done = !c->failed[number] && c->sizes[number] >= c->e->task->k;
    return *done ? c->e->finder->keep(c->e, err) : HR_OK;
}

typedef struct {
    bool failed;
    uint32_t size, number;
} unfinished;

/* Clusters that lack values first; then ascending size. */
static int worst_first(const void *a, const void *b) {
    const unfinished *x = a, *y = b;
    if (x->failed != y->failed) return x->failed ? -1 : 1;
    if (x->size != y->size) return x->size < y->size ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* Dissolves the worst clusters until the best can be completed, then continues with the next best.
 * The last one can always be completed: the cell as a whole satisfies the models. */
static hr_status settle(clusters *c, unfinished *list, size_t count, hr_error *err) {
    size_t worst = 0, best = count;
    while (worst < best) {
        bool done;
        uint32_t number = list[best - 1].number;
        HR_TRY(complete(c, number, &done, err));
        if (done)
            best--;
        else
            dissolve(c, list[worst++].number);
    }
    return HR_OK;
}

/* Announces the items of all clusters that may be dissolved. */
static hr_status recall(const clusters *c, const unfinished *list, size_t count, hr_error *err) {
    size_t most = 0, item_count = 0;
    for (size_t i = 0; i < count; i++)
        most += list[i].size;
    uint32_t *items = hr_alloc_raw(most, sizeof *items, err);
    if (!items) return HR_ENOMEM;
    for (size_t i = 0; i < count; i++)
        for (uint32_t m = 0; m < list[i].size; m++)
            items[item_count++] = c->items[c->starts[list[i].number] + m];
    hr_status status = c->e->finder->recall(c->e, items, item_count, err);
    free(items);
    return status;
}

static hr_status settle_unfinished(clusters *c, hr_error *err) {
    size_t count = 0;
    unfinished *list = hr_alloc_raw(c->e->cluster_count, sizeof *list, err);
    if (!list) return HR_ENOMEM;
    for (uint32_t i = 0; i < c->e->cluster_count; i++)
        if (c->failed[i] || c->sizes[i] < c->e->task->k)
            list[count++] = (unfinished){c->failed[i], c->sizes[i], i};
    qsort(list, count, sizeof *list, worst_first);
    hr_status status = count ? recall(c, list, count, err) : HR_OK;
    if (status == HR_OK) status = settle(c, list, count, err);
    free(list);
    return status;
}

static void renumber(clusters *c, uint32_t from, uint32_t to) {
    hr_enhanced *e = c->e;
    e->finder->renumber(e, from, to);
    for (uint32_t m = 0; m < c->sizes[from]; m++)
        e->out->cluster[e->finder->place(e, c->items[c->starts[from] + m])] = to;
}

static hr_status finish(clusters *c, hr_error *err) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < c->e->cluster_count; i++) {
        if (c->gone[i]) continue;
        if (kept < i) renumber(c, i, kept);
        kept++;
    }
    return c->e->finder->disperse(c->e, kept, err);
}

static hr_status make_clusters(clusters *c, hr_error *err) {
    for (uint32_t i = 0; i < c->e->cluster_count; i++)
        HR_TRY(open_cluster(c, i, err));
    HR_TRY(settle_unfinished(c, err));
    return finish(c, err);
}

static hr_status cluster_rows(hr_enhanced *e, hr_error *err) {
    size_t count = e->cluster_count;
    clusters c = {.e = e};
    const hr_arena_part parts[] = {{&c.starts, count, sizeof *c.starts},
                                   {&c.sizes, count, sizeof *c.sizes},
                                   {&c.failed, count, sizeof *c.failed},
                                   {&c.gone, count, sizeof *c.gone}};
    HR_TRY(hr_arena_parts(&e->arena, parts, sizeof parts / sizeof *parts, err));
    hr_status status = hr_grow(&c.items, &c.room, e->task->row_count, sizeof *c.items, err);
    if (status == HR_OK) status = make_clusters(&c, err);
    free(c.items);
    return status;
}

static hr_status run_with(const hr_finder *finder, const hr_cell_task *task, hr_clusters *out,
                          hr_error *err) {
    hr_enhanced e = {.task = task, .out = out, .finder = finder};
    e.r = task->p > 1 ? task->data->sensitive_count : 0;
    hr_status status = hr_enhanced_prepare(&e, err);
    if (status == HR_OK) status = finder->init(&e, err);
    if (status == HR_OK) status = cluster_rows(&e, err);
    finder->free(&e);
    hr_arena_free(&e.arena);
    return status;
}

static hr_status run_plain(const hr_cell_task *task, hr_clusters *out, hr_error *err) {
    return run_with(&hr_finder_plain, task, out, err);
}

static hr_status run(const hr_cell_task *task, hr_clusters *out, hr_error *err) {
    return run_with(&hr_finder_fast, task, out, err);
}

const hr_algorithm hr_algorithm_enhanced_pk = {
    .name = "enhanced-pk",
    .title = "many small classes where p is hard to reach: as many clusters as p allows",
    .reference = "Truta et al. 2008, EnhancedPKClustering",
    .options = hr_greedy_option_table,
    .options_size = sizeof(hr_greedy_options),
    .enforces_p = true,
    .per_cell =
        &(const hr_cell_search){.wants_layout = true, .run = run, .run_reference = run_plain},
};
