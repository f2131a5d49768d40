/* test_base.c - the base and data folders: random numbers that must never change, maps, arenas,
 * threads, dictionaries and columns; and what happens when any one allocation fails. */
#include "data/data.h"

#include <dirent.h>
#include <jansson.h>
#include <math.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "unit.h"

/* ---- SHA-256 ---- */

/* Two examples of FIPS 180-4, no bytes, and many in pieces that do not fit the blocks. */
static void test_sha256(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int times;
        const char *hash;
    } known[] = {
        {"", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"abcdefghij", 100000, "8c0e615e999ea2ac42b5498b9ffbe1006ed06ea7567ebfa357a5c5078b999b2d"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        hr_sha256 hash;
        char out[HR_SHA256_TEXT];
        hr_sha256_start(&hash);
        for (int n = 0; n < known[i].times; n++)
            hr_sha256_add(&hash, known[i].text, strlen(known[i].text));
        hr_sha256_end(&hash, out);
        assert_string_equal(out, known[i].hash);
    }
}

/* ---- Random numbers ---- */

/* xoshiro256** seeded by splitmix64, computed without this library: another generator would change
 * every release that was made with a seed. */
static void test_random_is_known(void **state) {
    (void)state;
    static const struct {
        uint64_t seed, stream, first[4];
    } known[] = {
        {0, 0, {0xfb5405f7bd79c540, 0x780c98e26cea5883, 0x2a146e0980febc66, 0x4851477db8791fca}},
        {1, 0, {0xee127fe613436e33, 0xd6dad8d34a1874ea, 0x2a52c16cec1116a9, 0x9af9091d9f77d551}},
        {1, 1, {0x550e4e55a37114cc, 0xa645791d18940fdd, 0xebededf9628ebf4c, 0xc37d4b2c2c66d216}},
        {UINT64_MAX,
         7,
         {0xed173bb670548728, 0xaea38ed2e5e9a0d1, 0xb275c50013ce8388, 0x6520e4073450ecd7}},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        hr_random random;
        hr_random_seed(&random, known[i].seed, known[i].stream);
        for (int j = 0; j < 4; j++)
            assert_true(hr_random_next(&random) == known[i].first[j]);
    }
    hr_random random;
    hr_random_seed(&random, 1, 0);
    assert_true(hr_random_real(&random) == (double)(known[1].first[0] >> 11) / 9007199254740992.0);
    assert_true(hr_random_below(&random, 1000) == known[1].first[1] % 1000);
}

/* Chi square of 16 values in 160,000 draws: 15 degrees of freedom, 1 in a million lies above 56. */
static void check_uniform(const unsigned *cell) {
    double chi = 0;
    for (int i = 0; i < 16; i++)
        chi += (cell[i] - 10000.0) * (cell[i] - 10000.0) / 10000.0;
    if (chi > 56 || chi < 1) fail_msg("chi square %g", chi);
}

static void test_random_is_uniform(void **state) {
    (void)state;
    unsigned by_bound[16] = {0}, by_real[16] = {0}, by_top_bits[16] = {0};
    hr_random random;
    hr_random_seed(&random, 99, 3);
    for (int i = 0; i < 160000; i++) {
        by_bound[hr_random_below(&random, 16)]++;
        by_top_bits[hr_random_next(&random) >> 60]++;
        double real = hr_random_real(&random);
        assert_true(real >= 0 && real < 1);
        by_real[(int)(real * 16)]++;
    }
    check_uniform(by_bound);
    check_uniform(by_real);
    check_uniform(by_top_bits);
    /* With two thirds of 2^64 as limit a plain remainder would favour the lower half. */
    unsigned low = 0;
    uint64_t bound = UINT64_MAX / 3 * 2;
    for (int i = 0; i < 40000; i++)
        low += hr_random_below(&random, bound) < bound / 2;
    assert_true(low > 19500 && low < 20500);
    assert_int_equal(hr_random_below(&random, 1), 0);
}

