/* promises.c - copies what a release or a checked file achieves, in each sensitive attribute and
 * for each set of columns in `keys`, to structs that outlive the run. */
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    hr_promises *out;
    const hr_achieved *achieved;
    bool failed;
} list_writer;

static void count_figure(const hr_achieved_figure *f, void *payload) {
    (void)f;
    ++*(size_t *)payload;
}

static uint64_t first_row_of(const hr_groups *rows, uint32_t class) {
    size_t row = 0;
    while (row < rows->rows && rows->of_row[row] != class)
        row++;
    return row + 1;
}

static void add_figure(const hr_achieved_figure *f, void *payload) {
    list_writer *w = payload;
    hr_promises *p = w->out;
    const char *name = hr_arena_text(&p->arena, f->attribute, strlen(f->attribute), NULL);
    w->failed |= !name;
    p->attributes[p->attribute_count++] =
        (hr_attribute_figures){.attribute = name,
                               .parameter = f->model->options->name,
                               .asked = f->in_play ? f->asked : NAN,
                               .achieved = f->achieved,
                               .worst_class = (uint64_t)f->worst + 1,
                               .worst_rows = f->worst_rows,
                               .worst_row = first_row_of(w->achieved->rows, f->worst)};
}

/* The figures of the attribute by the model; without achieved values if they are unknown. */
static hr_attribute_figures figures_of(const hr_promises *p, const char *attribute,
                                       const char *parameter, double asked) {
    for (size_t i = 0; i < p->attribute_count; i++)
        if (!strcmp(p->attributes[i].attribute, attribute) &&
            !strcmp(p->attributes[i].parameter, parameter))
            return p->attributes[i];
    return (hr_attribute_figures){.parameter = parameter, .asked = asked, .achieved = NAN};
}

static hr_status list_asked(const hr_job *job, hr_promises *out, hr_error *err) {
    size_t most = 0;
    for (size_t i = 0; i < job->attribute_count; i++)
        most += job->attributes[i].role == HR_ROLE_SENSITIVE ? HR_MODELS_MAX : 0;
    out->asked = hr_arena_alloc(&out->arena, most, sizeof *out->asked, err);
    if (!out->asked) return HR_ENOMEM;
    for (size_t i = 0; i < job->attribute_count; i++) {
        const hr_attribute *a = &job->attributes[i];
        if (a->role != HR_ROLE_SENSITIVE) continue;
        hr_requirements asked = hr_attribute_asked(job, a);
        const char *name = hr_arena_text(&out->arena, a->name, strlen(a->name), err);
        if (!name) return HR_ENOMEM;
        for (size_t m = HR_MODELS_KP; hr_models[m]; m++) {
            if (!hr_models[m]->in_play(&asked)) continue;
            hr_attribute_figures *f = &out->asked[out->asked_count++];
            *f = figures_of(out, name, hr_models[m]->options->name,
                            hr_model_asked(hr_models[m], &asked));
            f->attribute = name;
        }
    }
    return HR_OK;
}

hr_status hr_promises_make(const hr_achieved *achieved, const hr_key_figures *keys,
                           size_t key_count, hr_promises *out, hr_error *err) {
    size_t count = 0;
    list_writer w = {.out = out, .achieved = achieved};
    *out = (hr_promises){0};
    hr_achieved_each(achieved, count_figure, &count);
    out->attributes = hr_arena_alloc(&out->arena, count, sizeof *out->attributes, err);
    out->keys = hr_arena_alloc(&out->arena, key_count, sizeof *out->keys, err);
    w.failed = !out->attributes || !out->keys;
    if (!w.failed) hr_achieved_each(achieved, add_figure, &w);
    for (; out->key_count < key_count && !w.failed; out->key_count++) {
        const hr_key_figures *key = &keys[out->key_count];
        out->keys[out->key_count] = *key;
        out->keys[out->key_count].columns =
            hr_arena_text(&out->arena, key->columns, strlen(key->columns), NULL);
        w.failed = !out->keys[out->key_count].columns;
    }
    hr_status status = w.failed ? HR_OK : list_asked(achieved->job, out, err);
    if (!w.failed && status == HR_OK) return HR_OK;
    hr_promises_free(out);
    return hr_fail(err, HR_ENOMEM, "out of memory");
}

void hr_promises_free(hr_promises *promises) {
    hr_arena_free(&promises->arena);
    *promises = (hr_promises){0};
}

void hr_promises_key_lines(const hr_promises *promises, int64_t k, const char *prefix,
                           hr_text *out) {
    for (size_t i = 0; i < promises->key_count; i++) {
        const hr_key_figures *key = &promises->keys[i];
        const char *what = key->least == 1 ? key->people ? "person" : "row"
                           : key->people   ? "people"
                                           : "rows";
        hr_text_printf(out, "%s[%s]: at least %llu %s alike", prefix, key->columns,
                       (unsigned long long)key->least, what);
        if (key->small_groups)
            hr_text_printf(out, "; %llu row%s in %llu group%s of fewer than %lld (not enforced)",
                           (unsigned long long)key->small_rows, key->small_rows == 1 ? "" : "s",
                           (unsigned long long)key->small_groups, key->small_groups == 1 ? "" : "s",
                           (long long)k);
        hr_text_puts(out, "\n");
    }
}
