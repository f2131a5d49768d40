/* init_build.c - chooses hierarchies for quasi-identifiers and bins for sensitive numbers. Each
 * kind of column has a few recipes, the best first; the first one that can be built from the values
 * is taken. The last one, `flat`, can always be built. */
#include "run/init/init.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- Numbers of a column ---- */

typedef struct {
    double value;
    uint64_t rows;
} counted_number;

typedef struct {
    counted_number *items; /* ascending, on the heap */
    size_t count;
    uint64_t rows;
} number_list;

static int by_value(const void *a, const void *b) {
    double x = ((const counted_number *)a)->value, y = ((const counted_number *)b)->value;
    return (x > y) - (x < y);
}

static hr_status list_numbers(const hr_profile *profile, number_list *out, hr_error *err) {
    const hr_dictionary *values = &profile->column->dictionary;
    *out = (number_list){.items = hr_alloc(values->count, sizeof *out->items, err)};
    if (!out->items) return HR_ENOMEM;
    for (uint32_t code = 0; code < values->count; code++) {
        double value;
        if (profile->is_missing[code] || profile->rows_of[code] == 0 ||
            !hr_parse_number(hr_dictionary_text(values, code), profile->point, &value))
            continue;
        out->items[out->count++] = (counted_number){value, profile->rows_of[code]};
        out->rows += profile->rows_of[code];
    }
    qsort(out->items, out->count, sizeof *out->items, by_value);
    return HR_OK;
}

/* The number below which `share` of the rows lie. */
static double quantile(const number_list *list, double share) {
    double passed = 0, limit = share * (double)list->rows;
    for (size_t i = 0; i < list->count; i++)
        if ((passed += (double)list->items[i].rows) >= limit) return list->items[i].value;
    return list->count ? list->items[list->count - 1].value : 0;
}

/* ---- Recipes ---- */

enum { RECIPES = 6 };

typedef struct {
    hr_draft *draft;
    hr_draft_part *part;
    const char *recipe[RECIPES], *boundary[RECIPES]; /* the boundary that a comment suggests */
    size_t count;
} recipe_list;

static hr_status add(recipe_list *list, const char *recipe, const char *boundary, hr_error *err) {
    if (!recipe) return HR_ENOMEM;
    (void)err;
    if (list->count == RECIPES) return HR_OK;
    list->recipe[list->count] = recipe;
    list->boundary[list->count++] = boundary;
    return HR_OK;
}

/* Nobody is born later. */
static int this_year(void) {
    time_t now = time(NULL);
    struct tm parts;
    return gmtime_r(&now, &parts) ? parts.tm_year + 1900 : 2068;
}

static hr_status add_date(recipe_list *list, hr_error *err) {
    const hr_profile *profile = &list->part->profile;
    bool birth = list->part->concept && list->part->concept->meaning == HR_MEANS_BIRTH;
    const char *format = profile->date_format, *levels, *boundary;
    double days = profile->greatest - profile->least;
    if (birth || days > 20 * 366) {
        levels = "month, year, 5 years, 10 years, 20 years";
        boundary = "{level: 10 years}";
    } else if (days > 6 * 366) {
        levels = "month, quarter, year, 5 years";
        boundary = "{level: year}";
    } else if (days > 366) {
        levels = "month, quarter, year";
        boundary = "{level: year}";
    } else if (days > 62) {
        levels = "month, quarter";
        boundary = "{level: quarter}";
    } else {
        levels = "week";
        boundary = "{level: week}";
    }
    bool no_days = format && !strstr(format, "%d");
    if (no_days && !strncmp(levels, "month, ", 7)) levels += 7;
    const char *day = profile->has_time && !no_days ? "day, " : "";
    if (!format)
        return add(list, hr_draft_text(list->draft, err, "{date: [%s%s]}", day, levels), boundary,
                   err);
    char latest[32] = "";
    if (birth && strstr(format, "%y")) snprintf(latest, sizeof latest, ", latest: %d", this_year());
    return add(list,
               hr_draft_text(list->draft, err, "{date: [%s%s], format: '%s'%s}", day, levels,
                             format, latest),
               boundary, err);
}

/* Codes whose first characters are larger areas or groups. */
static hr_status add_prefix(recipe_list *list, hr_error *err) {
    const hr_profile *profile = &list->part->profile;
    size_t length = profile->longest;
    if (length > 24 || profile->shortest < 2) return HR_OK;
    if (length > 7) return add(list, "{prefix: [5, 3, 2, 1]}", "{level: prefix 2}", err);
    if (length >= 5) return add(list, "{prefix: [3, 2, 1]}", "{level: prefix 2}", err);
    if (length >= 3) return add(list, "{prefix: [2, 1]}", "{level: prefix 1}", err);
    return HR_OK;
}

