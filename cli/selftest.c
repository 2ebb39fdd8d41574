/* SPDX-License-Identifier: MIT
 *
 * quickstep selftest: a line for every primitive and row.
 */
#include <stdio.h>

#include <quickstep.h>

#include "cli.h"

static void print_result(void *arg, const qs_selftest_result *r)
{
    (void)arg;
    printf("%-26s %-16s ", r->subject, r->row ? r->row : "chosen rows");
    if (r->status == QS_OK) printf("pass\n");
    else printf("FAIL: %s, byte %zu: expected %02x, got %02x\n", r->vector, r->offset, r->expected, r->got);
}

int cli_selftest(int argc, char **argv)
{
    int status =
        cli_no_options(argc, argv,
                       "Usage: quickstep selftest\n"
                       "Known answers through every kernel that this CPU can run and every construction: a line\n"
                       "each, pass or the first difference. Exit status 1 if one failed.\n");
    if (status) return status > 0 ? status : 0;

    qs_status result = qs_selftest_each(print_result, NULL);
    if (result != QS_OK) fprintf(stderr, "quickstep: %s\n", qs_strerror(result));
    return result != QS_OK;
}
