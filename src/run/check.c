/* check.c - checks whether a table satisfies the job. Works on the output of any tool: it judges
 * the table as a reader sees it and, if the original is given, whether every value lies within its
 * boundary and covers its original. */
#include "run/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

/* Notes the first name that differs from a name of the job only in blanks or capitals. */
static void note_alike(hr_check_session *s, const char *name) {
    for (size_t i = 0; i < s->job.attribute_count && !s->alike.length; i++) {
        const char *known = s->job.attributes[i].name;
        if (!strcmp(name, known)) continue;
        if (hr_same_name(name, known))
            hr_text_printf(&s->alike, "there is another column '%s'", known);
        else if (hr_names_alike(name, known))
            hr_text_printf(&s->alike, "'%s' is not '%s': capitals and blanks count", name, known);
    }
}

/* Does hr_table_find return column i for the attribute? Several columns may have its name. */
static bool is_found(const char *attribute, const char *const *names, size_t count, size_t i) {
    if (!strcmp(names[i], attribute)) return true;
    for (size_t other = 0; other < count; other++)
        if (!strcmp(names[other], attribute) || (other < i && hr_same_name(names[other], names[i])))
            return false;
    return true;
}

/* Columns that a release must not contain are reported, not read. */
static hr_status choose(const char *const *names, size_t count, bool *keep, void *payload,
                        hr_error *err) {
    hr_check_session *s = payload;
    HR_TRY(hr_header_match(&s->job, s->request->masked, names, count, err));
    for (size_t i = 0; i < count; i++) {
        const hr_attribute *attribute = hr_attribute_find(&s->job, names[i]);
        hr_role role = attribute ? attribute->role : HR_ROLE_NONE;
        if (attribute && hr_role_released(role) && !is_found(attribute->name, names, count, i))
            role = HR_ROLE_NONE;
        keep[i] = hr_role_released(role);
        if (role == HR_ROLE_IDENTIFIER) hr_name_list_add(&s->identifiers, names[i], 0);
        if (role == HR_ROLE_DROP) hr_name_list_add(&s->dropped, names[i], 0);
        if (role != HR_ROLE_NONE) continue;
        hr_name_list_add(&s->extra, names[i], i + 1);
        note_alike(s, names[i]);
    }
    if (s->alike.failed) return hr_fail(err, HR_ENOMEM, "out of memory");
    return hr_check_find_missing(s, names, count, err);
}

static hr_status choose_lent(hr_check_session *s, hr_error *err) {
    const hr_table *table = s->request->masked_table;
    const char **names = hr_alloc(table->column_count, sizeof *names, err);
    bool *keep = hr_alloc(table->column_count, sizeof *keep, err);
    hr_status status = names && keep ? HR_OK : HR_ENOMEM;
    for (size_t i = 0; status == HR_OK && i < table->column_count; i++)
        names[i] = table->columns[i].name;
    if (status == HR_OK) status = choose(names, table->column_count, keep, s, err);
    free(names);
    free(keep);
    s->masked = table;
    return status;
}

/* The delimiter of a release is detected; the job's is needed only if it cannot be detected. */
static char masked_delimiter(const hr_job *job) {
    char given =
        job->format.output_delimiter ? job->format.output_delimiter : job->format.delimiter;
    return given && strchr(",;\t|", given) ? 0 : given;
}

static hr_status read_masked(hr_check_session *s, hr_error *err) {
    if (s->request->masked_table) return choose_lent(s, err);
    hr_read_options options = {.delimiter = masked_delimiter(&s->job),
                               .encoding = s->job.format.encoding,
                               .utf8_first = true,
                               .alike = true,
                               .choose = choose,
                               .payload = s,
                               .watch = s->watch};
    HR_TRY(hr_table_load(s->name, &options, &s->read, err));
    s->masked = s->read;
    return HR_OK;
}

/* Finds out what a check needs of the original: the ranges of bins, and the values from which
 * hierarchies are built, by recipes or (*any) flat ones. */
