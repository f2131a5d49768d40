/* io.h - reading and writing tables: addresses, the table of formats with their readers and
 * writers, the parts of the CSV format, compressed input, and output files that appear whole or not
 * at all. Hierarchies, traces and certificates are tables, too. */
#ifndef HR_IO_H
#define HR_IO_H

#include "data/data.h"

/* ---- encoding.c: text that is not UTF-8, decoded while it is read ---- */

typedef enum {
    HR_ENCODING_AUTO, /* not given: UTF-8, or what a byte order mark says */
    HR_ENCODING_UTF8,
    HR_ENCODING_LATIN1,
    HR_ENCODING_WINDOWS1252,
    HR_ENCODING_UTF16LE,
    HR_ENCODING_UTF16BE
} hr_encoding;

/* Finds an encoding by a usual name: "ISO-8859-1", "cp1252", "UTF-16LE". */
hr_status hr_encoding_find(const char *text, hr_encoding *out, hr_error *err);
/* The value of the key `encoding`: "windows-1252". */
const char *hr_encoding_name(hr_encoding encoding);
/* The encoding by the byte order mark at the start, and the length of the mark; HR_ENCODING_AUTO
 * and 0 without a mark. */
hr_encoding hr_encoding_mark(const char *bytes, size_t length, size_t *mark);
/* The likely encoding of a file that begins with these bytes; HR_ENCODING_AUTO: none of those
 * supported. Latin-1 is reported as Windows-1252, which has all its characters. */
hr_encoding hr_encoding_guess(const char *bytes, size_t length);
/* The same for a whole file, which is read to its end. HR_ENCODING_AUTO also if the file has a byte
 * order mark. */
hr_status hr_encoding_guess_file(const char *path, const hr_watch *watch, hr_encoding *out,
                                 hr_error *err);

/* A decoder with the bytes that wait to be decoded. */
typedef struct {
    hr_encoding encoding;
    char *raw;
    size_t at, end, capacity;
    bool over;       /* all bytes were added */
    char fault[160]; /* why decoding stopped; empty: it did not */
} hr_decoder;

/* `first`: bytes that were read before the decoder was needed. */
hr_status hr_decoder_new(hr_encoding encoding, const char *first, size_t length, hr_decoder **out,
                         hr_error *err);
/* Decodes whole characters into `out`; returns the bytes stored. Needs room for 4 bytes. If bytes
 * cannot be decoded, stores the byte FF at their place, sets `fault` and is over. */
size_t hr_decode(hr_decoder *decoder, char *out, size_t room);
/* Where the caller puts more bytes; it then passes their number to hr_decoder_added (0: the
 * end). */
char *hr_decoder_room(hr_decoder *decoder, size_t *room);
void hr_decoder_added(hr_decoder *decoder, size_t bytes);
void hr_decoder_free(hr_decoder *decoder);

/* ---- foreign.c: files that are not CSV ---- */

typedef struct hr_foreign hr_foreign;

/* The kind of a file by its first bytes: a workbook, Parquet, ...; NULL: it may be CSV. */
const hr_foreign *hr_foreign_find(const char *bytes, size_t length);
/* Fails with a message that contains the command line to convert the file. */
hr_status hr_foreign_fail(const hr_foreign *kind, const char *name, hr_error *err);

/* ---- format.c: the plug-in table ---- */

/* The options of all formats. The option tables of the formats refer to these fields, and the keys
 * of a job set them. Zeroed: the defaults. */
typedef struct {
    char delimiter;        /* of CSV; 0: detected among , ; tab | */
    hr_encoding encoding;  /* of CSV that is read */
    int decimal;           /* decimal sign in texts, 0: point, 1: comma; see hr_format_point */
    char output_delimiter; /* of a release as CSV; 0: that of the input */
    bool bom, crlf;        /* the release begins with a byte order mark; its lines end with CR LF */
    bool replace;          /* an output table of a database replaces the table of that name */
} hr_format_options;

