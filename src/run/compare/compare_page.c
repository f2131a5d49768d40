/* compare_page.c - a comparison as one self-contained HTML file, without scripts and external
 * resources: first the runs worth choosing, then curves, then a table of all runs. */
#include "run/compare/compare_page.h"

#include "report/page/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Figures drawn as charts, the most important first. */
static const char *const drawn[] = {"ntil",    "sse_sst", "suppressed", "violations",
                                    "classes", "avg",     "dm",         "seconds"};

static void find_ranges(hr_page *p) {
    for (size_t f = 0; hr_compare_figures[f].name; f++) {
        hr_range *r = &p->ranges[f];
        *r = (hr_range){NAN, NAN};
        for (size_t i = 0; i < p->compare->entry_count; i++) {
            double value = hr_entry_value(&hr_compare_figures[f], &p->compare->entries[i]);
            r->least = fmin(r->least, value); /* fmin and fmax ignore NaN */
            r->most = fmax(r->most, value);
        }
    }
}

/* ---- Tables ---- */

/* The brief table has the figures that are drawn and the bound. */
static bool has_column(const hr_page *p, const hr_figure *figure, bool brief) {
    return hr_page_has(p, figure) &&
           (!brief || figure->title || figure == hr_figure_find("ntil_bound"));
}

static void add_head(const hr_page *p, bool brief, bool notes) {
    hr_text_puts(p->out, "<div class=\"scroll\" tabindex=\"0\"><table "
                         "class=\"runs\"><thead><tr><th>★</th><th>algorithm</th>"
                         "<th>k</th><th>p</th>");
    for (const hr_figure *f = hr_compare_figures; f->name; f++)
        if (has_column(p, f, brief)) hr_text_printf(p->out, "<th>%s</th>", f->name);
    hr_text_puts(p->out, notes ? "<th class=\"words\">note</th></tr></thead><tbody>\n"
                               : "</tr></thead><tbody>\n");
}

/* Opens a row and writes everything up to its note. */
static void open_row(const hr_page *p, const hr_compare_entry *entry, bool brief) {
    hr_text *out = p->out;
    hr_text_printf(out, "<tr%s><td>%s</td><td>", entry->best ? " class=\"best\"" : "",
                   entry->best ? "<span class=\"star\" title=\"worth choosing\">★</span>" : "");
    hr_html_text(out, entry->algorithm);
    hr_text_printf(out, "</td><td>%lld</td><td>%lld</td>",
                   (long long)(brief ? entry->asked.k : entry->k), (long long)entry->p);
    for (const hr_figure *f = hr_compare_figures; f->name; f++) {
        if (!has_column(p, f, brief)) continue;
        double value = hr_entry_value(f, entry);
        hr_text_puts(out, "<td>");
        if (!isnan(value)) hr_number_text(value, f->digits, out);
        hr_text_puts(out, "</td>");
    }
}

/* A row of all runs. A note is in place of the figures if there are none, otherwise in a row below,
 * because beside them it would make the table too wide for paper. */
static void add_row(const hr_page *p, const hr_compare_entry *entry) {
    size_t columns = 0;
    for (const hr_figure *f = hr_compare_figures; f->name; f++)
        columns += has_column(p, f, false);
    if (entry->state == HR_ENTRY_DONE || !entry->note) {
        open_row(p, entry, false);
        hr_text_puts(p->out, "</tr>\n");
        if (!entry->note) return;
        hr_text_puts(p->out, "<tr><td colspan=\"4\"></td>");
    } else {
        hr_text_puts(p->out, "<tr><td></td><td>");
        hr_html_text(p->out, entry->algorithm);
        hr_text_printf(p->out, "</td><td>%lld</td><td>%lld</td>", (long long)entry->k,
                       (long long)entry->p);
    }
    hr_text_printf(p->out, "<td class=\"note\" colspan=\"%zu\">", columns);
    hr_html_text(p->out, entry->note);
    hr_text_puts(p->out, "</td></tr>\n");
}

static void end_table(const hr_page *p) {
    hr_text_puts(p->out, "</tbody></table></div>\n");
}

