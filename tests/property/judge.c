/* judge.c - the definitions, written as loops over all rows; see judge.h. */
#include "judge.h"

#include <math.h>
#include <string.h>

int needed_k(const world *w) {
    return w->p > w->k && !w->unit ? w->p : w->k;
}

/* ---- boundaries (Campan, Truta, Cooper 2010, Definitions 4 and 5) ---- */

int magval(const quasi *q, int node) {
    while (node != q->tree.root && !q->boundary[node])
        node = q->tree.parent[node];
    return node;
}

/* Is the node the parent of the MAGVal of some leaf? */
static bool is_raised(const quasi *q, int node) {
    for (int line = 0; line < q->tree.lines; line++) {
        int bound = magval(q, q->tree.node[line][0]);
        if (bound != q->tree.root && q->tree.parent[bound] == node) return true;
    }
    return false;
}

int relaxed_magval(const quasi *q, int node) {
    while (node != q->tree.root && !is_raised(q, node))
        node = q->tree.parent[node];
    return node;
}

bool is_bounded(const quasi *q) {
    if (q->kind == NUMERIC) return q->cut_by != NO_CUTS;
    for (int line = 0; line < q->tree.lines; line++)
        if (magval(q, q->tree.node[line][0]) != q->tree.root) return true;
    return false;
}

int original_node(const world *w, const quasi *q, int row) {
    const char *text = w->input.cell[row][q->column];
    int line = q->tree.lines - 1; /* of missing values that are grouped */
    if (world_missing(w, text) && q->drop_missing) return q->tree.root; /* the row is dropped */
    if (!world_missing(w, text) || !q->group_missing)
        for (line = 0; line < q->tree.lines && strcmp(q->tree.text[line][0], text);)
            line++;
    CHECK(line < q->tree.lines, "row %d has no leaf", row + 1);
    return finest_node(q, line);
}

bool is_dropped(const world *w, int row) {
    for (int j = 0; j < w->quasi_count; j++) {
        const quasi *q = &w->quasi[j];
        bool drops = q->kind == NUMERIC || q->drop_missing;
        if (drops && world_missing(w, w->input.cell[row][q->column])) return true;
    }
    return false;
}

/* ---- sensitive values ---- */

void number_range(const world *w, const sheet *s, int column, long *least, long *most) {
    bool any = false;
    *least = *most = 0;
    for (int row = 0; row < s->rows; row++) {
        if (world_missing(w, s->cell[row][column])) continue;
        long number = hundredths(s->cell[row][column]);
        if (!any || number < *least) *least = number;
        if (!any || number > *most) *most = number;
        any = true;
    }
}

/* The category among equal-width bins; the maximum belongs to the last bin. */
static long bin_of(const char *text, int bins, long least, long most) {
    if (most == least) return 0;
    long bin = (hundredths(text) - least) * bins / (most - least);
    return bin < 0 ? 0 : bin >= bins ? bins - 1 : bin;
}

bool same_value(const sensitive *a, const char *x, const char *y, long least, long most) {
    if (!a->bins) return !strcmp(x, y);
    return bin_of(x, a->bins, least, most) == bin_of(y, a->bins, least, most);
}

int distinct_values(const world *w, const sensitive *a, const sheet *s, int column,
                    const bool *rows, int *largest, long least, long most) {
    int distinct = 0;
    *largest = 0;
    for (int row = 0; row < s->rows; row++) {
        const char *text = s->cell[row][column];
        if (!rows[row] || world_missing(w, text)) continue;
        int before = 0, equal = 0;
        for (int other = 0; other < s->rows; other++) {
            const char *theirs = s->cell[other][column];
            if (!rows[other] || world_missing(w, theirs)) continue;
            if (!same_value(a, text, theirs, least, most)) continue;
            equal++;
            if (other < row) before++;
        }
        if (before == 0) distinct++;
        if (equal > *largest) *largest = equal;
    }
    return distinct;
}

