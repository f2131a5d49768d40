/* The resolved job: on random tables and jobs its release has the same bytes as that of the job, it
 * resolves to itself, and a check with it and no data judges as a check with the job and its data
 * does. And addresses as a folder names them. */
#define _XOPEN_SOURCE 700 /* mkdtemp */

#include "unit.h"

#include "run/run.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- random tables ---- */

enum { ROWS = 60 };

static const char *const odd_texts[] = {
    "a",   "b",       "a;b", " lead", "trail ", "quo\"te",           "new\nline",   "\ttab", "null",
    "~",   "#x",      "- y", "a: b",  "it's",   "\xc3\xa9t\xc3\xa9", "\xc2\x85nel", "\x01",  "\r",
    "|",   "NA",      "",    "[x]",   "{y}",    "\xe2\x80\xa8",      "&z",          "%w",    "true",
    "1,5", "a\n\nb\n"};

static hr_table *random_table(hr_random *random) {
    static const char *const names[] = {"zip", "num", "birth", "odd: one",
                                        "ill", "pay", "kept",  "left"};
    hr_table *table;
    MUST(hr_table_new(8, names, &table, &err));
    unsigned kinds = 1 + below(random, sizeof odd_texts / sizeof *odd_texts);
    unsigned range = below(random, 8) ? 1 + below(random, 500) : 1;
    bool halves = below(random, 2);
    for (unsigned row = 0; row < ROWS; row++) {
        char zip[16], num[16], birth[16], pay[16], kept[16],
            ill[2] = {(char)('a' + below(random, 4)), 0};
        snprintf(zip, sizeof zip, "%04u", 1000 + below(random, 40) * 37);
        snprintf(num, sizeof num, halves && below(random, 3) ? "%u.25" : "%u", below(random, 90));
        snprintf(birth, sizeof birth, "%u-%02u-%02u", 1950 + below(random, 50),
                 1 + below(random, 12), 1 + below(random, 28));
        snprintf(pay, sizeof pay, "%u.%u", below(random, range), below(random, 10));
        snprintf(kept, sizeof kept, "%u", below(random, 300));
        const char *fields[] = {zip, num, birth, odd_texts[below(random, kinds)],
                                ill, pay, kept,  "x"};
        for (size_t i = 0; i < 7; i++)
            if (i != 3 && !below(random, 40)) fields[i] = below(random, 2) ? "" : "NA";
        MUST(hr_table_append(table, fields, &err));
    }
    return table;
}

/* ---- random jobs ---- */

static const char *pick(hr_random *random, const char *const *texts) {
    size_t count = 0;
    while (texts[count])
        count++;
    return texts[below(random, (unsigned)count)];
}

#define PICK(random, ...) pick(random, (const char *const[]){__VA_ARGS__, NULL})

/* A job of the table, without an input. *flat: it has a flat hierarchy. */
static void random_job(hr_random *random, hr_text *out, bool *flat) {
    const char *odd = PICK(random, "flat", "{prefix: [1]}", "{frequency: [4, 2]}",
                           "[{prefix: [2]}, {frequency: 3}]");
    *flat = !strcmp(odd, "flat");
    hr_text_printf(out, "model: {k: %s, p: %s}\nalgorithm: %s\nthreads: 1\nbound: none\n",
                   PICK(random, "2", "3"), PICK(random, "1", "2"),
                   PICK(random, "greedy-pk", "enhanced-pk", "hedge\neffort: quick"));
    hr_text_puts(out, "missing: ['', NA]\nattributes:\n");
    hr_text_printf(out, "  zip: {role: quasi, on_missing: %s, %s}\n", PICK(random, "group", "drop"),
                   PICK(random, "hierarchy: {prefix: [3, 1]}, boundary: {level: prefix 1}",
                        "hierarchy: {prefix: [2, 1]}, boundary: ['1*'], finest: ['10*']",
                        "hierarchy: {prefix: [2]}, finest: {level: prefix 2}",
                        "hierarchy: {frequency: [6, 2]}, boundary: {level: frequency 2}",
                        "hierarchy: [{prefix: [2]}, {frequency: 3}], finest: {level: 1}"));
    hr_text_printf(out, "  num: {role: quasi, on_missing: drop, %s}\n",
                   PICK(random, "type: numeric", "type: numeric, range: [-1, 100]",
                        "type: numeric, boundary: {width: 30}",
                        "type: numeric, boundary: {cells: 3}",
                        "type: numeric, boundary: {cuts: [-5, 20, 60.5]}",

                        "hierarchy: {intervals: [5, 20], top: 80}",
                        "hierarchy: {quantiles: [8, 4]}, boundary: {level: 2}",
                        "hierarchy: {quantiles: [4]}, finest: {level: quantiles 4}",
                        "hierarchy: {cuts: [[10, 20, 40], [20]]}, weight: 0.1"));
    hr_text_printf(out,
                   "  birth: {role: quasi, on_missing: group, hierarchy: {date: [month, year, "
                   "decade]}%s}\n",
                   PICK(random, "", ", boundary: {level: decade}", ", finest: {level: month}"));
    hr_text_printf(out, "  'odd: one': {role: quasi, on_missing: group, hierarchy: %s}\n", odd);
    hr_text_printf(out, "  ill: {role: sensitive}\n  pay: {role: sensitive%s}\n",
                   PICK(random, ", bins: 4", ", bins: 7", ", bins: [0, 1, 50.5, 100]"));
    hr_text_printf(out, "  kept: {role: keep%s}\n  left: {role: drop}\n",
                   PICK(random, "", ", round: 25", ", top: 200, bottom: 10",
                        ", hierarchy: {quantiles: [5]}, level: 1",
                        ", hierarchy: {frequency: 9}, level: frequency 9"));
}

