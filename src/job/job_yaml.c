/* job_yaml.c - reads a job file, which is YAML or its subset JSON. The file is read event by event,
 * with one function per level of nesting. So an error has a line and column, no document tree is
 * built, and deep nesting is refused at the first level that does not belong. A known key without a
 * value is ignored. */
#include "job/job_keys.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

/* A job with explicit trees of many values is large. */
enum { FILE_MOST = 1 << 30 };

typedef struct {
    yaml_parser_t parser;
    yaml_event_t event;   /* the current event */
    yaml_mark_t key_mark; /* position of the current key */
    const char *name;     /* name of the file in messages; NULL: they have no position */
    const char *folder;   /* relative paths are joined to it; or NULL */
    hr_job *job;
    hr_error *err;
} reader;

/* ---- Messages with line and column ---- */

/* Prefixes the message of a failed call with a position in the file. */
static hr_status placed(reader *r, yaml_mark_t mark, hr_status status) {
    if (status == HR_OK || status == HR_ENOMEM || !r->name) return status;
    return hr_fail_prefix(r->err, status, "%s:%zu:%zu", r->name, mark.line + 1, mark.column + 1);
}

/* The same with the position of the current event. */
static hr_status here(reader *r, hr_status status) {
    return placed(r, r->event.start_mark, status);
}

/* A character that can begin no text: a tab in place of blanks, or one that needs quotes. */
static hr_status bad_start(reader *r, char c) {
    if (c == '\t')
        return hr_fail(r->err, HR_EINVAL, "a tab: indent with blanks, YAML allows no tabs there");
    return hr_fail(r->err, HR_EINVAL, "%c cannot begin a text in YAML: quote it, as in '%c...'", c,
                   c);
}

/* The parser's own error. */
static hr_status broken(reader *r) {
    const yaml_parser_t *p = &r->parser;
    if (p->error == YAML_MEMORY_ERROR) return hr_fail(r->err, HR_ENOMEM, "out of memory");
    const char *at = (const char *)p->buffer.pointer;
    if (p->error == YAML_SCANNER_ERROR && p->problem && at && strchr("\t@`%", *at) && *at &&
        strstr(p->problem, "cannot start any token"))
        return placed(r, p->problem_mark, bad_start(r, *at));
    bool star = p->context && strstr(p->context, "alias"); /* `*` that is followed by no name */
    hr_status status =
        star ? hr_fail(r->err, HR_EINVAL, "* begins an alias in YAML: quote it, as in ['*']")
             : hr_fail(r->err, HR_EINVAL, "%s%s%s", p->problem ? p->problem : "not YAML",
                       p->context ? " " : "", p->context ? p->context : "");
    return placed(r, p->error == YAML_READER_ERROR ? p->mark : p->problem_mark, status);
}

static const char *kind_of(yaml_event_type_t type) {
    switch (type) {
    case YAML_SCALAR_EVENT: return "a single value";
    case YAML_SEQUENCE_START_EVENT: return "a list";
    case YAML_MAPPING_START_EVENT: return "a mapping";
    default: return "nothing";
    }
}

static hr_status wrong_kind(reader *r, const char *what, const char *wanted) {
    return here(r, hr_fail(r->err, HR_EINVAL, "%s is %s, it must be %s", what,
                           kind_of(r->event.type), wanted));
}

static hr_status unknown(reader *r, const char *key, const char *of, const char *nearest) {
    hr_status status =
        hr_fail(r->err, HR_EINVAL, "there is no key '%s'%s%s%s%s", key, of,
                nearest ? " (did you mean '" : "", nearest ? nearest : "", nearest ? "'?)" : "");
    return placed(r, r->key_mark, status);
}

/* ---- Events ---- */

static const yaml_char_t *anchor_of(const yaml_event_t *event) {
    switch (event->type) {
    case YAML_SCALAR_EVENT: return event->data.scalar.anchor;
    case YAML_SEQUENCE_START_EVENT: return event->data.sequence_start.anchor;
    case YAML_MAPPING_START_EVENT: return event->data.mapping_start.anchor;
    default: return NULL;
    }
}

static hr_status next(reader *r) {
    yaml_event_delete(&r->event);
    if (!yaml_parser_parse(&r->parser, &r->event)) return broken(r);
    if (r->event.type == YAML_ALIAS_EVENT || anchor_of(&r->event))
        return here(r, hr_fail(r->err, HR_EINVAL,
                               "anchors (&name) and aliases (*name) are not read: write the value "
                               "out, in quotes if it begins with & or *"));
    return HR_OK;
}

