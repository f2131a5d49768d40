/* test_job.c - jobs as text: reading, messages for bad input, flags that override the job file, and
 * the choice of the algorithm. */
#include "algorithm/greedy/greedy.h"
#include "job/job_keys.h"
#include "run/run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define QUASI "attributes: {a: {role: quasi, hierarchy: flat}}\n"
#define SMALL "input: in.csv\nmodel: {k: 5}\n" QUASI

static hr_job *parsed(const char *text) {
    hr_job *job = NULL;
    hr_error err = {0};
    if (hr_job_parse(text, strlen(text), "job.yaml", "dir", &job, &err) != HR_OK)
        fail_msg("%s", err.message);
    return job;
}

static void set(hr_job *job, const char *key, const char *value) {
    hr_error err = {0};
    if (hr_job_set(job, key, value, &err) != HR_OK) fail_msg("%s", err.message);
}

static const hr_attribute *find(const hr_job *job, const char *name) {
    for (size_t i = 0; i < job->attribute_count; i++)
        if (!strcmp(job->attributes[i].name, name)) return &job->attributes[i];
    fail_msg("no attribute %s", name);
    return NULL;
}

/* ---- What is read ---- */

static void test_defaults(void **state) {
    (void)state;
    hr_job *job;
    assert_int_equal(hr_job_new(&job, NULL), HR_OK);
    assert_true(job->asked.k == 0 && job->asked.p == 1);
    assert_string_equal(job->search.algorithm, "hedge");
    assert_true(job->search.seed == 1 && job->search.threads == 0 && job->max_suppressed == 1);
    assert_true(job->order == HR_ORDER_CANONICAL && job->boundaries == HR_BOUNDARIES_DEFAULT);
    assert_int_equal(job->input.missing.count, 1);
    assert_string_equal(job->input.missing.texts[0], "");
    hr_job_free(job);
    hr_job_free(NULL);
}

static void test_absent_values(void **state) {
    (void)state;
    hr_job *job = parsed("input: ~\noutput:\nmodel: {k: null, p: Null}\nmissing: NULL\nseed: ~\n"
                         "attributes: {a: ~, b: {role: quasi, hierarchy: ~, boundary: {level: }}}\n"
                         "report: null\n");
    assert_true(!job->input.path && !job->output.release && job->output.reports.count == 0);
    assert_true(job->asked.k == 0 && job->asked.p == 1 && job->search.seed == 1);
    assert_int_equal(job->input.missing.count, 1);
    assert_string_equal(job->input.missing.texts[0], "");
    assert_int_equal(job->attribute_count, 1);
    assert_null(find(job, "b")->hierarchy);
    hr_job_free(job);
    hr_job_free(parsed("attributes: ~\nmodel:\n"));
    job = parsed("input: 'null'\nmissing: ['~', \"\", !!str null]\n");
    assert_string_equal(job->input.path, "dir/null");
    assert_int_equal(job->input.missing.count, 3);
    assert_string_equal(job->input.missing.texts[0], "~");
    assert_string_equal(job->input.missing.texts[2], "null");
    hr_job_free(job);
}

static void test_every_key(void **state) {
    (void)state;
    hr_job *job = parsed("input: in.csv\noutput: /abs/out.csv\nmodel: {k: 10, p: 3}\n"
                         "algorithm: k-member\nmissing: [\"\", '?', NA]\nboundaries: count\n"
                         "seed: 9223372036854775807\nthreads: 4\norder: shuffle\n"
                         "max_suppressed: 0.1\nreport: [a.json, b.json]\ntrace: t.csv\n"
                         "reference: true\ndelimiter: tab\nties: row\n");
    assert_string_equal(job->input.path, "dir/in.csv");
    assert_string_equal(job->output.release, "/abs/out.csv");
    assert_true(job->asked.k == 10 && job->asked.p == 3);
    assert_string_equal(job->search.algorithm, "k-member");
    assert_int_equal(job->input.missing.count, 3);
    assert_string_equal(job->input.missing.texts[2], "NA");
    assert_true(job->boundaries == HR_BOUNDARIES_COUNT && job->order == HR_ORDER_SHUFFLE);
    assert_true(job->search.seed == INT64_MAX && job->search.threads == 4 &&
                job->max_suppressed == 0.1);
    assert_int_equal(job->output.reports.count, 2);
    assert_string_equal(job->output.reports.texts[1], "dir/b.json");
    assert_string_equal(job->output.trace, "dir/t.csv");
    assert_true(job->search.reference && job->format.delimiter == '\t');
    assert_int_equal(job->search.settings.count, 1);
    assert_string_equal(job->search.settings.items[0].value, "row");
    hr_job_free(job);
}

