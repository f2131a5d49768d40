/* sort.c - stable counting sorts of item numbers by a key that each item has. */
#include "base/base.h"

#include <string.h>

enum { INSERTION = 24 }; /* items up to which insertion is faster than counting */

void hr_group_by_key(const uint32_t *key, uint32_t count, uint32_t key_count, uint32_t *start,
                     uint32_t *member) {
    /* end[g] is the same element as start[g + 1]. It begins as the start of group g and advances
     * with each member stored, so in the end it is the start of group g + 1. */
    uint32_t *end = start + 1;
    memset(start, 0, ((size_t)key_count + 2) * sizeof *start);
    for (uint32_t i = 0; i < count; i++)
        if (key[i] != HR_NONE) end[(size_t)key[i] + 1]++;
    for (uint32_t g = 0; g < key_count; g++)
        end[g + 1] += end[g];
    for (uint32_t i = 0; i < count; i++)
        if (key[i] != HR_NONE) member[end[key[i]]++] = i;
}

static void insertion_sort(const uint32_t *key, uint32_t *items, uint32_t count) {
    for (uint32_t i = 1; i < count; i++) {
        uint32_t item = items[i], place = i;
        for (; place > 0 && key[items[place - 1]] > key[item]; place--)
            items[place] = items[place - 1];
        items[place] = item;
    }
}

static void sort_by_byte(const uint32_t *key, unsigned shift, const uint32_t *from, uint32_t *to,
                         uint32_t count) {
    uint32_t place[257] = {0};
    for (uint32_t i = 0; i < count; i++)
        place[(key[from[i]] >> shift & 255) + 1]++;
    for (unsigned byte = 0; byte < 256; byte++)
        place[byte + 1] += place[byte];
    for (uint32_t i = 0; i < count; i++)
        to[place[key[from[i]] >> shift & 255]++] = from[i];
}

void hr_sort_by_key(const uint32_t *key, uint32_t key_count, uint32_t *items, uint32_t *spare,
                    uint32_t count) {
    if (count <= INSERTION) {
        insertion_sort(key, items, count);
        return;
    }
    for (unsigned shift = 0; shift < 32 && (key_count - 1) >> shift; shift += 8) {
        sort_by_byte(key, shift, items, spare, count);
        memcpy(items, spare, count * sizeof *items);
    }
}
