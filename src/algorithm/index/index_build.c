/* index_build.c - builds the tree over a cell's combinations. They come sorted by rank, so a
 * range of them is split by the first distinction (layout.h) in which its first and last
 * combination differ. A node never has a single child. The values that cover a node are joined
 * from its children's. */
#include "algorithm/index/index_parts.h"

#include <stdlib.h>
#include <string.h>

/* ---- items and combinations ---- */

/* Items in the order of ranks; equal ranks are one combination. */
static void find_combinations(const hr_cell_task *task, hr_index_rows *rows) {
    uint32_t last = HR_NONE;
    for (uint32_t i = 0; i < task->row_count; i++) {
        rows->combination_count += task->rank[i] != last;
        last = task->rank[i];
        rows->items[i].combination = rows->combination_count - 1;
        rows->items[i].place = task->by_rank[i];
        rows->item_of[rows->items[i].place] = i;
    }
    rows->live_count = task->row_count;
}

static hr_status list_items(hr_index *ix, hr_error *err) {
    hr_index_rows *rows = &ix->rows;
    uint32_t n = ix->task->row_count;
    const hr_arena_part parts[] = {
        {&rows->item_of, n, sizeof *rows->item_of},
        {&rows->items, n, sizeof *rows->items},
        {&rows->taken, n, sizeof *rows->taken},
    };
    HR_TRY(hr_arena_parts(&ix->arena, parts, sizeof parts / sizeof *parts, err));
    find_combinations(ix->task, rows);
    size_t count = rows->combination_count;
    rows->combinations = hr_arena_alloc(&ix->arena, count + 1, sizeof *rows->combinations, err);
    if (!rows->combinations) return HR_ENOMEM;
    for (uint32_t i = n; i-- > 0;) {
        hr_index_combination *own = &rows->combinations[rows->items[i].combination];
        own->start = own->head = i;
        own->left++;
    }
    rows->live_combinations = rows->combination_count;
    rows->combinations[count].start = n;
    memset(ix->out->cluster, 0xff, n * sizeof *ix->out->cluster);
    return HR_OK;
}

/* ---- nodes ---- */

typedef struct {
    hr_index *ix;
    uint32_t count;        /* number of combinations in the tree */
    uint32_t *list;        /* the combinations; NULL: all. Ranges are positions in this list */
    const uint32_t *value; /* values of the listed combinations, t each */
    uint32_t *copy;        /* memory of `value` if it is not the layout's */
    uint32_t *cross;       /* per attribute: see hr_index_cross; UINT32_MAX: none */
    uint32_t *code;        /* stack: codes of the nodes under construction and their siblings */
    size_t room;           /* of `code` */
} tree_builder;

static uint32_t key(const tree_builder *b, const hr_distinction *by, uint32_t combination) {
    return by->key[b->value[combination * b->ix->t + by->quasi]];
}

static uint32_t listed(const tree_builder *b, uint32_t at) {
    return b->list ? b->list[at] : at;
}

static void add_child(tree_builder *b, uint32_t parent, uint32_t first) {
    uint32_t number = b->ix->tree.node_count++;
    b->ix->tree.nodes[number] = (hr_index_node){.combination = listed(b, first)};
    b->ix->tree.parent[number] = parent;
    if (b->ix->low_rows) b->ix->tree.low_row[number] = HR_NONE;
}

/* Least cost of joining a value of this branch with one of another branch; 0 for numbers. */
static uint32_t crossing(const tree_builder *b, const hr_distinction *by, uint32_t branch) {
    const hr_layout_tree *tree = hr_index_hierarchy(b->ix, by->quasi);
    return tree->order.count ? tree->cost[tree->order.up[branch]] : 0;
}

enum { FAN = HR_INDEX_WIDE / 2 }; /* a node is split until it has so many children */
_Static_assert(HR_INDEX_WIDE == 32, "hr_index_node.live has 32 bits");

