/* frequency.c - makes frequency sets. A combination of values is packed into few words, usually one
 * or two, so that moving an attribute up a level replaces a few bits, and equal keys meet in a hash
 * table. Rows of different MAM cells have different values at every node, so each key includes the
 * cell; this makes the frequency set of a subset of attributes prune more nodes. k and p are closed
 * under supersets, so the sensitive values of an entry that satisfies them are not updated any
 * more. With other models an entry keeps the state of a judge, which is complete, and up to k units
 * if units are counted. All models are closed under union: a node above one that satisfies them
 * does too. */
#include "algorithm/lattice/frequency.h"

#include <stdlib.h>
#include <string.h>

/* ---- sets of sensitive values ---- */

/* Adds to a list unless it is full. A list holds each value + 1, followed by zeros. */
static void list_value(const hr_value_set *set, uint32_t *sets, uint32_t listed) {
    uint32_t *own = sets + set->first, at = 0;
    while (at < set->most && own[at] && own[at] != listed)
        at++;
    if (at < set->most) own[at] = listed;
}

static void unite_lists(const hr_value_set *set, uint32_t *into, const uint32_t *from) {
    const uint32_t *other = from + set->first;
    for (uint32_t i = 0; i < set->most && other[i]; i++)
        list_value(set, into, other[i]);
}

static void unite(const hr_combinations *all, uint32_t *into, const uint32_t *from) {
    if (all->judge) hr_judge_merge(all->judge, into, from);
    for (size_t l = 0; l < all->set_count; l++) {
        const hr_value_set *set = &all->set[l];
        if (set->most)
            unite_lists(set, into, from);
        else
            for (uint32_t w = set->first; w < set->first + set->words; w++)
                into[w] |= from[w];
    }
}

static void add_value(const hr_value_set *set, uint32_t *sets, uint32_t value) {
    if (set->most)
        list_value(set, sets, value + 1);
    else
        sets[set->first + value / 32] |= UINT32_C(1) << value % 32;
}

static uint32_t count_values(const hr_value_set *set, const uint32_t *sets) {
    uint32_t count = 0;
    if (set->most)
        while (count < set->most && sets[set->first + count])
            count++;
    else
        for (uint32_t w = set->first; w < set->first + set->words; w++)
            count += (uint32_t)__builtin_popcount(sets[w]);
    return count;
}

/* Are there p values of each sensitive attribute? */
static bool has_enough(const hr_combinations *all, const uint32_t *sets) {
    for (size_t l = 0; l < all->set_count; l++)
        if (count_values(&all->set[l], sets) < all->set[l].need) return false;
    return true;
}

/* A state of the judge without units, and a list of up to k units. */
static hr_status choose_judged(hr_combinations *all, hr_error *err) {
    const hr_table_task *task = all->space->task;
    hr_judge *judge = hr_arena_alloc(&all->arena, 1, sizeof *judge, err);
    all->set_count = task->judge->unit ? 1 : 0;
    all->set = hr_arena_alloc(&all->arena, all->set_count, sizeof *all->set, err);
    if (!judge || !all->set) return HR_ENOMEM;
    *judge = *task->judge;
    hr_judge_count_units(judge, NULL, 0);
    all->judge = judge;
    all->set_words = judge->words;
    if (!task->judge->unit) return HR_OK;
    uint32_t k = (uint32_t)judge->asked.k;
    all->set[0] = (hr_value_set){.first = (uint32_t)judge->words, .words = k, .most = k, .need = k};
    all->set_words += k;
    return HR_OK;
}

