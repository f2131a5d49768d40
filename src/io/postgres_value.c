/* postgres_value.c - values of PostgreSQL as texts, and back. The text of a number, date or time is
 * that of the same value in an Arrow array, so that tables from all sources look alike. If Arrow
 * has no type for a column (a numeric without a fixed number of decimals, an enum, a uuid, infinite
 * dates), the column is text and keeps its declared type. */
#include "io/postgres.h"

#include "data/arrow.h"

#include <stdlib.h>
#include <string.h>

#define DAYS_TO_2000   10957 /* from 1970-01-01, where Arrow counts from, to 2000-01-01 */
#define MICROS_TO_2000 (DAYS_TO_2000 * INT64_C(86400000000))

/* The kinds: the number of the type, its Arrow type and its name in SQL. */
static const struct {
    Oid oid;
    const char *format, *name;
} kinds[] = {
    [HR_PG_TEXT] = {25, NULL, "text"},
    [HR_PG_BOOL] = {16, "b", "boolean"},
    [HR_PG_INT2] = {21, "s", "smallint"},
    [HR_PG_INT4] = {23, "i", "integer"},
    [HR_PG_INT8] = {20, "l", "bigint"},
    [HR_PG_FLOAT4] = {700, "f", "real"},
    [HR_PG_FLOAT8] = {701, "g", "double precision"},
    [HR_PG_NUMERIC] = {1700, NULL, "numeric"},
    [HR_PG_DATE] = {1082, "tdD", "date"},
    [HR_PG_TIME] = {1083, "ttu", "time"},
    [HR_PG_TIMESTAMP] = {1114, "tsu:", "timestamp"},
    [HR_PG_TIMESTAMPTZ] = {1184, "tsu:UTC", "timestamptz"},
    [HR_PG_UUID] = {2950, NULL, "uuid"},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

hr_pg_kind hr_pg_kind_of(Oid type) {
    for (size_t kind = 0; kind < KINDS; kind++)
        if (kinds[kind].oid == type) return (hr_pg_kind)kind;
    return HR_PG_TEXT;
}

/* Does the type have the values infinity and -infinity? Types of days and moments do. */
static bool has_infinity(hr_pg_kind kind) {
    return kind == HR_PG_DATE || kind == HR_PG_TIMESTAMP || kind == HR_PG_TIMESTAMPTZ;
}

void hr_pg_put(hr_text *out, uint64_t number, unsigned width) {
    char bytes[8];
    for (unsigned i = 0; i < width; i++)
        bytes[i] = (char)(number >> 8 * (width - 1 - i));
    hr_text_add(out, bytes, width);
}

/* ---- to text ---- */

static const char wrong_length[] = "has a value of another length than its type";

static void put_arrow(const char *format, const void *value, hr_text *out) {
    char text[HR_ARROW_TEXT_MOST];
    hr_arrow_type type;
    if (hr_arrow_parse_format(format, &type))
        hr_text_add(out, text, hr_arrow_value_text(&type, value, text));
}

static void put_uuid(const char *bytes, hr_text *out) {
    static const char digits[] = "0123456789abcdef";
    char text[36], *at = text;
    for (int i = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10) *at++ = '-';
        *at++ = digits[(unsigned char)bytes[i] >> 4];
        *at++ = digits[bytes[i] & 15];
    }
    hr_text_add(out, text, sizeof text);
}

/* Days or microseconds since 2000 that mean infinity are the least and the greatest numbers. */
static const char *moment_text(hr_pg_kind kind, int64_t number, int64_t least, int64_t most,
                               int64_t shift, hr_text *out) {
    if (number == least || number == most) {
        hr_text_puts(out, number == least ? "-infinity" : "infinity");
        return NULL;
    }
    if (number > INT64_MAX - shift)
        return "has a time after the year 294246: shorten it in a query";
    number += shift;
    int32_t day = (int32_t)number;
    if (kind == HR_PG_DATE)
        put_arrow(kinds[kind].format, &day, out);
    else
        put_arrow(kinds[kind].format, &number, out);
    return NULL;
}

/* Integers and reals: `width` bytes, the highest first. */
static const char *number_text(hr_pg_kind kind, const char *bytes, hr_text *out) {
    uint16_t two = hr_pg_get16(bytes);
    uint32_t four;
    uint64_t eight;
    switch (kind) {
    case HR_PG_INT2: put_arrow(kinds[kind].format, &two, out); break;
    case HR_PG_INT4:
    case HR_PG_FLOAT4:
        four = hr_pg_get32(bytes);
        put_arrow(kinds[kind].format, &four, out);
        break;
    default: eight = hr_pg_get64(bytes); put_arrow(kinds[kind].format, &eight, out);
    }
    return NULL;
}

/* Bytes of a value; 0: values have several lengths. */
static size_t width_of(hr_pg_kind kind) {
    switch (kind) {
    case HR_PG_BOOL: return 1;
    case HR_PG_INT2: return 2;
    case HR_PG_INT4:
    case HR_PG_FLOAT4:
    case HR_PG_DATE: return 4;
    case HR_PG_TEXT:
    case HR_PG_NUMERIC: return 0;
    case HR_PG_UUID: return 16;
    default: return 8;
    }
}

