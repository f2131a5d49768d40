/* Plans: on random tables, cells that are run apart give what a run of the whole table gives; what
 * does not come back whole is noticed, and so are bytes that are no plan. */
#include "unit.h"

enum { ROWS = 150, LEAVES = 12 };

/* Leaves a .. l below groups of two and of four. */
static hr_hierarchy *letters(void) {
    const char *labels[LEAVES * 4];
    static const char names[] = "abcdefghijkl";
    static char texts[LEAVES][3][24];
    for (int i = 0; i < LEAVES; i++) {
        snprintf(texts[i][0], sizeof texts[i][0], "%c", names[i]);
        snprintf(texts[i][1], sizeof texts[i][1], "pair %d", i / 2);
        snprintf(texts[i][2], sizeof texts[i][2], "four %d", i / 4);
        for (int level = 0; level < 3; level++)
            labels[i * 4 + level] = texts[i][level];
        labels[i * 4 + 3] = "*";
    }
    hr_hierarchy *tree;
    MUST(hr_hierarchy_from_labels("letters", labels, LEAVES, 4, &tree, &err));
    return tree;
}

/* Columns: letter, number, word (some null), illness (some null), pay, note. */
static hr_table *random_table(unsigned rows, hr_random *random) {
    static const char *const names[] = {"letter", "number", "word", "illness", "pay", "note"};
    static const char *const words[] = {"x", "y", "", "z"};
    static const char *const illnesses[] = {"flu", "gout", "asthma", "none", "cold"};
    hr_table *table;
    MUST(hr_table_new(6, names, &table, &err));
    for (unsigned row = 0; row < rows; row++) {
        char letter[2] = {(char)('a' + below(random, LEAVES)), 0}, number[16], pay[16], note[16];
        snprintf(number, sizeof number, below(random, 9) ? "%u.5" : "%u", below(random, 20));
        snprintf(pay, sizeof pay, "%u", below(random, 1000));
        snprintf(note, sizeof note, "%u", below(random, 6));
        const char *fields[] = {letter,
                                number,
                                below(random, 8) ? words[below(random, 4)] : NULL,
                                below(random, 9) ? illnesses[below(random, 5)] : NULL,
                                pay,
                                below(random, 5) ? note : NULL};
        if (!below(random, 30)) fields[1] = NULL;
        MUST(hr_table_append(table, fields, &err));
    }
    return table;
}

static hr_job *job_of(const hr_table *table, const char *algorithm) {
    static const char *const settings[][2] = {{"quasi", "letter,number,word"},
                                              {"numeric", "number"},
                                              {"hierarchy", "word=flat"},
                                              {"sensitive", "illness,pay"},
                                              {"bins", "pay=7"},
                                              {"keep", "note"},
                                              {"on-missing", "number=drop"},
                                              {"boundary", "letter=level:2"},
                                              {"bound", "none"},
                                              {"threads", "1"}};
    hr_hierarchy *tree = letters();
    hr_job *job;
    MUST(hr_job_new(&job, &err));
    MUST(hr_job_set_input(job, table, &err));
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        MUST(hr_job_set(job, settings[i][0], settings[i][1], &err));
    MUST(hr_job_set_hierarchy(job, "letter", tree, &err));
    hr_hierarchy_free(tree);
    MUST(hr_job_set(job, "algorithm", algorithm, &err));
    if (!strcmp(algorithm, "hedge")) MUST(hr_job_set(job, "effort", "quick", &err));
    return job;
}

