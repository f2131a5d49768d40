/* watch.c - runs long calls of the library. The work is done in a separate thread; the calling
 * thread waits without the GIL, delivers progress and notices to Python, and looks for Ctrl-C,
 * which Python handles in its main thread only. The library's threads leave messages in a mailbox
 * and never call Python. */
#include "binding.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WAIT_MILLISECONDS = 50, NOTICES_MOST = 1000 };

typedef struct {
    py_work work;
    void *arguments;
    hr_status status;
    hr_error err;
    atomic_bool cancelled, finishing;
    bool finishes; /* the next Ctrl-C ends the search with the best release so far */

    pthread_mutex_t lock; /* of everything below */
    pthread_cond_t news;
    bool finished, progressed;
    char stage[64];
    uint64_t done, total;
    double loss, least; /* NaN: unknown */
    char *notices[NOTICES_MOST];
    size_t notice_count;
} session;

/* ---- What the library calls ---- */

static void on_progress(const char *stage, uint64_t done, uint64_t total, void *payload) {
    session *s = payload;
    pthread_mutex_lock(&s->lock);
    snprintf(s->stage, sizeof s->stage, "%s", stage);
    s->done = done;
    s->total = total;
    s->progressed = true;
    pthread_cond_signal(&s->news);
    pthread_mutex_unlock(&s->lock);
}

static void on_loss(const char *measure, double loss, double least, void *payload) {
    session *s = payload;
    (void)measure;
    pthread_mutex_lock(&s->lock);
    s->loss = loss;
    s->least = least;
    pthread_mutex_unlock(&s->lock);
}

static void on_notice(const char *message, void *payload) {
    session *s = payload;
    pthread_mutex_lock(&s->lock);
    char *copy = s->notice_count < NOTICES_MOST ? strdup(message) : NULL;
    if (copy) s->notices[s->notice_count++] = copy;
    pthread_mutex_unlock(&s->lock);
}

static bool on_cancelled(void *payload) {
    session *s = payload;
    return atomic_load(&s->cancelled);
}

static bool on_finish(void *payload) {
    session *s = payload;
    return atomic_load(&s->finishing);
}

