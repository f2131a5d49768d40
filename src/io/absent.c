/* absent.c - functions for formats whose library is missing from this build: they recognize the
 * addresses and fail with a message that says what to install. */
#include "io/io.h"

static hr_status absent(const char *address, hr_error *err) {
    const hr_format *format = hr_format_for(address);
    return hr_fail(err, HR_EUNSUP,
                   "this build cannot read or write %s databases (%s): install %s and build "
                   "hedgerow again",
                   format->name, address, format->package);
}

hr_status hr_absent_open_reader(const char *address, const hr_read_options *options,
                                hr_reader **out, hr_error *err) {
    (void)options;
    *out = NULL;
    return absent(address, err);
}

hr_status hr_absent_open_writer(const char *address, const hr_write_options *options,
                                hr_writer **out, hr_error *err) {
    (void)options;
    *out = NULL;
    return absent(address, err);
}

hr_status hr_absent_check_output(const char *address, const hr_write_options *options,
                                 hr_error *err) {
    (void)options;
    return absent(address, err);
}

/* Never reports an overlap: the run fails anyway, with the message about the missing library. */
hr_status hr_absent_reads(const hr_address *address, const hr_address *output, bool *out,
                          hr_error *err) {
    (void)address, (void)output, (void)err;
    *out = false;
    return HR_OK;
}
