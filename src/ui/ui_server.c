/* ui_server.c - the event loop: takes requests, asks the guard, finds the handler; stops after a
 * signal, a request to stop, or the idle time. */
#include "ui/ui_http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <event2/buffer.h>
#include <event2/listener.h>
#include <event2/util.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { SILENT_SECONDS = 20, HEADERS_MOST = 16384, IDLE_CHECK_SECONDS = 5 };

void ui_server_stop(ui_server *server, const char *why) {
    struct timeval moment = {.tv_usec = 200000}; /* the reply is still to be sent */
    if (!server->ended) server->ended = why;
    event_base_loopexit(server->base, &moment);
}

/* ---- Requests ---- */

/* Shows the address without the token. A browser that follows a link from elsewhere does not send
 * the cookie along while it is redirected (SameSite=Strict), but does so on a page of ours. */
static void go_to_page(struct evhttp_request *request) {
    const char *site =
        evhttp_find_header(evhttp_request_get_input_headers(request), "Sec-Fetch-Site");
    if (site && strcmp(site, "none") != 0 && strcmp(site, "same-origin") != 0) {
        ui_page_words(request, 200, "Hedgerow",
                      "<meta http-equiv=\"refresh\" content=\"0;url=/\">"
                      "<a href=\"/\">Go to the page</a>");
        return;
    }
    evhttp_add_header(evhttp_request_get_output_headers(request), "Location", "/");
    evhttp_send_reply(request, 303, "See Other", NULL);
}

/* GET /?token=...: the token becomes a cookie. */
static void admit(ui_server *server, struct evhttp_request *request, const char *token) {
    struct evkeyvalq *headers = evhttp_request_get_output_headers(request);
    char cookie[160];
    if (!ui_guard_admit(&server->guard, token)) {
        ui_page_words(request, 403, "This address is used up",
                      "The token in an address of Hedgerow's page is good for one use. In the "
                      "browser that used it, <a href=\"/\">go to the page</a>. For another one, "
                      "start <code>hedgerow ui</code> again and open the address that it prints.");
        return;
    }
    snprintf(cookie, sizeof cookie, "%s=%s; HttpOnly; SameSite=Strict; Path=/",
             server->guard.cookie_name, server->guard.cookie);
    evhttp_add_header(headers, "Set-Cookie", cookie);
    go_to_page(request);
}

static const ui_route *find_route(const char *path, enum evhttp_cmd_type method, bool *known) {
    *known = false;
    for (const ui_route *route = ui_routes; route->path; route++) {
        if (strcmp(route->path, path) != 0) continue;
        *known = true;
        if (route->method == method) return route;
    }
    return NULL;
}

static void handle(ui_server *server, struct evhttp_request *request, const char *path) {
    bool known;
    enum evhttp_cmd_type method = evhttp_request_get_command(request);
    const ui_route *route = find_route(path, method, &known);
    if (route) {
        if (!route->passive) clock_gettime(CLOCK_MONOTONIC, &server->active);
        route->handle(server, request);
    } else if (known || method != EVHTTP_REQ_GET) {
        ui_refuse(request, known ? 405 : 404, "there is nothing here for this request");
    } else if (!ui_page_reply(request, path)) {
        ui_refuse(request, 404, "there is no such page");
    }
}

static void on_request(struct evhttp_request *request, void *payload) {
    ui_server *server = payload;
    const struct evhttp_uri *uri = evhttp_request_get_evhttp_uri(request);
    const char *path = uri ? evhttp_uri_get_path(uri) : NULL;
    const char *query = uri ? evhttp_uri_get_query(uri) : NULL;
    if (!path || !*path) path = "/";
    bool token = !strcmp(path, "/") && query && !strncmp(query, "token=", 6);
    const char *refused = ui_guard_refuses(&server->guard, request, token);
    ui_reply_headers(request);
    if (refused) {
        ui_refuse(request, 403, refused);
    } else if (ui_guard_knows(&server->guard, request)) {
        ui_clients_trust(server->clients, request);
        if (token) /* opened once more */
            go_to_page(request);
        else
            handle(server, request, path);
    } else if (token) {
        admit(server, request, query + 6);
    } else if (!strcmp(path, "/")) {
        ui_page_words(request, 401, "Hedgerow does not know this browser",
                      "Open the address that <code>hedgerow ui</code> printed: it has a token.");
    } else {
        ui_refuse(request, 401,
                  "this browser has no token for the page: open the address that "
                  "`hedgerow ui` printed");
    }
}

/* ---- Signals and idle time ---- */

static void on_signal(evutil_socket_t number, short what, void *payload) {
    ui_server *server = payload;
    (void)what;
    (void)number;
    ui_lane_cancel(&server->desk->quick);
    ui_lane_cancel(&server->desk->slow);
    ui_server_stop(server, "stopped");
}

static void on_idle_check(evutil_socket_t fd, short what, void *payload) {
    ui_server *server = payload;
    (void)fd;
    (void)what;
    if (server->desk->slow.running || server->desk->quick.running) {
        clock_gettime(CLOCK_MONOTONIC, &server->active);
        return;
    }
    if (server->idle_seconds > 0 && ui_seconds_since(&server->active) > server->idle_seconds)
        ui_server_stop(server, "stopped: nobody used the page for a while");
}

/* ---- Start ---- */

