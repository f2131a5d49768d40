/* generate.c - the table of generated data sets, and the folder that one is written to. */
#include "generate/generate.h"

#include <errno.h>
#include <sys/stat.h>

const hr_generator hr_generators[] = {
    {"uu", "-hierarchy", hr_generate_papers}, {"un", "-hierarchy", hr_generate_papers},
    {"nu", "-hierarchy", hr_generate_papers}, {"nn", "-hierarchy", hr_generate_papers},
    {"census", NULL, hr_generate_census},     {0},
};

static const char *name_at(size_t i, const void *payload) {
    (void)payload;
    return hr_generators[i].name;
}

hr_status hr_generator_find(const char *name, const hr_generator **out, hr_error *err) {
    size_t count = 0;
    for (*out = hr_generators; (*out)->name; (*out)++, count++)
        if (strcmp((*out)->name, name) == 0) return HR_OK;
    *out = NULL;
    const char *nearest = hr_text_nearest(name, count, name_at, NULL);
    if (nearest)
        return hr_fail(err, HR_EINVAL, "there is no kind '%s' (did you mean '%s'?)", name, nearest);
    return hr_fail(err, HR_EINVAL, "there is no kind '%s': write uu, un, nu, nn or census", name);
}

static hr_status make_folder(const char *path, hr_error *err) {
    struct stat about;
    if (mkdir(path, 0777) == 0) return HR_OK;
    int why = errno;
    if (why == EEXIST && stat(path, &about) == 0 && S_ISDIR(about.st_mode)) return HR_OK;
    return hr_fail(err, HR_EIO, "the folder %s cannot be made: %s", path, strerror(why));
}

static hr_status make_folders(const char *folder, hr_error *err) {
    HR_TRY(make_folder(folder, err));
    hr_text path = {0};
    hr_text_printf(&path, "%s/hierarchies", folder);
    hr_status status =
        path.failed ? hr_fail(err, HR_ENOMEM, "out of memory") : make_folder(path.data, err);
    hr_text_free(&path);
    return status;
}

hr_status hr_generate(const hr_generator *generator, const hr_generate_request *request,
                      hr_error *err) {
    hr_generate_request complete = *request;
    complete.kind = generator->name;
    HR_TRY(make_folders(request->folder, err));
    return generator->write(&complete, err);
}