static void test_attributes(void **state) {
    (void)state;
    hr_job *job =
        parsed("attributes:\n"
               "  age: {role: quasi, hierarchy: h/age.csv, boundary: {level: 1}, weight: 2}\n"
               "  land: {role: quasi, hierarchy: flat, boundary: [A b, 'C, d']}\n"
               "  city: {role: quasi, hierarchy: /c.csv, boundary: North America}\n"
               "  hours: {role: quasi, type: numeric, on_missing: drop}\n"
               "  job: {role: sensitive, weight: 0.4, bins: 8}\n"
               "  'no': {role: identifier}\n");
    const hr_attribute *age = find(job, "age"), *land = find(job, "land"),
                       *city = find(job, "city");
    const hr_attribute *hours = find(job, "hours"), *work = find(job, "job");
    assert_string_equal(age->hierarchy, "dir/h/age.csv");
    assert_true(!strcmp(age->boundary.level, "1") && age->weight == 2);
    assert_string_equal(land->hierarchy, "flat");
    assert_int_equal(land->boundary.node_count, 2);
    assert_string_equal(land->boundary.nodes[1], "C, d");
    assert_string_equal(city->hierarchy, "/c.csv");
    assert_string_equal(city->boundary.nodes[0], "North America");
    assert_true(hours->numeric && hours->on_missing == HR_MISSING_DROP);
    assert_true(work->role == HR_ROLE_SENSITIVE && work->weight == 0.4 && work->bins == 8);
    assert_true(find(job, "no")->role == HR_ROLE_IDENTIFIER);
    hr_job_free(job);
}

static void test_json(void **state) {
    (void)state;
    hr_job *job = parsed("{\"input\":\"-\",\"model\":{\"k\":5},\n\t\"attributes\":{\"\\u00e4 b\":"
                         "{\"role\":\"quasi\",\"hierarchy\":\"flat\"}},\"report\":\"r.json\"}");
    assert_string_equal(job->input.path, "-");
    assert_true(job->asked.k == 5);
    assert_string_equal(find(job, "\xc3\xa4 b")->hierarchy, "flat");
    assert_string_equal(job->output.reports.texts[0], "dir/r.json");
    hr_job_free(job);
}

/* ---- What is refused ---- */

typedef struct {
    const char *text, *message;
} refusal;

