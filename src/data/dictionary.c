/* dictionary.c - texts to codes and back, with open addressing. A slot holds the whole hash and the
 * length, so a text that is not in the slot is almost always rejected without reading its bytes.
 * For texts of up to eight bytes equal length and hash imply equal texts, so a match reads no bytes
 * either: a field of a column with very many short values costs one memory access instead of
 * three. */
#include "data/data.h"

#include <stdlib.h>
#include <string.h>

enum { SHORT = 8 }; /* up to this length, equal hashes are equal texts */

/* The bytes of a short text as a number; different texts of one length have different numbers. */
static inline uint64_t short_word(const char *text, size_t length) {
    if (length >= 4) {
        uint32_t first, last;
        memcpy(&first, text, sizeof first);
        memcpy(&last, text + length - sizeof last, sizeof last);
        return (uint64_t)first << 32 | last;
    }
    if (length == 0) return 0;
    const unsigned char *c = (const unsigned char *)text;
    return (uint64_t)c[0] << 16 | (uint64_t)c[length / 2] << 8 | c[length - 1];
}

/* hr_mix maps different words to different hashes, so short texts of one length never collide. */
static inline uint64_t hash_text(const char *text, size_t length) {
    if (length > SHORT) return hr_hash(text, length);
    return hr_mix(short_word(text, length) + length);
}

static size_t find_slot(const hr_dictionary *d, const char *text, size_t length, uint64_t hash) {
    size_t slot = (size_t)hash & (d->slot_count - 1);
    for (;; slot = (slot + 1) & (d->slot_count - 1)) {
        const hr_dictionary_slot *s = &d->slots[slot];
        if (s->code == 0) return slot;
        if (s->hash == hash && s->length == length &&
            (length <= SHORT || !memcmp(d->bytes + d->offset[s->code - 1], text, length)))
            return slot;
    }
}

static hr_status grow_slots(hr_dictionary *d, hr_error *err) {
    size_t count = d->slot_count ? d->slot_count * 2 : 64;
    hr_dictionary_slot *slots = hr_alloc(count, sizeof *slots, err);
    if (!slots) return HR_ENOMEM;
    for (size_t i = 0; i < d->slot_count; i++) {
        if (d->slots[i].code == 0) continue;
        size_t slot = (size_t)d->slots[i].hash & (count - 1);
        while (slots[slot].code)
            slot = (slot + 1) & (count - 1);
        slots[slot] = d->slots[i];
    }
    free(d->slots);
    d->slots = slots;
    d->slot_count = count;
    return HR_OK;
}

static hr_status append_text(hr_dictionary *d, const char *text, size_t length, hr_error *err) {
    if (length > UINT32_MAX) return hr_fail(err, HR_EDATA, "a value is longer than 4 GB");
    if (d->count >= INT32_MAX)
        return hr_fail(err, HR_EDATA, "a column has more than 2 billion different values");
    HR_TRY(hr_grow(&d->bytes, &d->bytes_capacity, d->bytes_used + length + 1, 1, err));
    HR_TRY(hr_grow(&d->offset, &d->offset_capacity, (size_t)d->count + 1, sizeof *d->offset, err));
    if (length) memcpy(d->bytes + d->bytes_used, text, length);
    d->bytes[d->bytes_used + length] = '\0';
    d->offset[d->count++] = d->bytes_used;
    d->bytes_used += length + 1;
    return HR_OK;
}

static hr_status add(hr_dictionary *d, const char *text, size_t length, uint64_t hash, size_t slot,
                     hr_error *err) {
    HR_TRY(append_text(d, text, length, err));
    d->slots[slot] =
        (hr_dictionary_slot){.hash = hash, .code = d->count, .length = (uint32_t)length};
    return HR_OK;
}

hr_status hr_dictionary_null(hr_dictionary *d, uint32_t *out, hr_error *err) {
    if (!d->null) {
        HR_TRY(append_text(d, "", 0, err));
        d->null = d->count;
    }
    *out = d->null - 1;
    return HR_OK;
}

/* Makes room for `more` texts with at least a third of the slots free. */
static hr_status reserve(hr_dictionary *d, size_t more, hr_error *err) {
    while ((d->count + more) * 3 > d->slot_count * 2)
        HR_TRY(grow_slots(d, err));
    return HR_OK;
}

static inline hr_status intern(hr_dictionary *d, const char *text, size_t length, uint64_t hash,
                               uint32_t *out, hr_error *err) {
    size_t slot = find_slot(d, text, length, hash);
    if (d->slots[slot].code == 0) HR_TRY(add(d, text, length, hash, slot, err));
    *out = d->slots[slot].code - 1;
    return HR_OK;
}

