/* utf8.c - checks that texts are UTF-8 and makes them printable, by the table of well-formed byte
 * sequences in the Unicode standard (3-7): no overlong forms, no surrogates, nothing above
 * U+10FFFF. ASCII is skipped a word at a time, so that it costs almost nothing. */
#include "base/base.h"

#include <string.h>

#define HIGH_BITS UINT64_C(0x8080808080808080)

static size_t skip_ascii(const unsigned char *c, size_t at, size_t length) {
    for (uint64_t word; at + sizeof word <= length; at += sizeof word) {
        memcpy(&word, c + at, sizeof word);
        if (word & HIGH_BITS) break;
    }
    while (at < length && c[at] < 0x80)
        at++;
    return at;
}

/* Length of the character that begins with `lead`, 0 if no character does. Stores the range of the
 * second byte, the only one whose range may differ from 80..BF. */
static size_t character_length(unsigned char lead, unsigned char *low, unsigned char *high) {
    *low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    *high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    if (lead >= 0xc2 && lead <= 0xdf) return 2;
    if (lead >= 0xe0 && lead <= 0xef) return 3;
    return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

/* Length of the character at c, 0 if it is not valid; *cut is set if only its end is missing. */
static size_t character(const unsigned char *c, size_t left, bool *cut) {
    unsigned char low, high;
    size_t length = character_length(c[0], &low, &high);
    for (size_t i = 1; i < length; i++) {
        if (i == left) {
            *cut = true;
            return 0;
        }
        if (c[i] < low || c[i] > high) return 0;
        low = 0x80;
        high = 0xbf;
    }
    return length;
}

size_t hr_utf8_valid(const char *bytes, size_t length, bool *cut) {
    const unsigned char *c = (const unsigned char *)bytes;
    *cut = false;
    for (size_t at = skip_ascii(c, 0, length);; at = skip_ascii(c, at, length)) {
        if (at == length) return length;
        size_t step = character(c + at, length - at, cut);
        if (step == 0) return at;
        at += step;
    }
}

void hr_utf8_clean(hr_text *out, const char *text) {
    size_t length = strlen(text), valid = 0;
    bool cut;
    while (valid < length) {
        size_t more = hr_utf8_valid(text + valid, length - valid, &cut);
        hr_text_add(out, text + valid, more);
        valid += more;
        if (valid++ < length) hr_text_puts(out, "?");
    }
    hr_text_puts(out, "");
}

void hr_make_plain(char *text) {
    char *to = text;
    for (const char *c = text; *c; c++) {
        /* C1 controls are U+0080 to U+009F: C2 80 to C2 9F. */
        bool c1 = (unsigned char)c[0] == 0xc2 && (unsigned char)c[1] >= 0x80 &&
                  (unsigned char)c[1] < 0xa0;
        if (c1) c++;
        bool control = c1 || (unsigned char)*c < 0x20 || *c == 0x7f;
        *to++ = control ? '?' : *c;
    }
    *to = '\0';
}

void hr_plain_text(hr_text *out, const char *text) {
    size_t before = out->length;
    hr_text_puts(out, text);
    if (out->failed) return;
    hr_make_plain(out->data + before);
    out->length = before + strlen(out->data + before);
}
