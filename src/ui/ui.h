/* ui.h - the page: a server on the loopback interface and the page that it serves, on top of the
 * public interface alone. This header has the entry point, which the command calls; ui_http.h has
 * requests and replies; ui_desk.h has the desk, which is the state of the server: the open job, its
 * table and its runs.
 *
 * One thread runs the event loop and answers requests; none of its handlers takes long. Work that
 * takes long runs in a task on a thread of its own (ui_task.c) and comes back through the loop. */
#ifndef HR_UI_H
#define HR_UI_H

#include "hedgerow.h"

typedef struct {
    const char *open;    /* job or input to open at once; NULL: none */
    uint16_t port;       /* 0: one that is free */
    bool browser;        /* show the page in the user's browser */
    bool quiet;          /* print the address, and nothing else */
    double idle_minutes; /* without an action: then the server stops; 0: never */
} ui_options;

/* Serves the page until a signal, a request of the page or the idle time ends it. The current
 * folder of the process is the start folder: no file outside it is opened. Prints the address of
 * the page, with its one-time token, to standard output. HR_EUNSUP: this build has no server, and
 * the message names the package to install. */
hr_status ui_serve(const ui_options *options, hr_error *err);

#endif
