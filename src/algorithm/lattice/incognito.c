/* incognito.c - finds all minimal full-domain generalizations (LeFevre, DeWitt, Ramakrishnan 2005,
 * with p-sensitivity as in Truta et al. 2008) within boundaries. Levels are clipped at MAGVals, so
 * the top of the lattice is the maximum allowed microdata, which satisfies the models for rows
 * outside OUT.
 *
 * An attribute at its top distinguishes rows by their MAM cell only. A node of a subset of
 * attributes is therefore the node of the whole lattice with the other attributes at their tops:
 * one lattice holds the nodes of all subsets, and the own nodes of a subset are those with exactly
 * its attributes below their tops. Subsets are walked by size, and a subset only if each subset
 * smaller by one attribute has an own node that satisfies the models. Within a subset, nodes are
 * visited in lexicographic order, so every node below has been decided before:
 *
 *   - a node above a satisfying node satisfies (generalization property);
 *   - a node fails if it fails with one more attribute at its top (subset property);
 *   - any other node is checked with its frequency set (frequency_keep.c).
 *
 * The nodes directly below a node belong to its subset or to subsets larger by one attribute, so
 * once those are walked it is known whether a satisfying node is minimal.
 *
 * With a suppression limit a higher node may lose less than every minimal one, because it
 * suppresses fewer rows. A second walk compares each satisfying node whose loss without suppression
 * is low enough to win. Time: O(checks x frequency set), and a few nanoseconds for every other node
 * of the subsets walked. Memory: a byte per node. */
#include "algorithm/lattice/frequency.h"

#include <stdlib.h>
#include <string.h>

/* State of a node. CLEAN: it satisfies the models without suppressing any row outside OUT. */
enum { SATISFIES = 1, CLEAN = 2, MINIMAL = 4 };

/* A node that satisfies the models and is minimal in its subset; it may be minimal in the
 * lattice. */
typedef struct {
    uint64_t index;
    hr_tally tally; /* no classes: not known yet */
} candidate;

typedef struct {
    candidate *items;
    size_t count, capacity;
} candidate_list;

/* Results of one thread. */
typedef struct {
    candidate_list candidates;
    uint64_t walked, checked, scans, rollups;
} worker;

/* A moving attribute is one with at least two levels. A node's index is the sum of level x stride
 * over the moving attributes. */
typedef struct {
    hr_space space;
    hr_combinations all;
    size_t moving_count;
    uint32_t moving[HR_LATTICE_MOVING]; /* moving attributes: indices among the quasi-identifiers */
    uint32_t levels[HR_LATTICE_MOVING]; /* number of levels of each */
    uint64_t stride[HR_LATTICE_MOVING]; /* 1 for the last */
    uint8_t *state;                     /* per node: bits SATISFIES, CLEAN, MINIMAL */
    uint32_t *subsets;                  /* of the current size; bit i stands for moving[i] */
    size_t subset_count, subset_capacity;
    worker *workers; /* per thread */
    unsigned threads;
    candidate_list candidates;          /* of the subsets of the previous size */
    uint32_t lowest[HR_LATTICE_MOVING]; /* lowest level of the attribute in a minimal node */
    hr_best best;
    uint32_t *node_at, *node_levels; /* scratch: a node, per quasi-identifier */
} search;

static hr_status add_candidate(candidate_list *list, candidate item, hr_error *err) {
    HR_TRY(hr_grow(&list->items, &list->capacity, list->count + 1, sizeof *list->items, err));
    list->items[list->count++] = item;
    return HR_OK;
}

/* ---- walking ---- */

/* A walk through all nodes with low[i] <= at[i] < end[i] for its attributes; the other attributes
 * stay at their tops. */
typedef struct {
    search *s;
    worker *own;
    size_t count;                      /* attributes that are walked */
    uint32_t place[HR_LATTICE_MOVING]; /* index of each in `moving` */
    uint32_t at[HR_LATTICE_MOVING], low[HR_LATTICE_MOVING], end[HR_LATTICE_MOVING];
    uint64_t stride[HR_LATTICE_MOVING];
    uint64_t index; /* of the current node */
    hr_frequencies frequencies;
    hr_error *err;
} walk;

/* Moves attribute i to a level. A negative difference of levels wraps, and so does the sum. */
static void move(walk *w, size_t i, uint32_t level) {
    w->index += ((uint64_t)level - w->at[i]) * w->stride[i];
    w->at[i] = level;
}

/* Moves to the next node; false after the last. */
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

/* Visits all nodes. Progress counts the nodes below `low`, too. */
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

