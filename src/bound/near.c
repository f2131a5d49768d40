/* near.c - distances from one combination, the seed, to all others of its cell, and the nearest of
 * them. The nodes above a value of the seed form a chain. Another combination lies outside some of
 * these nodes, and each of those adds the difference between its parent's cost and its own. So a
 * distance is a sum of comparisons with ranges of positions, which a processor does for many
 * combinations at once.
 *
 * Positions are cut to 16 bits. A range that is rounded outward may take a combination in, but
 * never out, so distances are never too large. */
#include "bound/near.h"

#include <stdlib.h>
#include <string.h>

/* ---- the space ---- */

/* Units per attribute: divisible by small numbers, so that the costs of most trees are exact. */
static const uint32_t units[] = {5040, 2520, 1260, 840, 420, 240, 120, 60, 24, 12};

static uint32_t choose_unit(size_t t) {
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (t * units[i] < UINT16_MAX) return units[i];
    return 0;
}

/* The cost of a number's interval is rounded once; two adjacent intervals may cost one more than
 * their union. */
uint32_t hr_near_units(const hr_near_space *space, const hr_axis *axis, uint64_t cost) {
    if (!axis->cost && cost) cost--;
    return (uint32_t)(cost / (HR_COST_ONE / space->unit));
}

/* How far apart the items of a list are on an axis, from a few pairs of them. */
static uint64_t spread(const hr_walk_axis *by, const uint32_t *items, uint32_t count) {
    uint64_t sum = 0;
    uint32_t pairs = count / 2 < 16 ? count / 2 : 16;
    for (uint32_t i = 0; i < pairs; i++) {
        uint32_t at = (uint32_t)((uint64_t)i * (count / 2) / pairs);
        uint32_t a = by->at[items[at]], b = by->at[items[at + count / 2]];
        sum += hr_axis_cost(by->axis, hr_axis_join(by->axis, (hr_span){a, a}, (hr_span){b, b}));
    }
    return sum;
}

/* Orders items so that neighbours are near each other: sorts them by the axis on which they are
 * farthest apart, cuts the list in the middle, and goes on with the halves. */
static void order_items(const hr_bound_table *table, uint32_t *items, uint32_t *spare,
                        uint32_t count) {
    while (count > HR_NEAR_LANES) {
        size_t widest = 0;
        uint64_t most = 0;
        for (size_t j = 0; j < table->kinds.t; j++) {
            uint64_t own = spread(&table->space.axes[j], items, count);
            if (own <= most) continue;
            most = own;
            widest = j;
        }
        const hr_walk_axis *by = &table->space.axes[widest];
        hr_sort_by_key(by->at, by->axis->count, items, spare, count);
        uint32_t half = (count / 2 + HR_NEAR_LANES - 1) / HR_NEAR_LANES * HR_NEAR_LANES;
        order_items(table, items, spare, half);
        items += half;
        count -= half;
    }
}

static hr_status order_cells(hr_near_space *space, const bool *chosen, hr_error *err) {
    const hr_bound_table *table = space->table;
    uint32_t *spare = hr_alloc_raw(table->kinds.combination_count, sizeof *spare, err);
    if (!spare) return HR_ENOMEM;
    memset(space->order, 0xff,
           (size_t)space->block_start[table->cell_count] * HR_NEAR_LANES * sizeof *space->order);
    for (uint32_t cell = 0; cell < table->cell_count; cell++) {
        uint32_t *own = space->order + (size_t)space->block_start[cell] * HR_NEAR_LANES;
        uint32_t size = 0;
        for (uint32_t c = table->cell_start[cell]; c < table->cell_start[cell + 1]; c++)
            if (!chosen || chosen[c]) own[size++] = c;
        order_items(table, own, spare, size);
    }
    free(spare);
    return HR_OK;
}

static uint16_t code_of(const hr_near_space *space, size_t j, uint32_t combination) {
    const hr_walk_axis *by = &space->table->space.axes[j];
    uint32_t at = by->at[combination];
    if (by->axis->cost) return (uint16_t)(at >> space->shift[j]);
    return (uint16_t)hr_near_units(space, by->axis, hr_axis_cost(by->axis, (hr_span){0, at}));
}

