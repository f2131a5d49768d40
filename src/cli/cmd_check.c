/* cmd_check.c - `hedgerow check`: is this file what the job promises? Works on any tool's output.
 * Says yes or no with the achieved k and p and names what fails: sizes and attributes, never values
 * of sensitive attributes. Exit status 2 is no. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *original, *trace, *suppressed_as;
} own_flags;

typedef struct {
    const cli_arguments *arguments;
    const own_flags *own;
    hr_job *job;
    const char *path; /* of the masked file */
    hr_table *masked;
    hr_bound original;
    uint32_t *row;
    hr_verdict verdict;
    hr_text identifiers; /* columns that should not be there */
    uint64_t identifier_count;
    bool enforce;
} session;

/* ---- reading ---- */

static const hr_attribute *attribute_of(const hr_job *job, const char *name) {
    for (size_t i = 0; i < job->attribute_count; i++)
        if (!strcmp(job->attributes[i].name, name)) return &job->attributes[i];
    return NULL;
}

/* An identifier is not read, only told. */
static hr_status choose(const char *const *names, size_t count, bool *keep, void *payload,
                        hr_error *err) {
    (void)err;
    session *s = payload;
    for (size_t i = 0; i < count; i++) {
        const hr_attribute *attribute = attribute_of(s->job, names[i]);
        hr_role role = attribute ? attribute->role : HR_ROLE_NONE;
        keep[i] = role == HR_ROLE_QUASI || role == HR_ROLE_SENSITIVE || role == HR_ROLE_KEEP;
        if (role == HR_ROLE_IDENTIFIER)
            hr_text_printf(&s->identifiers, "%s'%s'", s->identifier_count++ ? ", " : "", names[i]);
        else if (!keep[i])
            cli_notice(s->arguments->quiet, "column '%s' has no role in the job and is not judged",
                       names[i]);
    }
    return HR_OK;
}

static hr_status read_files(session *s, const hr_watch *watch, hr_error *err) {
    hr_read_options options = {.choose = choose, .payload = s, .watch = watch};
    HR_TRY(hr_format_for(s->path)->read(s->path, &options, &s->masked, err));
    if (!s->own->original) return HR_OK;
    s->job->input = s->own->original;
    HR_TRY(hr_job_bind(s->job, watch, &s->original, err));
    if (!s->own->trace) return HR_OK;
    return hr_trace_read(s->own->trace, s->original.table->rows, s->masked->rows, &s->row, err);
}

static hr_status judge(session *s, hr_error *err) {
    const hr_alias *alias = hr_alias_find(s->job->algorithm);
    s->enforce = s->job->boundaries != HR_BOUNDARIES_COUNT && !(alias && alias->counts_boundaries);
    hr_verify_request request = {.job = s->job,
                                 .masked = s->masked,
                                 .original = s->own->original ? &s->original : NULL,
                                 .row = s->row,
                                 .enforce_boundaries = s->enforce,
                                 .suppressed_as = s->own->suppressed_as};
    HR_TRY(hr_verify(&request, &s->verdict, err));
    if (s->identifier_count) s->verdict.holds = false;
    return HR_OK;
}

/* ---- telling a person ---- */

static const char *plural(uint64_t count) {
    return count == 1 ? "" : "s";
}

static void tell_small(const session *s) {
    const hr_facts *classes = &s->verdict.facts;
    int told = 0;
    if (!s->verdict.small_classes) return;
    printf("  fails     %llu class%s of fewer than %lld rows, %llu row%s in all (size%s",
           (unsigned long long)s->verdict.small_classes, s->verdict.small_classes == 1 ? "" : "es",
           (long long)s->job->asked.k, (unsigned long long)s->verdict.small_rows,
           plural(s->verdict.small_rows), plural(s->verdict.small_classes));
    for (uint32_t g = 0; g < classes->count && told < 5; g++)
        if (classes->size[g] < s->job->asked.k)
            printf("%s %u", told++ ? "," : "", classes->size[g]);
    printf("%s)\n", s->verdict.small_classes > 5 ? ", ..." : "");
}

