/* ui_guard.c - decides which requests are served. Other programs and web sites can reach a port of
 * the loopback interface: a page from elsewhere can send requests to it, with the user's cookies,
 * and a name that suddenly resolves to 127.0.0.1 makes such a page look like ours. So every request
 * needs the secret cookie, a Host that is this server, and no Origin but this server. */
#include "ui/ui_http.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

static hr_status draw_secret(char *out, hr_error *err) {
    unsigned char bytes[UI_SECRET / 2];
    size_t have = 0;
    while (have < sizeof bytes) {
        ssize_t got = getrandom(bytes + have, sizeof bytes - have, 0);
        if (got < 0 && errno != EINTR)
            return hr_fail(err, HR_EIO, "no random numbers for the token: %s", strerror(errno));
        if (got > 0) have += (size_t)got;
    }
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(out + 2 * i, 3, "%02x", bytes[i]);
    return HR_OK;
}

hr_status ui_guard_make(ui_guard *guard, uint16_t port, hr_error *err) {
    *guard = (ui_guard){.port = port};
    snprintf(guard->cookie_name, sizeof guard->cookie_name, "hedgerow-%u", port);
    HR_TRY(draw_secret(guard->token, err));
    return draw_secret(guard->cookie, err);
}

/* Compares in a time that does not depend on where the texts differ. */
static bool is_secret(const char *secret, const char *text, size_t length) {
    unsigned char difference = 0;
    if (length != UI_SECRET) return false;
    for (size_t i = 0; i < UI_SECRET; i++)
        difference |= (unsigned char)(secret[i] ^ text[i]);
    return difference == 0;
}

/* "127.0.0.1:PORT" or "localhost:PORT" */
static bool is_own_host(const ui_guard *guard, const char *host) {
    char own[32];
    snprintf(own, sizeof own, "127.0.0.1:%u", guard->port);
    if (!strcmp(host, own)) return true;
    snprintf(own, sizeof own, "localhost:%u", guard->port);
    return !strcasecmp(host, own);
}

const char *ui_guard_refuses(const ui_guard *guard, struct evhttp_request *request, bool token) {
    struct evkeyvalq *headers = evhttp_request_get_input_headers(request);
    const char *host = evhttp_find_header(headers, "Host");
    const char *origin = evhttp_find_header(headers, "Origin");
    const char *site = evhttp_find_header(headers, "Sec-Fetch-Site");
    bool changes = evhttp_request_get_command(request) != EVHTTP_REQ_GET;
    if (!host || !is_own_host(guard, host)) return "the Host of the request is not this server";
    if (origin && (strncmp(origin, "http://", 7) != 0 || strcmp(origin + 7, host) != 0))
        return "the request comes from another site";
    if (changes && !origin) return "the request does not say where it comes from (Origin)";
    bool opened = !changes && ((site && !strcmp(site, "none")) || token); /* by the user */
    if (site && strcmp(site, "same-origin") != 0 && !opened)
        return "the request comes from another site";
    return NULL;
}

bool ui_guard_knows(const ui_guard *guard, struct evhttp_request *request) {
    struct evkeyvalq *headers = evhttp_request_get_input_headers(request);
    const char *at = evhttp_find_header(headers, "Cookie");
    size_t name = strlen(guard->cookie_name);
    while (at && *at) {
        at += strspn(at, "; ");
        size_t length = strcspn(at, ";");
        if (length > name && at[name] == '=' && !strncmp(at, guard->cookie_name, name) &&
            is_secret(guard->cookie, at + name + 1, length - name - 1))
            return true;
        at += length;
    }
    return false;
}

bool ui_guard_admit(ui_guard *guard, const char *token) {
    if (guard->token_used || !token || !is_secret(guard->token, token, strlen(token))) return false;
    guard->token_used = true;
    return true;
}
