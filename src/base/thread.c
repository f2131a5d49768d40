/* thread.c - a parallel loop: each worker takes the next index until all are taken or a task
 * fails. */
#include "base/base.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

unsigned hr_cores(void) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : (unsigned)cores;
}

typedef struct {
    size_t count;
    hr_task task;
    void *payload;
    atomic_size_t next;
    atomic_bool failed;
    pthread_mutex_t lock; /* guards failed_at, status and err */
    size_t failed_at;
    hr_status status;
    hr_error *err;
} loop;

typedef struct {
    loop *loop;
    unsigned number;
    pthread_t thread;
} worker;

static void *work(void *argument) {
    worker *self = argument;
    loop *l = self->loop;
    while (!atomic_load(&l->failed)) {
        size_t i = atomic_fetch_add(&l->next, 1);
        if (i >= l->count) break;
        hr_error err = {0};
        hr_status status = l->task(i, self->number, l->payload, &err);
        if (status == HR_OK) continue;
        atomic_store(&l->failed, true);
        pthread_mutex_lock(&l->lock);
        if (l->status == HR_OK || i < l->failed_at) {
            l->status = status;
            l->failed_at = i;
            if (l->err) *l->err = err;
        }
        pthread_mutex_unlock(&l->lock);
    }
    return NULL;
}

hr_status hr_parallel(size_t count, unsigned threads, hr_task task, void *payload, hr_error *err) {
    loop l = {.count = count, .task = task, .payload = payload, .err = err};
    if (count == 0) return HR_OK;
    if (threads == 0) threads = 1;
    if (threads > count) threads = (unsigned)count;
    worker *workers = hr_alloc(threads, sizeof *workers, err);
    if (!workers) return HR_ENOMEM;
    pthread_mutex_init(&l.lock, NULL);
    unsigned started = 1; /* this thread is worker 0 */
    workers[0] = (worker){.loop = &l, .number = 0};
    for (; started < threads; started++) {
        workers[started] = (worker){.loop = &l, .number = started};
        /* With fewer threads than requested the loop is slower but gives the same result. */
        if (pthread_create(&workers[started].thread, NULL, work, &workers[started])) break;
    }
    work(&workers[0]);
    for (unsigned i = 1; i < started; i++)
        pthread_join(workers[i].thread, NULL);
    pthread_mutex_destroy(&l.lock);
    free(workers);
    return l.status;
}