/* Sizes of the first classes that lack values of the lth sensitive attribute. */
static void tell_poor(const session *s, size_t l, const char *name) {
    const hr_facts *classes = &s->verdict.facts;
    uint64_t poor = s->verdict.poor_classes[l];
    int told = 0;
    if (!poor) return;
    printf("  fails     '%s': %llu class%s of fewer than %lld values (", name,
           (unsigned long long)poor, poor == 1 ? "" : "es", (long long)s->job->asked.p);
    for (uint32_t g = 0; g < classes->count && told < 5; g++) {
        uint32_t distinct = classes->distinct[g * classes->sensitive_count + l];
        if (distinct < s->job->asked.p)
            printf("%s%u value%s in %u row%s", told++ ? ", " : "", distinct, plural(distinct),
                   classes->size[g], plural(classes->size[g]));
    }
    printf("%s)\n", poor > 5 ? ", ..." : "");
}

static void tell_attribute(const session *s, size_t j, const char *name) {
    uint64_t violations = s->verdict.violations_by[j], uncovered = s->verdict.uncovered_by[j];
    if (violations)
        printf("  %s     '%s': %llu value%s past the boundary\n", s->enforce ? "fails" : "count",
               name, (unsigned long long)violations, plural(violations));
    if (uncovered)
        printf("  fails     '%s': %llu published value%s not cover the original\n", name,
               (unsigned long long)uncovered, uncovered == 1 ? " does" : "s do");
}

/* Where to look, and what may be the matter. */
static void tell_pairing(const session *s) {
    if (s->verdict.first_uncovered)
        printf(
            "            the first value that does not cover is in row %llu of the masked file\n",
            (unsigned long long)s->verdict.first_uncovered);
    if ((s->verdict.uncovered || s->verdict.changed) && !s->own->trace)
        printf("            rows were paired by position: if the masked file is in another order "
               "than\n"
               "            the original, give the release's trace with --trace FILE\n");
}

static void tell_failures(const session *s) {
    const hr_job *job = s->job;
    size_t j = 0, l = 0;
    if (s->verdict.facts.count == 0)
        printf("  fails     no row is released: all of them are left out as suppressed\n");
    if (s->identifier_count)
        printf("  fails     identifier%s still there: %s\n", plural(s->identifier_count),
               s->identifiers.data);
    tell_small(s);
    for (size_t i = 0; i < job->attribute_count; i++) {
        if (job->attributes[i].role == HR_ROLE_SENSITIVE)
            tell_poor(s, l++, job->attributes[i].name);
        if (job->attributes[i].role == HR_ROLE_QUASI && s->verdict.compared)
            tell_attribute(s, j++, job->attributes[i].name);
    }
    if (s->verdict.changed)
        printf("  fails     %llu sensitive or kept value%s from the original\n",
               (unsigned long long)s->verdict.changed,
               s->verdict.changed == 1 ? " differs" : "s differ");
    tell_pairing(s);
}

static void tell(const session *s) {
    const hr_verdict *v = &s->verdict;
    printf("%s: %s\n", s->path, v->holds ? "yes" : "no");
    printf("  rows      %llu in %u class%s", (unsigned long long)v->rows, v->facts.count,
           v->facts.count == 1 ? "" : "es");
    if (v->left_out) printf(", %llu left out as suppressed", (unsigned long long)v->left_out);
    printf("\n");
    for (size_t i = 0; hr_models[i]; i++) {
        const hr_option *option = hr_models[i]->options;
        long long asked = (long long)*(int64_t *)((char *)&s->job->asked + option->offset);
        if (v->achieved[i] >= 0 && v->facts.count > 0)
            printf("  %-9s %lld, asked for %lld\n", option->name, (long long)v->achieved[i], asked);
    }
    if (v->compared)
        printf("  original  %llu value%s past a boundary, %llu not covered, %llu changed\n",
               (unsigned long long)v->violations, plural(v->violations),
               (unsigned long long)v->uncovered, (unsigned long long)v->changed);
    else
        printf("  original  not given: boundaries were not judged (--original FILE)\n");
    tell_failures(s);
}

/* ---- telling a program ---- */

static const cli_column columns[] = {
    {"file", CLI_TEXT, 0},          {"holds", CLI_TEXT, 0},       {"rows", CLI_COUNT, 0},
    {"classes", CLI_COUNT, 0},      {"k", CLI_COUNT, 0},          {"p", CLI_COUNT, 0},
    {"achieved_k", CLI_COUNT, 0},   {"achieved_p", CLI_COUNT, 0}, {"small_classes", CLI_COUNT, 0},
    {"poor_classes", CLI_COUNT, 0}, {"violations", CLI_COUNT, 0}, {"uncovered", CLI_COUNT, 0},
    {"changed", CLI_COUNT, 0},      {"identifiers", CLI_COUNT, 0}};

