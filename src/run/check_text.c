/* check_text.c - the findings of a check for a person: what the table achieves and what fails,
 * by sizes and attributes, never by values of sensitive attributes. Lines that begin with
 * "fails" are the reasons for a no. */
#include "run/check.h"

#include <math.h>

static const char *plural(uint64_t count) {
    return count == 1 ? "" : "s";
}

static void print_small(const hr_check_session *s) {
    const hr_facts *classes = &s->verdict.facts;
    int shown = 0;
    if (!s->verdict.small_classes) return;
    hr_text_printf(
        s->summary, "  fails     %llu class%s of fewer than %lld rows, %llu row%s in all (size%s",
        (unsigned long long)s->verdict.small_classes, s->verdict.small_classes == 1 ? "" : "es",
        (long long)s->job.asked.k, (unsigned long long)s->verdict.small_rows,
        plural(s->verdict.small_rows), plural(s->verdict.small_classes));
    for (uint32_t g = 0; g < classes->count && shown < 5; g++)
        if (classes->size[g] < s->job.asked.k)
            hr_text_printf(s->summary, "%s %u", shown++ ? "," : "", classes->size[g]);
    hr_text_printf(s->summary, "%s)\n", s->verdict.small_classes > 5 ? ", ..." : "");
}

/* Sizes of the first classes with too few values of sensitive attribute l. */
static void print_poor(const hr_check_session *s, size_t l, const char *name) {
    const hr_facts *classes = &s->verdict.facts;
    uint64_t poor = s->verdict.poor_classes[l];
    int shown = 0;
    if (!poor) return;
    hr_text_printf(s->summary, "  fails     '%s': %llu class%s of fewer than %lld values (", name,
                   (unsigned long long)poor, poor == 1 ? "" : "es", (long long)s->job.asked.p);
    for (uint32_t g = 0; g < classes->count && shown < 5; g++) {
        uint32_t distinct = classes->distinct[g * classes->sensitive_count + l];
        if (distinct < s->job.asked.p)
            hr_text_printf(s->summary, "%s%u value%s in %u row%s", shown++ ? ", " : "", distinct,
                           plural(distinct), classes->size[g], plural(classes->size[g]));
    }
    hr_text_printf(s->summary, "%s)\n", poor > 5 ? ", ..." : "");
}

/* The other models, each with the number of classes that violate it and the worst of them. */
static void print_others(const hr_check_session *s) {
    for (size_t i = HR_MODELS_KP; hr_models[i]; i++) {
        uint64_t failing = s->verdict.failing[i];
        if (!failing) continue;
        hr_text_printf(s->summary, "  fails     %s: %llu class%s (", hr_models[i]->options->name,
                       (unsigned long long)failing,
                       failing == 1 ? " violates it" : "es violate it");
        hr_text_printf(s->summary, failing == 1 ? "it has %.4g)\n" : "the worst has %.4g)\n",
                       s->verdict.achieved[i]);
    }
}

static void print_attribute(const hr_check_session *s, size_t j, const char *name) {
    uint64_t violations = s->verdict.violations_by[j], uncovered = s->verdict.uncovered_by[j];
    if (violations)
        hr_text_printf(s->summary, "  %s     '%s': %llu value%s past the boundary\n",
                       s->enforce ? "fails" : "count", name, (unsigned long long)violations,
                       plural(violations));
    if (uncovered && s->means)
        hr_text_printf(s->summary,
                       "  fails     '%s': %llu published value%s not the mean of the class\n", name,
                       (unsigned long long)uncovered, uncovered == 1 ? " is" : "s are");
    else if (uncovered)
        hr_text_printf(s->summary,
                       "  fails     '%s': %llu published value%s not cover the original\n", name,
                       (unsigned long long)uncovered, uncovered == 1 ? " does" : "s do");
}

static void print_too_fine(const hr_check_session *s, size_t j, const char *name) {
    uint64_t count = s->verdict.too_fine_by[j];
    if (count)
        hr_text_printf(s->summary,
                       "  fails     '%s': %llu published value%s more precise than `finest` "
                       "allows\n",
                       name, (unsigned long long)count, count == 1 ? " is" : "s are");
}

/* Values that no release of this job can contain. */
static void print_unknown(const hr_check_session *s, size_t j, const hr_attribute *attribute) {
    uint64_t count = s->verdict.unknown_by[j], first = s->verdict.first_unknown_by[j];
    if (!count) return;
    hr_text_printf(s->summary, "  fails     '%s': %llu published value%s no ", attribute->name,
                   (unsigned long long)count, count == 1 ? " is" : "s are");
    if (attribute->hierarchy)
        hr_text_printf(s->summary, "node of %s, number or interval", attribute->hierarchy);
    else
        hr_text_printf(s->summary, s->means ? "number, as means are" : "number or interval");
    hr_text_printf(s->summary, count == 1 ? " (row %llu)\n" : " (the first in row %llu)\n",
                   (unsigned long long)first);
}

