/* cmd_list.c - `hedgerow list`: the algorithms, models, measures and formats of this build. */
#include "cli/cli.h"

#include <string.h>

/* The common part of the entries of the four plug-in tables. */
typedef struct {
    const char *kind, *name, *title, *reference;
    const hr_option *options;
} entry;

typedef void (*see)(const entry *e, void *payload);

static void each_algorithm(see seen, void *payload) {
    for (size_t i = 0; hr_algorithms[i]; i++) {
        const hr_algorithm *a = hr_algorithms[i];
        seen(&(entry){"algorithm", a->name, a->title, a->reference, a->options}, payload);
    }
    for (const hr_alias *a = hr_aliases; a->name; a++) {
        char title[256];
        bool plain = !a->settings || !*a->settings;
        snprintf(title, sizeof title, "%s%s%s, boundaries %s", a->algorithm, plain ? "" : " with ",
                 plain ? "" : a->settings, a->counts_boundaries ? "counted" : "enforced");
        seen(&(entry){"alias", a->name, title, a->reference, NULL}, payload);
    }
}

static void each_model(see seen, void *payload) {
    for (size_t i = 0; hr_models[i]; i++) {
        const hr_model *m = hr_models[i];
        seen(&(entry){"model", m->name, m->title, m->reference, m->options}, payload);
    }
}

static void each_measure(see seen, void *payload) {
    for (size_t i = 0; hr_measures[i]; i++) {
        const hr_measure *m = hr_measures[i];
        seen(&(entry){"measure", m->name, m->title, m->reference, m->options}, payload);
    }
}

static void each_format(see seen, void *payload) {
    for (size_t i = 0; hr_formats[i]; i++) {
        const hr_format *f = hr_formats[i];
        seen(&(entry){"format", f->name, f->title, f->reference, f->options}, payload);
    }
}

static const struct {
    const char *name;
    void (*each)(see seen, void *payload);
} sections[] = {
    {"algorithms", each_algorithm},
    {"models", each_model},
    {"measures", each_measure},
    {"formats", each_format},
};
enum { SECTIONS = sizeof sections / sizeof *sections };

/* ---- Options ---- */

/* "1 to 10", "growth|absolute" */
static void add_range(const hr_option *option, hr_text *out) {
    switch (option->type) {
    case HR_OPTION_INT:
    case HR_OPTION_REAL: hr_text_printf(out, "%.15g to %.15g", option->min, option->max); break;
    case HR_OPTION_BOOL: hr_text_puts(out, "true|false"); break;
    case HR_OPTION_CHOICE: hr_text_puts(out, option->choices); break;
    }
}

/* An option whose initial value lies outside of its range must be given. */
static bool is_required(const hr_option *option) {
    bool number = option->type == HR_OPTION_INT || option->type == HR_OPTION_REAL;
    return number && (option->initial < option->min || option->initial > option->max);
}

/* "default growth" */
static void add_initial(const hr_option *option, hr_text *out) {
    if (is_required(option)) {
        hr_text_puts(out, "required");
        return;
    }
    union {
        int64_t whole;
        double real;
        bool flag;
        int choice;
    } value = {0};
    hr_option alone[2] = {*option, {0}};
    alone[0].offset = 0;
    hr_options_init(alone, &value);
    hr_text_puts(out, "default ");
    hr_option_print(alone, &value, out);
}

/* "growth|absolute, default growth" */
static void add_values(const hr_option *option, hr_text *out) {
    add_range(option, out);
    hr_text_puts(out, ", ");
    add_initial(option, out);
}

/* ---- For people ---- */

static void show(const entry *e, void *payload) {
    (void)payload;
    printf("  %-28s %s\n", e->name, e->title ? e->title : "");
    if (e->reference && *e->reference) printf("  %-28s %s\n", "", e->reference);
    for (const hr_option *o = e->options; o && o->name; o++) {
        hr_text values = {0};
        add_values(o, &values);
        printf("      %s%-*s %s (%s)\n", o->name[1] ? "--" : "-", o->name[1] ? 22 : 23, o->name,
               o->help, values.data ? values.data : "");
        hr_text_free(&values);
    }
}

/* ---- For programs ---- */

static const cli_column columns[] = {{"kind", CLI_TEXT, 0},
                                     {"name", CLI_TEXT, 0},
                                     {"title", CLI_TEXT, 0},
                                     {"reference", CLI_TEXT, 0},
                                     {"options", CLI_TEXT, 0}};

static void add_row(const entry *e, void *payload) {
    cli_rows *rows = payload;
    hr_text options = {0};
    hr_text_puts(&options, "");
    for (const hr_option *o = e->options; o && o->name; o++) {
        hr_text_printf(&options, "%s%s: ", options.length ? "; " : "", o->name);
        add_values(o, &options);
    }
    cli_add_text(rows, e->kind);
    cli_add_text(rows, e->name);
    cli_add_text(rows, e->title ? e->title : "");
    cli_add_text(rows, e->reference ? e->reference : "");
    cli_add_text(rows, options.data ? options.data : "");
    hr_text_free(&options);
}

/* ---- The command ---- */

static const char *section_at(size_t i, const void *payload) {
    (void)payload;
    return sections[i].name;
}

static hr_status unknown_section(const char *name, hr_error *err) {
    const char *nearest = hr_text_nearest(name, SECTIONS, section_at, NULL);
    return hr_fail(
        err, HR_EINVAL,
        "there is no list of '%s'%s%s%s: there are algorithms, models, measures, formats", name,
        nearest ? " (did you mean '" : "", nearest ? nearest : "", nearest ? "'?)" : "");
}

static void print_section(size_t i, bool titled, cli_format format, cli_rows *rows) {
    if (format != CLI_TABLE) {
        sections[i].each(add_row, rows);
        return;
    }
    if (titled) printf("%s%s:\n", i > 0 ? "\n" : "", sections[i].name);
    sections[i].each(show, NULL);
}

static hr_status run(const cli_arguments *arguments, hr_error *err) {
    const char *wanted = arguments->word_count ? arguments->words[0] : NULL;
    cli_rows rows;
    size_t found = 0;
    cli_rows_start(&rows, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < SECTIONS; i++) {
        if (wanted && strcmp(wanted, sections[i].name)) continue;
        print_section(i, !wanted, arguments->format, &rows);
        found++;
    }
    if (!found) return unknown_section(wanted, err);
    if (arguments->format == CLI_TABLE) return HR_OK;
    return cli_rows_print(&rows, arguments->format, err);
}

static const cli_syntax syntax = {
    .command = "list",
    .usage = "[algorithms|models|measures|formats]",
    .about =
        "Lists what there is, with its options: what they do, what they may be, and what they\n"
        "are if nothing is said.",
    .most = 1,
    .job_at = -1,
    .prints = true,
};

int cmd_list(int argc, char **argv) {
    return cli_run(&syntax, argc, argv, run);
}