static const refusal unreadable[] = {
    {"", "job.yaml:1:1: the job file is empty"},
    {"- a", "job.yaml:1:1: the job is a list, it must be a mapping of keys to values"},
    {"algoritm: x", "job.yaml:1:1: there is no key 'algoritm' (did you mean 'algorithm'?)"},
    {"model: {k: 5}\nzzzzzz: 1", "job.yaml:2:1: there is no key 'zzzzzz'"},
    {"k: 5", "job.yaml:1:1: 'k' belongs below `model`: write model: {k: N}"},
    {"quasi: a", "job.yaml:1:1: 'quasi' is a flag; in a job file write attributes: {COLUMN: {role: "
                 "quasi, ...}}"},
    {"model: {k: 5, k: 6}", "job.yaml:1:15: the key 'k' is there twice"},
    {"seed: 1\nseed: 2", "job.yaml:2:1: the key 'seed' is there twice"},
    {"attributes: {a: {}, a: {}}", "job.yaml:1:21: the key 'a' is there twice"},
    {"model: {x: 5}", "job.yaml:1:9: no model has an option 'x': there are k, p, alpha, l, "
                      "entropy_l, recursive_c, recursive_l, t, distance, t_reference"},
    {"model: 5", "job.yaml:1:8: model is a single value, it must be a mapping of keys to values"},
    {"model: {k: 0}", "job.yaml:1:12: k: '0' is not a whole number from 1 to 1000000000"},
    {"model: {k: five}", "job.yaml:1:12: k: 'five' is not a whole number from 1 to 1000000000"},
    {"model: {p: 1000001}", "job.yaml:1:12: p: '1000001' is not a whole number from 1 to 1000000"},
    {"model: {k: [5]}", "job.yaml:1:12: k is a list, it must be a single value"},
    {"input: {a: b}", "job.yaml:1:8: input is a mapping, it must be a single value"},
    {"input: ''", "job.yaml:1:8: input: the name of a file is missing"},
    {"missing: [~]",
     "job.yaml:1:11: missing: ~ in a list is not a value: quote it ('~') if it is one"},
    {"missing:\n-\n- NA",
     "job.yaml:2:2: missing: nothing in a list is not a value: quote it ('') if it is one"},
    {"attributes: {a: {boundary: [null]}}", "job.yaml:1:29: a node of the boundary: null in a list "
                                            "is not a value: quote it ('null') if it is one"},
    {"algoritm: ~", "job.yaml:1:1: there is no key 'algoritm' (did you mean 'algorithm'?)"},
    {"model: {x: }", "job.yaml:1:9: no model has an option 'x': there are k, p, alpha, l, "
                     "entropy_l, recursive_c, recursive_l, t, distance, t_reference"},
    {"input: \"a\\0b\"", "job.yaml:1:8: input has a NUL character in it"},
    {"? [a]\n: b", "job.yaml:1:3: a key is a list, it must be a single value"},
    {"attributes: {a: quasi}", "job.yaml:1:17: a is a single value, it must be a mapping such as "
                               "{role: quasi, hierarchy: FILE}"},
    {"attributes: {'': {}}", "job.yaml:1:14: an attribute without a name"},
    {"attributes: {a: {rol: quasi}}",
     "job.yaml:1:18: there is no key 'rol' of an attribute (did you mean 'role'?)"},
    {"attributes: {a: {role: secret}}",
     "job.yaml:1:24: role: 'secret' is not one of identifier|quasi|sensitive|keep|drop"},
    {"attributes: {a: {type: text}}", "job.yaml:1:24: type: 'text' is not `numeric`, the only type "
                                      "there is (leave it out for values "
                                      "with a hierarchy)"},
    {"attributes: {a: {weight: 0}}", "job.yaml:1:26: weight: '0' is not a number greater than 0"},
    {"attributes: {a: {weight: 1e999}}",
     "job.yaml:1:26: weight: '1e999' is not a number greater than 0"},
    {"attributes: {a: {bins: 4097}}",
     "job.yaml:1:24: bins: '4097' is not a whole number from 2 to 4096"},
    {"attributes: {a: {bins: 1}}", "job.yaml:1:24: bins: '1' is not a whole number from 2 to 4096"},
    {"attributes: {a: {on_missing: keep}}",
     "job.yaml:1:30: on_missing: 'keep' is not one of group|drop|error"},
    {"attributes: {a: {hierarchy: ''}}",
     "job.yaml:1:29: hierarchy: name a file, or write `flat` for two levels"},
    {"attributes: {a: {boundary: []}}", "job.yaml:1:29: boundary: no node is named; leave the "
                                        "boundary out to allow everything"},
    {"attributes: {a: {boundary: {lvl: 1}}}", "job.yaml:1:29: there is no key 'lvl' in a boundary: "
                                              "write {level: N}, or a list of nodes; of a number "
                                              "{width: W}, {cells: N} or {cuts: [N, N]}"},
    {"attributes: {a: {boundary: {width: 1, level: 1}}}",
     "job.yaml:1:39: boundary: keep one of `width` and `level`"},
    {"attributes: {a: {finest: {width: 1}}}", "job.yaml:1:27: there is no key 'width' in a finest: "
                                              "write {level: N}, or a list of nodes"},
    {"attributes: {a: {boundary: {cuts: [1, 2, 2]}}}",
     "job.yaml:1:43: boundary: cut points ascend, and 2 is followed by 2: a cell begins at each of "
     "them"},
    {"attributes: {a: {boundary: {level: -1}}}",
     "job.yaml:1:36: level: '-1' is not a column of the hierarchy file (leaves are 0)"},
    {"attributes: {a: {boundary: [[x]]}}",
     "job.yaml:1:29: a node of the boundary is a list, it must be a single value"},
    {"boundaries: maybe", "job.yaml:1:13: boundaries: 'maybe' is not one of enforce|count"},
    {"order: random", "job.yaml:1:8: order: 'random' is not one of canonical|input|shuffle"},
    {"seed: -1", "job.yaml:1:7: seed: '-1' is not a whole number from 0 to 2^63 - 1"},
    {"threads: 1025", "job.yaml:1:10: threads: '1025' is not a whole number from 0 to 1024"},
    {"max-suppressed: 1.5", "job.yaml:1:17: max-suppressed: '1.5' is not a number from 0 to 1"},
    {"report: r.txt",
     "job.yaml:1:9: report 'dir/r.txt': a report is for programs (name it FILE.json) or a page for "
     "people (FILE.html)"},
    {"public_report: r.json",
     "job.yaml:1:16: public_report 'dir/r.json': a public report is a page, name it FILE.html"},
    {"study: [[age]]",
     "job.yaml:1:13: study: a list of 1 column: each pair has two, such as study: [[age, "
     "diagnosis], [sex, diagnosis]]"},
    {"study: age",
     "job.yaml:1:8: study 'age': name two columns, such as age:diagnosis; in a job file study: "
     "[[age, diagnosis]]"},
    {"keys: [age, zip]", "job.yaml:1:8: keys: 'age' is not a list of columns: write a list of "
                         "lists, such as keys: [[age, "
                         "zip, sex], [birth, hospital]]"},
    {"keys: [[age, '']]",
     "job.yaml:1:16: keys: a column has no name; write age:zip:sex, in a job file keys: [[age, "
     "zip, sex], [birth, hospital]]"},
    {"reference: yes", "job.yaml:1:12: reference: 'yes' is neither true nor false"},
    {"delimiter: ab",
     "job.yaml:1:12: delimiter: 'ab' is not one character such as ',', ';', '|' or "
     "tab"},
    {"model: &m {k: 5}",
     "job.yaml:1:8: anchors (&name) and aliases (*name) are not read: write the "
     "value out, in quotes if it begins with & or *"},
    {"seed: 1\n---\nseed: 2", "job.yaml:2:1: a second document: a file holds one job"},
};

static void test_unreadable(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof unreadable / sizeof *unreadable; i++) {
        hr_job *job = NULL;
        hr_error err = {0};
        const char *text = unreadable[i].text;
        assert_int_equal(hr_job_parse(text, strlen(text), "job.yaml", "dir", &job, &err),
                         HR_EINVAL);
        assert_string_equal(err.message, unreadable[i].message);
        assert_int_equal(hr_job_parse(text, strlen(text), "job.yaml", "dir", &job, NULL),
                         HR_EINVAL);
        assert_null(job);
    }
}

