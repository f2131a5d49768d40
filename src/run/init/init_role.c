/* init_role.c - decides on the role of a column: by the meaning of its name and the look of its
 * values, then by how much its values single people out. A name decides only if the values agree
 * with it: the date of a death is a quasi-identifier, but whether somebody died is sensitive. */
#include "run/init/init.h"

#include <math.h>
#include <string.h>

/* ---- Questions about a column ---- */

static uint64_t present(const hr_profile *profile) {
    return profile->rows - profile->missing;
}

/* Distinct values per row that has a value. */
static double variety(const hr_profile *profile) {
    uint64_t rows = present(profile);
    return rows ? (double)profile->values / (double)rows : 0;
}

static bool nearly_unique(const hr_profile *profile) {
    return variety(profile) >= 0.9 && profile->values > 1;
}

/* Shares of rows with a rare value. Texts may be names of people, numbers become intervals. */
#define RARE_SHARE         0.01
#define RARE_NUMBERS_SHARE 0.2
#define RARE_NAMES_SHARE   0.3

/* Do at most this share of the rows have a rare value? */
static bool is_shared(const hr_profile *profile, double share) {
    return (double)profile->rare <= share * (double)present(profile);
}

static bool is_number(const hr_profile *profile) {
    return profile->look == HR_LOOK_INTEGER || profile->look == HR_LOOK_DECIMAL;
}

/* `smoked_last_month`, `visitas_ultimo_mes`: a period, not a date. */
static bool has_period(const hr_name_words *name) {
    static const char words[] =
        "last past previous letzte* vergangen* dernier* ultim* scors* pasad* passat*";
    return hr_name_has(name, words);
}

/* Years, months, days of a month, hours. */
static bool is_part_of_date(const hr_draft_part *part) {
    const hr_profile *profile = &part->profile;
    if (!hr_name_tells_time(&part->words) || profile->yes_no) return false;
    bool whole = profile->look == HR_LOOK_INTEGER;
    if (whole && profile->least >= 1850 && profile->greatest <= 2150) return true;
    if (has_period(&part->words)) return false;
    if (!whole) return profile->values <= 60 && profile->values > 1;
    return profile->least >= 0 && profile->greatest <= 366;
}

/* ---- Setting a role ---- */

static void set(hr_draft_part *part, hr_role role, const char *reason) {
    part->role = role;
    part->reason = reason;
}

static void set_unknown(hr_draft_part *part, hr_role role, const char *reason) {
    set(part, role, reason);
    part->unknown = true;
}

/* "birth date by its name" */
static hr_status set_named(hr_draft *draft, hr_draft_part *part, hr_role role, hr_error *err) {
    const char *reason = hr_draft_text(draft, err, "%s, by its name", part->concept->title);
    set(part, role, reason);
    return reason ? HR_OK : HR_ENOMEM;
}

/* ---- Numbers of people ---- */

/* Does the column number people? Its name has a word for a number, and either many of its values
 * are different or it has many values and a word for a person, too (patient_number, Fallnummer).
 * With few values it is something else: the number of children, the type of a case. */
static bool is_person_number(const hr_draft_part *part) {
    const hr_profile *profile = &part->profile;
    if (!hr_name_has(&part->words, hr_number_words)) return false;
    bool counts = profile->look == HR_LOOK_INTEGER && profile->greatest < 100;
    bool many = profile->values > 30 && variety(profile) >= 0.05 && !counts;
    return (many && hr_name_has(&part->words, hr_person_words)) || variety(profile) >= 0.3;
}

/* Is the column a key: numbers 1, 2, 3 ..., numbers of equal length, or texts, different in every
 * row? */
static bool is_key(const hr_profile *profile) {
    if (!nearly_unique(profile) || profile->look == HR_LOOK_DECIMAL ||
        profile->look == HR_LOOK_DATE)
        return false;
    if (profile->look == HR_LOOK_TEXT) return true;
    double range = profile->greatest - profile->least + 1;
    return range <= 1.5 * (double)profile->rows ||
           (profile->shortest == profile->longest && profile->longest >= 6);
}

/* Is the column a count of the rows: 1, 2, 3 ... or 5001, 5002 ..., each number once? */
static bool is_numbering(const hr_profile *profile) {
    return profile->look == HR_LOOK_INTEGER && profile->missing == 0 && profile->rows >= 100 &&
           profile->values == profile->rows &&
           profile->greatest - profile->least + 1 <= 1.02 * (double)profile->rows;
}

