/* password.c - hides passwords in addresses of databases, which may appear in messages:
 * postgresql://user:password@host/db?password=other. Also finds the password of an address that is
 * not encoded as it should be, such as one with a slash in it. */
#include "base/base.h"

#include <string.h>
#include <strings.h>

static const char *const schemes[] = {"postgresql://", "postgres://"};

/* Length of the scheme that the text begins with, in upper or lower case; 0: none. */
static size_t scheme_length(const char *text) {
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        if (!strncasecmp(text, schemes[i], strlen(schemes[i]))) return strlen(schemes[i]);
    return 0;
}

/* The next address in a text, behind its slashes; or NULL. */
static char *find_address(char *text) {
    for (; *text; text++)
        if (scheme_length(text)) return text + scheme_length(text);
    return NULL;
}

static char *last_at_sign(char *from, size_t length) {
    for (char *at = from + length; at > from; at--)
        if (at[-1] == '@') return at - 1;
    return NULL;
}

/* Removes the bytes from `from` up to `to` and overwrites the end of the text that becomes free. */
static void cut(char *from, const char *to) {
    size_t rest = strlen(to), gone = (size_t)(to - from);
    memmove(from, to, rest);
    memset(from + rest, 0, gone);
}

/* What ends parts of an address: of a whole one, or of one within a message, where a blank or a
 * quote may follow. */
typedef struct {
    const char *host, *path, *value, *all;
    bool message;
} endings;

static const endings whole = {"/?#", "?", "&", "", false};
static const endings within = {"/?# '\"`", "? '\"`", "& '\"`", " '\"`", true};

/* Length of what comes before the table or query. */
static size_t head_length(const char *address, const endings *ends) {
    static const char *const names[] = {"?table=", "&table=", "?query=", "&query="};
    size_t length = strcspn(address, ends->all);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *at = strstr(address, names[i]);
        if (at && (size_t)(at - address) < length) length = (size_t)(at - address);
    }
    return length;
}

/* Finds the @ that ends the password, or NULL. Looks in the host part first, then before the path,
 * and, because a password that is not percent-encoded may contain a slash or a question mark, in
 * the rest of the address; not there if the text after the colon is a port, since an @ further on
 * then belongs to a parameter. In a message that was cut before the @, the password ends where the
 * message does. */
static char *password_end(char *address, const char *colon, const endings *ends) {
    size_t host = strcspn(address, ends->host);
    char *at = last_at_sign(address, host);
    if (!at) at = last_at_sign(address, strcspn(address, ends->path));
    bool port = strchr("/?,", colon[1 + strspn(colon + 1, "0123456789")]);
    if (!at && !port) at = last_at_sign(address, head_length(address, ends));
    if (!at && ends->message && !address[host]) at = address + host;
    return at;
}

/* user:password@host */
static bool hide_user_password(char *address, const endings *ends) {
    char *colon = strchr(address, ':'), *at = colon ? password_end(address, colon, ends) : NULL;
    if (!at || colon > at) return false;
    cut(colon, at);
    return true;
}

/* Does a parameter of this name hold a password? Finds also misspelled names, and counts names that
 * are percent-encoded, which libpq decodes. */
static bool names_password(const char *name, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (name[i] == '%' || !strncasecmp(name + i, "passw", 5)) return true;
    return false;
}

/* Removes the values of parameters such as ?password=... or ?sslpassword=... */
static bool hide_parameters(char *address, const endings *ends) {
    bool found = false;
    for (char *at = address; (at = strpbrk(at, "?&")) != NULL;) {
        size_t name = strcspn(++at, "=?& '\"`");
        if (at[name] != '=' || !names_password(at, name)) continue;
        at += name + 1;
        size_t length = strcspn(at, ends->value);
        cut(at, at + length);
        found |= length > 0;
    }
    return found;
}

/* `address`: behind the slashes. */
static bool hide(char *address, const endings *ends) {
    bool found = hide_user_password(address, ends);
    return hide_parameters(address, ends) || found;
}

bool hr_hide_password(char *address) {
    size_t scheme = scheme_length(address);
    return scheme && hide(address + scheme, &whole);
}

void hr_hide_passwords(char *message) {
    for (char *at = message; (at = find_address(at)) != NULL;)
        hide(at, &within);
}
