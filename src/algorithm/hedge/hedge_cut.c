/* hedge_cut.c - cuts the classes of a cell into parts of near ones. A group of classes is cut in
 * two by one attribute, and so on, until each part has few rows. Classes stay whole, so every part
 * satisfies the models. Other random numbers give other cuts. An attribute is good if, for many
 * rows, its published value in the class is much more precise than one for the whole group. */
#include "algorithm/hedge/cover.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    uint64_t key;
    uint32_t class;
} keyed;

typedef struct {
    uint32_t first, end;
} stretch;

typedef struct {
    const hr_rulers *rulers;
    hr_random random;
    uint32_t *lo, *hi; /* classes x t: the box of each */
    uint32_t *rows;    /* per class */
    keyed *order;
    stretch *stack;
    size_t waiting, capacity;
    uint32_t *part, count;
} cutter;

static void measure_classes(cutter *c, const hr_kinds *kinds, const hr_clusters *clusters) {
    size_t t = kinds->t;
    memset(c->lo, 0xff, clusters->count * t * sizeof *c->lo);
    for (uint32_t kind = 0; kind < kinds->kind_count; kind++)
        for (size_t i = kinds->place_start[kind]; i < kinds->place_start[kind + 1]; i++) {
            uint32_t class = clusters->cluster[kinds->place[i]];
            const uint32_t *mark = c->rulers->mark + kinds->kind_combination[kind] * t;
            uint32_t *lo = c->lo + class * t, *hi = c->hi + class * t;
            c->rows[class]++;
            for (size_t j = 0; j < t; j++) {
                lo[j] = mark[j] < lo[j] ? mark[j] : lo[j];
                hi[j] = mark[j] > hi[j] ? mark[j] : hi[j];
            }
        }
}

/* The worth of a cut of the group by attribute j. */
static double worth(const cutter *c, stretch at, size_t j) {
    const hr_ruler *ruler = &c->rulers->of[j];
    size_t t = c->rulers->t;
    uint32_t lo = UINT32_MAX, hi = 0;
    uint64_t narrower = 0;
    for (uint32_t i = at.first; i < at.end; i++) {
        size_t own = c->order[i].class * t + j;
        lo = c->lo[own] < lo ? c->lo[own] : lo;
        hi = c->hi[own] > hi ? c->hi[own] : hi;
    }
    if (lo == hi) return 0;
    double whole = hr_ruler_cost(ruler, lo, hi);
    for (uint32_t i = at.first; i < at.end; i++) {
        size_t own = c->order[i].class * t + j;
        double share = hr_ruler_cost(ruler, c->lo[own], c->hi[own]) / whole;
        narrower += (uint64_t)(c->rows[c->order[i].class] * (1 - share) * 16);
    }
    return (double)narrower;
}

static int by_key(const void *a, const void *b) {
    const keyed *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->class < y->class ? -1 : x->class > y->class;
}

/* Sorts the group by attribute j and returns where its middle half is cut best: between classes
 * that are far apart. */
static uint32_t cut_at(cutter *c, stretch at, size_t j) {
    const hr_ruler *ruler = &c->rulers->of[j];
    size_t t = c->rulers->t;
    for (uint32_t i = at.first; i < at.end; i++) {
        size_t own = c->order[i].class * t + j;
        uint64_t middle = ((uint64_t)c->lo[own] + c->hi[own]) / 2;
        c->order[i].key = middle << 32 | hr_random_next(&c->random) >> 32;
    }
    qsort(c->order + at.first, at.end - at.first, sizeof *c->order, by_key);
    uint32_t count = at.end - at.first, best = at.first + count / 2;
    uint64_t most = 0;
    for (uint32_t i = 0; i <= count / 4; i++)
        for (int side = 0; side < 2; side++) {
            uint32_t cut = at.first + (side ? count / 2 - i : count / 2 + i);
            if (cut <= at.first || cut >= at.end) continue;
            uint32_t from = (uint32_t)(c->order[cut - 1].key >> 32);
            uint64_t gap = hr_ruler_cost(ruler, from, (uint32_t)(c->order[cut].key >> 32));
            if (gap <= most) continue;
            most = gap;
            best = cut;
        }
    return best;
}

static hr_status cut_group(cutter *c, stretch at, hr_error *err) {
    size_t best = 0;
    double most = -1;
    for (size_t j = 0; j < c->rulers->t; j++) {
        double own = worth(c, at, j) * (0.6 + 0.4 * hr_random_real(&c->random));
        if (own <= most) continue;
        most = own;
        best = j;
    }
    uint32_t middle = cut_at(c, at, best);
    HR_TRY(hr_grow(&c->stack, &c->capacity, c->waiting + 2, sizeof *c->stack, err));
    c->stack[c->waiting++] = (stretch){middle, at.end};
    c->stack[c->waiting++] = (stretch){at.first, middle};
    return HR_OK;
}

static hr_status cut_all(cutter *c, uint32_t classes, uint32_t size, hr_error *err) {
    HR_TRY(hr_grow(&c->stack, &c->capacity, 1, sizeof *c->stack, err));
    c->stack[c->waiting++] = (stretch){0, classes};
    while (c->waiting > 0) {
        stretch at = c->stack[--c->waiting];
        uint64_t rows = 0;
        for (uint32_t i = at.first; i < at.end; i++)
            rows += c->rows[c->order[i].class];
        if (rows > size && at.end - at.first > 1) {
            HR_TRY(cut_group(c, at, err));
            continue;
        }
        for (uint32_t i = at.first; i < at.end; i++)
            c->part[c->order[i].class] = c->count;
        c->count++;
    }
    return HR_OK;
}

hr_status hr_cut_classes(const hr_kinds *kinds, const hr_rulers *rulers,
                         const hr_clusters *clusters, const hr_cutting *how, uint32_t *part,
                         uint32_t *count, hr_error *err) {
    cutter c = {.rulers = rulers, .part = part};
    hr_arena arena = {0};
    hr_arena_part parts[] = {
        {&c.lo, clusters->count * kinds->t, sizeof *c.lo},
        {&c.hi, clusters->count * kinds->t, sizeof *c.hi},
        {&c.rows, clusters->count, sizeof *c.rows},
        {&c.order, clusters->count, sizeof *c.order},
    };
    hr_status status = hr_arena_parts(&arena, parts, sizeof parts / sizeof *parts, err);
    if (status == HR_OK) {
        hr_random_seed(&c.random, how->seed, how->stream);
        measure_classes(&c, kinds, clusters);
        for (uint32_t i = 0; i < clusters->count; i++)
            c.order[i].class = i;
        status = cut_all(&c, clusters->count, how->size, err);
    }
    *count = c.count;
    free(c.stack);
    hr_arena_free(&arena);
    return status;
}