static hr_job *parse(const char *text, const hr_table *table) {
    hr_job *job;
    MUST(hr_job_parse(text, strlen(text), "job", NULL, &job, &err));
    if (table) MUST(hr_job_set_input(job, table, &err));
    return job;
}

static char *resolve(const hr_job *job) {
    char *text;
    MUST(hr_job_resolve(job, NULL, NULL, &text, &err));
    return text;
}

static void assert_same_table(const hr_table *a, const hr_table *b) {
    assert_int_equal(hr_table_rows(a), hr_table_rows(b));
    assert_int_equal(hr_table_columns(a), hr_table_columns(b));
    for (size_t row = 0; row < hr_table_rows(a); row++)
        for (size_t c = 0; c < hr_table_columns(a); c++)
            assert_string_equal(hr_table_text(a, row, c), hr_table_text(b, row, c));
}

/* ---- checks ---- */

/* The release with some values replaced. */
static hr_table *damage(const hr_table *release, hr_random *random) {
    static const char *const other[] = {"1000", "12.5", "1999-01-01", "nonsense",
                                        "*",    "100",  "1..2"};
    const char *names[8], *fields[8];
    size_t columns = hr_table_columns(release);
    hr_table *out;
    for (size_t c = 0; c < columns; c++)
        names[c] = hr_table_name(release, c);
    MUST(hr_table_new(columns, names, &out, &err));
    unsigned rare = 1 + below(random, 200);
    for (size_t row = 0; row < hr_table_rows(release); row++) {
        for (size_t c = 0; c < columns; c++) {
            fields[c] = hr_table_text(release, row, c);
            bool number = !strcmp(names[c], "pay");
            if (!number && !below(random, rare)) fields[c] = other[below(random, 7)];
        }
        MUST(hr_table_append(out, fields, &err));
    }
    return out;
}

static hr_check_figures checked(const hr_job *job, const hr_table *masked) {
    hr_check *check;
    const hr_check_request request = {.size = sizeof request, .masked_table = masked};
    MUST(hr_job_check(job, &request, NULL, &check, &err));
    hr_check_figures figures = *hr_check_result(check);
    hr_check_free(check);
    return figures;
}

/* `job` has its input, `resolved` has none. Only the second has the values of a flat hierarchy. */
static void compare_checks(const hr_job *job, const hr_job *resolved, const hr_table *masked,
                           bool flat) {
    hr_check_figures a = checked(job, masked), b = checked(resolved, masked);
    assert_int_equal(a.achieved_k, b.achieved_k);
    assert_int_equal(a.achieved_p, b.achieved_p);
    assert_int_equal(a.poor_classes, b.poor_classes);
    assert_int_equal(a.too_fine, b.too_fine);
    assert_int_equal(a.unrecoded, b.unrecoded);
    if (flat) {
        assert_true(a.unknown <= b.unknown);
        assert_true(a.holds || !b.holds);
    } else {
        assert_int_equal(a.unknown, b.unknown);
        assert_int_equal(a.holds, b.holds);
    }
}

