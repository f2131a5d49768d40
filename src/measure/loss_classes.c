/* loss_classes.c - measures of class sizes alone: discernability DM (Bayardo, Agrawal
 * 2005; Truta et al. 2008, section 5) and the normalized average class size AVG (LeFevre et al.
 * 2006; Truta et al. 2008). DM: each released row costs the size of its class, each suppressed row
 * the size of the table. */
#include "measure/measure.h"

static double dm(const hr_outcome *outcome) {
    double sum = (double)outcome->suppressed * (double)(outcome->released + outcome->suppressed);
    for (uint32_t g = 0; g < outcome->classes->count; g++)
        sum += (double)outcome->classes->size[g] * outcome->classes->size[g];
    return sum;
}

static double average(const hr_outcome *outcome, uint32_t groups) {
    return (double)outcome->released / groups / (double)outcome->asked->k;
}

static double avg(const hr_outcome *outcome) {
    return average(outcome, outcome->classes->count);
}

static double avg_clusters(const hr_outcome *outcome) {
    return average(outcome, outcome->partition->cluster_count);
}

const hr_measure hr_measure_dm = {
    .name = "dm",
    .title = "discernibility, for comparing class sizes: sum of squared sizes; a suppressed row "
             "counts as all rows",
    .reference = "Truta et al. 2008, section 5",
    .section = "loss",
    .score = dm,
};

const hr_measure hr_measure_avg = {
    .name = "avg",
    .title = "how far classes exceed k: their mean size divided by k",
    .reference = "Truta et al. 2008, section 5; classes of the masked table",
    .section = "loss",
    .score = avg,
};

const hr_measure hr_measure_avg_clusters = {
    .name = "avg_clusters",
    .title = "avg with the clusters of the algorithm instead of classes, as the papers count",
    .reference = "Truta et al. 2008, section 5; clusters, as the papers count",
    .section = "loss",
    .score = avg_clusters,
};