/* Copies the current event, which must be a scalar, into the job's arena. `what` names it in
 * messages. */
static hr_status text(reader *r, const char *what, const char **out) {
    if (r->event.type != YAML_SCALAR_EVENT) return wrong_kind(r, what, "a single value");
    const char *value = (const char *)r->event.data.scalar.value;
    size_t length = r->event.data.scalar.length;
    if (memchr(value, '\0', length))
        return here(r, hr_fail(r->err, HR_EINVAL, "%s has a NUL character in it", what));
    *out = hr_arena_text(&r->job->arena, value, length, r->err);
    return *out ? HR_OK : HR_ENOMEM;
}

/* Is the current event an unquoted ~, null or nothing, which in YAML means "no value"? */
static bool is_absent(const reader *r) {
    static const char *const words[] = {"", "~", "null", "Null", "NULL"};
    if (r->event.type != YAML_SCALAR_EVENT) return false;
    if (r->event.data.scalar.style != YAML_PLAIN_SCALAR_STYLE ||
        !r->event.data.scalar.plain_implicit)
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp((const char *)r->event.data.scalar.value, words[i])) return true;
    return false;
}

/* Keys of one mapping so far, as a linked list. */
typedef struct key_node {
    const char *key;
    const struct key_node *next;
} key_node;

/* Adds a key to the list, or fails if the list has it. */
static hr_status add_key(reader *r, const key_node **list, size_t count, const char *key) {
    for (const key_node *s = *list; s; s = s->next)
        if (!strcmp(s->key, key))
            return here(r, hr_fail(r->err, HR_EINVAL, "the key '%s' is there twice", key));
    if (count >= HR_JOB_MOST)
        return here(r, hr_fail(r->err, HR_EINVAL, "more than %d keys in one place", HR_JOB_MOST));
    key_node *s = hr_arena_alloc(&r->job->arena, 1, sizeof *s, r->err);
    if (!s) return HR_ENOMEM;
    *s = (key_node){key, *list};
    *list = s;
    return HR_OK;
}

/* Reads one value: the current event is the value's first on entry and its last on return. */
typedef hr_status (*take)(reader *r, const char *key, void *payload);

static hr_status each_pair(reader *r, const char *what, take pair, void *payload) {
    if (r->event.type != YAML_MAPPING_START_EVENT)
        return wrong_kind(r, what, "a mapping of keys to values");
    const key_node *list = NULL;
    for (size_t count = 0;; count++) {
        const char *key = NULL;
        HR_TRY(next(r));
        if (r->event.type == YAML_MAPPING_END_EVENT) return HR_OK;
        HR_TRY(text(r, "a key", &key));
        HR_TRY(add_key(r, &list, count, key));
        r->key_mark = r->event.start_mark;
        HR_TRY(next(r));
        HR_TRY(pair(r, key, payload));
    }
}

static hr_status each_item(reader *r, const char *key, take item, void *payload) {
    for (;;) {
        HR_TRY(next(r));
        if (r->event.type == YAML_SEQUENCE_END_EVENT) return HR_OK;
        if (is_absent(r)) {
            const char *word = (const char *)r->event.data.scalar.value;
            return here(r, hr_fail(r->err, HR_EINVAL,
                                   "%s: %s in a list is not a value: quote it ('%s') if it is one",
                                   key, *word ? word : "nothing", word));
        }
        HR_TRY(item(r, key, payload));
    }
}

/* ---- Paths ---- */

static hr_status resolve(reader *r, const char *path, const char **out) {
    char *joined = hr_address_join(r->folder, path, r->err);
    if (!joined) return HR_ENOMEM;
    *out = hr_arena_text(&r->job->arena, joined, strlen(joined), r->err);
    free(joined);
    return *out ? HR_OK : HR_ENOMEM;
}

/* ---- attributes: {NAME: {role: ..., boundary: ...}} ---- */

static hr_status add_node(reader *r, const char *key, void *payload) {
    hr_text_list *nodes = payload;
    HR_TRY(
        hr_grow(&nodes->texts, &nodes->capacity, nodes->count + 1, sizeof *nodes->texts, r->err));
    return text(r, key, &nodes->texts[nodes->count++]);
}

