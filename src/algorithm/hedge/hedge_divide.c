/* hedge_divide.c - the rows of parts of a cell, which are whole clusters, and a task for each
 * part. */
#include "algorithm/hedge/hedge.h"

#include <stdlib.h>
#include <string.h>

/* Lists the rows of each part in the order of ranks. part[c] is the part of cluster c. */
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

hr_status hr_division_make(const hr_cell_task *task, const hr_clusters *clusters,
                           const uint32_t *part, uint32_t count, hr_division *out, hr_error *err) {
    *out = (hr_division){.count = count};
    hr_status status = deal_rows(task, clusters, part, out, err);
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
