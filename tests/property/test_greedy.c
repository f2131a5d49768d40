/* test_greedy.c - greedy-pk and k-member give the clusters of the papers' pseudocode (Campan,
 * Truta, Cooper 2010, section 3; Miller, Campan, Truta 2008), which is implemented here step by
 * step with exact integer costs. Ties go to the lowest row. The first row of the command is random,
 * so its clusters must equal those of the pseudocode for some first row. The fast form must always
 * give the same clusters as the plain form (--reference). */
#include "judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    UNIT = 720720
}; /* a cost of 1: heights up to 16 and the ranges of EXACT numbers divide it */

static world w;
static fate f;
static sheet trace;

/* ---- the table as whole numbers ---- */

static int node[MOST_ROWS][MOST_QUASI];         /* the node, or the number */
static int category[MOST_ROWS][MOST_SENSITIVE]; /* -1: missing */
static int join_of[MOST_QUASI][MOST_NODES][MOST_NODES];
static long node_cost[MOST_QUASI][MOST_NODES];
static long range_of[MOST_QUASI];
static long weight_of[MOST_SENSITIVE];

static void prepare_quasi(int j) {
    const quasi *q = &w.quasi[j];
    for (int row = 0; row < w.input.rows; row++)
        node[row][j] =
            q->kind == NUMERIC ? atoi(w.input.cell[row][q->column]) : original_node(&w, q, row);
    if (q->kind == NUMERIC) {
        long least, most;
        number_range(&w, &w.input, q->column, &least, &most);
        range_of[j] = (most - least) / 100;
        return;
    }
    int whole = tree_height(&q->tree, q->tree.root);
    for (int a = 0; a < q->tree.nodes; a++) {
        node_cost[j][a] = whole ? (long)UNIT * tree_height(&q->tree, a) / whole : 0;
        for (int b = 0; b < q->tree.nodes; b++) {
            bool member[MOST_NODES] = {0};
            member[a] = member[b] = true;
            join_of[j][a][b] = tree_lowest_common(&q->tree, member);
        }
    }
}

/* Numbers the categories: rows whose texts count as one value get the same number. */
static void prepare_sensitive(int l) {
    const sensitive *s = &w.sensitive[l];
    int largest, values = 0;
    for (int row = 0; row < w.input.rows; row++) {
        bool pair[MOST_ROWS] = {0};
        pair[row] = true;
        category[row][l] = -1;
        if (input_values(&w, s, pair, &largest) == 0) continue;
        for (int other = 0; other < row && category[row][l] < 0; other++) {
            if (category[other][l] < 0) continue;
            if (!s->bins && strcmp(w.input.cell[row][s->column], w.input.cell[other][s->column]))
                continue;
            pair[other] = true;
            if (input_values(&w, s, pair, &largest) == 1) category[row][l] = category[other][l];
            pair[other] = false;
        }
        if (category[row][l] < 0) category[row][l] = values++;
    }
    weight_of[l] = s->weight ? s->weight : 360360 / (values ? values : 1); /* see below */
}

/* Weights that are not given are inversely proportional to the number of values. 360360 is
 * divisible by 1..15, so the quotients are exact. */
static void prepare(void) {
    for (int j = 0; j < w.quasi_count; j++)
        prepare_quasi(j);
    for (int l = 0; l < w.sensitive_count; l++)
        prepare_sensitive(l);
}

/* ---- clusters ---- */

typedef struct {
    int size;
    int member[MOST_ROWS];
    int lo[MOST_QUASI], hi[MOST_QUASI]; /* for a tree, lo is the node */
} cluster;

static struct {
    cluster list[MOST_ROWS];
    int count;
    bool live[MOST_ROWS]; /* rows that are in no cluster yet */
    int left;
} s;

/* The cost per row of publishing the cluster with the row added. */
static long cost_with(const cluster *c, int row) {
    long cost = 0;
    for (int j = 0; j < w.quasi_count; j++) {
        int x = node[row][j];
        if (w.quasi[j].kind != NUMERIC) {
            cost += node_cost[j][c->size ? join_of[j][c->lo[j]][x] : x];
        } else if (range_of[j] > 0) {
            int lo = c->size && c->lo[j] < x ? c->lo[j] : x;
            int hi = c->size && c->hi[j] > x ? c->hi[j] : x;
            cost += (hi - lo) * (UNIT / range_of[j]);
        }
    }
    return cost;
}

