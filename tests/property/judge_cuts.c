/* judge_cuts.c - the cells of numbers, by the definition: cut points are tried in every way, by the
 * recursion over the first cell, and each way is judged by loops over the rows. */
#include "judge.h"

#include <string.h>

/* ---- numbers ---- */

typedef struct {
    int count;
    long value[MOST_ROWS]; /* the different numbers of a column, ascending */
} numbers;

static void list_numbers(const world *w, const quasi *q, numbers *n) {
    n->count = 0;
    for (int row = 0; row < w->input.rows; row++) {
        const char *text = w->input.cell[row][q->column];
        if (world_missing(w, text)) continue;
        long number = hundredths(text);
        int at = 0;
        while (at < n->count && n->value[at] < number)
            at++;
        if (at < n->count && n->value[at] == number) continue;
        memmove(&n->value[at + 1], &n->value[at], (size_t)(n->count - at) * sizeof *n->value);
        n->value[at] = number;
        n->count++;
    }
}

/* ---- given cut points ---- */

/* The number of cut points at or below a number. */
static int given_cell(const quasi *q, long number, bool relaxed) {
    int cell = 0;
    for (int i = relaxed ? 1 : 0; i < q->cut_count; i += relaxed ? 2 : 1)
        cell += q->cut[i] <= number;
    return cell;
}

/* ---- chosen cut points ---- */

/* A way to cut the numbers from some number on. */
typedef struct {
    bool possible;
    int suppressed, cells, next; /* next: the number at which the second cell begins */
    long long loss;
} way;

static bool better(const way *a, const way *b) {
    if (!b->possible) return true;
    if (a->suppressed != b->suppressed) return a->suppressed < b->suppressed;
    if (a->loss != b->loss) return a->loss < b->loss;
    return a->cells < b->cells;
}

/* What is known of the rows: other cell (-1: dropped), number, sensitive values by their first
 * row (-1: missing). */
static struct {
    int other, value[MOST_SENSITIVE];
    long number;
} known[MOST_ROWS];

/* Rows of the numbers lo .. hi that belong to other cells which violate a model there; *all: rows
 * of these numbers. */
static int violating(const world *w, int k, int p, long lo, long hi, int *all) {
    static int size[MOST_ROWS], count[MOST_ROWS][MOST_SENSITIVE][MOST_ROWS];
    static bool seen[MOST_ROWS];
    int total = 0;
    *all = 0;
    memset(size, 0, sizeof size);
    memset(seen, 0, sizeof seen);
    for (int row = 0; row < w->input.rows; row++) {
        int other = known[row].other;
        if (other < 0 || known[row].number < lo || known[row].number > hi) continue;
        if (size[other]++ == 0) memset(count[other], 0, sizeof count[other]);
        ++*all;
        for (int l = 0; l < w->sensitive_count; l++)
            if (known[row].value[l] >= 0) count[other][l][known[row].value[l]]++;
    }
    for (int other = 0; other < w->input.rows; other++) {
        bool holds = size[other] >= k && size[other] >= p;
        for (int l = 0; size[other] && l < w->sensitive_count; l++) {
            int distinct = 0, largest = 0;
            for (int row = 0; row < w->input.rows; row++) {
                distinct += count[other][l][row] > 0;
                if (count[other][l][row] > largest) largest = count[other][l][row];
            }
            if (p > 1 && distinct < p) holds = false;
            if (w->alpha && largest * 100 > w->alpha * size[other]) holds = false;
        }
        if (!holds) total += size[other];
    }
    return total;
}

/* The share of the range, rounded to the fixed point in which the library adds losses. */
static long long cost(const numbers *n, int first, int last) {
    long range = n->value[n->count - 1] - n->value[0], width = n->value[last] - n->value[first];
    return range ? (long long)((double)width / (double)range * 738017280 + .5) : 0;
}

static way ways[MOST_ROWS + 1][MOST_ROWS + 1]; /* from a number on, in so many cells (0: any) */

static void try_cell(const world *w, const numbers *n, int k, int p, int first, int last,
                     int most) {
    int all, out = violating(w, k, p, n->value[first], n->value[last], &all);
    for (int rest = 0; rest <= (most ? most - 1 : 0); rest++) {
        const way *after = &ways[last + 1][rest];
        way own = {true, out + after->suppressed, 1 + after->cells, last + 1,
                   all * cost(n, first, last) + after->loss};
        way *best = &ways[first][most ? rest + 1 : 0];
        if (after->possible && better(&own, best)) *best = own;
    }
}

static void choose(const world *w, const quasi *q, int k, int p, bool relaxed, const numbers *n,
                   long *least) {
    int most = q->cut_by == BY_CELLS ? relaxed ? (q->cells + 1) / 2 : q->cells : 0;
    if (most > n->count) most = n->count;
    for (int i = 0; i <= n->count; i++)
        memset(ways[i], 0, ((size_t)most + 1) * sizeof ways[i][0]);
    ways[n->count][0].possible = true;
    for (int first = n->count - 1; first >= 0; first--)
        for (int last = first; last < n->count; last++) {
            long width = n->value[last] - n->value[first];
            if (q->cut_by == BY_WIDTH && width > (relaxed ? 2 * q->width : q->width)) break;
            try_cell(w, n, k, p, first, last, most);
        }
    for (int first = 0, left = most; first < n->count;) {
        int next = ways[first][left].next;
        CHECK(ways[first][left].possible, "the judge finds no cells");
        for (int i = first; i < next; i++)
            least[i] = n->value[first];
        first = next;
        left -= left > 0;
    }
}

static void know_rows(const world *w, const quasi *q, const int *other) {
    for (int row = 0; row < w->input.rows; row++) {
        known[row].other = other[row];
        if (other[row] < 0) continue;
        known[row].number = hundredths(w->input.cell[row][q->column]);
        for (int l = 0; l < w->sensitive_count; l++) {
            const sensitive *a = &w->sensitive[l];
            const char *text = w->input.cell[row][a->column];
            long low = 0, high = 0;
            int first = 0;
            known[row].value[l] = -1;
            if (world_missing(w, text)) continue;
            if (a->bins) number_range(w, &w->input, a->column, &low, &high);
            while (world_missing(w, w->input.cell[first][a->column]) ||
                   !same_value(a, text, w->input.cell[first][a->column], low, high))
                first++;
            known[row].value[l] = first;
        }
    }
}

/* ---- the whole ---- */

bool cuts_chosen(const quasi *q) {
    return q->kind == NUMERIC && (q->cut_by == BY_WIDTH || q->cut_by == BY_CELLS);
}

void number_cells(const world *w, const quasi *q, int k, int p, bool relaxed, const int *other,
                  int *cell) {
    static numbers n;
    static long least[MOST_ROWS];
    list_numbers(w, q, &n);
    if (cuts_chosen(q)) {
        know_rows(w, q, other);
        choose(w, q, k, p, relaxed, &n, least);
    }
    for (int row = 0; row < w->input.rows; row++) {
        const char *text = w->input.cell[row][q->column];
        cell[row] = 0;
        if (world_missing(w, text) || !q->cut_by) continue;
        long number = hundredths(text);
        for (int i = 0; cuts_chosen(q) && i < n.count; i++)
            if (n.value[i] == number) cell[row] = (int)least[i];
        if (q->cut_by == BY_CUTS) cell[row] = given_cell(q, number, relaxed);
    }
}
