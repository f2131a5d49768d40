/* hedge_first.c - the release that hedge improves:
 *
 *   - If the cell as one class loses no more than any release must, it becomes one class.
 *   - A single number is cut at the best points (hedge_line.c).
 *   - If the boxes of the cell can be listed, if it is small, or with models other than k and p: a
 *     cover by levels (hedge_levels.c), or the clusters of another algorithm if these lose less. So
 *     hedge never loses more than that algorithm, in cells of up to OTHERS_ROWS rows. These
 *     algorithms support only k and p; with other models their clusters are repaired.
 *   - If they cannot be listed, the cover of hedge_cover.c, whatever the models. */
#include "algorithm/greedy_options.h"
#include "algorithm/hedge/cover.h"

#include <stdlib.h>
#include <string.h>

enum {
    OTHERS_ROWS = 1 << 18,   /* most rows of a cell for which the other algorithms are tried, */
    REPAIRED_ROWS = 1 << 12, /* if their clusters have to be repaired, */
    COVERED_ROWS = 1 << 14,  /* and if the boxes of the cell cannot be listed */
    LARGE_ROWS = 1 << 12,    /* from so many rows on, the least possible loss is computed first */
    EARLY_SLACKS = 2,        /* how many of the slacks are tried early before a deadline */
    NEARLY = 1024            /* a release that loses at most 1 / NEARLY more is good enough */
};

/* Shares of the time that is left: of the two covers, and of the clusters that are made first. */
static const double cover_share = 0.7, levels_share = 0.5, early_share = 0.15, other_share = 0.4;
static const double hurry = 5e-5;           /* seconds a row: less is short */
static const double slacks[] = {1, 0.5, 0}; /* of hr_levels_take */

extern const hr_algorithm hr_algorithm_greedy_pk, hr_algorithm_enhanced_pk, hr_algorithm_k_member;

hr_status hr_clusters_loss(const hr_kinds *kinds, const hr_axes *axes, const hr_clusters *clusters,
                           uint64_t *loss, hr_error *err) {
    size_t t = kinds->t;
    hr_span *value = hr_alloc_raw(clusters->count * t, sizeof *value, err);
    uint64_t *rows = hr_alloc(clusters->count, sizeof *rows, err);
    hr_status status = value && rows ? HR_OK : HR_ENOMEM;
    if (status == HR_OK) memset(value, 0xff, clusters->count * t * sizeof *value);
    for (uint32_t kind = 0; kind < kinds->kind_count && status == HR_OK; kind++)
        for (size_t i = kinds->place_start[kind]; i < kinds->place_start[kind + 1]; i++) {
            uint32_t c = clusters->cluster[kinds->place[i]];
            const uint32_t *code = kinds->code + kinds->kind_combination[kind] * t;
            rows[c]++;
            for (size_t j = 0; j < t; j++) {
                hr_span *own = &value[c * t + j], point = {code[j], code[j]};
                *own = own->lo == HR_NONE ? point : hr_axis_join(&axes->of[j], *own, point);
            }
        }
    *loss = 0;
    for (uint32_t c = 0; c < clusters->count && status == HR_OK; c++)
        for (size_t j = 0; j < t; j++)
            *loss += rows[c] * hr_axis_cost(&axes->of[j], value[c * t + j]);
    free(value);
    free(rows);
    return status;
}

typedef struct {
    const hr_cell_task *task;
    const hr_kinds *kinds;
    const hr_axes *axes;
    double deadline; /* 0: none */
    hr_clusters *out;
} first_search;

static bool is_late(const first_search *s) {
    return hr_late(s->deadline) || hr_progress_finishes(s->task->progress);
}

/* The time at which a share of the time to the deadline has passed; 0: no deadline. */
static double until(const first_search *s, double share) {
    double now = hr_seconds(), left = s->deadline - now;
    return s->deadline > 0 && left > 0 ? now + left * share : s->deadline;
}

/* Turns the cancellation of nested work at its deadline into HR_OK and sets *late. */
static hr_status unless_late(hr_status status, const hr_progress *nested, bool *late) {
    *late = status == HR_ECANCEL && hr_progress_ran_out(nested);
    return *late ? HR_OK : status;
}

/* Replaces the release by other clusters if these lose less. */
static hr_status offer(const first_search *s, const hr_clusters *found, uint64_t *least,
                       hr_error *err) {
    uint64_t loss = 0;
    HR_TRY(hr_clusters_loss(s->kinds, s->axes, found, &loss, err));
    if (loss >= *least) return HR_OK;
    *least = loss;
    memcpy(s->out->cluster, found->cluster, s->task->row_count * sizeof *found->cluster);
    s->out->count = found->count;
    return HR_OK;
}

