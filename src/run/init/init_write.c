/* init_write.c - writes the draft as a job file, with a comment on every guess and with suggested
 * boundaries as comments, which take effect once the # is removed. Comments contain counts and
 * shares, never values. */
#include "run/init/init.h"

#include <math.h>
#include <string.h>

const char *hr_draft_text(hr_draft *draft, hr_error *err, const char *format, ...) {
    char buffer[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(buffer, sizeof buffer, format, arguments);
    va_end(arguments);
    return hr_arena_text(&draft->arena, buffer, strlen(buffer), err);
}

/* ---- Pieces ---- */

/* True if YAML reads the text as itself without quotes, in a mapping between braces as well. */
static bool is_plain(const char *text) {
    static const char *const words[] = {"true", "false", "yes", "no", "on", "off", "null",
                                        "True", "False", "Yes", "No", "On", "Off", "Null",
                                        "TRUE", "FALSE", "YES", "NO", "ON", "OFF", "NULL",
                                        "y",    "n",     "Y",   "N",  NULL};
    if (!*text) return false;
    for (size_t i = 0; words[i]; i++)
        if (!strcmp(words[i], text)) return false;
    bool letter = (*text >= 'A' && *text <= 'Z') || (*text >= 'a' && *text <= 'z') ||
                  (unsigned char)*text >= 0x80;
    for (const char *c = text; *c; c++)
        if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.", *c) &&
            (unsigned char)*c < 0x80)
            return false;
    return letter;
}

static void put_quoted(hr_text *out, const char *text) {
    if (is_plain(text)) {
        hr_text_puts(out, text);
        return;
    }
    hr_text_puts(out, "\"");
    for (const char *c = text; *c; c++)
        if (*c == '"' || *c == '\\')
            hr_text_printf(out, "\\%c", *c);
        else if ((unsigned char)*c < 0x20 || *c == 0x7f)
            hr_text_printf(out, "\\x%02x", (unsigned char)*c);
        else
            hr_text_add(out, c, 1);
    hr_text_puts(out, "\"");
}

/* 1234567 as 1,234,567. */
static void put_count(hr_text *out, uint64_t count) {
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) hr_text_puts(out, ",");
        hr_text_add(out, &digits[i], 1);
    }
}

/* Writes 0.1234 as 12.3 %. A share that would wrongly round to 0 or 100 % is written as "less than
 * 0.1 %" or "more than 99.9 %". */
static void put_share(hr_text *out, double share) {
    if (share > 0 && share < 0.0005)
        hr_text_puts(out, "less than 0.1 %");
    else if (share < 1 && share >= 0.9995)
        hr_text_puts(out, "more than 99.9 %");
    else
        hr_text_printf(out, "%.3g %%", 100 * share);
}

/* ---- The comment of a column ---- */

static const char *look_name(const hr_profile *profile) {
    static const char *const names[] = {"texts", "whole numbers", "numbers", "dates"};
    return profile->decimal_comma ? "numbers with a decimal comma" : names[profile->look];
}

static void put_comment(const hr_draft *draft, const hr_draft_part *part, hr_text *out) {
    const hr_profile *profile = &part->profile;
    if (profile->column->unread) {
        hr_text_printf(out, "  # %s.\n", part->reason);
        return;
    }
    hr_text_printf(out, "  # %s; ", part->reason);
    if (profile->values > 0) {
        put_count(out, profile->values);
        hr_text_printf(out, " different %s", look_name(profile));
    } else
        hr_text_puts(out, "no values");
    if (profile->missing > 0) {
        hr_text_puts(out, ", ");
        put_share(out, (double)profile->missing / (double)profile->rows);
        hr_text_puts(out, " missing");
    }
    hr_text_puts(out, ".\n");
    if (part->role == HR_ROLE_QUASI) {
        hr_text_puts(out, "  # Unique rows: ");
        put_share(out, part->alone);
        hr_text_puts(out, " by this column alone; ");
        put_share(out, draft->unique);
        hr_text_puts(out, " by all quasi-identifiers, ");
        put_share(out, part->without);
        hr_text_puts(out, " without this one.\n");
    }
    if (part->role == HR_ROLE_SENSITIVE && part->minor < HR_DRAFT_MINOR) {
        hr_text_puts(out, "  # Only ");
        put_share(out, part->minor);
        hr_text_puts(out, " of the rows differ from the most frequent value: p 2 would need very "
                          "large classes.\n");
    }
}

