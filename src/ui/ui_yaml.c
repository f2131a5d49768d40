/* ui_yaml.c - edits the text of a job. libyaml reports where each node begins and ends, and only
 * these characters are replaced: comments, order and layout of the rest stay as the user wrote
 * them. The new text is read back: an edit that would change anything else is refused. */
#include "ui/ui_yaml.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- Positions ---- */

/* Byte of a character: libyaml counts characters. */
static size_t byte_at(const char *text, size_t index) {
    const char *c = text;
    for (; index > 0 && *c; index--)
        for (c++; ((unsigned char)*c & 0xc0) == 0x80;)
            c++;
    return (size_t)(c - text);
}

static bool is_flow(const yaml_node_t *node) {
    if (node->type == YAML_MAPPING_NODE) return node->data.mapping.style == YAML_FLOW_MAPPING_STYLE;
    return node->type != YAML_SEQUENCE_NODE ||
           node->data.sequence.style == YAML_FLOW_SEQUENCE_STYLE;
}

/* Is the value a block scalar, written below | or >? */
static bool is_lines(const yaml_node_t *node) {
    return node->type == YAML_SCALAR_NODE &&
           (node->data.scalar.style == YAML_LITERAL_SCALAR_STYLE ||
            node->data.scalar.style == YAML_FOLDED_SCALAR_STYLE);
}

/* The position where a node ends. A block ends with its last entry; libyaml's own mark lies after
 * the blank lines and comments that follow. */
static size_t end_of(yaml_document_t *doc, const char *text, yaml_node_t *node) {
    while (!is_flow(node)) {
        int last = 0;
        if (node->type == YAML_MAPPING_NODE &&
            node->data.mapping.pairs.top > node->data.mapping.pairs.start)
            last = node->data.mapping.pairs.top[-1].value;
        if (node->type == YAML_SEQUENCE_NODE &&
            node->data.sequence.items.top > node->data.sequence.items.start)
            last = node->data.sequence.items.top[-1];
        if (!last) break;
        node = yaml_document_get_node(doc, last);
    }
    size_t end = byte_at(text, node->end_mark.index);
    while (is_lines(node) && end > 0 && strchr(" \t\r\n", text[end - 1]))
        end--;
    return end;
}

/* The end of the line, without its line break. */
static size_t line_end(const char *text, size_t at) {
    size_t end = at + strcspn(text + at, "\n");
    return end > at && text[end] && text[end - 1] == '\r' ? end - 1 : end;
}

static size_t next_line(const char *text, size_t at) {
    at += strcspn(text + at, "\n");
    return text[at] ? at + 1 : at;
}

static size_t line_start(const char *text, size_t at) {
    while (at > 0 && text[at - 1] != '\n')
        at--;
    return at;
}

/* Is the text JSON? Then its first key has quotes. */
static bool is_json(yaml_document_t *doc) {
    const yaml_node_t *root = yaml_document_get_root_node(doc);
    if (!root || root->type != YAML_MAPPING_NODE || !is_flow(root)) return false;
    const yaml_node_pair_t *first = root->data.mapping.pairs.start;
    const yaml_node_t *key =
        first < root->data.mapping.pairs.top ? yaml_document_get_node(doc, first->key) : NULL;
    return !key || (key->type == YAML_SCALAR_NODE &&
                    key->data.scalar.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE);
}

/* ---- Reading ---- */

hr_status ui_yaml_load(const char *text, yaml_document_t *out, hr_error *err) {
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser)) return hr_fail(err, HR_ENOMEM, "out of memory");
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, strlen(text));
    hr_status status = HR_OK;
    if (!yaml_parser_load(&parser, out))
        status = hr_fail(err, HR_EINVAL, "line %zu: %s", parser.problem_mark.line + 1,
                         parser.problem ? parser.problem : "this is not YAML");
    yaml_parser_delete(&parser);
    return status;
}