/* ---- Names that mean something ---- */

enum { KEYS_LEAST = 100 };

static const char amounts[] =
    "amounts, by their form; numbers need no thousands separators and currencies: remove them";

/* Could these be names of people: many rare texts, and a word for people in the column's name
 * (`nom d'usage`)? */
static bool may_be_names(const hr_draft_part *part) {
    const hr_profile *profile = &part->profile;
    if (profile->look != HR_LOOK_TEXT || profile->rare * 10 < present(profile)) return false;
    for (const hr_concept *concept = hr_concepts; concept->patterns; concept ++)
        if (concept->meaning == HR_MEANS_PERSON_NAME)
            return hr_name_has(&part->words, concept->patterns);
    return false;
}

static const char people[] = "it may name people, by a word of its name and its values";

static hr_status role_of_quasi(hr_draft *draft, hr_draft_part *part, hr_error *err) {
    const hr_profile *profile = &part->profile;
    hr_meaning meaning = part->concept->meaning;
    if (profile->thousands) {
        set(part, HR_ROLE_SENSITIVE, amounts);
        return HR_OK;
    }
    if (meaning == HR_MEANS_TRAIT && may_be_names(part)) {
        set(part, HR_ROLE_IDENTIFIER, people);
        return HR_OK;
    }
    bool number =
        meaning == HR_MEANS_TRAIT && profile->look == HR_LOOK_INTEGER && profile->shortest >= 6;
    bool code = profile->look == HR_LOOK_TEXT && meaning != HR_MEANS_POSTAL;
    bool key = number ? nearly_unique(profile) : code && is_key(profile);
    if (key && profile->values > KEYS_LEAST) {
        set(part, HR_ROLE_IDENTIFIER, "different in nearly every row, whatever its name says");
        return HR_OK;
    }
    if (profile->look == HR_LOOK_TEXT && profile->mean_length > 40 && variety(profile) > 0.5) {
        set(part, HR_ROLE_DROP, "long texts, most of them different: they may name people");
        return HR_OK;
    }
    return set_named(draft, part, HR_ROLE_QUASI, err);
}

/* A size or weight in words: the size of a town. */
static bool is_size_in_words(const hr_draft_part *part) {
    return part->profile.look == HR_LOOK_TEXT && part->concept->meaning == HR_MEANS_HEALTH &&
           hr_name_has(&part->words, "height size taille talla altezza grosse weight poids peso");
}

static hr_status role_of_sensitive(hr_draft *draft, hr_draft_part *part, hr_error *err) {
    const hr_profile *profile = &part->profile;
    if (is_size_in_words(part)) {
        set(part, HR_ROLE_QUASI, "a size in words, by its name and its values");
        return HR_OK;
    }
    if (may_be_names(part)) {
        set(part, HR_ROLE_IDENTIFIER, people);
        return HR_OK;
    }
    if (profile->thousands) {
        const char *reason = hr_draft_text(
            draft, err,
            "%s, by its name; numbers need no thousands separators and currencies: remove them",
            part->concept->title);
        set(part, HR_ROLE_SENSITIVE, reason);
        return reason ? HR_OK : HR_ENOMEM;
    }
    if (profile->look == HR_LOOK_TEXT && nearly_unique(profile) && profile->values > 20 &&
        !profile->codes) {
        set(part, HR_ROLE_DROP,
            "texts that are different in nearly every row: they may name people");
        return HR_OK;
    }
    return set_named(draft, part, HR_ROLE_SENSITIVE, err);
}

/* Admission, death, ...: dates and parts of dates are quasi-identifiers. */
static hr_status role_of_event(hr_draft *draft, hr_draft_part *part, bool *decided, hr_error *err) {
    if (is_part_of_date(part)) {
        set(part, HR_ROLE_QUASI, "when something happened, by its name");
        return HR_OK;
    }
    part->concept = hr_concept_find(&part->words, HR_MEANS_EVENT);
    *decided = false;
    (void)draft;
    (void)err;
    return HR_OK;
}

static const char institutions[] =
    "hospital* klinik* clinic* krankenhaus* hopital* ospedale* school* schul* ecole* escuela* "
    "scuola* universit* facility*";

