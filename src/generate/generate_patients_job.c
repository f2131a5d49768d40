/* generate_patients_job.c - the columns of patients.csv and the job for them. Builders make all
 * hierarchies, so that the job needs no other file. */
#include "generate/generate.h"

const char *const hr_patient_names[2][HR_PATIENT_COLUMNS] = {
    {"visit_number", "patient_number", "name", "birth_date", "sex", "zip", "insurance",
     "admission_date", "length_of_stay", "department", "icd10", "weight_kg", "height_cm",
     "hemoglobin", "cost"},
    {"Fallnummer", "Patientennummer", "Name", "Geburtsdatum", "Geschlecht", "PLZ", "Versicherung",
     "Aufnahmedatum", "Verweildauer", "Fachabteilung", "Hauptdiagnose", "Gewicht_kg", "Größe_cm",
     "Hämoglobin", "Kosten"}};

/* How each column is described; `%s` is the format of German dates. */
static const char *const entries[HR_PATIENT_COLUMNS] = {
    [HR_PATIENT_VISIT] = "{role: identifier}",
    [HR_PATIENT_NUMBER] = "{role: identifier}",
    [HR_PATIENT_NAME] = "{role: identifier}",
    [HR_PATIENT_BIRTH] =
        "{role: quasi, hierarchy: {date: [month, year, 5 years, 10 years, 20 years]%s}}",
    [HR_PATIENT_SEX] = "{role: quasi, hierarchy: flat}",
    [HR_PATIENT_POSTAL] = "{role: quasi, hierarchy: {prefix: [3, 2, 1]}, on_missing: group}",
    [HR_PATIENT_INSURANCE] = "{role: quasi, hierarchy: {frequency: [3]}, on_missing: group}",
    [HR_PATIENT_ADMISSION] = "{role: quasi, hierarchy: {date: [month, quarter, year]%s}}",
    [HR_PATIENT_DAYS] = "{role: quasi, hierarchy: {cuts: [[1, 2, 4, 8, 15, 29], [2, 8, 29], [8]]}}",
    [HR_PATIENT_DEPARTMENT] = "{role: sensitive}",
    [HR_PATIENT_DIAGNOSIS] = "{role: sensitive}",
    [HR_PATIENT_WEIGHT] = "{role: sensitive, bins: 8}",
    [HR_PATIENT_HEIGHT] = "{role: sensitive, bins: 8}",
    [HR_PATIENT_HEMOGLOBIN] = "{role: sensitive, bins: 8}",
    [HR_PATIENT_COST] = "{role: sensitive, bins: 16}"};

/* Comments above some entries. */
static const char *const comments[HR_PATIENT_COLUMNS] = {
    [HR_PATIENT_BIRTH] = "Dates become months, years and ranges of years.",
    [HR_PATIENT_POSTAL] = ("The first digits of a postal code are a region. A missing "
                           "one stays missing or becomes *."),
    [HR_PATIENT_DEPARTMENT] = ("What a reader must not learn about a patient: released as "
                               "it is, p different values in a class."),
    [HR_PATIENT_WEIGHT] = "Numbers: p counts ranges (bins), so that 81 and 82 are one value."};

static void put_entry(const hr_generation *request, int column, hr_text *text) {
    const char *format = request->german ? ", format: '%d.%m.%Y'" : "";
    const char *entry = entries[column], *mark = strstr(entry, "%s");
    if (comments[column]) hr_text_printf(text, "  # %s\n", comments[column]);
    hr_text_printf(text, "  %s: ", hr_patient_names[request->german][column]);
    hr_text_add(text, entry, mark ? (size_t)(mark - entry) : strlen(entry));
    if (mark) hr_text_printf(text, "%s%s", format, mark + 2);
    hr_text_puts(text, "\n");
}

hr_status hr_patients_job(const hr_generation *request, hr_error *err) {
    hr_text text = {0};
    hr_text_printf(&text,
                   "# The %s of a hospital that does not exist, seed %llu.\n"
                   "input: patients.csv\n"
                   "output: patients-masked.csv\n",
                   request->visits ? "stays" : "patients", (unsigned long long)request->seed);
    if (request->visits)
        hr_text_printf(&text,
                       "# k counts stays: a patient with three stays counts three times. To count "
                       "patients,\n# remove the next #.\n# unit: %s\n",
                       hr_patient_names[request->german][1]);
    hr_text_puts(&text, "model: {k: 5, p: 2}\n"
                        "attributes:\n");
    for (int i = request->visits ? 0 : 1; i < HR_PATIENT_COLUMNS; i++)
        put_entry(request, i, &text);
    return hr_generate_file(request, "patients.yaml", &text, err);
}
