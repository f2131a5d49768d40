/* base.h - what all other folders use: errors, memory, text, hashing, sorting, random numbers,
 * options as data, threads and progress. Nothing here depends on tables or anonymity. */
#ifndef HR_BASE_H
#define HR_BASE_H

#include <hedgerow.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

/* ---- error.c; also hr_fail of hedgerow.h ---- */

#if defined(__GNUC__)
#define HR_MAYBE_UNUSED __attribute__((unused))
#else
#define HR_MAYBE_UNUSED
#endif

/* Puts "prefix: " before the message in `err`, sets its code and returns it. */
hr_status hr_fail_prefix(hr_error *err, hr_status code, const char *format, ...) HR_PRINTF(3, 4);
#ifdef __clang_analyzer__
/* The static analyzer reads one source file at a time, so it cannot see that both functions return
 * `code`, which is never HR_OK. */
#define hr_fail(err, code, ...)        ((void)hr_fail(err, code, __VA_ARGS__), (code))
#define hr_fail_prefix(err, code, ...) ((void)hr_fail_prefix(err, code, __VA_ARGS__), (code))
#endif
/* Replaces control characters by spaces: a file name or value in a message may contain some. */
void hr_one_line(char *message);

#define HR_TRY(call)                                                                               \
    do {                                                                                           \
        hr_status hr_try_status = (call);                                                          \
        if (hr_try_status != HR_OK) return hr_try_status;                                          \
    } while (0)

/* ---- memory.c: allocation that checks for overflow, reports failure and can fail in tests; also
 * hr_free of hedgerow.h ---- */

/* Zeroed memory for `count` items, which may be 0; NULL with HR_ENOMEM in `err` on failure. Free it
 * with free(). */
void *hr_alloc(size_t count, size_t size, hr_error *err);

/* The same without zeroing. */
void *hr_alloc_raw(size_t count, size_t size, hr_error *err);

/* Makes room for `needed` items in *array (`array` points to a pointer), growing by half. */
hr_status hr_grow(void *array, size_t *capacity, size_t needed, size_t size, hr_error *err);

char *hr_copy_text(const char *text, size_t length, hr_error *err); /* NUL-terminated copy */

/* Test builds only (HR_FAULT): makes the nth allocation from now fail; 0: none. */
void hr_memory_fail_at(long nth);

/* A bump allocator for memory that is freed all at once. Valid when zeroed. */
typedef struct hr_arena_block hr_arena_block;
typedef struct {
    hr_arena_block *head;
} hr_arena;

void *hr_arena_alloc(hr_arena *arena, size_t count, size_t size, hr_error *err); /* zeroed */
/* Allocates several arrays; `place` points to the pointer that receives the array. */
typedef struct {
    void *place;
    size_t count, size;
} hr_arena_part;
hr_status hr_arena_parts(hr_arena *arena, const hr_arena_part *parts, size_t count, hr_error *err);
char *hr_arena_text(hr_arena *arena, const char *text, size_t length, hr_error *err);
void hr_arena_free(hr_arena *arena);

/* ---- names.c: names of columns ---- */

/* Are two names the same to a reader? Blanks around them do not count, and a Latin letter with a
 * mark is the same as one character or as two (ü, u and U+0308). */
bool hr_same_name(const char *a, const char *b);
/* The same for names that are the same. */
uint64_t hr_name_hash(const char *name);
/* Are there blanks around the name? */
bool hr_name_trims(const char *name);

/* ---- text.c; also hr_nearest_name and hr_parse_double, _uint and _numbers of hedgerow.h ---- */

/* A growing text. Valid when zeroed; NUL-terminated after the first addition. */
typedef struct {
    char *data;
    size_t length, capacity;
    bool failed; /* an addition ran out of memory; stays set, so one check at the end is enough */
} hr_text;

void hr_text_add(hr_text *text, const char *bytes, size_t length);
void hr_text_puts(hr_text *text, const char *string);
void hr_text_printf(hr_text *text, const char *format, ...) HR_PRINTF(2, 3);
void hr_text_free(hr_text *text);
/* Hands the bytes over to *out, which the caller frees. HR_ENOMEM, with NULL in *out, if an
 * addition failed. `text` is then empty in both cases. */
hr_status hr_text_take(hr_text *text, char **out, hr_error *err);

/* Edit distance with transpositions; `limit` + 1 if it is greater than `limit`. */
unsigned hr_text_distance(const char *a, const char *b, unsigned limit);

