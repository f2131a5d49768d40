/* init_profile.c - describes the distinct values of a column: numbers, dates and their format,
 * codes of ICD-10, how many values there are and how rare. A column counts as numbers or dates only
 * if every value that is not missing is one, because builders refuse other values. */
#include "run/init/init.h"

#include "hierarchy/build/date.h"

#include <string.h>

enum { SAMPLE = 64 }; /* values that are looked at to find the format of dates */

/* ---- Missing values ---- */

/* Texts that mean a missing value in any column. */
static const char *const usual_tokens[] = {
    "", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "#N/A", "\\N", "?", ".", "-", "--", NULL};
/* Texts that mean a missing value if all other values are numbers or dates. */
static const char *const number_tokens[] = {"na",
                                            "nd",
                                            "n.d.",
                                            "k.a.",
                                            "k.A.",
                                            "keine Angabe",
                                            "unbekannt",
                                            "unknown",
                                            "Unknown",
                                            "UNKNOWN",
                                            "none",
                                            "None",
                                            "missing",
                                            "inconnu",
                                            "nc",
                                            "NC",
                                            "desconocido",
                                            "s/d",
                                            "sin dato",
                                            "sconosciuto",
                                            "n.v.",
                                            "#NULL!",
                                            "0000-00-00",
                                            "00.00.0000",
                                            "00/00/0000",
                                            "non renseigné",
                                            "NR",
                                            "x",
                                            "unbek.",
                                            "leer",
                                            "NaT",
                                            "nul",
                                            "non disponibile",
                                            "no consta",
                                            NULL};

static bool is_listed(const char *const *list, const char *text) {
    for (; *list; list++)
        if (!strcmp(*list, text)) return true;
    return false;
}

static bool has_part(const char *const *parts, const char *text) {
    for (; *parts; parts++)
        if (strstr(text, *parts)) return true;
    return false;
}

static bool has_token(const hr_tokens *tokens, const char *text) {
    for (size_t i = 0; i < tokens->count; i++)
        if (!strcmp(tokens->texts[i], text)) return true;
    return false;
}

static hr_status add_token(hr_tokens *tokens, const char *text, hr_arena *arena, hr_error *err) {
    if (has_token(tokens, text) || tokens->count == HR_TOKENS_MOST) return HR_OK;
    const char *copy = hr_arena_text(arena, text, strlen(text), err);
    if (!copy) return HR_ENOMEM;
    tokens->texts[tokens->count++] = copy;
    return HR_OK;
}

