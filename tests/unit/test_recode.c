/* Kept columns that are recoded: rounding against whole-number arithmetic, limits, levels, types of
 * the released column, and failing memory. */
#include "unit.h"

#include "run/run.h"

#include <hedgerow_arrow.h>

#include <stdio.h>

/* A job that keeps the column `kept` and releases all rows as one class. */
static hr_job *job_of(const hr_table *table, const char *const settings[][2]) {
    hr_job *job;
    MUST(hr_job_new(&job, &err));
    MUST(hr_job_set_input(job, table, &err));
    MUST(hr_job_set(job, "quasi", "group", &err));
    MUST(hr_job_set(job, "hierarchy", "group=flat", &err));
    MUST(hr_job_set(job, "k", "2", &err));
    MUST(hr_job_set(job, "keep", "kept", &err));
    MUST(hr_job_set(job, "order", "input", &err));
    MUST(hr_job_set(job, "bound", "none", &err));
    MUST(hr_job_set(job, "threads", "1", &err));
    for (size_t i = 0; settings[i][0]; i++)
        MUST(hr_job_set(job, settings[i][0], settings[i][1], &err));
    return job;
}

/* Two rows of each text, so that k = 2 holds. */
static hr_table *table_with(const char *const *texts, size_t count) {
    static const char *const names[] = {"group", "kept"};
    hr_table *table;
    MUST(hr_table_new(2, names, &table, &err));
    for (size_t i = 0; i < 2 * count; i++) {
        const char *fields[] = {"a", texts[i % count]};
        MUST(hr_table_append(table, fields, &err));
    }
    return table;
}

static void expect(const char *const *texts, const char *const *wanted, size_t count,
                   const char *const settings[][2]) {
    hr_table *table = table_with(texts, count);
    hr_job *job = job_of(table, settings);
    hr_release *release;
    MUST(hr_job_run(job, NULL, &release, &err));
    const hr_table *out = hr_release_table(release);
    for (size_t i = 0; i < 2 * count; i++) {
        bool null = hr_table_is_null(out, i, 1);
        assert_int_equal(null, wanted[i % count] == NULL);
        if (!null) assert_string_equal(hr_table_text(out, i, 1), wanted[i % count]);
    }
    hr_release_free(release);
    hr_job_free(job);
    hr_table_free(table);
}

/* ---- rounding ---- */

static int64_t power(int exponent) {
    int64_t result = 1;
    while (exponent-- > 0)
        result *= 10;
    return result;
}

/* number / 10^digits with all digits. */
static void print(int64_t number, int digits, char *out, size_t room) {
    int64_t size = number < 0 ? -number : number;
    if (digits == 0)
        snprintf(out, room, "%s%lld", number < 0 ? "-" : "", (long long)size);
    else
        snprintf(out, room, "%s%lld.%0*lld", number < 0 ? "-" : "",
                 (long long)(size / power(digits)), digits, (long long)(size % power(digits)));
}

/* The same without zeros at the end. */
static void print_short(int64_t number, int digits, char *out, size_t room) {
    for (; digits > 0 && number % 10 == 0; digits--)
        number /= 10;
    print(number, digits, out, room);
}

/* The nearest multiple by trying all near ones; a tie goes to the one with the greater size. */
static int64_t nearest(int64_t number, int64_t step) {
    int64_t best = 0, least = INT64_MAX;
    for (int64_t q = number / step - 2; q <= number / step + 2; q++) {
        int64_t distance = llabs(number - q * step);
        if (distance > least || (distance == least && llabs(q * step) < llabs(best))) continue;
        best = q * step;
        least = distance;
    }
    return best;
}

static void test_random_rounding(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 7, 0);
    for (int repeat = 0; repeat < 400; repeat++) {
        enum { COUNT = 8, ROOM = 40 };
        char texts[COUNT][ROOM], wanted[COUNT][ROOM], round[ROOM];
        const char *in[COUNT], *out[COUNT];
        int digits = (int)below(&random, 5),
            step_digits = (int)below(&random, (unsigned)digits + 1);
        int64_t step = 1 + below(&random, below(&random, 2) ? 20 : 2000);
        print(step, step_digits, round, sizeof round);
        step *= power(digits - step_digits);
        for (int i = 0; i < COUNT; i++) {
            int64_t number = (int64_t)below(&random, 200001) - 100000;
            if (i == 0) number = step / 2 * (int64_t)(2 * below(&random, 9) + 1); /* ties */
            if (i == 1) number = -(step / 2) * (int64_t)(2 * below(&random, 9) + 1);
            print(number, digits, texts[i], ROOM);
            print_short(nearest(number, step), digits, wanted[i], ROOM);
            in[i] = texts[i];
            out[i] = wanted[i];
        }
        char setting[ROOM + 8];
        snprintf(setting, sizeof setting, "kept=%s", round);
        expect(in, out, COUNT, (const char *const[][2]){{"round", setting}, {0}});
    }
}

