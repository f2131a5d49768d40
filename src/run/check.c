/* check.c - does a table satisfy the job? Works on the output of any tool: it judges the table
 * that a reader sees, and, if the original is given, that every value lies within its boundary
 * and covers its original. */
#include "run/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

static void add_leftover(hr_leftover *leftover, const char *name) {
    hr_text_printf(&leftover->names, "%s'%s'", leftover->count++ ? ", " : "", name);
}

/* Columns that a release must not contain are reported, not read. */
static hr_status choose(const char *const *names, size_t count, bool *keep, void *payload,
                        hr_error *err) {
    hr_check_session *s = payload;
    for (size_t i = 0; i < count; i++) {
        const hr_attribute *attribute = hr_attribute_find(&s->job, names[i]);
        hr_role role = attribute ? attribute->role : HR_ROLE_NONE;
        keep[i] = hr_role_released(role);
        if (role == HR_ROLE_IDENTIFIER) add_leftover(&s->identifiers, names[i]);
        if (role == HR_ROLE_DROP) add_leftover(&s->dropped, names[i]);
        if (role == HR_ROLE_NONE)
            hr_notice(s->watch, "column '%s' has no role in the job and is not judged", names[i]);
    }
    if (s->identifiers.names.failed || s->dropped.names.failed)
        return hr_fail(err, HR_ENOMEM, "out of memory");
    return HR_OK;
}

static hr_status choose_lent(hr_check_session *s, hr_error *err) {
    const hr_table *table = s->request->masked_table;
    for (size_t i = 0; i < table->column_count; i++) {
        const char *name = table->columns[i].name;
        bool keep;
        HR_TRY(choose(&name, 1, &keep, s, err));
    }
    s->masked = table;
    return HR_OK;
}

/* The delimiter of a release is detected; the job's is needed only if it cannot be detected. */
static char masked_delimiter(const hr_job *job) {
    char given = job->format.delimiter;
    return given && strchr(",;\t|", given) ? 0 : given;
}

static hr_status read_masked(hr_check_session *s, hr_error *err) {
    if (s->request->masked_table) return choose_lent(s, err);
    hr_read_options options = {
        .delimiter = masked_delimiter(&s->job), .choose = choose, .payload = s, .watch = s->watch};
    HR_TRY(hr_table_load(s->name, &options, &s->read, err));
    s->masked = s->read;
    return HR_OK;
}

/* What must be known of the original: the ranges of bins, and the values that hierarchies are built
 * from. */
static void find_needs(const hr_job *job, bool *bins, bool *recipes) {
    for (size_t i = 0; i < job->attribute_count; i++) {
        *bins = *bins || job->attributes[i].bins;
        *recipes = *recipes || job->attributes[i].recipe;
    }
}

/* Without the original the input of the job is read for what must be known of it. */
static hr_status read_ranges(hr_check_session *s, hr_error *err) {
    bool bins = false, recipes = false;
    find_needs(&s->job, &bins, &recipes);
    if (!bins && !recipes) return HR_OK;
    hr_error why = {.code = HR_EIO, .message = "the job's input is not at hand"};
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
                  "give --original",
                  why.message);
    if (recipes)
        hr_notice(s->watch,
                  "%s: values of hierarchies that are built from it are not judged; give "
                  "--original",
                  why.message);
    return HR_OK;
}

static hr_status read_tables(hr_check_session *s, hr_error *err) {
    HR_TRY(read_masked(s, err));
    if (!s->has_original) return read_ranges(s, err);
    HR_TRY(hr_dataset_load(&s->job, s->watch, &s->original, err));
    if (!s->request->trace) return HR_OK;
    return hr_trace_read(s->request->trace, s->original.table->rows, s->masked->rows, s->watch,
                         &s->row, err);
}

/* ---- judging ---- */

static hr_status judge(hr_check_session *s, hr_error *err) {
    hr_verify_request request = {.job = &s->job,
                                 .masked = s->masked,
                                 .original = s->has_original ? &s->original : NULL,
                                 .ranges = s->ranges.table ? &s->ranges : NULL,
                                 .row = s->row,
                                 .enforce_boundaries = s->enforce,
                                 .means = s->means,
                                 .suppressed_as = s->request->suppressed_as,
                                 .watch = s->watch};
    HR_TRY(hr_verify(&request, &s->verdict, err));
    s->holds = s->verdict.holds && !s->identifiers.count && !s->dropped.count;
    if (!s->request->certificate) return HR_OK;
    HR_TRY(hr_certificate_check(s->request->certificate, &s->original, &s->job.asked, !s->enforce,
                                s->watch, &s->proof, err));
    s->holds = s->holds && s->proof.holds;
    return HR_OK;
}

