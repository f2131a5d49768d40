/* list.c - lists what a job can choose from: the algorithms with their aliases, the models,
 * measures and formats of this build, each with its options, from the plug-in tables. */
#include "io/io.h"
#include "job/job_keys.h"
#include "report/rows.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    hr_listed shown;
    const hr_option *options;  /* of the plug-in table; NULL: none */
    char *title;               /* made here; NULL: shown.title belongs to the plug-in table */
    const hr_builder *builder; /* of a builder; NULL otherwise */
} list_item;

struct hr_list {
    list_item *items;
    size_t count, capacity;
    bool titled; /* all sections are listed, each below its name */
};

/* ---- From the tables ---- */

static size_t count_options(const hr_option *options) {
    size_t count = 0;
    while (options && options[count].name)
        count++;
    return count;
}

static hr_status add_item(hr_list *list, hr_listed shown, const hr_option *options, hr_error *err) {
    HR_TRY(hr_grow(&list->items, &list->capacity, list->count + 1, sizeof *list->items, err));
    if (!shown.title) shown.title = "";
    if (!shown.reference) shown.reference = "";
    shown.option_count = count_options(options);
    list->items[list->count++] = (list_item){.shown = shown, .options = options};
    return HR_OK;
}

/* "greedy-pk with dispersal=absolute, boundaries enforced" */
static hr_status add_alias(hr_list *list, const hr_alias *alias, hr_error *err) {
    bool plain = !alias->settings || !*alias->settings;
    hr_text text = {0};
    char *title;
    hr_text_printf(&text, "%s%s%s, boundaries %s", alias->algorithm, plain ? "" : " with ",
                   plain ? "" : alias->settings, alias->counts_boundaries ? "counted" : "enforced");
    HR_TRY(hr_text_take(&text, &title, err));
    hr_listed shown = {HR_KIND_ALIAS, alias->name, title, alias->reference, alias->algorithm, 0};
    hr_status status = add_item(list, shown, NULL, err);
    if (status == HR_OK)
        list->items[list->count - 1].title = title;
    else
        free(title);
    return status;
}

static hr_status add_algorithms(hr_list *list, hr_error *err) {
    for (size_t i = 0; hr_algorithms[i]; i++) {
        const hr_algorithm *a = hr_algorithms[i];
        hr_listed shown = {HR_KIND_ALGORITHM, a->name, a->title, a->reference, NULL, 0};
        HR_TRY(add_item(list, shown, a->options, err));
    }
    for (const hr_alias *alias = hr_aliases; alias->name; alias++)
        HR_TRY(add_alias(list, alias, err));
    return HR_OK;
}

static hr_status add_models(hr_list *list, hr_error *err) {
    for (size_t i = 0; hr_models[i]; i++) {
        const hr_model *m = hr_models[i];
        hr_listed shown = {HR_KIND_MODEL, m->name, m->title, m->reference, NULL, 0};
        HR_TRY(add_item(list, shown, m->options, err));
    }
    return HR_OK;
}

static hr_status add_measures(hr_list *list, hr_error *err) {
    for (size_t i = 0; hr_measures[i]; i++) {
        const hr_measure *m = hr_measures[i];
        hr_listed shown = {HR_KIND_MEASURE, m->name, m->title, m->reference, NULL, 0};
        HR_TRY(add_item(list, shown, m->options, err));
    }
    return HR_OK;
}

static hr_status add_formats(hr_list *list, hr_error *err) {
    for (size_t i = 0; hr_formats[i]; i++) {
        const hr_format *f = hr_formats[i];
        hr_listed shown = {HR_KIND_FORMAT, f->name, f->title, f->reference, NULL, 0};
        HR_TRY(add_item(list, shown, f->options, err));
    }
    return HR_OK;
}

static hr_status add_builders(hr_list *list, hr_error *err) {
    for (size_t i = 0; hr_builders[i]; i++) {
        const hr_builder *b = hr_builders[i];
        hr_listed shown = {HR_KIND_BUILDER, b->name, b->title, NULL, NULL, 0};
        HR_TRY(add_item(list, shown, NULL, err));
        list->items[list->count - 1].builder = b;
    }
    return HR_OK;
}

/* ---- Sections ---- */

static const struct {
    const char *name;
    hr_status (*add)(hr_list *list, hr_error *err);
} sections[] = {
    {"algorithms", add_algorithms}, {"models", add_models},     {"measures", add_measures},
    {"formats", add_formats},       {"builders", add_builders},
};
enum { SECTIONS = sizeof sections / sizeof *sections };

