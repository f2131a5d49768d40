/* ui_http.h - requests and replies. ui_guard.c decides whether a request is heard at all,
 * ui_clients.c limits connections, ui_reply.c writes replies, ui_server.c has the table of
 * routes and the loop. */
#ifndef HR_UI_HTTP_H
#define HR_UI_HTTP_H

#include "ui/ui_desk.h"

#include <event2/event.h>
#include <event2/http.h>
#include <jansson.h>

#define HR_TRY(call)                                                                               \
    do {                                                                                           \
        hr_status hr_try_status = (call);                                                          \
        if (hr_try_status != HR_OK) return hr_try_status;                                          \
    } while (0)

/* ---- ui_guard.c: token, cookie, Host, Origin ---- */

enum { UI_SECRET = 64 }; /* hexadecimal digits */

typedef struct {
    char token[UI_SECRET + 1]; /* in the address that is printed; good for one use */
    char cookie[UI_SECRET + 1];
    bool token_used;
    uint16_t port;
    char cookie_name[24]; /* has the port, because cookies do not depend on it */
} ui_guard;

hr_status ui_guard_make(ui_guard *guard, uint16_t port, hr_error *err);
/* Checks that Host, and Origin if there is one, are the address of this server. A request that
 * changes something needs an Origin. A request with a `token` may come from a link on another page,
 * because the token is a secret. Returns NULL, or why the request is refused. */
const char *ui_guard_refuses(const ui_guard *guard, struct evhttp_request *request, bool token);
/* Does the request have the cookie? */
bool ui_guard_knows(const ui_guard *guard, struct evhttp_request *request);
/* Uses up the token. False: it is wrong, or was used before. */
bool ui_guard_admit(ui_guard *guard, const char *token);

/* ---- ui_clients.c: connections ---- */

/* Connections that have not yet sent a request with the cookie: the oldest is closed if there are
 * more than UI_STRANGERS, and each after UI_PATIENCE seconds. */
enum { UI_STRANGERS = 64, UI_PATIENCE = 10 };

typedef struct ui_clients ui_clients;

/* Counts the connections of `http` from now on. */
ui_clients *ui_clients_new(struct event_base *base, struct evhttp *http);
/* The connection of the request has the cookie. */
void ui_clients_trust(ui_clients *clients, struct evhttp_request *request);
void ui_clients_free(ui_clients *clients);

/* ---- ui_server.c ---- */

typedef struct {
    struct event_base *base;
    struct evhttp *http;
    ui_clients *clients;
    ui_guard guard;
    ui_desk *desk;
    int64_t started;        /* milliseconds: tells the page one server from another */
    struct timespec active; /* time of the last request that was not `passive` */
    double idle_seconds;    /* 0: no limit */
    const char *ended;      /* why the loop ended; NULL: it runs */
} ui_server;

typedef void (*ui_handler)(ui_server *server, struct evhttp_request *request);

typedef struct {
    const char *path;
    enum evhttp_cmd_type method;
    ui_handler handle;
    bool passive; /* the page sends it by itself, so it does not count as activity */
} ui_route;

extern const ui_route ui_routes[]; /* ui_routes.c; ends with a NULL path */

/* Ends the loop once the reply is sent. */
void ui_server_stop(ui_server *server, const char *why);

/* ---- ui_reply.c ---- */

enum { UI_BODY_MOST = 1 << 21 }; /* bytes of a request */

/* Headers that every reply has: nothing is stored, framed, or loaded from elsewhere. */
void ui_reply_headers(struct evhttp_request *request);
/* Replies with JSON and releases `value`; NULL: out of memory. */
void ui_reply(struct evhttp_request *request, json_t *value);
/* {"error": message} */
void ui_refuse(struct evhttp_request *request, int code, const char *message);
/* The reply for a call of the library: {"ok": true}, or its message. */
void ui_reply_status(struct evhttp_request *request, hr_status status, const hr_error *err);
/* A file of the page, or a text for the browser to show or store. `name` NULL: it is shown. */
void ui_reply_text(struct evhttp_request *request, const char *type, const char *name,
                   const char *bytes, size_t length);
/* A file, sent without reading it into memory. */
void ui_reply_file(struct evhttp_request *request, const char *type, const char *name,
                   const char *path);
/* The body as a JSON object, which the caller releases; NULL: it is none, and the request was
 * answered. */
json_t *ui_body(struct evhttp_request *request);
/* A text of the body; NULL: absent or no text. */
const char *ui_text(const json_t *body, const char *key);

/* ---- ui_report.c: the report of a run ---- */

void ui_report_reply(struct evhttp_request *request, ui_run *run); /* to be read */
void ui_report_style(struct evhttp_request *request, ui_run *run); /* its style sheet */
void ui_report_file(struct evhttp_request *request, ui_run *run);  /* one file, to be stored */

/* ---- ui_page.c: the files of the page ---- */

/* Replies with the file of that path, such as "/main.js". False: there is none. */
bool ui_page_reply(struct evhttp_request *request, const char *path);
/* A short page in words, for people without the cookie. */
void ui_page_words(struct evhttp_request *request, int code, const char *title, const char *words);

#endif