typedef struct {
    char delimiter;       /* of CSV; 0: detected */
    hr_encoding encoding; /* of CSV, unless the file has a byte order mark */
    bool utf8_first;      /* `encoding` or UTF-8: the first character beyond ASCII decides */
    bool no_header; /* CSV has no header: columns are named "0", "1", ...; databases ignore it */
    /* Called once with the names of the header, before any row; sets keep[i]. A column that is not
     * kept is skipped while reading and never encoded. NULL keeps all. */
    hr_status (*choose)(const char *const *names, size_t count, bool *keep, void *payload,
                        hr_error *err);
    void *payload;
    bool alike; /* names of columns may differ in blanks or composed letters only: hr_same_name */
    /* Values of types that are not read, such as arrays, and columns that the role may not read are
     * missing, and their columns say why (`unread`); otherwise they are errors. */
    bool skip_unread;
    const hr_watch *watch; /* progress is in bytes of a file or rows of a database; may be NULL */
    size_t block; /* of CSV: bytes read at a time, 0: 1 MiB; tests split rows with tiny blocks */
} hr_read_options;

/* A table that is being read: the first member of a format's own struct. */
typedef struct hr_reader hr_reader;
struct hr_reader {
    const char *name;         /* of the table, for messages */
    const char *const *names; /* the header, all different */
    size_t column_count;
    /* Chooses the columns to read. Called once, before the first row. */
    hr_status (*start)(hr_reader *reader, const bool *keep, hr_error *err);
    /* Appends some rows to `table`, which has the chosen columns and is the same in every call.
     * *more is false after the last rows; the columns then have their types. A table without rows
     * is HR_EDATA. */
    hr_status (*next)(hr_reader *reader, hr_table *table, bool *more, hr_error *err);
    void (*close)(hr_reader *reader); /* frees the reader */
};

typedef struct hr_format hr_format;

/* A database that several writers share: the first member of a format's own struct. */
typedef struct hr_shared_output {
    const hr_format *format;
    struct hr_shared_output *next;
} hr_shared_output;

/* Writers that share databases; see hr_write_options. Valid when zeroed. */
typedef struct {
    hr_shared_output *first;
} hr_write_group;

/* Comments that a database stores with a table and its columns. They never describe single rows. */
typedef struct {
    const char *table;
    const char *const *columns; /* of each column; NULL: none */
} hr_table_notes;

typedef struct {
    bool private; /* only the data owner may read a file that is created */
    bool replace; /* see hr_format_options */
    /* Of CSV: */
    char delimiter; /* 0: that of the table */
    bool bom, crlf; /* see hr_format_options */
    /* Writers of one group that write to the same database share a transaction. It is committed
     * when all of them are, and rolled back when one is discarded. NULL: no other writer. */
    hr_write_group *group;
    const hr_watch *watch; /* or NULL */
    const hr_table_notes
        *notes; /* or NULL; they must outlive the writer. CSV has no place for them */
    /* For check_output: the columns that the table will have, if they are known; or NULL. */
    const char *const *names;
    size_t name_count;
} hr_write_options;

/* A table that is being written: the first member of a format's own struct. */
typedef struct hr_writer hr_writer;
struct hr_writer {
    /* True for standard output, pipes and devices: their readers see rows before the commit, and
     * discarding the writer does not take the rows back. */
    bool direct;
    /* Appends all rows of a table. The columns of the first table, which may have no rows, become
     * the header; later ones have the same columns. */
    hr_status (*append)(hr_writer *writer, const hr_table *table, hr_error *err);
    /* Flushes all rows, so that a full disk is reported here. They do not appear yet. */
    hr_status (*finish)(hr_writer *writer, hr_error *err);
    /* Called when all outputs of a run are finished and none is committed: does everything else
     * that may fail, such as waiting for readers of the old table. NULL: there is nothing. */
    hr_status (*prepare)(hr_writer *writer, hr_error *err);
    /* Finishes and makes the rows appear, in place of what the address held before. Frees the
     * writer, also on failure. */
    hr_status (*commit)(hr_writer *writer, hr_error *err);
    /* Leaves the address as it was and frees the writer. */
    void (*discard)(hr_writer *writer);
};

