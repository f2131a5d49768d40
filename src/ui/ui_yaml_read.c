/* ui_yaml_read.c - reads from the text of a job, without the library: the files that it names, the
 * attributes as they are written, and the parts on which counting depends. */
#include "ui/ui_yaml.h"

#include <stdlib.h>
#include <string.h>

static const char *scalar(const yaml_node_t *node) {
    return (const char *)node->data.scalar.value;
}

/* ---- As JSON ---- */

/* Limits, because a short text can refer to a node again and again (*alias) and expand without
 * end. */
enum { DEEPEST = 16, NODES_MOST = 300000 };

static json_t *to_json(yaml_document_t *doc, const yaml_node_t *node, int deep, size_t *left) {
    if (deep > DEEPEST || *left == 0) return json_null();
    --*left;
    if (node->type == YAML_SCALAR_NODE) return json_string(scalar(node));
    if (node->type == YAML_SEQUENCE_NODE) {
        json_t *list = json_array();
        for (yaml_node_item_t *item = node->data.sequence.items.start;
             item < node->data.sequence.items.top; item++)
            json_array_append_new(list,
                                  to_json(doc, yaml_document_get_node(doc, *item), deep + 1, left));
        return list;
    }
    json_t *object = json_object();
    if (node->type != YAML_MAPPING_NODE) return object;
    for (yaml_node_pair_t *pair = node->data.mapping.pairs.start;
         pair < node->data.mapping.pairs.top; pair++) {
        const yaml_node_t *key = yaml_document_get_node(doc, pair->key);
        if (key->type != YAML_SCALAR_NODE) continue;
        json_object_set_new(object, scalar(key),
                            to_json(doc, yaml_document_get_node(doc, pair->value), deep + 1, left));
    }
    return object;
}

json_t *ui_yaml_json(const char *text) {
    yaml_document_t doc;
    if (ui_yaml_load(text, &doc, NULL) != HR_OK) return NULL;
    const yaml_node_t *root = yaml_document_get_root_node(&doc);
    size_t left = NODES_MOST;
    json_t *value = root ? to_json(&doc, root, 0, &left) : json_object();
    yaml_document_delete(&doc);
    if (left > 0) return value;
    json_decref(value);
    return NULL;
}

json_t *ui_yaml_attributes(const char *text) {
    json_t *job = ui_yaml_json(text), *attributes = json_object_get(job, "attributes");
    json_t *out = json_is_object(attributes) ? json_incref(attributes) : json_object();
    json_decref(job);
    return out;
}

/* Numbers stay numbers: the text of a job has no quotes around them. */
static json_t *with_numbers(json_t *value) {
    double number;
    const char *key;
    json_t *member;
    size_t i;
    if (json_is_string(value) && hr_parse_double(json_string_value(value), &number)) {
        json_t *plain = json_loads(json_string_value(value), JSON_DECODE_ANY, NULL);
        if (json_is_number(plain)) return plain;
        json_decref(plain);
    } else if (json_is_array(value)) {
        json_t *list = json_array();
        json_array_foreach(value, i, member) json_array_append_new(list, with_numbers(member));
        return list;
    } else if (json_is_object(value)) {
        json_t *object = json_object();
        json_object_foreach(value, key, member)
            json_object_set_new(object, key, with_numbers(member));
        return object;
    }
    return json_incref(value);
}

json_t *ui_yaml_value(const char *text) {
    char *job = ui_format("x: %s\n", text);
    json_t *all = job ? ui_yaml_json(job) : NULL, *found = json_object_get(all, "x");
    json_t *out = json_object_size(all) == 1 && found ? with_numbers(found) : NULL;
    json_decref(all);
    free(job);
    return out;
}

/* ---- What counting depends on ---- */

/* Keys of a job that do not affect the counted table and its boundaries. */
static const char *const elsewhere[] = {
    "output", "algorithm", "seed",      "threads",       "order",      "report",
    "trace",  "effort",    "reference", "loss",          "time_limit", "certificate",
    "bound",  "resolved",  "minimal",   "public_report", NULL};

/* Numbers are cut anew for every k and p. */
static bool cuts_numbers(const json_t *attributes) {
    const char *name;
    json_t *attribute;
    json_object_foreach((json_t *)attributes, name,
                        attribute) if (json_object_get(attribute, "type") &&
                                       json_object_get(attribute, "boundary")) return true;
    return false;
}

bool ui_yaml_cuts(const char *text) {
    json_t *attributes = ui_yaml_attributes(text);
    bool cuts = cuts_numbers(attributes);
    json_decref(attributes);
    return cuts;
}