/* The polar method with the C library's logarithm, on the same stream. */
static double plain_normal(hr_random *random) {
    for (;;) {
        double x = 2 * hr_random_real(random) - 1, y = 2 * hr_random_real(random) - 1;
        double s = x * x + y * y;
        if (s < 1 && s > 0) return x * sqrt(-2 * log(s) / s);
    }
}

static void test_normal(void **state) {
    (void)state;
    enum { DRAWS = 100000 };
    hr_random random, same;
    double sum = 0, squares = 0;
    unsigned within = 0;
    hr_random_seed(&random, 4, 0);
    hr_random_seed(&same, 4, 0);
    for (int i = 0; i < DRAWS; i++) {
        double x = hr_random_normal(&random);
        assert_true(fabs(x - plain_normal(&same)) < 1e-12);
        sum += x;
        squares += x * x;
        within += x > -1 && x < 1;
    }
    double mean = sum / DRAWS, deviation = sqrt(squares / DRAWS - mean * mean);
    assert_true(fabs(mean) < 0.016); /* five deviations of the mean */
    assert_true(fabs(deviation - 1) < 0.012);
    assert_true(fabs(within / (double)DRAWS - 0.6827) < 0.008);
}

/* ---- Maps and arenas ---- */

static void test_map(void **state) {
    (void)state;
    hr_map64 map = {0};
    uint32_t number;
    /* Keys that share their low bits, which a poor hash would put in one slot. */
    for (uint32_t i = 0; i < 20000; i++) {
        MUST(hr_map64_intern(&map, (uint64_t)i << 40, &number, &err));
        assert_int_equal(number, i);
    }
    for (uint32_t i = 20000; i-- > 0;) {
        MUST(hr_map64_intern(&map, (uint64_t)i << 40, &number, &err));
        assert_int_equal(number, i);
    }
    MUST(hr_map64_intern(&map, UINT64_MAX, &number, &err)); /* no key is special */
    assert_int_equal(number, 20000);
    assert_int_equal(map.count, 20001);
    for (size_t keys = 0; keys < 1u << 20; keys += (1u << 20) - 1) { /* frees; keeps the memory */
        MUST(hr_map64_intern(&map, 7, &number, &err));
        hr_map64_clear(&map, keys);
        assert_int_equal(hr_map64_find(&map, 7), HR_NONE);
        MUST(hr_map64_intern(&map, 9, &number, &err));
        assert_int_equal(number, 0);
    }
    hr_map64_free(&map);
    MUST(hr_map64_intern(&map, 0, &number, &err));
    assert_int_equal(number, 0);
    hr_map64_free(&map);
}

static void test_arena(void **state) {
    (void)state;
    hr_arena arena = {0};
    hr_random random;
    unsigned char *memory[500];
    size_t length[500];
    hr_random_seed(&random, 8, 0);
    for (unsigned i = 0; i < 500; i++) {
        length[i] = below(&random, 50) == 0 ? 200000 : below(&random, 2000);
        memory[i] = hr_arena_alloc(&arena, length[i], 1, NULL);
        assert_non_null(memory[i]);
        assert_int_equal((uintptr_t)memory[i] % _Alignof(max_align_t), 0);
        for (size_t b = 0; b < length[i]; b++)
            assert_int_equal(memory[i][b], 0);
        memset(memory[i], (int)(i % 255 + 1), length[i]);
    }
    for (unsigned i = 0; i < 500; i++) /* none overlaps another */
        for (size_t b = 0; b < length[i]; b++)
            assert_int_equal(memory[i][b], i % 255 + 1);
    assert_string_equal(hr_arena_text(&arena, "Namur and more", 5, NULL), "Namur");
    hr_error err = {0};
    assert_null(hr_arena_alloc(&arena, SIZE_MAX / 2, 4, &err));
    assert_int_equal(err.code, HR_ENOMEM);
    hr_arena_free(&arena);
    hr_arena_free(&arena);
}