typedef struct {
    const char *key; /* "boundary" */
    hr_node_choice *choice;
    const char *given; /* the key of the mapping that was read; or NULL */
} choice_target;

static hr_status choice_nodes(reader *r, const choice_target *target) {
    hr_text_list nodes = {0};
    char what[64];
    snprintf(what, sizeof what, "a node of the %s", target->key);
    hr_status status = each_item(r, what, add_node, &nodes);
    if (status == HR_OK)
        status = here(r, hr_node_choice_set_nodes(r->job, target->choice, target->key, nodes.texts,
                                                  nodes.count, r->err));
    free(nodes.texts);
    return status;
}

/* {width: 10}, {cells: 8} or {cuts: [10, 20]} */
static hr_status choice_cuts(reader *r, const char *key, const choice_target *target) {
    hr_text_list values = {0};
    hr_status status = r->event.type == YAML_SEQUENCE_START_EVENT
                           ? each_item(r, key, add_node, &values)
                           : add_node(r, key, &values);
    if (status == HR_OK)
        status = here(r, hr_node_choice_set_cuts(r->job, target->choice, key, values.texts,
                                                 values.count, r->err));
    free(values.texts);
    return status;
}

static hr_status choice_pair(reader *r, const char *key, void *payload) {
    choice_target *target = payload;
    const char *value = NULL;
    bool boundary = !strcmp(target->key, "boundary");
    bool cuts = boundary && hr_is_cut_key(key, strlen(key));
    if (strcmp(key, "level") && !cuts)
        return placed(
            r, r->key_mark,
            hr_fail(r->err, HR_EINVAL,
                    "there is no key '%s' in a %s: write {level: N}, or a list of "
                    "nodes%s",
                    key, target->key,
                    boundary ? "; of a number {width: W}, {cells: N} or {cuts: [N, N]}" : ""));
    if (is_absent(r)) return HR_OK;
    if (target->given)
        return placed(r, r->key_mark,
                      hr_fail(r->err, HR_EINVAL, "%s: keep one of `%s` and `%s`", target->key,
                              target->given, key));
    target->given = key;
    if (cuts) return choice_cuts(r, key, target);
    HR_TRY(text(r, key, &value));
    return here(r, hr_node_choice_set_level(target->choice, value, r->err));
}

/* ---- builders: {prefix: [3, 2]} or a list of such mappings ---- */

enum { SPEC_DEPTH = 4 };

static hr_status read_spec(reader *r, hr_spec *out, unsigned depth);

/* Items of a list or mapping, collected on the heap. */
typedef struct {
    const char **keys;
    hr_spec *items;
    size_t count, key_capacity, item_capacity;
    unsigned depth;
} spec_items;

static hr_status add_spec(reader *r, const char *key, void *payload) {
    spec_items *all = payload;
    HR_TRY(hr_grow(&all->keys, &all->key_capacity, all->count + 1, sizeof *all->keys, r->err));
    HR_TRY(hr_grow(&all->items, &all->item_capacity, all->count + 1, sizeof *all->items, r->err));
    all->keys[all->count] = key;
    return read_spec(r, &all->items[all->count++], all->depth - 1);
}

/* Moves the items into the job's arena. */
static hr_status keep_items(reader *r, const spec_items *all, hr_spec *out) {
    out->count = all->count;
    out->keys = hr_arena_alloc(&r->job->arena, all->count, sizeof *out->keys, r->err);
    out->items = hr_arena_alloc(&r->job->arena, all->count, sizeof *out->items, r->err);
    if (!out->keys || !out->items) return HR_ENOMEM;
    if (all->count == 0) return HR_OK;
    memcpy(out->keys, all->keys, all->count * sizeof *out->keys);
    memcpy(out->items, all->items, all->count * sizeof *out->items);
    return HR_OK;
}

static hr_status read_spec(reader *r, hr_spec *out, unsigned depth) {
    spec_items all = {.depth = depth};
    *out = (hr_spec){.kind = HR_SPEC_TEXT};
    if (r->event.type == YAML_SCALAR_EVENT) return text(r, "a value", &out->text);
    if (depth == 0)
        return here(r, hr_fail(r->err, HR_EINVAL, "hierarchy: lists within lists within lists"));
    out->kind = r->event.type == YAML_SEQUENCE_START_EVENT ? HR_SPEC_LIST : HR_SPEC_MAP;
    hr_status status = out->kind == HR_SPEC_LIST ? each_item(r, "hierarchy", add_spec, &all)
                                                 : each_pair(r, "hierarchy", add_spec, &all);
    if (status == HR_OK) status = keep_items(r, &all, out);
    free(all.keys);
    free(all.items);
    return status;
}

