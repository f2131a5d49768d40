/* ui_text.c - texts: copied, formatted, replaced, and growing ones. */
#include "ui/ui_yaml.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *ui_copy(const char *text) {
    return text ? strdup(text) : NULL;
}

char *ui_format(const char *format, ...) {
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    int length = vsnprintf(NULL, 0, format, list);
    char *text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (text) vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(list);
    return text;
}

void ui_replace(char **place, char *text) {
    free(*place);
    *place = text;
}

void ui_text_bytes(ui_text *text, const char *bytes, size_t length) {
    if (text->room == SIZE_MAX) return; /* memory was short */
    if (text->length + length + 1 > text->room) {
        size_t room = 2 * (text->length + length) + 64;
        char *larger = realloc(text->data, room);
        if (!larger) {
            free(text->data);
            *text = (ui_text){.room = SIZE_MAX};
            return;
        }
        text->data = larger;
        text->room = room;
    }
    memcpy(text->data + text->length, bytes, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void ui_text_add(ui_text *text, const char *more) {
    ui_text_bytes(text, more, strlen(more));
}