/* 1, 2 or 5 times a power of ten, at least `width`. */
static double nice(double width) {
    double unit = 1;
    while (unit > width)
        unit /= 10;
    while (unit * 10 <= width)
        unit *= 10;
    return width <= unit       ? unit
           : width <= 2 * unit ? 2 * unit
           : width <= 5 * unit ? 5 * unit
                               : 10 * unit;
}

static hr_status add_age(recipe_list *list, hr_error *err) {
    const hr_profile *profile = &list->part->profile;
    bool top = profile->greatest >= 90 && profile->greatest < 200;
    return add(list, top ? "{intervals: [5, 10, 20, 40], top: 90}" : "{intervals: [5, 10, 20, 40]}",
               "{level: width 20}", err);
}

/* Adds intervals of one width if the numbers spread evenly, otherwise intervals of equally many
 * rows. */
static hr_status add_numbers(recipe_list *list, hr_error *err) {
    const hr_profile *profile = &list->part->profile;
    number_list numbers;
    if (!profile->bins_fit || profile->values < 3) return HR_OK;
    HR_TRY(list_numbers(profile, &numbers, err));
    double low = quantile(&numbers, 0.02), middle = quantile(&numbers, 0.5);
    double high = quantile(&numbers, 0.98), range = high - low;
    bool skewed = high - middle > 2.5 * (middle - low) || middle - low > 2.5 * (high - middle) ||
                  profile->greatest - profile->least > 3 * range;
    free(numbers.items);
    if (skewed || range <= 0)
        return add(list,
                   profile->values > 16  ? "{quantiles: [16, 8, 4, 2]}"
                   : profile->values > 8 ? "{quantiles: [8, 4, 2]}"
                                         : "{quantiles: [4, 2]}",
                   NULL, err);
    double width = nice(range / 16);
    if (profile->look == HR_LOOK_INTEGER && width < 2) width = 2;
    hr_text text = {0};
    char boundary[64] = "";
    hr_text_puts(&text, "{intervals: [");
    for (int i = 0; i < 4 && (i == 0 || width < range); i++, width *= 2) {
        hr_text_printf(&text, "%s%.10g", i ? ", " : "", width);
        snprintf(boundary, sizeof boundary, "{level: width %.10g}", width);
    }
    const char *from = hr_draft_text(list->draft, err, "%s", boundary);
    const char *recipe = text.failed ? NULL : hr_draft_text(list->draft, err, "%s]}", text.data);
    hr_text_free(&text);
    return from ? add(list, recipe, from, err) : HR_ENOMEM;
}

static hr_status add_frequency(recipe_list *list, hr_error *err) {
    uint32_t groups = list->part->profile.values, step = groups > 64 ? 4 : 2;
    if (groups < 5) return HR_OK;
    hr_text text = {0};
    hr_text_puts(&text, "{frequency: [");
    for (bool first = true; (groups = (groups + step - 1) / step) >= 2; first = false)
        hr_text_printf(&text, "%s%u", first ? "" : ", ", groups);
    const char *recipe = text.failed ? NULL : hr_draft_text(list->draft, err, "%s]}", text.data);
    hr_text_free(&text);
    return add(list, recipe, NULL, err);
}

/* Are the numbers of a column amounts? In a column of a trait they may be codes without a
 * meaningful order. */
static bool is_amount(const hr_draft_part *part) {
    static const char words[] =
        "hours* *stunden arbeitszeit years* *years child* *children kinder* *kinder *size "
        "*grosse num number anzahl* nombre* nb* count *hijos figli* horas* heures* ore* "
        "taille* tamano* numero* tenure seniority anciennete antiguedad anzianita dienstalter "
        "experience siblings persons personen* componenti* miembros*";
    return part->profile.look == HR_LOOK_DECIMAL || hr_name_has(&part->words, words);
}

static hr_status list_recipes(recipe_list *list, hr_error *err) {
    const hr_draft_part *part = list->part;
    const hr_profile *profile = &part->profile;
    hr_meaning meaning = part->concept ? part->concept->meaning : HR_MEANS_NOTHING;
    bool number = profile->look == HR_LOOK_INTEGER || profile->look == HR_LOOK_DECIMAL;
    bool few = profile->values <= 4;
    bool year = number && profile->least >= 1850 && profile->greatest <= 2150;
    if (profile->look == HR_LOOK_DATE) return add_date(list, err);
    if (profile->clock && !few)
        HR_TRY(add(list, "{prefix: [2]}", NULL, err)); /* the hour */
    else if (meaning == HR_MEANS_POSTAL && !few)
        HR_TRY(add_prefix(list, err));
    else if (few)
        return HR_OK;
    else if (meaning == HR_MEANS_AGE && number && profile->greatest > 20)
        HR_TRY(add_age(list, err));
    else if (year && profile->greatest - profile->least > 20)
        HR_TRY(add(list, "{intervals: [5, 10, 20, 40]}", "{level: width 20}", err));
    else if ((meaning == HR_MEANS_PLACE || meaning == HR_MEANS_TRAIT || meaning == HR_MEANS_UNIT ||
              meaning == HR_MEANS_CODE) &&
             !is_amount(part)) {
        bool codes = profile->digits || profile->codes;
        if (codes && profile->values > 20) HR_TRY(add_prefix(list, err));
    } else if (number)
        HR_TRY(add_numbers(list, err));
    return add_frequency(list, err);
}

