/* prices.c - what the boundaries cost, computed without running an algorithm: for every k and p,
 * the rows that must be suppressed (Table 6 of Campan, Truta, Cooper 2010), the same with the
 * boundary of one attribute a level higher, and the greatest possible number of classes. Rows are
 * grouped into MAM cells once; the rest works on cells, unless a higher boundary splits a cell. */
#include "run/run.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Numbers the cells that remain when attribute `relaxed` has the MAGVals `higher`: into[c] is the
 * new number of cell c. first[c] is a row of cell c. */
static hr_status merge_cells(const hr_microdata *data, const uint32_t *first, uint32_t cells,
                             size_t relaxed, const uint32_t *higher, uint32_t *into,
                             uint32_t *count, hr_error *err) {
    memset(into, 0, cells * sizeof *into);
    *count = 1;
    for (size_t j = 0; j < data->quasi_count; j++) {
        const hr_quasi *quasi = &data->quasi[j];
        if (!quasi->bounded) continue;
        const uint32_t *magval = j == relaxed ? higher : quasi->magval;
        hr_map64 map = {0};
        hr_status status = HR_OK;
        for (uint32_t c = 0; c < cells && status == HR_OK; c++) {
            uint64_t top = magval[hr_quasi_value(quasi, first[c])];
            status = hr_map64_intern(&map, top << 32 | into[c], &into[c], err);
        }
        *count = map.count;
        hr_map64_free(&map);
        HR_TRY(status);
    }
    return HR_OK;
}

/* A table cut into MAM cells, without the rows that are suppressed whatever k and p are. */
typedef struct {
    hr_requirements asked; /* of the models other than k and p */
    const hr_watch *watch;
    hr_facts facts;
    uint64_t trimmed; /* rows taken out */
} cut_table;

static hr_requirements asked_for(const cut_table *cut, const hr_price *price) {
    hr_requirements asked = cut->asked;
    asked.k = price->k;
    asked.p = price->p;
    return asked;
}

/* Fills in the rows to suppress for every k and p. `relaxed` is the attribute whose boundary is
 * higher in `cut` than in the job; SIZE_MAX: none. */
static void price_grid(const cut_table *cut, hr_prices *out, size_t relaxed) {
    for (size_t i = 0; i < out->price_count; i++) {
        hr_price *price = &out->prices[i];
        hr_requirements asked = asked_for(cut, price);
        uint64_t rows = hr_models_out(&cut->facts, &asked, NULL) + cut->trimmed + out->cut.dropped;
        if (relaxed == SIZE_MAX)
            price->suppressed = rows;
        else
            price->relaxed[relaxed] = rows;
    }
}

/* ---- the greatest number of classes ---- */

static int descending(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x < y) - (x > y);
}

/* Copies facts->value_rows with each list (one per cell and attribute) in descending order. */
static hr_status sort_counts(const hr_facts *facts, uint32_t **out, hr_error *err) {
    size_t lists = (size_t)facts->count * facts->sensitive_count;
    size_t total = facts->value_start[lists];
    *out = hr_alloc_raw(total, sizeof **out, err);
    if (!*out) return HR_ENOMEM;
    if (total) memcpy(*out, facts->value_rows, total * sizeof **out);
    for (size_t i = 0; i < lists; i++)
        qsort(*out + facts->value_start[i], facts->distinct[i], sizeof **out, descending);
    return HR_OK;
}

/* Upper limit on the classes of one cell: the least of the limits that its size and each sensitive
 * attribute set. */
static uint64_t most_in_cell(const hr_facts *facts, const uint32_t *counts, uint32_t cell,
                             const hr_price *price) {
    size_t r = facts->sensitive_count;
    uint64_t k = (uint64_t)price->k, p = (uint64_t)price->p;
    uint64_t least = hr_most_classes(facts->size[cell], NULL, 0, k, 1);
    for (size_t i = cell * r; p > 1 && i < cell * r + r; i++) {
        uint64_t most = hr_most_classes(facts->size[cell], counts + facts->value_start[i],
                                        facts->distinct[i], k, p);
        if (most < least) least = most;
    }
    return least;
}