static void test_broken_yaml(void **state) {
    (void)state;
    static const char *texts[] = {"a: [",    "a: 'x", "\t- a",   "input: \xe9\n",
                                  "a: b: c", "%%% x", "{a: b}}", "input: *x"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        hr_job *job;
        hr_error err = {0};
        assert_int_equal(hr_job_parse(texts[i], strlen(texts[i]), "job.yaml", NULL, &job, &err),
                         HR_EINVAL);
        assert_memory_equal(err.message, "job.yaml:1:", 11);
        assert_int_equal(hr_job_parse(texts[i], strlen(texts[i]), "job.yaml", NULL, &job, NULL),
                         HR_EINVAL);
    }
}

static void test_deep_nesting(void **state) {
    (void)state;
    enum { DEPTH = 1000000 };
    char *text = malloc(DEPTH);
    hr_job *job;
    assert_non_null(text);
    memset(text, '[', DEPTH);
    memcpy(text, "input: ", 7);
    assert_int_equal(hr_job_parse(text, DEPTH, "job.yaml", NULL, &job, NULL), HR_EINVAL);
    free(text);
}

static const refusal incomplete[] = {
    {"model: {k: 5}\n" QUASI, "the input is missing: write `input: FILE` in the job, or name the "
                              "file first on the command line"},
    {"input: x\n" QUASI, "k is missing: write `model: {k: 5}` or give -k 5"},
    {"input: x\nmodel: {k: 5}", "no quasi-identifier is named: write `attributes: {COLUMN: {role: "
                                "quasi, hierarchy: FILE}}` or give --quasi COLUMN"},
    {"input: x\nmodel: {k: 5, p: 2}\n" QUASI,
     "p = 2 needs a sensitive attribute: write `role: sensitive` or give --sensitive COLUMN, or "
     "leave p out"},
    {"input: x\nmodel: {k: 5}\nattributes: {a: {role: quasi}}",
     "quasi-identifier 'a' needs a hierarchy or a type: write `hierarchy: FILE`, `hierarchy: flat` "
     "or `type: numeric` (flags: --hierarchy 'a=FILE', --numeric 'a')"},
    {"input: x\nmodel: {k: 5}\nattributes: {a: {role: quasi, hierarchy: flat, type: numeric}}",
     "quasi-identifier 'a' has both a hierarchy and `type: numeric`: keep one"},
    {"input: x\nmodel: {k: 5}\nattributes: {a: {role: quasi, type: numeric, boundary: {level: 1}}}",
     "quasi-identifier 'a' is numeric and has no levels or nodes: write `boundary: {width: 10}`, "
     "{cells: 8} or {cuts: [20, 40]}, or give it a hierarchy"},
    {"input: x\nmodel: {k: 5}\n"
     "attributes: {a: {role: quasi, hierarchy: flat, boundary: {width: 1}}}",
     "quasi-identifier 'a' has a hierarchy, and its boundary is for numbers without one: say "
     "{level: "
     "N} or name nodes, or write `type: numeric` in place of the hierarchy"},
    {"input: x\nmodel: {k: 5}\n"
     "attributes: {b: {role: quasi, hierarchy: flat}, a: {role: keep, boundary: {cells: 1}}}",
     "attribute 'a': `boundary` is for quasi-identifiers only; leave it out, or change the role"},
    {"input: x\nmodel: {k: 5}\n"
     "attributes: {a: {role: quasi, type: numeric, on_missing: group}}",
     "quasi-identifier 'a' is numeric, and numbers have no node for missing values: write "
     "`on_missing: drop`, or give it a hierarchy"},
    {"input: x\nmodel: {k: 5}\nattributes: {a: {role: quasi, hierarchy: flat, bins: 3}}",
     "attribute 'a': `bins` is for sensitive attributes only; leave it out, or change the role"},
    {"input: x\nmodel: {k: 5}\nattributes: {a: {role: sensitive, hierarchy: flat}}",
     "sensitive attribute 'a' has a hierarchy, which only t uses, with `distance: hierarchical` "
     "(or "
     "`ordered`: the order of its leaves); write that, leave the hierarchy out, or change the "
     "role"},
    {"input: x\nmodel: {k: 5, sensitive: {a: {t: 0.2, distance: hierarchical}}}\nattributes: {a: "
     "{role: sensitive}, b: {role: quasi, hierarchy: flat}}",
     "sensitive attribute 'a' needs a hierarchy for `distance: hierarchical`: write model: "
     "{sensitive: {a: {hierarchy: FILE}}}"},
    {"input: x\nmodel: {k: 5, sensitive: {a: {distance: ordered}}}\nattributes: {a: {role: "
     "sensitive}, b: {role: quasi, hierarchy: flat}}",
     "sensitive attribute 'a' has a `distance`, in which t is measured, and no t: write `t: 0.2`, "
     "or "
     "leave it out"},
    {"input: x\nmodel: {k: 5, sensitive: {b: {t: 0.2}}}\nattributes: {b: {role: quasi, hierarchy: "
     "flat}}",
     "attribute 'b': `t` is for sensitive attributes only; leave it out, or change the role"},
    {"input: x\nunit: b\nmodel: {k: 5}\nattributes: {b: {role: quasi, hierarchy: flat}}",
     "unit 'b' is never released, but its role is quasi: make it an identifier, or name another "
     "column"},
    {"input: x\nmodel: {k: 5}\nattributes: {a: {role: keep, type: numeric}}",
     "attribute 'a': `type` is for quasi-identifiers only; leave it out, or change the role"},
    {"input: x\nmodel: {k: 5}\nattributes: {a: {boundary: [b]}}",
     "attribute 'a': `boundary` is for quasi-identifiers only; leave it out, or change the role"},
    {"input: x\nmodel: {k: 5}\nattributes: {a: {role: drop, weight: 1}}",
     "attribute 'a': `weight` is for quasi-identifiers and sensitive attributes only; leave it "
     "out, "
     "or change the role"},
    {"input: x\nmodel: {k: 5}\nattributes: {a: {role: quasi, hierarchy: flat}, b: {role: "
     "sensitive, "
     "weight: 1}, c: {role: sensitive}}",
     "sensitive attribute 'b' has a weight and 'c' has none: give weights to all of them or to "
     "none"},
    {SMALL "output: in.csv",
     "the output and the input are the same file, dir/in.csv: choose another name"},
    {SMALL "output: out.csv\ntrace: out.csv",
     "the trace and the output are the same file, dir/out.csv: choose another name"},
    {SMALL "report: [a.json, a.json]",
     "a report and another report are the same file, dir/a.json: choose another name"},
    {SMALL "trace: '-'", "the trace: '-' cannot be written to, name a file"},
    {"input: x\nmodel: {k: 5}\noutput: h.csv\nattributes: {a: {role: quasi, hierarchy: h.csv}}",
     "the output and a hierarchy are the same file, dir/h.csv: choose another name"},
};

