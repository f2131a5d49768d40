/* generate.h - made-up data sets to try and measure things with, each with its hierarchies and a
 * job that runs as it is. There are three families: the four synthetic sets of Truta et al. 2008
 * (generate_papers.c), the population register of an invented country (generate_census.c, which
 * draws from generate_people.c, generate_country.c and generate_names.c), and the file of a
 * hospital (generate_patients.c with generate_hospital.c and generate_patients_job.c). Rows are
 * drawn one after another from one seed and written at once: memory does not grow with the number
 * of rows, and the first n rows are the same however many follow. */
#ifndef HR_GENERATE_H
#define HR_GENERATE_H

#include "io/io.h"
#include <string.h>

/* ---- generate.c: hr_generate and others of hedgerow.h ---- */

/* A request to a generator. */
typedef struct {
    const char *kind;   /* name of the generator and of its files */
    const char *folder; /* it exists, with a folder `hierarchies` inside */
    uint64_t rows, seed;
    bool visits;  /* of patients: several rows per patient */
    bool german;  /* of patients: headers, names, dates and postal codes */
    bool replace; /* existing files are replaced */
    const hr_watch *watch;
} hr_generation;

struct hr_generator {
    const char *name;    /* "uu", "census" */
    const char *variant; /* suffix of a second job, FOLDER/NAME + variant + .yaml; or NULL */
    bool hierarchies;    /* it writes hierarchy files */
    bool hospital;       /* it takes `visits` and `language` */
    hr_status (*write)(const hr_generation *request, hr_error *err);
};

/* ---- generate_papers.c, generate_census.c, generate_patients.c: the generators ---- */

hr_status hr_generate_papers(const hr_generation *request, hr_error *err);
hr_status hr_generate_census(const hr_generation *request, hr_error *err);
hr_status hr_generate_patients(const hr_generation *request, hr_error *err);

/* ---- generate_write.c ---- */

/* Writes `text` to FOLDER/name, whole or not at all, and frees it. A file of that name with other
 * bytes is HR_EINVAL unless request->replace. */
hr_status hr_generate_file(const hr_generation *request, const char *name, hr_text *text,
                           hr_error *err);

enum { HR_GENERATE_ROW = 512 }; /* room for the longest row */

/* Writes FOLDER/KIND.csv: the header and request->rows rows. `row` stores one row at `to`, without
 * the line end, and returns its end. */
hr_status hr_generate_rows(const hr_generation *request, const char *header,
                           char *(*row)(char *to, void *payload), void *payload, hr_error *err);

/* HR_EINVAL if FOLDER/name + suffix exists and request->replace is not set. */
hr_status hr_generate_vacant(const hr_generation *request, const char *name, const char *suffix,
                             hr_error *err);

/* Numbers of ten digits. HR_NUMBER_STEP has none of the prime factors 2, 3 and 5 of
 * HR_NUMBER_COUNT, so that number = (number + HR_NUMBER_STEP) % HR_NUMBER_COUNT repeats none
 * before all were used, and neighbouring rows have numbers far apart. */
#define HR_NUMBER_FIRST UINT64_C(1000000000)
#define HR_NUMBER_COUNT UINT64_C(9000000000)
#define HR_NUMBER_STEP  UINT64_C(3437694271)

/* Each stores its argument at `to` and returns the end: a number; a text and the character that
 * follows it. */
char *hr_generate_number(char *to, uint64_t number);
static inline char *hr_generate_text(char *to, const char *text, char after) {
    size_t length = strlen(text);
    memcpy(to, text, length);
    to[length] = after;
    return to + length + 1;
}

/* ---- generate_lottery.c: draws from a fixed distribution in constant time ---- */

typedef struct {
    uint32_t keep, other; /* this slot's item if 32 random bits are below `keep`, else `other` */
} hr_lottery_slot;

typedef struct {
    uint32_t count;
    hr_lottery_slot *slots; /* in the arena */
} hr_lottery;

/* Item i is drawn with probability weights[i] / sum; 0 < sum < 2^32. Time: O(count). */
hr_status hr_lottery_build(hr_lottery *table, const uint32_t *weights, uint32_t count,
                           hr_arena *arena, hr_error *err);
