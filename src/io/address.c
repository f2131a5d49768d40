/* address.c - addresses of tables: the path of a file, or SCHEME FILE?table=NAME in a database.
 * Addresses are compared by the file that they lead to, not by their text, so that no output
 * overwrites an input under another name. */
#include "io/io.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- parsing ---- */

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Replaces %41 by A in place. Returns false if a % is not followed by two hexadecimal digits, or
 * stands for a NUL. */
static bool decode(char *text) {
    char *to = text;
    for (const char *from = text; *from; from++, to++) {
        *to = *from;
        if (*from != '%') continue;
        int high = hex_digit(from[1]), low = high < 0 ? -1 : hex_digit(from[2]);
        if (low < 0 || high + low == 0) return false;
        *to = (char)(high * 16 + low);
        from += 2;
    }
    *to = '\0';
    return true;
}

static hr_status bad_percent(const char *address, hr_error *err) {
    return hr_fail(err, HR_EINVAL,
                   "%s: after the ?, a percent sign is written %%25 (and %%26 is &, %%20 a space)",
                   address);
}

static hr_status bad_part(const char *address, const char *scheme, hr_error *err) {
    return hr_fail(err, HR_EINVAL,
                   "%s: the address of a table is %sFILE?table=NAME or %sFILE?query=SELECT ... "
                   "(an & in a name or query is written %%26)",
                   address, scheme, scheme);
}

hr_status hr_address_parse_part(const char *address, const char *scheme, const char *part,
                                hr_address *out, hr_error *err) {
    bool table = !strncmp(part, "table=", 6), query = !strncmp(part, "query=", 6);
    if ((!table && !query) || !part[6] || strchr(part, '&')) return bad_part(address, scheme, err);
    char *value = hr_copy_text(part + 6, strlen(part + 6), err);
    if (!value) return HR_ENOMEM;
    *(table ? &out->table : &out->query) = value;
    bool cut;
    if (!decode(value) || hr_utf8_valid(value, strlen(value), &cut) < strlen(value))
        return bad_percent(address, err);
    return HR_OK;
}

hr_status hr_address_parse(const char *address, const char *scheme, hr_address *out,
                           hr_error *err) {
    *out = (hr_address){0};
    const char *path = address + strlen(scheme), *mark = strchr(path, '?');
    if (!mark || mark == path) return bad_part(address, scheme, err);
    hr_status status = HR_ENOMEM;
    out->file = hr_copy_text(path, (size_t)(mark - path), err);
    if (out->file) status = hr_address_parse_part(address, scheme, mark + 1, out, err);
    if (status != HR_OK) hr_address_free(out);
    return status;
}

hr_status hr_address_of_path(const char *path, hr_address *out, hr_error *err) {
    *out = (hr_address){.file = hr_copy_text(path, strlen(path), err)};
    return out->file ? HR_OK : HR_ENOMEM;
}

void hr_address_free(hr_address *address) {
    free(address->file);
    free(address->table);
    free(address->query);
    *address = (hr_address){0};
}

char *hr_address_masked(const char *address, hr_error *err) {
    char *shown = hr_copy_text(address, strlen(address), err);
    if (shown) hr_hide_password(shown);
    return shown;
}

char *hr_address_join(const char *folder, const char *address, hr_error *err) {
    const hr_format *format = hr_format_for(address);
    size_t before = format->scheme ? strlen(format->scheme) : 0;
    const char *path = address + before;
    bool joins = folder && !format->server && *path && *path != '/' && strcmp(address, "-") != 0;
    hr_text joined = {0};
    hr_text_add(&joined, address, before);
    if (joins) hr_text_printf(&joined, "%s/", folder);
    hr_text_puts(&joined, path);
    if (!joined.failed) return joined.data;
    hr_text_free(&joined);
    (void)hr_fail(err, HR_ENOMEM, "out of memory");
    return NULL;
}

/* ---- comparing ---- */

static bool same_inode(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Calls stat on the folder of a path; false if that fails or the path is too long. */
static bool stat_folder(const char *path, struct stat *out) {
    char folder[4096] = ".";
    const char *slash = strrchr(path, '/');
    if (slash) {
        size_t length = (size_t)(slash - path);
        if (length >= sizeof folder) return false;
        memcpy(folder, path, length);
        folder[length] = '\0';
        if (!length) strcpy(folder, "/");
    }
    return stat(folder, out) == 0;
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Files that do not exist yet are compared by folder and name. */
static bool same_file(const char *a, const char *b) {
    struct stat at_a, at_b;
    if (!strcmp(a, b)) return true;
    bool a_exists = stat(a, &at_a) == 0, b_exists = stat(b, &at_b) == 0;
    if (a_exists && b_exists) return same_inode(&at_a, &at_b);
    if (a_exists != b_exists || strcmp(base_name(a), base_name(b))) return false;
    return stat_folder(a, &at_a) && stat_folder(b, &at_b) && same_inode(&at_a, &at_b);
}

/* A table and the whole file that holds it overlap. Servers have no files here. */
static hr_status overlap(const hr_address *output, const hr_address *other, const hr_format *format,
                         bool *out, hr_error *err) {
    *out = format->server ? output->table != NULL : same_file(output->file, other->file);
    if (!*out || !output->table || (!other->table && !other->query)) return HR_OK;
    return format->reads(other, output, out, err);
}

hr_status hr_address_overlaps(const char *output, const char *other, bool *out, bool *tables,
                              hr_error *err) {
    const hr_format *format = hr_format_for(other);
    hr_address a = {0}, b = {0};
    hr_status status = hr_format_for(output)->parse(output, &a, err);
    if (status == HR_OK) status = format->parse(other, &b, err);
    *out = false;
    if (status == HR_OK && format->server == hr_format_for(output)->server)
        status = overlap(&a, &b, format, out, err);
    *tables = a.table && (b.table || b.query);
    hr_address_free(&a);
    hr_address_free(&b);
    return status;
}
