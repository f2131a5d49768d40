/* generate_write.c - writes the files of a generated data set: small files from memory, rows as
 * they are drawn. */
#include "generate/generate.h"

#include <stdlib.h>
#include <sys/stat.h>

enum { ROWS_A_STEP = 4096 }; /* between two reports of progress */

static hr_status path_of(const hr_generation *request, const char *name, const char *suffix,
                         char **out, hr_error *err) {
    hr_text path = {0};
    hr_text_printf(&path, "%s/%s%s", request->folder, name, suffix);
    return hr_text_take(&path, out, err);
}

static hr_status open_file(const hr_generation *request, const char *name, const char *suffix,
                           hr_output **out, hr_error *err) {
    char *path;
    HR_TRY(path_of(request, name, suffix, &path, err));
    hr_status status = hr_output_open(path, request->watch, out, err);
    free(path);
    return status;
}

/* ---- Existing files ---- */

/* True if the file exists and has other bytes than `text`; NULL: if it exists. */
static bool differs(const char *path, const hr_text *text) {
    struct stat about;
    if (lstat(path, &about)) return false;
    if (!text || !S_ISREG(about.st_mode) || (uint64_t)about.st_size != text->length) return true;
    FILE *file = fopen(path, "rb");
    bool same = file;
    for (size_t at = 0; same && at < text->length; at++)
        same = getc(file) == (unsigned char)text->data[at];
    if (file) fclose(file);
    return !same;
}

static hr_status refuse_other(const hr_generation *request, const char *name, const char *suffix,
                              const hr_text *text, hr_error *err) {
    char *path;
    if (request->replace) return HR_OK;
    HR_TRY(path_of(request, name, suffix, &path, err));
    hr_status status = HR_OK;
    if (differs(path, text))
        status =
            hr_fail(err, HR_EINVAL, "%s exists: choose another folder, or give --replace", path);
    free(path);
    return status;
}

hr_status hr_generate_vacant(const hr_generation *request, const char *name, const char *suffix,
                             hr_error *err) {
    return refuse_other(request, name, suffix, NULL, err);
}

/* ---- Writing ---- */

hr_status hr_generate_file(const hr_generation *request, const char *name, hr_text *text,
                           hr_error *err) {
    hr_output *output = NULL;
    hr_status status = text->failed ? hr_fail(err, HR_ENOMEM, "out of memory")
                                    : refuse_other(request, name, "", text, err);
    if (status == HR_OK) status = open_file(request, name, "", &output, err);
    if (status == HR_OK) {
        hr_output_add(output, text->data, text->length);
        status = hr_output_commit(output, err);
    }
    hr_text_free(text);
    return status;
}

/* Writes all rows unless the watcher cancels. */
static hr_status add_rows(const hr_generation *request, hr_output *output,
                          char *(*row)(char *to, void *payload), void *payload, hr_error *err) {
    hr_progress progress = {0};
    hr_progress_start(&progress, request->watch, "generate", request->rows);
    hr_status status = HR_OK;
    char line[HR_GENERATE_ROW];
    for (uint64_t done = 0; done < request->rows && status == HR_OK;) {
        uint64_t left = request->rows - done, step = left < ROWS_A_STEP ? left : ROWS_A_STEP;
        for (uint64_t i = 0; i < step; i++) {
            char *end = row(line, payload);
            *end++ = '\n';
            hr_output_add(output, line, (size_t)(end - line));
        }
        done += step;
        status = hr_progress_add(&progress, step, err);
    }
    hr_progress_end(&progress);
    return status;
}

hr_status hr_generate_rows(const hr_generation *request, const char *header,
                           char *(*row)(char *to, void *payload), void *payload, hr_error *err) {
    hr_output *output = NULL;
    HR_TRY(open_file(request, request->kind, ".csv", &output, err));
    hr_output_puts(output, header);
    hr_output_add(output, "\n", 1);
    hr_status status = add_rows(request, output, row, payload, err);
    if (status == HR_OK) return hr_output_commit(output, err);
    hr_output_discard(output);
    return status;
}

char *hr_generate_number(char *to, uint64_t number) {
    char digits[20];
    int count = 0;
    do
        digits[count++] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    while (count > 0)
        *to++ = digits[--count];
    return to;
}
