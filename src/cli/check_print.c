/* check_print.c - prints the findings of `hedgerow check` for a person or a program: what the file
 * achieves and what fails, by sizes and attributes, never by values of sensitive attributes. */
#include "cli/check.h"

/* ---- for a person ---- */

static const char *plural(uint64_t count) {
    return count == 1 ? "" : "s";
}

static void print_small(const check_session *s) {
    const hr_facts *classes = &s->verdict.facts;
    int shown = 0;
    if (!s->verdict.small_classes) return;
    printf("  fails     %llu class%s of fewer than %lld rows, %llu row%s in all (size%s",
           (unsigned long long)s->verdict.small_classes, s->verdict.small_classes == 1 ? "" : "es",
           (long long)s->job->asked.k, (unsigned long long)s->verdict.small_rows,
           plural(s->verdict.small_rows), plural(s->verdict.small_classes));
    for (uint32_t g = 0; g < classes->count && shown < 5; g++)
        if (classes->size[g] < s->job->asked.k)
            printf("%s %u", shown++ ? "," : "", classes->size[g]);
    printf("%s)\n", s->verdict.small_classes > 5 ? ", ..." : "");
}

/* Sizes of the first classes with too few values of sensitive attribute l. */
static void print_poor(const check_session *s, size_t l, const char *name) {
    const hr_facts *classes = &s->verdict.facts;
    uint64_t poor = s->verdict.poor_classes[l];
    int shown = 0;
    if (!poor) return;
    printf("  fails     '%s': %llu class%s of fewer than %lld values (", name,
           (unsigned long long)poor, poor == 1 ? "" : "es", (long long)s->job->asked.p);
    for (uint32_t g = 0; g < classes->count && shown < 5; g++) {
        uint32_t distinct = classes->distinct[g * classes->sensitive_count + l];
        if (distinct < s->job->asked.p)
            printf("%s%u value%s in %u row%s", shown++ ? ", " : "", distinct, plural(distinct),
                   classes->size[g], plural(classes->size[g]));
    }
    printf("%s)\n", poor > 5 ? ", ..." : "");
}

static void print_attribute(const check_session *s, size_t j, const char *name) {
    uint64_t violations = s->verdict.violations_by[j], uncovered = s->verdict.uncovered_by[j];
    if (violations)
        printf("  %s     '%s': %llu value%s past the boundary\n", s->enforce ? "fails" : "count",
               name, (unsigned long long)violations, plural(violations));
    if (uncovered && s->means)
        printf("  fails     '%s': %llu published value%s not the mean of the class\n", name,
               (unsigned long long)uncovered, uncovered == 1 ? " is" : "s are");
    else if (uncovered)
        printf("  fails     '%s': %llu published value%s not cover the original\n", name,
               (unsigned long long)uncovered, uncovered == 1 ? " does" : "s do");
}

/* Values that no release of this job can contain. */
static void print_unknown(const check_session *s, size_t j, const hr_attribute *attribute) {
    uint64_t count = s->verdict.unknown_by[j], first = s->verdict.first_unknown_by[j];
    if (!count) return;
    printf("  fails     '%s': %llu published value%s no ", attribute->name,
           (unsigned long long)count, count == 1 ? " is" : "s are");
    if (attribute->hierarchy)
        printf("node of %s, number or interval", attribute->hierarchy);
    else
        printf(s->means ? "number, as means are" : "number or interval");
    printf(count == 1 ? " (row %llu)\n" : " (the first in row %llu)\n", (unsigned long long)first);
}

/* Where the first difference is and what may have caused it. */
static void print_pairing(const check_session *s) {
    if (s->verdict.first_uncovered)
        printf("            the first value that %s is in row %llu of the masked file\n",
               s->means ? "is not the mean" : "does not cover",
               (unsigned long long)s->verdict.first_uncovered);
    if ((s->verdict.uncovered || s->verdict.changed) && !s->own->trace)
        printf("            rows were paired by position: if the masked file is in another order "
               "than\n"
               "            the original, give the release's trace with --trace FILE\n");
}