/* ---- What a text looks like ---- */

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_letter(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* A number that has the other decimal sign. */
static bool has_other_sign(const char *text, char point) {
    double number;
    return hr_parse_number(text, point == ',' ? '.' : ',', &number);
}

/* A00, E11.9, S72.01XA */
static bool is_icd(const char *text) {
    if (text[0] < 'A' || text[0] > 'Z' || !is_digit(text[1]) || !is_digit(text[2])) return false;
    text += 3;
    if (*text == '.') text++;
    size_t rest = strspn(text, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    return rest <= 4 && strspn(text + rest, "-+*!#") == strlen(text + rest);
}

/* LS2 9JT, EC1A 1BB: British postal codes, with one blank. */
static bool is_british_postcode(const char *text) {
    size_t area = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    if (area < 1 || area > 2 || !is_digit(text[area])) return false;
    text += area + 1;
    text += is_digit(*text) || is_letter(*text);
    return text[0] == ' ' && is_digit(text[1]) && is_letter(text[2]) && is_letter(text[3]) &&
           text[4] == '\0';
}

/* 9:05, 14:30, 14:30:59 */
static bool is_clock(const char *text) {
    size_t hours = strspn(text, "0123456789");
    if (hours < 1 || hours > 2 || text[hours] != ':') return false;
    if (hours == 2 && (text[0] > '2' || (text[0] == '2' && text[1] > '4'))) return false;
    for (text += hours; *text; text += 3)
        if (text[0] != ':' || text[1] < '0' || text[1] > '5' || !is_digit(text[2])) return false;
    return true;
}

/* A title and a name. */
static bool is_titled(const char *text) {
    static const char *const titles[] = {"Dr",   "Prof", "Mr",   "Mrs",  "Ms",   "Miss",
                                         "Herr", "Frau", "Mme",  "Mlle", "M",    "Sr",
                                         "Sra",  "Sig",  "Dott", "Don",  "Doña", NULL};
    for (size_t i = 0; titles[i]; i++) {
        size_t length = strlen(titles[i]);
        if (strncmp(text, titles[i], length) != 0) continue;
        const char *rest = text + length;
        rest += strncmp(rest, "ssa", 3) == 0 ? 3 : *rest == 'a' || *rest == 'r' ? 1 : 0;
        bool point = *rest == '.';
        rest += point;
        if (*rest == ' ' && (length > 1 || point) && rest[1] >= 'A' && rest[1] <= 'Z') return true;
    }
    return false;
}

/* As a whole, or at the end: "une femme". */
static const char *const sex_words[] = {
    "m",       "f",       "w",      "d",        "x",        "h",        "v",        "M",
    "F",       "W",       "D",      "X",        "H",        "male",     "female",   "Male",
    "Female",  "MALE",    "FEMALE", "männlich", "weiblich", "divers",   "homme",    "femme",
    "Homme",   "Femme",   "hombre", "mujer",    "Hombre",   "Mujer",    "maschio",  "femmina",
    "Maschio", "Femmina", "uomo",   "donna",    "other",    "Männlich", "Weiblich", "man",
    "woman",   "Mann",    "Frau",   "girl",     "boy",      "Herr",     "garçon",   "fille",
    "ragazzo", "ragazza", "niño",   "niña",     NULL};

static bool is_sex(const char *text) {
    const char *blank = strrchr(text, ' ');
    return is_listed(sex_words, text) ||
           (blank && strlen(blank) > 3 && is_listed(sex_words, blank + 1));
}

/* In pairs: yes, no. */
static const char *const yes_no_words[] = {
    "yes",  "no",    "Yes",  "No",     "YES",  "NO",     "y",    "n",    "Y",    "N",
    "ja",   "nein",  "Ja",   "Nein",   "JA",   "NEIN",   "j",    "n",    "J",    "N",
    "oui",  "non",   "Oui",  "Non",    "OUI",  "NON",    "o",    "n",    "O",    "N",
    "sí",   "no",    "Sí",   "No",     "SÍ",   "NO",     "si",   "no",   "Si",   "No",
    "SI",   "NO",    "sì",   "no",     "Sì",   "No",     "s",    "n",    "S",    "N",
    "true", "false", "True", "False",  "TRUE", "FALSE",  "1",    "0",    "vero", "falso",
    "vrai", "faux",  "wahr", "falsch", "WAHR", "FALSCH", "VRAI", "FAUX", NULL};

enum { ANSWERS_MOST = 12 };
/* Parts of the answers to "do you agree?", "are you satisfied?", "is it likely?". */
static const char *const answer_parts[] = {"gree",     "GREE",    "atisf",  "timme",
                                           "ufrieden", "accord",  "cuerdo", "oddisf",
                                           "ikely",    "wahrsch", NULL};

/* Small letters. Results, degrees and decisions: columns with them are sensitive. */
static const char *const outcome_words[] = {
    "positive",   "negative",  "inconclusive", "pos",       "neg",       "mild",      "moderate",
    "severe",     "critical",  "fatal",        "alive",     "dead",      "died",      "deceased",
    "expired",    "recovered", "placebo",      "pass",      "passed",    "fail",      "failed",
    "normal",     "abnormal",  "approved",     "rejected",  "denied",    "granted",   "guilty",
    "acquitted",  "convicted", "dismissed",    "positiv",   "negativ",   "leicht",    "schwer",
    "verstorben", "lebend",    "genesen",      "bestanden", "bewilligt", "abgelehnt", "positif",
    "négatif",    "léger",     "modéré",       "sévère",    "décédé",    "vivant",    "guéri",
    "admis",      "refusé",    "accordé",      "positivo",  "negativo",  "leve",      "moderado",
    "grave",      "fallecido", "vivo",         "curado",    "aprobado",  "suspenso",  "denegado",
    "concedido",  "lieve",     "moderato",     "deceduto",  "guarito",   "promosso",  "bocciato",
    "respinto",   "accolto",   "sano",         "gesund",    "krank",     "sick",      "healthy",
    NULL};

/* Is the text one of outcome_words, in small or capital letters? */
static bool is_outcome(const char *text) {
    char small[24];
    size_t length = strlen(text);
    if (length >= sizeof small) return false;
    for (size_t i = 0; i <= length; i++)
        small[i] = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] - 'A' + 'a') : text[i];
    return is_listed(outcome_words, small);
}

