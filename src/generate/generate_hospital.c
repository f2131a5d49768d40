/* generate_hospital.c - the population of a hospital: who comes (age and sex), from where (postal
 * codes, most of them near the hospital), with what (ICD-10 codes by age and sex, a few frequent
 * and many rare) and who pays. The tables are invented, in the proportions of hospital statistics.
 * Each becomes a lottery, so that a patient takes only a few random numbers. */
#include "generate/generate.h"

enum { SEXES = 2, BANDS = 6, AGES = 106, NEAR = 6, AREAS = 99, POSTALS = 60 };

struct hr_hospital {
    hr_lottery age_and_sex; /* age x 2 + sex */
    hr_lottery diagnosis[BANDS][SEXES];
    hr_lottery insurer[2]; /* [1]: aged 65 and more */
    hr_lottery area, place;
    bool german;
};

/* ---- Words ---- */

const char *const hr_hospital_departments[2][HR_HOSPITAL_DEPARTMENTS] = {
    {"Internal Medicine", "Cardiology", "General Surgery", "Orthopedics", "Neurology",
     "Obstetrics and Gynecology", "Pediatrics", "Oncology", "Urology", "Psychiatry", "ENT",
     "Ophthalmology", "Dermatology"},
    {"Innere Medizin", "Kardiologie", "Allgemeinchirurgie", "Orthopädie", "Neurologie",
     "Frauenheilkunde", "Kinderheilkunde", "Onkologie", "Urologie", "Psychiatrie", "HNO",
     "Augenheilkunde", "Dermatologie"}};
enum {
    INTERNAL,
    HEART,
    SURGERY,
    BONES,
    NERVES,
    WOMEN,
    CHILDREN,
    CANCER,
    URINE,
    MIND,
    ENT,
    EYES,
    SKIN
};

const char *const hr_hospital_insurers[2][HR_HOSPITAL_INSURERS] = {
    {"private", "Medicare", "Medicaid", "self-pay", "none", "Tricare", "workers compensation",
     "Indian Health Service"},
    {"AOK", "TK", "Barmer", "BKK", "privat", "DAK", "Knappschaft", "Selbstzahler"}};
static const uint32_t insurer_share[2][2][HR_HOSPITAL_INSURERS] = {
    {{6200, 300, 2500, 500, 400, 80, 18, 2}, {700, 9000, 250, 20, 20, 8, 1, 1}},
    {{3600, 1900, 1100, 1400, 1050, 750, 150, 50}, {3900, 1000, 1500, 900, 1100, 1100, 480, 20}}};

/* ---- Age and sex of the people who are admitted ---- */

/* Admissions of one year of age, at ages 0, 1, 5, 10, 15, 20, 30, 40, ... 105; linear between. */
static const uint8_t point_age[] = {0,  1,  5,  10, 15, 20, 30,  40, 50,
                                    60, 70, 80, 85, 90, 95, 100, 105};
static const uint16_t admissions[SEXES][17] = {
    {4200, 620, 340, 230, 290, 380, 420, 520, 820, 1350, 1900, 2300, 1700, 800, 210, 20, 1},
    {4000, 520, 280, 210, 380, 780, 1350, 720, 760, 1050, 1550, 2350, 2250, 1400, 520, 70, 3}};

static hr_status build_ages(hr_hospital *hospital, hr_arena *arena, hr_error *err) {
    uint32_t weights[AGES * SEXES];
    for (uint32_t age = 0, at = 0; age < AGES; age++) {
        if (age >= point_age[at + 1] && age < AGES - 1) at++;
        int from = point_age[at], to = point_age[at + 1];
        for (int sex = 0; sex < SEXES; sex++) {
            int low = admissions[sex][at], high = admissions[sex][at + 1];
            weights[age * SEXES + (uint32_t)sex] =
                (uint32_t)(low + (high - low) * ((int)age - from) / (to - from));
        }
    }
    return hr_lottery_build(&hospital->age_and_sex, weights, AGES * SEXES, arena, err);
}

