/* near_box.c - a lower bound on the cost of the cheapest feasible box around a combination, the
 * seed, by branch and bound over the combinations near it.
 *
 * Seen from the seed, a combination is a vector: per attribute, the cost of the smallest value that
 * covers both (two numbers for a numeric attribute, one for each side). The nodes above the seed's
 * value form a chain, so the smallest box around several combinations is the maximum of their
 * vectors, attribute by attribute, and its cost is the sum.
 *
 * A set of combinations that forms a class with the seed has a member that is farthest from the
 * seed. For each choice of this member, the other members are nearer, and enough of them must join
 * to satisfy k and p. If they join in ascending order of what they add to the box, the amount that
 * the last one adds is a lower bound on what the class costs more than the box of the seed and the
 * chosen member. Choices are refined in ascending order of this bound: the same argument is
 * repeated with the box of the chosen members. */
#include "bound/near.h"

#include <stdlib.h>
#include <string.h>

/* The box of the members chosen so far, and the members that may still join: a key is (what joining
 * adds to the cost) << 16 | number of the member. */
typedef struct {
    uint16_t *box; /* per dimension */
    uint32_t *key;
    uint32_t count;
} level;

struct hr_near_boxer {
    hr_arena arena;
    const hr_near_space *space;
    size_t dimensions;
    uint32_t member[HR_NEAR_MOST];
    uint32_t count;
    uint16_t *width;          /* dimension x HR_NEAR_MOST: vectors of the members */
    uint16_t *added;          /* HR_NEAR_MOST: what each member adds to the box looked at */
    level *levels;            /* HR_NEAR_MOST + 1 */
    uint32_t *chosen;         /* per level */
    uint32_t *spare;          /* heap of keys */
    uint32_t *order;          /* choices on the first level */
    bool taken[HR_NEAR_MOST]; /* members of a box that grows */
    uint32_t seed;
    uint32_t best; /* boxes that cost as much or more are not looked for */
    uint64_t work, limit;
    bool over;
    /* The class that is counted: */
    uint64_t rows;
    uint32_t *seen; /* per sensitive value: the last `now` at which it was met */
    uint32_t now;
    uint32_t *values; /* per sensitive attribute */
};

hr_status hr_near_boxer_new(const hr_near_space *space, hr_near_boxer **out, hr_error *err) {
    const hr_kinds *kinds = &space->table->kinds;
    hr_near_boxer *b = *out = hr_alloc(1, sizeof *b, err);
    if (!b) return HR_ENOMEM;
    b->space = space;
    for (size_t j = 0; j < kinds->t; j++)
        b->dimensions += space->table->space.axes[j].axis->cost ? 1 : 2;
    hr_arena_part parts[] = {
        {&b->width, b->dimensions * HR_NEAR_MOST, sizeof *b->width},
        {&b->added, HR_NEAR_MOST, sizeof *b->added},
        {&b->levels, HR_NEAR_MOST + 1, sizeof *b->levels},
        {&b->chosen, HR_NEAR_MOST + 1, sizeof *b->chosen},
        {&b->spare, HR_NEAR_MOST, sizeof *b->spare},
        {&b->order, HR_NEAR_MOST, sizeof *b->order},
        {&b->seen, kinds->value_start[kinds->r], sizeof *b->seen},
        {&b->values, kinds->r, sizeof *b->values},
    };
    HR_TRY(hr_arena_parts(&b->arena, parts, sizeof parts / sizeof *parts, err));
    for (size_t i = 0; i <= HR_NEAR_MOST; i++) {
        hr_arena_part own[] = {
            {&b->levels[i].box, b->dimensions, sizeof *b->levels[i].box},
            {&b->levels[i].key, HR_NEAR_MOST, sizeof *b->levels[i].key},
        };
        HR_TRY(hr_arena_parts(&b->arena, own, sizeof own / sizeof *own, err));
    }
    return HR_OK;
}

void hr_near_boxer_free(hr_near_boxer *b) {
    if (b) hr_arena_free(&b->arena);
    free(b);
}

