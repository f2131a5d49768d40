/* ui_routes.c - the table of paths that the page can request, and their handlers. Values and names
 * of the table are sent in bodies, never in an address. */
#include "ui/ui_http.h"

#include <event2/buffer.h>
#include <event2/keyvalq_struct.h>
#include <stdlib.h>
#include <string.h>

/* ---- State ---- */

/* A path as the user knows it: relative to the start folder. The address of a table on a server is
 * shown as it is. */
static const char *below_start(const ui_desk *desk, const char *path) {
    size_t length = strlen(desk->start);
    if (!path || strstr(path, "://")) return path;
    if (strncmp(path, desk->start, length) != 0 || path[length] != '/') return ui_path_name(path);
    return strncmp(path, desk->own, strlen(desk->own)) ? path + length + 1 : ui_path_name(path);
}

static json_t *job_json(const ui_desk *desk) {
    const char *text = ui_desk_text(desk);
    if (!text) return json_null();
    bool dropped = !strncmp(desk->folder, desk->own, strlen(desk->own));
    json_t *job = ui_yaml_json(text);
    json_t *out = json_pack(
        "{s:s,s:s?,s:s?,s:b,s:b,s:b,s:b,s:O?,s:O?}", "text", text, "path",
        below_start(desk, desk->path), "address", below_start(desk, desk->address), "dropped",
        (int)dropped, "saved", (int)(desk->saved && !strcmp(desk->saved, text)), "undo",
        (int)(desk->history.at > 0), "redo", (int)(desk->history.at + 1 < desk->history.count),
        "algorithm", json_object_get(job, "algorithm"), "effort", json_object_get(job, "effort"));
    json_decref(job);
    return out;
}

static json_t *or_null(json_t *value) {
    return value ? json_incref(value) : json_null();
}

static void add_all(const ui_desk *desk, json_t *state) {
    json_object_set_new(state, "start", json_string(ui_path_name(desk->start)));
    json_object_set_new(state, "revision", json_integer((json_int_t)desk->revision));
    json_object_set_new(state, "trees", json_integer((json_int_t)desk->tree_revision));
    json_object_set_new(state, "problem", json_string(desk->problem));
    json_object_set_new(state, "refused", json_string(desk->refused));
    json_object_set_new(state, "suggesting", json_boolean(desk->suggest_share >= 0));
    json_object_set_new(state, "job", job_json(desk));
    json_object_set_new(state, "columns", ui_columns_json(desk));
    json_object_set_new(state, "price", or_null(desk->price));
    json_object_set_new(state, "suggestion", or_null(desk->suggestion));
    json_object_set_new(state, "comparison", or_null(desk->comparison));
    json_object_set_new(state, "runs", ui_runs_json(desk));
}

/* A number of the query, such as 12 of ?seen=12; 0: there is none. */
static uint64_t query_number(struct evhttp_request *request, const char *name) {
    struct evkeyvalq query = {0};
    const char *text = evhttp_uri_get_query(evhttp_request_get_evhttp_uri(request));
    uint64_t number = 0;
    if (text && evhttp_parse_query_str(text, &query) == 0) {
        const char *value = evhttp_find_header(&query, name);
        if (value && !hr_parse_uint(value, UINT32_MAX, &number)) number = 0;
        evhttp_clear_headers(&query);
    }
    return number;
}

/* Replies with the whole state if it has changed since the page last asked, and with the progress
 * of tasks. */
static void get_state(ui_server *server, struct evhttp_request *request) {
    ui_desk *desk = server->desk;
    json_t *state = json_pack("{s:I,s:I,s:o,s:o}", "seen", (json_int_t)desk->seen, "server",
                              (json_int_t)server->started, "quick", ui_lane_json(&desk->quick),
                              "slow", ui_lane_json(&desk->slow));
    if (state && query_number(request, "seen") != desk->seen) add_all(desk, state);
    ui_reply(request, state);
}

static void get_trees(ui_server *server, struct evhttp_request *request) {
    ui_reply(request, json_pack("{s:I,s:o}", "revision", (json_int_t)server->desk->tree_revision,
                                "trees", or_null(server->desk->trees)));
}

