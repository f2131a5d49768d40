/* cmd_list.c - `hedgerow list`: the algorithms, models, measures, formats and builders of
 * this build. */
#include "cli/cli.h"

static hr_status print_list(const hr_list *list, hr_print_format format, hr_error *err) {
    char *text;
    HR_TRY(hr_list_print(list, format, &text, err));
    if (format != HR_PRINT_TABLE) return cli_print(text, err);
    cli_show(text);
    return HR_OK;
}

static hr_status run(const cli_arguments *arguments, hr_error *err) {
    hr_list *list;
    HR_TRY(hr_list_new(arguments->word_count ? arguments->words[0] : NULL, &list, err));
    hr_status status = print_list(list, arguments->format, err);
    hr_list_free(list);
    return status;
}

const cli_command cmd_list = {
    .name = "list",
    .summary = "list algorithms, models, measures, formats and builders",
    .usage = "[algorithms|models|measures|formats|builders]",
    .about = "Lists all entries with their options: what each option does, its values, its\n"
             "default.",
    .example = "hedgerow list builders",
    .first = "algorithms|models|measures|formats|builders",
    .most = 1,
    .job_at = -1,
    .prints = true,
    .run = run,
};
