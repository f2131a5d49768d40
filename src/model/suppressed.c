/* suppressed.c - texts in sensitive columns that mean "no value": tools write them in place of
 * values that were suppressed (ARX and others: `*`) or missing (sdcMicro and R: NA). They do not
 * count towards p. Texts that are values in some tables, such as `?`, `-`, `none` or `unknown`, are
 * not recognized; the key `missing` lists them. */
#include "model/model.h"

#include <string.h>

/* In English, German, French, Spanish and Italian; words that can be values (a removed tooth, a
 * censored survival time) are not in the list. */
static const char *const words[] = {"suppressed",
                                    "suppressed value",
                                    "value suppressed",
                                    "redacted",
                                    "masked",
                                    "withheld",
                                    "blanked",
                                    "anonymized",
                                    "anonymised",
                                    "NA",
                                    "N/A",
                                    "n.a.",
                                    "#N/A",
                                    "NaN",
                                    "NULL",
                                    "supprimé",
                                    "supprimée",
                                    "masqué",
                                    "masquée",
                                    "anonymisé",
                                    "anonymisée",
                                    "unterdrückt",
                                    "geschwärzt",
                                    "anonymisiert",
                                    "suprimido",
                                    "suprimida",
                                    "ocultado",
                                    "anonimizado",
                                    "anonimizada",
                                    "soppresso",
                                    "soppressa",
                                    "oscurato",
                                    "oscurata",
                                    "anonimizzato",
                                    "anonimizzata"};

/* Small letter of ASCII; of the second byte of a letter of Latin-1 in UTF-8 too. */
static char lower(char c) {
    unsigned char byte = (unsigned char)c;
    bool capital = (byte >= 'A' && byte <= 'Z') || (byte >= 0x80 && byte <= 0x9e);
    return capital ? (char)(byte | 0x20) : c;
}

/* Are the first bytes the word, whatever its capitals? */
static bool is_word(const char *text, size_t length, const char *word) {
    if (strlen(word) != length) return false;
    for (size_t i = 0; i < length; i++)
        if (lower(text[i]) != lower(word[i])) return false;
    return true;
}

const char *hr_suppressed_word(const char *text) {
    size_t length = strlen(text);
    while (length && *text == ' ')
        text++, length--;
    while (length && text[length - 1] == ' ')
        length--;
    if (length && strspn(text, "*") >= length) return "*";
    if (length > 2 && strchr("([<{", *text) && strchr(")]>}", text[length - 1]))
        text++, length -= 2;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_word(text, length, words[i])) return words[i];
    return NULL;
}

bool hr_sensitive_counts(const hr_missing *missing, const hr_dictionary *texts, uint32_t code) {
    return !hr_is_missing(missing, texts, code) &&
           !hr_suppressed_word(hr_dictionary_text(texts, code));
}
