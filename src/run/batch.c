/* batch.c - writes rows that are produced one by one, such as those of a trace, in batches of a few
 * thousand, so that memory does not grow with the number of rows. */
#include "run/run.h"

#include <string.h>

enum { BATCH_ROWS = 4096 };

static hr_status start_table(hr_batch *batch, hr_error *err) {
    HR_TRY(hr_table_new(batch->column_count, batch->names, &batch->table, err));
    for (size_t i = 0; i < batch->column_count; i++) {
        const char *format = batch->formats ? batch->formats[i] : NULL;
        if (!format) continue;
        batch->table->columns[i].format = hr_copy_text(format, strlen(format), err);
        if (!batch->table->columns[i].format) return HR_ENOMEM;
    }
    return HR_OK;
}

static hr_status flush(hr_batch *batch, hr_error *err) {
    hr_status status = batch->writer->append(batch->writer, batch->table, err);
    hr_batch_free(batch);
    batch->begun = true;
    return status;
}

hr_status hr_batch_add(hr_batch *batch, const char *const *fields, hr_error *err) {
    if (!batch->table) HR_TRY(start_table(batch, err));
    HR_TRY(hr_table_append(batch->table, fields, err));
    return batch->table->rows < BATCH_ROWS ? HR_OK : flush(batch, err);
}

hr_status hr_batch_end(hr_batch *batch, hr_error *err) {
    if (!batch->table && batch->begun) return HR_OK;
    if (!batch->table) HR_TRY(start_table(batch, err));
    return flush(batch, err);
}

void hr_batch_free(hr_batch *batch) {
    hr_table_free(batch->table);
    batch->table = NULL;
}
