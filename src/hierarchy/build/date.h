/* date.h - reading dates, and the parts of the calendar that they lie in. */
#ifndef HR_BUILD_DATE_H
#define HR_BUILD_DATE_H

#include "hierarchy/build/build.h"

/* A day of the Gregorian calendar, which is also used for days before its introduction. */
typedef struct {
    int year, month, day; /* 0 .. 9999, 1 .. 12, 1 .. 31 */
} hr_date;

/* Days since 0000-03-01. */
long hr_date_number(hr_date date);
/* 0 is Monday. */
int hr_date_weekday(hr_date date);
/* The week by ISO 8601; *year is the year that the week belongs to. */
int hr_date_week(hr_date date, int *year);

/* Reads a date or date-time of ISO 8601, such as 2024-02-29 or 2024-02-29T23:30:00+01:00. Time and
 * zone are checked and ignored: the date is taken as written. */
bool hr_date_read_iso(const char *text, hr_date *out);
/* Reads a date by a format such as %d.%m.%Y, which hr_date_check_format has accepted. A day or
 * month that the format lacks is 1. Years of two digits lie in the hundred years up to `latest`; 0:
 * from 1969 to 2068. */
bool hr_date_read(const char *text, const char *format, int latest, hr_date *out);
/* Fails if the format has an unknown conversion or no year. Sets *days and *months to whether it
 * has days and months. */
hr_status hr_date_check_format(const char *format, bool *days, bool *months, hr_error *err);

#endif
