/* arrow_type.c - the format strings of the Arrow C data interface. A column of a table has a type
 * without children; everything else is refused by the reader, which names the column. */
#include "data/arrow.h"

#include <stdlib.h>
#include <string.h>

enum { SCALE_MOST = 150 }; /* digits that a decimal's scale may shift its point */

static const struct {
    const char *format;
    hr_arrow_type type;
} plain_types[] = {
    {"n", {HR_ARROW_NULL, 0, 0, false}},        {"b", {HR_ARROW_BOOL, 0, 0, false}},
    {"c", {HR_ARROW_INT, 1, 0, false}},         {"C", {HR_ARROW_UINT, 1, 0, false}},
    {"s", {HR_ARROW_INT, 2, 0, false}},         {"S", {HR_ARROW_UINT, 2, 0, false}},
    {"i", {HR_ARROW_INT, 4, 0, false}},         {"I", {HR_ARROW_UINT, 4, 0, false}},
    {"l", {HR_ARROW_INT, 8, 0, false}},         {"L", {HR_ARROW_UINT, 8, 0, false}},
    {"e", {HR_ARROW_FLOAT, 2, 0, false}},       {"f", {HR_ARROW_FLOAT, 4, 0, false}},
    {"g", {HR_ARROW_FLOAT, 8, 0, false}},       {"u", {HR_ARROW_TEXT, 0, 0, false}},
    {"U", {HR_ARROW_LARGE_TEXT, 0, 0, false}},  {"vu", {HR_ARROW_TEXT_VIEW, 0, 0, false}},
    {"tdD", {HR_ARROW_DATE_DAYS, 4, 0, false}}, {"tdm", {HR_ARROW_DATE_MILLIS, 8, 0, false}},
    {"tts", {HR_ARROW_TIME, 4, 0, false}},      {"ttm", {HR_ARROW_TIME, 4, 3, false}},
    {"ttu", {HR_ARROW_TIME, 8, 6, false}},      {"ttn", {HR_ARROW_TIME, 8, 9, false}},
};

/* "tss:", "tsm:Europe/Paris": unit and time zone. */
static bool parse_timestamp(const char *format, hr_arrow_type *out) {
    static const char units[] = "smun";
    if (strncmp(format, "ts", 2) || !format[2] || format[3] != ':') return false;
    const char *unit = strchr(units, format[2]);
    if (!unit) return false;
    *out = (hr_arrow_type){HR_ARROW_TIMESTAMP, 8, (int)(unit - units) * 3, format[4] != '\0'};
    return true;
}

/* "d:19,10" with 128 bits, "d:19,10,256": precision, scale and bits. */
static bool parse_decimal(const char *format, hr_arrow_type *out) {
    char *end;
    if (strncmp(format, "d:", 2)) return false;
    strtol(format + 2, &end, 10);
    if (*end != ',') return false;
    long scale = strtol(end + 1, &end, 10), bits = 128;
    if (*end == ',') bits = strtol(end + 1, &end, 10);
    if (*end || (bits != 32 && bits != 64 && bits != 128 && bits != 256)) return false;
    if (scale < -SCALE_MOST || scale > SCALE_MOST) return false;
    *out = (hr_arrow_type){HR_ARROW_DECIMAL, (unsigned)bits / 8, (int)scale, false};
    return true;
}

bool hr_arrow_parse_format(const char *format, hr_arrow_type *out) {
    for (size_t i = 0; i < sizeof plain_types / sizeof *plain_types; i++)
        if (!strcmp(plain_types[i].format, format)) {
            *out = plain_types[i].type;
            return true;
        }
    return parse_timestamp(format, out) || parse_decimal(format, out);
}
