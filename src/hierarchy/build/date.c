/* date.c - parts of the calendar: {date: [month, quarter, year, 5 years, decade]}. A level may
 * follow another only if each part of the lower one lies in one part of the higher one. */
#include "hierarchy/build/date.h"

#include <stdlib.h>
#include <string.h>

typedef enum { DAY, WEEK, WEEKDAY, MONTH, QUARTER, YEARS } date_unit;

static const char *const unit_names[] = {
    [DAY] = "day",     [WEEK] = "week",       [WEEKDAY] = "weekday",
    [MONTH] = "month", [QUARTER] = "quarter", [YEARS] = "year"};

typedef struct {
    date_unit unit;
    int years; /* of YEARS: how many; otherwise 0 */
    bool decade;
    const char *name; /* as it was written */
} date_level;

typedef struct {
    const char *format; /* NULL: ISO 8601 */
    int latest;         /* latest year of two digits; 0: 2068 */
    date_level *levels;
    size_t count;
} date_plan;

/* ---- parsing ---- */

/* "5 years" */
static bool read_years(const char *text, int *out) {
    char digits[8];
    size_t length = strspn(text, "0123456789");
    uint64_t years;
    if (length == 0 || length >= sizeof digits || strcmp(text + length, " years")) return false;
    memcpy(digits, text, length);
    digits[length] = '\0';
    if (!hr_parse_uint(digits, 9999, &years) || years == 0) return false;
    *out = (int)years;
    return true;
}

static hr_status read_level(const char *text, date_level *out, hr_error *err) {
    *out = (date_level){.unit = YEARS, .name = text};
    if (read_years(text, &out->years)) return HR_OK;
    if (!strcmp(text, "decade")) {
        out->years = 10;
        out->decade = true;
        return HR_OK;
    }
    for (int unit = DAY; unit <= YEARS; unit++) {
        if (strcmp(text, unit_names[unit])) continue;
        out->unit = (date_unit)unit;
        out->years = unit == YEARS;
        return HR_OK;
    }
    return hr_fail(err, HR_EINVAL,
                   "date: '%s' is not a level: there are day, week, weekday, month, quarter, year, "
                   "N years and decade",
                   text);
}

/* The reason why level `upper` cannot follow `lower`; NULL if it can. */
static const char *why_not(const date_level *lower, const date_level *upper) {
    if (lower->unit == WEEK)
        return upper->unit == WEEKDAY || upper->unit <= WEEK
                   ? "a week has several days"
                   : "a week may lie in two months, quarters or years";
    if (lower->unit == WEEKDAY) return "every weekday occurs in all of them";
    if (upper->unit == WEEK || upper->unit == WEEKDAY)
        return lower->unit == DAY ? NULL : "it has several weeks and all weekdays";
    if (lower->unit == YEARS && upper->unit == YEARS)
        return upper->years > lower->years && upper->years % lower->years == 0
                   ? NULL
                   : "the higher level must be a multiple of the lower one";
    return upper->unit > lower->unit ? NULL : "the levels go from fine to coarse";
}

static hr_status check_levels(const date_plan *p, hr_error *err) {
    for (size_t i = 1; i < p->count; i++) {
        const char *reason = why_not(&p->levels[i - 1], &p->levels[i]);
        if (reason)
            return hr_fail(err, HR_EINVAL, "date: `%s` cannot follow `%s`: %s", p->levels[i].name,
                           p->levels[i - 1].name, reason);
    }
    return HR_OK;
}

/* Checks that the date format has the parts that the levels need. */
static hr_status check_format(const date_plan *p, hr_error *err) {
    bool days, months;
    HR_TRY(hr_date_check_format(p->format, &days, &months, err));
    for (size_t i = 0; i < p->count; i++) {
        date_unit unit = p->levels[i].unit;
        const char *lacking = unit == YEARS              ? NULL
                              : !months                  ? "month"
                              : unit <= WEEKDAY && !days ? "day"
                                                         : NULL;
        if (lacking)
            return hr_fail(err, HR_EINVAL,
                           "date: the level `%s` needs a %s, and the format has "
                           "none",
                           p->levels[i].name, lacking);
    }
    return HR_OK;
}

/* {format: '%d.%m.%y', latest: 2025}: 26 is 1926. */
static hr_status read_latest(const hr_spec *latest, date_plan *p, hr_error *err) {
    const char *text = NULL;
    uint64_t year;
    HR_TRY(hr_spec_text(latest, "date: latest", "a year such as 2025", &text, err));
    if (!hr_parse_uint(text, 9999, &year) || year < 99)
        return hr_fail(err, HR_EINVAL, "date: latest: '%s' is not a year from 99 to 9999", text);
    if (!p->format || !strstr(p->format, "%y"))
        return hr_fail(err, HR_EINVAL,
                       "date: latest is for years of two digits: give a format with %%y");
    p->latest = (int)year;
    return HR_OK;
}