static void test_incomplete(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof incomplete / sizeof *incomplete; i++) {
        hr_job *job = parsed(incomplete[i].text);
        hr_error err = {0};
        assert_int_equal(hr_job_complete(job, &err), HR_EINVAL);
        assert_string_equal(err.message, incomplete[i].message);
        assert_int_equal(hr_job_complete(job, NULL), HR_EINVAL);
        hr_job_free(job);
    }
}

/* ---- Flags ---- */

static void test_flags_override(void **state) {
    (void)state;
    hr_job *job = parsed(SMALL "missing: ['?']\nreport: old.json\nseed: 5");
    set(job, "k", "7");
    set(job, "input", "other.csv");
    set(job, "report", "x.json");
    set(job, "report", "y.json");
    set(job, "missing", "NA");
    set(job, "max-suppressed", "0.5");
    set(job, "reference", NULL);
    assert_true(job->asked.k == 7 && job->search.seed == 5 && job->max_suppressed == 0.5);
    assert_string_equal(job->input.path, "other.csv"); /* not relative to the job file */
    assert_int_equal(job->output.reports.count, 2);
    assert_string_equal(job->output.reports.texts[0], "x.json");
    assert_int_equal(job->input.missing.count, 1);
    assert_string_equal(job->input.missing.texts[0], "NA");
    assert_true(job->search.reference);
    assert_int_equal(hr_job_complete(job, NULL), HR_OK);
    hr_job_free(job);
}

static void test_column_flags(void **state) {
    (void)state;
    hr_job *job;
    assert_int_equal(hr_job_new(&job, NULL), HR_OK);
    set(job, "quasi", "age,income\\, net,a\\=b");
    set(job, "numeric", "age");
    set(job, "hierarchy", "income\\, net=x=y.csv");
    set(job, "hierarchy", "a\\=b=flat");
    set(job, "boundary", "a\\=b=level:2");
    set(job, "boundary", "income\\, net=A,B\\, c,level\\:1");
    set(job, "sensitive", "s:0.3,t\\:u:0.7");
    set(job, "bins", "s=4");
    set(job, "on-missing", "age=drop");
    set(job, "identifier", "name");
    set(job, "keep", "note");
    set(job, "drop", "id");
    assert_true(find(job, "age")->numeric && find(job, "age")->on_missing == HR_MISSING_DROP);
    const hr_attribute *net = find(job, "income, net");
    assert_string_equal(net->hierarchy, "x=y.csv");
    assert_int_equal(net->boundary.node_count, 3);
    assert_string_equal(net->boundary.nodes[1], "B, c");
    assert_string_equal(net->boundary.nodes[2], "level:1");
    assert_true(!strcmp(find(job, "a=b")->boundary.level, "2"));
    assert_true(find(job, "s")->weight == 0.3 && find(job, "s")->bins == 4);
    assert_true(find(job, "t:u")->weight == 0.7);
    assert_true(find(job, "name")->role == HR_ROLE_IDENTIFIER);
    assert_true(find(job, "note")->role == HR_ROLE_KEEP && find(job, "id")->role == HR_ROLE_DROP);
    set(job, "input", "x.csv");
    set(job, "k", "2");
    assert_int_equal(hr_job_complete(job, NULL), HR_OK);
    hr_job_free(job);
}