enum { CONTACTS_MOST = 50, RELATIVES_MOST = 12 };

static hr_status role_by_name(hr_draft *draft, hr_draft_part *part, bool *decided, hr_error *err) {
    const hr_profile *profile = &part->profile;
    *decided = true;
    switch (part->concept->meaning) {
    case HR_MEANS_PERSON_NAME: /* `nombre` is a name in Spanish, a number in French */
        if (!is_number(&part->profile) || !hr_name_has(&part->words, "nombre"))
            return set_named(draft, part, HR_ROLE_IDENTIFIER, err);
        part->concept = hr_concept_find(&part->words, HR_MEANS_PERSON_NAME);
        *decided = false;
        return HR_OK;
    case HR_MEANS_RELATIVE: /* who the guardian is: the mother, or Anna Adler */
        if (profile->values > RELATIVES_MOST || !is_shared(profile, RARE_SHARE))
            return set_named(draft, part, HR_ROLE_IDENTIFIER, err);
        set(part, HR_ROLE_QUASI, "relatives, by its name and its few values");
        return HR_OK;
    case HR_MEANS_CONTACT: /* few values that many rows share: a municipality, a kind of phone */
        if (profile->values > CONTACTS_MOST || !is_shared(profile, RARE_SHARE))
            return set_named(draft, part, HR_ROLE_IDENTIFIER, err);
        set_unknown(part, HR_ROLE_QUASI, "too few values for addresses");
        return HR_OK;
    case HR_MEANS_PERSON_NUMBER: return set_named(draft, part, HR_ROLE_IDENTIFIER, err);
    case HR_MEANS_FREE_TEXT:
        if (is_number(&part->profile)) { /* a mark: in French and German a note */
            set(part, HR_ROLE_SENSITIVE, "marks, by its name and its numbers");
            return HR_OK;
        }
        set(part, HR_ROLE_DROP, "free text, by its name: it may name people");
        return HR_OK;
    case HR_MEANS_WEIGHTING:
        set(part, HR_ROLE_DROP, "weight of a survey, by its name: it may single people out");
        return HR_OK;
    case HR_MEANS_EVENT: return role_of_event(draft, part, decided, err);
    case HR_MEANS_SEX: /* `genre` is also that of books */
        if (!part->profile.no_sexes || !hr_name_has(&part->words, "genre genere genero"))
            return role_of_quasi(draft, part, err);
        *decided = false;
        return HR_OK;
    case HR_MEANS_POSTAL: /* `cp` is also the pain of a chest: 0 to 3 */
        *decided = !is_number(profile) || profile->longest > 2;
        return *decided ? role_of_quasi(draft, part, err) : HR_OK;
    case HR_MEANS_PLACE: /* did a school support this pupil? */
        *decided = !profile->yes_no || !hr_name_has(&part->words, institutions);
        return *decided ? role_of_quasi(draft, part, err) : HR_OK;
    case HR_MEANS_BIRTH: /* NEE: born in French, special needs at school in Spanish */
        if (profile->look == HR_LOOK_TEXT && profile->missing * 2 > profile->rows &&
            !strcmp(part->words.joined, "nee")) {
            set(part, HR_ROLE_SENSITIVE, "special needs, by its name and its few values");
            return HR_OK;
        }
        return role_of_quasi(draft, part, err);
    case HR_MEANS_AGE:
    case HR_MEANS_TRAIT:
    case HR_MEANS_STAY: return role_of_quasi(draft, part, err);
    case HR_MEANS_UNIT:
        return draft->clinical ? role_of_sensitive(draft, part, err)
                               : role_of_quasi(draft, part, err);
    case HR_MEANS_CODE:
    case HR_MEANS_HEALTH:
    case HR_MEANS_MONEY:
    case HR_MEANS_SECRET: return role_of_sensitive(draft, part, err);
    default: *decided = false; return HR_OK;
    }
}

/* ---- Names that mean nothing ---- */

/* Yes and no, both frequent enough for p = 2. */
static bool is_answered(const hr_profile *profile) {
    double rows = (double)profile->rows;
    return profile->yes_no && (double)(present(profile) - profile->most) >= HR_DRAFT_MINOR * rows;
}

