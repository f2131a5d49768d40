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

static const char *const month_names[] = {"January",   "February", "March",    "April",
                                          "May",       "June",     "July",     "August",
                                          "September", "October",  "November", "December"};

/* Compares the first bytes of the text with a name, whatever the case of its letters. */
static bool begins_with(const char *text, const char *name, size_t length) {
    for (size_t i = 0; i < length; i++)
        if ((text[i] | 0x20) != (name[i] | 0x20)) return false;
    return true;
}

/* The name of a month, whole or its first three letters. */
static bool read_month(const char **at, bool whole, int *out) {
    for (int month = 0; month < 12; month++) {
        size_t length = whole ? strlen(month_names[month]) : 3;
        if (!begins_with(*at, month_names[month], length)) continue;
        *at += length;
        *out = month + 1;
        return true;
    }
    return false;
}

static bool read_part(const char **at, char conversion, hr_date *out) {
    int unused;
    switch (conversion) {
    case 'Y': return read_digits(at, 4, 4, &out->year);
    case 'y':
        if (!read_digits(at, 2, 2, &out->year)) return false;
        out->year += out->year < 69 ? 2000 : 1900; /* as POSIX has it */
        return true;
    case 'm': return read_digits(at, 1, 2, &out->month);
    case 'd': return read_digits(at, 1, 2, &out->day);
    case 'b': return read_month(at, false, &out->month);
    case 'B': return read_month(at, true, &out->month);
    case 'H':
    case 'M':
    case 'S': return read_digits(at, 1, 2, &unused);
    default: return read_mark(at, conversion);
    }
}

bool hr_date_read(const char *text, const char *format, hr_date *out) {
    *out = (hr_date){.month = 1, .day = 1};
    for (; *format; format++) {
        if (*format == '%') {
            if (!read_part(&text, *++format, out)) return false;
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
        if (!*at || !strchr("YymdbBHMS%", *at))
            return hr_fail(err, HR_EINVAL,
                           "date: format: '%%%.1s' is not one of %%Y %%y %%m %%b %%B %%d %%H %%M "
                           "%%S %%%%",
                           at);
        years = years || *at == 'Y' || *at == 'y';
        *months = *months || strchr("mbB", *at);
        *days = *days || *at == 'd';
    }
    if (years) return HR_OK;
    return hr_fail(err, HR_EINVAL, "date: format: '%s' has no year (%%Y or %%y)", format);
}
