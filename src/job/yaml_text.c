/* yaml_text.c - texts as YAML, in the plainest form that job_yaml.c reads back as the same text. */
#include "job/yaml_text.h"

#include <stdio.h>
#include <string.h>

/* The next character of a valid UTF-8 text; advances *at. */
static unsigned next_character(const unsigned char **at) {
    unsigned first = *(*at)++;
    unsigned more = first < 0xc0 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
    unsigned character = more ? first & (0x3fu >> more) : first;
    for (; more > 0 && **at; more--)
        character = character << 6 | (*(*at)++ & 0x3fu);
    return character;
}

/* May the character stand in YAML as it is, and is it no line break but \n? */
static bool is_printable(unsigned c) {
    if (c < 0x20) return c == '\n' || c == '\t';
    if (c >= 0x7f && c < 0xa0) return false;
    return c != 0x2028 && c != 0x2029 && c != 0xfeff && c != 0xfffe && c != 0xffff;
}

static bool all_printable(const char *text) {
    const unsigned char *at = (const unsigned char *)text;
    while (*at)
        if (!is_printable(next_character(&at))) return false;
    return true;
}

static bool is_word(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Needs the text no quotes, also within a list or a mapping on one line? */
static bool is_plain(const char *text) {
    static const char *const absent[] = {"null", "Null", "NULL"};
    size_t length = strlen(text);
    const char *start = text + (!strncmp(text, "../", 3) ? 2 : strchr("-./", *text) != NULL);
    if (length == 0 || !(is_word(*start) || *start == '/') || text[length - 1] == ' ') return false;
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
        if (!strcmp(text, absent[i])) return false;
    for (size_t i = 0; i < length; i++)
        if (!is_word(text[i]) && !strchr(" -./+*()=<>", text[i])) return false;
    return true;
}

static void put_double_quoted(const char *text, hr_text *out) {
    const unsigned char *at = (const unsigned char *)text;
    char escape[12];
    hr_text_puts(out, "\"");
    while (*at) {
        const unsigned char *from = at;
        unsigned c = next_character(&at);
        if (c == '"' || c == '\\') {
            snprintf(escape, sizeof escape, "\\%c", (char)c);
        } else if (c == '\n') {
            strcpy(escape, "\\n");
        } else if (!is_printable(c)) {
            snprintf(escape, sizeof escape, "\\u%04X", c);
        } else {
            hr_text_add(out, (const char *)from, (size_t)(at - from));
            continue;
        }
        hr_text_puts(out, escape);
    }
    hr_text_puts(out, "\"");
}

void hr_yaml_text(const char *text, hr_text *out) {
    if (is_plain(text)) {
        hr_text_puts(out, text);
        return;
    }
    if (strpbrk(text, "\n\t") || !all_printable(text)) {
        put_double_quoted(text, out);
        return;
    }
    hr_text_puts(out, "'");
    for (const char *at = text; *at; at++) {
        hr_text_add(out, at, 1);
        if (*at == '\'') hr_text_puts(out, "'");
    }
    hr_text_puts(out, "'");
}

void hr_yaml_list(const char *const *texts, size_t count, hr_text *out) {
    hr_text_puts(out, "[");
    for (size_t i = 0; i < count; i++) {
        if (i > 0) hr_text_puts(out, ", ");
        hr_yaml_text(texts[i], out);
    }
    hr_text_puts(out, "]");
}

void hr_yaml_block(const char *text, unsigned indent, hr_text *out) {
    if (!all_printable(text)) {
        put_double_quoted(text, out);
        hr_text_puts(out, "\n");
        return;
    }
    /* Where the first line begins with a space, the depth has to be said. */
    hr_text_puts(out, strchr(" \t\n", *text) ? "|2\n" : "|\n");
    while (*text) {
        size_t length = strcspn(text, "\n");
        if (length > 0) hr_text_printf(out, "%*s", (int)indent, "");
        hr_text_add(out, text, length);
        hr_text_puts(out, "\n");
        text += length + (text[length] == '\n');
    }
}