static inline bool is_before(const hr_near_boxer *b, const uint32_t *x, const uint32_t *y) {
    (void)b;
    return *x < *y;
}

static inline void put_key(const hr_near_boxer *b, uint32_t *heap, size_t at, const uint32_t *key) {
    (void)b;
    heap[at] = *key;
}

HR_HEAP(key, uint32_t, const hr_near_boxer *, is_before, put_key)

/* ---- counting a class ---- */

static void join(hr_near_boxer *b, uint32_t combination) {
    const hr_kinds *kinds = &b->space->table->kinds;
    b->rows += kinds->combination_rows[combination];
    if (!kinds->r) return;
    for (uint32_t kind = kinds->kind_start[combination]; kind < kinds->kind_start[combination + 1];
         kind++)
        for (size_t l = 0; l < kinds->r; l++) {
            uint32_t value = kinds->kind_value[kind * kinds->r + l];
            if (value == HR_NONE || b->seen[kinds->value_start[l] + value] == b->now) continue;
            b->seen[kinds->value_start[l] + value] = b->now;
            b->values[l]++;
        }
}

/* Has the combination a value that the class lacks? */
static bool brings_value(const hr_near_boxer *b, uint32_t combination) {
    const hr_kinds *kinds = &b->space->table->kinds;
    for (uint32_t kind = kinds->kind_start[combination]; kind < kinds->kind_start[combination + 1];
         kind++)
        for (size_t l = 0; l < kinds->r; l++) {
            uint32_t value = kinds->kind_value[kind * kinds->r + l];
            if (b->values[l] < kinds->p && value != HR_NONE &&
                b->seen[kinds->value_start[l] + value] != b->now)
                return true;
        }
    return false;
}

static bool is_class(const hr_near_boxer *b) {
    const hr_kinds *kinds = &b->space->table->kinds;
    bool enough = b->rows >= kinds->k;
    for (size_t l = 0; l < kinds->r; l++)
        enough = enough && b->values[l] >= kinds->p;
    return enough;
}

/* Starts a class of the seed and the first `depth` chosen members. */
static void begin_class(hr_near_boxer *b, uint32_t depth) {
    const hr_kinds *kinds = &b->space->table->kinds;
    if (++b->now == 0) { /* the counter has wrapped: old marks would look new */
        memset(b->seen, 0, kinds->value_start[kinds->r] * sizeof *b->seen);
        b->now = 1;
    }
    b->rows = 0;
    memset(b->values, 0, kinds->r * sizeof *b->values);
    join(b, b->seed);
    for (uint32_t i = 0; i < depth; i++)
        join(b, b->member[b->chosen[i]]);
}

/* The least amount such that the chosen members of a level, together with all members that add at
 * most this amount to their box, form a class; UINT32_MAX: there is none. */
static uint32_t least_added(hr_near_boxer *b, const level *l, uint32_t depth) {
    begin_class(b, depth);
    uint32_t added = 0, count = l->count, *heap = b->spare;
    bool enough = is_class(b);
    if (enough || !count) return enough ? 0 : UINT32_MAX;
    memcpy(heap, l->key, count * sizeof *heap);
    for (uint32_t i = count / 2; i-- > 0;)
        key_down(b, heap, count, i, heap[i]);
    while (count && !enough) {
        added = heap[0] >> 16;
        join(b, b->member[heap[0] & UINT16_MAX]);
        enough = is_class(b);
        if (--count) key_down(b, heap, count, 0, heap[count]);
    }
    return enough ? added : UINT32_MAX;
}

/* ---- boxes ---- */

/* Sets `added` for the members 0 .. count - 1 and the box. */
HR_LANES static void measure(const uint16_t *width, const uint16_t *box, size_t dimensions,
                             uint32_t count, uint16_t *added) {
    for (uint32_t from = 0; from < count; from += HR_NEAR_LANES) {
        uint16_t sum[HR_NEAR_LANES] = {0};
        for (size_t d = 0; d < dimensions; d++) {
            const uint16_t *own = width + d * HR_NEAR_MOST + from;
            uint16_t inside = box[d];
            for (int lane = 0; lane < HR_NEAR_LANES; lane++)
                sum[lane] =
                    (uint16_t)(sum[lane] + (own[lane] > inside ? own[lane] : inside) - inside);
        }
        memcpy(added + from, sum, sizeof sum);
    }
}

