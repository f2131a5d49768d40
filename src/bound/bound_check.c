/* bound_check.c - recomputes, from the rows, the bound that multipliers and prices prove. It checks
 * certificates, so it is as plain as possible and shares no code with the files that found the
 * multipliers. It sorts rows into kinds, tries every box, one attribute after the other, and sorts
 * the kinds in a box to find its best class. It skips a box only if the box is not feasible or if
 * no multiplier inside exceeds the cost of the box, because V is then 0 or less. If there are too
 * many boxes, hr_check_rows first shows which kinds never pay, and boxes that contain only such
 * kinds are skipped, too.
 *
 * A row in a box pays its multiplier minus the cost of the box. */
#include "bound/bound_check.h"

#include <stdlib.h>
#include <string.h>

enum {
    LOOKS_EACH = 1 << 12, /* kinds in all boxes tried, per kind, before hr_check_rows is asked */
    LOOKS_LEAST = 1 << 26
};

typedef hr_check_kind kind;

typedef struct {
    const hr_bound_request *request;
    const hr_microdata *data;
    uint32_t k, p;
    kind *kinds; /* by first row */
    uint32_t kind_count;
    uint64_t *seen;   /* per value of one sensitive attribute: the last `now` at which it was met */
    uint64_t now;     /* number of the current count of values */
    uint32_t *left;   /* per kind: rows that best_class has not taken yet */
    hr_span *box;     /* per attribute: published value of the current box */
    uint64_t cost;    /* of the values set so far */
    int64_t price;    /* of a class of the current cell */
    uint64_t penalty; /* what is subtracted for the boxes and classes of the cell; saturates */
    uint64_t looks;   /* kinds in all boxes tried */
    uint64_t limit;   /* of looks */
    hr_progress progress;
    hr_error *err;
} recount;

static uint32_t sensitive_of(const recount *r, uint32_t row, size_t l) {
    return hr_sensitive_value(&r->data->sensitive[l], row);
}

/* ---- kinds ---- */

/* By cell and values; 0 for rows of one kind, which the merge sort leaves in ascending order.
 * Missing sensitive values are equal. */
static int compare_rows(const recount *r, uint32_t a, uint32_t b) {
    uint32_t x = r->request->cells->of_row[a], y = r->request->cells->of_row[b];
    for (size_t j = 0; x == y && j < r->data->quasi_count; j++) {
        x = hr_quasi_value(&r->data->quasi[j], a);
        y = hr_quasi_value(&r->data->quasi[j], b);
    }
    for (size_t l = 0; x == y && r->p > 1 && l < r->data->sensitive_count; l++) {
        x = sensitive_of(r, a, l);
        y = sensitive_of(r, b, l);
    }
    return x < y ? -1 : x > y;
}

/* Merge sort, because qsort cannot pass the table to the comparison. Stable. */
static void sort_rows(const recount *r, uint32_t *rows, uint32_t *spare, size_t count) {
    if (count < 2) return;
    size_t half = count / 2, i = 0, j = half;
    sort_rows(r, rows, spare, half);
    sort_rows(r, rows + half, spare, count - half);
    for (size_t to = 0; to < count; to++) {
        bool left = j == count || (i < half && compare_rows(r, rows[i], rows[j]) <= 0);
        spare[to] = left ? rows[i++] : rows[j++];
    }
    memcpy(rows, spare, count * sizeof *rows);
}

static int by_first(const void *a, const void *b) {
    const kind *x = a, *y = b;
    return x->first < y->first ? -1 : x->first > y->first;
}

static hr_status make_kinds(recount *r, uint32_t *rows, size_t count) {
    r->kinds = hr_alloc(count, sizeof *r->kinds, r->err);
    if (!r->kinds) return HR_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || compare_rows(r, rows[i - 1], rows[i]))
            r->kinds[r->kind_count++] = (kind){
                .first = rows[i], .cell = r->request->cells->of_row[rows[i]], .may_pay = true};
        r->kinds[r->kind_count - 1].rows++;
    }
    qsort(r->kinds, r->kind_count, sizeof *r->kinds, by_first);
    return HR_OK;
}