/* The rows of the table whose keys leave this remainder; suppressed cells are left out. */
static hr_table *deal(const hr_plan *plan, const hr_table *table, unsigned parts, unsigned part) {
    const char *names[8], *fields[8];
    size_t columns = hr_table_columns(table);
    hr_table *out;
    uint64_t *keys = malloc((hr_table_rows(table) + 1) * sizeof *keys);
    assert_non_null(keys);
    for (size_t c = 0; c < columns; c++)
        names[c] = hr_table_name(table, c);
    MUST(hr_table_new(columns, names, &out, &err));
    MUST(hr_plan_keys(plan, table, keys, &err));
    for (size_t row = 0; row < hr_table_rows(table); row++) {
        const hr_plan_cell *cell = hr_plan_cell_find(plan, keys[row]);
        assert_int_equal(keys[row] == 0, hr_table_is_null(table, row, 1));
        if (!cell || cell->suppressed || keys[row] % parts != part) continue;
        for (size_t c = 0; c < columns; c++)
            fields[c] = hr_table_code_text(table, c, hr_table_code(table, row, c), NULL);
        MUST(hr_table_append(out, fields, &err));
    }
    free(keys);
    return out;
}

static void assert_same_table(const hr_table *a, const hr_table *b) {
    assert_int_equal(hr_table_rows(a), hr_table_rows(b));
    assert_int_equal(hr_table_columns(a), hr_table_columns(b));
    for (size_t row = 0; row < hr_table_rows(a); row++)
        for (size_t c = 0; c < hr_table_columns(a); c++) {
            assert_string_equal(hr_table_text(a, row, c), hr_table_text(b, row, c));
            assert_int_equal(hr_table_is_null(a, row, c), hr_table_is_null(b, row, c));
        }
}

/* The plan as another process has it. */
static hr_plan *copy_of(const hr_plan *plan) {
    size_t length, again;
    const void *bytes = hr_plan_bytes(plan, &length);
    hr_plan *copy;
    MUST(hr_plan_import(bytes, length, &copy, &err));
    const void *copied = hr_plan_bytes(copy, &again);
    assert_int_equal(length, again);
    assert_memory_equal(bytes, copied, length);
    return copy;
}

enum { PARTS_MOST = 4 };

/* Runs the parts; returns how many have rows. */
static size_t run_parts(const hr_plan *plan, const hr_table *table, unsigned parts,
                        hr_release **out) {
    size_t count = 0;
    for (unsigned part = 0; part < parts; part++) {
        hr_table *own = deal(plan, table, parts, part);
        if (hr_table_rows(own)) MUST(hr_plan_run(plan, own, NULL, &out[count++], &err));
        hr_table_free(own);
    }
    return count;
}

static void compare_once(const hr_table *table, const char *algorithm, hr_random *random) {
    hr_error why = {0};
    hr_job *job = job_of(table, algorithm);
    hr_release *whole, *releases[PARTS_MOST];
    const hr_table *tables[PARTS_MOST];
    hr_table *joined;
    hr_plan *plan;
    MUST(hr_job_set(job, "k", below(random, 2) ? "2" : "4", &err));
    if (below(random, 2)) { /* the tree of the whole table: a part would have other quantiles */
        MUST(hr_job_set(job, "hierarchy", "note={quantiles: [3]}", &err));
        MUST(hr_job_set(job, "level", "note=1", &err));
    } else if (below(random, 2)) {
        MUST(hr_job_set(job, "top", "note=4", &err));
    }
    if (strcmp(algorithm, "k-member")) MUST(hr_job_set(job, "p", "2", &err));
    if (strcmp(algorithm, "enhanced-pk") && below(random, 2))
        MUST(hr_job_set(job, "alpha", below(random, 2) ? "0.3" : "0.5", &err));
    if (!below(random, 4)) MUST(hr_job_set(job, "order", "shuffle", &err));
    if (!below(random, 5)) MUST(hr_job_set(job, "boundaries", "count", &err));
    if (below(random, 2)) MUST(hr_job_set(job, "finest", "letter=level:1", &err));
    if (below(random, 2)) {
        MUST(hr_job_set(job, "hierarchy", "word=[{frequency: 3}, {prefix: 1}]", &err));
        MUST(hr_job_set(job, "on-missing", "word=group", &err));
        MUST(hr_job_set(job, "finest", "word=level:frequency 3", &err));
        if (below(random, 2)) MUST(hr_job_set(job, "boundary", "word=level:prefix 1", &err));
    }
    static const char *const cuts[] = {"number=width:3", "number=cells:3", "number=cuts:2,5"};
    if (below(random, 2)) MUST(hr_job_set(job, "boundary", cuts[below(random, 3)], &err));
    hr_status status = hr_job_run(job, NULL, &whole, &why);
    assert_int_equal(hr_job_plan(job, NULL, &plan, &why), status);
    if (status == HR_OK) {
        hr_plan *far = copy_of(plan);
        size_t count = run_parts(far, table, 1 + below(random, PARTS_MOST), releases);
        for (size_t i = 0; i < count; i++)
            tables[i] = hr_release_table(releases[i]);
        MUST(hr_plan_join(plan, tables, count, NULL, &joined, &err));
        assert_same_table(hr_release_table(whole), joined);
        for (size_t i = 0; i < count; i++)
            hr_release_free(releases[i]);
        hr_table_free(joined);
        hr_release_free(whole);
        hr_plan_free(far);
    } else {
        assert_int_equal(status, HR_ENOSOL);
        assert_null(plan);
    }
    hr_plan_free(plan);
    hr_job_free(job);
}

