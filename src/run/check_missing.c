/* check_missing.c - columns that the job releases and the masked file lacks. They are a reason to
 * say no. Everything else is judged as if the job dropped them, unless no quasi-identifier is
 * left. */
#include "run/check.h"

#include <string.h>

static bool is_lacking(const char *const *names, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (hr_same_name(names[i], name)) return false;
    return true;
}

/* Copies the attributes of the job; those that the file lacks are dropped columns in the copy. */
static hr_status keep_attributes(hr_check_session *s, const char *const *names, size_t count,
                                 hr_error *err) {
    size_t quasi = 0;
    hr_attribute *attributes =
        hr_arena_alloc(&s->arena, s->job.attribute_count, sizeof *attributes, err);
    if (!attributes) return HR_ENOMEM;
    for (size_t i = 0; i < s->job.attribute_count; i++) {
        const hr_attribute *a = &s->job.attributes[i];
        bool lacking = hr_role_released(a->role) && is_lacking(names, count, a->name);
        if (lacking) hr_name_list_add(&s->missing, a->name, 0);
        attributes[i] = lacking ? (hr_attribute){.name = a->name, .role = HR_ROLE_DROP} : *a;
        quasi += attributes[i].role == HR_ROLE_QUASI;
    }
    s->job.attributes = attributes;
    if (quasi) return HR_OK;
    hr_text lacking = {0};
    hr_name_list_print(&s->missing, &lacking);
    hr_status status = hr_fail(err, HR_EDATA,
                               "%s has no quasi-identifier of the job, so nothing can be judged: "
                               "it lacks %s%s%s",
                               s->name, lacking.data ? lacking.data : "columns",
                               s->alike.data ? "; " : "", s->alike.data ? s->alike.data : "");
    hr_text_free(&lacking);
    return status;
}

/* Copies the sets of `keys` whose columns are all there. */
static hr_status keep_keys(hr_check_session *s, const char *const *names, size_t count,
                           hr_error *err) {
    const hr_job_keys *all = &s->job.keys;
    hr_key_set *sets = hr_arena_alloc(&s->arena, all->count, sizeof *sets, err);
    size_t kept = 0;
    if (!sets) return HR_ENOMEM;
    for (size_t i = 0; i < all->count; i++) {
        bool whole = true;
        for (size_t c = 0; c < all->sets[i].count; c++)
            whole = whole && !is_lacking(names, count, all->sets[i].columns[c]);
        if (whole) sets[kept++] = all->sets[i];
    }
    s->job.keys.sets = sets;
    s->job.keys.count = kept;
    return HR_OK;
}

hr_status hr_check_find_missing(hr_check_session *s, const char *const *names, size_t count,
                                hr_error *err) {
    HR_TRY(keep_attributes(s, names, count, err));
    if (s->missing.count && s->request->certificate)
        return hr_fail(err, HR_EDATA,
                       "%s lacks columns that the job releases, and a certificate is judged for "
                       "all of them: leave out --certificate",
                       s->name);
    return keep_keys(s, names, count, err);
}