static void fill_codes(hr_near_space *space, size_t j) {
    const hr_axis *axis = space->table->space.axes[j].axis;
    uint32_t blocks = space->block_start[space->table->cell_count];
    while (axis->cost && (axis->count - 1) >> space->shift[j] > UINT16_MAX)
        space->shift[j]++;
    for (uint32_t block = 0; block < blocks; block++) {
        uint16_t low = UINT16_MAX, high = 0;
        for (size_t i = (size_t)block * HR_NEAR_LANES; i < (size_t)(block + 1) * HR_NEAR_LANES;
             i++) {
            uint32_t own = space->order[i];
            if (own == HR_NONE) own = space->order[(size_t)block * HR_NEAR_LANES];
            uint16_t code = space->code[j][i] = code_of(space, j, own);
            if (code < low) low = code;
            if (code > high) high = code;
        }
        space->low[j][block] = low;
        space->high[j][block] = high;
    }
}

static uint32_t count_chosen(const hr_bound_table *table, uint32_t cell, const bool *chosen) {
    uint32_t count = 0;
    for (uint32_t c = table->cell_start[cell]; c < table->cell_start[cell + 1]; c++)
        count += !chosen || chosen[c];
    return count;
}

static hr_status allocate(hr_near_space *space, const bool *chosen, hr_error *err) {
    const hr_bound_table *table = space->table;
    size_t t = table->kinds.t;
    hr_arena_part parts[] = {
        {&space->block_start, (size_t)table->cell_count + 1, sizeof *space->block_start},
        {&space->shift, t, sizeof *space->shift},
        {&space->code, t, sizeof *space->code},
        {&space->low, t, sizeof *space->low},
        {&space->high, t, sizeof *space->high},
    };
    HR_TRY(hr_arena_parts(&space->arena, parts, sizeof parts / sizeof *parts, err));
    for (uint32_t cell = 0; cell < table->cell_count; cell++)
        space->block_start[cell + 1] =
            space->block_start[cell] +
            (count_chosen(table, cell, chosen) + HR_NEAR_LANES - 1) / HR_NEAR_LANES;
    size_t blocks = space->block_start[table->cell_count];
    space->order = hr_arena_alloc(&space->arena, blocks * HR_NEAR_LANES, sizeof *space->order, err);
    if (!space->order) return HR_ENOMEM;
    for (size_t j = 0; j < t; j++) {
        hr_arena_part own[] = {
            {&space->code[j], blocks * HR_NEAR_LANES, sizeof **space->code},
            {&space->low[j], blocks + HR_NEAR_LANES, sizeof **space->low},
            {&space->high[j], blocks + HR_NEAR_LANES, sizeof **space->high},
        };
        HR_TRY(hr_arena_parts(&space->arena, own, sizeof own / sizeof *own, err));
    }
    return HR_OK;
}

hr_status hr_near_space_make(const hr_bound_table *table, const bool *chosen, hr_near_space *out,
                             bool *usable, hr_error *err) {
    *out = (hr_near_space){.table = table, .unit = choose_unit(table->kinds.t)};
    *usable = out->unit > 0;
    if (!*usable) return HR_OK;
    hr_status status = allocate(out, chosen, err);
    if (status == HR_OK) status = order_cells(out, chosen, err);
    for (size_t j = 0; j < table->kinds.t && status == HR_OK; j++)
        fill_codes(out, j);
    if (status != HR_OK) hr_near_space_free(out);
    return status;
}

void hr_near_space_free(hr_near_space *space) {
    hr_arena_free(&space->arena);
    *space = (hr_near_space){0};
}

/* ---- steps ---- */

/* A combination whose code on the axis is not in low .. low + width is `add` units farther. */
typedef struct {
    size_t axis;
    uint16_t low, width, add;
} chain_step;

typedef struct {
    size_t axis;
    uint16_t at; /* code of the seed */
} number_step;

struct hr_near_finder {
    const hr_near_space *space;
    chain_step *steps;
    size_t step_count, step_capacity;
    number_step *numbers;
    size_t number_count;
    uint32_t *found; /* combinations nearer than `beyond`, with their distances */
    uint32_t *distance;
    uint32_t found_count;
    uint32_t beyond;
    uint16_t *bound; /* per block of a cell: no combination in it is nearer */
    uint32_t *order; /* the blocks of a cell, those with small bounds first */
    uint64_t work;
};

