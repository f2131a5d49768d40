/* generate_patients.c - the file of a hospital: one row per patient, or with `visits` one row per
 * stay, the stays of a patient one after the other. Values are missing as they are in such files:
 * seldom a postal code, often a laboratory value. */
#include "generate/generate.h"

#include <math.h>

/* Days are counted from 1970-01-01. Admissions lie in the years 2023 and 2024. */
enum { FIRST_DAY = 19358, LAST_DAY = 20088, VISITS_MOST = 12, NAME_ROOM = 96, POSTAL_ROOM = 8 };

/* Of 1000 rows: how many lack a value. */
enum {
    NO_POSTAL = 12,
    NO_SEX = 2,
    NO_INSURANCE = 15,
    NO_DIAGNOSIS = 4,
    NO_WEIGHT = 110,
    NO_HEIGHT = 150,
    NO_HEMOGLOBIN = 290
};

typedef struct {
    uint64_t number;
    char name[NAME_ROOM], postal[POSTAL_ROOM];
    uint32_t sex, age, insurer, visits_left;
    int64_t born, admitted; /* days */
    double height, weight;  /* cm, kg */
    const hr_diagnosis *diagnosis;
    bool other_sex;
} patient;

typedef struct {
    const hr_generation *request;
    const hr_hospital *hospital;
    const hr_names *names;
    hr_random random;
    uint64_t number; /* of the last patient, minus HR_NUMBER_FIRST */
    uint64_t visit;  /* of the last row */
    patient now;
} hospital_state;

/* ---- Drawing ---- */

static bool happens(hospital_state *state, uint32_t of_1000) {
    return hr_random_below(&state->random, 1000) < of_1000;
}

/* Few people are admitted on Saturdays and Sundays: two of three such days are drawn again. */
static int64_t draw_admission(hospital_state *state) {
    int64_t day;
    do
        day = FIRST_DAY + (int64_t)hr_random_below(&state->random, LAST_DAY - FIRST_DAY + 1);
    while ((day + 4) % 7 % 6 == 0 && happens(state, 667)); /* day 0 was a Thursday */
    return day;
}

static void draw_body(hospital_state *state, patient *who) {
    double years = who->age, grown = years < 18 ? years / 18 : 1;
    double full = who->sex ? 165 : 178, spread = 2 + 4.5 * grown;
    if (years > 60) full -= (years - 60) * 0.12;
    who->height = 51 + (full - 51) * sqrt(grown) + spread * hr_random_normal(&state->random);
    double metres = who->height / 100, index = 14 + 12.5 * grown * grown;
    index *= 1 + 0.16 * hr_random_normal(&state->random);
    who->weight = (index < 11 ? 11 : index) * metres * metres;
}

static void draw_patient(hospital_state *state) {
    patient *who = &state->now;
    hr_random *random = &state->random;
    state->number = (state->number + HR_NUMBER_STEP) % HR_NUMBER_COUNT;
    who->number = HR_NUMBER_FIRST + state->number;
    hr_hospital_draw_person(state->hospital, random, &who->age, &who->sex);
    *hr_names_put(state->names, random, who->sex, who->name) = '\0';
    *hr_hospital_put_postal(state->hospital, random, who->postal) = '\0';
    if (happens(state, NO_POSTAL)) who->postal[0] = '\0';
    who->insurer = hr_hospital_draw_insurer(state->hospital, random, who->age);
    who->diagnosis = hr_hospital_draw_diagnosis(state->hospital, random, who->age, who->sex);
    who->admitted = draw_admission(state);
    /* A newborn is a few days old, everybody else up to a year older than the age in years. */
    uint64_t days = hr_random_below(random, who->age > 0 ? 365 : 3);
    who->born = who->admitted - (int64_t)(who->age * 365 + who->age / 4 + days);
    who->other_sex = happens(state, 1);
    draw_body(state, who);
    who->visits_left = 1;
    if (!state->request->visits) return;
    while (who->visits_left < VISITS_MOST && happens(state, who->age < 1 ? 120 : 430))
        who->visits_left++;
}

/* The next stay: some weeks later, for the same reason three times of five. */
static void draw_return(hospital_state *state, uint32_t stay) {
    patient *who = &state->now;
    double gap = 12 + 90 * hr_random_exponential(&state->random);
    who->admitted += stay + (int64_t)gap;
    who->weight *= 1 + 0.03 * hr_random_normal(&state->random);
    if (happens(state, 400))
        who->diagnosis =
            hr_hospital_draw_diagnosis(state->hospital, &state->random, who->age, who->sex);
    if (who->admitted > LAST_DAY) who->visits_left = 0;
}

static uint32_t draw_stay(hospital_state *state) {
    double mean = state->now.diagnosis->days, old = state->now.age / 400.0;
    double days = mean * (0.35 + old + 0.6 * hr_random_exponential(&state->random));
    return days > 365 ? 365 : (uint32_t)days;
}

/* ---- One row ---- */

static char *put_padded(char *to, uint32_t number, char after) {
    *to++ = (char)('0' + number / 10);
    *to++ = (char)('0' + number % 10);
    *to++ = after;
    return to;
}