static void add_row(cluster *c, int row) {
    for (int j = 0; j < w.quasi_count; j++) {
        int x = node[row][j];
        if (c->size == 0)
            c->lo[j] = c->hi[j] = x;
        else if (w.quasi[j].kind != NUMERIC)
            c->lo[j] = join_of[j][c->lo[j]][x];
        else if (x < c->lo[j])
            c->lo[j] = x;
        else if (x > c->hi[j])
            c->hi[j] = x;
    }
    c->member[c->size++] = row;
}

static void take_row(cluster *c, int row) {
    add_row(c, row);
    s.live[row] = false;
    s.left--;
}

static bool has_value(const cluster *c, int l, int wanted) {
    for (int i = 0; i < c->size; i++)
        if (category[c->member[i]][l] == wanted) return true;
    return false;
}

/* Diversity (Definition 13). A missing value never counts as new. */
static long diversity(const cluster *c, int row) {
    long sum = 0;
    for (int l = 0; l < w.sensitive_count; l++)
        if (category[row][l] >= 0 && !has_value(c, l, category[row][l])) sum += weight_of[l];
    return sum;
}

static bool p_sensitive(const cluster *c) {
    for (int l = 0; w.p > 1 && l < w.sensitive_count; l++) {
        int values = 0;
        for (int i = 0; i < c->size; i++) {
            bool fresh = category[c->member[i]][l] >= 0;
            for (int before = 0; before < i; before++)
                if (category[c->member[before]][l] == category[c->member[i]][l]) fresh = false;
            values += fresh;
        }
        if (values < w.p) return false;
    }
    return true;
}

/* The row most diverse from the previous seed; the lowest of several. */
static int most_diverse_from(int seed) {
    cluster old = {0};
    int best = -1;
    add_row(&old, seed);
    for (int row = 0; row < w.input.rows; row++)
        if (s.live[row] && (best < 0 || diversity(&old, row) > diversity(&old, best))) best = row;
    return best;
}

static int furthest_from(int seed) {
    cluster old = {0};
    int best = -1;
    add_row(&old, seed);
    for (int row = 0; row < w.input.rows; row++)
        if (s.live[row] && (best < 0 || cost_with(&old, row) > cost_with(&old, best))) best = row;
    return best;
}

/* The row with the least IL(cluster + row); the lowest of several. */
static int cheapest(const cluster *c, const bool *among) {
    int best = -1;
    for (int row = 0; row < w.input.rows; row++)
        if (among[row] && (best < 0 || cost_with(c, row) < cost_with(c, best))) best = row;
    return best;
}

static int cheapest_most_diverse(const cluster *c) {
    bool among[MOST_ROWS] = {0};
    long most = -1;
    for (int row = 0; row < w.input.rows; row++)
        if (s.live[row] && diversity(c, row) > most) most = diversity(c, row);
    for (int row = 0; row < w.input.rows; row++)
        among[row] = s.live[row] && diversity(c, row) == most;
    return cheapest(c, among);
}

/* FindBestCluster: the cluster with the least IL, or least growth of IL, with the row added; the
 * first of several. */
static void disperse(int row) {
    long least = 0;
    int best = -1;
    for (int i = 0; i < s.count; i++) {
        const cluster *c = &s.list[i];
        long loss = (c->size + 1) * cost_with(c, row);
        if (!w.absolute) loss -= c->size * cost_with(c, c->member[0]); /* the IL without the row */
        if (best < 0 || loss < least) {
            least = loss;
            best = i;
        }
    }
    CHECK(best >= 0, "there is no cluster to disperse into");
    add_row(&s.list[best], row);
}

/* ---- Campan, Truta, Cooper 2010, GreedyPKClustering ---- */

static void greedy_pk(int first) {
    int seed = first;
    while (s.left > 0) {
        cluster *c = &s.list[s.count];
        c->size = 0;
        seed = most_diverse_from(seed);
        take_row(c, seed);
        while (!p_sensitive(c) && s.left > 0)
            take_row(c, cheapest_most_diverse(c));
        while (c->size < needed_k(&w) && s.left > 0)
            take_row(c, cheapest(c, s.live));
        if (c->size >= needed_k(&w) && p_sensitive(c)) {
            s.count++;
            continue;
        }
        bool loose[MOST_ROWS] = {0};
        for (int i = 0; i < c->size; i++)
            loose[c->member[i]] = true;
        for (int row = 0; row < w.input.rows; row++)
            if (loose[row]) disperse(row);
    }
}

/* ---- Miller, Campan, Truta 2008, Greedy_k-member_Clustering ---- */

