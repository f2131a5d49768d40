/* csv_detect.c - finds out which of , ; tab | separates the fields: the one with which all of the
 * first records have the same number of fields, more than one; of several, the one with the most
 * fields. If there is none, the one with the most fields in the header. */
#include "io/io.h"

enum { RECORDS = 16 };

typedef struct {
    size_t header; /* fields of the first record */
    bool even;     /* all records have that many fields */
} tally;

static bool is_blank(const hr_csv_scanner *s, size_t at) {
    return s->bytes[at] == '\n' || s->bytes[at] == '\r';
}

static tally count_fields(const char *bytes, size_t length, char delimiter) {
    tally t = {.even = true};
    hr_csv_scanner s = {.delimiter = delimiter};
    hr_csv_start(&s, bytes, length, 0);
    for (size_t record = 0; record < RECORDS;) {
        size_t at = s.at;
        hr_csv_found found = hr_csv_scan(&s, NULL);
        if (found == HR_CSV_STRAY) t.even = false;
        if (found == HR_CSV_MORE && record == 0) t.header = s.field_count + 1;
        if (found != HR_CSV_ROW) break;
        if (is_blank(&s, at)) continue;
        if (record++ == 0) t.header = s.field_count;
        if (s.field_count != t.header) t.even = false;
    }
    return t;
}

char hr_csv_detect(const char *bytes, size_t length) {
    static const char candidates[] = {',', ';', '\t', '|'};
    char best = ',';
    tally of_best = {.header = 1};
    for (size_t i = 0; i < sizeof candidates; i++) {
        tally t = count_fields(bytes, length, candidates[i]);
        if (t.header <= 1 || t.even < of_best.even) continue;
        if (t.even == of_best.even && t.header <= of_best.header) continue;
        best = candidates[i];
        of_best = t;
    }
    return best;
}

const char *hr_csv_delimiter_name(char delimiter) {
    switch (delimiter) {
    case ',': return "comma";
    case ';': return "semicolon";
    case '\t': return "tab";
    case '|': return "bar";
    default: return "delimiter";
    }
}
