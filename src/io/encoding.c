/* encoding.c - text that is not UTF-8, decoded into UTF-8 while it is read: Latin-1, Windows-1252
 * and UTF-16. A file is decoded in pieces before anything else sees its bytes, so that the scanner
 * and all dictionaries contain UTF-8 only. A UTF-8 file never passes through here.
 *
 * iconv is not used: these encodings need one table of 32 entries and the arithmetic of surrogate
 * pairs, iconv's names and errors differ between systems, and messages must name the row and the
 * byte. Other encodings are converted with the iconv command first. */
#include "io/io.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { RAW = 1 << 16, LONGEST = 4, HIGH = 0xd800, LOW = 0xdc00, PAIRS_END = 0xe000 };

/* ---- names ---- */

/* Names without case, blanks and punctuation. The first one of an encoding is its display name in
 * that form. */
static const struct {
    const char *name;
    hr_encoding encoding;
} names[] = {
    {"utf8", HR_ENCODING_UTF8},
    {"utf8sig", HR_ENCODING_UTF8},
    {"utf8bom", HR_ENCODING_UTF8},
    {"ascii", HR_ENCODING_UTF8},
    {"usascii", HR_ENCODING_UTF8},
    {"latin1", HR_ENCODING_LATIN1},
    {"l1", HR_ENCODING_LATIN1},
    {"iso88591", HR_ENCODING_LATIN1},
    {"88591", HR_ENCODING_LATIN1},
    {"cp819", HR_ENCODING_LATIN1},
    {"windows1252", HR_ENCODING_WINDOWS1252},
    {"win1252", HR_ENCODING_WINDOWS1252},
    {"cp1252", HR_ENCODING_WINDOWS1252},
    {"1252", HR_ENCODING_WINDOWS1252},
    {"ansi", HR_ENCODING_WINDOWS1252},
    /* Without a byte order mark, files that are called UTF-16 come from Windows. */
    {"utf16", HR_ENCODING_UTF16LE},
    {"utf16le", HR_ENCODING_UTF16LE},
    {"ucs2", HR_ENCODING_UTF16LE},
    {"ucs2le", HR_ENCODING_UTF16LE},
    {"unicode", HR_ENCODING_UTF16LE},
    {"utf16be", HR_ENCODING_UTF16BE},
    {"ucs2be", HR_ENCODING_UTF16BE},
};

hr_status hr_encoding_find(const char *text, hr_encoding *out, hr_error *err) {
    char plain[32];
    size_t length = 0;
    for (const char *c = text; *c && length + 1 < sizeof plain; c++)
        if (isalnum((unsigned char)*c)) plain[length++] = (char)tolower((unsigned char)*c);
    plain[length] = '\0';
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i].name, plain)) continue;
        *out = names[i].encoding;
        return HR_OK;
    }
    return hr_fail(err, HR_EINVAL,
                   "encoding: '%.60s' is not one of utf-8, latin-1, windows-1252, utf-16le and "
                   "utf-16be: convert the file first, for example with iconv -f %.60s -t UTF-8",
                   text, text);
}

const char *hr_encoding_name(hr_encoding encoding) {
    static const char *const text[] = {
        [HR_ENCODING_AUTO] = "utf-8",       [HR_ENCODING_UTF8] = "utf-8",
        [HR_ENCODING_LATIN1] = "latin-1",   [HR_ENCODING_WINDOWS1252] = "windows-1252",
        [HR_ENCODING_UTF16LE] = "utf-16le", [HR_ENCODING_UTF16BE] = "utf-16be"};
    return text[encoding];
}

/* ---- guessing ---- */

hr_encoding hr_encoding_mark(const char *bytes, size_t length, size_t *mark) {
    static const struct {
        const char *bytes;
        size_t length;
        hr_encoding encoding;
    } marks[] = {{"\xef\xbb\xbf", 3, HR_ENCODING_UTF8},
                 {"\xff\xfe", 2, HR_ENCODING_UTF16LE},
                 {"\xfe\xff", 2, HR_ENCODING_UTF16BE}};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        *mark = marks[i].length;
        if (length >= *mark && !memcmp(bytes, marks[i].bytes, *mark)) return marks[i].encoding;
    }
    *mark = 0;
    return HR_ENCODING_AUTO;
}

/* Text in UTF-16 is mostly ASCII here: delimiters, digits, line ends. Its NUL bytes show the byte
 * order. */
