/* print.c - releases, checks and the prices of boundaries as the text that the command prints. */
#include "report/rows.h"
#include "run/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TEXT(name)                                                                                 \
    { name, HR_ROWS_TEXT, 0 }
#define COUNT(name)                                                                                \
    { name, HR_ROWS_COUNT, 0 }
#define REAL(name, digits)                                                                         \
    { name, HR_ROWS_REAL, digits }
#define COLUMNS_OF(list) (sizeof(list) / sizeof *(list))

/* ---- Models beside k and p: columns after those of every release and check ---- */

/* Adds "alpha" and "achieved_alpha" for every model beside k and p. */
static void add_model_columns(hr_rows_columns *out) {
    for (size_t i = HR_MODELS_KP; hr_models[i]; i++) {
        const char *name = hr_models[i]->options->name;
        hr_rows_columns_add(out, &(hr_rows_column)REAL(name, 4), 1);
        hr_rows_columns_name(out, HR_ROWS_REAL, "achieved", name, "");
    }
}

/* What is asked stays empty where the job does not ask for the model. */
static void add_models(const hr_requirements *asked, const double *achieved, hr_rows *rows) {
    for (size_t i = HR_MODELS_KP; hr_models[i]; i++) {
        bool in_play = hr_model_in_play(hr_models[i], asked);
        hr_rows_real(rows, in_play ? hr_model_asked(hr_models[i], asked) : NAN);
        hr_rows_real(rows, isfinite(achieved[i]) ? achieved[i] : NAN);
    }
}

/* ---- Releases ---- */

static const hr_rows_column release_columns[] = {
    COUNT("rows"),       COUNT("released"),   COUNT("suppressed"), COUNT("classes"),
    COUNT("clusters"),   COUNT("k"),          COUNT("p"),          COUNT("achieved_k"),
    COUNT("achieved_p"), COUNT("violations"), REAL("ntil", 4),     REAL("ntil_bound", 4),
    REAL("sse_sst", 4),  REAL("seconds", 2),  COUNT("trimmed")};

static void add_figures(const hr_figures *f, hr_rows *rows) {
    hr_rows_count(rows, (int64_t)f->rows);
    hr_rows_count(rows, (int64_t)f->released);
    hr_rows_count(rows, (int64_t)f->suppressed);
    hr_rows_count(rows, (int64_t)f->classes);
    hr_rows_count(rows, (int64_t)f->clusters);
    hr_rows_count(rows, f->k);
    hr_rows_count(rows, f->p);
    hr_rows_count(rows, f->achieved_k);
    hr_rows_count_if(rows, f->achieved_p >= 0, (uint64_t)f->achieved_p);
    hr_rows_count(rows, (int64_t)f->violations);
    hr_rows_real(rows, f->ntil);
    hr_rows_real(rows, f->ntil_bound);
    hr_rows_real(rows, f->sse_sst);
    hr_rows_real(rows, f->seconds);
    hr_rows_count(rows, (int64_t)f->trimmed);
}

static hr_status print_figures(const hr_release *release, hr_print_format format, hr_text *out,
                               hr_error *err) {
    hr_rows rows;
    hr_rows_columns list = {0};
    const hr_promises *p = &release->promises;
    hr_rows_columns_add(&list, release_columns, COLUMNS_OF(release_columns));
    add_model_columns(&list);
    hr_rows_columns_asked(&list, p->asked, p->asked_count);
    hr_status status = hr_rows_columns_end(&list, err);
    if (status == HR_OK) {
        hr_rows_start(&rows, list.items, list.count);
        add_figures(&release->figures, &rows);
        add_models(&release->asked, release->achieved, &rows);
        hr_rows_asked(&rows, p->asked, p->asked_count, true);
        hr_rows_print(&rows, format, out);
    }
    hr_rows_columns_free(&list);
    return status;
}