/* Considers k and p alone, because other models only lower the number. */
static hr_status count_most_classes(const hr_facts *facts, hr_prices *out, hr_error *err) {
    uint32_t *counts;
    HR_TRY(sort_counts(facts, &counts, err));
    for (size_t i = 0; i < out->price_count; i++) {
        hr_price *price = &out->prices[i];
        hr_requirements asked = {.k = price->k, .p = price->p};
        for (uint32_t cell = 0; cell < facts->count; cell++)
            if (hr_models_hold(facts, cell, &asked))
                price->classes_at_most += most_in_cell(facts, counts, cell, price);
    }
    free(counts);
    return HR_OK;
}

/* ---- boundaries one level higher ---- */

/* Is the new MAGVal of every leaf at or above the old one? Then cells are united, never split. */
static bool only_rises(const hr_quasi *quasi, const uint32_t *higher) {
    const hr_hierarchy *tree = quasi->tree;
    for (uint32_t leaf = 0; leaf < tree->leaf_count; leaf++) {
        uint32_t node = hr_quasi_leaf_value(quasi, leaf);
        if (!hr_hierarchy_covers(tree, higher[node], quasi->magval[node])) return false;
    }
    return true;
}

static hr_status facts_of_united(const hr_microdata *data, const hr_facts *facts,
                                 const uint32_t *first, size_t j, const uint32_t *higher,
                                 uint32_t *into, hr_facts *out, hr_error *err) {
    hr_groups united = {.of_row = into, .rows = facts->count};
    HR_TRY(merge_cells(data, first, facts->count, j, higher, into, &united.count, err));
    return hr_facts_merge(facts, &united, data->sensitive, out, err);
}

/* Groups the rows again, with `higher` in place of the boundary of attribute j. */
static hr_status cut_again(const hr_microdata *data, size_t j, uint32_t *higher, cut_table *out,
                           hr_error *err) {
    hr_quasi *quasi = hr_alloc_raw(data->quasi_count, sizeof *quasi, err);
    if (!quasi) return HR_ENOMEM;
    memcpy(quasi, data->quasi, data->quasi_count * sizeof *quasi);
    quasi[j].magval = higher;
    hr_groups cells;
    hr_status status = hr_cells(quasi, data->quasi_count, data->rows, true, &cells, err);
    free(quasi);
    HR_TRY(status);
    status = hr_cells_trim(data, &out->asked, out->watch, &cells, &out->trimmed, err);
    if (status == HR_OK) status = hr_facts_of_data(&cells, data, &out->facts, err);
    hr_groups_free(&cells);
    return status;
}

/* Computes the prices with a higher boundary of one attribute. If it only unites cells, the cells
 * are merged; if it splits some, or if models trim cells, the rows are grouped again. */
static hr_status price_relaxed(const hr_microdata *data, const cut_table *cut,
                               const uint32_t *first, size_t j, uint32_t *into, hr_prices *out,
                               hr_error *err) {
    const hr_quasi *quasi = &data->quasi[j];
    uint32_t *higher;
    HR_TRY(hr_boundary_relax(quasi->tree, quasi->magval, &higher, err));
    cut_table relaxed = {.asked = cut->asked, .watch = cut->watch};
    bool unite = only_rises(quasi, higher) && !hr_models_beyond_kp(&cut->asked);
    hr_status status =
        unite ? facts_of_united(data, &cut->facts, first, j, higher, into, &relaxed.facts, err)
              : cut_again(data, j, higher, &relaxed, err);
    free(higher);
    HR_TRY(status);
    price_grid(&relaxed, out, j);
    hr_facts_free(&relaxed.facts);
    return HR_OK;
}