/* Two to four words that begin with a capital, of letters, hyphens, apostrophes and points. */
static bool is_full_name(const char *text) {
    size_t words = 0;
    for (const char *at = text; *at;) {
        bool capital = (*at >= 'A' && *at <= 'Z') || (unsigned char)*at >= 0x80;
        if (!capital) return false;
        for (; *at && *at != ' ' && *at != ','; at++)
            if (!is_letter(*at) && (unsigned char)*at < 0x80 && !strchr("-'.", *at)) return false;
        words++;
        at += *at == ',';
        at += *at == ' ';
    }
    return words >= 2 && words <= 4;
}

/* %b reads whole names of months, too. */
static const char *const date_formats[] = {NULL,
                                           "%d.%m.%Y",
                                           "%d/%m/%Y",
                                           "%m/%d/%Y",
                                           "%Y/%m/%d",
                                           "%d-%m-%Y",
                                           "%m-%d-%Y",
                                           "%Y%m%d",
                                           "%d.%m.%y",
                                           "%d/%m/%y",
                                           "%m/%d/%y",
                                           "%d-%b-%Y",
                                           "%d %b %Y",
                                           "%d%b%Y",
                                           "%b %d, %Y",
                                           "%d. %b %Y",
                                           "%d de %b de %Y",
                                           "%d-%b-%y",
                                           "%d %b %y",
                                           "%d%b%y",
                                           "%b %Y",
                                           "%b-%Y",
                                           "%b-%y",
                                           "%Y-%m",
                                           "%m/%Y",
                                           "%m.%Y",
                                           "%Y/%m",
                                           "%Y.%m.%d",
                                           "%Y%m",
                                           "%d.%m.%Y %H:%M",
                                           "%d.%m.%Y %H:%M:%S",
                                           "%d/%m/%Y %H:%M",
                                           "%d/%m/%Y %H:%M:%S",
                                           "%m/%d/%Y %H:%M",
                                           "%m/%d/%Y %H:%M:%S",
                                           "%Y/%m/%d %H:%M",
                                           "%Y/%m/%d %H:%M:%S",
                                           "%d-%m-%Y %H:%M",
                                           "%d-%m-%Y %H:%M:%S",
                                           "%d.%m.%y %H:%M",
                                           "%d/%m/%y %H:%M",
                                           "%m/%d/%y %H:%M",
                                           "%d/%m/%Y %I:%M %p",
                                           "%d/%m/%Y %I:%M:%S %p",
                                           "%m/%d/%Y %I:%M %p",
                                           "%m/%d/%Y %I:%M:%S %p",
                                           "%d-%b-%Y %H:%M",
                                           "%d-%b-%Y %H:%M:%S",
                                           "%d%b%Y:%H:%M:%S",
                                           "%Y%m%d%H%M%S"};