static void test_parts_make_the_whole(void **state) {
    (void)state;
    static const char *const algorithms[] = {"hedge", "greedy-pk", "enhanced-pk", "k-member"};
    hr_random random;
    hr_random_seed(&random, 16, 1);
    for (int i = 0; i < 1000; i++) {
        hr_table *table = random_table(10 + below(&random, ROWS), &random);
        compare_once(table, algorithms[i % 4], &random);
        hr_table_free(table);
    }
}

/* ---- what goes wrong ---- */

typedef struct {
    hr_table *table;
    hr_job *job;
    hr_plan *plan;
    hr_release *releases[2];
    const hr_table *parts[2];
} sample;

static void setup(sample *s) {
    hr_random random;
    hr_random_seed(&random, 3, 3);
    s->table = random_table(ROWS, &random);
    s->job = job_of(s->table, "greedy-pk");
    MUST(hr_job_set(s->job, "k", "3", &err));
    MUST(hr_job_set(s->job, "boundary", "letter=level:1", &err));
    MUST(hr_job_plan(s->job, NULL, &s->plan, &err));
    assert_int_equal(run_parts(s->plan, s->table, 2, s->releases), 2);
    for (int i = 0; i < 2; i++)
        s->parts[i] = hr_release_table(s->releases[i]);
}

static void teardown(sample *s) {
    for (int i = 0; i < 2; i++)
        hr_release_free(s->releases[i]);
    hr_plan_free(s->plan);
    hr_job_free(s->job);
    hr_table_free(s->table);
}

static void refuse_join(const sample *s, const hr_table *const *parts, size_t count,
                        hr_status wanted, const char *message) {
    hr_error err = {0};
    hr_table *joined;
    assert_int_equal(hr_plan_join(s->plan, parts, count, NULL, &joined, &err), wanted);
    assert_null(joined);
    if (!strstr(err.message, message)) fail_msg("%s", err.message);
}

/* A copy of a part without its last row, and with another value in the column. */
static hr_table *damaged(const hr_table *part, size_t rows, size_t column, const char *value) {
    const char *names[8], *fields[8];
    hr_table *out;
    for (size_t c = 0; c < hr_table_columns(part); c++)
        names[c] = hr_table_name(part, c);
    MUST(hr_table_new(hr_table_columns(part), names, &out, &err));
    for (size_t row = 0; row < rows; row++) {
        for (size_t c = 0; c < hr_table_columns(part); c++)
            fields[c] = c == column && row == 0
                            ? value
                            : hr_table_code_text(part, c, hr_table_code(part, row, c), NULL);
        MUST(hr_table_append(out, fields, &err));
    }
    return out;
}

