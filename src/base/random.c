/* random.c - xoshiro256** (Blackman, Vigna 2018), seeded by splitmix64. Everything here is integer
 * or basic IEEE arithmetic, so that a seed gives the same numbers on every machine. */
#include "base/base.h"

#include <math.h>
#include <string.h>

static uint64_t splitmix(uint64_t *state) {
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

void hr_random_seed(hr_random *random, uint64_t seed, uint64_t stream) {
    uint64_t state = seed;
    uint64_t start = splitmix(&state) ^ (stream * UINT64_C(0xd1342543de82ef95));
    for (int i = 0; i < 4; i++)
        random->state[i] = splitmix(&start);
}

static uint64_t rotate(uint64_t x, int by) {
    return (x << by) | (x >> (64 - by));
}

uint64_t hr_random_next(hr_random *random) {
    uint64_t *s = random->state;
    uint64_t result = rotate(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

uint64_t hr_random_below(hr_random *random, uint64_t limit) {
    uint64_t whole = UINT64_MAX - UINT64_MAX % limit; /* a multiple of limit */
    uint64_t draw;
    do
        draw = hr_random_next(random);
    while (draw >= whole);
    return draw % limit;
}

double hr_random_real(hr_random *random) {
    return (double)(hr_random_next(random) >> 11) * 0x1p-53;
}

/* Natural logarithm of 0 < x <= 1 by basic operations only: x = m 2^e, ln m = 2
 * artanh((m-1)/(m+1)). */
static double natural_log(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    bits = (bits & UINT64_C(0xfffffffffffff)) | UINT64_C(0x3ff0000000000000);
    double m;
    memcpy(&m, &bits, sizeof m);
    double z = (m - 1) / (m + 1), square = z * z, power = z, sum = 0;
    for (int i = 1; i < 40; i += 2) {
        sum += power / i;
        power *= square;
    }
    return 2 * sum + exponent * 0.693147180559945309417232121458;
}

double hr_random_normal(hr_random *random) { /* Marsaglia's polar method; sqrt is exact by IEEE */
    double x, s;
    do {
        x = 2 * hr_random_real(random) - 1;
        double y = 2 * hr_random_real(random) - 1;
        s = x * x + y * y;
    } while (s >= 1 || s < 0x1p-500);
    return x * sqrt(-2 * natural_log(s) / s);
}

double hr_random_exponential(hr_random *random) {
    return -natural_log(1 - hr_random_real(random));
}