static void sort_keys(uint32_t *key, uint32_t count) {
    for (uint32_t gap = count > 40   ? 40
                        : count > 13 ? 13
                        : count > 4  ? 4
                                     : 1;
         ; gap = gap == 40   ? 13
                 : gap == 13 ? 4
                             : 1) {
        for (uint32_t i = gap; i < count; i++) {
            uint32_t own = key[i], at = i;
            for (; at >= gap && key[at - gap] > own; at -= gap)
                key[at] = key[at - gap];
            key[at] = own;
        }
        if (gap == 1) return;
    }
}

/* Chooses key i of a level as the farthest member: makes the next level, of its box and the members
 * before it. Returns a lower bound on the cost of a class of these; UINT32_MAX: there is none. */
static uint32_t choose(hr_near_boxer *b, uint32_t depth, uint32_t cost, uint32_t i) {
    const level *from = &b->levels[depth];
    level *to = &b->levels[depth + 1];
    uint32_t own = from->key[i] & UINT16_MAX, farthest = 0;
    cost += from->key[i] >> 16;
    for (size_t d = 0; d < b->dimensions; d++) {
        uint16_t width = b->width[d * HR_NEAR_MOST + own];
        to->box[d] = width > from->box[d] ? width : from->box[d];
    }
    for (uint32_t q = 0; q < i; q++)
        if ((from->key[q] & UINT16_MAX) > farthest) farthest = from->key[q] & UINT16_MAX;
    measure(b->width, to->box, b->dimensions, farthest + 1, b->added);
    b->work += ((uint64_t)farthest + 1) * b->dimensions;
    to->count = 0;
    for (uint32_t q = 0; q < i; q++) {
        uint32_t member = from->key[q] & UINT16_MAX, added = b->added[member];
        if (cost + added < b->best) to->key[to->count++] = added << 16 | member;
    }
    b->chosen[depth] = own;
    uint32_t added = least_added(b, to, depth + 1);
    return added == UINT32_MAX ? added : cost + added;
}

/* Lowers b->best to the cost of the cheapest class of a level, if it is cheaper and the work
 * suffices. */
static void refine(hr_near_boxer *b, uint32_t depth, uint32_t cost) {
    const level *l = &b->levels[depth];
    sort_keys(l->key, l->count);
    for (uint32_t i = 0; i < l->count && !b->over; i++) {
        uint32_t added = l->key[i] >> 16;
        if (cost + added >= b->best) return;
        if (added == 0) continue; /* inside already */
        uint32_t bound = choose(b, depth, cost, i);
        if (b->work > b->limit) b->over = true;
        if (bound >= b->best) continue;
        if (bound == cost + added)
            b->best = bound;
        else
            refine(b, depth + 1, cost + added);
    }
}

/* ---- vectors ---- */

/* Sets the vectors of the members. Returns the number of dimensions of the axis. */
static size_t set_widths(hr_near_boxer *b, size_t j, uint16_t *width) {
    const hr_walk_axis *by = &b->space->table->space.axes[j];
    const hr_axis *axis = by->axis;
    uint32_t own = by->at[b->seed];
    for (uint32_t i = 0; i < b->count; i++) {
        uint32_t at = by->at[b->member[i]];
        if (axis->cost) {
            uint32_t node = hr_preorder_join(&axis->tree, own, at);
            width[i] = (uint16_t)hr_near_units(b->space, axis, axis->cost[node]);
            continue;
        }
        hr_span span = at < own ? (hr_span){at, own} : (hr_span){own, at};
        uint32_t apart = hr_near_units(b->space, axis, hr_axis_cost(axis, span));
        width[i] = (uint16_t)(at < own ? apart : 0);
        width[HR_NEAR_MOST + i] = (uint16_t)(at < own ? 0 : apart);
    }
    return axis->cost ? 1 : 2;
}

