/* init_name.c - the words of a column name. `Geburts-Datum`, `dateOfBirth` and `DATE_DE_NAISSANCE`
 * become words in lower case; accents are left out, and so is the e of German ae, oe and ue, so
 * that `größe`, `groesse` and `GRÖSSE` are one word. */
#include "run/init/init.h"

#include <string.h>

/* ---- Letters ---- */

/* Letters of U+00C0 to U+00FF without their accents; 0: no letter. */
static const char latin[64] = {'a', 'a', 'a', 'a', 'a', 'a', 'a', 'c', 'e', 'e', 'e', 'e', 'i',
                               'i', 'i', 'i', 'd', 'n', 'o', 'o', 'o', 'o', 'o', 0,   'o', 'u',
                               'u', 'u', 'u', 'y', 't', 's', 'a', 'a', 'a', 'a', 'a', 'a', 'a',
                               'c', 'e', 'e', 'e', 'e', 'i', 'i', 'i', 'i', 'd', 'n', 'o', 'o',
                               'o', 'o', 'o', 0,   'o', 'u', 'u', 'u', 'u', 'y', 't', 'y'};

/* Reads one character at *at; returns its letter, '0' for digits, ' ' for a separator, 0 for a mark
 * that belongs to the letter before. *capital: it is a capital letter. */
static char read_letter(const unsigned char **at, bool *capital) {
    unsigned char c = *(*at)++;
    *capital = c >= 'A' && c <= 'Z';
    if (*capital) return (char)(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) return (char)c;
    if (c < 0xc2 || !**at) return ' ';
    unsigned char low = *(*at)++;
    if (c == 0xc3) {
        *capital = low < 0x9f; /* 9F is the sharp s */
        return latin[low & 0x3f] ? latin[low & 0x3f] : ' ';
    }
    if (c == 0xcc || c == 0xcd) return 0; /* combining accents, as macOS writes them */
    if (c == 0xc5 && (low == 0x92 || low == 0x93)) return 'o';
    while ((**at & 0xc0) == 0x80)
        (*at)++;
    return ' ';
}

