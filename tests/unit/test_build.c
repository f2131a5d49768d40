/* Builders: the levels of each by its definition, computed here in the plainest way on random
 * values; what is refused, and why; trees that are written and read back. */
#include "unit.h"

#include "hierarchy/build/date.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static char folder[] = "/tmp/hedgerow-build-XXXXXX";

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

/* A table of one column. */
static hr_table *column_of(const char *const *texts, size_t count) {
    hr_table *table;
    hr_column_data column = {
        .size = sizeof column, .name = "c", .texts = texts, .text_count = count};
    MUST(hr_table_from_columns(&column, 1, &table, &err));
    return table;
}

static hr_status make(const char *spec, const hr_table *table, hr_hierarchy **out, hr_error *err) {
    hr_hierarchy_make_request request = {
        .size = sizeof request, .spec = spec, .folder = folder, .table = table};
    return hr_hierarchy_make(&request, out, err);
}

static hr_hierarchy *must_make(const char *spec, const hr_table *table) {
    hr_hierarchy *tree = NULL;
    MUST(make(spec, table, &tree, &err));
    return tree;
}

/* The label of a value at a level. */
static const char *label_at(const hr_hierarchy *tree, const char *value, uint32_t level) {
    for (uint32_t leaf = 0; leaf < hr_hierarchy_leaf_count(tree); leaf++)
        if (!strcmp(hr_hierarchy_label(tree, hr_hierarchy_node_at(tree, leaf, 0)), value))
            return hr_hierarchy_label(tree, hr_hierarchy_node_at(tree, leaf, level));
    fail_msg("'%s' has no leaf", value);
    return NULL;
}

static void expect_path(const char *spec, const char *value, const char *wanted) {
    const char *const texts[] = {value};
    hr_table *table = column_of(texts, 1);
    hr_hierarchy *tree = must_make(spec, table);
    hr_text path = {0};
    for (uint32_t level = 0; level < hr_hierarchy_level_count(tree); level++)
        hr_text_printf(&path, "%s%s", level ? " > " : "", label_at(tree, value, level));
    assert_string_equal(path.data, wanted);
    hr_text_free(&path);
    hr_hierarchy_free(tree);
    hr_table_free(table);
}

/* ---- examples ---- */

