/* arrow.c - an example client that feeds an Arrow stream: one batch of two columns, ages as
 * 64-bit integers and a dictionary of towns, handed over without a copy. A program that uses an
 * Arrow library gets the stream from there. Prints the type of each released column and its
 * rows. */
#include <hedgerow.h>
#include <hedgerow_arrow.h>
#include <stdio.h>
#include <stdlib.h>

static const int64_t ages[] = {31, 34, 36, 38, 52, 55};
static const int8_t town[] = {0, 0, 1, 1, 1, 0};
static const int32_t ends[] = {0, 5, 10};
static const char letters[] = "NamurGhent";

static void keep_array(struct ArrowArray *array) {
    array->release = NULL; /* everything is static: nothing to free */
}

static void keep_schema(struct ArrowSchema *schema) {
    schema->release = NULL;
}

static struct ArrowSchema texts = {.format = "u", .name = "", .release = keep_schema};
static struct ArrowSchema fields[] = {
    {.format = "l", .name = "age", .release = keep_schema},
    {.format = "c", .name = "town", .dictionary = &texts, .release = keep_schema}};
static struct ArrowSchema *field_list[] = {&fields[0], &fields[1]};
static const void *age_buffers[] = {NULL, ages}, *town_buffers[] = {NULL, town};
static const void *text_buffers[] = {NULL, ends, letters}, *no_buffers[] = {NULL};
static struct ArrowArray text_array = {
    .length = 2, .n_buffers = 3, .buffers = text_buffers, .release = keep_array};
static struct ArrowArray arrays[] = {
    {.length = 6, .n_buffers = 2, .buffers = age_buffers, .release = keep_array},
    {.length = 6,
     .n_buffers = 2,
     .buffers = town_buffers,
     .dictionary = &text_array,
     .release = keep_array}};
static struct ArrowArray *array_list[] = {&arrays[0], &arrays[1]};
static int batches = 1;

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    (void)stream;
    *out = (struct ArrowSchema){
        .format = "+s", .n_children = 2, .children = field_list, .release = keep_schema};
    return 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    (void)stream;
    *out = (struct ArrowArray){0}; /* without `release`: the end */
    if (batches-- > 0)
        *out = (struct ArrowArray){.length = 6,
                                   .n_buffers = 1,
                                   .buffers = no_buffers,
                                   .n_children = 2,
                                   .children = array_list,
                                   .release = keep_array};
    return 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream) {
    (void)stream;
    return NULL;
}

static void release_stream(struct ArrowArrayStream *stream) {
    stream->release = NULL;
}

static void must(hr_status status, const hr_error *err) {
    if (status == HR_OK) return;
    fprintf(stderr, "arrow: %s\n", err->message);
    exit(1);
}

int main(void) {
    struct ArrowArrayStream stream = {get_schema, get_next, get_last_error, release_stream, NULL};
    struct ArrowSchema schema;
    hr_error err = {0};
    hr_table *table;
    hr_job *job;
    hr_release *release;
    must(hr_table_from_arrow(&stream, NULL, 0, NULL, &table, &err), &err);
    must(hr_job_new(&job, &err), &err);
    must(hr_job_set_input(job, table, &err), &err);
    must(hr_job_set(job, "quasi", "age", &err), &err);
    must(hr_job_set(job, "numeric", "age", &err), &err);
    must(hr_job_set(job, "keep", "town", &err), &err);
    must(hr_job_set(job, "k", "3", &err), &err);
    must(hr_job_run(job, NULL, &release, &err), &err);
    const hr_table *released = hr_release_table(release);
    must(hr_table_to_arrow(released, &stream, &err), &err);
    if (stream.get_schema(&stream, &schema)) return 1;
    for (int64_t i = 0; i < schema.n_children; i++)
        printf("%s: %s\n", schema.children[i]->name, schema.children[i]->format);
    for (size_t row = 0; row < hr_table_rows(released); row++)
        printf("%s %s\n", hr_table_text(released, row, 0), hr_table_text(released, row, 1));
    schema.release(&schema);
    stream.release(&stream);
    hr_release_free(release);
    hr_job_free(job);
    hr_table_free(table);
    return 0;
}