static void test_allocation_overflow(void **state) {
    (void)state;
    hr_error error = {0};
    assert_null(hr_alloc_raw(SIZE_MAX / 2, 4, &error));
    assert_int_equal(error.code, HR_ENOMEM);
    char *none = hr_alloc(0, 8, NULL); /* an allocation of 0 items can be freed */
    assert_non_null(none);
    free(none);
    uint64_t *array = NULL;
    size_t capacity = 0;
    assert_int_equal(hr_grow(&array, &capacity, SIZE_MAX / 4, 8, &error), HR_ENOMEM);
    assert_true(!array && capacity == 0);
    MUST(hr_grow(&array, &capacity, 1, 8, &err));
    assert_true(capacity >= 1);
    free(array);
}

/* ---- Errors ---- */

static void test_messages(void **state) {
    (void)state;
    hr_error err = {0};
    assert_int_equal(hr_fail(NULL, HR_EIO, "nobody listens"), HR_EIO);
    assert_int_equal(hr_fail(&err, HR_EDATA, "row %d: 'a\nb\tc'", 3), HR_EDATA);
    assert_string_equal(err.message, "row 3: 'a b c'"); /* one line */
    assert_int_equal(hr_fail_prefix(&err, HR_EDATA, "attribute '%s'", "x"), HR_EDATA);
    assert_string_equal(err.message, "attribute 'x': row 3: 'a b c'");
    char lengthy[2000];
    memset(lengthy, 'y', sizeof lengthy - 1);
    lengthy[sizeof lengthy - 1] = '\0';
    (void)hr_fail(&err, HR_EDATA, "%s", lengthy);
    assert_int_equal(strlen(err.message), sizeof err.message - 1);
    (void)hr_fail_prefix(&err, HR_EDATA, "%s", lengthy);
    assert_int_equal(strlen(err.message), sizeof err.message - 1);
}

/* ---- Threads ---- */

enum { TASKS = 1000 };

typedef struct {
    atomic_int runs[TASKS];
    atomic_uint most_worker;
    size_t fail_at[2], slow;
} jobs;

static void doze(void) {
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
}

static hr_status task(size_t i, unsigned worker, void *payload, hr_error *err) {
    jobs *all = payload;
    atomic_fetch_add(&all->runs[i], 1);
    unsigned most = atomic_load(&all->most_worker);
    while (worker > most && !atomic_compare_exchange_weak(&all->most_worker, &most, worker)) {
    }
    if (i == all->slow) doze();
    for (int f = 0; f < 2; f++)
        if (i == all->fail_at[f]) return hr_fail(err, HR_EDATA, "task %zu", i);
    return HR_OK;
}

static void test_parallel(void **state) {
    (void)state;
    for (unsigned threads = 0; threads <= 8; threads++) { /* 0 means 1 */
        jobs all = {.fail_at = {SIZE_MAX, SIZE_MAX}, .slow = SIZE_MAX};
        MUST(hr_parallel(TASKS, threads, task, &all, &err));
        for (size_t i = 0; i < TASKS; i++)
            assert_int_equal(atomic_load(&all.runs[i]), 1);
        assert_true(atomic_load(&all.most_worker) < (threads ? threads : 1));
    }
    assert_int_equal(hr_parallel(0, 4, task, NULL, NULL), HR_OK);
    assert_true(hr_cores() >= 1);
}

/* The failure with the lowest index is returned, even if a later one happens first. */
static void test_parallel_failure(void **state) {
    (void)state;
    for (unsigned threads = 1; threads <= 4; threads++) {
        jobs all = {.fail_at = {40, 41}, .slow = 40};
        hr_error err = {0};
        assert_int_equal(hr_parallel(TASKS, threads, task, &all, &err), HR_EDATA);
        assert_string_equal(err.message, "task 40");
        for (size_t i = 0; i <= 40; i++) /* all earlier tasks have run */
            assert_int_equal(atomic_load(&all.runs[i]), 1);
        assert_int_equal(atomic_load(&all.runs[TASKS - 1]), 0);
        assert_int_equal(hr_parallel(TASKS, threads, task, &(jobs){.fail_at = {3, 9}}, NULL),
                         HR_EDATA);
    }
}

