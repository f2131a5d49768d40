/* option.c - setting and printing options that are described as data. */
#include "base/base.h"

#include <string.h>

static void *place(const hr_option *option, void *options) {
    return (char *)options + option->offset;
}

void hr_options_init(const hr_option *table, void *options) {
    for (const hr_option *option = table; option && option->name; option++) {
        switch (option->type) {
        case HR_OPTION_INT: *(int64_t *)place(option, options) = (int64_t)option->initial; break;
        case HR_OPTION_REAL: *(double *)place(option, options) = option->initial; break;
        case HR_OPTION_BOOL: *(bool *)place(option, options) = option->initial != 0; break;
        case HR_OPTION_CHOICE: *(int *)place(option, options) = (int)option->initial; break;
        case HR_OPTION_CHARACTER: *(char *)place(option, options) = (char)option->initial; break;
        }
    }
}

const hr_option *hr_option_find(const hr_option *table, const char *name) {
    for (const hr_option *option = table; option && option->name; option++)
        if (!strcmp(option->name, name)) return option;
    return NULL;
}

/* Index of `text` in "a|b|c", or -1. */
static int choice_index(const char *choices, const char *text) {
    size_t length = strlen(text);
    int index = 0;
    for (const char *c = choices;; c++, index++) {
        size_t word = strcspn(c, "|");
        if (word == length && !strncmp(c, text, length)) return index;
        c += word;
        if (!*c) return -1;
    }
}

static hr_status bad_value(const hr_option *option, const char *text, hr_error *err) {
    switch (option->type) {
    case HR_OPTION_INT:
        return hr_fail(err, HR_EINVAL, "%s: '%s' is not a whole number from %.0f to %.0f",
                       option->name, text, option->min, option->max);
    case HR_OPTION_REAL:
        return hr_fail(err, HR_EINVAL, "%s: '%s' is not a number from %g to %g", option->name, text,
                       option->min, option->max);
    case HR_OPTION_BOOL:
        return hr_fail(err, HR_EINVAL, "%s: '%s' is neither true nor false", option->name, text);
    case HR_OPTION_CHARACTER:
        return hr_fail(err, HR_EINVAL, "%s: '%s' is not one character such as ',', ';', '|' or tab",
                       option->name, text);
    default:
        return hr_fail(err, HR_EINVAL, "%s: '%s' is not one of %s", option->name, text,
                       option->choices);
    }
}

hr_status hr_option_set(const hr_option *option, void *options, const char *text, hr_error *err) {
    double number;
    switch (option->type) {
    case HR_OPTION_INT:
    case HR_OPTION_REAL:
        if (!hr_parse_double(text, &number) || number < option->min || number > option->max)
            return bad_value(option, text, err);
        if (option->type == HR_OPTION_REAL) {
            *(double *)place(option, options) = number;
            return HR_OK;
        }
        if (number != (double)(int64_t)number) return bad_value(option, text, err);
        *(int64_t *)place(option, options) = (int64_t)number;
        return HR_OK;
    case HR_OPTION_BOOL:
        if (strcmp(text, "true") && strcmp(text, "false")) return bad_value(option, text, err);
        *(bool *)place(option, options) = !strcmp(text, "true");
        return HR_OK;
    case HR_OPTION_CHOICE: {
        int index = choice_index(option->choices, text);
        if (index < 0) return bad_value(option, text, err);
        *(int *)place(option, options) = index;
        return HR_OK;
    }
    case HR_OPTION_CHARACTER:
        if (!strcmp(text, "tab") || !strcmp(text, "\\t")) text = "\t";
        if (strlen(text) != 1 || strchr("\"\r\n", *text) || (unsigned char)*text > 0x7f)
            return bad_value(option, text, err);
        *(char *)place(option, options) = *text;
        return HR_OK;
    }
    return HR_OK;
}

void hr_option_print(const hr_option *option, const void *options, hr_text *out) {
    const char *value = (const char *)options + option->offset;
    switch (option->type) {
    case HR_OPTION_INT: hr_text_printf(out, "%lld", (long long)*(const int64_t *)value); break;
    case HR_OPTION_REAL: hr_text_printf(out, "%.15g", *(const double *)value); break;
    case HR_OPTION_BOOL: hr_text_puts(out, *(const bool *)value ? "true" : "false"); break;
    case HR_OPTION_CHARACTER:
        if (!*value)
            hr_text_puts(out, "automatic");
        else
            hr_text_puts(out, *value == '\t' ? "tab" : (const char[]){*value, '\0'});
        break;
    case HR_OPTION_CHOICE: {
        const char *c = option->choices;
        for (int i = *(const int *)value; i > 0; i--)
            c += strcspn(c, "|") + 1;
        hr_text_add(out, c, strcspn(c, "|"));
        break;
    }
    }
}