hr_status hr_release_print(const hr_release *release, hr_print_format format, char **out,
                           hr_error *err) {
    *out = NULL;
    HR_TRY(hr_print_check(format, err));
    hr_text text = {0};
    if (format == HR_PRINT_TABLE)
        hr_text_puts(&text, release->summary);
    else
        HR_TRY(print_figures(release, format, &text, err));
    return hr_text_take(&text, out, err);
}

/* ---- Checks ---- */

static const hr_rows_column check_columns[] = {TEXT("file"),
                                               TEXT("holds"),
                                               COUNT("rows"),
                                               COUNT("classes"),
                                               COUNT("k"),
                                               COUNT("p"),
                                               COUNT("achieved_k"),
                                               COUNT("achieved_p"),
                                               COUNT("small_classes"),
                                               COUNT("poor_classes"),
                                               COUNT("violations"),
                                               COUNT("uncovered"),
                                               COUNT("changed"),
                                               COUNT("identifiers"),
                                               COUNT("dropped"),
                                               COUNT("unknown"),
                                               REAL("ntil_bound", 4),
                                               TEXT("proved"),
                                               COUNT("failing_classes"),
                                               COUNT("too_fine"),
                                               COUNT("past_boundary"),
                                               COUNT("extra_columns"),
                                               COUNT("hidden"),
                                               TEXT("foreign_trace")};

static void add_check(const hr_check *check, hr_rows *rows) {
    const hr_check_figures *f = &check->figures;
    hr_rows_text(rows, check->name);
    hr_rows_text(rows, f->holds ? "yes" : "no");
    hr_rows_count(rows, (int64_t)f->rows);
    hr_rows_count(rows, (int64_t)f->classes);
    hr_rows_count(rows, f->k);
    hr_rows_count(rows, f->p);
    hr_rows_count(rows, f->achieved_k);
    hr_rows_count_if(rows, f->achieved_p >= 0, (uint64_t)f->achieved_p);
    hr_rows_count(rows, (int64_t)f->small_classes);
    hr_rows_count(rows, (int64_t)f->poor_classes);
    hr_rows_count_if(rows, f->compared, f->violations);
    hr_rows_count_if(rows, f->compared, f->uncovered);
    hr_rows_count_if(rows, f->compared, f->changed);
    hr_rows_count(rows, (int64_t)f->identifiers);
    hr_rows_count(rows, (int64_t)f->dropped_columns);
    /* With an original, such values are counted as uncovered. */
    hr_rows_count_if(rows, !f->compared, f->unknown);
    if (f->certified) {
        hr_rows_real(rows, f->bound_claimed);
        hr_rows_text(rows, f->bound_holds ? "yes" : "no");
    } else {
        hr_rows_none(rows);
        hr_rows_none(rows);
    }
    hr_rows_count(rows, (int64_t)f->failing_classes);
    hr_rows_count(rows, (int64_t)f->too_fine);
    hr_rows_count_if(rows, !f->compared, f->past_boundary);
    hr_rows_count(rows, (int64_t)f->extra_columns);
    hr_rows_count(rows, (int64_t)f->hidden);
    hr_rows_text(rows, f->foreign_trace ? "yes" : "no");
}

static hr_status print_check(const hr_check *check, hr_print_format format, hr_text *out,
                             hr_error *err) {
    hr_rows rows;
    hr_rows_columns list = {0};
    const hr_promises *p = &check->promises;
    hr_rows_columns_add(&list, check_columns, COLUMNS_OF(check_columns));
    add_model_columns(&list);
    hr_rows_columns_add(&list, &(hr_rows_column)COUNT("missing_columns"), 1);
    hr_rows_columns_asked(&list, p->asked, p->asked_count);
    hr_status status = hr_rows_columns_end(&list, err);
    if (status == HR_OK) {
        hr_rows_start(&rows, list.items, list.count);
        add_check(check, &rows);
        add_models(&check->asked, check->achieved, &rows);
        hr_rows_count(&rows, (int64_t)check->figures.missing_columns);
        hr_rows_asked(&rows, p->asked, p->asked_count, true);
        hr_rows_print(&rows, format, out);
    }
    hr_rows_columns_free(&list);
    return status;
}

