/* cuts.c - where to cut the numbers of a quasi-identifier without a hierarchy, if the owner only
 * says how wide an interval may be, or how many cells there are to be.
 *
 * For one attribute: rows whose other attributes have the same MAGVals form an "other cell". An
 * interval of numbers costs the rows of those other cells which, restricted to the interval,
 * violate a model. The cheapest cuts are a shortest path over the distinct numbers, from the
 * greatest to the least: tail[i] is the cheapest way to cut the numbers from i on. For fixed i the
 * interval is extended number by number, and the rows that join update counts of their other
 * cells. Ties: least sum of rows times width, then fewest cells, then lowest cut points.
 *
 * That is exact for one attribute while the others stay as they are, under models that are closed
 * under supersets; for others, whole cells are counted where a part could be released. Several
 * attributes are cut in turn until none gets better: a local optimum. If there are very many
 * numbers, cuts are only tried between blocks of neighbouring numbers. */
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS_MOST = 400000000, BLOCKS_LEAST = 64 };

/* What a way of cutting costs; compared member by member. */
typedef struct {
    uint64_t suppressed, loss;
    uint32_t cells;
} price;

/* The cheapest way to cut the numbers from some block on. */
typedef struct {
    price price;
    uint32_t next; /* the block at which the second interval begins */
    bool possible;
} tail;

typedef struct {
    const hr_microdata *data;
    const hr_requirements *asked;
    size_t j; /* the attribute */
    hr_cut_rule rule;
    /* Numbers in blocks: those of block b have ranks block[b] .. block[b + 1] - 1. */
    uint32_t *block;
    uint32_t block_count;
    uint32_t *start, *member; /* rows of each number */
    hr_groups others;         /* other cell of each row */
    hr_facts facts;           /* of the other cells, with all their rows */
    uint32_t *entry; /* per row and sensitive attribute: place in facts.values, or HR_NONE */
    /* Of the other cells, restricted to the current interval: */
    uint32_t *size, *distinct, *largest, *count;
    bool *holds;
    uint32_t *touched; /* other cells with rows in the interval */
    uint32_t touched_count;
    tail *tails; /* per block and, if cells are counted, number of cells left */
    hr_error *err;
} cutter;

static int compare_prices(const price *a, const price *b) {
    if (a->suppressed != b->suppressed) return a->suppressed < b->suppressed ? -1 : 1;
    if (a->loss != b->loss) return a->loss < b->loss ? -1 : 1;
    return a->cells < b->cells ? -1 : a->cells > b->cells;
}

/* ---- rows by number ---- */

static hr_status list_rows(cutter *c) {
    const hr_quasi *quasi = &c->data->quasi[c->j];
    size_t rows = c->data->rows;
    uint32_t *rank = hr_alloc_raw(rows, sizeof *rank, c->err);
    c->start = hr_alloc(quasi->value_count + (size_t)2, sizeof *c->start, c->err);
    c->member = hr_alloc_raw(rows, sizeof *c->member, c->err);
    bool allocated = rank && c->start && c->member;
    for (size_t row = 0; allocated && row < rows; row++)
        rank[row] = c->others.of_row[row] == HR_NONE ? HR_NONE : hr_quasi_value(quasi, row);
    if (allocated) hr_group_by_key(rank, (uint32_t)rows, quasi->value_count, c->start, c->member);
    free(rank);
    return allocated ? HR_OK : HR_ENOMEM;
}

/* One number per block unless that takes too long. Otherwise a block has few rows, and is much
 * narrower than an interval may be. */
static hr_status make_blocks(cutter *c) {
    const hr_quasi *quasi = &c->data->quasi[c->j];
    uint32_t numbers = quasi->value_count, rows = c->start[numbers], first = 0;
    c->block = hr_alloc((size_t)numbers + 1, sizeof *c->block, c->err);
    if (!c->block) return HR_ENOMEM;
    uint64_t most = STEPS_MOST / ((uint64_t)rows + 1);
    if (most < BLOCKS_LEAST) most = BLOCKS_LEAST;
    bool each = numbers <= most;
    for (uint32_t v = 0; v < numbers; v++) {
        bool wide = c->rule.width > 0 &&
                    quasi->number[v] - quasi->number[first] > c->rule.width / BLOCKS_LEAST;
        bool full = c->start[v + 1] - c->start[first] > rows / most;
        if (v > 0 && !each && !wide && !full) continue;
        c->block[c->block_count++] = first = v;
    }
    c->block[c->block_count] = numbers;
    return HR_OK;
}

