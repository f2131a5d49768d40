/* job_attribute.c - describing one column: the keys of an attribute in the job file, and the flags
 * that set them by column name. In a flag, a backslash makes a comma, colon or equals sign part of
 * the name: --quasi 'income\, net,age'. */
#include "job/job_keys.h"

#include <string.h>

/* ---- The keys of an attribute ---- */

#define ROLES "identifier|quasi|sensitive|keep|drop"

static void clear_tree(hr_attribute *attribute) {
    hr_hierarchy_free(attribute->tree);
    attribute->tree = NULL;
    attribute->recipe = NULL;
}

/* Makes room for another hierarchy. A flag that gives one also replaces the numeric type of the job
 * file. */
static void forget_hierarchy(hr_attribute *attribute) {
    clear_tree(attribute);
    if (!attribute->inherited) return;
    if (attribute->numeric) {
        attribute->on_missing_given = false;
        attribute->on_missing = HR_MISSING_ERROR;
        attribute->boundary = (hr_node_choice){0};
    }
    attribute->numeric = attribute->inherited = false;
    attribute->range = NULL;
}

static const char *const role_names[] = {[HR_ROLE_IDENTIFIER] = "identifier",
                                         [HR_ROLE_QUASI] = "quasi",
                                         [HR_ROLE_SENSITIVE] = "sensitive",
                                         [HR_ROLE_KEEP] = "keep",
                                         [HR_ROLE_DROP] = "drop"};

const char *hr_role_name(hr_role role) {
    return role_names[role];
}

/* A flag overrides the role of the job file. Since the file's other keys belong to the old role,
 * they are cleared. */
static hr_status assign_role(hr_attribute *attribute, hr_role role, hr_error *err) {
    bool another = attribute->role != HR_ROLE_NONE && attribute->role != role;
    if (another && !attribute->role_inherited)
        return hr_fail(err, HR_EINVAL,
                       "column '%s' is given two roles, %s and %s: leave one of them out",
                       attribute->name, role_names[attribute->role], role_names[role]);
    if (another && attribute->inherited) {
        clear_tree(attribute);
        *attribute = (hr_attribute){.name = attribute->name};
    }
    attribute->role = role;
    attribute->role_inherited = false;
    return HR_OK;
}

static hr_status set_role(hr_job *job, hr_attribute *attribute, const char *value, hr_error *err) {
    static const hr_option option = {.name = "role", .type = HR_OPTION_CHOICE, .choices = ROLES};
    (void)job;
    int index;
    HR_TRY(hr_option_set(&option, &index, value, err));
    return assign_role(attribute, (hr_role)(index + HR_ROLE_IDENTIFIER), err);
}

static hr_status set_hierarchy(hr_job *job, hr_attribute *attribute, const char *value,
                               hr_error *err) {
    if (!*value)
        return hr_fail(err, HR_EINVAL, "hierarchy: name a file, or write `flat` for two levels");
    if (*value == '{' || *value == '[' || hr_begins_builder(value)) {
        const hr_recipe *recipe;
        HR_TRY(hr_job_parse_recipe(job, value, NULL, &recipe, err));
        return hr_attribute_set_recipe(attribute, recipe);
    }
    forget_hierarchy(attribute);
    attribute->hierarchy = hr_arena_text(&job->arena, value, strlen(value), err);
    return attribute->hierarchy ? HR_OK : HR_ENOMEM;
}

hr_status hr_attribute_set_recipe(hr_attribute *attribute, const hr_recipe *recipe) {
    forget_hierarchy(attribute);
    attribute->recipe = recipe;
    attribute->hierarchy = recipe->text;
    return HR_OK;
}

bool hr_attribute_built(const hr_attribute *attribute) {
    if (!attribute->hierarchy || attribute->tree) return false;
    return attribute->recipe || !strcmp(attribute->hierarchy, "flat");
}

bool hr_attribute_needs_data(const hr_attribute *attribute) {
    return (attribute->bins && !attribute->edges) || (attribute->recipe && !attribute->tree);
}