void hr_hospital_draw_person(const hr_hospital *hospital, hr_random *random, uint32_t *age,
                             uint32_t *sex) {
    uint32_t drawn = hr_lottery_draw(&hospital->age_and_sex, random);
    *age = drawn / SEXES;
    *sex = drawn % SEXES;
}

/* ---- Diagnoses ---- */

typedef struct {
    hr_diagnosis about;
    uint16_t share[BANDS]; /* by age */
    uint8_t men;           /* of 100 patients */
} diagnosis_row;

static const uint8_t band_from[BANDS] = {0, 1, 15, 40, 65, 80};
static const diagnosis_row diagnoses[] = {
    {{"A04.7", INTERNAL, 9}, {2, 4, 8, 30, 70, 140}, 44},
    {{"A08.0", CHILDREN, 3}, {60, 260, 8, 6, 8, 14}, 52},
    {{"A09.9", INTERNAL, 3}, {70, 330, 190, 110, 110, 150}, 46},
    {{"A15.0", INTERNAL, 22}, {0, 1, 7, 8, 7, 6}, 64},
    {{"A41.9", INTERNAL, 11}, {9, 14, 16, 90, 190, 300}, 55},
    {{"A69.2", NERVES, 6}, {0, 6, 6, 9, 6, 2}, 53},
    {{"B02.9", SKIN, 6}, {0, 4, 9, 24, 40, 60}, 42},
    {{"B20", INTERNAL, 12}, {0, 1, 9, 14, 3, 1}, 78},
    {{"B34.9", CHILDREN, 2}, {50, 190, 40, 16, 14, 18}, 51},
    {{"B99", INTERNAL, 5}, {6, 22, 14, 16, 18, 22}, 51},
    {{"C15.5", CANCER, 13}, {0, 0, 0, 16, 22, 12}, 79},
    {{"C16.9", CANCER, 12}, {0, 0, 1, 18, 32, 28}, 62},
    {{"C18.7", CANCER, 13}, {0, 0, 2, 44, 92, 84}, 55},
    {{"C20", CANCER, 13}, {0, 0, 2, 42, 66, 46}, 62},
    {{"C25.0", CANCER, 12}, {0, 0, 1, 28, 52, 38}, 52},
    {{"C34.1", CANCER, 9}, {0, 0, 2, 120, 180, 60}, 61},
    {{"C43.5", SKIN, 4}, {0, 0, 6, 16, 20, 14}, 54},
    {{"C44.3", SKIN, 4}, {0, 0, 2, 22, 90, 160}, 54},
    {{"C50.4", WOMEN, 6}, {0, 0, 10, 90, 72, 50}, 1},
    {{"C50.9", WOMEN, 6}, {0, 0, 8, 60, 50, 40}, 1},
    {{"C53.9", WOMEN, 7}, {0, 0, 9, 16, 8, 4}, 0},
    {{"C61", URINE, 7}, {0, 0, 0, 80, 130, 50}, 100},
    {{"C67.9", URINE, 6}, {0, 0, 1, 50, 110, 100}, 76},
    {{"C71.9", NERVES, 11}, {1, 6, 6, 22, 20, 6}, 57},
    {{"C81.9", CANCER, 6}, {0, 1, 7, 4, 3, 1}, 57},
    {{"C91.0", CANCER, 11}, {1, 26, 4, 3, 3, 1}, 57},
    {{"C92.0", CANCER, 24}, {1, 3, 5, 14, 18, 8}, 54},
    {{"D12.6", INTERNAL, 2}, {0, 0, 4, 50, 66, 30}, 60},
    {{"D25.9", WOMEN, 4}, {0, 0, 60, 90, 3, 0}, 0},
    {{"D50.9", INTERNAL, 5}, {1, 3, 12, 22, 40, 66}, 38},
    {{"D64.9", INTERNAL, 5}, {2, 4, 6, 12, 28, 52}, 45},
    {{"E05.9", INTERNAL, 4}, {0, 1, 10, 26, 24, 14}, 24},
    {{"E10.9", INTERNAL, 6}, {1, 54, 40, 26, 12, 6}, 54},
    {{"E11.7", INTERNAL, 9}, {0, 0, 6, 70, 110, 90}, 62},
    {{"E11.9", INTERNAL, 7}, {0, 1, 6, 60, 90, 80}, 58},
    {{"E66.0", SURGERY, 4}, {0, 2, 26, 40, 6, 1}, 30},
    {{"E84.0", CHILDREN, 9}, {3, 16, 12, 2, 0, 0}, 52},
    {{"E86", INTERNAL, 5}, {8, 22, 8, 20, 60, 190}, 38},
    {{"E87.1", INTERNAL, 6}, {1, 1, 3, 20, 46, 90}, 32},
    {{"F05.0", MIND, 10}, {0, 0, 1, 6, 26, 80}, 50},
    {{"F10.0", INTERNAL, 2}, {0, 40, 160, 130, 20, 3}, 68},
    {{"F10.2", MIND, 10}, {0, 1, 90, 260, 60, 8}, 74},
    {{"F11.2", MIND, 9}, {0, 0, 40, 26, 2, 0}, 74},
    {{"F20.0", MIND, 28}, {0, 1, 90, 70, 16, 4}, 58},
    {{"F31.3", MIND, 26}, {0, 0, 14, 26, 12, 3}, 40},
    {{"F32.2", MIND, 30}, {0, 8, 80, 110, 46, 22}, 40},
    {{"F33.2", MIND, 34}, {0, 2, 60, 120, 44, 14}, 37},
    {{"F43.1", MIND, 22}, {0, 6, 30, 24, 3, 1}, 32},
    {{"F50.0", MIND, 48}, {0, 8, 14, 2, 0, 0}, 6},
    {{"F60.3", MIND, 20}, {0, 4, 60, 14, 1, 0}, 18},
    {{"G12.2", NERVES, 6}, {0, 0, 1, 12, 12, 4}, 58},
    {{"G20.1", NERVES, 12}, {0, 0, 0, 14, 66, 64}, 56},
    {{"G30.9", NERVES, 14}, {0, 0, 0, 2, 18, 60}, 38},
    {{"G35.1", NERVES, 4}, {0, 1, 40, 34, 4, 0}, 30},
    {{"G40.2", NERVES, 5}, {10, 50, 36, 40, 42, 36}, 54},
    {{"G43.1", NERVES, 3}, {0, 6, 22, 16, 4, 1}, 27},
    {{"G45.9", NERVES, 5}, {0, 0, 4, 50, 120, 140}, 49},
    {{"G47.3", INTERNAL, 2}, {4, 20, 30, 180, 90, 14}, 79},
    {{"H25.1", EYES, 1}, {0, 0, 1, 22, 96, 90}, 42},
    {{"H33.0", EYES, 4}, {0, 1, 8, 52, 40, 10}, 61},
    {{"H40.1", EYES, 4}, {0, 0, 2, 20, 40, 36}, 46},
    {{"H66.9", ENT, 3}, {8, 40, 10, 8, 5, 4}, 52},
    {{"H81.1", NERVES, 4}, {0, 1, 10, 36, 56, 60}, 35},
    {{"H91.2", ENT, 5}, {0, 3, 20, 36, 20, 6}, 50},
    {{"I10.0", INTERNAL, 4}, {0, 2, 20, 140, 190, 230}, 36},
    {{"I11.0", HEART, 9}, {0, 0, 1, 22, 90, 190}, 40},
    {{"I20.0", HEART, 5}, {0, 0, 4, 110, 150, 110}, 64},
    {{"I21.0", HEART, 8}, {0, 0, 4, 70, 70, 52}, 72},
    {{"I21.4", HEART, 8}, {0, 0, 6, 120, 190, 200}, 64},
    {{"I25.1", HEART, 5}, {0, 0, 2, 130, 200, 80}, 76},
    {{"I26.9", INTERNAL, 8}, {0, 1, 9, 34, 50, 56}, 48},
    {{"I35.0", HEART, 10}, {0, 0, 1, 16, 80, 120}, 52},
    {{"I47.1", HEART, 3}, {2, 4, 22, 44, 40, 24}, 45},
    {{"I48.0", HEART, 5}, {0, 0, 8, 120, 230, 210}, 50},
    {{"I50.1", HEART, 10}, {0, 0, 3, 70, 220, 430}, 52},
    {{"I50.9", HEART, 9}, {1, 1, 2, 30, 90, 210}, 45},
    {{"I61.9", NERVES, 12}, {0, 0, 2, 18, 32, 40}, 51},
    {{"I63.3", NERVES, 11}, {0, 0, 3, 44, 86, 110}, 53},
    {{"I63.9", NERVES, 11}, {0, 1, 4, 50, 100, 150}, 50},
    {{"I70.2", SURGERY, 10}, {0, 0, 1, 90, 160, 90}, 67},
    {{"I80.2", INTERNAL, 5}, {0, 0, 10, 24, 26, 30}, 46},
    {{"I83.9", SURGERY, 2}, {0, 0, 16, 60, 30, 6}, 34},
    {{"J03.9", ENT, 4}, {6, 70, 70, 12, 3, 1}, 50},
    {{"J06.9", CHILDREN, 3}, {60, 120, 20, 10, 9, 12}, 54},
    {{"J10.1", INTERNAL, 5}, {20, 50, 12, 18, 26, 50}, 50},
    {{"J12.1", CHILDREN, 5}, {90, 60, 1, 4, 6, 12}, 55},
    {{"J15.9", INTERNAL, 10}, {8, 20, 10, 40, 80, 160}, 56},
    {{"J18.9", INTERNAL, 9}, {26, 110, 26, 90, 160, 300}, 55},
    {{"J20.9", INTERNAL, 4}, {60, 80, 14, 18, 22, 40}, 52},
    {{"J35.0", ENT, 4}, {2, 220, 120, 10, 1, 0}, 48},
    {{"J44.1", INTERNAL, 9}, {0, 0, 2, 110, 200, 130}, 53},
    {{"J45.0", CHILDREN, 4}, {2, 44, 12, 16, 10, 8}, 54},
    {{"J96.0", INTERNAL, 12}, {12, 6, 4, 20, 36, 40}, 56},
    {{"K21.0", INTERNAL, 4}, {2, 4, 10, 30, 26, 26}, 46},
    {{"K25.4", INTERNAL, 8}, {0, 0, 3, 20, 30, 44}, 54},
    {{"K35.8", SURGERY, 4}, {1, 170, 180, 70, 26, 12}, 52},
    {{"K40.9", SURGERY, 2}, {40, 24, 44, 130, 130, 60}, 89},
    {{"K50.9", INTERNAL, 7}, {0, 12, 40, 20, 6, 2}, 46},
    {{"K51.9", INTERNAL, 8}, {0, 9, 26, 18, 8, 4}, 51},
    {{"K56.7", SURGERY, 6}, {6, 6, 14, 40, 66, 100}, 47},
    {{"K57.3", INTERNAL, 7}, {0, 0, 14, 110, 100, 90}, 44},
    {{"K70.3", INTERNAL, 9}, {0, 0, 3, 70, 28, 4}, 70},
    {{"K80.1", SURGERY, 5}, {0, 2, 90, 170, 110, 60}, 36},
    {{"K85.1", INTERNAL, 8}, {0, 1, 16, 34, 34, 34}, 46},
    {{"L03.1", SKIN, 7}, {2, 6, 18, 50, 50, 60}, 56},
    {{"L40.0", SKIN, 9}, {0, 2, 12, 22, 9, 2}, 58},
    {{"M10.0", INTERNAL, 6}, {0, 0, 1, 9, 18, 26}, 66},
    {{"M16.1", BONES, 9}, {0, 0, 4, 170, 240, 110}, 41},
    {{"M17.1", BONES, 9}, {0, 0, 3, 190, 270, 90}, 37},
    {{"M23.2", BONES, 2}, {0, 2, 40, 60, 12, 1}, 58},
    {{"M48.0", BONES, 8}, {0, 0, 3, 70, 130, 90}, 46},
    {{"M51.1", BONES, 7}, {0, 1, 60, 150, 50, 20}, 52},
    {{"M54.4", BONES, 6}, {0, 2, 46, 110, 60, 60}, 42},
    {{"M80.0", BONES, 9}, {0, 0, 0, 12, 32, 60}, 14},
    {{"N13.2", URINE, 3}, {4, 2, 60, 120, 60, 20}, 66},
    {{"N17.9", INTERNAL, 9}, {2, 3, 6, 30, 66, 120}, 54},
    {{"N20.1", URINE, 3}, {0, 2, 80, 120, 40, 12}, 70},
    {{"N30.0", URINE, 4}, {2, 6, 10, 16, 26, 40}, 32},
    {{"N39.0", URINE, 6}, {20, 30, 30, 50, 90, 210}, 30},
    {{"N40", URINE, 6}, {0, 0, 0, 70, 140, 60}, 100},
    {{"O24.4", WOMEN, 3}, {0, 0, 90, 1, 0, 0}, 0},
    {{"O42.0", WOMEN, 4}, {0, 0, 330, 4, 0, 0}, 0},
    {{"O60.1", WOMEN, 6}, {0, 0, 110, 1, 0, 0}, 0},
    {{"O80", WOMEN, 3}, {0, 0, 900, 12, 0, 0}, 0},
    {{"O82", WOMEN, 5}, {0, 0, 420, 10, 0, 0}, 0},
    {{"P07.1", CHILDREN, 26}, {260, 0, 0, 0, 0, 0}, 51},
    {{"P59.9", CHILDREN, 3}, {240, 0, 0, 0, 0, 0}, 54},
    {{"Q21.1", HEART, 5}, {30, 14, 6, 6, 2, 0}, 46},
    {{"R07.4", HEART, 2}, {1, 9, 40, 100, 60, 40}, 52},
    {{"R10.4", SURGERY, 2}, {4, 110, 120, 60, 36, 36}, 38},
    {{"R55", HEART, 3}, {2, 36, 60, 80, 120, 190}, 48},
    {{"S06.0", SURGERY, 2}, {330, 560, 190, 90, 90, 210}, 55},
    {{"S22.4", SURGERY, 5}, {0, 1, 9, 40, 36, 56}, 62},
    {{"S32.0", BONES, 9}, {0, 2, 12, 36, 50, 90}, 38},
    {{"S42.2", BONES, 7}, {0, 12, 8, 44, 66, 110}, 26},
    {{"S52.5", BONES, 3}, {0, 110, 30, 76, 76, 96}, 26},
    {{"S72.0", BONES, 13}, {0, 1, 4, 36, 100, 330}, 28},
    {{"S72.1", BONES, 13}, {0, 1, 3, 24, 80, 320}, 28},
    {{"S82.6", BONES, 6}, {0, 4, 40, 66, 40, 26}, 44},
    {{"S83.5", BONES, 2}, {0, 6, 90, 20, 1, 0}, 66},
    {{"T78.2", INTERNAL, 2}, {1, 9, 9, 8, 5, 2}, 47},
    {{"T84.0", BONES, 12}, {0, 0, 1, 30, 70, 54}, 42},
    {{"Z38.0", CHILDREN, 3}, {6400, 0, 0, 0, 0, 0}, 51},
    {{"Z51.1", CANCER, 2}, {1, 20, 12, 60, 70, 12}, 52},
    /* Rare: a few patients in a hundred thousand. */
    {{"A39.0", CHILDREN, 14}, {0, 2, 1, 0, 0, 0}, 53},
    {{"A81.0", NERVES, 18}, {0, 0, 0, 0, 1, 1}, 50},
    {{"B54", INTERNAL, 5}, {0, 0, 2, 1, 0, 0}, 66},
    {{"D81.2", CHILDREN, 30}, {1, 1, 0, 0, 0, 0}, 60},
    {{"E75.2", INTERNAL, 7}, {0, 1, 1, 1, 0, 0}, 50},
    {{"G71.0", NERVES, 6}, {0, 2, 1, 0, 0, 0}, 90},
    {{"M31.3", INTERNAL, 15}, {0, 0, 0, 2, 2, 1}, 52},
    {{"Q87.4", HEART, 6}, {0, 1, 1, 1, 0, 0}, 50},
};
enum { DIAGNOSES = sizeof diagnoses / sizeof *diagnoses };