/* ---- Dictionaries and columns ---- */

static void text_of(uint32_t i, char *out, size_t room) {
    /* Lengths around eight bytes, where dictionaries change the kind of hash. */
    snprintf(out, room, "%.*s%x", (int)(i % 11), "abcdefghijk", i);
}

static void test_dictionary(void **state) {
    (void)state;
    enum { TEXTS = 30000 };
    hr_dictionary d = {0};
    char text[64];
    uint32_t code;
    assert_int_equal(hr_dictionary_find(&d, "x", 1), HR_NONE);
    for (uint32_t i = 0; i < TEXTS; i++) {
        text_of(i, text, sizeof text);
        MUST(hr_dictionary_intern(&d, text, strlen(text), &code, &err));
        uint32_t earlier = code; /* the same text may have come with another number */
        if (code == d.count - 1) assert_string_equal(hr_dictionary_text(&d, code), text);
        MUST(hr_dictionary_intern(&d, text, strlen(text), &code, &err));
        assert_int_equal(code, earlier);
    }
    for (uint32_t i = 0; i < TEXTS; i++) {
        text_of(i, text, sizeof text);
        code = hr_dictionary_find(&d, text, strlen(text));
        assert_true(code < d.count);
        assert_string_equal(hr_dictionary_text(&d, code), text);
        assert_int_equal(hr_dictionary_length(&d, code), strlen(text));
        snprintf(text, sizeof text, "no%u", i);
        assert_int_equal(hr_dictionary_find(&d, text, strlen(text)), HR_NONE);
    }
    MUST(hr_dictionary_intern(&d, "", 0, &code, &err));
    assert_string_equal(hr_dictionary_text(&d, code), "");
    assert_int_equal(hr_dictionary_find(&d, "", 0), code);
    hr_dictionary_free(&d);
}

/* Every text of up to three of a few bytes: no two share a code. */
static void test_dictionary_short_texts(void **state) {
    (void)state;
    static const char bytes[] = "ab\x01\x7f\xff";
    hr_dictionary d = {0};
    uint32_t expected = 0, code;
    char text[4];
    for (size_t length = 0; length <= 3; length++) {
        size_t count = length == 0 ? 1 : length == 1 ? 5 : length == 2 ? 25 : 125;
        for (size_t i = 0; i < count; i++) {
            for (size_t j = 0, left = i; j < length; j++, left /= 5)
                text[j] = bytes[left % 5];
            MUST(hr_dictionary_intern(&d, text, length, &code, &err));
            assert_int_equal(code, expected++);
        }
    }
    hr_dictionary_free(&d);
}

static void test_dictionary_rank(void **state) {
    (void)state;
    static const char *const texts[] = {"b", "", "a", "ab", "B", "\xc3\xa9", "10", "9"};
    static const uint32_t expected[] = {6, 0, 4, 5, 3, 7, 1, 2}; /* bytewise */
    hr_dictionary d = {0};
    uint32_t code, rank[8];
    for (size_t i = 0; i < 8; i++)
        MUST(hr_dictionary_intern(&d, texts[i], strlen(texts[i]), &code, &err));
    MUST(hr_dictionary_rank(&d, rank, &err));
    assert_memory_equal(rank, expected, sizeof expected);
    assert_string_equal(hr_dictionary_nearest(&d, "abc"), "ab");
    hr_dictionary_free(&d);
}