/* The same through the bytes of a plan. */
static void run_as_plan(const hr_job *job, const hr_table *table, const hr_table *wanted) {
    hr_plan *plan;
    hr_release *release;
    MUST(hr_job_plan(job, NULL, &plan, &err));
    MUST(hr_plan_run(plan, table, NULL, &release, &err));
    assert_same_table(hr_release_table(release), wanted);
    hr_release_free(release);
    hr_plan_free(plan);
}

/* ---- the property ---- */

static unsigned long long runs, noes;

static void try_once(hr_random *random, const char *path) {
    hr_table *table = random_table(random);
    hr_text text = {0}, with_input = {0};
    bool flat;
    hr_release *release, *again;
    random_job(random, &text, &flat);
    hr_job *job = parse(text.data, table);
    hr_error why = {0};
    if (hr_job_run(job, NULL, &release, &why) == HR_OK) {
        runs++;
        char *resolved = resolve(job);
        hr_job *second = parse(resolved, table);
        MUST(hr_job_run(second, NULL, &again, &err));
        assert_same_table(hr_release_table(release), hr_release_table(again));
        assert_true(hr_release_figures(release)->ntil == hr_release_figures(again)->ntil);
        run_as_plan(second, table, hr_release_table(release));
        char *twice = resolve(second);
        assert_string_equal(resolved, twice);
        MUST(hr_table_write(table, path, &err));
        hr_text_printf(&with_input, "input: %s\n%s", path, text.data);
        hr_job *named = parse(with_input.data, NULL), *alone = parse(resolved, NULL);
        assert_true(checked(alone, hr_release_table(release)).holds);
        compare_checks(named, alone, hr_release_table(release), flat);
        hr_table *masked = damage(hr_release_table(release), random);
        noes += !checked(alone, masked).holds;
        compare_checks(named, alone, masked, flat);
        hr_table_free(masked);
        hr_job_free(named);
        hr_job_free(alone);
        hr_job_free(second);
        hr_free(resolved);
        hr_free(twice);
        hr_release_free(release);
        hr_release_free(again);
    } else if (why.code != HR_ENOSOL && why.code != HR_EDATA) {
        fail_msg("%s\n%s", why.message, text.data);
    }
    hr_job_free(job);
    hr_text_free(&text);
    hr_text_free(&with_input);
    hr_table_free(table);
}

static void test_random_jobs(void **state) {
    (void)state;
    char path[] = "/tmp/hedgerow-resolve-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    hr_random random;
    for (uint64_t seed = 1; seed <= 250; seed++) {
        hr_random_seed(&random, seed, 0);
        try_once(&random, path);
    }
    unlink(path);
    assert_true(runs > 100);
    assert_true(noes > 20);
}

/* ---- a part of the data ---- */

static hr_table *first_rows(const hr_table *table, size_t rows) {
    const char *names[8], *fields[8];
    hr_table *out;
    for (size_t c = 0; c < 8; c++)
        names[c] = hr_table_name(table, c);
    MUST(hr_table_new(8, names, &out, &err));
    for (size_t row = 0; row < rows; row++) {
        for (size_t c = 0; c < 8; c++)
            fields[c] = hr_table_text(table, row, c);
        MUST(hr_table_append(out, fields, &err));
    }
    return out;
}

/* Row 0 against every row: the smallest published value that covers both costs the same. */
static void compare_costs(const hr_quasi *whole, const hr_quasi *part, size_t rows) {
    for (size_t row = 0; row < rows; row++) {
        uint32_t a = hr_quasi_value(whole, 0), b = hr_quasi_value(whole, row);
        uint32_t c = hr_quasi_value(part, 0), d = hr_quasi_value(part, row);
        assert_int_equal(a == HR_NONE, c == HR_NONE);
        assert_int_equal(b == HR_NONE, d == HR_NONE);
        if (a == HR_NONE || b == HR_NONE) continue;
        hr_span first = hr_quasi_join(whole, (hr_span){a, a}, (hr_span){b, b});
        hr_span second = hr_quasi_join(part, (hr_span){c, c}, (hr_span){d, d});
        assert_int_equal(hr_quasi_cost(whole, first), hr_quasi_cost(part, second));
    }
}