char *ui_yaml_basis(const char *text, const char *held) {
    json_t *job = ui_yaml_json(text), *attributes = json_object_get(job, "attributes"), *attribute;
    const char *name;
    if (!json_is_object(job)) {
        json_decref(job);
        return NULL;
    }
    for (size_t i = 0; elsewhere[i]; i++)
        json_object_del(job, elsewhere[i]);
    if (json_is_object(attributes)) {
        bool cut = cuts_numbers(attributes);
        json_t *model = held || cut ? NULL : json_object_get(job, "model");
        json_object_del(model, "k"); /* other models are part of what is counted */
        json_object_del(model, "p");
        json_object_foreach(attributes, name,
                            attribute) if (held ? !strcmp(held, name)
                                                : !cut && json_object_get(attribute, "hierarchy"))
            json_object_del(attribute, "boundary");
    }
    if (held) json_object_set_new(job, "held", json_string(held)); /* no key of a job */
    char *basis = json_dumps(job, JSON_SORT_KEYS | JSON_COMPACT);
    json_decref(job);
    return basis;
}

/* ---- Files ---- */

typedef struct {
    yaml_document_t doc;
    ui_path_check check;
    void *payload;
    hr_error *err;
    size_t left; /* nodes that may still be looked at */
} walk;

static hr_status go_down(walk *w, int deep) {
    if (deep > DEEPEST) return hr_fail(w->err, HR_EINVAL, "the job is nested too deeply");
    if (w->left == 0) return hr_fail(w->err, HR_EINVAL, "the job is too large");
    w->left--;
    return HR_OK;
}

/* Checks every scalar at or below the node as a path. */
static hr_status check_values(walk *w, const yaml_node_t *node, int deep) {
    HR_TRY(go_down(w, deep));
    if (node->type == YAML_SCALAR_NODE) {
        const char *value = scalar(node);
        return *value && strcmp(value, "flat") != 0 ? w->check(value, w->payload, w->err) : HR_OK;
    }
    if (node->type == YAML_SEQUENCE_NODE)
        for (yaml_node_item_t *item = node->data.sequence.items.start;
             item < node->data.sequence.items.top; item++)
            HR_TRY(check_values(w, yaml_document_get_node(&w->doc, *item), deep + 1));
    if (node->type == YAML_MAPPING_NODE)
        for (yaml_node_pair_t *pair = node->data.mapping.pairs.start;
             pair < node->data.mapping.pairs.top; pair++)
            if (!ui_yaml_is(yaml_document_get_node(&w->doc, pair->key), "tree"))
                HR_TRY(check_values(w, yaml_document_get_node(&w->doc, pair->value), deep + 1));
    return HR_OK;
}

/* Does the builder of this name read a file? */
static bool reads_file(const char *name) {
    hr_builder_info info;
    for (size_t i = 0; hr_builder_info_at(i, &info); i++)
        if (!strcmp(info.name, name)) return strstr(info.argument, "FILE");
    return false;
}

/* Checks the files of the attributes: a hierarchy that is a single value, and the files of
 * builders. Walks all entries, because a key may occur twice. */
static hr_status check_attributes(walk *w, const yaml_node_t *node, int deep) {
    HR_TRY(go_down(w, deep));
    if (node->type == YAML_SEQUENCE_NODE)
        for (yaml_node_item_t *item = node->data.sequence.items.start;
             item < node->data.sequence.items.top; item++)
            HR_TRY(check_attributes(w, yaml_document_get_node(&w->doc, *item), deep + 1));
    if (node->type != YAML_MAPPING_NODE) return HR_OK;
    for (yaml_node_pair_t *pair = node->data.mapping.pairs.start;
         pair < node->data.mapping.pairs.top; pair++) {
        const yaml_node_t *key = yaml_document_get_node(&w->doc, pair->key);
        const yaml_node_t *value = yaml_document_get_node(&w->doc, pair->value);
        bool file = ui_yaml_is(key, "hierarchy") ||
                    (key->type == YAML_SCALAR_NODE && reads_file(scalar(key)));
        if (file && value->type == YAML_SCALAR_NODE) HR_TRY(check_values(w, value, deep + 1));
        HR_TRY(check_attributes(w, value, deep + 1));
    }
    return HR_OK;
}

static hr_status check_top(walk *w, const yaml_node_t *root) {
    if (!root || root->type != YAML_MAPPING_NODE) return HR_OK;
    for (yaml_node_pair_t *pair = root->data.mapping.pairs.start;
         pair < root->data.mapping.pairs.top; pair++) {
        const yaml_node_t *key = yaml_document_get_node(&w->doc, pair->key);
        hr_key_info info = {.size = sizeof info};
        if (key->type == YAML_SCALAR_NODE && hr_key_info_find(scalar(key), &info) &&
            info.type == HR_TYPE_PATH)
            HR_TRY(check_values(w, yaml_document_get_node(&w->doc, pair->value), 0));
    }
    return check_attributes(w, root, 0);
}

hr_status ui_yaml_paths(const char *text, ui_path_check check, void *payload, hr_error *err) {
    walk w = {.check = check, .payload = payload, .err = err, .left = NODES_MOST};
    HR_TRY(ui_yaml_load(text, &w.doc, err));
    hr_status status = check_top(&w, yaml_document_get_root_node(&w.doc));
    yaml_document_delete(&w.doc);
    return status;
}
