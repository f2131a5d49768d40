/* test_bound_parts.c - the lower bound against brute force on tiny tables: every way to cut the
 * rows into classes gives the true least loss, every subset of rows the cheapest box around a row.
 * The brute force uses nothing of the library. */
#include "bound/bound_check.h"
#include "bound/bound_parts.h"

#include "unit.h"

#include <math.h>

enum { ROWS = 8, QUASI = 3, SENSITIVE = 2, LEAVES = 5, CASES = 1500, STEPS = 80 };

/* A tree of leaves "0".."4" over groups and a root: group 0 means that the leaf hangs below the
 * root. An attribute without a tree has the numbers 0..4 as they are. */
typedef struct {
    bool numeric, bounded;
    unsigned group[LEAVES]; /* 0, 1 or 2 */
    unsigned value[ROWS];
} attribute;

typedef struct {
    unsigned rows, quasi_count, sensitive_count, k, p;
    attribute quasi[QUASI];
    unsigned value[SENSITIVE][ROWS]; /* 0: missing */
    bool bounded;                    /* boundaries are enforced */
} sample;

static void draw(sample *s, hr_random *random) {
    *s = (sample){.rows = 3 + below(random, ROWS - 2),
                  .quasi_count = 1 + below(random, QUASI),
                  .sensitive_count = below(random, SENSITIVE + 1),
                  .k = 1 + below(random, 4),
                  .bounded = below(random, 2)};
    s->p = s->sensitive_count ? 1 + below(random, 3) : 1;
    for (unsigned j = 0; j < s->quasi_count; j++) {
        attribute *a = &s->quasi[j];
        a->numeric = below(random, 3) == 0;
        a->bounded = !a->numeric && below(random, 3) == 0;
        for (unsigned leaf = 0; leaf < LEAVES; leaf++)
            a->group[leaf] = below(random, 3);
        for (unsigned i = 0; i < s->rows; i++)
            a->value[i] = below(random, LEAVES);
    }
    for (unsigned l = 0; l < s->sensitive_count; l++)
        for (unsigned i = 0; i < s->rows; i++)
            s->value[l][i] = below(random, 4);
}

/* ---- brute force; a set of rows is a bit mask ---- */

static unsigned bits(unsigned set) {
    unsigned count = 0;
    for (; set; set &= set - 1)
        count++;
    return count;
}

/* What an attribute costs a row of the set. A tree with groups has height 2, and a group half of
 * it; rows without a common group meet at the root. */
static double plain_cost(const sample *s, const attribute *a, unsigned set) {
    unsigned least = LEAVES, most = 0, low = LEAVES, high = 0;
    bool one_group = true;
    for (unsigned i = 0; i < s->rows; i++) {
        unsigned value = a->value[i];
        if (value < low) low = value; /* the range is that of the whole table */
        if (value > high) high = value;
        if (!(set >> i & 1)) continue;
        if (value < least) least = value;
        if (value > most) most = value;
    }
    if (least >= most) return 0;
    if (a->numeric) return (double)(most - least) / (high - low);
    for (unsigned i = 0; i < s->rows; i++)
        if (set >> i & 1) one_group &= a->group[a->value[i]] == a->group[most];
    return one_group && a->group[most] ? 0.5 : 1;
}

static double set_cost(const sample *s, unsigned set) {
    double cost = 0;
    for (unsigned j = 0; j < s->quasi_count; j++)
        cost += plain_cost(s, &s->quasi[j], set);
    return cost;
}

static bool same_cell(const sample *s, unsigned i, unsigned j) {
    for (unsigned q = 0; s->bounded && q < s->quasi_count; q++) {
        const attribute *a = &s->quasi[q];
        if (!a->bounded || a->value[i] == a->value[j]) continue;
        unsigned g = a->group[a->value[i]], h = a->group[a->value[j]];
        if (g == 0 || g != h) return false;
    }
    return true;
}

static unsigned cell_of(const sample *s, unsigned i) {
    unsigned cell = 0;
    for (unsigned j = 0; j < s->rows; j++)
        if (same_cell(s, i, j)) cell |= 1u << j;
    return cell;
}

static unsigned plain_values(const sample *s, unsigned l, unsigned set) {
    unsigned seen = 0;
    for (unsigned i = 0; i < s->rows; i++)
        if (set >> i & 1 && s->value[l][i]) seen |= 1u << s->value[l][i];
    return bits(seen);
}

