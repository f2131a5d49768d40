/* client.c - an example client of libhedgerow: builds a table from columns, runs a job, checks the
 * release against the table, and prints it from its codes. Uses only the public header. */
#include <hedgerow.h>
#include <stdio.h>
#include <stdlib.h>

enum { PEOPLE = 8 };
static const char *const age[] = {"31", "34", "36", "38", "52", "55", "57", "58"};
static const char *const towns[] = {"Namur", "Liège", "Ghent"};
static const uint32_t town[] = {0, 0, 1, 1, 2, 2, 2, 0};
static const char *const illness[] = {"flu", "asthma", "flu",  "gout",
                                      "flu", "asthma", "gout", "flu"};

static const hr_column_data columns[] = {
    {.size = sizeof *columns, .name = "age", .texts = age, .text_count = PEOPLE},
    {.size = sizeof *columns,
     .name = "town",
     .texts = towns,
     .text_count = 3,
     .codes = town,
     .code_count = PEOPLE},
    {.size = sizeof *columns, .name = "illness", .texts = illness, .text_count = PEOPLE}};

/* Keys and values, as for the flags of the command. */
static const char *const settings[][2] = {
    {"quasi", "age,town"},    {"numeric", "age"}, {"hierarchy", "town=flat"},
    {"sensitive", "illness"}, {"k", "2"},         {"p", "2"},
    {"order", "input"},
};

static void must(hr_status status, const hr_error *err) {
    if (status == HR_OK) return;
    fprintf(stderr, "client: %s (%s)\n", err->message, hr_status_name(status));
    exit(status == HR_ENOSOL ? 2 : 1);
}

int main(void) {
    hr_error err = {0};
    hr_table *table;
    hr_job *job;
    hr_release *release;
    hr_check *check;
    must(hr_table_from_columns(columns, 3, &table, &err), &err);
    must(hr_job_new(&job, &err), &err);
    must(hr_job_set_input(job, table, &err), &err);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        must(hr_job_set(job, settings[i][0], settings[i][1], &err), &err);
    must(hr_job_run(job, NULL, &release, &err), &err);
    const hr_table *released = hr_release_table(release);
    hr_check_request request = {
        .size = sizeof request, .masked_table = released, .original_table = table};
    must(hr_job_check(job, &request, NULL, &check, &err), &err);
    fputs(hr_check_summary(check), stdout);
    for (size_t row = 0; row < hr_table_rows(released); row++)
        for (size_t c = 0; c < hr_table_columns(released); c++)
            printf("%s%c", hr_table_code_text(released, c, hr_table_code(released, row, c), NULL),
                   c + 1 < hr_table_columns(released) ? ',' : '\n');
    puts(hr_release_report(release));
    hr_check_free(check);
    hr_release_free(release);
    hr_job_free(job);
    hr_table_free(table);
    return 0;
}