/* A flag overrides the job file; two flags that contradict each other are an error. */
static void test_flags_replace_kind(void **state) {
    (void)state;
    hr_job *job =
        parsed("input: x\nmodel: {k: 5}\nattributes: {a: {role: quasi, hierarchy: h.csv, "
               "boundary: {level: 1}}, b: {role: quasi, type: numeric, on_missing: drop}}");
    set(job, "numeric", "a");
    set(job, "hierarchy", "b=flat");
    assert_int_equal(hr_job_complete(job, NULL), HR_OK);
    assert_true(find(job, "a")->numeric && !find(job, "b")->numeric);
    set(job, "hierarchy", "a=flat");
    assert_int_equal(hr_job_complete(job, NULL), HR_EINVAL);
    hr_job_free(job);
    job = parsed(SMALL);
    set(job, "sensitive", "a");
    set(job, "quasi", "b");
    set(job, "numeric", "b");
    assert_int_equal(hr_job_complete(job, NULL), HR_OK);
    assert_null(find(job, "a")->hierarchy);
    hr_job_free(job);
}

/* A second flag does not override the first. */
static void test_two_roles(void **state) {
    (void)state;
    static const char *const message =
        "column 'a' is given two roles, quasi and sensitive: leave one of them out";
    hr_job *job;
    hr_error err = {0};
    assert_int_equal(hr_job_new(&job, NULL), HR_OK);
    set(job, "quasi", "b,a");
    set(job, "quasi", "a"); /* repeating a role is allowed */
    assert_int_equal(hr_job_set(job, "sensitive", "c,a", &err), HR_EINVAL);
    assert_string_equal(err.message, message);
    hr_job_free(job);
    job = parsed(SMALL); /* `a` is a quasi-identifier */
    set(job, "quasi", "a");
    assert_int_equal(hr_job_set(job, "sensitive", "a:1", &err), HR_EINVAL);
    assert_string_equal(err.message, message);
    hr_job_free(job);
    job = parsed(SMALL);
    set(job, "keep", "a");
    assert_int_equal(hr_job_set(job, "drop", "a", &err), HR_EINVAL);
    assert_string_equal(err.message,
                        "column 'a' is given two roles, keep and drop: leave one of them out");
    hr_job_free(job);
}

/* The empty text, a leaf for missing values, can be a boundary node. */
static void test_empty_node(void **state) {
    (void)state;
    hr_job *job = parsed("attributes: {a: {boundary: ['']}, b: {boundary: ['', B]}}");
    assert_int_equal(find(job, "a")->boundary.node_count, 1);
    assert_string_equal(find(job, "a")->boundary.nodes[0], "");
    assert_int_equal(find(job, "b")->boundary.node_count, 2);
    hr_job_free(job);
}