/* End of the run of equal keys that starts at `at`. */
static uint32_t run_end(const tree_builder *b, const hr_distinction *by, uint32_t at,
                        uint32_t end) {
    uint32_t branch = key(b, by, at);
    while (at < end && key(b, by, at) == branch)
        at++;
    return at;
}

/* Combinations first .. end - 1, which agree in all distinctions before `depth`. */
typedef struct {
    uint32_t first, end, depth;
} range;

/* The ranges that become the children of a node. */
typedef struct {
    range parts[HR_INDEX_WIDE];
    uint32_t count;
} node_split;

/* The first distinction that splits a range. */
static const hr_distinction *find_distinction(const tree_builder *b, range *r) {
    const hr_distinction *by = b->ix->task->layout->distinctions + r->depth;
    for (; key(b, by, r->first) == key(b, by, r->end - 1); by++)
        r->depth++;
    return by;
}

/* Splits a range into its runs of equal keys; false if there is no room for them. The only range
 * of a node is always split: if it has too many runs, several runs form one part, which the same
 * distinction will split again. */
static bool split_range(const tree_builder *b, node_split *s, uint32_t which) {
    range whole = s->parts[which];
    const hr_distinction *by = find_distinction(b, &whole);
    uint32_t runs = 0, each = 1, room = HR_INDEX_WIDE - s->count + 1;
    for (uint32_t at = whole.first; at < whole.end; at = run_end(b, by, at, whole.end))
        runs++;
    if (runs > room && s->count > 1) return false;
    if (runs > room) each = (runs + FAN - 1) / FAN;
    uint32_t made = (runs + each - 1) / each;
    memmove(s->parts + which + made, s->parts + which + 1,
            (s->count - which - 1) * sizeof *s->parts);
    s->count += made - 1;
    for (uint32_t at = whole.first; at < whole.end; which++) {
        uint32_t from = at;
        for (uint32_t run = 0; run < each && at < whole.end; run++) {
            uint32_t cost = crossing(b, by, key(b, by, at));
            if (cost < b->cross[by->quasi]) b->cross[by->quasi] = cost;
            at = run_end(b, by, at, whole.end);
        }
        s->parts[which] = (range){from, at, whole.depth};
    }
    return true;
}

/* The largest range with more than one combination, or HR_NONE. */
static uint32_t largest(const node_split *s) {
    uint32_t best = HR_NONE, most = 1;
    for (uint32_t i = 0; i < s->count; i++)
        if (s->parts[i].end - s->parts[i].first > most) {
            most = s->parts[i].end - s->parts[i].first;
            best = i;
        }
    return best;
}

static uint8_t list_crosses(const tree_builder *b, hr_index_cross *list) {
    uint8_t count = 0;
    for (size_t j = 0; j < b->ix->t; j++)
        if (b->cross[j] != UINT32_MAX) list[count++] = (hr_index_cross){(uint16_t)j, b->cross[j]};
    return count;
}

/* Splits the largest range repeatedly until there are enough children: searches visit few wide
 * nodes faster than many narrow ones. */
static node_split split(tree_builder *b, range whole) {
    node_split s = {.parts = {whole}, .count = 1};
    memset(b->cross, 0xff, b->ix->t * sizeof *b->cross);
    while (s.count < FAN) {
        uint32_t which = largest(&s);
        if (which == HR_NONE || !split_range(b, &s, which)) break;
    }
    return s;
}

static void set_leaf(tree_builder *b, uint32_t node, uint32_t at, uint32_t *code) {
    hr_index *ix = b->ix;
    uint32_t combination = ix->tree.nodes[node].combination;
    uint32_t item = hr_index_first_live(ix, combination);
    ix->rows.combinations[combination].leaf = node;
    ix->tree.nodes[node].child = ix->rows.combinations[combination].head;
    ix->tree.nodes[node].live = item != HR_NONE;
    if (ix->low_rows && item != HR_NONE) ix->tree.low_row[node] = ix->rows.items[item].place;
    hr_index_encode(ix, b->value + at * ix->t, code);
}