/* *lost: number of rows that are OUT or dropped. */
static hr_status find_kinds(recount *r, uint64_t *lost) {
    const hr_groups *cells = r->request->cells;
    uint32_t *rows = hr_alloc(2 * cells->rows, sizeof *rows, r->err);
    if (!rows) return HR_ENOMEM;
    size_t count = 0;
    for (uint32_t row = 0; row < cells->rows; row++)
        if (cells->of_row[row] != HR_NONE && !r->request->out[cells->of_row[row]])
            rows[count++] = row;
    *lost = cells->rows - count;
    sort_rows(r, rows, rows + cells->rows, count);
    hr_status status = make_kinds(r, rows, count);
    free(rows);
    return status;
}

/* ---- a set of kinds ---- */

/* Kinds as indices into r->kinds. */
typedef struct {
    const uint32_t *member;
    uint32_t count;
} set;

static uint32_t count_values(recount *r, const set *s, size_t l) {
    uint32_t values = 0;
    r->now++;
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t value = sensitive_of(r, r->kinds[s->member[i]].first, l);
        if (value == HR_NONE || r->seen[value] == r->now) continue;
        r->seen[value] = r->now;
        values++;
    }
    return values;
}

static uint64_t count_rows(const recount *r, const set *s) {
    uint64_t rows = 0;
    for (uint32_t i = 0; i < s->count; i++)
        rows += r->kinds[s->member[i]].rows;
    return rows;
}

/* Do the rows of the set satisfy k and p? */
static bool can_be_class(recount *r, const set *s) {
    if (count_rows(r, s) < r->k) return false;
    for (size_t l = 0; r->p > 1 && l < r->data->sensitive_count; l++)
        if (count_values(r, s, l) < r->p) return false;
    return true;
}

/* May any row pay more than 0, at the cost of the attributes set so far? */
static bool some_pays(const recount *r, const set *s) {
    for (uint32_t i = 0; i < s->count; i++) {
        const kind *own = &r->kinds[s->member[i]];
        if (own->may_pay && own->multiplier > (int64_t)r->cost) return true;
    }
    return false;
}

/* Is the current box the smallest that covers the set? */
static bool is_canonical(const recount *r, const set *s) {
    for (size_t j = 0; j < r->data->quasi_count; j++) {
        const hr_quasi *quasi = &r->data->quasi[j];
        hr_span all = {HR_NONE, HR_NONE};
        for (uint32_t i = 0; i < s->count; i++) {
            uint32_t value = hr_quasi_value(quasi, r->kinds[s->member[i]].first);
            hr_span own = {value, value};
            all = i == 0 ? own : hr_quasi_join(quasi, all, own);
        }
        if (all.lo != r->box[j].lo || all.hi != r->box[j].hi) return false;
    }
    return true;
}

/* ---- the best class of a box ---- */

typedef struct {
    int64_t multiplier;
    uint32_t kind;
} priced_kind;

static int best_first(const void *a, const void *b) {
    const priced_kind *x = a, *y = b;
    if (x->multiplier != y->multiplier) return x->multiplier > y->multiplier ? -1 : 1;
    return x->kind < y->kind ? -1 : x->kind > y->kind;
}

/* What the best class with k rows and p values of attribute l pays. It consists of one row of each
 * of the p best values, the best other rows up to k, and all other rows that pay more than 0.
 * Without sensitive attributes, or if p is 1, values do not matter. `order` is sorted by
 * best_first. */