/* 2024-02-29, in German 29.02.2024, and a comma. Years begin in March here, so that the leap day is
 * the last day of a year. */
static char *put_date(const hospital_state *state, char *to, int64_t day) {
    uint32_t since = (uint32_t)(day + 719468), era = since / 146097, in_era = since % 146097;
    uint32_t year = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
    uint32_t in_year = in_era - (365 * year + year / 4 - year / 100);
    uint32_t march = (5 * in_year + 2) / 153, month = march < 10 ? march + 3 : march - 9;
    uint32_t of_month = in_year - (153 * march + 2) / 5 + 1;
    year += era * 400 + (month <= 2);
    if (state->request->german) {
        to = put_padded(to, of_month, '.');
        to = put_padded(to, month, '.');
    }
    to = hr_generate_number(to, year);
    if (!state->request->german) {
        *to++ = '-';
        to = put_padded(to, month, '-');
        to = put_padded(to, of_month, '-') - 1;
    }
    *to++ = ',';
    return to;
}

/* A number with one digit after the point, unless it is missing, and a comma. */
static char *put_measure(hospital_state *state, char *to, double value, uint32_t missing,
                         bool whole) {
    uint64_t tenths = (uint64_t)(value * 10 + 0.5);
    if (!happens(state, missing)) {
        to = hr_generate_number(to, whole ? (tenths + 5) / 10 : tenths / 10);
        if (!whole) {
            *to++ = '.';
            *to++ = (char)('0' + tenths % 10);
        }
    }
    *to++ = ',';
    return to;
}

static char *put_sex(hospital_state *state, char *to) {
    static const char *const words[2][3] = {{"M", "F", "X"}, {"m", "w", "d"}};
    const patient *who = &state->now;
    uint32_t sex = who->other_sex ? 2 : who->sex;
    return hr_generate_text(to, happens(state, NO_SEX) ? "" : words[state->request->german][sex],
                            ',');
}

static char *put_person(hospital_state *state, char *to) {
    const patient *who = &state->now;
    bool german = state->request->german;
    to = hr_generate_number(to, who->number);
    *to++ = ',';
    to = hr_generate_text(to, who->name, ',');
    to = put_date(state, to, who->born);
    to = put_sex(state, to);
    to = hr_generate_text(to, who->postal, ',');
    const char *insurer = hr_hospital_insurers[german][who->insurer];
    return hr_generate_text(to, happens(state, NO_INSURANCE) ? "" : insurer, ',');
}

static char *put_stay(hospital_state *state, char *to, uint32_t stay) {
    const patient *who = &state->now;
    uint32_t department = who->diagnosis->department;
    if (who->age < 15 && happens(state, 800)) department = HR_HOSPITAL_PEDIATRICS;
    to = put_date(state, to, who->admitted);
    to = hr_generate_number(to, stay);
    *to++ = ',';
    to = hr_generate_text(to, hr_hospital_departments[state->request->german][department], ',');
    to = hr_generate_text(to, happens(state, NO_DIAGNOSIS) ? "" : who->diagnosis->code, ',');
    to = put_measure(state, to, who->weight, NO_WEIGHT, false);
    to = put_measure(state, to, who->height, NO_HEIGHT, true);
    double blood = (who->sex ? 13.1 : 14.4) + 1.4 * hr_random_normal(&state->random);
    to = put_measure(state, to, blood, NO_HEMOGLOBIN, false);
    double days = stay, cost = 900 + 410 * days + 1600 * hr_random_exponential(&state->random);
    return hr_generate_number(to, (uint64_t)cost);
}

static char *put_row(char *to, void *payload) {
    hospital_state *state = payload;
    if (state->now.visits_left == 0) draw_patient(state);
    uint32_t stay = draw_stay(state);
    if (state->request->visits) {
        to = hr_generate_number(to, HR_NUMBER_FIRST / 10 + ++state->visit);
        *to++ = ',';
    }
    to = put_person(state, to);
    to = put_stay(state, to, stay);
    if (--state->now.visits_left > 0) draw_return(state, stay);
    return to;
}

/* ---- The whole ---- */

static hr_status write_patients(const hr_generation *request, hr_arena *arena, hr_error *err) {
    hospital_state state = {.request = request};
    hr_text header = {0};
    char *names;
    HR_TRY(hr_hospital_build(request->german, arena, &state.hospital, err));
    HR_TRY(hr_names_build(request->german, arena, &state.names, err));
    hr_random_seed(&state.random, request->seed, 0);
    state.number = hr_random_below(&state.random, HR_NUMBER_COUNT);
    for (int i = request->visits ? 0 : 1; i < HR_PATIENT_COLUMNS; i++)
        hr_text_printf(&header, "%s%s", header.length > 0 ? "," : "",
                       hr_patient_names[request->german][i]);
    HR_TRY(hr_text_take(&header, &names, err));
    hr_status status = hr_generate_rows(request, names, put_row, &state, err);
    hr_free(names);
    return status == HR_OK ? hr_patients_job(request, err) : status;
}

hr_status hr_generate_patients(const hr_generation *request, hr_error *err) {
    hr_arena arena = {0};
    hr_status status = write_patients(request, &arena, err);
    hr_arena_free(&arena);
    return status;
}
