/* overlap.h - callbacks that notice when two of them run at a time. */
#ifndef HR_OVERLAP_H
#define HR_OVERLAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

typedef struct {
    atomic_int inside, calls, overlaps;
    long
        nanoseconds; /* that a callback takes: enough for a second thread to come in the meantime */
} meeting;

static inline void enter(void *payload) {
    meeting *m = payload;
    if (atomic_fetch_add(&m->inside, 1) > 0) atomic_fetch_add(&m->overlaps, 1);
    atomic_fetch_add(&m->calls, 1);
    nanosleep(&(struct timespec){.tv_nsec = m->nanoseconds}, NULL);
    atomic_fetch_sub(&m->inside, 1);
}

static inline void slow_progress(const char *stage, uint64_t done, uint64_t total, void *payload) {
    (void)stage;
    (void)done;
    (void)total;
    enter(payload);
}

static inline void slow_loss(const char *measure, double loss, double least, void *payload) {
    (void)measure;
    (void)loss;
    (void)least;
    enter(payload);
}

static inline void slow_notice(const char *message, void *payload) {
    (void)message;
    enter(payload);
}

static inline bool slow_cancelled(void *payload) {
    enter(payload);
    return false;
}

#endif