static void test_paths(void **state) {
    (void)state;
    expect_path("prefix: [3, 2]", "12345", "12345 > 123* > 12* > *");
    expect_path("prefix: [3, 2]", "123", "123 > 123 > 12* > *");
    expect_path("prefix: 2", "1", "1 > 1 > *");
    expect_path("prefix: [2, 1]", "Zürich", "Zürich > Zü* > Z* > *");
    expect_path("prefix: [1]", "日本", "日本 > 日* > *");
    expect_path("{intervals: [5, 10, 20], from: 0, top: 90}", "31",
                "31 > 30..34 > 30..39 > 20..39 > *");
    expect_path("{intervals: [5, 10], top: 90}", "104", "104 > 90+ > 90+ > *");
    expect_path("{intervals: [5, 10], top: 92}", "91", "91 > 90..91 > 90..91 > *");
    expect_path("{intervals: [5, 10], bottom: 18}", "3", "3 > <18 > <18 > *");
    expect_path("{intervals: [5], bottom: 18}", "19", "19 > 18..19 > *");
    expect_path("intervals: [5]", "-1", "-1 > -5..-1 > *");
    expect_path("intervals: [1]", "07", "07 > 7 > *");
    expect_path("intervals: [5, 10]", "12.5", "12.5 > [10, 15[ > [10, 20[ > *");
    expect_path("intervals: [0.1, 0.3]", "0.3", "0.3 > [0.3, 0.4[ > [0.3, 0.6[ > *");
    expect_path("intervals: [0.5]", "-0.25", "-0.25 > [-0.5, 0[ > *");
    expect_path("{intervals: [1000], top: 5e3}", "1e300", "1e300 > 5000+ > *");
    expect_path("{intervals: [10], from: 3}", "2", "2 > -7..2 > *");
    expect_path("intervals: [1]", "1000000000000000000",
                "1000000000000000000 > 1000000000000000000 > *");
    expect_path("{intervals: [1], bottom: 0}", "-1e18", "-1e18 > <0 > *");
    expect_path("intervals: [1000000]", "999999999999999999",
                "999999999999999999 > 999999999999000000..999999999999999999 > *");
    expect_path("cuts: [[0, 18, 30, 65], [0, 65]]", "29", "29 > 18..29 > 0..64 > *");
    expect_path("cuts: [18, 65]", "65", "65 > 65+ > *");
    expect_path("cuts: 18", "17.5", "17.5 > <18 > *");
    expect_path("date: [month, quarter, year, 5 years, decade]", "1999-12-31",
                "1999-12-31 > 1999-12 > 1999-Q4 > 1999 > 1995-1999 > 1990s > *");
    expect_path("date: [day, week]", "2021-01-03T23:59:59.5+01:00",
                "2021-01-03T23:59:59.5+01:00 > 2021-01-03 > 2020-W53 > *");
    expect_path("date: weekday", "2000-02-29 12:30Z", "2000-02-29 12:30Z > Tuesday > *");
    expect_path("{date: [month, year], format: '%d.%m.%Y'}", "1.2.1850",
                "1.2.1850 > 1850-02 > 1850 > *");
    expect_path("{date: [year], format: '%d %b %y'}", "05 mar 68", "05 mar 68 > 2068 > *");
    expect_path("{date: [year], format: '%d.%m.%y', latest: 2025}", "05.03.26",
                "05.03.26 > 1926 > *");
    expect_path("{date: [year], format: '%d.%m.%y', latest: 2025}", "05.03.25",
                "05.03.25 > 2025 > *");
    expect_path("{date: [year], format: '%y', latest: 1999}", "00", "00 > 1900 > *");
    expect_path("{date: [month], format: '%d. %B %Y'}", "3. MÄRZ 1999",
                "3. MÄRZ 1999 > 1999-03 > *");
    expect_path("{date: [month], format: '%d %b %Y'}", "14 févr. 1999",
                "14 févr. 1999 > 1999-02 > *");
    expect_path("{date: [month], format: '%d-%b.-%Y'}", "14-août.-1999",
                "14-août.-1999 > 1999-08 > *");
    expect_path("{date: [month], format: '%d de %B de %Y'}", "1 de septiembre de 2020",
                "1 de septiembre de 2020 > 2020-09 > *");
    expect_path("{date: [month], format: '%b-%y'}", "gen-21", "gen-21 > 2021-01 > *");
    expect_path("{date: [month], format: '%m/%d/%Y %I:%M %p'}", "12/31/2021 11:30 p.m.",
                "12/31/2021 11:30 p.m. > 2021-12 > *");
    expect_path("{date: [year, 100 years], format: '%Y'}", "1899", "1899 > 1899 > 1800-1899 > *");
    expect_path("frequency: 1", "x;y\nz", "x;y\nz > x;y\nz > *");
    expect_path("quantiles: [4, 2]", ".5", ".5 > .5 > .5 > *");
}

static void test_files(void **state) {
    (void)state;
    write_file("regions.csv",
               "child,parent\n8010,Graz\nGraz,Styria\n4020,Linz\nLinz,Upper Austria\n"
               "Styria,Austria\nUpper Austria,Austria\n123*,Graz\n1010,Vienna\n");
    write_file("icd.csv", "A00-B99;Infections\nE10-E14;Metabolism\nE15-E16;Metabolism\nF00;Mind\n");
    expect_path("parents: regions.csv", "8010", "8010 > Graz > Styria > Austria > *");
    expect_path("[{prefix: [3]}, {parents: regions.csv}]", "12345",
                "12345 > 123* > Graz > Styria > Austria > *");
    expect_path("ranges: icd.csv", "E11.9", "E11.9 > E11 > E10-E14 > Metabolism > *");
    expect_path("ranges: icd.csv", "F00", "F00 > F00 > F00 > Mind > *");
    static const char *const towns[] = {"8010", "4020", "1010"};
    hr_table *table = column_of(towns, 3);
    hr_hierarchy *tree = must_make("parents: regions.csv", table);
    assert_string_equal(label_at(tree, "1010", 1), "Vienna"); /* a shorter chain */
    assert_string_equal(label_at(tree, "1010", 3), "Vienna");
    assert_string_equal(hr_hierarchy_level_name(tree, 2), "parents 2");
    assert_string_equal(hr_hierarchy_level_name(tree, 4), "root");
    assert_null(hr_hierarchy_level_name(tree, 5));
    hr_hierarchy_free(tree);
    hr_table_free(table);
}

