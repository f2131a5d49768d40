/* data.h - a table as columns of integer codes (dictionary, column, table), groups of rows with
 * equal values, and the partition that every algorithm returns. */
#ifndef HR_DATA_H
#define HR_DATA_H

#include "base/base.h"

/* ---- dictionary.c: the texts of a column and their codes 0, 1, ... by first appearance ---- */

typedef struct {
    uint64_t hash;   /* of the text, all 64 bits */
    uint32_t code;   /* code of the text plus 1; 0: the slot is free */
    uint32_t length; /* of the text */
} hr_dictionary_slot;

typedef struct {
    char *bytes; /* all texts, each NUL-terminated */
    size_t bytes_used, bytes_capacity;
    size_t *offset; /* of each code */
    size_t offset_capacity;
    uint32_t count;
    uint32_t null; /* code of null plus 1; 0: there is none */
    hr_dictionary_slot *slots;
    size_t slot_count; /* a power of two, or 0 */
} hr_dictionary;

/* Stores the code of a text, which is added if new. Time: O(length), amortized. */
hr_status hr_dictionary_intern(hr_dictionary *dictionary, const char *text, size_t length,
                               uint32_t *out, hr_error *err);
/* The same for many texts in their order. Faster than one by one, because cache misses overlap. */
typedef struct {
    const char *text;
    size_t length;
    uint64_t hash; /* hash and code are set by the call */
    uint32_t code;
} hr_dictionary_item;
hr_status hr_dictionary_intern_all(hr_dictionary *dictionary, hr_dictionary_item *items,
                                   size_t count, hr_error *err);
/* The code of null, added if new. Its text is empty, but hr_dictionary_find never finds it: null
 * and the empty text are different values. */
hr_status hr_dictionary_null(hr_dictionary *dictionary, uint32_t *out, hr_error *err);
static inline bool hr_dictionary_is_null(const hr_dictionary *dictionary, uint32_t code) {
    return dictionary->null == code + 1;
}
/* The code in `to` of a value of `from`, added if new. */
hr_status hr_dictionary_copy(hr_dictionary *to, const hr_dictionary *from, uint32_t code,
                             uint32_t *out, hr_error *err);
/* The code of a text, or HR_NONE. */
uint32_t hr_dictionary_find(const hr_dictionary *dictionary, const char *text, size_t length);
/* The code in `known` of a value of `from`, or HR_NONE. A file cannot tell null from an empty text,
 * so if `known` has only one of the two, both are taken to be that. */
uint32_t hr_dictionary_match(const hr_dictionary *known, const hr_dictionary *from, uint32_t code);
const char *hr_dictionary_text(const hr_dictionary *dictionary, uint32_t code);
size_t hr_dictionary_length(const hr_dictionary *dictionary, uint32_t code);
/* Lists the codes in the bytewise order of their texts, null first; `codes` has room for all. */
hr_status hr_dictionary_sort(const hr_dictionary *dictionary, uint32_t *codes, hr_error *err);
/* rank[code] becomes the position of the text in bytewise order, null first; `rank` has room for
 * all codes. */
hr_status hr_dictionary_rank(const hr_dictionary *dictionary, uint32_t *rank, hr_error *err);
/* The text of the dictionary that is nearest to `text` (see hr_text_nearest), or NULL. */
const char *hr_dictionary_nearest(const hr_dictionary *dictionary, const char *text);
void hr_dictionary_free(hr_dictionary *dictionary);

/* ---- column.c ---- */

typedef struct {
    char *name;
    hr_dictionary dictionary;
    void *codes;    /* uint8_t, uint16_t or uint32_t: the narrowest whose signed twin holds them */
    unsigned width; /* bytes per code: 1, 2 or 4 */
    size_t rows, capacity;
    char *format; /* the Arrow type that the values came with; NULL: text */
    bool coded;   /* an Arrow dictionary when it came, and when it is exported */
    /* For a column from a database whose columns convert values or mix types (SQLite): the type
     * that was declared for it (a static text) or NULL, and whether its values have several types.
     * `format` is then NULL, and a text that is the text of a number stands for that number. */
    const char *affinity;
    bool mixed;
    /* For a column from PostgreSQL whose type has no Arrow type, such as uuid or an enum: the type
     * to declare for it again (the quoted name of an enum). `format` is then NULL. */
    char *declared;
    /* Why values of the column were left out, a static text; NULL: none were. See `skip_unread` of
     * hr_read_options. */
    const char *unread;
} hr_column;

/* Gives a column the type of another one: format, declared, coded, affinity and mixed. */
hr_status hr_column_take_type(hr_column *column, const hr_column *from, hr_error *err);
hr_status hr_column_append(hr_column *column, uint32_t code, hr_error *err);
hr_status hr_column_append_text(hr_column *column, const char *text, size_t length, hr_error *err);
/* Appends many codes. */
hr_status hr_column_append_codes(hr_column *column, const uint32_t *codes, size_t count,
                                 hr_error *err);
