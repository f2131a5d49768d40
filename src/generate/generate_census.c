/* generate_census.c - a population register: one row per person with a unique number, a name,
 * personal attributes, birthplace and residence. Also its hierarchies and a job whose boundaries a
 * research-data centre might draw: residence stays within its region, birthplace within its part of
 * the country or its continent, age within twenty years for adults. */
#include "generate/generate.h"

typedef struct {
    const hr_people *people;
    const hr_country *country;
    const hr_names *names;
    hr_random random;
    uint64_t number; /* number of the last person minus HR_NUMBER_FIRST */
} census_state;

static char *put_row(char *to, void *payload) {
    census_state *census = payload;
    hr_person who;
    uint32_t birthplace, residence;
    hr_people_draw(census->people, &census->random, &who);
    hr_country_draw(census->country, &census->random, who.age, &birthplace, &residence);
    census->number = (census->number + HR_NUMBER_STEP) % HR_NUMBER_COUNT;
    to = hr_generate_number(to, HR_NUMBER_FIRST + census->number);
    *to++ = ',';
    to = hr_names_put(census->names, &census->random, who.sex, to);
    *to++ = ',';
    to = hr_generate_number(to, who.age);
    *to++ = ',';
    to = hr_generate_text(to, hr_people_sexes[who.sex], ',');
    to = hr_generate_text(to, hr_people_statuses[who.status][0], ',');
    to = hr_generate_text(to, hr_country_place(census->country, birthplace), ',');
    to = hr_generate_text(to, hr_country_place(census->country, residence), ',');
    to = hr_generate_text(to, hr_people_educations[who.education][0], ',');
    to = hr_generate_text(to, hr_people_diagnosis(who.diagnosis), ',');
    return hr_generate_number(to, who.income);
}

static void put_years(hr_text *text, int age, int width) {
    hr_text_printf(text, "%d-%d;", age / width * width, age / width * width + width - 1);
}

/* Bands of 5, 10, 20 and 40 years. The oldest people are few: they form 100+, then 80+. */
static hr_status write_ages(const hr_generation *request, hr_error *err) {
    hr_text text = {0};
    for (int age = 0; age <= 120; age++) {
        hr_text_printf(&text, "%d;", age);
        for (int width = 5; width <= 40; width *= 2)
            if (age >= 80 && width >= 20)
                hr_text_puts(&text, "80+;");
            else if (age >= 100)
                hr_text_puts(&text, "100+;");
            else
                put_years(&text, age, width);
        hr_text_puts(&text, "*\n");
    }
    return hr_generate_file(request, "hierarchies/age.csv", &text, err);
}

/* A hierarchy of values, their groups and one root. */
static hr_status write_groups(const hr_generation *request, const char *name,
                              const char *const (*pairs)[2], size_t count, hr_error *err) {
    hr_text text = {0};
    for (size_t i = 0; i < count; i++)
        hr_text_printf(&text, "%s;%s;*\n", pairs[i][0], pairs[i][1]);
    return hr_generate_file(request, name, &text, err);
}

static hr_status write_hierarchies(const hr_generation *request, const hr_country *country,
                                   hr_error *err) {
    HR_TRY(write_ages(request, err));
    HR_TRY(write_groups(request, "hierarchies/marital-status.csv", hr_people_statuses,
                        HR_PEOPLE_STATUSES, err));
    HR_TRY(write_groups(request, "hierarchies/education.csv", hr_people_educations,
                        HR_PEOPLE_EDUCATIONS, err));
    hr_text text = {0};
    hr_country_birthplaces(country, &text);
    HR_TRY(hr_generate_file(request, "hierarchies/birthplace.csv", &text, err));
    hr_country_residences(country, &text);
    return hr_generate_file(request, "hierarchies/residence.csv", &text, err);
}

static hr_status write_job(const hr_generation *request, hr_error *err) {
    hr_text text = {0};
    hr_text_printf(
        &text,
        "# The population register of Orvenia, which does not exist, seed %llu.\n"
        "input: census.csv\n"
        "output: census-masked.csv\n"
        "model: {k: 5, p: 2}\n"
        "attributes:\n"
        "  id:             {role: identifier}\n"
        "  name:           {role: identifier}\n"
        "  # Children have no income: only together with adults can they have p values.\n"
        "  age:            {role: quasi, hierarchy: hierarchies/age.csv,\n"
        "                   boundary: [0-39, 40-59, 60-79, 80+]}\n"
        "  sex:            {role: quasi, hierarchy: flat}\n"
        "  marital-status: {role: quasi, hierarchy: hierarchies/marital-status.csv}\n"
        "  # Within the part of the country, or the continent: nodes of unequal height.\n"
        "  birthplace:     {role: quasi, hierarchy: hierarchies/birthplace.csv,\n"
        "                   boundary: [",
        (unsigned long long)request->seed);
    for (size_t i = 0; hr_country_birth_limits[i]; i++)
        hr_text_printf(&text, "%s%s", i ? ", " : "", hr_country_birth_limits[i]);
    hr_text_printf(
        &text,
        "]}\n"
        "  # Town, district, region: never past the region.\n"
        "  residence:      {role: quasi, hierarchy: hierarchies/residence.csv, "
        "boundary: {level: 2}}\n"
        "  education:      {role: quasi, hierarchy: hierarchies/education.csv}\n"
        "  diagnosis:      {role: sensitive}\n"
        "  income:         {role: sensitive, bins: 8}   # 0 to %d, where it is top-coded\n",
        HR_PEOPLE_TOP_INCOME);
    return hr_generate_file(request, "census.yaml", &text, err);
}

static hr_status write_census(const hr_generation *request, hr_arena *arena, hr_error *err) {
    census_state census;
    HR_TRY(hr_people_build(arena, &census.people, err));
    HR_TRY(hr_country_build(arena, &census.country, err));
    HR_TRY(hr_names_build(false, arena, &census.names, err));
    hr_random_seed(&census.random, request->seed, 0);
    census.number = hr_random_below(&census.random, HR_NUMBER_COUNT);
    HR_TRY(write_hierarchies(request, census.country, err));
    HR_TRY(
        hr_generate_rows(request,
                         "id,name,age,sex,marital-status,birthplace,residence,education,diagnosis,"
                         "income",
                         put_row, &census, err));
    return write_job(request, err);
}

hr_status hr_generate_census(const hr_generation *request, hr_error *err) {
    hr_arena arena = {0};
    hr_status status = write_census(request, &arena, err);
    hr_arena_free(&arena);
    return status;
}
