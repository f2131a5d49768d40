/* cli_print.c - writes texts that the library made from results to standard output. */
#include "cli/cli.h"

#include <errno.h>
#include <string.h>

hr_status cli_print(char *text, hr_error *err) {
    hr_status status = hr_file_write("-", text, strlen(text), true, NULL, err);
    hr_free(text);
    return status;
}

void cli_show(char *text) {
    fputs(text, stdout);
    hr_free(text);
}

hr_status cli_show_now(char *text, hr_error *err) {
    bool failed = fputs(text, stdout) < 0 || fflush(stdout);
    int why = errno;
    hr_free(text);
    if (!failed) return HR_OK;
    return hr_fail(err, HR_EIO, "cannot write standard output: %s", strerror(why));
}
