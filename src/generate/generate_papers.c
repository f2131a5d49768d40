/* generate_papers.c - the four synthetic sets of Truta et al. 2008, section 5 (its Table 5): one
 * numeric and three categorical quasi-identifiers, two categorical sensitive attributes. The first
 * letter of a set's name is the distribution of its quasi-identifiers, the second that of its
 * sensitive attributes: u uniform, n normal. Every column has its own random stream, so that
 * sets with the same seed and a common letter have the same columns for that letter. */
#include "generate/generate.h"

#include <math.h>

enum { COLUMNS = 6, QUASI = 4, NUMBERS = 100, LETTERS = 8 };

typedef struct {
    hr_random random[COLUMNS];
    bool normal[COLUMNS];
} columns;

/* Normal with mean width / 2 and deviation width / 6; values outside of 0 .. width are drawn
 * again. */
static double normal_within(hr_random *random, double width) {
    double value;
    do
        value = width / 2 + width / 6 * hr_random_normal(random);
    while (value < 0 || value > width);
    return value;
}

static uint32_t draw_number(hr_random *random, bool normal) {
    if (!normal) return (uint32_t)hr_random_below(random, NUMBERS);
    return (uint32_t)floor(normal_within(random, NUMBERS - 1) + 0.5);
}

/* The normal distribution over 0 .. 8, divided at whole numbers. */
static uint32_t draw_letter(hr_random *random, bool normal) {
    if (!normal) return (uint32_t)hr_random_below(random, LETTERS);
    uint32_t letter = (uint32_t)normal_within(random, LETTERS);
    return letter < LETTERS ? letter : LETTERS - 1;
}

static char *put_row(char *to, void *payload) {
    columns *set = payload;
    to = hr_generate_number(to, draw_number(&set->random[0], set->normal[0]));
    for (int i = 1; i < COLUMNS; i++) {
        *to++ = ',';
        *to++ = (char)('a' + draw_letter(&set->random[i], set->normal[i]));
    }
    return to;
}

/* Intervals of 10 and 50 numbers, then the root. */
static hr_status write_numbers(const hr_generation *request, hr_error *err) {
    hr_text text = {0};
    for (int i = 0; i < NUMBERS; i++) {
        int ten = i / 10 * 10, fifty = i / 50 * 50;
        hr_text_printf(&text, "%d;%d-%d;%d-%d;*\n", i, ten, ten + 9, fifty, fifty + 49);
    }
    return hr_generate_file(request, "hierarchies/QI_N.csv", &text, err);
}

/* A binary tree over a .. h: pairs, then pairs of pairs, then the root. */
static hr_status write_letters(const hr_generation *request, hr_error *err) {
    const char *letters = "abcdefgh";
    hr_text text = {0};
    for (int i = 0; i < LETTERS; i++)
        hr_text_printf(&text, "%c;%.2s;%.4s;*\n", letters[i], letters + (i - i % 2),
                       letters + (i - i % 4));
    return hr_generate_file(request, "hierarchies/QI_C.csv", &text, err);
}

static const char *shape(char letter) {
    return letter == 'n' ? "normal" : "uniform";
}

/* Writes the job; `variant` is part of its name and of the name of its output. */
static hr_status write_job(const hr_generation *request, const char *variant, const char *numeric,
                           hr_error *err) {
    hr_text name = {0}, text = {0};
    hr_text_printf(&name, "%s%s.yaml", request->kind, variant);
    hr_text_printf(
        &text,
        "# %s: a synthetic data set, %s quasi-identifiers, %s sensitive values, seed %llu.\n"
        "input: %s.csv\n"
        "output: %s%s-masked.csv\n"
        "model: {k: 20, p: 2}\n"
        "attributes:\n"
        "  QI_N:  {role: quasi, %s}\n",
        request->kind, shape(request->kind[0]), shape(request->kind[1]),
        (unsigned long long)request->seed, request->kind, request->kind, variant, numeric);
    for (int i = 1; i < QUASI; i++)
        hr_text_printf(&text, "  QI_C%d: {role: quasi, hierarchy: hierarchies/QI_C.csv}\n", i);
    hr_text_puts(&text, "  S_C1:  {role: sensitive}\n"
                        "  S_C2:  {role: sensitive}\n");
    hr_status status = name.failed ? hr_fail(err, HR_ENOMEM, "out of memory") : HR_OK;
    if (status == HR_OK) status = hr_generate_file(request, name.data, &text, err);
    hr_text_free(&name);
    hr_text_free(&text);
    return status;
}

hr_status hr_generate_papers(const hr_generation *request, hr_error *err) {
    columns set;
    for (int i = 0; i < COLUMNS; i++) {
        hr_random_seed(&set.random[i], request->seed, (uint64_t)i);
        set.normal[i] = request->kind[i < QUASI ? 0 : 1] == 'n';
    }
    HR_TRY(write_numbers(request, err));
    HR_TRY(write_letters(request, err));
    HR_TRY(hr_generate_rows(request, "QI_N,QI_C1,QI_C2,QI_C3,S_C1,S_C2", put_row, &set, err));
    HR_TRY(write_job(request, "", "type: numeric", err));
    return write_job(request, "-hierarchy", "hierarchy: hierarchies/QI_N.csv", err);
}
