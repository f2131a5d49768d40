/* ui_absent.c - replaces the whole folder in a build without libevent. */
#include "ui/ui.h"

hr_status ui_serve(const ui_options *options, hr_error *err) {
    (void)options;
    return hr_fail(err, HR_EUNSUP,
                   "this build has no page: install libevent (Debian: libevent-dev) and build "
                   "hedgerow again");
}