bool ui_yaml_is(const yaml_node_t *node, const char *text) {
    size_t length = strlen(text);
    return node->type == YAML_SCALAR_NODE && node->data.scalar.length == length &&
           !memcmp(node->data.scalar.value, text, length);
}

yaml_node_pair_t *ui_yaml_pair(yaml_document_t *doc, const yaml_node_t *node, const char *key) {
    if (!node || node->type != YAML_MAPPING_NODE) return NULL;
    for (yaml_node_pair_t *pair = node->data.mapping.pairs.start;
         pair < node->data.mapping.pairs.top; pair++)
        if (ui_yaml_is(yaml_document_get_node(doc, pair->key), key)) return pair;
    return NULL;
}

yaml_node_t *ui_yaml_child(yaml_document_t *doc, const yaml_node_t *node, const char *key) {
    yaml_node_pair_t *pair = ui_yaml_pair(doc, node, key);
    return pair ? yaml_document_get_node(doc, pair->value) : NULL;
}

/* ---- Writing values ---- */

/* Is the text read as itself if it is written without quotes, in a flow mapping, too? */
static bool is_plain(const char *text) {
    static const char *const words[] = {"true", "false", "null", "yes", "no", "on", "off", NULL};
    static const char first[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    static const char rest[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
                               "0123456789.-+/() ";
    size_t length = strlen(text);
    if (!length || !strchr(first, *text) || strspn(text, rest) < length || text[length - 1] == ' ')
        return false;
    for (size_t i = 0; words[i]; i++)
        if (!strcasecmp(words[i], text)) return false;
    return true;
}

static void add_quoted(ui_text *out, const char *text) {
    json_t *value = json_string(text);
    char *quoted = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL; /* JSON is YAML */
    ui_text_add(out, quoted ? quoted : "\"\"");
    free(quoted);
    json_decref(value);
}

static void add_key(ui_text *out, const char *key, bool json) {
    if (!json && is_plain(key))
        ui_text_add(out, key);
    else
        add_quoted(out, key);
    ui_text_add(out, ": ");
}

/* `json`: with all quotes, for a job that is written as JSON. */
static void add_value(ui_text *out, const json_t *value, bool json) {
    const char *key, *between = "";
    json_t *member;
    size_t i;
    if (json_is_object(value)) {
        ui_text_add(out, "{");
        json_object_foreach((json_t *)value, key, member) {
            ui_text_add(out, between);
            add_key(out, key, json);
            add_value(out, member, json);
            between = ", ";
        }
        ui_text_add(out, "}");
    } else if (json_is_array(value)) {
        ui_text_add(out, "[");
        json_array_foreach(value, i, member) {
            ui_text_add(out, i ? ", " : "");
            add_value(out, member, json);
        }
        ui_text_add(out, "]");
    } else if (!json && json_is_string(value) && is_plain(json_string_value(value))) {
        ui_text_add(out, json_string_value(value));
    } else {
        char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(12));
        ui_text_add(out, text ? text : "null");
        free(text);
    }
}

/* ---- Editing ---- */

typedef struct {
    yaml_document_t doc;
    const char *text;
    const char *const *path;
    size_t depth;
    const json_t *value;
    bool json;           /* the text is JSON */
    const char *newline; /* as the text has it */
    ui_text out;
} edit;

static void splice(edit *e, size_t from, size_t to, const char *between) {
    ui_text_bytes(&e->out, e->text, from);
    ui_text_add(&e->out, between);
    ui_text_add(&e->out, e->text + to);
}

/* `KEY: {KEY: VALUE}` for the keys from number `at` on. */
static char *nested(const edit *e, size_t at) {
    ui_text made = {0};
    for (size_t i = at; i < e->depth; i++) {
        if (i > at) ui_text_add(&made, "{");
        add_key(&made, e->path[i], e->json);
    }
    add_value(&made, e->value, e->json);
    for (size_t i = at + 1; i < e->depth; i++)
        ui_text_add(&made, "}");
    return made.data;
}

/* Adds `entry` as the last one of a mapping. */
static void append(edit *e, yaml_node_t *mapping, const char *entry) {
    yaml_node_pair_t *first = mapping->data.mapping.pairs.start,
                     *end = mapping->data.mapping.pairs.top;
    char *made;
    size_t at = byte_at(e->text, mapping->start_mark.index) + 1;
    if (first < end) at = end_of(&e->doc, e->text, yaml_document_get_node(&e->doc, end[-1].value));
    if (is_flow(mapping)) {
        made = ui_format("%s%s", first < end ? ", " : "", entry);
    } else {
        size_t indent = yaml_document_get_node(&e->doc, first->key)->start_mark.column;
        at = line_end(e->text, at);
        made = ui_format("%s%*s%s", e->newline, (int)indent, "", entry);
    }
    splice(e, at, at, made ? made : "");
    free(made);
}

/* Removes a pair, with its comma or its lines. */
static void take_out(edit *e, yaml_node_t *mapping, yaml_node_pair_t *pair) {
    yaml_node_t *key = yaml_document_get_node(&e->doc, pair->key);
    size_t from = byte_at(e->text, key->start_mark.index);
    size_t to = end_of(&e->doc, e->text, yaml_document_get_node(&e->doc, pair->value));
    yaml_node_pair_t *first = mapping->data.mapping.pairs.start,
                     *end = mapping->data.mapping.pairs.top;
    bool flow = is_flow(mapping);
    if (end - first == 1) {
        splice(e, from, to, flow ? "" : "{}");
        return;
    }
    if (!flow) {
        from = line_start(e->text, from);
        to = next_line(e->text, to);
    } else if (pair + 1 < end) {
        to = byte_at(e->text, yaml_document_get_node(&e->doc, pair[1].key)->start_mark.index);
    } else {
        from = end_of(&e->doc, e->text, yaml_document_get_node(&e->doc, pair[-1].value));
    }
    splice(e, from, to, "");
}

/* The position behind the colon of a key. */
static size_t behind_colon(const edit *e, const yaml_node_t *key) {
    size_t end = byte_at(e->text, key->end_mark.index);
    return end + strcspn(e->text + end, ":") + 1;
}

/* Replaces the value of a pair. The lines of a block go; the new value stands on the line of the
 * key, before the comment of that line. */
static void put_in(edit *e, const yaml_node_pair_t *pair) {
    ui_text made = {0};
    yaml_node_t *old = yaml_document_get_node(&e->doc, pair->value);
    size_t from = byte_at(e->text, old->start_mark.index), to = end_of(&e->doc, e->text, old);
    size_t colon = behind_colon(e, yaml_document_get_node(&e->doc, pair->key));
    size_t first = line_start(e->text, from);
    bool block = !is_flow(old) && first >= colon;
    if (block || from == to) ui_text_add(&made, " "); /* `KEY:` without a value */
    add_value(&made, e->value, e->json);
    if (block) {
        ui_text_bytes(&made, e->text + colon, first - colon);
        from = colon;
        to = next_line(e->text, to);
    }
    splice(e, from, to, made.data ? made.data : "");
    free(made.data);
}

static hr_status make_edit(edit *e, hr_error *err) {
    yaml_node_t *node = yaml_document_get_root_node(&e->doc), *parent = NULL;
    yaml_node_pair_t *pair = NULL;
    size_t at = 0;
    while (at < e->depth && node && (pair = ui_yaml_pair(&e->doc, node, e->path[at]))) {
        parent = node;
        node = yaml_document_get_node(&e->doc, pair->value);
        at++;
    }
    if (at == e->depth && e->value) {
        assert(pair); /* a path has a key */
        put_in(e, pair);
    } else if (at == e->depth) {
        assert(parent && pair);
        take_out(e, parent, pair);
    } else if (!e->value) {
        ui_text_add(&e->out, e->text); /* nothing to remove */
    } else {
        char *entry = nested(e, at);
        if (!entry) return hr_fail(err, HR_ENOMEM, "out of memory");
        if (!node) {
            size_t length = strlen(e->text); /* of comments alone */
            ui_text_add(&e->out, e->text);
            if (length && e->text[length - 1] != '\n') ui_text_add(&e->out, e->newline);
            ui_text_add(&e->out, entry);
            ui_text_add(&e->out, e->newline);
        } else if (node->type == YAML_MAPPING_NODE) {
            append(e, node, entry);
        } else if (ui_yaml_is(node, "")) { /* `attributes:` without a value */
            size_t place = byte_at(e->text, node->start_mark.index);
            char *made = ui_format(" {%s}", entry);
            splice(e, place, place, made ? made : "");
            free(made);
        } else {
            free(entry);
            return hr_fail(err, HR_EINVAL, "'%s' of the job is not a mapping: correct the text",
                           at ? e->path[at - 1] : "the top");
        }
        free(entry);
    }
    return HR_OK;
}

/* ---- Checking ---- */

/* The value as it is read from a job: numbers are texts. */
static json_t *read_back(const json_t *value) {
    ui_text made = {0};
    ui_text_add(&made, "x: ");
    add_value(&made, value, false);
    json_t *all = made.data ? ui_yaml_json(made.data) : NULL;
    json_t *found = json_incref(json_object_get(all, "x"));
    free(made.data);
    json_decref(all);
    return found;
}

/* Has the value at the end of `path` become `value` (NULL: none), and is all else the same? */
static bool has_only(const json_t *before, const json_t *after, const char *const *path,
                     size_t depth, const json_t *value) {
    const char *key;
    json_t *member;
    if (depth == 0) return value ? json_equal(after, value) : !after;
    json_object_foreach((json_t *)before, key, member) {
        if (strcmp(key, *path) != 0 && !json_equal(member, json_object_get(after, key)))
            return false;
    }
    return json_object_size(after) <= json_object_size(before) + 1 &&
           has_only(json_object_get(before, *path), json_object_get(after, *path), path + 1,
                    depth - 1, value);
}

/* Reads the new text back. A text that is too large to be compared has to be YAML. */
static hr_status check_edit(const edit *e, hr_error *err) {
    yaml_document_t doc;
    json_t *before = ui_yaml_json(e->text), *after = ui_yaml_json(e->out.data);
    json_t *value = e->value ? read_back(e->value) : NULL;
    bool good = !before || (after && has_only(before, after, e->path, e->depth, value));
    json_decref(before);
    json_decref(after);
    json_decref(value);
    if (good && ui_yaml_load(e->out.data, &doc, NULL) == HR_OK)
        yaml_document_delete(&doc);
    else
        return hr_fail(err, HR_EINVAL,
                       "'%s' of the job is written in a form that the page cannot change: change "
                       "the text of the job",
                       e->path[e->depth - 1]);
    return HR_OK;
}

hr_status ui_yaml_set(const char *text, const char *const *path, size_t depth, const json_t *value,
                      char **out, hr_error *err) {
    edit e = {.text = text, .path = path, .depth = depth, .value = value};
    HR_TRY(ui_yaml_load(text, &e.doc, err));
    e.json = is_json(&e.doc);
    e.newline = strstr(text, "\r\n") ? "\r\n" : "\n";
    hr_status status = make_edit(&e, err);
    yaml_document_delete(&e.doc);
    if (status == HR_OK && !e.out.data) status = hr_fail(err, HR_ENOMEM, "out of memory");
    if (status == HR_OK) status = check_edit(&e, err);
    if (status != HR_OK) free(e.out.data);
    *out = status == HR_OK ? e.out.data : NULL;
    return status;
}
