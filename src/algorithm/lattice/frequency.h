/* frequency.h - frequency sets (LeFevre, DeWitt, Ramakrishnan 2005). A frequency set belongs to a
 * node of the lattice of some of the attributes. It lists every combination of a MAM cell and
 * values of these attributes at that node, with the number of its rows and its sensitive values. */
#ifndef HR_FREQUENCY_H
#define HR_FREQUENCY_H

#include "algorithm/lattice/lattice.h"

/* How the values of one sensitive attribute are stored in the set words of a combination: one bit
 * per value or, if bits would take much more room, a list of at most p values. */
typedef struct {
    uint32_t first, words; /* first word and number of words */
    uint32_t most;         /* greatest length of the list; 0: bits */
    uint32_t need;         /* values that an entry needs */
} hr_value_set;

/* The distinct combinations of MAM cell and values at level 0 of the rows outside OUT. Frequency
 * sets are made from these instead of from the table. */
typedef struct {
    hr_arena arena;
    const hr_space *space;
    uint32_t count;
    uint32_t *size;   /* rows of each combination */
    uint32_t *cell;   /* MAM cell of each combination */
    uint32_t **value; /* value[j][c]: value of attribute j in combination c */
    uint32_t *
        *top_cost;  /* top_cost[j][cell]: cost of a row of the cell with attribute j at its top */
    uint32_t *sets; /* count x set_words: sensitive values of each combination */
    size_t set_words;
    hr_value_set *set;     /* per sensitive attribute */
    size_t set_count;      /* 0 if p is 1 */
    const hr_judge *judge; /* if not NULL, the set words of a combination begin with a state of this
                              judge, and the only set is that of its units, if they are counted */
} hr_combinations;

hr_status hr_combinations_make(const hr_space *space, hr_combinations *out, hr_error *err);
void hr_combinations_free(hr_combinations *all);

/* A frequency set. */
typedef struct {
    uint32_t count, capacity;
    uint64_t *keys; /* count x key_words: MAM cell and values, packed */
    uint32_t *sets; /* count x set_words: sensitive values; incomplete for good entries */
    uint32_t *size; /* rows of each entry */
    bool *good;     /* the entry satisfies the models; without a judge every union with other
                       entries does too */
    uint64_t bad;   /* rows of the other entries */
} hr_frequency;

void hr_frequency_free(hr_frequency *frequency);

/* The bits of a key that hold the value of an attribute, or the MAM cell. */
typedef struct {
    uint32_t word, shift;
    uint64_t mask; /* before shifting */
} hr_key_bits;

/* Makes the frequency sets of some attributes. */
typedef struct {
    const hr_combinations *all;
    size_t count;                          /* number of attributes */
    uint32_t attribute[HR_LATTICE_MOVING]; /* their indices among the quasi-identifiers */
    hr_key_bits value_bits[HR_LATTICE_MOVING], cell_bits;
    size_t key_words;
    uint32_t *table; /* hash table over the keys: entry + 1; 0: free */
    size_t table_capacity;
    uint32_t *map[HR_LATTICE_MOVING]; /* scratch: map[i][v] is value v at the level that is made */
} hr_counter;

hr_status hr_counter_init(hr_counter *counter, const hr_combinations *all,
                          const uint32_t *attributes, size_t count, hr_error *err);
void hr_counter_free(hr_counter *counter);

/* Makes the frequency set with attribute i of the counter at level at[i], from the combinations. */
hr_status hr_frequency_scan(hr_counter *counter, const uint32_t *at, hr_frequency *out,
                            hr_error *err);
/* Makes a frequency set from one below: attribute i moves up from level from[i] to level to[i]. */
hr_status hr_frequency_roll_up(hr_counter *counter, const hr_frequency *below, const uint32_t *from,
                               const uint32_t *to, hr_frequency *out, hr_error *err);
/* A copy with no spare capacity, and the bytes that it takes. */
hr_status hr_frequency_copy(const hr_counter *counter, const hr_frequency *from, hr_frequency *out,
                            hr_error *err);
size_t hr_frequency_bytes(const hr_counter *counter, const hr_frequency *frequency);
/* Sums up the entries of a frequency set as groups of the lattice node at which the attributes that
 * are not counted are at their tops. */
hr_tally hr_frequency_tally(const hr_counter *counter, const hr_frequency *frequency,
                            const uint32_t *at);

/* ---- frequency_keep.c ---- */

typedef struct {
    uint32_t at[HR_LATTICE_MOVING]; /* its node */
    hr_frequency frequency;
    uint64_t used; /* `clock` at its last use */
} hr_kept;

/* Makes frequency sets of nodes of one lattice and keeps some of them as sources for others. Valid
 * with counter, low and progress set and everything else zeroed. */
typedef struct {
    hr_counter counter;
    const uint32_t *low;   /* every node is at or above these levels */
    hr_progress *progress; /* checked for cancellation */
    hr_kept *kept;         /* kept[0] is the set at `low` and stays */
    size_t kept_count, kept_capacity;
    size_t kept_bytes; /* of all but kept[0] */
    uint64_t clock;    /* counts uses of kept sets */
    hr_frequency made; /* the set that was made last */
    bool fresh;        /* the last hr_frequencies_get returned `made`, not a kept set */
    uint64_t scans, rollups;
} hr_frequencies;

/* The frequency set of a node, valid until the next call. */
hr_status hr_frequencies_get(hr_frequencies *all, const uint32_t *at, const hr_frequency **out,
                             hr_error *err);
/* Keeps the set that was returned last, which is the set of node `at`, as a source for nodes
 * above. */
hr_status hr_frequencies_keep(hr_frequencies *all, const uint32_t *at, hr_error *err);
void hr_frequencies_free(hr_frequencies *all);

#endif