static hr_status make_grid(const hr_microdata *data, const int64_t *ks, size_t k_count,
                           const int64_t *ps, size_t p_count, hr_prices *out, hr_error *err) {
    assert(k_count > 0 && p_count > 0);
    out->price_count = k_count * p_count;
    out->prices = hr_alloc(out->price_count, sizeof *out->prices, err);
    out->lost = hr_alloc(out->price_count, sizeof *out->lost, err);
    if (!out->prices || !out->lost) return HR_ENOMEM;
    for (size_t i = 0; i < out->price_count; i++) {
        hr_price *price = &out->prices[i];
        price->k = ks[i / p_count];
        price->p = ps[i % p_count];
        price->relaxed = hr_alloc(data->quasi_count, sizeof *price->relaxed, err);
        if (!price->relaxed) return HR_ENOMEM;
    }
    return HR_OK;
}

/* Fills in the sizes of `out`, and first[c]: the first row of cell c. */
static void describe_cells(const hr_microdata *data, const hr_groups *cells, const hr_facts *facts,
                           uint32_t *first, hr_prices *out) {
    out->cut.rows = out->cut.dropped = hr_microdata_rows(data);
    out->cut.cells = facts->count;
    for (size_t row = cells->rows; row-- > 0;)
        if (cells->of_row[row] != HR_NONE) first[cells->of_row[row]] = (uint32_t)row;
    for (uint32_t c = 0; c < facts->count; c++) {
        out->cut.dropped -= facts->size[c];
        if (c == 0 || facts->size[c] < out->cut.smallest) out->cut.smallest = facts->size[c];
        if (facts->size[c] > out->cut.largest) out->cut.largest = facts->size[c];
    }
}

/* Sets the limit on the number of classes of any release. With several sensitive attributes another
 * release may keep rows that are trimmed here, so all rows of the cells count. */
static hr_status limit_classes(const hr_dataset *dataset, const cut_table *cut, hr_prices *out,
                               hr_error *err) {
    if (cut->trimmed == 0 || dataset->data.sensitive_count == 1)
        return count_most_classes(&cut->facts, out, err);
    hr_groups cells = {0};
    hr_facts facts = {0};
    uint64_t trimmed;
    hr_requirements none = {.k = 1, .p = 1};
    hr_status status =
        hr_dataset_cut(dataset, false, &none, cut->watch, &cells, &facts, &trimmed, err);
    if (status == HR_OK) status = count_most_classes(&facts, out, err);
    hr_groups_free(&cells);
    hr_facts_free(&facts);
    return status;
}

/* Like price_relaxed, if a boundary cuts numbers: `out` has a single k and p, for which the cells
 * of numbers are chosen anew. */
static hr_status price_relaxed_numbers(const hr_dataset *dataset, const cut_table *cut, size_t j,
                                       hr_prices *out, hr_error *err) {
    cut_table relaxed = {.asked = asked_for(cut, out->prices)};
    HR_TRY(hr_relaxed_cut(dataset, j, &relaxed.asked, cut->watch, &relaxed.facts, &relaxed.trimmed,
                          err));
    price_grid(&relaxed, out, j);
    hr_facts_free(&relaxed.facts);
    return HR_OK;
}

/* ---- what the cells that stay achieve ---- */

/* Model m, unless it is k or p or is not asked of attribute l: then NULL. */
static const hr_model *asked_model(const hr_microdata *data, const hr_requirements *asked, size_t m,
                                   size_t l) {
    hr_requirements own = hr_asked_of(asked, &data->sensitive[l]);
    return hr_models[m]->needs && hr_models[m]->in_play(&own) ? hr_models[m] : NULL;
}

static hr_status make_figures(const hr_microdata *data, const hr_requirements *asked,
                              hr_prices *out, hr_error *err) {
    for (size_t l = 0; l < data->sensitive_count; l++)
        for (size_t m = HR_MODELS_KP; hr_models[m]; m++)
            out->figure_count += asked_model(data, asked, m, l) != NULL;
    out->figures = hr_alloc(out->figure_count * out->price_count, sizeof *out->figures, err);
    if (!out->figures) return HR_ENOMEM;
    size_t at = 0;
    for (size_t l = 0; l < data->sensitive_count; l++) {
        const char *name = data->sensitive[l].name;
        const char *copy = hr_arena_text(&out->arena, name, strlen(name), err);
        if (!copy) return HR_ENOMEM;
        hr_requirements own = hr_asked_of(asked, &data->sensitive[l]);
        for (size_t m = HR_MODELS_KP; hr_models[m]; m++) {
            const hr_model *model = asked_model(data, asked, m, l);
            for (size_t i = 0; i < out->price_count && model; i++)
                out->figures[i * out->figure_count + at] =
                    (hr_price_figures){.attribute = copy,
                                       .parameter = model->options->name,
                                       .asked = hr_model_asked(model, &own),
                                       .achieved = NAN};
            at += model != NULL;
        }
    }
    return HR_OK;
}