static void get_lists(ui_server *server, struct evhttp_request *request) {
    hr_list *list;
    const hr_listed *item;
    json_t *names = json_array();
    (void)server;
    if (hr_list_new("algorithms", &list, NULL) == HR_OK) {
        for (size_t i = 0; (item = hr_list_at(list, i)); i++)
            if (item->kind == HR_KIND_ALGORITHM)
                json_array_append_new(names, json_pack("[s,s]", item->name, item->title));
        hr_list_free(list);
    }
    ui_reply(request, json_pack("{s:o}", "algorithms", names));
}

/* ---- Opening ---- */

static void post_files(ui_server *server, struct evhttp_request *request) {
    json_t *body = ui_body(request);
    hr_error err;
    if (!body) return;
    const char *folder = ui_text(body, "folder");
    json_t *list = ui_path_list(server->desk->start, folder ? folder : "", &err);
    if (list)
        ui_reply(request, list);
    else
        ui_refuse(request, 422, err.message);
    json_decref(body);
}

static void post_open(ui_server *server, struct evhttp_request *request) {
    json_t *body = ui_body(request);
    hr_error err;
    if (!body) return;
    const char *address = ui_text(body, "address");
    if (address && *address)
        ui_reply_status(request, ui_open(server->desk, address, &err), &err);
    else
        ui_refuse(request, 422, "give the name of a file or the address of a table");
    json_decref(body);
}

static void post_drop(ui_server *server, struct evhttp_request *request) {
    json_t *body = ui_body(request);
    hr_error err;
    if (!body) return;
    const char *name = ui_text(body, "name");
    json_int_t size = json_integer_value(json_object_get(body, "size"));
    if (!name || size < 0)
        ui_refuse(request, 422, "the file has no name");
    else if (ui_drop_begin(server->desk, name, (uint64_t)size, &err) != HR_OK)
        ui_refuse(request, 422, err.message);
    else
        ui_reply(request, json_pack("{s:s}", "name", ui_path_name(server->desk->drop.path)));
    json_decref(body);
}

static void post_slice(ui_server *server, struct evhttp_request *request) {
    struct evbuffer *buffer = evhttp_request_get_input_buffer(request);
    size_t length = evbuffer_get_length(buffer);
    const void *bytes = evbuffer_pullup(buffer, -1);
    hr_error err;
    ui_reply_status(request,
                    ui_drop_slice(server->desk, query_number(request, "offset"), bytes,
                                  bytes ? length : 0, &err),
                    &err);
}

static void post_dropped(ui_server *server, struct evhttp_request *request) {
    hr_error err;
    ui_reply_status(request, ui_drop_end(server->desk, &err), &err);
}

/* ---- The job ---- */

static void post_role(ui_server *server, struct evhttp_request *request) {
    json_t *body = ui_body(request);
    hr_error err;
    if (!body) return;
    ui_reply_status(
        request, ui_column_role(server->desk, ui_text(body, "column"), ui_text(body, "role"), &err),
        &err);
    json_decref(body);
}

/* One edit: {path: [key, ...], value: anything}, or `yaml` with a value as it is written in a job;
 * without a value the key is removed. */
static hr_status apply(char **text, const json_t *edit, hr_error *err) {
    enum { DEEPEST = 8 };
    const json_t *keys = json_object_get(edit, "path");
    const char *path[DEEPEST];
    size_t depth = json_array_size(keys);
    char *changed;
    if (depth == 0 || depth > DEEPEST) return hr_fail(err, HR_EINVAL, "the edit has no key");
    for (size_t i = 0; i < depth; i++)
        if (!(path[i] = json_string_value(json_array_get(keys, i))))
            return hr_fail(err, HR_EINVAL, "a key of the edit is not a text");
    const char *yaml = ui_text(edit, "yaml");
    json_t *value = yaml ? ui_yaml_value(yaml) : json_incref(json_object_get(edit, "value"));
    if (yaml && !value) return hr_fail(err, HR_EINVAL, "'%s' is not a value of a job", yaml);
    hr_status status = ui_yaml_set(*text, path, depth, value, &changed, err);
    json_decref(value);
    if (status == HR_OK) ui_replace(text, changed);
    return status;
}

