/* recipe.c - parses the builders that a job names for a column, and checks them before any row is
 * read. Errors that depend on values are found by build.c. */
#include "hierarchy/build/build.h"

#include <stdlib.h>
#include <string.h>

static const char *builder_name_at(size_t i, const void *payload) {
    (void)payload;
    return hr_builders[i]->name;
}

static size_t builder_count(void) {
    size_t count = 0;
    while (hr_builders[count])
        count++;
    return count;
}

static const hr_builder *find_builder(const char *name) {
    for (size_t i = 0; hr_builders[i]; i++)
        if (!strcmp(hr_builders[i]->name, name)) return hr_builders[i];
    return NULL;
}

bool hr_begins_builder(const char *text) {
    for (size_t i = 0; hr_builders[i]; i++) {
        size_t length = strlen(hr_builders[i]->name);
        if (!strncmp(text, hr_builders[i]->name, length) && text[length] == ':') return true;
    }
    return false;
}

/* Is `key` one of the words of `keys`? */
static bool has_key(const char *keys, const char *key) {
    size_t length = strlen(key);
    for (const char *at = keys; at && length > 0; at = strchr(at, ' ')) {
        at += *at == ' ';
        if (!strncmp(at, key, length) && (at[length] == ' ' || !at[length])) return true;
    }
    return false;
}

static hr_status no_builder(const hr_spec *map, hr_error *err) {
    if (map->count == 0)
        return hr_fail(err, HR_EINVAL, "hierarchy: name a builder, such as {prefix: [3, 2]}");
    const char *key = map->keys[0];
    if (!strcmp(key, "tree"))
        return hr_fail(
            err, HR_EINVAL,
            "hierarchy: a tree is not a builder; it stands in a job file, or in a hierarchy "
            "file");
    const char *nearest = hr_text_nearest(key, builder_count(), builder_name_at, NULL);
    if (nearest)
        return hr_fail(err, HR_EINVAL, "hierarchy: there is no builder '%s' (did you mean '%s'?)",
                       key, nearest);
    return hr_fail(err, HR_EINVAL,
                   "hierarchy: there is no builder '%s'; `hedgerow list builders` lists them", key);
}

/* Finds the builder of a mapping and checks the other keys. */
static hr_status choose_builder(const hr_spec *map, const hr_builder **out, hr_error *err) {
    *out = NULL;
    for (size_t i = 0; i < map->count; i++) {
        const hr_builder *builder = find_builder(map->keys[i]);
        if (builder && *out)
            return hr_fail(err, HR_EINVAL,
                           "hierarchy: '%s' and '%s' in one mapping: write a list, [{%s: ...}, "
                           "{%s: ...}]",
                           (*out)->name, builder->name, (*out)->name, builder->name);
        if (builder) *out = builder;
    }
    if (!*out) return no_builder(map, err);
    for (size_t i = 0; i < map->count; i++)
        if (strcmp(map->keys[i], (*out)->name) && !has_key((*out)->keys, map->keys[i]))
            return hr_fail(err, HR_EINVAL, "%s: there is no key '%s'%s%s", (*out)->name,
                           map->keys[i], (*out)->keys ? "; it has: " : "",
                           (*out)->keys ? (*out)->keys : "");
    return HR_OK;
}

static hr_status join_path(const hr_recipe_paths *paths, const char *path, hr_arena *arena,
                           const char **out, hr_error *err) {
    char *joined = paths->join(paths->folder, path, err);
    if (!joined) return HR_ENOMEM;
    *out = hr_arena_text(arena, joined, strlen(joined), err);
    free(joined);
    return *out ? HR_OK : HR_ENOMEM;
}

static hr_status parse_step(const hr_spec *map, const hr_recipe_paths *paths, hr_arena *arena,
                            hr_recipe_step *step, hr_error *err) {
    if (map->kind != HR_SPEC_MAP)
        return hr_fail(err, HR_EINVAL,
                       "hierarchy: a list is one of builders, such as [{prefix: [3]}, {parents: "
                       "FILE}]");
    HR_TRY(choose_builder(map, &step->builder, err));
    if (step->builder->takes_file) {
        const char *path = NULL;
        HR_TRY(hr_spec_text(hr_spec_find(map, step->builder->name), step->builder->name,
                            "the name of a file", &path, err));
        HR_TRY(join_path(paths, path, arena, &step->path, err));
    }
    return step->builder->parse ? step->builder->parse(map, arena, &step->plan, err) : HR_OK;
}

static hr_status copy_text(const hr_spec *spec, hr_arena *arena, const char **out, hr_error *err) {
    hr_text text = {0};
    hr_spec_print(spec, &text);
    if (!text.failed) hr_hide_passwords(text.data);
    *out = text.failed ? NULL : hr_arena_text(arena, text.data, strlen(text.data), err);
    hr_text_free(&text);
    return *out ? HR_OK : hr_fail(err, HR_ENOMEM, "out of memory");
}

hr_status hr_recipe_parse(const hr_spec *spec, const hr_recipe_paths *paths, hr_arena *arena,
                          const hr_recipe **out, hr_error *err) {
    if (spec->kind == HR_SPEC_TEXT || (spec->kind == HR_SPEC_LIST && spec->count == 0))
        return hr_fail(err, HR_EINVAL, "hierarchy: write a builder, such as {prefix: [3, 2]}");
    hr_recipe *recipe = hr_arena_alloc(arena, 1, sizeof *recipe, err);
    if (!recipe) return HR_ENOMEM;
    HR_TRY(copy_text(spec, arena, &recipe->text, err));
    recipe->count = spec->kind == HR_SPEC_MAP ? 1 : spec->count;
    recipe->steps = hr_arena_alloc(arena, recipe->count, sizeof *recipe->steps, err);
    if (!recipe->steps) return HR_ENOMEM;
    for (size_t i = 0; i < recipe->count; i++)
        HR_TRY(parse_step(spec->kind == HR_SPEC_MAP ? spec : &spec->items[i], paths, arena,
                          &recipe->steps[i], err));
    *out = recipe;
    return HR_OK;
}
