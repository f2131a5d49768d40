/* foreign.c - recognizes files that are not CSV by their first bytes, and prints the command line
 * that converts them. Without this, a workbook read as CSV would only give an error about a NUL
 * byte, and JSON one about its quotes. */
#include "io/io.h"

#include <ctype.h>
#include <string.h>

/* In `line`, @ stands for the name of the file and # for the name with the ending .csv. */
struct hr_foreign {
    const char *title, *ending, *line;
};

#define LIBREOFFICE                                                                                \
    "save it as `CSV UTF-8` in the program that wrote it, or run: libreoffice --headless "         \
    "--convert-to 'csv:Text - txt - csv (StarCalc):44,34,76' '@'"
#define HAVEN(reader)                                                                              \
    "run: Rscript -e \"write.csv(haven::" reader "('@'), '#', row.names=FALSE, na='')\""
#define PYARROW(reader)                                                                            \
    "run: python3 -c \"import pyarrow.csv as c, pyarrow.feather as f; "                            \
    "c.write_csv(" reader "('@'), '#')\""

static const hr_foreign xlsx = {"an Excel workbook", "xlsx", LIBREOFFICE};
static const hr_foreign xls = {"an Excel workbook", "xls", LIBREOFFICE};
static const hr_foreign ods = {"an OpenDocument spreadsheet", "ods", LIBREOFFICE};
static const hr_foreign zip = {"a zip archive", "zip", "run: unzip '@'"};
static const hr_foreign parquet = {"a Parquet file", "parquet",
                                   "run: duckdb -c \"COPY (FROM '@') TO '#'\""};
static const hr_foreign feather = {"an Arrow file (Feather)", "feather", PYARROW("f.read_table")};
static const hr_foreign stream = {"an Arrow stream", "arrows",
                                  "run: python3 -c \"import pyarrow as a, pyarrow.csv as c; "
                                  "c.write_csv(a.ipc.open_stream('@').read_all(), '#')\""};
static const hr_foreign spss = {"an SPSS file", "sav", HAVEN("read_sav")};
static const hr_foreign stata = {"a Stata file", "dta", HAVEN("read_dta")};
static const hr_foreign sas = {"a SAS file", "sas7bdat", HAVEN("read_sas")};

static const hr_foreign json = {"JSON", "json",
                                "run: duckdb -c \"COPY (FROM read_json('@')) TO '#'\""};
static const hr_foreign web = {"a web page (HTML)", "html", LIBREOFFICE};
static const hr_foreign xml = {"an XML file", "xml", LIBREOFFICE};
static const hr_foreign pdf = {"a PDF file", "pdf", "ask for the table that it was made of"};
static const hr_foreign duckdb = {"a DuckDB database", "duckdb",
                                  "run: duckdb '@' -c \"COPY (FROM NAME) TO 'NAME.csv'\""};

static const struct {
    const char *bytes;
    size_t length;
    const hr_foreign *kind;
} starts[] = {{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 8, &xls},
              {"PAR1", 4, &parquet},
              {"ARROW1", 6, &feather},
              {"FEA1", 4, &feather},
              {"\xff\xff\xff\xff", 4, &stream},
              {"$FL2", 4, &spss},
              {"$FL3", 4, &spss},
              {"<stata_dta>", 11, &stata},

              {"\0\0\0\0\0\0\0\0\0\0\0\0\xc2\xea\x81\x60", 16, &sas}};

static bool contains(const char *bytes, size_t length, const char *text) {
    size_t wanted = strlen(text);
    for (const char *at = bytes, *end = bytes + length; (size_t)(end - at) >= wanted; at++) {
        at = memchr(at, *text, (size_t)(end - at) - wanted + 1);
        if (!at) return false;
        if (!memcmp(at, text, wanted)) return true;
    }
    return false;
}