static hr_status parse_recipe(reader *r, const hr_spec *spec, const hr_recipe **out) {
    hr_recipe_paths paths = {hr_address_join, r->folder};
    return hr_recipe_parse(spec, &paths, &r->job->arena, out, r->err);
}

static hr_status read_recipe(reader *r, const hr_recipe **out) {
    hr_spec spec;
    yaml_mark_t mark = r->event.start_mark;
    HR_TRY(read_spec(r, &spec, SPEC_DEPTH));
    return placed(r, mark, parse_recipe(r, &spec, out));
}

/* Is the current event an unquoted whole number? */
static bool is_plain_number(const reader *r) {
    uint64_t number;
    return r->event.type == YAML_SCALAR_EVENT &&
           r->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
           hr_parse_uint((const char *)r->event.data.scalar.value, UINT64_MAX, &number);
}

/* The error for a number in place of nodes: it may be meant as a level. */
static hr_status not_a_level(reader *r, const char *key) {
    const char *number = (const char *)r->event.data.scalar.value;
    return here(r, hr_fail(r->err, HR_EINVAL,
                           "%s: %s is neither a level nor a list: did you mean {level: %s}? (The "
                           "node '%s' is written [%s].)",
                           key, number, number, number, number));
}

/* Builders, or a tree. */
static hr_status read_hierarchy(reader *r, hr_attribute *attribute) {
    hr_spec spec;
    const hr_recipe *recipe = NULL;
    yaml_mark_t mark = r->event.start_mark;
    HR_TRY(read_spec(r, &spec, SPEC_DEPTH));
    if (hr_spec_is_tree(&spec))
        return placed(r, mark, hr_attribute_set_tree(r->job, attribute, &spec, r->err));
    HR_TRY(placed(r, mark, parse_recipe(r, &spec, &recipe)));
    return hr_attribute_set_recipe(attribute, recipe);
}

/* bins: [0, 10, 20] or range: [0, 120] */
static hr_status read_numbers(reader *r, const char *key, hr_attribute *attribute) {
    hr_text_list numbers = {0};
    hr_status status = each_item(r, key, add_node, &numbers);
    if (status == HR_OK)
        status = here(r, (!strcmp(key, "bins") ? hr_attribute_set_edges : hr_attribute_set_range)(
                             r->job, attribute, numbers.texts, numbers.count, r->err));
    free(numbers.texts);
    return status;
}

static const char *attribute_key_at(size_t i, const void *payload) {
    (void)payload;
    return hr_attribute_keys[i].name;
}

static hr_status unknown_attribute_key(reader *r, const char *key) {
    size_t count = 0;
    while (hr_attribute_keys[count].name)
        count++;
    return unknown(r, key, " of an attribute", hr_text_nearest(key, count, attribute_key_at, NULL));
}

static hr_status attribute_pair(reader *r, const char *key, void *payload) {
    hr_attribute *attribute = payload;
    const hr_attribute_key *known = hr_attribute_key_find(key);
    if (!known) return unknown_attribute_key(r, key);
    if (is_absent(r)) return HR_OK;
    choice_target target = {key, hr_attribute_choice(attribute, key), NULL};
    bool list = r->event.type == YAML_SEQUENCE_START_EVENT;
    bool map = r->event.type == YAML_MAPPING_START_EVENT;
    if (target.choice && list) return choice_nodes(r, &target);
    if (target.choice && map) return each_pair(r, key, choice_pair, &target);
    if (!strcmp(key, "hierarchy") && (list || map)) return read_hierarchy(r, attribute);
    if ((!strcmp(key, "bins") || !strcmp(key, "range")) && list)
        return read_numbers(r, key, attribute);
    if (target.choice && is_plain_number(r)) return not_a_level(r, key);
    const char *value = NULL;
    HR_TRY(text(r, key, &value));
    if (!strcmp(key, "hierarchy") && strcmp(value, "flat")) HR_TRY(resolve(r, value, &value));
    return here(r, known->set(r->job, attribute, value, r->err));
}

