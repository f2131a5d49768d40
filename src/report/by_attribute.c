/* by_attribute.c - what a release achieves by each model in each sensitive attribute, and the class
 * that achieves least. */
#include "report/report.h"

#include <math.h>

/* Calls see(...) for each sensitive attribute and model that is asked of it and has a meaning. */
static void each_figure(const hr_achieved *achieved,
                        void (*see)(const hr_achieved_figure *figure, void *payload),
                        void *payload) {
    size_t count = 0, l = 0;
    for (size_t i = 0; i < achieved->job->attribute_count; i++)
        count += achieved->job->attributes[i].role == HR_ROLE_SENSITIVE;
    for (size_t i = 0; i < achieved->job->attribute_count; i++) {
        const hr_attribute *a = &achieved->job->attributes[i];
        if (a->role != HR_ROLE_SENSITIVE) continue;
        hr_requirements asked = hr_attribute_asked(achieved->job, a);
        for (size_t m = 0; hr_models[m]; m++) {
            double value = achieved->value[m * count + l];
            uint32_t worst = achieved->worst[m * count + l];
            if (isnan(value) || worst == HR_NONE) continue;
            see(&(hr_achieved_figure){.attribute = a->name,
                                      .first = m == 1,
                                      .model = hr_models[m],
                                      .in_play = hr_models[m]->in_play(&asked),
                                      .asked = hr_model_asked(hr_models[m], &asked),
                                      .achieved = value,
                                      .worst = worst,
                                      .worst_rows = achieved->classes->size[worst]},
                payload);
        }
        l++;
    }
}

void hr_achieved_each(const hr_achieved *achieved,
                      void (*see)(const hr_achieved_figure *figure, void *payload), void *payload) {
    if (achieved->value) each_figure(achieved, see, payload);
}

typedef struct {
    const char *prefix;
    hr_text *out;
} line_writer;

static void add_line(const hr_achieved_figure *f, void *payload) {
    const line_writer *w = payload;
    if (!f->in_play || f->model == hr_models[1]) return;
    hr_text_printf(w->out, "%s'%s': %s ", w->prefix, f->attribute, f->model->options->name);
    hr_model_print(f->model, f->achieved, w->out);
    hr_text_puts(w->out, " (asked for ");
    hr_model_print(f->model, f->asked, w->out);
    hr_text_printf(w->out, "), in the worst class, of %u row%s\n", f->worst_rows,
                   f->worst_rows == 1 ? "" : "s");
}

void hr_achieved_lines(const hr_achieved *achieved, const char *prefix, hr_text *out) {
    hr_achieved_each(achieved, add_line, &(line_writer){prefix, out});
}

void hr_asked_print(const hr_model *model, const hr_requirements *asked, hr_text *out) {
    if (!hr_model_in_play(model, asked)) {
        hr_text_puts(out, "not asked for");
        return;
    }
    hr_text_puts(out, "asked for ");
    if (model->own && !model->in_play(asked))
        hr_text_puts(out, "by attribute");
    else
        hr_model_print(model, hr_model_asked(model, asked), out);
}