/* Sets a node's codes, live bits and lowest row from its children, whose codes are at `below`. */
static void cover_children(const tree_builder *b, uint32_t node, uint32_t *code,
                           const uint32_t *below) {
    hr_index *ix = b->ix;
    const hr_index_node *n = &ix->tree.nodes[node];
    memcpy(code, below, ix->format.stride * sizeof *code);
    for (uint32_t i = 0; i < n->child_count; i++, below += ix->format.stride) {
        if (ix->tree.nodes[n->child + i].live) ix->tree.nodes[node].live |= UINT32_C(1) << i;
        uint32_t low = ix->low_rows ? ix->tree.low_row[n->child + i] : HR_NONE;
        if (ix->low_rows && low < ix->tree.low_row[node]) ix->tree.low_row[node] = low;
        hr_index_join_codes(ix, code, below);
    }
}

/* Builds the subtree of a range. The node's codes go to position `at` of the stack; positions from
 * `top` on are free. Depth first, so that nodes near in the order of ranks are near in memory. */
static hr_status grow(tree_builder *b, uint32_t node, range whole, size_t at, size_t top,
                      hr_error *err) {
    hr_index *ix = b->ix;
    hr_index_node *made = &ix->tree.nodes[node];
    size_t stride = ix->format.stride;
    if (whole.end - whole.first == 1) {
        set_leaf(b, node, whole.first, b->code + at);
    } else {
        hr_index_cross cross[HR_INDEX_WIDE];
        node_split s = split(b, whole);
        made->child = ix->tree.node_count;
        made->child_count = (uint8_t)s.count;
        made->crossing = list_crosses(b, cross);
        for (uint32_t i = 0; i < s.count; i++)
            add_child(b, node, s.parts[i].first);
        size_t end = top + s.count * stride;
        HR_TRY(hr_grow(&b->code, &b->room, end, sizeof *b->code, err));
        for (uint32_t i = 0; i < s.count; i++)
            HR_TRY(grow(b, made->child + i, s.parts[i], top + i * stride, end, err));
        cover_children(b, node, b->code + at, b->code + top);
        HR_TRY(hr_index_add_group(ix, node, cross, b->code + at, b->code + top, err));
    }
    if (!ix->format.narrow || node == 0)
        memcpy(ix->tree.code + node * stride, b->code + at, stride * sizeof *ix->tree.code);
    return HR_OK;
}

/* Values of the listed combinations. The layout's are used directly if all are listed. */
static hr_status load_values(tree_builder *b, hr_error *err) {
    const hr_index *ix = b->ix;
    b->value = ix->task->layout->value;
    if (b->count == ix->task->layout->combination_count) return HR_OK;
    b->value = b->copy = hr_alloc_raw(b->count * ix->t, sizeof *b->copy, err);
    if (!b->copy) return HR_ENOMEM;
    for (size_t i = 0; i < b->count; i++)
        memcpy(b->copy + i * ix->t, hr_index_values(ix, listed(b, (uint32_t)i)),
               ix->t * sizeof *b->copy);
    return HR_OK;
}

static hr_status grow_from(tree_builder *b, hr_error *err) {
    hr_index *ix = b->ix;
    HR_TRY(load_values(b, err));
    HR_TRY(hr_grow(&b->code, &b->room, ix->format.stride, sizeof *b->code, err));
    ix->tree.listed = b->count;
    ix->tree.visits = 0;
    ix->tree.node_count = 0;
    ix->ahead.fetched = 0;
    ix->tree.groups = NULL;
    ix->tree.group_count = ix->tree.group_room = 0;
    add_child(b, 0, 0);
    HR_TRY(grow(b, 0, (range){0, b->count, 0}, 0, ix->format.stride, err));
    return hr_index_keep_groups(ix, err);
}