enum { FORMATS = sizeof date_formats / sizeof *date_formats };

static bool is_date(const char *text, const char *format, hr_date *out) {
    if (format && !strncmp(format, "%Y%m", 4) &&
        strlen(text) != (!format[4]  ? 6
                         : format[6] ? 14
                                     : 8))
        return false;
    bool read = format ? hr_date_read(text, format, 0, out) : hr_date_read_iso(text, out);
    return read && out->year >= 1800 && out->year <= 2200;
}

/* The text behind a sign of a currency and blanks around it. */
static const char *skip_currency(const char *text) {
    static const char *const signs[] = {"€", "$", "£", "EUR", "USD", "GBP", "CHF", "Fr.", NULL};
    const char *at = text + strspn(text, " ");
    for (size_t i = 0; signs[i]; i++)
        if (strncmp(at, signs[i], strlen(signs[i])) == 0) {
            at += strlen(signs[i]);
            return at + strspn(at, " ");
        }
    return text;
}

/* Is it a number with a currency or thousands separators, such as €12, 1.234,50, 1,234,567 or
 * 1'234? Adds 1 to *grouped if it cannot be a number without them. */
static bool is_grouped(const char *text, uint32_t *grouped) {
    const char *number = skip_currency(text);
    bool currency = number > text;
    text = number;
    text += *text == '-';
    size_t lead = strspn(text, "0123456789"), groups = 0;
    if (lead == 0) return false;
    text += lead;
    char sign = *text;
    while (lead <= 3 && sign && strchr(".,' ", sign) && *text == sign &&
           strspn(text + 1, "0123456789") == 3) {
        text += 4;
        groups++;
    }
    bool decimals = *text == '.' || *text == ',';
    text += decimals;
    text += decimals ? strspn(text, "0123456789") : 0;
    if (lead > 0 && *text && *skip_currency(text) == '\0') {
        currency = true;
        text = "";
    }
    bool separated = groups > 1 || (groups > 0 && (decimals || sign == '\'' || sign == ' '));
    *grouped += *text == '\0' && (separated || currency);
    return *text == '\0';
}

/* ---- One pass over the distinct values ---- */

typedef struct {
    uint32_t values, numbers, wholes, others, zeros, dates, icds, mails, sexes, answers, even;
    uint64_t rows, number_rows, date_rows;
    double least, greatest, first_day, last_day;
    size_t bytes, shortest, longest;
    uint32_t plain_or_grouped, grouped; /* numbers with or without thousands separators; with */
    uint32_t postcodes, clocks, titled, icd_points, decimals, outcomes, full_names;
    char icd_letter;  /* first letter of the codes of ICD-10 */
    bool icd_letters; /* they begin with different letters */
    bool all_digits;
} tally;

static void count_number(const char *text, uint64_t rows, char point, tally *t) {
    double number;
    if (hr_parse_number(text, point, &number)) {
        if (t->numbers == 0 || number < t->least) t->least = number;
        if (t->numbers == 0 || number > t->greatest) t->greatest = number;
        t->numbers++;
        t->number_rows += rows;
        t->wholes += !strpbrk(text, ".,eE");
        const char *sign = strchr(text, point);
        uint32_t digits = sign ? (uint32_t)strspn(sign + 1, "0123456789") : 0;
        if (digits > t->decimals) t->decimals = digits;
        t->zeros += text[0] == '0' && is_digit(text[1]);
    } else if (has_other_sign(text, point)) {
        t->others++;
        t->number_rows += rows;
    }
}

static void count_date(const char *text, uint64_t rows, const char *format, tally *t) {
    hr_date date;
    if (!is_digit(text[0]) && !is_letter(text[0])) return;
    if (!is_date(text, format, &date)) return;
    double day = (double)hr_date_number(date);
    if (t->dates == 0 || day < t->first_day) t->first_day = day;
    if (t->dates == 0 || day > t->last_day) t->last_day = day;
    t->dates++;
    t->date_rows += rows;
}

