/* cut_one.c - finds the best cut points for the numbers of one quasi-identifier without a
 * hierarchy, with the cells of all other attributes fixed.
 *
 * Rows whose other attributes have the same MAGVals form an "other cell". An interval of numbers
 * costs the rows of those other cells which, restricted to the interval, violate a model. The
 * cheapest cuts are a shortest path over the distinct numbers, from the greatest to the least:
 * tails[b] is the cheapest way to cut the numbers from block b on. For a fixed b the interval is
 * extended number by number, and the rows that join update counts of their other cells. Ties: least
 * sum of rows times width, then fewest cells, then lowest cut points.
 *
 * Normally a block is one number, and the cuts are optimal. If there are too many numbers to try
 * them all, a block is several neighbouring numbers, and cuts are tried only between blocks. Two
 * more cases are approximate. Under models that are not closed under supersets, a cell that
 * violates one is counted as suppressed as a whole, although a part of it might be released. If k
 * counts units (people), the search counts every row as a unit. */
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Limits on the work of a search: rows that join intervals, with lasting cells and without, and
 * intervals that are tried. A search at one of them takes a few seconds. */
enum {
    ROWS_MOST_LASTING = 1000000000,
    ROWS_MOST = 400000000,
    INTERVALS_MOST = 400000000,
    BLOCKS_LEAST = 64
};

/* The price of a choice of cut points; prices are compared member by member. */
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
    const hr_watch *watch;
    size_t j; /* the attribute */
    uint32_t numbers;
    double *units;  /* of each number (hr_quasi_units) */
    bool limited;   /* intervals have a greatest width: */
    double widest;  /* in units */
    uint32_t cells; /* so many cells are wanted; 0: any number of them */
    /* Numbers in blocks: those of block b have ranks block[b] .. block[b + 1] - 1. */
    uint32_t *block;
    uint32_t block_count;
    uint32_t *start, *member; /* rows of each number */
    uint32_t *cell;           /* other cell of each member */
    uint64_t *before;         /* rows of the numbers before each one, as the table counts them */
    hr_groups others;         /* other cell of each row */
    hr_facts facts;           /* of the other cells, with all their rows */
    uint32_t *entry; /* per row and sensitive attribute: place in facts.values, or HR_NONE */
    /* Of the other cells, restricted to the current interval: */
    uint32_t *size, *distinct, *largest, *count;
    bool *holds;
    bool lasting;      /* an other cell that holds still does when rows join it */
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

static hr_status count_before(cutter *c) {
    c->before = hr_alloc((size_t)c->numbers + 1, sizeof *c->before, c->err);
    if (!c->before) return HR_ENOMEM;
    for (uint32_t v = 0; v < c->numbers; v++) {
        c->before[v + 1] = c->before[v];
        for (uint32_t i = c->start[v]; i < c->start[v + 1]; i++)
            c->before[v + 1] += hr_microdata_weight(c->data, c->member[i]);
    }
    return HR_OK;
}

static hr_status list_rows(cutter *c) {
    const hr_quasi *quasi = &c->data->quasi[c->j];
    size_t rows = c->data->rows;
    uint32_t *rank = hr_alloc_raw(rows, sizeof *rank, c->err);
    c->start = hr_alloc(quasi->value_count + (size_t)2, sizeof *c->start, c->err);
    c->member = hr_alloc_raw(rows, sizeof *c->member, c->err);
    c->cell = hr_alloc_raw(rows, sizeof *c->cell, c->err);
    bool allocated = rank && c->start && c->member && c->cell;
    for (size_t row = 0; allocated && row < rows; row++)
        rank[row] = c->others.of_row[row] == HR_NONE ? HR_NONE : hr_quasi_value(quasi, row);
    if (allocated) hr_group_by_key(rank, (uint32_t)rows, quasi->value_count, c->start, c->member);
    free(rank);
    if (!allocated) return HR_ENOMEM;
    for (uint32_t i = 0; i < c->start[c->numbers]; i++)
        c->cell[i] = c->others.of_row[c->member[i]];
    return count_before(c);
}

/* The rank after the last number that an interval beginning at `first` may contain. */
static uint32_t reach(const cutter *c, uint32_t first, uint32_t from) {
    while (from < c->numbers && (!c->limited || c->units[from] - c->units[first] <= c->widest))
        from++;
    return from;
}

/* How often a row joins an interval and how many intervals are tried, with one number per block. */
typedef struct {
    uint64_t rows, intervals;
} effort;

static effort effort_of(const cutter *c) {
    effort sum = {0};
    for (uint32_t v = 0, end = 0; v < c->numbers; v++) {
        end = reach(c, v, end);
        sum.rows += c->before[end] - c->before[v];
        sum.intervals += (uint64_t)(end - v) * (c->cells ? c->cells : 1);
    }
    return sum;
}

