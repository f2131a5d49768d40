/* cli_watch.c - shows a run on a terminal: one progress line, with notices above it. Without a
 * terminal there is no progress line. Also handles the signals that cancel a command. During a
 * watched run, the first one makes the library stop and remove its temporary files, and a second
 * one kills (with `on_interrupt: finish`, the first one ends the search, the second cancels, the
 * third kills). At other times there are no temporary files, and a signal ends the command at
 * once. */
#include "cli/cli.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- Signals ---- */

/* Global because a signal handler has no payload. */
static volatile sig_atomic_t interrupted, finishing; /* what signals have asked for */
static volatile sig_atomic_t finishes;               /* the first signal asks to finish */

enum { SIGNALS = 3, EXIT_CANCELLED = 130 };
static const int caught[SIGNALS] = {SIGINT, SIGTERM, SIGHUP};

/* A signal may arrive just before a call that waits for a pipe. The alarm interrupts such a call
 * once a second until the library has seen the cancellation. */
static void wake(int signal_number) {
    (void)signal_number;
    alarm(1);
}

/* A request to finish leaves the next signal to cancel. After that SIGINT and SIGTERM kill. A
 * closing terminal sends several SIGHUPs: the second one must not kill. */
static void interrupt(int signal_number) {
    bool hangup = signal_number == SIGHUP;
    if (finishes && !finishing && !hangup) {
        finishing = 1;
    } else {
        interrupted = 1;
        if (!hangup) signal(signal_number, SIG_DFL);
    }
    alarm(1);
}

static void stop_now(int signal_number) {
    (void)signal_number;
    static const char message[] = "hedgerow: cancelled\n";
    ssize_t written = write(STDERR_FILENO, message, sizeof message - 1);
    (void)written;
    _exit(EXIT_CANCELLED);
}

static bool cancelled(void *payload) {
    (void)payload;
    return interrupted;
}

static bool finish(void *payload) {
    cli_watch *watch = payload;
    if (finishing && !interrupted && !watch->told) {
        watch->told = true;
        watch->watch.notice("the search ends with the best release so far; Ctrl-C again cancels",
                            watch);
    }
    return finishing;
}

/* Handlers are installed without SA_RESTART, so that a call that waits for input returns. */
static void handle(int signal_number, void (*handler)(int), int flags) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    sigemptyset(&action.sa_mask);
    sigaction(signal_number, &action, NULL);
}

/* nohup starts the command with SIGHUP ignored. */
static bool is_ignored_hangup(int signal_number) {
    struct sigaction now;
    return signal_number == SIGHUP && sigaction(SIGHUP, NULL, &now) == 0 &&
           now.sa_handler == SIG_IGN;
}

static void catch_signals(void) {
    handle(SIGALRM, wake, 0);
    for (int i = 0; i < SIGNALS; i++)
        if (!is_ignored_hangup(caught[i])) handle(caught[i], interrupt, 0);
}

void cli_signals_stop(void) {
    for (int i = 0; i < SIGNALS; i++)
        if (!is_ignored_hangup(caught[i])) handle(caught[i], stop_now, 0);
}

/* ---- The progress line ---- */

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

/* "loss 0.0391, bound 0.0364: 7.5 % above" */
static void draw_loss(const cli_watch *watch) {
    fprintf(stderr, "  %s %.4f", strcmp(watch->measure, "ntil") ? watch->measure : "loss",
            watch->loss);
    if (isnan(watch->least)) return;
    fprintf(stderr, ", bound %.4f", watch->least);
    if (watch->least > 0)
        fprintf(stderr, ": %.1f %% above", fmax(watch->loss / watch->least - 1, 0) * 100);
}

static void draw(cli_watch *watch, double share, double done, double seconds) {
    enum { WIDTH = 24, WIDTH_BESIDE_LOSS = 8 }; /* a line fits a terminal of 80 columns */
    char bar[WIDTH + 1], rate[16], left[16];
    size_t width = watch->measure ? WIDTH_BESIDE_LOSS : WIDTH;
    memset(bar, '.', width);
    memset(bar, '#', (size_t)(share * (double)width));
    bar[width] = '\0';
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

static double steady_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void progress(const char *stage, uint64_t done, uint64_t total, void *payload) {
    cli_watch *watch = payload;
    double now = steady_seconds();
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

void cli_watch_start(cli_watch *watch, bool quiet) {
    *watch = (cli_watch){.quiet = quiet, .bar = !quiet && has_terminal()};
    watch->watch = (hr_watch){
        .size = sizeof(hr_watch), .notice = notice, .cancelled = cancelled, .payload = watch};
    if (watch->bar) {
        watch->watch.progress = progress;
        watch->watch.loss = loss;
    }
    catch_signals();
}

void cli_watch_finish(cli_watch *watch) {
    finishes = 1;
    watch->watch.finish = finish;
}

void cli_watch_end(cli_watch *watch) {
    clear(watch);
    fflush(stderr);
    if (interrupted || finishing) alarm(0);
    signal(SIGALRM, SIG_DFL);
    cli_signals_stop();
}