static void count_text(const char *text, tally *t) {
    size_t length = strlen(text);
    if (t->values == 0 || length < t->shortest) t->shortest = length;
    if (t->values == 0 || length > t->longest) t->longest = length;
    t->bytes += length;
    t->values++;
    t->all_digits = t->all_digits && strspn(text, "0123456789") == length;
    if (is_icd(text)) {
        t->icds++;
        t->icd_points += text[3] == '.';
        t->icd_letters = t->icd_letters || (t->icd_letter && t->icd_letter != text[0]);
        t->icd_letter = text[0];
    }
    t->postcodes += is_british_postcode(text);
    t->clocks += is_clock(text);
    t->titled += is_titled(text);
    t->full_names += is_full_name(text);
    t->mails += strchr(text, '@') && strchr(text, '.');
    t->plain_or_grouped += is_grouped(text, &t->grouped);
}

/* Counts the first `limit` values that each of the formats reads; returns how many it looked at. */
static uint32_t try_formats(const hr_dictionary *values, const hr_tokens *tokens, uint32_t limit,
                            const bool *wanted, uint32_t *count) {
    uint32_t seen = 0;
    for (uint32_t code = 0; code < values->count && seen < limit; code++) {
        const char *text = hr_dictionary_text(values, code);
        size_t length = hr_dictionary_length(values, code);
        hr_date date;
        if (hr_dictionary_is_null(values, code) || has_token(tokens, text)) continue;
        seen++;
        if (length < 6 || length > 40 || !strpbrk(text, "0123456789")) continue;
        for (size_t i = 0; i < FORMATS; i++)
            if (wanted[i]) count[i] += is_date(text, date_formats[i], &date);
    }
    return seen;
}

/* 202103: the number of a month only where the name says so. */
static bool is_month_number(const char *format) {
    return format && !strcmp(format, "%Y%m");
}

static bool tells_time(const char *name) {
    hr_name_words words;
    hr_name_split(name, 0, &words);
    return hr_name_tells_time(&words);
}

/* The date format that reads most values; FORMATS: none reads four fifths of the first SAMPLE
 * values. Formats that read the sample are compared on all values, because day and month may have
 * either order. */
static size_t find_format(const hr_column *column, const hr_tokens *tokens) {
    const hr_dictionary *values = &column->dictionary;
    bool wanted[FORMATS];
    uint32_t count[FORMATS] = {0}, left = 0;
    size_t best = FORMATS;
    for (size_t i = 0; i < FORMATS; i++)
        wanted[i] = !is_month_number(date_formats[i]) || tells_time(column->name);
    uint32_t seen = try_formats(values, tokens, SAMPLE, wanted, count);
    for (size_t i = 0; i < FORMATS; i++)
        left += wanted[i] = seen > 0 && count[i] * 5 >= seen * 4;
    if (left > 1) {
        memset(count, 0, sizeof count);
        try_formats(values, tokens, UINT32_MAX, wanted, count);
    }
    for (size_t i = 0; i < FORMATS; i++)
        if (wanted[i] && (best == FORMATS || count[i] > count[best])) best = i;
    return best;
}

/* Are four fifths of the first SAMPLE values dates, each in some form? */
static bool are_mixed_dates(const hr_dictionary *values, const hr_tokens *tokens) {
    uint32_t seen = 0, dates = 0;
    for (uint32_t code = 0; code < values->count && seen < SAMPLE; code++) {
        const char *text = hr_dictionary_text(values, code);
        hr_date date;
        if (hr_dictionary_is_null(values, code) || has_token(tokens, text)) continue;
        seen++;
        bool found = false;
        for (size_t i = 0; i < FORMATS && !found && strpbrk(text, "0123456789"); i++)
            found = !is_month_number(date_formats[i]) && is_date(text, date_formats[i], &date);
        dates += found;
    }
    return seen > 1 && dates * 5 >= seen * 4;
}

