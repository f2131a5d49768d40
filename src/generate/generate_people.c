/* generate_people.c - the people of the census: an age pyramid with a long tail; marital status by
 * age and sex; education by age; the diagnosis of the last treatment by age and sex; income by
 * education, age and sex with a log-normal spread. The tables are invented, in the proportions of
 * European population registers. Each becomes a lottery, so that a person takes only a few random
 * numbers. */
#include "generate/generate.h"

enum { SEXES = 2, STATUS_BANDS = 9, EDUCATION_BANDS = 10, DIAGNOSIS_BANDS = 5, SPREAD = 1024 };

struct hr_people {
    hr_lottery age_and_sex; /* age x 2 + sex */
    hr_lottery status[STATUS_BANDS][SEXES];
    hr_lottery education[EDUCATION_BANDS];
    hr_lottery diagnosis[DIAGNOSIS_BANDS][SEXES];
    uint8_t status_band[HR_PEOPLE_AGES], education_band[HR_PEOPLE_AGES],
        diagnosis_band[HR_PEOPLE_AGES];
    uint32_t without_income[HR_PEOPLE_AGES][SEXES]; /* probability x 2^32 */
    double median[HR_PEOPLE_AGES][SEXES][HR_PEOPLE_EDUCATIONS];
    double spread[SPREAD + 1]; /* quantiles of income / median */
};

const char *const hr_people_sexes[SEXES] = {"male", "female"};

/* ---- Age ---- */

/* People of one year of age, at ages 0, 5, 10 .. 105; linear in between. */
static const uint16_t pyramid[SEXES][22] = {
    {4800, 5000, 5100, 5200, 5600, 6200, 6600, 6600, 6400, 6500, 6900,
     7100, 6400, 5500, 4700, 3800, 2700, 1500, 600,  150,  16,   1},
    {4560, 4750, 4850, 4950, 5400, 6000, 6400, 6450, 6350, 6500, 6950,
     7150, 6600, 5900, 5300, 4600, 3700, 2500, 1300, 420,  60,   4}};

/* ---- Marital status ---- */

const char *const hr_people_statuses[HR_PEOPLE_STATUSES][2] = {
    {"single", "alone"},
    {"married", "partnered"},
    {"registered partnership", "partnered"},
    {"divorced", "alone"},
    {"widowed", "alone"}};

static const uint8_t status_from[STATUS_BANDS] = {0, 18, 25, 35, 45, 55, 65, 75, 85};
static const uint32_t status_share[STATUS_BANDS][SEXES][HR_PEOPLE_STATUSES] = {
    {{1000, 0, 0, 0, 0}, {1000, 0, 0, 0, 0}},
    {{960, 30, 10, 0, 0}, {920, 65, 13, 2, 0}},
    {{620, 310, 40, 30, 0}, {500, 410, 42, 46, 2}},
    {{350, 530, 40, 78, 2}, {270, 570, 40, 112, 8}},
    {{220, 590, 30, 153, 7}, {170, 590, 30, 190, 20}},
    {{130, 640, 20, 190, 20}, {100, 610, 18, 212, 60}},
    {{80, 700, 10, 160, 50}, {70, 560, 8, 182, 180}},
    {{50, 710, 5, 105, 130}, {60, 400, 4, 136, 400}},
    {{40, 560, 2, 68, 330}, {60, 160, 1, 79, 700}}};

/* ---- Education: the highest that was finished ---- */

const char *const hr_people_educations[HR_PEOPLE_EDUCATIONS][2] = {
    {"none", "primary"},
    {"primary school", "primary"},
    {"lower secondary", "secondary"},
    {"upper secondary", "secondary"},
    {"vocational training", "secondary"},
    {"advanced vocational", "tertiary"},
    {"bachelor", "tertiary"},
    {"master", "tertiary"},
    {"doctorate", "tertiary"},
    {"unknown", "unknown"}};