static hr_status build_diagnoses(hr_hospital *hospital, hr_arena *arena, hr_error *err) {
    uint32_t weights[DIAGNOSES];
    for (int band = 0; band < BANDS; band++)
        for (int sex = 0; sex < SEXES; sex++) {
            for (size_t i = 0; i < DIAGNOSES; i++) {
                uint32_t men = diagnoses[i].men;
                weights[i] = diagnoses[i].share[band] * (sex ? 100 - men : men);
            }
            HR_TRY(
                hr_lottery_build(&hospital->diagnosis[band][sex], weights, DIAGNOSES, arena, err));
        }
    return HR_OK;
}

const hr_diagnosis *hr_hospital_draw_diagnosis(const hr_hospital *hospital, hr_random *random,
                                               uint32_t age, uint32_t sex) {
    int band = BANDS - 1;
    while (age < band_from[band])
        band--;
    return &diagnoses[hr_lottery_draw(&hospital->diagnosis[band][sex], random)].about;
}

/* ---- Postal codes ---- */

/* First two (German) or three digits of the areas around the hospital, the nearest first. */
static const uint16_t near_areas[2][NEAR] = {{441, 442, 440, 443, 446, 447},
                                             {44, 45, 58, 59, 42, 40}};
static const uint32_t near_weight[NEAR] = {4000, 1800, 1000, 600, 400, 300};