static int64_t best_class(recount *r, const priced_kind *order, uint32_t count, size_t l) {
    int64_t cost = (int64_t)r->cost, sum = 0;
    uint64_t rows = 0, values = 0;
    bool counts_values = r->p > 1 && l < r->data->sensitive_count;
    r->now++;
    for (uint32_t i = 0; i < count; i++) {
        const kind *own = &r->kinds[order[i].kind];
        r->left[order[i].kind] = own->rows;
        uint32_t value = counts_values ? sensitive_of(r, own->first, l) : HR_NONE;
        if (value == HR_NONE || values == r->p || r->seen[value] == r->now) continue;
        r->seen[value] = r->now;
        values++;
        rows++;
        r->left[order[i].kind]--;
        sum += own->multiplier - cost;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint64_t take = r->left[order[i].kind], needed = rows < r->k ? r->k - rows : 0;
        if (order[i].multiplier <= cost && take > needed) take = needed;
        rows += take;
        sum += (order[i].multiplier - cost) * (int64_t)take;
    }
    return sum;
}

/* Adds max(0, V - price) of the current box to the penalty. V is the minimum over the sensitive
 * attributes, because a class must satisfy all of them. */
static hr_status add_box(recount *r, const set *s) {
    priced_kind *order = hr_alloc_raw(s->count, sizeof *order, r->err);
    if (!order) return HR_ENOMEM;
    for (uint32_t i = 0; i < s->count; i++)
        order[i] = (priced_kind){r->kinds[s->member[i]].multiplier, s->member[i]};
    qsort(order, s->count, sizeof *order, best_first);
    int64_t value = best_class(r, order, s->count, 0);
    for (size_t l = 1; r->p > 1 && l < r->data->sensitive_count; l++) {
        int64_t other = best_class(r, order, s->count, l);
        if (other < value) value = other;
    }
    if (value > r->price) {
        uint64_t more = (uint64_t)(value - r->price);
        r->penalty = r->penalty > INT64_MAX - more ? INT64_MAX : r->penalty + more;
    }
    free(order);
    return HR_OK;
}

/* ---- all boxes ---- */

static hr_status try_boxes(recount *r, const set *s, size_t j);

/* Has the walk taken too long? Then its result will not be used. */
static bool is_over(const recount *r) {
    return r->looks > r->limit;
}

/* Sets the value of attribute j in the current box and tries all values of the next attributes for
 * the members that it covers. */
static hr_status try_value(recount *r, const set *s, size_t j, hr_span published) {
    const hr_quasi *quasi = &r->data->quasi[j];
    r->looks += s->count;
    if (is_over(r)) return HR_OK;
    uint32_t *member = hr_alloc_raw(s->count, sizeof *member, r->err);
    if (!member) return HR_ENOMEM;
    set inside = {member, 0};
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t value = hr_quasi_value(quasi, r->kinds[s->member[i]].first);
        if (quasi->tree ? hr_hierarchy_covers(quasi->tree, published.lo, value)
                        : value >= published.lo && value <= published.hi)
            member[inside.count++] = s->member[i];
    }
    uint32_t cost = hr_quasi_cost(quasi, published);
    r->box[j] = published;
    r->cost += cost;
    hr_status status = try_boxes(r, &inside, j + 1);
    r->cost -= cost;
    free(member);
    return status;
}

/* Tries every node at or above the value of a member. */
static hr_status try_nodes(recount *r, const set *s, size_t j) {
    const hr_quasi *quasi = &r->data->quasi[j];
    bool *known = hr_alloc(quasi->value_count, sizeof *known, r->err);
    if (!known) return HR_ENOMEM;
    hr_status status = HR_OK;
    for (uint32_t i = 0; i < s->count && status == HR_OK && !is_over(r); i++) {
        uint32_t node = hr_quasi_value(quasi, r->kinds[s->member[i]].first);
        for (; status == HR_OK && node != HR_NONE && !known[node];
             node = quasi->tree->parent[node]) {
            known[node] = true;
            status = try_value(r, s, j, (hr_span){node, node});
        }
    }
    free(known);
    return status;
}