static void test_bad_parts(void **state) {
    (void)state;
    sample s;
    setup(&s);
    size_t rows = hr_table_rows(s.parts[0]);
    refuse_join(&s, s.parts, 1, HR_EDATA, "did not come back");
    refuse_join(&s, s.parts, 0, HR_EINVAL, "no parts");
    const hr_table *twice[] = {s.parts[0], s.parts[1], s.parts[1]};
    refuse_join(&s, twice, 3, HR_EDATA, "have too many");
    const hr_table *foreign[] = {s.parts[0], s.table};
    refuse_join(&s, foreign, 2, HR_EDATA, "have too many"); /* values before they were masked */
    hr_table *lost = damaged(s.parts[0], rows - 1, 9, NULL);
    refuse_join(&s, (const hr_table *[]){lost, s.parts[1]}, 2, HR_EDATA, "1 lack rows");
    hr_table *wide = damaged(s.parts[0], rows, 0, "*");
    refuse_join(&s, (const hr_table *[]){wide, s.parts[1]}, 2, HR_EDATA, "belong to no cell");
    hr_table *alone = damaged(s.parts[0], rows, 1, "-7");
    refuse_join(&s, (const hr_table *[]){alone, s.parts[1]}, 2, HR_ENOSOL, "too small");
    hr_table_free(lost);
    hr_table_free(wide);
    hr_table_free(alone);
    teardown(&s);
}

/* No message names the value, which may be a sensitive one. */
static void refuse_run(const sample *s, const hr_table *table, hr_status wanted,
                       const char *message) {
    hr_error err = {0};
    hr_release *release;
    assert_int_equal(hr_plan_run(s->plan, table, NULL, &release, &err), wanted);
    assert_null(release);
    assert_null(strstr(err.message, "measles"));
    if (!strstr(err.message, message)) fail_msg("%s", err.message);
}

static void test_bad_rows(void **state) {
    (void)state;
    sample s;
    setup(&s);
    size_t rows = hr_table_rows(s.table);
    hr_table *empty = damaged(s.table, 0, 9, NULL), *less = damaged(s.table, rows - 1, 9, NULL);
    hr_table *strange = damaged(s.table, rows, 3, "measles");
    hr_table *narrow = table_of("letter,number\na,1\n");
    uint64_t key;
    hr_error err = {0};
    refuse_run(&s, empty, HR_EDATA, "no rows");
    refuse_run(&s, strange, HR_EDATA, "row 1, column 'illness': the plan does not know");
    refuse_run(&s, narrow, HR_EDATA, "no column 'word'");
    assert_int_equal(hr_plan_keys(s.plan, narrow, &key, &err), HR_EDATA);
    hr_table *part = deal(s.plan, s.table, 1, 0);
    hr_table *broken = damaged(part, hr_table_rows(part) - 1, 9, NULL);
    refuse_run(&s, broken, HR_EDATA, "with all its rows");
    hr_table_free(part);
    hr_table_free(broken);
    hr_table_free(empty);
    hr_table_free(less);
    hr_table_free(strange);
    hr_table_free(narrow);
    teardown(&s);
}

/* A hash finds damage on the way; behind a right hash nothing is trusted either. */
static void test_bad_bytes(void **state) {
    (void)state;
    sample s;
    size_t length, head = strlen("hedgerow plan") + 12;
    setup(&s);
    const char *bytes = hr_plan_bytes(s.plan, &length);
    char *copy = malloc(length);
    hr_random random;
    hr_plan *plan;
    hr_error err = {0};
    hr_random_seed(&random, 5, 5);
    assert_non_null(copy);
    assert_int_equal(hr_plan_import("", 0, &plan, &err), HR_EDATA);
    for (int i = 0; i < 4000; i++) {
        memcpy(copy, bytes, length);
        size_t end = i % 3 ? length : head + below(&random, (unsigned)(length - head));
        size_t at = below(&random, (unsigned)end);
        copy[at] = (char)(copy[at] ^ (1 << below(&random, 8)));
        assert_int_not_equal(hr_plan_import(copy, end, &plan, &err), HR_OK);
        assert_null(plan);
        uint64_t hash = hr_hash(copy + head, end - head);
        for (size_t b = 0; b < 8; b++)
            copy[head - 8 + b] = (char)(hash >> (8 * b));
        if (hr_plan_import(copy, end, &plan, &err) == HR_OK) { /* another plan, but a plan */
            hr_release *release;
            if (hr_plan_run(plan, s.table, NULL, &release, &err) == HR_OK) hr_release_free(release);
            hr_plan_free(plan);
        }
    }
    free(copy);
    teardown(&s);
}

