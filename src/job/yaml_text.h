/* yaml_text.h - writing texts as YAML. */
#ifndef HR_YAML_TEXT_H
#define HR_YAML_TEXT_H

#include "base/base.h"

/* Appends a text as one value on one line: plain if possible, otherwise in quotes. */
void hr_yaml_text(const char *text, hr_text *out);
/* Appends [A, B]. */
void hr_yaml_list(const char *const *texts, size_t count, hr_text *out);
/* Appends a text that ends with a line break as a block of lines, each after `indent` spaces, which
 * are 2 more than those before the key; in quotes if it has characters that a block cannot have. */
void hr_yaml_block(const char *text, unsigned indent, hr_text *out);

#endif