/* 70,000 values, so that the codes outgrow one byte and then two. */
static void test_column_widens(void **state) {
    (void)state;
    enum { ROWS = 70000 };
    hr_column column = {.width = 1}, batch = {.width = 1};
    char text[16];
    uint32_t codes[700];
    for (uint32_t i = 0; i < ROWS; i++) {
        unsigned width = i < 128 ? 1 : i < 32768 ? 2 : 4;
        snprintf(text, sizeof text, "%u", i);
        MUST(hr_column_append_text(&column, text, strlen(text), &err));
        assert_int_equal(column.width, width);
        codes[i % 700] = i;
        if (i % 700 == 699) MUST(hr_column_append_codes(&batch, codes, 700, &err));
    }
    assert_int_equal(column.rows, ROWS);
    hr_column_shrink(&column);
    uint32_t *mapped = malloc(ROWS * sizeof *mapped), *map = malloc(ROWS * sizeof *map);
    assert_true(mapped && map);
    for (uint32_t i = 0; i < ROWS; i++) {
        assert_int_equal(hr_column_code(&column, i), i);
        assert_int_equal(hr_column_code(&batch, i), i);
        map[i] = i * 3;
    }
    assert_string_equal(hr_column_text(&column, 65536), "65536");
    hr_column_map(&column, 10, ROWS - 10, map, mapped);
    for (uint32_t i = 10; i < ROWS; i++)
        assert_int_equal(mapped[i - 10], i * 3);
    assert_int_equal(hr_column_append(&column, 5, NULL),
                     HR_OK); /* after shrinking it grows again */
    assert_int_equal(hr_column_code(&column, ROWS), 5);
    free(mapped);
    free(map);
    hr_column_free(&column);
    hr_column_free(&batch);
}

static void test_table(void **state) {
    (void)state;
    hr_table *table = table_of("a,b\n1,2\n3,2\n");
    assert_ptr_equal(hr_table_find(table, "b"), &table->columns[1]);
    assert_null(hr_table_find(table, "c"));
    hr_table_free(table);
    hr_table_free(NULL);
}

/* ---- Every allocation fails once ---- */

static bool faults_work(void) {
    hr_memory_fail_at(1);
    void *memory = hr_alloc(1, 1, NULL);
    hr_memory_fail_at(0);
    free(memory);
    return !memory;
}

/* Nine patients in memory: a flat, a numeric and a file hierarchy, two sensitive attributes, and a
 * column without a role, for a notice. */
static hr_status small_job(hr_error *err) {
    static const char *const names[] = {"town", "age", "sex", "ill", "pay", "spare"};
    static const char *const rows[][6] = {
        {"a", "30", "M", "flu", "1", ""},  {"a", "31", "F", "cold", "2", ""},
        {"b", "42", "M", "flu", "3", ""},  {"b", "43", "F", "gout", "4", ""},
        {"a", "33", "M", "gout", "5", ""}, {"b", "47", "F", "cold", "6", ""},
        {"c", "30", "M", "flu", "7", ""},  {"b", "", "F", "flu", "8", ""},
        {"a", "39", "F", "flu", "9", ""},
    };
    static const char *const settings[][2] = {
        {"quasi", "town,age,sex"},
        {"hierarchy", "town=flat"},
        {"numeric", "age"},
        {"on-missing", "age=drop"},
        {"hierarchy", "sex=flat"},
        {"boundary", "town=a"},
        {"sensitive", "ill,pay"},
        {"bins", "pay=3"},
        {"k", "2"},
        {"p", "2"},
        {"effort", "quick"},
        {"threads", "1"},
    };
    hr_table *table = NULL;
    hr_job *job = NULL;
    hr_release *release = NULL;
    hr_status status = hr_table_new(6, names, &table, err);
    for (size_t i = 0; i < 9 && status == HR_OK; i++)
        status = hr_table_append(table, rows[i], err);
    if (status == HR_OK) status = hr_job_new(&job, err);
    if (status == HR_OK) status = hr_job_set_input(job, table, err);
    for (size_t i = 0; i < sizeof settings / sizeof *settings && status == HR_OK; i++)
        status = hr_job_set(job, settings[i][0], settings[i][1], err);
    if (status == HR_OK) status = hr_job_run(job, NULL, &release, err);
    if (status == HR_OK) assert_int_equal(hr_table_rows(hr_release_table(release)), 8);
    if (status != HR_OK) assert_null(release);
    hr_release_free(release);
    hr_job_free(job);
    hr_table_free(table);
    return status;
}