/* ---- random values ---- */

enum { VALUES = 60 };

typedef struct {
    char text[VALUES][24];
    const char *pointer[VALUES];
    long hundredths[VALUES]; /* of numbers */
} values;

/* Numbers with repetitions, some of them written with superfluous zeros. */
static hr_table *draw_numbers(hr_random *random, bool whole, values *v) {
    int range = 1 + (int)below(random, 300);
    for (int i = 0; i < VALUES; i++) {
        long n = (long)below(random, (unsigned)(2 * range + 1)) - range;
        v->hundredths[i] = whole ? n * 100 : n;
        long size = labs(v->hundredths[i]);
        const char *sign = v->hundredths[i] < 0 ? "-" : "";
        if (whole)
            snprintf(v->text[i], sizeof v->text[i], below(random, 5) ? "%s%ld" : "%s0%ld", sign,
                     size / 100);
        else
            snprintf(v->text[i], sizeof v->text[i], "%s%ld.%02ld", sign, size / 100, size % 100);
        v->pointer[i] = v->text[i];
    }
    return column_of(v->pointer, VALUES);
}

static long round_down(long number, long unit) {
    long rest = number % unit;
    return number - (rest < 0 ? rest + unit : rest);
}

/* Writes hundredths with as few digits as possible. */
static void put_number(hr_text *out, long n) {
    hr_text_printf(out, "%s%ld", n < 0 ? "-" : "", labs(n) / 100);
    if (n % 10)
        hr_text_printf(out, ".%02ld", labs(n) % 100);
    else if (n % 100)
        hr_text_printf(out, ".%ld", labs(n) % 100 / 10);
}

static void put_interval(hr_text *out, bool whole, long lo, long hi) {
    if (!whole) hr_text_puts(out, "[");
    put_number(out, lo);
    if (whole && hi - lo == 100) return;
    hr_text_puts(out, whole ? ".." : ", ");
    put_number(out, whole ? hi - 100 : hi);
    if (!whole) hr_text_puts(out, "[");
}

static void test_random_intervals(void **state) {
    (void)state;
    hr_random random;
    values v;
    for (unsigned seed = 1; seed <= 200; seed++) {
        hr_random_seed(&random, seed, 0);
        bool whole = below(&random, 2);
        hr_table *table = draw_numbers(&random, whole, &v);
        long widths[2] = {1 + (long)below(&random, 20), 0}, from = (long)below(&random, 21) - 10;
        long bottom = (long)below(&random, 50) - 100, top = bottom + 1 + (long)below(&random, 200);
        widths[1] = widths[0] * (2 + (long)below(&random, 4));
        char spec[128];
        snprintf(spec, sizeof spec, "{intervals: [%ld, %ld], from: %ld, bottom: %ld, top: %ld}",
                 widths[0], widths[1], from, bottom, top);
        hr_hierarchy *tree = must_make(spec, table);
        bool exact = true; /* are all numbers of this table whole? */
        for (int i = 0; i < VALUES; i++)
            exact = exact && v.hundredths[i] % 100 == 0;
        for (int i = 0; i < VALUES; i++)
            for (uint32_t level = 1; level <= 2; level++) {
                hr_text wanted = {0};
                long n = v.hundredths[i], unit = widths[level - 1] * 100;
                long lo = round_down(n - from * 100, unit) + from * 100, hi = lo + unit;
                if (lo < bottom * 100) lo = bottom * 100;
                if (hi > top * 100) hi = top * 100;
                if (n < bottom * 100)
                    hr_text_printf(&wanted, "<%ld", bottom);
                else if (n >= top * 100)
                    hr_text_printf(&wanted, "%ld+", top);
                else
                    put_interval(&wanted, exact, lo, hi);
                assert_string_equal(label_at(tree, v.text[i], level), wanted.data);
                hr_text_free(&wanted);
            }
        hr_hierarchy_free(tree);
        hr_table_free(table);
    }
}

