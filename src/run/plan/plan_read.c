/* plan_read.c - reads the bytes of a plan. They come from another process and are not trusted:
 * every length is checked, a hash detects bytes that were lost or changed, and job and hierarchies
 * are built by the functions that build them from files. */
#include "run/plan/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const unsigned char *at, *end;
    bool failed; /* the bytes ended too early; stays set */
    hr_plan *plan;
    hr_error *err;
} reader;

static hr_status broken(reader *r) {
    return hr_fail(r->err, HR_EDATA, "these bytes are not a whole plan: export it again");
}

static uint64_t get(reader *r, int bytes) {
    uint64_t number = 0;
    if (r->failed || r->end - r->at < bytes) {
        r->failed = true;
        return 0;
    }
    for (int i = 0; i < bytes; i++)
        number |= (uint64_t)*r->at++ << (8 * i);
    return number;
}

static double get_double(reader *r) {
    uint64_t bits = get(r, 8);
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* A text of the plan, which is not NUL-terminated. */
static const char *get_text(reader *r, size_t *length) {
    *length = (size_t)get(r, 4);
    if (r->failed || (size_t)(r->end - r->at) < *length) {
        r->failed = true;
        *length = 0;
        return "";
    }
    const char *text = (const char *)r->at;
    r->at += *length;
    return text;
}

/* A copy in the job's arena. */
static hr_status get_string(reader *r, char **out) {
    size_t length;
    const char *text = get_text(r, &length);
    if (r->failed || memchr(text, 0, length)) return broken(r);
    *out = hr_arena_text(&r->plan->job->arena, text, length, r->err);
    return *out ? HR_OK : HR_ENOMEM;
}

/* Reads a number of items that take at least `size` bytes each; fails if fewer bytes follow. */
static hr_status get_count(reader *r, size_t size, size_t *out) {
    *out = (size_t)get(r, 4);
    return r->failed || *out > (size_t)(r->end - r->at) / size ? broken(r) : HR_OK;
}

static hr_status get_dictionary(reader *r, hr_dictionary *out) {
    size_t count;
    HR_TRY(get_count(r, 4, &count));
    uint64_t null = get(r, 4);
    for (uint32_t code = 0; code < count; code++) {
        size_t length;
        uint32_t own;
        const char *text = get_text(r, &length);
        bool cut;
        if (r->failed || memchr(text, 0, length) || hr_utf8_valid(text, length, &cut) < length)
            return broken(r);
        if (null == code + UINT64_C(1))
            HR_TRY(hr_dictionary_null(out, &own, r->err));
        else
            HR_TRY(hr_dictionary_intern(out, text, length, &own, r->err));
        if (own != code) return broken(r); /* the text occurs twice */
    }
    return HR_OK;
}

/* ---- the job ---- */

static hr_status get_settings(reader *r) {
    size_t count;
    char *name, *value;
    hr_job *job = r->plan->job;
    HR_TRY(get_count(r, 8, &count));
    for (size_t i = 0; i < count; i++) {
        HR_TRY(get_string(r, &name));
        HR_TRY(get_string(r, &value));
        HR_TRY(hr_job_set(job, name, value, r->err));
    }
    hr_text_list *missing = &job->input.missing;
    HR_TRY(get_count(r, 4, &count));
    HR_TRY(hr_grow(&missing->texts, &missing->capacity, count, sizeof *missing->texts, r->err));
    for (missing->count = 0; missing->count < count; missing->count++) {
        HR_TRY(get_string(r, &value));
        missing->texts[missing->count] = value;
    }
    return HR_OK;
}

/* The labels of leaf after leaf, for hr_hierarchy_from_labels. */
static hr_status build_tree(reader *r, const char *source, const hr_dictionary *texts,
                            hr_hierarchy **out) {
    size_t leaves, levels;
    HR_TRY(get_count(r, 1, &leaves));
    HR_TRY(get_count(r, 1, &levels));
    if (levels == 0 || leaves > (size_t)(r->end - r->at) / 4 / levels) return broken(r);
    const char **labels = hr_alloc(leaves * levels, sizeof *labels, r->err);
    if (!labels) return HR_ENOMEM;
    hr_status status = HR_OK;
    for (size_t i = 0; i < leaves * levels && status == HR_OK; i++) {
        uint64_t code = get(r, 4);
        if (code >= texts->count)
            status = broken(r);
        else
            labels[i] = hr_dictionary_text(texts, (uint32_t)code);
    }
    if (status == HR_OK)
        status = hr_hierarchy_from_labels(source, (const char *const *)labels, leaves, levels, out,
                                          r->err);
    free(labels);
    return status;
}

/* The names of the levels of a tree, if it has any. */
static hr_status get_level_names(reader *r, hr_hierarchy *tree) {
    if (!get(r, 1)) return HR_OK;
    char **names = hr_arena_alloc(&r->plan->job->arena, tree->level_count, sizeof *names, r->err);
    if (!names) return HR_ENOMEM;
    for (uint32_t i = 0; i < tree->level_count; i++)
        HR_TRY(get_string(r, &names[i]));
    return hr_hierarchy_name_levels(tree, (const char *const *)names, r->err);
}

static hr_status get_tree(reader *r, hr_attribute *attribute) {
    hr_dictionary texts = {0};
    char *source;
    HR_TRY(get_string(r, &source));
    attribute->hierarchy = source;
    hr_status status = get_dictionary(r, &texts);
    if (status == HR_OK) status = build_tree(r, source, &texts, &attribute->tree);
    hr_dictionary_free(&texts);
    return status == HR_OK ? get_level_names(r, attribute->tree) : status;
}

static hr_status get_choice(reader *r, hr_node_choice *out) {
    size_t count;
    char *text;
    uint64_t kind = get(r, 1);
    if (kind > 2) return broken(r);
    if (kind == 0) return HR_OK;
    if (kind == 1) {
        HR_TRY(get_string(r, &text));
        out->level = text;
        return HR_OK;
    }
    HR_TRY(get_count(r, 4, &count));
    out->nodes = hr_arena_alloc(&r->plan->job->arena, count, sizeof *out->nodes, r->err);
    if (!out->nodes) return HR_ENOMEM;
    for (; out->node_count < count; out->node_count++) {
        HR_TRY(get_string(r, &text));
        out->nodes[out->node_count] = text;
    }
    return HR_OK;
}

/* Numbers that may be absent; each is at least the one before. */
static hr_status get_numbers(reader *r, size_t count, const double **out) {
    if (!get(r, 1)) return HR_OK;
    double *numbers = hr_arena_alloc(&r->plan->job->arena, count, sizeof *numbers, r->err);
    if (!numbers) return HR_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        numbers[i] = get_double(r);
        if (!isfinite(numbers[i]) || (i > 0 && numbers[i] < numbers[i - 1])) return broken(r);
    }
    *out = numbers;
    return HR_OK;
}

