/* frequency.h - frequency sets (LeFevre, DeWitt, Ramakrishnan 2005): for a node of the lattice of
 * some of the attributes, every combination of values with its rows and its sensitive values; see
 * frequency.c. */
#ifndef HR_FREQUENCY_H
#define HR_FREQUENCY_H

#include "algorithm/lattice/lattice.h"

/* A set of one attribute's sensitive values in a few words: a bit for each value, or, where that
 * would take much more room, a list of up to p values, which leaves out any more. */
typedef struct {
    uint32_t first, words;
    uint32_t most; /* values listed; 0: bits */
} hr_value_set;

/* The distinct combinations of values of the rows at hand, at level 0: what is scanned in place of
 * the table. */
typedef struct {
    hr_arena arena;
    const hr_space *space;
    uint32_t count;
    uint32_t *size;      /* rows of each */
    uint32_t *cell;      /* MAM cell of each */
    uint32_t **value;    /* per quasi-identifier: of each */
    uint32_t **top_cost; /* per quasi-identifier and MAM cell: what a row costs at the top */
    uint32_t *sets;      /* count x set_words */
    size_t set_words;
    hr_value_set *set; /* per sensitive attribute */
    size_t set_count;  /* 0 if p is 1 */
} hr_combinations;

hr_status hr_combinations_make(const hr_space *space, hr_combinations *out, hr_error *err);
void hr_combinations_free(hr_combinations *all);

typedef struct {
    uint32_t count, capacity;
    uint64_t *keys; /* count x key_words: the values, packed */
    uint32_t *sets; /* count x set_words */
    uint32_t *size; /* rows */
    bool *good;     /* satisfies the models, and whatever it is united with will */
    uint64_t bad;   /* rows of those that do not */
} hr_frequency;

void hr_frequency_free(hr_frequency *frequency);

/* Where an attribute's value is in a key. */
typedef struct {
    uint32_t word, shift;
    uint64_t mask; /* before shifting */
} hr_field;

/* Counts rows by the MAM cell and some attributes. */
typedef struct {
    const hr_combinations *all;
    size_t count;                          /* attributes */
    uint32_t attribute[HR_LATTICE_MOVING]; /* their numbers */
    hr_field field[HR_LATTICE_MOVING], cell_field;
    size_t key_words;
    uint32_t *table; /* entry + 1, by hash of the key */
    size_t table_capacity;
    uint32_t *map[HR_LATTICE_MOVING]; /* of each attribute's values */
} hr_counter;

hr_status hr_counter_init(hr_counter *counter, const hr_combinations *all,
                          const uint32_t *attributes, size_t count, hr_error *err);
void hr_counter_free(hr_counter *counter);

/* From the combinations, with attribute i of the counter at level at[i]. */
hr_status hr_frequency_scan(hr_counter *counter, const uint32_t *at, hr_frequency *out,
                            hr_error *err);
/* From another frequency set, attribute i going up from level from[i] to level to[i]. */
hr_status hr_frequency_roll_up(hr_counter *counter, const hr_frequency *below, const uint32_t *from,
                               const uint32_t *to, hr_frequency *out, hr_error *err);
/* A copy without room to spare, and the bytes that it takes. */
hr_status hr_frequency_copy(const hr_counter *counter, const hr_frequency *from, hr_frequency *out,
                            hr_error *err);
size_t hr_frequency_bytes(const hr_counter *counter, const hr_frequency *frequency);
/* The classes of a frequency set, with the attributes that are not counted at their tops. */
hr_tally hr_frequency_tally(const hr_counter *counter, const hr_frequency *frequency,
                            const uint32_t *at);

/* ---- frequency_keep.c ---- */

typedef struct {
    uint32_t at[HR_LATTICE_MOVING];
    hr_frequency frequency;
    uint64_t used;
} hr_kept;

/* Frequency sets of the nodes of one lattice, some of which are kept for others. Valid with a counter,
 * the lowest levels, and otherwise zeroed. */
typedef struct {
    hr_counter counter;
    const uint32_t *low;   /* no node is below */
    hr_progress *progress; /* asked whether to go on */
    hr_kept *kept;
    size_t kept_count, kept_capacity, kept_bytes;
    uint64_t clock;    /* counts uses of them */
    hr_frequency made; /* the one asked for last, */
    bool fresh;        /* unless it was kept */
    uint64_t scans, rollups;
} hr_frequencies;

/* The frequency set of a node, valid until the next is asked for. */
hr_status hr_frequencies_get(hr_frequencies *all, const uint32_t *at, const hr_frequency **out,
                             hr_error *err);
/* The one asked for last may serve nodes above it. */
hr_status hr_frequencies_keep(hr_frequencies *all, const uint32_t *at, hr_error *err);
void hr_frequencies_free(hr_frequencies *all);

#endif