static void *run_work(void *payload) {
    session *s = payload;
    hr_watch watch = {.size = sizeof watch,
                      .progress = on_progress,
                      .loss = on_loss,
                      .notice = on_notice,
                      .cancelled = on_cancelled,
                      .payload = s,
                      .finish = on_finish};
    s->status = s->work(s->arguments, &watch, &s->err);
    pthread_mutex_lock(&s->lock);
    s->finished = true;
    pthread_cond_signal(&s->news);
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* ---- What the calling thread does meanwhile ---- */

/* Waits for news or for a short time. Returns whether the work is finished. */
static bool wait_for_news(session *s) {
    struct timespec until;
    bool finished;
    Py_BEGIN_ALLOW_THREADS;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += WAIT_MILLISECONDS * 1000000L;
    if (until.tv_nsec >= 1000000000L) {
        until.tv_nsec -= 1000000000L;
        until.tv_sec++;
    }
    pthread_mutex_lock(&s->lock);
    if (!s->finished && !s->progressed) pthread_cond_timedwait(&s->news, &s->lock, &until);
    finished = s->finished;
    pthread_mutex_unlock(&s->lock);
    Py_END_ALLOW_THREADS;
    return finished;
}

static int deliver_progress(session *s, PyObject *progress) {
    char stage[sizeof s->stage];
    pthread_mutex_lock(&s->lock);
    bool any = s->progressed;
    uint64_t done = s->done, total = s->total;
    double loss = s->loss, least = s->least;
    memcpy(stage, s->stage, sizeof stage);
    s->progressed = false;
    pthread_mutex_unlock(&s->lock);
    if (!any || progress == Py_None) return 0;
    PyObject *known = loss == loss ? PyFloat_FromDouble(loss) : Py_NewRef(Py_None);
    PyObject *lowest = least == least ? PyFloat_FromDouble(least) : Py_NewRef(Py_None);
    PyObject *result =
        known && lowest ? PyObject_CallFunction(progress, "sKKOO", stage, (unsigned long long)done,
                                                (unsigned long long)total, known, lowest)
                        : NULL;
    Py_XDECREF(known);
    Py_XDECREF(lowest);
    Py_XDECREF(result);
    return result ? 0 : -1;
}

static int deliver_notices(session *s, PyObject *notice) {
    char *notices[NOTICES_MOST];
    pthread_mutex_lock(&s->lock);
    size_t count = s->notice_count;
    memcpy(notices, s->notices, count * sizeof *notices);
    s->notice_count = 0;
    pthread_mutex_unlock(&s->lock);
    int result = 0;
    for (size_t i = 0; i < count; i++) {
        if (result == 0 && notice != Py_None) {
            PyObject *answer = PyObject_CallFunction(notice, "s", notices[i]);
            if (!answer) result = -1;
            Py_XDECREF(answer);
        }
        free(notices[i]);
    }
    return result;
}

static int deliver(session *s, PyObject *progress, PyObject *notice) {
    if (deliver_notices(s, notice) < 0 || deliver_progress(s, progress) < 0) return -1;
    return PyErr_CheckSignals();
}

/* Takes the first Ctrl-C of a run that finishes then. */
static bool asked_to_finish(session *s) {
    if (!s->finishes || !PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) return false;
    PyErr_Clear();
    s->finishes = false;
    atomic_store(&s->finishing, true);
    return true;
}

/* Returns -1 with an exception set if a callback or a signal ended the work. */
static int follow(session *s, PyObject *progress, PyObject *notice) {
    PyObject *type = NULL, *value = NULL, *traceback = NULL;
    for (bool finished = false; !finished;) {
        finished = wait_for_news(s);
        if (type || deliver(s, progress, notice) == 0 || asked_to_finish(s)) continue;
        PyErr_Fetch(&type, &value, &traceback);
        atomic_store(&s->cancelled, true);
    }
    if (!type) return 0;
    PyErr_Restore(type, value, traceback);
    return -1;
}

static int start(session *s, pthread_t *thread) {
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->news, &clock);
    pthread_condattr_destroy(&clock);
    if (pthread_create(thread, NULL, run_work, s) == 0) return 0;
    PyErr_SetString(PyExc_RuntimeError, "no thread could be started");
    return -1;
}

int py_run(py_work work, void *arguments, PyObject *progress, PyObject *notice) {
    return py_run_until(work, arguments, progress, notice, false);
}

int py_run_until(py_work work, void *arguments, PyObject *progress, PyObject *notice,
                 bool finishes) {
    session *s = calloc(1, sizeof *s);
    pthread_t thread;
    if (!s) {
        PyErr_NoMemory();
        return -1;
    }
    s->work = work;
    s->arguments = arguments;
    s->finishes = finishes;
    s->loss = s->least = Py_HUGE_VAL - Py_HUGE_VAL;
    int result = start(s, &thread);
    if (result == 0) {
        result = follow(s, progress, notice);
        pthread_join(thread, NULL);
        /* Notices that came with the end; an exception has precedence over them. */
        if (result == 0) result = deliver_notices(s, notice);
        for (size_t i = 0; i < s->notice_count; i++)
            free(s->notices[i]);
        if (result == 0 && s->status != HR_OK) {
            if (s->status == HR_ECANCEL && atomic_load(&s->finishing))
                PyErr_SetNone(PyExc_KeyboardInterrupt); /* there was no release yet */
            else
                py_raise(s->status, &s->err);
            result = -1;
        }
    }
    pthread_cond_destroy(&s->news);
    pthread_mutex_destroy(&s->lock);
    free(s);
    return result;
}
