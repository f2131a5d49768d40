/* sha256.c - SHA-256 as in FIPS 180-4. Written here because it is eighty lines, where a library of
 * cryptography would be the largest dependency; nothing secret is hashed, so timing does not
 * matter. */
#include "base/base.h"

#include <string.h>

static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turn(uint32_t x, int by) {
    return x >> by | x << (32 - by);
}

static void expand(const unsigned char *block, uint32_t w[64]) {
    for (size_t i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
               (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (int i = 16; i < 64; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];
        uint32_t s0 = turn(a, 7) ^ turn(a, 18) ^ a >> 3, s1 = turn(b, 17) ^ turn(b, 19) ^ b >> 10;
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
}

static void mix(uint32_t state[8], const unsigned char *block) {
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7], w[64];
    expand(block, w);
    for (int i = 0; i < 64; i++) {
        uint32_t s1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25), choice = (e & f) ^ (~e & g);
        uint32_t s0 = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
        uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
        uint32_t next = h + s1 + choice + constants[i] + w[i];
        h = g, g = f, f = e, e = d + next;
        d = c, c = b, b = a, a = next + s0 + majority;
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
    state[4] += e, state[5] += f, state[6] += g, state[7] += h;
}

void hr_sha256_start(hr_sha256 *hash) {
    static const uint32_t initial[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    *hash = (hr_sha256){0};
    memcpy(hash->state, initial, sizeof initial);
}

void hr_sha256_add(hr_sha256 *hash, const void *bytes, size_t length) {
    const unsigned char *from = bytes;
    size_t used = hash->length % 64;
    hash->length += length;
    while (length > 0) {
        if (used == 0 && length >= 64) {
            mix(hash->state, from);
            from += 64;
            length -= 64;
            continue;
        }
        size_t part = length < 64 - used ? length : 64 - used;
        memcpy(hash->block + used, from, part);
        used += part;
        from += part;
        length -= part;
        if (used < 64) return;
        mix(hash->state, hash->block);
        used = 0;
    }
}

void hr_sha256_end(hr_sha256 *hash, char out[HR_SHA256_TEXT]) {
    unsigned char tail[72] = {0x80};
    uint64_t bits = hash->length * 8;
    size_t padding = 1 + (119 - hash->length % 64) % 64;
    for (int i = 0; i < 8; i++)
        tail[padding + (size_t)i] = (unsigned char)(bits >> (56 - 8 * i));
    hr_sha256_add(hash, tail, padding + 8);
    for (size_t i = 0; i < 8; i++)
        snprintf(out + 8 * i, 9, "%08x", hash->state[i]);
}
