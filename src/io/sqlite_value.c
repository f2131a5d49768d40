/* sqlite_value.c - values of SQLite as texts, and back. A column of a SQLite table may mix
 * integers, reals and texts. The columns of hr_table hold texts, so the text of a number shows its
 * type: a real always has a point or an exponent. A column whose values have one type has it as an
 * Arrow type, like the columns of an Arrow table. A column that mixes types is marked `mixed`, and
 * each text that is the text of a number stands for that number. */
#include "io/sqlite.h"

#include "data/arrow.h"

#include <math.h>
#include <string.h>

static const hr_arrow_type integer_type = {.kind = HR_ARROW_INT, .width = 8};
static const hr_arrow_type real_type = {.kind = HR_ARROW_FLOAT, .width = 8};

size_t hr_sqlite_integer_text(int64_t number, char *text) {
    return hr_arrow_value_text(&integer_type, &number, text);
}

size_t hr_sqlite_real_text(double number, char *text) {
    size_t length = hr_arrow_value_text(&real_type, &number, text);
    if (text[strcspn(text, ".en")]) return length; /* also "inf" and "nan" */
    memcpy(text + length, ".0", 3);
    return length + 2;
}

hr_sqlite_value hr_sqlite_parse(const char *text) {
    hr_sqlite_value value = {.type = SQLITE_TEXT};
    char again[HR_SQLITE_TEXT_MOST] = "";
    if (!strchr("-0123456789i", *text) || strlen(text) >= sizeof again) return value;
    if (hr_arrow_text_value(&integer_type, text, &value.number.integer)) {
        hr_sqlite_integer_text(value.number.integer, again);
        if (!strcmp(text, again)) value.type = SQLITE_INTEGER;
    } else if (hr_arrow_text_value(&real_type, text, &value.number.real)) {
        hr_sqlite_real_text(value.number.real, again);
        if (!strcmp(text, again)) value.type = SQLITE_FLOAT;
    }
    return value;
}

static hr_arrow_type type_of(const hr_column *column) {
    hr_arrow_type type = {.kind = HR_ARROW_TEXT};
    if (column->format) hr_arrow_parse_format(column->format, &type);
    return type;
}

/* SQLite has no booleans, decimals, dates or NaN. Booleans become 0 and 1, the others stay
 * texts. */
hr_sqlite_value hr_sqlite_value_of(const hr_column *column, uint32_t code) {
    hr_sqlite_value value = {.type = SQLITE_TEXT};
    const char *text = hr_dictionary_text(&column->dictionary, code);
    if (hr_dictionary_is_null(&column->dictionary, code))
        return (hr_sqlite_value){.type = SQLITE_NULL};
    if (column->mixed) return hr_sqlite_parse(text);
    switch (type_of(column).kind) {
    case HR_ARROW_BOOL:
        value = (hr_sqlite_value){SQLITE_INTEGER, {.integer = !strcmp(text, "true")}};
        break;
    case HR_ARROW_INT:
    case HR_ARROW_UINT:
        if (hr_arrow_text_value(&integer_type, text, &value.number.integer))
            value.type = SQLITE_INTEGER;
        break;
    case HR_ARROW_FLOAT:
        if (hr_arrow_text_value(&real_type, text, &value.number.real) && !isnan(value.number.real))
            value.type = SQLITE_FLOAT;
        break;
    default: break;
    }
    return value;
}

/* Do all numbers of the column fit 64 bits? A column declared INTEGER would turn larger ones into
 * rounded reals. */
static bool fits_integer(const hr_column *column) {
    for (uint32_t code = 0; code < column->dictionary.count; code++)
        if (hr_sqlite_value_of(column, code).type == SQLITE_TEXT) return false;
    return true;
}

const char *hr_sqlite_type_of(const hr_column *column) {
    if (column->affinity) return column->affinity;
    if (column->mixed) return "";
    switch (type_of(column).kind) {
    case HR_ARROW_BOOL:
    case HR_ARROW_INT: return "INTEGER";
    case HR_ARROW_UINT: return fits_integer(column) ? "INTEGER" : "";
    case HR_ARROW_FLOAT: return "REAL";
    default: return "TEXT";
    }
}