int input_values(const world *w, const sensitive *a, const bool *rows, int *largest) {
    long least = 0, most = 0;
    if (a->bins) number_range(w, &w->input, a->column, &least, &most);
    return distinct_values(w, a, &w->input, a->column, rows, largest, least, most);
}

/* ---- MAM cells and OUT (Campan, Truta, Cooper 2010, Definition 9, Properties 5 and 6) ---- */

typedef struct {
    int of[MOST_ROWS][MOST_QUASI];
} bounds;

/* `except`: an attribute that does not matter; -1: all do. */
static bool same_cell(const world *w, const bounds *b, int x, int y, int except) {
    for (int j = 0; j < w->quasi_count; j++)
        if (j != except && b->of[x][j] != b->of[y][j]) return false;
    return true;
}

static void find_node_bounds(const world *w, int j, int relaxed, bounds *b) {
    const quasi *q = &w->quasi[j];
    for (int row = 0; row < w->input.rows; row++) {
        int node = original_node(w, q, row);
        b->of[row][j] = j == relaxed ? relaxed_magval(q, node) : magval(q, node);
    }
}

static void find_number_bounds(const world *w, int j, int k, int p, int relaxed, bounds *b) {
    static int other[MOST_ROWS], cell[MOST_ROWS];
    for (int row = 0; row < w->input.rows; row++) {
        other[row] = is_dropped(w, row) ? -1 : 0;
        while (other[row] >= 0 && other[row] < row &&
               (is_dropped(w, other[row]) || !same_cell(w, b, row, other[row], j)))
            other[row]++;
    }
    number_cells(w, &w->quasi[j], k, p, j == relaxed, other, cell);
    for (int row = 0; row < w->input.rows; row++)
        b->of[row][j] = cell[row];
}

/* Cut points that are chosen depend on the other attributes, so they are last. */
static void find_bounds(const world *w, int k, int p, int relaxed, bounds *b) {
    for (int j = 0; j < w->quasi_count; j++)
        if (w->quasi[j].kind != NUMERIC) find_node_bounds(w, j, relaxed, b);
    for (int chosen = 0; chosen < 2; chosen++)
        for (int j = 0; j < w->quasi_count; j++)
            if (w->quasi[j].kind == NUMERIC && cuts_chosen(&w->quasi[j]) == chosen)
                find_number_bounds(w, j, k, p, relaxed, b);
}

static bounds current; /* for the k and p of the world */

static void judge_cell(const world *w, int k, int p, int cell, fate *f) {
    bool rows[MOST_ROWS] = {0};
    int size = 0, largest;
    for (int row = 0; row < w->input.rows; row++) {
        rows[row] = f->cell[row] == cell;
        size += rows[row];
    }
    bool small = size < k || size < p, poor = false;
    for (int l = 0; l < w->sensitive_count; l++)
        if (p > 1 && input_values(w, &w->sensitive[l], rows, &largest) < p) poor = true;
    if (!small && !poor) return;
    f->cells_out++;
    f->cells_poor += !small;
    f->suppressed += size;
    for (int row = 0; row < w->input.rows; row++)
        if (rows[row]) f->gone[row] = true;
}

void decide_fate(const world *w, int k, int p, bool bounded, int relaxed, fate *f) {
    static bounds b;
    memset(f, 0, sizeof *f);
    find_bounds(w, k, p, relaxed, &b);
    if (k == needed_k(w) && p == w->p && relaxed < 0) current = b;
    for (int row = 0; row < w->input.rows; row++) {
        f->cell[row] = -1;
        if (is_dropped(w, row)) {
            f->gone[row] = true;
            f->dropped++;
            continue;
        }
        for (int other = 0; other < row && f->cell[row] < 0; other++)
            if (f->cell[other] >= 0 && (!bounded || same_cell(w, &b, row, other, -1)))
                f->cell[row] = f->cell[other];
        if (f->cell[row] < 0) f->cell[row] = f->cells++;
    }
    f->suppressed = f->dropped;
    for (int cell = 0; cell < f->cells; cell++)
        judge_cell(w, k, p, cell, f);
}

