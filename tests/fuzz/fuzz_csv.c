/* fuzz_csv.c - parses arbitrary bytes as a CSV file. The first byte chooses the block size, the
 * header and the delimiter, the second one the encoding. Every text of a table that was read is
 * accessed: it is UTF-8, whatever the encoding. */
#include "io/io.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t check_text(const char *text) {
    size_t length = strlen(text);
    bool cut;
    if (hr_utf8_valid(text, length, &cut) < length) abort();
    return length;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) return 0;
    hr_read_options options = {.encoding = (hr_encoding)(data[1] % (HR_ENCODING_UTF16BE + 1)),
                               .utf8_first = data[1] & 0x80,
                               .block = data[0] & 0x3f,
                               .no_header = data[0] & 0x40,
                               .delimiter = data[0] & 0x80 ? ';' : '\0'};
    hr_table *table;
    hr_error err = {0};
    hr_status status =
        hr_csv_parse((const char *)data + 2, size - 2, "fuzz", &options, &table, &err);
    if (status != HR_OK) {
        if (table || err.code != status || !*err.message) abort();
        return 0;
    }
    size_t bytes = 0;
    for (size_t row = 0; row < hr_table_rows(table); row++)
        for (size_t i = 0; i < hr_table_columns(table); i++)
            bytes += check_text(hr_table_text(table, row, i));
    if (bytes > size * 3) abort(); /* a byte of Windows-1252 has up to three in UTF-8 */
    hr_table_free(table);
    return 0;
}
