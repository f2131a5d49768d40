/* client.c - an example client of libhedgerow: builds a table from columns, sets up a job, runs it, and
 * prints the release from its codes, and the data owner's report. Uses only the public header. */
#include <hedgerow.h>
#include <stdio.h>
#include <stdlib.h>

enum { PEOPLE = 8 };
static const char *const name[] = {"Ada", "Bela", "Cleo", "Dora", "Emil", "Fay", "Gus", "Hal"};
static const char *const age[] = {"31", "34", "36", "38", "52", "55", "57", "58"};
static const char *const towns[] = {"Namur", "Liège", "Ghent"};
static const uint32_t town[] = {0, 0, 1, 1, 2, 2, 2, 0};
static const char *const illnesses[] = {"flu", "asthma", "angina"};
static const uint32_t illness[] = {0, 1, 0, 2, 0, 1, 2, 0};

#define TEXTS(column)                                                                              \
    { .size = sizeof(hr_column_data), .name = #column, .texts = column, .text_count = PEOPLE }
#define CODES(column, values)                                                                      \
    {                                                                                              \
        .size = sizeof(hr_column_data), .name = #column, .texts = values, .text_count = 3,         \
        .codes = column, .code_count = PEOPLE                                                      \
    }

/* Keys and values, as for the flags of the command. */
static const char *const settings[][2] = {
    {"identifier", "name"},
    {"quasi", "age,town"},
    {"numeric", "age"},
    {"hierarchy", "town=flat"},
    {"sensitive", "illness"},
    {"k", "2"},
    {"p", "2"},
    {"algorithm", "greedy-pk"},
};

static void must(hr_status status, const hr_error *err) {
    if (status == HR_OK) return;
    fprintf(stderr, "client: %s (%s)\n", err->message, hr_status_name(status));
    exit(status == HR_ENOSOL ? 2 : 1);
}

static void print_row(const hr_table *table, size_t row) {
    for (size_t c = 0; c < hr_table_columns(table); c++)
        printf("%s%s", c ? "," : "",
               hr_table_code_text(table, c, hr_table_code(table, row, c), NULL));
    putchar('\n');
}

int main(void) {
    const hr_column_data columns[] = {TEXTS(name), TEXTS(age), CODES(town, towns),
                                      CODES(illness, illnesses)};
    hr_error err = {0};
    hr_table *table;
    hr_job *job;
    hr_release *release;
    must(hr_table_from_columns(columns, 4, &table, &err), &err);
    must(hr_job_new(&job, &err), &err);
    must(hr_job_set_input(job, table, &err), &err);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        must(hr_job_set(job, settings[i][0], settings[i][1], &err), &err);
    must(hr_job_run(job, NULL, &release, &err), &err);
    const hr_table *released = hr_release_table(release);
    for (size_t row = 0; row < hr_table_rows(released); row++)
        print_row(released, row);
    puts(hr_release_report(release));
    hr_release_free(release);
    hr_job_free(job);
    hr_table_free(table);
    return 0;
}
