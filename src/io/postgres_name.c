/* postgres_name.c - names of tables in addresses. */
#include "io/postgres.h"

#include <stdlib.h>
#include <string.h>

/* One part of a name: up to a dot, or in double quotes, where two stand for one. NULL: wrong. */
static const char *take_part(const char *at, hr_text *out) {
    if (*at != '"') {
        size_t length = strcspn(at, ".");
        hr_text_add(out, at, length);
        return at + length;
    }
    for (at++; *at; at++) {
        if (*at == '"' && at[1] != '"') return at + 1;
        if (*at == '"') at++;
        hr_text_add(out, at, 1);
    }
    return NULL;
}

static hr_status quote(hr_pg_name *name, hr_error *err) {
    hr_text quoted = {0};
    if (name->schema) {
        hr_sql_quote(&quoted, name->schema);
        hr_text_puts(&quoted, ".");
    }
    hr_sql_quote(&quoted, name->name);
    return hr_text_take(&quoted, &name->quoted, err);
}

static hr_status parse(const char *text, hr_pg_name *out, hr_text part[2], hr_error *err) {
    const char *at = take_part(text, &part[0]);
    bool schema = at && *at == '.';
    if (schema) at = take_part(at + 1, &part[1]);
    if (part[0].failed || part[1].failed) return hr_fail(err, HR_ENOMEM, "out of memory");
    if (!at || *at || part[0].length == 0 || (schema && part[1].length == 0))
        return hr_fail(err, HR_EINVAL,
                       "table '%s': a table is NAME or SCHEMA.NAME; write a name with a dot or a "
                       "quote in it in double quotes",
                       text);
    if (schema) HR_TRY(hr_text_take(&part[0], &out->schema, err));
    HR_TRY(hr_text_take(&part[schema], &out->name, err));
    return quote(out, err);
}

hr_status hr_pg_name_parse(const char *text, hr_pg_name *out, hr_error *err) {
    hr_text part[2] = {{0}, {0}};
    *out = (hr_pg_name){0};
    hr_status status = parse(text, out, part, err);
    hr_text_free(&part[0]);
    hr_text_free(&part[1]);
    if (status != HR_OK) hr_pg_name_free(out);
    return status;
}

void hr_pg_name_free(hr_pg_name *name) {
    free(name->schema);
    free(name->name);
    free(name->quoted);
    *name = (hr_pg_name){0};
}