static void test_bad_flags(void **state) {
    (void)state;
    static const char *bad[][3] = {
        {"algoritm", "x", "there is no key 'algoritm' (did you mean 'algorithm'?)"},
        {"k", NULL, "k: a value is missing"},
        {"model", "x", "'model' can be given in a job file only"},
        {"quasi", "", "the name of a column is missing"},
        {"quasi", "a,,b", "the name of a column is missing"},
        {"hierarchy", "a", "hierarchy: 'a' has no '=': write --hierarchy 'COLUMN=FILE'"},
        {"hierarchy", "=f", "the name of a column is missing"},
        {"boundary",
         "a=", "boundary: no node is named; leave the boundary out to allow everything"},
        {"boundary", "a=level:-x",
         "level: '-x' is not a column of the hierarchy file (leaves are 0)"},
        {"bins", "a=1", "bins: '1' is not a whole number from 2 to 4096"},
        {"on-missing", "a",
         "on-missing: 'a' has no '=': write --on-missing 'COLUMN=group|drop|error'"},
        {"sensitive", "a:b",
         "sensitive 'a': the weight 'b' is not a number greater than 0 (a colon in a column's name "
         "is written '\\:')"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        hr_job *job;
        hr_error err = {0};
        assert_int_equal(hr_job_new(&job, NULL), HR_OK);
        assert_int_equal(hr_job_set(job, bad[i][0], bad[i][1], &err), HR_EINVAL);
        assert_string_equal(err.message, bad[i][2]);
        assert_int_equal(hr_job_set(job, bad[i][0], bad[i][1], NULL), HR_EINVAL);
        hr_job_free(job);
    }
}

/* The status is the same whether or not the caller wants a message. */
static void test_too_many_columns(void **state) {
    (void)state;
    char names[HR_JOB_MOST * 8];
    size_t length = 0;
    for (int i = 0; i < HR_JOB_MOST; i++)
        length += (size_t)snprintf(names + length, sizeof names - length, "%sc%d", i ? "," : "", i);
    hr_job *job;
    hr_error err = {0};
    assert_int_equal(hr_job_new(&job, NULL), HR_OK);
    set(job, "quasi", names);
    assert_int_equal(hr_job_set(job, "quasi", "c", &err), HR_EINVAL);
    assert_int_equal(err.code, HR_EINVAL);
    assert_int_equal(hr_job_set(job, "quasi", "c", NULL), HR_EINVAL);
    assert_int_equal(hr_job_set(job, "hierarchy", "c=flat", NULL), HR_EINVAL);
    assert_int_equal(hr_job_set(job, "sensitive", "c:1", NULL), HR_EINVAL);
    hr_job_free(job);
}

static void test_names(void **state) {
    (void)state;
    hr_keyword keyword;
    assert_true(hr_keyword_find("max_suppressed", &keyword) && keyword.key);
    assert_true(hr_keyword_find("k", &keyword) && keyword.option && !keyword.algorithm);
    assert_true(hr_keyword_find("ties", &keyword) && keyword.algorithm);
    assert_false(hr_keyword_find("tie", &keyword));
    for (size_t i = 0; hr_keyword_at(i); i++)
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(hr_keyword_at(i), hr_keyword_at(j));
}

/* ---- The algorithm ---- */

static hr_status choose(const hr_job *job, hr_choice *choice, hr_greedy_options *options,
                        hr_error *err) {
    hr_arena arena = {0};
    hr_status status = hr_job_choose(job, &arena, choice, err);
    if (status == HR_OK && choice->algorithm->options_size == sizeof *options)
        memcpy(options, choice->options, sizeof *options);
    hr_arena_free(&arena);
    return status;
}

static void test_choose(void **state) {
    (void)state;
    hr_job *job = parsed(SMALL);
    hr_choice choice;
    hr_greedy_options options = {0};
    assert_int_equal(choose(job, &choice, &options, NULL), HR_OK);
    assert_string_equal(choice.algorithm->name, "hedge");
    set(job, "algorithm", "greedy-pk");
    assert_int_equal(choose(job, &choice, &options, NULL), HR_OK);
    assert_string_equal(choice.algorithm->name, "greedy-pk");
    assert_false(choice.count_boundaries);
    assert_true(options.dispersal == HR_DISPERSAL_GROWTH && options.ties == HR_TIES_RANK);
    set(job, "boundaries", "count");
    set(job, "ties", "rank");
    set(job, "ties", "row");
    assert_int_equal(choose(job, &choice, &options, NULL), HR_OK);
    assert_true(choice.count_boundaries && options.ties == HR_TIES_ROW);
    hr_job_free(job);
}

static void test_aliases(void **state) {
    (void)state;
    hr_job *job = parsed(SMALL "algorithm: GreedyPKClustering");
    hr_choice choice;
    hr_greedy_options options = {0};
    assert_int_equal(choose(job, &choice, &options, NULL), HR_OK);
    assert_string_equal(choice.algorithm->name, "greedy-pk");
    assert_string_equal(choice.name, "GreedyPKClustering");
    assert_true(choice.count_boundaries);
    assert_true(options.dispersal == HR_DISPERSAL_ABSOLUTE && options.ties == HR_TIES_ROW);
    set(job, "dispersal", "growth"); /* the job's settings override the alias's */
    assert_int_equal(choose(job, &choice, &options, NULL), HR_OK);
    assert_int_equal(options.dispersal, HR_DISPERSAL_GROWTH);
    hr_job_free(job);
}

static void assert_choice_refused(const char *text, const char *message) {
    hr_job *job = parsed(text);
    hr_choice choice;
    hr_greedy_options options;
    hr_error err = {0};
    assert_int_equal(choose(job, &choice, &options, &err), HR_EINVAL);
    if (strncmp(err.message, message, strlen(message))) fail_msg("%s", err.message);
    assert_int_equal(choose(job, &choice, &options, NULL), HR_EINVAL);
    hr_job_free(job);
}

static void test_choice_refused(void **state) {
    (void)state;
    assert_choice_refused(SMALL "algorithm: greedypk",
                          "there is no algorithm 'greedypk' (did you mean 'greedy-pk'?)");
    assert_choice_refused(SMALL "algorithm: GreedyCPKA\nboundaries: count",
                          "GreedyCPKA always enforces boundaries: for `boundaries: count` use "
                          "GreedyPKClustering, or leave `boundaries` out");
    assert_choice_refused(SMALL "algorithm: Greedy_k-member_Clustering\nboundaries: enforce",
                          "Greedy_k-member_Clustering always counts boundaries: for `boundaries: "
                          "enforce` use GreedyCKA, or leave `boundaries` out");
    assert_choice_refused("input: x\nalgorithm: k-member\nmodel: {k: 5, p: 2}\n" QUASI,
                          "k-member does not enforce p = 2: use hedge, greedy-pk");
    assert_choice_refused(SMALL "algorithm: mam\nties: row",
                          "mam has no option 'ties': it is for greedy-pk");
    assert_choice_refused(SMALL "algorithm: greedy-pk\nties: first",
                          "ties: 'first' is not one of rank|row");
}

/* ---- Files ---- */

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
}