/* Numbers the values of attribute l by cell: at[number] is the place of a value in the facts of its
 * other cell. */
static hr_status number_places(const cutter *c, size_t l, hr_map64 *places, uint32_t *at) {
    size_t r = c->data->sensitive_count;
    for (uint32_t cell = 0; cell < c->facts.count; cell++) {
        const size_t *start = &c->facts.value_start[cell * r + l];
        for (size_t e = start[0]; e < start[1]; e++) {
            uint32_t number;
            HR_TRY(hr_map64_intern(places, (uint64_t)cell << 32 | c->facts.values[e], &number,
                                   c->err));
            at[number] = (uint32_t)e;
        }
    }
    return HR_OK;
}

/* Finds the place of each row's values of attribute l. */
static void place_rows(cutter *c, size_t l, const hr_map64 *places, const uint32_t *at) {
    const hr_microdata *data = c->data;
    for (size_t row = 0; row < data->rows; row++) {
        uint32_t cell = c->others.of_row[row];
        uint32_t value = hr_sensitive_value(&data->sensitive[l], row);
        bool none = cell == HR_NONE || value == HR_NONE;
        c->entry[row * data->sensitive_count + l] =
            none ? HR_NONE : at[hr_map64_find(places, (uint64_t)cell << 32 | value)];
    }
}

static hr_status find_entries(cutter *c) {
    size_t r = c->data->sensitive_count;
    uint32_t *at = hr_alloc_raw(c->facts.value_start[c->facts.count * r], sizeof *at, c->err);
    c->entry = hr_alloc_raw(c->data->rows * r, sizeof *c->entry, c->err);
    hr_status status = at && c->entry ? HR_OK : HR_ENOMEM;
    for (size_t l = 0; l < r && status == HR_OK; l++) {
        hr_map64 places = {0};
        status = number_places(c, l, &places, at);
        if (status == HR_OK) place_rows(c, l, &places, at);
        hr_map64_free(&places);
    }
    free(at);
    return status;
}

/* ---- the current interval ---- */

static bool cell_holds(const cutter *c, uint32_t cell) {
    size_t r = c->data->sensitive_count;
    hr_known known = {.size = c->size[cell],
                      .sensitive_count = r,
                      .distinct = c->distinct + cell * r,
                      .largest = c->largest + cell * r,
                      .start = c->facts.value_start + cell * r,
                      .rows = c->count,
                      .values = c->facts.values};
    for (size_t i = 0; hr_models[i]; i++)
        if (hr_model_in_play(hr_models[i], c->asked) && !hr_models[i]->holds(&known, c->asked))
            return false;
    return true;
}

static void empty_interval(cutter *c) {
    size_t r = c->data->sensitive_count;
    for (uint32_t i = 0; i < c->touched_count; i++) {
        uint32_t cell = c->touched[i];
        size_t first = c->facts.value_start[cell * r], end = c->facts.value_start[cell * r + r];
        c->size[cell] = 0;
        c->holds[cell] = false;
        memset(c->distinct + cell * r, 0, r * sizeof *c->distinct);
        memset(c->largest + cell * r, 0, r * sizeof *c->largest);
        memset(c->count + first, 0, (end - first) * sizeof *c->count);
    }
    c->touched_count = 0;
}

/* A row joins the interval; *suppressed is kept up to date. */
static void add_row(cutter *c, uint32_t row, uint64_t *suppressed) {
    size_t r = c->data->sensitive_count;
    uint32_t cell = c->others.of_row[row];
    if (c->size[cell] == 0) c->touched[c->touched_count++] = cell;
    if (!c->holds[cell]) *suppressed -= c->size[cell];
    c->size[cell]++;
    for (size_t l = 0; l < r; l++) {
        uint32_t e = c->entry[row * r + l];
        if (e == HR_NONE) continue;
        if (c->count[e]++ == 0) c->distinct[cell * r + l]++;
        if (c->count[e] > c->largest[cell * r + l]) c->largest[cell * r + l] = c->count[e];
    }
    c->holds[cell] = cell_holds(c, cell);
    if (!c->holds[cell]) *suppressed += c->size[cell];
}