/* Listens on 127.0.0.1, and nowhere else. */
static hr_status listen_on(ui_server *server, uint16_t port, hr_error *err) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    socklen_t length = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    struct evconnlistener *listener = evconnlistener_new_bind(
        server->base, NULL, NULL, LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC | LEV_OPT_REUSEABLE,
        128, (struct sockaddr *)&address, sizeof address);
    if (!listener && port)
        return hr_fail(err, HR_EIO, "port %u cannot be used: %s (--port 0 takes a free one)", port,
                       strerror(errno));
    if (!listener) return hr_fail(err, HR_EIO, "no port can be used: %s", strerror(errno));
    if (!evhttp_bind_listener(server->http, listener)) {
        evconnlistener_free(listener);
        return hr_fail(err, HR_ENOMEM, "out of memory");
    }
    if (getsockname(evconnlistener_get_fd(listener), (struct sockaddr *)&address, &length))
        return hr_fail(err, HR_EIO, "the port is unknown: %s", strerror(errno));
    return ui_guard_make(&server->guard, ntohs(address.sin_port), err);
}

static hr_status start_http(ui_server *server, const ui_options *options, hr_error *err) {
    server->base = event_base_new();
    server->http = server->base ? evhttp_new(server->base) : NULL;
    server->clients = server->http ? ui_clients_new(server->base, server->http) : NULL;
    if (!server->clients) return hr_fail(err, HR_ENOMEM, "out of memory");
    evhttp_set_timeout(server->http, SILENT_SECONDS);
    evhttp_set_max_headers_size(server->http, HEADERS_MOST);
    evhttp_set_max_body_size(server->http, UI_BODY_MOST);
    evhttp_set_allowed_methods(server->http, EVHTTP_REQ_GET | EVHTTP_REQ_POST);
    evhttp_set_gencb(server->http, on_request, server);
    return listen_on(server, options->port, err);
}

/* Other users see the arguments of processes: the browser gets a private file that leads to the
 * address, not the address with its token. */
static void show_in_browser(const ui_server *server, const char *address) {
    const char *display = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
    hr_error err;
    pid_t child;
    if (!(display && *display) && !(wayland && *wayland)) return;
    char *path = ui_format("%s/open.html", server->desk->own);
    char *page = ui_format("<!doctype html><meta charset=\"utf-8\"><title>Hedgerow</title>"
                           "<meta http-equiv=\"refresh\" content=\"0;url=%s\">"
                           "<a href=\"%s\">Hedgerow</a>\n",
                           address, address);
    char *arguments[] = {(char *)"xdg-open", path, NULL};
    if (path && page && hr_file_write(path, page, strlen(page), true, NULL, &err) == HR_OK &&
        posix_spawnp(&child, arguments[0], NULL, NULL, arguments, environ) == 0)
        signal(SIGCHLD, SIG_IGN); /* nobody waits for it */
    free(path);
    free(page);
}

static hr_status announce(const ui_server *server, const ui_options *options, hr_error *err) {
    char address[128];
    snprintf(address, sizeof address, "http://127.0.0.1:%u/?token=%s", server->guard.port,
             server->guard.token);
    if (puts(address) < 0 || fflush(stdout))
        return hr_fail(err, HR_EIO, "writing to standard output failed: %s", strerror(errno));
    if (!options->quiet)
        fprintf(stderr, "hedgerow: open this address in a browser on this computer; Ctrl-C stops "
                        "the server\n");
    if (options->browser) show_in_browser(server, address);
    return HR_OK;
}

static hr_status loop(ui_server *server, const ui_options *options, hr_error *err) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    enum { SIGNALS = sizeof signals / sizeof *signals };
    struct timeval period = {.tv_sec = IDLE_CHECK_SECONDS};
    struct event *events[SIGNALS + 1] = {NULL};
    signal(SIGPIPE, SIG_IGN);
    server->idle_seconds = options->idle_minutes * 60;
    if (server->idle_seconds > 0 && server->idle_seconds < IDLE_CHECK_SECONDS * 2)
        period = (struct timeval){.tv_usec = 200000};
    clock_gettime(CLOCK_MONOTONIC, &server->active);
    for (size_t i = 0; i < SIGNALS; i++)
        if ((events[i] = evsignal_new(server->base, signals[i], on_signal, server)))
            event_add(events[i], NULL);
    events[SIGNALS] = event_new(server->base, -1, EV_PERSIST, on_idle_check, server);
    if (events[SIGNALS]) event_add(events[SIGNALS], &period);
    hr_status status = announce(server, options, err);
    if (status == HR_OK) event_base_dispatch(server->base);
    for (size_t i = 0; i <= SIGNALS; i++)
        if (events[i]) event_free(events[i]);
    if (status == HR_OK && !options->quiet)
        fprintf(stderr, "hedgerow: %s\n", server->ended ? server->ended : "stopped");
    return status;
}

hr_status ui_serve(const ui_options *options, hr_error *err) {
    struct timespec now; /* numbers of processes recur, above all in containers */
    clock_gettime(CLOCK_REALTIME, &now);
    ui_server server = {.started = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000};
    hr_status status = start_http(&server, options, err);
    if (status == HR_OK && !(server.desk = ui_desk_new(server.base, err)))
        status = err && err->code ? err->code : HR_ENOMEM;
    if (status == HR_OK && options->open) status = ui_open(server.desk, options->open, err);
    if (status == HR_OK) status = loop(&server, options, err);
    if (server.http) evhttp_free(server.http);
    ui_clients_free(server.clients);
    ui_desk_free(server.desk);
    if (server.base) event_base_free(server.base);
    return status;
}
