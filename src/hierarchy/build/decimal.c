/* decimal.c - decimal numbers as whole multiples of a power of ten. Ends of intervals are computed
 * with them, because doubles would put 0.3 below 3 x 0.1. */
#include "hierarchy/build/build.h"

#include <string.h>

/* The digits of a text that hr_parse_number accepts, without sign and point. */
typedef struct {
    bool negative;
    char digits[HR_NUMBER_MOST + 2]; /* without leading zeros */
    int count;
    long point; /* digits before the decimal point; may lie outside 0 .. count */
} digit_text;

static long read_exponent(const char *at) {
    const long most = 1000000;
    bool down = *at == '-';
    long value = 0;
    if (*at == '-' || *at == '+') at++;
    for (; *at && value < most; at++)
        value = value * 10 + (*at - '0');
    return down ? -value : value;
}

static void read_digits(const char *at, digit_text *out) {
    bool point = false;
    *out = (digit_text){.negative = *at == '-'};
    if (*at == '-' || *at == '+') at++;
    for (; *at && *at != 'e' && *at != 'E'; at++) {
        if (*at == '.' || *at == ',') {
            point = true;
        } else if (out->count > 0 || *at != '0') {
            out->digits[out->count++] = *at;
            out->point += !point;
        } else {
            out->point -= point;
        }
    }
    if (*at) out->point += read_exponent(at + 1);
}

bool hr_decimal_floor(const char *text, int scale, int64_t *out, bool *exact) {
    digit_text d;
    read_digits(text, &d);
    long taken = d.point + scale; /* digits of the result */
    int64_t units = 0;
    bool fits = true;
    for (long i = 0; i < taken && d.count > 0 && fits; i++) {
        int digit = i < d.count ? d.digits[i] - '0' : 0;
        fits = units <= (HR_UNITS_MOST - digit) / 10;
        if (fits) units = units * 10 + digit;
    }
    *exact = true;
    for (long i = taken > 0 ? taken : 0; i < d.count; i++)
        *exact = *exact && d.digits[i] == '0';
    if (!fits) units = HR_UNITS_MOST;
    *out = d.negative ? -units - !*exact : units;
    return fits;
}

void hr_decimal_print(int64_t units, int scale, char point, hr_text *out) {
    char digits[32];
    uint64_t rest = units < 0 ? (uint64_t)-units : (uint64_t)units;
    for (; scale > 0 && rest % 10 == 0; scale--)
        rest /= 10;
    int length = snprintf(digits, sizeof digits, "%0*llu", scale + 1, (unsigned long long)rest);
    if (units < 0) hr_text_puts(out, "-");
    hr_text_add(out, digits, (size_t)(length - scale));
    if (scale == 0) return;
    hr_text_add(out, &point, 1);
    hr_text_puts(out, digits + length - scale);
}