static hr_status read_attribute(reader *r, const char *name, void *payload) {
    (void)payload;
    if (!*name)
        return placed(r, r->key_mark, hr_fail(r->err, HR_EINVAL, "an attribute without a name"));
    if (is_absent(r)) return HR_OK;
    hr_attribute *attribute = NULL;
    HR_TRY(placed(r, r->key_mark, hr_job_attribute(r->job, name, &attribute, r->err)));
    if (r->event.type != YAML_MAPPING_START_EVENT)
        return wrong_kind(r, name, "a mapping such as {role: quasi, hierarchy: FILE}");
    return each_pair(r, name, attribute_pair, attribute);
}

/* ---- model: {k: 5, p: 2} ---- */

static hr_status unknown_option(reader *r, const char *key) {
    hr_text known = {0};
    for (size_t i = 0; hr_models[i]; i++)
        for (const hr_option *o = hr_models[i]->options; o && o->name; o++)
            hr_text_printf(&known, "%s%s", known.length ? ", " : "", o->name);
    hr_status status = hr_fail(r->err, HR_EINVAL, "no model has an option '%s': there are %s", key,
                               known.data ? known.data : "none");
    hr_text_free(&known);
    return placed(r, r->key_mark, status);
}

static bool is_model_option(const hr_keyword *keyword) {
    return keyword->option && !keyword->format && !keyword->algorithm;
}

/* sensitive: {COLUMN: {t: 0.2}}: the attribute's own parameters, and the hierarchy for t. */
static hr_status demand_pair(reader *r, const char *key, void *payload) {
    if (hr_is_demand(key) || !strcmp(key, "hierarchy")) return attribute_pair(r, key, payload);
    return placed(r, r->key_mark,
                  hr_fail(r->err, HR_EINVAL,
                          "there is no key '%s' for a sensitive attribute of the model: there are "
                          "alpha, l, entropy_l, recursive_c, recursive_l, t, distance and "
                          "hierarchy",
                          key));
}

static hr_status read_demands(reader *r, const char *name, void *payload) {
    (void)payload;
    if (is_absent(r)) return HR_OK;
    hr_attribute *attribute = NULL;
    HR_TRY(placed(r, r->key_mark, hr_job_attribute(r->job, name, &attribute, r->err)));
    return each_pair(r, name, demand_pair, attribute);
}

static hr_status model_pair(reader *r, const char *key, void *payload) {
    (void)payload;
    if (!strcmp(key, "sensitive") && !is_absent(r)) return each_pair(r, key, read_demands, NULL);
    hr_keyword keyword;
    const char *value = NULL;
    if (!hr_keyword_find(key, &keyword) || !is_model_option(&keyword))
        return unknown_option(r, key);
    if (is_absent(r)) return HR_OK;
    HR_TRY(text(r, key, &value));
    return here(r, hr_keyword_set(r->job, &keyword, value, r->err));
}

/* ---- The keys of a job ---- */

static hr_status set_key(reader *r, const char *key, void *payload) {
    const hr_keyword *keyword = payload;
    const char *value = NULL;
    HR_TRY(text(r, key, &value));
    if (keyword->key && keyword->key->traits & HR_KEY_PATH) HR_TRY(resolve(r, value, &value));
    return here(r, hr_keyword_set(r->job, keyword, value, r->err));
}

static bool lists_columns(const char *key) {
    return !strcmp(key, "study") || !strcmp(key, "keys");
}

/* [a, b] as "a:b", the form that the flags --study and --keys have. */
static hr_status columns_text(reader *r, const char *key, char **out) {
    hr_text_list names = {0};
    hr_text joined = {0};
    bool pair = !strcmp(key, "study");
    hr_status status = each_item(r, key, add_node, &names);
    if (status == HR_OK && pair && names.count != 2)
        status = here(r, hr_fail(r->err, HR_EINVAL,
                                 "study: a list of %zu column%s: each pair has two, such as study: "
                                 "[[age, diagnosis], [sex, diagnosis]]",
                                 names.count, names.count == 1 ? "" : "s"));
    for (size_t i = 0; i < names.count && status == HR_OK; i++) {
        if (i > 0) hr_text_puts(&joined, ":");
        for (const char *c = names.texts[i]; *c; c++) {
            if (strchr("\\,:=", *c)) hr_text_puts(&joined, "\\");
            hr_text_add(&joined, c, 1);
        }
    }
    free(names.texts);
    if (status == HR_OK) return hr_text_take(&joined, out, r->err);
    hr_text_free(&joined);
    return status;
}