/* The section that lists a kind. */
static size_t section_of(hr_kind kind) {
    static const size_t number[] = {
        [HR_KIND_ALGORITHM] = 0, [HR_KIND_ALIAS] = 0,  [HR_KIND_MODEL] = 1,
        [HR_KIND_MEASURE] = 2,   [HR_KIND_FORMAT] = 3, [HR_KIND_BUILDER] = 4};
    return number[kind];
}

static const char *section_at(size_t i, const void *payload) {
    (void)payload;
    return sections[i].name;
}

static hr_status unknown_section(const char *name, hr_error *err) {
    const char *nearest = hr_text_nearest(name, SECTIONS, section_at, NULL);
    return hr_fail(
        err, HR_EINVAL,
        "there is no list of '%s'%s%s%s: there are algorithms, models, measures, formats, builders",
        name, nearest ? " (did you mean '" : "", nearest ? nearest : "", nearest ? "'?)" : "");
}

static hr_status add_sections(hr_list *list, const char *wanted, hr_error *err) {
    size_t found = 0;
    for (size_t i = 0; i < SECTIONS; i++) {
        if (wanted && strcmp(wanted, sections[i].name)) continue;
        HR_TRY(sections[i].add(list, err));
        found++;
    }
    return found ? HR_OK : unknown_section(wanted, err);
}

hr_status hr_list_new(const char *section, hr_list **out, hr_error *err) {
    *out = NULL;
    hr_list *list = hr_alloc(1, sizeof *list, err);
    if (!list) return HR_ENOMEM;
    list->titled = !section;
    hr_status status = add_sections(list, section, err);
    if (status == HR_OK)
        *out = list;
    else
        hr_list_free(list);
    return status;
}

const hr_listed *hr_list_at(const hr_list *list, size_t i) {
    return i < list->count ? &list->items[i].shown : NULL;
}

static hr_key_info option_of(const list_item *item, size_t i) {
    return hr_option_info(&item->options[i], item->shown.name, item->shown.kind);
}

bool hr_list_option(const hr_list *list, size_t i, size_t option, hr_key_info *out) {
    if (i >= list->count || option >= list->items[i].shown.option_count) return false;
    hr_key_info info = option_of(&list->items[i], option);
    hr_key_info_copy(&info, out);
    return true;
}

void hr_list_free(hr_list *list) {
    if (!list) return;
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i].title);
    free(list->items);
    free(list);
}

/* ---- Printing ---- */

/* "growth|absolute, default growth"; "1 to 10, required"; "one character, default automatic" */
static void add_values(const hr_key_info *info, hr_text *out) {
    if (info->type == HR_TYPE_TEXT)
        hr_text_puts(out, "one character");
    else if (info->type == HR_TYPE_BOOL)
        hr_text_puts(out, "true|false");
    else if (info->type == HR_TYPE_CHOICE)
        hr_text_puts(out, info->choices);
    else
        hr_text_printf(out, "%.15g to %.15g", info->least, info->most);
    if (info->has_default)
        hr_text_printf(out, ", default %s", info->initial);
    else if (info->type == HR_TYPE_TEXT)
        hr_text_puts(out, ", default automatic");
    else
        hr_text_puts(out, ", required");
}

enum { INDENT = 26, BUILDER_INDENT = 6, WIDTH = 80 }; /* where texts begin, and where lines end */

/* Appends a text that begins in column `indent` and a line end. */
static void add_wrapped(const char *text, int indent, hr_text *out) {
    const size_t room = (size_t)(WIDTH - indent);
    while (strlen(text) > room) {
        size_t cut = room;
        while (cut > 0 && text[cut] != ' ')
            cut--;
        if (cut == 0) break; /* a word longer than the line */
        hr_text_add(out, text, cut);
        hr_text_printf(out, "\n%*s", indent, "");
        text += cut + 1;
    }
    hr_text_puts(out, text);
    hr_text_puts(out, "\n");
}

/* The help of an option without a default in brackets at its end, which is among the values. */
static void add_help(const hr_key_info *info, hr_text *out) {
    size_t length = strlen(info->help), most = strlen(info->initial) + 3;
    if (info->has_default && length > most && info->help[length - 1] == ')' &&
        !strncmp(info->help + length - most, " (", 2) &&
        !strncmp(info->help + length - most + 2, info->initial, most - 3))
        length -= most;
    hr_text_add(out, info->help, length);
}

