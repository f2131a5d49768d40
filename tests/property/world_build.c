/* world_build.c - random columns whose hierarchy the library builds. The expected tree is made here
 * from the values of the column, as the manual defines each builder. */
#include "world.h"

#include <stdio.h>
#include <string.h>

enum { MOST_BUILT = 8, BUILT_LEVELS = 4 };

/* A value of the column, with what its order and its labels depend on. */
typedef struct {
    char text[MOST_TEXT];
    int rows;
    int number;           /* in halves; of a date its days */
    int year, month, day; /* of a date */
} value;

typedef struct {
    world *w;
    quasi *q;
    dice *d;
    int pool_count, count, levels;
    value pool[MOST_BUILT];   /* the values to draw from */
    value values[MOST_BUILT]; /* those that occur, in the order of the leaves */
    bool by_number;           /* leaves are ordered by number, not bytewise */
    char label[BUILT_LEVELS][MOST_BUILT][MOST_TEXT];
} column;

/* ---- Values ---- */

/* Days since 1 March of the year 0, in the Gregorian calendar. */
static int days_of(int year, int month, int day) {
    int y = month < 3 ? year - 1 : year, m = (month + 9) % 12;
    return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1;
}

static int month_days(int year, int month) {
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && leap);
}

static void halves_text(int halves, char *out) {
    int size = halves < 0 ? -halves : halves;
    snprintf(out, MOST_TEXT, "%s%d%s", halves < 0 ? "-" : "", size / 2, size % 2 ? ".5" : "");
}

static value draw_number(dice *d, bool whole) {
    value v = {.number = roll(d, -20, 110) * 2};
    if (!whole && chance(d, 40)) v.number++;
    halves_text(v.number, v.text);
    return v;
}

static value draw_date(dice *d, bool german) {
    static const int years[] = {1896, 1899, 1900, 1904, 1999, 2000, 2004, 2008};
    value v = {.year = years[roll(d, 0, 7)], .month = roll(d, 1, 12)};
    if (chance(d, 30)) v.month = 2;
    v.day = chance(d, 30) ? month_days(v.year, v.month) : roll(d, 1, month_days(v.year, v.month));
    if (chance(d, 20)) v.month = chance(d, 50) ? 1 : 12; /* weeks of the next or the last year */
    v.number = days_of(v.year, v.month, v.day);
    if (german)
        snprintf(v.text, sizeof v.text, "%02d.%02d.%04d", v.day, v.month, v.year);
    else
        snprintf(v.text, sizeof v.text, "%04d-%02d-%02d", v.year, v.month, v.day);
    return v;
}

static value draw_code(dice *d) {
    value v = {0};
    snprintf(v.text, sizeof v.text, "%c0%d", 'A' + roll(d, 0, 1), roll(d, 0, 9));
    if (chance(d, 60)) snprintf(v.text + 3, sizeof v.text - 3, ".%d", roll(d, 0, 9));
    return v;
}

static void add_to_pool(column *c, const value *v) {
    for (int i = 0; i < c->pool_count; i++)
        if (!strcmp(c->pool[i].text, v->text)) return;
    c->pool[c->pool_count++] = *v;
}

/* Fills the cells, some of them with missing values. Row 0 has a value. */
static void fill_cells(column *c) {
    world *w = c->w;
    bool gaps = chance(c->d, 25), any = false;
    for (int row = 0; row < w->input.rows; row++) {
        char *cell = w->input.cell[row][c->q->column];
        bool gap = gaps && row > 0 && chance(c->d, 20);
        any |= gap;
        if (gap)
            put_text(cell, w->missing[roll(c->d, 0, w->missing_count - 1)]);
        else
            put_text(cell, c->pool[roll(c->d, 0, c->pool_count - 1)].text);
    }
    c->q->group_missing = any && chance(c->d, 60);
    c->q->drop_missing = any && !c->q->group_missing;
}

static bool comes_first(const column *c, const value *a, const value *b) {
    if (c->by_number && a->number != b->number) return a->number < b->number;
    return strcmp(a->text, b->text) < 0;
}

