/* hash.c - XXH3 for bytes, and an open-addressing map from 64-bit keys to dense numbers. */
#include "base/base.h"

#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t hr_hash(const void *bytes, size_t length) {
    return XXH3_64bits(bytes, length);
}

static size_t slot_of(const hr_map64 *map, uint64_t key) {
    size_t slot = (size_t)hr_mix(key) & (map->slots - 1);
    while (map->values[slot] != HR_NONE && map->keys[slot] != key)
        slot = (slot + 1) & (map->slots - 1);
    return slot;
}

static hr_status grow(hr_map64 *map, hr_error *err) {
    hr_map64 larger = {.slots = map->slots ? map->slots * 2 : 64, .count = map->count};
    larger.keys = hr_alloc_raw(larger.slots, sizeof *larger.keys, err);
    larger.values = hr_alloc_raw(larger.slots, sizeof *larger.values, err);
    if (!larger.keys || !larger.values) {
        hr_map64_free(&larger);
        return HR_ENOMEM;
    }
    memset(larger.values, 0xff, larger.slots * sizeof *larger.values);
    for (size_t i = 0; i < map->slots; i++) {
        if (map->values[i] == HR_NONE) continue;
        size_t slot = slot_of(&larger, map->keys[i]);
        larger.keys[slot] = map->keys[i];
        larger.values[slot] = map->values[i];
    }
    free(map->keys);
    free(map->values);
    *map = larger;
    return HR_OK;
}

hr_status hr_map64_intern(hr_map64 *map, uint64_t key, uint32_t *out, hr_error *err) {
    if ((size_t)map->count * 3 >= map->slots * 2) HR_TRY(grow(map, err));
    size_t slot = slot_of(map, key);
    /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): grow() has replaced the arrays that it freed */
    if (map->values[slot] == HR_NONE) {
        map->keys[slot] = key;
        map->values[slot] = map->count++;
    }
    *out = map->values[slot];
    return HR_OK;
}

uint32_t hr_map64_find(const hr_map64 *map, uint64_t key) {
    return map->slots ? map->values[slot_of(map, key)] : HR_NONE;
}

void hr_map64_clear(hr_map64 *map, size_t keys) {
    if (map->slots / 4 > keys)
        hr_map64_free(map);
    else if (map->slots)
        memset(map->values, 0xff, map->slots * sizeof *map->values);
    map->count = 0;
}

void hr_map64_free(hr_map64 *map) {
    free(map->keys);
    free(map->values);
    *map = (hr_map64){0};
}
