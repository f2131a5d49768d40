/* published.c - reads a published value of a masked file, written by Hedgerow or another tool: a
 * label of the hierarchy (leaf or inner node), `*` for every value, a number, or an interval
 * written as lo..hi, lo-hi, [lo,hi] or [lo, hi[. */
#include "run/verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Parses text[0 .. length) as a number, with spaces around it allowed. */
static bool number_in(const char *text, size_t length, double *out) {
    char copy[HR_NUMBER_MOST + 2];
    while (length && *text == ' ')
        text++, length--;
    while (length && text[length - 1] == ' ')
        length--;
    if (length == 0 || length >= sizeof copy) return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return hr_parse_double(copy, out);
}

static bool interval(const char *lo, size_t lo_length, const char *hi, size_t hi_length,
                     hr_published_value *out) {
    out->kind = HR_PUBLISHED_INTERVAL;
    return number_in(lo, lo_length, &out->lo) && number_in(hi, hi_length, &out->hi) &&
           out->lo <= out->hi;
}

/* "[20, 30[": a bracket that opens outwards excludes the end. */
static bool bracketed(const char *text, size_t length, hr_published_value *out) {
    const char *comma = memchr(text, ',', length);
    char first = text[0], last = text[length - 1];
    if (!comma || !strchr("[](", first) || !strchr("[])", last)) return false;
    out->lo_open = first != '[';
    out->hi_open = last != ']';
    return interval(text + 1, (size_t)(comma - text) - 1, comma + 1,
                    length - (size_t)(comma - text) - 2, out);
}

/* "20..29". With more than two dots every position is tried: "1...2." is 1. to 2. */
static bool dotted(const char *text, size_t length, hr_published_value *out) {
    for (const char *dots = text; (dots = strstr(dots, "..")); dots++) {
        size_t before = (size_t)(dots - text);
        if (interval(text, before, dots + 2, length - before - 2, out)) return true;
    }
    return false;
}

/* "20-29", "-5--1": tries every dash after the first character. */
static bool dashed(const char *text, size_t length, hr_published_value *out) {
    for (size_t i = 1; i + 1 < length; i++)
        if (text[i] == '-' && interval(text, i, text + i + 1, length - i - 1, out)) return true;
    return false;
}

static bool parse_numeric(const char *text, hr_published_value *out) {
    size_t length = strlen(text);
    *out = (hr_published_value){0};
    if (length == 0) return false;
    if (strstr(text, "..")) return dotted(text, length, out);
    if (number_in(text, length, &out->lo)) {
        out->kind = HR_PUBLISHED_INTERVAL;
        out->hi = out->lo;
        return true;
    }
    return (length > 2 && bracketed(text, length, out)) || dashed(text, length, out);
}

hr_published_value hr_published_parse(const hr_quasi *quasi, const char *text) {
    hr_published_value out = {0};
    if (quasi->tree) {
        out.node = hr_hierarchy_find(quasi->tree, text);
        if (out.node == HR_NONE && !strcmp(text, "*")) out.node = quasi->tree->root;
        if (out.node != HR_NONE) {
            out.kind = HR_PUBLISHED_NODE;
            return out;
        }
    } else if (!strcmp(text, "*")) {
        return (hr_published_value){.kind = HR_PUBLISHED_INTERVAL, .lo = -INFINITY, .hi = INFINITY};
    }
    if (!parse_numeric(text, &out)) out.kind = HR_PUBLISHED_UNKNOWN;
    return out;
}

static bool holds(const hr_published_value *published, double number) {
    if (published->lo_open ? number <= published->lo : number < published->lo) return false;
    return published->hi_open ? number < published->hi : number <= published->hi;
}

/* Does the interval contain all leaves at or below the node? */
static bool holds_leaves(const hr_quasi *quasi, const hr_published_value *published,
                         uint32_t node) {
    const hr_hierarchy *tree = quasi->tree;
    double number;
    for (uint32_t i = 0; i < tree->leaf_count; i++) {
        uint32_t leaf = tree->leaf_node[i];
        if (hr_hierarchy_covers(tree, node, leaf) &&
            !(hr_parse_double(hr_hierarchy_label(tree, leaf), &number) && holds(published, number)))
            return false;
    }
    return true;
}

bool hr_published_covers(const hr_quasi *quasi, const hr_published_value *published,
                         uint32_t value) {
    double number;
    switch (published->kind) {
    case HR_PUBLISHED_NODE: return hr_hierarchy_covers(quasi->tree, published->node, value);
    case HR_PUBLISHED_INTERVAL:
        if (!quasi->tree) return holds(published, quasi->number[value]);
        if (!quasi->tree->is_leaf[value]) return holds_leaves(quasi, published, value);
        return hr_parse_double(hr_hierarchy_label(quasi->tree, value), &number) &&
               holds(published, number);
    default: return false;
    }
}

/* An interval lies beyond a MAGVal if it contains a leaf outside the MAGVal's subtree. */
static bool reaches_past(const hr_quasi *quasi, const hr_published_value *published,
                         uint32_t magval) {
    double number;
    for (uint32_t i = 0; i < quasi->tree->leaf_count; i++) {
        uint32_t leaf = quasi->tree->leaf_node[i];
        if (!hr_hierarchy_covers(quasi->tree, magval, leaf) &&
            hr_parse_double(hr_hierarchy_label(quasi->tree, leaf), &number) &&
            holds(published, number))
            return true;
    }
    return false;
}

bool hr_published_too_fine(const hr_quasi *quasi, const hr_published_value *published,
                           const bool *allowed) {
    if (published->kind == HR_PUBLISHED_NODE) return !allowed[published->node];
    if (published->kind != HR_PUBLISHED_INTERVAL) return false;
    for (uint32_t i = 0; i < quasi->tree->leaf_count; i++)
        if (holds_leaves(quasi, published, hr_quasi_leaf_value(quasi, i))) return false;
    return true;
}

bool hr_published_violates(const hr_quasi *quasi, const hr_published_value *published,
                           uint32_t value) {
    if (!quasi->bounded) return false;
    uint32_t magval = quasi->magval[value];
    if (published->kind == HR_PUBLISHED_NODE)
        return published->node != magval &&
               !hr_hierarchy_covers(quasi->tree, magval, published->node);
    return published->kind == HR_PUBLISHED_INTERVAL && reaches_past(quasi, published, magval);
}