/* What the worst of the cells achieves, without those that are `gone`. */
static void judge_cells(const hr_facts *facts, const bool *gone, const hr_model *model, size_t l,
                        const hr_requirements *asked, hr_price_figures *out) {
    for (uint32_t cell = 0; cell < facts->count; cell++) {
        if (gone[cell] || facts->size[cell] == 0) continue;
        hr_known class = hr_facts_group(facts, cell);
        double achieved = model->achieved(&class, l, asked);
        bool weaker = model->less_is_stricter ? achieved > out->achieved : achieved < out->achieved;
        if (isnan(achieved) || (!weaker && !isnan(out->achieved))) continue;
        out->achieved = achieved;
        out->worst_rows = facts->size[cell];
    }
}

static void judge_attributes(const hr_microdata *data, const hr_facts *facts, const bool *gone,
                             const hr_requirements *asked, hr_price_figures *figures) {
    for (size_t l = 0; l < data->sensitive_count; l++) {
        hr_requirements own = hr_asked_of(asked, &data->sensitive[l]);
        for (size_t m = HR_MODELS_KP; hr_models[m]; m++)
            if (asked_model(data, asked, m, l))
                judge_cells(facts, gone, hr_models[m], l, &own, figures++);
    }
}

/* ---- suppressed rows by value ---- */

static hr_status find_lost(const hr_microdata *data, const hr_groups *cells, const cut_table *cut,
                           hr_prices *out, hr_error *err) {
    hr_lost_basis basis;
    HR_TRY(hr_lost_basis_make(data, cells, &basis, err));
    bool *gone = hr_alloc(cut->facts.count, sizeof *gone, err);
    hr_status status = gone ? HR_OK : HR_ENOMEM;
    for (size_t i = 0; i < out->price_count && status == HR_OK; i++) {
        const hr_price *price = &out->prices[i];
        hr_requirements asked = asked_for(cut, price);
        hr_models_out(&cut->facts, &asked, gone);
        judge_attributes(data, &cut->facts, gone, &asked, out->figures + i * out->figure_count);
        status = hr_lost_of_cells(data, &basis, gone, &out->lost[i], err);
        if (status == HR_OK)
            out->lost[i]->figures = (hr_lost_figures){.k = price->k,
                                                      .p = price->p,
                                                      .rows = hr_microdata_rows(data),
                                                      .suppressed = price->suppressed,
                                                      .dropped = out->cut.dropped,
                                                      .trimmed = cut->trimmed};
        if (status == HR_OK) status = hr_watch_check(cut->watch, err);
    }
    free(gone);
    hr_lost_basis_free(&basis);
    return status;
}

static hr_status price_all(const hr_dataset *dataset, const hr_groups *cells, const cut_table *cut,
                           hr_prices *out, hr_error *err) {
    const hr_microdata *data = &dataset->data;
    const hr_facts *facts = &cut->facts;
    uint32_t *first = hr_alloc((size_t)facts->count * 2, sizeof *first, err);
    if (!first) return HR_ENOMEM;
    describe_cells(data, cells, facts, first, out);
    out->cut.dropped -= cut->trimmed;
    price_grid(cut, out, SIZE_MAX);
    hr_status status = limit_classes(dataset, cut, out, err);
    for (size_t j = 0; j < data->quasi_count && status == HR_OK; j++) {
        if (out->bounded[j] && out->cut.numbers)
            status = price_relaxed_numbers(dataset, cut, j, out, err);
        else if (out->bounded[j])
            status = price_relaxed(data, cut, first, j, first + facts->count, out, err);
        else
            for (size_t i = 0; i < out->price_count; i++)
                out->prices[i].relaxed[j] = out->prices[i].suppressed;
    }
    free(first);
    return status == HR_OK ? find_lost(data, cells, cut, out, err) : status;
}

