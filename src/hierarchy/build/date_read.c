/* date_read.c - reads dates, by ISO 8601 or by a format. strptime() is not used: it depends on the
 * locale, accepts spaces anywhere, and does not refuse 31 April. */
#include "hierarchy/build/date.h"

#include <string.h>

/* ---- the calendar ---- */

static bool is_leap(int year) {
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static bool is_valid(hr_date date) {
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (date.year < 0 || date.year > 9999 || date.month < 1 || date.month > 12) return false;
    int most = days[date.month - 1] + (date.month == 2 && is_leap(date.year));
    return date.day >= 1 && date.day <= most;
}

/* Years begin in March here, so that the leap day is the last day of a year. */
long hr_date_number(hr_date date) {
    long year = date.month > 2 ? date.year : date.year - 1;
    long month = (date.month + 9) % 12, era = (year >= 0 ? year : year - 399) / 400;
    long in_era = year - era * 400;
    long day = (153 * month + 2) / 5 + date.day - 1;
    return era * 146097 + in_era * 365 + in_era / 4 - in_era / 100 + day;
}

int hr_date_weekday(hr_date date) {
    long day = (hr_date_number(date) + 2) % 7; /* 0000-03-01 was a Wednesday */
    return (int)(day < 0 ? day + 7 : day);
}

/* A week belongs to the year in which its Thursday lies. */
int hr_date_week(hr_date date, int *year) {
    long thursday = hr_date_number(date) - hr_date_weekday(date) + 3;
    *year = date.year;
    if (thursday < hr_date_number((hr_date){date.year, 1, 1})) *year = date.year - 1;
    if (thursday > hr_date_number((hr_date){date.year, 12, 31})) *year = date.year + 1;
    return (int)((thursday - hr_date_number((hr_date){*year, 1, 1})) / 7) + 1;
}

/* ---- digits ---- */

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Reads `least` to `most` digits and moves *at past them. */
static bool read_digits(const char **at, int least, int most, int *out) {
    int count = 0;
    *out = 0;
    while (count < most && is_digit(**at)) {
        *out = *out * 10 + (*(*at)++ - '0');
        count++;
    }
    return count >= least;
}

static bool read_mark(const char **at, char mark) {
    if (**at != mark) return false;
    ++*at;
    return true;
}

/* ---- ISO 8601 ---- */

/* Z, +01, +0100 or +01:00; nothing is a zone, too. */
static bool read_zone(const char **at) {
    int hours, minutes;
    if (read_mark(at, 'Z') || !**at) return true;
    if (!read_mark(at, '+') && !read_mark(at, '-')) return false;
    if (!read_digits(at, 2, 2, &hours) || hours > 23 || !**at) return hours <= 23 && !**at;
    read_mark(at, ':');
    return read_digits(at, 2, 2, &minutes) && minutes < 60;
}

/* 23:30, 23:30:00 or 23:30:00.123, and a zone. */
static bool read_time(const char **at) {
    int hours, minutes, seconds = 0;
    if (!read_digits(at, 2, 2, &hours) || !read_mark(at, ':') || !read_digits(at, 2, 2, &minutes))
        return false;
    if (read_mark(at, ':')) {
        if (!read_digits(at, 2, 2, &seconds)) return false;
        if (read_mark(at, '.') || read_mark(at, ',')) {
            if (!is_digit(**at)) return false;
            while (is_digit(**at))
                ++*at;
        }
    }
    return hours <= 24 && minutes < 60 && seconds <= 60 && read_zone(at);
}

bool hr_date_read_iso(const char *text, hr_date *out) {
    const char *at = text;
    if (!read_digits(&at, 4, 4, &out->year) || !read_mark(&at, '-') ||
        !read_digits(&at, 2, 2, &out->month) || !read_mark(&at, '-') ||
        !read_digits(&at, 2, 2, &out->day) || !is_valid(*out))
        return false;
    if (!*at) return true;
    return (read_mark(&at, 'T') || read_mark(&at, ' ')) && read_time(&at) && !*at;
}

/* ---- formats ---- */

/* Names and abbreviations of the months in English, German, French, Spanish and Italian, in small
 * letters without accents, separated by blanks. */
static const char *const month_names[] = {
    "january jan januar janner jaenner janvier janv enero ene gennaio gen",
    "february feb februar feber fevrier fevr fev febrero febbraio",
    "march mar marz maerz mrz mars marzo",
    "april apr avril avr abril abr aprile",
    "may mai mayo maggio mag",
    "june jun juni juin junio giugno giu",
    "july jul juli juillet juil julio luglio lug",
    "august aug aout agosto ago",
    "september sep sept septembre septiembre settembre set sett",
    "october oct oktober okt octobre octubre ottobre ott",
    "november nov novembre noviembre",
    "december dec dezember dez decembre diciembre dic dicembre"};

enum { MONTH_ROOM = 16 };

/* The letter at *at in lower case and without its accent (UTF-8), or 0; moves *at past it. */
static char read_letter(const char **at) {
    static const char accented[] = "aaaaaa  eeee"; /* U+00E0 to U+00EB */
    const unsigned char *text = (const unsigned char *)*at;
    char c = (char)(text[0] | 0x20);
    if (c >= 'a' && c <= 'z' && text[0] < 0x80) {
        ++*at;
        return c;
    }
    if (text[0] != 0xc3 || text[1] < 0x80) return 0;
    unsigned letter = (unsigned)(text[1] & 0x1f); /* capitals are 32 before small letters */
    c = letter < sizeof accented - 1 ? accented[letter] : '\0';
    if (letter >= 0x19 && letter <= 0x1c) c = 'u'; /* U+00F9 to U+00FC */
    if (c < 'a') return 0;
    *at += 2;
    return c;
}

static bool in_list(const char *list, const char *word) {
    size_t length = strlen(word);
    for (const char *at = list; *at; at += strspn(at, " ")) {
        size_t own = strcspn(at, " ");
        if (own == length && memcmp(at, word, own) == 0) return true;
        at += own;
    }
    return false;
}

/* The name of a month, whole or abbreviated, in any of the languages. An abbreviation may end with
 * a point, unless the format has one there (`next`). */
static bool read_month(const char **at, char next, int *out) {
    char word[MONTH_ROOM];
    size_t length = 0;
    for (char c; length + 1 < MONTH_ROOM && (c = read_letter(at)) != 0;)
        word[length++] = c;
    word[length] = '\0';
    for (int month = 0; month < 12; month++) {
        if (length == 0 || !in_list(month_names[month], word)) continue;
        if (next != '.') (void)read_mark(at, '.');
        *out = month + 1;
        return true;
    }
    return false;
}

/* AM or PM, also written a.m. and p. m.; the time itself is not used. */
static bool read_half(const char **at) {
    if (!**at || !strchr("aApP", **at)) return false;
    ++*at;
    if (read_mark(at, '.')) (void)read_mark(at, ' ');
    if (!**at || !strchr("mM", **at)) return false;
    ++*at;
    (void)read_mark(at, '.');
    return true;
}

/* The year that ends with two digits: 2068 for 68 and 1969 for 69, as POSIX has it, or the last one
 * up to `latest`. */
static int full_year(int digits, int latest) {
    if (latest <= 0) return digits + (digits < 69 ? 2000 : 1900);
    return latest - (latest % 100 - digits + 100) % 100;
}

/* Reads what `conversion` stands for; `next` is the character of the format behind it. */
static bool read_part(const char **at, char conversion, char next, int latest, hr_date *out) {
    int unused;
    switch (conversion) {
    case 'Y': return read_digits(at, 4, 4, &out->year);
    case 'y':
        if (!read_digits(at, 2, 2, &out->year)) return false;
        out->year = full_year(out->year, latest);
        return true;
    case 'm': return read_digits(at, 1, 2, &out->month);
    case 'd': return read_digits(at, 1, 2, &out->day);
    case 'b':
    case 'B': return read_month(at, next, &out->month);
    case 'p': return read_half(at);
    case 'H':
    case 'I':
    case 'M':
    case 'S': return read_digits(at, 1, 2, &unused);
    default: return read_mark(at, conversion);
    }
}

bool hr_date_read(const char *text, const char *format, int latest, hr_date *out) {
    *out = (hr_date){.month = 1, .day = 1};
    for (; *format; format++) {
        if (*format == '%') {
            format++;
            if (!read_part(&text, *format, format[1], latest, out)) return false;
        } else if (!read_mark(&text, *format)) {
            return false;
        }
    }
    return !*text && is_valid(*out);
}

hr_status hr_date_check_format(const char *format, bool *days, bool *months, hr_error *err) {
    bool years = false;
    *days = *months = false;
    for (const char *at = format; *at; at++) {
        if (*at != '%') continue;
        at++;
        if (!*at || !strchr("YymdbBHIMSp%", *at))
            return hr_fail(err, HR_EINVAL,
                           "date: format: '%%%.1s' is not one of %%Y %%y %%m %%b %%B %%d %%H %%I "
                           "%%M %%S %%p %%%%",
                           at);
        years = years || *at == 'Y' || *at == 'y';
        *months = *months || strchr("mbB", *at);
        *days = *days || *at == 'd';
    }
    if (years) return HR_OK;
    return hr_fail(err, HR_EINVAL, "date: format: '%s' has no year (%%Y or %%y)", format);
}