/* ---- the shortest path ---- */

static bool allowed(const cutter *c, uint32_t first, uint32_t last) {
    const double *number = c->data->quasi[c->j].number;
    return c->rule.width <= 0 ||
           number[c->block[last + 1] - 1] - number[c->block[first]] <= c->rule.width;
}

/* Considers the interval that begins at block b, costs `own` and is followed by block `next`. */
static void offer(cutter *c, uint32_t b, uint32_t next, const price *own) {
    uint32_t left = c->rule.cells ? c->rule.cells : 1;
    for (uint32_t cells = 0; cells < left;
         cells++) { /* intervals that follow this one, if counted */
        uint32_t after = c->rule.cells ? cells : 0, at = c->rule.cells ? cells + 1 : 0;
        const tail *rest = &c->tails[next * (left + (size_t)1) + after];
        tail *best = &c->tails[b * (left + (size_t)1) + at];
        if (!rest->possible) continue;
        price sum = {own->suppressed + rest->price.suppressed, own->loss + rest->price.loss,
                     1 + rest->price.cells};
        if (best->possible && compare_prices(&sum, &best->price) >= 0) continue;
        *best = (tail){sum, next, true};
    }
}

static void extend(cutter *c, uint32_t b) {
    const hr_quasi *quasi = &c->data->quasi[c->j];
    price own = {0};
    uint64_t rows = 0;
    empty_interval(c);
    for (uint32_t last = b; last < c->block_count && allowed(c, b, last); last++) {
        uint32_t from = c->start[c->block[last]], to = c->start[c->block[last + 1]];
        for (uint32_t i = from; i < to; i++)
            add_row(c, c->member[i], &own.suppressed);
        rows += to - from;
        own.loss = rows * hr_quasi_cost(quasi, (hr_span){c->block[b], c->block[last + 1] - 1});
        offer(c, b, last + 1, &own);
    }
}

static hr_status allocate(cutter *c) {
    size_t cells = c->facts.count, r = c->data->sensitive_count;
    size_t states = (c->rule.cells ? c->rule.cells : 1) + (size_t)1;
    c->size = hr_alloc(cells, sizeof *c->size, c->err);
    c->distinct = hr_alloc(cells * r, sizeof *c->distinct, c->err);
    c->largest = hr_alloc(cells * r, sizeof *c->largest, c->err);
    c->count = hr_alloc(c->facts.value_start[cells * r], sizeof *c->count, c->err);
    c->holds = hr_alloc(cells, sizeof *c->holds, c->err);
    c->touched = hr_alloc(cells, sizeof *c->touched, c->err);
    c->tails = hr_alloc((c->block_count + (size_t)1) * states, sizeof *c->tails, c->err);
    bool allocated =
        c->size && c->distinct && c->largest && c->count && c->holds && c->touched && c->tails;
    return allocated ? HR_OK : HR_ENOMEM;
}

/* Stores the first rank of each number's interval. */
static void store_cuts(const cutter *c, uint32_t *magval) {
    uint32_t left = c->rule.cells ? c->rule.cells : 1, cells = c->rule.cells;
    for (uint32_t b = 0; b < c->block_count;) {
        const tail *best = &c->tails[b * (left + (size_t)1) + cells];
        for (uint32_t v = c->block[b]; v < c->block[best->next]; v++)
            magval[v] = c->block[b];
        b = best->next;
        if (cells) cells--;
    }
}