static hr_status get_optional(reader *r, const char **out) {
    char *text;
    if (!get(r, 1)) return HR_OK;
    HR_TRY(get_string(r, &text));
    *out = text;
    return HR_OK;
}

/* Cut points of a number, ascending. */
static hr_status get_cuts(reader *r, hr_node_choice *out) {
    size_t count;
    HR_TRY(get_count(r, 8, &count));
    double *points = hr_arena_alloc(&r->plan->job->arena, count, sizeof *points, r->err);
    if (!points) return HR_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        points[i] = get_double(r);
        if (!isfinite(points[i]) || (i > 0 && points[i] <= points[i - 1])) return broken(r);
    }
    out->cuts = (hr_cut_rule){.kind = HR_CUTS_GIVEN, .points = points, .point_count = count};
    return HR_OK;
}

static hr_status get_attribute(reader *r) {
    char *name;
    HR_TRY(get_string(r, &name));
    hr_attribute *a;
    HR_TRY(hr_job_attribute(r->plan->job, name, &a, r->err));
    uint64_t role = get(r, 1), traits = get(r, 1);
    if (role > HR_ROLE_DROP || a->role != HR_ROLE_NONE || a->tree) return broken(r);
    a->role = (hr_role)role;
    a->numeric = traits & 1;
    a->on_missing_given = traits >> 1 & 1;
    a->weight_given = traits >> 2 & 1;
    uint64_t on_missing = get(r, 1);
    if (on_missing > HR_MISSING_GROUP) return broken(r);
    a->on_missing = (hr_on_missing)on_missing;
    a->weight = get_double(r);
    a->bins = (uint32_t)get(r, 4);
    if (!(a->weight >= 0 && a->weight <= 1e300) || a->bins > HR_BINS_MAX) return broken(r);
    HR_TRY(get_numbers(r, (size_t)a->bins + 1, &a->edges));
    HR_TRY(get_numbers(r, 2, &a->range));
    HR_TRY(get_choice(r, &a->boundary));
    HR_TRY(get_choice(r, &a->finest));
    const char **const recoding[] = {&a->round, &a->bottom, &a->top, &a->level};
    for (size_t i = 0; i < sizeof recoding / sizeof *recoding; i++)
        HR_TRY(get_optional(r, recoding[i]));
    if (get(r, 1)) HR_TRY(get_cuts(r, &a->boundary));
    switch (get(r, 1)) {
    case 0: return HR_OK;
    case 1: a->hierarchy = "flat"; return HR_OK;
    case 2: return get_tree(r, a);
    default: return broken(r);
    }
}

