/* layout_rank.c - the order of the quasi-identifier combinations: sorts the rows by all
 * distinctions, the most costly first, and numbers the runs of equal rows.
 *
 * Given the coarser distinctions, a distinction is a small number: the position among siblings.
 * So the path of a value takes a few bits, and a combination mostly fits one 64-bit word: the sum
 * of one table lookup per attribute. Words and rows are sorted together digit by digit, with
 * sequential reads (hr_sort_by_key would look up a key per row). If one word is too narrow there
 * are several, and the least significant is sorted by first. */
#include "algorithm/layout.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 4096, DIGIT = 8, BUCKETS = 1 << DIGIT, DIGITS = 64 / DIGIT };

/* ---- from values to words ---- */

typedef struct {
    const hr_microdata *data;
    const hr_layout *layout;
    uint32_t **part;  /* per distinction and value: position among siblings */
    unsigned *width;  /* per distinction: bits of `part` */
    uint64_t **word;  /* per attribute and value: its bits of the current word */
    size_t digits;    /* of the current word */
    hr_arena arena;   /* memory of part, width and word */
    uint64_t *key;    /* current word of each sorted row */
    uint64_t *key_to; /* target of the next pass */
    uint32_t *row, *row_to;
    size_t count;  /* rows that are not dropped */
    bool *differs; /* per sorted row: its combination differs from the row before */
    hr_error *err;
} rank_state;

static unsigned bits_of(uint32_t number) {
    unsigned bits = 0;
    for (; number > 0; number >>= 1)
        bits++;
    return bits;
}

/* The next coarser distinction of the attribute of distinction d, or NULL. */
static const hr_distinction *coarser(const hr_layout *layout, size_t d) {
    for (size_t c = d; c-- > 0;)
        if (layout->distinctions[c].quasi == layout->distinctions[d].quasi)
            return &layout->distinctions[c];
    return NULL;
}

/* Number the keys of a distinction among the keys with the same coarser key. Values that do not
 * occur are left out. */
static hr_status number_parts(rank_state *r, size_t d) {
    const hr_distinction *by = &r->layout->distinctions[d], *over = coarser(r->layout, d);
    const hr_quasi *quasi = &r->data->quasi[by->quasi];
    r->part[d] = hr_arena_alloc(&r->arena, quasi->value_count, sizeof **r->part, r->err);
    uint32_t *above = hr_alloc_raw((size_t)by->key_count * 2, sizeof *above, r->err);
    if (!r->part[d] || !above) {
        free(above);
        return HR_ENOMEM;
    }
    uint32_t *number = above + by->key_count, last = HR_NONE, next = 0, most = 0;
    memset(above, 0xff, by->key_count * sizeof *above);
    for (uint32_t code = 0; code < quasi->column->dictionary.count; code++) {
        uint32_t value = quasi->value_of_code[code];
        if (value != HR_NONE) above[by->key[value]] = over ? over->key[value] : 0;
    }
    for (uint32_t key = 0; key < by->key_count; key++) {
        if (above[key] == HR_NONE) continue;
        next = above[key] == last ? next + 1 : 0;
        last = above[key];
        number[key] = next;
        if (next > most) most = next;
    }
    for (uint32_t value = 0; value < quasi->value_count; value++)
        if (above[by->key[value]] != HR_NONE) r->part[d][value] = number[by->key[value]];
    r->width[d] = bits_of(most);
    free(above);
    return HR_OK;
}

/* Fills the word with the distinctions before `end`, as many as fit; returns the first of them. */
static size_t fill_word(rank_state *r, size_t end) {
    for (size_t j = 0; j < r->data->quasi_count; j++)
        memset(r->word[j], 0, r->data->quasi[j].value_count * sizeof *r->word[j]);
    unsigned used = 0;
    size_t d = end;
    for (; d > 0 && used + r->width[d - 1] <= 64; d--) {
        size_t j = r->layout->distinctions[d - 1].quasi;
        if (r->width[d - 1] == 0) continue;
        for (uint32_t value = 0; value < r->data->quasi[j].value_count; value++)
            r->word[j][value] |= (uint64_t)r->part[d - 1][value] << used;
        used += r->width[d - 1];
    }
    r->digits = (used + DIGIT - 1) / DIGIT;
    return d;
}

/* Words of rows first .. first + count - 1. */
static void words_of(const rank_state *r, size_t first, size_t count, uint64_t *words,
                     bool *dropped) {
    uint32_t values[CHUNK];
    memset(words, 0, count * sizeof *words);
    memset(dropped, 0, count * sizeof *dropped);
    for (size_t j = 0; j < r->data->quasi_count; j++) {
        const hr_quasi *quasi = &r->data->quasi[j];
        hr_column_map(quasi->column, first, count, quasi->value_of_code, values);
        for (size_t i = 0; i < count; i++) {
            dropped[i] |= values[i] == HR_NONE;
            if (values[i] != HR_NONE) words[i] += r->word[j][values[i]];
        }
    }
}

/* ---- sorting ---- */

/* Lists the rows that are not dropped, in input order, with their words. */
static void list_rows(rank_state *r) {
    uint64_t words[CHUNK];
    bool dropped[CHUNK];
    for (size_t first = 0; first < r->data->rows; first += CHUNK) {
        size_t count = r->data->rows - first < CHUNK ? r->data->rows - first : CHUNK;
        words_of(r, first, count, words, dropped);
        for (size_t i = 0; i < count; i++) {
            if (dropped[i]) continue;
            r->key[r->count] = words[i];
            r->row[r->count++] = (uint32_t)(first + i);
        }
    }
}