static hr_status set_type(hr_job *job, hr_attribute *attribute, const char *value, hr_error *err) {
    (void)job;
    if (strcmp(value, "numeric"))
        return hr_fail(err, HR_EINVAL,
                       "type: '%s' is not `numeric`, the only type there is (leave it out for "
                       "values with a hierarchy)",
                       value);
    if (attribute->inherited && !attribute->numeric) {
        attribute->hierarchy = NULL;
        clear_tree(attribute);
        attribute->boundary = attribute->finest = (hr_node_choice){0};
        if (attribute->on_missing == HR_MISSING_GROUP) attribute->on_missing = HR_MISSING_ERROR;
        attribute->inherited = false;
    }
    attribute->numeric = true;
    return HR_OK;
}

static hr_status set_range(hr_job *job, hr_attribute *attribute, const char *value, hr_error *err) {
    return hr_attribute_set_range(job, attribute, &value, 1, err); /* a list of two is needed */
}

static hr_status set_weight(hr_job *job, hr_attribute *attribute, const char *value,
                            hr_error *err) {
    (void)job;
    double weight;
    if (!hr_parse_double(value, &weight) || !(weight > 0))
        return hr_fail(err, HR_EINVAL, "weight: '%s' is not a number greater than 0", value);
    attribute->weight = weight;
    attribute->weight_given = true;
    return HR_OK;
}

static hr_status set_bins(hr_job *job, hr_attribute *attribute, const char *value, hr_error *err) {
    static const hr_option option = {
        .name = "bins", .type = HR_OPTION_INT, .min = 2, .max = HR_BINS_MAX};
    (void)job;
    int64_t bins;
    HR_TRY(hr_option_set(&option, &bins, value, err));
    attribute->bins = (uint32_t)bins;
    attribute->edges = NULL;
    return HR_OK;
}

static hr_status set_on_missing(hr_job *job, hr_attribute *attribute, const char *value,
                                hr_error *err) {
    static const hr_option option = {
        .name = "on_missing", .type = HR_OPTION_CHOICE, .choices = "group|drop|error"};
    static const hr_on_missing meaning[] = {HR_MISSING_GROUP, HR_MISSING_DROP, HR_MISSING_ERROR};
    (void)job;
    int index;
    HR_TRY(hr_option_set(&option, &index, value, err));
    attribute->on_missing = meaning[index];
    attribute->on_missing_given = true;
    return HR_OK;
}

/* ---- levels and lists of nodes ---- */

hr_node_choice *hr_attribute_choice(hr_attribute *attribute, const char *key) {
    if (!strcmp(key, "boundary")) return &attribute->boundary;
    return strcmp(key, "finest") ? NULL : &attribute->finest;
}

hr_status hr_node_choice_set_level(hr_node_choice *choice, const char *level, hr_error *err) {
    if (!*level || *level == '-' || *level == '+')
        return hr_fail(err, HR_EINVAL,
                       "level: '%s' is not a column of the hierarchy file (leaves are 0)", level);
    *choice = (hr_node_choice){.level = level};
    return HR_OK;
}

static const char *after_level(const char *value) {
    return strncmp(value, "level:", 6) ? NULL : value + 6 + strspn(value + 6, " ");
}

/* "width:10", "cells:8" or "cuts:10,20" */
static bool is_cut(const char *key, const char *value) {
    size_t length = strcspn(value, ":");
    return value[length] && !strcmp(key, "boundary") && hr_is_cut_key(value, length);
}

static hr_status no_node(const char *key, hr_error *err) {
    return hr_fail(err, HR_EINVAL, "%s: no node is named; leave %s out to allow everything", key,
                   strcmp(key, "boundary") ? "it" : "the boundary");
}

hr_status hr_node_choice_set_nodes(hr_job *job, hr_node_choice *choice, const char *key,
                                   const char *const *nodes, size_t count, hr_error *err) {
    if (count == 0) return no_node(key, err);
    const char **copy = hr_arena_alloc(&job->arena, count, sizeof *copy, err);
    if (!copy) return HR_ENOMEM;
    memcpy(copy, nodes, count * sizeof *copy);
    *choice = (hr_node_choice){.nodes = copy, .node_count = count};
    return HR_OK;
}

/* One node, "level:2", or how numbers are cut. */
static hr_status set_choice(hr_job *job, hr_attribute *attribute, const char *key,
                            const char *value, hr_error *err) {
    hr_node_choice *choice = hr_attribute_choice(attribute, key);
    if (!*value) return no_node(key, err);
    const char *text = hr_arena_text(&job->arena, value, strlen(value), err);
    if (!text) return HR_ENOMEM;
    if (after_level(text)) return hr_node_choice_set_level(choice, after_level(text), err);
    if (is_cut(key, text)) return hr_node_choice_parse_cuts(job, choice, text, err);
    return hr_node_choice_set_nodes(job, choice, key, &text, 1, err);
}