static const uint8_t education_from[EDUCATION_BANDS] = {0, 12, 16, 19, 25, 35, 45, 55, 65, 75};
static const uint32_t education_share[EDUCATION_BANDS][HR_PEOPLE_EDUCATIONS] = {
    {1000, 0, 0, 0, 0, 0, 0, 0, 0, 0},           {40, 955, 0, 0, 0, 0, 0, 0, 0, 5},
    {10, 120, 850, 10, 0, 0, 0, 0, 0, 10},       {5, 30, 170, 520, 190, 20, 50, 0, 0, 15},
    {5, 20, 90, 190, 310, 80, 170, 110, 10, 15}, {6, 25, 110, 180, 330, 90, 130, 95, 14, 20},
    {8, 35, 140, 170, 370, 95, 85, 60, 12, 25},  {10, 50, 180, 160, 390, 90, 50, 40, 10, 20},
    {15, 90, 240, 140, 370, 60, 25, 30, 7, 23},  {30, 190, 300, 110, 280, 30, 12, 15, 3, 30}};

/* ---- Diagnosis ---- */

typedef struct {
    const char *label;
    uint16_t share[DIAGNOSIS_BANDS]; /* by age */
    uint8_t percent[SEXES];          /* of the share, for men and women */
} diagnosis_row;

static const uint8_t diagnosis_from[DIAGNOSIS_BANDS] = {0, 15, 40, 65, 80};
static const diagnosis_row diagnoses[HR_PEOPLE_DIAGNOSES] = {
    {"A09 gastroenteritis", {900, 320, 160, 110, 130}, {100, 100}},
    {"A41 sepsis", {6, 6, 25, 70, 140}, {110, 90}},
    {"B34 viral infection", {800, 260, 120, 60, 50}, {100, 100}},
    {"C18 colon cancer", {0, 4, 60, 140, 150}, {115, 85}},
    {"C34 lung cancer", {0, 2, 60, 130, 80}, {130, 70}},
    {"C50 breast cancer", {0, 12, 170, 180, 140}, {1, 199}},
    {"C61 prostate cancer", {0, 0, 70, 210, 160}, {200, 0}},
    {"C91 leukaemia", {14, 5, 12, 26, 24}, {110, 90}},
    {"D50 anaemia", {60, 110, 90, 100, 150}, {60, 140}},
    {"E10 type 1 diabetes", {40, 50, 35, 25, 12}, {105, 95}},
    {"E11 type 2 diabetes", {1, 40, 480, 760, 640}, {112, 88}},
    {"E66 obesity", {80, 160, 230, 130, 40}, {85, 115}},
    {"E78 raised cholesterol", {2, 60, 420, 480, 260}, {105, 95}},
    {"F03 dementia", {0, 0, 8, 160, 720}, {85, 115}},
    {"F10 alcohol dependence", {0, 120, 190, 80, 20}, {145, 55}},
    {"F20 schizophrenia", {0, 45, 40, 18, 8}, {110, 90}},
    {"F32 depression", {30, 420, 450, 260, 210}, {70, 130}},
    {"F41 anxiety disorder", {60, 380, 280, 130, 80}, {70, 130}},
    {"F90 attention disorder", {210, 90, 15, 0, 0}, {130, 70}},
    {"G20 Parkinson disease", {0, 0, 16, 110, 170}, {115, 85}},
    {"G40 epilepsy", {70, 45, 40, 45, 50}, {105, 95}},
    {"G43 migraine", {60, 320, 260, 70, 20}, {50, 150}},
    {"H25 cataract", {2, 3, 60, 380, 460}, {90, 110}},
    {"H66 ear infection", {700, 90, 40, 25, 15}, {105, 95}},
    {"I10 hypertension", {3, 120, 1050, 1500, 1300}, {100, 100}},
    {"I21 heart attack", {0, 6, 110, 180, 210}, {140, 60}},
    {"I48 atrial fibrillation", {0, 6, 80, 330, 520}, {110, 90}},
    {"I50 heart failure", {2, 3, 45, 240, 620}, {100, 100}},
    {"I63 stroke", {1, 5, 60, 180, 330}, {105, 95}},
    {"J06 common cold", {1900, 1300, 520, 210, 140}, {95, 105}},
    {"J18 pneumonia", {180, 45, 70, 170, 360}, {110, 90}},
    {"J44 chronic bronchitis", {0, 12, 180, 330, 300}, {115, 85}},
    {"J45 asthma", {480, 260, 190, 120, 70}, {95, 105}},
    {"K35 appendicitis", {110, 90, 35, 15, 10}, {110, 90}},
    {"K80 gallstones", {3, 70, 150, 150, 120}, {70, 130}},
    {"L20 eczema", {620, 240, 120, 70, 60}, {95, 105}},
    {"M16 hip arthrosis", {0, 8, 180, 420, 430}, {85, 115}},
    {"M54 back pain", {40, 700, 1150, 620, 350}, {98, 102}},
    {"N39 urinary infection", {110, 190, 150, 210, 340}, {40, 160}},
    {"O80 childbirth", {0, 620, 12, 0, 0}, {0, 200}}};

