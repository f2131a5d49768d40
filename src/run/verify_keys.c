/* verify_keys.c - judges k for each set of columns that an outsider may know together (the job's
 * `keys`), whatever their roles: groups the rows by their published texts in these columns. The
 * result is reported, not enforced. */
#include "run/verify.h"

#include <stdlib.h>
#include <string.h>

/* Groups the rows by the columns of a set. Rows in no class are in no group. */
static hr_status form_groups(const hr_verifier *c, const hr_key_set *set, hr_groups *groups) {
    HR_TRY(hr_groups_start(groups, c->request->masked->rows, c->err));
    for (size_t row = 0; row < groups->rows; row++)
        if (c->verdict->classes.of_row[row] == HR_NONE) groups->of_row[row] = HR_NONE;
    for (size_t i = 0; i < set->count; i++) {
        const hr_column *column = hr_table_find(c->request->masked, set->columns[i]);
        HR_TRY(hr_groups_split(groups, column, NULL, column->dictionary.count, c->err));
    }
    return HR_OK;
}

static void count_group(const hr_job *job, uint32_t rows, uint32_t people, hr_key_figures *out) {
    if (out->groups++ == 0 || people < out->least) out->least = people;
    if (people >= job->asked.k) return;
    out->small_groups++;
    out->small_rows += rows;
}

static hr_status judge_set(const hr_verifier *c, const hr_key_set *set, hr_key_figures *out) {
    hr_groups groups = {0};
    hr_status status = form_groups(c, set, &groups);
    uint32_t *rows = NULL, *people = NULL;
    if (status == HR_OK) {
        rows = hr_alloc(groups.count, sizeof *rows, c->err);
        people = hr_alloc(groups.count, sizeof *people, c->err);
        status = rows && people ? HR_OK : HR_ENOMEM;
    }
    for (size_t row = 0; row < groups.rows && status == HR_OK; row++)
        if (groups.of_row[row] != HR_NONE) rows[groups.of_row[row]]++;
    out->people = c->request->job->unit && !c->verdict->uncounted;
    if (status == HR_OK && out->people) status = hr_verify_people(c, &groups, people);
    for (uint32_t g = 0; g < groups.count && status == HR_OK; g++)
        if (rows[g] > 0)
            count_group(c->request->job, rows[g], out->people ? people[g] : rows[g], out);
    free(rows);
    free(people);
    hr_groups_free(&groups);
    return status;
}

static hr_status name_set(hr_verdict *v, const hr_key_set *set, const char **out, hr_error *err) {
    hr_text text = {0};
    for (size_t i = 0; i < set->count; i++)
        hr_text_printf(&text, "%s%s", i ? ", " : "", set->columns[i]);
    *out = text.failed ? NULL : hr_arena_text(&v->arena, text.data, text.length, err);
    bool failed = text.failed;
    hr_text_free(&text);
    if (failed) return hr_fail(err, HR_ENOMEM, "out of memory");
    return *out ? HR_OK : HR_ENOMEM;
}

hr_status hr_verify_keys(hr_verifier *c) {
    const hr_job_keys *keys = &c->request->job->keys;
    hr_verdict *v = c->verdict;
    v->keys = hr_arena_alloc(&v->arena, keys->count, sizeof *v->keys, c->err);
    if (!v->keys) return HR_ENOMEM;
    for (; v->key_count < keys->count; v->key_count++) {
        hr_key_figures *own = &v->keys[v->key_count];
        HR_TRY(name_set(v, &keys->sets[v->key_count], &own->columns, c->err));
        HR_TRY(judge_set(c, &keys->sets[v->key_count], own));
    }
    return HR_OK;
}
