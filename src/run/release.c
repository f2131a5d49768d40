/* release.c - a release in memory: read access for programs. */
#include "run/run.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

const hr_table *hr_release_table(const hr_release *release) {
    return release->masked.table;
}

const char *hr_release_report(const hr_release *release) {
    return release->report;
}

/* The hash of the release is computed only here: it takes about as long as writing the release. */
static hr_status make_page(const hr_release *release, bool public, char **out, hr_error *err) {
    char digest[HR_SHA256_TEXT];
    hr_text page = {0};
    *out = NULL;
    HR_TRY(hr_table_digest(release->masked.table, &release->account.method.notation, digest, err));
    if (public)
        hr_page_public(&release->account, digest, &page);
    else
        hr_page_report(&release->account, release->lost, digest, &page);
    return hr_text_take(&page, out, err);
}

hr_status hr_release_report_html(const hr_release *release, char **out, hr_error *err) {
    return make_page(release, false, out, err);
}

hr_status hr_release_public_report_html(const hr_release *release, char **out, hr_error *err) {
    return make_page(release, true, out, err);
}

hr_status hr_release_part_html(const hr_release *release, char **out, hr_error *err) {
    hr_text part = {0};
    *out = NULL;
    hr_page_part(&release->account, true, &part);
    return hr_text_take(&part, out, err);
}

const char *hr_release_summary(const hr_release *release) {
    return release->summary;
}

const hr_figures *hr_release_figures(const hr_release *release) {
    return &release->figures;
}

bool hr_release_measure(const hr_release *release, const char *name, double *value) {
    for (size_t i = 0; hr_measures[i]; i++)
        if (!strcmp(hr_measures[i]->name, name)) {
            *value = release->measures[i];
            return true;
        }
    return false;
}

bool hr_release_achieved(const hr_release *release, const char *parameter, double *asked,
                         double *achieved) {
    size_t i = hr_model_find(parameter);
    if (i == SIZE_MAX) return false;
    *asked = hr_model_asked(hr_models[i], &release->asked);
    *achieved = release->achieved[i];
    return true;
}

bool hr_release_attribute(const hr_release *release, size_t i, hr_attribute_figures *out) {
    if (i >= release->promises.attribute_count) return false;
    *out = release->promises.attributes[i];
    return true;
}

bool hr_release_keys(const hr_release *release, size_t i, hr_key_figures *out) {
    if (i >= release->promises.key_count) return false;
    *out = release->promises.keys[i];
    return true;
}

const char *hr_release_warning(const hr_release *release, size_t i) {
    return i < release->warning_count ? release->warnings[i] : NULL;
}

const char *hr_release_caution(const hr_release *release, size_t i) {
    return hr_release_warning(release, release->first_caution + i);
}

const hr_lost *hr_release_lost(const hr_release *release) {
    return release->lost;
}

size_t hr_release_input_rows(const hr_release *release) {
    return release->input_rows;
}

uint32_t hr_release_row(const hr_release *release, size_t input_row) {
    assert(input_row < release->input_rows);
    return release->masked.place[input_row];
}

uint32_t hr_release_class(const hr_release *release, size_t input_row) {
    uint32_t row = hr_release_row(release, input_row);
    return row == HR_NONE ? HR_NONE : release->class_of_row[row];
}

uint32_t hr_release_input_row(const hr_release *release, size_t released_row) {
    assert(released_row < release->masked.table->rows);
    return release->masked.row[released_row];
}

void hr_release_free(hr_release *release) {
    if (!release) return;
    hr_masked_table_free(&release->masked);
    free(release->class_of_row);
    free(release->cluster);
    free(release->measures);
    for (size_t i = 0; i < release->warning_count; i++)
        free(release->warnings[i]);
    free(release->warnings);
    free(release->report);
    free(release->summary);
    hr_promises_free(&release->promises);
    hr_lost_free(release->lost);
    hr_account_free(&release->account);
    free(release);
}
