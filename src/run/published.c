/* published.c - reads a published value of a masked file, written by Hedgerow or another tool: a
 * label of the hierarchy (leaf or inner node), `*` for every value, a number, or an interval
 * written as lo..hi, lo-hi, [lo,hi] or [lo, hi[. Where there is a hierarchy, a number or interval
 * is another way to write one of its nodes. */
#include "run/verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Parses text[0 .. length) as a number, with spaces around it allowed. */
static bool number_in(const char *text, size_t length, char point, double *out) {
    char copy[HR_NUMBER_MOST + 2];
    while (length && *text == ' ')
        text++, length--;
    while (length && text[length - 1] == ' ')
        length--;
    if (length == 0 || length >= sizeof copy) return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return hr_parse_number(copy, point, out);
}

static bool interval(const char *lo, size_t lo_length, const char *hi, size_t hi_length, char point,
                     hr_published_value *out) {
    out->kind = HR_PUBLISHED_INTERVAL;
    return number_in(lo, lo_length, point, &out->lo) && number_in(hi, hi_length, point, &out->hi) &&
           out->lo <= out->hi;
}

/* "[20, 30[", with a decimal comma "[2,5; 5[": a bracket that opens outwards excludes the end. */
static bool bracketed(const char *text, size_t length, char point, hr_published_value *out) {
    const char *comma = memchr(text, point == ',' ? ';' : ',', length);
    char first = text[0], last = text[length - 1];
    if (!comma || !strchr("[](", first) || !strchr("[])", last)) return false;
    out->lo_open = first != '[';
    out->hi_open = last != ']';
    return interval(text + 1, (size_t)(comma - text) - 1, comma + 1,
                    length - (size_t)(comma - text) - 2, point, out);
}

/* "20..29". With more than two dots every position is tried: "1...2." is 1. to 2. */
static bool dotted(const char *text, size_t length, char point, hr_published_value *out) {
    for (const char *dots = text; (dots = strstr(dots, "..")); dots++) {
        size_t before = (size_t)(dots - text);
        if (interval(text, before, dots + 2, length - before - 2, point, out)) return true;
    }
    return false;
}

/* "20-29", "-5--1": tries every dash after the first character. */
static bool dashed(const char *text, size_t length, char point, hr_published_value *out) {
    for (size_t i = 1; i + 1 < length; i++)
        if (text[i] == '-' && interval(text, i, text + i + 1, length - i - 1, point, out))
            return true;
    return false;
}

static bool parse_numeric(const char *text, char point, hr_published_value *out) {
    size_t length = strlen(text);
    *out = (hr_published_value){0};
    if (length == 0) return false;
    if (strstr(text, "..")) return dotted(text, length, point, out);
    if (number_in(text, length, point, &out->lo)) {
        out->kind = HR_PUBLISHED_INTERVAL;
        out->hi = out->lo;
        return true;
    }
    return (length > 2 && bracketed(text, length, point, out)) || dashed(text, length, point, out);
}

static bool holds(const hr_published_value *published, double number) {
    if (published->lo_open ? number <= published->lo : number < published->lo) return false;
    return published->hi_open ? number < published->hi : number <= published->hi;
}

/* The lowest node whose leaves are exactly those in the interval; HR_NONE: there is none. */
static uint32_t node_of_interval(const hr_quasi *quasi, const hr_published_value *interval) {
    const hr_hierarchy *tree = quasi->tree;
    uint32_t node = HR_NONE, inside = 0;
    for (uint32_t i = 0; i < tree->leaf_count; i++) {
        uint32_t leaf = tree->leaf_node[i];
        double number;
        if (!hr_parse_number(hr_hierarchy_label(tree, leaf), quasi->point, &number) ||
            !holds(interval, number))
            continue;
        node = node == HR_NONE ? leaf : hr_hierarchy_join(tree, node, leaf);
        inside++;
    }
    return inside > 0 && inside == tree->leaves[node] ? node : HR_NONE;
}

/* A node with one child has the same leaves as the child, so an interval can mean both: takes the
 * lowest that `finest` allows. A number means the leaf itself. */
static uint32_t raise_to_finest(const hr_quasi *quasi, const hr_published_value *interval,
                                uint32_t node) {
    const hr_hierarchy *tree = quasi->tree;
    if (!quasi->finest || interval->lo == interval->hi) return node;
    uint32_t leaf = node; /* a leaf below the node, or the node itself */
    for (uint32_t i = 0; i < tree->leaf_count; i++)
        if (hr_hierarchy_covers(tree, node, tree->leaf_node[i])) leaf = tree->leaf_node[i];
    uint32_t finest = quasi->finest[leaf];
    bool higher = finest != node && hr_hierarchy_covers(tree, finest, node);
    return higher && tree->leaves[finest] == tree->leaves[node] ? finest : node;
}

static hr_published_value parse_in_tree(const hr_quasi *quasi, const char *text) {
    hr_published_value out = {.kind = HR_PUBLISHED_NODE};
    out.node = hr_hierarchy_find(quasi->tree, text);
    if (out.node == HR_NONE && !strcmp(text, "*")) out.node = quasi->tree->root;
    if (out.node != HR_NONE) return out;
    hr_published_value number;
    if (parse_numeric(text, quasi->point, &number)) out.node = node_of_interval(quasi, &number);
    if (out.node == HR_NONE) return (hr_published_value){.kind = HR_PUBLISHED_UNKNOWN};
    out.node = raise_to_finest(quasi, &number, out.node);
    return out;
}

hr_published_value hr_published_parse(const hr_quasi *quasi, const char *text) {
    hr_published_value out;
    if (quasi->tree) return parse_in_tree(quasi, text);
    if (!strcmp(text, "*"))
        return (hr_published_value){.kind = HR_PUBLISHED_INTERVAL, .lo = -INFINITY, .hi = INFINITY};
    if (!parse_numeric(text, quasi->point, &out)) out.kind = HR_PUBLISHED_UNKNOWN;
    return out;
}

bool hr_published_covers(const hr_quasi *quasi, const hr_published_value *published,
                         uint32_t value) {
    switch (published->kind) {
    case HR_PUBLISHED_NODE: return hr_hierarchy_covers(quasi->tree, published->node, value);
    case HR_PUBLISHED_INTERVAL: return holds(published, quasi->number[value]);
    default: return false;
    }
}

bool hr_published_violates(const hr_quasi *quasi, const hr_published_value *published,
                           uint32_t value) {
    if (!quasi->tree) return hr_published_leaves_cell(quasi, published, value);
    if (!quasi->bounded || published->kind != HR_PUBLISHED_NODE) return false;
    uint32_t magval = quasi->magval[value];
    return published->node != magval && !hr_hierarchy_covers(quasi->tree, magval, published->node);
}
