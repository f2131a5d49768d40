/* hedge_classes.c - classes of rows, their boxes, and the rows that they can spare. */
#include "algorithm/hedge/cover.h"

#include <string.h>

enum {
    ENOUGH = 8, /* values above p that are counted */
    LANES = 8,  /* packed marks that are compared together */
    PACKED = INT16_MAX
};

/* ---- packed marks ---- */

/* Do the marks of every attribute fit 16 bits? */
static bool can_pack(const hr_rulers *rulers) {
    for (size_t j = 0; j < rulers->t; j++)
        if (rulers->of[j].count > PACKED) return false;
    return true;
}

static void pack(hr_classes *classes) {
    const hr_kinds *kinds = classes->kinds;
    size_t t = kinds->t;
    for (uint32_t kind = 0; kind < kinds->kind_count; kind++) {
        const uint32_t *mark = classes->rulers->mark + kinds->kind_combination[kind] * t;
        for (size_t j = 0; j < t; j++)
            classes->packed[kind * classes->width + j] = (int16_t)mark[j];
    }
}

hr_status hr_classes_init(hr_classes *classes, const hr_kinds *kinds, const hr_rulers *rulers,
                          hr_error *err) {
    *classes = (hr_classes){.kinds = kinds, .rulers = rulers};
    /* A step may open one class more than can be valid at a time. */
    size_t most = kinds->row_count / (kinds->k ? kinds->k : 1) + 2, t = kinds->t, r = kinds->r;
    size_t lots = (size_t)kinds->row_count + 1;
    bool packs = can_pack(rulers);
    classes->width = (t + LANES - 1) / LANES * LANES;
    hr_arena_part parts[] = {
        {&classes->packed, packs ? kinds->kind_count * classes->width : 0, sizeof *classes->packed},
        {&classes->without, 2 * t, sizeof *classes->without},
        {&classes->lots, lots, sizeof *classes->lots},
        {&classes->lot_of_kind, kinds->kind_count, sizeof *classes->lot_of_kind},
        {&classes->left, kinds->kind_count, sizeof *classes->left},
        {&classes->of, most, sizeof *classes->of},
        {&classes->free_class, most, sizeof *classes->free_class},
        {&classes->lo, most * t, sizeof *classes->lo},
        {&classes->hi, most * t, sizeof *classes->hi},
        {&classes->distinct, most * r, sizeof *classes->distinct},
        {&classes->state, kinds->judge ? kinds->judge->words : 0, sizeof *classes->state},
        {&classes->strain, kinds->judge ? hr_judge_strains(kinds->judge) : 0,
         sizeof *classes->strain},
        {&classes->seen, kinds->value_start[r], sizeof *classes->seen},
    };
    hr_status status = hr_arena_parts(&classes->arena, parts, sizeof parts / sizeof *parts, err);
    if (status != HR_OK) {
        hr_classes_free(classes);
        return status;
    }
    if (packs)
        pack(classes);
    else
        classes->packed = NULL;
    for (size_t i = 0; i < lots; i++)
        classes->lots[i].next = i + 1 < lots ? (uint32_t)i + 1 : HR_NONE;
    memset(classes->lot_of_kind, 0xff, kinds->kind_count * sizeof *classes->lot_of_kind);
    memcpy(classes->left, kinds->kind_rows, kinds->kind_count * sizeof *classes->left);
    classes->capacity = (uint32_t)most;
    for (uint32_t c = classes->capacity; c-- > 0;)
        classes->free_class[classes->free_count++] = c;
    return HR_OK;
}

void hr_classes_free(hr_classes *classes) {
    hr_arena_free(&classes->arena);
    *classes = (hr_classes){0};
}

uint32_t hr_classes_open(hr_classes *classes) {
    uint32_t class = classes->free_class[--classes->free_count];
    classes->of[class] = (hr_crowd){.first = HR_NONE};
    memset(classes->distinct + class * classes->kinds->r, 0,
           classes->kinds->r * sizeof *classes->distinct);
    return class;
}

