/* most_classes.c - upper limit on the number of classes with k rows and p values of a sensitive
 * attribute (Truta et al. 2008, section 4.2). m classes of n rows exist iff m <= n / k and, for i =
 * 1 .. p, m i <= the number of rows without one of the p - i most frequent values. Necessary: a
 * value counts at most once per class, so p m <= sum over values of min(f, m) <= (p - i) m + those
 * rows. Sufficient: deal min(f, m) copies of each value to the classes in turn. With several
 * attributes the smallest limit holds, but it may not be attained. */
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