/* An item of `study` or `keys`. */
static hr_status add_columns(reader *r, const char *key, void *payload) {
    char *value = NULL;
    if (r->event.type != YAML_SEQUENCE_START_EVENT) {
        const char *name = (const char *)r->event.data.scalar.value;
        if (r->event.type == YAML_SCALAR_EVENT && !strcmp(key, "keys") && !strchr(name, ':'))
            return here(r,
                        hr_fail(r->err, HR_EINVAL,
                                "keys: '%s' is not a list of columns: write a list of lists, such "
                                "as keys: [[age, zip, sex], [birth, hospital]]",
                                name));
        return set_key(r, key, payload);
    }
    HR_TRY(columns_text(r, key, &value));
    hr_status status = here(r, hr_keyword_set(r->job, payload, value, r->err));
    free(value);
    return status;
}

/* Keywords to suggest for an unknown key: "" for those that have another place in a job file. */
static const char *file_key_at(size_t i, const void *payload) {
    (void)payload;
    const char *name = hr_keyword_at(i);
    hr_keyword keyword;
    bool misplaced = hr_keyword_find(name, &keyword) &&
                     (keyword.key ? keyword.key->traits & HR_KEY_FLAG : is_model_option(&keyword));
    return misplaced ? "" : name;
}

static hr_status unknown_key(reader *r, const char *key) {
    size_t count = 0;
    while (hr_keyword_at(count))
        count++;
    return unknown(r, key, "", hr_text_nearest(key, count, file_key_at, NULL));
}

static hr_status job_pair(reader *r, const char *key, void *payload) {
    (void)payload;
    hr_keyword keyword;
    if (!hr_keyword_find(key, &keyword)) return unknown_key(r, key);
    if (is_model_option(&keyword))
        return placed(r, r->key_mark,
                      hr_fail(r->err, HR_EINVAL, "'%s' belongs below `model`: write model: {%s: N}",
                              key, key));
    if (keyword.key && keyword.key->traits & HR_KEY_FLAG)
        return placed(r, r->key_mark,
                      hr_fail(r->err, HR_EINVAL,
                              "'%s' is a flag; in a job file write attributes: "
                              "{COLUMN: {role: quasi, ...}}",
                              key));
    if (is_absent(r)) return HR_OK;
    if (!strcmp(key, "attributes")) return each_pair(r, key, read_attribute, NULL);
    if (!strcmp(key, "model")) return each_pair(r, key, model_pair, NULL);
    if (keyword.key && keyword.key->traits & HR_KEY_LIST &&
        r->event.type == YAML_SEQUENCE_START_EVENT)
        return each_item(r, key, lists_columns(key) ? add_columns : set_key, &keyword);
    return set_key(r, key, &keyword);
}

static hr_status read_document(reader *r) {
    HR_TRY(next(r)); /* start of the stream */
    HR_TRY(next(r));
    if (r->event.type == YAML_STREAM_END_EVENT)
        return here(r, hr_fail(r->err, HR_EINVAL, "the job file is empty"));
    HR_TRY(next(r));
    HR_TRY(each_pair(r, "the job", job_pair, NULL));
    HR_TRY(next(r)); /* end of the document */
    HR_TRY(next(r));
    if (r->event.type == YAML_STREAM_END_EVENT) return HR_OK;
    return here(r, hr_fail(r->err, HR_EINVAL, "a second document: a file holds one job"));
}

/* ---- A recipe by itself ---- */

static hr_status read_recipe_document(reader *r, const hr_recipe **out) {
    HR_TRY(next(r)); /* start of the stream */
    HR_TRY(next(r));
    if (r->event.type == YAML_STREAM_END_EVENT)
        return hr_fail(r->err, HR_EINVAL, "hierarchy: write a builder, such as prefix: [3, 2]");
    HR_TRY(next(r));
    HR_TRY(read_recipe(r, out));
    HR_TRY(next(r)); /* end of the document */
    HR_TRY(next(r));
    if (r->event.type == YAML_STREAM_END_EVENT) return HR_OK;
    return hr_fail(r->err, HR_EINVAL, "hierarchy: a second document");
}

