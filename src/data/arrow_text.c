/* arrow_text.c - a value of an Arrow array as text, and back. Tables hold texts, so the text must
 * give the value back exactly: numbers get the shortest text that does, decimals all their digits,
 * dates and times ISO 8601. Values are read in the machine's byte order, which Arrow prescribes;
 * decimals are taken to be little-endian. */
#include "data/arrow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- whole numbers ---- */

static int64_t load_int(const void *value, unsigned width) {
    return hr_arrow_int_at(value, 0, width);
}

static uint64_t load_uint(const void *value, unsigned width) {
    uint64_t number = (uint64_t)load_int(value, width);
    return width == 8 ? number : number & ((UINT64_C(1) << 8 * width) - 1);
}

static void store(void *value, unsigned width, uint64_t number) {
    uint8_t one = (uint8_t)number;
    uint16_t two = (uint16_t)number;
    uint32_t four = (uint32_t)number;
    switch (width) {
    case 1: memcpy(value, &one, 1); break;
    case 2: memcpy(value, &two, 2); break;
    case 4: memcpy(value, &four, 4); break;
    default: memcpy(value, &number, 8); break;
    }
}

/* At least `digits` digits. Returns the text's length. */
static size_t put_number(char *text, uint64_t number, unsigned digits) {
    char reversed[20];
    unsigned count = 0;
    do
        reversed[count++] = (char)('0' + number % 10);
    while ((number /= 10) > 0 || count < digits);
    for (unsigned i = 0; i < count; i++)
        text[i] = reversed[count - 1 - i];
    return count;
}

static uint64_t magnitude(int64_t number) {
    return number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
}

static size_t int_text(int64_t number, char *text) {
    if (number < 0) *text = '-';
    return (number < 0) + put_number(text + (number < 0), magnitude(number), 1);
}

/* The digits at *at; false if there are none or the number exceeds 64 bits. */
static bool take_number(const char **at, uint64_t *out) {
    const char *start = *at;
    uint64_t number = 0;
    for (; **at >= '0' && **at <= '9'; ++*at) {
        unsigned digit = (unsigned)(**at - '0');
        if (number > (UINT64_MAX - digit) / 10) return false;
        number = number * 10 + digit;
    }
    *out = number;
    return *at > start;
}

static bool parse_int(const char *text, const hr_arrow_type *type, void *value) {
    bool negative = *text == '-';
    uint64_t number, most;
    text += negative;
    if (!take_number(&text, &number) || *text) return false;
    if (type->kind == HR_ARROW_UINT) {
        most = type->width == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * type->width) - 1;
        if (negative && number) return false;
    } else {
        most = (UINT64_C(1) << (8 * type->width - 1)) - !negative;
    }
    if (number > most) return false;
    store(value, type->width, negative ? 0 - number : number);
    return true;
}

/* ---- floating-point numbers ---- */

static double half_value(uint16_t bits) {
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double size = exponent == 31  ? (fraction ? NAN : INFINITY)
                  : exponent == 0 ? ldexp(fraction, -24)
                                  : ldexp(fraction + 1024, exponent - 25);
    return bits >> 15 ? -size : size;
}

/* Rounds to the nearest half-precision number, of two equally near ones to the even one. */
static uint16_t half_bits(double number) {
    uint16_t sign = signbit(number) ? 0x8000 : 0;
    double size = fabs(number);
    int exponent;
    if (isnan(number)) return sign | 0x7e00;
    if (size >= 65520) return sign | 0x7c00;
    frexp(size, &exponent);
    if (size == 0 || exponent < -13) return sign | (uint16_t)rint(ldexp(size, 24));
    /* A fraction that rounds up to 2048 carries into the exponent. */
    return (uint16_t)(sign |
                      (((exponent + 14) << 10) + (int)rint(ldexp(size, 11 - exponent)) - 1024));
}

/* The number rounded to the precision of a type of `width` bytes. */
static double rounded(double number, unsigned width) {
    if (width == 2) return half_value(half_bits(number));
    return width == 4 ? (double)(float)number : number;
}

/* Decimal digits that every text keeps when it is read and printed with as many; and the number of
 * digits that tell all values apart. */