enum {
    FOUND = 4 * HR_NEAR_MOST + HR_NEAR_LANES, /* room for combinations found */
    STEPS = 12,                               /* taken before the distances are looked at */
    BUCKETS = 1024                            /* of bounds, by which blocks are ordered */
};

hr_status hr_near_finder_new(const hr_bound_table *table, hr_near_finder **out, hr_error *err) {
    hr_near_finder *f = *out = hr_alloc(1, sizeof *f, err);
    if (!f) return HR_ENOMEM;
    f->numbers = hr_alloc(table->kinds.t, sizeof *f->numbers, err);
    f->found = hr_alloc_raw(FOUND, sizeof *f->found, err);
    f->distance = hr_alloc_raw(FOUND, sizeof *f->distance, err);
    uint32_t blocks = 0;
    for (uint32_t cell = 0; cell < table->cell_count; cell++) {
        uint32_t own = (hr_bound_cell_size(table, cell) + HR_NEAR_LANES - 1) / HR_NEAR_LANES;
        if (own > blocks) blocks = own;
    }
    f->bound = hr_alloc_raw((size_t)blocks + HR_NEAR_LANES, sizeof *f->bound, err);
    f->order = hr_alloc_raw(blocks, sizeof *f->order, err);
    bool made = f->numbers && f->found && f->distance && f->bound && f->order;
    return made ? HR_OK : HR_ENOMEM;
}

void hr_near_finder_free(hr_near_finder *f) {
    if (!f) return;
    free(f->steps);
    free(f->numbers);
    free(f->found);
    free(f->distance);
    free(f->bound);
    free(f->order);
    free(f);
}

/* Adds the steps of one axis: up the chain from the seed's value. */
static hr_status add_steps(hr_near_finder *f, size_t j, uint32_t seed, hr_error *err) {
    const hr_near_space *space = f->space;
    const hr_walk_axis *by = &space->table->space.axes[j];
    const hr_axis *axis = by->axis;
    if (!axis->cost) {
        f->numbers[f->number_count++] = (number_step){j, code_of(space, j, seed)};
        return HR_OK;
    }
    uint32_t reached = 0;
    for (uint32_t node = by->at[seed]; node != 0; node = axis->tree.up[node]) {
        uint32_t above = hr_near_units(space, axis, axis->cost[axis->tree.up[node]]);
        if (above <= reached) continue;
        HR_TRY(hr_grow(&f->steps, &f->step_capacity, f->step_count + 1, sizeof *f->steps, err));
        uint16_t low = (uint16_t)(node >> space->shift[j]);
        uint16_t high = (uint16_t)((axis->tree.end[node] - 1) >> space->shift[j]);
        f->steps[f->step_count++] =
            (chain_step){j, low, (uint16_t)(high - low), (uint16_t)(above - reached)};
        reached = above;
    }
    return HR_OK;
}

/* ---- distances ---- */

/* Adds what steps from .. to - 1 contribute to the distances of a block. */
HR_LANES static uint16_t add_chains(const hr_near_finder *f, size_t block, size_t from, size_t to,
                                    uint16_t *distance) {
    uint16_t sum[HR_NEAR_LANES], least = UINT16_MAX;
    memcpy(sum, distance, sizeof sum);
    for (size_t i = from; i < to; i++) {
        const chain_step *s = &f->steps[i];
        const uint16_t *code = f->space->code[s->axis] + block * HR_NEAR_LANES;
        uint16_t low = s->low, width = s->width, add = s->add;
        for (int lane = 0; lane < HR_NEAR_LANES; lane++)
            sum[lane] = (uint16_t)(sum[lane] + (add & -((uint16_t)(code[lane] - low) > width)));
    }
    for (int lane = 0; lane < HR_NEAR_LANES; lane++)
        least = sum[lane] < least ? sum[lane] : least;
    memcpy(distance, sum, sizeof sum);
    return least;
}