static int ascending(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Tries every interval between the numbers of two members. */
static hr_status try_intervals(recount *r, const set *s, size_t j) {
    const hr_quasi *quasi = &r->data->quasi[j];
    uint32_t *ranks = hr_alloc_raw(s->count, sizeof *ranks, r->err), count = 0;
    if (!ranks) return HR_ENOMEM;
    for (uint32_t i = 0; i < s->count; i++)
        ranks[i] = hr_quasi_value(quasi, r->kinds[s->member[i]].first);
    qsort(ranks, s->count, sizeof *ranks, ascending);
    for (uint32_t i = 0; i < s->count; i++)
        if (i == 0 || ranks[i] != ranks[i - 1]) ranks[count++] = ranks[i];
    hr_status status = HR_OK;
    for (uint32_t lo = 0; lo < count && status == HR_OK; lo++)
        for (uint32_t hi = lo; hi < count && status == HR_OK && !is_over(r); hi++)
            status = try_value(r, s, j, (hr_span){ranks[lo], ranks[hi]});
    free(ranks);
    return status;
}

/* Tries all boxes with the values set so far; attributes from j on have none yet. */
static hr_status try_boxes(recount *r, const set *s, size_t j) {
    if (!some_pays(r, s) || !can_be_class(r, s)) return HR_OK;
    HR_TRY(hr_progress_add(&r->progress, 0, r->err));
    if (j < r->data->quasi_count)
        return r->data->quasi[j].tree ? try_nodes(r, s, j) : try_intervals(r, s, j);
    /* A class publishes the smallest box that covers it, so other boxes do not matter. */
    return is_canonical(r, s) ? add_box(r, s) : HR_OK;
}

/* ---- cells ---- */

/* Upper limit on the number m of classes by attribute l. Each class has p values, and a value is in
 * at most min(its rows, m) classes, so the sum of these minima is at least p m. */
static uint64_t most_classes(recount *r, const set *s, uint64_t *rows_of, size_t l) {
    uint64_t rows = count_rows(r, s), values = r->data->sensitive[l].value_count;
    memset(rows_of, 0, values * sizeof *rows_of);
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t value = sensitive_of(r, r->kinds[s->member[i]].first, l);
        if (value != HR_NONE) rows_of[value] += r->kinds[s->member[i]].rows;
    }
    /* Invariant: m = low satisfies sum >= p m and rows >= k m; no m > high satisfies both. */
    uint64_t low = 0, high = rows / r->k;
    while (low < high) {
        uint64_t m = high - (high - low) / 2, sum = 0;
        for (uint64_t value = 0; value < values; value++)
            sum += rows_of[value] < m ? rows_of[value] : m;
        if (sum >= r->p * m)
            low = m;
        else
            high = m - 1;
    }
    return low;
}

static hr_status classes_of(recount *r, const set *s, uint64_t *classes) {
    *classes = count_rows(r, s) / r->k;
    for (size_t l = 0; r->p > 1 && l < r->data->sensitive_count; l++) {
        uint64_t *rows_of = hr_alloc(r->data->sensitive[l].value_count, sizeof *rows_of, r->err);
        if (!rows_of) return HR_ENOMEM;
        uint64_t most = most_classes(r, s, rows_of, l);
        if (most < *classes) *classes = most;
        free(rows_of);
    }
    return HR_OK;
}

/* Refuses multipliers and prices so large that a sum could exceed 64 bits. */
static hr_status check_size(const recount *r, const set *s) {
    int64_t most = (int64_t)(HR_BOUND_SPAN / count_rows(r, s));
    bool fits = r->price >= 0 && r->price <= most;
    for (uint32_t i = 0; i < s->count; i++) {
        int64_t multiplier = r->kinds[s->member[i]].multiplier;
        fits = fits && multiplier <= most && multiplier >= -most;
    }
    return fits ? HR_OK
                : hr_fail(r->err, HR_EDATA,
                          "a price is negative, or a multiplier or price is out of range");
}

static hr_status try_all_boxes(recount *r, const set *s, uint64_t classes) {
    r->cost = r->looks = 0;
    r->penalty = (uint64_t)r->price * classes;
    return try_boxes(r, s, 0);
}

/* Adds the bound of one cell to `loss`. A cell whose penalty exceeds its sum adds 0, because no
 * loss is negative. */