/* ---- boxes ---- */

uint64_t hr_classes_cost_with(const hr_classes *classes, uint32_t class, uint32_t combination) {
    size_t t = classes->rulers->t;
    return hr_rulers_cost_with(classes->rulers, classes->lo + class * t, classes->hi + class * t,
                               combination);
}

/* The box of LANES attributes from `first` on of all lots but one. */
static void packed_box(const hr_classes *classes, uint32_t class, uint32_t but, size_t first,
                       int16_t *restrict lo, int16_t *restrict hi) {
    int16_t least[LANES], most[LANES];
    for (size_t j = 0; j < LANES; j++) {
        least[j] = PACKED;
        most[j] = 0;
    }
    for (uint32_t lot = classes->of[class].first; lot != HR_NONE; lot = classes->lots[lot].after) {
        const int16_t *mark = classes->packed + classes->lots[lot].kind * classes->width + first;
        if (lot == but) continue;
        for (size_t j = 0; j < LANES; j++)
            least[j] = mark[j] < least[j] ? mark[j] : least[j];
        for (size_t j = 0; j < LANES; j++)
            most[j] = mark[j] > most[j] ? mark[j] : most[j];
    }
    memcpy(lo, least, sizeof least);
    memcpy(hi, most, sizeof most);
}

static void widen(uint32_t *restrict lo, uint32_t *restrict hi, const uint32_t *mark, size_t t) {
    for (size_t j = 0; j < t; j++) {
        lo[j] = mark[j] < lo[j] ? mark[j] : lo[j];
        hi[j] = mark[j] > hi[j] ? mark[j] : hi[j];
    }
}

void hr_classes_box_but(const hr_classes *classes, uint32_t class, uint32_t but, uint32_t *lo,
                        uint32_t *hi) {
    size_t t = classes->rulers->t;
    for (size_t j = 0; j < t && classes->packed; j += LANES) {
        int16_t least[LANES], most[LANES];
        packed_box(classes, class, but, j, least, most);
        for (size_t i = 0; i < LANES && j + i < t; i++) {
            lo[j + i] = (uint32_t)least[i];
            hi[j + i] = (uint32_t)most[i];
        }
    }
    if (classes->packed) return;
    memset(lo, 0xff, t * sizeof *lo);
    memset(hi, 0, t * sizeof *hi);
    for (uint32_t lot = classes->of[class].first; lot != HR_NONE; lot = classes->lots[lot].after) {
        uint32_t at = classes->kinds->kind_combination[classes->lots[lot].kind];
        if (lot != but) widen(lo, hi, classes->rulers->mark + at * t, t);
    }
}

uint64_t hr_classes_cost_but(const hr_classes *classes, uint32_t class, uint32_t but,
                             uint32_t with) {
    uint32_t *lo = classes->without, *hi = lo + classes->rulers->t;
    hr_classes_box_but(classes, class, but, lo, hi);
    return with == HR_NONE ? hr_rulers_cost(classes->rulers, lo, hi)
                           : hr_rulers_cost_with(classes->rulers, lo, hi, with);
}

void hr_classes_fit(hr_classes *classes, uint32_t class) {
    size_t t = classes->rulers->t;
    uint32_t *lo = classes->lo + class * t, *hi = classes->hi + class * t;
    if (classes->of[class].rows == 0) return;
    hr_classes_box_but(classes, class, HR_NONE, lo, hi);
    classes->of[class].cost = hr_rulers_cost(classes->rulers, lo, hi);
}

/* Widens the box of a class by a combination. */
static void cover_with(hr_classes *classes, uint32_t class, uint32_t combination, bool first) {
    size_t t = classes->rulers->t;
    uint32_t *lo = classes->lo + class * t, *hi = classes->hi + class * t;
    const uint32_t *mark = classes->rulers->mark + combination * t;
    if (first) {
        memcpy(lo, mark, t * sizeof *lo);
        memcpy(hi, mark, t * sizeof *hi);
    } else {
        widen(lo, hi, mark, t);
    }
    classes->of[class].cost = hr_rulers_cost(classes->rulers, lo, hi);
}

