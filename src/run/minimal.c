/* minimal.c - the owner's list of what could be published instead: every minimal choice of levels
 * (full-domain generalization; no lower choice satisfies the models), best first, with the figures
 * that its release would have. The published one is marked, and is listed even if it is not
 * minimal. */
#include "job/job.h"

static const char *yes_or_no(bool is) {
    return is ? "yes" : "no";
}

static void write_node(hr_output *output, const hr_lattice *lattice, size_t i,
                       const hr_requirements *asked) {
    char text[160];
    const hr_lattice_node *node = &lattice->nodes[i];
    double rows = (double)(node->released + node->suppressed);
    double ntil = (double)node->loss / HR_COST_ONE / (rows * (double)lattice->quasi_count);
    double avg = (double)node->released / node->classes / (double)asked->k;
    snprintf(text, sizeof text, "%s,%s,%.15g,%.15g,%llu,%u,%llu",
             yes_or_no(i == lattice->published), yes_or_no(node->minimal), ntil, avg,
             (unsigned long long)node->dm, node->classes, (unsigned long long)node->suppressed);
    hr_output_puts(output, text);
    for (size_t j = 0; j < lattice->quasi_count; j++) {
        snprintf(text, sizeof text, ",%u", node->levels[j]);
        hr_output_puts(output, text);
    }
    hr_output_puts(output, "\n");
}

static hr_status write_header(hr_output *output, const hr_microdata *data, hr_error *err) {
    hr_output_puts(output, "published,minimal,ntil,avg,dm,classes,suppressed");
    for (size_t j = 0; j < data->quasi_count; j++) {
        hr_text name = {0};
        hr_text_printf(&name, "level:%s", data->quasi[j].name);
        bool failed = name.failed;
        hr_output_puts(output, ",");
        if (!failed) hr_csv_field(output, name.data, name.length, ',');
        hr_text_free(&name);
        if (failed) return hr_fail(err, HR_ENOMEM, "out of memory while listing levels");
    }
    hr_output_puts(output, "\n");
    return HR_OK;
}

hr_status hr_minimal_write(hr_output *output, const hr_lattice *lattice, const hr_microdata *data,
                           const hr_requirements *asked, hr_error *err) {
    HR_TRY(write_header(output, data, err));
    for (size_t i = 0; i < lattice->node_count; i++)
        write_node(output, lattice, i, asked);
    return HR_OK;
}
