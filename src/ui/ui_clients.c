/* ui_clients.c - limits on connections. evhttp closes a connection that is silent, but not one that
 * sends a byte now and then, and it has no limit on their number. So every connection starts as a
 * stranger; its first request with the cookie makes it known. Strangers are closed after a while,
 * and the oldest ones early if there are many: a flood of connections closes itself, and a
 * browser, which sends its request at once, gets through. */
#include "ui/ui_http.h"

#include <event2/bufferevent.h>
#include <event2/bufferevent_compat.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

enum { SWEEP_MICROSECONDS = 200000 };

typedef struct client {
    struct client *next;
    struct bufferevent *events; /* one reference is ours */
    time_t since;
    bool known;
} client;

struct ui_clients {
    struct event_base *base;
    struct event *timer;
    client *newest; /* a list, newest first */
    size_t strangers;
};

static time_t steady(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

/* Has evhttp given the connection up? It then removes its callbacks. */
static bool is_given_up(const client *c) {
    bufferevent_data_cb read, write;
    bufferevent_event_cb event;
    void *payload;
    bufferevent_getcb(c->events, &read, &write, &event, &payload);
    return !read && !write && !event;
}

/* Ends the connection; evhttp then notices the end and gives the connection up. */
static void hang_up(client *c) {
    shutdown(bufferevent_getfd(c->events), SHUT_RDWR);
}

/* Removes connections that were given up, hangs up on strangers: on those that are too old, and on
 * all but the newest UI_STRANGERS. */
static void sweep(ui_clients *clients) {
    time_t now = steady();
    clients->strangers = 0;
    for (client **at = &clients->newest; *at;) {
        client *c = *at;
        if (is_given_up(c)) {
            *at = c->next;
            bufferevent_decref(c->events); /* the last reference closes the socket */
            free(c);
            continue;
        }
        if (!c->known && (++clients->strangers > UI_STRANGERS || now - c->since >= UI_PATIENCE))
            hang_up(c);
        at = &c->next;
    }
}

static void on_timer(evutil_socket_t fd, short what, void *payload) {
    (void)fd;
    (void)what;
    sweep(payload);
}

static struct bufferevent *on_connection(struct event_base *base, void *payload) {
    ui_clients *clients = payload;
    struct bufferevent *events = bufferevent_socket_new(base, -1, BEV_OPT_CLOSE_ON_FREE);
    client *c = events ? calloc(1, sizeof *c) : NULL;
    if (!c) return events;
    bufferevent_incref(events);
    *c = (client){.next = clients->newest, .events = events, .since = steady()};
    clients->newest = c;
    if (++clients->strangers > (size_t)2 * UI_STRANGERS) {
        clients->newest = c->next; /* evhttp has not set its callbacks for this one yet */
        sweep(clients);
        c->next = clients->newest;
        clients->newest = c;
        clients->strangers++;
    }
    return events;
}

ui_clients *ui_clients_new(struct event_base *base, struct evhttp *http) {
    struct timeval period = {.tv_usec = SWEEP_MICROSECONDS};
    ui_clients *clients = calloc(1, sizeof *clients);
    if (!clients) return NULL;
    clients->base = base;
    clients->timer = event_new(base, -1, EV_PERSIST, on_timer, clients);
    if (!clients->timer || event_add(clients->timer, &period)) {
        ui_clients_free(clients);
        return NULL;
    }
    evhttp_set_bevcb(http, on_connection, clients);
    return clients;
}

void ui_clients_trust(ui_clients *clients, struct evhttp_request *request) {
    struct evhttp_connection *connection = evhttp_request_get_connection(request);
    struct bufferevent *events = connection ? evhttp_connection_get_bufferevent(connection) : NULL;
    for (client *c = clients->newest; c; c = c->next)
        if (c->events == events) c->known = true;
}

void ui_clients_free(ui_clients *clients) {
    if (!clients) return;
    while (clients->newest) {
        client *c = clients->newest;
        clients->newest = c->next;
        bufferevent_decref(c->events);
        free(c);
    }
    if (clients->timer) event_free(clients->timer);
    free(clients);
}