/* ---- Income: a year's, in whole units of currency ---- */

static const uint32_t income_of[HR_PEOPLE_EDUCATIONS] = {17000, 20000, 23000, 27000, 31000,
                                                         37000, 41000, 49000, 57000, 28000};

typedef struct {
    uint8_t from;           /* age */
    uint16_t percent;       /* of the income by education, for men; linear up to the next stage */
    uint8_t women;          /* income of women, in percent of that of men */
    uint8_t without[SEXES]; /* percentage without income */
} income_stage;

static const income_stage income_stages[] = {
    {0, 0, 100, {100, 100}}, {16, 40, 96, {60, 62}},          {18, 60, 95, {30, 32}},
    {20, 74, 94, {14, 16}},  {25, 88, 92, {7, 10}},           {35, 106, 84, {5, 12}},
    {50, 116, 80, {5, 10}},  {60, 108, 80, {7, 12}},          {67, 70, 82, {1, 3}},
    {80, 62, 88, {1, 2}},    {HR_PEOPLE_AGES, 56, 90, {1, 2}}};

static const double income_deviation = 0.48; /* of the logarithm */

/* e^x for |x| <= 8 by basic operations only, so that it is the same on every machine. */
static double exponential(double x) {
    double y = x / 64, term = 1, sum = 1;
    for (int i = 1; i < 14; i++) {
        term = term * y / i;
        sum += term;
    }
    for (int i = 0; i < 6; i++)
        sum *= sum;
    return sum;
}

/* Quantiles of a log-normal distribution with median 1, cut at four deviations: sums up the area
 * under the bell curve and records where each share of the area is reached. */
static void build_spread(double *spread) {
    const int steps = 8 * 512;
    double area = 0, reached = 0;
    for (int i = 0; i < steps; i++) {
        double z = (i + 0.5) / 512 - 4;
        area += exponential(-z * z / 2);
    }
    for (int i = 0, next = 0; i < steps; i++) {
        double z = (i + 0.5) / 512 - 4;
        for (; next <= SPREAD && reached >= area * next / SPREAD; next++)
            spread[next] = exponential(income_deviation * z);
        reached += exponential(-z * z / 2);
    }
    spread[SPREAD] = exponential(income_deviation * 4);
}

static void build_medians(hr_people *people) {
    const income_stage *stage = income_stages;
    for (uint32_t age = 0; age < HR_PEOPLE_AGES; age++) {
        if (age >= stage[1].from) stage++;
        double way = (double)(age - stage->from) / (stage[1].from - stage->from);
        double percent = stage->percent + way * (stage[1].percent - stage->percent);
        for (int sex = 0; sex < SEXES; sex++) {
            double share = percent / 100 * (sex ? stage->women / 100.0 : 1);
            for (int i = 0; i < HR_PEOPLE_EDUCATIONS; i++)
                people->median[age][sex][i] = income_of[i] * share;
            people->without_income[age][sex] = UINT32_MAX / 100 * stage->without[sex];
        }
    }
}