static bool is_class(const sample *s, unsigned set) {
    if (bits(set) < s->k || bits(set) < s->p) return false;
    for (unsigned l = 0; s->p > 1 && l < s->sensitive_count; l++)
        if (plain_values(s, l, set) < s->p) return false;
    return true;
}

/* The least loss over all ways to divide the rows of `left` into classes; negative: impossible. */
static double least_loss(const sample *s, unsigned left) {
    double least = -1;
    unsigned first = left & -left, rest = left ^ first;
    if (!left) return 0;
    for (unsigned more = rest;; more = (more - 1) & rest) {
        unsigned set = first | more;
        if (is_class(s, set)) {
            double others = least_loss(s, left ^ set);
            double loss = set_cost(s, set) * bits(set) + others;
            if (others >= 0 && (least < 0 || loss < least)) least = loss;
        }
        if (!more) break;
    }
    return least;
}

/* The cheapest class around a row. */
static double least_cost(const sample *s, unsigned cell, unsigned row) {
    double least = s->quasi_count;
    for (unsigned set = cell; set; set = (set - 1) & cell)
        if (set >> row & 1 && is_class(s, set) && set_cost(s, set) < least)
            least = set_cost(s, set);
    return least;
}

typedef struct {
    double loss, simple; /* OUT included */
} truth;

static truth plain_truth(const sample *s) {
    truth found = {0, 0};
    unsigned done = 0;
    for (unsigned i = 0; i < s->rows; i++) {
        unsigned cell = cell_of(s, i);
        double whole = is_class(s, cell) ? least_cost(s, cell, i) : s->quasi_count;
        found.simple += whole;
        if (done >> i & 1) continue;
        done |= cell;
        found.loss += is_class(s, cell) ? least_loss(s, cell) : bits(cell) * (double)s->quasi_count;
    }
    return found;
}

/* ---- the library ---- */

typedef struct {
    hr_table *table;
    hr_hierarchy *trees[QUASI];
    hr_quasi quasi[QUASI];
    hr_sensitive sensitive[SENSITIVE];
    hr_microdata data;
    hr_groups cells;
    hr_facts facts;
    bool *out;
    hr_bound_request request;
} bound_sample;

static hr_table *tree_table(const attribute *a) {
    hr_table *table = NULL;
    MUST(hr_table_new(3, (const char *const[]){"0", "1", "2"}, &table, &err));
    for (unsigned leaf = 0; leaf < LEAVES; leaf++) {
        char text[8], group[8];
        snprintf(text, sizeof text, "%u", leaf);
        snprintf(group, sizeof group, a->group[leaf] ? "g%u" : "%.0u", a->group[leaf]);
        MUST(hr_table_append(table, (const char *const[]){text, *group ? group : text, "*"}, &err));
    }
    return table;
}

static hr_table *rows_table(const sample *s) {
    hr_table *table = NULL;
    MUST(hr_table_new(QUASI + SENSITIVE, (const char *const[]){"a", "b", "c", "s", "t"}, &table,
                      &err));
    for (unsigned i = 0; i < s->rows; i++) {
        char text[QUASI + SENSITIVE][8];
        const char *texts[QUASI + SENSITIVE];
        for (unsigned c = 0; c < QUASI + SENSITIVE; c++) {
            if (c < QUASI)
                snprintf(text[c], sizeof text[c], "%u", s->quasi[c].value[i]);
            else
                snprintf(text[c], sizeof text[c], "%.0u", s->value[c - QUASI][i]);
            texts[c] = text[c];
        }
        MUST(hr_table_append(table, texts, &err));
    }
    return table;
}

static void bind_quasi(const sample *s, unsigned j, bound_sample *b) {
    const hr_missing none = {NULL, 0};
    const hr_column *column = &b->table->columns[j];
    if (s->quasi[j].numeric) {
        MUST(hr_quasi_bind_numeric(&b->quasi[j], column, &none, false, &err));
        return;
    }
    uint32_t *magval = NULL;
    hr_table *table = tree_table(&s->quasi[j]);
    MUST(hr_hierarchy_build(table, "test", &b->trees[j], &err));
    hr_table_free(table);
    if (s->quasi[j].bounded)
        MUST(hr_boundary_level(b->trees[j], 1, &magval, &err));
    else
        MUST(hr_boundary_none(b->trees[j], &magval, &err));
    MUST(hr_quasi_bind_tree(&b->quasi[j], column, b->trees[j], magval, &err));
}