/* The number of rows of the cell that m classes can use if each uses a value at most once. */
static int usable_rows(const world *w, const sensitive *a, const fate *f, int cell, int m) {
    long least = 0, most = 0;
    int usable = 0;
    if (a->bins) number_range(w, &w->input, a->column, &least, &most);
    for (int row = 0; row < w->input.rows; row++) {
        const char *text = w->input.cell[row][a->column];
        int before = 0;
        if (f->cell[row] != cell || world_missing(w, text)) continue;
        for (int other = 0; other < row; other++) {
            const char *theirs = w->input.cell[other][a->column];
            if (f->cell[other] == cell && !world_missing(w, theirs))
                before += same_value(a, text, theirs, least, most);
        }
        usable += before < m;
    }
    return usable;
}

/* m classes need k m rows, and p distinct values of each attribute in each class. */
static bool could_be(const world *w, int k, int p, const fate *f, int cell, int size, int m) {
    if (m * k > size || m * p > size) return false;
    for (int l = 0; p > 1 && l < w->sensitive_count; l++)
        if (usable_rows(w, &w->sensitive[l], f, cell, m) < m * p) return false;
    return true;
}

int most_classes(const world *w, int k, int p, const fate *f) {
    int total = 0;
    for (int cell = 0; cell < f->cells; cell++) {
        int size = 0, m = 0;
        bool gone = false;
        for (int row = 0; row < w->input.rows; row++)
            if (f->cell[row] == cell) size++, gone = f->gone[row];
        while (!gone && could_be(w, k, p, f, cell, size, m + 1))
            m++;
        total += m;
    }
    return total;
}

/* ---- published values ---- */

value read_value(const quasi *q, const char *text) {
    value v = {.node = -1};
    if (q->kind != NUMERIC) {
        v.node = tree_find(&q->tree, text);
        CHECK(v.node >= 0, "'%s' is published and is no node", text);
        return v;
    }
    char lo[MOST_TEXT];
    const char *dots = strstr(text, "..");
    put_text(lo, text);
    if (dots) lo[dots - text] = '\0';
    v.lo = hundredths(lo);
    v.hi = dots ? hundredths(dots + 2) : v.lo;
    CHECK(v.lo <= v.hi, "'%s' is published and no interval", text);
    return v;
}

bool value_covers(const world *w, const quasi *q, value v, int row) {
    if (q->kind != NUMERIC)
        return !is_dropped(w, row) && tree_above(&q->tree, v.node, original_node(w, q, row));
    if (world_missing(w, w->input.cell[row][q->column])) return false;
    long number = hundredths(w->input.cell[row][q->column]);
    return v.lo <= number && number <= v.hi;
}

bool value_violates(const world *w, const quasi *q, value v, int row) {
    int j = (int)(q - w->quasi);
    for (int other = 0; q->kind == NUMERIC && other < w->input.rows; other++) {
        const char *text = w->input.cell[other][q->column];
        if (world_missing(w, text) || current.of[other][j] == current.of[row][j]) continue;
        if (v.lo <= hundredths(text) && hundredths(text) <= v.hi) return true;
    }
    if (q->kind == NUMERIC) return false;
    int bound = magval(q, original_node(w, q, row));
    return !tree_above(&q->tree, bound, v.node);
}

static double width_share(const world *w, const quasi *q, value v) {
    long least, most;
    number_range(w, &w->input, q->column, &least, &most);
    return most > least ? (double)(v.hi - v.lo) / (double)(most - least) : 0;
}

