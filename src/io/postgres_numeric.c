/* postgres_numeric.c - numbers of type numeric, which the server sends as digits to the base of
 * 10000: their count, the power of the first one, a sign, and how many decimals are shown. */
#include "io/postgres.h"

#include <string.h>

enum {
    POSITIVE = 0,
    NEGATIVE = 0x4000,
    NOT_A_NUMBER = 0xc000,
    PLUS_INFINITY = 0xd000,
    MINUS_INFINITY = 0xf000,
    HEAD = 8,        /* bytes before the digits */
    MOST = 0x3fff,   /* decimals */
    LONGEST = 131072 /* digits before the point */
};

static const struct {
    const char *word;
    uint16_t sign;
} words[] = {{"NaN", NOT_A_NUMBER}, {"Infinity", PLUS_INFINITY}, {"-Infinity", MINUS_INFINITY}};

/* ---- to text ---- */

typedef struct {
    const char *digits;
    int count, weight;
} number;

/* The digit at a power of 10000. */
static unsigned digit_at(const number *n, int power) {
    int i = n->weight - power;
    return i >= 0 && i < n->count ? hr_pg_get16(n->digits + 2 * (size_t)i) : 0;
}

static void put_digits(hr_text *out, unsigned digit, int from, int count) {
    const char four[4] = {(char)('0' + digit / 1000 % 10), (char)('0' + digit / 100 % 10),
                          (char)('0' + digit / 10 % 10), (char)('0' + digit % 10)};
    hr_text_add(out, four + from, (size_t)count);
}

static void put_whole(hr_text *out, const number *n) {
    unsigned first = n->weight < 0 ? 0 : digit_at(n, n->weight);
    int skip = first >= 1000 ? 0 : first >= 100 ? 1 : first >= 10 ? 2 : 3;
    put_digits(out, first, skip, 4 - skip);
    for (int power = n->weight - 1; power >= 0; power--)
        put_digits(out, digit_at(n, power), 0, 4);
}

const char *hr_pg_numeric_text(const char *bytes, size_t length, hr_text *out) {
    static const char wrong[] = "is not a number that the server may send";
    if (length < HEAD) return wrong;
    number n = {.digits = bytes + HEAD,
                .count = (int16_t)hr_pg_get16(bytes),
                .weight = (int16_t)hr_pg_get16(bytes + 2)};
    uint16_t sign = hr_pg_get16(bytes + 4);
    int decimals = hr_pg_get16(bytes + 6);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].sign == sign) return hr_text_puts(out, words[i].word), NULL;
    if (n.count < 0 || length != HEAD + 2 * (size_t)n.count || (sign && sign != NEGATIVE))
        return wrong;
    for (int i = 0; i < n.count; i++)
        if (hr_pg_get16(n.digits + 2 * (size_t)i) > 9999) return wrong;
    if (sign == NEGATIVE) hr_text_add(out, "-", 1);
    put_whole(out, &n);
    if (decimals) hr_text_add(out, ".", 1);
    for (int power = -1, left = decimals; left > 0; power--, left -= 4)
        put_digits(out, digit_at(&n, power), 0, left < 4 ? left : 4);
    return NULL;
}

/* ---- from text ---- */

/* A decimal number without exponent. */
typedef struct {
    const char *whole, *decimals;
    size_t whole_length, decimal_count;
} parts;

static bool split(const char *text, size_t length, parts *out) {
    size_t whole = strspn(text, "0123456789");
    *out = (parts){.whole = text, .decimals = text + whole, .whole_length = whole};
    if (text[whole] == '.') {
        out->decimals++;
        out->decimal_count = strspn(out->decimals, "0123456789");
        if (out->decimal_count == 0) return false;
    }
    size_t end = (size_t)(out->decimals - text) + out->decimal_count;
    return whole > 0 && end == length && whole <= LONGEST && out->decimal_count <= MOST;
}

/* The decimal digit at a place: 0 is the one before the point, -1 the first decimal. */
static unsigned decimal_at(const parts *p, long place) {
    if (place >= 0)
        return place < (long)p->whole_length
                   ? (unsigned)(p->whole[p->whole_length - 1 - (size_t)place] - '0')
                   : 0;
    size_t i = (size_t)(-1 - place);
    return i < p->decimal_count ? (unsigned)(p->decimals[i] - '0') : 0;
}

static unsigned group_at(const parts *p, long power) {
    unsigned digit = 0;
    for (long place = power * 4 + 3; place >= power * 4; place--)
        digit = digit * 10 + decimal_at(p, place);
    return digit;
}

bool hr_pg_numeric_value(const char *text, size_t length, hr_text *out) {
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(words[i].word, text)) {
            hr_pg_put(out, 0, 4);
            hr_pg_put(out, words[i].sign, 2);
            hr_pg_put(out, 0, 2);
            return true;
        }
    bool negative = *text == '-';
    parts p;
    if (!split(text + negative, length - negative, &p)) return false;
    long high = (long)(p.whole_length + 3) / 4 - 1, low = -(long)((p.decimal_count + 3) / 4);
    while (high >= low && group_at(&p, high) == 0)
        high--;
    while (low <= high && group_at(&p, low) == 0)
        low++;
    bool zero = high < low;
    hr_pg_put(out, zero ? 0 : (uint64_t)(high - low + 1), 2);
    hr_pg_put(out, zero ? 0 : (uint64_t)high, 2);
    hr_pg_put(out, negative && !zero ? NEGATIVE : POSITIVE, 2);
    hr_pg_put(out, p.decimal_count, 2);
    for (long power = high; power >= low && !zero; power--)
        hr_pg_put(out, group_at(&p, power), 2);
    return true;
}