static void digits_of(unsigned width, int *kept, int *enough) {
    *kept = width == 2 ? 3 : width == 4 ? 6 : 15;
    *enough = width == 2 ? 5 : width == 4 ? 9 : 17;
}

/* Most numbers in tables are whole or have a few decimals, so they are m / 10^d with m < 2^53 and
 * d <= 15. A double holds both m and 10^d exactly, so the division rounds only once, as does
 * reading the decimal text of m / 10^d. If the quotient equals the number, the text reads back as
 * it. Returns 0 if there is no such text. */
static size_t few_decimals_text(double number, unsigned width, char *text) {
    const double most = 9007199254740992.0; /* 2^53 */
    double size = fabs(number), power = 1;
    for (unsigned decimals = 0; decimals <= 15 && size * power < most; decimals++, power *= 10) {
        double scaled = rint(size * power);
        if (rounded(scaled / power, width) != size) continue;
        uint64_t digits = (uint64_t)scaled, unit = (uint64_t)power;
        size_t length = signbit(number) ? 1 : 0;
        if (length) *text = '-';
        length += put_number(text + length, digits / unit, 1);
        if (decimals == 0) return length;
        text[length++] = '.';
        return length + put_number(text + length, digits % unit, decimals);
    }
    return 0;
}

/* Prints with so many digits, with a point whatever the locale. */
static size_t print_digits(double number, int digits, char *text) {
    int length = snprintf(text, HR_ARROW_TEXT_MOST, "%.*g", digits, number);
    char *comma = strchr(text, ',');
    if (comma) *comma = '.';
    return (size_t)length;
}

static bool reads_back(const char *text, double number, unsigned width) {
    double read;
    return hr_parse_double(text, &read) && rounded(read, width) == number;
}

static size_t copy_word(const char *word, char *text) {
    size_t length = strlen(word);
    memcpy(text, word, length);
    return length;
}

static size_t float_text(double number, unsigned width, char *text) {
    if (isnan(number)) return copy_word("nan", text);
    if (isinf(number)) return copy_word(number < 0 ? "-inf" : "inf", text);
    size_t length = few_decimals_text(number, width, text);
    if (length) return length;
    int kept, enough;
    digits_of(width, &kept, &enough);
    length = print_digits(number, kept, text);
    if (!reads_back(text, number, width)) {
        for (int digits = kept + 1; digits <= enough; digits++) {
            length = print_digits(number, digits, text);
            if (reads_back(text, number, width)) break;
        }
        return length;
    }
    /* Only below the least normal number can a text with fewer digits than `kept` that does not
     * merely drop zeros be as good. */
    double least = width == 2 ? 0x1p-14 : width == 4 ? 0x1p-126 : 0x1p-1022;
    if (fabs(number) >= least) return length;
    for (int digits = 1; digits <= kept; digits++) {
        length = print_digits(number, digits, text);
        if (reads_back(text, number, width)) break;
    }
    return length;
}

static double load_float(const void *value, unsigned width) {
    uint16_t half;
    float single;
    double number;
    switch (width) {
    case 2: return memcpy(&half, value, 2), half_value(half);
    case 4: return memcpy(&single, value, 4), (double)single;
    default: return memcpy(&number, value, 8), number;
    }
}

static bool parse_float(const char *text, unsigned width, void *value) {
    double number;
    if (!strcmp(text, "nan"))
        number = NAN;
    else if (!strcmp(text, "inf") || !strcmp(text, "-inf"))
        number = *text == '-' ? -INFINITY : INFINITY;
    else if (!hr_parse_double(text, &number))
        return false;
    uint16_t half = half_bits(number);
    float single = (float)number;
    memcpy(value,
           width == 2   ? (void *)&half
           : width == 4 ? (void *)&single
                        : (void *)&number,
           width);
    return true;
}

/* ---- decimals: whole numbers of up to 256 bits, as 32-bit digits, the lowest first ---- */

enum { LIMBS = 8 };

