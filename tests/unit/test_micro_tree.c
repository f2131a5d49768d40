/* test_micro_tree.c - the tree of points against a scan, question by question, as points go: ties,
 * equal points, and more sensitive values than a node has bits for. */
#include "algorithm/micro.h"
#include "unit.h"

enum { MOST = 400, SIDES = 3, TOTAL = 700 };

typedef struct {
    hr_random random;
    hr_points points;
    hr_point_values values;
    void *tree, *scan;
    bool removed[MOST];
    uint32_t live;
} pair;

static void check_questions(pair *p) {
    double place[SIDES], centre[SIDES] = {0};
    hr_near found[2][8];
    for (size_t j = 0; j < p->points.t; j++) {
        place[j] = below(&p->random, 12);
        for (uint32_t i = 0; i < p->points.count; i++)
            if (!p->removed[i]) centre[j] += p->points.at[i * p->points.t + j];
    }
    hr_from from[] = {{1, place, false}, {p->live, centre, true}};
    for (int i = 0; i < 2; i++)
        assert_int_equal(hr_locator_tree.furthest(p->tree, &from[i]),
                         hr_locator_scan.furthest(p->scan, &from[i]));
    assert_int_equal(hr_locator_tree.nearest_new(p->tree, place),
                     hr_locator_scan.nearest_new(p->scan, place));
    hr_nearest a = {.items = found[0], .wanted = below(&p->random, 9)}, b = a;
    b.items = found[1];
    hr_locator_tree.nearest(p->tree, place, &a);
    hr_locator_scan.nearest(p->scan, place, &b);
    assert_int_equal(a.count, b.count);
    for (uint32_t i = 0; i < a.count; i++) {
        uint32_t same = 0;
        for (uint32_t l = 0; l < b.count; l++)
            same += found[0][i].point == found[1][l].point &&
                    found[0][i].distance == found[1][l].distance;
        assert_int_equal(same, 1);
    }
}

static void fill(pair *p, double *at, uint32_t *value) {
    unsigned sides = 1 + below(&p->random, 12), few = 1 + below(&p->random, 30);
    for (uint32_t i = 0; i < p->points.count; i++) {
        for (size_t j = 0; j < p->points.t; j++)
            at[i * p->points.t + j] = below(&p->random, sides);
        for (size_t l = 0; l < p->values.r; l++) /* many of them around the last bit */
            value[i * p->values.r + l] =
                below(&p->random, 9) == 0 ? HR_NONE : (505 + below(&p->random, few)) % TOTAL;
    }
}

static void see_some(pair *p) {
    for (uint32_t v = 0; v < TOTAL; v++) {
        p->values.seen[v / 64] &= ~(UINT64_C(1) << v % 64);
        if (below(&p->random, 3)) p->values.seen[v / 64] |= UINT64_C(1) << v % 64;
    }
}

static void run_case(uint64_t number) {
    static double at[MOST * SIDES];
    static uint32_t value[MOST * 2];
    static uint64_t seen[TOTAL / 64 + 1];
    static const double factor[SIDES] = {1, 0.5, 0.3};
    pair p = {0};
    hr_random_seed(&p.random, 11, number);
    p.points = (hr_points){1 + below(&p.random, SIDES), 1 + below(&p.random, MOST), at, factor};
    p.values = (hr_point_values){1 + below(&p.random, 2), TOTAL, value, seen};
    p.live = p.points.count;
    fill(&p, at, value);
    see_some(&p);
    MUST(hr_locator_tree.init(&p.tree, &p.points, &p.values, &err));
    MUST(hr_locator_scan.init(&p.scan, &p.points, &p.values, &err));
    while (p.live > 0) {
        if (below(&p.random, 4) == 0) check_questions(&p);
        if (below(&p.random, 8) == 0) see_some(&p);
        uint32_t point = below(&p.random, p.points.count);
        while (p.removed[point])
            point = (point + 1) % p.points.count;
        hr_locator_tree.remove(p.tree, point);
        hr_locator_scan.remove(p.scan, point);
        p.removed[point] = true;
        p.live--;
    }
    hr_locator_tree.free(p.tree);
    hr_locator_scan.free(p.scan);
}

static void test_tree(void **state) {
    (void)state;
    for (uint64_t number = 0; number < 400; number++)
        run_case(number);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
