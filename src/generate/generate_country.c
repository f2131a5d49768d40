/* generate_country.c - Orvenia, a country that does not exist: 3 parts, 9 regions, 72 districts and
 * 1152 towns whose sizes follow Zipf's law, and 30 countries on 3 continents that people came from.
 * The country is the same for every seed. Most people live in their town of birth or near it; those
 * who move far and those who come from abroad go to large towns. Places are numbered so that the
 * towns of a district, the districts of a region and the regions of a part are consecutive. */
#include "generate/generate.h"

enum {
    PARTS = 3,
    REGIONS = 9,
    DISTRICTS = 72,
    TOWNS = 1152,
    REGION_TOWNS = TOWNS / REGIONS,
    DISTRICT_TOWNS = TOWNS / DISTRICTS,
    CONTINENTS = 3,
    COUNTRIES = 30,
    NAME = 24 /* room for a town's name */
};

struct hr_country {
    char town[TOWNS][NAME];
    hr_lottery births, births_abroad, attraction;
    hr_lottery region[REGIONS], district[DISTRICTS];
};

static const char *const part_names[PARTS] = {"Upper Orvenia", "Central Orvenia", "Lower Orvenia"};
static const char *const region_names[REGIONS] = {"Braskovar", "Toldern", "Ilvanesse",
                                                  "Quorrim",   "Sembrey", "Vastrelle",
                                                  "Nemoure",   "Drovany", "Pelquin"};
static const char *const continent_names[CONTINENTS] = {"Ostrania", "Meridane", "Zephyra"};

const char *const hr_country_birth_limits[] = {
    "Upper Orvenia", "Central Orvenia", "Lower Orvenia", "Ostrania", "Meridane", "Zephyra", NULL};

/* Country i lies on continent i % 3; countries are sorted by frequency. */
static const char *const country_names[COUNTRIES] = {
    "Vellasca", "Tamurand",  "Ishkaville", "Grennmark", "Osoyene",  "Palmerique",
    "Drusland", "Kharazine", "Lumbaya",    "Esterhold", "Nabarat",  "Coravida",
    "Sundovia", "Yezdanah",  "Montequil",  "Ruthmere",  "Qasimund", "Tierazul",
    "Welkany",  "Bahristan", "Ondurela",   "Jorvikan",  "Zanduria", "Huamanta",
    "Lithovar", "Samarqel",  "Pachamira",  "Albrenz",   "Imerhad",  "Yaguarel"};

/* The name of a town is a stem and an ending: 36 x 32 names, each used once. */
static const char *const stems[36] = {
    "Brel",  "Dorv", "Elst", "Fenn", "Garv", "Hulm",  "Ivel",  "Jorn", "Krem",
    "Lorq",  "Mald", "Nerv", "Orsk", "Prav", "Quel",  "Rusk",  "Selm", "Torv",
    "Ulv",   "Vand", "Wesk", "Yarl", "Zelm", "Arvel", "Borim", "Celd", "Drav",
    "Emmer", "Falk", "Grim", "Hesp", "Isk",  "Kolv",  "Lund",  "Morv", "Stav"};
static const char *const endings[32] = {
    "abor",  "adale",  "anne",  "arben", "asund", "atta",   "egard", "ehaven",
    "elin",  "emont",  "enbek", "erow",  "eskil", "etorp",  "evik",  "ibrook",
    "iford", "imere",  "inka",  "iona",  "istad", "itz",    "obury", "oden",
    "olme",  "ondrel", "oport", "orska", "ostok", "ouvray", "umber", "urne"};

static void name_towns(hr_country *country) {
    for (uint32_t i = 0; i < TOWNS; i++) {
        uint32_t stem = i % 36, ending = (i / 36 + 5 * stem) % 32;
        char *end = hr_generate_text(country->town[i], stems[stem], '\0') - 1;
        hr_generate_text(end, endings[ending], '\0');
    }
}

/* Rank of a town by size: the first town of a district is its largest, and the nine largest towns
 * are the first of the nine regions. */
static uint32_t town_rank(uint32_t town) {
    uint32_t district = town / DISTRICT_TOWNS, in_district = town % DISTRICT_TOWNS;
    uint32_t region = town / REGION_TOWNS, in_region = district % (DISTRICTS / REGIONS);
    return in_district * DISTRICTS + in_region * REGIONS + region;
}

