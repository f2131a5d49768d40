/* hedge_anneal.c - steps at a falling temperature (Kirkpatrick et al. 1983), and at last at
 * temperature 0. The temperature halves at equal shares of the work, and work is counted, not
 * timed, so the result does not depend on the machine. Only with a deadline the temperature follows
 * the time. The release is valid after every step. */
#include "algorithm/hedge/hedge.h"

#include <assert.h>

enum {
    STEPS = 64,         /* between two checks of work, clock and progress */
    COLD_SHARE = 8,     /* the last eighth of the work is done at temperature 0 */
    IDLE = 16,          /* draws of rows that cannot cost less end the chain after 1 / IDLE of */
    IDLE_FREE = 1 << 25 /* the work, but so many of them are always allowed */
};

/* 2^-x for x >= 0, exact for whole x and linear between them: the same on every machine. */
static double halved(double x) {
    double power = 1;
    for (; x >= 1; x--)
        power /= 2;
    return power * (1 - x / 2);
}

static const double cooling = 1; /* seconds of cold steps after a request to finish */

/* The temperature when `share` of the heated part of the work is done. */
static double temperature(const hr_chain *chain, double share) {
    if (share >= 1) return 0;
    double halvings = 0, ratio = chain->hot / chain->cold;
    for (; ratio > 2; ratio /= 2)
        halvings++;
    halvings += ratio > 1 ? ratio - 1 : 0;
    return chain->hot * halved(halvings * share);
}

/* Reports the share of the rows that is done. */
static hr_status tell(const hr_chain *chain, double share, uint64_t *told, hr_error *err) {
    uint64_t rows = share >= 1 ? chain->rows : (uint64_t)((double)chain->rows * share);
    uint64_t more = rows - *told;
    *told = rows;
    return hr_progress_add(chain->task->progress, more, err);
}

/* Reports the loss. Called at temperature 0, when the loss only falls and the chain cannot end with
 * more. */
static void tell_loss(const hr_chain *chain, uint64_t loss) {
    uint_fast64_t least = atomic_load(chain->least);
    while (loss < least)
        if (atomic_compare_exchange_weak(chain->least, &least, loss)) {
            hr_progress_gain(chain->task->progress, least - loss);
            return;
        }
}

static hr_status go(hr_chain *chain, hr_stepper *s, hr_error *err) {
    hr_hedge *h = s->h;
    const double heated = 1 - 1.0 / COLD_SHARE;
    double begin = hr_seconds(), share = 0, end = 0; /* end: after a request to finish */
    uint64_t told = 0;
    while (share < 1 && h->loss > chain->floor) {
        double now = end > 0 ? 0 : temperature(chain, share / heated);
        for (int i = 0; i < STEPS; i++)
            HR_TRY(hr_stepper_step(s, now, err));
        if (now <= 0) tell_loss(chain, h->loss);
        uint64_t idle = h->idle > IDLE_FREE ? (h->idle - IDLE_FREE) * IDLE : 0;
        share = (double)(idle > h->work ? idle : h->work) / (double)chain->work;
        HR_TRY(tell(chain, share, &told, err));
        if (hr_progress_finishes(chain->task->progress)) {
            chain->limited = true;
            if (end <= 0) end = hr_seconds() + cooling;
            if (hr_late(end)) break;
        }
        if (chain->deadline <= 0) continue;
        double seconds = hr_seconds(), time = (seconds - begin) / (chain->deadline - begin);
        chain->limited = seconds >= chain->deadline;
        if (chain->limited || time > share) share = chain->limited ? 1 : time;
    }
    tell_loss(chain, h->loss);
    return tell(chain, 1, &told, err);
}

static bool all_hold(const hr_hedge *h) {
    for (uint32_t i = 0; i < h->open_count; i++)
        if (!hr_hedge_holds(h, &h->classes[h->open[i]])) return false;
    return true;
}

hr_status hr_chain_run(hr_chain *chain, hr_error *err) {
    hr_hedge h;
    hr_stepper s = {0};
    HR_TRY(hr_hedge_init(&h, chain->kinds, chain->boxes, err));
    hr_hedge_load(&h, chain->box_of_row);
    uint64_t before = h.loss;
    hr_status status = hr_stepper_init(&s, &h, chain->task->seed, chain->stream, err);
    s.weight = chain->weight;
    if (status == HR_OK) status = go(chain, &s, err);
    bool valid = status != HR_OK || all_hold(&h);
    assert(valid);
    (void)valid;
    if (status == HR_OK && h.loss < before) hr_hedge_save(&h, chain->box_of_row);
    chain->loss = h.loss < before ? h.loss : before;
    hr_stepper_free(&s);
    hr_hedge_free(&h);
    return status;
}