/* ---- rows ---- */

bool hr_classes_has_value(const hr_classes *classes, uint32_t class, uint32_t but, size_t l,
                          uint32_t value) {
    const hr_kinds *kinds = classes->kinds;
    for (uint32_t lot = classes->of[class].first; lot != HR_NONE; lot = classes->lots[lot].after)
        if (lot != but && kinds->kind_value[classes->lots[lot].kind * kinds->r + l] == value)
            return true;
    return false;
}

/* A class with this many values has enough; further values are not counted. */
static uint32_t enough(const hr_classes *classes) {
    return classes->kinds->p + ENOUGH;
}

/* Counts the values of attribute l in all lots but one. */
static uint32_t count_values(hr_classes *classes, uint32_t class, uint32_t but, size_t l) {
    const hr_kinds *kinds = classes->kinds;
    uint32_t *seen = classes->seen + kinds->value_start[l], now = ++classes->now, count = 0;
    for (uint32_t lot = classes->of[class].first; lot != HR_NONE && count < enough(classes);
         lot = classes->lots[lot].after) {
        uint32_t value = kinds->kind_value[classes->lots[lot].kind * kinds->r + l];
        if (lot == but || value == HR_NONE || seen[value] == now) continue;
        seen[value] = now;
        count++;
    }
    return count;
}

/* The lot of a kind in a class; a new one without rows if there is none. */
static uint32_t lot_in(hr_classes *classes, uint32_t class, uint32_t kind) {
    uint32_t lot = classes->lot_of_kind[kind];
    for (; lot != HR_NONE; lot = classes->lots[lot].next)
        if (classes->lots[lot].class == class) return lot;
    const hr_kinds *kinds = classes->kinds;
    for (size_t l = 0; l < kinds->r; l++) {
        uint32_t value = kinds->kind_value[kind * kinds->r + l];
        uint32_t *distinct = &classes->distinct[class * kinds->r + l];
        if (value != HR_NONE && *distinct < enough(classes) &&
            !hr_classes_has_value(classes, class, HR_NONE, l, value))
            ++*distinct;
    }
    lot = classes->free_lot;
    hr_lot *own = &classes->lots[lot];
    hr_crowd *crowd = &classes->of[class];
    classes->free_lot = own->next;
    *own = (hr_lot){.kind = kind,
                    .class = class,
                    .before = HR_NONE,
                    .after = crowd->first,
                    .next = classes->lot_of_kind[kind]};
    if (crowd->first != HR_NONE) classes->lots[crowd->first].before = lot;
    crowd->first = lot;
    classes->lot_of_kind[kind] = lot;
    return lot;
}

void hr_classes_put(hr_classes *classes, uint32_t class, uint32_t kind, uint32_t rows) {
    uint32_t combination = classes->kinds->kind_combination[kind];
    hr_crowd *crowd = &classes->of[class];
    bool first = crowd->rows == 0;
    classes->lots[lot_in(classes, class, kind)].count += rows;
    crowd->rows += rows;
    classes->left[kind] -= rows;
    cover_with(classes, class, combination, first);
}

static void close_lot(hr_classes *classes, uint32_t lot) {
    hr_lot *own = &classes->lots[lot];
    const hr_kinds *kinds = classes->kinds;
    uint32_t *link = &classes->lot_of_kind[own->kind];
    for (size_t l = 0; l < kinds->r; l++) {
        uint32_t value = kinds->kind_value[own->kind * kinds->r + l];
        uint32_t *distinct = &classes->distinct[own->class * kinds->r + l];
        if (value != HR_NONE && *distinct == enough(classes))
            *distinct = count_values(classes, own->class, lot, l);
        else if (value != HR_NONE && !hr_classes_has_value(classes, own->class, lot, l, value))
            --*distinct;
    }
    while (*link != lot)
        link = &classes->lots[*link].next;
    *link = own->next;
    if (own->before != HR_NONE)
        classes->lots[own->before].after = own->after;
    else
        classes->of[own->class].first = own->after;
    if (own->after != HR_NONE) classes->lots[own->after].before = own->before;
    own->next = classes->free_lot;
    classes->free_lot = lot;
}

