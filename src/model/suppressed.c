/* suppressed.c - texts in sensitive columns that mean "no value": tools write them in place of
 * values that were suppressed (ARX and others: `*`) or missing (sdcMicro and R: NA). They do not
 * count towards p. Texts that are values in some tables, such as `?`, `-`, `none` or `unknown`, are
 * not recognized; the key `missing` lists them. */
#include "model/model.h"

#include <string.h>

static const char *const words[] = {"suppressed", "redacted",   "masked", "withheld",
                                    "anonymized", "anonymised", "NA",     "N/A",
                                    "#N/A",       "NaN",        "NULL"};

static char lower(char c) {
    return (char)(c >= 'A' && c <= 'Z' ? c | 32 : c);
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