static void add_all_runs(const hr_page *p) {
    hr_text_puts(p->out, "<h2>All runs</h2>\n");
    if (hr_page_has(p, hr_figure_find("ntil_bound")))
        hr_text_printf(p->out, "<p class=\"soft\">ntil_bound: %s.</p>\n", hr_compare_bound_means);
    add_head(p, false, false);
    for (size_t i = 0; i < p->compare->entry_count; i++)
        add_row(p, &p->compare->entries[i]);
    end_table(p);
}

/* Is a similar run (hr_entries_alike) with less loss, or of an earlier algorithm, listed
 * instead? */
static bool is_grouped(const hr_compare *c, size_t a, size_t k, size_t p) {
    const hr_compare_entry *entry = hr_compare_at(c, a, k, p);
    for (size_t b = 0; b < c->grid.algorithm_count; b++) {
        const hr_compare_entry *other = hr_compare_at(c, b, k, p);
        if (b == a || !other->best || !hr_entries_alike(entry, other)) continue;
        double x = entry->figures.ntil, y = other->figures.ntil;
        if ((y < x || (!(x < y) && b < a)) && !is_grouped(c, b, k, p)) return true;
    }
    return false;
}

/* Names the other algorithms whose runs are as good, within 1 %; returns how many there are. Out
 * NULL: only counts them. */
static size_t add_alike(const hr_compare *c, const hr_compare_entry *entry, size_t k, size_t p,
                        hr_text *out) {
    size_t count = 0;
    for (size_t a = 0; a < c->grid.algorithm_count; a++) {
        const hr_compare_entry *other = hr_compare_at(c, a, k, p);
        if (other == entry || !hr_entries_alike(entry, other)) continue;
        if (out) hr_text_puts(out, count ? ", " : "as good, within 1 %: ");
        if (out) hr_html_text(out, other->algorithm);
        count++;
    }
    return count;
}

/* Is this entry a row of the table of best runs? If several k are raised to the same p, only the
 * last of them is listed. */
static bool is_listed(const hr_compare *c, size_t a, size_t k, size_t p) {
    const hr_compare_entry *entry = hr_compare_at(c, a, k, p);
    bool again =
        k + 1 < c->grid.k_count && hr_compare_at(c, a, k + 1, p)->asked.k == entry->asked.k;
    return entry->best && !again && !is_grouped(c, a, k, p);
}

/* Is any run as good as a listed one? */
static bool has_alike(const hr_compare *c) {
    for (size_t a = 0; a < c->grid.algorithm_count; a++)
        for (size_t k = 0; k < c->grid.k_count; k++)
            for (size_t p = 0; p < c->grid.p_count; p++)
                if (is_listed(c, a, k, p) &&
                    add_alike(c, hr_compare_at(c, a, k, p), k, p, NULL) > 0)
                    return true;
    return false;
}

/* Lists the best runs, ordered by k and p, because users choose these first. */
static void add_best_runs(const hr_page *p) {
    const hr_grid *grid = &p->compare->grid;
    bool notes = has_alike(p->compare);
    add_head(p, true, notes);
    for (size_t k = 0; k < grid->k_count; k++)
        for (size_t i = 0; i < grid->p_count; i++)
            for (size_t a = 0; a < grid->algorithm_count; a++) {
                const hr_compare_entry *entry = hr_compare_at(p->compare, a, k, i);
                if (!is_listed(p->compare, a, k, i)) continue;
                open_row(p, entry, true);
                if (notes) {
                    hr_text_puts(p->out, "<td class=\"note\">");
                    add_alike(p->compare, entry, k, i, p->out);
                    hr_text_puts(p->out, "</td>");
                }
                hr_text_puts(p->out, "</tr>\n");
            }
    end_table(p);
}

/* ---- The page ---- */