static void bind(const sample *s, bound_sample *b) {
    static const char *const texts[] = {""};
    const hr_missing missing = {texts, 1};
    *b = (bound_sample){.table = rows_table(s)};
    for (unsigned j = 0; j < s->quasi_count; j++)
        bind_quasi(s, j, b);
    for (unsigned l = 0; l < s->sensitive_count; l++)
        MUST(hr_sensitive_bind(&b->sensitive[l], &b->table->columns[QUASI + l], &missing, 0, NULL,
                               &err));
    b->data = (hr_microdata){.rows = s->rows,
                             .quasi = b->quasi,
                             .quasi_count = s->quasi_count,
                             .sensitive = b->sensitive,
                             .sensitive_count = s->sensitive_count};
    hr_requirements asked = {.k = s->k > s->p ? s->k : s->p, .p = s->p};
    MUST(hr_cells(b->quasi, s->quasi_count, s->rows, s->bounded, &b->cells, &err));
    MUST(hr_facts_of(&b->cells, b->sensitive, s->sensitive_count, &b->facts, &err));
    b->out = calloc(b->cells.count, sizeof *b->out);
    assert_non_null(b->out);
    hr_models_out(&b->facts, &asked, b->out);
    b->request = (hr_bound_request){
        .data = &b->data, .cells = &b->cells, .out = b->out, .asked = asked, .threads = 1};
}

static void unbind(const sample *s, bound_sample *b) {
    for (unsigned j = 0; j < s->quasi_count; j++) {
        hr_quasi_free(&b->quasi[j]);
        hr_hierarchy_free(b->trees[j]);
    }
    for (unsigned l = 0; l < s->sensitive_count; l++)
        free(b->sensitive[l].value_of_code);
    hr_facts_free(&b->facts);
    hr_groups_free(&b->cells);
    free(b->out);
    hr_table_free(b->table);
}

/* The cost of an interval is rounded once per row and attribute. */
static double as_loss(uint64_t loss) {
    return (double)loss / HR_COST_ONE;
}

static const double slack = 1e-6;

/* ---- tests ---- */

/* The simple bound sums the cheapest box of each row; no bound is above the least loss; the checker
 * recomputes the same bound; the number of threads changes nothing. */
static void bound_of_tiny_tables(void **state) {
    (void)state;
    unsigned tight = 0, simple_tight = 0, cases = 0;
    hr_random random;
    hr_random_seed(&random, 1, 0);
    for (int i = 0; i < CASES; i++) {
        sample s;
        bound_sample b;
        hr_bound simple, better, again;
        uint64_t proved = 0;
        draw(&s, &random);
        bind(&s, &b);
        truth t = plain_truth(&s);
        MUST(hr_bound_find(&b.request, &simple, &err));
        b.request.steps = STEPS;
        MUST(hr_bound_find(&b.request, &better, &err));
        b.request.threads = 3;
        b.request.wants_rows = true;
        MUST(hr_bound_find(&b.request, &again, &err));
        assert_true(simple.exact);
        assert_true(fabs(as_loss(simple.loss) - t.simple) < slack);
        assert_true(simple.loss == simple.simple && better.simple == simple.loss);
        assert_true(better.loss >= simple.loss);
        if (as_loss(better.loss) > t.loss + slack)
            fail_msg("case %d: bound %.9g, least loss %.9g", i, as_loss(better.loss), t.loss);
        assert_true(again.loss == better.loss && again.kind_count == better.kind_count);
        assert_memory_equal(again.multiplier, better.multiplier,
                            better.kind_count * sizeof *better.multiplier);
        MUST(hr_bound_recompute(&b.request, &simple, &proved, &err));
        assert_true(proved == simple.loss);
        MUST(hr_bound_recompute(&b.request, &better, &proved, &err));
        assert_true(proved == better.loss);
        cases += t.loss > 0;
        tight += t.loss > 0 && as_loss(better.loss) > t.loss * 0.99;
        simple_tight += t.loss > 0 && as_loss(simple.loss) > t.loss * 0.99;
        hr_bound_free(&simple);
        hr_bound_free(&better);
        hr_bound_free(&again);
        unbind(&s, &b);
    }
    print_message("%u cases: within 1 %% of the least loss %u, by the simple bound %u\n", cases,
                  tight, simple_tight);
    assert_true(tight > cases * 8 / 10 && tight > simple_tight);
}