hr_status hr_check_print(const hr_check *check, hr_print_format format, char **out, hr_error *err) {
    *out = NULL;
    HR_TRY(hr_print_check(format, err));
    hr_text text = {0};
    if (format == HR_PRINT_TABLE)
        hr_text_puts(&text, check->summary.data);
    else
        HR_TRY(print_check(check, format, &text, err));
    return hr_text_take(&text, out, err);
}

/* ---- Prices of boundaries ---- */

static const hr_rows_column price_columns[] = {
    COUNT("k"),    COUNT("p"),     COUNT("suppressed"),     REAL("share", 4),
    TEXT("relax"), COUNT("saves"), COUNT("classes_at_most")};

/* The fixed columns, one for each attribute with a boundary, and one for each figure of a sensitive
 * attribute. */
static hr_status make_columns(const hr_prices *prices, hr_rows_columns *out, hr_error *err) {
    const hr_cut *cut = &prices->cut;
    hr_price_figures f;
    hr_rows_columns_add(out, price_columns, COLUMNS_OF(price_columns));
    for (size_t j = 0; j < cut->quasi_count; j++)
        if (cut->bounded[j])
            hr_rows_columns_name(out, HR_ROWS_COUNT, "saves", "", cut->quasi_names[j]);
    for (size_t n = 0; hr_prices_attribute(prices, 0, n, &f); n++)
        hr_rows_columns_name(out, HR_ROWS_REAL, "achieved", f.parameter, f.attribute);
    return hr_rows_columns_end(out, err);
}

static void add_price(hr_rows *rows, const hr_prices *prices, size_t i) {
    const hr_cut *cut = &prices->cut;
    const hr_price *price = &prices->prices[i];
    hr_price_figures f;
    size_t best = SIZE_MAX;
    for (size_t j = 0; j < cut->quasi_count; j++)
        if (price->relaxed[j] < (best == SIZE_MAX ? price->suppressed : price->relaxed[best]))
            best = j;
    hr_rows_count(rows, price->k);
    hr_rows_count(rows, price->p);
    hr_rows_count(rows, (int64_t)price->suppressed);
    hr_rows_real(rows, (double)price->suppressed / (double)cut->rows);
    if (best == SIZE_MAX) {
        hr_rows_none(rows);
        hr_rows_none(rows);
    } else {
        hr_rows_text(rows, cut->quasi_names[best]);
        hr_rows_count(rows, (int64_t)(price->suppressed - price->relaxed[best]));
    }
    hr_rows_count(rows, (int64_t)price->classes_at_most);
    for (size_t j = 0; j < cut->quasi_count; j++)
        if (cut->bounded[j]) hr_rows_count(rows, (int64_t)(price->suppressed - price->relaxed[j]));
    for (size_t n = 0; hr_prices_attribute(prices, i, n, &f); n++)
        hr_rows_real(rows, isfinite(f.achieved) ? f.achieved : NAN);
}

/* The lines above the table. */
static void add_cells(const hr_cut *cut, hr_text *out) {
    unsigned long long in_cells = cut->rows - cut->dropped;
    hr_text_printf(out, "%llu row%s in %u MAM cell%s of %u", in_cells, in_cells == 1 ? "" : "s",
                   cut->cells, cut->cells == 1 ? "" : "s", cut->smallest);
    if (cut->largest > cut->smallest) hr_text_printf(out, " to %u", cut->largest);
    hr_text_puts(out, cut->largest == 1 ? " row" : " rows");
    if (cut->dropped)
        hr_text_printf(out, "; %llu more %s dropped for a missing value",
                       (unsigned long long)cut->dropped, cut->dropped == 1 ? "is" : "are");
    if (cut->chosen) hr_text_puts(out, ", cut for the first k and p below");
    hr_text_puts(
        out, "\nMAM cell: rows within the same boundaries; only they can be published alike\n"
             "suppressed: rows that no release can contain within these boundaries\n"
             "relax: the boundary that saves most rows if it moves up a level; saves: how many\n");
    if (cut->numbers)
        hr_text_puts(out, "    (a number: twice the width, half the cells, or every second cut)\n");
    hr_text_puts(
        out, "classes_at_most: no release has more classes (groups of rows published alike)\n\n");
}