static hr_status grow_tree(tree_builder *b, hr_error *err) {
    b->cross = hr_alloc_raw(b->ix->t, sizeof *b->cross, err);
    hr_status status = b->cross ? grow_from(b, err) : HR_ENOMEM;
    free(b->cross);
    free(b->copy);
    free(b->code);
    free(b->list);
    return status;
}

/* Rebuilds the tree from the live combinations and the wanted ones, at most `count` of them. */
static hr_status rebuild(hr_index *ix, const bool *wanted, size_t count, hr_error *err) {
    tree_builder b = {.ix = ix};
    b.list = hr_alloc_raw(ix->rows.live_combinations + count, sizeof *b.list, err);
    if (!b.list) return HR_ENOMEM;
    for (uint32_t c = 0; c < ix->rows.combination_count; c++) {
        if (ix->rows.combinations[c].left > 0 || (wanted && wanted[c])) b.list[b.count++] = c;
        ix->rows.combinations[c].leaf = HR_NONE;
    }
    return grow_tree(&b, err);
}

hr_status hr_index_renew(hr_index *ix, hr_error *err) {
    return rebuild(ix, NULL, 0, err);
}

hr_status hr_index_recall(hr_index *ix, const uint32_t *items, size_t count, hr_error *err) {
    bool *wanted = hr_alloc(ix->rows.combination_count, sizeof *wanted, err);
    size_t missing = 0;
    if (!wanted) return HR_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        uint32_t c = ix->rows.items[items[i]].combination;
        wanted[c] = true;
        missing += ix->rows.combinations[c].leaf == HR_NONE;
    }
    ix->tree.recalled = true;
    hr_status status = missing ? rebuild(ix, wanted, count, err) : HR_OK;
    free(wanted);
    return status;
}

static hr_status build_nodes(hr_index *ix, hr_error *err) {
    size_t most = (size_t)ix->rows.combination_count * 2, t = ix->t;
    size_t depth = 8 * ix->task->layout->distinction_count + 2; /* FAN^8 runs exceed 32 bits */
    if (depth > ix->rows.combination_count)
        depth = ix->rows.combination_count; /* inner nodes have two children or more */
    tree_builder b = {.ix = ix, .count = ix->rows.combination_count};
    const hr_arena_part parts[] = {
        {&ix->tree.nodes, most, sizeof *ix->tree.nodes},
        {&ix->tree.parent, most, sizeof *ix->tree.parent},
        {&ix->tree.low_row, ix->low_rows ? most : 0, sizeof *ix->tree.low_row},
        {&ix->tree.code, (ix->format.narrow ? 1 : most) * ix->format.stride, sizeof *ix->tree.code},
        {&ix->path.node, depth, sizeof *ix->path.node},
        {&ix->scratch.way, depth, sizeof *ix->scratch.way},
        {&ix->path.beyond, depth, sizeof *ix->path.beyond},
        {&ix->path.code, ix->format.narrow ? depth * t : 0, sizeof *ix->path.code},
    };
    HR_TRY(hr_arena_parts(&ix->arena, parts, sizeof parts / sizeof *parts, err));
    return grow_tree(&b, err);
}

/* ---- the whole ---- */