/* The largest number of blocks for which the search is fast enough. */
static uint32_t most_blocks(const cutter *c) {
    effort all = effort_of(c);
    double numbers = c->numbers, most = numbers;
    double rows_most = c->lasting ? ROWS_MOST_LASTING : ROWS_MOST;
    if ((double)all.rows > rows_most) most = numbers * rows_most / (double)all.rows;
    if (all.intervals > INTERVALS_MOST)
        most = fmin(most, numbers * sqrt(INTERVALS_MOST / (double)all.intervals));
    most = fmax(most, fmax(BLOCKS_LEAST, 2.0 * c->cells)); /* so that there is a choice */
    return most < numbers ? (uint32_t)most : c->numbers;
}

/* One number per block unless that takes too long. Otherwise a block has few numbers, few rows
 * unless they have one number, and is much narrower than an interval may be. */
static hr_status make_blocks(cutter *c) {
    uint64_t rows = c->before[c->numbers];
    uint32_t first = 0;
    c->block = hr_alloc((size_t)c->numbers + 1, sizeof *c->block, c->err);
    if (!c->block) return HR_ENOMEM;
    uint32_t most = most_blocks(c);
    bool each = most == c->numbers;
    uint64_t numbers = c->numbers;
    for (uint32_t v = 0; v < numbers; v++) {
        bool wide = c->limited && c->units[v] - c->units[first] > c->widest / BLOCKS_LEAST;
        bool full = c->before[v + 1] - c->before[first] > 2 * (rows / most + 1);
        bool next = v * (uint64_t)most / numbers > first * (uint64_t)most / numbers;
        if (v > 0 && !each && !wide && !full && !next) continue;
        c->block[c->block_count++] = first = v;
    }
    c->block[c->block_count] = c->numbers;
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

static bool is_lasting(const hr_requirements *asked) {
    for (size_t i = 0; hr_models[i]; i++)
        if (hr_model_in_play(hr_models[i], asked) && !hr_models[i]->closed_under_superset)
            return false;
    return true;
}

static bool cell_holds(const cutter *c, uint32_t cell) {
    size_t r = c->data->sensitive_count;
    hr_known known = {.size = c->size[cell],
                      .units = c->size[cell], /* each row counts as a unit */
                      .sensitive_count = r,
                      .distinct = c->distinct + cell * r,
                      .largest = c->largest + cell * r,
                      .start = c->facts.value_start + cell * r,
                      .rows = c->count,
                      .values = c->facts.values,
                      .sensitive = c->facts.sensitive,
                      .reference = c->facts.reference};
    for (size_t i = 0; hr_models[i]; i++)
        if (hr_model_in_play(hr_models[i], c->asked) &&
            !hr_model_holds(hr_models[i], &known, c->asked))
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

/* A member joins the interval; *suppressed is kept up to date. Most members join a cell that holds:
 * unless that can change, nothing is counted for them. */
static void add_member(cutter *c, uint32_t i, uint64_t *suppressed) {
    uint32_t cell = c->cell[i], row = c->member[i];
    if (c->lasting && c->holds[cell]) return;
    size_t r = c->data->sensitive_count;
    uint32_t weight = hr_microdata_weight(c->data, row);
    if (c->size[cell] == 0) c->touched[c->touched_count++] = cell;
    if (!c->holds[cell]) *suppressed -= c->size[cell];
    c->size[cell] += weight;
    for (size_t l = 0; l < r; l++) {
        uint32_t e = c->entry[row * r + l];
        if (e == HR_NONE) continue;
        if (c->count[e] == 0) c->distinct[cell * r + l]++;
        c->count[e] += weight;
        if (c->count[e] > c->largest[cell * r + l]) c->largest[cell * r + l] = c->count[e];
    }
    c->holds[cell] = cell_holds(c, cell);
    if (!c->holds[cell]) *suppressed += c->size[cell];
}

/* ---- the shortest path ---- */

static bool allowed(const cutter *c, uint32_t first, uint32_t last) {
    return !c->limited || c->units[c->block[last + 1] - 1] - c->units[c->block[first]] <= c->widest;
}

/* The cheapest way to cut the numbers from block b on, into `cells` intervals if they are
 * counted. */
static tail *tail_of(const cutter *c, uint32_t b, uint32_t cells) {
    return &c->tails[b * (c->cells + (size_t)1) + cells];
}

/* Replaces `best` if the interval that costs `own`, followed by `rest`, is better. */
static void improve(tail *best, const price *own, const tail *rest, uint32_t next) {
    if (!rest->possible) return;
    price sum = {own->suppressed + rest->price.suppressed, own->loss + rest->price.loss,
                 1 + rest->price.cells};
    if (best->possible && compare_prices(&sum, &best->price) >= 0) return;
    *best = (tail){sum, next, true};
}

/* Considers the interval that begins at block b, costs `own` and is followed by block `next`. If
 * intervals are counted, the blocks before b form at most b of them, and those from `next` on at
 * most one each. */
static void offer(cutter *c, uint32_t b, uint32_t next, const price *own) {
    if (!c->cells) {
        improve(tail_of(c, b, 0), own, tail_of(c, next, 0), next);
        return;
    }
    uint32_t rest = c->block_count - next;
    uint32_t least = c->cells > b ? c->cells - b : 1;
    uint32_t most = c->cells > rest ? rest + 1 : c->cells;
    for (uint32_t cells = least; cells <= most; cells++)
        improve(tail_of(c, b, cells), own, tail_of(c, next, cells - 1), next);
}

static void extend(cutter *c, uint32_t b) {
    const hr_quasi *quasi = &c->data->quasi[c->j];
    price own = {0};
    uint64_t rows = 0;
    empty_interval(c);
    for (uint32_t last = b; last < c->block_count && allowed(c, b, last); last++) {
        uint32_t from = c->start[c->block[last]], to = c->start[c->block[last + 1]];
        for (uint32_t i = from; i < to; i++)
            add_member(c, i, &own.suppressed);
        rows += c->before[c->block[last + 1]] - c->before[c->block[last]];
        own.loss = rows * hr_quasi_cost(quasi, (hr_span){c->block[b], c->block[last + 1] - 1});
        offer(c, b, last + 1, &own);
    }
}

static hr_status allocate(cutter *c) {
    size_t cells = c->facts.count, r = c->data->sensitive_count;
    c->size = hr_alloc(cells, sizeof *c->size, c->err);
    c->distinct = hr_alloc(cells * r, sizeof *c->distinct, c->err);
    c->largest = hr_alloc(cells * r, sizeof *c->largest, c->err);
    c->count = hr_alloc(c->facts.value_start[cells * r], sizeof *c->count, c->err);
    c->holds = hr_alloc(cells, sizeof *c->holds, c->err);
    c->touched = hr_alloc(cells, sizeof *c->touched, c->err);
    c->tails =
        hr_alloc((c->block_count + (size_t)1) * (c->cells + (size_t)1), sizeof *c->tails, c->err);
    bool allocated =
        c->size && c->distinct && c->largest && c->count && c->holds && c->touched && c->tails;
    return allocated ? HR_OK : HR_ENOMEM;
}

/* Stores the first rank of each number's interval. */
static void store_cuts(const cutter *c, uint32_t *magval) {
    uint32_t cells = c->cells;
    for (uint32_t b = 0; b < c->block_count;) {
        const tail *best = tail_of(c, b, cells);
        for (uint32_t v = c->block[b]; v < c->block[best->next]; v++)
            magval[v] = c->block[b];
        b = best->next;
        if (cells) cells--;
    }
}

static hr_status measure(cutter *c) {
    const hr_quasi *quasi = &c->data->quasi[c->j];
    c->numbers = quasi->value_count;
    c->units = hr_alloc_raw(c->numbers, sizeof *c->units, c->err);
    if (!c->units) return HR_ENOMEM;
    for (uint32_t v = 0; v < c->numbers; v++)
        c->units[v] = hr_quasi_units(quasi, v);
    c->limited = quasi->rule.kind == HR_CUTS_WIDTH;
    if (c->limited) c->widest = hr_quasi_width_units(quasi, quasi->rule.width);
    if (quasi->rule.kind == HR_CUTS_CELLS)
        c->cells = quasi->rule.cells < c->numbers ? quasi->rule.cells : c->numbers;
    return HR_OK;
}

static hr_status search(cutter *c, hr_cut_found *out) {
    c->others.weight = c->data->weight;
    HR_TRY(
        hr_facts_of(&c->others, c->data->sensitive, c->data->sensitive_count, &c->facts, c->err));
    HR_TRY(measure(c));
    HR_TRY(list_rows(c));
    HR_TRY(make_blocks(c));
    HR_TRY(find_entries(c));
    HR_TRY(allocate(c));
    tail_of(c, c->block_count, 0)->possible = true; /* nothing is left to cut */
    for (uint32_t b = c->block_count; b-- > 0;) {
        extend(c, b);
        HR_TRY(hr_watch_check(c->watch, c->err));
    }
    out->magval = hr_alloc(c->numbers, sizeof *out->magval, c->err);
    if (!out->magval) return HR_ENOMEM;
    store_cuts(c, out->magval);
    out->suppressed = tail_of(c, 0, c->cells)->price.suppressed;
    out->tried = c->block_count;
    return HR_OK;
}

hr_status hr_cut_one(const hr_microdata *data, const hr_requirements *asked, size_t j,
                     const hr_watch *watch, hr_cut_found *out, hr_error *err) {
    cutter c = {.data = data, .asked = asked, .watch = watch, .j = j, .err = err};
    c.lasting = is_lasting(asked);
    bool bounded = data->quasi[j].bounded;
    data->quasi[j].bounded = false; /* cells by the other attributes alone */
    hr_status status = hr_cells(data->quasi, data->quasi_count, data->rows, true, &c.others, err);
    data->quasi[j].bounded = bounded;
    if (status == HR_OK) status = search(&c, out);
    hr_groups_free(&c.others);
    hr_facts_free(&c.facts);
    free(c.units);
    free(c.block);
    free(c.before);
    free(c.start);
    free(c.member);
    free(c.cell);
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
