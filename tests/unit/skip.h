/* skip.h - tests that need data which may be absent. Such a test calls need_file() first, and main
 * returns exit_status(): 77 if a test was skipped and none failed, which ctest shows as skipped. */
#ifndef HR_SKIP_H
#define HR_SKIP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>
#include <unistd.h>

static bool skipped;

/* Ends the running test as skipped if the file cannot be read. */
static inline void need_file(const char *path) {
    if (access(path, R_OK) == 0) return;
    print_message("skipped: %s is absent\n", path);
    skipped = true;
    skip();
}

/* The exit status of a program whose tests failed `failures` times. */
static inline int exit_status(int failures) {
    return failures == 0 && skipped ? 77 : failures;
}

#endif
