/* incognito.c - all minimal full-domain generalizations (LeFevre, DeWitt, Ramakrishnan 2005, with
 * p-sensitivity as in Truta et al. 2008), within boundaries: levels are clipped at MAGVals, so the
 * top of the lattice is the maximum allowed microdata, which satisfies the models without OUT.
 *
 * An attribute at its top tells rows apart by their MAM cell alone, so a node without an attribute
 * is the node with it at its top: the nodes of all subsets of attributes are in the one lattice, and
 * a subset's own are those where its attributes, and no others, are below their tops. Subsets go one
 * after another, by size. In each, nodes go in lexicographic order, so that what lies below a node is
 * decided before it: if something below satisfies, so does the node (generalization); if it fails
 * with one of the attributes at its top, it fails (subset); otherwise it is checked. A subset is
 * walked only if all that are smaller by one have a node that satisfies. The frequency set that a
 * check needs is rolled up from the smallest of those kept from nodes below; the first comes from the
 * table, at the lowest levels at which nodes are left. Right below a node are nodes of its subset and
 * of those larger by one: once these are walked, it is known whether it is minimal.
 *
 * With a suppression limit a higher node may lose less than a minimal one: of all satisfying nodes
 * those are judged that could, by what their rows cost unsuppressed. Time: O(checks x frequency set),
 * a few nanoseconds for each other node of the subsets that are walked. Memory: a byte a node. */
#include "algorithm/lattice/frequency.h"

#include <stdlib.h>
#include <string.h>

enum { SATISFIES = 1, CLEAN = 2, MINIMAL = 4 }; /* CLEAN: and nothing is suppressed */

/* A node that satisfies, by a check. */
typedef struct {
    uint64_t index;
    hr_tally tally;
} told_node;

/* What one thread found. */
typedef struct {
    told_node *told; /* minimal in their subsets: they may be so in the whole */
    size_t told_count, told_capacity;
    uint64_t walked, checked, scans, rollups;
} worker_results;

typedef struct {
    hr_space space;
    hr_combinations all;
    size_t moving_count;
    uint32_t moving[HR_LATTICE_MOVING]; /* attributes with a choice of levels */
    uint32_t levels[HR_LATTICE_MOVING]; /* how many each has */
    uint64_t stride[HR_LATTICE_MOVING];
    uint8_t *state;    /* of each node; the last attribute's level counts fastest */
    uint32_t *subsets; /* of one size: bit i is moving[i] */
    size_t subset_count, subset_capacity;
    worker_results *found; /* per thread */
    unsigned threads;
    told_node *told; /* of the size before */
    size_t told_count, told_capacity;
    uint32_t lowest[HR_LATTICE_MOVING]; /* level of each attribute in any node that satisfies */
    hr_best best;
    uint32_t *node_at, *node_levels; /* of all quasi-identifiers */
} search;

/* ---- walking ---- */

/* Through all nodes from low[i] to below end[i], the attributes that are not walked at their tops. */
typedef struct {
    search *s;
    worker_results *own;
    size_t count;
    uint32_t place[HR_LATTICE_MOVING]; /* of each attribute, among the moving ones */
    uint32_t at[HR_LATTICE_MOVING], low[HR_LATTICE_MOVING], end[HR_LATTICE_MOVING];
    uint64_t stride[HR_LATTICE_MOVING], index;
    hr_frequencies frequencies;
    hr_error *err;
} walk;

/* Attribute i goes to a level. */
static void move(walk *w, size_t i, uint32_t level) {
    w->index += ((uint64_t)level - w->at[i]) * w->stride[i]; /* modulo 2^64, also downward */
    w->at[i] = level;
}

/* To the next node; false: that was the last. */
static bool advance(walk *w) {
    size_t i = w->count;
    while (i > 0 && w->at[i - 1] + 1 == w->end[i - 1]) {
        move(w, i - 1, w->low[i - 1]);
        i--;
    }
    if (i == 0) return false;
    move(w, i - 1, w->at[i - 1] + 1);
    return true;
}

static hr_status visit_all(walk *w, hr_status (*visit)(walk *w)) {
    hr_progress *progress = w->s->space.task->progress;
    uint64_t visited = 0, nodes = 1;
    for (size_t i = 0; i < w->count; i++)
        nodes *= w->end[i];
    do {
        HR_TRY(visit(w));
        if (++visited % 256 == 0) HR_TRY(hr_progress_add(progress, 256, w->err));
    } while (advance(w));
    w->own->walked += nodes;
    return hr_progress_add(progress, nodes - visited / 256 * 256, w->err);
}