/* Any multipliers prove a valid bound. */
static void any_multipliers(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 2, 0);
    unsigned some = 0;
    for (int i = 0; i < CASES; i++) {
        sample s;
        bound_sample b;
        hr_bound lower;
        uint64_t proved = 0;
        draw(&s, &random);
        bind(&s, &b);
        truth t = plain_truth(&s);
        MUST(hr_bound_find(&b.request, &lower, &err));
        unsigned spread = 1 + below(&random, 4);
        for (uint32_t kind = 0; kind < lower.kind_count; kind++)
            lower.multiplier[kind] +=
                ((int64_t)below(&random, 2000) - 700) * (int64_t)(HR_COST_ONE / 2000) * spread;
        for (uint32_t cell = 0; cell < lower.cell_count; cell++)
            lower.price[cell] = below(&random, 2) ? below(&random, 1 + HR_COST_ONE) : 0;
        MUST(hr_bound_recompute(&b.request, &lower, &proved, &err));
        if (as_loss(proved) > t.loss + slack)
            fail_msg("case %d: proved %.9g, least loss %.9g", i, as_loss(proved), t.loss);
        some += proved > lower.simple;
        hr_bound_free(&lower);
        unbind(&s, &b);
    }
    assert_true(some > 0); /* otherwise the test would show little */
}

/* The rows inside a box of the list, and what each pays. */
static unsigned rows_inside(const sample *s, const hr_bound_table *table, uint32_t cell,
                            const hr_bound_list *list, uint32_t box, const int64_t *multiplier,
                            double *pays) {
    uint32_t base = table->kinds.kind_start[table->cell_start[cell]];
    unsigned inside = 0;
    for (size_t m = list->cell.inside_start[box]; m < list->cell.inside_start[box + 1]; m++)
        for (uint32_t kind = list->kind_start[list->cell.inside[m]];
             kind < list->kind_start[list->cell.inside[m] + 1]; kind++)
            for (unsigned row = 0; row < s->rows; row++) {
                if (table->kind_of_row[row] != table->kind_number[base + kind]) continue;
                inside |= 1u << row;
                pays[row] = (double)multiplier[kind] / HR_COST_ONE;
            }
    return inside;
}

/* The largest sum over k rows with p values of attribute l. */
static double plain_value(const sample *s, unsigned inside, const double *pays, double cost,
                          unsigned l) {
    double best = -1e9;
    for (unsigned set = inside; set; set = (set - 1) & inside) {
        double sum = 0;
        if (bits(set) < s->k || bits(set) < s->p) continue;
        if (s->p > 1 && s->sensitive_count && plain_values(s, l, set) < s->p) continue;
        for (unsigned row = 0; row < s->rows; row++)
            if (set >> row & 1) sum += pays[row] - cost;
        if (sum > best) best = sum;
    }
    return best;
}

static void check_box(const sample *s, hr_bound_valuer *valuer, const hr_bound_cell *cell,
                      const int64_t *multiplier, uint32_t box, unsigned inside, const double *pays,
                      int64_t enough) {
    int64_t unit = (int64_t)cell->cost[box], paid = 0;
    uint32_t count;
    double cost = (double)unit / HR_COST_ONE, wanted = plain_value(s, inside, pays, cost, 0);
    assert_true(fabs(set_cost(s, inside) - cost) < slack && is_class(s, inside));
    for (unsigned l = 1; l < s->sensitive_count; l++)
        wanted = fmin(wanted, plain_value(s, inside, pays, cost, l));
    int64_t value = hr_bound_value(valuer, box, INT64_MIN);
    if (fabs((double)value / HR_COST_ONE - wanted) > slack)
        fail_msg("box %u: %.9g, not %.9g", box, (double)value / HR_COST_ONE, wanted);
    const hr_bound_taken *taken = hr_bound_class(valuer, &count);
    for (uint32_t m = 0; m < count; m++)
        paid += (multiplier[taken[m].kind] - unit) * taken[m].rows;
    assert_true(paid == value);
    int64_t cut = hr_bound_value(valuer, box, enough);
    assert_true(value > enough ? cut == value : cut <= enough && cut >= value);
}

