/* test_generate.c - `hedgerow generate`, through the command: the same bytes for a seed, rows that
 * do not depend on how many follow, the promised distributions, hierarchies that are trees and
 * contain every value of the data. Then hr_generate: what it says it wrote, and what it refuses. */
#include "hierarchy/hierarchy.h"
#include "io/io.h"

#include <math.h>
#include <setjmp.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

extern char **environ;

static char base[] = "/tmp/hedgerow-generate-XXXXXX";

static int make_base(void **state) {
    (void)state;
    return mkdtemp(base) ? 0 : -1;
}

/* ---- Helpers ---- */

static int run(char *const *argv) {
    pid_t child;
    int status = -1;
    assert_int_equal(posix_spawn(&child, argv[0], NULL, NULL, argv, environ), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int remove_base(void **state) {
    (void)state;
    char *argv[] = {"/bin/rm", "-rf", base, NULL};
    return run(argv);
}

static void path_of(char *path, const char *folder, const char *name) {
    assert_true(snprintf(path, 256, "%s/%s%s%s", base, folder, *name ? "/" : "", name) < 256);
}

static void generate(const char *kind, const char *rows, const char *seed, const char *folder) {
    char path[256];
    path_of(path, folder, "");
    char *argv[] = {HR_COMMAND,   "generate", (char *)kind, "--rows",  (char *)rows, "--seed",
                    (char *)seed, "-o",       path,         "--quiet", "--replace",  NULL};
    assert_int_equal(run(argv), 0);
}

/* Reads a whole file; the caller frees it. */
static char *slurp(const char *folder, const char *name, size_t *length) {
    char path[256];
    path_of(path, folder, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *length = (size_t)ftell(file);
    rewind(file);
    char *bytes = calloc(*length + 1, 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *length, file), *length);
    fclose(file);
    return bytes;
}

/* True if one file is the beginning of the other, or with `same` if both are equal. */
static bool begins(const char *folder, const char *whole_folder, const char *name, bool same) {
    size_t length, whole_length;
    char *bytes = slurp(folder, name, &length), *whole = slurp(whole_folder, name, &whole_length);
    bool result = length <= whole_length && memcmp(bytes, whole, length) == 0;
    if (same) result = result && length == whole_length;
    free(bytes);
    free(whole);
    return result;
}

static void assert_first_rows(const char *folder, const char *name, const char *expected) {
    size_t length;
    char *bytes = slurp(folder, name, &length);
    if (length > strlen(expected)) bytes[strlen(expected)] = '\0';
    assert_string_equal(bytes, expected);
    free(bytes);
}

static hr_table *read_table(const char *folder, const char *name, bool is_hierarchy) {
    char path[256];
    hr_table *table = NULL;
    hr_error err = {0};
    hr_read_options options = {.delimiter = is_hierarchy ? ';' : ',', .no_header = is_hierarchy};
    path_of(path, folder, name);
    if (hr_csv_read(path, &options, &table, &err) != HR_OK) fail_msg("%s", err.message);
    return table;
}

static double number_at(const hr_table *table, const char *column, size_t row) {
    double value = NAN;
    assert_true(hr_parse_double(hr_column_text(hr_table_find(table, column), row), &value));
    return value;
}

static void assert_near(double value, double expected, double tolerance) {
    if (!(fabs(value - expected) <= tolerance)) fail_msg("%g is not near %g", value, expected);
}

/* Share of rows whose column has that text. */
static double share_of(const hr_table *table, const char *column, const char *text) {
    const hr_column *at = hr_table_find(table, column);
    size_t count = 0;
    for (size_t i = 0; i < table->rows; i++)
        count += strcmp(hr_column_text(at, i), text) == 0;
    return (double)count / (double)table->rows;
}

/* Every value of the column is a leaf; a label has one parent; there is one root. */
static void assert_hierarchy_fits(const hr_table *data, const char *folder, const char *column,
                                  const char *file, size_t levels) {
    hr_error err = {0};
    hr_hierarchy *tree = NULL;
    hr_table *table = read_table(folder, file, true);
    assert_int_equal(table->column_count, levels); /* a ragged file would not have been read */
    for (size_t i = 0; i < table->rows; i++)
        assert_string_equal(hr_table_text(table, i, levels - 1), "*");
    if (hr_hierarchy_build(table, file, &tree, &err) != HR_OK) fail_msg("%s", err.message);
    for (size_t i = 0; i < table->rows; i++)
        for (size_t level = 0; level + 1 < levels; level++) {
            const char *label = hr_table_text(table, i, level);
            const char *above = hr_table_text(table, i, level + 1);
            uint32_t node = hr_hierarchy_find(tree, label);
            if (strcmp(label, above) == 0) continue; /* one node */
            assert_int_equal(tree->parent[node], hr_hierarchy_find(tree, above));
        }
    const hr_dictionary *values = &hr_table_find(data, column)->dictionary;
    for (uint32_t i = 0; i < values->count; i++) {
        uint32_t node = hr_hierarchy_find(tree, hr_dictionary_text(values, i));
        if (node == HR_NONE || !tree->is_leaf[node])
            fail_msg("%s has no leaf in %s", hr_dictionary_text(values, i), file);
    }
    hr_hierarchy_free(tree);
    hr_table_free(table);
}

/* ---- Every kind ---- */

static void test_same_seed_same_bytes(void **state) {
    (void)state;
    static const char *const names[][2] = {{"census", "census.csv"},
                                           {"census", "census.yaml"},
                                           {"census", "hierarchies/birthplace.csv"},
                                           {"patients", "patients.csv"},
                                           {"patients", "patients.yaml"},
                                           {"un", "un.csv"},
                                           {"un", "un-hierarchy.yaml"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        generate(names[i][0], "2000", "7", "once");
        generate(names[i][0], "2000", "7", "again");
        assert_true(begins("once", "again", names[i][1], true));
    }
    generate("census", "2000", "8", "other");
    assert_false(begins("once", "other", "census.csv", false));
    assert_true(begins("once", "other", "hierarchies/birthplace.csv", true));
}

static void test_first_rows_do_not_depend_on_the_number(void **state) {
    (void)state;
    static const char *const kinds[] = {"uu", "un", "nu", "nn", "census", "patients"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s.csv", kinds[i]);
        generate(kinds[i], "100", "3", "short");
        generate(kinds[i], "5000", "3", "long");
        assert_true(begins("short", "long", name, false));
    }
}

static void test_memory_does_not_grow_with_the_rows(void **state) {
    (void)state;
    struct rusage before, after;
    static const char *const kinds[] = {"census", "patients"};
    for (size_t i = 0; i < 2; i++) {
        generate(kinds[i], "1000", "1", "memory");
        getrusage(RUSAGE_CHILDREN, &before); /* the largest child so far */
        generate(kinds[i], "300000", "1", "memory");
        getrusage(RUSAGE_CHILDREN, &after);
        assert_true(after.ru_maxrss - before.ru_maxrss < 8 * 1024); /* the files have 29 MB */
    }
}

static void test_bad_use(void **state) {
    (void)state;
    char path[256], file[] = HR_COMMAND; /* a file where a folder should be */
    path_of(path, "bad", "");
    char *unknown_kind[] = {HR_COMMAND, "generate", "cenus", "-o", path, NULL};
    char *unknown_flag[] = {HR_COMMAND, "generate", "uu", "--row", "5", "-o", path, NULL};
    char *no_folder[] = {HR_COMMAND, "generate", "uu", NULL};
    char *no_rows[] = {HR_COMMAND, "generate", "uu", "--rows", "0", "-o", path, NULL};
    char *not_a_folder[] = {HR_COMMAND, "generate", "uu", "-o", file, NULL};
    char *help[] = {HR_COMMAND, "generate", "--help", NULL};
    assert_int_equal(run(unknown_kind), 1);
    assert_int_equal(run(unknown_flag), 1);
    assert_int_equal(run(no_folder), 1);
    assert_int_equal(run(no_rows), 1);
    assert_int_equal(access(path, F_OK), -1); /* nothing was created */
    assert_int_equal(run(not_a_folder), 3);
    assert_int_equal(run(help), 0);
}

/* ---- The papers' sets ---- */

static void test_papers_first_rows(void **state) {
    (void)state;
    generate("uu", "3", "1", "rows");
    assert_first_rows("rows", "uu.csv",
                      "QI_N,QI_C1,QI_C2,QI_C3,S_C1,S_C2\n"
                      "35,e,c,f,e,e\n62,f,a,a,g,e\n29,e,h,h,g,f\n");
    generate("nn", "3", "1", "rows");
    assert_first_rows("rows", "nn.csv",
                      "QI_N,QI_C1,QI_C2,QI_C3,S_C1,S_C2\n"
                      "31,c,e,e,e,c\n48,e,c,d,f,c\n46,f,g,b,d,g\n");
}

/* Mean 49.5 either way; deviation 28.9 if uniform, 16.3 if normal and cut at three deviations. */
static void check_numbers(const hr_table *table, bool normal) {
    double n = (double)table->rows, mean = 0, squares = 0;
    for (size_t i = 0; i < table->rows; i++)
        mean += number_at(table, "QI_N", i) / n;
    for (size_t i = 0; i < table->rows; i++) {
        double off = number_at(table, "QI_N", i) - mean;
        squares += off * off / n;
    }
    assert_near(mean, 49.5, 1);
    assert_near(sqrt(squares), normal ? 16.3 : 28.9, 0.5);
    assert_int_equal(hr_table_find(table, "QI_N")->dictionary.count <= 100, true);
}

static void check_letters(const hr_table *table, const char *column, bool normal) {
    static const double bell[4] = {0.011, 0.054, 0.160, 0.274}; /* a .. d, then the same back */
    for (int i = 0; i < 8; i++) {
        char letter[2] = {(char)('a' + i), '\0'};
        double expected = normal ? bell[i < 4 ? i : 7 - i] : 0.125;
        assert_near(share_of(table, column, letter), expected, 0.012);
    }
}

static void test_papers_distributions(void **state) {
    (void)state;
    static const char *const kinds[] = {"uu", "un", "nu", "nn"};
    for (size_t i = 0; i < 4; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s.csv", kinds[i]);
        generate(kinds[i], "20000", "5", "papers");
        hr_table *table = read_table("papers", name, false);
        assert_int_equal(table->rows, 20000);
        check_numbers(table, kinds[i][0] == 'n');
        check_letters(table, "QI_C1", kinds[i][0] == 'n');
        check_letters(table, "QI_C3", kinds[i][0] == 'n');
        check_letters(table, "S_C1", kinds[i][1] == 'n');
        check_letters(table, "S_C2", kinds[i][1] == 'n');
        assert_hierarchy_fits(table, "papers", "QI_N", "hierarchies/QI_N.csv", 4);
        assert_hierarchy_fits(table, "papers", "QI_C2", "hierarchies/QI_C.csv", 4);
        hr_table_free(table);
    }
}

/* ---- The census ---- */

static void test_census_first_rows(void **state) {
    (void)state;
    generate("census", "2", "1", "rows");
    assert_first_rows("rows", "census.csv",
                      "id,name,age,sex,marital-status,birthplace,residence,education,diagnosis,"
                      "income\n"
                      "8187726706,Lucy Rosov,88,female,widowed,Borimanne,Borimanne,lower secondary,"
                      "J18 pneumonia,11660\n"
                      "2625420977,Gustav Osfeld,52,male,single,Falkiona,Weskerow,vocational "
                      "training,I10 hypertension,26580\n");
}

static void test_census_hierarchies(void **state) {
    (void)state;
    generate("census", "50000", "2", "census");
    hr_table *table = read_table("census", "census.csv", false);
    assert_hierarchy_fits(table, "census", "age", "hierarchies/age.csv", 6);
    assert_hierarchy_fits(table, "census", "marital-status", "hierarchies/marital-status.csv", 3);
    assert_hierarchy_fits(table, "census", "birthplace", "hierarchies/birthplace.csv", 6);
    assert_hierarchy_fits(table, "census", "residence", "hierarchies/residence.csv", 5);
    assert_hierarchy_fits(table, "census", "education", "hierarchies/education.csv", 3);
    hr_table_free(table);
}

static void test_census_people(void **state) {
    (void)state;
    generate("census", "50000", "2", "census");
    hr_table *table = read_table("census", "census.csv", false);
    const hr_column *birthplace = hr_table_find(table, "birthplace");
    const hr_column *residence = hr_table_find(table, "residence");
    double age = 0, stayed = 0, income = 0, top = 0, adults = 0;
    for (size_t i = 0; i < table->rows; i++) {
        double years = number_at(table, "age", i), money = number_at(table, "income", i);
        age += years / (double)table->rows;
        stayed += strcmp(hr_column_text(birthplace, i), hr_column_text(residence, i)) == 0;
        assert_true(years <= 105 && money <= 80000 && (years >= 16 || money == 0));
        if (years < 20) continue;
        adults++;
        income += money;
        top += money == 80000;
    }
    assert_int_equal(hr_table_find(table, "id")->dictionary.count, table->rows);
    assert_int_equal(hr_table_find(table, "diagnosis")->dictionary.count, 40);
    assert_near(age, 42.1, 0.6);
    assert_near(share_of(table, "sex", "female"), 0.51, 0.01);
    assert_near(share_of(table, "marital-status", "married"), 0.40, 0.02);
    assert_near(stayed / (double)table->rows, 0.57, 0.02);
    assert_near(income / adults, 27400, 700);
    assert_near(top / adults, 0.025, 0.005);
    hr_table_free(table);
}

/* ---- Patients ---- */

static hr_table *make_patients(const char *rows, bool visits, bool german) {
    char path[256];
    path_of(path, "patients", "");
    char *argv[] = {HR_COMMAND,
                    "generate",
                    "patients",
                    "--rows",
                    (char *)rows,
                    "-o",
                    path,
                    "--quiet",
                    "--replace",
                    "--language",
                    german ? "de" : "en",
                    visits ? "--visits" : NULL,
                    NULL};
    assert_int_equal(run(argv), 0);
    return read_table("patients", "patients.csv", false);
}

static void test_patients_first_rows(void **state) {
    (void)state;
    generate("patients", "2", "1", "rows");
    assert_first_rows("rows", "patients.csv",
                      "patient_number,name,birth_date,sex,zip,insurance,admission_date,"
                      "length_of_stay,department,icd10,weight_kg,height_cm,hemoglobin,cost\n"
                      "8187726706,Sarah Torkin,1934-12-19,F,44077,Medicare,2023-04-03,3,Neurology,"
                      "H81.1,56.9,145,12.8,5255\n");
}

/* Shares of missing values, a few frequent and many rare diagnoses, most postal codes near. */
static void test_patients_values(void **state) {
    (void)state;
    hr_table *table = make_patients("50000", false, false);
    double near = 0;
    const hr_column *zip = hr_table_find(table, "zip");
    for (size_t i = 0; i < table->rows; i++)
        near += strncmp(hr_column_text(zip, i), "44", 2) == 0;
    assert_int_equal(hr_table_find(table, "patient_number")->dictionary.count, table->rows);
    assert_near(near / (double)table->rows, 0.844, 0.01); /* 8100 of 9486 areas, 1.2 % missing */
    assert_near(share_of(table, "zip", ""), 0.012, 0.002);
    assert_near(share_of(table, "hemoglobin", ""), 0.29, 0.01);
    assert_near(share_of(table, "sex", "F"), 0.53, 0.02);
    assert_near(share_of(table, "icd10", "Z38.0"), 0.035, 0.01);
    assert_true(share_of(table, "icd10", "Q87.4") < 0.0005);
    assert_true(hr_table_find(table, "icd10")->dictionary.count > 145);
    for (size_t i = 0; i < table->rows; i++) {
        const char *born = hr_column_text(hr_table_find(table, "birth_date"), i);
        const char *in = hr_column_text(hr_table_find(table, "admission_date"), i);
        assert_true(strcmp(born, in) <= 0 && strcmp(in, "2023-01-01") >= 0 &&
                    strcmp(in, "2024-12-31") <= 0 && strcmp(born, "1917") > 0);
    }
    hr_table_free(table);
}

/* The rows of a patient are adjacent, agree in everything about the person, and follow each other
 * in time. */
static void test_patients_visits(void **state) {
    (void)state;
    hr_table *table = make_patients("20000", true, false);
    const hr_column *number = hr_table_find(table, "patient_number");
    const hr_column *in = hr_table_find(table, "admission_date");
    size_t patients = number->dictionary.count, changes = 1;
    for (size_t i = 1; i < table->rows; i++) {
        bool same = strcmp(hr_column_text(number, i), hr_column_text(number, i - 1)) == 0;
        changes += !same;
        if (!same) continue;
        assert_true(strcmp(hr_column_text(in, i), hr_column_text(in, i - 1)) > 0);
        for (size_t c = 2; c < 4; c++)
            assert_string_equal(hr_table_text(table, i, c), hr_table_text(table, i - 1, c));
    }
    assert_int_equal(changes, patients);
    assert_near((double)table->rows / (double)patients, 1.55, 0.1);
    assert_int_equal(hr_table_find(table, "visit_number")->dictionary.count, table->rows);
    hr_table_free(table);
}

static void test_patients_german(void **state) {
    (void)state;
    hr_table *table = make_patients("3000", true, true);
    assert_string_equal(hr_table_name(table, 0), "Fallnummer");
    assert_non_null(hr_table_find(table, "Größe_cm"));
    for (size_t i = 0; i < table->rows; i++) {
        const char *born = hr_column_text(hr_table_find(table, "Geburtsdatum"), i);
        assert_true(strlen(born) == 10 && born[2] == '.' && born[5] == '.');
    }
    assert_near(share_of(table, "Geschlecht", "w"), 0.53, 0.05);
    hr_table_free(table);
}

/* ---- Existing files ---- */

static void test_existing_files_stay(void **state) {
    (void)state;
    char path[256];
    size_t length;
    path_of(path, "stay", "");
    char *once[] = {HR_COMMAND, "generate", "census", "--rows", "9", "-o", path, "--quiet", NULL};
    char *other[] = {HR_COMMAND, "generate", "uu", "--rows", "9", "-o", path, "--quiet", NULL};
    char *same[] = {HR_COMMAND, "generate", "un", "--rows", "9", "-o", path, "--quiet", NULL};
    assert_int_equal(run(once), 0);
    assert_int_equal(run(once), 1);
    assert_int_equal(run(other), 0); /* other names in the same folder */
    assert_int_equal(run(same), 0);  /* the hierarchy files of uu, which are equal */
    char job[256];
    path_of(job, "stay", "nn.yaml");
    FILE *file = fopen(job, "w");
    assert_non_null(file);
    fputs("mine", file);
    fclose(file);
    other[2] = "nn";
    assert_int_equal(run(other), 1);
    char *text = slurp("stay", "nn.yaml", &length);
    assert_string_equal(text, "mine");
    free(text);
    path_of(job, "stay", "nn.csv");
    assert_int_equal(access(job, F_OK), -1); /* nothing was written */
    other[7] = "--replace";
    assert_int_equal(run(other), 0);
}

/* ---- The public interface ---- */

static void test_generators(void **state) {
    (void)state;
    const hr_generator *found;
    hr_error err = {0};
    size_t count = 0;
    for (const hr_generator *g; (g = hr_generator_at(count)); count++) {
        assert_int_equal(hr_generator_find(hr_generator_name(g), &found, NULL), HR_OK);
        assert_ptr_equal(found, g);
    }
    assert_int_equal(count, 6);
    assert_null(hr_generator_at(SIZE_MAX));
    assert_int_equal(hr_generator_find("censsus", &found, &err), HR_EINVAL);
    assert_null(found);
    assert_non_null(strstr(err.message, "did you mean 'census'?"));
}

static void test_files_are_named(void **state) {
    (void)state;
    char folder[256], slash[260], path[288];
    const hr_generator *generator;
    hr_generated *made;
    path_of(folder, "named", "");
    snprintf(slash, sizeof slash, "%s/", folder);
    hr_generate_request request = {.size = sizeof request, .folder = slash, .rows = 7, .seed = 1};
    assert_int_equal(hr_generator_find("un", &generator, NULL), HR_OK);
    assert_int_equal(hr_generate(generator, &request, NULL, &made, NULL), HR_OK);
    snprintf(path, sizeof path, "%s/un.csv", folder);
    assert_string_equal(hr_generated_table(made), path);
    snprintf(path, sizeof path, "%s/hierarchies", folder);
    assert_string_equal(hr_generated_hierarchies(made), path);
    snprintf(path, sizeof path, "%s/un-hierarchy.yaml", folder);
    assert_string_equal(hr_generated_job(made, 1), path);
    assert_null(hr_generated_job(made, 2));
    hr_job *job;
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(hr_job_read(hr_generated_job(made, i), &job, NULL), HR_OK);
        hr_job_free(job);
    }
    hr_generated_free(made);
    assert_int_equal(hr_generator_find("census", &generator, NULL), HR_OK);
    assert_int_equal(hr_generate(generator, &request, NULL, &made, NULL), HR_OK);
    assert_null(hr_generated_job(made, 1));
    hr_generated_free(made);
    hr_generated_free(NULL);
}

static bool says_stop(void *payload) {
    (void)payload;
    return true;
}

static void test_requests_refused(void **state) {
    (void)state;
    char folder[256];
    const hr_generator *generator = hr_generator_at(0);
    hr_generated *made;
    hr_error err = {0};
    hr_watch unset = {0}, watch = {.size = sizeof watch, .cancelled = says_stop};
    path_of(folder, "refused", "");
    hr_generate_request good = {.size = sizeof good, .folder = folder, .rows = 5}, bad = good;
    hr_generate_request english = good;
    english.language = "en";
    assert_int_equal(hr_generate(generator, &english, NULL, &made, &err), HR_EINVAL);
    assert_non_null(strstr(err.message, "--language"));
    english.language = "fr";
    assert_int_equal(hr_generate(hr_generator_at(5), &english, NULL, &made, &err), HR_EINVAL);
    assert_non_null(strstr(err.message, "de or en"));
    bad.size = 0;
    assert_int_equal(hr_generate(generator, &bad, NULL, &made, &err), HR_EINVAL);
    assert_null(made);
    assert_non_null(strstr(err.message, "size"));
    bad = good;
    bad.rows = 0;
    assert_int_equal(hr_generate(generator, &bad, NULL, &made, &err), HR_EINVAL);
    bad.rows = HR_NONE;
    assert_int_equal(hr_generate(generator, &bad, NULL, &made, &err), HR_EINVAL);
    bad = good;
    bad.folder = "";
    assert_int_equal(hr_generate(generator, &bad, NULL, &made, &err), HR_EINVAL);
    bad.folder = NULL;
    assert_int_equal(hr_generate(generator, &bad, NULL, &made, &err), HR_EINVAL);
    assert_int_equal(hr_generate(generator, &good, &unset, &made, &err), HR_EINVAL);
    bad.folder = "/dev/null/x";
    assert_int_equal(hr_generate(generator, &bad, NULL, &made, &err), HR_EIO);
    assert_int_equal(hr_generate(generator, &good, &watch, &made, &err), HR_ECANCEL);
    assert_null(made);
}

static void check_without_memory(size_t kind) {
    char folder[256];
    hr_generated *made;
    hr_status status = HR_ENOMEM;
    path_of(folder, "memory", "");
    hr_generate_request request = {
        .size = sizeof request, .folder = folder, .rows = 5, .replace = true};
    for (long nth = 1; status != HR_OK; nth++) {
        hr_memory_fail_at(nth);
        status = hr_generate(hr_generator_at(kind), &request, NULL, &made, NULL);
        hr_memory_fail_at(0);
        assert_true(status == HR_OK || status == HR_ENOMEM);
        assert_int_equal(status == HR_OK, made != NULL);
        hr_generated_free(made);
    }
}

static void test_without_memory(void **state) {
    (void)state;
    check_without_memory(4);
    check_without_memory(5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_does_not_grow_with_the_rows), /* first: measures children */
        cmocka_unit_test(test_same_seed_same_bytes),
        cmocka_unit_test(test_first_rows_do_not_depend_on_the_number),
        cmocka_unit_test(test_bad_use),
        cmocka_unit_test(test_papers_first_rows),
        cmocka_unit_test(test_papers_distributions),
        cmocka_unit_test(test_census_first_rows),
        cmocka_unit_test(test_census_hierarchies),
        cmocka_unit_test(test_census_people),
        cmocka_unit_test(test_patients_first_rows),
        cmocka_unit_test(test_patients_values),
        cmocka_unit_test(test_patients_visits),
        cmocka_unit_test(test_patients_german),
        cmocka_unit_test(test_existing_files_stay),
        cmocka_unit_test(test_generators),
        cmocka_unit_test(test_files_are_named),
        cmocka_unit_test(test_requests_refused),
        cmocka_unit_test(test_without_memory),
    };
    return cmocka_run_group_tests(tests, make_base, remove_base);
}