static hr_encoding utf16_order(const char *bytes, size_t length) {
    size_t nul[2] = {0}, most = length < 4096 ? length : 4096;
    for (size_t i = 0; i < most; i++)
        nul[i & 1] += bytes[i] == '\0';
    if (nul[1] > nul[0] && nul[1] * 4 > most) return HR_ENCODING_UTF16LE;
    if (nul[0] > nul[1] && nul[0] * 4 > most) return HR_ENCODING_UTF16BE;
    return HR_ENCODING_AUTO;
}

static bool undefined_in_1252(unsigned char c) {
    return c == 0x81 || c == 0x8d || c == 0x8f || c == 0x90 || c == 0x9d;
}

/* What has been seen of a file, in the order of its bytes. */
typedef struct {
    uint64_t wide;  /* characters of UTF-8 that have several bytes */
    uint64_t stray; /* bytes that belong to no character of UTF-8 */
    bool unknown;   /* such a byte has no meaning in Windows-1252 either */
} evidence;

static uint64_t count_wide(const char *bytes, size_t length) {
    uint64_t count = 0;
    for (size_t i = 0; i < length; i++)
        count += (unsigned char)bytes[i] >= 0xc0;
    return count;
}

static void collect(evidence *e, const char *bytes, size_t length, bool last, size_t *used) {
    for (*used = 0; *used < length;) {
        bool cut = false;
        size_t valid = hr_utf8_valid(bytes + *used, length - *used, &cut);
        e->wide += count_wide(bytes + *used, valid);
        *used += valid;
        if (*used == length || (cut && !last)) return;
        e->stray++;
        e->unknown |= undefined_in_1252((unsigned char)bytes[(*used)++]);
    }
}

/* Texts in Windows-1252 hardly ever have characters of UTF-8 (\xc3\xbc would be an A with a tilde
 * and a fraction): then a few characters of a file in UTF-8 are damaged. */
static hr_encoding conclude(const evidence *e) {
    if (e->stray == 0 || e->wide > e->stray) return HR_ENCODING_UTF8;
    return e->unknown ? HR_ENCODING_AUTO : HR_ENCODING_WINDOWS1252;
}

hr_encoding hr_encoding_guess(const char *bytes, size_t length) {
    size_t used;
    evidence e = {0};
    hr_encoding found = hr_encoding_mark(bytes, length, &used);
    if (found == HR_ENCODING_AUTO) found = utf16_order(bytes, length);
    if (found != HR_ENCODING_AUTO) return found;
    collect(&e, bytes, length, false, &used);
    return conclude(&e);
}

static hr_status guess_source(hr_source *source, char *bytes, hr_encoding *out, hr_error *err) {
    evidence e = {0};
    size_t end = 0, got = 1;
    for (bool first = true; got > 0; first = false) {
        HR_TRY(hr_source_read(source, bytes + end, RAW - end, &got, err));
        end += got;
        if (first && hr_encoding_mark(bytes, end, &(size_t){0}) != HR_ENCODING_AUTO) {
            *out = HR_ENCODING_AUTO; /* readers follow the byte order mark */
            return HR_OK;
        }
        if (first) {
            *out = hr_encoding_guess(bytes, end);
            if (end >= 16 &&
                !memcmp(bytes, "SQLite format 3", 16)) { /* the reader says what it is */
                *out = HR_ENCODING_UTF8;
                return HR_OK;
            }
            if (*out == HR_ENCODING_UTF16LE || *out == HR_ENCODING_UTF16BE) return HR_OK;
        }
        size_t used;
        collect(&e, bytes, end, got == 0, &used);
        memmove(bytes, bytes + used, end - used);
        end -= used;
    }
    *out = conclude(&e);
    return HR_OK;
}

hr_status hr_encoding_guess_file(const char *path, const hr_watch *watch, hr_encoding *out,
                                 hr_error *err) {
    hr_source *source = NULL;
    *out = HR_ENCODING_AUTO;
    HR_TRY(hr_source_open(path, watch, &source, err));
    char *bytes = hr_alloc_raw(RAW, 1, err);
    hr_status status = bytes ? guess_source(source, bytes, out, err) : HR_ENOMEM;
    free(bytes);
    hr_source_close(source);
    return status;
}

/* ---- decoding ---- */

static size_t put_character(char *out, uint32_t c) {
    unsigned char *to = (unsigned char *)out;
    if (c < 0x80) {
        to[0] = (unsigned char)c;
        return 1;
    }
    size_t length = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = length - 1; i > 0; i--, c >>= 6)
        to[i] = (unsigned char)(0x80 | (c & 0x3f));
    to[0] = (unsigned char)((0xf00 >> length & 0xff) | c);
    return length;
}