/* V of every box is the maximum over all classes inside; exact for one sensitive attribute. */
static void value_of_boxes(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 3, 0);
    unsigned boxes = 0;
    for (int i = 0; i < CASES; i++) {
        sample s;
        bound_sample b;
        hr_bound_table table;
        draw(&s, &random);
        bind(&s, &b);
        MUST(hr_bound_table_make(&b.data, &b.cells, b.out, &b.request.asked, &table, &err));
        for (uint32_t cell = 0; cell < table.cell_count; cell++) {
            hr_bound_list list;
            hr_bound_valuer *valuer;
            int64_t multiplier[ROWS];
            MUST(hr_bound_list_make(&table, cell, 1 << 16, 0, 0, &(hr_progress){0}, &list, &err));
            MUST(hr_bound_valuer_new(&list.cell, &valuer, &err));
            for (uint32_t kind = 0; kind < list.cell.kind_count; kind++)
                multiplier[kind] = (int64_t)(below(&random, 9)) * (HR_COST_ONE / 2) - HR_COST_ONE;
            hr_bound_valuer_set(valuer, multiplier);
            for (uint32_t box = 0; box < list.cell.count; box++, boxes++) {
                double pays[ROWS] = {0};
                unsigned inside = rows_inside(&s, &table, cell, &list, box, multiplier, pays);
                int64_t enough = (int64_t)below(&random, 3) * HR_COST_ONE / 2;
                check_box(&s, valuer, &list.cell, multiplier, box, inside, pays, enough);
            }
            hr_bound_valuer_free(valuer);
            hr_bound_list_free(&list);
        }
        hr_bound_table_free(&table);
        unbind(&s, &b);
    }
    assert_true(boxes > CASES);
}

/* A climb with so few boxes listed that it has a ceiling. */
static void check_ceiling(const sample *s, const hr_bound_table *table, uint32_t cell,
                          size_t pairs) {
    hr_bound_list list;
    MUST(hr_bound_list_make(table, cell, pairs, 0, 0, &(hr_progress){0}, &list, &err));
    if (list.cell.ceiling < UINT64_MAX && list.cell.count) {
        int64_t multiplier[ROWS];
        for (uint32_t kind = 0; kind < list.cell.kind_count; kind++)
            multiplier[kind] = (int64_t)list.cell.ceiling + 5;
        hr_bound_prices prices = {.multiplier = multiplier};
        hr_progress progress = {0};
        hr_bound_effort effort = {20, 1, 0, &progress};
        MUST(hr_bound_climb(&list.cell, &effort, &prices, &err));
        unsigned row = table->kinds.kind_first[table->kinds.kind_start[table->cell_start[cell]]];
        assert_true((double)prices.bound / HR_COST_ONE <= least_loss(s, cell_of(s, row)) + slack);
        for (uint32_t kind = 0; kind < list.cell.kind_count; kind++)
            assert_true(multiplier[kind] <= (int64_t)list.cell.ceiling);
    }
    hr_bound_list_free(&list);
}

/* After the deadline no box is listed, and the ceiling is 0. */
static void check_late(const hr_bound_table *table, uint32_t cell) {
    hr_bound_list list;
    MUST(hr_bound_list_make(table, cell, 1 << 16, 0, 1e-9, &(hr_progress){0}, &list, &err));
    assert_int_equal(list.cell.count, 0);
    assert_int_equal(list.cell.ceiling, 0);
    hr_bound_list_free(&list);
}

/* A walk that ends early gives a weaker bound, never a false one. */
static void cut_off(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 4, 0);
    unsigned weaker = 0, some = 0;
    for (int i = 0; i < CASES; i++) {
        sample s;
        bound_sample b;
        hr_bound_table table;
        uint64_t least[ROWS], cut[ROWS], ceiling = 0, reached = 0;
        draw(&s, &random);
        bind(&s, &b);
        MUST(hr_bound_table_make(&b.data, &b.cells, b.out, &b.request.asked, &table, &err));
        MUST(hr_bound_simple(&table, 1 << 20, 0, 1, NULL, least, &ceiling, &err));
        MUST(hr_bound_simple(&table, below(&random, 200), 0, 2, NULL, cut, &reached, &err));
        for (uint32_t c = 0; c < table.kinds.combination_count; c++) {
            bool found = cut[c] != UINT64_MAX;
            assert_true(found ? cut[c] == least[c] : reached <= least[c]);
            weaker += !found;
            some += !found && reached > 0;
        }
        for (uint32_t cell = 0; cell < table.cell_count; cell++) {
            check_ceiling(&s, &table, cell, 1 + below(&random, 12));
            check_late(&table, cell);
        }
        hr_bound_table_free(&table);
        unbind(&s, &b);
    }
    assert_true(weaker > 0 && some > 0);
}