static void count_values(const hr_column *column, const hr_tokens *tokens, const uint64_t *rows_of,
                         size_t format, char point, tally *t) {
    const hr_dictionary *values = &column->dictionary;
    *t = (tally){.all_digits = true};
    for (uint32_t code = 0; code < values->count; code++) {
        const char *text = hr_dictionary_text(values, code);
        uint64_t rows = rows_of ? rows_of[code] : 1;
        if (hr_dictionary_is_null(values, code) || has_token(tokens, text)) continue;
        t->rows += rows;
        count_number(text, rows, point, t);
        if (format < FORMATS) count_date(text, rows, date_formats[format], t);
        count_text(text, t);
        t->sexes += t->values <= 6 && is_sex(text);
        t->answers += t->values <= ANSWERS_MOST && has_part(answer_parts, text);
        t->outcomes += t->values <= ANSWERS_MOST && is_outcome(text);
    }
}

/* ---- Tokens ---- */

hr_status hr_profile_tokens(const hr_column *column, hr_tokens *tokens, hr_arena *arena,
                            hr_error *err) {
    const hr_dictionary *values = &column->dictionary;
    tally t;
    if (tokens->count == 0) HR_TRY(add_token(tokens, "", arena, err));
    for (size_t i = 1; usual_tokens[i]; i++) {
        const char *text = usual_tokens[i];
        if (hr_dictionary_find(values, text, strlen(text)) == HR_NONE) continue;
        /* Among codes of two letters, NA is a country (Namibia). */
        if (!strcmp(text, "NA") && values->count > 20 && hr_dictionary_length(values, 0) == 2 &&
            hr_dictionary_length(values, values->count - 1) == 2)
            continue;
        HR_TRY(add_token(tokens, text, arena, err));
    }
    size_t format = find_format(column, tokens);
    count_values(column, tokens, NULL, format, '.', &t);
    bool dates = t.dates * 5 >= t.values * 4, numbers = (t.numbers + t.others) * 5 >= t.values * 4;
    if (t.values == 0 || (!dates && !numbers)) return HR_OK;
    for (size_t i = 0; number_tokens[i]; i++)
        if (hr_dictionary_find(values, number_tokens[i], strlen(number_tokens[i])) != HR_NONE)
            HR_TRY(add_token(tokens, number_tokens[i], arena, err));
    return HR_OK;
}

/* ---- The profile ---- */

static void count_rows(const hr_column *column, uint64_t *rows_of) {
    for (size_t row = 0; row < column->rows; row++)
        rows_of[hr_column_code(column, row)]++;
}

static void count_rare(hr_profile *profile) {
    uint32_t count = profile->column->dictionary.count;
    for (uint32_t code = 0; code < count; code++) {
        uint64_t rows = profile->rows_of[code];
        if (rows == 0) continue;
        if (profile->is_missing[code]) {
            profile->missing += rows;
            continue;
        }
        profile->values++;
        if (rows > profile->most) profile->most = rows;
        if (rows < HR_DRAFT_K) profile->rare += rows;
    }
}

/* The values are a pair of yes_no_words. */
static bool says_yes_no(const hr_profile *profile) {
    const hr_dictionary *values = &profile->column->dictionary;
    const char *found[2];
    size_t count = 0;
    if (profile->values != 2) return false;
    for (uint32_t code = 0; code < values->count && count < 2; code++)
        if (!profile->is_missing[code] && profile->rows_of[code] > 0)
            found[count++] = hr_dictionary_text(values, code);
    for (size_t i = 0; count == 2 && yes_no_words[i]; i += 2)
        for (size_t j = 0; j < 2; j++)
            if (!strcmp(found[j], yes_no_words[i]) && !strcmp(found[1 - j], yes_no_words[i + 1]))
                return true;
    return false;
}

