/* generate.c - the table of generated data sets, the folder that one is written to, and the names
 * of the files in it. */
#include "generate/generate.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/stat.h>

struct hr_generated {
    char *table, *hierarchies, *jobs[2]; /* jobs[1] may be NULL */
};

/* ---- Generators ---- */

static const hr_generator generators[] = {
    {"uu", "-hierarchy", true, false, hr_generate_papers},
    {"un", "-hierarchy", true, false, hr_generate_papers},
    {"nu", "-hierarchy", true, false, hr_generate_papers},
    {"nn", "-hierarchy", true, false, hr_generate_papers},
    {"census", NULL, true, false, hr_generate_census},
    {"patients", NULL, false, true, hr_generate_patients},
    {0},
};

static const char *name_at(size_t i, const void *payload) {
    (void)payload;
    return generators[i].name;
}

const hr_generator *hr_generator_at(size_t i) {
    return i < sizeof generators / sizeof *generators - 1 ? &generators[i] : NULL;
}

const char *hr_generator_name(const hr_generator *generator) {
    return generator->name;
}

hr_status hr_generator_find(const char *name, const hr_generator **out, hr_error *err) {
    size_t count = 0;
    for (*out = generators; (*out)->name; (*out)++, count++)
        if (strcmp((*out)->name, name) == 0) return HR_OK;
    *out = NULL;
    const char *nearest = hr_text_nearest(name, count, name_at, NULL);
    if (nearest)
        return hr_fail(err, HR_EINVAL, "there is no kind '%s' (did you mean '%s'?)", name, nearest);
    return hr_fail(err, HR_EINVAL,
                   "there is no kind '%s': write uu, un, nu, nn, census or "
                   "patients",
                   name);
}

/* ---- Folders and files ---- */

static hr_status make_folder(const char *path, hr_error *err) {
    struct stat about;
    if (mkdir(path, 0777) == 0) return HR_OK;
    int why = errno;
    if (why == EEXIST && stat(path, &about) == 0 && S_ISDIR(about.st_mode)) return HR_OK;
    return hr_fail(err, HR_EIO, "the folder %s cannot be made: %s", path, strerror(why));
}

/* FOLDER/NAME followed by `end`. */
static hr_status join(const char *folder, const char *name, const char *end, char **out,
                      hr_error *err) {
    hr_text path = {0};
    hr_text_printf(&path, "%s/%s%s", folder, name, end);
    return hr_text_take(&path, out, err);
}

static hr_status name_files(const hr_generator *generator, const char *folder, hr_generated *out,
                            hr_error *err) {
    HR_TRY(join(folder, generator->name, ".csv", &out->table, err));
    if (generator->hierarchies) HR_TRY(join(folder, "hierarchies", "", &out->hierarchies, err));
    HR_TRY(join(folder, generator->name, ".yaml", &out->jobs[0], err));
    if (!generator->variant) return HR_OK;
    char name[64];
    snprintf(name, sizeof name, "%s%s", generator->name, generator->variant);
    return join(folder, name, ".yaml", &out->jobs[1], err);
}

static hr_status write_files(const hr_generator *generator, const hr_generation *request,
                             const hr_generated *files, hr_error *err) {
    HR_TRY(make_folder(request->folder, err));
    HR_TRY(hr_generate_vacant(request, generator->name, ".csv", err));
    HR_TRY(hr_generate_vacant(request, generator->name, ".yaml", err));
    if (generator->variant) {
        char name[64];
        snprintf(name, sizeof name, "%s%s", generator->name, generator->variant);
        HR_TRY(hr_generate_vacant(request, name, ".yaml", err));
    }
    if (files->hierarchies) HR_TRY(make_folder(files->hierarchies, err));
    return generator->write(request, err);
}

/* ---- The whole ---- */

/* Copies the request of a caller, whose struct may be of an older version. */
static hr_status copy_request(const hr_generate_request *given, hr_generate_request *out,
                              hr_error *err) {
    *out = (hr_generate_request){0};
    if (given->size < offsetof(hr_generate_request, replace))
        return hr_fail(err, HR_EINVAL,
                       "hr_generate_request: set `size` to sizeof(hr_generate_request)");
    memcpy(out, given, given->size < sizeof *out ? given->size : sizeof *out);
    return HR_OK;
}

static hr_status check_request(const hr_generator *generator, const hr_generate_request *request,
                               hr_error *err) {
    if (!request->folder || !*request->folder)
        return hr_fail(err, HR_EINVAL, "the folder for the generated files is missing");
    if (request->rows == 0 || request->rows >= HR_NONE)
        return hr_fail(err, HR_EINVAL, "%llu rows cannot be generated: ask for 1 to %u",
                       (unsigned long long)request->rows, HR_NONE - 1);
    if (!generator->hospital && (request->visits || request->language))
        return hr_fail(err, HR_EINVAL, "%s takes no %s: only patients does", generator->name,
                       request->visits ? "--visits" : "--language");
    if (request->language && strcmp(request->language, "de") && strcmp(request->language, "en"))
        return hr_fail(err, HR_EINVAL, "there is no language '%s': write de or en",
                       request->language);
    return HR_OK;
}

/* A copy without the slash that shell completion appends to `demo/`. The caller frees it. */
static char *without_last_slash(const char *path, hr_error *err) {
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    return hr_copy_text(path, length, err);
}

static hr_status generate(const hr_generator *generator, const hr_generate_request *request,
                          const hr_watch *watch, hr_generated *files, hr_error *err) {
    char *folder = without_last_slash(request->folder, err);
    if (!folder) return HR_ENOMEM;
    hr_generation asked = {.kind = generator->name,
                           .folder = folder,
                           .rows = request->rows,
                           .seed = request->seed,
                           .visits = request->visits,
                           .german = request->language && !strcmp(request->language, "de"),
                           .replace = request->replace,
                           .watch = watch};
    hr_status status = name_files(generator, folder, files, err);
    if (status == HR_OK) status = write_files(generator, &asked, files, err);
    free(folder);
    return status;
}

hr_status hr_generate(const hr_generator *generator, const hr_generate_request *request,
                      const hr_watch *watch, hr_generated **out, hr_error *err) {
    hr_watch own;
    hr_generate_request asked;
    *out = NULL;
    HR_TRY(hr_watch_copy(watch, &own, err));
    HR_TRY(copy_request(request, &asked, err));
    HR_TRY(check_request(generator, &asked, err));
    hr_generated *files = hr_alloc(1, sizeof *files, err);
    if (!files) return HR_ENOMEM;
    hr_status status = generate(generator, &asked, &own, files, err);
    if (status == HR_OK)
        *out = files;
    else
        hr_generated_free(files);
    return status;
}

const char *hr_generated_table(const hr_generated *generated) {
    return generated->table;
}

const char *hr_generated_hierarchies(const hr_generated *generated) {
    return generated->hierarchies;
}

const char *hr_generated_job(const hr_generated *generated, size_t i) {
    return i < sizeof generated->jobs / sizeof *generated->jobs ? generated->jobs[i] : NULL;
}

void hr_generated_free(hr_generated *generated) {
    if (!generated) return;
    free(generated->table);
    free(generated->hierarchies);
    free(generated->jobs[0]);
    free(generated->jobs[1]);
    free(generated);
}