/* The values that occur, with their rows. */
static void count_values(column *c) {
    for (int i = 0; i < c->pool_count; i++) {
        value v = c->pool[i];
        v.rows = 0;
        for (int row = 0; row < c->w->input.rows; row++)
            v.rows += !strcmp(c->w->input.cell[row][c->q->column], v.text);
        if (v.rows == 0) continue;
        int at = c->count++;
        for (; at > 0 && comes_first(c, &v, &c->values[at - 1]); at--)
            c->values[at] = c->values[at - 1];
        c->values[at] = v;
    }
}

static void use(column *c, const char *format, int a, int b) {
    snprintf(c->q->builder, sizeof c->q->builder, format, a, b);
}

/* ---- Numbers ---- */

static bool all_whole(const column *c) {
    for (int i = 0; i < c->count; i++)
        if (c->values[i].number % 2) return false;
    return true;
}

/* Ends are whole numbers; `hi` is not part of the interval. */
static void interval_label(const column *c, int lo, int hi, char *out) {
    if (!all_whole(c))
        snprintf(out, MOST_TEXT, "[%d, %d[", lo, hi);
    else if (hi - lo == 1)
        snprintf(out, MOST_TEXT, "%d", lo);
    else
        snprintf(out, MOST_TEXT, "%d..%d", lo, hi - 1);
}

static int floor_half(int halves) {
    return halves >= 0 ? halves / 2 : -((1 - halves) / 2);
}

static void intervals_level(column *c, int width, int from, const int *bottom, const int *top) {
    for (int i = 0; i < c->count; i++) {
        char *out = c->label[c->levels][i];
        int number = floor_half(c->values[i].number), lo = from;
        if (bottom && c->values[i].number < *bottom * 2) {
            snprintf(out, MOST_TEXT, "<%d", *bottom);
            continue;
        }
        if (top && c->values[i].number >= *top * 2) {
            snprintf(out, MOST_TEXT, "%d+", *top);
            continue;
        }
        while (lo > number)
            lo -= width;
        while (lo + width <= number)
            lo += width;
        int hi = lo + width;
        if (bottom && lo < *bottom) lo = *bottom;
        if (top && hi > *top) hi = *top;
        interval_label(c, lo, hi, out);
    }
    c->levels++;
}

static void build_intervals(column *c) {
    int width = roll(c->d, 2, 15), times = roll(c->d, 2, 4), from = roll(c->d, -3, 3);
    int bottom = roll(c->d, -10, 30), top = bottom + roll(c->d, 1, 90);
    bool two = chance(c->d, 60), has_bottom = chance(c->d, 40), has_top = chance(c->d, 40);
    char *out = c->q->builder, *end = out + sizeof c->q->builder;
    out += snprintf(out, (size_t)(end - out), two ? "{intervals: [%d, %d]" : "{intervals: %d",
                    width, width * times);
    if (from) out += snprintf(out, (size_t)(end - out), ", from: %d", from);
    if (has_bottom) out += snprintf(out, (size_t)(end - out), ", bottom: %d", bottom);
    if (has_top) out += snprintf(out, (size_t)(end - out), ", top: %d", top);
    snprintf(out, (size_t)(end - out), "}");
    for (int level = 0; level < 1 + two; level++)
        intervals_level(c, level ? width * times : width, from, has_bottom ? &bottom : NULL,
                        has_top ? &top : NULL);
}

static void cuts_level(column *c, const int *cut, int cuts) {
    for (int i = 0; i < c->count; i++) {
        char *out = c->label[c->levels][i];
        int at = 0; /* points at or below the number */
        while (at < cuts && cut[at] * 2 <= c->values[i].number)
            at++;
        if (at == 0)
            snprintf(out, MOST_TEXT, "<%d", cut[0]);
        else if (at == cuts)
            snprintf(out, MOST_TEXT, "%d+", cut[cuts - 1]);
        else
            interval_label(c, cut[at - 1], cut[at], out);
    }
    c->levels++;
}