static hr_status parse(const hr_spec *map, hr_arena *arena, void **plan, hr_error *err) {
    const hr_spec *levels = hr_spec_find(map, "date"), *format = hr_spec_find(map, "format");
    const hr_spec *latest = hr_spec_find(map, "latest");
    date_plan *p = hr_arena_alloc(arena, 1, sizeof *p, err);
    if (!p) return HR_ENOMEM;
    *plan = p;
    p->count = levels->kind == HR_SPEC_MAP ? 0 : hr_spec_count(levels);
    if (p->count == 0)
        return hr_fail(err, HR_EINVAL, "date: write levels, such as [month, year, decade]");
    p->levels = hr_arena_alloc(arena, p->count, sizeof *p->levels, err);
    if (!p->levels) return HR_ENOMEM;
    for (size_t i = 0; i < p->count; i++) {
        const char *text = NULL;
        HR_TRY(hr_spec_text(hr_spec_item(levels, i), "date", "names of levels", &text, err));
        HR_TRY(read_level(text, &p->levels[i], err));
    }
    HR_TRY(check_levels(p, err));
    if (format) {
        HR_TRY(hr_spec_text(format, "date: format", "one such as %d.%m.%Y", &p->format, err));
        HR_TRY(check_format(p, err));
    }
    return latest ? read_latest(latest, p, err) : HR_OK;
}

/* ---- labels ---- */

static void print_years(const date_level *level, int year, hr_text *out) {
    int first = year - year % level->years;
    if (level->decade)
        hr_text_printf(out, "%04ds", first);
    else if (level->years == 1)
        hr_text_printf(out, "%04d", first);
    else
        hr_text_printf(out, "%04d-%04d", first, first + level->years - 1);
}

static void print_label(const date_level *level, hr_date date, hr_text *out) {
    static const char *const weekdays[] = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                           "Friday", "Saturday", "Sunday"};
    int year, week;
    switch (level->unit) {
    case DAY: hr_text_printf(out, "%04d-%02d-%02d", date.year, date.month, date.day); break;
    case WEEK:
        week = hr_date_week(date, &year);
        hr_text_printf(out, "%04d-W%02d", year, week);
        break;
    case WEEKDAY: hr_text_puts(out, weekdays[hr_date_weekday(date)]); break;
    case MONTH: hr_text_printf(out, "%04d-%02d", date.year, date.month); break;
    case QUARTER: hr_text_printf(out, "%04d-Q%d", date.year, (date.month + 2) / 3); break;
    case YEARS: print_years(level, date.year, out); break;
    }
}

/* ---- building ---- */

static hr_status no_date(const date_plan *p, const hr_stage *stage, uint32_t value, hr_error *err) {
    if (stage->on_labels) return hr_stage_no_fit(stage, value, "a date", err);
    if (p->format)
        return hr_stage_fail(stage, value, err,
                             "'%s' is not a date of the format %s; correct it, or list it under "
                             "`missing`",
                             stage->text[value], p->format);
    return hr_stage_fail(
        stage, value, err,
        "'%s' is not a date such as 2024-02-29; correct it, list it under `missing`, "
        "or give its format, such as {date: [year], format: '%%d.%%m.%%Y'}",
        stage->text[value]);
}

/* Reads all dates and sets the order of the leaves: by day, then by text. */
static hr_status read_dates(const date_plan *p, hr_stage *stage, hr_date *dates, hr_error *err) {
    for (uint32_t i = 0; i < stage->count; i++) {
        const char *text = stage->text[i];
        bool good = p->format ? hr_date_read(text, p->format, p->latest, &dates[i])
                              : hr_date_read_iso(text, &dates[i]);
        if (!good) return no_date(p, stage, i, err);
        stage->key[i] = (double)hr_date_number(dates[i]);
    }
    return HR_OK;
}

static hr_status build(const void *plan, hr_stage *stage, hr_error *err) {
    const date_plan *p = plan;
    hr_date *dates = hr_alloc_raw(stage->count, sizeof *dates, err);
    if (!dates) return HR_ENOMEM;
    hr_text label = {0};
    hr_status status = read_dates(p, stage, dates, err);
    for (size_t l = 0; l < p->count && status == HR_OK; l++) {
        hr_level *level;
        status = hr_stage_add(stage, p->levels[l].name, &level, err);
        for (uint32_t i = 0; i < stage->count && status == HR_OK; i++) {
            print_label(&p->levels[l], dates[i], &label);
            status = hr_level_set_text(level, i, &label, err);
        }
    }
    hr_text_free(&label);
    free(dates);
    return status;
}

const hr_builder hr_builder_date = {
    .name = "date",
    .title = "Parts of the calendar",
    .argument = "[LEVEL, LEVEL]",
    .help = "day, week, weekday, month, quarter, year, N years, decade; format: %d.%m.%Y",
    .keys = "format latest",
    .parse = parse,
    .build = build,
};
