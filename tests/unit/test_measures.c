/* test_measures.c - measures on an example small enough to compute by hand. */
#include "measure/measure.h"

#include <math.h>

#include "unit.h"

/* Eight rows, two quasi-identifiers, one sensitive attribute.
 *
 *     town    age   illness   cluster   published        place tree (height 2, five leaves)
 *     a1       20   flu         0       A    20..30          *
 *     a2       30   flu         0       A    20..30            A: a1 a2 a3
 *     a1       20   cold        1       A    20..30            B: b1 b2
 *     a3       30   flu         1       A    20..30
 *     b1       40   flu         2       *    40..60      age: range 20 .. 70 = 50
 *     a2       60   cold        2       *    40..60
 *     b1       50   angina      2       *    40..60
 *     b2       70   flu         suppressed
 *
 * Clusters 0 and 1 publish the same values and fuse: classes of 4 and 3 rows, k = 2. */
static const char *const csv = "town,age,illness\na1,20,flu\na2,30,flu\na1,20,cold\na3,30,flu\n"
                               "b1,40,flu\na2,60,cold\nb1,50,angina\nb2,70,flu\n";

typedef struct {
    hr_table *table;
    hr_hierarchy *tree;
    hr_quasi quasi[2];
    hr_sensitive sensitive[1];
    hr_microdata data;
    uint32_t cluster[8], cluster_size[3], class_of_row[8];
    hr_span values[6];
    hr_partition partition;
    hr_requirements asked;
    hr_facts classes;
    hr_outcome outcome;
} example;

static hr_hierarchy *place_tree(void) {
    const char *text = "a1;A;*\na2;A;*\na3;A;*\nb1;B;*\nb2;B;*\n";
    hr_read_options options = {.delimiter = ';', .no_header = true};
    hr_table *table = NULL;
    hr_hierarchy *tree = NULL;
    MUST(hr_csv_parse(text, strlen(text), "place.csv", &options, &table, &err));
    MUST(hr_hierarchy_build(table, "place.csv", &tree, &err));
    hr_table_free(table);
    return tree;
}

static void publish(example *e, uint32_t cluster, const char *town, uint32_t lo, uint32_t hi) {
    uint32_t node = hr_hierarchy_find(e->tree, town);
    e->values[cluster * 2] = (hr_span){node, node};
    e->values[cluster * 2 + 1] = (hr_span){lo, hi};
}

static void start(example *e) {
    static const uint32_t cluster[] = {0, 0, 1, 1, 2, 2, 2, HR_NONE};
    static const uint32_t class_of_row[] = {0, 0, 0, 0, 1, 1, 1, HR_NONE};
    hr_missing missing = {(const char *const[]){""}, 1};
    uint32_t *magval = NULL;
    *e = (example){.table = table_of(csv), .tree = place_tree(), .asked = {.k = 2, .p = 1}};
    MUST(hr_boundary_level(e->tree, 1, &magval, &err));
    MUST(hr_quasi_bind_tree(&e->quasi[0], &e->table->columns[0], e->tree, magval, &err));
    MUST(hr_quasi_bind_numeric(&e->quasi[1], &e->table->columns[1], &missing, false, &err));
    MUST(hr_sensitive_bind(e->sensitive, &e->table->columns[2], &missing, 0, NULL, &err));
    e->data = (hr_microdata){.rows = 8,
                             .quasi = e->quasi,
                             .quasi_count = 2,
                             .sensitive = e->sensitive,
                             .sensitive_count = 1};
    memcpy(e->cluster, cluster, sizeof cluster);
    memcpy(e->class_of_row, class_of_row, sizeof class_of_row);
    publish(e, 0, "A", 0, 1); /* ranks of the numbers 20, 30, 40, 50, 60, 70 */
    publish(e, 1, "A", 0, 1);
    publish(e, 2, "*", 2, 4);
    e->partition = (hr_partition){.rows = 8,
                                  .quasi_count = 2,
                                  .cluster = e->cluster,
                                  .cluster_count = 3,
                                  .values = e->values};
    e->cluster_size[0] = e->cluster_size[1] = 2;
    e->cluster_size[2] = 3;
    hr_groups classes = {.of_row = e->class_of_row, .rows = 8, .count = 2};
    MUST(hr_facts_of(&classes, e->sensitive, 1, &e->classes, &err));
    e->outcome = (hr_outcome){.data = &e->data,
                              .partition = &e->partition,
                              .asked = &e->asked,
                              .classes = &e->classes,
                              .cluster_size = e->cluster_size,
                              .released = 7,
                              .suppressed = 1};
}

