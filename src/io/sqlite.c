/* sqlite.c - the entry of SQLite in the table of formats. A build without the library knows the
 * addresses too, and says what to install. */
#include "io/io.h"

#include <string.h>

static const char scheme[] = "sqlite:";

static bool takes(const char *address) {
    return !strncmp(address, scheme, sizeof scheme - 1);
}

static hr_status parse(const char *address, hr_address *out, hr_error *err) {
    return hr_address_parse(address, scheme, out, err);
}

#ifdef HR_SQLITE
#include "io/sqlite.h"

#define OPEN_READER  hr_sqlite_open_reader
#define OPEN_WRITER  hr_sqlite_open_writer
#define CHECK_OUTPUT hr_sqlite_check_output
#define READS        hr_sqlite_reads
#else
#define OPEN_READER  hr_absent_open_reader
#define OPEN_WRITER  hr_absent_open_writer
#define CHECK_OUTPUT hr_absent_check_output
#define READS        hr_absent_reads
#endif

static const hr_option options[] = {
    {.name = "replace",
     .help = "an output table of a database may replace the table of that name",
     .type = HR_OPTION_BOOL,
     .offset = offsetof(hr_format_options, replace),
     .commands = "anonymize"},
    {0},
};

const hr_format hr_format_sqlite = {
    .name = "sqlite",
    .title = "tables of a SQLite database: sqlite:FILE?table=NAME or sqlite:FILE?query=SELECT ...",
    .reference = "SQLite 3 (sqlite.org)",
    .options = options,
    .scheme = scheme,
    .package = "libsqlite3-dev",
    .takes = takes,
    .parse = parse,
    .open_reader = OPEN_READER,
    .open_writer = OPEN_WRITER,
    .check_output = CHECK_OUTPUT,
    .reads = READS,
};
