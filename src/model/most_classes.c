/* most_classes.c - at most how many classes of k rows with p values of a sensitive attribute can be made
 * (Truta et al. 2008, section 4.2). m classes exist iff m <= n / k and, for i = 1 .. p, m i <= the
 * number of rows that do not have one of the p - i most frequent values: a value counts at most
 * once in each class, so p m <= sum over values of min(f, m) <= (p - i) m + those rows; and dealing
 * the copies min(f, m) of each value round to the classes reaches it. With several attributes the
 * least bound holds, and may not be reached. */
#include "model/model.h"

uint64_t hr_most_classes(uint64_t rows, const uint32_t *counts, size_t count, uint64_t k,
                         uint64_t p) {
    if (k < p) k = p;
    uint64_t bound = rows / k, rest = 0;
    if (p <= 1) return bound;
    if (count < p) return 0;
    for (size_t v = 0; v < count; v++)
        rest += counts[v];
    for (uint64_t i = p; i >= 1; i--) {
        if (rest / i < bound) bound = rest / i;
        rest -= counts[p - i];
    }
    return bound;
}
