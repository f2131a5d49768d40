/* fuzz_plan.c - imports arbitrary bytes as a plan. The head with the hash is put before them, so
 * that the fuzzer gets past it. A plan that was read exports the same bytes, finds its cells, and
 * runs or refuses a row made of the first values that it knows. */
#include "run/plan/plan.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void check_that(bool holds) {
    if (!holds) abort();
}

static void use(const hr_plan *plan, const char *bytes, size_t length) {
    size_t again;
    const char *exported = hr_plan_bytes(plan, &again);
    hr_error err = {0};
    hr_release *release = NULL;
    check_that(again == length && !memcmp(exported, bytes, length));
    for (size_t i = 0; hr_plan_cell_at(plan, i); i++)
        check_that(hr_plan_cell_find(plan, hr_plan_cell_at(plan, i)->key));
    /* The first value of every column. */
    const char *fields[64], *names[64];
    size_t columns = plan->values->column_count;
    if (columns > 64) return;
    for (size_t i = 0; i < columns; i++) {
        names[i] = plan->values->columns[i].name;
        fields[i] = hr_table_code_count(plan->values, i)
                        ? hr_table_code_text(plan->values, i, 0, NULL)
                        : NULL;
    }
    hr_table *table = NULL;
    if (hr_table_new(columns, names, &table, &err) == HR_OK &&
        hr_table_append(table, fields, &err) == HR_OK &&
        hr_plan_run(plan, table, NULL, &release, &err) == HR_OK)
        hr_release_free(release);
    hr_table_free(table);
}

int LLVMFuzzerTestOneInput(const uint8_t *body, size_t length) {
    hr_error err = {0};
    hr_plan *plan;
    char *bytes = malloc(HR_PLAN_HEAD + length);
    if (!bytes) return 0;
    size_t magic = sizeof HR_PLAN_MAGIC - 1;
    memcpy(bytes, HR_PLAN_MAGIC, magic);
    memcpy(bytes + HR_PLAN_HEAD, body, length);
    uint64_t hash = hr_hash(bytes + HR_PLAN_HEAD, length);
    for (size_t i = 0; i < 4; i++)
        bytes[magic + i] = i ? 0 : HR_PLAN_FORMAT;
    for (size_t i = 0; i < 8; i++)
        bytes[magic + 4 + i] = (char)(hash >> (8 * i) & 0xff);
    if (hr_plan_import(bytes, HR_PLAN_HEAD + length, &plan, &err) == HR_OK) {
        use(plan, bytes, HR_PLAN_HEAD + length);
        hr_plan_free(plan);
    } else {
        check_that(err.message[0]); /* refused with a message */
    }
    free(bytes);
    return 0;
}