static void add_compared(cli_rows *rows, const hr_verdict *v, uint64_t count) {
    if (v->compared)
        cli_add_count(rows, (int64_t)count);
    else
        cli_add_none(rows);
}

static hr_status print_row(const session *s, hr_error *err) {
    const hr_verdict *v = &s->verdict;
    uint64_t poor = 0;
    for (uint32_t g = 0; g < v->facts.count && s->job->asked.p > 1; g++)
        poor += hr_facts_diversity(&v->facts, g) < s->job->asked.p;
    cli_rows rows;
    cli_rows_start(&rows, columns, sizeof columns / sizeof *columns);
    cli_add_text(&rows, s->path);
    cli_add_text(&rows, v->holds ? "yes" : "no");
    cli_add_count(&rows, (int64_t)v->rows);
    cli_add_count(&rows, v->facts.count);
    cli_add_count(&rows, s->job->asked.k);
    cli_add_count(&rows, s->job->asked.p);
    cli_add_count(&rows, v->achieved[0]);
    if (v->achieved[1] >= 0)
        cli_add_count(&rows, v->achieved[1]);
    else
        cli_add_none(&rows);
    cli_add_count(&rows, (int64_t)v->small_classes);
    cli_add_count(&rows, (int64_t)poor);
    add_compared(&rows, v, v->violations);
    add_compared(&rows, v, v->uncovered);
    add_compared(&rows, v, v->changed);
    cli_add_count(&rows, (int64_t)s->identifier_count);
    return cli_rows_print(&rows, s->arguments->format, err);
}

/* ---- the command ---- */

static hr_status check(session *s, hr_error *err) {
    cli_watch watch;
    cli_watch_start(&watch, s->arguments->quiet);
    hr_status status = read_files(s, &watch.watch, err);
    if (status == HR_OK) status = judge(s, err);
    cli_watch_end(&watch);
    HR_TRY(status);
    if (s->arguments->format == CLI_TABLE)
        tell(s);
    else
        HR_TRY(print_row(s, err));
    return s->verdict.holds ? HR_OK : HR_ENOSOL;
}

static hr_status run(const cli_arguments *arguments, hr_error *err) {
    session s = {.arguments = arguments,
                 .own = arguments->own,
                 .job = arguments->job,
                 .path = arguments->words[0]};
    if (s.own->trace && !s.own->original)
        return hr_fail(err, HR_EINVAL, "--trace pairs rows with the original: give --original too");
    s.job->input = s.own->original ? s.own->original : s.path;
    s.job->output = s.job->trace = NULL; /* nothing is written */
    s.job->report_count = 0;
    HR_TRY(hr_job_complete(s.job, err));
    hr_status status = check(&s, err);
    hr_verdict_free(&s.verdict);
    free(s.row);
    hr_bound_free(&s.original);
    hr_table_free(s.masked);
    hr_text_free(&s.identifiers);
    return status;
}

static const cli_flag flags[] = {
    {"original", 0, "FILE", "the input that was masked: boundaries and coverage are judged, too",
     offsetof(own_flags, original)},
    {"trace", 0, "FILE", "the release's trace: pairs its rows with the original's",
     offsetof(own_flags, trace)},
    {"suppressed-as", 0, "TEXT", "leave out rows whose quasi-identifiers are all TEXT",
     offsetof(own_flags, suppressed_as)},
    {0},
};

static const cli_syntax syntax = {
    .command = "check",
    .usage = "MASKED JOB.yaml [--original FILE [--trace FILE]] [--suppressed-as TEXT]",
    .about =
        "Is this file what the job promises? Works on any tool's output. Published values may be\n"
        "leaves, inner nodes, `*`, numbers, or intervals (lo..hi, lo-hi, [lo,hi], [lo, hi[).\n"
        "Exit status 0 is yes, 2 is no.",
    .least = 2,
    .most = 2,
    .job_at = 1,
    .job_only = true,
    .prints = true,
    .flags = flags,
    .own_size = sizeof(own_flags),
};

int cmd_check(int argc, char **argv) {
    return cli_run(&syntax, argc, argv, run);
}