static void start_seed(hr_near_boxer *b, const hr_near *near) {
    b->seed = near->seed;
    b->count = near->count;
    memcpy(b->member, near->member, near->count * sizeof *near->member);
    uint16_t *width = b->width;
    for (size_t j = 0; j < b->space->table->kinds.t; j++)
        width += set_widths(b, j, width) * HR_NEAR_MOST;
    level *l = &b->levels[0];
    memset(l->box, 0, b->dimensions * sizeof *l->box);
    measure(b->width, l->box, b->dimensions, b->count, b->added);
    l->count = 0;
    for (uint32_t i = 0; i < b->count; i++)
        l->key[l->count++] = (uint32_t)b->added[i] << 16 | i;
    sort_keys(l->key, l->count);
}

/* Lowers b->best to the cost of a box that grows by the member that adds least. */
static void grow_box(hr_near_boxer *b) {
    uint16_t *box = b->levels[1].box;
    uint32_t cost = 0;
    bool *taken = b->taken;
    memset(taken, 0, HR_NEAR_MOST);
    memset(box, 0, b->dimensions * sizeof *box);
    begin_class(b, 0);
    while (!is_class(b)) {
        uint32_t next = HR_NONE, rows = 0;
        measure(b->width, box, b->dimensions, b->count, b->added);
        b->work += (uint64_t)b->count * b->dimensions;
        for (uint32_t i = 0; i < b->count; i++) {
            if (taken[i]) continue;
            if (b->added[i] == 0) {
                taken[i] = true;
                join(b, b->member[i]);
                rows++;
            } else if ((next == HR_NONE || b->added[i] < b->added[next]) &&
                       (b->rows < b->space->table->kinds.k || brings_value(b, b->member[i]))) {
                next = i;
            }
        }
        if (rows) continue;
        if (next == HR_NONE) return;
        cost += b->added[next];
        if (cost >= b->best) return;
        for (size_t d = 0; d < b->dimensions; d++)
            if (b->width[d * HR_NEAR_MOST + next] > box[d])
                box[d] = b->width[d * HR_NEAR_MOST + next];
    }
    b->best = cost;
}

/* Bounds the classes of each choice of the farthest member. Stores the choices that may be cheaper
 * than b->best in b->order, in ascending order of the bounds, which it stores in `bound`; returns
 * their number. */
static uint32_t rank_choices(hr_near_boxer *b, uint32_t *bound) {
    const level *l = &b->levels[0];
    uint32_t count = 0;
    for (uint32_t i = 0; i < l->count && l->key[i] >> 16 < b->best; i++) {
        if (l->key[i] >> 16 == 0) continue; /* in every box around the seed */
        bound[i] = choose(b, 0, 0, i);
        if (bound[i] >= b->best) continue;
        if (bound[i] == l->key[i] >> 16) {
            b->best = bound[i];
            continue;
        }
        uint32_t at = count++;
        for (; at > 0 && bound[b->order[at - 1]] > bound[i]; at--)
            b->order[at] = b->order[at - 1];
        b->order[at] = i;
    }
    return count;
}

uint32_t hr_near_least(hr_near_boxer *b, const hr_near *near, uint64_t work) {
    uint32_t most = (uint32_t)(b->space->table->kinds.t * b->space->unit), bound[HR_NEAR_MOST];
    start_seed(b, near);
    b->best = near->beyond < most ? near->beyond : most;
    b->limit = b->work + work;
    b->over = false;
    if (least_added(b, &b->levels[0], 0) == 0) return 0;
    grow_box(b);
    uint32_t count = rank_choices(b, bound);
    for (uint32_t i = 0; i < count && bound[b->order[i]] < b->best; i++) {
        b->over = b->work > b->limit;
        if (!b->over) {
            choose(b, 0, 0, b->order[i]);
            refine(b, 1, b->levels[0].key[b->order[i]] >> 16);
        }
        if (b->over) return bound[b->order[i]] < b->best ? bound[b->order[i]] : b->best;
    }
    return b->best;
}

uint64_t hr_near_box_work(const hr_near_boxer *b) {
    return b->work;
}
