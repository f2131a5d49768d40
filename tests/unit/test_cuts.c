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
        if (rule.kind == HR_CUTS_WIDTH &&
            s->quasi[0].number[end - 1] - s->quasi[0].number[first] > rule.width)
            return false;
    }
    return rule.kind != HR_CUTS_CELLS || cells == (rule.cells < count ? rule.cells : count);
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
    s->quasi[0].rule = rule;
    assert_true(hr_cuts_chosen(&s->data));
    MUST(hr_cuts_choose(&s->data, &s->asked, NULL, &err));
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
        hr_cut_rule rule;
        make(&s, &random);
        if (i % 2)
            rule = (hr_cut_rule){.kind = HR_CUTS_WIDTH, .width = 1 + below(&random, 10)};
        else
            rule = (hr_cut_rule){.kind = HR_CUTS_CELLS, .cells = 1 + below(&random, 5)};
        compare_once(&s, rule);
        discard(&s);
    }
}

/* ---- several attributes ---- */

typedef struct {
    hr_table *table;
    hr_quasi quasi[2];
    hr_microdata data;
    hr_requirements asked;
} pair;

static void make_pair(pair *s, hr_random *random) {
    unsigned rows = 1 + below(random, ROWS);
    static const char *const texts[] = {""};
    static const hr_missing missing = {.texts = texts, .count = 1};
    unsigned numbers[ROWS * 2];
    for (unsigned i = 0; i < rows * 2; i++)
        numbers[i] = below(random, NUMBERS);
    *s = (pair){.table = table_of_numbers(numbers, rows, 2)};
    for (int j = 0; j < 2; j++) {
        MUST(hr_quasi_bind_numeric(&s->quasi[j], &s->table->columns[j], &missing, false, &err));
        s->quasi[j].rule =
            below(random, 2) ? (hr_cut_rule){.kind = HR_CUTS_WIDTH, .width = 1 + below(random, 6)}
                             : (hr_cut_rule){.kind = HR_CUTS_CELLS, .cells = 1 + below(random, 4)};
    }
    s->data = (hr_microdata){.rows = rows, .quasi = s->quasi, .quasi_count = 2};
    s->asked = (hr_requirements){.k = 1 + below(random, 4), .p = 1};
}

/* Rows in cells of fewer than k, if attribute j has these cuts and the other one its cells. */
static unsigned lost(const pair *s, int j, unsigned cuts) {
    unsigned count[NUMBERS][NUMBERS] = {0}, sum = 0;
    for (size_t row = 0; row < s->data.rows; row++) {
        uint32_t own = hr_quasi_value(&s->quasi[j], row);
        while (!(cuts >> own & 1))
            own--;
        count[own][s->quasi[1 - j].magval[hr_quasi_value(&s->quasi[1 - j], row)]]++;
    }
    for (int a = 0; a < NUMBERS; a++)
        for (int b = 0; b < NUMBERS; b++)
            if (count[a][b] < s->asked.k) sum += count[a][b];
    return sum;
}

/* Is this a way to cut the numbers that the rule allows? Bit 0 is set. */
static bool obeys(const hr_quasi *quasi, unsigned cuts) {
    uint32_t count = quasi->value_count, cells = 0, first = 0;
    for (uint32_t v = 0; v < count; v++) {
        if (cuts >> v & 1) first = v, cells++;
        if (quasi->rule.kind == HR_CUTS_WIDTH &&
            quasi->number[v] - quasi->number[first] > quasi->rule.width)
            return false;
    }
    uint32_t wanted = quasi->rule.cells < count ? quasi->rule.cells : count;
    return quasi->rule.kind == HR_CUTS_WIDTH || cells == wanted;
}

/* No attribute alone can be cut so that fewer rows are suppressed. */
static void test_local_optimum(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 18, 4);
    for (int i = 0; i < 2000; i++) {
        pair s;
        make_pair(&s, &random);
        MUST(hr_cuts_choose(&s.data, &s.asked, NULL, &err));
        for (int j = 0; j < 2; j++) {
            unsigned own = 0;
            for (uint32_t v = 0; v < s.quasi[j].value_count; v++)
                own |= (unsigned)(s.quasi[j].magval[v] == v) << v;
            assert_true(obeys(&s.quasi[j], own));
            for (unsigned cuts = 1; cuts < 1U << s.quasi[j].value_count; cuts += 2)
                if (obeys(&s.quasi[j], cuts)) assert_true(lost(&s, j, own) <= lost(&s, j, cuts));
        }
        for (int j = 0; j < 2; j++)
            hr_quasi_free(&s.quasi[j]);
        hr_table_free(s.table);
    }
}

