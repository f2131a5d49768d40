/* greedy_options.h - the options of the greedy algorithms. The plain form (greedy/), the fast form
 * (index/) and hedge, which runs the greedy algorithms, all read them. */
#ifndef HR_GREEDY_OPTIONS_H
#define HR_GREEDY_OPTIONS_H

#include "algorithm/algorithm.h"

/* Rules on which paper and practice differ. */
typedef struct {
    int dispersal; /* HR_DISPERSAL_... */
    int ties;      /* HR_TIES_... */
} hr_greedy_options;

/* A leftover row joins the cluster whose IL grows least, or whose IL is least afterwards. */
enum { HR_DISPERSAL_GROWTH, HR_DISPERSAL_ABSOLUTE };
/* How ties are broken. RANK: lowest rank of the combination, then lowest row. ROW: lowest row. */
enum { HR_TIES_RANK, HR_TIES_ROW };

#endif