/* The candidate most similar to `text`, or NULL if none is similar enough for a typing error.
 * `at(i, payload)` returns candidate i < count. */
const char *hr_text_nearest(const char *text, size_t count,
                            const char *(*at)(size_t i, const void *payload), const void *payload);

/* Most characters of a number in a table. hr_parse_double accepts one more: intervals write a 0
 * before a leading point. */
enum { HR_NUMBER_MOST = 255 };

/* hr_parse_double for numbers with this decimal sign; 0: a point. */
bool hr_parse_number(const char *text, char point, double *out);
/* Advice on a text that hr_parse_number refuses, such as one with a decimal comma, for a message to
 * append to "is not a number"; empty if the text is no number at all. */
const char *hr_number_advice(const char *text, char point);

/* True if two texts accepted by hr_parse_number denote the same decimal number (1, 01.0, 10e-1).
 * Different numbers may still round to the same double. */
bool hr_same_decimal(const char *a, const char *b);
/* Number of digits after the point of such a text when written without exponent; at most
 * HR_DECIMALS_END, because no double has more. */
int hr_decimals(const char *text);
enum {
    HR_DECIMALS_MOST = 100, /* most digits after the point of a published number */
    HR_DECIMALS_END = 1100  /* no double has more digits after the point */
};
enum { HR_NUMBERS_MOST = 10000 }; /* numbers of one list, see hr_parse_numbers */

/* ---- password.c; also hr_hide_password of hedgerow.h ---- */

/* Removes the passwords of all addresses in a message, in place. */
void hr_hide_passwords(char *message);

/* ---- utf8.c; also hr_make_plain of hedgerow.h ---- */

/* Length of the longest valid prefix. *cut is set if only an unfinished character follows it. */
size_t hr_utf8_valid(const char *bytes, size_t length, bool *cut);
/* Appends a text with '?' for every byte that is not UTF-8, as in names that a caller gave or in
 * messages that were cut. */
void hr_utf8_clean(hr_text *out, const char *text);
/* Appends a text with '?' for control characters: file contents must not control a terminal. */
void hr_plain_text(hr_text *out, const char *text);

/* ---- sha256.c: SHA-256 (FIPS 180-4), which people can check with sha256sum ---- */

typedef struct {
    uint32_t state[8];
    uint64_t length; /* bytes so far */
    unsigned char block[64];
} hr_sha256;

enum { HR_SHA256_TEXT = 65 };

void hr_sha256_start(hr_sha256 *hash);
void hr_sha256_add(hr_sha256 *hash, const void *bytes, size_t length);
/* Stores 64 hexadecimal digits and a NUL. */
void hr_sha256_end(hr_sha256 *hash, char out[HR_SHA256_TEXT]);

/* ---- hash.c ---- */

uint64_t hr_hash(const void *bytes, size_t length);

/* Mixes a word so that its low bits, which select the slot of a hash table, depend on all bits.
 * Each step is invertible, so different words stay different. */
static inline uint64_t hr_mix(uint64_t word) {
    word *= UINT64_C(0x9e3779b97f4a7c15);
    word ^= word >> 32;
    word *= UINT64_C(0xd6e8feb86659fd93);
    return word ^ word >> 29;
}

/* Maps 64-bit keys to numbers 0, 1, ... in order of first appearance. Valid when zeroed. */
typedef struct {
    uint64_t *keys;
    uint32_t *values; /* HR_NONE marks a free slot */
    size_t slots;     /* a power of two, or 0 */
    uint32_t count;
} hr_map64;

hr_status hr_map64_intern(hr_map64 *map, uint64_t key, uint32_t *out, hr_error *err);
/* The number of a key, or HR_NONE. */
uint32_t hr_map64_find(const hr_map64 *map, uint64_t key);
/* Removes all keys. The memory stays for reuse unless it is far more than `keys` keys need. */
void hr_map64_clear(hr_map64 *map, size_t keys);
void hr_map64_free(hr_map64 *map);

/* ---- sort.c: counting sorts; and binary search ---- */

/* Groups the items 0 .. count - 1 by key[item], which is below key_count or HR_NONE. The items with
 * key g become member[start[g]] .. member[start[g + 1] - 1], ascending; items with key HR_NONE are
 * left out. `start` needs room for key_count + 2. Time: O(count + key_count). */
void hr_group_by_key(const uint32_t *key, uint32_t count, uint32_t key_count, uint32_t *start,
                     uint32_t *member);