void hr_classes_take(hr_classes *classes, uint32_t lot, uint32_t rows) {
    hr_lot *own = &classes->lots[lot];
    uint32_t class = own->class;
    hr_crowd *crowd = &classes->of[class];
    classes->left[own->kind] += rows;
    own->count -= rows;
    crowd->rows -= rows;
    if (own->count == 0) close_lot(classes, lot);
    if (crowd->rows == 0) {
        crowd->cost = 0;
        classes->free_class[classes->free_count++] = class;
    }
}

/* ---- models ---- */

static const uint32_t *judged_of(const hr_classes *classes, uint32_t kind) {
    return classes->kinds->judged + kind * classes->kinds->judge->width;
}

static void load_state(hr_classes *classes, uint32_t class) {
    const hr_kinds *kinds = classes->kinds;
    const hr_judge *judge = kinds->judge;
    hr_judge_clear(judge, classes->state);
    for (uint32_t lot = classes->of[class].first; lot != HR_NONE; lot = classes->lots[lot].after)
        hr_judge_add(judge, classes->state, judged_of(classes, classes->lots[lot].kind),
                     classes->lots[lot].count);
}

static bool has_k_and_p(const hr_classes *classes, uint32_t class) {
    const hr_kinds *kinds = classes->kinds;
    if (classes->of[class].rows < kinds->k) return false;
    for (size_t l = 0; l < kinds->r; l++)
        if (classes->distinct[class * kinds->r + l] < kinds->p) return false;
    return true;
}

bool hr_classes_hold(hr_classes *classes, uint32_t class) {
    if (!has_k_and_p(classes, class)) return false;
    if (!classes->kinds->judge) return true;
    load_state(classes, class);
    return hr_judge_holds(classes->kinds->judge, classes->state);
}

bool hr_classes_grow(hr_classes *classes, uint32_t class, uint32_t kind) {
    const hr_judge *judge = classes->kinds->judge;
    uint32_t rows = classes->left[kind];
    if (judge && classes->of[class].rows == 0) hr_judge_clear(judge, classes->state);
    if (judge) hr_judge_add(judge, classes->state, judged_of(classes, kind), rows);
    hr_classes_put(classes, class, kind, rows);
    return has_k_and_p(classes, class) && (!judge || hr_judge_holds(judge, classes->state));
}

bool hr_classes_varied_but(const hr_classes *classes, uint32_t class, uint32_t but, uint32_t with) {
    const hr_kinds *kinds = classes->kinds;
    for (size_t l = 0; l < kinds->r; l++) {
        uint32_t count = classes->distinct[class * kinds->r + l];
        if (count > kinds->p || (but == HR_NONE && count == kinds->p)) continue;
        uint32_t more = kinds->kind_value[with * kinds->r + l];
        uint32_t less =
            but == HR_NONE ? HR_NONE : kinds->kind_value[classes->lots[but].kind * kinds->r + l];
        if (less != HR_NONE && !hr_classes_has_value(classes, class, but, l, less)) count--;
        if (more != HR_NONE && !hr_classes_has_value(classes, class, but, l, more)) count++;
        if (count < kinds->p) return false;
    }
    return true;
}