/* Sets the keys of the rows to the current word. The rows are sorted by the less significant
 * words. */
static void next_words(rank_state *r, uint64_t *of_row) {
    bool dropped[CHUNK];
    for (size_t first = 0; first < r->data->rows; first += CHUNK)
        words_of(r, first, r->data->rows - first < CHUNK ? r->data->rows - first : CHUNK,
                 of_row + first, dropped);
    for (size_t i = 0; i < r->count; i++)
        r->key[i] = of_row[r->row[i]];
}

static void sort_by_digit(rank_state *r, unsigned shift, const size_t *count) {
    size_t place[BUCKETS], sum = 0;
    for (size_t b = 0; b < BUCKETS; b++) {
        place[b] = sum;
        sum += count[b];
    }
    for (size_t i = 0; i < r->count; i++) {
        size_t to = place[r->key[i] >> shift & (BUCKETS - 1)]++;
        r->key_to[to] = r->key[i];
        r->row_to[to] = r->row[i];
    }
    uint64_t *key = r->key;
    uint32_t *row = r->row;
    r->key = r->key_to;
    r->row = r->row_to;
    r->key_to = key;
    r->row_to = row;
}

/* Stable sort by the current word. A digit in which all rows agree is skipped. */
static void sort_by_word(rank_state *r) {
    static const size_t none[DIGITS][BUCKETS];
    size_t count[DIGITS][BUCKETS];
    memcpy(count, none, sizeof count);
    for (size_t i = 0; i < r->count; i++)
        for (size_t d = 0; d < r->digits; d++)
            count[d][r->key[i] >> d * DIGIT & (BUCKETS - 1)]++;
    for (size_t d = 0; d < r->digits; d++)
        if (r->count && count[d][r->key[0] >> d * DIGIT & (BUCKETS - 1)] < r->count)
            sort_by_digit(r, (unsigned)d * DIGIT, count[d]);
}

static void note_differences(rank_state *r) {
    for (size_t i = 1; i < r->count; i++)
        r->differs[i] |= r->key[i] != r->key[i - 1];
}

/* Sorts by every word. With several words, `differs` is computed once the order is final. */
static hr_status sort_rows(rank_state *r) {
    size_t first = fill_word(r, r->layout->distinction_count);
    list_rows(r);
    sort_by_word(r);
    if (first == 0) {
        note_differences(r);
        return HR_OK;
    }
    uint64_t *of_row = hr_alloc_raw(r->data->rows, sizeof *of_row, r->err);
    if (!of_row) return HR_ENOMEM;
    while (first > 0) {
        first = fill_word(r, first);
        next_words(r, of_row);
        sort_by_word(r);
    }
    for (size_t end = r->layout->distinction_count; end > 0;) {
        end = fill_word(r, end);
        next_words(r, of_row);
        note_differences(r);
    }
    free(of_row);
    return HR_OK;
}

/* ---- the whole ---- */

static hr_status allocate(rank_state *r) {
    size_t d = r->layout->distinction_count, t = r->data->quasi_count, n = r->data->rows;
    r->part = hr_arena_alloc(&r->arena, d, sizeof *r->part, r->err);
    r->width = hr_arena_alloc(&r->arena, d, sizeof *r->width, r->err);
    r->word = hr_arena_alloc(&r->arena, t, sizeof *r->word, r->err);
    r->key = hr_alloc_raw(n, sizeof *r->key, r->err);
    r->key_to = hr_alloc_raw(n, sizeof *r->key_to, r->err);
    r->row = hr_alloc_raw(n, sizeof *r->row, r->err);
    r->row_to = hr_alloc_raw(n, sizeof *r->row_to, r->err);
    r->differs = hr_alloc(n, sizeof *r->differs, r->err);
    if (!r->part || !r->width || !r->word || !r->key || !r->key_to || !r->row || !r->row_to ||
        !r->differs)
        return HR_ENOMEM;
    for (size_t j = 0; j < t; j++) {
        r->word[j] =
            hr_arena_alloc(&r->arena, r->data->quasi[j].value_count, sizeof **r->word, r->err);
        if (!r->word[j]) return HR_ENOMEM;
    }
    for (size_t i = 0; i < d; i++)
        HR_TRY(number_parts(r, i));
    return HR_OK;
}

static hr_status rank_rows(rank_state *r, hr_layout *layout) {
    HR_TRY(allocate(r));
    HR_TRY(sort_rows(r));
    layout->rank = hr_alloc_raw(r->data->rows, sizeof *layout->rank, r->err);
    if (!layout->rank) return HR_ENOMEM;
    memset(layout->rank, 0xff, r->data->rows * sizeof *layout->rank);
    for (size_t i = 0; i < r->count; i++) {
        layout->combination_count += i == 0 || r->differs[i];
        layout->rank[r->row[i]] = layout->combination_count - 1;
    }
    layout->sorted = r->row;
    layout->sorted_count = r->count;
    r->row = NULL;
    return HR_OK;
}

hr_status hr_layout_rank(const hr_microdata *data, hr_layout *layout, hr_error *err) {
    rank_state r = {.data = data, .layout = layout, .err = err};
    hr_status status = rank_rows(&r, layout);
    free(r.key);
    free(r.key_to);
    free(r.row);
    free(r.row_to);
    free(r.differs);
    hr_arena_free(&r.arena);
    return status;
}
