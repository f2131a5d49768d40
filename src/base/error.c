/* error.c - error messages. They are written where the cause is known; callers pass them on. No
 * message shows the password of an address. */
#include "base/base.h"

#include <string.h>

#undef hr_fail /* macros for the static analyzer: see base.h */
#undef hr_fail_prefix

const char *hr_status_name(hr_status status) {
    static const char *const names[] = {"HR_OK",  "HR_ENOMEM", "HR_EINVAL",  "HR_EDATA",
                                        "HR_EIO", "HR_ENOSOL", "HR_ECANCEL", "HR_EUNSUP"};
    size_t i = (size_t)status;
    return i < sizeof names / sizeof *names ? names[i] : "unknown";
}

const char *hr_version(void) {
    return HR_VERSION;
}

void hr_one_line(char *message) {
    for (char *c = message; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = ' ';
}

hr_status hr_fail(hr_error *err, hr_status code, const char *format, ...) {
    if (!err) return code;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(err->message, sizeof err->message, format, arguments);
    va_end(arguments);
    hr_hide_passwords(err->message); /* before the ends of lines in one become blanks */
    hr_one_line(err->message);
    err->code = code;
    return code;
}

hr_status hr_fail_prefix(hr_error *err, hr_status code, const char *format, ...) {
    if (!err) return code;
    char old[sizeof err->message];
    memcpy(old, err->message, sizeof old);
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(err->message, sizeof err->message, format, arguments);
    va_end(arguments);
    size_t used = length < 0 ? 0 : (size_t)length, room = sizeof err->message;
    if (used + 2 < room) {
        memcpy(err->message + used, ": ", 2);
        size_t rest = strnlen(old, room - used - 3);
        memcpy(err->message + used + 2, old, rest);
        err->message[used + 2 + rest] = '\0';
    }
    hr_hide_passwords(err->message); /* before the ends of lines in one become blanks */
    hr_one_line(err->message);
    err->code = code;
    return code;
}
