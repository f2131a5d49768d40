/* builders.c - the table of builders. To add one, write its file and add its name here. */
#include "hierarchy/build/build.h"

extern const hr_builder hr_builder_prefix, hr_builder_intervals, hr_builder_cuts,
    hr_builder_quantiles, hr_builder_date, hr_builder_parents, hr_builder_ranges,
    hr_builder_frequency;

const hr_builder *const hr_builders[] = {
    &hr_builder_prefix,    &hr_builder_intervals, &hr_builder_cuts,
    &hr_builder_quantiles, &hr_builder_date,      &hr_builder_parents,
    &hr_builder_ranges,    &hr_builder_frequency, NULL};

bool hr_builder_info_at(size_t i, hr_builder_info *out) {
    size_t count = sizeof hr_builders / sizeof *hr_builders - 1;
    if (i >= count) return false;
    const hr_builder *builder = hr_builders[i];
    out->name = builder->name;
    out->title = builder->title;
    out->argument = builder->argument;
    out->help = builder->help;
    return true;
}