static uint32_t draw_income(const hr_people *people, hr_random *random, const hr_person *who) {
    if (who->age < 16) return 0;
    uint64_t draw = hr_random_next(random);
    if ((uint32_t)draw < people->without_income[who->age][who->sex]) return 0;
    draw = hr_random_next(random);
    const double *at = people->spread + (draw >> 54);
    double part = (double)(draw & UINT32_MAX) * 0x1p-32;
    double income = people->median[who->age][who->sex][who->education];
    income *= at[0] + part * (at[1] - at[0]);
    if (income >= HR_PEOPLE_TOP_INCOME) return HR_PEOPLE_TOP_INCOME;
    return (uint32_t)(income / 10 + 0.5) * 10;
}

/* ---- Building and drawing ---- */

static hr_status build_ages(hr_people *people, hr_arena *arena, hr_error *err) {
    uint32_t weights[HR_PEOPLE_AGES * SEXES];
    for (uint32_t age = 0; age < HR_PEOPLE_AGES; age++)
        for (uint32_t sex = 0; sex < SEXES; sex++) {
            const uint16_t *knot = &pyramid[sex][age / 5];
            uint32_t past = age % 5;
            weights[age * SEXES + sex] = knot[0] * (5 - past) + (past ? knot[1] * past : 0);
        }
    return hr_lottery_build(&people->age_and_sex, weights, HR_PEOPLE_AGES * SEXES, arena, err);
}

static hr_status build_diagnoses(hr_people *people, hr_arena *arena, hr_error *err) {
    for (uint32_t band = 0; band < DIAGNOSIS_BANDS; band++)
        for (uint32_t sex = 0; sex < SEXES; sex++) {
            uint32_t weights[HR_PEOPLE_DIAGNOSES];
            for (uint32_t i = 0; i < HR_PEOPLE_DIAGNOSES; i++)
                weights[i] = (uint32_t)diagnoses[i].share[band] * diagnoses[i].percent[sex];
            HR_TRY(hr_lottery_build(&people->diagnosis[band][sex], weights, HR_PEOPLE_DIAGNOSES,
                                    arena, err));
        }
    return HR_OK;
}

/* Stores the band of every age; bands begin at the ages from[0], from[1], ... */
static void build_bands(uint8_t *band, const uint8_t *from, uint8_t count) {
    for (uint32_t age = 0, i = 0; age < HR_PEOPLE_AGES; age++) {
        if (i + 1 < count && age >= from[i + 1]) i++;
        band[age] = (uint8_t)i;
    }
}

hr_status hr_people_build(hr_arena *arena, const hr_people **out, hr_error *err) {
    hr_people *people = hr_arena_alloc(arena, 1, sizeof *people, err);
    if (!people) return HR_ENOMEM;
    HR_TRY(build_ages(people, arena, err));
    for (uint32_t i = 0; i < STATUS_BANDS * SEXES; i++)
        HR_TRY(hr_lottery_build(&people->status[i / SEXES][i % SEXES],
                                status_share[i / SEXES][i % SEXES], HR_PEOPLE_STATUSES, arena,
                                err));
    for (uint32_t i = 0; i < EDUCATION_BANDS; i++)
        HR_TRY(hr_lottery_build(&people->education[i], education_share[i], HR_PEOPLE_EDUCATIONS,
                                arena, err));
    HR_TRY(build_diagnoses(people, arena, err));
    build_bands(people->status_band, status_from, STATUS_BANDS);
    build_bands(people->education_band, education_from, EDUCATION_BANDS);
    build_bands(people->diagnosis_band, diagnosis_from, DIAGNOSIS_BANDS);
    build_medians(people);
    build_spread(people->spread);
    *out = people;
    return HR_OK;
}

void hr_people_draw(const hr_people *people, hr_random *random, hr_person *out) {
    uint32_t age_and_sex = hr_lottery_draw(&people->age_and_sex, random);
    uint32_t age = out->age = age_and_sex / SEXES, sex = out->sex = age_and_sex % SEXES;
    out->status = hr_lottery_draw(&people->status[people->status_band[age]][sex], random);
    out->education = hr_lottery_draw(&people->education[people->education_band[age]], random);
    out->diagnosis = hr_lottery_draw(&people->diagnosis[people->diagnosis_band[age]][sex], random);
    out->income = draw_income(people, random, out);
}

const char *hr_people_diagnosis(uint32_t diagnosis) {
    return diagnoses[diagnosis].label;
}
