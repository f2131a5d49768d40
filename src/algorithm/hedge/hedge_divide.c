/* hedge_divide.c - divides a cell into parts of whole clusters and makes a task for each part.
 * Clusters go to parts in the order of their first combinations, so that the combinations of a part
 * are near each other in rank. */
#include "algorithm/hedge/hedge.h"

#include <stdlib.h>
#include <string.h>

/* Clusters in the order of their first combinations, and the number of combinations of each. */
typedef struct {
    uint32_t *order, met;
    uint32_t *combinations;
    uint32_t *last; /* last combination counted */
} cluster_list;

static void list_clusters(const hr_kinds *kinds, const hr_clusters *clusters, cluster_list *list) {
    memset(list->last, 0xff, clusters->count * sizeof *list->last);
    for (uint32_t kind = 0; kind < kinds->kind_count; kind++)
        for (size_t i = kinds->place_start[kind]; i < kinds->place_start[kind + 1]; i++) {
            uint32_t c = clusters->cluster[kinds->place[i]];
            if (list->combinations[c] == 0) list->order[list->met++] = c;
            list->combinations[c] += list->last[c] != kinds->kind_combination[kind];
            list->last[c] = kinds->kind_combination[kind];
        }
}

/* Fills parts of up to `size` combinations; sets `part` of each cluster. Returns how many. */
static uint32_t fill_parts(const cluster_list *list, uint32_t size, uint32_t filled,
                           uint32_t *part) {
    uint32_t count = 1;
    for (uint32_t i = 0; i < list->met; i++) {
        uint32_t combinations = list->combinations[list->order[i]];
        if (i > 0 && filled + combinations > size) {
            filled = 0;
            count++;
        }
        filled += combinations;
        part[list->order[i]] = count - 1;
    }
    return count;
}

static hr_status divide_clusters(const hr_kinds *kinds, const hr_clusters *clusters, uint32_t size,
                                 uint32_t filled, uint32_t *part, uint32_t *count, hr_error *err) {
    cluster_list list = {.order = hr_alloc(clusters->count, sizeof *list.order, err),
                         .combinations = hr_alloc(clusters->count, sizeof *list.order, err),
                         .last = hr_alloc_raw(clusters->count, sizeof *list.order, err)};
    hr_status status = list.order && list.combinations && list.last ? HR_OK : HR_ENOMEM;
    if (status == HR_OK) {
        list_clusters(kinds, clusters, &list);
        *count = fill_parts(&list, size, filled, part);
    }
    free(list.order);
    free(list.combinations);
    free(list.last);
    return status;
}

/* Lists the rows of each part in the order of ranks. `part`: of each cluster. */
static hr_status deal_rows(const hr_cell_task *task, const hr_clusters *clusters,
                           const uint32_t *part, hr_division *out, hr_error *err) {
    uint32_t rows = task->row_count;
    hr_arena_part parts[] = {
        {&out->start, (size_t)out->count + 2, sizeof *out->start},
        {&out->place, rows, sizeof *out->place},
        {&out->row, rows, sizeof *out->row},
        {&out->by_rank, rows, sizeof *out->by_rank},
        {&out->rank, rows, sizeof *out->rank},
        {&out->type, rows, sizeof *out->type},
    };
    HR_TRY(hr_arena_parts(&out->arena, parts, sizeof parts / sizeof *parts, err));
    uint32_t *key = out->row, *member = out->place; /* both are overwritten below */
    for (uint32_t i = 0; i < rows; i++)
        key[i] = part[clusters->cluster[task->by_rank[i]]];
    hr_group_by_key(key, rows, out->count, out->start, member);
    for (uint32_t at = 0; at < rows; at++) {
        uint32_t i = member[at];
        out->by_rank[at] = at;
        out->rank[at] = task->rank[i];
        out->type[at] = task->type[i];
        out->place[at] = task->by_rank[i];
        out->row[at] = task->rows[out->place[at]];
    }
    return HR_OK;
}

hr_status hr_division_make(const hr_cell_task *task, const hr_kinds *kinds,
                           const hr_clusters *clusters, uint32_t size, uint32_t filled,
                           hr_division *out, hr_error *err) {
    *out = (hr_division){0};
    uint32_t *part = hr_alloc(clusters->count, sizeof *part, err);
    hr_status status = part ? HR_OK : HR_ENOMEM;
    if (status == HR_OK)
        status = divide_clusters(kinds, clusters, size, filled, part, &out->count, err);
    if (status == HR_OK) status = deal_rows(task, clusters, part, out, err);
    free(part);
    if (status != HR_OK) hr_division_free(out);
    return status;
}

hr_cell_task hr_division_task(const hr_division *division, const hr_cell_task *task, size_t i) {
    uint32_t first = division->start[i];
    hr_cell_rows rows = {.rows = division->row + first,
                         .row_count = division->start[i + 1] - first,
                         .by_rank = division->by_rank,
                         .rank = division->rank + first,
                         .type = division->type + first};
    return hr_cell_task_part(task, &rows, division->count > 1 ? 1 : task->threads);
}

void hr_division_free(hr_division *division) {
    hr_arena_free(&division->arena);
    *division = (hr_division){0};
}
