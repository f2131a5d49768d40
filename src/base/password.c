/* password.c - hides passwords in addresses of databases, which may appear in messages:
 * postgresql://user:password@host/db?password=other. Also finds the password of an address that is
 * not encoded as it should be, such as one with a slash in it. */
#include "base/base.h"

#include <string.h>
#include <strings.h>

static const char *const schemes[] = {"postgresql:", "postgres:"};

/* Length of the scheme that the text begins with, in upper or lower case, with its slashes, which
 * may have been forgotten; 0: none. */
static size_t scheme_length(const char *text) {
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        size_t length = strlen(schemes[i]);
        if (strncasecmp(text, schemes[i], length) != 0) continue;
        for (int slashes = 0; slashes < 2 && text[length] == '/'; slashes++)
            length++;
        return length;
    }
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

/* Length of an address, or of what is left of it. Within a message it ends at a blank, or at a
 * quote behind which no word goes on. */
static size_t address_length(const char *text, bool message) {
    size_t length = 0;
    if (!message) return strlen(text);
    for (; text[length] && text[length] != ' '; length++)
        if (strchr("'\"`", text[length]) && strchr(" ,;:.)", text[length + 1])) break;
    return length;
}

/* Length of the part of an address that ends at one of these characters, or with the address. */
static size_t part_length(const char *text, const char *ends, bool message) {
    size_t length = strcspn(text, ends), all = address_length(text, message);
    return length < all ? length : all;
}

/* Length of what comes before the table or query. */
static size_t head_length(const char *address, bool message) {
    static const char *const names[] = {"?table=", "&table=", "?query=", "&query="};
    size_t length = address_length(address, message);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *at = strstr(address, names[i]);
        if (at && (size_t)(at - address) < length) length = (size_t)(at - address);
    }
    return length;
}

/* Length of a message up to the next address, or to the colon before its next part. */
static size_t clause_length(const char *text) {
    const char *colon = strstr(text, ": ");
    size_t most = colon ? (size_t)(colon - text) : strlen(text), length = 0;
    while (length < most && !scheme_length(text + length))
        length++;
    return length;
}

/* Finds the @ that ends the password, or NULL. Looks in the host part first, then before the path,
 * and, because a password that is not percent-encoded may contain a slash, a question mark or a
 * blank, in the rest of the address or message; not there if the text after the colon is a port,
 * since an @ further on then belongs to a parameter. In a message that was cut before the @, the
 * password ends where the message does. */
static char *password_end(char *address, const char *colon, bool message) {
    size_t host = part_length(address, "/?#", message);
    char *at = last_at_sign(address, host);
    if (!at) at = last_at_sign(address, part_length(address, "?", message));
    bool port = strchr("/?, '\"`", colon[1 + strspn(colon + 1, "0123456789")]);
    bool user = (size_t)(colon - address) < host && *address != '[';
    if (!at && !port) at = last_at_sign(address, head_length(address, message));
    if (!at && !port && message && user) at = last_at_sign(address, clause_length(address));
    if (!at && message && !address[host]) at = address + host;
    return at;
}

/* user:password@host */
static bool hide_user_password(char *address, bool message) {
    char *colon = strchr(address, ':'), *at = colon ? password_end(address, colon, message) : NULL;
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

/* Length of the value of a parameter. What follows an & and is no parameter is a part of it. */
static size_t value_length(const char *value, bool message) {
    size_t length = part_length(value, "&", message);
    while (value[length] == '&') {
        size_t next = part_length(value + length + 1, "&", message);
        if (memchr(value + length + 1, '=', next)) break;
        length += 1 + next;
    }
    return length;
}

/* Removes the values of parameters such as ?password=... or ?sslpassword=... */
static bool hide_parameters(char *address, bool message) {
    bool found = false;
    for (char *at = address; (at = strpbrk(at, "?&")) != NULL;) {
        size_t name = strcspn(++at, "=?& '\"`");
        if (at[name] != '=' || !names_password(at, name)) continue;
        at += name + 1;
        size_t length = value_length(at, message);
        cut(at, at + length);
        found |= length > 0;
    }
    return found;
}

/* `address`: behind the slashes. */
static bool hide(char *address, bool message) {
    bool found = hide_user_password(address, message);
    return hide_parameters(address, message) || found;
}

bool hr_hide_password(char *address) {
    size_t scheme = scheme_length(address);
    return scheme && hide(address + scheme, false);
}

void hr_hide_passwords(char *message) {
    for (char *at = message; (at = find_address(at)) != NULL;)
        hide(at, true);
}