double value_loss(const world *w, const quasi *q, value v) {
    if (q->kind == NUMERIC) return width_share(w, q, v);
    int whole = tree_height(&q->tree, q->tree.root);
    return whole ? (double)tree_height(&q->tree, v.node) / whole : 0;
}

double value_penalty(const world *w, const quasi *q, value v) {
    if (q->kind == NUMERIC) return width_share(w, q, v);
    int all = tree_leaf_count(&q->tree);
    return all > 1 ? (double)(tree_leaves(&q->tree, v.node) - 1) / (all - 1) : 0;
}

/* ---- a release file ---- */

int released_column(const world *w, const sheet *s, int input_column) {
    int column = sheet_column(s, w->input.name[input_column]);
    CHECK(column >= 0, "the release has no column '%s'", w->input.name[input_column]);
    return column;
}

bool same_class(const world *w, const sheet *s, int a, int b) {
    for (int j = 0; j < w->quasi_count; j++) {
        int column = released_column(w, s, w->quasi[j].column);
        if (strcmp(s->cell[a][column], s->cell[b][column])) return false;
    }
    return true;
}

int most_kept(const world *w, int k, int p, const fate *f, int cell, int l) {
    const sensitive *a = &w->sensitive[l];
    int count[MOST_ROWS] = {0}, size = 0, missing = 0;
    long least = 0, most = 0;
    if (a->bins) number_range(w, &w->input, a->column, &least, &most);
    for (int row = 0; row < w->input.rows; row++) {
        const char *text = w->input.cell[row][a->column];
        int first = 0;
        if (f->cell[row] != cell) continue;
        size++;
        missing += world_missing(w, text);
        if (world_missing(w, text)) continue;
        while (f->cell[first] != cell || world_missing(w, w->input.cell[first][a->column]) ||
               !same_value(a, text, w->input.cell[first][a->column], least, most))
            first++;
        count[first]++; /* of the first row with this value */
    }
    /* Try all sizes: a value can have as many rows as its share of the size allows. */
    for (int kept = size; kept >= k; kept--) {
        int rows = missing, values = 0;
        for (int row = 0; row < w->input.rows; row++) {
            int allowed = count[row];
            while (w->alpha && allowed * 100 > w->alpha * kept)
                allowed--;
            rows += allowed;
            values += allowed > 0;
        }
        if (rows >= kept) return p > 1 && values < p ? 0 : kept;
    }
    return 0;
}

/* How often each value of an attribute is in the rows; counts[row] is that of the value whose first
 * row in the sheet is `row`. Returns the rows with a value. */
static int count_values(const world *w, const sensitive *a, const sheet *s, int column,
                        const bool *rows, long least, long most, int counts[MOST_ROWS]) {
    int all = 0;
    memset(counts, 0, MOST_ROWS * sizeof *counts);
    for (int row = 0; row < s->rows; row++) {
        int first = 0;
        if ((rows && !rows[row]) || world_missing(w, s->cell[row][column])) continue;
        while (world_missing(w, s->cell[first][column]) ||
               !same_value(a, s->cell[row][column], s->cell[first][column], least, most))
            first++;
        counts[first]++;
        all++;
    }
    return all;
}

static double entropy_of(const int *counts, int all) {
    double sum = 0;
    for (int row = 0; row < MOST_ROWS; row++)
        if (counts[row]) sum -= (double)counts[row] / all * log((double)counts[row] / all);
    return sum;
}

/* r_1 < c (r_l + ...), c in tenths */
static bool is_recursive(const int *counts, int c, int l) {
    int rest[MOST_ROWS], first = 0, tail = 0;
    memcpy(rest, counts, sizeof rest);
    for (int rank = 1;; rank++) {
        int at = 0;
        for (int row = 1; row < MOST_ROWS; row++)
            if (rest[row] > rest[at]) at = row;
        if (rest[at] == 0) return first * 10 < c * tail;
        if (rank == 1) first = rest[at];
        if (rank >= l) tail += rest[at];
        rest[at] = 0;
    }
}