/* The lower bounds by neighbours are never above the cost of a row's cheapest class, are not
 * changed by the number of threads, and reach that cost for most rows if the work suffices. */
static void neighbours(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 5, 0);
    unsigned rows = 0, tight = 0, tight_cut = 0;
    for (int i = 0; i < 2 * CASES; i++) {
        sample s;
        bound_sample b;
        hr_bound_table table;
        uint64_t least[ROWS], again[ROWS], cut[ROWS];
        draw(&s, &random);
        bind(&s, &b);
        MUST(hr_bound_table_make(&b.data, &b.cells, b.out, &b.request.asked, &table, &err));
        memset(least, 0xff, sizeof least);
        memcpy(again, least, sizeof least);
        memcpy(cut, least, sizeof least);
        hr_near_effort full = {.work = 1 << 20, .threads = 1},
                       two = {.work = 1 << 20, .threads = 2};
        hr_near_effort little = {.work = 1 + below(&random, 64), .threads = 1};
        MUST(hr_bound_near(&table, &full, 0, least, &err));
        MUST(hr_bound_near(&table, &two, 0, again, &err));
        MUST(hr_bound_near(&table, &little, 0, cut, &err));
        for (uint32_t c = 0; c < table.kinds.combination_count; c++) {
            unsigned row = table.kinds.kind_first[table.kinds.kind_start[c]];
            double true_cost = least_cost(&s, cell_of(&s, row), row);
            if (as_loss(least[c]) > true_cost + slack)
                fail_msg("case %d, row %u: %.9g, least %.9g", i, row, as_loss(least[c]), true_cost);
            assert_true(again[c] == least[c] && as_loss(cut[c]) <= true_cost + slack);
            rows++;
            tight += as_loss(least[c]) > true_cost - 0.002;
            tight_cut += as_loss(cut[c]) > true_cost - 0.002;
        }
        hr_bound_table_free(&table);
        unbind(&s, &b);
    }
    print_message("%u rows: exact %u, with little work %u\n", rows, tight, tight_cut);
    assert_true(tight > rows * 99 / 100 && tight_cut < tight);
}

enum { MANY = 700, NUMBERS = 300 };

/* Binds MANY rows with two trees of five leaves and a number: many blocks of combinations, and more
 * near ones than are kept. */
static void bind_many(hr_random *random, bound_sample *b) {
    const hr_missing none = {NULL, 0};
    *b = (bound_sample){0};
    MUST(hr_table_new(4, (const char *const[]){"a", "b", "c", "s"}, &b->table, &err));
    for (unsigned i = 0; i < MANY; i++) {
        char text[4][16];
        unsigned centre = below(random, 4);
        snprintf(text[0], sizeof text[0], "%u", (centre + (below(random, 3) == 0)) % LEAVES);
        snprintf(text[1], sizeof text[1], "%u", below(random, LEAVES));
        snprintf(text[2], sizeof text[2], "%u", centre * 60 + below(random, NUMBERS - 200));
        snprintf(text[3], sizeof text[3], "%u", below(random, 10) / 7);
        MUST(hr_table_append(b->table, (const char *const[]){text[0], text[1], text[2], text[3]},
                             &err));
    }
    for (unsigned j = 0; j < 2; j++) {
        attribute a = {.group = {1, 1, 2, 2, 0}};
        uint32_t *magval = NULL;
        hr_table *tree = tree_table(&a);
        MUST(hr_hierarchy_build(tree, "test", &b->trees[j], &err));
        hr_table_free(tree);
        MUST(hr_boundary_none(b->trees[j], &magval, &err));
        MUST(hr_quasi_bind_tree(&b->quasi[j], &b->table->columns[j], b->trees[j], magval, &err));
    }
    MUST(hr_quasi_bind_numeric(&b->quasi[2], &b->table->columns[2], &none, false, &err));
    MUST(hr_sensitive_bind(&b->sensitive[0], &b->table->columns[3], &none, 0, NULL, &err));
    b->data = (hr_microdata){.rows = MANY,
                             .quasi = b->quasi,
                             .quasi_count = 3,
                             .sensitive = b->sensitive,
                             .sensitive_count = 1};
    MUST(hr_cells(b->quasi, 3, MANY, false, &b->cells, &err));
    b->out = calloc(b->cells.count, sizeof *b->out);
    assert_non_null(b->out);
}

