/* minimal.c - writes the other releases that the algorithm found, as a CSV list for the owner. */
#include "run/run.h"

#include <string.h>

static void write_field(const char *text, bool last, void *payload) {
    hr_csv_field(payload, text, strlen(text), ',');
    hr_output_puts(payload, last ? "\n" : ",");
}

hr_status hr_minimal_write(hr_output *output, const hr_findings *findings, hr_error *err) {
    return findings->list_alternatives(findings, write_field, output, err);
}