/* Chooses bits unless they take more than four times the room of a list. */
static hr_status choose_sets(hr_combinations *all, hr_error *err) {
    const hr_table_task *task = all->space->task;
    if (task->judge) return choose_judged(all, err);
    all->set_count = task->p > 1 ? task->data->sensitive_count : 0;
    all->set = hr_arena_alloc(&all->arena, all->set_count, sizeof *all->set, err);
    if (!all->set) return HR_ENOMEM;
    for (size_t l = 0; l < all->set_count; l++) {
        uint32_t bits = task->data->sensitive[l].value_count / 32 + 1, list = task->p;
        bool listed = bits > 4 * list;
        all->set[l] = (hr_value_set){.first = (uint32_t)all->set_words,
                                     .words = listed ? list : bits,
                                     .most = listed ? task->p : 0,
                                     .need = task->p};
        all->set_words += all->set[l].words;
    }
    return HR_OK;
}

/* ---- combinations ---- */

static hr_status allocate(hr_combinations *all, uint32_t count, hr_error *err) {
    size_t t = all->space->quasi_count;
    hr_arena *arena = &all->arena;
    all->count = count;
    all->size = hr_arena_alloc(arena, count, sizeof *all->size, err);
    all->cell = hr_arena_alloc(arena, count, sizeof *all->cell, err);
    all->value = hr_arena_alloc(arena, t, sizeof *all->value, err);
    all->sets = hr_arena_alloc(arena, count * all->set_words, sizeof *all->sets, err);
    all->top_cost = hr_arena_alloc(arena, t, sizeof *all->top_cost, err);
    if (!all->size || !all->cell || !all->value || !all->sets || !all->top_cost) return HR_ENOMEM;
    for (size_t j = 0; j < t; j++) {
        all->value[j] = hr_arena_alloc(arena, count, sizeof **all->value, err);
        all->top_cost[j] =
            hr_arena_alloc(arena, all->space->rows.count, sizeof **all->top_cost, err);
        if (!all->value[j] || !all->top_cost[j]) return HR_ENOMEM;
    }
    return HR_OK;
}

static void add_row(hr_combinations *all, uint32_t c, size_t row, uint32_t *values) {
    const hr_microdata *data = all->space->task->data;
    uint32_t *sets = all->sets + c * all->set_words;
    if (all->judge) {
        hr_judge_values(all->judge, row, values);
        hr_judge_add(all->judge, sets, values, hr_microdata_weight(data, row));
    }
    for (size_t l = 0; l < all->set_count; l++) {
        const hr_sensitive *counted = all->judge ? data->unit : &data->sensitive[l];
        uint32_t value = hr_sensitive_value(counted, row);
        if (value != HR_NONE) add_value(&all->set[l], sets, value);
    }
}

/* `values` has room for the sensitive values of a row. */
static void fill(hr_combinations *all, const hr_groups *groups, uint32_t *values) {
    const hr_space *space = all->space;
    const hr_microdata *data = space->task->data;
    for (size_t row = 0; row < groups->rows; row++) {
        uint32_t c = groups->of_row[row];
        if (c == HR_NONE) continue;
        if (all->size[c] == 0) {
            all->cell[c] = space->rows.of_row[row];
            for (size_t j = 0; j < space->quasi_count; j++)
                all->value[j][c] =
                    space->levels[j].value_of_code[hr_column_code(data->quasi[j].column, row)];
        }
        all->size[c] += hr_microdata_weight(data, row);
        add_row(all, c, row, values);
    }
}

/* With an attribute at its top all rows of a cell have the same value. */
static void find_top_costs(hr_combinations *all) {
    const hr_space *space = all->space;
    for (size_t j = 0; j < space->quasi_count; j++) {
        const hr_levels *levels = &space->levels[j];
        for (uint32_t c = 0; c < all->count; c++) {
            uint32_t value = all->value[j][c];
            for (uint32_t l = 0; l + 1 < levels->count; l++)
                value = levels->up[l][value];
            all->top_cost[j][all->cell[c]] =
                space->task->data->quasi[j].tree->cost[levels->node[levels->count - 1][value]];
        }
    }
}