/* Where an address leads to: a file or a server, and within a database a table or a query. */
typedef struct {
    char *file;          /* of a server: what to connect to, with the password if there is one */
    char *table, *query; /* both NULL: the address is the whole file */
} hr_address;

struct hr_format {
    const char *name, *title, *reference;
    const hr_option *options; /* offsets are in hr_format_options */
    const char *scheme;       /* addresses are SCHEME and a path: "sqlite:"; NULL: they are paths */
    bool server;              /* addresses lead to a server, and have no path */
    const char *package;      /* Debian's package of the library that the format needs, or NULL */
    bool (*takes)(const char *address);
    hr_status (*parse)(const char *address, hr_address *out, hr_error *err);
    hr_status (*open_reader)(const char *address, const hr_read_options *options, hr_reader **out,
                             hr_error *err);
    hr_status (*open_writer)(const char *address, const hr_write_options *options, hr_writer **out,
                             hr_error *err);
    /* Fails early if open_writer is bound to fail. Writes nothing. NULL: failures cannot be
     * predicted. */
    hr_status (*check_output)(const char *address, const hr_write_options *options, hr_error *err);
    /* Does reading the address read the table of `output`? Called for addresses of the same file,
     * or of servers, which may be different. NULL if addresses have no tables. */
    hr_status (*reads)(const hr_address *address, const hr_address *output, bool *out,
                       hr_error *err);
};

/* The decimal sign of the numbers in a column of the input; `column` NULL: of published numbers.
 * Values that came as numbers, from a database or as Arrow arrays, always have a point. */
char hr_format_point(const hr_format_options *options, const hr_column *column);

extern const hr_format *const hr_formats[]; /* ends with NULL */
/* The format that takes an address. */
const hr_format *hr_format_for(const char *address);

/* Reads the chosen columns of a table. */
hr_status hr_table_load(const char *address, const hr_read_options *options, hr_table **out,
                        hr_error *err);
/* Reads the columns named, as hr_table_read_columns does. */
hr_status hr_table_load_columns(const char *path, const hr_read_options *how,
                                const char *const *columns, size_t count, hr_table **out,
                                hr_error *err);
/* The same with a reader, which the caller closes. */
hr_status hr_reader_load(hr_reader *reader, const hr_read_options *options, hr_table **out,
                         hr_error *err);
/* Fails if two columns of a header have the same name; see hr_same_name. `alike`: the same bytes.
 * `name` NULL: a table in memory. */
hr_status hr_header_check(const char *name, const char *const *names, size_t count, bool alike,
                          hr_error *err);

hr_status hr_writer_open(const char *address, const hr_write_options *options, hr_writer **out,
                         hr_error *err);
/* Fails early if an output cannot be written; see check_output of hr_format. */
hr_status hr_output_check(const char *address, const hr_write_options *options, hr_error *err);

/* ---- address.c ---- */

/* Parses SCHEME FILE?table=NAME or SCHEME FILE?query=SELECT...; what follows the `?` is
 * percent-decoded. */
hr_status hr_address_parse(const char *address, const char *scheme, hr_address *out, hr_error *err);
/* Stores the value of one part, `table=NAME` or `query=SELECT...`. */
hr_status hr_address_parse_part(const char *address, const char *scheme, const char *part,
                                hr_address *out, hr_error *err);
/* The address without its password, for people. The caller frees it; NULL with HR_ENOMEM. */
char *hr_address_masked(const char *address, hr_error *err);
/* A path as an address of a whole file. */
hr_status hr_address_of_path(const char *path, hr_address *out, hr_error *err);
void hr_address_free(hr_address *address);
/* Joins a relative path of an address to a folder. The caller frees the result; NULL with
 * HR_ENOMEM. */
char *hr_address_join(const char *folder, const char *address, hr_error *err);
/* The inverse (address_relative.c): the address relative to `folder`. Returns it unchanged if
 * `folder` is NULL or one of the folders does not exist. */