/* From attributes, place, low and end to the first node. */
static hr_status begin_walk(walk *w) {
    uint32_t attributes[HR_LATTICE_MOVING];
    w->index = w->s->space.nodes - 1;
    for (size_t i = 0; i < w->count; i++) {
        attributes[i] = w->s->moving[w->place[i]];
        w->stride[i] = w->s->stride[w->place[i]];
        w->at[i] = w->s->levels[w->place[i]] - 1;
        move(w, i, w->low[i]);
    }
    w->frequencies = (hr_frequencies){.low = w->low, .progress = w->s->space.task->progress};
    return hr_counter_init(&w->frequencies.counter, &w->s->all, attributes, w->count, w->err);
}

static void end_walk(walk *w) {
    w->own->scans += w->frequencies.scans;
    w->own->rollups += w->frequencies.rollups;
    hr_frequencies_free(&w->frequencies);
}

static bool has_below(const walk *w, uint8_t what) {
    for (size_t i = 0; i < w->count; i++)
        if (w->at[i] > 0 && w->s->state[w->index - w->stride[i]] & what) return true;
    return false;
}

/* ---- the nodes of a subset ---- */

static bool fails_in_part(const walk *w) {
    for (size_t i = 0; i < w->count; i++)
        if (!w->s->state[w->index + (w->end[i] - w->at[i]) * w->stride[i]]) return true;
    return false;
}

static hr_status check(walk *w) {
    worker_results *own = w->own;
    const hr_frequency *f;
    HR_TRY(hr_frequencies_get(&w->frequencies, w->at, &f, w->err));
    own->checked++;
    if (f->bad > w->s->space.limit || f->bad == w->s->space.row_count)
        return hr_frequencies_keep(&w->frequencies, w->at, w->err);
    w->s->state[w->index] = f->bad ? SATISFIES : SATISFIES | CLEAN;
    HR_TRY(
        hr_grow(&own->told, &own->told_capacity, own->told_count + 1, sizeof *own->told, w->err));
    own->told[own->told_count++] =
        (told_node){w->index, hr_frequency_tally(&w->frequencies.counter, f, w->at)};
    return HR_OK;
}

static hr_status decide(walk *w) {
    if (has_below(w, SATISFIES))
        w->s->state[w->index] = SATISFIES;
    else if (!fails_in_part(w))
        return check(w);
    return HR_OK;
}

/* The highest node that is a subset's own: if it fails, all of them do. */
static uint64_t highest_own(const search *s, uint32_t bits) {
    uint64_t index = s->space.nodes - 1;
    for (size_t i = 0; i < s->moving_count; i++)
        if (bits >> i & 1) index -= s->stride[i];
    return index;
}

/* How low each attribute can be, by what satisfies without one of the others. */
static void find_low(walk *w, uint32_t bits) {
    for (size_t without = 0; without < w->count; without++) {
        const uint8_t *highest =
            w->s->state + highest_own(w->s, bits) + w->s->stride[w->place[without]];
        for (size_t i = 0; i < w->count; i++)
            while (i != without &&
                   !*(highest - (w->end[i] - 1 - w->low[i]) * w->s->stride[w->place[i]]))
                w->low[i]++;
    }
}

static hr_status walk_subset(size_t i, unsigned worker, void *payload, hr_error *err) {
    search *s = payload;
    walk w = {.s = s, .own = &s->found[worker], .err = err};
    for (uint32_t place = 0; place < s->moving_count; place++) {
        if (!(s->subsets[i] >> place & 1)) continue;
        w.place[w.count] = place;
        w.end[w.count++] = s->levels[place] - 1;
    }
    find_low(&w, s->subsets[i]);
    hr_status status = begin_walk(&w);
    if (status == HR_OK) status = visit_all(&w, decide);
    end_walk(&w);
    return status;
}

/* ---- minimal nodes ---- */

/* Nothing was counted at the top, for it satisfies. */
static hr_status tally_top(search *s, hr_tally *out, hr_error *err) {
    walk w = {.s = s, .own = &s->found[0], .err = err};
    const hr_frequency *f;
    hr_status status = begin_walk(&w);
    if (status == HR_OK) status = hr_frequencies_get(&w.frequencies, w.at, &f, err);
    if (status == HR_OK) *out = hr_frequency_tally(&w.frequencies.counter, f, w.at);
    end_walk(&w);
    return status;
}

/* A node that is minimal in its subset, all around it being decided. */
static hr_status tell(search *s, const told_node *told, hr_error *err) {
    hr_tally tally = told->tally;
    for (size_t i = 0; i < s->moving_count; i++) {
        uint32_t level = (uint32_t)(told->index / s->stride[i] % s->levels[i]);
        if (level > 0 && s->state[told->index - s->stride[i]] & SATISFIES) return HR_OK;
        s->node_at[s->moving[i]] = level;
    }
    for (size_t i = 0; i < s->moving_count; i++)
        if (s->node_at[s->moving[i]] < s->lowest[i]) s->lowest[i] = s->node_at[s->moving[i]];
    s->state[told->index] |= MINIMAL;
    if (!tally.classes) HR_TRY(tally_top(s, &tally, err));
    hr_lattice_node node = hr_best_offer(&s->space, &s->best, s->node_at, &tally, s->node_levels);
    node.minimal = true;
    return hr_lattice_add(s->space.findings, &node, err);
}

