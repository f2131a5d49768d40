/* fuzz_address.c - addresses of tables: parsing one, and joining it to a folder, which changes
 * neither its table nor its query. */
#include "io/io.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool same(const char *a, const char *b) {
    return a && b ? !strcmp(a, b) : a == b;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    hr_error err = {0};
    hr_address address, joined;
    char *text = hr_copy_text((const char *)data, size, &err);
    if (!text) return 0;
    const hr_format *format = hr_format_for(text);
    char *path = hr_address_join("folder", text, &err);
    if (path && format->parse(text, &address, &err) == HR_OK) {
        if (!address.file || (address.table && address.query)) abort();
        if (hr_format_for(path) != format) abort();
        if (format->parse(path, &joined, &err) == HR_OK) {
            if (!same(address.table, joined.table) || !same(address.query, joined.query)) abort();
            hr_address_free(&joined);
        }
        hr_address_free(&address);
    }
    free(path);
    free(text);
    return 0;
}