static void print_failures(const check_session *s) {
    const hr_job *job = s->job;
    size_t j = 0, l = 0;
    if (s->verdict.facts.count == 0)
        printf("  fails     no row is released: all of them are left out as suppressed\n");
    if (s->identifiers.count)
        printf("  fails     identifier%s still there: %s\n", plural(s->identifiers.count),
               s->identifiers.names.data);
    if (s->dropped.count)
        printf("  fails     the job drops column%s %s, which %s still there\n",
               plural(s->dropped.count), s->dropped.names.data,
               s->dropped.count == 1 ? "is" : "are");
    print_small(s);
    for (size_t i = 0; i < job->attribute_count; i++) {
        if (job->attributes[i].role == HR_ROLE_SENSITIVE)
            print_poor(s, l++, job->attributes[i].name);
        if (job->attributes[i].role != HR_ROLE_QUASI) continue;
        if (s->verdict.compared)
            print_attribute(s, j++, job->attributes[i].name);
        else
            print_unknown(s, j++, &job->attributes[i]);
    }
    if (s->verdict.changed)
        printf("  fails     %llu sensitive or kept value%s from the original\n",
               (unsigned long long)s->verdict.changed,
               s->verdict.changed == 1 ? " differs" : "s differ");
    print_pairing(s);
}

static void print_proof(const check_session *s) {
    printf("  bound     no release that suppresses only what it must loses less than %.8g (ntil): "
           "proved\n",
           s->proof.holds ? s->proof.claimed : s->proof.proved);
    if (!s->proof.holds)
        printf("  fails     the certificate claims %.8g, more than it proves\n", s->proof.claimed);
}

void check_print_text(const check_session *s) {
    const hr_verdict *v = &s->verdict;
    printf("%s: %s\n", s->path, s->holds ? "yes" : "no");
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
        printf("  original  %llu value%s past a boundary, %llu not %s, %llu changed\n",
               (unsigned long long)v->violations, plural(v->violations),
               (unsigned long long)v->uncovered, s->means ? "the mean" : "covered",
               (unsigned long long)v->changed);
    else
        printf("  original  not given: boundaries were not judged (--original FILE)\n");
    if (s->own->certificate) print_proof(s);
    print_failures(s);
}

/* ---- for a program ---- */

static const cli_column columns[] = {
    {"file", CLI_TEXT, 0},          {"holds", CLI_TEXT, 0},        {"rows", CLI_COUNT, 0},
    {"classes", CLI_COUNT, 0},      {"k", CLI_COUNT, 0},           {"p", CLI_COUNT, 0},
    {"achieved_k", CLI_COUNT, 0},   {"achieved_p", CLI_COUNT, 0},  {"small_classes", CLI_COUNT, 0},
    {"poor_classes", CLI_COUNT, 0}, {"violations", CLI_COUNT, 0},  {"uncovered", CLI_COUNT, 0},
    {"changed", CLI_COUNT, 0},      {"identifiers", CLI_COUNT, 0}, {"dropped", CLI_COUNT, 0},
    {"unknown", CLI_COUNT, 0},      {"ntil_bound", CLI_REAL, 4},   {"proved", CLI_TEXT, 0}};

static void add_compared(cli_rows *rows, const hr_verdict *v, uint64_t count) {
    if (v->compared)
        cli_add_count(rows, (int64_t)count);
    else
        cli_add_none(rows);
}

hr_status check_print_row(const check_session *s, hr_error *err) {
    const hr_verdict *v = &s->verdict;
    uint64_t poor = 0, unknown = 0;
    for (uint32_t g = 0; g < v->facts.count && s->job->asked.p > 1; g++)
        poor += hr_facts_least_values(&v->facts, g) < s->job->asked.p;
    for (size_t i = 0, j = 0; v->unknown_by && i < s->job->attribute_count; i++)
        if (s->job->attributes[i].role == HR_ROLE_QUASI) unknown += v->unknown_by[j++];
    cli_rows rows;
    cli_rows_start(&rows, columns, sizeof columns / sizeof *columns);
    cli_add_text(&rows, s->path);
    cli_add_text(&rows, s->holds ? "yes" : "no");
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
    cli_add_count(&rows, (int64_t)s->identifiers.count);
    cli_add_count(&rows, (int64_t)s->dropped.count);
    if (v->compared)
        cli_add_none(&rows); /* with an original, such values are counted as uncovered */
    else
        cli_add_count(&rows, (int64_t)unknown);
    if (s->own->certificate) {
        cli_add_real(&rows, s->proof.claimed);
        cli_add_text(&rows, s->proof.holds ? "yes" : "no");
    } else {
        cli_add_none(&rows);
        cli_add_none(&rows);
    }
    return cli_rows_print(&rows, s->arguments->format, err);
}
