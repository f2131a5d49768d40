/* postgres.c - the entry of PostgreSQL in the table of formats, and its addresses: a connection URI
 * as libpq takes it, with one more parameter, `table` or `query`. */
#include "io/io.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char scheme[] = "postgresql:";

static bool takes(const char *address) {
    return !strncasecmp(address, scheme, sizeof scheme - 1) ||
           !strncasecmp(address, "postgres:", 9);
}

static hr_status bad_address(const char *address, hr_error *err) {
    return hr_fail(err, HR_EINVAL,
                   "%s: the address of a table is postgresql://USER@HOST/DATABASE?table=NAME or "
                   "?query=SELECT ... (a / in a name, query or password is written %%2F, a ? %%3F, "
                   "an & %%26, an @ %%40)",
                   address);
}

static hr_status parse_part(const char *address, const char *at, size_t length, hr_address *out,
                            hr_error *err) {
    if (out->table || out->query) return bad_address(address, err);
    char *part = hr_copy_text(at, length, err);
    if (!part) return HR_ENOMEM;
    hr_status status = hr_address_parse_part(address, "postgresql://", part, out, err);
    free(part);
    return status;
}

/* Takes `table` or `query` out of the parameters; libpq gets the others. */
static hr_status parse_parameters(const char *address, const char *parameters, hr_text *uri,
                                  hr_address *out, hr_error *err) {
    const char *separator = "?";
    for (const char *at = parameters; *at;) {
        size_t length = strcspn(at, "&");
        if (!strncmp(at, "table=", 6) || !strncmp(at, "query=", 6)) {
            HR_TRY(parse_part(address, at, length, out, err));
        } else if (length > 0) {
            hr_text_puts(uri, separator);
            hr_text_add(uri, at, length);
            separator = "&";
        }
        at += length;
        if (*at) at++;
    }
    return out->table || out->query ? HR_OK : bad_address(address, err);
}

static hr_status parse(const char *address, hr_address *out, hr_error *err) {
    *out = (hr_address){0};
    const char *mark = strchr(address, '?');
    if (!strstr(address, "://") || !mark) return bad_address(address, err);
    hr_text uri = {0};
    const char *rest = strchr(address, ':'); /* libpq wants the scheme in lower case */
    hr_text_printf(&uri, "postgresql%.*s", (int)(mark - rest), rest);
    hr_status status = parse_parameters(address, mark + 1, &uri, out, err);
    if (status == HR_OK) status = hr_text_take(&uri, &out->file, err);
    hr_text_free(&uri);
    if (status != HR_OK) hr_address_free(out);
    return status;
}

#ifdef HR_POSTGRES
#include "io/postgres.h"

#define OPEN_READER  hr_pg_open_reader
#define OPEN_WRITER  hr_pg_open_writer
#define CHECK_OUTPUT hr_pg_check_output
#define READS        hr_pg_reads
#else
#define OPEN_READER  hr_absent_open_reader
#define OPEN_WRITER  hr_absent_open_writer
#define CHECK_OUTPUT hr_absent_check_output
#define READS        hr_absent_reads
#endif

const hr_format hr_format_postgres = {
    .name = "postgresql",
    .title = "tables of a PostgreSQL database: postgresql://HOST/DATABASE?table=NAME or "
             "?query=SELECT ...",
    .reference = "PostgreSQL (postgresql.org)",
    .scheme = scheme,
    .server = true,
    .package = "libpq-dev",
    .takes = takes,
    .parse = parse,
    .open_reader = OPEN_READER,
    .open_writer = OPEN_WRITER,
    .check_output = CHECK_OUTPUT,
    .reads = READS,
};