/* The names of an archive's members are not compressed. */
static const hr_foreign *archive(const char *bytes, size_t length) {
    if (contains(bytes, length, "opendocument.spreadsheet")) return &ods;
    return contains(bytes, length, "xl/") ? &xlsx : &zip;
}

/* A byte that no text has. "PAR1" alone may be the name of a column. */
static bool has_control(const char *bytes, size_t length) {
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)bytes[i] < ' ' && !strchr("\t\r\n", bytes[i])) return true;
    return memchr(bytes, '\0', length) != NULL;
}

/* Does the text begin with `start`, whatever its capitals? */
static bool begins_with(const char *bytes, size_t length, const char *start) {
    size_t wanted = strlen(start);
    if (length < wanted) return false;
    for (size_t i = 0; i < wanted; i++)
        if (tolower((unsigned char)bytes[i]) != start[i]) return false;
    return true;
}

/* `[{"key": ...` or `{"key": ...`, with blanks and line breaks between the signs. */
static bool is_json(const char *bytes, size_t length) {
    const char *expected = length && *bytes == '[' ? "[{\"" : "{\"";
    size_t at = 0;
    for (; *expected; expected++, at++) {
        while (at < length && isspace((unsigned char)bytes[at]))
            at++;
        if (at == length || bytes[at] != *expected) return false;
    }
    while (at < length && bytes[at] != '"' && bytes[at] != '\n')
        at++;
    for (at++; at < length && bytes[at] == ' ';)
        at++;
    return at < length && bytes[at] == ':';
}

/* Formats that are texts themselves. */
static const hr_foreign *marked_text(const char *bytes, size_t length) {
    while (length && isspace((unsigned char)*bytes))
        bytes++, length--;
    if (is_json(bytes, length)) return &json;
    if (begins_with(bytes, length, "<?xml")) return &xml;
    if (begins_with(bytes, length, "%pdf-")) return &pdf;
    bool page = begins_with(bytes, length, "<!doctype html") ||
                begins_with(bytes, length, "<html") || begins_with(bytes, length, "<table");
    return page ? &web : NULL;
}

const hr_foreign *hr_foreign_find(const char *bytes, size_t length) {
    if (length >= 4 && !memcmp(bytes, "PK\3\4", 4)) return archive(bytes, length);
    if (length >= 12 && !memcmp(bytes + 8, "DUCK", 4) && has_control(bytes, 8)) return &duckdb;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (length >= starts[i].length && !memcmp(bytes, starts[i].bytes, starts[i].length) &&
            has_control(bytes, length))
            return starts[i].kind;
    return marked_text(bytes, length);
}

/* Can the name stand between quotes in a command line? */
static bool is_plain(const char *name) {
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && (unsigned char)*c < 0x80 && !strchr("._/-+ ", *c))
            return false;
    return strlen(name) <= 80 && strcmp(name, "standard input") != 0;
}

/* Replaces @ and # in the line. */
static void put_line(const char *line, const char *name, hr_text *out) {
    const char *slash = strrchr(name, '/'), *dot = strrchr(name, '.');
    bool ends = dot && dot > (slash ? slash + 1 : name);
    size_t stem = ends ? (size_t)(dot - name) : strlen(name);
    for (; *line; line++) {
        if (*line == '@')
            hr_text_puts(out, name);
        else if (*line == '#')
            hr_text_printf(out, "%.*s.csv", (int)stem, name);
        else
            hr_text_add(out, line, 1);
    }
}

hr_status hr_foreign_fail(const hr_foreign *kind, const char *name, hr_error *err) {
    char usual[32];
    hr_text line = {0};
    snprintf(usual, sizeof usual, "FILE.%s", kind->ending);
    put_line(kind->line, is_plain(name) ? name : usual, &line);
    hr_status status =
        line.failed ? hr_fail(err, HR_ENOMEM, "out of memory")
                    : hr_fail(err, HR_EDATA, "%s is %s, not CSV: %s", name, kind->title, line.data);
    hr_text_free(&line);
    return status;
}