/* Makes clusters of a cell; `how` says in which way. */
typedef hr_status maker(const first_search *s, const hr_cell_task *task, const void *how,
                        hr_clusters *out, hr_error *err);

/* Tries other clusters, and keeps them if they lose less. Their task is cancelled at the
 * deadline. */
static hr_status try_clusters(const first_search *s, maker *make, const void *how, uint64_t *least,
                              hr_error *err) {
    hr_progress nested = hr_progress_nested_until(s->task->progress, s->deadline);
    hr_cell_task task = *s->task;
    hr_clusters found = {.cluster = hr_alloc_raw(task.row_count, sizeof *found.cluster, err)};
    task.progress = &nested;
    hr_status status = found.cluster ? make(s, &task, how, &found, err) : HR_ENOMEM;
    if (status == HR_OK && task.judge) status = hr_clusters_repair(&task, &found, err);
    bool late;
    status = unless_late(status, &nested, &late);
    if (status == HR_OK && !late) status = offer(s, &found, least, err);
    free(found.values);
    free(found.cluster);
    return status;
}

/* The cover by levels; `how` is its share of the time. The maker passes on its own task, which is
 * not cancelled at the deadline, because it ends by itself. */
static hr_status make_levels(const first_search *s, const hr_cell_task *task, const void *how,
                             hr_clusters *out, hr_error *err) {
    (void)task;
    double deadline = until(s, *(const double *)how);
    return hr_levels_cover(s->task, s->kinds, s->axes, deadline, out, err);
}

typedef struct {
    double slack, share; /* of the time */
} parts_how;

/* The cover by levels whose classes take parts of groups. */
static hr_status make_parts(const first_search *s, const hr_cell_task *task, const void *how,
                            hr_clusters *out, hr_error *err) {
    (void)task;
    const parts_how *own = how;
    double deadline = until(s, own->share);
    return hr_levels_take(s->task, s->kinds, s->axes, own->slack, deadline, out, err);
}

/* The clusters of another algorithm. */
static hr_status make_other(const first_search *s, const hr_cell_task *task, const void *how,
                            hr_clusters *out, hr_error *err) {
    const hr_algorithm *other = how;
    hr_greedy_options options = {0};
    hr_options_init(other->options, &options);
    hr_cell_task own = hr_cell_task_for(s->task, &options, task->progress);
    return other->per_cell->run(&own, out, err);
}

/* The cover of hedge_cover.c, which ends by itself before the deadline. */
static hr_status make_cover(const first_search *s, const hr_cell_task *task, const void *how,
                            hr_clusters *out, hr_error *err) {
    (void)task;
    (void)how;
    return hr_cover(s->task, s->kinds, s->axes, until(s, cover_share), out, err);
}

/* Under models closed under supersets, classes of whole groups lose hardly more than parts. */
static bool takes_parts(const hr_cell_task *task) {
    return task->judge && !task->judge->closed_under_superset;
}

static hr_status try_parts(const first_search *s, size_t slack, double share, uint64_t *least,
                           hr_error *err) {
    parts_how how = {slacks[slack], share};
    return try_clusters(s, make_parts, &how, least, err);
}

/* Before a deadline, finds a valid release early: the cover may not get far, and its repair may be
 * cancelled. */
static hr_status try_early(const first_search *s, uint64_t *least, hr_error *err) {
    const hr_cell_task *task = s->task;
    if (s->deadline <= 0) return HR_OK;
    for (size_t i = 0; i < EARLY_SLACKS && takes_parts(task); i++)
        HR_TRY(try_parts(s, i, early_share, least, err));
    if (takes_parts(task)) return HR_OK;
    if (task->judge) return try_clusters(s, make_levels, &early_share, least, err);
    bool hurried = s->deadline - hr_seconds() < hurry * task->row_count;
    if (!hurried || task->row_count > OTHERS_ROWS) return HR_OK;
    first_search early = *s;
    early.deadline = until(s, other_share);
    return try_clusters(&early, make_other, &hr_algorithm_enhanced_pk, least, err);
}

