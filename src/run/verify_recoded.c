/* verify_recoded.c - kept columns that are recoded. With the original, every value must be what the
 * recoding makes of its original; without it, a value that the recoding can give. */
#include "run/verify.h"

#include <stdlib.h>
#include <string.h>

static void count_bad(const hr_verifier *c, size_t attribute, size_t row) {
    hr_verdict *v = c->verdict;
    if (v->unrecoded_by[attribute]++ == 0) v->first_unrecoded_by[attribute] = row + 1;
    v->unrecoded++;
    v->holds = false;
}

/* code[i] is the code of masked text i among the texts of the recoding. */
static void compare_rows(const hr_verifier *c, const hr_recoding *r, size_t attribute,
                         const hr_column *masked, const uint32_t *code) {
    for (size_t row = 0; row < masked->rows; row++) {
        if (c->verdict->classes.of_row[row] == HR_NONE) continue;
        size_t original = c->row ? c->row[row] : row;
        uint32_t wanted = r->of_code[hr_column_code(r->column, original)];
        if (code[hr_column_code(masked, row)] != wanted) count_bad(c, attribute, row);
    }
}

/* bad[i] is HR_NONE if no original is recoded to masked text i. */
static void judge_rows(const hr_verifier *c, size_t attribute, const hr_column *masked,
                       const uint32_t *bad) {
    for (size_t row = 0; row < masked->rows; row++)
        if (c->verdict->classes.of_row[row] != HR_NONE &&
            bad[hr_column_code(masked, row)] == HR_NONE)
            count_bad(c, attribute, row);
}

static hr_status judge_column(const hr_verifier *c, const hr_recoding *r, size_t attribute,
                              bool paired) {
    const hr_column *masked = hr_table_find(c->request->masked, r->attribute->name);
    const hr_dictionary *texts = &masked->dictionary;
    uint32_t *code = hr_alloc(texts->count, sizeof *code, c->err);
    if (!code) return HR_ENOMEM;
    for (uint32_t i = 0; i < texts->count; i++) {
        if (paired)
            code[i] = hr_recoding_match(r, texts, i);
        else if (!hr_recoding_gives(r, &c->missing, texts, i))
            code[i] = HR_NONE;
    }
    if (paired)
        compare_rows(c, r, attribute, masked, code);
    else
        judge_rows(c, attribute, masked, code);
    free(code);
    return HR_OK;
}

static hr_status judge(const hr_verifier *c, const hr_recodings *recodings, bool paired) {
    const hr_job *job = c->request->job;
    hr_verdict *v = c->verdict;
    v->unrecoded_by = hr_alloc(job->attribute_count, sizeof *v->unrecoded_by, c->err);
    v->first_unrecoded_by = hr_alloc(job->attribute_count, sizeof *v->first_unrecoded_by, c->err);
    if (!v->unrecoded_by || !v->first_unrecoded_by) return HR_ENOMEM;
    for (size_t i = 0; i < job->attribute_count; i++) {
        const hr_recoding *r = hr_recoding_find(recodings, job->attributes[i].name);
        if (r) HR_TRY(judge_column(c, r, i, paired));
    }
    return HR_OK;
}

hr_status hr_verify_recoded(const hr_verifier *c, bool paired) {
    const hr_verify_request *request = c->request;
    const hr_dataset *known = request->original ? request->original : request->ranges;
    if (known) return judge(c, &known->recodings, paired);
    hr_recodings made = {0};
    hr_status status =
        hr_recodings_bind(request->job, NULL, &c->missing, request->watch, &made, c->err);
    if (status == HR_OK) status = judge(c, &made, paired);
    hr_recodings_free(&made);
    return status;
}
