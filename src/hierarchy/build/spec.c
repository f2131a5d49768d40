/* spec.c - the arguments of a builder as they stand in a job: texts, lists and mappings. */
#include "hierarchy/build/build.h"

#include <string.h>

const hr_spec *hr_spec_find(const hr_spec *map, const char *key) {
    for (size_t i = 0; i < map->count; i++)
        if (!strcmp(map->keys[i], key)) return &map->items[i];
    return NULL;
}

size_t hr_spec_count(const hr_spec *list) {
    return list->kind == HR_SPEC_TEXT ? 1 : list->count;
}

const hr_spec *hr_spec_item(const hr_spec *list, size_t i) {
    return list->kind == HR_SPEC_TEXT ? list : &list->items[i];
}

void hr_spec_print(const hr_spec *spec, hr_text *out) {
    if (spec->kind == HR_SPEC_TEXT) {
        hr_text_puts(out, spec->text);
        return;
    }
    bool map = spec->kind == HR_SPEC_MAP;
    hr_text_puts(out, map ? "{" : "[");
    for (size_t i = 0; i < spec->count; i++) {
        if (i > 0) hr_text_puts(out, ", ");
        if (map) hr_text_printf(out, "%s: ", spec->keys[i]);
        hr_spec_print(&spec->items[i], out);
    }
    hr_text_puts(out, map ? "}" : "]");
}

hr_status hr_spec_text(const hr_spec *spec, const char *name, const char *wanted, const char **out,
                       hr_error *err) {
    if (spec->kind == HR_SPEC_TEXT && *spec->text) {
        *out = spec->text;
        return HR_OK;
    }
    return hr_fail(err, HR_EINVAL, "%s: write %s", name, wanted);
}

hr_status hr_spec_descending(const hr_spec *spec, const char *name, uint64_t most, const char *why,
                             hr_arena *arena, uint64_t **out, size_t *count, hr_error *err) {
    *count = spec->kind == HR_SPEC_MAP ? 0 : hr_spec_count(spec);
    if (*count == 0)
        return hr_fail(err, HR_EINVAL, "%s: write a number, or a list such as [8, 4]", name);
    *out = hr_arena_alloc(arena, *count, sizeof **out, err);
    if (!*out) return HR_ENOMEM;
    for (size_t i = 0; i < *count; i++) {
        const char *text = NULL;
        HR_TRY(hr_spec_text(hr_spec_item(spec, i), name, "numbers", &text, err));
        if (!hr_parse_uint(text, most, &(*out)[i]) || (*out)[i] == 0)
            return hr_fail(err, HR_EINVAL, "%s: '%s' is not a whole number from 1 to %llu", name,
                           text, (unsigned long long)most);
        if (i > 0 && (*out)[i] >= (*out)[i - 1])
            return hr_fail(err, HR_EINVAL,
                           "%s: %llu after %llu: each number must be less than the one before, "
                           "because %s",
                           name, (unsigned long long)(*out)[i], (unsigned long long)(*out)[i - 1],
                           why);
    }
    return HR_OK;
}
