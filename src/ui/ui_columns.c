/* ui_columns.c - the columns of the table: what the draft found, and what the job has. When the
 * user corrects a role, the draft chooses the hierarchy that goes with it. */
#include "ui/ui_http.h"

#include <stdlib.h>
#include <string.h>

/* What the draft found about a column, and what the job has for it. */
static json_t *column_json(const hr_draft_column *column, const json_t *attributes) {
    json_t *own = json_object_get(attributes, column->name);
    return json_pack("{s:s,s:s,s:s,s:I,s:I,s:o,s:o,s:s?,s:O?}", "name", column->name, "type",
                     column->type, "reason", column->reason, "values", (json_int_t)column->values,
                     "missing", (json_int_t)column->missing, "unique_alone",
                     ui_real_json(column->unique_alone), "unique_without",
                     ui_real_json(column->unique_without), "guess", column->role, "job", own);
}

json_t *ui_columns_json(const ui_desk *desk) {
    const char *text = ui_desk_text(desk), *name;
    json_t *list = json_array(), *own;
    if (!text) return list;
    json_t *attributes = ui_yaml_attributes(text);
    const hr_draft_column *column;
    for (size_t i = 0; desk->draft && (column = hr_draft_at(desk->draft, i)); i++)
        json_array_append_new(list, column_json(column, attributes));
    if (!desk->draft)
        json_object_foreach(attributes, name, own)
            json_array_append_new(list, json_pack("{s:s,s:O}", "name", name, "job", own));
    json_decref(attributes);
    return list;
}

static const hr_draft_column *find(const hr_draft *draft, const char *name) {
    const hr_draft_column *column = NULL;
    for (size_t i = 0; draft && (column = hr_draft_at(draft, i)); i++)
        if (!strcmp(column->name, name)) return column;
    return NULL;
}

/* The entry of a column with this role. */
static json_t *entry_json(const hr_draft_column *column, const char *role) {
    json_t *entry = json_pack("{s:s}", "role", role);
    if (!strcmp(role, "quasi")) {
        json_t *tree = column && column->hierarchy ? ui_yaml_value(column->hierarchy) : NULL;
        if (tree)
            json_object_set_new(entry, "hierarchy", tree);
        else if (column && !column->hierarchy)
            json_object_set_new(entry, "type", json_string("numeric"));
        else
            json_object_set_new(entry, "hierarchy", json_string("flat"));
        if (column && column->on_missing)
            json_object_set_new(entry, "on_missing", json_string(column->on_missing));
    } else if (!strcmp(role, "sensitive") && column && column->bins) {
        json_object_set_new(entry, "bins", json_integer((json_int_t)column->bins));
    }
    return entry;
}

/* Does the job ask for several values of sensitive attributes, and have none? */
static bool lacks_sensitive(const char *text) {
    json_t *job = ui_yaml_json(text), *attribute;
    const char *name;
    const char *p = json_string_value(json_object_get(json_object_get(job, "model"), "p"));
    bool lacks = p && strcmp(p, "1") != 0;
    json_object_foreach(json_object_get(job, "attributes"), name, attribute) {
        const char *role = json_string_value(json_object_get(attribute, "role"));
        if (role && !strcmp(role, "sensitive")) lacks = false;
    }
    json_decref(job);
    return lacks;
}

/* Without a sensitive attribute the job is about k alone: sets p to 1. Takes `text` over. */
static hr_status fit_p(char *text, char **out, hr_error *err) {
    static const char *const path[] = {"model", "p"};
    *out = text;
    if (!lacks_sensitive(text)) return HR_OK;
    json_t *one = json_integer(1);
    hr_status status = ui_yaml_set(text, path, 2, one, out, err);
    json_decref(one);
    free(text);
    return status;
}

hr_status ui_column_role(ui_desk *desk, const char *column, const char *role, hr_error *err) {
    const char *text = ui_desk_text(desk);
    const char *path[] = {"attributes", column};
    char *changed;
    if (!text || !column || !role) return hr_fail(err, HR_EINVAL, "nothing is open");
    if (find(desk->draft, column)) HR_TRY(hr_draft_set_role(desk->draft, column, role, err));
    json_t *entry = entry_json(find(desk->draft, column), role);
    hr_status status = ui_yaml_set(text, path, 2, entry, &changed, err);
    json_decref(entry);
    if (status == HR_OK) status = fit_p(changed, &changed, err);
    return status == HR_OK ? ui_desk_change(desk, changed, err) : status;
}
