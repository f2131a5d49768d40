/* chart_text.c - texts in pages and charts: escaped, measured and cut to the room they have. */
#include "report/chart.h"

#include <string.h>

/* Does a character begin at `c`, a byte above 0x7f, that controls the direction of text: U+202A to
 * U+202E, or U+2066 to U+2069? It would reorder the text around it. */
static bool turns_text(const char *c) {
    const unsigned char *byte = (const unsigned char *)c;
    if (byte[0] != 0xe2) return false;
    return (byte[1] == 0x80 && byte[2] >= 0xaa && byte[2] <= 0xae) ||
           (byte[1] == 0x81 && byte[2] >= 0xa6 && byte[2] <= 0xa9);
}

/* Appends one valid piece of UTF-8. Control characters, C1 (C2 80 to C2 9F) and those of the
 * direction of text among them, become '?'. */
static void add_piece(hr_text *out, const char *piece, size_t length) {
    for (const char *c = piece; c < piece + length; c++) {
        unsigned char byte = (unsigned char)*c;
        bool c1 = byte == 0xc2 && (unsigned char)c[1] < 0xa0, turns = turns_text(c);
        if (*c == '&')
            hr_text_puts(out, "&amp;");
        else if (*c == '<')
            hr_text_puts(out, "&lt;");
        else if (*c == '>')
            hr_text_puts(out, "&gt;");
        else if (*c == '"')
            hr_text_puts(out, "&quot;");
        else if (c1 || turns || byte < 0x20 || byte == 0x7f)
            hr_text_puts(out, "?");
        else
            hr_text_add(out, c, 1);
        c += turns ? 2 : c1;
    }
}

void hr_html_text(hr_text *out, const char *text) {
    size_t length = strlen(text), at = 0;
    bool cut;
    while (at < length) {
        size_t valid = hr_utf8_valid(text + at, length - at, &cut);
        add_piece(out, text + at, valid);
        at += valid;
        if (at++ < length) hr_text_puts(out, "?");
    }
}

/* Width in a wide sans-serif font of 11 pixels of the character that begins at `c`; 0 for the
 * following bytes of a character of several bytes. Characters of four bytes and of East Asian
 * scripts are square. */
static double character_width(const char *c) {
    unsigned char byte = (unsigned char)*c;
    if (byte >= 0x80 && byte < 0xc0) return 0;
    if (byte >= 0xe3) return 12;
    if (byte >= 0x80) return 8.5;
    if (strchr("ijl.,;:|!'()[]I ", byte)) return 4.3;
    if (strchr("mwMW@%", byte)) return 11;
    if (strchr("<>=+#~^&", byte)) return 9.3;
    if (strchr("DGHNOQU", byte)) return 8.7;
    return byte >= 'A' && byte <= 'Z' ? 8.2 : 7.1;
}

double hr_label_width(const char *text) {
    double width = 0;
    for (const char *c = text; *c; c++)
        width += character_width(c);
    return width;
}

/* Bytes at the beginning of `text` that fit into `room`: whole characters. */
static size_t fitting_head(const char *text, double room) {
    size_t bytes = 0;
    for (double used = 0; text[bytes]; bytes++) {
        used += character_width(text + bytes);
        if (used > room) break;
    }
    return bytes;
}

/* Where the end of `text` that fits into `room` begins. */
static size_t fitting_tail(const char *text, double room) {
    size_t begin = strlen(text), at = begin;
    for (double used = 0; at > 0 && used <= room;) {
        used += character_width(text + --at);
        if (used <= room && ((unsigned char)text[at] & 0xc0) != 0x80) begin = at;
    }
    return begin;
}

void hr_label(hr_text *out, const char *text, double width) {
    enum { ELLIPSIS = 9, BOTH_ENDS = 80 };
    if (hr_label_width(text) <= width) {
        hr_html_text(out, text);
        return;
    }
    double room = width - ELLIPSIS, tail = width < BOTH_ENDS ? 0 : room / 3;
    hr_text head = {0};
    hr_text_add(&head, text, fitting_head(text, room - tail));
    if (head.data && !head.failed) hr_html_text(out, head.data);
    hr_text_puts(out, "…");
    if (tail > 0) hr_html_text(out, text + fitting_tail(text, tail));
    out->failed |= head.failed;
    hr_text_free(&head);
}

void hr_chart_open(const char *name, const char *about, double height, hr_text *out) {
    hr_text_printf(out, "<svg class=\"chart\" viewBox=\"0 0 %d %.0f\" role=\"img\" aria-label=\"",
                   HR_CHART_WIDTH, height);
    hr_html_text(out, name);
    hr_text_puts(out, "\">");
    if (about) {
        hr_text_puts(out, "<desc>");
        hr_html_text(out, about);
        hr_text_puts(out, "</desc>");
    }
    hr_text_puts(out, "\n");
}

void hr_chart_close(hr_text *out) {
    hr_text_puts(out, "</svg>\n");
}

void hr_chart_tip(const char *element, const char *tip, hr_text *out) {
    if (!tip) {
        hr_text_puts(out, "/>\n");
        return;
    }
    hr_text_puts(out, "><title>");
    hr_html_text(out, tip);
    hr_text_printf(out, "</title></%s>\n", element);
}