HR_LANES static uint16_t add_numbers(const hr_near_finder *f, size_t block, uint16_t *distance) {
    uint16_t sum[HR_NEAR_LANES], least = UINT16_MAX;
    memcpy(sum, distance, sizeof sum);
    for (size_t i = 0; i < f->number_count; i++) {
        const uint16_t *code = f->space->code[f->numbers[i].axis] + block * HR_NEAR_LANES;
        uint16_t at = f->numbers[i].at;
        for (int lane = 0; lane < HR_NEAR_LANES; lane++) {
            uint16_t more = code[lane] > at ? code[lane] : at;
            uint16_t less = code[lane] < at ? code[lane] : at;
            uint16_t apart = (uint16_t)(more - less);
            sum[lane] = (uint16_t)(sum[lane] + (apart > 1 ? apart : 1) - 1);
        }
    }
    for (int lane = 0; lane < HR_NEAR_LANES; lane++)
        least = sum[lane] < least ? sum[lane] : least;
    memcpy(distance, sum, sizeof sum);
    return least;
}

/* Sets the distances of the combinations of a block and returns the least. Stops, with lower bounds
 * on the distances, when none can be below f->beyond any more. */
static uint16_t measure(hr_near_finder *f, size_t block, uint16_t *distance) {
    size_t count = f->step_count, done = 0;
    memset(distance, 0, HR_NEAR_LANES * sizeof *distance);
    uint16_t least = 0;
    if (f->number_count) least = add_numbers(f, block, distance);
    f->work += HR_NEAR_LANES * f->number_count;
    while (done < count && least < f->beyond) {
        size_t to = done + STEPS < count ? done + STEPS : count;
        least = add_chains(f, block, done, to, distance);
        f->work += HR_NEAR_LANES * (to - done);
        done = to;
    }
    return least;
}

/* Lower bounds on the distances in HR_NEAR_LANES blocks, from their least and greatest codes. */
HR_LANES static void measure_blocks(const hr_near_finder *f, uint32_t from, uint16_t *out) {
    uint16_t sum[HR_NEAR_LANES] = {0};
    for (size_t i = 0; i < f->step_count; i++) {
        const chain_step *s = &f->steps[i];
        const uint16_t *low = f->space->low[s->axis] + from;
        const uint16_t *high = f->space->high[s->axis] + from;
        uint16_t least = s->low, most = (uint16_t)(s->low + s->width), add = s->add;
        for (int lane = 0; lane < HR_NEAR_LANES; lane++)
            sum[lane] =
                (uint16_t)(sum[lane] + (add & -((low[lane] > most) | (high[lane] < least))));
    }
    for (size_t i = 0; i < f->number_count; i++) {
        const uint16_t *low = f->space->low[f->numbers[i].axis] + from;
        const uint16_t *high = f->space->high[f->numbers[i].axis] + from;
        uint16_t at = f->numbers[i].at;
        for (int lane = 0; lane < HR_NEAR_LANES; lane++) {
            uint16_t up = (uint16_t)((low[lane] > at ? low[lane] : at) - at);
            uint16_t down = (uint16_t)(at - (high[lane] < at ? high[lane] : at));
            uint16_t apart = (uint16_t)(up + down);
            sum[lane] = (uint16_t)(sum[lane] + (apart > 1 ? apart : 1) - 1);
        }
    }
    memcpy(out, sum, sizeof sum);
}

/* The least distance d such that more than HR_NEAR_MOST of the combinations found are at distance d
 * or nearer. Counts the high bytes of the distances first, then the low bytes of those with the
 * deciding high byte. */
static uint32_t crowded_distance(const hr_near_finder *f) {
    uint32_t high[256] = {0}, low[256] = {0}, below = 0, byte = 0, last = 0;
    for (uint32_t i = 0; i < f->found_count; i++)
        high[f->distance[i] >> 8]++;
    for (; below + high[byte] <= HR_NEAR_MOST; byte++)
        below += high[byte];
    for (uint32_t i = 0; i < f->found_count; i++)
        if (f->distance[i] >> 8 == byte) low[f->distance[i] & 255]++;
    for (; below + low[last] <= HR_NEAR_MOST; last++)
        below += low[last];
    return byte << 8 | last;
}

/* Lowers `beyond` so that at most HR_NEAR_MOST of the combinations found are nearer, and removes
 * the others. Called when there are more. */
