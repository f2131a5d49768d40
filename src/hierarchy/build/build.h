/* build.h - hierarchies made from the values of a column, in place of a file.
 *
 * A job names builders: {prefix: [3, 2]}, or a list of them. recipe.c turns that text into a recipe
 * and refuses levels that do not nest; build.c runs the recipe on a column. A builder sees the
 * distinct values of a stage and adds levels, each of which gives every value a label. The labels
 * of the last level are the values of the next stage. After the last stage comes the root `*`. */
#ifndef HR_BUILD_H
#define HR_BUILD_H

#include "hierarchy/hierarchy.h"

/* ---- spec.c: a value of a job that is a text, a list or a mapping ---- */

typedef enum { HR_SPEC_TEXT, HR_SPEC_LIST, HR_SPEC_MAP } hr_spec_kind;

typedef struct hr_spec {
    hr_spec_kind kind;
    const char *text;      /* the text, if it is a text */
    const char **keys;     /* the keys, if it is a mapping, one for each item */
    struct hr_spec *items; /* the items, if it is a list or a mapping */
    size_t count;
} hr_spec;

/* The value of a key, or NULL. */
const hr_spec *hr_spec_find(const hr_spec *map, const char *key);
/* Item i of a list; a text counts as a list of one. */
size_t hr_spec_count(const hr_spec *list);
const hr_spec *hr_spec_item(const hr_spec *list, size_t i);
/* Appends the value as YAML in one line. */
void hr_spec_print(const hr_spec *spec, hr_text *out);
/* Stores the text of `spec`. If it is not a text or empty, the message says to write `wanted`. */
hr_status hr_spec_text(const hr_spec *spec, const char *name, const char *wanted, const char **out,
                       hr_error *err);
/* Reads a list of whole numbers from 1 to `most`, each less than the one before, into an array in
 * the arena. `why` is the part of the message that explains why the list must descend. */
hr_status hr_spec_descending(const hr_spec *spec, const char *name, uint64_t most, const char *why,
                             hr_arena *arena, uint64_t **out, size_t *count, hr_error *err);

/* ---- the table of builders: builders.c ---- */

typedef struct hr_stage hr_stage;

typedef struct {
    const char *name, *title;
    const char *argument; /* what follows the name: "[N, N]" */
    const char *help;
    const char *keys; /* further keys of the mapping: "from bottom top"; NULL: none */
    bool takes_file;  /* the value is the path of a file */
    bool counts_rows; /* the levels depend on how many rows have each value */
    /* Checks the mapping and stores the builder's own form of it, in the arena. */
    hr_status (*parse)(const hr_spec *map, hr_arena *arena, void **plan, hr_error *err);
    /* Adds at least one level to the stage. */
    hr_status (*build)(const void *plan, hr_stage *stage, hr_error *err);
} hr_builder;

extern const hr_builder *const hr_builders[]; /* ends with NULL */

/* ---- recipe.c ---- */

typedef struct {
    const hr_builder *builder;
    void *plan;
    const char *path; /* of a builder that takes a file; NULL otherwise */
} hr_recipe_step;

typedef struct {
    const char *text; /* the recipe as one line, for messages */
    hr_recipe_step *steps;
    size_t count;
} hr_recipe;

/* How the addresses of builders' files are joined to the folder that they are relative to; `folder`
 * NULL: they stay as they are. `join` is hr_address_join of io.h, which this folder must not
 * include. */
typedef struct {
    char *(*join)(const char *folder, const char *address, hr_error *err); /* the caller frees */
    const char *folder;
} hr_recipe_paths;

/* Does the text begin with the name of a builder and a colon: `prefix: [3, 2]`? */
bool hr_begins_builder(const char *text);

/* Parses a mapping or a list of mappings. Everything is in the arena. */
hr_status hr_recipe_parse(const hr_spec *spec, const hr_recipe_paths *paths, hr_arena *arena,
                          const hr_recipe **out, hr_error *err);

/* ---- build.c ---- */

/* The environment of builders: a function that reads a table without a header (`delimiter` 0:
 * detected), and how messages name values. */
typedef struct {
    hr_status (*read)(const char *path, char delimiter, void *payload, hr_table **out,
                      hr_error *err);
    void *payload;
    bool hide_values; /* messages name rows instead of values */
} hr_build_files;

/* Builds the tree of a column, whose numbers have this decimal sign. Missing values get no leaf.
 * Leaves are in the order of their numbers or dates, otherwise bytewise, so that the order of the
 * rows has no influence. Time: O(values x levels + values log values + rows). */