char *hr_address_relative(const char *folder, const char *address, hr_error *err);
/* Would writing to `output` change the table at `other`? Recognizes the same file through links and
 * other spellings of its path. Different tables in one file do not overlap. *tables is set if both
 * addresses are tables or queries. */
hr_status hr_address_overlaps(const char *output, const char *other, bool *out, bool *tables,
                              hr_error *err);

/* ---- output.c: a file that appears whole or not at all ---- */

typedef struct hr_output hr_output;

/* Opens an output for `path`; "-" is standard output. A regular file is written under a temporary
 * name in the same folder, readable by its owner alone; hr_output_commit gives it the mode of the
 * file it replaces, or the default mode of new files. Where a signal interrupts waiting for a
 * pipe's reader, `watch` (or NULL) decides whether to stop, with HR_ECANCEL. */
hr_status hr_output_open(const char *path, const hr_watch *watch, hr_output **out, hr_error *err);
/* The same for files that only the data owner may read: the mode is always 0600. */
hr_status hr_output_open_private(const char *path, const hr_watch *watch, hr_output **out,
                                 hr_error *err);
/* An output whose bytes go to a function instead of a file. */
typedef void hr_sink(const char *bytes, size_t length, void *payload);
hr_status hr_output_open_sink(hr_sink *sink, void *payload, hr_output **out, hr_error *err);
/* True for standard output, pipes and devices: their readers see bytes before the commit, and
 * discarding the output does not take the bytes back. */
bool hr_output_is_direct(const hr_output *output);
/* Buffered. Failures are kept and returned by hr_output_finish and hr_output_commit. */
void hr_output_add(hr_output *output, const char *bytes, size_t length);
void hr_output_puts(hr_output *output, const char *text);
/* Records a failure of the code that produces the bytes, as if writing had failed. */
void hr_output_fail(hr_output *output, const hr_error *failure);
/* Flushes all bytes to disk, so that a full disk is reported here. The file does not appear yet. */
hr_status hr_output_finish(hr_output *output, hr_error *err);
/* Finishes and renames over `path`. Frees the output, also on failure. */
hr_status hr_output_commit(hr_output *output, hr_error *err);
/* Removes the temporary file and frees the output. NULL is allowed. */
void hr_output_discard(hr_output *output);
/* Writes all bytes, however often signals interrupt. On failure returns false and sets errno. */
bool hr_write_all(int fd, const char *bytes, size_t length);
/* fsync, however often signals interrupt. */
bool hr_sync(int fd);

/* ---- digest.c: hashes that identify inputs and releases ---- */

/* Is the path a regular file, which can be read again, and not a pipe or a device? */
bool hr_is_plain_file(const char *path);
/* SHA-256 of the bytes of a file, as they are on disk. */
hr_status hr_file_digest(const char *path, char out[HR_SHA256_TEXT], hr_error *err);
/* SHA-256 of the CSV file that the table would be written to with these options. */
hr_status hr_table_digest(const hr_table *table, const hr_write_options *options,
                          char out[HR_SHA256_TEXT], hr_error *err);
/* Appends an address as reports may show it: without user, password and query. */
void hr_address_shown(const char *address, hr_text *out);

/* ---- source.c: the bytes of a plain, gzip or zstd file, distinguished by content ---- */

typedef struct hr_source hr_source;

/* Opens `path`; "-" is standard input. When a signal interrupts a call that waits for input,
 * `watch` (or NULL) decides whether to stop, with HR_ECANCEL. */
hr_status hr_source_open(const char *path, const hr_watch *watch, hr_source **out, hr_error *err);
/* Reads up to `room` bytes; *got is 0 at the end. A truncated compressed file is HR_EIO. */
hr_status hr_source_read(hr_source *source, char *bytes, size_t room, size_t *got, hr_error *err);
uint64_t hr_source_position(const hr_source *source); /* bytes of the file consumed so far */
uint64_t hr_source_size(const hr_source *source);     /* bytes of the file, 0 if unknown */
void hr_source_close(hr_source *source);

/* Fails with HR_EIO and the reason in errno: "cannot read adult.csv: No such file or directory". */
hr_status hr_fail_errno(hr_error *err, const char *what, const char *path);