static hr_status get_attributes(reader *r) {
    size_t count;
    HR_TRY(get_count(r, 8, &count));
    for (size_t i = 0; i < count; i++)
        HR_TRY(get_attribute(r));
    return HR_OK;
}

/* ---- the table ---- */

/* Reads a column with one row per value, so that messages can name a row for any value. */
static hr_status get_column(reader *r, hr_column *column) {
    HR_TRY(get_dictionary(r, &column->dictionary));
    for (uint32_t code = 0; code < column->dictionary.count; code++)
        HR_TRY(hr_column_append(column, code, r->err));
    return HR_OK;
}

static hr_status get_values(reader *r) {
    size_t count, named = 0;
    HR_TRY(get_count(r, 12, &count));
    const hr_job *job = r->plan->job;
    const char **names = hr_alloc(count, sizeof *names, r->err);
    if (!names) return HR_ENOMEM;
    /* The names are known from the job: quasi-identifiers first, then sensitive attributes. */
    const hr_role roles[] = {HR_ROLE_QUASI, HR_ROLE_SENSITIVE};
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < job->attribute_count; i++)
            if (job->attributes[i].role == roles[k]) {
                if (named < count) names[named] = job->attributes[i].name;
                named++;
            }
    hr_status status =
        named == count ? hr_table_new(count, (const char *const *)names, &r->plan->values, r->err)
                       : broken(r);
    for (size_t i = 0; i < count && status == HR_OK; i++) {
        size_t length;
        const char *name = get_text(r, &length);
        if (strlen(names[i]) != length || memcmp(names[i], name, length))
            status = broken(r);
        else
            status = get_column(r, &r->plan->values->columns[i]);
    }
    free(names);
    return status;
}

static hr_status get_types(reader *r) {
    size_t count, attributes = 0;
    for (size_t i = 0; i < r->plan->job->attribute_count; i++)
        attributes += r->plan->job->attributes[i].role == HR_ROLE_SENSITIVE;
    HR_TRY(get_count(r, 4 * (attributes ? attributes : 1), &count));
    if (attributes == 0 && count > 1) return broken(r);
    HR_TRY(hr_type_order_start(&r->plan->types, attributes, r->err));
    uint32_t *values = hr_alloc(attributes, sizeof *values, r->err);
    if (!values) return HR_ENOMEM;
    hr_status status = HR_OK;
    for (size_t i = 0; i < count && status == HR_OK; i++) {
        for (size_t l = 0; l < attributes; l++)
            values[l] = (uint32_t)get(r, 4);
        status = hr_type_order_add(&r->plan->types, values, r->err);
    }
    free(values);
    return status;
}

static hr_status get_cells(reader *r) {
    hr_plan *plan = r->plan;
    size_t count;
    plan->rows = get(r, 8);
    plan->dropped = get(r, 8);
    plan->salt = get(r, 8);
    HR_TRY(get_count(r, 21, &count));
    plan->cells = hr_alloc(count, sizeof *plan->cells, r->err);
    plan->streams = hr_alloc(count, sizeof *plan->streams, r->err);
    if (!plan->cells || !plan->streams) return HR_ENOMEM;
    for (; plan->cell_count < count; plan->cell_count++) {
        hr_plan_cell *cell = &plan->cells[plan->cell_count];
        cell->key = get(r, 8);
        plan->streams[plan->cell_count] = get(r, 4);
        cell->rows = get(r, 4);
        cell->suppressed = get(r, 1);
        cell->released = get(r, 4);
        if (cell->released == HR_NONE) cell->released = HR_PLAN_UNKNOWN;
        if (plan->cell_count > 0 && cell->key <= cell[-1].key) return broken(r);
    }
    return r->failed ? broken(r) : HR_OK;
}