static void find_needs(const hr_job *job, bool *bins, bool *recipes, bool *any) {
    for (size_t i = 0; i < job->attribute_count; i++) {
        const hr_attribute *a = &job->attributes[i];
        bool needs = hr_attribute_needs_data(a);
        *bins = *bins || (needs && a->bins);
        *recipes = *recipes || (needs && a->recipe);
        *any = *any || hr_attribute_has_range(a);
    }
}

/* Without an original, reads what the check needs from the input of the job. */
static hr_status read_ranges(hr_check_session *s, hr_error *err) {
    bool bins = false, recipes = false, any = false;
    find_needs(&s->job, &bins, &recipes, &any);
    if (!any) return HR_OK;
    hr_error why = {.code = HR_EIO, .message = "the job's input cannot be read"};
    hr_status status = HR_EIO;
    if (s->input && strcmp(s->input, "-")) {
        s->job.input.path = s->input;
        s->job.input.table = NULL;
        status = hr_dataset_load_ranges(&s->job, s->watch, &s->ranges, &why);
    }
    if (status == HR_ENOMEM || status == HR_ECANCEL) return hr_fail(err, status, "%s", why.message);
    if (status == HR_OK) return HR_OK;
    if (bins)
        hr_notice(s->watch,
                  "%s: p is judged with bins of the masked file's own range, which may differ; "
                  "give --original, or the resolved job (anonymize --resolved FILE)",
                  why.message);
    if (recipes)
        hr_notice(s->watch,
                  "%s: values of hierarchies that are built from it are not judged; give "
                  "--original, or the resolved job (anonymize --resolved FILE)",
                  why.message);
    return HR_OK;
}

static hr_status read_tables(hr_check_session *s, hr_error *err) {
    HR_TRY(read_masked(s, err));
    if (!s->has_original) return read_ranges(s, err);
    HR_TRY(hr_dataset_load(&s->job, s->watch, &s->original, err));
    hr_requirements asked = hr_job_asked(&s->job);
    HR_TRY(hr_cuts_choose(&s->original.data, &asked, s->watch, err));
    size_t rows = s->original.table->rows, masked_rows = s->masked->rows;
    if (s->request->trace)
        return hr_trace_read(s->request->trace, rows, masked_rows, s->watch, &s->trace, err);
    if (!s->has_trace) return HR_OK;
    return hr_trace_take("the trace", s->request->trace_table, rows, masked_rows, &s->trace, err);
}

/* ---- judging ---- */

static hr_status judge(hr_check_session *s, hr_error *err) {
    hr_verify_request request = {.job = &s->job,
                                 .masked = s->masked,
                                 .original = s->has_original ? &s->original : NULL,
                                 .ranges = s->ranges.table ? &s->ranges : NULL,
                                 .trace = s->has_trace ? &s->trace : NULL,
                                 .cautious = true,
                                 .enforce_boundaries = s->enforce,
                                 .means = s->means,
                                 .suppressed_as = s->request->suppressed_as,
                                 .watch = s->watch};
    HR_TRY(hr_verify(&request, &s->verdict, err));
    s->holds = s->verdict.holds && !s->identifiers.count && !s->dropped.count && !s->extra.count &&
               !s->missing.count;
    if (!s->request->certificate) return HR_OK;
    HR_TRY(hr_certificate_check(s->request->certificate, &s->job, &s->original, &s->job.asked,
                                !s->enforce, s->watch, &s->proof, err));
    s->holds = s->holds && s->proof.holds;
    return HR_OK;
}

/* ---- the result ---- */

/* The achieved k or p as a whole number: 0 if no row was judged, -1 if it has no meaning. */
static int64_t achieved(const hr_verdict *v, size_t model) {
    if (v->facts.count == 0) return hr_models[model]->needs && !v->facts.sensitive_count ? -1 : 0;
    return isnan(v->achieved[model]) ? -1 : (int64_t)v->achieved[model];
}

/* Does class g violate a model other than k and p? */
static bool violates_other(const hr_verdict *v, uint32_t g, const hr_requirements *asked) {
    hr_known class = hr_facts_group(&v->facts, g);
    for (size_t i = HR_MODELS_KP; hr_models[i]; i++)
        if (hr_model_in_play(hr_models[i], asked) && !hr_model_holds(hr_models[i], &class, asked))
            return true;
    return false;
}

