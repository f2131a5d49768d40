/* ui_paths.c - keeps the server to files below the start folder and in its private folder. Paths
 * are resolved before they are compared, so that neither `..` nor a symbolic link leads out. */
#include "ui/ui_desk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LISTED_MOST = 2000 };

const char *ui_path_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

char *ui_path_folder(const char *path) {
    const char *slash = strrchr(path, '/');
    if (!slash) return ui_copy(".");
    return slash == path ? ui_copy("/") : ui_format("%.*s", (int)(slash - path), path);
}

/* ---- Confinement ---- */

static bool is_below(const char *path, const char *folder) {
    size_t length = strlen(folder);
    if (length == 1) return *path == '/'; /* the start folder is / */
    return !strncmp(path, folder, length) && (path[length] == '/' || !path[length]);
}

/* The real path of a file that may not exist yet: of its folder, and its name. NULL: there is no
 * such folder, or a symbolic link that leads nowhere. */
static char *resolve(const char *path) {
    struct stat about;
    char *found = realpath(path, NULL);
    if (found || errno != ENOENT) return found;
    const char *name = ui_path_name(path);
    if (!*name || !strcmp(name, ".") || !strcmp(name, "..") || lstat(path, &about) == 0)
        return NULL;
    char *folder = ui_path_folder(path);
    char *real = folder ? realpath(folder, NULL) : NULL;
    char *joined = real ? ui_format("%s/%s", real[1] ? real : "", name) : NULL;
    free(folder);
    free(real);
    return joined;
}

/* A table of a server has no file. */
static bool is_served(const char *address) {
    return !strncmp(address, "postgresql:", 11) || !strncmp(address, "postgres:", 9);
}

/* The file of an address. */
static char *file_of(const char *folder, const char *address) {
    bool sqlite = !strncmp(address, "sqlite:", 7);
    const char *path = sqlite ? address + 7 : address;
    int length = (int)(sqlite ? strcspn(path, "?") : strlen(path));
    return *path == '/' || !folder ? ui_format("%.*s", length, path)
                                   : ui_format("%s/%.*s", folder, length, path);
}

hr_status ui_path_confine(const char *start, const char *own, const char *folder,
                          const char *address, hr_error *err) {
    if (!strcmp(address, "-"))
        return hr_fail(err, HR_EINVAL, "the page reads and writes files: '-' is none");
    if (is_served(address)) return HR_OK;
    char *path = file_of(folder, address), *real = path ? resolve(path) : NULL;
    bool inside = real && (is_below(real, start) || is_below(real, own));
    bool missing = !real && path;
    free(path);
    free(real);
    if (inside) return HR_OK;
    if (missing)
        return hr_fail(err, HR_EINVAL,
                       "'%s': there is no such file or folder below the start "
                       "folder",
                       address);
    return hr_fail(err, HR_EINVAL,
                   "'%s' is outside of the folder in which the page was started: start it in a "
                   "folder that has all files of the job",
                   address);
}

hr_status ui_path_check_file(const char *folder, const char *address, hr_error *err) {
    struct stat about = {0};
    if (is_served(address)) return HR_OK;
    char *path = file_of(folder, address);
    if (!path) return hr_fail(err, HR_ENOMEM, "out of memory");
    int failed = access(path, R_OK) || stat(path, &about) ? errno : 0;
    free(path);
    if (failed) return hr_fail(err, HR_EIO, "cannot read %s: %s", address, strerror(failed));
    if (S_ISREG(about.st_mode)) return HR_OK;
    return hr_fail(err, HR_EINVAL,
                   S_ISDIR(about.st_mode)
                       ? "%s is a folder: name a file in it, or start the page in this folder"
                       : "%s is not a regular file",
                   address);
}

typedef struct {
    const char *start, *own, *folder;
} confinement;

static hr_status check_path(const char *address, void *payload, hr_error *err) {
    const confinement *c = payload;
    return ui_path_confine(c->start, c->own, c->folder, address, err);
}

hr_status ui_job_confine(const char *start, const char *own, const char *folder, const char *text,
                         hr_error *err) {
    confinement c = {start, own, folder};
    return ui_yaml_paths(text, check_path, &c, err);
}

