/* dictionary.c - texts to codes and back. Open addressing; a slot holds the whole hash and the
 * length, so that a miss hardly ever touches the bytes. */
#include "data/data.h"

#include <stdlib.h>
#include <string.h>

static size_t find_slot(const hr_dictionary *d, const char *text, size_t length, uint64_t hash) {
    size_t slot = (size_t)hash & (d->slot_count - 1);
    for (;; slot = (slot + 1) & (d->slot_count - 1)) {
        const hr_dictionary_slot *s = &d->slots[slot];
        if (s->code == 0) return slot;
        if (s->hash == hash && s->length == length &&
            !memcmp(d->bytes + d->offset[s->code - 1], text, length))
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

static hr_status add(hr_dictionary *d, const char *text, size_t length, uint64_t hash, size_t slot,
                     hr_error *err) {
    if (d->count >= HR_NONE - 1 || length > UINT32_MAX)
        return hr_fail(err, HR_EDATA, "a column has more than 4 billion different values");
    HR_TRY(hr_grow(&d->bytes, &d->bytes_capacity, d->bytes_used + length + 1, 1, err));
    HR_TRY(hr_grow(&d->offset, &d->offset_capacity, (size_t)d->count + 1, sizeof *d->offset, err));
    if (length) memcpy(d->bytes + d->bytes_used, text, length);
    d->bytes[d->bytes_used + length] = '\0';
    d->offset[d->count] = d->bytes_used;
    d->bytes_used += length + 1;
    d->slots[slot] =
        (hr_dictionary_slot){.hash = hash, .code = ++d->count, .length = (uint32_t)length};
    return HR_OK;
}

hr_status hr_dictionary_intern(hr_dictionary *d, const char *text, size_t length, uint32_t *out,
                               hr_error *err) {
    if ((size_t)d->count * 2 >= d->slot_count) HR_TRY(grow_slots(d, err));
    uint64_t hash = hr_hash(text, length);
    size_t slot = find_slot(d, text, length, hash);
    if (d->slots[slot].code == 0) HR_TRY(add(d, text, length, hash, slot, err));
    *out = d->slots[slot].code - 1;
    return HR_OK;
}

uint32_t hr_dictionary_find(const hr_dictionary *d, const char *text, size_t length) {
    if (d->slot_count == 0) return HR_NONE;
    size_t slot = find_slot(d, text, length, hr_hash(text, length));
    return d->slots[slot].code ? d->slots[slot].code - 1 : HR_NONE;
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
} named_code;

static int by_text(const void *a, const void *b) {
    return strcmp(((const named_code *)a)->text, ((const named_code *)b)->text);
}

hr_status hr_dictionary_rank(const hr_dictionary *d, uint32_t *rank, hr_error *err) {
    named_code *sorted = hr_alloc_raw(d->count, sizeof *sorted, err);
    if (!sorted) return HR_ENOMEM;
    for (uint32_t i = 0; i < d->count; i++)
        sorted[i] = (named_code){hr_dictionary_text(d, i), i};
    qsort(sorted, d->count, sizeof *sorted, by_text);
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
