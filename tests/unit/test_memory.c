/* Whichever allocation of a public call fails, the status is HR_ENOMEM, nothing is stored through
 * `out`, no file is left behind, and nothing leaks (the sanitized build sees to that). Allocations
 * fail only in builds with HR_FAULT. Plans, Arrow and columns have such tests in their own
 * files. */
#include "unit.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/hedgerow-memory-XXXXXX";

static const char *in_folder(const char *name) {
    static char path[4][sizeof folder + 32];
    static unsigned next;
    char *own = path[next++ % 4];
    snprintf(own, sizeof path[0], "%s/%s", folder, name);
    return own;
}

static void write_file(const char *name, const char *text) {
    FILE *file = fopen(in_folder(name), "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static const char rows[] = "town,age,illness,note\nGraz,30,flu,1\nGraz,31,gout,2\nLinz,40,flu,3\n"
                           "Linz,44,gout,4\nLinz,45,flu,5\nBern,50,cold,6\nBern,51,flu,7\n";
static const char tree_rows[] = "Graz;Austria;*\nLinz;Austria;*\nBern;Swiss;*\n";
static const char job_rows[] =
    "input: rows.csv\noutput: out.csv\nreport: report.json\n"
    "study: [[age, illness], [town, note]]\nkeys: [[town, note], [age]]\ntrace: trace.csv\n"
    "certificate: proof.csv\nmodel: {k: 2, p: 2}\nattributes:\n"
    "  town: {role: quasi, hierarchy: town.csv, boundary: [Austria]}\n"
    "  age: {role: quasi, type: numeric}\n  illness: {role: sensitive}\n  note: {role: keep}\n";

static unsigned files(void) {
    unsigned count = 0;
    DIR *open = opendir(folder);
    assert_non_null(open);
    while (readdir(open))
        count++;
    closedir(open);
    return count;
}

/* Calls `call` until no allocation fails. What a call writes only appears when it succeeds. */
static void each_allocation(hr_status (*call)(hr_error *err)) {
    unsigned before = files();
    for (long nth = 1;; nth++) {
        hr_error err = {0};
        hr_memory_fail_at(nth);
        hr_status status = call(&err);
        hr_memory_fail_at(0);
        if (status == HR_OK) break;
        assert_int_equal(status, HR_ENOMEM);
        assert_int_equal(err.code, HR_ENOMEM);
        assert_true(err.message[0]);
        assert_int_equal(files(), before);
        assert_true(nth < 100000);
    }
}

/* ---- tables ---- */

static hr_status make_table(hr_error *err) {
    static const char *const names[] = {"a", "b"}, *const fields[] = {"x", NULL};
    hr_table *made;
    hr_status status = hr_table_new(2, names, &made, err);
    if (status == HR_OK) status = hr_table_append(made, fields, err);
    if (status != HR_OK && made) assert_int_equal(hr_table_rows(made), 0);
    hr_table_free(made);
    return status;
}

static hr_status read_and_write(hr_error *err) {
    hr_table *read;
    hr_status status = hr_table_read(in_folder("rows.csv"), &read, err);
    if (status != HR_OK) assert_null(read);
    if (status == HR_OK) status = hr_table_write(read, in_folder("copy.csv"), err);
    hr_table_free(read);
    return status;
}

static void test_tables(void **state) {
    (void)state;
    each_allocation(make_table);
    each_allocation(read_and_write);
    unlink(in_folder("copy.csv"));
}

/* ---- hierarchies ---- */

static hr_table *table;

static hr_status make_trees(hr_error *err) {
    static const char *const labels[] = {"a", "*", "b", "*"};
    hr_hierarchy *trees[4] = {0};
    hr_status status = hr_hierarchy_from_labels("labels", labels, 2, 2, &trees[0], err);
    if (status == HR_OK) status = hr_hierarchy_from_table("table", table, &trees[1], err);
    if (status == HR_OK) status = hr_hierarchy_of_values(table, 0, &trees[2], err);
    if (status == HR_OK) status = hr_hierarchy_read(in_folder("town.csv"), &trees[3], err);
    if (status == HR_OK) {
        assert_int_equal(hr_hierarchy_leaf_count(trees[1]), 2);
        assert_int_equal(hr_hierarchy_leaf_count(trees[2]), 2);
        assert_int_equal(hr_hierarchy_leaf_count(trees[3]), 3);
    }
    for (int i = 0; i < 4; i++)
        hr_hierarchy_free(trees[i]);
    return status;
}

/* Every builder, composed where it can be. */
static hr_status build_trees(hr_error *err) {
    static const struct {
        const char *spec;
        size_t column;
    } builds[] = {{"[{prefix: [3, 2]}, {frequency: [2, 1]}]", 0},
                  {"[{frequency: 2}, {frequency: 1}]", 0},
                  {"{intervals: [5, 10], top: 50}", 1},
                  {"cuts: [[30, 45], [45]]", 1},
                  {"quantiles: [4, 2]", 1},
                  {"{date: [year, decade], format: '%y'}", 1},
                  {"parents: parents.csv", 0},
                  {"ranges: ranges.csv", 0}};
    hr_status status = HR_OK;
    for (size_t i = 0; i < sizeof builds / sizeof *builds && status == HR_OK; i++) {
        hr_hierarchy *made;
        hr_hierarchy_make_request request = {.size = sizeof request,
                                             .spec = builds[i].spec,
                                             .folder = folder,
                                             .table = table,
                                             .column = builds[i].column,
                                             .group_missing = true};
        status = hr_hierarchy_make(&request, &made, err);
        if (status != HR_OK) assert_null(made);
        if (status == HR_OK) status = hr_hierarchy_write(made, in_folder("copy.csv"), err);
        if (status == HR_OK) unlink(in_folder("copy.csv"));
        hr_hierarchy_free(made);
    }
    return status;
}

static void test_builders(void **state) {
    (void)state;
    table = table_of("town,age\nGraz,30\nLinz,41\n,50\nBern,30\nGraz,\n");
    each_allocation(build_trees);
    hr_table_free(table);
}

static void test_trees(void **state) {
    (void)state;
    table = table_of("leaf,root\na,*\nb,*\n");
    each_allocation(make_trees);
    hr_table_free(table);
}

/* ---- jobs ---- */

static hr_status build_job(hr_error *err) {
    static const char *const settings[][2] = {{"quasi", "town,age"},
                                              {"numeric", "age"},
                                              {"sensitive", "illness:2"},
                                              {"k", "2"},
                                              {"p", "2"},
                                              {"missing", "?"},
                                              {"boundary", "town=level:1"},
                                              {"keep", "note"},
                                              {"report", "a.json"}};
    static const char *const nodes[] = {"Austria"};
    hr_job *job = NULL;
    hr_hierarchy *tree = NULL;
    hr_status status = hr_job_new(&job, err);
    for (size_t i = 0; i < sizeof settings / sizeof *settings && status == HR_OK; i++)
        status = hr_job_set(job, settings[i][0], settings[i][1], err);
    if (status == HR_OK) status = hr_hierarchy_read(in_folder("town.csv"), &tree, err);
    if (status == HR_OK) status = hr_job_set_hierarchy(job, "town", tree, err);
    if (status == HR_OK) status = hr_job_set_boundary(job, "town", nodes, 1, err);
    hr_hierarchy_free(tree);
    hr_job_free(job);
    return status;
}

static hr_status read_job(hr_error *err) {
    hr_job *job;
    hr_status status = hr_job_read(in_folder("job.yaml"), &job, err);
    if (status == HR_OK) {
        status = hr_job_complete(job, err);
        hr_job_free(job);
    }
    return status;
}

static void test_jobs(void **state) {
    (void)state;
    each_allocation(build_job);
    each_allocation(read_job);
}

/* ---- what a job does ---- */

static hr_job *job;

static hr_status run(hr_error *err) {
    hr_release *release;
    hr_status status = hr_job_run(job, NULL, &release, err);
    if (status != HR_OK) assert_null(release);
    hr_release_free(release);
    return status;
}

static hr_release *made;

/* The pages of a release, which write no files. */
static hr_status pages(hr_error *err) {
    hr_status (*const calls[])(const hr_release *, char **, hr_error *) = {
        hr_release_report_html, hr_release_public_report_html, hr_release_part_html};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        char *page;
        hr_status status = calls[i](made, &page, err);
        if (status != HR_OK) assert_null(page);
        if (status != HR_OK) return status;
        assert_non_null(strstr(page, "<svg"));
        hr_free(page);
    }
    return HR_OK;
}

static void test_pages(void **state) {
    (void)state;
    MUST(hr_job_read(in_folder("job.yaml"), &job, &err));
    MUST(hr_job_run(job, NULL, &made, &err));
    each_allocation(pages);
    hr_release_free(made);
    hr_job_free(job);
}

static hr_status check(hr_error *err) {
    hr_check *result;
    hr_check_request request = {.size = sizeof request,
                                .masked = in_folder("out.csv"),
                                .original = in_folder("rows.csv"),
                                .trace = in_folder("trace.csv"),
                                .certificate = in_folder("proof.csv")};
    hr_status status = hr_job_check(job, &request, NULL, &result, err);
    if (status == HR_OK)
        assert_true(hr_check_result(result)->holds);
    else
        assert_null(result);
    hr_check_free(result);
    return status;
}

static hr_status price(hr_error *err) {
    static const int64_t ks[] = {2, 3}, ps[] = {1, 2};
    hr_prices *prices;
    hr_status status = hr_job_boundaries(job, ks, 2, ps, 2, NULL, &prices, err);
    if (status != HR_OK) assert_null(prices);
    hr_prices_free(prices);
    return status;
}

/* Counts the table, and moves a boundary to a node and back. */
static hr_status grab(hr_error *err) {
    static const int64_t ks[] = {2, 3}, ps[] = {1, 2};
    hr_rollup *rollup;
    hr_grab *held = NULL;
    const hr_grabbed *moved;
    hr_status status = hr_job_rollup(job, NULL, &rollup, err);
    if (status == HR_OK)
        status = hr_rollup_grab(rollup, job, "town", ks, 2, ps, 2, NULL, &held, err);
    if (status == HR_OK) {
        uint32_t root = hr_hierarchy_root(hr_rollup_at(rollup, 0)->tree);
        status = hr_grab_move(held, &root, 1, &moved, err);
    }
    uint32_t *nodes = NULL;
    size_t count = 0;
    if (status == HR_OK) status = hr_rollup_nodes(rollup, job, 0, false, &nodes, &count, err);
    if (status == HR_OK) status = hr_grab_move(held, nodes, count, &moved, err);
    hr_free(nodes);
    hr_grab_free(held);
    hr_rollup_free(rollup);
    return status;
}

static hr_status check_alone(hr_error *err) {
    hr_check *result;
    hr_check_request request = {.size = sizeof request, .masked = in_folder("out.csv")};
    hr_status status = hr_job_check(job, &request, NULL, &result, err);
    if (status == HR_OK) assert_true(hr_check_result(result)->holds);
    hr_check_free(result);
    return status;
}

/* The same job with a hierarchy that is built and with `finest`. */
static void test_built_runs(void **state) {
    (void)state;
    MUST(hr_job_read(in_folder("job.yaml"), &job, &err));
    MUST(hr_job_set(job, "threads", "1", &err));
    MUST(hr_job_set(job, "algorithm", "greedy-pk", &err));
    MUST(hr_job_set(job, "hierarchy", "town=[{prefix: 3}, {frequency: 2}]", &err));
    MUST(hr_job_set(job, "boundary", "town=level:frequency 2", &err));
    MUST(hr_job_set(job, "finest", "town=level:prefix 3", &err));
    MUST(hr_job_set(job, "on-missing", "town=group", &err));
    each_allocation(run);
    each_allocation(check);
    each_allocation(check_alone);
    each_allocation(price);
    each_allocation(grab);
    hr_job_free(job);
}

/* The same job with numbers that are cut: by width, into cells, and at given points. */
static void test_cut_runs(void **state) {
    (void)state;
    static const char *const cuts[] = {"age=width:10", "age=cells:2", "age=cuts:40,50"};
    MUST(hr_job_read(in_folder("job.yaml"), &job, &err));
    MUST(hr_job_set(job, "threads", "1", &err));
    MUST(hr_job_set(job, "algorithm", "greedy-pk", &err));
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        MUST(hr_job_set(job, "boundary", cuts[i], &err));
        each_allocation(run);
        each_allocation(check);
        each_allocation(check_alone);
        each_allocation(price);
    }
    hr_job_free(job);
}