static hr_check_figures figures_of(const hr_check_session *s) {
    const hr_verdict *v = &s->verdict;
    hr_check_figures figures = {.holds = s->holds,
                                .rows = v->rows,
                                .left_out = v->left_out,
                                .classes = v->facts.count,
                                .k = s->job.asked.k,
                                .p = s->job.asked.p,
                                .achieved_k = achieved(v, 0),
                                .achieved_p = achieved(v, 1),
                                .small_classes = v->small_classes,
                                .identifiers = s->identifiers.count,
                                .dropped_columns = s->dropped.count,
                                .compared = v->compared,
                                .violations = v->violations,
                                .uncovered = v->uncovered,
                                .changed = v->changed,
                                .too_fine = v->too_fine,
                                .unrecoded = v->unrecoded,
                                .past_boundary = v->past,
                                .extra_columns = s->extra.count,
                                .hidden = v->hidden,
                                .missing_columns = s->missing.count,
                                .foreign_trace = v->foreign != NULL,
                                .certified = s->request->certificate != NULL,
                                .bound_claimed = s->proof.claimed,
                                .bound_proved = s->proof.proved,
                                .bound_holds = s->proof.holds};
    for (uint32_t g = 0; g < v->facts.count; g++)
        figures.failing_classes += violates_other(v, g, &s->job.asked);
    for (uint32_t g = 0; g < v->facts.count && s->job.asked.p > 1; g++)
        figures.poor_classes += hr_facts_least_values(&v->facts, g) < s->job.asked.p;
    for (size_t i = 0, j = 0; !v->compared && i < s->job.attribute_count; i++)
        if (s->job.attributes[i].role == HR_ROLE_QUASI) figures.unknown += v->unknown_by[j++];
    return figures;
}

/* Lists the lines of the summary that begin with a word. */
static hr_status list_lines(const char *summary, const char *word, char ***out, hr_error *err) {
    char mark[16];
    int length = snprintf(mark, sizeof mark, "\n  %-9s ", word);
    size_t count = 0, i = 0;
    for (const char *at = summary; (at = strstr(at, mark)); at++)
        count++;
    *out = hr_alloc(count + 1, sizeof **out, err);
    if (!*out) return HR_ENOMEM;
    for (const char *at = summary; (at = strstr(at, mark));) {
        at += length;
        (*out)[i] = hr_copy_text(at, strcspn(at, "\n"), err);
        if (!(*out)[i++]) return HR_ENOMEM;
    }
    return HR_OK;
}

static hr_status make_result(hr_check_session *s, hr_check *out, hr_error *err) {
    out->figures = figures_of(s);
    out->asked = s->job.asked;
    memcpy(out->achieved, s->verdict.achieved, sizeof out->achieved);
    const hr_achieved achieved = {&s->job, s->verdict.achieved_in, s->verdict.worst_in,
                                  &s->verdict.facts, &s->verdict.classes};
    HR_TRY(hr_promises_make(&achieved, s->verdict.keys, s->verdict.key_count, &out->promises, err));
    s->promises = &out->promises;
    s->summary = &out->summary;
    hr_check_write_summary(s);
    if (out->summary.failed) return hr_fail(err, HR_ENOMEM, "out of memory");
    out->name = hr_address_masked(s->name, err);
    if (!out->name) return HR_ENOMEM;
    HR_TRY(list_lines(out->summary.data, "fails", &out->reasons, err));
    HR_TRY(list_lines(out->summary.data, "unjudged", &out->unjudged, err));
    return list_lines(out->summary.data, "warning", &out->warnings, err);
}

/* ---- the whole ---- */