/* The part of a value is that of its middle row among all rows in ascending order. */
static long part_of(const values *v, int i, long parts) {
    long before = 0, equal = 0;
    for (int other = 0; other < VALUES; other++) {
        before += v->hundredths[other] < v->hundredths[i];
        equal += v->hundredths[other] == v->hundredths[i];
    }
    return (2 * before + equal) * parts / (2 * VALUES);
}

static void test_random_quantiles(void **state) {
    (void)state;
    hr_random random;
    values v;
    for (unsigned seed = 1; seed <= 100; seed++) {
        hr_random_seed(&random, seed, 1);
        hr_table *table = draw_numbers(&random, below(&random, 2), &v);
        long parts[2] = {0, 1 + (long)below(&random, 5)};
        parts[0] = parts[1] * (2 + (long)below(&random, 3));
        char spec[64];
        snprintf(spec, sizeof spec, "quantiles: [%ld, %ld]", parts[0], parts[1]);
        hr_hierarchy *tree = must_make(spec, table);
        for (uint32_t level = 1; level <= 2; level++)
            for (int a = 0; a < VALUES; a++)
                for (int b = 0; b < VALUES; b++) {
                    bool together =
                        part_of(&v, a, parts[level - 1]) == part_of(&v, b, parts[level - 1]);
                    bool same =
                        !strcmp(label_at(tree, v.text[a], level), label_at(tree, v.text[b], level));
                    assert_true(together == same);
                }
        hr_hierarchy_free(tree);
        hr_table_free(table);
    }
}

/* Joins the two rarest groups again and again. Of equally rare ones, single values come first, by
 * their texts, then groups in the order in which they were made. */
typedef struct {
    long rows, made;
    int least; /* a value of the group */
} group;

static bool rarer(const values *v, const group *a, const group *b) {
    if (a->rows != b->rows) return a->rows < b->rows;
    if (a->made != b->made) return a->made < b->made;
    return strcmp(v->text[a->least], v->text[b->least]) < 0;
}

static int rarest(const values *v, const group *groups, const int *of, int not_this) {
    int found = -1;
    for (int i = 0; i < VALUES; i++) {
        int g = of[i];
        if (g < 0 || g == not_this) continue;
        if (found < 0 || rarer(v, &groups[g], &groups[found])) found = g;
    }
    return found;
}

static void test_random_frequency(void **state) {
    (void)state;
    hr_random random;
    values v;
    for (unsigned seed = 1; seed <= 100; seed++) {
        group groups[2 * VALUES];
        int of[VALUES], count = 0, left, wanted = 1 + (int)seed % 8;
        hr_random_seed(&random, seed, 2);
        unsigned range = 1 + below(&random, 30);
        for (int i = 0; i < VALUES; i++) {
            unsigned a = below(&random, range), b = below(&random, range);
            snprintf(v.text[i], sizeof v.text[i], "v%u", a < b ? a : b);
            v.pointer[i] = v.text[i];
        }
        for (int i = 0; i < VALUES; i++) {
            int same = 0;
            while (strcmp(v.text[same], v.text[i]))
                same++;
            of[i] = same < i ? of[same] : count++;
            if (same == i) groups[of[i]] = (group){.least = i};
            groups[of[i]].rows++;
        }
        for (left = count; left > wanted; left--) {
            int a = rarest(&v, groups, of, -1), b = rarest(&v, groups, of, a);
            groups[count] = (group){groups[a].rows + groups[b].rows, count, groups[a].least};
            for (int i = 0; i < VALUES; i++)
                if (of[i] == a || of[i] == b) of[i] = count;
            count++;
        }
        char spec[32];
        snprintf(spec, sizeof spec, "frequency: %d", wanted);
        hr_table *table = column_of(v.pointer, VALUES);
        hr_hierarchy *tree = must_make(spec, table);
        for (int a = 0; a < VALUES; a++)
            for (int b = 0; b < VALUES; b++)
                assert_true((of[a] == of[b]) ==
                            !strcmp(label_at(tree, v.text[a], 1), label_at(tree, v.text[b], 1)));
        hr_hierarchy_free(tree);
        hr_table_free(table);
    }
}