/* ---- One quasi-identifier ---- */

static hr_status try_recipe(hr_draft *draft, size_t column, const char *recipe, bool *works,
                            hr_error *err) {
    hr_hierarchy *tree;
    hr_error why = {0};
    hr_hierarchy_make_request request = {.size = sizeof request,
                                         .spec = recipe,
                                         .table = draft->table,
                                         .column = column,
                                         .missing = draft->missing.texts,
                                         .missing_count = draft->missing.count,
                                         .group_missing = true,
                                         .decimal = draft->point};
    hr_status status = hr_hierarchy_make(&request, &tree, &why);
    if (status == HR_ENOMEM) return hr_fail(err, status, "%s", why.message);
    *works = status == HR_OK;
    if (*works) hr_hierarchy_free(tree);
    return HR_OK;
}

/* Is the quasi-identifier published as intervals of each class, without hierarchy? Money and
 * numbers of unknown meaning are. */
static bool is_numeric(const hr_draft_part *part) {
    hr_meaning meaning = part->concept ? part->concept->meaning : HR_MEANS_NOTHING;
    bool free = meaning == HR_MEANS_NOTHING || meaning == HR_MEANS_MONEY ||
                meaning == HR_MEANS_WEIGHTING || meaning == HR_MEANS_HEALTH;
    return free && part->profile.bins_fit && part->profile.missing == 0 &&
           part->profile.values > 16;
}

static hr_status build_quasi(hr_draft *draft, size_t column, hr_error *err) {
    hr_draft_part *part = &draft->parts[column];
    recipe_list list = {.draft = draft, .part = part};
    part->suggestion = NULL;
    if (is_numeric(part)) {
        part->hierarchy = NULL;
        return HR_OK;
    }
    HR_TRY(list_recipes(&list, err));
    for (size_t i = 0; i < list.count; i++) {
        bool works = false;
        HR_TRY(try_recipe(draft, column, list.recipe[i], &works, err));
        if (!works) continue;
        part->hierarchy = list.recipe[i];
        part->suggestion = list.boundary[i];
        return HR_OK;
    }
    part->hierarchy = "flat";
    return HR_OK;
}

/* ---- Sensitive attributes ---- */

/* Rows of the fullest of `bins` equally wide parts of the range. */
static uint64_t fullest(const number_list *list, uint32_t bins) {
    double least = list->items[0].value, greatest = list->items[list->count - 1].value;
    double width = (greatest - least) / bins;
    uint64_t most = 0, rows = 0;
    uint32_t now = 0;
    for (size_t i = 0; i < list->count; i++) {
        double at = width > 0 ? (list->items[i].value - least) / width : 0;
        uint32_t bin = at >= bins - 1 ? bins - 1 : (uint32_t)at;
        rows = bin == now ? rows + list->items[i].rows : list->items[i].rows;
        now = bin;
        if (rows > most) most = rows;
    }
    return most;
}

/* Chooses the smallest number of bins such that no bin has more than half of the rows. */
static hr_status build_sensitive(hr_draft_part *part, hr_error *err) {
    const hr_profile *profile = &part->profile;
    uint64_t present = profile->rows - profile->missing, most = profile->most;
    part->bins = 0;
    if (profile->bins_fit && profile->values > 20) {
        number_list list;
        HR_TRY(list_numbers(profile, &list, err));
        for (uint32_t bins = 8; bins <= 256; bins *= 2) {
            uint64_t rows = fullest(&list, bins);
            if (part->bins > 0 && rows * 10 > most * 9) continue; /* hardly better */
            part->bins = bins;
            most = rows;
            if (most * 2 <= present) break;
        }
        free(list.items);
    }
    part->minor = profile->rows ? (double)(present - most) / (double)profile->rows : 0;
    return HR_OK;
}

/* ---- The whole ---- */

hr_status hr_draft_build(hr_draft *draft, hr_error *err) {
    size_t sensitive = 0, skewed = 0;
    for (size_t i = 0; i < draft->table->column_count; i++) {
        hr_draft_part *part = &draft->parts[i];
        part->hierarchy = part->suggestion = NULL;
        part->bins = 0;
        if (part->role == HR_ROLE_QUASI) HR_TRY(build_quasi(draft, i, err));
        if (part->role != HR_ROLE_SENSITIVE) continue;
        HR_TRY(build_sensitive(part, err));
        sensitive++;
        skewed += part->minor < HR_DRAFT_MINOR;
    }
    draft->p = sensitive > 0 && skewed == 0 ? 2 : 1;
    return HR_OK;
}