/* The share of a class that has to move to be spread like the reference: the released file, or the
 * input, in which a value may have another first row. */
static double distance_of(const world *w, const sensitive *a, const sheet *s, int column,
                          const bool *rows, long least, long most) {
    int own[MOST_ROWS], whole[MOST_ROWS];
    const sheet *from = w->t_input ? &w->input : s;
    int in = w->t_input ? a->column : column;
    int n = count_values(w, a, s, column, rows, least, most, own);
    int all = count_values(w, a, from, in, NULL, least, most, whole);
    double more = 0;
    for (int row = 0; row < s->rows && n; row++) {
        int same = row;
        if (!own[row]) continue;
        for (same = 0; !whole[same] ||
                       !same_value(a, s->cell[row][column], from->cell[same][in], least, most);
             same++)
            ;
        double difference = (double)own[row] / n - (double)whole[same] / all;
        if (difference > 0) more += difference;
    }
    return more;
}

/* Does a class satisfy the models beside k, p and alpha in sensitive attribute l? */
static bool is_diverse(const world *w, int l, const sheet *s, int column, const bool *rows,
                       long least, long most) {
    const sensitive *a = &w->sensitive[l];
    int counts[MOST_ROWS], values = 0;
    if (w->own_first && l > 0) return true;
    int all = count_values(w, a, s, column, rows, least, most, counts);
    for (int row = 0; row < MOST_ROWS; row++)
        values += counts[row] > 0;
    if (w->l && values < w->l) return false;
    if (w->entropy_l > 10 && (!all || entropy_of(counts, all) < log(w->entropy_l / 10.0) - 1e-7))
        return false;
    if (w->recursive_c && !is_recursive(counts, w->recursive_c, w->recursive_l)) return false;
    return !w->t || distance_of(w, a, s, column, rows, least, most) <= w->t / 100.0 + 1e-9;
}

bool file_holds(const world *w, const sheet *s, bool original_range) {
    for (int row = 0; row < s->rows; row++) {
        bool rows[MOST_ROWS] = {0};
        int size = 0, first = row, largest;
        for (int other = s->rows - 1; other >= 0; other--) {
            rows[other] = same_class(w, s, row, other);
            size += rows[other];
            if (rows[other]) first = other;
        }
        if (first < row) continue; /* the class has been judged already */
        if (size < needed_k(w)) return false;
        for (int l = 0; l < w->sensitive_count; l++) {
            const sensitive *a = &w->sensitive[l];
            int column = released_column(w, s, a->column);
            long least = 0, most = 0;
            if (a->bins && original_range) number_range(w, &w->input, a->column, &least, &most);
            if (a->bins && !original_range) number_range(w, s, column, &least, &most);
            int values = distinct_values(w, a, s, column, rows, &largest, least, most);
            if (w->p > 1 && values < w->p) return false;
            if (w->alpha && largest * 100 > w->alpha * size) return false;
            if (!is_diverse(w, l, s, column, rows, least, most)) return false;
        }
    }
    return s->rows > 0;
}

bool release_holds(const world *w, const release *r) {
    const sheet *s = &r->sheet;
    if (!file_holds(w, s, true)) return false;
    for (int row = 0; row < s->rows; row++) {
        int from = r->original[row];
        for (int j = 0; j < w->quasi_count; j++) {
            const quasi *q = &w->quasi[j];
            value v = read_value(q, s->cell[row][released_column(w, s, q->column)]);
            if (!value_covers(w, q, v, from)) return false;
            if (!w->count && value_violates(w, q, v, from)) return false;
        }
        for (int i = 0; i < w->input.columns; i++)
            if ((w->role[i] == SENSITIVE || w->role[i] == KEEP) &&
                strcmp(s->cell[row][released_column(w, s, i)], w->input.cell[from][i]))
                return false;
    }
    return true;
}
