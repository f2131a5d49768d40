/* postgres_cancel.c - asks the server to cancel a statement. libpq opens a second connection for
 * that and waits for it without a limit, so a thread does it: whoever cancels a run does not wait
 * for a server that has stopped to answer. */
#include "io/postgres.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

enum { PATIENCE = 2 }; /* seconds */

/* Belongs to the thread and to the one who waits for it: the last of them frees it. */
typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t ended;
    PGcancel *cancel;
    bool done; /* one of the two has left */
} request;

/* Leaves the request; frees it if the other one has left. */
static void leave(request *r) {
    bool last = r->done;
    r->done = true;
    pthread_cond_signal(&r->ended);
    pthread_mutex_unlock(&r->lock);
    if (!last) return;
    PQfreeCancel(r->cancel);
    pthread_cond_destroy(&r->ended);
    pthread_mutex_destroy(&r->lock);
    free(r);
}

static void *send_request(void *argument) {
    request *r = argument;
    char reason[256];
    PQcancel(r->cancel, reason, sizeof reason);
    pthread_mutex_lock(&r->lock);
    leave(r);
    return NULL;
}

/* Starts the thread, which no signal interrupts: they are for the program's own threads. */
static bool start(request *r) {
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&thread, NULL, send_request, r) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (started) pthread_detach(thread);
    return started;
}

void hr_pg_cancel(const hr_pg *pg) {
    struct timespec until;
    request *r = hr_alloc(1, sizeof *r, NULL);
    if (!r) return;
    r->cancel = PQgetCancel(pg->conn);
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->ended, NULL);
    pthread_mutex_lock(&r->lock);
    if (!r->cancel || !start(r)) r->done = true; /* nobody else has it */
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE;
    while (!r->done && pthread_cond_timedwait(&r->ended, &r->lock, &until) == 0)
        continue;
    leave(r);
}