static void test_digits(void **state) {
    (void)state;
    /* More digits than a double has, and a share of the last unit that decides. */
    const char *in[] = {"49.99999999999999999999",
                        "50",
                        "50.00000000000000000001",
                        "-49.9999",
                        "-50",
                        "1e2",
                        "150e-1",
                        "+7",
                        "-0.0",
                        NULL};
    const char *out[] = {"0", "100", "100", "0", "-100", "100", "0", "0", "0", NULL};
    expect(in, out, 10, (const char *const[][2]){{"round", "kept=100"}, {0}});
    const char *in2[] = {"0.15", "0.25", "0.049999999999999999", "99999999999999.95"};
    const char *out2[] = {"0.2", "0.3", "0", "100000000000000"};
    expect(in2, out2, 4, (const char *const[][2]){{"round", "kept=0.10"}, {0}});
}

static void test_limits(void **state) {
    (void)state;
    const char *in[] = {"89.999", "90", "90.0", "1e300", "18", "17.99", "-1e300", "", "NA", "042"};
    const char *out[] = {"89.999", "90+", "90+", "90+", "18", "<18", "<18", "", "NA", "042"};
    expect(in, out, 10,
           (const char *const[][2]){
               {"top", "kept=90"}, {"bottom", "kept=18"}, {"missing", ""}, {"missing", "NA"}, {0}});
    const char *in2[] = {"89", "84", "3", "2", "0", "-1"};
    const char *out2[] = {"90", "85", "5", "0", "0", "<0"};
    expect(in2, out2, 6,
           (const char *const[][2]){
               {"top", "kept=90"}, {"bottom", "kept=0"}, {"round", "kept=5"}, {0}});
}

/* ---- types ---- */

static void expect_format(const char *const *texts, size_t count, const char *given,
                          const char *const settings[][2], const char *wanted) {
    hr_table *table = table_with(texts, count);
    hr_error why = {0};
    table->columns[1].format = hr_copy_text(given, strlen(given), &why);
    assert_non_null(table->columns[1].format);
    hr_job *job = job_of(table, settings);
    hr_release *release;
    MUST(hr_job_run(job, NULL, &release, &err));
    const hr_column *column = &hr_release_table(release)->columns[1];
    if (wanted)
        assert_string_equal(column->format, wanted);
    else
        assert_null(column->format);
    struct ArrowArrayStream stream;
    MUST(hr_table_to_arrow(hr_release_table(release), &stream, &err));
    struct ArrowArray array;
    while (!stream.get_next(&stream, &array) && array.release)
        array.release(&array);
    stream.release(&stream);
    hr_release_free(release);
    hr_job_free(job);
    hr_table_free(table);
}

static void test_types(void **state) {
    (void)state;
    const char *small[] = {"127", "-128", "3", NULL};
    const char *real[] = {"1.5", "2", "-0.25", NULL};
    const char *money[] = {"1.50", "9.99", "-0.25", NULL};
    static const char *const by_100[][2] = {{"round", "kept=100"}, {0}};
    static const char *const by_half[][2] = {{"round", "kept=2.5"}, {0}};
    static const char *const by_50[][2] = {{"round", "kept=50"}, {0}};
    static const char *const by_90[][2] = {{"round", "kept=90"}, {0}};
    static const char *const top[][2] = {{"top", "kept=500"}, {0}};
    static const char *const level[][2] = {{"hierarchy", "kept=flat"}, {"level", "kept=1"}, {0}};
    expect_format(small, 4, "c", by_100, "c");
    expect_format(small, 4, "c", by_90, "c");
    expect_format(small, 4, "c", by_50, "l"); /* 127 becomes 150 */
    expect_format(small, 4, "c", by_half, "g");
    expect_format(small, 4, "c", top, NULL);
    expect_format(small, 4, "c", level, NULL);
    expect_format(real, 4, "g", by_half, "g");
    expect_format(real, 4, "f", by_100, "f");
    expect_format(money, 4, "d:3,2", by_half, "g");
}

/* ---- failing memory ---- */

static hr_status run_once(void *payload, hr_error *err) {
    hr_release *release;
    HR_TRY(hr_job_run(payload, NULL, &release, err));
    hr_release_free(release);
    return HR_OK;
}

static void test_no_memory(void **state) {
    (void)state;
    const char *texts[] = {"12", "57", "99", ""};
    static const char *const numbers[][2] = {{"round", "kept=10"}, {"top", "kept=90"}, {0}};
    static const char *const tree[][2] = {
        {"hierarchy", "kept={quantiles: [2]}"}, {"level", "kept=1"}, {0}};
    hr_table *table = table_with(texts, 4);
    for (int i = 0; i < 2; i++) {
        hr_job *job = job_of(table, i ? tree : numbers);
        with_failing_memory(run_once, job, 50);
        hr_job_free(job);
    }
    hr_table_free(table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_rounding), cmocka_unit_test(test_digits),
        cmocka_unit_test(test_limits),          cmocka_unit_test(test_types),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
