/* csv_block.c - a file in blocks. A block holds whole rows and the beginning of one more, which
 * moves to the front when the next block is read; a block grows only for a row that is longer than
 * the block. Each byte is checked once to be text (UTF-8 without NUL), which costs almost nothing
 * for ASCII. A file in another encoding is decoded before that. */
#include "io/io.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1 << 20, LEAST_BLOCK = 8 };

hr_status hr_csv_block_init(hr_csv_block *block, size_t size, hr_error *err) {
    block->capacity = size == 0 ? BLOCK : size < LEAST_BLOCK ? LEAST_BLOCK : size;
    block->bad = HR_CSV_NOWHERE;
    block->bytes = hr_alloc_raw(block->capacity + HR_CSV_PAD, 1, err);
    return block->bytes ? HR_OK : HR_ENOMEM;
}

static hr_status read_raw(hr_csv_block *b, char *bytes, size_t room, size_t *got, hr_error *err) {
    if (b->source) {
        HR_TRY(hr_source_read(b->source, bytes, room, got, err));
    } else {
        *got = b->memory_left < room ? b->memory_left : room;
        if (*got) memcpy(bytes, b->memory, *got);
        b->memory += *got;
        b->memory_left -= *got;
    }
    b->total += *got;
    return HR_OK;
}

static hr_status read_some(hr_csv_block *b, char *bytes, size_t room, size_t *got, hr_error *err) {
    hr_decoder *decoder = b->decoder;
    if (!decoder) return read_raw(b, bytes, room, got, err);
    while (!(*got = hr_decode(decoder, bytes, room)) && !decoder->over) {
        size_t raw_room, added = 0;
        char *raw = hr_decoder_room(decoder, &raw_room);
        HR_TRY(read_raw(b, raw, raw_room, &added, err));
        hr_decoder_added(decoder, added);
    }
    return HR_OK;
}

static bool has_high_bytes(const char *bytes, size_t length) {
    uint64_t all[4] = {0}, words[4];
    size_t at = 0;
    for (; at + sizeof words <= length; at += sizeof words) {
        memcpy(words, bytes + at, sizeof words);
        for (int i = 0; i < 4; i++)
            all[i] |= words[i];
    }
    uint64_t any = all[0] | all[1] | all[2] | all[3];
    for (; at < length; at++)
        any |= (unsigned char)bytes[at];
    return any & UINT64_C(0x8080808080808080);
}

/* Checks the new bytes. A character that the end of the block cuts is checked with the next
 * block. */
static void check_text(hr_csv_block *b) {
    const char *start = b->bytes + b->checked;
    size_t length = b->end - b->checked;
    if (b->bad != HR_CSV_NOWHERE || length == 0) return;
    bool cut = false, high = has_high_bytes(start, length);
    size_t valid = high ? hr_utf8_valid(start, length, &cut) : length;
    if (valid < length && (!cut || b->over)) b->bad = b->checked + valid;
    b->wide = b->wide || (high && has_high_bytes(start, valid));
    const char *nul = memchr(start, '\0', valid);
    if (nul) b->bad = (size_t)(nul - b->bytes);
    b->checked += valid;
}

static void carry_over(hr_csv_block *b, size_t from) {
    memmove(b->bytes, b->bytes + from, b->end - from);
    b->end -= from;
    b->checked -= from;
    if (b->bad != HR_CSV_NOWHERE) b->bad -= from;
}

static hr_status enlarge(hr_csv_block *b, hr_error *err) {
    char *larger = hr_alloc_raw(b->capacity * 2 + HR_CSV_PAD, 1, err);
    if (!larger) return HR_ENOMEM;
    memcpy(larger, b->bytes, b->end);
    free(b->bytes);
    b->bytes = larger;
    b->capacity *= 2;
    return HR_OK;
}

/* Bytes kept free: for the line end that the last line may lack, and for a decoded character. */
static size_t slack(const hr_csv_block *b) {
    return b->decoder ? 5 : 1;
}

static hr_status read_block(hr_csv_block *b, hr_error *err) {
    if (b->end + slack(b) >= b->capacity) HR_TRY(enlarge(b, err));
    while (!b->over && b->end + slack(b) < b->capacity) {
        size_t got = 0;
        HR_TRY(read_some(b, b->bytes + b->end, b->capacity - 1 - b->end, &got, err));
        b->end += got;
        b->over = got == 0;
    }
    check_text(b);
    return HR_OK;
}

/* Decodes the file from position `from` of the block on. */
static hr_status decode(hr_csv_block *b, size_t from, hr_encoding encoding, hr_error *err) {
    HR_TRY(hr_decoder_new(encoding, b->bytes + from, b->end - from, &b->decoder, err));
    b->end = b->checked = from;
    b->bad = HR_CSV_NOWHERE;
    b->over = false;
    return read_block(b, err);
}

static bool is_decoded(hr_encoding encoding) {
    return encoding != HR_ENCODING_AUTO && encoding != HR_ENCODING_UTF8;
}

/* After the first bytes were read: finds the encoding and skips the byte order mark. */
static hr_status start(hr_csv_block *b, hr_error *err) {
    size_t mark;
    hr_encoding marked = hr_encoding_mark(b->bytes, b->end, &mark);
    if (marked != HR_ENCODING_AUTO) b->encoding = marked;
    b->started = true;
    b->foreign = hr_foreign_find(b->bytes, b->end);
    if (b->foreign) return HR_OK;
    /* A NUL byte tells UTF-16 from UTF-8, and the first lines have many. */
    bool sure = marked != HR_ENCODING_AUTO ||
                (b->utf8_first && hr_encoding_guess(b->bytes, b->end) == b->encoding);
    if (sure) b->utf8_first = false;
    if (is_decoded(b->encoding) && !b->utf8_first) HR_TRY(decode(b, mark, b->encoding, err));
    carry_over(b, mark);
    return HR_OK;
}

/* Is the first character beyond ASCII in another encoding? */
static bool is_other(const hr_csv_block *b) {
    bool decodes = b->encoding == HR_ENCODING_LATIN1 || b->encoding == HR_ENCODING_WINDOWS1252;
    return b->bad != HR_CSV_NOWHERE && b->utf8_first && decodes && !b->wide && !b->decoder &&
           b->bytes[b->bad];
}

hr_status hr_csv_block_fill(hr_csv_block *b, size_t from, hr_error *err) {
    carry_over(b, from);
    HR_TRY(read_block(b, err));
    if (!b->started) HR_TRY(start(b, err));
    if (is_other(b)) HR_TRY(decode(b, b->bad, b->encoding, err));
    if (b->over && b->end > 0 && b->bytes[b->end - 1] != '\n') b->bytes[b->end++] = '\n';
    memset(b->bytes + b->end, 0, HR_CSV_PAD);
    return HR_OK;
}

void hr_csv_block_free(hr_csv_block *b) {
    hr_decoder_free(b->decoder);
    b->decoder = NULL;
    free(b->bytes);
    b->bytes = NULL;
}