/* In a table about health an unknown column is medical, if it has enough values for p. */
static bool is_medical(const hr_draft *draft, const hr_profile *profile) {
    return draft->medical && profile->values >= 2 &&
           (double)(present(profile) - profile->most) >= HR_DRAFT_MINOR * (double)profile->rows;
}

/* Numbers with one to three decimals, or whole numbers with different numbers of digits; many of
 * them rare. More decimals have weights of a survey and coordinates, equally many digits codes. */
static bool is_measured(const hr_profile *profile) {
    if (profile->look == HR_LOOK_DECIMAL)
        return profile->decimals <= 3 && !is_shared(profile, RARE_SHARE);
    return profile->look == HR_LOOK_INTEGER && profile->shortest < profile->longest &&
           !nearly_unique(profile) && !is_shared(profile, RARE_NUMBERS_SHARE);
}

/* Roles that follow from the form of the values. */
static bool role_by_form(hr_draft_part *part) {
    const hr_profile *profile = &part->profile;
    if (profile->values == 0)
        set(part, HR_ROLE_DROP, "it has no values");
    else if (profile->mail)
        set(part, HR_ROLE_IDENTIFIER, "mail addresses");
    else if (profile->titled)
        set(part, HR_ROLE_IDENTIFIER, "titles and names of people, by their form");
    else if (profile->sexes)
        set(part, HR_ROLE_QUASI, "sex, by its values");
    else if (profile->answers)
        set(part, HR_ROLE_SENSITIVE, "opinions, by their values");
    else if (profile->outcomes)
        set(part, HR_ROLE_SENSITIVE, "outcomes or decisions, by their values");
    else if (profile->full_names && !is_shared(profile, RARE_NAMES_SHARE))
        set(part, HR_ROLE_IDENTIFIER, "names of people, by their form");
    else if (profile->codes)
        set(part, HR_ROLE_SENSITIVE, "diagnosis codes (ICD-10), by their form");
    else if (profile->thousands)
        set(part, HR_ROLE_SENSITIVE, amounts);
    else if (profile->years && !nearly_unique(profile))
        set(part, HR_ROLE_QUASI, "years, by their values");
    else if (profile->values == 1 && profile->missing > 0)
        set(part, HR_ROLE_DROP, "a mark that some rows have: fill the others to release it");
    else if (profile->values == 1)
        set(part, HR_ROLE_KEEP, "all rows have the same value");
    else if (is_key(profile))
        set(part, HR_ROLE_IDENTIFIER, "different in nearly every row");
    else if (is_person_number(part))
        set(part, HR_ROLE_IDENTIFIER, "a number with many values, by its name");
    else
        return false;
    return true;
}

static hr_status role_of_rare(hr_draft *draft, hr_draft_part *part, hr_error *err) {
    const hr_profile *profile = &part->profile;
    const char *reason = hr_draft_text(
        draft, err, "unknown, and %.3g %% of its rows have a value that fewer than %d rows have",
        100 * (double)profile->rare / (double)present(profile), HR_DRAFT_K);
    set(part, HR_ROLE_DROP, reason);
    return reason ? HR_OK : HR_ENOMEM;
}

static hr_status role_by_values(hr_draft *draft, hr_draft_part *part, hr_error *err) {
    const hr_profile *profile = &part->profile;
    if (role_by_form(part)) return HR_OK;
    if (is_answered(profile))
        set_unknown(part, HR_ROLE_SENSITIVE, "unknown, and it says yes or no about each row");
    else if (is_measured(profile))
        set_unknown(part, HR_ROLE_SENSITIVE, "measurements or amounts, by their form");
    else if (nearly_unique(profile))
        set(part, HR_ROLE_DROP, "unknown, and different in nearly every row");
    else if (!is_shared(profile, is_number(profile) ? RARE_NUMBERS_SHARE : RARE_SHARE))
        return role_of_rare(draft, part, err);
    else if (is_medical(draft, profile))
        set_unknown(part, HR_ROLE_SENSITIVE, "unknown, in a table about health");
    else if (profile->yes_no)
        set(part, HR_ROLE_KEEP, "unknown, and nearly all rows have the same value");
    else
        set_unknown(part, HR_ROLE_QUASI, "unknown: others may know it of a person");
    return HR_OK;
}

/* Numbers called "weight" that cannot be body weights are survey weights: large or with many
 * decimals, or around 1 in a table that is not about health. */