static hr_status start(hr_check_session *s, hr_error *err) {
    const hr_check_request *r = s->request;
    if (!r->masked && !r->masked_table)
        return hr_fail(err, HR_EINVAL, "a check needs a masked table, or the path of one");
    s->has_original = r->original || r->original_table;
    s->has_trace = r->trace || r->trace_table;
    if (s->has_trace && !s->has_original)
        return hr_fail(err, HR_EINVAL, "--trace pairs rows with the original: give --original too");
    if (r->certificate && !s->has_original)
        return hr_fail(err, HR_EINVAL,
                       "--certificate proves something of the original: give --original too");
    s->name = r->masked ? r->masked : "the table";
    s->input = s->job.input.path;
    s->job.input.path = s->has_original ? r->original : s->name;
    s->job.input.table = r->original_table;
    hr_job_write_nothing(&s->job);
    HR_TRY(hr_job_complete(&s->job, err));
    if (s->has_original)
        HR_TRY(hr_job_check_standard_input(&s->job, "the masked file", r->masked, err));
    hr_choice choice;
    HR_TRY(hr_job_choose_algorithm(&s->job, &choice, err));
    s->enforce = !choice.count_boundaries;
    s->means = hr_publishes_means(choice.algorithm);
    return HR_OK;
}

hr_status hr_job_check(const hr_job *job, const hr_check_request *request, const hr_watch *watch,
                       hr_check **out, hr_error *err) {
    hr_watch own;
    *out = NULL;
    HR_TRY(hr_watch_copy(watch, &own, err));
    HR_TRY(hr_job_check_counts(job, err));
    if (request->size < sizeof *request)
        return hr_fail(err, HR_EINVAL, "hr_check_request: set `size` to sizeof(hr_check_request)");
    hr_check_session s = {.request = request, .job = *job, .watch = &own};
    hr_check *check = hr_alloc(1, sizeof *check, err);
    hr_status status = check ? start(&s, err) : HR_ENOMEM;
    if (status == HR_OK) status = read_tables(&s, err);
    if (status == HR_OK) status = judge(&s, err);
    if (status == HR_OK) status = make_result(&s, check, err);
    hr_verdict_free(&s.verdict);
    hr_trace_free(&s.trace);
    hr_dataset_free(&s.original);
    hr_dataset_free(&s.ranges);
    hr_table_free(s.read);
    hr_name_list_free(&s.identifiers);
    hr_name_list_free(&s.dropped);
    hr_name_list_free(&s.extra);
    hr_name_list_free(&s.missing);
    hr_arena_free(&s.arena);
    hr_text_free(&s.alike);
    if (status == HR_OK)
        *out = check;
    else
        hr_check_free(check);
    return status;
}

const hr_check_figures *hr_check_result(const hr_check *check) {
    return &check->figures;
}

bool hr_check_achieved(const hr_check *check, const char *parameter, double *asked,
                       double *achieved) {
    size_t i = hr_model_find(parameter);
    if (i == SIZE_MAX) return false;
    *asked = hr_model_asked(hr_models[i], &check->asked);
    *achieved = check->achieved[i];
    return true;
}

bool hr_check_attribute(const hr_check *check, size_t i, hr_attribute_figures *out) {
    if (i >= check->promises.attribute_count) return false;
    *out = check->promises.attributes[i];
    return true;
}

bool hr_check_keys(const hr_check *check, size_t i, hr_key_figures *out) {
    if (i >= check->promises.key_count) return false;
    *out = check->promises.keys[i];
    return true;
}

const char *hr_check_summary(const hr_check *check) {
    return check->summary.data;
}

static const char *line_at(char *const *lines, size_t i) {
    size_t count = 0;
    while (lines[count])
        count++;
    return i < count ? lines[i] : NULL;
}

const char *hr_check_reason(const hr_check *check, size_t i) {
    return line_at(check->reasons, i);
}

const char *hr_check_unjudged(const hr_check *check, size_t i) {
    return line_at(check->unjudged, i);
}

const char *hr_check_warning(const hr_check *check, size_t i) {
    return line_at(check->warnings, i);
}

static void free_lines(char **lines) {
    for (size_t i = 0; lines && lines[i]; i++)
        free(lines[i]);
    free(lines);
}

void hr_check_free(hr_check *check) {
    if (!check) return;
    free_lines(check->reasons);
    free_lines(check->unjudged);
    free_lines(check->warnings);
    hr_promises_free(&check->promises);
    free(check->name);
    hr_text_free(&check->summary);
    free(check);
}