static void build_cuts(column *c) {
    int cut[3];
    cut[0] = roll(c->d, -15, 40);
    cut[1] = cut[0] + roll(c->d, 1, 30);
    cut[2] = cut[1] + roll(c->d, 1, 30);
    snprintf(c->q->builder, sizeof c->q->builder, "{cuts: [[%d, %d, %d], [%d]]}", cut[0], cut[1],
             cut[2], cut[1]);
    cuts_level(c, cut, 3);
    cuts_level(c, cut + 1, 1);
}

/* A number belongs to the part in which the middle of its rows lies. */
static void quantiles_level(column *c, int parts) {
    int part[MOST_BUILT], before = 0, all = 0;
    for (int i = 0; i < c->count; i++)
        all += c->values[i].rows;
    for (int i = 0; i < c->count; i++) {
        part[i] = (2 * before + c->values[i].rows) * parts / (2 * all);
        before += c->values[i].rows;
    }
    for (int i = 0; i < c->count; i++) {
        int first = i, last = i;
        while (first > 0 && part[first - 1] == part[i])
            first--;
        while (last + 1 < c->count && part[last + 1] == part[i])
            last++;
        snprintf(c->label[c->levels][i], MOST_TEXT, first == last ? "%.90s" : "%.90s..%.90s",
                 c->values[first].text, c->values[last].text);
    }
    c->levels++;
}

static void build_quantiles(column *c) {
    int parts = roll(c->d, 1, 3), times = roll(c->d, 2, 3);
    use(c, "{quantiles: [%d, %d]}", parts * times, parts);
    quantiles_level(c, parts * times);
    quantiles_level(c, parts);
}

/* ---- Dates ---- */

/* ISO 8601: the week with the year's first Thursday is week 1. */
static void week_label(const value *v, char *out) {
    int monday = v->number - (v->number + 2) % 7; /* 1 March of the year 0 was a Wednesday */
    int thursday = monday + 3, year = v->year;
    if (thursday >= days_of(year + 1, 1, 1))
        year++;
    else if (thursday < days_of(year, 1, 1))
        year--;
    snprintf(out, MOST_TEXT, "%04d-W%02d", year, (thursday - days_of(year, 1, 1)) / 7 + 1);
}

static void date_label(const value *v, int kind, char *out) {
    static const char *const weekdays[] = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                           "Friday", "Saturday", "Sunday"};
    switch (kind) {
    case 0: snprintf(out, MOST_TEXT, "%04d-%02d", v->year, v->month); break;
    case 1: snprintf(out, MOST_TEXT, "%04d-Q%d", v->year, (v->month - 1) / 3 + 1); break;
    case 2: snprintf(out, MOST_TEXT, "%04d", v->year); break;
    case 3: snprintf(out, MOST_TEXT, "%04d-%04d", v->year / 5 * 5, v->year / 5 * 5 + 4); break;
    case 4: snprintf(out, MOST_TEXT, "%04ds", v->year / 10 * 10); break;
    case 5: week_label(v, out); break;
    default: put_text(out, weekdays[(v->number + 2) % 7]); break;
    }
}

static void build_dates(column *c, bool german) {
    static const char *const names[] = {"month",  "quarter", "year",   "5 years",
                                        "decade", "week",    "weekday"};
    int kinds[BUILT_LEVELS], count = 0;
    for (int kind = 0; kind < 5 && count < 3; kind++)
        if (chance(c->d, 50)) kinds[count++] = kind;
    if (count == 0 || chance(c->d, 25)) {
        count = 1; /* neither lies within another level */
        kinds[0] = roll(c->d, 5, 6);
    }
    char *out = c->q->builder, *end = out + sizeof c->q->builder;
    out += snprintf(out, (size_t)(end - out), "{date: [");
    for (int l = 0; l < count; l++)
        out += snprintf(out, (size_t)(end - out), "%s%s", l > 0 ? ", " : "", names[kinds[l]]);
    snprintf(out, (size_t)(end - out), german ? "], format: '%%d.%%m.%%Y'}" : "]}");
    for (int l = 0; l < count; l++, c->levels++)
        for (int i = 0; i < c->count; i++)
            date_label(&c->values[i], kinds[l], c->label[c->levels][i]);
}