/* Applies several edits as one step of the history. */
static void post_edit(ui_server *server, struct evhttp_request *request) {
    json_t *body = ui_body(request), *edit;
    hr_error err;
    size_t i;
    if (!body) return;
    char *text = ui_copy(ui_desk_text(server->desk));
    hr_status status = text ? HR_OK : hr_fail(&err, HR_EINVAL, "nothing is open");
    json_array_foreach(json_object_get(body, "edits"), i, edit) if (status == HR_OK) status =
        apply(&text, edit, &err);
    if (status == HR_OK)
        status = ui_desk_change(server->desk, text, &err);
    else
        free(text);
    ui_reply_status(request, status, &err);
    json_decref(body);
}

static void post_job(ui_server *server, struct evhttp_request *request) {
    json_t *body = ui_body(request);
    hr_error err;
    if (!body) return;
    const char *text = ui_text(body, "text");
    if (text && server->desk->folder)
        ui_reply_status(request, ui_desk_change(server->desk, ui_copy(text), &err), &err);
    else
        ui_refuse(request, 422, "nothing is open");
    json_decref(body);
}

static void post_undo(ui_server *server, struct evhttp_request *request) {
    hr_error err;
    ui_reply_status(request, ui_desk_step(server->desk, -1, &err), &err);
}

static void post_redo(ui_server *server, struct evhttp_request *request) {
    hr_error err;
    ui_reply_status(request, ui_desk_step(server->desk, 1, &err), &err);
}

static void post_save(ui_server *server, struct evhttp_request *request) {
    json_t *body = ui_body(request);
    hr_error err;
    if (!body) return;
    ui_reply_status(request, ui_desk_save(server->desk, ui_text(body, "path"), &err), &err);
    json_decref(body);
}

/* ---- Boundaries and runs ---- */

static void post_drag(ui_server *server, struct evhttp_request *request) {
    json_t *body = ui_body(request);
    hr_error err = {0};
    if (!body) return;
    json_t *price =
        ui_drag(server->desk, ui_text(body, "column"), json_object_get(body, "nodes"), &err);
    if (price)
        ui_reply(request, price);
    else
        ui_refuse(request, 422, err.message);
    json_decref(body);
}

static void post_suggest(ui_server *server, struct evhttp_request *request) {
    json_t *body = ui_body(request);
    hr_error err;
    if (!body) return;
    double share = json_number_value(json_object_get(body, "share"));
    ui_reply_status(request, ui_suggest(server->desk, share, &err), &err);
    json_decref(body);
}

static void post_run(ui_server *server, struct evhttp_request *request) {
    hr_error err;
    ui_reply_status(request, ui_run_start(server->desk, &err), &err);
}

static void post_compare(ui_server *server, struct evhttp_request *request) {
    json_t *body = ui_body(request);
    hr_error err;
    if (!body) return;
    ui_reply_status(request,
                    ui_compare(server->desk, json_object_get(body, "algorithms"),
                               ui_text(body, "k"), ui_text(body, "p"), &err),
                    &err);
    json_decref(body);
}

static void post_stop(ui_server *server, struct evhttp_request *request) {
    ui_lane_cancel(&server->desk->slow);
    ui_desk_touch(server->desk);
    ui_reply_status(request, HR_OK, NULL);
}

static void post_quit(ui_server *server, struct evhttp_request *request) {
    ui_lane_cancel(&server->desk->quick);
    ui_lane_cancel(&server->desk->slow);
    ui_reply_status(request, HR_OK, NULL);
    ui_server_stop(server, "stopped by the page");
}

/* ---- Results ---- */

/* The run that the query names; NULL: there is none, and the request was answered. */
static ui_run *asked_run(ui_server *server, struct evhttp_request *request, bool whole) {
    ui_run *run = ui_run_find(server->desk, (unsigned)query_number(request, "run"));
    if (run && (run->release || !whole)) return run;
    ui_refuse(request, 404, run ? "of this run only the figures are kept" : "no such run");
    return NULL;
}

