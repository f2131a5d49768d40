/* t_part.c - the largest part of a class that is within t of a fixed distribution, if all values
 * are equally far apart. F of T rows of the reference have value v, f of the class. A part with N
 * rows, n <= f of value v, has the distance
 *
 *   sum of max(0, n T - N F) over all values, divided by N T.
 *
 * Of all parts with N rows, the nearest has n = min(f, floor(N F / T)) rows of each value, then one
 * more of the values with the largest remainders of N F / T, which cost T less the remainder each,
 * then any others, which cost T each. If n could be any real number, the least distance would be 1
 * less the sum of min(f / N, F / T), which grows with N: the greatest N for which that is at most t
 * is found by halving. From there on N is lowered until the nearest part holds, so no larger part
 * does. Ties are broken by the keys of values. Nothing is allocated: the k-th of many remainders or
 * keys is found by halving, too. */
#include "model/model.h"

/* Steps in which N is lowered by one, times values; then it is lowered by a 64th. */
enum { STEPS = 1 << 20, STEPS_LEAST = 64 };

typedef struct {
    uint32_t *rows;            /* f, in the end n */
    const uint32_t *reference; /* F */
    const uint64_t *key;
    size_t count;      /* values */
    uint64_t n, total; /* N, T */
    uint64_t level;    /* values with a greater remainder get one more row; of those equal to it */
    uint64_t at_level; /* this many */
    uint64_t others;   /* rows that cost T each */
} part;

static uint64_t base(const part *p, size_t v) {
    uint64_t share = p->n * p->reference[v] / p->total;
    return share < p->rows[v] ? share : p->rows[v];
}

/* Could the value have one more row than the base? */
static bool is_open(const part *p, size_t v) {
    return base(p, v) < p->rows[v];
}

static uint64_t remainder_of(const part *p, size_t v) {
    return p->n * p->reference[v] % p->total;
}

/* Would N rows be near enough if they could be divided? */
static bool could_hold(const part *p, uint64_t n, double t) {
    uint64_t near = 0;
    for (size_t v = 0; v < p->count; v++) {
        uint64_t own = p->rows[v] * p->total, share = n * p->reference[v];
        near += own < share ? own : share;
    }
    return (double)(n * p->total - near) <= t * (double)n * (double)p->total * (1 + 1e-9) + 1;
}

static uint64_t count_open(const part *p, uint64_t least_remainder) {
    uint64_t open = 0;
    for (size_t v = 0; v < p->count; v++)
        open += is_open(p, v) && remainder_of(p, v) >= least_remainder;
    return open;
}

/* Chooses the nearest part with N rows and returns its distance, times N T. */
static uint64_t choose(part *p) {
    uint64_t rest = p->n, low = 0, high = p->total, cost = 0, above = 0;
    for (size_t v = 0; v < p->count; v++)
        rest -= base(p, v);
    uint64_t open = count_open(p, 0), more = rest < open ? rest : open;
    while (high - low > 1) { /* at least `more` have a remainder of `low`, fewer one of `high` */
        uint64_t middle = low + (high - low) / 2;
        if (count_open(p, middle) >= more)
            low = middle;
        else
            high = middle;
    }
    for (size_t v = 0; v < p->count; v++) {
        if (!is_open(p, v) || remainder_of(p, v) <= low) continue;
        cost += p->total - remainder_of(p, v);
        above++;
    }
    p->level = low;
    p->at_level = more - above;
    p->others = rest - more;
    return cost + p->at_level * (p->total - low) + p->others * p->total;
}

/* Rows of the value beside those that depend on its key: if there are others, all open values have
 * got one more row. */
static uint64_t sure(const part *p, size_t v) {
    return base(p, v) + (is_open(p, v) && (p->others || remainder_of(p, v) > p->level));
}

/* Rows that the value could have beside these. */
static uint64_t room(const part *p, size_t v) {
    if (p->others) return p->rows[v] - sure(p, v);
    return is_open(p, v) && remainder_of(p, v) == p->level;
}

/* Room of the values with keys below this one. */
static uint64_t room_below(const part *p, uint64_t key) {
    uint64_t sum = 0;
    for (size_t v = 0; v < p->count; v++)
        if (p->key[v] < key) sum += room(p, v);
    return sum;
}

/* Lowers the rows of every value to those of the chosen part. */
static void keep(const part *p) {
    uint64_t amount = p->others ? p->others : p->at_level, low = 0, high = UINT64_MAX;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (room_below(p, middle) <= amount)
            low = middle;
        else
            high = middle;
    }
    amount -= room_below(p, low);
    for (size_t v = 0; v < p->count; v++) {
        uint64_t more = p->key[v] > low ? 0 : room(p, v);
        if (p->key[v] == low && more > amount) more = amount;
        if (p->key[v] == low) amount -= more;
        p->rows[v] = (uint32_t)(sure(p, v) + more);
    }
}

uint32_t hr_nearest_part(const hr_known *class, size_t l, double t, const uint64_t *key,
                         uint32_t *rows) {
    const hr_reference *reference = class->reference;
    part p = {.rows = rows,
              .reference = reference->rows + reference->start[l],
              .key = key,
              .count = class->start[l + 1] - class->start[l],
              .total = reference->total[l]};
    uint64_t all = 0, low = 0, steps = STEPS_LEAST;
    for (size_t v = 0; v < p.count; v++)
        all += rows[v];
    uint64_t high = all + 1;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (could_hold(&p, middle, t))
            low = middle;
        else
            high = middle;
    }
    if (p.count && STEPS / p.count > steps) steps = STEPS / p.count;
    for (p.n = low; p.n > 0; p.n -= steps > 0 ? 1 : (p.n + 63) / 64) {
        if ((double)choose(&p) / ((double)p.n * (double)p.total) <= t) break;
        steps -= steps > 0;
    }
    if (p.n > 0) keep(&p);
    for (size_t v = 0; v < p.count && p.n == 0; v++)
        rows[v] = 0;
    return (uint32_t)(all - p.n);
}
