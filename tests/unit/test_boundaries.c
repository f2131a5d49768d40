/* test_boundaries.c - the table that `hedgerow boundaries` prints when memory runs out: either all
 * of it or an error. The command's files are included, because they are not part of the library. */
#include "cli/cli.h"

#include "unit.h"
#include <stdlib.h>
#include <unistd.h>

/* Only the library's allocation can be made to fail: code that bypasses it fails always here. */
#define malloc(size) ((void)(size), NULL)
#include "cli/cli_print.c"
#include "cli/cmd_boundaries.c"
#undef malloc

int cli_run(const cli_syntax *unused, int argc, char **argv,
            hr_status (*command)(const cli_arguments *arguments, hr_error *err)) {
    (void)unused, (void)argc, (void)argv, (void)command;
    return 0;
}

void cli_watch_start(cli_watch *watch, bool quiet) {
    (void)watch, (void)quiet;
}

void cli_watch_end(cli_watch *watch) {
    (void)watch;
}

/* Prints the prices of two attributes, both with boundaries, into `text`. */
static hr_status print_to(char *text, size_t room, long failing_allocation) {
    static const char *const names[2] = {"age", "zip"};
    static const bool bounded[2] = {true, true};
    uint64_t relaxed[2] = {1, 2};
    hr_price price = {.k = 3, .p = 1, .suppressed = 4, .relaxed = relaxed, .classes_at_most = 3};
    hr_prices prices = {
        .cut = {.rows = 10, .quasi_count = 2, .quasi_names = names, .bounded = bounded},
        .prices = &price,
        .price_count = 1};
    hr_error err = {0};
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fflush(stdout);
    int kept = dup(STDOUT_FILENO);
    dup2(ends[1], STDOUT_FILENO);
    close(ends[1]);
#ifdef HR_FAULT
    hr_memory_fail_at(failing_allocation);
#else
    (void)failing_allocation;
#endif
    hr_status status = print_prices(&prices, CLI_CSV, &err);
#ifdef HR_FAULT
    hr_memory_fail_at(0);
#endif
    dup2(kept, STDOUT_FILENO);
    close(kept);
    ssize_t length = read(ends[0], text, room - 1);
    close(ends[0]);
    text[length > 0 ? length : 0] = '\0';
    assert_int_equal(err.code, status);
    return status;
}

static void all_or_an_error(void **state) {
    (void)state;
    char text[512];
    long nth = 0;
    hr_status status;
    while ((status = print_to(text, sizeof text, ++nth)) == HR_ENOMEM)
        assert_string_equal(text, "");
    assert_int_equal(status, HR_OK);
    assert_string_equal(text,
                        "k,p,suppressed,share,relax,saves,classes_at_most,saves:age,saves:zip\n"
                        "3,1,4,0.4,age,3,3,3,2\n");
#ifdef HR_FAULT
    assert_true(nth > 3);
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_or_an_error)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