static hr_status search(cutter *c, price *found, uint32_t *magval) {
    HR_TRY(
        hr_facts_of(&c->others, c->data->sensitive, c->data->sensitive_count, &c->facts, c->err));
    HR_TRY(list_rows(c));
    HR_TRY(make_blocks(c));
    HR_TRY(find_entries(c));
    if (c->rule.cells > c->block_count) c->rule.cells = c->block_count;
    HR_TRY(allocate(c));
    uint32_t left = c->rule.cells ? c->rule.cells : 1;
    c->tails[c->block_count * (left + (size_t)1)].possible = true; /* nothing is left to cut */
    for (uint32_t b = c->block_count; b-- > 0;)
        extend(c, b);
    *found = c->tails[c->rule.cells].price;
    store_cuts(c, magval);
    return HR_OK;
}

/* Cuts attribute j, the others being cut as they are. */
static hr_status cut_one(const hr_microdata *data, const hr_requirements *asked, size_t j,
                         hr_cut_rule rule, price *found, uint32_t *magval, hr_error *err) {
    cutter c = {.data = data, .asked = asked, .j = j, .rule = rule, .err = err};
    bool bounded = data->quasi[j].bounded;
    data->quasi[j].bounded = false; /* cells by the other attributes alone */
    hr_status status = hr_cells(data->quasi, data->quasi_count, data->rows, true, &c.others, err);
    data->quasi[j].bounded = bounded;
    if (status == HR_OK) status = search(&c, found, magval);
    hr_groups_free(&c.others);
    hr_facts_free(&c.facts);
    free(c.block);
    free(c.start);
    free(c.member);
    free(c.entry);
    free(c.size);
    free(c.distinct);
    free(c.largest);
    free(c.count);
    free(c.holds);
    free(c.touched);
    free(c.tails);
    return status;
}

/* ---- several attributes ---- */

/* Coarse cuts to start from: the widest intervals from the least number on, or equally many numbers
 * in each cell. */
static hr_status start_cuts(hr_quasi *quasi, hr_cut_rule rule, hr_error *err) {
    uint32_t count = quasi->value_count, first = 0;
    uint32_t cells = rule.cells < count ? rule.cells : count;
    quasi->magval = hr_alloc(count, sizeof *quasi->magval, err);
    if (!quasi->magval) return HR_ENOMEM;
    for (uint32_t v = 0; v < count; v++) {
        bool next = rule.cells ? (uint64_t)v * cells / count != (uint64_t)first * cells / count
                               : quasi->number[v] - quasi->number[first] > rule.width;
        if (next) first = v;
        quasi->magval[v] = first;
    }
    quasi->bounded = count > 0 && quasi->magval[count - 1] != 0;
    return HR_OK;
}

/* Cuts attribute j anew; *better: at a lower price than before. */
static hr_status improve(hr_microdata *data, const hr_requirements *asked, size_t j,
                         hr_cut_rule rule, price *least, bool *better, hr_error *err) {
    hr_quasi *quasi = &data->quasi[j];
    price found;
    uint32_t *magval = hr_alloc(quasi->value_count, sizeof *magval, err);
    if (!magval) return HR_ENOMEM;
    hr_status status = cut_one(data, asked, j, rule, &found, magval, err);
    if (status != HR_OK) {
        free(magval);
        return status;
    }
    free(quasi->magval);
    quasi->magval = magval;
    quasi->bounded = magval[quasi->value_count - 1] != 0;
    *better = *better || found.suppressed < least->suppressed;
    if (found.suppressed < least->suppressed) *least = found;
    return HR_OK;
}

hr_status hr_cuts_choose(hr_microdata *data, const hr_requirements *asked, const hr_cut_rule *rules,
                         hr_error *err) {
    size_t cut = 0;
    for (size_t j = 0; j < data->quasi_count; j++) {
        bool wanted = (rules[j].width > 0 || rules[j].cells > 0) && data->quasi[j].value_count > 0;
        if (!wanted) continue;
        HR_TRY(start_cuts(&data->quasi[j], rules[j], err));
        cut++;
    }
    price least = {.suppressed = UINT64_MAX};
    for (bool better = cut > 0; better;) {
        better = false;
        for (size_t j = 0; j < data->quasi_count; j++)
            if (!data->quasi[j].tree && data->quasi[j].magval)
                HR_TRY(improve(data, asked, j, rules[j], &least, &better, err));
        if (cut == 1) break;
    }
    return HR_OK;
}