static void get_classes(ui_server *server, struct evhttp_request *request) {
    ui_run *run = asked_run(server, request, true);
    if (run)
        ui_reply(request, ui_classes_json(run, (uint32_t)query_number(request, "first"),
                                          query_number(request, "largest") != 0));
}

static void get_release(ui_server *server, struct evhttp_request *request) {
    ui_run *run = asked_run(server, request, true);
    if (run) ui_reply_file(request, "text/csv; charset=utf-8", run->name, run->output);
}

static void get_report(ui_server *server, struct evhttp_request *request) {
    ui_run *run = asked_run(server, request, true);
    if (!run) return;
    const char *report = hr_release_report(run->release);
    ui_reply_text(request, "application/json", "report.json", report, strlen(report));
}

static void get_report_page(ui_server *server, struct evhttp_request *request) {
    ui_run *run = asked_run(server, request, true);
    if (run) ui_report_reply(request, run);
}

static void get_report_style(ui_server *server, struct evhttp_request *request) {
    ui_run *run = asked_run(server, request, true);
    if (run) ui_report_style(request, run);
}

static void get_report_file(ui_server *server, struct evhttp_request *request) {
    ui_run *run = asked_run(server, request, true);
    if (run) ui_report_file(request, run);
}

static void get_job(ui_server *server, struct evhttp_request *request) {
    const char *text = ui_desk_text(server->desk);
    uint64_t id = query_number(request, "run");
    ui_run *run = id ? asked_run(server, request, false) : NULL;
    if (id && !run) return;
    if (run) text = run->job;
    if (text)
        ui_reply_text(request, "application/yaml", "job.yaml", text, strlen(text));
    else
        ui_refuse(request, 404, "nothing is open");
}

const ui_route ui_routes[] = {
    {"/api/state", EVHTTP_REQ_GET, get_state, true},
    {"/api/trees", EVHTTP_REQ_GET, get_trees, true},
    {"/api/lists", EVHTTP_REQ_GET, get_lists, true},
    {"/api/files", EVHTTP_REQ_POST, post_files, false},
    {"/api/open", EVHTTP_REQ_POST, post_open, false},
    {"/api/drop", EVHTTP_REQ_POST, post_drop, false},
    {"/api/slice", EVHTTP_REQ_POST, post_slice, false},
    {"/api/dropped", EVHTTP_REQ_POST, post_dropped, false},
    {"/api/role", EVHTTP_REQ_POST, post_role, false},
    {"/api/edit", EVHTTP_REQ_POST, post_edit, false},
    {"/api/job", EVHTTP_REQ_POST, post_job, false},
    {"/api/undo", EVHTTP_REQ_POST, post_undo, false},
    {"/api/redo", EVHTTP_REQ_POST, post_redo, false},
    {"/api/save", EVHTTP_REQ_POST, post_save, false},
    {"/api/drag", EVHTTP_REQ_POST, post_drag, false},
    {"/api/suggest", EVHTTP_REQ_POST, post_suggest, false},
    {"/api/run", EVHTTP_REQ_POST, post_run, false},
    {"/api/compare", EVHTTP_REQ_POST, post_compare, false},
    {"/api/stop", EVHTTP_REQ_POST, post_stop, false},
    {"/api/quit", EVHTTP_REQ_POST, post_quit, false},
    {"/api/classes", EVHTTP_REQ_GET, get_classes, false},
    {"/report", EVHTTP_REQ_GET, get_report_page, false},
    {"/report.css", EVHTTP_REQ_GET, get_report_style, false},
    {"/download/report-page", EVHTTP_REQ_GET, get_report_file, false},
    {"/download/release", EVHTTP_REQ_GET, get_release, false},
    {"/download/report", EVHTTP_REQ_GET, get_report, false},
    {"/download/job", EVHTTP_REQ_GET, get_job, false},
    {NULL, EVHTTP_REQ_GET, NULL, false},
};
