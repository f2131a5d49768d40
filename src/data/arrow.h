/* arrow.h - shared by the files that read Arrow arrays into a table and export a table as Arrow
 * arrays: the types that columns may have, and the conversion of their values to text and back. */
#ifndef HR_ARROW_H
#define HR_ARROW_H

#include "data/data.h"

#include <hedgerow_arrow.h>
#include <string.h>

typedef enum {
    HR_ARROW_TEXT,       /* 32-bit offsets */
    HR_ARROW_LARGE_TEXT, /* 64-bit offsets */
    HR_ARROW_TEXT_VIEW,
    HR_ARROW_NULL,
    HR_ARROW_BOOL,
    HR_ARROW_INT,
    HR_ARROW_UINT,
    HR_ARROW_FLOAT,
    HR_ARROW_DECIMAL,
    HR_ARROW_DATE_DAYS, /* days since 1970-01-01 */
    HR_ARROW_DATE_MILLIS,
    HR_ARROW_TIME, /* since midnight */
    HR_ARROW_TIMESTAMP
} hr_arrow_kind;

typedef struct {
    hr_arrow_kind kind;
    unsigned width; /* bytes of a value; 0 for texts, nulls and booleans */
    int scale;      /* of a decimal: digits after the point; of a time: digits of its second */
    bool zoned;     /* a timestamp with a time zone: counted in UTC */
} hr_arrow_type;

/* Number i of a buffer of signed integers, which need not be aligned. */
static inline int64_t hr_arrow_int_at(const void *buffer, size_t i, unsigned width) {
    const char *at = (const char *)buffer + i * width;
    int8_t one;
    int16_t two;
    int32_t four;
    int64_t eight;
    switch (width) {
    case 1: return memcpy(&one, at, 1), one;
    case 2: return memcpy(&two, at, 2), two;
    case 4: return memcpy(&four, at, 4), four;
    default: return memcpy(&eight, at, 8), eight;
    }
}

/* ---- arrow_type.c ---- */

/* The type that a format string of the specification names. False if tables have no column of that
 * type: nested types, binary data, durations and intervals. */
bool hr_arrow_parse_format(const char *format, hr_arrow_type *out);

static inline bool hr_arrow_is_text(const hr_arrow_type *type) {
    return type->kind <= HR_ARROW_TEXT_VIEW;
}

/* ---- arrow_text.c ---- */

enum { HR_ARROW_TEXT_MOST = 320 }; /* room in bytes for the text of a value and its final 0 */

/* The text of a value that is neither text nor null; `value` points to `width` bytes in memory
 * order, for a boolean to one byte. Returns its length. Numbers have the shortest text that
 * reads back as the same value, dates and times are ISO 8601 (in UTC where they have a time
 * zone). */
size_t hr_arrow_value_text(const hr_arrow_type *type, const void *value, char *text);
/* The value that such a text stands for; false if it is not a value of the type. */
bool hr_arrow_text_value(const hr_arrow_type *type, const char *text, void *value);

#endif