/* `intervals: 10, top: 90` on one line is a map that lacks its braces. */
static bool lacks_braces(const char *text) {
    text += strspn(text, " \t");
    return !strchr("{[\"'", *text) && strchr(text, ':') && !strchr(text, '\n');
}

hr_status hr_job_parse_recipe(hr_job *job, const char *text, const char *folder,
                              const hr_recipe **out, hr_error *err) {
    reader r = {.folder = folder, .job = job, .err = err};
    if (lacks_braces(text)) {
        size_t length = strlen(text);
        char *map = hr_arena_alloc(&job->arena, length + 3, 1, err);
        if (!map) return HR_ENOMEM;
        snprintf(map, length + 3, "{%s}", text);
        text = map;
    }
    if (!yaml_parser_initialize(&r.parser)) return hr_fail(err, HR_ENOMEM, "out of memory");
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, strlen(text));
    hr_status status = read_recipe_document(&r, out);
    yaml_event_delete(&r.event);
    yaml_parser_delete(&r.parser);
    return status;
}

/* ---- From memory, from a file ---- */

/* Marks everything as given by the job file, so that flags may override it. */
static void inherit(hr_job *job) {
    job->output.reports.inherited = job->input.missing.inherited = true;
    job->study.inherited = true;
    job->keys.inherited = true;
    for (size_t i = 0; i < job->attribute_count; i++)
        job->attributes[i].inherited = job->attributes[i].role_inherited = true;
}

hr_status hr_job_parse(const char *bytes, size_t length, const char *name, const char *folder,
                       hr_job **out, hr_error *err) {
    reader r = {.name = name, .folder = folder, .err = err};
    HR_TRY(hr_job_new(&r.job, err));
    if (!yaml_parser_initialize(&r.parser)) {
        hr_job_free(r.job);
        return hr_fail(err, HR_ENOMEM, "out of memory");
    }
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)bytes, length);
    hr_status status = read_document(&r);
    yaml_event_delete(&r.event);
    yaml_parser_delete(&r.parser);
    if (status != HR_OK) {
        hr_job_free(r.job);
        return status;
    }
    inherit(r.job);
    r.job->fingerprint = hr_hash(bytes, length);
    *out = r.job;
    return HR_OK;
}

static hr_status read_all(FILE *file, const char *path, hr_text *bytes, hr_error *err) {
    char block[1 << 16];
    size_t length;
    while ((length = fread(block, 1, sizeof block, file)) > 0) {
        if (bytes->length + length > FILE_MOST)
            return hr_fail(err, HR_EINVAL, "%s is larger than %d MB: is it a job file?", path,
                           FILE_MOST >> 20);
        hr_text_add(bytes, block, length);
        if (bytes->failed) return hr_fail(err, HR_ENOMEM, "out of memory");
    }
    if (!ferror(file)) return HR_OK;
    return hr_fail(err, HR_EIO, "cannot read job file %s: %s", path, strerror(errno));
}

/* The folder is the part before the last slash: "" is the root, NULL the current folder. */
static hr_status parse_file(const char *path, const char *bytes, size_t length, hr_job **out,
                            hr_error *err) {
    const char *slash = strrchr(path, '/');
    char *folder = slash ? hr_copy_text(path, (size_t)(slash - path), err) : NULL;
    if (slash && !folder) return HR_ENOMEM;
    hr_job *job;
    hr_status status = hr_job_parse(bytes, length, path, folder, &job, err);
    free(folder);
    HR_TRY(status);
    job->path = hr_arena_text(&job->arena, path, strlen(path), err);
    if (!job->path) {
        hr_job_free(job);
        return HR_ENOMEM;
    }
    *out = job;
    return HR_OK;
}

hr_status hr_job_read(const char *path, hr_job **out, hr_error *err) {
    hr_text bytes = {0};
    FILE *file = fopen(path, "rb");
    if (!file) return hr_fail(err, HR_EIO, "cannot read job file %s: %s", path, strerror(errno));
    hr_status status = read_all(file, path, &bytes, err);
    fclose(file);
    if (status == HR_OK)
        status = parse_file(path, bytes.data ? bytes.data : "", bytes.length, out, err);
    hr_text_free(&bytes);
    return status;
}