/* In larger tables, too, neighbours bound the cheapest box from below, which a walk finds, and the
 * checker proves that no row pays more. */
static void neighbours_of_many(void **state) {
    (void)state;
    const sample shape = {.quasi_count = 3, .sensitive_count = 1};
    hr_random random;
    hr_random_seed(&random, 7, 0);
    for (int i = 0; i < 6; i++) {
        bound_sample b;
        hr_bound_table table;
        hr_requirements asked = {.k = 2 + 3 * i, .p = 1 + i % 2};
        uint64_t ceiling = 0, exact = 0, found = 0;
        bind_many(&random, &b);
        MUST(hr_bound_table_make(&b.data, &b.cells, b.out, &asked, &table, &err));
        uint32_t count = table.kinds.combination_count;
        uint64_t *least = malloc(2 * count * sizeof *least), *near = least + count;
        assert_non_null(least);
        MUST(hr_bound_simple(&table, UINT64_MAX, 0, 1, NULL, least, &ceiling, &err));
        memset(near, 0xff, count * sizeof *near);
        hr_near_effort effort = {.work = 1 << 22, .threads = 3};
        MUST(hr_bound_near(&table, &effort, 0, near, &err));
        for (uint32_t c = 0; c < count; c++) {
            assert_true(near[c] <= least[c]);
            exact += least[c] * table.kinds.combination_rows[c];
            found += near[c] * table.kinds.combination_rows[c];
        }
        if (found < exact / 10 * 8)
            fail_msg("case %d: %.4g of %.4g", i, as_loss(found), as_loss(exact));
        free(least);
        hr_bound_table_free(&table);
        unbind(&shape, &b);
    }
}

/* The checker's proof that a kind never pays is given for exactly the kinds around which every
 * class costs their multiplier or more. */
static void rows_that_never_pay(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 6, 0);
    unsigned proved = 0, refused = 0;
    for (int i = 0; i < CASES; i++) {
        sample s;
        bound_sample b;
        hr_check_kind kinds[ROWS];
        draw(&s, &random);
        bind(&s, &b);
        for (uint32_t cell = 0; cell < b.cells.count; cell++) {
            uint32_t member[ROWS], count = 0;
            for (uint32_t row = 0; row < s.rows; row++)
                if (b.cells.of_row[row] == cell) member[count++] = row;
            for (uint32_t j = 0; j < count; j++) {
                double cost = least_cost(&s, cell_of(&s, member[j]), member[j]);
                int64_t shift = ((int64_t)below(&random, 5) - 2) * (int64_t)(HR_COST_ONE / 16);
                kinds[member[j]] =
                    (hr_check_kind){.first = member[j],
                                    .rows = 1,
                                    .cell = cell,
                                    .multiplier = (int64_t)(cost * HR_COST_ONE) + shift - 4,
                                    .may_pay = true};
            }
            uint32_t k = s.k > s.p ? s.k : s.p;
            MUST(hr_check_rows(&b.data, k, s.p, kinds, member, count, &(hr_progress){0}, &err));
            for (uint32_t j = 0; j < count && !b.out[cell]; j++) {
                double cost = least_cost(&s, cell_of(&s, member[j]), member[j]);
                bool cheaper = cost * HR_COST_ONE < (double)kinds[member[j]].multiplier;
                assert_true(kinds[member[j]].may_pay || !cheaper);
                assert_true(!kinds[member[j]].may_pay || cheaper);
                proved += !cheaper;
                refused += cheaper;
            }
        }
        unbind(&s, &b);
    }
    assert_true(proved > CASES && refused > CASES / 4);
}