uint32_t hr_classes_spare(hr_classes *classes, uint32_t lot, uint32_t most) {
    const hr_lot *own = &classes->lots[lot];
    const hr_kinds *kinds = classes->kinds;
    uint32_t rows = classes->of[own->class].rows;
    if (rows <= kinds->k) return 0;
    most = most < rows - kinds->k ? most : rows - kinds->k;
    most = most < own->count ? most : own->count;
    for (size_t l = 0; l < kinds->r && most == own->count; l++) {
        uint32_t value = kinds->kind_value[own->kind * kinds->r + l];
        if (value != HR_NONE && classes->distinct[own->class * kinds->r + l] <= kinds->p &&
            !hr_classes_has_value(classes, own->class, lot, l, value))
            most--;
    }
    if (!kinds->judge || most == 0) return most;
    load_state(classes, own->class);
    return hr_judge_spare(kinds->judge, classes->state, judged_of(classes, own->kind), most);
}

uint32_t hr_classes_room(hr_classes *classes, uint32_t class, uint32_t kind, uint32_t most) {
    if (!classes->kinds->judge) return most;
    load_state(classes, class);
    return hr_judge_room(classes->kinds->judge, classes->state, judged_of(classes, kind), most);
}

void hr_classes_trim(hr_classes *classes, uint32_t class) {
    const hr_judge *judge = classes->kinds->judge;
    if (!judge) return;
    load_state(classes, class);
    bool trimmed = hr_judge_strain(judge, classes->state, classes->strain);
    for (bool again = trimmed; again;) {
        again = false;
        for (uint32_t lot = classes->of[class].first, next; lot != HR_NONE; lot = next) {
            const hr_lot *own = &classes->lots[lot];
            const uint32_t *values = judged_of(classes, own->kind);
            uint32_t rows = hr_judge_excess_under(judge, classes->state, classes->strain, values);
            next = own->after;
            if (rows == 0) continue;
            rows = rows < own->count ? rows : own->count;
            hr_judge_remove(judge, classes->state, values, rows);
            hr_classes_take(classes, lot, rows);
            again = hr_judge_strain(judge, classes->state, classes->strain);
            if (!again) break;
        }
    }
    if (trimmed) hr_classes_fit(classes, class);
}

bool hr_classes_helped_by(hr_classes *classes, uint32_t class, uint32_t kind) {
    const hr_judge *judge = classes->kinds->judge;
    if (!judge) return true;
    load_state(classes, class);
    uint32_t before = hr_judge_lack(judge, classes->state);
    hr_judge_add(judge, classes->state, judged_of(classes, kind), 1);
    uint32_t after = hr_judge_lack(judge, classes->state);
    return after < before || (after == before && classes->of[class].rows < classes->kinds->k);
}

/* ---- all classes ---- */

uint64_t hr_classes_loss(const hr_classes *classes) {
    uint64_t loss = 0;
    for (uint32_t c = 0; c < classes->capacity; c++)
        loss += classes->of[c].rows * classes->of[c].cost;
    return loss;
}

void hr_classes_save(const hr_classes *classes, hr_clusters *out) {
    const hr_kinds *kinds = classes->kinds;
    uint32_t *number = classes->free_class; /* class numbers are not needed again */
    out->count = 0;
    for (uint32_t c = 0; c < classes->capacity; c++)
        if (classes->of[c].rows > 0) number[c] = out->count++;
    for (uint32_t kind = 0; kind < kinds->kind_count; kind++) {
        size_t at = kinds->place_start[kind];
        for (uint32_t lot = classes->lot_of_kind[kind]; lot != HR_NONE;
             lot = classes->lots[lot].next)
            for (uint32_t i = 0; i < classes->lots[lot].count; i++)
                out->cluster[kinds->place[at++]] = number[classes->lots[lot].class];
    }
}

void hr_classes_load(hr_classes *classes, const hr_clusters *clusters) {
    const hr_kinds *kinds = classes->kinds;
    for (uint32_t c = 0; c < clusters->count; c++)
        hr_classes_open(classes);
    for (uint32_t kind = 0; kind < kinds->kind_count; kind++)
        for (size_t i = kinds->place_start[kind]; i < kinds->place_start[kind + 1]; i++)
            hr_classes_put(classes, clusters->cluster[kinds->place[i]], kind, 1);
}