static hr_status set_boundary(hr_job *job, hr_attribute *attribute, const char *value,
                              hr_error *err) {
    return set_choice(job, attribute, "boundary", value, err);
}

static hr_status set_finest(hr_job *job, hr_attribute *attribute, const char *value,
                            hr_error *err) {
    return set_choice(job, attribute, "finest", value, err);
}

/* Sets a number of a recoding. hr_recoding_check later checks it against the others. */
static hr_status set_number(hr_job *job, const char *key, const char *value, const char **out,
                            hr_error *err) {
    int scale = 0;
    int64_t units;
    HR_TRY(hr_spec_scale(value, key, &scale, err));
    HR_TRY(hr_spec_units(value, key, scale, &units, err));
    *out = hr_arena_text(&job->arena, value, strlen(value), err);
    return *out ? HR_OK : HR_ENOMEM;
}

static hr_status set_round(hr_job *job, hr_attribute *attribute, const char *value, hr_error *err) {
    HR_TRY(set_number(job, "round", value, &attribute->round, err));
    hr_recode_numbers numbers;
    return hr_recode_numbers_parse(&(hr_attribute){.round = value}, &numbers, err);
}

static hr_status set_bottom(hr_job *job, hr_attribute *attribute, const char *value,
                            hr_error *err) {
    return set_number(job, "bottom", value, &attribute->bottom, err);
}

static hr_status set_top(hr_job *job, hr_attribute *attribute, const char *value, hr_error *err) {
    return set_number(job, "top", value, &attribute->top, err);
}

static hr_status set_level(hr_job *job, hr_attribute *attribute, const char *value, hr_error *err) {
    hr_node_choice choice;
    HR_TRY(hr_node_choice_set_level(&choice, value, err));
    attribute->level = hr_arena_text(&job->arena, value, strlen(value), err);
    return attribute->level ? HR_OK : HR_ENOMEM;
}