const char *hr_draft_on_missing(const hr_draft_part *part) {
    bool flat = part->hierarchy && !strcmp(part->hierarchy, "flat");
    if (part->role != HR_ROLE_QUASI || part->profile.missing == 0 || flat) return NULL;
    return part->hierarchy ? "group" : "drop";
}

static void put_column(const hr_draft *draft, const hr_draft_part *part, hr_text *out) {
    put_comment(draft, part, out);
    hr_text_puts(out, "  ");
    put_quoted(out, part->profile.column->name);
    hr_text_printf(out, ": {role: %s", hr_role_name(part->role));
    if (part->role == HR_ROLE_QUASI && part->hierarchy)
        hr_text_printf(out, ", hierarchy: %s", part->hierarchy);
    if (part->role == HR_ROLE_QUASI && !part->hierarchy) hr_text_puts(out, ", type: numeric");
    const char *on_missing = hr_draft_on_missing(part);
    if (on_missing) hr_text_printf(out, ", on_missing: %s", on_missing);
    if (part->bins > 0) hr_text_printf(out, ", bins: %u", part->bins);
    hr_text_puts(out, "}");
    if (part->role == HR_ROLE_QUASI && part->suggestion)
        hr_text_printf(out, "   # to limit it, add: boundary: %s", part->suggestion);
    hr_text_puts(out, "\n");
}

/* ---- The head of the job ---- */

static void put_missing(const hr_draft *draft, hr_text *out) {
    if (draft->missing.count <= 1) return;
    hr_text_puts(out, "missing: [");
    for (size_t i = 0; i < draft->missing.count; i++) {
        hr_text_puts(out, i ? ", " : "");
        put_quoted(out, draft->missing.texts[i]);
    }
    hr_text_puts(out, "]\n");
}

static void put_model(const hr_draft *draft, hr_text *out) {
    if (draft->repeated != SIZE_MAX) {
        const hr_profile *profile = &draft->parts[draft->repeated].profile;
        hr_text_puts(out, "# ");
        put_count(out, profile->rows);
        hr_text_puts(out, " rows belong to ");
        put_count(out, profile->values);
        hr_text_puts(out, " people (");
        hr_plain_text(out, profile->column->name);
        hr_text_puts(out, "). To count people in k, not rows, remove the next #.\n# unit: ");
        put_quoted(out, profile->column->name);
        hr_text_puts(out, "\n");
    }
    hr_text_printf(out, "# At least k rows are published alike%s.\n",
                   draft->p > 1 ? ", with at least p values of each sensitive attribute" : "");
    hr_text_printf(out, "model: {k: %lld, p: %lld}\n", (long long)draft->k, (long long)draft->p);
}

static void put_head(const hr_draft *draft, hr_text *out) {
    hr_text_puts(out, "# A draft by `hedgerow init`. Every role below is a guess: read it, and "
                      "change what is wrong.\n# ");
    put_count(out, draft->table->rows);
    hr_text_puts(out, " rows; ");
    put_share(out, draft->unique);
    hr_text_puts(out, " of them are unique by the quasi-identifiers together.\n");
    if (draft->kept_unique > 0.01) {
        hr_text_puts(out, "# ");
        put_share(out, draft->kept_unique);
        hr_text_puts(out,
                     " are unique by the columns that are kept: whoever knows these recognizes "
                     "people.\n");
    }
    hr_text_puts(out, "input: ");
    put_quoted(out, draft->input);
    hr_text_puts(out, "\noutput: ");
    put_quoted(out, draft->output);
    hr_text_puts(out, "\n");
    if (draft->encoding != HR_ENCODING_AUTO)
        hr_text_printf(out, "encoding: %s   # a guess: the file is not UTF-8\n",
                       hr_encoding_name(draft->encoding));
    if (draft->point == ',')
        hr_text_puts(out, "decimal: ','   # numbers with a comma before the decimals\n");
    put_missing(draft, out);
    put_model(draft, out);
}

hr_status hr_draft_write(hr_draft *draft, hr_error *err) {
    hr_text text = {0};
    put_head(draft, &text);
    hr_text_puts(&text, "attributes:\n");
    for (size_t i = 0; i < draft->table->column_count; i++)
        put_column(draft, &draft->parts[i], &text);
    hr_free(draft->text);
    return hr_text_take(&text, &draft->text, err);
}
