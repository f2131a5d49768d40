/* groups.c - grouping rows by several columns, one column at a time. The group of a row and its
 * value in the next column make a key below groups x values; each key that occurs becomes a new
 * group. As long as this product is small, an array maps keys to groups, and a pass costs a few
 * nanoseconds per row; otherwise a hash map does. */
#include "data/data.h"

#include <stdlib.h>
#include <string.h>

enum { DIRECT_LIMIT = 1 << 22, CHUNK = 4096 };

hr_status hr_groups_start(hr_groups *groups, size_t rows, hr_error *err) {
    *groups = (hr_groups){.rows = rows, .count = rows ? 1 : 0};
    groups->of_row = hr_alloc(rows, sizeof *groups->of_row, err);
    return groups->of_row ? HR_OK : HR_ENOMEM;
}

/* The numbers of the new groups by key: an array if the keys are few, else a hash map. */
typedef struct {
    uint32_t *direct; /* number + 1, 0: none yet; NULL: `map` is used */
    uint32_t count;
    hr_map64 map;
} group_numbers;

/* Replaces the old groups of a chunk of rows by the new ones, given the values of the rows. */
static void split_direct(group_numbers *n, uint32_t *of_row, const uint32_t *values, size_t count,
                         uint32_t value_count) {
    for (size_t i = 0; i < count; i++) {
        if (of_row[i] == HR_NONE) continue;
        if (values[i] == HR_NONE) {
            of_row[i] = HR_NONE;
            continue;
        }
        uint32_t *number = &n->direct[(uint64_t)of_row[i] * value_count + values[i]];
        if (*number == 0) *number = ++n->count;
        of_row[i] = *number - 1;
    }
}

static hr_status split_hashed(group_numbers *n, uint32_t *of_row, const uint32_t *values,
                              size_t count, uint32_t value_count, hr_error *err) {
    for (size_t i = 0; i < count; i++) {
        if (of_row[i] == HR_NONE) continue;
        if (values[i] == HR_NONE)
            of_row[i] = HR_NONE;
        else
            HR_TRY(hr_map64_intern(&n->map, (uint64_t)of_row[i] * value_count + values[i],
                                   &of_row[i], err));
    }
    return HR_OK;
}

static hr_status split_rows(hr_groups *groups, const hr_column *column, const uint32_t *map,
                            uint32_t value_count, group_numbers *n, hr_error *err) {
    uint32_t values[CHUNK];
    for (size_t first = 0; first < groups->rows; first += CHUNK) {
        size_t count = groups->rows - first < CHUNK ? groups->rows - first : CHUNK;
        hr_column_map(column, first, count, map, values);
        if (n->direct)
            split_direct(n, groups->of_row + first, values, count, value_count);
        else
            HR_TRY(split_hashed(n, groups->of_row + first, values, count, value_count, err));
    }
    return HR_OK;
}

hr_status hr_groups_split(hr_groups *groups, const hr_column *column, const uint32_t *map,
                          uint32_t value_count, hr_error *err) {
    group_numbers n = {0};
    uint64_t keys = (uint64_t)groups->count * value_count;
    if (keys <= DIRECT_LIMIT || keys <= groups->rows) {
        n.direct = hr_alloc((size_t)keys, sizeof *n.direct, err);
        if (!n.direct) return HR_ENOMEM;
    }
    hr_status status = split_rows(groups, column, map, value_count, &n, err);
    groups->count = n.direct ? n.count : n.map.count;
    free(n.direct);
    hr_map64_free(&n.map);
    return status;
}

/* Keys of a few rows: group, then the value in each column, as digits of one number. */
static void make_keys(const hr_groups *groups, size_t first, size_t rows, const hr_split *by,
                      size_t count, uint64_t *keys) {
    uint32_t values[CHUNK];
    for (size_t i = 0; i < rows; i++)
        keys[i] = groups->of_row[first + i] == HR_NONE ? UINT64_MAX : groups->of_row[first + i];
    for (size_t c = 0; c < count; c++) {
        hr_column_map(by[c].column, first, rows, by[c].map, values);
        for (size_t i = 0; i < rows; i++) {
            bool out = keys[i] == UINT64_MAX || values[i] == HR_NONE;
            keys[i] = out ? UINT64_MAX : keys[i] * by[c].value_count + values[i];
        }
    }
}

static hr_status split_together(hr_groups *groups, const hr_split *by, size_t count,
                                hr_error *err) {
    uint64_t keys[CHUNK];
    hr_map64 map = {0};
    hr_status status = HR_OK;
    for (size_t first = 0; first < groups->rows && status == HR_OK; first += CHUNK) {
        size_t rows = groups->rows - first < CHUNK ? groups->rows - first : CHUNK;
        make_keys(groups, first, rows, by, count, keys);
        for (size_t i = 0; i < rows && status == HR_OK; i++) {
            groups->of_row[first + i] = HR_NONE;
            if (keys[i] != UINT64_MAX)
                status = hr_map64_intern(&map, keys[i], &groups->of_row[first + i], err);
        }
    }
    groups->count = map.count;
    hr_map64_free(&map);
    return status;
}

hr_status hr_groups_split_all(hr_groups *groups, const hr_split *by, size_t count, hr_error *err) {
    while (count > 0) {
        uint64_t keys = groups->count;
        size_t together = 0;
        for (; together < count; together++) {
            if (by[together].value_count && keys > INT64_MAX / by[together].value_count) break;
            keys *= by[together].value_count;
        }
        if (together < 2 || keys <= DIRECT_LIMIT) {
            together = 1;
            HR_TRY(hr_groups_split(groups, by->column, by->map, by->value_count, err));
        } else {
            HR_TRY(split_together(groups, by, together, err));
        }
        by += together;
        count -= together;
    }
    return HR_OK;
}

hr_status hr_groups_members(const hr_groups *groups, uint32_t **start, uint32_t **member,
                            hr_error *err) {
    *start = hr_alloc_raw((size_t)groups->count + 2, sizeof **start, err);
    *member = hr_alloc_raw(groups->rows, sizeof **member, err);
    if (!*start || !*member) {
        free(*start);
        free(*member);
        *start = *member = NULL;
        return HR_ENOMEM;
    }
    hr_group_by_key(groups->of_row, (uint32_t)groups->rows, groups->count, *start, *member);
    return HR_OK;
}

void hr_groups_free(hr_groups *groups) {
    free(groups->of_row);
    *groups = (hr_groups){0};
}
