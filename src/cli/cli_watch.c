/* cli_watch.c - a run seen from a terminal: one line that shows how far it is, notices above it,
 * and Ctrl-C, which cancels once and kills the second time. Without a terminal there is no line. */
#include "cli/cli.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted; /* a signal handler can reach nothing else */

enum { SIGNALS = 2 };
static const int caught[SIGNALS] = {SIGINT, SIGTERM};

static void interrupt(int signal_number) {
    (void)signal_number;
    interrupted = 1;
}

static bool cancelled(void *payload) {
    (void)payload;
    return interrupted;
}

/* ---- The line ---- */

static void clear(cli_watch *watch) {
    if (watch->drawn) fputs("\r\033[K", stderr);
    watch->drawn = false;
}

/* 1234567 as "1.2M" */
static void short_number(double number, char *out, size_t room) {
    static const char unit[] = " kMGT";
    size_t i = 0;
    for (; number >= 999.5 && i + 2 < sizeof unit; i++)
        number /= 1000;
    if (i == 0)
        snprintf(out, room, "%.0f", number);
    else
        snprintf(out, room, "%.*f%c", number < 9.95 ? 1 : 0, number, unit[i]);
}

static void short_time(double seconds, char *out, size_t room) {
    double s = fmin(ceil(seconds), 359999);
    int whole = (int)s;
    if (whole >= 3600)
        snprintf(out, room, "%d:%02d:%02d", whole / 3600, whole / 60 % 60, whole % 60);
    else
        snprintf(out, room, "%d:%02d", whole / 60, whole % 60);
}

/* "ntil 0.0391, bound 0.0364: 7.5 % above" */
static void draw_loss(const cli_watch *watch) {
    fprintf(stderr, "  %s %.4f", watch->measure, watch->loss);
    if (isnan(watch->least)) return;
    fprintf(stderr, ", bound %.4f", watch->least);
    if (watch->least > 0)
        fprintf(stderr, ": %.1f %% above", (watch->loss / watch->least - 1) * 100);
}

static void draw(cli_watch *watch, double share, double done, double seconds) {
    enum { WIDTH = 24 };
    char bar[WIDTH + 1], rate[16], left[16];
    int filled = (int)(share * WIDTH);
    memset(bar, '.', WIDTH);
    memset(bar, '#', (size_t)filled);
    bar[WIDTH] = '\0';
    short_number(seconds > 0 ? done / seconds : 0, rate, sizeof rate);
    short_time(share > 0 ? seconds / share - seconds : 0, left, sizeof left);
    fprintf(stderr, "\r\033[K%-8s [%s] %3.0f%%", watch->stage, bar, floor(share * 100));
    if (watch->measure)
        draw_loss(watch);
    else if (seconds > 0.5 && share > 0 && share < 1)
        fprintf(stderr, "  %s/s", rate);
    if (seconds > 0.5 && share > 0 && share < 1) fprintf(stderr, "  %s left", left);
    fflush(stderr);
    watch->drawn = true;
}

static void progress(const char *stage, uint64_t done, uint64_t total, void *payload) {
    cli_watch *watch = payload;
    double now = hr_seconds();
    if (strncmp(watch->stage, stage, sizeof watch->stage - 1)) {
        snprintf(watch->stage, sizeof watch->stage, "%s", stage);
        watch->started = now;
    }
    double share = total ? fmin((double)done / (double)total, 1) : 0;
    draw(watch, share, (double)done, now - watch->started);
    watch->measure = NULL;
}

static void loss(const char *measure, double now, double least, void *payload) {
    cli_watch *watch = payload;
    watch->measure = measure;
    watch->loss = now;
    watch->least = least;
}

static void notice(const char *message, void *payload) {
    cli_watch *watch = payload;
    clear(watch);
    cli_notice(watch->quiet, "%s", message);
}

/* ---- Start and end ---- */

static bool has_terminal(void) {
    const char *term = getenv("TERM");
    return isatty(STDERR_FILENO) && term && strcmp(term, "dumb");
}

/* Without SA_RESTART: a read that waits for standard input must come back and ask. */
static void catch_signals(void) {
    struct sigaction action = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < SIGNALS; i++)
        sigaction(caught[i], &action, NULL);
}

/* What is left is printing, which asks nobody: from here on a signal kills, as it does
 * elsewhere. */
static void release_signals(void) {
    for (int i = 0; i < SIGNALS; i++)
        signal(caught[i], SIG_DFL);
}

void cli_watch_start(cli_watch *watch, bool quiet) {
    *watch = (cli_watch){.quiet = quiet, .bar = !quiet && has_terminal()};
    watch->watch = (hr_watch){.notice = notice, .cancelled = cancelled, .payload = watch};
    if (watch->bar) {
        watch->watch.progress = progress;
        watch->watch.loss = loss;
    }
    catch_signals();
}

void cli_watch_end(cli_watch *watch) {
    clear(watch);
    fflush(stderr);
    release_signals();
}