static bool is_survey_weight(const hr_draft *draft, const hr_draft_part *part) {
    const hr_profile *profile = &part->profile;
    if (!hr_name_has(&part->words, "weight poids peso gewicht") || !is_number(profile))
        return false;
    bool around_one = profile->decimals > 0 && profile->least < 1 && profile->greatest < 15;
    if (around_one && !draft->medical) return true;
    return nearly_unique(profile) && (profile->greatest > 1000 || profile->decimals > 3);
}

static hr_status role_of(hr_draft *draft, hr_draft_part *part, hr_error *err) {
    const hr_profile *profile = &part->profile;
    hr_meaning meaning = part->concept ? part->concept->meaning : HR_MEANS_NOTHING;
    bool decided = false;
    if (profile->column->unread) {
        set(part, HR_ROLE_DROP, profile->column->unread);
        return HR_OK;
    }
    if (profile->values == 0) return role_by_values(draft, part, err);
    if (is_numbering(profile)) {
        set(part, HR_ROLE_IDENTIFIER, "consecutive numbers, one for each row");
        return HR_OK;
    }
    if (profile->look == HR_LOOK_DATE && meaning != HR_MEANS_BIRTH) {
        set(part, HR_ROLE_QUASI, "dates: somebody may know when it happened");
        return HR_OK;
    }
    if (profile->mixed_dates) {
        set(part, HR_ROLE_QUASI,
            "dates, but not all in one form: correct them to group them by year");
        return HR_OK;
    }
    if (profile->clock) {
        set(part, HR_ROLE_QUASI, "times of day: somebody may know when it happened");
        return HR_OK;
    }
    if (profile->postcodes) {
        set(part, HR_ROLE_QUASI, "British postal codes, by their form");
        return HR_OK;
    }
    if (profile->years && hr_name_has(&part->words, hr_time_words) && !nearly_unique(profile)) {
        set(part, HR_ROLE_QUASI, "years, by its name and its values");
        return HR_OK;
    }
    if (profile->answers && meaning != HR_MEANS_SECRET && meaning != HR_MEANS_HEALTH) {
        set(part, HR_ROLE_SENSITIVE, "opinions, by their values");
        return HR_OK;
    }
    if (is_person_number(part) && meaning != HR_MEANS_POSTAL && meaning != HR_MEANS_CODE &&
        meaning != HR_MEANS_PLACE && (meaning != HR_MEANS_MONEY || is_key(profile)) &&
        profile->look != HR_LOOK_DECIMAL) {
        set(part, HR_ROLE_IDENTIFIER,
            "number of a person or case, by its name and its many values");
        return HR_OK;
    }
    if (meaning == HR_MEANS_HEALTH && is_survey_weight(draft, part)) {
        set(part, HR_ROLE_DROP, "weight of a survey, by its values: it may single people out");
        return HR_OK;
    }
    while (part->concept && !decided) {
        const hr_concept *before = part->concept;
        HR_TRY(role_by_name(draft, part, &decided, err));
        if (!decided && part->concept == before) part->concept = NULL;
    }
    return decided ? HR_OK : role_by_values(draft, part, err);
}

/* ---- A table without a known quasi-identifier ---- */

enum { FALLBACK_MOST = 16, ANSWERED_MOST = 12, CATEGORIES_MOST = 7 };

/* How much a column singles people out: the share of rows with a rare value, then its variety. */
static double weight_of(const hr_draft_part *part) {
    const hr_profile *profile = &part->profile;
    if (part->by_user || profile->values < 2 || part->role == HR_ROLE_IDENTIFIER) return -1;
    bool texts = profile->look == HR_LOOK_TEXT && nearly_unique(profile);
    return texts ? -1 : (double)profile->rare + variety(profile);
}

/* If no name is known, makes the columns that single people out most quasi-identifiers. */
static void choose_by_values(hr_draft *draft) {
    size_t columns = draft->table->column_count;
    for (size_t n = 0; n < FALLBACK_MOST; n++) {
        hr_draft_part *best = NULL;
        for (size_t i = 0; i < columns; i++) {
            hr_draft_part *part = &draft->parts[i];
            if (part->role == HR_ROLE_QUASI || weight_of(part) < 0) continue;
            if (part->role == HR_ROLE_SENSITIVE && !is_number(&part->profile)) continue;
            if (!best || weight_of(part) > weight_of(best)) best = part;
        }
        if (!best) return;
        set(best, HR_ROLE_QUASI,
            "no column has the name of a quasi-identifier, and this one singles people out");
    }
}