/* ---- the result ---- */

/* What k or p achieves, whole numbers: 0 if no row is judged, -1 if it has no meaning. */
static int64_t achieved(const hr_verdict *v, size_t model) {
    if (v->facts.count == 0) return hr_models[model]->needs && !v->facts.sensitive_count ? -1 : 0;
    return isnan(v->achieved[model]) ? -1 : (int64_t)v->achieved[model];
}

/* Does class g violate a model other than k and p? */
static bool violates_other(const hr_verdict *v, uint32_t g, const hr_requirements *asked) {
    hr_known class = hr_facts_group(&v->facts, g);
    for (size_t i = HR_MODELS_KP; hr_models[i]; i++)
        if (hr_model_in_play(hr_models[i], asked) && !hr_models[i]->holds(&class, asked))
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
                                .certified = s->request->certificate != NULL,
                                .bound_claimed = s->proof.claimed,
                                .bound_proved = s->proof.proved,
                                .bound_holds = s->proof.holds};
    for (uint32_t g = 0; g < v->facts.count; g++)
        figures.failing_classes += violates_other(v, g, &s->job.asked);
    for (uint32_t g = 0; g < v->facts.count && s->job.asked.p > 1; g++)
        figures.poor_classes += hr_facts_least_values(&v->facts, g) < s->job.asked.p;
    for (size_t i = 0, j = 0; v->unknown_by && i < s->job.attribute_count; i++)
        if (s->job.attributes[i].role == HR_ROLE_QUASI) figures.unknown += v->unknown_by[j++];
    return figures;
}

/* The reasons for a no are the lines of the summary that begin with "fails". */
static hr_status list_reasons(hr_check *check, hr_error *err) {
    static const char mark[] = "\n  fails     ";
    size_t count = 0, i = 0;
    for (const char *at = check->summary.data; (at = strstr(at, mark)); at++)
        count++;
    check->reasons = hr_alloc(count + 1, sizeof *check->reasons, err);
    if (!check->reasons) return HR_ENOMEM;
    for (const char *at = check->summary.data; (at = strstr(at, mark));) {
        at += sizeof mark - 1;
        check->reasons[i] = hr_copy_text(at, strcspn(at, "\n"), err);
        if (!check->reasons[i++]) return HR_ENOMEM;
    }
    return HR_OK;
}

static hr_status make_result(hr_check_session *s, hr_check *out, hr_error *err) {
    out->figures = figures_of(s);
    out->asked = s->job.asked;
    memcpy(out->achieved, s->verdict.achieved, sizeof out->achieved);
    s->summary = &out->summary;
    hr_check_write_summary(s);
    if (out->summary.failed) return hr_fail(err, HR_ENOMEM, "out of memory");
    out->name = hr_copy_text(s->name, strlen(s->name), err);
    if (!out->name) return HR_ENOMEM;
    return list_reasons(out, err);
}

/* ---- the whole ---- */

static hr_status start(hr_check_session *s, hr_error *err) {
    const hr_check_request *r = s->request;
    if (!r->masked && !r->masked_table)
        return hr_fail(err, HR_EINVAL, "a check needs a masked table, or the path of one");
    s->has_original = r->original || r->original_table;
    if (r->trace && !s->has_original)
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
    if (request->size < sizeof *request)
        return hr_fail(err, HR_EINVAL, "hr_check_request: set `size` to sizeof(hr_check_request)");
    hr_check_session s = {.request = request, .job = *job, .watch = &own};
    hr_check *check = hr_alloc(1, sizeof *check, err);
    hr_status status = check ? start(&s, err) : HR_ENOMEM;
    if (status == HR_OK) status = read_tables(&s, err);
    if (status == HR_OK) status = judge(&s, err);
    if (status == HR_OK) status = make_result(&s, check, err);
    hr_verdict_free(&s.verdict);
    free(s.row);
    hr_dataset_free(&s.original);
    hr_dataset_free(&s.ranges);
    hr_table_free(s.read);
    hr_text_free(&s.identifiers.names);
    hr_text_free(&s.dropped.names);
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

const char *hr_check_summary(const hr_check *check) {
    return check->summary.data;
}

const char *hr_check_reason(const hr_check *check, size_t i) {
    size_t count = 0;
    while (check->reasons[count])
        count++;
    return i < count ? check->reasons[i] : NULL;
}

void hr_check_free(hr_check *check) {
    if (!check) return;
    for (size_t i = 0; check->reasons && check->reasons[i]; i++)
        free(check->reasons[i]);
    free(check->reasons);
    free(check->name);
    hr_text_free(&check->summary);
    free(check);
}