static hr_status copy_names(const hr_microdata *data, hr_prices *out, hr_error *err) {
    out->names = hr_alloc(data->quasi_count, sizeof *out->names, err);
    out->bounded = hr_alloc(data->quasi_count, sizeof *out->bounded, err);
    if (!out->names || !out->bounded) return HR_ENOMEM;
    out->cut.quasi_count = data->quasi_count;
    out->cut.quasi_names = (const char *const *)out->names;
    out->cut.bounded = out->bounded;
    for (size_t j = 0; j < data->quasi_count; j++) {
        out->bounded[j] = data->quasi[j].bounded || data->quasi[j].rule.kind;
        out->cut.numbers = out->cut.numbers || data->quasi[j].rule.kind;
        out->names[j] = hr_copy_text(data->quasi[j].name, strlen(data->quasi[j].name), err);
        if (!out->names[j]) return HR_ENOMEM;
    }
    return HR_OK;
}

/* Cuts the table and prices every k and p of `out`. */
static hr_status price_table(const hr_dataset *dataset, const hr_requirements *asked,
                             const hr_watch *watch, hr_prices *out, hr_error *err) {
    hr_groups cells = {0};
    cut_table cut = {.asked = *asked, .watch = watch};
    hr_status status =
        hr_dataset_cut(dataset, false, asked, watch, &cells, &cut.facts, &cut.trimmed, err);
    if (status == HR_OK) status = price_all(dataset, &cells, &cut, out, err);
    hr_groups_free(&cells);
    hr_facts_free(&cut.facts);
    return status;
}

/* Chooses the cells of numbers for each k and p. The figures of `cut` are those of the first. */
static hr_status price_numbers(const hr_dataset *dataset, const hr_requirements *asked,
                               const hr_watch *watch, hr_prices *out, hr_error *err) {
    hr_status status = HR_OK;
    const hr_watch silent = hr_watch_silent(watch);
    const hr_watch *notified = watch; /* once: the notices would be the same for all k and p */
    out->cut.chosen = hr_cuts_chosen(&dataset->data);
    for (size_t i = out->price_count; i-- > 0 && status == HR_OK;) {
        hr_prices one = *out;
        one.prices = &out->prices[i];
        one.lost = &out->lost[i];
        one.figures = out->figures + i * out->figure_count;
        one.price_count = 1;
        hr_requirements own = *asked;
        own.k = one.prices->k;
        own.p = one.prices->p;
        hr_dataset chosen = *dataset;
        HR_TRY(hr_cuts_copy(&dataset->data, &chosen.data, err));
        status = hr_cuts_choose(&chosen.data, &own, notified, err);
        notified = &silent;
        if (status == HR_OK) status = price_table(&chosen, &own, watch, &one, err);
        hr_cuts_discard(&chosen.data);
        out->cut = one.cut;
    }
    return status;
}

hr_status hr_prices_of(const hr_dataset *dataset, const hr_requirements *asked, const int64_t *ks,
                       size_t k_count, const int64_t *ps, size_t p_count, const hr_watch *watch,
                       hr_prices **out, hr_error *err) {
    const hr_microdata *data = &dataset->data;
    hr_prices *prices = hr_alloc(1, sizeof *prices, err);
    *out = NULL;
    if (!prices) return HR_ENOMEM;
    hr_status status = copy_names(data, prices, err);
    if (status == HR_OK) status = make_grid(data, ks, k_count, ps, p_count, prices, err);
    if (status == HR_OK) status = make_figures(data, asked, prices, err);
    if (status == HR_OK)
        status = prices->cut.numbers ? price_numbers(dataset, asked, watch, prices, err)
                                     : price_table(dataset, asked, watch, prices, err);
    if (status == HR_OK)
        *out = prices;
    else
        hr_prices_free(prices);
    return status;
}