/* ---- very many numbers ---- */

static void count_notice(const char *message, void *payload) {
    assert_non_null(strstr(message, "different numbers"));
    ++*(int *)payload;
}

/* Cuts are tried between blocks, but there are as many cells as were asked for. */
static void test_blocks(void **state) {
    (void)state;
    enum { MANY = 4000, CELLS = 100 };
    static const char *const texts[] = {""};
    static const hr_missing missing = {.texts = texts, .count = 1};
    static unsigned numbers[MANY];
    for (unsigned i = 0; i < MANY; i++)
        numbers[i] = i * 3;
    hr_table *table = table_of_numbers(numbers, MANY, 1);
    hr_quasi quasi = {0};
    int notices = 0;
    MUST(hr_quasi_bind_numeric(&quasi, &table->columns[0], &missing, false, &err));
    quasi.rule = (hr_cut_rule){.kind = HR_CUTS_CELLS, .cells = CELLS};
    hr_microdata data = {.rows = MANY, .quasi = &quasi, .quasi_count = 1};
    hr_requirements asked = {.k = 5, .p = 1};
    hr_watch watch = {.size = sizeof watch, .notice = count_notice, .payload = &notices};
    MUST(hr_cuts_choose(&data, &asked, &watch, &err));
    assert_int_equal(notices, 1);
    unsigned cells = 0, least = MANY;
    for (uint32_t first = 0, next; first < MANY; first = next, cells++) {
        next = hr_quasi_next_cell(&quasi, first);
        if (next - first < least) least = next - first;
    }
    assert_int_equal(cells, CELLS);
    assert_true(least >= asked.k);
    hr_quasi_free(&quasi);
    hr_table_free(table);
}

/* ---- widths and given cut points ---- */

static void bind_texts(hr_quasi *quasi, hr_table **table, const char *const *texts, size_t count) {
    static const char *const none[] = {""};
    static const hr_missing missing = {.texts = none, .count = 1};
    MUST(hr_table_new(1, (const char *const[]){"x"}, table, &err));
    for (size_t i = 0; i < count; i++)
        MUST(hr_table_append(*table, &texts[i], &err));
    *quasi = (hr_quasi){0};
    MUST(hr_quasi_bind_numeric(quasi, &(*table)->columns[0], &missing, false, &err));
}

/* Appends the cut points with the digits of the input: "20, 35, 50". */
static void list_cuts(const hr_quasi *quasi, hr_text *out) {
    const char *separator = "";
    for (uint32_t r = hr_quasi_next_cell(quasi, 0); r < quasi->value_count;
         r = hr_quasi_next_cell(quasi, r)) {
        hr_text_puts(out, separator);
        hr_text_puts(out, hr_dictionary_text(&quasi->column->dictionary, quasi->number_code[r]));
        separator = ", ";
    }
}

/* 1.1 - 0.8 is more than 0.3 in doubles, and is 0.3. */
static void test_digits(void **state) {
    (void)state;
    static const char *const texts[] = {"0.8", "1.1", "1.2", "-3", "1e1", "2.50"};
    hr_quasi quasi;
    hr_table *table;
    bind_texts(&quasi, &table, texts, 6);
    assert_true(hr_quasi_width_units(&quasi, 0.3) == 30);
    assert_true(hr_quasi_width_units(&quasi, 0.309) == 30);
    assert_true(hr_quasi_width_units(&quasi, 0.001) == 0);
    quasi.rule = (hr_cut_rule){.kind = HR_CUTS_WIDTH, .width = 0.3};
    hr_microdata data = {.rows = 6, .quasi = &quasi, .quasi_count = 1};
    hr_requirements asked = {.k = 2, .p = 1};
    MUST(hr_cuts_choose(&data, &asked, NULL, &err));
    hr_text cuts = {0};
    list_cuts(&quasi, &cuts);
    assert_string_equal(cuts.data, "0.8, 1.1, 2.50, 1e1");
    hr_text_free(&cuts);
    MUST(hr_quasi_cut(&quasi, (const double[]){-5, -3, 1, 1.05, 1.1, 50}, 6, &err));
    list_cuts(&quasi, &cuts);
    assert_string_equal(cuts.data, "1.1");
    hr_text_free(&cuts);
    assert_int_equal(hr_quasi_rank(&quasi, 1.2), 3);
    assert_int_equal(hr_quasi_rank(&quasi, 1.3), HR_NONE);
    hr_quasi_free(&quasi);
    hr_table_free(table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_brute_force), cmocka_unit_test(test_local_optimum),
        cmocka_unit_test(test_blocks), cmocka_unit_test(test_digits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