/* The areas near the hospital, then the rest of the country, far areas being about equally rare.
 * Within an area the places have Zipf-like sizes. */
static hr_status build_areas(hr_hospital *hospital, hr_arena *arena, hr_error *err) {
    uint32_t weights[NEAR + AREAS];
    for (uint32_t i = 0; i < NEAR + AREAS; i++)
        weights[i] = i < NEAR ? near_weight[i] : 3 + (i * 29) % 23;
    HR_TRY(hr_lottery_build(&hospital->area, weights, NEAR + AREAS, arena, err));
    return hr_lottery_build_zipf(&hospital->place, 1000000, 3, POSTALS, arena, err);
}

char *hr_hospital_put_postal(const hr_hospital *hospital, hr_random *random, char *to) {
    uint32_t drawn = hr_lottery_draw(&hospital->area, random);
    uint32_t place = hr_lottery_draw(&hospital->place, random);
    uint32_t area, code;
    if (hospital->german) { /* two digits of the area, three of the place */
        area = drawn < NEAR ? near_areas[1][drawn] : 1 + drawn - NEAR;
        code = area * 1000 + (place * 37 + area * 101) % 1000;
    } else {
        area = drawn < NEAR ? near_areas[0][drawn] : 10 + (drawn - NEAR) * 10;
        code = area * 100 + (place * 37 + area * 11) % 100;
    }
    for (uint32_t digit = 10000; digit > 0; digit /= 10)
        *to++ = (char)('0' + code / digit % 10);
    return to;
}

/* ---- The whole ---- */

uint32_t hr_hospital_draw_insurer(const hr_hospital *hospital, hr_random *random, uint32_t age) {
    return hr_lottery_draw(&hospital->insurer[age >= 65], random);
}

hr_status hr_hospital_build(bool german, hr_arena *arena, const hr_hospital **out, hr_error *err) {
    hr_hospital *hospital = hr_arena_alloc(arena, 1, sizeof *hospital, err);
    if (!hospital) return HR_ENOMEM;
    hospital->german = german;
    HR_TRY(build_ages(hospital, arena, err));
    HR_TRY(build_diagnoses(hospital, arena, err));
    for (int old = 0; old < 2; old++)
        HR_TRY(hr_lottery_build(&hospital->insurer[old], insurer_share[german][old],
                                HR_HOSPITAL_INSURERS, arena, err));
    HR_TRY(build_areas(hospital, arena, err));
    *out = hospital;
    return HR_OK;
}