/* Item i has weight scale / (i + shift): few are frequent, many are rare. */
hr_status hr_lottery_build_zipf(hr_lottery *table, uint32_t scale, uint32_t shift, uint32_t count,
                                hr_arena *arena, hr_error *err);
uint32_t hr_lottery_draw(const hr_lottery *table, hr_random *random);

/* ---- generate_people.c: age, sex, marital status, education, diagnosis and income ---- */

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

/* ---- generate_country.c: birthplaces and residences ---- */

typedef struct hr_country hr_country;
hr_status hr_country_build(hr_arena *arena, const hr_country **out, hr_error *err);
/* Draws the numbers of two places. */
void hr_country_draw(const hr_country *country, hr_random *random, uint32_t age,
                     uint32_t *birthplace, uint32_t *residence);
const char *hr_country_place(const hr_country *country, uint32_t place);
/* Appends the rows of the hierarchy files. */
void hr_country_residences(const hr_country *country, hr_text *out);
void hr_country_birthplaces(const hr_country *country, hr_text *out);
/* The boundary of birthplaces: the parts of the country and the continents. */
extern const char *const hr_country_birth_limits[]; /* ends with NULL */

/* ---- generate_names.c: first and last names ---- */

typedef struct hr_names hr_names;
/* `german`: names with umlauts. */
hr_status hr_names_build(bool german, hr_arena *arena, const hr_names **out, hr_error *err);
/* Stores a first and a last name at `to` and returns the end. */
char *hr_names_put(const hr_names *names, hr_random *random, uint32_t sex, char *to);

/* ---- generate_hospital.c: who comes to a hospital, from where, and with what ---- */

enum { HR_HOSPITAL_DEPARTMENTS = 13, HR_HOSPITAL_INSURERS = 8 };

typedef struct {
    const char *code; /* ICD-10 */
    uint32_t department;
    uint32_t days; /* mean length of stay */
} hr_diagnosis;

typedef struct hr_hospital hr_hospital;
hr_status hr_hospital_build(bool german, hr_arena *arena, const hr_hospital **out, hr_error *err);
/* Sex 0 is male, 1 female. */
void hr_hospital_draw_person(const hr_hospital *hospital, hr_random *random, uint32_t *age,
                             uint32_t *sex);
const hr_diagnosis *hr_hospital_draw_diagnosis(const hr_hospital *hospital, hr_random *random,
                                               uint32_t age, uint32_t sex);
uint32_t hr_hospital_draw_insurer(const hr_hospital *hospital, hr_random *random, uint32_t age);
/* Stores a postal code of five digits, near the hospital more often, and returns the end. */
char *hr_hospital_put_postal(const hr_hospital *hospital, hr_random *random, char *to);
/* [german]: the names. */
extern const char *const hr_hospital_departments[2][HR_HOSPITAL_DEPARTMENTS];
extern const char *const hr_hospital_insurers[2][HR_HOSPITAL_INSURERS];
enum { HR_HOSPITAL_PEDIATRICS = 6 }; /* department */

/* ---- generate_patients_job.c ---- */

/* Columns of patients.csv, in their order. */
enum {
    HR_PATIENT_VISIT, /* only with `visits` */
    HR_PATIENT_NUMBER,
    HR_PATIENT_NAME,
    HR_PATIENT_BIRTH,
    HR_PATIENT_SEX,
    HR_PATIENT_POSTAL,
    HR_PATIENT_INSURANCE,
    HR_PATIENT_ADMISSION,
    HR_PATIENT_DAYS,
    HR_PATIENT_DEPARTMENT,
    HR_PATIENT_DIAGNOSIS,
    HR_PATIENT_WEIGHT,
    HR_PATIENT_HEIGHT,
    HR_PATIENT_HEMOGLOBIN,
    HR_PATIENT_COST,
    HR_PATIENT_COLUMNS
};
extern const char *const hr_patient_names[2][HR_PATIENT_COLUMNS]; /* [german]: the header */
/* Writes FOLDER/patients.yaml. */
hr_status hr_patients_job(const hr_generation *request, hr_error *err);

#endif