/* A part of the rows has costs, bins and weights of the whole table. */
static void test_parts(void **state) {
    (void)state;
    hr_random random;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        hr_random_seed(&random, seed, 1);
        hr_table *table = random_table(&random), *rows = first_rows(table, ROWS / 3);
        hr_text text = {0};
        bool flat;
        hr_error why = {0};
        char *resolved = NULL;
        random_job(&random, &text, &flat);
        hr_job *job = parse(text.data, table);
        if (hr_job_resolve(job, NULL, NULL, &resolved, &why) == HR_OK) {
            hr_job *second = parse(resolved, rows);
            hr_dataset whole, part;
            MUST(hr_dataset_load(job, NULL, &whole, &err));
            MUST(hr_dataset_load(second, NULL, &part, &err));
            for (size_t j = 0; j < whole.data.quasi_count; j++)
                compare_costs(&whole.data.quasi[j], &part.data.quasi[j], ROWS / 3);
            for (size_t l = 0; l < whole.data.sensitive_count; l++) {
                const hr_sensitive *a = &whole.data.sensitive[l], *b = &part.data.sensitive[l];
                assert_int_equal(a->share, b->share);
                for (size_t row = 0; l == 1 && row < ROWS / 3; row++) /* the one with bins */
                    assert_int_equal(hr_sensitive_value(a, row), hr_sensitive_value(b, row));
            }
            hr_dataset_free(&whole);
            hr_dataset_free(&part);
            hr_job_free(second);
        }
        hr_free(resolved);
        hr_job_free(job);
        hr_text_free(&text);
        hr_table_free(table);
        hr_table_free(rows);
    }
}

/* ---- addresses ---- */

static void expect_relative(const char *folder, const char *address, const char *wanted) {
    hr_error why = {0};
    char *relative = hr_address_relative(folder, address, &why);
    assert_non_null(relative);
    assert_string_equal(relative, wanted);
    char *joined = hr_address_join(folder, relative, &why);
    assert_non_null(joined);
    bool overlaps, tables;
    MUST(hr_address_overlaps(joined, address, &overlaps, &tables, &err));
    assert_true(overlaps);
    free(joined);
    free(relative);
}

static void test_addresses(void **state) {
    (void)state;
    char folder[] = "/tmp/hedgerow-relative-XXXXXX", path[128], other[128], link[128];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a", folder);
    snprintf(other, sizeof other, "%s/ab", folder);
    snprintf(link, sizeof link, "%s/link", folder);
    assert_int_equal(mkdir(path, 0700) | mkdir(other, 0700), 0);
    assert_int_equal(symlink("ab", link), 0);
    char address[160];
    snprintf(address, sizeof address, "%s/in.csv", folder);
    expect_relative(folder, address, "in.csv");
    expect_relative(path, address, "../in.csv");
    snprintf(address, sizeof address, "%s/in.csv", other);
    expect_relative(path, address, "../ab/in.csv");
    expect_relative(other, address, "in.csv");
    expect_relative(folder, address, "ab/in.csv");
    expect_relative(link, address, "in.csv");
    snprintf(address, sizeof address, "%s/../in.csv", link);
    expect_relative(link, address, "../in.csv");
    expect_relative(path, "/in.csv", "/in.csv");
    expect_relative("/", "/in.csv", "in.csv");
    rmdir(path);
    unlink(link);
    rmdir(other);
    rmdir(folder);
}

/* ---- failing memory ---- */

static hr_status resolve_once(void *payload, hr_error *err) {
    char *text;
    HR_TRY(hr_job_resolve(payload, "/tmp", NULL, &text, err));
    hr_job *job;
    hr_status status = hr_job_parse(text, strlen(text), "job", NULL, &job, err);
    hr_free(text);
    if (status == HR_OK) hr_job_free(job);
    return status;
}

static void test_no_memory(void **state) {
    (void)state;
    hr_table *table = table_of("a,b,c\n1,x,1.5\n2,y,2.5\n1,x,7\n2,y,9\n");
    hr_job *job =
        parse("model: {k: 2}\nattributes: {a: {role: quasi, hierarchy: {quantiles: [2]}}, b: "
              "{role: quasi, hierarchy: flat}, c: {role: sensitive, bins: 2}}",
              table);
    with_failing_memory(resolve_once, job, 50);
    hr_job_free(job);
    hr_table_free(table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_jobs),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
