/* hedge_order.c - orders the kinds so that near ones are side by side. All kinds are split by one
 * attribute, each part by the attribute that is best for it, and so on. A tree splits a part by the
 * children of the node that covers it, a number in the middle of its range. An attribute is good if
 * it gives many parts and each costs much less than the whole. Parts of fewer than k rows do not
 * count, because no class fits into them. */
#include "algorithm/hedge/cover.h"

#include <stdlib.h>
#include <string.h>

enum {
    SMALL = 32, /* kinds that are not split */
    WIDE = 64   /* a tree with so many values per kind is not used for splits */
};

typedef struct {
    uint32_t first, end;
} stretch;

/* A part of a stretch. */
typedef struct {
    uint64_t rows;
    uint32_t lo, hi; /* values that occur */
} share;

typedef struct {
    const hr_kinds *kinds;
    const hr_rulers *rulers;
    uint32_t *order, *spare;
    share *part;
    uint32_t *child; /* per value of a tree: its part */
    uint32_t *key, *start;
    stretch *stack;
    size_t waiting, capacity;
    hr_error *err;
} splitter;

static uint32_t value_of(const splitter *s, uint32_t kind, size_t j) {
    return s->rulers->mark[s->kinds->kind_combination[kind] * s->rulers->t + j];
}

/* log2(of / part) x 256, by straight lines between powers of two: the same on every machine. */
static uint64_t bits(uint64_t of, uint64_t part) {
    uint64_t ratio = (of << 8) / part, whole = 0;
    while (ratio >= 512) {
        ratio /= 2;
        whole += 256;
    }
    return whole + ratio - 256;
}

/* How an attribute splits a stretch. */
typedef struct {
    const hr_ruler *ruler;
    uint32_t lo, hi; /* values that occur */
    uint32_t middle; /* number: the last value of the first part */
    uint32_t parts;  /* number of parts; fewer than two: the attribute does not split it */
} cut;

static uint32_t part_of(const splitter *s, const cut *by, uint32_t value) {
    return by->ruler->at ? value > by->middle : s->child[value - by->lo];
}

/* Numbers the children of the node that covers lo .. hi. */
static uint32_t number_children(splitter *s, const cut *by) {
    uint32_t part = 0, whole = hr_ruler_cost(by->ruler, by->lo, by->hi);
    for (uint32_t v = by->lo; v <= by->hi; v++) {
        s->child[v - by->lo] = part;
        part += v < by->hi && by->ruler->most[0][v] == whole;
    }
    return part + 1;
}

static cut cut_by(splitter *s, stretch at, size_t j) {
    const hr_ruler *ruler = &s->rulers->of[j];
    cut by = {.ruler = ruler, .lo = UINT32_MAX};
    for (uint32_t i = at.first; i < at.end; i++) {
        uint32_t v = value_of(s, s->order[i], j);
        by.lo = v < by.lo ? v : by.lo;
        by.hi = v > by.hi ? v : by.hi;
    }
    if (by.lo >= by.hi) return by;
    if (ruler->at) {
        uint32_t half = ruler->at[by.lo] + (ruler->at[by.hi] - ruler->at[by.lo]) / 2;
        by.middle = hr_find_sorted(ruler->at, by.lo, by.hi, half + 1) - 1;
        by.parts = 2;
    } else if (by.hi - by.lo <= WIDE * (at.end - at.first)) {
        by.parts = number_children(s, &by);
    }
    return by;
}

/* The worth of a split of the stretch by attribute j. */
static uint64_t worth(splitter *s, stretch at, size_t j) {
    cut by = cut_by(s, at, j);
    uint64_t all = 0, sum = 0;
    if (by.parts < 2) return 0;
    memset(s->part, 0, by.parts * sizeof *s->part);
    for (uint32_t i = at.first; i < at.end; i++) {
        uint32_t v = value_of(s, s->order[i], j), p = part_of(s, &by, v);
        uint32_t more = s->kinds->kind_rows[s->order[i]];
        share *own = &s->part[p];
        if (own->rows == 0) *own = (share){0, v, v};
        own->rows += more;
        own->lo = v < own->lo ? v : own->lo;
        own->hi = v > own->hi ? v : own->hi;
        all += more;
    }
    uint32_t whole = hr_ruler_cost(by.ruler, by.lo, by.hi);
    for (uint32_t p = 0; p < by.parts; p++) {
        const share *own = &s->part[p];
        if (own->rows < s->kinds->k) continue;
        uint64_t saved = (whole - hr_ruler_cost(by.ruler, own->lo, own->hi)) >> 10;
        sum += saved * (own->rows * bits(all, own->rows) >> 8);
    }
    return sum;
}

static hr_status push(splitter *s, stretch at) {
    if (at.end - at.first <= SMALL) return HR_OK;
    HR_TRY(hr_grow(&s->stack, &s->capacity, s->waiting + 1, sizeof *s->stack, s->err));
    s->stack[s->waiting++] = at;
    return HR_OK;
}

/* Splits by attribute j. Consecutive parts of fewer than k rows are joined. */
static hr_status split(splitter *s, stretch at, size_t j) {
    uint32_t count = at.end - at.first;
    worth(s, at, j); /* counts the rows of the parts */
    cut by = cut_by(s, at, j);
    for (uint32_t i = 0; i < count; i++)
        s->key[i] = part_of(s, &by, value_of(s, s->order[at.first + i], j));
    hr_group_by_key(s->key, count, by.parts, s->start, s->spare);
    for (uint32_t i = 0; i < count; i++)
        s->spare[i] = s->order[at.first + s->spare[i]];
    memcpy(s->order + at.first, s->spare, count * sizeof *s->order);
    uint32_t pending = 0; /* start of the small parts that are being joined */
    for (uint32_t c = 0; c < by.parts; c++) {
        if (s->part[c].rows < s->kinds->k) continue;
        HR_TRY(push(s, (stretch){at.first + pending, at.first + s->start[c]}));
        HR_TRY(push(s, (stretch){at.first + s->start[c], at.first + s->start[c + 1]}));
        pending = s->start[c + 1];
    }
    return push(s, (stretch){at.first + pending, at.end});
}

static hr_status split_all(splitter *s, uint32_t count) {
    HR_TRY(push(s, (stretch){0, count}));
    while (s->waiting > 0) {
        stretch at = s->stack[--s->waiting];
        uint64_t most = 0;
        size_t best = 0;
        for (size_t j = 0; j < s->rulers->t; j++) {
            uint64_t own = worth(s, at, j);
            if (own <= most) continue;
            most = own;
            best = j;
        }
        if (most > 0) HR_TRY(split(s, at, best));
    }
    return HR_OK;
}

hr_status hr_order_kinds(const hr_kinds *kinds, const hr_rulers *rulers, uint32_t *order,
                         uint32_t count, hr_error *err) {
    uint32_t values = 1;
    for (size_t j = 0; j < rulers->t; j++)
        if (rulers->of[j].count > values) values = rulers->of[j].count;
    splitter s = {.kinds = kinds, .rulers = rulers, .order = order, .err = err};
    hr_arena arena = {0};
    hr_arena_part parts[] = {
        {&s.spare, count, sizeof *s.spare},
        {&s.key, count, sizeof *s.key},
        {&s.part, values + 1, sizeof *s.part},
        {&s.child, values, sizeof *s.child},
        {&s.start, (size_t)values + 3, sizeof *s.start},
    };
    hr_status status = hr_arena_parts(&arena, parts, sizeof parts / sizeof *parts, err);
    if (status == HR_OK) status = split_all(&s, count);
    free(s.stack);
    hr_arena_free(&arena);
    return status;
}