hr_status hr_dictionary_intern(hr_dictionary *d, const char *text, size_t length, uint32_t *out,
                               hr_error *err) {
    HR_TRY(reserve(d, 1, err));
    return intern(d, text, length, hash_text(text, length), out, err);
}

hr_status hr_dictionary_intern_all(hr_dictionary *d, hr_dictionary_item *items, size_t count,
                                   hr_error *err) {
    HR_TRY(reserve(d, count, err));
    for (size_t i = 0; i < count; i++) {
        items[i].hash = hash_text(items[i].text, items[i].length);
        HR_PREFETCH(&d->slots[(size_t)items[i].hash & (d->slot_count - 1)]);
    }
    for (size_t i = 0; i < count; i++)
        HR_TRY(intern(d, items[i].text, items[i].length, items[i].hash, &items[i].code, err));
    return HR_OK;
}

hr_status hr_dictionary_copy(hr_dictionary *to, const hr_dictionary *from, uint32_t code,
                             uint32_t *out, hr_error *err) {
    if (hr_dictionary_is_null(from, code)) return hr_dictionary_null(to, out, err);
    return hr_dictionary_intern(to, hr_dictionary_text(from, code),
                                hr_dictionary_length(from, code), out, err);
}

uint32_t hr_dictionary_find(const hr_dictionary *d, const char *text, size_t length) {
    if (d->slot_count == 0) return HR_NONE;
    size_t slot = find_slot(d, text, length, hash_text(text, length));
    return d->slots[slot].code ? d->slots[slot].code - 1 : HR_NONE;
}

uint32_t hr_dictionary_match(const hr_dictionary *known, const hr_dictionary *from, uint32_t code) {
    size_t length = hr_dictionary_length(from, code);
    uint32_t text = hr_dictionary_find(known, hr_dictionary_text(from, code), length);
    uint32_t null = known->null ? known->null - 1 : HR_NONE;
    if (length > 0) return text;
    if (hr_dictionary_is_null(from, code)) return null != HR_NONE ? null : text;
    return text != HR_NONE ? text : null;
}

const char *hr_dictionary_text(const hr_dictionary *d, uint32_t code) {
    return d->bytes + d->offset[code];
}

size_t hr_dictionary_length(const hr_dictionary *d, uint32_t code) {
    size_t end = code + 1 < d->count ? d->offset[code + 1] : d->bytes_used;
    return end - d->offset[code] - 1;
}

typedef struct {
    const char *text;
    uint32_t code;
    bool is_null;
} named_code;

/* All texts differ, but for those of null and the empty text. */
static int by_text(const void *a, const void *b) {
    const named_code *x = a, *y = b;
    int order = strcmp(x->text, y->text);
    return order ? order : y->is_null - x->is_null;
}

static hr_status sort_codes(const hr_dictionary *d, named_code **sorted, hr_error *err) {
    *sorted = hr_alloc_raw(d->count, sizeof **sorted, err);
    if (!*sorted) return HR_ENOMEM;
    for (uint32_t i = 0; i < d->count; i++)
        (*sorted)[i] = (named_code){hr_dictionary_text(d, i), i, hr_dictionary_is_null(d, i)};
    qsort(*sorted, d->count, sizeof **sorted, by_text);
    return HR_OK;
}

hr_status hr_dictionary_sort(const hr_dictionary *d, uint32_t *codes, hr_error *err) {
    named_code *sorted;
    HR_TRY(sort_codes(d, &sorted, err));
    for (uint32_t i = 0; i < d->count; i++)
        codes[i] = sorted[i].code;
    free(sorted);
    return HR_OK;
}

hr_status hr_dictionary_rank(const hr_dictionary *d, uint32_t *rank, hr_error *err) {
    named_code *sorted;
    HR_TRY(sort_codes(d, &sorted, err));
    for (uint32_t i = 0; i < d->count; i++)
        rank[sorted[i].code] = i;
    free(sorted);
    return HR_OK;
}

static const char *text_at(size_t i, const void *dictionary) {
    return hr_dictionary_text(dictionary, (uint32_t)i);
}

const char *hr_dictionary_nearest(const hr_dictionary *d, const char *text) {
    return hr_text_nearest(text, d->count, text_at, d);
}

void hr_dictionary_free(hr_dictionary *d) {
    free(d->bytes);
    free(d->offset);
    free(d->slots);
    *d = (hr_dictionary){0};
}