static void test_refused_jobs(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 4, 4);
    hr_table *table = random_table(ROWS, &random);
    hr_job *job = job_of(table, "k-member");
    hr_error why = {0};
    hr_plan *plan;
    assert_int_equal(hr_job_plan(job, NULL, &plan, &why), HR_EINVAL); /* k is missing */
    assert_null(plan);
    MUST(hr_job_set(job, "k", "1000", &err));
    assert_int_equal(hr_job_plan(job, NULL, &plan, &why), HR_ENOSOL);
    hr_watch watch = {0};
    MUST(hr_job_set(job, "k", "2", &err));
    assert_int_equal(hr_job_plan(job, &watch, &plan, &why), HR_EINVAL); /* without a size */
    assert_null(plan);
    hr_job_free(job);
    hr_table_free(table);
}

/* ---- memory that runs out ---- */

static hr_status all_calls(const sample *s, hr_error *err) {
    hr_plan *plan = NULL;
    hr_release *release = NULL;
    hr_table *joined = NULL, *part = NULL;
    uint64_t keys[2 * ROWS];
    size_t length;
    hr_status status = hr_job_plan(s->job, NULL, &plan, err);
    if (status == HR_OK) {
        const void *bytes = hr_plan_bytes(plan, &length);
        hr_plan *copy;
        status = hr_plan_import(bytes, length, &copy, err);
        hr_plan_free(copy);
    }
    if (status == HR_OK) status = hr_plan_keys(plan, s->table, keys, err);
    if (status == HR_OK) status = hr_plan_run(plan, s->table, NULL, &release, err);
    if (status == HR_OK) status = hr_plan_join(plan, s->parts, 2, NULL, &joined, err);
    hr_table_free(part);
    hr_table_free(joined);
    hr_release_free(release);
    hr_plan_free(plan);
    return status;
}

static void test_no_memory(void **state) {
    (void)state;
    sample s;
    hr_status status = HR_ENOMEM;
    setup(&s);
    MUST(all_calls(&s, &err));
    for (long nth = 1; status != HR_OK; nth++) {
        hr_error err = {0};
        hr_memory_fail_at(nth);
        status = all_calls(&s, &err);
        hr_memory_fail_at(0);
        if (status != HR_OK) assert_int_equal(status, HR_ENOMEM);
        assert_true(nth < 100000);
    }
    teardown(&s);
}

/* ---- tables put together ---- */

static void test_append_table(void **state) {
    (void)state;
    hr_table *a = table_of("x,y\n1,a\n2,b\n"), *b = table_of("x,y\n2,c\n3,a\n");
    hr_table *other = table_of("x,z\n2,c\n"), *wide = table_of("x\n2\n");
    hr_error why = {0};
    MUST(hr_table_append_table(a, b, &err));
    assert_int_equal(hr_table_rows(a), 4);
    assert_string_equal(hr_table_text(a, 2, 0), "2");
    assert_string_equal(hr_table_text(a, 3, 1), "a");
    assert_int_equal(hr_table_code_count(a, 0), 3);
    assert_int_equal(hr_table_append_table(a, other, &why), HR_EINVAL);
    assert_non_null(strstr(why.message, "column 2 is 'y' in one table and 'z' in the other"));
    assert_int_equal(hr_table_append_table(a, wide, &why), HR_EINVAL);
    assert_int_equal(hr_table_append_table(a, a, &why), HR_EINVAL);
    for (long nth = 1;; nth++) {
        hr_memory_fail_at(nth);
        hr_status status = hr_table_append_table(a, b, &why);
        hr_memory_fail_at(0);
        if (status == HR_OK) break;
        assert_int_equal(status, HR_ENOMEM);
        assert_int_equal(hr_table_rows(a), 4);
        assert_string_equal(hr_table_text(a, 3, 1), "a");
    }
    assert_int_equal(hr_table_rows(a), 6);
    assert_string_equal(hr_table_text(a, 5, 0), "3");
    hr_table_free(a);
    hr_table_free(b);
    hr_table_free(other);
    hr_table_free(wide);
}

