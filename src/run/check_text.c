/* check_text.c - the findings of a check as text: what the table achieves and what fails, described
 * by sizes and attributes, never by values of sensitive attributes. Lines that begin with "fails"
 * are the reasons why a check fails. check.c splits the text at the words "fails", "unjudged" and
 * "warning" into the lists that programs get. */
#include "run/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *plural(uint64_t count) {
    return count == 1 ? "" : "s";
}

static void print_small(const hr_check_session *s) {
    const hr_facts *classes = &s->verdict.facts;
    int shown = 0;
    if (!s->verdict.small_classes) return;
    hr_text_printf(s->summary,
                   "  fails     %llu class%s of fewer than %lld %s, %llu row%s in all (size%s",
                   (unsigned long long)s->verdict.small_classes,
                   s->verdict.small_classes == 1 ? "" : "es", (long long)s->job.asked.k,
                   classes->people ? "people" : "rows", (unsigned long long)s->verdict.small_rows,
                   plural(s->verdict.small_rows), plural(s->verdict.small_classes));
    for (uint32_t g = 0; g < classes->count && shown < 5; g++)
        if (hr_facts_people(classes, g) < s->job.asked.k)
            hr_text_printf(s->summary, "%s %u", shown++ ? "," : "", hr_facts_people(classes, g));
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

/* Prints the models other than k and p that fail: the number of classes that violate each, and the
 * worst class. */
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

/* Explains violations in cells of numbers: they are chosen for the models of the job, so a release
 * made for other models has other cells. */
static void explain_cells(const hr_check_session *s, size_t j) {
    if (hr_cut_rule_chooses(&s->original.data.quasi[j].rule))
        hr_text_printf(
            s->summary,
            "            its cells were chosen from the original for this job; a "
            "release made with other k, p\n"
            "            or models has other cells: give these, or the cut points of its "
            "report with --boundary\n");
}

static void print_attribute(const hr_check_session *s, size_t j, const char *name) {
    uint64_t violations = s->verdict.violations_by[j], uncovered = s->verdict.uncovered_by[j];
    if (violations)
        hr_text_printf(s->summary, "  %s     '%s': %llu value%s past the boundary\n",
                       s->enforce ? "fails" : "count", name, (unsigned long long)violations,
                       plural(violations));
    if (violations) explain_cells(s, j);
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

/* Prints the number of values that no release of this job can contain. With an original they are
 * counted as values that do not cover it. */
static void print_unknown(const hr_check_session *s, size_t j, const hr_attribute *attribute) {
    uint64_t count = s->verdict.unknown_by[j], first = s->verdict.first_unknown_by[j];
    if (!count) return;
    bool one = count == 1;
    hr_text_printf(s->summary, "  fails     '%s': %llu published value%s ", attribute->name,
                   (unsigned long long)count, one ? " is" : "s are");
    if (attribute->hierarchy && !strcmp(attribute->hierarchy, "flat"))
        hr_text_puts(s->summary, one ? "not a value of the input" : "not values of the input");
    else if (attribute->hierarchy)
        hr_text_printf(s->summary, "not %s of %s", one ? "a node" : "nodes", attribute->hierarchy);
    else if (s->means)
        hr_text_puts(s->summary, one ? "not a number" : "not numbers");
    else
        hr_text_puts(s->summary,
                     one ? "neither a number nor an interval" : "neither numbers nor intervals");
    hr_text_printf(s->summary, one ? " (row %llu)\n" : " (the first in row %llu)\n",
                   (unsigned long long)first);
}

/* Prints the number of values of a kept column that its recoding does not produce. */
static void print_unrecoded(const hr_check_session *s, size_t i) {
    uint64_t count = s->verdict.unrecoded_by[i], first = s->verdict.first_unrecoded_by[i];
    if (!count) return;
    hr_text_printf(s->summary, "  fails     '%s': %llu value%s not %s by ",
                   s->job.attributes[i].name, (unsigned long long)count,
                   count == 1 ? " is" : "s are",
                   s->verdict.compared ? "the original recoded" : "recoded");
    hr_attribute_recoding_text(&s->job.attributes[i], s->summary);
    hr_text_printf(s->summary, count == 1 ? " (row %llu)\n" : " (the first in row %llu)\n",
                   (unsigned long long)first);
}

static void print_past(const hr_check_session *s, size_t j, const char *name) {
    uint64_t count = s->verdict.past_by[j];
    if (count)
        hr_text_printf(s->summary,
                       "  %s     '%s': %llu value%s past the boundary, whatever the original was\n",
                       s->enforce ? "fails" : "count", name, (unsigned long long)count,
                       count == 1 ? " lies" : "s lie");
}

/* Prints where the first difference is and what may have caused it. */
static void print_pairing(const hr_check_session *s) {
    if (s->verdict.first_uncovered)
        hr_text_printf(s->summary,
                       "            the first value that %s is in row %llu of the masked file\n",
                       s->means ? "is not the mean" : "does not cover",
                       (unsigned long long)s->verdict.first_uncovered);
    if ((s->verdict.uncovered || s->verdict.changed ||
         (s->verdict.compared && s->verdict.unrecoded)) &&
        !s->has_trace)
        hr_text_printf(
            s->summary,
            "            rows were paired by position: if the masked file is in another order "
            "than\n"
            "            the original, give the release's trace with --trace FILE\n");
}

/* Prints the sets of columns by which an outsider finds fewer than k rows: warnings, no
 * failures. */
static void print_key_warnings(const hr_check_session *s) {
    for (size_t i = 0; i < s->promises->key_count; i++)
        if (s->promises->keys[i].small_groups)
            hr_text_printf(
                s->summary,
                "  warning   someone who knows [%s] can find a group of fewer than %lld %s\n",
                s->promises->keys[i].columns, (long long)s->job.asked.k,
                s->promises->keys[i].people ? "people" : "rows");
}

/* Prints the columns that a release must not contain. */
static void print_columns(const hr_check_session *s) {
    uint64_t extra = s->extra.count;
    if (s->identifiers.count) {
        hr_text_printf(s->summary, "  fails     the file contains the identifier%s ",
                       plural(s->identifiers.count));
        hr_name_list_print(&s->identifiers, s->summary);
        hr_text_puts(s->summary, "\n");
    }
    if (s->dropped.count) {
        hr_text_printf(s->summary, "  fails     the job drops column%s ", plural(s->dropped.count));
        hr_name_list_print(&s->dropped, s->summary);
        hr_text_printf(s->summary, ", but the file contains %s\n",
                       s->dropped.count == 1 ? "it" : "them");
    }
    if (s->missing.count) {
        hr_text_printf(s->summary, "  fails     the job releases column%s ",
                       plural(s->missing.count));
        hr_name_list_print(&s->missing, s->summary);
        hr_text_printf(s->summary, ", but the file lacks %s\n",
                       s->missing.count == 1 ? "it" : "them");
    }
    if (extra) {
        hr_text_printf(s->summary, "  fails     %llu column%s that the job does not release: ",
                       (unsigned long long)extra, plural(extra));
        hr_name_list_print(&s->extra, s->summary);
        hr_text_puts(s->summary, "\n");
    }
    if (s->alike.data) hr_text_printf(s->summary, "            %s\n", s->alike.data);
}

static void print_failures(const hr_check_session *s) {
    const hr_job *job = &s->job;
    size_t j = 0, l = 0;
    if (s->verdict.facts.count == 0)
        hr_text_printf(s->summary,
                       "  fails     no row is released: all of them are left out as suppressed\n");
    if (s->verdict.foreign)
        hr_text_printf(s->summary, "  fails     the trace belongs to another release: %s\n",
                       s->verdict.foreign);
    print_columns(s);
    print_small(s);
    print_others(s);
    for (size_t i = 0; i < job->attribute_count; i++) {
        if (job->attributes[i].role == HR_ROLE_SENSITIVE)
            print_poor(s, l++, job->attributes[i].name);
        print_unrecoded(s, i);
        if (job->attributes[i].role != HR_ROLE_QUASI) continue;
        print_too_fine(s, j, job->attributes[i].name);
        print_unknown(s, j, &job->attributes[i]);
        if (s->verdict.compared)
            print_attribute(s, j, job->attributes[i].name);
        else
            print_past(s, j, job->attributes[i].name);
        j++;
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

/* ---- What was not judged, and what may have been overlooked ---- */

static bool is_bounded(const hr_attribute *attribute) {
    return attribute->boundary.level || attribute->boundary.nodes || attribute->boundary.cuts.kind;
}

/* Is model i judged? p has no meaning without a sensitive attribute. */
static bool is_shown(const hr_check_session *s, size_t i) {
    bool asked = hr_models[i]->always_shown || hr_model_in_play(hr_models[i], &s->job.asked);
    return asked && !isnan(s->verdict.achieved[i]);
}

/* Prints the models and rules that the answer is about. */
static void print_judged(const hr_check_session *s) {
    bool bounded = false, finest = false, recoded = false;
    for (size_t i = 0; i < s->job.attribute_count; i++) {
        const hr_attribute *a = &s->job.attributes[i];
        bounded |= a->role == HR_ROLE_QUASI && is_bounded(a);
        finest |= a->role == HR_ROLE_QUASI && (a->finest.level || a->finest.nodes);
        recoded |= hr_attribute_recodes(a);
    }
    hr_text_puts(s->summary, "  judged    ");
    for (size_t i = 0; hr_models[i]; i++)
        if (is_shown(s, i)) hr_text_printf(s->summary, "%s, ", hr_models[i]->options->name);
    hr_text_puts(s->summary, "columns, published values");
    if (bounded) hr_text_puts(s->summary, ", boundaries");
    if (finest) hr_text_puts(s->summary, ", finest");
    if (recoded) hr_text_puts(s->summary, ", recoding");
    if (s->verdict.compared) hr_text_puts(s->summary, ", every value against its original");
    if (s->request->certificate) hr_text_puts(s->summary, ", the certificate");
    hr_text_puts(s->summary, "\n");
}

/* Appends the names of the quasi-identifiers with a boundary. */
static void list_bounded(const hr_check_session *s) {
    hr_name_list names = {0};
    for (size_t i = 0; i < s->job.attribute_count; i++)
        if (s->job.attributes[i].role == HR_ROLE_QUASI && is_bounded(&s->job.attributes[i]))
            hr_name_list_add(&names, s->job.attributes[i].name, 0);
    if (names.count) {
        hr_text_puts(s->summary,
                     "  unjudged  whether each value stays within the boundary of its original: ");
        hr_name_list_print(&names, s->summary);
        hr_text_puts(s->summary, "\n");
    }
    hr_name_list_free(&names);
}

/* Appends the attributes whose trees or cells are made of values that were not read. */
static void list_unknown(const hr_check_session *s) {
    bool unread = !s->has_original && !s->ranges.table;
    for (size_t i = 0, j = 0; i < s->job.attribute_count; i++) {
        const hr_attribute *a = &s->job.attributes[i];
        bool quasi = a->role == HR_ROLE_QUASI;
        bool tree = quasi && s->verdict.unjudged_by[j++];
        if (tree || (unread && hr_attribute_recodes(a) && a->level && hr_attribute_built(a)))
            hr_text_printf(s->summary,
                           "  unjudged  '%s': its hierarchy is built from the original's values\n",
                           a->name);
        if (quasi && !s->has_original && hr_cut_rule_chooses(&a->boundary.cuts))
            hr_text_printf(s->summary,
                           "  unjudged  '%s': its cut points are chosen from the original's "
                           "values; the resolved job has them\n",
                           a->name);
    }
}

static void print_unjudged(const hr_check_session *s) {
    hr_text_puts(s->summary, s->verdict.foreign ? "  original  not compared: no rows are paired\n"
                                                : "  original  not given (--original FILE)\n");
    hr_text_puts(s->summary,
                 s->means ? "  unjudged  whether each published mean is that of its class\n"
                          : "  unjudged  whether each published value covers its original\n");
    list_bounded(s);
    if (s->verdict.uncounted)
        hr_text_printf(s->summary,
                       "  unjudged  whether classes have k different '%s': k was judged by rows; "
                       "give --original and --trace\n",
                       s->job.unit);
    if (s->verdict.unreferred)
        hr_text_puts(s->summary, "  unjudged  t, which refers to the input: give --original\n");
    hr_text_puts(s->summary, "  unjudged  whether sensitive and kept values are unchanged, and "
                             "whether rows were added or left out\n");
    list_unknown(s);
}

/* Appends "  warning   " and each of the lines. */
static void print_warnings(const hr_check_session *s, const char *lines) {
    for (const char *at = lines; at && *at; at = strchr(at, '\n') + 1)
        hr_text_printf(s->summary, "  warning   %.*s\n", (int)strcspn(at, "\n"), at);
}

static void print_cautions(const hr_check_session *s) {
    const hr_verdict *v = &s->verdict;
    uint64_t all = v->compared ? s->original.table->rows : v->rows + v->left_out;
    hr_text suppressed = {0};
    if (v->hidden)
        hr_text_printf(
            s->summary,
            "  warning   %llu sensitive value%s %s, which stand%s for no value and %s not "
            "count towards p\n",
            (unsigned long long)v->hidden, v->hidden == 1 ? " is" : "s are", v->hidden_words.data,
            v->hidden == 1 ? "s" : "", v->hidden == 1 ? "does" : "do");
    print_warnings(s, v->cautions.data);
    print_key_warnings(s);
    if (all >= v->rows && hr_caution_suppressed(all - v->rows, all, &suppressed))
        hr_text_printf(s->summary, "  warning   %s\n", suppressed.data ? suppressed.data : "");
    s->summary->failed |= suppressed.failed;
    hr_text_free(&suppressed);
}

/* Appends what k counts, if the job has units. */
static void print_unit(const hr_check_session *s) {
    if (s->verdict.uncounted)
        hr_text_puts(s->summary, "; counted in rows");
    else if (s->verdict.facts.people)
        hr_text_printf(s->summary, "; counted in people (different '%s')", s->job.unit);
}

void hr_check_write_summary(const hr_check_session *s) {
    const hr_verdict *v = &s->verdict;
    char *shown = hr_address_masked(s->name, NULL);
    hr_text_printf(s->summary, "%s: %s\n", shown ? shown : "", s->holds ? "yes" : "no");
    s->summary->failed |= !shown;
    free(shown);
    hr_text_printf(s->summary, "  rows      %llu in %u class%s", (unsigned long long)v->rows,
                   v->facts.count, v->facts.count == 1 ? "" : "es");
    if (v->left_out)
        hr_text_printf(s->summary, ", %llu left out as suppressed",
                       (unsigned long long)v->left_out);
    hr_text_printf(s->summary, "\n");
    for (size_t i = 0; hr_models[i]; i++) {
        const hr_model *model = hr_models[i];
        if (!is_shown(s, i)) continue;
        hr_text_printf(s->summary, "  %-9s ", model->options->name);
        hr_model_print(model, v->achieved[i], s->summary);
        hr_text_puts(s->summary, ", ");
        hr_asked_print(model, &s->job.asked, s->summary);
        if (i == 0) print_unit(s);
        hr_text_puts(s->summary, "\n");
    }
    hr_achieved_lines(&(hr_achieved){&s->job, v->achieved_in, v->worst_in, &v->facts, &v->classes},
                      "  sensitive ", s->summary);
    hr_promises_key_lines(s->promises, s->job.asked.k, "  keys      ", s->summary);
    print_judged(s);
    if (v->compared)
        hr_text_printf(s->summary,
                       "  original  %llu value%s past a boundary, %llu not %s, %llu changed\n",
                       (unsigned long long)v->violations, plural(v->violations),
                       (unsigned long long)v->uncovered, s->means ? "the mean" : "covered",
                       (unsigned long long)v->changed);
    else
        print_unjudged(s);
    if (s->missing.count) {
        hr_text_puts(s->summary, "  unjudged  what is asked of the columns that the file lacks: ");
        hr_name_list_print(&s->missing, s->summary);
        hr_text_puts(s->summary, "\n");
    }
    if (s->request->certificate) print_proof(s);
    print_failures(s);
    print_cautions(s);
}
