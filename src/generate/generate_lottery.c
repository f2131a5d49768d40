/* generate_lottery.c - Walker's alias method, built as in Vose (1991): every slot holds a share of
 * one item and fills the rest with one other item, so that a draw takes one random number and one
 * look-up. All numbers are integers, so the draws are the same on every machine. */
#include "generate/generate.h"

#include <assert.h>

/* Fills slots whose share is too small from slots whose share is too large. `share[i]` is weight x
 * count, so that a full slot has `total`. */
static void fill(hr_lottery *table, uint64_t *share, uint32_t *stack, uint64_t total) {
    uint32_t poor = 0,
             rich =
                 table->count; /* two stacks: too small from the left, too large from the right */
    for (uint32_t i = 0; i < table->count; i++)
        stack[share[i] < total ? poor++ : --rich] = i;
    while (poor > 0 && rich < table->count) {
        uint32_t from = stack[--poor], giver = stack[rich];
        table->slots[from] = (hr_lottery_slot){(uint32_t)((share[from] << 32) / total), giver};
        share[giver] -= total - share[from];
        if (share[giver] < total) {
            rich++;
            stack[poor++] = giver;
        }
    }
    /* The remaining slots are full, because the sums are exact. */
}

hr_status hr_lottery_build(hr_lottery *table, const uint32_t *weights, uint32_t count,
                           hr_arena *arena, hr_error *err) {
    uint64_t *share = hr_arena_alloc(arena, count, sizeof *share, err);
    uint32_t *stack = hr_arena_alloc(arena, count, sizeof *stack, err);
    table->count = count;
    table->slots = hr_arena_alloc(arena, count, sizeof *table->slots, err);
    if (!share || !stack || !table->slots) return HR_ENOMEM;
    uint64_t total = 0;
    for (uint32_t i = 0; i < count; i++) {
        total += weights[i];
        share[i] = (uint64_t)weights[i] * count;
        table->slots[i] = (hr_lottery_slot){UINT32_MAX, i};
    }
    assert(total > 0 && total <= UINT32_MAX);
    fill(table, share, stack, total);
    return HR_OK;
}

hr_status hr_lottery_build_zipf(hr_lottery *table, uint32_t scale, uint32_t shift, uint32_t count,
                                hr_arena *arena, hr_error *err) {
    uint32_t *weights = hr_arena_alloc(arena, count, sizeof *weights, err);
    if (!weights) return HR_ENOMEM;
    for (uint32_t i = 0; i < count; i++)
        weights[i] = scale / (i + shift);
    return hr_lottery_build(table, weights, count, arena, err);
}

uint32_t hr_lottery_draw(const hr_lottery *table, hr_random *random) {
    uint64_t draw = hr_random_next(random);
    uint32_t i = (uint32_t)((draw >> 32) * table->count >> 32);
    return (uint32_t)draw < table->slots[i].keep ? i : table->slots[i].other;
}
