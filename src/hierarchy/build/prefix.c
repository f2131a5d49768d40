/* prefix.c - keeps the first characters: `12345` becomes `123*`, `12*`, `*`. */
#include "hierarchy/build/build.h"

#include <string.h>

enum { CHARACTERS_MOST = 1000 };

typedef struct {
    uint64_t *lengths;
    size_t count;
} prefix_plan;

static hr_status parse(const hr_spec *map, hr_arena *arena, void **plan, hr_error *err) {
    prefix_plan *p = hr_arena_alloc(arena, 1, sizeof *p, err);
    if (!p) return HR_ENOMEM;
    *plan = p;
    return hr_spec_descending(hr_spec_find(map, "prefix"), "prefix", CHARACTERS_MOST,
                              "a longer prefix does not contain a shorter one", arena, &p->lengths,
                              &p->count, err);
}

/* Bytes of the first `characters` characters of a UTF-8 text. */
static size_t prefix_bytes(const char *text, uint64_t characters) {
    size_t at = 0;
    for (; text[at]; at++)
        if (((unsigned char)text[at] & 0xc0) != 0x80 && characters-- == 0) break;
    return at;
}

static hr_status add_level(hr_stage *stage, uint64_t characters, hr_text *label, hr_error *err) {
    char name[32];
    hr_level *level;
    snprintf(name, sizeof name, "prefix %llu", (unsigned long long)characters);
    HR_TRY(hr_stage_add(stage, name, &level, err));
    for (uint32_t i = 0; i < stage->count; i++) {
        const char *text = stage->text[i];
        size_t bytes = prefix_bytes(text, characters);
        hr_text_add(label, text, bytes);
        if (text[bytes]) hr_text_puts(label, "*"); /* one star, whatever was cut off */
        HR_TRY(hr_level_set_text(level, i, label, err));
    }
    return HR_OK;
}

static hr_status build(const void *plan, hr_stage *stage, hr_error *err) {
    const prefix_plan *p = plan;
    hr_text label = {0};
    hr_status status = HR_OK;
    for (size_t i = 0; i < p->count && status == HR_OK; i++)
        status = add_level(stage, p->lengths[i], &label, err);
    hr_text_free(&label);
    return status;
}

const hr_builder hr_builder_prefix = {
    .name = "prefix",
    .title = "First characters",
    .argument = "[N, N]",
    .help = "keep this many first characters, and one star for the rest: 123*",
    .parse = parse,
    .build = build,
};