hr_status hr_recipe_build(const hr_recipe *recipe, const hr_column *column,
                          const hr_missing *missing, char point, const hr_build_files *files,
                          hr_hierarchy **out, hr_error *err);

/* One level of a stage: labels by number, and the number of each value's label. */
typedef struct {
    char name[64];
    hr_dictionary labels;
    uint32_t *label; /* per value of the stage */
} hr_level;

/* The distinct values that a builder gets, and the levels that it has added. */
struct hr_stage {
    const hr_column *column;
    const uint32_t *code; /* per value: a code of the column that the value stands for */
    const char **text;
    uint64_t *rows; /* per value: rows of the column */
    double *key;    /* per value: position among the leaves; NaN: by text */
    uint32_t count;
    bool on_labels;   /* the values are labels that the builder before has made */
    const char *path; /* of the builder's file */
    char point;       /* decimal sign of numbers; 0: a point */
    const hr_build_files *files;
    hr_level *levels;
    size_t level_count, level_capacity;
};

/* Adds a level whose labels are all unset. *out is valid until the next level is added. */
hr_status hr_stage_add(hr_stage *stage, const char *name, hr_level **out, hr_error *err);
/* Sets the label of a value. */
hr_status hr_level_set(hr_level *level, uint32_t value, const char *label, size_t length,
                       hr_error *err);
/* The same for a growing text, which is emptied. */
hr_status hr_level_set_text(hr_level *level, uint32_t value, hr_text *label, hr_error *err);
/* Fails because of a value, with the message prefixed by "row 3, column 'age': ". */
hr_status hr_stage_fail(const hr_stage *stage, uint32_t value, hr_error *err, const char *format,
                        ...) HR_PRINTF(4, 5);
/* Fails because a label of the builder before is not `wanted`, such as "a number". */
hr_status hr_stage_no_fit(const hr_stage *stage, uint32_t value, const char *wanted, hr_error *err);
/* Reads the builder's file. The caller frees *out. */
hr_status hr_stage_read(const hr_stage *stage, char delimiter, hr_table **out, hr_error *err);

/* ---- decimal.c: numbers as whole multiples of a power of ten, without rounding ---- */

/* Ends of intervals are whole numbers of units of 10^-scale. */
enum { HR_SCALE_MOST = 15 };
#define HR_UNITS_MOST INT64_C(1000000000000000000)

/* The greatest whole number of units at or below the number. *exact: it is the number itself. False
 * if there are more than HR_UNITS_MOST units; *out is then that limit or its negative. The text is
 * one that hr_parse_number accepts. */
bool hr_decimal_floor(const char *text, int scale, int64_t *out, bool *exact);
/* Appends a number of units as a decimal number with as few digits as possible. */
void hr_decimal_print(int64_t units, int scale, char point, hr_text *out);

/* ---- numbers.c: stages whose values are numbers ---- */

/* The values of a stage in units. */
typedef struct {
    int scale;
    int64_t *units; /* per value, rounded down */
    bool whole;     /* all values are whole numbers, and so are the units */
    char point;     /* decimal sign of labels */
} hr_stage_units;

/* Parses a parameter such as a width as units. The scale must be enough for its digits. */
hr_status hr_spec_units(const char *text, const char *name, int scale, int64_t *out, hr_error *err);
/* Raises *scale to the digits after the point of a parameter. */
hr_status hr_spec_scale(const char *text, const char *name, int *scale, hr_error *err);
/* Parses all values and sets the keys of the stage. Values from `top` on and values below `bottom`
 * may be too large for units. The array is on the heap. */
hr_status hr_stage_parse_units(hr_stage *stage, int scale, const int64_t *bottom,
                               const int64_t *top, hr_stage_units *out, hr_error *err);
/* The error for a value that is not a number. */
hr_status hr_stage_no_number(const hr_stage *stage, uint32_t value, hr_error *err);

/* The half-open interval lo .. hi; an end that is not limited is marked. */
typedef struct {
    int64_t lo, hi;
    bool no_lo, no_hi;
} hr_interval;

/* Appends "20..24" if all values are whole, otherwise "[20, 25[", with a decimal comma "[2,5;
 * 5["; "<20" or "90+" if one end is not limited; "*" if neither is. */
void hr_interval_print(const hr_interval *interval, const hr_stage_units *units, hr_text *out);

#endif