/* Bytes 80 to 9F of Windows-1252; 0: none. */
static const uint16_t windows[32] = {
    0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017d, 0,      0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
    0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178};

/* Stores a byte that is never part of UTF-8, so that the reader reports this place like any other
 * invalid byte. Nothing is decoded after it. */
static size_t stop_at_fault(hr_decoder *d, char *out) {
    d->at = d->end;
    d->over = true;
    *out = '\xff';
    return 1;
}

static size_t decode_byte(hr_decoder *d, char *out) {
    unsigned char c = (unsigned char)d->raw[d->at];
    bool one = d->encoding == HR_ENCODING_LATIN1;
    uint32_t character = c;
    if (c >= 0x80 && c < 0xa0) character = one ? 0 : windows[c - 0x80];
    if (c && !character) {
        snprintf(d->fault, sizeof d->fault,
                 one ? "byte 0x%02X is a control character in Latin-1; if the file is "
                       "Windows-1252, say `encoding: windows-1252`"
                     : "byte 0x%02X has no meaning in Windows-1252: the file has another encoding, "
                       "or is damaged",
                 c);
        return stop_at_fault(d, out);
    }
    d->at++;
    return put_character(out, character);
}

static uint32_t unit_at(const hr_decoder *d, size_t at) {
    const unsigned char *c = (const unsigned char *)d->raw + at;
    return d->encoding == HR_ENCODING_UTF16LE ? c[0] | (uint32_t)c[1] << 8
                                              : c[1] | (uint32_t)c[0] << 8;
}

/* Decodes one unit or a surrogate pair; returns 0 if not all of its bytes have been read yet. */
static size_t decode_units(hr_decoder *d, char *out) {
    size_t left = d->end - d->at;
    uint32_t unit = left >= 2 ? unit_at(d, d->at) : 0;
    bool high = unit >= HIGH && unit < LOW, whole = left >= (high ? 4 : 2);
    if (!whole && !d->over) return 0;
    uint32_t low = high && whole ? unit_at(d, d->at + 2) : 0;
    if (left < 2) {
        snprintf(d->fault, sizeof d->fault,
                 "the file ends inside a character: it is incomplete, or not UTF-16");
    } else if (high ? low < LOW || low >= PAIRS_END : unit >= LOW && unit < PAIRS_END) {
        snprintf(d->fault, sizeof d->fault,
                 "0x%04X is half a surrogate pair: the file is damaged, or not %s", unit,
                 d->encoding == HR_ENCODING_UTF16LE ? "UTF-16LE" : "UTF-16BE");
    } else {
        d->at += high ? 4 : 2;
        if (high) unit = 0x10000 + ((unit - HIGH) << 10) + (low - LOW);
        return put_character(out, unit);
    }
    return stop_at_fault(d, out);
}

hr_status hr_decoder_new(hr_encoding encoding, const char *first, size_t length, hr_decoder **out,
                         hr_error *err) {
    hr_decoder *d = hr_alloc(1, sizeof *d, err);
    if (!d) return HR_ENOMEM;
    d->encoding = encoding;
    d->capacity = length < RAW ? RAW : length;
    d->raw = hr_alloc_raw(d->capacity, 1, err);
    if (!d->raw) {
        free(d);
        return HR_ENOMEM;
    }
    memcpy(d->raw, first, length);
    d->end = length;
    *out = d;
    return HR_OK;
}

size_t hr_decode(hr_decoder *d, char *out, size_t room) {
    bool wide = d->encoding == HR_ENCODING_UTF16LE || d->encoding == HR_ENCODING_UTF16BE;
    size_t used = 0;
    while (d->at < d->end && used + LONGEST <= room) {
        size_t step = wide ? decode_units(d, out + used) : decode_byte(d, out + used);
        if (step == 0) break;
        used += step;
    }
    return used;
}

char *hr_decoder_room(hr_decoder *d, size_t *room) {
    memmove(d->raw, d->raw + d->at, d->end - d->at);
    d->end -= d->at;
    d->at = 0;
    *room = d->capacity - d->end;
    return d->raw + d->end;
}

void hr_decoder_added(hr_decoder *d, size_t bytes) {
    d->end += bytes;
    if (bytes == 0) d->over = true;
}

void hr_decoder_free(hr_decoder *d) {
    if (!d) return;
    free(d->raw);
    free(d);
}