/* ---- Codes and categories ---- */

static void prefix_level(column *c, int kept) {
    for (int i = 0; i < c->count; i++) {
        const char *text = c->values[i].text;
        bool cut = (int)strlen(text) > kept;
        snprintf(c->label[c->levels][i], MOST_TEXT, "%.*s%s", kept, text, cut ? "*" : "");
    }
    c->levels++;
}

static void build_prefix(column *c) {
    int longest = roll(c->d, 2, 3);
    bool two = chance(c->d, 50);
    use(c, two ? "{prefix: [%d, %d]}" : "{prefix: %d}", longest, longest - 1);
    prefix_level(c, longest);
    if (two) prefix_level(c, longest - 1);
}

static void add_file_line(quasi *q, const char *child, char mark, const char *parent) {
    size_t length = strlen(q->builder_file);
    snprintf(q->builder_file + length, sizeof q->builder_file - length, "%s%c%s\n", child, mark,
             parent);
}

/* Adds the parents of the last level (of the values, if there is none), and for some of them a
 * parent of their own. A label without one stays as it is on the highest level. */
static void add_parents(column *c, int groups) {
    char highest[MOST_BUILT][MOST_TEXT] = {{0}}, group[MOST_TEXT];
    bool parented[MOST_BUILT] = {false}, two = chance(c->d, 60), any = false;
    int own = c->levels;
    for (int g = 0; g < groups; g++)
        parented[g] = two && chance(c->d, 70);
    for (int i = 0; i < c->count; i++) {
        const char *child = own ? c->label[own - 1][i] : c->values[i].text;
        int g = (child[0] + child[1]) % groups; /* equal labels have one parent */
        snprintf(group, sizeof group, "group %d", g);
        put_text(c->label[own][i], group);
        put_text(highest[i], parented[g] ? "upper" : group);
        any |= parented[g];
        add_file_line(c->q, child, ';', group);
    }
    for (int g = 0; g < groups; g++) {
        snprintf(group, sizeof group, "group %d", g);
        if (parented[g]) add_file_line(c->q, group, ';', "upper");
    }
    if (any) memcpy(c->label[own + 1], highest, sizeof highest);
    c->levels += 1 + any;
}

static void build_parents(column *c, int number) {
    use(c, "{parents: b%d.csv}", number, 0);
    add_parents(c, roll(c->d, 1, 3));
}

static void build_composed(column *c, int number) {
    use(c, "[{prefix: [2]}, {parents: b%d.csv}]", number, 0);
    prefix_level(c, 2);
    add_parents(c, roll(c->d, 1, 3));
}

static void build_ranges(column *c, int number) {
    static const char *const ranges[] = {"A00-A04", "A05-A09", "B00-B06", "B07-B09"};
    static const char *const chapters[] = {"I", "I", "I or II", "II"};
    use(c, "{ranges: b%d.csv}", number, 0);
    for (int r = 0; r < 4; r++)
        add_file_line(c->q, ranges[r], ';', chapters[r]);
    for (int i = 0; i < c->count; i++) {
        char text[MOST_TEXT]; /* a copy: gcc sees that both texts lie in the same column */
        memcpy(text, c->values[i].text, sizeof text);
        int r = text[0] == 'A' ? text[2] > '4' : 2 + (text[2] > '6');
        snprintf(c->label[0][i], MOST_TEXT, "%.3s", text);
        put_text(c->label[1][i], ranges[r]);
        put_text(c->label[2][i], chapters[r]);
    }
    c->levels = 3;
}

/* The two rarest groups are joined: single values before joined ones, then the first bytewise or
 * the first that was made. */