static hr_status tell_all(search *s, hr_error *err) {
    for (size_t i = 0; i < s->told_count; i++)
        HR_TRY(tell(s, &s->told[i], err));
    return HR_OK;
}

/* What the threads found takes the place of what was told. */
static hr_status gather_told(search *s, hr_error *err) {
    s->told_count = 0;
    for (unsigned i = 0; i < s->threads; i++) {
        worker_results *own = &s->found[i];
        if (!own->told_count) continue;
        HR_TRY(hr_grow(&s->told, &s->told_capacity, s->told_count + own->told_count,
                       sizeof *s->told, err));
        memcpy(s->told + s->told_count, own->told, own->told_count * sizeof *own->told);
        s->told_count += own->told_count;
        own->told_count = 0;
    }
    return HR_OK;
}

/* ---- subsets ---- */

/* Has each part that is smaller by one a node of its own that satisfies? */
static bool parts_satisfy(const search *s, uint32_t bits) {
    uint64_t highest = highest_own(s, bits);
    for (size_t i = 0; i < s->moving_count; i++)
        if (bits >> i & 1 && !s->state[highest + s->stride[i]]) return false;
    return true;
}

/* Subsets larger by one than those at hand, each from the one without its last attribute. */
static hr_status enlarge(search *s, hr_error *err) {
    uint32_t *larger = NULL;
    size_t count = 0, capacity = 0;
    hr_status status = HR_OK;
    for (size_t n = 0; status == HR_OK && n < s->subset_count; n++)
        for (size_t i = s->moving_count; status == HR_OK && i-- > 0 && !(s->subsets[n] >> i);) {
            uint32_t bits = s->subsets[n] | UINT32_C(1) << i;
            if (!parts_satisfy(s, bits)) continue;
            status = hr_grow(&larger, &capacity, count + 1, sizeof *larger, err);
            if (status == HR_OK) larger[count++] = bits;
        }
    free(s->subsets);
    s->subsets = larger;
    s->subset_count = count;
    s->subset_capacity = capacity;
    return status;
}

/* The empty subset has one node, the top: the maximum allowed microdata. */
static hr_status begin_with_top(search *s, hr_error *err) {
    HR_TRY(hr_grow(&s->subsets, &s->subset_capacity, 1, sizeof *s->subsets, err));
    HR_TRY(hr_grow(&s->told, &s->told_capacity, 1, sizeof *s->told, err));
    s->subsets[s->subset_count++] = 0;
    s->told[s->told_count++] = (told_node){.index = s->space.nodes - 1};
    s->state[s->space.nodes - 1] = SATISFIES | CLEAN;
    return HR_OK;
}

static hr_status walk_subsets(search *s, hr_error *err) {
    uint64_t walked = 0;
    HR_TRY(begin_with_top(s, err));
    while (s->told_count) {
        HR_TRY(enlarge(s, err));
        HR_TRY(hr_parallel(s->subset_count, s->threads, walk_subset, s, err));
        HR_TRY(tell_all(s, err));
        HR_TRY(gather_told(s, err));
    }
    for (unsigned i = 0; i < s->threads; i++)
        walked += s->found[i].walked;
    return hr_progress_add(s->space.task->progress, s->space.nodes - walked, err);
}

/* ---- nodes that are not minimal ---- */

/* One may be better than those that are, unless something below suppresses nothing, or it costs too
 * much even if it suppressed nothing. */
static hr_status judge(walk *w) {
    search *s = w->s;
    uint8_t *state = &s->state[w->index];
    const hr_frequency *f;
    if (!(*state & SATISFIES) || *state & MINIMAL) return HR_OK;
    if (has_below(w, CLEAN)) {
        *state |= CLEAN;
        return HR_OK;
    }
    for (size_t i = 0; i < w->count; i++)
        s->node_at[s->moving[i]] = w->at[i];
    if (hr_space_cost(&s->space, s->node_at) > s->best.node.loss) return HR_OK;
    HR_TRY(hr_frequencies_get(&w->frequencies, w->at, &f, w->err));
    if (!f->bad) *state |= CLEAN;
    hr_tally tally = hr_frequency_tally(&w->frequencies.counter, f, w->at);
    hr_best_offer(&s->space, &s->best, s->node_at, &tally, s->node_levels);
    s->space.findings->counts.judged++;
    return hr_frequencies_keep(&w->frequencies, w->at, w->err);
}