void hr_name_fold(char *word) {
    char *to = word, before = '\0';
    for (const char *from = word; *from; from++) {
        bool vowel = before == 'a' || before == 'o' || before == 'u';
        bool left_out = (*from == 'e' && vowel) || (*from == 's' && before == 's');
        before = *from;
        if (!left_out) *to++ = *from;
    }
    *to = '\0';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* ---- Splitting ---- */

static const char *const fillers[] = {
    "of", "the", "de", "des", "du", "der", "die", "das", "di",  "d",   "del", "della", "la", "le",
    "el", "il",  "l",  "al",  "in", "at",  "im",  "am",  "per", "per", "por", "par",   "a",  NULL};

static void end_word(hr_name_words *out, size_t *length) {
    if (*length == 0 || out->count == HR_WORDS_MOST) return;
    char *word = out->words[out->count];
    word[*length] = '\0';
    *length = 0;
    for (size_t i = 0; fillers[i]; i++)
        if (!strcmp(fillers[i], word)) return;
    hr_name_fold(word);
    out->count++;
}

static void join_words(hr_name_words *out) {
    size_t length = 0;
    out->joined[0] = '\0';
    for (size_t i = 0; i < out->count; i++) {
        size_t more = strlen(out->words[i]);
        if (length + more >= HR_NAME_ROOM) break;
        memcpy(out->joined + length, out->words[i], more);
        length += more;
    }
    out->joined[length] = '\0';
}

/* `siteid` is cut into `site` and `id` if `site` is a word that means something. */
static void split_endings(hr_name_words *out) {
    static const char *const ends[] = {"id",  "no", "nr",   "num",  "number", "code",
                                       "cod", "cd", "name", "date", "dat",    "dt",
                                       "dtc", "yr", "year", "mon",  "day",    NULL};
    for (size_t i = 0; i < out->count && out->count < HR_WORDS_MOST; i++)
        for (size_t j = 0; ends[j]; j++) {
            size_t length = strlen(out->words[i]), end = strlen(ends[j]);
            if (length < end + 2 || strcmp(out->words[i] + length - end, ends[j])) continue;
            char start[HR_WORD_ROOM];
            snprintf(start, sizeof start, "%.*s", (int)(length - end), out->words[i]);
            if (!hr_word_known(start)) continue;
            memmove(out->words[i + 1], out->words[i], (out->count - i) * sizeof *out->words);
            snprintf(out->words[i], HR_WORD_ROOM, "%s", start);
            snprintf(out->words[++i], HR_WORD_ROOM, "%s", ends[j]);
            out->count++;
            break;
        }
}

/* `idhogar` and `nhijos` are cut after `id` and `n` if the rest is a word that means something. */
static void split_beginnings(hr_name_words *out) {
    static const char *const starts[] = {"id", "num", "nb", "n", "cod", "fec", "tipo", "dt", NULL};
    for (size_t i = 0; i < out->count && out->count < HR_WORDS_MOST; i++)
        for (size_t j = 0; starts[j]; j++) {
            const char *word = out->words[i];
            size_t start = strlen(starts[j]);
            if (strncmp(word, starts[j], start) != 0 || strlen(word) < start + 4 ||
                hr_word_known(word) || !hr_word_known(word + start))
                continue;
            memmove(out->words[i + 1], out->words[i], (out->count - i) * sizeof *out->words);
            out->words[i][start] = '\0';
            memmove(out->words[i + 1], out->words[i + 1] + start,
                    strlen(out->words[i + 1] + start) + 1);
            out->count++;
            i++;
            break;
        }
}

/* `Loyalty#`, `N° client`: the sign stands for the word "no". Returns its length in bytes, or 0. */
static size_t number_sign(const unsigned char *at) {
    if (*at == '#') return 1;
    return at[0] == 0xc2 && (at[1] == 0xb0 || at[1] == 0xba) ? 2 : 0;
}

void hr_name_split(const char *name, size_t skip, hr_name_words *out) {
    const unsigned char *at = (const unsigned char *)name + skip;
    size_t length = 0;
    char before = ' ';
    bool capital = false, was_capital = false;
    *out = (hr_name_words){0};
    while (*at && out->count < HR_WORDS_MOST) {
        size_t sign = number_sign(at);
        if (sign > 0) {
            if (length == 1 && before == 'n') length = 0;
            end_word(out, &length);
            if (out->count < HR_WORDS_MOST) memcpy(out->words[out->count++], "no", 3);
            at += sign;
            before = ' ';
            continue;
        }
        char c = read_letter(&at, &capital);
        if (c == 0) continue;
        bool cut = c == ' ' || (capital && !was_capital && before != ' ') ||
                   (before != ' ' && is_digit(c) != is_digit(before));
        if (cut) end_word(out, &length);
        if (c != ' ' && length + 1 < HR_WORD_ROOM && out->count < HR_WORDS_MOST)
            out->words[out->count][length++] = c;
        before = c;
        was_capital = capital;
    }
    end_word(out, &length);
    join_words(out);
    split_endings(out);
    split_beginnings(out);
}

/* ---- Matching ---- */

/* Does the pattern equal one word, or up to four words joined? */
static bool equals_words(const hr_name_words *name, const char *word, size_t length) {
    for (size_t i = 0; i < name->count; i++) {
        size_t at = 0;
        for (size_t j = i; j < name->count && j < i + 4 && at < length; j++) {
            size_t part = strlen(name->words[j]);
            if (part > length - at || memcmp(name->words[j], word + at, part) != 0) break;
            at += part;
            if (at == length) return true;
        }
    }
    return false;
}

size_t hr_name_match(const hr_name_words *name, const char *pattern) {
    char word[HR_WORD_ROOM];
    if (*pattern == '=') return strcmp(name->joined, pattern + 1) == 0 ? strlen(pattern + 1) : 0;
    bool open_start = *pattern == '*';
    snprintf(word, sizeof word, "%s", pattern + open_start);
    size_t length = strlen(word);
    bool open_end = length > 0 && word[length - 1] == '*';
    if (open_end) word[length - 1] = '\0';
    hr_name_fold(word);
    length = strlen(word);
    if (open_start && open_end) return strstr(name->joined, word) ? length : 0;
    if (!open_start && equals_words(name, word, length)) return length; /* `post_code` */
    if (!open_start && !open_end) return 0;
    for (size_t i = 0; i < name->count; i++) {
        size_t own = strlen(name->words[i]);
        if (own < length) continue;
        const char *part = open_end ? name->words[i] : name->words[i] + own - length;
        if (memcmp(part, word, length) == 0) return length;
    }
    return 0;
}

bool hr_name_has(const hr_name_words *name, const char *list) {
    char pattern[HR_WORD_ROOM];
    while (hr_next_pattern(&list, pattern))
        if (hr_name_match(name, pattern)) return true;
    return false;
}

bool hr_name_tells_time(const hr_name_words *name) {
    static const char ends[] =
        "*mon *month *day *year *yr *date *dat *dt *hour *hr *datum *jahr *monat *tag";
    return hr_name_has(name, hr_time_words) || hr_name_has(name, ends);
}

bool hr_name_without(const hr_name_words *name, const char *list, hr_name_words *out) {
    *out = (hr_name_words){0};
    for (size_t i = 0; i < name->count; i++) {
        hr_name_words one = {.count = 1};
        memcpy(one.words[0], name->words[i], HR_WORD_ROOM);
        join_words(&one);
        if (!hr_name_has(&one, list)) memcpy(out->words[out->count++], one.words[0], HR_WORD_ROOM);
    }
    join_words(out);
    return out->count > 0 && out->count < name->count;
}

size_t hr_name_common_letter(const hr_table *table) {
    size_t count[128] = {0}, lead = 0, better = 0;
    if (table->column_count < 3) return 0;
    for (size_t i = 0; i < table->column_count; i++) {
        const char *name = table->columns[i].name;
        if (name[0] >= 'a' && name[0] <= 'z' && name[1] >= 'a' && name[1] <= 'z')
            count[(unsigned char)name[0]]++;
    }
    for (size_t c = 'a'; c <= 'z'; c++)
        if (count[c] > count[lead]) lead = c;
    if (count[lead] * 10 < table->column_count * 8) return 0;
    /* The letter is a prefix if names without it mean something more often. */
    for (size_t i = 0; i < table->column_count; i++) {
        hr_name_words with, less;
        hr_name_split(table->columns[i].name, 0, &with);
        hr_name_split(table->columns[i].name, 1, &less);
        better += !hr_concept_find(&with, HR_MEANS_COUNT) && hr_concept_find(&less, HR_MEANS_COUNT);
    }
    return better * 2 > table->column_count ? 1 : 0;
}