/* Moves to the first node. The caller has set count, place, low and end. */
static hr_status begin_walk(walk *w) {
    uint32_t attributes[HR_LATTICE_MOVING] = {0};
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

/* Is a node directly below the current one in a given state? */
static bool has_below(const walk *w, uint8_t what) {
    for (size_t i = 0; i < w->count; i++)
        if (w->at[i] > 0 && w->s->state[w->index - w->stride[i]] & what) return true;
    return false;
}

/* ---- the own nodes of a subset ---- */

/* Does the node fail with one more attribute at its top? */
static bool fails_in_part(const walk *w) {
    for (size_t i = 0; i < w->count; i++)
        if (!w->s->state[w->index + (w->end[i] - w->at[i]) * w->stride[i]]) return true;
    return false;
}

static hr_status check(walk *w) {
    const hr_frequency *f;
    HR_TRY(hr_frequencies_get(&w->frequencies, w->at, &f, w->err));
    w->own->checked++;
    if (f->bad > w->s->space.limit || f->bad == w->s->space.row_count)
        return hr_frequencies_keep(&w->frequencies, w->at, w->err);
    w->s->state[w->index] = f->bad ? SATISFIES : SATISFIES | CLEAN;
    hr_tally tally = hr_frequency_tally(&w->frequencies.counter, f, w->at);
    return add_candidate(&w->own->candidates, (candidate){w->index, tally}, w->err);
}

static hr_status decide(walk *w) {
    if (has_below(w, SATISFIES))
        w->s->state[w->index] = SATISFIES;
    else if (!fails_in_part(w))
        return check(w);
    return HR_OK;
}

/* The highest own node of a subset: the subset's attributes are one level below their tops, all
 * others at their tops. If it fails, all own nodes of the subset fail. */
static uint64_t highest_own(const search *s, uint32_t bits) {
    uint64_t index = s->space.nodes - 1;
    for (size_t i = 0; i < s->moving_count; i++)
        if (bits >> i & 1) index -= s->stride[i];
    return index;
}

/* Sets low[i] to the lowest level of attribute i at which own nodes of the subset may satisfy the
 * models. A lower level fails even with one other attribute at its top and the remaining ones at
 * their highest own levels. */
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

static hr_status walk_subset(size_t i, unsigned number, void *payload, hr_error *err) {
    search *s = payload;
    walk w = {.s = s, .own = &s->workers[number], .err = err};
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

/* The top is known to satisfy the models and was never checked, so it has no tally yet. */
static hr_status tally_top(search *s, hr_tally *out, hr_error *err) {
    walk w = {.s = s, .own = &s->workers[0], .err = err};
    const hr_frequency *f;
    hr_status status = begin_walk(&w);
    if (status == HR_OK) status = hr_frequencies_get(&w.frequencies, w.at, &f, err);
    if (status == HR_OK) *out = hr_frequency_tally(&w.frequencies.counter, f, w.at);
    end_walk(&w);
    return status;
}

/* Adds a candidate to the findings if it is minimal. Every node directly below has been decided. */
static hr_status settle(search *s, const candidate *c, hr_error *err) {
    hr_tally tally = c->tally;
    for (size_t i = 0; i < s->moving_count; i++) {
        uint32_t level = (uint32_t)(c->index / s->stride[i] % s->levels[i]);
        if (level > 0 && s->state[c->index - s->stride[i]] & SATISFIES) return HR_OK;
        s->node_at[s->moving[i]] = level;
    }
    for (size_t i = 0; i < s->moving_count; i++)
        if (s->node_at[s->moving[i]] < s->lowest[i]) s->lowest[i] = s->node_at[s->moving[i]];
    s->state[c->index] |= MINIMAL;
    if (!tally.classes) HR_TRY(tally_top(s, &tally, err));
    hr_lattice_node node = hr_best_offer(&s->space, &s->best, s->node_at, &tally, s->node_levels);
    node.minimal = true;
    return hr_lattice_add(s->space.findings, &node, err);
}

static hr_status settle_candidates(search *s, hr_error *err) {
    for (size_t i = 0; i < s->candidates.count; i++)
        HR_TRY(settle(s, &s->candidates.items[i], err));
    return HR_OK;
}

/* Replaces the candidates by those that the threads found. */
static hr_status gather_candidates(search *s, hr_error *err) {
    s->candidates.count = 0;
    for (unsigned i = 0; i < s->threads; i++) {
        candidate_list *own = &s->workers[i].candidates;
        for (size_t c = 0; c < own->count; c++)
            HR_TRY(add_candidate(&s->candidates, own->items[c], err));
        own->count = 0;
    }
    return HR_OK;
}

/* ---- subsets ---- */

/* Does each subset smaller by one attribute have an own node that satisfies the models? */
static bool parts_satisfy(const search *s, uint32_t bits) {
    uint64_t highest = highest_own(s, bits);
    for (size_t i = 0; i < s->moving_count; i++)
        if (bits >> i & 1 && !s->state[highest + s->stride[i]]) return false;
    return true;
}

/* Replaces the subsets by those larger by one attribute that are worth walking. Each is made once,
 * by adding its last attribute. */
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

/* Starts with the empty subset, whose only node is the top. */
static hr_status begin_with_top(search *s, hr_error *err) {
    HR_TRY(hr_grow(&s->subsets, &s->subset_capacity, 1, sizeof *s->subsets, err));
    s->subsets[s->subset_count++] = 0;
    s->state[s->space.nodes - 1] = SATISFIES | CLEAN;
    return add_candidate(&s->candidates, (candidate){.index = s->space.nodes - 1}, err);
}

static hr_status walk_subsets(search *s, hr_error *err) {
    uint64_t walked = 0;
    HR_TRY(begin_with_top(s, err));
    while (s->candidates.count) {
        HR_TRY(enlarge(s, err));
        HR_TRY(hr_parallel(s->subset_count, s->threads, walk_subset, s, err));
        HR_TRY(settle_candidates(s, err));
        HR_TRY(gather_candidates(s, err));
    }
    for (unsigned i = 0; i < s->threads; i++)
        walked += s->workers[i].walked;
    return hr_progress_add(s->space.task->progress, s->space.nodes - walked, err);
}

/* ---- nodes that are not minimal ---- */

/* Compares a satisfying node with the best so far. Skips nodes above a CLEAN node, which lose at
 * least as much, and nodes that would lose too much even if they suppressed nothing. */
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
    walk w = {.s = s, .own = &s->workers[0], .count = s->moving_count, .err = err};
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

/* Lists the attributes with two levels or more, those with few levels first: a walk changes the
 * level of the last ones most often. */
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
    s->workers = hr_alloc(s->threads, sizeof *s->workers, err);
    s->state = hr_alloc(s->space.nodes, sizeof *s->state, err);
    s->node_at = hr_arena_alloc(&s->space.arena, t, sizeof *s->node_at, err);
    s->node_levels = hr_arena_alloc(&s->space.arena, t, sizeof *s->node_levels, err);
    if (!s->workers || !s->state || !s->node_at || !s->node_levels) return HR_ENOMEM;
    return hr_best_init(&s->space, &s->best, err);
}

/* Over all subsets, an attribute is at one of its levels or absent; the empty subset does not
 * count. */
static void sum_up(search *s) {
    hr_lattice_counts *counts = &s->space.findings->counts;
    counts->all_nodes = 1;
    for (size_t i = 0; i < s->moving_count; i++)
        counts->all_nodes *= s->levels[i] + UINT64_C(1);
    if (s->moving_count) counts->all_nodes--;
    for (unsigned i = 0; i < s->threads; i++) {
        counts->checked += s->workers[i].checked;
        counts->scans += s->workers[i].scans;
        counts->rollups += s->workers[i].rollups;
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

/* Frees everything but the space. */
static void free_search(search *s) {
    for (unsigned i = 0; s->workers && i < s->threads; i++)
        free(s->workers[i].candidates.items);
    free(s->workers);
    free(s->state);
    free(s->subsets);
    free(s->candidates.items);
    hr_combinations_free(&s->all);
}

static hr_status run(const hr_table_task *task, hr_partition *out, hr_findings **findings,
                     hr_error *err) {
    search s = {0};
    HR_TRY(hr_space_make(task, &s.space, err));
    hr_status status = search_all(&s, err);
    if (status == HR_OK) status = hr_space_publish(&s.space, &s.best, out, findings, err);
    free_search(&s);
    hr_space_free(&s.space);
    return status;
}

hr_status hr_lattice_minimal(hr_space *space, hr_error *err) {
    search s = {.space = *space};
    list_moving(&s);
    hr_status status = allocate(&s, err);
    hr_progress_start(space->task->progress, space->task->watch, "search", space->nodes);
    if (status == HR_OK) status = hr_combinations_make(&s.space, &s.all, err);
    if (status == HR_OK) status = walk_subsets(&s, err);
    free_search(&s);
    *space = s.space;
    return status;
}

static const hr_option options[] = {
    {.name = "suppression",
     .help = "share of the input's rows that may be suppressed besides those that must be",
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

/* The option `suppression` needs models that are closed under supersets. With other models, the
 * groups that violate one may have more rows at a higher node than at a lower one. */
static const char *needs_superset(const void *own) {
    return may_suppress(own) ? options[0].name : NULL;
}

const hr_algorithm hr_algorithm_incognito = {
    .name = "incognito",
    .title =
        "one level for a whole column, such as all ages by ten years: the best choice of levels",
    .reference = "LeFevre, DeWitt, Ramakrishnan 2005; Truta et al. 2008",
    .options = options,
    .options_size = sizeof(hr_incognito_options),
    .enforces_p = true,
    .others = HR_OTHERS_ENFORCED,
    .needs_superset = needs_superset,
    .needs_hierarchy = true,
    .any_order = true,
    .lists_alternatives = true,
    .whole_table = &(const hr_table_search){.may_suppress = may_suppress,
                                            .run = run,
                                            .run_reference = hr_incognito_plain},
};
