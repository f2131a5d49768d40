/* test_micro_tree.c - compares the answers of the tree of points with those of the scan while
 * points are removed and after a restart: ties, equal points, points on a line, far from the origin
 * or from each other, and more sensitive values than a node has bits for. */
#include "algorithm/micro/micro.h"
#include "unit.h"

#include <math.h>

enum { MOST = 3000, SIDES = 8, TOTAL = 700 };

/* How the points are distributed. */
typedef enum { GRID, BALL, LINE, OFFSET, SKEWED, CLUMPS, SHAPES } shape;

typedef struct {
    hr_random random;
    hr_points points;
    hr_point_values values;
    void *tree, *scan;
    bool removed[MOST];
    uint32_t live;
    bool from_rim; /* remove the furthest points; otherwise any */
} pair;

static void check_nearest(pair *p, const double *place) {
    hr_neighbour found[2][8];
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

/* Queries from a point, from nearby, from anywhere, and from the centroid. */
static void check_queries(pair *p) {
    double place[SIDES], centre[SIDES] = {0};
    const double *point = p->points.at + below(&p->random, p->points.count) * p->points.t;
    unsigned kind = below(&p->random, 3);
    for (size_t j = 0; j < p->points.t; j++) {
        place[j] =
            kind == 0 ? below(&p->random, 12) : point[j] + (kind == 2 ? below(&p->random, 3) : 0);
        for (uint32_t i = 0; i < p->points.count; i++)
            if (!p->removed[i]) centre[j] += p->points.at[i * p->points.t + j];
    }
    hr_location from[] = {{1, place, false}, {p->live, centre, true}};
    for (int i = 0; i < 2; i++)
        assert_int_equal(hr_locator_tree.furthest(p->tree, &from[i]),
                         hr_locator_scan.furthest(p->scan, &from[i]));
    assert_int_equal(hr_locator_tree.nearest_new(p->tree, place),
                     hr_locator_scan.nearest_new(p->scan, place));
    check_nearest(p, place);
}

static double coordinate(pair *p, shape kind, unsigned sides, double line) {
    double normal = hr_random_normal(&p->random);
    switch (kind) {
    case GRID: return below(&p->random, sides);
    case BALL: return floor(1e6 + 1e5 * normal);
    case LINE: return line;
    case OFFSET: return 9e15 + below(&p->random, sides * 40);
    case SKEWED: return floor(exp(3 * normal + 12));
    default: return below(&p->random, 2) * 1e14 + below(&p->random, sides); /* clumps */
    }
}

static void fill(pair *p, shape kind, double *at, uint32_t *value) {
    unsigned sides = 1 + below(&p->random, 12), few = 1 + below(&p->random, 30);
    for (uint32_t i = 0; i < p->points.count; i++) {
        double line = below(&p->random, 1000 * sides);
        for (size_t j = 0; j < p->points.t; j++)
            at[i * p->points.t + j] = coordinate(p, kind, sides, line);
        for (size_t l = 0; l < p->values.r; l++) /* many values are near the last bit */
            value[i * p->values.r + l] =
                below(&p->random, 9) == 0 ? HR_NONE : (505 + below(&p->random, few)) % TOTAL;
        if (i > 0 && below(&p->random, 4) == 0) /* a copy of another point */
            memcpy(at + i * p->points.t, at + below(&p->random, i) * p->points.t,
                   p->points.t * sizeof *at);
    }
}

static void see_some(pair *p) {
    for (uint32_t v = 0; v < TOTAL; v++) {
        p->values.seen[v / 64] &= ~(UINT64_C(1) << v % 64);
        if (below(&p->random, 3)) p->values.seen[v / 64] |= UINT64_C(1) << v % 64;
    }
}

/* Removes any point or, as the algorithms do, the furthest from some location. */
static void remove_one(pair *p) {
    uint32_t point = below(&p->random, p->points.count);
    if (p->from_rim) {
        hr_location from = {1, p->points.at + point * p->points.t, false};
        point = hr_locator_tree.furthest(p->tree, &from);
        assert_int_equal(point, hr_locator_scan.furthest(p->scan, &from));
    }
    while (p->removed[point])
        point = (point + 1) % p->points.count;
    hr_locator_tree.remove(p->tree, point);
    hr_locator_scan.remove(p->scan, point);
    p->removed[point] = true;
    p->live--;
}

static void remove_down_to(pair *p, uint32_t left, unsigned seldom) {
    while (p->live > left) {
        if (below(&p->random, seldom) == 0) check_queries(p);
        if (below(&p->random, 8) == 0) see_some(p);
        remove_one(p);
    }
}

static void restart(pair *p) {
    hr_locator_tree.restart(p->tree);
    hr_locator_scan.restart(p->scan);
    memset(p->removed, 0, sizeof p->removed);
    p->live = p->points.count;
}

static void run_case(uint64_t number, uint32_t most, unsigned seldom) {
    static double at[MOST * SIDES];
    static uint32_t value[MOST * 2];
    static uint64_t seen[TOTAL / 64 + 1];
    static const double factor[SIDES] = {1, 0.5, 0.3, 1.7, 1e-3, 0, 1, 2};
    static pair p;
    memset(&p, 0, sizeof p);
    hr_random_seed(&p.random, 11, number);
    p.points = (hr_points){1 + below(&p.random, SIDES), 1 + below(&p.random, most), at, factor};
    p.values = (hr_point_values){1 + below(&p.random, 2), TOTAL, value, seen};
    p.live = p.points.count;
    p.from_rim = below(&p.random, 2);
    fill(&p, number % SHAPES, at, value);
    see_some(&p);
    MUST(hr_locator_tree.init(&p.tree, &p.points, &p.values, &err));
    MUST(hr_locator_scan.init(&p.scan, &p.points, &p.values, &err));
    /* The tree may or may not have been rebuilt before the restart. */
    remove_down_to(&p, below(&p.random, p.live + 1), seldom);
    restart(&p);
    remove_down_to(&p, 0, seldom);
    hr_locator_tree.free(p.tree);
    hr_locator_scan.free(p.scan);
}

static void test_small(void **state) {
    (void)state;
    for (uint64_t number = 0; number < 1500; number++)
        run_case(number, 200, 4);
}

static void test_large(void **state) {
    (void)state;
    for (uint64_t number = 0; number < 120; number++)
        run_case(number, MOST, 25);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_small), cmocka_unit_test(test_large)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