/* Frees capacity that no row uses. */
void hr_column_shrink(hr_column *column);
void hr_column_free(hr_column *column);

static inline uint32_t hr_column_code(const hr_column *column, size_t row) {
    switch (column->width) {
    case 1: return ((const uint8_t *)column->codes)[row];
    case 2: return ((const uint16_t *)column->codes)[row];
    default: return ((const uint32_t *)column->codes)[row];
    }
}

static inline const char *hr_column_text(const hr_column *column, size_t row) {
    return hr_dictionary_text(&column->dictionary, hr_column_code(column, row));
}

/* out[i] = map[code of row first + i] for `count` rows; the codes themselves if map is NULL. */
void hr_column_map(const hr_column *column, size_t first, size_t count, const uint32_t *map,
                   uint32_t *out);

/* ---- table.c ---- */

struct hr_table {
    hr_column *columns;
    size_t column_count;
    size_t rows;
    char delimiter; /* delimiter of the file that was read, or ','; writing uses it again */
    char *source;   /* name of the file read, or NULL */
    /* Names of all columns of an Arrow stream of which only some were read; otherwise NULL. */
    char **header;
    size_t header_count;
    /* Number of exported Arrow arrays that borrow codes from the table, plus 1 for its owner. Who
     * lowers it to 0 frees the table. */
    atomic_size_t holders;
};

/* The column of that name, or NULL. */
const hr_column *hr_table_find(const hr_table *table, const char *name);

/* ---- groups.c: rows with equal values ----
 * Each split refines the groups by one more column in one pass over the rows. Groups are numbered
 * by first appearance, so the result depends only on the values and the order of the rows. */

typedef struct {
    uint32_t *of_row; /* group of each row; HR_NONE: the row is left out */
    size_t rows;
    uint32_t count;
    const uint32_t *weight; /* borrowed; how many rows each row stands for; NULL: one */
} hr_groups;

/* Puts all rows into one group; without rows there is no group. */
hr_status hr_groups_start(hr_groups *groups, size_t rows, hr_error *err);
/* Splits every group by map[code], or by code if map is NULL; all these numbers are below
 * value_count. Rows whose map[code] is HR_NONE leave the groups instead. Time: O(rows). */
hr_status hr_groups_split(hr_groups *groups, const hr_column *column, const uint32_t *map,
                          uint32_t value_count, hr_error *err);
/* Splits by several columns, in as few passes as their numbers of values allow; the result is that
 * of hr_groups_split for each column. Faster if there are many groups. */
typedef struct {
    const hr_column *column;
    const uint32_t *map;
    uint32_t value_count;
} hr_split;
hr_status hr_groups_split_all(hr_groups *groups, const hr_split *by, size_t count, hr_error *err);
/* Lists the rows of each group: those of group g are member[start[g]] .. member[start[g + 1] - 1],
 * ascending. The caller frees both arrays. Time: O(rows + groups). */
hr_status hr_groups_members(const hr_groups *groups, uint32_t **start, uint32_t **member,
                            hr_error *err);
void hr_groups_free(hr_groups *groups);

/* ---- order.c ---- */

/* Sorts the rows bytewise by the texts of the columns, the first column first. Rows with equal
 * texts keep their order. The caller frees *order. Time: O(columns x rows). */
hr_status hr_rows_order(const hr_column *const *columns, size_t count, size_t rows,
                        uint32_t **order, hr_error *err);
/* The codes of rows order[0], order[1], ..., as wide as the column's. The caller frees *codes. */
hr_status hr_column_reorder(const hr_column *column, const uint32_t *order, void **codes,
                            hr_error *err);

/* ---- partition.c ---- */

/* A published value of one attribute: a hierarchy node (lo == hi == node) or, for a numeric
 * attribute without hierarchy, the least and the greatest rank among the distinct numbers of the
 * table. */
typedef struct {
    uint32_t lo, hi;
} hr_span;

enum { HR_DECIMALS_OF_INPUT = -1 }; /* as many as the numbers of the column have */

/* The result of an algorithm: the cluster of every row and the published values of every
 * cluster. */
typedef struct {
    size_t rows;
    size_t quasi_count;
    uint32_t *cluster; /* of each row; HR_NONE: suppressed */
    uint32_t cluster_count;
    hr_span *values;   /* cluster_count x quasi_count */
    double *means;     /* quasi_count x cluster_count, published instead of `values`; or NULL */
    int mean_decimals; /* digits after the point of published means, or HR_DECIMALS_OF_INPUT */
    bool time_limited; /* a time limit ended the search: a repeated run may differ */
} hr_partition;

/* Renumbers the clusters by their first row, so that the numbers do not depend on the order in
 * which the clusters were found. */
hr_status hr_partition_canonize(hr_partition *partition, hr_error *err);
void hr_partition_free(hr_partition *partition);

#endif
