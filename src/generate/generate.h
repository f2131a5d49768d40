/* generate.h - `hedgerow generate`: data sets to try and measure things with, each with its
 * hierarchies and a job that runs as it is. Two families: the four synthetic sets of Truta et al.
 * 2008 (generate_papers.c) and the population register of an invented country (generate_census.c),
 * which is put together from people, country and names. Rows are drawn one after another from one
 * seed and written as they are drawn: memory does not grow with the rows, and the first n rows are
 * the same however many follow. */
#ifndef HR_GENERATE_H
#define HR_GENERATE_H

#include "io/io.h"
#include <string.h>

/* What was asked for. */
typedef struct {
    const char *kind;   /* "uu", "census": also the name of the files */
    const char *folder; /* exists, with a folder `hierarchies` in it */
    uint64_t rows, seed;
    const hr_watch *watch; /* may be NULL */
} hr_generate_request;

hr_status hr_generate_papers(const hr_generate_request *request, hr_error *err);
hr_status hr_generate_census(const hr_generate_request *request, hr_error *err);

/* ---- generate_write.c ---- */

/* Write FOLDER/name with that text: whole or not at all. The text is emptied. */
hr_status hr_generate_file(const hr_generate_request *request, const char *name, hr_text *text,
                           hr_error *err);

enum { HR_GENERATE_ROW = 512 }; /* room for the longest row */

/* Write FOLDER/KIND.csv: the header, then for every row what `row` puts at `to`, returning its end
 * (the line end is added). */
hr_status hr_generate_rows(const hr_generate_request *request, const char *header,
                           char *(*row)(char *to, void *payload), void *payload, hr_error *err);

/* Put a number, or a text and what follows it, and return the end. */
char *hr_generate_number(char *to, uint64_t number);
static inline char *hr_generate_text(char *to, const char *text, char after) {
    size_t length = strlen(text);
    memcpy(to, text, length);
    to[length] = after;
    return to + length + 1;
}

/* ---- generate_lottery.c: draws from a fixed distribution in constant time ---- */

typedef struct {
    uint32_t keep, other; /* the slot itself where 32 random bits are below `keep`, else `other` */
} hr_lottery_slot;

typedef struct {
    uint32_t count;
    hr_lottery_slot *slots; /* in the arena */
} hr_lottery;

/* Item i is to come with probability weights[i] / sum; 0 < sum < 2^32. Time: O(count). */
hr_status hr_lottery_build(hr_lottery *table, const uint32_t *weights, uint32_t count,
                           hr_arena *arena, hr_error *err);
/* Item i has weight scale / (i + shift): few are frequent, many are rare. */
hr_status hr_lottery_build_zipf(hr_lottery *table, uint32_t scale, uint32_t shift, uint32_t count,
                                hr_arena *arena, hr_error *err);
uint32_t hr_lottery_draw(const hr_lottery *table, hr_random *random);

/* ---- generate_people.c: who they are ---- */

enum {
    HR_PEOPLE_AGES = 106,
    HR_PEOPLE_STATUSES = 5,
    HR_PEOPLE_EDUCATIONS = 10,
    HR_PEOPLE_DIAGNOSES = 40
};
enum { HR_PEOPLE_TOP_INCOME = 80000 }; /* higher incomes are top-coded, as statistical offices do */

typedef struct {
    uint32_t age, sex, status, education, diagnosis, income;
} hr_person;

typedef struct hr_people hr_people;
hr_status hr_people_build(hr_arena *arena, const hr_people **out, hr_error *err);
void hr_people_draw(const hr_people *people, hr_random *random, hr_person *out);

extern const char *const hr_people_sexes[2];
extern const char *const hr_people_statuses[HR_PEOPLE_STATUSES][2];     /* status, its group */
extern const char *const hr_people_educations[HR_PEOPLE_EDUCATIONS][2]; /* education, its group */
const char *hr_people_diagnosis(uint32_t diagnosis);

/* ---- generate_country.c: where they were born and live ---- */

typedef struct hr_country hr_country;
hr_status hr_country_build(hr_arena *arena, const hr_country **out, hr_error *err);
/* Numbers of places. */
void hr_country_draw(const hr_country *country, hr_random *random, uint32_t age,
                     uint32_t *birthplace, uint32_t *residence);
const char *hr_country_place(const hr_country *country, uint32_t place);
/* Rows of the hierarchy files, and the labels at which a job may draw the boundary of birthplaces:
 * the parts of the country and the continents. */
void hr_country_residences(const hr_country *country, hr_text *out);
void hr_country_birthplaces(const hr_country *country, hr_text *out);
extern const char *const hr_country_birth_limits[]; /* ends with NULL */

/* ---- generate_names.c: what they are called ---- */

typedef struct hr_names hr_names;
hr_status hr_names_build(hr_arena *arena, const hr_names **out, hr_error *err);
/* Put a first and a last name and return the end. */
char *hr_names_put(const hr_names *names, hr_random *random, uint32_t sex, char *to);

#endif