hr_status hr_combinations_make(const hr_space *space, hr_combinations *out, hr_error *err) {
    hr_groups groups = {0};
    *out = (hr_combinations){.space = space};
    uint32_t *bottom = hr_arena_alloc(&out->arena, space->quasi_count, sizeof *bottom, err);
    uint32_t *values =
        hr_arena_alloc(&out->arena, space->task->data->sensitive_count, sizeof *values, err);
    hr_status status = bottom && values ? hr_space_group(space, bottom, &groups, err) : HR_ENOMEM;
    if (status == HR_OK) status = choose_sets(out, err);
    if (status == HR_OK) status = allocate(out, groups.count, err);
    if (status == HR_OK) {
        fill(out, &groups, values);
        find_top_costs(out);
    }
    hr_groups_free(&groups);
    if (status != HR_OK) hr_combinations_free(out);
    return status;
}

void hr_combinations_free(hr_combinations *all) {
    hr_arena_free(&all->arena);
    *all = (hr_combinations){0};
}

/* ---- keys ---- */

/* Reserves bits of a key for numbers below `values`. They never span two words. */
static hr_key_bits reserve_bits(uint32_t values, uint32_t *used) {
    uint32_t bits = 0;
    while (bits < 32 && (UINT64_C(1) << bits) < values)
        bits++;
    if (bits == 0) return (hr_key_bits){0};
    if (*used % 64 + bits > 64) *used += 64 - *used % 64;
    hr_key_bits own = {*used / 64, *used % 64, (UINT64_C(1) << bits) - 1};
    *used += bits;
    return own;
}

hr_status hr_counter_init(hr_counter *counter, const hr_combinations *all,
                          const uint32_t *attributes, size_t count, hr_error *err) {
    uint32_t used = 0;
    *counter = (hr_counter){.all = all, .count = count};
    counter->cell_bits = reserve_bits(all->space->rows.count, &used);
    for (size_t i = 0; i < count; i++) {
        uint32_t values = all->space->levels[attributes[i]].value_count[0];
        counter->attribute[i] = attributes[i];
        counter->value_bits[i] = reserve_bits(values, &used);
        counter->map[i] = hr_alloc_raw(values, sizeof **counter->map, err);
        if (!counter->map[i]) return HR_ENOMEM;
    }
    counter->key_words = used ? (used + 63) / 64 : 1;
    return HR_OK;
}

void hr_counter_free(hr_counter *counter) {
    free(counter->table);
    for (size_t i = 0; i < counter->count; i++)
        free(counter->map[i]);
    *counter = (hr_counter){0};
}

static uint32_t get_bits(const hr_key_bits *at, const uint64_t *key) {
    return (uint32_t)(key[at->word] >> at->shift & at->mask);
}

static void put_bits(const hr_key_bits *at, uint64_t *key, uint32_t value) {
    key[at->word] &= ~(at->mask << at->shift);
    key[at->word] |= (uint64_t)value << at->shift;
}

/* ---- counting ---- */

void hr_frequency_free(hr_frequency *frequency) {
    free(frequency->keys);
    free(frequency->sets);
    free(frequency->size);
    free(frequency->good);
    *frequency = (hr_frequency){0};
}

/* Empties a frequency set and makes room for `most` entries. */
static hr_status reserve(const hr_counter *counter, hr_frequency *out, uint32_t most,
                         hr_error *err) {
    out->count = 0;
    if (out->capacity >= most) return HR_OK;
    hr_frequency_free(out);
    out->keys = hr_alloc_raw(most * counter->key_words, sizeof *out->keys, err);
    out->sets = hr_alloc_raw(most * counter->all->set_words, sizeof *out->sets, err);
    out->size = hr_alloc_raw(most, sizeof *out->size, err);
    out->good = hr_alloc_raw(most, sizeof *out->good, err);
    if (!out->keys || !out->sets || !out->size || !out->good) return HR_ENOMEM;
    out->capacity = most;
    return HR_OK;
}