static void test_runs(void **state) {
    (void)state;
    static const char *const algorithms[] = {"hedge", "greedy-pk", "enhanced-pk"};
    MUST(hr_job_read(in_folder("job.yaml"), &job, &err));
    MUST(hr_job_set(job, "threads", "1", &err));
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
        MUST(hr_job_set(job, "algorithm", algorithms[i], &err));
        each_allocation(run);
        each_allocation(check);
    }
    each_allocation(price);
    hr_job_free(job);
}

static int setup(void **state) {
    (void)state;
    if (!mkdtemp(folder)) return 1;
    write_file("rows.csv", rows);
    write_file("town.csv", tree_rows);
    write_file("job.yaml", job_rows);
    write_file("parents.csv", "Graz,Austria\nLinz,Austria\nBern,Swiss\nSwiss,Alps\n");
    write_file("ranges.csv", "B-G;west\nL;east\n");
    return 0;
}

static int teardown(void **state) {
    (void)state;
    static const char *const names[] = {"rows.csv",  "town.csv",    "job.yaml",
                                        "out.csv",   "trace.csv",   "report.json",
                                        "proof.csv", "parents.csv", "ranges.csv"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(in_folder(names[i]));
    return rmdir(folder); /* fails if anything was left behind */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),   cmocka_unit_test(test_builders),
        cmocka_unit_test(test_trees),    cmocka_unit_test(test_jobs),
        cmocka_unit_test(test_runs),     cmocka_unit_test(test_built_runs),
        cmocka_unit_test(test_cut_runs), cmocka_unit_test(test_pages),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