static void test_read_trace(void **state) {
    (void)state;
    static const char *const twice[] = {"1,1,1,kept,2\n1,1,1,kept,1\n",
                                        "2,,,suppressed,\n2,1,1,kept,1\n"};
    char path[] = "/tmp/hedgerow-trace-XXXXXX", text[128], message[128];
    int fd = mkstemp(path);
    assert_true(fd >= 0 && close(fd) == 0);
    hr_trace trace;
    hr_error err = {0};
    write_file(path, "row,class,cluster,status,out\n1,1,1,kept,2\n2,,,suppressed,\n3,1,1,kept,1\n");
    assert_int_equal(hr_trace_read(path, 3, 2, NULL, &trace, &err), HR_OK);
    assert_true(trace.row[0] == 2 && trace.row[1] == 0 && !trace.foreign);
    hr_trace_free(&trace);
    const size_t others[][2] = {{2, 2}, {4, 2}, {3, 1}, {3, 3}}; /* rows: original, masked */
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_int_equal(hr_trace_read(path, others[i][0], others[i][1], NULL, &trace, &err),
                         HR_OK);
        assert_non_null(trace.foreign);
        hr_trace_free(&trace);
    }
    for (size_t i = 0; i < 2; i++) {
        snprintf(text, sizeof text, "row,class,cluster,status,out\n%s", twice[i]);
        write_file(path, text);
        assert_int_equal(hr_trace_read(path, 3, 2, NULL, &trace, &err), HR_EDATA);
        snprintf(message, sizeof message,
                 "%s, row 2: `row` is there twice; is it the trace of this very release?", path);
        assert_string_equal(err.message, message);
        assert_int_equal(hr_trace_read(path, 3, 2, NULL, &trace, NULL), HR_EDATA);
    }
    unlink(path);
}

static void test_read_file(void **state) {
    (void)state;
    char folder[] = "/tmp/hedgerow-job-XXXXXX", path[64], other[64], wanted[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/job.yaml", folder);
    snprintf(wanted, sizeof wanted, "%s/in.csv", folder);
    write_file(path, SMALL);
    hr_job *job;
    assert_int_equal(hr_job_read(path, &job, NULL), HR_OK);
    assert_string_equal(job->input.path, wanted);
    assert_string_equal(job->path, path);
    /* A hard link to the input is the input. */
    write_file(wanted, "a\n1\n");
    snprintf(other, sizeof other, "%s/other.csv", folder);
    assert_int_equal(link(wanted, other), 0);
    set(job, "output", other);
    assert_int_equal(hr_job_complete(job, NULL), HR_EINVAL);
    /* Files that do not exist yet are the same if their folder and name are. */
    snprintf(other, sizeof other, "%s/new.csv", folder);
    set(job, "output", other);
    assert_int_equal(hr_job_complete(job, NULL), HR_OK);
    snprintf(other, sizeof other, "%s/./new.csv", folder);
    set(job, "trace", other);
    assert_int_equal(hr_job_complete(job, NULL), HR_EINVAL);
    hr_job_free(job);
    snprintf(other, sizeof other, "%s/other.csv", folder);
    unlink(other);
    unlink(wanted);
    unlink(path);
    hr_error err = {0};
    assert_int_equal(hr_job_read(path, &job, &err), HR_EIO);
    assert_int_equal(hr_job_read(folder, &job, &err), HR_EIO);
    rmdir(folder);
}

/* Whichever allocation fails, the status is HR_ENOMEM and nothing leaks (allocations fail only in
 * builds with HR_FAULT). */
static void test_out_of_memory(void **state) {
    (void)state;
    static const char text[] = SMALL "report: [a.json, b.json]\nties: row\nmissing: [a, b, c]";
    for (long nth = 1; nth < 100; nth++) {
        hr_job *job = NULL;
        hr_memory_fail_at(nth);
        hr_status status = hr_job_parse(text, strlen(text), "job.yaml", "dir", &job, NULL);
        hr_memory_fail_at(0);
        assert_true(status == HR_OK || status == HR_ENOMEM);
        hr_job_free(status == HR_OK ? job : NULL);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_every_key),
        cmocka_unit_test(test_absent_values),
        cmocka_unit_test(test_attributes),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_unreadable),
        cmocka_unit_test(test_broken_yaml),
        cmocka_unit_test(test_deep_nesting),
        cmocka_unit_test(test_incomplete),
        cmocka_unit_test(test_flags_override),
        cmocka_unit_test(test_column_flags),
        cmocka_unit_test(test_flags_replace_kind),
        cmocka_unit_test(test_two_roles),
        cmocka_unit_test(test_empty_node),
        cmocka_unit_test(test_bad_flags),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_too_many_columns),
        cmocka_unit_test(test_choose),
        cmocka_unit_test(test_aliases),
        cmocka_unit_test(test_choice_refused),
        cmocka_unit_test(test_read_file),
        cmocka_unit_test(test_read_trace),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
