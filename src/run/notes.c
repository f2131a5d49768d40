/* notes.c - comments that a database stores with a released table and its columns: the models, the
 * boundaries and the version of the program. They are made from the job alone, so they reveal
 * nothing about the people in the table. */
#include "run/pipeline.h"

#include <string.h>

static hr_status keep(hr_text *text, hr_arena *arena, const char **out, hr_error *err) {
    *out = text->failed ? NULL : hr_arena_text(arena, text->data, text->length, err);
    bool failed = text->failed;
    hr_text_free(text);
    if (failed) return hr_fail(err, HR_ENOMEM, "out of memory");
    return *out ? HR_OK : HR_ENOMEM;
}

/* "k = 5, p = 2", "k = 5 (people: 'patient'), p = 1, t = 0.2 for 'diagnosis'" */
static void put_models(const hr_run *r, hr_text *out) {
    for (size_t i = 0; hr_models[i]; i++) {
        const hr_model *model = hr_models[i];
        if (!hr_model_in_play(model, &r->asked)) continue;
        hr_text_printf(out, "%s%s = ", i ? ", " : "", model->options->name);
        if (i < HR_MODELS_KP) /* k may be raised to p */
            hr_model_print(model, hr_model_asked(model, &r->asked), out);
        else
            hr_job_print_asked(r->job, model, out);
        if (i == 0 && r->job->unit) hr_text_printf(out, " (people: '%s')", r->job->unit);
    }
}

static void put_nodes(const char *const *nodes, size_t count, hr_text *out) {
    enum { MOST = 20 };
    hr_text_puts(out, "boundary:");
    for (size_t i = 0; i < count && i < MOST; i++)
        hr_text_printf(out, "%s%s", i ? ", " : " ", nodes[i]);
    if (count > MOST) hr_text_printf(out, " and %zu more", count - MOST);
}

static void put_boundary(const hr_node_choice *boundary, hr_text *out) {
    switch (boundary->cuts.kind) {
    case HR_CUTS_WIDTH:
        hr_text_printf(out, "boundary: intervals at most %.15g wide", boundary->cuts.width);
        return;
    case HR_CUTS_CELLS: hr_text_printf(out, "boundary: %u intervals", boundary->cuts.cells); return;
    case HR_CUTS_GIVEN:
        hr_text_puts(out, "boundary: intervals cut at");
        for (size_t i = 0; i < boundary->cuts.point_count; i++)
            hr_text_printf(out, "%s%.15g", i ? ", " : " ", boundary->cuts.points[i]);
        return;
    default: break;
    }
    if (boundary->level)
        hr_text_printf(out, "boundary: level %s", boundary->level);
    else if (boundary->nodes)
        put_nodes(boundary->nodes, boundary->node_count, out);
    else
        hr_text_puts(out, "no boundary");
}

static void put_column(const hr_attribute *a, bool count_boundaries, hr_text *out) {
    if (a->role == HR_ROLE_QUASI) {
        hr_text_puts(out, "quasi-identifier, generalized; ");
        put_boundary(&a->boundary, out);
        if (count_boundaries) hr_text_puts(out, " (counted, not enforced)");
    } else if (a->role == HR_ROLE_SENSITIVE) {
        hr_text_puts(out, "sensitive attribute, as in the original");
    } else {
        bool recoded = a->round || a->bottom || a->top || a->level;
        hr_text_puts(out, recoded ? "kept, recoded" : "kept, as in the original");
    }
}

hr_status hr_run_notes(hr_run *r, const hr_table *released, hr_table_notes *out) {
    const char **columns =
        hr_arena_alloc(&r->arena, released->column_count, sizeof *columns, r->err);
    hr_text text = {0};
    if (!columns) return HR_ENOMEM;
    hr_text_printf(&text, "Anonymized by Hedgerow %s: ", hr_version());
    put_models(r, &text);
    hr_text_puts(&text, r->choice.count_boundaries ? "; boundaries counted, not enforced"
                                                   : "; boundaries enforced");
    HR_TRY(keep(&text, &r->arena, &out->table, r->err));
    for (size_t i = 0; i < released->column_count; i++) {
        const hr_attribute *a = hr_attribute_find(r->job, released->columns[i].name);
        if (!a) continue;
        put_column(a, r->choice.count_boundaries, &text);
        HR_TRY(keep(&text, &r->arena, &columns[i], r->err));
    }
    out->columns = columns;
    return HR_OK;
}
