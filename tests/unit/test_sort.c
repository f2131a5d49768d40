/* test_sort.c - counting sorts and heaps against their definitions, on random keys of many
 * sizes. */
#include "base/base.h"
#include "unit.h"

enum { MOST = 3000, CASES = 400 };

static uint32_t key[MOST], items[MOST], spare[MOST], start[MOST + 2], member[MOST];

static uint32_t draw(hr_random *random, uint32_t below) {
    return (uint32_t)hr_random_below(random, below);
}

static void test_group_by_key(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 1, 0);
    for (int c = 0; c < CASES; c++) {
        uint32_t count = draw(&random, MOST + 1), keys = 1 + draw(&random, MOST), placed = 0;
        for (uint32_t i = 0; i < count; i++)
            key[i] = draw(&random, 8) ? draw(&random, keys) : HR_NONE;
        hr_group_by_key(key, count, keys, start, member);
        assert_int_equal(start[0], 0);
        for (uint32_t g = 0; g < keys; g++)
            for (uint32_t i = start[g]; i < start[g + 1]; i++) {
                assert_int_equal(key[member[i]], g);
                if (i > start[g]) assert_true(member[i - 1] < member[i]);
                placed++;
            }
        for (uint32_t i = 0; i < count; i++)
            placed += key[i] == HR_NONE;
        assert_int_equal(placed, count);
    }
}

/* Sizes on both sides of the switch from insertion to counting, keys of one to four bytes. */
static void test_sort_by_key(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 2, 0);
    for (int c = 0; c < CASES; c++) {
        uint32_t count = c % 2 ? draw(&random, 60) : draw(&random, MOST + 1);
        uint32_t keys = 1 + draw(&random, UINT32_C(1) << (1 + c % 31));
        for (uint32_t i = 0; i < MOST; i++) {
            key[i] = draw(&random, keys);
            items[i] = i;
        }
        hr_sort_by_key(key, keys, items, spare, count);
        for (uint32_t i = 1; i < count; i++) {
            assert_true(key[items[i - 1]] <= key[items[i]]);
            if (key[items[i - 1]] == key[items[i]]) assert_true(items[i - 1] < items[i]);
        }
    }
}

typedef struct {
    uint32_t number, name;
} numbered;

static bool is_less(uint32_t *position, const numbered *a, const numbered *b) {
    (void)position;
    return a->number < b->number;
}

static void record(uint32_t *position, numbered *heap, size_t at, const numbered *value) {
    heap[at] = *value;
    position[value->name] = (uint32_t)at;
}

HR_HEAP(heap, numbered, uint32_t *, is_less, record)

static void check_heap(const numbered *items_of, const uint32_t *position, size_t count) {
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(position[items_of[i].name], i);
        if (i > 0) assert_true(items_of[(i - 1) / 2].number <= items_of[i].number);
    }
}

static void test_heap(void **state) {
    (void)state;
    static numbered list[200];
    static uint32_t position[200];
    hr_random random;
    hr_random_seed(&random, 3, 0);
    for (int c = 0; c < CASES; c++) {
        uint32_t count = draw(&random, 200), last = 0;
        for (uint32_t i = 0; i < count; i++) {
            heap_up(position, list, i, (numbered){draw(&random, 50), i});
            check_heap(list, position, (size_t)i + 1);
        }
        for (uint32_t left = count; left > 0;) {
            assert_true(list[0].number >= last);
            last = list[0].number;
            left--;
            if (left > 0) heap_down(position, list, left, 0, list[left]);
            check_heap(list, position, left);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_group_by_key),
        cmocka_unit_test(test_sort_by_key),
        cmocka_unit_test(test_heap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