/* Every day of eight centuries by the C library's calendar. */
static void test_calendar(void **state) {
    (void)state;
    static const char *const names[] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
    const time_t day = 86400, first = -(time_t)135140 * day; /* 1600-01-01 */
    long before = 0;
    for (time_t i = 0; i < 292194; i++) {
        time_t at = first + i * day;
        struct tm tm;
        char iso[32], week[32], own[32];
        hr_date date;
        int year;
        assert_non_null(gmtime_r(&at, &tm));
        strftime(iso, sizeof iso, "%Y-%m-%d", &tm);
        strftime(week, sizeof week, "%G-%V-%a", &tm);
        assert_true(hr_date_read_iso(iso, &date));
        int number = hr_date_week(date, &year);
        snprintf(own, sizeof own, "%04d-%02d-%s", year, number, names[hr_date_weekday(date)]);
        assert_string_equal(own, week);
        if (i > 0) assert_true(hr_date_number(date) == before + 1);
        before = hr_date_number(date);
    }
}

/* ---- what is refused ---- */

static void expect_refused(const char *spec, const char *value, const char *wanted) {
    const char *const texts[] = {value, "7"};
    hr_table *table = column_of(texts, 2);
    hr_hierarchy *tree;
    hr_error err = {0};
    assert_int_not_equal(make(spec, table, &tree, &err), HR_OK);
    assert_null(tree);
    assert_string_equal(err.message, wanted);
    hr_table_free(table);
}

/* Each builder is refused for a column that begins with the value, with this message. */
typedef const char *refusal[3];

static void expect_all_refused(const refusal *bad, size_t count) {
    for (size_t i = 0; i < count; i++)
        expect_refused(bad[i][0], bad[i][1], bad[i][2]);
}

static void test_refused_grammar(void **state) {
    (void)state;
    static const refusal bad[] = {
        {"", "1", "hierarchy: write a builder, such as prefix: [3, 2]"},
        {"prefix", "1", "hierarchy: write a builder, such as {prefix: [3, 2]}"},
        {"[]", "1", "hierarchy: write a builder, such as {prefix: [3, 2]}"},
        {"{}", "1", "hierarchy: name a builder, such as {prefix: [3, 2]}"},
        {"[[1]]", "1",
         "hierarchy: a list is one of builders, such as [{prefix: [3]}, {parents: FILE}]"},
        {"prefx: 3", "1", "hierarchy: there is no builder 'prefx' (did you mean 'prefix'?)"},
        {"{prefix: 3, cuts: 3}", "1",
         "hierarchy: 'prefix' and 'cuts' in one mapping: write a list, [{prefix: ...}, {cuts: "
         "...}]"},
        {"{prefix: 3, from: 3}", "1", "prefix: there is no key 'from'"},
        {"{intervals: 3, form: 3}", "1",
         "intervals: there is no key 'form'; it has: from bottom top"},
        {"prefix: {a: 1}", "1", "prefix: write a number, or a list such as [8, 4]"},
        {"prefix: [[[[3]]]]", "1", "hierarchy: lists within lists within lists"},
        {"prefix: &a 3", "1",
         "anchors (&name) and aliases (*name) are not read: write the value out, in quotes if it "
         "begins with & or *"},
        {"parents: [a]", "1", "parents: write the name of a file"},
    };
    expect_all_refused(bad, sizeof bad / sizeof *bad);
}