/* The same from files: a job, a table and hierarchies are read; release, trace and report
 * written. */
static const char *algorithm, *p_asked;
static char folder[] = "/tmp/hedgerow-base-XXXXXX";

static hr_status file_job(hr_error *err) {
    char settings[3][64];
    static const char *const keys[] = {"output", "trace", "report"};
    hr_job *job = NULL;
    hr_release *release = NULL;
    hr_status status = hr_job_read(HR_SOURCE "/examples/patients/patients.yaml", &job, err);
    if (status == HR_OK) status = hr_job_set(job, "threads", "1", err);
    if (status == HR_OK) status = hr_job_set(job, "algorithm", algorithm, err);
    if (status == HR_OK) status = hr_job_set(job, "p", p_asked, err);
    for (int i = 0; i < 3 && status == HR_OK; i++) {
        snprintf(settings[i], sizeof settings[i], "%s/%s.json", folder, keys[i]);
        status = hr_job_set(job, keys[i], settings[i], err);
    }
    if (status == HR_OK) status = hr_job_run(job, NULL, &release, err);
    if (status == HR_OK) assert_int_equal(hr_table_rows(hr_release_table(release)), 9);
    hr_release_free(release);
    hr_job_free(job);
    return status;
}

/* True if the failure requested at allocation `nth` has not happened yet. */
static bool still_ordered(long nth) {
    bool failed = false;
    for (long i = 0; i < nth && !failed; i++) {
        void *memory = hr_alloc(1, 1, NULL);
        failed = !memory;
        free(memory);
    }
    return failed;
}

/* Makes the first allocation fail, then the second, ... until the run needs fewer. The run may
 * survive `spared` of these failures, which do not change the release. */
static void sweep(hr_status (*run)(hr_error *err), int spared) {
    for (long nth = 1;; nth++) {
        hr_error err = {0};
        hr_memory_fail_at(nth);
        hr_status status = run(&err);
        bool over = status == HR_OK && still_ordered(nth);
        hr_memory_fail_at(0);
        if (over) {
            assert_true(nth > 100); /* the sweep reached the main part of the run */
            return;
        }
        if (status == HR_OK && spared-- > 0) continue;
        if (status != HR_ENOMEM || err.code != HR_ENOMEM || !strstr(err.message, "out of memory"))
            fail_msg("allocation %ld: status %d, code %d, '%s'", nth, (int)status, (int)err.code,
                     err.message);
    }
}

enum { SPARED_OPTIONS = 0, SPARED_FOLDERS = 3 }; /* syncing a folder may fail */

static void test_out_of_memory(void **state) {
    (void)state;
    MUST(small_job(&err));
    if (!faults_work()) skip();
    sweep(small_job, SPARED_OPTIONS);
}

/* The same for the JSON library, which allocates by itself. */
static long json_left; /* allocations until one fails; 0: none does */

static void *json_memory(size_t size) {
    return json_left > 0 && --json_left == 0 ? NULL : malloc(size);
}

static void test_out_of_memory_in_the_report(void **state) {
    (void)state;
    long nth = 0;
    json_set_alloc_funcs(json_memory, free);
    for (bool over = false; !over; nth++) {
        hr_error err = {0};
        json_left = nth + 1;
        hr_status status = small_job(&err);
        over = json_left > 0;
        json_left = 0;
        if (over)
            assert_int_equal(status, HR_OK);
        else if (status != HR_ENOMEM || !strstr(err.message, "out of memory"))
            fail_msg("allocation %ld: status %d, '%s'", nth + 1, (int)status, err.message);
    }
    assert_true(nth > 100);
    json_set_alloc_funcs(malloc, free);
}