/* ---- Listing ---- */

static int by_name(const void *a, const void *b) {
    const json_t *const *left = a, *const *right = b;
    int folders = json_is_true(json_object_get(*right, "folder")) -
                  json_is_true(json_object_get(*left, "folder"));
    if (folders) return folders;
    return strcmp(json_string_value(json_object_get(*left, "name")),
                  json_string_value(json_object_get(*right, "name")));
}

/* {name, folder, size}; NULL: it is not shown. */
static json_t *describe(int folder, const char *name) {
    struct stat about;
    if (*name == '.' || fstatat(folder, name, &about, 0)) return NULL;
    bool is_folder = S_ISDIR(about.st_mode);
    if (!is_folder && !S_ISREG(about.st_mode)) return NULL;
    return json_pack("{s:s,s:b,s:I}", "name", name, "folder", (int)is_folder, "size",
                     (json_int_t)about.st_size);
}

static json_t *read_folder(DIR *dir) {
    json_t *found[LISTED_MOST], *list = json_array();
    size_t count = 0;
    for (struct dirent *entry; count < LISTED_MOST && (entry = readdir(dir));)
        if ((found[count] = describe(dirfd(dir), entry->d_name))) count++;
    qsort(found, count, sizeof(json_t *), by_name);
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, found[i]);
    return list;
}

json_t *ui_path_list(const char *start, const char *folder, hr_error *err) {
    char *path = ui_format("%s/%s", start, folder), *real = path ? realpath(path, NULL) : NULL;
    DIR *dir = real && is_below(real, start) ? opendir(real) : NULL;
    json_t *out = NULL;
    if (dir)
        out = json_pack("{s:s,s:o}", "folder",
                        strlen(real) > strlen(start) ? real + strlen(start) + (start[1] != 0) : "",
                        "entries", read_folder(dir));
    else
        (void)hr_fail(err, HR_EINVAL, "there is no folder '%s' below the start folder", folder);
    if (dir) closedir(dir);
    free(path);
    free(real);
    return out;
}

/* ---- The private folder ---- */

static const char prefix[] = "hedgerow-page-";

static void remove_files(const char *path) {
    DIR *dir = opendir(path);
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        unlinkat(dirfd(dir), entry->d_name, 0); /* it has files alone; . and .. stay */
    if (dir) closedir(dir);
    rmdir(path);
}

/* Removes the private folder of a server that was killed: one whose lock nobody holds. */
static void remove_stale(const char *parent, const char *name) {
    struct stat about;
    char *path = ui_format("%s/%s", parent, name);
    char *lock = path ? ui_format("%s/lock", path) : NULL;
    int fd = -1;
    /* A folder that is a few seconds old may have a server that has not locked it yet. */
    if (lock && lstat(path, &about) == 0 && S_ISDIR(about.st_mode) && about.st_uid == geteuid() &&
        time(NULL) - about.st_mtime > 10)
        fd = open(lock, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0) remove_files(path);
    if (fd >= 0) close(fd);
    free(path);
    free(lock);
}

char *ui_private_make(hr_error *err) {
    const char *parent = getenv("TMPDIR");
    if (!parent || *parent != '/') parent = "/tmp";
    DIR *dir = opendir(parent);
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        if (!strncmp(entry->d_name, prefix, sizeof prefix - 1)) remove_stale(parent, entry->d_name);
    if (dir) closedir(dir);
    char *path = ui_format("%s/%sXXXXXX", parent, prefix);
    char *real = path && mkdtemp(path) ? realpath(path, NULL) : NULL; /* mode 0700 */
    char *lock = real ? ui_format("%s/lock", real) : NULL;
    int fd = lock ? open(lock, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
    /* The file stays open until the process ends, and with it the lock. */
    if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) != 0)
        (void)hr_fail(err, HR_EIO, "no private folder can be made in %s: %s", parent,
                      strerror(errno));
    free(lock);
    free(path);
    return fd < 0 ? NULL : real;
}

void ui_private_remove(const char *path) {
    if (path) remove_files(path);
}