static void test_refused_numbers(void **state) {
    (void)state;
    static const refusal bad[] = {
        {"prefix: [2, 3]", "1",
         "prefix: 3 after 2: each number must be less than the one before, because a longer prefix "
         "does not contain a shorter one"},
        {"prefix: 0", "1", "prefix: '0' is not a whole number from 1 to 1000"},
        {"intervals: [5, 12]", "1",
         "intervals: 12 after 5: intervals of these widths would overlap, so each width must be a "
         "multiple of the one before"},
        {"intervals: [5, 5]", "1",
         "intervals: 5 after 5: intervals of these widths would overlap, so each width must be a "
         "multiple of the one before"},
        {"intervals: [-5]", "1", "intervals: '-5' is not a width greater than 0"},
        {"intervals: [wide]", "1", "intervals: 'wide' is not a number"},
        {"intervals: [1e30]", "1",
         "intervals: '1e30' is too large; a number here has at most 18 digits"},
        {"{intervals: 5, bottom: 9, top: 9}", "1",
         "intervals: bottom (9) must be less than top (9)"},
        {"intervals: 5", "1O4",
         "row 1, column 'c': '1O4' is not a number; correct it, list it under `missing`, or choose "
         "another hierarchy"},
        {"intervals: 5", "1e30",
         "row 1, column 'c': '1e30' is too large for intervals; correct it, or give `top`"},
        {"intervals: 5", "-1e30",
         "row 1, column 'c': '-1e30' is too large for intervals; correct it, or give `bottom`"},
        {"cuts: [3, 2]", "1", "cuts: 2 comes after a point that is not less"},
        {"cuts: [[1, 2], [3]]", "1",
         "cuts: 3 is not a point of the level before: an interval there would be divided between "
         "two"},
        {"cuts: []", "1", "cuts: write lists of numbers, such as [[0, 18, 65], [0, 65]]"},
        {"quantiles: [8, 3]", "1",
         "quantiles: 3 after 8: parts would overlap, so each number must divide the one before"},
        {"frequency: [2, 2]", "1",
         "frequency: 2 after 2: each number must be less than the one before, because higher "
         "levels have fewer groups"},
    };
    expect_all_refused(bad, sizeof bad / sizeof *bad);
}

static void test_refused_dates(void **state) {
    (void)state;
    static const refusal bad[] = {
        {"date: [week, month]", "2020-01-01",
         "date: `month` cannot follow `week`: a week may lie in two months, quarters or years"},
        {"date: [month, week]", "2020-01-01",
         "date: `week` cannot follow `month`: it has several weeks and all weekdays"},
        {"date: [year, month]", "2020-01-01",
         "date: `month` cannot follow `year`: the levels go from fine to coarse"},
        {"date: [4 years, decade]", "2020-01-01",
         "date: `decade` cannot follow `4 years`: the higher level must be a multiple of the lower "
         "one"},
        {"date: [fortnight]", "2020-01-01",
         "date: 'fortnight' is not a level: there are day, week, weekday, month, quarter, year, N "
         "years and decade"},
        {"{date: [month], format: '%Y'}", "2020",
         "date: the level `month` needs a month, and the format has none"},
        {"{date: [year], format: '%d.%m'}", "1.2", "date: format: '%d.%m' has no year (%Y or %y)"},
        {"{date: [year], format: '%q'}", "1",
         "date: format: '%q' is not one of %Y %y %m %b %B %d %H %I %M %S %p %%"},
        {"{date: [year], format: '%d.%m.%Y', latest: 2025}", "01.01.2001",
         "date: latest is for years of two digits: give a format with %y"},
        {"{date: [year], latest: 2025}", "2001-01-01",
         "date: latest is for years of two digits: give a format with %y"},
        {"{date: [year], format: '%d.%m.%y', latest: 25}", "01.01.01",
         "date: latest: '25' is not a year from 99 to 9999"},
        {"{date: [year], format: '%d.%m.%y', latest: 1999}", "29.02.00",
         "row 1, column 'c': '29.02.00' is not a date of the format %d.%m.%y; correct it, or list "
         "it under `missing`"},
        {"date: [year]", "2021-02-29",
         "row 1, column 'c': '2021-02-29' is not a date such as 2024-02-29; correct it, list it "
         "under `missing`, or give its format, such as {date: [year], format: '%d.%m.%Y'}"},
        {"{date: [year], format: '%d.%m.%Y'}", "31.4.2020",
         "row 1, column 'c': '31.4.2020' is not a date of the format %d.%m.%Y; correct it, or list "
         "it under `missing`"},
    };
    expect_all_refused(bad, sizeof bad / sizeof *bad);
}