static bool has_quasi(const hr_draft *draft) {
    for (size_t i = 0; i < draft->table->column_count; i++)
        if (draft->parts[i].role == HR_ROLE_QUASI) return true;
    return false;
}

/* Finds a column of person numbers that repeat: then several rows belong to one person. */
static void find_repeated(hr_draft *draft) {
    draft->repeated = SIZE_MAX;
    for (size_t i = 0; i < draft->table->column_count; i++) {
        const hr_draft_part *part = &draft->parts[i];
        bool number = part->role == HR_ROLE_IDENTIFIER && variety(&part->profile) < 0.95 &&
                      part->profile.values > 1 && hr_name_has(&part->words, hr_number_words) &&
                      hr_name_has(&part->words, hr_person_words);
        if (number && draft->repeated == SIZE_MAX) draft->repeated = i;
    }
}

/* Is the table about patients? Then the department is sensitive, because it reveals the illness. */
static bool is_clinical(const hr_draft *draft) {
    static const char words[] = "patient* pazient* pacient* *hospital* pat pt hosp dx usubjid "
                                "randomi* proband* tumo* oncolog* chemo*";
    static const char nights[] = "night* nacht* nuit* noche* nott* overnight*"; /* of a hotel */
    for (size_t i = 0; i < draft->table->column_count; i++) {
        const hr_draft_part *part = &draft->parts[i];
        hr_meaning meaning = part->concept ? part->concept->meaning : HR_MEANS_NOTHING;
        if (meaning == HR_MEANS_CODE || hr_name_has(&part->words, words) ||
            (meaning == HR_MEANS_STAY && !hr_name_has(&part->words, nights)))
            return true;
    }
    return false;
}

/* Is the table about health? A quarter of its columns are, and at least three. */
static bool is_medical_table(const hr_draft *draft) {
    size_t columns = draft->table->column_count, health = 0;
    for (size_t i = 0; i < columns; i++) {
        const hr_concept *concept = draft->parts[i].concept;
        health += concept && concept->meaning == HR_MEANS_HEALTH;
    }
    return draft->clinical || (health >= 3 && health * 4 >= columns);
}

static size_t count_unknown(const hr_draft *draft, hr_role role) {
    size_t count = 0;
    for (size_t i = 0; i < draft->table->column_count; i++)
        count += draft->parts[i].unknown && draft->parts[i].role == role;
    return count;
}

/* Keeps columns of unknown meaning if there are more than `most` of this role, numbers first, and
 * drops those with many rare values: with very many quasi-identifiers all values are generalized
 * away, and p for very many sensitive attributes needs very large classes. */
static hr_status limit_unknown(hr_draft *draft, hr_role role, size_t most, const char *reason,
                               hr_error *err) {
    for (int texts = 0; texts < 2 && count_unknown(draft, role) > most; texts++)
        for (size_t i = 0; i < draft->table->column_count; i++) {
            hr_draft_part *part = &draft->parts[i];
            if (!part->unknown || part->role != role || is_number(&part->profile) == texts)
                continue;
            if (is_shared(&part->profile, RARE_SHARE))
                set(part, HR_ROLE_KEEP, reason);
            else
                HR_TRY(role_of_rare(draft, part, err));
        }
    return HR_OK;
}

hr_status hr_draft_roles(hr_draft *draft, hr_error *err) {
    draft->clinical = is_clinical(draft);
    draft->medical = is_medical_table(draft);
    for (size_t i = 0; i < draft->table->column_count; i++) {
        hr_draft_part *part = &draft->parts[i];
        if (!part->by_user) HR_TRY(role_of(draft, part, err));
    }
    HR_TRY(limit_unknown(draft, HR_ROLE_SENSITIVE, ANSWERED_MOST,
                         "unknown, and one of many such columns", err));
    HR_TRY(limit_unknown(draft, HR_ROLE_QUASI, CATEGORIES_MOST,
                         "unknown, and one of many columns with few values", err));
    if (!has_quasi(draft)) choose_by_values(draft);
    find_repeated(draft);
    return HR_OK;
}