/* Where the first difference is and what may have caused it. */
static void print_pairing(const hr_check_session *s) {
    if (s->verdict.first_uncovered)
        hr_text_printf(s->summary,
                       "            the first value that %s is in row %llu of the masked file\n",
                       s->means ? "is not the mean" : "does not cover",
                       (unsigned long long)s->verdict.first_uncovered);
    if ((s->verdict.uncovered || s->verdict.changed) && !s->request->trace)
        hr_text_printf(
            s->summary,
            "            rows were paired by position: if the masked file is in another order "
            "than\n"
            "            the original, give the release's trace with --trace FILE\n");
}

static void print_failures(const hr_check_session *s) {
    const hr_job *job = &s->job;
    size_t j = 0, l = 0;
    if (s->verdict.facts.count == 0)
        hr_text_printf(s->summary,
                       "  fails     no row is released: all of them are left out as suppressed\n");
    if (s->identifiers.count)
        hr_text_printf(s->summary, "  fails     identifier%s still there: %s\n",
                       plural(s->identifiers.count), s->identifiers.names.data);
    if (s->dropped.count)
        hr_text_printf(s->summary, "  fails     the job drops column%s %s, which %s still there\n",
                       plural(s->dropped.count), s->dropped.names.data,
                       s->dropped.count == 1 ? "is" : "are");
    print_small(s);
    print_others(s);
    for (size_t i = 0; i < job->attribute_count; i++) {
        if (job->attributes[i].role == HR_ROLE_SENSITIVE)
            print_poor(s, l++, job->attributes[i].name);
        if (job->attributes[i].role != HR_ROLE_QUASI) continue;
        print_too_fine(s, j, job->attributes[i].name);
        if (s->verdict.compared)
            print_attribute(s, j++, job->attributes[i].name);
        else
            print_unknown(s, j++, &job->attributes[i]);
    }
    if (s->verdict.changed)
        hr_text_printf(s->summary, "  fails     %llu sensitive or kept value%s from the original\n",
                       (unsigned long long)s->verdict.changed,
                       s->verdict.changed == 1 ? " differs" : "s differ");
    print_pairing(s);
}

static void print_proof(const hr_check_session *s) {
    hr_text_printf(
        s->summary,
        "  bound     no release that suppresses only what it must loses less than %.8g (ntil): "
        "proved\n",
        s->proof.holds ? s->proof.claimed : s->proof.proved);
    if (!s->proof.holds)
        hr_text_printf(s->summary, "  fails     the certificate claims %.8g, more than it proves\n",
                       s->proof.claimed);
}

void hr_check_write_summary(const hr_check_session *s) {
    const hr_verdict *v = &s->verdict;
    hr_text_printf(s->summary, "%s: %s\n", s->name, s->holds ? "yes" : "no");
    hr_text_printf(s->summary, "  rows      %llu in %u class%s", (unsigned long long)v->rows,
                   v->facts.count, v->facts.count == 1 ? "" : "es");
    if (v->left_out)
        hr_text_printf(s->summary, ", %llu left out as suppressed",
                       (unsigned long long)v->left_out);
    hr_text_printf(s->summary, "\n");
    for (size_t i = 0; hr_models[i]; i++) {
        const hr_model *model = hr_models[i];
        bool shown = model->always_shown || hr_model_in_play(model, &s->job.asked);
        if (!shown || isnan(v->achieved[i])) continue;
        hr_text_printf(s->summary, "  %-9s ", model->options->name);
        hr_model_print(model, v->achieved[i], s->summary);
        hr_text_puts(s->summary, ", asked for ");
        hr_model_print(model, hr_model_asked(model, &s->job.asked), s->summary);
        hr_text_puts(s->summary, "\n");
    }
    if (v->compared)
        hr_text_printf(s->summary,
                       "  original  %llu value%s past a boundary, %llu not %s, %llu changed\n",
                       (unsigned long long)v->violations, plural(v->violations),
                       (unsigned long long)v->uncovered, s->means ? "the mean" : "covered",
                       (unsigned long long)v->changed);
    else
        hr_text_printf(s->summary,
                       "  original  not given: boundaries were not judged (--original FILE)\n");
    if (s->request->certificate) print_proof(s);
    print_failures(s);
}