/* Empties the hash table and makes it large enough to be at most half full with `most` entries.
 * *mask is the number of its slots minus one. */
static hr_status clear_table(hr_counter *counter, uint32_t most, size_t *mask, hr_error *err) {
    size_t slots = 64;
    while (slots < (size_t)most * 2)
        slots *= 2;
    if (counter->table_capacity < slots) {
        free(counter->table);
        counter->table_capacity = 0;
        counter->table = hr_alloc_raw(slots, sizeof *counter->table, err);
        if (!counter->table) return HR_ENOMEM;
        counter->table_capacity = slots;
    }
    memset(counter->table, 0, slots * sizeof *counter->table);
    *mask = slots - 1;
    return HR_OK;
}

static uint64_t mix(const uint64_t *key, size_t words) {
    uint64_t hash = 0;
    for (size_t w = 0; w < words; w++)
        hash = hr_mix(hash ^ key[w]);
    return hash;
}

static bool same_key(const uint64_t *a, const uint64_t *b, size_t words) {
    for (size_t w = 0; w < words; w++)
        if (a[w] != b[w]) return false;
    return true;
}

/* Adds rows to the entry with this key, which is created if needed. */
static void add_entry(hr_counter *counter, size_t mask, const uint64_t *key, const uint32_t *sets,
                      uint32_t size, bool good, hr_frequency *out) {
    size_t words = counter->key_words, set_words = counter->all->set_words;
    size_t slot = mix(key, words) & mask;
    for (uint32_t entry; (entry = counter->table[slot]) != 0; slot = (slot + 1) & mask) {
        if (!same_key(out->keys + (entry - 1) * words, key, words)) continue;
        out->size[entry - 1] += size;
        if (!out->good[entry - 1] && !good)
            unite(counter->all, out->sets + (entry - 1) * set_words, sets);
        out->good[entry - 1] |= good;
        return;
    }
    uint32_t entry = out->count++;
    counter->table[slot] = entry + 1;
    memcpy(out->keys + entry * words, key, words * sizeof *key);
    memcpy(out->sets + entry * set_words, sets, set_words * sizeof *sets);
    out->size[entry] = size;
    out->good[entry] = good;
}

/* Finds the entries that satisfy the models. */
static void judge(const hr_combinations *all, hr_frequency *f) {
    f->bad = 0;
    for (uint32_t e = 0; e < f->count; e++) {
        if (f->good[e]) continue;
        const uint32_t *sets = f->sets + e * all->set_words;
        f->good[e] = all->judge ? hr_judge_holds(all->judge, sets) && has_enough(all, sets)
                                : f->size[e] >= all->space->task->k && has_enough(all, sets);
        if (!f->good[e]) f->bad += f->size[e];
    }
}

hr_status hr_frequency_scan(hr_counter *counter, const uint32_t *at, hr_frequency *out,
                            hr_error *err) {
    const hr_combinations *all = counter->all;
    size_t mask, words = counter->key_words;
    HR_TRY(reserve(counter, out, all->count, err));
    HR_TRY(clear_table(counter, all->count, &mask, err));
    uint64_t *keys = hr_alloc(all->count * words, sizeof *keys, err);
    if (!keys) return HR_ENOMEM;
    for (uint32_t c = 0; c < all->count; c++)
        put_bits(&counter->cell_bits, keys + c * words, all->cell[c]);
    for (size_t i = 0; i < counter->count; i++) {
        uint32_t j = counter->attribute[i];
        hr_levels_map(&all->space->levels[j], 0, at[i], counter->map[i]);
        for (uint32_t c = 0; c < all->count; c++)
            put_bits(&counter->value_bits[i], keys + c * words, counter->map[i][all->value[j][c]]);
    }
    for (uint32_t c = 0; c < all->count; c++)
        add_entry(counter, mask, keys + c * words, all->sets + c * all->set_words, all->size[c],
                  false, out);
    free(keys);
    judge(all, out);
    return HR_OK;
}