static void build_frequency(column *c) {
    int group[MOST_BUILT], rows[2 * MOST_BUILT] = {0}, made = c->count, left = c->count;
    bool gone[2 * MOST_BUILT] = {false};
    int first = roll(c->d, 2, 5), second = roll(c->d, 1, first - 1);
    use(c, "{frequency: [%d, %d]}", first, second);
    for (int i = 0; i < c->count; i++) {
        group[i] = i;
        rows[i] = c->values[i].rows;
    }
    for (c->levels = 0; c->levels < 2; c->levels++) {
        for (; left > (c->levels ? second : first); left--, made++)
            for (int n = 0; n < 2; n++) {
                int rarest = -1;
                for (int g = 0; g < made; g++)
                    if (!gone[g] && (rarest < 0 || rows[g] < rows[rarest])) rarest = g;
                gone[rarest] = true;
                rows[made] += rows[rarest];
                for (int i = 0; i < c->count; i++)
                    if (group[i] == rarest) group[i] = made;
            }
        for (int i = 0; i < c->count; i++) {
            char *out = c->label[c->levels][i];
            int members = 0, named = 0;
            for (int j = 0; j < c->count; j++)
                members += group[j] == group[i];
            out[0] = '\0';
            for (int j = 0; j < c->count; j++) {
                if (group[j] != group[i] || named == (members > 3 ? 2 : 3)) continue;
                size_t length = strlen(out);
                char text[MOST_TEXT];
                memcpy(text, c->values[j].text, sizeof text);
                snprintf(out + length, MOST_TEXT - length, "%s%.40s", named++ ? ", " : "", text);
            }
            size_t length = strlen(out);
            if (members > named)
                snprintf(out + length, MOST_TEXT - length, " and %d more", members - named);
        }
    }
}

/* ---- The tree ---- */

static void write_lines(column *c) {
    tree *t = &c->q->tree;
    t->levels = c->levels + 2;
    t->lines = 0;
    for (int i = 0; i < c->count; i++, t->lines++) {
        put_text(t->text[i][0], c->values[i].text);
        for (int level = 0; level < c->levels; level++)
            put_text(t->text[i][level + 1], c->label[level][i]);
        put_text(t->text[i][c->levels + 1], "*");
    }
    for (int m = 0; c->q->group_missing && m < c->w->missing_count; m++) {
        bool found = false;
        for (int row = 0; row < c->w->input.rows; row++)
            found |= !strcmp(c->w->input.cell[row][c->q->column], c->w->missing[m]);
        if (!found) continue;
        for (int level = 0; level + 1 < t->levels; level++)
            put_text(t->text[t->lines][level], c->w->missing[m]);
        put_text(t->text[t->lines++][t->levels - 1], "*");
        break;
    }
    tree_understand(t);
}

void world_fill_built(world *w, quasi *q, dice *d) {
    static column c;
    enum { INTERVALS, CUTS, QUANTILES, DATE, PREFIX, PARENTS, COMPOSED, RANGES, FREQUENCY };
    int kind = roll(d, INTERVALS, FREQUENCY), number = (int)(q - w->quasi);
    bool whole = chance(d, 60), german = chance(d, 30);
    memset(&c, 0, sizeof c);
    c.w = w, c.q = q, c.d = d;
    c.by_number = kind <= DATE;
    for (int tries = roll(d, 1, MOST_BUILT); tries > 0; tries--) {
        value v = {0};
        if (kind <= QUANTILES)
            v = draw_number(d, whole);
        else if (kind == DATE)
            v = draw_date(d, german);
        else if (kind == RANGES)
            v = draw_code(d);
        else
            snprintf(v.text, sizeof v.text, "%d", roll(d, 10, chance(d, 80) ? 9999 : 99));
        add_to_pool(&c, &v);
    }
    fill_cells(&c);
    count_values(&c);
    switch (kind) {
    case INTERVALS: build_intervals(&c); break;
    case CUTS: build_cuts(&c); break;
    case QUANTILES: build_quantiles(&c); break;
    case DATE: build_dates(&c, german); break;
    case PREFIX: build_prefix(&c); break;
    case PARENTS: build_parents(&c, number); break;
    case COMPOSED: build_composed(&c, number); break;
    case RANGES: build_ranges(&c, number); break;
    default: build_frequency(&c); break;
    }
    write_lines(&c);
}