/* A table of one column `x` of this Arrow type; "-" is null. */
static hr_table *typed(const char *format, const char *affinity, const char *values) {
    static const char *const names[] = {"x"};
    hr_table *table;
    MUST(hr_table_new(1, names, &table, &err));
    hr_column *column = &table->columns[0];
    char copy[64];
    snprintf(copy, sizeof copy, "%s", values);
    for (char *next, *word = copy; word; word = next) {
        uint32_t null;
        next = strchr(word, ' ');
        if (next) *next++ = '\0';
        if (strcmp(word, "-")) {
            MUST(hr_column_append_text(column, word, strlen(word), &err));
        } else {
            MUST(hr_dictionary_null(&column->dictionary, &null, &err));
            MUST(hr_column_append(column, null, &err));
        }
        table->rows++;
    }
    column->affinity = affinity;
    if (format) column->format = hr_copy_text(format, strlen(format), NULL);
    return table;
}

/* Parts of a column may have different types: the whole gets the type of both, if there is one. */
static void test_common_types(void **state) {
    (void)state;
    static const char numeric[] = "NUMERIC";
    static const struct {
        const char *one_type, *one, *other_type, *other, *affinity, *type;
        bool mixed;
    } cases[] = {
        {"l", "1 2", "g", "1.5", NULL, "g", false},
        {"g", "1.5", "l", "1 -", NULL, "g", false},
        {"l", "1", "g", "- -", NULL, "l", false},
        {"g", "-", "l", "7", NULL, "l", false},
        {NULL, "-", "l", "7", NULL, "l", false},
        {"l", "7", NULL, "- -", NULL, "l", false},
        {NULL, "a", NULL, "-", NULL, NULL, false},
        {"i", "7", "l", "8", NULL, "l", false},
        {"C", "7", "S", "8", NULL, "L", false},
        {"C", "7", "s", "-8", NULL, "l", false},
        {"L", "18446744073709551615", "s", "8", NULL, NULL, false},
        {"l", "9007199254740993", "g", "1.5", NULL, NULL, false},
        {"l", "-9007199254740991", "g", "1.5", NULL, "g", false},
        {"g", "inf", "l", "1", NULL, NULL, false},
        {"l", "1", NULL, "a", NULL, NULL, false},
        {"tdD", "2020-01-01", "l", "1", NULL, NULL, false},
        {"l", "1 2", "g", "1.5", numeric, NULL, true},
        {"l", "1", "g", "-", numeric, "l", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static const char *const names[] = {"x"};
        hr_table *all;
        MUST(hr_table_new(1, names, &all, &err));
        hr_table *one = typed(cases[i].one_type, cases[i].affinity, cases[i].one);
        hr_table *other = typed(cases[i].other_type, cases[i].affinity, cases[i].other);
        MUST(hr_table_append_table(all, one, &err));
        MUST(hr_table_append_table(all, other, &err));
        const hr_column *column = &all->columns[0];
        const char *type = column->format ? column->format : "text";
        const char *wanted = cases[i].type ? cases[i].type : "text";
        if (strcmp(type, wanted) || column->mixed != cases[i].mixed)
            fail_msg("%s and %s: %s instead of %s", cases[i].one, cases[i].other, type, wanted);
        if (cases[i].mixed) assert_string_equal(column->affinity, cases[i].affinity);
        hr_table_free(all);
        hr_table_free(one);
        hr_table_free(other);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts_make_the_whole),
        cmocka_unit_test(test_bad_parts),
        cmocka_unit_test(test_bad_rows),
        cmocka_unit_test(test_bad_bytes),
        cmocka_unit_test(test_refused_jobs),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_append_table),
        cmocka_unit_test(test_common_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