/* ---- csv_block.c: a file in blocks of whole rows ---- */

enum { HR_CSV_PAD = 64 }; /* readable bytes after the end of a block */
#define HR_CSV_NOWHERE SIZE_MAX

typedef struct {
    hr_source *source; /* NULL: bytes come from `memory` */
    const char *memory;
    size_t memory_left;
    hr_encoding encoding;      /* unless a byte order mark says otherwise */
    bool utf8_first;           /* see hr_read_options */
    bool started;              /* the byte order mark was looked for */
    const hr_foreign *foreign; /* what the file is instead of CSV, or NULL */
    hr_decoder *decoder;       /* NULL: the bytes are UTF-8 */
    char *bytes;               /* the block: `end` bytes and HR_CSV_PAD zeros */
    size_t capacity, end;
    bool over;      /* all bytes were read; a missing last line end was added */
    bool wide;      /* some character is beyond ASCII */
    size_t checked; /* bytes before this position were checked to be text */
    size_t bad;     /* position of the first byte that is not text, or HR_CSV_NOWHERE */
    uint64_t total; /* bytes read so far, before decoding */
} hr_csv_block;

/* `size` 0: the default size. The caller sets source or memory, encoding and utf8_first. */
hr_status hr_csv_block_init(hr_csv_block *block, size_t size, hr_error *err);
/* Moves the bytes from `from` on to the front and reads more behind them. The first call skips a
 * byte order mark. */
hr_status hr_csv_block_fill(hr_csv_block *block, size_t from, hr_error *err);
void hr_csv_block_free(hr_csv_block *block);

/* ---- csv_scan.c: finds the fields of a row ---- */

#define HR_CSV_DOUBLED (UINT32_C(1) << 31) /* bit of a length: the field has doubled quotes */

typedef struct {
    uint32_t start, length; /* position in the block, without the outer quotes */
} hr_csv_slice;

typedef struct {
    size_t base;   /* position of the current 64 bytes */
    uint64_t mask; /* bits of their delimiters, quotes and line ends that were not consumed yet */
} hr_csv_cursor;

typedef enum {
    HR_CSV_ROW,  /* a whole row */
    HR_CSV_MORE, /* the block ends before the row does */
    HR_CSV_STRAY /* text after a closing quote */
} hr_csv_found;

typedef struct {
    const char *bytes; /* the block */
    size_t end;        /* its length */
    size_t at;         /* where the next row begins; advances with HR_CSV_ROW only */
    uint64_t line;     /* line number of `at`, from 1 */
    char delimiter;
    const uint32_t *place; /* field i is stored at fields[place[i]] if i < columns */
    size_t columns;
    size_t field_count; /* of the row just scanned, without the last field if it is not whole */
    size_t fault;       /* row not whole: start of its last field, or of the stray text */
    hr_csv_cursor cursor;
} hr_csv_scanner;

/* Starts scanning at `at` of a block. */
void hr_csv_start(hr_csv_scanner *scanner, const char *bytes, size_t end, size_t at);
/* Finds the fields of the next row. Time: O(bytes). */
hr_csv_found hr_csv_scan(hr_csv_scanner *scanner, hr_csv_slice *fields);
/* Replaces doubled quotes by single ones in place; returns the new length. */
size_t hr_csv_unquote(char *text, size_t length);

/* ---- csv_detect.c ---- */

/* The delimiter of a file that begins with these bytes; HR_CSV_PAD bytes after them are
 * readable. */
char hr_csv_detect(const char *bytes, size_t length);
const char *hr_csv_delimiter_name(char delimiter); /* "comma", ... */

/* ---- csv_encode.c: turns the fields of a batch of rows into codes, column by column ---- */

typedef struct hr_csv_seen hr_csv_seen;