static void negate(uint32_t *limbs, unsigned count) {
    uint64_t carry = 1;
    for (unsigned i = 0; i < count; i++) {
        carry += (uint32_t)~limbs[i];
        limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

/* Divides by 10^9; returns the remainder. */
static uint32_t divide(uint32_t *limbs, unsigned count) {
    uint64_t rest = 0;
    for (unsigned i = count; i-- > 0;) {
        rest = rest << 32 | limbs[i];
        limbs[i] = (uint32_t)(rest / 1000000000);
        rest %= 1000000000;
    }
    return (uint32_t)rest;
}

static bool is_zero(const uint32_t *limbs, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        if (limbs[i]) return false;
    return true;
}

/* Decimal digits, the lowest first, without leading zeros. */
static unsigned decimal_digits(uint32_t *limbs, unsigned count, char *digits) {
    unsigned length = 0;
    while (!is_zero(limbs, count)) {
        uint32_t part = divide(limbs, count);
        for (int i = 0; i < 9; i++, part /= 10)
            digits[length++] = (char)('0' + part % 10);
    }
    while (length && digits[length - 1] == '0')
        length--;
    return length;
}

static size_t decimal_text(const hr_arrow_type *type, const void *value, char *text) {
    uint32_t limbs[LIMBS];
    char digits[90];
    unsigned count = type->width / 4;
    memcpy(limbs, value, type->width);
    bool negative = limbs[count - 1] >> 31;
    if (negative) negate(limbs, count);
    unsigned length = decimal_digits(limbs, count, digits);
    int scale = length ? type->scale : type->scale > 0 ? type->scale : 0;
    size_t end = 0;
    if (negative) text[end++] = '-';
    if ((int)length <= scale || length == 0) text[end++] = '0';
    for (int i = (int)length - 1; i >= (scale > 0 ? scale : 0); i--)
        text[end++] = digits[i];
    for (int i = scale; i < 0; i++)
        text[end++] = '0';
    if (scale > 0) text[end++] = '.';
    for (int i = scale - 1; i >= 0; i--)
        text[end++] = i < (int)length ? digits[i] : '0';
    return end;
}

/* limbs = limbs x 10 + digit; false if it does not fit. */
static bool add_digit(uint32_t *limbs, unsigned count, unsigned digit) {
    uint64_t carry = digit;
    for (unsigned i = 0; i < count; i++) {
        carry += (uint64_t)limbs[i] * 10;
        limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    return carry == 0;
}

static bool parse_decimal(const char *text, const hr_arrow_type *type, void *value) {
    uint32_t limbs[LIMBS] = {0};
    unsigned count = type->width / 4;
    bool negative = *text == '-';
    const char *point = strchr(text, '.');
    text += negative;
    size_t decimals = point ? strlen(point + 1) : 0;
    if (decimals != (type->scale > 0 ? (size_t)type->scale : 0) || !*text) return false;
    size_t length = strlen(text);
    if (type->scale < 0 && strcmp(text, "0")) {
        if (length <= (size_t)-type->scale) return false;
        length -= (size_t)-type->scale; /* these are zeros that the scale stands for */
    }
    for (size_t i = 0; i < length; i++) {
        if (text + i == point) continue;
        if (text[i] < '0' || text[i] > '9') return false;
        if (!add_digit(limbs, count, (unsigned)(text[i] - '0'))) return false;
    }
    if (negative) negate(limbs, count);
    if (limbs[count - 1] >> 31 != negative && !is_zero(limbs, count)) return false; /* too large */
    memcpy(value, limbs, type->width);
    return true;
}

/* ---- dates and times ---- */

static int64_t floor_divide(int64_t number, int64_t by) {
    return number / by - (number % by < 0);
}

/* Days of the 400 years after which the Gregorian calendar repeats; days from 0000-03-01, where
 * these periods are counted from because leap days then come last in a year, to 1970-01-01. */
enum { PERIOD = 146097, EPOCH = 719468 };

static void civil_of_days(int64_t days, int64_t *year, unsigned *month, unsigned *day) {
    int64_t shifted = days + EPOCH, period = floor_divide(shifted, PERIOD);
    int64_t rest = shifted - period * PERIOD;
    int64_t y = (rest - rest / 1460 + rest / 36524 - rest / 146096) / 365;
    int64_t in_year = rest - (365 * y + y / 4 - y / 100);
    int64_t m = (5 * in_year + 2) / 153; /* from March */
    *day = (unsigned)(in_year - (153 * m + 2) / 5 + 1);
    *month = (unsigned)(m < 10 ? m + 3 : m - 9);
    *year = y + period * 400 + (*month <= 2);
}

static int64_t days_of_civil(int64_t year, unsigned month, unsigned day) {
    year -= month <= 2;
    int64_t period = floor_divide(year, 400), y = year - period * 400;
    int64_t in_year = (153 * (int64_t)(month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    return period * PERIOD + y * 365 + y / 4 - y / 100 + in_year - EPOCH;
}

/* 2024-02-29; years outside 0 .. 9999 have a sign and six digits or more. */
static size_t date_text(int64_t days, char *text) {
    int64_t year;
    unsigned month, day;
    size_t end = 0;
    civil_of_days(days, &year, &month, &day);
    bool usual = year >= 0 && year <= 9999;
    if (!usual) text[end++] = year < 0 ? '-' : '+';
    end += put_number(text + end, magnitude(year), usual ? 4 : 6);
    text[end++] = '-';
    end += put_number(text + end, month, 2);
    text[end++] = '-';
    return end + put_number(text + end, day, 2);
}

static int64_t power_of_ten(int exponent) {
    int64_t power = 1;
    while (exponent-- > 0)
        power *= 10;
    return power;
}

/* 23:59:59.125; a whole second has no fraction. `count` units of 10^-scale seconds, not
 * negative. */
static size_t clock_text(uint64_t count, int scale, char *text) {
    uint64_t unit = (uint64_t)power_of_ten(scale), seconds = count / unit, fraction = count % unit;
    size_t end = put_number(text, seconds / 3600, 2);
    text[end++] = ':';
    end += put_number(text + end, seconds / 60 % 60, 2);
    text[end++] = ':';
    end += put_number(text + end, seconds % 60, 2);
    if (!fraction) return end;
    text[end++] = '.';
    return end + put_number(text + end, fraction, (unsigned)scale);
}

static size_t time_text(int64_t count, int scale, char *text) {
    if (count < 0) *text = '-'; /* not a time of day, but Arrow does not rule it out */
    return (count < 0) + clock_text(magnitude(count), scale, text + (count < 0));
}

static size_t timestamp_text(int64_t count, const hr_arrow_type *type, char *text) {
    int64_t day = 86400 * power_of_ten(type->scale), days = floor_divide(count, day);
    size_t end = date_text(days, text);
    text[end++] = 'T';
    /* Not count - days * day, which overflows for the earliest timestamp. */
    int64_t rest = count % day;
    end += clock_text((uint64_t)(rest < 0 ? rest + day : rest), type->scale, text + end);
    if (type->zoned) text[end++] = 'Z';
    return end;
}

static bool take_char(const char **at, char c) {
    if (**at != c) return false;
    ++*at;
    return true;
}

static bool take_date(const char **at, int64_t *days) {
    uint64_t year, month, day;
    bool negative = **at == '-';
    if (negative || **at == '+') ++*at;
    if (!take_number(at, &year) || !take_char(at, '-') || !take_number(at, &month) ||
        !take_char(at, '-') || !take_number(at, &day))
        return false;
    if (year > INT64_C(300000000000) || month < 1 || month > 12 || day < 1 || day > 31)
        return false;
    *days =
        days_of_civil(negative ? -(int64_t)year : (int64_t)year, (unsigned)month, (unsigned)day);
    return true;
}

static bool take_clock(const char **at, int scale, uint64_t *count) {
    uint64_t hours, minutes, seconds, fraction = 0;
    uint64_t unit = (uint64_t)power_of_ten(scale);
    if (!take_number(at, &hours) || !take_char(at, ':') || !take_number(at, &minutes) ||
        !take_char(at, ':') || !take_number(at, &seconds) || minutes > 59 || seconds > 59)
        return false;
    if (take_char(at, '.')) {
        const char *start = *at;
        if (!take_number(at, &fraction) || *at - start != scale) return false;
    }
    if (hours > UINT64_MAX / unit / 3600 - 1) return false;
    *count = (hours * 3600 + minutes * 60 + seconds) * unit + fraction;
    return true;
}

static bool parse_timestamp(const char *text, const hr_arrow_type *type, void *value) {
    int64_t days, day = 86400 * power_of_ten(type->scale);
    uint64_t clock;
    if (!take_date(&text, &days) || !take_char(&text, 'T') ||
        !take_clock(&text, type->scale, &clock) || clock >= (uint64_t)day)
        return false;
    int64_t rest = (int64_t)clock;
    if (type->zoned && !take_char(&text, 'Z')) return false;
    /* In a day before the epoch the parts have different signs: go up by a day, then down. */
    if (days < 0) {
        days++;
        rest -= day;
    }
    if (*text || days > INT64_MAX / day || days < INT64_MIN / day) return false;
    int64_t start = days * day;
    if (rest < 0 ? start < INT64_MIN - rest : start > INT64_MAX - rest) return false;
    store(value, type->width, (uint64_t)(start + rest));
    return true;
}

/* Dates in milliseconds should be whole days. One that is not gets a time, so that nothing is
 * lost. */
static const hr_arrow_type milliseconds = {HR_ARROW_TIMESTAMP, 8, 3, false};

static size_t date_millis_text(int64_t count, char *text) {
    const int64_t day = 86400000;
    return count % day ? timestamp_text(count, &milliseconds, text) : date_text(count / day, text);
}

static bool parse_date(const char *text, const hr_arrow_type *type, void *value) {
    int64_t days;
    if (type->kind == HR_ARROW_DATE_MILLIS && strchr(text, 'T'))
        return parse_timestamp(text, &milliseconds, value);
    if (!take_date(&text, &days) || *text) return false;
    int64_t unit = type->kind == HR_ARROW_DATE_DAYS ? 1 : 86400000;
    int64_t most = type->kind == HR_ARROW_DATE_DAYS ? INT32_MAX : INT64_MAX / unit;
    if (days > most || days < -most - 1) return false;
    store(value, type->width, (uint64_t)(days * unit));
    return true;
}

static bool parse_time(const char *text, const hr_arrow_type *type, void *value) {
    uint64_t count, most = type->width == 4 ? INT32_MAX : INT64_MAX;
    bool negative = *text == '-';
    text += negative;
    if (!take_clock(&text, type->scale, &count) || *text || count > most + negative) return false;
    store(value, type->width, negative ? 0 - count : count);
    return true;
}

/* ---- all types ---- */

static size_t value_text(const hr_arrow_type *type, const void *value, char *text) {
    unsigned width = type->width;
    switch (type->kind) {
    case HR_ARROW_BOOL: return copy_word(*(const uint8_t *)value ? "true" : "false", text);
    case HR_ARROW_INT: return int_text(load_int(value, width), text);
    case HR_ARROW_UINT: return put_number(text, load_uint(value, width), 1);
    case HR_ARROW_FLOAT: return float_text(load_float(value, width), width, text);
    case HR_ARROW_DECIMAL: return decimal_text(type, value, text);
    case HR_ARROW_DATE_DAYS: return date_text(load_int(value, width), text);
    case HR_ARROW_DATE_MILLIS: return date_millis_text(load_int(value, width), text);
    case HR_ARROW_TIME: return time_text(load_int(value, width), type->scale, text);
    case HR_ARROW_TIMESTAMP: return timestamp_text(load_int(value, width), type, text);
    default: return 0;
    }
}

size_t hr_arrow_value_text(const hr_arrow_type *type, const void *value, char *text) {
    size_t length = value_text(type, value, text);
    text[length] = '\0';
    return length;
}

bool hr_arrow_text_value(const hr_arrow_type *type, const char *text, void *value) {
    switch (type->kind) {
    case HR_ARROW_BOOL:
        *(uint8_t *)value = !strcmp(text, "true");
        return *(uint8_t *)value || !strcmp(text, "false");
    case HR_ARROW_INT:
    case HR_ARROW_UINT: return parse_int(text, type, value);
    case HR_ARROW_FLOAT: return parse_float(text, type->width, value);
    case HR_ARROW_DECIMAL: return parse_decimal(text, type, value);
    case HR_ARROW_DATE_DAYS:
    case HR_ARROW_DATE_MILLIS: return parse_date(text, type, value);
    case HR_ARROW_TIME: return parse_time(text, type, value);
    case HR_ARROW_TIMESTAMP: return parse_timestamp(text, type, value);
    default: return false;
    }
}
