/* cli_grid.c - the lists of k and p that `boundaries` and `compare` take. */
#include "cli/cli.h"

enum { K_MOST = 1000000000, P_MOST = 1000000 };

hr_status cli_grid_check(const char *k, const hr_job *job, hr_error *err) {
    if (k || hr_job_get(job, "k")) return HR_OK;
    return hr_fail(err, HR_EINVAL, "k is missing: give -k 4,8,10 or write `model: {k: 5}`");
}

hr_status cli_grid_read(const char *k, const char *p, cli_grid *out, hr_error *err) {
    if (k) HR_TRY(hr_parse_numbers("k", k, K_MOST, &out->ks, &out->k_count, err));
    return p ? hr_parse_numbers("p", p, P_MOST, &out->ps, &out->p_count, err) : HR_OK;
}

void cli_grid_free(cli_grid *grid) {
    hr_free(grid->ks);
    hr_free(grid->ps);
    *grid = (cli_grid){0};
}
