/* cmd_ui.c - `hedgerow ui`: the page, served on the loopback interface (src/ui). */
#include "cli/cli.h"
#include "ui/ui.h"

#include <stddef.h>

typedef struct {
    const char *port, *idle;
    bool no_browser;
} own_flags;

enum { IDLE_MINUTES = 60 };

static hr_status run(const cli_arguments *arguments, hr_error *err) {
    const own_flags *own = arguments->own;
    ui_options options = {.open = arguments->word_count ? arguments->words[0] : NULL,
                          .browser = !own->no_browser,
                          .quiet = arguments->quiet,
                          .idle_minutes = IDLE_MINUTES};
    uint64_t port = 0;
    if (own->port && !hr_parse_uint(own->port, UINT16_MAX, &port))
        return hr_fail(err, HR_EINVAL,
                       "--port: '%s' is not a port number: give a number from 0 to %d", own->port,
                       UINT16_MAX);
    if (own->idle &&
        (!hr_parse_double(own->idle, &options.idle_minutes) || options.idle_minutes < 0))
        return hr_fail(err, HR_EINVAL, "--idle: '%s' is not a number of minutes", own->idle);
    options.port = (uint16_t)port;
    return ui_serve(&options, err);
}

static const cli_flag flags[] = {
    {"port", 0, "N", "port of the server; 0 takes a free one (0)", offsetof(own_flags, port)},
    {"no-browser", 0, NULL, "print the address, but open no browser",
     offsetof(own_flags, no_browser)},
    {"idle", 0, "MINUTES", "stop when nobody used the page for so long; 0: never (60)",
     offsetof(own_flags, idle)},
    {0},
};

const cli_command cmd_ui = {
    .name = "ui",
    .summary = "a page: draw boundaries, see their cost, run, read the report",
    .usage = "[JOB.yaml|FILE] [--port N] [--no-browser]",
    .about = "Serves a page on this computer and prints its address, which has a one-time\n"
             "token. The page opens a job or a table below the current folder, shows roles and\n"
             "hierarchies, counts the rows that boundaries suppress while they are dragged,\n"
             "runs the job and shows the report. Every action edits one job file, which\n"
             "`hedgerow anonymize` runs as well. The server listens on the loopback interface\n"
             "alone, and stops with Ctrl-C, from the page, or when nobody used it for a while.",
    .example = "hedgerow ui patients.csv\n"
               "hedgerow ui patients.yaml --port 8080",
    .least = 0,
    .most = 1,
    .job_at = -1,
    .flags = flags,
    .own_size = sizeof(own_flags),
    .run = run,
};
