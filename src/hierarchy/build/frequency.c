/* frequency.c - joins rare values: {frequency: N} joins the two groups with the fewest rows until N
 * groups are left, so that frequent values stay alone. Further numbers continue the joining, so
 * that levels nest. */
#include "hierarchy/build/build.h"

#include <stdlib.h>
#include <string.h>

enum { NAMED_MOST = 3 }; /* values that a label lists; of a larger group it names two */

typedef struct {
    uint64_t *groups;
    size_t count;
} frequency_plan;

static hr_status parse(const hr_spec *map, hr_arena *arena, void **plan, hr_error *err) {
    frequency_plan *p = hr_arena_alloc(arena, 1, sizeof *p, err);
    if (!p) return HR_ENOMEM;
    *plan = p;
    return hr_spec_descending(hr_spec_find(map, "frequency"), "frequency", UINT32_MAX - 1,
                              "higher levels have fewer groups", arena, &p->groups, &p->count, err);
}

typedef struct {
    uint64_t rows;
    const char *text;
    uint32_t value;
} counted_value;

static int by_rows(const void *a, const void *b) {
    const counted_value *x = a, *y = b;
    if (x->rows != y->rows) return x->rows < y->rows ? -1 : 1;
    return strcmp(x->text, y->text);
}

static int by_text(const void *a, const void *b) {
    return strcmp(((const counted_value *)a)->text, ((const counted_value *)b)->text);
}

/* Nodes 0 .. n - 1 are the values, rarest first; node n + j is made by join number j. */
typedef struct {
    uint32_t n;
    counted_value *values;
    uint64_t *rows; /* per node */
    uint32_t *up;   /* per node: what it was joined into */
    uint32_t *group;
} joining;

/* Joins until one group is left. Values are sorted by rows, and each join makes a group with at
 * least as many rows as the one before, so the rarest two are at the front of these two queues. */
static void join_all(joining *j) {
    uint32_t value = 0, made = j->n, end = j->n; /* fronts of the queues, and the next node */
    for (; end + 1 < 2 * j->n; end++) {
        j->rows[end] = 0;
        for (int i = 0; i < 2; i++) {
            bool single = value < j->n && (made == end || j->rows[value] <= j->rows[made]);
            uint32_t rarest = single ? value++ : made++;
            j->rows[end] += j->rows[rarest];
            j->up[rarest] = end;
        }
    }
}

/* Sets the group of every node at the time when `groups` groups are left: before join number
 * n - groups. */
static void find_groups(joining *j, uint64_t groups) {
    uint32_t limit = groups < j->n ? 2 * j->n - (uint32_t)groups : j->n;
    for (uint32_t node = limit; node-- > 0;)
        j->group[node] =
            node + 1 < 2 * j->n - 1 && j->up[node] < limit ? j->group[j->up[node]] : node;
}

/* The first members of a group in bytewise order. */
typedef struct {
    const char *named[NAMED_MOST];
    uint32_t count;
} group_members;

static void print_label(const group_members *members, hr_text *out) {
    uint32_t named = members->count > NAMED_MOST ? NAMED_MOST - 1 : members->count;
    for (uint32_t i = 0; i < named; i++)
        hr_text_printf(out, "%s%s", i > 0 ? ", " : "", members->named[i]);
    if (named < members->count) hr_text_printf(out, " and %u more", members->count - named);
}

static hr_status add_level(const joining *j, const counted_value *by_name, const uint32_t *node,
                           uint64_t groups, group_members *members, hr_stage *stage,
                           hr_error *err) {
    char name[48];
    hr_level *level;
    hr_text label = {0};
    hr_status status = HR_OK;
    snprintf(name, sizeof name, "frequency %llu", (unsigned long long)groups);
    HR_TRY(hr_stage_add(stage, name, &level, err));
    memset(members, 0, 2 * (size_t)j->n * sizeof *members);
    for (uint32_t i = 0; i < j->n; i++) {
        group_members *own = &members[j->group[node[by_name[i].value]]];
        if (own->count < NAMED_MOST) own->named[own->count] = by_name[i].text;
        own->count++;
    }
    for (uint32_t i = 0; i < j->n && status == HR_OK; i++) {
        print_label(&members[j->group[node[i]]], &label);
        status = hr_level_set_text(level, i, &label, err);
    }
    hr_text_free(&label);
    return status;
}

static hr_status build(const void *plan, hr_stage *stage, hr_error *err) {
    const frequency_plan *p = plan;
    hr_arena arena = {0};
    joining j = {.n = stage->count};
    counted_value *by_name;
    uint32_t *node; /* of each value of the stage */
    group_members *members;
    size_t n = stage->count;
    const hr_arena_part parts[] = {
        {&j.values, n, sizeof *j.values},  {&j.rows, 2 * n, sizeof *j.rows},
        {&j.up, 2 * n, sizeof *j.up},      {&j.group, 2 * n, sizeof *j.group},
        {&by_name, n, sizeof *by_name},    {&node, n, sizeof *node},
        {&members, 2 * n, sizeof *members}};
    hr_status status = hr_arena_parts(&arena, parts, sizeof parts / sizeof *parts, err);
    if (status == HR_OK) {
        for (uint32_t i = 0; i < n; i++)
            j.values[i] = (counted_value){stage->rows[i], stage->text[i], i};
        qsort(j.values, n, sizeof *j.values, by_rows);
        for (uint32_t i = 0; i < n; i++) {
            j.rows[i] = j.values[i].rows;
            node[j.values[i].value] = i;
        }
        if (n > 0) memcpy(by_name, j.values, n * sizeof *by_name);
        qsort(by_name, n, sizeof *by_name, by_text);
        join_all(&j);
    }
    for (size_t l = 0; l < p->count && status == HR_OK; l++) {
        find_groups(&j, p->groups[l]);
        status = add_level(&j, by_name, node, p->groups[l], members, stage, err);
    }
    hr_arena_free(&arena);
    return status;
}

const hr_builder hr_builder_frequency = {
    .name = "frequency",
    .title = "Rare values together",
    .argument = "[GROUPS, GROUPS]",
    .help = "join the two rarest groups until this many are left; frequent values stay alone",
    .counts_rows = true,
    .parse = parse,
    .build = build,
};