/* Multipliers of another table, or out of range, are errors. */
static void bad_multipliers(void **state) {
    (void)state;
    sample s = {.rows = 4, .quasi_count = 1, .k = 2, .p = 1};
    bound_sample b;
    hr_bound lower;
    hr_error err = {0};
    uint64_t proved;
    s.quasi[0].value[2] = s.quasi[0].value[3] = 1;
    bind(&s, &b);
    assert_int_equal(hr_bound_find(&b.request, &lower, &err), HR_OK);
    lower.kind_count--;
    assert_int_equal(hr_bound_recompute(&b.request, &lower, &proved, &err), HR_EDATA);
    assert_non_null(strstr(err.message, "1 multipliers"));
    lower.kind_count++;
    lower.multiplier[0] = INT64_MAX;
    assert_int_equal(hr_bound_recompute(&b.request, &lower, &proved, &err), HR_EDATA);
    lower.multiplier[0] = INT64_MIN;
    assert_int_equal(hr_bound_recompute(&b.request, &lower, &proved, &err), HR_EDATA);
    lower.multiplier[0] = 0;
    lower.price[0] = -1;
    assert_int_equal(hr_bound_recompute(&b.request, &lower, &proved, &err), HR_EDATA);
    assert_non_null(strstr(err.message, "price"));
    hr_bound_free(&lower);
    unbind(&s, &b);
}

#ifdef HR_FAULT
static void fail_near(const bound_sample *b) {
    hr_bound_table table;
    hr_near_effort effort = {.work = 1 << 20, .threads = 1};
    uint64_t least[ROWS];
    hr_status status = HR_ENOMEM;
    MUST(hr_bound_table_make(&b->data, &b->cells, b->out, &b->request.asked, &table, &err));
    for (long nth = 1; status != HR_OK; nth++) {
        hr_error err = {0};
        memset(least, 0xff, sizeof least);
        hr_memory_fail_at(nth);
        status = hr_bound_near(&table, &effort, 0, least, &err);
        hr_memory_fail_at(0);
        assert_true(status == HR_OK || status == HR_ENOMEM);
    }
    hr_bound_table_free(&table);
}

static void fail_check(const bound_sample *b) {
    hr_check_kind kinds[ROWS];
    uint32_t member[ROWS];
    hr_status status = HR_ENOMEM;
    for (uint32_t row = 0; row < b->data.rows; row++) {
        member[row] = row;
        kinds[row] = (hr_check_kind){row, 1, 0, 2 * (int64_t)HR_COST_ONE, true};
    }
    for (long nth = 1; status != HR_OK; nth++) {
        hr_error err = {0};
        hr_memory_fail_at(nth);
        status = hr_check_rows(&b->data, (uint32_t)b->request.asked.k, (uint32_t)b->request.asked.p,
                               kinds, member, (uint32_t)b->data.rows, &(hr_progress){0}, &err);
        hr_memory_fail_at(0);
        assert_true(status == HR_OK || status == HR_ENOMEM);
    }
}

/* Every allocation fails once: each is reported, and nothing leaks (in sanitized builds). */
static void out_of_memory(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 5, 0);
    sample s;
    bound_sample b;
    do
        draw(&s, &random);
    while (s.quasi_count < 2 || s.p < 2);
    bind(&s, &b);
    b.request.steps = 2;
    b.request.wants_rows = true;
    hr_status status = HR_ENOMEM;
    for (long nth = 1; status != HR_OK; nth++) {
        hr_bound lower;
        hr_error err = {0};
        hr_memory_fail_at(nth);
        status = hr_bound_find(&b.request, &lower, &err);
        hr_memory_fail_at(0);
        assert_true(status == HR_OK || status == HR_ENOMEM);
        if (status == HR_OK) hr_bound_free(&lower);
    }
    fail_near(&b);
    fail_check(&b);
    unbind(&s, &b);
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bound_of_tiny_tables), cmocka_unit_test(any_multipliers),
        cmocka_unit_test(value_of_boxes),       cmocka_unit_test(cut_off),
        cmocka_unit_test(neighbours),           cmocka_unit_test(rows_that_never_pay),
        cmocka_unit_test(neighbours_of_many),   cmocka_unit_test(bad_multipliers),
#ifdef HR_FAULT
        cmocka_unit_test(out_of_memory),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