static hr_status check_numbers(const char *name, const int64_t *numbers, size_t count,
                               hr_error *err) {
    if (count == 0) return hr_fail(err, HR_EINVAL, "give at least one %s", name);
    for (size_t i = 0; i < count; i++)
        if (numbers[i] < 1)
            return hr_fail(err, HR_EINVAL, "%s: %lld is not at least 1", name,
                           (long long)numbers[i]);
    return HR_OK;
}

hr_status hr_job_numbers(const hr_job *job, const int64_t **ks, size_t *k_count, const int64_t **ps,
                         size_t *p_count, hr_error *err) {
    if (!*ks && job->asked.k == 0)
        return hr_fail(err, HR_EINVAL, "k is missing: give -k 4,8,10 or write `model: {k: 5}`");
    if (!*ks) {
        *ks = &job->asked.k;
        *k_count = 1;
    }
    if (!*ps) {
        *ps = &job->asked.p;
        *p_count = 1;
    }
    HR_TRY(check_numbers("k", *ks, *k_count, err));
    return check_numbers("p", *ps, *p_count, err);
}

hr_status hr_job_boundaries(const hr_job *job, const int64_t *ks, size_t k_count, const int64_t *ps,
                            size_t p_count, const hr_watch *watch, hr_prices **out, hr_error *err) {
    hr_dataset dataset;
    hr_watch own;
    *out = NULL;
    HR_TRY(hr_watch_copy(watch, &own, err));
    HR_TRY(hr_job_numbers(job, &ks, &k_count, &ps, &p_count, err));
    hr_job priced = *job; /* complete even if the job itself gives no k */
    priced.asked.k = ks[0];
    priced.asked.p = ps[0];
    for (size_t i = 1; i < p_count; i++)
        if (ps[i] > priced.asked.p) priced.asked.p = ps[i];
    HR_TRY(hr_job_complete(&priced, err));
    HR_TRY(hr_dataset_load(&priced, &own, &dataset, err));
    hr_requirements most = priced.asked;
    for (size_t i = 1; i < k_count; i++)
        if (ks[i] > most.k) most.k = ks[i];
    hr_status status = hr_note_impossible(&dataset, &most, &own, err);
    if (status == HR_OK && (most.p > 1 || hr_models_beyond_kp(&most)))
        status = hr_note_alike(&dataset, &own, err);
    if (status == HR_OK)
        status = hr_prices_of(&dataset, &job->asked, ks, k_count, ps, p_count, &own, out, err);
    hr_dataset_free(&dataset);
    return status;
}

const hr_cut *hr_prices_cut(const hr_prices *prices) {
    return &prices->cut;
}

const hr_price *hr_prices_at(const hr_prices *prices, size_t i) {
    return i < prices->price_count ? &prices->prices[i] : NULL;
}

bool hr_prices_attribute(const hr_prices *prices, size_t i, size_t n, hr_price_figures *out) {
    if (i >= prices->price_count || n >= prices->figure_count) return false;
    *out = prices->figures[i * prices->figure_count + n];
    return true;
}

const hr_lost *hr_prices_lost(const hr_prices *prices, size_t i) {
    return i < prices->price_count ? prices->lost[i] : NULL;
}

void hr_prices_free(hr_prices *prices) {
    if (!prices) return;
    for (size_t i = 0; prices->lost && i < prices->price_count; i++)
        hr_lost_free(prices->lost[i]);
    free(prices->lost);
    for (size_t i = 0; prices->prices && i < prices->price_count; i++)
        free(prices->prices[i].relaxed);
    for (size_t j = 0; prices->names && j < prices->cut.quasi_count; j++)
        free(prices->names[j]);
    hr_arena_free(&prices->arena);
    free(prices->figures);
    free(prices->names);
    free(prices->bounded);
    free(prices->prices);
    free(prices);
}