static hr_status prove_cell(recount *r, const set *s, uint64_t *loss) {
    uint64_t classes;
    int64_t sum = 0;
    HR_TRY(check_size(r, s));
    HR_TRY(classes_of(r, s, &classes));
    r->limit = (uint64_t)s->count * LOOKS_EACH;
    if (r->limit < LOOKS_LEAST) r->limit = LOOKS_LEAST;
    HR_TRY(try_all_boxes(r, s, classes));
    if (is_over(r)) {
        HR_TRY(hr_check_rows(r->data, r->k, r->p, r->kinds, s->member, s->count, &r->progress,
                             r->err));
        r->limit = UINT64_MAX;
        HR_TRY(try_all_boxes(r, s, classes));
    }
    for (uint32_t i = 0; i < s->count; i++)
        sum += r->kinds[s->member[i]].multiplier * r->kinds[s->member[i]].rows;
    if (sum > 0 && (uint64_t)sum > r->penalty) *loss += (uint64_t)sum - r->penalty;
    return HR_OK;
}

static hr_status prove_cells(recount *r, const hr_bound *claimed, uint64_t *loss) {
    uint32_t *member = hr_alloc_raw(r->kind_count, sizeof *member, r->err), number = 0;
    if (!member) return HR_ENOMEM;
    hr_status status = HR_OK;
    for (uint32_t cell = 0; cell < r->request->cells->count && status == HR_OK; cell++) {
        if (r->request->out[cell]) continue;
        set all = {member, 0};
        for (uint32_t i = 0; i < r->kind_count; i++)
            if (r->kinds[i].cell == cell) member[all.count++] = i;
        r->price = claimed->price[number++];
        status = prove_cell(r, &all, loss);
    }
    free(member);
    return status;
}

/* ---- the whole ---- */

static hr_status check_counts(const recount *r, const hr_bound *claimed) {
    uint32_t cells = 0;
    for (uint32_t cell = 0; cell < r->request->cells->count; cell++)
        cells += !r->request->out[cell];
    if (claimed->kind_count == r->kind_count && claimed->cell_count == cells) return HR_OK;
    return hr_fail(
        r->err, HR_EDATA,
        "it has %u prices and %u multipliers, and this table %u MAM cells and %u kinds of "
        "rows",
        claimed->cell_count, claimed->kind_count, cells, r->kind_count);
}

static hr_status prove(recount *r, const hr_bound *claimed, uint64_t *loss) {
    uint64_t lost;
    uint32_t most = 0;
    HR_TRY(find_kinds(r, &lost));
    HR_TRY(check_counts(r, claimed));
    for (size_t l = 0; l < r->data->sensitive_count; l++)
        if (r->data->sensitive[l].value_count > most) most = r->data->sensitive[l].value_count;
    r->seen = hr_alloc(most, sizeof *r->seen, r->err);
    r->left = hr_alloc(r->kind_count, sizeof *r->left, r->err);
    r->box = hr_alloc(r->data->quasi_count, sizeof *r->box, r->err);
    if (!r->seen || !r->left || !r->box) return HR_ENOMEM;
    for (uint32_t i = 0; i < r->kind_count; i++)
        r->kinds[i].multiplier = claimed->multiplier[i];
    *loss = lost * r->data->quasi_count * HR_COST_ONE;
    hr_progress_start(&r->progress, r->request->watch, "certificate", 0);
    return prove_cells(r, claimed, loss);
}

hr_status hr_bound_recompute(const hr_bound_request *request, const hr_bound *claimed,
                             uint64_t *loss, hr_error *err) {
    recount r = {
        .request = request,
        .data = request->data,
        .k = (uint32_t)(request->asked.k > request->asked.p ? request->asked.k : request->asked.p),
        .p = (uint32_t)request->asked.p,
        .err = err};
    hr_status status = prove(&r, claimed, loss);
    free(r.kinds);
    free(r.seen);
    free(r.left);
    free(r.box);
    return status;
}