/* "adult.csv: 4,842 rows; effort normal; boundaries enforced; 1 thread per run; 2026-01-31; ..." */
static void add_top(const hr_page *p, const char *title) {
    hr_text heading = {0}, below = {0};
    char date[16] = "";
    time_t now = time(NULL);
    struct tm parts;
    if (gmtime_r(&now, &parts)) strftime(date, sizeof date, "%Y-%m-%d", &parts);
    hr_text_printf(&heading, "%s: what do k and p cost?", title);
    if (p->compare->source) hr_text_printf(&below, "%s: ", p->compare->source);
    hr_page_count(p->compare->rows, "row", NULL, &below);
    hr_text_puts(&below, "; ");
    hr_compare_settings(p->compare, &below);
    hr_text_printf(&below,
                   "; %s; hedgerow %s. Every run made a release that was verified and not kept.",
                   date, hr_version());
    hr_page_open(heading.failed ? "" : heading.data, below.failed ? "" : below.data, p->out);
    p->out->failed |= heading.failed || below.failed;
    hr_text_free(&heading);
    hr_text_free(&below);
}

/* ---- The question first: least loss for every k and p ---- */

/* The run of least loss at a k and p; NULL: there is none. */
static const hr_compare_entry *cheapest(const hr_compare *c, size_t k, size_t p) {
    const hr_compare_entry *found = NULL;
    for (size_t a = 0; a < c->grid.algorithm_count; a++) {
        const hr_compare_entry *entry = hr_compare_at(c, a, k, p);
        if (entry->state != HR_ENTRY_DONE || isnan(entry->figures.ntil)) continue;
        if (!found || entry->figures.ntil < found->figures.ntil) found = entry;
    }
    return found;
}

typedef struct {
    char text[16], tip[128];
} heat_texts;

static void fill_cell(const hr_compare_entry *entry, heat_texts *texts, hr_heat_cell *cell) {
    if (!entry) return;
    snprintf(texts->text, sizeof texts->text, "%.1f %%", 100 * entry->figures.ntil);
    snprintf(texts->tip, sizeof texts->tip, "%.60s: loss %.4f, %llu row%s suppressed",
             entry->algorithm, entry->figures.ntil, (unsigned long long)entry->figures.suppressed,
             entry->figures.suppressed == 1 ? "" : "s");
    *cell = (hr_heat_cell){.text = texts->text,
                           .value = entry->figures.ntil,
                           .tip = texts->tip,
                           .marked = entry->best};
}

enum { HEAT_COLUMNS = 12 }; /* more do not fit */

/* Has the map a row for each p, because there are too many for columns? */
static bool is_turned(const hr_grid *grid) {
    return grid->p_count > HEAT_COLUMNS;
}

static void draw_heat(const hr_page *p, hr_heat_cell *cells, heat_texts *texts, char (*numbers)[24],
                      const char **labels) {
    const hr_grid *grid = &p->compare->grid;
    bool turned = is_turned(grid);
    for (size_t k = 0; k < grid->k_count; k++)
        for (size_t i = 0; i < grid->p_count; i++) {
            size_t at = turned ? i * grid->k_count + k : k * grid->p_count + i;
            fill_cell(cheapest(p->compare, k, i), &texts[at], &cells[at]);
        }
    for (size_t i = 0; i < grid->k_count + grid->p_count; i++) {
        int64_t number = i < grid->k_count ? grid->ks[i] : grid->ps[i - grid->k_count];
        snprintf(numbers[i], sizeof numbers[i], "%lld", (long long)number);
        labels[i] = numbers[i];
    }
    hr_heat_map map = {.name = "Least loss for every k and p",
                       .about = "A row and a column for each k and p; each cell has the least "
                                "information loss of all runs.",
                       .row_title = turned ? "p" : "k",
                       .column_title = turned ? "k" : "p",
                       .rows = turned ? labels + grid->k_count : labels,
                       .columns = turned ? labels : labels + grid->k_count,
                       .row_count = turned ? grid->p_count : grid->k_count,
                       .column_count = turned ? grid->k_count : grid->p_count,
                       .cells = cells};
    hr_heat_svg(&map, p->out);
}

