/* Cut points of numbers against brute force: on thousands of small random columns no other cuts
 * suppress fewer rows, nor lose less, nor come first among equals. */
#include "model/model.h"
#include "unit.h"

enum { ROWS = 24, NUMBERS = 9 };

typedef struct {
    hr_table *table;
    hr_hierarchy *tree;
    hr_quasi quasi[2];
    hr_sensitive sensitive[1];
    hr_microdata data;
    hr_requirements asked;
} sample;

/* Columns: a number, a group that is its own boundary, a sensitive value. */
static void make(sample *s, hr_random *random) {
    unsigned rows = 1 + below(random, ROWS), groups = 1 + below(random, 3);
    static const char *const texts[] = {""};
    static const hr_missing missing = {texts, 1};
    unsigned numbers[ROWS * 3];
    for (unsigned i = 0; i < rows; i++) {
        numbers[i * 3] = below(random, NUMBERS) * (1 + below(random, 2));
        numbers[i * 3 + 1] = below(random, groups);
        numbers[i * 3 + 2] = below(random, 3);
    }
    *s = (sample){.table = table_of_numbers(numbers, rows, 3)};
    uint32_t *magval;
    MUST(hr_hierarchy_flat(&s->table->columns[1], &s->tree, &err));
    MUST(hr_boundary_level(s->tree, 0, &magval, &err));
    MUST(hr_quasi_bind_numeric(&s->quasi[0], &s->table->columns[0], &missing, false, &err));
    MUST(hr_quasi_bind_tree(&s->quasi[1], &s->table->columns[1], s->tree, magval, &err));
    MUST(hr_sensitive_bind(&s->sensitive[0], &s->table->columns[2], &missing, 0, NULL, &err));
    s->data = (hr_microdata){.rows = rows,
                             .quasi = s->quasi,
                             .quasi_count = 2,
                             .sensitive = s->sensitive,
                             .sensitive_count = 1};
    s->asked = (hr_requirements){.k = 1 + below(random, 4), .p = 1 + below(random, 3)};
    if (s->asked.k < s->asked.p) s->asked.k = s->asked.p;
}

static void discard(sample *s) {
    for (int j = 0; j < 2; j++)
        hr_quasi_free(&s->quasi[j]);
    free(s->sensitive[0].value_of_code);
    hr_hierarchy_free(s->tree);
    hr_table_free(s->table);
}

typedef struct {
    unsigned suppressed, cells;
    uint64_t loss;
} cost;

/* Bit i of `cuts`: a cell begins at number i (bit 0 always). */
static cost price_of(const sample *s, unsigned cuts) {
    cost total = {0};
    uint32_t count = s->quasi[0].value_count;
    for (uint32_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && !(cuts >> end & 1);)
            end++;
        total.cells++;
        for (uint32_t group = 0; group < s->tree->labels.count; group++) {
            unsigned size = 0, values = 0;
            for (size_t row = 0; row < s->data.rows; row++) {
                uint32_t number = hr_quasi_value(&s->quasi[0], row);
                if (number < first || number >= end) continue;
                if (hr_quasi_value(&s->quasi[1], row) != group) continue;
                size++;
                values |= 1U << hr_sensitive_value(&s->sensitive[0], row);
            }
            int distinct = __builtin_popcount(values);
            if (size < s->asked.k || distinct < s->asked.p) total.suppressed += size;
            total.loss += size * (uint64_t)hr_quasi_cost(&s->quasi[0], (hr_span){first, end - 1});
        }
    }
    return total;
}

static bool fits(const sample *s, unsigned cuts, hr_cut_rule rule) {
    uint32_t count = s->quasi[0].value_count;
    unsigned cells = 0;
    for (uint32_t first = 0, end; first < count; first = end, cells++) {
        for (end = first + 1; end < count && !(cuts >> end & 1);)
            end++;
        if (rule.width > 0 && s->quasi[0].number[end - 1] - s->quasi[0].number[first] > rule.width)
            return false;
    }
    return !rule.cells || cells == (rule.cells < count ? rule.cells : count);
}

/* Lowest cut points: of two sets the one whose first different cut is lower. */
static bool lower(unsigned a, unsigned b) {
    unsigned differ = a ^ b;
    return a & (differ & -differ);
}

static bool better(const cost *a, unsigned cuts_a, const cost *b, unsigned cuts_b) {
    if (a->suppressed != b->suppressed) return a->suppressed < b->suppressed;
    if (a->loss != b->loss) return a->loss < b->loss;
    if (a->cells != b->cells) return a->cells < b->cells;
    return lower(cuts_a, cuts_b);
}

static void compare_once(sample *s, hr_cut_rule rule) {
    uint32_t count = s->quasi[0].value_count;
    unsigned best = 0, found = 0;
    cost least = {0};
    for (unsigned cuts = 1; cuts < 1U << count; cuts += 2) {
        if (!fits(s, cuts, rule)) continue;
        cost own = price_of(s, cuts);
        if (best && !better(&own, cuts, &least, best)) continue;
        best = cuts;
        least = own;
    }
    const hr_cut_rule rules[2] = {rule};
    MUST(hr_cuts_choose(&s->data, &s->asked, rules, &err));
    for (uint32_t v = 0; v < count; v++)
        found |= (unsigned)(s->quasi[0].magval[v] == v) << v;
    assert_int_equal(found, best);
    assert_int_equal(s->quasi[0].bounded, found != 1);
}

static void test_brute_force(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 18, 3);
    for (int i = 0; i < 4000; i++) {
        sample s;
        hr_cut_rule rule = {0};
        make(&s, &random);
        if (i % 2)
            rule.width = 1 + below(&random, 10);
        else
            rule.cells = 1 + below(&random, 5);
        compare_once(&s, rule);
        discard(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_brute_force)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