/* "--recursive-l       the l of recursive (c,l)-diversity (1 to 64, default 2)" */
static void print_option(const hr_key_info *info, hr_text *out) {
    bool brief = !info->name[1]; /* -k */
    size_t length = 7 + !brief;
    hr_text text = {0};
    hr_text_puts(out, brief ? "      -" : "      --");
    for (const char *at = info->name; *at; at++, length++)
        hr_text_add(out, *at == '_' ? "-" : at, 1);
    hr_text_printf(out, "%*s", length < INDENT ? (int)(INDENT - length) : 1, "");
    add_help(info, &text);
    hr_text_puts(&text, " (");
    add_values(info, &text);
    hr_text_puts(&text, ")");
    if (!text.failed) add_wrapped(text.data, INDENT, out);
    out->failed |= text.failed;
    hr_text_free(&text);
}

static void print_item(const list_item *item, hr_text *out) {
    bool fits = strlen(item->shown.name) + 2 < INDENT;
    hr_text_printf(out, "  %-*s", fits ? INDENT - 2 : 0, item->shown.name);
    if (!fits) hr_text_printf(out, "\n%*s", INDENT, "");
    add_wrapped(item->shown.title, INDENT, out);
    if (*item->shown.reference) {
        hr_text_printf(out, "%*s", INDENT, "");
        add_wrapped(item->shown.reference, INDENT, out);
    }
    if (item->builder) {
        hr_text_printf(out, "%*s{%s: %s}\n%*s", BUILDER_INDENT, "", item->builder->name,
                       item->builder->argument, BUILDER_INDENT, "");
        add_wrapped(item->builder->help, BUILDER_INDENT, out);
    }
    for (size_t i = 0; i < item->shown.option_count; i++) {
        hr_key_info info = option_of(item, i);
        print_option(&info, out);
    }
}

static void print_for_people(const hr_list *list, hr_text *out) {
    size_t section = SIZE_MAX;
    for (size_t i = 0; i < list->count; i++) {
        size_t now = section_of(list->items[i].shown.kind);
        if (list->titled && now != section)
            hr_text_printf(out, "%s%s:\n", i > 0 ? "\n" : "", sections[now].name);
        section = now;
        print_item(&list->items[i], out);
    }
}

static void add_row(const list_item *item, hr_rows *rows) {
    static const char *const kinds[] = {
        [HR_KIND_ALGORITHM] = "algorithm", [HR_KIND_ALIAS] = "alias",
        [HR_KIND_MODEL] = "model",         [HR_KIND_MEASURE] = "measure",
        [HR_KIND_FORMAT] = "format",       [HR_KIND_BUILDER] = "builder"};
    hr_text options = {0};
    hr_text_puts(&options, "");
    if (item->builder)
        hr_text_printf(&options, "%s: %s", item->builder->argument, item->builder->help);
    for (size_t i = 0; i < item->shown.option_count; i++) {
        hr_key_info info = option_of(item, i);
        hr_text_printf(&options, "%s%s: ", i > 0 ? "; " : "", info.name);
        add_values(&info, &options);
    }
    hr_rows_text(rows, kinds[item->shown.kind]);
    hr_rows_text(rows, item->shown.name);
    hr_rows_text(rows, item->shown.title);
    hr_rows_text(rows, item->shown.reference);
    hr_rows_text(rows, options.data);
    rows->failed |= options.failed;
    hr_text_free(&options);
}

static void print_for_programs(const hr_list *list, hr_print_format format, hr_text *out) {
    static const hr_rows_column columns[] = {{"kind", HR_ROWS_TEXT, 0},
                                             {"name", HR_ROWS_TEXT, 0},
                                             {"title", HR_ROWS_TEXT, 0},
                                             {"reference", HR_ROWS_TEXT, 0},
                                             {"options", HR_ROWS_TEXT, 0}};
    hr_rows rows;
    hr_rows_start(&rows, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < list->count; i++)
        add_row(&list->items[i], &rows);
    hr_rows_print(&rows, format, out);
}

hr_status hr_list_print(const hr_list *list, hr_print_format format, char **out, hr_error *err) {
    *out = NULL;
    HR_TRY(hr_print_check(format, err));
    hr_text text = {0};
    if (format == HR_PRINT_TABLE)
        print_for_people(list, &text);
    else
        print_for_programs(list, format, &text);
    return hr_text_take(&text, out, err);
}