static void test_refused_files(void **state) {
    (void)state;
    char wanted[512];
    const char *const path = in_folder("bad.csv");
    static const struct {
        const char *file, *builder, *value, *wanted;
    } bad[] = {
        {"a;b;c\n", "parents", "a",
         "%s has 3 columns: a table of parents has two, child and parent"},
        {"a,b\na,c\n7,b\n", "parents", "a",
         "%s, line 2: 'a' has two parents, 'c' here and 'b' before; keep one of them"},
        {"a,b\nb,a\n7,b\n", "parents", "a",
         "%s: 'a' has more than 60 ancestors: is it its own ancestor?"},
        {"town,b\n7,b\n", "parents", "towm",
         "row 1, column 'c': 'towm' has no parent in %s (did you mean 'town'?)"},
        {"a,\n", "parents", "a", "%s, line 1: 'a' has no parent"},
        {"E1-E14;x\n", "ranges", "E1",
         "%s, line 1: 'E1-E14' is not a range of codes that are equally long, such as E10-E14"},
        {"E14-E10;x\n", "ranges", "E1", "%s, line 1: 'E14-E10' ends before it begins"},
        {"E10-E14;x\nF0-F1;x\n", "ranges", "E1",
         "%s, line 2: the codes of 'F0-F1' are not as long as those of line 1"},
        {"E14-E20;x\nE10-E14;x\n", "ranges", "E10", "%s: the ranges of lines 2 and 1 overlap"},
        {"E10-E14;x\n", "ranges", "E15",
         "row 1, column 'c': 'E15' lies in no range of %s; correct it, or add a line for it"},
        {"E10-E14;x\n", "ranges", "E1",
         "row 1, column 'c': 'E1' lies in no range of %s; correct it, or add a line for it"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char spec[64];
        write_file("bad.csv", bad[i].file);
        snprintf(spec, sizeof spec, "%s: bad.csv", bad[i].builder);
        snprintf(wanted, sizeof wanted, bad[i].wanted, path);
        expect_refused(spec, bad[i].value, wanted);
    }
}

/* One text that would be a leaf and another node is refused. */
static void test_two_meanings(void **state) {
    (void)state;
    static const char *const texts[] = {"2005", "0501"}, *const stars[] = {"12*", "1234", "*"};
    hr_error err = {0};
    hr_hierarchy *tree;
    hr_table *table = column_of(texts, 2);
    assert_int_equal(make("{date: [month, year], format: '%y%m'}", table, &tree, &err), HR_EDATA);
    assert_string_equal(
        err.message, "column 'c': in {date: [month, year], format: %y%m} the text '2005' would "
                     "be two nodes, one below '*' and one below '2020-05'; change the values, or "
                     "choose other levels");
    hr_table_free(table);
    table = column_of(stars, 3);
    tree = must_make("prefix: 2", table); /* a value that is the label of others is their parent */
    assert_string_equal(label_at(tree, "1234", 1), "12*");
    assert_int_equal(hr_hierarchy_find(tree, "*"), hr_hierarchy_root(tree));
    hr_hierarchy_free(tree);
    hr_table_free(table);
}

/* ---- missing values, empty columns ---- */

static void test_missing(void **state) {
    (void)state;
    static const char *const texts[] = {"", "?", "12", NULL}, *const missing[] = {"?", ""};
    hr_table *table = column_of(texts, 4), *none = column_of(texts, 1);
    hr_hierarchy_make_request request = {.size = sizeof request,
                                         .spec = "{intervals: [5, 10]}",
                                         .table = table,
                                         .missing = missing,
                                         .missing_count = 2};
    hr_hierarchy *tree;
    MUST(hr_hierarchy_make(&request, &tree, &err));
    assert_int_equal(hr_hierarchy_leaf_count(tree), 1);
    hr_hierarchy_free(tree);
    request.group_missing = true;
    MUST(hr_hierarchy_make(&request, &tree, &err));
    assert_int_equal(hr_hierarchy_leaf_count(tree), 2);
    assert_string_equal(label_at(tree, "?", 2), "?");
    assert_string_equal(label_at(tree, "?", 3), "*");
    assert_string_equal(hr_hierarchy_level_name(tree, 1), "width 5");
    hr_hierarchy_free(tree);
    tree = must_make("quantiles: [4, 2]", none); /* no values at all: only the root is left */
    assert_int_equal(hr_hierarchy_node_count(tree), 1);
    hr_hierarchy_free(tree);
    hr_table_free(table);
    hr_table_free(none);
}

/* ---- files ---- */

static void expect_equal(const hr_hierarchy *a, const hr_hierarchy *b) {
    assert_int_equal(hr_hierarchy_leaf_count(a), hr_hierarchy_leaf_count(b));
    assert_int_equal(hr_hierarchy_level_count(a), hr_hierarchy_level_count(b));
    for (uint32_t leaf = 0; leaf < hr_hierarchy_leaf_count(a); leaf++)
        for (uint32_t level = 0; level < hr_hierarchy_level_count(a); level++)
            assert_string_equal(hr_hierarchy_label(a, hr_hierarchy_node_at(a, leaf, level)),
                                hr_hierarchy_label(b, hr_hierarchy_node_at(b, leaf, level)));
}

static void test_round_trip(void **state) {
    (void)state;
    static const char *const texts[] = {"a;b", "two\nlines", "say \"x\"",
                                        "",    "é,",         "\xef\xbb\xbf?"};
    static const char *const specs[] = {"prefix: [2, 1]", "frequency: [3, 2]"};
    static const char *const missing[] = {"NA"};
    hr_table *table = column_of(texts, 6);
    for (size_t i = 0; i < 2; i++) {
        hr_hierarchy_make_request request = {.size = sizeof request,
                                             .spec = specs[i],
                                             .table = table,
                                             .missing = missing,
                                             .missing_count = 1};
        hr_hierarchy *made, *read;
        MUST(hr_hierarchy_make(&request, &made, &err));
        MUST(hr_hierarchy_write(made, in_folder("made.csv"), &err));
        MUST(hr_hierarchy_read(in_folder("made.csv"), &read, &err));
        expect_equal(made, read);
        hr_hierarchy_free(made);
        hr_hierarchy_free(read);
    }
    hr_table_free(table);
}

/* The order of the rows has no influence on the tree. */
static void test_order(void **state) {
    (void)state;
    static const char *const one[] = {"10", "9", "-3", "100", "9"};
    static const char *const other[] = {"9", "100", "9", "10", "-3"};
    static const char *const specs[] = {"intervals: [5]", "prefix: 1", "quantiles: 2",
                                        "frequency: 2"};
    hr_table *a = column_of(one, 5), *b = column_of(other, 5);
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        hr_hierarchy *x = must_make(specs[i], a), *y = must_make(specs[i], b);
        expect_equal(x, y);
        hr_hierarchy_free(x);
        hr_hierarchy_free(y);
    }
    hr_table_free(a);
    hr_table_free(b);
}

static int set_up(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    static const char *const names[] = {"regions.csv", "icd.csv", "bad.csv", "made.csv"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(in_folder(names[i]));
    return rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_random_intervals),
        cmocka_unit_test(test_random_quantiles),
        cmocka_unit_test(test_random_frequency),
        cmocka_unit_test(test_calendar),
        cmocka_unit_test(test_refused_grammar),
        cmocka_unit_test(test_refused_numbers),
        cmocka_unit_test(test_refused_dates),
        cmocka_unit_test(test_refused_files),
        cmocka_unit_test(test_two_meanings),
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_order),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