static void k_member(int first) {
    int seed = first;
    while (s.left >= w.k) {
        cluster *c = &s.list[s.count++];
        c->size = 0;
        seed = furthest_from(seed);
        take_row(c, seed);
        while (c->size < w.k)
            take_row(c, cheapest(c, s.live));
    }
    for (int row = 0; row < w.input.rows; row++)
        if (s.live[row]) disperse(row);
}

/* ---- comparing ---- */

static void start_cell(int cell) {
    s.count = s.left = 0;
    for (int row = 0; row < w.input.rows; row++) {
        s.live[row] = f.cell[row] == cell;
        s.left += s.live[row];
    }
}

/* Does the trace have the same clusters? Cluster numbers may differ. */
static bool same_clusters(int cell) {
    int mine[MOST_ROWS];
    const char *theirs[MOST_ROWS] = {0}; /* the number in the trace of each cluster here */
    for (int row = 0; row < w.input.rows; row++)
        mine[row] = -1;
    for (int i = 0; i < s.count; i++)
        for (int m = 0; m < s.list[i].size; m++)
            mine[s.list[i].member[m]] = i;
    for (int row = 0; row < w.input.rows; row++) {
        if (f.cell[row] != cell) continue;
        CHECK(mine[row] >= 0, "the plain form forgot row %d", row + 1);
        if (!theirs[mine[row]]) {
            for (int i = 0; i < s.count; i++)
                if (theirs[i] && !strcmp(theirs[i], trace.cell[row][2])) return false;
            theirs[mine[row]] = trace.cell[row][2];
        }
        if (strcmp(theirs[mine[row]], trace.cell[row][2])) return false;
    }
    return true;
}

/* First rows with the same first seed give the same clusters, so each seed is tried once. */
static void check_cell(int cell) {
    bool tried[MOST_ROWS] = {0};
    for (int first = 0; first < w.input.rows; first++) {
        if (f.cell[first] != cell) continue;
        start_cell(cell);
        int seed = w.method == K_MEMBER ? furthest_from(first) : most_diverse_from(first);
        if (tried[seed]) continue;
        tried[seed] = true;
        if (w.method == K_MEMBER)
            k_member(first);
        else
            greedy_pk(first);
        if (same_clusters(cell)) return;
    }
    fail("MAM cell %d: no first row leads to the command's clusters", cell + 1);
}

static int run_to(dice *d, const char *folder, const char *name, bool reference, bool by_rank) {
    command c;
    command_start(&c, "anonymize");
    command_add(&c, "%s/job.yaml", folder);
    command_add(&c, "-o"), command_add(&c, "%s/out.csv", folder);
    command_add(&c, "--trace"), command_add(&c, "%s/%s", folder, name);
    world_flags(&w, d, &c);
    if (by_rank) command_add(&c, "--ties=rank");
    if (reference) command_add(&c, "--reference");
    return command_run(&c, folder);
}

static void check_reference(dice *d, const char *folder, const char *name, bool by_rank) {
    char path[MOST_PATH], other[MOST_PATH];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    snprintf(other, sizeof other, "%s/%s.plain", folder, name);
    CHECK(run_to(d, folder, name, false, by_rank) == 0, "the command fails");
    char plain[64];
    snprintf(plain, sizeof plain, "%s.plain", name);
    CHECK(run_to(d, folder, plain, true, by_rank) == 0, "--reference fails");
    CHECK(same_bytes(path, other), "--reference gives other clusters%s",
          by_rank ? " (ties by rank)" : "");
}

static void run(dice *d, const char *folder) {
    char path[MOST_PATH];
    bool large = chance(d, 10);
    do
        world_make(&w, d, large ? LARGE : EXACT);
    while (w.bad_use);
    decide_fate(&w, needed_k(&w), w.p, !w.count, -1, &f);
    if (f.suppressed == w.input.rows) return;
    world_write(&w, d, folder);
    if (large || chance(d, 10)) {
        check_reference(d, folder, "trace.csv", false);
        check_reference(d, folder, "rank.csv", true);
    } else {
        CHECK(run_to(d, folder, "trace.csv", false, false) == 0, "the command fails");
    }
    snprintf(path, sizeof path, "%s/trace.csv", folder);
    sheet_read(path, ',', &trace);
    prepare();
    for (int cell = 0; cell < f.cells; cell++) {
        bool out = false;
        for (int row = 0; row < w.input.rows; row++)
            if (f.cell[row] == cell && f.gone[row]) out = true;
        if (!out) check_cell(cell);
    }
}

int main(void) {
    return run_cases("test_greedy", 3000, run);
}