#define DEMAND(name)                                                                               \
    static hr_status set_##name(hr_job *job, hr_attribute *attribute, const char *value,           \
                                hr_error *err) {                                                   \
        return hr_demand_set(job, attribute, #name, value, err);                                   \
    }
DEMAND(alpha)
DEMAND(l)
DEMAND(entropy_l)
DEMAND(recursive_c)
DEMAND(recursive_l)
DEMAND(t)
DEMAND(distance)

const hr_attribute_key hr_attribute_keys[] = {
    {"role", ROLES, "what the column is", set_role},
    {"hierarchy", "FILE | {BUILDER: ...} | {tree: TEXT}",
     "of a quasi-identifier, of a kept column with `level`, or of a sensitive attribute with "
     "`distance`; `flat` is the value and *; see `hedgerow list builders`",
     set_hierarchy},
    {"type", "numeric", "a quasi-identifier published as intervals of numbers, or means", set_type},
    {"range", "[NUMBER, NUMBER]",
     "range of a number without a hierarchy: its loss is relative to this, not to the data",
     set_range},
    {"boundary", "{level: N} | [NODE, NODE]",
     "never generalize past these nodes; a number: {width: W}, {cells: N} or {cuts: [N, N]}",
     set_boundary},
    {"finest", "{level: N} | [NODE, NODE]", "publish nothing below these nodes", set_finest},
    {"on_missing", "group|drop|error",
     "missing values: a leaf below the root, rows dropped, or an error (error)", set_on_missing},
    {"weight", "NUMBER", "greater than 0; give it for all sensitive attributes or for none",
     set_weight},
    {"bins", "N | [EDGE, EDGE]",
     "count p in bins of a numeric sensitive attribute: N of equal width, or these edges",
     set_bins},
    {"round", "NUMBER", "release a kept number as the nearest multiple", set_round},
    {"bottom", "NUMBER", "release a kept number below this one as <NUMBER", set_bottom},
    {"top", "NUMBER", "release a kept number from this one on as NUMBER+", set_top},
    {"level", "N", "release a kept column at this level of its hierarchy, by number or name",
     set_level},
    {"alpha", "SHARE", "of one sensitive attribute, in place of that of the model", set_alpha},
    {"l", "N", "distinct l-diversity of one sensitive attribute", set_l},
    {"entropy_l", "NUMBER", "entropy l-diversity of one sensitive attribute", set_entropy_l},
    {"recursive_c", "NUMBER", "recursive (c,l)-diversity of one sensitive attribute",
     set_recursive_c},
    {"recursive_l", "N", "its l (2)", set_recursive_l},
    {"t", "NUMBER", "t-closeness of one sensitive attribute", set_t},
    {"distance", "equal|ordered|hierarchical", "in which t is measured (equal)", set_distance},
    {0},
};

const hr_attribute_key *hr_attribute_key_find(const char *name) {
    for (const hr_attribute_key *key = hr_attribute_keys; key->name; key++)
        if (!strcmp(key->name, name)) return key;
    return !strcmp(name, "on-missing") ? hr_attribute_key_find("on_missing") : NULL;
}

/* ---- Names in flags ---- */

typedef struct {
    const char *at;
    size_t length;
} slice;

#define NOWHERE SIZE_MAX

/* Index of the first (or last) `mark` without a backslash before it, or NOWHERE. */
static size_t find_mark(slice text, char mark, bool last) {
    size_t found = NOWHERE;
    for (size_t i = 0; i < text.length; i++) {
        if (text.at[i] == '\\')
            i++;
        else if (text.at[i] == mark) {
            found = i;
            if (!last) break;
        }
    }
    return found;
}

/* Splits off the part before the next comma; *rest becomes what follows the comma. */
static slice next_part(slice *rest) {
    size_t comma = find_mark(*rest, ',', false);
    slice part = *rest;
    if (comma == NOWHERE) {
        *rest = (slice){rest->at + rest->length, 0};
        return part;
    }
    part.length = comma;
    *rest = (slice){rest->at + comma + 1, rest->length - comma - 1};
    return part;
}

static char *unescape(hr_job *job, slice part, hr_error *err) {
    char *copy = hr_arena_text(&job->arena, part.at, part.length, err);
    if (!copy) return NULL;
    size_t used = 0;
    for (size_t i = 0; i < part.length; i++) {
        if (copy[i] == '\\' && i + 1 < part.length && strchr("\\,:=", copy[i + 1])) i++;
        copy[used++] = copy[i];
    }
    copy[used] = '\0';
    return copy;
}

/* Finds or adds the attribute of a column that a flag names. */
static hr_status column(hr_job *job, slice name, hr_attribute **out, hr_error *err) {
    char *text = unescape(job, name, err);
    if (!text) return HR_ENOMEM;
    if (!*text) return hr_fail(err, HR_EINVAL, "the name of a column is missing");
    return hr_job_attribute(job, text, out, err);
}

/* ---- Flags ---- */

/* Sets one key to the same text for every column of "a,b". */
static hr_status each_column(hr_job *job, const char *value, const hr_attribute_key *key,
                             const char *text, hr_error *err) {
    slice rest = {value, strlen(value)};
    do {
        hr_attribute *attribute = NULL;
        HR_TRY(column(job, next_part(&rest), &attribute, err));
        HR_TRY(key->set(job, attribute, text, err));
    } while (rest.length);
    return HR_OK;
}

static hr_status role_of_columns(hr_job *job, const char *value, const char *role, hr_error *err) {
    return each_column(job, value, hr_attribute_key_find("role"), role, err);
}

hr_status hr_flag_identifier(hr_job *job, const char *value, hr_error *err) {
    return role_of_columns(job, value, "identifier", err);
}

hr_status hr_flag_quasi(hr_job *job, const char *value, hr_error *err) {
    return role_of_columns(job, value, "quasi", err);
}

hr_status hr_flag_keep(hr_job *job, const char *value, hr_error *err) {
    return role_of_columns(job, value, "keep", err);
}

hr_status hr_flag_drop(hr_job *job, const char *value, hr_error *err) {
    return role_of_columns(job, value, "drop", err);
}

hr_status hr_flag_numeric(hr_job *job, const char *value, hr_error *err) {
    return each_column(job, value, hr_attribute_key_find("type"), "numeric", err);
}

/* NAME or NAME:WEIGHT */
static hr_status add_sensitive(hr_job *job, slice part, hr_error *err) {
    size_t colon = find_mark(part, ':', true);
    slice name = {part.at, colon == NOWHERE ? part.length : colon};
    hr_attribute *attribute = NULL;
    HR_TRY(column(job, name, &attribute, err));
    HR_TRY(assign_role(attribute, HR_ROLE_SENSITIVE, err));
    attribute->weight_given = false;
    if (colon == NOWHERE) return HR_OK;
    slice weight = {part.at + colon + 1, part.length - colon - 1};
    char *text = unescape(job, weight, err);
    if (!text) return HR_ENOMEM;
    if (set_weight(job, attribute, text, err) == HR_OK) return HR_OK;
    return hr_fail(err, HR_EINVAL,
                   "sensitive '%s': the weight '%s' is not a number greater than 0 (a colon in a "
                   "column's name is written '\\:')",
                   attribute->name, text);
}

hr_status hr_flag_sensitive(hr_job *job, const char *value, hr_error *err) {
    slice rest = {value, strlen(value)};
    do
        HR_TRY(add_sensitive(job, next_part(&rest), err));
    while (rest.length);
    return HR_OK;
}

/* COLUMN:COLUMN */
static hr_status add_pair(hr_job *job, slice part, hr_error *err) {
    hr_job_study *study = &job->study;
    size_t colon = find_mark(part, ':', false);
    if (colon == NOWHERE)
        return hr_fail(err, HR_EINVAL,
                       "study '%.*s': name two columns, such as age:diagnosis; in a job file "
                       "study: [[age, diagnosis]]",
                       (int)part.length, part.at);
    hr_study_pair pair = {
        .a = unescape(job, (slice){part.at, colon}, err),
        .b = unescape(job, (slice){part.at + colon + 1, part.length - colon - 1}, err)};
    if (!pair.a || !pair.b) return HR_ENOMEM;
    if (!*pair.a || !*pair.b) return hr_fail(err, HR_EINVAL, "study: a column has no name");
    if (study->inherited) study->count = 0;
    study->inherited = false;
    HR_TRY(hr_grow(&study->pairs, &study->capacity, study->count + 1, sizeof *study->pairs, err));
    study->pairs[study->count++] = pair;
    return HR_OK;
}

hr_status hr_flag_study(hr_job *job, const char *value, hr_error *err) {
    slice rest = {value, strlen(value)};
    do
        HR_TRY(add_pair(job, next_part(&rest), err));
    while (rest.length);
    return HR_OK;
}

/* Columns of a COLUMN:COLUMN:... */
static size_t count_columns(slice part) {
    size_t count = 1;
    for (size_t colon; (colon = find_mark(part, ':', false)) != NOWHERE; count++)
        part = (slice){part.at + colon + 1, part.length - colon - 1};
    return count;
}

static hr_status add_key_set(hr_job *job, slice part, hr_error *err) {
    hr_job_keys *keys = &job->keys;
    hr_key_set set = {.count = count_columns(part)};
    set.columns = hr_arena_alloc(&job->arena, set.count, sizeof *set.columns, err);
    if (!set.columns) return HR_ENOMEM;
    for (size_t i = 0; i < set.count; i++) {
        size_t end = i + 1 < set.count ? find_mark(part, ':', false) : part.length;
        set.columns[i] = unescape(job, (slice){part.at, end}, err);
        if (!set.columns[i]) return HR_ENOMEM;
        if (!*set.columns[i])
            return hr_fail(err, HR_EINVAL,
                           "keys: a column has no name; write age:zip:sex, in a job file "
                           "keys: [[age, zip, sex], [birth, hospital]]");
        if (i + 1 < set.count) part = (slice){part.at + end + 1, part.length - end - 1};
    }
    if (keys->inherited) keys->count = 0;
    keys->inherited = false;
    HR_TRY(hr_grow(&keys->sets, &keys->capacity, keys->count + 1, sizeof *keys->sets, err));
    keys->sets[keys->count++] = set;
    return HR_OK;
}

hr_status hr_flag_keys(hr_job *job, const char *value, hr_error *err) {
    slice rest = {value, strlen(value)};
    do
        HR_TRY(add_key_set(job, next_part(&rest), err));
    while (rest.length);
    return HR_OK;
}

/* Splits COLUMN=TEXT into the column's attribute and the text. */
static hr_status split_column(hr_job *job, const char *flag, const char *value, hr_attribute **out,
                              const char **text, hr_error *err) {
    size_t equals = find_mark((slice){value, strlen(value)}, '=', false);
    if (equals == NOWHERE)
        return hr_fail(err, HR_EINVAL, "%s: '%s' has no '=': write --%s '%s'", flag, value, flag,
                       hr_key_find(flag)->argument);
    *text = value + equals + 1;
    return column(job, (slice){value, equals}, out, err);
}

static hr_status set_of_column(hr_job *job, const char *flag, const char *value, hr_error *err) {
    hr_attribute *attribute = NULL;
    const char *text = "";
    HR_TRY(split_column(job, flag, value, &attribute, &text, err));
    return hr_attribute_key_find(flag)->set(job, attribute, text, err);
}

hr_status hr_flag_hierarchy(hr_job *job, const char *value, hr_error *err) {
    return set_of_column(job, "hierarchy", value, err);
}

hr_status hr_flag_bins(hr_job *job, const char *value, hr_error *err) {
    return set_of_column(job, "bins", value, err);
}

hr_status hr_flag_on_missing(hr_job *job, const char *value, hr_error *err) {
    return set_of_column(job, "on-missing", value, err);
}

hr_status hr_flag_round(hr_job *job, const char *value, hr_error *err) {
    return set_of_column(job, "round", value, err);
}

hr_status hr_flag_bottom(hr_job *job, const char *value, hr_error *err) {
    return set_of_column(job, "bottom", value, err);
}

hr_status hr_flag_top(hr_job *job, const char *value, hr_error *err) {
    return set_of_column(job, "top", value, err);
}

hr_status hr_flag_level(hr_job *job, const char *value, hr_error *err) {
    return set_of_column(job, "level", value, err);
}

static size_t count_parts(const char *text) {
    slice rest = {text, strlen(text)};
    size_t count = 0;
    do {
        next_part(&rest);
        count++;
    } while (rest.length);
    return count;
}

/* COLUMN=level:L, COLUMN=width:W and the like, or COLUMN=NODE,NODE */
static hr_status choice_of_column(hr_job *job, const char *key, const char *value, hr_error *err) {
    hr_attribute *attribute = NULL;
    const char *text = "";
    HR_TRY(split_column(job, key, value, &attribute, &text, err));
    if (after_level(text) || is_cut(key, text) || !*text)
        return set_choice(job, attribute, key, text, err);
    size_t count = count_parts(text);
    const char **nodes = hr_arena_alloc(&job->arena, count, sizeof *nodes, err);
    if (!nodes) return HR_ENOMEM;
    slice rest = {text, strlen(text)};
    for (size_t i = 0; i < count; i++)
        if (!(nodes[i] = unescape(job, next_part(&rest), err))) return HR_ENOMEM;
    return hr_node_choice_set_nodes(job, hr_attribute_choice(attribute, key), key, nodes, count,
                                    err);
}

hr_status hr_flag_boundary(hr_job *job, const char *value, hr_error *err) {
    return choice_of_column(job, "boundary", value, err);
}

hr_status hr_flag_finest(hr_job *job, const char *value, hr_error *err) {
    return choice_of_column(job, "finest", value, err);
}

/* ---- hierarchies and boundaries in memory ---- */

hr_status hr_job_set_hierarchy(hr_job *job, const char *column, const hr_hierarchy *tree,
                               hr_error *err) {
    hr_attribute *attribute;
    HR_TRY(hr_job_attribute(job, column, &attribute, err));
    HR_TRY(set_hierarchy(job, attribute, tree->source, err));
    attribute->tree = hr_hierarchy_share(tree);
    return HR_OK;
}

hr_status hr_job_set_boundary(hr_job *job, const char *column, const char *const *labels,
                              size_t count, hr_error *err) {
    hr_attribute *attribute;
    HR_TRY(hr_job_attribute(job, column, &attribute, err));
    const char **copies = hr_arena_alloc(&job->arena, count, sizeof *copies, err);
    if (!copies) return HR_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        copies[i] = hr_arena_text(&job->arena, labels[i], strlen(labels[i]), err);
        if (!copies[i]) return HR_ENOMEM;
    }
    return hr_node_choice_set_nodes(job, &attribute->boundary, "boundary", copies, count, err);
}
