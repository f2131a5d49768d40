/* address_relative.c - makes an address relative to a folder: the inverse of hr_address_join.
 * Folders are compared by their real paths, because `..` after a symbolic link leads elsewhere. */
#define _XOPEN_SOURCE 700 /* realpath */

#include "io/io.h"

#include <stdlib.h>
#include <string.h>

/* The real path of the folder of a path, without a slash at its end; or NULL. */
static char *folder_of(const char *path, size_t length, hr_error *err) {
    while (length > 0 && path[length - 1] != '/')
        length--;
    char *folder = length ? hr_copy_text(path, length, err) : hr_copy_text(".", 1, err);
    char *real = folder ? realpath(folder, NULL) : NULL;
    free(folder);
    if (real && !strcmp(real, "/")) *real = '\0';
    return real;
}

/* Length of the folders that both paths begin with: that of a slash, or of one whole path. */
static size_t common(const char *a, const char *b) {
    size_t i = 0, end = 0;
    for (; a[i] && a[i] == b[i]; i++)
        if (a[i] == '/') end = i;
    bool whole = (!a[i] || a[i] == '/') && (!b[i] || b[i] == '/');
    return whole ? i : end;
}

/* "../../data/" from one real path to another. Paths with nothing in common stay absolute. */
static void put_way(const char *from, const char *to, hr_text *out) {
    size_t shared = common(from, to);
    if (shared == 0 && *from) {
        hr_text_printf(out, "%s/", to);
        return;
    }
    for (const char *at = from + shared; *at; at++)
        if (*at == '/') hr_text_puts(out, "../");
    if (to[shared]) hr_text_printf(out, "%s/", to + shared + 1);
}

char *hr_address_relative(const char *folder, const char *address, hr_error *err) {
    const hr_format *format = hr_format_for(address);
    const char *scheme = format->scheme;
    size_t before = scheme ? strlen(scheme) : 0;
    const char *path = address + before;
    size_t length = scheme ? strcspn(path, "?") : strlen(path);
    if (!folder || format->server || !strcmp(address, "-")) return hr_address_masked(address, err);
    hr_text from_text = {0}, out = {0};
    hr_text_printf(&from_text, "%s/", folder);
    char *from = from_text.failed ? NULL : folder_of(from_text.data, from_text.length, err);
    char *to = folder_of(path, length, err);
    hr_text_free(&from_text);
    hr_text_add(&out, address, before);
    if (from && to) {
        put_way(from, to, &out);
        while (length > 0 && path[length - 1] != '/')
            length--;
        path += length;
    }
    hr_text_puts(&out, path);
    free(from);
    free(to);
    char *result = NULL;
    return hr_text_take(&out, &result, err) == HR_OK ? result : NULL;
}