/* Sorts `items` by key[item], which is below key_count; items with equal keys keep their order.
 * Sorts by insertion when there are few items, otherwise one byte of the key at a time. `spare` has
 * room for `count` items. Time: O(count) per byte of key_count. */
void hr_sort_by_key(const uint32_t *key, uint32_t key_count, uint32_t *items, uint32_t *spare,
                    uint32_t count);

/* Index of the first number in list[low .. high - 1], which is ascending, that is at least
 * `number`; `high` if there is none. */
static inline uint32_t hr_find_sorted(const uint32_t *list, uint32_t low, uint32_t high,
                                      uint32_t number) {
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (list[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- binary heaps ---- */

/* Defines two functions for a binary heap of `item`s whose top is the item that comes before all
 * others. `before(context, const item *a, const item *b)` compares two items;
 * `put(context, heap, at, const item *value)` stores an item and may record its position.
 *
 *     NAME_down(context, heap, count, at, value)   place `value` at or below position `at`
 *     NAME_up(context, heap, at, value)            place `value` at or above position `at`
 *
 * Both are static, so the compiler inlines the comparison. A user may need only one of them. */
#define HR_HEAP(name, item, context_type, before, put)                                             \
    HR_MAYBE_UNUSED static inline void name##_down(context_type context, item *heap, size_t count, \
                                                   size_t at, item value) {                        \
        for (size_t child; (child = 2 * at + 1) < count; at = child) {                             \
            if (child + 1 < count && before(context, &heap[child + 1], &heap[child])) child++;     \
            if (!before(context, &heap[child], &value)) break;                                     \
            put(context, heap, at, &heap[child]);                                                  \
        }                                                                                          \
        put(context, heap, at, &value);                                                            \
    }                                                                                              \
    HR_MAYBE_UNUSED static inline void name##_up(context_type context, item *heap, size_t at,      \
                                                 item value) {                                     \
        for (; at > 0 && before(context, &value, &heap[(at - 1) / 2]); at = (at - 1) / 2)          \
            put(context, heap, at, &heap[(at - 1) / 2]);                                           \
        put(context, heap, at, &value);                                                            \
    }

/* ---- the processor ---- */

/* Starts loading the cache line at `address`. */
#if defined(__GNUC__)
#define HR_PREFETCH(address) __builtin_prefetch(address)
#else
#define HR_PREFETCH(address) ((void)(address))
#endif

/* Before a function: compiles it for several vector widths; the loader chooses one. The loader does
 * so before the thread sanitizer is ready, so sanitized builds go without; clang 14 has no
 * clones. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) &&       \
    !defined(__SANITIZE_THREAD__)
#if __GNUC__ >= 12
#define HR_LANES __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define HR_LANES __attribute__((target_clones("avx512f", "avx2", "default")))
#endif
#else
#define HR_LANES
#endif

/* ---- random.c: random numbers that are the same on every machine ---- */

typedef struct {
    uint64_t state[4];
} hr_random;

/* Every pair of seed and stream gives an independent sequence. */
void hr_random_seed(hr_random *random, uint64_t seed, uint64_t stream);
uint64_t hr_random_next(hr_random *random);
uint64_t hr_random_below(hr_random *random, uint64_t limit); /* 0 .. limit - 1, unbiased */
double hr_random_real(hr_random *random);                    /* [0, 1) */
/* Both do without libm, whose results differ between machines. */
double hr_random_normal(hr_random *random);      /* mean 0, deviation 1 */
double hr_random_exponential(hr_random *random); /* mean 1 */

/* ---- option.c: options as data ---- */

typedef enum {
    HR_OPTION_INT,
    HR_OPTION_REAL,
    HR_OPTION_BOOL,
    HR_OPTION_CHOICE,
    HR_OPTION_CHARACTER
} hr_option_type;

/* One row of an option table; a table ends with a row whose name is NULL. The value is stored at
 * `offset` in the options struct as int64_t, double, bool, int (index into `choices`), or char (one
 * ASCII character other than a quote or a line break; NUL stands for "automatic"). */
typedef struct {
    const char *name;
    const char *help;
    hr_option_type type;
    size_t offset;
    double initial, min, max;
    const char *choices;  /* "growth|absolute", for HR_OPTION_CHOICE */
    const char *commands; /* of a format: those that use it, "anonymize check"; NULL: all */
} hr_option;

void hr_options_init(const hr_option *table, void *options);
const hr_option *hr_option_find(const hr_option *table, const char *name);
hr_status hr_option_set(const hr_option *option, void *options, const char *text, hr_error *err);
void hr_option_print(const hr_option *option, const void *options, hr_text *out);

/* ---- thread.c ---- */

unsigned hr_cores(void);

/* Calls task(i, worker, payload, err) for i = 0 .. count - 1 on up to `threads` threads (0 means
 * 1). Tasks start in ascending order. `worker` < threads is the number of the calling thread, for
 * per-thread memory. Returns the failure with the lowest i; after a failure no further task starts.
 * Time: O(count) plus the tasks. */
typedef hr_status (*hr_task)(size_t i, unsigned worker, void *payload, hr_error *err);
hr_status hr_parallel(size_t count, unsigned threads, hr_task task, void *payload, hr_error *err);

/* ---- progress.c ---- */

/* Copies the watch of a caller, whose struct may be of another version. NULL gives a zeroed
 * watch. A watch without `size` is HR_EINVAL. */
hr_status hr_watch_copy(const hr_watch *given, hr_watch *out, hr_error *err);
/* The same watch, NULL or complete, without its notices. */
hr_watch hr_watch_silent(const hr_watch *watch);
/* Returns HR_ECANCEL if the watcher asks to stop. `watch` may be NULL. Only for code that runs in
 * one thread, because callbacks must never overlap. */
hr_status hr_watch_check(const hr_watch *watch, hr_error *err);

/* The progress of one stage of a run, shared by its threads. Zeroed: nothing is reported, and the
 * stage is never cancelled. Callbacks of one progress never overlap, but those of two could. So
 * work within a stage uses a nested progress. */
typedef struct hr_progress {
    struct hr_progress *outer; /* NULL unless nested; a nested progress uses these three alone: */
    double deadline;           /* hr_seconds() at which nested work ends; 0: none */
    bool may_end;              /* nested work also ends when the watcher asks to finish */
    const hr_watch *watch;
    const char *stage;
    uint64_t total;
    atomic_uint_fast64_t done;
    atomic_uint_fast64_t next_report; /* when the next report is due, in nanoseconds */
    atomic_bool cancelled, finishing; /* what the watcher has asked for */
    atomic_flag busy;                 /* set during callbacks, so that they never overlap */
    const char *measure;              /* of the loss that is reported too; NULL: no loss */
    double unit, least;               /* loss per unit of `lost`; least possible loss, or NaN */
    atomic_uint_fast64_t lost;        /* by the best release so far */
} hr_progress;

/* A progress for work within a stage that `outer` already counts. Ignores the units added to it. It
 * is cancelled when `outer` is, and `outer` makes all callbacks. */
hr_progress hr_progress_nested(hr_progress *outer);
/* The same; from the deadline on (0: none), or when the watcher asks to finish, hr_progress_add
 * returns HR_ECANCEL. */
hr_progress hr_progress_nested_until(hr_progress *outer, double deadline);
/* Was HR_ECANCEL returned for the deadline or a request to finish? Then only the nested work ends,
 * and the run goes on. */
bool hr_progress_ran_out(const hr_progress *nested);
/* Has the deadline (hr_seconds(), 0: none) passed? */
bool hr_late(double deadline);
/* Has the watcher asked to end the search with the best release so far? */
bool hr_progress_finishes(const hr_progress *progress);
void hr_progress_start(hr_progress *progress, const hr_watch *watch, const char *stage,
                       uint64_t total);
/* Counts `units` as done. Returns HR_ECANCEL once the watcher has asked to stop. Cheap enough to be
 * called every few microseconds. */
hr_status hr_progress_add(hr_progress *progress, uint64_t units, hr_error *err);
/* From now on also reports the loss of the best release so far: `lost` units, minus those passed to
 * hr_progress_gain. */
void hr_progress_lose(hr_progress *progress, const char *measure, double unit, double least,
                      uint64_t lost);
void hr_progress_gain(hr_progress *progress, uint64_t units);
void hr_progress_end(hr_progress *progress);
void hr_notice(const hr_watch *watch, const char *format, ...) HR_PRINTF(2, 3);

/* A watch that only forwards `cancelled`, for reading small files, which report no progress.
 * `watch` may be NULL. */
static inline hr_watch hr_watch_cancel_only(const hr_watch *watch) {
    return watch ? (hr_watch){.cancelled = watch->cancelled, .payload = watch->payload}
                 : (hr_watch){0};
}

double hr_seconds(void); /* a steady clock */

#endif