static void narrow(hr_near_finder *f) {
    uint32_t kept = 0;
    f->beyond = crowded_distance(f);
    for (uint32_t i = 0; i < f->found_count; i++) {
        if (f->distance[i] >= f->beyond) continue;
        f->found[kept] = f->found[i];
        f->distance[kept++] = f->distance[i];
    }
    f->found_count = kept;
}

/* Adds the combinations of a block that are nearer than `beyond` to those found. */
static void scan_block(hr_near_finder *f, uint32_t block, uint32_t seed) {
    const uint32_t *combination = f->space->order + (size_t)block * HR_NEAR_LANES;
    uint16_t distance[HR_NEAR_LANES];
    if (measure(f, block, distance) >= f->beyond) return;
    for (uint32_t lane = 0; lane < HR_NEAR_LANES; lane++) {
        if (distance[lane] >= f->beyond || combination[lane] == HR_NONE ||
            combination[lane] == seed)
            continue;
        f->found[f->found_count] = combination[lane];
        f->distance[f->found_count++] = distance[lane];
    }
    if (f->found_count > FOUND - HR_NEAR_LANES) narrow(f);
}

/* Bounds the blocks of the cell and orders them, those with small bounds first. Returns how many
 * there are. */
static uint32_t order_blocks(hr_near_finder *f, uint32_t cell) {
    uint32_t first = f->space->block_start[cell], end = f->space->block_start[cell + 1];
    uint32_t count[BUCKETS] = {0}, sum = 0;
    for (uint32_t from = first; from < end; from += HR_NEAR_LANES) {
        measure_blocks(f, from, f->bound + (from - first));
        f->work += HR_NEAR_LANES * (f->step_count + f->number_count);
    }
    for (uint32_t i = 0; i < end - first; i++)
        count[f->bound[i] / ((UINT16_MAX + 1) / BUCKETS)]++;
    for (uint32_t i = 0; i < BUCKETS; i++) {
        uint32_t own = count[i];
        count[i] = sum;
        sum += own;
    }
    for (uint32_t i = 0; i < end - first; i++)
        f->order[count[f->bound[i] / ((UINT16_MAX + 1) / BUCKETS)]++] = i;
    return end - first;
}

/* Scans the blocks of the cell. Those with small bounds come first, so that `beyond` is low before
 * the others. */
static void scan(hr_near_finder *f, uint32_t cell, uint32_t seed) {
    uint32_t first = f->space->block_start[cell], count = order_blocks(f, cell);
    for (uint32_t i = 0; i < count; i++)
        if (f->bound[f->order[i]] < f->beyond) scan_block(f, first + f->order[i], seed);
    if (f->found_count > HR_NEAR_MOST) narrow(f);
}

static hr_status start_search(hr_near_finder *f, const hr_near_space *space, uint32_t seed,
                              hr_error *err) {
    f->space = space;
    f->step_count = f->number_count = f->found_count = 0;
    f->beyond = UINT16_MAX;
    for (size_t j = 0; j < space->table->kinds.t; j++)
        HR_TRY(add_steps(f, j, seed, err));
    return HR_OK;
}

hr_status hr_near_find(hr_near_finder *f, const hr_near_space *space, uint32_t cell, uint32_t seed,
                       hr_near *near, hr_error *err) {
    HR_TRY(start_search(f, space, seed, err));
    scan(f, cell, seed);
    near->seed = seed;
    near->count = f->found_count;
    near->beyond = f->beyond;
    memcpy(near->member, f->found, f->found_count * sizeof *f->found);
    return HR_OK;
}

hr_status hr_near_distance(hr_near_finder *f, const hr_near_space *space, uint32_t cell,
                           uint32_t seed, uint32_t *distance, hr_error *err) {
    uint32_t first = space->block_start[cell];
    uint16_t own[HR_NEAR_LANES];
    HR_TRY(start_search(f, space, seed, err));
    uint32_t count = order_blocks(f, cell);
    for (uint32_t i = 0; i < count; i++) {
        if (f->bound[f->order[i]] >= f->beyond) continue;
        uint16_t least = measure(f, first + f->order[i], own);
        if (least < f->beyond) f->beyond = least;
    }
    *distance = f->beyond;
    return HR_OK;
}

uint64_t hr_near_work(const hr_near_finder *f) {
    return f->work;
}