static hr_status allocate_cluster(hr_index *ix, hr_error *err) {
    ix->finished.capacity = ix->task->row_count / ix->task->k + 1;
    size_t most = ix->finished.capacity;
    const hr_arena_part parts[] = {
        {&ix->cluster.gen, ix->format.stride, sizeof *ix->cluster.gen},
        {&ix->cluster.near, ix->t, sizeof *ix->cluster.near},
        {&ix->scratch.varying_near, ix->t, sizeof *ix->scratch.varying_near},
        {&ix->cluster.near_row, ix->t, sizeof *ix->cluster.near_row},
        {&ix->cluster.near_for, ix->t, sizeof *ix->cluster.near_for},
        {&ix->cluster.distinct, ix->r, sizeof *ix->cluster.distinct},
        {&ix->finished.size, most, sizeof *ix->finished.size},
        {&ix->finished.gen, most * ix->format.stride, sizeof *ix->finished.gen},
    };
    HR_TRY(hr_arena_parts(&ix->arena, parts, sizeof parts / sizeof *parts, err));
    for (size_t j = 0; j < ix->t; j++) {
        ix->cluster.near_for[j] = HR_NONE;
        const hr_layout_tree *tree = hr_index_hierarchy(ix, j);
        if (tree->near || !tree->order.count || tree->order.count > HR_LAYOUT_ROW) continue;
        ix->cluster.near_row[j] =
            hr_arena_alloc(&ix->arena, tree->order.count, sizeof **ix->cluster.near_row, err);
        if (!ix->cluster.near_row[j]) return HR_ENOMEM;
    }
    return HR_OK;
}

static hr_status lay_out_codes(hr_index *ix, hr_error *err) {
    if (ix->t > UINT16_MAX)
        return hr_fail(err, HR_EINVAL, "%zu quasi-identifiers are too many: at most %d", ix->t,
                       UINT16_MAX);
    ix->format.offset = hr_arena_alloc(&ix->arena, ix->t, sizeof *ix->format.offset, err);
    ix->format.node_cost = hr_arena_alloc(&ix->arena, ix->t, sizeof *ix->format.node_cost, err);
    if (!ix->format.offset || !ix->format.node_cost) return HR_ENOMEM;
    ix->format.narrow = ix->t <= HR_INDEX_VARYING;
    for (size_t j = 0; j < ix->t; j++) {
        const hr_layout_tree *tree = hr_index_hierarchy(ix, j);
        ix->format.offset[j] = ix->format.stride;
        ix->format.stride += tree->order.count ? 1 : 2;
        ix->format.narrow =
            ix->format.narrow && tree->order.count && tree->order.count <= HR_LAYOUT_ROW;
        ix->format.odd = ix->format.odd || tree->odd;
        ix->format.node_cost[j] = tree->order.count ? tree->cost : NULL;
    }
    ix->scratch.unpacked =
        hr_arena_alloc(&ix->arena, ix->format.stride, sizeof *ix->scratch.unpacked, err);
    return ix->scratch.unpacked ? HR_OK : HR_ENOMEM;
}

static hr_status build(hr_index *ix, hr_error *err) {
    HR_TRY(list_items(ix, err));
    HR_TRY(lay_out_codes(ix, err));
    if (ix->r) HR_TRY(hr_types_init(ix, err));
    if (ix->by_type) {
        ix->tree.words = ix->types.sets.words;
        HR_TRY(hr_pairs_init(ix, err));
    }
    HR_TRY(build_nodes(ix, err));
    return allocate_cluster(ix, err);
}

hr_status hr_index_new(const hr_cell_task *task, const hr_index_wants *wants, hr_clusters *out,
                       hr_index **index, hr_error *err) {
    hr_index *ix = hr_alloc(1, sizeof *ix, err);
    if (!ix) return HR_ENOMEM;
    *ix = (hr_index){.task = task,
                     .out = out,
                     .t = task->data->quasi_count,
                     .r = wants->sensitive ? task->data->sensitive_count : 0,
                     .by_row = wants->by_row,
                     .low_rows = wants->furthest || wants->by_row || !wants->sensitive};
    ix->by_seed = wants->seeds && ix->r > 0;
    ix->by_type = wants->diverse && ix->r > 0;
    hr_status status = build(ix, err);
    if (status == HR_OK)
        *index = ix;
    else
        hr_index_free(ix);
    return status;
}

void hr_index_free(hr_index *ix) {
    if (!ix) return;
    if (ix->tree.groups != ix->tree.kept_groups) free(ix->tree.groups);
    hr_arena_free(&ix->arena);
    free(ix);
}
