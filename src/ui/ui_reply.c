/* ui_reply.c - replies. Every one forbids the browser to store it, to show it in a frame of another
 * page, to guess its type, and to load or run anything that does not come from this server. */
#include "ui/ui_http.h"

#include <event2/buffer.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void add(struct evhttp_request *request, const char *name, const char *value) {
    struct evkeyvalq *headers = evhttp_request_get_output_headers(request);
    evhttp_remove_header(headers, name);
    evhttp_add_header(headers, name, value);
}

void ui_reply_headers(struct evhttp_request *request) {
    add(request, "Content-Security-Policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'");
    add(request, "Cache-Control", "no-store");
    add(request, "Cross-Origin-Opener-Policy", "same-origin");
    add(request, "Cross-Origin-Resource-Policy", "same-origin");
    add(request, "Referrer-Policy", "no-referrer");
    add(request, "X-Content-Type-Options", "nosniff");
    add(request, "X-Frame-Options", "DENY");
}

static void send_bytes(struct evhttp_request *request, int code, const char *reason,
                       const char *bytes, size_t length) {
    struct evbuffer *buffer = evbuffer_new();
    if (buffer && evbuffer_add(buffer, bytes, length) == 0)
        evhttp_send_reply(request, code, reason, buffer);
    else
        evhttp_send_error(request, HTTP_INTERNAL, NULL);
    if (buffer) evbuffer_free(buffer);
}

static void send_json(struct evhttp_request *request, int code, const char *reason, json_t *value) {
    char *text = value ? json_dumps(value, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;
    json_decref(value);
    if (!text) {
        evhttp_send_error(request, HTTP_INTERNAL, NULL);
        return;
    }
    add(request, "Content-Type", "application/json");
    send_bytes(request, code, reason, text, strlen(text));
    free(text);
}

void ui_reply(struct evhttp_request *request, json_t *value) {
    send_json(request, HTTP_OK, "OK", value);
}

void ui_refuse(struct evhttp_request *request, int code, const char *message) {
    send_json(request, code, "Refused", json_pack("{s:s}", "error", message));
}

void ui_reply_status(struct evhttp_request *request, hr_status status, const hr_error *err) {
    if (status == HR_OK)
        ui_reply(request, json_pack("{s:b}", "ok", 1));
    else
        ui_refuse(request, 422, err->message);
}

/* A name for a file to be stored, without anything that would end the header or the name. */
static void offer_name(struct evhttp_request *request, const char *name) {
    char header[300];
    int at = snprintf(header, sizeof header, "attachment; filename=\"");
    for (const char *c = name; *c && at < 290; c++)
        header[at++] = (char)(*c > 32 && *c < 127 && *c != '"' && *c != '\\' ? *c : '_');
    snprintf(header + at, sizeof header - (size_t)at, "\"");
    add(request, "Content-Disposition", header);
}

void ui_reply_text(struct evhttp_request *request, const char *type, const char *name,
                   const char *bytes, size_t length) {
    add(request, "Content-Type", type);
    if (name) offer_name(request, name);
    send_bytes(request, HTTP_OK, "OK", bytes, length);
}

void ui_reply_file(struct evhttp_request *request, const char *type, const char *name,
                   const char *path) {
    struct stat about;
    struct evbuffer *buffer = evbuffer_new();
    int fd = buffer ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0 || fstat(fd, &about) || !S_ISREG(about.st_mode)) {
        ui_refuse(request, HTTP_NOTFOUND, "the file is not there any more");
    } else if (evbuffer_add_file(buffer, fd, 0, about.st_size) != 0) {
        ui_refuse(request, HTTP_INTERNAL, "the file cannot be read");
    } else {
        fd = -1; /* the buffer closes it */
        add(request, "Content-Type", type);
        offer_name(request, name);
        evhttp_send_reply(request, HTTP_OK, "OK", buffer);
    }
    if (fd >= 0) close(fd);
    if (buffer) evbuffer_free(buffer);
}

json_t *ui_body(struct evhttp_request *request) {
    struct evkeyvalq *headers = evhttp_request_get_input_headers(request);
    const char *type = evhttp_find_header(headers, "Content-Type");
    struct evbuffer *buffer = evhttp_request_get_input_buffer(request);
    size_t length = evbuffer_get_length(buffer);
    if (!type || strncmp(type, "application/json", 16) != 0) {
        ui_refuse(request, 415, "the request has no JSON");
        return NULL;
    }
    const char *bytes = (const char *)evbuffer_pullup(buffer, -1);
    json_t *value = json_loadb(bytes ? bytes : "", length, JSON_REJECT_DUPLICATES, NULL);
    if (!json_is_object(value)) {
        json_decref(value);
        ui_refuse(request, HTTP_BADREQUEST, "the request has no valid JSON");
        return NULL;
    }
    return value;
}

const char *ui_text(const json_t *body, const char *key) {
    return json_string_value(json_object_get(body, key));
}