static hr_status add_question(const hr_page *p, hr_error *err) {
    const hr_grid *grid = &p->compare->grid;
    size_t count = grid->k_count * grid->p_count;
    bool fits = grid->p_count <= HEAT_COLUMNS || grid->k_count <= HEAT_COLUMNS;
    if (count < 2 || !fits || !hr_page_has(p, hr_figure_find("ntil"))) return HR_OK;
    hr_heat_cell *cells = hr_alloc(count, sizeof *cells, err);
    heat_texts *texts = hr_alloc(count, sizeof *texts, err);
    char(*numbers)[24] = hr_alloc(grid->k_count + grid->p_count, sizeof *numbers, err);
    const char **labels = hr_alloc(grid->k_count + grid->p_count, sizeof *labels, err);
    bool made = cells && texts && numbers && labels;
    if (made) {
        hr_text_puts(p->out, "<h2>What does each step of k and p cost?</h2>\n<p>The least "
                             "information loss of any run: 0 %, every value as in the original; "
                             "100 %, every value withheld. Framed: a run worth choosing.</p>\n"
                             "<div class=\"charts\">\n"
                             "<figure class=\"heat\">");
        draw_heat(p, cells, texts, numbers, labels);
        hr_page_caption("Least loss; every class has at least k rows and p sensitive values.",
                        p->out);
        hr_text_puts(p->out, "</div>\n");
    }
    free(cells);
    free(texts);
    free(numbers);
    free(labels);
    return made ? HR_OK : HR_ENOMEM;
}

static void add_words(const hr_page *p) {
    static const char *const words[][2] = {
        {"k, p", "every class has at least k rows, and at least p values of each sensitive column"},
        {"loss (ntil)", "how far values are generalized, from 0 (not at all) to 1 (every value "
                        "withheld); a suppressed row counts as 1"},
        {"least possible (ntil_bound)", "a proved lower bound: no release of the same k, p and "
                                        "boundaries that suppresses no more rows loses less"},
        {"il", "the same loss before it is divided by rows and columns"},
        {"class", "rows that are published alike"},
        {"cluster", "rows that an algorithm put together; clusters published alike are one class"},
        {"suppressed", "rows left out, because no class within the boundaries can take them"},
        {"violations", "values generalized past a boundary, where boundaries are only counted"},
        {"avg, avg_clusters", "rows of a class, or of a cluster, on average, in units of k"},
        {"dm", "sum of the squared class sizes"},
        {"seconds", "time of a run, without reading the data"},
    };
    hr_text_puts(p->out, "<h2>Words</h2>\n<dl>\n");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        hr_text_printf(p->out, "<dt>%s</dt><dd>%s</dd>\n", words[i][0], words[i][1]);
    hr_text_puts(p->out, "</dl>\n");
}

static void add_best(const hr_page *p) {
    bool raised = false;
    for (size_t i = 0; i < p->compare->entry_count; i++)
        raised |= p->compare->entries[i].best &&
                  p->compare->entries[i].asked.k > p->compare->entries[i].k;
    hr_text_puts(
        p->out,
        "<h2>Runs worth choosing</h2>\n<p>For each of these (Pareto-best, ★), no other run here "
        "promises at least as much (k and p) for at most as much loss, suppressed rows and values "
        "past a boundary, and is better in one of these. Take the largest k and p whose loss your "
        "study can bear. In the curves they are the filled marks; point at a mark to read "
        "it.");
    hr_text_puts(p->out,
                 raised ? " A k below p is taken as p, and listed as that.</p>\n" : "</p>\n");
    add_best_runs(p);
}

static hr_status write_page(const hr_page *p, const char *title, hr_error *err) {
    bool done = false;
    for (size_t i = 0; i < p->compare->entry_count; i++)
        done |= p->compare->entries[i].state == HR_ENTRY_DONE;
    add_top(p, title);
    hr_text_puts(p->out, "<p class=\"soft\">Boundaries: ");
    hr_html_text(p->out, p->compare->boundaries);
    hr_text_puts(p->out, "</p>\n");
    HR_TRY(add_question(p, err));
    if (done)
        add_best(p);
    else
        hr_text_puts(p->out, "<p>Nothing could be released; the table says why.</p>\n");
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++)
        HR_TRY(hr_page_add_figure(p, hr_figure_find(drawn[i]), err));
    add_all_runs(p);
    add_words(p);
    hr_page_close(p->out);
    return p->out->failed ? hr_fail(err, HR_ENOMEM, "out of memory while writing the page") : HR_OK;
}

hr_status hr_compare_page(const hr_compare *compare, const char *title, hr_text *out,
                          hr_error *err) {
    hr_page p = {.compare = compare, .out = out};
    find_ranges(&p);
    return write_page(&p, title, err);
}
