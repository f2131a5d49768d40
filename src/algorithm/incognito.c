/* incognito.c - all minimal full-domain generalizations (LeFevre, DeWitt, Ramakrishnan 2005, with
 * p-sensitivity as in Truta et al. 2008), within boundaries: levels are clipped at MAGVals, so the
 * top of the lattice is the maximum allowed microdata, which satisfies the models without OUT.
 *
 * Subsets of attributes one after another, by size. In each, nodes in lexicographic order, so that
 * what lies below a node is decided before it: if something below satisfies, so does the node
 * (generalization); if it fails without one of the attributes, it fails (subset); if one of them is
 * at its top, it is what it is without it, for there rows differ by their MAM cell alone; otherwise it
 * is checked. So each node of the lattice is checked in one subset at most, where it is smallest. The
 * frequency set that the check needs is rolled up from the smallest of those kept from nodes below;
 * the first comes from the table, at the lowest levels at which nodes are left.
 *
 * With a suppression limit a higher node may lose less than a minimal one: of all satisfying nodes
 * those are judged that could, by what their rows cost unsuppressed. Time: O(checks x frequency set),
 * a few nanoseconds for each node that is pruned. */
#include "algorithm/frequency.h"

#include <stdlib.h>
#include <string.h>

/* One more attribute of two levels would not be within bounds: lists of moving ones are long enough. */
_Static_assert(HR_LATTICE_MOVING == 17 && HR_LATTICE_NODES < UINT64_C(387420489), "3^18");

enum { SATISFIES = 1, CLEAN = 2, MINIMAL = 4 }; /* CLEAN: and nothing is suppressed */

/* What a check found, with the node's place in the whole lattice. */
typedef struct {
    uint64_t index;
    hr_tally tally;
} told_node;

/* One subset of the attributes that have a choice of levels, in their order. */
typedef struct {
    size_t count;
    uint32_t attribute[HR_LATTICE_MOVING]; /* places among the moving ones */
    uint64_t stride[HR_LATTICE_MOVING], nodes;
    uint8_t *state;                     /* of each node */
    uint32_t lowest[HR_LATTICE_MOVING]; /* level of each attribute in any node that satisfies */
    uint64_t checked, scans, rollups;
    told_node *told; /* minimal in this subset: they may be so in the whole */
    size_t told_count, told_capacity;
} subset;

typedef struct {
    hr_space space;
    hr_combinations all;
    size_t moving_count;
    uint32_t moving[HR_LATTICE_MOVING]; /* attributes with a choice of levels */
    uint32_t levels[HR_LATTICE_MOVING]; /* how many each has */
    subset *subsets;                    /* by bits: bit i is moving[i] */
    uint32_t *bits;                     /* of the subsets of one size */
    told_node *told;                    /* of all subsets, by index */
    size_t told_count;
    hr_best best;
} search;

/* ---- walking one subset ---- */

typedef struct {
    search *s;
    subset *self;
    size_t count;
    uint32_t at[HR_LATTICE_MOVING], low[HR_LATTICE_MOVING];
    uint64_t index;
    /* Without attribute i: the subset's states, where this node is in it, and its strides. */
    const uint8_t *part_state[HR_LATTICE_MOVING];
    uint64_t part_index[HR_LATTICE_MOVING];
    uint64_t part_stride[HR_LATTICE_MOVING][HR_LATTICE_MOVING];
    hr_frequencies frequencies;
    hr_lattice *found; /* the whole set's walk only: where minimal nodes are told */
    uint32_t *node_at, *node_levels;
    hr_error *err;
} walk;

static uint64_t level_count(const walk *w, size_t i) {
    return w->s->levels[w->self->attribute[i]];
}

/* Attribute i goes to a level. */
static void move(walk *w, size_t i, uint32_t level) {
    uint64_t step = (uint64_t)level - w->at[i]; /* modulo 2^64, also downward */
    w->index += step * w->self->stride[i];
    for (size_t without = 0; without < w->count; without++)
        w->part_index[without] += step * w->part_stride[without][i];
    w->at[i] = level;
}

/* To the next node; false: that was the last. */
static bool advance(walk *w) {
    size_t i = w->count;
    while (i > 0 && w->at[i - 1] + 1 == level_count(w, i - 1)) {
        move(w, i - 1, w->low[i - 1]);
        i--;
    }
    if (i == 0) return false;
    move(w, i - 1, w->at[i - 1] + 1);
    return true;
}

