/* names.c - compares names of columns as a reader does: blanks around a name do not count, and a
 * letter with a mark may be encoded as one character or as two. Names from macOS often have two: u
 * and a combining diaeresis instead of ü.
 *
 * Only Latin letters of the blocks up to Latin Extended-B are composed (Unicode, canonical
 * composition). The whole of Unicode would need a library for what appears in column names only. */
#include "base/base.h"

#include <string.h>

/* For each combining mark: pairs of a letter and the composed letter. */
static const struct {
    uint32_t mark;
    const char *pairs;
} compositions[] = {
    {0x300, "AÀEÈIÌOÒUÙaàeèiìoòuùÜǛüǜNǸnǹ"},
    {0x301, "AÁEÉIÍOÓUÚYÝaáeéiíoóuúyýCĆcćLĹlĺNŃnńRŔrŕSŚsśZŹzźÜǗüǘGǴgǵÅǺåǻÆǼæǽØǾøǿ"},
    {0x302, "AÂEÊIÎOÔUÛaâeêiîoôuûCĈcĉGĜgĝHĤhĥJĴjĵSŜsŝWŴwŵYŶyŷ"},
    {0x303, "AÃNÑOÕaãnñoõIĨiĩUŨuũ"},
    {0x304, "AĀaāEĒeēIĪiīOŌoōUŪuūÜǕüǖÄǞäǟȦǠȧǡÆǢæǣǪǬǫǭÖȪöȫÕȬõȭȮȰȯȱYȲyȳ"},
    {0x306, "AĂaăEĔeĕGĞgğIĬiĭOŎoŏUŬuŭ"},
    {0x307, "CĊcċEĖeėGĠgġIİZŻzżAȦaȧOȮoȯ"},
    {0x308, "AÄEËIÏOÖUÜaäeëiïoöuüyÿYŸ"},
    {0x30a, "AÅaåUŮuů"},
    {0x30b, "OŐoőUŰuű"},
    {0x30c, "CČcčDĎdďEĚeěLĽlľNŇnňRŘrřSŠsšTŤtťZŽzžAǍaǎIǏiǐOǑoǒUǓuǔÜǙüǚGǦgǧKǨkǩƷǮʒǯjǰHȞhȟ"},
    {0x30f, "AȀaȁEȄeȅIȈiȉOȌoȍRȐrȑUȔuȕ"},
    {0x311, "AȂaȃEȆeȇIȊiȋOȎoȏRȒrȓUȖuȗ"},
    {0x31b, "OƠoơUƯuư"},
    {0x326, "SȘsșTȚtț"},
    {0x327, "CÇcçGĢgģKĶkķLĻlļNŅnņRŖrŗSŞsşTŢtţEȨeȩ"},
    {0x328, "AĄaąEĘeęIĮiįUŲuųOǪoǫ"},
};

/* The next character; a byte that is not UTF-8 counts as one. */
static uint32_t next_character(const char **at) {
    const unsigned char *c = (const unsigned char *)*at;
    size_t more = c[0] >= 0xf0 ? 3 : c[0] >= 0xe0 ? 2 : c[0] >= 0xc0 ? 1 : 0;
    uint32_t character = more ? c[0] & (0x3fu >> more) : c[0];
    for (size_t i = 1; i <= more; i++) {
        if ((c[i] & 0xc0) != 0x80) {
            (*at)++;
            return c[0];
        }
        character = character << 6 | (c[i] & 0x3f);
    }
    *at += more + 1;
    return character;
}

/* The letter that a letter and a mark make, or 0. */
static uint32_t compose(uint32_t letter, uint32_t mark) {
    for (size_t i = 0; i < sizeof compositions / sizeof *compositions; i++) {
        if (compositions[i].mark != mark) continue;
        for (const char *at = compositions[i].pairs; *at;) {
            uint32_t plain = next_character(&at), composed = next_character(&at);
            if (plain == letter) return composed;
        }
    }
    return 0;
}

/* Space, tab and the no-break space that spreadsheets leave. Returns its length, or 0. */
static size_t blank_at(const char *c) {
    if (*c == ' ' || *c == '\t') return 1;
    return c[0] == '\xc2' && c[1] == '\xa0' ? 2 : 0;
}

/* The part of a name that is still to be compared: up to `end`, without blanks around it. */
typedef struct {
    const char *at, *end;
} rest_of_name;

static rest_of_name trim(const char *name) {
    rest_of_name rest = {name, name + strlen(name)};
    while (blank_at(rest.at))
        rest.at += blank_at(rest.at);
    for (bool more = true; more && rest.end > rest.at;) {
        size_t two = rest.end - rest.at >= 2 && blank_at(rest.end - 2) == 2;
        more = two || blank_at(rest.end - 1) == 1;
        if (more) rest.end -= two ? 2 : 1;
    }
    return rest;
}

/* The marks of the table are CC 80 to CC A8. */
static bool begins_mark(const char *c) {
    return *c == '\xcc';
}

/* The next letter with its marks; 0 at the end. */
static uint32_t next_letter(rest_of_name *rest) {
    if (rest->at >= rest->end) return 0;
    uint32_t letter = next_character(&rest->at);
    while (rest->at < rest->end && begins_mark(rest->at)) {
        const char *after = rest->at;
        uint32_t composed = compose(letter, next_character(&after));
        if (!composed) break;
        letter = composed;
        rest->at = after;
    }
    return letter;
}

/* Are these different ASCII letters without marks? Then the names differ. */
static bool plainly_differ(const char *a, const char *b) {
    return *a > ' ' && *b > ' ' && !begins_mark(a + 1) && !begins_mark(b + 1);
}

bool hr_same_name(const char *a, const char *b) {
    size_t same = 0;
    while (a[same] && a[same] == b[same])
        same++;
    if (a[same] == b[same]) return true;
    if (plainly_differ(a + same, b + same)) return false;
    rest_of_name one = trim(a), other = trim(b);
    for (;;) {
        uint32_t letter = next_letter(&one);
        if (letter != next_letter(&other)) return false;
        if (letter == 0) return true;
    }
}

bool hr_name_trims(const char *name) {
    rest_of_name rest = trim(name);
    return rest.at > name || *rest.end;
}

uint64_t hr_name_hash(const char *name) {
    rest_of_name rest = trim(name);
    uint64_t hash = 0;
    for (uint32_t letter; (letter = next_letter(&rest));) {
        uint64_t parts[2] = {hash, letter};
        hash = hr_hash(parts, sizeof parts);
    }
    return hash;
}