/* Tries the cover by levels and, in small cells, the clusters of other algorithms. */
static hr_status try_others(const first_search *s, uint64_t *least, hr_error *err) {
    const hr_cell_task *task = s->task;
    HR_TRY(try_clusters(s, make_levels, &levels_share, least, err));
    for (size_t i = 0; i < sizeof slacks / sizeof *slacks && takes_parts(task); i++)
        if (!is_late(s)) HR_TRY(try_parts(s, i, levels_share, least, err));
    const hr_algorithm *others[] = {&hr_algorithm_enhanced_pk, &hr_algorithm_greedy_pk,
                                    task->p == 1 ? &hr_algorithm_k_member : NULL};
    uint32_t most = task->judge ? REPAIRED_ROWS : OTHERS_ROWS;
    for (size_t i = 0; i < sizeof others / sizeof *others && task->row_count <= most; i++) {
        s->out->time_limited = is_late(s);
        if (others[i] && !s->out->time_limited)
            HR_TRY(try_clusters(s, make_other, others[i], least, err));
    }
    return HR_OK;
}

/* Makes some release if nothing was found in time. */
static hr_status any_release(const first_search *s, uint64_t *least, hr_error *err) {
    const hr_cell_task *task = s->task;
    double now = hr_seconds(); /* no time is left */
    s->out->time_limited = true;
    if (!task->judge)
        HR_TRY(hr_cover(task, s->kinds, s->axes, s->deadline, s->out, err));
    else if (takes_parts(task))
        HR_TRY(hr_levels_take(task, s->kinds, s->axes, 0.5, now, s->out, err));
    else
        HR_TRY(hr_levels_cover(task, s->kinds, s->axes, now, s->out, err));
    return hr_clusters_loss(s->kinds, s->axes, s->out, least, err);
}

/* Tries the best cuts of a single number, and keeps them if they lose less. */
static hr_status try_line(const first_search *s, const hr_rulers *rulers, uint64_t *least,
                          hr_error *err) {
    hr_clusters found = {.cluster = hr_alloc_raw(s->task->row_count, sizeof *found.cluster, err)};
    hr_status status = found.cluster ? hr_line_release(s->kinds, rulers, &found, err) : HR_ENOMEM;
    if (status == HR_OK) status = offer(s, &found, least, err);
    free(found.cluster);
    return status;
}

/* Sets *floor to the least that the rows must lose, and tries quick ways that may reach it. */
static hr_status try_cheap(const first_search *s, uint64_t *floor, uint64_t *least, hr_error *err) {
    const hr_kinds *kinds = s->kinds;
    hr_rulers rulers;
    uint64_t whole = 0;
    HR_TRY(hr_rulers_make(kinds, s->axes, &rulers, err));
    for (size_t j = 0; j < kinds->t; j++)
        whole +=
            s->task->row_count * (uint64_t)hr_ruler_cost(&rulers.of[j], 0, rulers.of[j].count - 1);
    hr_status status = hr_least_loss(kinds, &rulers, floor, err);
    if (status == HR_OK && *floor == whole) {
        memset(s->out->cluster, 0, s->task->row_count * sizeof *s->out->cluster);
        s->out->count = 1; /* the cell satisfies the models as a whole */
        *least = whole;
    }
    if (status == HR_OK && kinds->t == 1 && rulers.of[0].at && !s->task->judge)
        status = try_line(s, &rulers, least, err);
    hr_rulers_free(&rulers);
    return status;
}

/* Tries the ways that suit the cell. */
static hr_status try_all(const first_search *s, bool listed, bool few, uint64_t *least,
                         hr_error *err) {
    const hr_cell_task *task = s->task;
    bool covered = !listed;
    /* Few kinds are near enough to fill a large box. */
    bool large = task->k > HR_NEAR_MOST / 4;
    HR_TRY(try_early(s, least, err));
    if (covered) HR_TRY(try_clusters(s, make_cover, NULL, least, err));
    if (!covered || task->judge || task->row_count <= COVERED_ROWS)
        return try_others(s, least, err);
    return !is_late(s) && (few || large) ? try_clusters(s, make_levels, &levels_share, least, err)
                                         : HR_OK;
}

hr_status hr_first_release(const hr_cell_task *task, const hr_kinds *kinds, const hr_axes *axes,
                           bool listed, bool few, double deadline, hr_clusters *out,
                           hr_error *err) {
    first_search s = {task, kinds, axes, deadline, out};
    uint64_t least = UINT64_MAX, floor = 0;
    uint64_t whole = task->row_count * hr_measure_whole(axes->loss, task->data);
    if (task->row_count >= LARGE_ROWS) HR_TRY(try_cheap(&s, &floor, &least, err));
    if (least > floor + (deadline > 0 ? 0 : floor / NEARLY) || floor == 0)
        HR_TRY(try_all(&s, listed, few, &least, err));
    if (least == UINT64_MAX) HR_TRY(any_release(&s, &least, err));
    out->finished = floor > 0 && least <= floor + (deadline > 0 ? 0 : floor / NEARLY);
    hr_progress_gain(task->progress, whole - least);
    return HR_OK;
}
