/* client.c - an example client of libhedgerow: builds a table, sets up a job, runs it, and prints
 * the release and the data owner's report. Uses only the public header. */
#include <hedgerow.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const names[] = {"name", "age", "town", "diagnosis"};
static const char *const people[][4] = {
    {"Ada", "31", "Namur", "flu"},    {"Bela", "34", "Namur", "asthma"},
    {"Cleo", "36", "Liège", "flu"},   {"Dora", "38", "Liège", "angina"},
    {"Emil", "52", "Ghent", "flu"},   {"Fay", "55", "Ghent", "asthma"},
    {"Gus", "57", "Ghent", "angina"}, {"Hal", "58", "Namur", "flu"},
};

/* Keys and values, as for the flags of the command. */
static const char *const settings[][2] = {
    {"identifier", "name"},
    {"quasi", "age,town"},
    {"numeric", "age"},
    {"hierarchy", "town=flat"},
    {"sensitive", "diagnosis"},
    {"k", "2"},
    {"p", "2"},
    {"algorithm", "greedy-pk"},
};

static void must(hr_status status, const hr_error *err) {
    if (status == HR_OK) return;
    fprintf(stderr, "client: %s\n", err->message);
    exit(status == HR_ENOSOL ? 2 : 1);
}

static void print_row(const hr_table *table, size_t row) {
    for (size_t c = 0; c < hr_table_columns(table); c++)
        printf("%s%s", c ? "," : "", hr_table_text(table, row, c));
    putchar('\n');
}

int main(void) {
    hr_error err = {0};
    hr_table *table;
    must(hr_table_new(4, names, &table, &err), &err);
    for (size_t i = 0; i < sizeof people / sizeof *people; i++)
        must(hr_table_append(table, people[i], &err), &err);

    hr_job *job;
    must(hr_job_new(&job, &err), &err);
    must(hr_job_set_input(job, table, &err), &err);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        must(hr_job_set(job, settings[i][0], settings[i][1], &err), &err);

    hr_release *release;
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