/* The levels of all quasi-identifiers, where this walk is of all moving ones. */
static void spread(const walk *w) {
    for (size_t i = 0; i < w->count; i++)
        w->node_at[w->s->moving[i]] = w->at[i];
}

static int by_index(const void *a, const void *b) {
    const told_node *x = a, *y = b;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* A minimal node of the whole lattice: its figures are known from the subset that checked it. */
static hr_status tell_minimal(walk *w) {
    const search *s = w->s;
    const told_node wanted = {.index = w->index};
    const told_node *told =
        s->told_count ? bsearch(&wanted, s->told, s->told_count, sizeof *told, by_index) : NULL;
    hr_tally tally;
    if (told) {
        tally = told->tally;
    } else {
        const hr_frequency *f;
        HR_TRY(hr_frequencies_get(&w->frequencies, w->at, &f, w->err));
        tally = hr_frequency_tally(&w->frequencies.counter, f, w->at);
    }
    spread(w);
    hr_lattice_node node =
        hr_best_offer(&s->space, &w->s->best, w->node_at, &tally, w->node_levels);
    node.minimal = true;
    return hr_lattice_add(w->found, &node, w->err);
}

/* A minimal node of a subset. */
static hr_status remember(walk *w, const hr_frequency *f) {
    subset *self = w->self;
    const subset *whole = &w->s->subsets[(UINT32_C(1) << w->s->moving_count) - 1];
    uint64_t index = whole->nodes - 1; /* the top */
    for (size_t i = 0; i < w->count; i++)
        index -= (level_count(w, i) - 1 - w->at[i]) * whole->stride[self->attribute[i]];
    HR_TRY(hr_grow(&self->told, &self->told_capacity, self->told_count + 1, sizeof *self->told,
                   w->err));
    self->told[self->told_count++] =
        (told_node){index, hr_frequency_tally(&w->frequencies.counter, f, w->at)};
    return HR_OK;
}

static bool has_below(const walk *w, uint8_t what) {
    for (size_t i = 0; i < w->count; i++)
        if (w->at[i] > 0 && w->self->state[w->index - w->self->stride[i]] & what) return true;
    return false;
}

static bool fails_in_part(const walk *w) {
    for (size_t i = 0; i < w->count; i++)
        if (w->part_state[i] && !w->part_state[i][w->part_index[i]]) return true;
    return false;
}

/* With an attribute at its top: what the node is without it. */
static bool known_from_part(const walk *w, uint8_t *state) {
    *state = SATISFIES | CLEAN; /* without any attribute: the maximum allowed microdata */
    for (size_t i = 0; i < w->count; i++) {
        if (w->at[i] + 1 < level_count(w, i)) continue;
        if (w->part_state[i]) *state = w->part_state[i][w->part_index[i]] & (SATISFIES | CLEAN);
        return true;
    }
    return w->count == 0;
}

static hr_status check(walk *w, uint8_t *state) {
    const hr_frequency *f;
    *state = 0;
    HR_TRY(hr_frequencies_get(&w->frequencies, w->at, &f, w->err));
    w->self->checked++;
    if (f->bad > w->s->space.limit || f->bad == w->s->space.at_hand)
        return hr_frequencies_keep(&w->frequencies, w->at, w->err);
    *state = f->bad ? SATISFIES : SATISFIES | CLEAN;
    return w->found ? HR_OK : remember(w, f);
}

static hr_status decide(walk *w) {
    uint8_t *state = &w->self->state[w->index], known;
    if (has_below(w, SATISFIES)) {
        *state = SATISFIES;
        return HR_OK;
    }
    if (fails_in_part(w)) return HR_OK;
    if (!known_from_part(w, &known)) HR_TRY(check(w, &known));
    if (!known) return HR_OK;
    *state = known | MINIMAL;
    for (size_t i = 0; i < w->count; i++)
        if (w->at[i] < w->self->lowest[i]) w->self->lowest[i] = w->at[i];
    return w->found ? tell_minimal(w) : HR_OK;
}

/* A satisfying node that is not minimal may be better than those that are, unless something below
 * suppresses nothing, or it costs too much even if it suppressed nothing. */
static hr_status judge(walk *w) {
    uint8_t *state = &w->self->state[w->index];
    const hr_frequency *f;
    if (!(*state & SATISFIES) || *state & MINIMAL) return HR_OK;
    if (has_below(w, CLEAN)) {
        *state |= CLEAN;
        return HR_OK;
    }
    spread(w);
    if (hr_space_cost(&w->s->space, w->node_at) > w->s->best.node.loss) return HR_OK;
    HR_TRY(hr_frequencies_get(&w->frequencies, w->at, &f, w->err));
    if (!f->bad) *state |= CLEAN;
    hr_tally tally = hr_frequency_tally(&w->frequencies.counter, f, w->at);
    hr_best_offer(&w->s->space, &w->s->best, w->node_at, &tally, w->node_levels);
    w->found->judged++;
    return hr_frequencies_keep(&w->frequencies, w->at, w->err);
}

static hr_status visit_all(walk *w, hr_status (*visit)(walk *w)) {
    hr_progress *progress = w->s->space.task->progress;
    uint64_t visited = 0;
    do {
        HR_TRY(visit(w));
        if (++visited % 256 == 0) HR_TRY(hr_progress_add(progress, 256, w->err));
    } while (advance(w));
    return hr_progress_add(progress, w->self->nodes - visited / 256 * 256, w->err);
}

/* ---- subsets ---- */

/* What is known without attribute `without`: its states, and how low the others can be. */
static void join_part(walk *w, uint32_t bits, size_t without) {
    const subset *part = &w->s->subsets[bits & ~(UINT32_C(1) << w->self->attribute[without])];
    w->part_state[without] = part->state;
    for (size_t i = 0, place = 0; i < w->count; i++) {
        if (i == without) continue;
        w->part_stride[without][i] = part->stride[place];
        if (part->lowest[place] > w->low[i]) w->low[i] = part->lowest[place];
        place++;
    }
}

static hr_status begin_walk(walk *w, uint32_t bits) {
    uint32_t attributes[HR_LATTICE_MOVING];
    w->self = &w->s->subsets[bits];
    w->count = w->self->count;
    w->self->state = hr_alloc(w->self->nodes, sizeof *w->self->state, w->err);
    if (!w->self->state) return HR_ENOMEM;
    for (size_t i = 0; i < w->count; i++) {
        attributes[i] = w->s->moving[w->self->attribute[i]];
        w->self->lowest[i] = UINT32_MAX;
    }
    for (size_t i = 0; w->count > 1 && i < w->count; i++)
        join_part(w, bits, i);
    for (size_t i = 0; i < w->count; i++)
        move(w, i, w->low[i]);
    w->frequencies = (hr_frequencies){.low = w->low, .progress = w->s->space.task->progress};
    return hr_counter_init(&w->frequencies.counter, &w->s->all, attributes, w->count, w->err);
}

static void end_walk(walk *w) {
    if (w->self) {
        w->self->scans = w->frequencies.scans;
        w->self->rollups = w->frequencies.rollups;
    }
    hr_frequencies_free(&w->frequencies);
}

static hr_status walk_part(size_t i, unsigned worker, void *payload, hr_error *err) {
    (void)worker;
    search *s = payload;
    walk w = {.s = s, .err = err};
    hr_status status = begin_walk(&w, s->bits[i]);
    if (status == HR_OK) status = visit_all(&w, decide);
    end_walk(&w);
    return status;
}

static hr_status gather_told(search *s, hr_error *err) {
    size_t all = (size_t)1 << s->moving_count, count = 0;
    for (size_t bits = 0; bits < all; bits++)
        count += s->subsets[bits].told_count;
    s->told = hr_alloc_raw(count, sizeof *s->told, err);
    if (!s->told) return HR_ENOMEM;
    for (size_t bits = 0; bits < all; bits++) {
        const subset *part = &s->subsets[bits];
        if (part->told_count)
            memcpy(s->told + s->told_count, part->told, part->told_count * sizeof *s->told);
        s->told_count += part->told_count;
    }
    qsort(s->told, s->told_count, sizeof *s->told, by_index);
    return HR_OK;
}

static hr_status walk_whole(search *s, hr_error *err) {
    size_t t = s->space.quasi_count;
    walk w = {.s = s, .err = err, .found = s->space.task->lattice};
    w.node_at = hr_arena_alloc(&s->space.arena, t, sizeof *w.node_at, err);
    w.node_levels = hr_arena_alloc(&s->space.arena, t, sizeof *w.node_levels, err);
    hr_status status =
        w.node_at && w.node_levels ? hr_best_init(&s->space, &s->best, err) : HR_ENOMEM;
    if (status == HR_OK) status = gather_told(s, err);
    if (status == HR_OK) status = begin_walk(&w, (UINT32_C(1) << s->moving_count) - 1);
    if (status == HR_OK) status = visit_all(&w, decide);
    if (status == HR_OK && s->space.limit) status = visit_all(&w, judge);
    end_walk(&w);
    return status;
}

static void describe_subset(search *s, uint32_t bits) {
    subset *self = &s->subsets[bits];
    self->nodes = 1;
    for (uint32_t i = 0; i < s->moving_count; i++)
        if (bits >> i & 1) self->attribute[self->count++] = i;
    for (size_t i = self->count; i-- > 0; self->nodes *= s->levels[self->attribute[i]])
        self->stride[i] = self->nodes;
}

static void free_subset(subset *self) {
    free(self->state);
    free(self->told);
    self->state = NULL;
    self->told = NULL;
}

static hr_status walk_size(search *s, size_t size, hr_error *err) {
    uint32_t all = UINT32_C(1) << s->moving_count;
    size_t found = 0;
    for (uint32_t bits = 0; bits < all; bits++)
        if (s->subsets[bits].count == size) s->bits[found++] = bits;
    HR_TRY(hr_parallel(found, s->space.task->threads, walk_part, s, err));
    /* Only the next size looks at these. */
    for (uint32_t bits = 0; bits < all; bits++) {
        if (s->subsets[bits].count + 1 != size) continue;
        free(s->subsets[bits].state);
        s->subsets[bits].state = NULL;
    }
    return HR_OK;
}

/* ---- the whole ---- */

/* Attributes that have a choice, those with few levels first: the last ones move most. */
static void list_moving(search *s) {
    uint32_t most = 0;
    for (size_t j = 0; j < s->space.quasi_count; j++)
        if (s->space.levels[j].count > most) most = s->space.levels[j].count;
    for (uint32_t levels = 2; levels <= most; levels++)
        for (uint32_t j = 0; j < s->space.quasi_count; j++) {
            if (s->space.levels[j].count != levels) continue;
            s->levels[s->moving_count] = levels;
            s->moving[s->moving_count++] = j;
        }
}

static void sum_up(const search *s, hr_lattice *lattice) {
    for (uint32_t bits = 0; bits < UINT32_C(1) << s->moving_count; bits++) {
        lattice->checked += s->subsets[bits].checked;
        lattice->scans += s->subsets[bits].scans;
        lattice->rollups += s->subsets[bits].rollups;
    }
    lattice->pruned = lattice->all_nodes - lattice->checked;
}

static hr_status search_all(search *s, hr_error *err) {
    const hr_whole_task *task = s->space.task;
    hr_lattice *lattice = task->lattice;
    list_moving(s);
    size_t all = (size_t)1 << s->moving_count;
    s->subsets = hr_alloc(all, sizeof *s->subsets, err);
    s->bits = hr_alloc(all, sizeof *s->bits, err);
    if (!s->subsets || !s->bits) return HR_ENOMEM;
    for (uint32_t bits = 0; bits < all; bits++)
        describe_subset(s, bits);
    for (uint32_t bits = all > 1; bits < all; bits++)
        lattice->all_nodes += s->subsets[bits].nodes;
    lattice->quasi_count = s->space.quasi_count;
    lattice->lattice_nodes = s->space.nodes;
    hr_progress_start(task->progress, task->watch, "search",
                      lattice->all_nodes + (s->space.limit ? s->space.nodes : 0));
    HR_TRY(hr_combinations_make(&s->space, &s->all, err));
    for (size_t size = 1; size < s->moving_count; size++)
        HR_TRY(walk_size(s, size, err));
    HR_TRY(walk_whole(s, err));
    sum_up(s, lattice);
    return HR_OK;
}

static hr_status run(const hr_whole_task *task, hr_partition *out, hr_error *err) {
    search s = {0};
    HR_TRY(hr_space_make(task, &s.space, err));
    hr_status status = search_all(&s, err);
    if (status == HR_OK) status = hr_space_publish(&s.space, &s.best, out, err);
    for (size_t bits = 0; s.subsets && bits < (size_t)1 << s.moving_count; bits++)
        free_subset(&s.subsets[bits]);
    free(s.told);
    free(s.subsets);
    free(s.bits);
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

const hr_algorithm hr_algorithm_incognito = {
    .name = "incognito",
    .title = "one level of the hierarchy for all values of an attribute: the best of all choices",
    .reference = "LeFevre, DeWitt, Ramakrishnan 2005; Truta et al. 2008",
    .options = options,
    .options_size = sizeof(hr_incognito_options),
    .enforces_p = true,
    .needs_hierarchy = true,
    .searches_levels = true,
    .run_whole = run,
    .run_whole_reference = hr_incognito_plain,
};