/* Lists the attributes that move up, and maps their values. */
static size_t list_rising(hr_counter *counter, const uint32_t *from, const uint32_t *to,
                          uint32_t *rising) {
    size_t count = 0;
    for (uint32_t i = 0; i < counter->count; i++) {
        if (from[i] == to[i]) continue;
        hr_levels_map(&counter->all->space->levels[counter->attribute[i]], from[i], to[i],
                      counter->map[i]);
        rising[count++] = i;
    }
    return count;
}

hr_status hr_frequency_roll_up(hr_counter *counter, const hr_frequency *below, const uint32_t *from,
                               const uint32_t *to, hr_frequency *out, hr_error *err) {
    const hr_combinations *all = counter->all;
    size_t mask, words = counter->key_words;
    uint64_t key[HR_LATTICE_MOVING + 1]; /* at worst the cell and every value have a word each */
    uint32_t rising[HR_LATTICE_MOVING];
    HR_TRY(reserve(counter, out, below->count, err));
    HR_TRY(clear_table(counter, below->count, &mask, err));
    size_t count = list_rising(counter, from, to, rising);
    for (uint32_t e = 0; e < below->count; e++) {
        for (size_t w = 0; w < words; w++)
            key[w] = below->keys[e * words + w];
        for (size_t r = 0; r < count; r++) {
            const hr_key_bits *at = &counter->value_bits[rising[r]];
            put_bits(at, key, counter->map[rising[r]][get_bits(at, key)]);
        }
        add_entry(counter, mask, key, below->sets + e * all->set_words, below->size[e],
                  below->good[e] && !all->judge, out);
    }
    judge(all, out);
    return HR_OK;
}

size_t hr_frequency_bytes(const hr_counter *counter, const hr_frequency *f) {
    return f->count *
           (counter->key_words * sizeof *f->keys + counter->all->set_words * sizeof *f->sets +
            sizeof *f->size + sizeof *f->good);
}

hr_status hr_frequency_copy(const hr_counter *counter, const hr_frequency *from, hr_frequency *out,
                            hr_error *err) {
    HR_TRY(reserve(counter, out, from->count, err));
    out->count = from->count;
    out->bad = from->bad;
    memcpy(out->keys, from->keys, from->count * counter->key_words * sizeof *out->keys);
    memcpy(out->sets, from->sets, from->count * counter->all->set_words * sizeof *out->sets);
    memcpy(out->size, from->size, from->count * sizeof *out->size);
    memcpy(out->good, from->good, from->count * sizeof *out->good);
    return HR_OK;
}

/* ---- classes ---- */

/* Cost of one row of an entry. */
static uint64_t entry_cost(const hr_counter *counter, const uint64_t *key, const uint32_t *at) {
    const hr_combinations *all = counter->all;
    const hr_space *space = all->space;
    uint32_t cell = get_bits(&counter->cell_bits, key);
    uint64_t cost = 0;
    for (size_t j = 0; j < space->quasi_count; j++)
        cost += all->top_cost[j][cell];
    for (size_t i = 0; i < counter->count; i++) {
        uint32_t j = counter->attribute[i];
        uint32_t node = space->levels[j].node[at[i]][get_bits(&counter->value_bits[i], key)];
        cost += space->task->data->quasi[j].tree->cost[node];
        cost -= all->top_cost[j][cell];
    }
    return cost;
}

hr_tally hr_frequency_tally(const hr_counter *counter, const hr_frequency *f, const uint32_t *at) {
    hr_tally tally = {0};
    for (uint32_t e = 0; e < f->count; e++) {
        uint64_t size = f->size[e];
        if (f->good[e]) {
            tally.classes++;
            tally.released += size;
            tally.squares += size * size;
        } else {
            tally.spared += size * entry_cost(counter, f->keys + e * counter->key_words, at);
        }
    }
    return tally;
}
