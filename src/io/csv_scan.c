/* csv_scan.c - finds the cells of a row (RFC 4180) in a block of bytes, without copying any.
 *
 * The bytes that matter are the delimiter, the quote, CR and LF. They are found 64 at a time as the
 * bits of a word, and the scanner only ever steps from one of them to the next; what lies between is
 * never looked at. A row that the block does not end is reported as such and scanned again from its
 * start when the caller has more, so that no state of a half-read row exists. A line ends with LF,
 * CR LF or CR. A quote inside an unquoted field is text. */
#include "io/io.h"

#include <assert.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#ifdef __SSE2__
static inline uint64_t special_16(const char *bytes, __m128i delimiter) {
    __m128i block = _mm_loadu_si128((const __m128i *)(const void *)bytes);
    __m128i breaks = _mm_or_si128(_mm_cmpeq_epi8(block, _mm_set1_epi8('\n')),
                                  _mm_cmpeq_epi8(block, _mm_set1_epi8('\r')));
    __m128i marks =
        _mm_or_si128(_mm_cmpeq_epi8(block, _mm_set1_epi8('"')), _mm_cmpeq_epi8(block, delimiter));
    return (uint64_t)(unsigned)_mm_movemask_epi8(_mm_or_si128(breaks, marks));
}

static inline uint64_t special_64(const char *bytes, char delimiter) {
    __m128i d = _mm_set1_epi8(delimiter);
    return special_16(bytes, d) | special_16(bytes + 16, d) << 16 |
           special_16(bytes + 32, d) << 32 | special_16(bytes + 48, d) << 48;
}
#else
static inline uint64_t special_64(const char *bytes, char delimiter) {
    uint64_t mask = 0;
    for (unsigned i = 0; i < 64; i++) {
        char c = bytes[i];
        bool special = (c == delimiter) | (c == '"') | (c == '\n') | (c == '\r');
        mask |= (uint64_t)special << i;
    }
    return mask;
}
#endif

static inline unsigned lowest_bit(uint64_t mask) {
#if defined(__GNUC__)
    return (unsigned)__builtin_ctzll(mask);
#else
    unsigned bit = 0;
    for (; !(mask & 1); mask >>= 1)
        bit++;
    return bit;
#endif
}

/* The special bytes of the 64 at `base` that lie before the block's end. */
static inline uint64_t load_mask(const hr_csv_scanner *s, size_t base) {
    if (base >= s->end) return 0;
    uint64_t mask = special_64(s->bytes + base, s->delimiter);
    size_t left = s->end - base;
    return left < 64 ? mask & ((UINT64_C(1) << left) - 1) : mask;
}

void hr_csv_start(hr_csv_scanner *s, const char *bytes, size_t end, size_t at) {
    assert(at <= end && end <= HR_CSV_DOUBLED);
    s->bytes = bytes;
    s->end = end;
    s->at = at;
    s->base = at / 64 * 64;
    s->mask = load_mask(s, s->base) & ~UINT64_C(0) << at % 64;
}

/* The place of the next special byte, or the block's end. */
static inline size_t next_special(hr_csv_scanner *s) {
    while (s->mask == 0) {
        if (s->end - s->base <= 64) return s->end;
        s->base += 64;
        s->mask = load_mask(s, s->base);
    }
    size_t at = s->base + lowest_bit(s->mask);
    s->mask &= s->mask - 1;
    return at;
}

/* A field that begins with a quote at `start`: *stop is the special byte after its closing quote.
 * *lines grows by the line ends inside. */
static hr_csv_found quoted(hr_csv_scanner *s, size_t start, hr_csv_cell *cell, size_t *stop,
                           uint64_t *lines) {
    uint32_t doubled = 0;
    size_t at = next_special(s); /* the opening quote */
    for (;;) {
        at = next_special(s);
        if (at + 1 >= s->end) return HR_CSV_MORE;
        char c = s->bytes[at], after = s->bytes[at + 1];
        if (c == '"') {
            if (after != '"') break;
            doubled = HR_CSV_DOUBLED;
            next_special(s);
        } else {
            *lines += c == '\n' || (c == '\r' && after != '\n');
        }
    }
    *cell = (hr_csv_cell){(uint32_t)(start + 1), (uint32_t)(at - start - 1) | doubled};
    *stop = next_special(s);
    if (*stop == at + 1) return HR_CSV_ROW;
    s->fault = at + 1;
    return HR_CSV_STRAY;
}

/* A field without quotes around it: *stop is the special byte that ends it. */
static inline hr_csv_found plain(hr_csv_scanner *s, size_t start, hr_csv_cell *cell, size_t *stop) {
    size_t at;
    do
        at = next_special(s);
    while (at < s->end && s->bytes[at] == '"');
    if (at == s->end) return HR_CSV_MORE;
    *cell = (hr_csv_cell){(uint32_t)start, (uint32_t)(at - start)};
    *stop = at;
    return HR_CSV_ROW;
}

/* The row's last field ended at `stop`: pass the whole line end. */
static inline hr_csv_found finish_row(hr_csv_scanner *s, size_t stop, uint64_t lines) {
    if (s->bytes[stop] == '\r') {
        if (stop + 1 == s->end) return HR_CSV_MORE;
        if (s->bytes[stop + 1] == '\n') stop = next_special(s);
    }
    s->at = stop + 1;
    s->line += lines + 1;
    return HR_CSV_ROW;
}

/* The hot loop works on a copy of the scanner, which the compiler can keep in registers. */
hr_csv_found hr_csv_scan(hr_csv_scanner *scanner, hr_csv_cell *cells) {
    hr_csv_scanner s = *scanner;
    size_t fields = 0, start = s.at, stop = start;
    uint64_t lines = 0;
    hr_csv_found found;
    for (;; start = stop + 1) {
        hr_csv_cell cell;
        found = s.bytes[start] == '"' ? quoted(&s, start, &cell, &stop, &lines)
                                      : plain(&s, start, &cell, &stop);
        if (found != HR_CSV_ROW) break;
        if (fields < s.columns) cells[s.place[fields]] = cell;
        if (s.bytes[stop] != s.delimiter) {
            found = finish_row(&s, stop, lines);
            if (found != HR_CSV_ROW) break;
            s.fields = fields + 1;
            *scanner = s;
            return found;
        }
        fields++;
    }
    scanner->fields = fields;
    scanner->fault = found == HR_CSV_STRAY ? s.fault : start;
    return found;
}

size_t hr_csv_unquote(char *text, size_t length) {
    char *end = memchr(text, '"', length);
    if (!end) return length;
    char *to = end;
    for (const char *from = end; from < text + length; from++) {
        *to++ = *from;
        if (*from == '"') from++;
    }
    return (size_t)(to - text);
}
