/* fuzz_csv.c - parses arbitrary bytes as a CSV file. The first byte chooses the block size, the
 * header and the delimiter. Every text of a table that was read is accessed. */
#include "io/io.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    hr_read_options options = {.block = data[0] & 0x3f,
                               .no_header = data[0] & 0x40,
                               .delimiter = data[0] & 0x80 ? ';' : '\0'};
    hr_table *table;
    hr_error err = {0};
    hr_status status =
        hr_csv_parse((const char *)data + 1, size - 1, "fuzz", &options, &table, &err);
    if (status != HR_OK) {
        if (table || err.code != status || !*err.message) abort();
        return 0;
    }
    size_t bytes = 0;
    for (size_t row = 0; row < hr_table_rows(table); row++)
        for (size_t i = 0; i < hr_table_columns(table); i++)
            bytes += strlen(hr_table_text(table, row, i));
    if (bytes > size) abort();
    hr_table_free(table);
    return 0;
}