typedef struct {
    hr_csv_slice *fields; /* room x stride; the last one of each row receives skipped columns */
    size_t rows, room, columns, stride;
    uint32_t *codes;            /* of one column */
    hr_csv_seen *seen;          /* columns x seen_count: recent texts with their codes */
    size_t seen_count;          /* a power of two */
    hr_dictionary_item *missed; /* texts of one column that are not in `seen` */
    uint32_t *missed_row;
    uint64_t first[9]; /* first[n]: mask of the first n bytes of a word */
} hr_csv_batch;

hr_status hr_csv_batch_init(hr_csv_batch *batch, size_t columns, hr_error *err);
/* Appends the rows to the table and empties the batch. Unquotes fields in `bytes`. */
hr_status hr_csv_encode(hr_csv_batch *batch, char *bytes, hr_table *table, hr_error *err);
void hr_csv_batch_free(hr_csv_batch *batch);

/* ---- csv.c, csv_write.c ---- */

extern const hr_format hr_format_csv;
/* Reads the chosen columns of a CSV file. `options` may be NULL. */
hr_status hr_csv_read(const char *path, const hr_read_options *options, hr_table **out,
                      hr_error *err);
/* Parses a table in memory; `name` is used in messages. */
hr_status hr_csv_parse(const char *bytes, size_t length, const char *name,
                       const hr_read_options *options, hr_table **out, hr_error *err);
hr_status hr_csv_open_reader(const char *path, const hr_read_options *options, hr_reader **out,
                             hr_error *err);
hr_status hr_csv_open_writer(const char *path, const hr_write_options *options, hr_writer **out,
                             hr_error *err);
/* Writes one field, with quotes if it needs them. */
void hr_csv_field(hr_output *output, const char *text, size_t length, char delimiter);
/* Appends a field to a text in the same way. */
void hr_csv_text(hr_text *out, const char *text, char delimiter);
/* Writes the header and all rows in the notation of a release. */
void hr_csv_release(hr_output *output, const hr_table *table, const hr_write_options *options);

/* ---- sql.c: what the formats of databases share. `place` is a database, for messages ---- */

/* Appends a name in quotes. */
void hr_sql_quote(hr_text *sql, const char *name);

/* Names of tables. Valid when zeroed. */
typedef struct {
    char **names;
    size_t count, capacity;
} hr_sql_names;

hr_status hr_sql_names_add(hr_sql_names *list, const char *name, hr_error *err);
void hr_sql_names_free(hr_sql_names *list);

/* Fails because a table is absent, with the name among `others` that may be meant. */
hr_status hr_sql_no_table(const char *place, const char *table, const hr_sql_names *others,
                          hr_error *err);
/* Fails unless a column has a name, which is UTF-8. */
hr_status hr_sql_check_name(const char *place, const char *name, size_t column, hr_error *err);
/* Fails because of the value of a column in the row that follows those of the table. */
hr_status hr_sql_bad_value(const char *place, const hr_table *table, size_t column, const char *why,
                           hr_error *err);
/* Fails if the table is full. */
hr_status hr_sql_check_room(const char *place, const hr_table *table, hr_error *err);
/* Fails because an output would replace a table. */
hr_status hr_sql_table_exists(const char *place, const char *table, hr_error *err);
hr_status hr_sql_too_many_columns(const char *place, const char *database, size_t most,
                                  size_t count, hr_error *err);

/* Adds a database to those that the writers of a group share, and takes it out again. */
void hr_write_group_enter(hr_write_group *group, hr_shared_output *output, const hr_format *format);
void hr_write_group_leave(hr_write_group *group, const hr_shared_output *output);

/* ---- absent.c: the functions of a format whose library this build does not have ---- */

hr_status hr_absent_open_reader(const char *address, const hr_read_options *options,
                                hr_reader **out, hr_error *err);
hr_status hr_absent_open_writer(const char *address, const hr_write_options *options,
                                hr_writer **out, hr_error *err);
hr_status hr_absent_check_output(const char *address, const hr_write_options *options,
                                 hr_error *err);
hr_status hr_absent_reads(const hr_address *address, const hr_address *output, bool *out,
                          hr_error *err);

/* ---- sqlite.c, postgres.c ---- */

extern const hr_format hr_format_sqlite, hr_format_postgres;

#endif