enum { LOST_FEW = 3 }; /* values of a quasi-identifier that are shown without being asked for */

/* Who is lost with the first k and p. */
static void add_lost(const hr_prices *prices, hr_text *out) {
    const hr_lost *lost = prices->lost ? prices->lost[0] : NULL;
    if (!lost || lost->figures.suppressed == 0) return;
    hr_rows rows;
    hr_lost_rows_start(&rows);
    hr_lost_rows_add(lost, LOST_FEW, &rows);
    hr_text_puts(out,
                 "\nwhose rows are lost: values with the largest shares lost (--lost lists all)"
                 "\n\n");
    hr_rows_print(&rows, HR_PRINT_TABLE, out);
}

/* What the cells that stay with the first k and p achieve. */
static void add_achieved(const hr_prices *prices, hr_text *out) {
    hr_price_figures f;
    for (size_t n = 0; hr_prices_attribute(prices, 0, n, &f); n++) {
        const hr_model *model = hr_models[hr_model_find(f.parameter)];
        if (isnan(f.achieved)) continue;
        if (n == 0) hr_text_puts(out, "\n");
        hr_text_printf(out, "'%s': %s ", f.attribute, f.parameter);
        hr_model_print(model, f.achieved, out);
        hr_text_puts(out, " (asked for ");
        hr_model_print(model, f.asked, out);
        hr_text_printf(out,
                       ") in the worst cell that stays, of %llu row%s; no release of the rows "
                       "that stay can do better\n",
                       (unsigned long long)f.worst_rows, f.worst_rows == 1 ? "" : "s");
    }
}

static void add_prices(const hr_prices *prices, const hr_rows_columns *list, hr_print_format format,
                       hr_text *out) {
    hr_rows rows;
    hr_rows_start(&rows, list->items, list->count);
    for (size_t i = 0; i < prices->price_count; i++)
        add_price(&rows, prices, i);
    if (format == HR_PRINT_TABLE) add_cells(&prices->cut, out);
    hr_rows_print(&rows, format, out);
    if (format == HR_PRINT_TABLE) add_achieved(prices, out);
    if (format == HR_PRINT_TABLE) add_lost(prices, out);
}

hr_status hr_prices_print(const hr_prices *prices, hr_print_format format, char **out,
                          hr_error *err) {
    hr_rows_columns list = {0};
    hr_text text = {0};
    *out = NULL;
    HR_TRY(hr_print_check(format, err));
    hr_status status = make_columns(prices, &list, err);
    if (status == HR_OK) {
        add_prices(prices, &list, format, &text);
        status = hr_text_take(&text, out, err);
    }
    hr_rows_columns_free(&list);
    return status;
}

/* ---- Who is lost ---- */

static hr_status print_lost(hr_lost *const *lost, size_t count, hr_print_format format, char **out,
                            hr_error *err) {
    *out = NULL;
    HR_TRY(hr_print_check(format, err));
    hr_text text = {0};
    hr_rows rows;
    hr_lost_rows_start(&rows);
    for (size_t i = 0; i < count; i++)
        hr_lost_rows_add(lost[i], 0, &rows);
    hr_rows_print(&rows, format, &text);
    return hr_text_take(&text, out, err);
}

hr_status hr_lost_print(const hr_lost *lost, hr_print_format format, char **out, hr_error *err) {
    return print_lost((hr_lost *const *)&lost, 1, format, out, err);
}

hr_status hr_prices_print_lost(const hr_prices *prices, hr_print_format format, char **out,
                               hr_error *err) {
    return print_lost(prices->lost, prices->price_count, format, out, err);
}