static size_t quasi_count(const hr_job *job) {
    size_t count = 0;
    for (size_t i = 0; i < job->attribute_count; i++)
        count += job->attributes[i].role == HR_ROLE_QUASI;
    return count;
}

/* Reads the nodes of the cuts. Children must follow their parents, so that walks end at a part. */
static hr_status get_nodes(reader *r) {
    hr_plan *plan = r->plan;
    size_t count;
    HR_TRY(get_count(r, 24, &count));
    HR_TRY(hr_grow(&plan->nodes, &plan->node_capacity, count, sizeof *plan->nodes, r->err));
    for (size_t i = 0; i < count; i++) {
        hr_plan_node *node = &plan->nodes[plan->node_count++];
        node->attribute = (uint32_t)get(r, 4);
        node->from = (uint32_t)get(r, 4);
        node->low = (uint32_t)get(r, 4);
        node->high = (uint32_t)get(r, 4);
        node->key = get(r, 8);
        if (node->attribute == HR_NONE) continue;
        if (node->attribute >= quasi_count(r->plan->job) || node->low <= i || node->low >= count ||
            node->high <= i || node->high >= count)
            return broken(r);
    }
    return HR_OK;
}

static hr_status get_cuts_of(reader *r) {
    hr_plan *plan = r->plan;
    size_t count;
    plan->cuts_at = plan->bytes.length - (size_t)(r->end - r->at);
    HR_TRY(get_count(r, 12, &count));
    HR_TRY(hr_grow(&plan->cuts, &plan->cut_capacity, count, sizeof *plan->cuts, r->err));
    for (; plan->cut_count < count; plan->cut_count++) {
        plan->cuts[plan->cut_count].key = get(r, 8);
        plan->cuts[plan->cut_count].root = (uint32_t)get(r, 4);
    }
    HR_TRY(get_nodes(r));
    for (size_t i = 0; i < plan->cut_count; i++)
        if (plan->cuts[i].root >= plan->node_count) return broken(r);
    HR_TRY(get_count(r, 24, &count));
    HR_TRY(hr_grow(&plan->parts, &plan->part_capacity, count, sizeof *plan->parts, r->err));
    for (; plan->part_count < count; plan->part_count++) {
        plan->parts[plan->part_count].key = get(r, 8);
        plan->parts[plan->part_count].rows = get(r, 8);
        plan->parts[plan->part_count].released = get(r, 8);
        plan->parts[plan->part_count].suppressed = false;
    }
    return r->failed || r->at != r->end ? broken(r) : HR_OK;
}

/* ---- the whole ---- */

static hr_status check_version(reader *r) {
    size_t length;
    const char *version = get_text(r, &length);
    if (length == strlen(HR_VERSION) && !memcmp(version, HR_VERSION, length)) return HR_OK;
    return hr_fail(r->err, HR_EINVAL,
                   "the plan was made by another version of hedgerow (%.*s; this is %s): cells "
                   "must be run by the version that planned them",
                   length < 32 ? (int)length : 32, version, HR_VERSION);
}

hr_status hr_plan_read(const char *bytes, size_t length, hr_plan *plan, hr_error *err) {
    const size_t magic = sizeof HR_PLAN_MAGIC - 1;
    const unsigned char *first = (const unsigned char *)bytes;
    if (length < HR_PLAN_HEAD || memcmp(bytes, HR_PLAN_MAGIC, magic))
        return hr_fail(err, HR_EDATA, "these bytes are not a plan: export one with hr_plan_bytes");
    reader r = {.at = first + magic, .end = first + length, .plan = plan, .err = err};
    if (get(&r, 4) != HR_PLAN_FORMAT)
        return hr_fail(err, HR_EINVAL,
                       "the plan was made by another version of hedgerow: cells must be run by the "
                       "version that planned them");
    if (get(&r, 8) != hr_hash(bytes + HR_PLAN_HEAD, length - HR_PLAN_HEAD)) return broken(&r);
    HR_TRY(check_version(&r));
    HR_TRY(hr_job_new(&plan->job, err));
    HR_TRY(get_settings(&r));
    HR_TRY(get_attributes(&r));
    HR_TRY(get_values(&r));
    HR_TRY(get_types(&r));
    HR_TRY(get_cells(&r));
    return get_cuts_of(&r);
}
