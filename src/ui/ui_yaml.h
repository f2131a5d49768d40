/* ui_yaml.h - the text of a job as YAML: edited in place (ui_yaml.c), read (ui_yaml_read.c). */
#ifndef HR_UI_YAML_H
#define HR_UI_YAML_H

#include "ui/ui_desk.h"

#include <strings.h>
#include <yaml.h>

#define HR_TRY(call)                                                                               \
    do {                                                                                           \
        hr_status hr_try_status = (call);                                                          \
        if (hr_try_status != HR_OK) return hr_try_status;                                          \
    } while (0)

/* A growing text. `data` is NULL as long as it is empty, and after an allocation failed. */
typedef struct {
    char *data;
    size_t length, room;
} ui_text;

void ui_text_bytes(ui_text *text, const char *bytes, size_t length);
void ui_text_add(ui_text *text, const char *more);

/* Parses a text; free the document with yaml_document_delete unless this fails. */
hr_status ui_yaml_load(const char *text, yaml_document_t *out, hr_error *err);
/* Is the node a single value, and this text? */
bool ui_yaml_is(const yaml_node_t *node, const char *text);
/* The entry of a mapping with this key, and its value; NULL: there is none. */
yaml_node_pair_t *ui_yaml_pair(yaml_document_t *doc, const yaml_node_t *node, const char *key);
yaml_node_t *ui_yaml_child(yaml_document_t *doc, const yaml_node_t *node, const char *key);
#endif