static void end(example *e) {
    hr_facts_free(&e->classes);
    free(e->sensitive[0].value_of_code);
    hr_quasi_free(&e->quasi[0]);
    hr_quasi_free(&e->quasi[1]);
    hr_hierarchy_free(e->tree);
    hr_table_free(e->table);
}

static double score(const example *e, const char *name) {
    const hr_measure *measure = hr_measure_find(name);
    if (!measure) fail_msg("no measure %s", name);
    return measure->score(&e->outcome);
}

/* town: four rows at height 1 of 2, three at 2 of 2, the suppressed one counts 1:
 *       4 x 1/2 + 3 x 1 + 1 = 6
 * age:  four rows of width 10 / 50, three of 20 / 50, and 1:  4/5 + 6/5 + 1 = 3
 * IL = 9; NTIL = 9 / (8 rows x 2 attributes) = 9/16. */
static void test_il(void **state) {
    (void)state;
    example e;
    start(&e);
    near(score(&e, "il"), 9);
    near(score(&e, "ntil"), 9.0 / 16);
    near(hr_loss_attribute(&e.outcome, 0), 6.0 / 8);
    near(hr_loss_attribute(&e.outcome, 1), 3.0 / 8);
    assert_true(hr_loss_total(&e.outcome) == UINT64_C(9) * HR_COST_ONE);
    /* Weights 3 and 1: (3 x 6/8 + 1 x 3/8) / 4 = 21/32. */
    e.quasi[0].weight = 3;
    near(score(&e, "weighted_loss"), 21.0 / 32);
    near(score(&e, "ntil"), 9.0 / 16);
    end(&e);
}

/* town: A holds 3 of 5 leaves, (3 - 1) / (5 - 1) = 1/2; * costs 1: 4 x 1/2 + 3 x 1 + 1 = 6;
 * age as in IL: 3. NCP = 9/16. With town published as B for the last cluster:
 * (2 - 1) / (5 - 1) = 1/4: 4/2 + 3/4 + 1 = 3.75, and 6.75 / 16. */
static void test_ncp(void **state) {
    (void)state;
    example e;
    start(&e);
    near(score(&e, "ncp"), 9.0 / 16);
    publish(&e, 2, "B", 2, 4);
    near(score(&e, "ncp"), 6.75 / 16);
    /* IL and NCP differ: 4 x 1/2 + 3 x 1/2 + 1 = 4.5, with age 7.5. */
    near(score(&e, "il"), 7.5);
    end(&e);
}

/* DM = 4 x 4 + 3 x 3 + 1 x 8 = 33. AVG = (7 / 2) / 2, with clusters (7 / 3) / 2. */
static void test_classes(void **state) {
    (void)state;
    example e;
    start(&e);
    near(score(&e, "dm"), 33);
    near(score(&e, "avg"), 7.0 / 4);
    near(score(&e, "avg_clusters"), 7.0 / 6);
    end(&e);
}

/* The smallest class has 3 rows: 1/3. On average 2 classes / 7 rows. Flu is 3 of 4 in one class. */
static void test_risk(void **state) {
    (void)state;
    example e;
    start(&e);
    near(score(&e, "prosecutor"), 1.0 / 3);
    near(score(&e, "average"), 2.0 / 7);
    near(score(&e, "largest_share"), 3.0 / 4);
    e.classes.sensitive_count = 0;
    assert_true(isnan(score(&e, "largest_share")));
    e.classes.sensitive_count = 1;
    end(&e);
}

/* Nothing generalized costs nothing; everything suppressed but one row costs nearly all. */
static void test_extremes(void **state) {
    (void)state;
    example e;
    start(&e);
    for (uint32_t c = 0; c < 3; c++)
        publish(&e, c, "a1", 0, 0);
    e.outcome.suppressed = 0;
    near(score(&e, "il"), 0);
    near(score(&e, "ncp"), 0);
    e.outcome.suppressed = 8;
    e.outcome.released = 0;
    e.partition.cluster_count = 0;
    near(score(&e, "ntil"), 1);
    near(score(&e, "ncp"), 1);
    end(&e);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_il),       cmocka_unit_test(test_ncp),
        cmocka_unit_test(test_classes),  cmocka_unit_test(test_risk),
        cmocka_unit_test(test_extremes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