const char *hr_pg_value_text(hr_pg_kind kind, const char *bytes, size_t length, hr_text *out) {
    size_t width = width_of(kind);
    out->length = 0;
    if (width && length != width) return wrong_length;
    switch (kind) {
    case HR_PG_TEXT: hr_text_add(out, bytes, length); return NULL;
    case HR_PG_BOOL: hr_text_puts(out, *bytes ? "true" : "false"); return NULL;
    case HR_PG_NUMERIC: return hr_pg_numeric_text(bytes, length, out);
    case HR_PG_UUID: put_uuid(bytes, out); return NULL;
    case HR_PG_DATE:
        return moment_text(kind, (int32_t)hr_pg_get32(bytes), INT32_MIN, INT32_MAX, DAYS_TO_2000,
                           out);
    case HR_PG_TIMESTAMP:
    case HR_PG_TIMESTAMPTZ:
        return moment_text(kind, (int64_t)hr_pg_get64(bytes), INT64_MIN, INT64_MAX, MICROS_TO_2000,
                           out);
    default: return number_text(kind, bytes, out);
    }
}

/* ---- from text ---- */

static int hex_value(char c) {
    static const char digits[] = "0123456789abcdef";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

static bool uuid_value(const char *text, size_t length, hr_text *out) {
    char bytes[16];
    if (length != 36) return false;
    for (int i = 0; i < 16; i++) {
        if ((i == 4 || i == 6 || i == 8 || i == 10) && *text++ != '-') return false;
        int high = hex_value(text[0]), low = hex_value(text[1]);
        if (high < 0 || low < 0) return false;
        bytes[i] = (char)(high * 16 + low);
        text += 2;
    }
    hr_text_add(out, bytes, sizeof bytes);
    return true;
}

/* The least and the greatest day and moment that the server takes. */
static bool moment_value(hr_pg_kind kind, const char *text, const hr_arrow_type *type,
                         hr_text *out) {
    bool day = kind == HR_PG_DATE, before = *text == '-';
    int64_t number = 0;
    int32_t days;
    if (!strcmp(text + before, "infinity")) {
        number = day ? (before ? INT32_MIN : INT32_MAX) : before ? INT64_MIN : INT64_MAX;
    } else {
        if (!hr_arrow_text_value(type, text, day ? (void *)&days : (void *)&number)) return false;
        number = day ? (int64_t)days - DAYS_TO_2000 : number;
        if (!day && number < INT64_MIN + MICROS_TO_2000) return false;
        if (!day) number -= MICROS_TO_2000;
        if (number < (day ? INT64_C(-2451545) : INT64_C(-211813488000000000))) return false;
        if (day && number >= INT64_C(2145031949)) return false;
    }
    hr_pg_put(out, (uint64_t)number, day ? 4 : 8);
    return true;
}

/* Times of other units have more or fewer digits after the point than microseconds have. False if
 * digits other than 0 would be lost. */
static bool with_micros(const char *text, size_t length, char *out, size_t room) {
    const char *point = strchr(text, '.');
    size_t before = point ? (size_t)(point - text) + 1 : length;
    size_t digits = point ? strspn(text + before, "0123456789") : 0;
    const char *rest = text + before + digits;
    if (length + 8 > room) return false;
    if (digits > 6 && strspn(text + before + 6, "0") < digits - 6) return false;
    int kept = digits > 6 ? 6 : (int)digits;
    int zeros = point ? 6 - kept : 0;
    snprintf(out, room, "%.*s%.*s%.*s%s", (int)before, text, kept, text + before, zeros, "000000",
             rest);
    return true;
}

static bool is_time(hr_pg_kind kind) {
    return kind == HR_PG_TIME || kind == HR_PG_TIMESTAMP || kind == HR_PG_TIMESTAMPTZ;
}

bool hr_pg_text_value(hr_pg_kind kind, const char *text, size_t length, hr_text *out) {
    hr_arrow_type type = {0};
    char bytes[8], micros[64];
    if (kind == HR_PG_TEXT) return hr_text_add(out, text, length), true;
    if (kind == HR_PG_NUMERIC) return hr_pg_numeric_value(text, length, out);
    if (kind == HR_PG_UUID) return uuid_value(text, length, out);
    if (!hr_arrow_parse_format(kinds[kind].format, &type)) return false;
    if (is_time(kind) && !with_micros(text, length, micros, sizeof micros)) return false;
    if (is_time(kind)) text = micros;
    if (has_infinity(kind)) return moment_value(kind, text, &type, out);
    if (!hr_arrow_text_value(&type, text, bytes)) return false;
    if (kind == HR_PG_TIME && (*text == '-' || hr_arrow_int_at(bytes, 0, 8) > 86400000000))
        return false;
    unsigned width = (unsigned)width_of(kind);
    hr_pg_put(out, (uint64_t)hr_arrow_int_at(bytes, 0, width), width);
    return true;
}

/* ---- types of columns ---- */

static bool has_text(const hr_column *column, const char *text) {
    return hr_dictionary_find(&column->dictionary, text, strlen(text)) != HR_NONE;
}

/* Does the Arrow type of the kind lack a value of the column, such as infinity? */
static bool is_special(const hr_column *column, hr_pg_kind kind) {
    if (kind == HR_PG_NUMERIC) return has_text(column, "NaN");
    return has_infinity(kind) && (has_text(column, "infinity") || has_text(column, "-infinity"));
}

/* "d:10,2" of numeric(10,2), empty if there is no such type. A modifier has the precision in its
 * upper and the scale, 11 bits with a sign, in its lower half, plus 4. */
static void decimal_format(int modifier, char *out, size_t room) {
    int precision = (modifier - 4) >> 16 & 0xffff, scale = (((modifier - 4) & 0x7ff) ^ 1024) - 1024;
    *out = '\0';
    if (modifier < 4 || scale < 0 || precision < scale || precision > 76) return;
    snprintf(out, room, "d:%d,%d%s", precision, scale, precision > 38 ? ",256" : "");
}

static hr_status copy_into(char **out, const char *text, hr_error *err) {
    *out = hr_copy_text(text, strlen(text), err);
    return *out ? HR_OK : HR_ENOMEM;
}

hr_status hr_pg_set_type(hr_column *column, hr_pg_kind kind, int modifier, const char *name,
                         hr_error *err) {
    char decimal[32] = "";
    const char *format = kinds[kind].format;
    if (kind == HR_PG_NUMERIC) decimal_format(modifier, decimal, sizeof decimal);
    if (*decimal) format = decimal;
    if (is_special(column, kind)) format = NULL;
    if (format) return copy_into(&column->format, format, err);
    if (kind == HR_PG_TEXT && !name) return HR_OK;
    return copy_into(&column->declared, name ? name : kinds[kind].name, err);
}

/* The kind of a declared type; HR_PG_TEXT of an enum. */
static hr_pg_kind kind_of_name(const char *name) {
    for (size_t kind = 0; kind < KINDS; kind++)
        if (!strcmp(kinds[kind].name, name)) return (hr_pg_kind)kind;
    return HR_PG_TEXT;
}

bool hr_pg_is_enum(const hr_column *column) {
    return column->declared && kind_of_name(column->declared) == HR_PG_TEXT;
}

/* The kind that an Arrow type becomes. */
static hr_pg_kind kind_of_arrow(const hr_arrow_type *type) {
    switch (type->kind) {
    case HR_ARROW_BOOL: return HR_PG_BOOL;
    case HR_ARROW_INT:
        return type->width == 8 ? HR_PG_INT8 : type->width == 4 ? HR_PG_INT4 : HR_PG_INT2;
    case HR_ARROW_UINT:
        return type->width == 8   ? HR_PG_NUMERIC
               : type->width == 4 ? HR_PG_INT8
               : type->width == 2 ? HR_PG_INT4
                                  : HR_PG_INT2;
    case HR_ARROW_FLOAT: return type->width == 8 ? HR_PG_FLOAT8 : HR_PG_FLOAT4;
    case HR_ARROW_DECIMAL: return HR_PG_NUMERIC;
    case HR_ARROW_DATE_DAYS:
    case HR_ARROW_DATE_MILLIS: return HR_PG_DATE;
    case HR_ARROW_TIME: return HR_PG_TIME;
    case HR_ARROW_TIMESTAMP: return type->zoned ? HR_PG_TIMESTAMPTZ : HR_PG_TIMESTAMP;
    default: return HR_PG_TEXT;
    }
}

/* Can the kind hold all values of the column? */
static bool fits(const hr_column *column, hr_pg_kind kind) {
    hr_text value = {0};
    bool all = true;
    for (uint32_t code = 0; code < column->dictionary.count && all; code++) {
        value.length = 0;
        all = hr_dictionary_is_null(&column->dictionary, code) ||
              hr_pg_text_value(kind, hr_dictionary_text(&column->dictionary, code),
                               hr_dictionary_length(&column->dictionary, code), &value);
    }
    all = all && !value.failed;
    hr_text_free(&value);
    return all;
}

/* numeric(10,2) of "d:10,2". */
static void put_decimal(const char *format, hr_text *sql) {
    char *end;
    long precision = strtol(format + 2, &end, 10), scale = *end ? strtol(end + 1, NULL, 10) : -1;
    if (scale >= 0 && precision >= scale)
        hr_text_printf(sql, "numeric(%ld,%ld)", precision, scale);
    else
        hr_text_puts(sql, "numeric");
}

hr_pg_kind hr_pg_output_type(const hr_column *column, hr_text *sql) {
    hr_arrow_type type = {.kind = HR_ARROW_TEXT};
    if (column->format) hr_arrow_parse_format(column->format, &type);
    hr_pg_kind kind = column->declared ? kind_of_name(column->declared) : kind_of_arrow(&type);
    if (kind == HR_PG_TEXT || !fits(column, kind)) {
        hr_text_puts(sql, "text");
        return HR_PG_TEXT;
    }
    if (type.kind == HR_ARROW_DECIMAL)
        put_decimal(column->format, sql);
    else
        hr_text_puts(sql, kinds[kind].name);
    return kind;
}
