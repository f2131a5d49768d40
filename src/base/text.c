/* text.c - growing texts, parsing of numbers, and the search for "did you mean". */
#include "base/base.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void hr_text_add(hr_text *text, const char *bytes, size_t length) {
    if (text->failed) return;
    if (hr_grow(&text->data, &text->capacity, text->length + length + 1, 1, NULL) != HR_OK) {
        text->failed = true;
        return;
    }
    if (length) memcpy(text->data + text->length, bytes, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void hr_text_puts(hr_text *text, const char *string) {
    hr_text_add(text, string, strlen(string));
}

void hr_text_printf(hr_text *text, const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0 || text->failed ||
        hr_grow(&text->data, &text->capacity, text->length + (size_t)length + 1, 1, NULL) != HR_OK)
        text->failed = true;
    else {
        vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
}

void hr_text_free(hr_text *text) {
    free(text->data);
    *text = (hr_text){0};
}

hr_status hr_text_take(hr_text *text, char **out, hr_error *err) {
    hr_text_puts(text, ""); /* a text to which nothing was added is empty, not NULL */
    bool failed = text->failed;
    *out = failed ? NULL : text->data;
    if (failed) free(text->data);
    *text = (hr_text){0};
    return failed ? hr_fail(err, HR_ENOMEM, "out of memory") : HR_OK;
}

enum { DISTANCE_LENGTH = 63 }; /* longer texts are compared by this many first characters */

unsigned hr_text_distance(const char *a, const char *b, unsigned limit) {
    size_t n = strnlen(a, DISTANCE_LENGTH), m = strnlen(b, DISTANCE_LENGTH);
    if ((n > m ? n - m : m - n) > limit) return limit + 1;
    unsigned rows[3][DISTANCE_LENGTH + 1];
    unsigned *before = rows[0], *last = rows[1], *now = rows[2];
    for (unsigned j = 0; j <= m; j++)
        last[j] = j;
    for (unsigned i = 1; i <= n; i++) {
        now[0] = i;
        for (unsigned j = 1; j <= m; j++) {
            unsigned best = last[j - 1] + (a[i - 1] != b[j - 1]);
            if (last[j] + 1 < best) best = last[j] + 1;
            if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
        }
        unsigned *spare = before;
        before = last;
        last = now;
        now = spare;
    }
    return last[m] <= limit ? last[m] : limit + 1;
}

/* Do two texts differ only in ASCII capitals? */
static bool same_letters(const char *a, const char *b) {
    for (; *a && *b; a++, b++) {
        bool letter = (*a | 32) >= 'a' && (*a | 32) <= 'z';
        if (*a != *b && !(letter && (*a | 32) == (*b | 32))) return false;
    }
    return *a == *b;
}

const char *hr_text_nearest(const char *text, size_t count,
                            const char *(*at)(size_t i, const void *payload), const void *payload) {
    size_t length = strlen(text);
    unsigned limit = length <= 2 ? 1 : length <= 5 ? 2 : 3;
    unsigned best = limit + 1;
    const char *nearest = NULL;
    for (size_t i = 0; i < count && best > 0; i++) {
        const char *candidate = at(i, payload);
        if (!*candidate) continue;
        if (same_letters(text, candidate)) return candidate;
        unsigned distance = hr_text_distance(text, candidate, best - 1);
        /* A distance of the whole length means that the texts have nothing in common. */
        if (distance < best && distance < length) {
            best = distance;
            nearest = candidate;
        }
    }
    return nearest;
}

static const char *name_at(size_t i, const void *payload) {
    return ((const char *const *)payload)[i];
}

const char *hr_nearest_name(const char *text, const char *const *names, size_t count) {
    return hr_text_nearest(text, count, name_at, names);
}

/* Decimal digits with an optional point, sign and exponent; no blanks, no "inf", no
 * hexadecimals. */
static bool is_decimal(const char *c, char point) {
    bool digits = false;
    if (*c == '+' || *c == '-') c++;
    for (; *c >= '0' && *c <= '9'; c++)
        digits = true;
    if (*c == point)
        for (c++; *c >= '0' && *c <= '9'; c++)
            digits = true;
    if (!digits) return false;
    if (*c == 'e' || *c == 'E') {
        c++;
        if (*c == '+' || *c == '-') c++;
        if (*c < '0' || *c > '9') return false;
        while (*c >= '0' && *c <= '9')
            c++;
    }
    return *c == '\0';
}

bool hr_parse_number(const char *text, char point, double *out) {
    size_t length = strnlen(text, HR_NUMBER_MOST + 2);
    if (length > HR_NUMBER_MOST + 1 || !is_decimal(text, point ? point : '.')) return false;
    /* strtod follows the caller's locale, where the decimal point may be a comma. */
    char copy[HR_NUMBER_MOST + 2], *end;
    double value = strtod(text, &end);
    if (*end == '.' || *end == ',') {
        memcpy(copy, text, length + 1);
        copy[end - text] = *end == '.' ? ',' : '.';
        value = strtod(copy, &end);
    }
    if (*end != '\0' || !isfinite(value)) return false;
    *out = value;
    return true;
}

bool hr_parse_double(const char *text, double *out) {
    return hr_parse_number(text, '.', out);
}

/* Length of a sign that people put between thousands, or 0. */
static size_t separator(const char *c) {
    static const char *const signs[] = {".", ",", "'", " ", "\u00a0", "\u202f", "\u2019"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (!strncmp(c, signs[i], strlen(signs[i]))) return strlen(signs[i]);
    return 0;
}

/* "1.234", "1 234 567,8" */
static bool is_grouped(const char *c) {
    static const char digits[] = "0123456789";
    size_t groups = 0;
    c += *c == '+' || *c == '-';
    size_t first = strspn(c, digits);
    if (first < 1 || first > 3) return false;
    c += first;
    for (size_t sign; (sign = separator(c)) && strspn(c + sign, digits) == 3; groups++)
        c += sign + 3;
    if (*c == '.' || *c == ',') c++;
    return groups > 0 && !c[strspn(c, digits)];
}

const char *hr_number_advice(const char *text, char point) {
    double number;
    bool comma = point == ',';
    if (!comma && hr_parse_number(text, ',', &number))
        return ": if its comma is a decimal comma, say `decimal: ','`";
    if (comma && hr_parse_number(text, '.', &number))
        return ": the job says `decimal: ','`, so write a comma before the decimals, and no "
               "thousands separators";
    return is_grouped(text) ? ": remove the thousands separators" : "";
}

/* 0.DIGITS x 10^exponent; the digits neither begin nor end with a zero. */
typedef struct {
    bool negative, out_of_reach; /* out_of_reach: the exponent is too large to compare */
    int64_t exponent;
    size_t count; /* 0: the number is zero */
    char digits[HR_NUMBER_MOST + 2];
} decimal;

static void read_exponent(const char *c, decimal *out) {
    const int64_t most = INT64_C(1000000000000);
    bool down = *c == '-';
    int64_t value = 0;
    if (*c == '+' || *c == '-') c++;
    for (; *c && value < most; c++)
        value = value * 10 + (*c - '0');
    out->out_of_reach = value >= most;
    out->exponent += down ? -value : value;
}

static void read_decimal(const char *c, decimal *out) {
    *out = (decimal){.negative = *c == '-'};
    bool point = false;
    if (*c == '+' || *c == '-') c++;
    for (; *c && *c != 'e' && *c != 'E'; c++) {
        if (*c == '.' || *c == ',') {
            point = true;
            continue;
        }
        if (out->count || *c != '0') {
            out->digits[out->count++] = *c;
            out->exponent += !point;
        } else {
            out->exponent -= point;
        }
    }
    while (out->count && out->digits[out->count - 1] == '0')
        out->count--;
    if (*c) read_exponent(c + 1, out);
}

bool hr_same_decimal(const char *a, const char *b) {
    decimal x, y;
    read_decimal(a, &x);
    read_decimal(b, &y);
    if (x.count == 0 || y.count == 0) return x.count == y.count;
    return x.negative == y.negative && !x.out_of_reach && !y.out_of_reach &&
           x.exponent == y.exponent && x.count == y.count && !memcmp(x.digits, y.digits, x.count);
}

int hr_decimals(const char *text) {
    decimal number;
    const char *point = strpbrk(text, ".,"), *exponent = text + strcspn(text, "eE");
    int64_t digits = point ? exponent - point - 1 : 0;
    number.exponent = 0;
    if (*exponent) read_exponent(exponent + 1, &number);
    digits -= number.exponent;
    return digits < 0 ? 0 : digits > HR_DECIMALS_END ? HR_DECIMALS_END : (int)digits;
}

bool hr_parse_uint(const char *text, uint64_t max, uint64_t *out) {
    if (!*text) return false;
    uint64_t value = 0;
    for (const char *c = text; *c; c++) {
        if (*c < '0' || *c > '9') return false;
        unsigned digit = (unsigned)(*c - '0');
        if (value > (max - digit) / 10) return false;
        value = value * 10 + digit;
    }
    if (value > max) return false;
    *out = value;
    return true;
}

/* ---- Lists of numbers ---- */

/* "8" or "10-20". */
static bool parse_range(const char *text, size_t length, int64_t max, uint64_t *first,
                        uint64_t *last) {
    char word[64];
    if (length >= sizeof word) return false;
    memcpy(word, text, length);
    word[length] = '\0';
    char *dash = strchr(word, '-');
    if (dash) *dash = '\0';
    bool good = hr_parse_uint(word, (uint64_t)max, first);
    *last = *first;
    if (dash) good = good && hr_parse_uint(dash + 1, (uint64_t)max, last);
    return good && *first > 0 && *first <= *last;
}

static hr_status add_range(const char *name, uint64_t first, uint64_t last, int64_t **numbers,
                           size_t *capacity, size_t *count, hr_error *err) {
    if (last - first >= HR_NUMBERS_MOST - *count)
        return hr_fail(err, HR_EINVAL, "%s: more than %d numbers", name, HR_NUMBERS_MOST);
    HR_TRY(hr_grow(numbers, capacity, *count + (size_t)(last - first) + 1, sizeof **numbers, err));
    for (uint64_t i = first; i <= last; i++)
        (*numbers)[(*count)++] = (int64_t)i;
    return HR_OK;
}

hr_status hr_parse_numbers(const char *name, const char *text, int64_t max, int64_t **out,
                           size_t *count, hr_error *err) {
    size_t capacity = 0;
    hr_status status = HR_OK;
    int64_t *numbers = NULL;
    *count = 0;
    for (const char *at = text; status == HR_OK; at++) {
        uint64_t first = 0, last = 0;
        size_t length = strcspn(at, ",");
        if (parse_range(at, length, max, &first, &last))
            status = add_range(name, first, last, &numbers, &capacity, count, err);
        else
            status = hr_fail(err, HR_EINVAL,
                             "%s: '%s' is not a list of whole numbers from 1 to %lld, such as "
                             "4,8,10-20",
                             name, text, (long long)max);
        at += length;
        if (!*at) break;
    }
    if (status != HR_OK) {
        free(numbers);
        numbers = NULL;
    }
    *out = numbers;
    return status;
}