static void set_look(const tally *t, size_t format, hr_profile *out) {
    bool numbers = t->values > 0 && t->numbers == t->values;
    bool others = t->others > 0 && t->numbers + t->others == t->values;
    bool own = numbers && t->wholes < t->values;
    out->decimal_comma = out->point == ',' ? own : others;
    out->decimal_point = out->point == ',' ? others : own;
    out->bins_fit = numbers;
    out->least = t->least;
    out->greatest = t->greatest;
    out->look = HR_LOOK_TEXT;
    if (numbers || others) out->look = t->wholes == t->values ? HR_LOOK_INTEGER : HR_LOOK_DECIMAL;
    /* Numbers of eight digits count as dates if all of them can be read as dates. */
    if (t->values > 0 && t->dates == t->values && format < FORMATS) {
        out->look = HR_LOOK_DATE;
        out->date_format = date_formats[format];
        out->least = t->first_day;
        out->greatest = t->last_day;
        out->has_time = t->longest > 10 && (!out->date_format || strpbrk(out->date_format, "HI"));
    }
    out->thousands =
        out->look == HR_LOOK_TEXT && t->grouped > 0 && t->plain_or_grouped == t->values;
    out->digits = t->all_digits && t->values > 0 && t->shortest == t->longest && t->longest >= 3;
    /* V1000, V1001, ... are numbers of something else. */
    out->codes =
        t->icds * 20 >= t->values * 19 && t->values >= 5 && (t->icd_points > 0 || t->icd_letters);
    out->years = numbers && t->wholes == t->values && t->values > 1 && t->least >= 1850 &&
                 t->greatest <= 2150;
    out->postcodes = t->values > 0 && t->postcodes * 20 >= t->values * 19;
    out->clock = t->values > 1 && t->clocks == t->values;
    out->titled = t->values > 0 && t->titled * 2 > t->values;
    out->decimals = t->decimals;
    out->mail = t->values > 0 && t->mails * 5 >= t->values * 4;
    out->no_sexes = t->sexes == 0 && out->look == HR_LOOK_TEXT && t->shortest > 2;
    out->answers = t->values >= 2 && t->values <= ANSWERS_MOST && t->answers * 2 >= t->values;
    out->outcomes = t->outcomes >= 2 && t->values <= ANSWERS_MOST && t->outcomes * 2 >= t->values;
    out->full_names = t->values >= 20 && t->full_names * 5 >= t->values * 4;
    out->sexes = t->values >= 1 && t->values <= 6 && t->sexes == t->values && t->values >= 2;
    out->shortest = t->shortest;
    out->longest = t->longest;
    out->mean_length = t->values > 0 ? (double)t->bytes / t->values : 0;
}

hr_status hr_profile_make(const hr_column *column, const hr_tokens *tokens, char point,
                          hr_arena *arena, hr_profile *out, hr_error *err) {
    const hr_dictionary *values = &column->dictionary;
    tally t;
    *out = (hr_profile){.column = column, .rows = column->rows, .point = point};
    const hr_arena_part parts[] = {{&out->rows_of, values->count, sizeof *out->rows_of},
                                   {&out->is_missing, values->count, sizeof *out->is_missing}};
    HR_TRY(hr_arena_parts(arena, parts, 2, err));
    for (uint32_t code = 0; code < values->count; code++)
        out->is_missing[code] = hr_dictionary_is_null(values, code) ||
                                has_token(tokens, hr_dictionary_text(values, code));
    count_rows(column, out->rows_of);
    count_rare(out);
    size_t format = find_format(column, tokens);
    count_values(column, tokens, out->rows_of, format, point, &t);
    set_look(&t, format, out);
    out->mixed_dates = out->look == HR_LOOK_TEXT && are_mixed_dates(values, tokens);
    out->yes_no = says_yes_no(out);
    return HR_OK;
}
