/* cell_task.c - derives tasks from a task: for some of its rows, or for another algorithm. Each
 * function sets every field, so that no field of the parent is copied by mistake. */
#include "algorithm/algorithm.h"

hr_cell_task hr_cell_task_part(const hr_cell_task *parent, const hr_cell_rows *rows,
                               unsigned threads) {
    return (hr_cell_task){.data = parent->data,
                          .rows = rows->rows,
                          .row_count = rows->row_count,
                          .k = parent->k,
                          .p = parent->p,
                          .judge = parent->judge,
                          .seed = parent->seed,
                          .stream = parent->stream,
                          .options = parent->options,
                          .layout = parent->layout,
                          .shared = parent->shared,
                          .by_rank = rows->by_rank,
                          .rank = rows->rank,
                          .type = rows->type,
                          .progress = parent->progress,
                          .pass = parent->pass,
                          .fills_time = parent->fills_time,
                          .threads = threads,
                          .deadline = parent->deadline};
}

hr_cell_task hr_cell_task_for(const hr_cell_task *parent, const void *options,
                              hr_progress *progress) {
    return (hr_cell_task){.data = parent->data,
                          .rows = parent->rows,
                          .row_count = parent->row_count,
                          .k = parent->k,
                          .p = parent->p,
                          .judge = parent->judge,
                          .seed = parent->seed,
                          .stream = parent->stream,
                          .options = options,
                          .layout = parent->layout,
                          .shared = NULL,
                          .by_rank = parent->by_rank,
                          .rank = parent->rank,
                          .type = parent->type,
                          .progress = progress,
                          .pass = 0,
                          .fills_time = false,
                          .threads = parent->threads,
                          .deadline = parent->deadline};
}
