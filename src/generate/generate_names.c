/* generate_names.c - names of people, common names more often: first names by sex, last names from
 * a stem and an ending. Any resemblance to a real person is coincidental. */
#include "generate/generate.h"

enum { FIRSTS = 100, GERMAN_FIRSTS = 40, STEMS = 20, ENDINGS = 20 };

struct hr_names {
    uint32_t first_count;
    const char *const *firsts[2]; /* by sex */
    const char *const *stems, *const *endings;
    hr_lottery first, last;
};

static const char *const first_names[2][FIRSTS] = {
    {"Adam",    "Albert",    "Alexander", "Anders",    "Andrew",  "Anton",     "Arthur",
     "Aron",    "Basil",     "Ben",       "Bernard",   "Boris",   "Bruno",     "Carl",
     "Caspar",  "Charles",   "Conrad",    "Daniel",    "David",   "Dennis",    "Dominic",
     "Edgar",   "Edmund",    "Edward",    "Elias",     "Emil",    "Eric",      "Ernest",
     "Felix",   "Ferdinand", "Frank",     "Frederick", "Gabriel", "George",    "Gerald",
     "Gilbert", "Gregor",    "Gustav",    "Harald",    "Harry",   "Henry",     "Herman",
     "Hugo",    "Igor",      "Isaac",     "Ivan",      "Jacob",   "James",     "Jan",
     "Jasper",  "Joachim",   "Joel",      "John",      "Jonas",   "Joseph",    "Julian",
     "Karim",   "Kevin",     "Lars",      "Laurence",  "Leo",     "Leonard",   "Louis",
     "Lucas",   "Magnus",    "Marcus",    "Martin",    "Matthew", "Max",       "Michael",
     "Milan",   "Nathan",    "Nicholas",  "Noah",      "Oliver",  "Oscar",     "Otto",
     "Patrick", "Paul",      "Peter",     "Philip",    "Quentin", "Ralph",     "Raymond",
     "Richard", "Robert",    "Roman",     "Rudolf",    "Samuel",  "Sebastian", "Simon",
     "Stefan",  "Theodor",   "Thomas",    "Tobias",    "Victor",  "Vincent",   "Walter",
     "William", "Xavier"},
    {"Ada",    "Adele",    "Agnes",     "Alice",    "Alma",      "Amelia",   "Anna",     "Anita",
     "Astrid", "Barbara",  "Beatrice",  "Bella",    "Bertha",    "Bianca",   "Brigitte", "Camilla",
     "Carla",  "Caroline", "Catherine", "Cecilia",  "Charlotte", "Clara",    "Claudia",  "Cora",
     "Dagmar", "Daria",    "Diana",     "Dora",     "Edith",     "Eleanor",  "Elena",    "Elisa",
     "Ella",   "Elsa",     "Emily",     "Emma",     "Erica",     "Esther",   "Eva",      "Fatima",
     "Flora",  "Frances",  "Frieda",    "Gerda",    "Gloria",    "Grace",    "Greta",    "Hanna",
     "Helen",  "Hilda",    "Ida",       "Ingrid",   "Irene",     "Iris",     "Isabel",   "Jana",
     "Jane",   "Johanna",  "Josephine", "Judith",   "Julia",     "Karin",    "Katja",    "Laura",
     "Lea",    "Lena",     "Lilian",    "Linda",    "Lisa",      "Louise",   "Lucy",     "Lydia",
     "Magda",  "Margaret", "Maria",     "Marianne", "Martha",    "Mathilda", "Maya",     "Mira",
     "Monica", "Nadia",    "Nina",      "Nora",     "Olga",      "Olivia",   "Paula",    "Petra",
     "Rachel", "Rebecca",  "Rosa",      "Ruth",     "Sarah",     "Silvia",   "Sofia",    "Susan",
     "Teresa", "Vera",     "Victoria",  "Yvonne"}};