static hr_status build_places(hr_country *country, hr_arena *arena, hr_error *err) {
    uint32_t size[TOWNS], pull[TOWNS];
    for (uint32_t i = 0; i < TOWNS; i++) {
        size[i] = UINT32_C(100000000) / (town_rank(i) + 5);
        pull[i] = UINT32_C(100000000) / (town_rank(i) + 2);
    }
    HR_TRY(hr_lottery_build(&country->births, size, TOWNS, arena, err));
    HR_TRY(hr_lottery_build(&country->attraction, pull, TOWNS, arena, err));
    for (size_t i = 0; i < REGIONS; i++)
        HR_TRY(hr_lottery_build(&country->region[i], size + i * REGION_TOWNS, REGION_TOWNS, arena,
                                err));
    for (size_t i = 0; i < DISTRICTS; i++)
        HR_TRY(hr_lottery_build(&country->district[i], size + i * DISTRICT_TOWNS, DISTRICT_TOWNS,
                                arena, err));
    return hr_lottery_build_zipf(&country->births_abroad, 100000000, 3, COUNTRIES, arena, err);
}

hr_status hr_country_build(hr_arena *arena, const hr_country **out, hr_error *err) {
    hr_country *country = hr_arena_alloc(arena, 1, sizeof *country, err);
    if (!country) return HR_ENOMEM;
    name_towns(country);
    HR_TRY(build_places(country, arena, err));
    *out = country;
    return HR_OK;
}

/* ---- Drawing ---- */

/* Per thousand people of an age group: `abroad` were born abroad. Per thousand of the others: how
 * many live in their town, district or region of birth; each number includes the one before. */
typedef struct {
    uint32_t below; /* upper limit of the age, exclusive */
    uint32_t abroad, town, district, region;
} mobility;

static const mobility mobilities[] = {{18, 35, 800, 900, 960},
                                      {30, 120, 540, 700, 850},
                                      {65, 140, 500, 700, 860},
                                      {UINT32_MAX, 70, 540, 750, 890}};

static uint32_t thousandths(hr_random *random) {
    return (uint32_t)((hr_random_next(random) >> 32) * 1000 >> 32);
}

static uint32_t draw_residence(const hr_country *country, hr_random *random, const mobility *how,
                               uint32_t birthplace) {
    uint32_t draw = thousandths(random);
    if (birthplace >= TOWNS || draw >= how->region)
        return hr_lottery_draw(&country->attraction, random);
    if (draw < how->town) return birthplace;
    uint32_t district = birthplace / DISTRICT_TOWNS, region = birthplace / REGION_TOWNS;
    if (draw < how->district)
        return district * DISTRICT_TOWNS + hr_lottery_draw(&country->district[district], random);
    return region * REGION_TOWNS + hr_lottery_draw(&country->region[region], random);
}

void hr_country_draw(const hr_country *country, hr_random *random, uint32_t age,
                     uint32_t *birthplace, uint32_t *residence) {
    const mobility *how = mobilities;
    while (age >= how->below)
        how++;
    if (thousandths(random) < how->abroad)
        *birthplace = TOWNS + hr_lottery_draw(&country->births_abroad, random);
    else
        *birthplace = hr_lottery_draw(&country->births, random);
    *residence = draw_residence(country, random, how, *birthplace);
}

const char *hr_country_place(const hr_country *country, uint32_t place) {
    return place < TOWNS ? country->town[place] : country_names[place - TOWNS];
}

/* ---- Hierarchies: town; district, called after its largest town; region; part ---- */

static void put_town(const hr_country *country, uint32_t town, hr_text *out) {
    uint32_t region = town / REGION_TOWNS;
    hr_text_printf(out, "%s;%s district;%s;%s;", country->town[town],
                   country->town[town - town % DISTRICT_TOWNS], region_names[region],
                   part_names[region / (REGIONS / PARTS)]);
}

void hr_country_residences(const hr_country *country, hr_text *out) {
    for (uint32_t i = 0; i < TOWNS; i++) {
        put_town(country, i, out);
        hr_text_puts(out, "*\n");
    }
}

/* The repeated label of a continent is one node, directly above its countries. */
void hr_country_birthplaces(const hr_country *country, hr_text *out) {
    for (uint32_t i = 0; i < TOWNS; i++) {
        put_town(country, i, out);
        hr_text_puts(out, "Orvenia;*\n");
    }
    for (uint32_t continent = 0; continent < CONTINENTS; continent++)
        for (uint32_t i = continent; i < COUNTRIES; i += CONTINENTS) {
            const char *label = continent_names[continent];
            hr_text_printf(out, "%s;%s;%s;%s;abroad;*\n", country_names[i], label, label, label);
        }
}