/* A failed run leaves no file, not even a temporary one. */
static int count_files(void) {
    int files = 0;
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    for (const struct dirent *entry; (entry = readdir(entries));)
        files += entry->d_name[0] != '.' || strlen(entry->d_name) > 2;
    closedir(entries);
    return files;
}

static void remove_files(void) {
    static const char *const keys[] = {"output", "trace", "report"};
    char path[64];
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s.json", folder, keys[i]);
        unlink(path);
    }
}

static hr_status watched_file_job(hr_error *err) {
    remove_files();
    hr_status status = file_job(err);
    int files = count_files();
    if (status == HR_OK) assert_int_equal(files, 3);
    assert_true(files <= 3); /* no temporary one */
    return status;
}

static void test_out_of_memory_with_files(void **state) {
    (void)state;
    static const char *const algorithms[][2] = {
        {"greedy-pk", "2"}, {"mam", "2"}, {"k-member", "1"}, {"GreedyCPKA", "2"}};
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
        algorithm = algorithms[i][0];
        p_asked = algorithms[i][1];
        MUST(watched_file_job(&err));
        if (faults_work()) sweep(watched_file_job, SPARED_OPTIONS + SPARED_FOLDERS);
    }
    remove_files();
    assert_int_equal(rmdir(folder), 0);
    if (!faults_work()) skip();
}

/* Enough rows in one MAM cell for the fast forms of the algorithms, which allocate much more than
 * the plain forms. */
static hr_table *large_table;

static hr_status large_job(hr_error *err) {
    static const char *const settings[][2] = {
        {"quasi", "0,1,2"},      {"hierarchy", "0=flat"}, {"hierarchy", "1=flat"},
        {"hierarchy", "2=flat"}, {"sensitive", "3"},      {"k", "5"},
        {"threads", "1"},
    };
    hr_job *job = NULL;
    hr_release *release = NULL;
    hr_status status = hr_job_new(&job, err);
    if (status == HR_OK) status = hr_job_set_input(job, large_table, err);
    for (size_t i = 0; i < sizeof settings / sizeof *settings && status == HR_OK; i++)
        status = hr_job_set(job, settings[i][0], settings[i][1], err);
    if (status == HR_OK) status = hr_job_set(job, "algorithm", algorithm, err);
    if (status == HR_OK) status = hr_job_set(job, "p", p_asked, err);
    if (status == HR_OK) status = hr_job_run(job, NULL, &release, err);
    hr_release_free(release);
    hr_job_free(job);
    return status;
}

static void test_out_of_memory_in_fast_forms(void **state) {
    (void)state;
    enum { ROWS = 800 };
    static const char *const algorithms[][2] = {{"greedy-pk", "3"}, {"k-member", "1"}};
    static unsigned cells[ROWS * 4];
    hr_random random;
    hr_random_seed(&random, 12, 0);
    for (size_t i = 0; i < ROWS * 4; i++)
        cells[i] = below(&random, i % 4 == 3 ? 8 : 20);
    large_table = table_of_numbers(cells, ROWS, 4);
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
        algorithm = algorithms[i][0];
        p_asked = algorithms[i][1];
        MUST(large_job(&err));
        if (faults_work()) sweep(large_job, SPARED_OPTIONS);
    }
    hr_table_free(large_table);
    if (!faults_work()) skip();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sha256),
        cmocka_unit_test(test_random_is_known),
        cmocka_unit_test(test_random_is_uniform),
        cmocka_unit_test(test_normal),
        cmocka_unit_test(test_map),
        cmocka_unit_test(test_arena),
        cmocka_unit_test(test_allocation_overflow),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_parallel),
        cmocka_unit_test(test_parallel_failure),
        cmocka_unit_test(test_dictionary),
        cmocka_unit_test(test_dictionary_short_texts),
        cmocka_unit_test(test_dictionary_rank),
        cmocka_unit_test(test_column_widens),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_out_of_memory_in_the_report),
        cmocka_unit_test(test_out_of_memory_with_files),
        cmocka_unit_test(test_out_of_memory_in_fast_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