static const char *const last_stems[STEMS] = {"Al",   "Bar", "Berg", "Cal",  "Dan",  "Ekel", "Fal",
                                              "Gran", "Hal", "Hol",  "Kar",  "Lind", "Mar",  "Nor",
                                              "Os",   "Pal", "Ros",  "Sand", "Tor",  "Win"};
static const char *const last_endings[ENDINGS] = {
    "berg", "by",   "dale", "den",  "er", "feld",  "gren", "ham",   "ic",  "ing",
    "kin",  "land", "man",  "mark", "ov", "quist", "sen",  "stein", "ton", "wood"};

static const char *const german_first_names[2][GERMAN_FIRSTS] = {
    {"Alexander", "Andreas", "Bernd",   "Björn",    "Christian", "Daniel",  "Dieter", "Elias",
     "Ernst",     "Felix",   "Frank",   "Günther",  "Hans",      "Heinz",   "Horst",  "Jan",
     "Jens",      "Jörg",    "Jürgen",  "Karl",     "Klaus",     "Leon",    "Lukas",  "Manfred",
     "Markus",    "Martin",  "Michael", "Mustafa",  "Noah",      "Paul",    "Peter",  "Ralf",
     "Rüdiger",   "Stefan",  "Sören",   "Thorsten", "Uwe",       "Walther", "Werner", "Wolfgang"},
    {"Andrea",  "Anja",     "Anna",       "Aylin", "Bärbel",  "Birgit",   "Brigitte", "Christa",
     "Claudia", "Elfriede", "Elisabeth",  "Emma",  "Erika",   "Gabriele", "Gertrud",  "Hannelore",
     "Heike",   "Helga",    "Hildegard",  "Ilse",  "Ingrid",  "Jessica",  "Julia",    "Karin",
     "Käthe",   "Lea",      "Lieselotte", "Lina",  "Mandy",   "Marie",    "Monika",   "Nicole",
     "Petra",   "Renate",   "Sabine",     "Sofia", "Susanne", "Ursula",   "Ute",      "Waltraud"}};

static const char *const german_stems[STEMS] = {
    "Alt",  "Bach", "Berg", "Breit", "Feld",  "Groß",    "Grün",  "Hof",   "Kirch", "Klein",
    "Kurz", "Lang", "Neu",  "Ober",  "Schön", "Schwarz", "Stein", "Unter", "Wald",  "Weiß"};
static const char *const german_endings[ENDINGS] = {
    "acker", "bach",  "bauer", "berger", "brunner", "bäumer", "eder", "feld",    "hauser", "hofer",
    "huber", "inger", "kamp",  "mann",   "meier",   "müller", "rath", "schmidt", "thaler", "vogel"};

hr_status hr_names_build(bool german, hr_arena *arena, const hr_names **out, hr_error *err) {
    hr_names *names = hr_arena_alloc(arena, 1, sizeof *names, err);
    if (!names) return HR_ENOMEM;
    names->first_count = german ? GERMAN_FIRSTS : FIRSTS;
    for (int sex = 0; sex < 2; sex++)
        names->firsts[sex] = german ? german_first_names[sex] : first_names[sex];
    names->stems = german ? german_stems : last_stems;
    names->endings = german ? german_endings : last_endings;
    HR_TRY(hr_lottery_build_zipf(&names->first, 10000000, 20, names->first_count, arena, err));
    HR_TRY(hr_lottery_build_zipf(&names->last, 10000000, 40, STEMS * ENDINGS, arena, err));
    *out = names;
    return HR_OK;
}

char *hr_names_put(const hr_names *names, hr_random *random, uint32_t sex, char *to) {
    /* Without the factor 37 the first names of the alphabet would be the most frequent. */
    uint32_t first = hr_lottery_draw(&names->first, random) * 37 % names->first_count;
    uint32_t last = hr_lottery_draw(&names->last, random) * 37 % (STEMS * ENDINGS);
    to = hr_generate_text(to, names->firsts[sex][first], ' ');
    to = hr_generate_text(to, names->stems[last / ENDINGS], '\0') - 1;
    return hr_generate_text(to, names->endings[last % ENDINGS], '\0') - 1;
}