static hr_status judge_all(search *s, hr_error *err) {
    walk w = {.s = s, .own = &s->found[0], .count = s->moving_count, .err = err};
    for (uint32_t i = 0; i < s->moving_count; i++) {
        w.place[i] = i;
        w.low[i] = s->lowest[i];
        w.end[i] = s->levels[i];
    }
    hr_status status = begin_walk(&w);
    if (status == HR_OK) status = visit_all(&w, judge);
    end_walk(&w);
    return status;
}

/* ---- the whole ---- */

/* Attributes that have a choice, those with few levels first: the last ones move most. */
static void list_moving(search *s) {
    uint32_t most = 0;
    uint64_t nodes = 1;
    for (size_t j = 0; j < s->space.quasi_count; j++)
        if (s->space.levels[j].count > most) most = s->space.levels[j].count;
    for (uint32_t levels = 2; levels <= most; levels++)
        for (uint32_t j = 0; j < s->space.quasi_count; j++) {
            if (s->space.levels[j].count != levels) continue;
            s->lowest[s->moving_count] = s->levels[s->moving_count] = levels;
            s->moving[s->moving_count++] = j;
        }
    for (size_t i = s->moving_count; i-- > 0; nodes *= s->levels[i])
        s->stride[i] = nodes;
}

static hr_status allocate(search *s, hr_error *err) {
    size_t t = s->space.quasi_count;
    s->threads = s->space.task->threads ? s->space.task->threads : 1;
    s->found = hr_alloc(s->threads, sizeof *s->found, err);
    s->state = hr_alloc(s->space.nodes, sizeof *s->state, err);
    s->node_at = hr_arena_alloc(&s->space.arena, t, sizeof *s->node_at, err);
    s->node_levels = hr_arena_alloc(&s->space.arena, t, sizeof *s->node_levels, err);
    if (!s->found || !s->state || !s->node_at || !s->node_levels) return HR_ENOMEM;
    return hr_best_init(&s->space, &s->best, err);
}

/* In every subset but the empty one an attribute has a level or is not there. */
static void sum_up(search *s) {
    hr_lattice_counts *counts = &s->space.findings->counts;
    counts->all_nodes = 1;
    for (size_t i = 0; i < s->moving_count; i++)
        counts->all_nodes *= s->levels[i] + UINT64_C(1);
    if (s->moving_count) counts->all_nodes--;
    for (unsigned i = 0; i < s->threads; i++) {
        counts->checked += s->found[i].checked;
        counts->scans += s->found[i].scans;
        counts->rollups += s->found[i].rollups;
    }
    counts->pruned = counts->all_nodes - counts->checked;
}

static hr_status search_all(search *s, hr_error *err) {
    const hr_table_task *task = s->space.task;
    list_moving(s);
    HR_TRY(allocate(s, err));
    hr_progress_start(task->progress, task->watch, "search",
                      s->space.nodes * (s->space.limit ? 2 : 1));
    HR_TRY(hr_combinations_make(&s->space, &s->all, err));
    HR_TRY(walk_subsets(s, err));
    if (s->space.limit) HR_TRY(judge_all(s, err));
    sum_up(s);
    return HR_OK;
}

static hr_status run(const hr_table_task *task, hr_partition *out, hr_findings **findings,
                     hr_error *err) {
    search s = {0};
    HR_TRY(hr_space_make(task, &s.space, err));
    hr_status status = search_all(&s, err);
    if (status == HR_OK) status = hr_space_publish(&s.space, &s.best, out, findings, err);
    for (unsigned i = 0; s.found && i < s.threads; i++)
        free(s.found[i].told);
    free(s.found);
    free(s.state);
    free(s.subsets);
    free(s.told);
    hr_combinations_free(&s.all);
    hr_space_free(&s.space);
    return status;
}

static const hr_option options[] = {
    {.name = "suppression",
     .help = "share of the input's rows that may be suppressed, beyond those that must",
     .type = HR_OPTION_REAL,
     .offset = offsetof(hr_incognito_options, suppression),
     .initial = 0,
     .min = 0,
     .max = 1},
    {0},
};

static bool may_suppress(const void *own) {
    return ((const hr_incognito_options *)own)->suppression > 0;
}

const hr_algorithm hr_algorithm_incognito = {
    .name = "incognito",
    .title = "one level of the hierarchy for all values of an attribute: the best of all choices",
    .reference = "LeFevre, DeWitt, Ramakrishnan 2005; Truta et al. 2008",
    .options = options,
    .options_size = sizeof(hr_incognito_options),
    .enforces_p = true,
    .needs_hierarchy = true,
    .lists_alternatives = true,
    .whole_table = &(const hr_table_search){.may_suppress = may_suppress,
                                            .run = run,
                                            .run_reference = hr_incognito_plain},
};
