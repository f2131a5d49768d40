/* suppressed.c - texts in sensitive columns that mean "no value": tools write them in place of
 * values that were suppressed (ARX and others: `*`) or missing (sdcMicro and R: NA). They do not
 * count towards p. Texts that are values in some tables, such as `?`, `-`, `none` or `unknown`, are
 * not recognized; the key `missing` lists them. */
#include "model/model.h"

#include <string.h>

/* Texts for a missing value. */
static const char *const missing_words[] = {"NA",   "N/A", "n.a.", "#N/A", "#NV",
                                            "#N/D", "NaN", "NULL", "\\N"};

/* In English, German, French, Spanish and Italian; words that can be values (a removed tooth, a
 * censored survival time) are not in the list. */
static const char *const words[] = {
    "suppressed",   "suppressed value", "value suppressed", "data suppressed", "redacted",
    "masked",       "withheld",         "value withheld",   "blanked",         "anonymized",
    "anonymised",   "confidential",     "not disclosed",    "undisclosed",     "not released",
    "supprimé",     "supprimée",        "masqué",           "masquée",         "anonymisé",
    "anonymisée",   "confidentiel",     "confidentielle",   "non divulgué",    "non divulguée",
    "unterdrückt",  "geschwärzt",       "anonymisiert",     "vertraulich",     "suprimido",
    "suprimida",    "ocultado",         "anonimizado",      "anonimizada",     "confidencial",
    "no divulgado", "soppresso",        "soppressa",        "oscurato",        "oscurata",
    "anonimizzato", "anonimizzata",     "riservato",        "riservata"};

/* Words that are values unless they stand in brackets. */
static const char *const bracketed_words[] = {
    "removed",   "deleted",   "hidden", "omitted", "censored", "entfernt", "gelöscht", "eliminado",
    "eliminada", "eliminato", "effacé", "retiré",  "oculto",   "nascosto", "omesso"};

/* Small letter of ASCII; of the second byte of a letter of Latin-1 in UTF-8 too. */
static char lower(char c) {
    unsigned char byte = (unsigned char)c;
    bool capital = (byte >= 'A' && byte <= 'Z') || (byte >= 0x80 && byte <= 0x9e);
    return capital ? (char)(byte | 0x20) : c;
}

/* Part of a text. */
typedef struct {
    const char *text;
    size_t length;
} part;

/* Do the first bytes equal the word, whatever its capitals? */
static bool begins_with(part whole, const char *word) {
    size_t length = strlen(word);
    if (length > whole.length) return false;
    for (size_t i = 0; i < length; i++)
        if (lower(whole.text[i]) != lower(word[i])) return false;
    return true;
}

/* Without characters of `marks` at both ends. */
static part trim(part whole, const char *marks) {
    while (whole.length && strchr(marks, *whole.text))
        whole.text++, whole.length--;
    while (whole.length && strchr(marks, whole.text[whole.length - 1]))
        whole.length--;
    return whole;
}

static const char *find(part whole, const char *const *list, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (strlen(list[i]) == whole.length && begins_with(whole, list[i])) return list[i];
    return NULL;
}

/* `suppressed (n<5)`, `Withheld: small cell`, `redacted for privacy`: a word and its reason. */
static const char *find_explained(part whole) {
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i]);
        if (!begins_with(whole, words[i]) || length == whole.length) continue;
        part rest = {whole.text + length, whole.length - length};
        bool blank = *rest.text == ' ';
        rest = trim(rest, " ");
        if (rest.length == 0) continue;
        if (strchr("(:;,", *rest.text)) return words[i];
        if (blank && (begins_with(rest, "for ") || begins_with(rest, "- "))) return words[i];
    }
    return NULL;
}

#define FIND(whole, list) find(whole, list, sizeof(list) / sizeof *(list))

const char *hr_suppressed_word(const char *text) {
    part whole = trim((part){text, strlen(text)}, " ");
    if (whole.length == 0) return NULL;
    if (trim(whole, "*").length == 0) return "*";
    const char *found = FIND(whole, missing_words);
    part bare = trim(whole, "*-_#=~.!<>[](){}\"' ");
    bool brackets = strchr("([<{", *whole.text) && strchr(")]>}", whole.text[whole.length - 1]);
    if (brackets && !found) found = FIND(bare, missing_words);
    if (brackets && !found) found = FIND(bare, bracketed_words);
    if (!found) found = FIND(bare, words);
    return found ? found : find_explained(bare);
}

bool hr_sensitive_counts(const hr_missing *missing, const hr_dictionary *texts, uint32_t code) {
    return !hr_is_missing(missing, texts, code) &&
           !hr_suppressed_word(hr_dictionary_text(texts, code));
}
